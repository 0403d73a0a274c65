// Package approval decides whether rewriting a command could slip past what a
// Muse user approved or refused by the command's text: Muse keeps such rules in
// approval-policy.json and matches them after our hook has run.
//
// It is pure: it reads through what it is handed and judges bytes. It knows a
// closed set of shapes, and whatever else it meets makes the rewrite step
// aside. It may import the standard library only.
//
// Shapes and semantics: Muse Code 1.4.14, as measured by others (schema-2
// strictness, argv prefixes, deny over allow, one approval per stage), and what
// the real binary wrote itself on older builds. Nothing here was measured by us.
package approval

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Outcome says what becomes of a rewrite. The zero value steps aside.
type Outcome int

// Outcomes.
const (
	StepAside  Outcome = iota // the command must run as it was written
	NoRules                   // nothing is persisted
	Unaffected                // rules are persisted, none names either command
)

func (o Outcome) String() string {
	switch o {
	case NoRules:
		return "no rules"
	case Unaffected:
		return "unaffected"
	default:
		return "step aside"
	}
}

// Answer is an outcome with its reason.
type Answer struct {
	Outcome Outcome
	Why     string // of StepAside: for a human, lower case, no stop
}

// MayRewrite reports whether the rewritten command may be emitted.
func (a Answer) MayRewrite() bool { return a.Outcome == NoRules || a.Outcome == Unaffected }

// File is a file's content, or why there is none: an Err that is
// fs.ErrNotExist says that it is absent, any other that it is unknown.
type File struct {
	Data []byte
	Err  error
}

// Absent is a file that is not there.
func Absent() File { return File{Err: fs.ErrNotExist} }

// Question is one would-be rewrite.
type Question struct {
	Original, Rewritten string

	PowerShell bool   // the command is read by PowerShell
	Mode       string // the payload's permission_mode
	Policy     File   // approval-policy.json
	Settings   File   // settings.json

	// ExactRaw names rule kinds that hold a whole command, with the member that
	// holds it. Their real name is not published, so it is empty in the product
	// and such a rule steps aside as an unknown one.
	ExactRaw []ExactKind
}

// ExactKind is a rule kind that names one whole command.
type ExactKind struct{ Kind, Member string }

// MaxFile is how large a file may be, in bytes, and still be read.
const MaxFile = 1 << 20

// FS is what Read needs of the file system.
type FS interface {
	Lstat(name string) (fs.FileInfo, error)
	ReadFile(name string, max int64) ([]byte, error)
}

// Dir returns Muse's configuration folder as a hook must know it: the host
// clears XDG variables, so a hook reads below the home. A caller that sees
// another XDG_CONFIG_HOME cannot know which folder the host would use.
func Dir(home, xdgConfigHome string) (string, error) {
	if !filepath.IsAbs(home) {
		return "", errors.New("the home folder is not known")
	}
	config := filepath.Join(home, ".config")
	if xdgConfigHome != "" && filepath.Clean(xdgConfigHome) != config {
		return "", fmt.Errorf("XDG_CONFIG_HOME is %s, but a Muse hook reads %s", xdgConfigHome, config)
	}
	return filepath.Join(config, "muse"), nil
}

// Read reads the approval policy and the settings in dir. Neither the folder
// nor a file may be a symbolic link.
func Read(files FS, dir string) (policy, settings File) {
	switch info, err := files.Lstat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return Absent(), Absent()
	case err != nil:
		return File{Err: err}, File{Err: err}
	case !info.IsDir():
		err = fmt.Errorf("%s is not a folder", dir)
		return File{Err: err}, File{Err: err}
	}
	return read(files, filepath.Join(dir, "approval-policy.json")), read(files, filepath.Join(dir, "settings.json"))
}

func read(files FS, name string) File {
	info, err := files.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Absent()
	case err != nil:
		return File{Err: err}
	case !info.Mode().IsRegular():
		return File{Err: fmt.Errorf("%s is not a regular file", name)}
	}
	data, err := files.ReadFile(name, MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s vanished", name)
	}
	return File{Data: data, Err: err}
}

// Compare decides. It never looks at a rule's effect or workspace: a rule that
// names either command keeps the rewrite away, whether it would allow or deny
// and wherever it holds.
func Compare(q Question) Answer {
	for _, cmd := range [...]string{q.Original, q.Rewritten} {
		switch {
		case strings.ContainsRune(cmd, '\r'):
			return aside("the command holds a carriage return")
		case strings.ContainsRune(cmd, 0):
			return aside("the command holds a NUL")
		case strings.TrimSpace(cmd) == "":
			return aside("there is no command")
		}
	}
	if q.Mode != "" && q.Mode != "default" {
		return aside("permission mode %q is not measured", q.Mode)
	}
	if why := settingsProblem(q.Settings); why != "" {
		return aside("settings.json: %s", why)
	}
	rules, why := readPolicy(q.Policy, q.ExactRaw)
	switch {
	case why != "":
		return aside("approval-policy.json: %s", why)
	case len(rules) == 0:
		return Answer{Outcome: NoRules}
	case q.PowerShell:
		return aside("approval rules are persisted and the command is PowerShell's")
	}
	for _, cmd := range [...]string{q.Original, q.Rewritten} {
		stages, why := split(cmd)
		if why != "" {
			return aside("approval rules are persisted and `%s` %s", cmd, why)
		}
		for i := range rules {
			if rules[i].names(cmd, stages) {
				return aside("an approval rule names `%s`", cmd)
			}
		}
	}
	return Answer{Outcome: Unaffected}
}

func aside(format string, args ...any) Answer {
	return Answer{Outcome: StepAside, Why: fmt.Sprintf(format, args...)}
}

// rule is what of a persisted rule counts: an argv prefix, or a whole command.
type rule struct {
	prefix []string
	exact  string
}

// names reports whether r names a stage of the command, or all of it.
func (r *rule) names(cmd string, stages []stage) bool {
	if r.prefix != nil {
		for i := range stages {
			if isPrefix(r.prefix, stages[i].words) {
				return true
			}
		}
		return false
	}
	want := spaced(r.exact)
	if want == spaced(cmd) {
		return true
	}
	if parts, why := split(r.exact); why == "" && joined(parts) == joined(stages) {
		return true // spelled without spaces around an operator
	}
	for i := range stages {
		if strings.Join(stages[i].words, " ") == want {
			return true
		}
	}
	return false
}

func isPrefix(prefix, words []string) bool {
	// A word that holds blanks is no word of a plain line, but somebody may have
	// meant several.
	if strings.HasPrefix(strings.Join(words, " ")+" ", spaced(strings.Join(prefix, " "))+" ") {
		return true
	}
	if len(prefix) > len(words) {
		return false
	}
	for i, p := range prefix {
		if i == 0 && strings.EqualFold(base(p), base(words[0])) {
			continue
		}
		if p != words[i] {
			return false
		}
	}
	return true
}

// base is the plain name of a program.
func base(word string) string {
	if i := strings.LastIndexAny(word, `/\`); i >= 0 {
		word = word[i+1:]
	}
	if n := len(word) - len(".exe"); n > 0 && strings.EqualFold(word[n:], ".exe") {
		word = word[:n]
	}
	return word
}

// spaced is a command with every run of white space as one blank.
func spaced(cmd string) string { return strings.Join(strings.Fields(cmd), " ") }

func joined(stages []stage) string {
	var b strings.Builder
	for _, s := range stages {
		b.WriteString(strings.Join(s.words, " "))
		b.WriteString(" " + s.op + " ")
	}
	return b.String()
}
