package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A testCase is one line of a case file as a question to check --batch.
type testCase struct {
	id, file, tier string
	request        map[string]any
	expect         expectation
	shown          string // the input on one line, for a person
	registry       string // what the registry answers, in a person's words

	// Of a policy case:
	policyName string
	branch     string // that is checked out
	setting    string // entry of policy.allow
	at, wants  string // the input, and what its row wants of it
}

// A row is what the case files say, in all their shapes.
type row struct {
	ID       string          `json:"id"`
	Input    json.RawMessage `json:"input"`
	Expected string          `json:"expected"`

	Tier string `json:"tier"` // of a shell case: how far its sources agree

	Kind   string `json:"kind"`  // of a policy case: command or file_path
	Field  string `json:"field"` // or command, file_path, content, output
	Policy string `json:"policy"`
	Rule   string `json:"rule"`
	Desc   string `json:"desc"`
	Source string `json:"source"`
}

// readCases reads one file. What cannot be put to the binary as one call on an
// empty project is kept under a tier that says what it needs.
func readCases(file string) ([]testCase, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
	var cases []testCase
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			// Another shape than ours altogether: it is for a later program.
			cases = append(cases, testCase{file: name, tier: "another shape"})
			continue
		}
		c := testCase{id: r.ID, file: name}
		switch name {
		case "shell", "issues":
			c.tier = r.Tier
			var input string
			if json.Unmarshal(r.Input, &input) == nil {
				c.label("command", normal("command", input), r.Expected)
			}
			c.line(r, "command")
		case "policies":
			c.policy(r)
		default:
			c.tier = "another capability"
		}
		if c.expect != expectNothing && c.id == "" {
			return nil, fmt.Errorf("%s:%d: a case without an id", file, n)
		}
		if c.request != nil {
			c.request["id"] = c.id
		}
		cases = append(cases, c)
	}
	return cases, lines.Err()
}

// line makes c a question about one string.
func (c *testCase) line(r row, field string) {
	var input string
	if json.Unmarshal(r.Input, &input) != nil {
		c.tier = "input is no text"
		return
	}
	switch r.Expected {
	case "block":
		c.expect = expectStop
	case "warn":
		c.expect = expectWarn
	case "allow":
		c.expect = expectAllow
	default: // the sources contradict each other
		c.tier = strings.TrimSpace(c.tier + " without an expectation")
		return
	}
	c.shown = oneLine(input)
	switch field {
	case "command":
		c.request = map[string]any{"command": input}
	case "read":
		c.request = map[string]any{"tool": "Read", "path": input}
	case "write":
		c.request = map[string]any{"tool": "Write", "path": input, "content": "x\n"}
	case "content":
		c.request = map[string]any{"tool": "Write", "path": "notes.txt", "content": input}
	case "tool": // one that runs nothing, whatever its input says
		c.request = map[string]any{"payload": map[string]any{
			"hook_event_name": "PreToolUse", "session_id": "corpus", "tool_name": "Read", "tool_input": map[string]any{"command": input},
		}}
	}
}

func oneLine(text string) string {
	text = strings.ReplaceAll(text, "\n", `\n`)
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	return text
}
