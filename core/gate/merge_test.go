package gate

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ec261362/guardrails/core/hook"
)

func verdicts() *rapid.Generator[hook.Verdict] {
	return rapid.Custom(func(t *rapid.T) hook.Verdict {
		text := rapid.SampledFrom([]string{"", "a", "b", "c\nd"})
		v := hook.Verdict{
			Decision: hook.Decision(rapid.IntRange(int(hook.Pass), int(hook.Block)).Draw(t, "decision")),
			Context:  text.Draw(t, "context"),
			Notice:   text.Draw(t, "notice"),
		}
		if v.Decision != hook.Pass {
			v.Reason = text.Draw(t, "reason")
			v.Gate = text.Draw(t, "gate")
			v.Rule = text.Draw(t, "rule")
		}
		if v.Decision == hook.Rewrite {
			v.Input = json.RawMessage(`{"n":` + rapid.SampledFrom([]string{"1", "2"}).Draw(t, "input") + `}`)
		}
		if rapid.Bool().Draw(t, "replaces") {
			v.Result = json.RawMessage(rapid.SampledFrom([]string{`"x"`, `"y"`}).Draw(t, "result"))
		}
		return v
	})
}

// Deny and Block never meet in one event, so they are not mixed here.
func sameEvent(vs ...hook.Verdict) bool {
	deny, block := false, false
	for _, v := range vs {
		deny = deny || v.Decision == hook.Deny
		block = block || v.Decision == hook.Block
	}
	return !(deny && block)
}

func TestMergeIsAssociativeWithPassAsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := verdicts().Draw(t, "a"), verdicts().Draw(t, "b"), verdicts().Draw(t, "c")
		if !sameEvent(a, b, c) {
			t.Skip("one event cannot carry both")
		}
		if d := cmp.Diff(Merge(Merge(a, b), c), Merge(a, Merge(b, c))); d != "" {
			t.Fatalf("not associative:\n%s", d)
		}
		if d := cmp.Diff(a, Merge(a, hook.Verdict{})); d != "" {
			t.Fatalf("pass on the right changes it:\n%s", d)
		}
		if d := cmp.Diff(a, Merge(hook.Verdict{}, a)); d != "" {
			t.Fatalf("pass on the left changes it:\n%s", d)
		}
	})
}

func TestMergeKeepsOnlyReasonsOfTheWinningRank(t *testing.T) {
	ask := hook.Verdict{Decision: hook.Ask, Rule: "r/ask", Reason: "asked", Context: "c1"}
	deny := hook.Verdict{Decision: hook.Deny, Rule: "r/deny", Reason: "denied", Context: "c2"}
	other := hook.Verdict{Decision: hook.Deny, Rule: "r/other", Reason: "denied too", Notice: "n"}
	got := Merge(Merge(ask, deny), other)
	want := hook.Verdict{Decision: hook.Deny, Rule: "r/deny", Reason: "denied\ndenied too", Context: "c1\nc2", Notice: "n"}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
}

func TestMergeKeepsTheFirstRewrite(t *testing.T) {
	a := hook.Verdict{Decision: hook.Rewrite, Reason: "first", Input: json.RawMessage(`{"a":1}`)}
	b := hook.Verdict{Decision: hook.Rewrite, Reason: "second", Input: json.RawMessage(`{"b":1}`)}
	if d := cmp.Diff(a, Merge(a, b)); d != "" {
		t.Fatal(d)
	}
}
