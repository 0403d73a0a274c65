package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/world"
	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/coverage"
	"github.com/ec261362/guardrails/core/vcs"
)

func newGateCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Judge the working tree as the quality gate does, by hand and in CI",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cmd.AddCommand(newGateRunCmd(a), newGateCoverageCmd(a))
	return cmd
}

type coverageOptions struct {
	base    string
	reports []string
	min     float64
	exclude []string
	asJSON  bool
}

func newGateCoverageCmd(a *app) *cobra.Command {
	var o coverageOptions
	cmd := &cobra.Command{
		Use:   "coverage --base REV [flags]",
		Short: "Say how many of the changed lines the tests ran",
		Long: `coverage reads reports that a test run left behind and counts how many of the lines
changed since a commit were run. What the working tree holds counts, committed or
not, untracked files too. It runs no test.

Reports: go cover profile, lcov, Cobertura, Clover, JaCoCo, coverage.py JSON,
simplecov .resultset.json, istanbul JSON. Without --report they are looked for where
tools leave them. The paths in a report are found by where it lies; BASEDIR says
what they count from instead.

A report that is older than a changed file it speaks of is refused: in CI, run the
tests after the checkout. A changed file with code that no report knows is named,
and never passes.`,
		Example: `  go test -coverprofile=coverage.out ./... && guardrails gate coverage --base origin/main
  guardrails gate coverage --base main --report web/coverage/lcov.info:web --json

Exit codes: 0 pass, 2 too few lines covered, 3 not judged (a report is too old, or
a changed file is in none), 1 error.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.gateCoverage(c.Context(), &o, c.Flags().Changed("min"))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.base, "base", "", "`REV` that the change starts from; its merge base with HEAD if it is no ancestor")
	f.StringArrayVar(&o.reports, "report", nil, "`FILE[:BASEDIR]` of a report; may be repeated")
	f.Float64Var(&o.min, "min", 0, "percent of the changed lines that must be covered (default quality.coverage.patchMin, 80)")
	f.StringArrayVar(&o.exclude, "exclude", nil, "changed files that do not count: a `PATH` from the root, a folder, or a pattern; may be repeated")
	f.BoolVar(&o.asJSON, "json", false, "print the result as JSON on standard output")
	return cmd
}

// coverageJSON is gate coverage --json.
type coverageJSON struct {
	Outcome    string               `json:"outcome"`
	Verdict    string               `json:"verdict"`
	Patch      *countJSON           `json:"patch"`
	Packages   map[string]countJSON `json:"packages"`
	Unresolved []string             `json:"unresolved"`

	Min                 float64           `json:"min"`
	PatchWithUnresolved *countJSON        `json:"patchWithUnresolved,omitempty"`
	Uncovered           map[string]string `json:"uncovered,omitempty"`
	Stale               []staleJSON       `json:"stale,omitempty"`
	LeftOut             map[string]string `json:"leftOut,omitempty"`
	Unmatched           []string          `json:"unmatched,omitempty"`
	Reports             []reportJSON      `json:"reports"`
}

type countJSON struct {
	Covered   int     `json:"covered"`
	Coverable *int    `json:"coverable,omitempty"`
	Total     *int    `json:"total,omitempty"`
	Pct       float64 `json:"pct"`
}

type staleJSON struct {
	Report string `json:"report"`
	File   string `json:"file"`
	Why    string `json:"why"`
}

type reportJSON struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Made   string `json:"made"`
}

func (a *app) gateCoverage(ctx context.Context, o *coverageOptions, minSet bool) error {
	if o.base == "" {
		return errors.New("coverage of a change needs its beginning: --base REV")
	}
	if !(o.min >= 0 && o.min <= 100) {
		return fmt.Errorf("--min %v: want a percentage from 0 to 100", o.min)
	}
	repo, err := vcs.Open(ctx, world.Programs(a.environ()), a.dir)
	if err != nil {
		return err
	}
	if !minSet {
		o.min = config.Defaults().Quality.Coverage.PatchMin
		if root, err := a.root(); err == nil {
			eff := a.load(config.LoadOptions{Root: root, TreatAsTrusted: true})
			if eff.Broken() {
				return errors.New("the configuration has problems: guardrails config validate lists them; --min PERCENT does without it")
			}
			o.min = eff.Config.Quality.Coverage.PatchMin
		}
	}
	reports, err := a.coverageReports(ctx, repo, o.reports)
	if err != nil {
		return err
	}
	opt := coverage.Options{Min: o.min}
	if len(o.exclude) > 0 {
		excluded, err := coverage.Patterns(o.exclude)
		if err != nil {
			return fmt.Errorf("--exclude: %w", err)
		}
		opt.Exclude = excluded
	}
	res, err := coverage.Measure(ctx, repo, o.base, reports, opt)
	if err != nil {
		return err
	}
	if o.asJSON {
		if err := a.writeJSON(coverageAsJSON(res, reports, o.min)); err != nil {
			return err
		}
	} else {
		a.sayCoverage(res, o.min)
	}
	switch res.Outcome {
	case coverage.Pass:
		return nil
	case coverage.Fail:
		return exitCode(exitDenied)
	case coverage.NotJudged, coverage.OutcomeUnknown:
	}
	return exitCode(exitPartial)
}

// coverageReports reads the reports that were named, or those that lie around.
func (a *app) coverageReports(ctx context.Context, repo *vcs.Repo, named []string) ([]*coverage.Report, error) {
	var reports []*coverage.Report
	if len(named) == 0 {
		files, err := repo.Files(ctx)
		if err != nil {
			return nil, err
		}
		found := coverage.Discover(repo.Root(), files)
		if len(found) == 0 {
			return nil, errors.New("no coverage report lies where tools leave them: run the tests with coverage, or name one with --report FILE")
		}
		for _, name := range found {
			r, err := coverage.ReadFile(name, "")
			if errors.Is(err, coverage.ErrFormat) {
				continue // coverage.txt may be anything
			}
			if err != nil {
				return nil, err
			}
			reports = append(reports, r)
		}
		if len(reports) == 0 {
			return nil, fmt.Errorf("%s: %w", strings.Join(found, ", "), coverage.ErrFormat)
		}
		return reports, nil
	}
	for _, arg := range named {
		name, base, err := a.splitReport(repo, arg)
		if err != nil {
			return nil, err
		}
		r, err := coverage.ReadFile(name, base)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return nil, a.unreadable("--report", arg, err)
		case err != nil:
			return nil, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// splitReport takes FILE[:BASEDIR] apart. A file whose own name has a colon is
// meant as it is, as is the colon of a drive. BASEDIR counts from here, or else
// from the root of the working tree.
func (a *app) splitReport(repo *vcs.Repo, arg string) (name, base string, err error) {
	name = a.abs(arg)
	if _, err := os.Stat(name); err == nil {
		return name, "", nil
	}
	at := strings.LastIndexByte(arg, ':')
	if at <= len(filepath.VolumeName(arg)) {
		return name, "", nil
	}
	if at+2 < len(arg) && filepath.VolumeName(arg[at-1:]) != "" {
		at = strings.LastIndexByte(arg[:at-1], ':')
	}
	name = a.abs(arg[:at])
	rest := arg[at+1:]
	if rest == "" {
		return name, repo.Root(), nil
	}
	dirs := []string{a.abs(rest)}
	if !filepath.IsAbs(rest) {
		dirs = append(dirs, filepath.Join(repo.Root(), rest))
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return name, dir, nil
		}
	}
	return "", "", fmt.Errorf("--report %s: there is no folder %s: %w", arg, rest, fs.ErrNotExist)
}

func coverageAsJSON(res *coverage.Result, reports []*coverage.Report, min float64) coverageJSON {
	out := coverageJSON{
		Outcome: res.Outcome.String(), Verdict: res.Verdict.String(), Min: min,
		Patch: patchJSON(res.Patch), PatchWithUnresolved: patchJSON(res.PatchWithUnresolved),
		Packages: make(map[string]countJSON), Unresolved: append([]string{}, res.Unresolved...), Unmatched: res.Unmatched,
	}
	for dir, c := range res.Packages {
		out.Packages[dir] = countJSON{Covered: c.Covered, Total: &c.Total, Pct: c.Pct()}
	}
	for _, s := range res.Stale {
		out.Stale = append(out.Stale, staleJSON{s.Report, s.File, s.Why})
	}
	if len(res.Uncovered) > 0 {
		out.Uncovered = make(map[string]string)
		for f, ranges := range res.Uncovered {
			out.Uncovered[f] = strings.Join(rangeWords(ranges), ",")
		}
	}
	if len(res.LeftOut) > 0 {
		out.LeftOut = make(map[string]string)
		for _, l := range res.LeftOut {
			out.LeftOut[l.File] = l.Why
		}
	}
	for _, r := range reports {
		out.Reports = append(out.Reports, reportJSON{r.Name, r.Format.String(), r.Made.UTC().Format("2006-01-02T15:04:05.000Z")})
	}
	return out
}

func patchJSON(c *coverage.Count) *countJSON {
	if c == nil {
		return nil
	}
	return &countJSON{Covered: c.Covered, Coverable: &c.Total, Pct: c.Pct()}
}

func rangeWords(ranges []vcs.Range) []string {
	out := make([]string, len(ranges))
	for i, r := range ranges {
		out[i] = fmt.Sprint(r.First)
		if r.Last > r.First {
			out[i] += fmt.Sprintf("-%d", r.Last)
		}
	}
	return out
}

// sayCoverage tells a person.
func (a *app) sayCoverage(res *coverage.Result, min float64) {
	switch res.Verdict {
	case coverage.RefuseStale:
		a.sayf("not judged: the coverage report is older than the sources")
		for _, s := range res.Stale {
			a.sayf("  %s %s (%s)", s.File, s.Why, s.Report)
		}
		a.hintf("run the tests with coverage again, in CI after the checkout")
	case coverage.Unresolved:
		a.sayf("not judged: these changed files are in no coverage report")
		for _, f := range res.Unresolved {
			a.sayf("  %s", f)
		}
		if res.Patch != nil {
			a.sayf("of the others %d of %s covered, %s", res.Patch.Covered, plural(res.Patch.Total, "changed line"), percent(res.Patch))
		}
		if res.PatchWithUnresolved != nil {
			a.sayf("with their lines as not covered: %d of about %d, %s", res.PatchWithUnresolved.Covered, res.PatchWithUnresolved.Total, percent(res.PatchWithUnresolved))
		}
		if len(res.Unmatched) > 0 {
			a.hintf("the reports name files that are not here, such as %s: if it is one of these, say what paths count from with --report FILE:BASEDIR", res.Unmatched[0])
		} else {
			a.hintf("let the coverage tool measure files that no test loads, or leave a file out with --exclude")
		}
	case coverage.NoCoverableLines:
		a.sayf("pass: no changed line can be covered")
	default:
		word := "pass"
		if res.Outcome == coverage.Fail {
			word = "too few"
		}
		a.sayf("%s: %d of %s covered, %s (at least %.4g %%)", word, res.Patch.Covered, plural(res.Patch.Total, "changed line"), percent(res.Patch), min)
	}
	files := make([]string, 0, len(res.Uncovered))
	for f := range res.Uncovered {
		files = append(files, f)
	}
	slices.Sort(files)
	for _, f := range files {
		for _, lines := range rangeWords(res.Uncovered[f]) {
			a.sayf("  %s:%s: not covered", f, lines)
		}
	}
}

func percent(c *coverage.Count) string { return fmt.Sprintf("%.2f %%", c.Pct()) }
