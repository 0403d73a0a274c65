package jsonedit

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var ours = Object{
	{"matcher", "Bash|PowerShell|Monitor"},
	{"hooks", Array{Object{
		{"type", "command"},
		{"command", "/home/u/.guardrails/bin/guardrails"},
		{"args", Array{"hook", "--agent", "claude"}},
		{"timeout", 10},
	}}},
}

func syntaxOf(name string) Syntax {
	if strings.HasSuffix(name, ".jsonc") {
		return JSONC
	}
	return Strict
}

// TestRealisticFilesComeBack installs into each file as init does, compares the
// result with its golden file and takes it out again.
func TestRealisticFilesComeBack(t *testing.T) {
	files, err := filepath.Glob("testdata/settings/*.json*")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, ".golden") {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			d, err := Parse(src, syntaxOf(name))
			if err != nil {
				t.Fatal(err)
			}
			for _, ev := range []string{"PreToolUse", "Stop"} {
				if err := d.Append(ours, "hooks", ev); err != nil {
					t.Fatal(err)
				}
			}
			golden := name + ".golden"
			if *update {
				if err := os.WriteFile(golden, d.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(d.Bytes())); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			d, err = Parse(want, syntaxOf(name))
			if err != nil {
				t.Fatal(err)
			}
			for _, ev := range []string{"PreToolUse", "Stop"} {
				if err := d.Remove("hooks", ev, d.At("hooks", ev).Len()-1); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(d.Bytes(), src) {
				t.Errorf("before %q\nafter  %q", src, d.Bytes())
			}
		})
	}
}

func TestAMissingFileIsMadeAndGoesAway(t *testing.T) {
	d := Missing(Strict)
	if d.Bytes() != nil || !d.Gone() {
		t.Fatal("a missing file has bytes")
	}
	if err := d.Append(Object{{"hooks", Array{Object{{"type", "command"}}}}}, "hooks", "Stop"); err != nil {
		t.Fatal(err)
	}
	want := `{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command"
          }
        ]
      }
    ]
  }
}
`
	if diff := cmp.Diff(want, string(d.Bytes())); diff != "" {
		t.Fatal(diff)
	}
	d, err := Parse(d.Bytes(), Strict)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Remove("hooks", "Stop", 0); err != nil {
		t.Fatal(err)
	}
	if !d.Gone() || d.Bytes() != nil {
		t.Fatalf("left %q", d.Bytes())
	}
}

func TestUnreadableFilesAreRefusedWithTheirPlace(t *testing.T) {
	tests := []struct {
		name, src string
		syntax    Syntax
		line, col int
		reason    Reason
		says      string
	}{
		{"truncated", "{\n  \"a\": 1", JSONC, 2, 9, Malformed, "ends too early"},
		{"not JSON", "hello", Strict, 1, 1, Malformed, "invalid"},
		{"two values", "{}\n{}", Strict, 2, 1, Malformed, "after top-level value"},
		{"missing comma", "{\n\"a\": 1\n\"b\": 2}", Strict, 3, 1, Malformed, "after object value"},
		{"bad number", "{\"a\": 01}", Strict, 1, 7, Malformed, "invalid literal"},
		{"single quotes", "{'a': 1}", Strict, 1, 2, Malformed, "invalid character"},
		{"NUL", "{\"a\": \x00}", Strict, 1, 7, Malformed, "invalid character"},
		{"line comment", "{\n  \"a\": 1 // x\n}", Strict, 2, 10, NotStrict, "comment"},
		{"block comment in front", "/* x */ {}", Strict, 1, 1, NotStrict, "comment"},
		{"comment at the end", "{}\n// x", Strict, 2, 1, NotStrict, "comment"},
		{"comment in an empty array", "{\"a\": [ /* x */ ]}", Strict, 1, 9, NotStrict, "comment"},
		{"comment before a colon", "{\"a\" /* x */ : 1}", Strict, 1, 6, NotStrict, "comment"},
		{"trailing comma in an object", "{\"a\": 1,\n}", Strict, 1, 8, NotStrict, "trailing comma"},
		{"trailing comma in an array", "[1,\n2 ,]", Strict, 2, 3, NotStrict, "trailing comma"},
		{"duplicate key", "{\"a\": 1,\n \"a\": 2}", Strict, 2, 2, Duplicate, `"a" stands twice`},
		{"duplicate by escape", `{"hooks": 1, "\u0068ooks": 2}`, Strict, 1, 14, Duplicate, `"hooks" stands twice`},
		{"nested duplicate", `{"x": [{"b": 1, "b": 1}]}`, JSONC, 1, 17, Duplicate, `"b" stands twice`},
		{"column behind a byte order mark", bom + "{,}", Strict, 1, 5, Malformed, "invalid character"},
		{"two byte order marks", bom + bom + "{}", Strict, 1, 4, Malformed, "invalid character"},
		{"invalid UTF-8", "{\"a\": \"\xff\"}", Strict, 1, 7, Malformed, "invalid"},
		{"UTF-16", "{\x00\"\x00", Strict, 1, 2, Malformed, "invalid character"},
		{"too deep", strings.Repeat("[", 100_000), Strict, 1, 1001, Malformed, "deeper than 1000"},
		{"too large", "{" + strings.Repeat(" ", MaxSize) + "}", Strict, 1, 1, Malformed, "larger than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse([]byte(tt.src), tt.syntax)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%v, %v", d, err)
			}
			if e.Line != tt.line || e.Col != tt.col || e.Reason != tt.reason || !strings.Contains(e.Msg, tt.says) {
				t.Errorf("got %d:%d reason %d %q", e.Line, e.Col, e.Reason, e.Msg)
			}
		})
	}
}

func TestWrongShapesOnThePathAreRefusedAndNothingChanges(t *testing.T) {
	tests := []struct{ name, src, says string }{
		{"root is an array", `[]`, "1:1: the file's value is an array, not an object"},
		{"root is null", `null`, "1:1: the file's value is null, not an object"},
		{"hooks is an array", `{"hooks": []}`, "1:11: hooks is an array, not an object"},
		{"hooks is null", "{\n  \"hooks\": null\n}", "2:12: hooks is null, not an object"},
		{"event is an object", `{"hooks": {"Stop": {}}}`, "1:20: hooks.Stop is an object, not an array"},
		{"event is a string", `{"hooks": {"Stop": "x"}}`, "1:20: hooks.Stop is a string, not an array"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse([]byte(tt.src), Strict)
			if err != nil {
				t.Fatal(err)
			}
			err = d.Append(ours, "hooks", "Stop")
			if err == nil || err.Error() != tt.says {
				t.Errorf("got %v", err)
			}
			if string(d.Bytes()) != tt.src {
				t.Errorf("changed to %q", d.Bytes())
			}
		})
	}
}

// TestOthersEntriesStayWhenOursGo covers files that their owner changed after
// the insertion, where no exact former text exists.
func TestOthersEntriesStayWhenOursGo(t *testing.T) {
	tests := []struct {
		name, src, want string
		syntax          Syntax
		path            []any
	}{
		{"behind ours", `{"h": [1, 2, 3]}`, `{"h": [1, 3]}`, Strict, []any{"h", 1}},
		{"ours first", "{\"h\": [\n  1,\n  2\n]}", "{\"h\": [\n  2\n]}", Strict, []any{"h", 0}},
		{"ours first, comment between", "[\n  1, // mine\n  2\n]", "[\n   // mine\n  2\n]", JSONC, []any{0}},
		{"a comment above ours", "[\n  1,\n  // about two\n  2\n]", "[\n  1\n  // about two\n]", JSONC, []any{1}},
		{"a comment between ours and its comma", "[\n  1,\n  2 /* c */,\n  3\n]", "[\n  1, /* c */\n  3\n]", JSONC, []any{1}},
		{"a line comment before ours, then a bracket", "[1, // one\n2]", "[1 // one\n]", JSONC, []any{1}},
		{"a comment inside the container that ours made", "{\n  \"h\": [\n    // note\n    1\n  ]\n}", "{\n  \"h\": [\n    // note\n  ]\n}", JSONC, []any{"h", 0}},
		{"reformatted, containers go", `{ "a": 1, "h": { "s": [ 1 ] } }`, `{ "a": 1 }`, Strict, []any{"h", "s", 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse([]byte(tt.src), tt.syntax)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Remove(tt.path...); err != nil {
				t.Fatal(err)
			}
			if got := string(d.Bytes()); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestRemovingWhatIsNotThereChangesNothing(t *testing.T) {
	for _, src := range []string{"", " ", "{}", `{"hooks": {}}`, `{"hooks": {"Stop": []}}`} {
		d, err := Parse([]byte(src), Strict)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Remove("hooks", "Stop", 0); err != nil {
			t.Errorf("%q: %v", src, err)
		}
		if string(d.Bytes()) != src {
			t.Errorf("%q became %q", src, d.Bytes())
		}
	}
}

// FuzzParse feeds anything: it must not panic, must give back what it read,
// and an insertion must come out again.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/settings/*.json*")
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src, true)
		f.Add(src, false)
	}
	f.Fuzz(func(t *testing.T, src []byte, strict bool) {
		s := JSONC
		if strict {
			s = Strict
		}
		d, err := Parse(src, s)
		if err != nil {
			return
		}
		if !bytes.Equal(d.Bytes(), src) {
			t.Fatalf("%q read as %q", src, d.Bytes())
		}
		n := d.At("hooks", "Stop").Len()
		if d.Append(ours, "hooks", "Stop") != nil {
			if !bytes.Equal(d.Bytes(), src) {
				t.Fatalf("a refused insertion changed %q to %q", src, d.Bytes())
			}
			return
		}
		if d, err = Parse(d.Bytes(), s); err != nil {
			t.Fatal(err)
		}
		if err := d.Remove("hooks", "Stop", n); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(d.Bytes(), src) {
			t.Fatalf("%q came back as %q", src, d.Bytes())
		}
	})
}
