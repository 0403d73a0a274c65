package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// playPolicies reads rows as the files of one folder and sorts them.
func playPolicies(t *testing.T, files map[string]string) map[string]testCase {
	t.Helper()
	dir := t.TempDir()
	var all [][]testCase
	for name, text := range files {
		file := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		cases, err := readCases(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, cases)
	}
	contest(all...)
	got := map[string]testCase{}
	for _, cases := range all {
		for _, c := range cases {
			got[c.id] = c
		}
	}
	return got
}

func TestPolicyCasesAreClassedByWhatTheirRowsSay(t *testing.T) {
	got := playPolicies(t, map[string]string{
		"policies": `{"id":"a1","input":"git push origin trunk","expected":"block","kind":"command","rule":"push"}
{"id":"a2","input":"git  push origin trunk","expected":"allow","kind":"command"}
{"id":"b1","input":"git commit -m x","expected":"block","kind":"command","rule":"commit-on-protected"}
{"id":"b2","input":"git commit -m x","expected":"allow","kind":"command","rule":"feature-branch"}
{"id":"b3","input":"git commit -m y","expected":"allow","kind":"command","rule":"develop"}
{"id":"c1","input":"git branch -D alpha","expected":"allow","kind":"command"}
{"id":"c2","input":"git branch -D main","expected":"block","kind":"command"}
{"id":"d1","input":"printenv PAGER","expected":"block","field":"command","policy":"protect-env-vars"}
{"id":"d2","input":"env","expected":"allow","field":"command","policy":"protect-env-vars","desc":"allows non-Bash tools"}
{"id":"d3","input":"set","expected":"block","field":"command","policy":"protect-env-vars (Windows)"}
{"id":"e1","input":"x.pem","expected":"allow","field":"file_path","policy":"block-secrets-write","desc":"allows non-Write tools"}
{"id":"e2","input":"x.pem","expected":"block","field":"file_path","policy":"block-secrets-write","desc":"blocks it"}
{"id":"f1","input":"rm -rf /srv","expected":"allow","field":"command","policy":"block-rm-rf allowPaths","desc":"allowed"}
{"id":"f2","input":"rm -rf /srv","expected":"block","field":"command","policy":"block-rm-rf allowPaths","desc":"not allowed"}
{"id":"f3","input":"/opt/x","expected":"allow","field":"file_path","policy":"block-env-files allowPaths"}
{"id":"f4","input":"git push origin main","expected":"allow","field":"command","policy":"block-push-master protectedBranches"}
{"id":"g1","input":"sudo id","expected":"block","field":"command","policy":"block-sudo"}
{"id":"g2","input":"sudo id","expected":"allow","field":"command","policy":"block-sudo"}
{"id":"g3","input":"a@b.example","expected":"block","field":"output","policy":"hide-mail"}
{"id":"g4","input":"ls","expected":"allow","field":"command","policy":"block-sudo","desc":"allows non-sudo commands"}
{"id":"h1","input":"notes.mcp","expected":"block","kind":"file_path","source":"o/r:plugins/config-guard/t.js"}
{"id":"h2","input":"notes.mcp","expected":"allow","kind":"file_path","source":"o/r:plugins/config-guard/t.js","level":"critical"}
{"id":"h3","input":"notes.mcp","expected":"block","kind":"file_path","source":"o/r:plugins/protect-secrets/t.js"}
{"id":"h4","input":"x","expected":"block","kind":"file_path","source":"o/r:plugins/other/t.js"}
`,
		"shell": `{"id":"s1","input":"git branch -Dv beta","expected":"block","tier":"single"}
{"id":"s2","input":"echo ${PAGER}","expected":"allow","tier":"agreed"}
{"id":"s3","input":"git commit -m y","expected":null,"tier":"disputed"}
`,
	})
	want := map[string]string{
		"a1": contested, "a2": contested,
		"b1": claimed + " command main", "b2": claimed + " command feature", "b3": claimed + " command develop",
		"c1": contested, "c2": claimed + " command ",
		"d1": contested, "d2": claimed + " payload ", "d3": claimed + " command ",
		"e1": claimed + " tool Read", "e2": claimed + " tool Write",
		"f1": claimed + " command  allow", "f2": claimed + " command ", "f3": notPlayable, "f4": claimed + " command  allow",
		"g1": notOurs, "g2": notOurs, "g3": notOurs + ", output", "g4": notOurs,
		"h1": contested, "h2": contested, "h3": claimed + " tool Read", "h4": notOurs,
		"s1": "single", "s2": "agreed", "s3": "disputed without an expectation",
	}
	sorted := map[string]string{}
	for id, c := range got {
		s := c.tier
		if s == claimed {
			switch {
			case c.request["payload"] != nil:
				s += " payload " + c.branch
			case c.request["tool"] != nil:
				s += " tool " + c.request["tool"].(string)
			default:
				s += " command " + c.branch
			}
			if c.setting != "" {
				s += " allow"
			}
		}
		sorted[id] = s
	}
	if diff := cmp.Diff(want, sorted); diff != "" {
		t.Error(diff)
	}
}

// TestAClassDoesNotFollowFromTheID holds the figure honest: rows that differ in
// nothing but their id are in one class.
func TestAClassDoesNotFollowFromTheID(t *testing.T) {
	row := func(id string) string {
		return `{"id":"` + id + `","input":"env","expected":"block","field":"command","policy":"protect-env-vars"}` + "\n"
	}
	got := playPolicies(t, map[string]string{"policies": row("kb.git-safety.1") + row("z.protect-env-vars.9") + row("q")})
	for id, c := range got {
		if c.tier != claimed {
			t.Errorf("%s: %s", id, c.tier)
		}
	}
}

func TestCasesArePlayedWhereTheirRowSays(t *testing.T) {
	r, err := newRunner("guardrails", t.TempDir(), "branches", allow("rm -rf /srv", "filesystem/delete-outside"))
	if err != nil {
		t.Fatal(err)
	}
	req := r.place(testCase{branch: "main", request: map[string]any{"command": "git commit"}})
	head, err := os.ReadFile(filepath.Join(req["cwd"].(string), ".git", "HEAD"))
	if err != nil || strings.TrimSpace(string(head)) != "ref: refs/heads/main" {
		t.Errorf("HEAD %q, %v", head, err)
	}
	tool := r.place(testCase{request: map[string]any{"payload": map[string]any{"tool_name": "Read"}}})
	text, _ := json.Marshal(tool)
	if !strings.Contains(string(text), `"cwd":"`+r.project+`"`) {
		t.Errorf("payload %s", text)
	}
	conf, err := os.ReadFile(filepath.Join(r.home, ".guardrails", "config.yaml"))
	if err != nil || !strings.Contains(string(conf), "rule: filesystem/delete-outside, when: 'rm -rf /srv'") {
		t.Errorf("configuration %s %v", conf, err)
	}
}

func TestEveryContestedKindHasAReason(t *testing.T) {
	for _, at := range []string{"command env", "command echo $X_KEY", "write .mcp.json", "command git branch -D BRANCH"} {
		if r := reason(at); strings.HasPrefix(r, "no kind") {
			t.Errorf("%s: %s", at, r)
		}
	}
	if r := reason("command frobnicate"); !strings.HasPrefix(r, "no kind") {
		t.Errorf("an unknown kind has the reason %q", r)
	}
}
