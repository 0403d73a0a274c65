package run

import (
	"os"
	"path/filepath"
	"time"
)

// bornAt is when a file was last written: one that was there before the run and
// that the run wrote again changes the digest by its content.
func bornAt(name string) (time.Time, bool) {
	st, err := os.Lstat(filepath.FromSlash(name))
	if err != nil {
		return time.Time{}, false
	}
	return st.ModTime(), true
}
