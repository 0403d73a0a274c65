package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/ec261362/guardrails"

// systems are the operating systems we ship to: an import behind a build
// constraint counts.
var systems = []string{"linux", "darwin", "windows"}

// A pkg is one package as it is on all systems together.
type pkg struct {
	standard bool
	imports  []string // sorted; of ours relative to the module
	systems  []string // those that link it
	cgo      bool
}

// A tree is every package that the module holds or links.
type tree struct {
	all  map[string]*pkg
	ours map[string]*pkg
}

// root returns the top of the module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run runs the go command at the top of the module and returns its output.
func run(dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}

var loaded = sync.OnceValues(func() (*tree, error) {
	dir, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	tr := &tree{all: map[string]*pkg{}, ours: map[string]*pkg{}}
	for _, system := range systems {
		// CGO_ENABLED=1 so that a dependency's cgo files are not hidden.
		env := []string{"GOOS=" + system, "GOARCH=amd64", "CGO_ENABLED=1"}
		out, err := run(dir, env, "go", "list", "-deps", "-json=ImportPath,Standard,Imports,CgoFiles,Error", "./...")
		if err != nil {
			return nil, err
		}
		if err := tr.add(system, out); err != nil {
			return nil, err
		}
	}
	return tr, nil
})

// load lists the module once per test run.
func load(t *testing.T) *tree {
	t.Helper()
	tr, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func (tr *tree) add(system string, out []byte) error {
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Standard   bool
			Imports    []string
			CgoFiles   []string
			Error      *struct{ Err string }
		}
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if p.Error != nil {
			return fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err)
		}
		name, own := relative(p.ImportPath)
		q := tr.all[name]
		if q == nil {
			q = &pkg{standard: p.Standard}
			tr.all[name] = q
		}
		if own {
			tr.ours[name] = q
		}
		q.systems = append(q.systems, system)
		q.cgo = q.cgo || len(p.CgoFiles) > 0
		for _, imp := range p.Imports {
			imp, _ = relative(imp)
			if !slices.Contains(q.imports, imp) {
				q.imports = append(q.imports, imp)
			}
		}
		slices.Sort(q.imports)
	}
}

// relative returns the name of a package as the rules write it.
func relative(path string) (name string, own bool) {
	if name, own = strings.CutPrefix(path, module+"/"); own {
		return name, true
	}
	return path, path == module
}

// exists reports whether pattern names a package of ours.
func (tr *tree) exists(pattern string) bool {
	for path := range tr.ours {
		if matchAny([]string{pattern}, path) {
			return true
		}
	}
	return false
}

// imports reports whether a package of ours under who imports one under name.
func (tr *tree) imports(who, name string) bool {
	for path, p := range tr.ours {
		if matchAny([]string{who}, path) && slices.ContainsFunc(p.imports, func(imp string) bool { return matchAny([]string{name}, imp) }) {
			return true
		}
	}
	return false
}

// linked returns everything that root links, root included.
func (tr *tree) linked(root string) []string {
	seen := map[string]bool{}
	var walk func(string)
	walk = func(name string) {
		if p := tr.all[name]; p != nil && !seen[name] {
			seen[name] = true
			for _, imp := range p.imports {
				walk(imp)
			}
		}
	}
	walk(root)
	return slices.Sorted(maps.Keys(seen))
}

// chain returns the shortest way by which root links name, nil if it does not.
func (tr *tree) chain(root, name string) []string {
	from := map[string]string{root: ""}
	for queue := []string{root}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at == name {
			var way []string
			for ; at != ""; at = from[at] {
				way = append(way, at)
			}
			slices.Reverse(way)
			return way
		}
		if tr.all[at] == nil {
			continue
		}
		for _, imp := range tr.all[at].imports {
			if _, seen := from[imp]; !seen {
				from[imp] = at
				queue = append(queue, imp)
			}
		}
	}
	return nil
}
