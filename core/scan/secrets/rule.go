package secrets

import (
	"regexp"
	"sync/atomic"
)

// rule is one line of the generated table.
type rule struct {
	id      string
	class   class
	by      by
	digit   bool // the secret holds a digit
	group   uint8
	expr    uint16 // number in exprs, 0 = none
	path    uint16 // the files it is for, 0 = all
	before  int16  // how far before a keyword a match may begin; -1 = anywhere in the text
	after   int16  // how far behind a keyword's start a match may end; -1 = no bound
	entropy float64
	leads   []lead // ways to begin at a keyword; nil = not known
	allow   []allow
}

// class says how sure a rule is, surest first.
type class uint8

const (
	classShape   class = iota + 1 // the value's own form tells
	classContext                  // a vendor's name stands near it
	classGeneric                  // a word such as password stands near it
)

// by says what matches. The zero value is the rule's expression.
type by uint8

const (
	byExpr by = iota
	byPem
	bySk
	byURL
	byGeneric
)

// lead is what a match begins with, at the place of its keyword.
type lead struct {
	text string
	word bool      // no letter, digit or _ stands before it
	run  uint16    // so many bytes of set follow
	set  [2]uint64 // a bit for each ASCII byte
}

// at reports whether a match can begin at text[i:].
func (l *lead) at(text string, i int) bool {
	end := i + len(l.text)
	if len(text) < end+int(l.run) || text[i:end] != l.text || l.word && i > 0 && isWord(text[i-1]) {
		return false
	}
	for j := end; j < end+int(l.run); j++ {
		if c := text[j]; c >= 0x80 || l.set[c>>6]&(1<<(c&63)) == 0 {
			return false
		}
	}
	return true
}

// allow is one allowlist: what it names is no secret.
type allow struct {
	and    bool   // everything that it names must hold, not one of it
	in     target // where expr is looked for
	expr   uint16
	paths  uint16
	words  []string // in the secret, in lower case
	common bool     // so are commonWords
}

type target uint8

const (
	inSecret target = iota + 1
	inMatch
	inLine
)

// compiled holds each expression once it was wanted. Two goroutines may compile
// the same one: they get the same.
var compiled [len(exprs)]atomic.Pointer[regexp.Regexp]

func expr(n uint16) *regexp.Regexp {
	if re := compiled[n].Load(); re != nil {
		return re
	}
	re := regexp.MustCompile(exprs[n])
	compiled[n].Store(re)
	return re
}
