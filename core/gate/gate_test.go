package gate

import (
	"encoding/json"
	"runtime"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

func TestCommandsStandInTheFolderThatTheCallNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are POSIX ones")
	}
	tests := []struct{ name, cwd, input, want string }{
		{"the event's", "/p", `{"command":"ls"}`, "/p"},
		{"an absolute one", "/p", `{"command":"ls","workdir":"/q"}`, "/q"},
		{"one below the event's", "/p", `{"command":"ls","workdir":"web/../api"}`, "/p/api"},
		{"a relative one of nothing", "", `{"command":"ls","workdir":"web"}`, ""},
	}
	for _, tt := range tests {
		p := &Pass{Event: &hook.Event{Cwd: tt.cwd, Tool: &hook.Tool{Name: "bash", Kind: hook.Shell, Input: json.RawMessage(tt.input)}}}
		l := p.Commands()
		if l == nil || len(l.Commands) != 1 || l.Commands[0].Dir != tt.want {
			t.Errorf("%s: %+v", tt.name, l)
		}
	}
}
