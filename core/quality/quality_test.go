package quality

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/core/engine"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
	"github.com/ec261362/guardrails/core/touch"
)

// worker is a Worker that answers what it is told and counts.
type worker struct {
	report  Report
	edit    EditReport
	profile Profile
	gates   []Request
	edits   [][]Edit
	written []string // by commands
	spans   []Span
	panics  bool
	hangs   bool
}

func (w *worker) Edit(_ context.Context, _ Project, e []Edit) EditReport {
	w.edits = append(w.edits, e)
	return w.edit
}

func (w *worker) Gate(ctx context.Context, _ Project, r Request) *Report {
	w.gates = append(w.gates, r)
	if w.panics {
		panic("boom")
	}
	if w.hangs {
		<-ctx.Done()
		return &Report{Why: "test of a: it did not finish in time", TooLong: true}
	}
	rep := w.report
	return &rep
}

func (w *worker) Head(context.Context, Project) string { return w.profile.Head }

func (w *worker) Profile(context.Context, Project) Profile { return w.profile }

func (w *worker) Written(_ context.Context, _ Project, s Span) []string {
	w.spans = append(w.spans, s)
	return w.written
}

func red(tests ...string) Report {
	r := Report{Outcome: Failed, Tree: "t1", Packages: []string{"a"}}
	for _, name := range tests {
		r.Findings = append(r.Findings, Finding{Package: "a", Step: Test, Tool: "go test", File: "a/a_test.go", Line: 7, Test: name, Message: "want 3"})
	}
	return r
}

// rig drives the gates as a host would.
type rig struct {
	t     *testing.T
	now   time.Time
	root  string
	w     *worker
	s     Settings
	store *session.Store
	n     int
	small bool // the process without programs
	last  engine.Result
	limit time.Duration
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), root: t.TempDir(), w: &worker{}}
	r.s = Settings{
		On: true, Worker: r.w, Project: Project{Root: r.root, Cache: filepath.Join(t.TempDir(), "cache"), OnEdit: []Step{Format, Lint}, OnStop: []Step{Test}},
		Subagents: []string{"test-writer"}, Lessons: true, Record: true, Guardrails: "/h/.guardrails/bin/guardrails",
		Redact: func(s string) (string, bool) {
			return strings.ReplaceAll(s, "hunter2", "[redacted]"), !strings.Contains(s, "jailbreak")
		},
	}
	r.store = &session.Store{Dir: filepath.Join(t.TempDir(), "sessions"), Now: func() time.Time { return r.now }}
	return r
}

func (r *rig) send(ev hook.Event) hook.Verdict {
	r.t.Helper()
	r.now = r.now.Add(time.Second)
	r.n++
	ev.Host, ev.Root, ev.Cwd = "claude", r.root, r.root
	if ev.SessionID == "" {
		ev.SessionID = "s"
	}
	ev.Raw = json.RawMessage(fmt.Sprintf(`{"n":%d}`, r.n))
	all := map[hook.EventName]int{}
	for _, n := range []hook.EventName{hook.SessionStart, hook.UserPromptSubmit, hook.PostToolUse, hook.Stop, hook.SubagentStop, hook.SessionEnd} {
		all[n] = 9000
	}
	env := gate.Env{Now: func() time.Time { return r.now }, Proc: none{}, HTTP: func(context.Context, gate.Request) (gate.Response, error) { return gate.Response{}, errors.New("none") }}
	s := r.s
	if r.small {
		env.Proc, env.HTTP, s.Worker = nil, nil, nil
	}
	e := engine.Engine{
		Gates: append([]*gate.Gate{touch.New()}, New(s)...), Store: r.store, Env: env, Started: time.Now(),
		Caps: hook.Capabilities{Context: all, Notice: all, Stop: []hook.EventName{hook.Stop}},
	}
	limit := r.limit
	if limit == 0 {
		limit = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r.last = e.Judge(ctx, &ev)
	return r.last.Verdict
}

type none struct{}

func (none) Run(context.Context, gate.Command) (gate.Exit, error) {
	return gate.Exit{}, os.ErrNotExist
}
func (none) LookPath(string) (string, error) { return "", os.ErrNotExist }

func (r *rig) edited(name, agent string) hook.Verdict {
	r.t.Helper()
	input, _ := json.Marshal(map[string]string{"file_path": filepath.Join(r.root, name), "content": "x"})
	return r.send(hook.Event{Name: hook.PostToolUse, AgentID: agent, Tool: &hook.Tool{ID: fmt.Sprint("t", r.n), Name: "Write", Kind: hook.Write, Input: input}})
}

func (r *rig) stop() hook.Verdict { r.t.Helper(); return r.send(hook.Event{Name: hook.Stop}) }

func (r *rig) prompt(text string) hook.Verdict {
	r.t.Helper()
	return r.send(hook.Event{Name: hook.UserPromptSubmit, Prompt: text})
}

func TestNothingTouchedIsSilentAndRunsNothing(t *testing.T) {
	r := newRig(t)
	r.small = true
	r.prompt("go on")
	if v := r.stop(); v.Decision != hook.Pass || v.Notice != "" || r.last.HandOver || len(r.w.gates) != 0 {
		t.Fatalf("%+v, handed over: %v", v, r.last.HandOver)
	}
	// The same with one touched file is not.
	r.small = false
	r.edited("a.go", "")
	r.small = true
	if r.stop(); !r.last.HandOver {
		t.Fatal("a touched file did not hand over")
	}
}

func TestThreeAttemptsThenTheHumanIsHandedTheReport(t *testing.T) {
	r := newRig(t)
	r.w.report = red("TestAdd")
	r.prompt("go on")
	r.edited("a.go", "")
	for n := 1; n <= 3; n++ {
		v := r.stop()
		if v.Decision != hook.Block || !strings.HasPrefix(v.Reason, fmt.Sprintf("attempt %d of 3: quality gate failed: test (TestAdd)", n)) ||
			!strings.Contains(v.Reason, "a/a_test.go:7: TestAdd: want 3") || !strings.Contains(v.Reason, "/h/.guardrails/bin/guardrails gate run --changed") {
			t.Fatalf("%d: %+v", n, v)
		}
	}
	v := r.stop()
	if v.Decision != hook.Pass || !strings.Contains(v.Notice, "released to you after 3 blocks") || !strings.Contains(v.Notice, "a/a_test.go:7: TestAdd: want 3") {
		t.Fatalf("%+v", v)
	}
	ran := len(r.w.gates)
	if v := r.stop(); v.Decision != hook.Pass || v.Notice != "" || len(r.w.gates) != ran {
		t.Fatalf("after the release: %+v", v)
	}
	// An edit alone does not bring it back, nor does a prompt alone.
	r.edited("a.go", "")
	if v := r.stop(); v.Decision != hook.Pass {
		t.Fatalf("in the same turn: %+v", v)
	}
	r.prompt("and now?")
	if v := r.stop(); v.Decision != hook.Pass {
		t.Fatalf("without an edit: %+v", v)
	}
	r.edited("a.go", "")
	if v := r.stop(); v.Decision != hook.Block || !strings.HasPrefix(v.Reason, "attempt 1 of 3") {
		t.Fatalf("after a prompt and an edit: %+v", v)
	}
}

func TestAPassResetsTheAttemptsAndIsSilentUntilTheNextEdit(t *testing.T) {
	r := newRig(t)
	r.prompt("go on")
	r.w.report = red("TestAdd")
	r.edited("a.go", "")
	r.stop()
	r.stop()
	r.w.report = Report{Outcome: Passed, Tree: "t2", Coverage: []PackageCoverage{{Package: "a", Covered: 8, Total: 10, Pct: 80}}}
	if v := r.stop(); v.Decision != hook.Pass {
		t.Fatalf("%+v", v)
	}
	ran := len(r.w.gates)
	r.small = true
	if r.stop(); r.last.HandOver || len(r.w.gates) != ran {
		t.Error("it ran again though nothing was touched since")
	}
	r.small = false
	r.w.report = red("TestAdd")
	r.edited("a.go", "")
	if v := r.stop(); !strings.HasPrefix(v.Reason, "attempt 1 of 3") {
		t.Errorf("%+v", v)
	}
}

func TestASubagentIsHeldForItsOwnFilesAndCountsByItself(t *testing.T) {
	r := newRig(t)
	r.prompt("go on")
	r.w.report = red("TestAdd")
	r.edited("main.go", "")
	r.edited("sub.go", "a1")
	end := func(id, kind string) hook.Verdict {
		return r.send(hook.Event{Name: hook.SubagentStop, AgentID: id, AgentType: kind})
	}
	for _, kind := range []string{"", "explore"} {
		if v := end("a1", kind); v.Decision != hook.Pass {
			t.Errorf("type %q: %+v", kind, v)
		}
	}
	if v := end("a2", "test-writer"); v.Decision != hook.Pass || len(r.w.gates) != 0 {
		t.Errorf("one that touched nothing: %+v", v)
	}
	for n := 1; n <= 3; n++ {
		if v := end("a1", "test-writer"); !strings.HasPrefix(v.Reason, fmt.Sprintf("attempt %d of 3", n)) {
			t.Fatalf("%d: %+v", n, v)
		}
	}
	if got := r.w.gates[0].Touched; !slices.Equal(got, []string{"sub.go"}) {
		t.Errorf("judged %q", got)
	}
	if v := end("a1", "test-writer"); v.Decision != hook.Pass || v.Notice == "" {
		t.Errorf("its fourth: %+v", v)
	}
	if v := r.stop(); !strings.HasPrefix(v.Reason, "attempt 1 of 3") {
		t.Errorf("the session's own: %+v", v)
	}
	if got := r.w.gates[len(r.w.gates)-1].Touched; !slices.Equal(got, []string{"main.go", "sub.go"}) {
		t.Errorf("judged %q", got)
	}
}

func TestWarnTellsTheHumanOnceATreeAndNeverBlocks(t *testing.T) {
	r := newRig(t)
	r.s.Warn = true
	r.prompt("go on")
	r.w.report = red("TestAdd")
	r.w.edit = EditReport{Findings: []Finding{{Step: Lint, File: "a.go", Line: 2, Message: "undefined: x"}}}
	if v := r.edited("a.go", ""); v.Decision != hook.Pass || !strings.Contains(v.Notice, "a.go:2") {
		t.Errorf("edit: %+v", v)
	}
	if v := r.stop(); v.Decision != hook.Pass || !strings.Contains(v.Notice, "TestAdd") {
		t.Errorf("stop: %+v", v)
	}
	if v := r.stop(); v.Decision != hook.Pass || v.Notice != "" {
		t.Errorf("again: %+v", v)
	}
	view, _ := r.store.View("claude", "s")
	if o, _ := view.Obligation(RuleStop); o.Blocks != 0 || o.Owing() {
		t.Errorf("counted: %+v", o)
	}
}

func TestWhatBreaksOrRunsOutOfTimeIsNotProven(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*rig)
		want string
	}{
		{"panic", func(r *rig) { r.w.panics = true }, "boom"},
		{"deadline", func(r *rig) { r.w.hangs, r.limit = true, 300*time.Millisecond }, "did not finish in time"},
		{"empty report", func(r *rig) {}, "not proven"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.prompt("go on")
			r.edited("a.go", "")
			c.set(r)
			v := r.stop()
			if v.Decision != hook.Block || v.Rule != RuleStop || !strings.HasPrefix(v.Reason, "attempt 1 of 3") || !strings.Contains(v.Reason, c.want) || !strings.Contains(v.Reason, "gate run --changed") {
				t.Fatalf("%+v", v)
			}
		})
	}
}

func TestARunningSubagentDefersAndNothingIsRunForIt(t *testing.T) {
	r := newRig(t)
	r.prompt("go on")
	r.edited("a.go", "")
	r.w.report = red("TestAdd")
	busy := hook.Event{Name: hook.Stop, Background: []hook.Background{{ID: "b", Kind: hook.BackgroundSubagent}}}
	for range 3 {
		if v := r.send(busy); v.Decision != hook.Pass || len(r.w.gates) != 0 {
			t.Fatalf("%+v, %d runs", v, len(r.w.gates))
		}
	}
	if v := r.send(busy); v.Decision != hook.Block || !strings.Contains(v.Reason, "TestAdd") {
		t.Fatalf("the fourth: %+v", v)
	}
}

func TestAFreshGateOnStartupAndClearOnly(t *testing.T) {
	for source, fresh := range map[string]bool{"startup": true, "clear": true, "resume": false, "compact": false, "fork": false} {
		r := newRig(t)
		r.w.profile = Profile{Head: "c0", Baseline: map[string]Count{"a": {8, 10}}, Dirty: []string{"x.go"}}
		r.send(hook.Event{Name: hook.SessionStart, Source: "startup"})
		r.prompt("go on")
		r.w.report = red("TestAdd")
		r.edited("a.go", "")
		r.stop()
		r.w.profile.Head = "c1"
		r.send(hook.Event{Name: hook.SessionStart, Source: source})
		view, _ := r.store.View("claude", "s")
		base, _ := view.Fact(factBase)
		if got := view.Len(session.Touched) == 0; got != fresh {
			t.Errorf("%s: touched %q", source, view.Touched())
		}
		if got := base == "c1"; got != fresh {
			t.Errorf("%s: base %q", source, base)
		}
		v := r.stop()
		if fresh && v.Decision != hook.Pass || !fresh && !strings.HasPrefix(v.Reason, "attempt 2 of 3") {
			t.Errorf("%s: %+v", source, v)
		}
		if got := snapshot(view)["a"]; got != (Count{8, 10}) {
			t.Errorf("%s: snapshot %+v", source, got)
		}
		if !fresh {
			if q := r.w.gates[len(r.w.gates)-1]; q.Base != "c0" || !slices.Equal(q.Dirty, []string{"x.go"}) || q.Baseline["a"] != (Count{8, 10}) {
				t.Errorf("%s: request %+v", source, q)
			}
		}
	}
}

func TestTheAgentIsToldWhenAFormatterChangedItsFile(t *testing.T) {
	r := newRig(t)
	r.w.edit = EditReport{Formatted: []Formatted{{"a.go", "gofmt"}}}
	if v := r.edited("a.go", ""); v.Decision != hook.Advise || !strings.Contains(v.Context, "a.go (gofmt)") {
		t.Errorf("%+v", v)
	}
	r.w.edit.Findings = []Finding{{Step: Lint, File: "a.go", Line: 2, Message: "cannot use x"}}
	if v := r.edited("a.go", ""); v.Decision != hook.Block || v.Rule != RuleEdit || !strings.Contains(v.Reason, "a.go:2: cannot use x") || !strings.Contains(v.Context, "gofmt") {
		t.Errorf("%+v", v)
	}
}

func TestKnownFailuresAndFlakesAreSaidAndMissingToolsOnce(t *testing.T) {
	r := newRig(t)
	r.prompt("go on")
	r.w.report = Report{Outcome: Passed, Tree: "t", Flaky: []string{"TestB"}, Known: red("TestOld").Findings, Missing: []Missing{{"ruff", Lint, "python"}}}
	r.edited("a.go", "")
	v := r.stop()
	for _, want := range []string{"TestOld", "flaky", "TestB", "ruff"} {
		if !strings.Contains(v.Notice, want) {
			t.Errorf("%q is not in %q", want, v.Notice)
		}
	}
	r.w.report.Flaky = nil
	r.edited("a.go", "")
	if v := r.stop(); v.Notice != "" {
		t.Errorf("said twice: %q", v.Notice)
	}
}

func TestEditsOutsideOfTheProjectAreNotLookedAt(t *testing.T) {
	r := newRig(t)
	other := filepath.Join(t.TempDir(), "x.go")
	input, _ := json.Marshal(map[string]string{"file_path": other, "content": "x"})
	r.send(hook.Event{Name: hook.PostToolUse, Tool: &hook.Tool{ID: "o", Name: "Write", Kind: hook.Write, Input: input}})
	if len(r.w.edits) != 0 {
		t.Errorf("%+v", r.w.edits)
	}
}

func TestASessionsEndIsOneLine(t *testing.T) {
	r := newRig(t)
	r.small = true
	r.prompt("go on")
	r.s.Usage = func(context.Context, string, string, time.Time) Usage {
		return Usage{Digest: "d", Calls: 3, P50: 1, P95: 2, Gates: map[string]Counts{"quality": {"block": 2}}}
	}
	r.send(hook.Event{Name: hook.SessionEnd, Source: "other"})
	if r.last.HandOver {
		t.Fatal("it handed over")
	}
	data, err := os.ReadFile(RunsFile(r.s.Project.Cache))
	if err != nil || strings.Count(string(data), "\n") != 1 {
		t.Fatalf("%v %q", err, data)
	}
	runs, err := ReadRuns(r.s.Project.Cache, time.Time{})
	if err != nil || runs.Sessions != 1 || runs.Blocks != 2 || runs.P95 != 2 {
		t.Errorf("%+v %v", runs, err)
	}
	if st, _ := os.Stat(RunsFile(r.s.Project.Cache)); st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
}

func TestARecordThatCannotBeWrittenChangesNothing(t *testing.T) {
	r := newRig(t)
	if err := os.WriteFile(r.s.Project.Cache, nil, 0o600); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	r.prompt("no, use the logger")
	if v := r.send(hook.Event{Name: hook.SessionEnd}); v.Decision != hook.Pass {
		t.Errorf("%+v", v)
	}
	if len(r.last.Lapses) == 0 {
		t.Error("no lapse")
	}
}

func TestStandardsComeFromTheProjectOnly(t *testing.T) {
	r := newRig(t)
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(r.root, "docs", "style.md"), "Tabs, not blanks.")
	secret := filepath.Join(t.TempDir(), "secret")
	write(secret, "not yours")
	if err := os.Symlink(secret, filepath.Join(r.root, "link.md")); err != nil {
		t.Skip(err)
	}
	rel, _ := filepath.Rel(r.root, secret)
	r.s.Standards = []string{"docs/style.md", "Use the logger.", "link.md", rel, secret, "docs/gone.md", strings.Repeat("long ", 2000)}
	p := &gate.Pass{Event: &hook.Event{Root: r.root}, Env: gate.Env{FS: files{}}}
	got := r.s.standards(p)
	for _, want := range []string{"Tabs, not blanks.", "Use the logger."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if strings.Contains(got, "not yours") || len(got) > maxStandards+200 {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

type files struct{ gate.FS }

func (files) ReadFile(name string, _ int64) ([]byte, error) { return os.ReadFile(name) }

func TestWhatTheHumanSwitchedOffIsNotRun(t *testing.T) {
	r := newRig(t)
	r.prompt("go on")
	r.w.report = red("TestAdd")
	r.s.Off = func(gate, rule string) bool { return gate == "quality" || rule == RuleEdit }
	r.edited("a.go", "")
	if v := r.stop(); v.Decision != hook.Pass || len(r.w.gates)+len(r.w.edits) != 0 {
		t.Errorf("%+v, %d and %d runs", v, len(r.w.gates), len(r.w.edits))
	}
	r.s.Off = nil
	if v := r.stop(); v.Decision != hook.Block {
		t.Errorf("on again: %+v", v)
	}
}

func TestASessionWhoseStartWasNotToldBeginsWithItsFirstEdit(t *testing.T) {
	r := newRig(t)
	r.w.profile.Head = "c0"
	r.edited("a.go", "")
	r.w.profile.Head = "c1" // the agent has committed
	r.edited("b.go", "")
	r.w.report = red("TestAdd")
	r.stop()
	if got := r.w.gates[0].Base; got != "c0" {
		t.Errorf("base %q", got)
	}
}

func TestAUsualToolThatIsMissingIsSaidOnceForARepository(t *testing.T) {
	r := newRig(t)
	r.w.profile = Profile{Head: "c1", Usual: []Usual{{"golangci-lint", "go vet is used"}}}
	v := r.send(hook.Event{Name: hook.SessionStart, Source: "startup"})
	if !strings.Contains(v.Notice, "golangci-lint missing: go vet is used") {
		t.Fatalf("%+v", v)
	}
	if v := r.send(hook.Event{Name: hook.SessionStart, Source: "startup", SessionID: "another"}); v.Notice != "" {
		t.Fatalf("%+v", v)
	}
	r.w.profile.Usual = append(r.w.profile.Usual, Usual{"ruff", "only the syntax is checked"})
	if v := r.send(hook.Event{Name: hook.SessionStart, Source: "clear"}); strings.Contains(v.Notice, "golangci") || !strings.Contains(v.Notice, "ruff missing") {
		t.Fatalf("%+v", v)
	}
	r.s.Project.Cache = filepath.Join(r.root, "none", "\x00")
	if v := r.send(hook.Event{Name: hook.SessionStart, Source: "clear"}); v.Notice != "" {
		t.Fatalf("what cannot be kept is said each time: %+v", v)
	}
}

func TestACheckerThatCannotRunIsSaidOnceASession(t *testing.T) {
	r := newRig(t)
	r.w.report = Report{Outcome: Passed, Tree: "t", Broken: []Broken{{Tool: "eslint", Step: Lint, For: "web", Why: "eslint could not run: no plugin"}}}
	r.prompt("go on")
	r.edited("a.js", "")
	if v := r.stop(); v.Decision != hook.Pass || !strings.Contains(v.Notice, "lint of web was not checked, and does not block: eslint could not run: no plugin") {
		t.Fatalf("%+v", v)
	}
	r.edited("a.js", "")
	if v := r.stop(); v.Notice != "" {
		t.Fatalf("%+v", v)
	}
}
