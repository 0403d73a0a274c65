package version

import (
	"slices"
	"strings"
)

// bound is one comparison that a version must pass.
type bound struct {
	op string // = != < <= > >=
	v  string
}

// Range is a constraint that was understood: alternatives of bounds.
type Range struct {
	scheme Scheme
	any    [][]bound
	pre    bool // a bound names a pre-release, so that they count
}

// plain reports whether s can be a single version.
func plain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case c == '.', c == '-', c == '+', c == '_', c == '!':
		default:
			return false
		}
	}
	if strings.HasSuffix(s, ".x") || strings.HasSuffix(s, ".X") {
		return false
	}
	return s != ""
}

// Lowest reports whether the tool takes the lowest version that fits.
func (s Scheme) Lowest() bool { return s == NuGet || s == Maven }

// ParseRange reads a constraint; ok is false for what it cannot read, such as
// the name of a branch or a tag.
func (s Scheme) ParseRange(constraint string) (r Range, ok bool) {
	r.scheme = s
	c := strings.TrimSpace(constraint)
	var alternatives []string
	switch s {
	case NPM:
		alternatives = strings.Split(c, "||")
	case Composer:
		alternatives = strings.Split(strings.ReplaceAll(c, "||", "|"), "|")
	case Python, Cargo, Gem:
		alternatives = []string{c}
	case NuGet, Maven:
		return s.interval(c)
	default:
		return r, false
	}
	for _, alt := range alternatives {
		bounds, ok := s.bounds(alt)
		if !ok {
			return Range{}, false
		}
		r.any = append(r.any, bounds)
		for _, b := range bounds {
			r.pre = r.pre || b.op != "<" && s.Pre(b.v)
		}
	}
	return r, true
}

// bounds reads comparisons that all hold.
func (s Scheme) bounds(text string) ([]bound, bool) {
	text = strings.TrimSpace(text)
	if from, to, ok := strings.Cut(text, " - "); ok && (s == NPM || s == Composer) {
		low, ok1 := s.term(">=", strings.TrimSpace(from))
		high, ok2 := s.term("<=", strings.TrimSpace(to))
		return append(low, high...), ok1 && ok2
	}
	var out []bound
	for text != "" {
		n := 0
		for n < len(text) && strings.IndexByte("<>=~^!", text[n]) >= 0 {
			n++
		}
		op := text[:n]
		text = strings.TrimLeft(text[n:], " ")
		end := strings.IndexAny(text, ", <>=~^!\t")
		if end < 0 {
			end = len(text)
		}
		terms, ok := s.term(op, text[:end])
		if !ok {
			return nil, false
		}
		out = append(out, terms...)
		text = strings.TrimLeft(text[end:], ", \t")
	}
	return out, true
}

// term turns one operator and version into bounds.
func (s Scheme) term(op, v string) ([]bound, bool) {
	v = strings.TrimPrefix(v, "v")
	wild := v == "" || v == "*" || v == "x" || v == "X" || strings.HasPrefix(v, "*")
	if wild {
		return nil, op != "!="
	}
	parts := strings.Split(strings.SplitN(v, "-", 2)[0], ".")
	n := 0 // numbers before a wildcard
	for n < len(parts) && isNumber(parts[n]) {
		n++
	}
	star := n < len(parts) && (parts[n] == "*" || parts[n] == "x" || parts[n] == "X")
	if !star && !s.parse(v).ok {
		return nil, false
	}
	if n == 0 {
		return nil, false
	}
	if star {
		v = strings.Join(parts[:n], ".")
	}
	up := func(keep int) string { return bump(parts, keep) }
	switch op {
	case "", "=", "==", "===":
		switch {
		case star, s == NPM && n < 3:
			return []bound{{">=", v}, {"<", up(n)}}, true
		case s == Cargo && op == "":
			return s.caret(parts[:n], v), true
		}
		return []bound{{"=", v}}, true
	case "^":
		return s.caret(parts[:n], v), true
	case "~", "~>", "~=":
		keep := max(1, n-1) // all but the last number
		if s == NPM || s == Cargo {
			keep = min(n, 2)
		}
		return []bound{{">=", v}, {"<", up(keep)}}, true
	case ">":
		if s == NPM && n < 3 {
			return []bound{{">=", up(n)}}, true
		}
		return []bound{{">", v}}, true
	case "<=":
		if s == NPM && n < 3 {
			return []bound{{"<", up(n)}}, true
		}
		return []bound{{"<=", v}}, true
	case ">=", "<":
		return []bound{{op, v}}, true
	case "!=":
		if star {
			return nil, true // leaves a hole, which no newest version is likely to fall into
		}
		return []bound{{"!=", v}}, true
	}
	return nil, false
}

// caret keeps the first number that is not 0.
func (s Scheme) caret(parts []string, v string) []bound {
	keep := 1
	for keep < len(parts) && number(parts[keep-1]) == "0" {
		keep++
	}
	return []bound{{">=", v}, {"<", bump(parts, keep)}}
}

// bump adds one to the last of the first keep numbers.
func bump(parts []string, keep int) string {
	out := slices.Clone(parts[:min(keep, len(parts))])
	digits := []byte(number(out[len(out)-1]))
	i := len(digits) - 1
	for i >= 0 && digits[i] == '9' {
		digits[i] = '0'
		i--
	}
	if i < 0 {
		digits = append([]byte{'1'}, digits...)
	} else {
		digits[i]++
	}
	out[len(out)-1] = string(digits)
	return strings.Join(out, ".")
}

// interval reads [1.0,2.0) and the like; a bare version is the lowest.
func (s Scheme) interval(c string) (Range, bool) {
	r := Range{scheme: s}
	if c == "" || c == "*" {
		r.any = [][]bound{nil}
		return r, true
	}
	if plain(c) && s.parse(c).ok {
		r.any, r.pre = [][]bound{{{">=", c}}}, s.Pre(c)
		return r, true
	}
	if len(c) < 3 || c[0] != '[' && c[0] != '(' || c[len(c)-1] != ']' && c[len(c)-1] != ')' {
		return r, false
	}
	from, to, two := strings.Cut(c[1:len(c)-1], ",")
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	var bounds []bound
	if !two {
		bounds = append(bounds, bound{"=", from})
	} else {
		if from != "" {
			bounds = append(bounds, bound{map[byte]string{'[': ">=", '(': ">"}[c[0]], from})
		}
		if to != "" {
			bounds = append(bounds, bound{map[byte]string{']': "<=", ')': "<"}[c[len(c)-1]], to})
		}
	}
	for _, b := range bounds {
		if !plain(b.v) || !s.parse(b.v).ok {
			return r, false
		}
		r.pre = r.pre || s.Pre(b.v)
	}
	r.any = [][]bound{bounds}
	return r, true
}

// Allows reports whether the range lets v in; a pre-release only where a bound
// names one.
func (r Range) Allows(v string) bool {
	if !r.pre && r.scheme.Pre(v) {
		return false
	}
	return r.Spans(v)
}

// Spans is Allows with all pre-releases.
func (r Range) Spans(v string) bool {
	return slices.ContainsFunc(r.any, func(bounds []bound) bool {
		for _, b := range bounds {
			c := r.scheme.Compare(v, b.v)
			if ok := b.op == "=" && c == 0 || b.op == "!=" && c != 0 || b.op == "<" && c < 0 || b.op == "<=" && c <= 0 ||
				b.op == ">" && c > 0 || b.op == ">=" && c >= 0; !ok {
				return false
			}
		}
		return true
	})
}

// Best returns the version of the list that a tool would take for the range:
// the newest that fits, or the lowest where it takes that; "" if none does.
func (r Range) Best(versions []string) string {
	best := ""
	for _, v := range versions {
		if !r.Allows(v) {
			continue
		}
		if c := r.scheme.Compare(v, best); best == "" || c > 0 != r.scheme.Lowest() && c != 0 {
			best = v
		}
	}
	return best
}
