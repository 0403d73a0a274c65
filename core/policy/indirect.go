package policy

import (
	"io/fs"
	"path"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// met says what guarded file a command writes that another command finds or
// lists for it: find -delete, find -exec, ls | xargs.
func (j *judge) met(c *shellcmd.Command, ws []write) (guard, string, *write) {
	if _, _, deletes := findPartsOf(c); deletes {
		if g, shown := j.foundGuarded(c); g != unguarded {
			return g, shown, &write{remove: true}
		}
	}
	for i := range ws {
		w := &ws[i]
		if w.mode && !takesRead(c) || !unknown(w.path) && !strings.Contains(w.path.Raw, "{}") {
			continue
		}
		for _, f := range j.finders(c, []*word{w.path}) {
			if g, shown := j.foundGuarded(f); g != unguarded {
				return g, shown, w
			}
		}
		for _, k := range w.path.Subst {
			if k < 0 || k >= len(j.line.Commands) {
				continue
			}
			p := &j.line.Commands[k]
			switch p.Program {
			case "ls", "fd", "fdfind", "realpath", "readlink", "git":
				args := p.Args()
				for n := range args {
					if t := args[n].Text; t == "" || t[0] == '-' {
						continue
					}
					if g, shown := j.touched(p, &write{path: &args[n]}); g != unguarded {
						return g, shown, w
					}
				}
			}
		}
	}
	return unguarded, "", nil
}

// takesRead reports whether a chmod takes its owner's right to read away.
func takesRead(c *shellcmd.Command) bool {
	if c.Program != "chmod" {
		return false
	}
	for _, a := range c.Args() {
		switch t := a.Text; {
		case len(t) >= 3 && len(t) < 5 && isOctal(t):
			return (t[len(t)-3]-'0')&4 == 0
		case strings.HasPrefix(t, "-R") || strings.HasPrefix(t, "--"):
		case strings.Contains(t, "-") && strings.Contains(t, "r"), strings.HasSuffix(t, "="):
			return true
		}
	}
	return false
}

func findPartsOf(c *shellcmd.Command) (starts []*word, narrow, deletes bool) {
	if c.Program != "find" && c.Program != "gfind" && c.Program != "bfs" {
		return nil, false, false
	}
	return findParts(c.Args())
}

// foundGuarded says which guarded file a find meets.
func (j *judge) foundGuarded(c *shellcmd.Command) (guard, string) {
	starts, _, _ := findParts(c.Args())
	if len(starts) == 0 {
		starts = []*word{{Text: ".", Raw: ".", Static: true}}
	}
	for _, s := range starts {
		for _, p := range j.paths(c, s) {
			if g, _ := j.guarded(p); g.soft() && j.isDir(p) {
				return g, j.show(p)
			}
			for _, k := range j.known() {
				if !foldWithin(p, k) || !j.exists(k) || !finds(c.Args(), s.Text, p, k, j.isDir(k)) {
					continue
				}
				if g, _ := j.guarded(k); g != unguarded {
					return g, j.show(k)
				}
			}
		}
	}
	return unguarded, ""
}

// finds reports whether a find that starts at start, written so and absolute
// as p, lists k. Tests that it does not know let everything through; what is
// pruned by its path is left out.
func finds(args []word, start, p, k string, dir bool) bool {
	shown := strings.TrimSuffix(start, "/") + k[len(strings.TrimSuffix(p, "/")):]
	either := false
	for i := range args {
		either = either || args[i].Text == "-o" || args[i].Text == "-or"
	}
	hit, tested := true, false
	for i := 1; i < len(args); i++ {
		not := i >= 2 && (args[i-2].Text == "!" || args[i-2].Text == "-not")
		pruned := i+1 < len(args) && args[i+1].Text == "-prune"
		t := args[i].Text
		var ok bool
		switch args[i-1].Text {
		case "-name":
			ok = wild(t, path.Base(k))
		case "-iname":
			ok = wild(strings.ToLower(t), strings.ToLower(path.Base(k)))
		case "-path", "-wholename":
			ok = wild(t, shown)
		case "-ipath", "-iwholename":
			ok = wild(strings.ToLower(t), strings.ToLower(shown))
		case "-type":
			ok = strings.Contains(t, "f") && !dir || strings.Contains(t, "d") && dir
		case "-maxdepth":
			ok = len(t) != 1 || strings.Count(shown, "/") <= int(t[0]-'0')+strings.Count(strings.TrimSuffix(start, "/"), "/")
		case "-newer", "-mtime", "-mmin", "-atime", "-ctime", "-size", "-empty", "-perm", "-regex", "-iregex", "-user", "-newermt":
			ok = false // who knows; most files do not pass it
		default:
			continue
		}
		switch {
		case pruned:
			// The part that is left out, also for what lies below it.
			for q := shown; !ok && len(q) > len(start); {
				cut := strings.LastIndexByte(q, '/')
				ok = wild(t, q) || args[i-1].Text == "-name" && wild(t, q[cut+1:])
				if cut < 0 {
					break
				}
				q = q[:cut]
			}
			if ok && either {
				return false
			}
			continue
		case not:
			if ok {
				return false
			}
			continue
		}
		if either {
			tested, hit = true, (hit && tested) || ok
			continue
		}
		hit = hit && ok
	}
	return hit
}

// patched returns the files that a patch names which c applies, absolute.
func (j *judge) patched(c *shellcmd.Command) []string {
	var text string
	strip, dir := 1, c.Dir
	var files []*word
	switch c.Program {
	case "git":
		g := j.git(c)
		if g.sub != "apply" && g.sub != "am" {
			return nil
		}
		as := (&grammar{short: "pC", long: []string{"--directory", "--exclude", "--include", "--whitespace", "--patch-format"}}).parse(g.args)
		if has(as, "--stat", "--numstat", "--summary", "--check", "--cached") && !has(as, "--apply") {
			return nil
		}
		if w := valueOf(as, "-p"); w != nil && len(w.Text) == 1 {
			strip = int(w.Text[0] - '0')
		}
		if dir = g.dir; j.within(j.root, dir) {
			dir = j.root
		}
		if w := valueOf(as, "--directory"); w != nil {
			dir = tidy(dir + "/" + w.Text)
		}
		files = operands(as)
	case "patch", "gpatch":
		as := patchFlags.parse(c.Args())
		if has(as, "--dry-run") {
			return nil
		}
		strip = -1 // without -p: the base name, or the path if it is there
		if w := valueOf(as, "-p", "--strip"); w != nil && len(w.Text) == 1 {
			strip = int(w.Text[0] - '0')
		}
		if w := valueOf(as, "-d", "--directory"); w != nil {
			if p, ok := j.abs(c.Dir, w.Text); ok {
				dir = p
			}
		}
		if w := valueOf(as, "-i", "--input"); w != nil {
			files = []*word{w}
		}
	default:
		return nil
	}
	switch {
	case len(files) > 0:
		for _, f := range files {
			for _, p := range j.paths(c, f) {
				if data, err := j.readSome(p); err == nil {
					text += string(data) + "\n"
				}
			}
		}
	case c.Stdin.Known:
		text = c.Stdin.Text
	case c.Stdin.Kind == shellcmd.File:
		for _, p := range j.paths(c, &c.Stdin.File) {
			if data, err := j.readSome(p); err == nil {
				text += string(data)
			}
		}
	}
	if text == "" || dir == "" {
		return nil
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		var name string
		for _, lead := range [...]string{"--- ", "+++ ", "rename to ", "rename from ", "copy to ", "*** "} {
			if rest, ok := strings.CutPrefix(line, lead); ok {
				name, _, _ = strings.Cut(rest, "\t")
				name = strings.Trim(strings.TrimSpace(name), `"`)
				if strings.HasPrefix(lead, "rename") || strings.HasPrefix(lead, "copy") {
					name = "x/" + name
					if strip != 1 {
						name = name[2:]
					}
				}
				break
			}
		}
		if name == "" || name == "/dev/null" || len(out) > 256 {
			continue
		}
		cut := name
		for range strip {
			if _, rest, ok := strings.Cut(cut, "/"); ok {
				cut = rest
			}
		}
		out = append(out, tidy(dir+"/"+cut))
		if strip < 0 {
			_, rest, _ := strings.Cut(name, "/")
			out = append(out, tidy(dir+"/"+rest), tidy(dir+"/"+path.Base(name)))
		}
	}
	return out
}

const maxPatch = 1 << 20

func (j *judge) readSome(p string) ([]byte, error) {
	if j.fs == nil {
		return nil, fs.ErrNotExist
	}
	return j.fs.ReadFile(j.real(p), maxPatch)
}
