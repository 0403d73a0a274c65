package hosttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

// Server is a scripted model on 127.0.0.1 that speaks Anthropic's Messages API
// and the Gemini API. It answers whatever else a client asks of it with
// something harmless, and as the client's proxy refuses every other address, so
// that a run stays on this machine.
type Server struct {
	script Script
	*endpoint

	mu       sync.Mutex
	requests []Request
	failed   map[[2]int]int // conversation, turn -> errors given
	ids      int
}

// Serve starts a server that plays s on a free port of 127.0.0.1.
func Serve(s Script) (*Server, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	srv := &Server{script: s, failed: map[[2]int]int{}}
	var err error
	if srv.endpoint, err = listen(); err != nil {
		return nil, err
	}
	srv.answer(srv.serve)
	return srv, nil
}

// URL returns the server's base address, as ANTHROPIC_BASE_URL wants it.
func (s *Server) URL() string { return s.url() }

// Close stops the server. It waits a moment for answers under way, then cuts
// them off.
func (s *Server) Close() error { return s.close(2 * time.Second) }

// Requests returns what was asked so far, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Of returns the requests of one kind.
func (s *Server) Of(k Kind) []Request {
	var out []Request
	for _, r := range s.Requests() {
		if r.Kind == k {
			out = append(out, r)
		}
	}
	return out
}

// Turns returns the requests of one conversation.
func (s *Server) Turns(conversation string) []Request {
	var out []Request
	for _, r := range s.Requests() {
		if r.Kind == Turned && r.Conversation == conversation {
			out = append(out, r)
		}
	}
	return out
}

// Results returns every tool result that a conversation's model was told, from
// the last request of it: a request repeats all that went before.
func (s *Server) Results(conversation string) []ToolResult {
	turns := s.Turns(conversation)
	if len(turns) == 0 {
		return nil
	}
	last := turns[0]
	for _, r := range turns {
		if len(r.Payload.Messages) >= len(last.Payload.Messages) {
			last = r
		}
	}
	return last.Payload.Results()
}

// Saw returns everything that a conversation's model was told, in any request
// and at any place in it.
func (s *Server) Saw(conversation string) string {
	var b strings.Builder
	for _, r := range s.Turns(conversation) {
		b.WriteString(r.Payload.Text())
	}
	return b.String()
}

func (s *Server) serve(c call) reply {
	req := Request{Method: c.method, Path: c.path, Status: 200}
	if c.proxied {
		req.Kind, req.Path, req.Status = Outbound, c.host, 403
		s.keep(req)
		return reply{status: req.Status, mime: "text/plain; charset=utf-8", body: []byte("this run has no network\n")}
	}
	if c.tooLong {
		req.Status = 413
		s.keep(req)
		return apiError(req.Status, "invalid_request_error", "the request is too large")
	}
	req.Body = c.body
	path := strings.TrimSuffix(c.path, "/")
	switch {
	case c.method == "POST" && strings.HasSuffix(path, "/v1/messages/count_tokens"):
		req.Kind = Count
		s.keep(req)
		return replyJSON(req.Status, map[string]any{"input_tokens": len(c.body) / 4})
	case c.method == "POST" && strings.HasSuffix(path, "/v1/messages"):
		return s.messages(req)
	}
	if model, method, ok := geminiMethod(path); ok && c.method == "POST" {
		return s.gemini(req, model, method)
	}
	s.keep(req)
	return replyJSON(req.Status, map[string]any{})
}

// messages answers POST /v1/messages.
func (s *Server) messages(req Request) reply {
	p, err := ParsePayload(req.Body)
	if err != nil {
		req.Status = 400
		s.keep(req)
		return apiError(req.Status, "invalid_request_error", err.Error())
	}
	req.Payload = p
	turn, refusal := s.turn(&req)
	if refusal != nil {
		return apiError(refusal.Status, refusal.Type, refusal.Message)
	}
	return s.say(p, turn)
}

// turn finds what the script says to a request with its Payload, or the error
// that it gives in its place, and keeps the request.
func (s *Server) turn(req *Request) (Turn, *APIError) {
	defer func() { s.keep(*req) }()
	p := req.Payload
	if len(p.Tools) == 0 {
		req.Kind = Side
		text := s.script.Side
		if text == "" {
			text = `{"title":"scripted","isNewTopic":false}`
		}
		return Turn{Text: text}, nil
	}
	req.Kind, req.Turn = Turned, p.Spoken()
	turn := Turn{Text: Closing}
	conv := s.script.find(p.Opening())
	if conv >= 0 {
		c := s.script.Conversations[conv]
		req.Conversation = c.Name
		if req.Turn < len(c.Turns) {
			turn = c.Turns[req.Turn]
		}
	}
	if e := turn.Error; e != nil && s.refuses(conv, req.Turn, e) {
		req.Status = e.Status
		return Turn{}, e
	}
	return turn, nil
}

// refuses counts one error given for a turn, while there are any to give.
func (s *Server) refuses(conv, turn int, e *APIError) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := [2]int{conv, turn}
	if e.Times > 0 && s.failed[k] >= e.Times {
		return false
	}
	s.failed[k]++
	return true
}

func (s *Server) keep(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Seq = len(s.requests) + 1
	s.requests = append(s.requests, r)
}

// id returns an id that no other answer of this server has: hosts and hooks
// tell calls apart by it.
func (s *Server) id(prefix string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids++
	_, port, _ := net.SplitHostPort(s.ln.Addr().String())
	return fmt.Sprintf("%s_%s%018d", prefix, port, s.ids)
}

// message is a Messages API answer.
type message struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	Role         string         `json:"role"`
	Model        string         `json:"model"`
	Content      []messageBlock `json:"content"`
	StopReason   *string        `json:"stop_reason"`
	StopSequence *string        `json:"stop_sequence"`
	Usage        map[string]int `json:"usage"`
}

type messageBlock struct {
	Type  string          `json:"type"`
	Text  *string         `json:"text,omitempty"`
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

// say gives t as an answer to p, streamed if p asks for it.
func (s *Server) say(p Payload, t Turn) reply {
	m := message{
		ID: s.id("msg"), Type: "message", Role: "assistant", Model: p.Model,
		Usage: map[string]int{"input_tokens": 10, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
	}
	if t.Text != "" || len(t.Calls) == 0 {
		text := t.Text
		if text == "" {
			text = Closing
		}
		m.Content = append(m.Content, messageBlock{Type: "text", Text: &text})
	}
	for _, c := range t.Calls {
		raw, err := json.Marshal(c.Input)
		if err != nil { // check has seen this script
			return apiError(500, "api_error", err.Error())
		}
		m.Content = append(m.Content, messageBlock{Type: "tool_use", ID: s.id("toolu"), Name: c.Tool, Input: raw})
	}
	stop := "end_turn"
	if len(t.Calls) > 0 {
		stop = "tool_use"
	}
	if p.Stream {
		return stream(m, stop)
	}
	m.StopReason = &stop
	return replyJSON(200, m)
}

// stream gives m as server-sent events.
func stream(m message, stop string) reply {
	var b bytes.Buffer
	event := func(name string, data any) {
		raw, err := json.Marshal(data)
		if err != nil {
			return // only our own types come here
		}
		b.WriteString("event: " + name + "\ndata: ")
		b.Write(raw)
		b.WriteString("\n\n")
	}
	type obj = map[string]any
	blocks := m.Content
	m.Content = []messageBlock{}
	event("message_start", obj{"type": "message_start", "message": m})
	event("ping", obj{"type": "ping"})
	for i, blk := range blocks {
		start := blk
		var delta obj
		if blk.Type == "text" {
			start.Text = new(string)
			delta = obj{"type": "text_delta", "text": *blk.Text}
		} else {
			start.Input = json.RawMessage("{}")
			delta = obj{"type": "input_json_delta", "partial_json": string(blk.Input)}
		}
		event("content_block_start", obj{"type": "content_block_start", "index": i, "content_block": start})
		event("content_block_delta", obj{"type": "content_block_delta", "index": i, "delta": delta})
		event("content_block_stop", obj{"type": "content_block_stop", "index": i})
	}
	event("message_delta", obj{"type": "message_delta", "delta": obj{"stop_reason": stop, "stop_sequence": nil}, "usage": obj{"output_tokens": 10}})
	event("message_stop", obj{"type": "message_stop"})
	return reply{
		status: 200, mime: "text/event-stream; charset=utf-8",
		headers: []string{"Cache-Control: no-cache", "Request-Id: req_" + m.ID}, body: b.Bytes(),
	}
}

func replyJSON(status int, v any) reply {
	raw, err := json.Marshal(v)
	if err != nil {
		return reply{status: 500, mime: "text/plain; charset=utf-8", body: []byte(err.Error() + "\n")}
	}
	return reply{status: status, mime: "application/json", body: raw}
}

func apiError(status int, kind, message string) reply {
	if kind == "" {
		kind = "api_error"
	}
	r := replyJSON(status, map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": message}})
	r.headers = []string{"Retry-After-Ms: 1"} // clients back off for seconds otherwise
	return r
}
