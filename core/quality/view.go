package quality

import "github.com/ec261362/guardrails/core/session"

// RootOf is the project that a session touched last, "" if none is known.
func RootOf(v session.View) string {
	root, _ := v.Fact(factRoot)
	return root
}

// BaseOf is the commit that a session began with, and the files that differed
// from it then and that the session did not touch.
func BaseOf(v session.View) (commit string, others []string) {
	commit, _ = v.Fact(factBase)
	return commit, dirty(v)
}
