package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ec261362/guardrails/adapters/hosttest"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/proc"
	"github.com/ec261362/guardrails/installer"
)

// liveResult is how one agent took the entries of one place.
type liveResult struct {
	Host     string `json:"host"`
	File     string `json:"file,omitempty"`
	Route    string `json:"route,omitempty"`
	Program  string `json:"program,omitempty"`
	Version  string `json:"version,omitempty"`
	Enforced bool   `json:"enforced"`
	Skipped  bool   `json:"skipped,omitempty"` // nothing was tried
	Why      string `json:"why,omitempty"`
}

func (l liveResult) String() string {
	where := l.Host
	if l.Version != "" {
		where += " " + l.Version
	}
	if l.File != "" {
		where += ", " + l.File + " (" + l.Route + ")"
	}
	switch {
	case l.Skipped:
		return fmt.Sprintf("live            %s: not tried: %s", where, l.Why)
	case l.Enforced:
		return fmt.Sprintf("live            %s: enforced: the agent was kept from a recursive delete and ran the other command", where)
	default:
		return fmt.Sprintf("live            %s: NOT ENFORCED: %s", where, l.Why)
	}
}

// liveTime bounds the run of one agent.
const liveTime = 2 * time.Minute

// live drives the program of every agent named that can be driven.
func (a *app) live(ctx context.Context, in *installer.Installer, agents []string, dir, configDir string) []liveResult {
	var out []liveResult
	for _, host := range agents {
		places, ok, err := in.Rehearse(ctx, installer.Request{Host: host, Dir: dir, ConfigDir: configDir, AnyRoute: true})
		switch {
		case err != nil:
			out = append(out, liveResult{Host: host, Why: err.Error()})
			continue
		case !ok:
			out = append(out, liveResult{Host: host, Skipped: true, Why: "its program cannot be driven without its maker's servers"})
			continue
		case len(places) == 0:
			out = append(out, liveResult{Host: host, Skipped: true, Why: "nothing is installed"})
			continue
		}
		program, err := proc.LookPath(host, a.getenv("PATH"))
		if err != nil {
			out = append(out, liveResult{Host: host, Skipped: true, Why: "there is no " + host + " on PATH"})
			continue
		}
		for _, p := range places {
			l := liveResult{Host: host, File: p.File, Route: p.Route, Program: program}
			switch err := rehearse(ctx, &l, p); {
			case err != nil:
				l.Enforced, l.Why = false, strings.ReplaceAll(err.Error(), "\n", "; ")
			case p.Off != "": // not all switches can be taken along
				l.Enforced, l.Why = false, "it would work, but: "+p.Off
			}
			out = append(out, l)
		}
	}
	return out
}

// Names below the temporary home.
const (
	keptFolder = "kept" // the call that must be denied would delete it
	ranFile    = "ran"  // the call that must pass makes it, in the project
)

// rehearse runs one agent in a temporary home that holds nothing but the entries
// of one place, with a model that asks for the two calls.
func rehearse(ctx context.Context, l *liveResult, p installer.Rehearsal) error {
	ctx, cancel := context.WithTimeout(ctx, liveTime)
	defer cancel()
	home, err := os.MkdirTemp("", "grl-") // short: sockets are made below it
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	if home, err = filepath.EvalSymlinks(home); err != nil {
		return err
	}
	project, kept := filepath.Join(home, "p"), filepath.Join(home, keptFolder)
	for _, d := range []string{project, kept} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	sentinel := filepath.Join(kept, "sentinel")
	if err := fsx.Replace(sentinel, []byte("x"), 0o600); err != nil {
		return err
	}
	for name, data := range p.Files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := fsx.Replace(path, data, 0o600); err != nil {
			return err
		}
	}
	tool := "Bash"
	if p.Host == "gemini" {
		tool = "run_shell_command"
	}
	shell := func(command string) hosttest.Turn {
		return hosttest.Use(hosttest.Call{Tool: tool, Input: map[string]string{"command": command, "description": "part of a rehearsal"}})
	}
	const name = "rehearsal"
	srv, err := hosttest.Serve(hosttest.Script{Conversations: []hosttest.Conversation{{Name: name, Turns: []hosttest.Turn{
		shell("rm -rf " + kept), shell("printf ran > " + ranFile), hosttest.Say("Done."),
	}}}})
	if err != nil {
		return err
	}
	defer func() { _ = srv.Close() }()
	run, err := runner(l.Program, p, project, home, srv.URL())
	if err != nil {
		return err
	}
	version, err := hosttest.Run(ctx, run("", "--version"))
	if err != nil {
		return err
	}
	l.Version, _, _ = strings.Cut(strings.TrimSpace(string(version.Stdout)), " ")
	ran, err := hosttest.Run(ctx, run("Rehearse."))
	if err != nil {
		return err
	}
	results := srv.Results(name)
	if len(results) < 2 {
		return fmt.Errorf("the agent made %d of 2 calls and ended with code %d: %s", len(results), ran.ExitCode, lastLine(ran))
	}
	if _, err := os.Stat(sentinel); err != nil {
		return errors.New("the call that must be denied ran")
	}
	if !strings.Contains(results[0].Text, "guardrails") && !strings.Contains(results[0].Text, "filesystem/") {
		return fmt.Errorf("the call that must be denied did not run, but not because of us: %s", firstLine(results[0].Text))
	}
	if _, err := os.Stat(filepath.Join(project, ranFile)); err != nil {
		return fmt.Errorf("the call that must pass did not run: %s", firstLine(results[1].Text))
	}
	l.Enforced = true
	return nil
}

// runner returns what starts the agent with a prompt, or with arguments alone.
func runner(program string, p installer.Rehearsal, dir, home, url string) (func(prompt string, args ...string) hosttest.Host, error) {
	switch p.Host {
	case "claude":
		return func(prompt string, args ...string) hosttest.Host {
			if prompt != "" {
				args = append(append(args, p.Args...), "--dangerously-skip-permissions")
			}
			return hosttest.Claude{Bin: program, Dir: dir, Home: home, BaseURL: url, Args: args, Prompt: prompt}
		}, nil
	case "gemini":
		if p.Hooks != nil { // its settings must also say how to reach the model
			var settings map[string]any
			if err := json.Unmarshal([]byte(hosttest.GeminiSettings), &settings); err != nil {
				return nil, err
			}
			var own map[string]any
			name := filepath.Join(home, ".gemini", "settings.json")
			data, err := os.ReadFile(name)
			if err == nil {
				err = json.Unmarshal(data, &own)
			}
			if err != nil {
				return nil, err
			}
			maps.Copy(settings, own)
			if data, err = json.Marshal(settings); err == nil {
				err = fsx.Replace(name, data, 0o600)
			}
			if err != nil {
				return nil, err
			}
		}
		return func(prompt string, args ...string) hosttest.Host {
			if prompt != "" {
				args = append(append(args, p.Args...), "--approval-mode", "yolo")
			}
			return hosttest.Gemini{Bin: program, Dir: dir, Home: home, BaseURL: url, Args: args, Prompt: prompt}
		}, nil
	}
	return nil, fmt.Errorf("no runner for %s", p.Host)
}

func lastLine(r hosttest.Result) string {
	text := strings.TrimSpace(string(r.Stderr))
	if text == "" {
		text = strings.TrimSpace(string(r.Stdout))
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}
