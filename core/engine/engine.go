// Package engine runs the gates that an event concerns: select, run with
// deadline and recover, merge, apply each gate's posture, decide the Stop
// budget, keep the mailbox, record.
//
// It knows no host and no particular gate, and prints nothing.
package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// RuleInternal is the rule of a denial that a failure of ours caused.
const RuleInternal = "guardrails/internal"

// Store keeps sessions. *session.Store is one.
type Store interface {
	View(host, id string) (session.View, error)
	Update(ctx context.Context, host, id string, fn func(*session.Tx) error) (session.View, error)
	// Preview does what Update does on a copy that is thrown away.
	Preview(host, id string, fn func(*session.Tx) error) (session.View, error)
}

// Engine judges events. Its fields are set once and only read.
type Engine struct {
	Gates   []*gate.Gate
	Caps    hook.Capabilities
	Store   Store     // nil: no state, as in a dry run of a single call
	Env     gate.Env  // handed to every gate
	Started time.Time // when this process started: tells a double registration from a new event
	DryRun  bool      // read state, never write it

	// Busy reports whether a command left in the background is worth waiting for
	// at a Stop: a test, build or lint run that will end. nil = none is.
	Busy func(command string) bool

	// Finished returns the calls that a prompt of the host's own says have ended in
	// the background. nil = there are none.
	Finished func(*hook.Event) []hook.Event
}

// Outcome says what became of one gate. The zero value is that it was not for
// this event.
type Outcome int

// Outcomes of a gate.
const (
	NotFor  Outcome = iota
	Ran             // it ran, its verdict counts
	Skipped         // it looked and did not apply
	Broke           // panic, error or expiry
)

func (o Outcome) String() string {
	switch o {
	case Ran:
		return "ran"
	case Skipped:
		return "skipped"
	case Broke:
		return "failed"
	default:
		return "not for it"
	}
}

// Run is what one gate did.
type Run struct {
	Gate    string
	Outcome Outcome
	Why     string // for NotFor, Skipped and Broke
	Verdict hook.Verdict
	Took    time.Duration
}

// Result is the judgement of one event.
type Result struct {
	Verdict   hook.Verdict
	Runs      []Run    // one per gate, in list order, and again those that judged the rewritten call
	Lapses    []string // what could not be judged or recorded, for the log
	Duplicate bool     // the same call was already counted (registered twice)
	Began     bool     // the session starts here, by its SessionStart or what stands in for it

	// HandOver says that a gate needs what Env has not (gate.ErrHandOver): there
	// is no verdict, nothing was written, and the call is to be judged again by a
	// process that has it.
	HandOver bool
}

// Judge runs every gate that e concerns. It always returns, by ctx's deadline
// at the latest: a gate that has not finished by then is abandoned and its
// posture decides.
func (e *Engine) Judge(ctx context.Context, ev *hook.Event) Result {
	j := judgement{Engine: e, ctx: ctx, event: ev, res: Result{Runs: make([]Run, 0, len(e.Gates))}}
	defer j.leave()
	if j.run(); j.res.HandOver {
		return Result{HandOver: true}
	}
	j.settle()
	j.res.Verdict = clip(j.res.Verdict)
	return j.res
}

// judgement is one event on its way.
type judgement struct {
	*Engine
	ctx   context.Context
	event *hook.Event
	res   Result

	ended []hook.Event // calls that ended in the background
	asked bool         // whether ended is known

	view    session.View
	viewed  bool
	noState string // why there is no state, "" = there is
	damaged bool   // the file is there and is none

	worker  chan<- func() // runs gates beside us, nil = not started or left behind
	last    *gate.Pass    // holds the parsed command line
	changes []session.Change
	owed    []want
	notices []lapseNotice
}

// lapseNotice is told once a session.
type lapseNotice struct{ gate, text string }

// want is a Stop gate's wish to keep the turn going.
type want struct {
	gate   *gate.Gate
	v      hook.Verdict
	looked time.Time // when the gate began to look
}

func (j *judgement) run() {
	j.res.Began = j.begins()
	for i, g := range j.Gates {
		ok, why := g.Applies(j.event)
		if !ok && (j.standIn(g) || j.startIn(g) || j.endIn(g)) {
			if j.res.HandOver {
				return
			}
			continue
		}
		if !ok {
			j.res.Runs = append(j.res.Runs, Run{Gate: g.ID, Why: why})
			continue
		}
		if g.State && !j.state() {
			j.lapse(g.ID + ": " + j.noState)
			j.res.Runs = append(j.res.Runs, Run{Gate: g.ID, Outcome: Skipped, Why: j.noState})
			continue
		}
		looked := j.now()
		r := j.runGate(g)
		j.res.Runs = append(j.res.Runs, r)
		if j.res.HandOver {
			return
		}
		if g.Budget > 0 && r.Verdict.Decision == hook.Block {
			j.owed = append(j.owed, want{g, r.Verdict, looked})
			continue
		}
		before := j.res.Verdict.Decision
		j.res.Verdict = gate.Merge(j.res.Verdict, r.Verdict)
		if before.Rank() < hook.Rewrite.Rank() && r.Verdict.Decision == hook.Rewrite && r.Verdict.Input != nil && j.event.Tool != nil {
			j.rewrite(r.Verdict.Input)
			j.again(j.Gates[:i])
		}
	}
}

// again lets the gates that judged the original judge the rewritten call too:
// what may not run may not be reached by a rewrite either. What they record
// stays that of the original.
func (j *judgement) again(gates []*gate.Gate) {
	recorded := len(j.changes)
	for _, g := range gates {
		if ok, _ := g.Applies(j.event); !ok || g.Strength < gate.Enforce || g.Budget > 0 || g.State && !j.state() {
			continue
		}
		r := j.runGate(g)
		j.changes = j.changes[:recorded]
		j.res.Runs = append(j.res.Runs, r)
		if r.Verdict.Decision.Rank() >= hook.Ask.Rank() {
			j.res.Verdict = gate.Merge(j.res.Verdict, r.Verdict)
		}
	}
}

func (j *judgement) now() time.Time {
	if j.Env.Now == nil {
		return time.Now()
	}
	return j.Env.Now()
}

// rewrite lets the gates judge the input that will run.
func (j *judgement) rewrite(input []byte) {
	tool, ev := *j.event.Tool, *j.event
	tool.Input = input
	ev.Tool = &tool
	j.event, j.last = &ev, nil
}

// state loads the session once and reports whether there is one.
func (j *judgement) state() bool {
	if j.viewed {
		return j.noState == ""
	}
	j.viewed = true
	switch {
	case j.Store == nil:
		j.noState = "no session store"
	case j.event.SessionID == "":
		j.noState = "no session id"
	default:
		var err error
		if j.view, err = j.Store.View(j.event.Host, j.event.SessionID); err != nil {
			j.noState = "session state unreadable: " + err.Error()
			j.damaged = errors.Is(err, session.ErrCorrupt)
			// Recorders go on where Update can set a damaged file aside.
			if j.event.Name.TurnEnd() || !j.damaged {
				return false
			}
			j.lapse(j.noState)
			j.noState = ""
		}
	}
	return j.noState == ""
}

func (j *judgement) lapse(what string) { j.res.Lapses = append(j.res.Lapses, what) }

// answer is what a gate's goroutine hands back.
type answer struct {
	v       hook.Verdict
	err     error
	changes []session.Change
	pass    *gate.Pass
}

// beside runs job on a goroutine of its own, the same one as long as it comes
// back: most calls then start one, and its stack grows once.
func (j *judgement) beside(job func()) {
	if j.worker == nil {
		jobs := make(chan func(), 1)
		j.worker = jobs
		go func() {
			grown()
			for job := range jobs {
				job()
			}
		}()
	}
	j.worker <- job
}

// leave lets the worker end after the job that it is at.
func (j *judgement) leave() {
	if j.worker != nil {
		close(j.worker)
		j.worker = nil
	}
}

// grown makes room on a new goroutine's stack at once. A stack that doubles from
// 2 KB as parsers and matchers go deeper is copied each time, which cost a tenth
// of a short process.
//
//go:noinline
func grown() byte {
	var room [12 << 10]byte
	return room[len(os.Args)%len(room)]
}

func (j *judgement) runGate(g *gate.Gate) Run {
	began := time.Now()
	done := make(chan answer, 1)
	pass := &gate.Pass{Event: j.event, Session: j.view, Env: j.Env}
	pass.Share(j.last)
	j.beside(func() {
		a := answer{pass: pass}
		defer func() {
			if p := recover(); p != nil {
				a.v, a.err, a.changes = hook.Verdict{}, fmt.Errorf("panic: %v", p), nil
			}
			done <- a
		}()
		pass.Record = func(c session.Change) { a.changes = append(a.changes, c) }
		a.v, a.err = g.Run(j.ctx, pass)
	})
	var a answer
	select {
	case a = <-done:
		j.last = a.pass
	case <-j.ctx.Done():
		// A gate that finished at the same moment still counts.
		select {
		case a = <-done:
			j.last = a.pass
		default:
			a.err = errExpired
			j.leave()
		}
	}
	r := Run{Gate: g.ID, Took: time.Since(began)}
	switch {
	case errors.Is(a.err, gate.ErrHandOver) && (j.Env.Proc == nil || j.Env.HTTP == nil):
		r.Outcome, r.Why, j.res.HandOver = Skipped, a.err.Error(), true
	case a.err == nil:
		r.Outcome, r.Verdict = Ran, a.v
		if r.Verdict.Decision != hook.Pass && r.Verdict.Gate == "" {
			r.Verdict.Gate = g.ID
		}
		if g.Strength < gate.Enforce && r.Verdict.Decision.Rank() > hook.Advise.Rank() {
			// A gate may not do more than it says it does.
			r.Verdict.Context, r.Verdict.Decision, r.Verdict.Reason = joinLines(r.Verdict.Context, r.Verdict.Reason), hook.Advise, ""
		}
		j.changes = append(j.changes, a.changes...)
	case errors.Is(a.err, gate.ErrSkip):
		r.Outcome, r.Why = Skipped, a.err.Error()
	default:
		r.Outcome, r.Why = Broke, a.err.Error()
		j.lapse(g.ID + ": " + r.Why)
		r.Verdict = j.posture(g, a.err)
	}
	return r
}

var errExpired = errors.New("ran out of time")

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// posture is the verdict that a gate's own failure means.
func (j *judgement) posture(g *gate.Gate, err error) hook.Verdict {
	switch {
	case g.Posture == gate.FailOpen:
	case j.event.Name.BeforeTool() && j.event.Tool != nil:
		switch j.event.Tool.Kind {
		case hook.Shell, hook.Write, hook.Edit, hook.MCP:
			return InternalDeny(g.ID, j.event.Tool.Name, firstLine(err.Error()))
		}
		if g.Posture == gate.FailShut {
			return InternalDeny(g.ID, j.event.Tool.Name, firstLine(err.Error()))
		}
	case g.Posture == gate.FailShut && !j.event.Name.TurnEnd():
		return hook.Verdict{
			Decision: hook.Block, Gate: g.ID, Rule: RuleInternal,
			Reason: fmt.Sprintf("%s: this was not judged, so it is refused: %s failed (%s). Retrying can work.", RuleInternal, g.ID, firstLine(err.Error())),
		}
	case j.event.Name.TurnEnd() && g.Budget > 0:
		return hook.Verdict{
			Decision: hook.Block, Gate: g.ID, Rule: RuleInternal,
			Reason: fmt.Sprintf("%s could not finish (%s): this is not proven. Try again.", g.ID, firstLine(err.Error())),
		}
	}
	j.notices = append(j.notices, lapseNotice{g.ID, "guardrails: " + g.ID + " failed (" + firstLine(err.Error()) + "), so this was not judged by it"})
	return hook.Verdict{}
}

// InternalDeny is the denial that stands for a failure of ours in a gate that
// fails closed.
func InternalDeny(gateID, tool, why string) hook.Verdict {
	return hook.Verdict{
		Decision: hook.Deny, Gate: gateID, Rule: RuleInternal,
		Reason: fmt.Sprintf("%s: the %s call was not judged, so it is refused: %s failed (%s). "+
			"Retrying the same call can work; a smaller or simpler one is more likely to. "+
			"If it keeps failing, tell the user: they can run the command themselves in a terminal.", RuleInternal, tool, gateID, why),
		Notice: fmt.Sprintf("guardrails: %s failed while judging a %s call, which was refused (%s)", gateID, tool, why),
	}
}

func firstLine(s string) string {
	for i := range len(s) {
		if s[i] == '\n' {
			return s[:i]
		}
	}
	return s
}

func clip(v hook.Verdict) hook.Verdict {
	max := gate.MaxReason
	if v.Decision == hook.Block {
		max = gate.MaxStop
	}
	v.Reason = hook.Clip(v.Reason, max)
	v.Context = hook.Clip(v.Context, gate.MaxContext)
	v.Notice = hook.Clip(v.Notice, gate.MaxReason)
	return v
}
