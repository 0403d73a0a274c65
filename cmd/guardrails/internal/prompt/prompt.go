// Package prompt asks a human. It is the only importer of survey, which is
// archived: whoever replaces it changes survey.go alone.
//
// It writes to standard error, never to standard output, and must only be used
// when standard input and standard error are terminals. It imports nothing else
// of ours.
package prompt

import (
	"errors"
	"os"
	"runtime"
	"time"
)

// ErrInterrupted is returned when the human gave up: Ctrl-C, Ctrl-D, or the
// terminal went away.
var ErrInterrupted = errors.New("interrupted: nothing was changed")

// Prompter asks one question at a time. Indexes count from 0.
type Prompter interface {
	// Select returns the index of the option chosen; def is offered first.
	Select(question string, options []string, def int) (int, error)
	// MultiSelect returns the indexes of the options chosen, in order; chosen
	// are offered.
	MultiSelect(question string, options []string, chosen []int) ([]int, error)
	// Confirm returns the answer to a yes-or-no question.
	Confirm(question string, def bool) (bool, error)
}

// answerWait is how long a terminal may take to say where its cursor is.
// Terminals answer within milliseconds, over a slow line within a few hundred.
const answerWait = time.Second

// New returns a prompter for the terminal. One that is TERM=dumb, or does not
// answer a question for its cursor (survey would wait for it for ever), is
// asked in plain lines. plain switches colours off.
func New(in, out *os.File, term string, plain bool) Prompter {
	lines := &lineMode{in: newReader(in), out: out}
	if term == "dumb" || term == "" && runtime.GOOS != "windows" {
		return lines
	}
	if runtime.GOOS != "windows" && !answers(in, out, lines.in, answerWait) {
		return lines
	}
	return surveyMode{in, out, plain}
}
