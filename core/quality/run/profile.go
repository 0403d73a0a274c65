package run

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/quality"
	"github.com/ec261362/guardrails/core/vcs"
)

// maxDirty is how many changed files a session remembers.
const maxDirty = 500

// changesLimit is what a session's start spends on finding them.
const changesLimit = 2500 * time.Millisecond

// Head returns the commit that is checked out.
func (w *Worker) Head(ctx context.Context, p quality.Project) string {
	repo, err := w.repo(ctx, p.Root)
	if err != nil {
		return ""
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return ""
	}
	return head
}

// Profile says what the project is made of.
func (w *Worker) Profile(ctx context.Context, p quality.Project) quality.Profile {
	var out quality.Profile
	if repo, err := w.repo(ctx, p.Root); err == nil {
		if head, err := repo.Head(ctx); err == nil {
			out.Head = head
			look, cancel := context.WithTimeout(ctx, changesLimit)
			changes, err := repo.Changed(look, head)
			if cancel(); err == nil {
				for _, c := range changes {
					if rel, ok := within(p.Root, repo, c.Path); ok && len(out.Dirty) < maxDirty && !passed(rel) {
						out.Dirty = append(out.Dirty, rel)
					}
				}
			}
		}
	}
	t := newTree(p)
	pkgs := t.all(ctx)
	chains := map[string][]*pkg{}
	for _, k := range pkgs {
		chains[k.chain] = append(chains[k.chain], k)
	}
	for _, chain := range [...]string{golang, python, javascript, rust, java, generic} {
		list := chains[chain]
		if len(list) == 0 {
			continue
		}
		out.Toolchain = append(out.Toolchain, chain)
		var tools []string
		for i, k := range list {
			if i == 50 || ctx.Err() != nil {
				break
			}
			for _, u := range units([]*pkg{k}) {
				for _, task := range w.plan(t, u, p.OnStop) {
					switch {
					case task.lacks != "":
						m := quality.Missing{Tool: task.lacks, Step: task.step, For: chain}
						if !slices.Contains(out.Missing, m) {
							out.Missing = append(out.Missing, m)
						}
					case task.tool != "":
						for one := range strings.SplitSeq(task.tool, ", ") {
							if !slices.Contains(tools, one) {
								tools = append(tools, one)
							}
						}
					}
				}
			}
		}
		where := list[0].dir
		if len(list) > 1 {
			where = fmt.Sprintf("%d packages", len(list))
		}
		line := chain + " (" + where + "): " + strings.Join(tools, ", ")
		out.Lines = append(out.Lines, strings.TrimSuffix(line, ": "))
	}
	out.Usual = w.usual(t, chains)
	repo, err := w.repo(ctx, p.Root)
	if err != nil || p.Cache == "" {
		return out
	}
	for _, chain := range out.Toolchain {
		list, err := w.ratchet(p.Cache).Baseline(ratchetKey(chain), w.holds(ctx, repo))
		if err != nil {
			continue
		}
		for name, c := range list {
			if out.Baseline == nil {
				out.Baseline = map[string]quality.Count{}
			}
			out.Baseline[name] = quality.Count{Covered: c.Covered, Total: c.Total}
		}
	}
	return out
}

// usual names the linters that most projects of a toolchain have and this one
// has not. One that the project configures is missing, which is said elsewhere.
func (w *Worker) usual(t *tree, chains map[string][]*pkg) []quality.Usual {
	var out []quality.Usual
	if list := chains[golang]; len(list) > 0 {
		_, asks := t.up(list[0].dir, golangciFiles...)
		_, goes := w.tool(t, list[0].dir, "go")
		if _, ok := w.tool(t, list[0].dir, "golangci-lint"); !ok && !asks && goes {
			out = append(out, quality.Usual{Tool: "golangci-lint", Instead: "go vet is used"})
		}
	}
	if list := chains[python]; len(list) > 0 {
		_, ok := w.tool(t, list[0].dir, "ruff")
		py, runs := w.interpreter(t, list[0].dir)
		if !ok && runs {
			conf := t.pythonConf(list[0].dir)
			if k := w.pythonLint(t, list[0], py, conf, false); len(k) == 1 && k[0].tool == "python syntax" {
				out = append(out, quality.Usual{Tool: "ruff", Instead: "only the syntax is checked"})
			}
		}
	}
	return out
}

// within turns a path from a repository's root into one from the project's,
// which may be reached by a link.
func within(root string, repo *vcs.Repo, rel string) (string, bool) {
	sub, ok := repo.Rel(root)
	if !ok {
		return "", false
	}
	if sub == "." {
		return rel, true
	}
	return strings.CutPrefix(rel, sub+"/")
}

// born lists the files that came into being since a time and that git does not
// track: what tools leave behind.
func (w *Worker) born(ctx context.Context, root string, since time.Time) []string {
	repo, err := w.repo(ctx, root)
	if err != nil {
		return nil
	}
	x, err := w.git(ctx, root, "ls-files", "-z", "--others", "--exclude-standard", "--full-name")
	if err != nil || x.Code != 0 || x.Truncated {
		return nil
	}
	var out []string
	for name := range strings.SplitSeq(string(x.Stdout), "\x00") {
		if name == "" || strings.ContainsAny(name, "*?[") {
			continue
		}
		if made, ok := bornAt(path.Join(repo.Root(), name)); ok && !made.Before(since.Add(-10*time.Millisecond)) {
			out = append(out, name)
		}
	}
	return out
}
