package gate

import "github.com/ec261362/guardrails/core/hook"

// Limits on merged texts, in characters. A host's smaller cap wins in its
// adapter.
const (
	MaxReason  = 2000
	MaxContext = 9000
	MaxStop    = 6000
)

// Merge joins two verdicts: the higher decision wins, and on equal rank the
// reasons are joined in order; contexts and notices of both survive; of two
// Rewrites the first stands. It is associative and the zero Verdict is its
// identity.
func Merge(a, b hook.Verdict) hook.Verdict {
	out := a
	switch ra, rb := a.Decision.Rank(), b.Decision.Rank(); {
	case rb > ra:
		out = b
	case rb == ra && b.Decision != hook.Pass:
		if out.Gate == "" {
			out.Gate = b.Gate
		}
		if out.Rule == "" {
			out.Rule = b.Rule
		}
		if a.Decision != hook.Rewrite {
			out.Reason = join(a.Reason, b.Reason)
		}
	}
	out.Context = join(a.Context, b.Context)
	out.Notice = join(a.Notice, b.Notice)
	if out.Result = a.Result; out.Result == nil {
		out.Result = b.Result
	}
	if out.Decision == hook.Rewrite && a.Decision == hook.Rewrite {
		out.Input = a.Input
	}
	return out
}

func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "\n" + b
}
