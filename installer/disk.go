package installer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ec261362/guardrails/core/fsx"
)

// Disk is every change that the installer makes to files. Tests put a failing
// or dying one in its place; a dry run calls none of it.
type Disk interface {
	// Mkdir makes one directory whose parent exists.
	Mkdir(path string, perm fs.FileMode) error
	// Write replaces a file durably if it is still in the state was.
	Write(path string, data []byte, perm fs.FileMode, was fsx.Stamp) error
	// Executable puts a program into place: the file is whole and executable
	// before it gets its name.
	Executable(path string, data []byte) error
	// Remove removes a file or an empty directory.
	Remove(path string) error
}

// OSDisk is the real disk.
type OSDisk struct{}

// Mkdir makes one directory whose parent exists.
func (OSDisk) Mkdir(path string, perm fs.FileMode) error { return os.Mkdir(path, perm) }

// Write replaces a file durably if it is still in the state was.
func (OSDisk) Write(path string, data []byte, perm fs.FileMode, was fsx.Stamp) error {
	return fsx.WriteUnchanged(path, data, perm, was)
}

// Executable puts a program into place by renaming it. A link that has the name
// is replaced, not followed.
func (OSDisk) Executable(path string, data []byte) error {
	return placeExecutable(path, data)
}

// Remove removes a file or an empty directory.
func (OSDisk) Remove(path string) error { return os.Remove(path) }

// placeExecutable writes beside path, syncs, and renames.
func placeExecutable(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+fsx.TempSuffix)
	if err != nil {
		return fmt.Errorf("install %s: %w", path, err)
	}
	tmp := f.Name()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o755)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = replaceExecutable(tmp, path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("install %s: %w", path, err), os.Remove(tmp))
	}
	return nil
}

// missingDirs lists the directories that must be made for dir to exist, outermost
// first.
func missingDirs(dir string) ([]string, error) {
	var out []string
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		info, err := os.Stat(d)
		switch {
		case err == nil && info.IsDir():
			return out, nil
		case err == nil:
			return nil, refuse(d, "it is not a directory, so nothing can be put below it; move it away")
		case !errors.Is(err, fs.ErrNotExist):
			return nil, &Refusal{d, err}
		}
		if l, lerr := os.Lstat(d); lerr == nil && l.Mode()&fs.ModeSymlink != 0 {
			return nil, refuse(d, "it is a dangling link; make its target or remove it")
		}
		out = append([]string{d}, out...)
		if d == filepath.Dir(d) {
			return out, nil
		}
	}
}

// readFile reads a whole file with the stamp of what was read. A file that is
// not there is nil without an error.
func readFile(path string) (data []byte, was fsx.Stamp, err error) {
	for range 3 {
		if was, err = fsx.StampOf(path); err != nil {
			return nil, was, err
		}
		data, err = fsx.ReadFile(path, maxConfig)
		if errors.Is(err, fs.ErrNotExist) {
			data, err = nil, nil
		}
		if err != nil {
			return nil, was, err
		}
		now, serr := fsx.StampOf(path)
		if serr == nil && now.Same(was) {
			if data == nil && !was.Same(fsx.Stamp{}) {
				data = []byte{}
			}
			return data, was, nil
		}
	}
	return nil, was, fmt.Errorf("%w while it was being read; try again", fsx.ErrChanged)
}

// maxConfig is the largest configuration file that we edit, in bytes.
const maxConfig = 16 << 20
