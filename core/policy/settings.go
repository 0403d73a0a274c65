package policy

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// settingsProblem says what is wrong with replacing a host's settings file
// before by after, "" if nothing: after must be JSON that the host loads, keep
// our entries byte for byte where they are, and change no switch of the hooks.
func settingsProblem(before, after []byte, lf *hook.LiveFile, own func([]byte) bool) string {
	after = bytes.TrimPrefix(after, []byte("\xef\xbb\xbf"))
	before = bytes.TrimPrefix(before, []byte("\xef\xbb\xbf"))
	if lf.Loads != nil && !json.Valid(after) && lf.Loads(after) == "" {
		// The host reads comments; what they hide is not compared.
		after, before = plainJSON(after), plainJSON(before)
	}
	var now map[string]json.RawMessage
	if err := json.Unmarshal(after, &now); err != nil {
		return "the result is not valid JSON, so the host would drop the whole file"
	}
	var was map[string]json.RawMessage
	_ = json.Unmarshal(before, &was) // unreadable = empty: nothing of ours is in it

	if own == nil {
		own = ownEntry
	}
	had := map[string]int{}
	entries("", before, 0, own, func(at string, raw []byte) { had[at+"\x00"+string(raw)]++ })
	entries("", after, 0, own, func(at string, raw []byte) { had[at+"\x00"+string(raw)]-- })
	for _, k := range keysOf(had) {
		if had[k] > 0 {
			at, _, _ := strings.Cut(k, "\x00")
			return "it drops or changes the guardrails entry in " + at
		}
	}
	for _, path := range lf.Switches {
		if key, changed := switchChanged(was, now, path); changed {
			return "it changes " + key + ", which switches hooks"
		}
	}
	if key := envSwitch(was["env"], now["env"]); key != "" {
		return "it changes env." + key + ", which steers hooks"
	}
	if lf.Loads != nil {
		if why := lf.Loads(after); why != "" && lf.Loads(before) == "" {
			return why + ", for which the host would drop the whole file"
		}
	}
	if problem := brokenHooks(was["hooks"], now["hooks"]); problem != "" {
		return problem + ", for which the host would drop the whole file"
	}
	return ""
}

// plainJSON drops the comments of a JSON text and the commas before a closing
// bracket.
func plainJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			from := i
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			out = append(out, text[from:min(i+1, len(text))]...)
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			out = append(out, '\n')
		case c == '/' && i+1 < len(text) && text[i+1] == '*':
			end := bytes.Index(text[i+2:], []byte("*/"))
			if end < 0 {
				return out
			}
			i += end + 3
		case c == '}' || c == ']':
			if end := bytes.TrimRight(out, " \t\r\n"); len(end) > 0 && end[len(end)-1] == ',' {
				out = end[:len(end)-1]
			}
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return out
}

func keysOf(m map[string]int) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// entries visits every object of ours in a JSON text with the place it stands
// in: keys, and the matcher of the group it belongs to.
func entries(at string, raw []byte, depth int, own func([]byte) bool, visit func(at string, raw []byte)) {
	if depth > 12 {
		return
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return
	}
	switch raw[0] {
	case '{':
		if at != "" && own(raw) {
			visit(at, raw)
			return
		}
		var m map[string]json.RawMessage
		if json.Unmarshal(raw, &m) != nil {
			return
		}
		if g, ok := m["matcher"]; ok {
			at += "[" + string(g) + "]"
		}
		for k, v := range m {
			next := k
			if at != "" {
				next = at + "." + k
			}
			entries(next, v, depth+1, own, visit)
		}
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return
		}
		for _, v := range list {
			entries(at, v, depth+1, own, visit)
		}
	}
}

// ownEntry recognises a handler of ours when Settings does not say how: its
// command line names our program and, behind it, hook. That holds for every
// form that init writes or ever wrote, and for those that somebody wrapped.
func ownEntry(raw []byte) bool {
	if !bytes.Contains(raw, []byte("guardrails")) {
		return false
	}
	var h struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	if json.Unmarshal(raw, &h) != nil || h.Command == "" {
		return false
	}
	line := h.Command + " " + strings.Join(h.Args, " ")
	for i := 0; ; {
		n := strings.Index(line[i:], "guardrails")
		if n < 0 {
			return false
		}
		at := i + n
		i = at + len("guardrails")
		rest := strings.TrimPrefix(strings.TrimPrefix(line[i:], "-full"), ".exe")
		if at > 0 && !strings.ContainsRune(`/\"'= (`, rune(line[at-1])) || rest == "" || !strings.ContainsRune(` "'\`, rune(rest[0])) {
			continue // part of another name
		}
		for w := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune(" \t\n;&|\"'()\\", r) }) {
			if w == "hook" {
				return true
			}
		}
	}
}

// at returns the value under a dotted path, nil if there is none.
func at(m map[string]json.RawMessage, path string) json.RawMessage {
	key, rest, more := strings.Cut(path, ".")
	v, ok := m[key]
	if !ok || !more {
		return v
	}
	var inner map[string]json.RawMessage
	if json.Unmarshal(v, &inner) != nil {
		return nil
	}
	return at(inner, rest)
}

// switchChanged compares one switch, a dotted path whose last key may end in *.
func switchChanged(was, now map[string]json.RawMessage, path string) (string, bool) {
	prefix, star := strings.CutSuffix(path, "*")
	if !star {
		return path, !sameJSON(at(was, path), at(now, path))
	}
	parent, stem := "", prefix
	if i := strings.LastIndexByte(prefix, '.'); i >= 0 {
		parent, stem = prefix[:i], prefix[i+1:]
	}
	inner := func(m map[string]json.RawMessage) map[string]json.RawMessage {
		if parent == "" {
			return m
		}
		var o map[string]json.RawMessage
		_ = json.Unmarshal(at(m, parent), &o)
		return o
	}
	a, b := inner(was), inner(now)
	for _, m := range [...]map[string]json.RawMessage{a, b} {
		for k := range m {
			if strings.HasPrefix(k, stem) && !sameJSON(a[k], b[k]) {
				if parent != "" {
					k = parent + "." + k
				}
				return k, true
			}
		}
	}
	return "", false
}

func sameJSON(a, b json.RawMessage) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	var x, y bytes.Buffer
	if json.Compact(&x, a) != nil || json.Compact(&y, b) != nil {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(x.Bytes(), y.Bytes())
}

// envSwitch returns a variable that steers hooks and was added or changed.
func envSwitch(was, now json.RawMessage) string {
	var a, b map[string]json.RawMessage
	_ = json.Unmarshal(was, &a)
	_ = json.Unmarshal(now, &b)
	names := make([]string, 0, len(a)+len(b))
	for k := range b {
		names = append(names, k)
	}
	for k := range a {
		if _, ok := b[k]; !ok {
			names = append(names, k)
		}
	}
	sort.Strings(names)
	for _, k := range names {
		if steersHooks(k) && !sameJSON(a[k], b[k]) {
			return k
		}
	}
	return ""
}

// steersHooks reports whether an environment variable can switch hooks off, or
// reaches our own process: where its state lies, what the runtime does, what is
// loaded into it.
func steersHooks(name string) bool {
	n := strings.ToUpper(name)
	switch n {
	case "GODEBUG", "GOMAXPROCS", "GOMEMLIMIT", "GOGC", "GOTRACEBACK", "GOCOVERDIR", "GORACE", "GOFIPS140", "BASH_ENV", "ENV", "HOME", "USERPROFILE":
		return true
	}
	return strings.HasPrefix(n, "GUARDRAILS_") || strings.HasPrefix(n, "CLAUDE_CODE_") && strings.Contains(n, "HOOK") ||
		strings.HasPrefix(n, "LD_") || strings.HasPrefix(n, "DYLD_")
}

// brokenHooks returns what makes a host refuse the whole file: a group or
// handler of a shape that it cannot load (Claude Code 2.1.197 and 2.1.332,
// measured). What was broken before does not count.
func brokenHooks(was, now json.RawMessage) string {
	p := hooksShape(now)
	if p == "" || hooksShape(was) == p {
		return ""
	}
	return p
}

func hooksShape(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var events map[string]json.RawMessage
	if json.Unmarshal(raw, &events) != nil {
		return ""
	}
	names := make([]string, 0, len(events))
	for k := range events {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, ev := range names {
		var groups []json.RawMessage
		if json.Unmarshal(events[ev], &groups) != nil {
			continue // not an array: ignored by the host
		}
		for _, g := range groups {
			var group map[string]json.RawMessage
			if json.Unmarshal(g, &group) != nil || group == nil {
				return "a group of hooks." + ev + " is not an object"
			}
			if m, ok := group["matcher"]; ok {
				var s string
				if string(m) == "null" || json.Unmarshal(m, &s) != nil {
					return "a matcher of hooks." + ev + " is not a string"
				}
			}
			var handlers []map[string]json.RawMessage
			if json.Unmarshal(group["hooks"], &handlers) != nil {
				return "a group of hooks." + ev + " has no array of hooks"
			}
			for _, h := range handlers {
				if p := handlerShape(h); p != "" {
					return "a handler of hooks." + ev + " " + p
				}
			}
		}
	}
	return ""
}

func handlerShape(h map[string]json.RawMessage) string {
	var typ string
	_ = json.Unmarshal(h["type"], &typ)
	switch typ {
	case "command":
		var s string
		if json.Unmarshal(h["command"], &s) != nil || s == "" {
			return "has no command"
		}
	case "http", "prompt", "agent", "mcp_tool":
	default:
		return "has no known type"
	}
	if raw, ok := h["timeout"]; ok {
		var n float64
		if json.Unmarshal(raw, &n) != nil || n <= 0 {
			return "has a timeout that is not a positive number"
		}
	}
	if raw, ok := h["args"]; ok {
		var list []string
		if json.Unmarshal(raw, &list) != nil || string(raw) == "null" {
			return "has args that are no list of texts"
		}
	}
	return ""
}

// afterEdits returns what the file called path will hold after the call, and
// whether that can be seen.
func afterEdits(edits []hook.FileEdit, path string, before []byte) ([]byte, bool) {
	text, n := string(before), 0
	for _, e := range edits {
		if e.Path != path {
			continue
		}
		if e.Op != hook.Create && e.Op != hook.Modify {
			return nil, false
		}
		var ok bool
		if text, ok = e.Apply(text); !ok {
			return nil, false
		}
		n++
	}
	return []byte(text), n > 0
}
