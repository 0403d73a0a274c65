package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

// hostReads reads an answer as Gemini CLI does, from what was measured and read
// of 0.61.0. It is stricter than the host where the host only ignores: a member
// that has no effect is an error here. So are no output at all, for which the
// host reads standard error, and a question, which ends a headless run.
func hostReads(e hook.Event, stdout []byte) (hook.Decision, error) {
	if len(bytes.TrimSpace(stdout)) == 0 {
		return 0, errors.New("nothing on standard output: the host reads standard error instead")
	}
	top, err := members(stdout)
	if err != nil {
		return 0, err
	}
	if len(top) == 0 {
		return hook.Pass, nil
	}
	name := e.HostEvent
	if name == "" {
		name = hostNames[e.Name]
	}
	c, ok := contract[name]
	if !ok {
		return 0, fmt.Errorf("%q honours nothing", name)
	}
	got := hook.Pass
	for k, v := range top {
		switch k {
		case "decision":
			if string(v) != `"deny"` && string(v) != `"block"` {
				return 0, fmt.Errorf("decision %s", v)
			}
			if !c.decides {
				return 0, errors.New("a decision is ignored here")
			}
			if err := text(top, "reason"); err != nil {
				return 0, err
			}
			if got = hook.Block; name == "BeforeTool" {
				got = hook.Deny
			}
		case "reason":
			if top["decision"] == nil {
				return 0, errors.New("a reason without a decision is ignored")
			}
		case "systemMessage":
			if err := text(top, k); err != nil {
				return 0, err
			}
		case "hookSpecificOutput":
			inner, err := members(v)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", k, err)
			}
			if n, ok := inner["hookEventName"]; ok && string(n) != `"`+name+`"` {
				return 0, fmt.Errorf("hookEventName %s on %s", n, name)
			}
			for k, v := range inner {
				switch {
				case k == "hookEventName":
				case !slices.Contains(c.specific, k):
					return 0, fmt.Errorf("%s: %q has no effect here", name, k)
				case top["decision"] != nil:
					return 0, fmt.Errorf("%s: %q is dropped beside a deny", name, k)
				case k == "additionalContext":
					if err := text(inner, k); err != nil {
						return 0, err
					}
				case k == "tool_input":
					if _, err := members(v); err != nil {
						return 0, fmt.Errorf("tool_input: %w", err)
					}
					got = hook.Rewrite
				}
			}
			if len(inner) == 0 || len(inner) == 1 && inner["hookEventName"] != nil {
				return 0, errors.New("hookSpecificOutput says nothing")
			}
		default:
			return 0, fmt.Errorf("top-level %q is not ours to send", k)
		}
	}
	return got, nil
}

// hostNames are the host's names of the events that it fires.
var hostNames = map[hook.EventName]string{
	hook.SessionStart: "SessionStart", hook.UserPromptSubmit: "BeforeAgent", hook.PreToolUse: "BeforeTool", hook.PostToolUse: "AfterTool",
	hook.PostToolUseFailure: "AfterTool", hook.Stop: "AfterAgent", hook.SessionEnd: "SessionEnd", hook.PreCompact: "PreCompress",
	hook.Notification: "Notification",
}

var contract = map[string]struct {
	decides  bool
	specific []string
}{
	"SessionStart": {false, []string{"additionalContext"}},
	"SessionEnd":   {},
	"BeforeAgent":  {true, []string{"additionalContext"}},
	"AfterAgent":   {true, nil},
	"BeforeTool":   {true, []string{"tool_input"}},
	"AfterTool":    {true, []string{"additionalContext"}},
	"PreCompress":  {},
}

// members reads one JSON object, and an error if there is anything else.
func members(b []byte) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("not an object, so the host takes it for text: %w", err)
	}
	if m == nil {
		return nil, errors.New("null is no answer")
	}
	if dec.More() {
		return nil, errors.New("something follows the object, so the host takes all of it for text")
	}
	return m, nil
}

// text makes sure of a member with something to read in it.
func text(m map[string]json.RawMessage, key string) error {
	var s string
	if raw, ok := m[key]; !ok || json.Unmarshal(raw, &s) != nil || strings.TrimSpace(s) == "" {
		return fmt.Errorf("%s is %s", key, m[key])
	}
	return nil
}

// The contract is worth something only if it refuses what the host would drop or
// misread.
func TestTheContractBites(t *testing.T) {
	tests := []struct {
		event  hook.EventName
		answer string
	}{
		{hook.PreToolUse, ""},
		{hook.PreToolUse, "null"},
		{hook.PreToolUse, "[]"},
		{hook.PreToolUse, `{} {}`},
		{hook.PreToolUse, `{"decision":"Deny","reason":"x"}`},
		{hook.PreToolUse, `{"decision":"ask","reason":"x"}`},
		{hook.PreToolUse, `{"decision":"allow"}`},
		{hook.PreToolUse, `{"decision":"deny"}`},
		{hook.PreToolUse, `{"decision":"deny","reason":" "}`},
		{hook.PreToolUse, `{"reason":"x"}`},
		{hook.PreToolUse, `{"continue":false}`},
		{hook.PreToolUse, `{"systemMessage":null}`},
		{hook.PreToolUse, `{"additionalContext":"x"}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"permissionDecision":"deny"}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"updatedInput":{}}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"additionalContext":"x"}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","tool_input":{}}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"BeforeTool"}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"tool_input":"ls"}}`},
		{hook.PostToolUse, `{"decision":"deny","reason":"x","hookSpecificOutput":{"additionalContext":"y"}}`},
		{hook.PostToolUse, `{"hookSpecificOutput":{"tool_input":{}}}`},
		{hook.SessionStart, `{"decision":"deny","reason":"x"}`},
		{hook.SessionEnd, `{"hookSpecificOutput":{"additionalContext":"x"}}`},
		{hook.Stop, `{"hookSpecificOutput":{"additionalContext":"x"}}`},
		{hook.Notification, `{"systemMessage":"x"}`},
		{hook.UnknownEvent, `{"systemMessage":"x"}`},
		{hook.SubagentStop, `{"decision":"deny","reason":"x"}`},
	}
	for _, tt := range tests {
		if d, err := hostReads(hook.Event{Name: tt.event}, []byte(tt.answer)); err == nil {
			t.Errorf("%s: %s is read as %s", tt.event, tt.answer, d)
		}
	}
}

func TestTheContractReadsWhatTheHostHonours(t *testing.T) {
	tests := []struct {
		event  hook.EventName
		answer string
		want   hook.Decision
	}{
		{hook.PreToolUse, "{}\n", hook.Pass},
		{hook.UnknownEvent, "{}", hook.Pass},
		{hook.PreToolUse, `{"decision":"deny","reason":"x","systemMessage":"n"}`, hook.Deny},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"ls"}}}`, hook.Rewrite},
		{hook.PostToolUseFailure, `{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"x"}}`, hook.Pass},
		{hook.Stop, `{"decision":"block","reason":"x"}`, hook.Block},
		{hook.SessionEnd, `{"systemMessage":"x"}`, hook.Pass},
	}
	for _, tt := range tests {
		if d, err := hostReads(hook.Event{Name: tt.event}, []byte(tt.answer)); err != nil || d != tt.want {
			t.Errorf("%s: %s is read as %s, %v; want %s", tt.event, tt.answer, d, err, tt.want)
		}
	}
}
