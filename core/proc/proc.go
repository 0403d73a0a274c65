// Package proc runs programs to their end: bounded in time and output, and
// with nothing of them left behind. Only Attach, for a program that a human
// works with, is without bounds.
//
// It is the only place that starts processes. It imports the standard library
// only, knows no program by name and reads no environment of its own.
package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNotFound is wrapped when there is no such program.
var ErrNotFound = errors.New("program not found")

// DefaultMaxOutput bounds each output stream of a Cmd that does not say.
const DefaultMaxOutput = 1 << 20

// linger is how long output is waited for after the program itself has ended
// or was killed: a descendant outside its process group may hold it open.
const linger = 500 * time.Millisecond

// Cmd is one run of a program. Nothing is inherited: it sees exactly this
// environment, and no terminal.
type Cmd struct {
	Argv      []string      // the program and its arguments; a bare name is looked up on Env's PATH, a relative path counts from Dir
	Path      string        // the program's file, if it is not what Argv[0] names
	Dir       string        // "" = ours
	Env       []string      // KEY=value; a later one wins
	Stdin     []byte        // nil = an empty input
	MaxOutput int           // bytes of each stream; below 1 = DefaultMaxOutput
	NoMore    bool          // a program whose standard output is longer is killed: its Result is Truncated
	Timeout   time.Duration // 0 = none but the context's
}

// Result is how a program ended.
type Result struct {
	ExitCode  int    // -1 if it did not exit by itself
	Signal    string // what killed it, "" = nothing did
	TimedOut  bool   // we killed it: Timeout or the context's deadline passed
	Stdout    []byte
	Stderr    []byte
	Truncated bool // a stream was longer than MaxOutput: its middle is left out, and a line says so
	Took      time.Duration
}

// Run runs c and waits for it. The error says why there is no result: the
// program is not there (ErrNotFound), could not start, or ctx was cancelled (a
// deadline is not an error but TimedOut). A program that fails is a Result.
//
// The program and its descendants form a group that is killed whole when time
// is up, and whatever of it is left when the program has ended. A descendant
// that leaves the group is not killed, but cannot delay Run for more than half
// a second.
func Run(ctx context.Context, c Cmd) (Result, error) {
	if len(c.Argv) == 0 {
		return Result{}, errors.New("run: no program is named")
	}
	path, err := c.program()
	if err != nil {
		return Result{}, fmt.Errorf("run %s: %w", c.Argv[0], err)
	}
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	max := c.MaxOutput
	if max < 1 {
		max = DefaultMaxOutput
	}
	stdout, stderr := newCapture(max), newCapture(max)
	if c.NoMore {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		stdout.full = func() { cancel(errNoMore) }
	}

	cmd := exec.CommandContext(ctx, path)
	cmd.Args = c.Argv
	cmd.Dir = c.Dir
	cmd.Env = append([]string{}, c.Env...)
	if c.Stdin != nil {
		cmd.Stdin = bytes.NewReader(c.Stdin)
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = linger
	g := &group{}
	g.prepare(cmd)
	var killed atomic.Bool
	cmd.Cancel = func() error {
		killed.Store(true)
		return g.kill(cmd.Process)
	}

	began := time.Now()
	if err := running.start(cmd, g); err != nil {
		return notStarted(ctx, c.Argv[0], err)
	}
	err = cmd.Wait()
	// Whether it ended well or not, nothing of it goes on behind our back.
	running.end(cmd, g)
	g.close()

	r := Result{ExitCode: cmd.ProcessState.ExitCode(), Signal: signal(cmd.ProcessState), Took: time.Since(began)}
	r.Stdout, r.Stderr = stdout.bytes(), stderr.bytes()
	r.Truncated = stdout.lost() > 0 || stderr.lost() > 0
	// On Windows a killed process looks like one that exited.
	finished := cmd.ProcessState.Exited() && runtime.GOOS != "windows"
	if killed.Load() && !finished && errors.Is(context.Cause(ctx), errNoMore) {
		r.ExitCode = -1
		return r, nil
	}
	if killed.Load() && !finished {
		if errors.Is(ctx.Err(), context.Canceled) {
			return r, fmt.Errorf("run %s: %w", c.Argv[0], ctx.Err())
		}
		r.TimedOut, r.ExitCode = true, -1
		return r, nil
	}
	var exit *exec.ExitError
	if err != nil && !killed.Load() && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return r, fmt.Errorf("run %s: %w", c.Argv[0], err)
	}
	return r, nil
}

// errNoMore ends a program that prints too much.
var errNoMore = errors.New("more output than there is room for")

// running are the programs that Run waits for, so that a process which cannot
// wait for its own goroutines leaves none of them behind.
var running programs

type programs struct {
	sync.Mutex
	groups map[*exec.Cmd]*group
	over   bool
}

var errOver = errors.New("this process is about to end")

func (r *programs) start(cmd *exec.Cmd, g *group) error {
	r.Lock()
	defer r.Unlock()
	if r.over {
		return errOver
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.started(cmd.Process)
	if r.groups == nil {
		r.groups = make(map[*exec.Cmd]*group)
	}
	r.groups[cmd] = g
	return nil
}

func (r *programs) end(cmd *exec.Cmd, g *group) {
	r.Lock()
	defer r.Unlock()
	delete(r.groups, cmd)
	g.kill(cmd.Process) //nolint:errcheck // usually nothing is left to kill
}

// Settle kills every program that Run still waits for, and lets none start any
// more: for a process that is about to end.
func Settle() {
	running.Lock()
	defer running.Unlock()
	running.over = true
	for cmd, g := range running.groups {
		g.kill(cmd.Process) //nolint:errcheck // it may have ended just now
	}
}

// notStarted tells why a program did not start.
func notStarted(ctx context.Context, name string, err error) (Result, error) {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Result{ExitCode: -1, TimedOut: true}, nil
	case errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil:
		// Also a script whose interpreter, or a Dir, that does not exist.
		err = fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return Result{}, fmt.Errorf("run %s: %w", name, err)
}

// program finds the file to run.
func (c *Cmd) program() (string, error) {
	name := c.Path
	if name == "" {
		name = c.Argv[0]
	}
	if !named(name) {
		return LookPath(name, c.lookup("PATH"))
	}
	if !filepath.IsAbs(name) && c.Dir != "" {
		name = filepath.Join(c.Dir, name)
	}
	return name, nil
}

// named reports whether name leads to a file by itself.
func named(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }) || filepath.VolumeName(name) != ""
}

// lookup returns the value that the program sees of an environment variable.
func (c *Cmd) lookup(key string) string {
	for _, pair := range slices.Backward(c.Env) {
		k, v, ok := strings.Cut(pair, "=")
		if ok && (k == key || (runtime.GOOS == "windows" && strings.EqualFold(k, key))) {
			return v
		}
	}
	return ""
}

// LookPath finds a program by its bare name in the directories of path, a PATH
// value. Relative directories are passed over: what they hold is a matter of
// where we stand, often a repository. The error wraps ErrNotFound.
func LookPath(name, path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if file, ok := executable(filepath.Join(dir, name)); ok {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s: %w on PATH", name, ErrNotFound)
}

// capture keeps the beginning and the end of what is written to it, each half
// of max bytes.
type capture struct {
	head, tail []byte
	max        int
	total      int64
	at         int    // where in a full tail the next byte goes
	full       func() // called when there is more than max; may be nil
}

func newCapture(max int) *capture { return &capture{max: max} }

func (c *capture) Write(p []byte) (int, error) {
	n := len(p)
	if c.total += int64(n); c.total > int64(c.max) && c.full != nil {
		c.full()
	}
	if room := (c.max+1)/2 - len(c.head); room > 0 {
		k := min(room, len(p))
		c.head = append(c.head, p[:k]...)
		p = p[k:]
	}
	size := c.max / 2
	if len(p) > size {
		p = p[len(p)-size:]
	}
	if room := size - len(c.tail); room > 0 {
		k := min(room, len(p))
		c.tail = append(c.tail, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		k := copy(c.tail[c.at:], p)
		c.at = (c.at + k) % size
		p = p[k:]
	}
	return n, nil
}

// lost returns how many bytes were left out.
func (c *capture) lost() int64 { return c.total - int64(len(c.head)+len(c.tail)) }

func (c *capture) bytes() []byte {
	out := c.head
	if n := c.lost(); n > 0 {
		out = append(out, "\n["+strconv.FormatInt(n, 10)+" bytes left out]\n"...)
	}
	out = append(out, c.tail[c.at:]...)
	return append(out, c.tail[:c.at]...)
}
