package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/quality"
)

// modules returns a node_modules with the real tools; they are too large to be
// installed by a test. GUARDRAILS_NODE_MODULES names one: npm install vitest
// @vitest/coverage-v8 jest mocha prettier eslint @eslint/js @biomejs/biome typescript
func modules(t *testing.T, tools ...string) string {
	t.Helper()
	dir := os.Getenv("GUARDRAILS_NODE_MODULES")
	if dir == "" {
		t.Skip("GUARDRAILS_NODE_MODULES names no installed tools")
	}
	for _, name := range tools {
		if _, err := os.Stat(filepath.Join(dir, ".bin", name)); err != nil {
			t.Skipf("%s is not in %s", name, dir)
		}
	}
	return dir
}

func npmProject(t *testing.T, files map[string]string, tools ...string) *project {
	t.Helper()
	needs(t, "git", "node")
	dir := modules(t, tools...)
	files[".gitignore"] = "node_modules\ncoverage\n"
	p := newProject(t, files)
	if err := os.Symlink(dir, filepath.Join(p.root, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRealVitest(t *testing.T) {
	p := npmProject(t, map[string]string{
		"package.json":  `{"name":"x","type":"module","scripts":{"test":"vitest"},"devDependencies":{"vitest":"*","@vitest/coverage-v8":"*"}}`,
		"src/a.ts":      "export const add = (x: number, y: number) => x + y\n",
		"src/a.test.ts": "import { expect, test } from 'vitest'\nimport { add } from './a'\n\ntest('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n",
	}, "vitest")
	p.write("src/a.ts", "export const add = (x: number, y: number) => {\n  return x + y\n}\n")
	r := p.gate("src/a.ts")
	passes(t, r)
	if !ran(r, quality.Test, 1) || r.Patch == nil || r.Patch.Coverable == 0 {
		t.Errorf("%+v\npatch %+v", r.Steps, r.Patch)
	}
	p.write("src/a.ts", "export const add = (x: number, y: number) => {\n  if (x > 100) {\n    return 1\n  }\n  if (y > 100) {\n    return 2\n  }\n  return x + y\n}\n")
	check(t, p.gate("src/a.ts"), "coverage: src/a.ts:3")
	p.write("src/a.ts", "export const add = (x: number, y: number) => {\n  return x - y\n}\n")
	check(t, p.gate("src/a.ts"), "src/a.test.ts:5: adds: AssertionError: expected -1 to be 3")
	p.write("src/a.ts", "export const add = (x: number, y: number => {\n")
	check(t, p.gate("src/a.ts"), "src/a.test.ts")
}

func TestRealJest(t *testing.T) {
	p := npmProject(t, map[string]string{
		"package.json":   `{"name":"x","scripts":{"test":"jest --verbose"},"devDependencies":{"jest":"*"}}`,
		"src/a.js":       "exports.add = (x, y) => x + y\n",
		"src/a.test.js":  "const { add } = require('./a')\n\ntest('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n",
		"src/b/index.js": "exports.none = () => 0\n",
	}, "jest")
	p.write("src/a.js", "exports.add = (x, y) => {\n  return x + y\n}\n")
	r := p.gate("src/a.js")
	passes(t, r)
	if !ran(r, quality.Test, 1) || r.Patch == nil || r.Patch.Pct != 100 {
		t.Errorf("%+v\npatch %+v", r.Steps, r.Patch)
	}
	p.write("src/a.js", "exports.add = (x, y) => x - y\n")
	check(t, p.gate("src/a.js"), "src/a.test.js:4: adds: ", "expect")
	p.write("src/a.js", "exports.add = (x, y) => x + y\n\n")
	p.write("src/b/index.js", "exports.none = () => {\n  return 1\n}\n")
	check(t, p.gate("src/b/index.js"), "src/b/index.js", "no coverage report knows")
}

func TestRealMocha(t *testing.T) {
	p := npmProject(t, map[string]string{
		"package.json": `{"name":"x","scripts":{"test":"mocha test"},"devDependencies":{"mocha":"*"}}`,
		"a.js":         "exports.add = (x, y) => x + y\n",
		"test/a.js":    "const assert = require('assert')\nconst { add } = require('../a')\n\ndescribe('sums', () => {\n  it('adds', () => {\n    assert.strictEqual(add(1, 2), 3)\n  })\n})\n",
	}, "mocha")
	p.write("a.js", "exports.add = (x, y) => y + x\n")
	r := p.gate("a.js")
	passes(t, r)
	if !ran(r, quality.Test, 1) {
		t.Errorf("%+v", r.Steps)
	}
	p.write("a.js", "exports.add = (x, y) => x - y\n")
	check(t, p.gate("a.js"), "test/a.js:6: sums adds: ")
}

func TestRealPrettierBiomeEslintAndTypes(t *testing.T) {
	p := npmProject(t, map[string]string{
		"package.json":           `{"name":"x","type":"module"}`,
		"pretty/package.json":    `{"name":"pretty","type":"module","prettier":{"semi":false}}`,
		"pretty/.prettierignore": "made.ts\n",
		"pretty/a.ts":            "export const a = 1\n",
		"biome/package.json":     `{"name":"biome"}`,
		"biome/biome.json":       `{"formatter":{"indentStyle":"space"}}`,
		"biome/a.js":             "export const a = 1;\n",
		"lint/package.json":      `{"name":"lint","type":"module"}`,
		"lint/eslint.config.js":  "import js from '@eslint/js'\nexport default [js.configs.recommended]\n",
		"lint/a.js":              "export const a = 1\n",
		"typed/package.json":     `{"name":"typed","type":"module"}`,
		"typed/tsconfig.json":    `{"compilerOptions":{"strict":true,"noEmit":true}}`,
		"typed/a.ts":             "export const a: number = 1\n",
	}, "prettier", "biome", "eslint", "tsc")
	p.write("pretty/a.ts", "import { b } from './b'\nexport const a   = 1\n")
	p.write("pretty/made.ts", "export const a   = 1\n")
	r := p.edit(quality.Edit{Path: "pretty/a.ts"}, quality.Edit{Path: "pretty/made.ts"})
	if len(r.Formatted) != 1 || r.Formatted[0].Tool != "prettier" || p.read("pretty/a.ts") != "import { b } from \"./b\"\nexport const a = 1\n" {
		t.Errorf("prettier: %+v\n%s", r, p.read("pretty/a.ts"))
	}
	p.write("biome/a.js", "import z from './z'\nexport const a   = 1;\n")
	r = p.edit(quality.Edit{Path: "biome/a.js"})
	if len(r.Formatted) != 1 || r.Formatted[0].Tool != "biome" || !strings.Contains(p.read("biome/a.js"), "import z") || len(r.Findings) != 0 {
		t.Errorf("biome: %+v\n%s", r, p.read("biome/a.js"))
	}
	p.write("biome/a.js", "export const a = 1;\ndebugger;\nif (a == NaN) {\n  alert(1);\n}\n")
	check(t, p.gate("biome/a.js"), "lint: biome/a.js:")
	p.write("lint/a.js", "import { x } from './x.js'\nexport const a = 1\nconst un = 2\n")
	if r := p.edit(quality.Edit{Path: "lint/a.js"}); len(r.Findings) != 0 {
		t.Errorf("eslint on edit: %+v", r)
	}
	p.write("lint/a.js", "export const a = missing\n")
	if r := p.edit(quality.Edit{Path: "lint/a.js"}); len(r.Findings) != 1 || r.Findings[0].Rule != "no-undef" || r.Findings[0].Line != 1 {
		t.Errorf("eslint: %+v", r)
	}
	p.write("lint/a.js", "export const a = 1\nconst un = 2\n")
	check(t, p.gate("lint/a.js"), "lint/a.js:2", "no-unused-vars")
	p.write("typed/a.ts", "export const a: number = 'x'\n")
	check(t, p.gate("typed/a.ts"), "build: typed/a.ts:1", "TS2322")
}
