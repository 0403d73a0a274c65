package installer

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/installer/jsonedit"
)

// State is what is known of one place where a host may have entries of ours.
// Each word is a fact of its own; none implies another.
type State struct {
	Host  string `json:"host"`
	Scope string `json:"scope"`
	Route string `json:"route"`
	File  string `json:"file"`

	Registered int      `json:"registered"`        // handlers of ours or wrapped, that cover what they should
	Wanted     int      `json:"wanted"`            // handlers that init would register
	Missing    []string `json:"missing,omitempty"` // events without one
	Runnable   bool     `json:"runnable"`          // every program they name exists and is executable
	Current    bool     `json:"current"`           // they are as this build would write them, and start this build
	Enabled    bool     `json:"enabled"`           // nothing switches hooks off
	Wrapped    int      `json:"wrapped,omitempty"` // other commands that run guardrails
	Problems   []string `json:"problems,omitempty"`
}

// installed reports whether anything of ours is there at all.
func (s *State) installed() bool { return s.Registered > 0 }

// Status is every place of one host.
type Status struct {
	Host      string     `json:"host"`
	States    []State    `json:"places"`
	LastFired *time.Time `json:"lastFired"` // nil = not known to have fired
	Problems  []string   `json:"problems,omitempty"`
}

// Code is the exit code of --show: 0 all good, 2 not installed, 3 partial or
// outdated.
func (s *Status) Code() int {
	found := false
	for _, st := range s.States {
		if !st.installed() {
			continue
		}
		found = true
		if st.Registered < st.Wanted || !st.Runnable || !st.Current || !st.Enabled || len(st.Problems) > 0 {
			return 3
		}
	}
	if !found {
		return 2
	}
	return 0
}

// Text is the status for people.
func (s *Status) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", s.Host)
	found := false
	for n := range s.States {
		st := &s.States[n]
		if !st.installed() && len(st.Problems) == 0 && st.Wrapped == 0 {
			continue
		}
		found = found || st.installed()
		fmt.Fprintf(&b, "  %s (%s, %s)\n", st.File, st.Scope, st.Route)
		if st.installed() {
			fmt.Fprintf(&b, "    registered  %d of %d%s\n", st.Registered, st.Wanted, suffix(st.Missing))
			fmt.Fprintf(&b, "    runnable    %s\n", yes(st.Runnable))
			fmt.Fprintf(&b, "    current     %s\n", yes(st.Current))
			fmt.Fprintf(&b, "    enabled     %s\n", yes(st.Enabled))
		}
		for _, p := range st.Problems {
			fmt.Fprintf(&b, "    problem     %s\n", p)
		}
	}
	if !found {
		b.WriteString("  not installed; looked at:\n")
		for _, st := range s.States {
			fmt.Fprintf(&b, "    %s (%s, %s)\n", st.File, st.Scope, st.Route)
		}
	}
	for _, p := range s.Problems {
		fmt.Fprintf(&b, "  problem       %s\n", p)
	}
	if s.LastFired != nil {
		fmt.Fprintf(&b, "  last fired    %s\n", s.LastFired.Local().Format("2006-01-02 15:04:05"))
	} else {
		b.WriteString("  last fired    never seen\n")
	}
	return b.String()
}

func yes(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

func suffix(missing []string) string {
	if len(missing) == 0 {
		return ""
	}
	return ", missing: " + strings.Join(missing, ", ")
}

func (c claude) show(ctx context.Context, i *Installer, r Request) (*Status, error) {
	s := &Status{Host: "claude"}
	off := c.switchedOff(i, r)
	s.Problems = append(s.Problems, off...)
	if i.env.LastFired != nil {
		if at := i.env.LastFired("claude"); !at.IsZero() {
			s.LastFired = &at
		}
	}
	for _, scope := range []Scope{Personal, Shared, User} {
		q := r
		q.Scope = scope
		if scope != User && r.Dir == "" {
			continue
		}
		file, err := c.file(i, q)
		if err != nil {
			s.Problems = append(s.Problems, err.Error())
			continue
		}
		st := State{Host: "claude", Scope: scope.String(), Route: Settings.String(), File: file, Enabled: len(off) == 0}
		doc, err := c.read(file)
		switch {
		case err != nil:
			st.Problems = append(st.Problems, err.Error())
		case doc != nil:
			c.look(ctx, i, q, doc, &st)
		default:
			st.Wanted = len(c.wiring())
		}
		s.States = append(s.States, st)
		if doc != nil {
			if p, ok := c.lookPlugin(i, q, file, doc); ok {
				p.Enabled = p.Enabled && len(off) == 0
				s.States = append(s.States, p)
			}
		}
	}
	if n := slices.DeleteFunc(slices.Clone(s.States), func(st State) bool { return !st.installed() }); len(n) > 1 {
		s.Problems = append(s.Problems, fmt.Sprintf("installed in %d places: Claude Code runs each; a call counts once", len(n)))
	}
	return s, nil
}

// look fills in the state of a settings file.
func (c claude) look(ctx context.Context, i *Installer, r Request, doc *jsonedit.Doc, st *State) {
	rec := c.reconciler(ctx, i, r)
	rec.newer = nil // looking starts nothing
	found, extra := rec.match(doc)
	st.Wanted, st.Current, st.Runnable = len(found), len(extra) == 0, true
	programs := map[string]bool{}
	for _, f := range found {
		event := f.wanted.wiring.Event
		if f.entry == nil || !covers(f.entry.matcher, f.wanted.wiring.Matcher) {
			st.Missing = append(st.Missing, event)
			continue
		}
		st.Registered++
		st.Current = st.Current && f.current
		if f.entry.kind == ours {
			programs[f.entry.program] = true
		}
	}
	for _, e := range rec.scan(doc) {
		if e.kind == wrapped {
			st.Wrapped++
		}
	}
	for program := range programs {
		path := program
		if path == "guardrails" {
			if path = i.lookPath("guardrails"); path == "" {
				st.Runnable = false
				st.Problems = append(st.Problems, "guardrails is not on PATH")
				continue
			}
		}
		if !executable(filepath.FromSlash(path)) {
			st.Runnable = false
			st.Problems = append(st.Problems, path+" is missing or not executable")
			continue
		}
		if !sameProgram(filepath.FromSlash(path), i.env.Self) {
			st.Current = false
			st.Problems = append(st.Problems, path+" is another build than this one")
		}
	}
	fatal, old := c.defects(doc)
	for _, d := range fatal {
		st.Problems = append(st.Problems, st.File+":"+d.place+": "+d.what+": Claude Code ignores this whole file because of it")
	}
	for _, d := range old {
		st.Problems = append(st.Problems, st.File+":"+d.place+": "+d.what+": Claude Code before 2.1.332 ignores the whole file because of it")
	}
	slices.Sort(st.Problems)
	if st.Registered == 0 && len(st.Missing) > 0 {
		st.Current, st.Runnable = false, false
	}
}
