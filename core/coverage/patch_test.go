package coverage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/proc"
	"github.com/ec261362/guardrails/core/vcs"
)

type programs struct{ env []string }

func (p programs) Run(ctx context.Context, c gate.Command) (gate.Exit, error) {
	r, err := proc.Run(ctx, proc.Cmd{Argv: c.Argv, Dir: c.Dir, Env: slices.Concat(p.env, c.Env), Stdin: c.Stdin, MaxOutput: c.MaxOutput, Timeout: c.Timeout})
	return gate.Exit{Code: r.ExitCode, Signal: r.Signal, TimedOut: r.TimedOut, Stdout: r.Stdout, Stderr: r.Stderr, Truncated: r.Truncated, Took: r.Took}, err
}

func (p programs) LookPath(name string) (string, error) {
	return proc.LookPath(name, os.Getenv("PATH"))
}

// A project is a git repository with reports in it. Its sources are an hour
// older than its reports unless a test says otherwise.
type project struct {
	t    *testing.T
	dir  string
	env  []string
	made time.Time
}

func newProject(t *testing.T) *project {
	t.Helper()
	if _, err := proc.LookPath("git", os.Getenv("PATH")); err != nil {
		t.Skip("git is not installed")
	}
	p := &project{t: t, dir: t.TempDir(), made: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)}
	p.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	p.git("init", "-q", "-b", "main", ".")
	return p
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	r, err := proc.Run(context.Background(), proc.Cmd{Argv: append([]string{"git"}, args...), Dir: p.dir, Env: p.env})
	if err != nil || r.ExitCode != 0 {
		p.t.Fatalf("git %q: %v, exit code %d\n%s", args, err, r.ExitCode, r.Stderr)
	}
	return strings.TrimSpace(string(r.Stdout))
}

func (p *project) write(name, text string, at time.Time) string {
	p.t.Helper()
	full := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Chtimes(full, at, at); err != nil {
		p.t.Fatal(err)
	}
	return full
}

func (p *project) source(name, text string) {
	p.t.Helper()
	p.write(name, text, p.made.Add(-time.Hour))
}

func (p *project) commit() string {
	p.t.Helper()
	p.git("add", "-A")
	p.git("commit", "-q", "--allow-empty", "-m", "x")
	return p.git("rev-parse", "HEAD")
}

func (p *project) report(name, text, base string) *Report {
	p.t.Helper()
	full := p.write(name, text, p.made)
	if base != "" {
		base = filepath.Join(p.dir, base)
	}
	r, err := ReadFile(full, base)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func (p *project) measure(base string, opt Options, reports ...*Report) *Result {
	p.t.Helper()
	ctx := context.Background()
	repo, err := vcs.Open(ctx, programs{p.env}, p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	res, err := Measure(ctx, repo, base, reports, opt)
	if err != nil {
		p.t.Fatal(err)
	}
	return res
}

// say writes a result down in a line.
func say(r *Result) string {
	s := r.Outcome.String() + " " + r.Verdict.String()
	if r.Patch != nil {
		s += fmt.Sprintf(" %d/%d", r.Patch.Covered, r.Patch.Total)
	}
	if len(r.Unresolved) > 0 {
		s += " unresolved " + strings.Join(r.Unresolved, ",")
	}
	for _, f := range sortedKeys(r.Uncovered) {
		s += fmt.Sprintf(" %s:%v", f, r.Uncovered[f])
	}
	return s
}

const jsBefore = "export function price(n) {\n  return n;\n}\n"

// jsAfter has code on lines 2, 3, 5, 8.
const jsAfter = "export function price(n) {\n  if (n > 9) {\n    return n - 1;\n  }\n  return n;\n}\nexport function back(n) {\n  return -n;\n}\n"

// lcov writes a record: lines are numbers, negative ones were not run.
func lcov(name string, lines ...int) string {
	s := "TN:\nSF:" + name + "\n"
	for _, n := range lines {
		if n < 0 {
			s += fmt.Sprintf("DA:%d,0\n", -n)
		} else {
			s += fmt.Sprintf("DA:%d,1\n", n)
		}
	}
	return s + "end_of_record\n"
}

func TestChangedLinesAreCounted(t *testing.T) {
	p := newProject(t)
	p.source("src/price.js", jsBefore)
	p.source("src/other.js", "f();\n")
	base := p.commit()
	p.source("src/price.js", jsAfter)
	r := p.report("coverage/lcov.info", lcov("src/price.js", 2, -3, 5, -8)+lcov("src/other.js", -1), "")
	check := func(when string) {
		t.Helper()
		res := p.measure(base, Options{Min: 80}, r)
		if got, want := say(res), "fail patch 1/3 src/price.js:[{3 3} {8 8}]"; got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
		if diff := cmp.Diff(map[string]Count{"src": {2, 5}}, res.Packages); diff != "" {
			t.Errorf("%s: %s", when, diff)
		}
		if res.Under("src") != (Count{2, 5}) || res.Under("sr") != (Count{}) || res.Under(".") != (Count{2, 5}) {
			t.Errorf("%s: under src %v", when, res.Under("src"))
		}
	}
	check("in the working tree")
	p.git("add", "src")
	check("staged")
	p.git("commit", "-q", "-m", "two")
	check("committed")
	for min, want := range map[float64]Outcome{0: Pass, 33.33: Pass, 33.34: Fail, 100: Fail} {
		if got := p.measure(base, Options{Min: min}, r).Outcome; got != want {
			t.Errorf("at least %v %%: %s, want %s", min, got, want)
		}
	}
}

func TestUntrackedFilesCount(t *testing.T) {
	p := newProject(t)
	p.source(".gitignore", "out/\n")
	base := p.commit()
	p.source("src/price.js", jsAfter)
	p.source("out/built.js", jsAfter)
	r := p.report("coverage/lcov.info", lcov("src/price.js", 2, -3, 5, 8), "")
	if got, want := say(p.measure(base, Options{Min: 75}, r)), "pass patch 3/4 src/price.js:[{3 3}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRenamedFileCountsByWhatChangedInIt(t *testing.T) {
	for _, how := range []string{"git mv", "mv"} {
		p := newProject(t)
		long := strings.Repeat("f();\n", 10)
		p.source("src/a.js", long+"g();\n")
		base := p.commit()
		if how == "mv" {
			if err := os.Rename(filepath.Join(p.dir, "src/a.js"), filepath.Join(p.dir, "src/b.js")); err != nil {
				t.Fatal(err)
			}
		} else {
			p.git("mv", "src/a.js", "src/b.js")
		}
		p.source("src/b.js", long+"h();\n")
		r := p.report("coverage/lcov.info", lcov("src/b.js", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -11), "")
		if got, want := say(p.measure(base, Options{}, r)), "pass patch 0/1 src/b.js:[{11 11}]"; got != want {
			t.Errorf("%s: %s, want %s", how, got, want)
		}
	}
}

func TestNoCoverableLineIsAPass(t *testing.T) {
	p := newProject(t)
	p.source("src/price.js", jsBefore)
	p.source("src/gone.js", "f();\n")
	p.source("README.md", "a\n")
	base := p.commit()
	r := p.report("coverage/lcov.info", lcov("src/price.js", 3), "")
	if got := say(p.measure(base, Options{Min: 80}, r)); got != "pass no-coverable-lines" {
		t.Errorf("nothing changed: %s", got)
	}
	p.source("src/price.js", "// what it costs\n"+jsBefore)
	p.source("README.md", "b\n")
	p.source("src/price.test.js", "test(f);\n")
	p.source("src/types.ts", "// nothing to run\nexport interface A {\n  a: string;\n}\n")
	if err := os.Remove(filepath.Join(p.dir, "src/gone.js")); err != nil {
		t.Fatal(err)
	}
	if got := say(p.measure(base, Options{Min: 80}, r)); got != "pass no-coverable-lines" {
		t.Errorf("comments, text, a test, types and a deletion: %s", got)
	}
}

func TestFileThatNoReportKnowsNeverPasses(t *testing.T) {
	p := newProject(t)
	p.source("src/price.js", jsBefore)
	base := p.commit()
	p.source("src/price.js", jsAfter)
	p.source("src/new.ts", "export const a = f();\n\n// why\nrun(a);\n")
	known := lcov("src/price.js", 2, 3, 5, 8)
	summary := `{"total":{"lines":{"total":4,"covered":4}},"/ci/src/price.js":{"lines":{"total":4,"covered":4}},"/ci/src/new.ts":{"lines":{"total":2,"covered":2}}}`
	for _, tc := range []struct {
		what    string
		reports []*Report
		want    string
		all     *Count
	}{
		{"one file is not there", []*Report{p.report("lcov.info", known, "")}, "not-judged unresolved 3/3 unresolved src/new.ts", &Count{3, 5}},
		{"an empty report", []*Report{p.report("lcov.info", "TN:\n", "")}, "not-judged unresolved unresolved src/new.ts,src/price.js", &Count{0, 5}},
		{"files without one line", []*Report{p.report("lcov.info", lcov("src/price.js")+lcov("src/new.ts"), "")}, "not-judged unresolved unresolved src/new.ts,src/price.js", &Count{0, 5}},
		{"paths of elsewhere", []*Report{p.report("lcov.info", lcov("lib/price.mjs", 2)+lcov("lib/new.mjs", 1), "")}, "not-judged unresolved unresolved src/new.ts,src/price.js", &Count{0, 5}},
		{"a summary", []*Report{p.report("coverage-summary.json", summary, "")}, "not-judged unresolved unresolved src/new.ts,src/price.js", &Count{0, 5}},
		{"a summary beside lines", []*Report{p.report("lcov.info", known, ""), p.report("coverage-summary.json", summary, "")}, "not-judged unresolved 3/3 unresolved src/new.ts", &Count{3, 5}},
		{"a second report has it", []*Report{p.report("lcov.info", known, ""), p.report("two.info", lcov("src/new.ts", 1, -4), "")}, "pass patch 4/5 src/new.ts:[{4 4}]", nil},
	} {
		res := p.measure(base, Options{Min: 80}, tc.reports...)
		if got := say(res); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.what, got, tc.want)
		}
		if diff := cmp.Diff(tc.all, res.PatchWithUnresolved); diff != "" {
			t.Errorf("%s: with the unresolved:\n%s", tc.what, diff)
		}
	}
	if res := p.measure(base, Options{}, p.report("lcov.info", lcov("lib/x.mjs", 2), "")); !cmp.Equal(res.Unmatched, []string{"lib/x.mjs"}) {
		t.Errorf("unmatched: %q", res.Unmatched)
	}
	only := Options{Min: 80, Only: func(f string) bool { return f == "src/price.js" }}
	if got := say(p.measure(base, only, p.report("lcov.info", known, ""))); got != "pass patch 3/3" {
		t.Errorf("only one file: %s", got)
	}
	without := Options{Min: 80, Exclude: func(f string) bool { return f == "src/new.ts" }}
	res := p.measure(base, without, p.report("lcov.info", known, ""))
	if got := say(res); got != "pass patch 3/3" || !cmp.Equal(res.LeftOut, []LeftOut{{"src/new.ts", "excluded"}}) {
		t.Errorf("one excluded: %s, %v", got, res.LeftOut)
	}
}

func TestFilesOfOtherLanguagesAreNotMissed(t *testing.T) {
	p := newProject(t)
	base := p.commit()
	p.source("go.mod", "module m\n")
	p.source("a.go", "package a\n\nfunc f() {\n\tg()\n}\n")
	p.source("tool.py", "print(1)\n")
	r := p.report("coverage.out", "mode: set\nm/a.go:3.10,5.2 1 1\n", "")
	res := p.measure(base, Options{Min: 80}, r)
	if got := say(res); got != "pass patch 1/1" || !cmp.Equal(res.LeftOut, []LeftOut{{"tool.py", "in a language of no report"}}) {
		t.Errorf("%s, %v", got, res.LeftOut)
	}
	if diff := cmp.Diff(map[string]Count{".": {1, 1}}, res.Packages); diff != "" {
		t.Error(diff)
	}
}

func TestReportOlderThanAChangedFileIsRefused(t *testing.T) {
	ms := func(t time.Time) string { return fmt.Sprint(t.UnixMilli()) }
	for _, tc := range []struct {
		name, report string
		text         func(made time.Time) string
		file         string
		own          bool // it has a time of its own
	}{
		{"go", "c.out", func(time.Time) string { return "mode: set\nm/a.go:3.10,5.2 1 1\n" }, "a.go", false},
		{"lcov", "lcov.info", func(time.Time) string { return lcov("a.js", 1) }, "a.js", false},
		{"cobertura", "c.xml", func(m time.Time) string {
			return `<coverage line-rate="1" timestamp="` + ms(m) + `"><packages><class filename="a.js"><lines><line number="1" hits="1"/></lines></class></packages></coverage>`
		}, "a.js", true},
		{"cobertura in seconds", "c.xml", func(m time.Time) string {
			return `<coverage line-rate="1" timestamp="` + fmt.Sprint(m.Unix()) + `"><packages><class filename="a.js"><lines><line number="1" hits="1"/></lines></class></packages></coverage>`
		}, "a.js", true},
		{"cobertura without a time", "c.xml", func(time.Time) string {
			return `<coverage line-rate="1" timestamp="0"><packages><class filename="a.js"><lines><line number="1" hits="1"/></lines></class></packages></coverage>`
		}, "a.js", false},
		{"clover", "c.xml", func(m time.Time) string {
			return `<coverage clover="4" generated="` + ms(m) + `"><project><file path="/ci/a.js"><line num="1" count="1" type="stmt"/></file></project></coverage>`
		}, "a.js", true},
		{"jacoco", "c.xml", func(m time.Time) string {
			return `<report><sessioninfo id="x" start="1" dump="` + ms(m) + `"/><package name="x"><sourcefile name="A.java"><line nr="1" mi="0" ci="1"/></sourcefile></package></report>`
		}, "src/main/java/x/A.java", true},
		{"coverage.py", "c.json", func(m time.Time) string {
			return `{"meta":{"timestamp":"` + m.In(time.Local).Format("2006-01-02T15:04:05.000000") + `"},"files":{"a.py":{"executed_lines":[1],"missing_lines":[]}}}`
		}, "a.py", true},
		{"simplecov", ".resultset.json", func(m time.Time) string {
			return `{"R":{"coverage":{"/ci/a.rb":{"lines":[1]}},"timestamp":` + fmt.Sprint(m.Unix()) + `}}`
		}, "a.rb", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProject(t)
			p.source("go.mod", "module m\n")
			base := p.commit()
			text := "call()\n"
			if tc.file == "a.go" {
				text = "package a\n\nfunc f() {\n\tg()\n}\n"
			}
			judge := func(changed, written time.Time) Verdict {
				p.write(tc.file, text, changed)
				full := p.write("out/"+tc.report, tc.text(p.made), written)
				r, err := ReadFile(full, "")
				if err != nil {
					t.Fatal(err)
				}
				return p.measure(base, Options{}, r).Verdict
			}
			second := time.Second
			if got := judge(p.made.Add(-second), p.made); got != Patch {
				t.Errorf("younger report: %s", got)
			}
			if got := judge(p.made, p.made); got != Patch {
				t.Errorf("of the same moment: %s", got)
			}
			if got := judge(p.made.Add(second), p.made); got != RefuseStale {
				t.Errorf("older report: %s", got)
			}
			// The file was copied: only a time inside still tells.
			want := Patch
			if tc.own {
				want = RefuseStale
			}
			if got := judge(p.made.Add(second), p.made.Add(2*second)); got != want {
				t.Errorf("older report with a new file: %s, want %s", got, want)
			}
			if tc.own {
				if got := judge(p.made.Add(-second), p.made.Add(-time.Hour)); got != Patch {
					t.Errorf("younger report with an old file: %s", got)
				}
			}
		})
	}
}

func TestTimesAreComparedAsFineAsTheReportHasThem(t *testing.T) {
	p := newProject(t)
	base := p.commit()
	p.write("a.js", "f();\n", p.made.Add(900*time.Millisecond))
	text := `<coverage line-rate="1" timestamp="` + fmt.Sprint(p.made.Unix()) + `"><packages><class filename="a.js"><lines><line number="1" hits="1"/></lines></class></packages></coverage>`
	if got := p.measure(base, Options{}, p.report("c.xml", text, "")).Verdict; got != Patch {
		t.Errorf("the same second: %s", got)
	}
}

func TestOnlyChangedFilesMakeAReportStale(t *testing.T) {
	p := newProject(t)
	p.source("a.js", "f();\n")
	p.source("b.js", "f();\n")
	base := p.commit()
	p.source("a.js", "f();\ng();\n")
	p.write("b.js", "f();\n", p.made.Add(time.Hour)) // only touched
	p.write("c.js", "f();\n", p.made.Add(time.Hour)) // new, and in no report
	r := p.report("lcov.info", lcov("a.js", 1, 2)+lcov("b.js", 1, -99), "")
	if got, want := say(p.measure(base, Options{}, r)), "not-judged unresolved 1/1 unresolved c.js"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestLinePastTheEndIsStale(t *testing.T) {
	for _, tc := range []struct {
		text string
		last int
		want Verdict
	}{{"f();\ng();\n", 2, Patch}, {"f();\ng();\n", 3, RefuseStale}, {"f();\ng();", 2, Patch}, {"f();\ng();", 3, RefuseStale}} {
		p := newProject(t)
		base := p.commit()
		p.source("a.js", tc.text)
		res := p.measure(base, Options{}, p.report("lcov.info", lcov("a.js", 1, tc.last), ""))
		if res.Verdict != tc.want {
			t.Errorf("line %d of %q: %s", tc.last, tc.text, res.Verdict)
		}
		if tc.want == RefuseStale && (res.Patch != nil || res.Outcome != NotJudged || len(res.Stale) != 1 || res.Stale[0].File != "a.js" || !strings.Contains(res.Stale[0].Why, "line 3")) {
			t.Errorf("%+v", res)
		}
	}
}

func TestGoPackagesCountStatementsAndChangesCountLines(t *testing.T) {
	p := newProject(t)
	p.source("go.mod", "module example.com/m\n")
	p.source("a/a.go", "package a\n\nfunc F(x int) int {\n\treturn x\n}\n")
	base := p.commit()
	p.source("a/a.go", "package a\n\n// F is.\nfunc F(x int) int {\n\tif x > 0 {\n\t\tx++; x++\n\t}\n\treturn x\n}\n\nfunc G() {\n\tprintln()\n}\n")
	p.source("a/doc.go", "// Package a is.\npackage a\n\nconst C = 1\n")
	p.source("a/a_test.go", "package a\n\nfunc h() { F(1) }\n")
	p.source("a/zz.go", "// Code generated by x. DO NOT EDIT.\n\npackage a\n\nfunc z() {\n\tprintln()\n}\n")
	profile := "mode: set\n"
	for _, hit := range []int{0, 1, 0} {
		profile += fmt.Sprintf("example.com/m/a/a.go:4.19,5.11 1 %d\nexample.com/m/a/a.go:5.11,7.3 2 0\nexample.com/m/a/a.go:8.2,8.10 1 %d\nexample.com/m/a/a.go:11.10,13.2 1 0\nexample.com/m/a/zz.go:5.10,7.2 1 0\nexample.org/dep/d.go:1.1,2.2 1 1\n", hit, hit)
	}
	res := p.measure(base, Options{Min: 80}, p.report("coverage.out", profile, ""))
	if got, want := say(res), "fail patch 1/3 a/a.go:[{6 6} {12 12}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if diff := cmp.Diff(map[string]Count{"a": {2, 6}}, res.Packages); diff != "" {
		t.Error(diff)
	}
	want := []LeftOut{{"a/a_test.go", "test"}, {"a/zz.go", "generated"}}
	if diff := cmp.Diff(want, res.LeftOut); diff != "" {
		t.Error(diff)
	}
}

func TestBaseThatIsNoAncestorCountsFromTheMergeBase(t *testing.T) {
	p := newProject(t)
	p.source("a.js", "f();\n")
	p.commit()
	p.git("checkout", "-q", "-b", "feature")
	p.source("a.js", "f();\ng();\n")
	p.commit()
	p.git("checkout", "-q", "main")
	p.source("b.js", "only();\non();\nmain();\n")
	p.commit()
	p.git("checkout", "-q", "feature")
	p.source("a.js", "f();\ng();\n")
	r := p.report("lcov.info", lcov("a.js", 1, 2), "")
	if got, want := say(p.measure("main", Options{Min: 80}, r)), "pass patch 1/1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	ctx := context.Background()
	repo, err := vcs.Open(ctx, programs{p.env}, p.dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Measure(ctx, repo, "none", []*Report{r}, Options{}); !errors.Is(err, vcs.ErrNoCommit) {
		t.Errorf("a base that is not there: %v", err)
	}
	if _, err := Measure(ctx, repo, "main", nil, Options{}); err == nil {
		t.Error("without a report there is a result")
	}
}

func TestGapsJoinOverLinesThatCannotBeCovered(t *testing.T) {
	lines := []Line{{2, false}, {4, false}, {6, true}, {8, false}, {9, false}, {12, false}}
	got := joinGaps([]int{2, 4, 8, 9, 12}, lines)
	if diff := cmp.Diff([]vcs.Range{{First: 2, Last: 4}, {First: 8, Last: 12}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestReportsAreFoundWhereToolsLeaveThem(t *testing.T) {
	p := newProject(t)
	p.source("go.mod", "module m\n")
	p.source("web/package.json", "{}\n")
	p.source("lib/setup.py", "")
	p.write("coverage.out", "mode: set\n", p.made)
	p.write("web/coverage/lcov.info", "TN:\n", p.made.Add(time.Minute))
	p.write("web/coverage/clover.xml", "", p.made)
	p.write("web/coverage/coverage-summary.json", "", p.made.Add(time.Hour))
	p.write("lib/coverage.xml", "", p.made)
	p.write("lib/coverage.json", "", p.made.Add(time.Hour))
	p.write("deep/coverage.xml", "", p.made)
	var got []string
	for _, f := range Discover(p.dir, []string{"go.mod", "web/package.json", "lib/setup.py", "deep/a.py"}) {
		rel, err := filepath.Rel(p.dir, f)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel))
	}
	if diff := cmp.Diff([]string{"coverage.out", "lib/coverage.json", "web/coverage/lcov.info"}, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
