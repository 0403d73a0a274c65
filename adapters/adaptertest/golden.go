package adaptertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

// Golden compares what an adapter makes of the payloads in dir/VERSION/*.json
// with dir/VERSION/golden/events.jsonl, and its answers to a full verdict of
// each decision on each event that it names with dir/answers.jsonl. With update
// it writes both. hint is as in Options.
func Golden(t *testing.T, a hook.Adapter, dir string, hint func(file string) string, update bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no payloads in %s (%v)", dir, err)
	}
	events := make(map[string][][]byte)
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		named := ""
		if hint != nil {
			named = hint(f)
		}
		e, err := a.Decode(named, b)
		if err != nil {
			t.Errorf("%s: %v", f, err)
		}
		golden := filepath.Join(filepath.Dir(f), "golden", "events.jsonl")
		events[golden] = append(events[golden], line(t, pin(filepath.Base(f), e)))
	}
	for golden, lines := range events {
		compare(t, golden, lines, update)
	}
	compare(t, filepath.Join(dir, "answers.jsonl"), answers(t, a), update)
}

// pinned is a decoded payload in words.
type pinned struct {
	File       string             `json:"file"`
	Event      hook.EventName     `json:"event"`
	HostEvent  string             `json:"hostEvent"`
	Session    string             `json:"session"`
	AgentID    string             `json:"agentId,omitempty"`
	AgentType  string             `json:"agentType,omitempty"`
	Cwd        string             `json:"cwd"`
	Transcript string             `json:"transcript,omitempty"`
	Mode       string             `json:"mode,omitempty"`
	Prompt     string             `json:"prompt,omitempty"`
	Message    string             `json:"message,omitempty"`
	Source     string             `json:"source,omitempty"`
	StopActive bool               `json:"stopActive,omitempty"`
	Background []pinnedBackground `json:"background,omitempty"`
	Tool       *pinnedTool        `json:"tool,omitempty"`
}

type pinnedBackground struct {
	ID      string `json:"id,omitempty"`
	Kind    string `json:"kind"`
	Command string `json:"command,omitempty"`
}

type pinnedTool struct {
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name"`
	Kind    string          `json:"kind"`
	Input   json.RawMessage `json:"input"`
	Command string          `json:"command,omitempty"`
	WorkDir string          `json:"workDir,omitempty"`
	Paths   []string        `json:"paths,omitempty"`
	Edits   []string        `json:"edits,omitempty"`
	Result  *pinnedResult   `json:"result,omitempty"`
}

type pinnedResult struct {
	Outcome     string `json:"outcome"`
	ExitCode    *int   `json:"exitCode,omitempty"`
	Interrupted bool   `json:"interrupted,omitempty"`
	Background  bool   `json:"background,omitempty"`
	Text        string `json:"text,omitempty"`
	TextBytes   int    `json:"textBytes,omitempty"` // if Text is cut
}

func pin(file string, e hook.Event) pinned {
	p := pinned{
		File: file, Event: e.Name, HostEvent: e.HostEvent, Session: e.SessionID, AgentID: e.AgentID, AgentType: e.AgentType, Cwd: e.Cwd,
		Transcript: e.Transcript, Mode: e.Mode, Prompt: e.Prompt, Message: e.Message, Source: e.Source, StopActive: e.StopActive,
	}
	for _, b := range e.Background {
		kind := [...]string{"unknown", "subagent", "command"}[b.Kind]
		p.Background = append(p.Background, pinnedBackground{b.ID, kind, b.Command})
	}
	t := e.Tool
	if t == nil {
		return p
	}
	p.Tool = &pinnedTool{ID: t.ID, Name: t.Name, Kind: t.Kind.String(), Input: t.Input, WorkDir: t.WorkDir(), Paths: t.Paths()}
	p.Tool.Command, _ = t.Command()
	for _, ed := range t.Edits() {
		op := [...]string{"modify", "create", "delete", "move"}[ed.Op]
		p.Tool.Edits = append(p.Tool.Edits, fmt.Sprintf("%s %s +%d bytes", op, ed.Path, len(ed.Added)))
	}
	if r := t.Result; r != nil {
		p.Tool.Result = &pinnedResult{Outcome: r.Outcome.String(), Interrupted: r.Interrupted, Background: r.Background, Text: r.Text}
		if r.HasExit {
			p.Tool.Result.ExitCode = &r.ExitCode
		}
		if len(r.Text) > 300 {
			p.Tool.Result.Text, p.Tool.Result.TextBytes = r.Text[:100], len(r.Text)
		}
	}
	return p
}

// answers returns the answers to one full verdict of each decision. The input of
// the call and the new one differ in one member.
func answers(t *testing.T, a hook.Adapter) [][]byte {
	t.Helper()
	var lines [][]byte
	for _, name := range append(a.Capabilities().Events, hook.UnknownEvent) {
		for d := hook.Pass; d <= hook.Block; d++ {
			e := hook.Event{Name: name, Host: a.Name(), HostEvent: string(name)}
			if name == hook.UnknownEvent {
				e.HostEvent = "SomethingNew"
			}
			if name.BeforeTool() || name.AfterTool() {
				e.Tool = &hook.Tool{Name: "bash", Kind: hook.Shell, Input: json.RawMessage(`{"command":"git status","description":"status"}`)}
				e.Tool.Result = &hook.Result{Raw: json.RawMessage(`{"stdout":"key=123"}`)}
			}
			out := a.Encode(e, hook.Verdict{
				Decision: d, Gate: "gate", Rule: "pack/rule", Reason: "the reason", Context: "the context", Notice: "the notice",
				Input:  json.RawMessage(`{"command":"rtk git status","description":"status"}`),
				Result: json.RawMessage(`{"stdout":"key=***"}`),
			}).Stdout
			lines = append(lines, line(t, struct {
				Event    hook.EventName `json:"event"`
				Decision string         `json:"decision"`
				Answer   string         `json:"answer"`
			}{name, d.String(), string(bytes.TrimRight(out, "\n"))}))
		}
	}
	return lines
}

func line(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func compare(t *testing.T, file string, lines [][]byte, update bool) {
	t.Helper()
	got := append(bytes.Join(lines, []byte("\n")), '\n')
	if update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil { //nolint:forbidigo // a test's own golden file
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	was, is := bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))
	for i := range max(len(was), len(is)) {
		var a, b []byte
		if i < len(was) {
			a = was[i]
		}
		if i < len(is) {
			b = is[i]
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s:%d (-update rewrites it)\nwant %s\ngot  %s", file, i+1, a, b)
		}
	}
}
