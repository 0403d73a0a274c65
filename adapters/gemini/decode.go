package gemini

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// payload holds the members of one payload that we read, as received.
type payload struct {
	event, session, cwd, transcript []byte

	toolName, toolInput, response, mcp []byte

	prompt, answer, stopActive            []byte
	source, reason, trigger, notification []byte
}

// Decode reads one payload. It is total: a member of the wrong type is left
// empty and named in the error, an unknown event decodes to UnknownEvent with
// HostEvent set, unknown members and whatever follows the payload are ignored.
// A payload that is cut short is read as far as it goes, the error then wraps
// hook.ErrTruncated. One without an event, and without a hint, that holds a call
// without a result is taken as BeforeTool.
//
// An AfterTool is a PostToolUseFailure if its result says that the call failed.
// A BeforeAgent by which the host submits our own reason once more, as it does
// after each blocked AfterAgent since 0.35.0, gets the Source hook.Replay.
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
		e.HostEvent = beforeTool
	}
	e.Name = eventOf(e.HostEvent)
	e.SessionID = r.text("session_id", p.session)
	e.Cwd = r.text("cwd", p.cwd)
	e.Transcript = r.text("transcript_path", p.transcript)
	if e.Tool = p.tool(&r, e.Name); e.Tool != nil && e.Tool.Result != nil && e.Tool.Result.Outcome == hook.Failed {
		e.Name = hook.PostToolUseFailure
	}
	e.StopActive = r.flag("stop_hook_active", p.stopActive)
	switch e.Name {
	case hook.UserPromptSubmit:
		if e.Prompt = r.text("prompt", p.prompt); replayed(e.Prompt) {
			e.Source = hook.Replay
		}
	case hook.Stop:
		e.Message = r.text("prompt_response", p.answer)
	case hook.SessionStart:
		e.Source = r.text("source", p.source)
	case hook.SessionEnd:
		e.Source = r.text("reason", p.reason)
	case hook.PreCompact:
		e.Source = r.text("trigger", p.trigger)
	case hook.Notification:
		e.Source = r.text("notification_type", p.notification)
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
		case "cwd":
			p.cwd = v
		case "transcript_path":
			p.transcript = v
		case "tool_name":
			p.toolName = v
		case "tool_input":
			p.toolInput = v
		case "tool_response":
			p.response = v
		case "mcp_context":
			p.mcp = v
		case "prompt":
			p.prompt = v
		case "prompt_response":
			p.answer = v
		case "stop_hook_active":
			p.stopActive = v
		case "source":
			p.source = v
		case "reason":
			p.reason = v
		case "trigger":
			p.trigger = v
		case "notification_type":
			p.notification = v
		}
	}
}

// eventOf maps the host's events to ours. An AfterTool is a success until its
// result says otherwise.
func eventOf(name string) hook.EventName {
	switch name {
	case beforeTool:
		return hook.PreToolUse
	case afterTool:
		return hook.PostToolUse
	case beforeAgent:
		return hook.UserPromptSubmit
	case afterAgent:
		return hook.Stop
	case preCompress:
		return hook.PreCompact
	case "SessionStart", "SessionEnd", "Notification":
		return hook.EventName(name)
	}
	return hook.UnknownEvent
}

// hostEvent is eventOf the other way round: the name to put into an answer.
func hostEvent(e hook.EventName) string {
	switch e {
	case hook.PreToolUse:
		return beforeTool
	case hook.PostToolUse, hook.PostToolUseFailure:
		return afterTool
	case hook.UserPromptSubmit:
		return beforeAgent
	case hook.Stop:
		return afterAgent
	case hook.PreCompact:
		return preCompress
	}
	return string(e)
}

// tool returns the call that the payload is about, nil if it is about none.
func (p *payload) tool(r *reader, e hook.EventName) *hook.Tool {
	if p.toolName == nil && p.toolInput == nil {
		return nil
	}
	t := &hook.Tool{Name: r.text("tool_name", p.toolName), Input: p.toolInput}
	t.Kind = hook.KindOf(t.Name)
	if len(p.mcp) > 0 && p.mcp[0] == '{' {
		t.Kind = hook.MCP // by whatever name; the member is there since 0.25.0
	}
	if p.toolInput != nil && p.toolInput[0] != '{' && t.Kind != hook.MCP && t.Kind != hook.Other {
		r.problem("tool_input", wrongType("an object", p.toolInput))
	}
	if e == hook.PostToolUse {
		t.Result = p.result(r, t.Kind)
	}
	return t
}

// result reads a tool_response: {llmContent, returnDisplay, error?}. What is not
// a shell's is a success unless it has an error (0.61.0, measured).
func (p *payload) result(r *reader, kind hook.ToolKind) *hook.Result {
	res := &hook.Result{Raw: p.response}
	if p.response == nil || isNull(p.response) {
		return res
	}
	if p.response[0] != '{' {
		r.problem("tool_response", wrongType("an object", p.response))
		return res
	}
	var content, failure []byte
	for key, v := range hook.Members(p.response) {
		switch string(key) {
		case "llmContent":
			content = v
		case "error":
			failure = v
		}
	}
	res.Text = contentText(content, true)
	switch kind {
	case hook.Shell:
		readShell(res)
	case hook.Spawn:
		readSpawn(res)
	default:
		res.Outcome = hook.Succeeded
	}
	if failure != nil && !isNull(failure) {
		res.Outcome, res.Background = hook.Failed, false
		if res.Text == "" {
			res.Text, _ = hook.Text(hook.Member(failure, "message"))
		}
	}
	return res
}

// contentText is the text of what the model is given: a string, a part, or an
// array of them. plain leaves out the tags around what comes from outside.
func contentText(v []byte, plain bool) string {
	if len(v) == 0 {
		return ""
	}
	switch v[0] {
	case '"':
		s, _ := hook.Text(v)
		if inner, ok := strings.CutPrefix(s, untrusted); ok && plain {
			s = strings.TrimSuffix(inner, untrustedEnd)
		}
		return s
	case '{':
		return contentText(stringOnly(hook.Member(v, "text")), plain)
	case '[':
		var texts []string
		for part := range hook.Elements(v) {
			if part[0] != '[' {
				texts = append(texts, contentText(part, plain))
			}
		}
		return joinLines(texts...)
	}
	return ""
}

func stringOnly(v []byte) []byte {
	if len(v) == 0 || v[0] != '"' {
		return nil
	}
	return v
}

// Around what comes from outside, since 0.49.0; a closing tag inside is escaped
// (0.61.0, read).
const (
	untrusted    = "<untrusted_context>\n"
	untrustedEnd = "\n</untrusted_context>"
)

// readShell reads a shell's result, of which it leaves the command's output as
// Text. The lines come in a fixed order: Output, which is the command's own, may
// span many and say anything, then, each only if there is something to tell,
// Error, Exit Code, Signal, Background PIDs and Process Group PGID (0.61.0, read;
// Output, Exit Code and PGID measured). So the code is looked for from the end,
// and what a command prints can make a success look like a failure, never the
// reverse. A text of another form, as a summary by a model is, tells nothing.
func readShell(res *hook.Result) {
	text := res.Text
	switch {
	case strings.HasPrefix(text, "Command is running in background."), strings.HasPrefix(text, "Command moved to background "):
		res.Background = true
		return
	case strings.HasPrefix(text, "Command was automatically cancelled"), strings.HasPrefix(text, "Command was cancelled"):
		res.Outcome, res.Interrupted = hook.Failed, true
		return
	case !strings.HasPrefix(text, "Output: "):
		return
	}
	text, _, _ = lastLine(text, "Process Group PGID: ")
	text, _, _ = lastLine(text, "Background PIDs: ")
	text, _, signalled := lastLine(text, "Signal: ")
	text, code, coded := lastLine(text, "Exit Code: ")
	switch n, err := strconv.Atoi(code); {
	case coded && err == nil:
		res.Outcome, res.ExitCode, res.HasExit = hook.Failed, n, true
	case coded || signalled:
		res.Outcome = hook.Failed
	default:
		res.Outcome, res.HasExit = hook.Succeeded, true
	}
	if res.Text = strings.TrimPrefix(text, "Output: "); res.Text == "(empty)" {
		res.Text = ""
	}
}

// lastLine takes the last line of text off it and returns what follows label
// there, if the line starts with it and is not the only one.
func lastLine(text, label string) (rest, value string, ok bool) {
	start := strings.LastIndexByte(text, '\n') + 1
	value, ok = strings.CutPrefix(text[start:], label)
	if !ok || start == 0 {
		return text, "", false
	}
	return text[:start-1], value, true
}

// readSpawn reads a subagent's result, whose second line names why it ended:
// GOAL, or something that went wrong (0.61.0: the line measured, GOAL read).
func readSpawn(res *hook.Result) {
	res.Outcome = hook.Succeeded
	if !strings.HasPrefix(res.Text, "Subagent '") {
		return
	}
	_, rest, _ := strings.Cut(res.Text, "\n")
	line, _, _ := strings.Cut(rest, "\n")
	if why, ok := strings.CutPrefix(line, "Termination Reason: "); ok && strings.TrimSpace(why) != "GOAL" {
		res.Outcome = hook.Failed
	}
}

func joinLines(parts ...string) string {
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
	return fmt.Errorf("gemini payload: %w", errors.Join(r.problems...))
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
