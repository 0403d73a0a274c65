package pr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ec261362/guardrails/core/shellcmd"
)

func parse(src string) *shellcmd.Line {
	return shellcmd.Parse(src, shellcmd.Options{Cwd: "/w", Home: "/h"})
}

func TestParseURL(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"https://github.com/o/r/pull/7", "https://github.com/o/r/pull/7"},
		{"https://github.com/o/r/pull/7/files", "https://github.com/o/r/pull/7"},
		{"https://github.com/o/r/pull/7#issuecomment-1", "https://github.com/o/r/pull/7"},
		{"http://GitHub.com/o/r/pull/7?x=y", "https://github.com/o/r/pull/7"},
		{"https://ghe.corp.example/o/r.go/pull/7", "https://ghe.corp.example/o/r.go/pull/7"},
		{"https://gitlab.com/g/r/-/merge_requests/7", "https://gitlab.com/g/r/-/merge_requests/7"},
		{"https://gitlab.com/g/sub/r/-/merge_requests/7/diffs", "https://gitlab.com/g/sub/r/-/merge_requests/7"},
		{"https://gitlab.com/g/r/merge_requests/7", "https://gitlab.com/g/r/-/merge_requests/7"},
		{"https://github.com/o/r/pull/new/branch", ""},
		{"https://github.com/o/r/pulls", ""},
		{"https://github.com/o/r/issues/7", ""},
		{"https://github.com/o/pull/7", ""},
		{"https://github.com/o/r/pull/0", ""},
		{"https://github.com/o/r/pull/7x", ""},
		{"ssh://github.com/o/r/pull/7", ""},
		{"", ""},
	} {
		r, ok := ParseURL(tt.in)
		if got := r.URL(); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: %q, %v", tt.in, got, ok)
		}
	}
}

func TestURLsAreFoundInText(t *testing.T) {
	got := URLs("see (https://github.com/o/r/pull/7), <https://github.com/o/r/pull/8>. Again https://github.com/O/R/pull/7. \"https://gitlab.com/g/r/-/merge_requests/9\"")
	var names []string
	for _, r := range got {
		names = append(names, r.String())
	}
	if diff := cmp.Diff([]string{"o/r#7", "o/r#8", "g/r!9"}, names); diff != "" {
		t.Error(diff)
	}
}

// show renders events as "kind ref" and marks what only the exit code tells.
func show(events []Event) string {
	var out []string
	for _, ev := range events {
		name := ev.Ref.String()
		if u := ev.Ref.URL(); u != "" {
			name = u
		}
		if name == "" {
			name = ev.Branch
		}
		s := strings.TrimSpace(ev.Kind.String() + " " + name)
		if !ev.Said {
			s += " ?"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func TestEvents(t *testing.T) {
	const (
		url = "https://github.com/o/r/pull/7"
		mr  = "https://gitlab.com/g/r/-/merge_requests/7"
	)
	for _, tt := range []struct {
		name, src, text string
		failed, mute    bool // mute: the host does not say how it ended
		want            string
	}{
		{name: "create", src: "gh pr create --fill", text: url, want: "opened " + url},
		{name: "create, talkative", src: "gh pr create -t x -b y", text: "\nCreating pull request for x into main in o/r\n\n" + url + "\n", want: "opened " + url},
		{name: "create after push", src: "git push -u origin x && gh pr create --fill", text: "remote: Create a pull request for 'x' on GitHub by visiting:\nremote:      https://github.com/o/r/pull/new/x\n" + url, want: "opened " + url},
		{name: "create, alias", src: "gh pr new -f", text: url, want: "opened " + url},
		{name: "create, in a substitution", src: `U=$(gh pr create --fill); echo "PR: $U"`, text: "PR: " + url, want: "opened " + url},
		{name: "create, two lines later", src: "cd /r\ngh pr create --fill | tail -1", text: url, want: "opened " + url},
		{name: "create, a body that links another", src: "gh pr create -b 'follows https://github.com/o/r/pull/3'", text: "body: https://github.com/o/r/pull/3\n" + url, want: "opened " + url},
		{name: "two creates", src: "gh pr create -B a --fill; gh pr create -B b --fill", text: "https://github.com/o/r/pull/7\nhttps://github.com/o/r/pull/8\n", want: "opened " + url + ", opened https://github.com/o/r/pull/8"},
		{name: "create through sudo", src: "env GH_TOKEN=x gh pr create --fill", text: url, want: "opened " + url},
		{name: "create fails", src: "gh pr create --fill", text: "a pull request for branch \"x\" into branch \"main\" already exists:\n" + url, failed: true},
		{name: "create fails behind a pipe", src: "gh pr create --fill 2>&1 | tail", text: "a pull request for branch \"x\" into branch \"main\" already exists:\n" + url},
		{name: "create, then something fails", src: "gh pr create --fill; npm test", text: url + "\n1 failing", failed: true, want: "opened " + url},
		{name: "dry run", src: "gh pr create --dry-run", text: "Would have created a Pull Request with:\nurl: " + url},
		{name: "in a browser", src: "gh pr create --web", text: "Opening " + url},
		{name: "help", src: "gh pr create --help", text: url},
		{name: "view is no create", src: "gh pr view 7", text: url},
		{name: "list is no create", src: "gh pr list", text: url},
		{name: "a note", src: "cat notes.md", text: "run gh pr create; got " + url},
		{name: "a search", src: "grep -rn 'gh pr create' docs", text: url},
		{name: "a commit", src: "git commit -m 'gh pr create'", text: url},
		{name: "glab create", src: "glab mr create --fill", text: "!7 x (x)\n " + mr, want: "opened " + mr},

		{name: "ready", src: "gh pr ready 7", text: "✓ Pull request o/r#7 is marked as \"ready for review\"", want: "ready o/r#7"},
		{name: "ready by address", src: "gh pr ready " + url, text: "✓ Pull request o/r#7 is marked as \"ready for review\"", want: "ready " + url},
		{name: "ready, silent", src: "gh pr ready 7 -R o/r", want: "ready o/r#7 ?"},
		{name: "ready undone", src: "gh pr ready 7 --undo", text: "✓ Pull request o/r#7 is converted to \"draft\""},
		{name: "ready already", src: "gh pr ready 7", text: "! Pull request o/r#7 is already \"ready for review\""},
		{name: "ready fails", src: "gh pr ready 7", text: "GraphQL: no", failed: true},
		{name: "glab ready", src: "glab mr update 7 --ready", text: "- Updating merge request !7\n✓ marked as Ready\n" + mr, want: "ready " + mr + " ?"},
		{name: "glab update", src: "glab mr update 7 --title x", text: mr},

		{name: "merge", src: "gh pr merge 7 --squash", text: "✓ Squashed and merged pull request o/r#7 (x)", want: "merged o/r#7"},
		{name: "merge, older words", src: "gh pr merge 7 -m", text: "✓ Merged pull request #7 (x)", want: "merged #7"},
		{name: "merge, rebase, coloured", src: "gh pr merge", text: "\x1b[32m✓\x1b[0m Rebased and merged pull request o/r#7 (x)\n✓ Deleted branch x", want: "merged o/r#7"},
		{name: "merge on Gemini CLI", src: "gh pr merge 7", text: "<untrusted_context>\nOutput: ✓ Merged pull request o/r#7 (x)\n</untrusted_context>", want: "merged o/r#7"},
		{name: "merge, silent", src: "gh pr merge 12 --squash", want: "merged #12 ?"},
		{name: "merge after cd, silent", src: "cd /r && gh pr merge 12 --squash", want: "merged #12 ?"},
		{name: "merge by branch, silent", src: "gh pr merge fix/x -d -s", want: "merged fix/x ?"},
		{name: "merge of another repository, silent", src: "gh -R o/r pr merge 12", want: "merged o/r#12 ?"},
		{name: "merge, silent and masked", src: "gh pr merge 12 || true", want: "unknown #12 ?"},
		{name: "merge, silent and perhaps", src: "if x; then gh pr merge 12; fi", want: "unknown #12 ?"},
		{name: "merge of what the host does not tell", src: "gh pr merge 12", mute: true, want: "unknown #12 ?"},
		{name: "merge refused in a pipe", src: "gh pr merge 12 --squash 2>&1 | tail -5", text: "GraphQL: x does not have the correct permissions to execute `MergePullRequest`"},
		{name: "merge refused", src: "gh pr merge 12", text: "X Pull request o/r#12 is not mergeable: the base branch policy prohibits the merge.", failed: true},
		{name: "no gh", src: "gh pr merge 12", text: "bash: gh: command not found", failed: true},
		{name: "merge, then its clean-up fails", src: "gh pr merge 12 --squash --delete-branch", text: "failed to run git: fatal: 'main' is already used by worktree at '/w'", failed: true, want: "unknown #12 ?"},
		{name: "merge said, then its clean-up fails", src: "gh pr merge 7 -d", text: "✓ Merged pull request o/r#7 (x)\nfailed to delete local branch x", failed: true, want: "merged o/r#7"},
		{name: "merge, connection lost", src: "gh pr merge 12", text: "Post \"https://api.github.com/graphql\": EOF", failed: true, want: "unknown #12 ?"},
		{name: "merge already done", src: "gh pr merge 7", text: "! Pull request o/r#7 was already merged", want: "merged o/r#7"},
		{name: "auto, silent", src: "gh pr merge 12 --auto --squash", want: "armed #12 ?"},
		{name: "auto, said", src: "gh pr merge 7 --auto -s", text: "✓ Pull request o/r#7 will be automatically squashed and merged when all requirements are met", want: "armed o/r#7"},
		{name: "queue", src: "gh pr merge 7", text: "✓ Pull request o/r#7 will be added to the merge queue for main when ready", want: "armed o/r#7"},
		{name: "auto that merges at once", src: "gh pr merge 7 --auto -s", text: "✓ Squashed and merged pull request o/r#7 (x)", want: "merged o/r#7"},
		{name: "auto off", src: "gh pr merge 7 --disable-auto", text: "✓ Auto-merge disabled for pull request o/r#7"},
		{name: "close", src: "gh pr close 7", text: "✓ Closed pull request o/r#7 (x)", want: "closed o/r#7"},
		{name: "close with a comment, silent", src: "gh pr close 7 -c 'not now' -d", want: "closed #7 ?"},
		{name: "reopen", src: "gh pr reopen 7", text: "✓ Reopened pull request o/r#7 (x)", want: "reopened o/r#7"},
		{name: "reopen, silent", src: "gh pr reopen 7", want: "reopened #7 ?"},
		{name: "close and reopen", src: "gh pr close 7; gh pr reopen 7", text: "✓ Closed pull request o/r#7 (x)\n✓ Reopened pull request o/r#7 (x)", want: "reopened o/r#7"},
		{name: "reopen before close in the output", src: "gh pr close 7; gh pr reopen 7", text: "✓ Reopened pull request o/r#7 (x)\n✓ Closed pull request o/r#7 (x)", want: "reopened o/r#7"},
		{name: "reopen, then merge", src: "gh pr reopen 7 && gh pr merge 7", text: "✓ Reopened pull request o/r#7 (x)\n✓ Merged pull request o/r#7 (x)", want: "merged o/r#7"},
		{name: "one reopened, another closed", src: "gh pr reopen 7; gh pr close 8", text: "✓ Closed pull request o/r#8 (x)\n✓ Reopened pull request o/r#7 (x)", want: "reopened o/r#7, closed o/r#8"},
		{name: "state is data", src: "gh pr view 7 --json state", text: `{"state":"MERGED"}`},
		{name: "more state", src: "gh pr list --state merged", text: "7\tx\tx\tMERGED\t2026"},
		{name: "state in a page", src: "gh api repos/o/r/pulls/7", text: `{"number":7,"merged":true,"state":"closed"}`},
		{name: "git's own word", src: "git log --oneline", text: "abc Merge pull request #7 from o/x\nMerged pull request #8 (y)"},
		{name: "a document", src: "cat docs/flow.md", text: "✓ Squashed and merged pull request o/r#7 (x)\nTERMINAL pr=7: MERGED"},
		{name: "a search for it", src: "grep -rn 'Merged pull request' .", text: "Merged pull request o/r#7 (x)"},
		{name: "echo", src: "echo 'TERMINAL pr=7: MERGED'", text: "TERMINAL pr=7: MERGED"},
		{name: "a script", src: "make ship", text: "✓ Merged pull request o/r#7 (x)", want: "merged o/r#7"},
		{name: "watch", src: "./watch.sh", text: "poll\nTERMINAL pr=7: MERGED\n", want: "merged #7"},
		{name: "watch, closed", src: "./watch.sh", text: "TERMINAL pr=7: CLOSED", want: "closed #7"},
		{name: "watch, with an address", src: "./watch.sh", text: "TERMINAL pr=7: MERGED " + url, want: "merged " + url},
		{name: "watch's log", src: "tail -5 /x/followup.log", text: "TERMINAL pr=7: MERGED", want: "merged #7"},
		{name: "watch, open", src: "./watch.sh", text: "TERMINAL pr=7: OPEN"},
		{name: "watch, how it ended unsaid", src: "./watch.sh", text: "poll\nTERMINAL pr=7\n", want: "closed #7"},
		{name: "watch, state as a pair", src: "./watch.sh", text: "TERMINAL pr=7 state=MERGED", want: "merged #7"},
		{name: "watch, pairs alone", src: "./watch.sh", text: "TERMINAL pr=7 url=" + url, want: "closed " + url},
		{name: "watch, open as a pair", src: "./watch.sh", text: "TERMINAL pr=7 state=open"},
		{name: "a sentence on the line", src: "./watch.sh", text: "TERMINAL pr=7 lines end the watch"},
		{name: "no number", src: "./watch.sh", text: "TERMINAL pr=N"},
		{name: "opened through the API", src: "gh api repos/o/r/pulls -f title=t -f head=x -f base=main", text: `{"url":"https://api.github.com/repos/o/r/pulls/7","html_url":"` + url + `","number":7,"body":"as https://github.com/o/r/pull/3"}`, want: "opened " + url},
		{name: "opened through the API, its number alone", src: "gh api --method POST /repos/o/r/pulls --input pr.json --jq .number", text: "7\n", want: "opened o/r#7"},
		{name: "opened through the API, refused", src: "gh api repos/o/r/pulls -f title=t", text: `{"message":"Validation Failed","status":"422"}`},
		{name: "listed through the API", src: "gh api repos/o/r/pulls", text: `[{"html_url":"` + url + `"}]`},
		{name: "listed through the API, with fields", src: "gh api -X GET repos/o/r/pulls -f state=open", text: `[{"html_url":"` + url + `"}]`},
		{name: "opened through GitLab's API", src: "glab api projects/g%2Fr/merge_requests -f title=t", text: `{"iid":7,"web_url":"` + mr + `"}`, want: "opened " + mr},
		{name: "opened through GraphQL", src: `gh api graphql -f query='mutation { createPullRequest(input: {title: "t"}) { pullRequest { url } } }'`, text: `{"data":{"createPullRequest":{"pullRequest":{"url":"` + url + `"}}}}`, want: "opened " + url},
		{name: "asked through GraphQL", src: `gh api graphql -f query='query { repository { pullRequest(number: 7) { url } } }'`, text: `{"data":{"repository":{"pullRequest":{"url":"` + url + `"}}}}`},
		{name: "opened by a script", src: "./open-pr.sh --draft", text: "pushed\n" + url, want: "opened " + url},
		{name: "a script that fails", src: "./open-pr.sh", text: url, failed: true},
		{name: "another script", src: "./status.sh", text: url},
		{name: "through the API", src: "gh api -X PUT repos/o/r/pulls/7/merge -f merge_method=squash", text: `{"sha":"x","merged":true,"message":"Pull Request successfully merged"}`, want: "merged o/r#7"},
		{name: "closed through the API", src: "gh api -X PATCH repos/o/r/pulls/7 -f state=closed", text: `{"number":7,"state":"closed"}`, want: "closed o/r#7 ?"},
		{name: "glab merge", src: "glab mr merge 7 -y", text: "✓ Squashed and merged!\n!7 x (x)\n " + mr, want: "merged !7"},
		{name: "glab merge armed", src: "glab mr merge 7", text: "! Pipeline status: running\n✓ Will auto-merge", want: "armed !7"},
		{name: "glab merge fails", src: "glab mr merge 7", text: "merge request cannot be merged", failed: true},
		{name: "glab close", src: "glab mr close 7", text: "- Closing merge request...\n✗ Closed merge request !7.", want: "closed !7"},
		{name: "glab reopen", src: "glab mr reopen 7 -R g/r", text: "✓ Reopened merge request !7", want: "reopened !7"},
		{name: "not called", src: "f() { gh pr merge 7; }"},
		{name: "mentioned", src: `echo "gh pr merge 7"`},
		{name: "in a heredoc", src: "cat > x.sh <<'E'\ngh pr merge 7\nE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := show(Events(Call{Line: parse(tt.src), Text: tt.text, Failed: tt.failed, Succeeded: !tt.failed && !tt.mute, Opens: func(c *shellcmd.Command) bool { return c.Program == "open-pr.sh" }}))
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if tt.want != "" && !Mentions(tt.src, tt.text) {
				t.Error("the cheap test misses it")
			}
		})
	}
}

// What others wrote may look like any line that gh prints of its own doing.
func TestWhatGhOnlyShowsIsNoEvent(t *testing.T) {
	const text = "title: Words\n--\n✓ Merged pull request o/r#7 (Words)\n✓ Closed pull request o/r#8 (Words)\n! Pull request o/r#9 was merged\nTERMINAL pr=7: MERGED\nhttps://github.com/o/r/pull/7\n" +
		`{"number":7,"state":"closed","merged":true,"html_url":"https://github.com/o/r/pull/7","message":"Pull Request successfully merged"}` + "\n"
	for _, src := range []string{
		"gh pr view 7 --comments",
		"gh -R o/r pr view 7",
		"gh pr list --state all",
		"cd /w && gh pr diff 7 | head -50",
		"gh pr checks 7 --watch",
		"gh issue view 3 -c",
		"gh run view 12 --log",
		"gh release view v1",
		"gh search prs --merged",
		"gh api repos/o/r/pulls/7",
		"gh api repos/o/r/pulls/7/comments --jq '.[].body'",
		"gh api -X GET repos/o/r/pulls -f state=closed",
		"gh api --method=GET repos/o/r/pulls/7/merge",
		"gh api graphql -f query='query { repository(owner: \"o\", name: \"r\") { pullRequest(number: 7) { body } } }' -F n=7",
		"glab mr view 7 -c",
		"glab api projects/g%2Fr/merge_requests/7/notes",
	} {
		for _, failed := range []bool{false, true} {
			if got := show(Events(Call{Line: parse(src), Text: text, Succeeded: !failed, Failed: failed})); got != "" {
				t.Errorf("%s: %s", src, got)
			}
		}
	}
	// Its own doing still counts, and so does a watch that says how it ended.
	for src, want := range map[string]string{
		"gh pr view 7 && gh pr merge 7 --squash":                             "merged",
		"gh pr merge 7 --body view":                                          "merged",
		"while gh pr view 7 -q .state; do sleep 9; done; echo TERMINAL pr=7": "merged",
	} {
		if got := show(Events(Call{Line: parse(src), Text: text, Succeeded: true})); !strings.Contains(got, want) {
			t.Errorf("%s: %q", src, got)
		}
	}
}

func TestMonitoredReadsExitLinesOnly(t *testing.T) {
	got := show(Monitored("<task-notification>\nTERMINAL pr=7: MERGED\n✓ Merged pull request o/r#8 (x)\n</task-notification>"))
	if got != "merged #7" {
		t.Error(got)
	}
}

func TestTargetOf(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"gh pr merge 7", "merge #7"},
		{"gh pr merge '#7'", "merge #7"},
		{"gh pr merge https://github.com/o/r/pull/7", "merge o/r#7"},
		{"gh pr merge feature/x", "merge feature/x"},
		{"gh pr merge", "merge "},
		{"gh pr comment 7 -b hi -R o/r", "comment o/r#7"},
		{"gh pr comment -b 8 7", "comment #7"},
		{"gh pr comment --body=8 7", "comment #7"},
		{"gh pr merge -sd 7", "merge #7"},
		{"gh pr close -c 8 7", "close #7"},
		{"gh pr create -t 7", "create "},
		{"gh --repo=ghe.x/o/r pr view 7", "view o/r#7"},
		{"GH_REPO=o/r gh pr view 7", "view o/r#7"},
		{"glab mr note 7 -m hi", "note !7"},
		{"glab mr merge !7", "merge !7"},
		{"gh issue close 7", "none"},
		{"gh pr", "none"},
		{"hub pr merge 7", "none"},
		{`gh pr merge "$N"`, "merge "},
	} {
		l := parse(tt.src)
		got := "none"
		if verb, target, ok := TargetOf(&l.Commands[0]); ok {
			got = verb + " " + target.Ref.String() + target.Branch
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.src, got, tt.want)
		}
	}
}

// A pull request's life as the provider would tell it, against what is read.
func TestTheLastWordOfACallStands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var src, text []string
		state := map[int]Kind{}
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			n := rapid.IntRange(1, 3).Draw(t, "number")
			switch rapid.SampledFrom([]string{"merge", "close", "reopen", "view"}).Draw(t, "verb") {
			case "merge":
				if state[n] == Closed || state[n] == Merged {
					continue // the provider would refuse
				}
				state[n] = Merged
				src = append(src, fmt.Sprintf("gh pr merge %d -s", n))
				text = append(text, fmt.Sprintf("✓ Squashed and merged pull request o/r#%d (x)", n))
			case "close":
				if state[n] == Closed || state[n] == Merged {
					continue
				}
				if state[n] == Reopened {
					continue // told as one: see TestEvents
				}
				state[n] = Closed
				src = append(src, fmt.Sprintf("gh pr close %d", n))
				text = append(text, fmt.Sprintf("✓ Closed pull request o/r#%d (x)", n))
			case "reopen":
				if state[n] != Closed {
					continue
				}
				state[n] = Reopened
				src = append(src, fmt.Sprintf("gh pr reopen %d", n))
				text = append(text, fmt.Sprintf("✓ Reopened pull request o/r#%d (x)", n))
			case "view":
				src = append(src, fmt.Sprintf("gh pr view %d --json state", n))
				text = append(text, `{"state":"MERGED"}`)
			}
		}
		got := map[int]Kind{}
		for _, ev := range Events(Call{Line: parse(strings.Join(src, "; ")), Text: strings.Join(text, "\n"), Succeeded: true}) {
			if _, twice := got[ev.Ref.Number]; twice {
				t.Fatalf("two events of #%d", ev.Ref.Number)
			}
			got[ev.Ref.Number] = ev.Kind
		}
		if diff := cmp.Diff(state, got); diff != "" {
			t.Fatalf("%s\n%s\n%s", diff, strings.Join(src, "; "), strings.Join(text, "\n"))
		}
	})
}

func FuzzEvents(f *testing.F) {
	f.Add("gh pr merge 7", "✓ Merged pull request o/r#7 (x)")
	f.Add("gh pr create", "https://github.com/o/r/pull/7")
	f.Add("x", "TERMINAL pr=7: MERGED")
	f.Fuzz(func(t *testing.T, src, text string) {
		for _, ev := range Events(Call{Line: parse(src), Text: text, Succeeded: true}) {
			if ev.Kind == Nothing {
				t.Error("an event of nothing")
			}
			if s := ev.Ref.String(); s != "" {
				if back, ok := Parse(s); !ok || !back.Same(ev.Ref) {
					t.Errorf("%q reads back as %+v", s, back)
				}
			}
		}
	})
}

func TestParseRemote(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"https://github.com/o/r.git", "https://github.com/o/r/pull/7"},
		{"https://github.com/o/r", "https://github.com/o/r/pull/7"},
		{"https://me:token@ghe.example.com:8443/o/r.git", "https://ghe.example.com/o/r/pull/7"},
		{"git@github.com:o/r.git", "https://github.com/o/r/pull/7"},
		{"ssh://git@github.com/o/r.git", "https://github.com/o/r/pull/7"},
		{"git@gitlab.example.com:g/s/r.git", "https://gitlab.example.com/g/s/r/-/merge_requests/7"},
		{"/srv/git/r.git", ""},
		{"../r", ""},
		{"C:/src/r", ""},
		{"file:///srv/r.git", ""},
		{"", ""},
	} {
		ref, ok := ParseRemote(tt.in)
		ref.Number = 7
		if got := ref.URL(); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: %q, %v", tt.in, got, ok)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	f.Add("https://github.com/o/r/pull/7")
	f.Add("https://gitlab.com/g/s/r/-/merge_requests/7#note_1")
	f.Fuzz(func(t *testing.T, s string) {
		r, ok := ParseURL(s)
		if !ok {
			return
		}
		again, ok := ParseURL(r.URL())
		if !ok || again != r {
			t.Errorf("%q: %+v, then %+v", s, r, again)
		}
	})
}
