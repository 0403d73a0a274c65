//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/installer"
)

// TestMain lets this test binary be an agent: started under the name claude it
// plays one, in the way that the file "mode" beside it says.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "claude" {
		os.Exit(playAgent())
	}
	os.Exit(m.Run())
}

// playAgent asks the scripted model for calls and runs them, hooks first.
func playAgent() int {
	mode, err := os.ReadFile(filepath.Join(filepath.Dir(os.Args[0]), "mode"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("9.9.9 (a fake)")
		return 0
	}
	if string(mode) == "dies" {
		fmt.Fprintln(os.Stderr, "cannot start")
		return 7
	}
	messages := []map[string]any{{"role": "user", "content": "go"}}
	for range 5 {
		body, err := json.Marshal(map[string]any{"model": "m", "tools": []map[string]string{{"name": "Bash"}}, "messages": messages})
		if err != nil {
			return 1
		}
		resp, err := http.Post(os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages", "application/json", bytes.NewReader(body))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		var said struct {
			Content []struct {
				Type, ID, Name string
				Input          struct{ Command string }
			}
		}
		if err != nil || json.Unmarshal(raw, &said) != nil || len(said.Content) == 0 {
			return 1
		}
		call := said.Content[0]
		messages = append(messages, map[string]any{"role": "assistant", "content": said.Content})
		if call.Type != "tool_use" {
			return 0
		}
		result := runCall(string(mode), call.Input.Command)
		messages = append(messages, map[string]any{"role": "user", "content": []map[string]any{{"type": "tool_result", "tool_use_id": call.ID, "content": result}}})
	}
	return 0
}

func runCall(mode, command string) string {
	if mode != "ignores hooks" {
		if reason := askHook(command); reason != "" {
			return reason
		}
	}
	if mode == "refuses all" || mode == "refuses without us" && strings.HasPrefix(command, "rm") {
		return "no permission"
	}
	out, err := exec.Command("/bin/sh", "-c", command).CombinedOutput()
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// askHook runs the PreToolUse handler of the home's settings.
func askHook(command string) string {
	data, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), ".claude", "settings.json"))
	if err != nil {
		return ""
	}
	var s struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Command string
				Args    []string
			}
		}
	}
	if json.Unmarshal(data, &s) != nil {
		return ""
	}
	for _, g := range s.Hooks["PreToolUse"] {
		for _, h := range g.Hooks {
			dir, _ := os.Getwd()
			payload, _ := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "session_id": "s", "cwd": dir, "tool_name": "Bash", "tool_input": map[string]string{"command": command}})
			cmd := exec.Command(h.Command, h.Args...)
			cmd.Stdin = bytes.NewReader(payload)
			out, _ := cmd.Output()
			var answer struct {
				Specific struct {
					Reason string `json:"permissionDecisionReason"`
				} `json:"hookSpecificOutput"`
			}
			if json.Unmarshal(out, &answer) == nil && answer.Specific.Reason != "" {
				return answer.Specific.Reason
			}
		}
	}
	return ""
}

// TestLiveSaysEnforcedOnlyOfAnAgentThatWasStoppedAndWorked plays agents that
// differ in what they do with our answer.
func TestLiveSaysEnforcedOnlyOfAnAgentThatWasStoppedAndWorked(t *testing.T) {
	const hookProgram = "#!/bin/sh\nexec 3<&0\ncase $(cat) in *'rm -rf'*) echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"guardrails filesystem/x: no\"}}';; *) echo '{}';; esac\n"
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, tt := range []struct {
		mode     string
		enforced bool
		why      string
	}{
		{"obeys", true, ""},
		{"ignores hooks", false, "the call that must be denied ran"},
		{"refuses without us", true, ""}, // our answer came first
		{"refuses all", false, "the call that must pass did not run: no permission"},
		{"dies", false, "made 0 of 2 calls and ended with code 7: cannot start"},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			dir := t.TempDir() // not below temp
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			agent, hookPath := filepath.Join(dir, "claude"), filepath.Join(dir, "guardrails")
			if err := os.Symlink(self, agent); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{filepath.Join(dir, "mode"): tt.mode, hookPath: hookProgram} {
				if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			settings := fmt.Sprintf(`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": %q, "args": ["hook"]}]}]}}`, hookPath)
			l := liveResult{Host: "claude", Program: agent}
			err = rehearse(t.Context(), &l, installer.Rehearsal{Host: "claude", Files: map[string][]byte{".claude/settings.json": []byte(settings)}})
			if l.Enforced != tt.enforced || (err == nil) != tt.enforced || err != nil && !strings.Contains(err.Error(), tt.why) {
				t.Errorf("enforced %t, %v", l.Enforced, err)
			}
			if l.Version != "9.9.9" {
				t.Errorf("version %q", l.Version)
			}
		})
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
