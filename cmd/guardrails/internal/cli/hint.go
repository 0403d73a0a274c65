package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/ec261362/guardrails/core/fsx"
)

// hint says once a day, on standard error, which installs have stopped working:
// no agent tells its user when a hook is gone. A mark in the state home keeps
// the day; where it cannot be kept, nothing is said rather than each time.
func (a *app) hint(ctx context.Context) {
	today := a.now().UTC().Format("2006-01-02")
	mark := filepath.Join(a.state, "hinted")
	if was, err := fsx.ReadFile(mark, 64); err == nil && strings.TrimSpace(string(was)) == today {
		return
	}
	in, err := a.installer()
	if err != nil {
		return
	}
	hints := in.Hints(ctx)
	if len(hints) == 0 {
		return
	}
	if err := fsx.WriteFile(mark, []byte(today+"\n"), 0o600); err != nil {
		return
	}
	for _, h := range hints {
		a.hintf("%s; guardrails doctor tells more", h)
	}
}
