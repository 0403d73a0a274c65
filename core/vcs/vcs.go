// Package vcs asks git about a working tree: what it is, what it holds now,
// and what changed in it since a commit.
//
// It runs git through gate.Proc and imports nothing else of ours. It only
// reads: neither the index nor the object store of the repository is written
// (git may set the time of an object that it meets again), and no lock is
// taken in it. Nothing that the repository's configuration
// names is run: no hook, file system monitor, pager, external diff, text
// conversion, clean filter or remote helper. Variables such as GIT_DIR that a
// surrounding git set for its own hook do not reach ours.
//
// A clean filter (Git LFS is one) is switched off, so a file under one counts
// by its bytes as soon as git cannot tell from the file's times that it is
// unchanged: at worst such a file looks changed when it is not. The mark
// assume-unchanged hides nothing from us.
package vcs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/ec261362/guardrails/core/gate"
)

var (
	// ErrNoRepo is wrapped when a folder is in no working tree of git; a bare
	// repository has none.
	ErrNoRepo = errors.New("not in a git working tree")
	// ErrNoCommit is wrapped when a revision does not name a commit, as HEAD does
	// not in a new repository.
	ErrNoCommit = errors.New("no such commit")
)

// Repo is one working tree: a main checkout, a linked worktree or a submodule.
// It is safe for parallel use.
type Repo struct {
	proc      gate.Proc
	root      string
	realRoot  string
	gitDir    string
	commonDir string

	filterMu  sync.Mutex
	filterEnv []string // nil = not asked yet
}

// Open finds the working tree that dir is in. The error wraps ErrNoRepo if
// there is none. It runs no program.
func Open(_ context.Context, p gate.Proc, dir string) (*Repo, error) {
	if p == nil {
		return nil, errors.New("open git repository: programs cannot be run here")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open git repository: %w", err)
	}
	root, gitDir, err := discover(dir)
	if errors.Is(err, ErrNoRepo) {
		// The folder may be a link into a working tree.
		if real, rerr := filepath.EvalSymlinks(dir); rerr == nil && real != dir {
			root, gitDir, err = discover(real)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open git repository at %s: %w", dir, err)
	}
	common, err := commonDir(gitDir)
	if err != nil {
		return nil, fmt.Errorf("open git repository at %s: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		real = root
	}
	return &Repo{proc: p, root: root, realRoot: real, gitDir: gitDir, commonDir: common}, nil
}

// discover walks up from dir to the first folder with a .git that is a
// repository's.
func discover(dir string) (root, gitDir string, err error) {
	for at := dir; ; {
		if g, ok := gitDirOf(filepath.Join(at, ".git")); ok {
			return at, g, nil
		}
		if filepath.Base(at) != ".git" && isGitDir(at) {
			return "", "", fmt.Errorf("%s is a bare repository: %w", at, ErrNoRepo)
		}
		up := filepath.Dir(at)
		if up == at {
			return "", "", ErrNoRepo
		}
		at = up
	}
}

// gitDirOf follows a .git, which is a folder or a file that names one.
func gitDirOf(name string) (string, bool) {
	info, err := os.Stat(name)
	if err != nil {
		return "", false
	}
	if info.IsDir() {
		return name, isGitDir(name)
	}
	if !info.Mode().IsRegular() || info.Size() > 1<<16 {
		return "", false
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", false
	}
	dir, ok := strings.CutPrefix(string(data), "gitdir:")
	if !ok {
		return "", false
	}
	dir = filepath.FromSlash(strings.Trim(dir, " \t\r\n"))
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(name), dir)
	}
	return filepath.Clean(dir), isGitDir(dir)
}

// isGitDir reports whether a folder is laid out as a repository's or a linked
// worktree's.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	if isFile(filepath.Join(dir, "commondir")) {
		return true
	}
	return isDir(filepath.Join(dir, "objects")) && isDir(filepath.Join(dir, "refs"))
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func commonDir(gitDir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if errors.Is(err, os.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", err
	}
	dir := filepath.FromSlash(strings.TrimRight(string(data), "\r\n"))
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(gitDir, dir)
	}
	return filepath.Clean(dir), nil
}

// Root is the top folder of the working tree, absolute, by the way it was
// opened: links in it are kept.
func (r *Repo) Root() string { return r.root }

// GitDir is this working tree's own folder in the repository, absolute.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir is the repository's folder, absolute: the same for a main checkout
// and all its linked worktrees.
func (r *Repo) CommonDir() string { return r.commonDir }

// ID names the repository on this machine: 16 hex digits, the same for a main
// checkout and all its linked worktrees, another for a clone elsewhere.
func (r *Repo) ID() string {
	dir := r.commonDir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	sum := sha256.Sum256([]byte(filepath.ToSlash(dir)))
	return hex.EncodeToString(sum[:8])
}

// Rel returns a file's path from the root, with slashes, and whether it lies
// in the working tree at all. A relative name counts from the root.
func (r *Repo) Rel(name string) (string, bool) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.root, name)
	}
	name = filepath.Clean(name)
	for _, root := range []string{r.root, r.realRoot} {
		if rel, ok := below(root, name); ok {
			return rel, true
		}
	}
	// The file may be gone: what resolves is its nearest folder that is there.
	dir, rest := filepath.Dir(name), filepath.Base(name)
	for {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return below(r.realRoot, filepath.Join(real, rest))
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir, rest = up, filepath.Join(filepath.Base(dir), rest)
	}
}

func below(root, name string) (string, bool) {
	rel, err := filepath.Rel(root, name)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Head returns the id of the commit that is checked out. The error wraps
// ErrNoCommit in a repository without one.
func (r *Repo) Head(ctx context.Context) (string, error) { return r.Commit(ctx, "HEAD") }

// Commit returns the id of the commit that rev names. The error wraps
// ErrNoCommit if it names none.
func (r *Repo) Commit(ctx context.Context, rev string) (string, error) {
	if rev == "" || strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, "\x00\n") {
		return "", fmt.Errorf("revision %q: %w", rev, ErrNoCommit)
	}
	out, code, err := r.run(ctx, call{args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", rev + "^{commit}"}, ok: []int{0, 1, 128}})
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if code != 0 || id == "" {
		return "", fmt.Errorf("revision %q: %w", rev, ErrNoCommit)
	}
	return id, nil
}

// MergeBase returns the best common ancestor of two commits, "" if they have
// none.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	ids, err := r.both(ctx, a, b)
	if err != nil {
		return "", err
	}
	out, _, err := r.run(ctx, call{args: []string{"merge-base", ids[0], ids[1]}, ok: []int{0, 1}})
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(string(out), "\n")
	return id, nil
}

// IsAncestor reports whether a is b or one of its ancestors.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	ids, err := r.both(ctx, a, b)
	if err != nil {
		return false, err
	}
	_, code, err := r.run(ctx, call{args: []string{"merge-base", "--is-ancestor", ids[0], ids[1]}, ok: []int{0, 1}})
	return code == 0 && err == nil, err
}

func (r *Repo) both(ctx context.Context, a, b string) (ids [2]string, err error) {
	for i, rev := range []string{a, b} {
		if ids[i], err = r.Commit(ctx, rev); err != nil {
			return ids, err
		}
	}
	return ids, nil
}

// Since returns the commit from which a change that began at base counts: base
// itself while it is an ancestor of HEAD, else their merge base. If they have
// nothing in common, as it looks in a shallow clone, it is base. "" is the empty
// tree; so are git's own ids of it.
func (r *Repo) Since(ctx context.Context, base string) (string, error) {
	switch base {
	case "", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321":
		return "", nil // the empty tree, as people write it for "from the beginning"
	}
	id, err := r.Commit(ctx, base)
	if err != nil {
		return "", err
	}
	head, err := r.Head(ctx)
	if errors.Is(err, ErrNoCommit) {
		return id, nil
	}
	if err != nil {
		return "", err
	}
	common, err := r.MergeBase(ctx, id, head)
	if common == "" {
		common = id
	}
	return common, err
}

// Ignored tells which of the paths the repository's ignore rules leave out; a
// tracked file is not ignored. Paths are absolute or count from the root; the
// result has the paths as given, only ignored ones, and nothing outside the
// working tree.
func (r *Repo) Ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	asked := make(map[string][]string, len(paths))
	var rels []string
	for _, p := range paths {
		rel, ok := r.Rel(p)
		if !ok || rel == "." || strings.ContainsRune(rel, 0) {
			continue
		}
		if asked[rel] == nil {
			rels = append(rels, rel)
		}
		asked[rel] = append(asked[rel], p)
	}
	out := make(map[string]bool)
	if err := r.ignored(ctx, rels, asked, out); err != nil {
		return nil, err
	}
	return out, nil
}

func (r *Repo) ignored(ctx context.Context, rels []string, asked map[string][]string, out map[string]bool) error {
	if len(rels) == 0 {
		return nil
	}
	// This command takes no literal paths; none of them starts with magic behind ./
	names := make([]string, len(rels))
	for i, rel := range rels {
		names[i] = "./" + rel
	}
	text, code, err := r.run(ctx, call{
		args: []string{"check-ignore", "-z", "--stdin"}, stdin: joinZ(names), env: []string{"GIT_LITERAL_PATHSPECS=0"}, ok: []int{0, 1, 128}, max: 64 << 20,
	})
	if err != nil {
		return err
	}
	if code == 128 {
		// Git refuses the whole list for one path that lies behind a link or in a
		// submodule.
		if len(rels) == 1 {
			return nil
		}
		half := len(rels) / 2
		return errors.Join(r.ignored(ctx, rels[:half], asked, out), r.ignored(ctx, rels[half:], asked, out))
	}
	for _, rel := range splitZ(text) {
		for _, p := range asked[strings.TrimPrefix(rel, "./")] {
			out[p] = true
		}
	}
	return nil
}

// A call is one run of git.
type call struct {
	args  []string
	stdin []byte
	env   []string // after ours
	ok    []int    // exit codes that are answers; nil = 0
	max   int      // bytes of output, 0 = 1 MiB; more is an error
}

const gitTimeout = 2 * time.Minute

// run runs git in the working tree. An exit code outside c.ok is an error.
func (r *Repo) run(ctx context.Context, c call) ([]byte, int, error) {
	argv := append([]string{
		"git", "--no-pager",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.quotePath=false",
		"-c", "core.splitIndex=false", "-c", "core.safecrlf=false", "-c", "core.looseCompression=0", "-c", "core.fsync=none",
		"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "protocol.allow=never", "-c", "submodule.recurse=false",
	}, c.args...)
	max := c.max
	if max == 0 {
		max = 1 << 20
	}
	exit, err := r.proc.Run(ctx, gate.Command{
		Argv: argv, Dir: r.root, Stdin: c.stdin, MaxOutput: max, Timeout: gitTimeout,
		Env: append(r.environ(), c.env...),
	})
	what := "git " + c.args[0]
	switch {
	case err != nil:
		return nil, -1, fmt.Errorf("%s in %s: %w", what, r.root, err)
	case exit.TimedOut:
		return nil, -1, fmt.Errorf("%s in %s: not finished after %s: %w", what, r.root, exit.Took.Round(time.Millisecond), context.DeadlineExceeded)
	case exit.Truncated && len(exit.Stdout) > max:
		return nil, -1, fmt.Errorf("%s in %s: %w", what, r.root, errTooLong)
	}
	if exit.Code == 0 && c.ok == nil {
		return exit.Stdout, 0, nil
	}
	for _, code := range c.ok {
		if exit.Code == code {
			return exit.Stdout, code, nil
		}
	}
	why := strings.TrimSpace(string(bytes.ToValidUTF8(exit.Stderr, []byte("?"))))
	if len(why) > 400 {
		why = why[:400]
	}
	if exit.Signal != "" {
		why = "killed by " + exit.Signal
	}
	return nil, exit.Code, fmt.Errorf("%s in %s: exit code %d: %s", what, r.root, exit.Code, why)
}

var errTooLong = errors.New("its output is too long")

// environ says all that git would else take from variables around us.
func (r *Repo) environ() []string {
	return []string{
		"GIT_DIR=" + r.gitDir, "GIT_WORK_TREE=" + r.root, "GIT_COMMON_DIR=" + r.commonDir,
		"GIT_INDEX_FILE=" + filepath.Join(r.gitDir, "index"),
		"GIT_OBJECT_DIRECTORY=" + filepath.Join(r.commonDir, "objects"), "GIT_ALTERNATE_OBJECT_DIRECTORIES=",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NAMESPACE=", "GIT_PREFIX=",
		"GIT_LITERAL_PATHSPECS=1", "GIT_GLOB_PATHSPECS=0", "GIT_NOGLOB_PATHSPECS=0", "GIT_ICASE_PATHSPECS=0",
		"GIT_CONFIG_PARAMETERS=", "GIT_CONFIG_COUNT=0", "GIT_EXTERNAL_DIFF=", "GIT_DIFF_OPTS=",
		"GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "PAGER=cat", "GIT_TRACE=0", "LC_ALL=C", "LANGUAGE=",
	}
}

// unfiltered returns the variables that switch off each configured clean
// filter.
func (r *Repo) unfiltered(ctx context.Context) ([]string, error) {
	r.filterMu.Lock()
	defer r.filterMu.Unlock()
	if r.filterEnv != nil {
		return r.filterEnv, nil
	}
	text, _, err := r.run(ctx, call{args: []string{"config", "-z", "--name-only", "--get-regexp", `^filter\..*\.(clean|process)$`}, ok: []int{0, 1}})
	if err != nil {
		return nil, err
	}
	env := []string{}
	seen := make(map[string]bool)
	n := 0
	for _, key := range splitZ(text) {
		dot := strings.LastIndexByte(key, '.')
		if dot < 0 || seen[key[:dot]] {
			continue
		}
		name := key[:dot]
		seen[name] = true
		for _, kv := range [][2]string{{".clean", ""}, {".process", ""}, {".required", "false"}} {
			env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s%s", n, name, kv[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, kv[1]))
			n++
		}
	}
	r.filterEnv = append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
	return r.filterEnv, nil
}

// quoteAlternate writes a folder as git reads it in a list of object stores.
func quoteAlternate(dir string) string {
	if runtime.GOOS == "windows" {
		dir = filepath.ToSlash(dir)
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(dir) + `"`
}

func joinZ(paths []string) []byte {
	var b []byte
	for _, p := range paths {
		b = append(append(b, p...), 0)
	}
	return b
}

func splitZ(text []byte) []string {
	s := strings.TrimSuffix(string(text), "\x00")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}
