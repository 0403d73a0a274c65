package scan_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ec261362/guardrails/core/scan"
)

func TestAProgramAnswersByMatchesOrByItsCode(t *testing.T) {
	tests := []struct {
		name   string
		code   int
		stdout string
		err    error
		want   string // kind:start-end:severity, or failed
	}{
		{name: "nothing found", want: ""},
		{name: "an empty list", stdout: `{"matches":[]}`, want: ""},
		{name: "refused as it is", code: 2, want: "refused:0-12:high"},
		{name: "a match", stdout: `{"matches":[{"kind":"codename","start":4,"end":9}]}` + "\n", want: "codename:4-9:high"},
		{name: "a low match", code: 2, stdout: `{"matches":[{"kind":"tone","severity":"low"}]}`, want: "tone:0-12:low"},
		{name: "a kind that quotes the text", stdout: `{"matches":[{"kind":"the owl is 42"}]}`, want: "the-owl-is-42:0-12:high"},
		{name: "code 2 without a match", code: 2, stdout: `{}`, want: "failed"},
		{name: "another code", code: 1, want: "failed"},
		{name: "no JSON", stdout: "ok", want: "failed"},
		{name: "two values", stdout: "{} {}", want: "failed"},
		{name: "outside of the text", stdout: `{"matches":[{"kind":"x","start":4,"end":99}]}`, want: "failed"},
		{name: "backwards", stdout: `{"matches":[{"kind":"x","start":4,"end":3}]}`, want: "failed"},
		{name: "not started", err: errors.New("no such program"), want: "failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got string
				v := scan.Command("house", scan.Both, scan.High, func(_ context.Context, stdin []byte) (int, []byte, error) {
					got = string(stdin)
					return tt.code, []byte(tt.stdout), tt.err
				})
				o := scan.Run(t.Context(), scan.Payload{Text: "the owl\nflew", Path: "a/b"}, scan.Input, v)
				if want := `{"text":"the owl\nflew","path":"a/b","direction":"input"}`; got != want {
					t.Errorf("it was asked %s", got)
				}
				var said []string
				for _, f := range o.Failures {
					if f.Crashed {
						said = append(said, "failed")
					}
					for _, m := range f.Matches {
						said = append(said, m.Kind+":"+strconv.Itoa(m.Start)+"-"+strconv.Itoa(m.End)+":"+m.Severity.String())
					}
				}
				if got := strings.Join(said, " "); got != tt.want {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			})
		})
	}
}
