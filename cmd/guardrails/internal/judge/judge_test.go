package judge

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/hook"
)

// A payload that no reader takes still shows a dangerous command to a loose
// scan, whatever its host calls the event.
func TestWhatIsLeftOfAPayloadIsJudged(t *testing.T) {
	home := t.TempDir()
	m := Machine{Home: home, StateHome: filepath.Join(home, ".guardrails"), Getenv: func(string) string { return "" }, Now: time.Now, DryRun: true}
	tests := []struct {
		name, host, hint, payload string
		want                      hook.Decision
	}{
		{"claude", "claude", "", `{"hook_event_name":"PreToolUse","x":\,"tool_name":"Bash","tool_input":{"command":"rm -rf ~"}}`, hook.Ask},
		{"claude without an event", "claude", "", `{"x":\,"tool_input":{"command":"rm -rf ~"}}`, hook.Ask},
		{"claude, harmless", "claude", "", `{"hook_event_name":"PreToolUse","x":\,"tool_name":"Bash","tool_input":{"command":"git status"}}`, hook.Pass},
		{"claude, after the call", "claude", "", `{"hook_event_name":"PostToolUse","x":\,"tool_name":"Bash","tool_input":{"command":"rm -rf ~"}}`, hook.Pass},
		{"claude, another tool", "claude", "", `{"hook_event_name":"PreToolUse","x":\,"tool_name":"Skill","tool_input":{"command":"rm -rf ~"}}`, hook.Pass},
		{"gemini", "gemini", "", `{"hook_event_name":"BeforeTool","x":\,"tool_name":"run_shell_command","tool_input":{"command":"rm -rf ~"}}`, hook.Ask},
		{"gemini, cut", "gemini", "", `{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"rm -rf ~`, hook.Ask},
		{"gemini, event by hint", "gemini", "BeforeTool", `{"x":\,"tool_name":"run_shell_command","tool_input":{"command":"rm -rf ~"}}`, hook.Ask},
		{"gemini, after the call", "gemini", "", `{"hook_event_name":"AfterTool","x":\,"tool_name":"run_shell_command","tool_input":{"command":"rm -rf ~"}}`, hook.Pass},
		{"antigravity", "antigravity", "PreToolUse", `{"conversationId":"c","x":\,"toolCall":{"name":"run_command","args":{"CommandLine":"rm -rf ~"}}}`, hook.Ask},
		{"antigravity, after the call", "antigravity", "PostToolUse", `{"conversationId":"c","x":\,"toolCall":{"name":"run_command","args":{"CommandLine":"rm -rf ~"}}}`, hook.Pass},
		{"antigravity, cut", "antigravity", "PreToolUse", `{"conversationId":"c","toolCall":{"args":{"CommandLine":"rm -rf ~`, hook.Ask},
		{"muse", "muse", "", `{"hook_event_name":"PreToolUse","x":\,"tool_name":"bash","tool_input":{"command":"rm -rf ~"}}`, hook.Ask},
		{"no command", "gemini", "", `{"hook_event_name":"BeforeTool","x":\}`, hook.Pass},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Decode(Request{Adapter: adapters.Lookup(tt.host), EventHint: tt.hint, Payload: []byte(tt.payload), Dir: home})
			j := m.Judge(c)
			if got := j.Result.Verdict.Decision; got != tt.want {
				t.Errorf("got %s, want %s: %+v", got, tt.want, j.Result.Verdict)
			}
			if len(j.Lapses()) == 0 {
				t.Error("nothing is said of it")
			}
		})
	}
}

// The same event has the same time on every host, whatever its name there.
func TestDeadlinesFollowTheEventNotItsName(t *testing.T) {
	for _, tt := range []struct {
		host, event string
		want        time.Duration
	}{
		{"claude", "PreToolUse", 6 * time.Second},
		{"gemini", "BeforeTool", 6 * time.Second},
		{"claude", "Stop", 110 * time.Second},
		{"gemini", "AfterAgent", 110 * time.Second},
		{"claude", "PostToolUse", 4 * time.Second},
		{"gemini", "AfterTool", 4 * time.Second},
		{"claude", "SessionEnd", time.Second},
		{"gemini", "SessionEnd", time.Second},
		{"gemini", "BeforeModel", 6 * time.Second}, // not registered
	} {
		c := Decode(Request{Adapter: adapters.Lookup(tt.host), Payload: []byte(`{"session_id":"s","hook_event_name":"` + tt.event + `"}`)})
		if got := c.Deadline(); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.host, tt.event, got, tt.want)
		}
	}
}

// The same rule rewrites on every host that can, and what is refused as written
// or as rewritten is refused on all of them.
func TestRewritesAreJudgedInBothForms(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, ".guardrails")
	write(t, filepath.Join(state, "config.yaml"), `version: 1
rewrite:
  - {match: git status, to: proxy git status}
  - {match: npm test, to: git reset --hard origin/main}
  - {match: git push --force, to: git status}
`)
	m := Machine{Home: home, StateHome: state, Getenv: func(string) string { return "" }, Now: time.Now, DryRun: true}
	for _, ad := range adapters.All {
		for _, tt := range []struct {
			command, runs string
			want          hook.Decision
		}{
			{"git status", "proxy git status", hook.Rewrite},
			{"git status && git log", "proxy git status && git log", hook.Rewrite},
			{"git status > out", "", hook.Pass},
			{"git log", "", hook.Pass},
			{"npm test", "", hook.Ask},
			{"git push --force origin main", "", hook.Ask},
			{"git status && rm -rf ~", "", hook.Deny},
		} {
			payload := ad.(hook.Sampler).Payload(hook.Sample{SessionID: "s", Cwd: home, Command: tt.command})
			j := m.Judge(Decode(Request{Adapter: ad, Payload: payload, Dir: home, Root: home}))
			v := j.Result.Verdict
			if v.Decision.Rank() < tt.want.Rank() || tt.want < hook.Ask && v.Decision != tt.want {
				t.Errorf("%s: %q: got %s %s, want %s", ad.Name(), tt.command, v.Decision, v.Rule, tt.want)
			}
			got, _ := (&hook.Tool{Kind: hook.Shell, Input: v.Input}).Command()
			if got != tt.runs {
				t.Errorf("%s: %q runs as %q, want %q", ad.Name(), tt.command, got, tt.runs)
			}
			if tt.want == hook.Rewrite && !bytes.Contains(j.Output.Stdout, []byte(tt.runs)) {
				t.Errorf("%s: %q: the host gets %s", ad.Name(), tt.command, j.Output.Stdout)
			}
		}
	}
}

// A host that runs its hooks somewhere else says nothing of the project.
func TestAForeignFolderIsNoProject(t *testing.T) {
	home := t.TempDir()
	payload := []byte(`{"conversationId":"c","toolCall":{"name":"run_command","args":{"CommandLine":"ls"}},"workspacePaths":[]}`)
	if c := Decode(Request{Adapter: adapters.Lookup("antigravity"), EventHint: "PreToolUse", Payload: payload, Dir: home}); c.Event.Cwd != "" {
		t.Errorf("cwd %q", c.Event.Cwd)
	}
	payload = []byte(`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`)
	if c := Decode(Request{Adapter: adapters.Lookup("claude"), Payload: payload, Dir: home}); c.Event.Cwd != home {
		t.Errorf("cwd %q", c.Event.Cwd)
	}
}

// On Muse a persisted approval keeps the rewrite away.
func TestAPersistedApprovalKeepsARewriteAway(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, ".guardrails")
	write(t, filepath.Join(state, "config.yaml"), "version: 1\nrewrite: [{match: git status, to: proxy git status}]\n")
	policy := filepath.Join(home, ".config", "muse", "approval-policy.json")
	const rule = `{"schema_version":2,"rules":[{"effect":"deny","durability":"local_persistent","reason":null,"rule":{"kind":"shell_command_argv_prefix","argv_prefix":["%"],"workspace_root":"/other"}}]}`
	for _, tt := range []struct {
		name, policy, xdg string
		want              hook.Decision
	}{
		{"none", "", "", hook.Rewrite},
		{"it names the original", strings.Replace(rule, "%", "git", 1), "", hook.Pass},
		{"it names the new command", strings.Replace(rule, "%", "proxy", 1), "", hook.Pass},
		{"it names another", strings.Replace(rule, "%", "ls", 1), "", hook.Rewrite},
		{"it is malformed", `{"schema_version":2,"rules":[`, "", hook.Pass},
		{"another folder is visible", `{"schema_version":2,"rules":[]}`, "/elsewhere", hook.Pass},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.policy != "" {
				write(t, policy, tt.policy)
			}
			m := Machine{Home: home, StateHome: state, Now: time.Now, DryRun: true, Getenv: func(name string) string {
				if name == "XDG_CONFIG_HOME" {
					return tt.xdg
				}
				return ""
			}}
			ad := adapters.Lookup("muse")
			payload := ad.(hook.Sampler).Payload(hook.Sample{SessionID: "s", Cwd: home, Command: "git status"})
			j := m.Judge(Decode(Request{Adapter: ad, Payload: payload, Dir: home, Root: home}))
			if j.Result.Verdict.Decision != tt.want {
				t.Errorf("got %s, want %s", j.Result.Verdict.Decision, tt.want)
			}
			why := ""
			for _, r := range j.Result.Runs {
				if r.Gate == "rewrite" {
					why = r.Why
				}
			}
			if (tt.want == hook.Pass) != strings.HasPrefix(why, "steps aside: ") {
				t.Errorf("why: %q", why)
			}
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
