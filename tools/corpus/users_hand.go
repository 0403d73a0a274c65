package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// byHand plays what a person does at a terminal.
func (s *stage) byHand(ctx context.Context) (string, error) {
	switch s.r.Kind {
	case "path-with-space":
		return s.oddPath(ctx)
	case "install-merge", "settings-bom":
		return s.merged(ctx)
	case "version-gate":
		return s.oldHost(ctx)
	case "team":
		return s.team(ctx)
	case "tool-name", "install-msg":
		return s.installed(ctx)
	case "reinstall":
		return s.again(ctx)
	case "install-order":
		return s.declined(ctx)
	case "uninstall":
		return s.uninstall(ctx)
	case "upgrade":
		return s.upgrade(ctx)
	case "host-adapter":
		if s.r.Event == "doctor" {
			return s.switches(ctx)
		}
		return s.museSettings(ctx)
	case "config":
		return s.config(ctx)
	case "ci":
		return s.ci(ctx)
	}
	return notPlayed + "by hand, and of a kind that is not known", nil
}

// ok runs a verb that must end well.
func (s *stage) ok(ctx context.Context, args ...string) (ran, error) {
	p, err := s.cli(ctx, s.project, args...)
	if err == nil && p.code != 0 {
		err = fmt.Errorf("guardrails %s: exit %d: %s", strings.Join(args, " "), p.code, p.text())
	}
	return p, err
}

// A handler is one registered command of a Claude Code settings file.
type handler struct {
	event, matcher string
	Command        string
	Args           []string
	OnFailure      string
}

func handlers(text []byte) ([]handler, error) {
	var file struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []handler
		}
	}
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &file); err != nil {
		return nil, err
	}
	var all []handler
	for _, event := range slices.Sorted(maps.Keys(file.Hooks)) {
		for _, group := range file.Hooks[event] {
			for _, h := range group.Hooks {
				h.event, h.matcher = event, group.Matcher
				if strings.Contains(h.Command, "guardrails") {
					all = append(all, h)
				}
			}
		}
	}
	return all, nil
}

// fire runs a registered command as Claude Code does.
func (s *stage) fire(ctx context.Context, h handler) (ran, error) {
	body, err := json.Marshal(s.shape(map[string]any{"hook_event_name": h.event, "tool_name": "Bash", "tool_input": map[string]any{"command": "ls"}}))
	if err != nil {
		return ran{}, err
	}
	if h.Args != nil {
		return s.program(ctx, s.project, bytes.NewReader(body), h.Command, h.Args...)
	}
	return s.program(ctx, s.project, bytes.NewReader(body), "sh", "-c", h.Command)
}

func (s *stage) local() string { return filepath.Join(s.project, ".claude", "settings.local.json") }

// oddPath installs into a home whose path has every odd sign of the report's.
func (s *stage) oddPath(ctx context.Context) (string, error) {
	home := filepath.Join(s.home, filepath.FromSlash(strings.TrimPrefix(s.r.text("plugin_root"), "/tmp")))
	if _, err := s.ok(ctx, "init", "--agent", "claude", "--home", home, "--yes"); err != nil {
		return err.Error(), nil
	}
	text, err := os.ReadFile(s.local())
	if err != nil {
		return "", err
	}
	all, err := handlers(text)
	if err != nil || len(all) == 0 {
		return "no handler", err
	}
	for _, h := range all {
		if p, err := s.fire(ctx, h); err != nil || p.code != 0 || !json.Valid([]byte(p.out)) {
			return fmt.Sprintf("%s: %d %s", h.event, p.code, p.text()), err
		}
	}
	return "", nil
}

// merged installs beside what others wrote: it stays, and comes back as it was.
func (s *stage) merged(ctx context.Context) (string, error) {
	text := []byte(s.r.text("settings"))
	if bytesText := s.r.text("settings_bytes"); bytesText != "" {
		var err error
		if text, err = hex.DecodeString(strings.ReplaceAll(bytesText, " ", "")); err != nil {
			return notPlayed + err.Error(), nil
		}
	}
	if err := s.write(s.local(), string(text), 0o644); err != nil {
		return "", err
	}
	if _, err := s.ok(ctx, "init", "--agent", "claude", "--yes"); err != nil {
		return err.Error(), nil
	}
	got, err := os.ReadFile(s.local())
	if err != nil {
		return "", err
	}
	if all, err := handlers(got); err != nil || len(all) == 0 {
		return "no handler of ours in " + string(got), err
	}
	var was, is map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &was); err != nil {
		return "", err
	}
	if err := json.Unmarshal(bytes.TrimPrefix(got, []byte("\ufeff")), &is); err != nil {
		return "", err
	}
	for key, v := range was {
		if key != "hooks" && !bytes.Equal(v, is[key]) {
			return fmt.Sprintf("%s is now %s", key, is[key]), nil
		}
	}
	for _, c := range regexp.MustCompile(`"command":"[^"]*"`).FindAll(text, -1) {
		if !bytes.Contains(got, c) {
			return fmt.Sprintf("%s is gone", c), nil
		}
	}
	if _, err := s.ok(ctx, "init", "--agent", "claude", "--uninstall", "--yes"); err != nil {
		return err.Error(), nil
	}
	if back, err := os.ReadFile(s.local()); err != nil || !bytes.Equal(back, text) {
		return fmt.Sprintf("after uninstall: %q", back), err
	}
	return "", nil
}

// oldHost installs for a client of some version: what is written is what that
// version knows.
func (s *stage) oldHost(ctx context.Context) (string, error) {
	version := s.r.text("host_version")
	if err := s.write(filepath.Join(s.home, "bin", "claude"), "#!/bin/sh\necho '"+version+" (Claude Code)'\n", 0o755); err != nil {
		return "", err
	}
	p, err := s.cli(ctx, s.project, "init", "--agent", "claude", "--yes")
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(s.local())
	if err != nil {
		return p.text(), nil
	}
	all, err := handlers(text)
	if err != nil || len(all) == 0 {
		return "no handler", err
	}
	for _, h := range all {
		if h.Args != nil || h.OnFailure != "" {
			return fmt.Sprintf("%s has args %q, onFailure %q", h.event, h.Args, h.OnFailure), nil
		}
	}
	return "", nil
}

// team: a committed entry on a machine without the program.
func (s *stage) team(ctx context.Context) (string, error) {
	if _, err := s.cli(ctx, s.project, "init", "--agent", "claude", "--shared", "--yes"); err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(s.project, ".claude", "settings.json"))
	if err != nil {
		return "", err
	}
	all, err := handlers(text)
	if err != nil || len(all) == 0 {
		return "no handler", err
	}
	if bytes.Contains(text, []byte(s.home)) {
		return "a path of this machine is committed", nil
	}
	s.env = append(s.env, "PATH=/usr/bin:/bin")
	for _, h := range all {
		if p, err := s.fire(ctx, h); err != nil || p.code != 0 || p.out != "" && h.event != "SessionStart" {
			return fmt.Sprintf("%s: %d %s", h.event, p.code, p.text()), err
		}
	}
	return "", nil
}

// installed looks at a plain install.
func (s *stage) installed(ctx context.Context) (string, error) {
	p, err := s.ok(ctx, "init", "--agent", "claude", "--yes")
	if err != nil {
		return err.Error(), nil
	}
	if s.r.Kind == "install-msg" {
		if !regexp.MustCompile(`(?i)restart|reload|new session|next session|sessions that run|start .* again`).MatchString(p.text()) {
			return oneLine(p.text()), nil
		}
		return "", nil
	}
	text, err := os.ReadFile(s.local())
	if err != nil {
		return "", err
	}
	all, err := handlers(text)
	if err != nil {
		return "", err
	}
	for _, tool := range []string{"Bash", "PowerShell"} {
		if !slices.ContainsFunc(all, func(h handler) bool {
			return h.event == "PreToolUse" && (h.matcher == "" || slices.Contains(strings.Split(h.matcher, "|"), tool))
		}) {
			return "no entry before " + tool, nil
		}
	}
	return "", nil
}

// again installs over an older entry of ours.
func (s *stage) again(ctx context.Context) (string, error) {
	if _, err := s.ok(ctx, "init", "--agent", "claude", "--yes"); err != nil {
		return err.Error(), nil
	}
	want, err := os.ReadFile(s.local())
	if err != nil {
		return "", err
	}
	old := regexp.MustCompile(`"Bash\|[^"]*"`).ReplaceAll(want, []byte(`"Bash"`))
	if bytes.Equal(old, want) {
		return "no matcher over shells in " + string(want), nil
	}
	if err := s.write(s.local(), string(old), 0o644); err != nil {
		return "", err
	}
	if _, err := s.ok(ctx, "init", "--agent", "claude", "--yes"); err != nil {
		return err.Error(), nil
	}
	was, err := handlers(want)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(s.local())
	if err != nil {
		return "", err
	}
	is, err := handlers(text)
	if err != nil || fmt.Sprint(is) != fmt.Sprint(was) {
		return fmt.Sprintf("%v, and anew it is %v", is, was), err
	}
	return "", nil
}

// declined answers no to init's question.
func (s *stage) declined(ctx context.Context) (string, error) {
	script, err := s.program(ctx, s.project, nil, "sh", "-c", "command -v script")
	if err != nil || script.code != 0 {
		return notPlayed + "a question needs a terminal, and there is no script(1) here to make one", err
	}
	before, err := tree(s.home)
	if err != nil {
		return "", err
	}
	answer := s.r.text("answer_to_prompt") + "\n"
	p, err := s.program(ctx, s.project, &patient{text: answer}, "script", "-qec", "guardrails init --agent claude", "/dev/null")
	if err != nil {
		return "", err
	}
	after, err := tree(s.home)
	if err != nil {
		return "", err
	}
	for name := range after {
		if before[name] != after[name] {
			return name + " was written: " + oneLine(p.text()), nil
		}
	}
	return "", nil
}

// A patient reader answers once the other side has had time to ask, as a person.
type patient struct {
	text string
	said bool
}

func (p *patient) Read(b []byte) (int, error) {
	time.Sleep(time.Second)
	if p.said {
		time.Sleep(time.Second)
		return 0, io.EOF
	}
	p.said = true
	return copy(b, p.text), nil
}

// tree is the content of each file below dir.
func tree(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	return out, err
}

// uninstall takes out every install, and looks for what is left.
func (s *stage) uninstall(ctx context.Context) (string, error) {
	var installs [][]string
	hosts := s.r.text("hosts")
	for word, args := range map[string][]string{
		"user": {"--agent", "claude", "-g"}, "project": {"--agent", "claude", "--shared"}, "local": {"--agent", "claude"},
		"gemini": {"--agent", "gemini"}, "antigravity": {"--agent", "antigravity"}, "muse": {"--agent", "muse"},
	} {
		if strings.Contains(hosts, word) {
			installs = append(installs, args)
		}
	}
	before, err := tree(s.home)
	if err != nil {
		return "", err
	}
	for _, verb := range []string{"--yes", "--uninstall"} {
		for _, args := range installs {
			if p, err := s.cli(ctx, s.project, append(append([]string{"init"}, args...), verb, "--yes")...); err != nil || p.code == 1 {
				return fmt.Sprintf("init %v %s: %s", args, verb, p.text()), err
			}
		}
	}
	after, err := tree(s.home)
	if err != nil {
		return "", err
	}
	for name, text := range after {
		if before[name] != text && !strings.HasPrefix(name, filepath.Join(s.home, ".guardrails")) {
			return "left behind: " + name + ": " + oneLine(text), nil
		}
	}
	p, err := s.cli(ctx, s.project, "doctor")
	if err != nil || strings.Contains(p.text(), "registered") && !strings.Contains(p.text(), "not registered") && !strings.Contains(p.text(), "not installed") {
		return "doctor: " + oneLine(p.text()), err
	}
	return "", nil
}

// upgrade installs anew after a person took one entry out.
func (s *stage) upgrade(ctx context.Context) (string, error) {
	if _, err := s.ok(ctx, "init", "--agent", "claude", "-g", "--yes"); err != nil {
		return err.Error(), nil
	}
	if _, err := s.ok(ctx, "init", "--agent", "claude", "--yes"); err != nil {
		return err.Error(), nil
	}
	user := filepath.Join(s.home, ".claude", "settings.json")
	if err := s.write(user, "{}\n", 0o644); err != nil {
		return "", err
	}
	if _, err := s.ok(ctx, "init", "--agent", "claude", "--yes"); err != nil {
		return err.Error(), nil
	}
	if text, err := os.ReadFile(user); err != nil || string(text) != "{}\n" {
		return "added again: " + string(text), err
	}
	return "", nil
}

// switches installs into a host whose settings switch hooks off.
func (s *stage) switches(ctx context.Context) (string, error) {
	text, err := json.Marshal(s.r.Input["settings"])
	if err != nil {
		return "", err
	}
	dir := map[string]string{"gemini": ".gemini", "claude": ".claude"}[s.agent]
	if dir == "" {
		return notPlayed + "the settings of " + s.agent + " are elsewhere", nil
	}
	if err := s.write(filepath.Join(s.home, dir, "settings.json"), string(text), 0o600); err != nil {
		return "", err
	}
	if _, err := s.cli(ctx, s.project, "init", "--agent", s.agent, "-g", "--yes"); err != nil {
		return "", err
	}
	p, err := s.cli(ctx, s.project, "doctor", "--agent", s.agent)
	if err != nil {
		return "", err
	}
	for _, word := range regexp.MustCompile(`"(\w+)":(?:false|true)`).FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(p.text(), word[1]) {
			return "doctor does not name " + word[1] + ": " + oneLine(p.text()), nil
		}
	}
	return "", nil
}

// museSettings installs for Muse, whose own settings are left alone.
func (s *stage) museSettings(ctx context.Context) (string, error) {
	if p, err := s.cli(ctx, s.project, "init", "--agent", "muse", "-g", "--yes"); err != nil || p.code == 1 {
		return p.text(), err
	}
	if _, err := os.Stat(filepath.Join(s.home, ".config", "muse")); err == nil {
		return "~/.config/muse was written", nil
	}
	return "", nil
}

// config has the configuration of a report looked at.
func (s *stage) config(ctx context.Context) (string, error) {
	var p ran
	var err error
	var names []string
	if files, ok := s.r.Input["files"].([]any); ok {
		for _, f := range files {
			name := fmt.Sprint(f)
			names = append(names, name)
			if err := s.write(filepath.Join(s.project, name), "version: 1\n", 0o644); err != nil {
				return "", err
			}
		}
		if s.r.Event == "doctor" {
			if _, err := s.ok(ctx, "init", "--agent", "claude", "--yes"); err != nil {
				return err.Error(), nil
			}
			p, err = s.cli(ctx, s.project, "doctor")
		} else {
			p, err = s.cli(ctx, s.project, "config", "validate")
		}
	} else {
		var text strings.Builder
		for _, key := range slices.Sorted(maps.Keys(s.r.Input)) {
			v, _ := json.Marshal(s.r.Input[key])
			fmt.Fprintf(&text, "%s: %s\n", key, v)
			names = append(names, key)
		}
		if err := s.write(filepath.Join(s.project, ".guardrails.yaml"), "version: 1\n"+text.String(), 0o644); err != nil {
			return "", err
		}
		p, err = s.cli(ctx, s.project, "config", "validate")
	}
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if told := strings.Contains(p.text(), name); told != (s.r.verdicts()[0] == "context") {
			return name + ": " + oneLine(p.text()), nil
		}
	}
	return "", nil
}

// ci runs the gates without a host.
func (s *stage) ci(ctx context.Context) (string, error) {
	cmd := s.r.text("cmd")
	if !strings.HasPrefix(cmd, "guardrails check --base ") {
		return notPlayed + "the command is not known: " + cmd, nil
	}
	if err := s.configure(ctx, "quality: {}\n"); err != nil {
		return "", err
	}
	if err := s.git(ctx, s.project, "update-ref", "refs/remotes/origin/main", "HEAD"); err != nil {
		return "", err
	}
	// Ours is called gate run.
	args := append([]string{"gate", "run"}, strings.Fields(strings.TrimPrefix(cmd, "guardrails check "))...)
	p, err := s.cli(ctx, s.project, args...)
	if err != nil || p.code != 0 || !json.Valid([]byte(p.out)) {
		return fmt.Sprintf("exit %d: %s", p.code, p.text()), err
	}
	if err := s.write(filepath.Join(s.project, "a.go"), goFile("app", "2"), 0o644); err != nil {
		return "", err
	}
	if p, err = s.cli(ctx, s.project, args...); err != nil || p.code != 2 {
		return fmt.Sprintf("with a failing test: exit %d: %s", p.code, p.text()), err
	}
	if p, err = s.cli(ctx, s.project, append(args, "--base", "nosuch")...); err != nil || p.code != 1 {
		return fmt.Sprintf("with a base that is none: exit %d: %s", p.code, p.text()), err
	}
	return "", nil
}
