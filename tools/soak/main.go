// Command soak has the product's binary live through what a developer's machine
// does to it: very many hooks at once on one session, killed at any moment; a
// full disk, a home that cannot be written, a clock that jumps; files of its own
// that are cut, scrambled or replaced by something else.
//
// It asks three things. What was acknowledged is there afterwards, found by a
// reader of its own: this program parses the files itself and must not import
// the product. Nothing is refused that should not be, and what is dangerous
// always is. Where something could not be kept, somebody is told.
//
// It exits 1 if an answer to one of them is no.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// options are how hard to try.
type options struct {
	bin     string
	workers int
	events  int // of each worker
	kill    int // per cent of the calls
	only    string
	seed    uint64
}

func main() {
	var o options
	flag.StringVar(&o.bin, "bin", filepath.Join("bin", "guardrails"), "the binary")
	flag.IntVar(&o.workers, "workers", 60, "hooks at once")
	flag.IntVar(&o.events, "events", 200, "events of each worker; 1000 is the long run")
	flag.IntVar(&o.kill, "kill", 5, "per cent of the calls that are killed at a random moment")
	flag.StringVar(&o.only, "only", "", "scenes to play, comma-separated; empty plays all")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "of the random choices")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := soak(ctx, o, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// scene is one thing that happens to the product.
type scene struct {
	name string
	play func(context.Context, *stage, *result) error
}

var scenes = [...]scene{
	{"endurance", endurance},
	{"full disk", fullDisk},
	{"read-only home", readOnlyHome},
	{"clock jumps", clockJumps},
	{"damaged state", damagedState},
	{"damaged ledger", damagedLedger},
	{"damaged receipts", damagedReceipts},
}

// errNotHere is wrapped by a scene that cannot be played on this machine.
var errNotHere = errors.New("not played")

// result is what came of a scene.
type result struct {
	how      string // in which way it was brought about
	calls    int    // hooks started
	killed   int
	answered int // by a complete answer and exit 0
	kept     int // facts that were acknowledged, looked for and found
	told     int // notices to the human and lapses in the log
	notes    []string
	problems []string
}

// most is how many problems of one scene are printed.
const most = 12

func (r *result) problem(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func (r *result) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func soak(ctx context.Context, o options, out io.Writer) (bool, error) {
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return false, err
	}
	if _, err := os.Stat(bin); err != nil {
		return false, fmt.Errorf("%w (make build makes it)", err)
	}
	fmt.Fprintf(out, "seed %d, %d workers, %d events each, %d %% killed\n", o.seed, o.workers, o.events, o.kill)
	good := true
	for _, s := range scenes {
		if o.only != "" && !strings.Contains(","+o.only+",", ","+s.name+",") {
			continue
		}
		dir, err := os.MkdirTemp("", "guardrails-soak")
		if err != nil {
			return false, err
		}
		st := &stage{options: o, bin: bin, dir: dir}
		var r result
		began := time.Now()
		err = s.play(ctx, st, &r)
		if rerr := os.RemoveAll(dir); err == nil {
			err = rerr
		}
		if errors.Is(err, errNotHere) {
			fmt.Fprintf(out, "\n%s: %v\n", s.name, err)
			continue
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", s.name, err)
		}
		r.print(out, s.name, time.Since(began))
		good = good && len(r.problems) == 0
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return good, nil
}

func (r *result) print(out io.Writer, name string, took time.Duration) {
	word := "good"
	if len(r.problems) > 0 {
		word = fmt.Sprintf("%d PROBLEMS", len(r.problems))
	}
	fmt.Fprintf(out, "\n%s: %s (%.1f s)\n", name, word, took.Seconds())
	if r.how != "" {
		fmt.Fprintf(out, "  by %s\n", r.how)
	}
	fmt.Fprintf(out, "  %d calls, %d killed, %d answered; %d acknowledged facts found again; %d times told\n", r.calls, r.killed, r.answered, r.kept, r.told)
	for _, n := range r.notes {
		fmt.Fprintln(out, "  "+n)
	}
	for i, p := range r.problems {
		if i == most {
			fmt.Fprintf(out, "  … and %d more\n", len(r.problems)-most)
			break
		}
		fmt.Fprintln(out, "  PROBLEM: "+p)
	}
}
