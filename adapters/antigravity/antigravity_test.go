package antigravity

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/adapters/adaptertest"
	"github.com/ec261362/guardrails/adapters/hosttest"
	"github.com/ec261362/guardrails/core/hook"
)

const recorded = "../../testdata/hosts/antigravity"

var update = flag.Bool("update", false, "rewrite the golden files")

// hint is the event that the registered command names.
func hint(file string) string {
	event, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
	return event
}

func TestConformance(t *testing.T) {
	adaptertest.Run(t, Adapter{}, adaptertest.Options{
		Payloads: os.DirFS(recorded),
		Hint:     hint,
		Host:     hostReads,
		Neutral:  neutral,
	})
}

func neutral(e hook.Event) string {
	if e.Name == hook.PreToolUse {
		return `{"decision":"allow"}` + "\n"
	}
	return "{}\n"
}

// hostReads is the played host, and stricter: what it only ignores, or asks
// about, is an error.
func hostReads(e hook.Event, stdout []byte) (hook.Decision, error) {
	event := map[hook.EventName]string{hook.UserPromptSubmit: "PreInvocation", hook.PreModelCall: "PreInvocation"}[e.Name]
	if event == "" {
		event = string(e.Name)
	}
	var args json.RawMessage
	if e.Tool != nil {
		args = e.Tool.Input
	}
	got := new(hosttest.Antigravity).Read(event, args, hosttest.Reply{Stdout: stdout})
	switch {
	case got.Failed != "":
		return 0, errors.New(got.Failed)
	case got.Asked:
		return 0, errors.New("an ask may run the call unasked")
	case len(got.Ignored) > 0:
		return 0, fmt.Errorf("%q changes nothing", got.Ignored)
	case got.Blocked && got.Reason == "":
		return 0, errors.New("no reason")
	case got.Blocked && event == "PreToolUse":
		return hook.Deny, nil
	case got.Blocked:
		return hook.Block, nil
	case got.Input != nil:
		return hook.Rewrite, nil
	case len(got.Context) > 0:
		return hook.Advise, nil
	}
	return hook.Pass, nil
}

func TestPayloadsAndAnswersAreAsPinned(t *testing.T) {
	adaptertest.Golden(t, Adapter{}, recorded, hint, *update)
}

// Without a name on the command line the members tell the event, all but that
// of a PostInvocation, whose members are those of a PreInvocation, and a
// SessionStart's, which has none of its own.
func TestTheEventIsToldByTheMembers(t *testing.T) {
	files, err := filepath.Glob(recorded + "/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no payloads", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		want := hint(f)
		switch want {
		case "PostInvocation":
			want = "PreInvocation"
		case "SessionStart":
			want = ""
		}
		if e, err := (Adapter{}).Decode("", b); e.HostEvent != want || err != nil {
			t.Errorf("%s: %q, %v", filepath.Base(f), e.HostEvent, err)
		}
	}
}

func TestATurnStartsAtItsFirstInvocationAndEndsOnce(t *testing.T) {
	tests := []struct {
		event, payload string
		name           hook.EventName
		active         bool
		background     int
	}{
		{"PreInvocation", `{"invocationNum":0}`, hook.UserPromptSubmit, false, 0},
		{"PreInvocation", `{"invocationNum":"0"}`, hook.UserPromptSubmit, false, 0},
		{"PreInvocation", `{"invocationNum":3}`, hook.PreModelCall, false, 0},
		{"PreInvocation", `{}`, hook.UserPromptSubmit, false, 0}, // protojson may leave a 0 out
		{"preinvocation", `{"invocationNum":1}`, hook.PreModelCall, false, 0},
		{"PostInvocation", `{"invocationNum":0}`, hook.UnknownEvent, false, 0},
		{"Stop", `{"terminationReason":"NO_TOOL_CALL","fullyIdle":true,"executionNum":0}`, hook.Stop, false, 0},
		{"Stop", `{"terminationReason":"model_stop","fullyIdle":true,"executionNum":1}`, hook.Stop, true, 0},
		{"Stop", `{"terminationReason":"NO_TOOL_CALL","fullyIdle":false}`, hook.Stop, false, 1},
		{"Stop", `{}`, hook.Stop, false, 0},
		{"Stop", `{"terminationReason":"ERROR","fullyIdle":true}`, hook.StopFailure, false, 0},
		{"Stop", `{"terminationReason":"TERMINAL_CUSTOM_HOOK"}`, hook.StopFailure, false, 0},
		{"Stop", `{"terminationReason":"max_steps_exceeded"}`, hook.StopFailure, false, 0},
		{"SessionEnd", `{}`, hook.UnknownEvent, false, 0},
	}
	for _, tt := range tests {
		e, err := Adapter{}.Decode(tt.event, []byte(tt.payload))
		if err != nil || e.Name != tt.name || e.StopActive != tt.active || len(e.Background) != tt.background {
			t.Errorf("%s %s: %s, active %v, background %v, %v", tt.event, tt.payload, e.Name, e.StopActive, e.Background, err)
		}
	}
}

func TestTheFolderIsTheCallsOwnElseTheWorkspace(t *testing.T) {
	tests := []struct{ args, workspaces, want string }{
		{`{"Cwd":"/w/sub"}`, `["/w"]`, "/w/sub"},
		{`{"Cwd":"sub"}`, `["/w"]`, "/w/sub"},
		{`{"Cwd":"sub"}`, `[]`, ""},
		{`{}`, `["/w","/x"]`, "/w"},
		{`{}`, `["file:///my%20w"]`, "/my w"},
		{`{}`, `["rel"]`, ""},
		{`{}`, `null`, ""},
		{`{}`, `[]`, ""},
		{`{"Cwd":""}`, `["/w"]`, "/w"},
		{`{"Cwd":"file:///w/s"}`, `[]`, "/w/s"},
	}
	for _, tt := range tests {
		e, err := Adapter{}.Decode("PreToolUse", []byte(`{"toolCall":{"name":"run_command","args":`+tt.args+`},"workspacePaths":`+tt.workspaces+`}`))
		if err != nil || filepath.ToSlash(e.Cwd) != tt.want {
			t.Errorf("%s in %s: %q, %v", tt.args, tt.workspaces, e.Cwd, err)
		}
	}
}

func TestWrongTypesAreNamedAndTheRestIsRead(t *testing.T) {
	for member, payload := range map[string]string{
		"conversationId":    `{"conversationId":7,"toolCall":{"name":"run_command","args":{"CommandLine":"ls"}}}`,
		"workspacePaths":    `{"workspacePaths":"w","toolCall":{"name":"run_command","args":{"CommandLine":"ls"}}}`,
		"workspacePaths[0]": `{"workspacePaths":[7],"toolCall":{"name":"run_command","args":{"CommandLine":"ls"}}}`,
		"toolCall.name":     `{"toolCall":{"name":7,"args":{"CommandLine":"ls"}}}`,
		"executionNum":      `{"executionNum":1.5,"toolCall":{"name":"run_command","args":{"CommandLine":"ls"}}}`,
		"fullyIdle":         `{"fullyIdle":7,"toolCall":{"name":"run_command","args":{"CommandLine":"ls"}}}`,
	} {
		e, err := Adapter{}.Decode("PreToolUse", []byte(payload))
		if err == nil || !strings.Contains(err.Error(), member+": ") {
			t.Errorf("%s: %v", payload, err)
		}
		if cmd, _ := e.Tool.Command(); cmd != "ls" {
			t.Errorf("%s: command %q", payload, cmd)
		}
	}
	if _, err := (Adapter{}).Decode("PreToolUse", []byte(`{"toolCall":"x"}`)); err == nil {
		t.Error("a call that is a text: no error")
	}
}

func TestEveryAnswerBeforeAToolDecides(t *testing.T) {
	for d := hook.Pass; d <= hook.Block; d++ {
		out := Adapter{}.Encode(hook.Event{Name: hook.PreToolUse, Tool: &hook.Tool{}}, hook.Verdict{Decision: d, Context: "c", Notice: "n", Input: json.RawMessage(`not json`)}).Stdout
		var m map[string]string
		want := "allow"
		if d >= hook.Ask {
			want = "deny"
		}
		if err := json.Unmarshal(out, &m); err != nil || m["decision"] != want || (want == "deny") != (m["reason"] != "") {
			t.Errorf("%s: %s %v", d, out, err)
		}
	}
}

func TestARewriteSendsOnlyWhatChanges(t *testing.T) {
	e := hook.Event{Name: hook.PreToolUse, Tool: &hook.Tool{Input: json.RawMessage(`{"CommandLine":"git status","Cwd":"/w","WaitMsBeforeAsync":2000}`)}}
	for input, want := range map[string]string{
		`{"CommandLine":"rtk git status","Cwd":"/w","WaitMsBeforeAsync":2000}`: `{"decision":"allow","overwrite":{"CommandLine":"rtk git status"}}`,
		`{"CommandLine":"git status","Cwd":"/w","WaitMsBeforeAsync":2000}`:     `{"decision":"allow","overwrite":{"CommandLine":"git status","Cwd":"/w","WaitMsBeforeAsync":2000}}`,
		`"text"`: `{"decision":"allow"}`,
	} {
		if got := strings.TrimSpace(string(Adapter{}.Encode(e, hook.Verdict{Decision: hook.Rewrite, Input: json.RawMessage(input)}).Stdout)); got != want {
			t.Errorf("%s: %s, want %s", input, got, want)
		}
	}
}

func TestOutcomesAreReadFromTheTranscript(t *testing.T) {
	step := func(n int, kind, status, content string) string {
		c, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"step_index":%d,"source":"MODEL","type":%q,"status":%q,"created_at":"2026-09-27T17:02:03Z","content":%s}`+"\n", n, kind, status, c)
	}
	stamps := "Created At: 2026-09-27T18:02:03+01:00\nCompleted At: 2026-09-27T18:02:41+01:00\n\n"
	call := `{"step_index":2,"type":"PLANNER_RESPONSE","status":"DONE","tool_calls":[{"name":"run_command","args":{"CommandLine":"x"}}]}` + "\n"
	seven, zero := 7, 0
	tests := []struct {
		name, tool, tail string
		none             bool
		outcome          hook.Outcome
		exit             *int
		background       bool
	}{
		{"a success", "run_command", call + step(3, "GENERIC", "DONE", stamps+"The command exited with code 0.\nOutput:\nok"), false, hook.Succeeded, &zero, false},
		{"a failure", "run_command", call + step(3, "GENERIC", "DONE", "The command exited with code 7.\nOutput:\nboom"), false, hook.Failed, &seven, false},
		{"an older build", "run_command", step(3, "RUN_COMMAND", "DONE", "\nThe command exited with code 7.\nOutput:\n"), false, hook.Failed, &seven, false},
		{"another step's", "run_command", step(2, "GENERIC", "DONE", "The command exited with code 0.") + call, true, 0, nil, false},
		{"the last of two", "run_command", step(3, "GENERIC", "RUNNING", "") + step(3, "GENERIC", "DONE", "The command exited with code 0."), false, hook.Succeeded, &zero, false},
		{"steps after it", "run_command", step(3, "GENERIC", "DONE", "The command exited with code 0.") + step(4, "GENERIC", "DONE", "The command exited with code 7."), false, hook.Succeeded, &zero, false},
		{"a quoted exit", "run_command", step(3, "GENERIC", "DONE", "Output:\nThe command exited with code 0."), false, hook.Unknown, nil, false},
		{"in the background", "run_command", step(3, "GENERIC", "DONE", "Tool is running as a background task with task id: c/task-86"), false, hook.Unknown, nil, true},
		{"a tool error", "run_command", step(3, "GENERIC", "ERROR", "permission check failed"), false, hook.Failed, nil, false},
		{"no number", "run_command", step(3, "GENERIC", "DONE", "The command exited with code x."), false, hook.Unknown, nil, false},
		{"a file tool", "write_to_file", step(3, "GENERIC", "DONE", "written"), false, hook.Succeeded, nil, false},
		{"a cut first line", "run_command", step(3, "GENERIC", "DONE", "The command exited with code 0.")[9:], true, 0, nil, false},
		{"a cut last line", "run_command", step(3, "GENERIC", "DONE", "The command exited with code 0.")[:60], true, 0, nil, false},
		{"Windows line ends", "run_command", strings.ReplaceAll(step(3, "GENERIC", "DONE", "The command exited with code 0.\r\nOutput:"), "\n", "\r\n"), false, hook.Succeeded, &zero, false},
		{"nothing", "run_command", "", true, 0, nil, false},
		{"blank lines", "run_command", "\n\n\n", true, 0, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := Adapter{}.Decode("PostToolUse", []byte(`{"stepIdx":3,"error":"","toolCall":{"name":"`+tt.tool+`","args":{}}}`))
			if err != nil {
				t.Fatal(err)
			}
			got := Adapter{}.ReadOutcome(e, []byte(tt.tail))
			if (got == nil) != tt.none {
				t.Fatalf("got %+v", got)
			}
			if got == nil {
				return
			}
			var exit *int
			if got.HasExit {
				exit = &got.ExitCode
			}
			if got.Outcome != tt.outcome || !cmp.Equal(exit, tt.exit) || got.Background != tt.background {
				t.Errorf("got %+v", got)
			}
		})
	}
	if got := (Adapter{}).ReadOutcome(hook.Event{}, []byte(call)); got != nil {
		t.Errorf("an event without a call: %+v", got)
	}
}

func TestTranscriptsGiveTheCallsBack(t *testing.T) {
	full := `{"step_index":2,"type":"PLANNER_RESPONSE","tool_calls":[{"name":"run_command","args":{"CommandLine":"git status","Cwd":"/w"}},{"name":"view_file","args":{"AbsolutePath":"/w/a"}},{"args":{}}]}`
	short := `{"step_index":2,"type":"PLANNER_RESPONSE","tool_calls":[{"name":"run_command","args":{"CommandLine":"\"git status\"","Cwd":"\"/w\"","WaitMsBeforeAsync":"5000"}}]}`
	for line, calls := range map[string]int{full: 2, short: 1, `{"type":"USER_INPUT","content":"x"}`: 0, `{`: 0, "": 0} {
		got := Adapter{}.ReadTranscript([]byte(line))
		if len(got) != calls {
			t.Errorf("%s: %q", line, got)
			continue
		}
		if calls == 0 {
			continue
		}
		e, err := Adapter{}.Decode("", got[0])
		if cmd, _ := e.Tool.Command(); err != nil || e.Name != hook.PreToolUse || cmd != "git status" || e.Cwd != "/w" {
			t.Errorf("%s: %+v, %v", line, e, err)
		}
	}
	word := `{"type":"PLANNER_RESPONSE","tool_calls":[{"name":"run_command","args":{"CommandLine":"true"}}]}`
	e, _ := Adapter{}.Decode("", Adapter{}.ReadTranscript([]byte(word))[0])
	if cmd, _ := e.Tool.Command(); cmd != "true" {
		t.Errorf("the command true is read as %q", cmd)
	}
}

// What agy would drop, and what it would load, is told from the file alone, and
// the played host agrees.
func TestLoadsAgreesWithTheHost(t *testing.T) {
	good := `{"guardrails":{"enabled":true,"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"x","timeout":10}]}],"Stop":[{"type":"command","command":"y","timeout":120}]}}`
	files := map[string]bool{
		good: true, "{}": true, `{"a":{}}`: true, " " + good + "\n": true,
		strings.Replace(good, `"timeout":10`, `"env":{},"timeout":10`, 1):    true,
		strings.Replace(good, "Stop", "SessionEnd", 1):                       true,
		strings.Replace(good, `{"type":"command","command":"y",`, `{`, 1):    true,
		`{"hooks":{"PreToolUse":[{"hooks":[{"command":"x"}]}]}}`:             true,
		good[:len(good)-1] + `,"hooks":[]}`:                                  false,
		good[:len(good)-1] + `,"hooks":[{"name":"x","events":["Stop"]}]}`:    false,
		good[:len(good)-1] + `,"enabled":true}`:                              false,
		good[:len(good)-1] + `,}`:                                            false,
		good + "// x":                                                        false,
		good + "{}":                                                          false,
		"\xef\xbb\xbf" + good:                                                false,
		"":                                                                   false,
		"[]":                                                                 false,
		strings.Replace(good, ":10", ":1.5", 1):                              false,
		strings.Replace(good, ":10", `:"10"`, 1):                             false,
		strings.Replace(good, `"command",`, `"Command",`, 1):                 false,
		strings.Replace(good, `"x"`, `7`, 1):                                 false,
		strings.Replace(good, `"*"`, `7`, 1):                                 false,
		strings.Replace(good, "true", `"yes"`, 1):                            false,
		strings.Replace(good, `"Stop":[{`, `"Stop":[{"hooks":[]},{`, 1):      false,
		strings.Replace(good, `"Stop":[{`, `"Stop":[7,{`, 1):                 false,
		strings.Replace(good, `"Stop":[`, `"SessionStart":{},"Stop":[`, 1):   false,
		`{"g":{"PreToolUse":[{"type":"command","command":"x"}]}}`:            false,
		`{"g":{"PostToolUse":[{"hooks":["x"]}]}}`:                            false,
		strings.Replace(good, `"hooks":[{`, `"hooks":[{"timeout":9.0},{`, 1): false,
	}
	for file, want := range files {
		why := Loads([]byte(file))
		_, err := hosttest.LoadAntigravityHooks([]byte(file))
		if (why == "") != want || (err == nil) != want {
			t.Errorf("%q: %q, the host says %v", file, why, err)
		}
	}
}

func FuzzLoads(f *testing.F) {
	f.Add([]byte("{}\f"))
	f.Add([]byte(`{"guardrails":{"enabled":true,"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"x","timeout":10}]}],"Stop":[{"type":"command"}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if Loads(b) == "" && !json.Valid(b) {
			t.Errorf("%q would load", b)
		}
	})
}

func TestWiringIsWhatTheHostLoads(t *testing.T) {
	events := map[string]any{}
	for _, w := range (Adapter{}).Wiring() {
		if w.Block || eventOf(w.Event) == hook.UnknownEvent {
			t.Errorf("%+v", w)
		}
		h := map[string]any{"type": "command", "command": "x", "timeout": w.Timeout}
		if w.Matcher != "" {
			events[w.Event] = []any{map[string]any{"matcher": w.Matcher, "hooks": []any{h}}}
		} else {
			events[w.Event] = []any{h}
		}
	}
	file, err := json.Marshal(map[string]any{"guardrails": events})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := hosttest.LoadAntigravityHooks(file)
	if err != nil || len(loaded) != len((Adapter{}).Wiring()) || Loads(file) != "" {
		t.Errorf("loaded %+v, %v, %q", loaded, err, Loads(file))
	}
}

func TestLiveFilesAreTheUsersAndTheWorkspaces(t *testing.T) {
	got := map[string]bool{}
	for _, f := range (Adapter{}).LiveFiles(hook.Paths{Home: "/h", Dir: "/p/sub", Root: "/p"}) {
		got[filepath.ToSlash(f.Path)] = true
		if f.Loads == nil {
			t.Errorf("%s is not checked", f.Path)
		}
	}
	for _, want := range []string{"/h/.gemini/config/hooks.json", "/p/.agents/hooks.json", "/p/sub/.agents/hooks.json", "/p/_agent/hooks.json"} {
		if !got[want] {
			t.Errorf("%s is missing in %v", want, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	all, err := filepath.Glob(recorded + "/*/*.json")
	if err != nil || len(all) == 0 {
		f.Fatal("no payloads", err)
	}
	for _, name := range all {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(hint(name), b)
	}
	f.Fuzz(func(t *testing.T, event string, b []byte) {
		e, err := Adapter{}.Decode(event, b)
		if e.Host != Name {
			t.Fatalf("host %q", e.Host)
		}
		if err == nil && !json.Valid(e.Raw) {
			t.Fatalf("no error for %q", b)
		}
		Adapter{}.ReadOutcome(e, b)
		for _, p := range (Adapter{}).ReadTranscript(b) {
			if !json.Valid(p) {
				t.Fatalf("payload %q", p)
			}
		}
		for d := hook.Pass; d <= hook.Block; d++ {
			out := Adapter{}.Encode(e, hook.Verdict{Decision: d, Reason: string(b), Context: string(b), Notice: string(b), Input: b}).Stdout
			if _, err := hostReads(e, out); err != nil {
				t.Fatalf("%s on %s: %v\n%s", d, e.Name, err, out)
			}
		}
	})
}
