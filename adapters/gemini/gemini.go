// Package gemini translates Gemini CLI: its hook payloads, its answers, what it
// can carry, what to register with it and which files switch it off. Facts are
// of 0.61.0; what differs since 0.36.0, the oldest version we support, is said
// where it matters.
//
// It may import the standard library and core/hook, nothing else of ours.
package gemini

import (
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// Name is the host's name on our command line.
const Name = "gemini"

// Adapter is the adapter of Gemini CLI. The zero value is ready.
type Adapter struct{}

var (
	_ hook.Adapter          = Adapter{}
	_ hook.Wirer            = Adapter{}
	_ hook.Guarded          = Adapter{}
	_ hook.Headless         = Adapter{}
	_ hook.Sampler          = Adapter{}
	_ hook.TranscriptReader = Adapter{}
)

// Name returns "gemini".
func (Adapter) Name() string { return Name }

// Texts are cut to the same lengths as elsewhere: this host cuts none (0.61.0,
// measured), but the model reads all of it.
const (
	maxContext = 9000
	maxNotice  = 9000
	maxReason  = 2000
	maxStop    = 6000
	maxAfter   = 8500 // a block after a tool, with the result that it hides
)

// The host's own event names.
const (
	beforeTool  = "BeforeTool"
	afterTool   = "AfterTool"
	beforeAgent = "BeforeAgent"
	afterAgent  = "AfterAgent"
	preCompress = "PreCompress"
)

// channel is what an event's answer can carry.
type channel struct {
	decides hook.Decision
	context bool // hookSpecificOutput.additionalContext
	notice  bool // systemMessage
}

// channelOf is the one table of what an event's answer can carry (0.61.0,
// measured). additionalContext of a BeforeTool is ignored, and so is every
// decision on SessionStart, SessionEnd and PreCompress.
func channelOf(e hook.EventName) channel {
	switch e {
	case hook.PreToolUse:
		return channel{decides: hook.Deny, notice: true}
	case hook.PostToolUse, hook.PostToolUseFailure, hook.UserPromptSubmit:
		return channel{decides: hook.Block, context: true, notice: true}
	case hook.Stop:
		return channel{decides: hook.Block, notice: true}
	case hook.SessionStart:
		return channel{context: true, notice: true}
	case hook.PreCompact, hook.SessionEnd:
		return channel{notice: true}
	}
	return channel{}
}

// events are the host's events that have a canonical name. Its other ones,
// BeforeModel, BeforeToolSelection and AfterModel, have none.
var events = [...]hook.EventName{
	hook.SessionStart, hook.UserPromptSubmit, hook.PreToolUse, hook.PostToolUse, hook.PostToolUseFailure,
	hook.Stop, hook.PreCompact, hook.SessionEnd, hook.Notification,
}

// Capabilities says what Gemini CLI can do (0.61.0, measured). It can ask, but
// a headless run ends silently on it, so we never do. AfterTool fires for calls
// that failed, too. Nothing ends a turn that AfterAgent keeps going, and
// stop_hook_active is false after a retry that used a tool: the budget is ours.
func (Adapter) Capabilities() hook.Capabilities {
	c := hook.Capabilities{
		Rewrite:       true,
		ReplaceResult: true,
		WholeTurn:     true, // prompt_response, retries included (0.61.0, measured)
		Outcome:       hook.OutcomeText,
		Events:        append([]hook.EventName(nil), events[:]...),
		Stop:          []hook.EventName{hook.Stop},
		Context:       make(map[hook.EventName]int, 4),
		Notice:        make(map[hook.EventName]int, 8),
		Decides:       make(map[hook.EventName]hook.Decision, 8),
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
// terminal. A prompt that starts with a dash would be read as an option after
// -p, and -- is not understood there (0.61.0, measured).
func (Adapter) HeadlessCommand(prompt string) []string {
	if strings.HasPrefix(prompt, "-") {
		return []string{"gemini", "--prompt=" + prompt}
	}
	return []string{"gemini", "-p", prompt}
}
