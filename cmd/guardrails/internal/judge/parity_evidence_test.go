package judge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/judge"
	"github.com/ec261362/guardrails/core/evidence"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/hook"
)

// workflowHost plays one session of a host in a project that asks for evidence.
type workflowHost struct {
	*testing.T
	ad      hook.Adapter
	machine judge.Machine
	root    string
	n       int
	heard   []string // context that reached the model, with its event
}

// tell judges one scene. A host that says of no failure says of the call; how it
// ended then stands in its transcript.
func (w *workflowHost) tell(s scene) *judge.Judgement {
	w.Helper()
	w.n++
	host := w.ad.Name()
	payload, hint := told(host, s, w.root)
	if payload == nil && s.event == hook.PostToolUseFailure {
		ran := s
		ran.event = hook.PostToolUse
		payload, hint = told(host, ran, w.root)
	}
	if payload == nil {
		return nil
	}
	p := payload.(obj)
	if _, ok := p["tool_use_id"]; ok {
		p["tool_use_id"] = fmt.Sprintf("call_%d", w.n)
	}
	if _, ok := p["stepIdx"]; ok {
		p["stepIdx"], p["transcriptPath"] = w.n, w.transcript(s)
	}
	raw, err := json.Marshal(p)
	if err != nil {
		w.Fatal(err)
	}
	j := w.machine.Judge(judge.Decode(judge.Request{Adapter: w.ad, EventHint: hint, Payload: raw, Dir: w.root}))
	if l := j.Lapses(); len(l) > 0 {
		w.Errorf("%s: %v", s.name, l)
	}
	if c := j.Result.Verdict.Context; c != "" {
		w.heard = append(w.heard, c)
	}
	return &j
}

// transcript writes the step that says how the call ended.
func (w *workflowHost) transcript(s scene) string {
	w.Helper()
	step := obj{"step_index": w.n, "type": "GENERIC", "status": "DONE", "content": "The command exited with code 0.\nOutput:\n" + s.content}
	if s.event == hook.PostToolUseFailure {
		step["content"] = fmt.Sprintf("The command exited with code %d.\nOutput:\nno", s.exit)
		if s.kind != hook.Shell {
			step["status"] = "ERROR"
		}
	}
	line, err := json.Marshal(step)
	if err != nil {
		w.Fatal(err)
	}
	name := filepath.Join(w.machine.Home, fmt.Sprintf("t%d.jsonl", w.n))
	if err := os.WriteFile(name, append(line, '\n'), 0o600); err != nil {
		w.Fatal(err)
	}
	return name
}

func (w *workflowHost) status() evidence.Status {
	w.Helper()
	s, err := (&evidence.Store{Root: w.root}).Status()
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// hears reports whether a text reached the model by now.
func (w *workflowHost) hears(text string) bool {
	for _, h := range w.heard {
		if strings.Contains(h, text) {
			return true
		}
	}
	return false
}

// TestFiveBehavioursOnEveryHost plays the same work on every host: the state it
// leads to is the same, and what differs is where a text arrives.
func TestFiveBehavioursOnEveryHost(t *testing.T) {
	var differences strings.Builder
	for _, ad := range adapters.All {
		t.Run(ad.Name(), func(t *testing.T) {
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			home := filepath.Join(base, "home")
			w := &workflowHost{T: t, ad: ad, root: filepath.Join(home, "p")}
			w.machine = judge.Machine{Home: home, StateHome: filepath.Join(home, ".guardrails"), Getenv: func(string) string { return "" }, Now: time.Now}
			if err := os.MkdirAll(w.root, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(w.root, ".guardrails.yaml"), []byte("evidence: {enabled: true}\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			play(w, &differences)
		})
	}
	golden := filepath.Join("testdata", "parity_evidence.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(differences.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), differences.String()); diff != "" {
		t.Errorf("the differences are not the committed ones (-want +got):\n%s", diff)
	}
}

func play(w *workflowHost, differences *strings.Builder) {
	host := w.ad.Name()
	differs := func(format string, args ...any) { fmt.Fprintf(differences, host+": "+format+"\n", args...) }
	held := func(j *judge.Judgement) bool {
		return j != nil && effect(host, j.Event.Name, j.Output.Stdout) == "held"
	}
	stop := scene{name: "stop", event: hook.Stop, message: "done"}
	prompt := scene{name: "prompt", event: hook.UserPromptSubmit, prompt: "go on"}
	write := scene{name: "write", event: hook.PostToolUse, kind: hook.Write, path: "a.py", content: "x"}
	wrong := write
	wrong.name, wrong.event, wrong.exit = "write that failed", hook.PostToolUseFailure, 1
	fails := scene{name: "fails", event: hook.PostToolUseFailure, kind: hook.Shell, command: "make all", exit: 2}

	// Profile.
	if !w.ad.Capabilities().NoStart {
		w.tell(scene{name: "start", event: hook.SessionStart, from: "startup"})
	}
	if !w.hears("mutationGeneration: 0") {
		w.tell(prompt)
		differs("the profile comes with the first prompt")
		if !w.hears("mutationGeneration: 0") {
			w.Error("the profile does not arrive")
		}
	}

	// Spawn guard.
	for _, c := range []struct {
		prompt string
		want   bool
	}{{strings.Repeat("x", 2000), true}, {"look around", false}} {
		j := w.tell(scene{name: "spawn", event: hook.PreToolUse, kind: hook.Spawn, command: c.prompt})
		if stopped := effect(host, j.Event.Name, j.Output.Stdout) == "stopped"; stopped != c.want {
			w.Errorf("a delegation of %d characters: stopped %t: %s", len(c.prompt), stopped, j.Output.Stdout)
		}
		if c.want && !bytes.Contains(j.Output.Stdout, []byte("evidence card add")) {
			w.Errorf("the denial does not help: %s", j.Output.Stdout)
		}
	}

	// Mutation, also one that failed; reads do not count.
	w.tell(write)
	w.tell(wrong)
	w.tell(scene{name: "read", event: hook.PostToolUse, kind: hook.Read, path: "a.py"})
	w.tell(scene{name: "search", event: hook.PostToolUse, kind: hook.Search, path: ".", command: "x"})
	if s := w.status(); s.MutationGeneration != 2 || s.VerifiedGeneration != -1 || !s.Substantial {
		w.Errorf("after two writes: %+v", s)
	}

	// Close guard.
	if j := w.tell(stop); !held(j) || !bytes.Contains(j.Output.Stdout, []byte("stale proof")) {
		w.Errorf("a Stop on stale proof: %s", j.Output.Stdout)
	}

	// Failure streak.
	w.tell(fails)
	w.tell(fails)
	if s := w.status(); s.FailureStreak != 2 || s.Phase != evidence.Recovering {
		w.Errorf("after two failures: %+v", s)
	}
	if !w.hears("harness and environment") {
		w.tell(prompt)
		differs("the recovery text comes with the next prompt")
		if !w.hears("harness and environment") {
			w.Error("the recovery text does not arrive")
		}
	}
	w.tell(scene{name: "succeeds", event: hook.PostToolUse, kind: hook.Shell, command: "make all"})
	if s := w.status(); s.FailureStreak != 0 || s.Phase != evidence.Recovering {
		w.Errorf("after a success: %+v", s)
	}

	// All four hold.
	store := &evidence.Store{Root: w.root}
	tree := evidence.Tree{Root: w.root, FS: fsx.OS{}}
	if _, err := store.Add(w.Context(), tree, evidence.Record{Kind: evidence.Observation, Result: evidence.Pass, Source: "curl", Detail: "200 with version 1.4.2"}); err != nil {
		w.Fatal(err)
	}
	if j := w.tell(stop); !held(j) || !bytes.Contains(j.Output.Stdout, []byte("phase recovering")) {
		w.Errorf("a Stop in phase recovering: %s", j.Output.Stdout)
	}
	if _, err := store.Declare(w.Context(), evidence.Complete, "", ""); err != nil {
		w.Fatal(err)
	}
	if j := w.tell(stop); held(j) {
		w.Errorf("a Stop with all in order: %s", j.Output.Stdout)
	}
	if j := w.tell(scene{name: "end", event: hook.SessionEnd, from: "exit"}); j == nil {
		differs("nothing is recorded at the end of a session: there is no such event")
	}
}
