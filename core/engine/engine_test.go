package engine

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

func event(name hook.EventName, kind hook.ToolKind) *hook.Event {
	e := &hook.Event{Name: name, Host: "test", SessionID: "s"}
	if name.BeforeTool() || name.AfterTool() {
		e.Tool = &hook.Tool{ID: "t1", Name: "Bash", Kind: kind, Input: json.RawMessage(`{"command":"ls"}`)}
	}
	return e
}

func says(id string, v hook.Verdict) *gate.Gate {
	return &gate.Gate{
		ID: id, On: []hook.EventName{hook.PreToolUse, hook.PostToolUse, hook.Stop}, Strength: gate.Enforce,
		Run: func(context.Context, *gate.Pass) (hook.Verdict, error) { return v, nil },
	}
}

func TestJudgeRunsGatesInOrderAndMerges(t *testing.T) {
	e := Engine{Gates: []*gate.Gate{
		says("one", hook.Verdict{Decision: hook.Ask, Rule: "a/b", Reason: "ask"}),
		says("two", hook.Verdict{Decision: hook.Deny, Rule: "c/d", Reason: "no"}),
		says("three", hook.Verdict{Decision: hook.Deny, Rule: "e/f", Reason: "never"}),
		{ID: "elsewhere", On: []hook.EventName{hook.SessionEnd}},
	}}
	got := e.Judge(context.Background(), event(hook.PreToolUse, hook.Shell))
	want := hook.Verdict{Decision: hook.Deny, Gate: "two", Rule: "c/d", Reason: "no\nnever"}
	if d := cmp.Diff(want, got.Verdict); d != "" {
		t.Error(d)
	}
	var outcomes []string
	for _, r := range got.Runs {
		outcomes = append(outcomes, r.Gate+" "+r.Outcome.String())
	}
	if d := cmp.Diff([]string{"one ran", "two ran", "three ran", "elsewhere not for it"}, outcomes); d != "" {
		t.Error(d)
	}
}

func TestFailureOfAClosedGateDeniesOnlyCallsThatCanDoHarm(t *testing.T) {
	broken := map[string]func(context.Context, *gate.Pass) (hook.Verdict, error){
		"panic":  func(context.Context, *gate.Pass) (hook.Verdict, error) { panic("boom") },
		"error":  func(context.Context, *gate.Pass) (hook.Verdict, error) { return hook.Verdict{}, errors.New("boom") },
		"expiry": func(ctx context.Context, _ *gate.Pass) (hook.Verdict, error) { select {} },
	}
	tests := []struct {
		name  string
		event *hook.Event
		want  hook.Decision
	}{
		{"shell", event(hook.PreToolUse, hook.Shell), hook.Deny},
		{"write", event(hook.PreToolUse, hook.Write), hook.Deny},
		{"edit", event(hook.PreToolUse, hook.Edit), hook.Deny},
		{"skill shell", event(hook.PreSkillShellCommand, hook.Shell), hook.Deny},
		{"read", event(hook.PreToolUse, hook.Read), hook.Pass},
		{"after", event(hook.PostToolUse, hook.Shell), hook.Pass},
		{"stop", event(hook.Stop, hook.Other), hook.Pass},
	}
	for how, run := range broken {
		for _, tt := range tests {
			t.Run(how+"/"+tt.name, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				if how == "expiry" {
					cancel()
				}
				defer cancel()
				e := Engine{Gates: []*gate.Gate{{
					ID: "policy", Strength: gate.Enforce, Posture: gate.FailClosed, Run: run,
					On: []hook.EventName{hook.PreToolUse, hook.PreSkillShellCommand, hook.PostToolUse, hook.Stop},
				}}}
				got := e.Judge(ctx, tt.event)
				if got.Verdict.Decision != tt.want {
					t.Fatalf("decision %v, want %v", got.Verdict.Decision, tt.want)
				}
				if tt.want == hook.Deny && (got.Verdict.Rule != RuleInternal || !strings.Contains(got.Verdict.Reason, "terminal")) {
					t.Errorf("the denial does not say how a human goes on: %+v", got.Verdict)
				}
				if len(got.Lapses) != 1 {
					t.Errorf("lapses %q, want one", got.Lapses)
				}
			})
		}
	}
}

func TestFailureOfAShutGateRefusesWhateverItWasToJudge(t *testing.T) {
	for _, tt := range []struct {
		event *hook.Event
		want  hook.Decision
	}{
		{event(hook.PreToolUse, hook.Fetch), hook.Deny},
		{event(hook.PreToolUse, hook.Shell), hook.Deny},
		{event(hook.PostToolUse, hook.MCP), hook.Block},
		{&hook.Event{Name: hook.UserPromptSubmit, Prompt: "x"}, hook.Block},
	} {
		e := Engine{Gates: []*gate.Gate{{
			ID: "g", Strength: gate.Enforce, Posture: gate.FailShut, On: []hook.EventName{tt.event.Name},
			Run: func(context.Context, *gate.Pass) (hook.Verdict, error) { panic("boom") },
		}}}
		if got := e.Judge(context.Background(), tt.event).Verdict; got.Decision != tt.want || got.Rule != RuleInternal {
			t.Errorf("%s: got %+v, want %v", tt.event.Name, got, tt.want)
		}
	}
}

func TestFailureOfAnOpenGatePassesWithALapse(t *testing.T) {
	e := Engine{Gates: []*gate.Gate{
		{ID: "advice", On: []hook.EventName{hook.PreToolUse}, Run: func(context.Context, *gate.Pass) (hook.Verdict, error) { panic("boom") }},
		says("next", hook.Verdict{Decision: hook.Ask, Reason: "ask"}),
	}}
	got := e.Judge(context.Background(), event(hook.PreToolUse, hook.Shell))
	if got.Verdict.Decision != hook.Ask || len(got.Lapses) != 1 || got.Runs[0].Outcome != Broke {
		t.Fatalf("%+v", got)
	}
}

func TestASkipIsNotAPassAndNotAFailure(t *testing.T) {
	e := Engine{Gates: []*gate.Gate{{
		ID: "g", On: []hook.EventName{hook.PreToolUse}, Posture: gate.FailClosed,
		Run: func(context.Context, *gate.Pass) (hook.Verdict, error) {
			return hook.Verdict{}, gate.Skip("file too large")
		},
	}}}
	got := e.Judge(context.Background(), event(hook.PreToolUse, hook.Shell))
	if r := got.Runs[0]; r.Outcome != Skipped || r.Why != "file too large" || len(got.Lapses) != 0 || !got.Verdict.Silent() {
		t.Fatalf("%+v", got)
	}
}

func TestLaterGatesJudgeTheRewrittenInput(t *testing.T) {
	var seen string
	e := Engine{Gates: []*gate.Gate{
		says("rewrite", hook.Verdict{Decision: hook.Rewrite, Input: json.RawMessage(`{"command":"rtk ls"}`)}),
		{ID: "look", On: []hook.EventName{hook.PreToolUse}, Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
			seen, _ = p.Event.Tool.Command()
			return hook.Verdict{}, nil
		}},
	}}
	ev := event(hook.PreToolUse, hook.Shell)
	e.Judge(context.Background(), ev)
	if seen != "rtk ls" {
		t.Errorf("the next gate saw %q", seen)
	}
	if cmd, _ := ev.Tool.Command(); cmd != "ls" {
		t.Errorf("the caller's event changed to %q", cmd)
	}
}

// denies refuses every call whose command holds word.
func denies(id, word string, d hook.Decision) *gate.Gate {
	g := says(id, hook.Verdict{})
	g.Run = func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
		p.Record(session.Count(id, 1))
		if cmd, _ := p.Event.Tool.Command(); strings.Contains(cmd, word) {
			return hook.Verdict{Decision: d, Rule: id + "/" + word, Reason: "no " + word}, nil
		}
		return hook.Verdict{}, nil
	}
	return g
}

func TestBothTheWrittenAndTheRewrittenFormAreJudged(t *testing.T) {
	rewrites := says("rewrite", hook.Verdict{Decision: hook.Rewrite, Input: json.RawMessage(`{"command":"proxy ls"}`)})
	tests := []struct {
		name  string
		gates []*gate.Gate
		want  hook.Decision
		rule  string
		runs  int
	}{
		{"neither is refused", []*gate.Gate{denies("policy", "rm", hook.Deny), rewrites}, hook.Rewrite, "", 3},
		{"the written form is", []*gate.Gate{denies("policy", "ls", hook.Deny), rewrites}, hook.Deny, "policy/ls", 2},
		{"the rewritten form is, by a gate before", []*gate.Gate{denies("policy", "proxy", hook.Deny), rewrites}, hook.Deny, "policy/proxy", 3},
		{"the rewritten form is, by a gate after", []*gate.Gate{rewrites, denies("policy", "proxy", hook.Deny)}, hook.Deny, "policy/proxy", 2},
		{"the rewritten form needs a yes", []*gate.Gate{denies("policy", "proxy", hook.Ask), rewrites}, hook.Ask, "policy/proxy", 3},
		{"the written form needs a yes", []*gate.Gate{denies("policy", "ls", hook.Ask), rewrites}, hook.Ask, "policy/ls", 2},
		{"a second rewrite changes nothing", []*gate.Gate{denies("policy", "other", hook.Deny), rewrites, says("late", hook.Verdict{Decision: hook.Rewrite, Input: json.RawMessage(`{"command":"other ls"}`)}), denies("after", "other", hook.Deny)}, hook.Rewrite, "", 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := (&Engine{Gates: tt.gates}).Judge(context.Background(), event(hook.PreToolUse, hook.Shell))
			if got.Verdict.Decision != tt.want || got.Verdict.Rule != tt.rule || len(got.Runs) != tt.runs {
				t.Errorf("got %s %s in %d runs, want %s %s in %d", got.Verdict.Decision, got.Verdict.Rule, len(got.Runs), tt.want, tt.rule, tt.runs)
			}
			if (got.Verdict.Decision == hook.Rewrite) != (got.Verdict.Input != nil) {
				t.Errorf("input %s with %s", got.Verdict.Input, got.Verdict.Decision)
			}
		})
	}
}

func TestASecondLookRecordsNothing(t *testing.T) {
	store := newStore(t)
	rewrites := says("rewrite", hook.Verdict{Decision: hook.Rewrite, Input: json.RawMessage(`{"command":"proxy ls"}`)})
	e := Engine{Gates: []*gate.Gate{denies("policy", "rm", hook.Deny), rewrites}, Store: store, Caps: caps()}
	e.Judge(context.Background(), event(hook.PreToolUse, hook.Shell))
	view, err := store.View("test", "s")
	if err != nil || view.Counter("policy") != 1 {
		t.Errorf("counted %d times, %v", view.Counter("policy"), err)
	}
}

func TestAGateMayNotDoMoreThanItsStrength(t *testing.T) {
	g := says("advice", hook.Verdict{Decision: hook.Deny, Reason: "no"})
	g.Strength = gate.Suggest
	got := (&Engine{Gates: []*gate.Gate{g}}).Judge(context.Background(), event(hook.PreToolUse, hook.Shell))
	if got.Verdict.Decision != hook.Advise || got.Verdict.Context != "no" {
		t.Fatalf("%+v", got.Verdict)
	}
}

func TestStatefulGatesSkipWithALapseWithoutASession(t *testing.T) {
	g := says("recorder", hook.Verdict{})
	g.State = true
	got := (&Engine{Gates: []*gate.Gate{g}}).Judge(context.Background(), event(hook.PostToolUse, hook.Edit))
	if got.Runs[0].Outcome != Skipped || len(got.Lapses) != 1 {
		t.Fatalf("%+v", got)
	}
}

func TestTextsAreCutToTheirBudgets(t *testing.T) {
	long := "first line\n" + strings.Repeat("x", 20_000)
	for _, tt := range []struct {
		event hook.EventName
		v     hook.Verdict
		max   int
	}{
		{hook.PreToolUse, hook.Verdict{Decision: hook.Deny, Reason: long}, gate.MaxReason},
		{hook.Stop, hook.Verdict{Decision: hook.Block, Reason: long}, gate.MaxStop},
	} {
		got := (&Engine{Gates: []*gate.Gate{says("g", tt.v)}}).Judge(context.Background(), event(tt.event, hook.Shell)).Verdict.Reason
		if n := len([]rune(got)); n > tt.max || !strings.HasPrefix(got, "first line") {
			t.Errorf("%s: %d characters, want at most %d", tt.event, n, tt.max)
		}
	}
}

func TestAnAbandonedGateCannotChangeTheResult(t *testing.T) {
	release := make(chan struct{})
	finished := make(chan struct{})
	g := &gate.Gate{
		ID: "slow", On: []hook.EventName{hook.PreToolUse}, Strength: gate.Enforce,
		Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
			defer close(finished)
			<-release
			p.Commands()
			return hook.Verdict{Decision: hook.Deny}, nil
		},
	}
	ctx, cancel := context.WithDeadline(context.Background(), time.Now())
	defer cancel()
	got := (&Engine{Gates: []*gate.Gate{g}}).Judge(ctx, event(hook.PreToolUse, hook.Shell))
	close(release)
	<-finished
	if got.Verdict.Decision != hook.Pass || got.Runs[0].Outcome != Broke {
		t.Fatalf("%+v", got)
	}
}

func TestNothingIsDecidedOrWrittenWhenAGateHandsOver(t *testing.T) {
	store := newStore(t)
	deny := &gate.Gate{ID: "first", On: []hook.EventName{hook.PreToolUse}, Strength: gate.Enforce, State: true, Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
		p.Record(session.Add("seen", "x"))
		return hook.Verdict{Decision: hook.Deny, Reason: "no"}, nil
	}}
	needs := &gate.Gate{ID: "second", On: deny.On, Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
		if p.Env.Proc == nil {
			return hook.Verdict{}, gate.ErrHandOver
		}
		return hook.Verdict{}, nil
	}}
	e := Engine{Gates: []*gate.Gate{deny, needs}, Store: store}
	ev := hook.Event{Name: hook.PreToolUse, Host: "claude", SessionID: "s", Tool: &hook.Tool{Name: "Bash", Kind: hook.Shell}}
	res := e.Judge(t.Context(), &ev)
	if !res.HandOver || res.Verdict.Decision != hook.Pass || len(res.Runs) != 0 {
		t.Errorf("%+v", res)
	}
	if v, err := store.View("claude", "s"); err != nil || !v.New() {
		t.Errorf("something was written: %+v %v", v.Sets(), err)
	}
}
