// Package review knows which comments of a pull request's review still wait for
// an answer, and keeps that for each pull request on disk, shared by sessions.
//
// It imports core/fsx, core/handoff/pr, core/shellcmd and the standard library
// only. The ledger holds ids, never texts.
package review

import (
	"context"
	"time"

	"github.com/ec261362/guardrails/core/handoff/pr"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Thread is a review thread with comments that wait for an answer.
type Thread struct {
	ID       string
	PR       pr.Ref
	Comments []string // ids of people's comments since the newest reply of ours
}

// Reply is an answer that the provider confirmed.
type Reply struct {
	PR      pr.Ref
	Thread  string // "" = not said
	Comment string // the comment that it answers; "" = all of the thread
	Created string // id that the provider gave it
}

// Mentions reports whether a command line may fetch threads or answer one: a
// cheap test that errs to yes.
func Mentions(command string) bool { return false }

// Threads returns the unresolved threads in what a fetch printed that wait for
// an answer. A comment is ours when its body holds mark, whoever its author.
func Threads(l *shellcmd.Line, text, mark string) []Thread { return nil }

// Replies returns the replies that the call's output confirms.
func Replies(l *shellcmd.Line, text string) []Reply { return nil }

// Ledger keeps, for each pull request, which comments sessions claimed and
// which are answered. Its methods are safe for processes and goroutines in
// parallel: a change is made on what is there under a lock, and none is lost.
type Ledger struct {
	Dir string // made when needed
	Now func() time.Time
}

// Owed is a comment that a session claimed and nobody answered.
type Owed struct {
	PR      pr.Ref
	Thread  string
	Comment string
}

// Claim records that session works on threads of their pull requests.
func (l Ledger) Claim(ctx context.Context, session string, threads []Thread) error { return nil }

// Cover records that comments are answered, by reply or, with a reason, by a
// skip.
func (l Ledger) Cover(ctx context.Context, replies []Reply) error { return nil }

// Skip records that session leaves a comment unanswered.
func (l Ledger) Skip(ctx context.Context, session, comment, reason string) error { return nil }

// Owed returns what session claimed last and nobody answered, of the given pull
// requests; none given = of all. A ledger that cannot be read owes nothing.
func (l Ledger) Owed(session string, prs ...pr.Ref) []Owed { return nil }
