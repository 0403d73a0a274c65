package antigravity

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// payload holds the members of one payload that we read, as received: camelCase
// protojson, with the call nested and without the event's name (LIVE 1.1.18).
type payload struct {
	conversation, transcript, workspaces []byte

	call, failure []byte // toolCall, error

	invocation, lastInput                []byte // invocationNum, lastUserInput (BIN 1.2.9)
	execution, termination, idle, output []byte // executionNum, terminationReason, fullyIdle, finalModelOutput (BIN 1.2.9)
}

// Decode reads one payload. The event is the one named on the command line,
// because the payload does not name it; without that it is told from the
// members: a call without an error is PreToolUse, one with it PostToolUse, a
// reason of termination Stop, a number of invocation PreInvocation.
//
// It is total: a member of the wrong type is left empty and named in the error,
// an unknown event decodes to UnknownEvent with HostEvent set, unknown members
// and whatever follows the payload are ignored. A payload that is cut short is
// read as far as it goes, the error then wraps hook.ErrTruncated.
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
	if e.HostEvent = eventHint; e.HostEvent == "" {
		e.HostEvent = p.event()
	}
	e.SessionID = r.text("conversationId", p.conversation)
	e.Transcript = r.text("transcriptPath", p.transcript)
	e.Prompt = r.text("lastUserInput", p.lastInput)
	e.Message = r.text("finalModelOutput", p.output)
	invocation := r.number("invocationNum", p.invocation)
	execution := r.number("executionNum", p.execution)
	reason := r.text("terminationReason", p.termination)
	busy := p.idle != nil && !r.flag("fullyIdle", p.idle)

	e.Name = eventOf(e.HostEvent)
	switch e.Name {
	case hook.UserPromptSubmit:
		if invocation > 0 {
			e.Name = hook.PreModelCall
		}
	case hook.Stop:
		e.Source = reason
		e.StopActive = execution > 0 // counts the continues of a turn (LIVE 1.1.18)
		// An error, or somebody else's hook that ended the turn, is no end that
		// could be held (LIVE 1.1.18: ERROR, TERMINAL_CUSTOM_HOOK; DOC:
		// max_steps_exceeded, error).
		switch reason {
		case "", "NO_TOOL_CALL", "model_stop":
		default:
			e.Name = hook.StopFailure
		}
		if busy {
			// Work goes on, and another Stop follows when it is done (DOC). What
			// kind of work is not told.
			e.Background = []hook.Background{{Kind: hook.BackgroundSubagent}}
		}
	}
	e.Tool = p.tool(&r, e.Name)
	e.Cwd = p.cwd(&r, e.Tool)
	return e, r.err()
}

// read sorts the members of a payload; of one that is there twice the last
// stands.
func (p *payload) read(raw []byte) {
	for key, v := range hook.Members(raw) {
		switch string(key) {
		case "conversationId":
			p.conversation = v
		case "transcriptPath":
			p.transcript = v
		case "workspacePaths":
			p.workspaces = v
		case "toolCall":
			p.call = v
		case "error":
			p.failure = v
		case "invocationNum":
			p.invocation = v
		case "lastUserInput":
			p.lastInput = v
		case "executionNum":
			p.execution = v
		case "terminationReason":
			p.termination = v
		case "fullyIdle":
			p.idle = v
		case "finalModelOutput":
			p.output = v
		}
	}
}

// event tells the event from the members.
func (p *payload) event() string {
	switch {
	case p.call != nil && p.failure == nil:
		return "PreToolUse"
	case p.call != nil:
		return "PostToolUse"
	case p.termination != nil || p.execution != nil || p.idle != nil:
		return "Stop"
	case p.invocation != nil || p.lastInput != nil:
		return "PreInvocation"
	}
	return ""
}

// eventOf maps a host event to ours. The first PreInvocation of a turn is where
// a prompt arrives; there is no other such event, and no end of a session.
func eventOf(name string) hook.EventName {
	for _, e := range [...]struct {
		host string
		name hook.EventName
	}{
		{"PreToolUse", hook.PreToolUse},
		{"PostToolUse", hook.PostToolUse},
		{"PreInvocation", hook.UserPromptSubmit},
		{"Stop", hook.Stop},
		{"SessionStart", hook.SessionStart},
	} {
		if strings.EqualFold(name, e.host) {
			return e.name
		}
	}
	return hook.UnknownEvent
}

// tool returns the call that the payload is about, nil if it is about none.
func (p *payload) tool(r *reader, e hook.EventName) *hook.Tool {
	if p.call == nil {
		return nil
	}
	if p.call[0] != '{' {
		r.problem("toolCall", wrongType("an object", p.call))
		return nil
	}
	t := &hook.Tool{Name: r.text("toolCall.name", hook.Member(p.call, "name")), Input: hook.Member(p.call, "args")}
	t.Kind = hook.KindOf(t.Name)
	if t.Input != nil && t.Input[0] != '{' && t.Kind != hook.MCP && t.Kind != hook.Other {
		r.problem("toolCall.args", wrongType("an object", t.Input))
	}
	if e == hook.PostToolUse {
		// It fires only for a tool that ran, and its error was "" even for a shell
		// that exited with 7 (LIVE 1.1.18): a command's outcome stands in the
		// transcript only.
		t.Result = &hook.Result{Text: r.text("error", p.failure)}
		switch {
		case t.Result.Text != "":
			t.Result.Outcome = hook.Failed
		case t.Kind != hook.Shell:
			t.Result.Outcome = hook.Succeeded
		}
	}
	return t
}

// cwd is the call's own folder, else the first of the workspace, else unknown:
// workspacePaths is often empty without a terminal (LIVE 1.1.18), and the
// process's folder is that of hooks.json.
func (p *payload) cwd(r *reader, t *hook.Tool) string {
	workspace := ""
	if p.workspaces != nil && string(p.workspaces) != "null" {
		if p.workspaces[0] != '[' {
			r.problem("workspacePaths", wrongType("an array", p.workspaces))
		}
		for v := range hook.Elements(p.workspaces) { // the first may be a file: address (3P)
			workspace = hook.LocalPath(r.text("workspacePaths[0]", v))
			break
		}
	}
	if !filepath.IsAbs(workspace) {
		workspace = ""
	}
	switch own := hook.LocalPath(t.WorkDir()); {
	case filepath.IsAbs(own):
		return own
	case own != "" && workspace != "" && t.Kind == hook.Shell:
		return filepath.Join(workspace, own)
	}
	return workspace
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
	return fmt.Errorf("antigravity payload: %w", errors.Join(r.problems...))
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

// number reads a whole number, which protojson may write as a string; a missing
// one and null are 0.
func (r *reader) number(member string, v []byte) int {
	if v == nil || string(v) == "null" {
		return 0
	}
	n, err := strconv.Atoi(strings.Trim(string(v), `"`))
	if err != nil {
		r.problem(member, wrongType("a whole number", v))
	}
	return n
}

// flag reads a boolean, which may be written as a string (LIVE 1.1.27, of
// arguments); a missing one and null are false.
func (r *reader) flag(member string, v []byte) bool {
	switch string(v) {
	case "", "null", "false", `"false"`:
		return false
	case "true", `"true"`:
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
