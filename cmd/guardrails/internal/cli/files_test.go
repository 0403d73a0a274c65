package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
)

func TestAnUnreadableFileIsSaidInWords(t *testing.T) {
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "x")
	a := &app{dir: dir}
	for _, tt := range []struct {
		what, name string
		err        error
		want       string
	}{
		{"", "a b.txt", &fs.PathError{Op: "open", Path: "a b.txt", Err: fs.ErrNotExist}, "a b.txt: no such file in " + dir + "; name one that is there"},
		{"--schema", elsewhere, &fs.PathError{Op: "open", Path: elsewhere, Err: fs.ErrNotExist}, "--schema " + elsewhere + ": no such file; name one that is there"},
		{"--report", "x", fmt.Errorf("read report: %w", &fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}), "--report x: permission denied; make it readable for your user"},
		{"", "x\x1b[2J", &fs.PathError{Op: "open", Path: "x", Err: errors.New("input/output error")}, `"x\x1b[2J": input/output error`},
		{"", dir, errors.New("refused"), dir + ": it is a folder; name a file"},
		{"", "x", errors.New("larger than 1 MiB"), "x: larger than 1 MiB"},
	} {
		got := a.unreadable(tt.what, tt.name, tt.err)
		if got.Error() != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
		if !errors.Is(got, tt.err) {
			t.Errorf("%s: it is not the error that it came from", got)
		}
	}
}
