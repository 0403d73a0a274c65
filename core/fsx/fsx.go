// Package fsx writes, locks and reads files so that a crash, a full disk or
// sixty processes at once never leave half a file.
//
// It owns atomic replacement, symlink resolution and cross-process locks. It
// imports nothing else of ours, knows no file by name and prints nothing.
package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrRefused is wrapped by errors that say why a target must not be replaced:
// it is not a regular file, has further hard links, or is read-only.
var ErrRefused = errors.New("refused")

// ErrTooLarge is wrapped by errors of reads that would pass their limit.
var ErrTooLarge = errors.New("too large")

// Kind says what a path is. The zero value is a kind that we could not tell.
type Kind int

// The kinds of file.
const (
	Unknown    Kind = iota
	Absent          // nothing there, nor, perhaps, its directory
	Regular         // one name, ordinary content
	HardLinked      // ordinary content under more than one name
	Symlink
	Dir
	FIFO
	Device
	Socket
)

var kindNames = [...]string{"unknown", "absent", "regular file", "hard-linked file", "symbolic link", "directory", "named pipe", "device", "socket"}

func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return kindNames[Unknown]
	}
	return kindNames[k]
}

// Special says what the path itself is; a symbolic link is not followed.
// Something that is not there is Absent, without an error.
func Special(path string) (Kind, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Absent, nil
	}
	if err != nil {
		return Unknown, err
	}
	return kindOf(path, info)
}

func kindOf(path string, info fs.FileInfo) (Kind, error) {
	switch m := info.Mode(); {
	case m.IsRegular():
		n, err := links(path, info)
		if err != nil {
			return Unknown, err
		}
		if n > 1 {
			return HardLinked, nil
		}
		return Regular, nil
	case m&fs.ModeSymlink != 0:
		return Symlink, nil
	case m.IsDir():
		return Dir, nil
	case m&fs.ModeNamedPipe != 0:
		return FIFO, nil
	case m&fs.ModeDevice != 0:
		return Device, nil
	case m&fs.ModeSocket != 0:
		return Socket, nil
	}
	return Unknown, nil
}

// OS reads the real file system. The zero value is ready for parallel use.
type OS struct{}

// Lstat is os.Lstat.
func (OS) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// Stat is os.Stat.
func (OS) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// Readlink is os.Readlink.
func (OS) Readlink(name string) (string, error) { return os.Readlink(name) }

// ReadDir is os.ReadDir.
func (OS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// ReadFile is the function ReadFile.
func (OS) ReadFile(name string, max int64) ([]byte, error) { return ReadFile(name, max) }

// ReadFile returns the content of a regular file of at most max bytes; a
// larger one is ErrTooLarge. Pipes, devices and sockets are ErrRefused and
// never waited for.
func ReadFile(name string, max int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: %w: not a regular file", name, ErrRefused)
	}
	size := info.Size()
	if size > max {
		return nil, fmt.Errorf("read %s: %w: %d bytes, limit %d", name, ErrTooLarge, size, max)
	}
	// One byte more than the size finds the end without growing; files that
	// lie about their size (as in /proc) are read on up to the limit.
	buf := make([]byte, 0, size+1)
	for {
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > max {
			return nil, fmt.Errorf("read %s: %w: more than %d bytes", name, ErrTooLarge, max)
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// OpenNonblock opens a file for reading; a pipe without a writer is opened at once
// and is empty.
func OpenNonblock(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|openNonblock, 0)
}
