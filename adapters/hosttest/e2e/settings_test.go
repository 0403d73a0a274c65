//go:build e2e

package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/adapters/hosttest"
)

// TestE2ESettingsAreJudgedByEffect has the model edit the file that our hooks
// are in.
func TestE2ESettingsAreJudgedByEffect(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const mine = `{
  "permissions": {
    "allow": ["Bash(ls:*)"]
  }
}
`
		writeFile(t, w.local(), mine)
		w.init()
		ours, _ := w.read(w.local())
		victim := w.sentinel("after")
		s := w.play(play{turns: []hosttest.Turn{
			hosttest.Use(read(w.local())),
			hosttest.Use(write(w.local(), mine)),
			hosttest.Use(edit(w.local(), `"Bash(ls:*)"`, `"Bash(ls:*)", "Bash(git log:*)"`)),
			hosttest.Use(write(w.path(".claude/settings.json"), `{"disableAllHooks": true}`)),
			hosttest.Use(bash("rm -f " + w.local())),
			hosttest.Use(bash("rm -rf " + victim)),
			hosttest.Say("Done."),
		}})
		r := s.results(t, mainPart, 6)
		w.sub("a write that drops our hooks is refused", func(_ *testing.T, w *world) { w.denied(r[1]) })
		w.sub("an edit that adds a permission rule runs", func(t *testing.T, w *world) {
			w.ran(r[2])
			got, _ := w.read(w.local())
			if want := strings.Replace(ours, `"Bash(ls:*)"`, `"Bash(ls:*)", "Bash(git log:*)"`, 1); got != want {
				t.Errorf("the file holds\n%s\nwant\n%s", got, want)
			}
		})
		w.sub("a write that switches hooks off is refused", func(t *testing.T, w *world) {
			w.denied(r[3])
			if _, ok := w.read(w.path(".claude/settings.json")); ok {
				t.Error("the file was written")
			}
		})
		w.sub("the shell cannot remove the file", func(_ *testing.T, w *world) { w.denied(r[4]) })
		w.sub("after all that we still judge", func(t *testing.T, w *world) {
			w.denied(r[5])
			w.stands(victim)
		})
	})
}

// TestE2EUninstallLeavesTheSettingsAsTheyWere goes init, session, uninstall, in
// each place that init can write to.
func TestE2EUninstallLeavesTheSettingsAsTheyWere(t *testing.T) {
	const odd = "{\t\"permissions\" : { \"allow\":[ \"Bash(ls:*)\" ]},\r\n\n   \"env\":{\"A\":\"1\"} , \"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"true\"}]}]}}"
	each(t, func(t *testing.T, w *world) {
		for _, tc := range []struct {
			name, file, before string
			absent             bool
			flags, env         []string
		}{
			{name: "no file", file: w.local(), absent: true},
			{name: "a file in somebody's own style", file: w.local(), before: odd},
			{name: "an empty object", file: w.local(), before: "{}"},
			{name: "everywhere", file: w.user(), before: odd, flags: []string{"-g"}},
			{
				name: "a configuration folder elsewhere", file: filepath.Join(w.home, "etc", "claude", "settings.json"), before: odd,
				flags: []string{"-g"}, env: []string{"CLAUDE_CONFIG_DIR=" + filepath.Join(w.home, "etc", "claude")},
			},
			{name: "for the team", file: w.path(".claude/settings.json"), before: odd, flags: []string{"--shared"}},
		} {
			w.sub(tc.name, func(t *testing.T, w *world) {
				w.env = tc.env
				if tc.absent {
					if err := os.RemoveAll(tc.file); err != nil {
						t.Fatal(err)
					}
				} else {
					writeFile(t, tc.file, tc.before)
				}
				w.onPath()
				w.init(tc.flags...)
				if got, _ := w.read(tc.file); got == tc.before {
					t.Fatal("init wrote nothing")
				}
				dir := w.sentinel("round")
				s := w.play(play{turns: []hosttest.Turn{
					hosttest.Use(bash("rm -rf " + dir)), hosttest.Use(write(w.path(strings.ReplaceAll(tc.name, " ", "-")), "n\n")), hosttest.Say("Done."),
				}})
				r := s.results(t, mainPart, 2)
				w.denied(r[0])
				w.ran(r[1])
				w.stands(dir)

				w.init(append(tc.flags, "--uninstall")...)
				got, ok := w.read(tc.file)
				if ok == tc.absent || got != tc.before {
					t.Errorf("the file is there: %v, and holds\n%q\nwant\n%q", ok, got, tc.before)
				}
				// The same call, with nobody there to refuse it.
				s = w.play(play{turns: []hosttest.Turn{hosttest.Use(bash("rm -rf " + dir)), hosttest.Say("Done.")}})
				w.ran(s.results(t, mainPart, 1)[0])
				if _, there := w.read(filepath.Join(dir, "file")); there {
					t.Error("the delete did not run though nothing refused it: this test proves nothing")
				}
				theirs := strings.Count(tc.before, `"command":"true"`)
				if got := s.hooks(); got["Stop"] != theirs || len(got) != theirs {
					t.Errorf("hooks that ran after uninstall: %v, want %d of somebody's own", got, theirs)
				}
			})
		}
		if err := os.RemoveAll(w.local()); err != nil {
			t.Fatal(err)
		}
	})
}

// onPath puts our binary where a shell finds it by its name, once.
func (w *world) onPath() {
	w.t.Helper()
	name := filepath.Join(w.home, ".local", "bin", "guardrails")
	if _, err := os.Lstat(name); err == nil {
		return
	}
	if err := os.Symlink(built, name); err != nil {
		w.t.Fatal(err)
	}
}

// TestE2ESharedSettingsLetOthersPass commits our entry to the project and opens
// it on the machine of somebody who has no guardrails.
func TestE2ESharedSettingsLetOthersPass(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.onPath()
		w.init("--shared")
		dir := w.sentinel("mine")
		s := w.play(play{turns: []hosttest.Turn{hosttest.Use(bash("rm -rf " + dir)), hosttest.Say("Done.")}})
		w.denied(s.results(t, mainPart, 1)[0])
		w.stands(dir)

		other := newWorld(t, w.version)
		shared, _ := w.read(w.path(".claude/settings.json"))
		if strings.Contains(shared, w.home) {
			t.Errorf("what is shared names this person's home:\n%s", shared)
		}
		other.write(".claude/settings.json", shared)
		s = other.play(play{turns: []hosttest.Turn{hosttest.Use(bash("echo passes")), hosttest.Say("Done.")}})
		other.ran(s.results(t, mainPart, 1)[0])
		if end, ok := s.Final(); !ok || end.Result != "Done." {
			t.Errorf("the session ended with %+v", end)
		}
		for _, l := range s.Find("system", "hook_response") {
			if !strings.Contains(string(l.Raw), `"exit_code":0`) || !strings.Contains(string(l.Raw), `"outcome":"success"`) {
				t.Errorf("a hook failed: %s", l.Raw)
			}
		}
	})
}

// TestE2EInitTwiceIsInitOnce installs again over itself.
func TestE2EInitTwiceIsInitOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		once, _ := w.read(w.local())
		w.init()
		if twice, _ := w.read(w.local()); twice != once {
			t.Errorf("the second init wrote\n%s\nover\n%s", twice, once)
		}
		var settings struct {
			Hooks map[string][]struct {
				Hooks []struct {
					Command string
					Args    []string
					Timeout float64
				}
			}
		}
		if err := json.Unmarshal([]byte(once), &settings); err != nil {
			t.Fatal(err)
		}
		for event, groups := range settings.Hooks {
			if len(groups) != 1 || len(groups[0].Hooks) != 1 {
				t.Errorf("%s: %+v", event, groups)
				continue
			}
			h := groups[0].Hooks[0]
			if h.Command != w.installed() || !slices.Equal(h.Args, []string{"hook", "--agent", "claude"}) || h.Timeout <= 0 {
				t.Errorf("%s: %+v", event, h)
			}
		}
		if got := slices.Sorted(maps.Keys(settings.Hooks)); !slices.Contains(got, "PreToolUse") || !slices.Contains(got, "PreSkillShellCommand") {
			t.Errorf("events: %v", got)
		}
	})
}
