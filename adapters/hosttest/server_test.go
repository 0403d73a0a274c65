package hosttest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// obj is a JSON object in a test.
type obj = map[string]any

func serve(t *testing.T, s Script) *Server {
	t.Helper()
	srv, err := Serve(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

// post sends one request and returns its status and body.
func post(t *testing.T, url string, body any) (int, []byte) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(url, "application/json", bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, out
}

// answer is what a client reads of one assistant message.
type answer struct {
	Text  string
	Tools []string
	Input []string
	IDs   []string
	Stop  string
}

// ask posts a conversation to the server and reads the plain answer.
func ask(t *testing.T, srv *Server, messages []obj) answer {
	t.Helper()
	status, body := post(t, srv.URL()+"/v1/messages?beta=true", obj{
		"model": "m", "tools": []obj{{"name": "Bash"}}, "messages": messages,
	})
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	var m struct {
		Content []struct {
			Type, Text, Name, ID string
			Input                json.RawMessage
		}
		StopReason string `json:"stop_reason"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	a := answer{Stop: m.StopReason}
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			a.Text += b.Text
		case "tool_use":
			a.Tools, a.Input, a.IDs = append(a.Tools, b.Name), append(a.Input, string(b.Input)), append(a.IDs, b.ID)
		}
	}
	return a
}

func user(text string) obj { return obj{"role": "user", "content": text} }

func assistant(text string) obj {
	return obj{"role": "assistant", "content": []obj{{"type": "text", "text": text}}}
}

func TestTurnsFollowTheConversation(t *testing.T) {
	srv := serve(t, Script{Conversations: []Conversation{{Name: "main", Turns: []Turn{
		Use(Call{Tool: "Bash", Input: obj{"command": "ls"}}, Call{Tool: "Read", Input: obj{"file_path": "/a"}}),
		Say("second"),
	}}}})
	var conv []obj
	conv = append(conv, user("go"))
	for range 2 { // a retry is the same question
		a := ask(t, srv, conv)
		if diff := cmp.Diff(answer{Tools: []string{"Bash", "Read"}, Input: []string{`{"command":"ls"}`, `{"file_path":"/a"}`}, IDs: a.IDs, Stop: "tool_use"}, a); diff != "" {
			t.Fatal(diff)
		}
	}
	// The host may split one assistant message in two; it stays one turn.
	conv = append(conv, assistant("a"), assistant("b"), user("result"))
	if a := ask(t, srv, conv); a.Text != "second" || a.Stop != "end_turn" {
		t.Fatalf("second turn = %+v", a)
	}
	conv = append(conv, assistant("second"), user("more"))
	if a := ask(t, srv, conv); a.Text != Closing {
		t.Fatalf("past the script = %+v", a)
	}
	var turns []int
	for _, r := range srv.Turns("main") {
		turns = append(turns, r.Turn)
	}
	if diff := cmp.Diff([]int{0, 0, 1, 2}, turns); diff != "" {
		t.Fatal(diff)
	}
}

func TestConversationsAreToldApartByTheirOpening(t *testing.T) {
	srv := serve(t, Script{Conversations: []Conversation{
		{Name: "helper", When: "HELPER", Turns: []Turn{Say("I help")}},
		{Name: "main", Turns: []Turn{Say("I lead"), Say("still me")}},
	}})
	if a := ask(t, srv, []obj{user("please"), user("you are the HELPER")}); a.Text != "I help" {
		t.Errorf("helper says %q", a.Text)
	}
	// What the assistant or a later message says does not move a conversation.
	if a := ask(t, srv, []obj{user("please"), assistant("HELPER"), user("HELPER")}); a.Text != "still me" {
		t.Errorf("main says %q", a.Text)
	}
	if got := len(srv.Turns("main")); got != 1 {
		t.Errorf("main had %d turns", got)
	}
}

func TestNoConversationMatchesMeansClosing(t *testing.T) {
	srv := serve(t, Script{Conversations: []Conversation{{Name: "x", When: "nowhere", Turns: []Turn{Say("x")}}}})
	if a := ask(t, srv, []obj{user("hi")}); a.Text != Closing {
		t.Errorf("got %q", a.Text)
	}
}

// assemble reads a streamed answer as a client does.
func assemble(t *testing.T, body []byte) answer {
	t.Helper()
	var a answer
	var event string
	input := map[int]string{}
	tool := map[int]int{}
	var order []string
	sc := bufio.NewScanner(bytes.NewReader(body))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := sc.Text()
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			event = name
			continue
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type  string
			Index int
			Block struct {
				Type, Name, ID string
				Input          json.RawMessage
			} `json:"content_block"`
			Delta struct {
				Type, Text string
				Partial    string `json:"partial_json"`
				Stop       string `json:"stop_reason"`
			}
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		if e.Type != event {
			t.Fatalf("event %q carries %q", event, e.Type)
		}
		order = append(order, event)
		switch {
		case event == "content_block_start" && e.Block.Type == "tool_use":
			if string(e.Block.Input) != "{}" {
				t.Errorf("a block starts with input %s", e.Block.Input)
			}
			tool[e.Index] = len(a.Tools)
			a.Tools, a.IDs, a.Input = append(a.Tools, e.Block.Name), append(a.IDs, e.Block.ID), append(a.Input, "")
		case event == "content_block_delta" && e.Delta.Type == "text_delta":
			a.Text += e.Delta.Text
		case event == "content_block_delta" && e.Delta.Type == "input_json_delta":
			input[e.Index] += e.Delta.Partial
			a.Input[tool[e.Index]] = input[e.Index]
		case event == "message_delta":
			a.Stop = e.Delta.Stop
		}
	}
	if len(order) < 2 || order[0] != "message_start" || order[len(order)-1] != "message_stop" {
		t.Errorf("events: %v", order)
	}
	return a
}

func TestAStreamCarriesTheSameMessage(t *testing.T) {
	srv := serve(t, Script{Conversations: []Conversation{{Turns: []Turn{{
		Text:  "first \"this\"\n",
		Calls: []Call{{Tool: "Bash", Input: obj{"command": "echo 'a\nb'"}}, {Tool: "Write", Input: obj{"content": "ü€"}}},
	}}}}})
	body := obj{"model": "m", "tools": []obj{{"name": "Bash"}}, "messages": []obj{user("go")}}
	plain := ask(t, srv, []obj{user("go")})
	body["stream"] = true
	status, raw := post(t, srv.URL()+"/v1/messages", body)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, raw)
	}
	streamed := assemble(t, raw)
	plain.IDs, streamed.IDs = nil, nil
	if diff := cmp.Diff(plain, streamed); diff != "" {
		t.Fatal(diff)
	}
	if plain.Text == "" || len(plain.Tools) != 2 || plain.Stop != "tool_use" {
		t.Fatalf("plain answer: %+v", plain)
	}
}

func TestCallIDsAreNeverGivenTwice(t *testing.T) {
	srv := serve(t, Script{Conversations: []Conversation{{Turns: []Turn{Use(
		Call{Tool: "A", Input: obj{}}, Call{Tool: "B", Input: obj{}},
	)}}}})
	const clients, each = 8, 5
	ids := make(chan string, clients*each*2)
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range each {
				for _, id := range ask(t, srv, []obj{user("go")}).IDs {
					ids <- id
				}
			}
		})
	}
	wg.Wait()
	close(ids)
	seen := map[string]bool{}
	for id := range ids {
		if seen[id] {
			t.Fatalf("%s given twice", id)
		}
		seen[id] = true
	}
	if len(seen) != clients*each*2 {
		t.Fatalf("%d ids", len(seen))
	}
	for i, r := range srv.Requests() {
		if r.Seq != i+1 {
			t.Fatalf("request %d has number %d", i, r.Seq)
		}
	}
}

func TestSideRequestsAreNoTurn(t *testing.T) {
	srv := serve(t, Script{Conversations: []Conversation{{Name: "main", Turns: []Turn{Say("turn")}}}})
	status, body := post(t, srv.URL()+"/v1/messages", obj{"model": "small", "messages": []obj{user("name this: go")}})
	if status != http.StatusOK || bytes.Contains(body, []byte(`"turn"`)) || !bytes.Contains(body, []byte("scripted")) {
		t.Errorf("side request: %d %s", status, body)
	}
	if a := ask(t, srv, []obj{user("go")}); a.Text != "turn" {
		t.Errorf("main then says %q", a.Text)
	}
	if got := len(srv.Of(Side)); got != 1 {
		t.Errorf("%d side requests", got)
	}
}

func TestEverythingElseGetsAHarmlessAnswer(t *testing.T) {
	srv := serve(t, Script{})
	status, body := post(t, srv.URL()+"/v1/messages/count_tokens?beta=true", obj{"messages": []obj{user("go")}})
	var count struct {
		Tokens *int `json:"input_tokens"`
	}
	if err := json.Unmarshal(body, &count); err != nil || count.Tokens == nil || status != http.StatusOK {
		t.Errorf("count_tokens: %d %s", status, body)
	}
	for _, tc := range []struct{ method, path string }{
		{http.MethodHead, "/"}, {http.MethodGet, "/api/hello"}, {http.MethodGet, "/v1/models"}, {http.MethodPost, "/api/event_logging/batch"},
	} {
		req, err := http.NewRequest(tc.method, srv.URL()+tc.path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s %s: %d", tc.method, tc.path, resp.StatusCode)
		}
	}
	if got := len(srv.Of(Probe)); got != 4 {
		t.Errorf("%d probes kept", got)
	}
	if got := len(srv.Of(Count)); got != 1 {
		t.Errorf("%d counts kept", got)
	}
}

func TestABrokenRequestIsRefused(t *testing.T) {
	srv := serve(t, Script{})
	for _, body := range []string{"", "[", "[]", `"x"`, `{"messages":{}}`} {
		resp, err := http.Post(srv.URL()+"/v1/messages", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%q: %d", body, resp.StatusCode)
		}
	}
}

func TestAsAProxyItReachesNothing(t *testing.T) {
	srv := serve(t, Script{})
	proxy, err := url.Parse(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{Proxy: http.ProxyURL(proxy)}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr}
	if resp, err := client.Get("http://plain.invalid/x"); err != nil {
		t.Error(err)
	} else {
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("plain request: %d", resp.StatusCode)
		}
	}
	if resp, err := client.Get("https://tunnel.invalid/x"); err == nil {
		resp.Body.Close()
		t.Errorf("tunnel: %d", resp.StatusCode)
	}
	var hosts []string
	for _, r := range srv.Of(Outbound) {
		hosts = append(hosts, r.Path)
	}
	if diff := cmp.Diff([]string{"plain.invalid", "tunnel.invalid:443"}, hosts); diff != "" {
		t.Error(diff)
	}
}

func TestAnAPIErrorIsGivenAsOftenAsScripted(t *testing.T) {
	for _, tc := range []struct {
		times int
		want  []int
	}{
		{times: 2, want: []int{529, 529, 200, 200}},
		{times: 0, want: []int{529, 529, 529, 529}},
	} {
		t.Run(fmt.Sprint(tc.times), func(t *testing.T) {
			turn := Say("at last")
			turn.Error = &APIError{Status: 529, Type: "overloaded_error", Message: "busy", Times: tc.times}
			srv := serve(t, Script{Conversations: []Conversation{{Turns: []Turn{turn}}}})
			var got []int
			var last []byte
			for range tc.want {
				status, body := post(t, srv.URL()+"/v1/messages", obj{"tools": []obj{{"name": "Bash"}}, "messages": []obj{user("go")}})
				got, last = append(got, status), body
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Fatal(diff)
			}
			if want := []string{"overloaded_error", "at last"}[min(tc.times, 1)]; !bytes.Contains(last, []byte(want)) {
				t.Errorf("last answer: %s", last)
			}
		})
	}
}

func TestWhatTheModelSawIsKept(t *testing.T) {
	srv := serve(t, Script{Conversations: []Conversation{{Name: "main"}}})
	conv := []obj{
		user("go"),
		{"role": "assistant", "content": []obj{{"type": "tool_use", "id": "t1", "name": "Bash", "input": obj{"command": "ls"}}}},
		{"role": "user", "content": []obj{
			{"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": []obj{
				{"type": "text", "text": "denied"}, {"type": "text", "text": "<system-reminder>inside</system-reminder>"},
			}},
		}},
		{"role": "system", "content": "beside"},
	}
	ask(t, srv, conv)
	ask(t, srv, conv[:1]) // a later, shorter request hides nothing
	want := []ToolResult{{
		Call: Call{Tool: "Bash", Input: json.RawMessage(`{"command":"ls"}`)},
		Text: "denied\n<system-reminder>inside</system-reminder>", IsError: true,
	}}
	if diff := cmp.Diff(want, srv.Results("main")); diff != "" {
		t.Error(diff)
	}
	for _, s := range []string{"go", "inside", "beside"} {
		if !strings.Contains(srv.Saw("main"), s) {
			t.Errorf("the model did not see %q", s)
		}
	}
	if got := srv.Results("other"); got != nil {
		t.Errorf("a conversation that never was has results: %v", got)
	}
}

func TestHeadersAreNotKept(t *testing.T) {
	srv := serve(t, Script{})
	req, err := http.NewRequest(http.MethodPost, srv.URL()+"/v1/messages", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", "a-key-of-someone")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if kept := fmt.Sprintf("%+v", srv.Requests()); strings.Contains(kept, "a-key-of-someone") {
		t.Error("the key was kept")
	}
}

func TestAScriptThatCannotBePlayedIsRefused(t *testing.T) {
	for name, turn := range map[string]Turn{
		"no tool":        Use(Call{Input: obj{}}),
		"no input":       Use(Call{Tool: "Bash"}),
		"no object":      Use(Call{Tool: "Bash", Input: []string{"a"}}),
		"not marshalled": Use(Call{Tool: "Bash", Input: func() {}}),
		"no error":       {Error: &APIError{Status: 200}},
	} {
		t.Run(name, func(t *testing.T) {
			srv, err := Serve(Script{Conversations: []Conversation{{Turns: []Turn{turn}}}})
			if err == nil {
				_ = srv.Close()
				t.Fatal("served")
			}
		})
	}
}

func TestAfterCloseNothingListens(t *testing.T) {
	srv, err := Serve(Script{})
	if err != nil {
		t.Fatal(err)
	}
	addr := srv.ln.Addr().String()
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", addr); err == nil {
		c.Close()
		t.Error("still listening")
	}
}

func FuzzParsePayload(f *testing.F) {
	f.Add([]byte(`{"model":"m","stream":true,"system":[{"type":"text","text":"s"}],"tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"x"}]}`))
	f.Add([]byte(`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"B","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"t"}]}]}]}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"text","text":1}]}],"system":7}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := ParsePayload(body)
		if err != nil {
			return
		}
		if n := p.Spoken(); n < 0 || n > len(p.Messages) {
			t.Errorf("%d of %d messages are the assistant's", n, len(p.Messages))
		}
		for _, r := range p.Results() {
			if !strings.Contains(p.Text(), r.Text) && p.Spoken() == 0 {
				t.Errorf("result %q is not in the text", r.Text)
			}
		}
		_ = p.Opening()
	})
}

func FuzzParseStream(f *testing.F) {
	f.Add([]byte("{\"type\":\"system\",\"subtype\":\"init\",\"permissionMode\":\"default\"}\n\n{\"type\":\"result\",\"is_error\":true,\"result\":\"r\"}\n"))
	f.Add([]byte(`{"type":7,"is_error":"yes"}`))
	f.Add([]byte("text"))
	f.Fuzz(func(t *testing.T, out []byte) {
		lines, err := ParseStream(out)
		if err == nil && len(bytes.TrimSpace(out)) > 0 && len(lines) == 0 {
			t.Errorf("nothing read from %q", out)
		}
		for _, l := range lines {
			if !json.Valid(l.Raw) {
				t.Errorf("kept %q", l.Raw)
			}
		}
	})
}
