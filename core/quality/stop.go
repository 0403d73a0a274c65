package quality

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// spare is what the gate leaves of the hook's time to say that time was up.
const spare = 2 * time.Second

// maxReport is how much of a report is shown, in bytes: a merged Stop has 6,000.
const maxReport = 4500

func (s *Settings) stopGate() *gate.Gate {
	return &gate.Gate{
		ID:       gateStop,
		Doc:      "runs format, lint, build, tests and coverage over what was touched before a turn ends",
		On:       []hook.EventName{hook.Stop, hook.SubagentStop},
		Strength: gate.Enforce,
		Posture:  gate.FailClosed,
		State:    true,
		Budget:   3,
		Report:   true,
		Wants:    s.gated,
		Run: func(ctx context.Context, p *gate.Pass) (v hook.Verdict, err error) {
			// What breaks of ours is not proven, like what a tool did not finish.
			defer func() {
				if r := recover(); r != nil {
					v, err = s.block(&Report{Why: fmt.Sprintf("it broke (%v)", r)}), nil
				}
			}()
			v, err = s.stop(ctx, p)
			if err != nil && !errors.Is(err, gate.ErrSkip) && !errors.Is(err, gate.ErrHandOver) {
				v, err = s.block(&Report{Why: err.Error()}), nil
			}
			return v, err
		},
	}
}

// due reports whether something was written that did not pass yet.
func (s *Settings) due(v session.View) bool {
	if v.Len(session.Touched) == 0 && !v.Full(session.Touched) {
		return false
	}
	_, edited := v.Fact(factEdited)
	_, passed := v.Fact(factPassed)
	if s.Warn {
		if _, warned := v.Fact(factWarned); warned.After(passed) {
			passed = warned
		}
	}
	return passed.IsZero() || edited.After(passed)
}

func (s *Settings) stop(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
	view, agent := p.Session, ""
	if p.Event.Name == hook.SubagentStop {
		agent = p.Event.AgentID
		view = p.Session.Agent(agent)
	}
	look := agent == "" && unseen(view)
	if !s.due(view) && !look {
		return hook.Verdict{}, gate.Skip("nothing was touched since the last pass")
	}
	if o, _ := view.Obligation(RuleStop); o.Skipped != "" || o.Released() && (!look || p.Session.Turn().N <= o.ReleasedInTurn) {
		return hook.Verdict{}, gate.Skip("released to the human")
	}
	if p.Event.Root == "" {
		return hook.Verdict{}, gate.Skip("no project")
	}
	if s.off(gateStop, RuleStop) {
		return hook.Verdict{}, gate.Skip("switched off by the human")
	}
	if s.running(p.Event) && view.Turn().Deferrals < maxDeferrals {
		// The engine lets it pass, and counts: nothing is run for it.
		return s.block(&Report{Why: "work of this session still runs"}), nil
	}
	w, err := s.worker(p)
	if err != nil {
		return hook.Verdict{}, err
	}
	touched := view.Touched()
	if look {
		found := s.look(ctx, p, w)
		touched = append(touched, found...)
		slices.Sort(touched)
		touched = slices.Compact(touched)
		if o, _ := view.Obligation(RuleStop); len(found) == 0 && (!s.due(view) || o.Released()) {
			return hook.Verdict{}, nil // what ran wrote nothing
		}
	}
	looked := p.Env.Now()
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	base, _ := p.Session.Fact(factBase)
	r := w.Gate(ctx, s.Project, Request{
		Touched: touched, Base: base, Dirty: dirty(p.Session), Baseline: snapshot(p.Session), Deadline: true,
	})
	notice := s.aside(p, r)
	switch {
	case r.Outcome == Passed:
		p.Record(session.Note(factPassed, r.Tree, looked).For(agent))
		p.Record(session.Meet(RuleStop, looked).For(agent))
		for i, c := range r.Coverage {
			if i == maxSnapshot {
				break
			}
			p.Record(session.Note(coverNow+c.Package, percent(c.Pct), looked))
		}
		return hook.Verdict{Notice: notice}, nil
	case s.Warn:
		p.Record(session.Note(factWarned, r.Tree, looked).For(agent))
		return hook.Verdict{Notice: join(notice, "guardrails: "+r.Text(maxReport)+s.byHand(r))}, nil
	default:
		v := s.block(r)
		v.Notice = notice
		return v, nil
	}
}

// lookLimit is what the end of a turn spends on looking for what commands wrote.
const lookLimit = 5 * time.Second

// look finds what commands of this session wrote that no call named, and makes
// it touched.
func (s *Settings) look(ctx context.Context, p *gate.Pass, w Worker) []string {
	now := p.Env.Now()
	p.Record(session.Note(factLooked, "", now))
	from, last, to := shellSpan(p.Session)
	if from.IsZero() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	out := w.Written(ctx, s.Project, Span{From: from, To: to, Dirty: dirty(p.Session)})
	for _, name := range out {
		p.Record(session.Add(session.Touched, name))
	}
	if len(out) > 0 {
		p.Record(session.Note(factEdited, "", last))
		if RootOf(p.Session) != p.Event.Root {
			p.Record(session.Note(factRoot, p.Event.Root, now))
		}
		renew(p, p.Session, "", now)
	}
	return out
}

// maxDeferrals is how many ends in a row the engine lets pass because work
// still runs.
const maxDeferrals = 3

// running reports whether the session waits for work of its own, as the engine
// sees it.
func (s *Settings) running(e *hook.Event) bool {
	return slices.ContainsFunc(e.Background, func(b hook.Background) bool {
		return b.Kind == hook.BackgroundSubagent || b.Kind == hook.BackgroundCommand && b.Command != "" && s.Busy != nil && s.Busy(b.Command)
	})
}

// bounded leaves time to answer when the tools take longer than there is.
func (s *Settings) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := 10 * time.Minute
	if s.Stop > 0 {
		limit = max(s.Stop-10*time.Second, time.Second)
	}
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, max(time.Until(end)-spare, time.Until(end)/2))
	}
	return context.WithTimeout(ctx, limit)
}

// block is the verdict that keeps the turn going.
func (s *Settings) block(r *Report) hook.Verdict {
	return hook.Verdict{Decision: hook.Block, Rule: RuleStop, Reason: r.Text(maxReport) + s.byHand(r)}
}

// byHand says how the gate is run without a hook's deadline.
func (s *Settings) byHand(r *Report) string {
	cmd := s.command("gate run --changed")
	switch {
	case r.Outcome == Failed:
		return "\nIt runs again when the turn ends. By hand: " + cmd
	case r.TooLong:
		return "\nRun " + cmd + " now: it has no deadline, and what it finds on this tree stands when you end the turn again."
	default:
		return "\nRun " + cmd + " to see it whole; what it finds on this tree stands when you end the turn again."
	}
}

func (s *Settings) command(verb string) string {
	name := s.Guardrails
	if name == "" {
		name = "guardrails"
	}
	return name + " " + verb
}

// aside is what the human is told besides: once what is missing, always what
// was let pass though it failed.
func (s *Settings) aside(p *gate.Pass, r *Report) string {
	var lines []string
	if text := s.missing(p, r.Missing); text != "" {
		lines = append(lines, text)
	}
	for _, b := range r.Broken {
		if _, at := p.Session.Fact(brokenPre + b.Tool); at.IsZero() {
			p.Record(session.Note(brokenPre+b.Tool, string(b.Step), p.Env.Now()))
			lines = append(lines, fmt.Sprintf("guardrails: %s of %s was not checked, and does not block: %s", b.Step, b.For, b.Why))
		}
	}
	if len(r.Flaky) > 0 {
		lines = append(lines, "guardrails: flaky, failed once and then passed: "+trim(strings.Join(r.Flaky, ", "), 300))
	}
	if n := len(r.Known); n > 0 && s.news(p, r.Known) {
		more := ""
		if n > 1 {
			more = fmt.Sprintf(", and %d more", n-1)
		}
		lines = append(lines, "guardrails: not this session's doing, so it does not block: "+trim(r.Known[0].String(), 200)+more)
	}
	return strings.Join(lines, "\n")
}

// missing says each missing tool once a session.
func (s *Settings) missing(p *gate.Pass, list []Missing) string {
	var tools []string
	what := map[string][]string{}
	for _, m := range list {
		fact := missingPre + m.Tool
		if _, at := p.Session.Fact(fact); !at.IsZero() {
			continue
		}
		if what[m.Tool] == nil {
			p.Record(session.Note(fact, string(m.Step), p.Env.Now()))
			tools = append(tools, m.Tool)
		}
		if step := string(m.Step); !slices.Contains(what[m.Tool], step) {
			what[m.Tool] = append(what[m.Tool], step)
		}
	}
	if len(tools) == 0 {
		return ""
	}
	for i, tool := range tools {
		tools[i] = tool + " (" + strings.Join(what[tool], ", ") + ")"
	}
	return "guardrails: not installed, so what needs it is skipped: " + strings.Join(tools, ", ")
}

func dirty(v session.View) []string {
	touched := v.Touched()
	return slices.DeleteFunc(v.Set(setDirty), func(name string) bool {
		_, ok := slices.BinarySearch(touched, name)
		return ok
	})
}

// snapshot is the coverage at the session's start, nil if none was kept.
func snapshot(v session.View) map[string]Count {
	var out map[string]Count
	for _, name := range v.Facts(coverPre) {
		value, _ := v.Fact(name)
		if c, ok := parseMeasured(value); ok {
			if out == nil {
				out = map[string]Count{}
			}
			out[strings.TrimPrefix(name, coverPre)] = c
		}
	}
	return out
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// news reports whether the human was not told yet of just these.
func (s *Settings) news(p *gate.Pass, list []Finding) bool {
	sum := sha256.New()
	for _, f := range list {
		fmt.Fprintln(sum, f.String())
	}
	mark := hex.EncodeToString(sum.Sum(nil)[:6])
	if told, _ := p.Session.Fact(factKnown); told == mark {
		return false
	}
	p.Record(session.Note(factKnown, mark, p.Env.Now()))
	return true
}
