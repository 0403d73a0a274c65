package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestResolveFollowsLinksAsTheSystemDoes(t *testing.T) {
	needsLinks(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, d := range []string{"real/deep", "other"} {
		if err := os.MkdirAll(at(d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(t, at("real/deep/file"), "", 0o600)
	put(t, at("real/file"), "", 0o600)
	link(t, "real/deep", at("dir"))             // a directory
	link(t, "../file", at("real/deep/up"))      // counts from the real directory
	link(t, at("real/file"), at("absolute"))    // an absolute one
	link(t, "dir/up", at("chain"))              // a link through a link
	link(t, "other/new", at("dangling"))        // its directory is there
	link(t, "nowhere/new", at("lost"))          // its directory is not
	link(t, "lost", at("to-lost"))              //
	link(t, "other/newdir", at("dangling-dir")) //
	link(t, "dangling-dir/x", at("into-newdir"))
	link(t, "loop-b", at("loop-a"))
	link(t, "loop-a", at("loop-b"))
	link(t, "self", at("self"))
	link(t, at("real/file"), at("hop0"))
	for i := range maxHops {
		link(t, fmt.Sprintf("hop%d", i), at(fmt.Sprintf("hop%d", i+1)))
	}
	raw := func(rest string) string { return dir + "/" + rest }
	for _, tt := range []struct {
		path, want string
	}{
		{raw("real/file"), at("real/file")},
		{raw("dir/file"), at("real/deep/file")},
		{raw("dir/up"), at("real/file")},
		{raw("dir/../file"), at("real/file")}, // not dir/file: .. is the real parent
		{raw("absolute"), at("real/file")},
		{raw("chain"), at("real/file")},
		{raw("dangling"), at("other/new")},
		{raw("dangling-dir"), at("other/newdir")},
		{raw("dangling-dir/settings.json"), at("other/newdir/settings.json")},
		{raw("not/yet/there"), at("not/yet/there")},
		{raw("dir/not/yet"), at("real/deep/not/yet")},
		{raw("./real//deep/./file"), at("real/deep/file")},
		{raw("real/deep/"), at("real/deep")},
		{raw(fmt.Sprintf("hop%d", maxHops-1)), at("real/file")},
		{"/", "/"},
	} {
		if got, err := Resolve(tt.path); got != tt.want || err != nil {
			t.Errorf("Resolve(%s) = %s, %v, want %s", tt.path, got, err, tt.want)
		}
	}
	for _, path := range []string{"lost", "to-lost", "into-newdir", "loop-a", "self", "self/x", fmt.Sprintf("hop%d", maxHops), "real/file/below"} {
		if got, err := Resolve(raw(path)); err == nil {
			t.Errorf("Resolve(%s) = %s, want an error", path, got)
		}
	}
	if _, err := Resolve(raw("lost")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want ErrNotExist", err)
	}
	t.Chdir(at("other"))
	if got, err := Resolve("../dir/file"); got != at("real/deep/file") || err != nil {
		t.Errorf("relative: %s, %v", got, err)
	}
}
