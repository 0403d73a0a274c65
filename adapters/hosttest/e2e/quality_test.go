//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/adapters/hosttest"
)

const (
	sumGo     = "package a\n\n// Add adds.\nfunc Add(x, y int) int { return x + y }\n"
	sumTestGo = "package a\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Errorf(\"Add(1, 2) = %d, want 3\", got)\n\t}\n}\n"
)

// goProject fills the project with a Go module whose tests pass, and has its
// configuration trusted.
func (w *world) goProject(config string) {
	w.t.Helper()
	w.goModule(config)
	w.guardrails("trust", "--yes")
}

// goModule fills the project with a Go module whose tests pass, and commits it.
func (w *world) goModule(config string) {
	w.t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	w.env = append(w.env, "GOCACHE="+strings.TrimSpace(string(cache)), "GOPROXY=off", "GOTOOLCHAIN=local")
	w.write("go.mod", "module example.com/app\n\ngo 1.21\n")
	w.write("a/a.go", sumGo)
	w.write("a/a_test.go", sumTestGo)
	w.write(".guardrails.yaml", config)
	w.run(w.project, "git", "add", "-A")
	w.run(w.project, "git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "one")
}

// blocks counts the blocks of the quality gate in our log.
func (w *world) blocks(event string) int {
	w.t.Helper()
	n := 0
	for _, l := range w.log() {
		if l.Decision == "block" && l.Gate == "quality" && l.Event == event {
			n++
		}
	}
	return n
}

// holds fails the test unless a text holds every part.
func holds(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}

func TestE2EAnAgentThatBreaksATestIsHeldUntilItIsFixed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		w.goProject("version: 1\nquality: {}\n")
		s := w.play(play{turns: []hosttest.Turn{
			hosttest.Use(read(w.path("a/a.go"))),
			hosttest.Use(edit(w.path("a/a.go"), "x + y", "x - y")),
			hosttest.Say("Done."),
			hosttest.Use(edit(w.path("a/a.go"), "x - y", "y + x")),
			hosttest.Say("Now it is done."),
		}})
		holds(t, s.server.Saw(mainPart), "attempt 1 of 3: quality gate failed: test (TestAdd)", "a/a_test.go:7: TestAdd: Add(1, 2) = -1, want 3")
		if got := w.blocks("Stop"); got != 1 {
			t.Errorf("%d blocks\n%+v", got, w.log())
		}
		if !strings.Contains(string(s.Stdout), "Now it is done.") {
			t.Errorf("it did not end as scripted:\n%s", s.Stdout)
		}
		// The session left its record.
		files, err := filepath.Glob(filepath.Join(w.home, ".guardrails", "cache", "*", "runs.jsonl"))
		if err != nil || len(files) != 1 {
			t.Fatalf("records: %q %v", files, err)
		}
		text, _ := w.read(files[0])
		var record struct {
			Blocks, Touched int
		}
		if err := json.Unmarshal([]byte(text), &record); err != nil || record.Blocks != 1 || record.Touched != 1 {
			t.Errorf("record %q: %v", text, err)
		}
	})
}

func TestE2ESubagentIsHeldForItsOwnFiles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		w.write(".claude/agents/test-writer.md", "---\nname: test-writer\ndescription: writes tests\n---\nYou write tests.\n")
		w.goProject("version: 1\nquality: {}\n")
		w.write("b/b.go", "package b\n\n// Zero is nothing.\nfunc Zero() int { return 0 }\n")
		bad := "package b\n\nimport \"testing\"\n\nfunc TestZero(t *testing.T) {\n\tif Zero() != 1 {\n\t\tt.Error(\"want 1\")\n\t}\n}\n"
		s := w.play(play{
			turns: []hosttest.Turn{
				hosttest.Use(read(w.path("a/a.go"))),
				hosttest.Use(edit(w.path("a/a.go"), "x + y", "x - y")), // the parent's own fault
				hosttest.Use(hosttest.Call{Tool: "Agent", Input: obj{"description": "a part", "prompt": "PART-tests: write a test.", "subagent_type": "test-writer"}}),
				hosttest.Use(edit(w.path("a/a.go"), "x - y", "y + x")),
				hosttest.Say("All is done."),
			},
			others: []hosttest.Conversation{{Name: "tests", When: "PART-tests", Turns: []hosttest.Turn{
				hosttest.Use(write(w.path("b/b_test.go"), bad)),
				hosttest.Say("Written."),
				hosttest.Use(edit(w.path("b/b_test.go"), "Zero() != 1", "Zero() != 0")),
				hosttest.Say("Corrected."),
			}}},
		})
		saw := s.server.Saw("tests")
		holds(t, saw, "attempt 1 of 3: quality gate failed: test (TestZero)", "b/b_test.go:7: TestZero: want 1")
		if strings.Contains(saw, "TestAdd") {
			t.Errorf("it was held for what its parent wrote:\n%s", saw)
		}
		if got := w.blocks("SubagentStop"); got != 1 {
			t.Errorf("%d blocks\n%+v", got, w.log())
		}
		if got := w.blocks("Stop"); got != 0 {
			t.Errorf("%d blocks of the parent\n%+v", got, w.log())
		}
	})
}

func TestE2EWarnModeTellsTheHumanAndLetsGo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		w.goProject("version: 1\nmode: warn\nquality: {}\n")
		s := w.play(play{turns: []hosttest.Turn{
			hosttest.Use(read(w.path("a/a.go"))),
			hosttest.Use(edit(w.path("a/a.go"), "x + y", "x - y")),
			hosttest.Say("Done."),
			hosttest.Say("It was held."),
		}})
		if strings.Contains(string(s.Stdout), "It was held.") || w.blocks("Stop") != 0 {
			t.Errorf("it was held:\n%s", s.Stdout)
		}
		if strings.Contains(s.server.Saw(mainPart), "quality gate failed") {
			t.Error("the agent was told")
		}
		if !strings.Contains(string(s.Stdout), "quality gate failed: test (TestAdd)") {
			t.Errorf("the human was not told:\n%s", s.Stdout)
		}
	})
}

func TestE2EABrokenConfigurationPausesQualityAndKeepsPolicy(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		w.goProject("version: 1\nquality: {}\n")
		w.write(".guardrails.yaml", "version: 1\nqualty: {}\n")
		dir := w.sentinel("kept")
		s := w.play(play{turns: []hosttest.Turn{
			hosttest.Use(read(w.path("a/a.go"))),
			hosttest.Use(edit(w.path("a/a.go"), "x + y", "x - y")),
			hosttest.Use(bash("rm -rf " + dir)),
			hosttest.Use(read(w.path(".guardrails.yaml"))),
			hosttest.Use(write(w.path(".guardrails.yaml"), "version: 1\n")),
			hosttest.Say("Done."),
			hosttest.Say("It was held."),
		}})
		r := s.results(t, mainPart, 5)
		w.denied(r[2])
		w.denied(r[4])
		w.stands(dir)
		if strings.Contains(string(s.Stdout), "It was held.") {
			t.Errorf("it was held:\n%s", s.Stdout)
		}
		holds(t, string(s.Stdout), "quality is paused", "qualty")
		holds(t, s.server.Saw(mainPart), "Only the human can fix it")
	})
}

func TestE2EGeminiAgentThatBreaksATestIsHeldUntilItIsFixed(t *testing.T) {
	w := newGeminiWorld(t)
	w.init()
	w.goProject("version: 1\nquality: {}\n")
	s := w.playGemini(play{turns: []hosttest.Turn{
		hosttest.Use(writeFileCall(w.path("a/a.go"), strings.Replace(sumGo, "x + y", "x - y", 1))),
		hosttest.Say("Done."),
		hosttest.Use(writeFileCall(w.path("a/a.go"), strings.Replace(sumGo, "x + y", "y + x", 1))),
		hosttest.Say("Now it is done."),
	}})
	holds(t, s.server.Saw(mainPart), "attempt 1 of 3: quality gate failed: test (TestAdd)", "a/a_test.go:7: TestAdd: Add(1, 2) = -1, want 3")
	if got := w.blocks("AfterAgent"); got != 1 {
		t.Errorf("%d blocks\n%+v", got, w.log())
	}
	if text, err := os.ReadFile(w.path("a/a.go")); err != nil || !strings.Contains(string(text), "y + x") {
		t.Errorf("it did not go on: %s %v", text, err)
	}
}
