package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// remembered checks that the session has every file that was acknowledged.
func (h *home) remembered(r *result, what, id string, edited []string) {
	all, err := h.sessions()
	if err != nil {
		r.problem("%s: %v", what, err)
		return
	}
	touched := has(all[id].Sets["touched"])
	for _, file := range edited {
		if touched[file] {
			r.kept++
		} else {
			r.problem("%s: %s was acknowledged as edited, and the session does not have it", what, file)
		}
	}
}

// told reports whether the human was told at the start of a new session, or,
// where the log can be written, the log has a lapse.
func (h *home) noticed(ctx context.Context, id string) string {
	a := h.hook(ctx, h.call("SessionStart", id, map[string]any{"source": "startup"}), 0)
	if a.v.notice != "" {
		return a.v.notice
	}
	l, err := h.logged()
	if err != nil {
		return ""
	}
	for text := range l.lapses {
		return text
	}
	return ""
}

// fullDisk fills the file system that the home is on, and empties it again.
func fullDisk(ctx context.Context, s *stage, r *result) error {
	if !root() {
		return fmt.Errorf("%w: it mounts a small file system, which only root may", errNotHere)
	}
	mount := filepath.Join(s.dir, "small")
	if err := os.MkdirAll(mount, 0o755); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mount).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: no tmpfs can be mounted: %s", errNotHere, strings.TrimSpace(string(out)))
	}
	defer func() { _ = exec.Command("umount", mount).Run() }()
	h, err := s.newHome("small/home", evidenceConfig)
	if err != nil {
		return err
	}
	r.how = "a tmpfs of 1 MB for home and project, filled to its last byte"
	const id = "disk"
	var edited []string
	for range 10 {
		edited = append(edited, h.battery(ctx, r, "room left", id, true)...)
	}
	h.remembered(r, "room left", id, edited)
	filler := filepath.Join(mount, "filler")
	if err := fill(filler); err != nil {
		return err
	}
	before := len(r.problems)
	for i := range 10 {
		// What is acknowledged here cannot be kept: this must be told.
		h.battery(ctx, r, "disk full", fmt.Sprint(id, i%2), true)
	}
	if len(r.problems) == before {
		r.note("on the full disk every call was answered, the dangerous one refused, and no other stopped by it")
	}
	if text := h.noticed(ctx, "disk-new"); text != "" {
		r.told++
		r.note("told: %s", firstLine(text))
	} else {
		r.problem("nobody is told that the disk is full")
	}
	h.remembered(r, "disk full", id, edited)
	if err := os.Remove(filler); err != nil {
		return err
	}
	for range 3 {
		edited = append(edited, h.battery(ctx, r, "room again", id, true)...)
	}
	h.remembered(r, "room again", id, edited)
	return nil
}

// fill writes until nothing fits.
func fill(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 1 << 16; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	return nil
}

const nobody = 65534

// readOnlyHome runs the hooks where nothing can be written.
func readOnlyHome(ctx context.Context, s *stage, r *result) error {
	// The folders of a test run are often closed to others.
	if err := os.Chmod(s.dir, 0o755); err != nil {
		return err
	}
	for _, started := range []bool{false, true} {
		name, id := "fresh", "readonly"
		if started {
			name = "used"
		}
		h, err := s.newHome(name, "")
		if err != nil {
			return err
		}
		var edited []string
		if started {
			edited = h.battery(ctx, r, "writable", id, false)
		}
		bin, err := s.copied(filepath.Join(s.dir, "bin"))
		if err != nil {
			return err
		}
		stage := *s
		stage.bin = bin
		h.stage = &stage
		switch {
		case root():
			h.user = nobody
			// Readable for others, as a mount that is read-only would be.
			err = exec.CommandContext(ctx, "chmod", "-R", "a+rX", h.dir).Run()
			r.how = fmt.Sprintf("running as user %d in a home of root's", nobody)
		default:
			err = exec.CommandContext(ctx, "chmod", "-R", "a-w", h.dir).Run()
			defer func() { _ = exec.Command("chmod", "-R", "u+w", h.dir).Run() }()
			r.how = "taking the right to write away from its own files"
		}
		if err != nil {
			return err
		}
		for range 3 {
			h.battery(ctx, r, name+" home", id, false)
		}
		a := h.hook(ctx, h.call("SessionStart", "another", map[string]any{"source": "startup"}), 0)
		if a.v.notice == "" {
			r.problem("%s home: nobody is told that nothing can be kept: %s", name, a.out)
		} else {
			r.told++
			r.note("told in a %s home: %s", name, firstLine(strings.ReplaceAll(a.v.notice, h.dir, "~")))
		}
		h.remembered(r, name+" home", id, edited)
	}
	return nil
}

// copied puts the binaries where another user can run them.
func (s *stage) copied(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{s.bin, filepath.Join(filepath.Dir(s.bin), "guardrails-full")} {
		data, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o755); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, filepath.Base(s.bin)), nil
}

// clockJumps has everything that was written so far come from another time, as
// it does after a clock that was wrong is put right: times in the files, times
// of the files, names of the log's days.
func clockJumps(ctx context.Context, s *stage, r *result) error {
	r.how = "moving every time that was written, in the files, on them and in their names (the clock itself is the machine's, and stays)"
	for _, jump := range []time.Duration{time.Hour, -time.Hour, 40 * 24 * time.Hour, -40 * 24 * time.Hour, 20 * 365 * 24 * time.Hour, -20 * 365 * 24 * time.Hour} {
		what := fmt.Sprintf("a clock %.0f h off", jump.Hours())
		for _, config := range []string{"", evidenceConfig} {
			h, err := s.newHome(fmt.Sprintf("home%d-%d", int(jump.Hours()), len(config)), config)
			if err != nil {
				return err
			}
			const id = "clock"
			edited := h.battery(ctx, r, "before "+what, id, config != "")
			if err := h.shift(jump); err != nil {
				return err
			}
			for range 3 {
				edited = append(edited, h.battery(ctx, r, what, id, config != "")...)
			}
			h.remembered(r, what, id, edited)
			if config != "" {
				counted, waiting, err := h.generation()
				if err != nil || counted+waiting != len(edited) {
					r.problem("%s: evidence counted %d of %d changes (%v)", what, counted+waiting, len(edited), err)
				}
				r.kept += len(edited)
			}
		}
	}
	return nil
}

// shift moves every time in and on the files of a home.
func (h *home) shift(by time.Duration) error {
	for _, dir := range []string{h.state(), filepath.Join(h.project, ".guardrails")} {
		for _, name := range files(dir) {
			info, err := os.Stat(name)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if err := os.WriteFile(name, shifted(data, by), info.Mode()); err != nil {
				return err
			}
			at := info.ModTime().Add(by)
			if err := os.Chtimes(name, at, at); err != nil {
				return err
			}
			if day, err := time.Parse("2006-01-02.jsonl", filepath.Base(name)); err == nil {
				if err := os.Rename(name, filepath.Join(filepath.Dir(name), day.Add(by).Format("2006-01-02.jsonl"))); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
