package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/vcs"
)

// Tree sees the files of a project.
type Tree struct {
	Root string
	Home string
	FS   gate.FS
	Proc gate.Proc // nil = what needs git is gate.ErrHandOver
}

// Digest returns a digest of what the project's tree holds, .guardrails left
// out: of a git working tree what git tracks and what it neither tracks nor
// ignores, so that a commit changes nothing; elsewhere of its files, see plain.
// It is "" where the tree is too large to tell.
func (t Tree) Digest(ctx context.Context) (string, error) {
	if !t.repository() {
		return t.plain(ctx)
	}
	if t.Proc == nil {
		return "", gate.ErrHandOver
	}
	repo, err := vcs.Open(ctx, t.Proc, t.Root)
	if errors.Is(err, vcs.ErrNoRepo) {
		return t.plain(ctx)
	}
	if err != nil {
		return "", err
	}
	own := Dir
	if rel, ok := repo.Rel(filepath.Join(t.Root, Dir)); ok {
		own = rel
	}
	return repo.TreeDigest(ctx, own)
}

// repository reports whether the project seems to be in a working tree of git.
func (t Tree) repository() bool {
	for dir := filepath.Clean(t.Root); ; {
		if _, err := t.FS.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// Bounds of a tree without git.
const (
	maxFiles    = 4000
	maxBytes    = 48 << 20
	maxFileRead = 4 << 20 // a larger file counts by its size and time
	maxDepth    = 40
)

// plain is the digest of a folder that no git keeps: paths, contents and
// executable bits of its files, less what tools make beside them. Beyond 4,000
// files or 48 MiB it is "".
func (t Tree) plain(ctx context.Context) (string, error) {
	w := plainWalk{tree: t, ctx: ctx}
	h := sha256.New()
	w.to = h
	if err := w.dir("", 0); err != nil {
		if errors.Is(err, errTooMuch) {
			return "", nil
		}
		return "", fmt.Errorf("digest of %s: %w", t.Root, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

var errTooMuch = errors.New("too large")

type plainWalk struct {
	tree         Tree
	ctx          context.Context //nolint:containedctx // one walk
	to           io.Writer
	files, bytes int
}

func (w *plainWalk) dir(rel string, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if depth > maxDepth {
		return errTooMuch
	}
	entries, err := w.tree.FS.ReadDir(filepath.Join(w.tree.Root, rel))
	if err != nil {
		if rel == "" {
			return err
		}
		fmt.Fprintf(w.to, "%q unreadable\n", rel)
		return nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		name := filepath.Join(rel, e.Name())
		if e.IsDir() {
			if made(e.Name()) || rel == "" && e.Name() == Dir {
				continue
			}
			if err := w.dir(name, depth+1); err != nil {
				return err
			}
			continue
		}
		if err := w.file(name, e); err != nil {
			return err
		}
	}
	return nil
}

func (w *plainWalk) file(rel string, e fs.DirEntry) error {
	if w.files++; w.files > maxFiles {
		return errTooMuch
	}
	info, err := e.Info()
	full := filepath.Join(w.tree.Root, rel)
	slash := filepath.ToSlash(rel)
	switch {
	case err != nil:
		return nil //nolint:nilerr // gone meanwhile
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := w.tree.FS.Readlink(full)
		fmt.Fprintf(w.to, "%q link %q\n", slash, to)
	case !info.Mode().IsRegular():
	case info.Size() > maxFileRead:
		fmt.Fprintf(w.to, "%q %d %d\n", slash, info.Size(), info.ModTime().UnixNano())
	default:
		if w.bytes += int(info.Size()); w.bytes > maxBytes {
			return errTooMuch
		}
		data, err := w.tree.FS.ReadFile(full, maxFileRead)
		if err != nil {
			fmt.Fprintf(w.to, "%q %d unreadable\n", slash, info.Size())
			return nil //nolint:nilerr // it counts by its size
		}
		fmt.Fprintf(w.to, "%q %t %x\n", slash, info.Mode()&0o111 != 0, sha256.Sum256(data))
	}
	return nil
}

// made reports whether a folder of that name holds what tools made of the
// sources, or keep for themselves.
func made(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".pytest_cache", ".mypy_cache",
		".ruff_cache", ".cache", ".gradle", ".idea", ".vscode", "target", "dist", "build", "out", "coverage", ".coverage", ".nyc_output",
		".next", ".turbo", ".terraform", ".claude", ".gemini":
		return true
	default:
		return false
	}
}

// ignored lists which of paths, absolute ones, git ignores. It asks git only
// about those that a pattern may fit.
func (t Tree) ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	var ask []string
	for _, p := range paths {
		if t.mayIgnore(p) {
			ask = append(ask, p)
		}
	}
	if len(ask) == 0 {
		return nil, nil
	}
	if t.Proc == nil {
		return nil, gate.ErrHandOver
	}
	repo, err := vcs.Open(ctx, t.Proc, t.Root)
	if err != nil {
		return nil, err
	}
	return repo.Ignored(ctx, ask)
}

const maxIgnore = 256 << 10

// mayIgnore reports whether some ignore file that git would read has a pattern
// whose last part fits some part of p. No means that git does not ignore p.
func (t Tree) mayIgnore(p string) bool {
	top := ""
	var files []string
	for dir := filepath.Dir(p); ; {
		files = append(files, filepath.Join(dir, ignoreName))
		if info, err := t.FS.Stat(filepath.Join(dir, ".git")); err == nil {
			top = dir
			git := filepath.Join(dir, ".git")
			if !info.IsDir() {
				git = t.gitDir(git)
			}
			files = append(files, filepath.Join(git, "info", "exclude"))
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false // no repository
		}
		dir = up
	}
	if t.Home != "" {
		files = append(files, filepath.Join(t.Home, ".config", "git", "ignore"))
	}
	rel, err := filepath.Rel(top, p)
	if err != nil {
		return true
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for _, name := range files {
		data, err := t.FS.ReadFile(name, maxIgnore)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
				if _, gone := t.FS.Lstat(name); gone == nil {
					return true // there, and cannot be read
				}
			}
			continue
		}
		for line := range strings.Lines(string(data)) {
			if mayFit(strings.TrimRight(line, " \r\n\t"), parts) {
				return true
			}
		}
	}
	return false
}

// gitDir follows a .git file, to the folder that all worktrees share if it
// belongs to one.
func (t Tree) gitDir(file string) string {
	data, err := t.FS.ReadFile(file, 4096)
	to, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir:")
	if err != nil || !ok {
		return file
	}
	to = filepath.FromSlash(strings.TrimSpace(to))
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(file), to)
	}
	if common := filepath.Dir(filepath.Dir(to)); filepath.Base(filepath.Dir(to)) == "worktrees" {
		return common
	}
	return to
}

// mayFit reports whether the last part of an ignore pattern fits some part of a
// path.
func mayFit(line string, parts []string) bool {
	if line == "" || line[0] == '#' || line[0] == '!' {
		return false
	}
	line = strings.TrimRight(line, "/")
	last := line[strings.LastIndexByte(line, '/')+1:]
	if last == "" || strings.Contains(last, "**") || strings.ContainsAny(last, `\[{`) {
		return true
	}
	for _, part := range parts {
		if ok, err := doublestar.Match(strings.ToLower(last), strings.ToLower(part)); ok || err != nil {
			return true
		}
	}
	return false
}
