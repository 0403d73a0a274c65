//go:build !unix

package policy

import "io/fs"

// shared reports whether a file may have more than one name; nothing says so
// here.
func shared(fi fs.FileInfo) bool { return fi.Sys() != nil }
