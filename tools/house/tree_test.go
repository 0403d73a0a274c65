package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tracked returns the files of the tree that are or could be committed.
func tracked(t *testing.T) []string {
	t.Helper()
	dir := root(t)
	if out, err := run(dir, nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"); err == nil {
		var names []string
		for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
			if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
				names = append(names, name)
			}
		}
		return names
	}
	// A source archive has no git: everything but what we make ourselves.
	var names []string
	made := []string{".git", ".e2e", ".tools", "bin", "dist", "coverage.txt"}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if slices.Contains(made, rel) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() {
			names = append(names, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestTopLevelIsFixed(t *testing.T) {
	folders := []string{"adapters", "cmd", "core", "docs", "installer", "templates", "testdata", "tools"}
	files := []string{
		"ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "NOTICE", "README.md", "SECURITY.md",
		"go.mod", "go.sum",
	}
	for _, name := range tracked(t) {
		top, _, below := strings.Cut(name, "/")
		if strings.HasPrefix(top, ".") || below && slices.Contains(folders, top) || !below && slices.Contains(files, top) {
			continue
		}
		t.Errorf("%s: the top level is %s", name, strings.Join(append(folders, files...), " "))
	}
}

func TestNoPackageIsNamedForNothing(t *testing.T) {
	vague := []string{"base", "common", "helpers", "internal", "lib", "misc", "models", "shared", "types", "util", "utils"}
	for name := range load(t).ours {
		if slices.Contains(vague, path.Base(name)) {
			t.Errorf("%s: name it for what it owns", name)
		}
	}
}

func TestMainIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "cmd/guardrails/main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > 25 {
		t.Errorf("cmd/guardrails/main.go has %d lines, the limit is 25", n)
	}
}

// TestNothingRunsBeforeMain holds in every package that ships: no init, no
// regular expression compiled and no map built for a package variable. A
// sync.OnceValue is fine: its function runs when it is wanted.
func TestNothingRunsBeforeMain(t *testing.T) {
	dir := root(t)
	hook := load(t).linked("cmd/guardrails/internal/hookcmd")
	set := token.NewFileSet()
	for _, name := range tracked(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			strings.HasPrefix(name, "tools/") || strings.Contains(name, "testdata/") {
			continue
		}
		file, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		onHook := slices.Contains(hook, path.Dir(name))
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					t.Errorf("%s: func init", set.Position(d.Pos()))
				}
			case *ast.GenDecl:
				if d.Tok != token.VAR {
					continue
				}
				for _, spec := range d.Specs {
					for _, value := range spec.(*ast.ValueSpec).Values {
						for _, bad := range eager(value, onHook) {
							t.Errorf("%s: %s", set.Position(bad.pos), bad.what)
						}
					}
				}
			}
		}
	}
}

type finding struct {
	pos  token.Pos
	what string
}

// eager finds what a package variable's value costs before main.
func eager(value ast.Expr, onHook bool) []finding {
	var found []finding
	ast.Inspect(value, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // runs when called
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "regexp" && strings.Contains(sel.Sel.Name, "ompile") {
					found = append(found, finding{n.Pos(), "regexp compiled before main; use sync.OnceValue"})
				}
			}
			if fun, ok := n.Fun.(*ast.Ident); ok && fun.Name == "make" && onHook {
				found = append(found, finding{n.Pos(), "made before main on the hook lane"})
			}
		case *ast.CompositeLit:
			if _, ok := n.Type.(*ast.MapType); ok && onHook {
				found = append(found, finding{n.Pos(), "map built before main on the hook lane; use a switch, an array or sync.OnceValue"})
			}
		}
		return true
	})
	return found
}

func TestEagerValuesAreSeen(t *testing.T) {
	tests := []struct {
		name, expr string
		want       int
	}{
		{"a regexp", `regexp.MustCompile("x")`, 1},
		{"a regexp in a list", `[]*regexp.Regexp{regexp.MustCompile("x"), regexp.MustCompilePOSIX("y")}`, 2},
		{"a regexp when wanted", `sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("x") })`, 0},
		{"a map", `map[string]bool{"x": true}`, 1},
		{"a made map", `make(map[string]bool)`, 1},
		{"an array", `[...]string{"x"}`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			expr, err := parser.ParseExpr(tt.expr)
			if err != nil {
				t.Fatal(err)
			}
			if got := eager(expr, true); len(got) != tt.want {
				t.Errorf("found %v, want %d", got, tt.want)
			}
		})
	}
}

// TestNoFileNamesAMachine keeps one developer's machine, and the addresses of
// package registries, out of the tree: which registry answers is up to the
// client's own settings.
func TestNoFileNamesAMachine(t *testing.T) {
	dir := root(t)
	registries := regexp.MustCompile(`(?i)\b(registry\.(npmjs|yarnpkg)\.(org|com)|npm\.pkg\.github\.com|(proxy|sum)\.golang\.org|goproxy\.[a-z]+|(www\.)?pypi\.org|files\.pythonhosted\.org|(static\.|index\.)?crates\.io|rubygems\.org|repo1?\.maven\.(apache\.)?org|packagist\.org|api\.nuget\.org)\b`)
	machines := regexp.MustCompile(`(^|[^\w.-])/(work/(main|shared)|root/(go|\.cache|\.npm|\.config|\.local)|home/(runner|ubuntu|vscode)|Users/(runner|admin)|tmp/(brief|bash_jobs))\b`)
	for _, name := range tracked(t) {
		if name == "tools/house/tree_test.go" || strings.HasSuffix(name, ".sum") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			if m := registries.Find(line); m != nil && !strings.HasPrefix(name, "core/deps/") {
				t.Errorf("%s:%d: registry address %s", name, i+1, m)
			}
			if m := machines.Find(line); m != nil {
				t.Errorf("%s:%d: path of a machine %q", name, i+1, m)
			}
		}
	}
}

// TestRequirementsStandInThreeBlocks reads go.mod: runtime, indirect and test
// requirements each have a block under a comment, and tools have none.
func TestRequirementsStandInThreeBlocks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if err := requireBlocks(string(text)); err != nil {
		t.Error(err)
	}
}

// requireBlocks checks the shape of a go.mod.
func requireBlocks(text string) error {
	var blocks, previous string
	inside := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "require (":
			if !strings.HasPrefix(previous, "//") {
				return fmt.Errorf("go.mod:%d: a require block without a comment above it", i+1)
			}
			inside = firstWord(strings.TrimLeft(previous, "/ "))
			blocks += inside + " "
		case line == ")":
			inside = ""
		case inside != "" && line != "" && !strings.HasPrefix(line, "//"):
			if indirect := strings.HasSuffix(line, "// indirect"); indirect != (inside == "indirect") {
				return fmt.Errorf("go.mod:%d: %q stands in the block %q", i+1, line, inside)
			}
		case strings.HasPrefix(line, "tool ") || strings.HasPrefix(line, "replace "):
			return fmt.Errorf("go.mod:%d: %q: tools have a module file of their own, and nothing is replaced", i+1, line)
		}
		previous = line
	}
	if strings.TrimSpace(blocks) != "runtime indirect test" {
		return fmt.Errorf("go.mod: the require blocks are %q, want runtime, indirect and test", strings.TrimSpace(blocks))
	}
	return nil
}

func firstWord(text string) string {
	word := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '.' || r == ',' || r == ':' })
	if len(word) == 0 {
		return ""
	}
	return strings.ToLower(word[0])
}

func TestRequireBlocksAreTold(t *testing.T) {
	good := "module m\n\n// Runtime.\nrequire (\n\ta v1\n)\n\n// Indirect.\nrequire (\n\tb v1 // indirect\n)\n\n// Test.\nrequire (\n\tc v1\n)\n"
	if err := requireBlocks(good); err != nil {
		t.Errorf("a good file: %v", err)
	}
	for name, bad := range map[string]string{
		"two blocks":          strings.Replace(good, "// Test.\nrequire (\n\tc v1\n)\n", "", 1),
		"indirect in runtime": strings.Replace(good, "a v1", "a v1 // indirect", 1),
		"direct in indirect":  strings.Replace(good, "b v1 // indirect", "b v1", 1),
		"no comment":          strings.Replace(good, "// Runtime.\n", "", 1),
		"a tool":              good + "tool example.com/x\n",
	} {
		if requireBlocks(bad) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestWorkflowsCallOnlyMake keeps CI runnable at home, and its actions pinned
// to a commit.
func TestWorkflowsCallOnlyMake(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), ".github/workflows/*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no workflow found", err)
	}
	makefile, err := os.ReadFile(filepath.Join(root(t), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v[\d.]+$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			key, value, _ := strings.Cut(strings.TrimLeft(line, " -"), ": ")
			at := fmt.Sprintf("%s:%d: %q", filepath.Base(file), i+1, strings.TrimSpace(line))
			switch key {
			case "run":
				words := strings.Fields(value)
				if len(words) < 2 || words[0] != "make" {
					t.Errorf("%s calls something other than a make target", at)
				} else if !bytes.Contains(makefile, []byte("\n"+words[1]+":")) {
					t.Errorf("%s calls a target that the Makefile does not have", at)
				}
			case "uses":
				if !pinned.MatchString(value) {
					t.Errorf("%s is not pinned to a commit with its version beside it", at)
				}
			}
		}
	}
}

func TestEveryTargetHasAHelpLine(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	target := regexp.MustCompile(`^([a-z0-9-]+):([^=]|$)`)
	for i, line := range strings.Split(string(text), "\n") {
		if m := target.FindStringSubmatch(line); m != nil && !strings.Contains(line, " ## ") {
			t.Errorf("Makefile:%d: %s has no help line", i+1, m[1])
		}
	}
}
