package coverage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/vcs"
)

// Outcome is what a gate makes of a Result.
type Outcome int

// Outcomes.
const (
	OutcomeUnknown Outcome = iota
	Pass
	Fail
	NotJudged // the reports do not say enough; never a pass
)

// String returns the outcome's name in machine-readable output.
func (o Outcome) String() string {
	switch o {
	case Pass:
		return "pass"
	case Fail:
		return "fail"
	case NotJudged:
		return "not-judged"
	case OutcomeUnknown:
	}
	return "unknown"
}

// Verdict is why.
type Verdict int

// Verdicts.
const (
	VerdictUnknown   Verdict = iota
	Patch                    // changed lines were counted: Result.Patch
	NoCoverableLines         // nothing that changed can be covered: a pass
	RefuseStale              // a report is older than a file that it speaks of
	Unresolved               // a changed file is in no report
)

// String returns the verdict's name in machine-readable output.
func (v Verdict) String() string {
	switch v {
	case Patch:
		return "patch"
	case NoCoverableLines:
		return "no-coverable-lines"
	case RefuseStale:
		return "refuse-stale"
	case Unresolved:
		return "unresolved"
	case VerdictUnknown:
	}
	return "unknown"
}

// Result is what reports say about a change.
type Result struct {
	Outcome Outcome
	Verdict Verdict

	// Patch counts the changed lines of the files that the reports know. It is
	// nil if there are none, or if a report was refused.
	Patch *Count
	// PatchWithUnresolved counts the changed lines of unresolved files, as far as
	// they look like code, as not covered.
	PatchWithUnresolved *Count

	Packages   map[string]Count       // by folder from the root, "." for the root: all that the reports have
	Files      map[string]Count       // by file
	Uncovered  map[string][]vcs.Range // changed lines that were not run, blank lines between them included
	Unresolved []string               // changed files with code that no report knows
	Stale      []Stale
	LeftOut    []LeftOut // changed source files that do not count, and why
	Unmatched  []string  // names in reports that fit no file of the repository, at most 50
}

// Stale is one reason to refuse a report.
type Stale struct {
	Report, File string
	Why          string
}

// LeftOut is a changed file that does not count.
type LeftOut struct{ File, Why string }

// Under adds up the files below a folder, "." for all.
func (r *Result) Under(dir string) Count {
	var c Count
	for f, n := range r.Files {
		if dir == "." || dir == "" || strings.HasPrefix(f, dir+"/") {
			c = c.plus(n)
		}
	}
	return c
}

// Options say what to judge by.
type Options struct {
	Min     float64                // percent of the changed lines that must be covered
	Only    func(file string) bool // files that count as changed; nil = all
	Exclude func(file string) bool // changed files that do not count, beside those that never do
}

// maxSource is the largest source file that is looked into, in bytes.
const maxSource = 32 << 20

// Measure judges what changed in the working tree since the commit base, the
// working tree's own changes and untracked files included. If base is no
// ancestor of HEAD any more, their merge base counts; "" is the empty tree.
func Measure(ctx context.Context, repo *vcs.Repo, base string, reports []*Report, opt Options) (*Result, error) {
	since, err := repo.Since(ctx, base)
	if err != nil {
		return nil, fmt.Errorf("coverage since %s: %w", base, err)
	}
	files, err := repo.Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("coverage since %s: %w", base, err)
	}
	snap, err := repo.Snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("coverage since %s: %w", base, err)
	}
	defer snap.Close()
	changes, err := snap.Changed(ctx, since)
	if err != nil {
		return nil, fmt.Errorf("coverage since %s: %w", base, err)
	}
	var names []string
	for _, c := range changes {
		if c.Status != vcs.Deleted && languageOf(c.Path) != langNone && (opt.Only == nil || opt.Only(c.Path)) {
			names = append(names, c.Path)
		}
	}
	changed := make(map[string][]vcs.Range)
	if len(names) > 0 {
		if changed, err = snap.ChangedLines(ctx, since, names); err != nil {
			return nil, fmt.Errorf("coverage since %s: %w", base, err)
		}
	}
	root := repo.Root()
	tree := &Tree{Root: root, Files: files, Read: func(name string) ([]byte, error) { return readSource(filepath.Join(root, filepath.FromSlash(name))) }}
	return Judge(tree, changed, reports, opt)
}

func readSource(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err == nil && len(data) > maxSource {
		err = fmt.Errorf("%s is larger than %d MiB", name, maxSource>>20)
	}
	return data, err
}

// Judge judges changed lines, by file, by reports.
func Judge(tree *Tree, changed map[string][]vcs.Range, reports []*Report, opt Options) (*Result, error) {
	if len(reports) == 0 {
		return nil, errors.New("coverage: there is no report to judge by")
	}
	res := &Result{Packages: make(map[string]Count), Files: make(map[string]Count), Uncovered: make(map[string][]vcs.Range)}
	parts := make(map[string][]part)
	speaks := make(map[language]bool)
	anyLanguage, anyLine := false, false
	for _, r := range reports {
		v := newResolver(tree, r)
		if l := r.language(); l != langNone {
			speaks[l] = true
		} else if len(r.Files) == 0 {
			anyLanguage = true
		}
		for i := range r.Files {
			f := &r.Files[i]
			speaks[languageOf(clean(f.Name))] = true
			anyLine = anyLine || len(f.Lines) > 0 || len(f.Blocks) > 0
			if name, ok := v.find(f); ok {
				parts[name] = append(parts[name], part{r, f})
			} else if len(res.Unmatched) < 50 {
				res.Unmatched = append(res.Unmatched, f.Name)
			}
		}
	}
	for name, ps := range parts {
		c := total(ps)
		if c.Total == 0 {
			continue
		}
		res.Files[name] = c
		dir := path.Dir(name)
		res.Packages[dir] = res.Packages[dir].plus(c)
	}

	var patch, missed Count
	for _, name := range sortedKeys(changed) {
		ranges := changed[name]
		if len(ranges) == 0 || opt.Only != nil && !opt.Only(name) || languageOf(name) == langNone {
			continue
		}
		var text []byte
		read := false
		source := func() []byte {
			if !read {
				// A file that cannot be read shows no line: then what a report says of
				// it lies past its end.
				text, _ = tree.Read(name)
				read = true
			}
			return text
		}
		ps := withLines(parts[name], anyLine)
		if stale := staleness(tree.Root, name, ps, source); len(stale) > 0 {
			res.Stale = append(res.Stale, stale...)
			continue
		}
		if why := leftOut(name, source); why != "" && !(len(ps) > 0 && strings.HasPrefix(why, "not built")) {
			res.LeftOut = append(res.LeftOut, LeftOut{name, why})
			continue
		}
		if opt.Exclude != nil && opt.Exclude(name) {
			res.LeftOut = append(res.LeftOut, LeftOut{name, "excluded"})
			continue
		}
		if len(ps) == 0 {
			n := countCode(name, source(), ranges)
			switch {
			case n == 0:
			case !anyLanguage && !speaks[languageOf(name)]:
				res.LeftOut = append(res.LeftOut, LeftOut{name, "in a language of no report"})
			default:
				res.Unresolved = append(res.Unresolved, name)
				missed.Total += n
			}
			continue
		}
		var gaps []int
		lines := linesOf(ps, source)
		for _, l := range lines {
			if !inRanges(ranges, l.N) {
				continue
			}
			patch.Total++
			if l.Hit {
				patch.Covered++
			} else {
				gaps = append(gaps, l.N)
			}
		}
		if len(gaps) > 0 {
			res.Uncovered[name] = joinGaps(gaps, lines)
		}
	}
	res.decide(patch, missed, opt.Min)
	return res, nil
}

func (r *Result) decide(patch, missed Count, min float64) {
	switch {
	case len(r.Stale) > 0:
		r.Verdict, r.Outcome = RefuseStale, NotJudged
		return
	case len(r.Unresolved) > 0:
		r.Verdict, r.Outcome = Unresolved, NotJudged
		all := patch.plus(missed)
		r.PatchWithUnresolved = &all
	case patch.Total == 0:
		r.Verdict, r.Outcome = NoCoverableLines, Pass
	default:
		r.Verdict, r.Outcome = Patch, Pass
		if patch.Below(min) {
			r.Outcome = Fail
		}
	}
	if patch.Total > 0 {
		r.Patch = &patch
	}
}

// language returns what a report's format alone says.
func (r *Report) language() language {
	switch r.Format {
	case GoCover:
		return langGo
	case CoveragePy:
		return langPython
	case SimpleCov:
		return langRuby
	case JaCoCo:
		return langJVM
	case Istanbul, IstanbulSummary:
		return langJS
	case FormatUnknown, LCOV, Cobertura, Clover:
	}
	return langNone
}

// part is what one report says about a file.
type part struct {
	r *Report
	f *File
}

func (p part) made() (time.Time, time.Duration) {
	if !p.f.Made.IsZero() {
		return p.f.Made, time.Second
	}
	return p.r.Made, p.r.Grain
}

// withLines leaves out reports that have no lines, only totals, and all of
// them if not one line is in any report: then nothing was measured.
func withLines(ps []part, anyLine bool) []part {
	if !anyLine {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(ps), func(p part) bool { return p.r.Format == IstanbulSummary })
}

// joined is what several reports say about one file together: a line is hit if
// it is in one of them, and cannot be covered if one says so.
func joined(ps []part) (lines []Line, blocks []Block) {
	not := make(map[int]bool)
	known := 0
	for _, p := range ps {
		lines = append(lines, p.f.Lines...)
		blocks = append(blocks, p.f.Blocks...)
		for _, n := range p.f.Not {
			not[n] = true
		}
		if p.r.Format != IstanbulSummary {
			known++
		}
	}
	lines = slices.DeleteFunc(lines, func(l Line) bool {
		// The line 0 is none: an oddity that only one tool counts.
		return not[l.N] && l.N != 0 || l.N == 0 && known > 1
	})
	return mergeLines(lines), mergeBlocks(blocks)
}

// total is a file's count: of blocks if a Go profile has it, else of lines, of
// a summary only if nothing better is there.
func total(ps []part) Count {
	lines, blocks := joined(ps)
	var sum Count
	for _, p := range ps {
		if p.f.Total.Total > sum.Total {
			sum = p.f.Total
		}
	}
	switch {
	case len(blocks) > 0:
		return (&File{Blocks: blocks}).count()
	case len(lines) > 0:
		return (&File{Lines: lines}).count()
	}
	return sum
}

func linesOf(ps []part, source func() []byte) []Line {
	lines, blocks := joined(ps)
	if len(blocks) > 0 {
		lines = append(lines, goLines(blocks, source())...)
	}
	return mergeLines(lines)
}

// staleness tells why reports cannot be about a file as it is now: it was
// changed after they were made, or they speak of lines that it does not have.
func staleness(root, name string, ps []part, source func() []byte) []Stale {
	var out []Stale
	for _, p := range ps {
		made, grain := p.made()
		info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
		if err == nil && !made.IsZero() {
			changed := info.ModTime()
			if grain > 0 {
				changed = changed.Truncate(grain)
			}
			if changed.After(made) {
				out = append(out, Stale{p.r.Name, name, fmt.Sprintf("was changed at %s, after the report was made at %s", stamp(changed), stamp(made))})
				continue
			}
		}
		// coverage.py has the line 1 in an empty file (lcov of 6.5.0, measured).
		if last, n := p.f.last(), max(countLines(source()), 1); last > n {
			out = append(out, Stale{p.r.Name, name, fmt.Sprintf("has %s, and the report speaks of line %d", lines(n), last)})
		}
	}
	return out
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func countLines(text []byte) int {
	n := strings.Count(string(text), "\n")
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

func countCode(name string, text []byte, ranges []vcs.Range) int {
	n := 0
	for i, code := range codeLines(name, text) {
		if code && inRanges(ranges, i) {
			n++
		}
	}
	return n
}

func inRanges(ranges []vcs.Range, n int) bool {
	_, ok := slices.BinarySearchFunc(ranges, n, func(r vcs.Range, n int) int {
		switch {
		case r.Last < n:
			return -1
		case r.First > n:
			return 1
		}
		return 0
	})
	return ok
}

// joinGaps turns line numbers into ranges, over lines between them that cannot
// be covered.
func joinGaps(gaps []int, lines []Line) []vcs.Range {
	at := func(n int) int {
		i, _ := slices.BinarySearchFunc(lines, n, func(l Line, n int) int { return cmp.Compare(l.N, n) })
		return i
	}
	var out []vcs.Range
	for _, n := range gaps {
		if k := len(out); k > 0 && at(n) == at(out[k-1].Last)+1 {
			out[k-1].Last = n
			continue
		}
		out = append(out, vcs.Range{First: n, Last: n})
	}
	return out
}

func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}
