// Package manifest reads the dependencies that a manifest declares, and what an
// edit adds to them. It owns the formats of manifests.
//
// It is given bytes and reads no files. Its readers are small and forgiving: of
// a file that is broken in the middle they give what they could read. It must
// not import a client, a cache or a gate, nor a parser of XML, YAML or TOML:
// the hook links it.
package manifest

import (
	"path"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
)

// format is a kind of manifest.
type format uint8

const (
	unknown format = iota
	packageJSON
	pnpmWorkspace
	denoJSON
	requirements
	pyproject
	pipfile
	setupCfg
	setupPy
	pyScript
	condaEnv
	pixiTOML
	cargoTOML
	goMod
	gemfile
	gemspec
	composerJSON
	msbuild
	packagesConfig
	dotnetTools
	pomXML
	gradle
	gradleCatalog
	dockerfile
	workflow
)

// formatOf tells the format by the path alone.
func formatOf(name string) format {
	dir, base := cutPath(name)
	lower := strings.ToLower(base)
	f := formatOfBase(dir, base, lower)
	if f == unknown || vendored(dir) {
		return unknown
	}
	return f
}

func formatOfBase(dir, base, lower string) format {
	switch base {
	case "package.json":
		return packageJSON
	case "pnpm-workspace.yaml":
		return pnpmWorkspace
	case "deno.json", "deno.jsonc", "import_map.json":
		return denoJSON
	case "pyproject.toml":
		return pyproject
	case "Pipfile":
		return pipfile
	case "setup.cfg":
		return setupCfg
	case "setup.py":
		return setupPy
	case "pixi.toml":
		return pixiTOML
	case "Cargo.toml":
		return cargoTOML
	case "go.mod":
		return goMod
	case "Gemfile", "gems.rb":
		return gemfile
	case "composer.json":
		return composerJSON
	case "dotnet-tools.json":
		return dotnetTools
	case "pom.xml":
		return pomXML
	case "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts":
		return gradle
	}
	switch ext := path.Ext(lower); ext {
	case ".txt", ".in":
		if strings.Contains(lower, "requirements") || lower == "reqs.txt" || strings.Contains("/"+dir, "/requirements/") && !strings.Contains(lower, "constraint") {
			return requirements
		}
	case ".py":
		return pyScript
	case ".yml", ".yaml":
		switch stem := strings.TrimSuffix(lower, ext); {
		case strings.Contains("/"+dir, "/.github/workflows/"):
			return workflow
		case stem == "environment", strings.HasPrefix(stem, "environment-"), strings.HasPrefix(stem, "environment_"), strings.HasPrefix(stem, "environment."),
			strings.HasSuffix(stem, "-environment"), strings.HasSuffix(stem, "_environment"), stem == "conda":
			return condaEnv
		case stem == "action" || stem == ".gitlab-ci":
			return workflow
		}
	case ".gemspec":
		return gemspec
	case ".csproj", ".fsproj", ".vbproj", ".props", ".targets":
		return msbuild
	case ".config":
		if strings.HasPrefix(lower, "packages.") {
			return packagesConfig
		}
	case ".pom":
		return pomXML
	case ".gradle", ".kts":
		if strings.HasSuffix(lower, ".gradle.kts") || ext == ".gradle" {
			return gradle
		}
	case ".toml":
		if strings.HasSuffix(lower, ".versions.toml") {
			return gradleCatalog
		}
	case ".dockerfile", ".containerfile":
		return dockerfile
	}
	if lower == "dockerfile" || lower == "containerfile" || strings.HasPrefix(lower, "dockerfile.") || strings.HasPrefix(lower, "containerfile.") {
		return dockerfile
	}
	return unknown
}

// vendored reports whether dir holds what others wrote or a build made.
func vendored(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		switch part {
		case "node_modules", "vendor", ".venv", "venv", "site-packages", "target", "dist":
			return true
		}
	}
	return false
}

// fixture reports whether dir holds samples for tests.
func fixture(dir string) bool {
	for part := range strings.SplitSeq(strings.ReplaceAll(dir, `\`, "/"), "/") {
		switch part {
		case "testdata", "fixtures", "__fixtures__":
			return true
		}
	}
	return false
}

// Known reports whether path names a manifest that Diff reads. It looks at the
// path only. Lockfiles and what lies in vendored folders are not known. Of any
// Python file, Dockerfile and workflow, Diff reads what it installs.
func Known(name string) bool { return formatOf(name) != unknown }

// Worth reports whether a manifest with this content can add anything. For
// files of which only a part declares dependencies (a Python script, a
// Dockerfile, a workflow, a build property file) it is a search in the text, so
// that an ordinary edit of one need not read the file that it replaces.
func Worth(name string, content []byte) bool {
	switch f := formatOf(name); f {
	case unknown:
		return false
	case pyScript:
		return hasScript(string(content))
	case dockerfile, workflow:
		return mentionsInstall(string(content))
	case msbuild:
		return strings.Contains(string(content), "Package")
	default:
		return true
	}
}

// Diff returns the packages that after declares and before does not, or with
// another version, and what was added but cannot be looked up. Order, formatting,
// comments and the move from one section to another are no change. Of a manifest
// that cannot be read to its end it returns what could be read, and what the
// lines that are new look like, marked Advisory, and the manifest itself as
// unchecked.
func Diff(name string, before, after []byte) ([]coord.Package, []coord.Unchecked) {
	f := formatOf(name)
	if f == unknown || len(after) == 0 {
		return nil, nil
	}
	now := read(f, after)
	if now.broken && (f != pomXML || len(now.entries) == 0) { // of half a pom.xml the rest is read
		now.more(fragments(f, addedLines(clean(before), clean(after))))
	}
	return diff(name, f, before, now)
}

// diff compares what a manifest declares now with what it did before.
func diff(name string, f format, before []byte, now *sheet) ([]coord.Package, []coord.Unchecked) {
	if len(now.entries) == 0 && !now.broken {
		return nil, nil
	}
	old := make(map[string]bool)
	if len(before) > 0 {
		for _, e := range read(f, before).entries {
			old[e.id()] = true
		}
	}
	dir, _ := cutPath(name)
	dir = path.Clean(dir)
	advisory := now.broken || f == dockerfile || f == workflow || fixture(dir)
	var packages []coord.Package
	var unchecked []coord.Unchecked
	for i := range now.entries {
		e := &now.entries[i]
		id := e.id()
		if old[id] {
			if e.why == "" && !(e.Aside || e.Peer || e.Extra) {
				inEarnest(packages, e)
			}
			continue
		}
		old[id] = true
		if e.why != "" {
			unchecked = append(unchecked, coord.Unchecked{Spec: e.text, Why: e.why})
			continue
		}
		p := e.Package
		p.File, p.Advisory = name, p.Advisory || advisory
		if path.IsAbs(name) {
			p.Dir = dir
		}
		packages = append(packages, p)
	}
	if now.broken {
		unchecked = append(unchecked, coord.Unchecked{Spec: name, Why: coord.Unparsable})
	}
	return packages, unchecked
}

// inEarnest notes that what was declared with reservations is so without them too.
func inEarnest(list []coord.Package, e *entry) {
	for i := range list {
		p := &list[i]
		if p.Ecosystem == e.Ecosystem && p.Version == e.Version && coord.Canonical(p.Ecosystem, p.Name) == coord.Canonical(e.Ecosystem, e.Name) {
			p.Aside, p.For, p.Peer, p.Extra = false, "", false, false
		}
	}
}

// Declared returns all packages that a manifest declares.
func Declared(name string, content []byte) ([]coord.Package, []coord.Unchecked) {
	return Diff(name, nil, content)
}

// entry is one dependency as declared: a package, or why it is none.
type entry struct {
	coord.Package
	text string // as written, for what is unchecked
	why  string
}

// id is equal for two declarations of the same thing.
func (e *entry) id() string {
	if e.why != "" {
		return "?" + e.why + "\n" + e.text
	}
	return string(e.Ecosystem) + "\n" + coord.Canonical(e.Ecosystem, e.Name) + "\n" + strings.ReplaceAll(e.Version, " ", "") + "\n" + e.Constraint
}

// sheet gathers what one manifest declares.
type sheet struct {
	entries []entry
	broken  bool

	self      string // canonical name of the package itself
	source    string // an index beside the public one
	elsewhere string // why nothing comes from the public one, "" = it does
}

// maxSize is the number of bytes of a manifest that are read.
const maxSize = 4 << 20

// add files what a spec reader made of text.
func (s *sheet) add(text string, p coord.Package, why string, change ...func(*coord.Package)) {
	if why == "" && p.Name == "" || len(s.entries) >= 20000 {
		return
	}
	if why == "" && s.self != "" && coord.Canonical(p.Ecosystem, p.Name) == s.self {
		return
	}
	if why == "" && s.elsewhere != "" {
		why = s.elsewhere
	}
	if p.Source == "" {
		p.Source = s.source
	}
	for _, f := range change {
		f(&p)
	}
	s.entries = append(s.entries, entry{Package: p, text: text, why: why})
}

func dev(p *coord.Package) { p.Dev = true }

func extra(p *coord.Package) { p.Extra = true }

// aside marks what counts for a name only, or for none.
func aside(name string) func(*coord.Package) {
	return func(p *coord.Package) { p.Aside, p.For = true, name }
}

// clean is text without a byte order mark and with the line ends of Unix.
func clean(data []byte) string {
	return strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
}

func cutPath(name string) (dir, base string) { return path.Split(strings.ReplaceAll(name, `\`, "/")) }

// read reads a manifest of a known format.
func read(f format, data []byte) *sheet {
	s := &sheet{}
	if len(data) > maxSize {
		s.broken = true
		return s
	}
	text := clean(data)
	switch f {
	case packageJSON:
		s.packageJSON(text)
	case pnpmWorkspace:
		s.pnpmWorkspace(text)
	case denoJSON:
		s.denoJSON(text)
	case requirements:
		s.requirements(text)
	case pyproject:
		s.pyproject(text)
	case pipfile:
		s.pipfile(text)
	case setupCfg:
		s.setupCfg(text)
	case setupPy:
		s.setupPy(text)
	case pyScript:
		s.pyScript(text)
	case condaEnv:
		s.condaEnv(text)
	case pixiTOML:
		s.pixi(text)
	case cargoTOML:
		s.cargo(text)
	case goMod:
		s.goMod(text)
	case gemfile:
		s.gemfile(text)
	case gemspec:
		s.gemspec(text)
	case composerJSON:
		s.composer(text)
	case msbuild, packagesConfig:
		s.msbuild(text)
	case dotnetTools:
		s.dotnetTools(text)
	case pomXML:
		s.pom(text)
	case gradle:
		s.gradle(text)
	case gradleCatalog:
		s.gradleCatalog(text)
	case dockerfile:
		s.dockerfile(text)
	case workflow:
		s.workflow(text)
	case unknown:
	}
	return s
}
