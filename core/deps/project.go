package deps

import (
	"encoding/json"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/manifest"
	"github.com/ec261362/guardrails/core/deps/registry"
	"github.com/ec261362/guardrails/core/deps/spec"
	"github.com/ec261362/guardrails/core/deps/version"
	"github.com/ec261362/guardrails/core/gate"
)

// Limits of what is read of a project.
const (
	maxManifest = 4 << 20
	maxLock     = 32 << 20
	maxMembers  = 256 // workspace members that are looked at
	maxUp       = 12  // folders above the one at hand
)

// origin finds out where a package would come from by the settings files of
// dir; nearer ones first.
func (q *question) origin(p *coord.Package, dir string) (unchecked string) {
	if q.sources == nil {
		q.sources = map[string]registry.Sources{}
	}
	build := q.buildTool(p)
	key := string(p.Ecosystem) + "|" + build + "|" + dir
	s, ok := q.sources[key]
	if !ok {
		s = registry.Settings(func(name string) []byte { return q.read(name, maxManifest) }, q.env.Getenv, p.Ecosystem, dir, q.root, q.env.Home)
		q.repositories(&s, build, dir)
		q.sources[key] = s
	}
	if p.Public {
		s.Default = ""
	}
	custom, extra, private := s.Place(p.Ecosystem, p.Name)
	switch {
	case private:
		return coord.Private
	case custom != "" && !q.public(p.Ecosystem, custom):
		return coord.CustomRegistry
	case p.Source == "" && extra != "" && !q.public(p.Ecosystem, extra):
		p.Source = extra
	case p.Source == "" && s.Token && strings.HasPrefix(p.Name, "@"):
		p.Source = "login"
	}
	return ""
}

// Tools whose own build files name repositories.
const (
	toolMaven  = "maven"
	toolGradle = "gradle"
	toolBundle = "bundle"
)

// buildTool is the tool whose build files say where a package comes from, "" if
// none do.
func (q *question) buildTool(p *coord.Package) string {
	switch {
	case p.Ecosystem == coord.RubyGems && (p.Bundled || p.File != ""):
		return toolBundle
	case p.Ecosystem != coord.Maven:
		return ""
	case strings.Contains(path.Base(p.File), ".gradle"), strings.HasSuffix(p.File, ".versions.toml"):
		return toolGradle
	}
	return toolMaven
}

// repositories adds what the build files of dir and those of the user say. The
// nearest file that says anything counts; the tool's own settings go first.
func (q *question) repositories(s *registry.Sources, tool, dir string) {
	var user, near []string
	home := q.env.Home
	switch tool {
	case toolMaven:
		user, near = []string{".m2/settings.xml"}, []string{".mvn/settings.xml", "pom.xml"}
	case toolGradle:
		user, near = []string{".gradle/init.gradle", ".gradle/init.gradle.kts"}, []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}
		if list, err := q.entries(filepath.Join(home, ".gradle/init.d")); home != "" && err == nil {
			for _, f := range list {
				user = append(user, ".gradle/init.d/"+f.Name())
			}
		}
	case toolBundle:
		near = []string{"Gemfile", "gems.rb"}
	default:
		return
	}
	take := func(name string) bool {
		text := q.read(name, maxManifest)
		if text == nil {
			return false
		}
		libraries, _ := manifest.RepositoriesOf(name, text)
		switch {
		case libraries.Replaced() && s.Default == "":
			s.Default = libraries.Custom
		case libraries.Custom != "" && s.Extra == "":
			s.Extra = libraries.Custom
		}
		return libraries != manifest.Repositories{}
	}
	for _, name := range user {
		if home != "" {
			take(filepath.Join(home, filepath.FromSlash(name)))
		}
	}
	if dir == "" || !filepath.IsAbs(dir) {
		return
	}
	for at, n := filepath.Clean(dir), 0; n < maxUp; at, n = filepath.Dir(at), n+1 {
		for _, name := range near {
			if take(filepath.Join(at, filepath.FromSlash(name))) {
				return
			}
		}
		if at == q.root || q.root == "" || at == filepath.Dir(at) {
			return
		}
	}
}

func (q *question) entries(dir string) ([]fs.DirEntry, error) {
	if q.fs == nil {
		return nil, fs.ErrNotExist
	}
	return q.fs.ReadDir(dir)
}

// public reports whether an address is that of the public registry: one that
// tools have built in, or the one that the configuration says is.
func (q *question) public(e coord.Ecosystem, address string) bool {
	return spec.PublicRegistry(address) || registry.Same(address, q.set.Endpoints.Registries[e])
}

// projects reads the manifests and lockfiles beside which a command installs,
// each once.
type projects struct {
	fs   gate.FS
	root string
	seen map[string]*project
}

// project is what one folder declares of one ecosystem.
type project struct {
	declared []coord.Package
	locks    []lockfile
	name     string   // its own
	members  []string // names of its workspace's members
}

type lockfile struct{ name, text string }

// manifests and lockfiles of an ecosystem, by name.
func filesOf(e coord.Ecosystem) (manifests, locks []string) {
	switch e {
	case coord.NPM:
		return []string{"package.json"}, []string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock"}
	case coord.PyPI:
		return []string{"pyproject.toml", "requirements.txt", "Pipfile", "setup.cfg"}, []string{"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"}
	case coord.Crates:
		return []string{"Cargo.toml"}, []string{"Cargo.lock"}
	case coord.Go:
		return []string{"go.mod"}, nil
	case coord.RubyGems:
		return []string{"Gemfile"}, []string{"Gemfile.lock"}
	case coord.Packagist:
		return []string{"composer.json"}, []string{"composer.lock"}
	case coord.NuGet:
		return []string{"Directory.Packages.props", "packages.config"}, []string{"packages.lock.json"}
	case coord.Maven:
		return []string{"pom.xml"}, nil
	case coord.Conda:
		return []string{"environment.yml"}, nil
	case coord.None:
	}
	return nil, nil
}

func (p *projects) read(name string, most int64) []byte {
	if p.fs == nil {
		return nil
	}
	b, err := p.fs.ReadFile(name, most)
	if err != nil {
		return nil
	}
	return b
}

// of returns the project that dir belongs to: of the nearest folder, up to the
// root, that has a manifest.
func (p *projects) of(e coord.Ecosystem, dir string) *project {
	if dir == "" || !filepath.IsAbs(dir) {
		return &project{}
	}
	key := string(e) + "|" + dir
	if have := p.seen[key]; have != nil {
		return have
	}
	found := &project{}
	if p.seen == nil {
		p.seen = map[string]*project{}
	}
	p.seen[key] = found
	manifests, locks := filesOf(e)
	for at, n := filepath.Clean(dir), 0; n < maxUp; n++ {
		any := false
		for _, m := range manifests {
			text := p.read(filepath.Join(at, m), maxManifest)
			if text == nil {
				continue
			}
			any = true
			declared, _ := manifest.Declared(filepath.Join(at, m), text)
			found.declared = append(found.declared, declared...)
			p.identity(found, m, at, text)
		}
		if any {
			for up, k := at, 0; k < maxUp; k++ { // a workspace's lockfile is further up
				for _, l := range locks {
					if text := p.read(filepath.Join(up, l), maxLock); text != nil {
						found.locks = append(found.locks, lockfile{l, string(text)})
					}
				}
				if len(found.locks) > 0 || up == p.root || up == filepath.Dir(up) || p.root == "" {
					break
				}
				up = filepath.Dir(up)
			}
			return found
		}
		if at == p.root || at == filepath.Dir(at) || p.root == "" {
			return found
		}
		at = filepath.Dir(at)
	}
	return found
}

// identity reads what a project calls itself, and its siblings.
func (p *projects) identity(to *project, base, dir string, text []byte) {
	switch base {
	case "package.json", "composer.json":
		var m struct {
			Name       string          `json:"name"`
			Workspaces json.RawMessage `json:"workspaces"`
		}
		_ = json.Unmarshal(text, &m)
		to.name = m.Name
		if base == "package.json" {
			p.members(to, dir, m.Workspaces)
		}
	case "go.mod":
		to.name = manifest.GoModule(text)
		p.goWork(to, dir)
	case "Cargo.toml", "pyproject.toml":
		for line := range strings.Lines(string(text)) {
			key, v, ok := strings.Cut(line, "=")
			if ok && strings.TrimSpace(key) == "name" {
				to.name = strings.Trim(strings.TrimSpace(v), `"'`)
				return
			}
		}
	}
}

// goWork finds the modules of the Go workspace that dir is in.
func (p *projects) goWork(to *project, dir string) {
	for range maxUp {
		if text := p.read(filepath.Join(dir, "go.work"), maxManifest); text != nil {
			for _, use := range manifest.GoWorkUses(text) {
				if !filepath.IsAbs(use) {
					use = filepath.Join(dir, filepath.FromSlash(use))
				}
				if name := manifest.GoModule(p.read(filepath.Join(use, "go.mod"), maxManifest)); name != "" && len(to.members) < maxMembers {
					to.members = append(to.members, name)
				}
			}
			return
		}
		if dir == p.root || p.root == "" || dir == filepath.Dir(dir) {
			return
		}
		dir = filepath.Dir(dir)
	}
}

// members finds the names of the packages of an npm workspace, that of dir or
// one above it.
func (p *projects) members(to *project, dir string, workspaces json.RawMessage) {
	for range maxUp {
		patterns := workspacePatterns(workspaces, p.read(filepath.Join(dir, "pnpm-workspace.yaml"), maxManifest))
		for _, pattern := range patterns {
			for _, at := range p.expand(dir, pattern) {
				var m struct {
					Name string `json:"name"`
				}
				if json.Unmarshal(p.read(filepath.Join(at, "package.json"), maxManifest), &m) == nil && m.Name != "" && len(to.members) < maxMembers {
					to.members = append(to.members, m.Name)
				}
			}
		}
		if len(patterns) > 0 || dir == p.root || p.root == "" || dir == filepath.Dir(dir) {
			return
		}
		dir = filepath.Dir(dir)
		var m struct {
			Workspaces json.RawMessage `json:"workspaces"`
		}
		_ = json.Unmarshal(p.read(filepath.Join(dir, "package.json"), maxManifest), &m)
		workspaces = m.Workspaces
	}
}

func patternsOf(raw json.RawMessage) []string {
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	var obj struct {
		Packages []string `json:"packages"`
	}
	_ = json.Unmarshal(raw, &obj)
	return obj.Packages
}

// expand returns the folders that a workspace pattern names; of ** the first two
// levels.
func (p *projects) expand(dir, pattern string) []string {
	pattern = path.Clean(filepath.ToSlash(pattern))
	if strings.HasPrefix(pattern, "!") || strings.HasPrefix(pattern, "..") || path.IsAbs(pattern) {
		return nil
	}
	at := []string{dir}
	for part := range strings.SplitSeq(pattern, "/") {
		var next []string
		for _, d := range at {
			if !strings.ContainsAny(part, "*?[") {
				next = append(next, filepath.Join(d, part))
				continue
			}
			list, err := p.fs.ReadDir(d)
			if err != nil {
				continue
			}
			for _, e := range list {
				fits := part == "**"
				if !fits {
					fits, _ = path.Match(part, e.Name())
				}
				if e.IsDir() && fits && e.Name() != "node_modules" && len(next) < maxMembers {
					next = append(next, filepath.Join(d, e.Name()))
				}
			}
		}
		at = next
	}
	return at
}

// place says what a project knows of a package that a command names: that it is
// there already, or which version it has now.
func (p *project) place(pkg *coord.Package) (there bool, was string, own bool) {
	e, name := pkg.Ecosystem, coord.Canonical(pkg.Ecosystem, pkg.Name)
	for _, n := range append([]string{p.name}, p.members...) {
		if n != "" && coord.Canonical(e, n) == name {
			return true, "", true
		}
	}
	own = sameScope(e, p.name, pkg.Name)
	var declared *coord.Package
	for i := range p.declared {
		if d := &p.declared[i]; d.Ecosystem == e && coord.Canonical(e, d.Name) == name {
			declared = d
		}
	}
	for _, l := range p.locks {
		if was = l.version(e, pkg.Name); was != "" {
			break
		}
	}
	s := version.Of(string(e))
	constraint := pkg.Constraint
	if constraint == "" {
		constraint = pkg.Version
	}
	switch {
	case declared == nil && was == "":
		return false, "", own
	case constraint == "":
		return true, was, own
	case declared != nil && (declared.Constraint == constraint || declared.Version == constraint) && (was == "" || pkg.Exact() == "" || s.Compare(was, pkg.Exact()) == 0):
		return true, was, own
	}
	if was == "" && declared != nil {
		was = declared.Exact()
	}
	if was == "" {
		return false, "", own
	}
	if exact := pkg.Exact(); exact != "" {
		return s.Compare(exact, was) == 0, was, own
	}
	if r, ok := s.ParseRange(constraint); ok {
		return r.Spans(was), was, own
	}
	return false, was, own
}

// sameScope reports whether a name is in the scope, vendor or owner of the
// project's own.
func sameScope(e coord.Ecosystem, own, name string) bool {
	scope := func(n string) string {
		switch e {
		case coord.NPM:
			if s, _, ok := strings.Cut(n, "/"); ok && strings.HasPrefix(s, "@") {
				return s
			}
		case coord.Packagist:
			if s, _, ok := strings.Cut(n, "/"); ok {
				return s
			}
		case coord.Go:
			if parts := strings.SplitN(n, "/", 3); len(parts) > 1 {
				return parts[0] + "/" + parts[1]
			}
		case coord.None, coord.PyPI, coord.Crates, coord.RubyGems, coord.NuGet, coord.Maven, coord.Conda:
		}
		return ""
	}
	s := scope(own)
	return s != "" && s == scope(name)
}

// version finds the version of a package in a lockfile, "" if it is not there.
// Lockfiles are written by programs, so their lines are known.
func (l *lockfile) version(e coord.Ecosystem, name string) string {
	switch l.name {
	case "package-lock.json", "npm-shrinkwrap.json":
		if v := after(l.text, `"node_modules/`+name+`": {`, `"version": "`, `"`); v != "" {
			return v
		}
		return after(l.text, `"`+name+`": {`, `"version": "`, `"`)
	case "yarn.lock":
		for _, head := range []string{"\n" + name + "@", "\n\"" + name + "@"} {
			if v := after("\n"+l.text, head, "\n  version", "\n"); v != "" {
				return strings.Trim(v, ` :"`)
			}
		}
	case "pnpm-lock.yaml":
		for _, head := range []string{"\n  /" + name + "@", "\n  " + name + "@", "\n  '" + name + "@", "\n  /" + name + "/"} {
			if _, rest, ok := strings.Cut(l.text, head); ok {
				v, _, _ := strings.Cut(rest, ":")
				v, _, _ = strings.Cut(strings.Trim(v, "'"), "(")
				return v
			}
		}
	case "bun.lock":
		if v := after(l.text, "\n    \""+name+"\": [\""+name+"@", "", `"`); v != "" {
			return v
		}
	case "Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock":
		for _, n := range []string{name, coord.Canonical(e, name)} {
			if v := after(l.text, `name = "`+n+`"`, "\nversion = \"", `"`); v != "" {
				return v
			}
		}
	case "Pipfile.lock":
		return strings.TrimLeft(after(l.text, `"`+coord.Canonical(e, name)+`": {`, `"version": "`, `"`), "=")
	case "Gemfile.lock":
		return after(l.text, "\n    "+name+" (", "", ")")
	case "composer.lock":
		return strings.TrimPrefix(after(l.text, `"name": "`+strings.ToLower(name)+`"`, `"version": "`, `"`), "v")
	case "packages.lock.json":
		return after(l.text, `"`+name+`": {`, `"resolved": "`, `"`)
	}
	return ""
}

// near is how far behind a name its version stands in a lockfile.
const near = 4 << 10

// after returns what stands between key and end, soon after head.
func after(text, head, key, end string) string {
	_, rest, ok := strings.Cut(text, head)
	if !ok {
		return ""
	}
	rest = rest[:min(len(rest), near)]
	if _, rest, ok = strings.Cut(rest, key); !ok {
		return ""
	}
	v, _, ok := strings.Cut(rest, end)
	if !ok {
		return ""
	}
	return v
}
