package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/judge"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/version"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/world"
	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/config/yamldoc"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/review"
	"github.com/ec261362/guardrails/core/scan"
)

type reviewOptions struct {
	task, coder, reviewer string
	max                   int
	schema                string
	state                 string
	resume                bool
	timeout               time.Duration
	off                   bool
	asJSON                bool
	said                  bool // the JSON is out
}

func newReviewCmd(a *app) *cobra.Command {
	var o reviewOptions
	cmd := &cobra.Command{
		Use:   "review --task TEXT|FILE --coder AGENT --reviewer AGENT",
		Short: "Have one agent work and another find fault, with validators between them",
		Long: `review starts the coder with the task, hands what it says of its work to the reviewer,
and the reviewer's findings back to the coder, until the reviewer approves or the
iterations are used up. An AGENT is a host that can run without a terminal (` + strings.Join(headless(), ", ") + `)
or any command, which gets the prompt on standard input and answers on standard output.

Validators judge the task and each list of findings before the coder gets them, and
each answer of the coder before the reviewer sees it: those that the configuration
switches on (validators:), and --schema; --no-validators goes without. What they refuse
ends the loop.

The state file holds facts, no contents; --resume goes on with a loop that was
interrupted.`,
		Example: `  guardrails review --task 'add a function' --coder claude --reviewer gemini
  guardrails review --task task.md --coder 'claude -p --model opus' --reviewer ./review.sh --json

Exit codes: 0 approved, 2 stopped by validators, 3 not approved, 1 error.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := runReview(cmd.Context(), a, &o)
			if err != nil && o.asJSON && !o.said {
				// The loop never began.
				return errors.Join(a.writeJSON(reviewJSON(&o, &review.State{Version: 1, Status: review.Broken}, err)), err)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.task, "task", "", "the task, or the `FILE` that it is in")
	f.StringVar(&o.coder, "coder", "", "the `AGENT` that works")
	f.StringVar(&o.reviewer, "reviewer", "", "the `AGENT` that finds fault")
	f.IntVar(&o.max, "max-iterations", review.DefaultMaxIterations, "how often the coder is started at most")
	f.StringVar(&o.schema, "schema", "", "the coder's answer must be JSON that conforms to the JSON Schema in `FILE`")
	f.StringVar(&o.state, "state", "", "keep the loop's state in `FILE` (default: below ~/.guardrails/reviews, by task)")
	f.BoolVar(&o.resume, "resume", false, "go on with the loop in the state file")
	f.DurationVar(&o.timeout, "timeout", 30*time.Minute, "of one start of an agent")
	f.BoolVar(&o.off, "no-validators", false, "without validators")
	f.BoolVar(&o.asJSON, "json", false, "print how it ended as JSON")
	return cmd
}

// headless names the hosts that can be given one prompt.
func headless() (names []string) {
	for _, ad := range adapters.All {
		if _, ok := ad.(hook.Headless); ok {
			names = append(names, ad.Name())
		}
	}
	return names
}

func runReview(ctx context.Context, a *app, o *reviewOptions) error {
	for flag, value := range map[string]string{"task": o.task, "coder": o.coder, "reviewer": o.reviewer} {
		if strings.TrimSpace(value) == "" {
			return fmt.Errorf("--%s is missing: see guardrails review --help", flag)
		}
	}
	if o.max < 1 || o.timeout <= 0 {
		return errors.New("--max-iterations and --timeout must be more than 0")
	}
	task, err := a.taskText(o.task)
	if err != nil {
		return err
	}
	loop := review.Loop{MaxIterations: o.max, Now: a.now}
	if loop.Gates, err = a.reviewGates(o); err != nil {
		return err
	}
	if loop.Coder, err = a.agent(o.coder, o.timeout); err != nil {
		return fmt.Errorf("--coder: %w", err)
	}
	if loop.Reviewer, err = a.agent(o.reviewer, o.timeout); err != nil {
		return fmt.Errorf("--reviewer: %w", err)
	}
	if o.state == "" {
		o.state = filepath.Join(a.state, "reviews", review.Digest(task)+".json")
	}
	o.state = a.abs(o.state)
	unlock, err := a.ownReview(ctx, o.state)
	if err != nil {
		return err
	}
	defer unlock()
	if o.resume {
		if loop.Resume, err = readReview(o.state); err != nil {
			return err
		}
	}
	loop.Save = func(s review.State) error {
		text, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(o.state), 0o700); err != nil {
			return err
		}
		return fsx.WriteFile(o.state, append(text, '\n'), 0o600)
	}
	if isTerminal(a.stderr) {
		loop.Progress = func(s review.State) {
			a.sayf("review: %s (coder started %d of %d times, reviewer %d)", s.Stage, s.Coded, o.max, s.Reviewed)
		}
	}
	// An interrupt ends the agents' process groups and leaves a state to go on with.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	res, err := loop.Run(ctx, task)
	return a.sayReview(o, &res, err)
}

// ownReview keeps other loops off a state file, until unlock or our end.
func (a *app) ownReview(ctx context.Context, state string) (unlock func(), err error) {
	dir := filepath.Join(a.state, "reviews")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	free, err := fsx.Lock(ctx, filepath.Join(dir, review.Digest(state)+".lock"))
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("another loop is at work with %s: wait for it, or name another file with --state", state)
	case err != nil:
		return nil, err
	}
	return func() { _ = free() }, nil
}

// taskText is the task itself, or what is in the file of that name.
func (a *app) taskText(task string) (string, error) {
	if strings.ContainsAny(task, "\n") || len(task) > 4096 {
		return task, nil
	}
	text, err := os.ReadFile(a.abs(task))
	switch {
	case err == nil && strings.TrimSpace(string(text)) == "":
		return "", fmt.Errorf("--task: %s is empty", task)
	case err == nil:
		return string(text), nil
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(task, " \t") && filepath.Ext(task) != "":
		return "", a.unreadable("--task", task, err) // one word with a suffix names a file
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ENOTDIR):
		return task, nil
	}
	return "", a.unreadable("--task", task, err)
}

func readReview(path string) (*review.State, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("--resume: no loop for this task left a state in %s: start one without --resume, or name its file with --state", path)
	case err != nil:
		return nil, fmt.Errorf("--resume: %w", err)
	}
	s, err := review.ParseState(text)
	if err != nil {
		return nil, fmt.Errorf("--resume: %s: %w", path, err)
	}
	if s.Ended() {
		return nil, fmt.Errorf("--resume: that loop has ended (%s): start a new one without --resume", s.Status)
	}
	return &s, nil
}

// reviewGates are the configured validators.
func (a *app) reviewGates(o *reviewOptions) (review.Gates, error) {
	root, err := a.root()
	if err != nil {
		root = ""
	}
	e := a.load(config.LoadOptions{Root: root, TreatAsTrusted: true})
	if e.Broken() {
		return review.Gates{}, fmt.Errorf("the configuration has problems, so what the validators are is not known: %s", e.ProblemNotice(5))
	}
	v := e.Config.Validators
	g := review.Gates{Enabled: !o.off && (v.Enabled || o.schema != ""), OutputNonBlocking: v.OutputNonBlocking}
	if !v.Enabled && !o.off && e.Origin("validators.enabled") == config.BuiltIn {
		a.sayf("review: the configuration has no validators, so nothing stands between the two; `validators: {enabled: true}` in %s puts prompt-injection before the coder, secrets and pii behind it", config.FileName)
	}
	if !g.Enabled {
		return g, nil
	}
	var in, out []scan.Validator
	if v.Enabled {
		m := judge.Machine{Home: a.home, StateHome: a.state, Getenv: a.getenv, Now: a.now, Proc: world.Programs(a.environ()), HTTP: world.Network(version.String()), YAML: yamldoc.Read}
		if in, out, err = m.Validators(&v, root); err != nil {
			return g, fmt.Errorf("validators: %w", err)
		}
	}
	if o.schema != "" {
		s, err := a.schema(o.schema)
		if err != nil {
			return g, err
		}
		out = append(out, s)
	}
	runner := func(list []scan.Validator) *scan.Runner {
		r := &scan.Runner{Validators: list, Timeout: v.Timeout, NoKillSwitch: !v.KillSwitch}
		if len(v.Allow) > 0 {
			r.Allow = func(validator string, m scan.Match, p scan.Payload) bool {
				for i := range v.Allow {
					if v.Allow[i].Covers(validator, m.Kind, p.Path, m.Fingerprint) {
						return true
					}
				}
				return false
			}
		}
		return r
	}
	g.Input, g.Output = runner(in), runner(out)
	return g, nil
}

// longPrompt is the longest prompt that goes on a command line: Linux takes
// arguments of up to 128 KiB.
const longPrompt = 100 << 10

// agent is a host that answers one prompt, or a command.
func (a *app) agent(name string, timeout time.Duration) (review.Agent, error) {
	programs := world.Programs(a.environ())
	var host hook.Headless
	if ad := adapters.Lookup(name); ad != nil {
		h, ok := ad.(hook.Headless)
		if !ok {
			return nil, fmt.Errorf("%s cannot be run without a terminal: use %s, or a command", name, strings.Join(headless(), ", "))
		}
		if _, err := programs.LookPath(h.HeadlessCommand("x")[0]); err != nil {
			return nil, fmt.Errorf("%s: its program is not on PATH", name)
		}
		host = h
	}
	return func(ctx context.Context, prompt string) (string, error) {
		c := gate.Command{Dir: a.dir, MaxOutput: 8 << 20, NoMore: true, Timeout: timeout}
		switch {
		case host == nil:
			c.Argv, c.Stdin = judge.ShellCommand(name), []byte(prompt)
		case len(prompt) > longPrompt:
			c.Argv, c.Stdin = host.HeadlessCommand("Your task is on standard input."), []byte(prompt)
		default:
			c.Argv = host.HeadlessCommand(prompt)
		}
		exit, err := programs.Run(ctx, c)
		switch {
		case err != nil:
			return "", err
		case ctx.Err() != nil:
			return "", ctx.Err()
		case exit.TimedOut:
			return "", fmt.Errorf("%s was ended after %v", name, timeout)
		case exit.Truncated && len(exit.Stdout) >= c.MaxOutput:
			return "", fmt.Errorf("%s answered more than %d MiB", name, c.MaxOutput>>20)
		case exit.Code != 0:
			err := fmt.Errorf("%s ended with code %d", name, exit.Code)
			if line := tellable(ctx, lastLineOf(string(exit.Stderr))); line != "" {
				err = fmt.Errorf("%w: %s", err, line)
			}
			return "", err
		}
		return string(exit.Stdout), nil
	}, nil
}

// tellable is what an agent says of its own end, unless it gives something away.
func tellable(ctx context.Context, line string) string {
	line = strings.ToValidUTF8(line, "\ufffd")
	if o := scan.Run(ctx, scan.Payload{Text: line}, scan.Output, scan.Secrets(), scan.PII(scan.PIIOptions{})); !o.Pass {
		return "what it said of that is withheld, it holds " + o.Failures[0].Reason
	}
	return line
}

func lastLineOf(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// reviewResult is review --json.
type reviewResult struct {
	review.State
	File  string `json:"stateFile,omitempty"`
	Error string `json:"error,omitempty"`
}

func reviewJSON(o *reviewOptions, st *review.State, err error) reviewResult {
	out := reviewResult{State: *st, File: o.state}
	if out.Failures == nil {
		out.Failures = []review.Failure{}
	}
	if err != nil {
		out.Error = err.Error()
	}
	return out
}

// sayReview says how the loop ended.
func (a *app) sayReview(o *reviewOptions, res *review.Result, err error) error {
	st := &res.State
	var stopped *review.GuardrailError
	guard := errors.As(err, &stopped)
	if st.Status == review.Interrupted {
		err = fmt.Errorf("interrupted while %s", st.Stage)
	}
	if o.asJSON {
		o.said = true
		if err := a.writeJSON(reviewJSON(o, st, err)); err != nil {
			return err
		}
	}
	switch {
	case guard:
		a.errorf("%v", err)
		a.hintf("nothing of it went further; %s has the record", o.state)
		return exitCode(exitDenied)
	case err != nil:
		if st.Status == review.Interrupted {
			a.hintf("--resume goes on: %s", o.state)
		}
		return err
	}
	for _, f := range st.Failures {
		a.sayf("recorded, not blocking: %s output, %s (%s): %s", f.Before, f.Validator, f.Severity, f.Reason)
	}
	if st.Status == review.NotApproved {
		if !o.asJSON {
			for _, f := range res.Findings {
				a.sayf("%s", findingLine(f))
			}
		}
		a.sayf("not approved after %s; open: %s", plural(st.Coded, "iteration"), plural(len(res.Findings), "finding"))
		return exitCode(exitPartial)
	}
	a.sayf("approved after %s", plural(st.Coded, "iteration"))
	return nil
}

// findingLine is a finding that is still open, on one line.
func findingLine(f review.Finding) string {
	const longest = 300
	text := []rune(oneLine(f.Text))
	if len(text) > longest {
		text = append(text[:longest], '…')
	}
	out := string(text)
	if f.Severity != "" {
		out = oneLine(f.Severity) + ": " + out
	}
	switch {
	case f.File != "" && f.Line > 0:
		out = fmt.Sprintf("%s:%d: %s", oneLine(f.File), f.Line, out)
	case f.File != "":
		out = oneLine(f.File) + ": " + out
	}
	return out
}
