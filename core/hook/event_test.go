package hook

import "testing"

func TestEventNamesKnowTheirPlace(t *testing.T) {
	for e, want := range map[EventName][3]bool{
		PreToolUse: {true, false, false}, PreSkillShellCommand: {true, false, false}, PermissionRequest: {true, false, false},
		PostToolUse: {false, true, false}, PostToolUseFailure: {false, true, false}, PostToolBatch: {},
		Stop: {false, false, true}, SubagentStop: {false, false, true}, StopFailure: {}, SessionStart: {}, UnknownEvent: {},
	} {
		if got := [3]bool{e.BeforeTool(), e.AfterTool(), e.TurnEnd()}; got != want {
			t.Errorf("%q: before, after a tool, end of a turn: got %v, want %v", e, got, want)
		}
	}
}

func TestOnlyAHumansPromptIsTyped(t *testing.T) {
	for _, tt := range []struct {
		e    Event
		want bool
	}{
		{Event{Name: UserPromptSubmit, Prompt: "do it"}, true},
		{Event{Name: UserPromptSubmit, Prompt: "do it", Source: "user"}, true},
		{Event{Name: UserPromptSubmit, Prompt: "look: <task-notification>"}, true},
		{Event{Name: UserPromptSubmit, Prompt: " <task-notification>\n<task-id>b1"}, false},
		{Event{Name: UserPromptSubmit, Prompt: "go on", Source: "loop_wakeup"}, false},
		{Event{Name: UserPromptSubmit, Prompt: "run the tests first", Source: Replay}, false},
		{Event{Name: UserPromptExpansion, Prompt: "/demo"}, false},
		{Event{}, false},
	} {
		if got := tt.e.Typed(); got != tt.want {
			t.Errorf("%+v: got %v", tt.e, got)
		}
	}
}

func TestZeroValuesHaveNoOpinion(t *testing.T) {
	var v Verdict
	if v.Decision != Pass || !v.Silent() || v.Decision.String() != "pass" {
		t.Errorf("zero verdict %+v", v)
	}
	var r Result
	if r.Outcome != Unknown || r.Outcome.String() != "unknown" {
		t.Errorf("zero result %+v", r)
	}
	if KindOf("") != Other || Other.String() != "other" || ToolKind(99).String() != "other" || ToolKind(-1).String() != "other" {
		t.Error("an unknown tool is other")
	}
	if (Verdict{Notice: "n"}).Silent() || (Verdict{Context: "c"}).Silent() || (Verdict{Decision: Advise}).Silent() || (Verdict{Result: []byte("1")}).Silent() {
		t.Error("a verdict that says something is silent")
	}
}

func TestDecisionsRankAsTheyMerge(t *testing.T) {
	order := []Decision{Pass, Advise, Rewrite, Ask, Deny}
	for i := 1; i < len(order); i++ {
		if order[i-1].Rank() >= order[i].Rank() {
			t.Errorf("%s does not rank below %s", order[i-1], order[i])
		}
	}
	if Deny.Rank() != Block.Rank() {
		t.Error("deny and block rank apart")
	}
	for d, want := range map[Decision]string{Pass: "pass", Advise: "advise", Rewrite: "rewrite", Ask: "ask", Deny: "deny", Block: "block", 99: "pass"} {
		if d.String() != want {
			t.Errorf("%d: %s, want %s", d, d, want)
		}
	}
}

func TestKindNames(t *testing.T) {
	seen := make(map[string]bool)
	for k := Other; k <= MCP; k++ {
		if seen[k.String()] {
			t.Errorf("%s is used twice", k)
		}
		seen[k.String()] = true
	}
	for o, want := range map[Outcome]string{Unknown: "unknown", Succeeded: "succeeded", Failed: "failed"} {
		if o.String() != want {
			t.Errorf("%s, want %s", o, want)
		}
	}
}
