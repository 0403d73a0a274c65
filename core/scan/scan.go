// Package scan runs validators of content: what goes into an agent (prompts, what
// it writes and runs) and what comes out of it (results, closing messages).
//
// It fails closed. A validator that panics, errs, takes too long or is left over
// when the time is up counts as a failure of high severity; failures that were
// found before are kept; a name that nobody registered is an error. What was
// scanned is never recorded, only where and what kind of thing was found and a
// sample that gives nothing away.
//
// The built-in validators are [Secrets], [PII] and [PromptInjection]; package
// schema has one for JSON. Nothing here is shared between two runs, so that any
// number may happen at once. It must not import gates, hosts, settings or files.
package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Direction is which way content travels, seen from the agent.
type Direction int

// Directions.
const (
	Input  Direction        = 1 << iota // prompts, what the agent writes and runs
	Output                              // results, closing messages
	Both   = Input | Output             // of a validator: it serves either
)

func (d Direction) String() string {
	switch d {
	case Input:
		return "input"
	case Output:
		return "output"
	case Both:
		return "both"
	}
	return "none"
}

// ParseDirection reads input, output or both.
func ParseDirection(word string) (Direction, error) {
	for _, d := range [...]Direction{Input, Output, Both} {
		if d.String() == word {
			return d, nil
		}
	}
	return 0, fmt.Errorf("direction %q: want input, output or both", word)
}

// Severity says how bad a failure is. Zero is unset and counts as High.
type Severity int

// Severities.
const (
	Low Severity = iota + 1
	High
)

func (s Severity) String() string {
	if s == Low {
		return "low"
	}
	return "high"
}

// MarshalText writes low or high.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MaxMatches is how many matches a failure has at most, the first ones.
const MaxMatches = 50

// Payload is what is looked at.
type Payload struct {
	Text string
	Path string // the file that it is or will be in, with either kind of slash; "" = none

	Direction Direction // which way it travels; set by Run
}

// Match is one thing that was found.
type Match struct {
	Kind        string // of the validator's own kinds
	Severity    Severity
	Start, End  int    // bytes of Payload.Text
	Line        int    // on which it starts, from 1
	Sample      string // redacted: safe to show and to record
	Fingerprint string // the same for the same content of the same kind; may be empty
}

// Validator is one check. It must be safe to run many times at once.
type Validator struct {
	Name      string
	Direction Direction // it runs in no other
	Severity  Severity  // the most that a failure of it can be
	Slow      bool      // runs a program: the budget of a run is at least the timeout

	// Check returns what is wrong with p, nothing if it is fine. An error means
	// that it could not tell. It should heed ctx, which ends when its time is up.
	Check func(ctx context.Context, p Payload) ([]Match, error)
}

// Failure is what one validator had against a payload.
type Failure struct {
	Validator string
	Severity  Severity
	Reason    string // for people; nothing of the content but redacted samples
	Matches   []Match
	Crashed   bool // it could not tell: panic, error, timeout, dropped
}

// Outcome is the result of a run.
type Outcome struct {
	Pass           bool      // no failure
	Failures       []Failure // high ones first, then in the validators' order
	Duration       time.Duration
	ShortCircuited bool // returned at the first high failure, with others still running
	BudgetExceeded bool // the aggregate timeout passed
}

// Blocking reports whether a failure is of high severity.
func (o Outcome) Blocking() bool {
	return slices.ContainsFunc(o.Failures, func(f Failure) bool { return f.Severity != Low })
}

// Record is what is kept of a failure.
type Record struct {
	Time      time.Time
	Direction Direction
	Path      string
	Failure
}

// Defaults of a Runner.
const (
	DefaultTimeout          = 2 * time.Second
	DefaultAggregateTimeout = 200 * time.Millisecond

	// What a larger payload adds to the aggregate timeout.
	extraPer  = 100 << 10
	extraTime = 20 * time.Millisecond
)

// Runner runs validators. Its zero value has none, the default timeout, no
// aggregate timeout and the kill switch on. It is not changed by running.
type Runner struct {
	Validators []Validator

	Timeout          time.Duration // of one validator; <= 0 = DefaultTimeout
	AggregateTimeout time.Duration // of a run, longer for large payloads; <= 0 = none
	NoKillSwitch     bool          // go on after a high failure

	// Allow reports whether a match does not count; nil allows none. A panic in it
	// allows nothing.
	Allow func(validator string, m Match, p Payload) bool
	// Audit gets each failure once: those of the outcome before Run returns, others
	// as they come up, from several goroutines. What it does wrong changes no outcome.
	Audit func(Record)
}

// Run runs validators on p with the defaults: two seconds for each, 200 ms for all
// and more for large payloads, and the kill switch on.
func Run(ctx context.Context, p Payload, d Direction, validators ...Validator) Outcome {
	r := Runner{Validators: validators, AggregateTimeout: DefaultAggregateTimeout}
	return r.Run(ctx, p, d)
}

// Run runs those of r's validators that serve d, all at once, and says what they
// found. It never panics. A cancelled ctx is a failure of whatever has not
// finished.
func (r *Runner) Run(ctx context.Context, p Payload, d Direction) Outcome {
	began := time.Now()
	p.Direction = d
	var mine []Validator
	slow := false
	for _, v := range r.Validators {
		if v.Direction&d != 0 {
			mine = append(mine, v)
			slow = slow || v.Slow
		}
	}
	u := &run{r: r, p: p, d: d, validators: mine, settled: make([]bool, len(mine)), left: len(mine), news: make(chan struct{}, 1)}
	out := u.wait(ctx, r.budget(len(p.Text), slow))
	slices.SortStableFunc(out.Failures, func(a, b Failure) int {
		if a.Severity != b.Severity {
			return cmp.Compare(b.Severity, a.Severity)
		}
		return u.order(a.Validator) - u.order(b.Validator)
	})
	out.Pass = len(out.Failures) == 0
	out.Duration = time.Since(began)
	return out
}

func (r *Runner) timeout() time.Duration {
	if r.Timeout <= 0 {
		return DefaultTimeout
	}
	return r.Timeout
}

// budget returns the aggregate timeout for a payload of size bytes, 0 for none.
func (r *Runner) budget(size int, slow bool) time.Duration {
	if r.AggregateTimeout <= 0 {
		return 0
	}
	b := r.AggregateTimeout + time.Duration(size/extraPer)*extraTime
	if slow {
		b = max(b, r.timeout())
	}
	return b
}

// run is one call of Run.
type run struct {
	r          *Runner
	p          Payload
	d          Direction
	validators []Validator
	news       chan struct{} // something settled

	mu       sync.Mutex
	settled  []bool
	left     int  // not settled
	closed   bool // Run has what it returns
	failures []Failure
}

func (u *run) order(name string) int {
	return slices.IndexFunc(u.validators, func(v Validator) bool { return v.Name == name })
}

// wait starts the validators and collects until all have settled, the first high
// failure, the end of the budget or of ctx.
func (u *run) wait(ctx context.Context, budget time.Duration) (out Outcome) {
	// A run that returns early lets the others finish, for the audit.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for i := range u.validators {
		running.Go(func() { u.settle(i, u.one(work, &u.validators[i])) })
	}
	var expired <-chan time.Time
	if budget > 0 {
		t := time.NewTimer(budget)
		defer t.Stop()
		expired = t.C
	}
	for {
		done, short := u.look()
		switch {
		case done:
			cancel()
			out.Failures = u.close()
			return out
		case short:
			go func() {
				running.Wait()
				cancel()
			}()
			out.ShortCircuited = true
			out.Failures = u.close()
			return out
		}
		select {
		case <-u.news:
		case <-expired:
			out.BudgetExceeded = u.drop(fmt.Sprintf("dropped: the aggregate budget of %v was exceeded", budget))
			cancel()
			out.Failures = u.close()
			return out
		case <-ctx.Done():
			u.drop("dropped: the run was cancelled")
			cancel()
			out.Failures = u.close()
			return out
		}
	}
}

// look reports whether everything has settled, or else a high failure ends the run.
func (u *run) look() (done, short bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.left == 0 {
		return true, false
	}
	return false, !u.r.NoKillSwitch && slices.ContainsFunc(u.failures, func(f Failure) bool { return f.Severity != Low })
}

// close ends the run: it returns what was collected, having recorded it. Whatever
// settles later is recorded there and then.
func (u *run) close() []Failure {
	u.mu.Lock()
	u.closed = true
	failures := slices.Clone(u.failures)
	u.mu.Unlock()
	for _, f := range failures {
		u.audit(f)
	}
	return failures
}

// settle records what came of validator i, unless it was dropped before.
func (u *run) settle(i int, f *Failure) {
	u.mu.Lock()
	dropped, late := u.settled[i], u.closed
	if !dropped {
		u.settled[i] = true
		u.left--
		if f != nil && !late {
			u.failures = append(u.failures, *f)
		}
	}
	u.mu.Unlock()
	if late && !dropped && f != nil {
		u.audit(*f)
	}
	select {
	case u.news <- struct{}{}:
	default:
	}
}

// drop makes a failure of each validator that has not settled, and reports whether
// there was one. What was collected stays.
func (u *run) drop(reason string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	some := false
	for i := range u.validators {
		if !u.settled[i] {
			u.settled[i] = true
			u.left--
			u.failures = append(u.failures, Failure{Validator: u.validators[i].Name, Severity: High, Reason: reason, Crashed: true})
			some = true
		}
	}
	return some
}

func (u *run) audit(f Failure) {
	if u.r.Audit == nil {
		return
	}
	defer func() { _ = recover() }()
	f.Matches = slices.Clone(f.Matches)
	u.r.Audit(Record{Time: time.Now(), Direction: u.d, Path: u.p.Path, Failure: f})
}

// one runs one validator within its own timeout and returns its failure, nil if it
// had none.
func (u *run) one(ctx context.Context, v *Validator) *Failure {
	ctx, cancel := context.WithTimeout(ctx, u.r.timeout())
	defer cancel()
	type answer struct {
		matches []Match
		err     error
	}
	answers := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if r := recover(); r != nil {
				// The value may quote what was scanned.
				a = answer{err: fmt.Errorf("it panicked (%T)", r)}
			}
			answers <- a
		}()
		if v.Check == nil {
			a.err = errors.New("it has no check")
			return
		}
		a.matches, a.err = v.Check(ctx, u.p)
	}()
	var a answer
	select {
	case a = <-answers:
	case <-ctx.Done():
		select {
		case a = <-answers:
		default:
			a.err = ctx.Err()
		}
	}
	f := u.judge(v, a.matches)
	switch {
	case a.err == nil:
		return f
	case f == nil:
		f = &Failure{Validator: v.Name}
	}
	f.Severity, f.Crashed = High, true
	switch {
	case errors.Is(a.err, context.DeadlineExceeded):
		f.Reason = fmt.Sprintf("it did not finish within %v", u.r.timeout())
	case errors.Is(a.err, context.Canceled):
		f.Reason = "it was cancelled"
	default:
		f.Reason = "it failed: " + a.err.Error()
	}
	return f
}

// judge makes a failure of what a validator found, nil if nothing counts.
func (u *run) judge(v *Validator, matches []Match) *Failure {
	f := &Failure{Validator: v.Name, Severity: Low}
	more := 0
	for _, m := range matches {
		if u.allowed(v.Name, m) {
			continue
		}
		if m.Severity != Low && v.Severity != Low {
			f.Severity = High
		}
		if len(f.Matches) == MaxMatches {
			more++
			continue
		}
		f.Matches = append(f.Matches, m)
	}
	if len(f.Matches) == 0 {
		return nil
	}
	f.Reason = summary(f.Matches, more)
	return f
}

func (u *run) allowed(name string, m Match) (yes bool) {
	if u.r.Allow == nil {
		return false
	}
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	return u.r.Allow(name, m, u.p)
}

// summary says what was found: kinds, lines and samples of the first few.
func summary(matches []Match, more int) string {
	const most = 5
	var b strings.Builder
	for i, m := range matches {
		if i == most {
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(m.Kind)
		if m.Line > 0 {
			fmt.Fprintf(&b, " in line %d", m.Line)
		}
		if m.Sample != "" {
			fmt.Fprintf(&b, ": %s", m.Sample)
		}
	}
	if n := len(matches) + more - most; n > 0 {
		fmt.Fprintf(&b, "; and %d more", n)
	}
	return b.String()
}

// BlockedError is the error of a wrapped function that a run stopped.
type BlockedError struct {
	Direction Direction
	Outcome   Outcome
}

func (e *BlockedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v stopped by validators", e.Direction)
	for _, f := range e.Outcome.Failures {
		fmt.Fprintf(&b, "; %s: %s", f.Validator, f.Reason)
	}
	return b.String()
}

// Wrap returns fn between two gates: what it is given is run as input, and fn is
// not called if that fails; what it returns is run as output, and withheld if that
// fails. Either way the error is a *BlockedError. fn's own error is returned as
// it is, without its text.
func (r *Runner) Wrap(fn func(context.Context, string) (string, error)) func(context.Context, string) (string, error) {
	return func(ctx context.Context, in string) (string, error) {
		if o := r.Run(ctx, Payload{Text: in}, Input); !o.Pass {
			return "", &BlockedError{Input, o}
		}
		out, err := fn(ctx, in)
		if err != nil {
			return "", err
		}
		if o := r.Run(ctx, Payload{Text: out}, Output); !o.Pass {
			return "", &BlockedError{Output, o}
		}
		return out, nil
	}
}

// Wrap is [Runner.Wrap] with the defaults of [Run].
func Wrap(fn func(context.Context, string) (string, error), validators ...Validator) func(context.Context, string) (string, error) {
	r := Runner{Validators: validators, AggregateTimeout: DefaultAggregateTimeout}
	return r.Wrap(fn)
}
