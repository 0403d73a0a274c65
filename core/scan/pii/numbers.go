package pii

import (
	"math/bits"
	"strings"
)

// starts reports whether a number may start at i: not inside a word, a decimal,
// a path, a dashed identifier or a longer row of numbers.
func (s *scanner) starts(i int) bool {
	if i == s.end && i > 0 && s.found != nil {
		return true
	}
	switch c := s.byteAt(i - 1); {
	case word(c):
		return false
	case c == '.' || c == '-' || c == '/' || c == ':' || c == ',' || c == '+':
		// Attached to something before it; a sign or a label's colon is not.
		p := s.byteAt(i - 2)
		return c == ':' && !digit(p) || c == ',' && !digit(p) || c == '.' && p == '.'
	case c == ' ' && i-1 > s.end:
		return !digit(s.byteAt(i-2)) || s.byteAt(i-3) == '.' || !s.inRow(i-2)
	case c == '#':
		return letter(s.byteAt(i - 2)) // CC#4111, not order #4111
	case c == '%' || c == '@' || c == '$':
		return false
	}
	return true
}

// inRow reports whether the digits that end at i are a number of their own, not
// the end of a word.
func (s *scanner) inRow(i int) bool {
	for i >= 0 && digit(s.text[i]) {
		i--
	}
	return i < 0 || !letter(s.text[i])
}

// ends reports whether a number may end before e.
func (s *scanner) ends(e int) bool {
	c, after := s.byteAt(e), s.byteAt(e+1)
	switch {
	case word(c):
		return false
	case c == '.' || c == ':':
		return !digit(after)
	case c == '-' || c == '/' || c == '@':
		return !word(after)
	case c == '%':
		return false
	}
	return true
}

// card returns where a payment card number that starts at i ends, or 0.
func (s *scanner) card(i int) int {
	if c := s.text[i]; c < '2' || c > '6' {
		return 0
	}
	if !s.starts(i) {
		return 0
	}
	var number [19]byte
	n, group, e := 0, 0, i
	var sep byte
	grouped := false
	for ; e < len(s.text); e++ {
		c := s.text[e]
		if digit(c) {
			if n == len(number) {
				return 0
			}
			number[n] = c - '0'
			n++
			group++
			continue
		}
		c, width := s.gap(e)
		if s.text[e] == '.' && group == 4 {
			c, width = '.', 1
		}
		if width == 0 || !digit(s.byteAt(e+width)) || (sep != 0 && c != sep) || group >= 13 {
			break
		}
		if group < 4 || group > 6 {
			return 0
		}
		sep, group, grouped = c, 0, true
		e += width - 1
	}
	if n < 13 || !s.ends(e) || grouped && group < 2 {
		return 0
	}
	if !issued(number[:n]) || !luhn(number[:n]) {
		return 0
	}
	if !grouped {
		// Thirteen and nineteen digits in a row are far more often an identifier.
		if n != 14 && n != 15 && n != 16 && !s.cardContext(i, e) {
			return 0
		}
		if (s.labelled(i) || constant(number[:n]) || s.machine(i)) && !s.cardContext(i, e) {
			return 0
		}
	}
	return e
}

// gap returns what parts groups of digits at i, a blank or a dash, and how many
// bytes it has in the text: typesetters have several of each.
func (s *scanner) gap(i int) (sep byte, width int) {
	switch c := s.byteAt(i); {
	case c == ' ' || c == '-':
		return c, 1
	case c == 0xc2 && s.byteAt(i+1) == 0xa0:
		return ' ', 2
	case c == 0xe2 && s.byteAt(i+1) == 0x80:
		switch c := s.byteAt(i + 2); {
		case c >= 0x80 && c <= 0x8a, c == 0xaf:
			return ' ', 3
		case c >= 0x90 && c <= 0x95:
			return '-', 3
		}
	case c == 0xe2 && s.byteAt(i+1) == 0x88 && s.byteAt(i+2) == 0x92: // minus
		return '-', 3
	}
	return 0, 0
}

func (s *scanner) cardContext(i, e int) bool {
	return s.near(i, e, 40, "card", "credit", "debit", "visa", "mastercard", "amex", "pan", "cvv", "cvc", "creditcard", "cardnumber", "card_number")
}

// labelled reports whether the word before i calls the number an identifier or a
// time: id, orderId, ts, timestamp, hash.
func (s *scanner) labelled(i int) bool {
	from := max(0, i-24)
	before := strings.TrimRight(s.text[from:i], " \t\"'=:#(`")
	for _, w := range [...]string{"id", "Id", "ID", "ids", "timestamp", "time", "ts", "hash", "seed", "offset", "nonce", "serial", "sequence", "seq", "build", "size", "uid", "int64", "uint64", "float64", "bits"} {
		if strings.HasSuffix(before, w) {
			p := byte(0)
			if k := len(before) - len(w) - 1; k >= 0 {
				p = before[k]
			}
			return w == "Id" || w == "ID" || !letter(p)
		}
	}
	return false
}

// constant reports whether a number is a power of two, or so near to one that it
// is a limit of arithmetic.
func constant(digits []byte) bool {
	v := uint64(0)
	for _, d := range digits {
		v = v*10 + uint64(d)
	}
	const about = 1 << 10
	return bits.Len64(v-about) != bits.Len64(v+about)
}

// machine reports whether the line before i speaks of numbers to the base 16, as
// listings do.
func (s *scanner) machine(i int) bool {
	before := s.text[max(0, i-120):i]
	return strings.Contains(before[strings.LastIndexByte(before, '\n')+1:], "0x")
}

// issued reports whether an issuer hands out numbers that start so, of that length.
func issued(n []byte) bool {
	six := 0
	for _, d := range n[:6] {
		six = six*10 + int(d)
	}
	four, three, two := six/100, six/1000, six/10000
	long := len(n) >= 16
	switch {
	case n[0] == 4:
		return len(n) == 13 || len(n) == 16 || len(n) == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720:
		return len(n) == 16
	case two == 34 || two == 37:
		return len(n) == 15
	case three >= 300 && three <= 305, four == 3095, two == 36, two == 38, two == 39:
		return len(n) == 14
	case four >= 3528 && four <= 3589:
		return long
	case four == 6011, three >= 644 && three <= 649, two == 65, two == 62:
		return long
	case two == 60, four == 6521, two == 81, two == 82: // RuPay
		return len(n) == 16
	case four >= 2200 && four <= 2204: // Mir
		return long
	}
	switch four { // Maestro
	case 5018, 5020, 5038, 5612, 5893, 6304, 6759, 6761, 6762, 6763:
		return true
	}
	return false
}

func luhn(n []byte) bool {
	sum := 0
	for k := range n {
		d := int(n[len(n)-1-k])
		if k%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// ssn returns where a US social security number that starts at i ends, or 0:
// 3-2-4 digits with one kind of separator, or nine digits that are called one.
func (s *scanner) ssn(i int) int {
	n := s.digits(i)
	if n == 9 {
		if !s.starts(i) || !s.ends(i+9) || !assigned(s.text[i:i+3], s.text[i+3:i+5], s.text[i+5:i+9]) ||
			!s.near(i, i+9, 40, "ssn", "social security", "social-security", "ssns", "socialsecurity", "social_security") {
			return 0
		}
		return i + 9
	}
	if n != 3 {
		return 0
	}
	sep, width := s.gap(i + 3)
	if s.byteAt(i+3) == '.' {
		sep, width = '.', 1
	}
	group := i + 3 + width
	if width == 0 || s.digits(group) != 2 || s.text[i+3:group] != s.text[group+2:min(len(s.text), group+2+width)] {
		return 0
	}
	serial := group + 2 + width
	e := serial + 4
	if s.digits(serial) != 4 || !s.starts(i) || !s.ends(e) || !assigned(s.text[i:i+3], s.text[group:group+2], s.text[serial:e]) {
		return 0
	}
	if sep == ' ' && (s.byteAt(e) == ' ' || s.byteAt(e) == '\t') && digit(s.byteAt(e+1)) {
		return 0 // a row of a table
	}
	return e
}

// assigned reports whether such a number may have been handed out.
func assigned(area, group, serial string) bool {
	return area != "000" && area != "666" && area[0] != '9' && group != "00" && serial != "0000" &&
		area+group+serial != "078051120" // printed on wallets
}

// digits counts the digits from i on, up to 20.
func (s *scanner) digits(i int) int {
	n := 0
	for n < 20 && digit(s.byteAt(i+n)) {
		n++
	}
	return n
}

// ipv4 returns where an IPv4 address that starts at i ends, or 0.
func (s *scanner) ipv4(i int) int {
	if c := s.byteAt(i - 1); word(c) || c == '.' || c == '-' {
		return 0
	}
	e := i
	for part := range 4 {
		if part > 0 {
			if s.byteAt(e) != '.' {
				return 0
			}
			e++
		}
		n := s.digits(e)
		if n == 0 || n > 3 || n > 1 && s.text[e] == '0' {
			return 0
		}
		v := 0
		for _, c := range []byte(s.text[e : e+n]) {
			v = v*10 + int(c-'0')
		}
		if v > 255 {
			return 0
		}
		e += n
	}
	if c := s.byteAt(e); word(c) || c == '.' && digit(s.byteAt(e+1)) || c == '-' {
		return 0
	}
	return e
}

// phone returns where a phone number that starts at i, with +, ( or a digit,
// ends, or 0. A word before it must say that it is one.
func (s *scanner) phone(i int) int {
	c := s.text[i]
	if c == '+' {
		if !digit(s.byteAt(i+1)) || s.byteAt(i+1) == '0' || word(s.byteAt(i-1)) {
			return 0
		}
	} else if c == '(' {
		if !digit(s.byteAt(i+1)) || word(s.byteAt(i-1)) {
			return 0
		}
	} else if !s.starts(i) {
		return 0
	}
	n, seps, e, open := 0, 0, i, false
	for k := i; k < len(s.text) && k < i+24; k++ {
		switch c := s.text[k]; {
		case digit(c):
			n++
			e = k + 1
			continue
		case c == '+' && k == i:
			continue
		case c == '(' && !open && (k == i || s.text[k-1] == ' ' || s.text[k-1] == '-' || digit(s.text[k-1])):
			open = true
			seps++
			continue
		case c == ')' && open && digit(s.text[k-1]):
			open = false
			continue
		case (c == ' ' || c == '-' || c == '.') && (digit(s.byteAt(k+1)) || s.byteAt(k+1) == '('):
			seps++
			continue
		}
		break
	}
	if n < 8 || n > 15 || open || e < len(s.text) && word(s.text[e]) && s.text[e] != 'x' || s.byteAt(e) == '.' && digit(s.byteAt(e+1)) {
		return 0
	}
	if c != '+' && (seps == 0 && n != 10 && n != 11 || n > 12 || seps > 0 && looksLikeDate(s.text[i:e])) {
		return 0
	}
	if c == '(' && northAmerican(s.text[i:e]) {
		return e
	}
	if s.ipv4(i) > 0 {
		return 0
	}
	before := strings.ToLower(s.text[max(0, i-48):i])
	if k := strings.LastIndexByte(strings.TrimRight(before, "\n "), '\n'); k >= 0 {
		before = before[k:]
	}
	for _, w := range [...]string{"phone", "telephone", "tel", "mobile", "cell", "cellphone", "call", "call me", "whatsapp", "fax", "sms", "phone_number", "phonenumber", "phone number", "cell number", "telefono", "cellulare", "telefon", "handy", "text me", "reach me", "hotline"} {
		if hasWord(before, w) {
			return e
		}
	}
	for _, w := range [...]string{"телефон", "тел.", "моб", "电话", "電話", "手机", "手機", "携帯", "전화", "휴대", "τηλ", "هاتف", "טלפון", "फ़ोन", "โทร", "điện thoại"} {
		if strings.Contains(before, w) {
			return e
		}
	}
	if c != '+' && (seps == 0 || n < 10) {
		return 0
	}
	for _, w := range [...]string{"number", "number is", "one is", "contact"} {
		if hasWord(before, w) {
			return e
		}
	}
	return 0
}

// northAmerican reports whether a number is written as (415) 555-0132: that shape
// is nothing else.
func northAmerican(text string) bool {
	area, rest, ok := strings.Cut(text, ")")
	rest = strings.TrimPrefix(rest, " ")
	return ok && len(area) == 4 && area[1] >= '2' && len(rest) == 8 && rest[0] >= '2' && rest[3] == '-'
}

// looksLikeDate: 2026-11-30 or 30.11.2026 with or without a time after it.
func looksLikeDate(text string) bool {
	if len(text) < 10 {
		return false
	}
	year := func(y string) bool { return y[:2] == "19" || y[:2] == "20" }
	sep := func(c byte) bool { return c == '-' || c == '.' || c == ' ' }
	return year(text) && sep(text[4]) && sep(text[7]) || sep(text[2]) && sep(text[5]) && year(text[6:])
}
