package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/hook"
)

func TestWhatCannotBeReadIsLeftEmptyAndNamed(t *testing.T) {
	const rest = `"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}`
	tests := []struct {
		name, payload string
		want          string // in the error
	}{
		{"session", `{"session_id":7,` + rest + `}`, "session_id: want a string, got a number"},
		{"cwd", `{"cwd":["/p"],` + rest + `}`, "cwd: want a string, got an array"},
		{"mode", `{"permission_mode":{},` + rest + `}`, "permission_mode: want a string, got an object"},
		{"id", `{"tool_use_id":false,` + rest + `}`, "tool_use_id: want a string, got a boolean"},
		{"tool name", `{"hook_event_name":"PreToolUse","tool_name":3,"tool_input":{"command":"ls"}}`, "tool_name: want a string, got a number"},
		{"tool input", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":3}`, "tool_input: want an object, got a number"},
		{"event", `{"hook_event_name":["PreToolUse"],"tool_name":"Bash","tool_input":{"command":"ls"}}`, "hook_event_name: want a string, got an array"},
		{"flag", `{"hook_event_name":"Stop","stop_hook_active":"true"}`, "stop_hook_active: want true or false, got a string"},
		{"tasks", `{"hook_event_name":"Stop","background_tasks":{}}`, "background_tasks: want an array, got an object"},
		{"response", `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":3}`, "tool_response: want a string, an array or an object, got a number"},
		{"two", `{"session_id":7,"cwd":8,` + rest + `}`, "cwd: want"},
		{"not an object", `[1]`, "not a JSON object"},
		{"empty", ``, "payload is empty"},
		{"not JSON", `hello`, `byte 0: want a value, got 'h'`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := Adapter{}.Decode("", []byte(tt.payload))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "claude payload: ") {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
			if cmd, _ := e.Tool.Command(); strings.Contains(tt.payload, rest) && (cmd != "ls" || e.Name != hook.PreToolUse) {
				t.Errorf("the rest is lost: %+v", e)
			}
		})
	}
}

func TestNullAndMissingAreNoErrors(t *testing.T) {
	for _, payload := range []string{
		`{"hook_event_name":"Stop"}`, `{"hook_event_name":"PostToolUse","tool_name":"Bash"}`, `{"hook_event_name":"PreToolUse"}`,
		`{"hook_event_name":"Stop","session_id":null,"cwd":null,"transcript_path":null,"stop_hook_active":null,"background_tasks":null,"last_assistant_message":null}`,
		`{"hook_event_name":"PostToolUse","tool_name":"X","tool_input":null,"tool_response":null,"tool_use_id":null}`,
		`{"hook_event_name":"PreCompact","trigger":"auto","custom_instructions":null}`,
	} {
		if _, err := (Adapter{}).Decode("", []byte(payload)); err != nil && !strings.Contains(payload, `"tool_input":null`) {
			t.Errorf("%s: %v", payload, err)
		}
	}
}

func TestTheEventIsThePayloadsThenTheHintsThenTheCalls(t *testing.T) {
	tests := []struct {
		name, hint, payload string
		event               hook.EventName
		host                string
	}{
		{"payload", "", `{"hook_event_name":"Stop"}`, hook.Stop, "Stop"},
		{"payload wins", "PreToolUse", `{"hook_event_name":"Stop"}`, hook.Stop, "Stop"},
		{"hint", "SubagentStop", `{"session_id":"s"}`, hook.SubagentStop, "SubagentStop"},
		{"hint for a wrong type", "Stop", `{"hook_event_name":1}`, hook.Stop, "Stop"},
		{"a call without a result", "", `{"tool_name":"Bash","tool_input":{"command":"ls"}}`, hook.PreToolUse, "PreToolUse"},
		{"a call with one", "", `{"tool_name":"Bash","tool_input":{},"tool_response":"x"}`, hook.UnknownEvent, ""},
		{"new event", "", `{"hook_event_name":"PreTeleport","tool_name":"Bash","tool_input":{}}`, hook.UnknownEvent, "PreTeleport"},
		{"names are exact", "", `{"hook_event_name":"pretooluse"}`, hook.UnknownEvent, "pretooluse"},
		{"as Cursor spells it", "", `{"hook_event_name":"preToolUse"}`, hook.PreToolUse, "preToolUse"},
		{"in snake case", "", `{"hook_event_name":"subagent_stop"}`, hook.SubagentStop, "subagent_stop"},
		{"nothing", "", `{}`, hook.UnknownEvent, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := Adapter{}.Decode(tt.hint, []byte(tt.payload))
			if e.Name != tt.event || e.HostEvent != tt.host {
				t.Errorf("got %q (%q), want %q (%q)", e.Name, e.HostEvent, tt.event, tt.host)
			}
		})
	}
}

func TestACutPayloadStillShowsItsCommand(t *testing.T) {
	e, err := Adapter{}.Decode("", []byte(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /`))
	if !errors.Is(err, hook.ErrTruncated) {
		t.Errorf("error %v, want ErrTruncated", err)
	}
	if cmd, ok := e.Tool.Command(); !ok || cmd != "rm -rf /" || e.SessionID != "s" || e.Name != hook.PreToolUse {
		t.Errorf("got %+v, command %q", e, cmd)
	}
	if !json.Valid(e.Raw) {
		t.Errorf("Raw %q", e.Raw)
	}
}

func TestBytesAreUTF8WhateverTheLocale(t *testing.T) {
	for name, payload := range map[string]string{
		"plain":     `{"tool_name":"Bash","tool_input":{"command":"echo \"表示\" && rm -rf ~"}}`,
		"mark":      "\xef\xbb\xbf" + `{"tool_name":"Bash","tool_input":{"command":"echo \"表示\" && rm -rf ~"}}`,
		"escaped":   `{"tool_name":"Bash","tool_input":{"command":"echo \"\u8868\u793a\" && rm -rf ~"}}`,
		"surrogate": `{"tool_name":"Bash","tool_input":{"command":"echo \"表示\" && rm -rf ~"},"cwd":"\ud83d"}`,
	} {
		e, err := Adapter{}.Decode("", []byte(payload))
		if cmd, _ := e.Tool.Command(); err != nil || cmd != `echo "表示" && rm -rf ~` {
			t.Errorf("%s: %q, %v", name, cmd, err)
		}
	}
}

func TestResultsAreReadFromEveryShape(t *testing.T) {
	tests := []struct {
		name, tool, input, response string
		want                        hook.Result
	}{
		{
			"shell", "Bash", `{"command":"x"}`, `{"stdout":"out","stderr":"","interrupted":false,"isImage":false}`,
			hook.Result{Outcome: hook.Succeeded, HasExit: true, Text: "out"},
		},
		{
			"both streams", "Bash", `{"command":"x"}`, `{"stdout":"out","stderr":"err","interrupted":false}`,
			hook.Result{Outcome: hook.Succeeded, HasExit: true, Text: "out\nerr"},
		},
		{
			"harmless code: not a success to build on", "Bash", `{"command":"go test ./... | grep FAIL"}`, `{"stdout":"","stderr":"","returnCodeInterpretation":"No matches found"}`,
			hook.Result{Outcome: hook.Unknown, Text: "No matches found"},
		},
		{
			"interrupted", "Bash", `{"command":"x"}`, `{"stdout":"half","interrupted":true}`,
			hook.Result{Outcome: hook.Failed, Interrupted: true, Text: "half"},
		},
		{
			"background by id", "Bash", `{"command":"x"}`, `{"stdout":"","backgroundTaskId":"b1"}`,
			hook.Result{Outcome: hook.Unknown, Background: true},
		},
		{
			"background by request", "Bash", `{"command":"x","run_in_background":true}`, `{"stdout":""}`,
			hook.Result{Outcome: hook.Unknown, Background: true},
		},
		{
			"background and interrupted", "Bash", `{"command":"x"}`, `{"backgroundTaskId":"b1","interrupted":true}`,
			hook.Result{Outcome: hook.Unknown, Background: true, Interrupted: true},
		},
		{
			"monitor", "Monitor", `{"command":"x"}`, `{"taskId":"b1","timeoutMs":1,"persistent":false}`,
			hook.Result{Outcome: hook.Unknown, Background: true},
		},
		{
			"PowerShell tells no code", "PowerShell", `{"command":"x"}`, `{"stdout":"out"}`,
			hook.Result{Outcome: hook.Succeeded, Text: "out"},
		},
		{"shell text", "Bash", `{"command":"x"}`, `"out"`, hook.Result{Outcome: hook.Succeeded, HasExit: true, Text: "out"}},
		{"task update has an id, too", "TaskUpdate", `{}`, `{"success":true,"taskId":"1"}`, hook.Result{Outcome: hook.Succeeded}},
		{
			"agent", "Agent", `{}`, `{"status":"completed","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"prompt":"p"}`,
			hook.Result{Outcome: hook.Succeeded, Text: "a\nb"},
		},
		{"agent in the background", "Agent", `{}`, `{"isAsync":true,"status":"async_launched"}`, hook.Result{Outcome: hook.Unknown, Background: true}},
		{"file", "Read", `{}`, `{"type":"text","file":{"filePath":"/a","content":"text\n"}}`, hook.Result{Outcome: hook.Succeeded, Text: "text\n"}},
		{"what was written is not output", "Write", `{}`, `{"type":"create","filePath":"/a","content":"secret","originalFile":null}`, hook.Result{Outcome: hook.Succeeded}},
		{"notebook error", "NotebookEdit", `{}`, `{"error":"no such cell","cell_id":"c"}`, hook.Result{Outcome: hook.Failed, Text: "no such cell"}},
		{"no success", "Skill", `{}`, `{"success":false}`, hook.Result{Outcome: hook.Failed}},
		{"MCP string", "mcp__a__b", `{}`, `"{\"a\":1}"`, hook.Result{Outcome: hook.Succeeded, Text: `{"a":1}`}},
		{"MCP blocks", "mcp__a__b", `{}`, `[{"type":"text","text":"a"},{"type":"image","data":"x"},"b"]`, hook.Result{Outcome: hook.Succeeded, Text: "a\nb"}},
		{"web", "WebFetch", `{}`, `{"bytes":3,"code":200,"result":"page","url":"u"}`, hook.Result{Outcome: hook.Succeeded, Text: "page"}},
		{"nothing", "Bash", `{}`, `{}`, hook.Result{Outcome: hook.Succeeded, HasExit: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := Adapter{}.Decode("", []byte(`{"hook_event_name":"PostToolUse","tool_name":"`+tt.tool+`","tool_input":`+tt.input+`,"tool_response":`+tt.response+`}`))
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Raw = json.RawMessage(tt.response)
			if diff := cmp.Diff(tt.want, *e.Tool.Result); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestFailuresTellTheirCode(t *testing.T) {
	tests := []struct {
		name, members string
		want          hook.Result
	}{
		{"code", `"error":"Exit code 3\nout"`, hook.Result{Outcome: hook.Failed, ExitCode: 3, HasExit: true, Text: "Exit code 3\nout"}},
		{"code alone", `"error":"Exit code 137"`, hook.Result{Outcome: hook.Failed, ExitCode: 137, HasExit: true, Text: "Exit code 137"}},
		{"no code", `"error":"File does not exist."`, hook.Result{Outcome: hook.Failed, Text: "File does not exist."}},
		{"text that starts alike", `"error":"Exit code 3 was expected"`, hook.Result{Outcome: hook.Failed, Text: "Exit code 3 was expected"}},
		{"no number", `"error":"Exit code \nx"`, hook.Result{Outcome: hook.Failed, Text: "Exit code \nx"}},
		{"a number that is none", `"error":"Exit code 99999999999999999999\nx"`, hook.Result{Outcome: hook.Failed, Text: "Exit code 99999999999999999999\nx"}},
		{"interrupted", `"error":"x","is_interrupt":true`, hook.Result{Outcome: hook.Failed, Interrupted: true, Text: "x"}},
		{"nothing", `"duration_ms":1`, hook.Result{Outcome: hook.Failed}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := Adapter{}.Decode("", []byte(`{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"x"},`+tt.members+`}`))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, *e.Tool.Result); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestOnlyRunningWorkIsWaitedFor(t *testing.T) {
	e, err := Adapter{}.Decode("", []byte(`{"hook_event_name":"SubagentStop","agent_id":"me","background_tasks":[
		{"id":"a","type":"shell","status":"running","command":"go test ./..."},
		{"id":"b","type":"shell","status":"completed","command":"ls"},
		{"id":"me","type":"subagent","status":"running","agent_type":"implementer"},
		{"id":"c","type":"subagent","status":"pending","agent_type":"reviewer"},
		{"id":"d","type":"dream","status":"running"},
		{"id":"e","type":"subagent","status":"failed"},
		7,null]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []hook.Background{
		{ID: "a", Kind: hook.BackgroundCommand, Command: "go test ./..."},
		{ID: "c", Kind: hook.BackgroundSubagent, Agent: "reviewer"},
		{ID: "d"},
	}
	if diff := cmp.Diff(want, e.Background); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestASkillsCommandIsAShellCallWhateverItsTool(t *testing.T) {
	e, _ := Adapter{}.Decode("", []byte(`{"hook_event_name":"PreSkillShellCommand","tool_name":"NewShell","tool_input":{"command":"rm -rf ~"},"command_name":"demo"}`))
	if e.Tool.Kind != hook.Shell || e.Skill != "demo" {
		t.Errorf("got %+v", e)
	}
}

// Decoding takes time in proportion to the payload: a reader that is slower
// does not come to an end here.
func TestLargeAndOddPayloadsDecode(t *testing.T) {
	const n = 1 << 18
	head := `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"x"},"tool_response":`
	for name, payload := range map[string]string{
		"output":      head + `{"stdout":"` + strings.Repeat(`line\n`, n) + `"}}`,
		"backslashes": head + `{"stdout":"` + strings.Repeat(`\\`, n) + `"}}`,
		"blocks":      head + `[` + strings.Repeat(`{"type":"text","text":"x"},`, n/16) + `0]}`,
		"deep":        head + strings.Repeat(`[`, 9000) + strings.Repeat(`]`, 9000) + `}`,
		"too deep":    head + strings.Repeat(`[`, n) + strings.Repeat(`]`, n) + `}`,
		"members":     `{` + strings.Repeat(`"a":1,`, n) + `"hook_event_name":"Stop"}`,
		"tasks":       `{"hook_event_name":"Stop","background_tasks":[` + strings.Repeat(`{"id":"x"},`, n/16) + `{}]}`,
		"same member": `{` + strings.Repeat(`"session_id":7,`, n/16) + `"hook_event_name":"Stop"}`,
	} {
		e, err := Adapter{}.Decode("", []byte(payload))
		if want := name == "too deep" || name == "same member"; (err != nil) != want {
			t.Errorf("%s: %v", name, err)
		}
		if name == "output" && len(e.Tool.Result.Text) != 5*n {
			t.Errorf("%s: %d bytes of text", name, len(e.Tool.Result.Text))
		}
	}
}

func corpus(tb testing.TB) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(recorded, "*", "*.json"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no recorded payloads (%v)", err)
	}
	out := make(map[string][]byte, len(files))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		out[f] = b
	}
	return out
}

func FuzzDecode(f *testing.F) {
	for _, b := range corpus(f) {
		if len(b) < 4096 {
			f.Add("", b)
		}
	}
	f.Add("Stop", []byte(`{"stop_hook_active":1}`))
	f.Add("", []byte("\xff\xfe{\x00}\x00"))
	f.Fuzz(func(t *testing.T, hint string, payload []byte) {
		before := bytes.Clone(payload)
		e, err := Adapter{}.Decode(hint, payload)
		if !bytes.Equal(before, payload) {
			t.Fatal("the payload was changed")
		}
		if e.Host != Name {
			t.Fatalf("host %q", e.Host)
		}
		if again, err2 := (Adapter{}).Decode(hint, payload); !reflect.DeepEqual(e, again) || (err == nil) != (err2 == nil) {
			t.Fatal("the same payload decodes to two events")
		}
		// What encoding/json reads as a string, Decode reads the same.
		var ref struct {
			Event   any `json:"hook_event_name"`
			Session any `json:"session_id"`
			Cwd     any `json:"cwd"`
		}
		var keys map[string]json.RawMessage
		if json.Unmarshal(payload, &keys) == nil && json.Unmarshal(payload, &ref) == nil {
			for k, got := range map[string]string{"session_id": e.SessionID, "cwd": e.Cwd} {
				var want string
				if raw, ok := keys[k]; ok && json.Unmarshal(raw, &want) == nil && got != want {
					t.Fatalf("%s: got %q, want %q", k, got, want)
				}
			}
		}
		if e.Tool != nil {
			e.Tool.Command()
			e.Tool.Edits()
			e.Tool.Paths()
		}
		for _, d := range []hook.Decision{hook.Pass, hook.Rewrite, hook.Ask, hook.Deny} {
			out := Adapter{}.Encode(e, hook.Verdict{Decision: d, Reason: "r", Context: "c", Notice: "n", Input: e.Raw, Result: e.Raw})
			if _, err := hostReads(e, out.Stdout); err != nil {
				t.Fatalf("%v: %s", err, out.Stdout)
			}
		}
	})
}

func FuzzEncode(f *testing.F) {
	f.Add(uint8(3), uint8(4), "reason", "context", "notice", []byte(`{"command":"ls"}`), []byte(`{"stdout":"x"}`))
	f.Add(uint8(7), uint8(2), "\xff", "\u2028</script>", "😀", []byte(" {\"a\" : \"\xff\\u00e9\"} "), []byte(`null`))
	f.Fuzz(func(t *testing.T, event, decision uint8, reason, context, notice string, input, result []byte) {
		e := hook.Event{Name: events[int(event)%len(events)], Host: Name}
		e.HostEvent = string(e.Name)
		if e.Name.AfterTool() {
			e.Tool = &hook.Tool{Name: "Bash", Kind: hook.Shell, Result: &hook.Result{Raw: json.RawMessage(`{"stdout":"x","interrupted":false}`)}}
			e.Raw = json.RawMessage(`{"tool_response":{"stdout":"x","interrupted":false}}`)
		}
		v := hook.Verdict{Decision: hook.Decision(decision % 6), Reason: reason, Context: context, Notice: notice, Input: input, Result: result}
		out := Adapter{}.Encode(e, v).Stdout
		if _, err := hostReads(e, out); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, c := range out[:len(out)-1] {
			if c < ' ' || c > '~' {
				t.Fatalf("byte %#x in %q", c, out)
			}
		}
		if v.Silent() && string(out) != "{}\n" {
			t.Fatalf("silence prints %s", out)
		}
	})
}

func BenchmarkDecodePreToolUse(b *testing.B) {
	payload, err := os.ReadFile(filepath.Join(recorded, "2.1.332", "PreToolUse-Bash.json"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		e, err := Adapter{}.Decode("", payload)
		if err != nil || e.Tool == nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode50MB(b *testing.B) {
	payload := []byte(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"x"},"tool_response":{"stdout":"` +
		strings.Repeat(`a line of output\n`, 50<<20/18) + `"}}`)
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (Adapter{}).Decode("", payload); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeDeny(b *testing.B) {
	e := hook.Event{Name: hook.PreToolUse, HostEvent: "PreToolUse", Host: Name}
	v := hook.Verdict{Decision: hook.Deny, Rule: "filesystem/delete-outside", Reason: strings.Repeat("why this is refused and what to do. ", 10)}
	b.ReportAllocs()
	for b.Loop() {
		Adapter{}.Encode(e, v)
	}
}
