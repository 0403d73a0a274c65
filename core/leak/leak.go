// Package leak keeps secrets out of what an agent writes and runs: files and
// patches, arguments, heredocs and here-strings of shell commands, and what is
// handed to other tools. Where a secret belongs, a secret file that git
// ignores, it passes.
//
// It stands beside core/policy, which guards files that hold secrets, because
// it alone looks into contents; the finding itself is core/scan/secrets'. It
// must not import other gates, the engine or the configuration.
package leak

import (
	"context"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/scan/secrets"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Pack is the part before the slash of this gate's rules: secrets/github-pat.
const Pack = "secrets"

// Settings are what the gate is told of this machine and configuration. The
// zero value guards by the built-in rules and offers no way round.
type Settings struct {
	Home  string
	Allow []Allow // trusted exceptions

	// Code names a call under a rule for a human's permission. nil = none can be
	// given.
	Code func(rule string, argv []string, root string) string

	// Permit says how a human may permit the call with this code. nil = not
	// offered.
	Permit func(code string) string

	// Permitted reports whether a human has permitted what a rule is about to
	// stop. It is asked only for what would be stopped. nil = nothing is.
	Permitted func(gate, rule, code string) bool
}

// Allow is one trusted exception.
type Allow struct {
	Rule string // id, or secrets/*

	// When is a command's words, * for one and a trailing ** for any rest; or
	// "write PATH", where PATH is a glob below the project root; "" = any.
	When   string
	Reason string
}

// New returns the gate.
func New(s Settings) *gate.Gate {
	st := &s
	return &gate.Gate{
		ID:       "secrets",
		Doc:      "secrets in what is written or run: keys, tokens and passwords, by their shape or by what they are given to",
		On:       []hook.EventName{hook.PreToolUse, hook.PreSkillShellCommand},
		Strength: gate.Enforce,
		Posture:  gate.FailClosed,
		Wants:    wants,
		Run:      func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) { return run(ctx, st, p) },
	}
}

// shortest is the length below which no call's input holds a secret.
const shortest = 24

func wants(e *hook.Event) bool {
	if e.Tool == nil || len(e.Tool.Input) < shortest {
		return false
	}
	switch e.Tool.Kind {
	case hook.Write, hook.Edit, hook.Shell, hook.MCP, hook.Other, hook.Fetch:
		return true
	}
	return e.Name == hook.PreSkillShellCommand
}

func run(ctx context.Context, s *Settings, p *gate.Pass) (hook.Verdict, error) {
	home := p.Env.Home
	if home == "" {
		home = s.Home
	}
	j := &judge{ctx: ctx, set: s, ev: p.Event, disk: disk{fs: p.Env.FS, home: slash(home)}, cwd: slash(p.Event.Cwd), root: slash(p.Event.Root)}
	if err := j.call(p); err != nil {
		return hook.Verdict{}, err
	}
	return j.verdict(), nil
}

// judge is the work on one call.
type judge struct {
	disk
	ctx  context.Context
	set  *Settings
	ev   *hook.Event
	cwd  string
	root string

	found []leak
	cut   []string // what was too long to be looked at whole
}

// leak is a secret, or several under one rule, in one place.
type leak struct {
	rule     string // with its pack
	decision hook.Decision
	kind     kind
	name     string   // of the file, program or tool
	what     string   // the first secret, redacted
	line     int      // 0 = of no use
	more     int      // further ones
	argv     []string // for Allow
	prints   []string // fingerprints
	doubtful bool     // a word in it says that it is none
}

// kind says where a secret would be.
type kind int

const (
	inFile kind = iota + 1
	inCommand
	inCall // of a tool that is neither
)

func (j *judge) call(p *gate.Pass) error {
	t := j.ev.Tool
	edits := t.Edits()
	for i := range edits {
		if err := j.edit(&edits[i], edits); err != nil {
			return err
		}
	}
	switch {
	case t.Kind == hook.Shell || j.ev.Name == hook.PreSkillShellCommand:
		l := p.Commands()
		if l == nil {
			return j.strings(hook.Deny)
		}
		if len(edits) > 0 && strings.Contains(l.Source, "*** Begin Patch") {
			return nil // the patch is all that it writes, and was judged
		}
		return j.line(l)
	case len(edits) == 0 && t.Kind != hook.Write && t.Kind != hook.Edit:
		return j.strings(hook.Ask)
	}
	return nil
}

// scan looks at a text, cut to what the scanner takes; name is for people.
func (j *judge) scan(text, path, name string) ([]secrets.Finding, error) {
	if len(text) > secrets.MaxText {
		j.cut = append(j.cut, name)
	}
	return secrets.Scan(j.ctx, text, secrets.Options{Path: path})
}

// strings judges what a tool that we do not know, or that writes no file, is
// handed: only what is a secret by its own shape.
func (j *judge) strings(d hook.Decision) error {
	t := j.ev.Tool
	text := strings.Join(t.Strings(), "\n")
	found, err := j.scan(text, "", t.Name)
	for _, f := range found {
		if f.Certain {
			j.add(leak{decision: d, kind: inCall, name: t.Name, argv: []string{t.Kind.String(), t.Name}}, f)
		}
	}
	return err
}

// add notes a finding, together with others of its rule in its place.
func (j *judge) add(l leak, f secrets.Finding) {
	l.rule = Pack + "/" + f.Rule
	if l.doubtful = f.Doubtful; l.doubtful && l.decision == hook.Deny {
		l.decision = hook.Ask
	}
	for i := range j.found {
		have := &j.found[i]
		if have.rule != l.rule || have.kind != l.kind || have.decision != l.decision {
			continue
		}
		known := slices.Contains(have.prints, f.Fingerprint)
		switch {
		case known && (l.kind == inCommand || have.name == l.name):
			return // a variable's value, seen where it is set and where it is used
		case have.name == l.name:
			have.more++
			have.prints = append(have.prints, f.Fingerprint)
			return
		}
	}
	if j.allowed(l.rule, l.argv) {
		return
	}
	l.what, l.prints = f.Sample, []string{f.Fingerprint}
	j.found = append(j.found, l)
}

func (j *judge) allowed(rule string, argv []string) bool {
	for i := range j.set.Allow {
		a := &j.set.Allow[i]
		if (a.Rule == rule || a.Rule == Pack+"/*") && (a.When == "" || j.matches(a.When, argv)) {
			return true
		}
	}
	return false
}

// matches reports whether argv fits the words of when.
func (j *judge) matches(when string, argv []string) bool {
	for _, a := range argv {
		if strings.Contains(a, shellcmd.Unknown) {
			return false
		}
	}
	l := shellcmd.Parse(when, shellcmd.Options{})
	if len(l.Commands) != 1 || l.Truncated || len(l.Opaque) > 0 {
		return false
	}
	words := l.Commands[0].Argv
	for i := range words {
		w := &words[i]
		switch {
		case w.Raw == "**" && i == len(words)-1:
			return len(argv) >= i
		case i >= len(argv):
			return false
		case w.Raw == "*":
		case i == 1 && len(words) == 2 && isWrite(argv) && glob(w.Raw, argv[1]):
		case !w.Static || w.Text != argv[i]:
			return false
		}
	}
	return len(words) == len(argv)
}
