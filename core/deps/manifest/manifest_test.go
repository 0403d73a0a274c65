package manifest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ec261362/guardrails/core/shellcmd"
)

var update = flag.Bool("update", false, "rewrite the wanted parts of testdata")

// TestGolden diffs each after/PATH of a txtar with its before/PATH, if there is
// one, and compares what it adds with the part named want.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			before := make(map[string][]byte)
			var got strings.Builder
			want, wantAt := "", -1
			for i, f := range a.Files {
				if name, ok := strings.CutPrefix(f.Name, "before/"); ok {
					before[name] = f.Data
				}
				if f.Name == "want" {
					want, wantAt = string(f.Data), i
				}
			}
			for _, f := range a.Files {
				if name, ok := strings.CutPrefix(f.Name, "after/"); ok {
					if !Known(name) {
						fmt.Fprintf(&got, "%s: not a manifest\n", name)
						continue
					}
					got.WriteString(show(name, before[name], f.Data))
				}
			}
			if *update && wantAt >= 0 {
				a.Files[wantAt].Data = []byte(got.String())
				if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// show writes what an edit adds, one line each.
func show(name string, before, after []byte) string {
	packages, unchecked := Diff(name, before, after)
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n", name)
	for _, p := range packages {
		fmt.Fprintf(&b, "\t%s %s", p.Ecosystem, p.Name)
		if p.Version != "" {
			fmt.Fprintf(&b, " %s", p.Version)
		}
		if p.Constraint != p.Version {
			fmt.Fprintf(&b, " (%s)", p.Constraint)
		}
		for _, f := range []struct {
			on   bool
			name string
		}{{p.Dev, "dev"}, {p.Indirect, "indirect"}, {p.Advisory, "advisory"}, {p.Runs, "runs"}, {p.Source != "", "beside " + p.Source}} {
			if f.on {
				fmt.Fprintf(&b, " [%s]", f.name)
			}
		}
		b.WriteByte('\n')
	}
	for _, u := range unchecked {
		fmt.Fprintf(&b, "\tnot checked: %s: %s\n", u.Spec, u.Why)
	}
	return b.String()
}

func TestKnown(t *testing.T) {
	yes := []string{
		"package.json", "a/b/package.json", `a\b\package.json`, "/x/requirements.txt", "requirements/base.txt", "requirements-dev.in", "dev-requirements.txt",
		"pyproject.toml", "Pipfile", "setup.py", "setup.cfg", "x.py", "environment.yml", "environment-dev.yaml", "Cargo.toml", "go.mod", "Gemfile", "gems.rb",
		"x.gemspec", "composer.json", "App.csproj", "Directory.Packages.props", "packages.config", ".config/dotnet-tools.json", "pom.xml", "build.gradle",
		"app/build.gradle.kts", "settings.gradle", "gradle/libs.versions.toml", "Dockerfile", "prod.Dockerfile", "Dockerfile.dev", ".github/workflows/ci.yml",
		"pnpm-workspace.yaml", "deno.json", "pixi.toml", "test/fixtures/package.json",
	}
	no := []string{
		"", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "poetry.lock", "pdm.lock", "uv.lock", "Pipfile.lock", "Cargo.lock",
		"go.sum", "Gemfile.lock", "composer.lock", "packages.lock.json", "gradle.lockfile", "constraints.txt", "requirements/constraints.txt", "docs/requirements.md", "README.md", "main.go", "ci.yml",
		"node_modules/x/package.json", "vendor/x/go.mod", ".venv/lib/x.py", "a/site-packages/y/setup.py", "target/package.json", "dist/package.json",
		"tsconfig.json", "app.config", "x.toml",
	}
	for _, name := range yes {
		if !Known(name) {
			t.Errorf("Known(%q) is false", name)
		}
	}
	for _, name := range no {
		if Known(name) {
			t.Errorf("Known(%q) is true", name)
		}
	}
}

func TestWorthLooksIntoFilesThatSeldomDeclare(t *testing.T) {
	tests := []struct {
		name, content string
		want          bool
	}{
		{"x.py", "import os\n", false},
		{"x.py", "# /// script\n# dependencies = []\n# ///\n", true},
		{"Dockerfile", "FROM a\nCOPY . .\n", false},
		{"Dockerfile", "FROM a\nRUN pip install x\n", true},
		{"a.props", "<Project/>", false},
		{"package.json", "", true},
		{"yarn.lock", "x", false},
	}
	for _, tt := range tests {
		if got := Worth(tt.name, []byte(tt.content)); got != tt.want {
			t.Errorf("Worth(%q, %q) = %v", tt.name, tt.content, got)
		}
	}
}

func TestAnUnchangedManifestAddsNothing(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			name, ok := strings.CutPrefix(f.Name, "after/")
			if !ok {
				continue
			}
			packages, unchecked := Diff(name, f.Data, f.Data)
			if len(packages) > 0 || len(unchecked) > 1 || len(unchecked) == 1 && unchecked[0].Why != "unparsable" {
				t.Errorf("%s: %s against itself adds %v %v", file, name, packages, unchecked)
			}
		}
	}
}

// TestEveryCutIsRead cuts each sample everywhere: an edit may leave any of it.
func TestEveryCutIsRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			name, ok := strings.CutPrefix(f.Name, "after/")
			if !ok || !Known(name) {
				continue
			}
			whole, _ := Declared(name, f.Data)
			for i := range f.Data {
				if n, _ := Declared(name, f.Data[:i]); len(n) > len(whole)+1 {
					t.Errorf("%s: %s cut at %d declares more than the whole", file, name, i)
				}
			}
		}
	}
}

func TestWrittenSeesRedirectsAndTee(t *testing.T) {
	tests := []struct {
		line string
		want []Write
	}{
		{"cat > package.json <<'EOF'\n{}\nEOF", []Write{{"/w/package.json", []byte("{}\n"), false}}},
		{"cd api && echo flask >> requirements.txt", []Write{{"/w/api/requirements.txt", []byte("flask\n"), true}}},
		{"printf 'a\\nb\\n' | tee -a requirements.txt", []Write{{"/w/requirements.txt", []byte("a\nb\n"), true}}},
		{"cat other > package.json", nil},
		{"echo hi > notes.txt", nil},
		{"cat > Dockerfile <<'EOF'\nRUN npm i foo\nEOF", nil},
		{"echo $X > requirements.txt", nil},
		{"cat package.json 2> /dev/null", nil},
		{"ssh host 'echo a > requirements.txt'", nil},
	}
	for _, tt := range tests {
		got := Written(shellcmd.Parse(tt.line, shellcmd.Options{Cwd: "/w", Home: "/h"}))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.line, diff)
		}
		if len(got) > 0 && !Mentions(tt.line) {
			t.Errorf("Mentions(%q) is false", tt.line)
		}
	}
}

func FuzzDiff(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range a.Files {
			if name, ok := strings.CutPrefix(part.Name, "after/"); ok {
				f.Add(name, []byte(""), part.Data)
				f.Add(name, part.Data, part.Data[len(part.Data)/2:])
			}
		}
	}
	f.Fuzz(func(t *testing.T, name string, before, after []byte) {
		packages, unchecked := Diff(name, before, after)
		for _, p := range packages {
			if p.Ecosystem == "" || p.Name == "" || strings.ContainsAny(p.Name, "\n\x00 ") {
				t.Errorf("bad package %+v", p)
			}
		}
		for _, u := range unchecked {
			if u.Why == "" {
				t.Errorf("no reason for %q", u.Spec)
			}
		}
		if !Known(name) && len(packages)+len(unchecked) > 0 {
			t.Errorf("%q is not known but was read", name)
		}
	})
}

func TestLinesOfABrokenManifestAreTold(t *testing.T) {
	for _, tc := range []struct{ name, before, after, want string }{
		{
			"package.json", "{\n\"name\": \"x\",\n\"dependencies\": {\n\"old\": \"1\"\n}\n}\n",
			"{\n\"name\": \"x\" oops\n\"version\": \"1.0.0\",\n\"engines\": {\"node\": \">=18\", \"zz-engine\": \"1\"},\n\"dependencies\": {\n\"old\": \"1\",\n\"evil\": \"^2\"\n}\n}\n",
			"\tnpm evil ^2 [advisory]\n\tnot checked: package.json: unparsable\n",
		},
		{"package.json", "", "// a comment\n{\"dependencies\": {\"evil\": \"1\"}}", "\tnpm evil 1 [advisory]\n\tnot checked: package.json: unparsable\n"},
		{"composer.json", "", "{,\"require\": {\"a/b\": \"^1\", \"php\": \"8\"}, \"conflict\": {\"c/d\": \"1\"}}", "\tPackagist a/b ^1 [advisory]\n\tnot checked: composer.json: unparsable\n"},
		{"a.csproj", "", "<Project><ItemGroup>\n<PackageReference Include=\"Evil\" Version=\"1.0\" \n</ItemGroup></Project>", "\tNuGet Evil 1.0 [advisory]\n\tnot checked: a.csproj: unparsable\n"},
		{"pom.xml", "", "<project <dependencies><dependency><groupId>g.x</groupId><artifactId>a</artifactId><version>1</version></dependency>", "\tMaven g.x:a 1 [advisory]\n\tnot checked: pom.xml: unparsable\n"},
		{"build.gradle", "", "def x = 'open\ndependencies { implementation 'g.x:a:1.0' }\n", "\tMaven g.x:a 1.0 [advisory]\n\tnot checked: build.gradle: unparsable\n"},
	} {
		if got := strings.TrimPrefix(show(tc.name, []byte(tc.before), []byte(tc.after)), tc.name+":\n"); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestAFragmentIsReadByWhatItsLinesLookLike(t *testing.T) {
	for _, tc := range []struct{ name, added, want string }{
		{"package.json", "    \"evil\": \"^1.2.0\",\n    \"lint\": \"eslint .\",\n    \"git\": \"npm:real@2\"\n", "npm evil ^1.2.0 npm real 2"},
		{"composer.json", "\"e/vil\": \"^1\",\n\"description\": \"1 thing\"\n", "Packagist e/vil ^1"},
		{"Cargo.toml", "evil = \"1\"\nother = { version = \"2\", features = [\"x\"] }\nedition = \"2021\"\n", "crates.io evil 1 crates.io other 2"},
		{"Cargo.toml", "[package]\nrust = \"1.80\"\n", ""},
		{"pyproject.toml", "  \"evil>=1\",\n  'other',\n", "PyPI evil >=1 PyPI other"},
		{"pyproject.toml", "evil = \"^1\"\nline-length = 100\n", "PyPI evil ^1"},
		{"requirements.txt", "evil==1\n", "PyPI evil ==1"},
		{"go.mod", "\texample.com/e/vil v1.0.0\n", "Go example.com/e/vil v1.0.0"},
		{"go.mod", "require example.com/e/vil v1.0.0\n", "Go example.com/e/vil v1.0.0"},
		{"Gemfile", "gem 'evil'\n", "RubyGems evil"},
		{"build.gradle", "    implementation 'g.x:a:1.0'\n    // 'g.y:b:1'\n", "Maven g.x:a 1.0"},
		{"pom.xml", "<dependency>\n<groupId>g.x</groupId>\n<artifactId>a</artifactId>\n<version>${v}</version>\n", "Maven g.x:a"},
		{"App.csproj", "<PackageReference Include=\"Evil\" Version=\"1.0\" />", "NuGet Evil 1.0"},
		{"README.md", "npm install evil", ""},
	} {
		packages, _ := Fragment(tc.name, []byte(tc.added))
		var got []string
		for _, p := range packages {
			if !p.Advisory {
				t.Errorf("%s: %s is not advisory", tc.name, p.Name)
			}
			got = append(got, strings.TrimSpace(string(p.Ecosystem)+" "+p.Name+" "+p.Version))
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%s %q: %s, want %s", tc.name, tc.added, s, tc.want)
		}
	}
}
