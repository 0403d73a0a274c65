package config

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/config/yamldoc"
)

func TestEvidenceIsAddedBehindEveryOtherByte(t *testing.T) {
	const section = "evidence:\n  enabled: true\n"
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", "version: 1\n" + section},
		{"a file", "version: 1\n", "version: 1\n" + section},
		{"no last newline", "# mine\nversion: 1", "# mine\nversion: 1\n" + section},
		{"a nested end", "policy:\n  protect:\n    - a", "policy:\n  protect:\n    - a\n" + section},
		{"comments only", "# mine\n", "# mine\n" + section},
		{"Windows", "version: 1\r\n", "version: 1\r\n" + strings.ReplaceAll(section, "\n", "\r\n")},
		{"on already", "evidence: {enabled: true}\n", "evidence: {enabled: true}\n"},
		{"on by its section", "evidence:\n", "evidence:\n"},
		{"on with a limit", "evidence: {spawnMinChars: 9}\n", "evidence: {spawnMinChars: 9}\n"},
	} {
		out, err := WithEvidence("x.yaml", []byte(c.in), yamldoc.Read)
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, out, err, c.want)
			continue
		}
		if again, err := WithEvidence("x.yaml", out, yamldoc.Read); err != nil || string(again) != string(out) {
			t.Errorf("%s, again: %q, %v", c.name, again, err)
		}
	}
	for name, c := range map[string]struct{ in, want string }{
		"off":             {"evidence: {enabled: false}\n", "config edit"},
		"a flow mapping":  {"{version: 1}\n", "config edit"},
		"a broken file":   {"evidnce:\n", "fix the configuration first"},
		"an ended text":   {"version: 1\n...\n", "config edit"},
		"text in a block": {"standards:\n  - |\n    a\n   b\n", "fix the configuration first"},
	} {
		if out, err := WithEvidence("x.yaml", []byte(c.in), yamldoc.Read); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
}
