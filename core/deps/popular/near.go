package popular

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
)

// edit is how one name differs from another.
type edit uint8

const (
	none       edit = iota
	transposed      // two neighbours swapped
	doubled         // a letter doubled, or a double one made single
	lookAlike       // 0 for o, rn for m, a letter of another alphabet
	keyOrVowel      // a neighbour on the keyboard, a vowel for a vowel
	inner           // a letter added or dropped inside
	innerOther      // an inner letter replaced by another
	letterForDigit
	firstLetter
	lastLetter
	plural
	separators // - _ . / elsewhere, or none
	letterCase
	combination // a popular name with js, python, official …
)

// Ranks up to which a target counts for the weaker kinds of edit. A slip is
// only likely next to a name that many people type.
const (
	famous = 250
	top    = 1000
	known  = 2500
)

// flags says whether an edit is a signal for a target of that rank, where m is
// the length of the shorter name. The thresholds were measured on known traps
// against the names of both registries.
func (k edit) flags(m, rank int) bool {
	if m >= 5 && rank < famous && k != none {
		return true
	}
	switch k {
	case transposed, doubled:
		return m >= 5 || m == 4 && rank < 500
	case lookAlike:
		return m >= 5
	case keyOrVowel:
		return m >= 6 || m == 5 && rank < top
	case inner:
		return m >= 7 || m >= 5 && rank < top
	case innerOther:
		return m >= 9 || m >= 7 && rank < known
	case letterForDigit:
		return m >= 7
	case firstLetter:
		return m >= 10 || m >= 8 && rank < top
	case lastLetter:
		return m >= 9 || m >= 7 && rank < top
	case plural:
		return m >= 9 || m >= 6 && rank < top
	case separators, letterCase:
		return m >= 5 && rank < known
	case combination:
		return rank < known
	case none:
	}
	return false
}

// query is a name prepared for comparing.
type query struct {
	exact string // as written
	name  string // lower case, each letter that is not ASCII one byte 0x80
	scope string // of @scope/rest, without the @
	rest  string
	bare  string   // without separators
	bases []string // what is left without an addition such as -js
}

const foreign = 0x80

func newQuery(e coord.Ecosystem, name string) *query {
	q := &query{exact: name, name: plain(name)}
	if s, rest, ok := strings.Cut(q.name, "/"); ok && strings.HasPrefix(s, "@") {
		q.scope, q.rest = s[1:], rest
		return q
	}
	q.bare = squeeze(q.name)
	for _, add := range additions() {
		for _, sep := range []string{"-", ".", "_"} {
			if e == coord.PyPI && sep != "-" {
				continue
			}
			if base, ok := strings.CutPrefix(q.name, add+sep); ok && base != "" {
				q.bases = append(q.bases, base)
			}
			if base, ok := strings.CutSuffix(q.name, sep+add); ok && base != "" {
				q.bases = append(q.bases, base)
			}
		}
	}
	for _, add := range [...]string{"js", "py", "nodejs", "python"} {
		if base, ok := strings.CutSuffix(q.name, add); ok && base != "" && !isSeparator(base[len(base)-1]) {
			q.bases = append(q.bases, base)
		}
	}
	return q
}

// additions are words that traps put beside a known name.
func additions() [10]string {
	return [...]string{"js", "node", "nodejs", "py", "python", "python3", "npm", "official", "security", "latest"}
}

// plain is name in lower case, with foreign for each letter that is not ASCII.
func plain(name string) string {
	name = strings.ToLower(name)
	for i := range len(name) {
		if name[i] >= 0x80 {
			var b strings.Builder
			for _, r := range name {
				if r >= 0x80 {
					b.WriteByte(foreign)
				} else {
					b.WriteByte(byte(r))
				}
			}
			return b.String()
		}
	}
	return name
}

func isSeparator(c byte) bool { return c == '-' || c == '_' || c == '.' || c == '/' }
func isDigit(c byte) bool     { return '0' <= c && c <= '9' }
func isLetter(c byte) bool    { return 'a' <= c && c <= 'z' || c >= foreign }

// squeeze is s without separators.
func squeeze(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if !isSeparator(s[i]) {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// compare says how the name differs from a popular one, none if too much or too
// little to be a signal.
func (q *query) compare(target string, rank int) edit {
	// Most targets are too long or too short, and begin with other letters.
	if d := len(q.name) - len(target); (d < -1 || d > 1) && (rank >= known || len(q.bases) == 0 && !q.begins(target)) && !(q.scope != "" && target[0] == '@') {
		return none
	}
	lower := target
	for i := range len(target) {
		if c := target[i]; 'A' <= c && c <= 'Z' {
			lower = strings.ToLower(target)
			break
		}
	}
	if target[0] == '@' {
		if q.scope == "" {
			return none
		}
		scope, rest, _ := strings.Cut(lower[1:], "/")
		if rest != q.rest || scope == q.scope {
			return none
		}
		return signal(q.scope, scope, rank)
	}
	if q.scope != "" {
		return none
	}
	if lower == q.name {
		if q.exact != target && letterCase.flags(len(lower), rank) {
			return letterCase
		}
		return none
	}
	if k := signal(q.name, lower, rank); k != none {
		return k
	}
	if rank >= known {
		return none
	}
	if m := min(len(q.name), len(lower)); m >= 5 && sameBare(q.bare, lower) && separators.flags(m, rank) {
		return separators
	}
	if slices.Contains(q.bases, lower) {
		return combination
	}
	return none
}

// begins reports whether the name may be target but for separators.
func (q *query) begins(target string) bool {
	return q.bare != "" && (target[0]|0x20 == q.bare[0]|0x20 || isSeparator(target[0]))
}

// sameBare reports whether target without separators is bare.
func sameBare(bare, target string) bool {
	i := 0
	for j := range len(target) {
		if isSeparator(target[j]) {
			continue
		}
		if i >= len(bare) || bare[i] != target[j] {
			return false
		}
		i++
	}
	return i == len(bare)
}

// signal is the one edit between a and a target, if it is one that counts.
func signal(a, target string, rank int) edit {
	if d := len(a) - len(target); d < -1 || d > 1 {
		return none
	}
	k := oneEdit(a, target)
	if k == none || !k.flags(min(len(a), len(target)), rank) {
		return none
	}
	return k
}

// oneEdit says which single edit makes b of a: none for more than one, and for
// digits, which are versions.
func oneEdit(a, b string) edit {
	p := 0
	for p < len(a) && p < len(b) && a[p] == b[p] {
		p++
	}
	x, y := a[p:], b[p:]
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	first, last := p == 0, p+max(len(x), len(y)) >= max(len(a), len(b))
	switch {
	case len(x) == len(y) && len(x) > 0 && onlyForeign(x, y):
		return lookAlike
	case len(x) == 2 && len(y) == 2 && x[0] == y[1] && x[1] == y[0]:
		if isDigit(x[0]) || isDigit(x[1]) {
			return none
		}
		return transposed
	case len(x) == 2 && len(y) == 1 && twoLooksLike(x, y), len(x) == 1 && len(y) == 2 && twoLooksLike(y, x):
		return lookAlike
	case len(x) == 1 && len(y) == 1:
		return replaced(x[0], y[0], first, last)
	case len(x)+len(y) == 1:
		c, long := byte(0), a
		if len(x) == 1 {
			c = x[0]
		} else {
			c, long = y[0], b
		}
		switch {
		case isDigit(c):
			return none
		case isSeparator(c):
			return separators
		case p > 0 && long[p-1] == c || p+1 < len(long) && long[p+1] == c:
			return doubled
		case first:
			return firstLetter
		case last && c == 's':
			return plural
		case last:
			return lastLetter
		}
		return inner
	}
	return none
}

// replaced is the kind of a one-for-one replacement.
func replaced(c, d byte, first, last bool) edit {
	switch {
	case isDigit(c) && isDigit(d):
		return none
	case looksLike(c, d) || looksLike(d, c):
		return lookAlike
	case isSeparator(c) && isSeparator(d):
		return separators
	case isDigit(c) != isDigit(d) && isLetter(c) != isLetter(d) && !isSeparator(c) && !isSeparator(d):
		return letterForDigit
	case isSeparator(c) || isSeparator(d):
		return none
	case vowel(c) && vowel(d), neighbours(c, d):
		return keyOrVowel
	case first:
		return firstLetter
	case last:
		return lastLetter
	}
	return innerOther
}

func onlyForeign(x, y string) bool {
	for i := range len(x) {
		if x[i] != y[i] && x[i] != foreign {
			return false
		}
	}
	return true
}

func twoLooksLike(two, one string) bool {
	return two == "rn" && one == "m" || two == "vv" && one == "w" || two == "cl" && one == "d"
}

func looksLike(c, d byte) bool {
	switch c {
	case '0':
		return d == 'o'
	case '1':
		return d == 'l' || d == 'i'
	case 'l':
		return d == 'i'
	case '5':
		return d == 's'
	case '3':
		return d == 'e'
	case '4':
		return d == 'a'
	case '7':
		return d == 't'
	case '8':
		return d == 'b'
	case foreign:
		return true
	}
	return false
}

func vowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// neighbours reports whether two letters touch on a QWERTY keyboard.
func neighbours(c, d byte) bool {
	var near string
	switch c {
	case 'q':
		near = "wa"
	case 'w':
		near = "qeas"
	case 'e':
		near = "wrsd"
	case 'r':
		near = "etdf"
	case 't':
		near = "ryfg"
	case 'y':
		near = "tugh"
	case 'u':
		near = "yihj"
	case 'i':
		near = "uojk"
	case 'o':
		near = "ipkl"
	case 'p':
		near = "ol"
	case 'a':
		near = "qwsz"
	case 's':
		near = "awedxz"
	case 'd':
		near = "serfcx"
	case 'f':
		near = "drtgvc"
	case 'g':
		near = "ftyhbv"
	case 'h':
		near = "gyujnb"
	case 'j':
		near = "huikmn"
	case 'k':
		near = "jiolm"
	case 'l':
		near = "kop"
	case 'z':
		near = "asx"
	case 'x':
		near = "zsdc"
	case 'c':
		near = "xdfv"
	case 'v':
		near = "cfgb"
	case 'b':
		near = "vghn"
	case 'n':
		near = "bhjm"
	case 'm':
		near = "njk"
	}
	return strings.IndexByte(near, d) >= 0
}

// exempt reports whether the names differ in one word that popular names often
// have: preact-router is no slip for react-router.
func (q *query) exempt(names, target string, k edit) bool {
	switch k {
	case transposed, doubled, lookAlike, plural, separators, letterCase, combination:
		return false
	case none, keyOrVowel, inner, innerOther, letterForDigit, firstLetter, lastLetter:
	}
	a, b := words(q.name), words(strings.ToLower(target))
	if len(a) != len(b) {
		return false
	}
	differ := ""
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if differ != "" {
			return false
		}
		differ = a[i]
	}
	return len(differ) >= 3 && wordCount(names, differ) >= 2
}

func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r < 0x80 && isSeparator(byte(r)) })
}

// wordCount is in how many names w stands as a word, up to two.
func wordCount(names, w string) int {
	n, last := 0, -1
	for from := 0; n < 2; {
		i := strings.Index(names[from:], w)
		if i < 0 {
			return n
		}
		i += from
		from = i + len(w)
		before := i == 0 || edge(names[i-1])
		after := from >= len(names) || edge(names[from])
		if before && after {
			if line := strings.LastIndexByte(names[:i], '\n'); line != last || n == 0 {
				n++
				last = line
			}
		}
	}
	return n
}

func edge(c byte) bool { return c == '\n' || c == '@' || isSeparator(c) }

// within reports whether a becomes b by at most n edits: a letter added,
// dropped or replaced, or two neighbours swapped.
func within(a, b string, n int) bool {
	if d := len(a) - len(b); d > n || -d > n || a == "" || b == "" {
		return false
	}
	var rows [3][216]uint8
	if len(a) >= len(rows[0]) || len(b) >= len(rows[0]) {
		return false
	}
	for j := range len(b) + 1 {
		rows[0][j] = uint8(j) // #nosec G115 -- below 216
	}
	for i := 1; i <= len(a); i++ {
		cur, up, up2 := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		cur[0] = uint8(i) // #nosec G115 -- below 216
		least := cur[0]
		for j := 1; j <= len(b); j++ {
			v := min(up[j], cur[j-1]) + 1
			if a[i-1] == b[j-1] {
				v = min(v, up[j-1])
			} else {
				v = min(v, up[j-1]+1)
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				v = min(v, up2[j-2]+1)
			}
			cur[j] = v
			least = min(least, v)
		}
		if int(least) > n {
			return false
		}
	}
	return int(rows[len(a)%3][len(b)]) <= n
}
