// Package report sees what a command is about to post on a pull request, and
// whether it is an acceptance-test report that nobody's renderer made.
//
// It imports core/handoff/pr, core/shellcmd and the standard library only.
package report

import (
	"github.com/ec261362/guardrails/core/handoff/pr"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// ReadFile reads a file by its absolute path.
type ReadFile func(path string) ([]byte, error)

// Post is a text that a command puts on a pull request.
type Post struct {
	Verb   string    // comment, create, edit, note, patch
	Target pr.Target // of patch and comments by address: only the repository
	Body   string    // what could be seen of it
	Whole  bool      // nothing of it is unknown
}

// Mentions reports whether a command line may post: a cheap test that errs to
// yes.
func Mentions(command string) bool { return false }

// Posts returns what a line posts through gh pr comment|create|edit|review, glab
// mr note|create|update and gh api …/issues/comments/ID (PATCH) or
// …/issues/N/comments (POST): inline, from a file that read can read, a
// heredoc, $(cat file), a pipe or JSON input. read may be nil.
func Posts(l *shellcmd.Line, read ReadFile) []Post { return nil }

// ReadsLikeE2E reports whether a text reads like a report of acceptance tests:
// a results heading, a pass/fail tally, a slash tally or two status marks; and
// a name of the product, e2e or acceptance. products are further names, in
// lower case.
func ReadsLikeE2E(body string, products ...string) bool { return false }

// HasSentinel reports whether the renderer's mark is in a text, whatever its
// version.
func HasSentinel(body, sentinel string) bool { return false }
