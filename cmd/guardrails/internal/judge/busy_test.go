package judge

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/hook"
)

// The same run, as each host hands it on.
func TestEachHostsShapeOfATestRunIsGradedAlike(t *testing.T) {
	home := t.TempDir()
	m := &Machine{Home: home, StateHome: filepath.Join(home, ".guardrails"), Getenv: func(string) string { return "" }, DryRun: true}
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	shapes := map[string]func(command, out string, exit int) string{
		"claude": func(command, out string, exit int) string {
			if exit != 0 {
				return fmt.Sprintf(`{"hook_event_name":"PostToolUseFailure","session_id":"s","cwd":"/w","tool_name":"Bash","tool_input":{"command":%s},"error":%s,"is_interrupt":false}`, text(command), text(fmt.Sprintf("Exit code %d\n%s", exit, out)))
			}
			return fmt.Sprintf(`{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/w","tool_name":"Bash","tool_input":{"command":%s},"tool_response":{"stdout":%s,"stderr":"","interrupted":false}}`, text(command), text(out))
		},
		"gemini": func(command, out string, exit int) string {
			if out = "Output: " + strings.TrimRight(out, "\n"); exit != 0 {
				out += fmt.Sprintf("\nExit Code: %d", exit)
			}
			return fmt.Sprintf(`{"hook_event_name":"AfterTool","session_id":"s","cwd":"/w","tool_name":"run_shell_command","tool_input":{"command":%s},"tool_response":{"llmContent":%s}}`, text(command), text("<untrusted_context>\n"+out+"\nProcess Group PGID: 7\n</untrusted_context>"))
		},
		"muse": func(command, out string, exit int) string {
			return fmt.Sprintf(`{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/w","tool_name":"bash","tool_input":{"command":%s},"tool_response":{"stdout":%s,"stderr":"","exit_code":%d}}`, text(command), text(out), exit)
		},
		"antigravity": func(command, out string, exit int) string {
			log := filepath.Join(t.TempDir(), "transcript_full.jsonl")
			content := fmt.Sprintf("Created At: 2026-09-27T18:02:03+01:00\nCompleted At: 2026-09-27T18:02:41+01:00\n\nThe command exited with code %d.\nOutput:\n%s", exit, out)
			if err := os.WriteFile(log, []byte(`{"step_index":3,"type":"GENERIC","status":"DONE","content":`+text(content)+"}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf(`{"conversationId":"s","stepIdx":3,"error":"","toolCall":{"name":"run_command","args":{"CommandLine":%s,"Cwd":"/w"}},"transcriptPath":%s,"workspacePaths":["/w"]}`, text(command), text(log))
		},
	}
	for _, tt := range []struct {
		command, out string
		exit         int
		want         string
	}{
		{"pytest", "===== 3 passed in 0.12s =====\n", 0, "passed"},
		{"pytest", "===== 1 failed, 2 passed in 0.12s =====\n", 1, "failed"},
		{"pytest", "===== no tests ran in 0.01s =====\n", 5, "empty"},
		{"pytest | tail -1", "===== 3 passed in 0.12s =====\n", 0, "weak"},
		{"go test ./...", "ok  \tshop\t0.01s\n", 0, "passed-uncounted"},
		{"go test ./... | tail -1", "ok  \tshop\t0.01s\n", 0, "unknown"},
		{"npm test", "npm error Missing script: \"test\"\n", 1, "error"},
		{"npx vitest run", "\x1b[2m Test Files \x1b[22m \x1b[32m1 passed\x1b[39m (1)\n\x1b[2m      Tests \x1b[22m \x1b[32m2 passed\x1b[39m (2)\n", 0, "passed"},
		{"ls", "3 passed in 0.12s\n", 0, "none"},
	} {
		for name, shape := range shapes {
			ad := adapters.Lookup(name)
			c := Decode(Request{Adapter: ad, EventHint: "PostToolUse", Payload: []byte(shape(tt.command, tt.out, tt.exit)), Dir: home})
			if c.err != nil {
				t.Fatalf("%s: %v", name, c.err)
			}
			report, ok := m.Tests(ad, &c.Event)
			if !ok || report.Grade.String() != tt.want {
				t.Errorf("%s: %s: got %s (%s), want %s", name, tt.command, report.Grade, report.Why, tt.want)
			}
		}
	}
}

func TestWhatIsNotAFinishedShellCallHasNoGrade(t *testing.T) {
	home := t.TempDir()
	m := &Machine{Home: home, StateHome: filepath.Join(home, ".guardrails"), Getenv: func(string) string { return "" }, DryRun: true}
	ad := adapters.Lookup("claude")
	for _, payload := range []string{
		`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"Bash","tool_input":{"command":"pytest"}}`,
		`{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/w","tool_name":"Read","tool_input":{"file_path":"a"},"tool_response":{}}`,
		`{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/w","tool_name":"Bash","tool_input":{},"tool_response":{}}`,
		`{"hook_event_name":"Stop","session_id":"s","cwd":"/w"}`,
		`{`,
	} {
		c := Decode(Request{Adapter: ad, Payload: []byte(payload), Dir: home})
		if _, ok := m.Tests(ad, &c.Event); ok {
			t.Errorf("%s has a grade", payload)
		}
	}
}

func TestOnlyWorkInTheBackgroundIsWaitedFor(t *testing.T) {
	busy := (&Machine{Home: "/h"}).busy(&hook.Event{Cwd: "/w"})
	for command, want := range map[string]bool{"npm test": true, "cargo build --release": true, "npx eslint .": true, "npm run dev": false, "sleep 100": false, "": false} {
		if busy(command) != want {
			t.Errorf("%q: %v", command, !want)
		}
	}
}
