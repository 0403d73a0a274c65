package config

import "bytes"

// SchemaID is the address that the schema names itself by.
const SchemaID = "https://raw.githubusercontent.com/ec261362/guardrails/main/docs/config.schema.json"

// durationPattern is what time.ParseDuration reads.
const durationPattern = `^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// Schema returns the JSON Schema (draft 2020-12) of the file, for editors. It is
// made from the table that the strict reader walks, which judges more: patterns,
// addresses, limits of durations.
func Schema() []byte {
	defaults := Defaults()
	top := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", SchemaID},
		{"title", "guardrails configuration"},
		{"description", "The project's " + FileName + ", or the human's ~/.guardrails/" + HumanFileName + "."},
	}
	top = append(top, mappingSchema(table[:], &defaults, true)...)
	var b bytes.Buffer
	appendJSON(&b, top, "\n")
	b.WriteByte('\n')
	return b.Bytes()
}

// mappingSchema describes a mapping with these keys; defaults may be nil.
func mappingSchema(fields []field, defaults any, nullable bool) object {
	props := object{}
	for i := range fields {
		f := &fields[i]
		props = append(props, member{f.key, fieldSchema(f, defaults)})
	}
	return object{
		{"type", typeOf("object", nullable)},
		{"additionalProperties", false},
		{"properties", props},
	}
}

func itemSchema(f *field, nullable bool) object {
	fields := make([]field, len(f.fields))
	copy(fields, f.fields)
	var required []any
	for i := range fields {
		// A key that has to be there has to say something.
		fields[i].required = fields[i].required || has(f.anyOf, fields[i].key) || has(f.oneOf, fields[i].key)
		if f.fields[i].required {
			required = append(required, fields[i].key)
		}
	}
	s := mappingSchema(fields, nil, nullable)
	if len(required) > 0 {
		s = append(s, member{"required", required})
	}
	for _, group := range [...]struct {
		word string
		keys []string
	}{{"anyOf", f.anyOf}, {"oneOf", f.oneOf}} {
		var any []any
		for _, key := range group.keys {
			any = append(any, object{{"required", texts([]string{key})}})
		}
		if len(any) > 0 {
			s = append(s, member{group.word, any})
		}
	}
	return s
}

func fieldSchema(f *field, defaults any) object {
	s := object{{"description", f.doc}}
	null := !f.required
	switch f.kind {
	case kindSection:
		return append(s, mappingSchema(f.fields, defaults, true)...)
	case kindBool:
		s = append(s, member{"type", typeOf("boolean", null)})
	case kindInt:
		s = append(s, member{"type", typeOf("integer", null)}, member{"minimum", int(f.min)}, member{"maximum", int(f.max)})
	case kindNumber:
		s = append(s, member{"type", typeOf("number", null)}, member{"minimum", f.min}, member{"maximum", f.max})
	case kindText:
		s = append(s, textSchema(f, null)...)
	case kindWord:
		s = append(s, wordSchema(f, null)...)
	case kindDuration:
		s = append(s,
			member{"type", []any{"string", "integer", "null"}},
			member{"pattern", durationPattern}, member{"minimum", 0}, member{"maximum", 0})
	case kindCommand:
		s = append(s,
			member{"type", typesOf(null, "string", "array")},
			member{"pattern", `\S`},
			member{"minItems", 1}, member{"maxItems", maxItems},
			member{"items", object{{"type", []any{"string", "number", "boolean"}}}})
	case kindTexts:
		s = append(s, listSchema(textSchema(f, false))...)
	case kindWords:
		s = append(s, listSchema(wordSchema(f, false))...)
	case kindItems:
		s = append(s, listSchema(itemSchema(f, false))...)
	case kindPairs:
		s = append(s,
			member{"type", typeOf("object", null)},
			member{"maxProperties", maxItems},
			member{"additionalProperties", object{
				{"type", []any{"string", "number", "boolean", "array"}},
				{"items", object{{"type", []any{"string", "number", "boolean"}}}},
			}})
	case kindDict:
		s = append(s,
			member{"type", typeOf("object", null)},
			member{"maxProperties", maxItems},
			member{"additionalProperties", itemSchema(f, true)})
	}
	if defaults != nil {
		if v, says := plain(f, f.at(defaults)); says {
			s = append(s, member{"default", v})
		}
	}
	return s
}

func listSchema(item object) object {
	return object{{"type", typeOf("array", true)}, {"maxItems", maxItems}, {"items", item}}
}

func textSchema(_ *field, nullable bool) object {
	return object{{"type", typeOf("string", nullable)}, {"pattern", `\S`}}
}

func wordSchema(f *field, nullable bool) object {
	if f.late {
		return object{{"type", typeOf("string", nullable)}, {"pattern", "^[a-z0-9][a-z0-9-]*$"}, {"examples", texts(f.words)}}
	}
	return object{{"enum", append(texts(f.words), nulls(nullable)...)}}
}

func typeOf(name string, nullable bool) any {
	if nullable {
		return []any{name, "null"}
	}
	return name
}

func nulls(nullable bool) []any {
	if nullable {
		return []any{nil}
	}
	return nil
}

func typesOf(nullable bool, names ...string) []any {
	if nullable {
		names = append(names, "null")
	}
	return texts(names)
}
