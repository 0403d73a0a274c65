package jsonedit

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Object is a value to insert, its members in the order in which they are
// written.
type Object []Member

// Member is one key of an Object.
type Member struct {
	Key   string
	Value any // Object, Array, string, int, bool or json.RawMessage
}

// Array is a list to insert.
type Array []any

// layout is how inserted text is laid out.
type layout struct {
	oneLine bool
	nl      string // newline of the file
	indent  string // of the line that the value stands on
	unit    string // one more level
	space   string // after a colon, and after a comma in one line
}

func (l layout) deeper() layout {
	l.indent += l.unit
	return l
}

// render writes v as it stands after a key or as an element.
func render(b *strings.Builder, v any, l layout) error {
	switch t := v.(type) {
	case Object:
		return renderList(b, '{', '}', len(t), l, func(i int, l layout) error {
			b.WriteString(quote(t[i].Key) + ":" + l.space)
			return render(b, t[i].Value, l)
		})
	case Array:
		return renderList(b, '[', ']', len(t), l, func(i int, l layout) error { return render(b, t[i], l) })
	case string:
		b.WriteString(quote(t))
	case int:
		b.WriteString(strconv.Itoa(t))
	case bool:
		b.WriteString(strconv.FormatBool(t))
	case json.RawMessage:
		if !json.Valid(t) {
			return fmt.Errorf("cannot insert %q: not JSON", t)
		}
		b.Write(t)
	default:
		return fmt.Errorf("cannot insert a %T", v)
	}
	return nil
}

func renderList(b *strings.Builder, open, end byte, n int, l layout, item func(int, layout) error) error {
	b.WriteByte(open)
	inner := l.deeper()
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		if !l.oneLine {
			b.WriteString(l.nl + inner.indent)
		} else if i > 0 {
			b.WriteString(l.space)
		}
		if err := item(i, inner); err != nil {
			return err
		}
	}
	if n > 0 && !l.oneLine {
		b.WriteString(l.nl + l.indent)
	}
	b.WriteByte(end)
	return nil
}

// quote writes a JSON string as JavaScript's JSON.stringify does: no HTML
// escapes.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
