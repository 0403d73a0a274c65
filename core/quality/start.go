package quality

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// What a session's start may tell the agent, in bytes.
const (
	maxStandards = 5000
	maxStandard  = 3000
	maxProfile   = 1500
	maxTaught    = 1500
)

// maxSnapshot is how many packages' coverage a session keeps.
const maxSnapshot = 64

func (s *Settings) startGate() *gate.Gate {
	return &gate.Gate{
		ID:       "quality-start",
		Doc:      "starts a fresh gate, and tells the agent the project's tools, standards, baseline and lessons",
		On:       []hook.EventName{hook.SessionStart},
		Strength: gate.Suggest,
		State:    true,
		Run:      s.start,
	}
}

func (s *Settings) start(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
	var v hook.Verdict
	var parts []string
	if s.On {
		w, err := s.worker(p)
		switch {
		case err == nil:
			profile := w.Profile(ctx, s.Project)
			s.fresh(p, profile)
			parts = append(parts, s.describe(profile))
			v.Notice = join(s.missing(p, profile.Missing), s.unusual(profile.Usual))
		case errors.Is(err, gate.ErrHandOver):
			return v, err
		default:
			s.fresh(p, Profile{})
		}
	}
	parts = append(parts, s.standards(p), s.taught())
	parts = slices.DeleteFunc(parts, func(t string) bool { return t == "" })
	if len(parts) == 0 {
		return v, nil
	}
	v.Decision, v.Context = hook.Advise, strings.Join(parts, "\n\n")
	return v, nil
}

// fresh begins anew on startup and clear; resume, compact and fork go on with
// what there is.
func (s *Settings) fresh(p *gate.Pass, profile Profile) {
	now := p.Env.Now()
	_, known := p.Session.Fact(factBase)
	switch p.Event.Source {
	case "startup", "clear":
		p.Record(session.Clear(session.Touched))
		p.Record(session.Clear(setDirty))
		p.Record(session.Meet(RuleStop, now))
		p.Record(session.Note(factPassed, "", now))
		for _, id := range p.Session.Agents() {
			p.Record(session.Clear(session.Touched).For(id))
			p.Record(session.Meet(RuleStop, now).For(id))
			p.Record(session.Note(factPassed, "", now).For(id))
		}
		for _, name := range p.Session.Facts(coverPre) {
			p.Record(session.Note(name, "", now))
		}
	default:
		if !known.IsZero() {
			return
		}
	}
	if profile.Head != "" {
		p.Record(session.Note(factBase, profile.Head, now))
	}
	for _, name := range profile.Dirty {
		p.Record(session.Add(setDirty, name))
	}
	for i, name := range sorted(profile.Baseline) {
		if i == maxSnapshot {
			break
		}
		p.Record(session.Note(coverPre+name, measured(profile.Baseline[name]), now))
	}
}

// toldFile lists, a line each, what the human was told once of a repository.
const toldFile = "told"

// unusual says which usual tools are not there, once for each repository.
func (s *Settings) unusual(list []Usual) string {
	if s.DryRun || s.Project.Cache == "" || len(list) == 0 {
		return ""
	}
	name := filepath.Join(s.Project.Cache, toldFile)
	told, err := fsx.ReadFile(name, 1<<16)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	var texts []string
	lines := string(told)
	for _, u := range list {
		if line := u.Tool + " missing\n"; !strings.Contains(lines, line) {
			lines += line
			texts = append(texts, u.Tool+" missing: "+u.Instead)
		}
	}
	if len(texts) == 0 {
		return ""
	}
	// What cannot be kept is not said: it would be said each time.
	if os.MkdirAll(s.Project.Cache, 0o700) != nil || fsx.Replace(name, []byte(lines), 0o600) != nil {
		return ""
	}
	return "guardrails: " + strings.Join(texts, "; ") + " (said once for this repository)"
}

// describe says what will be checked.
func (s *Settings) describe(profile Profile) string {
	if len(profile.Lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("guardrails checks this project's own quality gate")
	if s.Warn {
		b.WriteString(" (it reports to the human and does not block)")
	}
	b.WriteString(":")
	for _, line := range profile.Lines {
		if b.Len()+len(line) > maxProfile {
			b.WriteString("\n- …")
			break
		}
		b.WriteString("\n- " + line)
	}
	fmt.Fprintf(&b, "\nAfter an edit: %s. Before a turn ends, over the packages you touched: %s. By hand: %s",
		steps(s.Project.OnEdit), steps(s.Project.OnStop), s.command("gate run --changed"))
	if n := len(profile.Baseline); n > 0 {
		b.WriteString("\nCoverage baseline, not to be lowered:")
		for i, name := range sorted(profile.Baseline) {
			if i == 8 {
				fmt.Fprintf(&b, " and %d more", n-i)
				break
			}
			fmt.Fprintf(&b, " %s %s%%", name, percent(profile.Baseline[name].Pct()))
		}
	}
	return b.String()
}

func steps(list []Step) string {
	if len(list) == 0 {
		return "nothing"
	}
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

// standards are the project's own words, from the configuration or from files
// below the root.
func (s *Settings) standards(p *gate.Pass) string {
	var b strings.Builder
	for _, text := range s.Standards {
		if name, ok := standardFile(text); ok && p.Env.FS != nil && p.Event.Root != "" {
			content, found := readWithin(p.Env.FS, p.Event.Root, name)
			switch {
			case found:
				text = "From " + name + ":\n" + content
			case !strings.ContainsAny(text, " \t\n"):
				continue // a file that is not there
			}
		}
		text = trim(text, maxStandard)
		if b.Len()+len(text) > maxStandards {
			b.WriteString("\n… (the rest is in the project)")
			break
		}
		b.WriteString("\n" + text)
	}
	if b.Len() == 0 {
		return ""
	}
	return "This project's standards:" + b.String()
}

// standardFile reports whether a standard can be the name of a file.
func standardFile(text string) (string, bool) {
	return text, text != "" && len(text) <= 512 && !strings.ContainsAny(text, "\n\r\x00")
}

// readWithin reads a file that lies in root, links followed.
func readWithin(files gate.FS, root, name string) (string, bool) {
	file := filepath.Join(root, filepath.FromSlash(name))
	if _, ok := within(root, file); !ok || filepath.IsAbs(name) {
		return "", false
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", false
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", false
	}
	if _, ok := within(realRoot, real); !ok {
		return "", false
	}
	data, err := files.ReadFile(real, 256<<10)
	if err != nil {
		return "", false
	}
	return strings.ToValidUTF8(string(data), "\ufffd"), true
}

// taught are the newest lessons.
func (s *Settings) taught() string {
	if !s.On || !s.Lessons || s.Project.Cache == "" {
		return ""
	}
	list, err := ReadLessons(s.Project.Cache)
	if err != nil || len(list) == 0 {
		return ""
	}
	text := "What the human corrected before in this project:"
	for i, l := range slices.Backward(list) {
		line := "\n- " + l.Text
		if len(text)+len(line) > maxTaught || len(list)-i > 10 {
			break
		}
		text += line
	}
	return text
}

func percent(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// measured is a count as a fact: percent, covered/total.
func measured(c Count) string {
	return percent(c.Pct()) + " " + strconv.Itoa(c.Covered) + "/" + strconv.Itoa(c.Total)
}

func parseMeasured(s string) (c Count, ok bool) {
	_, counts, _ := strings.Cut(s, " ")
	covered, total, _ := strings.Cut(counts, "/")
	var err1, err2 error
	c.Covered, err1 = strconv.Atoi(covered)
	c.Total, err2 = strconv.Atoi(total)
	return c, err1 == nil && err2 == nil
}

func sorted(m map[string]Count) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
