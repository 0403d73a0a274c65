//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/adapters/hosttest"
)

// A world is one person's machine: a home, a project in it, one version of a
// host.
type world struct {
	t       *testing.T
	agent   string // the host's name on our command line
	version string
	home    string
	project string           // a git repository
	quiet   *hosttest.Server // answers programs that are run outside of a session
	env     []string         // KEY=VALUE that the person has set
}

// each runs a test in a world of its own for every version.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	for _, v := range versions {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, v))
		})
	}
}

func newWorld(t *testing.T, version string) *world {
	t.Helper()
	if hosts[version] == "" {
		t.Fatalf("the host program %s was left out by -hosts %s", version, *only)
	}
	home, err := os.MkdirTemp("", "e2e-") //nolint:usetesting // the host's sockets need a short path, see hosttest.Claude
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	if home, err = filepath.EvalSymlinks(home); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, agent: "claude", version: version, home: home, project: filepath.Join(home, "work", "project"), quiet: serve(t, hosttest.Script{})}
	bin := filepath.Join(home, ".local", "bin")
	for _, dir := range []string{bin, filepath.Join(home, "tmp")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(hosts[version], filepath.Join(bin, filepath.Base(hosts[version]))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, out := range w.quiet.Of(hosttest.Outbound) {
			t.Errorf("something wanted to reach %s", out.Path)
		}
	})
	w.write("README.md", "# Project\n")
	w.run(w.project, "git", "init", "--quiet")
	return w
}

// sub runs a part of a test in the same world.
func (w *world) sub(name string, test func(t *testing.T, w *world)) {
	w.t.Helper()
	w.t.Run(name, func(t *testing.T) {
		in := *w
		in.t = t
		test(t, &in)
	})
}

// serve starts a scripted model that ends with the test.
func serve(t *testing.T, script hosttest.Script) *hosttest.Server {
	t.Helper()
	server, err := hosttest.Serve(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// path returns the absolute path of a name in the project.
func (w *world) path(name string) string { return filepath.Join(w.project, filepath.FromSlash(name)) }

// write puts a file into the project.
func (w *world) write(name, content string) {
	w.t.Helper()
	writeFile(w.t, w.path(name), content)
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// read returns a file's content, and whether it is there.
func (w *world) read(path string) (string, bool) {
	w.t.Helper()
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b), true
}

// sentinel makes a folder outside of the project that must outlive the test,
// with a file in it.
func (w *world) sentinel(name string) string {
	w.t.Helper()
	dir := filepath.Join(w.home, "precious", name)
	writeFile(w.t, filepath.Join(dir, "file"), "kept\n")
	return dir
}

// stands fails the test unless a sentinel is whole.
func (w *world) stands(dir string) {
	w.t.Helper()
	if _, ok := w.read(filepath.Join(dir, "file")); !ok {
		w.t.Errorf("%s is gone", dir)
	}
}

// host is a run of the host, with nothing of this machine but PATH, where the
// host comes first.
func (w *world) host(server *hosttest.Server) hosttest.Claude {
	path := filepath.Join(w.home, ".local", "bin") + string(filepath.ListSeparator) + os.Getenv("PATH")
	return hosttest.Claude{
		Bin: hosts[w.version], Dir: w.project, Home: w.home, BaseURL: server.URL(), Env: append([]string{"PATH=" + path}, w.env...),
	}
}

// run runs a program to success and returns its standard output.
func (w *world) run(dir, name string, args ...string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, w.host(w.quiet).Environ(), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("%s %s: %v\nstdout: %s\nstderr: %s", name, strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String()
}

// guardrails runs our built binary as the person would.
func (w *world) guardrails(args ...string) string {
	w.t.Helper()
	return w.run(w.project, built, args...)
}

// init runs our init verb for the project.
func (w *world) init(flags ...string) {
	w.t.Helper()
	w.guardrails(append([]string{"init", "--agent", w.agent, "--dir", w.project, "--yes"}, flags...)...)
}

// installed is the binary that init puts into the home.
func (w *world) installed() string { return filepath.Join(w.home, ".guardrails", "bin", "guardrails") }

// local is the settings file that init writes by default.
func (w *world) local() string { return w.path(".claude/settings.local.json") }

// user is the person's own settings file.
func (w *world) user() string { return filepath.Join(w.home, ".claude", "settings.json") }

// A play is one session of the host.
type play struct {
	turns  []hosttest.Turn         // of the main conversation
	others []hosttest.Conversation // of subagents; tried first
	prompt string
	args   []string
}

// claude runs another command of the host to success and returns its output.
func (w *world) claude(args ...string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := w.host(w.quiet)
	c.Args = args
	r, err := hosttest.Run(ctx, c)
	if err != nil {
		w.t.Fatal(err)
	}
	if r.ExitCode != 0 {
		w.t.Fatalf("claude %s ended with %d\nstdout: %s\nstderr: %s", strings.Join(args, " "), r.ExitCode, r.Stdout, r.Stderr)
	}
	return string(r.Stdout)
}

// A session is how a play went.
type session struct {
	hosttest.Result
	w      *world
	server *hosttest.Server
	id     string
}

// main is the name of the conversation with the person.
const mainPart = "main"

// play runs one session of the host in the project. Unless the play names a
// mode, permission prompts are skipped, so that nothing but our answer stands
// before a call.
func (w *world) play(p play) session {
	w.t.Helper()
	server := serve(w.t, hosttest.Script{
		Conversations: append(slices.Clone(p.others), hosttest.Conversation{Name: mainPart, Turns: p.turns}),
	})
	if p.prompt == "" {
		p.prompt = "Please go on as planned."
	}
	args := p.args
	if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--permission-mode") || a == "--allowedTools" }) {
		args = append(args, "--dangerously-skip-permissions")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	c := w.host(server)
	c.Args, c.Prompt, c.Stream = append([]string{"--include-hook-events"}, args...), p.prompt, true
	r, err := hosttest.Run(ctx, c)
	if err != nil {
		w.t.Fatal(err)
	}
	s := session{Result: r, w: w, server: server}
	if init := r.Find("system", "init"); len(init) > 0 {
		s.id = init[0].Session
	}
	for _, out := range server.Of(hosttest.Outbound) {
		w.t.Errorf("the session wanted to reach %s", out.Path)
	}
	if r.ExitCode != 0 {
		w.t.Fatalf("the session ended with %d\nstdout: %s\nstderr: %s", r.ExitCode, r.Stdout, r.Stderr)
	}
	return s
}

// results returns what the model of a conversation was told of its calls, and
// fails the test unless there are n of them.
func (s session) results(t *testing.T, conversation string, n int) []hosttest.ToolResult {
	t.Helper()
	got := s.server.Results(conversation)
	if len(got) != n {
		t.Fatalf("%s was told %d tool results, want %d:\n%s\nstdout: %s", conversation, len(got), n, describe(got), s.Stdout)
	}
	return got
}

func describe(results []hosttest.ToolResult) string {
	var b strings.Builder
	for _, r := range results {
		raw, _ := json.Marshal(r.Call)
		b.WriteString("- " + string(raw) + "\n  error: " + map[bool]string{true: "yes", false: "no"}[r.IsError] + "\n  " + r.Text + "\n")
	}
	return b.String()
}

// hooks returns how often the host ran a hook for each of its events.
func (s session) hooks() map[string]int {
	n := map[string]int{}
	for _, l := range s.Find("system", "hook_response") {
		var h struct {
			Event string `json:"hook_event"`
		}
		if err := json.Unmarshal(l.Raw, &h); err != nil {
			s.w.t.Fatal(err)
		}
		n[h.Event]++
	}
	return n
}

// A logLine is one line of our log.
type logLine struct {
	Decision, Gate, Rule, Host, Event, Session, Lapse string
	Probe                                             bool
}

// log returns our log, oldest line first, without the lines of probes.
func (w *world) log() []logLine {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.home, ".guardrails", "log", "*.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Sort(files)
	var out []logLine
	for _, name := range files {
		text, _ := w.read(name)
		for sc := bufio.NewScanner(strings.NewReader(text)); sc.Scan(); {
			var l logLine
			if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
				w.t.Fatalf("%s: %v in %q", name, err, sc.Text())
			}
			if !l.Probe {
				out = append(out, l)
			}
		}
	}
	return out
}

// denied fails the test unless r is our denial: an error that names a rule.
func (w *world) denied(r hosttest.ToolResult) {
	w.t.Helper()
	if !r.IsError {
		w.t.Errorf("not refused:\n%s", describe([]hosttest.ToolResult{r}))
		return
	}
	w.refusal(r.Text)
}

// refusal fails the test unless text names the rule of a denial in our log.
func (w *world) refusal(text string) {
	w.t.Helper()
	log := w.log()
	for _, l := range log {
		if l.Decision == "deny" && l.Rule != "" && strings.Contains(text, l.Rule) {
			return
		}
	}
	w.t.Errorf("no rule of a denial in the log is named in:\n%s\nlog: %+v", text, log)
}

// ran fails the test unless r tells of success.
func (w *world) ran(r hosttest.ToolResult) {
	w.t.Helper()
	if r.IsError {
		w.t.Errorf("did not run:\n%s", describe([]hosttest.ToolResult{r}))
	}
}

// touched returns the paths that our state says the session has written.
func (w *world) touched(id string) []string {
	w.t.Helper()
	var status struct {
		Touched []string
	}
	raw := w.guardrails("status", "--agent", w.agent, "--session", id, "--json")
	if err := json.Unmarshal([]byte(raw), &status); err != nil {
		w.t.Fatalf("%v in %s", err, raw)
	}
	return status.Touched
}

// obj is a JSON object.
type obj = map[string]any

func bash(command string) hosttest.Call {
	return hosttest.Call{Tool: "Bash", Input: obj{"command": command, "description": "a step"}}
}

func write(path, content string) hosttest.Call {
	return hosttest.Call{Tool: "Write", Input: obj{"file_path": path, "content": content}}
}

func read(path string) hosttest.Call {
	return hosttest.Call{Tool: "Read", Input: obj{"file_path": path}}
}

func edit(path, old, repl string) hosttest.Call {
	return hosttest.Call{Tool: "Edit", Input: obj{"file_path": path, "old_string": old, "new_string": repl}}
}

func monitor(command string) hosttest.Call {
	return hosttest.Call{Tool: "Monitor", Input: obj{"command": command, "description": "a watch", "timeout_ms": 5000}}
}

func agent(prompt string, background bool) hosttest.Call {
	return hosttest.Call{Tool: "Agent", Input: obj{
		"description": "a part", "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": background,
	}}
}
