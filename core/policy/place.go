package policy

import (
	"io/fs"
	"path"
	"runtime"
	"strings"

	"github.com/ec261362/guardrails/core/gate"
)

// place resolves paths of one event: from as-written to absolute and through
// symbolic links. Paths inside are slash-separated, Windows drives read "C:/x".
type place struct {
	fs    gate.FS
	home  string // "" = unknown
	root  string // project root, "" = none
	cwd   string
	state string
	temps []string
	fold  bool // file names differ in case only by spelling

	realHome, realRoot string // filled on first use
	realDone           bool
	followed           map[followKey]string // memo of follow

	made []made // by commands of the line
	now  int    // index of the command that is judged
}

// followKey is what follow was asked.
type followKey struct {
	path string
	last bool
}

func newPlace(files gate.FS, home, root, cwd, state string, temps []string) *place {
	if home != "" && !isAbs(tidy(home)) {
		home = "" // says nothing
	}
	return &place{
		fs: files, home: tidy(home), root: tidy(root), cwd: tidy(cwd), state: tidy(state),
		temps: temps, fold: runtime.GOOS == "darwin" || runtime.GOOS == "windows",
	}
}

// tidy returns p with forward slashes, cleaned; "" stays "".
func tidy(p string) string {
	if p == "" {
		return ""
	}
	if winAbs(p) {
		p = strings.ReplaceAll(p, `\`, "/")
		c := path.Clean(p)
		if len(c) == 2 {
			c += "/"
		}
		return c
	}
	if runtime.GOOS == "windows" {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	return path.Clean(p)
}

// winAbs reports whether p begins with a drive letter: C:\x or C:/x or C:.
func winAbs(p string) bool {
	if len(p) < 2 || p[1] != ':' {
		return false
	}
	c := p[0] | 0x20
	return 'a' <= c && c <= 'z' && (len(p) == 2 || p[2] == '\\' || p[2] == '/')
}

func isAbs(p string) bool { return strings.HasPrefix(p, "/") || winAbs(p) }

// driveRoot reports whether p is "/" or a bare drive.
func driveRoot(p string) bool {
	return p == "/" || (winAbs(p) && len(strings.TrimRight(p, `/\`)) == 2)
}

// abs returns p as an absolute clean path seen from dir. ok is false when that
// cannot be said.
func (l *place) abs(dir, p string) (string, bool) {
	if p == "" {
		return "", false
	}
	if p == "~" || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, `~\`) {
		if l.home == "" {
			return "", false
		}
		return tidy(l.home + "/" + p[1:]), true
	}
	if isAbs(p) {
		return tidy(p), true
	}
	if dir == "" {
		return "", false
	}
	return tidy(tidy(dir) + "/" + p), true
}

const maxLinks = 40

// real follows every symbolic link in p, the last component included. What
// does not exist is kept as written.
func (l *place) real(p string) string { return l.follow(p, true) }

// realParent follows the links of p's folders, not p itself: what removing or
// replacing p acts on.
func (l *place) realParent(p string) string { return l.follow(p, false) }

func (l *place) follow(p string, last bool) string {
	if l.fs == nil || !isAbs(p) || driveRoot(p) {
		return p
	}
	key := followKey{p, last}
	if len(l.made) > 0 { // what is true changes along the line
		return l.resolve(p, last)
	}
	if r, ok := l.followed[key]; ok {
		return r
	}
	r := l.resolve(p, last)
	if l.followed == nil {
		l.followed = make(map[followKey]string)
	}
	if len(l.followed) < 1<<13 {
		l.followed[key] = r
	}
	return r
}

func (l *place) resolve(p string, last bool) string {
	links := 0
restart:
	rest := p
	done := ""
	if winAbs(rest) {
		done, rest = rest[:2], rest[2:]
	}
	for rest = strings.TrimPrefix(rest, "/"); rest != ""; {
		part, tail, more := strings.Cut(rest, "/")
		cur := done + "/" + part
		if len(l.made) > 0 {
			kinds := [...]madeKind{madeMount, madeLink}
			n := 1
			if more || last {
				n = 2
			}
			if m, ok := l.seen(cur, kinds[:n]...); ok {
				if links++; links > maxLinks {
					return cur + suffix(tail)
				}
				p = tidy(m.to + suffix(tail))
				if driveRoot(p) {
					return p
				}
				goto restart
			}
		}
		if more || last {
			fi, err := l.fs.Lstat(cur)
			if err != nil {
				if len(l.made) == 0 {
					return cur + suffix(tail)
				}
				done, rest = cur, tail
				continue
			}
			if fi.Mode()&fs.ModeSymlink != 0 {
				to, err := l.fs.Readlink(cur)
				if err == nil {
					if links++; links > maxLinks {
						return cur + suffix(tail)
					}
					to = tidy(to)
					if !isAbs(to) {
						to = done + "/" + to
					}
					p = tidy(to + suffix(tail))
					if !more {
						last = true
					}
					goto restart
				}
			}
		}
		done, rest = cur, tail
	}
	if done == "" {
		return "/"
	}
	return done
}

func suffix(tail string) string {
	if tail == "" {
		return ""
	}
	return "/" + tail
}

func (l *place) resolveOwn() {
	if l.realDone {
		return
	}
	l.realDone = true
	l.realHome, l.realRoot = l.home, l.root
	if l.home != "" {
		l.realHome = l.real(l.home)
	}
	if l.root != "" {
		l.realRoot = l.real(l.root)
	}
}

// same reports whether a and b name the same path.
func (l *place) same(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if l.fold || winAbs(a) {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// within reports whether p is dir or below it.
func (l *place) within(dir, p string) bool { return l.same(dir, p) || l.below(dir, p) }

// below reports whether p is strictly below dir.
func (l *place) below(dir, p string) bool {
	if dir == "" || p == "" {
		return false
	}
	dir = strings.TrimSuffix(dir, "/")
	if len(p) <= len(dir)+1 || p[len(dir)] != '/' {
		return false
	}
	return dir == "" || l.same(dir, p[:len(dir)])
}

// kind says what a path is for someone who would destroy it. The zero value
// is a path inside the project.
type kind int

const (
	inside        kind = iota
	inTemp             // below a temporary folder
	inGit              // below the project's .git
	tempItself         // a temporary folder as a whole
	outside            // anywhere else
	nestedGit          // the .git of a repository inside the project
	gitItself          // the project's whole .git
	projectItself      // the project root, or what holds it
	homeItself         // a home, or what holds ours
	rootItself         // / or a drive
)

// classify says what p, absolute and clean, is: what it is really, links in it
// followed, in p itself only if through is set. A home or project root named
// directly stays one, whatever it links to.
func (l *place) classify(p string, through bool) kind {
	r := l.follow(p, through)
	k := l.classifyOne(r)
	if r != p {
		if lk := l.classifyOne(p); lk >= gitItself && lk > k {
			return lk
		}
	}
	return k
}

func (l *place) classifyOne(p string) kind {
	l.resolveOwn()
	if driveRoot(p) {
		return rootItself
	}
	for _, h := range [...]string{l.home, l.realHome} {
		if h != "" && l.within(p, h) {
			return homeItself
		}
	}
	for _, r := range [...]string{l.root, l.realRoot} {
		if r == "" {
			continue
		}
		if l.within(p, r) {
			return projectItself
		}
		if l.below(r, p) {
			rest := p[len(r)+1:]
			if r == "/" {
				rest = p[1:]
			}
			switch {
			case strings.EqualFold(rest, ".git"):
				return gitItself
			case strings.HasSuffix(strings.ToLower(rest), "/.git"):
				return nestedGit
			case strings.HasPrefix(strings.ToLower(rest), ".git/"):
				return inGit
			}
			return inside
		}
	}
	if someHome(p) {
		return homeItself
	}
	for _, h := range [...]string{l.home, l.realHome} {
		if l.below(h, p) {
			// A home may itself lie in a temporary folder; what is in it does not.
			for _, t := range l.temps {
				if t = tidy(t); l.below(h, t) && l.below(t, p) {
					return inTemp
				}
			}
			return outside
		}
	}
	switch l.temp(p) {
	case 2:
		return inTemp
	case 1:
		return tempItself
	}
	return outside
}

// someHome reports whether p is the home folder of any user by its place.
func someHome(p string) bool {
	switch p {
	case "/root", "/home", "/Users", "/var/root":
		return true
	}
	for _, base := range [...]string{"/home/", "/Users/"} {
		if rest, ok := strings.CutPrefix(p, base); ok && !strings.Contains(rest, "/") {
			return true
		}
	}
	if winAbs(p) {
		rest := strings.ToLower(strings.Trim(p[2:], "/"))
		return rest == "users" || (strings.HasPrefix(rest, "users/") && strings.Count(rest, "/") == 1)
	}
	return false
}

// temp returns 2 for a path below a temporary folder, 1 for such a folder
// itself, else 0.
func (l *place) temp(p string) int {
	got := 0
	each := func(t string) {
		switch {
		case t == "" || t == "/":
		case l.below(t, p):
			got = 2
		case l.same(t, p) && got == 0:
			got = 1
		}
	}
	for _, t := range [...]string{"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm"} {
		each(t)
	}
	for _, t := range l.temps {
		each(tidy(t))
	}
	for _, base := range [...]string{"/var/folders/", "/private/var/folders/"} {
		// /var/folders/ab/cdef/T/… is one user's temporary folder.
		if rest, ok := strings.CutPrefix(p, base); ok {
			parts := strings.Split(rest, "/")
			switch {
			case len(parts) > 3 && (parts[2] == "T" || parts[2] == "C"):
				got = 2
			case got == 0:
				got = 1
			}
		}
	}
	if winAbs(p) && strings.Contains(strings.ToLower(p), "/appdata/local/temp/") {
		got = 2
	}
	return got
}

// exists reports whether something is at p, a dangling link included.
func (l *place) exists(p string) bool {
	if l.fs == nil {
		return false
	}
	_, err := l.fs.Lstat(p)
	return err == nil
}

// show shortens p for a message: relative to the root, or with ~.
func (l *place) show(p string) string {
	if l.below(l.root, p) {
		return p[len(strings.TrimSuffix(l.root, "/"))+1:]
	}
	if l.home != "" && l.home != "/" && l.below(l.home, p) {
		return "~" + p[len(l.home):]
	}
	return p
}
