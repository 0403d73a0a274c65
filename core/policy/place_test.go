package policy

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"
	"time"
)

// fakeFS is a tree in memory: files by path, links by path, folders implied.
// It counts reads; there is no way to write.
type fakeFS struct {
	files map[string]string
	links map[string]string
	dirs  map[string]bool
	reads int
}

type fakeInfo struct {
	name string
	mode fs.FileMode
	size int64
}

func (i fakeInfo) Name() string       { return i.name }
func (i fakeInfo) Size() int64        { return i.size }
func (i fakeInfo) Mode() fs.FileMode  { return i.mode }
func (i fakeInfo) ModTime() time.Time { return time.Time{} }
func (i fakeInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fakeInfo) Sys() any           { return nil }

func (f *fakeFS) isDir(name string) bool {
	if f.dirs[name] || name == "/" {
		return true
	}
	for _, m := range []map[string]string{f.files, f.links} {
		for p := range m {
			if strings.HasPrefix(p, name+"/") {
				return true
			}
		}
	}
	return false
}

func (f *fakeFS) Lstat(name string) (fs.FileInfo, error) {
	f.reads++
	if _, ok := f.links[name]; ok {
		return fakeInfo{path.Base(name), fs.ModeSymlink | 0o777, 0}, nil
	}
	if s, ok := f.files[name]; ok {
		return fakeInfo{path.Base(name), 0o644, int64(len(s))}, nil
	}
	if f.isDir(name) {
		return fakeInfo{path.Base(name), fs.ModeDir | 0o755, 0}, nil
	}
	return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrNotExist}
}

func (f *fakeFS) resolve(name string) string {
	for range 20 {
		again := false
		for p, to := range f.links {
			if name == p || strings.HasPrefix(name, p+"/") {
				if !path.IsAbs(to) {
					to = path.Join(path.Dir(p), to)
				}
				name, again = path.Join(to, name[len(p):]), true
			}
		}
		if !again {
			break
		}
	}
	return name
}

func (f *fakeFS) Stat(name string) (fs.FileInfo, error) { return f.Lstat(f.resolve(name)) }

func (f *fakeFS) Readlink(name string) (string, error) {
	if to, ok := f.links[name]; ok {
		return to, nil
	}
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}

func (f *fakeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	name = f.resolve(name)
	if !f.isDir(name) {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	seen := map[string]bool{}
	for _, m := range []map[string]string{f.files, f.links} {
		for p := range m {
			if rest, ok := strings.CutPrefix(p, strings.TrimSuffix(name, "/")+"/"); ok {
				first, _, _ := strings.Cut(rest, "/")
				seen[first] = true
			}
		}
	}
	for p := range f.dirs {
		if path.Dir(p) == name {
			seen[path.Base(p)] = true
		}
	}
	var out []fs.DirEntry
	for n := range seen {
		fi, err := f.Lstat(path.Join(name, n))
		if err == nil {
			out = append(out, fs.FileInfoToDirEntry(fi))
		}
	}
	sort.Slice(out, func(i, k int) bool { return out[i].Name() < out[k].Name() })
	return out, nil
}

func (f *fakeFS) ReadFile(name string, limit int64) ([]byte, error) {
	f.reads++
	s, ok := f.files[f.resolve(name)]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if int64(len(s)) > limit {
		return nil, errors.New("too large")
	}
	return []byte(s), nil
}

// osFS reads the real file system.
type osFS struct{}

func (osFS) Lstat(name string) (fs.FileInfo, error)     { return os.Lstat(name) }
func (osFS) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (osFS) Readlink(name string) (string, error)       { return os.Readlink(name) }
func (osFS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (osFS) ReadFile(name string, limit int64) ([]byte, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if fi.Size() > limit {
		return nil, errors.New("too large")
	}
	return os.ReadFile(name)
}
