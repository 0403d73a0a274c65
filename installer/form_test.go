package installer

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/installer/jsonedit"
)

// FuzzClassify holds a command line against what D1 of every host says is ours:
// nothing that runs another program, or more than ours, is.
func FuzzClassify(f *testing.F) {
	ids := []identity{claude{}.identity(), gemini{}.identity(), antigravity{}.identity(), muse{}.identity()}
	for _, line := range []string{
		"guardrails hook --agent claude", "/x/guardrails hook gemini", claudeShared,
		`b='/x/bin/guardrails'; [ -x "$b" ] || exit 0; exec "$b" hook --agent gemini`,
		`b='/x/bin/guardrails'; [ -x "$b" ] || { printf '{}'; exit 0; }; exec "$b" hook --agent antigravity Stop --home '/y z'`,
		`'/x y/guardrails' hook --agent muse`, "b='", "b=''; ", `b='/bin/rm'; [ -x "$b" ] || exit 0; exec "$b" hook --agent gemini`,
		`b='/x/guardrails'; [ -x "$b" ] || exit 0; exec "$b" hook --agent gemini; rm x`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		doc := jsonedit.Missing(jsonedit.Strict)
		if err := doc.Append(wanted{command: command{program: line}}.handler(), "hooks", "X"); err != nil {
			t.Skip()
		}
		for _, id := range ids {
			k, program := id.classify(doc.At("hooks", "X", 0))
			if k != ours {
				continue
			}
			if !isProgram(program) && program != id.plugin {
				t.Errorf("%s: %q starts %q", id.host, line, program)
			}
			if strings.Contains(strings.TrimSpace(line), "\n") && id.shared != claudeShared || strings.Contains(line, "`") {
				t.Errorf("%s: %q is ours", id.host, line)
			}
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "b='") && strings.Join(strings.Fields(line), " ") != claudeShared {
				if ws, plain := words(line); !plain || len(ws) < 3 || ws[1] != "hook" {
					t.Errorf("%s: %q is ours", id.host, line)
				}
			}
		}
	})
}
