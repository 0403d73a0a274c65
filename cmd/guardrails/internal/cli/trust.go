package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/fsx"
)

func newTrustCmd(a *app) *cobra.Command {
	var show, revoke, yes bool
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Let this project's file loosen rules and run code (for a human)",
		Long: `Until you trust it, a project's ` + config.FileName + ` may tighten and nothing else:
what loosens a rule, and what runs code of the repository (quality, validators of
its own), is held back. Trust is for the file as it is now, in this checkout and
its worktrees; a changed file needs it again.`,
		Example: `  guardrails trust --show      # what trusting would put in force; changes nothing
  guardrails trust
  guardrails trust --revoke`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			root, err := a.root()
			if err != nil {
				return err
			}
			if root == "" {
				return fmt.Errorf("%s is no project: there is nothing to trust", a.dir)
			}
			switch {
			case show && revoke:
				return errors.New("--show changes nothing and --revoke does: give one of them")
			case show:
				return a.showTrust(root)
			case revoke:
				return a.revokeTrust(root, yes)
			}
			return a.trust(root, yes)
		},
	}
	cmd.Flags().BoolVar(&show, "show", false, "show what trusting would put in force, and what is trusted; change nothing")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "forget all trust in this project")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask; do it without a terminal, in a script of your own")
	return cmd
}

// candidate is a project's file, read once, so that what is shown is what is
// trusted.
type candidate struct {
	name string
	data []byte
	now  *config.Effective // as the hooks see it
	then *config.Effective // as they would after trust
}

func (a *app) candidate(root string) (*candidate, error) {
	c := &candidate{name: filepath.Join(root, config.FileName)}
	var err error
	if c.data, err = fsx.ReadFile(c.name, config.MaxSize); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("nothing to trust: there is no %s", c.name)
		}
		return nil, fmt.Errorf("nothing to trust: %w", err)
	}
	c.now = a.loadWith(root, c.name, c.data)
	o := config.LoadOptions{Root: root, TreatAsTrusted: true, ReadFile: func(file string, limit int64) ([]byte, error) {
		if file == c.name {
			return c.data, nil
		}
		return fsx.ReadFile(file, limit)
	}}
	c.then = a.load(o)
	if c.now.TrustErr != nil {
		return nil, c.now.TrustErr
	}
	if c.now.Broken() {
		return nil, fmt.Errorf("fix the configuration first:\n%w", c.now.Problems)
	}
	return c, nil
}

// describe lists what trusting puts in force.
func (c *candidate) describe() string {
	held := c.now.Held
	if c.now.Trusted {
		held = nil
	}
	var b strings.Builder
	for _, h := range held {
		fmt.Fprintf(&b, "  line %d: %s: %s\n", h.Line, h.Key, h.Why)
		switch h.Key {
		case "quality":
			q := c.then.Config.Quality
			fmt.Fprintf(&b, "      detected tools: on edit %s; before a turn ends %s\n", list(q.OnEdit), list(q.OnStop))
			for _, p := range q.Packages {
				for _, step := range []struct {
					name string
					cmd  config.Command
				}{{"format", p.Format}, {"lint", p.Lint}, {"build", p.Build}, {"test", p.Test}} {
					if !step.cmd.IsZero() {
						fmt.Fprintf(&b, "      %s: %s: %s\n", oneLine(p.Path), step.name, commandText(step.cmd))
					}
				}
			}
		case "validators.custom":
			for _, v := range c.then.Config.Validators.Custom {
				fmt.Fprintf(&b, "      %s: %s\n", v.Name, commandText(v.Command))
			}
		case "policy.allow":
			before := len(c.now.Config.Policy.Allow)
			for _, v := range c.then.Config.Policy.Allow[before:] {
				fmt.Fprintf(&b, "      %s: %q (%s)\n", v.Rule, v.When, oneLine(v.Reason))
			}
		case "rewrite":
			for _, v := range c.then.Config.Rewrite {
				fmt.Fprintf(&b, "      %q becomes %q\n", v.Match, v.To)
			}
		}
	}
	return b.String()
}

func list(words []string) string {
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// commandText shows a command so that nothing of it can hide.
func commandText(c config.Command) string {
	if c.Shell != "" {
		return fmt.Sprintf("sh -c %q", c.Shell)
	}
	quoted := make([]string, len(c.Argv))
	for i, w := range c.Argv {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(quoted, " ")
}

func oneLine(s string) string { return strings.Trim(fmt.Sprintf("%q", s), `"`) }

func (a *app) showTrust(root string) error {
	c, err := a.candidate(root)
	if err != nil {
		return err
	}
	switch {
	case !c.now.NeedsTrust:
		fmt.Fprintf(a.stdout, "%s: nothing in it needs trust\n", c.name)
	case c.now.Trusted:
		fmt.Fprintf(a.stdout, "%s: trusted\n", c.name)
	default:
		fmt.Fprintf(a.stdout, "%s: not trusted; trusting it would put in force\n%s", c.name, c.describe())
	}
	entries, err := config.TrustEntries(a.state, root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		state := "another content"
		if e.SHA256 == config.Sum(c.data) {
			state = "this content"
		}
		fmt.Fprintf(a.stdout, "trusted since %s: sha256 %s (%s)\n", e.Time.Format(time.RFC3339), e.SHA256, state)
	}
	return nil
}

func (a *app) revokeTrust(root string, yes bool) error {
	if err := a.requireHuman("trust --revoke", yes); err != nil {
		return err
	}
	was, err := config.Revoke(a.state, root)
	switch {
	case err != nil:
		return err
	case was:
		a.sayf("%s is not trusted any more", config.MainCheckout(root))
	default:
		a.sayf("%s was not trusted", config.MainCheckout(root))
	}
	return nil
}

func (a *app) trust(root string, yes bool) error {
	if err := a.requireHuman("trust", yes); err != nil {
		return err
	}
	c, err := a.candidate(root)
	if err != nil {
		return err
	}
	switch {
	case !c.now.NeedsTrust:
		a.sayf("%s: nothing in it needs trust", c.name)
		return nil
	case c.now.Trusted:
		a.sayf("%s is trusted already", c.name)
		return nil
	}
	a.sayf("Trusting %s puts in force:\n%s", c.name, strings.TrimSuffix(c.describe(), "\n"))
	if !yes {
		ok, err := a.answers().confirm("Trust this file as it is now?")
		if err != nil {
			return err
		}
		if !ok {
			return errors.New("not trusted: nothing was changed")
		}
	}
	if err := config.Trust(a.state, root, config.Sum(c.data), a.now()); err != nil {
		return err
	}
	a.sayf("trusted; guardrails trust --revoke undoes that")
	return nil
}
