// Package walkthrough asks the provider whether a pull request carries a
// rendered walkthrough.
//
// It runs gh and glab through a function that it is handed. It imports
// core/gate (for the shape of that function), core/handoff/pr and the standard
// library only.
package walkthrough

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/handoff/pr"
)

// Run runs a program; gate.Proc.Run is one.
type Run func(context.Context, gate.Command) (gate.Exit, error)

// Presence says what is known of a walkthrough. The zero value is Unreachable:
// nothing is.
type Presence int

// What may be known.
const (
	Unreachable Presence = iota // no gh or glab, no network, no rights, no such pull request
	Absent                      // looked, and it is not there
	Found
	NoPR // the branch has no open pull request, or the one asked about was closed unmerged
)

const (
	patience  = 10 * time.Second // for one program
	maxOutput = 8 << 20          // bytes
)

// Look asks whether the sentinel stands in the body, a comment or a review of a
// pull request. dir is where the program runs: what ref does not name (host,
// repository), it takes from there.
func Look(ctx context.Context, run Run, dir string, ref pr.Ref, sentinel string) Presence {
	if run == nil || ref.Number == 0 || sentinel == "" {
		return Unreachable
	}
	l := looker{ctx, run, dir, sentinel}
	if ref.GitLab {
		return l.gitlab(ref)
	}
	name := ref.URL()
	argv := []string{"gh", "pr", "view"}
	if name == "" {
		name = strconv.Itoa(ref.Number)
	}
	argv = append(argv, name, "--json", ghFields)
	if ref.URL() == "" && ref.Owner != "" && ref.Repo != "" {
		argv = append(argv, "-R", ref.Owner+"/"+ref.Repo)
	}
	view, p := l.github(argv)
	switch {
	case p == NoPR:
		return Unreachable
	case p == Absent && strings.EqualFold(view.State, "CLOSED"):
		return NoPR
	}
	return p
}

// LookBranch asks the same of the open pull request of the branch checked out
// in dir, and returns it.
func LookBranch(ctx context.Context, run Run, dir, sentinel string) (pr.Ref, Presence) {
	if run == nil || sentinel == "" {
		return pr.Ref{}, Unreachable
	}
	l := looker{ctx, run, dir, sentinel}
	view, p := l.github([]string{"gh", "pr", "view", "--json", ghFields})
	if p != Unreachable {
		if p != NoPR && view.State != "" && !strings.EqualFold(view.State, "OPEN") {
			p = NoPR
		}
		ref, _ := pr.ParseURL(view.URL)
		return ref, p
	}
	mr, p := l.mergeRequest([]string{"glab", "mr", "view", "--output", "json"})
	if p != Absent {
		return pr.Ref{}, p
	}
	ref, ok := pr.ParseURL(mr.WebURL)
	switch {
	case !ok:
		return pr.Ref{}, Unreachable
	case mr.State != "" && mr.State != "opened":
		return ref, NoPR
	case l.has(mr.Description):
		return ref, Found
	}
	return ref, l.notes(ref)
}

// looker is one look.
type looker struct {
	ctx      context.Context
	run      Run
	dir      string
	sentinel string
}

func (l looker) has(text string) bool { return strings.Contains(text, l.sentinel) }

// exec runs one program to its end. ok is false when it did not end well.
func (l looker) exec(argv []string) (out gate.Exit, ok bool) {
	out, err := l.run(l.ctx, gate.Command{
		Argv: argv, Dir: l.dir, MaxOutput: maxOutput, Timeout: patience,
		Env: []string{"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "GLAB_CHECK_UPDATE=false", "NO_COLOR=1", "NO_PROMPT=1", "GH_PAGER=", "PAGER="},
	})
	return out, err == nil && out.Code == 0 && !out.TimedOut
}

const ghFields = "url,state,body,comments,reviews"

// ghView is what gh pr view --json prints of them.
type ghView struct {
	URL      string `json:"url"`
	State    string `json:"state"`
	Body     string `json:"body"`
	Comments []struct {
		Body string `json:"body"`
	} `json:"comments"`
	Reviews []struct {
		Body string `json:"body"`
	} `json:"reviews"`
}

func (l looker) github(argv []string) (ghView, Presence) {
	out, ok := l.exec(argv)
	var v ghView
	switch {
	case !ok && strings.Contains(strings.ToLower(string(out.Stderr)), "no pull requests found"):
		return v, NoPR
	case !ok:
		return v, Unreachable
	case out.Truncated:
		if strings.Contains(string(out.Stdout), l.sentinel) {
			return v, Found
		}
		return v, Unreachable
	case json.Unmarshal(out.Stdout, &v) != nil, !answers(out.Stdout, "body", "comments", "reviews"):
		return ghView{}, Unreachable
	case l.has(v.Body):
		return v, Found
	}
	for _, c := range append(v.Comments, v.Reviews...) {
		if l.has(c.Body) {
			return v, Found
		}
	}
	return v, Absent
}

// answers reports whether an object has one of the members that were asked for:
// one without says nothing.
func answers(raw []byte, members ...string) bool {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return false
	}
	return slices.ContainsFunc(members, func(m string) bool { _, ok := o[m]; return ok })
}

// glView is what GitLab says of a merge request.
type glView struct {
	WebURL      string `json:"web_url"`
	State       string `json:"state"`
	Description string `json:"description"`
}

// mergeRequest runs a command that prints a merge request; Absent = here it is.
func (l looker) mergeRequest(argv []string) (glView, Presence) {
	out, ok := l.exec(argv)
	var v glView
	switch {
	case !ok && strings.Contains(strings.ToLower(string(out.Stderr)), "no open merge request"):
		return v, NoPR
	case !ok || out.Truncated || json.Unmarshal(out.Stdout, &v) != nil, !answers(out.Stdout, "description", "web_url"):
		return glView{}, Unreachable
	}
	return v, Absent
}

func (l looker) gitlab(ref pr.Ref) Presence {
	mr, p := l.mergeRequest(l.api(ref, ""))
	switch {
	case p != Absent:
		return Unreachable
	case mr.State == "closed":
		return NoPR
	case l.has(mr.Description):
		return Found
	}
	return l.notes(ref)
}

// api returns the command that asks GitLab for a part of a merge request.
func (l looker) api(ref pr.Ref, part string) []string {
	project := ":id" // that of the folder
	if ref.Owner != "" && ref.Repo != "" {
		project = url.PathEscape(ref.Owner + "/" + ref.Repo)
	}
	argv := []string{"glab", "api", "projects/" + project + "/merge_requests/" + strconv.Itoa(ref.Number) + part}
	if ref.Host != "" {
		argv = append(argv, "--hostname", ref.Host)
	}
	return argv
}

// maxPages bounds how many pages of notes are asked for.
const maxPages = 10

func (l looker) notes(ref pr.Ref) Presence {
	const size = 100
	for page := 1; page <= maxPages; page++ {
		out, ok := l.exec(l.api(ref, "/notes?per_page="+strconv.Itoa(size)+"&page="+strconv.Itoa(page)))
		var notes []struct {
			Body string `json:"body"`
		}
		if !ok || out.Truncated || json.Unmarshal(out.Stdout, &notes) != nil {
			return Unreachable
		}
		for _, n := range notes {
			if l.has(n.Body) {
				return Found
			}
		}
		if len(notes) < size {
			return Absent
		}
	}
	return Unreachable
}
