package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/handoff/pack"
)

// member is one key of an object; an object keeps the order of the table.
type member struct {
	key string
	val any // object, []any, string, bool, int, float64 or nil
}

type object []member

// plain returns the value of f at p, a pointer into a Config or an item, as
// object, []any, string, bool, int or float64, and whether it says anything: an
// item's optional key that was left out does not.
func plain(f *field, p any) (v any, says bool) {
	switch p := p.(type) {
	case *bool:
		return *p, true
	case *int:
		return *p, true
	case *float64:
		return *p, true
	case **float64:
		if *p == nil {
			return nil, false
		}
		return **p, true
	case *string:
		return *p, *p != ""
	case *Mode:
		return p.String(), true
	case *time.Duration:
		if *p == 0 {
			return 0, true
		}
		return short(float64(*p)), true
	case *Command:
		if p.Shell != "" {
			return p.Shell, true
		}
		return texts(p.Argv), len(p.Argv) > 0
	case *[]string:
		return texts(*p), len(*p) > 0
	case *[]Allow:
		return itemsOf(f, *p), len(*p) > 0
	case *[]Rewrite:
		return itemsOf(f, *p), len(*p) > 0
	case *[]ValidatorAllow:
		return itemsOf(f, *p), len(*p) > 0
	case *[]CustomValidator:
		return itemsOf(f, *p), len(*p) > 0
	case *[]pack.Pair:
		return pairsObject(*p), len(*p) > 0
	case *[]pack.Pack:
		return itemsOf(f, *p), len(*p) > 0
	case *[]pack.Recorder:
		return itemsOf(f, *p), len(*p) > 0
	case *[]pack.Advice:
		return itemsOf(f, *p), len(*p) > 0
	case *[]pack.Prerequisite:
		return itemsOf(f, *p), len(*p) > 0
	case *[]pack.Obligation:
		return itemsOf(f, *p), len(*p) > 0
	case *[]pack.Trigger:
		return itemsOf(f, *p), len(*p) > 0
	case *[]pack.Scenario:
		return itemsOf(f, *p), len(*p) > 0
	case *[]pack.Step:
		return itemsOf(f, *p), len(*p) > 0
	case *[]Package:
		o := object{}
		for i := range *p {
			o = append(o, member{(*p)[i].Path, itemOf(f, &(*p)[i])})
		}
		return o, len(*p) > 0
	}
	panic(fmt.Sprintf("config: no value for %T", p))
}

func texts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

func itemsOf[T any](f *field, list []T) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = itemOf(f, &list[i])
	}
	return out
}

func itemOf(f *field, item any) object {
	o := object{}
	for i := range f.fields {
		g := &f.fields[i]
		if v, says := plain(g, g.at(item)); says {
			o = append(o, member{g.key, v})
		}
	}
	return o
}

// appendJSON writes v; indent is the newline and indentation of v itself, or ""
// for one line.
func appendJSON(b *bytes.Buffer, v any, indent string) {
	inner, sep := indent, ", "
	if indent != "" {
		inner, sep = indent+"  ", ","
	}
	switch v := v.(type) {
	case object:
		if len(v) == 0 {
			b.WriteString("{}")
			return
		}
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteString(sep)
			}
			b.WriteString(inner)
			appendJSON(b, m.key, "")
			b.WriteString(": ")
			appendJSON(b, m.val, inner)
		}
		b.WriteString(indent + "}")
	case []any:
		// Lists of words read best on one line.
		if indent != "" && !nested(v) {
			inner, indent, sep = "", "", ", "
		}
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteString(sep)
			}
			b.WriteString(inner)
			appendJSON(b, e, inner)
		}
		if len(v) > 0 {
			b.WriteString(indent)
		}
		b.WriteByte(']')
	default:
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			panic(err) // scalars only
		}
		b.Truncate(b.Len() - 1) // the encoder's newline
	}
}

func nested(list []any) bool {
	for _, e := range list {
		switch e.(type) {
		case object, []any:
			return true
		}
	}
	return false
}

// appendYAML writes v in flow style.
func appendYAML(b *strings.Builder, v any) {
	switch v := v.(type) {
	case object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			appendYAML(b, m.key)
			b.WriteString(": ")
			appendYAML(b, m.val)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			appendYAML(b, e)
		}
		b.WriteByte(']')
	case string:
		if isPlain(v) {
			b.WriteString(v)
			return
		}
		var q bytes.Buffer
		appendJSON(&q, v, "")
		b.Write(q.Bytes())
	case int, float64, bool:
		fmt.Fprint(b, v)
	}
}

// isPlain reports whether YAML reads s as a text without quotes, wherever it
// stands.
func isPlain(s string) bool {
	if s == "" || s[0]|0x20 < 'a' || s[0]|0x20 > 'z' {
		return isDuration(s)
	}
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf":
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("-_./*", rune(c)) {
			return false
		}
	}
	return true
}

func isDuration(s string) bool {
	_, err := time.ParseDuration(s)
	return err == nil && s != "0" && s[len(s)-1]|0x20 >= 'a'
}
