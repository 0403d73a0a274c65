package cli

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/core/audit"
)

func newLogCmd(a *app) *cobra.Command {
	var (
		asJSON bool
		n      int
		since  string
		stops  bool
		found  bool
	)
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Show what was decided: one line for each hook call",
		Long: `log prints today's hook calls, oldest first. Lines hold facts, never contents: no
prompt, path, command or output, and of a session only a digest.`,
		Example: `  guardrails log --stops -n 20      # the last refusals and questions
  guardrails log --since 2h
  guardrails log --since 2026-11-01 --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if n < 0 {
				return fmt.Errorf("-n %d: give how many lines, 1 or more", n)
			}
			from, err := sinceTime(a.now(), since, n)
			if err != nil {
				return err
			}
			if found && stops {
				return errors.New("--stops is about calls, --findings about texts: give one of them")
			}
			if found {
				return a.printFindings(from, n, asJSON)
			}
			return a.printLog(from, n, asJSON, stops)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print the log's own lines, unchanged")
	f.IntVarP(&n, "lines", "n", 0, "only the last `N` lines, of any day that is kept")
	f.StringVar(&since, "since", "", "from a `TIME` on: a duration back (90m, 24h), a day (2026-11-30) or a time (RFC 3339)")
	f.BoolVar(&stops, "stops", false, "only calls that were refused, blocked or asked about")
	f.BoolVar(&found, "findings", false, "instead, what validators had against texts, as JSON lines: kinds and redacted samples")
	return cmd
}

// printFindings prints the record of the validators' findings.
func (a *app) printFindings(from time.Time, n int, asJSON bool) error {
	log := audit.Log{Dir: filepath.Join(a.state, "findings"), Now: a.now}
	out := bufio.NewWriter(a.stdout)
	defer out.Flush()
	none := true
	for raw, err := range log.Read(from, n) {
		if err != nil {
			return err
		}
		none = false
		fmt.Fprintf(out, "%s\n", raw)
	}
	if none && !asJSON {
		a.hintf("no findings since %s in %s", from.Format(time.RFC3339), log.Dir)
	}
	return nil
}

// sinceTime reads --since. Without it, all of today; with -n alone, all days.
func sinceTime(now time.Time, since string, n int) (time.Time, error) {
	switch {
	case since == "" && n > 0:
		return time.Time{}, nil
	case since == "":
		y, m, d := now.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, now.Location()), nil
	}
	if d, err := time.ParseDuration(since); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if t, err := time.ParseInLocation("2006-01-02", since, now.Location()); err == nil {
		return t, nil
	}
	t, err := time.Parse(time.RFC3339, since)
	if err != nil {
		return t, fmt.Errorf("--since %q: give a duration such as 90m or 24h, a day such as 2026-11-30, or an RFC 3339 time", since)
	}
	return t, nil
}

func (a *app) printLog(from time.Time, n int, asJSON, stops bool) error {
	log := audit.Log{Dir: filepath.Join(a.state, "log"), Now: a.now}
	out := bufio.NewWriter(a.stdout)
	defer out.Flush()
	ask := n
	if stops {
		ask = 0 // the filter comes first
	}
	var kept []string
	for raw, err := range log.Read(from, ask) {
		if err != nil {
			return err
		}
		line, err := audit.Parse(raw)
		if err != nil || (stops && line.Decision != "deny" && line.Decision != "block" && line.Decision != "ask") {
			continue
		}
		text := string(raw)
		if !asJSON {
			text = logLine(line)
		}
		kept = append(kept, text)
		if n > 0 && len(kept) > n {
			kept = kept[1:]
		}
	}
	for _, text := range kept {
		fmt.Fprintln(out, text)
	}
	if len(kept) == 0 && !asJSON {
		what := "calls"
		if stops {
			what = "calls that were refused, blocked or asked about"
		}
		a.hintf("no %s since %s in %s", what, from.Format(time.RFC3339), log.Dir)
	}
	return nil
}

func logLine(l audit.Line) string {
	text := fmt.Sprintf("%s  %-7s  %-8s %-20s %8.3f ms  %s", l.Time.Local().Format("2006-01-02 15:04:05"), orDash(l.Decision), orDash(l.Host), orDash(l.Event), l.MS, orDash(l.Rule))
	if l.Tool != "" {
		text += "  " + l.Tool
	}
	if l.Gate == "permit" { // else a pass with a rule is a riddle
		text += "  let through by allow once or off"
	}
	if l.Code != "" {
		text += "  code " + l.Code
	}
	if l.Probe {
		text += "  probe"
	}
	if l.Lapse != "" {
		text += "  lapse: " + l.Lapse
	}
	return text
}
