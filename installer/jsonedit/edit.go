package jsonedit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// item is one member or element, by offsets into the text.
type item struct {
	start, end int // of the key (or element) and of the value's end
	before     int // where the trivia before start begins
	comma      int // of the comma that follows, -1 if none does
	value      *hujson.Value
}

// container is an object or array, by offsets into the text.
type container struct {
	open, close int // of the brackets
	items       []item
	tail        string // trivia between the last item or comma and the closing bracket
}

func containerOf(v *hujson.Value) (c container, ok bool) {
	c.open, c.close = v.StartOffset, v.EndOffset-1
	add := func(first, last *hujson.Value, final bool) {
		it := item{start: first.StartOffset, end: last.EndOffset, before: first.StartOffset - len(first.BeforeExtra), comma: -1, value: last}
		if !final || last.AfterExtra != nil {
			it.comma = last.EndOffset + len(last.AfterExtra)
		}
		c.items = append(c.items, it)
	}
	switch t := v.Value.(type) {
	case *hujson.Object:
		for i := range t.Members {
			add(&t.Members[i].Name, &t.Members[i].Value, i == len(t.Members)-1)
		}
		c.tail = string(t.AfterExtra)
	case *hujson.Array:
		for i := range t.Elements {
			add(&t.Elements[i], &t.Elements[i], i == len(t.Elements)-1)
		}
		c.tail = string(t.AfterExtra)
	default:
		return c, false
	}
	return c, true
}

// spot is a container together with what its place says about layout.
type spot struct {
	v      *hujson.Value
	indent string // of the line that it stands on
	own    bool   // it starts a line of its own (or is the root)
}

// walk follows path as far as it exists and returns the values on the way,
// the root first. left is what is missing.
func (d *Doc) walk(path []any) (spots []spot, left []any, err error) {
	cur := spot{v: &d.root, own: true}
	lead := d.src[:d.root.StartOffset]
	if i := bytes.LastIndexByte(lead, '\n'); i >= 0 || len(lead) > 0 {
		cur.indent = blankSuffix(string(lead[i+1:]))
	}
	spots = []spot{cur}
	for n, step := range path {
		c, ok := containerOf(cur.v)
		var index int
		switch s := step.(type) {
		case string:
			if o, isObject := cur.v.Value.(*hujson.Object); isObject {
				index = slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return text(m.Name) == s })
			} else {
				return nil, nil, d.shape(cur.v, path[:n], ObjectKind)
			}
		case int:
			if _, isArray := cur.v.Value.(*hujson.Array); !isArray {
				return nil, nil, d.shape(cur.v, path[:n], ArrayKind)
			}
			index = s
		default:
			return nil, nil, fmt.Errorf("path step %v is neither a key nor an index", step)
		}
		if !ok || index < 0 || index >= len(c.items) {
			return spots, path[n:], nil
		}
		it := c.items[index]
		next := spot{v: it.value, indent: cur.indent}
		if ws := blankSuffix(string(d.src[it.before:it.start])); strings.Contains(ws, "\n") {
			next.own, next.indent = true, afterNewline(ws)
		}
		cur = next
		spots = append(spots, cur)
	}
	return spots, nil, nil
}

func (d *Doc) shape(v *hujson.Value, path []any, want Kind) error {
	name := pathName(path)
	return d.errorAt(d.src, v.StartOffset, Shape, fmt.Sprintf("%s is %s, not %s", name, Node{d, v, d.src}.Kind(), want))
}

func pathName(path []any) string {
	var b strings.Builder
	for _, s := range path {
		switch s := s.(type) {
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s)
		default:
			fmt.Fprintf(&b, "[%v]", s)
		}
	}
	if b.Len() == 0 {
		return "the file's value"
	}
	return b.String()
}

// Append adds v as the last element of the array at path, making the objects
// and the array that are missing on the way.
func (d *Doc) Append(v any, path ...any) error {
	return d.insert(path, nil, v)
}

// Set gives the object at path the member key, replacing a value that is
// there and making the objects that are missing on the way.
func (d *Doc) Set(key string, v any, path ...any) error {
	full := append(slices.Clone(path), key)
	if d.At(full...).Kind() != Invalid {
		return d.Replace(v, full...)
	}
	return d.insert(path, &key, v)
}

// insert adds v to the container at path, as the member *key or as an element.
func (d *Doc) insert(path []any, key *string, v any) error {
	if d.empty {
		return d.create(wrap(path, key, v))
	}
	spots, left, err := d.walk(path)
	if err != nil {
		return err
	}
	into := spots[len(spots)-1]
	if len(left) > 0 { // the rest is made, as one member of the last object
		name, ok := left[0].(string)
		if !ok {
			return fmt.Errorf("%s has no element %v", pathName(path[:len(path)-len(left)]), left[0])
		}
		if _, ok := into.v.Value.(*hujson.Object); !ok {
			return d.shape(into.v, path[:len(path)-len(left)], ObjectKind)
		}
		inner := wrap(left[1:], key, v)
		return d.addItem(into, &name, inner)
	}
	want := ArrayKind
	if key != nil {
		want = ObjectKind
	}
	if got := (Node{d, into.v, d.src}).Kind(); got != want {
		return d.shape(into.v, path, want)
	}
	return d.addItem(into, key, v)
}

// wrap puts v into the containers that path names.
func wrap(path []any, key *string, v any) any {
	var out any
	if key != nil {
		out = Object{{*key, v}}
	} else {
		out = Array{v}
	}
	for _, step := range slices.Backward(path) {
		name, _ := step.(string)
		out = Object{{name, out}}
	}
	return out
}

// create writes the first value of a missing or blank file.
func (d *Doc) create(v any) error {
	if _, ok := v.(Object); !ok {
		return errors.New("the value of a new file must be an object")
	}
	l := layout{nl: newline(d.lead), unit: "  ", space: " "}
	var b strings.Builder
	b.WriteString(d.lead)
	if err := render(&b, v, l); err != nil {
		return err
	}
	if d.gone {
		b.WriteString(l.nl)
	}
	return d.load([]byte(b.String()))
}

// addItem inserts behind the last item of a container.
func (d *Doc) addItem(into spot, key *string, v any) error {
	c, _ := containerOf(into.v)
	l := layout{nl: newline(string(d.src)), unit: d.unit(), space: d.space()}
	write := func(b *strings.Builder) error {
		if key != nil {
			b.WriteString(quote(*key) + ":" + l.space)
		}
		return render(b, v, l)
	}
	var b strings.Builder
	if len(c.items) == 0 {
		// The bytes inside stay in front; a blank line (two spaces) before the
		// closing bracket says that they were there.
		l.oneLine = !into.own && !strings.Contains(c.tail, "\n")
		if strings.HasSuffix(c.tail, "\r") {
			l.nl = "\r\n" // or our newline would read as the end of theirs
		}
		outer := l
		outer.indent = into.indent
		l.indent = into.indent + l.unit
		if !l.oneLine {
			b.WriteString(l.nl + l.indent)
		}
		if err := write(&b); err != nil {
			return err
		}
		if l.oneLine {
			b.WriteString("  ")
		} else {
			b.WriteString(l.nl + l.nl + outer.indent)
		}
		return d.splice(edit{c.close, c.close, b.String()})
	}

	last := c.items[len(c.items)-1]
	sep := blankSuffix(string(d.src[last.before:last.start]))
	switch {
	case strings.Contains(sep, "\n"):
		l.indent = afterNewline(sep)
		sep = l.nl + l.indent
	case len(c.items) > 1:
		l.oneLine, l.indent = true, into.indent
	default:
		l.oneLine, l.indent, sep = true, into.indent, l.space
	}
	from := last.end
	if last.comma >= 0 {
		from = last.comma + 1
	}
	at, afterLine := endOfLineTrivia(d.src, from, c.close)
	if afterLine && !strings.Contains(sep, "\n") {
		sep = l.nl + into.indent
	}
	b.WriteString(sep)
	if err := write(&b); err != nil {
		return err
	}
	if last.comma >= 0 {
		b.WriteByte(',')
		return d.splice(edit{at, at, b.String()})
	}
	if at == last.end {
		return d.splice(edit{at, at, "," + b.String()})
	}
	return d.splice(edit{last.end, last.end, ","}, edit{at, at, b.String()})
}

// Replace puts v in the place of the value at path.
func (d *Doc) Replace(v any, path ...any) error {
	if d.empty {
		return errors.New("the file holds no value")
	}
	spots, left, err := d.walk(path)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("there is no %s", pathName(path))
	}
	at := spots[len(spots)-1]
	l := layout{oneLine: !at.own, nl: newline(string(d.src)), indent: at.indent, unit: d.unit(), space: d.space()}
	var b strings.Builder
	if err := render(&b, v, l); err != nil {
		return err
	}
	return d.splice(edit{at.v.StartOffset, at.v.EndOffset, b.String()})
}

// Remove takes out the member or element at path, and with it the containers
// that an insertion made and that are empty now. Removing what is not there
// does nothing.
func (d *Doc) Remove(path ...any) error {
	if d.empty {
		return nil
	}
	if len(path) == 0 {
		return errors.New("the file's whole value cannot be removed")
	}
	spots, left, err := d.walk(path)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return nil
	}
	c, _ := containerOf(spots[len(spots)-2].v)
	target := spots[len(spots)-1].v
	i := slices.IndexFunc(c.items, func(it item) bool { return it.value.StartOffset == target.StartOffset })
	it := c.items[i]

	if len(c.items) == 1 {
		return d.removeLast(path, c, it)
	}
	if i == 0 {
		next := c.items[1]
		if isBlank(d.src[it.end:it.comma]) && isBlank(d.src[it.comma+1:next.start]) {
			return d.splice(edit{it.start, next.start, ""})
		}
		return d.splice(edit{it.start, it.end, ""}, edit{it.comma, it.comma + 1, ""})
	}
	from := it.start - len(blankSuffix(string(d.src[it.before:it.start])))
	cut := []edit{{from, it.end, ""}}
	rest := it.end
	if it.comma >= 0 {
		rest = it.comma + 1
		if isBlank(d.src[it.end:it.comma]) {
			cut[0].to = rest
		} else {
			cut = append(cut, edit{it.comma, it.comma + 1, ""})
			rest = it.end
		}
	} else {
		comma := c.items[i-1].comma
		cut = append([]edit{{comma, comma + 1, ""}}, cut...)
	}
	// A line comment in front of us must not swallow what follows.
	if endsInLineComment(d.src[it.before:from]) && !startsLine(d.src[rest:]) {
		n := bytes.IndexByte(d.src[from:it.start], '\n')
		cut[slices.IndexFunc(cut, func(e edit) bool { return e.from == from })].from = from + n + 1
	}
	return d.splice(cut...)
}

// removeLast takes out the only item of a container.
func (d *Doc) removeLast(path []any, c container, it item) error {
	before := string(d.src[it.before:it.start])
	sep := blankSuffix(before)
	if i := strings.LastIndexByte(sep, '\n'); i >= 0 {
		if i > 0 && sep[i-1] == '\r' {
			i--
		}
		sep = sep[i:]
	} else {
		sep = ""
	}
	inner := before[:len(before)-len(sep)]
	tail := string(d.src[it.end:c.close])
	if it.comma >= 0 {
		tail = string(d.src[it.end:it.comma]) + string(d.src[it.comma+1:c.close])
	}
	marked := strings.Count(tail, "\n") >= 2 || sep == "" && tail == "  "
	switch {
	case !isBlank([]byte(tail)): // comments of someone: all stay
		inner += tail
	case marked, !isBlank([]byte(inner)):
	default: // made by an insertion
		if len(path) > 1 {
			return d.Remove(path[:len(path)-1]...)
		}
		lead, trail := string(d.src[:d.root.StartOffset]), string(d.src[d.root.EndOffset:])
		switch {
		case d.bom == "" && lead == "" && trail == "\n":
			*d = Doc{syntax: d.syntax, empty: true, gone: true}
			return nil
		case trail == "" && isBlank([]byte(lead)):
			*d = Doc{syntax: d.syntax, bom: d.bom, empty: true, lead: lead}
			return nil
		}
	}
	if endsInLineComment([]byte(inner)) {
		if !startsLine([]byte(tail)) {
			tail = newline(string(d.src))
		}
		inner += tail
	}
	return d.splice(edit{c.open + 1, c.close, inner})
}

// edit replaces the bytes from..to by text.
type edit struct {
	from, to int
	text     string
}

// splice applies edits, which are ordered and do not overlap, and reads the
// result again: a result that would not parse is refused and changes nothing.
func (d *Doc) splice(edits ...edit) error {
	var b bytes.Buffer
	pos := 0
	for _, e := range edits {
		b.Write(d.src[pos:e.from])
		b.WriteString(e.text)
		pos = e.to
	}
	b.Write(d.src[pos:])
	if b.Len() > MaxSize {
		return fmt.Errorf("the edited file would be larger than %d MiB", MaxSize>>20)
	}
	if err := d.load(b.Bytes()); err != nil {
		return fmt.Errorf("the edit would break the file: %w", err)
	}
	return nil
}

// endOfLineTrivia returns the end of the comments that follow from on the same
// line, and whether the last is a line comment.
func endOfLineTrivia(src []byte, from, end int) (at int, afterLine bool) {
	at = from
	for i := from; i < end; {
		switch c := src[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '/' && src[i+1] == '/':
			n := bytes.IndexByte(src[i:], '\n')
			return i + len(bytes.TrimRight(src[i:i+n], blanks)), true
		case c == '/':
			i += 2 + bytes.Index(src[i+2:], []byte("*/")) + 2
			at = i
		default:
			return at, false
		}
	}
	return at, false
}

// endsInLineComment reports whether trivia's last comment is a line comment
// whose newline is not part of trivia.
func endsInLineComment(trivia []byte) bool {
	for i := 0; i < len(trivia); i++ {
		if trivia[i] != '/' || i+1 == len(trivia) {
			continue
		}
		if trivia[i+1] == '/' {
			n := bytes.IndexByte(trivia[i:], '\n')
			if n < 0 {
				return true
			}
			i += n
			continue
		}
		n := bytes.Index(trivia[i+2:], []byte("*/"))
		if n < 0 {
			return false
		}
		i += n + 3
	}
	return false
}

// startsLine reports whether a newline comes before anything but blanks.
func startsLine(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r")
	return len(b) > 0 && b[0] == '\n'
}

func isBlank(b []byte) bool { return len(bytes.Trim(b, blanks)) == 0 }

// blankSuffix returns the blanks at the end of s.
func blankSuffix(s string) string { return s[len(strings.TrimRight(s, blanks)):] }

// afterNewline returns what follows the last newline of s.
func afterNewline(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// newline returns the file's way of ending lines.
func newline(s string) string {
	if i := strings.IndexByte(s, '\n'); i > 0 && s[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// unit returns one level of the file's indentation.
func (d *Doc) unit() string {
	if u := findUnit(d.src, &d.root, ""); u != "" {
		return u
	}
	return "  "
}

// findUnit returns how much deeper the first indented item stands than its
// container.
func findUnit(src []byte, v *hujson.Value, indent string) string {
	c, ok := containerOf(v)
	if !ok {
		return ""
	}
	for _, it := range c.items {
		inner := indent
		if ws := blankSuffix(string(src[it.before:it.start])); strings.Contains(ws, "\n") {
			inner = afterNewline(ws)
			if u, ok := strings.CutPrefix(inner, indent); ok && u != "" {
				return u
			}
		}
		if u := findUnit(src, it.value, inner); u != "" {
			return u
		}
	}
	return ""
}

// space returns what the file writes after a colon.
func (d *Doc) space() string {
	sp, ok := findSpace(&d.root)
	if !ok {
		return " "
	}
	return sp
}

func findSpace(v *hujson.Value) (string, bool) {
	switch t := v.Value.(type) {
	case *hujson.Object:
		if len(t.Members) > 0 {
			if len(t.Members[0].Value.BeforeExtra) == 0 {
				return "", true
			}
			return " ", true
		}
	case *hujson.Array:
		for i := range t.Elements {
			if sp, ok := findSpace(&t.Elements[i]); ok {
				return sp, true
			}
		}
	}
	return "", false
}
