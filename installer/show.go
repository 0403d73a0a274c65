package installer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/installer/jsonedit"
)

// State is what is known of one place where a host may have entries of ours.
// Each word is a fact of its own; none implies another.
type State struct {
	Host  string `json:"host"`
	Scope string `json:"scope"`
	Route string `json:"route"`
	File  string `json:"file"`

	Registered int      `json:"registered"`         // handlers of ours or wrapped, that cover what they should
	Wanted     int      `json:"wanted"`             // handlers that init would register
	Missing    []string `json:"missing,omitempty"`  // events without one
	Runnable   bool     `json:"runnable"`           // every program they name exists and is executable
	Current    bool     `json:"current"`            // they are as this build would write them, and start this build
	Enabled    bool     `json:"enabled"`            // nothing switches hooks off
	Approved   string   `json:"approved,omitempty"` // where the host's user must approve: what the host has on record
	Works      *bool    `json:"works,omitempty"`    // run as the host runs it, it answers as it must; nil = not tried
	Wrapped    int      `json:"wrapped,omitempty"`  // other commands that run guardrails
	Broken     bool     `json:"broken,omitempty"`   // the host is told of us, and what it is told of is not there
	Problems   []string `json:"problems,omitempty"`
	Notes      []string `json:"notes,omitempty"` // to know, no fault

	speech   speech
	commands []registered
}

// registered is a command of ours as it stands in a place.
type registered struct {
	command command
	wiring  hook.Wiring
	dir     string // where the host starts it; "" = in the session's project
}

// installed reports whether anything of ours is there at all.
func (s *State) installed() bool { return s.Registered > 0 }

func (s *State) problem(format string, args ...any) {
	s.Problems = append(s.Problems, fmt.Sprintf(format, args...))
}

func (s *State) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// command adds a command that the place registers, each once.
func (s *State) command(c registered) {
	if !slices.ContainsFunc(s.commands, func(r registered) bool { return r.command.String() == c.command.String() }) {
		s.commands = append(s.commands, c)
	}
}

// Status is every place of one host.
type Status struct {
	Host      string     `json:"host"`
	States    []State    `json:"places"`
	LastFired *time.Time `json:"lastFired"` // nil = not known to have fired
	Problems  []string   `json:"problems,omitempty"`
	Notes     []string   `json:"notes,omitempty"`
}

// Installed reports whether anything of ours is in any place of the host, be it
// only half of it.
func (s *Status) Installed() bool {
	return slices.ContainsFunc(s.States, func(st State) bool { return st.installed() || st.Broken })
}

// Code is the exit code of --show: 0 all good, 2 not installed, 3 partial or
// outdated.
func (s *Status) Code() int {
	if !s.Installed() {
		return 2
	}
	for _, st := range s.States {
		switch {
		case !st.installed() && !st.Broken:
		case st.Registered < st.Wanted, !st.Runnable, !st.Current, !st.Enabled, len(st.Problems) > 0, st.Works != nil && !*st.Works:
			return 3
		}
	}
	if len(s.Problems) > 0 {
		return 3
	}
	return 0
}

// Text is the status for people.
func (s *Status) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", s.Host)
	for n := range s.States {
		st := &s.States[n]
		if !st.installed() && len(st.Problems) == 0 && st.Wrapped == 0 {
			continue
		}
		fmt.Fprintf(&b, "  %s (%s, %s)\n", st.File, st.Scope, st.Route)
		if st.installed() {
			fmt.Fprintf(&b, "    registered  %d of %d%s\n", st.Registered, st.Wanted, suffix(st.Missing))
			fmt.Fprintf(&b, "    runnable    %s\n", yes(st.Runnable))
			fmt.Fprintf(&b, "    current     %s\n", yes(st.Current))
			fmt.Fprintf(&b, "    enabled     %s\n", yes(st.Enabled))
			if st.Approved != "" {
				fmt.Fprintf(&b, "    approved    %s\n", st.Approved)
			}
			if st.Works != nil {
				fmt.Fprintf(&b, "    works       %s\n", yes(*st.Works))
			}
		}
		for _, p := range st.Problems {
			fmt.Fprintf(&b, "    problem     %s\n", p)
		}
		for _, p := range st.Notes {
			fmt.Fprintf(&b, "    note        %s\n", p)
		}
	}
	if !s.Installed() {
		b.WriteString("  not installed; looked at:\n")
		for _, st := range s.States {
			fmt.Fprintf(&b, "    %s (%s, %s)\n", st.File, st.Scope, st.Route)
		}
	}
	for _, p := range s.Problems {
		fmt.Fprintf(&b, "  problem       %s\n", p)
	}
	for _, p := range s.Notes {
		fmt.Fprintf(&b, "  note          %s\n", p)
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

// status is an empty status of a host, with what the log knows.
func (i *Installer) status(host string) *Status {
	s := &Status{Host: host}
	if i.env.LastFired == nil {
		return s
	}
	switch at, err := i.env.LastFired(host); {
	case err != nil:
		s.Problems = append(s.Problems, "the log cannot be read, so nobody can tell when a hook last fired: "+err.Error())
	case !at.IsZero():
		s.LastFired = &at
	}
	return s
}

// places lists where entries of ours stand.
func (s *Status) places() []string {
	var out []string
	for n := range s.States {
		if st := &s.States[n]; st.installed() {
			out = append(out, st.File+" ("+st.Route+")")
		}
	}
	return out
}

func (c claude) show(ctx context.Context, i *Installer, r Request) (*Status, error) {
	s := i.status("claude")
	off := c.switchedOff(i, r)
	s.Problems = append(s.Problems, off...)
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
		if slices.ContainsFunc(s.States, func(st State) bool { return st.File == file }) {
			continue // the project is the home
		}
		st := State{Host: "claude", Scope: scope.String(), Route: Settings.String(), File: file, Enabled: len(off) == 0}
		doc := c.book().lookAt(i, c.reconciler(ctx, i, q), &st, sessionDir(q))
		s.States = append(s.States, st)
		if doc != nil {
			if p, ok := c.lookPlugin(i, q, file, doc); ok {
				p.Enabled = p.Enabled && len(off) == 0
				s.States = append(s.States, p)
			}
		}
	}
	c.addUnregistered(i, r, s)
	if places := s.places(); len(places) > 1 {
		s.Problems = append(s.Problems, fmt.Sprintf("installed in %d places: Claude Code runs each; a call counts once; uninstall all but one: %s", len(places), strings.Join(places, ", ")))
	}
	return s, nil
}

// sessionDir is where a scope's sessions are; "" = anywhere.
func sessionDir(r Request) string {
	if r.Scope == User {
		return ""
	}
	return r.Dir
}

// lookAt fills in the state of a file, and returns it read; nil if there is none
// or it cannot be read. dir is where the host starts its commands.
func (b book) lookAt(i *Installer, rec reconciler, st *State, dir string) *jsonedit.Doc {
	st.Wanted = len(rec.wanted)
	doc, err := b.read(st.File)
	switch {
	case err != nil:
		st.problem("%v", err)
		if data, _, rerr := readFile(st.File); rerr == nil && (mentions(string(data)) || strings.Contains(string(data), `"--agent"`)) {
			st.Broken = true
		}
	case doc != nil:
		b.look(i, rec, doc, st, dir)
	}
	return doc
}

// look fills in the state of a document.
func (b book) look(i *Installer, rec reconciler, doc *jsonedit.Doc, st *State, dir string) {
	rec.newer = nil // looking starts nothing
	found, extra := rec.match(doc)
	st.speech = b.speech
	st.Wanted, st.Current, st.Runnable = len(found), len(extra) == 0, true
	for _, e := range extra {
		st.problem("%s:%s: %s: a surplus handler of ours; init removes it", st.File, e.place, e.event)
	}
	var programs []string
	for _, f := range found {
		event := f.wanted.wiring.Event
		if f.entry == nil || !covers(f.entry.matcher, f.wanted.wiring.Matcher) {
			st.Missing = append(st.Missing, event)
			continue
		}
		st.Registered++
		if f.entry.kind != ours {
			continue
		}
		if !f.current {
			st.Current = false
			st.problem("%s:%s: %s: %s", st.File, f.entry.place, event, f.wanted.says(f.entry.node))
		}
		if !slices.Contains(programs, f.entry.program) {
			programs = append(programs, f.entry.program)
		}
		st.command(registered{b.speech.command(f.entry.node), f.wanted.wiring, dir})
	}
	if st.Registered > 0 && len(st.Missing) > 0 {
		st.problem("%s: no handler of ours for %s; init adds what is missing", st.File, strings.Join(st.Missing, ", "))
	}
	for _, e := range rec.scan(doc) {
		if e.kind == wrapped {
			st.Wrapped++
			st.note("%s:%s: %s: another command that runs guardrails; counted, not tried", st.File, e.place, e.event)
		}
	}
	for _, program := range programs {
		i.lookProgram(program, st)
	}
	fatal, old := b.faults(doc)
	for _, d := range fatal {
		st.problem("%s:%s: %s: because of it %s", st.File, d.place, d.what, b.spoilt)
	}
	for _, d := range old {
		st.problem("%s:%s: %s: %s", st.File, d.place, d.what, b.oldSays)
	}
	if st.Registered == 0 && len(st.Missing) > 0 {
		st.Current, st.Runnable = false, false
	}
}

// lookProgram looks at a program that an entry starts.
func (i *Installer) lookProgram(program string, st *State) {
	path := filepath.FromSlash(program)
	if program == "guardrails" {
		if path = i.lookPath("guardrails"); path == "" {
			st.Runnable = false
			st.problem("the entry runs guardrails from PATH, and PATH has none")
			return
		}
	}
	if why := idle(path); why != "" {
		st.Runnable = false
		st.problem("%s %s; init puts it back", path, why)
		return
	}
	if full := filepath.Join(filepath.Dir(path), fullName()); i.env.Full != "" && path == i.Binary() {
		if why := idle(full); why != "" {
			st.Runnable = false
			st.problem("%s %s; init puts it back", full, why)
			return
		}
		if !sameProgram(full, i.env.Full) {
			st.Current = false
			st.problem("%s is another build than this one; run init with the one that you want", full)
			return
		}
	}
	if !sameProgram(path, i.env.Self) {
		st.Current = false
		st.problem("%s is another build than this one; run init with the one that you want", path)
	}
}

// idle says why a program cannot be started, "" if it can.
func idle(path string) string {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is missing"
	case err != nil:
		return "cannot be looked at: " + unwrapPath(err).Error()
	case !info.Mode().IsRegular():
		return "is not a regular file"
	case !executable(path):
		return fmt.Sprintf("is not executable (mode %04o)", info.Mode().Perm())
	}
	return ""
}

// says tells how a handler of ours is not as wanted.
func (w wanted) says(h jsonedit.Node) string {
	set, drop := w.differs(h)
	var parts []string
	for _, m := range set {
		if have := h.Get(m.Key); have.Kind() == jsonedit.Invalid {
			parts = append(parts, m.Key+" is missing")
		} else {
			parts = append(parts, m.Key+" is "+brief(string(have.Raw())))
		}
	}
	for _, key := range drop {
		parts = append(parts, key+" does not belong there")
	}
	return strings.Join(parts, ", ") + "; init mends it"
}

// brief shortens a value to a part of a line.
func brief(s string) string {
	const most = 80
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
