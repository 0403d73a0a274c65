package installer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/proc"
)

// ProbeSession starts the session id of every probe call: the hook marks these
// in its log and keeps no state for them.
const ProbeSession = "guardrails-probe-"

// shellArgv is how a host starts a handler's line.
func (c command) argv() []string {
	if c.args != nil {
		return append([]string{c.program}, c.args...)
	}
	if runtime.GOOS == "windows" {
		return []string{"bash", "-c", c.program}
	}
	return []string{"/bin/sh", "-c", c.program}
}

// judged is what an answer of ours means to a host.
type judged int

const (
	unreadable judged = iota // not an answer that the host accepts
	passes
	denies
)

// prove starts a registered command as its host would, in a cleared
// environment: once with a call that must be denied and once with one that must
// pass. Both name a temporary home and would be harmless if they ran.
func (i *Installer) prove(ctx context.Context, sampler hook.Sampler, read func([]byte) judged, c command, dir string, timeout time.Duration) error {
	home, err := os.MkdirTemp("", "guardrails-probe-")
	if err != nil {
		return fmt.Errorf("a temporary home for the proof: %w", err)
	}
	defer os.RemoveAll(home)
	if home, err = filepath.EvalSymlinks(home); err != nil {
		return err
	}
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		return err
	}
	if dir == "" {
		dir = project
	}
	session := ProbeSession + rand.Text()
	for _, probe := range []struct {
		line string
		want judged
	}{
		{"rm -rf " + singleQuote(slash(home)), denies},
		{"git status", passes},
	} {
		payload := sampler.Payload(hook.Sample{SessionID: session, Cwd: project, Command: probe.line})
		ran, err := i.env.Run(ctx, proc.Cmd{Argv: c.argv(), Dir: dir, Env: i.cleared(home), Stdin: payload, Timeout: timeout})
		if err != nil {
			return fmt.Errorf("the registered command does not run: %s: %w", c, err)
		}
		if ran.ExitCode != 0 {
			return fmt.Errorf("the registered command ends with code %d: %s: %s", ran.ExitCode, c, clip(ran))
		}
		switch got := read(ran.Stdout); {
		case got == unreadable:
			return fmt.Errorf("the registered command does not answer: %s: %s", c, clip(proc.Result{Stdout: append(ran.Stdout, ran.Stderr...)}))
		case got == passes && probe.want == denies:
			return fmt.Errorf("the registered command lets a recursive delete of a home pass: %s", c)
		case got == denies && probe.want == passes:
			return fmt.Errorf("the registered command denies git status: %s: %s", c, clip(proc.Result{Stdout: ran.Stdout}))
		}
	}
	return nil
}

func singleQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

var errNoSampler = errors.New("this host's adapter builds no payload to prove an install with")
