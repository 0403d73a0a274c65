//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// inTerminal runs guardrails as a person would, and returns what it printed.
func inTerminal(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "guardrails", args...)
	cmd.Env = env
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	out, _ := io.ReadAll(tty) // ends with an error when the other side closes
	return string(out), cmd.Wait()
}

func hookReason(t *testing.T, env []string, id, command string) string {
	t.Helper()
	payload, err := json.Marshal(map[string]any{
		"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/tmp", "tool_name": "Bash", "tool_use_id": id,
		"tool_input": map[string]string{"command": command},
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "guardrails", "hook", "--agent", "claude")
	cmd.Env, cmd.Stdin = env, strings.NewReader(string(payload))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Out struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return answer.Out.Reason
}

var codePattern = regexp.MustCompile("`guardrails allow once ([0-9a-f]{8})`")

func TestAllowOnceLetsOneCallPass(t *testing.T) {
	home := t.TempDir()
	env := []string{"HOME=" + home, "TERM=xterm"}
	const command = "rm -rf ~/sentinel"
	reason := hookReason(t, env, "t1", command)
	m := codePattern.FindStringSubmatch(reason)
	if m == nil {
		t.Fatalf("no code in %q", reason)
	}
	out, err := inTerminal(t, env, "allow", "once", m[1])
	if err != nil || !strings.Contains(out, "allowed once, until ") {
		t.Fatalf("%v: %s", err, out)
	}
	if r := hookReason(t, env, "t2", "rm -rf ~/other"); r == "" {
		t.Error("another command passed")
	}
	if r := hookReason(t, env, "t3", command); r != "" {
		t.Errorf("the allowed call was refused: %s", r)
	}
	if r := hookReason(t, env, "t3", command); r != "" {
		t.Errorf("the other process of the same call was refused: %s", r)
	}
	if r := hookReason(t, env, "t4", command); r == "" {
		t.Error("the grant was used twice")
	}
	log, err := runGuardrails(home, "log", "--json")
	if err != nil || !strings.Contains(string(log), `"gate":"permit","rule":"filesystem/`) {
		t.Errorf("the log does not tell what was permitted: %s", log)
	}
	if log, err = runGuardrails(home, "log"); err != nil || !strings.Contains(string(log), "let through by allow once or off") {
		t.Errorf("the log's lines do not tell what was permitted: %v: %s", err, log)
	}
}

func TestAllowOnceOfACodeThatNoRefusalHasAllowsNothing(t *testing.T) {
	home := t.TempDir()
	env := []string{"HOME=" + home, "TERM=xterm"}
	hookReason(t, env, "t1", "rm -rf ~/sentinel")
	for code, want := range map[string]string{"00000000": "has the code 00000000", "x": "8 digits and letters"} {
		out, err := inTerminal(t, env, "allow", "once", code)
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("allow once %s: %v, want exit code 1", code, err)
		}
		if !strings.Contains(out, want) || strings.Contains(out, "allowed once") {
			t.Errorf("allow once %s: %s", code, out)
		}
	}
	if _, err := os.Stat(filepath.Join(home, ".guardrails", "permits.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was permitted: %v", err)
	}
}

func TestOffEndsWithOnAndNeverCoversSelfProtection(t *testing.T) {
	home := t.TempDir()
	env := []string{"HOME=" + home, "TERM=xterm"}
	const command = "rm -rf ~/sentinel"
	if out, err := inTerminal(t, env, "off", "--for", "1h"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, _ := runGuardrails(home, "status"); !strings.HasPrefix(string(out), "off until ") { // there is no session yet
		t.Errorf("status does not say what is off: %s", out)
	}
	if r := hookReason(t, env, "t1", command); r != "" {
		t.Errorf("switched off, but refused: %s", r)
	}
	if r := hookReason(t, env, "t2", "rm -rf ~/.guardrails"); r == "" {
		t.Error("self-protection was switched off")
	}
	if out, err := inTerminal(t, env, "on"); err != nil || !strings.Contains(out, "on again: everything") {
		t.Fatalf("%v: %s", err, out)
	}
	if r := hookReason(t, env, "t3", command); r == "" {
		t.Error("on again, but it passed")
	}
}

func TestTheHumansVerbsRefuseAnAgent(t *testing.T) {
	home := t.TempDir()
	for _, args := range [][]string{{"allow", "once", "1a2b3c4d"}, {"off"}, {"on"}} {
		out, err := inTerminal(t, []string{"HOME=" + home, "TERM=xterm", "CLAUDECODE=1"}, args...)
		if err == nil || !strings.Contains(out, "CLAUDECODE is set") {
			t.Errorf("%v in a host's terminal: %v: %s", args, err, out)
		}
		cmd := exec.CommandContext(t.Context(), "guardrails", args...)
		cmd.Env = []string{"HOME=" + home}
		if both, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(both), "is for a human at a terminal") {
			t.Errorf("%v without a terminal: %v: %s", args, err, both)
		}
	}
}
