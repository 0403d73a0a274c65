package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// ErrChanged is wrapped by WriteUnchanged when somebody else wrote the file.
var ErrChanged = errors.New("changed by somebody else")

// Stamp identifies one state of a file by its size, time of change and
// identity. The zero Stamp is a file that is not there.
type Stamp struct {
	info fs.FileInfo
}

// StampOf returns the stamp of what path leads to now.
func StampOf(path string) (Stamp, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Stamp{}, nil
	}
	return Stamp{info}, err
}

// Same reports whether both stamps are of the same file in the same state.
func (s Stamp) Same(o Stamp) bool {
	if s.info == nil || o.info == nil {
		return s.info == nil && o.info == nil
	}
	return s.info.Size() == o.info.Size() && s.info.ModTime().Equal(o.info.ModTime()) && os.SameFile(s.info, o.info)
}

// WriteFile replaces a user's file durably: whatever happens, power loss
// included, path holds the old content or the new. A symbolic link is written
// through and survives. The old file's mode stays, and, for root, its owner; a
// new file gets perm less the umask, and, for root, the owner of its directory.
// Extended attributes are not kept. The directory must exist.
//
// Directories, pipes, devices, files with several hard links and files without
// any write permission are ErrRefused.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return write(path, data, perm, nil, nil)
}

// WriteUnchanged is WriteFile, but fails with ErrChanged, writing nothing, if
// path is no longer in the state was. It looks just before the rename; what
// happens in the microseconds after is lost.
func WriteUnchanged(path string, data []byte, perm fs.FileMode, was Stamp) error {
	return write(path, data, perm, &was, nil)
}

// write does the work of WriteFile. step, if given, hears the name of each
// step once it is done; tests use it to die there.
func write(path string, data []byte, perm fs.FileMode, was *Stamp, step func(string)) error {
	if step == nil {
		step = func(string) {}
	}
	target, err := Resolve(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	old, err := replaceable(target)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := replaceDurably(target, data, perm, old, was, step); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// replaceable returns what is at path now, nil if nothing is, or says why it
// must stay.
func replaceable(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	kind, err := kindOf(path, info)
	switch {
	case err != nil:
		return nil, err
	case kind != Regular:
		return nil, fmt.Errorf("%w: it is a %s; only a regular file can be replaced", ErrRefused, kind)
	case info.Mode().Perm()&0o222 == 0:
		return nil, fmt.Errorf("%w: it is read-only; make it writable first", ErrRefused)
	}
	return info, nil
}

func unchanged(path string, was *Stamp) error {
	if was == nil {
		return nil
	}
	now, err := StampOf(path)
	if err != nil {
		return err
	}
	if !now.Same(*was) {
		return ErrChanged
	}
	return nil
}

// Replace replaces a file of our own: a reader sees the old content or the new,
// also when we are killed, but a power loss may leave it empty or torn. It is
// for state that is checked when read. perm is less the umask, and links are
// replaced, not followed. The directory must exist.
func Replace(path string, data []byte, perm fs.FileMode) error {
	f, err := createTemp(path, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = supplant(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return nil
}

// TempSuffix ends the names of temporary files that Replace makes beside its
// target: target name, process id, random number, TempSuffix.
const TempSuffix = ".tmp"

func createTemp(path string, perm fs.FileMode) (*os.File, error) {
	prefix := path + "." + strconv.Itoa(os.Getpid()) + "."
	for range 100 {
		f, err := os.OpenFile(prefix+strconv.FormatUint(rand.Uint64(), 36)+TempSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "create", Path: filepath.Dir(path), Err: fs.ErrExist}
}

func errnoOf(err error) (syscall.Errno, bool) {
	var e syscall.Errno
	ok := errors.As(err, &e)
	return e, ok
}

// Refresh sets the file's time of change to now if it is older than age, and
// reports whether it did. A file that is not there is left alone.
func Refresh(path string, now time.Time, age time.Duration) (bool, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || now.Sub(info.ModTime()) <= age {
		return false, err
	}
	if err := os.Chtimes(path, now, now); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, nil
}
