package hosttest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Kind says what a request was. The zero value is one that is no part of a
// model's API.
type Kind int

// Kinds of request.
const (
	Probe    Kind = iota // a hello, a HEAD, a path we do not know
	Turned               // a turn of a conversation: it offers tools
	Side                 // a request without tools: a title, a summary
	Count                // a count of tokens
	Outbound             // an attempt to reach another host through us as its proxy; refused
)

func (k Kind) String() string {
	switch k {
	case Turned:
		return "turn"
	case Side:
		return "side"
	case Count:
		return "count"
	case Outbound:
		return "outbound"
	default:
		return "probe"
	}
}

// Request is what the server keeps of one request. Header values are not kept:
// they carry the key.
type Request struct {
	Seq          int // order of arrival, from 1
	Method, Path string
	Kind         Kind
	Conversation string // name of the conversation it was a turn of
	Turn         int    // index of the turn it asked for
	Status       int    // HTTP status it got
	Payload      Payload
	Body         []byte
}

// Payload is the body of a request to the model, as far as assertions need it,
// in the words of the Messages API.
type Payload struct {
	Model    string
	Stream   bool
	System   string
	Tools    []string
	Messages []Message
}

// Message is one message of a conversation. Role is user, assistant, or, for
// hook context on newer models, system.
type Message struct {
	Role   string
	Blocks []Block
}

// Block is one content block; Text holds all text in it, also that of a tool
// result's inner blocks.
type Block struct {
	Type    string
	Text    string
	ID      string          // tool_use: its id; tool_result: the id of the call it answers
	Tool    string          // tool_use: the tool's name
	Input   json.RawMessage // tool_use
	IsError bool            // tool_result
}

// ParsePayload reads the body of a Messages API request. Fields and blocks that
// it does not know are passed over.
func ParsePayload(body []byte) (Payload, error) {
	var in struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		System   json.RawMessage `json:"system"`
		Tools    []struct{ Name string }
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Payload{}, fmt.Errorf("messages request: %w", err)
	}
	p := Payload{Model: in.Model, Stream: in.Stream}
	for _, b := range blocks(in.System) {
		p.System = join(p.System, b.Text)
	}
	for _, t := range in.Tools {
		p.Tools = append(p.Tools, t.Name)
	}
	for _, m := range in.Messages {
		p.Messages = append(p.Messages, Message{Role: m.Role, Blocks: blocks(m.Content)})
	}
	return p, nil
}

// maxNesting bounds how deep content inside content is followed.
const maxNesting = 8

func blocks(raw json.RawMessage) []Block { return nested(raw, maxNesting) }

// nested reads a content value: a string, or an array of blocks.
func nested(raw json.RawMessage, depth int) []Block {
	if len(raw) == 0 || depth == 0 {
		return nil
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return []Block{{Type: "text", Text: s}}
	}
	var in []struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		ToolUseID string          `json:"tool_use_id"`
		IsError   bool            `json:"is_error"`
		Content   json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return nil
	}
	out := make([]Block, 0, len(in))
	for _, b := range in {
		blk := Block{Type: b.Type, Text: b.Text, ID: b.ID, Tool: b.Name, Input: b.Input, IsError: b.IsError}
		if b.ToolUseID != "" {
			blk.ID = b.ToolUseID
		}
		for _, inner := range nested(b.Content, depth-1) {
			blk.Text = join(blk.Text, inner.Text)
		}
		out = append(out, blk)
	}
	return out
}

func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "\n" + b
}

// Opening returns the text of the messages before the assistant first spoke:
// it tells one conversation from another.
func (p Payload) Opening() string {
	var b strings.Builder
	for _, m := range p.Messages {
		if m.Role == "assistant" {
			break
		}
		if m.Role != "user" {
			continue
		}
		for _, blk := range m.Blocks {
			b.WriteString(blk.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Spoken returns how many messages of the assistant the request holds.
func (p Payload) Spoken() int {
	n := 0
	for i, m := range p.Messages {
		if m.Role == "assistant" && (i == 0 || p.Messages[i-1].Role != "assistant") {
			n++
		}
	}
	return n
}

// Text returns everything that the conversation holds and the assistant did
// not say: prompts, tool results, reminders and hook context, wherever the
// host placed them.
func (p Payload) Text() string {
	var b strings.Builder
	for _, m := range p.Messages {
		if m.Role == "assistant" {
			continue
		}
		for _, blk := range m.Blocks {
			b.WriteString(blk.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// ToolResult is what the model was told about one of its calls.
type ToolResult struct {
	Call    Call   // as the model asked; Input is json.RawMessage
	Text    string // the result's text
	IsError bool
}

// Results returns the tool results in p, in the order they came.
func (p Payload) Results() []ToolResult {
	calls := map[string]Call{}
	var out []ToolResult
	for _, m := range p.Messages {
		for _, b := range m.Blocks {
			switch b.Type {
			case "tool_use":
				calls[b.ID] = Call{Tool: b.Tool, Input: b.Input}
			case "tool_result":
				out = append(out, ToolResult{Call: calls[b.ID], Text: b.Text, IsError: b.IsError})
			}
		}
	}
	return out
}
