package hosttest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Result is how a run ended.
type Result struct {
	ExitCode       int // -1 if a signal ended it
	Stdout, Stderr []byte
	Stream         []Line // only of a run with Stream
}

// DefaultDeadline ends a run whose context has no deadline.
const DefaultDeadline = 5 * time.Minute

// ErrDeadline is returned for a run that had to be ended.
var ErrDeadline = errors.New("deadline passed")

// Host is one run of a host program: a Claude or a Gemini.
type Host interface {
	// Environ returns the whole environment of the run.
	Environ() []string

	invocation() (invocation, error)
}

// invocation is what a run comes down to.
type invocation struct {
	bin, dir string
	tmp      string // an existing folder, for what the run prints
	args     []string
	stream   bool // it prints stream-json
}

// Run runs h to its end and leaves no process behind: when it returns, every
// process that the run started is gone (on Linux by a mark in its environment,
// elsewhere by process group). The error tells of a run that could not be
// started, read or finished, not of an exit code.
func Run(ctx context.Context, h Host) (Result, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, DefaultDeadline)
		defer cancel()
	}
	in, err := h.invocation()
	if err != nil {
		return Result{}, fmt.Errorf("run %s: %w", in.bin, err)
	}
	mark := newMark()
	// Files, not pipes: a process that is left running must not hold us up.
	stdout, stderr := filepath.Join(in.tmp, mark+".stdout"), filepath.Join(in.tmp, mark+".stderr")
	outFile, errFile, err := twoFiles(stdout, stderr)
	if err != nil {
		return Result{}, fmt.Errorf("run %s: %w", in.bin, err)
	}
	cmd := exec.CommandContext(ctx, in.bin, in.args...) //nolint:forbidigo // host programs are started here, with their own ending
	cmd.Dir, cmd.Stdout, cmd.Stderr = in.dir, outFile, errFile
	cmd.Env = append(h.Environ(), markVar+"="+mark)
	group(cmd)
	err = cmd.Run()
	endGroup(cmd)
	endMarked(mark)
	_, _ = outFile.Close(), errFile.Close() // written by the child, not by us

	r := Result{ExitCode: -1}
	for _, f := range []struct {
		name string
		to   *[]byte
	}{{stdout, &r.Stdout}, {stderr, &r.Stderr}} {
		b, rerr := os.ReadFile(f.name)
		if rerr != nil {
			return r, fmt.Errorf("run %s: %w", in.bin, rerr)
		}
		*f.to = b
		_ = os.Remove(f.name) // Home is the caller's to remove
	}
	if cmd.ProcessState != nil {
		r.ExitCode = cmd.ProcessState.ExitCode()
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return r, fmt.Errorf("run %s %s: %w\nstdout: %s\nstderr: %s", in.bin, strings.Join(in.args, " "), ErrDeadline, tail(r.Stdout), tail(r.Stderr))
	case err != nil && !errors.As(err, &exit):
		return r, fmt.Errorf("run %s: %w", in.bin, err)
	}
	if in.stream {
		if r.Stream, err = ParseStream(r.Stdout); err != nil {
			return r, fmt.Errorf("run %s: %w\nstderr: %s", in.bin, err, tail(r.Stderr))
		}
	}
	return r, nil
}

func twoFiles(a, b string) (*os.File, *os.File, error) {
	fa, err := os.OpenFile(a, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, err
	}
	fb, err := os.OpenFile(b, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		_ = fa.Close()
		return nil, nil, err
	}
	return fa, fb, nil
}

// markVar is a variable that every process of a run inherits.
const markVar = "HOSTTEST_RUN"

func newMark() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// tail returns the end of b, for a message.
func tail(b []byte) []byte {
	const most = 2000
	if len(b) > most {
		return b[len(b)-most:]
	}
	return b
}
