package hookcmd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryFrozenFormIsRead(t *testing.T) {
	tests := []struct {
		args string
		want options
	}{
		{"--agent claude", options{agent: "claude"}},
		{"--agent antigravity PreToolUse", options{agent: "antigravity", event: "PreToolUse"}},
		{"--agent antigravity Stop --home /h", options{agent: "antigravity", event: "Stop", home: "/h"}},
		{"--home /h --agent muse", options{agent: "muse", home: "/h"}},
		{"--agent=gemini --home=/h", options{agent: "gemini", home: "/h"}},
		{"claude", options{agent: "claude"}},
		{"muse PreToolUse", options{agent: "muse", event: "PreToolUse"}},
		{"PreToolUse", options{event: "PreToolUse"}},
		{"--agent", options{bad: []string{"--agent"}}},
		{"--agent claude Stop more --flag", options{agent: "claude", event: "Stop", bad: []string{"more", "--flag"}}},
		{"--help", options{help: true}},
		{"", options{}},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, parseArgs(strings.Fields(tt.args)), cmp.AllowUnexported(options{})); d != "" {
			t.Errorf("%q (-want +got)\n%s", tt.args, d)
		}
	}
}
