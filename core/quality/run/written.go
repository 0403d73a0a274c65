package run

import (
	"context"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/quality"
	"github.com/ec261362/guardrails/core/vcs"
)

const (
	maxWritten = 500 // files that were written by commands and count as touched
	maxReflog  = 200 // entries of HEAD's log that are looked at
)

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
	x, err := w.git(ctx, repo.Root(), "log", "-g", "-n", strconv.Itoa(maxReflog), "--date=unix", "--format=%H%x09%gd%x09%gs", "HEAD", "--")
	if err != nil || x.Code != 0 {
		return nil
	}
	type entry struct {
		commit string
		made   bool
	}
	var list []entry
	for line := range strings.Lines(string(x.Stdout)) {
		f := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		if len(f) < 3 {
			return nil
		}
		_, at, _ := strings.Cut(strings.TrimSuffix(f[1], "}"), "@{")
		sec, err := strconv.ParseInt(at, 10, 64)
		made := strings.HasPrefix(f[2], "commit") || strings.HasPrefix(f[2], "cherry-pick") || strings.HasPrefix(f[2], "revert")
		old := err != nil || sec < since.Unix()
		list = append(list, entry{f[0], made && !old && !strings.HasPrefix(f[2], "commit (merge)")})
		if old {
			break
		}
	}
	var out []string
	for i, e := range list {
		if !e.made {
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
