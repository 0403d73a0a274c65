package fsx

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"syscall"
	"time"
)

const openNonblock = 0

func links(path string, _ fs.FileInfo) (uint64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var d syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &d); err != nil {
		return 0, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return uint64(d.NumberOfLinks), nil
}

// Errors of a rename that meets a reader or a scanner which holds the file.
const (
	errAccessDenied     = syscall.Errno(5)
	errSharingViolation = syscall.Errno(32)
	errLockViolation    = syscall.Errno(33)
)

// rename replaces to, waiting up to a second for others to let go of it: a file
// that is open elsewhere cannot be replaced here.
func rename(from, to string) error {
	const patience = time.Second
	for begin, pause := time.Now(), time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := os.Rename(from, to)
		if err == nil {
			return nil
		}
		e, ok := errnoOf(err)
		if !ok || (e != errAccessDenied && e != errSharingViolation && e != errLockViolation) || time.Since(begin) > patience {
			return err
		}
		time.Sleep(pause/2 + rand.N(pause))
	}
}
