package evidence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// project is a folder with gates over it.
type project struct {
	*testing.T
	root, home string
	set        Settings
	proc       gate.Proc
	clock      time.Time
	calls      int
	changes    []session.Change // recorded by the last event
	view       session.View
}

func newProject(t *testing.T) *project {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &project{T: t, home: filepath.Join(base, "home"), clock: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)}
	p.root = filepath.Join(p.home, "work", "p")
	if err := os.MkdirAll(p.root, 0o755); err != nil {
		t.Fatal(err)
	}
	p.set = Settings{On: true, Program: "/opt/guardrails"}
	return p
}

// programs runs real programs, as the full process does.
type programs struct{ home string }

func (p programs) Run(ctx context.Context, c gate.Command) (gate.Exit, error) {
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Stdin = c.Dir, strings.NewReader(string(c.Stdin))
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "GIT_CONFIG_NOSYSTEM=1"}, c.Env...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return gate.Exit{}, err
	}
	return gate.Exit{Code: cmd.ProcessState.ExitCode(), Stdout: []byte(out.String()), Stderr: []byte(errs.String())}, nil
}

func (p programs) LookPath(name string) (string, error) { return exec.LookPath(name) }

func (p *project) git(args ...string) string {
	p.Helper()
	return p.gitIn(p.root, args...)
}

func (p *project) gitIn(dir string, args ...string) string {
	p.Helper()
	p.proc = programs{p.home}
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (p *project) file(name, text string) {
	p.Helper()
	full := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

func (p *project) store() *Store {
	return &Store{Root: p.root, Now: func() time.Time { return p.clock }, Started: p.clock}
}

func (p *project) state() *State {
	p.Helper()
	st, err := p.store().Load()
	if err != nil {
		p.Fatal(err)
	}
	return st
}

func (p *project) tree() Tree { return Tree{Root: p.root, Home: p.home, FS: fsx.OS{}, Proc: p.proc} }

// on runs the gates that an event concerns and merges what they say.
func (p *project) on(e hook.Event) hook.Verdict {
	p.Helper()
	v, err := p.try(e)
	if err != nil && !errors.Is(err, gate.ErrSkip) {
		p.Fatalf("%s: %v", e.Name, err)
	}
	return v
}

func (p *project) try(e hook.Event) (hook.Verdict, error) {
	p.Helper()
	p.clock = p.clock.Add(time.Second)
	p.calls++
	e.Host, e.SessionID, e.Root, e.Cwd = "claude", "s", p.root, p.root
	if e.Raw == nil {
		e.Raw = fmt.Appendf(nil, `{"n":%d}`, p.calls)
	}
	if e.Tool != nil && e.Tool.ID == "" {
		e.Tool.ID = fmt.Sprintf("t%d", p.calls)
	}
	p.set.Started = p.clock
	p.changes = nil
	pass := &gate.Pass{
		Event: &e, Session: p.view, Record: func(c session.Change) { p.changes = append(p.changes, c) },
		Env: gate.Env{Now: func() time.Time { return p.clock }, Home: p.home, FS: fsx.OS{}, Proc: p.proc},
	}
	var all hook.Verdict
	var errs []error
	for _, g := range New(p.set) {
		if ok, _ := g.Applies(&e); !ok {
			continue
		}
		v, err := g.Run(p.Context(), pass)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = gate.Merge(all, v)
	}
	return all, errors.Join(errs...)
}

type obj = map[string]any

func toolCall(name string, kind hook.ToolKind, input obj, r *hook.Result) *hook.Tool {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	return &hook.Tool{Name: name, Kind: kind, Input: raw, Result: r}
}

func (p *project) write(path string) hook.Verdict {
	p.Helper()
	return p.on(hook.Event{Name: hook.PostToolUse, Tool: toolCall("Write", hook.Write, obj{"file_path": path, "content": "x"}, &hook.Result{Outcome: hook.Succeeded})})
}

func (p *project) run(command string, r *hook.Result) hook.Verdict {
	p.Helper()
	name := hook.PostToolUse
	if r != nil && r.Outcome == hook.Failed {
		name = hook.PostToolUseFailure
	}
	return p.on(hook.Event{Name: name, Tool: toolCall("Bash", hook.Shell, obj{"command": command}, r)})
}

var (
	ok     = &hook.Result{Outcome: hook.Succeeded, Text: "fine", ExitCode: 0, HasExit: true}
	failed = &hook.Result{Outcome: hook.Failed, Text: "Exit code 1", ExitCode: 1, HasExit: true}
	green  = &hook.Result{Outcome: hook.Succeeded, Text: "===== 3 passed in 0.12s =====", HasExit: true}
	red    = &hook.Result{Outcome: hook.Failed, Text: "===== 1 failed, 2 passed in 0.12s =====", ExitCode: 1, HasExit: true}
)

func (p *project) stop() hook.Verdict {
	p.Helper()
	return p.on(hook.Event{Name: hook.Stop, Message: "Done."})
}

// blocks fails the test unless a Stop is blocked with all of words.
func (p *project) blocks(words ...string) {
	p.Helper()
	v := p.stop()
	if v.Decision != hook.Block || v.Rule != RuleClose {
		p.Fatalf("Stop: %s, want a block", v.Decision)
	}
	for _, w := range words {
		if !strings.Contains(v.Reason, w) {
			p.Errorf("the block does not say %q:\n%s", w, v.Reason)
		}
	}
}

func (p *project) passes() {
	p.Helper()
	if v := p.stop(); v.Decision != hook.Pass {
		p.Fatalf("Stop: %s, want a pass: %s", v.Decision, v.Reason)
	}
}

func (p *project) add(kind Kind, result Outcome, detail string) {
	p.Helper()
	if _, err := p.store().Add(p.Context(), p.tree(), Record{Kind: kind, Result: result, Source: "by hand", Detail: detail}); err != nil {
		p.Fatal(err)
	}
}

func (p *project) phase(ph Phase, skill ...string) {
	p.Helper()
	s := ""
	if len(skill) > 0 {
		s = skill[0]
	}
	if _, err := p.store().Declare(p.Context(), ph, s, ""); err != nil {
		p.Fatal(err)
	}
}

// put writes a state by hand.
func (p *project) put(text string) { p.file(Dir+"/"+StateName, text) }

func (p *project) generations(mutation, verified int) {
	p.Helper()
	st := p.state()
	if st.MutationGeneration != mutation || st.VerifiedGeneration != verified {
		p.Errorf("generations %d / %d, want %d / %d", st.MutationGeneration, st.VerifiedGeneration, mutation, verified)
	}
}

const substantive = "31 passed in 4 packages"
