package antigravity

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// Loads says why agy would drop a hooks.json, "" if it would load it. One wrong
// type anywhere drops the whole file, everybody's hooks with it, without a word
// (LIVE 1.1.25 and 1.1.26).
func Loads(content []byte) string {
	file, err := hook.FirstValue(content)
	if err != nil {
		return "it is not JSON (" + err.Error() + ")"
	}
	rest, ok := bytes.CutPrefix(bytes.Trim(content, " \t\r\n"), file)
	if !ok {
		return "it starts with a byte order mark or is not UTF-8"
	}
	if len(rest) > 0 {
		return "something follows its JSON"
	}
	if file[0] != '{' {
		return "it is not an object"
	}
	for name, hooks := range hook.Members(file) {
		if len(hooks) == 0 || hooks[0] != '{' {
			return fmt.Sprintf("%q is not an object of events", name)
		}
		for key, v := range hook.Members(hooks) {
			if why := eventLoads(string(key), v); why != "" {
				return fmt.Sprintf("%s.%s: %s", name, key, why)
			}
		}
	}
	return ""
}

// eventLoads checks one member of a named hook. Event names match whatever their
// case, unknown ones are discarded (LIVE 1.1.25).
func eventLoads(key string, v []byte) string {
	if strings.EqualFold(key, "enabled") {
		if s := string(v); s != "true" && s != "false" {
			return "not true or false"
		}
		return ""
	}
	grouped := strings.EqualFold(key, "PreToolUse") || strings.EqualFold(key, "PostToolUse")
	flat := false
	for _, e := range [...]string{"PreInvocation", "PostInvocation", "Stop", "SessionStart"} {
		flat = flat || strings.EqualFold(key, e)
	}
	if !grouped && !flat {
		return ""
	}
	if len(v) == 0 || v[0] != '[' {
		return "not a list"
	}
	for item := range hook.Elements(v) {
		if item[0] != '{' {
			return "holds something other than objects"
		}
		list := hook.Member(item, "hooks")
		switch {
		case flat && list != nil:
			return "a group where a handler belongs"
		case flat:
			if why := handlerLoads(item); why != "" {
				return why
			}
			continue
		case len(list) == 0 || list[0] != '[':
			return "a handler where a group belongs"
		}
		if m := hook.Member(item, "matcher"); m != nil && m[0] != '"' {
			return "a matcher that is no text"
		}
		for h := range hook.Elements(list) {
			if why := handlerLoads(h); why != "" {
				return why
			}
		}
	}
	return ""
}

func handlerLoads(h []byte) string {
	if h[0] != '{' {
		return "a handler that is no object"
	}
	for key, v := range hook.Members(h) {
		switch string(key) {
		case "type": // its case matters (LIVE 1.1.25)
			if s, _ := hook.Text(v); s != "command" && s != "prompt" {
				return "a handler of unknown type"
			}
		case "command", "prompt", "model":
			if v[0] != '"' {
				return "a " + string(key) + " that is no text"
			}
		case "timeout": // 1.5 and "5" drop the file (LIVE 1.1.25)
			if _, err := strconv.Atoi(string(v)); err != nil {
				return "a timeout that is no whole number"
			}
		}
	}
	return ""
}
