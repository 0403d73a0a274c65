package session

import "time"

// Op is what a Change does. The zero value does nothing.
type Op int

// Operations. Each is commutative with the others on different keys and
// idempotent where it says so, so that parallel hooks may replay in any order.
const (
	Nothing       Op = iota
	AddToSet         // Name is the set, Key the member; idempotent
	RemoveFromSet    // Name is the set, Key the member; idempotent
	AddToCounter     // Name is the counter, N the addend
	SetIfNewer       // Name is the fact, Value its text, At its time; an older one loses; idempotent
	OpenOwed         // Name is the obligation, Value its finding, At its time
	MeetOwed         // Name is the obligation, At its time; idempotent
	SkipOwed         // Name is the obligation, Value the reason; idempotent
	ReleaseOwed      // Name is the obligation; idempotent
)

// Change is one small operation on a session's state. Changes are data so that
// they can be replayed on the then-current file.
type Change struct {
	Op    Op
	Agent string // "" = the session itself, else inside agents[Agent]
	Name  string
	Key   string
	Value string
	N     int64
	At    time.Time
}

// Add returns the change that puts key into a set.
func Add(set, key string) Change { return Change{Op: AddToSet, Name: set, Key: key} }

// Remove returns the change that takes key out of a set.
func Remove(set, key string) Change { return Change{Op: RemoveFromSet, Name: set, Key: key} }

// Count returns the change that adds n to a counter.
func Count(counter string, n int64) Change { return Change{Op: AddToCounter, Name: counter, N: n} }

// Note returns the change that sets a fact unless a newer one is there.
func Note(fact, value string, at time.Time) Change {
	return Change{Op: SetIfNewer, Name: fact, Value: value, At: at}
}

// For returns c scoped to a subagent.
func (c Change) For(agentID string) Change { c.Agent = agentID; return c }
