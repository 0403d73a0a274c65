package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// version is that of the file's shape. It comes first in the file, so that an
// older program stops before it misreads what follows.
const version = 1

// ErrVersion is wrapped when a newer program wrote the state. The file is left
// as it is.
var ErrVersion = errors.New("written by a newer guardrails")

// ErrCorrupt is wrapped when a state file cannot be read as one. Callers treat
// it as a lapse: what is not known is not satisfied either.
var ErrCorrupt = errors.New("damaged session state")

// The file is JSON, written and read by hand: reflection costs more than the
// rest of an update together.

// encode returns the file's content. Equal states give equal bytes.
func (s *state) encode() []byte {
	w := writer(make([]byte, 0, s.size+s.size/16+1024))
	w.raw(`{"v":`)
	w.num(version)
	w.text("host", s.host)
	w.text("id", s.id)
	w.int("made", s.made)
	w.int("updated", s.updated)
	w.int("lost", s.lost)
	s.scope.encode(&w)
	if len(s.agents) > 0 {
		w.key("agents")
		w.raw("{")
		for _, e := range s.agents {
			w.key(e.name)
			w.raw("{")
			w.int("touched", e.val.touched)
			e.val.encode(&w)
			w.raw("}")
		}
		w.raw("}")
	}
	w.flag("agentsFull", s.agentsFull)
	w.texts("seen", s.seen)
	if len(s.answers) > 0 {
		w.key("answers")
		w.raw("[")
		for _, a := range s.answers {
			w.comma()
			w.raw("{")
			w.text("key", a.key)
			w.int("written", micros(a.Written))
			w.text("decision", a.Decision)
			w.text("rule", a.Rule)
			if len(a.Outcomes) > 0 {
				w.key("outcomes")
				w.raw("[")
				for _, o := range a.Outcomes {
					w.comma()
					w.raw("{")
					w.text("id", o.ID)
					w.int("action", int64(o.Action))
					w.int("attempt", int64(o.Attempt))
					w.int("budget", int64(o.Budget))
					w.raw("}")
				}
				w.raw("]")
			}
			w.raw("}")
		}
		w.raw("]")
	}
	if len(s.mail) > 0 {
		w.key("mail")
		w.raw("[")
		for _, m := range s.mail {
			w.comma()
			w.raw("{")
			w.int("kind", int64(m.Kind))
			w.text("agent", m.Agent)
			w.text("text", m.Text)
			w.int("at", micros(m.At))
			w.raw("}")
		}
		w.raw("]")
	}
	w.raw("}\n")
	return w
}

func (c *scope) encode(w *writer) {
	if c.turn != (turn{}) {
		w.key("turn")
		w.raw("{")
		w.int("n", c.turn.n)
		w.int("at", c.turn.at)
		w.int("blocks", c.turn.blocks)
		w.int("deferrals", c.turn.defers)
		w.raw("}")
	}
	if len(c.sets) > 0 {
		var full []string
		w.key("sets")
		w.raw("{")
		for _, e := range c.sets {
			w.list(e.name, e.val.members)
			if e.val.full {
				full = append(full, e.name)
			}
		}
		w.raw("}")
		w.texts("full", full)
	}
	if len(c.counters) > 0 {
		w.key("counters")
		w.raw("{")
		for _, e := range c.counters {
			w.key(e.name)
			w.num(e.val)
		}
		w.raw("}")
	}
	if len(c.facts) > 0 {
		w.key("facts")
		w.raw("{")
		for _, e := range c.facts {
			w.key(e.name)
			w.raw("[")
			w.quote(e.val.value)
			w.raw(",")
			w.num(e.val.at)
			w.raw("]")
		}
		w.raw("}")
	}
	if len(c.owed) > 0 {
		w.key("owed")
		w.raw("{")
		for _, e := range c.owed {
			o := &e.val
			w.key(e.name)
			w.raw("{")
			w.flag("open", o.open)
			w.text("finding", o.finding)
			w.int("opened", o.opened)
			w.int("met", o.met)
			w.text("skipped", o.skipped)
			w.int("released", o.released)
			w.int("turn", o.turn)
			w.int("blocks", o.blocks)
			w.text("shown", o.shown)
			w.raw("}")
		}
		w.raw("}")
	}
}

// writer appends JSON. Fields with a zero value are left out.
type writer []byte

func (w *writer) raw(s string) { *w = append(*w, s...) }
func (w *writer) num(n int64)  { *w = strconv.AppendInt(*w, n, 10) }

// comma separates from what went before in the same object or array.
func (w *writer) comma() {
	if c := (*w)[len(*w)-1]; c != '{' && c != '[' {
		*w = append(*w, ',')
	}
}

func (w *writer) key(k string) {
	w.comma()
	w.quote(k)
	*w = append(*w, ':')
}

func (w *writer) text(k, s string) {
	if s != "" {
		w.key(k)
		w.quote(s)
	}
}

func (w *writer) int(k string, n int64) {
	if n != 0 {
		w.key(k)
		w.num(n)
	}
}

func (w *writer) flag(k string, b bool) {
	if b {
		w.key(k)
		w.raw("true")
	}
}

func (w *writer) texts(k string, list []string) {
	if len(list) > 0 {
		w.list(k, list)
	}
}

func (w *writer) list(k string, list []string) {
	w.key(k)
	w.raw("[")
	for i, s := range list {
		if i > 0 {
			w.raw(",")
		}
		w.quote(s)
	}
	w.raw("]")
}

// quote appends s, which is valid UTF-8, as a JSON string.
func (w *writer) quote(s string) {
	const hex = "0123456789abcdef"
	b := append(*w, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	b = append(b, s[from:]...)
	*w = append(b, '"')
}

// decode reads a file's content. Errors wrap ErrCorrupt or ErrVersion.
func decode(data string) (*state, error) {
	r := &reader{s: data}
	if !utf8.ValidString(data) {
		r.fail("not UTF-8")
	}
	s := &state{size: len(data)}
	first := true
	r.object(func(key string) {
		if first != (key == "v") {
			r.fail("the version is not where it must be")
			return
		}
		first = false
		switch key {
		case "v":
			if v := r.num(); r.err == nil && v != version {
				r.err = ErrCorrupt
				if v > version {
					r.err = ErrVersion
				}
				r.err = fmt.Errorf("%w (version %d, this one reads %d)", r.err, v, version)
			}
		case "host":
			s.host = r.text()
		case "id":
			s.id = r.text()
		case "made":
			s.made = r.count()
		case "updated":
			s.updated = r.count()
		case "lost":
			s.lost = r.count()
		case "agents":
			r.object(func(name string) {
				c := &scope{}
				r.object(func(key string) {
					if key == "touched" {
						c.touched = r.count()
						return
					}
					c.decode(r, key)
				})
				insert(r, &s.agents, name, c)
			})
		case "agentsFull":
			s.agentsFull = r.flag()
		case "seen":
			s.seen = r.texts(maxSeen)
		case "answers":
			r.array(func() { s.answers = append(s.answers, r.answer()) })
		case "mail":
			r.array(func() { s.mail = append(s.mail, r.mail()) })
		default:
			s.scope.decode(r, key)
		}
	})
	r.end()
	if first {
		r.fail("no version")
	}
	if r.err == nil && (len(s.agents) > maxAgents || len(s.answers) > maxAnswers || len(s.mail) > maxMail) {
		r.fail("more than the bounds allow")
	}
	if r.err != nil {
		return nil, r.err
	}
	return s, nil
}

func (c *scope) decode(r *reader, key string) {
	switch key {
	case "turn":
		r.object(func(key string) {
			switch key {
			case "n":
				c.turn.n = r.count()
			case "at":
				c.turn.at = r.count()
			case "blocks":
				c.turn.blocks = r.count()
			case "deferrals":
				c.turn.defers = r.count()
			default:
				r.unknown(key)
			}
		})
	case "sets":
		r.object(func(name string) {
			members := r.texts(maxMembers)
			if !sorted(members) {
				slices.Sort(members)
				members = slices.Compact(members)
			}
			insert(r, &c.sets, name, set{members: members})
		})
	case "full":
		for _, name := range r.texts(maxNames) {
			s, _ := c.sets.get(name)
			s.full = true
			c.sets.put(name, s)
		}
	case "counters":
		r.object(func(name string) { insert(r, &c.counters, name, r.num()) })
	case "facts":
		r.object(func(name string) {
			var f fact
			r.want('[')
			f.value = r.text()
			r.want(',')
			f.at = r.count()
			r.want(']')
			insert(r, &c.facts, name, f)
		})
	case "owed":
		r.object(func(name string) {
			var o owed
			r.object(func(key string) {
				switch key {
				case "open":
					o.open = r.flag()
				case "finding":
					o.finding = r.text()
				case "opened":
					o.opened = r.count()
				case "met":
					o.met = r.count()
				case "skipped":
					o.skipped = r.text()
				case "released":
					o.released = r.count()
				case "turn":
					o.turn = r.count()
				case "blocks":
					o.blocks = r.count()
				case "shown":
					o.shown = r.text()
				default:
					r.unknown(key)
				}
			})
			insert(r, &c.owed, name, o)
		})
	default:
		r.unknown(key)
	}
}

// sorted reports whether list is strictly ascending.
func sorted(list []string) bool {
	for i := 1; i < len(list); i++ {
		if list[i-1] >= list[i] {
			return false
		}
	}
	return true
}

func insert[T any](r *reader, t *table[T], name string, v T) {
	if r.err != nil {
		return
	}
	if _, twice := t.find(name); twice {
		r.fail("the name " + strconv.Quote(name) + " stands twice")
	} else if !t.put(name, v) {
		r.fail("more names than the bounds allow")
	}
}

func (r *reader) answer() (a Answer) {
	r.object(func(key string) {
		switch key {
		case "key":
			a.key = r.text()
		case "written":
			a.Written = fromMicros(r.count())
		case "decision":
			a.Decision = r.text()
		case "rule":
			a.Rule = r.text()
		case "outcomes":
			r.array(func() {
				var o Outcome
				r.object(func(key string) {
					switch key {
					case "id":
						o.ID = r.text()
					case "action":
						o.Action = Action(r.count())
					case "attempt":
						o.Attempt = int(r.count())
					case "budget":
						o.Budget = int(r.count())
					default:
						r.unknown(key)
					}
				})
				if a.Outcomes = append(a.Outcomes, o); len(a.Outcomes) > maxOutcomes {
					r.fail("more outcomes than the bounds allow")
				}
			})
		default:
			r.unknown(key)
		}
	})
	return a
}

func (r *reader) mail() (m Mail) {
	r.object(func(key string) {
		switch key {
		case "kind":
			m.Kind = MailKind(r.count())
		case "agent":
			m.Agent = r.text()
		case "text":
			m.Text = r.text()
		case "at":
			m.At = fromMicros(r.count())
		default:
			r.unknown(key)
		}
	})
	return m
}

// reader reads JSON of a known shape. After the first error it reads nothing
// more; the values that it then returns are zero.
type reader struct {
	s   string
	i   int
	err error
}

func (r *reader) fail(why string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s at byte %d", ErrCorrupt, why, r.i)
	}
}

func (r *reader) unknown(key string) { r.fail("unknown key " + strconv.Quote(key)) }

// next skips white space and returns the byte there, 0 at the end.
func (r *reader) next() byte {
	if r.err != nil {
		return 0
	}
	for r.i < len(r.s) {
		switch c := r.s[r.i]; c {
		case ' ', '\t', '\n', '\r':
			r.i++
		default:
			return c
		}
	}
	return 0
}

func (r *reader) want(c byte) {
	if r.next() != c {
		r.fail("no " + strconv.QuoteRune(rune(c)))
		return
	}
	r.i++
}

func (r *reader) end() {
	if r.next() != 0 || (r.err == nil && r.i < len(r.s)) {
		r.fail("something after the end")
	}
}

func (r *reader) object(field func(key string)) {
	r.want('{')
	if r.next() == '}' {
		r.i++
		return
	}
	for r.err == nil {
		key := r.text()
		r.want(':')
		if r.err != nil {
			return
		}
		field(key)
		if r.next() == ',' {
			r.i++
			continue
		}
		r.want('}')
		return
	}
}

func (r *reader) array(item func()) {
	r.want('[')
	if r.next() == ']' {
		r.i++
		return
	}
	for r.err == nil {
		item()
		if r.next() == ',' {
			r.i++
			continue
		}
		r.want(']')
		return
	}
}

// texts reads an array of at most max strings.
func (r *reader) texts(max int) (list []string) {
	r.array(func() {
		if len(list) == max {
			r.fail("more items than the bounds allow")
			return
		}
		if list == nil && max == maxMembers {
			// The longest lists: most of what follows is theirs.
			list = make([]string, 0, min(max, 16+(len(r.s)-r.i)/48))
		}
		list = append(list, r.text())
	})
	return list
}

func (r *reader) text() string {
	r.want('"')
	if r.err != nil {
		return ""
	}
	rest := r.s[r.i:]
	n := strings.IndexByte(rest, '"')
	if n < 0 {
		r.fail("a string without an end")
		return ""
	}
	plain := true
	for i := range n {
		if c := rest[i]; c < ' ' || c == '\\' {
			plain = false
			break
		}
	}
	if plain {
		r.i += n + 1
		return rest[:n]
	}
	n = 0
	for n < len(rest) && rest[n] != '"' {
		if rest[n] == '\\' {
			n++
		}
		n++
	}
	if n >= len(rest) {
		r.fail("a string without an end")
		return ""
	}
	var s string
	if err := json.Unmarshal([]byte(r.s[r.i-1:r.i+n+1]), &s); err != nil {
		r.fail("a string that is not JSON")
		return ""
	}
	r.i += n + 1
	return s
}

func (r *reader) num() int64 {
	r.next()
	from := r.i
	for r.i < len(r.s) && (r.s[r.i] == '-' || ('0' <= r.s[r.i] && r.s[r.i] <= '9')) {
		r.i++
	}
	digits := r.s[from:r.i]
	n, err := strconv.ParseInt(digits, 10, 64)
	plain := strings.TrimPrefix(digits, "-")
	if err != nil || (plain[0] == '0' && digits != "0") {
		r.fail("not a whole number")
		return 0
	}
	return n
}

// count reads a number that is not negative.
func (r *reader) count() int64 {
	n := r.num()
	if n < 0 {
		r.fail("a negative number")
		return 0
	}
	return n
}

func (r *reader) flag() bool {
	r.next()
	switch rest := r.s[min(r.i, len(r.s)):]; {
	case r.err != nil:
	case strings.HasPrefix(rest, "true"):
		r.i += 4
		return true
	case strings.HasPrefix(rest, "false"):
		r.i += 5
	default:
		r.fail("neither true nor false")
	}
	return false
}
