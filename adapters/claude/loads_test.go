package claude

import (
	"strings"
	"testing"
)

func TestWhatTheHostLoads(t *testing.T) {
	group := func(event, handler string) string {
		return `{"hooks": {"` + event + `": [{"hooks": [` + handler + `]}]}}`
	}
	for _, tt := range []struct{ name, content, want string }{
		{"nothing", "", ""},
		{"an empty object", "{}", ""},
		{"a byte order mark", "\ufeff{}", ""},
		{"an unknown key", `{"x": [1], "hooks": {"NoEvent": [{"hooks": [{"type": "command", "command": "a", "x": 1}]}]}}`, ""},
		{"an event that is null", `{"hooks": {"PreToolUse": null}}`, ""},
		{"an event of no weight that is a text", `{"hooks": {"Stop": "x"}}`, ""},
		{"no handlers", `{"hooks": {"Stop": [{"hooks": []}]}}`, ""},
		{"our own form", group("PreToolUse", `{"type": "command", "command": "/b/guardrails", "args": ["hook", "--agent", "claude"], "timeout": 10, "onFailure": "block"}`), ""},
		{"an odd onFailure where it does not matter", group("Stop", `{"type": "command", "command": "a", "onFailure": "explode"}`), ""},
		{"ordinary members", `{"permissions": {"allow": ["Bash(ls)"], "defaultMode": "plan"}, "env": {"A": "1", "B": 2, "C": true}, "disableAllHooks": false}`, ""},

		{"a comment", "// x\n{}", "not a JSON object"},
		{"a comma too many", `{"a": 1,}`, "not a JSON object"},
		{"a list", `[]`, "not a JSON object"},
		{"null", `null`, "not a JSON object"},
		{"hooks of another type", `{"hooks": "x"}`, "hooks is not an object"},
		{"a guarding event that is a text", `{"hooks": {"PermissionRequest": "x"}}`, "hooks.PermissionRequest is not a list"},
		{"an unknown event that holds hooks", `{"hooks": {"Foo": {"PreToolUse": []}}}`, "holds hooks that guard"},
		{"a group that is a text", `{"hooks": {"Stop": ["x"]}}`, "not an object"},
		{"a matcher that is null", `{"hooks": {"Stop": [{"matcher": null, "hooks": []}]}}`, "matcher"},
		{"a group without hooks", `{"hooks": {"Stop": [{"matcher": "x"}]}}`, "no list of hooks"},
		{"no type", group("Stop", `{"command": "a"}`), "no known type"},
		{"an unknown type", group("Stop", `{"type": "bogus", "command": "a"}`), "no known type"},
		{"no command", group("Stop", `{"type": "command"}`), "no command"},
		{"timeout 0", group("Stop", `{"type": "command", "command": "a", "timeout": 0}`), "timeout"},
		{"timeout as text", group("Stop", `{"type": "command", "command": "a", "timeout": "5"}`), "timeout"},
		{"args as text", group("Stop", `{"type": "command", "command": "a", "args": "x"}`), "args"},
		{"a false onFailure", group("PreToolUse", `{"type": "command", "command": "a", "onFailure": "explode"}`), "onFailure"},
		{"a null onFailure", group("PreSkillShellCommand", `{"type": "command", "command": "a", "onFailure": null}`), "onFailure"},
		{"permissions as text", `{"permissions": "x"}`, "permissions is not an object"},
		{"permissions.allow as text", `{"permissions": {"allow": "x"}}`, "permissions.allow"},
		{"a variable that is a list", `{"env": {"A": [1]}}`, "env.A"},
	} {
		got := loads([]byte(tt.content))
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzLoads(f *testing.F) {
	f.Add([]byte(`{"hooks": {"PreToolUse": [{"matcher": "x", "hooks": [{"type": "command", "command": "a", "timeout": 1, "args": [], "onFailure": "block"}]}]}, "env": {"A": "1"}, "permissions": {"allow": []}}`))
	f.Fuzz(func(_ *testing.T, content []byte) { loads(content) })
}
