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
	var locked map[string]bool
	for at, n := dir, 0; n < maxUp && locked == nil; n++ { // a workspace's lockfile is further up
		for _, l := range locks {
			if lock := q.read(filepath.Join(at, l), maxLock); lock != nil && locked == nil {
				locked = lockedNames(l, project.Ecosystem, string(lock))
			}
		}
		if at == q.root || q.root == "" || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	if locked == nil {
		return
	}
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
			if !locked[coord.Canonical(p.Ecosystem, p.Name)] && p.Ecosystem == project.Ecosystem && len(anew) < maxBeyond {
				anew = append(anew, p)
			}
		}
		q.declare(filepath.ToSlash(name), anew, nil)
	}
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
			if key == "name" {
				add(value)
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
