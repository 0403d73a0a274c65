package manifest

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// node is a value of a JSON or TOML file.
type node struct {
	kind    kind
	text    string // of a string; a number or boolean as written
	members []member
	items   []*node
}

type member struct {
	key   string
	value *node
}

type kind uint8

const (
	nothing kind = iota
	object
	array
	str
	scalar
)

// get follows keys through objects; nil if one is missing.
func (n *node) get(keys ...string) *node {
	for _, k := range keys {
		if n == nil {
			return nil
		}
		var next *node
		for i := range n.members {
			if n.members[i].key == k {
				next = n.members[i].value
			}
		}
		n = next
	}
	return n
}

// string is the text under keys, "" if there is none.
func (n *node) string(keys ...string) string {
	if v := n.get(keys...); v != nil && v.kind == str {
		return v.text
	}
	return ""
}

// isTrue reports whether true stands under keys.
func (n *node) isTrue(keys ...string) bool {
	v := n.get(keys...)
	return v != nil && v.kind == scalar && v.text == "true"
}

// each is the members of the object under keys.
func (n *node) each(keys ...string) []member {
	if v := n.get(keys...); v != nil {
		return v.members
	}
	return nil
}

// list is the items of the array under keys.
func (n *node) list(keys ...string) []*node {
	if v := n.get(keys...); v != nil {
		return v.items
	}
	return nil
}

const maxNesting = 100

// readJSON reads text as far as it is JSON; whole is false if that is not all.
func readJSON(text string) (root *node, whole bool) {
	d := json.NewDecoder(strings.NewReader(text))
	root = &node{}
	if readValue(d, root, 0) != nil {
		return root, false
	}
	_, err := d.Token()
	return root, errors.Is(err, io.EOF)
}

// readValue fills n with the next value. What was read before an error stays.
func readValue(d *json.Decoder, n *node, deep int) error {
	if deep > maxNesting {
		return skipValue(d) // no manifest declares anything that deep
	}
	t, err := d.Token()
	if err != nil {
		return err
	}
	switch v := t.(type) {
	case json.Delim:
		switch v {
		case '{':
			n.kind = object
			for d.More() {
				k, err := d.Token()
				if err != nil {
					return err
				}
				key, _ := k.(string)
				child := &node{}
				if err := readValue(d, child, deep+1); child.kind != nothing {
					n.members = append(n.members, member{key, child})
					if err != nil {
						return err
					}
				} else if err != nil {
					return err
				}
			}
		case '[':
			n.kind = array
			for d.More() {
				child := &node{}
				err := readValue(d, child, deep+1)
				if child.kind != nothing {
					n.items = append(n.items, child)
				}
				if err != nil {
					return err
				}
			}
		}
		_, err = d.Token()
		return err
	case string:
		n.kind, n.text = str, v
	case bool:
		n.kind, n.text = scalar, "false"
		if v {
			n.text = "true"
		}
	default:
		n.kind = scalar
	}
	return nil
}

// skipValue passes over the next value.
func skipValue(d *json.Decoder) error {
	for depth := 0; ; {
		t, err := d.Token()
		if err != nil {
			return err
		}
		if b, ok := t.(json.Delim); ok {
			if b == '{' || b == '[' {
				depth++
			} else {
				depth--
			}
		}
		if depth == 0 {
			return nil
		}
	}
}

// stripJSONC blanks out comments, and commas before a closing bracket.
func stripJSONC(text string) string {
	b := []byte(text)
	comma := -1
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			comma = -1
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case c == '/' && i+1 < len(b) && b[i+1] == '/':
			for ; i < len(b) && b[i] != '\n'; i++ {
				b[i] = ' '
			}
		case c == '/' && i+1 < len(b) && b[i+1] == '*':
			for ; i < len(b) && !(b[i] == '/' && b[i-1] == '*'); i++ {
				if b[i] != '\n' && !(b[i] == '*' && i+1 < len(b) && b[i+1] == '/') {
					b[i] = ' '
				}
			}
			if i < len(b) {
				b[i-1], b[i] = ' ', ' '
			}
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				b[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return string(b)
}
