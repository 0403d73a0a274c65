package fsx

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// roleOf returns what this test binary does when it is started as a child, nil
// if it is not one.
func roleOf(name string) func(args []string) error {
	if name == "count" {
		return count
	}
	return systemRole(name)
}

const roleVar = "FSX_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := roleOf(os.Getenv(roleVar)); role != nil {
		if err := role(os.Args[1:]); err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child prepares this test binary in another role.
func child(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), roleVar+"="+role, "GORACE=atexit_sleep_ms=0")
	return cmd
}

func put(t *testing.T, path, content string, perm fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), perm); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, perm); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// names lists what a directory holds.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, 0, len(entries))
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func needsLinks(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege here")
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

func TestWriteFileReplacesAndLeavesNothingElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	for _, want := range []string{"first", "second, longer", ""} {
		if err := WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != want {
			t.Errorf("content = %q, want %q", got, want)
		}
		if diff := cmp.Diff([]string{"settings.json"}, names(t, dir)); diff != "" {
			t.Errorf("directory (-want +got):\n%s", diff)
		}
	}
}

func TestWriteFileKeepsTheModeOfTheOldFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such modes here")
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := mode(t, path).Perm(); got != 0o600 {
		t.Errorf("mode of a new file = %v, want 0600", got)
	}
	for _, perm := range []fs.FileMode{0o640, 0o755, 0o606} {
		put(t, path, "x", perm)
		if err := WriteFile(path, []byte("y"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := mode(t, path).Perm(); got != perm {
			t.Errorf("mode = %v, want %v", got, perm)
		}
	}
}

func TestWriteFileWritesThroughALink(t *testing.T) {
	needsLinks(t)
	dir := t.TempDir()
	real := filepath.Join(dir, "dotfiles")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(real, "settings.json"), "old", 0o644)
	path := filepath.Join(dir, "settings.json")
	link(t, "dotfiles/settings.json", path)
	if err := WriteFile(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if mode(t, path)&fs.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if got := content(t, filepath.Join(real, "settings.json")); got != "new" {
		t.Errorf("target = %q, want %q", got, "new")
	}
	if diff := cmp.Diff([]string{"settings.json"}, names(t, real)); diff != "" {
		t.Errorf("target's directory (-want +got):\n%s", diff)
	}
}

func TestWriteFileRefusesWhatIsNotAnOrdinaryFile(t *testing.T) {
	needsLinks(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put(t, at("one"), "kept", 0o600)
	if err := os.Link(at("one"), at("two")); err != nil {
		t.Fatal(err)
	}
	put(t, at("readonly"), "kept", 0o444)
	if err := os.Mkdir(at("dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	mkfifo(t, at("pipe"))
	link(t, "/dev/full", at("full"))
	link(t, at("pipe"), at("to-pipe"))
	for _, name := range []string{"one", "two", "readonly", "dir", "pipe", "full", "to-pipe"} {
		t.Run(name, func(t *testing.T) {
			before := mode(t, at(name))
			if err := WriteFile(at(name), []byte("new"), 0o600); !errors.Is(err, ErrRefused) {
				t.Errorf("error = %v, want ErrRefused", err)
			}
			if after := mode(t, at(name)); after != before {
				t.Errorf("mode = %v, was %v", after, before)
			}
		})
	}
	if got := content(t, at("one")); got != "kept" {
		t.Errorf("content = %q", got)
	}
}

func TestWriteFileSaysWhereItFailed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "settings.json")
	err := WriteFile(path, nil, 0o600)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("error = %v, want one that names %s", err, path)
	}
}

func TestWriteUnchangedStopsAtAnothersWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	stamp := func() Stamp {
		t.Helper()
		s, err := StampOf(path)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	absent := stamp()
	if err := WriteUnchanged(path, []byte("mine"), 0o600, absent); err != nil {
		t.Fatal(err)
	}
	if err := WriteUnchanged(path, []byte("again"), 0o600, absent); !errors.Is(err, ErrChanged) {
		t.Errorf("appeared: error = %v, want ErrChanged", err)
	}
	mine := stamp()
	put(t, path, "theirs", 0o600)
	if err := WriteUnchanged(path, []byte("again"), 0o600, mine); !errors.Is(err, ErrChanged) {
		t.Errorf("rewritten: error = %v, want ErrChanged", err)
	}
	theirs := stamp()
	if err := os.Chtimes(path, time.Now(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := WriteUnchanged(path, []byte("again"), 0o600, theirs); !errors.Is(err, ErrChanged) {
		t.Errorf("touched: error = %v, want ErrChanged", err)
	}
	touched := stamp()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := WriteUnchanged(path, []byte("again"), 0o600, touched); !errors.Is(err, ErrChanged) {
		t.Errorf("removed: error = %v, want ErrChanged", err)
	}
	if diff := cmp.Diff([]string{}, names(t, filepath.Dir(path))); diff != "" {
		t.Errorf("directory (-want +got):\n%s", diff)
	}
}

func TestReplaceLeavesOldOrNew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	for _, want := range []string{"first", "second"} {
		if err := Replace(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != want {
			t.Errorf("content = %q, want %q", got, want)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "taken"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(filepath.Join(dir, "taken"), nil, 0o600); err == nil {
		t.Error("a directory was replaced")
	}
	if diff := cmp.Diff([]string{"state", "taken"}, names(t, dir)); diff != "" {
		t.Errorf("directory (-want +got):\n%s", diff)
	}
}

func TestSpecialTellsKindsApart(t *testing.T) {
	needsLinks(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put(t, at("file"), "", 0o600)
	put(t, at("twice"), "", 0o600)
	if err := os.Link(at("twice"), at("same")); err != nil {
		t.Fatal(err)
	}
	link(t, "nowhere", at("link"))
	mkfifo(t, at("pipe"))
	for path, want := range map[string]Kind{
		at("file"):        Regular,
		at("twice"):       HardLinked,
		at("same"):        HardLinked,
		at("link"):        Symlink,
		at("pipe"):        FIFO,
		at("none"):        Absent,
		at("none/deeper"): Absent,
		dir:               Dir,
		os.DevNull:        Device,
	} {
		got, err := Special(path)
		if got != want || err != nil {
			t.Errorf("Special(%s) = %v, %v, want %v", path, got, err, want)
		}
	}
	if got, err := Special(at("file/under")); got != Unknown || err == nil {
		t.Errorf("Special below a file = %v, %v, want an error", got, err)
	}
}

func TestReadFileIsBoundedAndNeverWaits(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put(t, at("empty"), "", 0o600)
	put(t, at("ten"), "0123456789", 0o600)
	for _, tt := range []struct {
		name string
		max  int64
		want string
		err  error
	}{
		{"empty", 0, "", nil},
		{"ten", 10, "0123456789", nil},
		{"ten", 9, "", ErrTooLarge},
		{"none", 10, "", fs.ErrNotExist},
	} {
		got, err := OS{}.ReadFile(at(tt.name), tt.max)
		if string(got) != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("ReadFile(%s, %d) = %q, %v, want %q, %v", tt.name, tt.max, got, err, tt.want, tt.err)
		}
	}
	if _, err := (OS{}).ReadFile(dir, 10); err == nil {
		t.Error("a directory was read")
	}
	if runtime.GOOS == "windows" {
		return
	}
	mkfifo(t, at("pipe"))
	for _, name := range []string{at("pipe"), "/dev/zero"} {
		if _, err := (OS{}).ReadFile(name, 10); !errors.Is(err, ErrRefused) {
			t.Errorf("ReadFile(%s) error = %v, want ErrRefused", name, err)
		}
	}
	if runtime.GOOS != "linux" {
		return
	}
	// Files in /proc say that they are empty.
	got, err := OS{}.ReadFile("/proc/self/cmdline", 1<<20)
	if err != nil || !bytes.Contains(got, []byte(".test")) {
		t.Errorf("ReadFile(/proc/self/cmdline) = %q, %v", got, err)
	}
	if _, err := (OS{}).ReadFile("/proc/self/cmdline", 3); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error = %v, want ErrTooLarge", err)
	}
}

func TestRefreshTouchesOnlyWhatIsOld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	if did, err := Refresh(path, now, time.Hour); did || err != nil {
		t.Errorf("absent: %v, %v", did, err)
	}
	put(t, path, "x", 0o600)
	for _, tt := range []struct {
		age  time.Duration
		want bool
	}{{time.Minute, false}, {time.Hour, false}, {time.Hour + time.Second, true}} {
		if err := os.Chtimes(path, now, now.Add(-tt.age)); err != nil {
			t.Fatal(err)
		}
		did, err := Refresh(path, now, time.Hour)
		if did != tt.want || err != nil {
			t.Errorf("%v old: %v, %v, want %v", tt.age, did, err, tt.want)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.ModTime().Equal(now); got != tt.want {
			t.Errorf("%v old: time of change %v", tt.age, info.ModTime())
		}
	}
}
