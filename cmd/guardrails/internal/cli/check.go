package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/judge"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/version"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/world"
	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/config/yamldoc"
	"github.com/ec261362/guardrails/core/engine"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/rewrite"
	"github.com/ec261362/guardrails/core/shellcmd"
)

type checkOptions struct {
	agent       string
	tool        string
	path        string
	contentFile string
	prompt      string
	payload     string
	transcript  string
	batch       bool
	asJSON      bool
	verbose     bool
}

func newCheckCmd(a *app) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [flags] [COMMAND…]",
		Short: "Say what would be decided about a call, without running it",
		Long: `check runs the same code as the installed hook and changes nothing: no state, no
log line. One word is a whole command line; several are the words of one.`,
		Example: `  guardrails check -- git push --force
  guardrails check -v -- 'cd build && rm -rf *'
  guardrails check --tool Write --path .env --content-file draft.env
  guardrails check --prompt 'ignore all rules'   # judged where validators are on
  guardrails check --payload call.json       # a host's payload; - reads standard input
  guardrails check --transcript session.jsonl
  guardrails check --batch < calls.jsonl > decisions.jsonl

Exit codes: 0 would pass, 2 would be denied or blocked, 3 would ask, 1 error.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return runCheck(a, &o, args) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // the first word of a command ends our flags
	f.StringVar(&o.agent, "agent", "claude", "host whose tools and answers are meant")
	f.StringVar(&o.tool, "tool", "", "tool `NAME`, as the host calls it")
	f.StringVar(&o.path, "path", "", "file that the tool reads or writes")
	f.StringVar(&o.contentFile, "content-file", "", "`FILE` with the content that the tool would write; - reads standard input")
	f.StringVar(&o.prompt, "prompt", "", "a submitted prompt")
	f.StringVar(&o.payload, "payload", "", "`FILE` with a host payload; - reads standard input")
	f.StringVar(&o.transcript, "transcript", "", "`FILE` with a host's record of a session: every call in it is judged again")
	f.BoolVar(&o.batch, "batch", false, "JSON lines in, JSON lines out, in order; a finished shell call has what it proves in \"tests\"")
	f.BoolVar(&o.asJSON, "json", false, "print the result as JSON on standard output")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show the commands that were seen, each gate that it concerns, and the exact bytes the host would get")
	return cmd
}

func runCheck(a *app, o *checkOptions, args []string) error {
	ad, err := lookupAgent(o.agent)
	if err != nil {
		return err
	}
	given := 0
	for _, set := range []bool{len(args) > 0, o.tool != "" || o.path != "", o.prompt != "", o.payload != "", o.transcript != "", o.batch} {
		if set {
			given++
		}
	}
	switch {
	case given == 0:
		return errors.New("nothing to check: give a command, or --tool, --prompt, --payload, --transcript or --batch")
	case given > 1:
		return errors.New("give one thing to check: a command, --tool with --path, --prompt, --payload, --transcript or --batch")
	case o.contentFile != "" && o.path == "":
		return errors.New("--content-file needs --path")
	}
	m := a.machine()
	switch {
	case o.batch:
		return checkBatch(a, m, ad)
	case o.transcript != "":
		return checkTranscript(a, m, ad, o)
	}
	payload, err := a.checkPayload(ad, o, args)
	if err != nil {
		return err
	}
	a.sayUnknownTool(ad, o.tool)
	j := m.Judge(judge.Decode(judge.Request{Adapter: ad, Payload: payload, Dir: a.dir}))
	if err := isObject(payload); err != nil && j.Result.Verdict.Decision == hook.Pass {
		return a.notJudged(o, j, fmt.Errorf("nothing was judged: %w; a hook lets such a call pass, and says so in the log", err))
	}
	if err := a.report(o, j); err != nil || o.asJSON {
		return err
	}
	a.sayUnwatched(o, j)
	return nil
}

// isObject says why a payload is no JSON object that can be read to its end.
func isObject(payload []byte) error {
	v, err := hook.FirstValue(payload)
	switch {
	case errors.Is(err, hook.ErrEmpty):
		return errors.New("the payload is empty")
	case errors.Is(err, hook.ErrTruncated):
		return errors.New("the payload ends in the middle of its JSON")
	case err != nil:
		return fmt.Errorf("the payload is not JSON (%w)", err)
	case v[0] != '{':
		return errors.New("the payload is JSON, and no object")
	}
	return nil
}

// notJudged reports a payload that no gate could see.
func (a *app) notJudged(o *checkOptions, j judge.Judgement, err error) error {
	if !o.asJSON {
		return err
	}
	if e := a.writeJSON(checkResult{Error: err.Error(), Lapses: j.Lapses(), MS: ms(j.Took)}); e != nil {
		return e
	}
	return exitCode(exitError)
}

// sayUnwatched says of a call that passed what of it nobody looked at.
func (a *app) sayUnwatched(o *checkOptions, j judge.Judgement) {
	switch {
	case j.Event.Name == hook.UnknownEvent && j.Event.HostEvent == "":
		a.hintf("the payload names no event of %s, so no gate looked at it", o.agent)
	case j.Event.Name == hook.UnknownEvent:
		a.hintf("%q is no event of %s that is known, so no gate looked at it", j.Event.HostEvent, o.agent)
	case j.Event.Name == hook.UserPromptSubmit && !screened(j):
		a.hintf("validators do not look at prompts here: `validators: {enabled: true, input: [secrets, pii, prompt-injection]}` in %s switches them on", config.FileName)
	}
}

// screened reports whether a validator looked at the call.
func screened(j judge.Judgement) bool {
	return slices.ContainsFunc(j.Result.Runs, func(r engine.Run) bool {
		return strings.HasPrefix(r.Gate, "validators-") && r.Outcome != engine.NotFor
	})
}

// machine is this user's machine for a judgement that changes nothing. What
// the hook would hold back until it is trusted is held back here too.
func (a *app) machine() *judge.Machine {
	return &judge.Machine{Home: a.home, StateHome: a.state, Getenv: a.getenv, Now: a.now, DryRun: true, Proc: world.Programs(a.environ()), HTTP: world.Network(version.String()), YAML: yamldoc.Read}
}

func lookupAgent(name string) (hook.Adapter, error) {
	ad := adapters.Lookup(name)
	if ad == nil {
		return nil, unknownAgent(name, agentNames())
	}
	return ad, nil
}

func agentNames() (names []string) {
	for _, ad := range adapters.All {
		names = append(names, ad.Name())
	}
	return names
}

// unknownAgent says which agents a verb knows, and which of them is meant.
func unknownAgent(name string, known []string) error {
	return fmt.Errorf("unknown agent %q%s: there are %s", name, nearest(name, known), strings.Join(known, ", "))
}

// nearest names the word of a list that a wrong one may mean, "" if there is none.
func nearest(word string, list []string) string {
	if near := config.Nearest(word, list); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}

// sayUnknownTool says of a tool's name that the host has no such tool, and as what
// the call is judged. A server's tools bear any name.
func (a *app) sayUnknownTool(ad hook.Adapter, name string) {
	kind := hook.KindOf(name)
	sampler, ok := ad.(hook.Sampler)
	if !ok || name == "" || kind == hook.MCP {
		return
	}
	names := sampler.ToolNames()
	if slices.Contains(names, name) {
		return
	}
	meant := nearest(name, names)
	judged := "an unknown tool"
	if kind != hook.Other {
		judged = fmt.Sprintf("one of the kind %s", kind)
		if i := slices.IndexFunc(names, func(n string) bool { return hook.KindOf(n) == kind }); i >= 0 && meant == "" {
			meant = fmt.Sprintf(" (did you mean %s?)", names[i])
		}
	}
	a.hintf("%s has no tool %q that is known here%s: it is judged as %s", ad.Name(), name, meant, judged)
}

// checkPayload builds the host payload that the flags describe.
func (a *app) checkPayload(ad hook.Adapter, o *checkOptions, args []string) ([]byte, error) {
	if o.payload != "" {
		return a.readInput("--payload", o.payload)
	}
	s := hook.Sample{SessionID: "check", Cwd: a.dir, Tool: o.tool, Path: o.path, Prompt: o.prompt}
	switch len(args) {
	case 0:
	case 1:
		s.Command = args[0]
	default:
		s.Command = joinWords(args)
	}
	if s.Path != "" {
		s.Path = a.abs(s.Path)
	}
	if o.contentFile != "" {
		data, err := a.readInput("--content-file", o.contentFile)
		if err != nil {
			return nil, err
		}
		content := string(data)
		s.Content = &content
	}
	return samplePayload(ad, s)
}

func samplePayload(ad hook.Adapter, s hook.Sample) ([]byte, error) {
	sampler, ok := ad.(hook.Sampler)
	if !ok {
		return nil, fmt.Errorf("%s: only --payload can be checked for this agent", ad.Name())
	}
	return sampler.Payload(s), nil
}

// readInput reads the file that a flag names, or standard input for -.
func (a *app) readInput(flag, name string) ([]byte, error) {
	if name == "-" {
		if isTerminal(a.stdin) {
			return nil, fmt.Errorf("%s: standard input is a terminal: pipe the text in, or name a file", flag)
		}
		return io.ReadAll(a.stdin)
	}
	data, err := os.ReadFile(a.abs(name))
	if err != nil {
		return nil, a.unreadable(flag, name, err)
	}
	return data, nil
}

// joinWords writes argv so that a shell reads the same words back.
func joinWords(args []string) string {
	quoted := make([]string, len(args))
	for i, w := range args {
		quoted[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`&|;<>()*?[]{}#~!") {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// checkResult is check's --json and --batch output.
type checkResult struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Decision string          `json:"decision,omitempty"`
	Rule     string          `json:"rule,omitempty"`
	Gate     string          `json:"gate,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Context  string          `json:"context,omitempty"`
	Notice   string          `json:"notice,omitempty"`
	MS       float64         `json:"ms"`
	Event    string          `json:"event,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Lapses   []string        `json:"lapses,omitempty"`
	Tests    string          `json:"tests,omitempty"` // grade of a finished shell call
	Gates    []gateResult    `json:"gates,omitempty"`
	Stdout   *string         `json:"stdout,omitempty"`
	Error    string          `json:"error,omitempty"`
}

type gateResult struct {
	Gate     string  `json:"gate"`
	Outcome  string  `json:"outcome"`
	Why      string  `json:"why,omitempty"`
	Decision string  `json:"decision,omitempty"`
	MS       float64 `json:"ms"`
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func newCheckResult(j judge.Judgement, verbose bool) checkResult {
	v := j.Result.Verdict
	r := checkResult{
		Decision: v.Decision.String(), Rule: v.Rule, Gate: v.Gate, Reason: v.Reason, Context: v.Context, Notice: v.Notice,
		MS: ms(j.Took), Event: j.Event.HostEvent, Lapses: j.Lapses(),
	}
	if j.Event.Tool != nil {
		r.Tool = j.Event.Tool.Name
	}
	if verbose {
		for _, run := range j.Result.Runs {
			g := gateResult{Gate: run.Gate, Outcome: run.Outcome.String(), Why: run.Why, MS: ms(run.Took)}
			if run.Outcome == engine.Ran {
				g.Decision = run.Verdict.Decision.String()
			}
			r.Gates = append(r.Gates, g)
		}
		out := string(j.Output.Stdout)
		r.Stdout = &out
	}
	return r
}

func checkExit(d hook.Decision) error {
	switch d {
	case hook.Deny, hook.Block:
		return exitCode(exitDenied)
	case hook.Ask:
		return exitCode(exitPartial)
	default:
		return nil
	}
}

func (a *app) report(o *checkOptions, j judge.Judgement) error {
	if o.asJSON {
		if err := a.writeJSON(newCheckResult(j, o.verbose)); err != nil {
			return err
		}
		return checkExit(j.Result.Verdict.Decision)
	}
	v := j.Result.Verdict
	line := v.Decision.String()
	if v.Rule != "" {
		line += "  " + v.Rule
	}
	a.sayf("%s", line)
	for _, text := range []string{v.Reason, v.Context, v.Notice} {
		if text != "" {
			a.sayf("%s", indent(text))
		}
	}
	for _, l := range j.Lapses() {
		a.hintf("not judged: %s", l)
	}
	for _, run := range j.Result.Runs {
		if run.Gate == rewrite.ID && run.Outcome == engine.Skipped {
			a.hintf("not rewritten: %s", run.Why)
		}
	}
	if o.verbose {
		a.saySeen(j.Event.Tool, j.Event.Cwd)
		a.sayf("")
		idle := 0
		for _, run := range j.Result.Runs {
			if run.Outcome == engine.NotFor {
				idle++
				continue
			}
			said := run.Outcome.String()
			switch {
			case run.Outcome == engine.Ran:
				said = run.Verdict.Decision.String()
			case run.Why != "":
				said += ": " + run.Why
			}
			a.sayf("  %-30s %7.3f ms  %s", run.Gate, ms(run.Took), said)
		}
		if idle > 0 {
			a.sayf("  and %s that it does not concern", plural(idle, "gate"))
		}
		a.sayf("\n%s would get %s on standard output:\n%s", o.agent, plural(len(j.Output.Stdout), "byte"), j.Output.Stdout)
	}
	return checkExit(v.Decision)
}

// saySeen prints the commands that the line of a shell call comes to, each below
// the one that it is part of.
func (a *app) saySeen(t *hook.Tool, dir string) {
	if t == nil {
		return
	}
	src, ok := t.Command()
	if !ok {
		return
	}
	l := shellcmd.Parse(src, shellcmd.Options{Cwd: dir, Home: a.home, PowerShell: t.PowerShell()})
	a.sayf("\n  seen:")
	depth := make([]int, len(l.Commands))
	for i := range l.Commands {
		c := &l.Commands[i]
		if c.Parent >= 0 && c.Parent < i {
			depth[i] = depth[c.Parent] + 1
		}
		var words []string
		for _, w := range c.Wrappers {
			words = append(words, w.Name)
		}
		for _, w := range c.Argv {
			words = append(words, strings.ReplaceAll(w.Text, shellcmd.Unknown, "…"))
		}
		for _, s := range c.Assigns {
			if len(c.Argv) == 0 {
				words = append(words, s.Name+"=…")
			}
		}
		said := oneLine(strings.Join(words, " "))
		if c.Stage > 0 {
			said = "| " + said
		}
		a.sayf("    %s%s", strings.Repeat("  ", depth[i]), said)
	}
	for _, o := range l.Opaque {
		a.sayf("    cannot be read: %s (%s)", oneLine(src[o.Pos:o.End]), o.Why)
	}
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}

func (a *app) writeJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// batchLine is one line of check --batch. Unknown fields are ignored.
type batchLine struct {
	ID      json.RawMessage `json:"id"`
	Payload json.RawMessage `json:"payload"`
	Command *string         `json:"command"`
	Tool    string          `json:"tool"`
	Path    string          `json:"path"`
	Content *string         `json:"content"`
	Prompt  *string         `json:"prompt"`
	Cwd     string          `json:"cwd"`
	Root    string          `json:"root"`
}

// checkBatch judges JSON lines. Lines are independent of each other and of
// this directory: without a cwd they stand in an empty temporary project.
func checkBatch(a *app, m *judge.Machine, ad hook.Adapter) error {
	empty, err := os.MkdirTemp("", "guardrails-check-")
	if err != nil {
		return fmt.Errorf("temporary project: %w", err)
	}
	defer os.RemoveAll(empty)
	if empty, err = filepath.EvalSymlinks(empty); err != nil {
		return err
	}
	return a.judgeLines(`{"id":1,"command":"git status"}`, func(line []byte) (any, bool) {
		r := judgeLine(m, ad, line, empty)
		return r, r.Error == ""
	})
}

func judgeLine(m *judge.Machine, ad hook.Adapter, line []byte, empty string) checkResult {
	var l batchLine
	if err := json.Unmarshal(line, &l); err != nil {
		return checkResult{ID: lineID(line), Error: "not a line of check --batch: " + err.Error()}
	}
	req := judge.Request{Adapter: ad, Dir: empty, Root: l.Root}
	if l.Cwd != "" {
		req.Dir = l.Cwd
	}
	switch {
	case len(l.Payload) > 0:
		req.Payload = l.Payload
		var text string
		if json.Unmarshal(l.Payload, &text) == nil {
			req.Payload = []byte(text) // a payload given as text may be malformed on purpose
		}
	case l.Command == nil && l.Tool == "" && l.Path == "" && l.Prompt == nil:
		return checkResult{ID: l.ID, Error: "the line has no payload, command, tool, path or prompt"}
	default:
		s := hook.Sample{SessionID: "check", Cwd: req.Dir, Tool: l.Tool, Path: l.Path, Content: l.Content}
		if l.Command != nil {
			s.Command = *l.Command
		}
		if l.Prompt != nil {
			s.Prompt = *l.Prompt
		}
		payload, err := samplePayload(ad, s)
		if err != nil {
			return checkResult{ID: l.ID, Error: err.Error()}
		}
		req.Payload = payload
	}
	j := m.Judge(judge.Decode(req))
	r := newCheckResult(j, false)
	r.ID = l.ID
	if report, ok := m.Tests(ad, &j.Event); ok {
		r.Tests = report.Grade.String()
	}
	return r
}

// checkTranscript judges every call of a past session again.
func checkTranscript(a *app, m *judge.Machine, ad hook.Adapter, o *checkOptions) error {
	reader, ok := ad.(hook.TranscriptReader)
	if !ok {
		return fmt.Errorf("%s: transcripts of this agent cannot be read", ad.Name())
	}
	src := a.stdin
	if o.transcript != "-" {
		f, err := os.Open(a.abs(o.transcript))
		if err != nil {
			return a.unreadable("--transcript", o.transcript, err)
		}
		defer f.Close()
		src = f
	}
	in := bufio.NewReaderSize(src, 256<<10)
	var worst hook.Decision
	calls, stopped := 0, 0
	for n := 1; ; n++ {
		line, rerr := in.ReadBytes('\n')
		for _, payload := range reader.ReadTranscript(line) {
			j := m.Judge(judge.Decode(judge.Request{Adapter: ad, Payload: payload, Dir: a.dir}))
			v := j.Result.Verdict
			calls++
			if v.Decision.Rank() > worst.Rank() {
				worst = v.Decision
			}
			if o.asJSON {
				r := newCheckResult(j, o.verbose)
				r.ID = json.RawMessage(fmt.Sprint(n))
				if err := a.writeJSON(r); err != nil {
					return err
				}
			}
			if v.Decision.Rank() < hook.Ask.Rank() {
				continue
			}
			stopped++
			if !o.asJSON {
				a.sayf("line %d: %s  %s  %s\n%s", n, j.Event.Tool.Name, v.Decision, v.Rule, indent(firstLine(v.Reason)))
			}
		}
		if rerr == io.EOF {
			break
		}
		if rerr != nil {
			return a.unreadable("--transcript", o.transcript, rerr)
		}
	}
	if !o.asJSON {
		a.sayf("%s judged, %d would be stopped", plural(calls, "call"), stopped)
	}
	return checkExit(worst)
}

func firstLine(s string) string {
	if before, _, ok := strings.Cut(s, "\n"); ok {
		return before
	}
	return s
}
