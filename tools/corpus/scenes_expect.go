package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	started  = regexp.MustCompile(`(coder|reviewer) (\d+)`)
	exitCode = regexp.MustCompile(`exit (\d+)`)
	attempt  = regexp.MustCompile(`^block (\d)/(\d)`)
	numbers  = regexp.MustCompile(`^(\d+) / (\d+)$`)
	streak   = regexp.MustCompile(`failureStreak (\d+)`)
	lasts    = regexp.MustCompile(`timeout (\d+)`)
)

// differs says how a step did not go as expected, "" if it did. What it cannot
// read of an expectation counts for nothing.
func (w *world) differs(o outcome, want string) (string, error) {
	no := func(format string, args ...any) (string, error) { return fmt.Sprintf(format, args...), nil }
	switch {
	case want == "kept" || want == "deleted" || strings.HasPrefix(want, "mtime now"):
		for _, path := range w.aged {
			info, err := os.Stat(path)
			switch {
			case (err == nil) != (want != "deleted"):
				return no("%s: %v", filepath.Base(path), err)
			case err == nil && want != "kept" && time.Since(info.ModTime()) > time.Minute:
				return no("%s is of %v", filepath.Base(path), info.ModTime())
			}
		}
		return "", nil
	case o.setup && lasts.MatchString(want):
		return w.registered(want)
	case o.setup && want == "exactly the two":
		files, err := tree(filepath.Join(w.project, ".guardrails", "muse-plugin"))
		if err != nil || len(files) != 2 {
			return no("%d files", len(files))
		}
		return "", nil
	case o.setup:
		return "", nil
	case strings.HasPrefix(want, "{") && o.cli:
		var subset map[string]any
		var got map[string]any
		if json.Unmarshal([]byte(want), &subset) != nil || json.Unmarshal([]byte(object(o.raw)), &got) != nil {
			return o.String(), nil
		}
		for k, v := range subset {
			if !reflect.DeepEqual(got[k], v) {
				return no("%s is %v", k, got[k])
			}
		}
		return "", nil
	case strings.HasPrefix(want, "{"), strings.HasPrefix(want, "exit 0, {"):
		var a, b any
		if json.Unmarshal([]byte(want[strings.Index(want, "{"):]), &a) != nil { // words, not JSON
			return o.differs(strings.Trim(want, `{}"`)), nil
		}
		if json.Unmarshal([]byte(o.raw), &b) != nil || !reflect.DeepEqual(a, b) {
			return no("%s", o.raw)
		}
		return "", nil
	case want == "exactly these keys":
		var a map[string]map[string]any
		if json.Unmarshal([]byte(o.raw), &a) != nil || len(a) != 1 || fmt.Sprint(slices.Sorted(maps.Keys(a["hookSpecificOutput"]))) != "[hookEventName updatedInput]" {
			return no("%s", o.raw)
		}
		return "", nil
	case strings.HasPrefix(want, "updatedInput.command = "):
		quoted := strings.TrimPrefix(want, "updatedInput.command = ")
		if !strings.Contains(o.raw, `"command":`+quoted) {
			return no("%s", o.raw)
		}
		return "", nil
	case want == "exit 0, no output":
		return o.differs("no output"), nil
	case strings.HasPrefix(want, "no output") && w.muse(o):
		if strings.TrimSpace(o.raw) != "" {
			return no("%s", o.raw)
		}
		return "", nil
	case strings.HasPrefix(want, "systemMessage"):
		if o.notice == "" || o.decision != "pass" && o.decision != "advise" {
			return o.String(), nil
		}
		return "", nil
	case strings.HasPrefix(want, "additionalContext"):
		if o.decision != "advise" {
			return o.String(), nil
		}
		return "", nil
	case attempt.MatchString(want):
		m := attempt.FindStringSubmatch(want)
		if o.decision != "block" || !strings.Contains(o.text, "attempt "+m[1]+" of "+m[2]) {
			return o.String(), nil
		}
		return "", nil
	case o.cli:
		return w.ended(o, want)
	}
	return o.differs(want), nil
}

// muse reports whether an answer may be Muse's.
func (w *world) muse(o outcome) bool { return !o.cli && strings.TrimSpace(o.raw) != "{}" }

// ended is differs of a command line.
func (w *world) ended(o outcome, want string) (string, error) {
	no := func(format string, args ...any) (string, error) { return fmt.Sprintf(format, args...), nil }
	for _, m := range started.FindAllStringSubmatch(want, -1) {
		if n := w.starts(m[1]); strconv.Itoa(n) != m[2] {
			return no("%s started %d times", m[1], n)
		}
	}
	if m := exitCode.FindStringSubmatch(want); m != nil && strconv.Itoa(o.exit) != m[1] {
		return o.String(), nil
	}
	switch {
	case strings.HasPrefix(want, "approved"):
		if o.exit != 0 || !strings.Contains(o.text, `"status":"approved"`) {
			return o.String(), nil
		}
	case strings.HasPrefix(want, "error before the coder starts"):
		if o.exit == 0 || w.starts("coder") > 0 {
			return o.String(), nil
		}
	case strings.Contains(want, "holds no part of the key"):
		files, err := tree(filepath.Join(w.home, ".guardrails"))
		if err != nil {
			return "", err
		}
		for name, text := range files {
			if strings.Contains(text, "AKIAQ3EG") && !strings.Contains(name, "/bin/") {
				return no("%s holds it", name)
			}
		}
	case strings.Contains(want, "line validator=secrets"):
		if strings.Count(o.text, "secrets") == 0 || strings.Contains(o.text, "AKIAQ3EG") {
			return no("%s", o.text)
		}
	case numbers.MatchString(want):
		m := numbers.FindStringSubmatch(want)
		if !strings.Contains(o.text, `"mutationGeneration":`+m[1]+",") || !strings.Contains(o.text, `"verifiedGeneration":`+m[2]+",") {
			return no("%s", o.text)
		}
	case streak.MatchString(want) && strings.Contains(o.text, `"failureStreak"`):
		if !strings.Contains(o.text, `"failureStreak":`+streak.FindStringSubmatch(want)[1]) {
			return no("%s", o.text)
		}
	case strings.Contains(want, "byte-identical"):
		if _, err := os.Stat(filepath.Join(w.home, ".config", "muse")); err == nil {
			return no("~/.config/muse was written")
		}
	case want == "log empty":
		if text, err := os.ReadFile(filepath.Join(w.home, "muse.log")); err == nil {
			return no("muse was called: %s", text)
		}
	case strings.HasPrefix(want, "says "):
		if !strings.Contains(o.text, strings.TrimPrefix(want, "says ")) {
			return no("%s", o.text)
		}
	case want == "same answer":
		if w.before.raw != "" && w.before.raw != o.raw {
			return no("%s", o.raw)
		}
	case want == "answered as Claude":
		if strings.TrimSpace(o.raw) != "{}" {
			return no("%s", o.raw)
		}
	case want == "one lesson":
		if strings.Count(strings.TrimSpace(o.text), "\n") != 0 || strings.TrimSpace(o.text) == "" {
			return no("%s", o.text)
		}
	case strings.HasPrefix(want, "muse plugins "):
		if !strings.Contains(o.text, want[:strings.Index(want+" <", " <")]) {
			return no("%s", o.text)
		}
	}
	return "", nil
}

// object is the line of an output that is a JSON object.
func object(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "{") {
			return line
		}
	}
	return ""
}

// registered compares the timeout that stands in the settings with a statement's,
// whose first word is the event.
func (w *world) registered(want string) (string, error) {
	event := strings.Fields(w.statement)[0]
	text, err := os.ReadFile(filepath.Join(w.project, ".claude", "settings.local.json"))
	if os.IsNotExist(err) {
		event, _, _ = strings.Cut(want, ",")
		text, err = os.ReadFile(filepath.Join(w.project, ".guardrails", "muse-plugin", "hooks", "hooks.json"))
	}
	if err != nil {
		return "", err
	}
	var file struct {
		Hooks map[string][]struct{ Hooks []struct{ Timeout int } }
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return "", err
	}
	for _, group := range file.Hooks[event] {
		for _, h := range group.Hooks {
			if strconv.Itoa(h.Timeout) == lasts.FindStringSubmatch(want)[1] {
				return "", nil
			}
		}
	}
	return fmt.Sprintf("%s: %+v", event, file.Hooks[event]), nil
}
