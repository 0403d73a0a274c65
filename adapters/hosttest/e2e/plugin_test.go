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
	each(t, func(t *testing.T, w *world) {
		user := filepath.Join(w.home, ".claude", "settings.json")
		writeFile(t, user, "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\"\n    ]\n  }\n}\n")
		before, _ := w.read(user)
		w.init("--via", "plugin")

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
		w.sub("it fires", func(t *testing.T, w *world) {
			dir := w.sentinel("plugin")
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
			w.init("--via", "plugin", "--uninstall")
			if w.plugin() {
				t.Error("the host still lists it")
			}
			if after, _ := w.read(user); after != before {
				t.Errorf("the person's settings hold\n%s\nwant\n%s", after, before)
			}
			s := w.play(play{turns: []hosttest.Turn{hosttest.Use(bash("echo free")), hosttest.Say("Done.")}})
			w.ran(s.results(t, mainPart, 1)[0])
			if got := s.hooks(); len(got) != 0 {
				t.Errorf("hooks that ran after uninstall: %v", got)
			}
		})
	})
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
