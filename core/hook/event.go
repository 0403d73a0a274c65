package hook

import (
	"encoding/json"
	"strings"
)

// EventName is a lifecycle event in our canonical vocabulary. The zero value
// is an event that we do not know; it passes.
type EventName string

// The canonical events. An adapter maps its host's own names to these; a host
// event without a counterpart decodes to UnknownEvent with Event.HostEvent set.
const (
	UnknownEvent         EventName = ""
	SessionStart         EventName = "SessionStart"
	UserPromptSubmit     EventName = "UserPromptSubmit"
	UserPromptExpansion  EventName = "UserPromptExpansion"
	PreToolUse           EventName = "PreToolUse"
	PreSkillShellCommand EventName = "PreSkillShellCommand"
	PermissionRequest    EventName = "PermissionRequest"
	PermissionDenied     EventName = "PermissionDenied"
	PostToolUse          EventName = "PostToolUse"
	PostToolUseFailure   EventName = "PostToolUseFailure"
	PostToolBatch        EventName = "PostToolBatch"
	Stop                 EventName = "Stop"
	StopFailure          EventName = "StopFailure"
	SubagentStart        EventName = "SubagentStart"
	SubagentStop         EventName = "SubagentStop"
	TaskCreated          EventName = "TaskCreated"
	TaskCompleted        EventName = "TaskCompleted"
	PreCompact           EventName = "PreCompact"
	PostCompact          EventName = "PostCompact"
	ConfigChange         EventName = "ConfigChange"
	SessionEnd           EventName = "SessionEnd"
	Notification         EventName = "Notification"
	// PreModelCall comes before each call of the model but a turn's first, which
	// is UserPromptSubmit: where a host that takes no context after a tool does.
	PreModelCall EventName = "PreModelCall"
)

// BeforeTool reports whether e is asked before something runs, so that Deny,
// Ask and Rewrite make sense.
func (e EventName) BeforeTool() bool {
	return e == PreToolUse || e == PreSkillShellCommand || e == PermissionRequest
}

// AfterTool reports whether e tells how a tool call ended.
func (e EventName) AfterTool() bool { return e == PostToolUse || e == PostToolUseFailure }

// TurnEnd reports whether e asks whether a turn may end.
func (e EventName) TurnEnd() bool { return e == Stop || e == SubagentStop }

// Event is one lifecycle call of a host, decoded. Every field but Host may be
// empty: a gate that needs one skips when it is missing.
type Event struct {
	Name      EventName
	HostEvent string // the host's own name for it, as received

	Host        string // adapter name: "claude", "gemini", …
	HostVersion string // filled by the hook verb when known

	SessionID string
	AgentID   string // set only inside a subagent
	AgentType string

	Cwd  string // absolute, as the host said it
	Root string // the project root; filled by the hook verb, "" = none

	Tool *Tool // only on tool events

	Prompt     string // what was submitted (UserPromptSubmit, UserPromptExpansion)
	Message    string // the last assistant message (Stop, SubagentStop)
	Source     string // SessionStart: startup|resume|clear|compact|fork; other events: their reason, trigger or source
	Skill      string // skill or command that a user typed (UserPromptExpansion) or whose text runs a command (PreSkillShellCommand)
	Path       string // the file that changed (ConfigChange)
	Transcript string // path of the host's transcript file

	StopActive bool         // the host says that a Stop hook already continued this turn
	Background []Background // work the host says is still running
	Mode       string       // the host's permission mode, as received

	Raw json.RawMessage // the payload's first JSON value as UTF-8; all of the payload if it has none
}

// Background is work that the host says is still running at a Stop.
type Background struct {
	ID      string
	Kind    BackgroundKind
	Agent   string // subagent type, if it is one
	Command string // command line, if it is one
}

// BackgroundKind tells what a Background item is.
type BackgroundKind int

// Kinds of background work.
const (
	BackgroundUnknown BackgroundKind = iota
	BackgroundSubagent
	BackgroundCommand
)

// Replay is the Source of a prompt in which the host submits the reason of a
// blocked Stop, ours among them (Gemini CLI since 0.35.0; 0.61.0, measured).
const Replay = "replay"

// Typed reports whether the event is a prompt that a human typed: a host also
// submits a finished background task as one (Claude Code 2.1.197 and 2.1.332,
// measured: "<task-notification>…"), may say what woke it (2.1.332, read), and
// may submit our own reason (see Replay).
func (e *Event) Typed() bool {
	switch e.Source {
	case Replay, "system", "loop_wakeup", "schedule_wakeup", "poll_event":
		return false
	}
	return e.Name == UserPromptSubmit && !strings.HasPrefix(strings.TrimSpace(e.Prompt), "<task-notification>")
}
