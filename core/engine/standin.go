package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// factStopped says in which turn Stop came last.
const factStopped = "stopped"

// standIn runs a Stop gate on an event that stands in for a Stop which this
// host may not send, and reports whether it did. What is owed then reaches the
// model as context at the next prompt, or refuses the handing over of the work.
// Neither counts as a block: only a real Stop does.
func (j *judgement) standIn(g *gate.Gate) bool {
	ev := j.event
	if g.Budget == 0 || ev.Name.TurnEnd() || !slices.Contains(j.Caps.Stop, ev.Name) || !slices.Contains(g.On, hook.Stop) || !j.insteadOfStop() {
		return false
	}
	stop := *ev
	stop.Name, stop.HostEvent, stop.Tool = hook.Stop, string(hook.Stop), nil
	if ok, _ := g.Applies(&stop); !ok {
		return false
	}
	last := j.last
	j.event, j.last = &stop, nil
	r := j.runGate(g)
	j.event, j.last = ev, last
	j.res.Runs = append(j.res.Runs, r)
	v := r.Verdict
	if v.Decision != hook.Block {
		return true
	}
	if o, known := j.view.Obligation(obligation(want{gate: g, v: v})); known && (o.Released() || o.Skipped != "") {
		return true
	}
	if ev.Name.BeforeTool() {
		v.Decision = hook.Deny
	} else {
		text := j.remind(obligation(want{gate: g, v: v}), v.Reason)
		if text == "" {
			return true
		}
		v.Decision, v.Context, v.Reason = hook.Advise, joinLines(v.Context, text), ""
	}
	j.res.Verdict = gate.Merge(j.res.Verdict, v)
	return true
}

// remind returns what a prompt that stands in for a Stop says of something owed:
// all of it, then a line, and, said as often as a Stop would have, nothing until
// it changes.
func (j *judgement) remind(owed, reason string) string {
	fact, finding := "reminded:"+owed, digest([]byte(reason))
	said, _ := j.view.Fact(fact)
	n := 0
	if last, times, ok := strings.Cut(said, " "); ok && last == finding {
		n, _ = strconv.Atoi(times)
	}
	if n >= session.DefaultBudget {
		return ""
	}
	j.changes = append(j.changes, session.Note(fact, finding+" "+strconv.Itoa(n+1), j.now()))
	if n > 0 {
		return "still open: " + firstLine(reason)
	}
	return reason
}

// insteadOfStop reports whether this event is one at which a turn that got no
// Stop is looked back on: the next typed prompt, or a push or a pull request.
func (j *judgement) insteadOfStop() bool {
	switch j.event.Name {
	case hook.UserPromptSubmit:
		if !j.event.Typed() || !j.state() {
			return false
		}
		n := j.view.Turn().N
		stopped, _ := j.view.Fact(factStopped)
		return n > 0 && stopped != strconv.Itoa(n)
	case hook.PreToolUse:
		return j.event.Tool != nil && j.event.Tool.Kind == hook.Shell && j.state() && j.handsOver()
	default:
		return false
	}
}

// handsOver reports whether a shell call pushes commits or opens, readies or
// merges a pull request.
func (j *judgement) handsOver() bool {
	p := &gate.Pass{Event: j.event, Env: j.Env}
	p.Share(j.last)
	line := p.Commands()
	j.last = p
	if line == nil {
		return false
	}
	for i := range line.Commands {
		var words []string
		for _, w := range line.Commands[i].Args() {
			if len(words) < 2 && w.Text != "" && w.Text[0] != '-' {
				words = append(words, w.Text)
			}
		}
		switch program := line.Commands[i].Program; {
		case program == "git" && slices.Contains(words, "push"):
			return true
		case (program == "gh" || program == "glab") && len(words) == 2 && (words[0] == "pr" || words[0] == "mr"):
			switch words[1] {
			case "create", "ready", "merge", "update":
				return true
			}
		}
	}
	return false
}

// factStarted says that a session's start was seen, or stood in for.
const factStarted = "started"

// begins reports whether a session starts with this event: with its
// SessionStart, or, where that is not to be counted on, with the first prompt.
func (j *judgement) begins() bool {
	switch {
	case j.event.Name == hook.SessionStart:
		return true
	case j.event.Name != hook.UserPromptSubmit || !j.Caps.NoStart || !j.state():
		return false
	}
	started, _ := j.view.Fact(factStarted)
	return started == ""
}

// startIn runs a gate of a session's start on the prompt that stands in for it,
// and reports whether it did.
func (j *judgement) startIn(g *gate.Gate) bool {
	ev := j.event
	if !j.res.Began || ev.Name == hook.SessionStart || !slices.Contains(g.On, hook.SessionStart) || slices.Contains(g.On, ev.Name) {
		return false
	}
	start := *ev
	start.Name, start.HostEvent, start.Source, start.Prompt = hook.SessionStart, string(hook.SessionStart), "startup", ""
	if ok, _ := g.Applies(&start); !ok {
		return false
	}
	j.event = &start
	r := j.runGate(g)
	j.event = ev
	j.res.Runs = append(j.res.Runs, r)
	j.res.Verdict = gate.Merge(j.res.Verdict, r.Verdict)
	return true
}

// endIn runs a gate that records what calls do on those that a prompt of the
// host's own says have ended in the background, and reports whether it did.
func (j *judgement) endIn(g *gate.Gate) bool {
	ev := j.event
	if ev.Name != hook.UserPromptSubmit || ev.Typed() || j.Finished == nil || g.Strength >= gate.Enforce || !slices.Contains(g.On, hook.PostToolUse) {
		return false
	}
	if !j.asked {
		j.ended, j.asked = j.Finished(ev), true
	}
	ran, last := false, j.last
	for i := range j.ended {
		call := &j.ended[i]
		if ok, _ := g.Applies(call); !ok || g.State && !j.state() {
			continue
		}
		j.event, j.last = call, nil
		r := j.runGate(g)
		j.event = ev
		j.res.Runs = append(j.res.Runs, r)
		if ran = true; j.res.HandOver {
			break
		}
		j.res.Verdict = gate.Merge(j.res.Verdict, r.Verdict)
	}
	j.last = last
	return ran
}

// notesStart reports whether it is to be kept that the session has started.
func (j *judgement) notesStart() bool { return j.res.Began && j.Caps.NoStart }

// stopped notes that this turn got its Stop, where another event could stand in
// for it.
func (j *judgement) stopped(tx *session.Tx) {
	if j.notesStop() {
		tx.Apply(session.Note(factStopped, strconv.Itoa(tx.View().Turn().N), tx.Now()))
	}
}

func (j *judgement) notesStop() bool {
	if j.event.Name != hook.Stop || len(j.Caps.Stop) < 2 {
		return false
	}
	return slices.ContainsFunc(j.Gates, func(g *gate.Gate) bool { return g.Budget > 0 })
}
