package claude

import (
	"encoding/json"

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
	root, err := hook.FirstValue(line)
	if err != nil || member(root, "type") != "assistant" {
		return nil
	}
	var out [][]byte
	for block := range hook.Elements(hook.Member(hook.Member(root, "message"), "content")) {
		if member(block, "type") != "tool_use" {
			continue
		}
		p := samplePayload{
			SessionID: member(root, "sessionId"),
			Cwd:       member(root, "cwd"),
			Event:     string(hook.PreToolUse),
			ToolName:  member(block, "name"),
			ToolUseID: member(block, "id"),
			ToolInput: json.RawMessage("{}"),
		}
		if in := hook.Member(block, "input"); in != nil {
			p.ToolInput = in
		}
		out = append(out, encodeSample(p))
	}
	return out
}

// member returns the text of an object's member, "" if it has none.
func member(object []byte, key string) string {
	s, _ := hook.Text(hook.Member(object, key))
	return s
}

// ToolNames implements hook.Sampler. Sources: Claude Code 2.1.197 and
// 2.1.332, measured; those that a headless run is not offered by its documentation.
func (Adapter) ToolNames() []string {
	return []string{
		"Bash", "PowerShell", "Monitor", "BashOutput", "KillShell",
		"Write", "Edit", "NotebookEdit", "Read",
		"Glob", "Grep", "ToolSearch", "WebFetch", "WebSearch",
		"Agent", "Task", "Workflow", "Skill", "AskUserQuestion",
		"TaskCreate", "TaskUpdate", "EnterWorktree", "ExitWorktree",
		"TodoWrite", "EnterPlanMode", "ExitPlanMode", "TaskOutput", "TaskStop", "TaskGet", "TaskList", "LSP",
	}
}
