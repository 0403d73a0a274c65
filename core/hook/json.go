package hook

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrTruncated is wrapped by FirstValue, and by an adapter's Decode, when the
// payload ends in the middle of its value.
var ErrTruncated = errors.New("payload ends in the middle of a JSON value")

// ErrEmpty is the error of a payload without any value.
var ErrEmpty = errors.New("payload is empty")

// maxDepth is encoding/json's own limit on nesting.
const maxDepth = 10000

// FirstValue returns the first JSON value in payload as UTF-8, checked against
// the grammar, without a byte order mark, surrounding white space or whatever
// follows it. Bytes that are not UTF-8 are kept: Text replaces them.
//
// A value that is cut short is closed where it ends, so that what arrived can
// be read, and the error wraps ErrTruncated. Any other error comes with nil.
// It takes time in proportion to the payload and copies it only to close it or
// to convert it from UTF-16.
func FirstValue(payload []byte) (json.RawMessage, error) {
	b := toUTF8(payload)
	i := skipSpace(b, 0)
	if i == len(b) {
		return nil, ErrEmpty
	}
	b = b[i:]
	end, err := validValue(b, 0, 0)
	switch {
	case err == nil:
		return b[:end:end], nil
	case errors.Is(err, ErrTruncated):
		return closeCut(b), err
	default:
		return nil, err
	}
}

// toUTF8 drops a byte order mark and converts UTF-16, with or without one.
func toUTF8(b []byte) []byte {
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		return b[3:]
	}
	if len(b) < 2 {
		return b
	}
	var order binary.ByteOrder
	switch {
	case b[0] == 0xff && b[1] == 0xfe:
		order, b = binary.LittleEndian, b[2:]
	case b[0] == 0xfe && b[1] == 0xff:
		order, b = binary.BigEndian, b[2:]
	case b[0] == '{' && b[1] == 0:
		order = binary.LittleEndian
	case b[0] == 0 && b[1] == '{':
		order = binary.BigEndian
	default:
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i+1 < len(b); i += 2 {
		r := rune(order.Uint16(b[i:]))
		if utf16.IsSurrogate(r) {
			low := rune(utf8.RuneError)
			if i+3 < len(b) {
				low = rune(order.Uint16(b[i+2:]))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i += 2
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

func syntaxError(b []byte, i int, want string) error {
	if i >= len(b) {
		return fmt.Errorf("byte %d: want %s: %w", len(b), want, ErrTruncated)
	}
	return fmt.Errorf("byte %d: want %s, got %q", i, want, b[i])
}

// validValue checks the value that starts at b[i] and returns where it ends.
func validValue(b []byte, i, depth int) (int, error) {
	if i >= len(b) {
		return i, syntaxError(b, i, "a value")
	}
	switch c := b[i]; {
	case c == '"':
		return validString(b, i)
	case c == '{' || c == '[':
		if depth == maxDepth {
			return i, fmt.Errorf("byte %d: more than %d levels deep", i, maxDepth)
		}
		return validContainer(b, i, depth+1)
	case c == 't':
		return validWord(b, i, "true")
	case c == 'f':
		return validWord(b, i, "false")
	case c == 'n':
		return validWord(b, i, "null")
	case c == '-' || '0' <= c && c <= '9':
		return validNumber(b, i)
	}
	return i, syntaxError(b, i, "a value")
}

func validContainer(b []byte, i, depth int) (int, error) {
	object := b[i] == '{'
	last := byte(']')
	if object {
		last = '}'
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == last {
		return i + 1, nil
	}
	var err error
	for {
		if object {
			if i >= len(b) || b[i] != '"' {
				return i, syntaxError(b, i, "a key")
			}
			if i, err = validString(b, i); err != nil {
				return i, err
			}
			if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
				return i, syntaxError(b, i, "a colon")
			}
			i = skipSpace(b, i+1)
		}
		if i, err = validValue(b, i, depth); err != nil {
			return i, err
		}
		i = skipSpace(b, i)
		if i >= len(b) || b[i] != ',' && b[i] != last {
			return i, syntaxError(b, i, "a comma or the end of the "+map[bool]string{true: "object", false: "array"}[object])
		}
		if b[i] == last {
			return i + 1, nil
		}
		i = skipSpace(b, i+1)
	}
}

func validString(b []byte, i int) (int, error) {
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1, nil
		case c < ' ':
			return i, syntaxError(b, i, "no control character in a string")
		case c == '\\':
			i++
			if i == len(b) {
				break
			}
			switch b[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					if i++; i < len(b) && hexDigit(b[i]) < 0 {
						return i, syntaxError(b, i, "a hexadecimal digit")
					}
				}
			default:
				return i, syntaxError(b, i, "an escape")
			}
		}
	}
	return i, syntaxError(b, len(b), "the end of a string")
}

func validWord(b []byte, i int, word string) (int, error) {
	for n := range len(word) {
		if i+n >= len(b) || b[i+n] != word[n] {
			return i, syntaxError(b, i+n, word)
		}
	}
	return i + len(word), nil
}

func validNumber(b []byte, i int) (int, error) {
	digits := func() bool {
		from := i
		for i < len(b) && '0' <= b[i] && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return i, syntaxError(b, i, "a digit")
	}
	if i < len(b) && b[i] == '.' {
		if i++; !digits() {
			return i, syntaxError(b, i, "a digit")
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return i, syntaxError(b, i, "a digit")
		}
	}
	return i, nil
}

func hexDigit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// closeCut closes a value that is valid as far as it goes: a string value that
// is cut keeps what arrived of it, a cut key, number or word is dropped.
func closeCut(b []byte) json.RawMessage {
	var open []byte // the closers that are due
	safe := 0       // b[:safe] followed by the closers is a value
	key := false    // the next string is a key
	var tail string
scan:
	for i := 0; i < len(b); {
		switch c := b[i]; c {
		case '{', '[':
			open = append(open, c+2) // '}' and ']' follow their openers by two
			key = c == '{'
			i++
			safe = i
		case '}', ']':
			open = open[:len(open)-1]
			i++
			safe = i
		case ',':
			key = open[len(open)-1] == '}'
			i++
		case ':':
			key = false
			i++
		case '"':
			end, whole := stringEnd(b, i)
			if !whole && !key {
				safe, tail = end, `"`
			}
			if !whole {
				break scan
			}
			if i = end; !key {
				safe = end
			}
		case ' ', '\n', '\r', '\t':
			i++
		default:
			for i < len(b) && !strings.ContainsRune(",]} \n\r\t", rune(b[i])) {
				i++
			}
			if i == len(b) {
				break scan
			}
			safe = i
		}
	}
	if safe == 0 {
		return nil
	}
	out := make([]byte, 0, safe+len(tail)+len(open))
	out = append(append(out, b[:safe]...), tail...)
	for _, closer := range slices.Backward(open) {
		out = append(out, closer)
	}
	return out
}

// stringEnd returns where the string that starts at b[i] ends, or, if it is cut,
// where its last whole escape or byte ends.
func stringEnd(b []byte, i int) (end int, whole bool) {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1, true
		case '\\':
			n := 1
			if i+1 < len(b) && b[i+1] == 'u' {
				n = 5
			}
			if i+n >= len(b) {
				return i, false
			}
			i += n
		}
	}
	return len(b), false
}

// skipValue returns where the value that starts at b[i] ends. It reads brackets
// and strings only and is exact on a valid value; on another it ends somewhere
// in b.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return i
	}
	switch b[i] {
	case '"':
		end, _ := stringEnd(b, i)
		return end
	case '{', '[':
		for depth := 0; i < len(b); {
			switch b[i] {
			case '"':
				i, _ = stringEnd(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return i
	}
	for i < len(b) {
		switch b[i] {
		case ',', ']', '}', ' ', '\n', '\r', '\t':
			return i
		}
		i++
	}
	return i
}

// Members ranges over the members of a JSON object in order, keys unquoted,
// values as received and shared with object. It yields nothing for another
// kind of value and stops where the bytes are not JSON. Both slices are the
// caller's to read, not to keep changing.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		b, i := object, skipSpace(object, 0)
		if i >= len(b) || b[i] != '{' {
			return
		}
		for i = skipSpace(b, i+1); i < len(b) && b[i] == '"'; {
			end, whole := stringEnd(b, i)
			if !whole {
				return
			}
			key := b[i+1 : end-1]
			if bytes.IndexByte(key, '\\') >= 0 {
				key = []byte(unquote(key))
			}
			if i = skipSpace(b, end); i >= len(b) || b[i] != ':' {
				return
			}
			i = skipSpace(b, i+1)
			end = skipValue(b, i)
			if end == i || !yield(key, b[i:end:end]) {
				return
			}
			if i = skipSpace(b, end); i >= len(b) || b[i] != ',' {
				return
			}
			i = skipSpace(b, i+1)
		}
	}
}

// Elements ranges over the elements of a JSON array, as Members does over an
// object.
func Elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		b, i := array, skipSpace(array, 0)
		if i >= len(b) || b[i] != '[' {
			return
		}
		for i = skipSpace(b, i+1); i < len(b) && b[i] != ']'; {
			end := skipValue(b, i)
			if end == i || !yield(b[i:end:end]) {
				return
			}
			if i = skipSpace(b, end); i >= len(b) || b[i] != ',' {
				return
			}
			i = skipSpace(b, i+1)
		}
	}
}

// Member returns the value of key in a JSON object, the last one if it is there
// twice (as JavaScript reads it), and nil if it is not there.
func Member(object []byte, key string) []byte {
	var found []byte
	for k, v := range Members(object) {
		if string(k) == key {
			found = v
		}
	}
	return found
}

// Text returns the text of a JSON string. Bytes that are not UTF-8 and halves
// of surrogate pairs become U+FFFD.
func Text(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return "", false
	}
	s := value[1 : len(value)-1]
	if bytes.IndexByte(s, '\\') < 0 && utf8.Valid(s) {
		return string(s), true
	}
	return unquote(s), true
}

// unquote resolves the escapes of a string's inside. An escape that JSON does
// not know stands for its letter.
func unquote(s []byte) string {
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		n := bytes.IndexByte(s, '\\')
		if n < 0 {
			n = len(s)
		}
		if plain := s[:n]; utf8.Valid(plain) {
			b.Write(plain)
		} else {
			for len(plain) > 0 {
				r, size := utf8.DecodeRune(plain)
				b.WriteRune(r)
				plain = plain[size:]
			}
		}
		if s = s[n:]; len(s) > 0 {
			s = s[unescape(&b, s):]
		}
	}
	return b.String()
}

// unescape resolves the escape at the start of s and returns its length.
func unescape(b *strings.Builder, s []byte) int {
	if len(s) == 1 {
		b.WriteByte('\\')
		return 1
	}
	c := s[1]
	switch c {
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r, n := hex4(s, 2), min(6, len(s))
		if utf16.IsSurrogate(r) {
			low := rune(-1)
			if len(s) > 7 && s[6] == '\\' && s[7] == 'u' {
				low = hex4(s, 8)
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				n = 12
			}
		}
		b.WriteRune(r)
		return n
	default:
		if c >= utf8.RuneSelf {
			return 1 // the character that follows stands for itself
		}
	}
	b.WriteByte(c)
	return 2
}

// hex4 reads four hexadecimal digits at s[i], -1 if they are not there.
func hex4(s []byte, i int) rune {
	if i+4 > len(s) {
		return -1
	}
	var r rune
	for _, c := range s[i : i+4] {
		d := hexDigit(c)
		if d < 0 {
			return -1
		}
		r = r<<4 | d
	}
	return r
}
