package scenario

import (
	"encoding/json"
	"path/filepath"
	"strconv"

	"github.com/ec261362/guardrails/core/handoff/pack"
)

// shapeFunc makes the payload of a step.
type shapeFunc func(w *stage, n int, st *pack.Step) map[string]any

func shapes(host string) (shapeFunc, bool) {
	switch host {
	case "claude":
		return claude, true
	case "gemini":
		return gemini, true
	}
	return nil, false
}

// call is a tool call of any host.
type call struct {
	name  string
	input map[string]any
}

// asked is the one question of an ask step, in the shape both hosts share.
func asked(text string) map[string]any {
	return map[string]any{"questions": []any{map[string]any{
		"question": text, "header": "Next", "multiSelect": false,
		"options": []any{map[string]string{"label": "Go on", "description": ""}, map[string]string{"label": "Stop here", "description": ""}},
	}}}
}

func inputOf(st *pack.Step) map[string]any {
	in := map[string]any{}
	for _, p := range st.Input {
		if len(p.Values) == 1 {
			in[p.Key] = p.Values[0]
		} else {
			in[p.Key] = p.Values
		}
	}
	return in
}

// file is a path as a host names it.
func (w *stage) file(name string) string {
	full, err := w.path(name)
	if err != nil {
		return filepath.Join(w.Project, "no-such-file")
	}
	return full
}

// claude makes the payload of Claude Code 2.1.332, as captured.
func claude(w *stage, n int, st *pack.Step) map[string]any {
	p := map[string]any{
		"session_id": "s", "cwd": w.Project, "permission_mode": "default",
		"transcript_path": filepath.Join(w.Home, "transcript.jsonl"),
	}
	if st.Agent != "" {
		p["agent_id"], p["agent_type"] = st.Agent, "general-purpose"
	}
	var c call
	switch {
	case st.Stop != "":
		p["hook_event_name"], p["last_assistant_message"], p["stop_hook_active"] = "Stop", st.Stop, false
		return p
	case st.Prompt != "":
		p["hook_event_name"], p["prompt"] = "UserPromptSubmit", st.Prompt
		return p
	case st.Start != "":
		p["hook_event_name"], p["source"] = "SessionStart", st.Start
		return p
	case st.Shell != "":
		c = call{"Bash", map[string]any{"command": st.Shell}}
	case st.Call != "":
		c = call{"mcp__server__" + st.Call, inputOf(st)}
	case st.Edit != "":
		c = call{"Write", map[string]any{"file_path": w.file(st.Edit), "content": "x\n"}}
	case st.Read != "":
		c = call{"Read", map[string]any{"file_path": w.file(st.Read)}}
	case st.Skill != "":
		c = call{"Skill", map[string]any{"skill": st.Skill}}
	case st.Ask != "":
		c = call{"AskUserQuestion", asked(st.Ask)}
	}
	p["tool_name"], p["tool_input"], p["tool_use_id"] = c.name, c.input, "toolu_"+strconv.Itoa(n)
	switch {
	case st.Before:
		p["hook_event_name"] = "PreToolUse"
		return p
	case st.Fails:
		p["hook_event_name"], p["error"], p["is_interrupt"] = "PostToolUseFailure", st.Result, false
		return p
	}
	p["hook_event_name"] = "PostToolUse"
	switch {
	case st.Shell != "":
		p["tool_response"] = map[string]any{"stdout": st.Result, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false}
	case st.Skill != "":
		p["tool_response"] = map[string]any{"success": true, "commandName": st.Skill}
	case st.Ask != "":
		answered := asked(st.Ask)
		answered["answers"] = map[string]string{st.Ask: "Go on"}
		p["tool_response"] = answered
	case st.Edit != "":
		p["tool_response"] = map[string]any{"type": "create", "filePath": w.file(st.Edit), "content": "x\n"}
	default:
		p["tool_response"] = structured(st.Result)
	}
	return p
}

// structured is a result that is JSON as such, else as text.
func structured(text string) any {
	if raw := []byte(text); len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') && json.Valid(raw) {
		return json.RawMessage(raw)
	}
	return text
}

// gemini makes the payload of Gemini CLI 0.61.0, as captured.
func gemini(w *stage, n int, st *pack.Step) map[string]any {
	p := map[string]any{
		"session_id": "s", "cwd": w.Project, "transcript_path": filepath.Join(w.Home, "chat.jsonl"),
		"timestamp": "2026-01-01T09:00:00." + strconv.Itoa(100+n) + "Z",
	}
	var c call
	switch {
	case st.Stop != "":
		p["hook_event_name"], p["prompt"], p["prompt_response"], p["stop_hook_active"] = "AfterAgent", "go", st.Stop, false
		return p
	case st.Prompt != "":
		p["hook_event_name"], p["prompt"] = "BeforeAgent", st.Prompt
		return p
	case st.Start != "":
		p["hook_event_name"], p["source"] = "SessionStart", st.Start
		return p
	case st.Shell != "":
		c = call{"run_shell_command", map[string]any{"command": st.Shell, "description": "d"}}
	case st.Call != "":
		c = call{"mcp_server_" + st.Call, inputOf(st)}
		p["mcp_context"] = map[string]any{"server_name": "server", "tool_name": st.Call, "command": "node", "args": []string{"server.mjs"}}
	case st.Edit != "":
		c = call{"write_file", map[string]any{"file_path": w.file(st.Edit), "content": "x\n"}}
	case st.Read != "":
		c = call{"read_file", map[string]any{"file_path": w.file(st.Read)}}
	case st.Skill != "":
		c = call{"activate_skill", map[string]any{"name": st.Skill}}
	case st.Ask != "":
		c = call{"ask_user", asked(st.Ask)}
	}
	p["tool_name"], p["tool_input"] = c.name, c.input
	if st.Before {
		p["hook_event_name"] = "BeforeTool"
		return p
	}
	p["hook_event_name"] = "AfterTool"
	switch {
	case st.Shell != "":
		text := st.Result
		if text == "" {
			text = "(empty)"
		}
		if st.Fails {
			text += "\nExit Code: 1"
		}
		p["tool_response"] = map[string]any{
			"llmContent":    "<untrusted_context>\nOutput: " + text + "\nProcess Group PGID: 9\n</untrusted_context>",
			"returnDisplay": st.Result,
		}
	case st.Fails:
		p["tool_response"] = map[string]any{
			"llmContent": "MCP tool '" + st.Call + "' reported tool error", "returnDisplay": "Error: " + st.Result,
			"error": map[string]string{"message": st.Result, "type": "mcp_tool_error"},
		}
	case st.Call != "":
		p["tool_response"] = map[string]any{
			"llmContent":    []any{map[string]string{"text": "<untrusted_context>\n" + st.Result + "\n</untrusted_context>"}},
			"returnDisplay": st.Result,
		}
	default:
		p["tool_response"] = map[string]any{"llmContent": st.Result, "returnDisplay": ""}
	}
	return p
}
