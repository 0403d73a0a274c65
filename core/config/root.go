package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ec261362/guardrails/core/fsx"
)

// FileName is the project's configuration file. Its presence at the project
// root is the opt-in, nothing else is.
const FileName = ".guardrails.yaml"

// maxGitFile bounds what is read of a .git file, a commondir and a gitdir.
const maxGitFile = 8 << 10

// FindRoot returns the project root for cwd: the nearest ancestor (cwd
// included) that holds .guardrails.yaml, or .git as a folder, or .git as a file
// of a linked worktree. A submodule's .git file is passed over. home, what lies
// above it and a volume's root are never a root. Without any mark the root is
// cwd, or "" when cwd is home or above.
//
// A cwd reached through a symbolic link is judged where it really lies; the
// answer keeps the caller's spelling when an ancestor of cwd as given is that
// same folder. A cwd that no longer exists is judged by its nearest existing
// ancestor. The only error is a cwd that is not absolute.
func FindRoot(cwd, home string) (string, error) {
	if !filepath.IsAbs(cwd) {
		return "", fmt.Errorf("find the project root: working directory %q is not an absolute path", cwd)
	}
	cwd = filepath.Clean(cwd)
	lies := realPath(cwd)
	for dir := lies; ; {
		if isMarked(dir) && !isHomeOrAbove(dir, home) {
			return respell(dir, lies, cwd), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	if isHomeOrAbove(lies, home) {
		return "", nil
	}
	return cwd, nil
}

// MainCheckout returns the folder that a root's trust is kept under, with
// symbolic links resolved: for a linked worktree its main checkout (or the
// shared bare repository), else root itself. A .git file that only claims to be
// a worktree, without the repository naming it back, is not believed: otherwise
// an unpacked archive could inherit another project's trust.
func MainCheckout(root string) string {
	root = realPath(filepath.Clean(root))
	gitFile := filepath.Join(root, ".git")
	admin, ok := worktreeAdmin(gitFile)
	if !ok {
		return root
	}
	back, err := readLine(filepath.Join(admin, "gitdir"))
	if err != nil {
		return root
	}
	if !filepath.IsAbs(back) {
		back = filepath.Join(admin, back)
	}
	if !sameFile(back, gitFile) {
		return root
	}
	common, err := readLine(filepath.Join(admin, "commondir"))
	if err != nil {
		return root
	}
	if !filepath.IsAbs(common) {
		common = filepath.Join(admin, common)
	}
	common = realPath(filepath.Clean(common))
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	return common
}

// isMarked reports whether dir holds a file or folder that makes it a root.
func isMarked(dir string) bool {
	if fi, err := os.Lstat(filepath.Join(dir, FileName)); err == nil && !fi.IsDir() {
		return true
	}
	git := filepath.Join(dir, ".git")
	fi, err := os.Stat(git)
	if err != nil {
		return false
	}
	if fi.IsDir() {
		return true
	}
	if !fi.Mode().IsRegular() {
		return false
	}
	_, ok := worktreeAdmin(git)
	return ok
}

// worktreeAdmin returns the folder a linked worktree's .git file points to
// (…/worktrees/NAME), and false for any other .git.
func worktreeAdmin(gitFile string) (string, bool) {
	fi, err := os.Stat(gitFile)
	if err != nil || !fi.Mode().IsRegular() {
		return "", false
	}
	line, err := readLine(gitFile)
	if err != nil {
		return "", false
	}
	admin, ok := strings.CutPrefix(line, "gitdir:")
	if !ok {
		return "", false
	}
	admin = filepath.FromSlash(strings.TrimSpace(admin))
	if admin == "" {
		return "", false
	}
	if !filepath.IsAbs(admin) {
		admin = filepath.Join(filepath.Dir(gitFile), admin)
	}
	admin = filepath.Clean(admin)
	group := filepath.Dir(admin)
	if filepath.Base(group) != "worktrees" {
		return "", false
	}
	// A submodule that lives below a folder named worktrees has its gitdir in
	// …/modules/worktrees/NAME. Only a worktree has a commondir file there.
	if filepath.Base(filepath.Dir(group)) == "modules" {
		if _, err := os.Stat(filepath.Join(admin, "commondir")); err != nil {
			return "", false
		}
	}
	return admin, true
}

// isHomeOrAbove reports whether dir, spelled without symbolic links, is home, an
// ancestor of it, or the root of a volume.
func isHomeOrAbove(dir, home string) bool {
	if filepath.Dir(dir) == dir {
		return true
	}
	if !filepath.IsAbs(home) {
		return false
	}
	home = filepath.Clean(home)
	if dir != home && within(dir, home) {
		return false // dir has no links in it, so neither has home
	}
	home = realPath(home)
	if within(home, dir) {
		return true
	}
	// Other spellings of the same folder: another case, a bind mount.
	di, err := os.Stat(dir)
	if err != nil {
		return false
	}
	for h := home; ; {
		if hi, err := os.Stat(h); err == nil && os.SameFile(hi, di) {
			return true
		}
		parent := filepath.Dir(h)
		if parent == h {
			return false
		}
		h = parent
	}
}

// within reports whether path is dir or lies below it, by spelling.
func within(path, dir string) bool {
	if path == dir {
		return true
	}
	rest, ok := strings.CutPrefix(path, dir)
	return ok && rest != "" && (os.IsPathSeparator(rest[0]) || os.IsPathSeparator(dir[len(dir)-1]))
}

// respell returns the ancestor of cwd that is the same folder as dir, which is
// spelled as an ancestor of lies, or dir itself if there is none.
func respell(dir, lies, cwd string) string {
	if lies == cwd {
		return dir
	}
	di, err := os.Stat(dir)
	if err != nil {
		return dir
	}
	for c := cwd; ; {
		if ci, err := os.Stat(c); err == nil && os.SameFile(ci, di) {
			return c
		}
		parent := filepath.Dir(c)
		if parent == c {
			return dir
		}
		c = parent
	}
}

// realPath resolves symbolic links in the part of path that exists; the rest is
// kept as spelled.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	rest := ""
	for dir := path; ; {
		parent := filepath.Dir(dir)
		if parent == dir {
			return path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = parent
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
	}
}

func sameFile(a, b string) bool {
	ai, err := os.Stat(a)
	if err != nil {
		return false
	}
	bi, err := os.Stat(b)
	return err == nil && os.SameFile(ai, bi)
}

// readLine returns the trimmed content of one of git's one-line files.
func readLine(name string) (string, error) {
	data, err := fsx.ReadFile(name, maxGitFile)
	if err != nil {
		return "", err
	}
	line := strings.TrimSpace(string(data))
	if line == "" || strings.ContainsAny(line, "\n\x00") {
		return "", errors.New(name + ": not one line")
	}
	return line, nil
}
