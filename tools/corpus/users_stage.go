package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A stage is where one report is played: a home, a project in git with a small Go
// module, and the binary.
type stage struct {
	world
	r   story
	m   *market
	env []string
	n   int // events so far

	took time.Duration // the last hook call
	last []byte        // its answer
}

func playStory(ctx context.Context, bin string, m *market, r story) (string, error) {
	home, err := os.MkdirTemp("", "guardrails-report")
	if err != nil {
		return "", err
	}
	defer removeAll(home)
	s := &stage{world: world{bin: bin, home: home, project: filepath.Join(home, "project"), agent: "claude"}, r: r, m: m}
	switch r.Host {
	case "gemini", "antigravity", "muse":
		s.agent = r.Host
	}
	m.serve(said{published: time.Now().AddDate(-5, 0, 0)}.answer(nil, nil))
	if err := s.repository(ctx); err != nil {
		return "", err
	}
	wrong, err := s.play(ctx)
	if err != nil {
		return "", err
	}
	return wrong, nil
}

// removeAll also removes what tools left without write permission.
func removeAll(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// repository makes the project and its first commit.
func (s *stage) repository(ctx context.Context) error {
	files := map[string]string{
		"go.mod":          "module acme.dev/app\n\ngo 1.21\n",
		"a.go":            goFile("app", "1"),
		"a_test.go":       goTest("app", "A", "1"),
		"other/b.go":      goFile("other", "1"),
		"other/b_test.go": goTest("other", "A", "1"),
		"docs/a.md":       "# a\n",
		"README.md":       "# app\n",
		"src/a.go":        "package src\n",
	}
	for name, text := range files {
		if err := s.write(filepath.Join(s.project, filepath.FromSlash(name)), text, 0o644); err != nil {
			return err
		}
	}
	return s.git(ctx, s.project, "init", "-q", "-b", "main", "--", ".", "", "add", "-A", "", "commit", "-q", "-m", "one")
}

func goFile(pkg, value string) string {
	return "package " + pkg + "\n\n// A is a number.\nfunc A() int { return " + value + " }\n"
}

func goTest(pkg, name, value string) string {
	return "package " + pkg + "\n\nimport \"testing\"\n\nfunc Test" + name + "(t *testing.T) {\n\tif got := A(); got != " + value +
		" {\n\t\tt.Errorf(\"A() = %d, want " + value + "\", got)\n\t}\n}\n"
}

// git runs git commands, each ended by an empty word.
func (s *stage) git(ctx context.Context, dir string, words ...string) error {
	for len(words) > 0 {
		var args []string
		for len(words) > 0 && words[0] != "" {
			args, words = append(args, words[0]), words[1:]
		}
		if len(words) > 0 {
			words = words[1:]
		}
		if args[0] == "init" { // "init … -- ." reads better than a folder of its own
			args = args[:len(args)-2]
		}
		cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"}, args...)...)
		cmd.Dir = dir
		cmd.Env = s.environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// environ is the environment of every program: a home of its own, the tools of
// this machine, and Go's caches so that a test run is quick.
func (s *stage) environ() []string {
	env := []string{
		"HOME=" + s.home, "USERPROFILE=" + s.home, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "USER=u", "GIT_CONFIG_NOSYSTEM=1",
		"GOCACHE=" + goCache(), "GOTOOLCHAIN=local", "GOFLAGS=",
		"PATH=" + strings.Join([]string{filepath.Join(s.home, "bin"), filepath.Dir(s.bin), os.Getenv("PATH")}, string(os.PathListSeparator)),
	}
	return append(env, s.env...)
}

func goCache() string {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "go-build")
}

// A ran is what a program came to.
type ran struct {
	code        int
	out, stderr string
}

func (p ran) text() string { return p.out + p.stderr }

// cli runs guardrails as a person in dir.
func (s *stage) cli(ctx context.Context, dir string, args ...string) (ran, error) {
	return s.program(ctx, dir, nil, s.bin, args...)
}

func (s *stage) program(ctx context.Context, dir string, in io.Reader, name string, args ...string) (ran, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, s.environ(), in
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return ran{}, fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return ran{cmd.ProcessState.ExitCode(), out.String(), stderr.String()}, nil
}

// configure writes the project's configuration, and trusts it.
func (s *stage) configure(ctx context.Context, text string) error {
	if err := s.write(filepath.Join(s.project, ".guardrails.yaml"), "version: 1\n"+text, 0o644); err != nil {
		return err
	}
	p, err := s.cli(ctx, s.project, "trust", "--yes")
	if err == nil && p.code != 0 {
		err = fmt.Errorf("trust: %s", p.stderr)
	}
	return err
}

// user writes the human's own configuration.
func (s *stage) user(text string) error {
	return s.write(filepath.Join(s.home, ".guardrails", "config.yaml"), text, 0o600)
}

// hook plays one event, in a host's own shape.
func (s *stage) hook(ctx context.Context, payload map[string]any) (outcome, error) {
	s.n++
	body, err := json.Marshal(s.shape(payload))
	if err != nil {
		return outcome{}, err
	}
	args := []string{"hook", "--agent", s.agent}
	if event, _ := payload["hook_event_name"].(string); s.agent == "antigravity" {
		args = append(args, event) // its payloads do not name it
	}
	return s.raw(ctx, bytes.NewReader(body), args...)
}

// raw plays the bytes of one event.
func (s *stage) raw(ctx context.Context, in io.Reader, args ...string) (outcome, error) {
	start := time.Now()
	p, err := s.program(ctx, s.project, in, s.bin, args...)
	s.took = time.Since(start)
	if err != nil {
		return outcome{}, err
	}
	s.last = []byte(p.out)
	if p.code != 0 {
		return outcome{decision: "exit " + strconv.Itoa(p.code), text: p.stderr}, nil
	}
	return readAnswer(s.agent, s.last)
}

// readAnswer takes a host's answer apart; silence is a pass where the host says so.
func readAnswer(agent string, out []byte) (outcome, error) {
	if len(bytes.TrimSpace(out)) == 0 && (agent == "muse" || agent == "gemini") {
		return outcome{decision: "pass"}, nil
	}
	o, err := read(out)
	if err != nil {
		return outcome{decision: "no answer", text: string(out)}, nil
	}
	switch {
	case agent != "claude" && o.decision == "allow":
		o.decision = "pass"
	case agent == "antigravity" && o.decision == "continue":
		o.decision = "block"
	}
	if bytes.Contains(out, []byte(`"updatedInput"`)) && o.decision == "pass" {
		o.decision = "rewrite"
	}
	return o, nil
}

// shape puts a payload in Claude Code's words into the host's.
func (s *stage) shape(p map[string]any) map[string]any {
	p = maps.Clone(p)
	if _, ok := p["session_id"]; !ok {
		p["session_id"] = "s"
	}
	if _, ok := p["cwd"]; !ok {
		p["cwd"] = s.project
	}
	if _, ok := p["transcript_path"]; !ok {
		p["transcript_path"] = filepath.Join(s.home, "transcript.jsonl")
	}
	if s.agent == "antigravity" {
		input, _ := p["tool_input"].(map[string]any)
		if p["hook_event_name"] == "Stop" {
			return map[string]any{
				"conversationId": p["session_id"], "workspacePaths": []any{p["cwd"]}, "transcriptPath": p["transcript_path"],
				"executionNum": 0, "fullyIdle": true, "terminationReason": "NO_TOOL_CALL", "error": "",
			}
		}
		return map[string]any{
			"conversationId": p["session_id"], "workspacePaths": []any{p["cwd"]}, "transcriptPath": p["transcript_path"], "stepIdx": s.n,
			"toolCall": map[string]any{"name": p["tool_name"], "args": input},
		}
	}
	if s.agent == "gemini" {
		p["timestamp"] = "2026-01-01T00:00:00Z"
		return p
	}
	if _, ok := p["permission_mode"]; !ok {
		p["permission_mode"] = "default"
	}
	if _, ok := p["tool_input"]; ok {
		if name, ok := p["tool_name"].(string); !ok || name == "" {
			p["tool_name"] = "Bash"
		}
		p["tool_use_id"] = "toolu_" + strconv.Itoa(s.n)
	}
	return p
}

// place is a path of a report on this machine: /repo is the project.
func (s *stage) place(path string) string {
	switch {
	case path == "/repo" || strings.HasPrefix(path, "/repo/"):
		return s.project + strings.TrimPrefix(path, "/repo")
	case path == "/w" || strings.HasPrefix(path, "/w/"), strings.HasPrefix(path, "/t/"), strings.HasPrefix(path, "/gone"):
		return filepath.Join(s.home, filepath.FromSlash(path))
	}
	return path
}

var repoPath = regexp.MustCompile(`^/repo(/|$)`)

// moved is a value of a payload with the places of a report moved to this machine.
func (s *stage) moved(v any) any {
	switch v := v.(type) {
	case string:
		if repoPath.MatchString(v) {
			return s.place(v)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = s.moved(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = s.moved(e)
		}
		return out
	}
	return v
}

// meets says how an outcome is not a verdict, "" if it is.
func (s *stage) meets(o outcome, verdict string) string {
	good := false
	switch verdict {
	case "none":
		good = o.decision == "pass" || o.decision == "advise" || o.decision == "rewrite"
	case "context": // the agent or the human is told
		good = o.decision == "advise" || o.decision == "rewrite" || o.decision == "block" || o.decision == "pass" && o.notice != ""
	case "ask":
		good = o.decision == "ask" || s.agent != "claude" && o.decision == "deny"
	case "block":
		good = o.decision == "block"
	default:
		good = o.decision == verdict
	}
	if good {
		return ""
	}
	return o.String()
}
