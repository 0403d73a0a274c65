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
	"strings"
	"sync"

	"github.com/ec261362/guardrails/core/quality"
)

// older is the project as it was at the session's start: the base commit, with
// what somebody else had changed by then. It is made when a step failed, to see
// whether it failed then too.
type older struct {
	once  sync.Once
	place *place
	drop  func()
	err   error
}

// at returns the place of the base commit.
func (o *older) at(ctx context.Context, w *Worker, p quality.Project, r Request, pkgs []*pkg) (*place, error) {
	o.once.Do(func() {
		o.place, o.drop, o.err = w.older(ctx, p, r, pkgs)
	})
	return o.place, o.err
}

// Request is what the gate is asked for.
type Request = quality.Request

// olderName names what the base place holds; "" if there is none.
func (w *Worker) olderName(ctx context.Context, p quality.Project, r Request) string {
	repo, err := w.repo(ctx, p.Root)
	if err != nil {
		return ""
	}
	commit, err := repo.Commit(ctx, orHead(r.Base))
	if err != nil {
		return ""
	}
	sum := sha256.New()
	fmt.Fprintln(sum, commit)
	for _, rel := range r.Dirty {
		data, err := os.ReadFile(filepath.Join(p.Root, filepath.FromSlash(rel)))
		fmt.Fprintf(sum, "%s %v %d\n%s\n", rel, err == nil, len(data), data)
	}
	return "base-" + hex.EncodeToString(sum.Sum(nil))[:32]
}

func orHead(base string) string {
	if base == "" {
		return "HEAD"
	}
	return base
}

func (w *Worker) older(ctx context.Context, p quality.Project, r Request, pkgs []*pkg) (*place, func(), error) {
	repo, err := w.repo(ctx, p.Root)
	if err != nil {
		return nil, nil, err
	}
	commit, err := repo.Commit(ctx, orHead(r.Base))
	if err != nil {
		return nil, nil, err
	}
	sub, ok := repo.Rel(p.Root)
	if !ok {
		return nil, nil, fmt.Errorf("%s is not in its repository", p.Root)
	}
	dir, drop, err := w.scratch()
	if err != nil {
		return nil, nil, err
	}
	clone := filepath.Join(dir, "tree")
	for _, args := range [][]string{
		{"clone", "--quiet", "--shared", "--no-checkout", "--no-tags", "--template=", repo.Root(), clone},
		{"-C", clone, "checkout", "--quiet", "--detach", commit},
	} {
		x, err := w.git(ctx, dir, args...)
		if err == nil && (x.Code != 0 || x.TimedOut) {
			err = fmt.Errorf("git %s: %s", args[0], lastLines(string(x.Stderr), 1))
		}
		if err != nil {
			drop()
			return nil, nil, err
		}
	}
	out, err := os.MkdirTemp(dir, "out")
	if err != nil {
		drop()
		return nil, nil, err
	}
	pl := &place{root: filepath.Join(clone, filepath.FromSlash(sub)), scratch: out, old: true}
	if p.Cache != "" {
		pl.env = append(pl.env, "CARGO_TARGET_DIR="+filepath.Join(p.Cache, "target"))
	}
	carry(p.Root, pl.root, r.Dirty)
	linkInstalled(p.Root, pl.root, pkgs)
	return pl, drop, nil
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
