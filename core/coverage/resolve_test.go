package coverage

import (
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// tree makes a repository of files without git.
func tree(tb testing.TB, files map[string]string) *Tree {
	tb.Helper()
	root := tb.TempDir()
	out := &Tree{Root: root, Read: func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(root, name)) }}
	for name, text := range files {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
		out.Files = append(out.Files, name)
	}
	return out
}

func TestNamesInReportsFindTheirFiles(t *testing.T) {
	files := map[string]string{
		"go.mod": "module example.com/m // the root\n", "a.go": "", "in/b.go": "", "svc/go.mod": "module \"example.com/svc\"\n", "svc/b.go": "",
		"old/go.mod": "module example.com/svc\n", "old/only.go": "",
		"src/price.js": "", "packages/a/src/price.js": "", "packages/b/src/price.js": "", "packages/b/src/only.js": "", "packages/a/index.js": "",
		"shop/price.py": "", "backend/shop/cost.py": "", "top.py": "", "compat/stdio.h": "", "src/one.c": "",
		"core/src/main/java/com/x/A.java": "", "web/src/main/java/com/x/A.java": "", "web/src/main/java/com/x/B.java": "", "app/src/main/kotlin/Main.kt": "",
		"größe/ä b.py": "",
	}
	tr := tree(t, files)
	for _, tc := range []struct {
		what    string
		r       Report
		at      string // where the report lies
		base    string
		name    string
		group   string
		want    string
		sources []string
	}{
		{what: "module of the root", r: Report{Format: GoCover}, name: "example.com/m/in/b.go", want: "in/b.go"},
		{what: "file of the root package", r: Report{Format: GoCover}, name: "example.com/m/a.go", want: "a.go"},
		{what: "module in a folder", r: Report{Format: GoCover}, name: "example.com/svc/b.go", want: "svc/b.go"},
		{what: "one path, two modules", r: Report{Format: GoCover}, name: "example.com/svc/only.go", want: "old/only.go"},
		{what: "a dependency", r: Report{Format: GoCover}, name: "example.org/dep/x.go"},
		{what: "from the root", name: "src/price.js", want: "src/price.js"},
		{what: "from where the report lies", at: "packages/b", name: "src/price.js", want: "packages/b/src/price.js"},
		{what: "from above where it lies", at: "packages/b/coverage", name: "src/price.js", want: "packages/b/src/price.js"},
		{what: "with dots", at: "packages/b/coverage", name: "../src/price.js", want: "packages/b/src/price.js"},
		{what: "BASEDIR before all", at: "packages/b/coverage", base: "packages/a", name: "./src/price.js", want: "packages/a/src/price.js"},
		{what: "nothing outside BASEDIR", base: "packages/a", name: "src/only.js"},
		{what: "the only end", name: "lib/src/only.js", want: "packages/b/src/only.js"},
		{what: "another machine", name: "/home/ci/project/packages/a/src/price.js", want: "packages/a/src/price.js"},
		{what: "another machine, with a drive", name: `C:\ci\packages\a\src\price.js`, want: "packages/a/src/price.js"},
		{what: "several ends", name: "/home/ci/x/src/main/java/com/x/A.java"},
		{what: "the nearest of several ends", at: "web/target", name: "/home/ci/x/src/main/java/com/x/A.java", want: "web/src/main/java/com/x/A.java"},
		{what: "a header of the system", name: "/usr/include/stdio.h"},
		{what: "another machine, at the root", name: "/home/ci/project/top.py", want: "top.py"},
		{what: "a source folder of another machine", sources: []string{"/home/ci/project/shop"}, name: "price.py", want: "shop/price.py"},
		{what: "a source folder above", at: "backend", sources: []string{"/home/ci/project/backend"}, name: "shop/cost.py", want: "backend/shop/cost.py"},
		{what: "a relative source folder", sources: []string{"backend"}, name: "shop/cost.py", want: "backend/shop/cost.py"},
		{what: "the source folder that has it", sources: []string{"/home/ci/project/shop", "/home/ci/project/backend"}, name: "shop/cost.py", want: "backend/shop/cost.py"},
		{what: "a dot as source", sources: []string{"."}, name: "src/one.c", want: "src/one.c"},
		{what: "a package and a file", r: Report{Format: JaCoCo}, name: "com/x/B.java", want: "web/src/main/java/com/x/B.java"},
		{what: "the module's group", r: Report{Format: JaCoCo}, name: "com/x/A.java", group: "all/core", want: "core/src/main/java/com/x/A.java"},
		{what: "where the module's report lies", r: Report{Format: JaCoCo}, at: "core/target/site/jacoco", name: "com/x/A.java", want: "core/src/main/java/com/x/A.java"},
		{what: "two modules and no hint", r: Report{Format: JaCoCo}, name: "com/x/A.java"},
		{what: "a package without its folder", r: Report{Format: JaCoCo}, name: "com/x/Main.kt", want: "app/src/main/kotlin/Main.kt"},
		{what: "a bundler's name", name: "webpack://shop/./packages/a/index.js", want: "packages/a/index.js"},
		{what: "a URL", name: "file:///home/ci/project/src/one.c", want: "src/one.c"},
		{what: "letters and blanks", name: "größe/ä b.py", want: "größe/ä b.py"},
		{what: "nowhere", name: "none/such.py"},
		{what: "no name", name: ""},
		{what: "up and away", name: "../../../../etc/passwd"},
	} {
		t.Run(tc.what, func(t *testing.T) {
			r := tc.r
			r.Sources = tc.sources
			r.dir = filepath.Join(tr.Root, filepath.FromSlash(tc.at))
			if tc.base != "" {
				r.base = filepath.Join(tr.Root, filepath.FromSlash(tc.base))
			}
			got, ok := newResolver(tr, &r).find(&File{Name: tc.name, Group: tc.group})
			if got != tc.want || ok != (tc.want != "") {
				t.Errorf("%q stands for %q, %v; want %q", tc.name, got, ok, tc.want)
			}
		})
	}
}

func TestAbsolutePathsOfThisMachineAreTakenAsTheyAre(t *testing.T) {
	tr := tree(t, map[string]string{"a/x.py": "", "b/x.py": ""})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(tr.Root, link); err != nil {
		t.Skip(err)
	}
	v := newResolver(tr, &Report{Format: LCOV})
	for _, root := range []string{tr.Root, link} {
		if got, _ := v.find(&File{Name: filepath.Join(root, "b", "x.py")}); got != "b/x.py" {
			t.Errorf("through %s: %q", root, got)
		}
		if got, ok := v.find(&File{Name: filepath.Join(root, "gone", "x.py")}); ok {
			t.Errorf("a file that is gone stands for %q", got)
		}
	}
}

func TestFoundFilesExist(t *testing.T) {
	known := map[string]string{"a/b/c.py": "", "b/c.py": "", "c.py": "", "a/d.go": "", "go.mod": "module m"}
	tr := tree(t, known)
	part := rapid.SampledFrom([]string{"a", "b", "c.py", "d.go", "..", ".", "", "m", `\`, "/", "C:", "\x00"})
	rapid.Check(t, func(t *rapid.T) {
		path := func(label string) string { return filepath.Join(rapid.SliceOfN(part, 0, 4).Draw(t, label)...) }
		r := Report{Format: Format(rapid.IntRange(int(FormatUnknown), int(IstanbulSummary)).Draw(t, "format")), Sources: []string{path("source")}, base: path("base"), dir: path("dir")}
		got, ok := newResolver(tr, &r).find(&File{Name: path("name"), Group: path("group")})
		if _, is := known[got]; ok != is || !ok && got != "" {
			t.Fatalf("%q, %v", got, ok)
		}
	})
}

func TestPatternsMatchFilesAndFolders(t *testing.T) {
	match, err := Patterns([]string{"docs/", "gen/*.go", "**/mock", "a/**/z.py", "*.pb.go"})
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]bool{
		"docs/a/b.go": true, "docs": true, "xdocs/a": false, "gen/a.go": true, "gen/a/b.go": false, "mock/x": true, "a/b/mock/c": true, "mocks/x": false,
		"a/z.py": true, "a/b/c/z.py": true, "b/z.py": false, "x.pb.go": true, "a/x.pb.go": false,
	} {
		if match(file) != want {
			t.Errorf("%s: %v", file, !want)
		}
	}
	for _, p := range []string{"", "/", ".", "../x", "a/[", "./"} {
		if _, err := Patterns([]string{p}); err == nil {
			t.Errorf("%q is taken", p)
		}
	}
}
