package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestMemoAsksOnceAndSaysTheSame(t *testing.T) {
	dir := t.TempDir()
	file, link, none := filepath.Join(dir, "f"), filepath.Join(dir, "l"), filepath.Join(dir, "none")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	m := NewMemo()
	check := func(when string) {
		t.Helper()
		if i, err := m.Lstat(link); err != nil || i.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s: Lstat %v, %v", when, i, err)
		}
		if i, err := m.Stat(link); err != nil || !i.Mode().IsRegular() {
			t.Errorf("%s: Stat %v, %v", when, i, err)
		}
		if to, err := m.Readlink(link); err != nil || to != file {
			t.Errorf("%s: Readlink %q, %v", when, to, err)
		}
		if _, err := m.Lstat(none); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: Lstat of nothing: %v", when, err)
		}
	}
	check("first")
	for _, p := range []string{file, link} {
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
	}
	check("remembered")
}
