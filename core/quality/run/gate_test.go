package run

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ec261362/guardrails/core/coverage"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/proc"
	"github.com/ec261362/guardrails/core/quality"
)

// programs runs real programs.
type programs struct{ environ []string }

func (p programs) Run(ctx context.Context, c gate.Command) (gate.Exit, error) {
	r, err := proc.Run(ctx, proc.Cmd{Argv: c.Argv, Dir: c.Dir, Stdin: c.Stdin, MaxOutput: c.MaxOutput, Timeout: c.Timeout, Env: append(slices.Clone(p.environ), c.Env...)})
	if err != nil {
		return gate.Exit{}, missing(err)
	}
	return gate.Exit{Code: r.ExitCode, Signal: r.Signal, TimedOut: r.TimedOut, Stdout: r.Stdout, Stderr: r.Stderr, Truncated: r.Truncated, Took: r.Took}, nil
}

func (p programs) LookPath(name string) (string, error) {
	path := ""
	for _, kv := range p.environ {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
	}
	file, err := proc.LookPath(name, path)
	return file, missing(err)
}

func missing(err error) error {
	if err != nil && strings.Contains(err.Error(), proc.ErrNotFound.Error()) {
		return &os.PathError{Op: "find", Path: "program", Err: os.ErrNotExist}
	}
	return err
}

// project is a repository that a test makes.
type project struct {
	t    *testing.T
	root string
	conf quality.Project
	w    *Worker
	env  []string
}

var allSteps = []quality.Step{quality.Format, quality.Lint, quality.Build, quality.Test, quality.Coverage}

// beside holds the tests that run beside each other already.
var beside sync.Map

// newProject makes a repository with files. Tests with one run beside each other:
// they wait for programs.
func newProject(t *testing.T, files map[string]string, env ...string) *project {
	t.Helper()
	if _, done := beside.LoadOrStore(t, true); !done {
		t.Parallel()
	}
	root := filepath.Join(t.TempDir(), "project")
	p := &project{t: t, root: root}
	p.env = Environ(os.Environ())
	p.env = append(p.env, "GIT_CONFIG_GLOBAL=/dev/null", "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
	p.env = append(p.env, env...)
	p.conf = quality.Project{Root: root, Cache: filepath.Join(t.TempDir(), "cache"), OnEdit: allSteps[:2], OnStop: allSteps, PatchMin: 80, Tolerance: 0.5}
	p.w = New(Options{Proc: programs{p.env}, TempDir: t.TempDir()})
	for name, text := range files {
		p.write(name, text)
	}
	p.git("init", "-q")
	p.git("add", "-A")
	p.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "one")
	return p
}

func (p *project) write(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) read(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.root, filepath.FromSlash(name)))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *project) gate(touched ...string) *quality.Report {
	p.t.Helper()
	return p.ask(Request{Touched: touched, Deadline: true})
}

func (p *project) ask(r Request) *quality.Report {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*60*1e9)
	defer cancel()
	return p.w.Gate(ctx, p.conf, r)
}

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not on this machine", name)
		}
	}
}

func goProject(t *testing.T) *project {
	t.Helper()
	needs(t, "go", "git", "gofmt")
	return newProject(t, map[string]string{
		"go.mod":      "module example.com/app\n\ngo 1.21\n",
		"a/a.go":      "package a\n\n// Add adds.\nfunc Add(x, y int) int { return x + y }\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Errorf(\"Add(1, 2) = %d, want 3\", got)\n\t}\n}\n",
		"b/b.go":      "package b\n\n// Zero is nothing.\nfunc Zero() int { return 0 }\n",
	})
}

func TestGreenGoPackagePassesAndRaisesTheRatchet(t *testing.T) {
	p := goProject(t)
	p.write("a/a.go", "package a\n\n// Add adds two numbers.\nfunc Add(x, y int) int {\n\tsum := x + y\n\treturn sum\n}\n")
	r := p.gate("a/a.go")
	if r.Outcome != quality.Passed {
		t.Fatalf("%s\n%+v", r.Text(4000), r.Steps)
	}
	if len(r.Packages) != 1 || r.Packages[0] != "a" {
		t.Errorf("packages %q", r.Packages)
	}
	if r.Patch == nil || r.Patch.Coverable == 0 || r.Patch.Pct != 100 {
		t.Errorf("patch %+v", r.Patch)
	}
	if got := p.ratchet(golang)["a"]; got.Total == 0 || got.Pct() != 100 {
		t.Errorf("ratchet %+v", got)
	}
}

func TestBrokenGoTestIsNamedWithItsLine(t *testing.T) {
	p := goProject(t)
	p.write("a/a.go", "package a\n\n// Add adds.\nfunc Add(x, y int) int { return x - y }\n")
	r := p.gate("a/a.go")
	if r.Outcome != quality.Failed {
		t.Fatal(r.Text(4000))
	}
	text := r.Text(4000)
	for _, want := range []string{"TestAdd", "a/a_test.go:7", "want 3"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func (p *project) ratchet(chain string) map[string]coverage.Count {
	p.t.Helper()
	list, err := p.w.ratchet(p.conf.Cache).Baseline(ratchetKey(chain), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return list
}
