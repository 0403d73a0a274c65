// Package walkthrough asks the provider whether a pull request carries a
// rendered walkthrough.
//
// It runs gh and glab through a function that it is handed. It imports
// core/gate (for the shape of that function), core/handoff/pr and the standard
// library only.
package walkthrough

import (
	"context"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/handoff/pr"
)

// Run runs a program; gate.Proc.Run is one.
type Run func(context.Context, gate.Command) (gate.Exit, error)

// Presence says what is known of a walkthrough. The zero value is Unreachable:
// nothing is.
type Presence int

// What may be known.
const (
	Unreachable Presence = iota // no gh or glab, no network, no rights, no such pull request
	Absent                      // looked, and it is not there
	Found
	NoPR // the branch has no open pull request
)

// Look asks whether the sentinel stands in the body or a comment of a pull
// request. dir is where the program runs.
func Look(ctx context.Context, run Run, dir string, ref pr.Ref, sentinel string) Presence {
	return Unreachable
}

// LookBranch asks the same of the pull request of the branch checked out in
// dir, and returns it.
func LookBranch(ctx context.Context, run Run, dir, sentinel string) (pr.Ref, Presence) {
	return pr.Ref{}, Unreachable
}
