package hosttest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Muse Code, as public records tell it. Confidence: A measured on 1.4.x, B
// measured on an older build without a contradiction, C one source or
// inferred, D assumed.

// MuseOutputCap is how many bytes of output Muse reads (B, 1.0.1): over it, the
// process tree is killed and the output thrown away.
const MuseOutputCap = 16384

// museEvents are the events that the binary knows (B, 1.0.2).
var museEvents = []string{
	"SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PreLLMCall", "PostLLMCall", "PreCompact", "PostCompact",
	"SubagentStart", "SubagentStop", "Stop", "SessionEnd", "Notification", "PostToolUseFailure", "StopFailure", "PostToolBatch",
}

// LoadMuseHooks reads a hooks.json as Muse does: whatever is not understood is
// dropped without a word. dropped says what, for tests.
func LoadMuseHooks(data []byte) (loaded []Handler, dropped []string) {
	drop := func(format string, args ...any) { dropped = append(dropped, fmt.Sprintf(format, args...)) }
	file, err := object(data)
	if err != nil {
		drop("the file: %v", err)
		return nil, dropped
	}
	// The wrapper and the group level are both mandatory (B, 1.0.2).
	byEvent, err := object(file["hooks"])
	if err != nil {
		drop("hooks: %v", err)
		return nil, dropped
	}
	for event, list := range byEvent {
		// Unknown event: that event is skipped; PascalCase only (B).
		if !slices.Contains(museEvents, event) {
			drop("%s: unknown event", event)
			continue
		}
		var groups []json.RawMessage
		if json.Unmarshal(list, &groups) != nil {
			drop("%s: no array", event)
			continue
		}
		for _, raw := range groups {
			group, err := object(raw)
			// An unknown group key drops the group (B; on an older build the file).
			if k := unknown(group, "matcher", "hooks"); err != nil || k != "" {
				drop("%s: group: %v %s", event, err, k)
				continue
			}
			matcher := words(group["matcher"])
			// On events without a selector a matcher disables the group (B, 1.0.1).
			if slices.Contains([]string{"UserPromptSubmit", "Stop", "PreLLMCall", "PostLLMCall"}, event) && matcher != "" && matcher != "*" {
				drop("%s: a matcher where there is nothing to match", event)
				continue
			}
			var handlers []json.RawMessage
			if json.Unmarshal(group["hooks"], &handlers) != nil {
				drop("%s: group without hooks", event)
				continue
			}
			for _, raw := range handlers {
				h, err := museHandler(raw)
				if err != nil {
					drop("%s: handler: %v", event, err)
					continue
				}
				h.Event, h.Matcher = event, matcher
				loaded = append(loaded, h)
			}
		}
	}
	return loaded, dropped
}

func museHandler(raw []byte) (Handler, error) {
	m, err := object(raw)
	if err != nil {
		return Handler{}, err
	}
	// An unknown handler key drops the handler: args, env, shell, if, once,
	// onFailure, timeout_ms … (B, 1.0.2 and Sept 2026).
	if k := unknown(m, "type", "command", "timeout", "statusMessage", "async", "outputCapabilities", "silent", "description"); k != "" {
		return Handler{}, fmt.Errorf("unknown key %s", k)
	}
	h := Handler{Command: words(m["command"])}
	if words(m["type"]) != "command" || h.Command == "" {
		return Handler{}, fmt.Errorf("no command")
	}
	// A non-negative integer of seconds: 30.0 and "30" drop the handler; 0
	// becomes 1; absent is no limit (B).
	h.Timeout = 3600
	if t, ok := m["timeout"]; ok {
		if json.Unmarshal(t, &h.Timeout) != nil || h.Timeout < 0 || strings.ContainsAny(string(t), ".eE") {
			return Handler{}, fmt.Errorf("timeout %s", t)
		}
		h.Timeout = max(h.Timeout, 1)
	}
	return h, nil
}

// MuseEnv is the environment that Muse gives a hook: cleared but for these, no
// XDG variables, nothing of the user's exports (A).
func MuseEnv(home, path, dir string) []string {
	return []string{
		"HOME=" + home, "PATH=" + path, "PWD=" + dir, "SHELL=/bin/sh", "SHLVL=1", "TERM=dumb", "LANG=C.UTF-8", "LOGNAME=dev", "USER=dev", "TMPDIR=/tmp", "_=/bin/sh",
	}
}

// ReadMuse reads a reply to event as Muse does. A failed hook lets the call run
// (A for reasons and decisions that do not fit, C for the rest).
func ReadMuse(event string, r Reply) Effect {
	failed := func(format string, args ...any) Effect { return Effect{Failed: fmt.Sprintf(format, args...)} }
	switch {
	case len(r.Stdout) > MuseOutputCap: // B, 1.0.1
		return failed("%d bytes of output", len(r.Stdout))
	case r.TimedOut: // C
		return failed("timed out")
	case r.Exit == 2 && len(strings.TrimSpace(string(r.Stderr))) > 0: // A, 1.4.14
		return Effect{Blocked: true, Reason: strings.TrimSpace(string(r.Stderr))}
	case r.Exit != 0: // C; 2 with nothing on stderr: D
		return failed("exit code %d", r.Exit)
	case len(strings.TrimSpace(string(r.Stdout))) == 0: // A, 1.4.14
		return Effect{}
	}
	top, err := object(r.Stdout)
	if err != nil {
		if event == "UserPromptSubmit" && r.Stdout[0] != '{' { // B, 1.0.1: plain text becomes context
			return Effect{Context: []string{strings.TrimSpace(string(r.Stdout))}}
		}
		return failed("malformed_output: %v", err) // B
	}
	// "unsupported `continue`", "unsupported `additionalContext`": any unknown
	// key fails the hook (B, 1.0.1 and Sept 2026).
	if k := unknown(top, "decision", "reason", "systemMessage", "suppressOutput", "hookSpecificOutput"); k != "" {
		return failed("unsupported `%s`", k)
	}
	var e Effect
	for _, k := range []string{"systemMessage", "suppressOutput"} { // B: accepted, ignored
		if top[k] != nil {
			e.Ignored = append(e.Ignored, k)
		}
	}
	if _, ok := top["reason"]; ok && top["decision"] == nil { // A, 1.4.14
		return failed("a reason without a decision")
	}
	if d := top["decision"]; d != nil {
		switch {
		case words(d) != "block": // D: no other word is known
			return failed("decision %s", d)
		case words(top["reason"]) == "": // A, 1.4.14: a non-empty reason is required
			return failed("a block without a reason")
		case !slices.Contains([]string{"PreToolUse", "PostToolUse", "Stop", "SubagentStop"}, event): // B; PostToolUse D, SubagentStop C
			return failed("a block of %s", event)
		}
		e.Blocked, e.Reason = true, words(top["reason"])
	}
	if raw := top["hookSpecificOutput"]; raw != nil {
		return museSpecific(event, raw, e)
	}
	return e
}

func museSpecific(event string, raw json.RawMessage, e Effect) Effect {
	failed := func(format string, args ...any) Effect {
		return Effect{Failed: "hookSpecificOutput: " + fmt.Sprintf(format, args...)}
	}
	m, err := object(raw)
	if err != nil {
		return failed("%v", err)
	}
	known := map[string][]string{
		"PreToolUse":        {"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"},
		"PermissionRequest": {"decision"},
		"SessionStart":      {"additionalContext"},
		"UserPromptSubmit":  {"additionalContext"},
		"PostToolUse":       {"additionalContext"},
	}[event]
	if k := unknown(m, append([]string{"hookEventName"}, known...)...); k != "" { // B
		return failed("unsupported `%s`", k)
	}
	if words(m["hookEventName"]) != event { // C
		return failed("hookEventName %s on %s", m["hookEventName"], event)
	}
	if m["permissionDecisionReason"] != nil && m["permissionDecision"] == nil { // A, 1.4.14
		return failed("a reason without a permission decision")
	}
	if d := m["permissionDecision"]; d != nil {
		switch words(d) {
		case "deny": // A, 1.4.0: verified on disk
			if words(m["permissionDecisionReason"]) == "" { // A by the block without a reason
				return failed("a denial without a reason")
			}
			e.Blocked, e.Reason = true, words(m["permissionDecisionReason"])
		case "allow": // A, 1.4.14: recorded as null
			e.Ignored = append(e.Ignored, "permissionDecision")
		default: // D: ask is nowhere shown to exist
			return failed("permissionDecision %s", d)
		}
	}
	if in := m["updatedInput"]; in != nil { // A, 1.4.14: rewrite_selected
		if _, err := object(in); err != nil {
			return failed("updatedInput: %v", err)
		}
		e.Input = in
	}
	if d := m["decision"]; d != nil { // B: verified natively
		b, err := object(d)
		if err != nil || unknown(b, "behavior") != "" {
			return failed("decision %s", d)
		}
		switch words(b["behavior"]) {
		case "deny":
			e.Blocked = true
		case "allow":
			e.Ignored = append(e.Ignored, "decision")
		default:
			return failed("behavior %s", d)
		}
	}
	if c := m["additionalContext"]; c != nil {
		switch {
		case words(c) == "":
			return failed("additionalContext %s", c)
		case event == "PreToolUse" || event == "PostToolUse": // D: not shown to work
			e.Ignored = append(e.Ignored, "additionalContext")
		default: // B
			e.Context = append(e.Context, words(c))
		}
	}
	return e
}

// ApproveMuse is what Muse itself does with a command under --approval-mode
// untrusted, by the user's persisted rules: "prompt", "allowed", "denied", or
// "rejected" for a policy that it does not take. policy is nil for no file,
// root is the session's workspace.
func ApproveMuse(policy []byte, root, command string) string {
	if policy == nil {
		return "prompt" // A
	}
	// Schema 2 is strict at every level (A for the findings, B for the shape).
	file, err := object(policy)
	if err != nil || unknown(file, "schema_version", "rules") != "" || string(file["schema_version"]) != "2" {
		return "rejected"
	}
	var list []json.RawMessage
	if json.Unmarshal(file["rules"], &list) != nil || file["rules"] == nil {
		return "rejected"
	}
	stages := strings.FieldsFunc(strings.NewReplacer("&&", ";", "||", ";").Replace(command), func(r rune) bool { return r == ';' || r == '|' })
	allowed := make([]bool, len(stages))
	denied := false
	for _, raw := range list {
		rule, err := object(raw)
		effect := words(rule["effect"])
		if err != nil || unknown(rule, "effect", "durability", "reason", "rule") != "" || effect != "allow" && effect != "deny" {
			return "rejected"
		}
		body, err := object(rule["rule"])
		if err != nil {
			return "rejected"
		}
		switch words(body["kind"]) {
		case "shell_command_argv_prefix":
			var argv []string
			if unknown(body, "kind", "argv_prefix", "workspace_root") != "" || json.Unmarshal(body["argv_prefix"], &argv) != nil {
				return "rejected"
			}
			// Only at exactly this workspace root (A).
			for i, s := range stages {
				if w := strings.Fields(s); words(body["workspace_root"]) == root && len(w) >= len(argv) && slices.Equal(w[:len(argv)], argv) {
					denied = denied || effect == "deny"
					allowed[i] = allowed[i] || effect == "allow"
				}
			}
		case "shell_command_exact_raw": // A that it is global; D the kind's and the member's name
			if unknown(body, "kind", "command") != "" {
				return "rejected"
			}
			if words(body["command"]) == command {
				denied = denied || effect == "deny"
				for i := range allowed {
					allowed[i] = allowed[i] || effect == "allow"
				}
			}
		default:
			return "rejected"
		}
	}
	switch {
	case denied: // A: deny beats allow, on any stage
		return "denied"
	case len(stages) > 0 && !slices.Contains(allowed, false): // A: each stage needs its own
		return "allowed"
	}
	return "prompt"
}
