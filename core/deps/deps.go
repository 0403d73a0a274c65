// Package deps looks up packages before a command installs them or an edit
// declares them: whether they exist, are malware, are vulnerable, are too new,
// or only look like the one that was meant.
//
// It owns the verdicts. Reading commands and manifests is the business of
// install and manifest, what the services say that of depsdev, osv and
// registry, which are pure. It opens no connection and starts no program itself:
// both go through gate.Env, and a call that needs neither costs neither. It must
// not import another gate, the engine or the configuration.
package deps

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/install"
	"github.com/ec261362/guardrails/core/deps/manifest"
	"github.com/ec261362/guardrails/core/deps/osv"
	"github.com/ec261362/guardrails/core/deps/registry"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Settings are what the check is told of this machine and configuration. The
// zero value knows no network: it compares names and asks nobody.
type Settings struct {
	Online bool // packages may be looked up

	MinAge       time.Duration // a package whose first release is younger is asked about; 0 = none
	Cooldown     time.Duration // a version that is younger is told of; 0 = none
	CooldownAsks bool          // it is asked about instead
	DenySeverity osv.Severity  // vulnerable versions are refused from here on if there is a fixed one; zero = critical
	Licences     []string      // SPDX identifiers that pass; empty = any
	Exempt       []string      // name, ecosystem:name, or a pattern with * of either: not checked
	Endpoints    Endpoints
	Cache        Cache

	// Told says that nobody need be told of the first use of the network.
	Told bool

	// Patience is how long all look-ups of one call may take together. Zero is
	// what a hook has.
	Patience time.Duration

	// Code, Permit and Permitted are as for the other gates: how a call is named
	// for a human's permission, how it is given, whether it was. nil = none.
	Code      func(rule string, argv []string, root string) string
	Permit    func(code string) string
	Permitted func(gate, rule, code string) bool
}

// ID is the gate's name.
const ID = "deps"

// New returns the gate.
func New(s Settings) *gate.Gate {
	return &gate.Gate{
		ID:       ID,
		Doc:      "packages that a command installs or an edit declares: made up, malware, vulnerable, too new, or a slip away from the one that was meant",
		On:       []hook.EventName{hook.PreToolUse, hook.PreSkillShellCommand},
		Strength: gate.Enforce,
		Posture:  gate.FailOpen,
		Wants:    wants,
		Run:      func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) { return run(ctx, &s, p) },
	}
}

// wants looks for words, or at the names of the files that are written.
func wants(e *hook.Event) bool {
	t := e.Tool
	if t == nil {
		return false
	}
	switch t.Kind {
	case hook.Shell:
		cmd, ok := t.Command()
		return ok && (install.Mentions(cmd) || manifest.Mentions(cmd) || strings.Contains(cmd, "*** Begin Patch") && writesManifest(t))
	case hook.Write, hook.Edit, hook.MCP, hook.Other:
		return writesManifest(t)
	}
	return e.Name == hook.PreSkillShellCommand
}

func writesManifest(t *hook.Tool) bool {
	for _, e := range t.Edits() {
		if known(e.Path) || e.NewPath != "" && known(e.NewPath) {
			return true
		}
	}
	return false
}

// known is manifest.Known for a path as a host writes it.
func known(name string) bool { return manifest.Known(strings.ReplaceAll(name, `\`, "/")) }

func run(ctx context.Context, s *Settings, p *gate.Pass) (hook.Verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience())
	defer cancel()
	q := question{ctx: ctx, set: s, env: p.Env, projects: projects{fs: p.Env.FS, root: p.Event.Root}}
	q.edits(p.Event)
	if p.Event.Tool.Kind == hook.Shell || p.Event.Name == hook.PreSkillShellCommand {
		if l := p.Commands(); l != nil {
			q.line(l)
		}
	}
	if len(q.list) == 0 && len(q.unchecked) == 0 {
		return hook.Verdict{}, nil
	}
	r, err := q.answer()
	if err != nil {
		return hook.Verdict{}, err
	}
	return s.verdict(&r, p), nil
}

// Line checks what a command line would install.
func Line(ctx context.Context, s Settings, env gate.Env, l *shellcmd.Line, root string) (Report, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience())
	defer cancel()
	q := question{ctx: ctx, set: &s, env: env, projects: projects{fs: env.FS, root: root}}
	q.line(l)
	return q.answer()
}

// Edit checks what a manifest declares after an edit that it did not before. An
// error that wraps ErrNoManifest says that path names none.
func Edit(ctx context.Context, s Settings, env gate.Env, path, root string, before, after []byte) (Report, error) {
	if !known(path) {
		return Report{}, ErrNoManifest
	}
	ctx, cancel := context.WithTimeout(ctx, s.patience())
	defer cancel()
	q := question{ctx: ctx, set: &s, env: env, projects: projects{fs: env.FS, root: root}}
	q.diff(path, before, after)
	return q.answer()
}

// ErrNoManifest says that a file is no manifest that this check reads.
var ErrNoManifest = errors.New("not a manifest whose dependencies can be read")

// question gathers the packages of one call.
type question struct {
	projects
	ctx context.Context //nolint:containedctx // of the one call that this is for
	set *Settings
	env gate.Env

	sources map[string]registry.Sources
	shared  map[string]map[string]bool // by folder: what a Cargo workspace's members take from its table

	packages  []coord.Package // all that were named
	list      []asked         // those to look up
	unchecked []coord.Unchecked
}

// line adds what a command line installs.
func (q *question) line(l *shellcmd.Line) {
	o := install.Options{}
	if q.env.FS != nil {
		o.ReadFile = func(name string) ([]byte, error) { return q.env.FS.ReadFile(name, maxManifest) }
	}
	if q.env.Getenv != nil {
		o.Getenv = func(name string) (string, bool) { v := q.env.Getenv(name); return v, v != "" }
	}
	var bare []install.Project
	o.Bare = func(p install.Project) {
		if !slices.Contains(bare, p) {
			bare = append(bare, p)
		}
	}
	packages, unchecked := install.Parse(l, o)
	q.written(l, len(bare) > 0)
	q.unchecked = append(q.unchecked, unchecked...)
	for _, p := range packages {
		why := ""
		if !p.Remote { // settings of this machine say nothing of another
			why = q.origin(&p, p.Dir)
		}
		if why != "" {
			q.unchecked = append(q.unchecked, coord.Unchecked{Spec: asWritten(&p), Why: why})
			continue
		}
		if !p.Maybe {
			q.packages = append(q.packages, p)
		}
		a := asked{Package: p}
		if p.Dir != "" && !p.Remote && q.fs != nil {
			there := false
			if there, a.was, a.own = q.of(p.Ecosystem, p.Dir).place(&p); there {
				continue
			}
		}
		q.add(a)
	}
	for _, p := range bare {
		q.beyond(p)
	}
}

// written adds what the manifests declare anew that a command writes. installs
// says that the line also installs what they declare: then text that goes into
// one somewhere counts in full.
func (q *question) written(l *shellcmd.Line, installs bool) {
	content := map[string][2]string{} // by path: on disk, and so far
	var order []string
	for _, w := range manifest.Written(l) {
		have, ok := content[w.Path]
		if !ok {
			if path.IsAbs(w.Path) {
				text := string(q.read(w.Path, maxManifest))
				have = [2]string{text, text}
			}
			order = append(order, w.Path)
		}
		if !w.Append {
			have[1] = ""
		}
		have[1] += string(w.Content)
		content[w.Path] = have
	}
	for _, name := range order {
		if c := content[name]; c[0] != c[1] {
			q.diff(name, []byte(c[0]), []byte(c[1]))
		}
	}
	for _, in := range manifest.Inserted(l) {
		n := len(q.unchecked)
		q.fragment(in.Path, in.Text, installs)
		if installs && strings.Contains(in.Text, shellcmd.Unknown) {
			continue
		}
		// That the rest of the file was not read is nothing to tell of: what is put
		// into it is known, or an install that comes later has its own look.
		q.unchecked = append(q.unchecked[:n], slices.DeleteFunc(q.unchecked[n:], func(u coord.Unchecked) bool { return u.Why == coord.Unparsable && u.Spec == in.Path })...)
	}
}

// asWritten is a package as it may have been written.
func asWritten(p *coord.Package) string {
	if p.Version == "" {
		return p.Name
	}
	return p.Name + "@" + p.Version
}

func (q *question) add(a asked) {
	if !q.set.exempt(&a.Package) {
		q.list = append(q.list, a)
	}
}

// edits adds what the manifests that a call writes declare anew.
func (q *question) edits(e *hook.Event) {
	edits := e.Tool.Edits()
	if len(edits) == 0 {
		return
	}
	content := map[string][2]string{} // by path: on disk, and so far
	var order []string
	for i := range edits {
		f := &edits[i]
		name := f.Path
		if f.NewPath != "" {
			name = f.NewPath
		}
		if !known(name) || f.Op == hook.Delete {
			continue
		}
		if f.Op == hook.Create && !f.Unclear && !manifest.Worth(name, []byte(f.New)) {
			continue // a script, a Dockerfile: what it replaces need not be read
		}
		name = absolute(e.Cwd, name)
		have, ok := content[name]
		if !ok {
			from := name
			if f.NewPath != "" {
				from = absolute(e.Cwd, f.Path)
			}
			text := string(q.read(from, maxManifest))
			have = [2]string{text, text}
			order = append(order, name)
		}
		switch after, ok := f.Apply(have[1]); {
		case ok:
			have[1] = after
		case f.Unclear, f.Old == "" && f.Hunks == nil, have[1] == "" && q.exists(name):
			q.fragment(name, f.Added, false) // where the lines go cannot be said
		default:
			// A host that does not insist on blanks finds the place all the same;
			// one that does refuses the edit.
			if after, ok := applyLoosely(f, have[1]); ok {
				have[1] = after
			}
		}
		content[name] = have
	}
	for _, name := range order {
		if c := content[name]; c[0] != c[1] {
			q.diff(name, []byte(c[0]), []byte(c[1]))
		}
	}
}

func absolute(cwd, name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if path.IsAbs(name) || len(name) > 1 && name[1] == ':' || cwd == "" {
		return name
	}
	return path.Join(strings.ReplaceAll(cwd, `\`, "/"), name)
}

// applyLoosely does an edit whose old text is in the file but for the blanks at
// the ends of its lines.
func applyLoosely(f *hook.FileEdit, text string) (string, bool) {
	hunks := f.Hunks
	if hunks == nil {
		hunks = []hook.Hunk{{Old: f.Old, New: f.New}}
	}
	have := strings.SplitAfter(text, "\n")
	from := 0
	for _, h := range hunks {
		old := strings.Split(strings.Trim(h.Old, "\n"), "\n")
		at := -1
		for i := from; i+len(old) <= len(have) && at < 0; i++ {
			if slices.EqualFunc(have[i:i+len(old)], old, func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }) {
				at = i
			}
		}
		if at < 0 || strings.TrimSpace(h.Old) == "" {
			return "", false
		}
		repl := strings.SplitAfter(strings.TrimSuffix(h.New, "\n")+"\n", "\n")
		repl = repl[:len(repl)-1]
		have = slices.Concat(have[:at], repl, have[at+len(old):])
		from = at + len(repl)
	}
	return strings.Join(have, ""), true
}

// fragment adds what lines look like that go into a manifest somewhere.
func (q *question) fragment(name, added string, counts bool) {
	packages, unchecked := manifest.Fragment(strings.ReplaceAll(name, `\`, "/"), []byte(added))
	for i := range packages {
		packages[i].Advisory = packages[i].Advisory && !counts
	}
	before := q.read(name, maxManifest)
	old, _ := manifest.Declared(name, before)
	packages = slices.DeleteFunc(packages, func(p coord.Package) bool {
		return slices.ContainsFunc(old, func(o coord.Package) bool {
			return o.Ecosystem == p.Ecosystem && o.Name == p.Name && o.Version == p.Version
		})
	})
	q.unchecked = append(q.unchecked, unchecked...)
	q.declare(name, packages, before)
}

func (q *question) exists(name string) bool {
	if q.fs == nil || !path.IsAbs(name) {
		return false
	}
	info, err := q.fs.Stat(name)
	return err == nil && info.Size() > 0
}

// diff adds what a manifest declares anew.
func (q *question) diff(name string, before, after []byte) {
	packages, unchecked := manifest.Diff(strings.ReplaceAll(name, `\`, "/"), before, after)
	q.unchecked = append(q.unchecked, unchecked...)
	q.declare(name, packages, before)
}

// declare adds packages that a manifest is to declare which had this content.
func (q *question) declare(name string, packages []coord.Package, before []byte) {
	if len(packages) == 0 {
		return
	}
	old, _ := manifest.Declared(name, before)
	for _, p := range packages {
		dir := ""
		if path.IsAbs(name) {
			dir = path.Dir(name)
		}
		if why := q.origin(&p, dir); why != "" {
			q.unchecked = append(q.unchecked, coord.Unchecked{Spec: asWritten(&p), Why: why})
			continue
		}
		q.packages = append(q.packages, p)
		a := asked{Package: p}
		for i := range old {
			if o := &old[i]; o.Ecosystem == p.Ecosystem && coord.Canonical(o.Ecosystem, o.Name) == coord.Canonical(p.Ecosystem, p.Name) {
				a.was = o.Exact()
			}
		}
		if path.IsAbs(name) && q.fs != nil {
			_, locked, own := q.of(p.Ecosystem, path.Dir(name)).place(&p)
			if a.own = own; a.was == "" {
				a.was = locked
			}
			if q.sibling(&p, path.Dir(name)) {
				continue
			}
		}
		q.add(a)
	}
}

// sibling reports whether a package is another part of the same project.
func (q *question) sibling(p *coord.Package, dir string) bool {
	own := q.of(p.Ecosystem, dir)
	for _, n := range append([]string{own.name}, own.members...) {
		if n != "" && coord.Canonical(p.Ecosystem, n) == coord.Canonical(p.Ecosystem, p.Name) {
			return true
		}
	}
	return false
}

// answer looks up what was gathered.
func (q *question) answer() (Report, error) {
	r := Report{Packages: q.packages, Unchecked: q.unchecked}
	if len(q.list) == 0 {
		return r, nil
	}
	x := &examiner{answers: newAnswers(q.ctx, q.set, q.env), now: q.now()}
	var err error
	r.Findings, r.NotAsked, err = x.examine(q.list)
	r.Asked = x.asked
	return r, err
}

func (s *Settings) patience() time.Duration {
	if s.Patience > 0 {
		return s.Patience
	}
	return deadline
}

func (q *question) now() time.Time {
	if q.env.Now == nil {
		return time.Now()
	}
	return q.env.Now()
}

// exempt reports whether the configuration leaves a package out.
func (s *Settings) exempt(p *coord.Package) bool {
	for _, pattern := range s.Exempt {
		if e, name, ok := strings.Cut(pattern, ":"); ok && ecosystemOf(e) == p.Ecosystem {
			pattern = name
		} else if ok && ecosystemOf(e) != coord.None {
			continue
		}
		if glob(coord.Canonical(p.Ecosystem, pattern), coord.Canonical(p.Ecosystem, p.Name)) {
			return true
		}
	}
	return false
}

// ecosystemOf reads the words by which people call an ecosystem.
func ecosystemOf(word string) coord.Ecosystem {
	switch strings.ToLower(word) {
	case "npm", "node":
		return coord.NPM
	case "pypi", "pip", "python":
		return coord.PyPI
	case "crates.io", "cargo", "crates", "rust":
		return coord.Crates
	case "go":
		return coord.Go
	case "rubygems", "gem", "ruby":
		return coord.RubyGems
	case "packagist", "composer", "php":
		return coord.Packagist
	case "nuget", "dotnet":
		return coord.NuGet
	case "maven", "java":
		return coord.Maven
	case "conda":
		return coord.Conda
	}
	return coord.None
}

// glob matches * with any run of characters, slashes too.
func glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return strings.HasSuffix(s, last)
}
