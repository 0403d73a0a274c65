// Package hookcmd is the hook lane: what an installed entry runs. It is
// dispatched before the command tree exists and never exits with anything but
// 0: a host reads other codes in its own way.
package hookcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/judge"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/tidy"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/version"
	"github.com/ec261362/guardrails/core/audit"
	"github.com/ec261362/guardrails/core/config/tree"
	"github.com/ec261362/guardrails/core/engine"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/quality"
	"github.com/ec261362/guardrails/core/session"
)

const usage = `usage: guardrails hook --agent HOST [EVENT] [--home DIR]

The entry that init registers with a host. It reads one JSON payload from
standard input, prints the host's form of a verdict on standard output and
always exits 0. To see what would be decided: guardrails check --help
`

// options are the lane's arguments.
type options struct {
	agent string
	event string
	home  string // state home, "" = default
	since int64  // when the call began, Unix nanoseconds: another process handed it over
	help  bool
	bad   []string // arguments that mean nothing to us
}

// parseArgs reads the frozen forms: hook --agent HOST [EVENT] [--home DIR], and
// for ever the older hook HOST and hook EVENT. It never fails.
func parseArgs(args []string) options {
	var o options
	value := func(i *int, name string) string {
		if _, v, ok := strings.Cut(args[*i], "="); ok && strings.HasPrefix(args[*i], name+"=") {
			return v
		}
		if *i+1 < len(args) {
			*i++
			return args[*i]
		}
		o.bad = append(o.bad, args[*i])
		return ""
	}
	for i := 0; i < len(args); i++ { //nolint:intrange // value moves i past what it read
		switch arg := args[i]; {
		case arg == "--agent" || strings.HasPrefix(arg, "--agent="):
			o.agent = value(&i, "--agent")
		case arg == "--home" || strings.HasPrefix(arg, "--home="):
			o.home = value(&i, "--home")
		case strings.HasPrefix(arg, "--since="):
			n, err := strconv.ParseInt(strings.TrimPrefix(arg, "--since="), 10, 64)
			if err != nil {
				o.bad = append(o.bad, arg)
			}
			o.since = n
		case arg == "--help" || arg == "-h":
			o.help = true
		case strings.HasPrefix(arg, "-"):
			o.bad = append(o.bad, arg)
		case o.agent == "" && adapters.Lookup(arg) != nil:
			o.agent = arg
		case o.event == "":
			o.event = arg
		default:
			o.bad = append(o.bad, arg)
		}
	}
	return o
}

// once writes the answer a single time, whoever is first.
type once struct {
	sync.Once
	w   io.Writer
	end string // what follows the answer
}

func (o *once) answer(b []byte) {
	o.Do(func() {
		if b = append(slices.Clip(b), o.end...); len(b) > 0 {
			_, _ = o.w.Write(b) // nobody is left to tell
		}
	})
}

// World is what gates may do beside reading files. The zero value is the small
// process, which hands calls over that need more.
type World struct {
	Proc gate.Proc
	HTTP gate.HTTP

	Quality quality.Worker
	YAML    tree.Reader

	Settle func() // ends what Proc left running; nil = nothing can be
}

// Main judges one payload and returns the exit code, always 0.
func Main(args []string, w World, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	started := time.Now()
	out := &once{w: stdout}
	l := lane{world: w}
	defer func() {
		// Nothing below may end in Go's exit code 2, which hosts read as a block.
		if p := recover(); p != nil {
			l.crashed(out, p)
		}
		l.settle()
		code = 0
	}()
	o := parseArgs(args)
	if f, ok := stdin.(*os.File); o.help || (ok && term.IsTerminal(int(f.Fd()))) {
		fmt.Fprint(stderr, usage)
		return 0
	}
	if at := time.Unix(0, o.since); o.since > 0 && at.Before(started) && started.Sub(at) < time.Minute {
		started = at
	}
	l.run(o, started, stdin, out)
	return 0
}

// lane is one hook call.
type lane struct {
	options
	world   World
	adapter hook.Adapter
	machine judge.Machine
	log     audit.Log
	call    *judge.Call
	judged  judge.Judgement
	timer   *time.Timer
	lapses  []string // of the lane itself
}

func (l *lane) run(o options, started time.Time, stdin io.Reader, out *once) {
	l.options = o
	if o.since > 0 {
		out.end = endMark
	}
	signal.Ignore(syscall.SIGPIPE) // a host that is gone is no reason to die of it
	home := homeDir()
	state := o.home
	if state == "" && home != "" {
		state = filepath.Join(home, ".guardrails")
	}
	l.machine = judge.Machine{Home: home, StateHome: state, Getenv: os.Getenv, Now: time.Now, Started: started, Proc: l.world.Proc, HTTP: l.world.HTTP, Quality: l.world.Quality, YAML: l.world.YAML, Version: version.String()}
	l.log = audit.Log{Dir: filepath.Join(state, "log"), Now: time.Now}

	payload, readErr := readPayload(stdin, readDeadline)
	if o.since > 0 {
		var gone context.CancelFunc
		l.machine.Context, gone = context.WithCancel(context.Background())
		go func() { // who handed the call over keeps the input open as long as it lives
			_, _ = io.Copy(io.Discard, stdin)
			gone()
		}()
	}
	if l.adapter = adapters.Lookup(o.agent); l.adapter == nil && o.agent == "" {
		// An older form names no host: the payload does.
		l.adapter = adapters.Lookup(adapters.Detect(payload))
		if l.adapter == nil && o.event != "" { // hook EVENT stands in Claude Code's settings, which others run too
			l.adapter = adapters.Lookup("claude")
		}
	}
	if l.adapter == nil {
		_ = l.record(audit.Entry{Host: o.agent, Lapse: fmt.Sprintf("unknown host %q", o.agent)}, started)
		return
	}
	dir, _ := os.Getwd()
	l.call = judge.Decode(judge.Request{Adapter: l.adapter, EventHint: o.event, Payload: payload, ReadErr: readErr, Dir: dir})
	l.judged.Event = l.call.Event
	l.watch(started.Add(l.call.Deadline()+min(l.call.Spare()/2, 500*time.Millisecond)), out)
	defer func() { l.timer.Stop() }()
	l.judged = l.machine.Judge(l.call)
	if l.judged.Result.HandOver {
		why := l.handOver(payload, started, out)
		if why == "" {
			return
		}
		l.lapses = append(l.lapses, why)
		l.machine.Proc, l.machine.HTTP, l.machine.YAML = nothing{why}, nothing{why}.fetch, nothing{why}.read
		l.judged = l.machine.Judge(l.call)
	}
	starts := l.judged.Result.Began && !l.judged.Probe()
	if starts && len(l.lapses) == 0 && l.fullProgram() == "" {
		l.lapses = append(l.lapses, noFull)
	}
	e := entry(&l.judged)
	if e.Lapse == "" && len(l.lapses) > 0 {
		e.Lapse = l.lapses[0]
	}
	err := l.record(e, started)
	if starts {
		l.tell(err, l.stateless())
	}
	out.answer(l.judged.Output.Stdout)
	switch {
	case starts:
		l.collect()
	case !l.judged.Probe():
		_ = l.keep() // the next call tries again
	}
}

// settle leaves no program behind that a gate no longer waits for.
func (l *lane) settle() {
	if l.world.Settle != nil {
		l.world.Settle()
	}
}

// tell has the human hear once a session, at its start, what we cannot do.
func (l *lane) tell(faults ...error) {
	texts := append(l.judged.Lapses(), l.lapses...)
	for _, err := range faults {
		if err != nil {
			texts = append(texts, err.Error())
		}
	}
	if len(texts) == 0 {
		return
	}
	v := l.judged.Result.Verdict
	v.Notice = strings.TrimPrefix(v.Notice+"\nguardrails: not all is in order: "+strings.Join(texts, "; "), "\n")
	l.judged.Output = l.adapter.Encode(l.judged.Event, v)
}

// stateless says why this session's state cannot be had, although nothing that
// happens at its start may need it. A damaged file is set aside by who does.
func (l *lane) stateless() error {
	ev := &l.judged.Event
	if ev.SessionID == "" || slices.ContainsFunc(l.judged.Lapses(), func(s string) bool { return strings.Contains(s, "session state") }) {
		return nil
	}
	store := session.Store{Dir: filepath.Join(l.machine.StateHome, "sessions"), Now: time.Now}
	if _, err := store.View(ev.Host, ev.SessionID); err != nil && !errors.Is(err, session.ErrCorrupt) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: what is owed is not kept, and no Stop is held back, until that is mended", err)
	}
	return nil
}

// collect keeps this session's state, if it has any, and drops what is dead,
// once a day.
func (l *lane) collect() {
	kept := l.keep()
	ev := &l.judged.Event
	job := tidy.Job{Home: l.machine.Home, StateHome: l.machine.StateHome, Root: ev.Root, Packs: l.judged.Packs(), Getenv: l.machine.Getenv, Now: time.Now()}
	_, _, err := job.Daily()
	if err = errors.Join(kept, err); err != nil {
		_ = l.record(audit.Entry{Host: l.adapter.Name(), Event: "gc", Lapse: err.Error()}, l.machine.Started)
	}
}

// keep has the session's state, if it has any, count as used.
func (l *lane) keep() error {
	ev := &l.judged.Event
	if ev.SessionID == "" {
		return nil
	}
	store := session.Store{Dir: filepath.Join(l.machine.StateHome, "sessions"), Now: time.Now}
	return store.Refresh(ev.Host, ev.SessionID, time.Hour)
}

// homeDir returns the user's home: HOME, or what the system says when that is
// missing or no absolute path.
func homeDir() string {
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		return home
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return ""
}

// watch answers in our stead when even the gates' deadline is overrun, for
// example by a file system that hangs, and ends the process.
func (l *lane) watch(limit time.Time, out *once) {
	l.timer = time.AfterFunc(time.Until(limit), func() {
		out.answer(l.fallback("ran out of time"))
		l.settle()
		os.Exit(0) //nolint:forbidigo // the main goroutine may hang for good
	})
}

// fallback is the answer when judging itself failed: closed for calls that can
// do harm, neutral for the rest.
func (l *lane) fallback(why string) []byte {
	defer func() { _ = recover() }()
	if l.adapter == nil {
		return nil
	}
	if l.call == nil { // silence is a denial on some hosts
		ev, _ := l.adapter.Decode(l.event, nil)
		return l.adapter.Encode(ev, hook.Verdict{}).Stdout
	}
	ev := l.call.Event
	var v hook.Verdict
	if ev.Name.BeforeTool() && ev.Tool != nil {
		switch ev.Tool.Kind {
		case hook.Shell, hook.Write, hook.Edit:
			v = engine.InternalDeny("hook", ev.Tool.Name, why)
		}
	}
	return l.adapter.Encode(ev, v).Stdout
}

func (l *lane) crashed(out *once, p any) {
	defer func() { _ = recover() }()
	why, _, _ := strings.Cut(fmt.Sprint(p), "\n")
	out.answer(l.fallback("panic: " + why))
	e := entry(&l.judged)
	e.Lapse = "panic: " + why
	_ = l.record(e, l.machine.Started)
}

// record appends to the log. A log that cannot be written must not change the
// answer; at a session's start the human hears of it.
func (l *lane) record(e audit.Entry, started time.Time) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("log: panic: %v", p)
		}
	}()
	e.Version = version.String()
	e.Took = time.Since(started)
	if l.machine.StateHome == "" {
		return errors.New("log: no home directory")
	}
	return l.log.Append(e)
}

func entry(j *judge.Judgement) audit.Entry {
	v := j.Result.Verdict
	e := audit.Entry{
		Decision: v.Decision.String(), Gate: v.Gate, Rule: v.Rule,
		Host: j.Event.Host, Event: j.Event.HostEvent, Session: j.Event.SessionID, Probe: j.Probe(), Codes: j.Codes(),
	}
	if j.Event.Tool != nil {
		e.Tool = j.Event.Tool.Kind.String()
	}
	if rule := j.Permitted(); rule != "" && v.Decision == hook.Pass {
		e.Gate, e.Rule = "permit", rule
	}
	if lapses := j.Lapses(); len(lapses) > 0 {
		e.Lapse = lapses[0]
	}
	return e
}
