package hosttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Line is one line of stream-json output.
type Line struct {
	Type, Subtype string
	IsError       bool   // result
	Result        string // result: the final text
	Session       string
	Mode          string // system/init: the permission mode
	Raw           json.RawMessage
}

// ParseStream reads stream-json output: one JSON object a line. Empty lines
// and unknown fields are passed over; a line that is no object is an error
// that names it.
func ParseStream(out []byte) ([]Line, error) {
	var lines []Line
	for n, raw := range bytes.Split(out, []byte("\n")) {
		raw = bytes.TrimSpace(raw)
		if len(raw) == 0 {
			continue
		}
		var in struct {
			Type    json.RawMessage `json:"type"`
			Subtype json.RawMessage `json:"subtype"`
			IsError json.RawMessage `json:"is_error"`
			Result  json.RawMessage `json:"result"`
			Session json.RawMessage `json:"session_id"`
			Mode    json.RawMessage `json:"permissionMode"`
		}
		if err := json.Unmarshal(raw, &in); err != nil {
			return lines, fmt.Errorf("stream-json output, line %d: %w", n+1, err)
		}
		l := Line{Type: text(in.Type), Subtype: text(in.Subtype), Result: text(in.Result), Session: text(in.Session), Mode: text(in.Mode)}
		_ = json.Unmarshal(in.IsError, &l.IsError) // another type reads as false
		l.Raw = append(l.Raw, raw...)
		lines = append(lines, l)
	}
	return lines, nil
}

// text returns a JSON string's text, and nothing for any other value.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// Final returns the last result line, which tells how the run ended.
func (r Result) Final() (Line, bool) {
	for _, l := range slices.Backward(r.Stream) {
		if l.Type == "result" {
			return l, true
		}
	}
	return Line{}, false
}

// Find returns the lines of one type and subtype; an empty subtype matches any.
func (r Result) Find(kind, subtype string) []Line {
	var out []Line
	for _, l := range r.Stream {
		if l.Type == kind && (subtype == "" || l.Subtype == subtype) {
			out = append(out, l)
		}
	}
	return out
}
