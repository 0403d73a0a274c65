package session

import (
	"encoding/base64"
	"hash/fnv"
	"slices"
	"strings"
	"time"
)

// Bounds, so that a session of any length keeps a file of bounded size. What
// does not fit is dropped and marked where it would be missed.
const (
	maxMembers      = 5000 // in one set of the session
	maxAgentMembers = 1000 // in one set of a subagent
	maxAgents       = 64   // the one that changed longest ago goes first
	maxNames        = 512  // sets, counters, facts or obligations in one scope
	maxName         = 256  // bytes
	maxText         = 512  // bytes of a fact, finding or reason
	maxKey          = 4096 // bytes of a set's member
	maxSeen         = 256  // remembered calls
	maxAnswers      = 8    // remembered answers
	maxMail         = 5    // waiting texts
	maxMailBytes    = 4096 // in all of them
)

// state is a session's file, decoded.
type state struct {
	host, id            string
	made, updated, lost int64 // µs since 1970, 0 = never

	scope
	agents     table[*scope]
	agentsFull bool // a subagent's part was dropped

	seen    []string // marks of calls, oldest first
	answers []Answer // oldest first
	mail    []Mail   // oldest first

	size int // bytes that it was read from
}

// scope is what the session, or a subagent in it, has done.
type scope struct {
	touched  int64 // last change; subagents only
	turn     turn
	sets     table[set]
	counters table[int64]
	facts    table[fact]
	owed     table[owed]
}

type turn struct {
	n, at, blocks, defers int64
}

type set struct {
	members []string // sorted
	full    bool
}

type fact struct {
	value string
	at    int64
}

// owed is an obligation. open follows from the later of opened and met, and
// where they are equal from the one that was applied last.
type owed struct {
	finding  string
	open     bool
	opened   int64
	met      int64
	skipped  string
	released int64
	turn     int64 // number of the turn in which it was released
	blocks   int64
	shown    string // mark of the finding that the last block told in full
}

func (o *owed) owing() bool { return o.open && o.skipped == "" && o.released == 0 }

// table is a small map, kept sorted by name so that it encodes the same way
// every time and decodes without hashing.
type table[T any] []entry[T]

type entry[T any] struct {
	name string
	val  T
}

func (t table[T]) find(name string) (int, bool) {
	// The last name is the likeliest place while decoding.
	if n := len(t); n == 0 || t[n-1].name < name {
		return n, false
	}
	return slices.BinarySearchFunc(t, name, func(e entry[T], name string) int { return strings.Compare(e.name, name) })
}

func (t table[T]) get(name string) (v T, ok bool) {
	if i, ok := t.find(name); ok {
		return t[i].val, true
	}
	return v, false
}

// put stores v and reports whether there was room.
func (t *table[T]) put(name string, v T) bool {
	i, ok := t.find(name)
	if ok {
		(*t)[i].val = v
		return true
	}
	if len(*t) >= maxNames {
		return false
	}
	*t = slices.Insert(*t, i, entry[T]{name, v})
	return true
}

func (t *table[T]) remove(name string) {
	if i, ok := t.find(name); ok {
		*t = slices.Delete(*t, i, i+1)
	}
}

func (c *scope) clone() scope {
	d := *c
	d.sets = slices.Clone(c.sets)
	for i := range d.sets {
		d.sets[i].val.members = slices.Clone(d.sets[i].val.members)
	}
	d.counters = slices.Clone(c.counters)
	d.facts = slices.Clone(c.facts)
	d.owed = slices.Clone(c.owed)
	return d
}

func (s *state) clone() *state {
	d := *s
	d.scope = s.scope.clone()
	d.agents = slices.Clone(s.agents)
	for i := range d.agents {
		a := d.agents[i].val.clone()
		d.agents[i].val = &a
	}
	d.seen = slices.Clone(s.seen)
	d.answers = slices.Clone(s.answers)
	d.mail = slices.Clone(s.mail)
	return &d
}

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us)
}

// mark is a short stand-in for a text that is only ever compared.
func mark(text string) string {
	h := fnv.New64a()
	h.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// short returns text as the file keeps it: valid UTF-8 and at most max bytes,
// still different from other texts with the same beginning.
func short(text string, max int) string {
	text = valid(text)
	if len(text) <= max {
		return text
	}
	m := mark(text)
	return cut(text, max-len(m)-1) + "#" + m
}

func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// cut returns at most max bytes of valid text, and no part of a character.
func cut(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && text[max]&0xC0 == 0x80 {
		max--
	}
	return text[:max]
}

// apply carries c out on a scope and reports whether anything changed. limit
// bounds its sets.
func (c *scope) apply(ch Change, now, turn int64, limit int) bool {
	name := short(ch.Name, maxName)
	if name == "" {
		return false
	}
	at := now
	if !ch.At.IsZero() {
		at = min(ch.At.UnixMicro(), now) // nothing has happened in the future
	}
	switch ch.Op {
	case Nothing:
	case AddToSet:
		return c.add(name, valid(ch.Key), limit)
	case RemoveFromSet:
		s, ok := c.sets.get(name)
		i, there := slices.BinarySearch(s.members, valid(ch.Key))
		if !ok || !there {
			return false
		}
		s.members = slices.Delete(s.members, i, i+1)
		if len(s.members) == 0 && !s.full {
			c.sets.remove(name)
			return true
		}
		return c.sets.put(name, s)
	case ClearSet:
		_, ok := c.sets.get(name)
		c.sets.remove(name)
		return ok
	case AddToCounter:
		was, _ := c.counters.get(name)
		n := addClamped(was, ch.N)
		if n == was {
			return false
		}
		if n == 0 {
			c.counters.remove(name)
			return true
		}
		return c.counters.put(name, n)
	case SetIfNewer:
		return c.note(name, short(ch.Value, maxText), at, now)
	case OpenOwed, MeetOwed, WithdrawOwed, SkipOwed, ReleaseOwed, RenewOwed:
		was, ok := c.owed.get(name)
		o := was
		o.apply(ch.Op, short(ch.Value, maxText), at, now, turn)
		if o == was {
			return false
		}
		if ch.Op == MeetOwed && was.owing() && !o.owing() && was.blocks > 0 {
			c.turn.blocks = 0 // the agent did what the turn was kept going for
		}
		if !ok && len(c.owed) >= maxNames {
			c.dropOwed()
		}
		return c.owed.put(name, o)
	}
	return false
}

func (c *scope) add(name, key string, limit int) bool {
	if key == "" {
		return false
	}
	s, _ := c.sets.get(name)
	i, there := slices.BinarySearch(s.members, key)
	switch {
	case there:
		return false
	case len(s.members) >= limit || len(key) > maxKey:
		if s.full {
			return false
		}
		s.full = true
	default:
		s.members = slices.Insert(s.members, i, key)
	}
	return c.sets.put(name, s)
}

func (c *scope) note(name, value string, at, now int64) bool {
	was, ok := c.facts.get(name)
	if ok && was.at <= now && (was.at > at || (was.at == at && was.value == value)) {
		return false
	}
	if !ok && value == "" && at == 0 {
		return false
	}
	if !ok && len(c.facts) >= maxNames {
		oldest := 0
		for i := range c.facts {
			if c.facts[i].val.at < c.facts[oldest].val.at {
				oldest = i
			}
		}
		if c.facts[oldest].val.at > at {
			return false
		}
		c.facts = slices.Delete(c.facts, oldest, oldest+1)
	}
	return c.facts.put(name, fact{value, at})
}

// dropOwed makes room by forgetting the oldest obligation, one that is settled
// if there is any.
func (c *scope) dropOwed() {
	drop := 0
	for i := range c.owed {
		a, b := &c.owed[i].val, &c.owed[drop].val
		if a.owing() != b.owing() {
			if b.owing() {
				drop = i
			}
			continue
		}
		if max(a.opened, a.met) < max(b.opened, b.met) {
			drop = i
		}
	}
	c.owed = slices.Delete(c.owed, drop, drop+1)
}

// apply moves the obligation. Times that lie after now come from a clock that
// was wrong since: they count as the past.
func (o *owed) apply(op Op, value string, at, now, turn int64) {
	if o.opened > now {
		o.opened = min(at, now)
	}
	if o.met > now {
		o.met = min(at, now)
	}
	if o.released > now {
		o.released = min(at, now)
	}
	switch op {
	case OpenOwed:
		if at < o.opened || at < o.met {
			o.opened = max(o.opened, at)
			return
		}
		if at > o.opened || value != "" {
			o.finding = value
		}
		o.open, o.opened = true, at
		if at >= o.released {
			o.released = 0 // re-armed; what it has blocked still counts
		}
	case MeetOwed:
		if at > o.met || (at == o.met && at >= o.opened) {
			o.blocks, o.shown = 0, ""
		}
		if at >= o.opened {
			o.open, o.released = false, 0
		}
		o.met = max(o.met, at)
	case WithdrawOwed:
		if at >= o.opened {
			o.open, o.released = false, 0
		}
	case SkipOwed:
		if o.skipped == "" {
			o.skipped = value
		}
	case ReleaseOwed:
		if o.open && o.released == 0 && at >= o.opened {
			o.released, o.turn = at, turn
		}
	case RenewOwed:
		if o.open && o.released != 0 && at >= o.released {
			o.released, o.blocks, o.shown = 0, 0, ""
		}
	default: // no operation on obligations
	}
}

func addClamped(a, b int64) int64 {
	const most = 1<<53 - 1 // what every reader of JSON can hold
	n := a + b
	switch {
	case (b > 0 && n < a) || n > most:
		return most
	case (b < 0 && n > a) || n < -most:
		return -most
	}
	return n
}
