package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

func newStore(t *testing.T) *session.Store {
	return &session.Store{Dir: filepath.Join(t.TempDir(), "sessions"), Now: time.Now}
}

// caps lets a prompt carry everything and a Stop nothing but its block.
func caps() hook.Capabilities {
	return hook.Capabilities{
		Context: map[hook.EventName]int{hook.UserPromptSubmit: 9000, hook.PostToolUse: 9000},
		Notice:  map[hook.EventName]int{hook.UserPromptSubmit: 2000, hook.Stop: 2000},
	}
}

func owes(reason *string) *gate.Gate {
	return &gate.Gate{
		ID: "tests", On: []hook.EventName{hook.Stop}, Strength: gate.Enforce, Budget: 3, State: true,
		Run: func(context.Context, *gate.Pass) (hook.Verdict, error) {
			if *reason == "" {
				return hook.Verdict{}, nil
			}
			return hook.Verdict{Decision: hook.Block, Rule: "tests/green", Reason: *reason}, nil
		},
	}
}

// stop judges one Stop in a process of its own.
func stop(e Engine, n int) Result {
	e.Started = time.Now()
	ev := event(hook.Stop, hook.Other)
	ev.Raw = fmt.Appendf(nil, `{"n":%d}`, n)
	return e.Judge(context.Background(), ev)
}

func TestStopReleasesAfterThreeBlocks(t *testing.T) {
	reason := "3 tests fail:\nTestA\nTestB"
	e := Engine{Gates: []*gate.Gate{owes(&reason)}, Caps: caps(), Store: newStore(t)}
	var got []string
	for n := range 6 {
		v := stop(e, n).Verdict
		got = append(got, v.Decision.String()+": "+v.Reason+v.Notice)
	}
	want := []string{
		"block: " + reason,
		"block: still open: 3 tests fail:",
		"block: still open: 3 tests fail:",
		"pass: guardrails: tests/green was released to you after 3 blocks; it is still open: 3 tests fail:",
		"pass: ",
		"pass: ",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
}

func TestStopTellsANewFindingInFull(t *testing.T) {
	reason := "first\ndetail"
	e := Engine{Gates: []*gate.Gate{owes(&reason)}, Caps: caps(), Store: newStore(t)}
	stop(e, 0)
	reason = "second\ndetail"
	if v := stop(e, 1).Verdict; v.Reason != "second\ndetail" {
		t.Fatalf("%+v", v)
	}
}

func TestStopIsNeverBlockedByStateThatCannotBeRead(t *testing.T) {
	reason := "owed"
	s := newStore(t)
	e := Engine{Gates: []*gate.Gate{owes(&reason)}, Caps: caps(), Store: s}
	stop(e, 0)
	files, err := filepath.Glob(filepath.Join(s.Dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := os.WriteFile(files[0], []byte("{{{"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := stop(e, 1)
	if got.Verdict.Decision != hook.Pass || len(got.Lapses) == 0 {
		t.Fatalf("%+v", got)
	}
	if !strings.Contains(got.Verdict.Notice, "damaged") {
		t.Errorf("the human is not told: %+v", got.Verdict)
	}
	// The file is set aside, so the next Stop is judged again; it tells nothing twice.
	if got = stop(e, 2); got.Verdict.Decision != hook.Block || got.Verdict.Notice != "" {
		t.Errorf("afterwards: %+v", got.Verdict)
	}
	if aside, _ := filepath.Glob(filepath.Join(s.Dir, "*.corrupt-*")); len(aside) != 1 {
		t.Errorf("set aside: %v", aside)
	}
}

func TestDamagedStateIsToldWhereTheHostCanShowIt(t *testing.T) {
	record := &gate.Gate{
		ID: "r", On: []hook.EventName{hook.PostToolUse}, State: true,
		Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
			p.Record(session.Add("seen", "x"))
			return hook.Verdict{}, nil
		},
	}
	s := newStore(t)
	e := Engine{Gates: []*gate.Gate{record}, Caps: caps(), Store: s}
	edit := func() hook.Verdict {
		e.Started = time.Now()
		ev := event(hook.PostToolUse, hook.Edit)
		return e.Judge(context.Background(), ev).Verdict
	}
	edit()
	files, err := filepath.Glob(filepath.Join(s.Dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := os.WriteFile(files[0], []byte(`{"a":1}{"a":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if v := edit(); v.Notice != "" { // no channel after a tool
		t.Errorf("%+v", v)
	}
	e.Started = time.Now()
	if v := e.Judge(context.Background(), event(hook.UserPromptSubmit, hook.Other)).Verdict; !strings.Contains(v.Notice, "damaged") {
		t.Errorf("it was not kept for the next prompt: %+v", v)
	}
}

// failing fails before or after the change was made.
type failing struct {
	*session.Store
	after bool
}

func (f failing) Update(_ context.Context, host, id string, fn func(*session.Tx) error) (session.View, error) {
	if f.after {
		if _, err := f.Preview(host, id, fn); err != nil {
			return session.View{}, err
		}
	}
	return session.View{}, errors.New("no lock, or a full disk")
}

func TestStopIsNeverBlockedWithoutRecordingIt(t *testing.T) {
	for _, after := range []bool{false, true} {
		reason := "owed"
		e := Engine{Gates: []*gate.Gate{owes(&reason)}, Caps: caps(), Store: failing{newStore(t), after}}
		if got := stop(e, 0); got.Verdict.Decision != hook.Pass || len(got.Lapses) != 1 {
			t.Fatalf("after %v: %+v", after, got)
		}
	}
}

func TestStopIsDeferredWhileASubagentRunsAtMostThreeTimes(t *testing.T) {
	reason := "owed"
	e := Engine{Gates: []*gate.Gate{owes(&reason)}, Caps: caps(), Store: newStore(t)}
	var got []hook.Decision
	for n := range 4 {
		e.Started = time.Now()
		ev := event(hook.Stop, hook.Other)
		ev.Raw = fmt.Appendf(nil, `{"n":%d}`, n)
		ev.Background = []hook.Background{{Kind: hook.BackgroundSubagent}}
		got = append(got, e.Judge(context.Background(), ev).Verdict.Decision)
	}
	if d := cmp.Diff([]hook.Decision{hook.Pass, hook.Pass, hook.Pass, hook.Block}, got); d != "" {
		t.Fatal(d)
	}
}

func TestStopIsDeferredForABackgroundCommandOnlyIfItIsWork(t *testing.T) {
	work := func(command string) bool { return command == "go test ./..." }
	for _, tt := range []struct {
		name string
		busy func(string) bool
		task hook.Background
		want hook.Decision
	}{
		{"a test run", work, hook.Background{Kind: hook.BackgroundCommand, Command: "go test ./..."}, hook.Pass},
		{"a server", work, hook.Background{Kind: hook.BackgroundCommand, Command: "npm run dev"}, hook.Block},
		{"a command that is not told", func(string) bool { return true }, hook.Background{Kind: hook.BackgroundCommand}, hook.Block},
		{"nobody knows", nil, hook.Background{Kind: hook.BackgroundCommand, Command: "go test ./..."}, hook.Block},
		{"of unknown kind", work, hook.Background{Command: "go test ./..."}, hook.Block},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reason := "owed"
			e := Engine{Gates: []*gate.Gate{owes(&reason)}, Caps: caps(), Store: newStore(t), Started: time.Now(), Busy: tt.busy}
			ev := event(hook.Stop, hook.Other)
			ev.Raw = []byte(`{"n":1}`)
			ev.Background = []hook.Background{tt.task}
			if got := e.Judge(context.Background(), ev).Verdict.Decision; got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// Two processes of one event, as when a hook is registered in two scopes.
func TestADoubleRegistrationCountsOnceAndGetsTheSameAnswer(t *testing.T) {
	reason := "owed"
	e := Engine{Gates: []*gate.Gate{owes(&reason)}, Caps: caps(), Store: newStore(t), Started: time.Now()}
	for range 2 {
		ev := event(hook.Stop, hook.Other)
		ev.Raw = []byte(`{"same":true}`)
		if v := e.Judge(context.Background(), ev).Verdict; v.Decision != hook.Block || v.Reason != "owed" {
			t.Fatalf("%+v", v)
		}
	}
	view, err := e.Store.View("test", "s")
	if err != nil {
		t.Fatal(err)
	}
	if o, _ := view.Obligation("tests/green"); o.Blocks != 1 {
		t.Fatalf("counted %d blocks, want 1", o.Blocks)
	}
}

func counts() *gate.Gate {
	return &gate.Gate{
		ID: "count", On: []hook.EventName{hook.PostToolUse}, State: true,
		Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
			p.Record(session.Count("calls", 1))
			return hook.Verdict{}, nil
		},
	}
}

func TestARecorderCountsOneToolCallOnce(t *testing.T) {
	e := Engine{Gates: []*gate.Gate{counts()}, Store: newStore(t)}
	for _, id := range []string{"a", "a", "b"} {
		ev := event(hook.PostToolUse, hook.Edit)
		ev.Tool.ID = id
		if got := e.Judge(context.Background(), ev); len(got.Lapses) > 0 {
			t.Fatal(got.Lapses)
		}
	}
	view, err := e.Store.View("test", "s")
	if err != nil || view.Counter("calls") != 2 {
		t.Fatalf("counted %d (%v), want 2", view.Counter("calls"), err)
	}
}

func TestChangesOfAFailedGateAreDropped(t *testing.T) {
	g := counts()
	run := g.Run
	g.Run = func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
		if _, err := run(ctx, p); err != nil {
			return hook.Verdict{}, err
		}
		panic("after recording")
	}
	e := Engine{Gates: []*gate.Gate{g}, Store: newStore(t)}
	e.Judge(context.Background(), event(hook.PostToolUse, hook.Edit))
	if view, _ := e.Store.View("test", "s"); view.Counter("calls") != 0 {
		t.Fatal("the change survived its gate")
	}
}

func TestADryRunWritesNothing(t *testing.T) {
	reason := "owed"
	s := newStore(t)
	e := Engine{Gates: []*gate.Gate{counts(), owes(&reason)}, Caps: caps(), Store: s, DryRun: true}
	e.Judge(context.Background(), event(hook.PostToolUse, hook.Edit))
	for range 5 {
		if v := stop(e, 0).Verdict; v.Decision != hook.Block {
			t.Fatalf("%+v", v)
		}
	}
	if _, err := os.Stat(s.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the dry run left %s behind (%v)", s.Dir, err)
	}
}

func TestTextsThatAnEventCannotCarryWaitForOneThatCan(t *testing.T) {
	g := &gate.Gate{
		ID: "advice", On: []hook.EventName{hook.Stop}, Strength: gate.Suggest,
		Run: func(context.Context, *gate.Pass) (hook.Verdict, error) {
			return hook.Verdict{Decision: hook.Advise, Context: "remember the changelog", Notice: "for the human"}, nil
		},
	}
	e := Engine{Gates: []*gate.Gate{g}, Caps: caps(), Store: newStore(t)}
	v := stop(e, 0).Verdict
	if v.Context != "" || v.Notice != "for the human" {
		t.Fatalf("at Stop: %+v", v)
	}
	ev := event(hook.UserPromptSubmit, hook.Other)
	ev.Prompt = "go on"
	if v := e.Judge(context.Background(), ev).Verdict; v.Context != "remember the changelog" || v.Decision != hook.Advise {
		t.Fatalf("at the prompt: %+v", v)
	}
	if v := e.Judge(context.Background(), ev).Verdict; v.Context != "" {
		t.Fatalf("told twice: %+v", v)
	}
}

func TestAFailureOfOursIsToldOnceASession(t *testing.T) {
	g := &gate.Gate{
		ID: "advice", On: []hook.EventName{hook.UserPromptSubmit},
		Run: func(context.Context, *gate.Pass) (hook.Verdict, error) { return hook.Verdict{}, errors.New("boom") },
	}
	e := Engine{Gates: []*gate.Gate{g}, Caps: caps(), Store: newStore(t)}
	told := 0
	for range 3 {
		if strings.Contains(e.Judge(context.Background(), event(hook.UserPromptSubmit, hook.Other)).Verdict.Notice, "boom") {
			told++
		}
	}
	if told != 1 {
		t.Fatalf("told %d times, want once", told)
	}
}

func TestAPromptThatArrivesTwiceIsRecordedOnce(t *testing.T) {
	g := counts()
	g.On = []hook.EventName{hook.UserPromptSubmit}
	e := Engine{Gates: []*gate.Gate{g}, Caps: caps(), Store: newStore(t), Started: time.Now()}
	ev := event(hook.UserPromptSubmit, hook.Other)
	ev.Prompt, ev.Raw = "go on", []byte(`{"prompt":"go on"}`)
	for range 2 {
		e.Judge(context.Background(), ev)
	}
	e.Started = time.Now().Add(time.Second) // a later call with the same words
	e.Judge(context.Background(), ev)
	view, err := e.Store.View("test", "s")
	if err != nil || view.Counter("calls") != 2 {
		t.Fatalf("counted %d (%v), want 2", view.Counter("calls"), err)
	}
}

func TestANoticeOfASubagentReachesTheHuman(t *testing.T) {
	g := &gate.Gate{
		ID: "advice", On: []hook.EventName{hook.SubagentStop}, Strength: gate.Suggest,
		Run: func(context.Context, *gate.Pass) (hook.Verdict, error) {
			return hook.Verdict{Notice: "for the human"}, nil
		},
	}
	e := Engine{Gates: []*gate.Gate{g}, Caps: caps(), Store: newStore(t)}
	ev := event(hook.SubagentStop, hook.Other)
	ev.AgentID = "a1"
	e.Judge(context.Background(), ev)
	if v := e.Judge(context.Background(), event(hook.UserPromptSubmit, hook.Other)).Verdict; v.Notice != "for the human" {
		t.Fatalf("%+v", v)
	}
}

func TestAReleaseIsCountedAndNamedForTheLog(t *testing.T) {
	reason := "3 tests fail"
	s := newStore(t)
	e := Engine{Gates: []*gate.Gate{owes(&reason)}, Caps: caps(), Store: s}
	var v hook.Verdict
	for n := range 4 {
		v = stop(e, n).Verdict
	}
	if v.Decision != hook.Pass || v.Gate != "tests" || v.Rule != "tests/green" {
		t.Errorf("%+v", v)
	}
	stop(e, 5)
	view, err := s.View("test", "s")
	if err != nil || view.Counter(Releases+"tests/green") != 1 {
		t.Errorf("counted %d, %v", view.Counter(Releases+"tests/green"), err)
	}
}

func TestAReportThatAHostDoesNotHearAfterAToolWaitsAsContext(t *testing.T) {
	report := &gate.Gate{ID: "lint", On: []hook.EventName{hook.PostToolUse}, Strength: gate.Enforce, Run: func(context.Context, *gate.Pass) (hook.Verdict, error) {
		return hook.Verdict{Decision: hook.Block, Rule: "lint/edit", Reason: "a.go:4: undefined: x"}, nil
	}}
	c := caps()
	c.Context = map[hook.EventName]int{hook.UserPromptSubmit: 9000}
	c.Decides = map[hook.EventName]hook.Decision{hook.PreToolUse: hook.Deny, hook.Stop: hook.Block}
	e := Engine{Gates: []*gate.Gate{report}, Caps: c, Store: newStore(t), Started: time.Now()}
	if v := e.Judge(context.Background(), event(hook.PostToolUse, hook.Write)).Verdict; v.Decision.Rank() > hook.Advise.Rank() || v.Context != "" {
		t.Errorf("%+v", v)
	}
	ev := event(hook.UserPromptSubmit, hook.Other)
	ev.Tool = nil
	if v := e.Judge(context.Background(), ev).Verdict; v.Context != "a.go:4: undefined: x" {
		t.Errorf("%+v", v)
	}
	// Where it is heard it is said at once.
	c.Decides[hook.PostToolUse] = hook.Block
	e = Engine{Gates: []*gate.Gate{report}, Caps: c, Store: newStore(t), Started: time.Now()}
	if v := e.Judge(context.Background(), event(hook.PostToolUse, hook.Write)).Verdict; v.Decision != hook.Block {
		t.Errorf("%+v", v)
	}
}
