package deps

import (
	"encoding/json"
	"path"
	"path/filepath"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/install"
	"github.com/ec261362/guardrails/core/deps/manifest"
)

// beyond adds what a manifest declares and its lockfile lacks, where a command
// is about to install what the manifest says. However it got there (sed, jq, a
// script, a copy), that is what the command fetches anew. Without a lockfile
// nothing says what is new, and nothing is added.
func (q *question) beyond(project install.Project) {
	if q.fs == nil || !filepath.IsAbs(project.Dir) {
		return
	}
	file, locks := filesBeyond(project)
	if file == "" {
		return
	}
	dir, text := q.nearest(project.Dir, file)
	if text == nil {
		return
	}
	lock, name := q.lockOf(project.Tool, dir, locks)
	if lock == "" {
		return
	}
	locked := lockedNames(name, project.Ecosystem, lock)
	names := []string{filepath.Join(dir, file)}
	if file == "package.json" {
		for _, at := range q.parts(dir, text) {
			names = append(names, filepath.Join(at, file))
		}
	}
	for i, name := range names {
		if i > 0 {
			text = q.read(name, maxManifest)
		}
		declared, _ := manifest.Declared(filepath.ToSlash(name), text)
		var anew []coord.Package
		for _, p := range declared {
			if !locked[coord.Canonical(p.Ecosystem, p.Name)] && p.Ecosystem == project.Ecosystem && len(anew) < maxBeyond && q.installed(project.Tool, dir, lock, locked, &p) {
				anew = append(anew, p)
			}
		}
		q.declare(filepath.ToSlash(name), anew, nil)
	}
}

// lockOf is the lockfile that a tool keeps for the manifest in dir: the one
// beside it, or that of the workspace that dir is a part of. An empty one says
// nothing, as if there were none.
func (q *question) lockOf(tool, dir string, locks []string) (text, name string) {
	for at, n := dir, 0; n < maxUp; n++ {
		for _, l := range locks {
			if lock := q.read(filepath.Join(at, l), maxLock); len(strings.TrimSpace(string(lock[:min(len(lock), 512)]))) > 0 {
				if at != dir && !q.memberOf(tool, at, dir) {
					return "", ""
				}
				return string(lock), l
			}
		}
		if at == q.root || q.root == "" || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	return "", ""
}

// memberOf reports whether the workspace that is declared at top has dir as one
// of its parts: otherwise a tool makes dir a lockfile of its own.
func (q *question) memberOf(tool, top, dir string) bool {
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return false
	}
	rel = filepath.ToSlash(rel)
	switch tool {
	case "npm", "pnpm", "yarn", "bun":
		var m struct {
			Workspaces json.RawMessage `json:"workspaces"`
		}
		_ = json.Unmarshal(q.read(filepath.Join(top, "package.json"), maxManifest), &m)
		for _, pattern := range workspacePatterns(m.Workspaces, q.read(filepath.Join(top, "pnpm-workspace.yaml"), maxManifest)) {
			if fits(strings.Split(path.Clean(pattern), "/"), strings.Split(rel, "/")) {
				return true
			}
		}
	case "cargo":
		return strings.Contains(string(q.read(filepath.Join(top, "Cargo.toml"), maxManifest)), "[workspace")
	case "uv":
		return strings.Contains(string(q.read(filepath.Join(top, "pyproject.toml"), maxManifest)), "[tool.uv.workspace")
	}
	return false
}

// fits reports whether a path has the form of a pattern, both in parts.
func fits(pattern, name []string) bool {
	if len(pattern) == 0 || len(name) == 0 {
		return len(pattern) == len(name) || len(pattern) == 1 && pattern[0] == "**"
	}
	if pattern[0] == "**" {
		return fits(pattern[1:], name) || fits(pattern, name[1:])
	}
	ok, err := path.Match(pattern[0], name[0])
	return ok && err == nil && fits(pattern[1:], name[1:])
}

// installed reports whether what a manifest declares, and the lockfile lacks, is
// something that the tool is going to install: an override, an optional peer or
// a shared version that nothing asks for never gets into a lockfile.
func (q *question) installed(tool, dir, lock string, locked map[string]bool, p *coord.Package) bool {
	switch {
	case p.Aside && tool == "cargo":
		return p.For != "" && q.usesShared(dir, p.For)
	case p.Aside:
		return p.For != "" && locked[coord.Canonical(p.Ecosystem, p.For)]
	case p.Extra:
		return tool != "pdm"
	case p.Peer:
		switch tool {
		case "npm": // from version 7 on, whose lockfiles list folders
			return strings.Contains(lock, `"packages":`)
		case "pnpm":
			return strings.Contains(lock, "autoInstallPeers: true")
		}
		return tool == "bun"
	}
	return true
}

// usesShared reports whether a member of the Cargo workspace at dir takes name
// from its table of versions.
func (q *question) usesShared(dir, name string) bool {
	if q.shared == nil {
		q.shared = map[string]map[string]bool{}
	}
	uses, ok := q.shared[dir]
	if !ok {
		uses = map[string]bool{}
		q.shared[dir] = uses
		top := q.read(filepath.Join(dir, "Cargo.toml"), maxManifest)
		members := []string{dir}
		for _, pattern := range manifest.CargoMembers(top) {
			if at := q.expand(dir, pattern); len(members)+len(at) <= maxMembers {
				members = append(members, at...)
			}
		}
		for _, at := range members {
			_, others := manifest.Declared("Cargo.toml", q.read(filepath.Join(at, "Cargo.toml"), maxManifest))
			for _, u := range others {
				if u.Why == coord.Workspace {
					uses[u.Spec] = true
				}
			}
		}
	}
	return uses[name]
}

// maxBeyond is how many packages of one manifest are looked up that its
// lockfile lacks.
const maxBeyond = 200

// filesBeyond names the manifest that a tool installs from, and its lockfiles.
func filesBeyond(project install.Project) (file string, locks []string) {
	switch project.Tool {
	case "npm":
		return "package.json", []string{"package-lock.json", "npm-shrinkwrap.json"}
	case "pnpm":
		return "package.json", []string{"pnpm-lock.yaml"}
	case "yarn":
		return "package.json", []string{"yarn.lock"}
	case "bun":
		return "package.json", []string{"bun.lock"}
	case "uv":
		return "pyproject.toml", []string{"uv.lock"}
	case "poetry":
		return "pyproject.toml", []string{"poetry.lock"}
	case "pdm":
		return "pyproject.toml", []string{"pdm.lock"}
	case "pipenv":
		return "Pipfile", []string{"Pipfile.lock"}
	case "cargo":
		return "Cargo.toml", []string{"Cargo.lock"}
	case "go":
		return "go.mod", []string{"go.sum"}
	case "bundle":
		return "Gemfile", []string{"Gemfile.lock"}
	case "composer":
		return "composer.json", []string{"composer.lock"}
	}
	return "", nil
}

// nearest reads a file of dir or of a folder above it, up to the root.
func (q *question) nearest(dir, name string) (at string, text []byte) {
	at = filepath.Clean(dir)
	for range maxUp {
		if text := q.read(filepath.Join(at, name), maxManifest); text != nil {
			return at, text
		}
		if at == q.root || q.root == "" || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	return at, nil
}

// parts are the folders of a Node workspace's members.
func (q *question) parts(dir string, text []byte) []string {
	var m struct {
		Workspaces json.RawMessage `json:"workspaces"`
	}
	_ = json.Unmarshal(text, &m)
	var out []string
	for _, pattern := range workspacePatterns(m.Workspaces, q.read(filepath.Join(dir, "pnpm-workspace.yaml"), maxManifest)) {
		for _, at := range q.expand(dir, pattern) {
			if len(out) < maxMembers {
				out = append(out, at)
			}
		}
	}
	return out
}

// lockedNames are the names that a lockfile has, in canonical form. Lockfiles
// are written by programs, so their lines are known; what is no name among the
// words that are taken does no harm.
func lockedNames(lock string, e coord.Ecosystem, text string) map[string]bool {
	out := map[string]bool{}
	add := func(name string) {
		if name != "" {
			out[coord.Canonical(e, name)] = true
		}
	}
	switch lock {
	case "package-lock.json", "npm-shrinkwrap.json":
		if strings.Contains(text, `"node_modules/`) {
			eachQuoted(text, `"node_modules/`, func(name string) {
				if i := strings.LastIndex(name, "node_modules/"); i >= 0 {
					name = name[i+len("node_modules/"):]
				}
				add(name)
			})
			eachQuoted(text, `"name": "`, add)
			return out
		}
	case "Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock":
		eachQuoted(text, `name = "`, add)
		return out
	}
	for line := range strings.Lines(text) {
		s := strings.TrimSpace(line)
		switch lock {
		case "package-lock.json", "npm-shrinkwrap.json", "Pipfile.lock", "composer.lock":
			key, value := member(s)
			add(key)
			switch real, alias := strings.CutPrefix(value, "npm:"); {
			case key == "name":
				add(value)
			case key == "version" && alias:
				add(beforeVersion(real))
			}
		case "bun.lock":
			key, value := member(s)
			add(key)
			if i := strings.LastIndexByte(key, '/'); i > 0 && key[0] != '@' {
				add(key[i+1:])
			}
			add(beforeVersion(value))
		case "yarn.lock":
			if value, ok := strings.CutPrefix(s, "resolution: "); ok {
				add(beforeVersion(strings.Trim(value, `"`)))
			} else if line[0] != ' ' && line[0] != '#' {
				for spec := range strings.SplitSeq(strings.TrimSuffix(s, ":"), ",") {
					spec = strings.Trim(strings.TrimSpace(spec), `"`)
					add(beforeVersion(spec))
					if _, real, ok := strings.Cut(spec, "@npm:"); ok {
						add(beforeVersion(real))
					}
				}
			}
		case "pnpm-lock.yaml":
			key, value, ok := strings.Cut(s, ":")
			if !ok {
				continue
			}
			if rest, quoted := strings.CutPrefix(s, "'"); quoted {
				key, _, _ = strings.Cut(rest, "'")
			}
			key = strings.TrimPrefix(key, "/")
			add(beforeVersion(key))
			if i := strings.LastIndexByte(key, '/'); i > 0 && i+1 < len(key) && '0' <= key[i+1] && key[i+1] <= '9' {
				add(key[:i])
			}
			if key == "version" {
				add(beforeVersion(strings.Trim(strings.TrimSpace(value), "'"))) // of an alias
			}
		case "go.sum":
			name, _, _ := strings.Cut(s, " ")
			add(name)
		case "Gemfile.lock":
			name, _, _ := strings.Cut(s, " ")
			add(strings.TrimSuffix(name, "!"))
		}
	}
	return out
}

// eachQuoted calls f with what stands between each mark and the next quote.
func eachQuoted(text, mark string, f func(string)) {
	for {
		_, rest, ok := strings.Cut(text, mark)
		if !ok {
			return
		}
		name, rest, ok := strings.Cut(rest, `"`)
		if !ok {
			return
		}
		f(name)
		text = rest
	}
}

// member is the key of a line of JSON, and its value if that is a string, or
// the first of a list.
func member(line string) (key, value string) {
	rest, ok := strings.CutPrefix(line, `"`)
	if !ok {
		return "", ""
	}
	key, rest, ok = strings.Cut(rest, `"`)
	if !ok {
		return "", ""
	}
	rest = strings.TrimLeft(rest, ": [")
	if rest, ok = strings.CutPrefix(rest, `"`); ok {
		value, _, _ = strings.Cut(rest, `"`)
	}
	return key, value
}

// beforeVersion is the name in front of @version.
func beforeVersion(s string) string {
	if len(s) < 2 {
		return s
	}
	if i := strings.IndexByte(s[1:], '@'); i >= 0 {
		return s[:i+1]
	}
	return s
}

// workspacePatterns are the patterns of a package.json and of a
// pnpm-workspace.yaml beside it.
func workspacePatterns(workspaces json.RawMessage, pnpm []byte) []string {
	patterns := patternsOf(workspaces)
	for line := range strings.Lines(string(pnpm)) {
		if item, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
			patterns = append(patterns, path.Clean(strings.Trim(strings.TrimSpace(item), `"'`)))
		}
	}
	return patterns
}
