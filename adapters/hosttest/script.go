package hosttest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Script is what the scripted model says. The zero value answers every
// conversation with one closing word.
type Script struct {
	// Conversations are tried in order. The first whose When the conversation's
	// opening user message contains speaks; an empty When matches any.
	Conversations []Conversation
	// Side answers requests that offer no tools (titles, summaries, probes of a
	// small model). Empty means a small JSON object that such callers accept.
	Side string
}

// Conversation is one agent's part: the main thread's, or a subagent's.
type Conversation struct {
	Name string // for assertions
	When string // text in the first user message that tells this conversation from the others
	// Turns are the assistant's messages in order. The turn is chosen by the
	// number of assistant messages that the request already holds, so a retry
	// gets the same turn again. Past the last one the model says Closing.
	Turns []Turn
}

// Closing is what the model says when its script is over.
const Closing = "Done."

// Turn is one assistant message: text, tool calls, or an API error in their
// place.
type Turn struct {
	Text  string
	Calls []Call
	Error *APIError
}

// Call is one tool call. Input is marshalled as JSON.
type Call struct {
	Tool  string
	Input any
}

// APIError makes the server refuse a turn with an API error.
type APIError struct {
	Status  int    // HTTP status
	Type    string // e.g. overloaded_error
	Message string
	Times   int // how many requests are refused before the turn is given; 0 = all
}

// Say returns a turn of text alone.
func Say(text string) Turn { return Turn{Text: text} }

// Use returns a turn of tool calls.
func Use(calls ...Call) Turn { return Turn{Calls: calls} }

// check reports what in s cannot be played.
func (s Script) check() error {
	for i, c := range s.Conversations {
		for j, t := range c.Turns {
			for _, call := range t.Calls {
				raw, err := json.Marshal(call.Input)
				if err != nil {
					return fmt.Errorf("script: conversation %d %q, turn %d, input of %s: %w", i, c.Name, j, call.Tool, err)
				}
				if call.Tool == "" || len(raw) == 0 || raw[0] != '{' {
					return fmt.Errorf("script: conversation %d %q, turn %d: a call needs a tool and an object as input, got %q and %s", i, c.Name, j, call.Tool, raw)
				}
			}
			if e := t.Error; e != nil && (e.Status < 400 || e.Status > 599) {
				return fmt.Errorf("script: conversation %d %q, turn %d: an API error needs a status from 400 to 599, got %d", i, c.Name, j, e.Status)
			}
		}
	}
	return nil
}

// find returns the index of the conversation that opening belongs to, or -1.
func (s Script) find(opening string) int {
	for i, c := range s.Conversations {
		if c.When == "" || strings.Contains(opening, c.When) {
			return i
		}
	}
	return -1
}
