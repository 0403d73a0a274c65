//go:build unix

package policy

import (
	"io/fs"
	"syscall"
)

// shared reports whether a file has more than one name.
func shared(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}
