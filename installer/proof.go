package installer

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/proc"
	"github.com/ec261362/guardrails/installer/jsonedit"
)

// ProbeSession starts the session id of every probe call: the hook marks these
// in its log and keeps no state for them.
const ProbeSession = "guardrails-probe-"

// argv is how a host starts a handler's command.
func (c command) argv() []string {
	if c.args != nil {
		return append([]string{c.program}, c.args...)
	}
	switch {
	case c.shell != "":
		return []string{c.shell, "-c", c.program}
	case runtime.GOOS == "windows":
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

// speech is how one host talks with a hook, as far as a proof needs it.
type speech struct {
	adapter  hook.Adapter
	decision []string // where an answer to a call says "deny"
	shell    string   // that the host runs a line with; "" = the system's
}

// read reads an answer to the given payload as the host does: one JSON object
// and nothing else, or nothing where that is the host's neutral answer.
func (s speech) read(event string, payload, stdout []byte) judged {
	ev, err := s.adapter.Decode(event, payload)
	if err != nil {
		return unreadable
	}
	neutral := bytes.TrimSpace(s.adapter.Encode(ev, hook.Verdict{}).Stdout)
	stdout = bytes.TrimSpace(stdout)
	switch {
	case len(stdout) > 0:
	case len(neutral) == 0:
		return passes
	default:
		return unreadable
	}
	said, ok := s.said(stdout)
	if !ok {
		return unreadable
	}
	usual, _ := s.said(neutral)
	switch said {
	case "deny":
		return denies
	case usual:
		return passes
	default:
		return unreadable
	}
}

// said is the decision in an answer; ok is false if it is not one JSON object.
func (s speech) said(answer []byte) (decision string, ok bool) {
	var v any
	if json.Unmarshal(answer, &v) != nil {
		return "", false
	}
	if _, ok = v.(map[string]any); !ok {
		return "", false
	}
	for _, key := range s.decision {
		m, isObject := v.(map[string]any)
		if !isObject {
			return "", true
		}
		v = m[key]
	}
	decision, _ = v.(string)
	return decision, true
}

// command is what a handler runs, as it stands in the file.
func (s speech) command(h jsonedit.Node) command {
	c := command{program: h.Get("command").Text(), shell: s.shell}
	if args := h.Get("args"); args.Kind() == jsonedit.ArrayKind {
		c.args = []string{}
		for n := range args.Len() {
			c.args = append(c.args, args.Index(n).Text())
		}
	}
	return c
}

// prove starts a registered command as its host would, in a cleared
// environment: once with a call that must be denied and once with one that must
// pass. Both name a temporary home and would be harmless if they ran. A command
// that is registered for another event only, because it names that event, must
// give that event's neutral answer. dir is where the host starts it; "" = in a
// temporary project.
func (i *Installer) prove(ctx context.Context, s speech, c command, w hook.Wiring, dir string) error {
	sampler, ok := s.adapter.(hook.Sampler)
	if !ok {
		return errNoSampler
	}
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
		ev, err := s.adapter.Decode(w.Event, payload)
		if err != nil {
			return fmt.Errorf("the payload of the proof: %w", err)
		}
		if ev.Name != hook.PreToolUse && probe.want == denies {
			continue
		}
		ran, err := i.env.Run(ctx, proc.Cmd{Argv: c.argv(), Dir: dir, Env: i.cleared(home), Stdin: payload, Timeout: time.Duration(w.Timeout) * time.Second})
		if err != nil {
			return fmt.Errorf("the registered command does not run: %s: %w", c, err)
		}
		if ran.ExitCode != 0 {
			return fmt.Errorf("the registered command ends with code %d: %s: %s", ran.ExitCode, c, clip(ran))
		}
		switch got := s.read(w.Event, payload, ran.Stdout); {
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
