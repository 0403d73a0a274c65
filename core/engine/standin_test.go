package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// seldom is a host whose Stop may not come.
func seldom() hook.Capabilities {
	c := caps()
	c.Stop = []hook.EventName{hook.Stop, hook.UserPromptSubmit, hook.PreToolUse}
	return c
}

func typed(e Engine, n int) hook.Verdict {
	e.Started = time.Now()
	ev := event(hook.UserPromptSubmit, hook.Other)
	ev.Prompt, ev.Raw = "go on", fmt.Appendf(nil, `{"prompt":%d}`, n)
	return e.Judge(context.Background(), ev).Verdict
}

func command(e Engine, line string) hook.Verdict {
	ev := event(hook.PreToolUse, hook.Shell)
	ev.Tool.Input, _ = json.Marshal(map[string]string{"command": line})
	return e.Judge(context.Background(), ev).Verdict
}

func TestWhatIsOwedReachesTheNextPromptOfAHostWhoseStopDidNotCome(t *testing.T) {
	reason := "owed"
	e := Engine{Gates: []*gate.Gate{owes(&reason)}, Caps: seldom(), Store: newStore(t)}
	if v := typed(e, 1); v.Context != "" {
		t.Fatalf("the first prompt ends no turn: %+v", v)
	}
	if v := typed(e, 2); v.Decision != hook.Advise || v.Context != "owed" {
		t.Fatalf("no Stop came, and the prompt says %+v", v)
	}
	if v := stop(e, 3).Verdict; v.Decision != hook.Block || v.Reason != "owed" {
		t.Fatalf("the prompt counted as a block: %+v", v)
	}
	if v := typed(e, 4); v.Context != "" {
		t.Fatalf("Stop came, and the prompt says it again: %+v", v)
	}
}

func TestWhatIsOwedRefusesTheHandingOver(t *testing.T) {
	reason := "owed"
	e := Engine{Gates: []*gate.Gate{owes(&reason)}, Caps: seldom(), Store: newStore(t)}
	for _, line := range []string{"git push", "git -C sub push origin x", "cd a && gh pr create --fill", "glab mr merge 3", "sudo git push"} {
		if v := command(e, line); v.Decision != hook.Deny || v.Reason != "owed" {
			t.Errorf("%s: %+v", line, v)
		}
	}
	for _, line := range []string{"git status", "echo git push", "git commit -m 'push it'", "gh pr view 3", "gh issue create"} {
		if v := command(e, line); v.Decision != hook.Pass {
			t.Errorf("%s: %+v", line, v)
		}
	}
	reason = ""
	if v := command(e, "git push"); v.Decision != hook.Pass {
		t.Errorf("nothing is owed: %+v", v)
	}
}

func TestAHostThatSendsStopNeedsNoStandIn(t *testing.T) {
	reason := "owed"
	c := caps()
	c.Stop = []hook.EventName{hook.Stop}
	e := Engine{Gates: []*gate.Gate{owes(&reason)}, Caps: c, Store: newStore(t)}
	typed(e, 1)
	if v := typed(e, 2); v.Context != "" {
		t.Errorf("%+v", v)
	}
	if v := command(e, "git push"); v.Decision != hook.Pass {
		t.Errorf("%+v", v)
	}
}

func TestWhatWasReleasedStandsInForNothing(t *testing.T) {
	reason := "owed"
	e := Engine{Gates: []*gate.Gate{owes(&reason)}, Caps: seldom(), Store: newStore(t)}
	for n := range 4 {
		stop(e, n)
	}
	if v := command(e, "git push"); v.Decision != hook.Pass {
		t.Errorf("released, and a push is refused: %+v", v)
	}
}

func TestAGateOfTheStartRunsAtTheFirstPromptWhereNoStartIsSent(t *testing.T) {
	starts := 0
	profile := &gate.Gate{ID: "profile", On: []hook.EventName{hook.SessionStart}, Strength: gate.Suggest, Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
		if starts++; p.Event.Name != hook.SessionStart || p.Event.Prompt != "" {
			t.Errorf("it is run on %+v", p.Event)
		}
		return hook.Verdict{Decision: hook.Advise, Context: "state"}, nil
	}}
	for _, sent := range []bool{false, true} {
		c := caps()
		c.NoStart = true
		e := Engine{Gates: []*gate.Gate{profile}, Caps: c, Store: newStore(t)}
		starts = 0
		if sent { // it may come all the same, and here carries nothing
			if r := e.Judge(context.Background(), event(hook.SessionStart, hook.Other)); !r.Began {
				t.Errorf("its own event: %+v", r)
			}
		}
		if v := typed(e, 1); v.Context != "state" || starts != 1 {
			t.Errorf("sent %v: the first prompt says %+v, after %d starts", sent, v, starts)
		}
		if v := typed(e, 2); v.Context != "" || starts != 1 {
			t.Errorf("sent %v: the next prompt says %+v, after %d starts", sent, v, starts)
		}
	}
	e := Engine{Gates: []*gate.Gate{profile}, Caps: caps(), Store: newStore(t)}
	if v := typed(e, 1); v.Context != "" {
		t.Errorf("a host that sends its starts: %+v", v)
	}
}

func TestAPromptRemindsAsOftenAsAStopWould(t *testing.T) {
	reason := "owed\nmore of it"
	e := Engine{Gates: []*gate.Gate{owes(&reason)}, Caps: seldom(), Store: newStore(t)}
	typed(e, 0)
	for n, want := range []string{"owed\nmore of it", "still open: owed", "still open: owed", "", ""} {
		if v := typed(e, n+1); v.Context != want {
			t.Errorf("prompt %d: %q, want %q", n+1, v.Context, want)
		}
	}
	reason = "something else"
	if v := typed(e, 9); v.Context != "something else" {
		t.Errorf("it changed: %q", v.Context)
	}
	if v := command(e, "git push"); v.Decision != hook.Deny {
		t.Errorf("the handing over: %+v", v)
	}
}

func TestACallThatEndedInTheBackgroundIsRecordedWithThePromptThatSaysSo(t *testing.T) {
	var saw []string
	recorder := &gate.Gate{
		ID: "recorder", On: []hook.EventName{hook.PostToolUse, hook.PostToolUseFailure}, Tools: hook.Tools(hook.Shell), Strength: gate.Record, State: true,
		Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
			line := p.Commands()
			saw = append(saw, string(p.Event.Name)+" "+line.Source)
			p.Record(session.Add("ran", line.Source))
			return hook.Verdict{}, nil
		},
	}
	refuses := &gate.Gate{ID: "refuses", On: []hook.EventName{hook.PostToolUse}, Strength: gate.Enforce, Run: func(context.Context, *gate.Pass) (hook.Verdict, error) {
		return hook.Verdict{Decision: hook.Block, Reason: "too late"}, nil
	}}
	asked := 0
	e := Engine{Gates: []*gate.Gate{recorder, refuses}, Caps: caps(), Store: newStore(t), Finished: func(ev *hook.Event) []hook.Event {
		asked++
		call := func(name hook.EventName, command string) hook.Event {
			end := *ev
			end.Name, end.Prompt = name, ""
			end.Tool = &hook.Tool{Name: "Bash", Kind: hook.Shell, Result: &hook.Result{Outcome: hook.Succeeded}}
			end.Tool.Input, _ = json.Marshal(map[string]string{"command": command})
			return end
		}
		return []hook.Event{call(hook.PostToolUse, "npm test"), call(hook.PostToolUseFailure, "make lint")}
	}}
	if typed(e, 1); asked != 0 {
		t.Error("a prompt that a human typed says nothing of calls")
	}
	ev := event(hook.UserPromptSubmit, hook.Other)
	ev.Prompt, ev.Raw = "<task-notification>x</task-notification>", []byte(`{"n":1}`)
	r := e.Judge(context.Background(), ev)
	if got := strings.Join(saw, ", "); got != "PostToolUse npm test, PostToolUseFailure make lint" || asked != 1 {
		t.Errorf("%q, asked %d times", got, asked)
	}
	if r.Verdict.Decision != hook.Pass {
		t.Errorf("a gate that refuses judged what is over: %+v", r.Verdict)
	}
	v, err := e.Store.View("test", "s")
	if err != nil || !v.Has("ran", "npm test") || !v.Has("ran", "make lint") {
		t.Errorf("%v %v", v.Set("ran"), err)
	}
}
