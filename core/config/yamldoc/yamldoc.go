// Package yamldoc reads any YAML document, with a library, into the tree that the
// configuration is decoded from. The library compiles expressions before main, so
// the small hook process does not link it and hands such a document over.
package yamldoc

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v4"

	"github.com/ec261362/guardrails/core/config/tree"
)

// Read is a tree.Reader. Its errors are *tree.Error where the library says more
// than a text.
func Read(data []byte) (*tree.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, failure(err)
	}
	var doc, next yaml.Node
	if err := loader.Load(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, failure(err)
	}
	var n *tree.Node
	if len(doc.Content) == 1 {
		n = convert(doc.Content[0])
	}
	if err := loader.Load(&next); err == nil {
		return n, &tree.Error{Line: next.Line, Column: next.Column, Second: true, Message: "a second document"}
	} else if !errors.Is(err, io.EOF) {
		return n, failure(err)
	}
	return n, nil
}

func failure(err error) error {
	var le *yaml.LoadError
	if !errors.As(err, &le) {
		return err
	}
	return &tree.Error{
		Line: le.Mark.Line, Column: le.Mark.Column, Message: le.Message,
		Context: le.ContextMsg, ContextLine: le.ContextMark.Line,
	}
}

// convert leaves an alias as it stands: what it names may hold it.
func convert(n *yaml.Node) *tree.Node {
	to := &tree.Node{
		Tagged: n.Style&yaml.TaggedStyle != 0 || n.Tag == "!", // a bare ! is no style to the library
		Line:   n.Line, Column: n.Column, Tag: n.Tag, Value: n.Value, Anchor: n.Anchor,
	}
	switch n.Kind {
	case yaml.ScalarNode:
		to.Kind = tree.Scalar
	case yaml.SequenceNode:
		to.Kind = tree.Sequence
	case yaml.MappingNode:
		to.Kind = tree.Mapping
	case yaml.AliasNode:
		to.Kind = tree.Alias
		return to
	}
	for _, c := range n.Content {
		to.Content = append(to.Content, convert(c))
	}
	return to
}
