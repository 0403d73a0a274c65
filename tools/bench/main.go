// Command bench measures whole hook processes as a host sees them: from fork to
// the last byte of the answer, next to an empty Go program built alike and
// to true(1), run in turn, so that the ratios hold on any machine, idle or not.
// It never fails on a figure. It runs the product as a binary and must not
// import it.
package main

import (
	"bytes"
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
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// goal is what a PreToolUse call may cost, in empty Go programs.
const goal = 2.5

// A program is one process to measure.
type program struct {
	name  string
	argv  []string
	dir   string
	env   []string
	stdin []byte
	want  string // must be in the answer; "" = any
	goal  bool   // a PreToolUse call

	took []time.Duration
	rss  int64 // bytes, 0 = not known
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == measureFlag {
		os.Exit(measure(os.Args[2:]))
	}
	runs := flag.Int("runs", 300, "runs of each program, interleaved")
	bin := flag.String("bin", "", "the binary to measure; empty builds it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, *runs, *bin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, runs int, bin string, out io.Writer) error {
	if runs < 1 {
		return errors.New("-runs must be positive")
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
	programs, err := programs(ctx, dir, empty, bin)
	if err != nil {
		return err
	}
	for _, p := range programs {
		if err := p.check(ctx); err != nil {
			return err
		}
		p.rss = peak(ctx, p)
	}
	order := slices.Clone(programs)
	for i := range runs {
		rand.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		for _, p := range order {
			took, _, err := p.run(ctx)
			if err != nil {
				return err
			}
			p.took = append(p.took, took)
		}
		if i == 0 {
			for _, p := range programs {
				p.took = p.took[:0] // the first round warms the disk
			}
		}
	}
	for _, p := range programs {
		if len(p.took) == 0 {
			return errors.New("one run is the warm-up; ask for two or more")
		}
	}
	report(out, programs, runs-1)
	return nil
}

// build compiles pkg as a release is compiled.
func build(ctx context.Context, dir, name, pkg string) (string, error) {
	bin := filepath.Join(dir, name)
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return bin, nil
}

// programs lists what is measured: the floors, then each event with nothing
// configured and with the full configuration.
func programs(ctx context.Context, dir, empty, bin string) ([]*program, error) {
	stdin := []byte(events[0].payload) // the floors get a pipe too, and leave it unread
	list := []*program{{name: "empty Go program", argv: []string{empty}, dir: dir, stdin: stdin}}
	if c, err := exec.LookPath("true"); err == nil {
		list = append(list, &program{name: "true", argv: []string{c}, dir: dir, stdin: stdin})
	}
	for _, config := range []string{"none", "full"} {
		home := filepath.Join(dir, config, "home")
		project := filepath.Join(home, "project")
		if err := os.MkdirAll(filepath.Join(project, ".git"), 0o755); err != nil {
			return nil, err
		}
		env := environment(home)
		if config == "full" {
			if err := configure(ctx, bin, project, env); err != nil {
				return nil, err
			}
		}
		for _, e := range events {
			list = append(list, &program{
				name:  e.name + ", config " + config,
				argv:  []string{bin, "hook", "--agent", "claude"},
				dir:   project,
				env:   env,
				stdin: []byte(strings.ReplaceAll(e.payload, "PROJECT", filepath.ToSlash(project))),
				want:  e.want,
				goal:  strings.HasPrefix(e.name, "PreToolUse"),
			})
		}
	}
	return list, nil
}

// environment is a machine that has nothing but a home.
func environment(home string) []string {
	env := []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	if root := os.Getenv("SYSTEMROOT"); root != "" {
		env = append(env, "SYSTEMROOT="+root)
	}
	return env
}

// configure gives the project every section. A configuration that the binary
// does not accept would measure the error path instead.
func configure(ctx context.Context, bin, project string, env []string) error {
	file := filepath.Join(project, ".guardrails.yaml")
	if err := os.WriteFile(file, []byte(fullConfig), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, bin, "config", "validate")
	cmd.Dir, cmd.Env = project, env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the full configuration is not accepted: %w\n%s", err, out)
	}
	return nil
}

// run measures one process, from before the fork to after the last byte.
func (p *program) run(ctx context.Context) (time.Duration, []byte, error) {
	cmd := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...)
	cmd.Dir, cmd.Env = p.dir, p.env
	cmd.Stdin = bytes.NewReader(p.stdin)
	var out bytes.Buffer
	cmd.Stdout = &out
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return took, out.Bytes(), nil
}

// check runs p once and reads its answer: a program that answers the wrong thing
// is not worth measuring.
func (p *program) check(ctx context.Context) error {
	_, out, err := p.run(ctx)
	if err != nil {
		return err
	}
	if !strings.Contains(string(out), p.want) {
		return fmt.Errorf("%s: answered %q, which lacks %q", p.name, out, p.want)
	}
	return nil
}

// measureFlag makes this program the parent of one child, whose peak it prints.
// A kernel counts the parent's memory at the fork into the child's peak, so the
// parent must be small: this one has not built or measured anything yet.
const measureFlag = "-measure-peak"

func measure(argv []string) int {
	cmd := exec.CommandContext(context.Background(), argv[0], argv[1:]...)
	cmd.Stdin = os.Stdin
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	fmt.Println(peakOf(cmd.ProcessState))
	return 0
}

// peak returns the largest resident size of three runs in bytes, 0 where the
// system does not say.
func peak(ctx context.Context, p *program) int64 {
	self, err := os.Executable()
	if err != nil {
		return 0
	}
	var most int64
	for range 3 {
		cmd := exec.CommandContext(ctx, self, append([]string{measureFlag}, p.argv...)...)
		cmd.Dir, cmd.Env = p.dir, p.env
		cmd.Stdin = bytes.NewReader(p.stdin)
		out, err := cmd.Output()
		if err != nil {
			return 0
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		if err != nil {
			return 0
		}
		most = max(most, n)
	}
	return most
}

func report(out io.Writer, programs []*program, runs int) {
	base := quantile(programs[0].took, 50)
	fmt.Fprintf(out, "%d runs each, interleaved, on %s/%s with %d CPUs; %s\n\n", runs, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "median\tp95\tratio\tpeak RSS\t \t")
	worst := 0.0
	for _, p := range programs {
		mid := quantile(p.took, 50)
		ratio := float64(mid) / float64(base)
		if p.goal {
			worst = max(worst, ratio)
		}
		rss := "-"
		if p.rss > 0 {
			rss = fmt.Sprintf("%.1f MB", float64(p.rss)/1e6)
		}
		fmt.Fprintf(w, "%.2f ms\t%.2f ms\t%.2f\t%s\t\t%s\n", ms(mid), ms(quantile(p.took, 95)), ratio, rss, p.name)
	}
	_ = w.Flush()
	verdict := "met"
	if worst > goal {
		verdict = "missed"
	}
	fmt.Fprintf(out, "\nratio: to the empty Go program. Goal for a PreToolUse call: %.1f; worst here: %.2f (%s).\n", goal, worst, verdict)
	fmt.Fprintln(out, "A peak includes this program's own size at the fork; below it, it only says \"no more than\".")
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// quantile returns the nearest-rank p-th percentile of ds.
func quantile(ds []time.Duration, p int) time.Duration {
	sorted := slices.Sorted(slices.Values(ds))
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}
