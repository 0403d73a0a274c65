//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/adapters/hosttest"
)

// TestDemo plays one session of Claude Code, from init to uninstall, and prints
// what the person and the model saw: `make demo`. What it prints is checked too.
func TestDemo(t *testing.T) {
	w := newWorld(t, current)
	d := demo{w: w, out: os.Stdout}
	market(t, w)
	const before = "{\n  \"permissions\": { \"allow\": [\"Bash(go test:*)\"] }\n}\n"
	w.write(".claude/settings.local.json", before)
	w.write(".gitignore", ".claude/settings.local.json\n")
	w.goModule("version: 1\nquality: {}\n")
	precious := w.sentinel("photos")

	d.title("A person installs it for a project, and lets its tests decide when a turn is over")
	d.types("cat .guardrails.yaml", "cat", ".guardrails.yaml")
	d.shows(0, "init", "--agent", "claude", "--dir", ".", "--yes")
	d.shows(0, "trust", "--yes")

	d.title("A session of Claude Code " + current + "; the model follows a script")
	token := "ghp_" + strings.Repeat("a8Kd", 3) + "Zq3vN7xR2mT5wY9bC4eH1jLp" // of a token's shape; nobody issued it
	prompt := "Make Add faster."
	s := w.play(play{prompt: prompt, turns: []hosttest.Turn{
		hosttest.Use(bash("rm -rf ~")),
		hosttest.Use(write(w.path("deploy.go"), "package app\n\nconst token = \""+token+"\"\n")),
		hosttest.Use(bash("npm install zz-sorted-utils-made-up")),
		hosttest.Use(bash("git status --short")),
		hosttest.Use(read(w.path("a/a.go"))),
		hosttest.Use(edit(w.path("a/a.go"), "x + y", "x - y")),
		hosttest.Say("Done: Add is faster now."),
		hosttest.Use(edit(w.path("a/a.go"), "x - y", "y + x")),
		hosttest.Say("Now it is done."),
	}})
	d.tells(s, prompt)
	results := s.results(t, mainPart, 7)
	for _, i := range []int{0, 1, 2} {
		w.denied(results[i])
	}
	for _, i := range []int{3, 4, 5, 6} {
		w.ran(results[i])
	}
	w.stands(precious)
	if _, there := w.read(w.path("deploy.go")); there {
		t.Error("the secret was written")
	}
	holds(t, s.server.Saw(mainPart), "quality gate failed: test (TestAdd)", "a/a_test.go:7: TestAdd: Add(1, 2) = -1, want 3")
	if w.blocks("Stop") != 1 || !strings.Contains(string(s.Stdout), "Now it is done.") {
		t.Errorf("it was blocked %d times\n%s", w.blocks("Stop"), s.Stdout)
	}

	d.title("Afterwards")
	holds(t, d.shows(0, "log", "--stops"), "filesystem/delete-home", "secrets/", "deps/no-such-package", "quality")
	d.shows(0, "status")
	d.shows(0, "stats")

	d.title("And off again")
	d.shows(0, "init", "--agent", "claude", "--dir", ".", "--uninstall", "--yes")
	after, _ := w.read(w.local())
	if after != before {
		t.Errorf("the settings are now %q", after)
	}
	fmt.Fprintf(d.out, "\n.claude/settings.local.json is what it was, byte for byte: %v\n", after == before)
}

// A demo prints what happens in a world.
type demo struct {
	w   *world
	out io.Writer
}

func (d demo) title(text string) { fmt.Fprintf(d.out, "\n== %s ==\n", text) }

// shows runs a verb as the person would and prints both; it must end with code.
func (d demo) shows(code int, args ...string) string {
	d.w.t.Helper()
	out, got := d.run("guardrails "+strings.Join(args, " "), d.program(), args...)
	if got != code {
		d.w.t.Fatalf("guardrails %s ended with %d, not %d\n%s", strings.Join(args, " "), got, code, out)
	}
	return out
}

// program is the one that was installed, or the built one before that.
func (d demo) program() string {
	if _, err := os.Stat(d.w.installed()); err == nil {
		return d.w.installed()
	}
	return built
}

func (d demo) types(line, name string, args ...string) {
	d.w.t.Helper()
	if out, code := d.run(line, name, args...); code != 0 {
		d.w.t.Fatalf("%s ended with %d\n%s", line, code, out)
	}
}

func (d demo) run(line, name string, args ...string) (string, int) {
	d.w.t.Helper()
	ctx, cancel := context.WithTimeout(d.w.t.Context(), 2*time.Minute)
	defer cancel()
	var both bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = d.w.project, d.w.host(d.w.quiet).Environ(), &both, &both
	if err := cmd.Run(); cmd.ProcessState == nil {
		d.w.t.Fatal(err)
	}
	fmt.Fprintf(d.out, "\n$ %s\n", line)
	d.indent("  ", both.String())
	return both.String(), cmd.ProcessState.ExitCode()
}

// indent prints a text with the temporary home as ~.
func (d demo) indent(by, text string) {
	text = strings.ReplaceAll(text, d.w.home, "~")
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintln(d.out, strings.TrimRight(by+line, " "))
	}
}

// tells prints a session as its model saw it.
func (d demo) tells(s session, prompt string) {
	d.w.t.Helper()
	turns := s.server.Turns(mainPart)
	if len(turns) == 0 {
		d.w.t.Fatalf("the model was never asked\n%s", s.Stdout)
	}
	last := slices.MaxFunc(turns, func(a, b hosttest.Request) int { return len(a.Payload.Messages) - len(b.Payload.Messages) })
	fmt.Fprintf(d.out, "\nperson: %s\n", prompt)
	spoken := false
	for _, m := range last.Payload.Messages {
		for _, b := range m.Blocks {
			switch {
			case m.Role == "assistant" && b.Type == "tool_use":
				spoken = true
				fmt.Fprintf(d.out, "\nmodel: %s\n", d.call(b))
			case m.Role == "assistant" && b.Text != "":
				spoken = true
				fmt.Fprintf(d.out, "\nmodel: %s\n", b.Text)
			case b.Type == "tool_result" && b.IsError:
				d.hears("refused", b.Text)
			case b.Type == "tool_result":
				first, _, _ := strings.Cut(strings.TrimSpace(b.Text), "\n")
				d.hears("ran", first)
			case spoken && strings.Contains(b.Text, "guardrails") && !strings.HasPrefix(b.Text, "<"): // the rest are reminders of the host, some of the same
				d.hears("held", b.Text)
			}
		}
	}
	if final, ok := s.Final(); ok {
		fmt.Fprintf(d.out, "\nmodel: %s\n", final.Result)
	}
}

func (d demo) call(b hosttest.Block) string {
	var in map[string]any
	if err := json.Unmarshal(b.Input, &in); err != nil {
		d.w.t.Fatal(err)
	}
	name, _ := in["file_path"].(string)
	if rel, err := filepath.Rel(d.w.project, name); err == nil && name != "" {
		name = rel
	}
	switch {
	case in["command"] != nil:
		return fmt.Sprintf("%s: %s", b.Tool, in["command"])
	case in["old_string"] != nil:
		return fmt.Sprintf("%s %s: %q becomes %q", b.Tool, name, in["old_string"], in["new_string"])
	case in["content"] != nil:
		return fmt.Sprintf("%s %s: %q", b.Tool, name, in["content"])
	}
	return b.Tool + " " + name
}

// hears prints what the model was told.
func (d demo) hears(what, text string) {
	first, more, _ := strings.Cut(strings.TrimSpace(text), "\n")
	d.indent("  "+what+": ", first)
	if more != "" {
		d.indent("    ", more)
	}
}
