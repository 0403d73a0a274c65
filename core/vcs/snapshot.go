package vcs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of what is copied into a snapshot's own object store.
const (
	maxBlob      = 4 << 20 // a larger file that git does not track is counted, not compared
	maxUntracked = 2000    // more files than that are compared with nothing: each is new
	listLimit    = 256 << 20
)

// TreeDigest returns a digest of what the working tree holds: the paths,
// contents and executable bits of the files that git tracks and of those that
// it neither tracks nor ignores, and the commits of submodules. To stage or to
// commit does not change it. Files that match one of exclude do not count:
// each is a path from the root, where * and ** stand for part of a name and
// for folders, and a folder stands for all below it.
//
// A file over 4 MiB that is not tracked counts by its size and time, one that
// cannot be read by its size.
func (r *Repo) TreeDigest(ctx context.Context, exclude ...string) (string, error) {
	s, err := r.snapshot(ctx, false)
	if err != nil {
		return "", err
	}
	defer s.Close()
	if err := s.leaveOut(ctx, exclude); err != nil {
		return "", err
	}
	if err := s.writeTree(ctx); err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "tree %s\n", s.tree)
	for _, f := range s.apart {
		fmt.Fprintf(h, "%q %d %d\n", f.path, f.size, f.time)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// A Snapshot is what the working tree held when it was taken, as a tree of git
// in an object store of its own. Close removes it.
type Snapshot struct {
	repo  *Repo
	dir   string
	tree  string
	env   []string
	apart []apart // files that are in no tree, sorted
}

// apart is a file that a snapshot only counts.
type apart struct {
	path    string
	size    int64
	time    int64
	tracked bool
}

// Snapshot takes one to compare with commits. The caller must Close it.
func (r *Repo) Snapshot(ctx context.Context) (*Snapshot, error) {
	s, err := r.snapshot(ctx, true)
	if err != nil {
		return nil, err
	}
	if err := s.writeTree(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close removes what the snapshot wrote, all of it in a temporary folder.
func (s *Snapshot) Close() { _ = os.RemoveAll(s.dir) }

// snapshot builds the index of the working tree; with contents, the blobs that
// the repository lacks are written, else only named. A file that goes while git
// looks at it makes git give up: then it looks once more.
func (r *Repo) snapshot(ctx context.Context, contents bool) (*Snapshot, error) {
	s, err := r.trySnapshot(ctx, contents)
	if err != nil && ctx.Err() == nil {
		s, err = r.trySnapshot(ctx, contents)
	}
	return s, err
}

func (r *Repo) trySnapshot(ctx context.Context, contents bool) (_ *Snapshot, err error) {
	filters, err := r.unfiltered(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "guardrails-vcs-")
	if err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", r.root, err)
	}
	s := &Snapshot{repo: r, dir: dir}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	index, objects := filepath.Join(dir, "index"), filepath.Join(dir, "objects")
	if err := os.Mkdir(objects, 0o700); err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", r.root, err)
	}
	if err := copyFile(index, filepath.Join(r.gitDir, "index")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("snapshot of %s: %w", r.root, err)
	}
	s.env = append(append([]string{}, filters...),
		"GIT_INDEX_FILE="+index, "GIT_OBJECT_DIRECTORY="+objects,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+quoteAlternate(filepath.Join(r.commonDir, "objects")))

	if err := s.assumeNothing(ctx); err != nil {
		return nil, err
	}
	text, _, err := r.run(ctx, call{args: []string{"ls-files", "-z", "-t", "-m", "-d", "-o", "--exclude-standard", "--deduplicate"}, env: s.env, max: listLimit})
	if err != nil {
		return nil, err
	}
	var tracked, untracked []string
	for _, line := range splitZ(text) {
		tag, path, ok := strings.Cut(line, " ")
		switch {
		case !ok:
		case tag == "?":
			untracked = append(untracked, path)
		default:
			tracked = append(tracked, path)
		}
	}
	slices.Sort(tracked)
	tracked = slices.Compact(tracked)
	var gone, add []string
	for _, path := range tracked {
		switch full := filepath.Join(r.root, filepath.FromSlash(path)); kind(full) {
		case kindNone, kindFolder:
			gone = append(gone, path)
		case kindFile:
			if !readable(full) {
				s.count(path)
				s.apart[len(s.apart)-1].tracked = true
				continue
			}
			add = append(add, path)
		default:
			add = append(add, path)
		}
	}
	many := contents && len(untracked) > maxUntracked
	for _, path := range untracked {
		full := filepath.Join(r.root, filepath.FromSlash(path))
		switch kind(full) {
		case kindFile:
			if info, err := os.Lstat(full); many || err != nil || info.Size() > maxBlob || !readable(full) {
				s.count(path)
				continue
			}
			add = append(add, path)
		case kindLink:
			add = append(add, path)
		case kindRepo:
			// A repository inside that nobody made a submodule: its files are its own.
			s.count(strings.TrimSuffix(path, "/"))
		}
	}
	slices.SortFunc(s.apart, func(a, b apart) int { return strings.Compare(a.path, b.path) })
	if len(gone) > 0 {
		if _, _, err := r.run(ctx, call{args: []string{"update-index", "--force-remove", "-z", "--stdin"}, env: s.env, stdin: joinZ(gone)}); err != nil {
			return nil, err
		}
	}
	if len(add) > 0 {
		args := []string{"update-index", "--add", "--remove", "--replace"}
		if !contents {
			args = append(args, "--info-only")
		}
		if _, _, err := r.run(ctx, call{args: append(args, "-z", "--stdin"), env: s.env, stdin: joinZ(add)}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// assumeNothing takes the mark off files of which the index was told to assume
// that they are unchanged.
func (s *Snapshot) assumeNothing(ctx context.Context) error {
	text, _, err := s.repo.run(ctx, call{args: []string{"ls-files", "-z", "-v"}, env: s.env, max: listLimit})
	if err != nil {
		return err
	}
	var marked []string
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{0})
		text = rest
		// The tag of a marked file is a small letter.
		if len(line) > 2 && line[0] >= 'a' && line[0] <= 'z' {
			marked = append(marked, string(line[2:]))
		}
	}
	if len(marked) == 0 {
		return nil
	}
	_, _, err = s.repo.run(ctx, call{args: []string{"update-index", "--no-assume-unchanged", "-z", "--stdin"}, env: s.env, stdin: joinZ(marked)})
	return err
}

func (s *Snapshot) count(path string) {
	f := apart{path: path}
	if info, err := os.Lstat(filepath.Join(s.repo.root, filepath.FromSlash(path))); err == nil {
		f.size, f.time = info.Size(), info.ModTime().UnixNano()
		if info.IsDir() {
			f.size, f.time = 0, 0
		}
	}
	s.apart = append(s.apart, f)
}

// leaveOut takes what matches the patterns out of the snapshot.
func (s *Snapshot) leaveOut(ctx context.Context, patterns []string) error {
	if len(patterns) == 0 {
		return nil
	}
	args := []string{"ls-files", "-z", "-c", "-o", "--"}
	for _, p := range patterns {
		p = strings.Trim(filepath.ToSlash(p), "/")
		if p == "" {
			return errors.New("tree digest: an empty pattern would leave out everything")
		}
		args = append(args, p)
	}
	env := append(slices.Clone(s.env), "GIT_LITERAL_PATHSPECS=0", "GIT_GLOB_PATHSPECS=1")
	text, _, err := s.repo.run(ctx, call{args: args, env: env, max: listLimit})
	if err != nil {
		return err
	}
	paths := splitZ(text)
	if len(paths) == 0 {
		return nil
	}
	out := make(map[string]bool, len(paths))
	for _, p := range paths {
		out[strings.TrimSuffix(p, "/")] = true
	}
	s.apart = slices.DeleteFunc(s.apart, func(f apart) bool { return out[f.path] })
	_, _, err = s.repo.run(ctx, call{args: []string{"update-index", "--force-remove", "-z", "--stdin"}, env: s.env, stdin: text})
	return err
}

func (s *Snapshot) writeTree(ctx context.Context) error {
	text, _, err := s.repo.run(ctx, call{args: []string{"write-tree", "--missing-ok"}, env: s.env})
	if err != nil {
		return err
	}
	s.tree = strings.TrimSpace(string(text))
	return nil
}

type fileKind int

const (
	kindNone fileKind = iota
	kindFile
	kindLink
	kindFolder
	kindRepo
)

func kind(name string) fileKind {
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return kindNone
	case info.Mode().IsRegular():
		return kindFile
	case info.Mode()&fs.ModeSymlink != 0:
		return kindLink
	case info.IsDir():
		if _, ok := gitDirOf(filepath.Join(name, ".git")); ok {
			return kindRepo
		}
		return kindFolder
	}
	return kindNone
}

func readable(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return errors.Join(err, out.Close())
	}
	if err := out.Close(); err != nil {
		return err
	}
	// Git trusts a file's times only against those of the index.
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// Files returns the paths of all files in the working tree that git tracks, or
// neither tracks nor ignores, from the root, sorted. A tracked file that was
// deleted is not among them.
func (r *Repo) Files(ctx context.Context) ([]string, error) {
	filters, err := r.unfiltered(ctx)
	if err != nil {
		return nil, err
	}
	text, _, err := r.run(ctx, call{args: []string{"ls-files", "-z", "-t", "-c", "-d", "-o", "--exclude-standard"}, env: filters, max: listLimit})
	if err != nil {
		return nil, err
	}
	var out, gone []string
	for _, line := range splitZ(text) {
		tag, path, ok := strings.Cut(line, " ")
		switch {
		case !ok || strings.HasSuffix(path, "/"):
		case tag == "R":
			gone = append(gone, path)
		default:
			out = append(out, path)
		}
	}
	slices.Sort(out)
	slices.Sort(gone)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(p string) bool {
		_, found := slices.BinarySearch(gone, p)
		return found
	}), nil
}
