package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/judge"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/world"
	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/quality"
	"github.com/ec261362/guardrails/core/session"
	"github.com/ec261362/guardrails/core/vcs"
)

type gateRunOptions struct {
	changed, all bool
	base         string
	asJSON       bool
	sarif        bool
	quiet        bool
}

func newGateRunCmd(a *app) *cobra.Command {
	var o gateRunOptions
	cmd := &cobra.Command{
		Use:   "run [--changed|--all] [flags] [FILE…]",
		Short: "Run format check, lint, build, tests and coverage as the end of a turn does",
		Long: `run is the quality gate without a hook's deadline. It checks the packages of the
files that changed: since the branch left its upstream, committed or not, and what
the sessions at work here have touched. What it finds is kept for this very tree, so
that the end of a turn does not run it again.

Nothing is changed: files are checked for their format, not formatted.`,
		Example: `  guardrails gate run                       what changed
  guardrails gate run --all --sarif > gate.sarif
  guardrails gate run --base origin/main --json
  guardrails gate run web/src/app.ts        the package of a file

Exit codes: 0 passed, 2 failed or not proven, 1 error.`,
		RunE: func(c *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt)
			defer stop()
			return a.gateRun(ctx, &o, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.changed, "changed", false, "the packages of changed files (the default)")
	f.BoolVar(&o.all, "all", false, "every package of the project")
	f.StringVar(&o.base, "base", "", "`REV` that changes count from")
	f.BoolVar(&o.asJSON, "json", false, "print the report as JSON on standard output")
	f.BoolVar(&o.sarif, "sarif", false, "print the findings as SARIF 2.1.0 on standard output")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress")
	return cmd
}

func (a *app) gateRun(ctx context.Context, o *gateRunOptions, args []string) error {
	switch {
	case o.asJSON && o.sarif:
		return errors.New("--json and --sarif: standard output holds one of them")
	case o.all && (o.changed || len(args) > 0), o.changed && len(args) > 0:
		return errors.New("--changed, --all and files name what to check: give one of them")
	}
	root, err := a.root()
	if err != nil {
		return err
	}
	// Outside of a host whoever types this runs the project's code knowingly.
	eff := a.load(config.LoadOptions{Root: root, TreatAsTrusted: a.hostMarker() == ""})
	switch {
	case eff.Broken():
		return errors.New("the configuration has problems: guardrails config validate lists them")
	case !eff.Config.Quality.On && len(eff.Held) > 0:
		return fmt.Errorf("%s is not trusted, and the quality gate runs the project's code: the human reads it and runs `guardrails trust`", eff.Project)
	}
	p := judge.QualityProject(&eff.Config, root, a.state)
	r := quality.Request{All: o.all, Base: o.base}
	if err := a.gateRequest(ctx, o, root, args, &r); err != nil {
		return err
	}
	if !o.quiet && isTerminal(a.stderr) {
		r.Progress = func(line string) { a.sayf("%s", line) }
	}
	rep := world.Quality(a.environ()).Gate(ctx, p, r)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("gate run: %w", err)
	}
	if err := a.sayGate(o, rep); err != nil {
		return err
	}
	if rep.Outcome != quality.Passed {
		return exitCode(exitDenied)
	}
	return nil
}

// gateRequest says what is to be checked.
func (a *app) gateRequest(ctx context.Context, o *gateRunOptions, root string, args []string, r *quality.Request) error {
	at := sessions{a: a, root: root}
	at.look()
	repo, err := vcs.Open(ctx, world.Programs(a.environ()), root)
	if err != nil && (o.base != "" || !o.all && len(args) == 0 && len(at.touched) == 0) {
		if o.base == "" {
			return fmt.Errorf("what changed is not known, use --all or name files: %w", err)
		}
		return err
	}
	switch {
	case repo == nil:
	case o.base != "":
		if r.Base, err = repo.Since(ctx, o.base); err != nil {
			return err
		}
	case at.base != "" && !o.all:
		r.Base = at.base
	default:
		r.Base = a.forkPoint(ctx, repo)
	}
	if r.Dirty = at.dirty; o.base != "" {
		r.Dirty = nil
	}
	switch {
	case o.all:
		return nil
	case len(args) > 0:
		return a.gateFiles(ctx, repo, root, args, r)
	}
	if repo == nil { // what sessions touched is all that is known
		r.Touched = at.touched
		slices.Sort(r.Touched)
		r.Touched = slices.Compact(r.Touched)
		return nil
	}
	since := r.Base
	if o.base == "" {
		since = a.forkPoint(ctx, repo)
	}
	changes, err := repo.Changed(ctx, since)
	if err != nil {
		return err
	}
	for _, c := range changes {
		for _, name := range [...]string{c.Path, c.OldPath} {
			if name == "" {
				continue
			}
			if rel, ok := inside(root, filepath.Join(repo.Root(), filepath.FromSlash(name))); ok {
				r.Touched = append(r.Touched, rel)
			}
		}
	}
	r.Touched = append(r.Touched, at.touched...)
	slices.Sort(r.Touched)
	r.Touched = slices.Compact(r.Touched)
	return nil
}

// inside returns the path of name from root, with slashes, if it lies there.
func inside(root, name string) (string, bool) {
	rel, err := filepath.Rel(root, name)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// gateFiles takes the files that were named. One that is not there counts only
// if git knows that it was deleted: its package is judged without it.
func (a *app) gateFiles(ctx context.Context, repo *vcs.Repo, root string, args []string, r *quality.Request) error {
	for _, arg := range args {
		name := a.abs(arg)
		rel, ok := inside(root, name)
		if !ok {
			return fmt.Errorf("%s: it is not in the project %s; run this in the project that it belongs to", arg, root)
		}
		switch info, err := os.Stat(name); {
		case errors.Is(err, fs.ErrNotExist):
			if !deleted(ctx, repo, r.Base, name) {
				return fmt.Errorf("%s: no such file in %s; name a file that is there, or use --all for every package", arg, a.dir)
			}
		case err != nil:
			return fmt.Errorf("%s: %w", arg, err)
		case info.IsDir():
			return fmt.Errorf("%s: a folder; name a file of the package that is meant, or use --all for every package", arg)
		}
		r.Touched = append(r.Touched, rel)
	}
	return nil
}

// deleted reports whether git had the file at base, or has it in its last commit.
func deleted(ctx context.Context, repo *vcs.Repo, base, name string) bool {
	if repo == nil {
		return false
	}
	rel, ok := inside(repo.Root(), name)
	if !ok {
		return false
	}
	for _, rev := range [...]string{base, "HEAD"} {
		changes, err := repo.Changed(ctx, rev)
		if rev == "" || err != nil {
			continue
		}
		if slices.ContainsFunc(changes, func(c vcs.Change) bool {
			return c.Status == vcs.Deleted && c.Path == rel || c.OldPath == rel
		}) {
			return true
		}
	}
	return false
}

// forkPoint is where this branch left its upstream; HEAD if it has none.
func (a *app) forkPoint(ctx context.Context, repo *vcs.Repo) string {
	for _, rev := range [...]string{"@{upstream}", "origin/HEAD"} {
		if _, err := repo.Commit(ctx, rev); err != nil {
			continue
		}
		if base, err := repo.Since(ctx, rev); err == nil && base != "" {
			return base
		}
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return "" // no commit yet: everything is new
	}
	return head
}

// sessions are those at work in a project.
type sessions struct {
	a    *app
	root string

	base    string
	dirty   []string
	touched []string
}

// recentSession is how long ago a session may have been active to count.
const recentSession = 12 * time.Hour

// look gathers what they touched. What cannot be read touched nothing that we
// know of.
func (s *sessions) look() {
	store := &session.Store{Dir: filepath.Join(s.a.state, "sessions"), Now: s.a.now}
	list, err := store.List(20)
	if err != nil {
		return
	}
	for _, info := range list {
		if info.Err != nil {
			continue
		}
		view, err := store.View(info.Host, info.ID)
		if err != nil || s.a.now().Sub(view.UpdatedAt()) > recentSession || quality.RootOf(view) != s.root {
			continue
		}
		s.touched = append(s.touched, view.Touched()...)
		if s.base == "" {
			s.base, s.dirty = quality.BaseOf(view)
		}
	}
}

// gateJSON is gate run --json.
type gateJSON struct {
	*quality.Report
	Seconds float64 `json:"seconds"`
}

func (a *app) sayGate(o *gateRunOptions, rep *quality.Report) error {
	switch {
	case o.asJSON:
		return a.writeJSON(gateJSON{rep, rep.Took.Round(time.Millisecond).Seconds()})
	case o.sarif:
		log := newSarif("guardrails gate run")
		for _, f := range rep.Findings {
			rule := "quality/" + string(f.Step)
			if f.Rule != "" {
				rule += "/" + f.Rule
			}
			text := f.Message
			if f.Test != "" {
				text = f.Test + ": " + text
			}
			if f.File == "" {
				text = f.Package + ": " + text
			}
			log.add(sarifFinding{rule: rule, level: "error", text: text, path: f.File, line: f.Line})
		}
		if rep.Outcome == quality.NotProven {
			log.fail("", rep.Why)
		}
		return a.writeJSON(log)
	}
	for _, s := range rep.Steps {
		how := s.Outcome
		if s.Cached {
			how += " (kept)"
		}
		line := fmt.Sprintf("%-11s %-9s %-24s %s", how, s.Step, s.Package, s.Tool)
		if s.Tests > 0 {
			line += ", " + plural(s.Tests, "test")
		}
		if s.Why != "" {
			line += ": " + s.Why
		}
		a.sayf("%s", line)
	}
	for _, c := range rep.Coverage {
		before := ""
		if c.Before >= 0 {
			before = fmt.Sprintf(", %.1f %% before", c.Before)
		}
		a.sayf("%-11s %-9s %-24s %.1f %%%s", "", "coverage", c.Package, c.Pct, before)
	}
	if rep.Patch != nil {
		a.sayf("%-11s %-9s %-24s %d of %s covered", "", "coverage", "", rep.Patch.Covered, plural(rep.Patch.Coverable, "changed line"))
	}
	for _, t := range rep.Flaky {
		a.sayf("flaky: %s failed once and then passed", t)
	}
	for _, f := range rep.Known {
		a.sayf("before: %s", f.String())
	}
	_, err := fmt.Fprintln(a.stdout, rep.Text(64<<10))
	return err
}
