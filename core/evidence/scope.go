package evidence

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
	"github.com/ec261362/guardrails/core/testrun"
)

// Bounds of the look for what a run went through.
const (
	maxImporters = 200     // files of tested packages that are read for their imports
	maxGoFile    = 1 << 20 // bytes of one
)

// elsewhere returns a touched Go package, relative to the root, if a run of go
// test named its packages and none of what was touched is among them or imported
// by one of them: then it proves nothing about the change. It is "" wherever that
// cannot be told, as for every runner whose tests lie apart from what they test.
func (g *gates) elsewhere(p *gate.Pass, r testrun.Report) string {
	if r.Runner != "go test" && r.Runner != "gotestsum" || len(r.Packages) == 0 || p.Event.Root == "" {
		return ""
	}
	touched := goPackages(p.Session.Touched())
	if len(touched) == 0 {
		return ""
	}
	dirs := r.Dirs
	if len(dirs) == 0 {
		dirs = []string{p.Event.Cwd}
	}
	look := maxImporters
	for _, dir := range dirs {
		for _, pattern := range r.Packages {
			at, deep := strings.CutSuffix(filepath.ToSlash(pattern), "...")
			at = filepath.FromSlash(strings.TrimSuffix(at, "/"))
			if !filepath.IsAbs(at) {
				if at != "" && at != "." && at[0] != '.' {
					return "" // an import path
				}
				at = filepath.Join(dir, at)
			}
			rel, ok := g.within(p, at)
			if !ok {
				return ""
			}
			rel = filepath.ToSlash(rel)
			for _, pkg := range touched {
				if pkg == rel || deep && (rel == "." || strings.HasPrefix(pkg, rel+"/")) {
					return ""
				}
			}
			if importsAny(p, rel, deep, touched, &look) {
				return ""
			}
		}
	}
	return touched[0]
}

// missedText says that a run proves nothing of a touched package, and which would.
func missedText(pkg string, r testrun.Report) string {
	own := "./" + pkg
	if pkg == "." {
		own = "."
	}
	return "guardrails evidence/close: these tests passed, but they are of " + strings.Join(r.Packages, " ") + ", and the package changed in this session is " + own +
		": they prove nothing of it. Test it as well, at the project's root: go test " + own
}

// goPackages are the folders of the Go files among names, but for what go test
// does not build.
func goPackages(names []string) []string {
	var dirs []string
	for _, name := range names {
		name = filepath.ToSlash(name)
		if !strings.HasSuffix(name, ".go") || path.IsAbs(name) || strings.HasPrefix(name, "../") {
			continue
		}
		dir := path.Dir(name)
		if slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
			return part == "testdata" || part == "vendor" || part != "." && (part[0] == '.' || part[0] == '_')
		}) {
			continue
		}
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// importsAny reports whether a Go file of the package at rel, or below it, imports
// one of the packages; in doubt it does.
func importsAny(p *gate.Pass, rel string, deep bool, packages []string, left *int) bool {
	dir := filepath.Join(p.Event.Root, filepath.FromSlash(rel))
	entries, err := p.Env.FS.ReadDir(dir)
	if err != nil {
		return true
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			if deep && name != "testdata" && name != "vendor" && name[0] != '.' && name[0] != '_' && importsAny(p, path.Join(rel, name), true, packages, left) {
				return true
			}
			continue
		}
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		if *left--; *left < 0 {
			return true
		}
		data, err := p.Env.FS.ReadFile(filepath.Join(dir, name), maxGoFile)
		if err != nil {
			return true
		}
		for _, pkg := range packages {
			// The module's own path stands before it; a package at the root is the
			// module, whose import nobody can tell from others by its end.
			if pkg == "." {
				if module := modulePath(p); module == "" || strings.Contains(string(data), `"`+module+`"`) {
					return true
				}
			} else if strings.Contains(string(data), "/"+pkg+`"`) {
				return true
			}
		}
	}
	return false
}

// modulePath is the path that the go.mod at the root declares, "" if there is none.
func modulePath(p *gate.Pass) string {
	data, err := p.Env.FS.ReadFile(filepath.Join(p.Event.Root, "go.mod"), maxGoFile)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(rest), `"`)
		}
	}
	return ""
}

// outside reports whether a test run was of other files than the project's: in
// a folder outside, of paths outside, or on another machine.
func (g *gates) outside(p *gate.Pass, line *shellcmd.Line, r testrun.Report) bool {
	beyond := func(name, dir string) bool {
		if name == "" || strings.Contains(name, shellcmd.Unknown) || strings.HasPrefix(name, "~") {
			return false
		}
		if name = hook.LocalPath(name); !filepath.IsAbs(name) {
			if dir == "" {
				return false
			}
			name = filepath.Join(dir, name)
		}
		_, ok := g.within(p, filepath.Clean(name))
		return !ok
	}
	all := func(names []string, test func(string) bool) bool {
		return len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return !test(n) })
	}
	if all(r.Dirs, func(dir string) bool { return beyond(dir, "") }) {
		return true
	}
	if all(r.Packages, func(n string) bool { return filepath.IsAbs(n) && beyond(n, "") }) {
		return true
	}
	for i := range line.Commands {
		c := &line.Commands[i]
		if c.Has(shellcmd.Remote) && slices.ContainsFunc(line.Commands, reachesOut) {
			return true
		}
		args := c.Args()
		for k, w := range args {
			flag, value, glued := strings.Cut(w.Text, "=")
			if !movesTo(flag) {
				continue
			}
			if !glued && k+1 < len(args) {
				value = args[k+1].Text
			}
			if beyond(value, c.Dir) {
				return true
			}
		}
	}
	return false
}

// reachesOut reports whether a program runs what follows on another machine. A
// container's files are as a rule the project's own.
func reachesOut(c shellcmd.Command) bool {
	switch c.Program {
	case "ssh", "mosh", "kubectl", "oc", "plink", "pssh", "ansible":
		return true
	}
	return false
}

// movesTo reports whether a flag names the folder or project that a runner works
// on.
func movesTo(flag string) bool {
	switch flag {
	case "-C", "--directory", "--prefix", "--cwd", "--dir", "--rootdir", "--rootDir", "--root", "--project-dir", "--manifest-path", "--package-path", "--chdir":
		return true
	}
	return false
}
