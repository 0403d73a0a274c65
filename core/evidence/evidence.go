// Package evidence makes "done" mean proven on this very tree: it counts the
// changes of a project, ties proof to their number and to a digest of the tree,
// and lets a turn with substantial work end only when the newest proof is of
// the tree as it stands.
//
// It owns <root>/.guardrails/state.json and the reading of the ledger beside
// it, and the five gates over them: profile, spawn guard, mutation, failure
// streak with recorded proof, close guard. The state is a project's, shared by
// every session and subagent that works in it, so the gates commit to it
// themselves, under its lock; what a session owes stays with the session.
//
// It must not import the engine, the configuration loader, other gates or a
// host.
package evidence

import (
	"time"
)

// Folder and files of a project's workflow state, below its root.
const (
	Dir        = ".guardrails"
	StateName  = "state.json"
	LedgerName = "LEDGER.md"

	lockName   = "state.lock"
	spoolName  = "state.pending"
	ignoreName = ".gitignore"
)

// Schema is the version of the state that this program writes. Older ones are
// read, and written anew with the next change.
const Schema = 3

// Phase is where the work stands. The zero value is none, which no valid state
// holds.
type Phase string

// Phases.
const (
	NoPhase     Phase = ""
	Idle        Phase = "idle"
	Discovering Phase = "discovering"
	Planned     Phase = "planned"
	Executing   Phase = "executing"
	Verifying   Phase = "verifying"
	Recovering  Phase = "recovering"
	Complete    Phase = "complete"
	Blocked     Phase = "blocked"
)

// Phases lists every phase in the order of work.
func Phases() []Phase {
	return []Phase{Idle, Discovering, Planned, Executing, Verifying, Recovering, Complete, Blocked}
}

// Valid reports whether p is a phase.
func (p Phase) Valid() bool {
	switch p {
	case Idle, Discovering, Planned, Executing, Verifying, Recovering, Complete, Blocked:
		return true
	default:
		return false
	}
}

// Kind is what a record proves. The zero value is none.
type Kind string

// Kinds of evidence.
const (
	NoKind      Kind = ""
	Test        Kind = "test"
	Build       Kind = "build"
	Runtime     Kind = "runtime"
	Review      Kind = "review"
	Observation Kind = "observation"
	Security    Kind = "security"
	Research    Kind = "research"
	Receipt     Kind = "receipt"
	Handoff     Kind = "handoff"
)

// Kinds lists every kind of evidence.
func Kinds() []Kind {
	return []Kind{Test, Build, Runtime, Review, Observation, Security, Research, Receipt, Handoff}
}

// Valid reports whether k is a kind.
func (k Kind) Valid() bool { return k.behaviour() || k == Security || k.never() }

// behaviour reports whether k can prove how the product behaves.
func (k Kind) behaviour() bool {
	switch k {
	case Test, Build, Runtime, Review, Observation:
		return true
	default:
		return false
	}
}

// never reports whether k closes nothing.
func (k Kind) never() bool { return k == Research || k == Receipt || k == Handoff }

// counts reports whether a record of this kind is a success or a failure of
// the work, as a shell call is.
func (k Kind) counts() bool { return k == Test || k == Build || k == Runtime }

// Outcome is how a proof ended. The zero value is none.
type Outcome string

// Outcomes of a proof.
const (
	NoOutcome Outcome = ""
	Pass      Outcome = "pass"
	Fail      Outcome = "fail"
)

// Valid reports whether o is an outcome.
func (o Outcome) Valid() bool { return o == Pass || o == Fail }

// Record is one piece of evidence.
type Record struct {
	Kind       Kind      `json:"kind"`
	Result     Outcome   `json:"result"`
	Source     string    `json:"source"` // what was run or looked at
	Detail     string    `json:"detail"` // what it showed
	Time       time.Time `json:"time"`
	Generation int       `json:"generation"`     // of the tree that it is about
	Tree       string    `json:"tree,omitempty"` // digest of that tree, "" = none was had
}

// Decision is the durable routing decision: what kind of work this is.
type Decision struct {
	SelectedSkill string `json:"selectedSkill,omitempty"`
	TaskShape     string `json:"taskShape,omitempty"`
	// Mutated says that the product changed under this decision: proof that only
	// looks at security does not close that.
	Mutated bool `json:"mutated,omitempty"`
}

// State is a project's workflow state.
type State struct {
	SchemaVersion      int       `json:"schemaVersion"`
	Revision           int       `json:"revision"`
	WorkspaceID        string    `json:"workspaceId"` // digest of the real root; "" = a template, of no workspace
	Phase              Phase     `json:"phase"`
	Implied            bool      `json:"implied,omitempty"` // the phase followed from what happened; nobody declared it
	CurrentSkill       *string   `json:"currentSkill"`
	FailureStreak      int       `json:"failureStreak"`
	Substantial        bool      `json:"substantial"`
	MutationGeneration int       `json:"mutationGeneration"`
	VerifiedGeneration int       `json:"verifiedGeneration"` // -1 = nothing verified yet
	ActiveCard         *string   `json:"activeCard"`
	Evidence           []Record  `json:"evidence"`
	LastDecision       *Decision `json:"lastDecision"`
	UpdatedAt          time.Time `json:"updatedAt"`

	// Tree is the digest last seen, TreeGeneration the generation it was seen at.
	Tree           string `json:"tree,omitempty"`
	TreeGeneration int    `json:"treeGeneration,omitempty"`
	// MaybeDirty says that something ran since then that may have changed files.
	MaybeDirty bool `json:"maybeDirty,omitempty"`
	// Unclaimed is the outcome of the last shell call that counted, until a
	// record about it is added by hand: that one is not counted again.
	Unclaimed Outcome `json:"unclaimed,omitempty"`
	// Recent are the calls counted last, by which a second report of one of them
	// is known.
	Recent []seen `json:"recent,omitempty"`
}

// seen is a call that was counted.
type seen struct {
	Key string `json:"k"`
	At  int64  `json:"t"` // when that was written, Unix microseconds
}

// Limits of what is kept.
const (
	maxEvidence = 200
	maxRecent   = 256
	maxState    = 1 << 20
	maxText     = 300 // bytes of a source, a detail, a card
	maxName     = 64  // bytes of a skill or a task's shape
)

// skill returns the selected specialist, "" if there is none.
func (s *State) skill() string {
	if s.CurrentSkill == nil {
		return ""
	}
	return *s.CurrentSkill
}

// card returns the active card, "" if there is none.
func (s *State) card() string {
	if s.ActiveCard == nil {
		return ""
	}
	return *s.ActiveCard
}
