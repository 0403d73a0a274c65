package hosttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// geminiMethod returns the model and the method that a path of the Gemini API
// names: /v1beta/models/MODEL:METHOD.
func geminiMethod(path string) (model, method string, ok bool) {
	_, rest, ok := strings.Cut(path, "/models/")
	if !ok {
		return "", "", false
	}
	model, method, ok = strings.Cut(rest, ":")
	return model, method, ok
}

// gemini answers the methods that Gemini CLI uses.
func (s *Server) gemini(req Request, model, method string) reply {
	switch method {
	case "countTokens":
		req.Kind = Count
		s.keep(req)
		return replyJSON(req.Status, map[string]any{"totalTokens": len(req.Body) / 4})
	case "generateContent", "streamGenerateContent":
	default:
		s.keep(req)
		return replyJSON(req.Status, map[string]any{})
	}
	p, err := ParseGemini(req.Body)
	if err != nil {
		req.Status = 400
		s.keep(req)
		return geminiError(&APIError{Status: req.Status, Type: "INVALID_ARGUMENT", Message: err.Error()})
	}
	p.Model, p.Stream = model, method == "streamGenerateContent"
	req.Payload = p
	turn, refusal := s.turn(&req)
	if refusal != nil {
		return geminiError(refusal)
	}
	return s.sayGemini(p, turn)
}

// ParseGemini reads the body of a generateContent request of the Gemini API.
// The model's messages get the role assistant; a function's response becomes a
// tool_result, which is an error if it has a member error, and answers the call
// with its id, else the oldest unanswered call of its name. Fields that it does
// not know are passed over.
func ParseGemini(body []byte) (Payload, error) {
	type part struct {
		Text         *string
		FunctionCall *struct {
			ID, Name string
			Args     json.RawMessage
		}
		FunctionResponse *struct {
			ID, Name string
			Response json.RawMessage
		}
	}
	var in struct {
		Contents []struct {
			Role  string
			Parts []part
		}
		SystemInstruction json.RawMessage
		Tools             []struct {
			FunctionDeclarations []struct{ Name string }
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Payload{}, fmt.Errorf("generateContent request: %w", err)
	}
	var p Payload
	var system struct{ Parts []part }
	if json.Unmarshal(in.SystemInstruction, &system) == nil {
		for _, b := range system.Parts {
			if b.Text != nil {
				p.System = join(p.System, *b.Text)
			}
		}
	}
	for _, t := range in.Tools {
		for _, f := range t.FunctionDeclarations {
			p.Tools = append(p.Tools, f.Name)
		}
	}
	open := map[string][]string{} // tool -> ids of its unanswered calls
	calls := 0
	for _, c := range in.Contents {
		m := Message{Role: c.Role}
		if c.Role == "model" {
			m.Role = "assistant"
		}
		for _, b := range c.Parts {
			switch {
			case b.FunctionCall != nil:
				f := b.FunctionCall
				if f.ID == "" {
					calls++
					f.ID = fmt.Sprintf("call %d", calls)
				}
				open[f.Name] = append(open[f.Name], f.ID)
				m.Blocks = append(m.Blocks, Block{Type: "tool_use", ID: f.ID, Tool: f.Name, Input: f.Args})
			case b.FunctionResponse != nil:
				f := b.FunctionResponse
				text, isError := geminiResponse(f.Response)
				m.Blocks = append(m.Blocks, Block{Type: "tool_result", ID: answered(open, f.Name, f.ID), Text: text, IsError: isError})
			case b.Text != nil:
				m.Blocks = append(m.Blocks, Block{Type: "text", Text: *b.Text})
			}
		}
		p.Messages = append(p.Messages, m)
	}
	return p, nil
}

// answered takes the call that a response answers off the list, and returns its
// id.
func answered(open map[string][]string, tool, id string) string {
	ids := open[tool]
	for i, have := range ids {
		if id == "" || have == id {
			open[tool] = append(ids[:i:i], ids[i+1:]...)
			return have
		}
	}
	return id
}

// geminiResponse returns the text of a function's response: its output or
// error, as text if it is one, else as JSON.
func geminiResponse(raw json.RawMessage) (response string, isError bool) {
	var in struct{ Output, Error json.RawMessage }
	if json.Unmarshal(raw, &in) != nil {
		return string(raw), false
	}
	v := in.Output
	if in.Error != nil {
		v, isError = in.Error, true
	}
	if s := text(v); s != "" {
		return s, isError
	}
	if v == nil {
		v = raw
	}
	return string(v), isError
}

type geminiPart struct {
	Text         string      `json:"text,omitempty"`
	FunctionCall *geminiCall `json:"functionCall,omitempty"`
}

type geminiCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// sayGemini gives t as an answer to p: one object, or, streamed, one chunk for
// each part.
func (s *Server) sayGemini(p Payload, t Turn) reply {
	var parts []geminiPart
	if t.Text != "" || len(t.Calls) == 0 {
		text := t.Text
		if text == "" {
			text = Closing
		}
		parts = append(parts, geminiPart{Text: text})
	}
	for _, c := range t.Calls {
		raw, err := json.Marshal(c.Input)
		if err != nil { // check has seen this script
			return geminiError(&APIError{Status: 500, Message: err.Error()})
		}
		parts = append(parts, geminiPart{FunctionCall: &geminiCall{ID: s.id("call"), Name: c.Tool, Args: raw}})
	}
	type obj = map[string]any
	id := s.id("resp")
	chunk := func(parts []geminiPart, last bool) obj {
		candidate := obj{"content": obj{"role": "model", "parts": parts}, "index": 0}
		if last {
			candidate["finishReason"] = "STOP"
		}
		return obj{
			"candidates": []obj{candidate}, "modelVersion": p.Model, "responseId": id,
			"usageMetadata": obj{"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
		}
	}
	if !p.Stream {
		return replyJSON(200, chunk(parts, true))
	}
	var b bytes.Buffer
	for i := range parts {
		raw, err := json.Marshal(chunk(parts[i:i+1], i == len(parts)-1))
		if err != nil {
			return geminiError(&APIError{Status: 500, Message: err.Error()}) // only our own types come here
		}
		b.WriteString("data: ")
		b.Write(raw)
		b.WriteString("\r\n\r\n")
	}
	return reply{status: 200, mime: "text/event-stream", body: b.Bytes()}
}

// geminiError gives an error of the Gemini API, with leave to try again at
// once: clients back off for seconds otherwise.
func geminiError(e *APIError) reply {
	kind := e.Type
	if kind == "" {
		kind = "INTERNAL"
	}
	return replyJSON(e.Status, map[string]any{"error": map[string]any{
		"code": e.Status, "message": e.Message, "status": kind,
		"details": []map[string]any{{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.001s"}},
	}})
}
