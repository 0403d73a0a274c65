package review

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/shellcmd"
)

const mark = "<!-- acme:bot -->"

func parse(src string) *shellcmd.Line {
	return shellcmd.Parse(src, shellcmd.Options{Cwd: "/w", Home: "/h"})
}

const graphql = `gh api graphql -F owner=o -F repo=r -F number=7 -f query='query($owner:String!){repository(owner:$owner,name:$repo){pullRequest(number:$number){reviewThreads(first:100){nodes{id isResolved comments(first:50){nodes{databaseId body}}}}}}}'`

// gh renders what GraphQL answers.
func gh(threads ...string) string {
	return `{"data":{"repository":{"pullRequest":{"number":7,"comments":{"nodes":[{"id":"IC_1","body":"hello"}]},"reviews":{"nodes":[{"id":"R1","state":"APPROVED","comments":{"nodes":[{"databaseId":90,"body":"x"}]}}]},"reviewThreads":{"nodes":[` +
		strings.Join(threads, ",") + `]}}}}}`
}

func show(threads []Thread) string {
	var out []string
	for _, th := range threads {
		s := th.PR.String() + " " + th.ID + " " + strings.Join(th.Comments, "+")
		if len(th.Answered) > 0 {
			s += " answered " + strings.Join(th.Answered, "+")
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestThreads(t *testing.T) {
	for _, tt := range []struct{ name, src, text, want string }{
		{
			"one waits", graphql,
			gh(`{"id":"T1","isResolved":false,"comments":{"nodes":[{"databaseId":11,"body":"why?","author":{"login":"me"}}]}}`),
			"o/r#7 T1 11",
		},
		{
			"answered by the mark, whoever wrote it", graphql,
			gh(`{"id":"T1","isResolved":false,"comments":{"nodes":[{"databaseId":11,"body":"why?"},{"databaseId":12,"body":"`+mark+` so"}]}}`,
				`{"id":"T2","isResolved":false,"comments":{"nodes":[{"databaseId":21,"body":"why?"}]}}`),
			"o/r#7 T1  answered 11; o/r#7 T2 21",
		},
		{
			"asked again", graphql,
			gh(`{"id":"T1","isResolved":false,"comments":{"nodes":[{"databaseId":11,"body":"why?"},{"databaseId":12,"body":"` + mark + ` so"},{"databaseId":13,"body":"really?"},{"databaseId":14,"body":"hm"}]}}`),
			"o/r#7 T1 13+14 answered 11",
		},
		{
			"the order is that of time", graphql,
			gh(`{"id":"T1","isResolved":false,"comments":{"nodes":[{"databaseId":12,"body":"` + mark + `","createdAt":"2026-11-02T00:00:00Z"},{"databaseId":11,"body":"why?","createdAt":"2026-11-01T00:00:00Z"},{"databaseId":13,"body":"?","createdAt":"2026-11-03T00:00:00Z"}]}}`),
			"o/r#7 T1 13 answered 11",
		},
		{
			"all answered", graphql,
			gh(`{"id":"T1","isResolved":false,"comments":{"nodes":[{"databaseId":11,"body":"why?"},{"databaseId":12,"body":"` + mark + `"}]}}`), "",
		},
		{"resolved", graphql, gh(`{"id":"T1","isResolved":true,"comments":{"nodes":[{"databaseId":11,"body":"why?"}]}}`), ""},
		{"filtered by jq", graphql + ` --jq '.data'`, `[{"threadId":"T1","comments":[{"databaseId":11,"body":"why?"}]}]`, "o/r#7 T1 11"},
		{"a line each", graphql, `{"id":"T1","comments":{"nodes":[{"databaseId":11,"body":"a"}]}}` + "\n" + `{"id":"T2","comments":{"nodes":[{"databaseId":21,"body":"b"}]}}`, "o/r#7 T1 11; o/r#7 T2 21"},
		{"node ids only", graphql, gh(`{"id":"T1","isResolved":false,"comments":{"nodes":[{"id":"PRRC_1","body":"a"}]}}`), "o/r#7 T1 PRRC_1"},
		{"edges", graphql, gh(`{"id":"T1","isResolved":false,"comments":{"edges":[{"node":{"databaseId":11,"body":"a"}}]}}`), "o/r#7 T1 11"},
		{
			"query with literals", `gh api graphql -f query='{repository(owner:"a",name:"b"){pullRequest(number: 9){reviewThreads(first:9){nodes{id}}}}}'`,
			gh(`{"id":"T1","isResolved":false,"comments":{"nodes":[{"databaseId":11,"body":"a"}]}}`), "a/b#9 T1 11",
		},
		{
			"address in a comment", `gh api graphql -F query=@threads.graphql`,
			gh(`{"id":"T1","isResolved":false,"comments":{"nodes":[{"databaseId":11,"body":"a","url":"https://github.com/x/y/pull/3#discussion_r11"}]}}`), "x/y#3 T1 11",
		},
		{
			"GitHub's list", `gh api repos/o/r/pulls/7/comments --paginate`,
			`[{"id":11,"path":"a.go","body":"why?","pull_request_review_id":1},{"id":12,"path":"a.go","body":"more","in_reply_to_id":11},{"id":21,"path":"b.go","body":"b"},{"id":22,"path":"b.go","in_reply_to_id":21,"body":"` + mark + `"}]`,
			"o/r#7 11 11+12; o/r#7 21  answered 21",
		},
		{
			"GitLab", `glab api projects/g%2Fr/merge_requests/7/discussions`,
			`[{"id":"d1","notes":[{"id":11,"body":"why?","resolvable":true,"resolved":false,"system":false},{"id":12,"body":"x","system":true}]},{"id":"d2","notes":[{"id":21,"body":"fyi","resolvable":false}]},{"id":"d3","notes":[{"id":31,"body":"done","resolvable":true,"resolved":true}]}]`,
			"g/r!7 d1 11; g/r!7 d2  answered 21; g/r!7 d3  answered 31",
		},
		{
			"on Gemini CLI", graphql,
			"<untrusted_context>\nOutput: " + gh(`{"id":"T1","isResolved":false,"comments":{"nodes":[{"databaseId":11,"body":"a"}]}}`) + "\n</untrusted_context>", "o/r#7 T1 11",
		},
		{"another command", `cat threads.json`, gh(`{"id":"T1","isResolved":false,"comments":{"nodes":[{"databaseId":11,"body":"a"}]}}`), ""},
		{"the conversation is no review", `gh api repos/o/r/issues/7/comments`, `[{"id":1,"body":"x"}]`, ""},
		{"another query", `gh api graphql -f query='{viewer{login}}'`, `{"data":{"viewer":{"login":"me"}}}`, ""},
		{
			"cut after two", graphql,
			strings.TrimSuffix(gh(`{"id":"T1","isResolved":false,"comments":{"nodes":[{"databaseId":11,"body":"a"}]}}`, `{"id":"T2","isResolved":false,"comments":{"nodes":[{"databaseId":21,"body":"b"}]}}`,
				`{"id":"T3","isResolved":false,"comments":{"nodes":[{"databaseId":31,"body":"c`), `]}}}}}`), "o/r#7 T1 11; o/r#7 T2 21",
		},
		{"torn", graphql, gh(`{"id":"T1","isResolved":false`), ""},
		{"nothing", graphql, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := show(Threads(parse(tt.src), tt.text, mark)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if tt.want != "" && !Mentions(tt.src) {
				t.Error("the cheap test misses it")
			}
		})
	}
}

func TestReplies(t *testing.T) {
	for _, tt := range []struct{ name, src, text, want string }{
		{"REST", `gh api repos/o/r/pulls/7/comments/11/replies -f body=x`, `{"id":99,"in_reply_to_id":11}`, "o/r#7 thread  comment 11 created 99"},
		{"REST, only an id back", `gh api repos/o/r/pulls/7/comments/11/replies -f body=x --jq .id`, "99\n", "o/r#7 thread  comment 11 created 99"},
		{"REST, only an address back", `gh api repos/o/r/pulls/7/comments/11/replies -f body=x -q .html_url`, "https://github.com/o/r/pull/7#discussion_r99", "o/r#7 thread  comment 11 created 99"},
		{"REST with in_reply_to", `gh api -X POST repos/o/r/pulls/7/comments -f body=x -F in_reply_to=11`, `{"id":99,"body":"x"}`, "o/r#7 thread  comment 11 created 99"},
		{"REST, JSON input", `gh api repos/o/r/pulls/7/comments/11/replies --input b.json`, `{"id":99}`, "o/r#7 thread  comment 11 created 99"},
		{"REST, a number known at run time", `gh api "repos/o/r/pulls/$N/comments/11/replies" -f body=x`, `{"id":99,"html_url":"https://github.com/o/r/pull/7#discussion_r99"}`, "o/r#7 thread  comment 11 created 99"},
		{
			"GraphQL", `gh api graphql -f query='mutation{addPullRequestReviewThreadReply(input:{pullRequestReviewThreadId:"PRRT_1",body:"x"}){comment{databaseId url}}}'`,
			`{"data":{"addPullRequestReviewThreadReply":{"comment":{"databaseId":99,"url":"https://github.com/o/r/pull/7#discussion_r99"}}}}`, "o/r#7 thread PRRT_1 comment  created 99",
		},
		{
			"GraphQL with a variable", `gh api graphql -f threadId=PRRT_1 -f body=x -f query='mutation($threadId:ID!,$body:String!){addPullRequestReviewThreadReply(input:{pullRequestReviewThreadId:$threadId,body:$body}){comment{id}}}'`,
			`{"data":{"addPullRequestReviewThreadReply":{"comment":{"id":"PRRC_9"}}}}`, " thread PRRT_1 comment  created PRRC_9",
		},
		{"GitLab", `glab api -X POST projects/g%2Fr/merge_requests/7/discussions/d1/notes -f body=x`, `{"id":99,"body":"x"}`, "g/r!7 thread d1 comment  created 99"},
		{"two in a line", "gh api repos/o/r/pulls/7/comments/11/replies -f body=x; gh api repos/o/r/pulls/7/comments/13/replies -f body=y", "{\"id\":99}\n{\"id\":98}", "o/r#7 thread  comment 11 created 99; o/r#7 thread  comment 13 created 98"},
		{"two, one refused", "gh api repos/o/r/pulls/7/comments/11/replies -f body=x; gh api repos/o/r/pulls/7/comments/13/replies -f body=y", "{\"message\":\"Not Found\"}\n{\"id\":98,\"in_reply_to_id\":13}", "o/r#7 thread  comment 13 created 98"},
		{"two, one refused, not clear which", "gh api repos/o/r/pulls/7/comments/11/replies -f body=x; gh api repos/o/r/pulls/7/comments/13/replies -f body=y", "{\"message\":\"Not Found\"}\n{\"id\":98}", ""},
		{"in a loop", `for c in 11 13; do gh api repos/o/r/pulls/7/comments/$c/replies -f body=x; done`, "{\"id\":99,\"in_reply_to_id\":11}\n{\"id\":98,\"in_reply_to_id\":13}", "o/r#7 thread  comment 11 created 99; o/r#7 thread  comment 13 created 98"},

		{"refused", `gh api repos/o/r/pulls/7/comments/11/replies -f body=x`, `{"message":"Not Found"}`, ""},
		{"refused, with an id", `gh api repos/o/r/pulls/7/comments/11/replies -f body=x`, `{"message":"Validation Failed","id":3}`, ""},
		{"GraphQL errors", `gh api graphql -f query='mutation{addPullRequestReviewThreadReply(input:{pullRequestReviewThreadId:"T"}){comment{id}}}'`, `{"data":{"addPullRequestReviewThreadReply":null},"errors":[{"message":"no","id":"x"}]}`, ""},
		{"silent", `gh api repos/o/r/pulls/7/comments/11/replies -f body=x --silent`, "", ""},
		{"a fetch", `gh api repos/o/r/pulls/7/comments`, `[{"id":99,"in_reply_to_id":11}]`, ""},
		{"a new thread", `gh api repos/o/r/pulls/7/comments -f body=x -f path=a.go`, `{"id":99}`, ""},
		{"another program", `curl x/comments/11/replies`, `{"id":99}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out []string
			for _, r := range Replies(parse(tt.src), tt.text) {
				out = append(out, fmt.Sprintf("%s thread %s comment %s created %s", r.PR, r.Thread, r.Comment, r.Created))
			}
			if diff := cmp.Diff(tt.want, strings.Join(out, "; ")); diff != "" {
				t.Error(diff)
			}
			if tt.want != "" && !Mentions(tt.src) {
				t.Error("the cheap test misses it")
			}
		})
	}
}

func FuzzReview(f *testing.F) {
	f.Add(graphql, gh(`{"id":"T1","isResolved":false,"comments":{"nodes":[{"databaseId":11,"body":"a"}]}}`))
	f.Add(`gh api repos/o/r/pulls/7/comments/11/replies -f body=x`, `{"id":9}`)
	f.Fuzz(func(t *testing.T, src, text string) {
		l := parse(src)
		for _, th := range Threads(l, text, mark) {
			if th.ID == "" || len(th.Comments)+len(th.Answered) == 0 {
				t.Errorf("%+v", th)
			}
		}
		for _, r := range Replies(l, text) {
			if r.Created == "" || r.Comment+r.Thread == "" {
				t.Errorf("%+v", r)
			}
		}
	})
}
