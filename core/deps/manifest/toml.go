package manifest

import (
	"strings"
	"unicode/utf8"
)

// readTOML reads text as TOML 1.0 as far as dependencies need it: tables,
// arrays of tables, dotted keys, the four kinds of strings, arrays, inline
// tables. Numbers, dates and booleans stay as written. A line that cannot be
// read is passed over; whole is false then.
func readTOML(text string) (root *node, whole bool) {
	p := &tomlReader{text: text, whole: true}
	root = &node{kind: object}
	table := root
	for {
		p.blank(true)
		if p.pos >= len(p.text) {
			return root, p.whole
		}
		if p.peek() == '[' {
			p.pos++
			many := p.peek() == '['
			if many {
				p.pos++
			}
			keys := p.keys()
			closed := p.take("]") && (!many || p.take("]"))
			if !closed || len(keys) == 0 {
				p.skip()
				table = &node{kind: object} // its keys belong to nobody
				continue
			}
			if table = root.table(keys, many); table == nil {
				p.whole = false
				table = &node{kind: object}
			}
			p.endOfLine()
			continue
		}
		if !p.pair(table, 0) {
			p.skip()
			continue
		}
		p.endOfLine()
	}
}

type tomlReader struct {
	text  string
	pos   int
	whole bool
}

func (p *tomlReader) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// take moves over s, after blanks.
func (p *tomlReader) take(s string) bool {
	p.blank(false)
	if strings.HasPrefix(p.text[p.pos:], s) {
		p.pos += len(s)
		return true
	}
	return false
}

// blank moves over blanks, and over line ends and comments if lines.
func (p *tomlReader) blank(lines bool) {
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == ' ' || c == '\t' || c == '\r':
			p.pos++
		case lines && c == '\n':
			p.pos++
		case lines && c == '#':
			p.line()
		default:
			return
		}
	}
}

// line moves to the end of the line.
func (p *tomlReader) line() {
	if i := strings.IndexByte(p.text[p.pos:], '\n'); i >= 0 {
		p.pos += i
	} else {
		p.pos = len(p.text)
	}
}

// skip gives the line up.
func (p *tomlReader) skip() {
	p.whole = false
	p.line()
}

func (p *tomlReader) endOfLine() {
	p.blank(false)
	switch p.peek() {
	case '#':
		p.line()
	case '\n', 0:
		if p.pos < len(p.text) && p.text[p.pos] == 0 {
			p.skip()
		}
	default:
		p.skip()
	}
}

// keys reads a dotted key.
func (p *tomlReader) keys() []string {
	var keys []string
	for {
		p.blank(false)
		switch c := p.peek(); {
		case c == '"' || c == '\'':
			s, ok := p.quoted()
			if !ok {
				return nil
			}
			keys = append(keys, s)
		default:
			from := p.pos
			for p.pos < len(p.text) && bareKey(p.text[p.pos]) {
				p.pos++
			}
			if from == p.pos {
				return nil
			}
			keys = append(keys, p.text[from:p.pos])
		}
		if p.blank(false); p.peek() != '.' {
			return keys
		}
		p.pos++
		if len(keys) > maxNesting {
			return nil
		}
	}
}

func bareKey(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// pair reads key = value into table.
func (p *tomlReader) pair(table *node, deep int) bool {
	keys := p.keys()
	if len(keys) == 0 || !p.take("=") {
		return false
	}
	p.blank(false)
	value, ok := p.value(deep + 1)
	if value != nil {
		if t := table.table(keys[:len(keys)-1], false); t != nil {
			t.members = append(t.members, member{keys[len(keys)-1], value})
		}
	}
	return ok
}

// table is the table under keys, made if it is missing; nil if something else
// stands there. many adds a table to the array under keys.
func (n *node) table(keys []string, many bool) *node {
	for i, k := range keys {
		last := i == len(keys)-1
		next := n.get(k)
		switch {
		case next == nil && last && many:
			next = &node{kind: array}
			n.members = append(n.members, member{k, next})
		case next == nil:
			next = &node{kind: object}
			n.members = append(n.members, member{k, next})
		}
		if next.kind == array && last && many {
			next.items = append(next.items, &node{kind: object})
		}
		if next.kind == array {
			if len(next.items) == 0 {
				return nil
			}
			next = next.items[len(next.items)-1]
		}
		if next.kind != object {
			return nil
		}
		n = next
	}
	return n
}

// value reads a value. Of an array or inline table that does not end, what was
// read is returned with false.
func (p *tomlReader) value(deep int) (*node, bool) {
	if deep > maxNesting {
		return nil, false
	}
	switch c := p.peek(); c {
	case '"', '\'':
		s, ok := p.quoted()
		if !ok {
			return nil, false
		}
		return &node{kind: str, text: s}, true
	case '[':
		p.pos++
		n := &node{kind: array}
		for {
			p.blank(true)
			if p.peek() == ']' {
				p.pos++
				return n, true
			}
			item, ok := p.value(deep + 1)
			if item != nil {
				n.items = append(n.items, item)
			}
			if !ok {
				return n, false
			}
			p.blank(true)
			switch p.peek() {
			case ',':
				p.pos++
			case ']':
			default:
				return n, false
			}
		}
	case '{':
		p.pos++
		n := &node{kind: object}
		for {
			p.blank(true)
			if p.peek() == '}' {
				p.pos++
				return n, true
			}
			if !p.pair(n, deep+1) {
				return n, false
			}
			p.blank(true)
			switch p.peek() {
			case ',':
				p.pos++
			case '}':
			default:
				return n, false
			}
		}
	case 0, '\n', ',', ']', '}', '#':
		return nil, false
	}
	from := p.pos
	for p.pos < len(p.text) && strings.IndexByte(",]}#\n", p.text[p.pos]) < 0 {
		p.pos++
	}
	return &node{kind: scalar, text: strings.TrimSpace(p.text[from:p.pos])}, true
}

// quoted reads a string of any kind.
func (p *tomlReader) quoted() (string, bool) {
	q := p.text[p.pos : p.pos+1]
	if strings.HasPrefix(p.text[p.pos:], q+q+q) {
		p.pos += 3
		from := p.pos
		for p.pos < len(p.text) {
			if q == `"` && p.text[p.pos] == '\\' {
				p.pos += 2
				continue
			}
			if strings.HasPrefix(p.text[p.pos:], q+q+q) {
				end := p.pos
				for p.pos += 3; p.peek() == q[0] && p.pos-end < 5; p.pos++ {
					end++
				}
				body := strings.TrimPrefix(p.text[from:min(end, len(p.text))], "\n")
				if q == `"` {
					body = unescapeTOML(body)
				}
				return body, true
			}
			p.pos++
		}
		p.pos = len(p.text)
		return "", false
	}
	p.pos++
	from := p.pos
	for p.pos < len(p.text) && p.text[p.pos] != '\n' {
		switch c := p.text[p.pos]; {
		case c == '\\' && q == `"`:
			p.pos++
		case c == q[0]:
			body := p.text[from:p.pos]
			p.pos++
			if q == `"` {
				body = unescapeTOML(body)
			}
			return body, true
		}
		p.pos++
	}
	p.pos = min(p.pos, len(p.text))
	return "", false
}

func unescapeTOML(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b', 'f', 'e':
		case 'u', 'U':
			n := 4
			if c == 'U' {
				n = 8
			}
			r, k := rune(0), 0
			for k < n && i+1+k < len(s) {
				d := strings.IndexByte("0123456789abcdef", s[i+1+k]|0x20)
				if d < 0 {
					break
				}
				r = r<<4 | rune(d) // #nosec G115 -- below 16
				k++
			}
			i += k
			if !utf8.ValidRune(r) {
				r = utf8.RuneError
			}
			b.WriteRune(r)
		case '\n', ' ', '\t':
			for i+1 < len(s) && (s[i+1] == ' ' || s[i+1] == '\t' || s[i+1] == '\n') {
				i++
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
