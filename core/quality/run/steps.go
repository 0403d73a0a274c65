package run

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/quality"
)

// status is what became of one step. The zero value is that it was not proven.
type status int

const (
	unproven status = iota
	passedStep
	failedStep
	skippedStep // does not apply, or its tool is missing
)

func (s status) String() string {
	switch s {
	case passedStep:
		return "pass"
	case failedStep:
		return "fail"
	case skippedStep:
		return "skipped"
	default:
		return "not-proven"
	}
}

func statusOf(word string) status {
	for _, s := range [...]status{passedStep, failedStep, skippedStep} {
		if s.String() == word {
			return s
		}
	}
	return unproven
}

// result is one step in one package.
type result struct {
	status   status
	tool     string
	why      string
	findings []quality.Finding
	tests    int // that passed
	missing  bool
	broken   bool    // its tool could not run: that says nothing of the code
	report   *report // coverage, of a test step
	took     time.Duration
	cached   bool
}

// mute reports whether a tool came to its end and said nothing that can be read:
// not proven, but not for want of time.
func (r *result) mute() bool {
	return r.status == unproven && strings.Contains(r.why, "without a result")
}

// report is a coverage report as a tool wrote it.
type report struct {
	Format string `json:"format"`
	Data   []byte `json:"data"`
	Dir    string `json:"dir"` // where it was written for, relative to the root
}

// place is a tree that steps run in: the project's, or that of an older commit.
type place struct {
	root    string
	scratch string
	env     []string
	old     bool // an older commit: no coverage, no formatting
}

func (pl *place) abs(rel string) string { return filepath.Join(pl.root, filepath.FromSlash(rel)) }

// plain takes out of a text where the place is: the same is said of the same
// elsewhere, and a report is short.
func (pl *place) plain(text string) string {
	if !strings.ContainsAny(text, `/\`) {
		return text
	}
	dirs := []string{pl.root, pl.scratch}
	for _, dir := range dirs[:2] {
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
			dirs = append(dirs, real)
		}
	}
	for _, dir := range dirs {
		if len(dir) > 1 {
			text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
			text = strings.ReplaceAll(text, dir, ".")
		}
	}
	return text
}

// task is one step over packages that share a run.
type task struct {
	step  quality.Step
	tool  string
	ident string // what is run: two tasks with the same prove the same
	pkgs  []*pkg
	// do runs it. With only, nothing but the tests that these findings name need run.
	do func(ctx context.Context, pl *place, pkgs []*pkg, only []quality.Finding) map[*pkg]*result
	// lacks is the tool that the project asks for and that is not there.
	lacks string
}

// each runs fn for every package.
func each(pkgs []*pkg, fn func(*pkg) *result) map[*pkg]*result {
	out := make(map[*pkg]*result, len(pkgs))
	for _, p := range pkgs {
		out[p] = fn(p)
	}
	return out
}

// same gives every package the same result.
func same(pkgs []*pkg, r result) map[*pkg]*result {
	return each(pkgs, func(*pkg) *result { c := r; return &c })
}

// unit is packages of one toolchain that may share runs.
type unit struct {
	chain, mod string
	pkgs       []*pkg
}

// units groups packages: of Go those of one module, of the rest each by itself.
func units(pkgs []*pkg) []*unit {
	var out []*unit
	for _, p := range pkgs {
		if p.chain == golang && p.mod != "" {
			i := slices.IndexFunc(out, func(u *unit) bool { return u.chain == golang && u.mod == p.mod })
			if i >= 0 {
				out[i].pkgs = append(out[i].pkgs, p)
				continue
			}
		}
		out = append(out, &unit{chain: p.chain, mod: p.mod, pkgs: []*pkg{p}})
	}
	return out
}

// plan is what there is to do for a unit, in order.
func (w *Worker) plan(t *tree, u *unit, steps []quality.Step) []*task {
	var out []*task
	for _, step := range [...]quality.Step{quality.Format, quality.Lint, quality.Build, quality.Test} {
		if !slices.Contains(steps, step) && !(step == quality.Test && slices.Contains(steps, quality.Coverage)) {
			continue
		}
		var shared []*pkg
		for _, p := range u.pkgs {
			if slices.Contains(p.conf.Skip, step) {
				continue
			}
			if c := p.own(step); !c.IsZero() {
				out = append(out, w.configured(step, p, c))
				continue
			}
			shared = append(shared, p)
		}
		if len(shared) == 0 {
			continue
		}
		if step == quality.Format {
			out = append(out, w.formatTask(t, shared))
			continue
		}
		cover := slices.Contains(steps, quality.Coverage)
		switch u.chain {
		case golang:
			out = append(out, w.golang(t, u.mod, step, shared, cover)...)
		case python:
			out = append(out, w.python(t, step, shared[0], cover)...)
		case javascript:
			out = append(out, w.javascript(t, step, shared[0], cover)...)
		case rust:
			out = append(out, w.rust(t, step, shared[0], cover, true)...)
		case java:
			out = append(out, w.java(t, step, shared[0])...)
		}
	}
	return out
}

// configured runs a command that the project names for a package.
func (w *Worker) configured(step quality.Step, p *pkg, c quality.Command) *task {
	argv := w.shell(c)
	tool := path.Base(argv[0])
	ident := strings.Join(argv, "\x00")
	if c.Shell != "" {
		tool, ident = firstWord(c.Shell), "sh\x00"+c.Shell
	}
	k := &task{step: step, tool: tool, ident: ident + "\x00" + p.conf.Report, pkgs: []*pkg{p}}
	if step == quality.Format {
		k.do = func(ctx context.Context, pl *place, pkgs []*pkg, _ []quality.Finding) map[*pkg]*result {
			return each(pkgs, func(p *pkg) *result { return w.formatByCommand(ctx, pl, p, argv, tool) })
		}
		return k
	}
	k.do = func(ctx context.Context, pl *place, pkgs []*pkg, _ []quality.Finding) map[*pkg]*result {
		return each(pkgs, func(p *pkg) *result {
			dir := pl.abs(p.dir)
			x, err := w.call(ctx, dir, pl.env, argv...)
			why, missing := told(ctx, tool, x, err)
			r := &result{tool: tool}
			switch {
			case why != "":
				return unable(step, tool, x, why, missing)
			case x.Code == 0:
				r.status = passedStep
				if step == quality.Test {
					r.why = "by exit code only"
					if name := p.conf.Report; name != "" && !pl.old {
						r.report = readReport(pl.root, name)
					}
				}
			default:
				r.status = failedStep
				r.findings = w.read(pl, p, step, tool, string(x.Stdout)+"\n"+string(x.Stderr))
				if len(r.findings) == 0 {
					r.findings = []quality.Finding{{Package: p.dir, Step: step, Tool: tool, Message: tool + " failed: " + lastLines(pl.plain(string(x.Stdout)+"\n"+string(x.Stderr)), 6)}}
				}
			}
			return r
		})
	}
	return k
}

func firstWord(s string) string {
	for w := range strings.FieldsSeq(s) {
		if !strings.Contains(w, "=") {
			return path.Base(w)
		}
	}
	return s
}
