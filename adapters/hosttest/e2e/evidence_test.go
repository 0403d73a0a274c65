//go:build e2e

package e2e

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/adapters/hosttest"
)

// proving is a host as these tests play it.
type proving struct {
	play  func(play) session
	shell func(string) hosttest.Call
	write func(path, content string) hosttest.Call
	spawn func(prompt string) hosttest.Call
	done  []hosttest.Turn // how its subagent ends
}

// provingOn runs a test on Claude Code and on Gemini CLI, in a project that asks
// for evidence and has a package with a test.
func provingOn(t *testing.T, test func(t *testing.T, w *world, h proving)) {
	t.Helper()
	opt := func(w *world) {
		cache, err := exec.Command("go", "env", "GOCACHE").Output()
		if err != nil {
			t.Fatal(err)
		}
		w.env = append(w.env, "GOCACHE="+strings.TrimSpace(string(cache)), "GOTOOLCHAIN=local", "GOFLAGS=-count=1")
		w.init()
		w.guardrails("evidence", "init", "--yes")
		w.write("go.mod", "module example.com/p\n\ngo 1.24\n")
		w.write("p_test.go", "package p\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Error(Two())\n\t}\n}\n")
	}
	each(t, func(t *testing.T, w *world) {
		opt(w)
		test(t, w, proving{
			play: w.play, shell: bash, write: write,
			spawn: func(prompt string) hosttest.Call { return agent(prompt, false) },
			done:  []hosttest.Turn{hosttest.Say("Looked.")},
		})
	})
	t.Run("gemini", func(t *testing.T) {
		t.Parallel()
		w := newGeminiWorld(t)
		opt(w)
		test(t, w, proving{
			play: w.playGemini, shell: shell, write: writeFileCall,
			spawn: func(prompt string) hosttest.Call {
				return hosttest.Call{Tool: "invoke_agent", Input: obj{"agent_name": "generalist", "prompt": prompt}}
			},
			done: []hosttest.Turn{hosttest.Use(hosttest.Call{Tool: "complete_task", Input: obj{"result": obj{"response": "done"}, "response": "done"}})},
		})
	})
}

// workflow is what evidence status --json says.
type workflow struct {
	Phase                                                 string
	MutationGeneration, VerifiedGeneration, FailureStreak int
	OpenCards                                             int
	Valid                                                 bool
}

func (w *world) workflow() workflow {
	w.t.Helper()
	var s workflow
	raw := w.guardrails("evidence", "status", "--json")
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		w.t.Fatalf("%v in %s", err, raw)
	}
	return s
}

// stops returns the decisions on the ends of turns, in order.
func (w *world) stops() string {
	w.t.Helper()
	var out []string
	for _, l := range w.log() {
		if l.Event == "Stop" || l.Event == "AfterAgent" {
			out = append(out, strings.TrimSpace(l.Decision+" "+l.Rule))
		}
	}
	return strings.Join(out, ", ")
}

const source = "package p\n\nfunc Two() int { return 2 }\n"

// TestE2EATurnEndsOnlyWithFreshProof has the agent write, say that it is done, be
// kept going, and prove it with a real test run.
func TestE2EATurnEndsOnlyWithFreshProof(t *testing.T) {
	provingOn(t, func(t *testing.T, w *world, h proving) {
		s := h.play(play{turns: []hosttest.Turn{
			hosttest.Use(h.write(w.path("p.go"), source)),
			hosttest.Say("Done."),
			hosttest.Use(h.shell("go test ./...")),
			hosttest.Say("Now it is proven."),
		}})
		if got := w.stops(); got != "block evidence/close, pass" {
			t.Errorf("the ends of the turn: %s\nthe model saw\n%s", got, s.server.Saw(mainPart))
		}
		saw := s.server.Saw(mainPart)
		for _, text := range []string{"mutationGeneration: 0", "stale proof", w.installed() + " evidence add"} {
			if !strings.Contains(saw, text) {
				t.Errorf("the model did not see %q:\n%s", text, saw)
			}
		}
		if got, want := w.workflow(), (workflow{Phase: "complete", MutationGeneration: 1, VerifiedGeneration: 1, Valid: true}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// TestE2ETwoFailuresReachTheModelAsAnotherDiagnosis has two commands fail.
func TestE2ETwoFailuresReachTheModelAsAnotherDiagnosis(t *testing.T) {
	provingOn(t, func(t *testing.T, w *world, h proving) {
		s := h.play(play{turns: []hosttest.Turn{
			hosttest.Use(h.shell("go test ./...")),
			hosttest.Use(h.shell("go vet ./nowhere")),
			hosttest.Use(h.write(w.path("p.go"), source)),
			hosttest.Use(h.shell("go test ./...")),
			hosttest.Use(h.shell(w.installed() + " evidence phase complete")),
			hosttest.Say("Done."),
		}})
		saw := s.server.Saw(mainPart)
		for _, text := range []string{"2 failures in a row", "harness and environment", "actual execution path", "product logic", "violated invariant"} {
			if !strings.Contains(saw, text) {
				t.Errorf("the model did not see %q:\n%s", text, saw)
			}
		}
		if got := w.stops(); got != "pass" {
			t.Errorf("the ends of the turn: %s", got)
		}
		if got, want := w.workflow(), (workflow{Phase: "complete", MutationGeneration: 1, VerifiedGeneration: 1, Valid: true}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// TestE2EALongDelegationNeedsACard has the agent delegate with 2,000 characters,
// without a card and with one.
func TestE2EALongDelegationNeedsACard(t *testing.T) {
	provingOn(t, func(t *testing.T, w *world, h proving) {
		long := "PART-helper: look around. " + strings.Repeat("Look well. ", 180)
		s := h.play(play{
			turns: []hosttest.Turn{
				hosttest.Use(h.spawn(long)),
				hosttest.Use(h.shell(w.installed() + " evidence card add 'the folder is listed'")),
				hosttest.Use(h.spawn(long)),
				hosttest.Say("Done."),
				hosttest.Use(h.shell(w.installed() + " evidence card done 1 --evidence 'three files are listed'")),
				hosttest.Say("Settled."),
			},
			others: []hosttest.Conversation{{Name: "helper", When: "PART-helper: look around. Look well.", Turns: h.done}},
		})
		r := s.results(t, mainPart, 4)
		w.denied(r[0])
		if !strings.Contains(r[0].Text, "evidence/spawn") {
			t.Errorf("refused for another reason: %s", r[0].Text)
		}
		for _, ran := range r[1:] {
			w.ran(ran)
		}
		if n := len(s.server.Turns("helper")); n != 1 {
			t.Errorf("the subagent had %d turns, want 1", n)
		}
		if got := w.stops(); got != "block evidence/close, pass" {
			t.Errorf("the ends of the turn: %s", got)
		}
		if got := w.workflow(); got.OpenCards != 0 || got.MutationGeneration != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// TestE2EATestRunInTheBackgroundIsProof has the agent start the tests, go on, and
// be told by the host that they have ended.
func TestE2EATestRunInTheBackgroundIsProof(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if w.version != current {
			t.Skip("the host says nothing of it to hooks in the middle of a turn")
		}
		cache, err := exec.Command("go", "env", "GOCACHE").Output()
		if err != nil {
			t.Fatal(err)
		}
		w.env = append(w.env, "GOCACHE="+strings.TrimSpace(string(cache)), "GOTOOLCHAIN=local", "GOFLAGS=-count=1")
		w.init()
		w.guardrails("evidence", "init", "--yes")
		w.write("go.mod", "module example.com/p\n\ngo 1.24\n")
		w.write("p_test.go", "package p\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Error(Two())\n\t}\n}\n")
		background := bash("go test -v ./...")
		background.Input.(obj)["run_in_background"] = true
		s := w.play(play{turns: []hosttest.Turn{
			hosttest.Use(write("p.go", "package p\n\nfunc Two() int { return 2 }\n")),
			hosttest.Use(background),
			hosttest.Use(bash("sleep 20")),
			hosttest.Say("Done."), hosttest.Say("Done, I said."),
		}})
		if got := w.workflow(); got.MutationGeneration != 1 || got.VerifiedGeneration != 1 || got.Phase != "complete" {
			t.Errorf("%+v\nthe ends of the turn: %s\nthe model saw\n%s", got, w.stops(), s.server.Saw(mainPart))
		}
	})
}
