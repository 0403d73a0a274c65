package session

import "time"

// Op is what a Change does. The zero value does nothing.
type Op int

// Operations. Each is commutative with the others on different keys and
// idempotent where it says so, so that parallel hooks may replay in any order.
// Operations with a time are ordered by it, not by when they are replayed.
const (
	Nothing       Op = iota
	AddToSet         // Name is the set, Key the member; idempotent
	RemoveFromSet    // Name is the set, Key the member; idempotent
	AddToCounter     // Name is the counter, N the addend
	SetIfNewer       // Name is the fact, Value its text, At its time; an older one loses; idempotent
	OpenOwed         // Name is the obligation, Value its finding, At its time; see Owed
	MeetOwed         // Name is the obligation, At its time; idempotent
	SkipOwed         // Name is the obligation, Value the reason, none = no skip; idempotent
	ReleaseOwed      // Name is the obligation, At its time; idempotent
	RenewOwed        // Name is the obligation, At its time; if released before, it is owed again with its whole budget; idempotent
	WithdrawOwed     // Name is the obligation, At its time; owed no more, though not met: what it blocked still counts; idempotent
	ClearSet         // Name is the set; empties it and forgets that it was full; idempotent
)

// Change is one small operation on a session's state. Changes are data so that
// they can be replayed on the then-current file. A zero At is the time of the
// replay.
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

// Clear returns the change that empties a set.
func Clear(set string) Change { return Change{Op: ClearSet, Name: set} }

// Count returns the change that adds n to a counter.
func Count(counter string, n int64) Change { return Change{Op: AddToCounter, Name: counter, N: n} }

// Note returns the change that sets a fact unless a newer one is there. The
// value "" withdraws it.
func Note(fact, value string, at time.Time) Change {
	return Change{Op: SetIfNewer, Name: fact, Value: value, At: at}
}

// Open returns the change that opens, or re-arms, an obligation.
func Open(obligation, finding string, at time.Time) Change {
	return Change{Op: OpenOwed, Name: obligation, Value: finding, At: at}
}

// Meet returns the change that says that an obligation was met.
func Meet(obligation string, at time.Time) Change {
	return Change{Op: MeetOwed, Name: obligation, At: at}
}

// Skip returns the change that skips an obligation for the rest of the session.
func Skip(obligation, reason string) Change {
	return Change{Op: SkipOwed, Name: obligation, Value: reason}
}

// Withdraw returns the change that says that what opened an obligation is undone.
func Withdraw(obligation string, at time.Time) Change {
	return Change{Op: WithdrawOwed, Name: obligation, At: at}
}

// Renew returns the change that gives a released obligation its whole budget
// again.
func Renew(obligation string, at time.Time) Change {
	return Change{Op: RenewOwed, Name: obligation, At: at}
}

// For returns c scoped to a subagent.
func (c Change) For(agentID string) Change { c.Agent = agentID; return c }
