package run

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/quality"
)

func TestWhatAnAPIBreaksInAnotherPackageBlocks(t *testing.T) {
	needs(t, "go", "git")
	files := map[string]string{
		"go.mod":      "module example.com/app\n\ngo 1.21\n",
		"a/a.go":      "package a\n\n// F is one.\nfunc F() int { return 1 }\n",
		"b/b.go":      "package b\n\nimport \"example.com/app/a\"\n\n// G is one.\nfunc G() int { return a.F() }\n",
		"c/c.go":      "package c\n\n// H is nothing.\nfunc H() {}\n",
		"c/c_test.go": "package c\n\nimport (\n\t\"testing\"\n\n\t\"example.com/app/a\"\n)\n\nfunc TestH(t *testing.T) {\n\t_ = a.F()\n\tt.Error(\"a red test of a package that nobody touched\")\n}\n",
		"d/d.go":      "package d\n\nimport \"example.com/app/b\"\n\n// I is one, and its printing is not this session's.\nfunc I() int { println(\"%d\", b.G()); return b.G() }\n",
	}
	p := newProject(t, files)
	p.write("a/a.go", "package a\n\n// F is 1.\nfunc F() int { return 1 }\n")
	if r := p.gate("a/a.go"); r.Outcome != quality.Passed || len(r.Packages) != 1 {
		t.Fatal(r.Text(4000))
	}
	p.write("a/a.go", "package a\n\n// F is n.\nfunc F(n int) int { return n }\n")
	r := p.gate("a/a.go")
	text := r.Text(4000)
	if r.Outcome != quality.Failed || !strings.Contains(text, "build: b/b.go:6: not enough arguments") || !strings.Contains(text, "c/c_test.go:10") || strings.Contains(text, "TestH") {
		t.Fatal(text)
	}
	for _, f := range r.Findings {
		if f.Package != "a" {
			t.Errorf("%+v is not said of the package that broke it", f)
		}
	}
}

func TestWhatDependsOnAPackageAndWasBrokenBeforeDoesNotBlock(t *testing.T) {
	needs(t, "go", "git")
	p := newProject(t, map[string]string{
		"go.mod":      "module example.com/app\n\ngo 1.21\n",
		"a/a.go":      "package a\n\n// F is one.\nfunc F() int { return 1 }\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Error(\"F\")\n\t}\n}\n",
		"b/b.go":      "package b\n\nimport \"example.com/app/a\"\n\n// G never compiled.\nfunc G() int { return a.Gone() }\n",
	})
	p.write("a/a.go", "package a\n\n// F is 1.\nfunc F() int { return 1 }\n")
	r := p.gate("a/a.go")
	if r.Outcome != quality.Passed || len(r.Known) != 1 || r.Known[0].File != "b/b.go" {
		t.Fatalf("%s\nknown %+v", r.Text(4000), r.Known)
	}
	// Its own tests run all the same.
	p.write("a/a.go", "package a\n\n// F is 2.\nfunc F() int { return 2 }\n")
	if r := p.gate("a/a.go"); r.Outcome != quality.Failed || !strings.Contains(r.Text(4000), "TestF") {
		t.Fatal(r.Text(4000))
	}
}

func TestAnAPIBreakIsSeenAcrossTheModulesOfAWorkspace(t *testing.T) {
	needs(t, "go", "git")
	p := newProject(t, map[string]string{
		"go.work":      "go 1.21\n\nuse (\n\t./lib\n\t./app\n)\n",
		"lib/go.mod":   "module example.com/lib\n\ngo 1.21\n",
		"lib/l/l.go":   "package l\n\n// F is one.\nfunc F() int { return 1 }\n",
		"app/go.mod":   "module example.com/app\n\ngo 1.21\n",
		"app/x/app.go": "package x\n\nimport \"example.com/lib/l\"\n\n// G is one.\nfunc G() int { return l.F() }\n",
	}, "GOWORK=", "GOFLAGS=")
	p.write("lib/l/l.go", "package l\n\n// F is a text.\nfunc F() string { return \"\" }\n")
	r := p.gate("lib/l/l.go")
	if text := r.Text(4000); r.Outcome != quality.Failed || !strings.Contains(text, "app/x/app.go:6: cannot use") {
		t.Fatal(text)
	}
}

func TestAnAPIBreakIsSeenInTheCratesThatDependOnOne(t *testing.T) {
	needs(t, "cargo", "git")
	crate := func(name, deps string) string {
		return "[package]\nname = \"" + name + "\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\n" + deps
	}
	p := newProject(t, map[string]string{
		"Cargo.toml":      "[workspace]\nmembers = [\"base\", \"user\", \"other\"]\nresolver = \"2\"\n",
		"base/Cargo.toml": crate("base", ""), "base/src/lib.rs": "pub fn f() -> u32 {\n    1\n}\n",
		"user/Cargo.toml": crate("user", "base = { path = \"../base\" }\n"), "user/src/lib.rs": "pub fn g() -> u32 {\n    base::f()\n}\n",
		"other/Cargo.toml": crate("other", ""), "other/src/lib.rs": "pub fn h() {}\n",
		".gitignore": "target\n",
	})
	p.write("base/src/lib.rs", "pub fn f(n: u32) -> u32 {\n    n\n}\n")
	r := p.gate("base/src/lib.rs")
	if text := r.Text(4000); r.Outcome != quality.Failed || !strings.Contains(text, "build: user/src/lib.rs:2: ") || len(r.Packages) != 1 {
		t.Fatal(text)
	}
}
