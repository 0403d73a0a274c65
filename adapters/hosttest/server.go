package hosttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Server is a scripted Messages API on 127.0.0.1. It answers whatever else a
// client asks of it with something harmless, and as the client's proxy refuses
// every other address, so that a run stays on this machine.
type Server struct {
	script Script
	ln     net.Listener
	http   *http.Server
	done   chan struct{}

	mu       sync.Mutex
	requests []Request
	failed   map[[2]int]int // conversation, turn -> errors given
	ids      int
}

// maxBody bounds one request: a conversation with a large tool result is a few
// megabytes.
const maxBody = 64 << 20

// Serve starts a server that plays s on a free port of 127.0.0.1.
func Serve(s Script) (*Server, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("scripted model server: %w", err)
	}
	srv := &Server{script: s, ln: ln, done: make(chan struct{}), failed: map[[2]int]int{}}
	srv.http = &http.Server{Handler: http.HandlerFunc(srv.serve), ReadHeaderTimeout: 30 * time.Second}
	go func() {
		defer close(srv.done)
		_ = srv.http.Serve(ln) // ends with http.ErrServerClosed at Close
	}()
	return srv, nil
}

// URL returns the server's base address, as ANTHROPIC_BASE_URL wants it.
func (s *Server) URL() string { return "http://" + s.ln.Addr().String() }

// Close stops the server. It waits a moment for answers under way, then cuts
// them off.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.done
	if err != nil {
		return fmt.Errorf("scripted model server: %w", err)
	}
	return nil
}

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

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	req := Request{Method: r.Method, Path: r.URL.Path, Status: http.StatusOK}
	if r.Method == http.MethodConnect || r.URL.IsAbs() {
		req.Kind, req.Path, req.Status = Outbound, r.Host, http.StatusForbidden
		s.keep(req)
		http.Error(w, "this run has no network", http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		req.Status = http.StatusRequestEntityTooLarge
		s.keep(req)
		apiError(w, req.Status, "invalid_request_error", err.Error())
		return
	}
	req.Body = body
	path := strings.TrimSuffix(r.URL.Path, "/")
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/v1/messages/count_tokens"):
		req.Kind = Count
		s.keep(req)
		writeJSON(w, http.StatusOK, map[string]any{"input_tokens": len(body) / 4})
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/v1/messages"):
		s.messages(w, req)
	case r.Method == http.MethodHead || r.Method == http.MethodGet || r.Method == http.MethodOptions:
		s.keep(req)
		writeJSON(w, http.StatusOK, map[string]any{})
	default:
		s.keep(req)
		writeJSON(w, http.StatusOK, map[string]any{})
	}
}

// messages answers POST /v1/messages.
func (s *Server) messages(w http.ResponseWriter, req Request) {
	p, err := ParsePayload(req.Body)
	if err != nil {
		req.Status = http.StatusBadRequest
		s.keep(req)
		apiError(w, req.Status, "invalid_request_error", err.Error())
		return
	}
	req.Payload = p
	if len(p.Tools) == 0 {
		req.Kind = Side
		s.keep(req)
		text := s.script.Side
		if text == "" {
			text = `{"title":"scripted","isNewTopic":false}`
		}
		s.say(w, p, Turn{Text: text})
		return
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
	if e := turn.Error; e != nil {
		if s.refuses(conv, req.Turn, e) {
			req.Status = e.Status
			s.keep(req)
			apiError(w, e.Status, e.Type, e.Message)
			return
		}
	}
	s.keep(req)
	s.say(w, p, turn)
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

// reply is a Messages API answer.
type reply struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	Role         string         `json:"role"`
	Model        string         `json:"model"`
	Content      []replyBlock   `json:"content"`
	StopReason   *string        `json:"stop_reason"`
	StopSequence *string        `json:"stop_sequence"`
	Usage        map[string]int `json:"usage"`
}

type replyBlock struct {
	Type  string          `json:"type"`
	Text  *string         `json:"text,omitempty"`
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

// say writes t as an answer to p, streamed if p asks for it.
func (s *Server) say(w http.ResponseWriter, p Payload, t Turn) {
	m := reply{
		ID: s.id("msg"), Type: "message", Role: "assistant", Model: p.Model,
		Usage: map[string]int{"input_tokens": 10, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
	}
	if t.Text != "" || len(t.Calls) == 0 {
		text := t.Text
		if text == "" {
			text = Closing
		}
		m.Content = append(m.Content, replyBlock{Type: "text", Text: &text})
	}
	for _, c := range t.Calls {
		raw, err := json.Marshal(c.Input)
		if err != nil { // check has seen this script
			apiError(w, http.StatusInternalServerError, "api_error", err.Error())
			return
		}
		m.Content = append(m.Content, replyBlock{Type: "tool_use", ID: s.id("toolu"), Name: c.Tool, Input: raw})
	}
	stop := "end_turn"
	if len(t.Calls) > 0 {
		stop = "tool_use"
	}
	if p.Stream {
		stream(w, m, stop)
		return
	}
	m.StopReason = &stop
	writeJSON(w, http.StatusOK, m)
}

// stream writes m as server-sent events.
func stream(w http.ResponseWriter, m reply, stop string) {
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
	m.Content = []replyBlock{}
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
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("Request-Id", "req_"+m.ID)
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(b.Bytes()) // the client may be gone
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the client may be gone
}

func apiError(w http.ResponseWriter, status int, kind, message string) {
	if kind == "" {
		kind = "api_error"
	}
	w.Header().Set("Retry-After-Ms", "1") // clients back off for seconds otherwise
	writeJSON(w, status, map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": message}})
}
