package policy

import (
	"context"
	"strings"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Settings are what the guards are told of this machine and configuration. The
// zero value guards with the built-in rules alone.
type Settings struct {
	Home      string
	StateHome string
	Binaries  []string        // our registered binary, what it links to, others on PATH
	LiveFiles []hook.LiveFile // the configuration that a host reads for this directory and user
	TempDirs  []string        // $TMPDIR and its kin, beside the well-known ones
	Protect   []string        // globs relative to the root whose writing asks
	Branches  []string        // patterns of branches that others build on, beside the usual names
	Packs     []string        // optional packs that are on
	Allow     []Allow         // trusted exceptions

	// OwnEntry reports whether a JSON value in a host's configuration is a
	// handler of ours. nil = every object whose command or args name guardrails
	// and hook.
	OwnEntry func(json []byte) bool

	// Permit says how a human may permit the call with this code, e.g. "run
	// `guardrails allow once 1a2b3c4d` in a terminal". nil = not offered.
	Permit func(code string) string

	// Permitted reports whether a human has permitted what a rule is about to
	// stop: a rule or gate that is off, or the call with this code, whose grant
	// is then used up. It is asked only for what would be stopped, and never
	// about self-protection. nil = nothing is.
	Permitted func(gate, rule, code string) bool
}

// Allow is one trusted exception from a rule.
type Allow struct {
	Rule   string // id, or pack/*
	When   string // parsed words; * = one word, trailing ** = the rest; "" = any
	Reason string
}

// Gates returns the always-on guards in order.
func Gates(s Settings) []*gate.Gate {
	st := &s
	on := []hook.EventName{hook.PreToolUse, hook.PreSkillShellCommand}
	return []*gate.Gate{
		{
			ID:       "self",
			Doc:      "the guarded agent cannot switch its guard off: our files, the hosts' live hook settings, our binary and the human's verbs",
			On:       on,
			Strength: gate.Enforce,
			Posture:  gate.FailClosed,
			Wants:    wantsTool,
			Run:      func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) { return run(ctx, st, p, "self") },
		},
		{
			ID:       "shell",
			Doc:      "shell commands that destroy, leak, disarm or run what was fetched",
			On:       on,
			Strength: gate.Enforce,
			Posture:  gate.FailClosed,
			Wants:    wantsShell,
			Run:      func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) { return run(ctx, st, p, "shell") },
		},
		{
			ID:       "files",
			Doc:      "file tools that read secrets out or overwrite them",
			On:       on,
			Strength: gate.Enforce,
			Posture:  gate.FailClosed,
			Wants:    wantsTool,
			Run:      func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) { return run(ctx, st, p, "files") },
		},
	}
}

func wantsTool(e *hook.Event) bool { return e.Tool != nil }

// wantsShell is for everything that can carry a command line: shells, and
// tools that we do not know.
func wantsShell(e *hook.Event) bool {
	if e.Tool == nil {
		return false
	}
	switch e.Tool.Kind {
	case hook.Shell, hook.MCP, hook.Other:
		return true
	}
	return e.Name == hook.PreSkillShellCommand
}

func run(ctx context.Context, s *Settings, p *gate.Pass, gateID string) (hook.Verdict, error) {
	j := newJudge(ctx, s, p)
	switch gateID {
	case "self":
		j.commands(p, func(t int) bool { return t == 0 })
		j.selfFiles()
	case "shell":
		j.commands(p, func(t int) bool { return t != 0 })
	case "files":
		j.files()
	}
	if err := ctx.Err(); err != nil {
		return hook.Verdict{}, err
	}
	return j.verdict(gateID), nil
}

// judge is one gate's work on one event.
type judge struct {
	*place
	ctx   context.Context
	set   *Settings
	ev    *hook.Event
	line  *shellcmd.Line
	cur   facts        // of the command being judged
	rule  *Rule        // being checked
	flow  *flow        // of the whole line, made on first use
	words []shellToken // of the whole line, made on first use
	depth int
	heads heads // what the line checks out

	found      []finding
	knownPaths []string // memo of known
}

// finding is a rule that fired.
type finding struct {
	rule *Rule
	match
	call string   // the call as parsed, for the message
	argv []string // for Code and Allow
}

func newJudge(ctx context.Context, s *Settings, p *gate.Pass) *judge {
	home := p.Env.Home
	if home == "" {
		home = s.Home
	}
	state := p.Env.StateHome
	if state == "" {
		state = s.StateHome
	}
	return &judge{
		place: newPlace(p.Env.FS, home, p.Event.Root, p.Event.Cwd, state, s.TempDirs),
		ctx:   ctx, set: s, ev: p.Event, line: nil,
	}
}

// packOn reports whether a pack is in force.
func (s *Settings) packOn(pack string) bool {
	if !optional(pack) {
		return true
	}
	for _, p := range s.Packs {
		if p == pack || p == "all" {
			return true
		}
	}
	return false
}

// add records that rule fired, unless a trusted exception covers the call.
func (j *judge) add(r *Rule, m match, call string, argv []string) {
	if r.Pack() != packSelf && j.allowed(r.ID, argv) {
		return
	}
	for i := range j.found {
		if j.found[i].rule == r {
			return
		}
	}
	j.found = append(j.found, finding{rule: r, match: m, call: call, argv: argv})
}

func (j *judge) allowed(id string, argv []string) bool {
	for i := range j.set.Allow {
		a := &j.set.Allow[i]
		if a.Rule != id {
			pack, ok := strings.CutSuffix(a.Rule, "/*")
			if !ok || !strings.HasPrefix(id, pack+"/") {
				continue
			}
		}
		if a.When == "" || matchWords(a.When, argv) {
			return true
		}
	}
	return false
}

// matchWords reports whether argv fits the words of pattern: * stands for one
// word, a trailing ** for any rest.
func matchWords(pattern string, argv []string) bool {
	for _, a := range argv {
		if strings.Contains(a, shellcmd.Unknown) {
			return false
		}
	}
	l := shellcmd.Parse(pattern, shellcmd.Options{})
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
		case !w.Static || w.Text != argv[i]:
			return false
		}
	}
	return len(words) == len(argv)
}
