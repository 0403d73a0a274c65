package pr

import (
	"maps"
	"testing"
)

func TestServiceEvents(t *testing.T) {
	const (
		url = "https://github.com/o/r/pull/7"
		mr  = "https://gitlab.com/g/r/-/merge_requests/7"
	)
	here := map[string]string{"owner": "o", "repo": "r"}
	seven := map[string]string{"owner": "o", "repo": "r", "pullNumber": "7"}
	with := func(m map[string]string, key, value string) map[string]string {
		out := maps.Clone(m)
		out[key] = value
		return out
	}
	for _, tt := range []struct {
		name  string
		verb  Verb
		input map[string]string
		text  string
		want  string
	}{
		{"created", Create, here, `{"id":"1","url":"` + url + `"}`, "opened " + url},
		{"created, beside a link to another repository", Create, here, "see https://github.com/a/b/pull/3\n" + url, "opened " + url},
		{"created, nothing told", Create, here, "ok", ""},
		{"created on GitLab", Create, map[string]string{"project_id": "g/r"}, `{"iid":7,"web_url":"` + mr + `"}`, "opened " + mr},
		{"refused, since there is one", Create, here, "A pull request already exists for o:b: " + url, ""},
		{"merged", Merge, seven, `{"sha":"x","merged":true,"message":"Pull Request successfully merged"}`, "merged o/r#7"},
		{"merged, with its address", Merge, seven, `{"merged": true, "html_url":"` + url + `"}`, "merged " + url},
		{"not merged", Merge, seven, `{"merged":false,"message":"Base branch was modified"}`, ""},
		{"merged, perhaps", Merge, seven, "ok", "unknown o/r#7 ?"},
		{"merged on GitLab", Merge, map[string]string{"project_id": "g%2Fr", "merge_request_iid": "7"}, `{"iid":7,"state":"merged"}`, "merged g/r!7"},
		{"closed", Update, with(seven, "state", "closed"), url, "closed " + url + " ?"},
		{"reopened", Update, with(seven, "state", "open"), "{}", "reopened o/r#7 ?"},
		{"ready", Update, with(seven, "draft", "false"), url, "ready " + url + " ?"},
		{"a new title", Update, with(seven, "title", "x"), url, ""},
		{"none", NoVerb, seven, url, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := show(Service{Verb: tt.verb, Text: tt.text, Input: func(keys ...string) string {
				for _, k := range keys {
					if v := tt.input[k]; v != "" {
						return v
					}
				}
				return ""
			}}.Events())
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
