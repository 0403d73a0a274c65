package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// Releases starts the names of the counters of how often each obligation was
// released to the human.
const Releases = "released:"

// settle replays what the gates recorded on the then-current state, decides the
// Stop budget there, and delivers or keeps texts: all in one short Update, and
// none at all when there is nothing to write.
func (j *judgement) settle() {
	if !j.mustWrite() {
		return
	}
	if !j.state() {
		if len(j.owed) > 0 {
			j.lapse(j.noState) // state that cannot be read never blocks
			j.owed = nil
		}
		if !j.damaged {
			return
		}
	}
	before := j.res.Verdict
	change := func(tx *session.Tx) error {
		j.apply(tx)
		return nil
	}
	var err error
	if j.DryRun {
		_, err = j.Store.Preview(j.event.Host, j.event.SessionID, change)
	} else {
		_, err = j.Store.Update(j.ctx, j.event.Host, j.event.SessionID, change)
	}
	if err != nil {
		j.lapse(err.Error())
		if !errors.Is(err, session.ErrCorrupt) {
			j.res.Verdict = before // nothing was counted, so nothing may block
		}
	}
}

// mustWrite reports whether this event may change the state.
func (j *judgement) mustWrite() bool {
	if j.damaged || len(j.changes) > 0 || len(j.owed) > 0 || len(j.notices) > 0 || j.startsTurn() || j.notesStop() || j.notesStart() {
		return true
	}
	if j.res.Verdict.Decision == hook.Block && j.unheard() {
		return true
	}
	if (j.res.Verdict.Context != "" && j.Caps.Context[j.event.Name] == 0) || (j.res.Verdict.Notice != "" && j.Caps.Notice[j.event.Name] == 0) {
		return true
	}
	// Mail is looked for where the state is read anyway, where a turn or a session
	// starts, and where a host takes it that takes none after a tool.
	switch j.event.Name {
	case hook.UserPromptSubmit, hook.SessionStart, hook.PreModelCall:
	default:
		if !j.viewed {
			return false
		}
	}
	return j.Store != nil && j.event.SessionID != "" && j.state() && len(j.view.Mail()) > 0
}

// startsTurn reports whether a human's prompt starts a turn that a gate of ours
// may keep going.
func (j *judgement) startsTurn() bool {
	if j.event.Name != hook.UserPromptSubmit || !j.event.Typed() {
		return false
	}
	for _, g := range j.Gates {
		if g.Budget > 0 {
			return true
		}
	}
	return false
}

func (j *judgement) apply(tx *session.Tx) {
	prev, again := j.seen(tx)
	j.res.Duplicate = again // the other process of this call has recorded it
	if !again {
		tx.Apply(j.changes...)
		if j.startsTurn() {
			tx.NewTurn()
		}
	}
	j.stopped(tx)
	if j.notesStart() {
		tx.Apply(session.Note(factStarted, "yes", tx.Now()))
	}
	for _, n := range j.notices {
		if fact := "notice:" + n.gate; !noted(tx, fact) {
			tx.Apply(session.Note(fact, "told", tx.Now()))
			j.res.Verdict.Notice = joinLines(j.res.Verdict.Notice, n.text)
		}
	}
	if fact := "notice:damaged"; j.damaged && !noted(tx, fact) {
		tx.Apply(session.Note(fact, "told", tx.Now()))
		j.res.Verdict.Notice = joinLines(j.res.Verdict.Notice, damagedNotice)
	}
	var outcomes []session.Outcome
	if len(j.owed) > 0 {
		outcomes = j.insist(tx, prev.Outcomes, again)
	}
	if !again && callKey(j.event) == "" && j.records() {
		tx.Answered(digest(j.event.Raw), session.Answer{
			Decision: j.res.Verdict.Decision.String(), Rule: j.res.Verdict.Rule, Outcomes: outcomes,
		})
	}
	j.deliver(tx)
}

// damagedNotice is told once: what was known is gone, and gone is not done.
const damagedNotice = "guardrails: the state of this session was damaged and has been set aside, beside where it was in the sessions folder; which files were touched and what was owed until now is not known. Nothing is blocked for it: `guardrails gate run --changed` judges the work."

// records reports whether this event changes what a second process of the same
// call would change again.
func (j *judgement) records() bool {
	return len(j.changes) > 0 || len(j.owed) > 0 || j.startsTurn()
}

// seen reports whether another process has already recorded this very call, as
// when a hook is registered in two scopes. A call with an id is known by it;
// one without, by its payload, if this process started before the other's
// answer was written.
func (j *judgement) seen(tx *session.Tx) (prev session.Answer, again bool) {
	if !j.records() {
		return session.Answer{}, false
	}
	if key := callKey(j.event); key != "" {
		return session.Answer{}, !tx.Once(key)
	}
	return tx.OnceBefore(digest(j.event.Raw), j.Started)
}

func noted(tx *session.Tx, fact string) bool {
	_, at := tx.View().Fact(fact)
	return !at.IsZero()
}

// callKey names a tool call, "" if it has no id.
func callKey(ev *hook.Event) string {
	if ev.Tool == nil || ev.Tool.ID == "" {
		return ""
	}
	return string(ev.Name) + " " + ev.Tool.ID
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// insist decides which of the wishes to keep the turn going are granted, or
// grants again what another process of the same call was granted.
func (j *judgement) insist(tx *session.Tx, granted []session.Outcome, again bool) []session.Outcome {
	if !again {
		if j.running() && tx.Defer(j.event.AgentID) {
			return nil
		}
		wants := make([]session.Want, len(j.owed))
		for i, w := range j.owed {
			wants[i] = session.Want{ID: obligation(w), Finding: digest([]byte(w.v.Reason)), Budget: w.gate.Budget, Opens: true, Looked: w.looked}
		}
		granted = tx.Insist(j.event.AgentID, wants)
	}
	for i, w := range j.owed {
		if i < len(granted) && granted[i].ID == obligation(w) {
			j.res.Verdict = gate.Merge(j.res.Verdict, outcome(w, granted[i]))
			if granted[i].Action == session.HandOver {
				if j.res.Verdict.Decision == hook.Pass { // for the log: a pass with a rule is its release
					j.res.Verdict.Gate, j.res.Verdict.Rule = w.gate.ID, granted[i].ID
				}
				if !again {
					tx.Apply(session.Count(Releases+granted[i].ID, 1))
				}
			}
		}
	}
	return granted
}

// running reports whether this session still waits for work of its own: a
// subagent, or a command that is a test, build or lint run.
func (j *judgement) running() bool {
	for _, b := range j.event.Background {
		if b.Kind == hook.BackgroundSubagent || b.Kind == hook.BackgroundCommand && b.Command != "" && j.Busy != nil && j.Busy(b.Command) {
			return true
		}
	}
	return false
}

func obligation(w want) string {
	if w.v.Rule != "" {
		return w.v.Rule
	}
	return w.gate.ID
}

// outcome is the verdict that the budget makes of a wish.
func outcome(w want, o session.Outcome) hook.Verdict {
	v := w.v
	if o.Action.Blocks() && w.gate.Report {
		v.Reason = fmt.Sprintf("attempt %d of %d: %s", o.Attempt, o.Budget, v.Reason)
		return v
	}
	switch o.Action {
	case session.BlockFull:
		return v
	case session.BlockLine:
		v.Reason, v.Context = "still open: "+firstLine(v.Reason), ""
		return v
	case session.HandOver:
		what := firstLine(w.v.Reason)
		if w.gate.Report { // the human takes over where the agent stands
			what = w.v.Reason
		}
		blocks := "1 block"
		if o.Budget != 1 {
			blocks = fmt.Sprintf("%d blocks", o.Budget)
		}
		return hook.Verdict{Notice: fmt.Sprintf("guardrails: %s was released to you after %s; it is still open: %s", obligation(w), blocks, what)}
	default:
		return hook.Verdict{}
	}
}

// unheard reports whether a block after a tool call cannot be said at this event.
func (j *judgement) unheard() bool {
	return j.event.Name.AfterTool() && j.Caps.Decides != nil && j.Caps.Decides[j.event.Name].Rank() < hook.Block.Rank()
}

// deliver takes waiting texts that this event can carry, and lets wait what it
// cannot.
func (j *judgement) deliver(tx *session.Tx) {
	ev, v := j.event, &j.res.Verdict
	canContext, canNotice := j.Caps.Context[ev.Name] > 0, j.Caps.Notice[ev.Name] > 0
	// A report after a tool, on a host that hears none there, waits as what the
	// model is to know.
	if v.Decision == hook.Block && j.unheard() {
		v.Context, v.Reason, v.Decision = joinLines(v.Reason, v.Context), "", hook.Advise
	}
	var context, notice string
	for _, m := range tx.Take(func(m session.Mail) bool {
		return m.Kind == session.Context && canContext && m.Agent == ev.AgentID || m.Kind == session.Notice && canNotice
	}) {
		if m.Kind == session.Context {
			context = joinLines(context, m.Text)
		} else {
			notice = joinLines(notice, m.Text)
		}
	}
	if !canContext && v.Context != "" {
		tx.Put(session.Mail{Kind: session.Context, Agent: ev.AgentID, Text: v.Context})
		v.Context = ""
	}
	if !canNotice && v.Notice != "" {
		tx.Put(session.Mail{Kind: session.Notice, Text: v.Notice})
		v.Notice = ""
	}
	v.Context, v.Notice = joinLines(context, v.Context), joinLines(notice, v.Notice)
	if v.Decision == hook.Pass && v.Context != "" {
		v.Decision = hook.Advise
	}
}
