package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/ec261362/guardrails/core/hook"
)

// hostReads reads an answer as Claude Code does, from its schema and from what
// was measured on 2.1.197 and 2.1.332. It is stricter than the host where the
// host only ignores: a member that has no effect is an error here.
func hostReads(e hook.Event, stdout []byte) (hook.Decision, error) {
	if len(stdout) == 0 {
		return hook.Pass, nil
	}
	top, err := members(stdout)
	if err != nil {
		return 0, err
	}
	if len(top) == 0 {
		return hook.Pass, nil
	}
	name := string(e.Name)
	if e.HostEvent != "" {
		name = e.HostEvent
	}
	c, ok := contract[name]
	if !ok {
		return 0, fmt.Errorf("%s honours nothing", name)
	}
	got := hook.Pass
	for k, v := range top {
		switch k {
		case "decision":
			if string(v) != `"block"` && string(v) != `"approve"` {
				return 0, fmt.Errorf("decision %s", v)
			}
			if !c.block {
				return 0, errors.New("a top-level decision is ignored here")
			}
			if err := text(top, "reason", 60_000); err != nil {
				return 0, err
			}
			if string(v) == `"block"` {
				got = hook.Block
			}
		case "reason":
			if top["decision"] == nil {
				return 0, errors.New("a reason without a decision is ignored")
			}
		case "systemMessage":
			if err := text(top, k, 10_000); err != nil {
				return 0, err
			}
		case "hookSpecificOutput":
			d, err := c.specific(name, v, e)
			if err != nil {
				return 0, fmt.Errorf("hookSpecificOutput: %w", err)
			}
			if d.Rank() > got.Rank() {
				got = d
			}
		case "continue":
			return 0, errors.New("continue ends the whole run")
		default:
			return 0, fmt.Errorf("unknown member %q", k)
		}
	}
	return got, nil
}

type honoured struct {
	block bool     // a top-level decision
	keys  []string // of hookSpecificOutput, besides hookEventName
}

// contract is what each event honours in a command hook's answer. Events that
// honour nothing are left out, and so are members that only serve interactive
// hosts.
var contract = map[string]honoured{
	"PreToolUse":           {keys: []string{"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"}},
	"PreSkillShellCommand": {keys: []string{"permissionDecision", "permissionDecisionReason", "updatedInput"}},
	"PermissionRequest":    {keys: []string{"decision"}},
	"PermissionDenied":     {keys: []string{"retry"}},
	"PostToolUse":          {block: true, keys: []string{"additionalContext", "updatedToolOutput"}},
	"PostToolUseFailure":   {block: true, keys: []string{"additionalContext"}},
	"PostToolBatch":        {block: true, keys: []string{"additionalContext"}},
	"UserPromptSubmit":     {block: true, keys: []string{"additionalContext"}},
	"UserPromptExpansion":  {block: true, keys: []string{"additionalContext"}},
	"SessionStart":         {keys: []string{"additionalContext"}},
	"SubagentStart":        {keys: []string{"additionalContext"}},
	"Stop":                 {block: true, keys: []string{"additionalContext"}},
	"SubagentStop":         {block: true, keys: []string{"additionalContext"}},
	"PreCompact":           {block: true},
	"ConfigChange":         {block: true},
	"TaskCreated":          {block: true},
	"TaskCompleted":        {block: true},
}

func (c honoured) specific(name string, raw []byte, e hook.Event) (hook.Decision, error) {
	m, err := members(raw)
	if err != nil {
		return 0, err
	}
	if string(m["hookEventName"]) != `"`+name+`"` {
		return 0, fmt.Errorf("hookEventName %s on %s", m["hookEventName"], name)
	}
	if len(m) == 1 {
		return 0, errors.New("holds nothing")
	}
	got := hook.Pass
	for k, v := range m {
		if k != "hookEventName" && !slices.Contains(c.keys, k) {
			return 0, fmt.Errorf("member %q has no effect on %s", k, name)
		}
		switch k {
		case "permissionDecision":
			switch string(v) {
			case `"deny"`:
				got = hook.Deny
			case `"ask"`:
				got = hook.Ask
				if name == "PreSkillShellCommand" {
					got = hook.Deny
				}
			case `"allow"`:
			default:
				return 0, fmt.Errorf("permissionDecision %s", v)
			}
			if err := text(m, "permissionDecisionReason", 60_000); err != nil {
				return 0, err
			}
		case "permissionDecisionReason":
			if m["permissionDecision"] == nil {
				return 0, errors.New("a reason without a decision is ignored")
			}
		case "updatedInput":
			if _, err := members(v); err != nil {
				return 0, fmt.Errorf("updatedInput: %w", err)
			}
			if string(m["permissionDecision"]) == `"deny"` {
				return 0, errors.New("updatedInput is ignored beside a deny")
			}
			if got == hook.Pass {
				got = hook.Rewrite
			}
			if name == "PreSkillShellCommand" {
				got = hook.Deny
			}
		case "additionalContext":
			if err := text(m, k, 10_000); err != nil {
				return 0, err
			}
			if name == "Stop" || name == "SubagentStop" {
				got = hook.Block // it keeps the turn going
			}
		case "updatedToolOutput":
			if err := fits(e, v); err != nil {
				return 0, err
			}
		case "decision":
			d, err := members(v)
			if err != nil {
				return 0, err
			}
			switch string(d["behavior"]) {
			case `"deny"`:
				got = hook.Deny
				if err := text(d, "message", 60_000); err != nil {
					return 0, err
				}
			case `"allow"`:
			default:
				return 0, fmt.Errorf("behavior %s", d["behavior"])
			}
			for k := range d {
				if k != "behavior" && k != "message" {
					return 0, fmt.Errorf("decision member %q", k)
				}
			}
		}
	}
	return got, nil
}

// members reads an object whose members are of a type, none null.
func members(raw []byte) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(raw))
	if err := dec.Decode(&m); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, errors.New("null")
	}
	if dec.More() {
		return nil, errors.New("more than one value")
	}
	return m, nil
}

func text(m map[string]json.RawMessage, key string, most int) error {
	var s *string
	if err := json.Unmarshal(m[key], &s); err != nil || s == nil {
		return fmt.Errorf("%s: want a string, got %.40s", key, m[key])
	}
	if strings.TrimSpace(*s) == "" {
		return fmt.Errorf("%s is empty", key)
	}
	if n := len(utf16.Encode([]rune(*s))); n > most {
		return fmt.Errorf("%s has %d characters", key, n)
	}
	return nil
}

// fits checks a new tool result against the one that it replaces.
func fits(e hook.Event, raw []byte) error {
	var payload struct {
		Response any `json:"tool_response"`
	}
	if err := json.Unmarshal(e.Raw, &payload); err != nil {
		return fmt.Errorf("updatedToolOutput on an event without a payload: %w", err)
	}
	var repl any
	if err := json.Unmarshal(raw, &repl); err != nil {
		return err
	}
	if a, b := fmt.Sprintf("%T", payload.Response), fmt.Sprintf("%T", repl); a != b {
		return fmt.Errorf("updatedToolOutput is %s, the tool's is %s", b, a)
	}
	old, _ := payload.Response.(map[string]any)
	for k, v := range old {
		if a, b := fmt.Sprintf("%T", v), fmt.Sprintf("%T", repl.(map[string]any)[k]); a != b {
			return fmt.Errorf("updatedToolOutput.%s is %s, the tool's is %s", k, b, a)
		}
	}
	return nil
}

// The check must refuse what voids an answer on the real host, or what has no
// effect there.
func TestTheContractRefusesWhatTheHostWould(t *testing.T) {
	bash := []byte(`{"tool_response":{"stdout":"x","interrupted":false}}`)
	tests := []struct {
		event  hook.EventName
		answer string
	}{
		{hook.PreToolUse, `{"systemMessage":null}`},
		{hook.PreToolUse, `{"systemMessage":7}`},
		{hook.PreToolUse, `{"systemMessage":""}`},
		{hook.PreToolUse, `null`},
		{hook.PreToolUse, `[]`},
		{hook.PreToolUse, `{}{}`},
		{hook.PreToolUse, `text`},
		{hook.PreToolUse, `{"permissionDecision":"deny"}`},
		{hook.PreToolUse, `{"decision":"block","reason":"x"}`},
		{hook.PreToolUse, `{"reason":"x"}`},
		{hook.PreToolUse, `{"continue":false}`},
		{hook.PreToolUse, `{"hookSpecificOutput":null}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"x"}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"x"}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"refuse","permissionDecisionReason":"x"}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":""}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecisionReason":"x"}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":"ls"}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":null}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x","updatedInput":{}}}`},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"` + strings.Repeat("x", 10_001) + `"}}`},
		{hook.PreToolUse, `{"systemMessage":"` + strings.Repeat("😀", 5_001) + `"}`},
		{hook.PreSkillShellCommand, `{"hookSpecificOutput":{"hookEventName":"PreSkillShellCommand","additionalContext":"x"}}`},
		{hook.PreSkillShellCommand, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}`},
		{hook.PermissionRequest, `{"decision":"block","reason":"x"}`},
		{hook.PermissionRequest, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":"deny"}}`},
		{hook.PermissionRequest, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"block"}}}`},
		{hook.PermissionRequest, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"x","interrupt":true}}}`},
		{hook.PermissionRequest, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","additionalContext":"x"}}`},
		{hook.Stop, `{"decision":"block"}`},
		{hook.Stop, `{"decision":"stop","reason":"x"}`},
		{hook.Stop, `{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"deny","permissionDecisionReason":"x"}}`},
		{hook.PostToolUse, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"text"}}`},
		{hook.PostToolUse, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"y"}}}`},
		{hook.PostToolUseFailure, `{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","updatedToolOutput":"text"}}`},
		{hook.SessionStart, `{"decision":"block","reason":"x"}`},
		{hook.SessionEnd, `{"systemMessage":"x"}`},
		{hook.Notification, `{"hookSpecificOutput":{"hookEventName":"Notification","additionalContext":"x"}}`},
		{hook.PreToolUse, `{"systemMessage":"x","note":"y"}`},
	}
	for _, tt := range tests {
		if d, err := hostReads(hook.Event{Name: tt.event, Raw: bash}, []byte(tt.answer)); err == nil {
			t.Errorf("%s: %.120s is read as %s", tt.event, tt.answer, d)
		}
	}
}

func TestTheContractReadsWhatTheHostHonours(t *testing.T) {
	bash := []byte(`{"tool_response":{"stdout":"x","interrupted":false}}`)
	tests := []struct {
		event  hook.EventName
		answer string
		want   hook.Decision
	}{
		{hook.PreToolUse, ``, hook.Pass},
		{hook.PreToolUse, `{}`, hook.Pass},
		{hook.SessionEnd, `{}`, hook.Pass},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x","additionalContext":"y"}}`, hook.Deny},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"x"}}`, hook.Ask},
		{hook.PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":null}}}`, hook.Rewrite},
		{hook.PreSkillShellCommand, `{"hookSpecificOutput":{"hookEventName":"PreSkillShellCommand","permissionDecision":"ask","permissionDecisionReason":"x"}}`, hook.Deny},
		{hook.PermissionRequest, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"x"}}}`, hook.Deny},
		{hook.PostToolUse, `{"decision":"block","reason":"x","hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"y","interrupted":true}}}`, hook.Block},
		{hook.Stop, `{"decision":"block","reason":"x"}`, hook.Block},
		{hook.Stop, `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"x"}}`, hook.Block},
		{hook.SessionStart, `{"systemMessage":"n","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"x"}}`, hook.Pass},
	}
	for _, tt := range tests {
		if d, err := hostReads(hook.Event{Name: tt.event, Raw: bash}, []byte(tt.answer)); err != nil || d != tt.want {
			t.Errorf("%s: %s is read as %s, %v; want %s", tt.event, tt.answer, d, err, tt.want)
		}
	}
}
