package claude

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// Finished returns the commands that a prompt of the host's own says have ended
// in the background, each as its end would have been told in the foreground. The
// prompt names the call, its status and the file with its output (2.1.332,
// measured):
//
//	<task-notification>
//	<task-id>…</task-id>
//	<tool-use-id>toolu_…</tool-use-id>
//	<output-file>…</output-file>
//	<status>completed|failed</status>
//	<summary>Background command "…" completed (exit code 0)</summary>
//	</task-notification>
//
// What was run stands in the transcript; a call that its tail does not hold is
// left out.
func (a Adapter) Finished(e hook.Event, tail []byte, output func(path string) []byte) []hook.Event {
	if e.Name != hook.UserPromptSubmit || e.Typed() {
		return nil
	}
	var out []hook.Event
	for rest := e.Prompt; ; {
		_, after, ok := strings.Cut(rest, "<task-notification>")
		if !ok {
			return out
		}
		note, next, _ := strings.Cut(after, "</task-notification>")
		rest = next
		id, status, summary := tag(note, "tool-use-id"), tag(note, "status"), tag(note, "summary")
		if id == "" || status == "" {
			continue
		}
		call, ok := a.called(tail, id)
		if !ok || call.Tool == nil || call.Tool.Kind != hook.Shell {
			continue
		}
		end := e
		end.Name, end.HostEvent, end.Prompt, end.Source, end.Tool = hook.PostToolUse, string(hook.PostToolUse), "", "", call.Tool
		if filepath.IsAbs(call.Cwd) {
			end.Cwd = call.Cwd
		}
		res := &hook.Result{}
		if name := tag(note, "output-file"); filepath.IsAbs(name) {
			res.Text = string(output(name))
		}
		switch res.ExitCode, res.HasExit = exitIn(summary); {
		case status == "completed" && (!res.HasExit || res.ExitCode == 0):
			res.Outcome = hook.Succeeded
		case status == "failed" || res.HasExit:
			res.Outcome = hook.Failed
			end.Name, end.HostEvent = hook.PostToolUseFailure, string(hook.PostToolUseFailure)
		default: // killed, stopped
			res.Interrupted = true
		}
		end.Tool.Result = res
		out = append(out, end)
	}
}

// called finds a call by its id in the tail of a transcript.
func (a Adapter) called(tail []byte, id string) (hook.Event, bool) {
	for len(tail) > 0 {
		line := bytes.TrimRight(tail, "\r\n")
		start := bytes.LastIndexByte(line, '\n') + 1
		line, tail = line[start:], tail[:start]
		if !bytes.Contains(line, []byte(id)) || !json.Valid(line) {
			continue
		}
		for _, payload := range a.ReadTranscript(line) {
			if e, err := a.Decode(string(hook.PreToolUse), payload); err == nil && e.Tool != nil && e.Tool.ID == id {
				return e, true
			}
		}
	}
	return hook.Event{}, false
}

// tag returns the text of <name>…</name>.
func tag(s, name string) string {
	_, after, ok := strings.Cut(s, "<"+name+">")
	if !ok {
		return ""
	}
	text, _, ok := strings.Cut(after, "</"+name+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(text)
}

// exitIn reads "… (exit code 0)" and "… failed with exit code 3".
func exitIn(summary string) (code int, ok bool) {
	i := strings.LastIndex(summary, "exit code ")
	if i < 0 {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimRight(strings.TrimSpace(summary[i+len("exit code "):]), ")."))
	return n, err == nil
}
