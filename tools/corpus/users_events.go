package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// play plays the report and says how it is not as expected.
func (s *stage) play(ctx context.Context) (string, error) {
	switch s.r.Event {
	case "PreToolUse", "preToolUse", "BeforeTool", "tool.execute.before":
		return s.before(ctx)
	case "PostToolUse", "PostToolUseFailure":
		return s.after(ctx)
	case "UserPromptSubmit":
		return s.prompt(ctx)
	case "SessionStart":
		return s.start(ctx)
	case "Stop", "SubagentStop":
		return s.stop(ctx)
	case "validate":
		return s.validate(ctx)
	case "gate":
		return s.coverage(ctx)
	case "install", "uninstall", "upgrade", "doctor", "config", "cli":
		return s.byHand(ctx)
	}
	if s.r.has("rule") {
		return notPlayed + "rules of ours hold no patterns of a user's", nil
	}
	return notPlayed + "nothing of ours is called at " + s.r.Event, nil
}

// one is the verdict that a single event should have.
func (s *stage) one(o outcome, err error) (string, error) {
	if err != nil {
		return "", err
	}
	v := s.r.verdicts()
	return s.meets(o, v[len(v)-1]), nil
}

// before plays a tool call that is about to be made.
func (s *stage) before(ctx context.Context) (string, error) {
	if s.r.has("stdin") || s.r.has("stdin_bytes") {
		return s.bytes(ctx)
	}
	in := s.r.Input
	if s.r.foreign() == "" {
		if call := s.r.asClaude(); call != nil {
			in = call
		}
	}
	if s.r.Kind == "ask-unsupported" { // a host of ours without the verb
		s.agent = "gemini"
		in["tool_name"] = "run_shell_command"
	}
	event := "PreToolUse"
	if s.agent == "gemini" {
		event = "BeforeTool"
	}
	payload := map[string]any{"hook_event_name": event}
	for _, key := range []string{"tool_name", "tool_input", "cwd", "permission_mode", "turn_id"} {
		if v, ok := in[key]; ok {
			payload[key] = s.moved(v)
		}
	}
	if text := s.r.text("content"); text != "" {
		payload["tool_input"] = map[string]any{"file_path": "notes.txt", "content": "key = " + vendorKey() + "\n"}
	}
	if _, ok := payload["tool_input"]; !ok && s.agent == "claude" {
		payload["tool_input"] = map[string]any{"command": "rm -rf " + filepath.Join(s.home, "precious")}
	}
	if why, err := s.situation(ctx, payload); why != "" || err != nil {
		return why, err
	}
	if s.r.has("registry") {
		return s.registry(ctx, payload)
	}
	if dir, _ := payload["cwd"].(string); dir != "" && !strings.Contains(dir, "deleted") && !strings.Contains(dir, "gone") {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
	}
	if s.r.has("approved_once") {
		return s.approved(ctx, payload)
	}
	if runs, ok := s.r.Input["runs"].(float64); ok {
		return s.quick(ctx, payload, int(runs))
	}
	o, err := s.hook(ctx, payload)
	wrong, err := s.one(o, err)
	if wrong != "" || err != nil {
		return wrong, err
	}
	return s.closer(payload, o)
}

// closer looks at what a kind of report says beside its verdict.
func (s *stage) closer(payload map[string]any, o outcome) (string, error) {
	if bytes.Contains(s.last, []byte(`"permissionDecision":"allow"`)) {
		return "an allow: " + string(s.last), nil
	}
	switch s.r.Kind {
	case "updatedInput":
		var a struct {
			Specific struct{ UpdatedInput map[string]any } `json:"hookSpecificOutput"`
		}
		if err := json.Unmarshal(s.last, &a); err != nil {
			return "", err
		}
		was, _ := payload["tool_input"].(map[string]any)
		for key, v := range was {
			if got := a.Specific.UpdatedInput[key]; (key == s.r.text("rewrite")) == (fmt.Sprint(got) == fmt.Sprint(v)) {
				return fmt.Sprintf("updatedInput.%s is %v", key, got), nil
			}
		}
	case "allow-bypass", "output-shape":
		if o.decision == "pass" && string(bytes.TrimSpace(s.last)) != "{}" {
			return string(s.last), nil
		}
	case "log-redact":
		if bytes.Contains(s.last, []byte(vendorKey())) {
			return "the answer holds the key", nil
		}
		return s.logs(func(path string, text []byte, mode fs.FileMode) string {
			if bytes.Contains(text, []byte(vendorKey())) || mode.Perm() != 0o600 {
				return fmt.Sprintf("%s: mode %v, or holds the key", path, mode)
			}
			return ""
		})
	case "audit":
		lines := 0
		_, err := s.logs(func(_ string, text []byte, _ fs.FileMode) string { lines += bytes.Count(text, []byte("\n")); return "" })
		if err != nil || lines != 1 {
			return fmt.Sprintf("%d lines in the log", lines), err
		}
	}
	return "", nil
}

func vendorKey() string { return "ghp_" + "x7Kp2mVqL9sTzR4bW8nYc3JfH6dGa1Eu" + "Q5wZ" }

// logs looks at each file of the log, and returns the first objection.
func (s *stage) logs(look func(path string, text []byte, mode fs.FileMode) string) (string, error) {
	why := ""
	err := filepath.WalkDir(filepath.Join(s.home, ".guardrails", "log"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || why != "" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			why = look(filepath.Base(path), text, info.Mode())
		}
		return err
	})
	return why, err
}

// situation makes the state of a report true, as far as its words can be read.
func (s *stage) situation(ctx context.Context, payload map[string]any) (string, error) {
	state := s.r.text("state")
	switch {
	case strings.Contains(state, "dirty"), strings.Contains(state, "uncommitted"):
		if err := s.write(filepath.Join(s.project, "a.go"), goFile("app", "1")+"\n// Work.\n", 0o644); err != nil {
			return "", err
		}
	case strings.Contains(state, "symlink"):
		link, target, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(strings.ReplaceAll(state, "(symlink)", "")), "/"), " -> ")
		target = filepath.Join(s.home, "data", filepath.Base(target))
		if err := os.MkdirAll(target, 0o755); err != nil {
			return "", err
		}
		if err := os.Symlink(target, filepath.Join(s.project, link)); err != nil {
			return "", err
		}
	case strings.Contains(state, "worktree"):
		tree := filepath.Join(s.project, ".claude", "worktrees", "a")
		if err := s.git(ctx, s.project, "worktree", "add", "-q", tree, "-b", "a"); err != nil {
			return "", err
		}
		payload["cwd"] = tree
		if err := s.write(filepath.Join(tree, "a.go"), goFile("app", "2"), 0o644); err != nil {
			return "", err
		}
		if strings.Contains(state, "relax_worktrees") { // a human who allows what is lost there
			if err := s.user("version: 1\npolicy: {allow: [{rule: git/discard, when: \"git restore **\", reason: disposable trees}]}\n"); err != nil {
				return "", err
			}
		}
	}
	if s.r.has("lockfile") {
		for name, text := range map[string]string{
			"package.json": "{\"name\":\"app\"}\n", "package-lock.json": "{\"name\":\"app\",\"lockfileVersion\":3,\"packages\":{}}\n", "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
			"pyproject.toml": "[project]\nname = \"app\"\nversion = \"1\"\n", "uv.lock": "version = 1\n", "Gemfile": "source 'https://example.com'\n", "Gemfile.lock": "GEM\n", "go.sum": "",
		} {
			if err := s.write(filepath.Join(s.project, name), text, 0o644); err != nil {
				return "", err
			}
		}
		if err := s.user("version: 1\n" + s.m.config()); err != nil {
			return "", err
		}
	}
	if s.r.has("rewrite") {
		input, _ := payload["tool_input"].(map[string]any)
		return "", s.user(fmt.Sprintf("version: 1\nrewrite: [{match: %q, to: %q}]\n", input["command"], "rtk "+fmt.Sprint(input["command"])))
	}
	if s.r.Kind == "cloud" || s.r.Kind == "cloud-fp" {
		return "", s.user("version: 1\npolicy: {packs: [core, cloud, database, containers, publishing]}\n")
	}
	if fault := s.r.text("fault"); fault != "" {
		switch {
		case strings.Contains(fault, "config error"):
			if err := s.write(filepath.Join(s.project, ".guardrails.yaml"), "version: 1\nmod: [", 0o644); err != nil {
				return "", err
			}
			payload["tool_name"], payload["tool_input"] = "no_such_tool", map[string]any{"x": 1}
		default:
			return notPlayed + "no program can put a fault into the binary; core/engine's tests do", nil
		}
	}
	if root := s.r.text("plugin_root"); root != "" {
		s.env = append(s.env, "CLAUDE_PLUGIN_ROOT="+s.place(root))
		payload["tool_input"] = map[string]any{"command": "ls"}
	}
	if check := s.r.text("check"); check != "" {
		if !strings.Contains(check, "hang") {
			return notPlayed + "the check is not known: " + check, nil
		}
		if err := s.user("version: 1\n" + s.m.config()); err != nil {
			return "", err
		}
		s.m.serve(slow(ctx))
		payload["tool_input"] = map[string]any{"command": "npm install left-pad-next"}
	}
	return "", nil
}

// registry plays a call about packages of which the report says what a registry
// answers.
func (s *stage) registry(ctx context.Context, payload map[string]any) (string, error) {
	c := testCase{id: s.r.ID, registry: s.r.text("registry"), request: map[string]any{"payload": s.shape(payload)}}
	a, err := s.m.ask(ctx, runner{bin: s.bin}, s.agent, c)
	if err != nil {
		return "", err
	}
	if a.Error != "" {
		return a.Error, nil
	}
	return s.meets(outcome{decision: a.Decision, text: a.Rule}, s.r.verdicts()[0]), nil
}

// approved has a human permit a refused call once: it passes once and no more.
func (s *stage) approved(ctx context.Context, payload map[string]any) (string, error) {
	o, err := s.hook(ctx, payload)
	if err != nil {
		return "", err
	}
	code := regexp.MustCompile(`allow once ([0-9a-f]{8})`).FindStringSubmatch(o.text)
	if code == nil {
		return "the refusal names no code: " + o.text, nil
	}
	script, err := s.program(ctx, s.project, nil, "sh", "-c", "command -v script")
	if err != nil || script.code != 0 {
		return notPlayed + "a grant needs a terminal, and there is no script(1) here to make one", err
	}
	p, err := s.program(ctx, s.project, nil, "script", "-qec", "guardrails allow once "+code[1], "/dev/null")
	if err != nil || p.code != 0 {
		return "allow once: " + p.text(), err
	}
	if o, err = s.hook(ctx, payload); err != nil || o.decision != "pass" {
		return "granted, and then: " + o.String(), err
	}
	if o, err = s.hook(ctx, payload); err != nil || o.decision != "deny" {
		return "a second time: " + o.String(), err
	}
	return "", nil
}

// quick measures calls one after another.
func (s *stage) quick(ctx context.Context, payload map[string]any, runs int) (string, error) {
	var ms []float64
	for range runs {
		if o, err := s.hook(ctx, payload); err != nil || o.decision != "pass" {
			return o.String(), err
		}
		ms = append(ms, float64(s.took.Microseconds())/1000)
	}
	if p := quantile(ms, 99); p > 50 {
		return fmt.Sprintf("p99 is %.1f ms", p), nil
	}
	return "", nil
}

// bytes plays what a report says of the bytes on standard input.
func (s *stage) bytes(ctx context.Context) (string, error) {
	args := []string{"hook", "--agent", s.agent}
	if argv := s.r.text("argv"); argv != "" {
		argv, _, _ = strings.Cut(argv, " (")
		args = strings.Fields(argv)
	}
	payload := func(command string) []byte {
		body, _ := json.Marshal(s.shape(map[string]any{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": command}}))
		return body
	}
	text := s.r.text("stdin") + s.r.text("stdin_bytes")
	_, embedded, isPart := strings.Cut(text, "{")
	embedded = "{" + embedded
	if i := strings.LastIndex(embedded, "}"); i > 0 && json.Valid([]byte(embedded[:i+1])) {
		embedded = embedded[:i+1]
	}
	var in io.Reader
	size, sized := s.r.Input["stdin_bytes"].(float64)
	switch {
	case sized:
		big, err := json.Marshal(s.shape(map[string]any{
			"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": "ls", "description": strings.Repeat("x", int(size))},
		}))
		if err != nil {
			return "", err
		}
		in = bytes.NewReader(big)
		o, err := s.raw(ctx, bytes.NewReader(bytes.Replace(big, []byte("PreToolUse"), []byte("NoSuchEvent"), 1)), args...)
		if wrong, err := s.one(o, err); wrong != "" || err != nil {
			return wrong, err
		}
	case strings.HasPrefix(text, "truncated JSON "):
		in = strings.NewReader(strings.TrimPrefix(text, "truncated JSON "))
	case strings.Contains(text, "BOM"):
		body := payload("ls")
		if isPart {
			body = []byte(embedded)
		}
		in = io.MultiReader(strings.NewReader("\ufeff"), bytes.NewReader(body))
	case strings.Contains(text, "surrogate"):
		in = bytes.NewReader(bytes.Replace(payload("echo X"), []byte("X"), []byte(`\ud83d`), 1))
	case strings.Contains(text, "held open"):
		r, w, err := os.Pipe()
		if err != nil {
			return "", err
		}
		defer r.Close()
		defer w.Close()
		if _, err := w.Write(payload("ls")); err != nil {
			return "", err
		}
		o, err := s.raw(ctx, r, args...)
		if s.took > time.Second {
			return fmt.Sprintf("answered after %v", s.took), err
		}
		return s.one(o, err)
	case isPart && json.Valid([]byte(embedded)):
		in = strings.NewReader(embedded)
		s.env = append(s.env, "LANG=ja_JP.SJIS", "LC_ALL=ja_JP.SJIS")
	case text == "":
		in = strings.NewReader("")
	default:
		return notPlayed + "these bytes are described too loosely", nil
	}
	o, err := s.raw(ctx, in, args...)
	return s.one(o, err)
}

var marker = regexp.MustCompile(`\b([A-Z0-9]+_SKIP\b)`)

const followed = "handoffs: {packs: [delivery], preferences: {autoE2ETest: false}}\nevidence: {enabled: true}\n"

// after plays a tool call that was made, and looks at what was recorded.
func (s *stage) after(ctx context.Context) (string, error) {
	switch {
	case s.r.has("parallel"):
		return s.parallel(ctx)
	case s.r.has("file"):
		return s.formatted(ctx)
	}
	if size, ok := s.r.Input["tool_response_bytes"].(float64); ok {
		if err := s.configure(ctx, "quality: {onEdit: [format, lint], onStop: []}\n"+followed); err != nil {
			return "", err
		}
		o, err := s.hook(ctx, map[string]any{
			"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": map[string]any{"file_path": filepath.Join(s.project, "a.go"), "content": "x"},
			"tool_response": map[string]any{"filePath": "a.go", "content": strings.Repeat("x", int(size))},
		})
		return s.one(o, err)
	}
	if err := s.configure(ctx, followed); err != nil {
		return "", err
	}
	in := s.r.Input
	if call := s.r.asClaude(); call != nil {
		in = call
	}
	if s.r.Kind == "outcome-host" { // a host of ours that tells no outcome
		s.agent = "muse"
	}
	payload := map[string]any{"hook_event_name": s.r.Event}
	for _, key := range []string{"tool_name", "tool_input", "tool_response", "error", "cwd"} {
		if v, ok := in[key]; ok {
			payload[key] = s.moved(v)
		}
	}
	if strings.HasPrefix(s.r.Kind, "skip-marker") { // the pack's own markers have its prefix
		body, err := json.Marshal(payload)
		if err != nil {
			return "", err
		}
		clear(payload)
		if err := json.Unmarshal(marker.ReplaceAll(body, []byte("GUARDRAILS_$1")), &payload); err != nil {
			return "", err
		}
	}
	if env, ok := s.r.Input["env"].(map[string]any); ok {
		for k, v := range env {
			s.env = append(s.env, fmt.Sprintf("%s=%v", k, s.moved(v)))
		}
	}
	if dir, _ := payload["cwd"].(string); strings.Contains(dir, "worktrees") {
		if err := s.git(ctx, s.project, "worktree", "add", "-q", dir, "-b", "a"); err != nil {
			return "", err
		}
	} else if dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
	}
	o, err := s.hook(ctx, payload)
	wrong, err := s.one(o, err)
	if wrong != "" || err != nil {
		return wrong, err
	}
	if then := s.r.text("then"); strings.HasPrefix(then, "Stop") {
		stop := map[string]any{"hook_event_name": "Stop", "stop_hook_active": false}
		if _, dir, ok := strings.Cut(then, "cwd="); ok {
			stop["cwd"] = s.place(dir)
		}
		o, err = s.hook(ctx, stop)
		if wrong, err := s.one(o, err); wrong != "" || err != nil {
			return wrong, err
		}
	}
	return s.recorded(ctx, payload)
}

// status is what status --json says, as far as reports speak of it.
type status struct {
	Facts map[string]struct {
		Grade   string
		Members []string
	}
	Obligations []struct {
		ID                      string
		Owed, Released, Skipped bool
	}
	Touched []string
	Agents  []struct {
		ID      string
		Touched []string
	}
}

func (s *stage) status(ctx context.Context, dir string) (status, error) {
	p, err := s.cli(ctx, dir, "status", "--session", "s", "--agent", s.agent, "--json")
	if err != nil {
		return status{}, err
	}
	var st status
	return st, json.Unmarshal([]byte(p.out), &st)
}

// recorded compares what a session holds with the state that a report expects.
func (s *stage) recorded(ctx context.Context, payload map[string]any) (string, error) {
	st, err := s.status(ctx, s.project)
	if err != nil {
		return "", err
	}
	grade := st.Facts["tests"].Grade
	good := true
	switch s.r.Expect.State["tests"] {
	case "green":
		good = grade == "passed" || grade == "passed-uncounted"
	case "red":
		good = grade == "failed" || grade == "error"
	case "unknown": // nothing that counts as green or as red
		good = !slices.Contains([]string{"passed", "passed-uncounted", "failed"}, grade)
	}
	if !good {
		return "tests: " + grade, nil
	}
	pending := len(st.Facts["terminal-pending"].Members) > 0
	opened := len(st.Facts["prs"].Members) > 0
	switch s.r.Expect.State["pr"] {
	case "terminal":
		good = pending
	case "no-change", "auto-merge-armed", "unknown":
		good = !pending && !opened
	case "opened", "open":
		good = opened
	}
	if !good {
		return fmt.Sprintf("pr: opened %v, terminal %v", opened, pending), nil
	}
	touched := slices.Clone(st.Touched)
	slices.Sort(touched)
	if _, list, ok := strings.Cut(s.r.Expect.Words, "touched: "); ok {
		if got := strings.Join(touched, ","); got != list {
			return "touched: " + got, nil
		}
	}
	if s.r.Kind == "worktree" {
		input, _ := payload["tool_input"].(map[string]any)
		path, _ := input["file_path"].(string)
		cwd, _ := payload["cwd"].(string)
		rel, err := filepath.Rel(cwd, path)
		if err != nil || !slices.Contains(touched, rel) {
			return fmt.Sprintf("touched: %v", touched), err
		}
	}
	return "", nil
}

// parallel plays many events at once.
func (s *stage) parallel(ctx context.Context) (string, error) {
	n := int(s.r.Input["parallel"].(float64))
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			one := *s
			one.n = i
			_, errs[i] = one.hook(ctx, map[string]any{
				"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_response": map[string]any{},
				"tool_input": map[string]any{"file_path": filepath.Join(s.project, "f"+strconv.Itoa(i)+".go"), "old_string": "a", "new_string": "b"},
			})
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return "", err
		}
	}
	st, err := s.status(ctx, s.project)
	if err != nil || len(st.Touched) != n {
		return fmt.Sprintf("%d touched", len(st.Touched)), err
	}
	return "", nil
}

// formatted plays an edit that a formatter may have an opinion of: what the
// project did not ask for leaves the file alone, and an import is never taken out.
func (s *stage) formatted(ctx context.Context) (string, error) {
	if err := s.configure(ctx, "quality: {onEdit: [format], onStop: []}\n"); err != nil {
		return "", err
	}
	name := s.r.text("file")
	text := "#   a\n*  b\n\n\n\n- c\n"
	keep := text
	if strings.HasSuffix(name, ".py") {
		text, keep = "import json\n\nx=1\n", "import json"
		if err := s.write(filepath.Join(s.project, "pyproject.toml"), "[project]\nname = \"a\"\nversion = \"1\"\n\n[tool.ruff]\nline-length = 100\n\n[tool.black]\n", 0o644); err != nil {
			return "", err
		}
	}
	path := filepath.Join(s.project, filepath.FromSlash(name))
	if err := s.write(path, text, 0o644); err != nil {
		return "", err
	}
	o, err := s.hook(ctx, map[string]any{
		"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_response": map[string]any{},
		"tool_input": map[string]any{"file_path": path, "old_string": "", "new_string": text},
	})
	if wrong, err := s.one(o, err); wrong != "" || err != nil {
		return wrong, err
	}
	got, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(got), keep) {
		return "the file is now " + oneLine(string(got)), err
	}
	return "", nil
}

// prompt plays a prompt, and where a report says so that the second is quiet.
func (s *stage) prompt(ctx context.Context) (string, error) {
	if err := s.configure(ctx, "handoffs: {packs: [delivery]}\n"); err != nil {
		return "", err
	}
	p := map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": s.r.text("prompt")}
	o, err := s.hook(ctx, p)
	if wrong, err := s.one(o, err); wrong != "" || err != nil || !strings.Contains(s.r.Expect.Words, "once") {
		return wrong, err
	}
	p["prompt_id"] = "2"
	if o, err = s.hook(ctx, p); err != nil || o.decision != "pass" {
		return "a second time: " + o.String(), err
	}
	return "", nil
}

// start plays a session's start.
func (s *stage) start(ctx context.Context) (string, error) {
	p := map[string]any{"hook_event_name": "SessionStart", "source": "startup"}
	for _, key := range []string{"source", "session_id"} {
		if s.r.has(key) {
			p[key] = s.r.Input[key]
		}
	}
	switch {
	case s.r.has("standards_text_chars"):
		n := int(s.r.Input["standards_text_chars"].(float64))
		text := "# First rule\n" + strings.Repeat("Name things well, and say why. ", n/31)
		if err := s.write(filepath.Join(s.project, "docs", "style.md"), text, 0o644); err != nil {
			return "", err
		}
		if err := s.configure(ctx, "quality: {}\nstandards: [\"docs/style.md\"]\n"); err != nil {
			return "", err
		}
		o, err := s.hook(ctx, p)
		if wrong, err := s.one(o, err); wrong != "" || err != nil {
			return wrong, err
		}
		if len(o.text) > 9000 || !strings.Contains(o.text, "First rule") || !strings.Contains(o.text, "docs/style.md") {
			return fmt.Sprintf("%d bytes of context: %s", len(o.text), oneLine(o.text)), nil
		}
		return "", nil
	}
	// What was owed before is not forgotten by a source that is no fresh start.
	if err := s.configure(ctx, "quality: {}\nevidence: {enabled: true}\n"); err != nil {
		return "", err
	}
	old := "s"
	if s.r.has("session_id") {
		old = "old"
	}
	if err := s.write(filepath.Join(s.project, "a.go"), goFile("app", "2"), 0o644); err != nil {
		return "", err
	}
	if _, err := s.hook(ctx, map[string]any{
		"hook_event_name": "PostToolUse", "session_id": old, "tool_name": "Edit", "tool_response": map[string]any{},
		"tool_input": map[string]any{"file_path": filepath.Join(s.project, "a.go"), "old_string": "1", "new_string": "2"},
	}); err != nil {
		return "", err
	}
	o, err := s.hook(ctx, p)
	if wrong, err := s.one(o, err); wrong != "" || err != nil {
		return wrong, err
	}
	stop := map[string]any{"hook_event_name": "Stop", "stop_hook_active": false}
	if s.r.has("session_id") {
		stop["session_id"] = s.r.Input["session_id"]
	}
	if o, err = s.hook(ctx, stop); err != nil || o.decision != "block" {
		return "the turn's end: " + o.String(), err
	}
	return "", nil
}

// validate puts a text to the validators, as they come.
func (s *stage) validate(ctx context.Context) (string, error) {
	line, err := json.Marshal(map[string]string{"id": s.r.ID, "text": s.r.text("text")})
	if err != nil {
		return "", err
	}
	p, err := s.program(ctx, s.project, bytes.NewReader(append(line, '\n')), s.bin, "scan", "--batch", "--use", "pii,prompt-injection,secrets")
	if err != nil {
		return "", err
	}
	var a struct {
		Findings []struct{ Validator, Kind, Severity string }
	}
	if err := json.Unmarshal([]byte(p.out), &a); err != nil {
		return "", fmt.Errorf("%w: %s", err, p.text())
	}
	found := len(a.Findings) > 0
	if found == (s.r.verdicts()[0] == "none") {
		return fmt.Sprintf("findings: %+v", a.Findings), nil
	}
	return "", nil
}
