package intent

import (
	"strings"
	"testing"
)

func TestBuilds(t *testing.T) {
	for _, tt := range []struct {
		prompt string
		want   bool
	}{
		{"implement the export button", true},
		{"fix the header", true},
		{"implement x", true},
		{"Please add a dark mode toggle", true},
		{"can you build a login page?", true},
		{"Could you please refactor this module", true},
		{"I want you to create a CLI for this", true},
		{"let's wire up the webhook", true},
		{"hook up the payment form", true},
		{"make the table sortable", true},
		{"change the colour of the button", true},
		{"The export is broken. Fix it.", true},
		{"The export is broken, please fix it", true},
		{"write a migration for users", true},
		{"resolve the merge conflicts", true},
		{"there are conflicts with main, resolve the conflicts please", true},
		{"get PR 7 green", true},
		{"get the pr merged", true},
		{"get #12 passing", true},
		{"Now update the docs", true},
		{"ok, then rename the package", true},

		{"how do I build this?", false},
		{"what does add do", false},
		{"why is the build failing?", false},
		{"/review", false},
		{"/build the thing", false},
		{"!make", false},
		{"is the fix deployed?", false},
		{"explain how to implement a trie", false},
		{"make sure you understand", false},
		{"thanks, that works", false},
		{"the build is green", false},
		{"I like the fix", false},
		{"show me the address book", false},
		{"```\nfix the header\n```", false},
		{"> fix the header", false},
		{"<task-notification>fix it</task-notification>", false},
		{"", false},
		{"   ", false},
		{"yes", false},
		{"why did CI print \"build failed: fix imports\"?", false},
		{"the task is to add an endpoint", true},
		{"TODO: fix the header", true},
	} {
		if got := Builds(tt.prompt); got != tt.want {
			t.Errorf("%q: %v", tt.prompt, got)
		}
	}
}

func FuzzBuilds(f *testing.F) {
	f.Add("fix the header")
	f.Fuzz(func(t *testing.T, prompt string) {
		if strings.HasPrefix(strings.TrimSpace(prompt), "/") && Builds(prompt) {
			t.Error("a slash command is no request")
		}
		if Builds(prompt) != Builds(" "+prompt+" ") && len(prompt) < maxPrompt-2 {
			t.Error("blanks decide")
		}
	})
}
