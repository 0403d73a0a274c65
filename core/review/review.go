// Package review runs the loop of two agents: one writes, the other tries to find
// fault, until nothing is left or the turns are used up. Between them stand the
// validators of package scan: nothing that they refuse reaches an agent, or is
// shown to the other.
//
// It is public API and knows no host: an agent is a function. State holds facts,
// never contents. It imports core/scan and the standard library only.
package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/scan"
)

// Agent answers one prompt. An error means that there is no answer.
type Agent func(ctx context.Context, prompt string) (answer string, err error)

// DefaultMaxIterations is how often the coder is started at most, unless said
// otherwise.
const DefaultMaxIterations = 3

// Gates are the validators between the agents. The zero value lets everything
// pass.
type Gates struct {
	Enabled           bool
	Input             *scan.Runner // the task and each list of findings, before the coder gets them; nil = none
	Output            *scan.Runner // what the coder answers, before anybody sees it; nil = none
	OutputNonBlocking bool         // failures of output are recorded and do not stop
}

// Loop is a loop to be run. Its fields are set once and only read.
type Loop struct {
	Coder    Agent
	Reviewer Agent
	Gates    Gates

	MaxIterations int // below 1 = DefaultMaxIterations

	// Resume is the state of a loop that was interrupted, nil for a new one. What
	// its agents said is not kept, so it goes on with a review of what is there.
	Resume *State

	Save     func(State) error // after each step; its error ends the loop. nil = keep nothing
	Progress func(State)       // when a step begins; nil = silence
	Now      func() time.Time  // nil = time.Now
}

// Result is how a loop ended.
type Result struct {
	State    State
	Answer   string    // the coder's last answer that passed the gates
	Findings []Finding // what the reviewer still had against it
}

// GuardrailError says that validators stopped the loop.
type GuardrailError struct {
	Direction scan.Direction
	Stage     Stage // what was not done because of it
	Outcome   scan.Outcome
}

func (e *GuardrailError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the %v was stopped by validators before %s", e.Direction, e.Stage.before())
	for _, f := range e.Outcome.Failures {
		fmt.Fprintf(&b, "; %s: %s", f.Validator, f.Reason)
	}
	return b.String()
}

// AgentError says that an agent gave no answer.
type AgentError struct {
	Stage Stage
	Err   error
}

func (e *AgentError) Error() string {
	return fmt.Sprintf("%s gave no answer: %v", e.Stage.who(), e.Err)
}

// Unwrap returns the agent's own error.
func (e *AgentError) Unwrap() error { return e.Err }

// ErrOtherTask is returned for a Resume whose task is another.
var ErrOtherTask = errors.New("the state to go on with is of another task")

// Run runs the loop on a task. An error is a *GuardrailError, an *AgentError, that
// of Save, or ctx's; the result holds what came before it. A loop that used up its
// iterations is no error: its status is NotApproved.
func (l *Loop) Run(ctx context.Context, task string) (Result, error) {
	r := run{Loop: l, task: task}
	r.res.State = State{Version: 1, Task: Digest(task), Status: Running, Started: r.now()}
	if l.Resume != nil {
		r.res.State = *l.Resume
		r.res.State.Failures = slices.Clone(l.Resume.Failures)
		if l.Resume.Task != Digest(task) {
			return r.res, ErrOtherTask
		}
		r.res.State.Status = Running
	}
	if l.Coder == nil || l.Reviewer == nil {
		return r.res, errors.New("review: an agent is missing")
	}
	err := r.loop(ctx)
	st := &r.res.State
	var stopped *GuardrailError
	switch {
	case err == nil:
	case errors.As(err, &stopped):
		st.Status = Failed
	case ctx.Err() != nil:
		st.Status = Interrupted
	default:
		st.Status = Broken
	}
	if serr := r.save(); serr != nil && err == nil {
		err = serr
	}
	return r.res, err
}

// Digest is what a state holds of its task.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// run is one call of Run.
type run struct {
	*Loop
	task string
	res  Result
}

func (r *run) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

func (r *run) max() int {
	if r.MaxIterations < 1 {
		return DefaultMaxIterations
	}
	return r.MaxIterations
}

func (r *run) loop(ctx context.Context) error {
	st := &r.res.State
	instructions := coderPrompt(r.task)
	if err := r.gate(ctx, scan.Input, Coding, r.task); err != nil {
		return err
	}
	resumed := st.Coded > 0 && st.Stage != Coding // an interrupted first attempt is made again
	for {
		if !resumed {
			if err := r.code(ctx, instructions); err != nil {
				return err
			}
		}
		approved, err := r.judge(ctx, resumed)
		if err != nil {
			return err
		}
		resumed = false
		switch {
		case approved:
			st.Status = Approved
			return nil
		case st.Coded >= r.max():
			st.Status = NotApproved
			return nil
		}
		list := findingsText(r.res.Findings)
		if err := r.gate(ctx, scan.Input, Fixing, list); err != nil {
			return err
		}
		instructions = fixPrompt(r.task, list)
	}
}

// code has the coder work, and keeps its answer if the gates let it.
func (r *run) code(ctx context.Context, instructions string) error {
	st := &r.res.State
	stage := Coding
	if st.Reviewed > 0 {
		stage = Fixing
	}
	st.Coded++
	if err := r.step(stage); err != nil {
		return err
	}
	answer, err := r.Coder(ctx, instructions)
	if err != nil {
		return &AgentError{stage, err}
	}
	if err := r.gate(ctx, scan.Output, Reviewing, answer); err != nil {
		return err
	}
	r.res.Answer = answer
	return nil
}

// judge has the reviewer look.
func (r *run) judge(ctx context.Context, unseen bool) (approved bool, err error) {
	st := &r.res.State
	st.Reviewed++
	if err := r.step(Reviewing); err != nil {
		return false, err
	}
	said, err := r.Reviewer(ctx, reviewerPrompt(r.task, r.res.Answer, unseen))
	if err != nil {
		return false, &AgentError{Reviewing, err}
	}
	approved, r.res.Findings, err = readVerdict(said)
	if err != nil {
		return false, &AgentError{Reviewing, err}
	}
	st.Findings = len(r.res.Findings)
	return approved, nil
}

// step notes that a step begins.
func (r *run) step(s Stage) error {
	r.res.State.Stage = s
	if r.Progress != nil {
		r.Progress(r.res.State)
	}
	return r.save()
}

func (r *run) save() error {
	r.res.State.Updated = r.now()
	if r.Save == nil {
		return nil
	}
	if err := r.Save(r.res.State); err != nil {
		return fmt.Errorf("review: keep the state: %w", err)
	}
	return nil
}

// gate runs the validators of one direction on a text that is to reach stage.
// Whatever fails is on record; every failure of a blocking direction stops.
func (r *run) gate(ctx context.Context, d scan.Direction, next Stage, text string) error {
	g := r.Gates.Input
	if d == scan.Output {
		g = r.Gates.Output
	}
	if !r.Gates.Enabled || g == nil {
		return nil
	}
	o := g.Run(ctx, scan.Payload{Text: text}, d)
	if o.Pass {
		return nil
	}
	blocks := d == scan.Input || !r.Gates.OutputNonBlocking
	for _, f := range o.Failures {
		r.res.State.Failures = append(r.res.State.Failures, newFailure(d, next, f, blocks))
	}
	if !blocks {
		return r.save()
	}
	return &GuardrailError{d, next, o}
}
