//go:build e2e

package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/adapters/hosttest"
	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/depstest"
)

// market serves deps.dev, OSV and the npm registry on loopback, and has the
// world's person point us there.
func market(t *testing.T, w *world) *depstest.Services {
	t.Helper()
	old := []depstest.Version{{Number: "1.3.0", Published: time.Now().AddDate(-3, 0, 0), Default: true}}
	services := &depstest.Services{
		Packages: map[string]*depstest.Package{
			"npm:left-pad":  {Versions: old},
			"npm:left-padd": {Versions: []depstest.Version{{Number: "1.0.0", Published: time.Now().AddDate(0, -2, 0), Default: true}}},
			"npm:zz-evil":   {Versions: old, Advisories: []string{"MAL-2030-1"}},
		},
		Records: map[string]string{"MAL-2030-1": depstest.Listing("MAL-2030-1", coord.NPM, "zz-evil", false, "1.3.0")},
	}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a := services.Answer(r.Method, r.URL.EscapedPath(), string(body))
		rw.Header().Set("Content-Type", a.Type)
		rw.WriteHeader(a.Status)
		_, _ = io.WriteString(rw, a.Body)
	}))
	t.Cleanup(s.Close)
	writeFile(t, filepath.Join(w.home, ".guardrails", "config.yaml"), "dependencies: {endpoints: {"+
		"depsdev: "+depstest.Base(s.URL, "depsdev", "")+", osv: "+depstest.Base(s.URL, "osv", "")+", npm: "+depstest.Base(s.URL, "registry", coord.NPM)+"}}\n")
	return services
}

// TestE2EPackagesAreLookedUp has an agent add packages: by a command and by an
// edit.
func TestE2EPackagesAreLookedUp(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		services := market(t, w)
		const before = "{\n  \"name\": \"project\",\n  \"version\": \"1.0.0\",\n  \"dependencies\": {}\n}\n"
		w.write("package.json", before)
		w.write("package-lock.json", "{\"name\":\"project\",\"version\":\"1.0.0\",\"lockfileVersion\":3,\"requires\":true,\"packages\":{\"\":{\"name\":\"project\",\"version\":\"1.0.0\"}}}\n")
		s := w.play(play{turns: []hosttest.Turn{
			hosttest.Use(bash("npm install left-padd")),
			hosttest.Use(bash("npm install zz-sorted-utils-made-up")),
			hosttest.Use(bash("npm ci --offline --no-audit --no-fund --no-update-notifier")),
			hosttest.Use(read(w.path("package.json"))),
			hosttest.Use(edit(w.path("package.json"), "\"dependencies\": {}", "\"dependencies\": {\"zz-evil\": \"1.3.0\"}")),
			hosttest.Say("Done."),
		}})
		r := s.results(t, mainPart, 5)
		w.sub("a slip is asked about with the real name", func(t *testing.T, w *world) {
			// Nobody is there to answer: the question is a refusal.
			if !r[0].IsError || !strings.Contains(r[0].Text, "left-pad") {
				t.Errorf("the model was told %q", r[0].Text)
			}
			asked := false
			for _, l := range w.log() {
				asked = asked || l.Decision == "ask" && l.Rule == "deps/near-name"
			}
			if !asked {
				t.Errorf("log: %+v", w.log())
			}
		})
		w.sub("a made-up package is refused and the model sees why", func(t *testing.T, w *world) {
			w.denied(r[1])
			if !strings.Contains(r[1].Text, "there is no npm package zz-sorted-utils-made-up") {
				t.Errorf("the model was told %q", r[1].Text)
			}
		})
		w.sub("npm ci runs", func(t *testing.T, w *world) {
			w.ran(r[2])
			for _, a := range services.Asks() {
				if strings.Contains(a, "project") {
					t.Errorf("looked up: %s", a)
				}
			}
		})
		w.sub("an edit that adds malware is refused", func(t *testing.T, w *world) {
			w.ran(r[3])
			w.denied(r[4])
			if !strings.Contains(r[4].Text, "MAL-2030-1") {
				t.Errorf("the model was told %q", r[4].Text)
			}
			if now, _ := w.read(w.path("package.json")); now != before {
				t.Errorf("package.json is now %s", now)
			}
		})
		w.sub("an ordinary command opens no connection", func(t *testing.T, w *world) {
			services.Forget()
			s := w.play(play{turns: []hosttest.Turn{hosttest.Use(bash("git status")), hosttest.Use(bash("echo npm install zz-evil")), hosttest.Say("Done.")}})
			for _, r := range s.results(t, mainPart, 2) {
				w.ran(r)
			}
			if asks := services.Asks(); len(asks) > 0 {
				t.Errorf("asked: %q", asks)
			}
		})
	})
}
