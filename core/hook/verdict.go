package hook

import "encoding/json"

// Decision ranks what a verdict asks of the host. A higher one wins a merge.
// The zero value is Pass: no opinion.
type Decision int

// The decisions, weakest first. Deny refuses a call before it runs; Block
// keeps a turn going at Stop, refuses a prompt, or, after a tool, makes the
// model look at the result. They rank equal: an event can carry only one.
const (
	Pass Decision = iota
	Advise
	Rewrite
	Ask
	Deny
	Block
)

// String returns the word used in logs, in --json output and in tests.
func (d Decision) String() string {
	switch d {
	case Advise:
		return "advise"
	case Rewrite:
		return "rewrite"
	case Ask:
		return "ask"
	case Deny:
		return "deny"
	case Block:
		return "block"
	default:
		return "pass"
	}
}

// Rank orders decisions for a merge: Deny and Block are equal.
func (d Decision) Rank() int {
	if d == Block {
		return int(Deny)
	}
	return int(d)
}

// Verdict is one gate's, or the merged, answer to an event. The zero value
// passes and says nothing.
type Verdict struct {
	Decision Decision
	Gate     string // id of the gate that decided
	Rule     string // id of the rule that fired, e.g. "filesystem/delete-outside"

	Reason  string // for the model: why, and what to do instead
	Context string // for the model: background; carries no decision
	Notice  string // for the human

	Input  json.RawMessage // Rewrite: the whole new tool input
	Result json.RawMessage // the whole new tool result, where the host can replace it
}

// Silent reports whether v says nothing at all.
func (v Verdict) Silent() bool {
	return v.Decision == Pass && v.Context == "" && v.Notice == "" && v.Result == nil
}
