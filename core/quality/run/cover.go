package run

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/coverage"
	"github.com/ec261362/guardrails/core/quality"
	"github.com/ec261362/guardrails/core/vcs"
)

// coverage judges the changed lines and the ratchet of the packages whose tests
// passed and wrote a report.
func (g *gating) coverage(ctx context.Context, pkgs []*pkg) {
	tested := map[*pkg]*result{}
	for _, d := range g.results {
		if d.k.step == quality.Test {
			tested[d.p] = d.r
		}
	}
	repo, err := g.w.repo(ctx, g.p.Root)
	groups := map[float64][]*pkg{}
	for _, p := range pkgs {
		r := tested[p]
		k := &task{step: quality.Coverage, tool: "coverage"}
		none := func(why string) { g.put(k, p, &result{status: skippedStep, tool: "coverage", why: why}) }
		switch {
		case slices.Contains(p.conf.Skip, quality.Coverage):
		case r == nil:
			if !slices.Contains(p.conf.Skip, quality.Test) && slices.Contains(g.p.OnStop, quality.Test) && len(p.gone) > 0 && g.lost(ctx, repo, p) {
				continue
			}
			none("it has no tests to run")
		case r.status != passedStep:
			none("its tests did not pass")
		case r.why == "no test ran" && (r.report == nil || p.chain != golang || !g.goTests(ctx, p.mod) && !g.hadTests(ctx, repo, p)):
			if !g.lost(ctx, repo, p) {
				none("no test ran")
			}
		case r.report == nil:
			none(r.tool + " measures none here")
		default:
			least := g.p.PatchMin
			if p.conf.PatchMin != nil {
				least = *p.conf.PatchMin
			}
			groups[least] = append(groups[least], p)
		}
	}
	for least, list := range groups {
		if err != nil {
			for _, p := range list {
				g.put(&task{step: quality.Coverage}, p, &result{status: skippedStep, tool: "coverage", why: "the project is not in git"})
			}
			continue
		}
		g.measure(ctx, repo, least, list, tested)
	}
}

// measure judges packages that want the same share of changed lines covered.
func (g *gating) measure(ctx context.Context, repo *vcs.Repo, least float64, pkgs []*pkg, tested map[*pkg]*result) {
	k := &task{step: quality.Coverage, tool: "coverage"}
	fail := func(p *pkg, why string) { g.put(k, p, &result{status: unproven, tool: "coverage", why: why}) }
	var reports []*coverage.Report
	var good []*pkg
	for i, p := range pkgs {
		rep := tested[p].report
		file := filepath.Join(g.here.scratch, "report-"+strconv.Itoa(i)+extension(rep.Format))
		if err := os.WriteFile(file, rep.Data, 0o600); err != nil { //nolint:forbidigo // into a folder of our own
			fail(p, err.Error())
			continue
		}
		base := g.here.abs(rep.Dir)
		if rep.Format == "go" {
			base = ""
		}
		read, err := coverage.ReadFile(file, base)
		if err != nil {
			fail(p, err.Error())
			continue
		}
		if rep.Format != "" {
			read.Made = time.Now() // it is of this very tree
		}
		reports = append(reports, read)
		good = append(good, p)
	}
	if len(good) == 0 {
		return
	}
	touched := map[string]bool{}
	for _, p := range good {
		for _, rel := range p.files {
			if in, ok := repo.Rel(g.here.abs(rel)); ok {
				touched[in] = true
			}
		}
	}
	base := g.r.Base
	if base == "" {
		base, _ = repo.Head(ctx) // "" = everything is new
	}
	res, err := coverage.Measure(ctx, repo, base, reports, coverage.Options{Min: least, Only: func(file string) bool { return touched[file] && source(file) }})
	if err != nil {
		for _, p := range good {
			fail(p, err.Error())
		}
		return
	}
	sub, _ := repo.Rel(g.p.Root)
	g.addPatch(res)
	for _, p := range good {
		r := &result{status: passedStep, tool: "coverage"}
		at := path.Join(sub, p.dir)
		if sub == "" {
			at = p.dir
		}
		r.findings = append(r.findings, g.uncovered(res, sub, p, tested[p].tool, least)...)
		r.findings = append(r.findings, g.lowered(ctx, repo, res, sub, at, p)...)
		if len(r.findings) > 0 {
			r.status = failedStep
		}
		g.put(k, p, r)
	}
}

func extension(format string) string {
	switch format {
	case "go":
		return ".out"
	case "lcov":
		return ".info"
	case "coverage.py":
		return ".json"
	case "jacoco":
		return ".xml"
	}
	return ""
}

func (g *gating) addPatch(res *coverage.Result) {
	if res.Patch == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rep.Patch == nil {
		g.rep.Patch = &quality.PatchCoverage{}
	}
	g.rep.Patch.Covered += res.Patch.Covered
	g.rep.Patch.Coverable += res.Patch.Total
	if g.rep.Patch.Coverable > 0 {
		g.rep.Patch.Pct = math.Round(10000*float64(g.rep.Patch.Covered)/float64(g.rep.Patch.Coverable)) / 100
	}
}

// uncovered are the changed lines of a package that no test ran, if there are
// too many of them.
func (g *gating) uncovered(res *coverage.Result, sub string, p *pkg, tool string, least float64) []quality.Finding {
	if res.Outcome == coverage.Pass {
		return nil
	}
	var out []quality.Finding
	add := func(file string, line int, format string, args ...any) {
		rel, ok := inSub(sub, file)
		if !ok || !slices.Contains(p.files, rel) {
			return
		}
		out = append(out, quality.Finding{Package: p.dir, Step: quality.Coverage, Tool: "coverage", File: rel, Line: line, Message: fmt.Sprintf(format, args...)})
	}
	for _, s := range res.Stale {
		add(s.File, 0, "the coverage report is older than this: %s", s.Why)
	}
	for _, file := range res.Unresolved {
		if rel, ok := inSub(sub, file); ok && (aside(rel) || g.restricted(p) || tool == "node" && !loadable(rel)) {
			continue
		}
		add(file, 0, "no coverage report knows this changed file: no test loads it")
	}
	if gaps := g.gaps(res, sub, least); gaps != nil {
		for file, ranges := range gaps {
			for _, r := range ranges {
				if r.First == r.Last {
					add(file, r.First, "changed line %d is not covered by a test (%s)", r.First, patchText(res, least))
				} else {
					add(file, r.First, "changed lines %d-%d are not covered by a test (%s)", r.First, r.Last, patchText(res, least))
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b quality.Finding) int {
		if a.File != b.File {
			if a.File < b.File {
				return -1
			}
			return 1
		}
		return a.Line - b.Line
	})
	return out
}

// gaps are the changed lines that no test ran, nil if they are few enough. Lines
// of scripts that only name other modules count as run: they are loaded with what
// uses them, or nothing is lost.
func (g *gating) gaps(res *coverage.Result, sub string, least float64) map[string][]vcs.Range {
	if res.Patch == nil || !res.Patch.Below(least) {
		return nil
	}
	counted := *res.Patch
	out := map[string][]vcs.Range{}
	for file, ranges := range res.Uncovered {
		rel, ok := inSub(sub, file)
		if !ok || !isScript(rel) {
			out[file] = ranges
			continue
		}
		lines := strings.Split(g.t.read(rel), "\n")
		for _, r := range ranges {
			bare := true
			for n := r.First; n <= r.Last && n <= len(lines); n++ {
				bare = bare && namesModule(lines[n-1])
			}
			if bare {
				counted.Covered += r.Last - r.First + 1
				continue
			}
			out[file] = append(out[file], r)
		}
	}
	if counted.Covered = min(counted.Covered, counted.Total); !counted.Below(least) {
		return nil
	}
	return out
}

// namesModule reports whether a line of a script brings in or hands on names of
// another module, or says nothing.
func namesModule(line string) bool {
	line = strings.TrimSpace(line)
	switch {
	case line == "", strings.HasPrefix(line, "//"), strings.HasPrefix(line, "import "), strings.HasPrefix(line, "export * from"), strings.HasPrefix(line, "export * as"),
		strings.HasPrefix(line, "export type "):
		return true
	}
	return strings.HasPrefix(line, "export {") && strings.Contains(line, " from ")
}

// loadable reports whether node runs a file as it stands.
func loadable(rel string) bool {
	e := path.Ext(rel)
	return e == ".js" || e == ".mjs" || e == ".cjs"
}

// inSub turns a path from the repository's root into one from the project's.
func inSub(sub, file string) (string, bool) {
	if sub == "" || sub == "." {
		return file, true
	}
	return strings.CutPrefix(file, sub+"/")
}

// goTests reports whether a module has tests at all: where it has none, none are
// asked for.
func (g *gating) goTests(ctx context.Context, mod string) bool {
	found := false
	n := 0
	_ = walk(g.here.abs(mod), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what cannot be read has no test
		case n > maxWalk || ctx.Err() != nil:
			found = true
			return fs.SkipAll
		case d.IsDir() && name != g.here.abs(mod) && (passed(d.Name()) || d.Name() == "vendor" || d.Name() == "testdata"):
			return fs.SkipDir
		case strings.HasSuffix(name, "_test.go"):
			found = true
			return fs.SkipAll
		}
		n++
		return nil
	})
	return found
}

// aside reports whether a source file is one that tests hardly load: if no report
// knows it, nothing is missing.
func aside(rel string) bool {
	base := path.Base(rel)
	for part := range strings.SplitSeq(path.Dir(rel), "/") {
		switch part {
		case "docs", "doc", "examples", "example", "samples", "demo", "demos", "scripts", "script", "bin", "tools", "tool", "hack", "benchmarks", "benchmark", "bench",
			"migrations", "alembic", "stories", "config", "configs", "deploy", "infra", "fixtures", "types", "typings":
			return true
		}
		if strings.HasPrefix(part, ".") && part != "." {
			return true
		}
	}
	switch base {
	case "setup.py", "noxfile.py", "manage.py", "tasks.py", "fabfile.py", "wsgi.py", "asgi.py", "__main__.py", "gulpfile.js", "Gruntfile.js", "build.rs", "build.gradle.kts":
		return true
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	return strings.HasSuffix(stem, ".stories") || strings.HasSuffix(stem, ".config") || strings.HasSuffix(stem, ".d") || strings.HasSuffix(stem, ".types")
}

// restricted reports whether the project itself says which files its coverage is
// about: then one that the report lacks is not meant.
func (g *gating) restricted(p *pkg) bool {
	says := func(text string, words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	for d := p.dir; ; d = path.Dir(d) {
		switch p.chain {
		case python:
			for _, name := range [...]string{"pyproject.toml", "setup.cfg", "tox.ini", ".coveragerc"} {
				text := g.t.read(path.Join(d, name))
				if (name == ".coveragerc" || strings.Contains(text, "coverage")) && says(text, "omit", "source =", "source=", "source_pkgs", "include =", "include=", "--cov") {
					return true
				}
			}
		case javascript:
			list, _ := os.ReadDir(g.t.abs(d))
			for _, e := range list {
				name := e.Name()
				switch stem, _, _ := strings.Cut(strings.TrimPrefix(name, "."), "."); stem {
				case "package", "jest", "vitest", "vite", "c8rc", "nycrc":
				default:
					continue
				}
				if e.IsDir() || strings.HasPrefix(name, "package-lock") {
					continue
				}
				text := g.t.read(path.Join(d, name))
				if says(text, "collectCoverageFrom", "coveragePathIgnorePatterns", "test-coverage-exclude", "test-coverage-include") ||
					strings.Contains(text, "coverage") && says(text, "exclude", "include") || strings.Contains(name, "c8rc") || strings.Contains(name, "nycrc") {
					return true
				}
			}
		}
		if d == "." {
			return false
		}
	}
}

func patchText(res *coverage.Result, least float64) string {
	what := "lines"
	if res.Patch.Total == 1 {
		what = "line"
	}
	return fmt.Sprintf("%d of %d changed %s covered, %s %% wanted", res.Patch.Covered, res.Patch.Total, what, strconv.FormatFloat(least, 'f', -1, 64))
}

// ratchet is what holds the coverage of the repository's packages.
func (w *Worker) ratchet(cache string) *coverage.Ratchet {
	return &coverage.Ratchet{File: filepath.Join(cache, "coverage.json"), Now: w.o.Now}
}

func ratchetKey(chain string) coverage.Key {
	return coverage.Key{Toolchain: chain, OS: runtime.GOOS}
}

// holds tells of a commit whether HEAD has it: a pass on another branch does
// not bind this one.
func (w *Worker) holds(ctx context.Context, repo *vcs.Repo) func(string) bool {
	return func(commit string) bool {
		ok, err := repo.IsAncestor(ctx, commit, "HEAD")
		return err == nil && ok
	}
}

// lowered reports a package that has less coverage than it had, and more lines
// that no test runs: to delete covered code is no loss.
func (g *gating) lowered(ctx context.Context, repo *vcs.Repo, res *coverage.Result, sub, at string, p *pkg) []quality.Finding {
	now := res.Under(at)
	if p.chain == golang {
		now = res.Packages[at]
	}
	if now.Total == 0 {
		return nil
	}
	was, known := g.before(ctx, repo, p)
	c := quality.PackageCoverage{Package: p.dir, Covered: now.Covered, Total: now.Total, Pct: now.Pct(), Before: -1}
	if known {
		c.Before = was.Pct()
	}
	g.mu.Lock()
	g.rep.Coverage = append(g.rep.Coverage, c)
	g.mu.Unlock()
	tolerance := g.p.Tolerance
	if p.conf.Tolerance != nil {
		tolerance = *p.conf.Tolerance
	}
	if !known || len(coverage.Losses(map[string]coverage.Count{p.dir: was}, map[string]coverage.Count{p.dir: now}, tolerance)) == 0 {
		return nil
	}
	f := quality.Finding{Package: p.dir, Step: quality.Coverage, Tool: "ratchet", Message: fmt.Sprintf(
		"coverage of %s fell from %.1f %% to %.1f %% (%.1f points allowed): %d not covered, were %d", p.dir, was.Pct(), now.Pct(), tolerance, now.Total-now.Covered, was.Total-was.Covered)}
	for _, rel := range p.files {
		if r := res.Uncovered[path.Join(sub, rel)]; len(r) > 0 {
			f.File, f.Line = rel, r[0].First
			break
		}
	}
	return []quality.Finding{f}
}

// before is what a package had: at the session's start if that was kept, else
// at the last pass.
func (g *gating) before(ctx context.Context, repo *vcs.Repo, p *pkg) (coverage.Count, bool) {
	if c, ok := g.r.Baseline[p.dir]; ok {
		return coverage.Count{Covered: c.Covered, Total: c.Total}, true
	}
	if g.p.Cache == "" {
		return coverage.Count{}, false
	}
	list, err := g.w.ratchet(g.p.Cache).Baseline(ratchetKey(p.chain), g.w.holds(ctx, repo))
	if err != nil {
		return coverage.Count{}, false
	}
	c, ok := list[p.dir]
	return c, ok
}

// hadTests reports whether a Go package of a module without tests had some: they
// were touched and are gone, or its coverage is known.
func (g *gating) hadTests(ctx context.Context, repo *vcs.Repo, p *pkg) bool {
	if slices.ContainsFunc(p.gone, func(rel string) bool { return strings.HasSuffix(rel, "_test.go") }) {
		return true
	}
	was, known := g.before(ctx, repo, p)
	return known && was.Covered > 0
}

// lost reports a package that had covered lines and of which no test runs any
// more, while some of its sources are there.
func (g *gating) lost(ctx context.Context, repo *vcs.Repo, p *pkg) bool {
	was, known := g.before(ctx, repo, p)
	if !known || was.Covered == 0 || !g.anySource(p.dir) {
		return false
	}
	g.put(&task{step: quality.Coverage, tool: "coverage"}, p, &result{status: failedStep, tool: "coverage", findings: []quality.Finding{{
		Package: p.dir, Step: quality.Coverage, Tool: "ratchet",
		Message: fmt.Sprintf("coverage of %s was %.1f %%, and no test of it runs any more", p.dir, was.Pct()),
	}}})
	return true
}

// anySource reports whether a folder holds a source file that is no test, by its
// name.
func (g *gating) anySource(dir string) bool {
	found := false
	n := 0
	_ = walk(g.here.abs(dir), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what cannot be read is no source
		case n > maxWalk:
			return fs.SkipAll
		case d.IsDir() && name != g.here.abs(dir) && (passed(d.Name()) || d.Name() == "vendor" || d.Name() == "testdata"):
			return fs.SkipDir
		case !d.IsDir() && source(name) && !strings.Contains(strings.ToLower(d.Name()), "test") && !strings.Contains(strings.ToLower(d.Name()), "spec"):
			found = true
			return fs.SkipAll
		}
		n++
		return nil
	})
	return found
}

// raise keeps what a pass reached.
func (g *gating) raise(ctx context.Context) {
	if g.p.Cache == "" || len(g.rep.Coverage) == 0 {
		return
	}
	repo, err := g.w.repo(ctx, g.p.Root)
	if err != nil {
		return
	}
	head, err := repo.Head(ctx)
	if err != nil {
		head = ""
	}
	for _, chain := range [...]string{golang, python, javascript, rust, java, generic} {
		now := map[string]coverage.Count{}
		for _, c := range g.rep.Coverage {
			if slices.ContainsFunc(g.results, func(d done) bool { return d.p.dir == c.Package && d.p.chain == chain }) {
				now[c.Package] = coverage.Count{Covered: c.Covered, Total: c.Total}
			}
		}
		if len(now) > 0 {
			_ = g.w.ratchet(g.p.Cache).Raise(ctx, ratchetKey(chain), head, now, g.w.holds(ctx, repo)) // the next pass raises it
		}
	}
}
