package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/handoff"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/policy"
	"github.com/ec261362/guardrails/core/scan/secrets"
)

func newExplainCmd(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain [RULE|GROUP]",
		Short: "Say what a rule stops, why, and what to do instead",
		Example: `  guardrails explain                 # every rule
  guardrails explain git             # those of a group
  guardrails explain git/reset-hard`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, r := range slices.Concat(policy.Rules(), evidenceRules(), depsRules(), qualityRules()) {
				ids = append(ids, r.ID+"\t"+r.Doc)
			}
			ids = append(ids, a.rowIDs()...)
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listRules("", asJSON)
			}
			if ok, err := a.explainRow(args[0], asJSON); ok || err != nil {
				return err
			}
			r, ok := policy.Explain(args[0])
			if !ok {
				r, ok = evidenceRule(args[0])
			}
			if !ok {
				r, ok = explainDeps(args[0])
			}
			if !ok {
				r, ok = qualityRule(args[0])
			}
			if !ok && secretRule(args[0]) {
				r, ok = explainSecret(args[0]), true
			}
			if group := args[0] + "/"; !ok && a.hasGroup(group) {
				return a.listRules(group, asJSON)
			}
			if !ok { // an obligation, by what status and skip call it
				if ok, err := a.explainRow(handoff.Prefix+args[0], asJSON); ok || err != nil {
					return err
				}
			}
			if !ok {
				return fmt.Errorf("no rule %q%s; `guardrails explain` lists them all", args[0], didYouMean(args[0]))
			}
			if asJSON {
				return a.writeJSON(ruleJSON(r))
			}
			fmt.Fprintf(a.stdout, "%s  (%s)\n\n%s.\n\nWhy:     %s.\nInstead: %s\n", r.ID, r.Verdict, strings.TrimSuffix(r.Doc, "."), strings.TrimSuffix(r.Why, "."), r.Instead)
			printSamples(a, "Stopped", r.Fire)
			printSamples(a, "Passes", r.Pass)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func printSamples(a *app, title string, samples []string) {
	if len(samples) == 0 {
		return
	}
	fmt.Fprintf(a.stdout, "\n%s:\n", title)
	for _, s := range samples {
		fmt.Fprintf(a.stdout, "%s\n", indent(s))
	}
}

func (a *app) hasGroup(prefix string) bool {
	of := func(id string) bool { return strings.HasPrefix(id, prefix) }
	for _, r := range slices.Concat(policy.Rules(), evidenceRules(), depsRules(), qualityRules()) {
		if of(r.ID) {
			return true
		}
	}
	s, err := a.inForce()
	return of(secretPrefix) || err == nil && slices.ContainsFunc(s.Rows(), func(r handoff.Row) bool { return of(r.Rule) })
}

// listRules prints a line for each rule whose id begins with group.
func (a *app) listRules(group string, asJSON bool) error {
	for _, r := range slices.Concat(policy.Rules(), evidenceRules(), depsRules(), qualityRules()) {
		if !strings.HasPrefix(r.ID, group) {
			continue
		}
		if asJSON {
			if err := a.writeJSON(ruleJSON(r)); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(a.stdout, "%-36s %-5s %s\n", r.ID, r.Verdict, r.Doc)
	}
	s, err := a.inForce()
	if err != nil {
		return err
	}
	for _, r := range s.Rows() {
		if !strings.HasPrefix(r.Rule, group) {
			continue
		}
		if asJSON {
			if err := a.writeJSON(rowJSON(r)); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(a.stdout, "%-36s %-12s %s\n", r.Rule, r.Kind, r.Doc)
	}
	if !strings.HasPrefix(secretPrefix, group) {
		return nil
	}
	all := explainSecret(secretPrefix + "*")
	if asJSON {
		for _, name := range secrets.Rules() {
			if err := a.writeJSON(ruleJSON(explainSecret(secretPrefix + name))); err != nil {
				return err
			}
		}
		return nil
	}
	_, err = fmt.Fprintf(a.stdout, "%-36s %-5s %s (%d kinds)\n", all.ID, all.Verdict, all.Doc, len(secrets.Rules()))
	return err
}

func ruleJSON(r policy.Rule) map[string]any {
	return map[string]any{
		"rule": r.ID, "pack": r.Pack(), "verdict": r.Verdict.String(), "doc": r.Doc, "why": r.Why,
		"instead": r.Instead, "stopped": r.Fire, "passes": r.Pass,
	}
}

const secretPrefix = "secrets/"

// secretRule reports whether id is one of the rules on secrets in what is
// written and run, or stands for them all.
func secretRule(id string) bool {
	name, ok := strings.CutPrefix(id, secretPrefix)
	return ok && (name == "*" || slices.Contains(secrets.Rules(), name))
}

func explainSecret(id string) policy.Rule {
	what := "a secret of the kind " + strings.TrimPrefix(id, secretPrefix)
	if id == secretPrefix+"*" {
		what = "a secret of any kind"
	}
	return policy.Rule{
		ID:      id,
		Verdict: hook.Deny,
		Doc:     "Writing " + what + " into a file that git does not surely ignore, or running a command that holds it",
		Why:     "what git tracks stays in the history and is shared with it",
		Instead: "read it from the environment, or keep it in a secret file that git ignores, such as .env",
	}
}

// didYouMean names the rules that a wrong id may mean: those of that name in
// another pack, else the one spelled most alike.
func didYouMean(id string) string {
	name := id[strings.LastIndexByte(id, '/')+1:]
	var ids, same []string
	for _, name := range secrets.Rules() {
		ids = append(ids, secretPrefix+name)
	}
	for _, r := range slices.Concat(policy.Rules(), evidenceRules(), depsRules(), qualityRules()) {
		ids = append(ids, r.ID)
		if strings.TrimPrefix(r.ID, r.Pack()+"/") == name {
			same = append(same, r.ID)
		}
	}
	if near := config.Nearest(id, ids); len(same) == 0 && near != "" {
		same = append(same, near)
	}
	if len(same) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(same, " or ") + "?)"
}
