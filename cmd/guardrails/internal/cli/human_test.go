package cli

import (
	"strings"
	"testing"
)

func TestEveryHostsMarkerIsNamed(t *testing.T) {
	for _, name := range []string{
		"CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID", "AI_AGENT", "GEMINI_CLI", "GEMINI_SESSION_ID",
		"CODEX_SESSION_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "ANTIGRAVITY_CONVERSATION_ID",
	} {
		for _, value := range []string{"=1", "="} {
			a := &app{environ: func() []string { return []string{"HOME=/home/u", name + value, "PATH=/bin"} }}
			for verb, err := range map[string]error{"trust": a.requireHuman("trust", true), "off": a.requireTerminal("off")} {
				if err == nil || !strings.HasPrefix(err.Error(), verb+" is for a human: "+name+" is set") {
					t.Errorf("%s%s: %v", name, value, err)
				}
			}
		}
	}
}

func TestUsersSettingsAreNoMarkers(t *testing.T) {
	a := &app{stdin: strings.NewReader(""), stderr: &strings.Builder{}, environ: func() []string {
		return []string{"CLAUDE_CODE_USE_BEDROCK=1", "CLAUDE_CONFIG_DIR=/x", "CODEX_HOME=/x", "GEMINI_API_KEY=x", "MY_CLAUDECODE=1", "CLAUDECODE_X=1", "AI_AGENTS=2", "ANTIGRAVITY=1"}
	}}
	if marker := a.hostMarker(); marker != "" {
		t.Errorf("%s taken for a host's marker", marker)
	}
	if err := a.requireHuman("trust", true); err != nil {
		t.Errorf("--yes in a script: %v", err)
	}
	if err := a.requireHuman("trust", false); err == nil || !strings.Contains(err.Error(), "--yes") {
		t.Errorf("neither a terminal nor --yes: %v", err)
	}
	if err := a.requireTerminal("off"); err == nil || strings.Contains(err.Error(), "--yes") {
		t.Errorf("no terminal: %v", err)
	}
}
