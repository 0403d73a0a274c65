package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxHops is how many symbolic links one path may lead through.
const maxHops = 16

// Resolve returns the absolute path that path leads to once every symbolic
// link in it, directories included, is followed as the system does: a relative
// link counts from the real directory that it stands in. What does not exist
// yet is kept as named. A link to something missing is good only if the
// directory of its target exists, so that writing through it can succeed. A
// cycle, more than 16 links and an unreadable part are errors.
func Resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		wd, err := os.Getwd()
		if err != nil {
			return "", fmt.Errorf("resolve %s: %w", path, err)
		}
		path = wd + string(filepath.Separator) + path
	}
	vol, todo := split(path)
	done := vol + string(filepath.Separator)
	hops := 0
	// A link's own parts stand in todo before the parts that followed it;
	// after says how many of those the outermost open link had.
	after := -1
	var link string
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, part)
		info, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			if after >= 0 && len(todo) > after {
				return "", fmt.Errorf("resolve %s: %s is a dangling link, and the directory of its target does not exist: %w", path, link, fs.ErrNotExist)
			}
			return filepath.Join(append([]string{next}, todo...)...), nil
		}
		if err != nil {
			return "", fmt.Errorf("resolve %s: %w", path, err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if hops++; hops > maxHops {
			return "", fmt.Errorf("resolve %s: more than %d symbolic links, or a cycle at %s", path, maxHops, next)
		}
		to, err := os.Readlink(next)
		if err != nil {
			return "", fmt.Errorf("resolve %s: %w", path, err)
		}
		if after < 0 || len(todo) < after {
			after, link = len(todo), next
		}
		v, parts := split(to)
		if filepath.IsAbs(to) {
			done = v + string(filepath.Separator)
		} else if v != "" || strings.HasPrefix(to, string(filepath.Separator)) {
			// Windows: relative to a drive or to its root.
			done = filepath.VolumeName(done) + string(filepath.Separator)
		}
		todo = append(parts, todo...)
	}
	return done, nil
}

// split cuts a path into its volume and its parts, without cleaning: "a/../b"
// through a link is not "b".
func split(path string) (vol string, parts []string) {
	vol = filepath.VolumeName(path)
	return vol, strings.FieldsFunc(path[len(vol):], func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}
