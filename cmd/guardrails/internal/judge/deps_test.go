package judge

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/depstest"
	"github.com/ec261362/guardrails/core/deps/web"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
)

// A market is a machine whose dependency services answer on loopback.
type market struct {
	*Machine
	services    *depstest.Services
	connections atomic.Int32
	project     string
}

// depsNow is the time of the look-ups.
var depsNow = time.Date(2030, 6, 15, 12, 0, 0, 0, time.UTC)

func depsAgo(days int) time.Time { return depsNow.AddDate(0, 0, -days) }

func newMarket(t *testing.T, config string) *market {
	t.Helper()
	old := []depstest.Version{{Number: "1.0.0", Published: depsAgo(900), Default: true, Licences: []string{"MIT"}}}
	m := &market{services: &depstest.Services{
		Packages: map[string]*depstest.Package{
			"npm:express":                   {Versions: old},
			"npm:left-pad":                  {Versions: old},
			"npm:left-padd":                 {Versions: []depstest.Version{{Number: "1.0.0", Published: depsAgo(20), Default: true}}},
			"npm:zz-healthy":                {Versions: old},
			"npm:zz-young":                  {Versions: []depstest.Version{{Number: "0.1.0", Published: depsAgo(1), Default: true}}},
			"npm:zz-evil":                   {Versions: old, Advisories: []string{"MAL-2030-1"}},
			"npm:zz-old":                    {Versions: []depstest.Version{{Number: "1.0.0", Published: depsAgo(900), Default: true, Deprecated: "given up"}}},
			"npm:zz-fresh":                  {NotIndexed: true, Versions: old},
			"npm:zz-vulnerable":             {Versions: append([]depstest.Version{{Number: "0.9.0", Published: depsAgo(999)}}, old...), Advisories: []string{"GHSA-1"}},
			"PyPI:requests":                 {Versions: []depstest.Version{{Number: "2.32.0", Published: depsAgo(900), Default: true}}},
			string(coord.Crates) + ":serde": {Versions: old},
		},
		Records: map[string]string{
			"MAL-2030-1": depstest.Advisory("MAL-2030-1", coord.NPM, "zz-evil", "", "0", ""),
			"GHSA-1":     depstest.Advisory("GHSA-1", coord.NPM, "zz-vulnerable", "CRITICAL", "0", "1.0.0"),
		},
		Fails: map[string]depstest.Answer{},
	}}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a := m.services.Answer(r.Method, r.URL.EscapedPath(), string(body))
		w.Header().Set("Content-Type", a.Type)
		w.WriteHeader(a.Status)
		_, _ = io.WriteString(w, a.Body)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			m.connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)

	home := t.TempDir()
	state := filepath.Join(home, ".guardrails")
	m.project = filepath.Join(home, "project")
	for _, dir := range []string{state, filepath.Join(m.project, ".git")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var endpoints []string
	for key, e := range map[string]coord.Ecosystem{
		"npm": coord.NPM, "pypi": coord.PyPI, "go": coord.Go, "cargo": coord.Crates, "rubygems": coord.RubyGems, "packagist": coord.Packagist, "nuget": coord.NuGet, "maven": coord.Maven,
	} {
		endpoints = append(endpoints, key+": "+depstest.Base(s.URL, "registry", e))
	}
	endpoints = append(endpoints, "depsdev: "+depstest.Base(s.URL, "depsdev", ""), "osv: "+depstest.Base(s.URL, "osv", ""))
	text := "dependencies: {endpoints: {" + strings.Join(endpoints, ", ") + "}" + config + "}\n"
	if err := os.WriteFile(filepath.Join(state, "config.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m.Machine = &Machine{
		Home: home, StateHome: state, Getenv: func(string) string { return "" }, Now: func() time.Time { return depsNow },
		Proc: noPrograms{}, HTTP: web.New("guardrails/test"),
	}
	return m
}

func (m *market) file(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(m.project, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (m *market) judge(t *testing.T, host string, s hook.Sample) Judgement {
	t.Helper()
	s.SessionID, s.Cwd = "s", m.project
	ad := adapters.Lookup(host)
	return m.Judge(Decode(Request{Adapter: ad, Payload: ad.(hook.Sampler).Payload(s), Dir: m.project}))
}

// said is what a host is told, as text.
func said(t *testing.T, j Judgement) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(j.Output.Stdout, &v); err != nil {
		t.Fatalf("%v in %s", err, j.Output.Stdout)
	}
	return string(j.Output.Stdout)
}

func TestPackagesAreLookedUpBeforeTheyAreAdded(t *testing.T) {
	content := func(s string) *string { return &s }
	for _, tc := range []struct {
		name   string
		sample hook.Sample
		want   hook.Decision
		rule   string
		says   string
	}{
		{"healthy", hook.Sample{Command: "npm install zz-healthy"}, hook.Pass, "", ""},
		{"a slip", hook.Sample{Command: "npm install left-padd"}, hook.Ask, "deps/near-name", "left-pad"},
		{"made up", hook.Sample{Command: "npm install zz-made-up"}, hook.Deny, "deps/no-such-package", "zz-made-up"},
		{"malware", hook.Sample{Command: "sudo npm i -g zz-evil"}, hook.Deny, "deps/malicious", "MAL-2030-1"},
		{"vulnerable", hook.Sample{Command: "cd web && npm i zz-vulnerable@0.9.0"}, hook.Deny, "deps/vulnerable", "zz-vulnerable@1.0.0"},
		{"new", hook.Sample{Command: "pnpm dlx zz-young"}, hook.Ask, "deps/new", ""},
		{"not indexed", hook.Sample{Command: "yarn add zz-fresh"}, hook.Ask, "deps/unconfirmed", ""},
		{"deprecated", hook.Sample{Command: "bun add zz-old"}, hook.Advise, "", "given up"},
		{"npm ci", hook.Sample{Command: "npm ci"}, hook.Pass, "", ""},
		{"a manifest with malware", hook.Sample{Path: "package.json", Content: content(`{"dependencies":{"zz-evil":"1.0.0","zz-healthy":"^1.0.0"}}`)}, hook.Deny, "deps/malicious", "zz-evil"},
		{"a manifest with a made up name", hook.Sample{Path: "requirements.txt", Content: content("requests==2.32.0\nzz-made-up==1.0\n# comment\n-r base.txt\n./local\n")}, hook.Deny, "deps/no-such-package", "zz-made-up"},
		{"a pom", hook.Sample{Path: "pom.xml", Content: content("<project><dependencies><dependency><groupId>org.zz</groupId><artifactId>nope</artifactId><version>1</version></dependency></dependencies></project>")}, hook.Ask, "deps/unconfirmed", "org.zz:nope"},
		{"a clean manifest", hook.Sample{Path: "package.json", Content: content(`{"dependencies":{"zz-healthy":"^1.0.0"}}`)}, hook.Pass, "", ""},
		{"two commands, one bad", hook.Sample{Command: "cargo add serde --features derive && cargo add zz-made-up"}, hook.Deny, "deps/no-such-package", "zz-made-up"},
	} {
		for _, host := range []string{"claude", "gemini"} {
			m := newMarket(t, "")
			s := tc.sample
			if s.Path != "" {
				s.Path = filepath.Join(m.project, s.Path)
			}
			j := m.judge(t, host, s)
			v := j.Result.Verdict
			if v.Decision != tc.want || tc.rule != "" && v.Rule != tc.rule || len(j.Lapses()) > 0 {
				t.Errorf("%s, %s: %s %s (%v)\n%s", tc.name, host, v.Decision, v.Rule, j.Lapses(), v.Reason)
			}
			if tc.want == hook.Advise && host == "gemini" {
				continue // it waits for an event that can carry it
			}
			if text := said(t, j); !strings.Contains(text, tc.says) {
				t.Errorf("%s, %s: %q is not said in %s", tc.name, host, tc.says, text)
			}
		}
	}
}

func TestAnEditIsJudgedByWhatItAdds(t *testing.T) {
	m := newMarket(t, "")
	m.file(t, "package.json", "{\n  \"dependencies\": {\n    \"zz-evil\": \"1.0.0\"\n  }\n}\n")
	edit := func(old, repl string) Judgement {
		payload, err := json.Marshal(map[string]any{
			"session_id": "s", "cwd": m.project, "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_use_id": "t",
			"tool_input": map[string]any{"file_path": filepath.Join(m.project, "package.json"), "old_string": old, "new_string": repl},
		})
		if err != nil {
			t.Fatal(err)
		}
		return m.Judge(Decode(Request{Adapter: adapters.Lookup("claude"), Payload: payload, Dir: m.project}))
	}
	if v := edit(`"dependencies": {`, "\"dependencies\": {\n    \"zz-made-up\": \"^1.0.0\",").Result.Verdict; v.Decision != hook.Deny || strings.Contains(v.Reason, "zz-evil") {
		t.Errorf("a name that nobody has: %+v", v)
	}
	if v := edit(`"dependencies": {`, "\"name\": \"x\",\n  \"dependencies\": {").Result.Verdict; v.Decision != hook.Pass {
		t.Errorf("nothing is added: %+v", v)
	}
	if v := edit("not there", "\"zz-made-up\": \"1\"").Result.Verdict; v.Decision != hook.Pass {
		t.Errorf("the host refuses it anyway: %+v", v)
	}
}

func TestLookUpsAreForWhoWantsThem(t *testing.T) {
	install := hook.Sample{Command: "npm install zz-made-up"}
	m := newMarket(t, ", enabled: false")
	if v := m.judge(t, "claude", install).Result.Verdict; v.Decision != hook.Pass || m.connections.Load() != 0 {
		t.Errorf("switched off: %+v, %d connections", v, m.connections.Load())
	}
	if v := m.judge(t, "claude", hook.Sample{Command: "npm install left-padd"}).Result.Verdict; v.Decision != hook.Ask || v.Rule != "deps/near-name" {
		t.Errorf("names are compared all the same: %+v", v)
	}
	// Nobody asked for them at all.
	if err := os.Remove(filepath.Join(m.StateHome, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	if v := m.judge(t, "claude", install).Result.Verdict; v.Decision != hook.Pass || m.connections.Load() != 0 {
		t.Errorf("by default: %+v, %d connections", v, m.connections.Load())
	}
	// A project that is not trusted does not say where names are sent.
	m.file(t, ".guardrails.yaml", "dependencies: {endpoints: {depsdev: \"http://127.0.0.1:1\"}}\n")
	var hosts []string
	m.HTTP = func(_ context.Context, r gate.Request) (gate.Response, error) {
		hosts = append(hosts, strings.SplitN(r.URL, "/", 4)[2])
		return gate.Response{Status: 500}, nil
	}
	m.judge(t, "claude", install)
	for _, h := range hosts {
		if strings.HasPrefix(h, "127.") {
			t.Errorf("an untrusted endpoint was asked: %q", hosts)
		}
	}
	if len(hosts) == 0 {
		t.Error("a project that opted in is looked up for")
	}
}

func TestTheSmallProcessAnswersWhatItCan(t *testing.T) {
	m := newMarket(t, "")
	m.Machine.Proc, m.Machine.HTTP = nil, nil
	for command, over := range map[string]bool{
		"ls": false, "npm ci": false, "git commit -m 'npm install x'": false, "npm install zz-evil": true,
	} {
		if j := m.judge(t, "claude", hook.Sample{Command: command}); j.Result.HandOver != over {
			t.Errorf("%s: hands over %v", command, j.Result.HandOver)
		}
	}
	m.Machine.Proc, m.Machine.HTTP = noPrograms{}, web.New("x")
	m.judge(t, "claude", hook.Sample{Command: "npm install zz-evil"})
	before := m.connections.Load()
	m.Machine.Proc, m.Machine.HTTP = nil, nil
	j := m.judge(t, "claude", hook.Sample{Command: "npm install zz-evil"})
	if j.Result.HandOver || j.Result.Verdict.Decision != hook.Deny || m.connections.Load() != before {
		t.Errorf("from the cache: %+v", j.Result)
	}
}

func TestADryRunKeepsNothing(t *testing.T) {
	m := newMarket(t, "")
	m.DryRun = true
	if v := m.judge(t, "claude", hook.Sample{Command: "npm install zz-evil"}).Result.Verdict; v.Decision != hook.Deny {
		t.Errorf("%+v", v)
	}
	if _, err := os.Stat(filepath.Join(m.StateHome, "cache")); !os.IsNotExist(err) {
		t.Errorf("a cache was written: %v", err)
	}
}

// noPrograms is a machine without package managers.
type noPrograms struct{}

func (noPrograms) Run(context.Context, gate.Command) (gate.Exit, error) {
	return gate.Exit{}, fs.ErrNotExist
}
func (noPrograms) LookPath(string) (string, error) { return "", fs.ErrNotExist }
