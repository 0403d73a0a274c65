package gemini

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/adapters/adaptertest"
	"github.com/ec261362/guardrails/core/hook"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// pinned is what a golden line says of a decoded payload, with words for
// enumerations and without what is empty.
type pinned struct {
	File       string         `json:"file"`
	Event      hook.EventName `json:"event"`
	HostEvent  string         `json:"hostEvent"`
	Session    string         `json:"session"`
	Cwd        string         `json:"cwd"`
	Transcript string         `json:"transcript"`
	Prompt     string         `json:"prompt,omitempty"`
	Typed      bool           `json:"typed,omitempty"`
	Message    string         `json:"message,omitempty"`
	Source     string         `json:"source,omitempty"`
	StopActive bool           `json:"stopActive,omitempty"`
	Tool       *pinnedTool    `json:"tool,omitempty"`
}

type pinnedTool struct {
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
		File: file, Event: e.Name, HostEvent: e.HostEvent, Session: e.SessionID, Cwd: e.Cwd, Transcript: e.Transcript,
		Prompt: e.Prompt, Typed: e.Typed(), Message: e.Message, Source: e.Source, StopActive: e.StopActive,
	}
	if t := e.Tool; t != nil {
		p.Tool = &pinnedTool{Name: t.Name, Kind: t.Kind.String(), Input: t.Input, WorkDir: t.WorkDir(), Paths: t.Paths()}
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
	}
	return p
}

func golden(t *testing.T, file string, lines [][]byte) {
	t.Helper()
	got := append(bytes.Join(lines, []byte("\n")), '\n')
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if diff := cmp.Diff(bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))); diff != "" {
		t.Errorf("%s (-want +got, -update rewrites it)\n%s", file, diff)
	}
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

func TestRecordedPayloadsDecodeAsPinned(t *testing.T) {
	for version, least := range map[string]int{"0.61.0": 47} {
		t.Run(version, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(recorded, version, "*.json"))
			if err != nil || len(files) < least {
				t.Fatalf("%d payloads, want at least %d (%v)", len(files), least, err)
			}
			var lines [][]byte
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				e, err := Adapter{}.Decode("", b)
				if err != nil {
					t.Errorf("%s: %v", f, err)
				}
				lines = append(lines, line(t, pin(filepath.Base(f), e)))
			}
			golden(t, filepath.Join(recorded, version, "golden", "events.jsonl"), lines)
		})
	}
}

// The answers to one full verdict of each decision, on each event.
func TestAnswersAreAsPinned(t *testing.T) {
	type pinnedAnswer struct {
		Event    hook.EventName  `json:"event"`
		Decision string          `json:"decision"`
		Answer   json.RawMessage `json:"answer"`
	}
	var lines [][]byte
	for _, name := range adaptertest.Events {
		for d := hook.Pass; d <= hook.Block; d++ {
			e := hook.Event{Name: name, Host: Name, HostEvent: hostNames[name]}
			if e.HostEvent == "" {
				e.HostEvent = "SomethingNew"
			}
			if name.BeforeTool() || name.AfterTool() {
				e.Tool = &hook.Tool{Name: "run_shell_command", Kind: hook.Shell, Input: json.RawMessage(`{"command":"git status"}`)}
				e.Tool.Result = &hook.Result{Text: "Output: key=123", Raw: json.RawMessage(`{"llmContent":"Output: key=123","returnDisplay":"key=123"}`)}
			}
			v := hook.Verdict{
				Decision: d, Gate: "gate", Rule: "pack/rule", Reason: "the reason", Context: "the context", Notice: "the notice",
				Input:  json.RawMessage(`{"command":"rtk git status","description":"status"}`),
				Result: json.RawMessage(`{"llmContent":"Output: key=***","returnDisplay":"key=***"}`),
			}
			out := Adapter{}.Encode(e, v).Stdout
			lines = append(lines, line(t, pinnedAnswer{name, d.String(), json.RawMessage(bytes.TrimRight(out, "\n"))}))
		}
	}
	golden(t, filepath.Join(recorded, "answers.jsonl"), lines)
}
