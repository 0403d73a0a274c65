package config

import (
	"bytes"
	"strings"
)

// YAML returns the merged configuration as a file that says the same. Sections
// that are off are named in comments, and so is what is held back; with origins
// every key says where it comes from.
func (e *Effective) YAML(origins bool) []byte {
	w := shown{e: e, origins: origins}
	for i := range table {
		w.field(&table[i], "", "")
	}
	for _, h := range e.Held {
		w.line("# held back: "+h.String(), "")
	}
	if len(e.Held) > 0 {
		w.line("# what is held back counts after: guardrails trust", "")
	}
	return []byte(w.b.String())
}

type shown struct {
	e       *Effective
	origins bool
	b       strings.Builder
}

func (w *shown) line(text, origin string) {
	w.b.WriteString(text)
	if origin != "" {
		if pad := 40 - len(text); pad > 0 {
			w.b.WriteString(strings.Repeat(" ", pad))
		}
		w.b.WriteString("  # " + origin)
	}
	w.b.WriteByte('\n')
}

func (w *shown) field(f *field, path, indent string) {
	key := join(path, f.key)
	if f.kind == kindSection {
		if why := w.e.off(f.key); path == "" && why != "" {
			w.line("# "+f.key+": "+why, "")
			return
		}
		origin := ""
		if o := w.e.Origin(key); w.origins && o != BuiltIn {
			origin = o
		}
		before := w.b.Len()
		w.line(indent+f.key+":", origin)
		header := w.b.Len()
		for i := range f.fields {
			w.field(&f.fields[i], key, indent+"  ")
		}
		if w.b.Len() == header {
			text := w.b.String()[:before]
			w.b.Reset()
			w.b.WriteString(text)
		}
		return
	}
	v, says := plain(f, f.at(&w.e.Config))
	origin := w.e.Origin(key)
	if !says && (origin == BuiltIn || f.kind == kindText) {
		return // an empty list counts if a file wrote it
	}
	if !w.origins {
		origin = ""
	}
	if list, ok := v.([]any); ok && nested(list) {
		w.line(indent+f.key+":", origin)
		for _, item := range list {
			var b strings.Builder
			appendYAML(&b, item)
			w.line(indent+"  - "+b.String(), "")
		}
		return
	}
	if o, ok := v.(object); ok && len(o) > 0 {
		w.line(indent+f.key+":", origin)
		for _, m := range o {
			var b strings.Builder
			appendYAML(&b, m.key)
			b.WriteString(": ")
			appendYAML(&b, m.val)
			w.line(indent+"  "+b.String(), "")
		}
		return
	}
	var b strings.Builder
	appendYAML(&b, v)
	w.line(indent+f.key+": "+b.String(), origin)
}

// off says why a section is not in force, "" if it is.
func (e *Effective) off(section string) string {
	on := true
	switch section {
	case "validators":
		on = e.Config.Validators.On
	case "handoffs":
		on = e.Config.Handoffs.On
	case "evidence":
		on = e.Config.Evidence.On
	case "quality":
		on = e.Config.Quality.On
	case "dependencies":
		on = e.Config.Dependencies.On || !e.Config.Dependencies.Enabled // a no is shown as such
	}
	switch {
	case on:
		return ""
	case section == "quality" && e.Paused.Quality:
		return "paused until the problems are fixed"
	case section == "evidence" && e.Paused.Evidence:
		return "paused until the problems are fixed"
	}
	for _, h := range e.Held {
		if h.Key == section {
			return "held back"
		}
	}
	if section == "dependencies" {
		return "no look-ups; the offline checks are on"
	}
	return "off"
}

// JSON returns the merged configuration and how it came about as one object.
func (e *Effective) JSON(origins bool) []byte {
	on := object{}
	for i := range table {
		if table[i].kind == kindSection {
			on = append(on, member{table[i].key, e.off(table[i].key) == "" && (table[i].key != "dependencies" || e.Config.Dependencies.On)})
		}
	}
	held := []any{}
	for _, h := range e.Held {
		held = append(held, object{{"key", h.Key}, {"file", h.File}, {"line", h.Line}, {"column", h.Col}, {"why", h.Why}, {"code", h.Code}})
	}
	problems := []any{}
	for _, p := range e.Problems {
		problems = append(problems, object{{"file", p.File}, {"line", p.Line}, {"column", p.Col}, {"message", p.Msg}})
	}
	from := object{}
	o := object{
		{"root", e.Root},
		{"project", e.Project},
		{"human", e.Human},
		{"optedIn", e.OptedIn},
		{"needsTrust", e.NeedsTrust},
		{"trusted", e.Trusted},
		{"on", on},
		{"held", held},
		{"problems", problems},
		{"config", objectOf(table[:], e, "", &from)},
	}
	if origins {
		o = append(o, member{"origins", from})
	}
	var b bytes.Buffer
	appendJSON(&b, o, "\n")
	b.WriteByte('\n')
	return b.Bytes()
}

// objectOf returns all keys of a mapping with their values, and adds to from
// where each comes from.
func objectOf(fields []field, e *Effective, path string, from *object) object {
	o := object{}
	for i := range fields {
		f := &fields[i]
		key := join(path, f.key)
		if f.kind == kindSection {
			o = append(o, member{f.key, objectOf(f.fields, e, key, from)})
			continue
		}
		v, _ := plain(f, f.at(&e.Config))
		o = append(o, member{f.key, v})
		*from = append(*from, member{key, e.Origin(key)})
	}
	return o
}
