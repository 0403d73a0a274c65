package house

import (
	"bufio"
	"bytes"
	"cmp"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/linked.txt and testdata/init.txt")

var scratch string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		var err error
		if scratch, err = os.MkdirTemp("", "house"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(scratch)
		return m.Run()
	}())
}

var built = sync.OnceValues(func() (string, error) {
	dir, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(scratch, "guardrails")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	_, err = run(dir, []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, "./cmd/guardrails")
	return bin, err
})

// binary builds what answers `guardrails hook`, as a release does, once per
// test run.
func binary(t *testing.T) string {
	t.Helper()
	bin, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// TestLinkedPackagesAreAsCommitted makes a new dependency a visible decision:
// one line for each package of others that the binary links, with those who
// import it.
func TestLinkedPackagesAreAsCommitted(t *testing.T) {
	for program, golden := range map[string]string{"cmd/guardrails": "linked.txt", "cmd/guardrails/guardrails-full": "linked-full.txt"} {
		t.Run(filepath.Base(program), func(t *testing.T) { testLinked(t, program, filepath.Join("testdata", golden)) })
	}
}

func testLinked(t *testing.T, program, golden string) {
	tr := load(t)
	importers := map[string][]string{}
	linked := tr.linked(program)
	for _, name := range linked {
		for _, imp := range tr.all[name].imports {
			importers[imp] = append(importers[imp], name)
		}
	}
	var out strings.Builder
	for _, name := range linked {
		p := tr.all[name]
		if p.standard || tr.ours[name] != nil {
			continue
		}
		fmt.Fprintf(&out, "%s <- %s", name, strings.Join(importers[name], ", "))
		if len(p.systems) < len(systems) {
			fmt.Fprintf(&out, " [%s]", strings.Join(p.systems, ", "))
		}
		out.WriteByte('\n')
	}
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	old, now := lines(string(want)), lines(out.String())
	for _, l := range now {
		if !slices.Contains(old, l) {
			t.Errorf("new: %s", l)
		}
	}
	for _, l := range old {
		if !slices.Contains(now, l) {
			t.Errorf("gone: %s", l)
		}
	}
	if t.Failed() {
		t.Log("if that is meant: make deps")
	}
}

// An initCost is what a package did before main.
type initCost struct {
	name          string
	bytes, allocs int
}

// TestInitStaysWithinItsBudget runs the built binary on a tool call and sums
// what all packages allocate before main. Every call pays it.
func TestInitStaysWithinItsBudget(t *testing.T) {
	bin := binary(t)
	home := t.TempDir()
	cmd := exec.Command(bin, "hook", "--agent", "claude")
	cmd.Dir = home
	cmd.Env = []string{"GODEBUG=inittrace=1", "HOME=" + home, "USERPROFILE=" + home, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	cmd.Stdin = strings.NewReader(`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"` + filepath.ToSlash(home) + `","tool_name":"Bash","tool_input":{"command":"git status"}}`)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	costs, err := parseInitTrace(stderr.String())
	if err != nil {
		t.Fatal(err)
	}
	var sum initCost
	for _, c := range costs {
		sum.bytes += c.bytes
		sum.allocs += c.allocs
	}

	golden := filepath.Join("testdata", "init.txt")
	if *update {
		// Head room of a tenth, so that a new Go release is not a failure.
		text := fmt.Sprintf("bytes %d\nallocs %d\n", roundUp(sum.bytes*11/10, 1024), roundUp(sum.allocs*11/10, 10))
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var budget initCost
	if _, err := fmt.Sscanf(string(text), "bytes %d\nallocs %d\n", &budget.bytes, &budget.allocs); err != nil {
		t.Fatalf("%s: %v", golden, err)
	}
	t.Logf("%d bytes of %d, %d allocations of %d, in %d packages", sum.bytes, budget.bytes, sum.allocs, budget.allocs, len(costs))
	if sum.bytes <= budget.bytes && sum.allocs <= budget.allocs {
		return
	}
	t.Errorf("before main the binary allocates %d bytes in %d allocations; %s allows %d in %d. By package:",
		sum.bytes, sum.allocs, golden, budget.bytes, budget.allocs)
	slices.SortFunc(costs, func(a, b initCost) int { return cmp.Compare(b.bytes, a.bytes) })
	for _, c := range costs {
		if c.bytes > 0 {
			t.Logf("%8d bytes %6d allocs  %s", c.bytes, c.allocs, c.name)
		}
	}
}

// parseInitTrace reads the lines of GODEBUG=inittrace=1:
//
//	init errors @0.1 ms, 0.004 ms clock, 0 bytes, 0 allocs
func parseInitTrace(text string) ([]initCost, error) {
	var costs []initCost
	for sc := bufio.NewScanner(strings.NewReader(text)); sc.Scan(); {
		f := strings.Fields(sc.Text())
		if len(f) != 11 || f[0] != "init" || f[8] != "bytes," || f[10] != "allocs" {
			continue
		}
		b, err1 := strconv.Atoi(f[7])
		a, err2 := strconv.Atoi(f[9])
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("%q: %w", sc.Text(), err)
		}
		costs = append(costs, initCost{f[1], b, a})
	}
	if len(costs) == 0 {
		return nil, fmt.Errorf("no init line in:\n%s", text)
	}
	return costs, nil
}

func TestInitTraceIsRead(t *testing.T) {
	got, err := parseInitTrace("init errors @0.97 ms, 0.012 ms clock, 0 bytes, 0 allocs\nnoise\n" +
		"init unicode @1.5 ms, 0.030 ms clock, 11400 bytes, 16 allocs\n")
	want := []initCost{{"errors", 0, 0}, {"unicode", 11400, 16}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if _, err := parseInitTrace("nothing of the kind\n"); err == nil {
		t.Error("a trace without a line is accepted")
	}
}

func TestNothingOfOthersUsesCgo(t *testing.T) {
	tr := load(t)
	for name, p := range tr.all {
		if p.cgo && !p.standard {
			t.Errorf("%s has cgo files", name)
		}
	}
}

func TestBinaryIsStatic(t *testing.T) {
	bin := binary(t)
	info, err := buildinfo.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if settings["CGO_ENABLED"] != "0" {
		t.Errorf("built with CGO_ENABLED=%s", settings["CGO_ENABLED"])
	}
	if runtime.GOOS != "linux" {
		return
	}
	f, err := elf.Open(bin)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, prog := range f.Progs {
		if prog.Type == elf.PT_INTERP {
			t.Error("the binary asks for a dynamic loader")
		}
	}
	if libs, err := f.ImportedLibraries(); err != nil || len(libs) > 0 {
		t.Errorf("the binary wants libraries %v (%v)", libs, err)
	}
}

func lines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
