package evidence

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
	"github.com/ec261362/guardrails/core/shellcmd"
	"github.com/ec261362/guardrails/core/testrun"
)

// IDs of the gates. Those of the spawn and the close guard are the rules of
// their verdicts too; RuleClose names the obligation.
const (
	RuleProfile  = "evidence/profile"
	RuleSpawn    = "evidence/spawn"
	RuleStreak   = "evidence/streak"
	RuleMutation = "evidence/mutation"
	RuleClose    = "evidence/close"
)

// Settings are what the gates are handed. The zero value is off.
type Settings struct {
	On bool
	// Resting says that the configuration that asked for evidence is broken: what
	// is recorded goes on, what insists rests.
	Resting bool

	SpawnMin int       // characters from which on a delegation is substantial; 0 = 1,500
	Program  string    // how messages name this program: its installed absolute path
	DryRun   bool      // write nothing
	Started  time.Time // when this process started

	// Own tells what the quality gate did in this same judgement; nil = nothing.
	Own func() []OwnRun
}

// OwnRun is something that a gate of ours ran while it judged this event.
type OwnRun struct {
	Wrote  bool    // it changed files: a formatter, a fixer
	Kind   Kind    // Test or Build, "" = proves nothing
	Result Outcome // of a proof
	Source string
	Detail string
}

// DefaultSpawnMin is how many characters make a delegation substantial.
const DefaultSpawnMin = 1500

// New returns the gates in the order in which they run; none when evidence is
// off.
func New(s Settings) []*gate.Gate {
	if !s.On && !s.Resting {
		return nil
	}
	if s.SpawnMin == 0 {
		s.SpawnMin = DefaultSpawnMin
	}
	if s.Program == "" {
		s.Program = "guardrails"
	}
	s.Program = quoted(s.Program)
	g := &gates{s}
	after := []hook.EventName{hook.PostToolUse, hook.PostToolUseFailure}
	list := []*gate.Gate{
		{
			ID:       RuleProfile,
			Doc:      "tells a starting session where the work stands",
			On:       []hook.EventName{hook.SessionStart},
			Strength: gate.Suggest,
			Wants:    inProject,
			Run:      g.profile,
		},
		{
			ID:    RuleMutation,
			Doc:   "counts each attempt to change a file of the project, also one that failed",
			On:    after,
			Tools: hook.Tools(hook.Write, hook.Edit, hook.MCP, hook.Shell, hook.Other),
			Wants: func(e *hook.Event) bool { return inProject(e) && writes(e.Tool) },
			Run:   g.mutation,
		},
		{
			ID:       RuleStreak,
			Doc:      "counts failures in a row, and takes test runs as proof of the tree that they ran on",
			On:       after,
			Tools:    hook.Tools(hook.Shell, hook.MCP, hook.Other),
			Strength: gate.Suggest,
			State:    true,
			Wants:    inProject,
			Run:      g.shell,
		},
		{
			ID:    "evidence/run",
			Doc:   "notes on which generation a test run begins: what changes while it runs is not proven by it",
			On:    []hook.EventName{hook.PreToolUse},
			Tools: hook.Tools(hook.Shell),
			State: true,
			Wants: func(e *hook.Event) bool { return inProject(e) && e.Tool.ID != "" },
			Run:   g.begins,
		},
		{
			ID:    "evidence/end",
			Doc:   "records how a session left the work",
			On:    []hook.EventName{hook.SessionEnd},
			State: true,
			Wants: inProject,
			Run:   g.end,
		},
		{
			ID:    "evidence/own",
			Doc:   "takes the quality gate's own run at the end of a subagent as proof",
			On:    []hook.EventName{hook.SubagentStop},
			Wants: func(e *hook.Event) bool { return inProject(e) && s.Own != nil },
			Run:   g.own,
		},
	}
	if s.Resting {
		return list
	}
	return append(list,
		&gate.Gate{
			ID:       RuleSpawn,
			Doc:      "a substantial delegation needs bounded work: an open card of the ledger",
			On:       []hook.EventName{hook.PreToolUse},
			Tools:    hook.Tools(hook.Spawn),
			Strength: gate.Enforce,
			Wants:    func(e *hook.Event) bool { return inProject(e) && s.substantial(e.Tool) },
			Run:      g.spawn,
		},
		&gate.Gate{
			ID:       RuleClose,
			Doc:      "a turn ends with no card open, and substantial work only with fresh proof and in phase complete",
			On:       []hook.EventName{hook.Stop},
			Strength: gate.Enforce,
			State:    true,
			Budget:   session.DefaultBudget,
			Wants:    inProject,
			Run:      g.close,
		},
	)
}

func inProject(e *hook.Event) bool { return e.Root != "" }

type gates struct{ Settings }

func (g *gates) store(p *gate.Pass) *Store {
	return &Store{Root: p.Event.Root, Now: p.Env.Now, Started: g.Started, DryRun: g.DryRun}
}

func (g *gates) tree(p *gate.Pass) Tree {
	return Tree{Root: p.Event.Root, Home: p.Env.Home, FS: p.Env.FS, Proc: p.Env.Proc}
}

func now(p *gate.Pass) time.Time {
	if p.Env.Now == nil {
		return time.Now()
	}
	return p.Env.Now()
}

// profile injects the compact state.
func (g *gates) profile(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
	store := g.store(p)
	ledger, lerr := store.Ledger()
	if lerr != nil {
		ledger = &Ledger{}
	}
	st, err := store.Load()
	if errors.Is(err, ErrInvalid) {
		return hook.Verdict{Decision: hook.Advise, Rule: RuleProfile, Context: g.invalidText(err)}, nil
	}
	if err = errors.Join(err, lerr); err != nil {
		return hook.Verdict{}, err
	}
	return hook.Verdict{Decision: hook.Advise, Rule: RuleProfile, Context: profileText(st, ledger)}, nil
}

// substantial reports whether a delegation is long enough to need a card.
func (s Settings) substantial(t *hook.Tool) bool {
	return !strings.Contains(strings.ToLower(t.AgentType()), "fork") && delegated(t) >= s.SpawnMin
}

// delegated counts the characters of what a subagent is told to do.
func delegated(t *hook.Tool) int {
	n := 0
	for key, v := range t.Fields() {
		switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key)) {
		case "prompt", "script", "description", "message", "instructions", "instruction", "task", "tasks", "objective", "goal", "query", "request",
			"input", "items", "args", "arguments", "content", "text", "context", "prompts", "userprompt", "taskdescription", "subagents", "agents":
			if s, ok := hook.Text(v); ok {
				n += utf8.RuneCountInString(s)
				continue
			}
			for _, s := range (&hook.Tool{Input: v}).Strings() {
				n += utf8.RuneCountInString(s)
			}
		}
	}
	return n
}

func (g *gates) spawn(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
	ledger, err := g.store(p).Ledger()
	if err != nil {
		return hook.Verdict{}, err
	}
	if ledger.Paused != "" {
		return hook.Verdict{}, gate.Skip("the ledger is paused")
	}
	if len(ledger.OpenCards()) > 0 {
		return hook.Verdict{}, nil
	}
	return hook.Verdict{Decision: hook.Deny, Rule: RuleSpawn, Reason: g.spawnText(delegated(p.Event.Tool))}, nil
}

// writes is the list of what may change a file, besides the host's own matcher:
// the tools that write, and any other call that shows an edit.
func writes(t *hook.Tool) bool {
	if t == nil {
		return false
	}
	switch t.Kind {
	case hook.Write, hook.Edit:
		return true
	case hook.Shell:
		cmd, ok := t.Command()
		return ok && strings.Contains(cmd, "*** Begin Patch") && len(t.Edits()) > 0
	case hook.MCP, hook.Other:
		return len(t.Edits()) > 0
	default:
		return false
	}
}

func (g *gates) mutation(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
	if ok, err := g.mutates(ctx, p); err != nil || !ok {
		return hook.Verdict{}, err
	}
	store, c := g.store(p), g.call(p)
	at := now(p)
	wait, cancel := patient(ctx)
	defer cancel()
	_, err := store.Update(wait, func(st *State) (bool, error) {
		if !st.once(c, asMutation, g.Started, at) {
			return false, nil
		}
		st.mutate()
		return true, nil
	})
	if err == nil {
		renew(p)
		return hook.Verdict{}, nil
	}
	if errors.Is(err, ErrInvalid) {
		return hook.Verdict{}, gate.Skip(err.Error()) // the close guard's finding
	}
	if wait.Err() == nil {
		return hook.Verdict{}, err
	}
	if spoolErr := store.spool(c.spoolKey(at)); spoolErr != nil {
		return hook.Verdict{}, errors.Join(err, spoolErr)
	}
	return hook.Verdict{}, fmt.Errorf("%w: the change is kept beside the state and counted with the next one", err)
}

// patient leaves time to act when the wait for a lock is over: whoever has not
// finished when ctx ends is abandoned.
func patient(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	const spare = 500 * time.Millisecond
	return context.WithDeadline(ctx, end.Add(-min(spare, time.Until(end)/4)))
}

// renew has the close guard insist again after it let go: what was released
// stays so until a human has spoken and something changed.
func renew(p *gate.Pass) {
	if o, known := p.Session.Obligation(RuleClose); known && o.Released() && o.ReleasedInTurn < p.Session.Turn().N {
		p.Record(session.Renew(RuleClose, now(p)))
	}
}

func (g *gates) call(p *gate.Pass) call {
	return newCall(p.Event.Host, p.Event.SessionID+" "+p.Event.AgentID, p.Event.Tool.ID, p.Event.Raw)
}

// mutates reports whether a call that writes wrote a file that counts: one of
// the project that git does not ignore, and not of our own folder. A call that
// names no file counts.
func (g *gates) mutates(ctx context.Context, p *gate.Pass) (bool, error) {
	var paths []string
	for _, e := range p.Event.Tool.Edits() {
		paths = append(paths, e.Path, e.NewPath)
	}
	if len(paths) == 0 {
		paths = p.Event.Tool.Paths()
	}
	if len(paths) == 0 {
		return true, nil
	}
	var count []string
	for _, name := range paths {
		if name = hook.LocalPath(name); name == "" {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Event.Cwd, name)
		}
		rel, ok := g.within(p, filepath.Clean(name))
		if !ok || rel == Dir || strings.HasPrefix(rel, Dir+"/") {
			continue
		}
		count = append(count, filepath.Join(p.Event.Root, filepath.FromSlash(rel)))
	}
	if len(count) == 0 {
		return false, gate.Skip("no file of the project")
	}
	ignored, err := g.tree(p).ignored(ctx, count)
	if errors.Is(err, gate.ErrHandOver) {
		return false, err
	}
	if err != nil {
		return true, nil //nolint:nilerr // in doubt it counts
	}
	for _, name := range count {
		if !ignored[name] {
			return true, nil
		}
	}
	return false, gate.Skip("git ignores it")
}

// within returns name relative to the root, by either spelling of both.
func (g *gates) within(p *gate.Pass, name string) (rel string, ok bool) {
	if rel, ok = inside(name, p.Event.Root); ok {
		return rel, true
	}
	root, err := filepath.EvalSymlinks(p.Event.Root)
	if err != nil {
		return "", false
	}
	if rel, ok = inside(name, root); ok {
		return rel, true
	}
	dir, rest := filepath.Dir(name), filepath.Base(name)
	for {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return inside(filepath.Join(real, rest), root)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir, rest = up, filepath.Join(filepath.Base(dir), rest)
	}
}

// shell takes a finished command into account: as proof if it was a test run,
// in the streak, and as something that may have changed files.
func (g *gates) shell(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
	store := g.store(p)
	if p.Event.Tool.Kind != hook.Shell { // what an unknown tool does is unknown
		return hook.Verdict{}, dirty(ctx, store)
	}
	line := p.Commands()
	if ownOnly(line) {
		return hook.Verdict{}, gate.Skip("runs only guardrails")
	}
	res := outcome(p)
	proof, missed, err := g.proof(ctx, p, store, res)
	if err != nil {
		return hook.Verdict{}, err
	}
	if missed != "" {
		told := hook.Verdict{Decision: hook.Advise, Rule: RuleClose, Context: missed}
		if more, err := g.judged(ctx, p, store, res, line, nil); err != nil || more.Decision != hook.Pass {
			return more, err
		}
		return told, nil
	}
	return g.judged(ctx, p, store, res, line, proof)
}

// judged counts a finished command, and takes its proof if it is one.
func (g *gates) judged(ctx context.Context, p *gate.Pass, store *Store, res *hook.Result, line *shellcmd.Line, proof *proven) (hook.Verdict, error) {
	ledger, err := store.Ledger()
	if err != nil {
		return hook.Verdict{}, err
	}
	o := NoOutcome
	switch {
	case ledger.Paused != "" || res == nil || res.Background || res.Interrupted:
	case res.Outcome == hook.Succeeded:
		o = Pass
	case res.Outcome == hook.Failed && !(res.HasExit && res.ExitCode == 1 && asksOnly(line)):
		o = Fail
	}
	dirty := proof == nil && !changesNothing(line)
	st, err := store.Load()
	if errors.Is(err, ErrInvalid) {
		return hook.Verdict{}, gate.Skip(err.Error())
	}
	if err != nil {
		return hook.Verdict{}, err
	}
	if proof == nil && (o == NoOutcome || o == Pass && st.FailureStreak == 0 && st.Unclaimed == NoOutcome) && (!dirty || st.MaybeDirty) {
		return hook.Verdict{}, nil // the ordinary call writes nothing
	}
	c, at, recovering := g.call(p), now(p), false
	st, err = store.Update(ctx, func(st *State) (bool, error) {
		changed := false
		if dirty && !st.MaybeDirty {
			st.MaybeDirty, changed = true, true
		}
		if o != NoOutcome && st.once(c, asOutcome, g.Started, at) {
			recovering = st.count(o)
			if st.Unclaimed = NoOutcome; o == Fail {
				st.Unclaimed = Fail
			}
			changed = true
		}
		if proof != nil && st.once(c, asProof, g.Started, at) {
			st.take(proof.Record, proof.sight, at)
			st.closeIf(ledger)
			changed = true
		}
		return changed, nil
	})
	if err != nil {
		return hook.Verdict{}, err
	}
	if !recovering {
		return hook.Verdict{}, nil
	}
	return hook.Verdict{Decision: hook.Advise, Rule: RuleStreak, Context: g.recoveryText(st.FailureStreak)}, nil
}

// closeIf completes proven work of undeclared phase if no card is open.
func (s *State) closeIf(l *Ledger) {
	if len(l.OpenCards()) == 0 {
		s.closeByProof()
	}
}

func dirty(ctx context.Context, store *Store) error {
	st, err := store.Load()
	if errors.Is(err, ErrInvalid) {
		return gate.Skip(err.Error())
	}
	if err != nil || st.MaybeDirty {
		return err
	}
	_, err = store.Update(ctx, func(st *State) (bool, error) {
		was := st.MaybeDirty
		st.MaybeDirty = true
		return !was, nil
	})
	return err
}

// outcome is how the call ended, as far as anybody tells.
func outcome(p *gate.Pass) *hook.Result {
	res := p.Event.Tool.Result
	if p.Env.Outcome != nil && (res == nil || res.Outcome == hook.Unknown && !res.Background) {
		if told := p.Env.Outcome(p.Event); told != nil {
			return told
		}
	}
	if res == nil && p.Event.Name == hook.PostToolUseFailure {
		return &hook.Result{Outcome: hook.Failed}
	}
	return res
}

// setRuns holds the test runs that have begun: their call's id and the
// generation.
const setRuns = "evidence:runs"

// begins notes the generation on which a test run begins, for hosts whose calls
// have ids.
func (g *gates) begins(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
	line := p.Commands()
	if line == nil || !testrun.Names(line) {
		return hook.Verdict{}, gate.Skip("no test run")
	}
	st, err := g.store(p).Load()
	if errors.Is(err, ErrInvalid) {
		return hook.Verdict{}, gate.Skip(err.Error())
	}
	if err != nil {
		return hook.Verdict{}, err
	}
	p.Record(session.Add(setRuns, p.Event.Tool.ID+" "+strconv.Itoa(st.MutationGeneration)))
	return hook.Verdict{}, nil
}

// began returns the generation on which the call began, and forgets it; the
// current one if nobody noted it.
func began(p *gate.Pass, current int) int {
	if p.Event.Tool.ID == "" {
		return current
	}
	for _, run := range p.Session.Set(setRuns) {
		rest, ok := strings.CutPrefix(run, p.Event.Tool.ID+" ")
		if n, err := strconv.Atoi(rest); ok && err == nil && n >= 0 && n <= current {
			p.Record(session.Remove(setRuns, run))
			return n
		}
	}
	return current
}

// proven is a proof with the tree that it is of.
type proven struct {
	Record
	sight
}

// proof judges a shell call as a test run, nil if it proves nothing either way;
// missed says why a run that passed proves nothing about what was changed.
func (g *gates) proof(ctx context.Context, p *gate.Pass, store *Store, res *hook.Result) (proof *proven, missed string, err error) {
	line := p.Commands()
	if line == nil || !testrun.Names(line) {
		return nil, "", nil
	}
	dir := p.Event.Cwd
	r := testrun.Judge(testrun.Call{Line: line, Result: res, Dir: dir, ReadFile: p.Env.FS.ReadFile})
	rec := Record{Kind: Test, Result: Pass, Source: r.Runner, Detail: runDetail(r)}
	switch {
	case r.Grade == testrun.Passed, r.Grade == testrun.PassedUncounted && g.holdsTests(p, r):
	case r.Grade == testrun.Failed:
		rec.Result = Fail
	default:
		return nil, "", nil
	}
	if g.outside(p, line, r) {
		return nil, "", nil
	}
	if pkg := g.elsewhere(p, r); pkg != "" && rec.Result == Pass {
		return nil, missedText(pkg, r), nil
	}
	if rec.Source == "" {
		rec.Source = "test run"
	}
	st, err := store.Load()
	if errors.Is(err, ErrInvalid) {
		return nil, "", gate.Skip(err.Error())
	}
	if err != nil {
		return nil, "", err
	}
	tree, err := g.tree(p).Digest(ctx)
	if errors.Is(err, gate.ErrHandOver) {
		return nil, "", err
	}
	if err != nil {
		tree = "" // proof without a digest: of the counted generation only
	}
	return &proven{rec, sight{tree: tree, at: st.MutationGeneration, began: began(p, st.MutationGeneration)}}, "", nil
}

func runDetail(r testrun.Report) string {
	if r.Passed+r.Failed+r.Skipped == 0 {
		return "recorded run: " + r.Grade.String() + ", not counted"
	}
	return fmt.Sprintf("recorded run: %d passed, %d failed, %d skipped", r.Passed, r.Failed, r.Skipped)
}

// Bounds of the look for test functions.
const (
	maxTestFiles = 400
	maxTestFile  = 1 << 20
)

// holdsTests reports whether the packages that a run without counts went
// through hold a test function.
func (g *gates) holdsTests(p *gate.Pass, r testrun.Report) bool {
	dirs := r.Dirs
	if len(dirs) == 0 {
		dirs = []string{p.Event.Cwd}
	}
	patterns := r.Packages
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	left := maxTestFiles
	if r.Runner == "gradle" { // its tests lie anywhere below
		return slices.ContainsFunc(dirs, func(dir string) bool { return hasTest(p.Env.FS, dir, true, jvmTest, &left) })
	}
	for _, dir := range dirs {
		for _, pattern := range patterns {
			at, deep := strings.CutSuffix(filepath.ToSlash(pattern), "...")
			at = filepath.FromSlash(strings.TrimSuffix(at, "/"))
			if !filepath.IsAbs(at) {
				at = filepath.Join(dir, at)
			}
			if _, err := p.Env.FS.Stat(at); err != nil { // an import path
				at, deep = dir, true
			}
			if hasTest(p.Env.FS, at, deep, goTest, &left) {
				return true
			}
		}
	}
	return false
}

// hasTest reports whether a file in dir, or below it, holds a line that begins a
// test.
func hasTest(files gate.FS, dir string, deep bool, is testLine, left *int) bool {
	entries, err := files.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if e.IsDir() {
			if deep && !made(e.Name()) && e.Name() != "testdata" && e.Name() != "vendor" && *left > 0 && hasTest(files, name, true, is, left) {
				return true
			}
			continue
		}
		if !is(e.Name(), "") || *left <= 0 {
			continue
		}
		*left--
		data, err := files.ReadFile(name, maxTestFile)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			if strings.TrimSpace(line) != "" && is(e.Name(), line) {
				return true
			}
		}
	}
	return false
}

// A testLine reports whether a line of a file begins a test, or without a line
// whether the file may hold one.
type testLine func(name, line string) bool

func goTest(name, line string) bool {
	if line == "" {
		return strings.HasSuffix(name, "_test.go")
	}
	rest, ok := strings.CutPrefix(line, "func Test")
	return ok && !strings.HasPrefix(rest, "Main(") || strings.HasPrefix(line, "func Example") || strings.HasPrefix(line, "func Fuzz")
}

// jvmTest knows JUnit, Spock and Kotest.
func jvmTest(name, line string) bool {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	if line == "" {
		switch ext {
		case ".java", ".kt", ".groovy", ".scala":
			return strings.Contains(stem, "Test") || strings.HasSuffix(stem, "Spec") || strings.HasSuffix(stem, "IT")
		}
		return false
	}
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "@Test") || strings.HasPrefix(line, "@ParameterizedTest") || strings.HasPrefix(line, "@Property") ||
		strings.Contains(line, "extends Specification") || strings.HasPrefix(line, "class ") && strings.Contains(line, "Spec(")
}
