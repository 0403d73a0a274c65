package antigravity

import (
	"encoding/json"

	"github.com/ec261362/guardrails/core/hook"
)

type samplePayload struct {
	Conversation string          `json:"conversationId"`
	Workspaces   []string        `json:"workspacePaths"`
	Step         json.RawMessage `json:"stepIdx,omitempty"`
	Call         *sampleCall     `json:"toolCall,omitempty"`
	Invocation   *int            `json:"invocationNum,omitempty"`
	Prompt       string          `json:"lastUserInput,omitempty"`
}

type sampleCall struct {
	Name string                     `json:"name"`
	Args map[string]json.RawMessage `json:"args"`
}

// Payload returns the payload that Antigravity would send for the described
// call. A prompt is told by the first PreInvocation of a turn, as 1.2.9 may
// (BIN).
func (Adapter) Payload(s hook.Sample) []byte {
	p := samplePayload{Conversation: s.SessionID, Workspaces: []string{}}
	if s.Cwd != "" {
		p.Workspaces = append(p.Workspaces, s.Cwd)
	}
	if s.Prompt != "" {
		p.Invocation, p.Prompt = new(int), s.Prompt
		return encodeSample(p)
	}
	c := &sampleCall{Name: s.Tool, Args: map[string]json.RawMessage{}}
	p.Call, p.Step = c, json.RawMessage("3")
	switch {
	case s.Path != "" && s.Content != nil:
		c.name("write_to_file")
		c.set("TargetFile", s.Path)
		c.set("CodeContent", *s.Content)
	case s.Path != "":
		c.name("view_file")
		c.set("AbsolutePath", s.Path)
	case s.Command != "" || s.Tool == "":
		c.name("run_command")
		c.set("CommandLine", s.Command)
		if s.Cwd != "" {
			c.set("Cwd", s.Cwd)
		}
	}
	return encodeSample(p)
}

func (c *sampleCall) name(name string) {
	if c.Name == "" {
		c.Name = name
	}
}

func (c *sampleCall) set(key, value string) {
	if b, err := json.Marshal(value); err == nil {
		c.Args[key] = b
	}
}

func encodeSample(p samplePayload) []byte {
	if p.Workspaces == nil {
		p.Workspaces = []string{}
	}
	b, err := json.Marshal(p)
	if err != nil {
		return []byte("{}")
	}
	return b
}

// ToolNames implements hook.Sampler. Source: Antigravity 1.1, documented.
func (Adapter) ToolNames() []string {
	return []string{
		"run_command", "manage_task",
		"write_to_file", "replace_file_content", "multi_replace_file_content", "view_file",
		"find_by_name", "grep_search", "list_dir", "read_url_content", "search_web",
		"invoke_subagent", "ask_question", "call_mcp_tool",
	}
}
