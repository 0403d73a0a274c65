package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ec261362/guardrails/core/quality"
	"github.com/ec261362/guardrails/core/vcs"
)

// older is the project as it was at a commit, with what somebody else had changed
// by the session's start. It is made when a step failed, to see whether it failed
// then too.
type older struct {
	commit string
	name   string // what it holds
	place  *place // nil = not made yet
	drop   func()
	err    error
}

// Request is what the gate is asked for.
type Request = quality.Request

// bases are the commits whose failures are not this session's: the one that it
// began with, and what a checkout, a merge or a rebase brought in since.
func (g *gating) bases(ctx context.Context) []*older {
	repo, err := g.w.repo(ctx, g.p.Root)
	if err != nil {
		return nil
	}
	first, err := repo.Commit(ctx, orHead(g.r.Base))
	if err != nil {
		return nil
	}
	out := []*older{{commit: first}}
	for _, c := range g.w.brought(ctx, repo, first) {
		if len(out) < maxBases && !slices.ContainsFunc(out, func(o *older) bool { return o.commit == c }) {
			out = append(out, &older{commit: c})
		}
	}
	nested := g.nested()
	for _, o := range out {
		sum := sha256.New()
		fmt.Fprintln(sum, o.commit)
		for _, rel := range nested {
			fmt.Fprintln(sum, rel, g.w.nestedAt(ctx, repo, g.p.Root, rel, o.commit))
		}
		for _, rel := range g.r.Dirty {
			data, err := os.ReadFile(filepath.Join(g.p.Root, filepath.FromSlash(rel)))
			fmt.Fprintf(sum, "%s %v %d\n%s\n", rel, err == nil, len(data), data)
		}
		o.name = "base-" + hex.EncodeToString(sum.Sum(nil))[:32]
	}
	return out
}

// maxBases is how many commits are compared with, maxReflog how much of HEAD's
// log is looked at.
const (
	maxBases  = 3
	maxReflog = 200
)

// brought are the commits of others that HEAD got since it was at base: the
// newest that was not made here, and the other sides of merges that were.
func (w *Worker) brought(ctx context.Context, repo *vcs.Repo, base string) []string {
	made := map[string]bool{}
	for _, e := range w.reflog(ctx, repo) {
		if e.commit == base {
			break
		}
		if e.made() {
			made[e.commit] = true
		}
	}
	var out []string
	at, err := repo.Head(ctx)
	for n := 0; err == nil && n < maxReflog && made[at]; n++ {
		x, err := w.git(ctx, repo.Root(), "rev-list", "--parents", "-n", "1", at)
		ids := strings.Fields(string(x.Stdout))
		if err != nil || x.Code != 0 || len(ids) < 2 {
			return out
		}
		out = append(out, ids[2:]...)
		at = ids[1]
	}
	if err == nil && at != "" && at != base {
		// What lies behind the base is older than it: the session undid commits.
		if behind, err := repo.IsAncestor(ctx, at, base); err == nil && !behind {
			out = append(out, at)
		}
	}
	return out
}

// entry is one move of HEAD.
type entry struct {
	commit, what string
	at           int64 // seconds
}

// made reports whether the commit was made here, not fetched or checked out.
func (e *entry) made() bool {
	for _, s := range [...]string{"commit", "cherry-pick", "revert"} {
		if strings.HasPrefix(e.what, s) {
			return true
		}
	}
	return strings.Contains(e.what, "(pick)") || strings.Contains(e.what, "(reword)") || strings.Contains(e.what, "(squash)") || strings.Contains(e.what, "(fixup)") ||
		strings.Contains(e.what, "(continue)") || strings.Contains(e.what, "Merge made")
}

// reflog is the log of this worktree's HEAD, newest first.
func (w *Worker) reflog(ctx context.Context, repo *vcs.Repo) []entry {
	x, err := w.git(ctx, repo.Root(), "log", "-g", "-n", strconv.Itoa(maxReflog), "--date=unix", "--format=%H%x09%gd%x09%gs", "HEAD", "--")
	if err != nil || x.Code != 0 {
		return nil
	}
	var out []entry
	for line := range strings.Lines(string(x.Stdout)) {
		f := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		if len(f) < 3 {
			return out
		}
		_, at, _ := strings.Cut(strings.TrimSuffix(f[1], "}"), "@{")
		sec, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return out
		}
		out = append(out, entry{f[0], f[2], sec})
	}
	return out
}

func orHead(base string) string {
	if base == "" {
		return "HEAD"
	}
	return base
}

// nested are the folders of other repositories, submodules too, that packages lie
// in, relative to the root.
func (g *gating) nested() []string {
	var out []string
	for _, p := range g.pkgs {
		for d := p.dir; d != "."; d = path.Dir(d) {
			if _, err := os.Lstat(filepath.Join(g.t.abs(d), ".git")); err == nil && !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	slices.Sort(out)
	return out
}

// nestedAt is the commit of a nested repository that a commit of ours names, or
// the one that is checked out.
func (w *Worker) nestedAt(ctx context.Context, repo *vcs.Repo, root, rel, commit string) string {
	dir := filepath.Join(root, filepath.FromSlash(rel))
	if in, ok := repo.Rel(dir); ok {
		x, err := w.git(ctx, repo.Root(), "ls-tree", commit, "--", in)
		if f := strings.Fields(string(x.Stdout)); err == nil && x.Code == 0 && len(f) > 2 && f[1] == "commit" {
			return f[2]
		}
	}
	sub, err := w.repo(ctx, dir)
	if err != nil {
		return ""
	}
	head, err := sub.Head(ctx)
	if err != nil {
		return ""
	}
	return head
}

// at makes the place of a commit.
func (g *gating) at(ctx context.Context, o *older) (*place, error) {
	if o.place == nil && o.err == nil {
		o.place, o.drop, o.err = g.makePlace(ctx, o.commit)
		if o.drop != nil {
			g.drops = append(g.drops, o.drop)
		}
	}
	return o.place, o.err
}

func (g *gating) makePlace(ctx context.Context, commit string) (*place, func(), error) {
	w := g.w
	repo, err := w.repo(ctx, g.p.Root)
	if err != nil {
		return nil, nil, err
	}
	sub, ok := repo.Rel(g.p.Root)
	if !ok {
		return nil, nil, fmt.Errorf("%s is not in its repository", g.p.Root)
	}
	dir, drop, err := w.scratch()
	if err != nil {
		return nil, nil, err
	}
	clone := filepath.Join(dir, "tree")
	if err := w.clone(ctx, repo.Root(), clone, commit); err != nil {
		return nil, drop, err
	}
	out, err := os.MkdirTemp(dir, "out")
	if err != nil {
		return nil, drop, err
	}
	pl := &place{root: filepath.Join(clone, filepath.FromSlash(sub)), scratch: out, old: true}
	if g.p.Cache != "" {
		pl.env = append(pl.env, "CARGO_TARGET_DIR="+filepath.Join(g.p.Cache, "target"))
	}
	for _, rel := range g.nested() {
		at := w.nestedAt(ctx, repo, g.p.Root, rel, commit)
		if to := pl.abs(rel); at != "" && os.RemoveAll(to) == nil && os.MkdirAll(filepath.Dir(to), 0o755) == nil {
			_ = w.clone(ctx, g.t.abs(rel), to, at) // without it, what it holds is new
		}
	}
	carry(g.p.Root, pl.root, g.r.Dirty)
	linkInstalled(g.p.Root, pl.root, g.pkgs)
	return pl, drop, nil
}

// clone checks a commit of a repository out into a new folder, without copying
// what it holds.
func (w *Worker) clone(ctx context.Context, from, to, commit string) error {
	for _, args := range [][]string{
		{"clone", "--quiet", "--shared", "--no-checkout", "--no-tags", "--template=", from, to},
		{"-C", to, "checkout", "--quiet", "--detach", commit},
	} {
		x, err := w.git(ctx, filepath.Dir(to), args...)
		if err == nil && (x.Code != 0 || x.TimedOut) {
			err = fmt.Errorf("git %s: %s", args[0], lastLines(string(x.Stderr), 1))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// carry brings over what was changed before the session began.
func carry(from, to string, names []string) {
	for _, rel := range names {
		src, dst := filepath.Join(from, filepath.FromSlash(rel)), filepath.Join(to, filepath.FromSlash(rel))
		st, err := os.Lstat(src)
		if err != nil {
			_ = os.Remove(dst)
			continue
		}
		if !st.Mode().IsRegular() || st.Size() > 16<<20 {
			continue
		}
		if data, err := os.ReadFile(src); err == nil && os.MkdirAll(filepath.Dir(dst), 0o755) == nil {
			_ = os.WriteFile(dst, data, st.Mode().Perm()) //nolint:forbidigo // into a folder of our own
		}
	}
}

// linkInstalled lends what is installed and in no commit: dependencies.
func linkInstalled(from, to string, pkgs []*pkg) {
	dirs := []string{"."}
	for _, p := range pkgs {
		for d := p.dir; d != "."; d = path.Dir(d) {
			if !slices.Contains(dirs, d) {
				dirs = append(dirs, d)
			}
		}
	}
	for _, d := range dirs {
		for _, name := range [...]string{"node_modules", ".venv", "venv", "vendor"} {
			src, dst := filepath.Join(from, filepath.FromSlash(d), name), filepath.Join(to, filepath.FromSlash(d), name)
			if st, err := os.Stat(src); err != nil || !st.IsDir() {
				continue
			}
			if _, err := os.Lstat(dst); err == nil {
				continue
			}
			if st, err := os.Stat(filepath.Dir(dst)); err == nil && st.IsDir() {
				_ = os.Symlink(src, dst)
			}
		}
	}
}

var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`0x[0-9a-fA-F]+|\d+`) })

// same names what a finding is about, whatever line it is on now.
func sameness(f quality.Finding) string {
	m := numbers().ReplaceAllString(f.Message, "#")
	return strings.Join([]string{string(f.Step), f.Tool, f.File, f.Test, f.Rule, m}, "\x00")
}

// known splits findings into new ones and those that were there before as
// often.
func known(now, before []quality.Finding) (fresh, old []quality.Finding) {
	left := map[string]int{}
	for _, f := range before {
		left[sameness(f)]++
	}
	for _, f := range now {
		if k := sameness(f); left[k] > 0 {
			left[k]--
			old = append(old, f)
			continue
		}
		fresh = append(fresh, f)
	}
	return fresh, old
}
