package gemini

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"github.com/ec261362/guardrails/core/engine"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// host plays Gemini CLI's part of a session: no ids, stop_hook_active false after
// every retry that uses a tool, no end of retries of its own.
type host struct {
	t      *testing.T
	eng    engine.Engine
	clock  int
	others string // with what another hook denies each AfterAgent that we deny
}

// reply is what the host reads of ours.
type reply struct {
	Decision, Reason, SystemMessage string
}

// send judges one event as a process of its own does.
func (h *host) send(event string, members map[string]any) reply {
	h.t.Helper()
	h.clock++
	payload := map[string]any{"session_id": "s", "cwd": "/p", "hook_event_name": event, "timestamp": fmt.Sprint("t", h.clock)}
	maps.Copy(payload, members)
	raw, err := json.Marshal(payload)
	if err != nil {
		h.t.Fatal(err)
	}
	e, err := Adapter{}.Decode("", raw)
	if err != nil {
		h.t.Fatal(err)
	}
	eng := h.eng
	eng.Started = time.Now()
	res := eng.Judge(context.Background(), &e)
	if len(res.Lapses) > 0 {
		h.t.Errorf("%s: %v", event, res.Lapses)
	}
	var a reply
	if err := json.Unmarshal(Adapter{}.Encode(e, res.Verdict).Stdout, &a); err != nil {
		h.t.Fatal(err)
	}
	return a
}

// endless is when we give up on a turn: the real host did after 2,285 tries.
const endless = 40

// turn plays one turn of the human's prompt and returns how often it was kept
// going, and what the human was told in the end.
func (h *host) turn(prompt string, tools bool) (retries int, told string) {
	h.t.Helper()
	active := false
	for {
		h.send("BeforeAgent", map[string]any{"prompt": prompt})
		if tools {
			call := map[string]any{"tool_name": "run_shell_command", "tool_input": map[string]any{"command": "make test"}}
			h.send("BeforeTool", call)
			call["tool_response"] = map[string]any{"llmContent": "Output: no\nExit Code: 1"}
			h.send("AfterTool", call)
		}
		a := h.send("AfterAgent", map[string]any{"prompt": "the human's", "prompt_response": "done", "stop_hook_active": active && !tools})
		if a.Decision != "deny" {
			return retries, a.SystemMessage
		}
		if h.others != "" {
			a.Reason = h.others + "\n" + a.Reason
		}
		if retries++; retries > endless {
			return retries, ""
		}
		active, prompt = true, a.Reason
	}
}

// insists is a Stop gate that finds something to insist on each time; rule names
// it.
func insists(id string, rule func() string) *gate.Gate {
	return &gate.Gate{
		ID: id, On: []hook.EventName{hook.Stop}, Strength: gate.Enforce, Budget: 3, State: true,
		Run: func(context.Context, *gate.Pass) (hook.Verdict, error) {
			return hook.Verdict{Decision: hook.Block, Rule: rule(), Reason: "run the tests"}, nil
		},
	}
}

func newHost(t *testing.T, gates ...*gate.Gate) *host {
	return &host{t: t, eng: engine.Engine{
		Gates: gates, Caps: Adapter{}.Capabilities(), Env: gate.Env{Now: time.Now},
		Store: &session.Store{Dir: filepath.Join(t.TempDir(), "sessions"), Now: time.Now},
	}}
}

func TestRetriesEndByOurBudget(t *testing.T) {
	for _, tools := range []bool{true, false} {
		h := newHost(t, insists("tests", func() string { return "tests/green" }))
		if n, told := h.turn("do it", tools); n != 3 || told == "" {
			t.Errorf("with tools %v: kept going %d times, want 3; the human was told %q", tools, n, told)
		}
		if n, told := h.turn("and this", tools); n != 0 || told != "" {
			t.Errorf("with tools %v: once released it kept a turn going %d times, and said %q", tools, n, told)
		}
	}
}

// However many things there are to insist on, a turn ends, and the next one that
// a human starts has a budget of its own.
func TestATurnIsKeptGoingSixTimesAtMost(t *testing.T) {
	n := 0
	h := newHost(t, insists("endless", func() string { n++; return fmt.Sprint("new/", n) }))
	for _, prompt := range []string{"do it", "and this"} {
		if got, _ := h.turn(prompt, true); got != session.TurnBlocks {
			t.Errorf("%q: kept going %d times, want %d", prompt, got, session.TurnBlocks)
		}
	}
}

// A reason of ours that arrives behind another hook's starts no turn either.
func TestAReasonAmongOthersStartsNoTurn(t *testing.T) {
	n := 0
	h := newHost(t, insists("endless", func() string { n++; return fmt.Sprint("new/", n) }))
	h.others = "AR"
	if got, _ := h.turn("do it", true); got != session.TurnBlocks {
		t.Errorf("kept going %d times, want %d", got, session.TurnBlocks)
	}
}
