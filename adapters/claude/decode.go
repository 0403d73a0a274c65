package claude

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// payload holds the members of one payload that we read, as received.
type payload struct {
	event, session, agentID, agentType, cwd, transcript, mode []byte

	toolName, toolInput, toolID, response []byte
	failure, interrupt                    []byte

	prompt, message, stopActive, background     []byte
	source, reason, trigger, notification, load []byte
	command, commandSource, path                []byte
}

// Decode reads one payload. It is total: a member of the wrong type is left
// empty and named in the error, an unknown event decodes to UnknownEvent with
// HostEvent set, unknown members and whatever follows the payload are ignored.
// A payload that is cut short is read as far as it goes, the error then wraps
// hook.ErrTruncated. One without an event, and without a hint, that holds a call
// without a result is taken as PreToolUse.
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
	if e.HostEvent == "" && p.toolName != nil && p.toolInput != nil && p.response == nil && p.failure == nil {
		e.HostEvent = string(hook.PreToolUse)
	}
	e.Name = eventOf(e.HostEvent)
	e.SessionID = r.text("session_id", p.session)
	e.AgentID = r.text("agent_id", p.agentID)
	e.AgentType = r.text("agent_type", p.agentType)
	e.Cwd = r.text("cwd", p.cwd)
	e.Transcript = r.text("transcript_path", p.transcript)
	e.Mode = r.text("permission_mode", p.mode)
	e.Tool = p.tool(&r, e.Name)

	e.Prompt = r.text("prompt", p.prompt)
	e.Message = r.text("last_assistant_message", p.message)
	e.StopActive = r.flag("stop_hook_active", p.stopActive)
	e.Background = p.running(&r, e.AgentID)
	e.Path = r.text("file_path", p.path)
	e.Skill = r.text("command_name", p.command)
	e.Source = r.text("source", p.source)
	if e.Source == "" {
		e.Source = p.cause(&r, e.Name)
	}
	return e, r.err()
}

// read sorts the members of a payload; of one that is there twice the last
// stands, as in the host.
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
		case "is_interrupt":
			p.interrupt = v
		case "prompt":
			p.prompt = v
		case "last_assistant_message":
			p.message = v
		case "stop_hook_active":
			p.stopActive = v
		case "background_tasks":
			p.background = v
		case "source":
			p.source = v
		case "reason":
			p.reason = v
		case "trigger":
			p.trigger = v
		case "notification_type":
			p.notification = v
		case "load_reason":
			p.load = v
		case "command_name":
			p.command = v
		case "command_source":
			p.commandSource = v
		case "file_path":
			p.path = v
		}
	}
}

// eventOf maps a host event to ours: the names are the same, but some of the
// host's have no counterpart. Other hosts that run what is registered here spell
// them preToolUse or pre_tool_use.
func eventOf(name string) hook.EventName {
	for _, e := range &events {
		if string(e) == name {
			return e
		}
	}
	if name != "" && name[0] >= 'a' && name[0] <= 'z' {
		var b strings.Builder
		for word := range strings.SplitSeq(name, "_") {
			if word != "" {
				b.WriteString(strings.ToUpper(word[:1]) + word[1:])
			}
		}
		for _, e := range &events {
			if string(e) == b.String() {
				return e
			}
		}
	}
	return hook.UnknownEvent
}

// cause is the event's reason, trigger or whatever else the host calls it.
func (p *payload) cause(r *reader, e hook.EventName) string {
	switch e {
	case hook.SessionEnd:
		return r.text("reason", p.reason)
	case hook.PreCompact, hook.PostCompact:
		return r.text("trigger", p.trigger)
	case hook.UserPromptExpansion, hook.PreSkillShellCommand:
		return r.text("command_source", p.commandSource)
	case hook.Notification:
		return r.text("notification_type", p.notification)
	case hook.StopFailure:
		return r.text("error", p.failure)
	case hook.UnknownEvent:
		for _, v := range [...][]byte{p.reason, p.trigger, p.load} {
			if s, _ := hook.Text(v); s != "" {
				return s
			}
		}
	}
	return ""
}

// tool returns the call that the payload is about, nil if it is about none.
func (p *payload) tool(r *reader, e hook.EventName) *hook.Tool {
	if p.toolName == nil && p.toolInput == nil {
		return nil
	}
	t := &hook.Tool{
		ID:    r.text("tool_use_id", p.toolID),
		Name:  r.text("tool_name", p.toolName),
		Input: p.toolInput,
	}
	t.Kind = hook.KindOf(t.Name)
	if e == hook.PreSkillShellCommand {
		t.Kind = hook.Shell
	}
	if p.toolInput != nil && p.toolInput[0] != '{' && t.Kind != hook.MCP && t.Kind != hook.Other {
		r.problem("tool_input", wrongType("an object", p.toolInput))
	}
	switch e {
	case hook.PostToolUse:
		t.Result = p.result(r, t)
	case hook.PostToolUseFailure:
		t.Result = p.failed(r)
	}
	return t
}

// failed reads a PostToolUseFailure: a shell's error starts with "Exit code N"
// and its output follows (2.1.197 and 2.1.332, measured).
func (p *payload) failed(r *reader) *hook.Result {
	res := &hook.Result{
		Outcome:     hook.Failed,
		Text:        r.text("error", p.failure),
		Interrupted: r.flag("is_interrupt", p.interrupt),
	}
	if rest, ok := strings.CutPrefix(res.Text, "Exit code "); ok {
		end := 0
		for end < len(rest) && '0' <= rest[end] && rest[end] <= '9' {
			end++
		}
		if end == len(rest) || rest[end] == '\n' || rest[end] == '\r' {
			if n, err := strconv.Atoi(rest[:end]); err == nil {
				res.ExitCode, res.HasExit = n, true
			}
		}
	}
	return res
}

// result reads a PostToolUse. The event itself says that the call succeeded,
// but for a shell that was sent to the background, was interrupted, or ended
// with a code that the host calls harmless (grep without a match): the
// code is not told, so the outcome is unknown.
func (p *payload) result(r *reader, t *hook.Tool) *hook.Result {
	res := &hook.Result{Outcome: hook.Succeeded, Raw: p.response}
	if len(p.response) == 0 {
		return res
	}
	switch p.response[0] {
	case '"':
		res.Text, _ = hook.Text(p.response)
	case '[':
		res.Text = blocksText(p.response)
	case '{':
		objectResult(res, t)
	case 'n':
	default:
		r.problem("tool_response", wrongType("a string, an array or an object", p.response))
	}
	if t.Kind == hook.Shell && res.Outcome == hook.Succeeded {
		if isTrue(hook.Member(t.Input, "run_in_background")) {
			res.Background, res.Outcome = true, hook.Unknown
		} else if strings.EqualFold(t.Name, "Bash") {
			res.HasExit = true // a command that exits otherwise comes as a failure or with an interpretation
		}
	}
	return res
}

// objectResult reads a tool_response object into res. What the model sees of a
// tool without text of its own stays empty: file tools echo what was written.
func objectResult(res *hook.Result, t *hook.Tool) {
	var parts [5]string // stdout, stderr, then the first of the other texts, the interpretation
	var content, file []byte
	for key, v := range hook.Members(res.Raw) {
		switch string(key) {
		case "stdout":
			parts[0], _ = hook.Text(v)
		case "stderr":
			parts[1], _ = hook.Text(v)
		case "content":
			content = v
		case "output", "result", "text":
			parts[2], _ = hook.Text(v)
		case "message":
			parts[3], _ = hook.Text(v)
		case "file":
			file = v
		case "returnCodeInterpretation":
			if s, ok := hook.Text(v); ok && s != "" {
				parts[4] = s
				res.Outcome = hook.Unknown
			}
		case "backgroundTaskId":
			if s, ok := hook.Text(v); ok && s != "" {
				res.Background = true
			}
		case "taskId": // Monitor; TaskUpdate has one, too
			if t.Kind == hook.Shell {
				res.Background = true
			}
		case "isAsync":
			if isTrue(v) {
				res.Background = true
			}
		case "status":
			if s, _ := hook.Text(v); s == "async_launched" {
				res.Background = true
			}
		case "interrupted":
			if isTrue(v) {
				res.Interrupted, res.Outcome = true, hook.Failed
			}
		case "error": // NotebookEdit: "" when it went well
			if s, _ := hook.Text(v); s != "" {
				parts[3], res.Outcome = s, hook.Failed
			}
		case "success":
			if bytes.Equal(v, []byte("false")) {
				res.Outcome = hook.Failed
			}
		}
	}
	if res.Background {
		res.Outcome = hook.Unknown
	}
	if t.Kind != hook.Write && t.Kind != hook.Edit {
		switch {
		case len(content) > 0 && content[0] == '[':
			parts[2] = blocksText(content)
		case len(content) > 0:
			parts[2], _ = hook.Text(content)
		case file != nil:
			parts[2], _ = hook.Text(hook.Member(file, "content"))
		}
	}
	res.Text = joinLines(parts[:]...)
}

// blocksText joins the texts of an array of content blocks.
func blocksText(array []byte) string {
	var texts []string
	for block := range hook.Elements(array) {
		if s, ok := hook.Text(hook.Member(block, "text")); ok {
			texts = append(texts, s)
		} else if s, ok := hook.Text(block); ok {
			texts = append(texts, s)
		}
	}
	return joinLines(texts...)
}

func joinLines(parts ...string) string {
	var only string
	n := 0
	for _, p := range parts {
		if p != "" {
			only = p
			n++
		}
	}
	if n < 2 {
		return only
	}
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p)
	}
	return b.String()
}

// running returns the work that the host says goes on. A subagent that stops is
// still listed as running in its own SubagentStop (2.1.332, measured): it does
// not wait for itself.
func (p *payload) running(r *reader, self string) []hook.Background {
	if p.background == nil || isNull(p.background) {
		return nil
	}
	if p.background[0] != '[' {
		r.problem("background_tasks", wrongType("an array", p.background))
		return nil
	}
	var out []hook.Background
	for item := range hook.Elements(p.background) {
		var b hook.Background
		var status, kind string
		for key, v := range hook.Members(item) {
			switch string(key) {
			case "id":
				b.ID, _ = hook.Text(v)
			case "type":
				kind, _ = hook.Text(v)
			case "status":
				status, _ = hook.Text(v)
			case "agent_type":
				b.Agent, _ = hook.Text(v)
			case "command":
				b.Command, _ = hook.Text(v)
			}
		}
		switch {
		case item[0] != '{' || self != "" && b.ID == self:
			continue
		case status != "" && status != "running" && status != "pending":
			continue
		case kind == "subagent":
			b.Kind = hook.BackgroundSubagent
		case kind == "shell" || b.Command != "":
			b.Kind = hook.BackgroundCommand
		}
		out = append(out, b)
	}
	return out
}

func isTrue(v []byte) bool { return string(v) == "true" }
func isNull(v []byte) bool { return string(v) == "null" }

// reader collects what is wrong with a payload.
type reader struct{ problems []error }

func (r *reader) problem(member string, err error) {
	r.problems = append(r.problems, fmt.Errorf("%s: %w", member, err))
}

func (r *reader) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return fmt.Errorf("claude payload: %w", errors.Join(r.problems...))
}

// text reads a string; a missing one and null are "".
func (r *reader) text(member string, v []byte) string {
	if v == nil || isNull(v) {
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
	switch {
	case v == nil || isNull(v) || string(v) == "false":
		return false
	case isTrue(v):
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
