package cli

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

func tree() *cobra.Command {
	return newRootCmd(&app{getenv: func(string) string { return "" }, environ: func() []string { return nil }, now: time.Now})
}

func TestTheCommandLinePageIsCurrent(t *testing.T) {
	const page = "../../../../docs/cli.md"
	got := markdown(tree())
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("docs/cli.md is not what the commands say; go test ./cmd/guardrails/internal/cli -update (-want +got)\n%s", d)
	}
}

func TestEachVerbTeaches(t *testing.T) {
	for _, c := range documented(tree())[1:] {
		switch {
		case c.Short == "" || strings.HasSuffix(c.Short, "."):
			t.Errorf("%s: its short help is %q", c.CommandPath(), c.Short)
		case c.Runnable() && c.Example == "" && len(c.Flags().FlagUsages()) > 60 && c.Long == "":
			t.Errorf("%s has flags, and neither an explanation nor an example", c.CommandPath())
		}
		page := manPage(c)
		for line := range strings.SplitSeq(page, "\n") {
			if strings.HasPrefix(line, ".") && !slicesHasPrefix([]string{".TH ", ".SH ", ".nf", ".fi", ".TP", ".B ", ".BR "}, line) {
				t.Errorf("%s: the manual page has the request %q", c.CommandPath(), line)
			}
		}
	}
}

func slicesHasPrefix(list []string, line string) bool {
	for _, p := range list {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return false
}
