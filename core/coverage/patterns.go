package coverage

import (
	"fmt"
	"path"
	"strings"
)

// Patterns returns a function that reports whether a file matches one of some
// patterns: a path from the root, a folder for all below it, * for part of a
// name, ** for any number of folders.
func Patterns(patterns []string) (func(file string) bool, error) {
	split := make([][]string, len(patterns))
	for i, p := range patterns {
		q := strings.Trim(strings.ReplaceAll(p, `\`, "/"), "/")
		q = strings.TrimPrefix(path.Clean(q), "./")
		if q == "" || q == "." || q == ".." || strings.HasPrefix(q, "../") {
			return nil, fmt.Errorf("pattern %q names nothing below the root", p)
		}
		split[i] = strings.Split(q, "/")
		for _, part := range split[i] {
			if _, err := path.Match(part, ""); err != nil {
				return nil, fmt.Errorf("pattern %q: %w", p, err)
			}
		}
	}
	return func(file string) bool {
		parts := strings.Split(file, "/")
		for _, p := range split {
			if matches(p, parts) {
				return true
			}
		}
		return false
	}, nil
}

// matches reports whether a pattern matches a path or a folder above it.
func matches(pattern, parts []string) bool {
	if len(pattern) == 0 {
		return true
	}
	if pattern[0] == "**" {
		for i := range len(parts) + 1 {
			if matches(pattern[1:], parts[i:]) {
				return true
			}
		}
		return false
	}
	if len(parts) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], parts[0])
	return err == nil && ok && matches(pattern[1:], parts[1:])
}
