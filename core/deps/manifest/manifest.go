// Package manifest reads the dependencies that a manifest declares, and what an
// edit adds to them. It owns the formats of manifests.
//
// It is given bytes and reads no files. It must not import a client, a cache or
// a gate.
package manifest

import "github.com/ec261362/guardrails/core/deps/coord"

// Known reports whether path names a manifest that Diff reads. It looks at the
// path only. Lockfiles and what lies in vendored folders are not known.
func Known(path string) bool { return false }

// Diff returns the packages that after declares and before does not, or with
// another version, and what was added but cannot be looked up. Order, formatting,
// comments and the move from one section to another are no change. A manifest
// that cannot be read is unchecked.
func Diff(path string, before, after []byte) ([]coord.Package, []coord.Unchecked) { return nil, nil }

// Declared returns all packages that a manifest declares.
func Declared(path string, content []byte) ([]coord.Package, []coord.Unchecked) {
	return Diff(path, nil, content)
}
