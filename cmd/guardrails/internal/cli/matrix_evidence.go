package cli

import (
	"slices"

	"github.com/ec261362/guardrails/core/hook"
)

// workflowRows say how each of the five behaviours of evidence reaches a host.
func workflowRows() []row {
	// arrives says where a text for the model, due at one event, is read.
	arrives := func(c hook.Capabilities, at ...hook.EventName) string {
		for _, e := range at {
			if slices.Contains(c.Events, e) && c.Context[e] > 0 {
				return string(e)
			}
		}
		return "nowhere"
	}
	return []row{
		{"profile: told at", func(c hook.Capabilities) string {
			return arrives(c, hook.SessionStart, hook.UserPromptSubmit)
		}},
		{"spawn guard: a delegation without a card is", func(c hook.Capabilities) string {
			if c.Decides[hook.PreToolUse].Rank() >= hook.Deny.Rank() {
				return "refused"
			}
			return "not refused"
		}},
		{"failure streak: how a command ended is told by", func(c hook.Capabilities) string {
			return endedBy(c, "nothing: it counts neither way")
		}},
		{"failure streak: the other diagnosis is told at", func(c hook.Capabilities) string {
			return arrives(c, hook.PostToolUse, hook.PreModelCall, hook.UserPromptSubmit)
		}},
		{"mutation: a write that failed is seen", func(c hook.Capabilities) string {
			if c.FailureEvent {
				return "as an event of its own"
			}
			return "with the others"
		}},
		{"mutation: a call told twice is known by", func(c hook.Capabilities) string {
			if c.ToolUseID {
				return "its id"
			}
			return "its payload and time"
		}},
		{"close guard: asked at", func(c hook.Capabilities) string {
			if len(c.Stop) == 0 {
				return "-"
			}
			text := string(c.Stop[0])
			if len(c.Stop) > 1 {
				text += ", else the next prompt and a push"
			}
			return text
		}},
		{"close guard: how a session left its work is recorded", func(c hook.Capabilities) string {
			return yesNo(slices.Contains(c.Events, hook.SessionEnd))
		}},
	}
}
