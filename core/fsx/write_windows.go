package fsx

import (
	"io/fs"
	"os"
)

// replaceDurably is renameio's work, which that library does not do here.
func replaceDurably(path string, data []byte, perm fs.FileMode, _ fs.FileInfo, was *Stamp, step func(string)) (err error) {
	f, err := createTemp(path, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	step("created")
	if _, err = f.Write(data); err != nil {
		return err
	}
	step("written")
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = unchanged(path, was); err != nil {
		return err
	}
	if err = rename(f.Name(), path); err != nil {
		return err
	}
	step("renamed")
	return nil
}
