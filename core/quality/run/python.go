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

// interpreter is the project's Python.
func (w *Worker) interpreter(t *tree, dir string) (string, bool) {
	if env := w.o.Getenv("VIRTUAL_ENV"); env != "" {
		for _, name := range [...]string{"bin/python", "Scripts/python.exe"} {
			file := filepath.Join(env, filepath.FromSlash(name))
			if st, err := os.Stat(file); err == nil && !st.IsDir() {
				return file, true
			}
		}
	}
	for _, name := range [...]string{"python3", "python"} {
		if file, ok := w.tool(t, dir, name); ok {
			return file, true
		}
	}
	return "", false
}

// offers reports whether a Python can import a module.
func (w *Worker) offers(ctx context.Context, py, dir, module string) bool {
	x, err := w.call(ctx, dir, nil, py, "-c", "import "+module)
	return err == nil && x.Code == 0
}

// pythonConf is what a project's files say of its tools.
type pythonConf struct{ project, setup, tox string }

func (t *tree) pythonConf(dir string) pythonConf {
	var c pythonConf
	for d := dir; ; d = path.Dir(d) {
		c.project += "\n" + t.read(path.Join(d, "pyproject.toml"))
		c.setup += "\n" + t.read(path.Join(d, "setup.cfg"))
		c.tox += "\n" + t.read(path.Join(d, "tox.ini"))
		if d == "." {
			return c
		}
	}
}

func isPython(rel string) bool {
	return strings.HasSuffix(rel, ".py") || strings.HasSuffix(rel, ".pyi")
}

func (w *Worker) python(t *tree, step quality.Step, p *pkg, cover bool) []*task {
	py, ok := w.interpreter(t, p.dir)
	if !ok {
		return []*task{{step: step, tool: "python3", pkgs: []*pkg{p}, lacks: "python3"}}
	}
	conf := t.pythonConf(p.dir)
	switch step {
	case quality.Lint:
		return w.pythonLint(t, p, py, conf, true)
	case quality.Build:
		return w.pythonTypes(t, p, py, conf)
	case quality.Test:
		return []*task{w.pythonTest(t, p, py, conf, cover)}
	case quality.Format, quality.Coverage: // not a toolchain's own
	}
	return nil
}

// pythonLint checks the touched files; with whole also what takes longer than
// an edit waits for.
func (w *Worker) pythonLint(t *tree, p *pkg, py string, conf pythonConf, whole bool) []*task {
	_, ruffFile := t.up(p.dir, "ruff.toml", ".ruff.toml")
	_, flakeFile := t.up(p.dir, ".flake8")
	var out []*task
	_, isortFile := t.up(p.dir, ".isort.cfg")
	if whole && (isortFile || hasTable(conf.project, "tool.isort") || hasTable(conf.setup, "isort")) {
		file, ok := w.tool(t, p.dir, "isort")
		if ok {
			out = append(out, w.perFile(quality.Lint, "isort", "isort", p, isPython,
				func(files []string) []string { return append([]string{file, "-q", "--check"}, files...) },
				func(pl *place, p *pkg, code int, stdout, stderr string) ([]quality.Finding, string) {
					return w.readIsort(pl, p, code, stdout+"\n"+stderr)
				}))
		} else {
			out = append(out, &task{step: quality.Lint, tool: "isort", pkgs: []*pkg{p}, lacks: "isort"})
		}
	}
	switch {
	case ruffFile || hasTable(conf.project, "tool.ruff"):
		file, ok := w.tool(t, p.dir, "ruff")
		if !ok {
			out = append(out, &task{step: quality.Lint, tool: "ruff", pkgs: []*pkg{p}, lacks: "ruff"})
			break
		}
		return append(out, w.perFile(quality.Lint, "ruff check", "ruff check", p, isPython,
			func(files []string) []string {
				return append([]string{file, "check", "--no-fix", "--force-exclude", "--output-format=json"}, files...)
			}, w.readRuff))
	case flakeFile || hasTable(conf.setup, "flake8") || hasTable(conf.tox, "flake8"):
		return append(out, w.perFile(quality.Lint, "flake8", "flake8", p, isPython,
			func(files []string) []string { return append([]string{py, "-m", "flake8"}, files...) },
			func(pl *place, p *pkg, code int, stdout, stderr string) ([]quality.Finding, string) {
				if strings.Contains(stderr, "No module named") {
					return nil, "flake8 is not installed"
				}
				found := w.read(pl, p, quality.Lint, "flake8", stdout)
				if code != 0 && len(found) == 0 {
					return nil, "flake8 could not run: " + lastLines(stderr, 2)
				}
				for i := range found {
					if rule, rest, ok := strings.Cut(found[i].Message, " "); ok {
						found[i].Rule, found[i].Message = rule, rest
					}
				}
				return found, ""
			}))
	}
	return append(out, w.perFile(quality.Lint, "python syntax", "python ast", p, isPython,
		func(files []string) []string { return append([]string{py, "-c", syntax}, files...) },
		func(pl *place, p *pkg, _ int, stdout, _ string) ([]quality.Finding, string) {
			return w.read(pl, p, quality.Lint, "python", stdout), ""
		}))
}

// syntax reports what does not parse, and writes no cache.
const syntax = `import ast, sys
for f in sys.argv[1:]:
    try:
        ast.parse(open(f, "rb").read(), f)
    except SyntaxError as e:
        print("%s:%s:%s: %s" % (f, e.lineno or 1, e.offset or 1, e.msg))
    except ValueError as e:
        print("%s:1:1: %s" % (f, e))
`

// readIsort reads "ERROR: /path/a.py Imports are incorrectly sorted…".
func (w *Worker) readIsort(pl *place, p *pkg, code int, text string) ([]quality.Finding, string) {
	var out []quality.Finding
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "ERROR: ")
		if !ok {
			continue
		}
		name, said, _ := strings.Cut(rest, " Imports ")
		out = append(out, quality.Finding{Package: p.dir, Step: quality.Lint, Tool: "isort", File: locate(pl.root, pl.abs(p.dir), name), Line: 1, Message: clip("imports " + said)})
	}
	if code != 0 && len(out) == 0 {
		return nil, "isort could not run: " + lastLines(text, 1)
	}
	return out, ""
}

// readRuff reads ruff's JSON.
func (w *Worker) readRuff(pl *place, p *pkg, code int, stdout, stderr string) ([]quality.Finding, string) {
	var list []struct {
		Code     string `json:"code"`
		Filename string `json:"filename"`
		Message  string `json:"message"`
		Location struct {
			Row    int `json:"row"`
			Column int `json:"column"`
		} `json:"location"`
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		if code == 0 {
			return nil, ""
		}
		return nil, "ruff could not run: " + lastLines(stderr, 2)
	}
	var out []quality.Finding
	for _, f := range list {
		out = append(out, quality.Finding{
			Package: p.dir, Step: quality.Lint, Tool: "ruff", File: locate(pl.root, pl.abs(p.dir), f.Filename),
			Line: f.Location.Row, Col: f.Location.Column, Rule: f.Code, Message: clip(f.Message),
		})
	}
	return out, ""
}

func (w *Worker) pythonTypes(t *tree, p *pkg, py string, conf pythonConf) []*task {
	_, mypy := t.up(p.dir, "mypy.ini", ".mypy.ini")
	_, pyright := t.up(p.dir, "pyrightconfig.json")
	var out []*task
	whole := func(tool string, argv ...string) *task {
		return &task{step: quality.Build, tool: tool, ident: tool, pkgs: []*pkg{p}, do: func(ctx context.Context, pl *place, pkgs []*pkg, _ []quality.Finding) map[*pkg]*result {
			return each(pkgs, func(p *pkg) *result { return w.texts(ctx, pl, p, quality.Build, tool, 1, argv...) })
		}}
	}
	if mypy || hasTable(conf.project, "tool.mypy") || hasTable(conf.setup, "mypy") {
		if file, ok := w.tool(t, p.dir, "mypy"); ok {
			out = append(out, whole("mypy", file, "--no-color-output", "--no-error-summary", "--cache-dir="+os.DevNull, "."))
		} else {
			out = append(out, &task{step: quality.Build, tool: "mypy", pkgs: []*pkg{p}, lacks: "mypy"})
		}
	}
	if pyright || hasTable(conf.project, "tool.pyright") {
		if file, ok := w.tool(t, p.dir, "pyright"); ok {
			out = append(out, whole("pyright", file))
		} else {
			out = append(out, &task{step: quality.Build, tool: "pyright", pkgs: []*pkg{p}, lacks: "pyright"})
		}
	}
	if len(out) == 0 {
		out = append(out, w.perFile(quality.Build, "python syntax", "python ast", p, isPython,
			func(files []string) []string { return append([]string{py, "-c", syntax}, files...) },
			func(pl *place, p *pkg, _ int, stdout, _ string) ([]quality.Finding, string) {
				return w.read(pl, p, quality.Build, "python", stdout), ""
			}))
	}
	return out
}

// texts runs a checker that names places in its text. Codes above most mean
// that it could not run.
func (w *Worker) texts(ctx context.Context, pl *place, p *pkg, step quality.Step, tool string, most int, argv ...string) *result {
	x, err := w.call(ctx, pl.abs(p.dir), pl.env, argv...)
	if why, missing := told(ctx, tool, x, err); why != "" {
		return unable(step, tool, x, why, missing)
	}
	if x.Code == 0 {
		return &result{status: passedStep, tool: tool}
	}
	text := string(x.Stdout) + "\n" + string(x.Stderr)
	found := w.read(pl, p, step, tool, text)
	if len(found) == 0 {
		if x.Code > most {
			return brokenStep(tool, tool+" could not run: "+lastLines(text, 2))
		}
		found = []quality.Finding{{Package: p.dir, Step: step, Tool: tool, Message: clip(tool + " failed: " + lastLines(pl.plain(text), 4))}}
	}
	return &result{status: failedStep, tool: tool, findings: found}
}

func (w *Worker) pythonTest(t *tree, p *pkg, py string, conf pythonConf, cover bool) *task {
	_, hasIni := t.up(p.dir, "pytest.ini", "conftest.py")
	asks := hasIni || hasTable(conf.project, "tool.pytest") || hasTable(conf.setup, "tool:pytest") || hasTable(conf.tox, "pytest") || strings.Contains(conf.project, "pytest")
	ident := "python test"
	if cover {
		ident += " coverage"
	}
	return &task{step: quality.Test, tool: "pytest", ident: ident, pkgs: []*pkg{p}, do: func(ctx context.Context, pl *place, pkgs []*pkg, only []quality.Finding) map[*pkg]*result {
		return each(pkgs, func(p *pkg) *result {
			dir := pl.abs(p.dir)
			if w.offers(ctx, py, dir, "pytest") {
				return w.pytest(ctx, pl, p, []string{py, "-m", "pytest"}, py, cover && only == nil && !pl.old)
			}
			if file, ok := w.tool(t, p.dir, "pytest"); ok && (asks || t.imports(p.dir, "pytest")) { // of another Python: what it measures is not ours to read
				return w.pytest(ctx, pl, p, []string{file}, py, false)
			}
			if asks {
				return &result{status: skippedStep, tool: "pytest", why: "pytest is not installed", missing: true}
			}
			return w.unittest(ctx, pl, p, py, cover && only == nil && !pl.old)
		})
	}}
}

// imports reports whether a test file near a package's root uses a module.
func (t *tree) imports(dir, module string) bool {
	for _, at := range [...]string{dir, path.Join(dir, "tests"), path.Join(dir, "test")} {
		list, err := os.ReadDir(t.abs(at))
		if err != nil {
			continue
		}
		for _, e := range list {
			if name := e.Name(); isPython(name) && strings.Contains(name, "test") && strings.Contains(t.read(path.Join(at, name)), "import "+module) {
				return true
			}
		}
	}
	return false
}

func (w *Worker) pytest(ctx context.Context, pl *place, p *pkg, start []string, py string, cover bool) *result {
	key := strings.ReplaceAll(p.dir, "/", "-")
	xmlFile := filepath.Join(pl.scratch, "pytest-"+key+".xml")
	argv := append(slices.Clone(start), "-q", "-p", "no:cacheprovider", "--color=no", "--junitxml="+xmlFile, "-o", "junit_family=xunit1")
	env := pl.env
	data := ""
	if cover && w.offers(ctx, py, pl.abs(p.dir), "pytest_cov") {
		data = filepath.Join(pl.scratch, "coverage-"+key+".data")
		argv = append(argv, "--cov=.", "--cov-report=") // pytest-cov before 4.1 writes no JSON
		env = append(slices.Clone(env), "COVERAGE_FILE="+data)
	}
	x, err := w.call(ctx, pl.abs(p.dir), env, argv...)
	if why, missing := told(ctx, "pytest", x, err); why != "" {
		return unable(quality.Test, "pytest", x, why, missing)
	}
	tests, found, ok := w.junit(pl, p, "pytest", xmlFile)
	r := &result{tool: "pytest", tests: tests, findings: found}
	switch {
	case x.Code == 5 && len(found) == 0:
		r.status, r.why = passedStep, "no test ran"
	case x.Code == 0 && ok && len(found) == 0:
		r.status = passedStep
		if tests == 0 {
			r.why = "no test ran"
		}
	case len(found) > 0:
		r.status = failedStep
	case x.Code == 0: // it left in mid-run
		r.status, r.why = unproven, "pytest ended without a result"
	default:
		r.status = failedStep
		text := string(x.Stdout) + "\n" + string(x.Stderr)
		if r.findings = w.read(pl, p, quality.Test, "pytest", unframe(text)); len(r.findings) > 3 {
			r.findings = r.findings[len(r.findings)-3:]
		}
		if len(r.findings) == 0 {
			r.findings = []quality.Finding{{Package: p.dir, Step: quality.Test, Tool: "pytest", Message: clip("pytest failed: " + lastLines(pl.plain(text), 5))}}
		}
	}
	if data != "" && r.status == passedStep {
		r.report = w.coveragePy(ctx, pl, p, py, env, data)
	}
	return r
}

// coveragePy turns what coverage.py gathered into its JSON.
func (w *Worker) coveragePy(ctx context.Context, pl *place, p *pkg, py string, env []string, data string) *report {
	out := data + ".json"
	if x, err := w.call(ctx, pl.abs(p.dir), env, py, "-m", "coverage", "json", "-q", "-o", out); err != nil || x.Code != 0 {
		return nil
	}
	return fileReport("coverage.py", out, p.dir)
}

// discover runs unittest and writes what became of each test as JSON.
const discover = `import json, os, sys, traceback, unittest
out = sys.argv[1]
class R(unittest.TestResult):
    rows = []
    ran = 0
    def put(self, t, e):
        f = traceback.extract_tb(e[2])
        f = [x for x in f if "unittest" not in x.filename.split(os.sep)]
        at = f[-1] if f else None
        for x in f:
            if x.name == getattr(t, "_testMethodName", None):
                at = x
        self.rows.append({"test": t.id(), "message": "%s: %s" % (e[0].__name__, e[1]), "file": at.filename if at else "", "line": at.lineno if at else 0})
    def addError(self, t, e): super().addError(t, e); self.put(t, e)
    def addFailure(self, t, e): super().addFailure(t, e); self.put(t, e)
    def addSubTest(self, t, s, e):
        super().addSubTest(t, s, e)
        if e: self.put(s, e)
    def addSuccess(self, t): super().addSuccess(t); self.ran += 1
    def addUnexpectedSuccess(self, t):
        super().addUnexpectedSuccess(t)
        self.rows.append({"test": t.id(), "message": "unexpected success", "file": "", "line": 0})
sys.path.insert(0, os.getcwd())
s = unittest.TestSuite()
for start in (".", "tests", "test"):
    if start == "." or (os.path.isdir(start) and not os.path.exists(os.path.join(start, "__init__.py"))):
        s.addTests(unittest.TestLoader().discover(start, top_level_dir=None if start != "." else "."))
r = R()
s.run(r)
json.dump({"passed": r.ran, "failed": r.rows}, open(out, "w"))
sys.exit(0 if not r.rows else 1)
`

func (w *Worker) unittest(ctx context.Context, pl *place, p *pkg, py string, cover bool) *result {
	key := strings.ReplaceAll(p.dir, "/", "-")
	file := filepath.Join(pl.scratch, "unittest-"+key+".json")
	_ = os.Remove(file)
	argv := []string{py, "-c", discover, file}
	env := pl.env
	data := ""
	if cover && w.offers(ctx, py, pl.abs(p.dir), "coverage") {
		script := filepath.Join(pl.scratch, "unittest.py")
		if err := os.WriteFile(script, []byte(discover), 0o600); err == nil { //nolint:forbidigo // into a folder of our own
			data = filepath.Join(pl.scratch, "coverage-"+key+".data")
			env = append(slices.Clone(env), "COVERAGE_FILE="+data)
			argv = []string{py, "-m", "coverage", "run", "--source=.", script, file}
		}
	}
	x, err := w.call(ctx, pl.abs(p.dir), env, argv...)
	if why, missing := told(ctx, "unittest", x, err); why != "" {
		return unable(quality.Test, "unittest", x, why, missing)
	}
	var res struct {
		Passed int `json:"passed"`
		Failed []struct {
			Test    string `json:"test"`
			Message string `json:"message"`
			File    string `json:"file"`
			Line    int    `json:"line"`
		} `json:"failed"`
	}
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &res) != nil {
		return &result{tool: "unittest", why: "unittest ended without a result: " + lastLines(string(x.Stderr), 2)}
	}
	r := &result{tool: "unittest", tests: res.Passed, status: passedStep}
	for _, f := range res.Failed {
		msg := firstLine(f.Message)
		name, brief, ok := strings.Cut(f.Test, "unittest.loader._FailedTest.")
		if !ok {
			brief = name
		}
		at := locate(pl.root, pl.abs(p.dir), f.File)
		if at == "" {
			f.Line = 0
		}
		r.findings = append(r.findings, quality.Finding{Package: p.dir, Step: quality.Test, Tool: "unittest", Test: brief, File: at, Line: f.Line, Message: clip(msg)})
	}
	switch {
	case len(r.findings) > 0:
		r.status = failedStep
	case r.tests == 0:
		r.why = "no test ran"
	}
	if data != "" && r.status == passedStep {
		r.report = w.coveragePy(ctx, pl, p, py, env, data)
	}
	return r
}

// fileReport reads a coverage report that a tool wrote; nil if there is none.
func fileReport(format, file, dir string) *report {
	data, err := os.ReadFile(file)
	if err != nil || len(data) == 0 || len(data) > 64<<20 {
		return nil
	}
	return &report{Format: format, Data: data, Dir: dir}
}

// readReport reads the report that the project's own test command writes.
func readReport(root, name string) *report {
	return fileReport("", filepath.Join(root, filepath.FromSlash(name)), path.Dir(name))
}
