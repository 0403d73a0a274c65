package schema

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/scan"
)

const person = `{
	"type": "object",
	"required": ["name"],
	"additionalProperties": false,
	"properties": {
		"name": {"type": "string", "minLength": 2},
		"tags": {"type": "array", "items": {"enum": ["a", "b"]}},
		"age": {"type": "integer"}
	}
}`

func TestOutputMustBeJSONOfTheSchema(t *testing.T) {
	v, err := New([]byte(person))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, kind, sample string }{
		{`{"name":"Ada","tags":["a"],"age":3}`, "", ""},
		{"\n {\"name\":\"Ada\"}\n", "", ""},
		{"Here it is:\n```json\n{\"name\":\"Ada\"}\n```\nDone.", "", ""},
		{`{"name":"Ada"} trailing`, KindNotJSON, "something follows the JSON"},
		{`{"name":`, KindNotJSON, "the JSON is cut off"},
		{`secret words`, KindNotJSON, "no JSON at byte 1"},
		{``, KindNotJSON, "empty"},
		{"```json\n{}\n```\n```json\n{}\n```", KindNotJSON, "no JSON at byte 1"},
		{`{"age":3}`, "required", `at /: missing properties: ["name"]`},
		{`{"name":"secret words","age":"secret words"}`, "type", `at /properties/age, want "integer"`},
		{`{"name":"s"}`, "minLength", "at /properties/name"},
		{`{"name":"Ada","tags":["secret words"]}`, "enum", "at /properties/tags/items"},
		{`{"name":"Ada","secret words":1}`, "additionalProperties", "at /"},
		{`[]`, "type", `at /, want "object"`},
	} {
		o := scan.Run(t.Context(), scan.Payload{Text: c.text}, scan.Output, v)
		switch {
		case c.kind == "" && o.Pass:
		case c.kind != "" && len(o.Failures) == 1 && len(o.Failures[0].Matches) == 1 && !o.Failures[0].Crashed:
			m := o.Failures[0].Matches[0]
			if m.Kind != c.kind || m.Sample != c.sample {
				t.Errorf("%q: got %s %q, want %s %q", c.text, m.Kind, m.Sample, c.kind, c.sample)
			}
			if strings.Contains(o.Failures[0].Reason, "secret") {
				t.Errorf("%q: the reason quotes the content: %s", c.text, o.Failures[0].Reason)
			}
		default:
			t.Errorf("%q: got %+v, want %q", c.text, o, c.kind)
		}
	}
}

func TestItServesOutputOnly(t *testing.T) {
	v, err := New([]byte(person))
	if err != nil {
		t.Fatal(err)
	}
	if o := scan.Run(t.Context(), scan.Payload{Text: "no JSON"}, scan.Input, v); !o.Pass {
		t.Errorf("got %+v", o)
	}
}

func TestWhatIsNoSchemaIsRefused(t *testing.T) {
	for _, source := range []string{``, `[]`, `{"type": 3}`, `{"$ref": "https://host.example/other.json"}`, `{"pattern": "("}`} {
		if _, err := New([]byte(source)); err == nil {
			t.Errorf("%s: no error", source)
		}
	}
}
