package approval

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// kind is a JSON value's type. The zero value is a member that is not there.
type kind int

const (
	missing kind = iota
	null
	boolean
	number // text holds it as written
	text
	array
	object
)

// value is a parsed JSON value.
type value struct {
	kind  kind
	text  string
	keys  []string // of an object, beside items
	items []value
}

// get returns an object's member, a missing value if there is none.
func (v *value) get(key string) *value {
	if v.kind == object {
		for i, k := range v.keys {
			if k == key {
				return &v.items[i]
			}
		}
	}
	return &value{}
}

// members says why v is not an object with exactly these members.
func (v *value) members(want ...string) string {
	if v.kind != object {
		return "not an object"
	}
	for _, w := range want {
		if v.get(w).kind == missing {
			return fmt.Sprintf("%s is missing", w)
		}
	}
	if len(v.keys) > len(want) {
		for _, k := range v.keys {
			known := false
			for _, w := range want {
				known = known || k == w
			}
			if !known {
				return fmt.Sprintf("unknown member %q", k)
			}
		}
	}
	return ""
}

// maxDepth is far deeper than any file that we know.
const maxDepth = 32

// parse reads exactly one JSON document. It is stricter than encoding/json: no
// byte order mark, no bytes that are not UTF-8, no half of a surrogate pair, no
// two members of one object whose names differ in case at most, nothing after
// the document. Two readers of what it accepts cannot disagree.
func parse(b []byte) (*value, error) {
	switch {
	case len(bytes.TrimSpace(b)) == 0:
		return nil, errors.New("the file is empty")
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return nil, errors.New("the file starts with a byte order mark")
	case !utf8.Valid(b):
		return nil, errors.New("the file is not UTF-8")
	}
	p := parser{b: b}
	p.space()
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.i < len(p.b) {
		return nil, p.errorf("something follows the document")
	}
	return &v, nil
}

type parser struct {
	b []byte
	i int
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("byte %d: "+format, append([]any{p.i}, args...)...)
}

func (p *parser) space() {
	for p.i < len(p.b) && strings.IndexByte(" \t\n\r", p.b[p.i]) >= 0 {
		p.i++
	}
}

// next consumes c after white space.
func (p *parser) next(c byte) bool {
	p.space()
	if p.i < len(p.b) && p.b[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *parser) value(depth int) (value, error) {
	if depth > maxDepth {
		return value{}, p.errorf("nested too deeply")
	}
	if p.space(); p.i == len(p.b) {
		return value{}, p.errorf("the document ends too early")
	}
	switch c := p.b[p.i]; {
	case c == '{':
		p.i++
		return p.object(depth)
	case c == '[':
		p.i++
		return p.array(depth)
	case c == '"':
		s, err := p.string()
		return value{kind: text, text: s}, err
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	}
	for _, w := range [...]value{{kind: null, text: "null"}, {kind: boolean, text: "true"}, {kind: boolean, text: "false"}} {
		if bytes.HasPrefix(p.b[p.i:], []byte(w.text)) {
			p.i += len(w.text)
			return w, nil
		}
	}
	return value{}, p.errorf("not JSON")
}

func (p *parser) object(depth int) (value, error) {
	v := value{kind: object}
	if p.next('}') {
		return v, nil
	}
	seen := make(map[string]bool)
	for {
		if p.space(); p.i == len(p.b) || p.b[p.i] != '"' {
			return v, p.errorf("want a member's name")
		}
		key, err := p.string()
		if err != nil {
			return v, err
		}
		for i := range len(key) {
			if key[i] >= utf8.RuneSelf {
				return v, p.errorf("member name %q is not ASCII", key)
			}
		}
		fold := strings.ToLower(key)
		if seen[fold] {
			return v, p.errorf("member %q is there twice", key)
		}
		seen[fold] = true
		if !p.next(':') {
			return v, p.errorf("want a colon")
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.keys, v.items = append(v.keys, key), append(v.items, item)
		if p.next('}') {
			return v, nil
		}
		if !p.next(',') {
			return v, p.errorf("want a comma or the object's end")
		}
	}
}

func (p *parser) array(depth int) (value, error) {
	v := value{kind: array}
	if p.next(']') {
		return v, nil
	}
	for {
		item, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
		if p.next(']') {
			return v, nil
		}
		if !p.next(',') {
			return v, p.errorf("want a comma or the array's end")
		}
	}
}

func (p *parser) number() (value, error) {
	from := p.i
	digits := func() bool {
		at := p.i
		for p.i < len(p.b) && '0' <= p.b[p.i] && p.b[p.i] <= '9' {
			p.i++
		}
		return p.i > at
	}
	is := func(set string) bool {
		if p.i < len(p.b) && strings.IndexByte(set, p.b[p.i]) >= 0 {
			p.i++
			return true
		}
		return false
	}
	is("-")
	if !is("0") && !digits() {
		return value{}, p.errorf("a number without digits")
	}
	if is(".") && !digits() {
		return value{}, p.errorf("a number without digits after its point")
	}
	if is("eE") {
		is("+-")
		if !digits() {
			return value{}, p.errorf("a number without an exponent's digits")
		}
	}
	return value{kind: number, text: string(p.b[from:p.i])}, nil
}

// string reads the string that starts at the cursor.
func (p *parser) string() (string, error) {
	var b strings.Builder
	for p.i++; p.i < len(p.b); p.i++ {
		switch c := p.b[p.i]; {
		case c == '"':
			p.i++
			return b.String(), nil
		case c < ' ':
			return "", p.errorf("a control character in a text")
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
		default:
			b.WriteByte(c)
		}
	}
	return "", p.errorf("a text without an end")
}

// escape reads the escape at the cursor and leaves the cursor on its last byte.
func (p *parser) escape() (rune, error) {
	if p.i++; p.i == len(p.b) {
		return 0, p.errorf("an escape without an end")
	}
	switch c := p.b[p.i]; c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
	default:
		return 0, p.errorf("unknown escape %q", c)
	}
	r, err := p.unit()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if bytes.HasPrefix(p.b[p.i+1:], []byte(`\u`)) {
		p.i += 2
		low, err := p.unit()
		if err != nil {
			return 0, err
		}
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			return r, nil
		}
	}
	return 0, p.errorf("half of a surrogate pair")
}

// unit reads the four digits after the u at the cursor.
func (p *parser) unit() (rune, error) {
	var r rune
	for range 4 {
		if p.i++; p.i >= len(p.b) {
			return 0, p.errorf("an escape without an end")
		}
		switch c := p.b[p.i]; {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, p.errorf("no hexadecimal digit")
		}
	}
	return r, nil
}
