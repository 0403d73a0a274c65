// Package adapters lists the hosts that we can speak with. It may import the
// adapters and core/hook.
package adapters

import (
	"bytes"

	"github.com/ec261362/guardrails/adapters/antigravity"
	"github.com/ec261362/guardrails/adapters/claude"
	"github.com/ec261362/guardrails/adapters/gemini"
	"github.com/ec261362/guardrails/adapters/muse"
	"github.com/ec261362/guardrails/core/hook"
)

// All holds every adapter, in the order in which they are shown.
var All = []hook.Adapter{
	claude.Adapter{},
	gemini.Adapter{},
	antigravity.Adapter{},
	muse.Adapter{},
}

// Lookup returns the adapter of that name, nil if there is none.
func Lookup(name string) hook.Adapter {
	for _, a := range All {
		if a.Name() == name {
			return a
		}
	}
	return nil
}

// Detect names the host that sent payload, by its marks, whether or not we have
// an adapter for it: "claude", "codex", "gemini", "antigravity", "muse", or
// "cursor" and "copilot", which run other hosts' hooks. It returns "" if the
// payload shows none.
//
// Marks as measured or read on Claude Code 2.1.332, Codex 0.171.0, Gemini CLI
// 0.61.0, Antigravity 1.1.18 and Muse 1.4.
func Detect(payload []byte) string {
	raw, err := hook.FirstValue(payload)
	if raw == nil && err != nil {
		return ""
	}
	var event, transcript []byte
	var turn, model, mode, timestamp, call, conversation, claudeOnly bool
	for key, v := range hook.Members(raw) {
		switch string(key) {
		case "model_provider":
			return "muse"
		case "cursor_version":
			return "cursor"
		case "toolName", "toolArgs":
			return "copilot"
		case "toolCall":
			call = true
		case "conversationId", "workspacePaths", "transcriptPath", "invocationNum", "fullyIdle":
			conversation = true
		case "hook_event_name":
			event = v
		case "transcript_path":
			transcript = v
		case "turn_id":
			turn = true
		case "model":
			model = true
		case "permission_mode":
			mode = true
		case "timestamp":
			timestamp = true
		case "prompt_id", "effort":
			claudeOnly = true
		}
	}
	name, _ := hook.Text(event)
	switch name {
	case "":
		if call || conversation {
			return "antigravity"
		}
		return ""
	case "BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress":
		return "gemini"
	case "Interrupt", "PreModelRequest", "PostModelRequest":
		return "codex"
	case "PreLLMCall", "PostLLMCall":
		return "muse"
	}
	switch {
	case timestamp:
		return "gemini"
	case claudeOnly:
		return "claude"
	case bytes.Contains(transcript, []byte(".codex")), bytes.Contains(transcript, []byte("rollout-")):
		return "codex"
	case bytes.Contains(transcript, []byte(".gemini")):
		return "gemini"
	case turn && name != "MessageDisplay", model && mode:
		return "codex"
	}
	return "claude"
}
