package policy

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/hook"
)

var update = flag.Bool("update", false, "rewrite generated files")

// packDocs says what each pack is about, in the order of docs/rules.md.
var packDocs = [][2]string{
	{packSelf, "The guarded agent cannot switch its guard off. Always on; no exception loosens it."},
	{packDisarm, "Paths that the configuration names under `policy.protect`."},
	{packFilesystem, "Deletes and overwrites that nothing brings back. Always on."},
	{packGit, "Uncommitted work, unpushed commits and branches that others build on. Always on."},
	{packBypass, "The repository's own hooks are run. Always on."},
	{packSecrets, "Secret files and variables are not shown, copied away or lost. Always on."},
	{packExfiltration, "Secrets do not leave the machine. Always on."},
	{packRemote, "What was fetched a moment ago is not run unread. Always on."},
	{packSystem, "The machine, its services, and what others see of the work. Always on."},
	{packCloud, "Optional: `policy.packs: [cloud]`."},
	{packDatabase, "Optional: `policy.packs: [database]`."},
	{packContainers, "Optional: `policy.packs: [containers]`."},
	{packPublishing, "Optional: `policy.packs: [publishing]`."},
	{packBranches, "Optional: `policy.packs: [branches]`. Which branch is checked out is read from `.git/HEAD` and from what the line itself does to it. More branches than the usual names: `policy.branches`."},
	{packInstructions, "Optional: `policy.packs: [instructions]`. Reading them stays free."},
}

func rulesDoc() string {
	var b strings.Builder
	b.WriteString("# Rules\n\nGenerated from `core/policy` (`go test ./core/policy -run TestRulesDoc -update`). `guardrails explain RULE` prints one of them.\n" +
		"How they are judged: [policy.md](policy.md). *deny*: it cannot be undone, leaks or disarms. *ask*: a normal wish that destroys something; on a host that cannot ask it is denied.\n")
	seen := map[string]bool{}
	for _, p := range packDocs {
		seen[p[0]] = true
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", p[0], p[1])
		for _, r := range Rules() {
			if r.Pack() != p[0] {
				continue
			}
			verdict := "ask"
			if r.Verdict == hook.Deny {
				verdict = "deny"
			}
			fmt.Fprintf(&b, "\n### %s (%s)\n\n%s %s.\n\n- Instead: %s.\n", r.ID, verdict, r.Doc, strings.ToUpper(r.Why[:1])+r.Why[1:], r.Instead)
			samples := func(head string, list []string) {
				if len(list) == 0 {
					return
				}
				fmt.Fprintf(&b, "- %s:\n", head)
				for _, s := range list {
					fence := "`"
					for strings.Contains(s, fence) {
						fence += "`"
					}
					pad := ""
					if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
						pad = " "
					}
					fmt.Fprintf(&b, "  - %s%s%s%s%s\n", fence, pad, strings.ReplaceAll(s, "\n", `\n`), pad, fence)
				}
			}
			samples("Fires on", r.Fire)
			samples("Passes", r.Pass)
		}
	}
	for _, r := range Rules() {
		if !seen[r.Pack()] {
			panic("pack " + r.Pack() + " is not documented")
		}
	}
	return b.String()
}

func TestRulesDocIsCurrent(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "rules.md")
	want := rulesDoc()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/rules.md is out of date; run go test ./core/policy -run TestRulesDoc -update\n%s", diff)
	}
}
