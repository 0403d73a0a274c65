// Package emits reads what an acceptance-test product's tools say by being
// called: runs, failed runs, classifications and diagnoses.
//
// Tools are known by the last "__" segment of their name, whatever the server is
// called. It imports core/handoff/outcome, core/hook and the standard library
// only.
package emits

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/handoff/outcome"
	"github.com/ec261362/guardrails/core/hook"
)

// ToolName returns the last "__" segment of an MCP tool's name, also of one that
// a host calls through a generic tool, in lower case; other tools have their own.
func ToolName(t *hook.Tool) string {
	if t == nil {
		return ""
	}
	name := t.Name
	if isGeneric(name) {
		if inner := text(t, "toolname", "tool", "name"); inner != "" {
			name = inner
		}
	}
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	return strings.ToLower(name)
}

// isGeneric reports whether a tool calls the MCP tool that its input names
// (Antigravity 1.1: call_mcp_tool).
func isGeneric(name string) bool {
	switch strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", "")) {
	case "callmcptool", "callmcp", "mcptool", "usemcptool":
		return true
	}
	return false
}

// Is reports whether t is one of names. A host that glues the server's name on
// with one "_", or cuts long names in the middle (Gemini CLI 0.61.0: "..."), is
// understood.
func Is(t *hook.Tool, names ...string) bool {
	got := fold(ToolName(t))
	if got == "" {
		return false
	}
	for _, name := range names {
		want := fold(name)
		if i := strings.LastIndex(name, "__"); i >= 0 {
			want = fold(name[i+2:])
		}
		if want == "" {
			continue
		}
		if got == want || strings.HasPrefix(got, "mcp_") && strings.HasSuffix(got, "_"+want) {
			return true
		}
		if _, end, cut := strings.Cut(got, "..."); cut && len(end) >= 12 && strings.HasSuffix(want, end) {
			return true
		}
	}
	return false
}

func fold(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "-", "_"))
}

// Wildcard is the case id of a classification that covers all.
const Wildcard = "*"

// Cases returns all the test cases that a call names.
func Cases(t *hook.Tool) []string {
	var out []string
	search(t, func(key string, v any) bool {
		switch key {
		case "testcaseid", "testcaseids", "caseid", "caseids":
			for _, id := range ids(v) {
				if !slices.Contains(out, id) {
					out = append(out, id)
				}
			}
		}
		return false
	})
	if len(out) == 0 {
		search(t, func(key string, v any) bool {
			switch key {
			case "testcase", "testcases":
				o, _ := v.(map[string]any)
				if id, ok := o["id"]; ok {
					out = ids(id)
				} else {
					out = ids(v)
				}
			}
			return len(out) > 0
		})
	}
	return out
}

// ids returns the ids that a value holds: a string, a number or a list of them.
func ids(v any) []string {
	switch v := v.(type) {
	case string:
		if v = strings.TrimSpace(v); v != "" {
			return []string{v}
		}
	case json.Number:
		return []string{v.String()}
	case []any:
		var out []string
		for _, e := range v {
			if _, nested := e.([]any); !nested {
				out = append(out, ids(e)...)
			}
		}
		return out
	}
	return nil
}

// EventType returns the eventType that an emit names.
func EventType(t *hook.Tool) string { return text(t, "eventtype", "event") }

// Classified returns the cases that a pre-execution-classification emit covers:
// those that it names, or Wildcard; nil if it is none.
func Classified(t *hook.Tool) []string {
	if !strings.EqualFold(EventType(t), "pre-execution-classification") {
		return nil
	}
	if cases := Cases(t); len(cases) > 0 {
		return cases
	}
	return []string{Wildcard}
}

// Diagnosed reports whether an emit is a *-failure-classified or
// *-failure-resolved one.
func Diagnosed(t *hook.Tool) bool {
	e := strings.ToLower(EventType(t))
	return strings.HasSuffix(e, "-failure-classified") || strings.HasSuffix(e, "-failure-resolved")
}

// Names returns those of ids that stand in a call's input, as words.
func Names(t *hook.Tool, ids []string) []string {
	if t == nil || len(ids) == 0 {
		return nil
	}
	var out []string
	texts := t.Strings()
	search(t, func(_ string, v any) bool {
		if n, ok := v.(json.Number); ok {
			texts = append(texts, n.String())
		}
		return false
	})
	for _, id := range ids {
		if id != "" && slices.ContainsFunc(texts, func(s string) bool { return holds(s, id) }) {
			out = append(out, id)
		}
	}
	return out
}

// holds reports whether word stands in s and is not a part of a longer one.
func holds(s, word string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], word)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(word)
		if (i == 0 || !wordByte(s[i-1])) && (end == len(s) || !wordByte(s[end])) {
			return true
		}
		at = i + 1
	}
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// Value returns the text that a call's input has under a key, the nearest if it
// is there more than once, whatever the key's spelling.
func Value(t *hook.Tool, key string) string { return text(t, normal(key)) }

// Skill returns the skill that an emit announces.
func Skill(t *hook.Tool) string { return text(t, "skillname", "skill") }

// text returns the first text under one of keys, however deep.
func text(t *hook.Tool, keys ...string) string {
	for _, k := range keys {
		found := ""
		search(t, func(key string, v any) bool {
			if s, ok := v.(string); ok && key == k {
				found = strings.TrimSpace(s)
			}
			return found != ""
		})
		if found != "" {
			return found
		}
	}
	return ""
}

// maxInput is the size beyond which an input is not looked at.
const maxInput = 1 << 20

// search calls see for each value in a call's input under its key in lower case
// without "_" and "-", the nearest first; it stops when see returns true.
func search(t *hook.Tool, see func(key string, v any) bool) {
	if t == nil || len(t.Input) > maxInput {
		return
	}
	v, ok := decode(t.Input)
	if !ok {
		return
	}
	type item struct {
		key   string
		v     any
		depth int
	}
	for queue := []item{{"", v, 0}}; len(queue) > 0; queue = queue[1:] {
		it := queue[0]
		if it.depth > 8 {
			continue
		}
		if see(it.key, it.v) {
			return
		}
		switch v := it.v.(type) {
		case map[string]any:
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				queue = append(queue, item{normal(k), v[k], it.depth + 1})
			}
		case []any:
			for _, e := range v {
				if _, ok := e.(string); !ok { // the list itself was seen
					queue = append(queue, item{it.key, e, it.depth + 1})
				}
			}
		case string:
			if s := strings.TrimSpace(v); strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") {
				if in, ok := decode([]byte(s)); ok {
					queue = append(queue, item{it.key, in, it.depth + 1})
				}
			}
		}
	}
}

func decode(raw []byte) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	return v, d.Decode(&v) == nil
}

func normal(key string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(key, "_", ""), "-", ""))
}

// Run is one run that a result reports.
type Run struct {
	ID     string
	Status string // lower case
}

// Passed reports whether the run did.
func (r Run) Passed() bool { return r.Status == "passed" }

// Runs returns the runs whose id and status a nested result names, as **Run
// ID:** and **Status:**. A run without either is none.
func Runs(r *hook.Result) []Run {
	texts := outcome.Texts(r)
	var out []Run
	add := func(s string) {
		for _, run := range runsIn(s) {
			if !slices.ContainsFunc(out, func(o Run) bool { return o.ID == run.ID }) {
				out = append(out, run)
			}
		}
	}
	for _, s := range texts {
		add(s)
	}
	add(strings.Join(texts, "\n")) // parts that each hold one of the two
	return out
}

func runsIn(s string) []Run {
	var out []Run
	var cur Run
	flush := func() {
		if cur.ID != "" && cur.Status != "" {
			out = append(out, cur)
			cur = Run{}
		}
	}
	for line := range strings.Lines(s) {
		for line != "" {
			at, label := -1, ""
			for _, l := range [...]string{"run id", "status"} {
				if i := labelAt(line, l); i >= 0 && (at < 0 || i < at) {
					at, label = i, l
				}
			}
			if at < 0 {
				break
			}
			var v string
			v, line = value(line[at:])
			switch label {
			case "run id":
				if cur.ID != "" {
					cur = Run{} // without a status
				}
				cur.ID = v
			case "status":
				if v != "" {
					cur.Status = strings.ToLower(v)
				}
			}
			flush()
		}
	}
	return out
}

// labelAt returns where the value of **label:** begins, -1 if it is not there.
func labelAt(line, label string) int {
	low := strings.ToLower(line)
	for at := 0; ; {
		i := strings.Index(low[at:], "**"+label)
		if i < 0 || len(low) != len(line) {
			return -1
		}
		i += at + 2 + len(label)
		for _, end := range [...]string{":**", "**:", " :**"} {
			if strings.HasPrefix(low[i:], end) {
				return i + len(end)
			}
		}
		at = i
	}
}

// value returns the first word of s that has a letter or digit, without marks
// around it, and what follows it.
func value(s string) (v, rest string) {
	for s != "" {
		s = strings.TrimLeft(s, " \t\r\n")
		word := s
		if i := strings.IndexAny(s, " \t\r\n"); i >= 0 {
			word = s[:i]
		}
		if strings.HasPrefix(word, "**") {
			return "", s // the next label
		}
		s = s[len(word):]
		word = strings.TrimFunc(word, func(r rune) bool {
			return r > 0x7f || strings.ContainsRune("`*\"'()[]{}<>.,;:|_\\", r)
		})
		if word != "" {
			if n, err := strconv.Unquote(word); err == nil {
				word = n
			}
			return word, s
		}
	}
	return "", ""
}
