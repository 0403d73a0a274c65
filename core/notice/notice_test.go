package notice

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/engine"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// told runs events through the gates and says which of them carried a notice.
func told(t *testing.T, s Settings, now *time.Time, events ...hook.EventName) []bool {
	t.Helper()
	e := engine.Engine{
		Gates: New(s),
		Env:   gate.Env{Now: func() time.Time { return *now }},
		Store: &session.Store{Dir: filepath.Join(t.TempDir(), "s"), Now: func() time.Time { return *now }},
		Caps: hook.Capabilities{Notice: map[hook.EventName]int{
			hook.SessionStart: 2000, hook.UserPromptSubmit: 2000, hook.PreToolUse: 2000, hook.PostToolUse: 2000, hook.Stop: 2000, hook.SubagentStop: 2000,
		}},
	}
	var out []bool
	for _, name := range events {
		ev := &hook.Event{Name: name, Host: "h", SessionID: "s"}
		if name.BeforeTool() || name.AfterTool() {
			ev.Tool = &hook.Tool{Name: "Write", Kind: hook.Write, Input: json.RawMessage(`{"file_path":"/p/x","content":"y"}`)}
		}
		out = append(out, e.Judge(context.Background(), ev).Verdict.Notice != "")
		*now = now.Add(25 * time.Second)
	}
	return out
}

func TestABrokenConfigurationIsToldAlwaysAndOnToolCallsOnceAMinute(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	got := told(t, Settings{Problems: "broken"}, &now,
		hook.SessionStart, hook.UserPromptSubmit, hook.PreToolUse, hook.PostToolUse, hook.PreToolUse, hook.PostToolUse, hook.Stop, hook.SubagentStop)
	want := []bool{true, true, true, false, false, true, true, true}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
}

func TestWhatWaitsForTrustIsToldOnceASessionAndNeverAtATurnEnd(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	got := told(t, Settings{Held: "held"}, &now, hook.Stop, hook.PostToolUse, hook.SessionStart, hook.UserPromptSubmit)
	if d := cmp.Diff([]bool{false, true, false, false}, got); d != "" {
		t.Fatal(d)
	}
}

func TestWhatIsOffIsToldAtEverySessionStart(t *testing.T) {
	for _, s := range []Settings{{Off: "off"}} {
		now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
		got := told(t, s, &now, hook.SessionStart, hook.PreToolUse, hook.SessionStart)
		if d := cmp.Diff([]bool{true, false, true}, got); d != "" {
			t.Errorf("%+v: %s", s, d)
		}
	}
}

func TestNothingToTellIsNoGate(t *testing.T) {
	if n := len(New(Settings{})); n != 0 {
		t.Fatalf("%d gates", n)
	}
}

func TestTheAgentIsToldThatABrokenConfigurationIsTheHumans(t *testing.T) {
	e := engine.Engine{Gates: New(Settings{Problems: "broken"})}
	for name, want := range map[hook.EventName]string{hook.SessionStart: forAgent, hook.Stop: ""} {
		if got := e.Judge(context.Background(), &hook.Event{Name: name}).Verdict.Context; got != want {
			t.Errorf("%s: context %q, want %q", name, got, want)
		}
	}
}
