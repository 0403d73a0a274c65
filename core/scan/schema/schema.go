// Package schema has a validator for what must be JSON of a given form, by JSON
// Schema (draft 2020-12 or draft-07).
//
// It is a package of its own because it links a schema library, which nobody else
// should pay for: not package scan, and never a hook.
package schema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ec261362/guardrails/core/scan"
)

// Name is the validator's name.
const Name = "schema"

// Kinds of matches that are not keywords of JSON Schema.
const (
	KindNotJSON = "not-json"
)

// New returns a validator of output that must be JSON and conform to a schema. The
// JSON may be the whole text or the text's only fenced block. A match is of the
// kind of the keyword that failed, and its sample says where in the schema; values
// are never shown. The first thing that is wrong is the only match.
//
// An error means that source is no schema, or refers to another document.
func New(source []byte) (scan.Validator, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(source, &s); err != nil {
		return scan.Validator{}, fmt.Errorf("JSON schema: %w", err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return scan.Validator{}, fmt.Errorf("JSON schema: %w", err)
	}
	return scan.Validator{Name: Name, Direction: scan.Output, Severity: scan.High, Check: func(_ context.Context, p scan.Payload) ([]scan.Match, error) {
		start, end := document(p.Text)
		value, why := decode(p.Text[start:end])
		if why != nil {
			return []scan.Match{{Kind: KindNotJSON, Severity: scan.High, Start: start, End: end, Line: line(p.Text, start), Sample: why.Error()}}, nil //nolint:nilerr // it is the finding
		}
		if why := r.Validate(value); why != nil {
			kind, sample := explain(why.Error())
			return []scan.Match{{Kind: kind, Severity: scan.High, Start: start, End: end, Line: line(p.Text, start), Sample: sample}}, nil
		}
		return nil, nil
	}}, nil
}

func line(text string, at int) int { return strings.Count(text[:at], "\n") + 1 }

// document returns where in text the JSON is: inside of its only fence, or all.
func document(text string) (start, end int) {
	const fence = "```"
	open := strings.Index(text, fence)
	if open < 0 || open > 0 && text[open-1] != '\n' {
		return 0, len(text)
	}
	info := strings.IndexByte(text[open:], '\n')
	if info < 0 {
		return 0, len(text)
	}
	start = open + info + 1
	length := strings.Index(text[start:], "\n"+fence)
	if length < 0 || strings.Contains(text[start+length+1+len(fence):], fence) {
		return 0, len(text)
	}
	return start, start + length
}

// decode reads one JSON value and nothing after it. Its errors quote nothing.
func decode(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	var v any
	if err := dec.Decode(&v); err != nil {
		var syntax *json.SyntaxError
		switch {
		case errors.As(err, &syntax):
			return nil, fmt.Errorf("no JSON at byte %d", syntax.Offset)
		case strings.TrimSpace(text) == "":
			return nil, errors.New("empty")
		}
		return nil, errors.New("the JSON is cut off")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows the JSON")
	}
	return v, nil
}

// explain takes the place in the schema and the keyword out of the library's
// message, which goes on to quote values.
func explain(message string) (kind, sample string) {
	place := "/"
	for {
		rest, ok := strings.CutPrefix(message, "validating ")
		if !ok {
			break
		}
		at, more, ok := strings.Cut(rest, ": ")
		if !ok {
			break
		}
		if strings.HasPrefix(at, "/") {
			place = at
		}
		message = more
	}
	kind, rest, _ := strings.Cut(message, ":")
	switch kind {
	case "required":
		// The names are the schema's.
		return kind, "at " + place + ":" + rest
	case "type":
		if k := strings.LastIndex(rest, ", want "); k >= 0 && !strings.Contains(rest, "\n") {
			return kind, "at " + place + rest[k:]
		}
	}
	if strings.HasPrefix(kind, "unexpected additional properties") {
		kind = "additionalProperties"
	}
	if len(kind) > 32 || strings.ContainsAny(kind, " \n\"") {
		kind = "schema"
	}
	return kind, "at " + place
}
