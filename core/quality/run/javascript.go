package run

import (
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/quality"
)

// manifest is what we read of a package.json.
type manifest struct {
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
	Jest            json.RawMessage   `json:"jest"`
	Mocha           json.RawMessage   `json:"mocha"`
	PackageManager  string            `json:"packageManager"`
}

func (t *tree) manifest(dir string) manifest {
	var m manifest
	_ = json.Unmarshal([]byte(t.read(path.Join(dir, "package.json"))), &m) // one that cannot be read asks for nothing
	return m
}

func (m *manifest) needs(name string) bool {
	_, a := m.Dependencies[name]
	_, b := m.DevDependencies[name]
	return a || b
}

func isScript(rel string) bool {
	switch path.Ext(rel) {
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts":
		return true
	}
	return false
}

func (w *Worker) javascript(t *tree, step quality.Step, p *pkg, cover bool) []*task {
	switch step {
	case quality.Lint:
		return w.scriptLint(t, p)
	case quality.Build:
		return w.scriptTypes(t, p)
	case quality.Test:
		if k := w.scriptTest(t, p, cover); k != nil {
			return []*task{k}
		}
	case quality.Format, quality.Coverage: // not a toolchain's own
	}
	return nil
}

var eslintFiles = []string{
	"eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts",
	".eslintrc", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yml", ".eslintrc.yaml",
}

func (w *Worker) scriptLint(t *tree, p *pkg) []*task {
	var out []*task
	add := func(tool string, is func(string) bool, argv func(file string, files []string) []string, read func(pl *place, p *pkg, code int, stdout, stderr string) ([]quality.Finding, string)) {
		file, ok := w.tool(t, p.dir, tool)
		if !ok {
			out = append(out, &task{step: quality.Lint, tool: tool, pkgs: []*pkg{p}, lacks: tool})
			return
		}
		out = append(out, w.perFile(quality.Lint, tool, tool, p, is, func(files []string) []string { return argv(file, files) }, read))
	}
	if _, ok := t.up(p.dir, "biome.json", "biome.jsonc"); ok {
		add("biome", func(rel string) bool { return biomeFile(path.Ext(rel)) },
			func(file string, files []string) []string {
				return append([]string{file, "lint", "--reporter=github", "--no-errors-on-unmatched", "--diagnostic-level=error"}, files...)
			},
			func(pl *place, p *pkg, code int, stdout, stderr string) ([]quality.Finding, string) {
				if code == 0 {
					return nil, ""
				}
				found := w.readGithub(pl, p, "biome", stdout)
				if len(found) == 0 {
					return nil, "biome could not run: " + lastLines(stderr+stdout, 2)
				}
				return found, ""
			})
	}
	if _, ok := t.up(p.dir, eslintFiles...); ok {
		add("eslint", isScript,
			func(file string, files []string) []string {
				return append([]string{file, "--format", "json", "--no-error-on-unmatched-pattern"}, files...)
			}, w.readEslint)
	}
	if len(out) == 0 {
		plain := func(rel string) bool { e := path.Ext(rel); return e == ".mjs" || e == ".cjs" || e == ".js" }
		for _, rel := range p.files {
			if node, ok := w.tool(t, p.dir, "node"); ok && plain(rel) {
				out = append(out, w.nodeCheck(node, p, rel))
			}
		}
	}
	return out
}

// nodeCheck parses one file.
func (w *Worker) nodeCheck(node string, p *pkg, rel string) *task {
	return &task{step: quality.Lint, tool: "node --check", ident: "node --check " + rel, pkgs: []*pkg{p}, do: func(ctx context.Context, pl *place, pkgs []*pkg, _ []quality.Finding) map[*pkg]*result {
		return each(pkgs, func(p *pkg) *result {
			if locate(pl.root, pl.root, rel) == "" {
				return &result{status: skippedStep, tool: "node --check"}
			}
			x, err := w.call(ctx, pl.abs(p.dir), pl.env, node, "--check", below(p.dir, rel))
			if why, missing := told(ctx, "node", x, err); why != "" {
				return unable(quality.Lint, "node --check", x, why, missing)
			}
			text := string(x.Stderr)
			if x.Code == 0 || !strings.Contains(text, "SyntaxError") || strings.Contains(text, "JSX") || strings.Contains(text, "Unexpected token '<'") {
				return &result{status: passedStep, tool: "node --check"}
			}
			f := quality.Finding{Package: p.dir, Step: quality.Lint, Tool: "node", File: rel, Message: "does not parse"}
			for _, g := range w.read(pl, p, quality.Lint, "node", unframe(text)) {
				f.Line = g.Line
				break
			}
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "SyntaxError") {
					f.Message = clip(strings.TrimSpace(line))
				}
			}
			return &result{status: failedStep, tool: "node --check", findings: []quality.Finding{f}}
		})
	}}
}

func (w *Worker) readEslint(pl *place, p *pkg, code int, stdout, stderr string) ([]quality.Finding, string) {
	var list []struct {
		FilePath string `json:"filePath"`
		Messages []struct {
			RuleID   string `json:"ruleId"`
			Severity int    `json:"severity"`
			Message  string `json:"message"`
			Line     int    `json:"line"`
			Column   int    `json:"column"`
		} `json:"messages"`
	}
	i := strings.IndexByte(stdout, '[')
	if i < 0 || json.Unmarshal([]byte(stdout[i:]), &list) != nil || code > 1 {
		if code == 0 {
			return nil, ""
		}
		return nil, "eslint could not run: " + lastLines(stderr+stdout, 2)
	}
	var out []quality.Finding
	for _, f := range list {
		for _, m := range f.Messages {
			if m.Severity < 2 {
				continue
			}
			out = append(out, quality.Finding{
				Package: p.dir, Step: quality.Lint, Tool: "eslint", File: locate(pl.root, pl.abs(p.dir), f.FilePath),
				Line: m.Line, Col: m.Column, Rule: m.RuleID, Message: clip(firstLine(m.Message)),
			})
		}
	}
	return out, ""
}

// readGithub reads the annotations that tools print for GitHub's CI.
func (w *Worker) readGithub(pl *place, p *pkg, tool, text string) []quality.Finding {
	var out []quality.Finding
	for line := range strings.Lines(strip(text)) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "::error ")
		if !ok {
			continue
		}
		head, msg, _ := strings.Cut(rest, "::")
		f := quality.Finding{Package: p.dir, Step: quality.Lint, Tool: tool, Message: clip(strings.ReplaceAll(msg, "%0A", " "))}
		for kv := range strings.SplitSeq(head, ",") {
			k, v, _ := strings.Cut(kv, "=")
			switch k {
			case "title":
				f.Rule = v
			case "file":
				f.File = locate(pl.root, pl.abs(p.dir), v)
			case "line":
				f.Line = number(v)
			case "col":
				f.Col = number(v)
			}
		}
		out = append(out, f)
	}
	return out
}

func number(s string) int {
	n := 0
	for _, r := range s {
		if r < '0' || r > '9' || n > 1<<24 {
			return n
		}
		n = n*10 + int(r-'0')
	}
	return n
}

func (w *Worker) scriptTypes(t *tree, p *pkg) []*task {
	if !t.has(p.dir, "tsconfig.json") {
		return nil
	}
	file, ok := w.tool(t, p.dir, "tsc")
	if !ok {
		return []*task{{step: quality.Build, tool: "tsc", pkgs: []*pkg{p}, lacks: "tsc"}}
	}
	return []*task{{step: quality.Build, tool: "tsc", ident: "tsc --noEmit", pkgs: []*pkg{p}, do: func(ctx context.Context, pl *place, pkgs []*pkg, _ []quality.Finding) map[*pkg]*result {
		return each(pkgs, func(p *pkg) *result {
			return w.texts(ctx, pl, p, quality.Build, "tsc", 2, file, "--noEmit", "--pretty", "false", "-p", ".")
		})
	}}}
}

// scripted is a package's test script as a runner with its arguments.
type scripted struct {
	runner string
	args   []string
	env    []string
}

// testScript reads the script test; ok is false where it is more than one plain
// command.
func testScript(script string) (s scripted, ok bool) {
	if strings.ContainsAny(script, "&|;<>$`\n()") {
		return s, false
	}
	f := strings.Fields(script)
	for len(f) > 0 {
		switch {
		case f[0] == "cross-env", f[0] == "npx", f[0] == "--no-install", f[0] == "bunx":
		case strings.Contains(f[0], "=") && !strings.HasPrefix(f[0], "-"):
			s.env = append(s.env, strings.Trim(f[0], `"'`))
		default:
			s.runner, s.args = path.Base(f[0]), f[1:]
			for i, a := range s.args {
				s.args[i] = strings.Trim(a, `"'`)
			}
			return s, true
		}
		f = f[1:]
	}
	return s, false
}

func (w *Worker) scriptTest(t *tree, p *pkg, cover bool) *task {
	m := t.manifest(p.dir)
	script := m.Scripts["test"]
	s, plain := testScript(script)
	if plain && s.runner == "node" && !slices.Contains(s.args, "--test") {
		plain = false
	}
	if script == "" {
		root := t.manifest(".")
		switch {
		case m.needs("vitest") || root.needs("vitest") && strings.Contains(root.Scripts["test"], "vitest"):
			s, plain = scripted{runner: "vitest"}, true
		case m.needs("jest") || m.Jest != nil:
			s, plain = scripted{runner: "jest"}, true
		case m.needs("mocha") || m.Mocha != nil:
			s, plain = scripted{runner: "mocha"}, true
		default:
			return nil
		}
	}
	if strings.Contains(script, "no test specified") {
		return nil
	}
	ident := "js test\x00" + script
	if cover {
		ident += "\x00coverage"
	}
	k := &task{step: quality.Test, tool: s.runner, ident: ident, pkgs: []*pkg{p}}
	if _, virtual := t.up(p.dir, ".pnp.cjs", ".pnp.js"); virtual && script != "" && s.runner != "node" {
		plain = false // its programs lie in archives that only the package manager opens
	}
	switch {
	case plain && (s.runner == "vitest" || s.runner == "jest" || s.runner == "mocha" || s.runner == "node"):
		file, ok := w.tool(t, p.dir, s.runner)
		if !ok {
			k.lacks = s.runner
			return k
		}
		k.do = func(ctx context.Context, pl *place, pkgs []*pkg, _ []quality.Finding) map[*pkg]*result {
			return each(pkgs, func(p *pkg) *result { return w.scriptRunner(ctx, t, pl, p, m, s, file, cover && !pl.old) })
		}
	default:
		manager := t.manager(p.dir)
		file, ok := w.tool(t, p.dir, manager)
		if !ok {
			k.tool, k.lacks = manager, manager
			return k
		}
		k.tool = manager + " test"
		c := quality.Command{Argv: []string{file, "run", "test"}}
		k.do = w.configured(quality.Test, p, c).do
		inner := k.do
		k.do = func(ctx context.Context, pl *place, pkgs []*pkg, only []quality.Finding) map[*pkg]*result {
			at := *pl
			at.env = append(slices.Clone(pl.env), "CI=true")
			return inner(ctx, &at, pkgs, only)
		}
	}
	return k
}

// manager is the package manager by its lock file.
func (t *tree) manager(dir string) string {
	for d := dir; ; d = path.Dir(d) {
		switch m := t.manifest(d); {
		case t.has(d, "pnpm-lock.yaml"), strings.HasPrefix(m.PackageManager, "pnpm"):
			return "pnpm"
		case t.has(d, "yarn.lock"), strings.HasPrefix(m.PackageManager, "yarn"):
			return "yarn"
		case t.has(d, "bun.lockb"), t.has(d, "bun.lock"):
			return "bun"
		case t.has(d, "package-lock.json"):
			return "npm"
		}
		if d == "." {
			return "npm"
		}
	}
}

func (w *Worker) scriptRunner(ctx context.Context, t *tree, pl *place, p *pkg, m manifest, s scripted, file string, cover bool) *result {
	key := strings.ReplaceAll(p.dir, "/", "-")
	out := filepath.Join(pl.scratch, s.runner+"-"+key+".out")
	covered := filepath.Join(pl.scratch, "cover-"+key)
	_ = os.Remove(out)
	argv := []string{file}
	lcov := ""
	root := t.manifest(".")
	switch s.runner {
	case "vitest":
		args := slices.DeleteFunc(slices.Clone(s.args), func(a string) bool { return a == "run" || a == "watch" || a == "--watch" || a == "dev" })
		argv = append(append(argv, "run"), args...)
		argv = append(argv, "--reporter=json", "--outputFile="+out)
		for _, provider := range [...]string{"v8", "istanbul"} {
			if name := "@vitest/coverage-" + provider; cover && (m.needs(name) || root.needs(name)) {
				argv = append(argv, "--coverage.enabled", "--coverage.provider="+provider, "--coverage.reporter=lcovonly", "--coverage.reportsDirectory="+covered, "--coverage.reportOnFailure=false")
				lcov = filepath.Join(covered, "lcov.info")
				break
			}
		}
	case "jest":
		args := slices.DeleteFunc(slices.Clone(s.args), func(a string) bool {
			return a == "--watch" || a == "--watchAll" || a == "-u" || a == "--updateSnapshot"
		})
		argv = append(append(argv, args...), "--json", "--outputFile="+out, "--colors=false")
		if cover {
			argv = append(argv, "--coverage", "--coverageReporters=lcovonly", "--coverageDirectory="+covered)
			lcov = filepath.Join(covered, "lcov.info")
		}
	case "mocha":
		argv = append(append(argv, s.args...), "--reporter", "json", "--reporter-option", "output="+out)
	case "node":
		argv = append(argv, s.args...)
		argv = append(argv[:1:1], append([]string{"--test-reporter=junit", "--test-reporter-destination=" + out}, argv[1:]...)...)
		if cover {
			lcov = filepath.Join(pl.scratch, "node-"+key+".lcov")
			argv = append(argv[:1:1], append([]string{"--experimental-test-coverage", "--test-reporter=lcov", "--test-reporter-destination=" + lcov}, argv[1:]...)...)
		}
	}
	x, err := w.call(ctx, pl.abs(p.dir), append(slices.Clone(pl.env), s.env...), argv...)
	if why, missing := told(ctx, s.runner, x, err); why != "" {
		return unable(quality.Test, s.runner, x, why, missing)
	}
	r := &result{tool: s.runner}
	var ok bool
	switch s.runner {
	case "vitest", "jest":
		r.tests, r.findings, ok = w.readJest(pl, p, s.runner, out)
	case "mocha":
		r.tests, r.findings, ok = w.readMocha(pl, p, out)
	case "node":
		r.tests, r.findings, ok = w.junit(pl, p, "node", out)
		r.findings = innermost(r.findings)
	}
	text := string(x.Stdout) + "\n" + string(x.Stderr)
	nothing := strings.Contains(text, "No tests found") || strings.Contains(text, "No test files found")
	switch {
	case len(r.findings) > 0:
		r.status = failedStep
	case x.Code == 0 && ok:
		r.status = passedStep
		if r.tests == 0 {
			r.why = "no test ran"
		}
	case nothing:
		r.status, r.why = passedStep, "no test ran"
	case x.Code == 0:
		r.why = s.runner + " ended without a result"
	default:
		r.status = failedStep
		r.findings = []quality.Finding{{Package: p.dir, Step: quality.Test, Tool: s.runner, Message: clip(s.runner + " failed: " + lastLines(pl.plain(text), 5))}}
	}
	if lcov != "" && r.status == passedStep {
		r.report = fileReport("lcov", lcov, p.dir)
	}
	return r
}

// innermost leaves out what only says that something inside it failed.
func innermost(list []quality.Finding) []quality.Finding {
	return slices.DeleteFunc(list, func(f quality.Finding) bool {
		return strings.Contains(f.Message, "subtest failed") || strings.Contains(f.Message, "subtests failed")
	})
}

// readJest reads the JSON of jest, and of vitest, which follows it.
func (w *Worker) readJest(pl *place, p *pkg, tool, file string) (tests int, found []quality.Finding, ok bool) {
	var r struct {
		Passed  int  `json:"numPassedTests"`
		Success bool `json:"success"`
		Files   []struct {
			Name       string `json:"name"`
			Status     string `json:"status"`
			Message    string `json:"message"`
			Assertions []struct {
				FullName string   `json:"fullName"`
				Status   string   `json:"status"`
				Failures []string `json:"failureMessages"`
				Location *struct {
					Line int `json:"line"`
				} `json:"location"`
			} `json:"assertionResults"`
		} `json:"testResults"`
	}
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &r) != nil {
		return 0, nil, false
	}
	for _, f := range r.Files {
		at := locate(pl.root, pl.abs(p.dir), f.Name)
		any := false
		for _, a := range f.Assertions {
			if a.Status != "failed" {
				continue
			}
			any = true
			text := strings.Join(a.Failures, "\n")
			g := quality.Finding{Package: p.dir, Step: quality.Test, Tool: tool, Test: a.FullName, File: at, Message: message(failure{Text: text})}
			if a.Location != nil {
				g.Line = a.Location.Line
			}
			for _, b := range w.read(pl, p, quality.Test, tool, unframe(text)) {
				if b.File == at {
					g.Line = b.Line
					break
				}
			}
			found = append(found, g)
		}
		if f.Status == "failed" && !any { // it did not load
			found = append(found, quality.Finding{Package: p.dir, Step: quality.Test, Tool: tool, File: at, Message: message(failure{Text: f.Message})})
		}
	}
	if !r.Success && len(found) == 0 {
		return r.Passed, nil, false
	}
	return r.Passed, found, true
}

func (w *Worker) readMocha(pl *place, p *pkg, file string) (tests int, found []quality.Finding, ok bool) {
	var r struct {
		Stats struct {
			Passes int `json:"passes"`
		} `json:"stats"`
		Failures []struct {
			FullTitle string `json:"fullTitle"`
			File      string `json:"file"`
			Err       struct {
				Message string `json:"message"`
				Stack   string `json:"stack"`
			} `json:"err"`
		} `json:"failures"`
	}
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &r) != nil {
		return 0, nil, false
	}
	for _, f := range r.Failures {
		g := quality.Finding{Package: p.dir, Step: quality.Test, Tool: "mocha", Test: f.FullTitle, File: locate(pl.root, pl.abs(p.dir), f.File), Message: message(failure{Message: f.Err.Message, Text: f.Err.Stack})}
		for _, b := range w.read(pl, p, quality.Test, "mocha", unframe(f.Err.Stack)) {
			if b.File == g.File {
				g.Line = b.Line
				break
			}
		}
		found = append(found, g)
	}
	return r.Stats.Passes, found, true
}
