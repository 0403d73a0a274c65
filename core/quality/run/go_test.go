package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/core/quality"
)

func TestAFailureThatWasThereBeforeDoesNotBlock(t *testing.T) {
	needs(t, "go", "git")
	p := newProject(t, map[string]string{
		"go.mod":        "module example.com/app\n\ngo 1.21\n",
		"a/a.go":        "package a\n\n// F is one.\nfunc F() int { return 1 }\n",
		"a/a_test.go":   "package a\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Error(\"F\")\n\t}\n}\n",
		"a/old_test.go": "package a\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) { t.Error(\"broken for years\") }\n",
	})
	p.write("a/a.go", "package a\n\n// F is 1.\nfunc F() int { return 1 }\n")
	r := p.gate("a/a.go")
	if r.Outcome != quality.Passed || len(r.Known) != 1 || r.Known[0].Test != "TestOld" {
		t.Fatalf("%s\nknown %+v", r.Text(4000), r.Known)
	}
	// A second failure beside it counts, and only that one.
	p.write("a/a.go", "package a\n\n// F is 2.\nfunc F() int { return 2 }\n")
	r = p.gate("a/a.go")
	if text := r.Text(4000); r.Outcome != quality.Failed || !strings.Contains(text, "TestF") || strings.Contains(text, "TestOld") {
		t.Fatal(text)
	}
}

func TestWhatSomebodyElseHadBrokenBeforeTheSessionDoesNotBlock(t *testing.T) {
	p := goProject(t)
	p.write("a/more_test.go", "package a\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) { t.Error(\"not done yet\") }\n")
	profile := p.w.Profile(context.Background(), p.conf)
	if !slices.Contains(profile.Dirty, "a/more_test.go") || profile.Head == "" {
		t.Fatalf("profile %+v", profile)
	}
	p.write("a/a.go", "package a\n\n// Add adds!\nfunc Add(x, y int) int { return x + y }\n")
	r := p.ask(Request{Touched: []string{"a/a.go"}, Base: profile.Head, Dirty: profile.Dirty, Deadline: true})
	if r.Outcome != quality.Passed || len(r.Known) != 1 {
		t.Fatalf("%s\nknown %+v", r.Text(4000), r.Known)
	}
	// Without the mark it is the session's doing.
	r = p.ask(Request{Touched: []string{"a/a.go"}, Base: profile.Head, Deadline: true})
	if r.Outcome != quality.Failed {
		t.Fatal(r.Text(4000))
	}
}

func TestAFlakyTestIsNamedAndDoesNotBlock(t *testing.T) {
	p := goProject(t)
	mark := filepath.Join(t.TempDir(), "ran")
	p.write("a/flaky_test.go", fmt.Sprintf(`package a

import (
	"os"
	"testing"
)

func TestFlaky(t *testing.T) {
	if _, err := os.Stat(%q); err != nil {
		os.WriteFile(%q, nil, 0o644)
		t.Error("the first time")
	}
}
`, mark, mark))
	r := p.gate("a/flaky_test.go")
	if r.Outcome != quality.Passed || !slices.Equal(r.Flaky, []string{"TestFlaky"}) {
		t.Fatalf("%s\nflaky %q", r.Text(4000), r.Flaky)
	}
}

func TestChangedLinesWithoutATestBlockWithFileAndLine(t *testing.T) {
	p := goProject(t)
	p.write("a/a.go", `package a

// Add adds.
func Add(x, y int) int { return x + y }

// Sub subtracts.
func Sub(x, y int) int {
	if x == y {
		return 0
	}
	return x - y
}
`)
	r := p.gate("a/a.go")
	text := r.Text(4000)
	if r.Outcome != quality.Failed || !strings.Contains(text, "coverage: a/a.go:8") {
		t.Fatal(text)
	}
	if r.Patch == nil || r.Patch.Pct >= 80 {
		t.Errorf("patch %+v", r.Patch)
	}
}

func TestALoweredCoverageBlocksAndDeletedCodeDoesNot(t *testing.T) {
	p := goProject(t)
	p.conf.PatchMin = 0
	p.write("a/a.go", "package a\n\n// Add adds two.\nfunc Add(x, y int) int { return x + y }\n")
	if r := p.gate("a/a.go"); r.Outcome != quality.Passed {
		t.Fatal(r.Text(4000))
	}
	p.write("a/a.go", "package a\n\n// Add adds two.\nfunc Add(x, y int) int { return x + y }\n\n// Sub subtracts.\nfunc Sub(x, y int) int { return x - y }\n")
	r := p.gate("a/a.go")
	if text := r.Text(4000); r.Outcome != quality.Failed || !strings.Contains(text, "fell from 100.0 % to 50.0 %") {
		t.Fatal(text)
	}
	p.write("a/a.go", "package a\n\n// Add adds two.\nfunc Add(x, y int) int { return x + y }\n")
	if r := p.gate("a/a.go"); r.Outcome != quality.Passed {
		t.Fatal(r.Text(4000))
	}
}

func TestCodeWhoseTestsAreAllDeletedIsHeld(t *testing.T) {
	t.Run("changed lines without them", func(t *testing.T) {
		p := goProject(t)
		p.write("a/a.go", "package a\n\n// Add takes away.\nfunc Add(x, y int) int { return x - y }\n")
		p.git("rm", "-q", "a/a_test.go")
		r := p.gate("a/a.go", "a/a_test.go")
		if text := r.Text(4000); r.Outcome != quality.Failed || !strings.Contains(text, "coverage: a/a.go:4") {
			t.Fatal(text)
		}
	})
	t.Run("what the last pass had", func(t *testing.T) {
		p := goProject(t)
		p.write("a/a.go", "package a\n\n// Add adds two.\nfunc Add(x, y int) int { return x + y }\n")
		if r := p.gate("a/a.go"); r.Outcome != quality.Passed {
			t.Fatal(r.Text(4000))
		}
		p.git("rm", "-q", "a/a_test.go")
		r := p.gate("a/a_test.go")
		if text := r.Text(4000); r.Outcome != quality.Failed || !strings.Contains(text, "fell from 100.0 % to 0.0 %") {
			t.Fatal(text)
		}
	})
	t.Run("with the code that they tested", func(t *testing.T) {
		p := goProject(t)
		p.write("a/a.go", "package a\n\n// Add adds two.\nfunc Add(x, y int) int { return x + y }\n")
		if r := p.gate("a/a.go"); r.Outcome != quality.Passed {
			t.Fatal(r.Text(4000))
		}
		p.git("rm", "-q", "-f", "a/a.go", "a/a_test.go")
		if r := p.gate("a/a.go", "a/a_test.go"); r.Outcome != quality.Passed {
			t.Fatal(r.Text(4000))
		}
	})
}

func TestResultsOfThisTreeAreReused(t *testing.T) {
	p := goProject(t)
	count := filepath.Join(t.TempDir(), "runs")
	p.write("a/count_test.go", fmt.Sprintf(`package a

import (
	"os"
	"testing"
)

func TestCount(t *testing.T) {
	f, err := os.OpenFile(%q, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("x")
	f.Close()
	if Add(1, 1) != 2 {
		t.Error("no sum")
	}
}
`, count))
	p.write("a/a.go", "package a\n\n// Add adds wrongly.\nfunc Add(x, y int) int { return x - y }\n")
	if r := p.gate("a/a.go", "a/count_test.go"); r.Outcome != quality.Failed {
		t.Fatal(r.Text(4000))
	}
	was := len(readFile(t, count))
	if r := p.gate("a/a.go", "a/count_test.go"); r.Outcome != quality.Failed || len(readFile(t, count)) != was {
		t.Errorf("it ran again: %d, was %d", len(readFile(t, count)), was)
	}
	// By hand a failure is looked at again: the reason may lie outside of the tree.
	p.ask(Request{Touched: []string{"a/a.go", "a/count_test.go"}})
	if len(readFile(t, count)) == was {
		t.Error("by hand it did not run again")
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestOnlyTouchedPackagesOfAMonorepoRun(t *testing.T) {
	needs(t, "go", "git")
	files := map[string]string{"go.mod": "module example.com/mono\n\ngo 1.21\n"}
	ran := filepath.Join(t.TempDir(), "ran")
	for i := range 200 {
		dir := fmt.Sprintf("p%03d", i)
		files[dir+"/x.go"] = fmt.Sprintf("package %s\n\n// N is a number.\nfunc N() int { return %d }\n", dir, i)
		files[dir+"/x_test.go"] = fmt.Sprintf("package %s\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestN(t *testing.T) {\n\tf, _ := os.OpenFile(%q, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)\n\tf.WriteString(\"%s\\n\")\n\tf.Close()\n\tif N() != %d {\n\t\tt.Error(N())\n\t}\n}\n", dir, ran, dir, i)
	}
	p := newProject(t, files)
	var touched []string
	for _, i := range []int{3, 77, 199} {
		name := fmt.Sprintf("p%03d/x.go", i)
		p.write(name, strings.Replace(p.read(name), "a number", "its number", 1))
		touched = append(touched, name)
	}
	r := p.gate(touched...)
	if r.Outcome != quality.Passed || !slices.Equal(r.Packages, []string{"p003", "p077", "p199"}) {
		t.Fatalf("%s\n%q", r.Text(4000), r.Packages)
	}
	lines := strings.Fields(readFile(t, ran))
	slices.Sort(lines)
	if got := slices.Compact(lines); !slices.Equal(got, []string{"p003", "p077", "p199"}) {
		t.Errorf("ran %q", got)
	}
}

func TestASuiteLongerThanTheDeadlineIsNotStartedAgain(t *testing.T) {
	p := goProject(t)
	p.write("a/slow_test.go", "package a\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestSlow(t *testing.T) { time.Sleep(20 * time.Second) }\n")
	ask := func(d time.Duration) *quality.Report {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		return p.w.Gate(ctx, p.conf, Request{Touched: []string{"a/slow_test.go"}, Deadline: true})
	}
	p.conf.OnStop = []quality.Step{quality.Test}
	r := ask(3 * time.Second)
	if r.Outcome != quality.NotProven || !r.TooLong || !strings.Contains(r.Why, "did not finish in time") {
		t.Fatalf("%v %v %s", r.Outcome, r.TooLong, r.Why)
	}
	r = ask(2 * time.Second)
	if r.Outcome != quality.NotProven || !r.TooLong || !strings.Contains(r.Why, "not started") || r.Took > time.Second {
		t.Fatalf("%v %v %s after %v", r.Outcome, r.TooLong, r.Why, r.Took)
	}
}

func TestWhatDoesNotCompileIsReportedOnce(t *testing.T) {
	p := goProject(t)
	p.write("a/a.go", "package a\n\n// Add adds.\nfunc Add(x, y int) int { return \"x\" }\n")
	r := p.gate("a/a.go")
	n := 0
	for _, f := range r.Findings {
		if f.File == "a/a.go" && f.Line == 4 {
			n++
		}
	}
	if r.Outcome != quality.Failed || n != 1 {
		t.Fatalf("%d times:\n%s", n, r.Text(4000))
	}
}

func TestADeletedFileIsJudgedByItsPackage(t *testing.T) {
	p := goProject(t)
	if err := os.Remove(filepath.Join(p.root, "a", "a.go")); err != nil {
		t.Fatal(err)
	}
	r := p.gate("a/a.go")
	if text := r.Text(4000); r.Outcome != quality.Failed || !strings.Contains(text, "undefined: Add") {
		t.Fatal(text)
	}
	if err := os.RemoveAll(filepath.Join(p.root, "a")); err != nil {
		t.Fatal(err)
	}
	if r := p.gate("a/a.go", "a/a_test.go"); r.Outcome != quality.Passed {
		t.Fatalf("%s\n%+v", r.Text(4000), r.Steps)
	}
}

func TestDocumentsAreNobodysPackage(t *testing.T) {
	p := goProject(t)
	p.write("README.md", "# Hello\n")
	p.write("a/testdata/x.md", "data\n")
	if r := p.gate("README.md"); r.Outcome != quality.Passed || len(r.Packages) != 0 {
		t.Errorf("README.md: %q", r.Packages)
	}
	if r := p.gate("a/testdata/x.md"); !slices.Equal(r.Packages, []string{"a"}) {
		t.Errorf("testdata: %q", r.Packages)
	}
}

func TestALinkedWorktreeIsJudgedByItself(t *testing.T) {
	p := goProject(t)
	tree := filepath.Join(t.TempDir(), "linked tree")
	p.git("worktree", "add", "-q", "-b", "other", tree)
	p.root = tree
	p.conf.Root = tree
	p.write("a/a.go", "package a\n\n// Add adds.\nfunc Add(x, y int) int { return x - y }\n")
	if r := p.gate("a/a.go"); r.Outcome != quality.Failed || !strings.Contains(r.Text(4000), "TestAdd") || len(r.Known) != 0 {
		t.Fatal(r.Text(4000))
	}
}

func TestUnformattedCodeIsAFindingOnlyIfTheSessionWroteIt(t *testing.T) {
	needs(t, "go", "git", "gofmt")
	p := newProject(t, map[string]string{
		"go.mod": "module example.com/app\n\ngo 1.21\n",
		"a/a.go": "package a\n\n// F is 1.\nfunc F() int   { return 1 }\n",
		"b/b.go": "package b\n\n// F is 1.\nfunc F() int { return 1 }\n",
	})
	p.conf.OnStop = []quality.Step{quality.Format}
	p.write("a/a.go", "package a\n\n// F is one.\nfunc F() int   { return 1 }\n")
	if r := p.gate("a/a.go"); r.Outcome != quality.Passed || len(r.Known) != 1 {
		t.Errorf("%s known %+v", r.Text(4000), r.Known)
	}
	p.write("b/b.go", "package b\n\n// F is one.\nfunc F() int   { return 1 }\n")
	if r := p.gate("b/b.go"); r.Outcome != quality.Failed || !strings.Contains(r.Text(4000), "format: b/b.go:4: not formatted") {
		t.Error(r.Text(4000))
	}
	if got := p.read("b/b.go"); !strings.Contains(got, "int   {") {
		t.Error("the gate formatted it")
	}
}

func TestOneGateAtATime(t *testing.T) {
	p := goProject(t)
	p.write("a/a.go", "package a\n\n// Add adds up.\nfunc Add(x, y int) int { return x + y }\n")
	out := make(chan *quality.Report, 3)
	for range 3 {
		go func() { out <- p.gate("a/a.go") }()
	}
	fresh := 0
	for range 3 {
		r := <-out
		if r.Outcome != quality.Passed {
			t.Error(r.Text(4000))
		}
		if slices.ContainsFunc(r.Steps, func(s quality.StepResult) bool { return s.Step == quality.Test && !s.Cached }) {
			fresh++
		}
	}
	if fresh != 1 {
		t.Errorf("%d ran the tests, want one", fresh)
	}
}

func TestAMissingLinterIsSkippedAndNamed(t *testing.T) {
	p := goProject(t)
	p.write(".golangci.yml", "version: \"2\"\n")
	if _, err := p.w.o.Proc.LookPath("golangci-lint"); err == nil {
		t.Skip("golangci-lint is on this machine")
	}
	p.write("a/a.go", "package a\n\n// Add adds.\nfunc Add(x, y int) int { return y + x }\n")
	r := p.gate("a/a.go")
	if r.Outcome != quality.Passed || len(r.Missing) != 1 || r.Missing[0].Tool != "golangci-lint" {
		t.Fatalf("%s missing %+v", r.Text(4000), r.Missing)
	}
	if m := p.w.Profile(context.Background(), p.conf).Missing; len(m) != 1 || m[0].Tool != "golangci-lint" {
		t.Errorf("profile: %+v", m)
	}
}

func TestGoFilesWithoutAModuleAreJudgedToo(t *testing.T) {
	needs(t, "go", "git")
	p := newProject(t, map[string]string{"a.go": "package a\n\nfunc F() int { return 1 }\n", "a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Error(F())\n\t}\n}\n"})
	p.write("a.go", "package a\n\nfunc F() int { return \"x\" }\n")
	if r := p.edit(quality.Edit{Path: "a.go"}); len(r.Findings) != 1 || r.Findings[0].File != "a.go" || r.Findings[0].Line != 3 {
		t.Errorf("%+v", r)
	}
	check(t, p.gate("a.go"), "a.go:3")
	p.write("a.go", "package a\n\nfunc F() int { return 2 }\n")
	check(t, p.gate("a.go"), "a_test.go:7: TestF")
	p.write("a.go", "package a\n\nfunc F() int { return 3 - 2 }\n")
	r := p.gate("a.go")
	passes(t, r)
	if !ran(r, quality.Test, 1) {
		t.Errorf("%+v", r.Steps)
	}
}

func TestAProjectWithoutGitIsJudgedWithoutABaseline(t *testing.T) {
	p := goProject(t)
	if err := os.RemoveAll(filepath.Join(p.root, ".git")); err != nil {
		t.Fatal(err)
	}
	p.write("a/a.go", "package a\n\n// Add adds.\nfunc Add(x, y int) int { return x - y }\n")
	check(t, p.gate("a/a.go"), "a/a_test.go:7: TestAdd")
	p.write("a/a.go", "package a\n\n// Add adds.\nfunc Add(x, y int) int { return y + x }\n")
	r := p.gate("a/a.go")
	passes(t, r)
	if r = p.gate("a/a.go"); !slices.ContainsFunc(r.Steps, func(s quality.StepResult) bool { return s.Step == quality.Test && s.Cached }) {
		t.Errorf("it ran again: %+v", r.Steps)
	}
}

func TestFilesThatAreNotForThisMachineAreNoFailure(t *testing.T) {
	p := goProject(t)
	p.write("gen.go", "//go:build ignore\n\npackage main\n\nfunc main() {}\n")
	p.write("win/w_windows.go", "package win\n\n// W is w.\nfunc W() int { return 1 }\n")
	p.write("a/a.go", "package a\n\n// Add adds well.\nfunc Add(x, y int) int { return x + y }\n")
	r := p.gate("gen.go", "win/w_windows.go", "a/a.go")
	if r.Outcome != quality.Passed {
		t.Fatalf("%s\n%+v", r.Text(4000), r.Steps)
	}
	// A red package beside them is still red.
	p.write("a/a.go", "package a\n\n// Add adds badly.\nfunc Add(x, y int) int { return x - y }\n")
	if r := p.gate("gen.go", "win/w_windows.go", "a/a.go"); r.Outcome != quality.Failed || len(r.Findings) != 1 {
		t.Fatal(r.Text(4000))
	}
}
