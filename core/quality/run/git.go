package run

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/vcs"
)

func (w *Worker) repo(ctx context.Context, root string) (*vcs.Repo, error) {
	return vcs.Open(ctx, w.o.Proc, root)
}

// gitEnv keeps a surrounding git, a prompt and a pager out.
var gitEnv = []string{"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "LC_ALL=C"}

// git runs git in a repository. What it is configured to run is not run.
func (w *Worker) git(ctx context.Context, dir string, args ...string) (gate.Exit, error) {
	argv := append([]string{"git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "filter.lfs.smudge=", "-c", "filter.lfs.required=false", "-C", dir}, args...)
	return w.o.Proc.Run(ctx, gate.Command{Argv: argv, Dir: dir, Env: gitEnv, MaxOutput: maxOutput})
}

// committed returns a file as a commit has it; ok is false if it has it not.
func (w *Worker) committed(ctx context.Context, repo *vcs.Repo, rev, file string) (text []byte, ok bool, err error) {
	rel, in := repo.Rel(file)
	if !in {
		if real, err := filepath.EvalSymlinks(file); err == nil {
			rel, in = repo.Rel(real)
		}
		if !in {
			return nil, false, nil
		}
	}
	x, err := w.git(ctx, repo.Root(), "cat-file", "blob", rev+":"+rel)
	if err != nil {
		return nil, false, err
	}
	if x.TimedOut || x.Signal != "" || x.Truncated {
		return nil, false, fmt.Errorf("git cat-file of %s did not finish", rel)
	}
	return x.Stdout, x.Code == 0, nil
}
