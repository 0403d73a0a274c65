package hosttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Antigravity's agy, as public records tell it. Marks: LIVE with a version is a
// record of the real program, DOC the vendor's page, 3P an assertion without a
// method.

// antigravityEvents, with whether their handlers stand in groups (DOC; LIVE
// 1.1.25: the wrong form drops the whole file).
var antigravityEvents = map[string]bool{
	"PreToolUse": true, "PostToolUse": true, "PreInvocation": false, "PostInvocation": false, "Stop": false, "SessionStart": false,
}

// LoadAntigravityHooks reads a hooks.json as agy does. One wrong type anywhere
// drops the whole file without a word (LIVE 1.1.25 and 1.1.26).
func LoadAntigravityHooks(data []byte) ([]Handler, error) {
	names, err := object(data) // no comments, no trailing comma (LIVE 1.1.25)
	if err != nil {
		return nil, err
	}
	var loaded []Handler
	for _, name := range slices.Sorted(maps.Keys(names)) {
		hooks, err := object(names[name]) // a list, or `enabled` at the top, is no object
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		enabled := true
		var mine []Handler
		for key, raw := range hooks {
			if strings.EqualFold(key, "enabled") {
				if json.Unmarshal(raw, &enabled) != nil {
					return nil, fmt.Errorf("%s.enabled is no boolean", name)
				}
				continue
			}
			for event, grouped := range antigravityEvents {
				if !strings.EqualFold(key, event) { // LIVE 1.1.25: case does not matter; unknown events are discarded
					continue
				}
				got, err := antigravityList(event, grouped, raw)
				if err != nil {
					return nil, fmt.Errorf("%s.%s: %w", name, key, err)
				}
				mine = append(mine, got...)
			}
		}
		if enabled {
			loaded = append(loaded, mine...)
		}
	}
	return loaded, nil
}

func antigravityList(event string, grouped bool, raw json.RawMessage) ([]Handler, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	if !grouped {
		return antigravityHandlers(event, "", list)
	}
	var loaded []Handler
	for _, raw := range list {
		var group struct {
			Matcher string
			Hooks   []json.RawMessage
		}
		if err := json.Unmarshal(raw, &group); err != nil {
			return nil, err
		}
		if group.Hooks == nil {
			return nil, errors.New("a handler where a group belongs")
		}
		got, err := antigravityHandlers(event, group.Matcher, group.Hooks)
		if err != nil {
			return nil, err
		}
		loaded = append(loaded, got...)
	}
	return loaded, nil
}

func antigravityHandlers(event, matcher string, list []json.RawMessage) ([]Handler, error) {
	if matcher == "*" {
		matcher = ""
	}
	var loaded []Handler
	for _, raw := range list {
		// Unknown keys (env, cwd, args …) are discarded (LIVE 1.1.25).
		h := struct {
			Type    string
			Command string
			Timeout int // whole seconds: 1.5 and "5" drop the file (LIVE 1.1.25)
			Hooks   json.RawMessage
		}{Type: "command", Timeout: 30}
		if err := json.Unmarshal(raw, &h); err != nil {
			return nil, err
		}
		switch {
		case h.Hooks != nil:
			return nil, errors.New("a group where a handler belongs")
		case h.Type != "command" && h.Type != "prompt": // LIVE 1.1.25: case matters
			return nil, fmt.Errorf("type %q", h.Type)
		case h.Type == "command" && h.Command != "":
			loaded = append(loaded, Handler{Event: event, Matcher: matcher, Command: h.Command, Timeout: h.Timeout})
		}
	}
	return loaded, nil
}

// Antigravity is one turn of agy: it counts what a Stop may keep going.
type Antigravity struct{ continued int }

// AntigravityStopCap is how often a turn is kept going (LIVE 1.1.18): the
// eleventh continue is ignored.
const AntigravityStopCap = 10

// Read reads a reply to event as agy 1.1.18 and later do. args is the call's
// input.
func (a *Antigravity) Read(event string, args json.RawMessage, r Reply) Effect {
	switch event {
	case "PreToolUse":
		return readDecision(args, r)
	case "Stop":
		return a.readStop(r)
	case "PreInvocation":
		return readInjected(r)
	}
	// LIVE 1.1.18: nothing else is honoured on PostToolUse; SessionStart BIN only.
	if m, err := object(r.Stdout); err == nil && len(m) > 0 {
		return Effect{Ignored: slices.Sorted(maps.Keys(m))}
	}
	return Effect{}
}

// readDecision: whatever is not a decision refuses the call.
func readDecision(args json.RawMessage, r Reply) Effect {
	refused := func(format string, with ...any) Effect {
		why := fmt.Sprintf(format, with...)
		return Effect{Failed: why, Blocked: true, Reason: why}
	}
	switch {
	case r.TimedOut: // LIVE 1.1.27
		return refused("signal: killed")
	case r.Exit != 0: // LIVE 1.1.18, 1.1.27: output ignored
		return refused("command failed: exit status %d", r.Exit)
	}
	m, err := object(r.Stdout)
	if err != nil { // LIVE 1.1.27
		return refused("failed to unmarshal result via protojson: %v", err)
	}
	// An unknown member discards the output in older builds (3P), which leaves no
	// decision; 1.2.9 drops the member.
	if k := unknown(m, "decision", "reason", "permissionOverrides", "overwrite", "allow_tool", "deny_reason"); k != "" {
		return refused("unknown field %q", k)
	}
	e := Effect{Reason: words(m["reason"])}
	if m["permissionOverrides"] != nil { // LIVE 1.1.2, 1.1.18, 1.1.27: no effect
		e.Ignored = append(e.Ignored, "permissionOverrides")
	}
	for k, v := range m {
		if (k == "decision" || k == "reason") && (len(v) == 0 || v[0] != '"') {
			return refused("%s %s", k, v)
		}
	}
	switch d := words(m["decision"]); d {
	case "allow": // LIVE 1.1.2, 1.1.18, 1.1.27, 1.2.7: no objection, never a permission
	case "deny": // LIVE 1.1.2 to 1.2.0
		e.Blocked = true
		return e
	case "ask", "force_ask": // LIVE 1.1.27: under always-proceed the call runs unasked
		e.Asked = true
	case "deny_unless_prior_grant": // LIVE 1.1.18
		e.Asked = true
	case "": // LIVE 1.0.3, 1.0.15, 1.2.7: {} denies every call
		return refused("no decision")
	default:
		return refused("unknown decision %q", d)
	}
	if raw := m["overwrite"]; raw != nil { // LIVE 1.1.18: the given members replace the input's
		over, err := object(raw)
		if err != nil {
			return refused("overwrite: %v", err)
		}
		in, err := object(args)
		if err != nil {
			in = map[string]json.RawMessage{}
		}
		maps.Copy(in, over)
		if e.Input, err = json.Marshal(in); err != nil {
			return refused("overwrite: %v", err)
		}
	}
	return e
}

// readStop: only continue is known to hold a turn (LIVE 1.1.18); an exit code is
// ignored (LIVE 1.1.18).
func (a *Antigravity) readStop(r Reply) Effect {
	m, err := object(r.Stdout)
	if err != nil {
		return Effect{Failed: err.Error()}
	}
	if k := unknown(m, "decision", "reason"); k != "" { // 3P, as above
		return Effect{Failed: "unknown field " + k}
	}
	switch words(m["decision"]) {
	case "continue":
		if a.continued == AntigravityStopCap {
			return Effect{Ignored: []string{"decision"}}
		}
		a.continued++
		return Effect{Blocked: true, Reason: words(m["reason"])}
	case "":
		return Effect{}
	}
	return Effect{Ignored: []string{"decision"}} // block and stop: told of, not proven
}

// readInjected: messages are read, a tool call ends the run (LIVE 1.1.18).
func readInjected(r Reply) Effect {
	m, err := object(r.Stdout)
	if err != nil {
		return Effect{Failed: err.Error()}
	}
	if k := unknown(m, "injectSteps"); k != "" {
		return Effect{Failed: "unknown field " + k}
	}
	var e Effect
	if m["injectSteps"] == nil {
		return e
	}
	var steps []map[string]json.RawMessage
	if err := json.Unmarshal(m["injectSteps"], &steps); err != nil {
		return Effect{Failed: err.Error()}
	}
	for _, step := range steps {
		if k := unknown(step, "ephemeralMessage", "userMessage"); k != "" || len(step) != 1 {
			return Effect{Failed: "unknown injected step type: " + k, Blocked: true}
		}
		for _, v := range step {
			if words(v) == "" {
				return Effect{Failed: "an empty step"}
			}
			e.Context = append(e.Context, words(v))
		}
	}
	return e
}
