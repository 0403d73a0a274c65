package popular

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ec261362/guardrails/core/deps/coord"
)

func TestPopular(t *testing.T) {
	for _, tt := range []struct {
		e    coord.Ecosystem
		name string
		want bool
	}{
		{coord.NPM, "semver", true}, // the first
		{coord.NPM, "express", true},
		{coord.NPM, "Express", false},
		{coord.NPM, "expres", false},
		{coord.NPM, "", false},
		{coord.NPM, "semver\nansi-styles", false},
		{coord.PyPI, "Requests", true},
		{coord.PyPI, "typing_extensions", true},
		{coord.RubyGems, "rails", false}, // no list
	} {
		if got := Popular(tt.e, tt.name); got != tt.want {
			t.Errorf("Popular(%s, %q) = %v", tt.e, tt.name, got)
		}
	}
}

// TestTheListsAreInOrder guards what the scan relies on: one name a line, no
// blank line, each once, PyPI in its normal form.
func TestTheListsAreInOrder(t *testing.T) {
	for _, e := range []coord.Ecosystem{coord.NPM, coord.PyPI} {
		names := strings.Split(strings.TrimSuffix(list(e), "\n"), "\n")
		if len(names) < 9000 {
			t.Errorf("%s: %d names", e, len(names))
		}
		seen := make(map[string]bool)
		for _, n := range names {
			if n == "" || seen[n] || coord.Canonical(e, n) != n || strings.ContainsAny(n, " \r\t") {
				t.Errorf("%s: bad line %q", e, n)
			}
			seen[n] = true
		}
	}
}

func TestNear(t *testing.T) {
	tests := []struct {
		e     coord.Ecosystem
		name  string
		first string // "" = not flagged
	}{
		{coord.NPM, "left-padd", "left-pad"},      // doubled, any rank
		{coord.NPM, "exprses", "express"},         // transposed
		{coord.NPM, "crossenv", "cross-env"},      // separators
		{coord.NPM, "lodahs", "lodash"},           // transposed
		{coord.NPM, "Express", "express"},         // letter case
		{coord.NPM, "l0dash", "lodash"},           // look-alike
		{coord.NPM, "lоdash", "lodash"},           // a Cyrillic letter
		{coord.NPM, "zod-js", "zod"},              // combination
		{coord.NPM, "node-winston", "winston"},    // combination
		{coord.NPM, "@bable/core", "@babel/core"}, // only the scope may differ
		{coord.NPM, "@bable/croe", ""},
		{coord.NPM, "@babel/foo", ""},                // same scope
		{coord.NPM, "vue3", ""},                      // digits are versions
		{coord.NPM, "task-x", ""},                    // nothing near
		{coord.NPM, "express", ""},                   // itself
		{coord.PyPI, "reqeusts", "requests"},         // transposed
		{coord.PyPI, "requestss", "requests"},        // plural or doubled
		{coord.PyPI, "djangoo", "django"},            // doubled
		{coord.PyPI, "cryptograohy", "cryptography"}, // neighbouring key
		{coord.PyPI, "Requests", ""},
		{coord.PyPI, "httplib3", ""},
		{coord.RubyGems, "railz", ""}, // no list
		{coord.NPM, strings.Repeat("a", 300), ""},
	}
	for _, tt := range tests {
		got := Near(tt.e, tt.name)
		first := ""
		if len(got) > 0 {
			first = got[0]
		}
		if first != tt.first {
			t.Errorf("Near(%s, %q) = %q, want %q first", tt.e, tt.name, got, tt.first)
		}
		if len(got) > most {
			t.Errorf("Near(%s, %q) gives %d names", tt.e, tt.name, len(got))
		}
	}
}

func TestNoPopularNameIsNearAnother(t *testing.T) {
	for _, e := range []coord.Ecosystem{coord.NPM, coord.PyPI} {
		n := 0
		for name := range strings.Lines(list(e)) {
			if n++; n%7 != 0 { // a sample: each is a scan
				continue
			}
			if got := Near(e, strings.TrimSpace(name)); got != nil {
				t.Errorf("%s %s: %q", e, name, got)
			}
		}
	}
}

func TestOneEdit(t *testing.T) {
	tests := []struct {
		a, b string
		want edit
	}{
		{"abcd", "abcd", none},
		{"abdc", "abcd", transposed},
		{"aabcd", "abcd", doubled},
		{"abcd", "abbcd", doubled},
		{"modem", "modern", lookAlike},
		{"c0de", "code", lookAlike},
		{"wa", "vva", lookAlike},
		{"code", "c\x80de", lookAlike},
		{"c\x80de", "code", lookAlike},
		{"cade", "code", keyOrVowel},
		{"sode", "aode", keyOrVowel},
		{"abxcd", "abcd", inner},
		{"abkd", "abcd", innerOther},
		{"ab9d", "abcd", letterForDigit},
		{"kabcd", "abcd", firstLetter},
		{"abcdk", "abcd", lastLetter},
		{"abcds", "abcd", plural},
		{"ab-cd", "abcd", separators},
		{"ab-cd", "ab_cd", separators},
		{"abcd3", "abcd", none},
		{"abc2", "abc3", none},
		{"abxyd", "abd", none},
		{"xbcy", "abcd", none},
		{"a1b", "ab1", none},
	}
	for _, tt := range tests {
		if got := oneEdit(tt.a, tt.b); got != tt.want {
			t.Errorf("oneEdit(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// distance is the textbook table, to compare within with.
func distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

func TestWithinIsTheDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.StringMatching(`[abc]{1,7}`).Draw(t, "a")
		b := rapid.StringMatching(`[abc]{1,7}`).Draw(t, "b")
		n := rapid.IntRange(0, 3).Draw(t, "n")
		if got, want := within(a, b, n), distance(a, b) <= n; got != want {
			t.Fatalf("within(%q, %q, %d) = %v, distance %d", a, b, n, got, distance(a, b))
		}
		if k := oneEdit(a, b); k != none && k != lookAlike && distance(a, b) > 1 {
			t.Fatalf("oneEdit(%q, %q) = %d at distance %d", a, b, k, distance(a, b))
		}
	})
}

func TestSuggestReachesFurther(t *testing.T) {
	tests := []struct {
		e          coord.Ecosystem
		name, want string
	}{
		{coord.PyPI, "reqests-oauthlb", "requests-oauthlib"},
		{coord.NPM, "types-node", "@types/node"},
		{coord.NPM, "supabase-js", "@supabase/supabase-js"},
		{coord.NPM, "icons-material", "@mui/icons-material"},
		{coord.NPM, "lodahs", "lodash"},
	}
	for _, tt := range tests {
		got := Suggest(tt.e, tt.name)
		found := false
		for _, n := range got {
			found = found || n == tt.want
		}
		if !found || len(got) > most {
			t.Errorf("Suggest(%s, %q) = %q, want %q in it", tt.e, tt.name, got, tt.want)
		}
	}
	if got := Suggest(coord.NPM, "express"); cmp.Equal(got, []string{"express"}) {
		t.Errorf("a name is suggested for itself: %q", got)
	}
}

func FuzzNear(f *testing.F) {
	f.Add("exprses")
	f.Add("@scope/x")
	f.Add("\x80\xff-js")
	f.Fuzz(func(t *testing.T, name string) {
		for _, e := range []coord.Ecosystem{coord.NPM, coord.PyPI} {
			for _, n := range append(Near(e, name), Suggest(e, name)...) {
				if !Popular(e, n) {
					t.Errorf("%q is suggested for %q and is not popular", n, name)
				}
			}
		}
	})
}

func BenchmarkNear(b *testing.B) {
	for b.Loop() {
		Near(coord.NPM, "exprses-x")
	}
}

func BenchmarkPopular(b *testing.B) {
	for b.Loop() {
		Popular(coord.NPM, "left-pad")
	}
}
