// Package claude translates Claude Code: its hook payloads, its answers, what
// it can carry, what to register with it and which files switch it off. Facts
// are measured on 2.1.197 (the oldest version we support) and 2.1.332.
//
// It may import the standard library and core/hook, nothing else of ours.
package claude

import "github.com/ec261362/guardrails/core/hook"

// Name is the host's name on our command line.
const Name = "claude"

// Adapter is the adapter of Claude Code. The zero value is ready.
type Adapter struct{}

var (
	_ hook.Adapter  = Adapter{}
	_ hook.Wirer    = Adapter{}
	_ hook.Guarded  = Adapter{}
	_ hook.Headless = Adapter{}
	_ hook.Finisher = Adapter{}
	_ hook.Sampler  = Adapter{}
)

// Name returns "claude".
func (Adapter) Name() string { return Name }

// Texts are cut below the host's own limits, so that the host never puts ours
// into a file and shows a preview: context and systemMessage over 10,000
// characters are; deny and block reasons are cut at 60,000 only (2.1.332,
// measured).
const (
	maxContext = 9000
	maxNotice  = 9000
	maxReason  = 2000
	maxStop    = 6000
)

// channel is what an event's answer can carry.
type channel struct {
	decides   hook.Decision
	context   bool // hookSpecificOutput.additionalContext
	notice    bool // systemMessage
	maxReason int
}

// channelOf is the one table of what an event's answer can carry (2.1.197 and
// 2.1.332, measured). A block of a PostToolBatch ends the turn.
//
// additionalContext at Stop and SubagentStop is left out on purpose: there it
// keeps the turn going, which is a decision.
func channelOf(e hook.EventName) channel {
	switch e {
	case hook.PreToolUse:
		return channel{decides: hook.Deny, context: true, notice: true, maxReason: maxReason}
	case hook.PreSkillShellCommand, hook.PermissionRequest:
		return channel{decides: hook.Deny, notice: true, maxReason: maxReason}
	case hook.PostToolUse, hook.PostToolUseFailure, hook.PostToolBatch, hook.UserPromptSubmit, hook.UserPromptExpansion:
		return channel{decides: hook.Block, context: true, notice: true, maxReason: maxReason}
	case hook.Stop, hook.SubagentStop:
		return channel{decides: hook.Block, notice: true, maxReason: maxStop}
	case hook.PreCompact, hook.ConfigChange, hook.TaskCreated, hook.TaskCompleted:
		return channel{decides: hook.Block, notice: true, maxReason: maxReason}
	case hook.SessionStart, hook.SubagentStart:
		return channel{context: true, notice: true}
	}
	return channel{}
}

// events are the host's events that have a canonical name, which is the host's
// own.
var events = [...]hook.EventName{
	hook.SessionStart, hook.UserPromptSubmit, hook.UserPromptExpansion, hook.PreToolUse, hook.PreSkillShellCommand,
	hook.PermissionRequest, hook.PermissionDenied, hook.PostToolUse, hook.PostToolUseFailure, hook.PostToolBatch,
	hook.Stop, hook.StopFailure, hook.SubagentStart, hook.SubagentStop, hook.TaskCreated, hook.TaskCompleted,
	hook.PreCompact, hook.PostCompact, hook.ConfigChange, hook.SessionEnd, hook.Notification,
}

// Capabilities says what Claude Code can do. Stop blocks: the ninth in a row is
// overridden (2.1.197 and 2.1.332, measured).
func (Adapter) Capabilities() hook.Capabilities {
	c := hook.Capabilities{
		Ask:           true,
		Rewrite:       true,
		ReplaceResult: true,
		FailureEvent:  true,
		Subagents:     true,
		ToolUseID:     true,
		Outcome:       hook.OutcomeEvent,
		Events:        append([]hook.EventName(nil), events[:]...),
		Stop:          []hook.EventName{hook.Stop},
		StopCap:       8,
		Context:       make(map[hook.EventName]int, 8),
		Notice:        make(map[hook.EventName]int, 16),
		Decides:       make(map[hook.EventName]hook.Decision, 16),
	}
	for _, e := range events {
		ch := channelOf(e)
		if ch.context {
			c.Context[e] = maxContext
		}
		if ch.notice {
			c.Notice[e] = maxNotice
		}
		if ch.decides != hook.Pass {
			c.Decides[e] = ch.decides
		}
	}
	return c
}

// HeadlessCommand returns the command that answers one prompt without a
// terminal, also one that starts with a dash (2.1.197 and 2.1.332, measured).
func (Adapter) HeadlessCommand(prompt string) []string {
	return []string{"claude", "-p", "--", prompt}
}
