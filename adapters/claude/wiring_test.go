package claude

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/hook"
)

// known197 are the 30 events of 2.1.197; a plugin that names another does not
// load there.
var known197 = []string{
	"SessionStart", "Setup", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PermissionRequest", "PermissionDenied",
	"PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "MessageDisplay", "Stop", "StopFailure", "SubagentStart",
	"SubagentStop", "TaskCreated", "TaskCompleted", "TeammateIdle", "PreCompact", "PostCompact", "ConfigChange", "InstructionsLoaded",
	"CwdChanged", "FileChanged", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult", "SessionEnd",
}

func TestThePluginNamesOnlyEventsOfTheOldestVersion(t *testing.T) {
	var plugin []string
	for _, w := range (Adapter{}).PluginWiring() {
		plugin = append(plugin, w.Event)
		if !slices.Contains(known197, w.Event) {
			t.Errorf("%s is not known to 2.1.197", w.Event)
		}
	}
	for _, w := range (Adapter{}).Wiring() {
		if w.SettingsOnly == slices.Contains(plugin, w.Event) || w.SettingsOnly == slices.Contains(known197, w.Event) {
			t.Errorf("%+v: SettingsOnly must be set for what 2.1.197 does not know, and for nothing else", w)
		}
	}
	if len(plugin) == 0 {
		t.Error("the plugin registers nothing")
	}
}

func TestWiringAsRegistered(t *testing.T) {
	got := make(map[string]hook.Wiring)
	for _, w := range (Adapter{}).Wiring() {
		got[w.Event] = w
		if eventOf(w.Event) == hook.UnknownEvent {
			t.Errorf("%s does not decode to an event of ours", w.Event)
		}
		// The host ignores onFailure there, and a missing binary must not hold a
		// turn or drop every prompt.
		if w.Block && !eventOf(w.Event).BeforeTool() {
			t.Errorf("%s blocks when our process cannot answer", w.Event)
		}
	}
	if w := got["PreToolUse"]; w.Matcher != "" || !w.Block || w.Timeout != 10 {
		t.Errorf("%+v: every tool must be seen, and a missing answer must block", w)
	}
	if w := got["PreSkillShellCommand"]; w.Matcher != "Bash|PowerShell|Monitor" || !w.Block || !w.SettingsOnly {
		t.Errorf("%+v", w)
	}
	for _, e := range []string{"Stop", "SubagentStop"} {
		if got[e].Timeout != 120 {
			t.Errorf("%+v: quality may take 120 s, 10 s are ours", got[e])
		}
	}
	for _, e := range []string{"PermissionRequest", "WorktreeCreate", "MessageDisplay"} {
		if _, ok := got[e]; ok {
			t.Errorf("%s is registered", e)
		}
	}
}

func TestLiveFilesAreThoseThatTheHostReads(t *testing.T) {
	paths := func(p hook.Paths) []string {
		var out []string
		for _, f := range (Adapter{}).LiveFiles(p) {
			if !f.Dir {
				out = append(out, filepath.ToSlash(f.Path))
			}
		}
		return out
	}
	tests := []struct {
		name string
		p    hook.Paths
		want []string
	}{
		{"sub-folder of a project", hook.Paths{Home: "/h", Dir: "/h/p/sub", Root: "/h/p"}, []string{
			"/h/.claude/settings.json",
			"/h/p/sub/.claude/settings.json", "/h/p/sub/.claude/settings.local.json",
			"/h/p/.claude/settings.json", "/h/p/.claude/settings.local.json",
			"/h/.claude/plugins/installed_plugins.json", "/h/.claude/plugins/known_marketplaces.json",
		}},
		{"home itself", hook.Paths{Home: "/h", Dir: "/h"}, []string{
			"/h/.claude/settings.json", "/h/.claude/settings.local.json",
			"/h/.claude/plugins/installed_plugins.json", "/h/.claude/plugins/known_marketplaces.json",
		}},
		{"moved configuration", hook.Paths{Home: "/h", Dir: "/p", Root: "/p", ConfigHome: "/c"}, []string{
			"/c/settings.json", "/p/.claude/settings.json", "/p/.claude/settings.local.json",
			"/c/plugins/installed_plugins.json", "/c/plugins/known_marketplaces.json",
		}},
		{"nothing known", hook.Paths{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, paths(tt.p)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	for _, f := range (Adapter{}).LiveFiles(hook.Paths{Home: "/h", Dir: "/p"}) {
		if f.Entries && (!slices.Contains(f.Switches, "disableAllHooks") || !slices.Contains(f.Switches, "enabledPlugins.guardrails*")) {
			t.Errorf("%s: switches %q", f.Path, f.Switches)
		}
	}
}

func TestTheHeadlessPromptIsNeverAnOption(t *testing.T) {
	if diff := cmp.Diff([]string{"claude", "-p", "--", "--version"}, Adapter{}.HeadlessCommand("--version")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
