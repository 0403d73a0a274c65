package coverage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// parseJSON finds out which of the formats it is by its members.
func parseJSON(data []byte) (*Report, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		return nil, fmt.Errorf("JSON: %w", err)
	}
	switch {
	case top["files"] != nil && (top["meta"] != nil || top["totals"] != nil):
		return parsePy(data)
	case top["total"] != nil && isSummary(top["total"]):
		return parseSummary(top)
	case top["coverage"] != nil && top["meta"] != nil:
		return parseRuby(map[string]json.RawMessage{"": data})
	}
	if len(top) == 0 {
		return nil, errors.New("JSON: it is empty: no file was measured")
	}
	switch v := top[sortedKeys(top)[0]]; {
	case has(v, "coverage"):
		return parseRuby(top)
	case has(v, "statementMap"):
		return parseIstanbul(top)
	}
	return nil, fmt.Errorf("JSON: %w", ErrFormat)
}

func has(v json.RawMessage, member string) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(v, &m) == nil && m[member] != nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// parsePy reads the JSON of coverage.py. An excluded line counts as executed
// there (6.5.0, measured), and a file without lines has executed the line 0.
func parsePy(data []byte) (*Report, error) {
	var doc struct {
		Meta struct {
			Timestamp string `json:"timestamp"`
		} `json:"meta"`
		Files map[string]*struct {
			Executed []int `json:"executed_lines"`
			Missing  []int `json:"missing_lines"`
			Excluded []int `json:"excluded_lines"`
		} `json:"files"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("coverage.py JSON: %w", err)
	}
	r := &Report{Format: CoveragePy}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", time.RFC3339Nano} {
		// Without a zone it is the local time of where it was made.
		if t, err := time.ParseInLocation(layout, doc.Meta.Timestamp, time.Local); err == nil {
			r.Made, r.Grain = t, time.Microsecond
			if !strings.Contains(doc.Meta.Timestamp, ".") {
				r.Grain = time.Second
			}
			break
		}
	}
	var c collector
	for _, name := range sortedKeys(doc.Files) {
		in := doc.Files[name]
		if in == nil {
			return nil, fmt.Errorf("coverage.py JSON: %s has no lines", clip(name))
		}
		f := c.file("", name)
		excluded := make(map[int]bool, len(in.Excluded))
		for _, n := range in.Excluded {
			excluded[n] = true
		}
		f.Not = in.Excluded
		for i, part := range [][]int{in.Executed, in.Missing} {
			for _, n := range part {
				if n < 0 || n > maxLine {
					return nil, fmt.Errorf("coverage.py JSON: %s: %d is no line number", clip(name), n)
				}
				if n > 0 && !excluded[n] {
					f.Lines = append(f.Lines, Line{n, i == 0})
				}
			}
		}
	}
	r.Files = c.done()
	return r, nil
}

// parseRuby reads simplecov's .resultset.json, one run under each name, and
// its formatter's coverage.json. The line of a count is its index + 1; null
// cannot be covered, nor can what a comment leaves out ("ignored").
func parseRuby(runs map[string]json.RawMessage) (*Report, error) {
	var c collector
	made := make(map[string]time.Time)
	r := &Report{Format: SimpleCov, Grain: time.Second}
	for _, name := range sortedKeys(runs) {
		var run struct {
			Coverage  map[string]json.RawMessage `json:"coverage"`
			Timestamp json.Number                `json:"timestamp"`
			Meta      struct {
				Timestamp string `json:"timestamp"`
			} `json:"meta"`
		}
		if err := json.Unmarshal(runs[name], &run); err != nil {
			return nil, fmt.Errorf("simplecov: run %q: %w", clip(name), err)
		}
		if run.Coverage == nil {
			return nil, fmt.Errorf("simplecov: run %q has no coverage", clip(name))
		}
		when, _ := unixTime(run.Timestamp.String())
		if when.After(r.Made) {
			r.Made = when
		}
		for _, path := range sortedKeys(run.Coverage) {
			raw := run.Coverage[path]
			var lines []any
			d := json.NewDecoder(bytes.NewReader(raw))
			d.UseNumber()
			if err := d.Decode(&lines); err != nil {
				var in struct {
					Lines []any `json:"lines"`
				}
				if err := json.Unmarshal(raw, &in); err != nil || in.Lines == nil {
					return nil, fmt.Errorf("simplecov: run %q: %s has no lines", clip(name), clip(path))
				}
				lines = in.Lines
			}
			f := c.file("", path)
			// A file's part is as old as the oldest run that has it.
			if old, ok := made[path]; !ok || when.Before(old) {
				made[path], f.Made = when, when
			}
			for i, v := range lines {
				var count float64
				switch n := v.(type) {
				case nil:
					continue
				case string:
					if n == "ignored" {
						continue
					}
					return nil, fmt.Errorf("simplecov: %s: line %d: %q is no count", clip(path), i+1, clip(n))
				case float64:
					count = n
				case json.Number:
					var err error
					if count, err = n.Float64(); err != nil {
						return nil, fmt.Errorf("simplecov: %s: line %d: %q is no count", clip(path), i+1, clip(n.String()))
					}
				default:
					return nil, fmt.Errorf("simplecov: %s: line %d is no count", clip(path), i+1)
				}
				f.Lines = append(f.Lines, Line{i + 1, count > 0})
			}
		}
	}
	r.Files = c.done()
	return r, nil
}

type ratio struct {
	Total   *int `json:"total"`
	Covered *int `json:"covered"`
}

func isSummary(v json.RawMessage) bool { return has(v, "lines") }

// parseSummary reads istanbul's coverage-summary.json: no lines, only how many.
func parseSummary(top map[string]json.RawMessage) (*Report, error) {
	var c collector
	for _, name := range sortedKeys(top) {
		if name == "total" {
			continue
		}
		var in struct {
			Lines ratio `json:"lines"`
		}
		if err := json.Unmarshal(top[name], &in); err != nil {
			return nil, fmt.Errorf("istanbul summary: %s: %w", clip(name), err)
		}
		t, n := in.Lines.Total, in.Lines.Covered
		if t == nil || n == nil || *n < 0 || *t < *n || *t > maxLine {
			return nil, fmt.Errorf("istanbul summary: %s has no sensible number of lines", clip(name))
		}
		c.file("", name).Total = Count{Covered: *n, Total: *t}
	}
	return &Report{Format: IstanbulSummary, Files: c.done()}, nil
}

// parseIstanbul reads istanbul's coverage-final.json. A line counts if a
// statement starts on it, and is hit if one of those is.
func parseIstanbul(top map[string]json.RawMessage) (*Report, error) {
	var c collector
	for _, name := range sortedKeys(top) {
		var in struct {
			Path string `json:"path"`
			Map  map[string]struct {
				Start struct {
					Line int `json:"line"`
				} `json:"start"`
			} `json:"statementMap"`
			S map[string]json.Number `json:"s"`
		}
		if err := json.Unmarshal(top[name], &in); err != nil {
			return nil, fmt.Errorf("istanbul: %s: %w", clip(name), err)
		}
		if in.Map == nil {
			return nil, fmt.Errorf("istanbul: %s has no statementMap", clip(name))
		}
		f := c.file("", name)
		for id, s := range in.Map {
			n := s.Start.Line
			count, err := strconv.ParseFloat(in.S[id].String(), 64)
			if n < 0 || n > maxLine || err != nil {
				return nil, fmt.Errorf("istanbul: %s: statement %s has no line or no count", clip(name), clip(id))
			}
			if n > 0 {
				f.Lines = append(f.Lines, Line{n, count > 0})
			}
		}
	}
	return &Report{Format: Istanbul, Files: c.done()}, nil
}
