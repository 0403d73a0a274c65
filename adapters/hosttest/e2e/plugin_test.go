//go:build e2e

package e2e

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/adapters/hosttest"
)

// TestE2EThePluginValidatesInstallsAndFires goes the other route: a plugin from
// a marketplace on this disk.
func TestE2EThePluginValidatesInstallsAndFires(t *testing.T) {
	const before = "{\t\"permissions\" : { \"allow\":[ \"Bash(ls:*)\" ]},\r\n\n   \"env\":{\"A\":\"1\"}}"
	for _, tc := range []struct {
		name  string
		flags []string
		file  func(*world) string // what the host itself writes the plugin into
	}{
		{"for this project", []string{"--via", "plugin"}, (*world).local},
		{"everywhere", []string{"--via", "plugin", "-g"}, (*world).user},
	} {
		t.Run(tc.name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				writeFile(t, tc.file(w), before)
				w.init(tc.flags...)
				if now, _ := w.read(tc.file(w)); now == before {
					t.Errorf("%s was not touched", tc.file(w))
				}

				w.sub("the host's own check accepts it", func(t *testing.T, w *world) {
					checked := 0
					err := filepath.WalkDir(filepath.Join(w.home, ".guardrails", "hosts", "claude"), func(path string, d fs.DirEntry, err error) error {
						if err == nil && d.IsDir() && d.Name() == ".claude-plugin" {
							w.claude("plugin", "validate", "--strict", filepath.Dir(path))
							checked++
						}
						return err
					})
					if err != nil || checked == 0 {
						t.Errorf("%d checked, %v", checked, err)
					}
				})
				w.sub("it is installed and enabled", func(t *testing.T, w *world) {
					if !w.plugin() {
						t.Errorf("plugin list:\n%s", w.claude("plugin", "list", "--json"))
					}
				})
				dir := w.sentinel("plugin")
				w.sub("it fires in the first session", func(t *testing.T, w *world) {
					s := w.play(play{turns: []hosttest.Turn{
						hosttest.Use(bash("rm -rf " + dir)), hosttest.Use(bash("git status")), hosttest.Use(write(w.path("p.txt"), "p\n")), hosttest.Say("Done."),
					}})
					r := s.results(t, mainPart, 3)
					w.denied(r[0])
					w.ran(r[1])
					w.ran(r[2])
					w.stands(dir)
					if got := strings.Join(w.touched(s.id), " "); got != "p.txt" {
						t.Errorf("touched: %s", got)
					}
					if init := string(s.Find("system", "init")[0].Raw); strings.Contains(init, "plugin_errors") {
						t.Errorf("the host has errors with a plugin: %s", init)
					}
				})
				w.sub("uninstall takes it out whole", func(t *testing.T, w *world) {
					w.init(append(tc.flags, "--uninstall")...)
					if w.plugin() {
						t.Error("the host still lists it")
					}
					if after, _ := w.read(tc.file(w)); after != before {
						t.Errorf("%s holds\n%s\nwant\n%s", tc.file(w), after, before)
					}
					s := w.play(play{turns: []hosttest.Turn{hosttest.Use(bash("rm -rf " + dir)), hosttest.Say("Done.")}})
					w.ran(s.results(t, mainPart, 1)[0])
					if got := s.hooks(); len(got) != 0 {
						t.Errorf("hooks that ran after uninstall: %v", got)
					}
				})
			})
		})
	}
}

// plugin reports whether the host lists our plugin as enabled.
func (w *world) plugin() bool {
	w.t.Helper()
	var list []struct {
		ID      string
		Enabled bool
	}
	raw := w.claude("plugin", "list", "--json")
	if err := json.Unmarshal([]byte(raw), &list); err != nil {
		w.t.Fatalf("%v in %s", err, raw)
	}
	for _, p := range list {
		if strings.HasPrefix(p.ID, "guardrails@") && p.Enabled {
			return true
		}
	}
	return false
}
