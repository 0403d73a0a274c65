package gemini

import (
	"os"
	"testing"

	"github.com/ec261362/guardrails/adapters/adaptertest"
	"github.com/ec261362/guardrails/core/hook"
)

const recorded = "../../testdata/hosts/gemini"

func TestConformance(t *testing.T) {
	adaptertest.Run(t, Adapter{}, adaptertest.Options{
		Payloads: os.DirFS(recorded),
		Host:     hostReads,
		Neutral:  func(hook.Event) string { return "{}\n" },
	})
}
