package hosttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// This file and those of Antigravity and Muse play hosts whose programs are
// closed: they load a registration, run the registered command line, and read
// the answer as the host is known to. Each rule names its source and how far
// that can be trusted; nothing of it was measured by us.

// Handler is one registered command, as a host loaded it.
type Handler struct {
	Event   string
	Matcher string // "" = every tool
	Command string
	Timeout int // seconds
}

// Reply is what a hook process did.
type Reply struct {
	Stdout, Stderr []byte
	Exit           int
	TimedOut       bool
}

// Effect is what a host makes of a reply.
type Effect struct {
	// Failed says why the host counts the hook as failed, "" if it does not.
	// What a failure means is in Blocked.
	Failed string
	// Blocked says that the call does not run, the turn goes on, or the result is
	// shown to the model as a problem.
	Blocked bool
	Reason  string          // what the model is told of Blocked
	Asked   bool            // the user is asked, or the call just runs, by the host's mode
	Input   json.RawMessage // the whole input that runs instead, nil = the original
	Context []string        // what the model reads besides
	Ignored []string        // members that are accepted and change nothing
}

// Run runs a handler as the closed hosts do: its whole text through a shell,
// the payload on standard input.
func (h Handler) Run(ctx context.Context, dir string, env []string, payload []byte) (Reply, error) {
	limit, cancel := context.WithTimeout(ctx, time.Duration(h.Timeout)*time.Second)
	defer cancel()
	cmd := exec.CommandContext(limit, "sh", "-c", h.Command) //nolint:forbidigo // it stands for the host's own start of a hook
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, bytes.NewReader(payload)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	r := Reply{Stdout: out.Bytes(), Stderr: errOut.Bytes(), TimedOut: errors.Is(limit.Err(), context.DeadlineExceeded)}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		r.Exit = exit.ExitCode()
	case err != nil:
		return r, fmt.Errorf("run %q: %w", h.Command, err)
	}
	return r, nil
}

// object reads exactly one JSON object.
func object(b []byte) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	var m map[string]json.RawMessage
	if err := dec.Decode(&m); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, errors.New("null is no object")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return m, nil
}

// words reads a JSON string, "" for anything else.
func words(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return strings.TrimSpace(s)
}

// unknown returns the first member that is not among known, "" if there is none.
func unknown(m map[string]json.RawMessage, known ...string) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if !slices.Contains(known, k) {
			return k
		}
	}
	return ""
}
