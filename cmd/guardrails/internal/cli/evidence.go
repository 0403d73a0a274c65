package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/world"
	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/config/yamldoc"
	"github.com/ec261362/guardrails/core/evidence"
	"github.com/ec261362/guardrails/core/fsx"
)

func newEvidenceCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "evidence",
		Short: "Done means proven on this very tree: phase, proof and cards of a project",
		Long: `A project that opts in with evidence: {enabled: true} keeps its workflow state in
.guardrails/state.json and its cards in .guardrails/LEDGER.md. A turn ends only
when no card is open and substantial work is proven on the tree as it stands.`,
		Example: `  guardrails evidence status
  guardrails evidence card add "parser reads dates; go test ./parser passes"
  guardrails evidence add --kind observation --result pass --source "curl /health" --detail "200 with version 1.4.2"
  guardrails evidence card done 1 --evidence "31 passed in 4 packages"
  guardrails evidence phase complete`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cmd.AddCommand(
		newEvidenceInitCmd(a), newEvidenceStatusCmd(a), newEvidenceAddCmd(a), newEvidencePhaseCmd(a), newEvidenceCardCmd(a),
		newEvidencePauseCmd(a), newEvidenceResumeCmd(a), newEvidenceLintCmd(a), newEvidenceMigrateCmd(a),
	)
	return cmd
}

// evidenceWait bounds how long a verb waits for the state's lock and for git.
const evidenceWait = 30 * time.Second

// workflow is the project's workflow, as a verb sees it.
type workflow struct {
	*evidence.Store
	tree evidence.Tree
}

// workflow finds the project's workflow. Verbs that write need it switched on.
func (a *app) workflow(writes bool) (*workflow, error) {
	root, err := a.root()
	if err != nil {
		return nil, err
	}
	if root == "" {
		return nil, fmt.Errorf("%s is no project: your home and what lies above it never are", a.dir)
	}
	if writes {
		if !a.evidenceOn(root) {
			return nil, fmt.Errorf("evidence is off in %s: its %s has no `evidence: {enabled: true}` (a human can run guardrails evidence init)", root, config.FileName)
		}
	}
	return &workflow{
		Store: &evidence.Store{Root: root, Now: a.now, Started: a.now()},
		tree:  evidence.Tree{Root: root, Home: a.home, FS: fsx.OS{}, Proc: world.Programs(a.environ())},
	}, nil
}

// evidenceOn reports whether the project at root asks for evidence.
func (a *app) evidenceOn(root string) bool {
	eff := a.load(config.LoadOptions{Root: root})
	return eff.Config.Evidence.On || eff.Paused.Evidence
}

func bounded(c *cobra.Command) (context.Context, context.CancelFunc) {
	ctx := c.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	return context.WithTimeout(ctx, evidenceWait)
}

// changeWorkflow runs a verb that writes into the project's workflow. It waits for
// the state's lock and for git no longer than evidenceWait.
func (a *app) changeWorkflow(c *cobra.Command, change func(context.Context, *workflow) error) error {
	w, err := a.workflow(true)
	if err != nil {
		return err
	}
	ctx, cancel := bounded(c)
	defer cancel()
	return change(ctx, w)
}

// sayStatus prints where the work stands, for people or as JSON.
func (a *app) sayStatus(w *workflow, asJSON bool) error {
	s, err := w.Status()
	if err != nil {
		return err
	}
	if asJSON {
		return a.writeJSON(s)
	}
	a.printEvidence(s)
	return nil
}

func (a *app) printEvidence(s evidence.Status) {
	if !s.Valid {
		fmt.Fprintf(a.stdout, "%s\n", s.Problem)
	} else {
		fmt.Fprintf(a.stdout, "phase %s", s.Phase)
		if s.CurrentSkill != "" {
			fmt.Fprintf(a.stdout, " (%s)", s.CurrentSkill)
		}
		fmt.Fprintf(a.stdout, ", generation %d, %s, failures in a row %d", s.MutationGeneration, verified(s.VerifiedGeneration), s.FailureStreak)
		if s.Substantial {
			fmt.Fprint(a.stdout, ", substantial")
		}
		fmt.Fprintln(a.stdout)
	}
	if s.Paused != "" {
		fmt.Fprintf(a.stdout, "paused: %s\n", s.Paused)
	}
	fmt.Fprintf(a.stdout, "open cards: %d\n", s.OpenCards)
	for _, c := range s.Cards {
		fmt.Fprintf(a.stdout, "  %s\n", c)
	}
	const newest = 5
	for i := max(0, len(s.Evidence)-newest); i < len(s.Evidence); i++ {
		r := s.Evidence[i]
		fmt.Fprintf(a.stdout, "  generation %d: %s %s: %s: %s\n", r.Generation, r.Kind, r.Result, r.Source, r.Detail)
	}
	if len(s.Findings) > 0 {
		fmt.Fprintf(a.stdout, "not closed: %s\n", strings.Join(s.Findings, ", "))
	}
}

// verified says up to which generation there is proof.
func verified(generation int) string {
	if generation < 0 {
		return "nothing verified yet"
	}
	return fmt.Sprintf("verified %d", generation)
}

// evidenceStatus is the part of status --json on the project's workflow.
type evidenceStatus struct {
	Phase              evidence.Phase `json:"phase"`
	MutationGeneration int            `json:"mutationGeneration"`
	VerifiedGeneration int            `json:"verifiedGeneration"`
	FailureStreak      int            `json:"failureStreak"`
	Valid              bool           `json:"valid"`
}

// evidenceStatus returns where the work of this directory's project stands, nil
// if it does not ask for evidence.
func (a *app) evidenceStatus() (*evidenceStatus, error) {
	root, err := a.root()
	if err != nil || root == "" {
		return nil, err
	}
	if !a.evidenceOn(root) {
		return nil, nil
	}
	s, err := (&evidence.Store{Root: root, Now: a.now}).Status()
	if err != nil {
		return nil, err
	}
	return &evidenceStatus{s.Phase, s.MutationGeneration, s.VerifiedGeneration, s.FailureStreak, s.Valid}, nil
}

func newEvidenceStatusCmd(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show phase, generations, proof and open cards",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			w, err := a.workflow(false)
			if err != nil {
				return err
			}
			if !asJSON && !a.evidenceOn(w.Root) {
				a.hintf("evidence is off in %s: nothing is counted, nothing insists (guardrails evidence init switches it on)", w.Root)
			}
			return a.sayStatus(w, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func newEvidenceAddCmd(a *app) *cobra.Command {
	var (
		r      evidence.Record
		kind   string
		result string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "add --kind KIND --result pass|fail --source WHAT --detail SEEN",
		Short: "Record proof of the tree as it stands",
		Long: `A test run that the agent's host reports is recorded by itself; add records the
rest. Kinds: ` + joinKinds() + `.
Research, receipt and handoff are kept and close nothing; security closes a
security review that changed nothing.`,
		Example: `  guardrails evidence add --kind build --result pass --source "make release" --detail "6 archives, checksums match"`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			r.Kind, r.Result = evidence.Kind(strings.ToLower(kind)), evidence.Outcome(strings.ToLower(result))
			return a.changeWorkflow(c, func(ctx context.Context, w *workflow) error {
				if err := notBlank("source", r.Source, "detail", r.Detail); err != nil {
					return err
				}
				if _, err := w.Add(ctx, w.tree, r); err != nil {
					return err
				}
				return a.sayStatus(w, asJSON)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&kind, "kind", "", "what it proves: "+joinKinds())
	f.StringVar(&result, "result", "", "pass or fail")
	f.StringVar(&r.Source, "source", "", "what was run or looked at")
	f.StringVar(&r.Detail, "detail", "", "what was seen")
	f.BoolVar(&asJSON, "json", false, "print the state as JSON")
	return cmd
}

// notBlank names the first of flags and values that is not given.
func notBlank(pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if strings.TrimSpace(pairs[i+1]) == "" {
			return fmt.Errorf("the %s is blank: say it with --%[1]s", pairs[i])
		}
	}
	return nil
}

func joinKinds() string {
	var out []string
	for _, k := range evidence.Kinds() {
		out = append(out, string(k))
	}
	return strings.Join(out, ", ")
}

func newEvidencePhaseCmd(a *app) *cobra.Command {
	var (
		skill, task string
		asJSON      bool
	)
	var names []string
	for _, p := range evidence.Phases() {
		names = append(names, string(p))
	}
	cmd := &cobra.Command{
		Use:       "phase " + strings.Join(names, "|"),
		Short:     "Say where the work stands, and what kind of work it is",
		Example:   "  guardrails evidence phase executing\n  guardrails evidence phase discovering --skill security --task security-review",
		Args:      cobra.ExactArgs(1),
		ValidArgs: names,
		RunE: func(c *cobra.Command, args []string) error {
			return a.changeWorkflow(c, func(ctx context.Context, w *workflow) error {
				st, err := w.Declare(ctx, evidence.Phase(strings.ToLower(args[0])), skill, task)
				if err != nil {
					return err
				}
				if ok, why := st.Closes(); st.Phase == evidence.Complete && !ok {
					a.hintf("the phase is complete, and a turn still cannot end on it: %s", strings.Join(why, ", "))
				}
				return a.sayStatus(w, asJSON)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&skill, "skill", "", "the specialist that does it")
	f.StringVar(&task, "task", "", "what kind of work it is, for example security-review")
	f.BoolVar(&asJSON, "json", false, "print the state as JSON")
	return cmd
}

func newEvidenceCardCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "card",
		Short: "Add a card of bounded work, or settle one",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	add := &cobra.Command{
		Use:     "add TEXT",
		Short:   "Open a card: what is to be done, and how one sees that it is",
		Example: `  guardrails evidence card add "dates are read in UTC; go test ./dates passes"`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.card(c, func(ctx context.Context, w *workflow) (evidence.Card, error) {
				return w.AddCard(ctx, w.tree, strings.Join(args, " "))
			})
		},
	}
	var proof, reason string
	done := &cobra.Command{
		Use:     "done CARD --evidence WHAT",
		Short:   "Mark a card as done, by its number or the start of its title",
		Example: `  guardrails evidence card done 2 --evidence "31 passed in 4 packages"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.card(c, func(ctx context.Context, w *workflow) (evidence.Card, error) {
				if err := notBlank("evidence", proof); err != nil {
					return evidence.Card{}, err
				}
				return w.SettleCard(ctx, w.tree, args[0], evidence.Done, proof)
			})
		},
	}
	done.Flags().StringVar(&proof, "evidence", "", "what proved it")
	skip := &cobra.Command{
		Use:     "skip CARD --reason WHY",
		Short:   "Let a card go, by its number or the start of its title",
		Example: `  guardrails evidence card skip 3 --reason "the user wants it in another change"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.card(c, func(ctx context.Context, w *workflow) (evidence.Card, error) {
				if err := notBlank("reason", reason); err != nil {
					return evidence.Card{}, err
				}
				return w.SettleCard(ctx, w.tree, args[0], evidence.Dropped, reason)
			})
		},
	}
	skip.Flags().StringVar(&reason, "reason", "", "why it is let go")
	for _, sub := range []*cobra.Command{add, done, skip} {
		sub.Flags().Bool("json", false, "print the card as JSON")
		cmd.AddCommand(sub)
	}
	return cmd
}

// card runs one change of the ledger and prints the card.
func (a *app) card(c *cobra.Command, change func(context.Context, *workflow) (evidence.Card, error)) error {
	return a.changeWorkflow(c, func(ctx context.Context, w *workflow) error {
		card, err := change(ctx, w)
		if err != nil {
			return err
		}
		if asJSON, _ := c.Flags().GetBool("json"); asJSON {
			return a.writeJSON(map[string]any{"n": card.N, "mark": card.Mark.String(), "text": card.Text, "note": card.Note, "line": card.Line})
		}
		_, err = fmt.Fprintf(a.stdout, "card %d (%s): %s\n", card.N, card.Mark, card.Text)
		return err
	})
}

func newEvidencePauseCmd(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "pause REASON",
		Short: "Let close and spawn guard rest, with a PAUSED line in the ledger (for a human)",
		Example: `  guardrails evidence pause "trying out a library, nothing of it stays"
  guardrails evidence resume`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.requireHuman("evidence pause", yes); err != nil {
				return err
			}
			return a.changeWorkflow(c, func(ctx context.Context, w *workflow) error {
				if err := w.Pause(ctx, w.tree, strings.Join(args, " ")); err != nil {
					return err
				}
				a.sayf("paused; guardrails evidence resume ends it")
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without a terminal, in a script of your own")
	return cmd
}

func newEvidenceResumeCmd(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "resume",
		Short: "Take the PAUSED line out of the ledger",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.changeWorkflow(c, func(ctx context.Context, w *workflow) error {
				was, err := w.Resume(ctx)
				switch {
				case err != nil:
					return err
				case asJSON:
					return a.writeJSON(map[string]bool{"resumed": was})
				case was:
					a.sayf("resumed: close and spawn guard insist again")
				default:
					a.sayf("it was not paused")
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print whether it was paused, as JSON")
	return cmd
}

func newEvidenceLintCmd(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "List what is wrong with ledger and state; 2 if something is",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			w, err := a.workflow(false)
			if err != nil {
				return err
			}
			problems, err := w.Lint()
			if err != nil {
				return err
			}
			if asJSON {
				if err := a.writeJSON(map[string]any{"problems": append([]evidence.Problem{}, problems...)}); err != nil {
					return err
				}
			} else {
				for _, p := range problems {
					fmt.Fprintln(a.stdout, p)
				}
			}
			if len(problems) > 0 {
				return exitCode(exitDenied)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	return cmd
}

func newEvidenceMigrateCmd(a *app) *cobra.Command {
	var (
		from string
		yes  bool
	)
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Raise an older state, take over a copied one, set aside a broken one (for a human)",
		Long: `migrate makes the project's state one that this version writes: an older schema is
raised; a state copied from another workspace becomes this one's, with all of its
proof out of date; one that breaks a rule is renamed, and a fresh one begun.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.requireHuman("evidence migrate", yes); err != nil {
				return err
			}
			file := from
			if from != "" {
				file = a.abs(from)
			}
			return a.changeWorkflow(c, func(ctx context.Context, w *workflow) error {
				m, err := w.Migrate(ctx, file)
				switch {
				case from != "" && errors.Is(err, fs.ErrNotExist):
					return a.unreadable("--from", from, err)
				case err != nil:
					return err
				case m.Aside != "":
					a.sayf("the state broke a rule: it is now %s, and a fresh one stands", m.Aside)
				case m.Adopted:
					a.sayf("the state was of another workspace: it is this one's now, and what was proven there is out of date here")
				default:
					a.sayf("the state is one of schema %d", evidence.Schema)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "take the state from this `FILE`, for example .fable/state.json")
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without a terminal, in a script of your own")
	return cmd
}

func newEvidenceInitCmd(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Switch evidence on in this project (for a human)",
		Long: `init adds the section evidence to ` + config.FileName + `, which it makes if there is none,
and keeps every other byte; beside it, it begins the ledger and the state. A
second run changes nothing.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.requireHuman("evidence init", yes); err != nil {
				return err
			}
			return a.initEvidence(c)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without a terminal, in a script of your own")
	return cmd
}

func (a *app) initEvidence(c *cobra.Command) error {
	root, name, err := a.configFile(false)
	if err != nil {
		return err
	}
	was, err := fsx.StampOf(name)
	if err != nil {
		return err
	}
	data, err := fsx.ReadFile(name, config.MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data = nil
	case err != nil:
		return err
	}
	out, err := config.WithEvidence(name, data, yamldoc.Read)
	if err != nil {
		return err
	}
	switch {
	case string(out) == string(data):
		a.sayf("%s has evidence switched on", name)
	case data == nil:
		if err := a.writeConfig(name, out, was, false); err != nil {
			return err
		}
		a.sayf("wrote %s", name)
		if err := config.Trust(a.state, root, config.Sum(out), a.now()); err != nil {
			return err
		}
	default:
		trusted, err := config.IsTrusted(a.state, root, config.Sum(data))
		if err != nil {
			return err
		}
		if err := a.accept(root, name, data, out, was); err != nil {
			return err
		}
		if trusted {
			if err := config.Trust(a.state, root, config.Sum(out), a.now()); err != nil {
				return err
			}
		}
	}
	ctx, cancel := bounded(c)
	defer cancel()
	made, err := (&evidence.Store{Root: root, Now: a.now}).Begin(ctx)
	if err != nil && !errors.Is(err, evidence.ErrInvalid) {
		return err
	}
	for _, file := range made {
		a.sayf("wrote %s", file)
	}
	if err != nil {
		a.hintf("%v: guardrails evidence migrate repairs it", err)
	}
	return nil
}
