package popular

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ec261362/guardrails/core/deps/coord"
)

// TestCorpus prints recall and false alarms on case files. It runs only when
// GUARDRAILS_CASES names a folder with packages.jsonl and
// packages_popular.jsonl.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("GUARDRAILS_CASES")
	if dir == "" {
		t.Skip("GUARDRAILS_CASES is not set")
	}
	for _, file := range []string{"packages", "packages_popular"} {
		f, err := os.Open(filepath.Join(dir, file+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		type sum struct{ n, flagged, right, unknown int }
		sums := map[string]*sum{}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			var c struct{ Input, Expected, Ecosystem, Target, Kind string }
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			e := map[string]coord.Ecosystem{"npm": coord.NPM, "pypi": coord.PyPI, "go": coord.Go, "rubygems": coord.RubyGems}[c.Ecosystem]
			key := c.Expected + " " + c.Kind + " " + c.Ecosystem
			if c.Target != "" && !Popular(e, c.Target) {
				key += " (target off the list)"
			}
			s := sums[key]
			if s == nil {
				s = &sum{}
				sums[key] = s
			}
			s.n++
			got := Near(e, c.Input)
			if len(got) > 0 {
				s.flagged++
			}
			if slices.Contains(got, coord.Canonical(e, c.Target)) {
				s.right++
			} else if c.Expected == "detect" && os.Getenv("GUARDRAILS_CASES_ALL") != "" {
				fmt.Println("MISS", c.Ecosystem, c.Input, "->", c.Target, "got", got)
			}
			if c.Expected == "not" {
				if len(got) > 0 {
					fmt.Println("FLAGGED", c.Ecosystem, c.Input, got)
				}
				if names := list(e); names != "" {
					if got := near(names, e, coord.Canonical(e, c.Input), coord.Canonical(e, c.Input)); len(got) > 0 {
						s.unknown++
						if os.Getenv("GUARDRAILS_CASES_ALL") != "" {
							fmt.Println("  as if unknown", c.Ecosystem, c.Input, got)
						}
					}
				}
			}
		}
		_ = f.Close()
		for k, s := range sums {
			fmt.Printf("%-20s %-60s n=%d flagged=%d right=%d as-if-unknown=%d\n", file, k, s.n, s.flagged, s.right, s.unknown)
		}
	}
}
