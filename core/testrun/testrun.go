// Package testrun says whether the tests of a shell call passed.
//
// Exit code 0 alone proves nothing: a run may have found no test, skipped them
// all, or lost its exit code in a pipe. Judge therefore asks three things of a
// call: does a test runner stand in command position, does the exit code of the
// line prove the runner's, and does the runner's own summary count tests that
// passed. Only a yes to all three is Passed; a doubt is never a pass.
//
// It is pure: it runs nothing and reads files only through Call.ReadFile. It
// may import core/hook and core/shellcmd, nothing else of this module.
package testrun

import (
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Grade is how far a call proves that tests passed. The zero value is that it
// was no test run.
type Grade int

// Grades, from no evidence to proof.
const (
	None            Grade = iota // no test run
	Unknown                      // a test run whose result cannot be told: say so, never "failed"
	Empty                        // no test ran: none found, all filtered out or skipped, or a run that only lists or compiles
	Error                        // it did not get as far as its tests, or broke down on the way
	Failed                       // a test failed, or a threshold or a later step of the same command
	Weak                         // its exit code is masked, its whole-run summary counts passed tests and nothing is red: too little for a hard gate
	PassedUncounted              // go's plain "ok": green, but nothing says that a test ran
	Passed                       // exit 0 is the runner's, and its summary counts tests that passed
)

var gradeNames = [...]string{"none", "unknown", "empty", "error", "failed", "weak", "passed-uncounted", "passed"}

// String returns the grade's name in the machine-readable contracts.
func (g Grade) String() string {
	if g < 0 || int(g) >= len(gradeNames) {
		return "unknown"
	}
	return gradeNames[g]
}

// Call is a finished shell call.
type Call struct {
	Line   *shellcmd.Line // as parsed for the call
	Result *hook.Result   // nil = its end is unknown

	// Dir is the directory it ran in; "" = unknown. It stands in where the line
	// does not say.
	Dir string

	// ReadFile returns a file of at most max bytes; nil = no files. It is asked
	// for package.json and makefiles, to see what a script or target runs.
	ReadFile func(name string, max int64) ([]byte, error)
}

// Report is what a call proves.
type Report struct {
	Grade  Grade
	Runner string // plain name of the first runner: "go test", "pytest", "jest" …; "" with None

	// Why says in one line what the grade rests on.
	Why string

	// Unmasked is a command line that would prove what this one did not, for
	// Weak, Unknown and masked PassedUncounted, where there is one; "" otherwise.
	Unmasked string

	Passed, Failed, Skipped int // as counted in the text, all summaries together

	// Rewrites says that the run wrote or updated expectations (snapshots): green,
	// but no proof of what was expected before.
	Rewrites bool

	// Scoped says that the command or its summary leaves tests out (-run, -k,
	// --filter, one file, "N deselected"): a pass, but not of everything.
	Scoped bool

	// Dirs are the directories that runners ran in, where known; Packages are the
	// package patterns and paths given to them, as written.
	Dirs     []string
	Packages []string
}
