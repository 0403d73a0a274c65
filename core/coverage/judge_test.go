package coverage

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ec261362/guardrails/core/vcs"
)

func TestReportsOfOneFileAddUp(t *testing.T) {
	tr := tree(t, map[string]string{"a.py": "1\n2\n3\n4\n5\n6\n"})
	changed := map[string][]vcs.Range{"a.py": {{First: 1, Last: 6}}}
	later := time.Now().Add(time.Hour)
	lines := &Report{Format: LCOV, Made: later, Files: []File{{Name: "a.py", Lines: []Line{{0, true}, {1, true}, {2, false}, {5, true}}}}}
	excluding := &Report{Format: CoveragePy, Made: later, Files: []File{{Name: "a.py", Lines: []Line{{1, false}, {2, true}, {3, false}}, Not: []int{5}}}}
	for _, tc := range []struct {
		reports []*Report
		patch   Count
		files   Count
	}{
		{[]*Report{lines}, Count{2, 3}, Count{3, 4}},
		{[]*Report{excluding}, Count{1, 3}, Count{1, 3}},
		{[]*Report{lines, excluding}, Count{2, 3}, Count{2, 3}},
		{[]*Report{excluding, lines, lines}, Count{2, 3}, Count{2, 3}},
	} {
		res, err := Judge(tr, changed, tc.reports, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if res.Patch == nil || *res.Patch != tc.patch || res.Files["a.py"] != tc.files {
			t.Errorf("%d reports: patch %v, file %v; want %v, %v", len(tc.reports), res.Patch, res.Files["a.py"], tc.patch, tc.files)
		}
	}
}

// The order of reports does not matter, one more report never turns hit lines
// into missed ones, and the outcome follows from the numbers.
func TestJudgementIsConsistent(t *testing.T) {
	text := "f();\ng();\nh();\ni();\nj();\n"
	names := []string{"a.js", "b/a.js", "c.ts"}
	files := map[string]string{}
	for _, n := range names {
		files[n] = text
	}
	tr := tree(t, files)
	made := time.Now().Add(time.Hour)
	line := rapid.Custom(func(t *rapid.T) Line { return Line{rapid.IntRange(1, 5).Draw(t, "n"), rapid.Bool().Draw(t, "hit")} })
	file := rapid.Custom(func(t *rapid.T) File {
		return File{Name: rapid.SampledFrom(append(names, "gone.js")).Draw(t, "name"), Lines: mergeLines(rapid.SliceOf(line).Draw(t, "lines"))}
	})
	report := rapid.Custom(func(t *rapid.T) *Report {
		return &Report{Format: LCOV, Made: made, Files: rapid.SliceOfN(file, 0, 4).Draw(t, "files")}
	})
	rapid.Check(t, func(t *rapid.T) {
		changed := map[string][]vcs.Range{}
		for _, n := range names {
			if first := rapid.IntRange(0, 5).Draw(t, "first"); first > 0 {
				changed[n] = []vcs.Range{{First: first, Last: rapid.IntRange(first, 5).Draw(t, "last")}}
			}
		}
		opt := Options{Min: float64(rapid.IntRange(0, 100).Draw(t, "min"))}
		reports := rapid.SliceOfN(report, 1, 4).Draw(t, "reports")
		judge := func(reports []*Report) *Result {
			res, err := Judge(tr, changed, reports, opt)
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		res := judge(reports)
		back := make([]*Report, len(reports))
		for i, r := range reports {
			back[len(reports)-1-i] = r
		}
		if a, b := say(res), say(judge(back)); a != b {
			t.Fatalf("in one order %s, in the other %s", a, b)
		}
		if diff := cmp.Diff(res.Packages, judge(back).Packages); diff != "" {
			t.Fatal(diff)
		}
		more := judge(append(reports, report.Draw(t, "another")))
		for n, c := range res.Files {
			if more.Files[n].Covered < c.Covered {
				t.Fatalf("%s: %v, with another report %v", n, c, more.Files[n])
			}
		}
		if len(more.Unresolved) > len(res.Unresolved) {
			t.Fatalf("unresolved %q, with another report %q", res.Unresolved, more.Unresolved)
		}
		switch res.Verdict {
		case Patch:
			if pass := !res.Patch.Below(opt.Min); pass != (res.Outcome == Pass) || res.Patch.Total == 0 || len(res.Unresolved) > 0 {
				t.Fatalf("%s, at least %v", say(res), opt.Min)
			}
		case NoCoverableLines:
			if res.Patch != nil || res.Outcome != Pass || len(res.Unresolved) > 0 || len(res.Uncovered) > 0 {
				t.Fatal(say(res))
			}
		case Unresolved:
			if res.Outcome != NotJudged || len(res.Unresolved) == 0 {
				t.Fatal(say(res))
			}
		default:
			t.Fatal(say(res))
		}
	})
}
