// Package installer puts our entries into a host's configuration, looks at them
// and takes them out again. One plan, made without side effects, is what
// --dry-run prints and what Apply does.
//
// It owns the receipt, the backups, the installed copy of the binary and the
// generated bundles; what an entry says comes from the host's adapter. It may
// import adapters, templates, core/hook, core/fsx, core/config, core/proc and
// jsonedit; never the engine or a gate.
package installer

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/proc"
)

// Env is the machine as the installer may see and change it.
type Env struct {
	Home      string // the user's home
	StateHome string // ours
	Dir       string // working directory
	Self      string // the program that entries start
	Full      string // the one beside it with every verb; "" = Self is all there is
	Version   string // of the running binary
	Getenv    func(string) string
	Now       func() time.Time

	// Environ is the whole environment, for the host's own program.
	Environ []string
	// Run starts a process and waits for it; nil = proc.Run.
	Run func(context.Context, proc.Cmd) (proc.Result, error)
	// LastFired says when the installed hook last answered a host; nil or the
	// zero time if that is not known. An error says that the log is unreadable.
	LastFired func(host string) (time.Time, error)

	Disk    Disk   // nil = the real one
	Managed string // the host's folder of the organisation's settings; "" = its default
}

// Scope says for whom an entry stands. The zero value is Personal.
type Scope int

// Scopes.
const (
	Personal Scope = iota // this person, this project
	Shared                // everybody who works on this project
	User                  // this person, every project
)

func (s Scope) String() string {
	switch s {
	case Shared:
		return "shared"
	case User:
		return "user"
	default:
		return "personal"
	}
}

// Route says through what a host learns of us. The zero value is Settings.
type Route int

// Routes.
const (
	Settings Route = iota // entries in the host's settings file
	Plugin                // a bundle that the host loads
)

func (r Route) String() string {
	if r == Plugin {
		return "plugin"
	}
	return "settings"
}

// Request is one install or uninstall of one host.
type Request struct {
	Host      string
	Scope     Scope
	Route     Route
	AnyRoute  bool   // no route was named: install takes the host's usual one, uninstall whatever is found
	Dir       string // the project, absolute; unused for User
	ConfigDir string // the host's configuration folder, absolute; "" = its default
	Force     bool   // replace a newer build; remove files that were edited
	Purge     bool   // uninstall: state, log and backups too

	// Starter is the text of a new configuration file of the project, "" = none.
	// Trust is called with its path once it is written.
	Starter string
	Trust   func(path string) error
}

// Outcome is how a run ended. The zero value is Failed.
type Outcome int

// Outcomes.
const (
	Failed    Outcome = iota
	Installed         // everything asked for is there and was proved
	Already           // it was there before, and was proved again
	Partial           // something was skipped, or is left to the human
	Removed           // everything of ours is gone
	Absent            // nothing of ours was there
	Planned           // a dry run: nothing was done
)

func (o Outcome) String() string {
	switch o {
	case Installed:
		return "installed"
	case Already:
		return "already installed"
	case Partial:
		return "PARTIAL"
	case Removed:
		return "removed"
	case Absent:
		return "not installed"
	case Planned:
		return "dry run"
	default:
		return "FAILED"
	}
}

// Line is one result for people and for --json: what happened to what.
type Line struct {
	Action string `json:"action"` // create, update, keep, remove, run, prove, undo, print, note, warn
	Path   string `json:"path,omitempty"`
	Text   string `json:"text,omitempty"`
}

func (l Line) String() string {
	switch {
	case l.Path == "":
		return fmt.Sprintf("  %-7s %s", l.Action, l.Text)
	case l.Text == "":
		return fmt.Sprintf("  %-7s %s", l.Action, l.Path)
	default:
		return fmt.Sprintf("  %-7s %s: %s", l.Action, l.Path, l.Text)
	}
}

// Report is what a run did, or would do.
type Report struct {
	Host    string
	Scope   Scope
	Route   Route
	Outcome Outcome
	Lines   []Line
}

func (r *Report) add(action, path, format string, args ...any) {
	r.Lines = append(r.Lines, Line{action, path, fmt.Sprintf(format, args...)})
}

// Installer runs requests against one machine.
type Installer struct {
	env  Env
	disk Disk
}

// New returns an installer for the machine.
func New(env Env) *Installer {
	i := &Installer{env: env, disk: env.Disk}
	if i.disk == nil {
		i.disk = OSDisk{}
	}
	if i.env.Run == nil {
		i.env.Run = proc.Run
	}
	if i.env.Now == nil {
		i.env.Now = time.Now
	}
	return i
}

// binName is the name of our binary file.
func binName() string {
	if runtime.GOOS == "windows" {
		return "guardrails.exe"
	}
	return "guardrails"
}

func fullName() string {
	if runtime.GOOS == "windows" {
		return "guardrails-full.exe"
	}
	return "guardrails-full"
}

// Binary returns the path of the installed binary, which every entry names.
func (i *Installer) Binary() string { return filepath.Join(i.env.StateHome, "bin", binName()) }

// FullBinary is where the full program stands, beside Binary.
func (i *Installer) FullBinary() string { return filepath.Join(i.env.StateHome, "bin", fullName()) }

// moved returns the arguments that name a state home other than the default.
func (i *Installer) moved() []string {
	if i.env.StateHome == filepath.Join(i.env.Home, ".guardrails") {
		return nil
	}
	return []string{"--home", slash(i.env.StateHome)}
}

// slash writes a path as it goes into a host's file: Git Bash eats backslashes.
func slash(path string) string {
	if runtime.GOOS == "windows" {
		return strings.ReplaceAll(path, `\`, "/")
	}
	return path
}

// Refusal is an error before anything was written: the machine is as it was.
type Refusal struct {
	Path string
	Err  error
}

func (e *Refusal) Error() string {
	if e.Path == "" {
		return e.Err.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

func (e *Refusal) Unwrap() error { return e.Err }

func refuse(path, format string, args ...any) error {
	return &Refusal{path, fmt.Errorf(format, args...)}
}
