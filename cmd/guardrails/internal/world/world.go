// Package world is what gates may do beside reading files: run programs
// and ask services.
// The small hook process is built without it.
package world

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/proc"
)

// Programs runs programs with this environment and without a terminal.
func Programs(environ []string) gate.Proc { return programs{environ} }

type programs struct{ environ []string }

func (p programs) Run(ctx context.Context, c gate.Command) (gate.Exit, error) {
	r, err := proc.Run(ctx, proc.Cmd{
		Argv: c.Argv, Dir: c.Dir, Stdin: c.Stdin, MaxOutput: c.MaxOutput, NoMore: c.NoMore, Timeout: c.Timeout,
		Env: append(append(make([]string, 0, len(p.environ)+len(c.Env)), p.environ...), c.Env...),
	})
	if err != nil {
		return gate.Exit{}, missing(err)
	}
	return gate.Exit{
		Code: r.ExitCode, Signal: r.Signal, TimedOut: r.TimedOut,
		Stdout: r.Stdout, Stderr: r.Stderr, Truncated: r.Truncated, Took: r.Took,
	}, nil
}

func (p programs) LookPath(name string) (string, error) {
	path := ""
	for _, kv := range p.environ {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
	}
	file, err := proc.LookPath(name, path)
	return file, missing(err)
}

func missing(err error) error {
	if errors.Is(err, proc.ErrNotFound) {
		return fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	}
	return err
}
