// Package jsonedit edits a JSON or JSONC file that belongs to someone else: it
// splices bytes and leaves every byte that it was not asked to change. What it
// inserts it can take out again from the bytes alone: for every document and
// every insertion, Remove after Append or Set gives back the original bytes.
//
// It owns the layout of what it inserts and is the only importer of
// tailscale/hujson. It knows no host and touches no file: nothing of ours may
// be imported here.
//
// # How an insertion is remembered
//
// A container that an insertion makes holds nothing but insertions and has the
// ordinary layout; emptied, it goes away. A container that was there and empty
// keeps its inner bytes in front of the insertion and is closed by a blank line
// (in a one-line layout: by two spaces); emptied, it stays and gets its inner
// bytes back. A file that was missing ends in "}" and a newline; one that was
// blank keeps its blanks in front and ends in "}".
package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Syntax is the dialect that a file's reader accepts. The zero value is Strict.
type Syntax int

// The dialects.
const (
	Strict   Syntax = iota // RFC 8259: neither comments nor trailing commas
	JSONC                  // with // and /* */ comments and trailing commas
	Comments               // with comments, without trailing commas
)

// MaxSize is the size in bytes of the largest document that Parse reads.
const MaxSize = 16 << 20

// maxDepth bounds nesting, so that the recursive parser stays on its stack.
const maxDepth = 1000

// Error says where and why a document cannot be edited.
type Error struct {
	Line, Col int // of the first byte concerned, both from 1; columns count bytes
	Reason    Reason
	Msg       string
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg) }

// Reason classifies an Error. The zero value is Malformed.
type Reason int

// Reasons.
const (
	Malformed Reason = iota // not in the dialect's grammar
	NotStrict               // fine as JSONC, but another dialect was asked for
	Duplicate               // an object names a key twice
	Shape                   // a value on the path is of another kind than the edit needs
)

// Kind is the kind of a JSON value.
type Kind int

// Kinds of value.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	ArrayKind
	ObjectKind
)

func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case String:
		return "a string"
	case ArrayKind:
		return "an array"
	case ObjectKind:
		return "an object"
	default:
		return "nothing"
	}
}

// Doc is a document under edit.
type Doc struct {
	syntax Syntax
	bom    string // kept in front of every output
	lead   string // blanks of a document that holds no value yet
	src    []byte // without bom; nil together with a zero root while there is no value
	root   hujson.Value
	empty  bool // there is no value: the file is blank or missing
	gone   bool // there is no file
}

const bom = "\ufeff"

// Missing is the document of a file that does not exist.
func Missing(s Syntax) *Doc { return &Doc{syntax: s, empty: true, gone: true} }

// Parse reads a whole file. A byte order mark is kept; a blank file is a
// document without a value, in which an insertion makes an object. All other
// files that are not well formed, or name a key twice in one object, are
// refused with an *Error.
func Parse(src []byte, s Syntax) (*Doc, error) {
	if len(src) > MaxSize {
		return nil, &Error{1, 1, Malformed, fmt.Sprintf("file is larger than %d MiB", MaxSize>>20)}
	}
	d := &Doc{syntax: s}
	if rest, ok := bytes.CutPrefix(src, []byte(bom)); ok {
		d.bom, src = bom, rest
	}
	if strings.Trim(string(src), blanks) == "" {
		d.empty, d.lead = true, string(src)
		return d, nil
	}
	if err := d.load(bytes.Clone(src)); err != nil {
		return nil, err
	}
	return d, nil
}

const blanks = " \t\r\n"

// load makes src the document's text.
func (d *Doc) load(src []byte) error {
	if off := tooDeep(src); off >= 0 {
		return d.errorAt(src, off, Malformed, fmt.Sprintf("nested deeper than %d levels", maxDepth))
	}
	// A final line comment may lack its newline; offsets are not moved by one
	// more at the end.
	v, err := hujson.Parse(append(slices.Clip(src), '\n'))
	if err != nil {
		return d.fromHujson(src, err)
	}
	if err := d.check(src, &v); err != nil {
		return err
	}
	d.src, d.root, d.empty, d.gone, d.lead = src, v, false, false, ""
	return nil
}

// fromHujson turns the parser's error text, which carries the place, into ours.
func (d *Doc) fromHujson(src []byte, err error) error {
	e := &Error{Line: 1, Col: 1}
	if _, scan := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &e.Line, &e.Col); scan != nil {
		e.Msg = err.Error()
		return e
	}
	msg := err.Error()
	if inner := errors.Unwrap(err); inner != nil {
		msg = inner.Error()
	}
	e.Msg = strings.ReplaceAll(msg, "unexpected EOF", "the file ends too early")
	// The newline that we append must not name a line that is not there.
	if lines := 1 + bytes.Count(src, []byte("\n")); e.Line > lines {
		e.Line, e.Col = place(src, len(src))
	}
	if e.Line == 1 && d.bom != "" {
		e.Col += len(bom)
	}
	return e
}

func (d *Doc) errorAt(src []byte, off int, r Reason, msg string) *Error {
	line, col := place(src, off)
	if line == 1 {
		col += len(d.bom)
	}
	return &Error{line, col, r, msg}
}

func place(src []byte, off int) (line, col int) {
	off = min(off, len(src))
	line = 1 + bytes.Count(src[:off], []byte("\n"))
	return line, off - bytes.LastIndexByte(src[:off], '\n')
}

// tooDeep returns the offset of the bracket that nests too deeply, or -1.
// Brackets inside comments count; nobody nests a thousand of them there.
func tooDeep(src []byte) int {
	depth, inString := 0, false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

// check walks v and refuses what an edit must not touch.
func (d *Doc) check(src []byte, v *hujson.Value) error {
	if err := d.checkExtra(src, v.StartOffset-len(v.BeforeExtra), v.BeforeExtra); err != nil {
		return err
	}
	switch t := v.Value.(type) {
	case *hujson.Object:
		seen := make(map[string]bool, len(t.Members))
		for i := range t.Members {
			m := &t.Members[i]
			if err := d.check(src, &m.Name); err != nil {
				return err
			}
			key := text(m.Name)
			if seen[key] {
				return d.errorAt(src, m.Name.StartOffset, Duplicate, fmt.Sprintf("the key %q stands twice in one object, so an edit would be ambiguous", key))
			}
			seen[key] = true
			if err := d.check(src, &m.Value); err != nil {
				return err
			}
		}
	case *hujson.Array:
		for i := range t.Elements {
			if err := d.check(src, &t.Elements[i]); err != nil {
				return err
			}
		}
	case hujson.Literal:
		if !utf8.Valid(t) {
			return d.errorAt(src, v.StartOffset, Malformed, "invalid UTF-8 in a string")
		}
	}
	if c, ok := containerOf(v); ok {
		if n := len(c.items); n > 0 && c.items[n-1].comma >= 0 && d.syntax != JSONC {
			return d.errorAt(src, c.items[n-1].comma, NotStrict, "trailing comma")
		}
		if err := d.checkExtra(src, c.close-len(c.tail), []byte(c.tail)); err != nil {
			return err
		}
	}
	return d.checkExtra(src, v.EndOffset, v.AfterExtra)
}

func (d *Doc) checkExtra(src []byte, off int, extra []byte) error {
	if d.syntax != Strict {
		return nil
	}
	if i := bytes.IndexByte(extra, '/'); i >= 0 {
		return d.errorAt(src, off+i, NotStrict, "comment")
	}
	return nil
}

// Bytes returns the whole file. It is nil when there is no file: see Gone.
func (d *Doc) Bytes() []byte {
	if d.gone {
		return nil
	}
	if d.empty {
		return []byte(d.bom + d.lead)
	}
	return append([]byte(d.bom), d.src...)
}

// BOM reports whether the file starts with a byte order mark.
func (d *Doc) BOM() bool { return d.bom != "" }

// Gone reports whether the file should not exist: it was missing, or what is
// left of it was made by insertions only.
func (d *Doc) Gone() bool { return d.gone }

// Text returns the string that a hujson literal stands for.
func text(v hujson.Value) string {
	lit, ok := v.Value.(hujson.Literal)
	if !ok || lit.Kind() != '"' {
		return ""
	}
	var s string
	if json.Unmarshal(lit, &s) != nil {
		return ""
	}
	return s
}

// Node is one value of a document as it was when the node was taken. The zero
// Node is a value that is not there; all its methods may be called.
type Node struct {
	doc *Doc
	v   *hujson.Value
	src []byte
}

// Root returns the document's value.
func (d *Doc) Root() Node {
	if d.empty {
		return Node{}
	}
	root := d.root
	return Node{d, &root, d.src}
}

// At returns the value at path, whose steps are object keys (string) and array
// indexes (int).
func (d *Doc) At(path ...any) Node {
	n := d.Root()
	for _, step := range path {
		switch s := step.(type) {
		case string:
			n = n.Get(s)
		case int:
			n = n.Index(s)
		default:
			return Node{}
		}
	}
	return n
}

// Kind returns the value's kind, Invalid if it is not there.
func (n Node) Kind() Kind {
	if n.v == nil {
		return Invalid
	}
	switch t := n.v.Value.(type) {
	case *hujson.Object:
		return ObjectKind
	case *hujson.Array:
		return ArrayKind
	case hujson.Literal:
		switch t.Kind() {
		case 'n':
			return Null
		case 't', 'f':
			return Bool
		case '0':
			return Number
		case '"':
			return String
		}
	}
	return Invalid
}

// Get returns the member of an object by key.
func (n Node) Get(key string) Node {
	if n.v != nil {
		if o, ok := n.v.Value.(*hujson.Object); ok {
			for i := range o.Members {
				if text(o.Members[i].Name) == key {
					return Node{n.doc, &o.Members[i].Value, n.src}
				}
			}
		}
	}
	return Node{}
}

// Keys returns an object's keys in order.
func (n Node) Keys() []string {
	if n.v == nil {
		return nil
	}
	o, ok := n.v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	keys := make([]string, len(o.Members))
	for i := range o.Members {
		keys[i] = text(o.Members[i].Name)
	}
	return keys
}

// Index returns the element i of an array.
func (n Node) Index(i int) Node {
	if n.v != nil {
		if a, ok := n.v.Value.(*hujson.Array); ok && i >= 0 && i < len(a.Elements) {
			return Node{n.doc, &a.Elements[i], n.src}
		}
	}
	return Node{}
}

// Len returns the number of members or elements, 0 for any other kind.
func (n Node) Len() int {
	if n.v == nil {
		return 0
	}
	switch t := n.v.Value.(type) {
	case *hujson.Object:
		return len(t.Members)
	case *hujson.Array:
		return len(t.Elements)
	}
	return 0
}

// Text returns the text of a string value, "" for any other kind.
func (n Node) Text() string {
	if n.v == nil {
		return ""
	}
	return text(*n.v)
}

// Raw returns the value's own bytes.
func (n Node) Raw() []byte {
	if n.v == nil {
		return nil
	}
	return n.src[n.v.StartOffset:n.v.EndOffset]
}

// Place returns where the value starts, lines and columns from 1.
func (n Node) Place() (line, col int) {
	if n.v == nil {
		return 0, 0
	}
	line, col = place(n.src, n.v.StartOffset)
	if line == 1 {
		col += len(n.doc.bom)
	}
	return line, col
}
