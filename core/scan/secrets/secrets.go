// Package secrets finds credentials in a text: values that a vendor made
// recognisable, private keys, passwords in addresses and connection strings,
// and values that look random next to a word such as password.
//
// Its rules are gitleaks' public default rules and a few of ours (see
// tools/genrules). A keyword automaton, laid out by the compiler, looks at
// every byte once; a regular expression is compiled only when one of its
// keywords is in the text, and then run only around the places where it is.
//
// It is pure: no files, no clock, no environment. It must import nothing but the
// standard library.
package secrets

//go:generate go run ../../../tools/genrules -own ../../../tools/genrules/own.toml -out rules_gen.go

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// MaxText is how many bytes of a text are looked at. Whoever has more to scan
// cuts it, and says so.
const MaxText = 4 << 20

// MaxFindings is how many findings Scan returns at most, the first ones.
const MaxFindings = 50

// Options say where a text belongs.
type Options struct {
	// Path is the file that holds it, with either kind of slash; some rules are
	// for one kind of file only, and a rule that goes by a word near a value
	// spares lock files and the like. "" = unknown.
	Path string
}

// Finding is one secret.
type Finding struct {
	Rule        string // gitleaks' id, or one of ours in its manner
	Start, End  int    // the secret itself: text[Start:End]
	Line        int    // on which it starts, from 1
	Certain     bool   // its own shape tells, not a word near it
	Doubtful    bool   // a word in it says that it is none: placeholder-Q7v…
	Sample      string // for people: the first characters and the length
	Fingerprint string // 16 hexadecimal digits, the same for the same secret under the same rule
}

// Scan returns the secrets in text, ordered by Start, no two overlapping. The
// result depends on its arguments alone. The cost grows with the length of text,
// of which the first MaxText bytes are looked at. The error is ctx's own; what was
// found before it is returned with it.
func Scan(ctx context.Context, text string, o Options) ([]Finding, error) {
	if len(text) > MaxText {
		text = text[:MaxText]
	}
	s := &scan{ctx: ctx, text: text, path: strings.ReplaceAll(o.Path, `\`, "/")}
	err := s.run()
	return s.findings(), err
}

// Rules returns the id of every rule, sorted.
func Rules() []string {
	ids := make([]string, 0, len(rules))
	for i := range rules {
		ids = append(ids, rules[i].id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// findings sorts what was found, and of two that overlap keeps the surer one.
func (s *scan) findings() []Finding {
	slices.SortFunc(s.found, func(a, b candidate) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.rule - b.rule
	})
	// A vendor's published example is none for a rule that goes by a word either.
	s.found = slices.DeleteFunc(s.found, func(c candidate) bool {
		return slices.ContainsFunc(s.known, func(k candidate) bool {
			return c.start < k.end && k.start < c.end && rules[k.rule].class < rules[c.rule].class
		})
	})
	var kept []candidate
	for _, c := range s.found {
		if n := len(kept); n > 0 && c.start < kept[n-1].end {
			if !c.better(kept[n-1]) {
				continue
			}
			kept = kept[:n-1]
			// What c displaced may have hidden nothing else: candidates are few.
		}
		if len(kept) == MaxFindings {
			break
		}
		kept = append(kept, c)
	}
	var out []Finding
	line, at := 1, 0
	for _, c := range kept {
		line += strings.Count(s.text[at:c.start], "\n")
		at = c.start
		secret := s.text[c.start:c.end]
		r := &rules[c.rule]
		out = append(out, Finding{
			Rule: r.id, Start: c.start, End: c.end, Line: line, Certain: r.class == classShape,
			Doubtful: r.class != classShape && excuses(secret),
			Sample:   Redact(secret), Fingerprint: fingerprint(r.id, secret),
		})
	}
	return out
}

// better reports whether c says more about the same place than d.
func (c candidate) better(d candidate) bool {
	if a, b := rules[c.rule].class, rules[d.rule].class; a != b {
		return a < b
	}
	return c.end-c.start > d.end-d.start
}

// Redact shows a secret so that its owner knows which one is meant: its first
// four characters and its length, and nothing of one of up to six.
func Redact(secret string) string {
	n := 0
	head := len(secret)
	for i := range secret {
		if n == 4 {
			head = i
		}
		n++
	}
	if n <= 6 {
		return "***"
	}
	shown := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '`' || r == 0xfffd {
			return '?'
		}
		return r
	}, secret[:head])
	return fmt.Sprintf("%s… (%d characters)", shown, n)
}

func fingerprint(rule, secret string) string {
	h := sha256.New()
	h.Write([]byte(rule))
	h.Write([]byte{0})
	h.Write([]byte(secret))
	return hex.EncodeToString(h.Sum(nil)[:8])
}
