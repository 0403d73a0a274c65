package hook

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Object writes one JSON object in ASCII, member by member and in their order:
// an adapter's answer. Keys are taken as they are.
type Object struct {
	b     []byte
	first bool
}

// NewObject starts an object behind what b holds.
func NewObject(b []byte) *Object { return &Object{b: append(b, '{'), first: true} }

// Line ends the object and returns it with a newline.
func (o *Object) Line() []byte { return append(o.b, '}', '\n') }

func (o *Object) key(name string) {
	if !o.first {
		o.b = append(o.b, ',')
	}
	o.first = false
	o.b = append(o.b, '"')
	o.b = append(append(o.b, name...), '"', ':')
}

// Text adds a string. Bytes that are not UTF-8 become U+FFFD.
func (o *Object) Text(key, value string) {
	o.key(key)
	o.b = append(o.b, '"')
	from := 0
	for i := 0; i < len(value); {
		c := value[i]
		if ' ' <= c && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		o.b = append(o.b, value[from:i]...)
		r, n := utf8.DecodeRuneInString(value[i:])
		o.b = appendEscaped(o.b, r)
		i += n
		from = i
	}
	o.b = append(o.b, value[from:]...)
	o.b = append(o.b, '"')
}

// Raw adds a value that is JSON already.
func (o *Object) Raw(key string, value []byte) {
	o.key(key)
	o.b = append(o.b, value...)
}

// Open starts an object in the object, up to Close.
func (o *Object) Open(key string) {
	o.key(key)
	o.b = append(o.b, '{')
	o.first = true
}

// Close ends what Open started.
func (o *Object) Close() {
	o.b = append(o.b, '}')
	o.first = false
}

func appendEscaped(b []byte, r rune) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(b, '\\', byte(r))
	case r == '\n':
		return append(b, '\\', 'n')
	case r == '\t':
		return append(b, '\\', 't')
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return appendUnit(appendUnit(b, uint16(high)), uint16(low))
	}
	return appendUnit(b, uint16(r))
}

func appendUnit(b []byte, u uint16) []byte {
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[u>>12], digits[u>>8&15], digits[u>>4&15], digits[u&15])
}

// AppendASCII appends a valid JSON value on one line and in ASCII: white space
// between its parts is dropped, and what is not ASCII, which only a string can
// hold, is escaped.
func AppendASCII(b, value []byte) []byte {
	value, err := FirstValue(value)
	if err != nil {
		return nil
	}
	inString := false
	for i := 0; i < len(value); {
		c := value[i]
		switch {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(value[i:])
			b = appendEscaped(b, r)
			i += n
			continue
		case inString && c == '\\':
			b = append(b, c, value[i+1])
			i += 2
			continue
		case c == '"':
			inString = !inString
		case !inString && (c == ' ' || c == '\n' || c == '\r' || c == '\t'):
			i++
			continue
		}
		b = append(b, c)
		i++
	}
	return b
}
