// Package pii finds personal data in a text: payment cards, e-mail addresses,
// US social security numbers, Italian fiscal codes, IBANs, phone numbers and,
// when asked for, IPv4 addresses.
//
// What has a check digit must have the right one; what has none needs its
// customary shape, and a phone number or a bare social security number a word
// near it that says what it is. Identifiers, hashes, timestamps, versions and
// decimals are therefore left alone.
//
// It is pure: no files, no clock, no environment, no regular expressions. It must
// import nothing but the standard library.
package pii

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Kinds of findings.
const (
	CreditCard   = "CREDIT_CARD"
	Email        = "EMAIL"
	USSSN        = "US_SSN"
	ITFiscalCode = "IT_FISCAL_CODE"
	IBAN         = "IBAN_CODE"
	Phone        = "PHONE"
	IPv4         = "IPV4"
)

// MaxText is how many bytes of a text are looked at. Whoever has more to scan
// cuts it, and says so.
const MaxText = 4 << 20

// MaxFindings is how many findings Scan returns at most, the first ones.
const MaxFindings = 50

// Options say what is looked for.
type Options struct {
	IPv4 bool // addresses too; in code and logs they are rarely anybody's
}

// Finding is one piece of personal data.
type Finding struct {
	Kind        string
	Start, End  int    // text[Start:End]
	Line        int    // on which it starts, from 1
	Sample      string // for people: the first two characters and the last
	Unsure      bool   // the shape is right and the check character is not
	Fingerprint string // 16 hexadecimal digits, the same for the same value of the same kind
}

// Scan returns the personal data in text, ordered by Start, no two overlapping.
// The result depends on its arguments alone; of text the first MaxText bytes are
// looked at. Full-width characters count as the others; sample and fingerprint are
// of the value in ASCII. The error is ctx's own; what was found before it is
// returned with it.
func Scan(ctx context.Context, text string, o Options) ([]Finding, error) {
	if len(text) > MaxText {
		text = text[:MaxText]
	}
	text, wides := narrow(text)
	s := scanner{text: text, o: o}
	err := s.run(ctx)
	if len(wides) > 0 {
		for i := range s.found {
			f := &s.found[i]
			f.Start, f.End = widen(f.Start, wides), widen(f.End, wides)
		}
	}
	return s.found, err
}

// Redact shows a value so that its owner knows which one is meant: the first two
// characters and the last, and nothing of a short one.
func Redact(value string) string {
	if len(value) <= 6 {
		return "***"
	}
	shown := value[:2] + "***" + value[len(value)-1:]
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f || r == '`' {
			return '?'
		}
		return r
	}, shown)
}

type scanner struct {
	text  string
	o     Options
	found []Finding
	end   int // of the last finding
	line  int // newlines before at
	at    int
}

// chunk is how many bytes are looked at between two looks at the context.
const chunk = 64 << 10

func (s *scanner) run(ctx context.Context) error {
	next := 0
	for i := 0; i < len(s.text) && len(s.found) < MaxFindings; i++ {
		if i >= next {
			if err := ctx.Err(); err != nil {
				return err
			}
			next = i + chunk
		}
		c := s.text[i]
		switch {
		case digit(c):
			// Later digits of the same run are no start of anything.
			if i > s.end && digit(s.text[i-1]) {
				continue
			}
			i = s.number(i)
		case c == '@':
			s.email(i, 1)
		case c == '[' || c == '(':
			if n := bracketed(s.text[i:], "at"); n > 0 {
				s.email(i, n)
			} else if c == '(' {
				i = s.take(i, Phone, s.phone(i))
			}
		case c == '+':
			i = s.take(i, Phone, s.phone(i))
		case letter(c) && (i == s.end || !word(s.text[i-1])):
			if e := s.iban(i); e > 0 {
				i = s.take(i, IBAN, e)
			} else if e, sure := s.fiscalCode(i); e > 0 {
				i = s.take(i, ITFiscalCode, e)
				s.found[len(s.found)-1].Unsure = !sure
			}
		}
	}
	return nil
}

// number takes what starts with a digit at i.
func (s *scanner) number(i int) int {
	if e := s.card(i); e > 0 {
		return s.take(i, CreditCard, e)
	}
	if e := s.ssn(i); e > 0 {
		return s.take(i, USSSN, e)
	}
	if s.o.IPv4 {
		if e := s.ipv4(i); e > 0 {
			return s.take(i, IPv4, e)
		}
	}
	return s.take(i, Phone, s.phone(i))
}

// take records a finding text[i:e], if e > 0, and returns the last index of it.
func (s *scanner) take(i int, kind string, e int) int {
	if e <= i || i < s.end {
		return i
	}
	s.line += strings.Count(s.text[s.at:i], "\n")
	s.at = i
	value := s.text[i:e]
	h := sha256.New()
	h.Write([]byte(kind))
	h.Write([]byte{0})
	h.Write([]byte(value))
	s.found = append(s.found, Finding{
		Kind: kind, Start: i, End: e, Line: s.line + 1,
		Sample: Redact(value), Fingerprint: hex.EncodeToString(h.Sum(nil)[:8]),
	})
	s.end = e
	return e - 1
}

func digit(c byte) bool  { return c-'0' <= 9 }
func upper(c byte) bool  { return c-'A' <= 25 }
func letter(c byte) bool { return c|0x20-'a' <= 25 }
func alnum(c byte) bool  { return digit(c) || letter(c) }
func word(c byte) bool   { return alnum(c) || c == '_' }

// byteAt returns the byte at i, 0 outside of the text.
func (s *scanner) byteAt(i int) byte {
	if i < 0 || i >= len(s.text) {
		return 0
	}
	return s.text[i]
}

// near reports whether one of words stands, whole and in any case, in the n bytes
// before i or the few after e.
func (s *scanner) near(i, e, n int, words ...string) bool {
	before := strings.ToLower(s.text[max(0, i-n):i])
	after := strings.ToLower(s.text[e:min(len(s.text), e+n/2)])
	for _, w := range words {
		if hasWord(before, w) || hasWord(after, w) {
			return true
		}
	}
	return false
}

func hasWord(text, w string) bool {
	for from := 0; ; {
		k := strings.Index(text[from:], w)
		if k < 0 {
			return false
		}
		a, b := from+k, from+k+len(w)
		if (a == 0 || !alnum(text[a-1])) && (b == len(text) || !alnum(text[b])) {
			return true
		}
		from = a + 1
	}
}
