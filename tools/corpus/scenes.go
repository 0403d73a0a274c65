package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A scene is a line of a scenario file: what happens in one session, step by
// step, and what is expected at each step.
//
//	{"seed": "a", "id": "a-1", "scenario": [STEP, …], "expect": ["setup", "pass", "block:word", …]}
//
// A step writes the project's configuration ({"config": text}) or a file
// ({"file": path, "content": text}), runs a command line ({"cli": text}), or is
// an event of Claude Code or of Muse ({"event": "Stop", …}). A step that is only a
// text is a situation (scenes_setup.go); of those that no program can make, the
// scene is not judged here.
type scene struct {
	Seed, ID  string
	Statement string
	Scenario  []json.RawMessage
	Expect    []string
}

// step is one member of a scenario that is not a text.
type step struct {
	Config, File, CLI, Event, Tool string
	Content                        json.RawMessage
	Host                           string
	Input, Result                  json.RawMessage
	Error, Prompt, Source, Reason  string
	Message                        *string `json:"last_assistant_message"`
	Transcript                     string
	Agent                          string `json:"agent_id"`
	AgentType                      string `json:"agent_type"`
	Mode                           string `json:"permission_mode"`
	Provider                       string `json:"model_provider"`
	Coder, Reviewer, Env, Stdin    string

	situation string // a step that is only a text
}

// scenes judges every scene of a file and prints how many went as expected.
func scenes(ctx context.Context, o options, file string, out io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return err
	}
	type count struct {
		agreed, total, unread int
	}
	counts := map[string]*count{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var s scene
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if !strings.Contains(s.ID, o.only) {
			continue
		}
		c := counts[s.Seed]
		if c == nil {
			c = &count{}
			counts[s.Seed] = c
		}
		steps, ok := s.steps(o.agent)
		if !ok {
			c.unread++
			continue
		}
		why, err := play(ctx, bin, o.agent, s, steps)
		if errors.Is(err, errNotPlayed) {
			c.unread++
			if o.verbose {
				fmt.Fprintf(out, "%s: %v (%s)\n", s.ID, err, s.Statement)
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.ID, err)
		}
		c.total++
		if why == "" {
			c.agreed++
		} else if o.verbose {
			fmt.Fprintf(out, "%s: %s (%s)\n", s.ID, why, s.Statement)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "seed\tagreed\t\tnot read")
	for _, seed := range slices.Sorted(mapKeys(counts)) {
		c := counts[seed]
		fmt.Fprintf(w, "%s\t%s\t%d\n", seed, rate(c.agreed, c.total), c.unread)
	}
	return w.Flush()
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// steps reads the scenario, and reports whether it can be played on a host of ours.
func (s scene) steps(agent string) ([]step, bool) {
	out := make([]step, len(s.Scenario))
	for i, raw := range s.Scenario {
		if json.Unmarshal(raw, &out[i].situation) == nil {
			continue
		}
		if json.Unmarshal(raw, &out[i]) != nil || out[i].Host != "" && out[i].Host != agent && out[i].Host != "muse" {
			return nil, false
		}
	}
	return out, len(s.Expect) == len(out)
}

// errNotPlayed is returned for a scene with a situation that no program can make.
var errNotPlayed = errors.New("not played")

// play runs one scene in a home of its own and returns the first step that did
// not go as expected, "" if there is none.
func play(ctx context.Context, bin, agent string, s scene, steps []step) (string, error) {
	home, err := os.MkdirTemp("", "guardrails-scene")
	if err != nil {
		return "", err
	}
	defer removeAll(home)
	w := world{bin: bin, home: home, project: filepath.Join(home, "project"), agent: agent, statement: s.Statement}
	if err := w.setUp(); err != nil {
		return "", err
	}
	if err := w.provide(steps); err != nil {
		return "", err
	}
	for _, st := range steps { // a file of Go is the project's quality at work
		if strings.HasSuffix(st.File, ".go") && !w.quality {
			w.quality = true
			var content string
			if err := json.Unmarshal(st.Content, &content); err != nil {
				return "", err
			}
			before := strings.ReplaceAll(content, `"x"`, "1") // what an edit of 1 began with
			if err := w.goProject(ctx, map[string]string{st.File: before, strings.TrimSuffix(st.File, ".go") + "_test.go": ""}); err != nil {
				return "", err
			}
		}
		w.quality = w.quality || strings.Contains(st.situation, "golangci-lint") || strings.Contains(st.situation, "edits ") || strings.Contains(st.situation, "lessons") ||
			strings.Contains(st.situation, "runs.jsonl") || st.Event == "SessionStart" && s.Seed == "004" || st.Event == "SessionEnd" || strings.Contains(st.CLI, "lessons")
	}
	if s.Seed == "004" && w.quality {
		if _, err := os.Stat(filepath.Join(w.project, "go.mod")); err != nil {
			if err := w.goProject(ctx, nil); err != nil {
				return "", err
			}
		}
	}
	for i, want := range s.Expect {
		if strings.Contains(want, "malicious") {
			m, err := w.malicious(steps[i])
			if err != nil {
				return "", err
			}
			defer func() { _ = m.server.Close() }()
		}
	}
	for i, st := range steps {
		got, err := w.step(ctx, i, st)
		if errors.Is(err, errNotPlayed) {
			return "", err
		}
		if err != nil {
			return "", fmt.Errorf("step %d: %w", i+1, err)
		}
		why, err := w.differs(got, s.Expect[i])
		if err != nil {
			return "", fmt.Errorf("step %d: %w", i+1, err)
		}
		w.before = got
		if why != "" {
			return fmt.Sprintf("step %d: want %q, got %s", i+1, s.Expect[i], why), nil
		}
	}
	return "", nil
}

type world struct {
	bin, home, project, agent string

	statement string   // what a scene is about
	env       []string // beside the usual
	cwd       string   // of the events, "" = the project
	quality   bool     // the project has its quality gate on
	extra     int      // events beside the scene's
	aged      []string // files that were made old
	before    outcome  // of the last step
}

// provide makes the gh that answers: the branch has an open pull request without
// a walkthrough if the scene speaks of one.
func (w *world) provide(steps []step) error {
	script := "#!/bin/sh\necho 'no pull requests found for branch \"topic\"' >&2\nexit 1\n"
	for _, st := range steps {
		if bytes.Contains(st.Input, []byte("gh pr ")) {
			script = "#!/bin/sh\nprintf '%s' '{\"url\":\"https://github.com/o/r/pull/7\",\"number\":7,\"state\":\"OPEN\",\"body\":\"b\",\"comments\":[]}'\n"
		}
	}
	return w.write(filepath.Join(w.home, "bin", "gh"), script, 0o755)
}

// setUp makes a project with a skill that declares a stage, and a report with the
// sentinel in w.md.
func (w *world) setUp() error {
	files := map[string]string{
		"project/.git/HEAD":                       "ref: refs/heads/topic\n",
		"project/w.md":                            "<!-- muggle-pr-section:v1 -->\n<!-- guardrails-pr-section:v1 -->\nresults\n",
		"project/docs/a.md":                       "a\n",
		"project/docs/style.md":                   "Use the logger.\n",
		"project/.claude/skills/do/SKILL.md":      "---\nname: do\nmandatoryStages:\n  - stages/a.md\n---\n# do\n",
		"project/.claude/skills/do/stages/a.md":   "# a\n",
		"project/.claude/skills/muggle-test/a.md": "# a\n",
	}
	for name, text := range files {
		if err := w.write(filepath.Join(w.home, filepath.FromSlash(name)), text, 0o755); err != nil {
			return err
		}
	}
	return os.MkdirAll(w.project, 0o755)
}

func (w *world) write(name, text string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), mode)
}

// path resolves a scene's path: below home after ~/, else below the project.
func (w *world) path(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(w.home, filepath.FromSlash(rest))
	}
	return filepath.Join(w.project, filepath.FromSlash(name))
}

// outcome is what a step came to.
type outcome struct {
	setup    bool
	decision string // pass, advise, deny, ask or block
	text     string // reason and context
	notice   string
	exit     int
	cli      bool
	raw      string // the answer as it came
}

func (w *world) step(ctx context.Context, n int, st step) (outcome, error) {
	switch {
	case st.situation != "":
		ok, err := w.arrange(ctx, st.situation)
		if !ok {
			err = fmt.Errorf("%w: %s", errNotPlayed, st.situation)
		}
		return outcome{setup: true}, err
	case st.Config != "":
		return outcome{setup: true}, w.configure(ctx, st.Config)
	case st.File != "":
		text := string(st.Content)
		var s string
		if json.Unmarshal(st.Content, &s) == nil {
			text = s
		}
		if s == "v1 shape" {
			text = `{"schemaVersion":1,"stateRevision":7,"phase":"executing","currentSkill":"x","failureStreak":0,"substantial":true,"activeCard":null,"evidence":[]}`
		}
		text = strings.ReplaceAll(text, `"workspace_root": "W"`, `"workspace_root": "`+w.project+`"`)
		return outcome{setup: true}, w.write(w.path(st.File), text, 0o644)
	case st.CLI != "":
		return w.commandLine(ctx, st)
	}
	agent := w.agent
	if st.Host != "" {
		agent = st.Host
	}
	payload, err := w.payload(n, st)
	if err != nil {
		return outcome{}, err
	}
	out, code, err := w.run(exec.CommandContext(ctx, w.bin, "hook", "--agent", agent), payload)
	if err != nil {
		return outcome{}, err
	}
	if code != 0 {
		return outcome{decision: "exit " + strconv.Itoa(code)}, nil
	}
	o, err := readAnswer(agent, out)
	o.raw = string(out)
	return o, err
}

// commandLine runs a command line of a scene.
func (w *world) commandLine(ctx context.Context, st step) (outcome, error) {
	if err := w.agents(st.Coder, st.Reviewer); err != nil {
		return outcome{}, err
	}
	if st.Env != "" {
		w.env = append(w.env, st.Env)
	}
	var in []byte
	switch {
	case strings.Contains(st.Stdin, "Stop payload"):
		in = []byte(`{"hook_event_name":"Stop","session_id":"s","stop_hook_active":false}`)
	case st.Stdin == "payload":
		in = []byte(`{"hook_event_name":"PreToolUse","session_id":"s","model_provider":"meta","tool_name":"bash","tool_input":{"command":"rm -rf ~"}}`)
	case st.Stdin != "":
		in = []byte(st.Stdin)
	}
	line := strings.ReplaceAll(st.CLI, " --dir P", " --dir "+w.project)
	cmd := exec.CommandContext(ctx, "sh", "-c", line+" 2>&1")
	out, code, err := w.run(cmd, in)
	return outcome{cli: true, exit: code, text: string(out), raw: string(out)}, err
}

func (w *world) run(cmd *exec.Cmd, in []byte) ([]byte, int, error) {
	return w.runIn(cmd, in, w.project)
}

func (w *world) runIn(cmd *exec.Cmd, in []byte, dir string) ([]byte, int, error) {
	cmd.Dir = dir
	cmd.Env = append([]string{
		"HOME=" + w.home, "USERPROFILE=" + w.home, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		"PATH=" + strings.Join([]string{filepath.Join(w.home, "bin"), filepath.Dir(w.bin), os.Getenv("PATH")}, string(os.PathListSeparator)),
		"GOCACHE=" + goCache(), "GOTOOLCHAIN=local", "GIT_CONFIG_NOSYSTEM=1",
	}, w.env...)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out, exit.ExitCode(), nil
	}
	return out, 0, err
}

// payload is the event as Claude Code sends it.
func (w *world) payload(n int, st step) ([]byte, error) {
	p := map[string]any{
		"session_id": "s", "cwd": w.project, "hook_event_name": st.Event, "permission_mode": "default",
		"transcript_path": filepath.Join(w.home, "transcript.jsonl"),
	}
	if w.cwd != "" {
		p["cwd"] = w.cwd
	}
	set := func(key, v string) {
		if v != "" {
			p[key] = v
		}
	}
	set("prompt", st.Prompt)
	set("source", st.Source)
	set("reason", st.Reason)
	set("error", st.Error)
	set("agent_id", st.Agent)
	set("agent_type", st.AgentType)
	set("permission_mode", st.Mode)
	set("model_provider", st.Provider)
	if st.Message != nil && *st.Message != "" {
		p["last_assistant_message"] = *st.Message
	}
	if st.Event == "Stop" {
		p["stop_hook_active"] = false
	}
	if text, ok := strings.CutPrefix(st.Transcript, "assistant: "); ok {
		line, err := json.Marshal(map[string]any{"type": "assistant", "message": map[string]any{"role": "assistant", "content": []any{map[string]string{"type": "text", "text": text}}}})
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(w.home, "transcript.jsonl"), append(line, '\n'), 0o600); err != nil {
			return nil, err
		}
	}
	if st.Tool != "" {
		p["tool_name"], p["tool_use_id"] = st.Tool, "toolu_"+strconv.Itoa(n)
		p["tool_input"] = st.Input
		if st.Event == "PostToolUse" {
			p["tool_response"] = st.response()
		}
	}
	return json.Marshal(p)
}

// response is the result in the shape that the tool has there.
func (st step) response() any {
	var text string
	if json.Unmarshal(st.Result, &text) != nil {
		return st.Result
	}
	switch st.Tool {
	case "Bash", "PowerShell":
		return map[string]any{"stdout": text, "stderr": "", "interrupted": false, "isImage": false}
	case "Skill":
		return map[string]any{"success": true}
	}
	return text
}

// read takes Claude Code's answer apart.
func read(out []byte) (outcome, error) {
	var a struct {
		Decision, Reason string
		SystemMessage    string
		Specific         struct {
			PermissionDecision, PermissionDecisionReason, AdditionalContext string
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(out, &a); err != nil {
		return outcome{}, fmt.Errorf("answer %q: %w", out, err)
	}
	o := outcome{decision: "pass", notice: a.SystemMessage, text: a.Reason + a.Specific.PermissionDecisionReason + a.Specific.AdditionalContext}
	switch {
	case a.Decision != "":
		o.decision = a.Decision
	case a.Specific.PermissionDecision != "":
		o.decision = a.Specific.PermissionDecision
	case a.Specific.AdditionalContext != "":
		o.decision = "advise"
	}
	return o, nil
}

func (o outcome) String() string {
	text := o.decision
	if o.cli {
		text = "exit " + strconv.Itoa(o.exit)
	}
	if o.text != "" {
		first, _, _ := strings.Cut(strings.TrimSpace(o.text), "\n")
		text += ": " + first
	}
	if o.notice != "" {
		text += " [notice: " + o.notice + "]"
	}
	return text
}

var (
	kindWord = regexp.MustCompile(`^(pass|advise|context|block|deny|ask|release|notice|no output|exit (\d))\b`)
	without  = regexp.MustCompile(`\(no ([\w-]+)`)
)

// differs says how the outcome is not what was expected, "" if it is. Only what
// a program can read of an expectation counts: its first word, and a word after
// a colon that the text must hold.
func (o outcome) differs(want string) string {
	m := kindWord.FindStringSubmatch(want)
	if m == nil || o.setup {
		return ""
	}
	good := false
	switch m[1] {
	case "advise", "context":
		good = o.decision == "advise"
	case "release":
		good = o.decision == "pass" && o.notice != ""
	case "notice":
		good = (o.decision == "pass" || o.decision == "advise") && o.notice != ""
	case "no output":
		good = o.decision == "pass" && o.notice == ""
	case "pass":
		good = o.decision == "pass"
		if no := without.FindStringSubmatch(want); no != nil {
			good = good || !strings.Contains(strings.ToLower(o.text), strings.ToLower(no[1]))
		}
		if strings.HasPrefix(want, "pass+notice") {
			good = good && o.notice != ""
		}
	default:
		good = o.decision == m[1] || m[2] != "" && o.cli && strconv.Itoa(o.exit) == m[2]
	}
	if o.cli && m[2] == "" {
		return ""
	}
	if _, word, ok := strings.Cut(want, ":"); good && ok && word != "" && !strings.ContainsAny(word, " ,;") {
		good = strings.Contains(strings.ToLower(o.text), strings.ToLower(word))
	}
	if good {
		return ""
	}
	return o.String()
}
