package tree_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tokens are what documents are thrown together from: far more of them come near
// to YAML than of random bytes.
var tokens = []string{
	"a", "b", "key", "-1", "1.5", "0x1", "1e3", "true", "null", "~", "<<", "é", "2s", "-",
	": ", ":", ":\n", " : ", "- ", "-\n", "? ", "\n", "\n", "\n ", "\n  ", "\n  ", "\n    ", "\n- ", "\n  - ", "\r\n", " ", "  ", "\t",
	"[", "]", "{", "}", ",", ", ", "'", "\"", "''", "\\", "\\n", "\\\"", "'x'", "\"y\"", "#", " # c", " #", "\n#", "\n  # c\n",
	"|", "|-", ">", ">-", "|\n  ", ">\n  ", "&x ", "*x", "!!str ", "!", "%", "@", "---", "\n---\n", "...", "\n...\n",
	"a: ", "\na: ", "\n  b: ", "k: v\n", "{c: d}", "[e, f]", "g: {h: [i]}", "\n]", "\n}", "a b", "a#b", "a:b", "http://x/?y=[z]",
}

func TestPlainIsTheWholeReaderOfWhateverIsThrownTogether(t *testing.T) {
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		doc := strings.Join(rapid.SliceOfN(rapid.SampledFrom(tokens), 1, 14).Draw(t, "doc"), "")
		if compare(t, []byte(doc)) {
			read++
		}
	})
	if read == 0 {
		t.Error("none of them was read")
	}
}

// TestPlainIsTheWholeReaderOfEveryFewTokens goes through all documents of so many
// tokens as GUARDRAILS_TREE_TOKENS says, two if it says nothing.
func TestPlainIsTheWholeReaderOfEveryFewTokens(t *testing.T) {
	most := 2
	if n, err := strconv.Atoi(os.Getenv("GUARDRAILS_TREE_TOKENS")); err == nil {
		most = n
	}
	var all func(doc string, left int)
	all = func(doc string, left int) {
		compare(t, []byte(doc))
		if left > 0 {
			for _, s := range tokens {
				all(doc+s, left-1)
			}
		}
	}
	for _, start := range []string{"", "a: ", "- ", "a:\n  ", "a: [", "a: {b: ", "a:\n  - b: c\n    ", "a: |\n  b\n", "x: y\n"} {
		all(start, most)
	}
}
