package run

import (
	"context"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ec261362/guardrails/core/quality"
)

// Gate judges the packages of the touched files, or all.
func (w *Worker) Gate(ctx context.Context, p quality.Project, r Request) *quality.Report {
	began := time.Now()
	g := &gating{w: w, p: p, r: r, t: newTree(p), store: store{p.Cache}, rep: &quality.Report{Packages: []string{}, Steps: []quality.StepResult{}, Findings: []quality.Finding{}}}
	g.run(ctx)
	g.rep.Took = time.Since(began)
	g.rep.Word = g.rep.Outcome.String()
	return g.rep
}

// gating is one run of the gate.
type gating struct {
	w     *Worker
	p     quality.Project
	r     Request
	t     *tree
	store store
	rep   *quality.Report

	here    *place
	tree    string
	pkgs    []*pkg
	drops   []func()
	timings timings

	mu      sync.Mutex
	results []done
}

// done is a step's result in a package.
type done struct {
	k   *task
	p   *pkg
	r   *result
	raw result // before it was compared with what was known
}

func (g *gating) run(ctx context.Context) {
	pkgs := g.packages(ctx)
	g.pkgs = pkgs
	for _, p := range pkgs {
		if !slices.Contains(g.rep.Packages, p.name()) {
			g.rep.Packages = append(g.rep.Packages, p.name())
		}
	}
	if len(pkgs) == 0 {
		g.rep.Outcome = quality.Passed
		return
	}
	unlock, err := g.w.lock(ctx, g.p.Cache, g.p.Root)
	if err != nil {
		g.rep.Why = err.Error()
		return
	}
	defer unlock()
	scratch, drop, err := g.w.scratch()
	if err != nil {
		g.rep.Why = err.Error()
		return
	}
	defer drop()
	defer func() {
		for _, drop := range g.drops {
			drop()
		}
	}()
	g.here = &place{root: g.p.Root, scratch: scratch}
	g.tree = g.digest(ctx)
	g.rep.Tree = g.tree
	g.timings = g.store.timings()

	list := units(pkgs)
	plans := make([][]*task, len(list))
	for i, u := range list {
		plans[i] = g.w.plan(g.t, u, g.p.OnStop)
	}
	if g.tooLong(ctx, plans) {
		return
	}
	started := time.Now()
	slots := make(chan struct{}, g.w.o.CPUs)
	var wait sync.WaitGroup
	for _, tasks := range plans {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			g.unit(ctx, tasks)
		})
	}
	wait.Wait()
	g.again(ctx)
	g.compare(ctx)
	g.keep(ctx, started)
	if slices.Contains(g.p.OnStop, quality.Coverage) {
		g.coverage(ctx, pkgs)
	}
	g.conclude(ctx)
}

// packages are the packages to judge. What git ignores is nobody's package.
func (g *gating) packages(ctx context.Context) []*pkg {
	if g.r.All {
		return g.t.all(ctx)
	}
	touched := g.r.Touched
	if repo, err := g.w.repo(ctx, g.p.Root); err == nil {
		abs := make([]string, 0, len(touched))
		for _, rel := range touched {
			if !filepath.IsAbs(rel) {
				abs = append(abs, g.t.abs(rel))
			}
		}
		if ignored, err := repo.Ignored(ctx, abs); err == nil && len(ignored) > 0 {
			touched = slices.DeleteFunc(slices.Clone(touched), func(rel string) bool { return ignored[g.t.abs(rel)] })
		}
	}
	return g.t.packages(touched)
}

// tooLong reports whether the steps took longer last time than there is time.
func (g *gating) tooLong(ctx context.Context, plans [][]*task) bool {
	end, ok := ctx.Deadline()
	if !g.r.Deadline || !ok {
		return false
	}
	all, longest := 0.0, 0.0
	for _, tasks := range plans {
		one := 0.0
		for _, k := range tasks {
			most := 0.0
			for _, p := range k.pkgs {
				if _, had := g.cached(k, p); !had {
					most = max(most, g.timings[timingKey(k, p)])
				}
			}
			one += most
		}
		all += one
		longest = max(longest, one)
	}
	need := max(longest, all/float64(g.w.o.CPUs))
	left := time.Until(end).Seconds()
	if need <= left {
		return false
	}
	g.rep.TooLong = true
	g.rep.Why = fmt.Sprintf("it took %.0f s or more last time, and the hook has %.0f s, so it was not started", math.Ceil(need), left)
	return true
}

// cached returns what is known of a step on this very tree. By hand only what
// passed counts: what failed may have failed for a reason outside of the tree.
func (g *gating) cached(k *task, p *pkg) (*result, bool) {
	if g.tree == "" || k.lacks != "" {
		return nil, false
	}
	r, ok := g.store.get(key(g.tree, p, k))
	if !ok || !g.r.Deadline && r.status != passedStep {
		return nil, false
	}
	return r, true
}

func (g *gating) put(k *task, p *pkg, r *result) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.results = append(g.results, done{k, p, r, *r})
}

// unit runs the steps of a unit in order. What does not build is not tested.
func (g *gating) unit(ctx context.Context, tasks []*task) {
	broken := map[*pkg]bool{}
	for _, k := range tasks {
		var todo []*pkg
		for _, p := range k.pkgs {
			switch r, had := g.cached(k, p); {
			case k.lacks != "":
				g.put(k, p, &result{status: skippedStep, tool: k.tool, why: k.lacks + " is not installed", missing: true})
			case had:
				broken[p] = broken[p] || breaks(k, p, r)
				g.put(k, p, r)
			case k.step == quality.Test && broken[p]:
				g.put(k, p, &result{status: skippedStep, tool: k.tool, why: "it does not build"})
			default:
				todo = append(todo, p)
			}
		}
		if len(todo) == 0 {
			continue
		}
		g.say("%s: %s", k.step, names(todo))
		began := time.Now()
		out := g.do(ctx, k, g.here, todo, nil)
		took := time.Since(began)
		for _, p := range todo {
			r := out[p]
			if r == nil {
				r = &result{tool: k.tool, why: k.tool + " said nothing of " + p.dir}
			}
			r.took = took
			broken[p] = broken[p] || breaks(k, p, r)
			g.put(k, p, r)
			g.mu.Lock()
			switch at := timingKey(k, p); r.status {
			case unproven: // cut off: it needs more than it had
				g.timings[at] = max(g.timings[at], 1.5*seconds(took))
			case failedStep: // perhaps not all of it ran
				g.timings[at] = max(g.timings[at], seconds(took))
			default:
				g.timings[at] = seconds(took)
			}
			g.mu.Unlock()
		}
	}
}

// breaks reports whether a package cannot be tested, since it does not compile
// itself. What type checkers say of scripts keeps no test from running.
func breaks(k *task, p *pkg, r *result) bool {
	if k.step != quality.Build || r.status != failedStep || p.chain == javascript || p.chain == python {
		return false
	}
	return slices.ContainsFunc(r.findings, func(f quality.Finding) bool {
		return f.File == "" || p.dir == "." && p.chain != golang || path.Dir(f.File) == p.dir || p.chain != golang && strings.HasPrefix(f.File, p.dir+"/")
	})
}

// do runs a task; what breaks of ours is not proven.
func (g *gating) do(ctx context.Context, k *task, pl *place, pkgs []*pkg, only []quality.Finding) (out map[*pkg]*result) {
	defer func() {
		if r := recover(); r != nil {
			out = same(pkgs, result{tool: k.tool, why: fmt.Sprintf("%s broke: %v", k.step, r)})
		}
	}()
	if ctx.Err() != nil {
		return same(pkgs, result{tool: k.tool, why: "there was no time left for " + string(k.step)})
	}
	out = k.do(ctx, pl, pkgs, only)
	for _, r := range out {
		if r == nil {
			continue
		}
		r.why = pl.plain(r.why)
		for i := range r.findings {
			r.findings[i].Message = pl.plain(r.findings[i].Message)
		}
	}
	return out
}

// again runs failing tests once more, one after the other: what passes then is
// flaky, or was disturbed by what ran beside it, and is named.
func (g *gating) again(ctx context.Context) {
	for _, j := range g.red() {
		if j.k.step != quality.Test || ctx.Err() != nil {
			continue
		}
		var red []*pkg
		var only []quality.Finding
		first := map[*pkg]*done{}
		took := time.Duration(0)
		for i := range g.results {
			d := &g.results[i]
			if d.k != j.k || d.r.status != failedStep || d.r.cached || slices.ContainsFunc(d.r.findings, func(f quality.Finding) bool { return f.Test == "" }) {
				continue
			}
			red = append(red, d.p)
			only = append(only, d.r.findings...)
			first[d.p] = d
			took = max(took, d.r.took)
		}
		if end, ok := ctx.Deadline(); len(red) == 0 || ok && time.Until(end) < took+took/4 {
			continue
		}
		if red[0].chain != golang {
			only = nil // all of it, with its coverage
		}
		if n := len(only); n > 1 {
			g.say("again, %d tests that failed", n)
		} else {
			g.say("again, what failed")
		}
		for p, r := range g.do(ctx, j.k, g.here, red, only) {
			if d := first[p]; d != nil && r != nil && r.status != unproven && r.status != skippedStep {
				g.weigh(d, r)
			}
		}
	}
}

// weigh puts a second run of a package's tests beside the first.
func (g *gating) weigh(d *done, second *result) {
	still, flaky := both(d.r.findings, second.findings)
	for _, f := range flaky {
		g.rep.Flaky = append(g.rep.Flaky, f.Test)
	}
	switch {
	case len(still) == 0 && second.status == passedStep:
		d.r.status, d.r.findings = passedStep, nil
		if second.report != nil {
			d.r.report = second.report
		}
		d.r.tests = max(d.r.tests, second.tests)
	case len(still) > 0:
		d.r.findings = still
	}
	d.raw = *d.r
}

// both splits the findings of a first run by whether the test failed again.
func both(first, second []quality.Finding) (still, flaky []quality.Finding) {
	for _, f := range first {
		if slices.ContainsFunc(second, func(o quality.Finding) bool { return o.Test == f.Test && (o.Package == f.Package) }) {
			still = append(still, f)
		} else {
			flaky = append(flaky, f)
		}
	}
	return still, flaky
}

// job is a step whose packages failed.
type job struct {
	k    *task
	list []done
}

// red are the steps that failed, or ended without a word.
func (g *gating) red() []job {
	var jobs []job
	for _, d := range g.results {
		if d.k.do == nil || d.r.status != failedStep && !d.r.mute() {
			continue
		}
		i := slices.IndexFunc(jobs, func(j job) bool { return j.k == d.k })
		if i < 0 {
			jobs = append(jobs, job{k: d.k})
			i = len(jobs) - 1
		}
		jobs[i].list = append(jobs[i].list, d)
	}
	return jobs
}

// compare looks at what failed where this session did nothing: what failed there
// in the same way is known and does not count.
func (g *gating) compare(ctx context.Context) {
	if len(g.red()) == 0 {
		return
	}
	for _, o := range g.bases(ctx) {
		for _, j := range g.red() {
			if !g.compareWith(ctx, o, j) {
				break
			}
		}
	}
}

func (g *gating) compareWith(ctx context.Context, o *older, j job) bool {
	var todo []*pkg
	before := map[*pkg]*result{}
	for _, d := range j.list {
		if r, ok := g.store.get(key(o.name, d.p, d.k)); ok {
			before[d.p] = r
			continue
		}
		todo = append(todo, d.p)
	}
	if len(todo) > 0 && ctx.Err() == nil {
		pl, err := g.at(ctx, o)
		if err != nil {
			return false
		}
		g.say("%s at %.12s: %s", j.k.step, o.commit, names(todo))
		for p, r := range g.do(ctx, j.k, pl, todo, nil) {
			before[p] = r
			if r.status != unproven {
				g.store.put(key(o.name, p, j.k), r)
			}
		}
	}
	for _, d := range j.list {
		b := before[d.p]
		if b != nil && b.mute() && d.r.mute() && numbers().ReplaceAllString(b.why, "#") == numbers().ReplaceAllString(d.r.why, "#") {
			*d.r = result{status: skippedStep, tool: d.r.tool, why: d.r.why + "; so it was before this session", broken: true, took: d.r.took}
			continue
		}
		if b == nil || b.status != failedStep || d.r.status != failedStep {
			continue
		}
		fresh, old := known(d.r.findings, b.findings)
		g.rep.Known = append(g.rep.Known, old...)
		d.r.findings = fresh
		if len(fresh) == 0 {
			d.r.status, d.r.why = passedStep, "it failed before this session too"
		}
	}
	return true
}

// keep stores results for this tree, and for the tree as the tools left it if
// all they did to it was to add files.
func (g *gating) keep(ctx context.Context, started time.Time) {
	if g.tree == "" {
		return
	}
	trees := []string{g.tree}
	if now := g.digest(ctx); now != "" && now != g.tree {
		if born := g.w.born(ctx, g.p.Root, started); len(born) > 0 && g.digest(ctx, born...) == g.tree {
			trees = append(trees, now)
		}
	}
	for _, d := range g.results {
		if d.raw.cached || d.k.lacks != "" || d.raw.why == "it does not build" {
			continue
		}
		for _, tree := range trees {
			g.store.put(key(tree, d.p, d.k), &d.raw)
		}
	}
	g.store.keepTimings(g.timings)
	g.store.prune()
}

func (g *gating) say(format string, args ...any) {
	if g.r.Progress != nil {
		g.r.Progress(fmt.Sprintf(format, args...))
	}
}

func names(pkgs []*pkg) string {
	list := make([]string, len(pkgs))
	for i, p := range pkgs {
		list[i] = p.dir
	}
	if len(list) > 5 {
		return strings.Join(list[:5], ", ") + fmt.Sprintf(" and %d more", len(list)-5)
	}
	return strings.Join(list, ", ")
}

// conclude puts the report together.
func (g *gating) conclude(ctx context.Context) {
	order := map[quality.Step]int{quality.Format: 1, quality.Lint: 2, quality.Build: 3, quality.Test: 4, quality.Coverage: 5}
	slices.SortStableFunc(g.results, func(a, b done) int {
		if c := strings.Compare(a.p.dir, b.p.dir); c != 0 {
			return c
		}
		return order[a.k.step] - order[b.k.step]
	})
	var open []string
	seen := map[string]bool{}
	for _, d := range g.results {
		for _, f := range d.r.findings {
			if d.k.step == quality.Build && d.r.status == failedStep && f.File != "" {
				seen[fmt.Sprintf("go vet %s:%d", f.File, f.Line)] = true // the compiler says it best
			}
		}
	}
	for _, d := range g.results {
		s := quality.StepResult{Package: d.p.dir, Step: d.k.step, Tool: d.r.tool, Outcome: d.r.status.String(), Why: d.r.why, Tests: d.r.tests, Cached: d.r.cached, Seconds: seconds(d.r.took)}
		if s.Tool == "" {
			s.Tool = d.k.tool
		}
		g.rep.Steps = append(g.rep.Steps, s)
		if d.r.missing {
			tool := d.k.lacks
			if tool == "" {
				tool = strings.TrimSuffix(d.r.why, " is not installed")
			}
			if m := (quality.Missing{Tool: tool, Step: d.k.step, For: d.p.dir}); !slices.Contains(g.rep.Missing, m) {
				g.rep.Missing = append(g.rep.Missing, m)
			}
		}
		if d.r.broken {
			b := quality.Broken{Tool: s.Tool, Step: d.k.step, For: d.p.dir, Why: clip(d.r.why)}
			if !slices.ContainsFunc(g.rep.Broken, func(o quality.Broken) bool { return o.Tool == b.Tool && o.Step == b.Step }) {
				g.rep.Broken = append(g.rep.Broken, b)
			}
		}
		if d.r.status == unproven {
			open = append(open, fmt.Sprintf("%s of %s: %s", d.k.step, d.p.dir, d.r.why))
		}
		for _, f := range d.r.findings {
			if d.r.status != failedStep {
				continue
			}
			// Vet, build and test say the same of what does not compile.
			at := fmt.Sprintf("%s:%d:%s:%s", f.File, f.Line, f.Test, f.Message)
			if f.File != "" && (seen[at] || f.Step == quality.Lint && seen[fmt.Sprintf("%s %s:%d", f.Tool, f.File, f.Line)]) {
				continue
			}
			seen[at] = true
			g.rep.Findings = append(g.rep.Findings, f)
		}
	}
	g.rep.Why = strings.Join(open, "; ")
	if len(g.rep.Why) > 600 {
		g.rep.Why = strings.ToValidUTF8(g.rep.Why[:600], "") + "…"
	}
	switch {
	case len(g.rep.Findings) > 0:
		g.rep.Outcome = quality.Failed
	case len(open) > 0:
		g.rep.Outcome = quality.NotProven
		g.rep.TooLong = ctx.Err() != nil
	default:
		g.rep.Outcome = quality.Passed
		g.raise(ctx)
	}
}
