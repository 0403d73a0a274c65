package evidence

import (
	"slices"
	"strings"
	"time"
)

// SkillRecover is the specialist that two failures in a row select.
const SkillRecover = "recover"

// recoverAfter is how many failures in a row change the diagnosis.
const recoverAfter = 2

// mutate counts one change of the product. Proof of older generations stays as
// history and closes nothing any more.
func (s *State) mutate() {
	s.MutationGeneration++
	s.Substantial = true
	if s.Phase == Complete {
		s.Phase, s.Implied = Executing, true
	}
	if s.LastDecision != nil && s.pureSecurity() {
		d := *s.LastDecision
		d.Mutated = true
		s.LastDecision = &d
	} else if s.LastDecision == nil && isSecurity(s.skill()) {
		s.LastDecision = &Decision{SelectedSkill: s.skill(), Mutated: true}
	}
}

// observe compares the tree with the one last seen. at is the generation when
// the digest was begun. A tree that differs although nothing was counted since
// is a change of its own. It reports whether s changed.
func (s *State) observe(tree string, at int) (changed bool) {
	if tree == "" {
		return false
	}
	switch {
	case s.Tree == tree:
	case s.Tree == "", s.MutationGeneration > s.TreeGeneration: // a baseline, or counted already
	case at < s.MutationGeneration: // older than what is known
		return false
	default:
		s.mutate()
		at = s.MutationGeneration
	}
	at = max(s.TreeGeneration, min(at, s.MutationGeneration))
	changed = s.Tree != tree || s.TreeGeneration != at || s.MaybeDirty
	s.Tree, s.TreeGeneration, s.MaybeDirty = tree, at, false
	return changed
}

// sight is what was seen of the tree for a proof.
type sight struct {
	tree  string // digest, "" = none
	at    int    // generation when it was taken
	began int    // generation on which what proves it began
}

// take takes in a tree and the proof of it. A proof that began before the newest
// counted change is of the generation on which it began.
func (s *State) take(r Record, t sight, now time.Time) {
	moved := s.MutationGeneration > t.at || t.began < t.at
	s.observe(t.tree, t.at)
	if moved {
		s.proveAt(r, min(t.began, t.at), now)
		return
	}
	s.prove(r, now)
}

// prove adds a record, of the current generation.
func (s *State) prove(r Record, now time.Time) {
	if s.TreeGeneration == s.MutationGeneration {
		r.Tree = s.Tree
	}
	s.proveAt(r, s.MutationGeneration, now)
}

// proveAt adds a record of a generation that may have passed.
func (s *State) proveAt(r Record, generation int, now time.Time) {
	r.Time, r.Generation = now.UTC().Truncate(time.Second), generation
	s.Evidence = append(s.Evidence, r)
	s.trim()
	if r.Result == Pass && s.accepts(r.Kind) && Substantive(r.Detail) {
		s.VerifiedGeneration = max(s.VerifiedGeneration, generation)
	}
}

// proved reports whether the newest record says the same of this very tree.
func (s *State) proved(r Record) bool {
	if len(s.Evidence) == 0 {
		return false
	}
	n := &s.Evidence[len(s.Evidence)-1]
	return n.Kind == r.Kind && n.Result == r.Result && n.Source == r.Source && n.Detail == r.Detail &&
		n.Generation == s.MutationGeneration && n.Tree == s.Tree
}

// count takes a success or a failure of the work into the streak, and reports
// whether this failure changes the diagnosis.
func (s *State) count(o Outcome) (recovering bool) {
	switch o {
	case Pass:
		s.FailureStreak = 0
		return false
	case Fail:
		s.FailureStreak++
	default:
		return false
	}
	if s.FailureStreak < recoverAfter || s.Phase == Complete {
		return false
	}
	skill := SkillRecover
	s.Phase, s.Implied, s.CurrentSkill, s.Substantial = Recovering, false, &skill, true
	return true
}

// accepts reports whether proof of kind k can close the work that the durable
// decision routed.
func (s *State) accepts(k Kind) bool {
	return k.behaviour() || k == Security && s.pureSecurity()
}

// pureSecurity reports whether the durable decision calls this a security
// review that has changed nothing of the product.
func (s *State) pureSecurity() bool {
	if d := s.LastDecision; d != nil {
		return !d.Mutated && (isSecurity(d.SelectedSkill) || isSecurity(d.TaskShape))
	}
	return isSecurity(s.skill())
}

func isSecurity(name string) bool { return strings.Contains(strings.ToLower(name), "security") }

// route records the decision what kind of work follows. A change that waits for
// proof is not made a security matter by calling it one.
func (s *State) route(skill, shape string) {
	d := Decision{SelectedSkill: skill, TaskShape: shape}
	if d.SelectedSkill == "" {
		d.SelectedSkill = s.skill()
	}
	if d.TaskShape == "" && s.LastDecision != nil {
		d.TaskShape = s.LastDecision.TaskShape
	}
	d.Mutated = s.MutationGeneration > max(0, s.verified())
	s.LastDecision = &d
}

// verified is the newest generation that proof of behaviour stands for, -1 if
// there is none.
func (s *State) verified() int {
	for _, r := range slices.Backward(s.Evidence) {
		if r.Kind.behaviour() && r.Result == Pass && Substantive(r.Detail) {
			return min(r.Generation, s.VerifiedGeneration)
		}
	}
	return -1
}

// declare sets the phase as the agent or a human says it. Beginning anew after
// work that was closed makes the next work small until something changes.
func (s *State) declare(p Phase) {
	begins := p == Idle || p == Discovering || p == Planned
	if begins && s.Phase == Complete && s.stale() == nil {
		s.Substantial = false
	}
	s.Phase, s.Implied = p, false
}

// closeByProof completes work whose phase nobody declared, once a recorded run
// proves it.
func (s *State) closeByProof() {
	if s.Substantial && (s.Phase == Idle || s.Phase == Executing && s.Implied) && s.stale() == nil {
		s.Phase, s.Implied = Complete, true
	}
}

// gap says why proof is not fresh.
type gap int

const (
	behind  gap = iota // the newest verified tree is an older one
	missing            // no accepted proof is of this very tree
	failing            // the newest one failed
	hollow             // the newest one says nothing
)

// stale returns why the newest proof does not close the work, nil if it does.
func (s *State) stale() *gap {
	g := missing
	for _, r := range slices.Backward(s.Evidence) {
		if r.Generation != s.MutationGeneration || !s.accepts(r.Kind) {
			continue
		}
		switch {
		case r.Result != Pass:
			g = failing
		case !Substantive(r.Detail):
			g = hollow
		case s.VerifiedGeneration < s.MutationGeneration:
			g = behind
		default:
			return nil
		}
		return &g
	}
	if s.VerifiedGeneration < s.MutationGeneration && s.VerifiedGeneration >= 0 {
		g = behind
	}
	return &g
}
