package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/core/audit"
	"github.com/ec261362/guardrails/core/quality"
)

func newStatsCmd(a *app) *cobra.Command {
	var (
		asJSON bool
		since  string
	)
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count what was decided, and how long it took",
		Example: `  guardrails stats
  guardrails stats --since 168h --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			from, err := sinceTime(a.now(), since, 0)
			if err != nil {
				return err
			}
			log := audit.Log{Dir: filepath.Join(a.state, "log"), Now: a.now}
			stats, err := log.Stats(from)
			if err != nil {
				return err
			}
			runs, err := a.runs(from)
			if err != nil {
				return err
			}
			if asJSON {
				for _, s := range stats {
					if err := a.writeJSON(s); err != nil {
						return err
					}
				}
				if runs.Sessions > 0 {
					return a.writeJSON(runs)
				}
				return nil
			}
			if err := a.printStats(stats, from); err != nil {
				return err
			}
			return a.printRuns(runs)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print one JSON object for each host and event")
	f.StringVar(&since, "since", "", "from a `TIME` on (default: all of today): a duration back, a day or a time (RFC 3339)")
	return cmd
}

func (a *app) printStats(stats []audit.Stat, from time.Time) error {
	if len(stats) == 0 {
		a.hintf("no calls since %s", from.Format(time.RFC3339))
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "host\tevent\tcalls\tp50 ms\tp95 ms\tlapses\tdecisions")
	for _, s := range stats {
		var decisions []string
		for d, n := range s.Decisions {
			decisions = append(decisions, fmt.Sprintf("%s %d", orDash(d), n))
		}
		slices.Sort(decisions)
		fmt.Fprintf(w, "%s\t%s\t%d\t%.2f\t%.2f\t%d\t%s\n", orDash(s.Host), orDash(s.Event), s.Calls, s.P50, s.P95, s.Lapses, strings.Join(decisions, ", "))
	}
	return w.Flush()
}

// orDash keeps a column from being empty.
func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// runs sums up the sessions that ended in this repository.
func (a *app) runs(from time.Time) (quality.Runs, error) {
	cache, err := a.repoCache()
	if err != nil {
		return quality.Runs{}, nil //nolint:nilerr // outside of a project there are none
	}
	return quality.ReadRuns(cache, from)
}

func (a *app) printRuns(r quality.Runs) error {
	if r.Sessions == 0 {
		return nil
	}
	_, err := fmt.Fprintf(a.stdout, "\n%s ended here: %.0f minutes, %s, %s, %s touched; a hook call took %.2f ms (p50), %.2f ms (p95)\n",
		plural(r.Sessions, "session"), r.Minutes, plural(r.Blocks, "block"), plural(r.Releases, "release"), plural(r.Touched, "file"), r.P50, r.P95)
	return err
}
