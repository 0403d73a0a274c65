package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

// edit makes one edit call of Claude Code.
func edit(path, old, repl string) *hook.Event {
	return toolEvent(testRoot, testRoot, "Edit", map[string]any{"file_path": path, "old_string": old, "new_string": repl})
}

func writeCall(path, content string) *hook.Event {
	return toolEvent(testRoot, testRoot, "Write", map[string]any{"file_path": path, "content": content})
}

func TestHostSettingsAreJudgedByEffect(t *testing.T) {
	live := ".claude/settings.local.json"
	entry := `{"type": "command", "command": "/home/user/.guardrails/bin/guardrails", "args": ["hook", "--agent", "claude"], "timeout": 10}`
	withKey := func(key string) string {
		return strings.Replace(liveSettings, "{\n", "{\n  "+key+",\n", 1)
	}
	tests := []struct {
		name string
		e    *hook.Event
		want string // "" = pass, else part of the reason
	}{
		{"a permission rule may be added", writeCall(live, withKey(`"permissions": {"allow": ["Bash(ls)"]}`)), ""},
		{"an edit that adds a key passes", edit(live, "{\n  \"hooks\"", "{\n  \"model\": \"x\",\n  \"hooks\""), ""},
		{"another hook may be added", edit(live, "    ]\n", "    ],\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]\n"), ""},
		{"our entry may not go", writeCall(live, "{}"), "drops or changes the guardrails entry"},
		{"our entry may not change", edit(live, `"timeout": 10`, `"timeout": 1`), "drops or changes the guardrails entry"},
		{"our entry may not move to another event", edit(live, `"PreToolUse"`, `"Stop"`), "drops or changes the guardrails entry"},
		{"our entry's matcher may not change", edit(live, `"matcher": "Bash"`, `"matcher": "Never"`), "drops or changes the guardrails entry"},
		{"a switch may not be set", writeCall(live, withKey(`"disableAllHooks": true`)), "disableAllHooks"},
		{"a switch with a pattern may not be set", writeCall(live, withKey(`"enabledPlugins": {"guardrails@m": false}`)), "enabledPlugins.guardrails@m"},
		{"another plugin may be switched", writeCall(live, withKey(`"enabledPlugins": {"other@m": false}`)), ""},
		{"an env key of ours may not be set", writeCall(live, withKey(`"env": {"GUARDRAILS_X": "1"}`)), "env.GUARDRAILS_X"},
		{"an env key for hooks may not be set", writeCall(live, withKey(`"env": {"CLAUDE_CODE_DISABLE_HOOKS": "1"}`)), "env.CLAUDE_CODE_DISABLE_HOOKS"},
		{"another env key passes", writeCall(live, withKey(`"env": {"DEBUG": "1"}`)), ""},
		{"the result must be JSON", edit(live, "{\n  \"hooks\"", "{,\n  \"hooks\""), "not valid JSON"},
		{"a comment voids the file", writeCall(live, "// x\n"+liveSettings), "not valid JSON"},
		{"a handler that voids the file is refused", writeCall(live, strings.Replace(liveSettings, entry, entry+`, {"type": "command", "command": "x", "timeout": 0}`, 1)), "timeout"},
		{"a null matcher voids the file", edit(live, "    ]\n", "    ],\n    \"Stop\": [{\"matcher\": null, \"hooks\": []}]\n"), "matcher"},
		{"an edit whose old text is not there cannot be seen", edit(live, "no such text", "x"), "cannot be seen"},
		{"a live file without entries keeps its switches", writeCall(".claude/settings.json", `{"disableAllHooks": true}`), "disableAllHooks"},
		{"a live file without entries may change", writeCall(".claude/settings.json", `{"permissions": {}}`), ""},
		{"a live file that is not there yet, with a switch", writeCall("/home/user/.claude/settings.json", `{"allowManagedHooksOnly": true}`), "allowManagedHooksOnly"},
		{"reached by dots", writeCall("sub/../.claude/settings.local.json", "{}"), "drops or changes"},
		{"reached in another case", writeCall(".Claude/Settings.Local.json", "{}"), "guardrails"},
		{"a patch that deletes it", toolEvent(testRoot, testRoot, "apply_patch", map[string]any{"input": "*** Begin Patch\n*** Delete File: .claude/settings.local.json\n*** End Patch"}), "settings.local.json"},
		{"a patch in a shell heredoc", shellEvent(testRoot, testRoot, "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: .claude/settings.local.json\n*** End Patch\nEOF"), "settings.local.json"},
		{"an MCP writer", toolEvent(testRoot, testRoot, "mcp__filesystem__write_file", map[string]any{"path": testRoot + "/.claude/settings.local.json", "content": "{}"}), "drops or changes"},
		{"an MCP delete", toolEvent(testRoot, testRoot, "mcp__fs__delete_file", map[string]any{"path": testRoot + "/.claude/settings.local.json"}), "settings.local.json"},
		{"an MCP delete of the folder", toolEvent(testRoot, testRoot, "mcp__fs__delete_directory", map[string]any{"path": testRoot + "/.claude"}), ".claude"},
		{"an MCP move", toolEvent(testRoot, testRoot, "mcp__fs__move_file", map[string]any{"source": testRoot + "/.claude/settings.local.json", "destination": "/tmp/x"}), "settings.local.json"},
		{"an MCP read is free", toolEvent(testRoot, testRoot, "mcp__fs__read_file", map[string]any{"path": testRoot + "/.claude/settings.local.json"}), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := judgeEvent(t, testSettings(), world(), tt.e)
			switch {
			case tt.want == "" && v.Decision != hook.Pass:
				t.Errorf("%s\n%s", v.Decision, v.Reason)
			case tt.want != "" && (v.Decision != hook.Deny || !strings.Contains(v.Reason, tt.want)):
				t.Errorf("%s, want a deny that names %q\n%s", v.Decision, tt.want, v.Reason)
			}
		})
	}
}

func TestOwnFilesAreGuardedFromEveryWritingTool(t *testing.T) {
	for _, path := range []string{".guardrails.yaml", ".guardrails/state.json", "/home/user/.guardrails/config.yaml", "sub/.guardrails.yaml", ".GuardRails.YAML", "link-in/../.guardrails.yaml"} {
		for _, e := range []*hook.Event{
			writeCall(path, "x"),
			edit(path, "version", "v"),
			toolEvent(testRoot, testRoot, "MultiEdit", map[string]any{"file_path": path, "edits": []any{map[string]any{"old_string": "a", "new_string": "b"}}}),
			toolEvent(testRoot, testRoot, "write_file", map[string]any{"file_path": path, "content": "x"}),
			toolEvent(testRoot, testRoot, "mcp__fs__edit_file", map[string]any{"path": path, "edits": []any{map[string]any{"oldText": "a", "newText": "b"}}}),
			toolEvent(testRoot, testRoot, "apply_patch", map[string]any{"command": "*** Begin Patch\n*** Add File: " + path + "\n+x\n*** End Patch"}),
			shellEvent(testRoot, testRoot, "echo x > "+path),
			shellEvent(testRoot, testRoot, "printf x | tee -a "+path),
			shellEvent(testRoot, testRoot, "perl -pi -e s/a/b/ "+path),
			shellEvent(testRoot, testRoot, "cp other "+path),
			shellEvent(testRoot, testRoot, "dd if=a of="+path),
		} {
			if v := judgeEvent(t, testSettings(), world(), e); v.Decision != hook.Deny {
				t.Errorf("%s %s: %s", e.Tool.Name, e.Tool.Input, v.Decision)
			}
		}
		for _, e := range []*hook.Event{
			toolEvent(testRoot, testRoot, "Read", map[string]any{"file_path": path}),
			shellEvent(testRoot, testRoot, "cat "+path),
		} {
			if v := judgeEvent(t, testSettings(), world(), e); v.Decision != hook.Pass {
				t.Errorf("reading is not free: %s %s: %s", e.Tool.Name, e.Tool.Input, v.Decision)
			}
		}
	}
}

func TestLinksDoNotHideAGuardedFile(t *testing.T) {
	files := world()
	files.links[testRoot+"/harmless.txt"] = ".guardrails.yaml"
	files.links[testRoot+"/cfg"] = testHome + "/.guardrails"
	for _, e := range []*hook.Event{
		writeCall("harmless.txt", "x"), writeCall("cfg/config.yaml", "x"),
		shellEvent(testRoot, testRoot, "echo x > harmless.txt"), shellEvent(testRoot, testRoot, "rm -rf cfg/log"),
	} {
		if v := judgeEvent(t, testSettings(), files, e); v.Decision != hook.Deny {
			t.Errorf("%s %s: %s", e.Tool.Name, e.Tool.Input, v.Decision)
		}
	}
}

func TestLedgerIsFreeButForItsPausedLine(t *testing.T) {
	tests := []struct {
		name string
		e    *hook.Event
		want hook.Decision
	}{
		{"a card is added", edit(".guardrails/LEDGER.md", "# Ledger", "# Ledger\n\n- card"), hook.Pass},
		{"pausing", edit(".guardrails/LEDGER.md", "PAUSED: no", "PAUSED: yes"), hook.Deny},
		{"a rewrite that keeps the line", writeCall(".guardrails/LEDGER.md", "# New\n\nPAUSED: no\n"), hook.Pass},
		{"a rewrite that drops the line", writeCall(".guardrails/LEDGER.md", "# New\n"), hook.Deny},
		{"removing it", shellEvent(testRoot, testRoot, "rm .guardrails/LEDGER.md"), hook.Deny},
		{"pausing by shell", shellEvent(testRoot, testRoot, "cat >> .guardrails/LEDGER.md <<E\nPAUSED I am tired\nE"), hook.Deny},
		{"pausing by an editor", shellEvent(testRoot, testRoot, "sed -i 's/# Ledger/PAUSED now/' .guardrails/LEDGER.md"), hook.Deny},
		{"pausing by a copy", shellEvent(testRoot, testRoot, "cp $X .guardrails/LEDGER.md"), hook.Deny},
		{"a card by shell", shellEvent(testRoot, testRoot, "echo '- [ ] a card' >> .guardrails/LEDGER.md"), hook.Pass},
		{"a card by an editor", shellEvent(testRoot, testRoot, "sed -i 's/- \\[ \\]/- [x]/' .guardrails/LEDGER.md"), hook.Pass},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if v := judgeEvent(t, testSettings(), world(), tt.e); v.Decision != tt.want {
				t.Errorf("%s, want %s\n%s", v.Decision, tt.want, v.Reason)
			}
		})
	}
}

func TestProtectedGlobsAsk(t *testing.T) {
	s := testSettings()
	s.Protect = []string{"deploy/**", ".github/workflows/*.yml"}
	for sample, want := range map[string]hook.Decision{
		"Write(deploy/prod.yaml)":        hook.Ask,
		"Edit(.github/workflows/ci.yml)": hook.Ask,
		"sed -i s/a/b/ deploy/x/y.yaml":  hook.Ask,
		"rm deploy/old.yaml":             hook.Ask,
		"Write(src/deploy.go)":           hook.Pass,
		"cat deploy/prod.yaml":           hook.Pass,
	} {
		if v := judgeEvent(t, s, world(), sampleEvent(sample)); v.Decision != want {
			t.Errorf("%s: %s, want %s", sample, v.Decision, want)
		}
	}
}

func TestHumanOnlyVerbs(t *testing.T) {
	words := func(line string) []word {
		var out []word
		for f := range strings.FieldsSeq(line) {
			out = append(out, word{Text: f, Raw: f, Static: true})
		}
		return out
	}
	for line, human := range map[string]bool{
		"trust": true, "allow once 12345678": true, "skip e2e why": true, "off": true, "off --for 30m": true, "on": true,
		"init --uninstall": true, "init --purge": true, "init --force": true, "init -g --uninstall --yes": true, "init --dry-run=false --uninstall": true,
		"config init": true, "config edit": true, "evidence init": true, "evidence migrate": true, "evidence pause": true,
		"lessons edit": true, "lessons drop 3": true, "gc --force": true, "deps cache clear": true, "hook --agent claude": true, "unheard-of": true,
		"--home /x off": true,

		"": false, "--help": false, "check -- off": false, "explain x/y": false, "status": false, "log --json": false, "stats": false, "scan --batch": false,
		"deps check": false, "deps cache show": false, "gate run": false, "gate coverage --base main": false, "evidence status": false, "evidence add x": false,
		"evidence phase x": false, "evidence card": false, "evidence resume": false, "evidence lint": false, "watch": false, "pack list": false,
		"config show": false, "config validate": false, "config schema": false, "lessons list": false, "doctor --live": false, "review": false,
		"completion bash": false, "version": false, "init": false, "init --agent claude -g": false, "init --show": false, "off --help": false,
		"init --uninstall --dry-run": false, "gc": false,
	} {
		if got := humanOnly(words(line)) != ""; got != human {
			t.Errorf("guardrails %s: human only = %t, want %t", line, got, human)
		}
	}
}

func TestSettingsProblemIsStable(t *testing.T) {
	// Reordered keys and white space change nothing of ours but the entry itself
	// must keep its bytes.
	var v map[string]any
	if err := json.Unmarshal([]byte(liveSettings), &v); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	lf := &hook.LiveFile{Switches: claudeSwitches}
	if p := settingsProblem([]byte(liveSettings), []byte(liveSettings), lf, nil); p != "" {
		t.Error(p)
	}
	if p := settingsProblem([]byte(liveSettings), again, lf, nil); !strings.Contains(p, "entry") {
		t.Errorf("a reformatted entry passed: %q", p)
	}
	if p := settingsProblem(nil, []byte(`{"a":1}`), lf, nil); p != "" {
		t.Error(p)
	}
	if p := settingsProblem([]byte("not json"), []byte(`{"a":1}`), lf, nil); p != "" {
		t.Error(p)
	}
}

func TestProtectedPatternsAreSeenFromRootHomeOrAbsolute(t *testing.T) {
	s := testSettings()
	s.Protect = []string{"deploy/**", "~/notes/**", "/srv/site/*.conf"}
	for command, want := range map[string]hook.Decision{
		"echo x > deploy/a/b.yaml":    hook.Ask,
		"echo x > ~/notes/today.md":   hook.Ask,
		"echo x > /srv/site/web.conf": hook.Ask,
		"echo x > src/deploy.yaml":    hook.Pass,
		"echo x > /srv/site/web.html": hook.Pass,
		"cat deploy/a/b.yaml":         hook.Pass,
	} {
		v := judgeEvent(t, s, world(), shellEvent(testRoot, testRoot, command))
		if v.Decision != want || want == hook.Ask && v.Rule != "disarm/protected-path" {
			t.Errorf("%s: %s %s, want %s", command, v.Decision, v.Rule, want)
		}
	}
}
