// Package gate says what a check is: a Gate is data, so that listing,
// documenting and enabling it come free. It also holds the merge rule.
//
// It may import core/hook, core/session and core/shellcmd, nothing else of
// ours.
package gate

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Strength is the most a gate may do. The zero value only records.
type Strength int

// Strengths, weakest first.
const (
	Record Strength = iota
	Suggest
	Enforce
)

// Posture says what a gate's own failure means. The zero value is FailOpen.
type Posture int

// Postures.
const (
	FailOpen   Posture = iota
	FailClosed         // shell, write, edit and MCP calls are refused, and a turn does not end
	FailShut           // so is whatever else the gate was to judge: prompts, results, other calls
)

// Gate is a check that may have an opinion, or a recorder that only writes
// session state.
type Gate struct {
	ID       string
	Doc      string
	On       []hook.EventName
	Tools    hook.ToolSet // zero = any tool, and events without one
	Strength Strength
	Posture  Posture
	State    bool                   // reads or writes session state; skipped with a lapse when there is none
	Budget   int                    // Stop blocks before release; 0 = not a Stop obligation
	Report   bool                   // each of its Stop blocks carries its current report and the attempt's number, not one line after the first
	Wants    func(*hook.Event) bool // cheap pre-test without I/O; nil = always
	Run      func(context.Context, *Pass) (hook.Verdict, error)
}

// Applies reports whether g is for e, and if not, why.
func (g *Gate) Applies(e *hook.Event) (ok bool, why string) {
	on := slices.Contains(g.On, e.Name)
	if !on {
		return false, "not for this event"
	}
	if g.Tools != 0 && (e.Tool == nil || !g.Tools.Has(e.Tool.Kind)) {
		return false, "not for this tool"
	}
	if g.Wants != nil && !g.Wants(e) {
		return false, "does not concern it"
	}
	return true, ""
}

// Pass is all that a gate may touch while it judges one event.
type Pass struct {
	Event   *hook.Event
	Session session.View         // read-only snapshot
	Record  func(session.Change) // replayed later on the then-current state; dropped if the gate fails
	Env     Env

	commands *shellcmd.Line
}

// Commands returns the shell call's command line, parsed on first use and kept
// for the gates that follow. It is nil when the event carries none.
func (p *Pass) Commands() *shellcmd.Line {
	if p.commands == nil && p.Event.Tool != nil {
		src, ok := p.Event.Tool.Command()
		if !ok {
			return nil
		}
		dir := p.Event.Cwd
		if d := p.Event.Tool.WorkDir(); filepath.IsAbs(d) {
			dir = d
		} else if d != "" && dir != "" {
			dir = filepath.Join(dir, d)
		}
		p.commands = shellcmd.Parse(src, shellcmd.Options{Cwd: dir, Home: p.Env.Home, PowerShell: p.Event.Tool.PowerShell()})
	}
	return p.commands
}

// Share lets the engine hand one parsed line from gate to gate.
func (p *Pass) Share(from *Pass) {
	if from != nil {
		p.commands = from.commands
	}
}

// Env is the outside world as a gate may see it. A nil field is not allowed to
// this gate.
type Env struct {
	Now       func() time.Time
	Home      string // the user's home
	StateHome string // ours
	FS        FS
	Getenv    func(string) string

	// Outcome tells how the event's tool call ended where the host does not say
	// so in the event; nil = look at the event's own result.
	Outcome func(*hook.Event) *hook.Result

	// Proc and HTTP are nil in the small process that answers most hook calls. A
	// gate that finds out, after its cheap tests, that it needs one of them
	// returns ErrHandOver: the call is then judged again where they are there.
	Proc Proc
	HTTP HTTP
}

// ErrHandOver is returned by a gate that needs a process or the network where
// its Env has none. Whatever was judged and recorded for this call until then
// is dropped, and a process that has them judges it from the start.
var ErrHandOver = errors.New("needs processes or the network")

// Proc runs programs. Implementations are safe for parallel use.
type Proc interface {
	// Run runs a program to its end, bounded by ctx and c.Timeout. The error says
	// why there is no result: the program is not there (fs.ErrNotExist) or could
	// not start. A program that fails is a result.
	Run(ctx context.Context, c Command) (Exit, error)
	// LookPath returns the file that a bare name stands for, an error that wraps
	// fs.ErrNotExist if there is none.
	LookPath(name string) (string, error)
}

// Command is one run of a program. It sees the environment of its Proc with Env
// added, no terminal, and nothing on its standard input but Stdin.
type Command struct {
	Argv      []string
	Dir       string   // absolute
	Env       []string // KEY=value, added to or replacing what is there
	Stdin     []byte
	MaxOutput int           // bytes of each stream; below 1 = 1 MiB
	NoMore    bool          // a program whose standard output is longer is killed: its Exit is Truncated
	Timeout   time.Duration // 0 = none but the context's
}

// Exit is how a program ended.
type Exit struct {
	Code      int    // -1 if it did not exit by itself
	Signal    string // what killed it, "" = nothing did
	TimedOut  bool   // we killed it because time was up
	Stdout    []byte
	Stderr    []byte
	Truncated bool // a stream was longer than MaxOutput: its middle is left out
	Took      time.Duration
}

// HTTP does one request. The error says why there is no answer; a status of
// any kind is an answer.
type HTTP func(context.Context, Request) (Response, error)

// Request is one HTTP request.
type Request struct {
	Method string // "" = GET
	URL    string
	Header map[string]string
	Body   []byte
}

// Response is the answer to a Request.
type Response struct {
	Status int
	Header map[string]string // names in canonical form
	Body   []byte
}

// FS is read-only access to files by absolute path. Implementations are safe
// for parallel use.
type FS interface {
	Lstat(name string) (fs.FileInfo, error)
	Stat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	// ReadFile fails on files larger than max bytes.
	ReadFile(name string, max int64) ([]byte, error)
}

// ErrSkip is wrapped by errors that mean "this gate did not apply", which is
// neither a pass nor a failure.
var ErrSkip = errors.New("skipped")

type skip string

func (s skip) Error() string   { return string(s) }
func (skip) Is(err error) bool { return err == ErrSkip }

// Skip returns an error by which a gate says that it did not apply, and why.
func Skip(reason string) error { return skip(reason) }
