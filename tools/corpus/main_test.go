package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecisionsMeetWhatACaseWants(t *testing.T) {
	decisions := []string{"pass", "advise", "rewrite", "ask", "deny", "block", ""}
	tests := []struct {
		want expectation
		met  string // one letter per decision
	}{
		{expectAllow, "yyynnnn"},
		{expectWarn, "nyyyyyn"},
		{expectAsk, "nnnynnn"},
		{expectStop, "nnnyyyn"},
		{expectDeny, "nnnnyyn"},
		{expectNothing, "nnnnnnn"},
	}
	for _, tt := range tests {
		var got strings.Builder
		for _, d := range decisions {
			if tt.want.met(d) {
				got.WriteByte('y')
			} else {
				got.WriteByte('n')
			}
		}
		if got.String() != tt.met {
			t.Errorf("%s: got %s for %v, want %s", tt.want, got.String(), decisions, tt.met)
		}
	}
}

// TestCaseFilesAreRead has one line of each shape.
func TestCaseFilesAreRead(t *testing.T) {
	files := map[string]string{
		"shell": `{"id":"s1","input":"rm -rf /","expected":"block","tier":"agreed"}
{"id":"s2","input":"ls","expected":"allow","tier":"single"}

{"id":"s3","input":"ls","expected":null,"tier":"contested"}`,
		"issues": `{"id":"i1","input":"git status","expected":"allow","note":"n"}`,
		"policies": `{"id":"x.protect-secrets.1","input":".env","expected":"block","kind":"file_path"}
{"id":"x.config-guard.1","input":".mcp.json","expected":"block","kind":"file_path"}
{"id":"p1","input":"DROP TABLE t;","field":"content","expected":"allow","policy":"sql"}
{"id":"p2","input":"a@b.example","field":"output","expected":"block","policy":"pii"}
{"id":"p3","input":"git add --all","field":"command","expected":"warn","policy":"p"}`,
		"pii":     `{"id":"x","input":"1","expected":"detect"}`,
		"strange": `[1]`,
	}
	got := map[string]string{}
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		cases, err := readCases(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			way := ""
			for _, key := range []string{"command", "tool", "payload"} {
				if v, ok := c.request[key].(string); ok {
					way = key + " " + v
				} else if v, ok := c.request[key].(map[string]any); ok {
					tool, _ := v["tool_name"].(string)
					cwd, _ := v["cwd"].(string)
					way = key + " " + tool + " in " + cwd
				}
			}
			got[c.file+"/"+c.id] = strings.Join([]string{c.tier, c.expect.String(), way}, "|")
		}
	}
	want := map[string]string{
		"shell/s1":                     "agreed|stop|command rm -rf /",
		"shell/s2":                     "single|allow|command ls",
		"shell/s3":                     "contested without an expectation|nothing|",
		"issues/i1":                    "|allow|command git status",
		"policies/x.protect-secrets.1": claimed + "|stop|tool Read",
		"policies/x.config-guard.1":    claimed + "|stop|tool Write",
		"policies/p1":                  notOurs + "|allow|tool Write",
		"policies/p2":                  notOurs + ", output|nothing|",
		"policies/p3":                  notOurs + "|warn|command git add --all",
		"pii/x":                        "another capability|nothing|",
		"strange/":                     "another shape|nothing|",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestScoreCountsBothWaysAndErrors(t *testing.T) {
	g := tally([]testCase{
		{id: "1", file: "f", expect: expectStop, shown: "rm -rf /"},
		{id: "2", file: "f", expect: expectStop, shown: "find / -delete"},
		{id: "3", file: "f", expect: expectAllow, shown: "ls"},
		{id: "4", file: "f", expect: expectAllow, shown: "git push"},
		{id: "5", file: "f", expect: expectAllow, shown: "odd"},
	})[0]
	answers := map[string]answer{
		"1": {ID: "1", Decision: "ask", MS: 1},
		"2": {ID: "2", Decision: "pass", MS: 2},
		"3": {ID: "3", Decision: "advise", MS: 3},
		"4": {ID: "4", Decision: "deny", Rule: "git/x", MS: 4},
		"5": {ID: "5", Error: "no such thing"},
	}
	misses, err := g.score(answers)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := [5]int{g.stopped, g.toStop, g.passed, g.toPass, g.failed}, [5]int{1, 2, 1, 3, 1}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	var text []string
	for _, m := range misses {
		text = append(text, m.String())
	}
	want := []string{
		"2: want stop, got pass: find / -delete",
		"4: want allow, got deny git/x: git push",
		"5: want allow, got error: no such thing: odd",
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Error(diff)
	}
	delete(answers, "3")
	if _, err := g.score(answers); err == nil {
		t.Error("a missing answer is not noticed")
	}
}
