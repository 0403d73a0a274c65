package evidence

// Rule says what one of the gates insists on or does, for people.
type Rule struct {
	ID, Doc, Why, Instead string
	Verdict               string // deny, block, advise or record
}

// Rules describes the five behaviours, in the order of a session.
func Rules() []Rule {
	return []Rule{
		{
			ID: RuleProfile, Verdict: "advise",
			Doc:     "A session that starts in a project with evidence is told phase, specialist, failure streak, both generations and the open cards",
			Why:     "work goes on where it stood, whoever takes it up",
			Instead: "see it at any time: `guardrails evidence status`",
		},
		{
			ID: RuleSpawn, Verdict: "deny",
			Doc:     "A delegation of 1,500 characters or more (evidence.spawnMinChars) while no card of the ledger is open; forks are free",
			Why:     "what is not bounded before it is handed on cannot be checked when it comes back",
			Instead: "open a card first: `guardrails evidence card add \"<what is to be done, and how one sees that it is>\"`",
		},
		{
			ID: RuleMutation, Verdict: "record",
			Doc:     "Each attempt to write a file of the project, also one that failed, advances mutationGeneration by one; files that git ignores do not count",
			Why:     "proof is of the tree that it was taken on, and of no other",
			Instead: "prove the tree again after its last change",
		},
		{
			ID: RuleStreak, Verdict: "advise",
			Doc:     "Two commands or proofs that fail in a row set the phase to recovering and change the diagnosis first; a success ends the streak",
			Why:     "a repair on a wrong diagnosis makes two problems of one",
			Instead: "look in this order: harness and environment, actual execution path, product logic, violated invariant",
		},
		{
			ID: RuleClose, Verdict: "block",
			Doc:     "A turn that ends with an open card, a card done without evidence, an invalid state, or substantial work without fresh proof in phase complete",
			Why:     "done means proven on this very tree",
			Instead: "run the tests (a passing run is recorded by itself) or `guardrails evidence add`, settle the cards, then `guardrails evidence phase complete`",
		},
	}
}
