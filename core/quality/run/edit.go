package run

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/quality"
)

// Edit formats and lints files that were just written.
func (w *Worker) Edit(ctx context.Context, p quality.Project, edits []quality.Edit) quality.EditReport {
	var r quality.EditReport
	t := newTree(p)
	pl := &place{root: p.Root}
	edits = w.judged(ctx, t, p, edits)
	formats, lints := slices.Contains(p.OnEdit, quality.Format), slices.Contains(p.OnEdit, quality.Lint)
	if formats {
		for _, e := range edits {
			if done, why := w.formatEdited(ctx, t, pl, e); why != "" {
				r.Undone = append(r.Undone, why)
			} else if done != "" {
				r.Formatted = append(r.Formatted, quality.Formatted{Path: e.Path, Tool: done})
			}
		}
	}
	if lints {
		names := make([]string, len(edits))
		for i, e := range edits {
			names[i] = e.Path
		}
		for _, u := range units(t.packages(names)) {
			found, why := w.lintEdited(ctx, t, pl, store{p.Cache}, u)
			r.Findings = append(r.Findings, found...)
			if why != "" {
				r.Undone = append(r.Undone, why)
			}
		}
	}
	return r
}

// judged leaves out what is nobody's source and what git ignores.
func (w *Worker) judged(ctx context.Context, t *tree, p quality.Project, edits []quality.Edit) []quality.Edit {
	var out []quality.Edit
	var names []string
	for _, e := range edits {
		if st, err := os.Lstat(t.abs(e.Path)); err != nil || !st.Mode().IsRegular() || passed(e.Path) {
			continue
		}
		out = append(out, e)
		names = append(names, t.abs(e.Path))
	}
	if len(out) == 0 {
		return nil
	}
	repo, err := w.repo(ctx, p.Root)
	if err != nil {
		return out
	}
	ignored, err := repo.Ignored(ctx, names)
	if err != nil {
		return out
	}
	return slices.DeleteFunc(out, func(e quality.Edit) bool { return ignored[t.abs(e.Path)] })
}

// formatEdited formats one file if it was clean before the edit, and returns
// the tool if bytes changed.
func (w *Worker) formatEdited(ctx context.Context, t *tree, pl *place, e quality.Edit) (tool, why string) {
	conf, _ := t.override(path.Dir(e.Path))
	if slices.Contains(conf.Skip, quality.Format) {
		return "", ""
	}
	if !conf.Format.IsZero() {
		return w.formatConfigured(ctx, t, pl, e, conf)
	}
	f, ok := w.formatter(t, e.Path)
	if !ok || f.argv == nil {
		return "", ""
	}
	file := pl.abs(e.Path)
	stamp, err := fsx.StampOf(file)
	if err != nil {
		return "", ""
	}
	text, err := os.ReadFile(file)
	if err != nil || len(text) > maxFormat || generated(text) {
		return "", ""
	}
	out, ok, why := w.format(ctx, pl, f, text)
	if why != "" {
		return "", e.Path + ": " + why
	}
	if !ok || bytes.Equal(out, text) || !keepsImports(text, out, path.Ext(e.Path)) {
		return "", ""
	}
	if !w.wasClean(ctx, pl, f, e) {
		return "", ""
	}
	if ctx.Err() != nil {
		return "", e.Path + ": no time left to format"
	}
	if err := fsx.WriteUnchanged(file, out, 0o644, stamp); err != nil {
		return "", e.Path + ": " + err.Error()
	}
	return f.tool, ""
}

// wasClean reports whether a file was formatted before the edit: in the last
// commit if it was there, else by undoing the edit. A new file was.
func (w *Worker) wasClean(ctx context.Context, pl *place, f formatter, e quality.Edit) bool {
	before, known := []byte(e.Before), e.Known
	if repo, err := w.repo(ctx, pl.root); err == nil {
		if old, ok, err := w.committed(ctx, repo, "HEAD", pl.abs(e.Path)); err == nil {
			if !ok {
				return true
			}
			before, known = old, true
		}
	} else if !known {
		return e.Before == "" // written whole, or an edit that cannot be undone
	}
	if !known {
		return false
	}
	out, ok, _ := w.format(ctx, pl, f, before)
	return ok && bytes.Equal(out, before)
}

// formatConfigured runs the project's own formatting command, and undoes it
// where an import is lost.
func (w *Worker) formatConfigured(ctx context.Context, t *tree, pl *place, e quality.Edit, conf quality.Override) (tool, why string) {
	dir, ok := t.folder(conf, path.Dir(e.Path))
	if !ok {
		return "", ""
	}
	file := pl.abs(e.Path)
	text, err := os.ReadFile(file)
	if err != nil {
		return "", ""
	}
	argv := w.shell(conf.Format)
	x, err := w.call(ctx, pl.abs(dir), nil, argv...)
	name := path.Base(argv[0])
	if conf.Format.Shell != "" {
		name = firstWord(conf.Format.Shell)
	}
	if why, _ := told(ctx, name, x, err); why != "" {
		return "", e.Path + ": " + why
	}
	now, err := os.ReadFile(file)
	if err != nil || bytes.Equal(now, text) {
		return "", ""
	}
	if !keepsImports(text, now, path.Ext(e.Path)) {
		if err := fsx.WriteFile(file, text, 0o644); err != nil {
			return "", e.Path + ": cannot put back an import that " + name + " removed: " + err.Error()
		}
		return "", ""
	}
	return name, ""
}

// lintEdited runs the fast lint of packages with edited files.
func (w *Worker) lintEdited(ctx context.Context, t *tree, pl *place, st store, u *unit) (found []quality.Finding, why string) {
	var pkgs []*pkg
	for _, p := range u.pkgs {
		if slices.Contains(p.conf.Skip, quality.Lint) {
			continue
		}
		if !p.conf.Lint.IsZero() {
			k := w.configured(quality.Lint, p, p.conf.Lint)
			for _, r := range k.do(ctx, pl, k.pkgs, nil) {
				found, why = append(found, r.findings...), notYet(r)
			}
			continue
		}
		pkgs = append(pkgs, p)
	}
	for _, k := range w.fastLint(t, u, pkgs) {
		ran, results := st.patient(ctx, k, func() map[*pkg]*result { return k.do(ctx, pl, k.pkgs, nil) })
		if !ran {
			why = k.tool + " took too long last time"
			continue
		}
		for p, r := range results {
			if w := notYet(r); w != "" {
				why = w
			}
			for _, f := range r.findings {
				// Next to be used, or somebody else's: the Stop gate has the last word.
				if !halfway(f) && (compiles(f) || slices.Contains(p.files, f.File)) {
					found = append(found, f)
				}
			}
		}
	}
	found = w.fresh(ctx, pl, found)
	if u.chain == golang && u.mod != "" && len(found) > 0 && !slices.ContainsFunc(found, compiles) {
		found = w.freshGo(ctx, t, pl, u, pkgs, found)
	}
	return found, why
}

// patient runs what an edit waits for, unless it did not finish lately in the time
// that there is: to wait in vain after each edit helps nobody. After some edits it
// is tried again.
func (s store) patient(ctx context.Context, k *task, run func() map[*pkg]*result) (ran bool, out map[*pkg]*result) {
	end, bounded := ctx.Deadline()
	if !bounded || s.dir == "" {
		return true, run()
	}
	const forget = 0.85 // of what it took, each time that it is not run
	at := "edit " + timingKey(k, k.pkgs[0])
	if t := s.timings(); t[at] > time.Until(end).Seconds() {
		t[at] *= forget
		s.keepTimings(t)
		return false, nil
	}
	began := time.Now()
	out = run()
	switch t := s.timings(); {
	case ctx.Err() != nil:
		t[at] = 2 * seconds(time.Since(began))
		s.keepTimings(t)
	case t[at] > 0:
		delete(t, at)
		s.keepTimings(t)
	}
	return true, out
}

// freshGo leaves out what go vet says of the last commit too: the compiler reads
// the edited files as they were.
func (w *Worker) freshGo(ctx context.Context, t *tree, pl *place, u *unit, pkgs []*pkg, found []quality.Finding) []quality.Finding {
	goTool, ok := w.tool(t, u.mod, "go")
	if !ok {
		return found
	}
	repo, err := w.repo(ctx, pl.root)
	if err != nil {
		return found
	}
	dir, drop, err := w.scratch()
	if err != nil {
		return found
	}
	defer drop()
	over := map[string]string{}
	for _, p := range pkgs {
		for i, rel := range p.files {
			text, ok, err := w.committed(ctx, repo, "HEAD", pl.abs(rel))
			if err != nil {
				return found
			}
			file := "" // it was not there
			if ok {
				file = filepath.Join(dir, "before-"+strconv.Itoa(len(over)+i)+".go")
				if os.WriteFile(file, text, 0o600) != nil { //nolint:forbidigo // into a folder of our own
					return found
				}
			}
			over[pl.abs(rel)] = file
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": over})
	if err != nil {
		return found
	}
	name := filepath.Join(dir, "overlay.json")
	if os.WriteFile(name, list, 0o600) != nil { //nolint:forbidigo // into a folder of our own
		return found
	}
	args, _ := goArgs(pl, u.mod, pkgs, false)
	x, err := w.call(ctx, pl.abs(u.mod), nil, append([]string{goTool, "vet", "-overlay=" + name}, args...)...)
	if why, _ := told(ctx, "go vet", x, err); why != "" {
		return found
	}
	// What is said of a stand-in is said of the file.
	text := string(x.Stderr)
	for file, stand := range over {
		if stand != "" {
			text = standIn(filepath.Base(stand)).ReplaceAllLiteralString(text, file)
		}
	}
	fresh, _ := known(found, w.read(pl, &pkg{dir: u.mod}, quality.Lint, "go vet", text))
	return fresh
}

func notYet(r *result) string {
	if r.status == unproven {
		return r.why
	}
	return ""
}

// halfway reports whether a finding is what an edit leaves that the next one
// settles: a name that is brought in and not used yet.
func halfway(f quality.Finding) bool {
	m := f.Message
	for _, s := range [...]string{
		"imported and not used", "declared and not used", "is defined but never used", "imported but unused", "is assigned to but never used",
		"assigned a value but never used", "unused import", "unused variable", "noUnusedImports", "noUnusedVariables",
	} {
		if strings.Contains(m, s) {
			return true
		}
	}
	switch f.Rule {
	case "F401", "F841", "no-unused-vars", "@typescript-eslint/no-unused-vars", "unused_imports", "unused_variables", "unused-imports/no-unused-imports":
		return true
	}
	return strings.HasPrefix(m, "F401 ") || strings.HasPrefix(m, "F841 ")
}

// compiles reports whether a finding keeps the package from compiling.
func compiles(f quality.Finding) bool {
	switch f.Tool {
	case "go vet":
		return strings.Contains(f.Message, "undefined") || strings.Contains(f.Message, "cannot use") || strings.Contains(f.Message, "syntax error") ||
			strings.Contains(f.Message, "redeclared") || strings.Contains(f.Message, "not enough") || strings.Contains(f.Message, "too many") || strings.Contains(f.Message, "has no field or method")
	case "cargo check":
		return true
	}
	return false
}

// fresh leaves out findings that the last commit has too.
func (w *Worker) fresh(ctx context.Context, pl *place, found []quality.Finding) []quality.Finding {
	if len(found) == 0 {
		return nil
	}
	repo, err := w.repo(ctx, pl.root)
	if err != nil {
		return found
	}
	// A line that is as it was committed, and was complained of then, is not this
	// edit's doing. What the tool said then is not known: the line's text stands in.
	return slices.DeleteFunc(found, func(f quality.Finding) bool {
		if f.File == "" || f.Line == 0 || f.Rule == "" || f.Rule == "E999" || f.Rule == "invalid-syntax" {
			return false
		}
		old, ok, err := w.committed(ctx, repo, "HEAD", pl.abs(f.File))
		if err != nil || !ok {
			return false
		}
		now, err := os.ReadFile(pl.abs(f.File))
		if err != nil {
			return false
		}
		line := lineOf(now, f.Line)
		return len(bytes.TrimSpace(line)) > 0 && bytes.Contains(append(append([]byte("\n"), old...), '\n'), append(append([]byte("\n"), line...), '\n'))
	})
}

func lineOf(text []byte, n int) []byte {
	for line := range bytes.Lines(text) {
		if n--; n == 0 {
			return bytes.TrimRight(line, "\r\n")
		}
	}
	return nil
}

// standIn matches a path that ends in a file's name.
func standIn(base string) *regexp.Regexp { return regexp.MustCompile(`\S*` + regexp.QuoteMeta(base)) }
