//go:build unix

package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// systemRole names what the children of this file's tests do.
func systemRole(name string) func([]string) error {
	switch name {
	case "write as nobody":
		return unprivileged(WriteFile)
	case "replace as nobody":
		return unprivileged(Replace)
	case "write too much":
		return limited(WriteFile)
	case "replace too much":
		return limited(Replace)
	case "die":
		return dieAt
	case "flip":
		return flip
	}
	return nil
}

type writer = func(path string, data []byte, perm fs.FileMode) error

func unprivileged(write writer) func([]string) error {
	return func(args []string) error {
		if err := syscall.Setgid(nobody); err != nil {
			return err
		}
		if err := syscall.Setuid(nobody); err != nil {
			return err
		}
		return write(args[0], []byte("new"), 0o600)
	}
}

// limited fails a write half way, as a full disk does.
func limited(write writer) func([]string) error {
	return func(args []string) error {
		limit := syscall.Rlimit{Cur: 4096, Max: 4096}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		return write(args[0], make([]byte, 10000), 0o600)
	}
}

// dieAt writes a file and is killed once the named step is done.
func dieAt(args []string) error {
	return write(args[0], []byte(args[1]), 0o600, nil, func(step string) {
		if step == args[2] {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	})
}

// flip replaces a file over and over, always with one digit throughout.
func flip(args []string) error {
	for i := 0; ; i++ {
		if err := Replace(args[0], []byte(strings.Repeat(fmt.Sprint(i%10), 20000)), 0o600); err != nil {
			return err
		}
		if i == 0 {
			fmt.Println("going")
		}
	}
}

// nobody is a user without any right.
const nobody = 65534

// open makes a directory that every user can read, and only root can write.
func open(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "fsx") //nolint:usetesting // t.TempDir is closed to other users
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestWritesInAReadOnlyDirectoryFailCleanly(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to become nobody")
	}
	for _, role := range []string{"write as nobody", "replace as nobody"} {
		t.Run(role, func(t *testing.T) {
			dir := open(t)
			path := filepath.Join(dir, "settings.json")
			put(t, path, "old", 0o666)
			out, err := child(t, role, path).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "permission denied") || !strings.Contains(string(out), dir) {
				t.Errorf("%v, printed %q, want a permission error that names the place", err, out)
			}
			if got := content(t, path); got != "old" {
				t.Errorf("content = %q", got)
			}
			if diff := cmp.Diff([]string{"settings.json"}, names(t, dir)); diff != "" {
				t.Errorf("directory (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRootLeavesAUsersFileToItsUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	dir := t.TempDir()
	theirs := filepath.Join(dir, "theirs")
	put(t, theirs, "old", 0o640)
	if err := os.Chown(theirs, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{theirs, filepath.Join(home, "new")} {
		if err := WriteFile(path, []byte("new"), 0o640); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		st := info.Sys().(*syscall.Stat_t)
		if st.Uid != nobody || st.Gid != nobody || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: owner %d:%d, mode %v", path, st.Uid, st.Gid, info.Mode())
		}
	}
}

func TestAFullDiskLeavesTheOldContent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	put(t, path, "old", 0o600)
	for _, role := range []string{"write too much", "replace too much"} {
		cmd := child(t, role, path)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), syscall.EFBIG.Error()) {
			t.Errorf("%s: %v, printed %q, want the system's error", role, err, out)
		}
		if got := content(t, path); got != "old" {
			t.Errorf("%s: content = %.20q", role, got)
		}
		if diff := cmp.Diff([]string{"f"}, names(t, dir)); diff != "" {
			t.Errorf("%s: directory (-want +got):\n%s", role, diff)
		}
	}
}

func TestKilledAtAnyStepLeavesOldOrNewNeverHalf(t *testing.T) {
	old, fresh := strings.Repeat("old ", 5000), strings.Repeat("new! ", 9000)
	for step, want := range map[string]string{"created": old, "half written": old, "written": old, "renamed": fresh} {
		t.Run(step, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			put(t, path, old, 0o600)
			err := child(t, "die", path, fresh, step).Run()
			var exit interface{ Sys() any }
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("the child was not killed at %q: %v", step, err)
			}
			if got := content(t, path); got != want {
				t.Errorf("content is neither: %d bytes, %.20q", len(got), got)
			}
			// What the dead one left does not stand in the way of the next.
			if err := WriteFile(path, []byte("next"), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := content(t, path); got != "next" {
				t.Errorf("next content = %.20q", got)
			}
		})
	}
}

func TestReplaceKilledAtRandomNeverLeavesHalf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for range 15 {
		cmd := child(t, "flip", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		whole := func() {
			got := content(t, path)
			if len(got) != 20000 || strings.Trim(got, got[:1]) != "" {
				t.Fatalf("torn: %d bytes", len(got))
			}
		}
		for range 20 {
			whole() // while it is being replaced
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait() // it was killed
		whole()
	}
}
