package cli

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/hook"
)

var update = flag.Bool("update", false, "rewrite docs/hosts.md")

func TestTheHostsPageIsWhatDoctorPrints(t *testing.T) {
	page := filepath.Join("..", "..", "..", "..", "docs", "hosts.md")
	const head = `# Agents, and in what they differ

Written by ` + "`go test ./cmd/guardrails/internal/cli -update`" + ` from what the
adapters say of their agents; ` + "`guardrails doctor --matrix`" + ` prints it.

The same policy gives the same verdict everywhere. What an agent cannot carry
reaches it in a stronger form, never in a weaker one.

`
	got := head + matrix()
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("docs/hosts.md is not what the adapters say (-page +now):\n%s", diff)
	}
}

func TestTheMatrixKnowsEveryEventThatAHostTells(t *testing.T) {
	for _, ad := range adapters.All {
		for _, e := range ad.Capabilities().Events {
			known := false
			for _, v := range vocabulary {
				known = known || v == e
			}
			if !known {
				t.Errorf("%s tells of %s, which is in no row", ad.Name(), e)
			}
		}
	}
}

func TestOnlyRowsThatDifferAreInTheTable(t *testing.T) {
	var b strings.Builder
	caps := []hook.Capabilities{{Ask: true}, {Ask: true, Rewrite: true}}
	same := table(&b, "", []string{"one", "two"}, caps, []row{
		{"asks", func(c hook.Capabilities) string { return yesNo(c.Ask) }},
		{"rewrites", func(c hook.Capabilities) string { return yesNo(c.Rewrite) }},
	})
	if diff := cmp.Diff("|  | one | two |\n|---|---|---|\n| rewrites | no | yes |\n", b.String()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"asks: yes"}, same); diff != "" {
		t.Error(diff)
	}
}
