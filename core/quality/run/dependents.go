package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/quality"
)

// What depends on a touched package is compiled, not tested: a changed interface
// shows there first. It is a help, within bounds: what it does not finish is no
// failure.
const (
	maxDependents   = 60 // the nearest first
	dependentsLimit = 25 * time.Second
)

// bounded leaves what follows at least two thirds of the time that is left.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := dependentsLimit
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)/3)
	}
	return context.WithTimeout(ctx, limit)
}

// goListed is a package as go list prints it.
type goListed struct {
	Dir, ImportPath                    string
	Imports, TestImports, XTestImports []string
}

// goDependents type-checks the packages of the module, or of the workspace, that
// import touched ones, with their tests, and adds what does not compile to the
// package that broke it.
func (w *Worker) goDependents(ctx context.Context, pl *place, goTool, mod string, pkgs []*pkg, out map[*pkg]*result) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	at := goRoom(mod, pkgs)
	patterns := w.workspace(ctx, pl, goTool, at)
	x, err := w.call(ctx, pl.abs(at), pl.env, append([]string{goTool, "list", "-e", "-json=Dir,ImportPath,Imports,TestImports,XTestImports"}, patterns...)...)
	if err != nil || x.Code != 0 || x.TimedOut || x.Truncated {
		return
	}
	var list []goListed
	for dec := json.NewDecoder(bytes.NewReader(x.Stdout)); ; {
		var l goListed
		if err := dec.Decode(&l); err != nil {
			if !errors.Is(err, io.EOF) {
				return
			}
			break
		}
		list = append(list, l)
	}
	users := map[string][]int{} // by import path
	own := map[string]*pkg{}
	reached := map[int]*pkg{} // by index: the touched package that it depends on
	var queue []int
	for i, l := range list {
		for _, imports := range [...][]string{l.Imports, l.TestImports, l.XTestImports} {
			for _, name := range imports {
				if !slices.Contains(users[name], i) {
					users[name] = append(users[name], i)
				}
			}
		}
		rel := inRoot(pl.root, l.Dir)
		if k := slices.IndexFunc(pkgs, func(p *pkg) bool { return rel != "" && p.dir == rel }); k >= 0 {
			own[l.ImportPath] = pkgs[k]
			reached[i] = pkgs[k]
			queue = append(queue, i)
		}
	}
	var todo []string
	for len(queue) > 0 && len(todo) < maxDependents {
		i := queue[0]
		queue = queue[1:]
		for _, u := range users[list[i].ImportPath] {
			if reached[u] != nil {
				continue
			}
			reached[u] = reached[i]
			queue = append(queue, u)
			if len(todo) < maxDependents && own[list[u].ImportPath] == nil {
				todo = append(todo, list[u].ImportPath)
			}
		}
	}
	if len(todo) == 0 {
		return
	}
	// One cheap analyzer: what counts is that the packages and their tests compile.
	x, err = w.call(ctx, pl.abs(at), pl.env, append([]string{goTool, "vet", "-buildtag"}, todo...)...)
	if err != nil || x.Code == 0 || x.TimedOut || x.Signal != "" {
		return
	}
	for _, f := range w.read(pl, &pkg{dir: at}, quality.Build, "go vet", uncompiled(string(x.Stderr))) {
		to := pkgs[0]
		for i, l := range list {
			if p := reached[i]; p != nil && inRoot(pl.root, l.Dir) == path.Dir(f.File) {
				to = p
			}
		}
		f.Package = to.dir
		out[to].status, out[to].why = failedStep, ""
		out[to].findings = append(out[to].findings, f)
	}
}

// uncompiled keeps of what go vet prints what the compiler says, of a package or
// of one that it needs, and leaves out what an analyzer finds: that comes below a
// second header and without vet's own name.
func uncompiled(text string) string {
	var b strings.Builder
	analyzed := false
	for line := range strings.Lines(strip(text)) {
		switch {
		case strings.HasPrefix(line, "# ["):
			analyzed = true
		case strings.HasPrefix(line, "#"):
			analyzed = false
		case !analyzed || strings.HasPrefix(line, "vet: "):
			b.WriteString(line)
		}
	}
	return b.String()
}

// workspace is every package that may import those of a module: of the module
// itself, or of all modules that a go.work brings together.
func (w *Worker) workspace(ctx context.Context, pl *place, goTool, mod string) []string {
	x, err := w.call(ctx, pl.abs(mod), pl.env, goTool, "list", "-m", "-f", "{{.Dir}}")
	if err != nil || x.Code != 0 {
		return []string{"./..."}
	}
	var out []string
	for dir := range strings.Lines(string(x.Stdout)) {
		if dir = strings.TrimRight(dir, "\r\n"); inRoot(pl.root, dir) != "" {
			out = append(out, filepath.Join(dir, "..."))
		}
	}
	if len(out) < 2 {
		return []string{"./..."}
	}
	return out
}

// inRoot is a folder relative to the root, with links followed; "" if it is not
// below it.
func inRoot(root, dir string) string {
	try := func(root, dir string) string {
		rel, err := filepath.Rel(root, dir)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return ""
		}
		return filepath.ToSlash(rel)
	}
	if rel := try(root, dir); rel != "" {
		return rel
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return ""
	}
	return try(real, dir)
}

// crateDependents checks the crates of the workspace that depend on a touched
// one.
func (w *Worker) crateDependents(ctx context.Context, pl *place, p *pkg, cargo string, r *result) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	x, err := w.call(ctx, pl.abs(p.dir), pl.env, cargo, "metadata", "--format-version=1", "--no-deps", "--offline")
	if err != nil || x.Code != 0 || x.Truncated {
		return
	}
	var meta struct {
		Packages []struct {
			Name         string `json:"name"`
			Version      string `json:"version"`
			Manifest     string `json:"manifest_path"`
			Dependencies []struct {
				Path string `json:"path"`
			} `json:"dependencies"`
		} `json:"packages"`
	}
	if json.Unmarshal(x.Stdout, &meta) != nil {
		return
	}
	reached := map[string]bool{p.dir: true}
	args := []string{cargo, "check", "--all-targets", "--message-format=json", "--keep-going"}
	for again := true; again; {
		again = false
		for _, c := range meta.Packages {
			dir := inRoot(pl.root, filepath.Dir(c.Manifest))
			if dir == "" || reached[dir] || len(reached) > maxDependents {
				continue
			}
			for _, d := range c.Dependencies {
				if d.Path != "" && reached[inRoot(pl.root, d.Path)] {
					reached[dir], again = true, true
					args = append(args, "-p", c.Name+"@"+c.Version)
					break
				}
			}
		}
	}
	if len(reached) == 1 {
		return
	}
	x, err = w.call(ctx, pl.abs(p.dir), pl.env, args...)
	if err != nil || x.Code == 0 || x.TimedOut || x.Signal != "" {
		return
	}
	if found := w.readCargo(pl, p, quality.Build, "cargo check", x.Stdout); len(found) > 0 {
		r.status, r.why = failedStep, ""
		r.findings = append(r.findings, found...)
	}
}
