package run

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ec261362/guardrails/core/quality"
)

// The toolchains.
const (
	golang     = "go"
	python     = "python"
	javascript = "javascript"
	rust       = "rust"
	java       = "java"
	generic    = "generic"
)

// pkg is one package: what a step is run for.
type pkg struct {
	dir   string // relative to the project's root, slashes, "." = the root
	chain string
	mod   string   // folder of its go.mod; "" = none
	files []string // touched and still there, relative to the root
	gone  []string // touched files that are not there any more
	conf  quality.Override
}

// name is how a package is reported.
func (p *pkg) name() string { return p.dir }

// own reports whether the project names a command of its own for one of its
// steps, so that it cannot share a run with others.
func (p *pkg) own(step quality.Step) quality.Command {
	switch step {
	case quality.Format:
		return p.conf.Format
	case quality.Lint:
		return p.conf.Lint
	case quality.Build:
		return p.conf.Build
	case quality.Test:
		return p.conf.Test
	default:
		return quality.Command{}
	}
}

// tree looks at a project's files.
type tree struct {
	root      string
	overrides []quality.Override
	seen      map[string]bool // by path: is there
}

func newTree(p quality.Project) *tree {
	return &tree{root: p.Root, overrides: p.Packages, seen: map[string]bool{}}
}

// has reports whether dir has a file of that name.
func (t *tree) has(dir, name string) bool {
	rel := path.Join(dir, name)
	is, ok := t.seen[rel]
	if !ok {
		st, err := os.Stat(t.abs(rel))
		is = err == nil && !st.IsDir()
		t.seen[rel] = is
	}
	return is
}

func (t *tree) abs(rel string) string { return filepath.Join(t.root, filepath.FromSlash(rel)) }

// up returns the nearest folder at or above dir that has one of the names.
func (t *tree) up(dir string, names ...string) (string, bool) {
	for {
		for _, n := range names {
			if t.has(dir, n) {
				return dir, true
			}
		}
		if dir == "." {
			return "", false
		}
		dir = path.Dir(dir)
	}
}

// read returns a small file's content, "" if it cannot be read.
func (t *tree) read(rel string) string {
	data, err := os.ReadFile(t.abs(rel))
	if err != nil || len(data) > 4<<20 {
		return ""
	}
	return string(data)
}

// passed reports whether what lies in a path is nobody's own source.
func passed(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		switch part {
		case ".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".guardrails", ".gradle", ".mypy_cache", ".pytest_cache", ".next", ".nuxt":
			return true
		}
	}
	return false
}

// vendored reports whether a file lies in a folder of other people's sources: one
// named vendor that holds its tool's mark.
func (t *tree) vendored(rel string) bool {
	for d := path.Dir(rel); d != "."; d = path.Dir(d) {
		if path.Base(d) == "vendor" && (t.has(d, "modules.txt") || t.has(d, "autoload.php") || t.has(d, "bundle/config") || t.has(d, ".cargo-checksum.json")) {
			return true
		}
	}
	return false
}

// document reports whether a file cannot change what a test says.
func document(rel string) bool {
	for part := range strings.SplitSeq(path.Dir(rel), "/") {
		switch part {
		case ".github", ".gitlab", ".circleci", ".buildkite", ".vscode", ".idea", ".devcontainer", ".husky", ".changeset", ".claude", ".gemini", ".muse", ".cursor":
			return true // of the forge, the editor, the agent
		case "testdata", "fixtures", "__fixtures__", "__snapshots__", "snapshots", "resources", "templates":
			return false
		}
	}
	base := strings.ToLower(path.Base(rel))
	switch path.Ext(base) {
	case ".md", ".mdx", ".rst", ".adoc", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp", ".pdf":
		return true
	case ".txt":
		return !strings.HasPrefix(base, "requirements") && base != "cmakelists.txt"
	}
	switch base {
	case "dockerfile", ".dockerignore", "docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml", "procfile", "jenkinsfile", ".gitlab-ci.yml",
		".pre-commit-config.yaml", "renovate.json", ".env.example", "license", "notice", "authors", "codeowners", ".gitignore", ".gitattributes", ".guardrails.yaml", ".editorconfig", ".mailmap":
		return true
	}
	return false
}

// of returns the packages of one file: none, one, or for a file that is no
// source those whose folder it lies in.
func (t *tree) of(rel string) []*pkg {
	if passed(rel) || t.vendored(rel) {
		return nil
	}
	dir := path.Dir(rel)
	conf, set := t.override(dir)
	if set && conf.Toolchain != "" {
		at := dir
		if f, ok := t.folder(conf, dir); ok {
			at = f
		}
		return []*pkg{t.with(&pkg{dir: at, chain: conf.Toolchain, mod: t.module(conf.Toolchain, dir)})}
	}
	var out []*pkg
	switch strings.ToLower(path.Ext(rel)) {
	case ".go":
		if mod, ok := t.up(dir, "go.mod"); ok {
			out = append(out, &pkg{dir: t.goDir(dir, mod), chain: golang, mod: mod})
		} else {
			out = append(out, &pkg{dir: dir, chain: golang}) // files without a module
		}
	case ".py", ".pyi", ".pyx":
		out = append(out, t.python(dir))
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte":
		if at, ok := t.up(dir, "package.json"); ok {
			out = append(out, &pkg{dir: at, chain: javascript})
		}
	case ".rs":
		if at, ok := t.crate(dir); ok {
			out = append(out, &pkg{dir: at, chain: rust})
		}
	case ".java", ".kt", ".kts", ".scala", ".groovy":
		if at, ok := t.up(dir, javaFiles...); ok {
			out = append(out, &pkg{dir: at, chain: java})
		}
	default:
		if !document(rel) {
			out = t.around(dir)
		}
	}
	if at, ok := t.folder(conf, dir); set && ok && !document(rel) {
		// A folder that the project names is a package of its own.
		switch {
		case len(out) == 0 || !source(rel) && levels(at) > levels(out[0].dir):
			out = []*pkg{{dir: at, chain: generic}}
		case out[0].chain != golang && levels(at) > levels(out[0].dir):
			out[0].dir = at
		}
	}
	for i := range out {
		out[i] = t.with(out[i])
	}
	return out
}

var (
	javaFiles   = []string{"pom.xml", "build.gradle", "build.gradle.kts"}
	pythonFiles = []string{"pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "requirements.txt"}
)

func (t *tree) module(chain, dir string) string {
	if chain == golang {
		if mod, ok := t.up(dir, "go.mod"); ok {
			return mod
		}
	}
	return ""
}

func (t *tree) python(dir string) *pkg {
	at, ok := t.up(dir, "pyproject.toml", "setup.py", "setup.cfg")
	if !ok {
		if at, ok = t.up(dir, pythonFiles...); !ok {
			at = "."
		}
	}
	return &pkg{dir: at, chain: python}
}

// crate is the nearest folder whose Cargo.toml has a package.
func (t *tree) crate(dir string) (string, bool) {
	for {
		at, ok := t.up(dir, "Cargo.toml")
		if !ok {
			return "", false
		}
		if hasTable(t.read(path.Join(at, "Cargo.toml")), "package") || at == "." {
			return at, true
		}
		dir = path.Dir(at)
	}
}

// goDir is the nearest folder with Go files: the package that testdata and
// embedded files belong to.
func (t *tree) goDir(dir, mod string) string {
	for d := dir; ; d = path.Dir(d) {
		if base := path.Base(d); base != "testdata" && !strings.Contains("/"+d+"/", "/testdata/") && t.goFiles(d) {
			return d
		}
		if d == mod || d == "." {
			return mod
		}
	}
}

func (t *tree) goFiles(dir string) bool {
	list, err := os.ReadDir(t.abs(dir))
	return err == nil && slices.ContainsFunc(list, func(e fs.DirEntry) bool {
		return strings.HasSuffix(e.Name(), ".go") && !strings.HasPrefix(e.Name(), "_") && !strings.HasPrefix(e.Name(), ".")
	})
}

// around are the packages that a file which is no source lies in: of each
// toolchain the nearest, but none from above a nearer one.
func (t *tree) around(dir string) []*pkg {
	var out []*pkg
	for d := dir; ; d = path.Dir(d) {
		if t.has(d, "go.mod") {
			at := t.goDir(dir, d)
			out = append(out, &pkg{dir: at, chain: golang, mod: d})
		}
		if t.has(d, "package.json") {
			out = append(out, &pkg{dir: d, chain: javascript})
		}
		if t.has(d, "Cargo.toml") && hasTable(t.read(path.Join(d, "Cargo.toml")), "package") {
			out = append(out, &pkg{dir: d, chain: rust})
		}
		if slices.ContainsFunc(javaFiles, func(n string) bool { return t.has(d, n) }) {
			out = append(out, &pkg{dir: d, chain: java})
		}
		if slices.ContainsFunc(pythonFiles[:3], func(n string) bool { return t.has(d, n) }) {
			out = append(out, &pkg{dir: d, chain: python})
		}
		if len(out) > 0 || d == "." {
			return out
		}
	}
}

// override returns what the project says of a folder: the entry of the deepest
// folder that names it or a parent; a pattern counts where it matches.
func (t *tree) override(dir string) (quality.Override, bool) {
	var best quality.Override
	found, depth := false, -1
	for _, o := range t.overrides {
		at, ok := t.folder(o, dir)
		if !ok {
			continue
		}
		if d := levels(at); d > depth {
			best, depth, found = o, d, true
		}
	}
	return best, found
}

func levels(dir string) int {
	if dir == "." {
		return 0
	}
	return strings.Count(dir, "/") + 1
}

// folder returns the folder at or above dir that an entry is about.
func (t *tree) folder(o quality.Override, dir string) (string, bool) {
	want := path.Clean(strings.TrimSuffix(o.Path, "/"))
	for d := dir; ; d = path.Dir(d) {
		if d == want || (d != "." && doublestar.MatchUnvalidated(want, d)) {
			return d, true
		}
		if d == "." {
			return "", false
		}
	}
}

func (t *tree) with(p *pkg) *pkg {
	if conf, ok := t.override(p.dir); ok {
		p.conf = conf
	}
	return p
}

// packages maps touched files to packages, in order of their folders. Files that
// are gone count for what they belonged to.
func (t *tree) packages(touched []string) []*pkg {
	byKey := map[string]*pkg{}
	for _, rel := range touched {
		if filepath.IsAbs(rel) || strings.HasPrefix(rel, "/") || rel == "" || rel == ".." || strings.HasPrefix(rel, "../") {
			continue
		}
		rel = path.Clean(filepath.ToSlash(rel))
		for _, p := range t.of(rel) {
			key := p.chain + "\x00" + p.dir
			if byKey[key] == nil {
				byKey[key] = p
			}
			if st, err := os.Lstat(t.abs(rel)); err == nil && st.Mode().IsRegular() {
				byKey[key].files = append(byKey[key].files, rel)
			} else {
				byKey[key].gone = append(byKey[key].gone, rel)
			}
		}
	}
	return inOrder(byKey)
}

func inOrder(m map[string]*pkg) []*pkg {
	out := make([]*pkg, 0, len(m))
	for _, p := range m {
		slices.Sort(p.files)
		p.files = slices.Compact(p.files)
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *pkg) int {
		if c := strings.Compare(a.dir, b.dir); c != 0 {
			return c
		}
		return strings.Compare(a.chain, b.chain)
	})
	return out
}

// walk is filepath.WalkDir for a root that may be a link: names are below the link.
func walk(root string, fn fs.WalkDirFunc) error {
	real, err := filepath.EvalSymlinks(root)
	if err != nil || real == root {
		return filepath.WalkDir(root, fn)
	}
	return filepath.WalkDir(real, func(name string, d fs.DirEntry, err error) error {
		rel, rerr := filepath.Rel(real, name)
		if rerr != nil {
			return rerr
		}
		return fn(filepath.Join(root, rel), d, err)
	})
}

// maxWalk bounds how many entries a look at the whole project takes.
const maxWalk = 200_000

// all finds every package of the project, with every source file of it.
func (t *tree) all(ctx context.Context) []*pkg {
	byKey := map[string]*pkg{}
	n := 0
	_ = walk(t.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read has no package
		}
		if n++; n > maxWalk || n%1024 == 0 && ctx.Err() != nil {
			return fs.SkipAll
		}
		rel, err := filepath.Rel(t.root, name)
		if err != nil {
			return nil //nolint:nilerr // cannot be: name is below root
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			switch base := d.Name(); {
			case rel == ".":
			case passed(base), base == "vendor", base == "target", base == "testdata", base == "dist", base == "build" && !t.goFiles(rel), strings.HasPrefix(base, "."):
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !source(rel) {
			return nil
		}
		for _, p := range t.of(rel) {
			key := p.chain + "\x00" + p.dir
			if byKey[key] == nil {
				byKey[key] = p
			}
			byKey[key].files = append(byKey[key].files, rel)
		}
		return nil
	})
	// Folders that only the configuration knows.
	for _, o := range t.overrides {
		at := path.Clean(o.Path)
		if strings.ContainsAny(at, "*?[{") {
			continue
		}
		if st, err := os.Stat(t.abs(at)); err != nil || !st.IsDir() {
			continue
		}
		known := slices.ContainsFunc(inOrder(byKey), func(p *pkg) bool { return p.dir == at })
		if !known {
			chain := o.Toolchain
			if chain == "" {
				chain = generic
			}
			byKey[chain+"\x00"+at] = t.with(&pkg{dir: at, chain: chain, mod: t.module(chain, at)})
		}
	}
	return inOrder(byKey)
}

func source(rel string) bool {
	switch strings.ToLower(path.Ext(rel)) {
	case ".go", ".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".rs", ".java", ".kt":
		return true
	}
	return false
}

// hasTable reports whether a TOML text has a table of that name.
func hasTable(text, name string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "["+name+"]") || strings.HasPrefix(line, "["+name+".") || strings.HasPrefix(line, "[["+name) {
			return true
		}
	}
	return false
}
