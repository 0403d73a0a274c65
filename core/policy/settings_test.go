package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

func TestOwnEntriesAreRecognisedInEveryForm(t *testing.T) {
	const bin = "/home/user/.guardrails/bin/guardrails"
	entry := func(command string, args ...string) []byte {
		h := map[string]any{"type": "command", "command": command, "timeout": 10}
		if args != nil {
			h["args"] = args
		}
		raw, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	for _, raw := range [][]byte{
		entry(bin, "hook", "--agent", "claude"),
		entry(bin, "hook", "--agent", "claude", "--home", "/x"),
		entry(bin, "hook", "claude"),
		entry(bin, "hook", "PreToolUse"),
		entry("guardrails", "hook", "--agent", "claude"),
		entry("${CLAUDE_PLUGIN_ROOT}/bin/guardrails", "hook", "--agent", "claude"),
		entry(`C:\Users\me\.guardrails\bin\guardrails.exe`, "hook", "--agent", "claude"),
		entry("command -v guardrails >/dev/null 2>&1 || exit 0; exec guardrails hook --agent claude"),
		entry("b='" + bin + `'; [ -x "$b" ] || exit 0; exec "$b" hook --agent gemini`),
		entry("b='" + bin + `'; [ -x "$b" ] || { printf '{"decision":"allow"}'; exit 0; }; exec "$b" hook --agent antigravity PreToolUse`),
		entry("'" + bin + "' hook --agent muse"),
		entry(bin + " hook --agent claude"),
		entry("env", "A=1", bin, "hook", "--agent", "claude"),
		entry("sh", "-c", "exec "+bin+" hook --agent claude"),
		entry("rtk " + bin + " hook claude"),
	} {
		if !ownEntry(raw) {
			t.Errorf("not recognised: %s", raw)
		}
	}
	for _, raw := range [][]byte{
		entry("echo guardrails are good"),
		entry("/home/user/guardrails-demo/lint.sh", "hook"),
		entry("/opt/myguardrails", "hook", "x"),
		entry("guardrails version"),
		entry("hook guardrails"),
		entry("echo hi"),
		[]byte(`{"matcher": "guardrails hook"}`),
		[]byte(`["guardrails", "hook"]`),
	} {
		if ownEntry(raw) {
			t.Errorf("taken for ours: %s", raw)
		}
	}
}

func TestAVariableThatReachesOurProcessMayNotBeSet(t *testing.T) {
	for name, want := range map[string]hook.Decision{
		"GODEBUG": hook.Deny, "GOMAXPROCS": hook.Deny, "GOMEMLIMIT": hook.Deny, "GOGC": hook.Deny, "GOTRACEBACK": hook.Deny,
		"LD_PRELOAD": hook.Deny, "DYLD_INSERT_LIBRARIES": hook.Deny, "BASH_ENV": hook.Deny, "HOME": hook.Deny,
		"GOFLAGS": hook.Pass, "GOPROXY": hook.Pass, "NODE_ENV": hook.Pass, "DEBUG": hook.Pass,
	} {
		after := strings.Replace(liveSettings, "{\n", "{\n  \"env\": {\""+name+"\": \"1\"},\n", 1)
		if v := judgeEvent(t, testSettings(), world(), writeCall(".claude/settings.local.json", after)); v.Decision != want {
			t.Errorf("%s: %s, want %s", name, v.Decision, want)
		}
	}
	files := world()
	files.files[testRoot+"/.claude/settings.local.json"] = strings.Replace(liveSettings, "{\n", "{\n  \"env\": {\"GOMAXPROCS\": \"1\"},\n", 1)
	if v := judgeEvent(t, testSettings(), files, writeCall(".claude/settings.local.json", liveSettings)); v.Decision != hook.Deny {
		t.Errorf("taking a variable away that somebody set: %s", v.Decision)
	}
}

func TestAFileThatTheHostWouldDropIsRefused(t *testing.T) {
	s := testSettings()
	for i := range s.LiveFiles {
		s.LiveFiles[i].Loads = func(content []byte) string {
			if strings.Contains(string(content), "poison") {
				return "it holds poison"
			}
			return ""
		}
	}
	bad := strings.Replace(liveSettings, "{\n", "{\n  \"x\": \"poison\",\n", 1)
	v := judgeEvent(t, s, world(), writeCall(".claude/settings.local.json", bad))
	if v.Decision != hook.Deny || !strings.Contains(v.Reason, "it holds poison, for which the host would drop the whole file") {
		t.Errorf("%s\n%s", v.Decision, v.Reason)
	}
	files := world()
	files.files[testRoot+"/.claude/settings.local.json"] = bad
	if v := judgeEvent(t, s, files, edit(".claude/settings.local.json", `"x": "poison"`, `"x": "poison2"`)); v.Decision != hook.Pass {
		t.Errorf("a file that is dropped already: %s\n%s", v.Decision, v.Reason)
	}
}

func TestAHostThatReadsCommentsMayHaveThem(t *testing.T) {
	s := testSettings()
	for i := range s.LiveFiles {
		s.LiveFiles[i].Loads = func([]byte) string { return "" }
	}
	files := world()
	live := testRoot + "/.claude/settings.local.json"
	commented := "// ours\n" + strings.Replace(liveSettings, "{\n", "{\n  /* a, */ \"model\": \"x // y\",\n", 1)
	for name, tt := range map[string]struct {
		after string
		want  hook.Decision
	}{
		"comments":                     {commented, hook.Pass},
		"a comma too many":             {strings.Replace(commented, "]\n  }\n}", "],\n  },\n}", 1), hook.Pass},
		"our entry in a comment":       {"/*" + liveSettings + "*/ {}", hook.Deny},
		"a switch behind a comment":    {strings.Replace(commented, "\"model\"", "\"disableAllHooks\": true, \"model\"", 1), hook.Deny},
		"a comment that is not closed": {"/* " + liveSettings, hook.Deny},
	} {
		if v := judgeEvent(t, s, files, writeCall(live, tt.after)); v.Decision != tt.want {
			t.Errorf("%s: %s, want %s\n%s", name, v.Decision, tt.want, v.Reason)
		}
	}
}

func TestAVariableThatMovesAHostIsNotWrittenWhereItReadsIt(t *testing.T) {
	for name, tt := range map[string]struct {
		e    *hook.Event
		want hook.Decision
	}{
		"write .env":          {writeCall(".env", "A=1\nGEMINI_CLI_HOME=/tmp/x\n"), hook.Deny},
		"write .gemini/.env":  {writeCall(testHome+"/.gemini/.env", "GEMINI_CLI_HOME = /tmp/x\n"), hook.Deny},
		"edit .env":           {edit(".env", "TOKEN=x", "TOKEN=x\nGEMINI_CLI_HOME=/x"), hook.Deny},
		"edit a profile":      {writeCall(testHome+"/.zshrc", "export CLAUDE_CONFIG_DIR=/x\n"), hook.Ask},
		"a heredoc":           {shellEvent(testRoot, testRoot, "cat >> .env <<E\nGEMINI_CLI_HOME=/x\nE"), hook.Deny},
		"sed":                 {shellEvent(testRoot, testRoot, "sed -i '$aGEMINI_CLI_HOME=/x' .env"), hook.Deny},
		"another variable":    {writeCall(".env.local", "GEMINI_MODEL=x\n"), hook.Pass},
		"text about it":       {writeCall("docs/env.md", "GEMINI_CLI_HOME=/x moves it\n"), hook.Pass},
		"a profile, harmless": {writeCall(testHome+"/.zshrc", "export EDITOR=vi # CLAUDE_CONFIG_DIR\n"), hook.Pass},
	} {
		if v := judgeEvent(t, testSettings(), world(), tt.e); v.Decision != tt.want {
			t.Errorf("%s: %s %s, want %s\n%s", name, v.Decision, v.Rule, tt.want, v.Reason)
		}
	}
}
