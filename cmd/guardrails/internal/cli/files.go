package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// abs is the path of a file that a person named.
func (a *app) abs(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.dir, name)
}

// unreadable says of a file that a person named why it cannot be read, where it
// was looked for, and what to do. what is the flag or argument that named it.
func (a *app) unreadable(what, name string, err error) error {
	why := a.why(err)
	if isFolder(a.abs(name)) {
		why = &fileError{"it is a folder; name a file", err}
	}
	name = oneLineName(name)
	if what != "" {
		name = what + " " + name
	}
	return fmt.Errorf("%s: %w", name, why)
}

// fileError is an error in words for people; it still is the error that it came
// from.
type fileError struct {
	text string
	err  error
}

func (e *fileError) Error() string { return e.text }
func (e *fileError) Unwrap() error { return e.err }

// why is why a file cannot be read, without its name, which the caller says.
func (a *app) why(err error) error {
	var named *fs.PathError
	if !errors.As(err, &named) {
		return err
	}
	text := named.Err.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist) && filepath.IsAbs(named.Path) && filepath.Dir(named.Path) != a.dir:
		text = "no such file; name one that is there"
	case errors.Is(err, fs.ErrNotExist):
		text = fmt.Sprintf("no such file in %s; name one that is there", a.dir)
	case errors.Is(err, fs.ErrPermission):
		text = "permission denied; make it readable for your user"
	}
	return &fileError{text, err}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
