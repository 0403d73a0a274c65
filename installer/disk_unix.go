//go:build !windows

package installer

import (
	"os"
	"syscall"
)

func replaceExecutable(tmp, path string) error {
	return os.Rename(tmp, path) //nolint:forbidigo // the file is ours, new and already synced
}

// ownerOf returns the owner of a file, -1 if it cannot be told.
func ownerOf(path string) int {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(st.Uid)
}
