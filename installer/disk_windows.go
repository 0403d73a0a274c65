package installer

import (
	"errors"
	"io/fs"
	"os"
)

// replaceExecutable moves a running program aside: Windows lets it be renamed,
// not replaced.
func replaceExecutable(tmp, path string) error {
	old := path + ".old"
	if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := os.Rename(path, old) //nolint:forbidigo // the file is ours
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(tmp, path) //nolint:forbidigo // the file is ours, new and already synced
}

func ownerOf(string) int { return -1 }
