package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/core/quality"
)

func TestPlacesAreReadInFoldersWithSpaces(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"packages/my lib/a.test.js", "plain.go"} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, pl := New(Options{}), &place{root: root}
	for _, c := range []struct{ text, want string }{
		{"    at TestContext.<anonymous> (" + root + "/packages/my lib/a.test.js:4:37)", "packages/my lib/a.test.js:4"},
		{"    at file://" + root + "/packages/my%20lib/a.test.js:5:1", "packages/my lib/a.test.js:5"},
		{`  File "` + root + `/packages/my lib/a.test.js", line 6, in f`, "packages/my lib/a.test.js:6"},
		{"packages/my lib/a.test.js:7:3: bad", "packages/my lib/a.test.js:7"},
		{"plain.go:8: bad", "plain.go:8"},
		{"see plain.go:8: not a place", ""},
	} {
		got := ""
		if f := w.read(pl, &pkg{dir: "."}, quality.Test, "x", unframe(c.text)); len(f) > 0 {
			got, _, _ = strings.Cut(f[0].String(), ": ")
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestAMatchersNameIsNotWhatFailed(t *testing.T) {
	got := message(failure{Text: "Error: expect(received).toBe(expected) // Object.is equality\n\n\x1b[32mExpected: 3\x1b[39m\nReceived: 1\n"})
	if got != "expected 3, received 1" {
		t.Error(got)
	}
}

func TestChangedFilesThatNoTestIsMeantToLoad(t *testing.T) {
	for rel, want := range map[string]bool{
		"src/a.py": false, "docs/conf.py": true, "setup.py": true, "app/migrations/0001.py": true, "scripts/x.js": true, "src/Button.stories.tsx": true,
		"src/api.types.ts": true, "vite.config.ts": true, "src/config.ts": false, ".storybook/main.js": true, "src/b.ts": false, "build.rs": true,
	} {
		if got := aside(rel); got != want {
			t.Errorf("%s: %v", rel, got)
		}
	}
	for line, want := range map[string]bool{
		"": true, "export * from './a'": true, "export { a, b as c } from './a';": true, "import x from 'x'": true, "export type A = string": true, "// x": true,
		"export { a };": false, "export const a = 1": false, "import('x')": false, "importer()": false,
	} {
		if got := namesModule(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestAProjectWithoutTestsIsAskedForNone(t *testing.T) {
	needs(t, "go", "git")
	p := newProject(t, map[string]string{"go.mod": "module example.com/app\n\ngo 1.21\n", "main.go": "package main\n\nfunc main() {}\n"})
	p.write("main.go", "package main\n\nfunc main() {\n\tprintln(1)\n}\n")
	passes(t, p.gate("main.go"))
	// With tests elsewhere in the module, what is changed here wants some.
	p.write("b/b_test.go", "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n")
	check(t, p.gate("main.go"), "coverage: main.go:4")
}

func TestASetupThatNeverWorkedIsKnownWhereverItIsRun(t *testing.T) {
	needs(t, "git", "sh")
	jest := func(script string) *quality.Report {
		p := newProject(t, map[string]string{"package.json": `{"name":"x","scripts":{"test":"jest"}}`, ".gitignore": "node_modules\n", "a.js": "1;\n"})
		p.stand("jest", script)
		p.write("a.js", "2;\n")
		return p.gate("a.js")
	}
	r := jest(`echo "Error: Cannot find preset in $(pwd)/package.json, a long way down below $(pwd)" >&2; exit 1`)
	if r.Outcome != quality.Passed || len(r.Known) != 1 || !strings.Contains(r.Known[0].Message, "preset in package.json") {
		t.Fatalf("%s\n%+v", r.Text(4000), r.Known)
	}
	// One that says nothing either time is told, and does not block.
	if r := jest("exit 0"); r.Outcome != quality.Passed || len(r.Broken) != 1 || !strings.Contains(r.Broken[0].Why, "so it was before") {
		t.Fatalf("%s\n%+v", r.Text(4000), r.Steps)
	}
}

func TestAModuleThatIsBrokenIsSaidOrKnown(t *testing.T) {
	needs(t, "go", "git")
	good := map[string]string{"go.mod": "module example.com/app\n\ngo 1.21\n", "a/a.go": "package a\n\n// F is one.\nfunc F() int { return 1 }\n"}
	p := newProject(t, good)
	p.write("go.mod", "module example.com/app\n\ngo 1.21\n\nnonsense here\n")
	check(t, p.gate("go.mod", "a/a.go"), "go.mod")
	good["go.mod"] += "\nnonsense here\n"
	p = newProject(t, good)
	p.write("a/a.go", "package a\n\n// F is 1.\nfunc F() int { return 1 }\n")
	if r := p.gate("a/a.go"); r.Outcome != quality.Passed || len(r.Known) == 0 {
		t.Fatalf("%s\n%+v", r.Text(4000), r.Steps)
	}
}

func TestAnEmptyFileIsFormatted(t *testing.T) {
	needs(t, "rustfmt", "git")
	p := newProject(t, map[string]string{"Cargo.toml": "[package]\nname = \"x\"\n", "src/m.rs": ""})
	p.write("src/m.rs", "pub fn x()->i32{1}\n")
	p.edit(quality.Edit{Path: "src/m.rs"})
	if got := p.read("src/m.rs"); got != "pub fn x() -> i32 {\n    1\n}\n" {
		t.Errorf("%q", got)
	}
}

func TestWhatFailsAfterAFloodIsStillSaid(t *testing.T) {
	p := goProject(t)
	p.conf.OnStop = []quality.Step{quality.Test}
	p.write("a/flood_test.go", "package a\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc TestFlood(t *testing.T) {\n\tfor i := 0; i < 20000; i++ {\n\t\tfmt.Println(strings.Repeat(\"x\", 50))\n\t}\n\tt.Error(\"after the flood\")\n}\n")
	check(t, p.gate("a/flood_test.go"), "a/flood_test.go:13: TestFlood: after the flood")
}

func TestACacheThatCannotBeKeptDoesNotBlock(t *testing.T) {
	p := goProject(t)
	p.conf.Cache = filepath.Join(t.TempDir(), "file", "cache")
	if err := os.WriteFile(filepath.Dir(p.conf.Cache), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.write("a/a.go", "package a\n\n// Add adds up.\nfunc Add(x, y int) int { return x + y }\n")
	passes(t, p.gate("a/a.go"))
}

func TestWhatKilledRunsLeftIsSweptAfterADay(t *testing.T) {
	tmp := t.TempDir()
	w := New(Options{TempDir: tmp})
	old, recent, other := filepath.Join(tmp, scratchName+"1"), filepath.Join(tmp, scratchName+"2"), filepath.Join(tmp, "other")
	for _, dir := range []string{old, recent, other} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-25 * time.Hour)
	for _, dir := range []string{old, other} {
		if err := os.Chtimes(dir, past, past); err != nil {
			t.Fatal(err)
		}
	}
	_, drop, err := w.scratch()
	if err != nil {
		t.Fatal(err)
	}
	drop()
	for dir, want := range map[string]bool{old: false, recent: true, other: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestAModulesOwnFileCompilesAllOfItAndTestsNone(t *testing.T) {
	p := goProject(t)
	p.write("b/b_test.go", "package b\n\nimport \"testing\"\n\nfunc TestRed(t *testing.T) { t.Error(\"of a package that nobody touched\") }\n")
	p.commit("red")
	p.write("go.mod", "module example.com/app\n\ngo 1.20\n")
	r := p.gate("go.mod")
	passes(t, r)
	if len(r.Known) != 0 {
		t.Errorf("known %+v", r.Known)
	}
	p.write("go.mod", "module example.com/renamed\n\ngo 1.21\n")
	p.write("b/b.go", "package b\n\nimport \"example.com/app/a\"\n\n// Zero is nothing.\nfunc Zero() int { return a.Add(0, 0) }\n")
	p.commit("import")
	p.write("go.mod", "module example.com/again\n\ngo 1.21\n")
	if r := p.gate("go.mod"); !strings.Contains(r.Text(4000)+r.Head(), "b/b.go:3") && len(r.Known) == 0 {
		t.Fatalf("%s\n%+v", r.Text(4000), r.Steps)
	}
}

func TestFilesOfTheForgeAndTheEditorAreNobodysPackage(t *testing.T) {
	p := goProject(t)
	for _, name := range []string{".github/workflows/ci.yml", ".vscode/settings.json", "Dockerfile", "docker-compose.yml"} {
		p.write(name, "x")
		if r := p.gate(name); len(r.Packages) != 0 || r.Outcome != quality.Passed {
			t.Errorf("%s: %q", name, r.Packages)
		}
	}
}

// Two packages whose tests run at once: b's fail while a's run, and a's wait for
// that, so that they meet however slow the machine is.
func TestTestsThatDisturbEachOtherAreRunAgainAlone(t *testing.T) {
	needs(t, "git", "node")
	dir := t.TempDir()
	running, met := filepath.Join(dir, "running"), filepath.Join(dir, "met")
	wait := `const fs = require('node:fs');
const comes = async (file) => {
  for (let i = 0; i < 3000 && !fs.existsSync(file); i++) await new Promise((done) => setTimeout(done, 10));
  return fs.existsSync(file);
};
`
	p := newProject(t, map[string]string{
		"package.json":     `{"workspaces":["p/*"]}`,
		"p/a/package.json": `{"name":"a","scripts":{"test":"node --test"}}`,
		"p/a/x.js":         "module.exports = 1;\n",
		"p/a/x.test.js": wait + fmt.Sprintf(`require('node:test').test('holds', async () => {
  fs.writeFileSync(%[1]q, '');
  await comes(%[2]q);
  fs.rmSync(%[1]q);
});
`, running, met),
		"p/b/package.json": `{"name":"b","scripts":{"test":"node --test"}}`,
		"p/b/x.js":         "module.exports = 1;\n",
		"p/b/x.test.js": wait + fmt.Sprintf(`require('node:test').test('disturbed', async () => {
  if (fs.existsSync(%[2]q)) return; // again, alone
  if (await comes(%[1]q)) {
    fs.writeFileSync(%[2]q, '');
    throw new Error('a runs');
  }
});
`, running, met),
	})
	p.conf.OnStop = []quality.Step{quality.Test}
	p.write("p/a/x.js", "module.exports = 2;\n")
	p.write("p/b/x.js", "module.exports = 2;\n")
	r := p.gate("p/a/x.js", "p/b/x.js")
	passes(t, r)
	if len(r.Flaky) == 0 {
		t.Error("what failed beside another and passed alone is not called so")
	}
}

func TestPytestOfAnotherPythonIsBetterThanNone(t *testing.T) {
	needs(t, "git", "sh")
	bare := t.TempDir()
	for _, name := range []string{"git", "sh"} {
		link(t, bare, name)
	}
	script := func(name, text string) {
		if err := os.WriteFile(filepath.Join(bare, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script("python3", `case "$*" in *"import pytest"*) exit 1;; esac; exit 0`)
	script("pytest", `for a; do case "$a" in --junitxml=*) echo '<testsuite><testcase classname="t" name="test_a"/></testsuite>' > "${a#--junitxml=}";; esac; done`)
	p := newProject(t, map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\n", "a.py": "x = 1\n"}, "PATH="+bare)
	p.write("a.py", "x = 2\n")
	r := p.gate("a.py")
	passes(t, r)
	if !ran(r, quality.Test, 1) {
		t.Errorf("%+v", r.Steps)
	}
}

func TestUnderPlugAndPlayThePackageManagerRunsTheTests(t *testing.T) {
	needs(t, "git", "sh")
	p := newProject(t, map[string]string{"package.json": `{"name":"x","scripts":{"test":"vitest"}}`, "yarn.lock": "", ".pnp.cjs": "", ".gitignore": "node_modules\n", "a.mts": "1;\n"})
	p.stand("yarn", `echo "a.mts:3: $*"; exit 1`)
	p.git("add", "-A")
	p.write("a.mts", "2;\n")
	r := p.ask(Request{Touched: []string{"a.mts"}, Deadline: true})
	if len(r.Missing) != 0 || len(r.Known)+len(r.Findings) == 0 {
		t.Fatalf("%s\n%+v", r.Text(4000), r.Steps)
	}
}
