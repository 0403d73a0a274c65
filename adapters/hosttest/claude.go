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

// Claude is one run of Claude Code. It sees nothing of this machine but PATH:
// its environment is built here, its home is Home, its key is a dummy.
//
// Keep Home short: where Home/tmp/cc-socks/PID.sock exceeds 103 bytes, Claude
// Code 2.1.332 makes /tmp/cc-socks-UID instead and leaves it there.
type Claude struct {
	Bin     string   // the program
	Dir     string   // directory it is started in
	Home    string   // its HOME; its temporary files go to Home/tmp
	BaseURL string   // the scripted model, Server.URL
	Env     []string // KEY=VALUE, added last
	Args    []string // before the prompt
	Prompt  string   // given with -p; empty = Args are the whole command
	Stream  bool     // ask for stream-json and read it into Result.Stream
}

// Result is how a run ended.
type Result struct {
	ExitCode       int // -1 if a signal ended it
	Stdout, Stderr []byte
	Stream         []Line // only of a Claude with Stream
}

// DefaultDeadline ends a run whose context has no deadline.
const DefaultDeadline = 5 * time.Minute

// ErrDeadline is returned for a run that had to be ended.
var ErrDeadline = errors.New("deadline passed")

// Run runs c to its end and leaves no process behind: when it returns, every
// process that the run started is gone (on Linux by a mark in its environment,
// elsewhere by process group). The error tells of a run that could not be
// started, read or finished, not of an exit code.
func Run(ctx context.Context, c Claude) (Result, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, DefaultDeadline)
		defer cancel()
	}
	tmp := c.tmp()
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return Result{}, fmt.Errorf("run %s: %w", c.Bin, err)
	}
	mark := newMark()
	args := append([]string(nil), c.Args...)
	if c.Prompt != "" {
		if c.Stream {
			args = append(args, "--output-format", "stream-json", "--verbose")
		}
		args = append(args, "-p", c.Prompt)
	}
	// Files, not pipes: a process that is left running must not hold us up.
	stdout, stderr := filepath.Join(tmp, mark+".stdout"), filepath.Join(tmp, mark+".stderr")
	outFile, errFile, err := twoFiles(stdout, stderr)
	if err != nil {
		return Result{}, fmt.Errorf("run %s: %w", c.Bin, err)
	}
	cmd := exec.CommandContext(ctx, c.Bin, args...) //nolint:forbidigo // host programs are started here, with their own ending
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, outFile, errFile
	cmd.Env = append(c.Environ(), markVar+"="+mark)
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
			return r, fmt.Errorf("run %s: %w", c.Bin, rerr)
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
		return r, fmt.Errorf("run %s %s: %w\nstdout: %s\nstderr: %s", c.Bin, strings.Join(args, " "), ErrDeadline, tail(r.Stdout), tail(r.Stderr))
	case err != nil && !errors.As(err, &exit):
		return r, fmt.Errorf("run %s: %w", c.Bin, err)
	}
	if c.Stream && c.Prompt != "" {
		if r.Stream, err = ParseStream(r.Stdout); err != nil {
			return r, fmt.Errorf("run %s: %w\nstderr: %s", c.Bin, err, tail(r.Stderr))
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

// tmp is where a run's temporary files go.
func (c Claude) tmp() string { return filepath.Join(c.Home, "tmp") }

// Environ returns the whole environment of a run. It is also right for a
// program that itself starts Claude Code.
//
// The switches silence what else Claude Code 2.1.197 and 2.1.332 would send or
// fetch; the proxy is the scripted server, which refuses and records what they
// miss. IS_SANDBOX lets root use --dangerously-skip-permissions.
func (c Claude) Environ() []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + c.Home,
		"TMPDIR=" + c.tmp(),
		"CLAUDE_CODE_TMPDIR=" + c.tmp(),
		"LANG=C.UTF-8",
		"TERM=dumb",
		"SHELL=/bin/sh",
		"IS_SANDBOX=1",
		"ANTHROPIC_API_KEY=sk-ant-dummy",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_INSTALLATION_CHECKS=1",
		"DISABLE_FEEDBACK_COMMAND=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1",
		"CLAUDE_CODE_DISABLE_FEEDBACK_SURVEY=1",
	}
	if c.BaseURL != "" {
		env = append(env, "ANTHROPIC_BASE_URL="+c.BaseURL,
			"HTTP_PROXY="+c.BaseURL, "HTTPS_PROXY="+c.BaseURL, "http_proxy="+c.BaseURL, "https_proxy="+c.BaseURL,
			"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	}
	return append(env, c.Env...)
}

// tail returns the end of b, for a message.
func tail(b []byte) []byte {
	const most = 2000
	if len(b) > most {
		return b[len(b)-most:]
	}
	return b
}
