// Package install reads the packages that a command line would fetch from a
// public registry. It owns the command grammars of package managers and their
// runners.
//
// It works on parsed commands only and reads no files of its own: requirements
// files and settings come through the functions it is handed. It must not
// import a client, a cache or a gate.
package install

import (
	"path"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Options say what Parse may look at beside the line.
type Options struct {
	// ReadFile reads a file by its absolute path, or nil. Without it a
	// requirements file is unchecked, and what stands in a package.json is not
	// known.
	ReadFile func(path string) ([]byte, error)

	// Getenv resolves a variable of the host's environment that the line itself
	// does not set, or nil: NPM_CONFIG_REGISTRY, PIP_INDEX_URL, GOPRIVATE …
	Getenv func(name string) (string, bool)

	// Bare is told of each command of this machine that names no package and
	// installs what a manifest declares, its lockfile apart; or nil.
	Bare func(Project)
}

// A Project is where a command installs what a manifest declares.
type Project struct {
	Ecosystem coord.Ecosystem
	Tool      string // npm, pnpm, yarn, bun, uv, poetry, pdm, pipenv, cargo, go, bundle, composer
	Dir       string // absolute
}

// Parse returns the packages that the commands of line would add or run, each
// once, in order, and what would be added but cannot be looked up. Of a word that
// is unchecked since it may be one of several, each of them is a package marked
// Maybe. Installs from
// a lockfile, updates and removals name nothing.
func Parse(line *shellcmd.Line, o Options) ([]coord.Package, []coord.Unchecked) {
	r := &reader{o: o}
	for i := range line.Commands {
		c := &line.Commands[i]
		if c.Program == "" || c.Has(shellcmd.Uncalled) {
			continue
		}
		r.c, r.dir, r.source = c, c.Dir, ""
		r.command(tool(c.Program), r.args(c.Args()))
	}
	return r.packages, r.unchecked
}

// tool is the program's name without the mark of a notebook line (!pip, %pip)
// and without a version that Corepack was asked for (pnpm@9).
func tool(program string) string {
	program = strings.TrimLeft(program, "!%")
	if i := strings.IndexByte(program, '@'); i > 0 {
		program = program[:i]
	}
	for _, end := range []string{".cmd", ".ps1", ".bat"} {
		program = strings.TrimSuffix(program, end)
	}
	return program
}

// reader gathers what the commands of one line add.
type reader struct {
	o Options
	c *shellcmd.Command

	dir    string // where the command at hand installs; "" = unknown
	source string // an index it asks beside the public one

	packages  []coord.Package
	unchecked []coord.Unchecked
}

// command reads one command: the tool and its arguments.
func (r *reader) command(name string, args []arg) {
	switch name {
	case "npm", "cnpm", "tnpm":
		r.npm(args)
	case "npx", "nlx":
		r.npx(args, &node{})
	case "pnpm", "pn":
		r.pnpm(args)
	case "pnpx":
		r.dlx(args)
	case "yarn", "yarnpkg":
		r.yarn(args)
	case "bun":
		r.bun(args)
	case "bunx":
		r.bunx(args)
	case "deno":
		r.deno(args)
	case "rush", "rush-pnpm":
		r.rush(args)
	case "lerna", "ng", "nx", "expo":
		r.nodeAdd(name, args)
	case "ni":
		r.ni(args)
	case "pipx":
		r.pipx(args)
	case "uv":
		r.uv(args)
	case "uvx":
		r.uvx(args)
	case "poetry":
		r.poetry(args)
	case "pdm":
		r.pdm(args)
	case "pipenv":
		r.pipenv(args)
	case "rye":
		r.rye(args)
	case "easy_install":
		r.pipNames(args)
	case "conda", "mamba", "micromamba":
		r.conda(args)
	case "pixi":
		r.pixi(args)
	case "cargo":
		r.cargo(args)
	case "cargo-add", "cargo-install", "cargo-binstall", "cargo-quickinstall":
		r.cargo(append([]arg{word(strings.TrimPrefix(name, "cargo-"))}, args...))
	case "go":
		r.golang(args)
	case "gem":
		r.gem(args)
	case "bundle", "bundler":
		r.bundle(args)
	case "composer", "composer.phar":
		r.composer(args)
	case "dotnet":
		r.dotnet(args)
	case "dnx":
		r.dnx(args)
	case "nuget":
		r.nuget(args)
	case "install-package":
		r.installPackage(args)
	case "install-module", "install-psresource", "install-script":
		r.psGallery(args)
	case "paket":
		r.paket(args)
	case "mvn", "mvnw", "mvnd":
		r.maven(args)
	case "meteor":
		if len(args) > 0 && args[0].text == "npm" {
			r.npm(args[1:])
		}
	case "php":
		g := grammar{values: "-d --define -c --php-ini -z --zend-extension"}
		if i := g.first(args, nothing); i < len(args) && strings.TrimSuffix(path.Base(args[i].text), ".phar") == "composer" {
			r.composer(args[i+1:])
		}
	default:
		switch {
		case versioned(name, "pip"):
			r.pip(args)
		case versioned(name, "python"), versioned(name, "pypy"), name == "py":
			r.python(args)
		case versioned(name, "gem"):
			r.gem(args)
		case versioned(name, "go"):
			r.golang(args) // go1.22.1, of golang.org/dl
		}
	}
}

// versioned reports whether name is tool, perhaps with a version behind it:
// pip, pip3, python3.12.
func versioned(name, tool string) bool {
	rest, ok := strings.CutPrefix(name, tool)
	return ok && strings.Trim(rest, "0123456789.-") == ""
}

// add files what one spec names. text is the spec as written.
func (r *reader) add(text string, p coord.Package, why string, change ...func(*coord.Package)) {
	if why != "" {
		r.not(text, why)
		return
	}
	if p.Name == "" {
		return
	}
	p.Dir, p.Remote, p.Source = r.dir, r.c.Has(shellcmd.Remote), r.source
	if r.c.Has(shellcmd.Loose) {
		p.Uncertain = true
	}
	for _, f := range change {
		f(&p)
	}
	for i := range r.packages {
		q := &r.packages[i]
		if q.Ecosystem == p.Ecosystem && q.Version == p.Version && q.Constraint == p.Constraint &&
			coord.Canonical(q.Ecosystem, q.Name) == coord.Canonical(p.Ecosystem, p.Name) {
			q.Uncertain = q.Uncertain && p.Uncertain
			q.Maybe = q.Maybe && p.Maybe
			q.Runs = q.Runs || p.Runs
			return
		}
	}
	r.packages = append(r.packages, p)
}

// not files what cannot be looked up.
func (r *reader) not(text, why string) { r.leave(coord.Unchecked{Spec: text, Why: why}) }

func (r *reader) leave(u coord.Unchecked) {
	if !slices.Contains(r.unchecked, u) {
		r.unchecked = append(r.unchecked, u)
	}
}

// bare tells of a command that installs what the manifest of its folder
// declares.
func (r *reader) bare(e coord.Ecosystem, tool string) {
	if r.o.Bare != nil && r.dir != "" && !r.c.Has(shellcmd.Remote) {
		r.o.Bare(Project{e, tool, r.dir})
	}
}

// Marks that add sets.
func dev(p *coord.Package)       { p.Dev = true }
func runs(p *coord.Package)      { p.Runs = true }
func uncertain(p *coord.Package) { p.Uncertain = true }
func maybe(p *coord.Package)     { p.Maybe = true }

// marks are the changes for a positional word.
func (a *arg) marks() []func(*coord.Package) {
	if a.uncertain {
		return []func(*coord.Package){uncertain}
	}
	return nil
}

// read gives each word to one spec reader; a word that is not known before the
// line runs is unchecked, and with elsewhere all of them are.
func (r *reader) read(words []arg, elsewhere string, one func(string) (coord.Package, string), change ...func(*coord.Package)) {
	for i := range words {
		w := &words[i]
		text, why := w.known()
		if why != "" {
			// A name with an unknown version still is a name.
			if name, ok := w.name(); ok && elsewhere == "" {
				if p, e := one(name); e == "" && p.Name != "" {
					r.add(name, p, "", append(w.marks(), change...)...)
				}
			}
			all := len(w.maybe) > 0 && elsewhere == ""
			for _, m := range w.maybe {
				p, e := one(m)
				if e != "" || p.Name == "" || elsewhere != "" {
					all = false
					continue
				}
				r.add(m, p, "", append(w.marks(), append(change, maybe)...)...)
			}
			r.leave(coord.Unchecked{Spec: text, Why: why, Values: all})
			continue
		}
		p, e := one(text)
		if e == "" && p.Name != "" && elsewhere != "" {
			e = elsewhere
		}
		r.add(text, p, e, append(w.marks(), change...)...)
	}
}

// env is a variable of the command's environment: what the line sets, else
// what the host has.
func (r *reader) env(names ...string) string {
	for _, name := range names {
		if w, ok := r.c.Getenv(name); ok {
			return strings.ReplaceAll(w.Text, shellcmd.Unknown, "?")
		}
	}
	if r.o.Getenv == nil || r.c.Has(shellcmd.Remote) {
		return ""
	}
	for _, name := range names {
		if v, ok := r.o.Getenv(name); ok {
			return v
		}
	}
	return ""
}

// into notes that the command installs into another folder.
func (r *reader) into(dir *arg) {
	if dir == nil || dir.why != "" {
		r.dir = ""
		return
	}
	r.dir = r.path(dir.text)
}

// path is name as an absolute path, "" if that is not known.
func (r *reader) path(name string) string {
	switch {
	case name == "":
		return ""
	case path.IsAbs(name) || len(name) > 2 && name[1] == ':':
		return path.Clean(name)
	case r.dir == "" || strings.HasPrefix(name, "~"):
		return ""
	}
	return path.Join(r.dir, name)
}

// file reads a file of the command's folder.
func (r *reader) file(name string) ([]byte, bool) {
	if r.o.ReadFile == nil || r.c.Has(shellcmd.Remote) {
		return nil, false
	}
	full := r.path(name)
	if full == "" {
		return nil, false
	}
	data, err := r.o.ReadFile(full)
	return data, err == nil
}
