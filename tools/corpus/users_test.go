package main

import (
	"strings"
	"testing"
)

func TestStoriesAreRead(t *testing.T) {
	all, err := readStories([]byte(`{"id":"U1","kind":"k","host":"claude","event":"Stop","input":{"touched":[]},"expect":{"verdict":"none","state":{"tests":"red"}}}

{"id":"U2","kind":"k","host":"codex","event":"Stop","input":{},"expect":{"verdict":["block","none"]}}
`))
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	if v := all[0].verdicts(); len(v) != 1 || v[0] != "none" || all[0].Expect.State["tests"] != "red" || !all[0].has("touched") {
		t.Errorf("%+v", all[0])
	}
	if v := all[1].verdicts(); strings.Join(v, " ") != "block none" {
		t.Errorf("%v", v)
	}
	if _, err := readStories([]byte("{")); err == nil {
		t.Error("a broken line is no error")
	}
}

func TestCallsOfOtherHostsArePlayedAsClaudeCodes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		s     story
		tool  string // "" = not ours
		input string // its command
	}{
		{"opencode", story{Host: "opencode", Input: map[string]any{"tool": "bash", "args": map[string]any{"command": "ls"}}}, "Bash", "ls"},
		{"Copilot", story{Host: "copilot", Input: map[string]any{"toolName": "powershell", "toolArgs": `{"command":"ls"}`}}, "PowerShell", "ls"},
		{"Copilot's object", story{Host: "copilot", Input: map[string]any{"toolName": "bash", "toolArgs": map[string]any{"command": "ls"}}}, "Bash", "ls"},
		{"Codex", story{Host: "codex", Input: map[string]any{"tool_name": "apply_patch", "tool_input": map[string]any{"command": "x"}}}, "apply_patch", "x"},
		{"another's install", story{Host: "codex", Kind: "trust", Event: "install"}, "", ""},
		{"another's Stop", story{Host: "codex", Event: "Stop", Input: map[string]any{}}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.s.foreign() == ""; got != (tt.tool != "") {
				t.Fatalf("ours: %v", got)
			}
			if tt.tool == "" {
				return
			}
			call := tt.s.asClaude()
			input, _ := call["tool_input"].(map[string]any)
			if call["tool_name"] != tt.tool || input["command"] != tt.input {
				t.Errorf("%v", call)
			}
		})
	}
	for _, host := range []string{"claude", "any", "gemini", "antigravity", "muse"} {
		if why := (story{Host: host}).foreign(); why != "" {
			t.Errorf("%s: %s", host, why)
		}
	}
}

func TestVerdictsAreMet(t *testing.T) {
	for _, tt := range []struct {
		agent, verdict string
		o              outcome
		good           bool
	}{
		{"claude", "none", outcome{decision: "advise", text: "x"}, true},
		{"claude", "none", outcome{decision: "ask"}, false},
		{"claude", "none", outcome{decision: "exit 2"}, false},
		{"claude", "context", outcome{decision: "pass"}, false},
		{"claude", "context", outcome{decision: "pass", notice: "n"}, true},
		{"claude", "context", outcome{decision: "block", text: "x"}, true},
		{"claude", "ask", outcome{decision: "deny"}, false},
		{"gemini", "ask", outcome{decision: "deny"}, true},
		{"claude", "deny", outcome{decision: "ask"}, false},
		{"claude", "block", outcome{decision: "block"}, true},
	} {
		s := &stage{world: world{agent: tt.agent}}
		if got := s.meets(tt.o, tt.verdict) == ""; got != tt.good {
			t.Errorf("%s: %+v for %s: %v", tt.agent, tt.o, tt.verdict, got)
		}
	}
}

func TestAnswersOfEachHostAreRead(t *testing.T) {
	for _, tt := range []struct{ agent, out, want string }{
		{"claude", "{}", "pass"},
		{"claude", "", "no answer"},
		{"muse", "", "pass"},
		{"antigravity", `{"decision":"allow"}`, "pass"},
		{"antigravity", `{"decision":"continue","reason":"x"}`, "block"},
		{"gemini", `{"decision":"deny","reason":"x"}`, "deny"},
		{"claude", `{"hookSpecificOutput":{"updatedInput":{"command":"x"}}}`, "rewrite"},
		{"claude", `{"hookSpecificOutput":{"permissionDecision":"allow"}}`, "allow"},
	} {
		if o, err := readAnswer(tt.agent, []byte(tt.out)); err != nil || o.decision != tt.want {
			t.Errorf("%s %s: %+v, %v", tt.agent, tt.out, o, err)
		}
	}
}

func TestPlacesOfAStoryAreMovedHere(t *testing.T) {
	s := &stage{world: world{home: "/h", project: "/h/project"}}
	in := map[string]any{"a": "/repo/x.go", "b": []any{"/repo"}, "c": "/repository", "d": 1.0}
	out := s.moved(in).(map[string]any)
	if out["a"] != "/h/project/x.go" || out["b"].([]any)[0] != "/h/project" || out["c"] != "/repository" || out["d"] != 1.0 || in["a"] != "/repo/x.go" {
		t.Errorf("%v", out)
	}
}
