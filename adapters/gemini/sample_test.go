package gemini

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
		tool   string
		kind   hook.ToolKind
		check  func(*hook.Tool) string
		want   string
	}{
		{"command", hook.Sample{Command: "git status"}, "run_shell_command", hook.Shell, func(t *hook.Tool) string { c, _ := t.Command(); return c }, "git status"},
		{"empty command", hook.Sample{}, "run_shell_command", hook.Shell, func(t *hook.Tool) string { return string(t.Input) }, `{"command":""}`},
		{"read", hook.Sample{Path: "/p/.env"}, "read_file", hook.Read, func(t *hook.Tool) string { return t.Paths()[0] }, "/p/.env"},
		{"list", hook.Sample{Path: "/p", Tool: "list_directory"}, "list_directory", hook.Search, func(t *hook.Tool) string { return t.Paths()[0] }, "/p"},
		{"write", hook.Sample{Path: "/p/a.py", Content: &content}, "write_file", hook.Write, func(t *hook.Tool) string { return t.Edits()[0].New }, content},
		{"another tool", hook.Sample{Tool: "mcp_s_t"}, "mcp_s_t", hook.MCP, func(t *hook.Tool) string { return string(t.Input) }, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := Adapter{}.Decode("", Adapter{}.Payload(tt.sample))
			if err != nil {
				t.Fatal(err)
			}
			if e.Name != hook.PreToolUse || e.HostEvent != "BeforeTool" || e.Tool.Name != tt.tool || e.Tool.Kind != tt.kind || tt.check(e.Tool) != tt.want {
				t.Errorf("decoded as %s %s %s %q", e.HostEvent, e.Tool.Name, e.Tool.Kind, tt.check(e.Tool))
			}
		})
	}
	e, err := Adapter{}.Decode("", Adapter{}.Payload(hook.Sample{Prompt: "do it"}))
	if err != nil || e.Name != hook.UserPromptSubmit || e.Prompt != "do it" || e.Tool != nil {
		t.Errorf("a prompt decodes as %+v, %v", e, err)
	}
}

// The lines are those that 0.61.0 wrote, shortened.
func TestReadTranscriptFindsToolCalls(t *testing.T) {
	line := `{"id":"86b6","timestamp":"2026-11-30T10:59:31.022Z","type":"gemini","content":"","model":"gemini-2.5-flash","toolCalls":[` +
		`{"id":"write_file__1","name":"write_file","args":{"content":"a","file_path":"x.txt"},"status":"success"},` +
		`{"id":"run_shell_command__2","name":"run_shell_command","args":{"command":"ls"},"status":"error"},{"id":"3","name":"list_background_processes"},7]}`
	var got []string
	for _, p := range (Adapter{}).ReadTranscript([]byte(line)) {
		e, err := Adapter{}.Decode("", p)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.HostEvent+" "+e.Tool.Name+" "+string(e.Tool.Input))
	}
	want := []string{
		`BeforeTool write_file {"content":"a","file_path":"x.txt"}`, `BeforeTool run_shell_command {"command":"ls"}`, `BeforeTool list_background_processes {}`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	for _, other := range []string{
		"", "not json", `{"sessionId":"9e51","projectHash":"c5","kind":"main"}`, `{"$set":{"lastUpdated":"t"}}`,
		`{"type":"user","content":[{"functionResponse":{"name":"x"}}]}`, `{"type":"gemini","content":"All done."}`, `{"type":"gemini","toolCalls":"x"}`,
	} {
		if got := (Adapter{}).ReadTranscript([]byte(other)); got != nil {
			t.Errorf("%q gave %s", other, got)
		}
	}
}
