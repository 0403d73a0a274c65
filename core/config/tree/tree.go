// Package tree is a YAML document as a tree of nodes, and a reader of its own for
// the plain form that configurations are written in. That reader knows what it
// knows: of any other document it says so, and another reader is to be asked. Of
// one that it reads, the tree is the one that a whole YAML reader makes, to the
// place of each node.
//
// It must not import a YAML library, nor anything that compiles an expression:
// every hook call reads with it.
package tree

// Kind is the shape of a node.
type Kind uint8

// Kinds.
const (
	None Kind = iota
	Scalar
	Sequence
	Mapping
	Alias
)

// Tags that plain scalars resolve to, in YAML's short form.
const (
	Null      = "!!null"
	Bool      = "!!bool"
	Int       = "!!int"
	Float     = "!!float"
	Timestamp = "!!timestamp"
	Str       = "!!str"
	Merge     = "!!merge"
	Seq       = "!!seq"
	Map       = "!!map"
)

// Node is one value. Content holds a sequence's entries, or a mapping's keys and
// values in turn.
type Node struct {
	Kind    Kind
	Tagged  bool // Tag stands in the file
	Line    int  // from 1
	Column  int  // from 1, in characters
	Tag     string
	Value   string // of a scalar; the name that an alias names
	Anchor  string
	Content []*Node
}

// Error is why a document is not valid YAML.
type Error struct {
	Line, Column int // 0 = not known
	Message      string
	Context      string // what was being read, "" = not known
	ContextLine  int    // where that began
	Second       bool   // a second document begins there
	Unread       bool   // it could not be looked at
}

func (e *Error) Error() string { return e.Message }

// Reader reads a document. The node is nil if there is none; it may stand beside
// an error, when something follows that is wrong.
type Reader func(data []byte) (*Node, error)
