package claude

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"github.com/ec261362/guardrails/core/hook"
)

// ConfigVar names the variable that moves Claude Code's configuration folder
// (2.1.197 and 2.1.332, measured).
func (Adapter) ConfigVar() string { return "CLAUDE_CONFIG_DIR" }

type samplePayload struct {
	SessionID string          `json:"session_id,omitempty"`
	Cwd       string          `json:"cwd,omitempty"`
	Event     string          `json:"hook_event_name"`
	Prompt    *string         `json:"prompt,omitempty"`
	ToolName  string          `json:"tool_name,omitempty"`
	ToolInput json.RawMessage `json:"tool_input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
}

// Payload returns the payload that Claude Code would send for the described
// call.
func (Adapter) Payload(s hook.Sample) []byte {
	p := samplePayload{SessionID: s.SessionID, Cwd: s.Cwd, Event: string(hook.PreToolUse), ToolUseID: "toolu_sample"}
	input := map[string]string{}
	switch {
	case s.Prompt != "":
		p.Event, p.Prompt, p.ToolUseID = string(hook.UserPromptSubmit), &s.Prompt, ""
		return encodeSample(p)
	case s.Path != "":
		p.ToolName = s.Tool
		if p.ToolName == "" {
			p.ToolName = "Read"
			if s.Content != nil {
				p.ToolName = "Write"
			}
		}
		key := "file_path"
		switch p.ToolName {
		case "NotebookEdit":
			key = "notebook_path"
		case "Grep", "Glob", "LS":
			key = "path"
		}
		input[key] = s.Path
		if s.Content != nil {
			input["content"] = *s.Content
		}
	default:
		p.ToolName = s.Tool
		if p.ToolName == "" {
			p.ToolName = "Bash"
		}
	}
	if s.Command != "" || (s.Path == "" && s.Tool == "") {
		input["command"] = s.Command
	}
	raw, err := json.Marshal(input)
	if err != nil {
		raw = []byte("{}")
	}
	p.ToolInput = raw
	return encodeSample(p)
}

func encodeSample(p samplePayload) []byte {
	b, err := json.Marshal(p)
	if err != nil {
		return []byte("{}")
	}
	return b
}

// ReadTranscript returns the PreToolUse payloads of the tool calls in one line
// of a Claude Code transcript: an assistant message with tool_use blocks
// (2.1.332, measured).
func (Adapter) ReadTranscript(line []byte) [][]byte {
	if !gjson.ValidBytes(line) {
		return nil
	}
	root := gjson.ParseBytes(line)
	if root.Get("type").Str != "assistant" {
		return nil
	}
	var out [][]byte
	root.Get("message.content").ForEach(func(_, block gjson.Result) bool {
		if block.Get("type").Str != "tool_use" {
			return true
		}
		p := samplePayload{
			SessionID: root.Get("sessionId").Str,
			Cwd:       root.Get("cwd").Str,
			Event:     string(hook.PreToolUse),
			ToolName:  block.Get("name").Str,
			ToolUseID: block.Get("id").Str,
			ToolInput: json.RawMessage("{}"),
		}
		if in := block.Get("input"); in.Exists() {
			p.ToolInput = json.RawMessage(in.Raw)
		}
		out = append(out, encodeSample(p))
		return true
	})
	return out
}
