// Package builtin is the one ordered list of gates: reading it is reading the
// product. Reasons of equal rank are joined in this order.
package builtin

import (
	"github.com/ec261362/guardrails/core/deps"
	"github.com/ec261362/guardrails/core/evidence"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/handoff"
	"github.com/ec261362/guardrails/core/leak"
	"github.com/ec261362/guardrails/core/notice"
	"github.com/ec261362/guardrails/core/policy"
	"github.com/ec261362/guardrails/core/quality"
	"github.com/ec261362/guardrails/core/rewrite"
	"github.com/ec261362/guardrails/core/screen"
	"github.com/ec261362/guardrails/core/touch"
)

// Settings are the decoded settings of every gate.
type Settings struct {
	Policy   policy.Settings
	Leak     leak.Settings
	Deps     deps.Settings
	Screen   screen.Settings
	Rewrite  rewrite.Settings
	Handoff  handoff.Settings
	Quality  quality.Settings
	Notice   notice.Settings
	Evidence evidence.Settings
}

// Gates returns the gates in the order in which they run.
func Gates(s Settings) []*gate.Gate {
	var list []*gate.Gate
	list = append(list, policy.Gates(s.Policy)...) // always on: destroys, leaks, disarms
	list = append(list, leak.New(s.Leak))          // secrets in what is written and run
	list = append(list, deps.New(s.Deps))          // packages that are about to be added
	list = append(list, screen.New(s.Screen)...)   // the configured validators
	if g := rewrite.New(s.Rewrite); g != nil {     // commands that run as others; judged by all of the above again
		list = append(list, g)
	}
	list = append(list, touch.New())               // which files were written
	list = append(list, quality.New(s.Quality)...) // the project's own format, lint, build, tests and coverage
	list = append(list, handoff.New(s.Handoff)...) // what a change brings with it
	list = append(list, notice.New(s.Notice)...)   // what the human must know of the configuration
	// Last: they commit to the project's state themselves, so a call that another
	// gate hands over has counted nothing yet, and what our own gates wrote and ran
	// at the end of a turn comes before the question whether it may end.
	list = append(list, evidence.New(s.Evidence)...)
	return list
}
