// Package judge takes one payload from decoding to the host's answer. The
// installed hook and check share it, so that a dry run cannot drift from the
// real thing.
package judge

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/audit"
	"github.com/ec261362/guardrails/core/builtin"
	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/config/tree"
	"github.com/ec261362/guardrails/core/engine"
	"github.com/ec261362/guardrails/core/evidence"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/handoff"
	"github.com/ec261362/guardrails/core/handoff/pack"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/leak"
	"github.com/ec261362/guardrails/core/notice"
	"github.com/ec261362/guardrails/core/permit"
	"github.com/ec261362/guardrails/core/policy"
	"github.com/ec261362/guardrails/core/quality"
	"github.com/ec261362/guardrails/core/rewrite"
	"github.com/ec261362/guardrails/core/scan"
	"github.com/ec261362/guardrails/core/screen"
	"github.com/ec261362/guardrails/core/session"
)

// ProbePrefix starts the session id of the calls by which init and doctor prove
// an installed entry: they are marked in the log and keep no state.
const ProbePrefix = "guardrails-probe-"

// Machine is where calls are judged.
type Machine struct {
	Home      string
	StateHome string
	Getenv    func(string) string
	Context   context.Context // ends all judging early; nil = never
	Proc      gate.Proc       // nil = gates that need programs hand over
	HTTP      gate.HTTP       // nil = gates that need the network hand over
	Version   string          // ours, for records
	Quality   quality.Worker  // nil = the quality gates hand over
	YAML      tree.Reader     // nil = a configuration that is not written plainly hands over
	Now       func() time.Time
	Started   time.Time // start of this process; zero = of each judgement
	DryRun    bool      // write nothing
	Trusted   bool      // treat the project's configuration as trusted

	// Handoffs stand in for the configured packs and preferences; nil = those count.
	Handoffs *handoff.Settings
}

// Request is one call to judge.
type Request struct {
	Adapter   hook.Adapter
	EventHint string // the event named on the command line
	Payload   []byte
	ReadErr   error  // why the payload may be incomplete
	Dir       string // the process's directory: stands in when the payload has none
	Root      string // "" = found from the event's directory
}

func (n *notes) permit(rule string) {
	n.Lock()
	defer n.Unlock()
	n.permitted = rule
}

func (n *notes) stopped(code string) {
	n.Lock()
	defer n.Unlock()
	if !slices.Contains(n.codes, code) {
		n.codes = append(n.codes, code)
	}
}

// Judgement is what became of a request.
type Judgement struct {
	Event  hook.Event
	Result engine.Result
	Output hook.Output
	Took   time.Duration

	notes *notes
	packs []*pack.Pack
}

// Packs are the handoff packs that were in force, as far as they may say what is
// swept.
func (j *Judgement) Packs() []*pack.Pack { return j.packs }

// notes are what came up on the way, also in gates that were abandoned.
type notes struct {
	sync.Mutex
	lapses    []string
	permitted string
	codes     []string // of what was not permitted
}

func (n *notes) lapse(err error) {
	if err == nil {
		return
	}
	n.Lock()
	defer n.Unlock()
	n.lapses = append(n.lapses, strings.ReplaceAll(err.Error(), "\n", "; "))
}

// Lapses lists what could not be read, judged or recorded.
func (j *Judgement) Lapses() []string {
	if j.notes == nil {
		return j.Result.Lapses
	}
	j.notes.Lock()
	defer j.notes.Unlock()
	return append(slices.Clone(j.notes.lapses), j.Result.Lapses...)
}

// Permitted is the rule that would have stopped the call, had a human not
// permitted it.
func (j *Judgement) Permitted() string {
	if j.notes == nil {
		return ""
	}
	j.notes.Lock()
	defer j.notes.Unlock()
	return j.notes.permitted
}

// Codes are those by which a human may allow the call, as its refusal says.
func (j *Judgement) Codes() []string {
	if j.notes == nil || j.Result.Verdict.Decision.Rank() < hook.Ask.Rank() {
		return nil
	}
	j.notes.Lock()
	defer j.notes.Unlock()
	return slices.DeleteFunc(slices.Clone(j.notes.codes), func(c string) bool {
		return c == "" || !strings.Contains(j.Result.Verdict.Reason, c)
	})
}

// Probe reports whether the call only proves an installed entry.
func (j *Judgement) Probe() bool { return strings.HasPrefix(j.Event.SessionID, ProbePrefix) }

// Call is a decoded request.
type Call struct {
	Request
	Event hook.Event

	err error
	cut bool // the payload was cut: Event is what arrived of it
}

// Decode reads a request's payload. It always returns a call that can be judged.
func Decode(r Request) *Call {
	ev, err := r.Adapter.Decode(r.EventHint, r.Payload)
	ev.Host = r.Adapter.Name()
	c := &Call{Request: r, Event: ev}
	if c.err = errors.Join(r.ReadErr, err); c.err != nil {
		if c.cut = r.ReadErr != nil || ev.Name == hook.UnknownEvent || !whole(r.Payload); c.cut && ev.Tool == nil {
			c.Event = salvage(r.Adapter, r.EventHint, ev, r.Payload)
		}
	}
	if !filepath.IsAbs(c.Event.Cwd) {
		if c.Event.Cwd = r.Dir; r.Adapter.Capabilities().ForeignDir {
			c.Event.Cwd = "" // where a hook of this host runs says nothing of the call
		}
	}
	return c
}

// whole reports whether a payload is JSON from its start to the end of a value.
func whole(payload []byte) bool {
	_, err := hook.FirstValue(payload)
	return err == nil
}

// Deadline returns how long the call may take, from the start of the process.
func (c *Call) Deadline() time.Duration { return deadline(c.Adapter, &c.Event) }

// Spare returns how much later than the deadline the host still hears us, of
// which three quarters may be used.
func (c *Call) Spare() time.Duration {
	return (registered(c.Adapter, &c.Event) - c.Deadline()) * 3 / 4
}

// Judge judges one call within the deadline that its event's registered
// timeout leaves.
func (m *Machine) Judge(c *Call) Judgement {
	began := time.Now()
	j := Judgement{notes: &notes{}}
	j.notes.lapse(c.err)
	r, ev := c.Request, c.Event
	if ev.Root = r.Root; ev.Root == "" {
		if root, err := config.FindRoot(ev.Cwd, m.Home); err == nil {
			ev.Root = root
		}
	}
	j.Event = ev
	eff := config.Load(config.LoadOptions{Root: ev.Root, StateHome: m.StateHome, Remember: !m.DryRun && !j.Probe(), YAML: m.YAML})
	if eff.Beyond {
		j.Result.HandOver = true
		return j
	}

	started := m.Started
	if started.IsZero() {
		started = began
	}
	base := m.Context
	if base == nil {
		base = context.Background()
	}
	ctx, cancel := context.WithDeadline(base, started.Add(c.Deadline()))
	defer cancel()
	eng := engine.Engine{
		Gates:   builtin.Gates(m.settings(r.Adapter, &ev, eff, &j)),
		Caps:    r.Adapter.Capabilities(),
		Env:     m.world(r.Adapter),
		Started: started,
		DryRun:  m.DryRun,
		Busy:    m.busy(&ev),

		Finished: finished(r.Adapter),
	}
	if !j.Probe() {
		eng.Store = &session.Store{Dir: filepath.Join(m.StateHome, "sessions"), Now: m.Now}
	}
	j.Result = eng.Judge(ctx, &ev)
	if c.cut {
		j.Result.Verdict = softened(j.Result.Verdict)
	}
	j.Output = r.Adapter.Encode(ev, j.Result.Verdict)
	j.Took = time.Since(began)
	return j
}

// world is what the gates may touch.
func (m *Machine) world(ad hook.Adapter) gate.Env {
	return gate.Env{
		Now: m.Now, Home: m.Home, StateHome: m.StateHome, FS: fsx.NewMemo(), Getenv: m.Getenv,
		Outcome: outcome(ad),
		Proc:    m.Proc, HTTP: m.HTTP,
	}
}

// settings gathers what the gates are handed.
func (m *Machine) settings(ad hook.Adapter, ev *hook.Event, eff *config.Effective, j *Judgement) builtin.Settings {
	j.notes.lapse(eff.TrustErr)
	j.notes.lapse(eff.RememberErr)
	permit := func(code string) string { return "run `guardrails allow once " + code + "` in a terminal" }
	permitted := m.permitted(ev, j)
	s := builtin.Settings{
		Policy: policy.Settings{
			Home:      m.Home,
			StateHome: m.StateHome,
			Binaries:  m.binaries(),
			TempDirs:  m.tempDirs(),
			Packs:     eff.Config.Policy.Packs,
			Protect:   eff.Config.Policy.Protect,
			Branches:  eff.Config.Policy.Branches,
			Permit:    permit,
			Permitted: permitted,
		},
		Leak:   leak.Settings{Home: m.Home, Code: policy.Code, Permit: permit, Permitted: permitted},
		Notice: notice.Settings{Problems: speak(eff.ProblemNotice(5)), Held: speak(eff.HeldNotice("`guardrails trust`"))},
	}
	for _, a := range eff.Config.Policy.Allow {
		s.Policy.Allow = append(s.Policy.Allow, policy.Allow{Rule: a.Rule, When: a.When, Reason: a.Reason})
		s.Leak.Allow = append(s.Leak.Allow, leak.Allow{Rule: a.Rule, When: a.When, Reason: a.Reason})
	}
	s.Evidence = m.evidence(eff, m.DryRun || j.Probe())
	if v := &eff.Config.Validators; v.Enabled {
		s.Screen = m.screening(ad, v, ev.Root, j)
	}
	s.Deps = m.Dependencies(&eff.Config.Dependencies)
	s.Deps.Permit, s.Deps.Permitted = permit, permitted
	s.Handoff = m.handoffs(ad, &eff.Config.Handoffs)
	j.packs = sweepable(s.Handoff.Packs, eff.OptedIn)
	if ad.Capabilities().Rewrite {
		s.Rewrite = m.rewrites(ad, ev, eff.Config.Rewrite)
	}
	if ev.Name == hook.SessionStart {
		s.Notice.Off = speak(m.off(j))
	}
	s.Quality = m.quality(ev, eff, j)
	if s.Evidence.On && s.Quality.Worker != nil {
		o := &observed{Worker: s.Quality.Worker}
		s.Quality.Worker, s.Evidence.Own = o, o.own
	}
	if ev.Tool != nil {
		s.Policy.LiveFiles = m.liveFiles(ev)
	}
	return s
}

// evidence are the settings of a project's workflow. Under a configuration that
// is broken what it records goes on, and what insists rests.
func (m *Machine) evidence(eff *config.Effective, dry bool) evidence.Settings {
	on := eff.Config.Evidence.On
	s := evidence.Settings{
		On: on, Resting: !on && eff.Paused.Evidence, SpawnMin: eff.Config.Evidence.SpawnMinChars,
		Program: filepath.Join(m.StateHome, "bin", "guardrails"), DryRun: dry, Started: m.Started,
	}
	if s.Started.IsZero() {
		s.Started = time.Now()
	}
	return s
}

// screening resolves the configured validators.
func (m *Machine) screening(ad hook.Adapter, v *config.Validators, root string, j *Judgement) screen.Settings {
	s := screen.Settings{
		Timeout: v.Timeout, AggregateTimeout: v.AggregateTimeout,
		NoKillSwitch: !v.KillSwitch, OutputNonBlocking: v.OutputNonBlocking,
		Programs:  len(v.Custom) > 0,
		Redact:    v.Redact && ad.Capabilities().ReplaceResult,
		WholeTurn: ad.Capabilities().WholeTurn,
	}
	var err error
	if s.Input, s.Output, err = m.Validators(v, root); err != nil {
		s.Broken = err.Error()
	}
	if v.Broken != "" {
		s.Broken = v.Broken
	}
	if allow := v.Allow; len(allow) > 0 {
		s.Allow = func(validator, kind, path, fingerprint string) bool {
			return slices.ContainsFunc(allow, func(a config.ValidatorAllow) bool { return a.Covers(validator, kind, path, fingerprint) })
		}
	}
	if !m.DryRun {
		log := audit.Log{Dir: filepath.Join(m.StateHome, "findings"), Now: m.Now}
		s.Audit = func(ev *hook.Event, r scan.Record) {
			f := audit.Finding{
				Host: ev.Host, Event: ev.HostEvent, Session: ev.SessionID,
				Validator: r.Validator, Severity: r.Severity.String(), Direction: r.Direction.String(), Path: r.Path,
			}
			for i, m := range r.Matches {
				if i == 0 {
					f.Kinds, f.Sample = m.Kind, m.Sample
					if r.Validator == scan.NamePromptInjection { // its sample is made of the text
						f.Sample = "(" + count(m.End-m.Start, "character") + ")"
					}
				} else if !strings.Contains(f.Kinds, m.Kind) {
					f.Kinds += "," + m.Kind
				}
			}
			if r.Crashed {
				f.Reason = r.Reason
			}
			if err := log.AppendFinding(f); err != nil {
				j.notes.lapse(err)
			}
		}
	}
	return s
}

// Validators are the configured validators of each direction. An error names
// those that are not there.
func (m *Machine) Validators(v *config.Validators, root string) (input, output []scan.Validator, err error) {
	known := scan.NewRegistry()
	var errs []error
	for i := range v.Custom {
		errs = append(errs, known.Register(m.custom(&v.Custom[i], root)))
	}
	input, in := known.Resolve(v.Input, scan.Input)
	output, out := known.Resolve(v.Output, scan.Output)
	return input, output, errors.Join(append(errs, in, out)...)
}

// custom is a validator that the configuration defines as a command.
func (m *Machine) custom(c *config.CustomValidator, dir string) scan.Validator {
	d, _ := scan.ParseDirection(c.Direction) // the configuration knows the words
	severity := scan.High
	if c.Severity == scan.Low.String() {
		severity = scan.Low
	}
	return scan.Command(c.Name, d, severity, func(ctx context.Context, stdin []byte) (int, []byte, error) {
		if m.Proc == nil {
			return 0, nil, gate.ErrHandOver
		}
		exit, err := m.Proc.Run(ctx, gate.Command{Argv: argv(c.Command), Dir: dir, Stdin: stdin, MaxOutput: 1 << 20})
		switch {
		case err != nil:
			return 0, nil, err
		case exit.TimedOut:
			return 0, nil, context.DeadlineExceeded
		}
		return exit.Code, exit.Stdout, nil
	})
}

// ShellCommand is how a command line is started.
func ShellCommand(line string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/c", line}
	}
	return []string{"/bin/sh", "-c", line}
}

func argv(c config.Command) []string {
	if c.Shell == "" {
		return c.Argv
	}
	return ShellCommand(c.Shell)
}

// rewrites are the configured rules, with what the host remembers of its user's
// approvals.
func (m *Machine) rewrites(ad hook.Adapter, ev *hook.Event, rules []config.Rewrite) rewrite.Settings {
	var s rewrite.Settings
	for _, r := range rules {
		s.Rules = append(s.Rules, rewrite.Rule{Match: r.Match, To: r.To})
	}
	if host, ok := ad.(hook.Approver); ok {
		paths := hook.Paths{Home: m.Home, Dir: ev.Cwd, Root: ev.Root}
		if g, ok := ad.(hook.Guarded); ok {
			paths.ConfigHome = m.Getenv(g.ConfigVar())
		}
		s.Allowed = func(original, rewritten string) (bool, string) {
			return host.MayRewrite(ev, fsx.OS{}, paths, original, rewritten)
		}
	}
	return s
}

// permitted asks what the human allowed. It opens nothing unless a call is
// about to be stopped.
func (m *Machine) permitted(ev *hook.Event, j *Judgement) func(gate, rule, code string) bool {
	store := permit.Store{StateHome: m.StateHome, Now: m.Now}
	return func(gate, rule, code string) bool {
		offs, err := store.Active()
		if err != nil {
			j.notes.lapse(err)
			return false
		}
		for _, o := range offs {
			if o.Covers(gate, rule) {
				j.notes.permit(rule)
				return true
			}
		}
		call := permit.Call{Key: ev.HostEvent + " " + ev.SessionID, Started: m.Started}
		if ev.Tool != nil && ev.Tool.ID != "" {
			call.Key += " " + ev.Tool.ID
		} else {
			call.ByTime = true
		}
		ctx, cancel := context.WithTimeout(context.Background(), permitWait)
		defer cancel()
		ok, err := store.Use(ctx, code, call, m.DryRun)
		j.notes.lapse(err)
		if ok {
			j.notes.permit(rule)
		} else {
			j.notes.stopped(code)
		}
		return ok
	}
}

// off says what a human has switched off.
func (m *Machine) off(j *Judgement) string {
	offs, err := (&permit.Store{StateHome: m.StateHome, Now: m.Now}).Active()
	j.notes.lapse(err)
	var texts []string
	for _, o := range offs {
		texts = append(texts, o.String()+" until "+o.Until.Local().Format("15:04"))
	}
	if len(texts) == 0 {
		return ""
	}
	return "switched off: " + strings.Join(texts, "; ") + " (`guardrails on` ends it)"
}

// permitWait bounds the wait for another process that uses a grant.
const permitWait = time.Second

func speak(text string) string {
	if text == "" {
		return ""
	}
	return "guardrails: " + text
}

func (m *Machine) tempDirs() []string {
	if dir := m.Getenv("TMPDIR"); filepath.IsAbs(dir) {
		return []string{dir}
	}
	return nil
}

// binaries are the paths by which our own binary is run.
func (m *Machine) binaries() []string {
	out := []string{filepath.Join(m.StateHome, "bin", "guardrails")}
	if exe, err := os.Executable(); err == nil {
		out = append(out, exe)
	}
	return out
}

// liveFiles are the hook configurations that any host would read here.
func (m *Machine) liveFiles(ev *hook.Event) []hook.LiveFile {
	var out []hook.LiveFile
	for _, ad := range adapters.All {
		if g, ok := ad.(hook.Guarded); ok {
			out = append(out, g.LiveFiles(hook.Paths{Home: m.Home, Dir: ev.Cwd, Root: ev.Root, ConfigHome: m.Getenv(g.ConfigVar())})...)
		}
	}
	return out
}

// registered is the timeout that init registers for an event.
func registered(ad hook.Adapter, ev *hook.Event) time.Duration {
	if w, ok := ad.(hook.Wirer); ok {
		for _, h := range w.Wiring() {
			if h.Event == ev.HostEvent {
				return time.Duration(h.Timeout) * time.Second
			}
		}
	}
	return 10 * time.Second
}

// deadline is 60 % of the timeout that init registers, with the exceptions
// below.
func deadline(ad hook.Adapter, ev *hook.Event) time.Duration {
	timeout := registered(ad, ev)
	switch ev.Name {
	case hook.Stop, hook.SubagentStop:
		if timeout > 20*time.Second {
			return timeout - 10*time.Second
		}
	case hook.PostToolUse:
		return timeout * 4 / 5
	case hook.SessionEnd:
		return time.Second
	}
	return timeout * 6 / 10
}

// softened turns a refusal that rests on an incomplete payload into a question.
func softened(v hook.Verdict) hook.Verdict {
	if v.Decision == hook.Deny {
		v.Decision = hook.Ask
		v.Reason = "the call could not be read whole, and what could be read looks dangerous: " + v.Reason
	}
	return v
}

// salvage reads what it can of a payload that is cut or not valid JSON: the
// names of the event and tool, and a command, so that a dangerous one is still
// seen. What they mean is the adapter's to say.
func salvage(ad hook.Adapter, hint string, ev hook.Event, payload []byte) hook.Event {
	text := string(payload)
	command, ok := looseString(text, "command")
	if !ok {
		command, ok = looseString(text, "CommandLine")
	}
	if !ok {
		return ev
	}
	// Each adapter reads the members that its host has.
	loose := map[string]any{
		"tool_name": "Bash", "tool_input": map[string]string{"command": command},
		"toolCall": map[string]any{"name": "run_command", "args": map[string]string{"CommandLine": command}},
	}
	for _, key := range [...]string{"hook_event_name", "tool_name", "session_id", "cwd", "conversationId"} {
		if v, ok := looseString(text, key); ok && v != "" {
			loose[key] = v
		}
	}
	small, err := json.Marshal(loose)
	if err != nil {
		return ev
	}
	found, err := ad.Decode(hint, small)
	if err != nil || !found.Name.BeforeTool() || found.Tool == nil || found.Tool.Kind != hook.Shell {
		return ev
	}
	found.Raw = ev.Raw
	return found
}

// looseString finds the first "key": "value" in text that need not be valid
// JSON; a value that is cut is returned as far as it goes.
func looseString(text, key string) (string, bool) {
	for rest := text; ; {
		i := strings.Index(rest, `"`+key+`"`)
		if i < 0 {
			return "", false
		}
		rest = rest[i+len(key)+2:]
		after := strings.TrimLeft(rest, " \t\r\n")
		if !strings.HasPrefix(after, ":") {
			continue
		}
		after = strings.TrimLeft(after[1:], " \t\r\n")
		if !strings.HasPrefix(after, `"`) {
			continue
		}
		end := 1
		for end < len(after) && after[end] != '"' {
			if after[end] == '\\' {
				end++
			}
			end++
		}
		if end > len(after) {
			end = len(after)
		}
		raw := after[1:end]
		for drop := 0; drop <= 6 && drop <= len(raw); drop++ { // an escape may be cut
			var s string
			if json.Unmarshal([]byte(`"`+raw[:len(raw)-drop]+`"`), &s) == nil {
				return s, true
			}
		}
		return strings.ToValidUTF8(raw, "\ufffd"), true
	}
}
