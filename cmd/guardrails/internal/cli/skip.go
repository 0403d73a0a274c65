package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/handoff"
	"github.com/ec261362/guardrails/core/session"
)

func newSkipCmd(a *app) *cobra.Command {
	var (
		agent, id string
		yes       bool
	)
	cmd := &cobra.Command{
		Use:   "skip ID REASON",
		Short: "Let an obligation go for the rest of a session (for a human)",
		Long: `skip says that an obligation of a session need not be met, and why: of the
session that was active last, or of the one that is named. An agent says the same
with the marker that the obligation's text prints.`,
		Example: `  guardrails status                       # what is owed
  guardrails skip e2e "no browser on this machine"`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.requireHuman("skip", yes); err != nil {
				return err
			}
			reason := strings.TrimSpace(strings.Join(args[1:], " "))
			if reason == "" {
				return errors.New("the reason is empty")
			}
			store := &session.Store{Dir: filepath.Join(a.state, "sessions"), Now: a.now}
			host, id, err := a.session(store, agent, id)
			if err != nil {
				return err
			}
			view, err := store.View(host, id)
			if err != nil {
				return err
			}
			rule, err := a.obligation(view, args[0])
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), 5*time.Second)
			defer cancel()
			if _, err := store.Update(ctx, host, id, func(tx *session.Tx) error {
				tx.Apply(session.Skip(rule, reason))
				return nil
			}); err != nil {
				return err
			}
			a.sayf("%s is skipped in %s session %s: %s", statusID(rule), host, id, reason)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&agent, "agent", "", "`HOST` of the session (default the one that has it)")
	f.StringVar(&id, "session", "", "session `ID`, as the host calls it (default the one active last)")
	f.BoolVar(&yes, "yes", false, "do it without a terminal, in a script of your own")
	return cmd
}

// session names the session with that id, or the one that was active last, of the
// agent if one is named.
func (a *app) session(store *session.Store, agent, id string) (host, found string, err error) {
	if agent != "" {
		if _, err := lookupAgent(agent); err != nil {
			return "", "", err
		}
	}
	if id != "" {
		return a.hostOf(store, agent, id), id, nil
	}
	n := 1
	if agent != "" {
		n = 0 // the last of its own
	}
	recent, err := store.List(n)
	if err != nil {
		return "", "", err
	}
	for _, s := range recent {
		switch {
		case agent != "" && s.Host != agent:
		case s.Err != nil:
			return "", "", s.Err
		default:
			return s.Host, s.ID, nil
		}
	}
	if agent != "" {
		return "", "", fmt.Errorf("no session of %s yet: state is kept from the first call that writes something", agent)
	}
	return "", "", errors.New("no session yet: state is kept from the first call that writes something")
}

// hostOf is the host that has a session of that id; of several, or of none, the
// first.
func (a *app) hostOf(store *session.Store, agent, id string) string {
	if agent != "" {
		return agent
	}
	for _, ad := range adapters.All {
		if v, err := store.View(ad.Name(), id); err != nil || !v.New() {
			return ad.Name()
		}
	}
	return adapters.All[0].Name()
}

// obligation resolves what a person calls an obligation: one that the session
// has, or a row that is in force here.
func (a *app) obligation(view session.View, arg string) (string, error) {
	var known []string
	for _, o := range view.Obligations() {
		known = append(known, o.ID)
	}
	s, err := a.inForce()
	if err != nil {
		return "", err
	}
	for _, r := range s.Rows() {
		if r.Kind == "obligation" && !slices.Contains(known, r.Rule) {
			known = append(known, r.Rule)
		}
	}
	for _, rule := range [...]string{arg, handoff.Prefix + arg} {
		if slices.Contains(known, rule) {
			return rule, nil
		}
	}
	var names []string
	for _, k := range known {
		names = append(names, statusID(k))
	}
	if len(names) == 0 {
		return "", fmt.Errorf("no obligation %q: this session has none", arg)
	}
	return "", fmt.Errorf("no obligation %q%s: there are %s", arg, nearest(arg, names), strings.Join(names, ", "))
}

// statusID is how status calls an obligation: a handoff's by its row.
func statusID(rule string) string { return strings.TrimPrefix(rule, handoff.Prefix) }
