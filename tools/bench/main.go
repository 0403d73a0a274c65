// Command bench measures whole hook processes as a host sees them: from fork to
// the last byte of the answer. Beside them, in turn and in one run, so that the
// ratios hold on any machine, idle or not: an empty Go program built alike,
// true(1), interpreters that do nothing, other people's hooks on the same
// payload; and our own hook again where a session, a transcript, a repository
// or a configuration has grown large.
//
// It never fails on a figure, and what it cannot have (no node, no network, no
// room on the disk) it goes on without, and says so. It runs the product as a
// binary and must not import it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// options are what to measure.
type options struct {
	runs   int
	bin    string // "" builds it
	peers  string // folder of other people's hooks, "" = without
	growth bool
	events int // of the long session
	files  int // of the large repository
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == measureFlag {
		os.Exit(measure(os.Args[2:]))
	}
	var o options
	flag.IntVar(&o.runs, "runs", 200, "runs of each program, interleaved; slow ones run in every fifth round")
	flag.StringVar(&o.bin, "bin", "", "the binary to measure; empty builds it")
	flag.StringVar(&o.peers, "peers", filepath.Join(".tools", "peers"), "folder for the peers from npm, installed when missing; empty goes without")
	flag.BoolVar(&o.growth, "growth", true, "measure large sessions, transcripts, repositories and configurations too")
	flag.IntVar(&o.events, "events", 10_000, "events of the long session")
	flag.IntVar(&o.files, "files", 100_000, "files of the large repository")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, o options, out io.Writer) error {
	if o.runs < 2 {
		return errors.New("the first round is the warm-up: -runs must be 2 or more")
	}
	dir, err := os.MkdirTemp("", "guardrails-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	empty, err := build(ctx, dir, "empty", "./tools/bench/empty")
	if err != nil {
		return err
	}
	bin := o.bin
	if bin == "" {
		if _, err = build(ctx, dir, "guardrails-full", "./cmd/guardrails/guardrails-full"); err != nil {
			return err
		}
		bin, err = build(ctx, dir, "guardrails", "./cmd/guardrails")
	} else {
		bin, err = filepath.Abs(bin)
	}
	if err != nil {
		return err
	}

	s := suite{dir: dir, empty: empty, bin: bin}
	if err := s.floors(ctx); err != nil {
		return err
	}
	if o.peers != "" {
		s.others(ctx, o.peers)
	}
	if err := s.hooks(ctx); err != nil {
		return err
	}
	if o.growth {
		if err := s.grow(ctx, o); err != nil {
			return err
		}
	}
	before := load()
	if err := s.measure(ctx, o.runs); err != nil {
		return err
	}
	s.report(out, o.runs-1, before)
	return nil
}

// suite is what is measured in one run.
type suite struct {
	dir, empty, bin string
	list            []*program // the empty Go program first
	pairs           []pair
	without         []string // what this run goes without, and why
}

func (s *suite) add(p *program) *program {
	s.list = append(s.list, p)
	return p
}

func (s *suite) miss(what string, err error) {
	why, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	s.without = append(s.without, what+": "+why)
}

// measure runs every program in turn, in another order each round.
func (s *suite) measure(ctx context.Context, runs int) error {
	for _, p := range s.list {
		took, err := p.check(ctx)
		if err != nil {
			return err
		}
		p.slow = !p.ours && took > slow
		p.rss = peak(ctx, p)
	}
	order := slices.Clone(s.list)
	for i := range runs {
		rand.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		for _, p := range order {
			if p.slow && i > 1 && i%5 != 0 {
				continue
			}
			took, _, err := p.run(ctx)
			if err != nil {
				return err
			}
			if i > 0 { // the first round warms the disk
				p.took = append(p.took, took)
			}
		}
	}
	return nil
}

// build compiles pkg as a release is compiled, and copies it as init does: the
// pages of a file that a linker has just written are mapped one by one, which
// costs a process a quarter more.
func build(ctx context.Context, dir, name, pkg string) (string, error) {
	bin := filepath.Join(dir, name)
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	linked := bin + ".linked"
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", linked, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	data, err := os.ReadFile(linked)
	if err != nil {
		return "", err
	}
	return bin, os.WriteFile(bin, data, 0o755)
}

// floors are what any program costs here.
func (s *suite) floors(ctx context.Context) error {
	stdin := []byte(eventList[preBash].payload) // the floors get a pipe too, and leave it unread
	floor := func(name string, argv ...string) {
		bin, err := exec.LookPath(argv[0])
		if err != nil {
			s.miss(name, err)
			return
		}
		s.add(&program{name: name, argv: append([]string{bin}, argv[1:]...), dir: s.dir, stdin: stdin})
	}
	floor("empty Go program", s.empty)
	floor("true(1)", "true")
	floor("bash -c 'exec true'", "bash", "-c", "exec true")
	script := filepath.Join(s.dir, "nothing")
	if err := os.WriteFile(script, nil, 0o600); err != nil {
		return err
	}
	if python, err := realPython(ctx); err != nil {
		s.miss("Python, an empty script", err)
	} else {
		floor("Python, an empty script", python, script)
	}
	floor("Node, an empty script", "node", script)
	return nil
}

// realPython is the interpreter itself: on many machines the name on the PATH is
// a shell script that looks for one.
func realPython(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "python3", "-c", "import sys; print(sys.executable)").Output()
	return strings.TrimSpace(string(out)), err
}

// hooks are our own, each event with nothing configured and with everything.
func (s *suite) hooks(ctx context.Context) error {
	for _, config := range []string{"nothing configured", "all configured"} {
		p, err := s.project(ctx, strings.ReplaceAll(config, " ", "-"), fullConfig)
		if err != nil {
			return err
		}
		if config == "nothing configured" {
			if err := os.Remove(filepath.Join(p.dir, ".guardrails.yaml")); err != nil {
				return err
			}
		}
		for _, e := range eventList {
			q := p.hook(s.bin, e)
			q.name += ", " + config
			s.add(q)
			if e.name != eventList[preBash].name {
				continue
			}
			if bash, err := exec.LookPath("bash"); err == nil {
				through := *q
				through.name, through.goal = "the same through bash -c 'exec …'", false
				through.argv = []string{bash, "-c", `exec "$@"`, "hook", s.bin, "hook", "--agent", "claude"}
				s.add(&through)
			}
		}
	}
	return nil
}

// project is a place to be called from.
type project struct {
	dir string
	env []string
}

// project makes a home with a project in it, configured and checked: one that
// the binary does not accept would measure the error path instead.
func (s *suite) project(ctx context.Context, name, config string) (project, error) {
	home := filepath.Join(s.dir, name)
	p := project{dir: filepath.Join(home, "project"), env: environment(home)}
	if err := os.MkdirAll(filepath.Join(p.dir, ".git"), 0o755); err != nil {
		return p, err
	}
	if err := os.WriteFile(filepath.Join(p.dir, ".guardrails.yaml"), []byte(config), 0o600); err != nil {
		return p, err
	}
	cmd := exec.CommandContext(ctx, s.bin, "config", "validate")
	cmd.Dir, cmd.Env = p.dir, p.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return p, fmt.Errorf("the configuration of %s is not accepted: %w\n%s", name, err, out)
	}
	return p, nil
}

// hook is one event in the project.
func (p project) hook(bin string, e event) *program {
	return &program{
		name:  e.name,
		argv:  []string{bin, "hook", "--agent", "claude"},
		dir:   p.dir,
		env:   p.env,
		stdin: []byte(strings.ReplaceAll(e.payload, "PROJECT", filepath.ToSlash(p.dir))),
		want:  e.want,
		goal:  strings.HasPrefix(e.name, "PreToolUse"),
		ours:  true,
	}
}

// environment is a machine that has nothing but a home.
func environment(home string) []string {
	env := []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	if root := os.Getenv("SYSTEMROOT"); root != "" {
		env = append(env, "SYSTEMROOT="+root)
	}
	return env
}
