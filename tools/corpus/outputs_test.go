package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCapturesAreHandedOnAsTheirHostsDo(t *testing.T) {
	c := capture{Command: "npm test", Cwd: "/w", Merged: "red\n", Exit: 2}
	for _, shape := range shapes {
		b, err := json.Marshal(shape.payload(c))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range map[string][]string{
			"claude": {`"hook_event_name":"PostToolUseFailure"`, `"error":"Exit code 2\nred\n"`},
			"gemini": {`"hook_event_name":"AfterTool"`, `Output: red\nExit Code: 2\nProcess Group PGID: `},
		}[shape.agent] {
			if !strings.Contains(string(b), want) {
				t.Errorf("%s: no %s in %s", shape.agent, want, b)
			}
		}
	}
	c.Exit = 0
	if b, err := json.Marshal(claudePayload(c)); err != nil || !strings.Contains(string(b), `"hook_event_name":"PostToolUse"`) || !strings.Contains(string(b), `"stdout":"red\n"`) {
		t.Errorf("%s, %v", b, err)
	}
}

func TestAFalsePassIsCountedAndNamed(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"green": `{"command":"go test -v","truth":{"verdict":"passed"}}`,
		"red":   `{"command":"go test","exit":1,"truth":{"verdict":"failed"},"masked":true}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, "go", name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	captures, err := readCaptures(dir, "")
	if err != nil || len(captures) != 2 || captures[0].name != "go/green" || captures[1].Truth.Verdict != "failed" || !captures[1].Masked {
		t.Fatalf("%+v, %v", captures, err)
	}
	var out bytes.Buffer
	if err := reportGrades(&out, "claude", captures, []string{"unknown", "passed"}, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"called passed and is not: 1", "unmasked passes seen: 0 of 1 (0.0 %)", "go/red: failed, masked, graded passed: go test", "go/green: passed, graded unknown"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if _, err := readCaptures(dir, "nothing"); err == nil {
		t.Error("no capture is no result")
	}
}
