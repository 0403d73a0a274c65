package run

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/core/quality"
)

// stand puts a program of ours in the place of a project's tool.
func (p *project) stand(name, script string) {
	p.t.Helper()
	file := "node_modules/.bin/" + name
	p.write(file, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(filepath.Join(p.root, filepath.FromSlash(file)), 0o755); err != nil {
		p.t.Fatal(err)
	}
}

func TestTypesThatWereWrongBeforeKeepNoTestFromRunning(t *testing.T) {
	needs(t, "git", "sh", "node")
	p := newProject(t, map[string]string{
		"package.json": `{"name":"x","scripts":{"test":"node --test"}}`, "tsconfig.json": "{}", ".gitignore": "node_modules\n",
		"old.ts": "x", "a.js": "module.exports = 1;\n",
		"a.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\ntest('one', () => { assert.equal(require('./a.js'), 1); });\n",
	})
	p.stand("tsc", `echo "old.ts(1,1): error TS2304: Cannot find name 'x'."; exit 2`)
	p.write("a.js", "module.exports = 2;\n")
	r := p.gate("a.js")
	if text := r.Text(4000); r.Outcome != quality.Failed || !strings.Contains(text, "test: a.test.js:3: one") || strings.Contains(text, "TS2304") {
		t.Fatal(text)
	}
}

func TestALinterThatCannotRunIsSaidAndDoesNotBlock(t *testing.T) {
	needs(t, "git", "sh")
	for _, script := range []string{
		`echo "Oops! Something went wrong! Cannot find module 'eslint-plugin-x'" >&2; exit 2`,
		`exit 127`,
	} {
		p := newProject(t, map[string]string{"package.json": `{"name":"x"}`, "eslint.config.js": "", ".gitignore": "node_modules\n", "a.js": "1;\n"})
		p.stand("eslint", script)
		p.write("a.js", "2;\n")
		for range 2 { // not kept: it may be mended without a change of the tree
			r := p.gate("a.js")
			if r.Outcome != quality.Passed || len(r.Broken) != 1 || r.Broken[0].Tool != "eslint" || !strings.Contains(r.Broken[0].Why, "eslint could not run") {
				t.Fatalf("%s: %s\n%+v", script, r.Text(4000), r.Broken)
			}
		}
	}
}

func TestAFormatterThatIsSetUpWronglyIsSaid(t *testing.T) {
	needs(t, "git", "sh")
	p := newProject(t, map[string]string{"package.json": `{"name":"x","prettier":"@acme/none"}`, ".gitignore": "node_modules\n", "a.js": "1;\n"})
	p.stand("prettier", `echo "[error] Invalid configuration for file: Cannot find package '@acme/none'" >&2; exit 2`)
	p.write("a.js", "2;\n")
	if r := p.gate("a.js"); r.Outcome != quality.Passed || len(r.Broken) != 1 || r.Broken[0].Step != quality.Format {
		t.Fatalf("%s\n%+v", r.Text(4000), r.Broken)
	}
}

func TestALinterThatDidNotFinishIsNotProven(t *testing.T) {
	needs(t, "git", "sh")
	p := newProject(t, map[string]string{"package.json": `{"name":"x"}`, "eslint.config.js": "", ".gitignore": "node_modules\n", "a.js": "1;\n"})
	p.stand("eslint", "exec sleep 60")
	p.write("a.js", "2;\n")
	ctx, cancel := context.WithTimeout(context.Background(), 3e9)
	defer cancel()
	if r := p.w.Gate(ctx, p.conf, Request{Touched: []string{"a.js"}, Deadline: true}); r.Outcome != quality.NotProven {
		t.Fatal(r.Text(4000))
	}
}

func TestUsualLintersThatAreNotThereAreNamed(t *testing.T) {
	needs(t, "git", "go", "python3")
	files := map[string]string{"go.mod": "module x\n", "a.go": "package a\n", "py/pyproject.toml": "[project]\nname = 'x'\n", "py/a.py": "x = 1\n"}
	p := newProject(t, files)
	bare := t.TempDir()
	for _, name := range []string{"go", "git", "python3"} {
		link(t, bare, name)
	}
	p.env = append(p.env, "PATH="+bare)
	p.w = New(Options{Proc: programs{p.env}, TempDir: t.TempDir()})
	got := p.w.Profile(context.Background(), p.conf).Usual
	if want := []quality.Usual{{Tool: "golangci-lint", Instead: "go vet is used"}, {Tool: "ruff", Instead: "only the syntax is checked"}}; !slices.Equal(got, want) {
		t.Fatalf("%+v", got)
	}
	// What the project asks for is missing, not unusual.
	p.write(".golangci.yml", "version: 2\n")
	p.write("py/.flake8", "[flake8]\n")
	profile := p.w.Profile(context.Background(), p.conf)
	if len(profile.Usual) != 0 || !slices.ContainsFunc(profile.Missing, func(m quality.Missing) bool { return m.Tool == "golangci-lint" }) {
		t.Fatalf("%+v", profile)
	}
}

// link makes a program of this machine the one of a folder.
func link(t *testing.T, dir, name string) {
	t.Helper()
	file, err := programs{os.Environ()}.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, filepath.Join(dir, name)); err != nil {
		t.Skip(err)
	}
}

func TestALinterThatIsTooSlowForAnEditIsNotWaitedForEachTime(t *testing.T) {
	needs(t, "git", "sh")
	p := newProject(t, map[string]string{"package.json": `{"name":"x"}`, "eslint.config.js": "", ".gitignore": "node_modules\n", "a.js": "1;\n"})
	p.stand("eslint", "echo x >> runs; exec sleep 60")
	p.write("a.js", "2;\n")
	edit := func() quality.EditReport {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		return p.w.Edit(ctx, p.conf, []quality.Edit{{Path: "a.js"}})
	}
	for range 5 {
		if r := edit(); len(r.Undone) != 1 {
			t.Fatalf("%+v", r)
		}
	}
	if got := p.read("runs"); got != "x\n" {
		t.Errorf("it ran %d times of 5", len(got)/2)
	}
	// It is tried again, and once it is fast it stays.
	p.stand("eslint", "echo x >> runs; echo '[]'")
	for range 12 {
		edit()
	}
	if got := len(p.read("runs")) / 2; got < 3 {
		t.Errorf("it was given up: ran %d times", got)
	}
}
