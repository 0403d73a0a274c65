//go:build unix

package hosttest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// program writes a shell script that stands for the host program.
func program(t *testing.T, script string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "host")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestARunSeesNothingOfThisMachine(t *testing.T) {
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "someone's")
	t.Setenv("CLAUDE_CONFIG_DIR", "/someone's")
	home, dir := t.TempDir(), t.TempDir()
	r, err := Run(context.Background(), Claude{
		Bin: program(t, "env; pwd; cat; printf '%s|' \"$@\" >&2; exit 3"), Dir: dir, Home: home, BaseURL: "http://127.0.0.1:1",
		Env: []string{"EXTRA=1", "LANG=de"}, Args: []string{"--model", "x"}, Prompt: "do it",
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.ExitCode != 3 {
		t.Errorf("exit code %d", r.ExitCode)
	}
	if diff := cmp.Diff("--model|x|-p|do it|", string(r.Stderr)); diff != "" {
		t.Error(diff)
	}
	out := string(r.Stdout)
	for _, want := range []string{
		"HOME=" + home + "\n", "ANTHROPIC_BASE_URL=http://127.0.0.1:1\n", "HTTPS_PROXY=http://127.0.0.1:1\n", "EXTRA=1\n", "LANG=de\n",
		"TMPDIR=" + filepath.Join(home, "tmp") + "\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "someone's") {
		t.Errorf("a run sees this machine's environment:\n%s", out)
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, resolved+"\n") && !strings.Contains(out, dir+"\n") {
		t.Errorf("not started in %s:\n%s", dir, out)
	}
}

func TestAStreamingRunIsParsed(t *testing.T) {
	r, err := Run(context.Background(), Claude{
		Bin: program(t, `echo '{"type":"result","result":"'"$*"'"}'`), Dir: t.TempDir(), Home: t.TempDir(), Prompt: "p", Stream: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if l, _ := r.Final(); l.Result != "--output-format stream-json --verbose -p p" {
		t.Errorf("result %q", l.Result)
	}
	_, err = Run(context.Background(), Claude{
		Bin: program(t, "echo broken; echo why >&2"), Dir: t.TempDir(), Home: t.TempDir(), Prompt: "p", Stream: true,
	})
	if err == nil || !strings.Contains(err.Error(), "line 1") || !strings.Contains(err.Error(), "why") {
		t.Errorf("err = %v", err)
	}
}

func TestAProgramThatIsNotThereIsAnError(t *testing.T) {
	_, err := Run(context.Background(), Claude{Bin: filepath.Join(t.TempDir(), "gone"), Dir: t.TempDir(), Home: t.TempDir()})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
}

// alive reports whether pid is a running process: a zombie that waits for its
// parent is not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return !os.IsNotExist(err) || runtime.GOOS != "linux"
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestNoProcessOutlivesARun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes in sessions of their own are found on Linux only")
	}
	pids := filepath.Join(t.TempDir(), "pids")
	r, err := Run(context.Background(), Claude{
		Bin: program(t, `
setsid sh -c 'trap "" TERM HUP; echo $$ >> "`+pids+`"; exec sleep 600' >/dev/null 2>&1 &
sh -c 'echo $$ >> "`+pids+`"; exec sleep 600' &
while [ "$(wc -l < "`+pids+`" 2>/dev/null || echo 0)" -lt 2 ]; do :; done
`), Dir: t.TempDir(), Home: t.TempDir(),
	})
	if err != nil || r.ExitCode != 0 {
		t.Fatalf("%d %v %s", r.ExitCode, err, r.Stderr)
	}
	raw, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(raw))
	if len(lines) != 2 {
		t.Fatalf("pids: %q", raw)
	}
	for _, l := range lines {
		pid, err := strconv.Atoi(l)
		if err != nil {
			t.Fatal(err)
		}
		if alive(pid) {
			t.Errorf("process %d lives on", pid)
		}
	}
}

func TestARunPastItsDeadlineIsEnded(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "started")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		_, _ = os.ReadFile(fifo) // returns when the program has written
	}()
	_, err := Run(ctx, Claude{Bin: program(t, `echo said; echo x > "`+fifo+`"; exec sleep 600`), Dir: dir, Home: t.TempDir()})
	if !errors.Is(err, ErrDeadline) || !strings.Contains(err.Error(), "said") {
		t.Errorf("err = %v", err)
	}
}

func TestAGeminiRunSeesNothingOfThisMachine(t *testing.T) {
	t.Setenv("GEMINI_CLI_HOME", "/someone's")
	t.Setenv("GOOGLE_API_KEY", "someone's")
	home := t.TempDir()
	g := Gemini{
		Bin: program(t, "env; cat \"$HOME/.gemini/settings.json\"; printf '%s|' \"$@\" >&2"), Dir: t.TempDir(), Home: home, BaseURL: "http://127.0.0.1:1",
		Env: []string{"EXTRA=1"}, Args: []string{"--approval-mode", "yolo"}, Prompt: "do it",
	}
	r, err := Run(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("--approval-mode|yolo|-m|gemini-2.5-flash|-p|do it|", string(r.Stderr)); diff != "" {
		t.Error(diff)
	}
	out := string(r.Stdout)
	for _, want := range []string{
		"HOME=" + home + "\n", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1\n", "HTTPS_PROXY=http://127.0.0.1:1\n", "EXTRA=1\n", "GEMINI_API_KEY=dummy\n", GeminiSettings,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "someone's") {
		t.Errorf("a run sees this machine's environment:\n%s", out)
	}

	const own = `{"own": true}`
	if err := os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	g.Prompt, g.Stream = "", true
	if r, err = Run(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	if string(r.Stderr) != "--approval-mode|yolo|" || !strings.Contains(string(r.Stdout), own) {
		t.Errorf("a home's own settings are lost, or a prompt is made up: %q\n%s", r.Stderr, r.Stdout)
	}
}
