package coverage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
)

// DefaultTolerance is how many points a package may lose, unless configured.
const DefaultTolerance = 0.5

// Loss is a package that has less coverage than it had.
type Loss struct {
	Package  string
	Was, Now Count
}

func (c Count) uncovered() int { return c.Total - c.Covered }

// exact is the unrounded share in percent.
func (c Count) exact() float64 {
	if c.Total == 0 {
		return 100
	}
	return float64(c.Covered) * 100 / float64(c.Total)
}

// lost reports whether now is less than was by more than tolerance points, and
// not only because covered code is gone: more must be uncovered than was.
func lost(was, now Count, tolerance float64) bool {
	return was.Total > 0 && now.Total > 0 && now.uncovered() > was.uncovered() && now.exact() < was.exact()-tolerance
}

// Losses compares packages with what they had. A package that is on one side
// only is none.
func Losses(was, now map[string]Count, tolerance float64) []Loss {
	var out []Loss
	for _, pkg := range sortedKeys(now) {
		if old, ok := was[pkg]; ok && lost(old, now[pkg], tolerance) {
			out = append(out, Loss{pkg, old, now[pkg]})
		}
	}
	return out
}

// Key says what may be compared: numbers of one toolchain on one system.
type Key struct{ Toolchain, OS string }

func (k Key) String() string { return k.Toolchain + "/" + k.OS }

// Ratchet keeps the coverage that packages had when the gate passed, in a file
// of the repository's cache. It is safe for parallel use, also by processes.
type Ratchet struct {
	File string // its folder is made if need be
	Now  func() time.Time
}

// marksKept is how many passes of a package are kept, each at another commit,
// so that a pass on one branch does not bind another.
const marksKept = 12

// maxRatchet bounds the file, in bytes.
const maxRatchet = 32 << 20

type ratchetFile struct {
	Version int                          `json:"version"`
	Marks   map[string]map[string][]mark `json:"marks"` // by key, then package; the newest first
}

type mark struct {
	Covered int    `json:"covered"`
	Total   int    `json:"total"`
	Commit  string `json:"commit,omitempty"`
	Time    int64  `json:"time"`
}

func (m mark) count() Count { return Count{m.Covered, m.Total} }

// Baseline returns what packages had at their last pass. Passes at a commit
// that holds says no to do not count: those of other branches. A nil holds
// counts all. Without a file there is no baseline; a file that cannot be read
// is an error, and the next Raise replaces it.
func (r *Ratchet) Baseline(key Key, holds func(commit string) bool) (map[string]Count, error) {
	f, err := r.read()
	if err != nil {
		return nil, err
	}
	return baseline(f.Marks[key.String()], holds), nil
}

func baseline(marks map[string][]mark, holds func(commit string) bool) map[string]Count {
	known := make(map[string]bool)
	out := make(map[string]Count)
	for pkg, list := range marks {
		for _, m := range list {
			ok, asked := known[m.Commit]
			if !asked {
				ok = holds == nil || m.Commit == "" || holds(m.Commit)
				known[m.Commit] = ok
			}
			if ok {
				out[pkg] = m.count()
				break
			}
		}
	}
	return out
}

// Raise records a pass at a commit: each package's coverage, if it is no less
// than it had, or if only covered code went. A package that lost a little, as
// tolerated, keeps its mark, so that little losses do not add up. It must be
// called after a pass only.
func (r *Ratchet) Raise(ctx context.Context, key Key, commit string, now map[string]Count, holds func(commit string) bool) error {
	if len(now) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(r.File), 0o700); err != nil {
		return fmt.Errorf("coverage baseline: %w", err)
	}
	unlock, err := fsx.Lock(ctx, r.File+".lock")
	if err != nil {
		return fmt.Errorf("coverage baseline: %w", err)
	}
	defer unlock() //nolint:errcheck // the lock dies with us
	f, err := r.read()
	if err != nil {
		f = ratchetFile{}
	}
	if f.Marks == nil {
		f.Marks = make(map[string]map[string][]mark)
	}
	marks := f.Marks[key.String()]
	if marks == nil {
		marks = make(map[string][]mark)
		f.Marks[key.String()] = marks
	}
	was := baseline(marks, holds)
	changed := false
	for pkg, c := range now {
		old, had := was[pkg]
		if c.Total == 0 || had && old == c && newestAt(marks[pkg], commit) {
			continue
		}
		if had && c.exact() < old.exact() && c.uncovered() > old.uncovered() {
			c = old // it passed within the tolerance: the mark goes with the commit as it was
			if newestAt(marks[pkg], commit) {
				continue
			}
		}
		m := mark{c.Covered, c.Total, commit, r.now().Unix()}
		list := slices.DeleteFunc(marks[pkg], func(o mark) bool { return o.Commit == commit })
		list = append([]mark{m}, list...)
		marks[pkg] = list[:min(len(list), marksKept)]
		changed = true
	}
	if !changed {
		return nil
	}
	f.Version = 1
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("coverage baseline: %w", err)
	}
	if err := fsx.Replace(r.File, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("coverage baseline: %w", err)
	}
	return nil
}

func newestAt(list []mark, commit string) bool { return len(list) > 0 && list[0].Commit == commit }

func (r *Ratchet) now() time.Time {
	if r.Now == nil {
		return time.Time{}
	}
	return r.Now()
}

func (r *Ratchet) read() (ratchetFile, error) {
	var f ratchetFile
	data, err := fsx.ReadFile(r.File, maxRatchet)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, fmt.Errorf("coverage baseline: %w", err)
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return ratchetFile{}, fmt.Errorf("coverage baseline %s: %w", r.File, err)
	}
	if f.Version != 1 {
		return ratchetFile{}, fmt.Errorf("coverage baseline %s: version %d is not known", r.File, f.Version)
	}
	for _, pkgs := range f.Marks {
		for pkg, list := range maps.Clone(pkgs) {
			sound := slices.DeleteFunc(list, func(m mark) bool { return m.Covered < 0 || m.Total < m.Covered })
			if len(sound) == 0 {
				delete(pkgs, pkg)
				continue
			}
			pkgs[pkg] = sound
		}
	}
	return f, nil
}
