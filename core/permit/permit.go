// Package permit keeps what a human allowed for a short while: one refused call
// (allow once), or everything, a gate or a rule for some time (off).
//
// It owns one small file in the state home, which no agent may write. It
// imports core/fsx and the standard library only, and decides nothing.
package permit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
)

// OnceLasts is how long a granted call may wait to be made.
const OnceLasts = 15 * time.Minute

// MaxOff is the longest time for which something can be switched off.
const MaxOff = 8 * time.Hour

const (
	fileName = "permits.json"
	maxFile  = 1 << 20
	keep     = time.Hour // of a used grant, so that the other process of the same call finds it
)

// Store is the file in a state home.
type Store struct {
	StateHome string
	Now       func() time.Time // nil = time.Now
}

// Off is one thing that is switched off.
type Off struct {
	Rule  string    `json:"rule,omitempty"` // a rule's id; with Gate empty too, everything
	Gate  string    `json:"gate,omitempty"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

// String names it as on the command line.
func (o Off) String() string {
	switch {
	case o.Rule != "":
		return "rule " + o.Rule
	case o.Gate != "":
		return "gate " + o.Gate
	}
	return "everything but self-protection"
}

// Covers reports whether o switches off a gate's rule.
func (o Off) Covers(gate, rule string) bool {
	switch {
	case o.Rule != "":
		return o.Rule == rule
	case o.Gate != "":
		return o.Gate == gate
	}
	return true
}

type grant struct {
	Until   time.Time `json:"until"`
	UsedAt  time.Time `json:"used_at"`
	UsedFor string    `json:"used_for,omitempty"`
}

type file struct {
	V    int              `json:"v"`
	Once map[string]grant `json:"once,omitempty"`
	Off  []Off            `json:"off,omitempty"`
}

// ErrCode says that something is not a code of a denial.
var ErrCode = errors.New("not a code: it has 8 digits and letters a to f, as printed with a refusal")

func (s *Store) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

func (s *Store) path() string { return filepath.Join(s.StateHome, fileName) }

// CheckCode says whether code could be one: 8 hexadecimal digits, in small letters.
// The error wraps ErrCode.
func CheckCode(code string) error {
	if len(code) != 8 || strings.Trim(code, "0123456789abcdef") != "" {
		return fmt.Errorf("%q is %w", code, ErrCode)
	}
	return nil
}

// Grant allows the one call that was refused with code, once, within OnceLasts.
func (s *Store) Grant(ctx context.Context, code string) (until time.Time, err error) {
	code = strings.ToLower(code)
	if err := CheckCode(code); err != nil {
		return time.Time{}, err
	}
	until = s.now().Add(OnceLasts)
	return until, s.update(ctx, func(f *file) bool {
		if f.Once == nil {
			f.Once = make(map[string]grant)
		}
		f.Once[code] = grant{Until: until}
		return true
	})
}

// Call is the call that wants to use a grant.
type Call struct {
	Key     string    // names the call: event and tool use id, or a digest of the payload
	ByTime  bool      // Key may come again for another call: the same one only if Started lies before the use
	Started time.Time // start of the process that judges it
}

// Use reports whether code was granted, and uses the grant up. The same call
// seen by two processes (registered twice) is one use. With peek nothing is
// used up.
func (s *Store) Use(ctx context.Context, code string, c Call, peek bool) (bool, error) {
	f, err := s.read()
	if err != nil {
		return false, err
	}
	if granted := f.grants(code, c, s.now()); !granted || peek {
		return granted, nil
	}
	granted := false
	err = s.update(ctx, func(f *file) bool {
		if granted = f.grants(code, c, s.now()); !granted {
			return false
		}
		g := f.Once[code]
		if !g.UsedAt.IsZero() {
			return false
		}
		g.UsedAt, g.UsedFor = s.now(), c.Key
		f.Once[code] = g
		return true
	})
	return granted && err == nil, err
}

func (f *file) grants(code string, c Call, now time.Time) bool {
	g, ok := f.Once[code]
	switch {
	case !ok:
		return false
	case g.UsedAt.IsZero():
		return now.Before(g.Until) && g.Until.Sub(now) <= OnceLasts+time.Minute // a clock that was set back does not lengthen it
	case g.UsedFor != c.Key || c.Key == "":
		return false
	}
	return !c.ByTime || c.Started.Before(g.UsedAt)
}

// SwitchOff switches a rule, a gate or everything off for d, at most MaxOff.
func (s *Store) SwitchOff(ctx context.Context, o Off, d time.Duration) (Off, error) {
	if d <= 0 || d > MaxOff {
		return Off{}, fmt.Errorf("guards can be off for at most %s, not for %s", short(MaxOff), short(d))
	}
	o.Since = s.now()
	o.Until = o.Since.Add(d)
	return o, s.update(ctx, func(f *file) bool {
		kept := f.Off[:0]
		for _, old := range f.Off {
			if old.Rule != o.Rule || old.Gate != o.Gate {
				kept = append(kept, old)
			}
		}
		f.Off = append(kept, o)
		return true
	})
}

// SwitchOn ends everything that is switched off, and unused grants.
func (s *Store) SwitchOn(ctx context.Context) (ended []Off, err error) {
	return ended, s.update(ctx, func(f *file) bool {
		ended = active(f.Off, s.now())
		changed := len(f.Off) > 0 || len(f.Once) > 0
		f.Off, f.Once = nil, nil
		return changed
	})
}

// Active lists what is switched off now. A file that cannot be read switches
// nothing off.
func (s *Store) Active() ([]Off, error) {
	f, err := s.read()
	if err != nil {
		return nil, err
	}
	return active(f.Off, s.now()), nil
}

func active(offs []Off, now time.Time) []Off {
	var out []Off
	for _, o := range offs {
		// A clock that was set back does not lengthen it.
		if now.Before(o.Until) && !now.Before(o.Since.Add(-time.Minute)) && o.Until.Sub(o.Since) <= MaxOff {
			out = append(out, o)
		}
	}
	return out
}

func (s *Store) read() (*file, error) {
	data, err := fsx.ReadFile(s.path(), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &file{V: 1}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("permits: %w", err)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("permits: %s is damaged (%w): nothing is permitted; remove it", s.path(), err)
	}
	if f.V != 1 {
		return nil, fmt.Errorf("permits: %s is of version %d, which this build does not know", s.path(), f.V)
	}
	return &f, nil
}

// update changes the file under its lock; change reports whether it did. What
// has run out is dropped on the way.
func (s *Store) update(ctx context.Context, change func(*file) bool) error {
	if err := os.MkdirAll(s.StateHome, 0o700); err != nil {
		return fmt.Errorf("permits: %w", err)
	}
	unlock, err := fsx.Lock(ctx, s.path()+".lock")
	if err != nil {
		return fmt.Errorf("permits: %w", err)
	}
	err = s.change(change)
	if e := unlock(); err == nil && e != nil {
		err = fmt.Errorf("permits: %w", e)
	}
	return err
}

func (s *Store) change(change func(*file) bool) error {
	f, err := s.read()
	if err != nil {
		return err
	}
	if !change(f) {
		return nil
	}
	now := s.now()
	for code, g := range f.Once {
		if now.After(g.Until.Add(keep)) {
			delete(f.Once, code)
		}
	}
	f.Off = active(f.Off, now)
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("permits: %w", err)
	}
	if err := fsx.Replace(s.path(), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("permits: %w", err)
	}
	return nil
}

// short is a duration without its zeros: 8h, not 8h0m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
