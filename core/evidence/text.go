package evidence

import (
	"fmt"
	"strings"
)

// quoted is a program's path as every shell takes it for one word.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:@%+=,\\", r))
	}) {
		return "'" + path + "'"
	}
	return path
}

// maxListed is how many open cards a text lists.
const maxListed = 12

// profileText is the compact state, and nothing else.
func profileText(st *State, l *Ledger) string {
	var b strings.Builder
	specialist, card := st.skill(), st.card()
	if specialist == "" {
		specialist = "none"
	}
	if card == "" {
		card = "none"
	}
	fmt.Fprintf(&b, "guardrails workflow state:\nphase: %s\nspecialist: %s\nfailureStreak: %d\nsubstantial: %t\nmutationGeneration: %d\nverifiedGeneration: %d\nactiveCard: %s\n",
		st.Phase, specialist, st.FailureStreak, st.Substantial, st.MutationGeneration, st.VerifiedGeneration, cut(card, maxText))
	if open := l.OpenCards(); len(open) > 0 {
		b.WriteString("open cards:\n" + cardList(open))
	} else {
		b.WriteString("open cards: none\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func cardList(cards []Card) string {
	var b strings.Builder
	for i, c := range cards {
		if i == maxListed {
			fmt.Fprintf(&b, "  and %d more\n", len(cards)-i)
			break
		}
		fmt.Fprintf(&b, "  %d. %s\n", c.N, cut(c.Text, 160))
	}
	return b.String()
}

func (g *gates) invalidText(err error) string {
	return fmt.Sprintf("guardrails: %v. What it says counts for nothing, and substantial work cannot be closed on it. "+
		"Do not edit the file: tell the user, who can run `%s evidence migrate` in a terminal.", err, g.Program)
}

func (g *gates) spawnText(n int) string {
	return fmt.Sprintf("%s: this delegation is %d characters long and the ledger has no open card: a substantial delegation needs bounded work. "+
		"Write down first what it is to achieve and how one sees that it did:\n\n  %s evidence card add \"<what is to be done, and how one sees that it is>\"\n\n"+
		"The same call passes then. A delegation below %d characters needs no card.", RuleSpawn, n, g.Program, g.SpawnMin)
}

// recoveryText changes the diagnosis before the next repair.
func (g *gates) recoveryText(streak int) string {
	if streak > recoverAfter {
		return fmt.Sprintf("guardrails: %d failures in a row, phase recovering: go through harness and environment, execution path, product logic, violated invariant, in this order, before the next repair.", streak)
	}
	return fmt.Sprintf(`guardrails: %d failures in a row. The phase is now recovering, the specialist %s. Change the diagnosis before you repair again, in this order:
  1. harness and environment: is the command itself right, in the right directory, with the tools, versions and services that it needs?
  2. actual execution path: does the code that you changed run at all? Show it, do not assume it.
  3. product logic: only now, is the code that runs wrong?
  4. violated invariant: which assumption that everything rests on does not hold?
A command or proof that succeeds ends the streak. When the work is proven: %s evidence phase complete`, streak, SkillRecover, g.Program)
}

// closeText says what keeps the turn open and how to clear it.
func (g *gates) closeText(found []Finding, st *State, err error, l *Ledger) string {
	var heads, bodies []string
	for _, f := range found {
		head, body := g.finding(f, st, err, l)
		heads, bodies = append(heads, head), append(bodies, body)
	}
	return RuleClose + ": this is not done yet: " + strings.Join(heads, "; ") + ".\n\n" + strings.Join(bodies, "\n\n")
}

func cardCount(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (g *gates) finding(f Finding, st *State, err error, l *Ledger) (head, body string) {
	switch f {
	case InvalidWork:
		head = strings.Replace(err.Error(), ErrInvalid.Error(), "invalid state", 1)
		return head, fmt.Sprintf("The workflow state %s/%s is invalid, so no claim that work is complete can rest on it. Do not edit it: tell the user, who can repair it in a terminal with `%s evidence migrate`.", Dir, StateName, g.Program)
	case OpenCard:
		open := l.OpenCards()
		head = cardCount(len(open), "open card", "open cards") + " in the ledger"
		return head, "Open cards:\n" + cardList(open) + fmt.Sprintf("Finish each, then: %s evidence card done %d --evidence \"<what proved it>\"\nor let it go:      %s evidence card skip %d --reason \"<why>\"", g.Program, open[0].N, g.Program, open[0].N)
	case BareCard:
		bare := l.Unproven()
		head = cardCount(len(bare), "card", "cards") + " marked done without evidence"
		return head, "Cards that do not say by what they are proven:\n" + cardList(bare) + fmt.Sprintf("Say it: %s evidence card done %d --evidence \"<what proved it>\"", g.Program, bare[0].N)
	case StaleProof:
		return g.staleText(st)
	case WrongPhase:
		head = fmt.Sprintf("substantial work is in phase %s, not complete", st.Phase)
		return head, fmt.Sprintf("When the work is complete and proven: %s evidence phase complete", g.Program)
	default:
		return f.String(), ""
	}
}

func (g *gates) staleText(st *State) (head, body string) {
	why := st.stale()
	if why == nil {
		return "", ""
	}
	switch *why {
	case failing:
		head = fmt.Sprintf("the newest proof of this tree (generation %d) failed", st.MutationGeneration)
	case hollow:
		head = "stale proof: the newest record says nothing of what was seen"
	case behind:
		head = fmt.Sprintf("stale proof: the tree is at generation %d, verified is %d", st.MutationGeneration, st.VerifiedGeneration)
	default:
		head = fmt.Sprintf("stale proof: nothing proves the tree as it stands (generation %d)", st.MutationGeneration)
	}
	kinds := "test, build, runtime, review or observation"
	if st.pureSecurity() {
		kinds += " (or security, for this review)"
	} else if isSecurity(st.skill()) || st.LastDecision != nil && st.LastDecision.Mutated && (isSecurity(st.LastDecision.SelectedSkill) || isSecurity(st.LastDecision.TaskShape)) {
		kinds += " (the product changed: security alone does not close that)"
	}
	return head, fmt.Sprintf("Prove it on this very tree. A test run that passes is recorded by itself; other proof of kind %s:\n  %s evidence add --kind observation --result pass --source \"<what you ran or looked at>\" --detail \"<what it showed>\"\nWhat changes the tree after that makes it stale again.", kinds, g.Program)
}
