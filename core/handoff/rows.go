package handoff

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/handoff/emits"
	"github.com/ec261362/guardrails/core/handoff/marker"
	"github.com/ec261362/guardrails/core/handoff/outcome"
	"github.com/ec261362/guardrails/core/handoff/pack"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
	"github.com/ec261362/guardrails/core/testrun"
)

// gates returns the pack's gates: recorders, so that what they see is there for
// all others of the same call; then advice, prerequisites and obligations.
func (c *compiled) gates() []*gate.Gate {
	var out []*gate.Gate
	for i := range c.Recorders {
		out = append(out, c.recorder(c.Recorders[i].ID, c.Recorders[i].Doc, c.Recorders[i].On))
	}
	if g := c.skips(); g != nil {
		out = append(out, g)
	}
	for i := range c.Advice {
		out = append(out, c.advice(&c.Advice[i]))
	}
	for i := range c.Prerequisites {
		out = append(out, c.prerequisite(&c.Prerequisites[i])...)
	}
	for i := range c.Obligations {
		o := &c.Obligations[i]
		if own := slices.Concat(implied(o.Opens, o.ID, true), implied(o.Meets, o.ID, false)); len(own) > 0 {
			out = append(out, c.recorder(o.ID+"/seen", "what opens and meets "+o.ID, own))
		}
		out = append(out, c.obligation(o))
	}
	if c.Slots != "" {
		out = append(out, c.reconcile())
	}
	return out
}

// implied gives triggers that stand inside an obligation their effect.
func implied(list []pack.Trigger, id string, opens bool) []pack.Trigger {
	out := slices.Clone(list)
	for i := range out {
		if opens {
			out[i].Opens = append(slices.Clone(out[i].Opens), id)
		} else {
			out[i].Meets = append(slices.Clone(out[i].Meets), id)
		}
	}
	return out
}

// events returns when triggers can see something.
func events(list []pack.Trigger) []hook.EventName {
	var out []hook.EventName
	add := func(names ...hook.EventName) {
		for _, n := range names {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	for i := range list {
		switch t := &list[i]; {
		case t.Sees == pack.SeesBuild:
			add(hook.UserPromptSubmit)
		case len(t.PR) > 0:
			add(after...)
			add(hook.UserPromptSubmit)
		default:
			add(after...)
		}
	}
	return out
}

func (c *compiled) mayAny(list []pack.Trigger) func(*hook.Event) bool {
	return func(e *hook.Event) bool {
		for i := range list {
			if c.may(&list[i], e) {
				return true
			}
		}
		return false
	}
}

func (c *compiled) recorder(id, doc string, on []pack.Trigger) *gate.Gate {
	return &gate.Gate{
		ID: c.gateID(id), Doc: doc, On: events(on), State: true, Strength: gate.Record,
		Wants: c.mayAny(on),
		Run: func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
			any := false
			for i := range on {
				if s, ok := c.look(ctx, p, &on[i]); ok {
					any = true
					c.effects(p, s)
				}
			}
			if !any {
				return hook.Verdict{}, gate.Skip("not what it waits for")
			}
			return hook.Verdict{}, nil
		},
	}
}

// effects records what a trigger changes. Nothing is recorded that is so
// already, so that a call that changes nothing writes nothing.
func (c *compiled) effects(p *gate.Pass, s seen) {
	t := s.trigger
	fresh := t.Add != "" && slices.ContainsFunc(s.keys, func(k string) bool { return !p.Session.Has(t.Add, k) })
	if t.Note != "" {
		v := "yes"
		if len(s.keys) > 0 {
			v = s.keys[0]
		}
		p.Record(session.Note(t.Note, v, p.Env.Now()))
	}
	for _, k := range s.keys {
		if t.Add != "" && !p.Session.Has(t.Add, k) {
			p.Record(session.Add(t.Add, k))
		}
		if t.Remove != "" {
			for _, have := range p.Session.Set(t.Remove) {
				if have == k || holds([]string{have}, k) {
					p.Record(session.Remove(t.Remove, have))
				}
			}
		}
	}
	if t.Move != "" {
		for _, k := range p.Session.Set(t.Move) {
			p.Record(session.Remove(t.Move, k))
			p.Record(session.Add(t.To, k))
		}
	}
	for _, id := range t.Opens {
		// What was released is told again only for something new: green tests after
		// green tests are not.
		if o, _ := p.Session.Obligation(c.rule(id)); !o.Owing() && (!o.Released() || fresh) {
			p.Record(session.Open(c.rule(id), "", time.Time{}))
			if what := hook.Clip(listed(s.keys), 200); what != "" && !c.each(id) {
				p.Record(session.Note(reasonOf(c.rule(id)), what, p.Env.Now()))
			}
		}
	}
	for _, id := range t.Meets {
		if c.stillOwed(p, id, s) {
			continue
		}
		if o, known := p.Session.Obligation(c.rule(id)); c.each(id) && (!known || !o.Owing() && o.Blocks == 0) {
			continue
		}
		p.Record(session.Meet(c.rule(id), time.Time{}))
	}
	for _, id := range t.Withdraws {
		if o, ok := p.Session.Obligation(c.rule(id)); ok && o.Owing() && !c.stillOwed(p, id, s) {
			p.Record(session.Withdraw(c.rule(id), time.Time{}))
		}
	}
}

// each reports whether an obligation is owed member by member.
func (c *compiled) each(id string) bool {
	return slices.ContainsFunc(c.Obligations, func(o pack.Obligation) bool { return o.ID == id && o.Each != "" })
}

// reasonOf names the fact that says what an obligation was opened by.
func reasonOf(rule string) string { return "opened:" + rule }

// stillOwed reports whether an obligation that is owed one by one has members
// left once a trigger's effects are counted in.
func (c *compiled) stillOwed(p *gate.Pass, id string, s seen) bool {
	i := slices.IndexFunc(c.Obligations, func(o pack.Obligation) bool { return o.ID == id })
	if i < 0 || c.Obligations[i].Each == "" {
		return false
	}
	o := &c.Obligations[i]
	if o.Check == pack.CheckReplies || o.Check == pack.CheckSlots {
		return true // what is on disk decides, at the end of the turn
	}
	for _, k := range c.outstanding(p, o) {
		gone := slices.Contains(o.Except, s.trigger.Add) && holds(s.keys, k) ||
			s.trigger.Remove == o.Each && holds(s.keys, k) || s.trigger.Move == o.Each
		if !gone {
			return true
		}
	}
	return false
}

// outstanding returns what of an obligation's set is owed, as far as the session
// knows.
func (c *compiled) outstanding(p *gate.Pass, o *pack.Obligation) []string {
	var out []string
	left := p.Session.Set(skippedOf(c.rule(o.ID)))
	for _, k := range p.Session.Set(o.Each) {
		if holds(left, k) || slices.ContainsFunc(o.Except, func(set string) bool { return holds(p.Session.Set(set), k) }) {
			continue
		}
		out = append(out, k)
	}
	return out
}

// skippedOf names the set of an obligation's members that a marker skipped.
func skippedOf(rule string) string { return SetSkipped + ":" + rule }

// tokens returns the skip markers of the pack.
func (c *compiled) tokens() []string {
	var out []string
	add := func(name string) {
		if name != "" && !slices.Contains(out, c.SkipPrefix+name) {
			out = append(out, c.SkipPrefix+name)
		}
	}
	for i := range c.Obligations {
		add(c.Obligations[i].Skip)
	}
	for i := range c.Prerequisites {
		add(c.Prerequisites[i].Skip)
	}
	return out
}

// SkipsID is the row that records skip markers; every pack with one has it.
const SkipsID = "skips"

func (c *compiled) skips() *gate.Gate {
	tokens := c.tokens()
	if len(tokens) == 0 {
		return nil
	}
	return &gate.Gate{
		ID: c.gateID(SkipsID), Doc: "records skip markers and their reasons", On: after,
		Tools: hook.Tools(hook.Shell), State: true, Strength: gate.Suggest,
		Wants: func(e *hook.Event) bool {
			return marker.Mentions(c.command(e), tokens)
		},
		Run: func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
			l := p.Commands()
			if l == nil {
				return hook.Verdict{}, gate.Skip("no command line")
			}
			res := result(p)
			failed := p.Event.Name == hook.PostToolUseFailure || outcome.VisiblyFailed(res)
			marks, refused := marker.Find(l, tokens, strings.Join(outcome.Texts(res), "\n"), failed)
			for _, m := range marks {
				if why := c.skip(ctx, p, m); why != "" {
					refused = append(refused, marker.Mark{Token: m.Token, Reason: why})
				}
			}
			var told []string
			for _, m := range refused {
				text := m.Token + ` needs a reason and was not counted: run echo "` + m.Token + `: why it cannot be done here" as a command of its own.`
				if m.Reason != "" && len(marks) > 0 && slices.ContainsFunc(marks, func(x marker.Mark) bool { return x.Token == m.Token }) {
					text = m.Token + " was not counted: " + m.Reason
				}
				told = append(told, text)
			}
			if len(told) > 0 {
				return hook.Verdict{Decision: hook.Advise, Rule: Prefix + SkipsID, Context: strings.Join(told, "\n")}, nil
			}
			if len(marks) == 0 {
				return hook.Verdict{}, gate.Skip("the token is only mentioned")
			}
			return hook.Verdict{}, nil
		},
	}
}

// skip records one marker and returns why it does not count, "" if it does.
func (c *compiled) skip(ctx context.Context, p *gate.Pass, m marker.Mark) (why string) {
	name := strings.TrimPrefix(m.Token, c.SkipPrefix)
	for i := range c.Prerequisites {
		if c.Prerequisites[i].Skip == name && !p.Session.Has(SetSkipped, m.Token) {
			p.Record(session.Add(SetSkipped, m.Token))
		}
	}
	for i := range c.Obligations {
		o := &c.Obligations[i]
		if o.Skip != name {
			continue
		}
		rule := c.rule(o.ID)
		if o.SkipMute && !c.Mute {
			continue // this host can ask its user: only the question clears it
		}
		if !o.SkipEach {
			p.Record(session.Skip(rule, m.Reason))
			continue
		}
		if o.Check == pack.CheckReplies {
			id, reason := m.For()
			if id == "" || reason == "" {
				return `it names the comment first, then the reason: ` + c.marker(o.Skip, true)
			}
			if !c.DryRun {
				known, err := c.ledger(p).Skip(ctx, p.Event.SessionID, id, reason)
				if err != nil {
					return "the ledger could not be written: " + err.Error()
				}
				if !known {
					return id + " is no review comment that this session took on; it names the comment first, then the reason: " + c.marker(o.Skip, true)
				}
			}
			p.Record(session.Add(skippedOf(rule), id))
			continue
		}
		id, reason := m.For()
		members := p.Session.Set(o.Each)
		switch {
		case id != "" && slices.Contains(members, id) && reason != "":
			p.Record(session.Add(skippedOf(rule), id))
		case slices.Contains(members, m.Reason):
			return "it names the id and no reason: " + c.marker(o.Skip, true)
		default:
			p.Record(session.Skip(rule, m.Reason))
		}
	}
	return ""
}

// told names the fact that an advice was given.
func told(rule string) string { return "told:" + rule }

func (c *compiled) advice(a *pack.Advice) *gate.Gate {
	rule := c.rule(a.ID)
	return &gate.Gate{
		ID: c.gateID(a.ID), Doc: a.Doc, On: events(a.On), State: true, Strength: gate.Suggest,
		Wants: c.mayAny(a.On),
		Run: func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
			var items []string
			var command string
			any, speaks, unknown := false, false, false
			for i := range a.On {
				s, ok := c.look(ctx, p, &a.On[i])
				if !ok {
					continue
				}
				any = true
				c.effects(p, s)
				if !s.trigger.Silent {
					speaks, unknown = true, unknown || s.unknown
					items = append(items, s.keys...)
					if len(s.trigger.Tests) > 0 {
						command = testrun.Judge(c.run(p)).Unmasked
					}
				}
			}
			if strings.Contains(a.Text, commandPlace) && command == "" {
				speaks = false
			}
			switch {
			case !any:
				return hook.Verdict{}, gate.Skip("not what it waits for")
			case !speaks || !c.on(a.Preferences):
				return hook.Verdict{}, nil
			}
			if a.Once {
				if v, _ := p.Session.Fact(told(rule)); v != "" {
					return hook.Verdict{}, nil
				}
				p.Record(session.Note(told(rule), "yes", p.Env.Now()))
			}
			text := a.Text
			if unknown && a.Unknown != "" {
				text = a.Unknown
			}
			if extra := a.KeepUp; extra != "" || a.Cleanup != "" {
				if c.on([]string{"autoCleanup"}) {
					extra = a.Cleanup
				}
				text = strings.TrimRight(text, "\n") + "\n" + extra
			}
			text = strings.ReplaceAll(text, commandPlace, command)
			return hook.Verdict{Decision: hook.Advise, Rule: rule, Context: c.fill(text, a.ID, "", items)}, nil
		},
	}
}

// commandPlace stands in an advice on a test run for the command that would prove
// what it did not; an advice with it says nothing where there is none.
const commandPlace = "{command}"

// fill puts values for the placeholders of a text: {items}, {args} (the items as
// words of a command), {skip}, {bin}, {why} (the explain command).
func (c *compiled) fill(text, id, marker string, items []string) string {
	bin := c.Binary
	if bin == "" {
		bin = "guardrails"
	}
	bin = quoted(bin)
	var args []string
	for _, item := range items[:min(len(items), mostItems)] {
		args = append(args, quoted(item))
	}
	if len(items) > 0 && items[0] != anyItem { // the marker of one of them, as it is to be typed
		marker = strings.Replace(marker, "<id>", items[0], 1)
	}
	text = strings.TrimSpace(strings.NewReplacer(
		"{items}", listed(items), "{args}", strings.Join(args, " "), "{skip}", marker, "{bin}", bin, "{why}", bin+" explain "+c.rule(id),
	).Replace(text))
	return strings.ReplaceAll(text, " \n", "\n") // where nothing was put in
}

// quoted is a word as every shell takes it for one.
func quoted(word string) string {
	for _, r := range word {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:@%+=,\\", r)) {
			return "'" + word + "'"
		}
	}
	return word
}

// anyItem stands for the items where a row is described.
const anyItem = "…"

// mostItems is how many items a text names.
const mostItems = 8

// listed names items, the first ones of many.
func listed(items []string) string {
	if len(items) > mostItems {
		return strings.Join(items[:mostItems], ", ") + " and others"
	}
	return strings.Join(items, ", ")
}

// unlocked names the fact that a prerequisite is fulfilled.
func unlocked(rule string) string { return "unlocked:" + rule }

func (c *compiled) prerequisite(q *pack.Prerequisite) []*gate.Gate {
	rule := c.rule(q.ID)
	marker := c.marker(q.Skip, false)
	deny := &gate.Gate{
		ID: c.gateID(q.ID), Doc: q.Doc, On: before, State: q.Skill != "" || q.Known != "" || q.Skip != "" || len(q.Until) > 0, Strength: gate.Enforce,
		Wants: c.mayAny(q.Before),
		Run: func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
			if q.Skip != "" && p.Session.Has(SetSkipped, c.SkipPrefix+q.Skip) {
				return hook.Verdict{}, gate.Skip("skipped by its marker")
			}
			if q.Skill != "" {
				if v, _ := p.Session.Fact(FactSkill); v != q.Skill {
					return hook.Verdict{}, gate.Skip("another skill is in play")
				}
			}
			if len(q.Until) > 0 {
				if v, _ := p.Session.Fact(unlocked(rule)); v != "" {
					return hook.Verdict{}, gate.Skip("it has happened")
				}
			}
			var items []string
			if q.Known != "" {
				items = slices.DeleteFunc(emits.Cases(p.Event.Tool), func(k string) bool { return holds(p.Session.Set(q.Known), k) })
				if len(items) == 0 {
					return hook.Verdict{}, gate.Skip("nothing that is not known")
				}
			}
			for i := range q.Before {
				if _, ok := c.look(ctx, p, &q.Before[i]); ok {
					return hook.Verdict{Decision: hook.Deny, Rule: rule, Reason: c.fill(q.Text, q.ID, marker, items)}, nil
				}
			}
			return hook.Verdict{}, gate.Skip("not what it refuses")
		},
	}
	if len(q.Until) == 0 {
		return []*gate.Gate{deny}
	}
	lock := slices.Concat(q.Until, q.Again)
	seen := &gate.Gate{
		ID: c.gateID(q.ID + "/seen"), Doc: "what unlocks and locks " + q.ID, On: events(lock), State: true, Strength: gate.Record,
		Wants: c.mayAny(lock),
		Run: func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
			any := false
			have, _ := p.Session.Fact(unlocked(rule))
			for i, list := range [...][]pack.Trigger{q.Again, q.Until} {
				for k := range list {
					s, ok := c.look(ctx, p, &list[k])
					if !ok {
						continue
					}
					any = true
					c.effects(p, s)
					if value := [...]string{"", "yes"}[i]; value != have {
						p.Record(session.Note(unlocked(rule), value, p.Env.Now()))
						have = value
					}
				}
			}
			if !any {
				return hook.Verdict{}, gate.Skip("not what it waits for")
			}
			return hook.Verdict{}, nil
		},
	}
	return []*gate.Gate{seen, deny}
}
