package run

import (
	"context"

	"github.com/ec261362/guardrails/core/quality"
)

// fastLint is what an edit waits for: a second or two at most.
func (w *Worker) fastLint(t *tree, u *unit, pkgs []*pkg) []*task {
	if len(pkgs) == 0 {
		return nil
	}
	switch u.chain {
	case golang:
		if goTool, ok := w.tool(t, goRoom(u.mod, pkgs), "go"); ok {
			return []*task{w.goVet(goTool, u.mod, pkgs)}
		}
	case python:
		if py, ok := w.interpreter(t, pkgs[0].dir); ok {
			return present(w.pythonLint(t, pkgs[0], py, t.pythonConf(pkgs[0].dir), false))
		}
	case javascript:
		return present(w.javascript(t, quality.Lint, pkgs[0], false))
	case rust:
		return present(w.rust(t, quality.Build, pkgs[0], false, false))
	}
	return nil
}

// present leaves out tasks whose tool is missing.
func present(list []*task) []*task {
	var out []*task
	for _, k := range list {
		if k.lacks == "" && k.do != nil {
			out = append(out, k)
		}
	}
	return out
}

// perFile runs a tool once over the touched files of a package that it is for.
func (w *Worker) perFile(step quality.Step, tool, ident string, p *pkg, is func(rel string) bool, argv func(files []string) []string, read func(pl *place, p *pkg, code int, stdout, stderr string) ([]quality.Finding, string)) *task {
	return &task{step: step, tool: tool, ident: ident, pkgs: []*pkg{p}, do: func(ctx context.Context, pl *place, pkgs []*pkg, _ []quality.Finding) map[*pkg]*result {
		return each(pkgs, func(p *pkg) *result {
			var files []string
			for _, rel := range p.files {
				if is(rel) && locate(pl.root, pl.root, rel) != "" {
					files = append(files, below(p.dir, rel))
				}
			}
			if len(files) == 0 {
				return &result{status: skippedStep, tool: tool, why: "no touched file is for it"}
			}
			x, err := w.call(ctx, pl.abs(p.dir), pl.env, argv(files)...)
			if why, missing := told(ctx, tool, x, err); why != "" {
				return unable(step, tool, x, why, missing)
			}
			found, broken := read(pl, p, x.Code, string(x.Stdout), string(x.Stderr))
			switch {
			case broken != "":
				return brokenStep(tool, broken)
			case len(found) > 0:
				return &result{status: failedStep, tool: tool, findings: found}
			default:
				return &result{status: passedStep, tool: tool}
			}
		})
	}}
}
