package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// document draws a JSON or JSONC text with the layouts people write and those
// nobody writes.
type document struct {
	t       *rapid.T
	syntax  Syntax
	nl      string
	compact bool
	b       strings.Builder
}

func (g *document) trivia(label string) {
	if g.compact {
		return
	}
	n := rapid.IntRange(0, 3).Draw(g.t, label)
	for range n {
		kinds := []string{" ", "  ", "\t", g.nl, g.nl + "  ", g.nl + "\t", "\r"}
		if g.syntax == JSONC {
			kinds = append(kinds, "// note"+g.nl, "//  "+g.nl, "/* a, b */", "/* {"+g.nl+"} */", "//{\"x\":1,}"+g.nl)
		}
		g.b.WriteString(rapid.SampledFrom(kinds).Draw(g.t, "blank"))
	}
}

func (g *document) value(depth int, kind string) {
	kinds := []string{"lit", "lit", "object", "array"}
	if depth > 3 {
		kinds = kinds[:1]
	}
	if kind == "" {
		kind = rapid.SampledFrom(kinds).Draw(g.t, "kind")
	}
	switch kind {
	case "lit":
		g.b.WriteString(rapid.SampledFrom([]string{
			`1.0`, `1e5`, `9007199254740993`, `-0`, `true`, `false`, `null`, `""`, `"a && b < c > d"`, `"h\u00e9"`, `"é"`, `"//"`, `"a, ]}"`, `"\\"`, `"\""`,
		}).Draw(g.t, "literal"))
	case "array":
		g.list('[', ']', func(i int) { g.value(depth+1, "") })
	case "object", "hooks", "settings":
		used := map[string]bool{}
		g.list('{', '}', func(i int) {
			keys := []string{"a", "b", "permissions", "hooks", `\u0061lpha`, "PreToolUse"}
			if kind == "hooks" {
				keys = []string{"Stop", "PreToolUse", "SessionEnd", "other"}
			}
			key := rapid.SampledFrom(keys).Draw(g.t, "key")
			for used[key] {
				key += "x"
			}
			used[key] = true
			g.b.WriteString(`"` + key + `"`)
			g.trivia("before colon")
			g.b.WriteByte(':')
			g.trivia("after colon")
			switch {
			case kind == "settings" && key == "hooks":
				g.value(depth+1, "hooks")
			case kind == "hooks" && key != "other":
				g.value(depth+1, "array")
			default:
				g.value(depth+1, "")
			}
		})
	}
}

func (g *document) list(open, end byte, item func(int)) {
	g.b.WriteByte(open)
	n := rapid.IntRange(0, 3).Draw(g.t, "items")
	g.trivia("inside")
	for i := range n {
		item(i)
		g.trivia("after item")
		if i < n-1 || g.syntax == JSONC && rapid.Bool().Draw(g.t, "trailing comma") {
			g.b.WriteByte(',')
			g.trivia("after comma")
		}
	}
	g.b.WriteByte(end)
}

func drawDocument(t *rapid.T) ([]byte, Syntax) {
	g := &document{t: t, syntax: rapid.SampledFrom([]Syntax{Strict, JSONC}).Draw(t, "syntax")}
	g.nl = rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
	g.compact = rapid.IntRange(0, 3).Draw(t, "compact") == 0
	if rapid.IntRange(0, 7).Draw(t, "bom") == 0 {
		g.b.WriteString(bom)
	}
	if rapid.IntRange(0, 15).Draw(t, "blank file") == 0 {
		g.b.WriteString(rapid.SampledFrom([]string{"", " ", "\n", "\r\n", "\r", "\t\n\n"}).Draw(t, "blanks"))
		return []byte(g.b.String()), g.syntax
	}
	g.trivia("lead")
	g.value(0, "settings")
	g.trivia("trail")
	return []byte(g.b.String()), g.syntax
}

func group(n int) Object {
	return Object{
		{"matcher", "Bash|Write"},
		{"hooks", Array{Object{{"type", "command"}, {"command", "/h/bin/guardrails && <x>"}, {"args", Array{"hook", n}}}}},
	}
}

var events = []string{"Stop", "PreToolUse", "SessionEnd"}

// TestRemovingWhatWasInsertedRestoresEveryByte is the promise of the package.
func TestRemovingWhatWasInsertedRestoresEveryByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, syntax := drawDocument(t)
		d, err := Parse(src, syntax)
		if err != nil {
			t.Fatalf("the generator wrote what Parse refuses: %v\n%s", err, src)
		}
		if got := d.Bytes(); !bytes.Equal(got, src) {
			t.Fatalf("reading alone changed %q to %q", src, got)
		}
		before := plain(t, d)

		var order []string
		for range rapid.IntRange(1, 5).Draw(t, "insertions") {
			order = append(order, rapid.SampledFrom(events).Draw(t, "event"))
		}
		want := before
		for i, ev := range order {
			if err := d.Append(group(i), "hooks", ev); err != nil {
				var e *Error
				if errors.As(err, &e) && e.Reason == Shape && i == 0 && bytes.Equal(d.Bytes(), src) {
					t.Skip("wrong shape")
				}
				t.Fatalf("insertion %d: %v in %q", i, err, d.Bytes())
			}
			want = appendTo(want, ev, i)
		}
		switchSet := rapid.Bool().Draw(t, "set a key too") && d.At("ours").Kind() == Invalid
		if switchSet {
			if err := d.Set("ours", Object{{"on", true}}); err != nil {
				t.Fatal(err)
			}
			want["ours"] = map[string]any{"on": true}
		}
		inserted := d.Bytes()
		if diff := cmp.Diff(want, plain(t, d)); diff != "" {
			t.Fatalf("wrong content (-want +got):\n%s", diff)
		}

		// Another process removes, in any order: nothing but the bytes is known.
		d, err = Parse(inserted, syntax)
		if err != nil {
			t.Fatalf("%v in %q", err, inserted)
		}
		if switchSet {
			if err := d.Remove("ours"); err != nil {
				t.Fatal(err)
			}
		}
		for _, i := range rapid.Permutation(indexes(len(order))).Draw(t, "removal order") {
			at := find(d, order[i], i)
			if at < 0 {
				t.Fatalf("insertion %d is not in %q", i, d.Bytes())
			}
			if err := d.Remove("hooks", order[i], at); err != nil {
				t.Fatalf("removing %d: %v", i, err)
			}
		}
		if got := d.Bytes(); !bytes.Equal(got, src) {
			t.Fatalf("before  %q\ninserted %q\nremoved %q", src, inserted, got)
		}
		if d.Gone() {
			t.Fatal("a file that was there is gone")
		}
	})
}

func TestReplacingTouchesNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, syntax := drawDocument(t)
		d, err := Parse(src, syntax)
		if err != nil {
			t.Fatal(err)
		}
		if d.Append(group(0), "hooks", "Stop") != nil {
			t.Skip("wrong shape")
		}
		at := d.At("hooks", "Stop").Len() - 1
		old := d.At("hooks", "Stop", at).Raw()
		pre, post, _ := bytes.Cut(d.Bytes(), old)
		if err := d.Replace(group(7), "hooks", "Stop", at); err != nil {
			t.Fatal(err)
		}
		if got := d.Bytes(); !bytes.HasPrefix(got, pre) || !bytes.HasSuffix(got, post) {
			t.Fatalf("bytes around changed: %q", got)
		}
		if err := d.Remove("hooks", "Stop", at); err != nil {
			t.Fatal(err)
		}
		if got := d.Bytes(); !bytes.Equal(got, src) {
			t.Fatalf("before %q\nremoved %q", src, got)
		}
	})
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func find(d *Doc, ev string, n int) int {
	list := d.At("hooks", ev)
	for i := range list.Len() {
		if string(list.Index(i).Get("hooks").Index(0).Get("args").Index(1).Raw()) == fmt.Sprint(n) {
			return i
		}
	}
	return -1
}

// plain decodes a document with numbers kept as text.
func plain(t *rapid.T, d *Doc) map[string]any {
	out := map[string]any{}
	if d.empty {
		return out
	}
	v := d.root.Clone()
	v.Standardize()
	dec := json.NewDecoder(bytes.NewReader(v.Pack()))
	dec.UseNumber()
	var m map[string]any
	if err := dec.Decode(&m); err != nil {
		t.Fatalf("%v in %q", err, d.Bytes())
	}
	return m
}

func appendTo(doc map[string]any, ev string, n int) map[string]any {
	raw, _ := json.Marshal(map[string]any{
		"matcher": "Bash|Write",
		"hooks":   []any{map[string]any{"type": "command", "command": "/h/bin/guardrails && <x>", "args": []any{"hook", n}}},
	})
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var g any
	_ = dec.Decode(&g)
	hooks, _ := doc["hooks"].(map[string]any)
	if hooks == nil {
		hooks = map[string]any{}
		doc["hooks"] = hooks
	}
	list, _ := hooks[ev].([]any)
	hooks[ev] = append(list, g)
	return doc
}
