package main

import (
	"encoding/json"
	"testing"
)

func TestAnswersAreReadAsTheHostReadsThem(t *testing.T) {
	for out, want := range map[string]outcome{
		`{}`: {decision: "pass"},
		`{"decision":"block","reason":"run E2E"}`: {decision: "block", text: "run E2E"},
		`{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"},"systemMessage":"n"}`:       {decision: "deny", text: "no", notice: "n"},
		`{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"https://x/pull/7 is to be watched"}}`: {decision: "advise", text: "https://x/pull/7 is to be watched"},
	} {
		got, err := read([]byte(out))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", out, got, err)
		}
	}
}

func TestExpectationsAreCompared(t *testing.T) {
	block := outcome{decision: "block", text: "the E2E run is owed"}
	for _, tt := range []struct {
		o    outcome
		want string
		good bool
	}{
		{block, "block", true},
		{block, "block:e2e", true},
		{block, "block:walkthrough", false},
		{block, "block: names it and starts nothing", true},
		{block, "pass", false},
		{block, "pass (no walkthrough block)", true},
		{block, "pass (no e2e block)", false},
		{block, "", true},
		{outcome{decision: "pass", notice: "released"}, "release", true},
		{outcome{decision: "pass"}, "release", false},
		{outcome{decision: "pass"}, "pass+notice", false},
		{outcome{decision: "advise", text: "pr 7"}, "advise:7", true},
		{outcome{cli: true, exit: 2}, "exit 2", true},
		{outcome{cli: true, exit: 1}, "exit 2", false},
		{outcome{cli: true, exit: 1}, "the PR is listed", true},
	} {
		if got := tt.o.differs(tt.want); (got == "") != tt.good {
			t.Errorf("%v, want %q: %q", tt.o, tt.want, got)
		}
	}
}

func TestStepsAreEventsOrSituations(t *testing.T) {
	s := scene{Scenario: []json.RawMessage{[]byte(`{"event":"Stop"}`), []byte(`"claim 11"`)}, Expect: []string{"pass", ""}}
	steps, ok := s.steps("claude")
	if !ok || steps[0].Event != "Stop" || steps[1].situation != "claim 11" {
		t.Errorf("%+v, %v", steps, ok)
	}
	s = scene{Scenario: []json.RawMessage{[]byte(`{"event":"Stop","host":"codex"}`)}, Expect: []string{"pass"}}
	if _, ok := s.steps("claude"); ok {
		t.Error("a host that is none of ours was taken")
	}
	s = scene{Scenario: []json.RawMessage{[]byte(`{"event":"Stop"}`)}, Expect: []string{"pass", ""}}
	if _, ok := s.steps("claude"); ok {
		t.Error("an expectation without a step was taken")
	}
}

func TestExpectationsOfScenesAreRead(t *testing.T) {
	const rewritten = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"rtk git status"}}}`
	for _, tt := range []struct {
		o    outcome
		want string
		good bool
	}{
		{outcome{setup: true}, "anything", true},
		{outcome{raw: rewritten}, rewritten, true},
		{outcome{raw: "{}"}, rewritten, false},
		{outcome{raw: rewritten}, "exit 0, " + rewritten, true},
		{outcome{raw: rewritten}, "exactly these keys", true},
		{outcome{raw: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`}, "exactly these keys", false},
		{outcome{raw: rewritten}, `updatedInput.command = "rtk git status"`, true},
		{outcome{decision: "block", text: "attempt 2 of 3: x"}, "block 2/3", true},
		{outcome{decision: "block", text: "attempt 1 of 3: x"}, "block 2/3", false},
		{outcome{decision: "pass", notice: "n"}, "systemMessage, no decision", true},
		{outcome{decision: "block", notice: "n"}, "systemMessage", false},
		{outcome{decision: "pass", raw: ""}, "no output", true},
		{outcome{decision: "pass", raw: "{x}"}, "no output", false},
		{outcome{cli: true, exit: 2}, "coder 0, exit 2", true},
		{outcome{cli: true, exit: 2}, "coder 1, exit 2", false},
		{outcome{cli: true, exit: 1}, "exit 2 and a message", false},
		{outcome{cli: true, raw: `{"status":"failed","x":1}`}, `{"status":"failed"}`, true},
		{outcome{cli: true, raw: `{"status":"approved"}`}, `{"status":"failed"}`, false},
		{outcome{cli: true, text: `{"mutationGeneration":7,"verifiedGeneration":6,"x":1}`}, "7 / 6", true},
		{outcome{cli: true, text: `{"mutationGeneration":7,"verifiedGeneration":7,"x":1}`}, "7 / 6", false},
		{outcome{cli: true, text: `{"failureStreak":0}`}, "failureStreak 1, not recovering", false},
	} {
		w := world{home: t.TempDir()}
		if got, err := w.differs(tt.o, tt.want); err != nil || (got == "") != tt.good {
			t.Errorf("%+v, want %q: %q, %v", tt.o, tt.want, got, err)
		}
	}
}
