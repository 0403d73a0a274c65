package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
)

// linesOf reads command lines from a file of testdata: one a line, or several
// lines between two of %%. Empty lines and those that begin with # are left
// out.
func linesOf(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	seen := map[string]bool{}
	add := func(line string) {
		if seen[line] {
			t.Errorf("%s: twice: %s", name, line)
		}
		seen[line] = true
		out = append(out, line)
	}
	var block []string
	inside := false
	for l := range strings.SplitSeq(string(data), "\n") {
		switch {
		case l == "%%":
			if inside {
				add(strings.Join(block, "\n"))
			}
			block, inside = nil, !inside
		case inside:
			block = append(block, l)
		case l != "" && l[0] != '#':
			add(l)
		}
	}
	if inside {
		t.Fatalf("%s: a block is not closed", name)
	}
	return out
}

func TestOrdinaryWorkPasses(t *testing.T) {
	lines := linesOf(t, "ordinary.txt")
	if len(lines) < 300 {
		t.Errorf("only %d lines", len(lines))
	}
	s := testSettings()
	s.Packs = nil
	for _, l := range lines {
		if v := judgeEvent(t, s, world(), shellEvent(testRoot, testRoot, l)); v.Decision != hook.Pass {
			t.Errorf("%s\n\t%s %s\n\t%s", l, v.Decision, v.Rule, firstLine(v.Reason))
		}
	}
}

func TestDisguisesAreSeen(t *testing.T) {
	lines := linesOf(t, "disguises.txt")
	if len(lines) < 150 {
		t.Errorf("only %d lines", len(lines))
	}
	s := testSettings()
	s.Packs = nil
	for _, l := range lines {
		want := hook.Deny
		l, asks := strings.CutPrefix(l, "? ")
		if asks {
			want = hook.Ask
		}
		if v := judgeEvent(t, s, world(), shellEvent(testRoot, testRoot, l)); v.Decision.Rank() < want.Rank() {
			t.Errorf("%s\n\t%s %s, want %s", l, v.Decision, v.Rule, want)
		}
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
