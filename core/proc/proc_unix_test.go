//go:build unix

package proc

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shell is a run of a script with arguments $1 and so on.
func shell(script string, args ...string) Cmd {
	return Cmd{Argv: append([]string{"sh", "-c", script, "sh"}, args...), Env: []string{"PATH=/usr/bin:/bin"}}
}

// alive returns a pipe in the file system for processes to hold open, and a
// function that waits until none does.
func alive(t *testing.T) (path string, gone func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return path, func() {
		t.Helper()
		if err := r.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(r); err != nil {
			t.Errorf("a descendant lives on: %v", err)
		}
	}
}

func TestDescendantsDieWithTheProgram(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		timeout      time.Duration
		timedOut     bool
	}{
		{"when time is up", `exec 3>"$1"; sleep 300 & (sleep 300 & wait) & wait`, 300 * time.Millisecond, true},
		{"when it ignores signals", `exec 3>"$1"; trap "" TERM INT HUP; sleep 300 & wait`, 300 * time.Millisecond, true},
		{"when it has ended", `exec 3>"$1"; sleep 300 >/dev/null 2>&1 &`, 0, false},
		{"when they hold its output", `exec 3>"$1"; sleep 300 &`, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pipe, gone := alive(t)
			c := shell(tt.script, pipe)
			c.Timeout = tt.timeout
			if r := run(t, c); r.TimedOut != tt.timedOut {
				t.Errorf("result %+v", r)
			}
			gone()
		})
	}
}

func TestNothingOutlivesAProcessThatSettles(t *testing.T) {
	pipe, gone := alive(t)
	c := self(t, "settle", `exec 3>"$1"; trap "" TERM INT HUP; echo up >&3; sleep 300 & wait`, pipe)
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Env = c.Env
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	up, err := os.Open(pipe) // waits for the writer
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	if _, err := io.ReadFull(up, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	gone()
}

func TestADescendantOutsideTheGroupCannotStallUs(t *testing.T) {
	c := shell(`setsid sleep 300 & echo $!`)
	if _, err := LookPath("setsid", "/usr/bin:/bin"); err != nil {
		t.Skip("no setsid here")
	}
	r := run(t, c)
	pid, err := strconv.Atoi(strings.TrimSpace(string(r.Stdout)))
	if err != nil || r.ExitCode != 0 {
		t.Fatalf("result %+v", r)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

func TestASignalIsNamed(t *testing.T) {
	r := run(t, shell(`kill -TERM $$`))
	if r.Signal != "terminated" || r.ExitCode != -1 || r.TimedOut {
		t.Errorf("result %+v", r)
	}
}

func TestTheProgramLeadsItsOwnGroup(t *testing.T) {
	r := run(t, shell(`ps -o pgid= -p $$ 2>/dev/null || cut -d' ' -f5 /proc/$$/stat; echo $$`))
	f := strings.Fields(string(r.Stdout))
	if len(f) != 2 || f[0] != f[1] {
		t.Errorf("group and process: %q", f)
	}
}

func TestLookPathPassesOverWhatCannotRun(t *testing.T) {
	dir := t.TempDir()
	file := func(mode os.FileMode, parts ...string) string {
		t.Helper()
		path := filepath.Join(append([]string{dir}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho $0\n"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file(0o600, "plain", "tool")
	if err := os.MkdirAll(filepath.Join(dir, "folder", "tool"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := file(0o700, "good", "tool")
	file(0o700, "later", "tool")
	file(0o700, "rel", "tool")
	t.Chdir(dir)
	list := strings.Join([]string{"", ".", "rel", filepath.Join(dir, "none"), filepath.Join(dir, "plain"), filepath.Join(dir, "folder"), filepath.Join(dir, "good"), filepath.Join(dir, "later")}, ":")
	if got, err := LookPath("tool", list); got != want || err != nil {
		t.Errorf("LookPath = %s, %v, want %s", got, err, want)
	}
	if _, err := LookPath("tool", "rel:."); !errors.Is(err, ErrNotFound) {
		t.Errorf("error = %v, want ErrNotFound", err)
	}
	if r := run(t, Cmd{Argv: []string{"tool"}, Env: []string{"PATH=/nowhere", "PATH=" + list}}); strings.TrimSpace(string(r.Stdout)) != want {
		t.Errorf("ran %s", r.Stdout)
	}
	if r := run(t, Cmd{Argv: []string{"./tool"}, Dir: filepath.Join(dir, "later")}); r.ExitCode != 0 {
		t.Errorf("relative to Dir: %+v", r)
	}
	if r := run(t, Cmd{Argv: []string{"other-name", "-c", "echo $0"}, Path: "/bin/sh"}); strings.TrimSpace(string(r.Stdout)) != "other-name" {
		t.Errorf("Path: %+v", r)
	}
}

func TestManyRunsAtOnceDoNotMix(t *testing.T) {
	t.Run("group", func(t *testing.T) {
		for i := range 20 {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				want := strings.Repeat(strconv.Itoa(i), 5000)
				r, err := Run(context.Background(), Cmd{Argv: []string{"/bin/cat"}, Stdin: []byte(want)})
				if err != nil || string(r.Stdout) != want {
					t.Errorf("%v, %d bytes", err, len(r.Stdout))
				}
			})
		}
	})
}
