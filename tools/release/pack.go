package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An entry is one file of an archive.
type entry struct {
	name string // with slashes
	data []byte
	exec bool
}

// extras says where in an archive the files of the extra folder go, by pattern.
// .goreleaser.yaml says the same; a test compares.
var extras = []struct{ pattern, folder string }{
	{"LICENSE", ""},
	{"NOTICE", ""},
	{"README.md", ""},
	{"THIRD-PARTY-LICENSES.txt", ""},
	{"man/*.1", "man"},
	{"completions/guardrails.*", "completions"},
}

// pack writes an archive for each platform from dist/OS-ARCH and the extra
// folder, and their checksums. Same input, same bytes.
func pack(version, dist, extra string, mtime time.Time) ([]string, error) {
	var common []entry
	for _, e := range extras {
		found, err := filepath.Glob(filepath.Join(extra, filepath.FromSlash(e.pattern)))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s has no %s: run make release-files", extra, e.pattern)
		}
		for _, file := range found {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			common = append(common, entry{name: path.Join(e.folder, filepath.Base(file)), data: data})
		}
	}
	var files []string
	var list strings.Builder
	for _, p := range platforms {
		entries := slices.Clone(common)
		for _, name := range p.programs() {
			data, err := os.ReadFile(filepath.Join(dist, p.os+"-"+p.arch, name))
			if err != nil {
				return nil, fmt.Errorf("%w: run make cross", err)
			}
			entries = append(entries, entry{name, data, true})
		}
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
		write := writeTar
		if p.os == "windows" {
			write = writeZip
		}
		data, err := write(entries, mtime)
		if err != nil {
			return nil, err
		}
		name := p.archive(version)
		if err := os.WriteFile(filepath.Join(dist, name), data, 0o644); err != nil {
			return nil, err
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(data), name)
		files = append(files, name)
	}
	return append(files, sums), os.WriteFile(filepath.Join(dist, sums), []byte(list.String()), 0o644)
}

func mode(e entry) fs.FileMode {
	if e.exec {
		return 0o755
	}
	return 0o644
}

func writeTar(entries []entry, mtime time.Time) ([]byte, error) {
	var b bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(zipped)
	for _, e := range entries {
		h := tar.Header{Name: e.name, Mode: int64(mode(e)), Size: int64(len(e.data)), ModTime: mtime, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeZip(entries []entry, mtime time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: mtime}
		h.SetMode(mode(e))
		to, err := w.CreateHeader(&h)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// unpack returns the files of an archive by name.
func unpack(name string, data []byte) (map[string]entry, error) {
	out := map[string]entry{}
	if strings.HasSuffix(name, ".zip") {
		r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, f := range r.File {
			if f.FileInfo().IsDir() {
				continue
			}
			from, err := f.Open()
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, f.Name, err)
			}
			text, err := io.ReadAll(from)
			from.Close()
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, f.Name, err)
			}
			out[f.Name] = entry{f.Name, text, f.Mode()&0o100 != 0}
		}
		return out, nil
	}
	zipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, h.Name, err)
		}
		out[h.Name] = entry{h.Name, text, h.Mode&0o100 != 0}
	}
}
