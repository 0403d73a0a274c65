package outcome

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

func TestVisiblyFailed(t *testing.T) {
	for _, tt := range []struct {
		name, text, raw string
		want            bool
	}{
		{name: "a refusal in the text of a success", text: "GraphQL: Could not resolve to a PullRequest", want: true},
		{name: "a refusal behind a pipe", text: "GraphQL: x does not have the correct permissions to execute `MergePullRequest`\n", want: true},
		{name: "an address", text: "https://github.com/o/r/pull/7#issuecomment-1"},
		{name: "nothing"},
		{name: "gh api", text: `{"message":"Not Found","documentation_url":"https://docs.github.com","status":"404"}` + "\ngh: Not Found (HTTP 404)", want: true},
		{name: "a bare answer of the provider", text: "ok", raw: `{"stdout":"{\"message\":\"Not Found\"}","stderr":""}`, want: true},
		{name: "data with a message", raw: `{"stdout":"{\"id\":3,\"message\":\"Not Found\"}"}`},
		{name: "GraphQL errors", raw: `{"stdout":"{\"data\":null,\"errors\":[{\"message\":\"no\"}]}"}`, want: true},
		{name: "no GraphQL errors", raw: `{"stdout":"{\"data\":{},\"errors\":[]}"}`},
		{name: "what a comment says", raw: `{"stdout":"{\"id\":5,\"body\":\"error: it broke\\nfatal: x\"}"}`},
		{name: "stderr of a success", raw: `{"stdout":"","stderr":"failed to run git: fatal: 'main' is already used","interrupted":false}`, want: true},
		{name: "a warning", raw: `{"stdout":"https://github.com/o/r/pull/7","stderr":"Warning: 1 uncommitted change"}`},
		{name: "MCP isError", raw: `{"content":[{"type":"text","text":"no"}],"isError":true}`, want: true},
		{name: "MCP isError false", raw: `{"content":[{"type":"text","text":"fine"}],"isError":false}`},
		{name: "MCP parts", raw: `[{"type":"text","text":"MCP error -32602: Invalid arguments"}]`, want: true},
		{name: "MCP inside a string", raw: `"{\"content\":[{\"type\":\"text\",\"text\":\"Error: no such run\"}]}"`, want: true},
		{name: "prose", raw: `[{"type":"text","text":"Recorded. The user saw an error: the button was gone."}]`},
		{name: "prose with failures in the middle", text: "Done.\nError: was shown to the user\nrecorded."},
		{name: "a run that failed is no call that failed", raw: `[{"type":"text","text":"**Run ID:** r9\n**Status:** failed"}]`},
		{name: "a tally", text: "Errors: 0"},
		{name: "no error", text: "error: none"},
		{name: "error first", text: "error: unable to push", want: true},
		{name: "error last", text: "working\nError: unable to push", want: true},
		{name: "exit code", text: "Exit code 1\nboom", want: true},
		{name: "exit code 0", text: "Exit code 0\nfine"},
		{name: "Gemini's exit code", text: "<untrusted_context>\nOutput: out\nerr\nExit Code: 3\nProcess Group PGID: 1091\n</untrusted_context>", want: true},
		{name: "Gemini's output", text: "<untrusted_context>\nOutput: GraphQL: no\n</untrusted_context>", want: true},
		{name: "Gemini's success", text: "<untrusted_context>\nOutput: hi\nProcess Group PGID: 984\n</untrusted_context>"},
		{name: "a sentence on exit codes", text: "exit code 3 is what the linter gives"},
		{name: "exit code member", raw: `{"stdout":"1 failed\n","stderr":"","exit_code":1}`, want: true},
		{name: "exit code member 0", raw: `{"stdout":"ok","exit_code":0}`},
		{name: "an error member", raw: `{"error":"no such cell"}`, want: true},
		{name: "an empty error member", raw: `{"error":"","result":"ok"}`},
		{name: "a null error member", raw: `{"error":null}`},
		{name: "success false", raw: `{"success":false}`, want: true},
		{name: "success true", raw: `{"success":true,"commandName":"demo"}`},
		{name: "no gh", text: "/bin/sh: 1: gh: not found", want: true},
		{name: "no gh in bash", text: "bash: line 1: gh: command not found", want: true},
		{name: "glab", text: "POST https://gitlab.com/api/v4/projects/1/merge_requests/2/notes: 404 {message: 404 Not found}", want: true},
		{name: "gh HTTP", text: "HTTP 403: Resource not accessible by integration (https://api.github.com/graphql)", want: true},
		{name: "HTTP in prose", text: "HTTP 2 is used"},
		{name: "gh's cross", text: "X Pull request o/r#7 is not mergeable: the base branch policy prohibits the merge.", want: true},
		{name: "colours", text: "\x1b[31mGraphQL: no\x1b[0m", want: true},
		{name: "code in a report", text: "Posted:\n```\nfatal: x\n```\nas a comment"},
		{name: "not signed in", text: "To get started with GitHub CLI, please run:  gh auth login", want: true},
		{name: "a flag that is not there", text: "unknown flag: --bdy\n\nUsage:  gh pr comment", want: true},
		{name: "a comment that exists", text: "a pull request for branch \"x\" into branch \"main\" already exists:\nhttps://github.com/acme/app/pull/70", want: true},
		{name: "not JSON", raw: `{"a":`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &hook.Result{Text: tt.text, Raw: json.RawMessage(tt.raw)}
			if got := VisiblyFailed(r); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestTheHostsWordOnAFailureIsTaken(t *testing.T) {
	for _, r := range []*hook.Result{
		{Outcome: hook.Failed, Text: "fine"},
		{HasExit: true, ExitCode: 2},
		{Interrupted: true},
	} {
		if !VisiblyFailed(r) {
			t.Errorf("%+v: not seen", r)
		}
	}
	if VisiblyFailed(nil) || VisiblyFailed(&hook.Result{Outcome: hook.Succeeded, HasExit: true}) {
		t.Error("a failure where there is none")
	}
}

func TestTextsReachEveryString(t *testing.T) {
	r := &hook.Result{Text: "seen", Raw: json.RawMessage(`{"a":["x",{"b":"{\"c\":\"deep\"}"}],"n":1}`)}
	got := Texts(r)
	for _, want := range []string{"seen", "x", "deep"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if got[0] != "seen" {
		t.Errorf("%q is first", got[0])
	}
}

func TestPersistedNamesTheWholeOutput(t *testing.T) {
	r := &hook.Result{Raw: json.RawMessage(`{"stdout":"x","persistedOutputPath":"/t/x.txt"}`)}
	if got := Persisted(r); got != "/t/x.txt" {
		t.Errorf("%q", got)
	}
	for _, r := range []*hook.Result{nil, {}, {Raw: json.RawMessage(`"x"`)}, {Raw: json.RawMessage(`{"persistedOutputPath":1}`)}} {
		if got := Persisted(r); got != "" {
			t.Errorf("%q", got)
		}
	}
}

func FuzzVisiblyFailed(f *testing.F) {
	f.Add("GraphQL: x", `{"isError":true}`)
	f.Add("ok", `[{"type":"text","text":"{\"error\":\"x\"}"}]`)
	f.Fuzz(func(t *testing.T, text, raw string) {
		r := &hook.Result{Text: text, Raw: json.RawMessage(raw)}
		got := VisiblyFailed(r)
		if again := VisiblyFailed(r); again != got {
			t.Errorf("first %v, then %v", got, again)
		}
		Texts(r)
		r.Outcome = hook.Failed
		if !VisiblyFailed(r) {
			t.Error("the host said that it failed")
		}
	})
}
