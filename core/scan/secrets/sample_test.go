package secrets

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Secrets of the tests are made or put together at run time, so that no scanner,
// ours included, finds one in these files.

// made returns a random text that an expression matches.
func made(rnd *rand.Rand, expr string) string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	makeInto(&b, rnd, re)
	return b.String()
}

func makeInto(b *strings.Builder, rnd *rand.Rand, re *syntax.Regexp) {
	times := func(least, most int) {
		for range least + rnd.IntN(most-least+1) {
			makeInto(b, rnd, re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(oneOf(rnd, re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('.')
	case syntax.OpCapture:
		makeInto(b, rnd, re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			makeInto(b, rnd, sub)
		}
	case syntax.OpAlternate:
		makeInto(b, rnd, re.Sub[rnd.IntN(len(re.Sub))])
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpStar:
		times(0, 3)
	case syntax.OpPlus:
		times(1, 8)
	case syntax.OpRepeat:
		most := re.Max
		if most < 0 {
			most = re.Min + 8
		}
		if re.Sub[0].Op == syntax.OpAnyChar || re.Sub[0].Op == syntax.OpAnyCharNotNL {
			b.WriteString(word(rnd, re.Min)) // between two parts, or a value
			return
		}
		times(re.Min, most)
	default: // an assertion
	}
}

// oneOf returns a printable ASCII character of a class if it has one.
func oneOf(rnd *rand.Rand, class []rune) rune {
	var set []rune
	for i := 0; i < len(class); i += 2 {
		for r := max(class[i], ' '); r <= min(class[i+1], '~'); r++ {
			set = append(set, r)
		}
	}
	if len(set) == 0 {
		return class[0]
	}
	return set[rnd.IntN(len(set))]
}

// word returns n random letters and digits.
func word(rnd *rand.Rand, n int) string {
	return from(rnd, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", n)
}

func from(rnd *rand.Rand, set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[rnd.IntN(len(set))]
	}
	return string(b)
}

// pemKey returns what looks like a private key of that label.
func pemKey(rnd *rand.Rand, label string) string {
	var b strings.Builder
	b.WriteString("-----BEGIN " + label + "-----\n")
	for range 5 {
		b.WriteString(word(rnd, 64) + "\n")
	}
	b.WriteString("-----END " + label + "-----")
	return b.String()
}

func valid(s string) bool { return utf8.ValidString(s) }
