package claude

import (
	"os"
	"testing"

	"github.com/ec261362/guardrails/adapters/adaptertest"
	"github.com/ec261362/guardrails/core/hook"
)

const recorded = "../../testdata/hosts/claude"

func TestConformance(t *testing.T) {
	adaptertest.Run(t, Adapter{}, adaptertest.Options{
		Payloads: os.DirFS(recorded),
		Host:     hostReads,
		Neutral: func(e hook.Event) string {
			if e.HostEvent == "WorktreeCreate" {
				return "" // the host takes whatever we print as a path
			}
			return "{}\n"
		},
	})
}
