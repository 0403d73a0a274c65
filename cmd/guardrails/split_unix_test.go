//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// halves is a home with the small program, a project whose calls need the full
// one, and whatever stands in for that.
type halves struct{ home, project, small string }

func newHalves(t *testing.T, full string) halves {
	t.Helper()
	h := halves{home: t.TempDir(), project: t.TempDir()}
	h.small = filepath.Join(h.home, ".guardrails", "bin", "guardrails")
	write := func(path string, data []byte, perm os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, perm); err != nil {
			t.Fatal(err)
		}
	}
	link := func(name, to string) {
		t.Helper()
		from, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Link(from, to); err != nil {
			t.Fatal(err)
		}
	}
	// The human's own file: a custom validator in it counts.
	write(filepath.Join(h.home, ".guardrails", "config.yaml"), []byte("version: 1\nvalidators: {enabled: true, input: [own], custom: [{name: own, direction: input, command: [\"true\"]}]}\n"), 0o600)
	write(filepath.Join(h.project, ".git", "HEAD"), nil, 0o644)
	if err := os.Mkdir(filepath.Dir(h.small), 0o755); err != nil {
		t.Fatal(err)
	}
	link("guardrails", h.small)
	switch beside := h.small + "-full"; full {
	case "real":
		link("guardrails-full", beside)
	case "cannot be started":
		write(beside, []byte("#!/bin/sh\nprintf '{}'\n"), 0o644)
	case "cut":
		write(beside, []byte("\x7fELF\x02\x01\x01"), 0o755)
	case "a folder":
		write(filepath.Join(beside, "x"), nil, 0o644)
	case "":
	default:
		write(beside, []byte("#!/bin/sh\n"+full), 0o755)
	}
	return h
}

func (h *halves) hook(t *testing.T, agent, event, payload string) []byte {
	t.Helper()
	args := []string{"hook", "--agent", agent}
	if event != "" {
		args = append(args, event)
	}
	cmd := exec.CommandContext(t.Context(), h.small, args...)
	cmd.Dir = h.project
	cmd.Env = []string{"HOME=" + h.home, "PATH=" + os.Getenv("PATH")}
	cmd.Stdin = strings.NewReader(payload)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.WaitDelay = time.Minute
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s %s: %v\n%s", agent, event, err, stderr.Bytes())
	}
	return out
}

// log returns how many lines the log has.
func (h *halves) log(t *testing.T) (n int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(h.home, ".guardrails", "log", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		n += bytes.Count(data, []byte("\n"))
	}
	return n
}

// shellCalls are a harmless command on each host, and what refuses it there.
func (h *halves) shellCalls() []struct{ agent, event, payload, refusal, neutral string } {
	base := fmt.Sprintf(`"session_id":"s","cwd":%q`, h.project)
	return []struct{ agent, event, payload, refusal, neutral string }{
		{"claude", "", `{` + base + `,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo hi"},"tool_use_id":"u"}`, `"permissionDecision":"deny"`, "{}"},
		{"gemini", "", `{` + base + `,"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"echo hi"}}`, `"decision":"deny"`, "{}"},
		{"muse", "", `{` + base + `,"hook_event_name":"PreToolUse","tool_name":"bash","tool_input":{"command":"echo hi"}}`, `"permissionDecision":"deny"`, ""},
		{"antigravity", "PreToolUse", fmt.Sprintf(`{"conversationId":"c","workspacePaths":[%q],"toolCall":{"name":"run_command","args":{"CommandLine":"echo hi","Cwd":%q}}}`, h.project, h.project), `"decision":"deny"`, `{"decision":"allow"}`},
	}
}

// What the full program would have judged is refused when it does not answer, and
// what it says instead of an answer reaches no host.
func TestNoCallIsApprovedByAFullProgramThatDoesNotAnswer(t *testing.T) {
	for name, full := range map[string]string{
		"absent": "", "cannot be started": "cannot be started", "cut": "cut", "a folder": "a folder",
		"crashes": "kill -SEGV $$", "fails": "echo boom >&2; exit 2", "is silent": "exit 0", "says something": "echo hello",
		"says yes":             `printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`,
		"says nothing to hide": "printf '{}'", "answers twice": "printf '{}{}'",
		"breaks off":           `printf '{"decision":'; kill -9 $$`,
		"does not end talking": "exec cat /dev/zero",
		"leaves a child":       "sleep 20 & exit 0",
	} {
		t.Run(name, func(t *testing.T) {
			h := newHalves(t, full)
			for i, c := range h.shellCalls() {
				out := h.hook(t, c.agent, c.event, c.payload)
				if !json.Valid(out) || !bytes.Contains(out, []byte(c.refusal)) {
					t.Errorf("%s: %q", c.agent, out)
				}
				if n := h.log(t); n != i+1 {
					t.Errorf("%s: %d lines in the log after %d calls", c.agent, n, i+1)
				}
			}
		})
	}
}

func TestTheFullProgramsAnswerIsTheHosts(t *testing.T) {
	h := newHalves(t, "real")
	for i, c := range h.shellCalls() {
		if out := h.hook(t, c.agent, c.event, c.payload); string(bytes.TrimSpace(out)) != c.neutral {
			t.Errorf("%s: %q, want %q", c.agent, out, c.neutral)
		}
		if n := h.log(t); n != i+1 {
			t.Errorf("%s: %d lines in the log after %d calls", c.agent, n, i+1)
		}
	}
}

// A prompt has three seconds in Claude Code, which goes on without us after them.
func TestAFullProgramThatHangsIsNotWaitedFor(t *testing.T) {
	h := newHalves(t, "sleep 20 & sleep 20")
	out := h.hook(t, "claude", "", fmt.Sprintf(`{"session_id":"s","cwd":%q,"hook_event_name":"UserPromptSubmit","prompt":"hello"}`, h.project))
	if !bytes.Contains(out, []byte(`"decision":"block"`)) {
		t.Errorf("got %q", out)
	}
}

// Who asks what is wrong hears it from the half that works.
func TestDoctorNamesABrokenHalf(t *testing.T) {
	for full, want := range map[string]string{
		"cannot be started": "permission denied", "cut": "is broken", "kill -SEGV $$": "segmentation fault", "exit 0": "no other half", "echo guardrails v0.0.0-other": "no other half",
		"": "guardrails-full is not beside this program",
	} {
		h := newHalves(t, full)
		cmd := exec.CommandContext(t.Context(), h.small, "doctor")
		cmd.Env = []string{"HOME=" + h.home, "PATH=/nonexistent"}
		out, err := cmd.CombinedOutput()
		if err == nil || !bytes.Contains(out, []byte(want)) {
			t.Errorf("%q: %v\n%s", full, err, out)
		}
	}
	h := newHalves(t, "real")
	cmd := exec.CommandContext(t.Context(), h.small, "doctor")
	cmd.Env = []string{"HOME=" + h.home, "PATH=/nonexistent"}
	if out, _ := cmd.CombinedOutput(); !bytes.Contains(out, []byte("not installed: claude")) {
		t.Errorf("%s", out)
	}
}
