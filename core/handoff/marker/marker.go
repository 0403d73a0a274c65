// Package marker finds skip markers: commands that print TOKEN: reason, by
// which an agent says why it leaves an obligation undone.
//
// It imports core/shellcmd and the standard library only.
package marker

import "github.com/ec261362/guardrails/core/shellcmd"

// Mark is a marker that a command line prints.
type Mark struct {
	Token  string
	Reason string // one line, blanks trimmed; a part known only at run time is …
}

// Mentions reports whether a command line may hold a marker: a cheap test that
// errs to yes, whatever the quoting.
func Mentions(command string, tokens []string) bool { return false }

// Find returns the markers that a line prints through echo, printf,
// Write-Output or Write-Host as commands of their own: not in a substitution,
// not into a file or another program, not in a function that is not called.
// printed is what the call printed, "" if that is unknown: a marker behind &&
// or || whose token is not in it did not run.
//
// refused are markers without a reason: an empty one, or a placeholder such as
// <reason>.
func Find(l *shellcmd.Line, tokens []string, printed string) (marks, refused []Mark) { return nil, nil }

// For splits the reason of a marker that names what it is for: its first word
// is the id, the rest the reason. id is "" when there is only one word.
func (m Mark) For() (id, reason string) { return "", m.Reason }
