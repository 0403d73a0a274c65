package run

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/quality"
	"github.com/ec261362/guardrails/core/vcs"
)

// maxWritten is how many files that commands wrote count as touched.
const maxWritten = 500

// Written finds what commands wrote in a span: among what differs from the last
// commit and what commits made here changed, by the files' own times. What a
// checkout, a merge or a pull brought in is nobody's doing here.
func (w *Worker) Written(ctx context.Context, p quality.Project, s quality.Span) []string {
	repo, err := w.repo(ctx, p.Root)
	if err != nil {
		return nil
	}
	head, err := repo.Head(ctx)
	if err != nil {
		head = "" // no commit yet: everything is new
	}
	changes, err := repo.Changed(ctx, head)
	if err != nil {
		return nil
	}
	var out []string
	t := newTree(p)
	add := func(name string, gone bool) {
		rel, ok := within(p.Root, repo, name)
		if !ok || len(out) >= maxWritten || passed(rel) || t.vendored(rel) || slices.Contains(out, rel) {
			return
		}
		st, err := os.Lstat(t.abs(rel))
		switch {
		case err != nil:
			if !gone || slices.Contains(s.Dirty, rel) {
				return
			}
		case !st.Mode().IsRegular() || !s.Holds(st.ModTime()):
			return
		}
		out = append(out, rel)
	}
	for _, c := range changes {
		if c.OldPath != "" {
			add(c.OldPath, true)
		}
		add(c.Path, c.Status == vcs.Deleted)
	}
	for _, name := range w.committedSince(ctx, repo, s.From) {
		add(name, false)
	}
	return out
}

// committedSince lists the files of the commits that were made in this worktree
// since a time, by the log of its HEAD: not what was fetched or checked out.
func (w *Worker) committedSince(ctx context.Context, repo *vcs.Repo, since time.Time) []string {
	var out []string
	list := w.reflog(ctx, repo)
	for i, e := range list {
		if e.at < since.Unix() {
			break
		}
		if !strings.HasPrefix(e.what, "commit") && !strings.HasPrefix(e.what, "cherry-pick") && !strings.HasPrefix(e.what, "revert") || strings.HasPrefix(e.what, "commit (merge)") {
			continue
		}
		args := []string{"diff-tree", "-r", "--root", "--no-commit-id", "--name-only", "--no-renames", "-z"}
		if i+1 < len(list) {
			args = append(args, list[i+1].commit) // of an amended commit: what was added to it
		}
		x, err := w.git(ctx, repo.Root(), append(args, e.commit, "--")...)
		if err != nil || x.Code != 0 {
			continue
		}
		for name := range strings.SplitSeq(string(x.Stdout), "\x00") {
			if name != "" {
				out = append(out, path.Clean(name))
			}
		}
	}
	return out
}
