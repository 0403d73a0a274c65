package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const roleVar = "PROC_TEST_ROLE"

// TestMain makes this test binary the program that the tests run.
func TestMain(m *testing.M) {
	arg := func(i int) string { return append(os.Args, "", "", "")[i] }
	switch os.Getenv(roleVar) {
	case "":
		os.Exit(m.Run())
	case "show":
		fmt.Printf("args %q\n", os.Args[1:])
		dir, _ := os.Getwd()
		fmt.Printf("dir %s\nenv %q\n", dir, os.Environ())
	case "cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
		fmt.Fprint(os.Stderr, "done")
	case "exit":
		code, _ := strconv.Atoi(arg(1))
		os.Exit(code)
	case "fill":
		n, _ := strconv.Atoi(arg(1))
		fmt.Print("begin", strings.Repeat(".", n), "end")
	case "flood":
		for {
			if _, err := os.Stdout.Write(make([]byte, 1<<16)); err != nil {
				os.Exit(1)
			}
		}
	case "ignore": // standard input
		fmt.Print("here")
	case "settle":
		go func() {
			_, _ = Run(context.Background(), Cmd{Argv: []string{"/bin/sh", "-c", arg(1), "sh", arg(2)}})
		}()
		_, _ = io.Copy(io.Discard, os.Stdin)
		Settle()
	case "hang":
		<-time.After(time.Hour) // it is killed
	}
	os.Exit(0)
}

// self is a run of this test binary in another role.
func self(t *testing.T, role string, args ...string) Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{roleVar + "=" + role, "GORACE=atexit_sleep_ms=0"}
	if runtime.GOOS == "windows" {
		env = append(env, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"))
	}
	return Cmd{Argv: append([]string{exe}, args...), Env: env}
}

func run(t *testing.T, c Cmd) Result {
	t.Helper()
	r, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAProgramSeesOnlyWhatItIsGiven(t *testing.T) {
	t.Setenv("PROC_TEST_OURS", "secret")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := self(t, "show", "a b", "", `"c"`)
	c.Dir = dir
	c.Env = append(c.Env, "X=1", "X=2")
	r := run(t, c)
	out := string(r.Stdout)
	for _, want := range []string{`args ["a b" "" "\"c\""]`, "dir " + dir, `"X=2"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "secret") || strings.Contains(out, `"PATH=`) {
		t.Errorf("something of ours was inherited:\n%s", out)
	}
	if runtime.GOOS != "windows" {
		if out := string(run(t, Cmd{Argv: []string{"/usr/bin/env"}}).Stdout); out != "" {
			t.Errorf("without Env it sees %q", out)
		}
	}
}

func TestInputAndBothOutputsPassThrough(t *testing.T) {
	for _, in := range []string{"", "x", strings.Repeat("long ", 100000)} {
		c := self(t, "cat")
		if in != "" { // nil is an empty input, not ours
			c.Stdin = []byte(in)
		}
		r := run(t, c)
		if string(r.Stdout) != in || string(r.Stderr) != "done" || r.ExitCode != 0 || r.Truncated || r.TimedOut || r.Signal != "" {
			t.Errorf("%d bytes in: %d out, result %+v", len(in), len(r.Stdout), Result{ExitCode: r.ExitCode, Stderr: r.Stderr, Truncated: r.Truncated, TimedOut: r.TimedOut, Signal: r.Signal})
		}
	}
}

func TestAProgramThatReadsNoInputIsFine(t *testing.T) {
	c := self(t, "ignore")
	c.Stdin = bytes.Repeat([]byte("x"), 1<<20)
	if r := run(t, c); string(r.Stdout) != "here" || r.ExitCode != 0 {
		t.Errorf("result %+v", r)
	}
}

func TestAFailureIsAResult(t *testing.T) {
	for _, code := range []int{0, 1, 2, 42} {
		if r := run(t, self(t, "exit", strconv.Itoa(code))); r.ExitCode != code || r.Signal != "" {
			t.Errorf("result %+v, want code %d", r, code)
		}
	}
}

func TestOutputKeepsBeginningAndEnd(t *testing.T) {
	c := self(t, "fill", "1000000")
	c.MaxOutput = 100
	r := run(t, c)
	out := string(r.Stdout)
	if !r.Truncated || !strings.HasPrefix(out, "begin...") || !strings.HasSuffix(out, "...end") || !strings.Contains(out, "\n[999908 bytes left out]\n") || len(out) > 150 {
		t.Errorf("truncated %v, output %q", r.Truncated, out)
	}
}

func TestAProgramThatMayPrintNoMoreIsKilled(t *testing.T) {
	c := self(t, "flood")
	c.MaxOutput, c.NoMore = 1000, true
	if r := run(t, c); !r.Truncated || r.TimedOut || r.ExitCode != -1 {
		t.Errorf("truncated %v, timed out %v, code %d", r.Truncated, r.TimedOut, r.ExitCode)
	}
	c = self(t, "fill", "900")
	c.MaxOutput, c.NoMore = 1000, true
	if r := run(t, c); r.Truncated || r.ExitCode != 0 {
		t.Errorf("truncated %v, code %d", r.Truncated, r.ExitCode)
	}
}

func TestCaptureKeepsExactlyTheTwoEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		max := rapid.IntRange(1, 40).Draw(t, "max")
		c := newCapture(max)
		var all []byte
		for _, p := range rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 60)).Draw(t, "writes") {
			if n, err := c.Write(p); n != len(p) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
			all = append(all, p...)
		}
		want := string(all)
		if len(all) > max {
			head, tail := (max+1)/2, max/2
			want = fmt.Sprintf("%s\n[%d bytes left out]\n%s", all[:head], len(all)-max, all[len(all)-tail:])
		}
		if diff := cmp.Diff(want, string(c.bytes())); diff != "" {
			t.Fatalf("max %d (-want +got):\n%s", max, diff)
		}
	})
}

func TestTimeRunsOut(t *testing.T) {
	c := self(t, "hang")
	c.Timeout = 300 * time.Millisecond
	if r := run(t, c); !r.TimedOut || r.ExitCode != -1 {
		t.Errorf("Timeout: result %+v", r)
	}
	c.Timeout = 0
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if r, err := Run(ctx, c); err != nil || !r.TimedOut {
		t.Errorf("deadline: result %+v, %v", r, err)
	}
	// Over before it began.
	if r, err := Run(ctx, c); err != nil || !r.TimedOut {
		t.Errorf("past deadline: result %+v, %v", r, err)
	}
}

func TestACancelledRunHasNoResult(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	for range 2 { // while it runs, and before it begins
		if _, err := Run(ctx, self(t, "hang")); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v, want Canceled", err)
		}
	}
}

func TestWhatIsNotThereIsSaid(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []Cmd{
		{Argv: []string{"no-such-program"}, Env: []string{"PATH=" + dir}},
		{Argv: []string{filepath.Join(dir, "no-such-program")}},
		{Argv: []string{"./no-such-program"}, Dir: dir},
	} {
		_, err := Run(context.Background(), c)
		if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), c.Argv[0]) {
			t.Errorf("error = %v, want ErrNotFound with %s", err, c.Argv[0])
		}
	}
	if _, err := Run(context.Background(), Cmd{}); err == nil {
		t.Error("ran nothing")
	}
}
