package cli

import (
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/policy"
	"github.com/ec261362/guardrails/core/quality"
)

// qualityRules are the rules of the quality gate, in the shape in which rules
// are told.
func qualityRules() []policy.Rule {
	return []policy.Rule{
		{
			ID: quality.RuleEdit, Verdict: hook.Block,
			Doc:     "A file that was just written does not parse, or its linter complains",
			Why:     "what is found at once costs one edit, what is found at the end a turn",
			Instead: "correct the lines that are named; the edit stands. A name that is brought in and not used yet is not complained of",
		},
		{
			ID: quality.RuleStop, Verdict: hook.Block,
			Doc:     "A turn ends while format, lint, build, tests or coverage of what it touched fail, or are not proven",
			Why:     "done means that the project's own checks say so; what failed before the session does not count",
			Instead: "correct what is named and end the turn again; `guardrails gate run --changed` runs the same by hand, without a deadline. After three blocks it is the human's",
		},
	}
}

func qualityRule(id string) (policy.Rule, bool) {
	for _, r := range qualityRules() {
		if r.ID == id {
			return r, true
		}
	}
	return policy.Rule{}, false
}
