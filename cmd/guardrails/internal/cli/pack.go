package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/judge"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/scenario"
	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/config/yamldoc"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/handoff"
	"github.com/ec261362/guardrails/core/handoff/pack"
	"github.com/ec261362/guardrails/templates"
)

func newPackCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pack",
		Short: "Look at, check and rehearse handoff packs",
		Long: `A pack says what a change brings with it: what opens an obligation, what meets
it, what is refused before. It is data; nothing in it is run. Packs are named by
` + "`handoffs.packs`" + ` of the configuration and defined under ` + "`handoffs.custom`" + `; the
verbs here also take the name of a built-in one, or a file that holds one pack.`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(newPackListCmd(a), newPackShowCmd(a), newPackValidateCmd(a), newPackTestCmd(a))
	return cmd
}

// builtinPack returns a built-in pack as its author wrote it.
func builtinPack(name string) (data []byte, ok bool) {
	if handoff.Shipped(name) == nil {
		return nil, false
	}
	data, err := fs.ReadFile(templates.Packs(), name+".yaml")
	return data, err == nil
}

// effective is the configuration in force in the working directory.
func (a *app) effective() (*config.Effective, error) {
	root, err := a.root()
	if err != nil {
		return nil, err
	}
	return a.load(config.LoadOptions{Root: root, TreatAsTrusted: true}), nil
}

// pack finds a pack by name or in a file.
func (a *app) pack(arg string) (*pack.Pack, error) {
	if data, ok := builtinPack(arg); ok {
		return parsePack(arg, data)
	}
	e, err := a.effective()
	if err != nil {
		return nil, err
	}
	custom := e.Config.Handoffs.Custom
	if i := slices.IndexFunc(custom, func(p pack.Pack) bool { return p.Name == arg }); i >= 0 {
		return &custom[i], nil
	}
	data, err := fsx.ReadFile(a.abs(arg), config.MaxSize)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(arg, `./\`) {
		names := []string{"delivery", "muggle"}
		for i := range custom {
			names = append(names, custom[i].Name)
		}
		return nil, fmt.Errorf("no pack %q%s: there are %s", arg, nearest(arg, names), strings.Join(names, ", "))
	}
	if err != nil {
		return nil, a.unreadable("", arg, err)
	}
	return parsePack(arg, data)
}

func parsePack(name string, data []byte) (*pack.Pack, error) {
	p, problems := config.ParsePack(name, data, yamldoc.Read)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return &p, nil
}

// inForce are the packs of the configuration here, ready to be described.
func (a *app) inForce() (handoff.Settings, error) {
	e, err := a.effective()
	if err != nil {
		return handoff.Settings{}, err
	}
	s := judge.Handoffs(&e.Config.Handoffs)
	s.Home, s.Binary = a.home, filepath.Join(a.state, "bin", "guardrails")
	return s, nil
}

func newPackListCmd(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the packs there are, and which are in force here",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			e, err := a.effective()
			if err != nil {
				return err
			}
			on := judge.Handoffs(&e.Config.Handoffs).Packs
			packs := []*pack.Pack{handoff.Shipped("delivery"), handoff.Shipped("muggle")}
			for i := range e.Config.Handoffs.Custom {
				packs = append(packs, &e.Config.Handoffs.Custom[i])
			}
			for _, p := range packs {
				inForce := slices.ContainsFunc(on, func(q *pack.Pack) bool { return q.Name == p.Name })
				builtin := handoff.Shipped(p.Name) != nil
				if asJSON {
					if err := a.writeJSON(map[string]any{"name": p.Name, "doc": p.Doc, "inForce": inForce, "builtIn": builtin}); err != nil {
						return err
					}
					continue
				}
				state := "off"
				if inForce {
					state = "in force"
				}
				fmt.Fprintf(a.stdout, "%-20s %-9s %s\n", p.Name, state, p.Doc)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func newPackShowCmd(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show NAME|FILE",
		Short: "Print a pack's rows; --yaml prints a built-in pack as written",
		Example: `  guardrails pack show delivery
  guardrails pack show delivery --yaml > mine.yaml   # to write one of your own from`,
		Args: cobra.ExactArgs(1),
	}
	var asYAML bool
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if data, ok := builtinPack(args[0]); ok && asYAML {
			_, err := a.stdout.Write(data)
			return err
		}
		if asYAML {
			return fmt.Errorf("%s is not built in: read it where it is defined", args[0])
		}
		p, err := a.pack(args[0])
		if err != nil {
			return err
		}
		s := handoff.Settings{Packs: []*pack.Pack{p}, Home: a.home, Binary: filepath.Join(a.state, "bin", "guardrails")}
		for _, r := range s.Rows() {
			if asJSON {
				if err := a.writeJSON(rowJSON(r)); err != nil {
					return err
				}
				continue
			}
			fmt.Fprintf(a.stdout, "%-20s %-13s %s\n", r.ID, r.Kind, r.Doc)
		}
		return nil
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a row")
	cmd.Flags().BoolVar(&asYAML, "yaml", false, "print the file of a built-in pack, scenarios included")
	return cmd
}

func newPackValidateCmd(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate [NAME|FILE…]",
		Short: "Report every problem of a pack",
		Long: `validate reads the named packs, or without an argument the packs of the
configuration here.`,
		Example: `  guardrails pack validate .guardrails/packs/changelog.yaml

Exit codes: 0 valid, 1 problems (all of them, with line and column).`,
		RunE: func(_ *cobra.Command, args []string) error {
			var problems config.Problems
			if len(args) == 0 {
				e, err := a.effective()
				if err != nil {
					return err
				}
				problems = e.Problems
				if len(problems) == 0 && !asJSON && !e.Config.Handoffs.On {
					a.hintf("no pack is in force here: name one, or a file")
				}
			}
			for _, arg := range args {
				var found config.Problems
				switch _, err := a.pack(arg); {
				case errors.As(err, &found):
					problems = append(problems, found...)
				case err != nil:
					return err
				}
			}
			if err := a.sayProblems(problems, asJSON); err != nil {
				return err
			}
			for _, arg := range args {
				a.sayf("%s is valid", oneLineName(arg))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the problems as a JSON list")
	return cmd
}

func newPackTestCmd(a *app) *cobra.Command {
	var asJSON, verbose bool
	var only string
	cmd := &cobra.Command{
		Use:   "test [NAME|FILE…]",
		Short: "Play the scenarios of packs, as each host would send them",
		Long: `test plays each scenario of the packs, or of those in force here, with the
payloads of Claude Code and of Gemini CLI, through the same judgement as a hook
call, in a home of its own. Nothing that a scenario names is run.`,
		Example: `  guardrails pack test muggle delivery
  guardrails pack test .guardrails/packs/changelog.yaml -v

Exit codes: 0 all as expected, 2 not all, 1 error.`,
		RunE: func(_ *cobra.Command, args []string) error {
			packs, err := a.packsToTest(args)
			if err != nil {
				return err
			}
			played, failed := 0, 0
			for _, p := range packs {
				if len(p.Scenarios) == 0 {
					a.hintf("pack %s has no scenarios", p.Name)
				}
				for i := range p.Scenarios {
					sc := &p.Scenarios[i]
					if !strings.Contains(sc.Name, only) {
						continue
					}
					for _, host := range scenario.Hosts {
						r, err := scenario.Play(p, sc, host)
						if err != nil {
							return fmt.Errorf("pack %s, scenario %q: %w", p.Name, sc.Name, err)
						}
						played++
						if !r.OK {
							failed++
						}
						switch {
						case asJSON:
							err = a.writeJSON(r)
						case !r.OK:
							_, err = fmt.Fprintf(a.stdout, "FAIL %s / %s (%s), step %d: %s\n", p.Name, sc.Name, host, r.Step, r.Why)
						case verbose:
							_, err = fmt.Fprintf(a.stdout, "ok   %s / %s (%s)\n", p.Name, sc.Name, host)
						}
						if err != nil {
							return err
						}
					}
				}
			}
			if played == 0 && only != "" {
				return fmt.Errorf("--only %q: no scenario's name contains it", only)
			}
			if !asJSON {
				fmt.Fprintf(a.stdout, "%d of %d as expected\n", played-failed, played)
			}
			if failed > 0 {
				return exitCode(exitDenied)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print one JSON object a scenario and host")
	f.BoolVarP(&verbose, "verbose", "v", false, "name what went as expected too")
	f.StringVar(&only, "only", "", "only scenarios whose name contains this `TEXT`")
	return cmd
}

func (a *app) packsToTest(args []string) ([]*pack.Pack, error) {
	if len(args) == 0 {
		s, err := a.inForce()
		if err != nil {
			return nil, err
		}
		for _, p := range s.Packs {
			args = append(args, p.Name)
		}
		if len(args) == 0 {
			return nil, errors.New("no pack is in force here: name one, such as delivery")
		}
	}
	var packs []*pack.Pack
	for _, arg := range args {
		p, err := a.pack(arg)
		if err != nil {
			return nil, err
		}
		packs = append(packs, p)
	}
	return packs, nil
}

// rowJSON is a row for machines.
func rowJSON(r handoff.Row) map[string]any {
	return map[string]any{
		"rule": r.Rule, "pack": r.Pack, "id": r.ID, "kind": r.Kind, "doc": r.Doc, "opens": emptyList(r.Opens), "clears": emptyList(r.Meets),
		"skip": r.Marker, "text": r.Text, "preferences": emptyList(r.Preferences),
	}
}

func emptyList(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// explainRow prints a handoff's row; ok is false if id names none. Rows of packs
// that are not in force here are explained too.
func (a *app) explainRow(id string, asJSON bool) (ok bool, err error) {
	name, is := strings.CutPrefix(id, handoff.Prefix)
	if !is {
		return false, nil
	}
	s, err := a.inForce()
	if err != nil {
		return false, err
	}
	rows := s.Rows()
	off := len(rows)
	for _, p := range [...]string{"delivery", "muggle"} {
		rows = append(rows, handoff.Settings{Packs: []*pack.Pack{handoff.Shipped(p)}, Home: a.home, Binary: s.Binary}.Rows()...)
	}
	i := slices.IndexFunc(rows, func(r handoff.Row) bool { return r.Rule == id || r.Pack+"/"+r.ID == name })
	if i < 0 {
		return false, nil
	}
	r := rows[i]
	if asJSON {
		return true, a.writeJSON(rowJSON(r))
	}
	w := a.stdout
	fmt.Fprintf(w, "%s  (%s of pack %s)\n", r.Rule, r.Kind, r.Pack)
	doc := r.Doc
	if j := slices.IndexFunc(s.Packs, func(p *pack.Pack) bool { return p.Name == r.Pack }); doc == "" && j >= 0 {
		doc = s.Packs[j].Doc // a row needs none of its own
	}
	if doc != "" {
		fmt.Fprintf(w, "\n%s.\n", strings.TrimSuffix(upperFirst(doc), "."))
	}
	if i >= off {
		fmt.Fprintf(w, "The pack is not in force here.\n")
	}
	part := func(title string, list []string) {
		for i, s := range list {
			if i > 0 {
				title = ""
			}
			fmt.Fprintf(w, "%-9s%s\n", title, s)
		}
	}
	title := "Opens:"
	if r.Kind == "recorder" || r.Kind == "advice" {
		title = "On:"
	} else if r.Kind == "prerequisite" {
		title = "Refuses:"
	}
	fmt.Fprintln(w)
	part(title, r.Opens)
	part("Clears:", r.Meets)
	if r.Marker != "" {
		part("Skip:", []string{r.Marker + " as a command of its own, or as a human: " + s.Binary + " skip " + strings.TrimPrefix(r.Rule, handoff.Prefix) + ` "reason"`})
	}
	part("Off by:", r.Preferences)
	if r.Kind == "obligation" {
		fmt.Fprintf(w, "It blocks the end of a turn at most 3 times, then it is released to the human.\n")
	}
	if r.Text != "" {
		fmt.Fprintf(w, "\nSays:\n%s\n", indent(r.Text))
	}
	return true, nil
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// rowIDs are the rules of the packs in force, for completion and for errors.
func (a *app) rowIDs() []string {
	s, err := a.inForce()
	if err != nil {
		return nil
	}
	var out []string
	for _, r := range s.Rows() {
		out = append(out, r.Rule)
	}
	return out
}
