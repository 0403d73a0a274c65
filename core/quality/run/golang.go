package run

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/quality"
)

var golangciFiles = []string{".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"}

// golang plans a step over packages of one module.
func (w *Worker) golang(t *tree, mod string, step quality.Step, pkgs []*pkg, cover bool) []*task {
	goTool, ok := w.tool(t, goRoom(mod, pkgs), "go")
	if !ok {
		return []*task{{step: step, tool: "go", pkgs: pkgs, lacks: "go"}}
	}
	switch step {
	case quality.Lint:
		tasks := []*task{w.goVet(goTool, mod, pkgs)}
		if _, asks := t.up(goRoom(mod, pkgs), golangciFiles...); asks && mod != "" {
			if file, ok := w.tool(t, mod, "golangci-lint"); ok {
				tasks = append(tasks, w.golangci(file, mod, pkgs))
			} else {
				tasks = append(tasks, &task{step: step, tool: "golangci-lint", pkgs: pkgs, lacks: "golangci-lint"})
			}
		}
		return tasks
	case quality.Build:
		if mod == "" { // files that need not be one program: vet has compiled them
			return nil
		}
		return []*task{w.goBuild(goTool, mod, pkgs)}
	case quality.Test:
		return []*task{w.goTest(t, goTool, mod, pkgs, cover)}
	case quality.Format, quality.Coverage: // not a toolchain's own
	}
	return nil
}

// goArgs are the packages as the go command takes them, and those without Go
// files. With whole a module's root without any stands for all of the module: what
// go.mod says concerns each package, and to compile them is cheap.
func goArgs(pl *place, mod string, pkgs []*pkg, whole bool) (args []string, gone map[*pkg]bool) {
	gone = map[*pkg]bool{}
	for _, p := range pkgs {
		list, err := os.ReadDir(pl.abs(p.dir))
		if mod == "" {
			n := len(args)
			for _, e := range list {
				if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".") && !e.IsDir() {
					args = append(args, name)
				}
			}
			gone[p] = len(args) == n
			continue
		}
		if err != nil || !slices.ContainsFunc(list, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".go") && !e.IsDir() }) {
			if p.dir == mod && whole {
				args = append(args, "./...")
				continue
			}
			gone[p] = true
			continue
		}
		args = append(args, "./"+below(mod, p.dir))
	}
	return args, gone
}

// goRoom is the folder in which the go command is run: the module's, or that of
// files without one.
func goRoom(mod string, pkgs []*pkg) string {
	if mod == "" {
		return pkgs[0].dir
	}
	return mod
}

// below is dir relative to a folder above it.
func below(mod, dir string) string {
	if mod == "." {
		return dir
	}
	if rel, ok := strings.CutPrefix(dir, mod+"/"); ok {
		return rel
	}
	return "."
}

func (w *Worker) goVet(goTool, mod string, pkgs []*pkg) *task {
	return &task{step: quality.Lint, tool: "go vet", ident: "go vet", pkgs: pkgs, do: func(ctx context.Context, pl *place, pkgs []*pkg, _ []quality.Finding) map[*pkg]*result {
		return w.goText(ctx, pl, mod, pkgs, "go vet", quality.Lint, goTool, "vet")
	}}
}

func (w *Worker) goBuild(goTool, mod string, pkgs []*pkg) *task {
	return &task{step: quality.Build, tool: "go build", ident: "go build and dependents", pkgs: pkgs, do: func(ctx context.Context, pl *place, pkgs []*pkg, _ []quality.Finding) map[*pkg]*result {
		out := w.goText(ctx, pl, mod, pkgs, "go build", quality.Build, goTool, "build", "-o", os.DevNull)
		for _, p := range pkgs {
			if out[p].status == failedStep || out[p].status == unproven {
				return out
			}
		}
		w.goDependents(ctx, pl, goTool, mod, pkgs, out)
		return out
	}}
}

func (w *Worker) golangci(file, mod string, pkgs []*pkg) *task {
	return &task{step: quality.Lint, tool: "golangci-lint", ident: "golangci-lint run", pkgs: pkgs, do: func(ctx context.Context, pl *place, pkgs []*pkg, _ []quality.Finding) map[*pkg]*result {
		return w.goText(ctx, pl, mod, pkgs, "golangci-lint", quality.Lint, file, "run", "--color=never", "--allow-parallel-runners")
	}}
}

// goText runs a command over packages and reads the places that it names.
func (w *Worker) goText(ctx context.Context, pl *place, mod string, pkgs []*pkg, tool string, step quality.Step, argv ...string) map[*pkg]*result {
	args, gone := goArgs(pl, mod, pkgs, step == quality.Build)
	out := same(pkgs, result{status: passedStep, tool: tool})
	for p, is := range gone {
		if !is {
			continue
		}
		out[p] = &result{status: skippedStep, tool: tool, why: "no Go files are here"}
	}
	if len(args) == 0 {
		return out
	}
	x, err := w.call(ctx, pl.abs(goRoom(mod, pkgs)), pl.env, append(argv, args...)...)
	if why, missing := told(ctx, tool, x, err); why != "" {
		return same(pkgs, *unable(step, tool, x, why, missing))
	}
	if x.Code == 0 {
		return out
	}
	text := string(x.Stdout) + "\n" + string(x.Stderr)
	if onlyTestFiles(text) {
		return out
	}
	at := &pkg{dir: goRoom(mod, pkgs)}
	found := w.read(pl, at, step, tool, text)
	if len(found) == 0 {
		if tool == "golangci-lint" && x.Code > 1 {
			return same(pkgs, *brokenStep(tool, "golangci-lint could not run: "+lastLines(text, 2)))
		}
		found = []quality.Finding{{Package: pkgs[0].dir, Step: step, Tool: tool, Message: clip(tool + " failed: " + lastLines(pl.plain(text), 4))}}
	}
	assign(out, pkgs, found)
	return out
}

// onlyTestFiles reports whether go build complains of nothing but packages that
// hold tests alone.
func onlyTestFiles(text string) bool {
	any := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.Contains(line, "no non-test Go files in"), strings.Contains(line, "build constraints exclude all Go files in"):
			any = true
		default:
			return false
		}
	}
	return any
}

// assign gives findings to the packages whose files they name; one in a package
// that was not asked for goes to the first that was.
func assign(out map[*pkg]*result, pkgs []*pkg, found []quality.Finding) {
	for _, f := range found {
		to := pkgs[0]
		if i := slices.IndexFunc(pkgs, func(p *pkg) bool {
			return f.File != "" && p.dir == path.Dir(f.File) || f.File == "" && p.dir == f.Package
		}); i >= 0 {
			to = pkgs[i]
		}
		f.Package = to.dir
		r := out[to]
		r.status, r.why = failedStep, ""
		r.findings = append(r.findings, f)
	}
}

// goEvent is a line of go test -json.
type goEvent struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
}

func (w *Worker) goTest(t *tree, goTool, mod string, pkgs []*pkg, cover bool) *task {
	ident := "go test"
	if cover {
		ident += " -cover"
	}
	return &task{step: quality.Test, tool: "go test", ident: ident, pkgs: pkgs, do: func(ctx context.Context, pl *place, pkgs []*pkg, only []quality.Finding) map[*pkg]*result {
		args, gone := goArgs(pl, mod, pkgs, false)
		out := same(pkgs, result{tool: "go test"})
		for p, is := range gone {
			if !is {
				continue
			}
			out[p] = &result{status: skippedStep, tool: "go test", why: "no Go files are here"}
		}
		if len(args) == 0 {
			return out
		}
		argv := []string{goTool, "test", "-json"}
		profile := ""
		switch {
		case only != nil:
			argv = append(argv, "-count=1", "-run", goPattern(only))
		case cover && !pl.old && mod != "":
			profile = filepath.Join(pl.scratch, "go-"+strings.ReplaceAll(mod, "/", "-")+".out")
			argv = append(argv, "-coverprofile="+profile)
		}
		x, err := w.call(ctx, pl.abs(goRoom(mod, pkgs)), pl.env, append(argv, args...)...)
		if why, missing := told(ctx, "go test", x, err); why != "" {
			return same(pkgs, *unable(quality.Test, "go test", x, why, missing))
		}
		w.readGoTest(pl, t, mod, pkgs, out, x.Stdout, append(x.Stdout[:0:0], x.Stderr...), x.Code)
		if profile != "" {
			w.splitProfile(t, mod, pkgs, out, profile)
		}
		return out
	}}
}

// goPattern matches the top-level tests that findings name.
func goPattern(only []quality.Finding) string {
	var names []string
	for _, f := range only {
		if name, _, _ := strings.Cut(f.Test, "/"); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i, n := range names {
		names[i] = regexp.QuoteMeta(n)
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// ends keeps the beginning and the end of a text: what failed is said in one of
// them.
type ends struct{ head, tail []byte }

const mostEnd = 128 << 10

func (e *ends) WriteString(s string) {
	if n := min(mostEnd-len(e.head), len(s)); n > 0 {
		e.head = append(e.head, s[:n]...)
		s = s[n:]
	}
	if e.tail = append(e.tail, s...); len(e.tail) > 2*mostEnd {
		e.tail = append(e.tail[:0], e.tail[len(e.tail)-mostEnd:]...)
	}
}

func (e *ends) String() string {
	tail := e.tail
	if len(tail) > mostEnd {
		tail = tail[len(tail)-mostEnd:]
	}
	return string(e.head) + string(tail)
}

// goRun is what go test said of one package.
type goRun struct {
	tests    int
	failed   []string
	output   map[string]*ends // by test; "" = the package's own
	red, end bool
}

// readGoTest reads the events of a run over packages of a module.
func (w *Worker) readGoTest(pl *place, t *tree, mod string, pkgs []*pkg, out map[*pkg]*result, stdout, stderr []byte, code int) {
	runs := map[string]*goRun{}
	var built strings.Builder // what the compiler said
	run := func(name string) *goRun {
		if runs[name] == nil {
			runs[name] = &goRun{output: map[string]*ends{}}
		}
		return runs[name]
	}
	for line := range bytes.Lines(stdout) {
		var e goEvent
		if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &e) != nil {
			built.Write(line)
			continue
		}
		if e.Action == "build-output" {
			built.WriteString(e.Output)
			continue
		}
		if e.Package == "" {
			continue
		}
		r := run(e.Package)
		switch e.Action {
		case "output":
			b := r.output[e.Test]
			if b == nil {
				b = &ends{}
				r.output[e.Test] = b
			}
			b.WriteString(e.Output)
		case "pass":
			if e.Test == "" {
				r.end = true
			} else {
				r.tests++
			}
		case "skip":
			r.end = r.end || e.Test == ""
		case "fail":
			r.red = true
			if e.Test == "" {
				r.end = true
			} else {
				r.failed = append(r.failed, e.Test)
			}
		}
	}
	module := goModule(t.read(path.Join(mod, "go.mod")))
	byDir := map[string]*goRun{}
	for name, r := range runs {
		if mod == "" { // command-line-arguments
			byDir[pkgs[0].dir] = r
			continue
		}
		byDir[goFolder(module, mod, name)] = r
	}
	built.Write(stderr)
	compiled := w.read(pl, &pkg{dir: goRoom(mod, pkgs)}, quality.Build, "go test", built.String())
	for i := range compiled {
		compiled[i].Step = quality.Test
	}
	for _, p := range pkgs {
		if out[p].status == skippedStep {
			continue
		}
		r := byDir[p.dir]
		res := out[p]
		switch {
		case r == nil && code == 0:
			res.status, res.why = passedStep, "no test ran"
		case r == nil:
			res.why = "go test did not come to " + p.dir
			res.findings = buildOf(compiled, p)
			if said := lastLines(pl.plain(built.String()), 4); len(res.findings) == 0 && len(runs) == 0 && said != "" { // the module itself is broken
				res.findings = []quality.Finding{{Package: p.dir, Step: quality.Test, Tool: "go test", Message: clip("go test failed: " + said)}}
			}
			if len(res.findings) > 0 {
				res.status, res.why = failedStep, ""
			}
		case r.red && r.output[""] != nil && !strings.Contains(r.output[""].String(), "[build failed]") && excluded(r.output[""].String()+built.String(), p, pl):
			res.status, res.why = skippedStep, "build constraints exclude its files here"
		case r.red:
			res.status = failedStep
			res.findings = w.goFailures(pl, p, r)
			if len(res.findings) == 0 {
				res.findings = buildOf(compiled, p)
			}
			if len(res.findings) == 0 && len(compiled) > 0 {
				res.findings = compiled[:1]
				res.findings[0].Package = p.dir
			}
			if len(res.findings) == 0 {
				text := built.String()
				if b := r.output[""]; b != nil {
					text = b.String() + text
				}
				res.findings = []quality.Finding{{Package: p.dir, Step: quality.Test, Tool: "go test", Message: clip("go test failed: " + lastLines(pl.plain(text), 4))}}
			}
		case r.end:
			res.status, res.tests = passedStep, r.tests
			if r.tests == 0 {
				res.why = "no test ran"
			}
		default:
			res.why = "go test did not say how it ended"
		}
	}
}

// excluded reports whether a package could not be tested for no other reason than
// that none of its files is for this machine.
func excluded(text string, p *pkg, pl *place) bool {
	for line := range strings.Lines(text) {
		_, dir, ok := strings.Cut(strings.TrimSpace(line), "build constraints exclude all Go files in ")
		if ok && (inRoot(pl.root, dir) == p.dir || filepath.Base(dir) == filepath.Base(pl.abs(p.dir))) {
			return true
		}
	}
	return false
}

func buildOf(compiled []quality.Finding, p *pkg) []quality.Finding {
	var out []quality.Finding
	for _, f := range compiled {
		if path.Dir(f.File) == p.dir {
			f.Package = p.dir
			out = append(out, f)
		}
	}
	return out
}

// goFailures names the failing tests of a package: of a test with subtests
// those that failed.
func (w *Worker) goFailures(pl *place, p *pkg, r *goRun) []quality.Finding {
	var out []quality.Finding
	for _, name := range r.failed {
		if slices.ContainsFunc(r.failed, func(o string) bool { return strings.HasPrefix(o, name+"/") }) {
			continue
		}
		text := ""
		if b := r.output[name]; b != nil {
			text = b.String()
		}
		f := quality.Finding{Package: p.dir, Step: quality.Test, Tool: "go test", Test: name, Message: "failed"}
		f.File, f.Line, f.Message = w.goSays(pl, p, text)
		out = append(out, f)
	}
	if len(out) == 0 && r.red { // a panic, or TestMain
		if b := r.output[""]; b != nil {
			if file, line, msg := w.goSays(pl, p, b.String()); file != "" {
				out = append(out, quality.Finding{Package: p.dir, Step: quality.Test, Tool: "go test", File: file, Line: line, Message: msg})
			}
		}
	}
	return out
}

// goSays finds in a test's output where it failed and what it said.
func (w *Worker) goSays(pl *place, p *pkg, text string) (file string, line int, msg string) {
	panicked := ""
	lines := strings.Split(strip(text), "\n")
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "panic: ") && panicked == "" {
			panicked = l
		}
		if strings.HasPrefix(l, "---") || strings.HasPrefix(l, "===") {
			continue
		}
		for _, f := range w.read(pl, p, quality.Test, "go test", l) {
			if panicked != "" && path.Dir(f.File) == p.dir {
				return f.File, f.Line, clip(panicked)
			}
			if file == "" {
				file, line, msg = f.File, f.Line, f.Message
				if msg == "go test failed here" && i+1 < len(lines) {
					msg = strings.TrimSpace(lines[i+1])
				}
			}
		}
	}
	if panicked != "" {
		return file, line, clip(panicked)
	}
	if msg == "" {
		for _, l := range lines {
			if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "---") && !strings.HasPrefix(l, "===") && !strings.HasPrefix(l, "FAIL") {
				return file, line, clip(l)
			}
		}
		msg = "failed"
	}
	return file, line, clip(msg)
}

// goModule is the module's path.
func goModule(gomod string) string {
	for line := range strings.Lines(gomod) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module"); ok {
			rest, _, _ = strings.Cut(rest, "//")
			return strings.Trim(strings.TrimSpace(rest), `"`)
		}
	}
	return ""
}

// goFolder is the folder of a package of a module, relative to the root.
func goFolder(module, mod, name string) string {
	name, _, _ = strings.Cut(name, " ") // pkg [pkg.test]
	rel := "."
	if name != module {
		rest, ok := strings.CutPrefix(name, module+"/")
		if !ok {
			return ""
		}
		rel = rest
	}
	return path.Join(mod, rel)
}

// splitProfile gives each package its part of a cover profile.
func (w *Worker) splitProfile(t *tree, mod string, pkgs []*pkg, out map[*pkg]*result, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		return
	}
	module := goModule(t.read(path.Join(mod, "go.mod")))
	mode := "mode: set\n"
	parts := map[string]*bytes.Buffer{}
	for line := range bytes.Lines(data) {
		if bytes.HasPrefix(line, []byte("mode:")) {
			mode = string(line)
			continue
		}
		i := bytes.LastIndexByte(line, ':')
		if i < 0 {
			continue
		}
		dir := goFolder(module, mod, path.Dir(string(line[:i])))
		if parts[dir] == nil {
			parts[dir] = bytes.NewBufferString(mode)
		}
		parts[dir].Write(line)
	}
	for _, p := range pkgs {
		if b := parts[p.dir]; b != nil && out[p].status == passedStep {
			out[p].report = &report{Format: "go", Data: b.Bytes(), Dir: mod}
		}
	}
}
