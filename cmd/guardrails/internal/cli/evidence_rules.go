package cli

import (
	"github.com/ec261362/guardrails/core/evidence"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/policy"
)

// evidenceRules are the rules of evidence, in the shape in which rules are told.
func evidenceRules() []policy.Rule {
	var out []policy.Rule
	for _, r := range evidence.Rules() {
		v := hook.Pass
		switch r.Verdict {
		case "deny":
			v = hook.Deny
		case "block":
			v = hook.Block
		case "advise":
			v = hook.Advise
		}
		out = append(out, policy.Rule{ID: r.ID, Verdict: v, Doc: r.Doc, Why: r.Why, Instead: r.Instead})
	}
	return out
}

// evidenceRule returns the rule of that id.
func evidenceRule(id string) (policy.Rule, bool) {
	for _, r := range evidenceRules() {
		if r.ID == id {
			return r, true
		}
	}
	return policy.Rule{}, false
}
