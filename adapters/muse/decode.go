package muse

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// payload holds the members of one payload that we read, as received.
type payload struct {
	event, session, agentID, agentType, cwd, transcript, mode []byte

	toolName, toolInput, toolID, response, failure []byte

	prompt, message, stopActive, source, reason, trigger []byte
}

// Decode reads one payload: one object in the shape of Claude Code's, with
// turn_id and model_provider beside it (A and B). It is total: a member of the
// wrong type is left empty and named in the error, an unknown event decodes to
// UnknownEvent with HostEvent set, unknown members and whatever follows the
// payload are ignored. A payload that is cut short is read as far as it goes,
// the error then wraps hook.ErrTruncated. One without an event, and without a
// hint, that holds a call without a result is taken as PreToolUse.
func (Adapter) Decode(eventHint string, b []byte) (hook.Event, error) {
	e := hook.Event{Host: Name, Raw: b}
	raw, err := hook.FirstValue(b)
	var r reader
	if err != nil {
		r.problems = append(r.problems, err)
	}
	if raw != nil {
		e.Raw = raw
		if raw[0] != '{' {
			r.problems = append(r.problems, errors.New("not a JSON object"))
		}
	}
	var p payload
	p.read(raw)
	if e.HostEvent = r.text("hook_event_name", p.event); e.HostEvent == "" {
		e.HostEvent = eventHint
	}
	if e.HostEvent == "" && p.toolName != nil && p.toolInput != nil && p.response == nil {
		e.HostEvent = string(hook.PreToolUse)
	}
	e.Name = eventOf(e.HostEvent)
	e.SessionID = r.text("session_id", p.session)
	e.AgentID = r.text("agent_id", p.agentID)
	e.AgentType = r.text("agent_type", p.agentType)
	// The session's workspace root, even when launched below it (A); on Windows
	// with the prefix of a long path (A, of workdir).
	e.Cwd = hook.LocalPath(r.text("cwd", p.cwd))
	e.Transcript = r.text("transcript_path", p.transcript) // always null (A)
	e.Mode = r.text("permission_mode", p.mode)
	e.Tool = p.tool(&r, e.Name)
	e.Prompt = r.text("prompt", p.prompt)
	e.Message = r.text("last_assistant_message", p.message)
	e.StopActive = r.flag("stop_hook_active", p.stopActive)
	for _, s := range [...]struct {
		name  string
		value []byte
	}{{"source", p.source}, {"reason", p.reason}, {"trigger", p.trigger}} {
		if e.Source == "" {
			e.Source = r.text(s.name, s.value)
		}
	}
	return e, r.err()
}

// read sorts the members of a payload; of one that is there twice the last
// stands.
func (p *payload) read(raw []byte) {
	for key, v := range hook.Members(raw) {
		switch string(key) {
		case "hook_event_name":
			p.event = v
		case "session_id":
			p.session = v
		case "agent_id":
			p.agentID = v
		case "agent_type":
			p.agentType = v
		case "cwd":
			p.cwd = v
		case "transcript_path":
			p.transcript = v
		case "permission_mode":
			p.mode = v
		case "tool_name":
			p.toolName = v
		case "tool_input":
			p.toolInput = v
		case "tool_use_id":
			p.toolID = v
		case "tool_response":
			p.response = v
		case "error":
			p.failure = v
		case "prompt":
			p.prompt = v
		case "last_assistant_message":
			p.message = v
		case "stop_hook_active":
			p.stopActive = v
		case "source":
			p.source = v
		case "reason":
			p.reason = v
		case "trigger":
			p.trigger = v
		}
	}
}

// eventOf maps a host event to ours: the names are the same, PascalCase only
// (B).
func eventOf(name string) hook.EventName {
	for _, e := range &events {
		if string(e) == name {
			return e
		}
	}
	return hook.UnknownEvent
}

// tool returns the call that the payload is about, nil if it is about none.
// Native names are lower case (bash, write_file), a fixture of the host may say
// Bash (A); hook.KindOf knows both.
func (p *payload) tool(r *reader, e hook.EventName) *hook.Tool {
	if p.toolName == nil && p.toolInput == nil {
		return nil
	}
	t := &hook.Tool{ID: r.text("tool_use_id", p.toolID), Name: r.text("tool_name", p.toolName), Input: p.toolInput}
	t.Kind = hook.KindOf(t.Name)
	if p.toolInput != nil && p.toolInput[0] != '{' && t.Kind != hook.MCP && t.Kind != hook.Other {
		r.problem("tool_input", wrongType("an object", p.toolInput))
	}
	switch e {
	case hook.PostToolUse:
		t.Result = result(p.response, t.Kind)
	case hook.PostToolUseFailure:
		t.Result = &hook.Result{Outcome: hook.Failed, Raw: p.response}
		if t.Result.Text = textOf(p.response); t.Result.Text == "" {
			t.Result.Text = r.text("error", p.failure)
		}
	}
	return t
}

// result reads a tool_response. Its shapes are not published (D): a command has
// an outcome only if its code stands in it, another tool went well unless it is
// marked otherwise.
func result(response []byte, kind hook.ToolKind) *hook.Result {
	res := &hook.Result{Raw: response, Text: textOf(response)}
	if kind != hook.Shell {
		res.Outcome = hook.Succeeded
	}
	for key, v := range hook.Members(response) {
		switch string(key) {
		case "exit_code", "exitCode", "exit_status":
			if n, err := strconv.Atoi(string(v)); err == nil {
				res.ExitCode, res.HasExit = n, true
			}
		case "is_error", "isError", "timed_out", "timedOut":
			if string(v) == "true" {
				res.Outcome = hook.Failed
			}
		case "success", "ok":
			if string(v) == "false" {
				res.Outcome = hook.Failed
			}
		case "error":
			if s, _ := hook.Text(v); s != "" {
				res.Outcome = hook.Failed
			}
		case "interrupted":
			if string(v) == "true" {
				res.Interrupted, res.Outcome = true, hook.Failed
			}
		case "background", "backgrounded", "running":
			res.Background = res.Background || string(v) == "true"
		}
	}
	if !res.HasExit && kind == hook.Shell {
		res.ExitCode, res.HasExit = exitLine(res.Text)
	}
	switch {
	case res.Background:
		res.Outcome, res.ExitCode, res.HasExit = hook.Unknown, 0, false
	case !res.HasExit || res.Outcome == hook.Failed:
	case res.ExitCode == 0:
		res.Outcome = hook.Succeeded
	default:
		res.Outcome = hook.Failed
	}
	return res
}

// exitLine finds a code that stands on the first line of a command's text or on
// the last (D).
func exitLine(text string) (code int, ok bool) {
	first, _, _ := strings.Cut(text, "\n")
	last := strings.TrimRight(text, " \r\n")
	last = last[strings.LastIndexByte(last, '\n')+1:]
	for _, line := range [...]string{first, last} {
		line = strings.ToLower(strings.TrimSpace(line))
		for _, mark := range [...]string{"exit code", "exit status", "exited with code"} {
			rest, found := strings.CutPrefix(line, mark)
			if !found {
				continue
			}
			if n, err := strconv.Atoi(strings.Trim(rest, " :.")); err == nil {
				return n, true
			}
		}
	}
	return 0, false
}

// textOf returns what there is to read in a result.
func textOf(response []byte) string {
	if len(response) == 0 {
		return ""
	}
	switch response[0] {
	case '"':
		s, _ := hook.Text(response)
		return s
	case '[':
		var parts []string
		for block := range hook.Elements(response) {
			s, ok := hook.Text(block)
			if !ok {
				s, ok = hook.Text(hook.Member(block, "text"))
			}
			if ok {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "\n")
	case '{':
		var parts []string
		for key, v := range hook.Members(response) {
			switch string(key) {
			case "stdout", "stderr", "output", "text", "message", "error":
				if s, _ := hook.Text(v); s != "" {
					parts = append(parts, s)
				}
			case "content", "result":
				if s := textOf(v); s != "" {
					parts = append(parts, s)
				}
			}
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

// reader collects what is wrong with a payload.
type reader struct{ problems []error }

func (r *reader) problem(member string, err error) {
	r.problems = append(r.problems, fmt.Errorf("%s: %w", member, err))
}

func (r *reader) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return fmt.Errorf("muse payload: %w", errors.Join(r.problems...))
}

// text reads a string; a missing one and null are "".
func (r *reader) text(member string, v []byte) string {
	if v == nil || string(v) == "null" {
		return ""
	}
	s, ok := hook.Text(v)
	if !ok {
		r.problem(member, wrongType("a string", v))
	}
	return s
}

// flag reads a boolean; a missing one and null are false.
func (r *reader) flag(member string, v []byte) bool {
	switch string(v) {
	case "", "null", "false":
		return false
	case "true":
		return true
	}
	r.problem(member, wrongType("true or false", v))
	return false
}

func wrongType(want string, v []byte) error {
	got := "a number"
	switch v[0] {
	case '"':
		got = "a string"
	case '{':
		got = "an object"
	case '[':
		got = "an array"
	case 't', 'f':
		got = "a boolean"
	case 'n':
		got = "null"
	}
	return fmt.Errorf("want %s, got %s", want, got)
}
