package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A coverageTruth is the right answer to one repository with a change and
// reports, as its truth.json has it.
type coverageTruth struct {
	Case     string           `json:"case"`
	MadeAt   string           `json:"report_made_at"`
	Reports  []coverageReport `json:"reports"`
	Expected coverageExpected `json:"expected"`
}

type coverageCount struct {
	Covered   int      `json:"covered"`
	Coverable int      `json:"coverable"`
	Total     int      `json:"total"`
	Pct       *float64 `json:"pct"`
}

type coverageReport struct {
	Format   string                   `json:"format"`
	Base     string                   `json:"base_dir"`
	File     string                   `json:"file"`
	Original string                   `json:"original_path"`
	Packages map[string]coverageCount `json:"per_package"`
	Patch    *coverageCount           `json:"patch"`
	NotThere []string                 `json:"changed_files_not_in_report"`
	PerFile  map[string]coverageCount `json:"per_file"`
}

type coverageExpected struct {
	Verdict string         `json:"verdict"`
	Patch   *coverageCount `json:"patch"`
	Files   []string       `json:"files"`
	Missed  *coverageCount `json:"patch_if_missing_lines_count_as_uncovered"`
}

type coverageAnswer struct {
	Outcome    string                   `json:"outcome"`
	Verdict    string                   `json:"verdict"`
	Patch      *coverageCount           `json:"patch"`
	Packages   map[string]coverageCount `json:"packages"`
	Unresolved []string                 `json:"unresolved"`
	Missed     *coverageCount           `json:"patchWithUnresolved"`
}

// coverageCases has the binary judge each report of each repository below dir,
// and all reports of a repository together, and prints how often it agreed.
func coverageCases(ctx context.Context, o options, dir string, out io.Writer) error {
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "truth.json"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no */truth.json in %q", dir)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "repository\treports\tagreed\t")
	agreed, total, cases, whole := 0, 0, 0, 0
	var misses []string
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		if !strings.Contains(name, o.only) {
			continue
		}
		right, n, missed, err := coverageCase(ctx, bin, filepath.Dir(file))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		cases++
		if right == n {
			whole++
		}
		agreed, total = agreed+right, total+n
		misses = append(misses, missed...)
		fmt.Fprintf(w, "%s\t%d\t%d/%d\t\n", name, n, right, n)
	}
	_ = w.Flush()
	for _, m := range misses {
		fmt.Fprintln(out, m)
	}
	fmt.Fprintf(out, "repositories agreed/total: %d/%d; reports agreed/total: %d/%d\n", whole, cases, agreed, total)
	if agreed != total {
		return errors.New("not every answer is right")
	}
	return nil
}

func coverageCase(ctx context.Context, bin, dir string) (right, total int, missed []string, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err != nil {
		return 0, 0, nil, err
	}
	var truth coverageTruth
	if err := json.Unmarshal(text, &truth); err != nil {
		return 0, 0, nil, err
	}
	tmp, err := os.MkdirTemp("", "guardrails-coverage")
	if err != nil {
		return 0, 0, nil, err
	}
	defer os.RemoveAll(tmp)
	repo := filepath.Join(tmp, "repo")
	if err := git(ctx, tmp, "clone", "-q", filepath.Join(dir, "repo.bundle"), repo); err != nil {
		return 0, 0, nil, err
	}
	if err := git(ctx, repo, "checkout", "-q", "head"); err != nil {
		return 0, 0, nil, err
	}
	// Times are not kept: sources are older than a report made at head, and
	// younger than one made at base.
	sources := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	if truth.MadeAt == "base" {
		sources = time.Now()
	}
	err = filepath.WalkDir(repo, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, string(filepath.Separator)+".git"+string(filepath.Separator)) {
			return err
		}
		return os.Chtimes(path, sources, sources)
	})
	if err != nil {
		return 0, 0, nil, err
	}
	for _, r := range truth.Reports {
		at := filepath.Join(repo, filepath.FromSlash(r.Original))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return 0, 0, nil, err
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(r.File)))
		if err != nil {
			return 0, 0, nil, err
		}
		if err := os.WriteFile(at, data, 0o600); err != nil {
			return 0, 0, nil, err
		}
		made := sources.Add(time.Hour)
		if truth.MadeAt == "base" {
			made = sources.Add(-time.Hour)
		}
		if err := os.Chtimes(at, made, made); err != nil {
			return 0, 0, nil, err
		}
	}
	for _, r := range truth.Reports {
		// Once where it lies, and once from outside with the folder said.
		copied := filepath.Join(tmp, filepath.Base(r.File))
		if err := copyTimed(copied, filepath.Join(repo, filepath.FromSlash(r.Original))); err != nil {
			return 0, 0, nil, err
		}
		for _, arg := range []string{r.Original, copied + ":" + r.Base} {
			total++
			got, err := askCoverage(ctx, bin, tmp, repo, arg)
			if err == nil {
				err = truth.compare(r, got)
			}
			if err != nil {
				missed = append(missed, fmt.Sprintf("%s: %s %s: %v", filepath.Base(dir), r.Format, arg, err))
				continue
			}
			right++
		}
	}
	return right, total, missed, nil
}

func copyTimed(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

func askCoverage(ctx context.Context, bin, home, repo, report string) (*coverageAnswer, error) {
	cmd := exec.CommandContext(ctx, bin, "gate", "coverage", "--base", "base", "--report", report, "--json")
	cmd.Dir = repo
	cmd.Env = []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	code := cmd.ProcessState.ExitCode()
	if code != 0 && code != 2 && code != 3 {
		return nil, fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	var got coverageAnswer
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		return nil, fmt.Errorf("%w: %s", err, stdout.Bytes())
	}
	if want := map[string]int{"pass": 0, "fail": 2, "not-judged": 3}[got.Outcome]; want != code {
		return nil, fmt.Errorf("outcome %s with exit code %d", got.Outcome, code)
	}
	return &got, nil
}

// compare says in what an answer differs from the truth.
func (t *coverageTruth) compare(r coverageReport, got *coverageAnswer) error {
	var wrong []string
	check := func(what string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			wrong = append(wrong, fmt.Sprintf("%s %v, want %v", what, got, want))
		}
	}
	verdict, patch, unresolved := t.Expected.Verdict, r.Patch, t.Expected.Files
	if r.PerFile != nil {
		// A summary has no lines: what changed is in no report that could say more.
		check("outcome", got.Outcome == "pass", verdict == "no-coverable-lines")
		for dir, c := range got.Packages {
			if c.Total == 0 || dir == "" {
				wrong = append(wrong, "an empty package")
			}
		}
		return joined(wrong)
	}
	if len(t.Reports) > 1 && verdict == "patch" && len(r.NotThere) > 0 {
		verdict, unresolved = "unresolved", r.NotThere
	}
	check("verdict", got.Verdict, verdict)
	outcome := "not-judged"
	switch verdict {
	case "no-coverable-lines":
		outcome, patch = "pass", nil
	case "patch":
		outcome = "fail"
		if patch.Covered*100 >= 80*patch.Coverable {
			outcome = "pass"
		}
	}
	check("outcome", got.Outcome, outcome)
	check("patch", countWords(got.Patch), countWords(patch))
	slices.Sort(unresolved)
	check("unresolved", got.Unresolved, unresolved)
	want := maps.Clone(r.Packages)
	for _, dir := range slices.Sorted(maps.Keys(want)) {
		check("package "+dir, packageWords(got.Packages[dir]), packageWords(want[dir]))
	}
	check("packages", slices.Sorted(maps.Keys(got.Packages)), slices.Sorted(maps.Keys(want)))
	if t.Expected.Missed != nil {
		check("with unresolved", countWords(got.Missed), countWords(t.Expected.Missed))
	}
	return joined(wrong)
}

func joined(wrong []string) error {
	if len(wrong) == 0 {
		return nil
	}
	return errors.New(strings.Join(wrong, "; "))
}

func countWords(c *coverageCount) string {
	if c == nil || c.Coverable == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d, %.2f", c.Covered, c.Coverable, pct(c))
}

func packageWords(c coverageCount) string {
	return fmt.Sprintf("%d of %d, %.2f", c.Covered, c.Total, pct(&c))
}

func pct(c *coverageCount) float64 {
	if c.Pct == nil {
		return -1
	}
	return *c.Pct
}

func git(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}
