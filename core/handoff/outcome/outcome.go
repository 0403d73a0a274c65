// Package outcome tells whether a tool call visibly failed.
//
// It asks that and no more: a call that did not visibly fail may still have
// failed. It imports core/hook and the standard library only.
package outcome

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// VisiblyFailed reports whether a result shows that its call failed: the host
// said so, an error member, a status or an exit code in the nested result, or
// tightly anchored failure text of gh, glab, git, a shell or an MCP server
// anywhere in it. Prose that mentions an error is none. A nil result shows
// nothing.
func VisiblyFailed(r *hook.Result) bool {
	if r == nil {
		return false
	}
	if r.Outcome == hook.Failed || r.Interrupted || r.HasExit && r.ExitCode != 0 {
		return true
	}
	return saysFailed(r.Text) || len(r.Raw) > 0 && walk(r.Raw, failedValue)
}

// Texts returns every string of a result, at any depth and also those inside
// strings that hold JSON, in order; what the model sees first.
func Texts(r *hook.Result) []string {
	if r == nil {
		return nil
	}
	var out []string
	add := func(s string) {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	add(r.Text)
	if raw, ok := holdsJSON(r.Text); ok {
		collect(raw, add)
	}
	collect(r.Raw, add)
	return out
}

// Persisted returns the file that holds all of an output of which the result has
// only the first part, "" if there is none (Claude Code 2.1.332, measured:
// persistedOutputPath, from 30,000 characters on).
func Persisted(r *hook.Result) string {
	if r == nil {
		return ""
	}
	path, _ := hook.Text(hook.Member(r.Raw, "persistedOutputPath"))
	return path
}

func collect(raw []byte, add func(string)) {
	walk(raw, func(_ string, v any, _ bool) bool {
		if s, ok := v.(string); ok {
			add(s)
		}
		return false
	})
}

// Limits of one result: beyond them it is not looked at.
const (
	maxDepth = 16
	maxBytes = 4 << 20
)

// walk decodes raw and calls see for every value in it, containers first, each
// under the key of the nearest object; inner says that it was found inside a
// string. It stops when see returns true, and returns that. What is no JSON has
// no values.
func walk(raw []byte, see func(key string, v any, inner bool) bool) bool {
	v, ok := decode(raw)
	return ok && visit("", v, false, maxDepth, see)
}

func decode(raw []byte) (any, bool) {
	if len(raw) > maxBytes {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	return v, true
}

func visit(key string, v any, inner bool, depth int, see func(string, any, bool) bool) bool {
	if depth == 0 {
		return false
	}
	if see(key, v, inner) {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys) // a fixed order, so that the same result reads the same
		for _, k := range keys {
			if visit(k, v[k], inner, depth-1, see) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if visit(key, e, inner, depth-1, see) {
				return true
			}
		}
	case string:
		if raw, ok := holdsJSON(v); ok {
			if in, ok := decode(raw); ok {
				return visit(key, in, true, depth-1, see)
			}
		}
	}
	return false
}

// holdsJSON returns the object or array that a text is, also between the tags
// that Gemini CLI puts around untrusted output (0.61.0, measured).
func holdsJSON(s string) ([]byte, bool) {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "<untrusted_context>"); ok {
		s = strings.TrimSpace(strings.TrimSuffix(rest, "</untrusted_context>"))
		s = strings.TrimSpace(strings.TrimPrefix(s, "Output:"))
	}
	if len(s) < 2 || s[0] != '{' && s[0] != '[' {
		return nil, false
	}
	return []byte(s), true
}

// failedValue reports whether one value of a result shows a failure.
func failedValue(key string, v any, inner bool) bool {
	switch v := v.(type) {
	case map[string]any:
		return failedObject(v)
	case string:
		// Text that somebody wrote, inside data that a provider returned, says
		// nothing of the call.
		return (!inner || isChannel(key)) && !isAuthored(key) && saysFailed(v)
	}
	return false
}

// isChannel reports whether a member carries what a program or tool printed.
func isChannel(key string) bool {
	switch normal(key) {
	case "text", "stdout", "stderr", "output", "error", "llmcontent", "returndisplay":
		return true
	}
	return false
}

// isAuthored reports whether a member carries what a person or model wrote.
func isAuthored(key string) bool {
	switch normal(key) {
	case "body", "bodytext", "bodyhtml", "title", "description", "note", "prompt", "query", "diffhunk", "reason",
		"questions", "answers", "question", "originalfile", "oldstring", "newstring":
		return true
	}
	return false
}

func failedObject(o map[string]any) bool {
	api := len(o) > 0
	message := ""
	for k, v := range o {
		switch normal(k) {
		case "message":
			message, _ = v.(string)
		case "documentationurl", "status", "errors":
		default:
			api = false
		}
		if failedMember(normal(k), v) {
			return true
		}
	}
	// What the providers answer to a call that they refuse:
	// {"message":"Not Found","documentation_url":…,"status":"404"}.
	return api && message != ""
}

func failedMember(key string, v any) bool {
	switch key {
	case "iserror":
		return v == true
	case "success", "ok":
		return v == false
	case "error":
		switch v := v.(type) {
		case string:
			return strings.TrimSpace(v) != ""
		case bool:
			return v
		case map[string]any:
			return len(v) > 0
		}
	case "errors": // GraphQL
		list, _ := v.([]any)
		for _, e := range list {
			if o, ok := e.(map[string]any); ok && o["message"] != nil {
				return true
			}
		}
	case "exitcode", "exitstatus", "returncode", "exit":
		switch v := v.(type) {
		case json.Number:
			return v.String() != "0"
		case string:
			n, err := strconv.Atoi(strings.TrimSpace(v))
			return err == nil && n != 0
		}
	case "status":
		s, _ := v.(string)
		return strings.EqualFold(s, "error")
	}
	return false
}

// normal returns a key in lower case without "_" and "-".
func normal(key string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(key, "_", ""), "-", ""))
}

// saysFailed looks for failure text at the beginning of lines.
func saysFailed(text string) bool {
	if len(text) > maxBytes {
		text = text[len(text)-maxBytes:]
	}
	first, last, fenced := true, "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(stripColour(line))
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
			continue
		case line == "" || line == "<untrusted_context>" || line == "</untrusted_context>" || fenced:
			continue
		}
		line = strings.TrimPrefix(line, "Output: ") // Gemini CLI 0.61.0, measured
		if refused(line) || first && failedEdge(line) {
			return true
		}
		first, last = false, line
	}
	return failedEdge(last)
}

// refused reports whether a line, wherever it stands, is how a program ends that
// failed.
func refused(line string) bool {
	low := lower(line)
	if n, ok := exitLine(low); ok {
		return n != 0
	}
	for _, p := range [...]string{
		"graphql: ", "gh: ", "glab: ", "fatal: ", "mcp error ", "x failed to ", "x pull request ", "x could not ",
		"pull request create failed", "unknown flag: ", "unknown shorthand flag: ", "unknown command ", "required flag(s) ",
		"accepts at most ", "accepts 1 arg", "no pull requests found for branch", "to get started with github cli, please run",
		"to authenticate, please run", "could not resolve to a ", "error connecting to ", "error calling tool", "error executing tool",
		"tool execution failed", "input validation error", "invalid arguments for tool", "<tool_use_error>", "api error: ",
		"could not find any commits", "could not create the merge request", "failed to run git: ", "failed to create comment", "failed to update comment",
	} {
		if strings.HasPrefix(low, p) {
			return true
		}
	}
	return refusedByServer(low) || refusedByShell(low)
}

// exitLine reads "Exit code 1" and its kin, and returns the code.
func exitLine(low string) (code int, ok bool) {
	for _, p := range [...]string{
		"exit code: ", "exit code ", "exit status ", "process exited with code ", "command exited with code ", "command failed with exit code ",
		"exited with code ", "process exited with exit code ", "script exited with code ",
	} {
		if rest, found := strings.CutPrefix(low, p); found {
			digits := rest
			if i := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != '-' }); i >= 0 {
				digits = rest[:i]
				if t := strings.TrimLeft(rest[i:], " .:,;)"); t != "" && !strings.HasPrefix(t, "(") {
					return 0, false // a sentence
				}
			}
			n, err := strconv.Atoi(digits)
			return n, err == nil
		}
	}
	return 0, false
}

// refusedByServer reads "HTTP 404: Not Found" and
// "POST https://gitlab.com/api/…: 404 {…}".
func refusedByServer(low string) bool {
	if rest, ok := strings.CutPrefix(low, "http "); ok {
		return errorStatus(rest)
	}
	for _, verb := range [...]string{"get ", "post ", "put ", "patch ", "delete "} {
		if rest, ok := strings.CutPrefix(low, verb); ok && strings.HasPrefix(rest, "http") {
			if _, after, ok := strings.Cut(rest, ": "); ok {
				return errorStatus(after)
			}
		}
	}
	return strings.HasPrefix(low, "request failed with status code ")
}

func errorStatus(s string) bool {
	return len(s) >= 3 && (s[0] == '4' || s[0] == '5') && isDigit(s[1]) && isDigit(s[2]) && (len(s) == 3 || !isDigit(s[3]))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// refusedByShell reads "bash: line 1: gh: command not found" and its kin.
func refusedByShell(low string) bool {
	if strings.HasSuffix(low, ": command not found") || strings.HasPrefix(low, "zsh: command not found: ") ||
		strings.Contains(low, "is not recognized as an internal or external command") ||
		strings.Contains(low, "is not recognized as a name of a cmdlet") || strings.Contains(low, "is not recognized as the name of a cmdlet") {
		return true
	}
	name, _, ok := strings.Cut(low, ": ")
	switch name {
	case "bash", "sh", "zsh", "dash", "/bin/sh", "/bin/bash", "/usr/bin/bash", "/bin/zsh", "-bash", "env", "/usr/bin/env":
	default:
		ok = false
	}
	return ok && (strings.HasSuffix(low, ": not found") || strings.HasSuffix(low, "no such file or directory") || strings.HasSuffix(low, "permission denied") ||
		strings.HasSuffix(low, "not found"))
}

// failedEdge reports whether a line that is the first or the last says that all
// of it failed.
func failedEdge(line string) bool {
	low := lower(line)
	for _, icon := range [...]string{"❌", "✗", "✖", "⨯"} {
		if rest, ok := strings.CutPrefix(low, icon); ok {
			low = strings.TrimSpace(rest)
			break
		}
	}
	for _, p := range [...]string{"error: ", "error:", "failed to ", "could not ", "cannot ", "unauthorized", "forbidden", "permission denied", "a pull request for branch "} {
		if rest, ok := strings.CutPrefix(low, p); ok {
			rest = strings.TrimSpace(rest)
			// "errors: 0", "error: none" are tallies.
			return rest != "0" && rest != "none" && rest != "null" && !strings.HasPrefix(rest, "0 ")
		}
	}
	return false
}

// lower is strings.ToLower for the part of a line that decides.
func lower(line string) string {
	if len(line) > 300 {
		line = line[:200] + line[len(line)-100:]
	}
	return strings.ToLower(line)
}

// stripColour takes terminal escapes out of a line.
func stripColour(s string) string {
	if !strings.Contains(s, "\x1b[") {
		return s
	}
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		i := strings.IndexFunc(after, func(r rune) bool { return r >= '@' && r <= '~' })
		if i < 0 {
			return b.String()
		}
		s = after[i+1:]
	}
}
