package report

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/shellcmd"
)

const sentinel = "acme-pr-section"

func posts(src string, files map[string]string) []Post {
	read := func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}
	return Posts(shellcmd.Parse(src, shellcmd.Options{Cwd: "/w", Home: "/h"}), read)
}

func TestPostsShowTheirBody(t *testing.T) {
	files := map[string]string{"/w/r.md": "FILE", "/w/sub/r.md": "SUB", "/tmp/p.json": `{"body":"IN\nJSON"}`}
	for _, tt := range []struct {
		name, src, want string
		hidden          bool
	}{
		{name: "inline", src: `gh pr comment 7 --body "B"`, want: "B"},
		{name: "inline, short", src: `gh pr comment 7 -b B`, want: "B"},
		{name: "inline, glued", src: `gh pr comment 7 --body="B C"`, want: "B C"},
		{name: "inline, a dash in front", src: `gh pr comment 7 -b "- one"`, want: "- one"},
		{name: "create", src: `gh pr create -t x -b "B"`, want: "B"},
		{name: "edit", src: `gh pr edit 7 --body B`, want: "B"},
		{name: "review", src: `gh pr review 7 -c -b B`, want: "B"},
		{name: "file", src: `gh pr comment 7 --body-file r.md`, want: "FILE"},
		{name: "file, short", src: `gh pr comment 7 -F r.md`, want: "FILE"},
		{name: "file in a folder", src: `cd sub && gh pr comment 7 -F ./r.md`, want: "SUB"},
		{name: "file by variable", src: `F=/w/r.md; gh pr comment 7 -F "$F"`, want: "FILE"},
		{name: "file that is not there", src: `gh pr comment 7 -F no.md`, hidden: true},
		{name: "file written before", src: "cat > no.md <<'E'\nHERE\nE\ngh pr comment 7 -F no.md", want: "HERE"},
		{name: "file written before by echo", src: "echo E1 > no.md; echo E2 >> no.md; gh pr comment 7 -F no.md", want: "E1\nE2"},
		{name: "heredoc", src: "gh pr comment 7 -F - <<'E'\nHERE\nE", want: "HERE"},
		{name: "heredoc in a substitution", src: "gh pr comment 7 --body \"$(cat <<'E'\nHERE\nE\n)\"", want: "HERE"},
		{name: "heredoc with a variable", src: "gh pr comment 7 -F - <<E\nrun $X here\nE", want: "run … here"},
		{name: "cat", src: `gh pr comment 7 --body "$(cat r.md)"`, want: "FILE"},
		{name: "cat below a title", src: "gh pr comment 7 --body \"T\n$(cat r.md)\"", want: "T\n…\nFILE"},
		{name: "cat by redirect", src: `gh pr comment 7 --body "$(<r.md)"`, want: "FILE"},
		{name: "cat through a variable", src: `B=$(cat r.md); gh pr comment 7 -b "$B"`, want: "FILE"},
		{name: "pipe", src: `cat r.md | gh pr comment 7 -F -`, want: "FILE"},
		{name: "pipe of echo", src: `echo B | gh pr comment 7 --body-file=-`, want: "B"},
		{name: "redirect", src: `gh pr comment 7 -F - < r.md`, want: "FILE"},
		{name: "process substitution", src: `gh pr comment 7 -F <(cat r.md)`, want: "FILE"},
		{name: "sed", src: `gh pr comment 7 -b "$(sed 's/a/b/' r.md)"`, want: "FILE"},
		{name: "a renderer", src: `gh pr comment 7 -b "$(acme render)"`, hidden: true},
		{name: "a renderer's pipe", src: `acme render | gh pr comment 7 -F -`, hidden: true},
		{name: "a variable from elsewhere", src: `gh pr comment 7 -b "$BODY"`, hidden: true},
		{name: "a variable in a sentence", src: `gh pr comment 7 -b "on $BRANCH now"`, want: "on … now"},
		{name: "PATCH", src: `gh api -X PATCH repos/o/r/issues/comments/5 -f body="B"`, want: "B"},
		{name: "PATCH, long", src: `gh api --method PATCH /repos/o/r/issues/comments/5 --raw-field 'body=B C'`, want: "B C"},
		{name: "PATCH, glued", src: `gh api repos/o/r/issues/comments/5 -XPATCH -fbody=B`, want: "B"},
		{name: "PATCH, file", src: `gh api -X PATCH repos/o/r/issues/comments/5 -F body=@r.md`, want: "FILE"},
		{name: "PATCH, a literal @", src: `gh api -X PATCH repos/o/r/issues/comments/5 -f body=@you`, want: "@you"},
		{name: "PATCH, cat", src: `gh api -X PATCH repos/o/r/issues/comments/5 -f body="$(cat r.md)"`, want: "FILE"},
		{name: "PATCH, stdin", src: `cat r.md | gh api -X PATCH repos/o/r/issues/comments/5 -F body=@-`, want: "FILE"},
		{name: "PATCH, JSON file", src: `gh api -X PATCH repos/o/r/issues/comments/5 --input /tmp/p.json`, want: "IN\nJSON"},
		{name: "PATCH, JSON pipe", src: `echo '{"body":"B"}' | gh api -X PATCH repos/o/r/issues/comments/5 --input -`, want: "B"},
		{name: "PATCH, jq", src: `jq -Rs '{body: .}' r.md | gh api repos/o/r/issues/comments/5 -X PATCH --input -`, want: "{body: .}\nFILE"},
		{name: "PATCH, jq with --rawfile", src: `jq -n --rawfile b r.md '{body:$b}' | gh api repos/o/r/issues/comments/5 -X PATCH --input -`, want: "FILE\n{body:$b}"},
		{name: "PATCH, jq into a file", src: `jq -n --arg b "$(cat r.md)" '{body:$b}' > x.json && gh api -X PATCH repos/o/r/issues/comments/5 --input x.json`, want: "FILE\n{body:$b}"},
		{name: "POST", src: `gh api repos/o/r/issues/7/comments -f body=B`, want: "B"},
		{name: "GraphQL", src: `gh api graphql -f query='mutation($b:String!){addComment(input:{body:$b}){clientMutationId}}' -f b=x -f body=B`, want: "mutation($b:String!){addComment(input:{body:$b}){clientMutationId}}\nB"},
		{name: "glab note", src: `glab mr note 7 -m B`, want: "B"},
		{name: "glab create", src: `glab mr create -t x -d B`, want: "B"},
		{name: "glab API", src: `glab api -X PUT projects/1/merge_requests/7/notes/5 -f body=B`, want: "B"},
		{name: "in sh -c", src: `bash -c 'gh pr comment 7 -b B'`, want: "B"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := posts(tt.src, files)
			if len(got) != 1 {
				t.Fatalf("%d posts: %+v", len(got), got)
			}
			if body := strings.TrimSpace(strings.ReplaceAll(got[0].Body, "\n\n", "\n")); !tt.hidden && body != tt.want {
				t.Errorf("body %q, want %q", body, tt.want)
			}
			if got[0].Hidden != tt.hidden {
				t.Errorf("hidden %v", got[0].Hidden)
			}
			if !Mentions(tt.src) {
				t.Error("the cheap test misses it")
			}
		})
	}
}

func TestOtherCommandsPostNothing(t *testing.T) {
	for _, src := range []string{
		`gh pr view 7`, `gh pr comment 7`, `gh pr create --fill`, `gh api repos/o/r/issues/comments/5`, `gh api repos/o/r/pulls/7/comments`,
		`gh issue list`, `echo 'gh pr comment 7 -b B'`, `git commit -m "gh pr comment -b x"`, `gh api graphql -f query='query{viewer{login}}'`,
		`f() { gh pr comment 7 -b B; }`, `gh api -X PATCH repos/o/r -f description=x`,
	} {
		if got := posts(src, nil); len(got) != 0 {
			t.Errorf("%s: %+v", src, got)
		}
	}
}

func TestTargetsOfPosts(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{`gh pr comment 7 -b B -R o/r`, "o/r#7"},
		{`gh api repos/o/r/issues/7/comments -f body=B`, "o/r#7"},
		{`gh api -X PATCH repos/o/r/issues/comments/5 -f body=B`, ""},
		{`gh pr comment -b B`, ""},
	} {
		if got := posts(tt.src, nil)[0].Target.Ref.String(); got != tt.want {
			t.Errorf("%s: %q", tt.src, got)
		}
	}
}

func TestReadsLikeE2E(t *testing.T) {
	for _, tt := range []struct {
		body string
		want bool
	}{
		{"## E2E Acceptance Results\n✅ 2 ❌ 1", true},
		{"## E2E acceptance results 2 passed / 1 failed", true},
		{"E2E acceptance: 2 passed / 1 failed", true},
		{"**Acceptance test report**\n\nall fine", true},
		{"### 🧪 End-to-end test summary\nlogin fine", true},
		{"E2E results: all good", true},
		{"e2e: passed: 2, failed: 0", true},
		{"Ran the e2e suite, 5/6 passed", true},
		{"Acceptance: 5 of 6 scenarios green", true},
		{"| case | status |\n| login (e2e) | PASS |\n| cart | FAIL |", true},
		{"acme run\n- login: passed\n- cart: failed", true},
		{"acme.dev: ✅ login ✅ cart", true},
		{"e2e :white_check_mark: login :x: cart", true},

		{"Rebased, 3 tests passed", false},
		{"LGTM ✅", false},
		{"unit tests: 5 passed, 1 failed", false},
		{"I will post the acceptance results later.", false},
		{"Moved src/e2e/login.ts, ✅ builds ✅ lints", false},
		{"The e2e job is flaky, see 2026/11/30", false},
		{"e2e is done, please review 1/2 of the stack", false},
		{"Adds an acceptance criterion to the docs", false},
		{"## Results\n5 passed, 1 failed", false},
		{"", false},
	} {
		if got := ReadsLikeE2E(tt.body, "acme"); got != tt.want {
			t.Errorf("%q: %v", tt.body, got)
		}
	}
}

func TestTheSentinelCountsInAnyVersion(t *testing.T) {
	if !HasSentinel("<!-- acme-pr-section:v2 -->\n## E2E", sentinel) || HasSentinel("## E2E", sentinel) || HasSentinel("x", "") {
		t.Error("misread")
	}
}

func FuzzPosts(f *testing.F) {
	f.Add("gh pr comment 7 -F - <<E\nx\nE", "")
	f.Add("jq -n --rawfile b r.md '{body:$b}' | gh api repos/o/r/issues/comments/5 -X PATCH --input -", "## E2E results")
	f.Fuzz(func(t *testing.T, src, file string) {
		for _, p := range posts(src, map[string]string{"/w/r.md": file}) {
			if strings.Contains(p.Body, shellcmd.Unknown) {
				t.Errorf("%q", p.Body)
			}
			if p.Verb == "" {
				t.Error("a post without a verb")
			}
		}
	})
}

func FuzzReadsLikeE2E(f *testing.F) {
	f.Add("## E2E results\n2/3 passed")
	f.Fuzz(func(t *testing.T, body string) {
		if ReadsLikeE2E(body) && !ReadsLikeE2E(body, "acme") {
			t.Error("a further name takes away")
		}
	})
}
