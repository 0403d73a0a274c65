package leak

import (
	"bytes"
	"io/fs"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ec261362/guardrails/core/gate"
)

// disk answers what this gate asks about files. Paths are slash-separated;
// Windows drives read C:/x.
type disk struct {
	fs   gate.FS // nil = nothing can be seen
	home string  // "" = unknown
}

func slash(p string) string {
	if isDrive(p) || strings.HasPrefix(p, `\\`) {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}

func isDrive(p string) bool {
	return len(p) > 2 && p[1] == ':' && 'a' <= p[0]|0x20 && p[0]|0x20 <= 'z' && (p[2] == '/' || p[2] == '\\')
}

func isAbs(p string) bool { return strings.HasPrefix(p, "/") || isDrive(p) }

// abs returns p as a clean absolute path seen from dir; ok is false when that
// cannot be said.
func (d *disk) abs(dir, p string) (abs string, ok bool) {
	p = slash(p)
	switch {
	case p == "":
		return "", false
	case strings.HasPrefix(p, "~/"):
		if d.home == "" {
			return "", false
		}
		p = d.home + p[1:]
	case !isAbs(p):
		if dir == "" {
			return "", false
		}
		p = slash(dir) + "/" + p
	}
	return path.Clean(p), true
}

// show shortens an absolute path for a message and for exceptions: relative to
// the project root, or with ~.
func (j *judge) show(p, written string) string {
	if p == "" {
		return written
	}
	if rest, ok := below(j.root, p); ok {
		return rest
	}
	if rest, ok := below(j.home, p); ok {
		return "~/" + rest
	}
	return p
}

func below(dir, p string) (rest string, ok bool) {
	if dir == "" {
		return "", false
	}
	return strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}

// content returns what is in the file at p, "" if that cannot be had.
func (d *disk) content(p string) string {
	if d.fs == nil {
		return ""
	}
	data, err := d.fs.ReadFile(p, maxFile)
	if err != nil {
		return ""
	}
	return string(data)
}

const maxLinks = 40

// real follows every symbolic link in p; what does not exist is kept as written.
func (d *disk) real(p string) string {
	if d.fs == nil {
		return p
	}
	for links := 0; ; {
		done, rest := "", p
		if isDrive(p) {
			done, rest = p[:2], p[2:]
		}
		again := false
		for rest = strings.TrimPrefix(rest, "/"); rest != "" && !again; {
			part, tail, _ := strings.Cut(rest, "/")
			at := done + "/" + part
			info, err := d.fs.Lstat(at)
			if err != nil {
				return p
			}
			if info.Mode()&fs.ModeSymlink != 0 {
				to, err := d.fs.Readlink(at)
				if links++; err != nil || links > maxLinks {
					return p
				}
				if to = slash(to); !isAbs(to) {
					to = done + "/" + to
				}
				p, again = path.Clean(to+"/"+tail), true
			}
			done, rest = at, tail
		}
		if !again {
			return p
		}
	}
}

// repository returns the folder above p that holds a .git, "" if none does.
func (d *disk) repository(p string) string {
	for dir, n := path.Dir(p), 0; n < 128; dir, n = path.Dir(dir), n+1 {
		if _, err := d.fs.Lstat(strings.TrimSuffix(dir, "/") + "/.git"); err == nil {
			return dir
		}
		if dir == path.Dir(dir) {
			break
		}
	}
	return ""
}

// ignored reports whether git ignores p and does not have it already. sure is
// false when that cannot be said: no repository, an index that cannot be read.
func (d *disk) ignored(p string) (ignored, sure bool) {
	if d.fs == nil || !isAbs(p) {
		return false, false
	}
	repo := d.repository(p)
	rel, ok := below(repo, p)
	if !ok {
		return false, false
	}
	git := d.gitDir(repo)
	files := []ignoreFile{}
	for _, f := range [...]string{d.home + "/.config/git/ignore", git + "/info/exclude"} {
		files = d.patterns(files, f, repo)
	}
	// Of each folder on the way its own .gitignore counts for what is in it;
	// nothing in an ignored folder comes back.
	at := repo
	for rest := rel; ; {
		files = d.patterns(files, strings.TrimSuffix(at, "/")+"/.gitignore", at)
		part, tail, more := strings.Cut(rest, "/")
		at = strings.TrimSuffix(at, "/") + "/" + part
		if ignoredBy(files, at, more) {
			tracked, known := d.tracked(git, rel)
			return !tracked, known
		}
		if !more {
			return false, true
		}
		rest = tail
	}
}

// gitDir returns where a repository's own files are.
func (d *disk) gitDir(repo string) string {
	git := strings.TrimSuffix(repo, "/") + "/.git"
	if info, err := d.fs.Stat(git); err != nil || info.IsDir() {
		return git
	}
	data, err := d.fs.ReadFile(git, 4096)
	to, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir:")
	if err != nil || !ok {
		return git
	}
	to, _ = d.abs(repo, strings.TrimSpace(to))
	return to
}

type ignoreFile struct {
	base  string
	lines []string
}

func (d *disk) patterns(files []ignoreFile, name, base string) []ignoreFile {
	data, err := d.fs.ReadFile(name, 1<<18)
	if err != nil || len(data) == 0 {
		return files
	}
	return append(files, ignoreFile{base, strings.Split(string(data), "\n")})
}

// ignoredBy reports whether the last pattern that fits p ignores it.
func ignoredBy(files []ignoreFile, p string, dir bool) bool {
	state := false
	for i := range files {
		rel, ok := below(files[i].base, p)
		if !ok {
			continue
		}
		for _, line := range files[i].lines {
			line = strings.TrimSuffix(line, "\r")
			for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
				line = line[:len(line)-1]
			}
			if line == "" || line[0] == '#' {
				continue
			}
			pattern, not := strings.CutPrefix(line, "!")
			if fits(pattern, rel, dir) {
				state = !not
			}
		}
	}
	return state
}

// fits reports whether one pattern of a .gitignore names rel itself.
func fits(pattern, rel string, dir bool) bool {
	pattern, only := strings.CutSuffix(pattern, "/")
	if only && !dir {
		return false
	}
	anchored := strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	if pattern == "" {
		return false
	}
	if !anchored {
		rel = path.Base(rel)
	}
	return glob(strings.NewReplacer("{", `\{`, "}", `\}`).Replace(pattern), rel)
}

func glob(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return err == nil && ok
}

// tracked reports whether git's index lists rel, and whether that can be said.
func (d *disk) tracked(git, rel string) (tracked, known bool) {
	const most = 64 << 20
	index, err := d.fs.ReadFile(git+"/index", most)
	if err != nil {
		_, missing := d.fs.Lstat(git + "/index")
		return false, missing != nil // no index yet: nothing is tracked
	}
	// Version 4 shortens paths by what they share. Versions 2 and 3 have each
	// whole, behind two bytes whose low 12 bits are its length.
	if len(index) < 12 || string(index[:4]) != "DIRC" || index[7] > 3 {
		return false, false
	}
	want := append([]byte(rel), 0)
	length := min(len(rel), 0xfff)
	for at := 12; ; {
		i := bytes.Index(index[at:], want)
		if i < 0 {
			return false, true
		}
		at += i
		if int(index[at-2]&0x0f)<<8|int(index[at-1]) == length {
			return true, true
		}
		at++
	}
}
