package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestReferencePageIsCurrent: docs/config.md says each key of the table.
func TestReferencePageIsCurrent(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "config.md")
	want := referencePage()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, strings.ReplaceAll(string(got), "\r\n", "\n")); diff != "" {
		t.Errorf("run go test ./core/config -update (-want +got):\n%s", diff)
	}
}

const referenceHead = `# Configuration

Written by ` + "`go test ./core/config -update`" + ` from the table that the strict reader walks; [config.schema.json](config.schema.json) is the same
for editors and ` + "`guardrails config schema`" + ` prints it.

A project's file is ` + "`.guardrails.yaml`" + ` at its root, yours for all projects is ` + "`~/.guardrails/config.yaml`" + `. Both are optional: policy is on without
either. Elsewhere a section that is left out is off, and one that is there (even as ` + "`quality: {}`" + `) takes the defaults below. The project's
values stand over yours; lists replace each other, but under ` + "`policy`" + ` lists of all layers count together.

**Trust** says what of a *project's* file waits until you have run ` + "`guardrails trust`" + `: *always* what runs code of the repository, *if looser* what
would allow more than you or the defaults do. Your own file needs none.

- ` + "`guardrails config init`" + ` writes a starter, ` + "`guardrails config validate`" + ` names every mistake with line and column,
- ` + "`guardrails config show --origins`" + ` prints what is in force and where it comes from.
`

func referencePage() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	defaults := Defaults()
	var top []field
	for _, f := range table {
		if f.kind == kindSection || len(f.fields) > 0 {
			continue
		}
		top = append(top, f)
	}
	b.WriteString("\n## At the top\n\n")
	r := page{b: &b, seen: map[string]string{}}
	r.head()
	r.rows("", top, &defaults, false)
	for _, f := range table {
		if f.kind != kindSection && len(f.fields) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", f.key, f.doc)
		r := page{b: &b, seen: map[string]string{}}
		r.head()
		if f.kind == kindSection {
			r.rows("", f.fields, &defaults, f.code != "")
		} else {
			r.rows("[].", f.fields, nil, true)
			fmt.Fprintf(&b, "\nA list. Of a project's file it needs trust %s.\n", referenceTrust(&f, false))
		}
	}
	return b.String()
}

// A page writes one table.
type page struct {
	b    *strings.Builder
	seen map[string]string // keys of an item -> where they are explained
}

func (r page) head() {
	r.b.WriteString("| Key | Value | Default | Trust | What it says |\n|---|---|---|---|---|\n")
}

// rows writes these keys and all below them. Without defaults they are keys of
// an item, and an item like an earlier one is not explained again.
func (r page) rows(prefix string, fields []field, defaults any, code bool) {
	for i := range fields {
		f := &fields[i]
		code := code || f.code != ""
		value, key := referenceValue(f), prefix+f.key
		standard, trust := "", referenceTrust(f, code)
		switch {
		case defaults == nil && f.required:
			standard, trust = "needed", ""
		case defaults == nil:
			trust = ""
		case f.kind != kindSection:
			if v, says := plain(f, f.at(defaults)); says {
				var j bytes.Buffer
				appendJSON(&j, v, "")
				standard = "`" + j.String() + "`"
			}
		}
		if f.kind == kindSection {
			trust = ""
		}
		item := map[kind]string{kindItems: "[].", kindDict: ".*."}[f.kind]
		like := ""
		if item != "" {
			var keys []string
			for _, in := range f.fields {
				keys = append(keys, in.key)
			}
			id := strings.Join(keys, " ")
			if like = r.seen[id]; like == "" {
				r.seen[id] = key
			} else {
				value += " like `" + like + "`"
			}
		}
		fmt.Fprintf(r.b, "| `%s` | %s | %s | %s | %s |\n", key, value, standard, trust, strings.ReplaceAll(strings.ReplaceAll(f.doc, "|", `\|`), "*", `\*`))
		switch {
		case f.kind == kindSection:
			r.rows(key+".", f.fields, defaults, code)
		case item != "" && like == "":
			r.rows(key+item, f.fields, nil, code)
		}
	}
}

func referenceTrust(f *field, code bool) string {
	switch {
	case code:
		return "always"
	case f.looser != nil:
		return "if looser"
	}
	return ""
}

func referenceValue(f *field) string {
	words := func(list []string) string {
		s := "`" + strings.Join(list, "`, `") + "`"
		if f.late {
			s += " or one of your own"
		}
		return s
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	switch f.kind {
	case kindSection:
		return "a section"
	case kindBool:
		return "`true`, `false`"
	case kindInt:
		if f.min == f.max {
			return number(f.min)
		}
		return "a whole number, " + number(f.min) + " to " + number(f.max)
	case kindNumber:
		return "a number, " + number(f.min) + " to " + number(f.max)
	case kindText:
		return "a text"
	case kindWord:
		return words(f.words)
	case kindDuration:
		if f.min < 0 {
			return "a time, up to `" + time.Duration(f.max).String() + "`"
		}
		return "a time, `" + time.Duration(f.min).String() + "` to `" + time.Duration(f.max).String() + "`"
	case kindCommand:
		return "a command: a list of words, or a text for the shell"
	case kindTexts:
		return "a list of texts"
	case kindWords:
		return "a list of " + words(f.words)
	case kindItems:
		return "a list"
	case kindDict:
		return "a mapping from names of your choice"
	case kindPairs:
		return "a mapping from names to texts or lists of texts"
	default:
		return ""
	}
}

// TestEachKeyIsExplained: a key without a doc would be an empty cell.
func TestEachKeyIsExplained(t *testing.T) {
	var walk func(prefix string, fields []field)
	walk = func(prefix string, fields []field) {
		for _, f := range fields {
			if f.doc == "" || !strings.HasSuffix(f.doc, ".") {
				t.Errorf("%s%s says %q", prefix, f.key, f.doc)
			}
			if referenceValue(&f) == "" {
				t.Errorf("%s%s is of no kind that the page knows", prefix, f.key)
			}
			walk(prefix+f.key+".", f.fields)
		}
	}
	walk("", table[:])
}
