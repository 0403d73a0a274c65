package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
)

// ErrLocked is wrapped when a session's lock was not had in time. Nothing was
// recorded.
var ErrLocked = errors.New("session state is locked")

// ErrNoSession is wrapped when the host gave no session id.
var ErrNoSession = errors.New("no session id")

// Names in the directory, each after the session's key.
const (
	stateSuffix   = ".json"
	lockSuffix    = ".lock"
	corruptSuffix = ".corrupt-"
)

// maxFile bounds what is read of a state file; the bounds on its parts keep
// what we write far below.
const maxFile = 32 << 20

// refreshAge is how old a state file's time of change may be before a call
// that changes nothing renews it.
const refreshAge = time.Hour

// Store keeps sessions, one file each, in a directory that it makes when it
// first writes (0700; files 0600).
type Store struct {
	Dir string
	Now func() time.Time // nil = time.Now
}

// Key names a session in file names and in the log: 32 hex digits that tell
// nothing of the id.
func Key(host, id string) string {
	h := sha256.New()
	h.Write([]byte(host))
	h.Write([]byte{0})
	h.Write([]byte(id))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func (s *Store) now() int64 {
	if s.Now == nil {
		return time.Now().UnixMicro()
	}
	return s.Now().UnixMicro()
}

func (s *Store) path(host, id string) (string, error) {
	if id == "" {
		return "", ErrNoSession
	}
	return filepath.Join(s.Dir, Key(host, id)), nil
}

// View reads a session without a lock; one that does not exist is empty. It
// never writes. An error that wraps ErrCorrupt or ErrVersion, or that says why
// the file cannot be read, is a lapse: the empty View that comes with it proves
// nothing.
func (s *Store) View(host, id string) (View, error) {
	base, err := s.path(host, id)
	if err != nil {
		return View{}, err
	}
	st, err := load(base + stateSuffix)
	if err != nil || st == nil {
		return View{}, err
	}
	return View{s: st, c: &st.scope}, nil
}

// load returns nil if there is no file.
func load(path string) (*state, error) {
	data, err := fsx.ReadFile(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, fsx.ErrTooLarge):
		return nil, fmt.Errorf("%s: %w: %w", path, ErrCorrupt, err)
	case err != nil:
		return nil, fmt.Errorf("session state: %w", err)
	}
	st, err := decode(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return st, nil
}

// Update changes a session under its lock, which it waits for as long as ctx
// lasts (then ErrLocked), and returns the new state. fn sees the then-current
// state. If fn fails, or changes nothing, nothing is written.
//
// A damaged file is set aside (renamed *.corrupt-TIME), and fn then works on an
// empty state that remembers the loss (View.LostAt): the update stands, and the
// error wraps ErrCorrupt so that the caller reports the lapse. With any other
// error nothing was recorded.
func (s *Store) Update(ctx context.Context, host, id string, fn func(*Tx) error) (v View, err error) {
	base, err := s.path(host, id)
	if err != nil {
		return View{}, err
	}
	unlock, err := s.lock(ctx, base+lockSuffix)
	if err != nil {
		return View{}, err
	}
	defer func() { // fn may panic
		if e := unlock(); err == nil && e != nil {
			err = fmt.Errorf("session state: %w", e)
		}
	}()
	return s.update(base, host, id, fn)
}

func (s *Store) lock(ctx context.Context, path string) (func() error, error) {
	unlock, err := fsx.Lock(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(s.Dir, 0o700); err != nil {
			return nil, fmt.Errorf("session state: %w", err)
		}
		unlock, err = fsx.Lock(ctx, path)
	}
	switch {
	case err == nil:
		return unlock, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return nil, fmt.Errorf("session state: %w", err)
}

func (s *Store) update(base, host, id string, fn func(*Tx) error) (View, error) {
	path := base + stateSuffix
	now := s.now()
	st, lapse := load(path)
	switch {
	case errors.Is(lapse, ErrCorrupt):
		st = fresh(host, id)
		st.lose(now)
		if err := setAside(base, st, now); err != nil {
			return View{}, errors.Join(lapse, err)
		}
	case lapse != nil:
		return View{}, lapse
	}
	existed := st != nil
	if !existed {
		st = fresh(host, id)
	}
	tx := &Tx{s: st, now: now}
	err := fn(tx)
	switch {
	case err != nil:
	case tx.dirty:
		tx.seal()
		err = fsx.Replace(path, tx.s.encode(), 0o600)
	case existed:
		_, err = fsx.Refresh(path, time.UnixMicro(now), refreshAge)
	}
	if err != nil {
		return View{}, errors.Join(fmt.Errorf("session state: %w", err), lapse)
	}
	return tx.View(), lapse
}

func fresh(host, id string) *state {
	return &state{host: short(host, maxName), id: short(id, maxName)}
}

// lose marks a new state as what is left of a lost one.
func (s *state) lose(now int64) { s.made, s.updated, s.lost = now, now, now }

// seal sets the times of a state that is about to be kept.
func (tx *Tx) seal() {
	tx.own()
	tx.s.updated = tx.now
	if tx.s.made == 0 {
		tx.s.made = tx.now
	}
}

// setAside keeps a damaged file under another name and puts st, which
// remembers the loss, in its place. There is no moment without a file: a reader
// must not take the loss for a new session.
func setAside(base string, st *state, now int64) error {
	path, aside := base+stateSuffix, base+corruptSuffix+strconv.FormatInt(now, 10)
	if err := os.Link(path, aside); err != nil {
		// No hard links here.
		if err := os.Rename(path, aside); err != nil {
			return fmt.Errorf("session state: set the damaged file aside: %w", err)
		}
	}
	if err := fsx.Replace(path, st.encode(), 0o600); err != nil {
		return fmt.Errorf("session state: replace the damaged file: %w", err)
	}
	return nil
}

// Preview returns what Update would make of the session, and writes nothing.
// It takes no lock. An error that wraps ErrCorrupt comes with the View that
// Update would return.
func (s *Store) Preview(host, id string, fn func(*Tx) error) (View, error) {
	base, err := s.path(host, id)
	if err != nil {
		return View{}, err
	}
	st, lapse := load(base + stateSuffix)
	if lapse != nil && !errors.Is(lapse, ErrCorrupt) {
		return View{}, lapse
	}
	tx := &Tx{s: st, now: s.now()}
	if st == nil {
		tx.s = fresh(host, id)
	}
	if lapse != nil {
		tx.s.lose(tx.now)
	}
	if err := fn(tx); err != nil {
		return View{}, errors.Join(err, lapse)
	}
	if tx.dirty {
		tx.seal()
	}
	return tx.View(), lapse
}

// Refresh renews the session file's time of change, which GC goes by, if it is
// older than age. It never makes a file.
func (s *Store) Refresh(host, id string, age time.Duration) error {
	base, err := s.path(host, id)
	if err != nil {
		return err
	}
	if _, err := fsx.Refresh(base+stateSuffix, time.UnixMicro(s.now()), age); err != nil {
		return fmt.Errorf("session state: %w", err)
	}
	return nil
}

// Info is one kept session.
type Info struct {
	Key       string
	Host, ID  string
	UpdatedAt time.Time // last use, as GC sees it
	Err       error     // why its state cannot be read; Host and ID are then empty
}

// List returns the n sessions used last, newest first; n < 1 means all.
func (s *Store) List(n int) ([]Info, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("session states: %w", err)
	}
	var out []Info
	for _, e := range entries {
		key, ok := strings.CutSuffix(e.Name(), stateSuffix)
		if !ok {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // removed meanwhile
		}
		out = append(out, Info{Key: key, UpdatedAt: info.ModTime()})
	}
	slices.SortFunc(out, func(a, b Info) int {
		if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.Key, b.Key)
	})
	if n > 0 && len(out) > n {
		out = out[:n]
	}
	for i := range out {
		st, err := load(filepath.Join(s.Dir, out[i].Key+stateSuffix))
		switch {
		case err != nil:
			out[i].Err = err
		case st != nil:
			out[i].Host, out[i].ID = st.host, st.id
		}
	}
	return out, nil
}

// abandoned is the age at which a temporary file's writer is surely dead.
const abandoned = time.Hour

// Sweep removes what was not used for longer than idle: sessions with their
// locks, and damaged files that were set aside; and the temporary files of
// processes that died. It looks at the time of change under the session's lock,
// so that one in use is never removed, and leaves a locked one for the next
// sweep. removed counts sessions. It goes on after an error and returns all.
func (s *Store) Sweep(now time.Time, idle time.Duration) (removed int, err error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("session states: %w", err)
	}
	var errs []error
	old := func(name string, age time.Duration) bool {
		info, err := os.Lstat(filepath.Join(s.Dir, name))
		return err == nil && now.Sub(info.ModTime()) > age
	}
	remove := func(name string) bool {
		err := os.Remove(filepath.Join(s.Dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		return err == nil
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case strings.HasSuffix(name, fsx.TempSuffix):
			if old(name, abandoned) {
				remove(name)
			}
		case strings.Contains(name, corruptSuffix):
			if old(name, idle) {
				remove(name)
			}
		case strings.HasSuffix(name, stateSuffix), strings.HasSuffix(name, lockSuffix):
			key := strings.TrimSuffix(strings.TrimSuffix(name, stateSuffix), lockSuffix)
			if !old(name, idle) {
				continue
			}
			// One look, no waiting: whoever holds it uses it.
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
			unlock, err := fsx.Lock(ctx, filepath.Join(s.Dir, key+lockSuffix))
			cancel()
			if err != nil {
				if !errors.Is(err, context.DeadlineExceeded) {
					errs = append(errs, err)
				}
				continue
			}
			state := key + stateSuffix
			if old(state, idle) && remove(state) {
				removed++
			}
			_, err = os.Lstat(filepath.Join(s.Dir, state))
			unused := errors.Is(err, fs.ErrNotExist)
			if unused && runtime.GOOS != "windows" {
				remove(key + lockSuffix)
			}
			if err := unlock(); err != nil {
				errs = append(errs, err)
			}
			if unused && runtime.GOOS == "windows" {
				// An open file cannot be removed there, which also means that
				// none that somebody else has opened meanwhile is.
				remove(key + lockSuffix)
			}
		}
	}
	return removed, errors.Join(errs...)
}
