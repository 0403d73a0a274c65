package gemini

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/hook"
)

func TestWiringAsRegistered(t *testing.T) {
	got := make(map[string]hook.Wiring)
	for _, w := range (Adapter{}).Wiring() {
		got[w.Event] = w
		if eventOf(w.Event) == hook.UnknownEvent {
			t.Errorf("%s does not decode to an event of ours", w.Event)
		}
		if w.Matcher != "" || w.Block || w.SettingsOnly {
			t.Errorf("%+v: the host knows no such thing, or a matcher would miss calls", w)
		}
		// Seconds: the host's milliseconds are made where its file is written, and
		// nobody waits a quarter of an hour for a hook.
		if w.Timeout < 1 || w.Timeout > 900 {
			t.Errorf("%+v: that is no number of seconds", w)
		}
	}
	if got["AfterAgent"].Timeout != 120 {
		t.Errorf("%+v: 10 s of it are for our own work", got["AfterAgent"])
	}
	if got["BeforeTool"].Timeout != 10 {
		t.Errorf("%+v", got["BeforeTool"])
	}
	for _, e := range []string{"PreCompress", "AfterModel", "BeforeModel", "BeforeToolSelection", "Notification"} {
		if _, ok := got[e]; ok {
			t.Errorf("%s is registered", e)
		}
	}
}

func TestLiveFilesAreThoseThatTheHostReads(t *testing.T) {
	inHome := func(home string) []string {
		return []string{home + "/.gemini/extensions/guardrails", home + "/.gemini/extensions/extension-enablement.json", home + "/.gemini/trustedFolders.json"}
	}
	tests := []struct {
		name string
		p    hook.Paths
		want []string
	}{
		{"sub-folder of a project", hook.Paths{Home: "/h", Dir: "/h/p/sub", Root: "/h/p"}, append([]string{
			"/h/.gemini/settings.json", "/h/p/sub/.gemini/settings.json", "/h/p/.gemini/settings.json",
		}, inHome("/h")...)},
		{"home itself", hook.Paths{Home: "/h", Dir: "/h"}, append([]string{"/h/.gemini/settings.json"}, inHome("/h")...)},
		{"another home for the host", hook.Paths{Home: "/h", Dir: "/p", Root: "/p", ConfigHome: "/c"}, append([]string{
			"/c/.gemini/settings.json", "/p/.gemini/settings.json",
		}, inHome("/c")...)},
		{"nothing known", hook.Paths{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range (Adapter{}).LiveFiles(tt.p) {
				if f.Path != systemDir() {
					got = append(got, filepath.ToSlash(f.Path))
				}
				if f.Entries && !slices.Contains(f.Switches, "hooksConfig.enabled") {
					t.Errorf("%s: switches %q", f.Path, f.Switches)
				}
				if filepath.Base(f.Path) == "guardrails" && !f.Dir {
					t.Errorf("%s is not protected whole", f.Path)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestTheHeadlessPromptIsNeverAnOption(t *testing.T) {
	for prompt, want := range map[string][]string{
		"do it":     {"gemini", "-p", "do it"},
		"--version": {"gemini", "--prompt=--version"},
		"-x":        {"gemini", "--prompt=-x"},
	} {
		if diff := cmp.Diff(want, Adapter{}.HeadlessCommand(prompt)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}
