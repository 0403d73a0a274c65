// Package tidy drops state that nothing needs any more. It goes by inactivity,
// never by age: what somebody still uses stays.
//
// The hook lane calls it at a session's start, gc by hand. It judges nothing.
package tidy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/handoff/pack"
	"github.com/ec261362/guardrails/core/handoff/review"
	"github.com/ec261362/guardrails/core/handoff/slots"
	"github.com/ec261362/guardrails/core/session"
)

// How long things are kept after their last use, in days.
const (
	sessionDays = 14
	slotDays    = 30
)

// Job is one tidying up.
type Job struct {
	Home      string
	StateHome string
	Root      string       // project root, for packs that keep their slots there; "" = none
	Packs     []*pack.Pack // those in force: their names for the limits, and their slots if they let us
	Getenv    func(string) string
	Now       time.Time
}

// Report counts what was removed.
type Report struct {
	Sessions int `json:"sessions"`
	Slots    int `json:"slots"`
	Ledgers  int `json:"ledgers"`
	Projects int `json:"projects"` // records of projects that are gone
}

// Daily is Run, at most once a day: a marker in the state home keeps the day.
// ran is false when it is not due.
func (j Job) Daily() (r Report, ran bool, err error) {
	marker := filepath.Join(j.StateHome, "tidied")
	switch info, err := os.Stat(marker); {
	case err == nil:
		if age := j.Now.Sub(info.ModTime()); age >= 0 && age < 24*time.Hour {
			return Report{}, false, nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return Report{}, false, fmt.Errorf("tidying: %w", err)
	}
	// Marked first, so that of many starts at once hardly two sweep.
	if err := mark(marker, j.Now); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Report{}, false, nil // no state home, no state
		}
		return Report{}, false, fmt.Errorf("tidying: %w", err)
	}
	r, err = j.Run()
	return r, true, err
}

func mark(name string, now time.Time) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Chtimes(name, now, now)
}

// Run removes sessions idle for 14 days, watch slots finished and review ledgers
// idle for 30, and records of projects that are gone. It goes on after an error
// and returns all.
func (j Job) Run() (r Report, err error) {
	var errs []error
	add := func(n int, err error) int {
		errs = append(errs, err)
		return n
	}
	store := session.Store{Dir: filepath.Join(j.StateHome, "sessions"), Now: func() time.Time { return j.Now }}
	r.Sessions = add(store.Sweep(j.Now, j.days("TTL_DAYS", sessionDays)))
	ttl := j.days("SLOT_TTL_DAYS", slotDays)
	for _, l := range j.layouts() {
		r.Slots += add(slots.GC(l, j.Now, ttl))
	}
	for _, dir := range j.ledgers() {
		r.Ledgers += add(review.Ledger{Dir: dir}.GC(j.Now, ttl))
	}
	r.Projects = add(j.projects())
	return r, errors.Join(errs...)
}

// days returns a limit: the first variable that is a positive whole number of
// days counts, ours before those of the packs in force.
func (j Job) days(name string, fallback int) time.Duration {
	names := []string{"GUARDRAILS_" + name}
	for _, p := range j.Packs {
		if p.SkipPrefix == "" || p.SkipPrefix == "GUARDRAILS_" {
			continue
		}
		if name == "TTL_DAYS" {
			names = append(names, p.SkipPrefix+"GUARDRAILS_TTL_DAYS")
		} else {
			names = append(names, p.SkipPrefix+name)
		}
	}
	for _, name := range names {
		const most = 36500
		if n, err := strconv.Atoi(strings.TrimSpace(j.Getenv(name))); err == nil && n > 0 && n <= most {
			return time.Duration(n) * 24 * time.Hour
		}
	}
	return time.Duration(fallback) * 24 * time.Hour
}

// layouts are our own slots, and those of packs that say that finished ones may
// go.
func (j Job) layouts() []slots.Layout {
	out := []slots.Layout{{Dir: Slots(j.StateHome)}}
	for _, p := range j.Packs {
		if dir := j.place(p.Slots); p.SlotGC && dir != "" && dir != out[0].Dir {
			out = append(out, slots.Layout{Dir: dir, Owner: p.SlotOwner})
		}
	}
	return out
}

// ledgers are the folders of review ledgers, which are ours: beside each pack's
// slots.
func (j Job) ledgers() []string {
	out := []string{filepath.Join(j.StateHome, "ledger")}
	for _, p := range j.Packs {
		dir := j.place(p.Slots)
		if dir == "" {
			continue
		}
		if dir = filepath.Join(filepath.Dir(dir), "ledger"); !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// Slots is the folder of our own watch slots.
func Slots(stateHome string) string { return filepath.Join(stateHome, "slots") }

func (j Job) place(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/.guardrails/"); ok {
		return filepath.Join(j.StateHome, filepath.FromSlash(rest))
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if j.Home == "" {
			return ""
		}
		return filepath.Join(j.Home, filepath.FromSlash(rest))
	}
	switch {
	case name == "" || filepath.IsAbs(name):
		return name
	case j.Root == "":
		return ""
	}
	return filepath.Join(j.Root, filepath.FromSlash(name))
}

// maxRecord is the most that is read of a project's record, in bytes.
const maxRecord = 4 << 20

// projects removes the records of projects whose root is gone. One on a volume
// that is not mounted looks the same: its record is made anew when it is back.
func (j Job) projects() (removed int, err error) {
	dir := filepath.Join(j.StateHome, "protect")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("records of projects: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") || !e.Type().IsRegular() {
			continue
		}
		name := filepath.Join(dir, e.Name())
		data, err := fsx.ReadFile(name, maxRecord)
		var record struct {
			Root string `json:"root"`
		}
		if err != nil || json.Unmarshal(data, &record) != nil || !filepath.IsAbs(record.Root) {
			continue // the human's own, or not ours to judge
		}
		if _, err := os.Stat(record.Root); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.Remove(name); err != nil {
			errs = append(errs, fmt.Errorf("records of projects: %w", err))
			continue
		}
		removed++
	}
	return removed, errors.Join(errs...)
}
