package evidence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/scan/secrets"
)

// Status is what evidence status tells, and the profile without its words.
type Status struct {
	Phase              Phase    `json:"phase"`
	CurrentSkill       string   `json:"currentSkill,omitempty"`
	MutationGeneration int      `json:"mutationGeneration"`
	VerifiedGeneration int      `json:"verifiedGeneration"`
	FailureStreak      int      `json:"failureStreak"`
	Substantial        bool     `json:"substantial"`
	ActiveCard         string   `json:"activeCard"`
	OpenCards          int      `json:"openCards"`
	Valid              bool     `json:"valid"`
	Problem            string   `json:"problem,omitempty"`  // which rule an invalid state breaks
	Findings           []string `json:"findings,omitempty"` // what keeps the work from being closed
	Cards              []string `json:"cards,omitempty"`    // titles of the open ones
	Paused             string   `json:"paused,omitempty"`
	Evidence           []Record `json:"evidence,omitempty"`
	Revision           int      `json:"revision"`
}

// Status reads the state and the ledger. An invalid state is in the result, not
// an error.
func (s *Store) Status() (Status, error) {
	l, err := s.Ledger()
	if err != nil {
		return Status{}, err
	}
	st, err := s.Load()
	if err != nil && !errors.Is(err, ErrInvalid) {
		return Status{}, err
	}
	out := Status{VerifiedGeneration: -1, Valid: err == nil, OpenCards: len(l.OpenCards()), Paused: l.Paused}
	if err != nil {
		out.Problem = err.Error()
	} else {
		out.Phase, out.CurrentSkill, out.MutationGeneration, out.VerifiedGeneration = st.Phase, st.skill(), st.MutationGeneration, st.VerifiedGeneration
		out.FailureStreak, out.Substantial, out.ActiveCard, out.Evidence, out.Revision = st.FailureStreak, st.Substantial, st.card(), st.Evidence, st.Revision
	}
	for _, c := range l.OpenCards() {
		out.Cards = append(out.Cards, c.Text)
	}
	for _, f := range findings(st, err, l) {
		out.Findings = append(out.Findings, f.String())
	}
	return out, nil
}

// fit makes a text that somebody typed fit to be kept, or says why it is not.
func (t Tree) fit(ctx context.Context, what, text string) (string, error) {
	if found, err := secrets.Scan(ctx, text, secrets.Options{}); err != nil {
		return "", err
	} else if len(found) > 0 {
		return "", fmt.Errorf("the %s holds a secret (%s): state and ledger keep facts, never secrets", what, found[0].Rule)
	}
	out := clean(text, t.Root, t.Home)
	switch {
	case out == "":
		return "", fmt.Errorf("the %s is blank", what)
	case isPlaceholder(out):
		return "", fmt.Errorf("the %s %q is the placeholder of a message: put what is so in its place", what, out)
	}
	return out, nil
}

// Add records evidence by hand, for the tree as it stands.
func (s *Store) Add(ctx context.Context, t Tree, r Record) (*State, error) {
	if !r.Kind.Valid() {
		return nil, fmt.Errorf("no kind of evidence is %q: there are %s", r.Kind, words(Kinds()))
	}
	if !r.Result.Valid() {
		return nil, fmt.Errorf("no result is %q: there are pass and fail", r.Result)
	}
	var err error
	if r.Source, err = t.fit(ctx, "source", r.Source); err != nil {
		return nil, err
	}
	if r.Detail, err = t.fit(ctx, "detail", r.Detail); err != nil {
		return nil, err
	}
	if !Substantive(r.Detail) {
		return nil, fmt.Errorf("the detail %q only says that all is well: say what was seen, for example \"31 passed in 4 packages\"", cut(r.Detail, 60))
	}
	tree, at, err := s.see(ctx, t)
	if err != nil {
		return nil, err
	}
	return s.Update(ctx, func(st *State) (bool, error) {
		st.take(r, sight{tree, at, at}, s.now())
		if r.Kind.counts() {
			claimed := r.Result == Fail && st.Unclaimed == Fail // the run was counted when it ran
			st.Unclaimed = NoOutcome
			if !claimed {
				st.count(r.Result)
			}
		}
		return true, nil
	})
}

// see takes the tree's digest, "" where there is none, with the generation that
// it belongs to.
func (s *Store) see(ctx context.Context, t Tree) (tree string, at int, err error) {
	st, err := s.Load()
	if err != nil {
		return "", 0, err
	}
	tree, err = t.Digest(ctx)
	if errors.Is(err, gate.ErrHandOver) || err != nil && ctx.Err() != nil {
		return "", 0, err
	}
	if err != nil {
		tree = "" // git does not tell: counted changes are all there is to go by
	}
	return tree, st.MutationGeneration, nil
}

// Declare sets the phase, and with it what kind of work it is, "" = as it was.
func (s *Store) Declare(ctx context.Context, p Phase, skill, shape string) (*State, error) {
	if !p.Valid() {
		return nil, fmt.Errorf("no phase is %q: there are %s", p, words(Phases()))
	}
	for _, name := range [...]string{skill, shape} {
		if name != "" && !plainName(name) {
			return nil, fmt.Errorf("%q is no plain name of at most %d letters, digits and -_.:/+", cut(name, 40), maxName)
		}
	}
	return s.Update(ctx, func(st *State) (bool, error) {
		st.declare(p)
		switch {
		case skill != "":
			st.CurrentSkill = &skill
		case p == Complete || p == Idle || st.skill() == SkillRecover && p != Recovering:
			st.CurrentSkill = nil
		}
		if skill != "" || shape != "" {
			st.route(skill, shape)
		} else if p == Idle {
			st.LastDecision = nil
		}
		return true, nil
	})
}

// Closes reports whether the work could be closed as it stands, and if not,
// why.
func (s *State) Closes() (ok bool, why []string) {
	for _, f := range findings(s, nil, &Ledger{}) {
		why = append(why, f.String())
	}
	return len(why) == 0, why
}

func words[T ~string](list []T) string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}

// edit changes the ledger under the lock of the state, and lets the active card
// follow.
func (s *Store) edit(ctx context.Context, change func(*Ledger) (*Ledger, error)) (*Ledger, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	l, err := s.Ledger()
	if err == nil {
		was := l.String()
		if l, err = change(l); err == nil && l.String() != was {
			err = fsx.WriteFile(s.path(LedgerName), []byte(l.String()), 0o644)
		}
	}
	if e := unlock(); err == nil {
		err = e
	}
	if err != nil {
		return nil, err
	}
	_, err = s.Update(ctx, func(st *State) (bool, error) {
		was := st.card()
		st.ActiveCard = nil
		for _, c := range l.OpenCards() {
			if st.ActiveCard == nil || c.Text == was {
				text := cut(c.Text, maxText)
				st.ActiveCard = &text
			}
		}
		return st.card() != was, nil
	})
	if errors.Is(err, ErrInvalid) {
		err = nil // the ledger stands; the state is the close guard's finding
	}
	return l, err
}

// AddCard opens a card.
func (s *Store) AddCard(ctx context.Context, t Tree, text string) (Card, error) {
	text, err := t.fit(ctx, "card", text)
	if err != nil {
		return Card{}, err
	}
	l, err := s.edit(ctx, func(l *Ledger) (*Ledger, error) {
		if len(l.lines) == 0 {
			l = ParseLedger(NewLedger)
		}
		return l.add(text), nil
	})
	if err != nil {
		return Card{}, err
	}
	return l.Cards[len(l.Cards)-1], nil
}

// SettleCard marks the card that arg names as done, with what proves it, or as
// skipped, with the reason.
func (s *Store) SettleCard(ctx context.Context, t Tree, arg string, m Mark, note string) (Card, error) {
	what := "evidence"
	if m == Dropped {
		what = "reason"
	}
	note, err := t.fit(ctx, what, note)
	if err != nil {
		return Card{}, err
	}
	if m == Done && !Substantive(note) {
		return Card{}, fmt.Errorf("the evidence %q only says that all is well: say what was seen, for example \"31 passed in 4 packages\"", cut(note, 60))
	}
	if len([]rune(note)) < minReason {
		return Card{}, fmt.Errorf("the %s %q says too little", what, note)
	}
	var n int
	l, err := s.edit(ctx, func(l *Ledger) (*Ledger, error) {
		c, err := l.Find(arg)
		if err != nil {
			return nil, err
		}
		if c.Mark != Open && (c.Mark != Done || c.proven()) {
			return nil, fmt.Errorf("card %d is %s already", c.N, c.Mark)
		}
		n = c.N
		return l.settle(n, m, note), nil
	})
	if err != nil {
		return Card{}, err
	}
	return l.Cards[n-1], nil
}

// Pause puts the human's PAUSED line into the ledger: close and spawn guard
// rest until it is taken out.
func (s *Store) Pause(ctx context.Context, t Tree, reason string) error {
	reason, err := t.fit(ctx, "reason", reason)
	if err != nil {
		return err
	}
	if len([]rune(reason)) < minReason {
		return fmt.Errorf("the reason %q is too short: say why, in %d characters at least", reason, minReason)
	}
	_, err = s.edit(ctx, func(l *Ledger) (*Ledger, error) { return l.pause(reason), nil })
	return err
}

// Resume takes the PAUSED lines out, and reports whether there were any.
func (s *Store) Resume(ctx context.Context) (was bool, err error) {
	_, err = s.edit(ctx, func(l *Ledger) (*Ledger, error) {
		out := l.resume()
		was = out.String() != l.String()
		return out, nil
	})
	return was, err
}

// Lint lists what is wrong with state and ledger.
func (s *Store) Lint() ([]Problem, error) {
	l, err := s.Ledger()
	if err != nil {
		return nil, err
	}
	out := l.Lint()
	if _, err := s.Load(); errors.Is(err, ErrInvalid) {
		out = append(out, Problem{File: Dir + "/" + StateName, Text: err.Error()})
	} else if err != nil {
		return nil, err
	}
	return out, nil
}

// Begin makes the ledger and the state of a project that has none, and reports
// what it made.
func (s *Store) Begin(ctx context.Context) (made []string, err error) {
	if _, err := os.Lstat(s.path(LedgerName)); errors.Is(err, os.ErrNotExist) {
		if err := s.makeDir(); err != nil {
			return nil, err
		}
		if err := fsx.WriteFile(s.path(LedgerName), []byte(NewLedger), 0o644); err != nil {
			return nil, err
		}
		made = append(made, s.path(LedgerName))
	} else if err != nil {
		return nil, err
	}
	if s.Exists() {
		return made, nil
	}
	_, err = s.Update(ctx, func(*State) (bool, error) { return true, nil })
	if err == nil {
		made = append(made, s.path(StateName))
	}
	return made, err
}

// Migration is what Migrate did.
type Migration struct {
	From    string // the file that was read
	Aside   string // where an unreadable state went, "" = nowhere
	Adopted bool   // it was of another workspace: its proof is history here
	State   *State
}

// Migrate makes the project's state one that this program writes: an older
// schema is raised, one copied from elsewhere becomes this workspace's with all
// its proof out of date, and what breaks a rule is set aside for a fresh state.
// from is another file to take the state from, "" = the project's own.
func (s *Store) Migrate(ctx context.Context, from string) (Migration, error) {
	m := Migration{From: from}
	own := s.path(StateName)
	if m.From == "" {
		m.From = own
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return m, err
	}
	defer func() { _ = unlock() }() // what was written stands
	data, err := fsx.ReadFile(m.From, maxState)
	if err != nil {
		return m, fmt.Errorf("nothing to migrate: %w", err)
	}
	here := Workspace(s.Root)
	st, err := decode(data, here)
	if errors.Is(err, ErrInvalid) {
		var adopted *State
		if adopted, err = adopt(data, here); err == nil {
			st, m.Adopted = adopted, true
		}
	}
	switch {
	case err == nil:
	case m.From != own:
		return m, err // nothing of the project's is touched
	default:
		m.Aside = own + ".invalid-" + s.now().UTC().Format("20060102T150405")
		if err := fsx.WriteFile(m.Aside, data, 0o644); err != nil { // its own place is taken by the fresh one
			return m, err
		}
		st = fresh(here)
	}
	m.State = st
	if err := s.write(st); err != nil {
		return m, err
	}
	return m, nil
}

// adopt reads a state that is valid but for being of another workspace. What
// was proven elsewhere is not proven here.
func adopt(data []byte, here string) (*State, error) {
	id, err := workspaceOf(data)
	if err != nil || id == "" || id == here {
		return nil, invalid("not a copy")
	}
	st, err := decode(data, id)
	if err != nil {
		return nil, err
	}
	st.WorkspaceID = here
	st.MutationGeneration++
	st.Tree, st.TreeGeneration, st.MaybeDirty, st.Recent = "", 0, false, nil
	if st.Phase == Complete {
		st.Phase, st.Implied = Executing, true
	}
	return st, nil
}
