package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// qualityRows say how the quality gate reaches a host.
func qualityRows() []row {
	first := func(has func(hook.EventName) bool, at ...hook.EventName) string {
		for _, e := range at {
			if has(e) {
				return string(e)
			}
		}
		return "nowhere"
	}
	later := [...]hook.EventName{hook.PreModelCall, hook.UserPromptSubmit}
	return []row{
		{"what an edit broke: told at", func(c hook.Capabilities) string {
			if c.Decides[hook.PostToolUse] == hook.Block {
				return string(hook.PostToolUse)
			}
			return first(func(e hook.EventName) bool { return c.Context[e] > 0 }, later[:]...)
		}},
		{"that a file was formatted: told at", func(c hook.Capabilities) string {
			return first(func(e hook.EventName) bool { return c.Context[e] > 0 }, append([]hook.EventName{hook.PostToolUse}, later[:]...)...)
		}},
		{"a turn is judged at", func(c hook.Capabilities) string {
			if len(c.Stop) == 0 {
				return "-"
			}
			text := string(c.Stop[0])
			if len(c.Stop) > 1 {
				text += ", else the next prompt and a push, in the time that these have"
			}
			return text
		}},
		{"what the human is told then: read at", func(c hook.Capabilities) string {
			return first(func(e hook.EventName) bool { return c.Notice[e] > 0 }, append([]hook.EventName{hook.Stop}, later[:]...)...)
		}},
		{"a subagent is held for its own files", func(c hook.Capabilities) string {
			return yesNo(c.Subagents && c.Decides[hook.SubagentStop] == hook.Block)
		}},
		{"a record is kept at a session's end", func(c hook.Capabilities) string {
			return yesNo(slices.Contains(c.Events, hook.SessionEnd))
		}},
	}
}

// timeRow is how long each host's hooks may take for an event, in seconds; what
// has no handler of ours is a dash.
func timeRow(adapters []hook.Adapter, events ...hook.EventName) []string {
	var out []string
	for _, ad := range adapters {
		w, ok := ad.(hook.Wirer)
		var parts []string
		for _, e := range events {
			n := 0
			if ok {
				for _, h := range w.Wiring() {
					if ev, err := ad.Decode(h.Event, []byte(`{"hook_event_name":"`+h.Event+`"}`)); err == nil && ev.Name == e || h.Event == string(e) {
						n = max(n, h.Timeout)
					}
				}
			}
			if n == 0 {
				parts = append(parts, "-")
			} else {
				parts = append(parts, strconv.Itoa(n))
			}
		}
		out = append(out, strings.Join(parts, " / "))
	}
	return out
}
