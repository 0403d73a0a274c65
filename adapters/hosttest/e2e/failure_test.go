//go:build e2e

package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/adapters/hosttest"
)

// TestE2EAMissingBinaryBlocksWhereTheHostCan takes our binary away behind the
// host's back. onFailure holds the call since 2.1.295; before that the host
// goes on without us, which is why doctor and init warn about old versions.
func TestE2EAMissingBinaryBlocksWhereTheHostCan(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		for _, tc := range []struct {
			name string
			harm func() error
		}{
			{"not executable", func() error { return os.Chmod(w.installed(), 0o644) }},
			{"gone", func() error { return os.Remove(w.installed()) }},
		} {
			w.sub(tc.name, func(t *testing.T, w *world) {
				if err := tc.harm(); err != nil {
					t.Fatal(err)
				}
				proof := w.path("ran-while-" + strings.ReplaceAll(tc.name, " ", "-"))
				s := w.play(play{turns: []hosttest.Turn{hosttest.Use(bash("touch " + proof)), hosttest.Say("Done.")}})
				r := s.results(t, mainPart, 1)[0]
				_, ran := w.read(proof)
				if want := w.version == floor; ran != want || r.IsError == want {
					t.Errorf("ran: %v, want %v; the model was told %q", ran, want, r.Text)
				}
				if w.version == current && !strings.Contains(r.Text, w.installed()) {
					t.Errorf("the model was not told which hook failed: %q", r.Text)
				}
				// Stop never waits for us, so the person is not locked in.
				if end, ok := s.Final(); !ok || end.IsError || end.Result != "Done." {
					t.Errorf("the session ended with %+v", end)
				}
			})
		}
	})
}

// TestE2EAnAPIErrorIsNotOurs has the model's server fail in between.
func TestE2EAnAPIErrorIsNotOurs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		dir := w.sentinel("retried")
		refused := hosttest.Use(bash("rm -rf " + dir))
		refused.Error = &hosttest.APIError{Status: 529, Type: "overloaded_error", Message: "busy", Times: 1}
		s := w.play(play{turns: []hosttest.Turn{refused, hosttest.Say("Done.")}})
		w.denied(s.results(t, mainPart, 1)[0])
		w.stands(dir)
		if first := s.server.Turns(mainPart)[0]; first.Status != 529 {
			t.Errorf("the first answer was %d", first.Status)
		}
	})
}
