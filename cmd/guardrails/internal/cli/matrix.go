package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/hook"
)

// A row is one fact about every host.
type row struct {
	name string
	of   func(hook.Capabilities) string
}

// vocabulary is every canonical event, in the order of a session.
var vocabulary = [...]hook.EventName{
	hook.SessionStart, hook.UserPromptSubmit, hook.UserPromptExpansion, hook.PreModelCall, hook.PreToolUse, hook.PreSkillShellCommand,
	hook.PermissionRequest, hook.PermissionDenied, hook.PostToolUse, hook.PostToolUseFailure, hook.PostToolBatch,
	hook.Stop, hook.StopFailure, hook.SubagentStart, hook.SubagentStop, hook.TaskCreated, hook.TaskCompleted,
	hook.PreCompact, hook.PostCompact, hook.ConfigChange, hook.Notification, hook.SessionEnd,
}

// matrix is the differences between the hosts as Markdown: one table of what
// they can do, one of what each event can carry, from Capabilities alone.
func matrix() string {
	var b strings.Builder
	var hosts []string
	var caps []hook.Capabilities
	for _, ad := range adapters.All {
		hosts, caps = append(hosts, ad.Name()), append(caps, ad.Capabilities())
	}
	b.WriteString("## What the agents can do\n\n")
	same := table(&b, "", hosts, caps, abilities())
	if len(same) > 0 {
		b.WriteString("\nEqual on all: " + strings.Join(same, "; ") + ".\n")
	}
	b.WriteString(`
## What an event can carry

The strongest answer; then c for context that the model reads, n for a notice
that the human reads. "seen": the event comes, and an answer can say nothing. A
dash: there is no such event.

`)
	var rows []row
	for _, e := range vocabulary {
		rows = append(rows, row{string(e), func(c hook.Capabilities) string { return carries(c, e) }})
	}
	same = table(&b, "event", hosts, caps, rows)
	if len(same) > 0 {
		b.WriteString("\nEqual on all: " + strings.Join(same, "; ") + ".\n")
	}
	b.WriteString("\n## The five behaviours of evidence\n\n")
	same = table(&b, "", hosts, caps, workflowRows())
	if len(same) > 0 {
		b.WriteString("\nEqual on all: " + strings.Join(same, "; ") + ".\n")
	}
	b.WriteString("\n## The quality gate\n\n")
	same = table(&b, "", hosts, caps, qualityRows())
	b.WriteString("| seconds for an edit / the end of a turn | " + strings.Join(timeRow(adapters.All, hook.PostToolUse, hook.Stop), " | ") + " |\n")
	if len(same) > 0 {
		b.WriteString("\nEqual on all: " + strings.Join(same, "; ") + ".\n")
	}
	b.WriteString(`
## What follows from it

`)
	for _, line := range consequences(hosts, caps) {
		b.WriteString("- " + line + "\n")
	}
	return b.String()
}

// table writes the rows in which the hosts differ and returns the others.
func table(b *strings.Builder, corner string, hosts []string, caps []hook.Capabilities, rows []row) (same []string) {
	b.WriteString("| " + corner + " | " + strings.Join(hosts, " | ") + " |\n|" + strings.Repeat("---|", len(hosts)+1) + "\n")
	for _, r := range rows {
		var cells []string
		for _, c := range caps {
			cells = append(cells, r.of(c))
		}
		if len(slices.Compact(slices.Clone(cells))) == 1 {
			same = append(same, r.name+": "+cells[0])
			continue
		}
		b.WriteString("| " + r.name + " | " + strings.Join(cells, " | ") + " |\n")
	}
	return same
}

func abilities() []row {
	flag := func(name string, of func(hook.Capabilities) bool) row {
		return row{name, func(c hook.Capabilities) string { return yesNo(of(c)) }}
	}
	return []row{
		flag("can ask its user", func(c hook.Capabilities) bool { return c.Ask }),
		flag("a tool's input can be rewritten", func(c hook.Capabilities) bool { return c.Rewrite }),
		flag("a tool's result can be replaced", func(c hook.Capabilities) bool { return c.ReplaceResult }),
		flag("a failed call has an event of its own", func(c hook.Capabilities) bool { return c.FailureEvent }),
		flag("calls of subagents are marked", func(c hook.Capabilities) bool { return c.Subagents }),
		flag("a call has an id", func(c hook.Capabilities) bool { return c.ToolUseID }),
		flag("an unknown key in an answer is an error", func(c hook.Capabilities) bool { return c.ClosedOutput }),
		flag("hooks run outside the project", func(c hook.Capabilities) bool { return c.ForeignDir }),
		{"how a command ended is told by", func(c hook.Capabilities) string { return endedBy(c, "nothing") }},
		{"Stop gates run at", func(c hook.Capabilities) string {
			var names []string
			for _, e := range c.Stop {
				names = append(names, string(e))
			}
			if len(names) == 0 {
				return "-"
			}
			return strings.Join(names, ", else ")
		}},
		{"blocks after which the agent ends a turn itself", func(c hook.Capabilities) string {
			if c.StopCap == 0 {
				return "no limit"
			}
			return strconv.Itoa(c.StopCap)
		}},
	}
}

// endedBy is what tells how a command ended; nothing is said where nothing does.
func endedBy(c hook.Capabilities, nothing string) string {
	switch c.Outcome {
	case hook.OutcomeEvent:
		return "the event"
	case hook.OutcomeText:
		return "a line of the result"
	case hook.OutcomeTranscript:
		return "the transcript"
	default:
		return nothing
	}
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// carries says what an answer to an event can hold.
func carries(c hook.Capabilities, e hook.EventName) string {
	if !slices.Contains(c.Events, e) {
		return "-"
	}
	var parts []string
	if d := c.Decides[e]; d != hook.Pass {
		parts = append(parts, d.String())
	}
	if c.Context[e] > 0 {
		parts = append(parts, "c")
	}
	if c.Notice[e] > 0 {
		parts = append(parts, "n")
	}
	if len(parts) == 0 {
		return "seen"
	}
	return strings.Join(parts, " ")
}

// consequences says how a verdict that a host cannot carry reaches it.
func consequences(hosts []string, caps []hook.Capabilities) []string {
	where := func(missing func(hook.Capabilities) bool) string {
		var out []string
		for n, c := range caps {
			if missing(c) {
				out = append(out, hosts[n])
			}
		}
		return strings.Join(out, ", ")
	}
	var out []string
	say := func(missing func(hook.Capabilities) bool, what string) {
		if on := where(missing); on != "" {
			out = append(out, fmt.Sprintf("%s: %s", on, what))
		}
	}
	say(func(c hook.Capabilities) bool { return !c.Ask },
		"a question becomes a refusal that names `guardrails allow once CODE`")
	say(func(c hook.Capabilities) bool { return !c.Rewrite }, "no command is rewritten")
	say(func(c hook.Capabilities) bool {
		return c.Context[hook.PreToolUse] == 0 && c.Context[hook.PostToolUse] == 0
	},
		"advice to a tool call waits for the next event that can carry it")
	say(func(c hook.Capabilities) bool { return c.NoStart || c.Context[hook.SessionStart] == 0 },
		"what belongs to a session's start comes with its first prompt")
	say(func(c hook.Capabilities) bool { return !c.FailureEvent && c.Outcome != hook.OutcomeEvent },
		"whether a command succeeded is read, not told; what cannot be read counts as unknown, never as passed")
	say(func(c hook.Capabilities) bool { return !c.Subagents },
		"a subagent's calls are judged like all others and counted with the session")
	say(func(c hook.Capabilities) bool { return !c.ToolUseID },
		"two installs that see one call are told apart by time, not by id")
	say(func(c hook.Capabilities) bool { return len(c.Stop) > 1 },
		"what is owed at the end of a turn is also asked for at the next prompt, since Stop may not come")
	say(func(c hook.Capabilities) bool { return c.ForeignDir },
		"the project is taken from the payload; where that names none, every recursive delete counts as outside of it")
	say(func(c hook.Capabilities) bool { return c.Decides[hook.UserPromptSubmit] == hook.Pass },
		"a prompt cannot be refused; what there is to say of it reaches the model as context")
	return out
}
