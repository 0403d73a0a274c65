package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/handoff"
	"github.com/ec261362/guardrails/core/handoff/pack"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// provider counts what gates ask of programs, and answers as gh does.
type provider struct {
	calls  atomic.Int32
	answer string
}

func (p *provider) Run(context.Context, gate.Command) (gate.Exit, error) {
	p.calls.Add(1)
	return gate.Exit{Stdout: []byte(p.answer)}, nil
}

func (p *provider) LookPath(name string) (string, error) {
	p.calls.Add(1)
	return name, nil
}

// handedOff is a machine in a project where the delivery pack is on.
type handedOff struct {
	Machine
	t    *testing.T
	root string
	n    int
}

func newHandedOff(t *testing.T, proc gate.Proc) *handedOff {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(home, "project")
	if err := os.MkdirAll(filepath.Join(root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, ".guardrails.yaml"), []byte("version: 1\nhandoffs: {packs: [delivery]}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return &handedOff{t: t, root: root, Machine: Machine{
		Home: home, StateHome: filepath.Join(home, ".guardrails"), Getenv: func(string) string { return "" }, Now: time.Now, Proc: proc,
		HTTP: func(context.Context, gate.Request) (gate.Response, error) {
			t.Error("a handoff went to the network")
			return gate.Response{}, os.ErrPermission
		},
	}}
}

func (h *handedOff) payload(event string, more map[string]any) []byte {
	p := map[string]any{"hook_event_name": event, "session_id": "s", "cwd": h.root}
	maps.Copy(p, more)
	raw, err := json.Marshal(p)
	if err != nil {
		h.t.Fatal(err)
	}
	return raw
}

func (h *handedOff) tell(event string, more map[string]any) Judgement {
	h.t.Helper()
	h.n++
	if _, ok := more["tool_name"]; ok {
		more["tool_use_id"] = fmt.Sprintf("toolu_%d", h.n)
	}
	return h.Judge(Decode(Request{Adapter: adapters.Lookup("claude"), Payload: h.payload(event, more)}))
}

func (h *handedOff) shell(command, out string) Judgement {
	h.t.Helper()
	return h.tell("PostToolUse", map[string]any{
		"tool_name": "Bash", "tool_input": map[string]string{"command": command}, "tool_response": map[string]string{"stdout": out, "stderr": ""},
	})
}

func (h *handedOff) run(id string) Judgement {
	h.t.Helper()
	return h.tell("PostToolUse", map[string]any{
		"tool_name": "mcp__x__execute-replay", "tool_input": map[string]string{"testCaseId": "t1"}, "tool_response": "**Run ID:** " + id + "\n**Status:** passed",
	})
}

func (h *handedOff) stop() Judgement {
	h.t.Helper()
	return h.tell("Stop", map[string]any{"stop_hook_active": false, "last_assistant_message": "Done."})
}

func (h *handedOff) view() session.View {
	h.t.Helper()
	v, err := (&session.Store{Dir: filepath.Join(h.StateHome, "sessions")}).View("claude", "s")
	if err != nil {
		h.t.Fatal(err)
	}
	return v
}

func TestAStopWithNothingOwedAsksNobodyAndWritesNothing(t *testing.T) {
	p := &provider{}
	h := newHandedOff(t, p)
	h.shell("ls", "a.go\n")
	h.tell("PostToolUse", map[string]any{"tool_name": "Read", "tool_input": map[string]string{"file_path": filepath.Join(h.root, "a.go")}, "tool_response": "x"})
	if j := h.stop(); j.Result.Verdict.Decision != hook.Pass || !j.Result.Verdict.Silent() {
		t.Errorf("%+v", j.Result.Verdict)
	}
	if n := p.calls.Load(); n != 0 {
		t.Errorf("%d programs were run", n)
	}
	if !h.view().New() {
		t.Error("a session in which nothing happened was written")
	}
}

func TestAReleasedWalkthroughAsksNobody(t *testing.T) {
	p := &provider{answer: `{"url":"https://github.com/o/r/pull/7","number":7,"state":"OPEN","body":"b","comments":[]}`}
	h := newHandedOff(t, p)
	h.run("r1")
	for i := range 3 {
		if j := h.stop(); j.Result.Verdict.Decision != hook.Block {
			t.Fatalf("stop %d: %+v", i+1, j.Result.Verdict)
		}
	}
	if j := h.stop(); j.Result.Verdict.Decision != hook.Pass || j.Result.Verdict.Notice == "" {
		t.Fatalf("the fourth stop does not release: %+v", j.Result.Verdict)
	}
	asked := p.calls.Load()
	for range 3 {
		if j := h.stop(); !j.Result.Verdict.Silent() {
			t.Errorf("%+v", j.Result.Verdict)
		}
	}
	if n := p.calls.Load(); n != asked {
		t.Errorf("%d programs were run after the release", n-asked)
	}
}

// What a look at the provider found out is kept, though nothing is owed then.
func TestAProviderIsAskedOnce(t *testing.T) {
	for _, tt := range []struct{ name, answer string }{
		{"found", `{"url":"https://github.com/o/r/pull/7","state":"OPEN","body":"guardrails-pr-section"}`},
		{"no answer", "<html>"},
		{"no pull request", `{"url":"https://github.com/o/r/pull/7","state":"MERGED","body":""}`},
	} {
		for _, opened := range []bool{false, true} {
			p := &provider{answer: tt.answer}
			h := newHandedOff(t, p)
			if opened {
				h.shell("gh pr create --fill", "https://github.com/o/r/pull/7\n")
				h.shell(`echo "GUARDRAILS_WATCH_SKIP: not here"`, "GUARDRAILS_WATCH_SKIP: not here\n")
				if tt.name == "no pull request" {
					continue // it carries none, and is ours
				}
			}
			h.run("r1")
			h.stop()
			asked := p.calls.Load()
			if h.stop(); asked == 0 || p.calls.Load() != asked {
				t.Errorf("%s, opened %v: asked %d times, then %d", tt.name, opened, asked, p.calls.Load())
			}
		}
	}
}

func TestASlotMeetsTheWatch(t *testing.T) {
	h := newHandedOff(t, &provider{})
	h.shell("gh pr create --fill", "https://github.com/o/r/pull/7\n")
	if h.stop().Result.Verdict.Decision != hook.Block {
		t.Fatal("no block")
	}
	slot := filepath.Join(h.StateHome, "slots", "x")
	if err := os.MkdirAll(slot, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(slot, "prs.json"), []byte(`[{"url":"https://github.com/o/r/pull/7"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	h.stop()
	if o, _ := h.view().Obligation("handoff/watch"); o.Owing() || o.Blocks != 0 {
		t.Errorf("%+v", o)
	}
}

func TestOnlyAnOwedWalkthroughHandsOver(t *testing.T) {
	h := newHandedOff(t, nil)
	for _, j := range []Judgement{h.shell("ls", ""), h.shell("go test ./...", "ok  \tx\t0.1s\n"), h.stop(), h.shell("gh pr view 7", "x")} {
		if j.Result.HandOver {
			t.Errorf("%s handed over", j.Event.Name)
		}
	}
	h.run("r1")
	if j := h.stop(); !j.Result.HandOver {
		t.Error("a walkthrough that may be owed was not handed over")
	}
}

func TestAMarkerClearsTheCloseOutOnlyWhereNobodyCanBeAsked(t *testing.T) {
	for _, tt := range []struct {
		entrypoint string
		want       hook.Decision
	}{{"", hook.Block}, {"cli", hook.Block}, {"sdk-cli", hook.Pass}} {
		h := newHandedOff(t, &provider{})
		h.Getenv = func(name string) string {
			if name == "CLAUDE_CODE_ENTRYPOINT" {
				return tt.entrypoint
			}
			return ""
		}
		h.shell("gh pr close 7", "✓ Closed pull request o/r#7 (x)")
		h.shell(`echo "GUARDRAILS_TERMINAL_SKIP: nobody to ask"`, "GUARDRAILS_TERMINAL_SKIP: nobody to ask")
		if j := h.stop(); j.Result.Verdict.Decision != tt.want {
			t.Errorf("entry point %q: %+v", tt.entrypoint, j.Result.Verdict)
		}
	}
}

func TestStateThatCannotBeReadNeverBlocks(t *testing.T) {
	h := newHandedOff(t, &provider{})
	h.shell("pytest", "===== 3 passed in 0.12s =====")
	files, err := filepath.Glob(filepath.Join(h.StateHome, "sessions", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no state: %v, %v", files, err)
	}
	for _, f := range files {
		if err := os.WriteFile(f, []byte("{{{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if j := h.stop(); j.Result.Verdict.Decision == hook.Block || len(j.Lapses()) == 0 {
		t.Errorf("%+v, lapses %q", j.Result.Verdict, j.Lapses())
	}
}

func TestParallelRecordersLoseNothing(t *testing.T) {
	h := newHandedOff(t, &provider{})
	var wg sync.WaitGroup
	for i := range 60 {
		raw := h.payload("PostToolUse", map[string]any{
			"tool_name": "mcp__x__telemetry-event-emit", "tool_use_id": fmt.Sprintf("toolu_p%d", i), "tool_response": "ok",
			"tool_input": map[string]string{"eventType": "pre-execution-classification", "testCaseId": fmt.Sprintf("case-%d", i)},
		})
		wg.Go(func() { h.Judge(Decode(Request{Adapter: adapters.Lookup("claude"), Payload: raw})) })
	}
	wg.Wait()
	if n := h.view().Len("classified"); n != 60 {
		t.Errorf("%d of 60 classifications were kept", n)
	}
}

func TestBlocksNameTheInstalledProgram(t *testing.T) {
	h := newHandedOff(t, &provider{})
	h.shell("pytest", "===== 3 passed in 0.12s =====")
	want := filepath.Join(h.StateHome, "bin", "guardrails") + " explain handoff/e2e"
	if j := h.stop(); !strings.Contains(j.Result.Verdict.Reason, want) || j.Result.Verdict.Rule != "handoff/e2e" {
		t.Errorf("%+v", j.Result.Verdict)
	}
}

func TestTheFirstPacksRowsKeepTheBareIds(t *testing.T) {
	h := newHandedOff(t, &provider{})
	if err := os.WriteFile(filepath.Join(h.root, ".guardrails.yaml"), []byte("version: 1\nhandoffs: {packs: [muggle, delivery]}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h.shell("pytest", "===== 3 passed in 0.12s =====")
	r := h.stop().Result.Verdict.Reason
	if !strings.Contains(r, "MUGGLE_E2E_SKIP") || !strings.Contains(r, "GUARDRAILS_E2E_SKIP") {
		t.Errorf("%s", r)
	}
	for _, id := range []string{"handoff/e2e", "handoff/delivery/e2e"} {
		if o, ok := h.view().Obligation(id); !ok || o.Blocks != 1 {
			t.Errorf("%s: %+v", id, o)
		}
	}
}

func TestASlotIsToldOnceHoweverManyPacks(t *testing.T) {
	h := newHandedOff(t, &provider{})
	h.Handoffs = &handoff.Settings{Packs: []*pack.Pack{{Name: "mine"}, handoff.Shipped("delivery"), handoff.Shipped("muggle")}}
	for dir, n := range map[string]int{filepath.Join(h.StateHome, "slots"): 7, filepath.Join(h.Home, ".muggle-ai", "muggle-do", "sessions"): 8} {
		if err := os.MkdirAll(filepath.Join(dir, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "x", "prs.json"), fmt.Appendf(nil, `[{"url":"https://github.com/o/r/pull/%d","sessionId":"s"}]`, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	said := h.tell("SessionStart", map[string]any{"source": "resume"}).Result.Verdict.Context
	for _, pull := range []string{"pull/7", "pull/8"} {
		if strings.Count(said, pull) != 1 {
			t.Errorf("%s: %s", pull, said)
		}
	}
}

func TestAProjectsPackDoesNotSayWhatIsSweptOutsideIt(t *testing.T) {
	mine := &pack.Pack{Name: "mine", Slots: "~/work", SlotGC: true}
	inside := &pack.Pack{Name: "inside", Slots: ".slots", SlotGC: true}
	for _, project := range []bool{true, false} {
		got := sweepable([]*pack.Pack{mine, inside, handoff.Shipped("delivery")}, project)
		if got[0].SlotGC == project || !got[1].SlotGC || !got[2].SlotGC {
			t.Errorf("project %v: %v %v %v", project, got[0].SlotGC, got[1].SlotGC, got[2].SlotGC)
		}
	}
	if !mine.SlotGC {
		t.Error("the pack itself was changed")
	}
}

func TestAThreadOfAnotherSessionNeverBlocksThisOne(t *testing.T) {
	h := newHandedOff(t, &provider{})
	fetch := map[string]any{
		"tool_name": "Bash", "tool_input": map[string]string{"command": "gh api graphql -f query='{reviewThreads}'"},
		"tool_response": map[string]string{"stdout": `{"data":{"repository":{"pullRequest":{"url":"https://github.com/o/r/pull/7","number":7,"reviewThreads":{"nodes":[` +
			`{"id":"T1","isResolved":false,"comments":{"nodes":[{"databaseId":11,"body":"why?"}]}}]}}}}}`, "stderr": ""},
	}
	h.tell("PostToolUse", fetch)
	other := h.payload("Stop", map[string]any{"session_id": "z", "last_assistant_message": "Done."})
	if j := h.Judge(Decode(Request{Adapter: adapters.Lookup("claude"), Payload: other})); j.Result.Verdict.Decision != hook.Pass {
		t.Errorf("the other session: %+v", j.Result.Verdict)
	}
	if j := h.stop(); j.Result.Verdict.Decision != hook.Block || j.Result.Verdict.Rule != "handoff/replies" {
		t.Errorf("the session that took it on: %+v", j.Result.Verdict)
	}
	// A dry run takes nothing on.
	dry := newHandedOff(t, &provider{})
	dry.DryRun = true
	dry.tell("PostToolUse", fetch)
	if _, err := os.Stat(filepath.Join(dry.StateHome, "ledger")); err == nil {
		t.Error("a dry run wrote a ledger")
	}
}

func TestAWatchThatSpeaksInTheBackgroundIsHeard(t *testing.T) {
	h := newHandedOff(t, &provider{})
	h.tell("UserPromptSubmit", map[string]any{"prompt": "<task-notification>\n<task-id>b1</task-id>\n<event>TERMINAL pr=7: MERGED</event>\n</task-notification>"})
	if j := h.stop(); j.Result.Verdict.Decision != hook.Block || j.Result.Verdict.Rule != "handoff/terminal" {
		t.Errorf("%+v", j.Result.Verdict)
	}
	h = newHandedOff(t, &provider{})
	h.tell("UserPromptSubmit", map[string]any{"prompt": "what does TERMINAL pr=7: MERGED mean?"})
	if j := h.stop(); j.Result.Verdict.Decision != hook.Pass {
		t.Errorf("a question about it: %+v", j.Result.Verdict)
	}
}
