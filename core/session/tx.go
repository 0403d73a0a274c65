package session

import (
	"slices"
	"time"
)

// Tx is one change of a session under its lock. It is good inside the function
// that Update calls, and for one goroutine.
type Tx struct {
	s      *state
	now    int64
	dirty  bool
	viewed bool // a View shares s
}

// Now is the time of this update, in whole microseconds.
func (tx *Tx) Now() time.Time { return fromMicros(tx.now) }

// View returns a snapshot of the state with the changes made so far.
func (tx *Tx) View() View {
	tx.viewed = true
	return View{s: tx.s, c: &tx.s.scope}
}

// own must come before any change: it leaves the state that a View shows alone.
func (tx *Tx) own() {
	if tx.viewed {
		tx.s, tx.viewed = tx.s.clone(), false
	}
}

// Apply carries changes out, in order.
func (tx *Tx) Apply(changes ...Change) {
	for _, ch := range changes {
		tx.in(ch.Agent, func(c *scope, limit int) bool { return c.apply(ch, tx.now, tx.s.turn.n, limit) })
	}
}

// in lets fn change the session's own scope, or a subagent's, which comes into
// being if it changed.
func (tx *Tx) in(agent string, fn func(c *scope, limit int) bool) {
	tx.own()
	if agent == "" {
		tx.dirty = fn(&tx.s.scope, maxMembers) || tx.dirty
		return
	}
	name := short(agent, maxName)
	c, ok := tx.s.agents.get(name)
	if !ok {
		c = &scope{}
	}
	if !fn(c, maxAgentMembers) {
		return
	}
	tx.dirty = true
	c.touched = tx.now
	if !ok && len(tx.s.agents) >= maxAgents {
		oldest := 0
		for i := range tx.s.agents {
			if tx.s.agents[i].val.touched < tx.s.agents[oldest].val.touched {
				oldest = i
			}
		}
		tx.s.agents = slices.Delete(tx.s.agents, oldest, oldest+1)
		tx.s.agentsFull = true
	}
	tx.s.agents.put(name, c)
}

// Once reports whether a call is seen for the first time, and remembers it: a
// hook that is registered twice counts once. key names the call, for example
// event and tool use id. The last 256 are remembered; "" is always new.
func (tx *Tx) Once(key string) bool {
	if key == "" {
		return true
	}
	m := mark(key)
	if slices.Contains(tx.s.seen, m) {
		return false
	}
	tx.own()
	if n := len(tx.s.seen); n >= maxSeen {
		tx.s.seen = slices.Delete(tx.s.seen, 0, n-maxSeen+1)
	}
	tx.s.seen = append(tx.s.seen, m)
	tx.dirty = true
	return true
}

// Answer is what we answered to an event that has no id of its own.
type Answer struct {
	Written  time.Time // when
	Decision string
	Rule     string
	Outcomes []Outcome // what Insist said

	key string
}

// OnceBefore reports whether a call with this payload digest was answered only
// after this process started, that is, whether both are one call of a hook that
// is registered twice. It returns the answer to give again. A call that began
// after the answer was written is a new event. The last 8 digests are
// remembered, by Answered.
func (tx *Tx) OnceBefore(digest string, started time.Time) (prev Answer, dup bool) {
	m := mark(digest)
	for _, a := range tx.s.answers {
		if a.key == m && started.UnixMicro() < a.Written.UnixMicro() {
			return a, true
		}
	}
	return Answer{}, false
}

// Answered remembers the answer to a call, written now if a does not say when.
func (tx *Tx) Answered(digest string, a Answer) {
	a.key = mark(digest)
	a.Decision, a.Rule = short(a.Decision, maxName), short(a.Rule, maxName)
	a.Outcomes = slices.Clone(a.Outcomes[:min(len(a.Outcomes), maxOutcomes)])
	for i := range a.Outcomes {
		a.Outcomes[i].ID = short(a.Outcomes[i].ID, maxName)
	}
	if a.Written.IsZero() {
		a.Written = tx.Now()
	}
	a.Written = fromMicros(micros(a.Written))
	tx.own()
	tx.s.answers = slices.DeleteFunc(tx.s.answers, func(o Answer) bool { return o.key == a.key })
	if n := len(tx.s.answers); n >= maxAnswers {
		tx.s.answers = slices.Delete(tx.s.answers, 0, n-maxAnswers+1)
	}
	tx.s.answers = append(tx.s.answers, a)
	tx.dirty = true
}

// MailKind says whom a waiting text is for. The zero value is no kind.
type MailKind int

// Kinds of mail.
const (
	NoMail  MailKind = iota
	Context          // for the model
	Notice           // for the human
)

// Mail is a text of ours that waits for an event that can carry it.
type Mail struct {
	Kind  MailKind
	Agent string // the subagent it is for, "" = the session itself
	Text  string
	At    time.Time
}

// Put lets a text wait. At most 5 wait, with at most 4 KiB in all: the oldest
// go first, and a longer text is cut. The same text waits once.
func (tx *Tx) Put(m Mail) {
	m.Text = cut(valid(m.Text), maxMailBytes)
	m.Agent = short(m.Agent, maxName)
	if m.Text == "" || m.Kind <= NoMail || m.Kind > Notice {
		return
	}
	for _, o := range tx.s.mail {
		if o.Kind == m.Kind && o.Agent == m.Agent && o.Text == m.Text {
			return
		}
	}
	tx.own()
	m.At = tx.Now()
	box := append(tx.s.mail, m)
	size := 0
	for _, o := range box {
		size += len(o.Text)
	}
	for len(box) > maxMail || size > maxMailBytes {
		size -= len(box[0].Text)
		box = slices.Delete(box, 0, 1)
	}
	tx.s.mail = box
	tx.dirty = true
}

// Take removes and returns the texts that are wanted, oldest first.
func (tx *Tx) Take(wanted func(Mail) bool) []Mail {
	tx.own()
	var out []Mail
	tx.s.mail = slices.DeleteFunc(tx.s.mail, func(m Mail) bool {
		if !wanted(m) {
			return false
		}
		out = append(out, m)
		return true
	})
	tx.dirty = tx.dirty || len(out) > 0
	return out
}

// NewTurn starts the turn of a prompt that a human typed: what the last one
// blocked and deferred, in subagents too, no longer counts.
func (tx *Tx) NewTurn() {
	tx.own()
	t := &tx.s.turn
	*t = turn{n: t.n + 1, at: tx.now}
	for i := range tx.s.agents {
		a := &tx.s.agents[i].val.turn
		a.blocks, a.defers = 0, 0
	}
	tx.dirty = true
}

// maxDeferrals is how many Stops in a row may be let pass because work still
// runs.
const maxDeferrals = 3

// Defer reports whether a Stop may be let pass, everything staying owed,
// because work still runs. It may at most 3 times in a row.
func (tx *Tx) Defer(agent string) (ok bool) {
	tx.in(agent, func(c *scope, _ int) bool {
		if c.turn.defers >= maxDeferrals {
			return false
		}
		c.turn.defers++
		ok = true
		return true
	})
	return ok
}
