package claude

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/hook"
)

func TestSamplesDecodeAsTheCallTheyDescribe(t *testing.T) {
	content := "x = 1\n"
	tests := []struct {
		name   string
		sample hook.Sample
		event  hook.EventName
		kind   hook.ToolKind
		check  func(hook.Event) string
		want   string
	}{
		{
			"command",
			hook.Sample{Command: "git status"},
			hook.PreToolUse, hook.Shell,
			func(e hook.Event) string { c, _ := e.Tool.Command(); return c }, "git status",
		},
		{"empty command", hook.Sample{}, hook.PreToolUse, hook.Shell, func(e hook.Event) string { return e.Tool.Name }, "Bash"},
		{
			"monitor",
			hook.Sample{Tool: "Monitor", Command: "tail -f x"},
			hook.PreToolUse, hook.Shell,
			func(e hook.Event) string { return e.Tool.Name }, "Monitor",
		},
		{"read", hook.Sample{Path: "/p/.env"}, hook.PreToolUse, hook.Read, func(e hook.Event) string { return e.Tool.Paths()[0] }, "/p/.env"},
		{
			"write",
			hook.Sample{Path: "/p/a.py", Content: &content},
			hook.PreToolUse, hook.Write,
			func(e hook.Event) string { return e.Tool.Edits()[0].New }, content,
		},
		{"prompt", hook.Sample{Prompt: "do it"}, hook.UserPromptSubmit, hook.Other, func(e hook.Event) string { return e.Prompt }, "do it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := Adapter{}.Decode("", Adapter{}.Payload(tt.sample))
			if err != nil {
				t.Fatal(err)
			}
			kind := hook.Other
			if e.Tool != nil {
				kind = e.Tool.Kind
			}
			if e.Name != tt.event || kind != tt.kind || tt.check(e) != tt.want {
				t.Fatalf("decoded as %s %s %q", e.Name, kind, tt.check(e))
			}
		})
	}
}

func TestReadTranscriptFindsToolCalls(t *testing.T) {
	line := `{"type":"assistant","sessionId":"s1","cwd":"/p","message":{"content":[{"type":"text","text":"hi"},` +
		`{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}},{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/p/x"}}]}}`
	var got []string
	for _, p := range (Adapter{}).ReadTranscript([]byte(line)) {
		e, err := Adapter{}.Decode("", p)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.SessionID+" "+e.Cwd+" "+e.Tool.ID+" "+e.Tool.Name)
	}
	if d := cmp.Diff([]string{"s1 /p t1 Bash", "s1 /p t2 Read"}, got); d != "" {
		t.Fatal(d)
	}
	for _, other := range []string{"", "not json", `{"type":"user","message":{"content":[{"type":"tool_use"}]}}`, `{"type":"assistant","message":{"content":"text"}}`} {
		if got := (Adapter{}).ReadTranscript([]byte(other)); got != nil {
			t.Errorf("%q gave %s", other, got)
		}
	}
}
