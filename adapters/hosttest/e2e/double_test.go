//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/adapters/hosttest"
)

// TestE2EDoubleRegistrationCountsOnce registers us twice for one session.
func TestE2EDoubleRegistrationCountsOnce(t *testing.T) {
	for _, tc := range []struct {
		name  string
		flags []string
		runs  int // how often the host runs us for one call (2.1.197 and 2.1.332, measured)
	}{
		{"project and user settings", []string{"-g"}, 1},
		{"settings and plugin", []string{"--via", "plugin"}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				w.init()
				w.init(tc.flags...)
				dir := w.sentinel("twice")
				before := len(w.log())
				s := w.play(play{turns: []hosttest.Turn{
					hosttest.Use(bash("rm -rf " + dir)),
					hosttest.Use(write(w.path("once.txt"), "text\n")),
					hosttest.Say("Done."),
				}})
				r := s.results(t, mainPart, 2)
				w.denied(r[0])
				w.ran(r[1])
				w.stands(dir)
				if got := s.hooks()["PreToolUse"]; got != 2*tc.runs {
					t.Errorf("the host ran %d PreToolUse hooks, want %d", got, 2*tc.runs)
				}
				denials := 0
				var rule string
				for _, l := range w.log()[before:] {
					if l.Decision == "deny" {
						denials++
						rule = l.Rule
					}
				}
				if denials != tc.runs {
					t.Errorf("%d denials in the log, want %d", denials, tc.runs)
				}
				if n := strings.Count(r[0].Text, rule+": "); rule == "" || n != 1 {
					t.Errorf("the model was told %d denials:\n%s", n, r[0].Text)
				}
				if got := strings.Join(w.touched(s.id), " "); got != "once.txt" {
					t.Errorf("touched: %s", got)
				}
				if end, ok := s.Final(); !ok || end.Result != "Done." {
					t.Errorf("the session ended with %+v", end)
				}
			})
		})
	}
}
