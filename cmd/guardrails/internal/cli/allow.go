package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/core/audit"
	"github.com/ec261362/guardrails/core/permit"
	"github.com/ec261362/guardrails/core/policy"
)

// lockWait is how long a verb waits for another process.
const lockWait = 5 * time.Second

func (a *app) permits() *permit.Store { return &permit.Store{StateHome: a.state, Now: a.now} }

func newAllowCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "allow",
		Short: "Let one refused call pass (for a human)",
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "once CODE",
		Short: "Let the call that was refused with CODE pass once, within 15 minutes",
		Long: `A refusal ends with a code. It stands for that rule and that very command in that
project. After allow once the agent's next try of it passes; the one after does not.
It needs a terminal: no agent may run it.

A code that no refusal of the last 30 days has is an error: nothing is allowed.`,
		Example: "  guardrails allow once 1a2b3c4d",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.requireTerminal("allow once"); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(context.Background(), lockWait)
			defer cancel()
			code := strings.ToLower(args[0])
			if err := permit.CheckCode(code); err != nil {
				return err
			}
			log := audit.Log{Dir: filepath.Join(a.state, "log"), Now: a.now}
			refusal, ok, err := log.Refused(code)
			switch {
			case err != nil:
				return err
			case !ok:
				return fmt.Errorf("no refusal in %s has the code %s, so nothing is allowed: copy it from what the agent was told; what `guardrails check` prints is none until an agent was refused with it", log.Dir, code)
			}
			until, err := a.permits().Grant(ctx, code)
			if err != nil {
				return err
			}
			a.sayf("allowed once, until %s: the call that was refused by %s at %s; have the agent try it again, unchanged",
				until.Local().Format("15:04:05"), refusal.Rule, refusal.Time.Local().Format("2006-01-02 15:04:05"))
			return nil
		},
	})
	return cmd
}

func newOffCmd(a *app) *cobra.Command {
	var (
		o permit.Off
		d time.Duration
	)
	cmd := &cobra.Command{
		Use:   "off",
		Short: "Switch guards off for a while (for a human)",
		Long: `off switches everything off, or one rule or gate, for at most 8 hours. Self-protection
stays on. What is off is shown by status and at every session start. It needs a
terminal: no agent may run it.`,
		Example: `  guardrails off --for 20m --rule git/reset-hard
  guardrails off --gate shell
  guardrails on`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.requireTerminal("off"); err != nil {
				return err
			}
			if o.Rule != "" && o.Gate != "" {
				return fmt.Errorf("give --rule or --gate, not both")
			}
			if o.Rule != "" {
				if _, ok := policy.Explain(o.Rule); !ok {
					return fmt.Errorf("no rule %q%s; `guardrails explain` lists them all", o.Rule, didYouMean(o.Rule))
				}
			}
			ctx, cancel := context.WithTimeout(context.Background(), lockWait)
			defer cancel()
			set, err := a.permits().SwitchOff(ctx, o, d)
			if err != nil {
				return err
			}
			a.sayf("off until %s: %s; `guardrails on` ends it", set.Until.Local().Format("15:04:05"), set)
			return nil
		},
	}
	f := cmd.Flags()
	f.DurationVar(&d, "for", 30*time.Minute, "how `LONG`, at most 8h")
	f.StringVar(&o.Rule, "rule", "", "only this rule, by `ID`")
	f.StringVar(&o.Gate, "gate", "", "only this gate, by `ID`")
	return cmd
}

func newOnCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "on",
		Short: "Switch everything on again, and end unused grants",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.requireTerminal("on"); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(context.Background(), lockWait)
			defer cancel()
			ended, err := a.permits().SwitchOn(ctx)
			if err != nil {
				return err
			}
			if len(ended) == 0 {
				a.sayf("everything was on")
			}
			for _, o := range ended {
				a.sayf("on again: %s", o)
			}
			return nil
		},
	}
}
