package adapters

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

func TestLookupFindsEveryAdapterByItsName(t *testing.T) {
	seen := make(map[string]bool)
	for _, a := range All {
		if a.Name() == "" || seen[a.Name()] || Lookup(a.Name()) != a {
			t.Errorf("adapter %q: nameless, twice or not found", a.Name())
		}
		seen[a.Name()] = true
	}
	if Lookup("nobody") != nil || Lookup("") != nil {
		t.Error("an adapter that is not there was found")
	}
}

func TestDetectTellsHostsApart(t *testing.T) {
	const ids = `"session_id":"s","cwd":"/p","transcript_path":"/t.jsonl",`
	tests := []struct{ name, payload, want string }{
		{"claude tool", `{` + ids + `"prompt_id":"p","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{},"tool_use_id":"toolu_1"}`, "claude"},
		{"claude start", `{` + ids + `"hook_event_name":"SessionStart","source":"startup"}`, "claude"},
		{"claude compaction names a model", `{` + ids + `"hook_event_name":"SessionStart","source":"compact","model":"claude-opus-5-5"}`, "claude"},
		{"claude display has a turn", `{` + ids + `"hook_event_name":"MessageDisplay","turn_id":"t","delta":"x"}`, "claude"},
		{"claude behind a byte order mark", "\xef\xbb\xbf" + `{"hook_event_name":"Stop"}`, "claude"},
		{"claude cut", `{` + ids + `"hook_event_name":"PreToolUse","tool_input":{"command":"rm`, "claude"},
		{"codex tool", `{` + ids + `"turn_id":"t","model":"gpt-5.5","permission_mode":"bypassPermissions","hook_event_name":"PreToolUse","tool_name":"Bash"}`, "codex"},
		{"codex start", `{` + ids + `"hook_event_name":"SessionStart","model":"gpt-5.5","permission_mode":"default","source":"startup"}`, "codex"},
		{"codex end", `{"session_id":"s","cwd":"/p","transcript_path":"/h/.codex/sessions/rollout-1.jsonl","hook_event_name":"SessionEnd","reason":"other"}`, "codex"},
		{"codex end on Windows", `{"session_id":"s","transcript_path":"C:\\Users\\u\\.codex\\sessions\\x.jsonl","hook_event_name":"SessionEnd"}`, "codex"},
		{"codex without a record", `{"session_id":"s","cwd":"/p","transcript_path":null,"turn_id":"t","model":"m","hook_event_name":"Stop"}`, "codex"},
		{"codex interrupt", `{` + ids + `"hook_event_name":"Interrupt"}`, "codex"},
		{"gemini tool", `{` + ids + `"hook_event_name":"BeforeTool","timestamp":"2026-11-30T07:56:13.920Z","tool_name":"run_shell_command"}`, "gemini"},
		{"gemini start", `{` + ids + `"hook_event_name":"SessionStart","timestamp":"2026-11-30T07:56:13.920Z","source":"startup"}`, "gemini"},
		{"gemini without a time", `{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"rm -rf ~"}}`, "gemini"},
		{"antigravity tool", `{"conversationId":"c","modelName":"m","stepIdx":3,"toolCall":{"name":"run_command","args":{"CommandLine":"ls"}},"transcriptPath":"/t","workspacePaths":[]}`, "antigravity"},
		{"antigravity stop", `{"conversationId":"c","terminationReason":"NO_TOOL_CALL","fullyIdle":true,"executionNum":0,"workspacePaths":[]}`, "antigravity"},
		{"muse", `{"hook_event_name":"PreToolUse","tool_name":"bash","tool_input":{"command":"ls"},"session_id":"s","turn_id":"t","transcript_path":null,"model":"m","permission_mode":"x","model_provider":"meta"}`, "muse"},
		{"muse model call", `{"hook_event_name":"PreLLMCall","session_id":"s"}`, "muse"},
		{"cursor running claude's hooks", "\xef\xbb\xbf" + `{"hook_event_name":"preToolUse","cursor_version":"3.1","cwd":"","workspace_roots":["/w"],"tool_name":"Shell"}`, "cursor"},
		{"copilot", `{"toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}`, "copilot"},
		{"nothing to go by", `{"tool_name":"Bash","tool_input":{"command":"ls"}}`, ""},
		{"empty", ``, ""},
		{"text", `hello`, ""},
		{"a list", `[{"hook_event_name":"Stop"}]`, ""},
		{"marks inside an input are none", `{"hook_event_name":"PreToolUse","prompt_id":"p","tool_input":{"model_provider":"meta","cursor_version":"1","toolCall":{},"timestamp":"t"}}`, "claude"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Detect([]byte(tt.payload)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDetectKnowsEveryRecordedPayload(t *testing.T) {
	files, err := filepath.Glob("../testdata/hosts/*/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded payloads (%v)", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(filepath.ToSlash(f), "/")[3]
		if got := Detect(b); got != want {
			t.Errorf("%s: got %q, want %q", f, got, want)
		}
	}
}

// An adapter reads what Detect says is its host's.
func TestDetectAgreesWithTheAdapters(t *testing.T) {
	for _, a := range All {
		s, ok := a.(hook.Sampler)
		if !ok {
			continue
		}
		p := s.Payload(hook.Sample{SessionID: "s", Cwd: "/p", Command: "ls"})
		if got := Detect(p); got != a.Name() {
			t.Errorf("%s: its own sample is taken for %q: %s", a.Name(), got, p)
		}
	}
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"Stop","turn_id":1,"model":null,"transcript_path":"/h/.codex/x"}`))
	f.Add([]byte(`{"toolCall":{}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		switch got := Detect(b); got {
		case "", "claude", "codex", "gemini", "antigravity", "muse", "cursor", "copilot":
		default:
			t.Errorf("%q", got)
		}
	})
}
