package tidy

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ec261362/guardrails/core/handoff/pack"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// put writes a file that was last changed so long ago.
func put(t *testing.T, age time.Duration, text string, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	at := now.Add(-age)
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
	return name
}

func slot(t *testing.T, age time.Duration, finished bool, path ...string) string {
	t.Helper()
	dir := filepath.Join(path...)
	put(t, age, `[{"url":"https://github.com/o/r/pull/7"}]`, dir, "prs.json")
	if finished {
		put(t, age, "merged", dir, "result.md")
	}
	return dir
}

func is(t *testing.T, name string, want bool) {
	t.Helper()
	if _, err := os.Lstat(name); (err == nil) != want {
		t.Errorf("%s: %v", name, err)
	}
}

func job(t *testing.T, env map[string]string, packs ...*pack.Pack) Job {
	t.Helper()
	home := t.TempDir()
	return Job{Home: home, StateHome: filepath.Join(home, ".guardrails"), Packs: packs, Now: now, Getenv: func(k string) string { return env[k] }}
}

func TestLimits(t *testing.T) {
	acme := &pack.Pack{Name: "acme", SkipPrefix: "ACME_"}
	for _, tt := range []struct {
		name           string
		env            map[string]string
		packs          []*pack.Pack
		sessions, slot time.Duration
	}{
		{"as they are", nil, nil, 14 * day, 30 * day},
		{"ours", map[string]string{"GUARDRAILS_TTL_DAYS": "3", "GUARDRAILS_SLOT_TTL_DAYS": " 5 "}, nil, 3 * day, 5 * day},
		{"a pack's", map[string]string{"ACME_GUARDRAILS_TTL_DAYS": "3", "ACME_SLOT_TTL_DAYS": "5"}, []*pack.Pack{acme}, 3 * day, 5 * day},
		{"of a pack that is not in force", map[string]string{"ACME_GUARDRAILS_TTL_DAYS": "3"}, nil, 14 * day, 30 * day},
		{"ours first", map[string]string{"GUARDRAILS_TTL_DAYS": "4", "ACME_GUARDRAILS_TTL_DAYS": "3"}, []*pack.Pack{acme}, 4 * day, 30 * day},
		{"no number", map[string]string{"GUARDRAILS_TTL_DAYS": "soon", "GUARDRAILS_SLOT_TTL_DAYS": "1.5"}, nil, 14 * day, 30 * day},
		{"not positive", map[string]string{"GUARDRAILS_TTL_DAYS": "0", "GUARDRAILS_SLOT_TTL_DAYS": "-1"}, nil, 14 * day, 30 * day},
		{"too many", map[string]string{"GUARDRAILS_TTL_DAYS": "99999999999"}, nil, 14 * day, 30 * day},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := job(t, tt.env, tt.packs...)
			if got := j.days("TTL_DAYS", sessionDays); got != tt.sessions {
				t.Errorf("sessions %v", got)
			}
			if got := j.days("SLOT_TTL_DAYS", slotDays); got != tt.slot {
				t.Errorf("slots %v", got)
			}
		})
	}
}

func TestRunDropsTheDeadAndSparesTheLiving(t *testing.T) {
	foreign := &pack.Pack{Name: "acme", SkipPrefix: "ACME_", Slots: "~/.acme/sessions"}
	open := &pack.Pack{Name: "beta", SkipPrefix: "BETA_", Slots: "~/.beta/slots", SlotGC: true}
	j := job(t, nil, foreign, open)
	dead := put(t, 15*day, "{}", j.StateHome, "sessions", "claude-a.json")
	alive := put(t, 13*day, "{}", j.StateHome, "sessions", "claude-b.json")
	oldSlot := slot(t, 31*day, true, j.StateHome, "slots", "old")
	newSlot := slot(t, 29*day, true, j.StateHome, "slots", "new")
	openSlot := slot(t, 400*day, false, j.StateHome, "slots", "open")
	theirs := slot(t, 400*day, true, j.Home, ".acme", "sessions", "x")
	lent := slot(t, 400*day, true, j.Home, ".beta", "slots", "x")
	page := put(t, 31*day, `{"version":1}`, j.StateHome, "ledger", "o-r-7-x.json")
	beside := put(t, 31*day, `{"version":1}`, j.Home, ".acme", "ledger", "o-r-7-x.json")
	gone := put(t, time.Hour, `{"root":"`+filepath.ToSlash(filepath.Join(j.Home, "gone"))+`"}`, j.StateHome, "protect", "a.json")
	here := put(t, 400*day, `{"root":"`+filepath.ToSlash(j.Home)+`"}`, j.StateHome, "protect", "b.json")
	human := put(t, 400*day, `{"root":""}`, j.StateHome, "protect", "human.json")

	r, err := j.Run()
	if err != nil {
		t.Fatal(err)
	}
	if want := (Report{Sessions: 1, Slots: 2, Ledgers: 2, Projects: 1}); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
	for name, want := range map[string]bool{
		dead: false, alive: true, oldSlot: false, newSlot: true, openSlot: true, theirs: true, lent: false, page: false, beside: false, gone: false, here: true, human: true,
	} {
		is(t, name, want)
	}
}

func TestDailyRunsOnceADay(t *testing.T) {
	j := job(t, nil)
	if _, ran, err := j.Daily(); ran || err != nil {
		t.Errorf("without a state home: %v %v", ran, err)
	}
	first := put(t, 15*day, "{}", j.StateHome, "sessions", "claude-a.json")
	if _, ran, err := j.Daily(); !ran || err != nil {
		t.Errorf("%v %v", ran, err)
	}
	is(t, first, false)
	second := put(t, 15*day, "{}", j.StateHome, "sessions", "claude-b.json")
	j.Now = now.Add(23 * time.Hour)
	if _, ran, _ := j.Daily(); ran {
		t.Error("twice a day")
	}
	is(t, second, true)
	j.Now = now.Add(25 * time.Hour)
	if _, ran, _ := j.Daily(); !ran {
		t.Error("not on the next day")
	}
	is(t, second, false)
}
