// Package cache keeps what was looked up for a while, so that a second look-up
// needs no connection: one small file an answer, below the state home.
//
// Any number of processes may use one folder: an entry is written whole or not
// at all, and one that cannot be read is not there. It may import core/fsx.
package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
)

// Dir is a cache in a folder, which need not exist.
type Dir struct {
	Path     string // absolute
	Now      func() time.Time
	ReadOnly bool // keep nothing
}

// Limits of one entry and of the time that a dead one stays.
const (
	maxEntry = 8 << 20
	dead     = 48 * time.Hour
)

// Entry is what is kept.
type Entry struct {
	Key   string          `json:"key"`
	At    time.Time       `json:"at"`
	Until time.Time       `json:"until"`
	Data  json.RawMessage `json:"data"`
}

func (d *Dir) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	name := hex.EncodeToString(sum[:16])
	return filepath.Join(d.Path, name[:2], name+".json")
}

// skew is how far two clocks of one machine may be apart.
const skew = 5 * time.Minute

// live reports whether an entry's time has come and is not over. One that was
// written ahead of now was written by a clock that was wrong: it would otherwise
// stay for as long as that was ahead.
func (e *Entry) live(now time.Time) bool {
	return now.Before(e.Until) && !e.At.After(now.Add(skew))
}

// Get returns what is kept under key, if its time is not over.
func (d *Dir) Get(key string) ([]byte, bool) {
	e, ok := d.read(d.file(key))
	if !ok || e.Key != key || !e.live(d.Now()) {
		return nil, false
	}
	return e.Data, true
}

func (d *Dir) read(name string) (Entry, bool) {
	var e Entry
	b, err := fsx.ReadFile(name, maxEntry)
	if err != nil || json.Unmarshal(b, &e) != nil || e.Key == "" || len(e.Data) == 0 {
		return Entry{}, false
	}
	return e, true
}

// Put keeps a JSON value under key for ttl. A value that cannot be kept is looked
// up again next time, which is all that its loss means.
func (d *Dir) Put(key string, data []byte, ttl time.Duration) error {
	if d.ReadOnly || ttl <= 0 {
		return nil
	}
	now := d.Now().UTC()
	b, err := json.Marshal(Entry{Key: key, At: now, Until: now.Add(ttl), Data: data})
	if err != nil {
		return err
	}
	if len(b) > maxEntry {
		return fsx.ErrTooLarge
	}
	name := d.file(key)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	d.prune(filepath.Dir(name), now)
	return fsx.Replace(name, b, 0o600)
}

// prune drops what nobody can use any more from one sub-folder.
func (d *Dir) prune(dir string, now time.Time) {
	list, err := os.ReadDir(dir)
	if err != nil || len(list) < 32 {
		return
	}
	for _, f := range list {
		if info, err := f.Info(); err != nil || now.Sub(info.ModTime()).Abs() < dead {
			continue
		}
		name := filepath.Join(dir, f.Name())
		if e, ok := d.read(name); !ok || !e.live(now) {
			_ = os.Remove(name)
		}
	}
}

// List returns the live entries, ordered by key, and the bytes that all files
// take.
func (d *Dir) List() (live []Entry, size int64, err error) {
	err = d.each(func(name string, info fs.FileInfo) error {
		size += info.Size()
		if e, ok := d.read(name); ok && e.live(d.Now()) {
			live = append(live, e)
		}
		return nil
	})
	slices.SortFunc(live, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
	return live, size, err
}

// Clear drops everything and returns how many files there were.
func (d *Dir) Clear() (n int, err error) {
	err = d.each(func(name string, _ fs.FileInfo) error {
		n++
		return os.Remove(name)
	})
	return n, err
}

// each visits our files only: whatever else is in the folder stays.
func (d *Dir) each(visit func(name string, info fs.FileInfo) error) error {
	err := filepath.WalkDir(d.Path, func(name string, f fs.DirEntry, err error) error {
		if err != nil || !f.Type().IsRegular() || !strings.HasSuffix(name, ".json") && !strings.HasSuffix(name, fsx.TempSuffix) {
			return err
		}
		info, err := f.Info()
		if err != nil {
			return nil //nolint:nilerr // it is gone
		}
		return visit(name, info)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
