package emits

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/hook"
)

func tool(name, input string) *hook.Tool {
	return &hook.Tool{Name: name, Kind: hook.KindOf(name), Input: json.RawMessage(input)}
}

func TestToolsAreKnownUnderEveryServer(t *testing.T) {
	const want = "acme-local-execute-replay"
	for _, tt := range []struct {
		name, input string
		is          bool
	}{
		{"mcp__acme__acme-local-execute-replay", `{}`, true},
		{"mcp__plugin_acme_acme__acme-local-execute-replay", `{}`, true},
		{"mcp__x__acme_local_execute_replay", `{}`, true},
		{"mcp_acme_acme-local-execute-replay", `{}`, true},
		{"mcp_plugin_acme_acme_acme...-local-execute-replay", `{}`, true},
		{"call_mcp_tool", `{"Arguments":{},"ServerName":"acme","ToolName":"acme-local-execute-replay"}`, true},
		{"acme-local-execute-replay", `{}`, true},
		{"mcp__acme__acme-local-execute-replay-list", `{}`, false},
		{"mcp__acme__other-acme-local-execute-replay", `{}`, false},
		{"mcp__acme-local-execute-replay__other", `{}`, false},
		{"Bash", `{"command":"acme-local-execute-replay"}`, false},
		{"", `{}`, false},
	} {
		if got := Is(tool(tt.name, tt.input), "x", want); got != tt.is {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if Is(nil, want) {
		t.Error("no tool is one")
	}
}

func TestEmits(t *testing.T) {
	for _, tt := range []struct {
		name, input string
		classified  []string
		diagnosed   bool
	}{
		{"one case", `{"eventType":"pre-execution-classification","testCaseId":"t1"}`, []string{"t1"}, false},
		{"snake case", `{"event_type":"pre-execution-classification","test_case_id":"t1"}`, []string{"t1"}, false},
		{"several", `{"eventType":"pre-execution-classification","testCaseIds":["t1","t2"]}`, []string{"t1", "t2"}, false},
		{"inside", `{"eventType":"pre-execution-classification","payload":{"testCaseId":"t1"}}`, []string{"t1"}, false},
		{"inside a string", `{"eventType":"pre-execution-classification","payload":"{\"testCaseId\":\"t1\"}"}`, []string{"t1"}, false},
		{"number", `{"eventType":"pre-execution-classification","testCaseId":7}`, []string{"7"}, false},
		{"wildcard", `{"eventType":"pre-execution-classification"}`, []string{"*"}, false},
		{"empty case", `{"eventType":"pre-execution-classification","testCaseId":""}`, []string{"*"}, false},
		{"generic caller", `{"ToolName":"x","Arguments":{"eventType":"pre-execution-classification","testCaseId":"t1"}}`, []string{"t1"}, false},
		{"classified failure", `{"eventType":"replay-failure-classified","runId":"r1"}`, nil, true},
		{"resolved failure", `{"eventType":"regen-failure-resolved"}`, nil, true},
		{"another", `{"eventType":"step-started","testCaseId":"t1"}`, nil, false},
		{"not quite", `{"eventType":"failure-resolved-later"}`, nil, false},
		{"none", `{}`, nil, false},
		{"no JSON", `{`, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tl := tool("mcp__a__emit", tt.input)
			if diff := cmp.Diff(tt.classified, Classified(tl)); diff != "" {
				t.Error(diff)
			}
			if Diagnosed(tl) != tt.diagnosed {
				t.Error("diagnosed?")
			}
		})
	}
}

func TestNamesAreWords(t *testing.T) {
	tl := tool("mcp__a__feedback", `{"text":"run r9 wrong button, not r10","meta":{"n":12}}`)
	if diff := cmp.Diff([]string{"r9", "r10", "12"}, Names(tl, []string{"r9", "r1", "r10", "12", "9", ""})); diff != "" {
		t.Error(diff)
	}
}

func TestRuns(t *testing.T) {
	for _, tt := range []struct {
		name, text, raw string
		want            []Run
	}{
		{name: "failed", text: "**Run ID:** r9\n**Status:** failed", want: []Run{{"r9", "failed"}}},
		{name: "passed", text: "## Result\n- **Status:** ✅ Passed\n- **Run ID:** `r1`", want: []Run{{"r1", "passed"}}},
		{name: "colon outside", text: "**Run ID**: r1\n**Status**: error", want: []Run{{"r1", "error"}}},
		{name: "one line", text: "**Run ID:** r1 **Status:** failed", want: []Run{{"r1", "failed"}}},
		{name: "two runs", text: "**Run ID:** r1\n**Status:** passed\n\n**Run ID:** r2\n**Status:** failed", want: []Run{{"r1", "passed"}, {"r2", "failed"}}},
		{name: "two runs, status first", text: "**Status:** passed\n**Run ID:** r1\n**Status:** failed\n**Run ID:** r2", want: []Run{{"r1", "passed"}, {"r2", "failed"}}},
		{name: "nested", raw: `[{"type":"text","text":"**Run ID:** r9\n**Status:** failed"}]`, want: []Run{{"r9", "failed"}}},
		{name: "nested twice", raw: `"{\"content\":[{\"type\":\"text\",\"text\":\"**Run ID:** r9\\n**Status:** failed\"}]}"`, want: []Run{{"r9", "failed"}}},
		{name: "in parts", raw: `[{"text":"**Run ID:** r9"},{"text":"**Status:** failed"}]`, want: []Run{{"r9", "failed"}}},
		{name: "no status", text: "**Run ID:** r9"},
		{name: "no id", text: "**Status:** failed"},
		{name: "an empty id", text: "**Run ID:**\n**Status:** failed"},
		{name: "prose", text: "the run id is r9 and its status: failed"},
		{name: "nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Runs(&hook.Result{Text: tt.text, Raw: json.RawMessage(tt.raw)})); diff != "" {
				t.Error(diff)
			}
		})
	}
	if Runs(nil) != nil || (Run{Status: "failed"}).Passed() || !(Run{Status: "passed"}).Passed() {
		t.Error("misread")
	}
}

func TestSkillsAnnounceThemselves(t *testing.T) {
	if got := Skill(tool("mcp__a__skill-emit", `{"skillName":"acme-test","verdict":"SKIP"}`)); got != "acme-test" {
		t.Error(got)
	}
}

func FuzzEmits(f *testing.F) {
	f.Add("mcp__a__b", `{"eventType":"pre-execution-classification","testCaseIds":["a"]}`, "**Run ID:** r\n**Status:** x")
	f.Fuzz(func(t *testing.T, name, input, result string) {
		tl := tool(name, input)
		ToolName(tl)
		Is(tl, "a-b")
		for _, id := range Classified(tl) {
			if id == "" {
				t.Error("a case without a name")
			}
		}
		for _, r := range Runs(&hook.Result{Text: result}) {
			if r.ID == "" || r.Status == "" {
				t.Errorf("%+v", r)
			}
		}
		Names(tl, []string{"a"})
	})
}
