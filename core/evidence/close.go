package evidence

import (
	"context"
	"errors"
	"strconv"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// Finding is why work is not closed. The zero value is none.
type Finding int

// Findings, in the order in which they are told.
const (
	NoFinding   Finding = iota
	InvalidWork         // the state breaks a rule
	OpenCard            // a card waits
	BareCard            // a card is done and does not say by what
	StaleProof          // substantial work without proof of this very tree
	WrongPhase          // substantial work that is not complete
)

func (f Finding) String() string {
	switch f {
	case InvalidWork:
		return "invalid-state"
	case OpenCard:
		return "open-card"
	case BareCard:
		return "bare-card"
	case StaleProof:
		return "stale-proof"
	case WrongPhase:
		return "phase"
	default:
		return "none"
	}
}

// findings lists what keeps the work from being closed. err is why there is no
// valid state, nil if there is one.
func findings(st *State, err error, l *Ledger) []Finding {
	if l.Paused != "" {
		return nil
	}
	var out []Finding
	if err != nil {
		out = append(out, InvalidWork)
	}
	if len(l.OpenCards()) > 0 {
		out = append(out, OpenCard)
	}
	if len(l.Unproven()) > 0 {
		out = append(out, BareCard)
	}
	if st == nil || !st.Substantial {
		return out
	}
	if st.stale() != nil {
		out = append(out, StaleProof)
	}
	if st.Phase != Complete {
		out = append(out, WrongPhase)
	}
	return out
}

func (g *gates) close(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
	store := g.store(p)
	ledger, err := store.Ledger()
	if err != nil {
		return hook.Verdict{}, err
	}
	if ledger.Paused != "" {
		return hook.Verdict{}, gate.Skip("the ledger is paused")
	}
	st, err := store.Load()
	if err != nil && !errors.Is(err, ErrInvalid) {
		return hook.Verdict{}, err
	}
	if err == nil {
		if st, err = g.look(ctx, p, store, st, ledger); err != nil {
			return hook.Verdict{}, err
		}
	}
	if p.Session.Len(setRuns) > 0 && len(p.Event.Background) == 0 {
		p.Record(session.Clear(setRuns)) // those that were never told to have ended
	}
	found := findings(st, err, ledger)
	if len(found) == 0 {
		if o, known := p.Session.Obligation(RuleClose); known && !o.OpenedAt.IsZero() && o.MetAt.Before(o.OpenedAt) {
			p.Record(session.Meet(RuleClose, now(p)))
		}
		return hook.Verdict{}, nil
	}
	return hook.Verdict{Decision: hook.Block, Rule: RuleClose, Reason: g.closeText(found, st, err, ledger)}, nil
}

// look takes in what our own gates did in this judgement, and holds the tree
// against the one that was proven, where that can make a difference: something
// may have changed it, and nothing says yet that the proof is stale.
func (g *gates) look(ctx context.Context, p *gate.Pass, store *Store, st *State, l *Ledger) (*State, error) {
	var own []OwnRun
	if g.Own != nil {
		own = g.Own()
	}
	wrote, proves := false, false
	for _, r := range own {
		wrote = wrote || r.Wrote
		proves = proves || r.Kind.Valid() && r.Result.Valid()
	}
	if !proves && !wrote && (!st.MaybeDirty || st.Substantial && st.stale() != nil && st.Tree != "") {
		return st, nil
	}
	at := st.MutationGeneration
	tree, err := g.tree(p).Digest(ctx)
	if errors.Is(err, gate.ErrHandOver) {
		return nil, err
	}
	if err != nil {
		tree = ""
	}
	when := now(p)
	return store.Update(ctx, func(st *State) (bool, error) {
		changed := false
		if wrote && !st.MaybeDirty && tree != "" && st.Tree != "" && at == st.MutationGeneration && st.TreeGeneration == at && st.Tree != tree {
			st.Tree, changed = tree, true // our own formatting is no change of the work
		}
		changed = st.observe(tree, at) || changed
		for _, r := range own {
			if !r.Kind.Valid() || !r.Result.Valid() {
				continue
			}
			rec := Record{Kind: r.Kind, Result: r.Result, Source: clean(r.Source, store.Root, p.Env.Home), Detail: clean(r.Detail, store.Root, p.Env.Home)}
			if !st.proved(rec) { // a run that is reused says nothing new
				st.prove(rec, when)
				changed = true
			}
		}
		if proves {
			st.closeIf(l)
		}
		return changed, nil
	})
}

// own takes in what our own gates did at the end of a subagent.
func (g *gates) own(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
	if len(g.Own()) == 0 {
		return hook.Verdict{}, gate.Skip("nothing of ours ran")
	}
	store := g.store(p)
	ledger, err := store.Ledger()
	if err != nil {
		return hook.Verdict{}, err
	}
	st, err := store.Load()
	if errors.Is(err, ErrInvalid) {
		return hook.Verdict{}, gate.Skip(err.Error())
	}
	if err == nil {
		_, err = g.look(ctx, p, store, st, ledger)
	}
	return hook.Verdict{}, err
}

// end notes how the session left the work; nothing can be asked for any more.
func (g *gates) end(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
	store := g.store(p)
	ledger, err := store.Ledger()
	if err != nil {
		return hook.Verdict{}, err
	}
	st, err := store.Load()
	if err != nil && !errors.Is(err, ErrInvalid) {
		return hook.Verdict{}, err
	}
	left := "closed"
	if found := findings(st, err, ledger); len(found) > 0 {
		left = found[0].String()
	}
	if st != nil {
		left += " at generation " + strconv.Itoa(st.MutationGeneration)
	}
	p.Record(session.Note("evidence:end", left, now(p)))
	return hook.Verdict{}, nil
}
