// Package slots keeps watch slots: folders on disk, one for each pull request
// that somebody follows. A slot holds prs.json (which pull request, and whose
// session), followup.log, and result.md once it is finished.
//
// It imports core/fsx, core/handoff/pr and the standard library only.
package slots

import (
	"io/fs"
	"time"

	"github.com/ec261362/guardrails/core/handoff/pr"
)

// FS is what reading slots asks of the file system; gate.FS is one.
type FS interface {
	Lstat(name string) (fs.FileInfo, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	ReadFile(name string, max int64) ([]byte, error)
}

// Layout is where slots are, and how they name their owner.
type Layout struct {
	Dir   string
	Owner string // member of prs.json that holds the session's id; "" = sessionId
}

// Slot is one slot.
type Slot struct {
	Slug       string    `json:"slug"`
	Dir        string    `json:"dir"`
	URL        string    `json:"url"`               // "" = prs.json names none
	URLs       []string  `json:"urls,omitempty"`    // all, if there are several
	Session    string    `json:"session,omitempty"` // owner; "" = not recorded
	Finished   bool      `json:"finished"`
	FinishedAt time.Time `json:"finishedAt,omitzero"`
}

// List returns the slots, sorted by slug. A folder that is missing has none; a
// slot that cannot be read has no URL.
func List(fsys FS, l Layout) ([]Slot, error) { return nil, nil }

// Tracked reports whether a slot, open or finished, is for the pull request.
func Tracked(slots []Slot, ref pr.Ref) bool { return false }

// Open returns the slots that are not finished: those that session owns, and
// those of others.
func Open(slots []Slot, session string) (own, orphans []Slot) { return nil, nil }

// Seed makes a slot for a pull request and returns it, or the open one that is
// there. An owner that is not recorded yet is.
func Seed(l Layout, ref pr.Ref, slug, session string, now time.Time) (s Slot, made bool, err error) {
	return Slot{}, false, nil
}

// Finish writes a slot's result.
func Finish(l Layout, slug, result string, now time.Time) (Slot, error) { return Slot{}, nil }

// GC removes slots finished longer than ttl ago, never an open one. It goes on
// after an error and returns all.
func GC(l Layout, now time.Time, ttl time.Duration) (removed int, err error) { return 0, nil }
