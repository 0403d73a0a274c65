package pii

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// email takes the address whose at sign, of n bytes, is at i.
func (s *scanner) email(i, n int) {
	const local = "!#$%&'*+/=?^_{|}~.-"
	if n > 1 { // written out: john.doe[at]host[dot]org
		for i > s.end && s.text[i-1] == ' ' && n > 1 && i+n < len(s.text) && s.text[i+n] == ' ' {
			i, n = i-1, n+2
		}
	}
	from := i
	for from > s.end && i-from < 64 {
		if c := s.text[from-1]; !alnum(c) && (n > 1 && strings.IndexByte("._-+", c) < 0 || n == 1 && strings.IndexByte("._-+%'&", c) < 0) {
			break
		}
		from--
	}
	for from < i && !alnum(s.text[from]) {
		from++
	}
	if from == i || !alnum(s.text[i-1]) && s.text[i-1] != '_' && s.text[i-1] != '-' || strings.Contains(s.text[from:i], "..") {
		return
	}
	// user:password@host and user@host in an address, and what hangs on a path.
	if c := s.byteAt(from - 1); c == '/' || c == '@' || c == ':' && s.inURL(from) || strings.IndexByte(local, c) >= 0 && c != '\'' && c != '=' && c != '{' && c != '|' && c != '*' && c != '_' && c != '?' && c != '&' {
		return
	}
	host := i + n
	e, label, labels := host, host, 0
	for k := host; ; k++ {
		c := s.byteAt(k)
		if alnum(c) || c == '-' && k > label {
			continue
		}
		if n := s.foreign(k); n > 0 {
			k += n - 1
			continue
		}
		if k == label || k-label > 63 || s.text[k-1] == '-' {
			break
		}
		labels++
		e = k
		if c == '.' && alnum(s.byteAt(k+1)) {
			label = k + 1
			continue
		}
		if d := bracketed(s.text[k:], "dot"); d > 0 && alnum(s.byteAt(k+d)) {
			label = k + d
			k = label - 1
			continue
		}
		break
	}
	if labels < 2 || e-host > 253 {
		return
	}
	tld := s.text[label:e]
	if !topLevel(tld) || s.byteAt(e) == '_' || s.byteAt(e) == '(' || s.byteAt(e) == '@' {
		return
	}
	if s.byteAt(e) == ':' && (s.text[from:i] == "git" || s.text[from:i] == "hg" || s.byteAt(e+1) != 0 && (word(s.byteAt(e+1)) || s.byteAt(e+1) == '/' || s.byteAt(e+1) == '~')) {
		return // git@host:path, user@host:file
	}
	switch s.text[host:e] {
	case "openssh.com", "libssh.org", "lysator.liu.se":
		return // names of SSH's extensions
	}
	if s.byteAt(e) == '/' && s.text[from:i] == "git" {
		return
	}
	s.take(from, Email, e)
}

// foreign returns how many bytes from i on are letters of a domain's name that are
// not ASCII. A text in such letters may follow an address without a blank; a name
// goes on with a dot.
func (s *scanner) foreign(i int) int {
	e := i
	for e < len(s.text) && s.text[e] >= utf8.RuneSelf && e-i < 63 {
		r, n := utf8.DecodeRuneInString(s.text[e:])
		if !unicode.IsLetter(r) {
			return 0
		}
		e += n
	}
	k := e
	for alnum(s.byteAt(k)) || s.byteAt(k) == '-' || s.byteAt(k) >= utf8.RuneSelf {
		k++
	}
	if e == i || s.byteAt(k) != '.' || !letter(s.byteAt(k+1)) {
		return 0
	}
	return e - i
}

// inURL reports whether the word that holds from-1 has :// in it.
func (s *scanner) inURL(from int) bool {
	lo := from
	for lo > 0 && from-lo < 200 && s.text[lo-1] > ' ' && s.text[lo-1] != '"' && s.text[lo-1] != '\'' {
		lo--
	}
	return strings.Contains(s.text[lo:from], "://")
}

// topLevel reports whether a name may be a top-level domain: letters, or an
// encoded name, and not the ending of a file.
func topLevel(tld string) bool {
	if len(tld) > 4 && strings.EqualFold(tld[:4], "xn--") {
		return true
	}
	if len(tld) < 2 || len(tld) > 24 {
		return false
	}
	for i := range len(tld) {
		if !letter(tld[i]) {
			return false
		}
	}
	switch strings.ToLower(tld) {
	case "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "js", "jsx", "ts", "tsx", "mjs", "cjs", "css", "scss", "html", "htm",
		"json", "yaml", "yml", "toml", "xml", "txt", "go", "java", "kt", "rb", "php", "cs", "cpp", "hpp", "tgz", "tar", "gz", "jar",
		"whl", "exe", "dll", "dylib", "service", "timer", "socket", "target", "conf", "cfg", "ini", "log", "lock", "mod", "sum", "map",
		"local", "localdomain", "internal", "lan":
		return false
	}
	return true
}

// bracketed returns the length of [w] or (w) at the start of text, in any case,
// or 0.
func bracketed(text, w string) int {
	n := len(w) + 2
	if len(text) < n || !(text[0] == '[' && text[n-1] == ']' || text[0] == '(' && text[n-1] == ')') || !strings.EqualFold(text[1:n-1], w) {
		return 0
	}
	return n
}

// ibanLength returns how many characters an IBAN of a country has, 0 if there are
// none (SWIFT's IBAN registry).
func ibanLength(country string) int {
	switch country {
	case "NO":
		return 15
	case "BE":
		return 16
	case "DK", "FI", "FO", "GL", "NL", "FK", "SD":
		return 18
	case "MK", "SI":
		return 19
	case "AT", "BA", "EE", "KZ", "LT", "LU", "XK", "MN":
		return 20
	case "CH", "HR", "LI", "LV":
		return 21
	case "BG", "BH", "CR", "DE", "GB", "GE", "IE", "ME", "RS", "VA":
		return 22
	case "AE", "GI", "IL", "IQ", "TL", "OM", "SO":
		return 23
	case "AD", "CZ", "ES", "MD", "PK", "RO", "SA", "SE", "SK", "TN", "VG":
		return 24
	case "LY", "PT", "ST":
		return 25
	case "IS", "TR":
		return 26
	case "FR", "GR", "IT", "MC", "MR", "SM", "BI", "DJ":
		return 27
	case "AL", "AZ", "BY", "CY", "DO", "GT", "HU", "LB", "NI", "PL", "SV":
		return 28
	case "BR", "EG", "PS", "QA", "UA":
		return 29
	case "JO", "KW", "MU", "YE":
		return 30
	case "MT", "SC":
		return 31
	case "LC":
		return 32
	case "RU":
		return 33
	}
	return 0
}

// longestIBAN is more bytes than any has, written in groups.
const longestIBAN = 80

// iban returns where an IBAN that starts at i ends, or 0: capitals and digits in
// one piece or in groups of four, of the country's length, with the right
// remainder.
func (s *scanner) iban(i int) int {
	t := s.text[i:]
	if len(t) < 15 || !letter(t[0]) || !letter(t[1]) || !digit(t[2]) || !digit(t[3]) {
		return 0
	}
	if !upper(t[0]) || !upper(t[1]) {
		// In small letters a hash looks like one: it must be called one.
		if ibanLength(strings.ToUpper(t[:2])) == 0 || !hasWord(strings.ToLower(s.text[max(0, i-24):i]), "iban") {
			return 0
		}
		t = strings.ToUpper(t[:min(len(t), longestIBAN)])
	}
	want := ibanLength(t[:2])
	if want == 0 || s.byteAt(i-1) == '-' || s.byteAt(i-1) == '/' || s.byteAt(i-1) == '+' {
		return 0
	}
	_, width := s.gap(i + 4)
	spaced := width > 0
	var code [34]byte
	n, e, parted := 0, 0, false
	for ; n < want; e++ {
		if e == len(t) {
			return 0
		}
		if spaced && n > 0 && n%4 == 0 && !parted {
			if t[e:min(len(t), e+width)] != s.text[i+4:i+4+width] {
				return 0
			}
			parted = true
			e += width - 1
			continue
		}
		c := t[e]
		if !digit(c) && !upper(c) {
			return 0
		}
		parted = false
		code[n] = c
		n++
	}
	if c := s.byteAt(i + e); word(c) || c == '+' || c == '/' || c == '=' || c == '-' && word(s.byteAt(i+e+1)) {
		return 0
	}
	rest := 0
	for k := range n {
		c := code[(k+4)%n]
		if digit(c) {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	if rest != 1 {
		return 0
	}
	return i + e
}

// fiscalCode returns where an Italian fiscal code that starts at i ends, or 0:
// sixteen characters, all capitals or all small, a possible birthday and the right
// check character, or if that is wrong then at least capitals and plain digits. In a
// code that two persons would share, digits become letters.
func (s *scanner) fiscalCode(i int) (end int, sure bool) {
	if i+16 > len(s.text) || word(s.byteAt(i+16)) {
		return 0, false
	}
	t := s.text[i : i+16]
	up := strings.ToUpper(t)
	if t != up && t != strings.ToLower(t) {
		return 0, false
	}
	sum := 0
	var value [16]int
	for k := range 16 {
		c := up[k]
		switch k {
		case 6, 7, 9, 10, 12, 13, 14:
			if value[k] = omocode(c); value[k] < 0 {
				return 0, false
			}
		default:
			if !upper(c) {
				return 0, false
			}
		}
		if k < 15 {
			sum += checkValue(c, k%2 == 0)
		}
	}
	day := value[9]*10 + value[10]
	if strings.IndexByte("ABCDEHLMPRST", up[8]) < 0 || !(day >= 1 && day <= 31 || day >= 41 && day <= 71) {
		return 0, false
	}
	if byte('A'+sum%26) == up[15] {
		return i + 16, true
	}
	// A slip of the pen, or made up: it still has the shape of nothing else.
	if t != up || !plainDigits(up) {
		return 0, false
	}
	return i + 16, false
}

// plainDigits reports whether all seven digits of a code are written as digits.
func plainDigits(code string) bool {
	for _, k := range [...]int{6, 7, 9, 10, 12, 13, 14} {
		if !digit(code[k]) {
			return false
		}
	}
	return true
}

// omocode returns the digit that c stands for, -1 if for none.
func omocode(c byte) int {
	if digit(c) {
		return int(c - '0')
	}
	return strings.IndexByte("LMNPQRSTUV", c)
}

// checkValue is what a character adds to the sum; odd places count otherwise.
func checkValue(c byte, odd bool) int {
	k := int(c - 'A')
	if digit(c) {
		k = int(c - '0')
	}
	if !odd {
		return k
	}
	return int([...]byte{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}[k])
}
