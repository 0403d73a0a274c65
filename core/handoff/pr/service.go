package pr

import (
	"strings"
)

// Service is a finished call of a provider's own tool, such as those of the MCP
// servers of GitHub and GitLab.
type Service struct {
	Verb  Verb
	Input func(keys ...string) string // the first member of its input that is there, as text
	Text  string                      // what it answered
}

// Verb is what such a tool does. The zero value is none.
type Verb int

// Verbs of a provider's tools.
const (
	NoVerb Verb = iota
	Create      // create_pull_request, create_merge_request
	Merge       // merge_pull_request, merge_merge_request, accept_merge_request
	Update      // update_pull_request, update_merge_request
)

// Events returns what a call that did not fail shows of pull requests.
func (s Service) Events() []Event {
	ref := s.target()
	switch s.Verb {
	case NoVerb:
	case Create:
		if refused(s.Text) || strings.Contains(s.Text, "already exists") {
			return nil // the address is that of the one that is there
		}
		for _, u := range URLs(s.Text) {
			if agree(u.Owner, ref.Owner) && agree(u.Repo, ref.Repo) {
				return []Event{{Kind: Opened, Ref: u, Said: true}}
			}
		}
	case Merge:
		switch text := strings.ReplaceAll(strings.ToLower(s.Text), " ", ""); {
		case refused(s.Text), strings.Contains(text, `"merged":false`):
		case strings.Contains(text, `"merged":true`), strings.Contains(text, "successfullymerged"), strings.Contains(text, `"state":"merged"`):
			return []Event{{Kind: Merged, Ref: ref, Said: true}}
		case ref.Number != 0:
			return []Event{{Kind: Unknown, Ref: ref}}
		}
	case Update:
		if refused(s.Text) || ref.Number == 0 {
			return nil
		}
		switch strings.ToLower(s.Input("state", "state_event", "stateEvent")) {
		case "closed", "close":
			return []Event{{Kind: Closed, Ref: ref}}
		case "open", "reopen":
			return []Event{{Kind: Reopened, Ref: ref}}
		}
		if s.Input("draft") == "false" {
			return []Event{{Kind: Ready, Ref: ref}}
		}
	}
	return nil
}

// target is the pull request, or repository, that the input names.
func (s Service) target() Ref {
	ref := Ref{Owner: s.Input("owner"), Repo: s.Input("repo")}
	if iid := s.Input("merge_request_iid", "mergeRequestIid", "merge_request_id"); iid != "" || s.Input("project_id", "projectId") != "" {
		ref = Ref{GitLab: true}
		ref.Number, _ = number(iid)
		project := strings.NewReplacer("%2F", "/", "%2f", "/").Replace(s.Input("project_id", "projectId"))
		if i := strings.LastIndexByte(project, '/'); i > 0 {
			ref.Owner, ref.Repo = project[:i], project[i+1:]
		}
	} else {
		ref.Number, _ = number(s.Input("pullNumber", "pull_number", "number", "pull_request_number"))
	}
	for _, u := range URLs(s.Text) {
		if u.Number == ref.Number && u.Same(ref) {
			return u
		}
	}
	return ref
}
