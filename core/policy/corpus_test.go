package policy

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/core/hook"
)

// TestCorpus prints how the guards do on case files. It runs only when
// GUARDRAILS_CASES names a folder with shell.jsonl, issues.jsonl or
// policies.jsonl; GUARDRAILS_CASES_ALL=1 also lists misses of disputed tiers, and
// GUARDRAILS_PACKS=cloud,database,… switches optional packs on (all = every one).
func TestCorpus(t *testing.T) {
	dir := os.Getenv("GUARDRAILS_CASES")
	if dir == "" {
		t.Skip("GUARDRAILS_CASES is not set")
	}
	all := os.Getenv("GUARDRAILS_CASES_ALL") != ""
	base := t.TempDir()
	root, home := filepath.Join(base, "p"), filepath.Join(base, "h")
	for _, d := range []string{root, home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := Settings{
		Home: home, StateHome: filepath.Join(home, ".guardrails"),
		LiveFiles: []hook.LiveFile{
			{Path: filepath.Join(root, ".claude/settings.json"), Switches: claudeSwitches, Entries: true},
			{Path: filepath.Join(root, ".claude/settings.local.json"), Switches: claudeSwitches, Entries: true},
			{Path: filepath.Join(home, ".claude/settings.json"), Switches: claudeSwitches, Entries: true},
		},
		Packs: strings.Fields(strings.ReplaceAll(os.Getenv("GUARDRAILS_PACKS"), ",", " ")),
	}
	type tally struct{ ok, n int }
	for _, name := range []string{"shell", "issues", "policies"} {
		f, err := os.Open(filepath.Join(dir, name+".jsonl"))
		if err != nil {
			continue
		}
		sums := map[string]*tally{}
		var took []time.Duration
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 1<<24)
		for sc.Scan() {
			var c struct {
				ID, Input, Expected, Tier, Kind, Field, Policy, Rule, Level string
			}
			if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			if c.Expected == "" {
				continue
			}
			var events []*hook.Event
			switch {
			case c.Kind == "file_path" || c.Field == "file_path":
				events = append(events, toolEvent(root, root, "Read", map[string]any{"file_path": c.Input}),
					toolEvent(root, root, "Write", map[string]any{"file_path": c.Input}))
			case c.Field == "content" || c.Field == "output":
				continue
			default:
				events = append(events, shellEvent(root, root, c.Input))
			}
			var v hook.Verdict
			for _, e := range events {
				start := time.Now()
				got := judgeEvent(t, s, osFS{}, e)
				took = append(took, time.Since(start))
				if got.Decision.Rank() > v.Decision.Rank() {
					v = got
				}
			}
			blocked := v.Decision.Rank() >= hook.Ask.Rank()
			want := c.Expected != "allow"
			group := c.Tier + c.Kind + c.Policy + " " + c.Expected
			if sums[group] == nil {
				sums[group] = &tally{}
			}
			sums[group].n++
			if blocked == want {
				sums[group].ok++
			} else if all || c.Tier == "" || c.Tier == "agreed" {
				fmt.Printf("MISS %s %-8s want %-5s got %-4s %-36s %.200q %s %s\n", name, c.Tier, c.Expected, v.Decision, v.Rule, c.Input, c.Rule+c.Policy, c.Level)
			}
		}
		_ = f.Close()
		keys := make([]string, 0, len(sums))
		for k := range sums {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			fmt.Printf("%-9s %-48s %d/%d\n", name, k, sums[k].ok, sums[k].n)
		}
		slices.Sort(took)
		if n := len(took); n > 0 {
			fmt.Printf("%-9s p50 %v p95 %v max %v\n", name, took[n/2], took[n*95/100], took[n-1])
		}
	}
}
