package hosttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Each rule of the played hosts bites: an answer that breaks it has the effect
// that the rule says, and the next answer to it has not.
func TestPlayedMuseBites(t *testing.T) {
	const pre = "PreToolUse"
	deny := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`
	tests := []struct {
		name, event string
		r           Reply
		failed      string
		blocked     bool
		input       string
		context     int
		ignored     []string
	}{
		{name: "nothing", event: pre, r: out("")},
		{name: "an empty object", event: pre, r: out("{}")},
		{name: "a denial", event: pre, r: out(deny), blocked: true},
		{name: "a denial over the cap", event: pre, r: out(strings.Replace(deny, `"no"`, `"`+strings.Repeat("x", MuseOutputCap)+`"`, 1)), failed: "bytes of output"},
		{name: "a denial of just the cap", event: pre, r: out(strings.Replace(deny, `"no"`, `"`+strings.Repeat("x", MuseOutputCap-len(deny)+2)+`"`, 1)), blocked: true},
		{name: "a denial too late", event: pre, r: Reply{Stdout: []byte(deny), TimedOut: true}, failed: "timed out"},
		{name: "a denial and exit 1", event: pre, r: Reply{Stdout: []byte(deny), Exit: 1}, failed: "exit code 1"},
		{name: "exit 2 with a reason", event: pre, r: Reply{Stderr: []byte("no\n"), Exit: 2}, blocked: true},
		{name: "exit 2 without one", event: pre, r: Reply{Exit: 2}, failed: "exit code 2"},
		{name: "a denial without a reason", event: pre, r: out(strings.Replace(deny, `"no"`, `" "`, 1)), failed: "without a reason"},
		{name: "a denial for another event", event: "PostToolUse", r: out(deny), failed: "unsupported"},
		{name: "a denial under another name", event: pre, r: out(strings.Replace(deny, `:"PreToolUse"`, `:"preToolUse"`, 1)), failed: "hookEventName"},
		{name: "a byte order mark", event: pre, r: out("\xef\xbb\xbf" + deny), failed: "malformed_output"},
		{name: "text before", event: pre, r: out("note\n" + deny), failed: "malformed_output"},
		{name: "a second object", event: pre, r: out(deny + "\n{}"), failed: "malformed_output"},
		{name: "continue", event: pre, r: out(`{"continue":false}`), failed: "unsupported `continue`"},
		{name: "continue beside a denial", event: pre, r: out(`{"continue":false,` + deny[1:]), failed: "unsupported `continue`"},
		{name: "context at the top", event: "UserPromptSubmit", r: out(`{"additionalContext":"x"}`), failed: "unsupported `additionalContext`"},
		{name: "stopReason", event: "Stop", r: out(`{"stopReason":"x"}`), failed: "unsupported `stopReason`"},
		{name: "an unknown member inside", event: pre, r: out(strings.Replace(deny, `"permissionDecision"`, `"extra":1,"permissionDecision"`, 1)), failed: "unsupported `extra`"},
		{name: "an ask", event: pre, r: out(strings.Replace(deny, `"deny"`, `"ask"`, 1)), failed: "permissionDecision"},
		{name: "an allow", event: pre, r: out(strings.Replace(deny, `"deny"`, `"allow"`, 1)), ignored: []string{"permissionDecision"}},
		{name: "a reason without a decision", event: pre, r: out(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecisionReason":"x"}}`), failed: "without a permission decision"},
		{name: "a top-level reason alone", event: pre, r: out(`{"reason":"x"}`), failed: "without a decision"},
		{name: "a block", event: pre, r: out(`{"decision":"block","reason":"x"}`), blocked: true},
		{name: "a block without a reason", event: pre, r: out(`{"decision":"block"}`), failed: "without a reason"},
		{name: "a block with an empty reason", event: "Stop", r: out(`{"decision":"block","reason":""}`), failed: "without a reason"},
		{name: "a deny at the top", event: pre, r: out(`{"decision":"deny","reason":"x"}`), failed: "decision"},
		{name: "a block of a prompt", event: "UserPromptSubmit", r: out(`{"decision":"block","reason":"x"}`), failed: "a block of UserPromptSubmit"},
		{name: "a block of a stop", event: "Stop", r: out(`{"decision":"block","reason":"x"}`), blocked: true},
		{name: "a rewrite", event: pre, r: out(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls"}}}`), input: `{"command":"ls"}`},
		{name: "a rewrite to a text", event: pre, r: out(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":"ls"}}`), failed: "updatedInput"},
		{name: "context", event: "SessionStart", r: out(`{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"x"}}`), context: 1},
		{name: "empty context", event: "SessionStart", r: out(`{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":""}}`), failed: "additionalContext"},
		{name: "context before a tool", event: pre, r: out(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"x"}}`), ignored: []string{"additionalContext"}},
		{name: "plain text at a prompt", event: "UserPromptSubmit", r: out("note"), context: 1},
		{name: "plain text elsewhere", event: "SessionStart", r: out("note"), failed: "malformed_output"},
		{name: "a message", event: pre, r: out(`{"systemMessage":"x","suppressOutput":true}`), ignored: []string{"systemMessage", "suppressOutput"}},
		{name: "a permission refused", event: "PermissionRequest", r: out(`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny"}}}`), blocked: true},
		{name: "a permission refused with more", event: "PermissionRequest", r: out(`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"x"}}}`), failed: "decision"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := ReadMuse(tt.event, tt.r)
			if (e.Failed == "") != (tt.failed == "") || !strings.Contains(e.Failed, tt.failed) {
				t.Errorf("failed %q, want %q", e.Failed, tt.failed)
			}
			if e.Blocked != tt.blocked || string(e.Input) != tt.input || len(e.Context) != tt.context || !slices.Equal(e.Ignored, tt.ignored) {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func out(s string) Reply { return Reply{Stdout: []byte(s)} }

func TestPlayedMuseDropsWhatItDoesNotKnow(t *testing.T) {
	good := `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x","timeout":10}]}]}}`
	tests := []struct {
		name, file string
		want       int
	}{
		{"good", good, 1},
		{"a status message", strings.Replace(good, `"timeout"`, `"statusMessage":"s","timeout"`, 1), 1},
		{"a matcher", strings.Replace(good, `{"hooks":[{`, `{"matcher":"Bash","hooks":[{`, 1), 1},
		{"args", strings.Replace(good, `"timeout"`, `"args":[],"timeout"`, 1), 0},
		{"onFailure", strings.Replace(good, `"timeout"`, `"onFailure":"block","timeout"`, 1), 0},
		{"timeout_ms", strings.Replace(good, `"timeout":10`, `"timeout_ms":10`, 1), 0},
		{"a fraction", strings.Replace(good, `:10`, `:10.0`, 1), 0},
		{"a timeout in quotes", strings.Replace(good, `:10`, `:"10"`, 1), 0},
		{"a negative timeout", strings.Replace(good, `:10`, `:-1`, 1), 0},
		{"an unknown group key", strings.Replace(good, `{"hooks":[{`, `{"name":"g","hooks":[{`, 1), 0},
		{"no group", `{"hooks":{"PreToolUse":[{"type":"command","command":"x"}]}}`, 0},
		{"no wrapper", `{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}`, 0},
		{"another spelling", strings.Replace(good, "PreToolUse", "preToolUse", 1), 0},
		{"an unknown event", strings.Replace(good, "PreToolUse", "BeforeTool", 1), 0},
		{"a matcher on Stop", `{"hooks":{"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"x"}]}]}}`, 0},
		{"a star on Stop", `{"hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"x"}]}]}}`, 1},
		{"another type", strings.Replace(good, `"command",`, `"http",`, 1), 0},
		{"no command", strings.Replace(good, `"command":"x",`, "", 1), 0},
		{"not JSON", good[1:], 0},
	}
	for _, tt := range tests {
		loaded, dropped := LoadMuseHooks([]byte(tt.file))
		if len(loaded) != tt.want || (tt.want == 0) != (len(dropped) > 0) {
			t.Errorf("%s: loaded %+v, dropped %q", tt.name, loaded, dropped)
		}
	}
}

func TestPlayedAntigravityBites(t *testing.T) {
	const pre = "PreToolUse"
	tests := []struct {
		name, event   string
		r             Reply
		failed        string
		blocked, asks bool
		input         string
		context       int
		ignored       []string
	}{
		{name: "an allow", event: pre, r: out(`{"decision":"allow"}`)},
		{name: "nothing", event: pre, r: out(""), failed: "failed to unmarshal", blocked: true},
		{name: "an empty object", event: pre, r: out("{}"), failed: "no decision", blocked: true},
		{name: "a reason alone", event: pre, r: out(`{"reason":"x"}`), failed: "no decision", blocked: true},
		{name: "a denial", event: pre, r: out(`{"decision":"deny","reason":"x"}`), blocked: true},
		{name: "an ask", event: pre, r: out(`{"decision":"ask"}`), asks: true},
		{name: "a forced ask", event: pre, r: out(`{"decision":"force_ask"}`), asks: true},
		{name: "by an earlier grant", event: pre, r: out(`{"decision":"deny_unless_prior_grant"}`), asks: true},
		{name: "an unknown decision", event: pre, r: out(`{"decision":"block"}`), failed: "unknown decision", blocked: true},
		{name: "a decision of a wrong type", event: pre, r: out(`{"decision":true}`), failed: "decision", blocked: true},
		{name: "an unknown member", event: pre, r: out(`{"decision":"allow","systemMessage":"x"}`), failed: "unknown field", blocked: true},
		{name: "Claude's form", event: pre, r: out(`{"hookSpecificOutput":{}}`), failed: "unknown field", blocked: true},
		{name: "an allow and exit 1", event: pre, r: Reply{Stdout: []byte(`{"decision":"allow"}`), Exit: 1}, failed: "exit status 1", blocked: true},
		{name: "an allow and exit 2", event: pre, r: Reply{Stdout: []byte(`{"decision":"allow"}`), Exit: 2}, failed: "exit status 2", blocked: true},
		{name: "an allow too late", event: pre, r: Reply{Stdout: []byte(`{"decision":"allow"}`), TimedOut: true}, failed: "killed", blocked: true},
		{name: "text", event: pre, r: out("ok"), failed: "failed to unmarshal", blocked: true},
		{name: "two objects", event: pre, r: out(`{"decision":"allow"}{}`), failed: "failed to unmarshal", blocked: true},
		{name: "an overwrite", event: pre, r: out(`{"decision":"allow","overwrite":{"CommandLine":"rtk ls"}}`), input: `{"CommandLine":"rtk ls","Cwd":"/p"}`},
		{name: "an overwrite without a decision", event: pre, r: out(`{"overwrite":{"CommandLine":"rtk ls"}}`), failed: "no decision", blocked: true},
		{name: "an overwrite of a wrong type", event: pre, r: out(`{"decision":"allow","overwrite":"rtk ls"}`), failed: "overwrite", blocked: true},
		{name: "overrides", event: pre, r: out(`{"decision":"allow","permissionOverrides":["x"]}`), ignored: []string{"permissionOverrides"}},
		{name: "after a tool", event: "PostToolUse", r: out(`{}`)},
		{name: "a word after a tool", event: "PostToolUse", r: out(`{"decision":"block","reason":"x"}`), ignored: []string{"decision", "reason"}},
		{name: "a stop", event: "Stop", r: out("{}")},
		{name: "a stop kept going", event: "Stop", r: out(`{"decision":"continue","reason":"x"}`), blocked: true},
		{name: "a stop blocked", event: "Stop", r: out(`{"decision":"block","reason":"x"}`), ignored: []string{"decision"}},
		{name: "a stop and exit 2", event: "Stop", r: Reply{Stdout: []byte("{}"), Exit: 2}},
		{name: "a stop with more", event: "Stop", r: out(`{"decision":"continue","reason":"x","continue":true}`), failed: "unknown field"},
		{name: "a message", event: "PreInvocation", r: out(`{"injectSteps":[{"ephemeralMessage":"x"},{"userMessage":"y"}]}`), context: 2},
		{name: "a tool call", event: "PreInvocation", r: out(`{"injectSteps":[{"toolCall":{}}]}`), failed: "unknown injected step", blocked: true},
		{name: "an empty message", event: "PreInvocation", r: out(`{"injectSteps":[{"ephemeralMessage":" "}]}`), failed: "an empty step"},
		{name: "nothing to inject", event: "PreInvocation", r: out(`{}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := new(Antigravity).Read(tt.event, []byte(`{"CommandLine":"ls","Cwd":"/p"}`), tt.r)
			if (e.Failed == "") != (tt.failed == "") || !strings.Contains(e.Failed, tt.failed) {
				t.Errorf("failed %q, want %q", e.Failed, tt.failed)
			}
			if e.Blocked != tt.blocked || e.Asked != tt.asks || string(e.Input) != tt.input || len(e.Context) != tt.context || !slices.Equal(e.Ignored, tt.ignored) {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestPlayedAntigravityEndsATurnAfterTenContinues(t *testing.T) {
	var turn Antigravity
	for n := range 12 {
		if e := turn.Read("Stop", nil, out(`{"decision":"continue","reason":"x"}`)); e.Blocked != (n < 10) {
			t.Errorf("continue %d: held %v", n+1, e.Blocked)
		}
	}
}

func TestPlayedAntigravityDropsTheWholeFile(t *testing.T) {
	good := `{"guardrails":{"enabled":true,"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"x","timeout":10}]}],"Stop":[{"type":"command","command":"y","timeout":120}]}}`
	tests := []struct {
		name, file string
		want       int // -1: dropped
	}{
		{"good", good, 2},
		{"switched off", strings.Replace(good, "true", "false", 1), 0},
		{"another event's case", strings.Replace(good, "PreToolUse", "pretooluse", 1), 2},
		{"an unknown event", strings.Replace(good, "Stop", "SessionEnd", 1), 1},
		{"an unknown handler key", strings.Replace(good, `"timeout":10`, `"env":{},"timeout":10`, 1), 2},
		{"a list beside ours", good[:len(good)-1] + `,"hooks":[]}`, -1},
		{"enabled at the top", good[:len(good)-1] + `,"enabled":true}`, -1},
		{"a fraction", strings.Replace(good, ":10", ":1.5", 1), -1},
		{"a timeout in quotes", strings.Replace(good, ":10", `:"10"`, 1), -1},
		{"a grouped stop", strings.Replace(good, `"Stop":[{`, `"Stop":[{"hooks":[]},{`, 1), -1},
		{"a flat tool event", `{"g":{"PreToolUse":[{"type":"command","command":"x"}]}}`, -1},
		{"another type's case", strings.Replace(good, `"command",`, `"Command",`, 1), -1},
		{"a comment", good + "// x", -1},
		{"a trailing comma", good[:len(good)-1] + ",}", -1},
		{"an event that is no list", strings.Replace(good, `"Stop":[{"type":"command","command":"y","timeout":120}]`, `"Stop":{}`, 1), -1},
		{"enabled of a wrong type", strings.Replace(good, "true", `"yes"`, 1), -1},
		{"Claude's form", `{"hooks":{"PreToolUse":[{"hooks":[{"command":"x"}]}]}}`, 1},
	}
	for _, tt := range tests {
		loaded, err := LoadAntigravityHooks([]byte(tt.file))
		if (err != nil) != (tt.want < 0) || err == nil && len(loaded) != tt.want {
			t.Errorf("%s: loaded %+v, %v", tt.name, loaded, err)
		}
	}
}

// The native column of the 23 oracle rows.
func TestPlayedMuseApprovesAsTheOracle(t *testing.T) {
	const w = "/w"
	rule := func(effect, root, argv string) string {
		return fmt.Sprintf(`{"effect":%q,"durability":"local_persistent","reason":null,"rule":{"kind":"shell_command_argv_prefix","argv_prefix":["%s"],"workspace_root":%q}}`,
			effect, strings.ReplaceAll(argv, " ", `","`), root)
	}
	exact := func(effect, command string) string {
		return fmt.Sprintf(`{"effect":%q,"durability":"local_persistent","reason":null,"rule":{"kind":"shell_command_exact_raw","command":%q}}`, effect, command)
	}
	v2 := func(rules ...string) []byte {
		return []byte(`{"schema_version":2,"rules":[` + strings.Join(rules, ",") + `]}`)
	}
	tests := []struct {
		row     int
		policy  []byte
		command string
		want    string
	}{
		{1, nil, "git status", "prompt"},
		{2, v2(), "git status", "prompt"},
		{3, []byte(`{"schema_version":2,`), "git status", "rejected"},
		{4, []byte(""), "git status", "rejected"},
		{4, []byte("null"), "git status", "rejected"},
		{4, []byte("{}"), "git status", "rejected"},
		{5, []byte(`{"schema_version":1,"rules":[]}`), "git status", "rejected"},
		{6, []byte(`{"rules":[]}`), "git status", "rejected"},
		{7, []byte(`{"schema_version":2,"rules":[],"x":1}`), "git status", "rejected"},
		{8, v2(strings.Replace(rule("allow", w, "ls"), `"kind"`, `"x":1,"kind"`, 1)), "git status", "rejected"},
		{9, v2(rule("ask", w, "ls")), "git status", "rejected"},
		{10, []byte(`{"schema_version":2,"rules":[]}{}`), "git status", "rejected"},
		{11, v2(rule("allow", w, "git status")), "git status", "allowed"},
		{12, v2(rule("allow", w, "git status")), "git status --short", "allowed"},
		{13, v2(rule("allow", w, "git status")), "git stash", "prompt"},
		{14, v2(rule("allow", "/other", "git status")), "git status", "prompt"},
		{15, v2(rule("allow", "/w/sub", "git status")), "git status", "prompt"},
		{16, v2(exact("allow", "git status")), "git status", "allowed"},
		{17, v2(exact("allow", "git status")), "git status --short", "prompt"},
		{18, v2(rule("allow", w, "git status"), rule("deny", w, "git status")), "git status", "denied"},
		{19, v2(rule("deny", w, "git"), rule("allow", w, "git status")), "git status", "denied"},
		{20, v2(exact("deny", "git status"), rule("allow", w, "git status")), "git status", "denied"},
		{21, v2(rule("allow", w, "git status"), rule("allow", w, "git log")), "git status && git log", "allowed"},
		{22, v2(rule("allow", w, "git status")), "git status && touch x", "prompt"},
		{23, v2(rule("deny", w, "rm")), "git status && rm x", "denied"},
	}
	for _, tt := range tests {
		if got := ApproveMuse(tt.policy, w, tt.command); got != tt.want {
			t.Errorf("row %d: %s, want %s", tt.row, got, tt.want)
		}
	}
}
