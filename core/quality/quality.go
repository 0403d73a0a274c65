// Package quality is the project's own gate: format and lint on edit, the
// whole of it when the agent wants to stop, standards and lessons at a
// session's start, one record at its end.
//
// It owns the gates, what they keep in the session, and how a report reads.
// What runs programs is a Worker, handed in by the process that has one
// (core/quality/run): the small process links none of it and hands calls over.
// It must not import other gates, the configuration loader or a host.
package quality

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// RuleStop is the obligation of the gate at a turn's end, RuleEdit the rule of
// what is reported after an edit.
const (
	RuleStop = "quality/stop"
	RuleEdit = "quality/edit"
)

// The gates that judge.
const (
	gateStop = "quality"
	gateEdit = "quality-edit"
)

// What is kept in the session.
const (
	factEdited = "quality:edited" // when a file was last written; of a subagent too
	factPassed = "quality:passed" // the tree that passed last, at the time when the gate began to look
	factRoot   = "quality:root"   // the project that was written to
	factWarned = "quality:warned" // the tree that the human was told of last, in warn mode
	factKnown  = "quality:known"  // mark of the failures that were there before
	factShell  = "quality:shell"  // when a command ran that may have written anything, and since when what it wrote may be its
	factLooked = "quality:looked" // when what such commands wrote was looked for last
	factBase   = "quality:base"   // the commit at the session's start: what patch coverage counts from
	setDirty   = "quality:dirty"  // files that differed from it then
	coverPre   = "coverage:"      // + package: its coverage at the session's start, in percent
	missingPre = "quality:missing:"
	brokenPre  = "quality:broken:"
)

// Step is one part of the gate.
type Step string

// The steps, in the order in which they are reported.
const (
	Format   Step = "format"
	Lint     Step = "lint"
	Build    Step = "build"
	Test     Step = "test"
	Coverage Step = "coverage"
)

// Command is what to run: Argv as it stands, or Shell through the shell. The
// zero value is none.
type Command struct {
	Argv  []string
	Shell string
}

// IsZero reports whether there is no command.
func (c Command) IsZero() bool { return len(c.Argv) == 0 && c.Shell == "" }

// Override is what the project says of one package.
type Override struct {
	Path      string // folder below the root, slashes; or a doublestar pattern of folders
	Toolchain string // "" = detected
	Skip      []Step
	Format    Command
	Lint      Command
	Build     Command
	Test      Command
	Report    string // coverage report, relative to the root
	PatchMin  *float64
	Tolerance *float64
}

// Project is what a Worker needs to know.
type Project struct {
	Root      string // absolute
	Cache     string // folder of what is kept of this repository; need not exist
	OnEdit    []Step
	OnStop    []Step
	Packages  []Override
	PatchMin  float64
	Tolerance float64
}

// A Worker runs the project's tools. It is safe for parallel use.
type Worker interface {
	// Edit formats and lints files that were just written. What it did not finish
	// when ctx ends is not reported.
	Edit(ctx context.Context, p Project, edits []Edit) EditReport
	// Gate judges the packages of the touched files. It always returns a report:
	// what was not done by the end of ctx is not proven.
	Gate(ctx context.Context, p Project, r Request) *Report
	// Profile says what the project is made of. It runs no code of the project.
	Profile(ctx context.Context, p Project) Profile
	// Head returns the commit that is checked out, "" if there is none.
	Head(ctx context.Context, p Project) string
	// Written returns the files that differ from the last commit, or that a commit
	// made here brought in, and that were written in a span of time, relative to the
	// root. It finds none where git is not there, or not done when ctx ends.
	Written(ctx context.Context, p Project, w Span) []string
}

// Span is a time in which files were written, and what was changed before it by
// somebody else.
type Span struct {
	From, To time.Time // a zero To is open
	Dirty    []string  // files whose deletion is not news
}

// Holds reports whether a file's time lies in the span, give or take what clocks
// of file systems differ by.
func (s Span) Holds(at time.Time) bool {
	const slack = 20 * time.Millisecond
	return !at.Before(s.From.Add(-slack)) && (s.To.IsZero() || !at.After(s.To.Add(slack)))
}

// Edit is one file that was written. Paths are relative to the root.
type Edit struct {
	Path   string
	Before string // the content before, if Known
	Known  bool
}

// EditReport is what became of edited files.
type EditReport struct {
	Formatted []Formatted
	Findings  []Finding
	Undone    []string // what was not checked, and why
}

// Formatted is a file whose bytes a formatter changed.
type Formatted struct{ Path, Tool string }

// Request is one run of the gate.
type Request struct {
	Touched  []string          // relative to the root; ignored if All
	All      bool              // every package of the project
	Base     string            // commit that changes count from, "" = HEAD
	Dirty    []string          // files that differed from Base at the session's start and are not the agent's doing
	Baseline map[string]Count  // coverage at the session's start by package; nil = what the cache holds
	Deadline bool              // the hook's time is short: do not begin what is known to take longer
	Progress func(line string) // told what begins and ends; nil = nobody
}

// Count is how many lines, or statements, are covered.
type Count struct{ Covered, Total int }

// Pct is the share in percent, 100 of nothing.
func (c Count) Pct() float64 {
	if c.Total == 0 {
		return 100
	}
	return float64(c.Covered) * 100 / float64(c.Total)
}

// Profile is what a project is made of.
type Profile struct {
	Head      string   // commit, "" = none
	Dirty     []string // files that differ from it, at most 500
	Lines     []string // one per toolchain: what is checked with what
	Missing   []Missing
	Usual     []Usual
	Baseline  map[string]Count // coverage by package
	Toolchain []string
}

// Missing is a tool that the project asks for and the machine does not have.
type Missing struct {
	Tool string `json:"tool"`
	Step Step   `json:"step"`
	For  string `json:"for"` // toolchain or package
}

// Usual is a tool that most projects of a toolchain have, and that is neither
// configured here nor installed.
type Usual struct{ Tool, Instead string }

// Broken is a tool that is there and could not do its work as it is set up: that
// says nothing of the code, and is the human's to mend.
type Broken struct {
	Tool string `json:"tool"`
	Step Step   `json:"step"`
	For  string `json:"for"`
	Why  string `json:"why"`
}

// Settings are the decoded settings of the gates.
type Settings struct {
	On         bool // quality runs: the section stands, is trusted and not paused
	Warn       bool // report to the human instead of blocking
	Project    Project
	Subagents  []string      // agent types whose end is gated
	Stop       time.Duration // what the gate at a turn's end may take of the host's time; 0 = all there is
	Lessons    bool
	Standards  []string // texts, or files below the root
	Record     bool     // write a record at the session's end
	Guardrails string   // the installed command, as a shell takes it
	Worker     Worker   // nil in the small process
	DryRun     bool     // run and write nothing

	// Off reports whether the human switched a gate or rule off for a while; nil =
	// nothing is off.
	Off func(gate, rule string) bool
	// Busy reports whether a command left in the background is worth waiting for;
	// nil = none is.
	Busy func(command string) bool
	// Redact masks secrets and personal data in a text; ok is false if nothing of
	// it may be kept.
	Redact func(text string) (masked string, ok bool)
	// Usage sums up the log's lines of a session since a time, as far as it gets
	// before ctx ends.
	Usage func(ctx context.Context, host, session string, since time.Time) Usage
	// Version is ours.
	Version string
}

// New returns the gates.
func New(s Settings) []*gate.Gate {
	g := &s
	var out []*gate.Gate
	if s.On {
		out = append(out, g.touchGate(), g.editGate(), g.stopGate())
	}
	if s.On || len(s.Standards) > 0 {
		out = append(out, g.startGate())
	}
	if s.On && s.Lessons && s.Redact != nil && s.Project.Cache != "" {
		out = append(out, g.lessonsGate())
	}
	if s.Record && s.Project.Cache != "" {
		out = append(out, g.recordGate())
	}
	return out
}

// errNoWorker fails what insists on a proof and passes the rest, as any failure of
// the tools does.
var errNoWorker = errors.New("guardrails-full, which runs the project's tools, is missing or does not answer: `guardrails doctor` says what is wrong")

// worker returns the worker, or why the gate cannot go on here.
func (s *Settings) worker(p *gate.Pass) (Worker, error) {
	switch {
	case s.DryRun:
		return nil, gate.Skip("a dry run starts none of the project's tools")
	case s.Worker != nil:
		return s.Worker, nil
	case p.Env.Proc == nil || p.Env.HTTP == nil:
		return nil, gate.ErrHandOver
	default:
		return nil, errNoWorker
	}
}

// off reports whether the human switched one of our gates off.
func (s *Settings) off(gate, rule string) bool { return s.Off != nil && s.Off(gate, rule) }

// touchGate notes when something was written: what is newer than the last pass
// is to be judged. What a shell call plainly writes is touched like what a tool
// writes; what it may have written besides is looked for when the turn ends.
func (s *Settings) touchGate() *gate.Gate {
	return &gate.Gate{
		ID:    "quality-touched",
		Doc:   "notes when a file was last written, for the session and for each subagent",
		On:    []hook.EventName{hook.PostToolUse, hook.PostToolUseFailure},
		Tools: writers,
		State: true,
		Wants: func(e *hook.Event) bool {
			return e.Tool != nil && e.Tool.Kind == hook.Shell || e.Name == hook.PostToolUse && edits(e)
		},
		Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
			now, id := p.Env.Now(), p.Event.AgentID
			wrote := edits(p.Event)
			add := func(name string) {
				p.Record(session.Add(session.Touched, name))
				if id != "" {
					p.Record(session.Add(session.Touched, name).For(id))
				}
			}
			for _, name := range throughLinks(p) {
				add(name)
			}
			if p.Event.Tool.Kind == hook.Shell {
				targets, others := shellWrites(p)
				for _, name := range targets {
					wrote = true
					add(name)
				}
				if others {
					p.Record(session.Note(factShell, spanOf(p), now))
				}
			}
			if !wrote {
				return hook.Verdict{}, nil
			}
			p.Record(session.Note(factEdited, "", now))
			if p.Event.Root != "" && RootOf(p.Session) != p.Event.Root {
				p.Record(session.Note(factRoot, p.Event.Root, now))
			}
			renew(p, p.Session, "", now)
			if id != "" {
				p.Record(session.Note(factEdited, "", now).For(id))
				renew(p, p.Session.Agent(id), id, now)
			}
			return hook.Verdict{}, nil
		},
	}
}

// throughLinks are the files that a call wrote and whose name lies below the
// root only behind a link: the recorder of touched files goes by names.
func throughLinks(p *gate.Pass) []string {
	root := p.Event.Root
	if root == "" || !edits(p.Event) {
		return nil
	}
	var out []string
	for _, e := range p.Event.Tool.Edits() {
		for _, name := range [...]string{e.Path, e.NewPath} {
			if name == "" {
				continue
			}
			if !filepath.IsAbs(name) {
				name = filepath.Join(p.Event.Cwd, name)
			}
			if _, plain := relative(root, filepath.Clean(name)); plain {
				continue
			}
			if rel, ok := within(root, name); ok {
				out = append(out, rel)
			}
		}
	}
	return out
}

// openSpan marks a command that goes on after its call.
const openSpan = "+"

// spanOf says since when what a shell call wrote may have been written: since
// the first such call that nobody looked after, at the earliest since this
// session was last heard of before it.
func spanOf(p *gate.Pass) string {
	from := p.Session.UpdatedAt()
	if from.IsZero() {
		from = p.Env.Now()
	}
	open := ""
	if r := p.Event.Tool.Result; r != nil && r.Background {
		open = openSpan
	}
	if unseen(p.Session) {
		if was, _, end := shellSpan(p.Session); !was.IsZero() {
			from = was
			if end.IsZero() {
				open = openSpan
			}
		}
	}
	return from.UTC().Format(time.RFC3339Nano) + open
}

// shellSpan is the time in which commands ran that may have written anything.
func shellSpan(v session.View) (from, last, to time.Time) {
	value, last := v.Fact(factShell)
	text, open := strings.CutSuffix(value, openSpan)
	from, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, last, last
	}
	if open {
		return from, last, time.Time{}
	}
	return from, last, last
}

// unseen reports whether a command ran that may have written anything, and
// nobody looked since.
func unseen(v session.View) bool {
	_, ran := v.Fact(factShell)
	_, looked := v.Fact(factLooked)
	return !ran.IsZero() && ran.After(looked)
}

// renew gives the gate that was released in an earlier turn its attempts back:
// there was a prompt since, and now there is an edit.
func renew(p *gate.Pass, v session.View, agent string, now time.Time) {
	if o, ok := v.Obligation(RuleStop); ok && o.Released() && p.Session.Turn().N > o.ReleasedInTurn {
		p.Record(session.Renew(RuleStop, now).For(agent))
	}
}

var writers = hook.Tools(hook.Write, hook.Edit, hook.MCP, hook.Shell, hook.Other)

// edits reports whether a call wrote files, without I/O.
func edits(e *hook.Event) bool { return e.Tool != nil && len(e.Tool.Edits()) > 0 }

// gated reports whether a subagent's end is judged.
func (s *Settings) gated(e *hook.Event) bool {
	if e.Name != hook.SubagentStop {
		return true
	}
	// Claude Code fires it for internal agents too, without a type (2.1.332, measured).
	return e.AgentType != "" && e.AgentID != "" && slices.Contains(s.Subagents, e.AgentType)
}
