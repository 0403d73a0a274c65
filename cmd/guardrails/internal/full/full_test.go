package full

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain is also the full program that the tests start.
func TestMain(m *testing.M) {
	switch os.Getenv("FULL_TEST") {
	case "":
		os.Exit(m.Run())
	case "echo": // answers with its arguments and one line of its input, which stays open
		buf := make([]byte, 1<<20)
		n := 0
		for !bytes.HasSuffix(buf[:n], []byte("\n")) {
			k, err := os.Stdin.Read(buf[n:])
			if n += k; err != nil {
				os.Exit(3)
			}
		}
		fmt.Printf("%s %d", strings.Join(os.Args[1:], " "), n)
	case "fail":
		os.Exit(7)
	case "flood":
		for {
			if _, err := os.Stdout.Write(make([]byte, 1<<16)); err != nil {
				os.Exit(8)
			}
		}
	case "wait": // ends when who asked is gone, or is killed
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
	os.Exit(0)
}

func self(t *testing.T, mode string) string {
	t.Helper()
	t.Setenv("FULL_TEST", mode)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func TestTheAnswerOfTheFullProgramIsItsWholeOutput(t *testing.T) {
	payload := append(bytes.Repeat([]byte("x"), 300_000), '\n') // more than a pipe holds
	got, err := Ask(self(t, "echo"), []string{"hook", "--agent", "x y"}, payload, 1<<20, nil)
	if want := "hook --agent x y 300001"; err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func TestAProgramThatFailsGivesNoAnswer(t *testing.T) {
	for _, mode := range []string{"fail", "flood"} {
		if got, err := Ask(self(t, mode), nil, nil, 1<<20, nil); err == nil {
			t.Errorf("%s: %d bytes and no error", mode, len(got))
		}
	}
	if _, err := Ask(filepath.Join(t.TempDir(), "absent"), nil, nil, 1, nil); err == nil {
		t.Error("a program that is not there: no error")
	}
}

func TestStopEndsTheFullProgram(t *testing.T) {
	stop := make(chan struct{})
	close(stop)
	if _, err := Ask(self(t, "wait"), nil, nil, 1<<20, stop); err == nil {
		t.Error("no error")
	}
}

func TestTheSmallProgramIsWhoStartedUs(t *testing.T) {
	dir := t.TempDir()
	if got := Small(filepath.Join(dir, named("guardrails"))); got != filepath.Join(dir, named("guardrails")) {
		t.Errorf("got %q", got)
	}
	for _, arg0 := range []string{"guardrails", "guardrails-full", filepath.Join(dir, Name()), ""} {
		if got := Small(arg0); got != "" { // nothing stands beside a test binary
			t.Errorf("%q: got %q", arg0, got)
		}
	}
}
