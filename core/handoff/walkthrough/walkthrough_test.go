package walkthrough

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/handoff/pr"
)

const sentinel = "acme-pr-section"

// fake answers commands that begin with a key; what it does not know is not
// installed.
type fake struct {
	answers map[string]gate.Exit
	asked   []string
}

func (f *fake) run(_ context.Context, c gate.Command) (gate.Exit, error) {
	line := strings.Join(c.Argv, " ")
	f.asked = append(f.asked, line)
	best, found := "", false
	for k := range f.answers {
		if strings.HasPrefix(line, k) && (!found || len(k) > len(best)) {
			best, found = k, true
		}
	}
	if !found {
		return gate.Exit{}, fs.ErrNotExist
	}
	return f.answers[best], nil
}

func ok(text string) gate.Exit { return gate.Exit{Stdout: []byte(text)} }
func failed(text string) gate.Exit {
	return gate.Exit{Code: 1, Stderr: []byte(text)}
}

var (
	hub = pr.Ref{Host: "github.com", Owner: "o", Repo: "r", Number: 7}
	lab = pr.Ref{Host: "gitlab.com", Owner: "g/s", Repo: "r", Number: 7, GitLab: true}
)

func TestLook(t *testing.T) {
	const notes = "glab api projects/g%2Fs%2Fr/merge_requests/7/notes"
	many := "[" + strings.Repeat(`{"body":"x"},`, 99) + `{"body":"x"}]`
	for _, tt := range []struct {
		name    string
		ref     pr.Ref
		answers map[string]gate.Exit
		want    Presence
	}{
		{"in the body", hub, map[string]gate.Exit{"gh": ok(`{"body":"<!-- acme-pr-section:v2 -->","comments":[]}`)}, Found},
		{"in a comment", hub, map[string]gate.Exit{"gh pr view https://github.com/o/r/pull/7": ok(`{"body":"","comments":[{"body":"x"},{"body":"<!-- acme-pr-section:v1 -->"}]}`)}, Found},
		{"in a review", hub, map[string]gate.Exit{"gh": ok(`{"body":"","reviews":[{"body":"<!-- acme-pr-section:v1 -->"}]}`)}, Found},
		{"nowhere", hub, map[string]gate.Exit{"gh": ok(`{"body":"plain","comments":[{"body":"x"}]}`)}, Absent},
		{"in another field", hub, map[string]gate.Exit{"gh": ok(`{"body":"","title":"acme-pr-section"}`)}, Absent},
		{"no gh", hub, nil, Unreachable},
		{"not signed in", hub, map[string]gate.Exit{"gh": failed("To get started with GitHub CLI, please run:  gh auth login")}, Unreachable},
		{"no such pull request", hub, map[string]gate.Exit{"gh": failed("GraphQL: Could not resolve to a PullRequest")}, Unreachable},
		{"nothing that was asked for", hub, map[string]gate.Exit{"gh": ok(`{}`)}, Unreachable},
		{"null", hub, map[string]gate.Exit{"gh": ok("null")}, Unreachable},
		{"closed unmerged", hub, map[string]gate.Exit{"gh": ok(`{"state":"CLOSED","body":"x"}`)}, NoPR},
		{"merged", hub, map[string]gate.Exit{"gh": ok(`{"state":"MERGED","body":"x"}`)}, Absent},
		{"no JSON", hub, map[string]gate.Exit{"gh": ok("hello")}, Unreachable},
		{"out of time", hub, map[string]gate.Exit{"gh": {TimedOut: true, Code: -1}}, Unreachable},
		{"cut", hub, map[string]gate.Exit{"gh": {Truncated: true, Stdout: []byte(`{"body":"x`)}}, Unreachable},
		{"cut, but seen", hub, map[string]gate.Exit{"gh": {Truncated: true, Stdout: []byte(`{"body":"acme-pr-section`)}}, Found},
		{"by number", pr.Ref{Number: 7}, map[string]gate.Exit{"gh pr view 7 --json": ok(`{"body":"x"}`)}, Absent},
		{"by repository", pr.Ref{Owner: "o", Repo: "r", Number: 7}, map[string]gate.Exit{"gh pr view 7 --json " + ghFields + " -R o/r": ok(`{"body":"x"}`)}, Absent},
		{"no number", pr.Ref{}, map[string]gate.Exit{"gh": ok(`{"body":"x"}`)}, Unreachable},
		{"GitLab, description", lab, map[string]gate.Exit{"glab api projects/g%2Fs%2Fr/merge_requests/7": ok(`{"description":"acme-pr-section"}`)}, Found},
		{"GitLab, note", lab, map[string]gate.Exit{"glab api": ok(`{"description":""}`), notes: ok(`[{"body":"x"},{"body":"acme-pr-section"}]`)}, Found},
		{"GitLab, second page", lab, map[string]gate.Exit{"glab api": ok(`{"description":""}`), notes + "?per_page=100&page=1": ok(many), notes + "?per_page=100&page=2": ok(`[{"body":"acme-pr-section"}]`)}, Found},
		{"GitLab, nowhere", lab, map[string]gate.Exit{"glab api": ok(`{"description":""}`), notes: ok(`[]`)}, Absent},
		{"GitLab, notes not readable", lab, map[string]gate.Exit{"glab api": ok(`{"description":""}`), notes: failed("403")}, Unreachable},
		{"GitLab, nothing that was asked for", lab, map[string]gate.Exit{"glab api": ok(`{}`)}, Unreachable},
		{"GitLab, closed unmerged", lab, map[string]gate.Exit{"glab api": ok(`{"state":"closed","description":""}`), notes: ok(`[]`)}, NoPR},
		{"no glab", lab, nil, Unreachable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{answers: tt.answers}
			if got := Look(context.Background(), f.run, "/w", tt.ref, sentinel); got != tt.want {
				t.Errorf("%v, asked %q", got, f.asked)
			}
		})
	}
	if Look(context.Background(), nil, "/w", hub, sentinel) != Unreachable {
		t.Error("nothing can be asked without a way to ask")
	}
}

func TestLookBranch(t *testing.T) {
	const web = `"url":"https://github.com/o/r/pull/7"`
	for _, tt := range []struct {
		name    string
		answers map[string]gate.Exit
		ref     string
		want    Presence
	}{
		{"open, without", map[string]gate.Exit{"gh pr view --json": ok(`{"state":"OPEN","body":"x",` + web + `}`)}, "o/r#7", Absent},
		{"open, with", map[string]gate.Exit{"gh pr view --json": ok(`{"state":"OPEN","body":"acme-pr-section",` + web + `}`)}, "o/r#7", Found},
		{"merged", map[string]gate.Exit{"gh pr view --json": ok(`{"state":"MERGED","body":"x",` + web + `}`)}, "o/r#7", NoPR},
		{"none", map[string]gate.Exit{"gh pr view --json": failed(`no pull requests found for branch "x"`)}, "", NoPR},
		{"nothing to ask", nil, "", Unreachable},
		{
			"GitLab", map[string]gate.Exit{
				"gh":           failed("none of the git remotes configured for this repository point to a known GitHub host"),
				"glab mr view": ok(`{"state":"opened","description":"","web_url":"https://gitlab.com/g/r/-/merge_requests/7"}`), "glab api": ok(`[]`),
			}, "g/r!7", Absent,
		},
		{"GitLab, merged", map[string]gate.Exit{"glab mr view": ok(`{"state":"merged","web_url":"https://gitlab.com/g/r/-/merge_requests/7"}`)}, "g/r!7", NoPR},
		{"GitLab, none", map[string]gate.Exit{"glab mr view": failed("no open merge request available for \"x\"")}, "", NoPR},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{answers: tt.answers}
			ref, got := LookBranch(context.Background(), f.run, "/w", sentinel)
			if got != tt.want || ref.String() != tt.ref {
				t.Errorf("%s %v, asked %q", ref, got, f.asked)
			}
		})
	}
}

func TestAFailingRunnerIsUnreachable(t *testing.T) {
	run := func(context.Context, gate.Command) (gate.Exit, error) { return gate.Exit{}, errors.New("no") }
	if got := Look(context.Background(), run, "/w", hub, sentinel); got != Unreachable {
		t.Error(got)
	}
}

func FuzzGitHub(f *testing.F) {
	f.Add([]byte(`{"body":"acme-pr-section"}`), 0)
	f.Fuzz(func(t *testing.T, out []byte, code int) {
		run := func(context.Context, gate.Command) (gate.Exit, error) {
			return gate.Exit{Stdout: out, Code: code}, nil
		}
		got := Look(context.Background(), run, "/w", hub, sentinel)
		if code != 0 && got != Unreachable {
			t.Error(got)
		}
	})
}
