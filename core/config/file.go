package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// errNotFile is wrapped by errors about a path that is no regular file.
var errNotFile = errors.New("not a regular file")

// readBounded reads a regular file of at most limit bytes. A folder, a pipe or a
// device is refused without being opened, since opening a pipe may hang.
func readBounded(name string, limit int64) ([]byte, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errNotFile}
	}
	if fi.Size() > limit {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errTooLarge(limit)}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, 0, fi.Size()+1)
	for int64(len(data)) <= limit {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if int64(len(data)) > limit {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errTooLarge(limit)}
	}
	return data, nil
}

// errTooLarge says by how much a file may be large.
type errTooLarge int64

func (e errTooLarge) Error() string {
	return fmt.Sprintf("larger than %d KiB", int64(e)>>10)
}
