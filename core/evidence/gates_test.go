package evidence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
)

func TestOffHasNoGate(t *testing.T) {
	if n := len(New(Settings{})); n != 0 {
		t.Errorf("%d gates", n)
	}
}

func TestBrokenConfigurationRestsWhatInsistsAndGoesOnCounting(t *testing.T) {
	p := newProject(t)
	p.set = Settings{Resting: true}
	p.write("a.py")
	p.generations(1, -1)
	p.passes()
	if v := p.spawn("Agent", obj{"prompt": strings.Repeat("x", 2000)}); v.Decision != hook.Pass {
		t.Errorf("spawn: %s", v.Decision)
	}
}

func TestProfileIsTheCompactStateAndNothingElse(t *testing.T) {
	p := newProject(t)
	v := p.on(hook.Event{Name: hook.SessionStart, Source: "startup"})
	want := `guardrails workflow state:
phase: idle
specialist: none
failureStreak: 0
substantial: false
mutationGeneration: 0
verifiedGeneration: -1
activeCard: none
open cards: none`
	if v.Decision != hook.Advise || v.Context != want {
		t.Errorf("%s:\n%s", v.Decision, v.Context)
	}
	if p.store().Exists() {
		t.Error("a session's start wrote the state")
	}
	for i := range 15 {
		if _, err := p.store().AddCard(t.Context(), p.tree(), fmt.Sprintf("card number %d", i+1)); err != nil {
			t.Fatal(err)
		}
	}
	v = p.on(hook.Event{Name: hook.SessionStart, Source: "resume"})
	if !strings.Contains(v.Context, "12. card number 12\n") || strings.Contains(v.Context, "card number 13") || !strings.Contains(v.Context, "and 3 more") {
		t.Errorf("cards:\n%s", v.Context)
	}
	if !strings.Contains(v.Context, "activeCard: card number 1\n") {
		t.Errorf("active card:\n%s", v.Context)
	}
	p.put("{")
	if v = p.on(hook.Event{Name: hook.SessionStart}); !strings.Contains(v.Context, "invalid workflow state") {
		t.Errorf("an invalid state is not told: %s", v.Context)
	}
}

func (p *project) spawn(tool string, input obj) hook.Verdict {
	p.Helper()
	return p.on(hook.Event{Name: hook.PreToolUse, Tool: toolCall(tool, hook.Spawn, input, nil)})
}

func TestSpawnGuard(t *testing.T) {
	long, half := strings.Repeat("x", 1500), strings.Repeat("ü", 750)
	for _, c := range []struct {
		name  string
		input obj
		want  hook.Decision
	}{
		{"short", obj{"prompt": strings.Repeat("x", 200), "subagent_type": "general-purpose"}, hook.Pass},
		{"one below", obj{"prompt": long[1:], "subagent_type": "general-purpose"}, hook.Pass},
		{"at the limit", obj{"prompt": long}, hook.Deny},
		{"all three together", obj{"prompt": half, "script": strings.Repeat("x", 700), "description": strings.Repeat("d", 50)}, hook.Deny},
		{"characters, not bytes", obj{"prompt": half}, hook.Pass},
		{"another host's words", obj{"Prompt": long}, hook.Deny},
		{"a message of items", obj{"items": []obj{{"type": "text", "text": long}}}, hook.Deny},
		{"several at once", obj{"Subagents": []obj{{"TypeName": "research", "Prompt": half}, {"TypeName": "research", "Prompt": half}}}, hook.Deny},
		{"a fork", obj{"prompt": long, "subagent_type": "fork"}, hook.Pass},
		{"a fork, spelled otherwise", obj{"prompt": long, "agentType": "Fork-self"}, hook.Pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			if v := p.spawn("Agent", c.input); v.Decision != c.want {
				t.Errorf("%s: %s", v.Decision, v.Reason)
			}
		})
	}
	t.Run("with a card", func(t *testing.T) {
		p := newProject(t)
		v := p.spawn("Agent", obj{"prompt": long})
		if v.Rule != RuleSpawn || !strings.Contains(v.Reason, `/opt/guardrails evidence card add`) || !strings.Contains(v.Reason, "same call passes") {
			t.Errorf("the denial does not help: %s", v.Reason)
		}
		p.file(".guardrails/LEDGER.md", "- [x] done — evidence: 31 passed\n")
		if v := p.spawn("Agent", obj{"prompt": long}); v.Decision != hook.Deny {
			t.Error("a settled card is enough")
		}
		p.file(".guardrails/LEDGER.md", "- [ ] bounded\n")
		if v := p.spawn("Agent", obj{"prompt": long}); v.Decision != hook.Pass {
			t.Errorf("an open card is not enough: %s", v.Reason)
		}
		p.file(".guardrails/LEDGER.md", "PAUSED the human explores\n")
		if v := p.spawn("Agent", obj{"prompt": long}); v.Decision != hook.Pass {
			t.Errorf("paused: %s", v.Reason)
		}
		p.file(".guardrails/LEDGER.md", "")
		p.set.SpawnMin = 3000
		if v := p.spawn("Agent", obj{"prompt": long}); v.Decision != hook.Pass {
			t.Errorf("below the configured limit: %s", v.Reason)
		}
	})
}

// The example: a write takes 6 / 6 to 7 / 6, and the old proof closes nothing.
func TestWriteMakesSevenOfSix(t *testing.T) {
	p := newProject(t)
	p.put(`{"mutationGeneration": 6, "verifiedGeneration": 6, "phase": "complete", "substantial": true,
		"evidence": [{"kind":"test","result":"pass","source":"go test","detail":"31 passed","timestamp":"2026-11-30T10:00:00Z","generation":6}]}`)
	p.passes()
	p.write("a.py")
	p.generations(7, 6)
	st := p.state()
	if st.Phase != Executing || !st.Substantial || len(st.Evidence) != 1 {
		t.Errorf("phase %s, substantial %t, %d records", st.Phase, st.Substantial, len(st.Evidence))
	}
	p.blocks("stale proof", "generation 7, verified is 6", "/opt/guardrails evidence add", "phase executing")
}

func TestWhatCountsAsAChange(t *testing.T) {
	type row struct {
		name string
		tool *hook.Tool
		ev   hook.EventName
		want int
	}
	w := func(path string) *hook.Tool {
		return toolCall("Write", hook.Write, obj{"file_path": path, "content": "x"}, ok)
	}
	rows := []row{
		{"a write", w("a.py"), hook.PostToolUse, 1},
		{"a write that failed", w("a.py"), hook.PostToolUseFailure, 1},
		{"an edit", toolCall("Edit", hook.Edit, obj{"file_path": "src/a.py", "old_string": "a", "new_string": "b"}, ok), hook.PostToolUse, 1},
		{"an edit that failed", toolCall("Edit", hook.Edit, obj{"file_path": "src/a.py", "old_string": "a", "new_string": "b"}, failed), hook.PostToolUseFailure, 1},
		{"a notebook", toolCall("NotebookEdit", hook.Edit, obj{"notebook_path": "a.ipynb", "new_source": "x"}, ok), hook.PostToolUse, 1},
		{"a tool that names no file", toolCall("apply_diff", hook.Edit, obj{"diff": "x"}, ok), hook.PostToolUse, 1},
		{"a server's write", toolCall("mcp__fs__write_file", hook.MCP, obj{"path": "a.py", "content": "x"}, ok), hook.PostToolUse, 1},
		{"a patch in a shell", toolCall("Bash", hook.Shell, obj{"command": "apply_patch <<'E'\n*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch\nE"}, ok), hook.PostToolUse, 1},
		{"a read", toolCall("Read", hook.Read, obj{"file_path": "a.py"}, ok), hook.PostToolUse, 0},
		{"a search", toolCall("Grep", hook.Search, obj{"pattern": "x"}, ok), hook.PostToolUse, 0},
		{"a command", toolCall("Bash", hook.Shell, obj{"command": "ls"}, ok), hook.PostToolUse, 0},
		{"the ledger", w(".guardrails/LEDGER.md"), hook.PostToolUse, 0},
		{"outside", w("/elsewhere/a.py"), hook.PostToolUse, 0},
		{"the parent", w("../a.py"), hook.PostToolUse, 0},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			p := newProject(t)
			p.on(hook.Event{Name: r.ev, Tool: r.tool})
			p.generations(r.want, -1)
		})
	}
}

func TestIgnoredFilesDoNotCount(t *testing.T) {
	p := newProject(t)
	p.git("init", "-q")
	p.file(".gitignore", "*.log\n/build/\n!keep.log\n")
	p.file("tracked.log", "x")
	p.git("add", "-f", "tracked.log")
	for _, c := range []struct {
		path  string
		count bool
	}{{"x.log", false}, {"build/a.o", false}, {"keep.log", true}, {"tracked.log", true}, {"src/main.go", true}, {"src/build.go", true}} {
		before := p.state().MutationGeneration
		p.write(c.path)
		if got := p.state().MutationGeneration > before; got != c.count {
			t.Errorf("%s: counted %t, want %t", c.path, got, c.count)
		}
	}
	// An ordinary file is judged without git; only one that a pattern may fit needs it.
	p.proc = nil
	if _, err := p.try(hook.Event{Name: hook.PostToolUse, Tool: toolCall("Write", hook.Write, obj{"file_path": "src/main.go", "content": "x"}, ok)}); err != nil {
		t.Errorf("an ordinary write: %v", err)
	}
	if _, err := p.try(hook.Event{Name: hook.PostToolUse, Tool: toolCall("Write", hook.Write, obj{"file_path": "x.log", "content": "x"}, ok)}); !errors.Is(err, gate.ErrHandOver) {
		t.Errorf("a file that may be ignored: %v", err)
	}
}

func TestOneCallToldTwiceCountsOnce(t *testing.T) {
	p := newProject(t)
	e := hook.Event{Name: hook.PostToolUse, Tool: toolCall("Write", hook.Write, obj{"file_path": "a.py", "content": "x"}, ok)}
	e.Tool.ID = "toolu_1"
	p.on(e)
	p.on(e)
	p.generations(1, -1)

	// Without an id, time tells.
	e = hook.Event{Name: hook.PostToolUse, Raw: []byte(`{"same":"payload"}`), Tool: toolCall("write_file", hook.Write, obj{"file_path": "a.py", "content": "x"}, ok)}
	twice := func(started time.Time) {
		c := newCall("gemini", "s", "", e.Raw)
		if _, err := p.store().Update(t.Context(), func(st *State) (bool, error) {
			if !st.once(c, asMutation, started, p.clock) {
				return false, nil
			}
			st.mutate()
			return true, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	start := p.clock
	p.clock = p.clock.Add(time.Second)
	twice(start)
	p.generations(2, -1)
	twice(start) // began before the first was written down
	p.generations(2, -1)
	p.clock = p.clock.Add(time.Second)
	twice(p.clock)
	p.generations(3, -1)
}

func TestDryRunWritesNothing(t *testing.T) {
	p := newProject(t)
	p.set.DryRun = true
	p.write("a.py")
	p.run("false", failed)
	p.run("false", failed)
	p.run("pytest", green)
	p.stop()
	if entries, err := os.ReadDir(p.root); err != nil || len(entries) > 0 {
		t.Errorf("wrote %v (%v)", entries, err)
	}
}

func TestTwoFailuresChangeTheDiagnosis(t *testing.T) {
	p := newProject(t)
	if v := p.run("false", failed); v.Decision != hook.Pass {
		t.Errorf("the first failure: %s", v.Decision)
	}
	v := p.run("false", failed)
	if v.Decision != hook.Advise {
		t.Fatalf("the second failure: %s", v.Decision)
	}
	at := -1
	for _, step := range []string{"harness and environment", "actual execution path", "product logic", "violated invariant"} {
		i := strings.Index(v.Context, step)
		if i <= at {
			t.Errorf("%q is out of order:\n%s", step, v.Context)
		}
		at = i
	}
	st := p.state()
	if st.Phase != Recovering || st.skill() != SkillRecover || !st.Substantial || st.FailureStreak != 2 {
		t.Errorf("phase %s, skill %s, substantial %t, streak %d", st.Phase, st.skill(), st.Substantial, st.FailureStreak)
	}
	p.run("make", ok)
	if st = p.state(); st.FailureStreak != 0 || st.Phase != Recovering {
		t.Errorf("after a success: streak %d, phase %s", st.FailureStreak, st.Phase)
	}
}

func TestWhatCountsAsAFailure(t *testing.T) {
	exit := func(n int) *hook.Result { return &hook.Result{Outcome: hook.Failed, ExitCode: n, HasExit: true} }
	for _, c := range []struct {
		name, command string
		result        *hook.Result
		before, want  int
	}{
		{"a failure", "make", exit(2), 0, 1},
		{"a success", "make", ok, 1, 0},
		{"nothing is known", "make", &hook.Result{}, 1, 1},
		{"in the background", "make", &hook.Result{Background: true, Outcome: hook.Succeeded}, 1, 1},
		{"interrupted", "make", &hook.Result{Outcome: hook.Failed, Interrupted: true}, 0, 0},
		{"grep found nothing", "grep -r todo src", exit(1), 0, 0},
		{"a filter found nothing", "cat a | grep todo", exit(1), 0, 0},
		{"grep broke", "grep -r todo src", exit(2), 0, 1},
		{"files differ", "cd x && diff a b", exit(1), 0, 0},
		{"git says yes", "git diff --quiet", exit(1), 0, 0},
		{"false", "false", exit(1), 0, 1},
		{"a test before grep", "make test && grep x out", exit(1), 0, 1},
		{"our own word", "guardrails evidence add --kind test --result fail --source x --detail y", ok, 1, 1},
		{"our own refusal", "/opt/guardrails evidence phase nowhere", exit(1), 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			for range c.before {
				p.run("false", failed)
			}
			p.run(c.command, c.result)
			if got := p.state().FailureStreak; got != c.want {
				t.Errorf("streak %d, want %d", got, c.want)
			}
		})
	}
}

func TestCompleteWorkDoesNotRecover(t *testing.T) {
	p := newProject(t)
	p.phase(Complete)
	p.run("false", failed)
	if v := p.run("false", failed); v.Decision != hook.Pass {
		t.Errorf("%s", v.Context)
	}
	if st := p.state(); st.Phase != Complete || st.FailureStreak != 2 {
		t.Errorf("phase %s, streak %d", st.Phase, st.FailureStreak)
	}
}

func TestPausedLedgerCountsNoFailure(t *testing.T) {
	p := newProject(t)
	p.file(".guardrails/LEDGER.md", "PAUSED exploring\n")
	p.run("false", failed)
	p.run("false", failed)
	if st := p.state(); st.FailureStreak != 0 || st.Phase != Idle {
		t.Errorf("streak %d, phase %s", st.FailureStreak, st.Phase)
	}
}

func TestRecordedFailureCountsOnceWithItsCall(t *testing.T) {
	p := newProject(t)
	p.run("pytest", red)
	if st := p.state(); st.FailureStreak != 1 || len(st.Evidence) != 1 || st.Evidence[0].Result != Fail {
		t.Errorf("streak %d, evidence %+v", st.FailureStreak, st.Evidence)
	}
	p.add(Test, Fail, "2 failed in api") // about the run that was counted
	if st := p.state(); st.FailureStreak != 1 {
		t.Errorf("streak %d after its record", st.FailureStreak)
	}
	p.add(Build, Fail, "linker: undefined symbol") // about another
	if st := p.state(); st.FailureStreak != 2 || st.Phase != Recovering {
		t.Errorf("streak %d, phase %s after another", st.FailureStreak, st.Phase)
	}
	p.add(Review, Fail, "naming is inconsistent")
	if st := p.state(); st.FailureStreak != 2 {
		t.Errorf("a review counts: %d", st.FailureStreak)
	}
	p.add(Test, Pass, substantive)
	if st := p.state(); st.FailureStreak != 0 || len(st.Evidence) != 5 {
		t.Errorf("streak %d, %d records: a success resets the streak, not the history", st.FailureStreak, len(st.Evidence))
	}
}

func TestRecordedTestRunClosesUndeclaredWork(t *testing.T) {
	p := newProject(t)
	p.file("a.py", "1")
	p.write("a.py")
	p.blocks("stale proof", "generation 1")
	p.run("pytest", green)
	p.generations(1, 1)
	p.passes()
	p.write("a.py")
	p.blocks("generation 2, verified is 1")
	p.run("pytest -q", green)
	p.passes()
}

func TestRecordedTestRunDoesNotClose(t *testing.T) {
	t.Run("a declared phase", func(t *testing.T) {
		p := newProject(t)
		p.phase(Verifying)
		p.write("a.py")
		p.run("pytest", green)
		p.blocks("phase verifying, not complete", "evidence phase complete")
		p.phase(Complete)
		p.passes()
	})
	t.Run("an open card", func(t *testing.T) {
		p := newProject(t)
		p.file(".guardrails/LEDGER.md", "- [ ] open\n")
		p.write("a.py")
		p.run("pytest", green)
		p.blocks("1 open card in the ledger", "1. open", "evidence card done")
	})
	t.Run("a red run", func(t *testing.T) {
		p := newProject(t)
		p.write("a.py")
		p.run("pytest", red)
		p.blocks("failed")
	})
	t.Run("red after green", func(t *testing.T) {
		p := newProject(t)
		p.write("a.py")
		p.run("pytest", green)
		p.run("pytest", red)
		p.blocks("failed")
	})
}

func TestProofOfKinds(t *testing.T) {
	for _, k := range Kinds() {
		t.Run(string(k), func(t *testing.T) {
			p := newProject(t)
			p.write("a.py")
			p.add(k, Pass, substantive)
			p.phase(Complete)
			if slices.Contains([]Kind{Test, Build, Runtime, Review, Observation}, k) {
				p.passes()
				return
			}
			p.blocks("stale proof")
		})
	}
}

func TestSecurityClosesAPureReviewOnly(t *testing.T) {
	t.Run("a review that changed nothing", func(t *testing.T) {
		p := newProject(t)
		p.phase(Discovering, "security")
		p.run("false", failed)
		p.run("false", failed) // makes it substantial
		p.add(Security, Pass, "no injection in 14 handlers")
		p.phase(Complete, "security")
		p.passes()
	})
	t.Run("by the state alone", func(t *testing.T) {
		p := newProject(t)
		rec := `"evidence":[{"kind":"security","result":"pass","source":"review","detail":"no injection in 14 handlers","time":"2026-11-30T10:00:00Z","generation":3}]`
		state := func(decision string) string {
			return `{"schemaVersion":3,"phase":"complete","substantial":true,"mutationGeneration":3,"verifiedGeneration":3,"lastDecision":` + decision + `,` + rec + `}`
		}
		p.put(state(`{"selectedSkill":"security-review","taskShape":"security"}`))
		p.passes()
		p.put(state(`{"selectedSkill":"builder","taskShape":"feature"}`))
		p.blocks("stale proof")
	})
	t.Run("review that led to a change", func(t *testing.T) {
		p := newProject(t)
		p.phase(Discovering, "security")
		p.write("a.py")
		p.add(Security, Pass, "no injection in 14 handlers")
		p.phase(Complete)
		p.blocks("security alone does not close that")
		p.add(Test, Pass, substantive)
		p.passes()
	})
	t.Run("a change that is called security later", func(t *testing.T) {
		p := newProject(t)
		p.write("a.py")
		p.phase(Executing, "security")
		p.add(Security, Pass, "no injection in 14 handlers")
		p.phase(Complete)
		p.blocks("stale proof")
	})
}

func TestNewestRecordOfTheVeryGenerationDecides(t *testing.T) {
	record := func(result, detail string, generation int) string {
		return fmt.Sprintf(`{"kind":"test","result":%q,"source":"x","detail":%q,"time":"2026-11-30T10:00:00Z","generation":%d}`, result, detail, generation)
	}
	for _, c := range []struct {
		name               string
		mutation, verified int
		phase              string
		records            []string
		want               string // in the block, "" = passes
	}{
		{"all hold", 2, 2, "complete", []string{record("pass", substantive, 2)}, ""},
		{"verified is behind", 2, 1, "complete", []string{record("pass", substantive, 1)}, "stale"},
		{"no record of it", 2, 2, "complete", []string{record("pass", substantive, 1)}, "stale"},
		{"it fails", 2, 2, "complete", []string{record("pass", substantive, 2), record("fail", "2 failed in api", 2)}, "failed"},
		{"a later pass stands", 2, 2, "complete", []string{record("fail", "2 failed in api", 2), record("pass", substantive, 2)}, ""},
		{"it says nothing", 2, 2, "complete", []string{record("pass", "ok", 2)}, "says nothing"},
		{"another phase", 2, 2, "verifying", []string{record("pass", substantive, 2)}, "phase verifying"},
		{"blocked", 2, 2, "blocked", []string{record("pass", substantive, 2)}, "phase blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			p.put(fmt.Sprintf(`{"schemaVersion":3,"phase":%q,"substantial":true,"mutationGeneration":%d,"verifiedGeneration":%d,"evidence":[%s]}`,
				c.phase, c.mutation, c.verified, strings.Join(c.records, ",")))
			if c.want == "" {
				p.passes()
				return
			}
			p.blocks(c.want)
		})
	}
}

func TestLedgerKeepsATurnOpen(t *testing.T) {
	p := newProject(t)
	for _, c := range []struct {
		ledger, want string
	}{
		{"- [ ] open", "1. open"},
		{"- [x] done", "marked done without evidence"},
		{"- [x] done evidence: ok", "marked done without evidence"},
		{"- [x] a evidence: 3 tests pass\n- [~] b later", ""},
		{"- [x] a\n      verified: 3 tests pass\n", ""},
		{"PAUSED the human reads\n- [ ] open", ""},
		{"PAUSED\n- [ ] open", "1. open"},
		{"```\n- [ ] an example\n```\n", ""},
		{"", ""},
	} {
		p.file(".guardrails/LEDGER.md", c.ledger)
		if c.want == "" {
			p.passes()
			continue
		}
		p.blocks(c.want)
	}
}

func TestCopiedStateIsInvalid(t *testing.T) {
	p := newProject(t)
	p.write("a.py")
	there := newProject(t)
	data, err := os.ReadFile(filepath.Join(p.root, Dir, StateName))
	if err != nil {
		t.Fatal(err)
	}
	there.put(string(data))
	there.blocks("invalid state", "another workspace", "evidence migrate")
	there.write("b.py") // does not count on it, and does not touch it
	if again, err := os.ReadFile(filepath.Join(there.root, Dir, StateName)); err != nil || string(again) != string(data) {
		t.Errorf("the copied state was changed (%v)", err)
	}
	m, err := there.store().Migrate(t.Context(), "")
	if err != nil || !m.Adopted {
		t.Fatalf("%+v, %v", m, err)
	}
	there.generations(2, -1)
}

func TestInvalidStateBlocksAndIsSetAsideByMigrate(t *testing.T) {
	p := newProject(t)
	p.put("{")
	p.blocks("invalid state", "/opt/guardrails evidence migrate")
	m, err := p.store().Migrate(t.Context(), "")
	if err != nil || m.Aside == "" {
		t.Fatalf("%+v, %v", m, err)
	}
	p.passes()
}

func TestUnreadableStateFailsOpen(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything; the script of this rule drops its rights")
	}
	p := newProject(t)
	p.write("a.py")
	if err := os.Chmod(filepath.Join(p.root, Dir, StateName), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := p.try(hook.Event{Name: hook.Stop}); err == nil || errors.Is(err, ErrInvalid) {
		t.Errorf("%v", err)
	}
}

func TestTreeThatChangesUnseenMakesProofStale(t *testing.T) {
	for _, kind := range []string{"git", "no git"} {
		t.Run(kind, func(t *testing.T) {
			p := newProject(t)
			p.file("a.py", "1")
			if kind == "git" {
				p.git("init", "-q")
				p.git("add", ".")
				p.git("commit", "-qm", "one")
			}
			p.write("a.py")
			p.run("pytest", green)
			p.passes()
			p.generations(1, 1)

			// Looking changes nothing; a command that may change files and did not, neither.
			p.run("git status && ls -la", ok)
			if p.state().MaybeDirty {
				t.Error("a look is maybe dirty")
			}
			p.run("make fmt", ok)
			if !p.state().MaybeDirty {
				t.Error("a command is not maybe dirty")
			}
			p.passes()
			p.generations(1, 1)
			if p.state().MaybeDirty {
				t.Error("the look at the tree was not kept")
			}
			if kind == "git" { // to commit changes no file
				p.git("add", ".")
				p.git("commit", "-qm", "two", "--allow-empty")
				p.run("git commit -m two", ok)
				p.passes()
			}
			p.file("a.py", "2")
			p.run("sed -i s/1/2/ a.py", ok)
			p.blocks("generation 2, verified is 1")
			p.generations(2, 1)
			p.run("pytest", green)
			p.passes()
			p.generations(2, 2)
		})
	}
}

func TestStopLooksAtTheTreeOnlyIfItCanMatter(t *testing.T) {
	p := newProject(t)
	p.git("init", "-q")
	p.file("a.py", "1")
	p.write("a.py")
	p.run("pytest", green)
	p.proc = nil
	p.passes() // nothing ran since
	p.run("make", ok)
	if _, err := p.try(hook.Event{Name: hook.Stop}); !errors.Is(err, gate.ErrHandOver) {
		t.Errorf("%v", err)
	}
	p.file(".guardrails/LEDGER.md", "PAUSED exploring\n")
	p.passes()
}

func TestFirstDigestIsABaseline(t *testing.T) {
	p := newProject(t)
	p.file("a.py", "1")
	p.run("make", ok)
	p.passes()
	p.generations(0, -1)
	p.file("a.py", "2")
	p.run("make", ok)
	p.blocks("stale proof")
	p.generations(1, -1)
}

func TestOwnFormattingKeepsProofFresh(t *testing.T) {
	p := newProject(t)
	p.file("a.py", "1")
	p.write("a.py")
	p.run("pytest", green)
	p.set.Own = func() []OwnRun { return []OwnRun{{Wrote: true}} }
	p.file("a.py", "1 ")
	p.passes()
	p.generations(1, 1)
	p.set.Own = nil
	p.run("make", ok)
	p.passes() // the formatted tree is the one that is known
}

func TestOwnGreenRunIsEvidence(t *testing.T) {
	p := newProject(t)
	p.file("a.py", "1")
	p.write("a.py")
	p.set.Own = func() []OwnRun {
		return []OwnRun{{Wrote: true}, {Kind: Test, Result: Pass, Source: "go test ./...", Detail: "quality gate: 31 passed"}}
	}
	p.passes()
	p.generations(1, 1)
	p.passes()
	if n := len(p.state().Evidence); n != 1 {
		t.Errorf("a run that is reused is %d records", n)
	}
	p.write("a.py")
	p.set.Own = func() []OwnRun {
		return []OwnRun{{Kind: Test, Result: Fail, Source: "quality gate", Detail: "tests failed at the end of the turn"}}
	}
	p.blocks("failed")
	if st := p.state(); st.FailureStreak != 0 {
		t.Errorf("streak %d: no command of the agent failed", st.FailureStreak)
	}
}

func TestOwnRunAtASubagentsEndIsEvidence(t *testing.T) {
	p := newProject(t)
	p.write("a.py")
	p.set.Own = func() []OwnRun {
		return []OwnRun{{Kind: Test, Result: Pass, Source: "quality gate", Detail: "31 tests passed in 4 packages"}}
	}
	if v := p.on(hook.Event{Name: hook.SubagentStop, AgentID: "a1"}); v.Decision != hook.Pass {
		t.Errorf("%s", v.Decision)
	}
	p.generations(1, 1)
	p.set.Own = nil
	p.passes()
}

func TestWorktreeHasAStateOfItsOwn(t *testing.T) {
	p := newProject(t)
	p.git("init", "-q")
	p.file("a.py", "1")
	p.git("add", ".")
	p.git("commit", "-qm", "one")
	main, tree := p.root, filepath.Join(p.home, "work", "tree")
	p.git("worktree", "add", "-q", tree, "-b", "topic")
	p.root = tree
	p.write("a.py")
	p.run("pytest", green)
	p.generations(1, 1)
	p.passes()
	p.file("a.py", "2")
	p.run("make", ok)
	p.blocks("generation 2")
	p.root = main
	p.generations(0, -1)
	p.passes()
}
