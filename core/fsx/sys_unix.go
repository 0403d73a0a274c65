//go:build unix

package fsx

import (
	"io/fs"
	"os"
	"syscall"
)

// openNonblock makes the open of a pipe without a writer return at once.
const openNonblock = syscall.O_NONBLOCK

func links(_ string, info fs.FileInfo) (uint64, error) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1, nil
	}
	return uint64(st.Nlink), nil //nolint:unconvert // its width differs between systems
}

// keepOwner gives f, which is to become path, the owner of the file it
// replaces, or, if there is none, of its directory: a run under sudo must not
// take a user's file away from them. Only root can, so others do nothing.
func keepOwner(f *os.File, old fs.FileInfo, dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	if old == nil {
		var err error
		if old, err = os.Stat(dir); err != nil {
			return err
		}
	}
	st, ok := old.Sys().(*syscall.Stat_t)
	if !ok || (st.Uid == 0 && st.Gid == 0) {
		return nil
	}
	return f.Chown(int(st.Uid), int(st.Gid))
}

func rename(from, to string) error { return os.Rename(from, to) }

// syncDir makes a rename inside dir survive a power loss. Some file systems
// cannot do it; the rename stands all the same.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !unsupported(err) {
		return err
	}
	return nil
}

func unsupported(err error) bool {
	e, ok := errnoOf(err)
	return ok && (e == syscall.EINVAL || e == syscall.ENOTSUP || e == syscall.ENOSYS || e == syscall.EBADF)
}
