package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// slow is from when on a program runs in every fifth round only.
const slow = 40 * time.Millisecond

// A program is one process to measure.
type program struct {
	name  string
	argv  []string
	dir   string
	env   []string
	stdin []byte // CALL in it is another number each time
	want  string // must be in the answer; "" = any
	goal  bool   // a PreToolUse call of ours
	ours  bool
	peer  bool // somebody else's hook
	slow  bool
	large bool // the large half of a pair: not in the main table

	calls int
	took  []time.Duration
	rss   int64 // bytes, 0 = not known
}

// input is the next payload.
func (p *program) input() []byte {
	p.calls++
	return bytes.ReplaceAll(p.stdin, []byte("CALL"), []byte(strconv.Itoa(p.calls)))
}

// run measures one process, from before the fork to after the last byte.
func (p *program) run(ctx context.Context) (time.Duration, []byte, error) {
	cmd := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...)
	cmd.Dir, cmd.Env = p.dir, p.env
	cmd.Stdin = bytes.NewReader(p.input())
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
func (p *program) check(ctx context.Context) (time.Duration, error) {
	took, out, err := p.run(ctx)
	if err != nil {
		return 0, err
	}
	if !strings.Contains(string(out), p.want) {
		return 0, fmt.Errorf("%s: answered %q, which lacks %q", p.name, out, p.want)
	}
	return took, nil
}

func (p *program) median() time.Duration { return quantile(p.took, 50) }

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
		cmd.Stdin = bytes.NewReader(p.input())
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

// quantile returns the nearest-rank p-th percentile of ds.
func quantile(ds []time.Duration, p int) time.Duration {
	sorted := slices.Sorted(slices.Values(ds))
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}
