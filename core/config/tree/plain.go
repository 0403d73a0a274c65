package tree

import (
	"strings"
	"unicode/utf8"
)

const (
	maxDepth = 32  // nesting that is read here
	maxKey   = 512 // bytes of a key
)

// Plain reads a document that is written plainly: block and flow collections,
// scalars, comments. ok is false for whatever else: anchors, aliases, tags,
// directives, complex keys, rare escapes, a second document, and all that is not
// valid YAML. The node is nil for a document without content. data is valid UTF-8.
func Plain(data []byte) (n *Node, ok bool) {
	r := reader{s: string(data)}
	if !r.plainBytes() {
		return nil, false
	}
	r.nextLine(0, 1)
	if r.at(0, "---") {
		if !r.rest(r.pos + 3) {
			return nil, false
		}
		if r.advance(); r.eof {
			return nil, false
		}
	}
	if r.eof {
		return nil, true
	}
	n = r.block(0, 0)
	return n, n != nil && r.eof && !r.bad
}

// reader stands at the first character of a line that says something.
type reader struct {
	s     string
	start int // of the line
	pos   int // its first character that is no blank
	end   int // of the line, without its break
	line  int // from 1
	wide  bool
	began bool // some line said something
	eof   bool
	bad   bool

	slab  []Node
	stack []*Node
	refs  []*Node
}

// plainBytes rules out what is read differently from what it looks like: breaks
// other than a line feed, with or without a carriage return before it.
func (r *reader) plainBytes() bool {
	s := r.s
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c < 0x7f || c == '\n' {
			continue
		}
		switch {
		case c == '\t':
		case c == '\r':
			if i+1 == len(s) || s[i+1] != '\n' {
				return false
			}
		case c < utf8.RuneSelf:
			return false
		default:
			u, n := utf8.DecodeRuneInString(s[i:])
			if u < 0xa0 || u == 0x2028 || u == 0x2029 || u == 0xfeff || u == utf8.RuneError {
				return false
			}
			r.wide = true
			i += n - 1
		}
	}
	return true
}

// advance goes to the next line that says something.
func (r *reader) advance() { r.nextLine(r.after(), r.line+1) }

// after is where the line after the current one starts.
func (r *reader) after() int {
	i := r.end
	if i < len(r.s) && r.s[i] == '\r' {
		i++
	}
	return i + 1
}

// nextLine goes to the first line from start on that says something.
func (r *reader) nextLine(start, line int) {
	for ; start < len(r.s); line++ {
		end := strings.IndexByte(r.s[start:], '\n')
		next := len(r.s)
		if end < 0 {
			end = len(r.s)
		} else {
			end += start
			next = end + 1
			if end > start && r.s[end-1] == '\r' {
				end--
			}
		}
		i := start
		for i < end && r.s[i] == ' ' {
			i++
		}
		if i < end && r.s[i] != '#' {
			r.start, r.pos, r.end, r.line = start, i, end, line
			switch c := r.s[i]; {
			case c == '\t', i == start && c == '%',
				i == start && end-i >= 3 && (r.s[i:i+3] == "---" && r.began || r.s[i:i+3] == "..."):
				r.bad = true
			}
			r.began = true
			return
		}
		start = next
	}
	r.eof = true
}

func (r *reader) indent() int { return r.pos - r.start }

// at reports whether the line is at that indentation and begins with text.
func (r *reader) at(indent int, text string) bool {
	return !r.eof && r.indent() == indent && strings.HasPrefix(r.s[r.pos:r.end], text)
}

// rest reports whether nothing but blanks and a comment stands from i on.
func (r *reader) rest(i int) bool {
	j := i
	for j < r.end && r.s[j] == ' ' {
		j++
	}
	return j == r.end || j > i && r.s[j] == '#'
}

// node makes one at i, which lies in the current line.
func (r *reader) node(kind Kind, tag string, i int) *Node {
	if len(r.slab) == 0 {
		// A node takes a dozen characters or two.
		r.slab = make([]Node, min(max(16, (len(r.s)-r.start)/16), 512))
	}
	n := &r.slab[0]
	r.slab = r.slab[1:]
	n.Kind, n.Tag, n.Line, n.Column = kind, tag, r.line, i-r.start+1
	if r.wide {
		n.Column = utf8.RuneCountInString(r.s[r.start:i]) + 1
	}
	return n
}

// take gives n the children that were pushed since mark.
func (r *reader) take(n *Node, mark int) *Node {
	count := len(r.stack) - mark
	if count == 0 {
		return n
	}
	if count > len(r.refs) {
		r.refs = make([]*Node, max(count, min(max(16, (len(r.s)-r.start)/16), 1024)))
	}
	n.Content = r.refs[:count:count]
	r.refs = r.refs[count:]
	copy(n.Content, r.stack[mark:])
	r.stack = r.stack[:mark]
	return n
}

func (r *reader) fail() *Node {
	r.bad = true
	return nil
}

// entry reports whether a block sequence's entry begins at i.
func (r *reader) entry(i int) bool {
	return i < r.end && r.s[i] == '-' && (i+1 == r.end || r.s[i+1] == ' ')
}

// block reads the node that begins the current line, at its indentation or, within
// a sequence's entry, at pos. Afterwards the reader stands at the line behind it.
func (r *reader) block(depth, parent int) *Node {
	switch {
	case r.bad || r.eof || depth > maxDepth:
		return r.fail()
	case r.entry(r.pos):
		return r.sequence(depth, r.indent())
	}
	if key, _, _ := r.key(r.pos); key != nil {
		return r.mapping(depth, r.indent())
	}
	if depth == 0 {
		if c := r.s[r.pos]; c != '[' && c != '{' {
			return r.fail() // a document of one scalar is for others to name
		}
		parent = -1
	}
	// A value on a line of its own.
	return r.value(r.pos, parent, depth)
}

func (r *reader) sequence(depth, indent int) *Node {
	n := r.node(Sequence, Seq, r.pos)
	mark := len(r.stack)
	for !r.eof && !r.bad && r.indent() == indent && r.entry(r.pos) {
		child := r.element(depth, indent)
		if child == nil {
			return nil
		}
		r.stack = append(r.stack, child)
	}
	if !r.eof && r.indent() > indent {
		return r.fail()
	}
	return r.take(n, mark)
}

// element reads what stands behind a dash.
func (r *reader) element(depth, indent int) *Node {
	dash := r.pos
	i := dash + 1
	for i < r.end && r.s[i] == ' ' {
		i++
	}
	switch {
	case r.rest(dash + 1):
		null := r.node(Scalar, Null, dash+1)
		r.advance()
		if r.eof || r.indent() <= indent {
			return null
		}
		return r.block(depth+1, indent)
	case r.entry(i):
		r.pos = i
		return r.block(depth+1, indent)
	}
	if key, _, _ := r.key(i); key != nil {
		r.pos = i
		return r.block(depth+1, indent)
	}
	return r.value(i, indent, depth+1)
}

func (r *reader) mapping(depth, indent int) *Node {
	n := r.node(Mapping, Map, r.pos)
	mark := len(r.stack)
	for !r.eof && !r.bad && r.indent() == indent {
		if r.entry(r.pos) {
			break // an entry of the sequence around this
		}
		key, colon, behind := r.key(r.pos)
		if key == nil {
			return r.fail()
		}
		r.stack = append(r.stack, key)
		var val *Node
		if r.rest(behind) {
			val = r.node(Scalar, Null, colon+1)
			r.advance()
			switch {
			case r.eof || r.bad || r.indent() < indent:
			case r.indent() > indent:
				val = r.block(depth+1, indent)
			case r.entry(r.pos):
				val = r.sequence(depth+1, indent)
			}
		} else {
			i := behind
			for i < r.end && r.s[i] == ' ' {
				i++
			}
			val = r.value(i, indent, depth+1)
		}
		if val == nil {
			return r.fail()
		}
		r.stack = append(r.stack, val)
	}
	if !r.eof && r.indent() > indent {
		return r.fail()
	}
	return r.take(n, mark)
}

// key reads a key at i and its colon. It returns nil if there is none on the line.
func (r *reader) key(i int) (n *Node, colon, behind int) {
	if i >= r.end {
		return nil, 0, 0
	}
	switch r.s[i] {
	case '"', '\'':
		text, j, ok := r.quoted(i)
		if !ok {
			return nil, 0, 0
		}
		k := j
		for k < r.end && r.s[k] == ' ' {
			k++
		}
		if k == r.end || r.s[k] != ':' || k+1 < r.end && r.s[k+1] != ' ' || k-i > maxKey {
			return nil, 0, 0
		}
		n = r.node(Scalar, Str, i)
		n.Value = text
		return n, k, k + 1
	}
	if !plainStart(r.s[i:r.end], false) {
		return nil, 0, 0
	}
	for j := i; j < r.end; j++ {
		switch c := r.s[j]; {
		case c == '\t', c == '#' && r.s[j-1] == ' ':
			return nil, 0, 0
		case c == ':' && (j+1 == r.end || r.s[j+1] == ' '):
			if j-i > maxKey {
				return nil, 0, 0
			}
			text := strings.TrimRight(r.s[i:j], " ")
			tag := resolve(text)
			if tag == "" || tag == Merge {
				return nil, 0, 0
			}
			n = r.node(Scalar, tag, i)
			n.Value = text
			return n, j, j + 1
		}
	}
	return nil, 0, 0
}

// plainStart reports whether a plain scalar can begin as s does.
func plainStart(s string, flow bool) bool {
	if s == "" {
		return false
	}
	switch s[0] {
	case '[', ']', '{', '}', ',', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', '?', ':', ' ', '\t':
		return false
	case '-':
		return len(s) > 1 && s[1] != ' ' && s[1] != '\t' && !(flow && strings.IndexByte(",[]{}", s[1]) >= 0)
	}
	return true
}

// value reads the scalar or flow collection at i, which lies within a block that is
// indented by parent. Nothing but a comment may follow it on its line.
func (r *reader) value(i, parent, depth int) *Node {
	if r.bad || depth > maxDepth {
		return r.fail()
	}
	switch c := r.s[i]; c {
	case '[', '{':
		n, behind := r.flow(i, depth)
		if n == nil || !r.rest(behind) {
			return r.fail()
		}
		r.advance()
		return n
	case '"', '\'':
		text, behind, ok := r.quoted(i)
		if !ok || !r.rest(behind) {
			return r.fail()
		}
		n := r.node(Scalar, Str, i)
		n.Value = text
		r.advance()
		return n
	case '|', '>':
		return r.blockText(i, parent)
	}
	if !plainStart(r.s[i:r.end], false) {
		return r.fail()
	}
	end, comment := r.end, false
	for j := i; j < r.end; j++ {
		switch c := r.s[j]; {
		case c == '\t', c == ':' && (j+1 == r.end || r.s[j+1] == ' '):
			return r.fail()
		case c == '#' && r.s[j-1] == ' ':
			end, comment = j, true
		}
		if comment {
			break
		}
	}
	n := r.scalar(i, end)
	if n == nil {
		return r.fail()
	}
	next := r.after()
	r.advance()
	if !r.eof && r.indent() > parent {
		if comment || r.bad {
			return r.fail()
		}
		return r.goOn(n, next, parent)
	}
	return n
}

// goOn reads the further lines of a plain text, of which the second is the current
// one; next is where the line after the first starts.
func (r *reader) goOn(n *Node, next, parent int) *Node {
	text := append([]byte(nil), n.Value...)
	for !r.eof && !r.bad && r.indent() > parent {
		breaks := strings.Count(r.s[next:r.start], "\n")
		if strings.Contains(r.s[next:r.start], "#") {
			return r.fail() // a comment ends a text
		}
		if breaks == 0 {
			text = append(text, ' ')
		}
		for range breaks {
			text = append(text, '\n')
		}
		line := strings.TrimRight(r.s[r.pos:r.end], " ")
		if strings.Contains(line, ": ") || strings.HasSuffix(line, ":") || strings.Contains(line, " #") || strings.Contains(line, "\t") {
			return r.fail()
		}
		text = append(text, line...)
		next = r.after()
		r.advance()
	}
	n.Value = string(text)
	if n.Tag = resolve(n.Value); n.Tag != Str {
		return r.fail()
	}
	return n
}

// blockText reads the literal or folded text whose mark stands at i. Its lines
// are indented by what the first is.
func (r *reader) blockText(i, parent int) *Node {
	folded, j := r.s[i] == '>', i+1
	strip := j < r.end && r.s[j] == '-'
	if strip {
		j++
	}
	if !r.rest(j) {
		return r.fail()
	}
	n := r.node(Scalar, Str, i)
	var text []byte
	indent, blank, closed := 0, 0, false
	start, line := r.after(), r.line+1
	for ; start < len(r.s); line++ {
		end, next := len(r.s), len(r.s)
		broken := false
		if k := strings.IndexByte(r.s[start:], '\n'); k >= 0 {
			end, next, broken = start+k, start+k+1, true
			if end > start && r.s[end-1] == '\r' {
				end--
			}
		}
		k := start
		for k < end && r.s[k] == ' ' {
			k++
		}
		if k == end {
			if indent == 0 || end-start > indent || !broken {
				return r.fail()
			}
			blank++
			start = next
			continue
		}
		if r.s[k] == '\t' {
			return r.fail()
		}
		if indent == 0 {
			if indent = k - start; indent <= parent || indent == 0 {
				return r.fail()
			}
		} else {
			if k-start < indent {
				break
			}
			if !folded || blank == 0 {
				text = append(text, fold(folded))
			}
			for range blank {
				text = append(text, '\n')
			}
		}
		if folded && k-start > indent {
			return r.fail()
		}
		text, blank, closed = append(text, r.s[start+indent:end]...), 0, broken
		start = next
	}
	switch {
	case indent == 0, !closed && !strip:
		return r.fail()
	case !strip:
		text = append(text, '\n')
	}
	n.Value = string(text)
	r.nextLine(start, line)
	return n
}

// fold is what stands between two lines of a text.
func fold(folded bool) byte {
	if folded {
		return ' '
	}
	return '\n'
}

// scalar makes the plain scalar from i to end.
func (r *reader) scalar(i, end int) *Node {
	text := strings.TrimRight(r.s[i:end], " ")
	tag := resolve(text)
	if tag == "" || tag == Merge {
		return nil
	}
	n := r.node(Scalar, tag, i)
	n.Value = text
	return n
}

// quoted reads the quoted text at i, which ends on its line.
func (r *reader) quoted(i int) (text string, behind int, ok bool) {
	line, quote := r.s[:r.end], r.s[i]
	i++
	for j := i; j < len(line); j++ {
		c := line[j]
		if c != quote && c != '\\' {
			continue
		}
		switch {
		case c == quote && quote == '\'' && j+1 < len(line) && line[j+1] == '\'', c == '\\' && quote == '"':
			return r.escaped(i, j, quote)
		case c == quote:
			return line[i:j], j + 1, true
		}
	}
	return "", 0, false
}

// escaped goes on with a quoted text from its first escape, at j.
func (r *reader) escaped(i, j int, quote byte) (text string, behind int, ok bool) {
	b := append(make([]byte, 0, r.end-i), r.s[i:j]...)
	for ; j < r.end; j++ {
		c := r.s[j]
		switch {
		case c == quote && quote == '\'' && j+1 < r.end && r.s[j+1] == '\'':
			j++
		case c == quote:
			return string(b), j + 1, true
		case c == '\\' && quote == '"':
			j++
			if j == r.end {
				return "", 0, false
			}
			switch c = r.s[j]; c {
			case '"', '\\', '/':
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			default:
				return "", 0, false
			}
		}
		b = append(b, c)
	}
	return "", 0, false
}

// flow reads the flow collection at i. The reader ends on the line of its end.
func (r *reader) flow(i, depth int) (n *Node, behind int) {
	if depth > maxDepth {
		return r.fail(), 0
	}
	open := r.s[i]
	kind, tag, end := Sequence, Seq, byte(']')
	if open == '{' {
		kind, tag, end = Mapping, Map, '}'
	}
	n = r.node(kind, tag, i)
	mark := len(r.stack)
	i++
	for {
		if i = r.flowSkip(i); r.bad {
			return nil, 0
		}
		if r.s[i] == end {
			return r.take(n, mark), i + 1
		}
		item, j := r.flowItem(i, depth)
		if item == nil {
			return r.fail(), 0
		}
		r.stack = append(r.stack, item)
		if kind == Mapping {
			if item.Kind != Scalar || j-i > maxKey {
				return r.fail(), 0
			}
			for j < r.end && r.s[j] == ' ' {
				j++
			}
			if j+1 >= r.end || r.s[j] != ':' || r.s[j+1] != ' ' {
				return r.fail(), 0
			}
			if i = r.flowSkip(j + 1); r.bad {
				return nil, 0
			}
			if item, j = r.flowItem(i, depth); item == nil {
				return r.fail(), 0
			}
			r.stack = append(r.stack, item)
		}
		if i = r.flowSkip(j); r.bad {
			return nil, 0
		}
		switch r.s[i] {
		case ',':
			i++
		case end:
		default:
			return r.fail(), 0
		}
	}
}

// flowSkip goes over blanks, comments and line breaks to the next character.
func (r *reader) flowSkip(i int) int {
	for {
		from := i
		for i < r.end && r.s[i] == ' ' {
			i++
		}
		if i < r.end && (r.s[i] != '#' || i == from) {
			if r.s[i] == '\t' || r.s[i] == '#' {
				r.bad = true
			}
			return i
		}
		if r.advance(); r.eof || r.bad {
			r.bad = true
			return i
		}
		i = r.pos
	}
}

// flowItem reads one value within a flow collection, and where it ends.
func (r *reader) flowItem(i, depth int) (n *Node, behind int) {
	switch r.s[i] {
	case '[', '{':
		return r.flow(i, depth+1)
	case '"', '\'':
		text, j, ok := r.quoted(i)
		if !ok {
			return r.fail(), 0
		}
		n = r.node(Scalar, Str, i)
		n.Value = text
		return n, j
	}
	if !plainStart(r.s[i:r.end], true) {
		return r.fail(), 0
	}
	line := r.s[:r.end]
	j := i
scan:
	for ; j < len(line); j++ {
		switch line[j] {
		case '\t':
			return r.fail(), 0
		case ',', '[', ']', '{', '}':
			break scan
		case ':':
			switch {
			case j+1 == len(line) || line[j+1] == ' ':
				break scan
			case strings.IndexByte(",[]{}", line[j+1]) >= 0:
				return r.fail(), 0
			}
		case '#':
			if line[j-1] == ' ' {
				break scan
			}
		}
	}
	if n = r.scalar(i, j); n == nil {
		return r.fail(), 0
	}
	return n, i + len(n.Value)
}
