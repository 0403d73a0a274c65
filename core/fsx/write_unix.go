//go:build unix

package fsx

import (
	"io/fs"
	"path/filepath"

	"github.com/google/renameio/v2"
)

func replaceDurably(path string, data []byte, perm fs.FileMode, old fs.FileInfo, was *Stamp, step func(string)) (err error) {
	dir := filepath.Dir(path)
	t, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithPermissions(perm), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer func() {
		if e := t.Cleanup(); err == nil {
			err = e
		}
	}()
	step("created")
	if err := keepOwner(t.File, old, dir); err != nil {
		return err
	}
	if _, err := t.Write(data[:len(data)/2]); err != nil {
		return err
	}
	step("half written")
	if _, err := t.Write(data[len(data)/2:]); err != nil {
		return err
	}
	step("written")
	if err := unchanged(path, was); err != nil {
		return err
	}
	if err := t.CloseAtomicallyReplace(); err != nil {
		return err
	}
	step("renamed")
	return syncDir(dir)
}
