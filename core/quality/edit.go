package quality

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// maxEdited is how many files of one call are looked at.
const maxEdited = 20

func (s *Settings) editGate() *gate.Gate {
	return &gate.Gate{
		ID:       gateEdit,
		Doc:      "formats a written file as the project is configured to, then lints its package",
		On:       []hook.EventName{hook.PostToolUse},
		Tools:    writers,
		Strength: gate.Enforce,
		State:    true,
		Wants:    func(e *hook.Event) bool { return len(s.Project.OnEdit) > 0 && edits(e) },
		Run:      s.edited,
	}
}

func (s *Settings) edited(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
	files := written(p)
	if len(files) == 0 {
		return hook.Verdict{}, gate.Skip("no file of this project that still exists")
	}
	if s.off(gateEdit, RuleEdit) {
		return hook.Verdict{}, gate.Skip("switched off by the human")
	}
	w, err := s.worker(p)
	if err != nil {
		return hook.Verdict{}, err
	}
	if _, known := p.Session.Fact(factBase); known.IsZero() {
		// A session whose start was not told begins with its first edit.
		if head := w.Head(ctx, s.Project); head != "" {
			p.Record(session.Note(factBase, head, p.Env.Now()))
		}
	}
	// What is not finished by then is not checked; the Stop gate sees it.
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(time.Until(end)-200*time.Millisecond, time.Until(end)/2))
		defer cancel()
	}
	r := w.Edit(ctx, s.Project, files)
	var v hook.Verdict
	if len(r.Formatted) > 0 {
		var names []string
		for _, f := range r.Formatted {
			names = append(names, f.Path+" ("+f.Tool+")")
		}
		v.Decision = hook.Advise
		v.Context = "guardrails formatted " + strings.Join(names, ", ") + " after your edit: the file's text is not exactly what you wrote. Read it again before an edit that must match."
	}
	if len(r.Findings) > 0 {
		text := "found after this edit (the edit stands):" + shown(r.Findings)
		if s.Warn {
			v.Notice = "guardrails: " + text
		} else {
			v.Decision, v.Rule, v.Reason = hook.Block, RuleEdit, RuleEdit+": "+text
		}
	}
	if v.Decision == hook.Pass && v.Notice == "" && len(r.Undone) > 0 {
		return v, gate.Skip("not checked: " + strings.Join(r.Undone, "; "))
	}
	return v, nil
}

// written lists the files of this project that a call left behind.
func written(p *gate.Pass) []Edit {
	root := p.Event.Root
	if root == "" {
		return nil
	}
	var out []Edit
	seen := map[string]bool{}
	for _, e := range p.Event.Tool.Edits() {
		name := e.Path
		if e.NewPath != "" {
			name = e.NewPath
		}
		if e.Op == hook.Delete || name == "" || len(out) == maxEdited {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Event.Cwd, name)
		}
		rel, ok := within(root, name)
		if !ok || seen[rel] {
			continue
		}
		seen[rel] = true
		w := Edit{Path: rel}
		w.Before, w.Known = before(p, e, name)
		out = append(out, w)
	}
	return out
}

// within returns name relative to root, with slashes. Where one of them goes
// through a link, it is the place behind it that counts.
func within(root, name string) (string, bool) {
	if rel, ok := relative(root, filepath.Clean(name)); ok {
		return rel, true
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", false
	}
	// The file may be gone, and its folder too.
	rest := ""
	for dir := filepath.Clean(name); ; {
		if at, err := filepath.EvalSymlinks(dir); err == nil {
			return relative(real, filepath.Join(at, rest))
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		rest, dir = filepath.Join(filepath.Base(dir), rest), up
	}
}

func relative(root, name string) (string, bool) {
	rel, err := filepath.Rel(root, name)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// maxFile is how large a file may be that is formatted.
const maxFile = 1 << 20

// before undoes a plain replacement, so that what was there is known without
// asking git.
func before(p *gate.Pass, e hook.FileEdit, name string) (string, bool) {
	if p.Env.FS == nil || e.Unclear || e.Op == hook.Create || e.Op == hook.Move || e.All || e.Hunks != nil || e.New == "" {
		return "", false
	}
	data, err := p.Env.FS.ReadFile(name, maxFile)
	if err != nil || strings.Count(string(data), e.New) != 1 {
		return "", false
	}
	return strings.Replace(string(data), e.New, e.Old, 1), true
}

// shown lists the first findings.
func shown(list []Finding) string {
	var b strings.Builder
	for i, f := range list {
		if i == maxShown {
			fmt.Fprintf(&b, "\n… and %d more", len(list)-i)
			break
		}
		b.WriteString("\n" + string(f.Step) + ": " + trim(f.String(), 300))
	}
	return b.String()
}
