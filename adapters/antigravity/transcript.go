package antigravity

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// exitMark stands before the code of a command that ended, on a line of its own
// after two stamps of time (LIVE 1.1.18): free text, there is no member for it.
const exitMark = "The command exited with code "

// ReadOutcome returns how the event's call ended, nil if the transcript's tail
// does not tell. A line is one step; the step of the call has the payload's
// stepIdx, holds the output in content and is of type GENERIC, RUN_COMMAND in
// older builds, with status ERROR if the tool itself failed (LIVE 1.1.18, 3P).
// A command that still runs in the background, or whose output only quotes an
// exit, has no outcome.
func (Adapter) ReadOutcome(e hook.Event, tail []byte) *hook.Result {
	if e.Tool == nil {
		return nil
	}
	want := hook.Member(e.Raw, "stepIdx")
	if want == nil {
		return nil
	}
	for len(tail) > 0 {
		line := bytes.TrimRight(tail, "\r\n")
		start := bytes.LastIndexByte(line, '\n') + 1
		line, tail = line[start:], tail[:start]
		if !sameNumber(hook.Member(line, "step_index"), want) {
			continue
		}
		switch kind, _ := hook.Text(hook.Member(line, "type")); kind {
		case "PLANNER_RESPONSE", "USER_INPUT", "CHECKPOINT", "SYSTEM_MESSAGE", "EPHEMERAL_MESSAGE":
			continue
		}
		if v, err := hook.FirstValue(line); err != nil || len(v) != len(bytes.TrimSpace(line)) {
			continue // cut where the tail begins
		}
		return outcome(line, e.Tool.Kind)
	}
	return nil
}

func sameNumber(a, b []byte) bool {
	return len(a) > 0 && bytes.Equal(bytes.Trim(a, `"`), bytes.Trim(b, `"`))
}

func outcome(line []byte, kind hook.ToolKind) *hook.Result {
	res := &hook.Result{}
	content := hook.Member(line, "content")
	var ok bool
	if res.Text, ok = hook.Text(content); !ok {
		res.Text, _ = hook.Text(hook.Member(content, "text"))
	}
	if status, _ := hook.Text(hook.Member(line, "status")); status == "ERROR" || status == "CANCELED" {
		res.Outcome = hook.Failed
		return res
	}
	if kind != hook.Shell {
		res.Outcome = hook.Succeeded
		return res
	}
	if strings.Contains(res.Text, "running as a background task") {
		res.Background = true
		return res
	}
	code, ok := exitCode(res.Text)
	switch {
	case !ok:
		return res
	case code == 0:
		res.Outcome = hook.Succeeded
	default:
		res.Outcome = hook.Failed
	}
	res.ExitCode, res.HasExit = code, true
	return res
}

// exitCode reads the host's own line: the first that is not blank or a stamp.
func exitCode(text string) (int, bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "Created At: ") || strings.HasPrefix(line, "Completed At: ") {
			continue
		}
		rest, ok := strings.CutPrefix(line, exitMark)
		if !ok {
			return 0, false
		}
		n, err := strconv.Atoi(strings.TrimSuffix(rest, "."))
		return n, err == nil
	}
	return 0, false
}

// ReadTranscript returns the PreToolUse payloads of the tool calls in one line
// of a transcript: a PLANNER_RESPONSE with tool_calls (LIVE 1.1.18; in the
// shortened transcript.jsonl each argument is a JSON text in quotes).
func (Adapter) ReadTranscript(line []byte) [][]byte {
	root, err := hook.FirstValue(line)
	if err != nil {
		return nil
	}
	if kind, _ := hook.Text(hook.Member(root, "type")); kind != "PLANNER_RESPONSE" {
		return nil
	}
	var out [][]byte
	for call := range hook.Elements(hook.Member(root, "tool_calls")) {
		name, _ := hook.Text(hook.Member(call, "name"))
		args := map[string]json.RawMessage{}
		for key, v := range hook.Members(hook.Member(call, "args")) {
			if s, ok := hook.Text(v); ok {
				if inner, err := hook.FirstValue([]byte(s)); err == nil && len(inner) == len(s) && inner[0] == '"' {
					v = inner
				}
			}
			args[string(key)] = v
		}
		if name == "" {
			continue
		}
		out = append(out, encodeSample(samplePayload{Call: &sampleCall{Name: name, Args: args}, Step: hook.Member(root, "step_index")}))
	}
	return out
}
