package gemini

import (
	"encoding/json"

	"github.com/ec261362/guardrails/core/hook"
)

type samplePayload struct {
	SessionID string          `json:"session_id,omitempty"`
	Cwd       string          `json:"cwd,omitempty"`
	Event     string          `json:"hook_event_name"`
	Prompt    *string         `json:"prompt,omitempty"`
	ToolName  string          `json:"tool_name,omitempty"`
	ToolInput json.RawMessage `json:"tool_input,omitempty"`
}

// Payload returns the payload that Gemini CLI would send for the described call.
func (Adapter) Payload(s hook.Sample) []byte {
	p := samplePayload{SessionID: s.SessionID, Cwd: s.Cwd, Event: beforeTool, ToolName: s.Tool}
	input := map[string]string{}
	switch {
	case s.Prompt != "":
		p.Event, p.Prompt, p.ToolName = beforeAgent, &s.Prompt, ""
		return encodeSample(p)
	case s.Path != "":
		if p.ToolName == "" {
			p.ToolName = "read_file"
			if s.Content != nil {
				p.ToolName = "write_file"
			}
		}
		key := "file_path"
		switch p.ToolName {
		case "list_directory", "glob", "grep_search":
			key = "dir_path"
		}
		input[key] = s.Path
		if s.Content != nil {
			input["content"] = *s.Content
		}
	case p.ToolName == "":
		p.ToolName = "run_shell_command"
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

// ReadTranscript returns the BeforeTool payloads of the tool calls in one line
// of a chats/session-….jsonl: a message of the model with toolCalls, which is
// written once they have ended. Neither session nor folder is told there, and
// calls that a hook denied are listed like the others (0.61.0, measured).
func (Adapter) ReadTranscript(line []byte) [][]byte {
	root, err := hook.FirstValue(line)
	if err != nil || member(root, "type") != "gemini" {
		return nil
	}
	var out [][]byte
	for call := range hook.Elements(hook.Member(root, "toolCalls")) {
		p := samplePayload{Event: beforeTool, ToolName: member(call, "name"), ToolInput: json.RawMessage("{}")}
		if p.ToolName == "" {
			continue
		}
		if in := hook.Member(call, "args"); in != nil {
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

// ToolNames implements hook.Sampler. Sources: Gemini CLI 0.61.0,
// measured; what only an interactive session is offered from its sources.
func (Adapter) ToolNames() []string {
	return []string{
		"run_shell_command", "list_background_processes", "read_background_output",
		"write_file", "replace", "read_file", "read_many_files",
		"list_directory", "glob", "grep_search", "web_fetch", "google_web_search",
		"invoke_agent", "activate_skill", "ask_user", "update_topic", "write_todos", "enter_plan_mode", "exit_plan_mode", "save_memory",
	}
}
