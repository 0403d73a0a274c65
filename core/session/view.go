// Package session keeps what we know of one host session, losslessly under
// parallel hook processes: facts, never contents.
//
// It owns the state file, the arithmetic of obligations and the Stop budget.
// It imports core/fsx and the standard library only, and knows no gate: names
// of sets, facts and obligations are its callers'.
package session

import (
	"slices"
	"strings"
	"time"
)

// Touched is the name of the set of paths that were written.
const Touched = "touched"

// View is a read-only snapshot of a session, or of one subagent in it. The zero
// value is an empty, new session. It is safe for parallel use.
type View struct {
	s     *state
	c     *scope
	blind bool // of a subagent whose part was dropped
}

func (v View) scope() *scope {
	if v.c == nil {
		return &scope{}
	}
	return v.c
}

// Agent returns what the session keeps of one subagent: its sets, counters,
// obligations and turn. An unknown one is empty.
func (v View) Agent(id string) View {
	if v.s == nil || id == "" {
		return v
	}
	if c, ok := v.s.agents.get(short(id, maxName)); ok {
		return View{s: v.s, c: c}
	}
	return View{s: v.s, c: &scope{}, blind: v.s.agentsFull}
}

// Agents lists the subagents that the session knows, sorted.
func (v View) Agents() []string {
	if v.s == nil {
		return nil
	}
	return tableNames(v.s.agents, "")
}

// Has reports whether key is in a set. If not, and Full, it may have been.
func (v View) Has(set, key string) bool {
	s, _ := v.scope().sets.get(short(set, maxName))
	_, ok := slices.BinarySearch(s.members, valid(key))
	return ok
}

// Set returns a set's members, sorted.
func (v View) Set(set string) []string {
	s, _ := v.scope().sets.get(short(set, maxName))
	return slices.Clone(s.members)
}

// Len returns how many members a set has.
func (v View) Len(set string) int {
	s, _ := v.scope().sets.get(short(set, maxName))
	return len(s.members)
}

// Full reports whether a set lacks members that were added after it had 5,000
// (1,000 in a subagent): it then stands for "these and others".
func (v View) Full(set string) bool {
	s, _ := v.scope().sets.get(short(set, maxName))
	return s.full || v.blind
}

// Touched returns the set Touched.
func (v View) Touched() []string { return v.Set(Touched) }

// Sets lists the names of the sets, sorted.
func (v View) Sets() []string { return tableNames(v.scope().sets, "") }

// Counter returns a counter's value, 0 if it never counted.
func (v View) Counter(name string) int64 {
	n, _ := v.scope().counters.get(short(name, maxName))
	return n
}

// Counters lists the names of the counters that are not 0, sorted.
func (v View) Counters() []string { return tableNames(v.scope().counters, "") }

// Fact returns a fact and its time; the zero time if it was never noted.
func (v View) Fact(name string) (value string, at time.Time) {
	f, _ := v.scope().facts.get(short(name, maxName))
	return f.value, fromMicros(f.at)
}

// Facts lists the names of the facts that begin with prefix, sorted.
func (v View) Facts(prefix string) []string { return tableNames(v.scope().facts, prefix) }

func tableNames[T any](t table[T], prefix string) []string {
	var out []string
	for _, e := range t {
		if strings.HasPrefix(e.name, prefix) {
			out = append(out, e.name)
		}
	}
	return out
}

// Owed is an obligation: something that a Stop gate insists on.
//
// Opening it anew changes its finding and takes a release back, but neither a
// skip nor the count of blocks: only meeting it resets that.
type Owed struct {
	ID             string
	Finding        string    // what it is about, as its recorder said
	OpenedAt       time.Time // last opened; zero = never
	MetAt          time.Time // last met; zero = never
	Skipped        string    // the reason, "" = not skipped
	ReleasedAt     time.Time // zero = not released
	ReleasedInTurn int       // number of that turn
	Blocks         int       // since it was last met or renewed

	owing bool
}

// Owing reports whether it is opened, not met since, not skipped and not
// released.
func (o Owed) Owing() bool { return o.owing }

// Released reports whether it was given up to the human.
func (o Owed) Released() bool { return !o.ReleasedAt.IsZero() }

func (o *owed) public(id string) Owed {
	return Owed{
		ID: id, Finding: o.finding, OpenedAt: fromMicros(o.opened), MetAt: fromMicros(o.met), Skipped: o.skipped,
		ReleasedAt: fromMicros(o.released), ReleasedInTurn: int(o.turn), Blocks: int(o.blocks), owing: o.owing(),
	}
}

// Obligation returns one obligation, and whether anything is known of it.
func (v View) Obligation(id string) (Owed, bool) {
	o, ok := v.scope().owed.get(short(id, maxName))
	return o.public(id), ok
}

// Obligations returns all obligations, settled ones too, sorted by id.
func (v View) Obligations() []Owed {
	t := v.scope().owed
	out := make([]Owed, len(t))
	for i := range t {
		out[i] = t[i].val.public(t[i].name)
	}
	return out
}

// Owing reports whether any obligation is owed.
func (v View) Owing() bool {
	t := v.scope().owed
	for i := range t {
		if t[i].val.owing() {
			return true
		}
	}
	return false
}

// Turn is what a human's prompt started.
type Turn struct {
	N         int       // prompts so far; 0 = none seen
	StartedAt time.Time // zero = none seen
	Blocks    int       // times that we kept it going
	Deferrals int       // Stops in a row that let it end because work still ran
}

// Turn returns the current turn.
func (v View) Turn() Turn {
	t := v.scope().turn
	return Turn{N: int(t.n), StartedAt: fromMicros(t.at), Blocks: int(t.blocks), Deferrals: int(t.defers)}
}

// Mail returns the texts that wait for an event that can carry them, oldest
// first.
func (v View) Mail() []Mail {
	if v.s == nil {
		return nil
	}
	return slices.Clone(v.s.mail)
}

// New reports whether nothing is kept of the session yet.
func (v View) New() bool { return v.s == nil || v.s.made == 0 }

// Host and ID name the session as the host does.
func (v View) Host() string {
	if v.s == nil {
		return ""
	}
	return v.s.host
}

// ID is the host's session id.
func (v View) ID() string {
	if v.s == nil {
		return ""
	}
	return v.s.id
}

// CreatedAt returns when the session was first recorded; zero if New.
func (v View) CreatedAt() time.Time {
	if v.s == nil {
		return time.Time{}
	}
	return fromMicros(v.s.made)
}

// UpdatedAt returns when the session last changed; zero if New.
func (v View) UpdatedAt() time.Time {
	if v.s == nil {
		return time.Time{}
	}
	return fromMicros(v.s.updated)
}

// LostAt returns when a damaged state file was last set aside; zero if never.
// What was known before is missing: nothing that the state lacks is proof that
// it did not happen.
func (v View) LostAt() time.Time {
	if v.s == nil {
		return time.Time{}
	}
	return fromMicros(v.s.lost)
}
