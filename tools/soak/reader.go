package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// session is what this program reads of a session's file, by the format that
// docs describe and not with the product's code.
type session struct {
	Host, ID string
	Sets     map[string][]string
	Agents   map[string]struct{ Sets map[string][]string }
	Lost     int64
}

// sessions reads every session file. One that is no JSON is an error.
func (h *home) sessions() (map[string]session, error) {
	names, err := filepath.Glob(h.state("sessions", "*.json"))
	if err != nil {
		return nil, err
	}
	all := map[string]session{}
	for _, name := range names {
		data, err := regular(name)
		if err != nil {
			return nil, err
		}
		var s session
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[s.ID] = s
	}
	return all, nil
}

// regular reads a file that is one: a pipe that a scene put there would have us
// wait for ever.
func regular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", name)
	}
	return os.ReadFile(name)
}

// has is the members of a set.
func has(members []string) map[string]bool {
	m := make(map[string]bool, len(members))
	for _, x := range members {
		m[x] = true
	}
	return m
}

// logged is what the log says.
type logged struct {
	lines, bad int
	events     map[string]int
	lapses     map[string]int
}

func (h *home) logged() (l logged, err error) {
	l.events, l.lapses = map[string]int{}, map[string]int{}
	names, err := filepath.Glob(h.state("log", "*.jsonl"))
	if err != nil {
		return l, err
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 256<<20 {
			continue // put there by a scene
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return l, err
		}
		for line := range bytes.Lines(data) {
			var e struct{ Decision, Event, Lapse string }
			if json.Unmarshal(line, &e) != nil || e.Decision == "" {
				l.bad++
				continue
			}
			l.lines++
			l.events[e.Event]++
			if e.Lapse != "" {
				l.lapses[e.Lapse]++
			}
		}
	}
	return l, nil
}

// generation is how many changes of a project were counted: in its evidence, and
// in what waits beside it to be added.
func (h *home) generation() (counted, waiting int, err error) {
	data, err := regular(filepath.Join(h.project, ".guardrails", "state.json"))
	if err != nil {
		return 0, 0, err
	}
	var e struct{ MutationGeneration int }
	if err := json.Unmarshal(data, &e); err != nil {
		return 0, 0, err
	}
	names, err := filepath.Glob(filepath.Join(h.project, ".guardrails", "state.pending", "*"))
	return e.MutationGeneration, len(names), err
}

// files lists the regular files below a folder, less the locks and our marks.
func files(dir string) (names []string) {
	_ = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasSuffix(name, ".lock") {
			names = append(names, name)
		}
		return nil
	})
	return names
}
