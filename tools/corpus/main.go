// Command corpus judges case files with the built binary, through the same
// `guardrails check --batch`, `scan --batch` and `deps check --batch` that anyone may call, and prints how often it was
// right: both ways, because a guard that refuses everything refuses every attack.
// It must not import the product, and the product needs none of the files.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	var o options
	flag.StringVar(&o.bin, "bin", "bin/guardrails", "the binary to ask")
	flag.StringVar(&o.cases, "cases", "", "folder of *.jsonl case files")
	flag.StringVar(&o.agent, "agent", "claude", "host whose answers count")
	flag.StringVar(&o.only, "only", "", "only files or tiers whose name contains this")
	flag.StringVar(&o.packs, "packs", "cloud,database,containers,publishing", "optional packs that the home's configuration switches on")
	flag.StringVar(&o.strict, "strict", "branches,instructions", "further packs for the policy cases, whose rules they are")
	flag.StringVar(&o.scenes, "scenes", "", "judge this file of scenarios instead: events of one session after another, with what is expected of each")
	flag.StringVar(&o.users, "users", "", "judge this file of what users reported instead: each in a home of its own, by the real hook and verbs")
	flag.StringVar(&o.coverage, "coverage", "", "judge the repositories in this folder instead: each with a bundle, reports and the right answers")
	flag.StringVar(&o.outputs, "outputs", "", "grade the captured test runs in this folder instead: RUNNER/CASE.json, each with what is true of it")
	flag.StringVar(&o.routes, "routes", "", "ask about the packages of this file of recorded answers instead, over loopback")
	flag.BoolVar(&o.verbose, "v", false, "list every miss")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := corpus
	if o.scenes != "" {
		run = func(ctx context.Context, o options, out io.Writer) error { return scenes(ctx, o, o.scenes, out) }
	}
	if o.users != "" {
		run = func(ctx context.Context, o options, out io.Writer) error { return stories(ctx, o, o.users, out) }
	}
	if o.coverage != "" {
		run = func(ctx context.Context, o options, out io.Writer) error {
			return coverageCases(ctx, o, o.coverage, out)
		}
	}
	if o.outputs != "" {
		run = func(ctx context.Context, o options, out io.Writer) error { return outputs(ctx, o, o.outputs, out) }
	}
	if o.routes != "" {
		run = func(ctx context.Context, o options, out io.Writer) error { return routes(ctx, o, o.routes, out) }
	}
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

type options struct {
	bin, cases, agent, only, packs, strict, scenes, users, coverage, outputs, routes string
	verbose                                                                          bool
}

func corpus(ctx context.Context, o options, out io.Writer) error {
	files, err := filepath.Glob(filepath.Join(o.cases, "*.jsonl"))
	if err != nil {
		return err
	}
	if o.cases == "" || len(files) == 0 {
		return fmt.Errorf("no *.jsonl file in %q; name a folder with -cases", o.cases)
	}
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "guardrails-corpus")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	r, err := newRunner(bin, home, o.packs, "")
	if err != nil {
		return err
	}
	if o.packs != "" {
		fmt.Fprintf(out, "optional packs on: %s; for policies also: %s\n\n", o.packs, cmp.Or(o.strict, "none"))
	}
	var content []textGroup
	var judged, later []group
	var misses []miss
	var packages []depsGroup
	reported := "" // the file of what users reported
	byFile := map[string][]testCase{}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".jsonl"); name == "shell" || name == "issues" || name == "policies" {
			cases, err := readCases(file)
			if err != nil {
				return err
			}
			byFile[file] = cases
		}
	}
	contest(slices.Collect(maps.Values(byFile))...)
	answered := map[string]answer{}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".jsonl"); isDeps(name) {
			if strings.Contains(name, o.only) {
				groups, err := deps(ctx, r, file, name)
				if err != nil {
					return err
				}
				packages = append(packages, groups...)
			}
			continue
		}
		if name := strings.TrimSuffix(filepath.Base(file), ".jsonl"); contentValidator(name) != "" {
			if strings.Contains(name, o.only) {
				groups, err := texts(ctx, r, file, name)
				if err != nil {
					return err
				}
				content = append(content, groups...)
			}
			continue
		}
		if filepath.Base(file) == "users.jsonl" {
			if strings.Contains("users", o.only) {
				reported = file
			}
			continue
		}
		cases, read := byFile[file]
		if !read {
			if cases, err = readCases(file); err != nil {
				return err
			}
		}
		groups := tally(cases)
		if o.only != "" {
			groups = slices.DeleteFunc(groups, func(g group) bool {
				return !strings.Contains(g.file, o.only) && !strings.Contains(g.tier, o.only)
			})
		}
		for i := range groups {
			g := &groups[i]
			if !g.judged {
				later = append(later, *g)
				continue
			}
			answers, err := o.askInHomes(ctx, r, g)
			if err != nil {
				return fmt.Errorf("%s: %w", g.name(), err)
			}
			if g.file == "policies" {
				maps.Copy(answered, answers)
			}
			missed, err := g.score(answers)
			if err != nil {
				return fmt.Errorf("%s: %w", g.name(), err)
			}
			if !aside(g.tier) {
				misses = append(misses, missed...)
			}
			judged = append(judged, *g)
		}
	}
	if o.verbose {
		for _, m := range misses {
			fmt.Fprintln(out, m)
		}
		if len(misses) > 0 {
			fmt.Fprintln(out)
		}
	}
	report(out, judged, later)
	reportPolicies(out, append(judged, later...), answered)
	reportTexts(out, content, o.verbose)
	reportDeps(out, packages, o.verbose)
	if reported == "" {
		return nil
	}
	fmt.Fprintln(out)
	o.only = ""
	return stories(ctx, o, reported, out)
}

// newRunner makes a home whose configuration switches packs on and holds an
// exception, with a project and one repository for each branch that cases name.
func newRunner(bin, home, packs, allow string) (runner, error) {
	r := runner{bin, home, filepath.Join(home, "project")}
	if err := os.MkdirAll(filepath.Join(r.project, ".git"), 0o755); err != nil {
		return r, err
	}
	for _, b := range []string{"main", "feature", "develop"} {
		git := filepath.Join(r.branchRepo(b), ".git")
		if err := os.MkdirAll(filepath.Join(git, "refs", "heads"), 0o755); err != nil {
			return r, err
		}
		if err := os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/"+b+"\n"), 0o644); err != nil {
			return r, err
		}
		for _, have := range []string{"main", b} {
			if err := os.WriteFile(filepath.Join(git, "refs", "heads", have), []byte(strings.Repeat("0a", 20)+"\n"), 0o644); err != nil {
				return r, err
			}
		}
	}
	if packs == "" && allow == "" {
		return r, nil
	}
	state := filepath.Join(home, ".guardrails")
	if err := os.MkdirAll(state, 0o700); err != nil {
		return r, err
	}
	text := "version: 1\npolicy:\n  packs: [core, " + strings.ReplaceAll(packs, ",", ", ") + "]\n  allow: [" + allow + "]\n"
	return r, os.WriteFile(filepath.Join(state, "config.yaml"), []byte(text), 0o600)
}

// askInHomes asks about a group's cases, each in a home with the packs and the
// exception that it is about.
func (o options) askInHomes(ctx context.Context, r runner, g *group) (map[string]answer, error) {
	if g.file != "policies" {
		return ask(ctx, r, o.agent, g.cases)
	}
	bySetting := map[string][]testCase{}
	for _, c := range g.cases {
		bySetting[c.setting] = append(bySetting[c.setting], c)
	}
	answers := map[string]answer{}
	packs := strings.Trim(o.packs+","+o.strict, ",")
	for i, setting := range slices.Sorted(maps.Keys(bySetting)) {
		in, err := newRunner(r.bin, filepath.Join(r.home, "policies", fmt.Sprint(g.tier, i)), packs, setting)
		if err != nil {
			return nil, err
		}
		cases := bySetting[setting]
		for k := range cases {
			cases[k].request = in.place(cases[k])
		}
		got, err := ask(ctx, in, o.agent, cases)
		if err != nil {
			return nil, err
		}
		maps.Copy(answers, got)
	}
	return answers, nil
}

// place says where a case is played: in a repository on its branch.
func (r runner) place(c testCase) map[string]any {
	req := maps.Clone(c.request)
	cwd := r.project
	if c.branch != "" {
		cwd = r.branchRepo(c.branch)
	}
	if p, ok := req["payload"].(map[string]any); ok {
		p = maps.Clone(p)
		p["cwd"] = cwd
		req["payload"] = p
		return req
	}
	if c.branch != "" {
		req["cwd"], req["root"] = cwd, cwd
	}
	return req
}

// ask has the binary judge all cases in one process, in a home that holds
// nothing.
func ask(ctx context.Context, r runner, agent string, cases []testCase) (map[string]answer, error) {
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	enc.SetEscapeHTML(false)
	for _, c := range cases {
		if err := enc.Encode(c.request); err != nil {
			return nil, fmt.Errorf("%s: %w", c.id, err)
		}
	}
	out, err := r.run(ctx, &in, "check", "--batch", "--agent", agent)
	if err != nil {
		return nil, err
	}
	answers := make(map[string]answer, len(cases))
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	for i := 0; lines.Scan(); i++ {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return nil, fmt.Errorf("answer %d: %w: %s", i+1, err, lines.Bytes())
		}
		if i < len(cases) && a.ID != cases[i].id {
			return nil, fmt.Errorf("answer %d is for %q, want %q: the order is not kept", i+1, a.ID, cases[i].id)
		}
		answers[a.ID] = a
	}
	return answers, lines.Err()
}

// A runner runs the binary in a home and a project that hold nothing.
type runner struct{ bin, home, project string }

func (r runner) run(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, r.bin, args...)
	cmd.Dir = r.project
	cmd.Env = []string{"HOME=" + r.home, "USERPROFILE=" + r.home, "PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	cmd.Stdin = in
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		// 1 is "not every line was judged": the lines say which.
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || out.Len() == 0 {
			return nil, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
		}
	}
	return out.Bytes(), nil
}

// An answer is one line of check --batch.
type answer struct {
	ID       string  `json:"id"`
	Decision string  `json:"decision"`
	Rule     string  `json:"rule"`
	MS       float64 `json:"ms"`
	Error    string  `json:"error"`
}

// An expectation is what a case wants of an answer.
type expectation int

const (
	expectNothing expectation = iota // a case that cannot be judged yet
	expectAllow                      // pass, advise or rewrite
	expectWarn                       // anything but silence
	expectAsk                        // ask
	expectStop                       // deny, ask or block
	expectDeny                       // deny or block
)

func (e expectation) String() string {
	return [...]string{"nothing", "allow", "warn", "ask", "stop", "deny"}[e]
}

// met reports whether a decision is what was expected.
func (e expectation) met(decision string) bool {
	switch decision {
	case "pass":
		return e == expectAllow
	case "advise", "rewrite":
		return e == expectAllow || e == expectWarn
	case "ask":
		return e == expectAsk || e == expectStop || e == expectWarn
	case "deny", "block":
		return e == expectDeny || e == expectStop || e == expectWarn
	}
	return false
}

// A group is the cases of one file and tier, and how they went.
type group struct {
	file, tier string
	cases      []testCase
	judged     bool // false: not yet

	stopped, toStop int // right and total of what must not just run
	passed, toPass  int // right and total of what must
	failed          int // no verdict
	ms              []float64
}

func (g group) name() string { return strings.TrimSuffix(g.file+" "+g.tier, " ") }

// tally sorts cases into groups. A tier holds either cases to judge or cases
// for later, never both.
func tally(cases []testCase) []group {
	var groups []group
	for _, c := range cases {
		i := slices.IndexFunc(groups, func(g group) bool { return g.file == c.file && g.tier == c.tier })
		if i < 0 {
			groups = append(groups, group{file: c.file, tier: c.tier, judged: c.expect != expectNothing})
			i = len(groups) - 1
		}
		groups[i].cases = append(groups[i].cases, c)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(a.name(), b.name()) })
	return groups
}

// A miss is a case that was judged wrongly, or not at all.
type miss struct {
	c      testCase
	answer answer
}

func (m miss) String() string {
	got := m.answer.Decision
	if m.answer.Rule != "" {
		got += " " + m.answer.Rule
	}
	if m.answer.Error != "" {
		got = "error: " + m.answer.Error
	}
	return fmt.Sprintf("%s: want %s, got %s: %s", m.c.id, m.c.expect, got, m.c.shown)
}

// score counts the answers to g's cases and returns the misses.
func (g *group) score(answers map[string]answer) ([]miss, error) {
	var misses []miss
	for _, c := range g.cases {
		a, ok := answers[c.id]
		if !ok {
			return nil, fmt.Errorf("no answer for %s", c.id)
		}
		if a.Error != "" || a.Decision == "" {
			g.failed++
		} else {
			g.ms = append(g.ms, a.MS)
		}
		right := a.Error == "" && c.expect.met(a.Decision)
		if !right {
			misses = append(misses, miss{c, a})
		}
		n := 0
		if right {
			n = 1
		}
		if c.expect == expectAllow {
			g.toPass++
			g.passed += n
		} else {
			g.toStop++
			g.stopped += n
		}
	}
	return misses, nil
}

func report(out io.Writer, judged, later []group) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "file\ttier\tstopped\t\tlet through\t\tno verdict\tp50 ms\tp95 ms")
	var all group
	for _, g := range judged {
		line(w, g.file, g.tier, g)
		if aside(g.tier) {
			continue
		}
		all.stopped, all.toStop = all.stopped+g.stopped, all.toStop+g.toStop
		all.passed, all.toPass = all.passed+g.passed, all.toPass+g.toPass
		all.failed += g.failed
		all.ms = append(all.ms, g.ms...)
	}
	line(w, "all", "", all)
	_ = w.Flush()
	if len(later) == 0 {
		return
	}
	fmt.Fprintln(out, "\nnot yet:")
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, g := range later {
		fmt.Fprintf(w, "%s\t%d\t%s\n", g.file, len(g.cases), g.tier)
	}
	_ = w.Flush()
}

func line(w io.Writer, file, tier string, g group) {
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%.3f\t%.3f\n", file, tier, rate(g.stopped, g.toStop), rate(g.passed, g.toPass),
		g.failed, quantile(g.ms, 50), quantile(g.ms, 95))
}

// rate prints a count with its share, in two columns.
func rate(right, total int) string {
	if total == 0 {
		return "-\t"
	}
	return fmt.Sprintf("%d/%d\t%.1f %%", right, total, 100*float64(right)/float64(total))
}

// quantile returns the nearest-rank p-th percentile of ms, 0 of none.
func quantile(ms []float64, p int) float64 {
	if len(ms) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(ms))
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}
