package main

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// infinite is the length of what has no bound.
const infinite = 1 << 30

// A place says where a keyword can lie inside a match, in bytes: at most before
// after the match's start, and the match ends at most after behind the
// keyword's first byte.
type place struct{ before, after int }

// locate reports where in every match of re one of the keywords lies, and
// whether every match must have one. Letters are compared without case.
func locate(re *syntax.Regexp, keywords []string) (place, bool) {
	switch re.Op {
	case syntax.OpCapture:
		return locate(re.Sub[0], keywords)
	case syntax.OpAlternate:
		var all place
		for _, sub := range re.Sub {
			p, ok := locate(sub, keywords)
			if !ok {
				return place{}, false
			}
			all.before, all.after = max(all.before, p.before), max(all.after, p.after)
		}
		return all, true
	case syntax.OpPlus, syntax.OpRepeat:
		if re.Op == syntax.OpRepeat && re.Min < 1 {
			return place{}, false
		}
		p, ok := locate(re.Sub[0], keywords)
		if ok && (re.Op == syntax.OpPlus || re.Max != 1) {
			p.after = sum(p.after, longest(re))
		}
		return p, ok
	case syntax.OpLiteral:
		return inWords(words(re), keywords)
	case syntax.OpConcat:
		return locateInRun(re.Sub, keywords)
	default:
		return place{}, false
	}
}

// locateInRun looks for the neighbours whose few spellings all hold a keyword,
// else for one part that does.
func locateInRun(parts []*syntax.Regexp, keywords []string) (place, bool) {
	best, found := place{before: infinite + 1}, false
	for i, part := range parts {
		for part.Op == syntax.OpCapture {
			part = part.Sub[0]
		}
		// The parser takes what alternatives begin with out of them: put it back.
		if part.Op != syntax.OpAlternate || i == 0 || words(parts[i-1]) == nil || words(part) != nil {
			continue
		}
		var all place
		ok := true
		for _, sub := range part.Sub {
			one := slices.Concat(parts[:i], flatten(sub), parts[i+1:])
			p, in := locateInRun(one, keywords)
			ok = ok && in
			all.before, all.after = max(all.before, p.before), max(all.after, p.after)
		}
		if ok {
			best, found = all, true
		}
	}
	for i := range parts {
		spelled := []string{""}
		for j := i; j < len(parts); j++ {
			if spelled = cross(spelled, words(parts[j])); spelled == nil {
				break
			}
			p, ok := inWords(spelled, keywords)
			if !ok {
				continue
			}
			p.before = sum(p.before, longestOf(parts[:i]))
			p.after = sum(p.after, longestOf(parts[j+1:]))
			if p.before < best.before {
				best, found = p, true
			}
			break
		}
		if p, ok := locate(parts[i], keywords); ok {
			p.before = sum(p.before, longestOf(parts[:i]))
			p.after = sum(p.after, longestOf(parts[i+1:]))
			if p.before < best.before {
				best, found = p, true
			}
		}
	}
	return best, found
}

func inWords(spelled, keywords []string) (place, bool) {
	if len(spelled) == 0 {
		return place{}, false
	}
	var p place
	for _, w := range spelled {
		at := -1
		for _, k := range keywords {
			if i := strings.Index(w, k); i >= 0 && (at < 0 || i < at) {
				at = i
			}
		}
		if at < 0 {
			return place{}, false
		}
		// A letter without case may be up to three bytes long.
		p.before, p.after = max(p.before, 3*at), max(p.after, 3*(len(w)-at))
	}
	return p, true
}

const maxWords = 512

// words returns all spellings of re in lower case, nil if they are many.
func words(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}
	case syntax.OpCapture:
		return words(re.Sub[0])
	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}
	case syntax.OpAnyCharNotNL:
		return []string{"."} // a dot that somebody forgot to escape
	case syntax.OpCharClass:
		var list []string
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i+1]-re.Rune[i] > 64 {
				return nil
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if r < utf8.RuneSelf { // the others fold to ASCII letters that are there too
					list = append(list, string(unicode.ToLower(r)))
				}
			}
		}
		if len(list) > 64 {
			return nil
		}
		return list
	case syntax.OpConcat:
		list := []string{""}
		for _, sub := range re.Sub {
			if list = cross(list, words(sub)); list == nil {
				return nil
			}
		}
		return list
	case syntax.OpAlternate:
		var list []string
		for _, sub := range re.Sub {
			w := words(sub)
			if w == nil || len(list)+len(w) > maxWords {
				return nil
			}
			list = append(list, w...)
		}
		return list
	case syntax.OpQuest:
		w := words(re.Sub[0])
		if w == nil {
			return nil
		}
		return append([]string{""}, w...)
	default:
		return nil
	}
}

func cross(a, b []string) []string {
	if a == nil || b == nil || len(a)*len(b) > maxWords {
		return nil
	}
	list := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			list = append(list, x+y)
		}
	}
	return list
}

// longest returns the length in bytes of re's longest match.
func longest(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		n := 0
		for _, r := range re.Rune {
			n += runeLen(r)
			if re.Flags&syntax.FoldCase != 0 && (r|0x20 == 'k' || r|0x20 == 's') {
				n += 2 // the Kelvin sign, the long s
			}
		}
		return n
	case syntax.OpCharClass:
		n := 0
		for _, r := range re.Rune {
			n = max(n, runeLen(r))
		}
		return n
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax
	case syntax.OpCapture, syntax.OpQuest:
		return longest(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus:
		return infinite
	case syntax.OpRepeat:
		if re.Max < 0 {
			return infinite
		}
		return times(re.Max, longest(re.Sub[0]))
	case syntax.OpConcat:
		return longestOf(re.Sub)
	case syntax.OpAlternate:
		n := 0
		for _, sub := range re.Sub {
			n = max(n, longest(sub))
		}
		return n
	default:
		return 0
	}
}

func longestOf(parts []*syntax.Regexp) int {
	n := 0
	for _, p := range parts {
		n = sum(n, longest(p))
	}
	return n
}

func runeLen(r rune) int { return max(1, utf8.RuneLen(r)) }

func sum(a, b int) int { return min(infinite, a+b) }

func times(n, length int) int {
	if length >= infinite {
		return infinite
	}
	return min(infinite, n*length)
}

// A lead is what a match must begin with, cheap to compare before a regexp is
// asked.
type lead struct {
	word bool      // no letter, digit or _ stands before it
	text string    // exactly this, the keyword included
	run  int       // then so many bytes of class
	set  [2]uint64 // the class, a bit for each ASCII byte
}

// maxLeads is how many ways to begin are worth comparing.
const maxLeads = 16

// leadsOf returns the ways in which a match of re can begin, nil if they are
// many or not known.
func leadsOf(re *syntax.Regexp) []lead {
	var out []lead
	var walk func(l lead, parts []*syntax.Regexp) bool
	walk = func(l lead, parts []*syntax.Regexp) bool {
		for len(parts) > 0 {
			p := parts[0]
			for p.Op == syntax.OpCapture {
				p = p.Sub[0]
			}
			rest := parts[1:]
			switch {
			case p.Op == syntax.OpConcat:
				parts = slices.Concat(p.Sub, rest)
				continue
			case p.Op == syntax.OpWordBoundary && l.text == "":
				l.word = true
				parts = rest
				continue
			case p.Op == syntax.OpEmptyMatch:
				parts = rest
				continue
			case p.Op == syntax.OpLiteral && p.Flags&syntax.FoldCase == 0:
				l.text += string(p.Rune)
				parts = rest
				continue
			case p.Op == syntax.OpQuest && l.text != "":
				return walk(l, rest) && walk(l, slices.Concat(p.Sub, rest))
			case p.Op == syntax.OpAlternate:
				for _, sub := range p.Sub {
					if !walk(l, slices.Concat([]*syntax.Regexp{sub}, rest)) {
						return false
					}
				}
				return true
			case p.Op == syntax.OpCharClass && fewRunes(p) && len(rest) > 0:
				for i := 0; i < len(p.Rune); i += 2 {
					for r := p.Rune[i]; r <= p.Rune[i+1]; r++ {
						more := l
						more.text += string(r)
						if !walk(more, rest) {
							return false
						}
					}
				}
				return true
			}
			break
		}
		if l.text == "" || len(out) == maxLeads {
			return false
		}
		if !isWord(l.text[0]) {
			l.word = false
		}
		l.run, l.set = runOf(parts)
		out = append(out, l)
		return true
	}
	if !walk(lead{}, []*syntax.Regexp{re}) {
		return nil
	}
	return out
}

func fewRunes(re *syntax.Regexp) bool {
	n := rune(0)
	for i := 0; i < len(re.Rune); i += 2 {
		if n += re.Rune[i+1] - re.Rune[i] + 1; n > 4 || re.Rune[i+1] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// runOf returns how many bytes of which class parts begin with.
func runOf(parts []*syntax.Regexp) (run int, set [2]uint64) {
	if len(parts) == 0 {
		return 0, set
	}
	next, n := parts[0], 1
	for next.Op == syntax.OpCapture {
		next = next.Sub[0]
	}
	if next.Op == syntax.OpPlus {
		next = next.Sub[0]
	} else if next.Op == syntax.OpRepeat && next.Min > 0 {
		next, n = next.Sub[0], next.Min
	}
	if next.Op != syntax.OpCharClass {
		return 0, set
	}
	for i := 0; i < len(next.Rune); i += 2 {
		for r := next.Rune[i]; r <= next.Rune[i+1]; r++ {
			if r < utf8.RuneSelf {
				set[r>>6] |= 1 << (r & 63)
			} else if r != 0x17f && r != 0x212a {
				// A class with more than ASCII is left to the expression, but for
				// the two letters that fold to ASCII ones: no key has them.
				return 0, [2]uint64{}
			}
		}
	}
	return n, set
}

// flatten returns the parts of re in order, captures and concatenations undone.
func flatten(re *syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpCapture:
		return flatten(re.Sub[0])
	case syntax.OpConcat:
		var list []*syntax.Regexp
		for _, sub := range re.Sub {
			list = append(list, flatten(sub)...)
		}
		return list
	default:
		return []*syntax.Regexp{re}
	}
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
