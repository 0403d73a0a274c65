package review

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ec261362/guardrails/core/scan"
)

// Status is where a loop stands.
type Status string

// Statuses.
const (
	Running     Status = "running"
	Approved    Status = "approved"
	NotApproved Status = "not approved" // the iterations are used up
	Failed      Status = "failed"       // validators stopped it
	Broken      Status = "error"        // an agent gave no answer, or the state could not be kept
	Interrupted Status = "interrupted"  // it can be gone on with
)

// Stage is a step of a loop.
type Stage string

// Stages.
const (
	Coding    Stage = "coding"
	Reviewing Stage = "reviewing"
	Fixing    Stage = "fixing"
)

func (s Stage) who() string {
	if s == Reviewing {
		return "the reviewer"
	}
	return "the coder"
}

func (s Stage) before() string {
	switch s {
	case Reviewing:
		return "the reviewer saw it"
	case Fixing:
		return "the coder was started again"
	default:
		return "the coder was started"
	}
}

// State is what is kept of a loop: facts, no contents.
type State struct {
	Version  int       `json:"version"`
	Task     string    `json:"task"` // its digest
	Status   Status    `json:"status"`
	Stage    Stage     `json:"stage,omitempty"`
	Coded    int       `json:"coderStarts"`
	Reviewed int       `json:"reviewerStarts"`
	Findings int       `json:"findings"` // of the last review
	Failures []Failure `json:"guardrailFailures"`
	Started  time.Time `json:"started"`
	Updated  time.Time `json:"updated"`
}

// Failure is what a validator had against a text.
type Failure struct {
	Direction string   `json:"direction"`
	Before    Stage    `json:"before"` // the step that it was to reach
	Validator string   `json:"validator"`
	Severity  string   `json:"severity"`
	Reason    string   `json:"reason"` // without samples
	Kinds     []string `json:"kinds,omitempty"`
	Crashed   bool     `json:"crashed,omitempty"` // it could not tell
	Blocked   bool     `json:"blocked"`
}

func newFailure(d scan.Direction, before Stage, f scan.Failure, blocked bool) Failure {
	out := Failure{
		Direction: d.String(), Before: before, Validator: f.Validator, Severity: f.Severity.String(),
		Crashed: f.Crashed, Blocked: blocked,
	}
	if out.Reason = f.Reason; len(f.Matches) > 0 {
		out.Reason = fmt.Sprintf("found %d", len(f.Matches))
	}
	seen := map[string]bool{}
	for _, m := range f.Matches {
		if !seen[m.Kind] {
			seen[m.Kind] = true
			out.Kinds = append(out.Kinds, m.Kind)
		}
	}
	return out
}

// ParseState reads a state that was kept as JSON.
func ParseState(text []byte) (State, error) {
	var s State
	if err := json.Unmarshal(text, &s); err != nil {
		return State{}, fmt.Errorf("review state: %w", err)
	}
	switch {
	case s.Version != 1:
		return State{}, fmt.Errorf("review state: version %d, this program knows 1", s.Version)
	case s.Task == "" || s.Coded < 0 || s.Reviewed < 0 || s.Findings < 0:
		return State{}, fmt.Errorf("review state: it is not whole")
	}
	switch s.Status {
	case Running, Interrupted, Broken:
		return s, nil
	case Approved, NotApproved, Failed:
		return s, nil
	}
	return State{}, fmt.Errorf("review state: unknown status %q", s.Status)
}

// Ended reports whether there is nothing to go on with.
func (s *State) Ended() bool {
	return s.Status == Approved || s.Status == NotApproved || s.Status == Failed
}
