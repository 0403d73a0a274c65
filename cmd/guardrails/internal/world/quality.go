package world

import (
	"strings"

	"github.com/ec261362/guardrails/core/quality"
	"github.com/ec261362/guardrails/core/quality/run"
)

// Quality runs the project's tools, with of this environment what they need.
func Quality(environ []string) quality.Worker {
	lets := run.Environ(environ)
	return run.New(run.Options{Proc: Programs(lets), Getenv: func(name string) string {
		for _, kv := range lets {
			if v, ok := strings.CutPrefix(kv, name+"="); ok {
				return v
			}
		}
		return ""
	}})
}
