//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/adapters/hosttest"
)

// TestE2EOneSession is one session with a bit of everything.
func TestE2EOneSession(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		plain, first, second, watched := w.sentinel("plain"), w.sentinel("first"), w.sentinel("second"), w.sentinel("watched")
		before := len(w.log())
		turns := []hosttest.Turn{
			hosttest.Use(bash("rm -rf " + plain)),
			hosttest.Use(bash("git status")),
			hosttest.Use(bash("rm -rf "+first), bash("echo beside"), bash("cd "+w.home+" && rm -rf precious/second")),
			hosttest.Use(write(w.path("src/new.txt"), "text\n")),
			hosttest.Use(bash("false")),
		}
		if w.version == current {
			turns = append(turns, hosttest.Use(monitor("rm -rf "+watched)))
		}
		s := w.play(play{turns: append(turns, hosttest.Say("All done."))})
		n := 7
		if w.version == current {
			n++
		}
		r := s.results(t, mainPart, n)

		w.sub("a denied delete never ran and the model saw why", func(t *testing.T, w *world) {
			w.denied(r[0])
			w.stands(plain)
		})
		w.sub("git status ran", func(t *testing.T, w *world) {
			w.ran(r[1])
			if !strings.Contains(r[1].Text, "On branch") {
				t.Errorf("it said %q", r[1].Text)
			}
		})
		w.sub("calls of one message are judged each", func(t *testing.T, w *world) {
			w.denied(r[2])
			w.ran(r[3])
			w.denied(r[4])
			w.stands(first)
			w.stands(second)
		})
		w.sub("a write ran and the session names its path", func(t *testing.T, w *world) {
			w.ran(r[5])
			if got := w.touched(s.id); !slices.Equal(got, []string{"src/new.txt"}) {
				t.Errorf("touched: %q", got)
			}
		})
		w.sub("a command that fails is only that", func(t *testing.T, w *world) {
			if !r[6].IsError || !strings.Contains(r[6].Text, "Exit code 1") || strings.Contains(r[6].Text, "hook") {
				t.Errorf("the model was told %q", r[6].Text)
			}
		})
		if w.version == current {
			w.sub("a Monitor command is judged", func(t *testing.T, w *world) {
				w.denied(r[7])
				w.stands(watched)
			})
		}
		w.sub("Stop passes silently", func(t *testing.T, w *world) {
			if end, ok := s.Final(); !ok || end.IsError || end.Result != "All done." {
				t.Errorf("the session ended with %+v", end)
			}
			if got, want := len(s.server.Turns(mainPart)), len(turns)+1; got != want {
				t.Errorf("the model was asked %d times, want %d", got, want)
			}
			if s.hooks()["Stop"] != 1 {
				t.Errorf("hooks: %v", s.hooks())
			}
		})
		w.sub("the log has one line for every call of a hook", func(t *testing.T, w *world) {
			ran := s.hooks()
			ran["SessionEnd"]++ // after the host's last line
			got := map[string]int{}
			for _, l := range w.log()[before:] {
				got[l.Event]++
				if l.Host != "claude" || l.Lapse != "" {
					t.Errorf("line %+v", l)
				}
			}
			for event := range ran {
				if got[event] != ran[event] {
					t.Errorf("%s: %d lines for %d calls", event, got[event], ran[event])
				}
			}
			if len(got) != len(ran) {
				t.Errorf("the log has %v, the host ran %v", got, ran)
			}
		})
	})
}

// TestE2ENoModeGoesRoundUs has a delete refused whatever the host would let
// pass by itself.
func TestE2ENoModeGoesRoundUs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		for _, tc := range []struct {
			name string
			args []string
		}{
			{"skipped permissions", []string{"--dangerously-skip-permissions"}},
			{"bypassPermissions", []string{"--permission-mode", "bypassPermissions"}},
			{"an allow rule", []string{"--permission-mode", "default", "--allowedTools", "Bash"}},
			{"acceptEdits", []string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash"}},
			{"dontAsk", []string{"--permission-mode", "dontAsk", "--allowedTools", "Bash"}},
			{"auto", []string{"--permission-mode", "auto", "--allowedTools", "Bash"}},
		} {
			w.sub(tc.name, func(t *testing.T, w *world) {
				dir := w.sentinel("mode")
				s := w.play(play{turns: []hosttest.Turn{
					hosttest.Use(bash("rm -rf " + dir)),
					hosttest.Use(bash("echo passes")),
					hosttest.Say("Done."),
				}, args: tc.args})
				r := s.results(t, mainPart, 2)
				w.denied(r[0])
				w.ran(r[1])
				w.stands(dir)
				t.Logf("the host's mode: %s", s.Find("system", "init")[0].Mode)
			})
		}
	})
}

// TestE2EAResumedSessionGoesOn takes up a session where it ended.
func TestE2EAResumedSessionGoesOn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		turns := []hosttest.Turn{hosttest.Use(write(w.path("a.txt"), "a\n")), hosttest.Say("So far.")}
		first := w.play(play{turns: turns})
		dir := w.sentinel("resumed")
		turns = append(turns, hosttest.Use(bash("rm -rf "+dir)), hosttest.Use(write(w.path("b.txt"), "b\n")), hosttest.Say("Done."))
		second := w.play(play{turns: turns, args: []string{"--resume", first.id}})
		if second.id != first.id {
			t.Errorf("session %s became %s", first.id, second.id)
		}
		r := second.results(t, mainPart, 3)
		w.denied(r[1])
		w.ran(r[2])
		w.stands(dir)
		if got := w.touched(first.id); !slices.Equal(got, []string{"a.txt", "b.txt"}) {
			t.Errorf("touched: %q", got)
		}
	})
}
