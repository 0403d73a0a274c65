package policy

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// leaveFlag reports whether a flag's value names what a program is to leave out.
func leaveFlag(program, flag string) bool {
	switch flag {
	case "--exclude", "--exclude-dir", "--ignore", "--ignore-pattern", "--ignore-path", "--ignore-file", "--ignore-files", "--ignore-glob", "--skip", "--hide", "--exclude-file", "--exclude-files":
		return true
	case "-x":
		return program == "diff" || program == "zip"
	case "-E":
		return program == "fd" || program == "fdfind"
	case "-I":
		return program == "tree" || program == "ls" || program == "eza" || program == "exa"
	case "-i":
		return program == "watchexec"
	}
	return false
}

// leavesOut reports whether argument i only names what c is to leave out.
func leavesOut(c *shellcmd.Command, args []word, i int) bool {
	t := args[i].Text
	if f, _, ok := strings.Cut(t, "="); ok && strings.HasPrefix(f, "--") {
		return leaveFlag(c.Program, f)
	}
	switch c.Program {
	case "git":
		return strings.HasPrefix(t, ":!") || strings.HasPrefix(t, ":^") || strings.HasPrefix(t, ":(exclude")
	case "find", "gfind", "bfs":
		if i < 1 {
			return false
		}
		switch args[i-1].Text {
		case "-name", "-iname", "-path", "-ipath", "-wholename":
		default:
			return false
		}
		return i > 1 && (args[i-2].Text == "!" || args[i-2].Text == "-not") || i+1 < len(args) && args[i+1].Text == "-prune"
	case "7z", "7za", "7zz", "7zr":
		return strings.HasPrefix(t, "-x")
	case "zip": // -x a b c
		for k := i - 1; k >= 0; k-- {
			if f := args[k].Text; strings.HasPrefix(f, "-") {
				return f == "-x" || f == "--exclude"
			}
		}
		return false
	}
	return i > 0 && leaveFlag(c.Program, args[i-1].Text)
}

// exclusions returns the patterns of what c leaves out when it copies, packs or
// sends a folder. Files of patterns are read.
func (j *judge) exclusions(c *shellcmd.Command) []string {
	var out []string
	add := func(p string) {
		p = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(p), "- "), "./")
		for _, end := range [...]string{"/***", "/**", "/*", "/"} {
			p = strings.TrimSuffix(p, end)
		}
		p = strings.TrimPrefix(strings.TrimPrefix(p, "/"), "**/")
		if p != "" && !strings.HasPrefix(p, "#") && !strings.HasPrefix(p, "!") && !strings.HasPrefix(p, "+") && len(out) < 256 {
			out = append(out, p)
		}
	}
	list := func(w *word, name string) {
		for _, p := range j.paths(c, tail(w, name)) {
			if data, err := j.readSome(p); err == nil {
				for line := range strings.SplitSeq(string(data), "\n") {
					add(line)
				}
			}
		}
	}
	args := c.Args()
	for i := range args {
		w := &args[i]
		flag, v, has := strings.Cut(w.Text, "=")
		if !has && i > 0 {
			flag, v = args[i-1].Text, w.Text
		}
		switch {
		case flag == "--exclude-from", flag == "-X":
			list(w, v)
		case flag == "--filter", flag == "-f" && c.Program == "rsync":
			switch {
			case strings.HasPrefix(v, "- "):
				add(v)
			case strings.HasPrefix(v, ":- "), strings.HasPrefix(v, "dir-merge,- "):
				list(w, v[strings.LastIndexByte(v, ' ')+1:])
			}
		case leavesOut(c, args, i):
			add(v)
		}
	}
	return out
}

// excluded reports whether one of the patterns leaves out the file of that path
// below the folder that is copied.
func excluded(patterns []string, rel string) bool {
	base := baseName(rel)
	for _, p := range patterns {
		if ok, err := doublestar.Match(p, base); err == nil && ok {
			return true
		}
		if ok, err := doublestar.Match(p, rel); err == nil && ok {
			return true
		}
	}
	return false
}
