package muse

import (
	"encoding/json"

	"github.com/ec261362/guardrails/core/hook"
)

type samplePayload struct {
	Event      string            `json:"hook_event_name"`
	SessionID  string            `json:"session_id,omitempty"`
	TurnID     string            `json:"turn_id"`
	Cwd        string            `json:"cwd,omitempty"`
	Transcript *string           `json:"transcript_path"`
	Model      string            `json:"model"`
	Provider   string            `json:"model_provider"`
	Prompt     string            `json:"prompt,omitempty"`
	ToolName   string            `json:"tool_name,omitempty"`
	ToolInput  map[string]string `json:"tool_input,omitempty"`
	ToolUseID  string            `json:"tool_use_id,omitempty"`
}

// Payload returns the payload that Muse would send for the described call.
func (Adapter) Payload(s hook.Sample) []byte {
	p := samplePayload{
		Event: string(hook.PreToolUse), SessionID: s.SessionID, TurnID: "turn_sample", Cwd: s.Cwd, Model: "sample", Provider: "meta",
		ToolUseID: "call_sample",
	}
	switch {
	case s.Prompt != "":
		p.Event, p.Prompt, p.ToolUseID = string(hook.UserPromptSubmit), s.Prompt, ""
	case s.Path != "":
		p.ToolInput = map[string]string{"path": s.Path}
		if p.ToolName = "read_file"; s.Content != nil {
			p.ToolName, p.ToolInput["content"] = "write_file", *s.Content
		}
	case s.Command != "" || s.Tool == "":
		p.ToolName, p.ToolInput = "bash", map[string]string{"command": s.Command}
	default:
		p.ToolInput = map[string]string{}
	}
	if s.Tool != "" && s.Prompt == "" {
		p.ToolName = s.Tool
	}
	b, err := json.Marshal(p)
	if err != nil {
		return []byte("{}")
	}
	return b
}

// ToolNames implements hook.Sampler. Source: Muse 1.4, documented.
func (Adapter) ToolNames() []string {
	return []string{
		"bash", "powershell", "bash_input",
		"write_file", "edit_file", "read_file", "search",
		"subagent_spawn",
	}
}
