package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/tidy"
)

func newGCCmd(a *app) *cobra.Command {
	var force, yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Drop state that nothing needs any more",
		Long: `gc does what every session start does once a day: it removes sessions idle for
14 days, watch slots finished and review ledgers idle for 30, and the records of
projects that are gone. An open slot and whatever is in use stay, however old.
With --force it does so now, whenever it was done last.

GUARDRAILS_TTL_DAYS and GUARDRAILS_SLOT_TTL_DAYS change the limits (a pack's own
names for them count while it is in force). What is no positive number of days
is passed over.`,
		Example: `  guardrails gc
  guardrails gc --force             # for a human`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if force {
				if err := a.requireHuman("gc --force", yes); err != nil {
					return err
				}
			}
			s, err := a.inForce()
			if err != nil {
				return err
			}
			root, err := a.root()
			if err != nil {
				return err
			}
			job := tidy.Job{Home: a.home, StateHome: a.state, Root: root, Packs: s.Packs, Getenv: a.getenv, Now: a.now()}
			ran := true
			var r tidy.Report
			if force {
				r, err = job.Run()
			} else {
				r, ran, err = job.Daily()
			}
			switch {
			case asJSON:
				err = errors.Join(err, a.writeJSON(struct {
					Ran bool `json:"ran"`
					tidy.Report
				}{ran, r}))
			case err != nil:
			case !ran && !isFolder(a.state):
				a.sayf("nothing to do: there is no state in %s", a.state)
			case !ran:
				a.sayf("nothing to do: it was done within the last day (gc --force does it now)")
			default:
				a.sayf("removed %s, %s, %s and %s", plural(r.Sessions, "idle session"), plural(r.Slots, "finished watch slot"),
					plural(r.Ledgers, "idle review ledger"), plural(r.Projects, "record of a project that is gone"))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&force, "force", false, "do it now (for a human)")
	f.BoolVar(&yes, "yes", false, "force without a terminal, in a script of your own")
	f.BoolVar(&asJSON, "json", false, "print what was removed as JSON")
	return cmd
}

// plural counts things: 1 slot, 2 slots, 2 records of a project.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	for i := range len(what) - 3 {
		if what[i:i+4] == " of " {
			return fmt.Sprintf("%d %ss%s", n, what[:i], what[i:])
		}
	}
	return fmt.Sprintf("%d %ss", n, what)
}
