package claude

import (
	"bytes"
	"encoding/json"
	"slices"
	"sort"
)

// loads says why Claude Code would drop a whole settings file, with every hook,
// permission and variable in it, "" if it would not. It counts what either of
// 2.1.197 and 2.1.332 was measured to refuse, and takes members of another
// type than documented for refused, too: nobody writes them by purpose.
func loads(content []byte) string {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")) // fine for the host
	if len(bytes.TrimSpace(content)) == 0 {
		return ""
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(content, &file); err != nil || file == nil {
		return "the file is not a JSON object"
	}
	if why := plainTypes(file); why != "" {
		return why
	}
	raw, ok := file["hooks"]
	if !ok {
		return ""
	}
	var events map[string]json.RawMessage
	if json.Unmarshal(raw, &events) != nil || events == nil {
		return "hooks is not an object"
	}
	for _, name := range sorted(events) {
		if why := eventLoads(name, events[name]); why != "" {
			return why
		}
	}
	return ""
}

func sorted(m map[string]json.RawMessage) []string {
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	sort.Strings(names)
	return names
}

// plainTypes looks at the members beside the hooks.
func plainTypes(file map[string]json.RawMessage) string {
	if raw, ok := file["permissions"]; ok {
		var rules map[string]json.RawMessage
		if json.Unmarshal(raw, &rules) != nil || rules == nil {
			return "permissions is not an object"
		}
		for _, k := range [...]string{"allow", "deny", "ask", "additionalDirectories"} {
			var list []string
			if v, ok := rules[k]; ok && (json.Unmarshal(v, &list) != nil || list == nil) {
				return "permissions." + k + " is not a list of texts"
			}
		}
	}
	if raw, ok := file["env"]; ok {
		var env map[string]json.RawMessage
		if json.Unmarshal(raw, &env) != nil || env == nil {
			return "env is not an object"
		}
		for _, k := range sorted(env) {
			if v := env[k]; len(v) == 0 || v[0] == '[' || v[0] == '{' || v[0] == 'n' {
				return "env." + k + " is not a text"
			}
		}
	}
	for _, k := range [...]string{"disableAllHooks", "allowManagedHooksOnly"} {
		var on bool
		if v, ok := file[k]; ok && (json.Unmarshal(v, &on) != nil || v[0] == 'n') {
			return k + " is not true or false"
		}
	}
	return ""
}

// guarding reports whether a hook of the event may be what guards permissions:
// 2.1.332 applies nothing of a file in which one of them is broken.
func guarding(event string) bool {
	return event == "PreToolUse" || event == "PermissionRequest" || event == "PreSkillShellCommand"
}

func eventLoads(event string, raw json.RawMessage) string {
	at := "hooks." + event
	if raw[0] != '[' {
		switch {
		case raw[0] == 'n': // null: no hook of that event
		case guarding(event):
			return at + " is not a list"
		case !known(event):
			for _, g := range [...]string{`"PreToolUse"`, `"PermissionRequest"`, `"PreSkillShellCommand"`} {
				if bytes.Contains(raw, []byte(g)) {
					return at + " is no event and holds hooks that guard"
				}
			}
		}
		return ""
	}
	var groups []json.RawMessage
	_ = json.Unmarshal(raw, &groups)
	for _, g := range groups {
		var group map[string]json.RawMessage
		if json.Unmarshal(g, &group) != nil || group == nil {
			return "a group of " + at + " is not an object"
		}
		if m, ok := group["matcher"]; ok && m[0] != '"' {
			return "a matcher of " + at + " is not a text"
		}
		var handlers []json.RawMessage
		if h := group["hooks"]; len(h) == 0 || h[0] != '[' || json.Unmarshal(h, &handlers) != nil {
			return "a group of " + at + " has no list of hooks"
		}
		for _, h := range handlers {
			if why := handlerLoads(event, h); why != "" {
				return "a handler of " + at + " " + why
			}
		}
	}
	return ""
}

func handlerLoads(event string, raw json.RawMessage) string {
	var h map[string]json.RawMessage
	if json.Unmarshal(raw, &h) != nil || h == nil {
		return "is not an object"
	}
	text := func(key string) string {
		var s string
		_ = json.Unmarshal(h[key], &s)
		return s
	}
	need := ""
	switch text("type") {
	case "command":
		need = "command"
	case "http":
		need = "url"
	case "prompt", "agent":
		need = "prompt"
	case "mcp_tool":
	default:
		return "has no known type"
	}
	if need != "" && text(need) == "" {
		return "has no " + need
	}
	if v, ok := h["timeout"]; ok {
		var n float64
		if json.Unmarshal(v, &n) != nil || n <= 0 {
			return "has a timeout that is not a positive number"
		}
	}
	if v, ok := h["args"]; ok {
		var list []string
		if v[0] != '[' || json.Unmarshal(v, &list) != nil {
			return "has args that are not a list of texts"
		}
	}
	if _, ok := h["onFailure"]; ok && guarding(event) {
		if s := text("onFailure"); s != "block" && s != "continue" {
			return "has an onFailure that is neither block nor continue"
		}
	}
	return ""
}

// known reports whether 2.1.332 has an event of that name.
func known(event string) bool {
	return slices.Contains([]string{
		"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit", "UserPromptExpansion", "SessionStart",
		"SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch",
		"PermissionRequest", "PermissionDenied", "Setup", "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult",
		"ConfigChange", "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged", "FileChanged", "DirectoryAdded", "MessageDisplay",
		"PreSkillShellCommand",
	}, event)
}
