package judge

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/hook"
)

// A payload that no reader takes still shows a dangerous command to a loose
// scan, whatever its host calls the event.
func TestWhatIsLeftOfAPayloadIsJudged(t *testing.T) {
	home := t.TempDir()
	m := Machine{Home: home, StateHome: filepath.Join(home, ".guardrails"), Getenv: func(string) string { return "" }, Now: time.Now, DryRun: true}
	tests := []struct {
		name, host, hint, payload string
		want                      hook.Decision
	}{
		{"claude", "claude", "", `{"hook_event_name":"PreToolUse","x":\,"tool_name":"Bash","tool_input":{"command":"rm -rf ~"}}`, hook.Ask},
		{"claude without an event", "claude", "", `{"x":\,"tool_input":{"command":"rm -rf ~"}}`, hook.Ask},
		{"claude, harmless", "claude", "", `{"hook_event_name":"PreToolUse","x":\,"tool_name":"Bash","tool_input":{"command":"git status"}}`, hook.Pass},
		{"claude, after the call", "claude", "", `{"hook_event_name":"PostToolUse","x":\,"tool_name":"Bash","tool_input":{"command":"rm -rf ~"}}`, hook.Pass},
		{"claude, another tool", "claude", "", `{"hook_event_name":"PreToolUse","x":\,"tool_name":"Skill","tool_input":{"command":"rm -rf ~"}}`, hook.Pass},
		{"gemini", "gemini", "", `{"hook_event_name":"BeforeTool","x":\,"tool_name":"run_shell_command","tool_input":{"command":"rm -rf ~"}}`, hook.Ask},
		{"gemini, cut", "gemini", "", `{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"rm -rf ~`, hook.Ask},
		{"gemini, event by hint", "gemini", "BeforeTool", `{"x":\,"tool_name":"run_shell_command","tool_input":{"command":"rm -rf ~"}}`, hook.Ask},
		{"gemini, after the call", "gemini", "", `{"hook_event_name":"AfterTool","x":\,"tool_name":"run_shell_command","tool_input":{"command":"rm -rf ~"}}`, hook.Pass},
		{"no command", "gemini", "", `{"hook_event_name":"BeforeTool","x":\}`, hook.Pass},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Decode(Request{Adapter: adapters.Lookup(tt.host), EventHint: tt.hint, Payload: []byte(tt.payload), Dir: home})
			j := m.Judge(c)
			if got := j.Result.Verdict.Decision; got != tt.want {
				t.Errorf("got %s, want %s: %+v", got, tt.want, j.Result.Verdict)
			}
			if len(j.Lapses()) == 0 {
				t.Error("nothing is said of it")
			}
		})
	}
}

// The same event has the same time on every host, whatever its name there.
func TestDeadlinesFollowTheEventNotItsName(t *testing.T) {
	for _, tt := range []struct {
		host, event string
		want        time.Duration
	}{
		{"claude", "PreToolUse", 6 * time.Second},
		{"gemini", "BeforeTool", 6 * time.Second},
		{"claude", "Stop", 110 * time.Second},
		{"gemini", "AfterAgent", 110 * time.Second},
		{"claude", "PostToolUse", 4 * time.Second},
		{"gemini", "AfterTool", 4 * time.Second},
		{"claude", "SessionEnd", time.Second},
		{"gemini", "SessionEnd", time.Second},
		{"gemini", "BeforeModel", 6 * time.Second}, // not registered
	} {
		c := Decode(Request{Adapter: adapters.Lookup(tt.host), Payload: []byte(`{"session_id":"s","hook_event_name":"` + tt.event + `"}`)})
		if got := c.Deadline(); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.host, tt.event, got, tt.want)
		}
	}
}
