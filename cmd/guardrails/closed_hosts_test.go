//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/adapters/hosttest"
)

// These tests play Antigravity and Muse, whose programs are closed, with what
// init really installs: its file is loaded by the host's rules, and the command
// line that stands there is run.

// closed is a machine with one of them on it.
type closed struct {
	t       *testing.T
	home    string
	project string
	binary  string
}

// newClosed installs us into agent.
func newClosed(t *testing.T, agent string) *closed {
	t.Helper()
	c := &closed{t: t, home: t.TempDir()}
	c.binary = filepath.Join(c.home, ".guardrails", "bin", "guardrails")
	c.project = filepath.Join(c.home, "my project")
	if err := os.MkdirAll(filepath.Join(c.project, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "guardrails", "init", "--agent", agent, "--dir", c.project, "--yes")
	cmd.Env = []string{"HOME=" + c.home, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 && agent == "muse" {
		err = nil // the rest is the human's: muse plugins install, approve
	}
	if err != nil {
		t.Fatalf("init: %v\n%s", err, out)
	}
	return c
}

func (c *closed) write(name, text string) {
	c.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(c.home, name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// handler is the one of an event; there must be one.
func (c *closed) handler(all []hosttest.Handler, event string) hosttest.Handler {
	c.t.Helper()
	var found []hosttest.Handler
	for _, h := range all {
		if h.Event == event {
			found = append(found, h)
		}
	}
	if len(found) != 1 {
		c.t.Fatalf("%d handlers of %s", len(found), event)
	}
	return found[0]
}

// antigravity loads what was installed and returns what agy does at an event.
func (c *closed) antigravity(turn *hosttest.Antigravity) func(event string, payload []byte) hosttest.Effect {
	c.t.Helper()
	file, err := os.ReadFile(filepath.Join(c.home, ".gemini", "config", "hooks.json"))
	if err != nil {
		c.t.Fatal(err)
	}
	loaded, err := hosttest.LoadAntigravityHooks(file)
	if err != nil {
		c.t.Fatal(err)
	}
	return func(event string, payload []byte) hosttest.Effect {
		c.t.Helper()
		dir := filepath.Join(c.home, ".gemini", "config") // where agy runs its hooks
		env := []string{"HOME=" + c.home, "PATH=/usr/bin:/bin", "ANTIGRAVITY_CONVERSATION_ID=c"}
		r, err := c.handler(loaded, event).Run(c.t.Context(), dir, env, payload)
		if err != nil {
			c.t.Fatal(err)
		}
		var p struct {
			ToolCall struct{ Args json.RawMessage }
		}
		_ = json.Unmarshal(payload, &p) // damaged ones are part of the game
		e := turn.Read(event, p.ToolCall.Args, r)
		if e.Failed != "" || len(e.Ignored) > 0 || len(r.Stderr) > 0 {
			c.t.Errorf("%s: %+v\n%s%s", event, e, r.Stdout, r.Stderr)
		}
		return e
	}
}

func (c *closed) call(tool string, args map[string]any) []byte {
	return encoded(c.t, map[string]any{
		"conversationId": "c", "stepIdx": 3, "toolCall": map[string]any{"name": tool, "args": args}, "workspacePaths": []string{c.project}, "transcriptPath": "/none",
	})
}

func TestAntigravityWithTheInstalledCommandLine(t *testing.T) {
	c := newClosed(t, "antigravity")
	c.write(".guardrails/config.yaml", "version: 1\nrewrite: [{match: git status, to: proxy git status}]\n")
	at := c.antigravity(new(hosttest.Antigravity))
	run := func(command string) []byte {
		return c.call("run_command", map[string]any{"CommandLine": command, "Cwd": c.project, "WaitMsBeforeAsync": 2000})
	}
	hooks := filepath.Join(c.home, ".gemini", "config", "hooks.json")
	whole, err := os.ReadFile(hooks)
	if err != nil {
		t.Fatal(err)
	}
	whole = bytes.TrimSpace(whole)
	for _, tt := range []struct {
		name    string
		payload []byte
		reason  string // "" = it runs
	}{
		{"a harmless command", run("ls -la"), ""},
		{"a command that destroys", run("rm -rf ~"), "filesystem/"},
		{"one that needs a yes", run("git reset --hard"), "guardrails allow once"},
		{"a file of ours", c.call("write_to_file", map[string]any{"TargetFile": filepath.Join(c.project, ".guardrails.yaml"), "CodeContent": "version: 1"}), "self-protection/"},
		{"a file of ours by its address", c.call("write_to_file", map[string]any{"TargetFile": "file://" + strings.ReplaceAll(filepath.Join(c.project, ".guardrails.yaml"), " ", "%20"), "CodeContent": "x"}), "self-protection/"},
		{"our entry in the shared file", c.call("replace_file_content", map[string]any{"TargetFile": hooks, "TargetContent": "PreToolUse", "ReplacementContent": "Other"}), "self-protection/"},
		{"the shared file made useless", c.call("write_to_file", map[string]any{"TargetFile": hooks, "CodeContent": string(whole[:len(whole)-1]) + `,"hooks":[]}`, "Overwrite": "true"}), "self-protection/"},
		{"another file", c.call("write_to_file", map[string]any{"TargetFile": filepath.Join(c.project, "a.ts"), "CodeContent": "x"}), ""},
		{"an unknown tool", c.call("fly", map[string]any{"To": "moon"}), ""},
		{"an MCP call", c.call("call_mcp_tool", map[string]any{"ServerName": "s", "ToolName": "t", "Arguments": map[string]any{}}), ""},
		{"nothing", nil, ""},
		{"no JSON", []byte("hello"), ""},
		{"another host's payload", []byte(`{"hook_event_name":"PreToolUse","tool_name":"x","tool_input":{}}`), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := at("PreToolUse", tt.payload)
			if e.Blocked != (tt.reason != "") || e.Blocked && !strings.Contains(e.Reason, tt.reason) {
				t.Errorf("%+v", e)
			}
		})
	}
	e := at("PreToolUse", run("git status && ls"))
	if want := `{"CommandLine":"proxy git status \u0026\u0026 ls","Cwd":"` + c.project + `","WaitMsBeforeAsync":2000}`; string(e.Input) != want {
		t.Errorf("runs %s, want %s", e.Input, want)
	}
	for event, payload := range map[string]string{
		"PostToolUse":   `{"conversationId":"c","stepIdx":3,"error":"","toolCall":{"name":"run_command","args":{"CommandLine":"ls"}}}`,
		"PreInvocation": `{"conversationId":"c","invocationNum":0}`,
		"Stop":          `{"conversationId":"c","terminationReason":"NO_TOOL_CALL","fullyIdle":true,"executionNum":0}`,
	} {
		for _, p := range []string{payload, "", "hello"} {
			if e := at(event, []byte(p)); e.Blocked || len(e.Context) > 0 {
				t.Errorf("%s: %+v", event, e)
			}
		}
	}
}

// A binary that is gone, or may not be run, stops nobody's work.
func TestAntigravityWithoutTheBinaryRunsOn(t *testing.T) {
	c := newClosed(t, "antigravity")
	at := c.antigravity(new(hosttest.Antigravity))
	if err := os.Remove(c.binary); err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{"PreToolUse", "PostToolUse", "PreInvocation", "Stop"} {
		if e := at(event, c.call("run_command", map[string]any{"CommandLine": "rm -rf ~"})); e.Blocked {
			t.Errorf("%s: %+v", event, e)
		}
	}
}

// muse loads the bundle's hooks and returns what Muse does at an event. The
// environment is Muse's own, with XDG variables gone.
func (c *closed) muse() func(event string, more map[string]any) hosttest.Effect {
	c.t.Helper()
	file, err := os.ReadFile(filepath.Join(c.project, ".guardrails", "muse-plugin", "hooks", "hooks.json"))
	if err != nil {
		c.t.Fatal(err)
	}
	loaded, dropped := hosttest.LoadMuseHooks(file)
	if len(dropped) > 0 {
		c.t.Fatal(dropped)
	}
	return func(event string, more map[string]any) hosttest.Effect {
		c.t.Helper()
		p := map[string]any{
			"hook_event_name": event, "session_id": "s", "turn_id": "t", "cwd": c.project, "transcript_path": nil, "model": "m", "permission_mode": "default", "model_provider": "meta",
		}
		maps.Copy(p, more)
		r, err := c.handler(loaded, event).Run(c.t.Context(), c.project, hosttest.MuseEnv(c.home, "/usr/bin:/bin", c.project), encoded(c.t, p))
		if err != nil {
			c.t.Fatal(err)
		}
		e := hosttest.ReadMuse(event, r)
		if e.Failed != "" || len(e.Ignored) > 0 || len(r.Stderr) > 0 || r.Exit != 0 {
			c.t.Errorf("%s %v: %+v\n%s%s", event, more, e, r.Stdout, r.Stderr)
		}
		if !e.Blocked && e.Input == nil && len(e.Context) == 0 && len(r.Stdout) > 0 {
			c.t.Errorf("%s %v: says %q where it has nothing to say", event, more, r.Stdout)
		}
		return e
	}
}

func tool(name string, input map[string]any) map[string]any {
	return map[string]any{"tool_name": name, "tool_use_id": "u-" + name, "tool_input": input}
}

func TestMuseWithTheInstalledCommandLine(t *testing.T) {
	c := newClosed(t, "muse")
	at := c.muse()
	for _, tt := range []struct {
		name   string
		call   map[string]any
		reason string // "" = it runs
	}{
		{"a harmless command", tool("bash", map[string]any{"command": "ls", "description": "d"}), ""},
		{"a command that destroys", tool("bash", map[string]any{"command": "rm -rf ~"}), "filesystem/"},
		{"the fixture's name for it", tool("Bash", map[string]any{"command": "rm -rf ~"}), "filesystem/"},
		{"one that needs a yes", tool("bash", map[string]any{"command": "git reset --hard"}), "guardrails allow once"},
		{"typed into a running shell", tool("bash_input", map[string]any{"id": "1", "input": "rm -rf ~\n"}), "filesystem/"},
		{"in another folder", tool("bash", map[string]any{"command": "rm -rf x", "workdir": ".."}), "filesystem/"},
		{"a file of ours, relative", tool("write_file", map[string]any{"path": ".guardrails.yaml", "content": "version: 1"}), "self-protection/"},
		{"an edit of ours", tool("edit_file", map[string]any{"path": "./x/../.guardrails.yaml", "find": "a", "replace": "b"}), "self-protection/"},
		{"another file", tool("write_file", map[string]any{"path": "a.ts", "content": "x"}), ""},
		{"an unknown tool", tool("submit_reminder_decision", map[string]any{"id": "r"}), ""},
		{"the capability's state", tool("write_file", map[string]any{"path": filepath.Join(c.home, ".config/muse/settings.json"), "content": `{"schema_version":1,"runtime_capabilities":{"plugin:guardrails:hook:hook-0":{"enabled":false}}}`}), "self-protection/"},
		{"Muse's copy of the bundle", tool("bash", map[string]any{"command": "rm -r " + filepath.Join(c.home, ".local/share/muse/plugins/cache/local/guardrails")}), "self-protection/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := at("PreToolUse", tt.call)
			if e.Blocked != (tt.reason != "") || e.Blocked && !strings.Contains(e.Reason, tt.reason) {
				t.Errorf("%+v", e)
			}
		})
	}
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SubagentStop", "SessionEnd"} {
		if e := at(event, tool("bash", map[string]any{"command": "ls"})); e.Blocked || len(e.Context) > 0 {
			t.Errorf("%s: %+v", event, e)
		}
	}
}

// The matrix that was run natively on Muse Code 1.4.14 (A), with more rows: with
// no persisted rule the rewritten command runs, with one that names it the
// original does, under the user's own verdict.
func TestMuseRewritesPastNoPersistedRule(t *testing.T) {
	rule := func(effect, root string, argv ...string) string {
		return string(encoded(t, map[string]any{"effect": effect, "durability": "local_persistent", "reason": nil, "rule": map[string]any{"kind": "shell_command_argv_prefix", "argv_prefix": argv, "workspace_root": root}}))
	}
	exact := `{"effect":"allow","durability":"local_persistent","reason":null,"rule":{"kind":"shell_command_exact_raw","command":"git status"}}`
	ask := `{"schema_version":1,"permissions":{"schema_version":1,"default_profile":":ask-me"}}`
	tests := []struct {
		name, policy, settings, command, mode string

		runs   string
		native string // Muse's own verdict on what runs
	}{
		{"no policy", "", "", "git status", "", "proxy git status", "prompt"},
		{"no policy, default mode", "", "", "git status", "default", "proxy git status", "prompt"},
		{"no policy, a compound", "", "", "git status && git status", "", "proxy git status && proxy git status", "prompt"},
		{"no rules", `{"schema_version":2,"rules":[]}`, "", "git status", "", "proxy git status", "prompt"},
		{"a persisted prefix", `{"schema_version":2,"rules":[` + rule("allow", "W", "git", "status") + `]}`, "", "git status", "", "git status", "allowed"},
		{"a persisted denial", `{"schema_version":2,"rules":[` + rule("deny", "W", "git") + `]}`, "", "git status", "", "git status", "denied"},
		{"a prefix at another root", `{"schema_version":2,"rules":[` + rule("allow", "/other", "git", "status") + `]}`, "", "git status", "", "git status", "prompt"},
		{"a rule for the new command", `{"schema_version":2,"rules":[` + rule("deny", "W", "proxy") + `]}`, "", "git status", "", "git status", "prompt"},
		{"a global whole command", `{"schema_version":2,"rules":[` + exact + `]}`, "", "git status", "", "git status", "allowed"},
		{"a whole compound", `{"schema_version":2,"rules":[` + strings.Replace(exact, "git status", "git status && git log", 1) + `]}`, "", "git status && git log", "", "git status && git log", "allowed"},
		{"a rule for something else", `{"schema_version":2,"rules":[` + rule("allow", "W", "ls") + `]}`, "", "git status", "", "proxy git status", "prompt"},
		{"a wrapper with a rule", `{"schema_version":2,"rules":[` + rule("allow", "W", "ls") + `]}`, "", "git status && env A=1 ls", "", "git status && env A=1 ls", "prompt"},
		{"a redirect with a rule", `{"schema_version":2,"rules":[` + rule("allow", "W", "ls") + `]}`, "", "git status > out", "", "git status > out", "prompt"},
		{"malformed", `{"schema_version":2,"rules":[`, "", "git status", "", "git status", "rejected"},
		{"an unknown member", `{"schema_version":2,"rules":[],"x":1}`, "", "git status", "", "git status", "rejected"},
		{"an explicit profile", "", ask, "git status", "", "proxy git status", "prompt"},
		{"another profile", "", strings.Replace(ask, ":ask-me", ":auto-review", 1), "git status", "", "git status", "prompt"},
		{"another mode", "", "", "git status", "on-request", "git status", "prompt"},
		{"a carriage return", "", "", "git status\r", "", "git status\r", "prompt"},
	}
	c := newClosed(t, "muse")
	c.write(".guardrails/config.yaml", "version: 1\nrewrite: [{match: git status, to: proxy git status}]\n")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c.t = t
			if err := os.RemoveAll(filepath.Join(c.home, ".config", "muse")); err != nil {
				t.Fatal(err)
			}
			var policy []byte
			if tt.policy != "" {
				policy = []byte(strings.ReplaceAll(tt.policy, `"W"`, string(encoded(t, c.project))))
				c.write(".config/muse/approval-policy.json", string(policy))
			}
			if tt.settings != "" {
				c.write(".config/muse/settings.json", tt.settings)
			}
			call := tool("bash", map[string]any{"command": tt.command, "description": "d", "workdir": "w", "n": json.RawMessage("1.50")})
			if tt.mode != "" {
				call["permission_mode"] = tt.mode
			}
			e := c.muse()("PreToolUse", call)
			runs := tt.command
			if e.Input != nil {
				var in struct {
					Command, Description, Workdir string
					N                             json.RawMessage
				}
				if err := json.Unmarshal(e.Input, &in); err != nil || in.Description != "d" || in.Workdir != "w" || string(in.N) != "1.50" {
					t.Errorf("input %s", e.Input)
				}
				runs = in.Command
			}
			if runs != tt.runs || e.Blocked {
				t.Errorf("runs %q, want %q (%+v)", runs, tt.runs, e)
			}
			if got := hosttest.ApproveMuse(policy, c.project, runs); got != tt.native {
				t.Errorf("Muse: %s, want %s", got, tt.native)
			}
		})
	}
}

// A user who loses the binary loses the guard, not the work; nothing can be
// printed then, so Muse counts a failed hook and the call runs.
func TestMuseWithoutTheBinaryRunsOn(t *testing.T) {
	c := newClosed(t, "muse")
	if err := os.Remove(c.binary); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(c.project, ".guardrails", "muse-plugin", "hooks", "hooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	loaded, _ := hosttest.LoadMuseHooks(file)
	r, err := c.handler(loaded, "PreToolUse").Run(t.Context(), c.project, hosttest.MuseEnv(c.home, "/usr/bin:/bin", c.project), []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if e := hosttest.ReadMuse("PreToolUse", r); e.Blocked || e.Failed == "" {
		t.Errorf("%+v", e)
	}
}
