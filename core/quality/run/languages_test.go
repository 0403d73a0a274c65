package run

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/core/quality"
)

// systemPython puts a Python first that has pytest.
func (p *project) systemPython() bool {
	for _, py := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(py, "-c", "import pytest").Run() == nil {
			file, err := exec.LookPath(py)
			if err != nil {
				return false
			}
			bin := p.t.TempDir()
			if os.Symlink(file, filepath.Join(bin, "python3")) != nil {
				return false
			}
			p.path(bin)
			return true
		}
	}
	return false
}

func check(t *testing.T, r *quality.Report, want ...string) {
	t.Helper()
	text := r.Text(4000)
	if r.Outcome != quality.Failed {
		t.Fatalf("%s\n%+v", text, r.Steps)
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in\n%s", w, text)
		}
	}
}

func passes(t *testing.T, r *quality.Report) {
	t.Helper()
	if r.Outcome != quality.Passed {
		t.Fatalf("%s\n%+v", r.Text(4000), r.Steps)
	}
}

func ran(r *quality.Report, step quality.Step, tests int) bool {
	return slices.ContainsFunc(r.Steps, func(s quality.StepResult) bool { return s.Step == step && s.Outcome == "pass" && s.Tests == tests })
}

var pythonFilesOfTest = map[string]string{
	".gitignore":       "__pycache__/\n",
	"pyproject.toml":   "[project]\nname = \"app\"\n",
	"app/__init__.py":  "",
	"app/sums.py":      "def add(x, y):\n    return x + y\n",
	"test_sums.py":     "import unittest\n\nfrom app.sums import add\n\n\nclass SumsTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n",
	"other/notpart.py": "x = 1\n",
}

func TestPythonWithPytest(t *testing.T) {
	needs(t, "git", "python3")
	p := newProject(t, pythonFilesOfTest)
	if !p.systemPython() {
		t.Skip("no Python with pytest is on this machine")
	}
	p.write("app/sums.py", "def add(x, y):\n    total = x + y\n    return total\n")
	r := p.gate("app/sums.py")
	passes(t, r)
	if !ran(r, quality.Test, 1) {
		t.Errorf("steps %+v", r.Steps)
	}
	p.write("app/sums.py", "def add(x, y):\n    return x - y\n")
	check(t, p.gate("app/sums.py"), "test_sums.py:8", "test_add", "-1 != 3")
	p.write("app/sums.py", "def add(x, y:\n    return x - y\n")
	check(t, p.gate("app/sums.py"), "app/sums.py:1", "was never closed")
	p.write("app/sums.py", "import gone\n\n\ndef add(x, y):\n    return x + y\n")
	check(t, p.gate("app/sums.py"), "gone")
}

func TestPythonCoverage(t *testing.T) {
	needs(t, "git", "python3")
	p := newProject(t, pythonFilesOfTest)
	if !p.systemPython() || exec.Command("/usr/bin/python3", "-c", "import pytest_cov").Run() != nil {
		t.Skip("no Python with pytest-cov is on this machine")
	}
	p.write("app/sums.py", "def add(x, y):\n    return x + y\n\n\ndef sub(x, y):\n    if x == y:\n        return 0\n    return x - y\n")
	check(t, p.gate("app/sums.py"), "coverage: app/sums.py:6")
	p.write("test_sums.py", strings.Replace(p.read("test_sums.py"), "import add", "import add, sub", 1)+"\n    def test_sub(self):\n        self.assertEqual(sub(1, 1), 0)\n        self.assertEqual(sub(3, 1), 2)\n")
	r := p.gate("app/sums.py", "test_sums.py")
	passes(t, r)
	if r.Patch == nil || r.Patch.Pct != 100 {
		t.Errorf("patch %+v", r.Patch)
	}
	if got := p.ratchet(python)["."]; got.Total == 0 {
		t.Errorf("ratchet %+v", p.ratchet(python))
	}
	p.git("rm", "-q", "-f", "test_sums.py")
	check(t, p.gate("test_sums.py"), "no test of it runs any more")
}

func TestPythonWithUnittest(t *testing.T) {
	needs(t, "git", "python3")
	p := newProject(t, pythonFilesOfTest)
	if exec.Command("python3", "-c", "import pytest").Run() == nil {
		t.Skip("this Python has pytest")
	}
	p.write("app/sums.py", "def add(x, y):\n    total = x + y\n    return total\n")
	r := p.gate("app/sums.py")
	passes(t, r)
	if !ran(r, quality.Test, 1) {
		t.Errorf("steps %+v", r.Steps)
	}
	p.write("app/sums.py", "def add(x, y):\n    return x - y\n")
	check(t, p.gate("app/sums.py"), "test_sums.py:8", "SumsTest.test_add", "-1 != 3")
	p.write("app/sums.py", "import os\nos._exit(0)\n")
	if r := p.gate("app/sums.py"); r.Outcome == quality.Passed {
		t.Errorf("a run that left in the middle passed: %+v", r.Steps)
	}
}

func TestAPythonEditThatDoesNotParseIsReported(t *testing.T) {
	needs(t, "git", "python3")
	p := newProject(t, pythonFilesOfTest)
	p.write("app/sums.py", "import json\n\n\ndef add(x, y):\n    return x + y\n")
	if r := p.edit(quality.Edit{Path: "app/sums.py"}); len(r.Findings) != 0 || !strings.Contains(p.read("app/sums.py"), "import json") {
		t.Errorf("%+v", r)
	}
	p.write("app/sums.py", "def add(x, y)\n    return x + y\n")
	r := p.edit(quality.Edit{Path: "app/sums.py"})
	if len(r.Findings) != 1 || r.Findings[0].File != "app/sums.py" || r.Findings[0].Line != 1 {
		t.Errorf("%+v", r)
	}
}

func TestJavaScriptWithNodesOwnRunner(t *testing.T) {
	needs(t, "git", "node", "npm")
	p := newProject(t, map[string]string{
		"package.json":     `{"name":"x","type":"module","scripts":{"test":"node --test"}}`,
		"src/sum.js":       "export function add(x, y) {\n  return x + y\n}\n",
		"test/sum.test.js": "import test from 'node:test'\nimport assert from 'node:assert'\nimport { add } from '../src/sum.js'\n\ntest('adds numbers', () => {\n  assert.equal(add(1, 2), 3)\n})\n",
	})
	p.write("src/sum.js", "export function add(x, y) {\n  const sum = x + y\n  return sum\n}\n")
	r := p.gate("src/sum.js")
	passes(t, r)
	if !ran(r, quality.Test, 1) {
		t.Errorf("steps %+v", r.Steps)
	}
	if r.Patch == nil || r.Patch.Coverable == 0 {
		t.Errorf("patch %+v of %+v", r.Patch, r.Steps)
	}
	p.write("src/sum.js", "export function add(x, y) {\n  return x - y\n}\n")
	check(t, p.gate("src/sum.js"), "adds numbers", "test/sum.test.js:6", "-1 == 3")
	p.write("src/sum.js", "export function add(x, y) {\n  return x +\n}\n")
	check(t, p.gate("src/sum.js"), "src/sum.js:", "SyntaxError")
	if r := p.edit(quality.Edit{Path: "src/sum.js"}); len(r.Findings) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestJavaScriptBehindAScriptOfItsOwn(t *testing.T) {
	needs(t, "git", "node", "npm")
	p := newProject(t, map[string]string{
		"package.json":      `{"name":"x","scripts":{"test":"node check.js && echo fine"}}`,
		"package-lock.json": `{"name":"x","lockfileVersion":3,"packages":{"":{"name":"x"}}}`,
		"check.js":          "const { v } = require('./lib.js')\nif (v !== 1) { console.error('v is ' + v); process.exit(1) }\n",
		"lib.js":            "exports.v = 1\n",
	})
	p.write("lib.js", "exports.v = 1 + 0\n")
	passes(t, p.gate("lib.js"))
	p.write("lib.js", "exports.v = 2\n")
	check(t, p.gate("lib.js"), "v is 2")
}

// jest and vitest are not everywhere; what they write is.
func TestJestAndVitestAreReadByTheirJSON(t *testing.T) {
	needs(t, "git", "sh")
	for _, tool := range []string{"jest", "vitest"} {
		p := newProject(t, map[string]string{
			"package.json": `{"name":"x","scripts":{"test":"` + tool + `"},"devDependencies":{"` + tool + `":"1"}}`,
			"a.ts":         "export const a = 1\n",
			"a.test.ts":    "\n\n\n\ntest('a', () => {})\n",
		})
		bin := filepath.Join(p.root, "node_modules", ".bin")
		if err := os.MkdirAll(bin, 0o755); err != nil {
			t.Fatal(err)
		}
		p.write(".gitignore", "node_modules\n")
		script := `#!/bin/sh
for a in "$@"; do case "$a" in --outputFile=*) out="${a#--outputFile=}";; esac; done
if grep -q 1 a.ts; then
  printf '{"numPassedTests":2,"success":true,"testResults":[{"name":"%s/a.test.ts","status":"passed","message":"","assertionResults":[{"fullName":"a","status":"passed","failureMessages":[]}]}]}' "$PWD" > "$out"
  exit 0
fi
printf '{"numPassedTests":1,"success":false,"testResults":[{"name":"%s/a.test.ts","status":"failed","message":"","assertionResults":[{"fullName":"a is one","status":"failed","failureMessages":["Error: expected 2 to be 1\\n    at %s/a.test.ts:5:3"]}]}]}' "$PWD" "$PWD" > "$out"
exit 1
`
		fake(t, filepath.Join(bin, tool), script)
		p.write("a.ts", "export const a = 1 // one\n")
		r := p.gate("a.ts")
		passes(t, r)
		if !ran(r, quality.Test, 2) {
			t.Errorf("%s: steps %+v", tool, r.Steps)
		}
		p.write("a.ts", "export const a = 2\n")
		check(t, p.gate("a.ts"), "a.test.ts:5: a is one: Error: expected 2 to be 1")
	}
}

func TestRust(t *testing.T) {
	needs(t, "git", "cargo", "rustfmt")
	if testing.Short() {
		t.Skip("it compiles")
	}
	p := newProject(t, map[string]string{
		".gitignore": "target/\n",
		"Cargo.toml": "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"src/lib.rs": "pub fn add(x: i32, y: i32) -> i32 {\n    x + y\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n}\n",
	})
	good := p.read("src/lib.rs")
	p.write("src/lib.rs", strings.Replace(good, "x + y", "y + x", 1))
	r := p.gate("src/lib.rs")
	passes(t, r)
	if !ran(r, quality.Test, 1) {
		t.Errorf("steps %+v", r.Steps)
	}
	p.write("src/lib.rs", strings.Replace(good, "x + y", "x - y", 1))
	check(t, p.gate("src/lib.rs"), "tests::adds", "src/lib.rs:11")
	p.write("src/lib.rs", strings.Replace(good, "x + y", "x + z", 1))
	check(t, p.gate("src/lib.rs"), "src/lib.rs:2", "cannot find value `z`")
	p.write("src/lib.rs", strings.Replace(good, "    x + y", "      x   +   y", 1))
	if r := p.edit(quality.Edit{Path: "src/lib.rs"}); len(r.Formatted) != 1 || p.read("src/lib.rs") != good {
		t.Errorf("%+v\n%s", r, p.read("src/lib.rs"))
	}
}

func TestMavenByItsReports(t *testing.T) {
	needs(t, "git", "sh")
	p := newProject(t, map[string]string{
		".gitignore":                     "target/\n",
		"pom.xml":                        "<project/>\n",
		"src/main/java/app/Sum.java":     "class Sum { int v = 1; }\n",
		"src/test/java/app/SumTest.java": "class SumTest {}\n",
	})
	bin := p.t.TempDir()
	fake(t, filepath.Join(bin, "mvn"), `#!/bin/sh
case "$*" in *test-compile*) exit 0;; esac
mkdir -p target/surefire-reports
if grep -q 'v = 1' src/main/java/app/Sum.java; then
  echo '<testsuite><testcase name="adds" classname="app.SumTest"/><testcase name="later" classname="app.SumTest"><skipped/></testcase></testsuite>' > target/surefire-reports/TEST-app.SumTest.xml
  exit 0
fi
echo '<testsuite><testcase name="adds" classname="app.SumTest"><failure message="expected: 3 but was: 2" type="AssertionError">at app.SumTest.adds(SumTest.java:9)</failure></testcase></testsuite>' > target/surefire-reports/TEST-app.SumTest.xml
exit 1
`)
	p.path(bin)
	p.write("src/main/java/app/Sum.java", "class Sum { int v = 1 ; }\n")
	r := p.gate("src/main/java/app/Sum.java")
	passes(t, r)
	if !ran(r, quality.Test, 1) {
		t.Errorf("steps %+v", r.Steps)
	}
	p.write("src/main/java/app/Sum.java", "class Sum { int v = 2; }\n")
	check(t, p.gate("src/main/java/app/Sum.java"), "app.SumTest.adds", "src/test/java/app/SumTest.java", "expected: 3 but was: 2")
}

func TestWorkspacesAreMappedToTheirOwnPackage(t *testing.T) {
	needs(t, "git")
	p := newProject(t, map[string]string{
		"package.json":            `{"workspaces":["packages/*"]}`,
		"packages/a/package.json": `{"name":"a"}`,
		"packages/a/src/x.ts":     "",
		"packages/b/package.json": `{"name":"b"}`,
		"py/pyproject.toml":       "",
		"py/pkg/m.py":             "",
		"crates/Cargo.toml":       "[workspace]\nmembers = [\"one\"]\n",
		"crates/one/Cargo.toml":   "[package]\nname = \"one\"\n",
		"crates/one/src/lib.rs":   "",
		"java/pom.xml":            "",
		"java/mod/pom.xml":        "",
		"java/mod/src/A.java":     "",
		"go/go.mod":               "module x\n",
		"go/in/a.go":              "package in\n",
		"go/in/testdata/x.json":   "{}",
		"tools/Makefile":          "",
	})
	p.conf.Packages = []quality.Override{{Path: "tools", Test: quality.Command{Argv: []string{"true"}}}}
	for file, want := range map[string]string{
		"packages/a/src/x.ts":   "javascript packages/a",
		"packages/b/gone.ts":    "javascript packages/b",
		"py/pkg/m.py":           "python py",
		"crates/one/src/lib.rs": "rust crates/one",
		"java/mod/src/A.java":   "java java/mod",
		"go/in/a.go":            "go go/in",
		"go/in/testdata/x.json": "go go/in",
		"go/go.mod":             "go go",
		"tools/Makefile":        "generic tools",
		"tools/x.weird":         "generic tools",
		"docs/a.md":             "",
		"node_modules/x/a.js":   "",
		"../outside/a.go":       "",
		"/etc/passwd":           "",
	} {
		var got []string
		for _, k := range newTree(p.conf).packages([]string{file}) {
			got = append(got, k.chain+" "+k.dir)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestProfileNamesToolchains(t *testing.T) {
	p := goProject(t)
	p.write("py/setup.py", "")
	p.write("py/a.py", "")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	got := p.w.Profile(ctx, p.conf)
	if !slices.Equal(got.Toolchain, []string{"go", "python"}) || !strings.HasPrefix(got.Lines[0], "go (2 packages): gofmt") {
		t.Errorf("%+v", got)
	}
}

func TestTheEnvironmentOfToolsIsAListOfWhatIsAllowed(t *testing.T) {
	got := Environ([]string{"PATH=/bin", "HOME=/h", "AWS_SECRET_ACCESS_KEY=x", "GITHUB_TOKEN=x", "GOPROXY=off", "DATABASE_URL=x", "CLAUDECODE=1", "NODE_AUTH_TOKEN=x", "CARGO_REGISTRY_TOKEN=x", "CLICOLOR_FORCE=1"})
	for _, want := range []string{"PATH=/bin", "HOME=/h", "GOPROXY=off", "CLAUDECODE=1", "NO_COLOR=1", "AI_AGENT=guardrails"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, kv := range got {
		if strings.HasSuffix(kv, "=x") || strings.HasPrefix(kv, "CLICOLOR_FORCE") {
			t.Errorf("%s got through", kv)
		}
	}
}
