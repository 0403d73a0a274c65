package config

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ec261362/guardrails/core/config/yamldoc"
)

var update = flag.Bool("update", false, "rewrite the committed schema")

func TestCommittedSchemaIsCurrent(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "config.schema.json")
	want := Schema()
	if *update {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got = []byte(strings.ReplaceAll(string(got), "\r\n", "\n"))
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("run go test ./core/config -update (-want +got):\n%s", diff)
	}
}

func resolvedSchema(tb testing.TB) *jsonschema.Resolved {
	tb.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		tb.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// schemaNode is what the tests read of the schema, without our table.
type schemaNode struct {
	Type                 any
	Enum                 []any
	Minimum              *float64
	Pattern              string
	Required             []string
	AnyOf, OneOf         []schemaNode
	Items                *schemaNode
	Properties           map[string]schemaNode
	AdditionalProperties json.RawMessage
}

// alternative reports whether key must not be there since another is.
func (n *schemaNode) alternative(key string) bool {
	for i, o := range n.OneOf {
		if slices.Contains(o.Required, key) {
			return i > 0
		}
	}
	return false
}

// sample returns a JSON value that the schema allows, made from the schema
// alone.
func (n *schemaNode) sample(t *testing.T, key string) any {
	t.Helper()
	kind := ""
	switch ty := n.Type.(type) {
	case string:
		kind = ty
	case []any:
		kind = ty[0].(string)
	}
	switch {
	case len(n.Enum) > 0:
		return n.Enum[0]
	case kind == "boolean":
		return true
	case kind == "integer", kind == "number":
		return *n.Minimum
	case kind == "string" && n.Pattern == durationPattern:
		return "20s"
	case kind == "array":
		return []any{n.Items.sample(t, key)}
	case kind == "object":
		out := map[string]any{}
		for k, p := range n.Properties {
			if n.alternative(k) {
				continue
			}
			out[k] = p.sample(t, k)
		}
		if len(n.AdditionalProperties) > 0 && n.AdditionalProperties[0] == '{' {
			var entry schemaNode
			if err := json.Unmarshal(n.AdditionalProperties, &entry); err != nil {
				t.Fatal(err)
			}
			out["some/folder"] = entry.sample(t, key)
		}
		return out
	case kind == "string":
		switch key {
		case "rule":
			return "git/reset-hard"
		case "name":
			return "mine"
		case "packs":
			return "delivery"
		case "skip", "skipPrefix":
			return "MINE_SKIP"
		case "input", "output", "validator":
			return "pii"
		case "depsdev", "osv", "npm", "pypi", "go", "cargo", "rubygems", "packagist", "nuget", "maven":
			return "https://packages.example.org/base"
		}
		return "word"
	}
	t.Fatalf("%s: the test knows no sample for %+v", key, n)
	return nil
}

func TestReaderKnowsEveryKeyOfTheSchema(t *testing.T) {
	var top schemaNode
	if err := json.Unmarshal(Schema(), &top); err != nil {
		t.Fatal(err)
	}
	doc := top.sample(t, "")
	own := doc.(map[string]any)["handoffs"].(map[string]any)["custom"].([]any)[0].(map[string]any)
	for _, list := range []string{"recorders", "advice", "prerequisites"} {
		own[list].([]any)[0].(map[string]any)["id"] = list // ids are unique in a pack
	}
	data, err := json.MarshalIndent(doc, "", " ") // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	if err := resolvedSchema(t).Validate(doc); err != nil {
		t.Fatalf("the sample does not satisfy the schema it was made from: %v\n%s", err, data)
	}
	f, problems := Parse("sample", data, yamldoc.Read)
	if err := problems.Err(); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	// Every key was read, not just tolerated.
	var got []string
	for _, m := range f.set {
		got = append(got, m.path)
	}
	var want []string
	var walk func(n schemaNode, path string)
	walk = func(n schemaNode, path string) {
		for k, p := range n.Properties {
			want = append(want, join(path, k))
			walk(p, join(path, k))
		}
	}
	walk(top, "")
	sort.Strings(got)
	sort.Strings(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys (-schema +read):\n%s", diff)
	}
}

func TestSchemaKnowsEveryKeyOfTheReader(t *testing.T) {
	var top schemaNode
	if err := json.Unmarshal(Schema(), &top); err != nil {
		t.Fatal(err)
	}
	var check func(fields []field, n schemaNode, path string)
	check = func(fields []field, n schemaNode, path string) {
		if len(fields) != len(n.Properties) {
			t.Errorf("%s: %d keys in the table, %d in the schema", path, len(fields), len(n.Properties))
		}
		for i := range fields {
			f := &fields[i]
			p, ok := n.Properties[f.key]
			if !ok {
				t.Errorf("the schema lacks %s", join(path, f.key))
				continue
			}
			if f.doc == "" {
				t.Errorf("%s is not described", join(path, f.key))
			}
			switch f.kind {
			case kindSection:
				check(f.fields, p, join(path, f.key))
			case kindItems:
				check(f.fields, *p.Items, join(path, f.key))
			case kindDict:
				var entry schemaNode
				if err := json.Unmarshal(p.AdditionalProperties, &entry); err != nil {
					t.Fatal(err)
				}
				check(f.fields, entry, join(path, f.key))
			}
		}
	}
	check(table[:], top, "")
}

// The schema cannot judge everything that the reader does, but what it can, both
// judge alike.
func TestSchemaAndReaderAgree(t *testing.T) {
	schema := resolvedSchema(t)
	docs := []struct {
		doc  string
		good bool
	}{
		{`{}`, true},
		{`null`, true},
		{`[]`, false},
		{`"x"`, false},
		{`{"versio": 1}`, false},
		{`{"version": 2}`, false},
		{`{"version": "1"}`, false},
		{`{"mode": "warn"}`, true},
		{`{"mode": null}`, true},
		{`{"mode": "Warn"}`, false},
		{`{"mode": true}`, false},
		{`{"policy": null}`, true},
		{`{"policy": true}`, false},
		{`{"policy": {"packs": ["core", "cloud"]}}`, true},
		{`{"policy": {"packs": ["clouds"]}}`, false},
		{`{"policy": {"packs": "core"}}`, false},
		{`{"policy": {"packs": [null]}}`, false},
		{`{"policy": {"protect": [""]}}`, false},
		{`{"policy": {"protect": [1]}}`, false},
		{`{"policy": {"allow": [{"rule": "a/b", "when": "c", "reason": "d"}]}}`, true},
		{`{"policy": {"allow": [{"rule": "a/b", "when": "c"}]}}`, false},
		{`{"policy": {"allow": [{"rule": "a/b", "when": "c", "reason": null}]}}`, false},
		{`{"policy": {"allow": [null]}}`, false},
		{`{"rewrite": [{"match": "a", "to": "b", "x": 1}]}`, false},
		{`{"validators": {"allow": [{"validator": "pii", "reason": "x"}]}}`, false},
		{`{"validators": {"allow": [{"validator": "pii", "reason": "x", "path": null}]}}`, false},
		{`{"validators": {"allow": [{"validator": "pii", "reason": "x", "path": "a/**"}]}}`, true},
		{`{"validators": {"custom": [{"name": "a", "command": ["x", 1, true]}]}}`, true},
		{`{"validators": {"custom": [{"name": "a", "command": []}]}}`, false},
		{`{"validators": {"custom": [{"name": "a", "command": " "}]}}`, false},
		{`{"validators": {"custom": [{"name": "a", "command": {}}]}}`, false},
		{`{"validators": {"timeout": "2s"}}`, true},
		{`{"validators": {"timeout": "2"}}`, false},
		{`{"validators": {"timeout": 2}}`, false},
		{`{"validators": {"aggregateTimeout": 0}}`, true},
		{`{"validators": {"aggregateTimeout": "-1s"}}`, true},
		{`{"validators": {"aggregateTimeout": "1.5s"}}`, true},
		{`{"validators": {"aggregateTimeout": false}}`, false},
		{`{"quality": {"lessons": "false"}}`, false},
		{`{"quality": {"lessons": 0}}`, false},
		{`{"quality": {"coverage": {"patchMin": 80.5}}}`, true},
		{`{"quality": {"coverage": {"patchMin": 101}}}`, false},
		{`{"quality": {"coverage": {"patchMin": -1}}}`, false},
		{`{"quality": {"packages": {"a": null, "b": {"patchMin": 0}}}}`, true},
		{`{"quality": {"packages": {"a": {"patchMin": 101}}}}`, false},
		{`{"quality": {"packages": {"a": []}}}`, false},
		{`{"quality": {"packages": []}}`, false},
		{`{"dependencies": {"minAgeDays": 1.5}}`, false},
		{`{"dependencies": {"denySeverity": "medium"}}`, false},
		{`{"dependencies": {"endpoints": {"npm": null}}}`, true},
		{`{"dependencies": {"endpoints": {"npms": "https://x.org"}}}`, false},
		{`{"standards": ["a"]}`, true},
		{`{"standards": "a"}`, false},
	}
	for _, tt := range docs {
		var v any
		if err := json.Unmarshal([]byte(tt.doc), &v); err != nil {
			t.Fatal(err)
		}
		if got := schema.Validate(v) == nil; got != tt.good {
			t.Errorf("schema: good = %v, want %v: %s", got, tt.good, tt.doc)
		}
		_, problems := Parse("doc", []byte(tt.doc), yamldoc.Read)
		if got := len(problems) == 0; got != tt.good {
			t.Errorf("reader: good = %v, want %v: %s\n%v", got, tt.good, tt.doc, problems)
		}
	}
}

func TestSchemaDefaultsAreTheDefaults(t *testing.T) {
	type node struct {
		Properties map[string]json.RawMessage
		Default    any
	}
	schema := map[string]any{}
	var walk func(raw json.RawMessage, path string)
	walk = func(raw json.RawMessage, path string) {
		var n node
		if err := json.Unmarshal(raw, &n); err != nil {
			t.Fatal(err)
		}
		if n.Default != nil {
			schema[path] = n.Default
		}
		for k, p := range n.Properties {
			walk(p, join(path, k))
		}
	}
	walk(Schema(), "")
	for path, want := range map[string]any{
		"mode":                             "enforce",
		"policy.packs":                     []any{"core"},
		"validators.enabled":               false,
		"validators.timeout":               "2s",
		"validators.aggregateTimeout":      "200ms",
		"validators.input":                 []any{"prompt-injection"},
		"validators.output":                []any{"secrets", "pii"},
		"validators.killSwitch":            true,
		"handoffs.packs":                   []any{"delivery"},
		"handoffs.preferences.autoWatchPR": true,
		"handoffs.preferences.autoCleanup": false,
		"evidence.enabled":                 true,
		"quality.onEdit":                   []any{"format", "lint"},
		"quality.onStop":                   []any{"format", "lint", "build", "test", "coverage"},
		"quality.subagents":                []any{"test-writer", "implementer"},
		"quality.stopTimeout":              "2m",
		"quality.coverage.patchMin":        80.0,
		"quality.coverage.tolerance":       0.5,
		"quality.lessons":                  true,
		"dependencies.enabled":             true,
		"dependencies.minAgeDays":          30.0,
		"dependencies.cooldownHours":       24.0,
		"dependencies.denySeverity":        "critical",
	} {
		if diff := cmp.Diff(want, schema[path]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	// What the design leaves empty has no default.
	for _, path := range []string{"policy.protect", "policy.allow", "rewrite", "standards", "dependencies.licences", "dependencies.exempt"} {
		if v, ok := schema[path]; ok {
			t.Errorf("%s has a default: %v", path, v)
		}
	}
}
