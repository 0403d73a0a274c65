//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/adapters/hosttest"
)

// deliveringOn runs a test on Claude Code and on Gemini CLI, in a project with
// the delivery pack, a package whose test passes, and a gh that shows a pull
// request without a walkthrough and refuses every comment.
func deliveringOn(t *testing.T, test func(t *testing.T, w *world, h proving)) {
	t.Helper()
	opt := func(w *world) {
		cache, err := exec.Command("go", "env", "GOCACHE").Output()
		if err != nil {
			t.Fatal(err)
		}
		bin := filepath.Join(w.home, ".local", "bin")
		w.env = append(w.env, "GOCACHE="+strings.TrimSpace(string(cache)), "GOTOOLCHAIN=local", "GOFLAGS=-count=1",
			"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		w.init()
		w.write(".guardrails.yaml", "version: 1\nhandoffs: {packs: [delivery]}\n")
		w.write("go.mod", "module example.com/p\n\ngo 1.24\n")
		w.write("p.go", source)
		w.write("p_test.go", "package p\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Error(Two())\n\t}\n}\n")
		w.write("Makefile", "e2e:\n\t@echo 2 scenarios passed\n")
		gh := filepath.Join(bin, "gh")
		writeFile(w.t, gh, `#!/bin/sh
echo "$@" >> "$HOME/gh.log"
case "$2" in
comment) echo "GraphQL: Resource not accessible by integration (addComment)" >&2; exit 1;;
*) printf '%s' '{"url":"https://github.com/o/r/pull/7","number":7,"state":"OPEN","body":"b","comments":[]}';;
esac
`)
		if err := os.Chmod(gh, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	each(t, func(t *testing.T, w *world) {
		opt(w)
		test(t, w, proving{play: w.play, shell: bash, write: write})
	})
	t.Run("gemini", func(t *testing.T) {
		t.Parallel()
		w := newGeminiWorld(t)
		opt(w)
		test(t, w, proving{play: w.playGemini, shell: shell, write: writeFileCall})
	})
}

// TestE2EGreenTestsOweAnAcceptanceRun has the agent run the tests, be kept going,
// and say why there is no acceptance run.
func TestE2EGreenTestsOweAnAcceptanceRun(t *testing.T) {
	deliveringOn(t, func(t *testing.T, w *world, h proving) {
		s := h.play(play{turns: []hosttest.Turn{
			hosttest.Use(h.shell("go test -v ./...")),
			hosttest.Say("Done."),
			hosttest.Use(h.shell(`echo "GUARDRAILS_E2E_SKIP: nothing that a user sees changed"`)),
			hosttest.Say("Said why."),
		}})
		if got := w.stops(); got != "block handoff/e2e, pass" {
			t.Errorf("the ends of the turn: %s\nthe model saw\n%s", got, s.server.Saw(mainPart))
		}
		if saw := s.server.Saw(mainPart); !strings.Contains(saw, w.installed()+" explain handoff/e2e") {
			t.Errorf("the model saw\n%s", saw)
		}
	})
}

// TestE2EAHandoffIsReleasedAfterThreeBlocks has the agent do nothing about it.
func TestE2EAHandoffIsReleasedAfterThreeBlocks(t *testing.T) {
	deliveringOn(t, func(t *testing.T, w *world, h proving) {
		h.play(play{turns: []hosttest.Turn{
			hosttest.Use(h.shell("go test -v ./...")),
			hosttest.Say("Done."), hosttest.Say("Done, I said."), hosttest.Say("Really done."), hosttest.Say("It is done."), hosttest.Say("Not asked any more."),
		}})
		if got := w.stops(); got != "block handoff/e2e, block handoff/e2e, block handoff/e2e, pass handoff/e2e" {
			t.Errorf("the ends of the turn: %s", got)
		}
	})
}

// TestE2EARejectedCommentDoesNotClearTheWalkthrough has the provider refuse it.
func TestE2EARejectedCommentDoesNotClearTheWalkthrough(t *testing.T) {
	deliveringOn(t, func(t *testing.T, w *world, h proving) {
		s := h.play(play{turns: []hosttest.Turn{
			hosttest.Use(h.shell("make e2e")),
			hosttest.Use(h.shell("gh pr comment 7 --body '<!-- guardrails-pr-section:v1 --> 2 passed' 2>&1 | tail -5")),
			hosttest.Say("Posted."),
			hosttest.Use(h.shell(`echo "GUARDRAILS_WALKTHROUGH_SKIP: the token may not comment"`)),
			hosttest.Say("Said why."),
		}})
		if got := w.stops(); got != "block handoff/walkthrough, pass" {
			t.Errorf("the ends of the turn: %s\nthe model saw\n%s", got, s.server.Saw(mainPart))
		}
	})
}

// TestE2ENothingTouchedIsSilent has the agent only talk: nobody is asked.
func TestE2ENothingTouchedIsSilent(t *testing.T) {
	deliveringOn(t, func(t *testing.T, w *world, h proving) {
		h.play(play{turns: []hosttest.Turn{hosttest.Use(h.shell("ls")), hosttest.Say("Hello.")}})
		if got := w.stops(); got != "pass" {
			t.Errorf("the ends of the turn: %s", got)
		}
		if log, err := os.ReadFile(filepath.Join(w.home, "gh.log")); err == nil {
			t.Errorf("the provider was asked:\n%s", log)
		}
	})
}
