package claude

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

func TestACommandThatEndedInTheBackgroundIsTold(t *testing.T) {
	const transcript = `{"type":"assistant","cwd":"/w/sub","message":{"content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"npm test","run_in_background":true}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"Command running in background"}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"toolu_2","name":"Agent","input":{"prompt":"x"}}]}}
`
	note := func(id, status, summary string) string {
		return "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>" + id + "</tool-use-id>\n<output-file>/tmp/b1.output</output-file>\n<status>" + status + "</status>\n<summary>" + summary + "</summary>\n</task-notification>"
	}
	for _, tt := range []struct {
		name, prompt string
		want         hook.EventName
		outcome      hook.Outcome
		interrupted  bool
	}{
		{"ended well", note("toolu_1", "completed", `Background command "a step" completed (exit code 0)`), hook.PostToolUse, hook.Succeeded, false},
		{"failed", note("toolu_1", "failed", `Background command "a step" failed with exit code 3`), hook.PostToolUseFailure, hook.Failed, false},
		{"killed", note("toolu_1", "killed", `Background command "a step" was stopped`), hook.PostToolUse, hook.Unknown, true},
		{"another call", note("toolu_9", "completed", "completed (exit code 0)"), hook.UnknownEvent, 0, false},
		{"no command", note("toolu_2", "completed", "Agent completed"), hook.UnknownEvent, 0, false},
		{"typed", "look: " + note("toolu_1", "completed", "completed (exit code 0)"), hook.UnknownEvent, 0, false},
		{"still running", strings.Replace(note("toolu_1", "x", ""), "<status>x</status>\n", "", 1), hook.UnknownEvent, 0, false},
	} {
		got := Adapter{}.Finished(hook.Event{Name: hook.UserPromptSubmit, SessionID: "s", Cwd: "/w", Prompt: tt.prompt}, []byte(transcript), func(path string) []byte {
			return []byte("3 passed from " + path)
		})
		if tt.want == hook.UnknownEvent {
			if len(got) > 0 {
				t.Errorf("%s: %+v", tt.name, got)
			}
			continue
		}
		if len(got) != 1 {
			t.Fatalf("%s: %d", tt.name, len(got))
		}
		e := got[0]
		cmd, _ := e.Tool.Command()
		if e.Name != tt.want || e.Tool.Result.Outcome != tt.outcome || e.Tool.Result.Interrupted != tt.interrupted || cmd != "npm test" || e.Tool.ID != "toolu_1" ||
			e.Cwd != "/w/sub" || e.SessionID != "s" || e.Prompt != "" || e.Tool.Result.Text != "3 passed from /tmp/b1.output" {
			t.Errorf("%s: %+v %+v", tt.name, e, e.Tool.Result)
		}
	}
}

func FuzzFinished(f *testing.F) {
	f.Add("<task-notification><tool-use-id>a</tool-use-id><status>failed</status><summary>exit code 3</summary></task-notification>", []byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"x"}}]}}`))
	f.Fuzz(func(t *testing.T, prompt string, tail []byte) {
		for _, e := range (Adapter{}).Finished(hook.Event{Name: hook.UserPromptSubmit, Prompt: prompt}, tail, func(string) []byte { return nil }) {
			if e.Tool == nil || e.Tool.Result == nil || !e.Name.AfterTool() {
				t.Errorf("%+v", e)
			}
		}
	})
}
