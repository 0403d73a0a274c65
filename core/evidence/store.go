package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
)

// Store keeps the workflow state of the project at Root. Its methods are safe
// for parallel use, among processes too.
type Store struct {
	Root string
	Now  func() time.Time

	// Started is when the process that asks was started: a call without an id
	// that was counted later than that is the same call, told twice.
	Started time.Time

	// DryRun has Update work on a copy and write nothing.
	DryRun bool
}

func (s *Store) path(name string) string { return filepath.Join(s.Root, Dir, name) }

// Exists reports whether the project has a state file.
func (s *Store) Exists() bool {
	_, err := os.Lstat(s.path(StateName))
	return err == nil
}

// Load returns the state as it is, a fresh one if there is none yet. An error
// that wraps ErrInvalid says which rule the file breaks; any other, that it
// cannot be read.
func (s *Store) Load() (*State, error) {
	st, err := s.read()
	if err != nil {
		return nil, err
	}
	keys, err := s.spooled()
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		st.mutateOnce(key, s.now())
	}
	return st, nil
}

func (s *Store) read() (*State, error) {
	name := s.path(StateName)
	data, err := fsx.ReadFile(name, maxState)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fresh(Workspace(s.Root)), nil
	case errors.Is(err, fsx.ErrTooLarge):
		return nil, invalid("the file is larger than %d KiB", maxState>>10)
	case errors.Is(err, fsx.ErrRefused):
		return nil, invalid("%s is not a regular file", filepath.Join(Dir, StateName))
	case err != nil:
		return nil, fmt.Errorf("read the workflow state: %w", err)
	}
	return decode(data, Workspace(s.Root))
}

func (s *Store) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// Update changes the state under its lock: it reads what is there, has change
// alter it, and replaces the file if change says that it did. Whoever reads
// meanwhile sees the old state or the new. It waits for the lock as long as ctx
// lasts. A state that is invalid is left alone.
func (s *Store) Update(ctx context.Context, change func(*State) (bool, error)) (*State, error) {
	if s.DryRun {
		st, err := s.Load()
		if err != nil {
			return nil, err
		}
		_, err = change(st)
		return st, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unlock() }() // what was written stands
	st, err := s.read()
	if err != nil {
		return nil, err
	}
	keys, err := s.spooled()
	if err != nil {
		return nil, err
	}
	changed := len(keys) > 0
	for _, key := range keys {
		st.mutateOnce(key, s.now())
	}
	did, err := change(st)
	if err != nil {
		return nil, err
	}
	if changed = changed || did; !changed {
		return st, nil
	}
	if err := s.write(st); err != nil {
		return nil, err
	}
	for _, key := range keys { // their keys are in the state by now
		_ = os.Remove(filepath.Join(s.path(spoolName), key))
	}
	return st, nil
}

func (s *Store) lock(ctx context.Context) (unlock func() error, err error) {
	unlock, err = fsx.Lock(ctx, s.path(lockName))
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.makeDir(); err != nil {
			return nil, err
		}
		unlock, err = fsx.Lock(ctx, s.path(lockName))
	}
	if err != nil {
		return nil, fmt.Errorf("workflow state: %w", err)
	}
	return unlock, nil
}

// ignored keeps out of the repository what is of this machine only.
const ignored = "# Of this checkout only, written by guardrails.\n/" + StateName + "\n/" + StateName + ".*\n/" + lockName + "\n/" + spoolName + "/\n"

func (s *Store) makeDir() error {
	if err := os.MkdirAll(filepath.Join(s.Root, Dir), 0o755); err != nil {
		return fmt.Errorf("workflow state: %w", err)
	}
	return nil
}

// write replaces the state file.
func (s *Store) write(st *State) error {
	st.Revision++
	st.UpdatedAt = s.now().UTC().Truncate(time.Second)
	st.trim()
	if err := st.check(); err != nil {
		return fmt.Errorf("refused to write: %w", err)
	}
	data, err := encode(st)
	if err != nil {
		return err
	}
	if !s.Exists() {
		if _, err := os.Lstat(s.path(ignoreName)); errors.Is(err, fs.ErrNotExist) {
			if err := fsx.Replace(s.path(ignoreName), []byte(ignored), 0o644); err != nil {
				return fmt.Errorf("workflow state: %w", err)
			}
		}
	}
	if err := fsx.Replace(s.path(StateName), data, 0o644); err != nil {
		return fmt.Errorf("write the workflow state: %w", err)
	}
	return nil
}

// spool keeps a counted call as a file of its own for the next Update, for when
// the lock cannot be had in time. It needs no lock, and a call spooled twice
// counts once.
func (s *Store) spool(key string) error {
	if s.DryRun {
		return nil
	}
	dir := s.path(spoolName)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, key), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// maxSpool is how many spooled calls one change takes in.
const maxSpool = maxRecent / 2

// spooled lists the calls that wait to be counted.
func (s *Store) spooled() ([]string, error) {
	entries, err := os.ReadDir(s.path(spoolName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("workflow state: %w", err)
	}
	var keys []string
	for _, e := range entries {
		if isKey(e.Name()) && len(keys) < maxSpool {
			keys = append(keys, e.Name())
		}
	}
	return keys, nil
}

// call names one report of a tool call, so that a second report of it counts
// nothing.
type call struct {
	key string
	// timed says that the call has no id of its own: two reports are of one call
	// only if the second process was started before the first was written down.
	timed bool
}

const keyBytes = 12

// newCall names a call by its session and id or, if it has none, by what the
// host said of it.
func newCall(host, session, id string, raw []byte) call {
	h := sha256.New()
	for _, part := range [...]string{host, session, id} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	if id == "" {
		h.Write(raw)
	}
	return call{key: hex.EncodeToString(h.Sum(nil)[:keyBytes]), timed: id == ""}
}

func isKey(name string) bool {
	return len(name) == 2*keyBytes && strings.Trim(name, "0123456789abcdef") == ""
}

// once reports whether a call was not counted before, and remembers it. started
// is the start of the asking process, now the time of writing.
func (s *State) once(c call, kind byte, started, now time.Time) bool {
	key := c.key + string(kind)
	for i := range s.Recent {
		if s.Recent[i].Key != key {
			continue
		}
		if !c.timed || started.UnixMicro() < s.Recent[i].At {
			return false
		}
		s.Recent = slices.Delete(s.Recent, i, i+1)
		break
	}
	s.Recent = append(s.Recent, seen{Key: key, At: now.UnixMicro()})
	if n := len(s.Recent); n > maxRecent {
		s.Recent = slices.Delete(s.Recent, 0, n-maxRecent)
	}
	return true
}

// Kinds of counting that one call may do.
const (
	asMutation = 'm'
	asOutcome  = 'o'
	asProof    = 'p'
)

// mutateOnce counts a spooled call.
func (s *State) mutateOnce(key string, now time.Time) {
	if s.once(call{key: key}, asMutation, time.Time{}, now) {
		s.mutate()
	}
}

// spoolKey names a call for the spool. One without an id is told from a later
// one of the same content by its time.
func (c call) spoolKey(now time.Time) string {
	if !c.timed {
		return c.key
	}
	return newCall(c.key, "", "", []byte(now.String())).key
}
