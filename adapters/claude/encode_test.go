package claude

import (
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

func TestEncodeSaysEachDecisionInTheHostsWords(t *testing.T) {
	tests := []struct {
		name  string
		event hook.EventName
		v     hook.Verdict
		want  string
	}{
		{"pass", hook.PreToolUse, hook.Verdict{}, `{}`},
		{
			"deny", hook.PreToolUse,
			hook.Verdict{Decision: hook.Deny, Reason: "no"},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`,
		},
		{
			"deny with all", hook.PreToolUse,
			hook.Verdict{Decision: hook.Deny, Reason: "no", Context: "c", Notice: "n"},
			`{"systemMessage":"n","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"c"}}`,
		},
		{
			"deny without a reason", hook.PreToolUse,
			hook.Verdict{Decision: hook.Deny, Rule: "git/x"},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"guardrails: refused by git/x"}}`,
		},
		{
			"ask", hook.PreToolUse,
			hook.Verdict{Decision: hook.Ask, Reason: "sure?"},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}`,
		},
		{
			"rewrite", hook.PreToolUse,
			hook.Verdict{Decision: hook.Rewrite, Reason: "r", Input: []byte("{ \"command\":\n\"é\", \"n\":null }")},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"\u00e9","n":null}}}`,
		},
		{"rewrite into nonsense", hook.PreToolUse, hook.Verdict{Decision: hook.Rewrite, Input: []byte(`{"command"`)}, `{}`},
		{
			"advise", hook.PreToolUse,
			hook.Verdict{Decision: hook.Advise, Reason: "r", Context: "c"},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"r\nc"}}`,
		},
		{
			"ask of a skill's command", hook.PreSkillShellCommand,
			hook.Verdict{Decision: hook.Ask, Reason: "sure?"},
			`{"hookSpecificOutput":{"hookEventName":"PreSkillShellCommand","permissionDecision":"deny","permissionDecisionReason":"sure?"}}`,
		},
		{
			"permission", hook.PermissionRequest,
			hook.Verdict{Decision: hook.Deny, Reason: "no"},
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}`,
		},
		{"ask where the host asks", hook.PermissionRequest, hook.Verdict{Decision: hook.Ask, Reason: "why"}, `{"systemMessage":"why"}`},
		{"stop", hook.Stop, hook.Verdict{Decision: hook.Block, Reason: "tests", Context: "c"}, `{"decision":"block","reason":"tests"}`},
		{"advice at stop waits", hook.Stop, hook.Verdict{Decision: hook.Advise, Context: "c"}, `{}`},
		{
			"after a tool", hook.PostToolUse,
			hook.Verdict{Decision: hook.Block, Reason: "lint", Context: "c"},
			`{"decision":"block","reason":"lint","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}`,
		},
		{"prompt", hook.UserPromptSubmit, hook.Verdict{Decision: hook.Block, Reason: "secret"}, `{"decision":"block","reason":"secret"}`},
		{
			"session start cannot refuse", hook.SessionStart,
			hook.Verdict{Decision: hook.Deny, Reason: "r", Context: "c"},
			`{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"r\nc"}}`,
		},
		{"session end has no channel", hook.SessionEnd, hook.Verdict{Decision: hook.Block, Reason: "r", Context: "c", Notice: "n"}, `{}`},
		{"unknown event", hook.UnknownEvent, hook.Verdict{Decision: hook.Deny, Reason: "r"}, `{}`},
		{
			"control characters and bad bytes", hook.SessionStart,
			hook.Verdict{Notice: "a\x00\x1b\xff\"\\\n\t\x7f😀"},
			`{"systemMessage":"a\u0000\u001b\ufffd\"\\\n\t\u007f\ud83d\ude00"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Adapter{}.Encode(hook.Event{Name: tt.event}, tt.v)
			if string(got.Stdout) != tt.want+"\n" {
				t.Errorf("got  %swant %s", got.Stdout, tt.want)
			}
		})
	}
}
