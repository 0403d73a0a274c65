package secrets

import (
	"math"
	"sort"
	"strings"
)

// sparing says whether a file is of a kind in which words near values mean
// nothing. The zero value is: not found out yet.
type sparing uint8

const (
	spared sparing = iota + 1
	judged
)

// quiet reports whether the text is in a test, a lock file, a picture or the
// like. It spares from rules that go by a word, never from a shape.
func (s *scan) quiet() bool {
	if s.spare == 0 {
		s.spare = judged
		if s.path != "" && (fixture(s.path) || expr(always.paths).MatchString(s.path)) {
			s.spare = spared
		}
	}
	return s.spare == spared
}

// fixture reports whether a file is part of tests or examples by its name or
// one of its folders.
func fixture(path string) bool {
	path = strings.ToLower(path)
	for i := 0; ; {
		part, rest, more := strings.Cut(path[i:], "/")
		if !more {
			for _, mark := range [...]string{"_test.", ".test.", "-test.", ".spec.", "_spec.", "test_", ".example", ".sample", ".template", "mock", "fixture", "conftest."} {
				if strings.Contains(part, mark) {
					return true
				}
			}
			return false
		}
		switch part {
		case "test", "tests", "testing", "testdata", "test-data", "test_data", "__tests__", "__mocks__", "__fixtures__", "fixtures", "fixture",
			"mocks", "spec", "specs", "e2e", "examples", "example", "samples", "cypress", "snapshots", "__snapshots__", "testutil", "testutils":
			return true
		}
		i = len(path) - len(rest)
	}
}

// excused reports whether the secret text[from:to], in the match
// text[start:end], is none.
func (s *scan) excused(n, start, end, from, to int) bool {
	r := &rules[n]
	secret := s.text[from:to]
	if r.digit && !strings.ContainsAny(secret, "0123456789") {
		return true
	}
	if r.entropy > 0 && entropy(secret) <= r.entropy {
		return true
	}
	if r.class == classShape && r.entropy == 0 && r.by == byExpr && entropy(secret) <= 2 {
		return true // nobody's key is one character over and over
	}
	if r.class == classShape && r.by == byExpr && s.inBlob(from, to) {
		return true
	}
	if r.class != classShape && (s.quiet() || fake(secret)) || r.class == classGeneric && hasAny(strings.ToLower(valueOf(secret)), toyWords[:]) && !hides(valueOf(secret)) {
		return true
	}
	if r.class == classContext && !s.plausible(start, from, to) {
		return true
	}
	if s.allows(&allow{in: inSecret, expr: always.expr, words: always.words}, start, end, secret) {
		return true
	}
	for i := range r.allow {
		if s.allows(&r.allow[i], start, end, secret) {
			if r.class != classGeneric && len(s.known) < enough {
				s.known = append(s.known, candidate{n, from, to})
			}
			return true
		}
	}
	return false
}

// inBlob reports whether text[from:to] is a piece of a longer base64 text, where
// every short prefix comes up by chance.
func (s *scan) inBlob(from, to int) bool {
	before := from > 0 && s.text[from-1] == '+'
	after := to < len(s.text) && s.text[to] == '+'
	if !before && !after {
		return false
	}
	n := 0
	for i := from; i > 0 && n < 24 && (isBase64(s.text[i-1]) || s.text[i-1] == '\n'); i-- {
		n++
	}
	for i := to; i < len(s.text) && n < 24 && (isBase64(s.text[i]) || s.text[i] == '\n'); i++ {
		n++
	}
	return n >= 24
}

func isBase64(c byte) bool { return isWord(c) && c != '_' || c == '+' || c == '/' || c == '=' }

// allows reports whether an allowlist names the secret.
func (s *scan) allows(a *allow, start, end int, secret string) bool {
	asked, held := 0, 0
	tell := func(ok bool) {
		asked++
		if ok {
			held++
		}
	}
	if a.paths != 0 {
		tell(s.path != "" && expr(a.paths).MatchString(s.path))
	}
	if len(a.words) > 0 || a.common {
		low := strings.ToLower(secret)
		tell(hasAny(low, a.words) || a.common && hasCommon(low))
	}
	if a.expr != 0 && !(a.and && held < asked) && !(!a.and && held > 0) {
		in := secret
		switch a.in {
		case inMatch:
			in = s.text[start:end]
		case inLine:
			in = s.lines(start, end)
		}
		tell(expr(a.expr).MatchString(in))
	}
	if a.and {
		return asked > 0 && held == asked
	}
	return held > 0
}

// lines returns the lines that hold text[start:end], cut at a kilobyte on both
// sides.
func (s *scan) lines(start, end int) string {
	const most = 1 << 10
	from := max(0, start-most)
	if i := strings.LastIndexByte(s.text[from:start], '\n'); i >= 0 {
		from += i + 1
	}
	to := min(len(s.text), end+most)
	if i := strings.IndexByte(s.text[end:to], '\n'); i >= 0 {
		to = end + i
	}
	return s.text[from:to]
}

func hasAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// hasCommon reports whether a common word is in s.
func hasCommon(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		head := s[i : i+2]
		at := sort.SearchStrings(commonWords[:], head)
		for ; at < len(commonWords) && strings.HasPrefix(commonWords[at], head); at++ {
			if strings.HasPrefix(s[i:], commonWords[at]) {
				return true
			}
		}
	}
	return false
}

// entropy is Shannon's, in bits for each byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	return bits(&counts, len(s))
}

func bits(counts *[256]int, n int) float64 {
	e := 0.0
	for _, c := range counts {
		if c > 0 {
			p := float64(c) / float64(n)
			e -= p * math.Log2(p)
		}
	}
	return e
}

// fake reports whether a value says itself that it is none: a placeholder, a
// variable, or characters in their order. Only rules that go by a word ask.
func fake(v string) bool {
	if strings.ContainsAny(v, "<>{}") || strings.HasPrefix(v, "$") || strings.HasPrefix(v, "%") && strings.HasSuffix(v, "%") ||
		strings.Contains(v, "...") || strings.Contains(v, "***") {
		return true
	}
	return hasAny(strings.ToLower(v), fakeWords[:]) && !hides(v) || inOrder(v)
}

// hides reports whether between the words of a value that calls itself fake there
// is one that no human thought of: placeholder-Q7v!x92Lm-prod. A word that holds
// the excuse itself (Your$ecret1) is no such word.
func hides(v string) bool {
	for w := range strings.FieldsFuncSeq(v, func(c rune) bool { return strings.ContainsRune("-_./:,", c) }) {
		if len(w) < 8 || hasAny(strings.ToLower(w), fakeWords[:]) || inOrder(w) {
			continue
		}
		turns := 0
		var kinds [4]bool
		for i := range len(w) {
			k := signKind(w[i])
			kinds[k] = true
			if i > 0 && k != signKind(w[i-1]) {
				turns++
			}
		}
		n := 0
		for _, has := range kinds {
			if has {
				n++
			}
		}
		if kinds[0] && n >= 3 && 20*turns >= 11*(len(w)-1) {
			return true
		}
	}
	return false
}

// excuses reports whether a word in a value says that it is none.
func excuses(v string) bool {
	low := strings.ToLower(v)
	return hasAny(low, fakeWords[:]) || hasAny(low, toyWords[:])
}

// signKind is 0 for digits, 1 and 2 for letters, 3 for what is left.
func signKind(c byte) int {
	switch {
	case isDigit(c):
		return 0
	case 'a' <= c && c <= 'z':
		return 1
	case 'A' <= c && c <= 'Z':
		return 2
	}
	return 3
}

var fakeWords = [...]string{
	"example", "sample", "dummy", "placeholder", "changeme", "change-me", "change_me", "changeit", "your", "xxxx", "fake", "insert",
	"replace", "redacted", "todo", "notreal", "not-real", "not_a_real", "foobar", "lorem", "deadbeef", "cafebabe", "qwerty", "letmein",
	"000000", "111111",
}

// toyWords are in values that people make up for a word such as password.
var toyWords = [...]string{
	"test-", "test_", "-test", "_test", "testing", "mock", "invalid", "mypass", "secretkey", "password", "passw0rd",
}

// valueOf returns what comes after the name in a secret of the form name: value.
func valueOf(secret string) string {
	if i := strings.LastIndex(secret, ": "); i >= 0 {
		return secret[i+2:]
	}
	return secret
}

// inOrder reports whether the letters and digits of v mostly follow each other
// as in 0123456789abcdef or A1b2C3d4.
func inOrder(v string) bool {
	var last [3]byte
	steps, small := 0, 0
	for i := range len(v) {
		c := v[i]
		kind, first, n := 0, byte('0'), 10
		switch {
		case '0' <= c && c <= '9':
		case 'a' <= c && c <= 'z':
			kind, first, n = 1, 'a', 26
		case 'A' <= c && c <= 'Z':
			kind, first, n = 2, 'A', 26
		default:
			continue
		}
		if p := last[kind]; p != 0 {
			steps++
			if d := (int(c-first) - int(p-first) + n) % n; d <= 1 || d == n-1 && kind == 0 {
				small++
			}
		}
		last[kind] = c
	}
	return steps >= 6 && 4*small >= 3*steps
}

// looks is what can be seen of a value without knowing what it is for.
type looks struct {
	lower, upper, digits, others int
	groups                       int // runs of digits
	longest                      int // run of letters and digits
	mixed                        int // longest such run that has both, and is not a word with a number at its end
}

func look(v string) looks {
	var l looks
	run, runDigits, runGroups, runLetters := 0, 0, 0, 0
	lettersAfter := false
	flush := func() {
		l.longest = max(l.longest, run)
		if runDigits > 0 && runLetters > 0 && (runGroups > 1 || lettersAfter) {
			l.mixed = max(l.mixed, run)
		}
		run, runDigits, runGroups, runLetters, lettersAfter = 0, 0, 0, 0, false
	}
	for i := range len(v) {
		c := v[i]
		switch {
		case '0' <= c && c <= '9':
			l.digits++
			if runDigits == 0 || !isDigit(v[i-1]) {
				l.groups++
				runGroups++
			}
			runDigits++
			run++
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			if c >= 'a' {
				l.lower++
			} else {
				l.upper++
			}
			run++
			runLetters++
			lettersAfter = lettersAfter || runDigits > 0
		default:
			l.others++
			flush()
		}
	}
	flush()
	return l
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// plausible reports whether a value next to a vendor's name can be a secret: it
// looks random, and stands on the name's own line or in its element.
func (s *scan) plausible(start, from, to int) bool {
	v := s.text[from:to]
	if i := strings.IndexByte(s.text[start:from], '\n'); i > 0 && s.text[start+i-1] != '>' && !strings.HasPrefix(s.text[start:], "curl") {
		return false
	}
	l := look(v)
	if jumbled(v) {
		return true
	}
	if l.digits == 0 || l.lower+l.upper == 0 || l.longest < 6 && l.others > 2 || entropy(v) < 2.7 {
		return false // a word, or an id of digits
	}
	return l.groups > 1 || l.upper > 1 && l.lower > 1 || isDigit(v[0]) && l.longest >= 12
}

// jumbled reports whether capitals stand in a word as in no name: in three or
// more runs.
func jumbled(v string) bool {
	runs, run := 0, 0
	for i := 0; i <= len(v); i++ {
		if i < len(v) && 'A' <= v[i] && v[i] <= 'Z' {
			run++
			continue
		}
		if run > 1 && i < len(v) && 'a' <= v[i] && v[i] <= 'z' {
			runs++
		}
		run = 0
	}
	return runs >= 3 && len(v) >= 12
}
