// Package scenario plays a pack's scenarios: each step becomes the payload that
// a host would send, is decoded by that host's adapter and judged by the same
// machine as a hook call, in a home of its own.
//
// It runs nothing of what a scenario names: a provider's answer is part of the
// scenario.
package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/judge"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/handoff"
	"github.com/ec261362/guardrails/core/handoff/pack"
	"github.com/ec261362/guardrails/core/hook"
)

// Hosts are the hosts whose payload shapes are played: two that differ in
// everything that matters here.
var Hosts = [...]string{"claude", "gemini"}

// Result is how one scenario went on one host.
type Result struct {
	Pack     string `json:"pack"`
	Scenario string `json:"scenario"`
	Host     string `json:"host"`
	OK       bool   `json:"ok"`
	Step     int    `json:"step,omitempty"` // the first that went wrong, from 1
	Why      string `json:"why,omitempty"`
}

// Play plays one scenario of p on one host.
func Play(p *pack.Pack, s *pack.Scenario, host string) (Result, error) {
	r := Result{Pack: p.Name, Scenario: s.Name, Host: host}
	shape, ok := shapes(host)
	ad := adapters.Lookup(host)
	if !ok || ad == nil {
		return r, fmt.Errorf("no payload shapes of %q", host)
	}
	home, err := os.MkdirTemp("", "guardrails-pack")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(home)
	if home, err = filepath.EvalSymlinks(home); err != nil {
		return r, err
	}
	w := stage{Home: home, Project: filepath.Join(home, "project")}
	if err := w.fill(s.Files); err != nil {
		return r, err
	}
	now := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	gh := &provider{}
	m := judge.Machine{
		Home: home, StateHome: filepath.Join(home, ".guardrails"),
		Getenv: func(string) string { return "" },
		Proc:   gh, HTTP: noNetwork,
		Now:      func() time.Time { return now },
		Handoffs: &handoff.Settings{Packs: []*pack.Pack{p}, Off: s.Off},
	}
	for i := range s.Steps {
		st := &s.Steps[i]
		now = now.Add(time.Minute)
		if st.GH != "" {
			gh.answer = st.GH
		}
		payload, err := json.Marshal(shape(&w, i, st))
		if err != nil {
			return r, err
		}
		j := m.Judge(judge.Decode(judge.Request{Adapter: ad, Payload: payload, Dir: w.Project}))
		if why := differs(st, &j); why != "" {
			r.Step, r.Why = i+1, why
			return r, nil
		}
	}
	r.OK = true
	return r, nil
}

// stage is where a scenario plays.
type stage struct{ Home, Project string }

// fill writes the scenario's files, and what makes the project one.
func (w *stage) fill(files []pack.Pair) error {
	if err := os.MkdirAll(filepath.Join(w.Project, ".git"), 0o755); err != nil {
		return err
	}
	for _, f := range files {
		name, err := w.path(f.Key)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(strings.Join(f.Values, "\n")), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// path resolves a name of the scenario; none leads out of its home.
func (w *stage) path(name string) (string, error) {
	base := w.Project
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		base, name = w.Home, rest
	}
	clean := path.Clean("/" + filepath.ToSlash(name))
	if !filepath.IsLocal(filepath.FromSlash(strings.TrimPrefix(clean, "/"))) {
		return "", fmt.Errorf("%s: not a file name", name)
	}
	return filepath.Join(base, filepath.FromSlash(clean)), nil
}

// differs says how a judgement is not what the step expects, "" if it is.
func differs(st *pack.Step, j *judge.Judgement) string {
	v := j.Result.Verdict
	text := []string{v.Reason, v.Context, v.Notice}
	got := v.Decision.String()
	for i := range j.Result.Runs {
		// What a host cannot carry at this event waits; here it counts at once.
		if r := &j.Result.Runs[i]; r.Verdict.Context != "" && r.Verdict.Decision == hook.Advise {
			text = append(text, r.Verdict.Context)
			if v.Decision == hook.Pass {
				got = hook.Advise.String()
			}
		}
	}
	all := strings.Join(text, "\n")
	if v.Decision == hook.Pass && v.Notice != "" && strings.Contains(v.Notice, "was released to you") {
		got = pack.ExpectRelease
	}
	want := st.Expect
	if want == "" {
		want = pack.ExpectPass
	}
	if got != want {
		return fmt.Sprintf("want %s, got %s%s", want, got, quoted(all, j.Lapses()))
	}
	for _, s := range st.Says {
		if !strings.Contains(strings.ToLower(all), strings.ToLower(s)) {
			return fmt.Sprintf("the text lacks %q%s", s, quoted(all, nil))
		}
	}
	for _, s := range st.Quiet {
		if strings.Contains(strings.ToLower(all), strings.ToLower(s)) {
			return fmt.Sprintf("the text holds %q%s", s, quoted(all, nil))
		}
	}
	return ""
}

func quoted(text string, lapses []string) string {
	text = strings.TrimSpace(text)
	if len(lapses) > 0 {
		text = strings.TrimSpace(text + "\n" + strings.Join(lapses, "\n"))
	}
	if text == "" {
		return ""
	}
	return ": " + text
}

// provider stands in for gh and glab.
type provider struct{ answer string }

func (p *provider) Run(_ context.Context, c gate.Command) (gate.Exit, error) {
	if p.answer == "" || len(c.Argv) == 0 {
		return gate.Exit{}, fs.ErrNotExist
	}
	return gate.Exit{Stdout: []byte(p.answer)}, nil
}

func (p *provider) LookPath(name string) (string, error) {
	if p.answer == "" {
		return "", fs.ErrNotExist
	}
	return name, nil
}

func noNetwork(context.Context, gate.Request) (gate.Response, error) {
	return gate.Response{}, fs.ErrPermission
}
