package pii

import (
	"slices"
	"strings"
)

// narrow writes full-width digits, letters and the signs between them, as Chinese,
// Japanese and Korean texts have them, as those of ASCII. It returns where in the
// new text those stand: each was two bytes longer. A text without full-width
// digits, letters or @ is returned as it is.
func narrow(text string) (folded string, at []int) {
	some := false
	for k := 0; ; {
		n := strings.Index(text[k:], "\xef\xbc")
		if n < 0 {
			break
		}
		k += n
		if c := wide(text[k:]); digit(c) || letter(c) || c == '@' {
			some = true
			break
		}
		k += 2
	}
	if !some {
		return text, nil
	}
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if c := wide(text[i:]); c != 0 {
			at = append(at, len(b))
			b = append(b, c)
			i += 2
			continue
		}
		b = append(b, text[i])
	}
	return string(b), at
}

// wide returns what the full-width character that text starts with is in ASCII, 0
// if it starts with none, or with one that parts words rather.
func wide(text string) byte {
	if len(text) < 3 || text[0] != 0xef && text[0] != 0xe3 || text[2]-0x80 >= 0x40 {
		return 0
	}
	var c byte
	switch text[:2] {
	case "\xef\xbc":
		c = text[2] - 0x80 + ' '
	case "\xef\xbd":
		c = text[2] - 0x80 + '`'
	case "\xe3\x80":
		if text[2] == 0x80 { // the blank between such characters
			return ' '
		}
		return 0
	default:
		return 0
	}
	if alnum(c) || c == '@' || c == '-' || c == '+' || c == '.' || c == '_' {
		return c
	}
	return 0
}

// widen turns an offset in a narrowed text into one in the text that it was.
func widen(offset int, at []int) int {
	before, _ := slices.BinarySearch(at, offset)
	return offset + 2*before
}
