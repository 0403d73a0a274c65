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

func TestScenesWithTextsForAReaderAreLeftOut(t *testing.T) {
	s := scene{Scenario: []json.RawMessage{[]byte(`{"event":"Stop"}`), []byte(`"claim 11"`)}, Expect: []string{"pass", ""}}
	if _, ok := s.steps("claude"); ok {
		t.Error("a text was taken for a step")
	}
	s = scene{Scenario: []json.RawMessage{[]byte(`{"event":"Stop"}`)}, Expect: []string{"pass"}}
	if _, ok := s.steps("claude"); !ok {
		t.Error("an event was not read")
	}
}
