package tree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/config/tree"
	"github.com/ec261362/guardrails/core/config/yamldoc"
)

// plain are documents that need no other reader.
var plain = []string{
	"",
	"\n\n# nothing\n",
	"version: 1\n",
	"version: 1",
	"---\nversion: 1\n",
	"# first\n---\nversion: 1 # one\n",
	"a:\nb: ~\nc: null # nothing\n",
	"a:\n  b: 1\n  c:\n    d: [x, y]\ne: {f: g, h: [i, {j: k}]}\n",
	"a:\n- b\n- c\nd:\n  - e\n  - f: 1\n    g: 2\n  -\n    h: 3\n  - - i\n    - j\n  -\nk: l\n",
	"a: [\n  b, # one\n  c,\n]\nd: {\n  e: f,\n  g: 'h',\n}\n",
	"a: \"x \\\"y\\\" \\\\ \\n\\t\\/\"\nb: 'it''s'\n\"c d\": e\n'f': g\nh: \"\"\ni: ''\n",
	"a: git reset --hard origin/main\nb: a#b\nc: -x\nd: a:b\ne: http://example.com/?q=1&r=[2]\nf: **/*.go x\n"[:62],
	"n: [0, 1, -1, +1, 1.5, .5, 1., 1e3, 1_000, 0x1f, 0o17, 017, 0b11, -0, -0.0, .inf, -.Inf, .nan, 1.2.3, 2s, 120s, 1e, 1e+, ., +, 12345678901234567890, 99999999999999999999]\n",
	"b: [true, True, TRUE, tRUE, yes, on, y, false, ~, null, Null, nULL, NULL, '', \"null\"]\n",
	"ä: ö # ü\nlist: [\"ß\", é, z]\n",
	"a: b\r\nc:\r\n  - d\r\n\r\n  - \"e\"\r\n",
	"  a: b\n  c: d\n",
	"a:\n  [b, c]\nd:\n  'e'\nf:\n  plain text\n",
	"a:   b   \nc:    \n  d:    [ e ,f , g ]   # h\n",
	"on: 1\nnull: 2\ntrue: 3\n1: 4\n",
	"a: []\nb: {}\nc: [ ]\nd: { }\n",
	"[a, b]\n",
	"- a\n- b: c\n",
	"a: |\n  b\n    c # d\n\n  e: f\n\n# g\nh: |-\n  i\n  j\nk: l\n",
	"a: >\n  b\n  c\n\n\n  d\ne:\n  - >-\n    f\n    g\n  - |\n   h\n",
	"a: |-\n  b",
	"- a\n  - b\n",
	"a: b\n  c\n\n  d\ne:\n  - f\n    g h\n  - i\n",
	"when: \"git reset --hard origin/bot-1\" # why\n",
}

// strange are documents that Plain leaves to others, for each reason.
var strange = []string{
	"a: &x b\nc: *x\n",
	"a: !!str 1\n",
	"%YAML 1.2\n---\na: b\n",
	"a: b\n---\nc: d\n",
	"a: b\n...\n",
	"? a\n: b\n",
	"a: |+\n  b\n\n",
	"a: |2\n   b\n",
	"a: |\n\n  b\n",
	"a: |\nb: c\n",
	"a: |\n  b",
	"a: >\n  b\n   c\n",
	"a: b\n # c\n  d\n",
	"a: b # c\n  d\n",
	"a: b\n  c: d\n",
	"a: \"b\n  c\"\n",
	"a: b: c\n",
	"a: [b\n",
	"a: \"b\n",
	"a:\n\tb: c\n",
	"a:\n    b: c\n  d: e\n",
	"a: b\n c: d\n",
	"a: - b\n",
	"a: @b\n",
	"a: 2001-01-01\n",
	"<<: {a: b}\n",
	"a: [b: c]\n",
	"a: {b}\n",
	"a: {b: }\n",
	"a: {b:}\n",
	"a: {\"b\":c}\n",
	"a: [b,, c]\n",
	"a: [b] c\n",
	"a: 'b'#c\n",
	"a: [b #c\n , d]x\n",
	"a\n",
	"a: \"\\x41\"\n",
	"a: b\rc: d\r",
	"a: b\u2028c: d\n",
	"\ufeffa: b\n",
	"- a\nb: c\n",
	"a: b\n- c\n",
	strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\n",
	strings.Repeat("k", 2000) + ": v\n",
	"a: [" + strings.Repeat("k", 2000) + ": v]\n",
}

func TestPlainReadsWhatConfigurationsAreWrittenIn(t *testing.T) {
	for i, doc := range plain {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if !compare(t, []byte(doc)) {
				t.Errorf("left to the other reader:\n%s", doc)
			}
		})
	}
}

func TestPlainLeavesTheRestToOthers(t *testing.T) {
	for i, doc := range strange {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if _, ok := tree.Plain([]byte(doc)); ok {
				t.Errorf("read:\n%s", doc)
			}
		})
	}
}

func TestPlainReadsOurOwnFiles(t *testing.T) {
	files, err := filepath.Glob("../../../templates/packs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range append(files, "../starter.yaml") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !compare(t, data) {
			t.Errorf("%s is left to the other reader", name)
		}
	}
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// compare has what Plain reads be what the whole reader reads.
func compare(t fataler, data []byte) bool {
	t.Helper()
	got, ok := tree.Plain(data)
	if !ok {
		return false
	}
	want, err := yamldoc.Read(data)
	if err != nil {
		t.Fatalf("Plain reads what is not valid: %v\n%q", err, data)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q\n-whole +plain\n%s", data, diff)
	}
	return true
}

func FuzzPlainIsTheWholeReader(f *testing.F) {
	for _, doc := range append(plain, strange...) {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 || !readable(data) {
			return
		}
		compare(t, data)
	})
}
