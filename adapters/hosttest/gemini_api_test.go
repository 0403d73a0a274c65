package hosttest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gem asks the Gemini API and joins what all chunks of its answer say.
func gem(t *testing.T, srv *Server, method string, contents ...obj) answer {
	t.Helper()
	status, body := post(t, srv.URL()+"/v1beta/models/gemini-2.5-flash:"+method+"?alt=sse", obj{
		"contents": contents, "tools": []obj{{"functionDeclarations": []obj{{"name": "run_shell_command"}}}},
	})
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	chunks := []string{string(body)}
	if method == "streamGenerateContent" {
		chunks = nil
		for event := range strings.SplitSeq(strings.TrimSpace(string(body)), "\r\n\r\n") {
			data, ok := strings.CutPrefix(event, "data: ")
			if !ok {
				t.Fatalf("not an event: %q", event)
			}
			chunks = append(chunks, data)
		}
	}
	var a answer
	for _, c := range chunks {
		var in struct {
			Candidates []struct {
				Content struct {
					Role  string
					Parts []struct {
						Text         string
						FunctionCall *struct {
							ID, Name string
							Args     json.RawMessage
						}
					}
				}
				FinishReason string
			}
		}
		if err := json.Unmarshal([]byte(c), &in); err != nil {
			t.Fatalf("%v in %s", err, c)
		}
		for _, p := range in.Candidates[0].Content.Parts {
			a.Text += p.Text
			if f := p.FunctionCall; f != nil {
				a.Tools, a.Input, a.IDs = append(a.Tools, f.Name), append(a.Input, string(f.Args)), append(a.IDs, f.ID)
			}
		}
		a.Stop += in.Candidates[0].FinishReason
	}
	return a
}

func said(role, text string) obj {
	return obj{"role": role, "parts": []obj{{"text": text}}}
}

func TestGeminiTurnsFollowTheConversation(t *testing.T) {
	srv := serve(t, Script{Conversations: []Conversation{{Name: "main", When: "go", Turns: []Turn{
		{Text: "first", Calls: []Call{{Tool: "run_shell_command", Input: obj{"command": "ls"}}, {Tool: "glob", Input: obj{"pattern": "*"}}}},
		Say("second"),
	}}}})
	seen := map[string]bool{}
	for _, method := range []string{"streamGenerateContent", "generateContent"} {
		a := gem(t, srv, method, said("user", "go"))
		want := answer{
			Text: "first", Tools: []string{"run_shell_command", "glob"}, Input: []string{`{"command":"ls"}`, `{"pattern":"*"}`}, IDs: a.IDs, Stop: "STOP",
		}
		if diff := cmp.Diff(want, a); diff != "" {
			t.Errorf("%s: %s", method, diff)
		}
		for _, id := range a.IDs {
			if id == "" || seen[id] {
				t.Errorf("id %q is empty or given twice", id)
			}
			seen[id] = true
		}
	}
	if a := gem(t, srv, "streamGenerateContent", said("user", "go"), said("model", "first"), said("user", "on")); a.Text != "second" {
		t.Errorf("second turn = %+v", a)
	}
	if a := gem(t, srv, "streamGenerateContent", said("user", "another")); a.Text != Closing {
		t.Errorf("no conversation = %+v", a)
	}
	var turns []int
	for _, r := range srv.Turns("main") {
		turns = append(turns, r.Turn)
		if r.Payload.Model != "gemini-2.5-flash" || r.Path != "/v1beta/models/gemini-2.5-flash:"+map[bool]string{true: "streamG", false: "g"}[r.Payload.Stream]+"enerateContent" {
			t.Errorf("kept as %s %+v", r.Path, r.Payload.Model)
		}
	}
	if diff := cmp.Diff([]int{0, 0, 1}, turns); diff != "" {
		t.Error(diff)
	}
}

func TestGeminiRequestsAreReadInTheWordsOfTheMessagesAPI(t *testing.T) {
	p, err := ParseGemini([]byte(`{
		"systemInstruction":{"role":"user","parts":[{"text":"be"},{"text":"good"}]},
		"tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"}]},{"googleSearch":{}}],
		"contents":[
			{"role":"user","parts":[{"text":"go"},{"text":""}]},
			{"role":"model","parts":[{"thought":true,"text":"hm"},{"functionCall":{"name":"a","args":{"x":1}}},{"functionCall":{"name":"a","args":{"x":2}}},{"functionCall":{"id":"i","name":"b","args":{}}}]},
			{"role":"user","parts":[
				{"functionResponse":{"id":"i","name":"b","response":{"error":"denied"}}},
				{"functionResponse":{"name":"a","response":{"output":"one"}}},
				{"functionResponse":{"name":"a","response":{"output":{"n":2}}}},
				{"functionResponse":{"id":"?","name":"c","response":{"z":3}}},
				{"inlineData":{}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if p.System != "be\ngood" || !cmp.Equal(p.Tools, []string{"a", "b"}) || p.Spoken() != 1 || p.Opening() != "go\n\n" {
		t.Errorf("%+v, %d spoken, opening %q", p, p.Spoken(), p.Opening())
	}
	want := []ToolResult{
		{Call: Call{Tool: "b", Input: json.RawMessage(`{}`)}, Text: "denied", IsError: true},
		{Call: Call{Tool: "a", Input: json.RawMessage(`{"x":1}`)}, Text: "one"},
		{Call: Call{Tool: "a", Input: json.RawMessage(`{"x":2}`)}, Text: `{"n":2}`},
		{Text: `{"z":3}`},
	}
	if diff := cmp.Diff(want, p.Results()); diff != "" {
		t.Error(diff)
	}
	if got := p.Text(); !strings.Contains(got, "denied\none\n") || strings.Contains(got, "hm") {
		t.Errorf("the model was told %q", got)
	}
	for _, bad := range []string{"", "[]", `{"contents":7}`} {
		if _, err := ParseGemini([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func TestGeminiErrorsAndSideRequests(t *testing.T) {
	refused := Say("after all")
	refused.Error = &APIError{Status: 503, Type: "UNAVAILABLE", Message: "busy", Times: 1}
	srv := serve(t, Script{Conversations: []Conversation{{Name: "main", Turns: []Turn{refused}}}, Side: `{"a":1}`})
	url := srv.URL() + "/v1beta/models/m:"
	request := obj{"contents": []obj{said("user", "go")}, "tools": []obj{{"functionDeclarations": []obj{{"name": "a"}}}}}
	status, body := post(t, url+"generateContent", request)
	if status != 503 || !strings.Contains(string(body), `"code":503`) || !strings.Contains(string(body), `"status":"UNAVAILABLE"`) || !strings.Contains(string(body), "retryDelay") {
		t.Errorf("%d %s", status, body)
	}
	if status, body = post(t, url+"generateContent", request); status != 200 || !strings.Contains(string(body), "after all") {
		t.Errorf("%d %s", status, body)
	}
	if _, body = post(t, url+"generateContent", obj{"contents": []obj{said("user", "a title")}}); !strings.Contains(string(body), `"{\"a\":1}"`) {
		t.Errorf("a request without tools is told %s", body)
	}
	if _, body = post(t, url+"countTokens", request); !strings.Contains(string(body), `"totalTokens":`) {
		t.Errorf("a count is told %s", body)
	}
	if status, body = post(t, url+"embedContent", request); status != 200 || string(body) != "{}" {
		t.Errorf("another method: %d %s", status, body)
	}
	if status, body = post(t, url+"generateContent", []int{1}); status != 400 || !strings.Contains(string(body), "INVALID_ARGUMENT") {
		t.Errorf("nonsense: %d %s", status, body)
	}
	var kinds []Kind
	for _, r := range srv.Requests() {
		kinds = append(kinds, r.Kind)
	}
	if diff := cmp.Diff([]Kind{Turned, Turned, Side, Count, Probe, Probe}, kinds); diff != "" {
		t.Error(diff)
	}
}
