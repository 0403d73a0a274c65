package handoff

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/handoff/claims"
	"github.com/ec261362/guardrails/core/handoff/pack"
	"github.com/ec261362/guardrails/core/handoff/pr"
	"github.com/ec261362/guardrails/core/handoff/slots"
	"github.com/ec261362/guardrails/core/handoff/walkthrough"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// obligation is the Stop gate of one row. Whether it may block again is the
// engine's to say; here is only whether it is owed.
func (c *compiled) obligation(o *pack.Obligation) *gate.Gate {
	rule := c.rule(o.ID)
	marker := c.marker(o.Skip, o.SkipEach)
	switch {
	case o.SkipMute && !c.Mute:
		marker = ""
	case o.SkipMute:
		marker = "Where there is no such tool, say in your answer what the options are, then run: " + marker
	}
	return &gate.Gate{
		ID: c.gateID(o.ID), Doc: o.Doc, On: []hook.EventName{hook.Stop}, State: true, Strength: gate.Enforce,
		Budget: session.DefaultBudget,
		Run: func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
			if !c.on(o.Preferences) {
				return hook.Verdict{}, gate.Skip("switched off by " + strings.Join(o.Preferences, ", "))
			}
			have, known := p.Session.Obligation(rule)
			switch {
			case have.Skipped != "":
				return hook.Verdict{}, gate.Skip("skipped: " + have.Skipped)
			case have.Released():
				return hook.Verdict{}, gate.Skip("released")
			}
			found := false
			record := p.Record
			p.Record = func(change session.Change) {
				found = true
				record(change)
			}
			items, owed, err := c.owed(ctx, p, o, have, known)
			switch {
			case err != nil:
				return hook.Verdict{}, err
			case !owed && found: // a skip would drop what was found out
				return hook.Verdict{}, nil
			case !owed:
				return hook.Verdict{}, gate.Skip("nothing owed")
			}
			return hook.Verdict{Decision: hook.Block, Rule: rule, Reason: c.fill(o.Short+"\n"+o.Full, o.ID, marker, items)}, nil
		},
	}
}

// owed reports whether an obligation is owed, and for what. What the session
// knows comes first; a folder or a provider is looked at only when that says
// that it may be.
func (c *compiled) owed(ctx context.Context, p *gate.Pass, o *pack.Obligation, have session.Owed, known bool) (items []string, owed bool, err error) {
	meet := func() {
		if have.Owing() {
			p.Record(session.Change{Op: session.MeetOwed, Name: c.rule(o.ID)})
		}
	}
	switch o.Check {
	case pack.CheckClaim:
		return c.claim(p, o, have)
	case pack.CheckReplies:
		if !known || have.OpenedAt.IsZero() {
			return nil, false, nil
		}
		for _, r := range c.ledger(p).Owed(p.Event.SessionID) {
			items = append(items, r.Comment)
		}
		if len(items) == 0 {
			meet()
		}
		return items, len(items) > 0, nil
	case pack.CheckWalkthrough:
		return c.walkthrough(ctx, p, o, meet)
	}
	if o.Each == "" {
		if what, _ := p.Session.Fact(reasonOf(c.rule(o.ID))); what != "" {
			items = []string{what}
		}
		return items, have.Owing(), nil
	}
	items = c.outstanding(p, o)
	if o.Check == pack.CheckSlots && len(items) > 0 {
		list, err := c.slots(p, true)
		if err != nil {
			return nil, false, gate.Skip("watch slots cannot be read: " + err.Error())
		}
		items = slices.DeleteFunc(items, func(k string) bool {
			ref := refOf(k)
			return ref.Number == 0 || slots.Tracked(list, ref)
		})
	}
	if len(items) == 0 {
		meet()
	}
	return items, len(items) > 0, nil
}

// slots lists the pack's slots, and our own, which guardrails watch keeps:
// either will do, so that a pack of another product needs none of it.
func (c *compiled) slots(p *gate.Pass, own bool) ([]slots.Slot, error) {
	theirs := slots.Layout{Dir: c.place(c.Slots, p.Event.Root), Owner: c.SlotOwner}
	ours := slots.Layout{Dir: c.place("~/.guardrails/slots", "")}
	dirs := []slots.Layout{theirs}
	if own && theirs.Dir != ours.Dir {
		dirs = append(dirs, ours)
	}
	var out []slots.Slot
	for _, l := range dirs {
		if l.Dir == "" {
			continue
		}
		list, err := slots.List(p.Env.FS, l)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// claim reads the closing message, or the transcript where the host sends none.
func (c *compiled) claim(p *gate.Pass, o *pack.Obligation, have session.Owed) ([]string, bool, error) {
	if have.Blocks > 0 {
		if have.Owing() { // said once: a misread costs one turn
			p.Record(session.Withdraw(c.rule(o.ID), time.Time{}))
		}
		return nil, false, nil
	}
	message := p.Event.Message
	if message == "" && c.Transcript != nil && p.Event.Transcript != "" {
		message = claims.LastMessage(c.Transcript(p.Event.Transcript))
	}
	said := claims.Find(message)
	return []string{fmt.Sprintf("%q", said)}, said != "", nil
}

// Names of what is kept about walkthroughs.
const (
	factNone   = "walkthrough.none"   // when the branch had no pull request, or none could be asked
	factUnsure = "walkthrough.unsure" // which pull requests could not be asked about, and when
	again      = 10 * time.Minute     // after which that is asked again
)

// walkthrough asks the provider about each pull request in play until one lacks
// its walkthrough. What was found is kept.
func (c *compiled) walkthrough(ctx context.Context, p *gate.Pass, o *pack.Obligation, meet func()) (items []string, owed bool, err error) {
	// Without an acceptance run nothing is asked.
	run, at := p.Session.Fact(FactRun)
	if run == "" {
		return nil, false, nil
	}
	posted := p.Session.Set(postedSet(o))
	var open []string
	for _, key := range p.Session.Set(SetPRs) {
		if !holds(posted, key) {
			open = append(open, key)
		}
	}
	branch := len(open) == 0
	if branch {
		if len(posted) > 0 {
			meet()
			return nil, false, nil
		}
	}
	fact, value := factUnsure, strings.Join(open, " ")
	if branch {
		fact, value = factNone, "none"
	}
	if v, asked := p.Session.Fact(fact); v == value && asked.After(at) && p.Env.Now().Sub(asked) < again {
		return nil, false, nil
	}
	if p.Env.Proc == nil {
		return nil, false, gate.ErrHandOver
	}
	dir := p.Event.Cwd
	if branch {
		ref, found := walkthrough.LookBranch(ctx, p.Env.Proc.Run, dir, c.Sentinel)
		switch found {
		case walkthrough.Absent:
			return []string{name(ref)}, true, nil
		case walkthrough.Found:
			p.Record(session.Add(postedSet(o), name(ref)))
			meet()
		default:
			p.Record(session.Note(fact, value, p.Env.Now()))
		}
		return nil, false, nil
	}
	unsure := false
	for _, key := range open {
		switch walkthrough.Look(ctx, p.Env.Proc.Run, dir, refOf(key), c.Sentinel) {
		case walkthrough.Absent:
			return []string{key}, true, nil
		case walkthrough.Found, walkthrough.NoPR:
			p.Record(session.Add(postedSet(o), key))
		default:
			unsure = true
		}
	}
	if unsure {
		p.Record(session.Note(fact, value, p.Env.Now()))
	} else {
		meet()
	}
	return nil, false, nil
}

// postedSet is the first set of what is not owed: where walkthroughs are kept.
func postedSet(o *pack.Obligation) string {
	if len(o.Except) > 0 {
		return o.Except[0]
	}
	return "walkthroughs"
}

func name(ref pr.Ref) string {
	if url := ref.URL(); url != "" {
		return url
	}
	if ref.Number != 0 {
		return ref.String()
	}
	return thisBranch
}

// reconcileID is the row of every pack that has watch slots.
const reconcileID = "reconcile"

// reconcile is said at the start of a session that left watch slots open.
func (c *compiled) reconcile() *gate.Gate {
	return &gate.Gate{
		ID: c.gateID(reconcileID), Doc: "names the open watch slots of this session at its start", On: []hook.EventName{hook.SessionStart},
		Strength: gate.Suggest,
		Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
			list, err := c.slots(p, !c.told) // the first pack with slots tells of ours
			if err != nil {
				return hook.Verdict{}, gate.Skip("watch slots cannot be read: " + err.Error())
			}
			own, orphans := slots.Open(list, p.Event.SessionID)
			var lines []string
			if len(own) > 0 {
				text := c.Reconcile
				if text == "" {
					text = "{items}: finish those whose pull request is merged or closed, and watch the others again."
				}
				lines = append(lines, count(len(own), "open watch slot")+" of this session: "+c.fill(text, "watch", "", slugs(own)))
			}
			if len(orphans) > 0 {
				lines = append(lines, count(len(orphans), "open watch slot")+" of other sessions ("+listed(slugs(orphans))+"): orphaned here, leave them to their own session and do not act on them.")
			}
			if len(lines) == 0 {
				return hook.Verdict{}, gate.Skip("no open slot")
			}
			return hook.Verdict{Decision: hook.Advise, Rule: c.rule(reconcileID), Context: strings.Join(lines, "\n")}, nil
		},
	}
}

func slugs(list []slots.Slot) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s.Slug
		if s.URL != "" {
			out[i] += " (" + s.URL + ")"
		}
	}
	return out
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
