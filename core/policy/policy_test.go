package policy

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
)

const (
	testHome = "/home/user"
	testRoot = "/home/user/project"
)

// world is the project that samples are judged in: on branch topic, with an
// installed Claude hook.
func world() *fakeFS {
	return &fakeFS{
		files: map[string]string{
			testRoot + "/.git/HEAD":                   "ref: refs/heads/topic\n",
			testRoot + "/.git/config":                 "[core]\n\tbare = false\n",
			testRoot + "/.git/hooks/pre-commit":       "#!/bin/sh\n",
			testRoot + "/.git/hooks/pre-push":         "#!/bin/sh\n",
			testRoot + "/.guardrails.yaml":            "version: 1\n",
			testRoot + "/.guardrails/LEDGER.md":       "# Ledger\n\nPAUSED: no\n",
			testRoot + "/.claude/settings.json":       `{"permissions":{"allow":["Bash(ls)"]}}`,
			testRoot + "/.claude/settings.local.json": liveSettings,
			testRoot + "/CLAUDE.md":                   "# Notes\n",
			testRoot + "/.claude/agents/reviewer.md":  "Review.\n",
			testRoot + "/.env":                        "TOKEN=x\n",
			testRoot + "/.env.example":                "TOKEN=\n",
			testRoot + "/.gitignore":                  ".env.local\nnode_modules/\n",
			testRoot + "/src/main.go":                 "package main\n",
			testRoot + "/sub/x.txt":                   "x\n",
			testRoot + "/certs/server.key":            "-----BEGIN PRIVATE KEY-----\n",
			testRoot + "/certs/ca.pem":                "-----BEGIN CERTIFICATE-----\n",
			testHome + "/.guardrails/bin/guardrails":  "",
			testHome + "/.guardrails/config.yaml":     "",
			testHome + "/.claude/settings.json":       "{}",
			testHome + "/.ssh/id_rsa":                 "-----BEGIN OPENSSH PRIVATE KEY-----\n",
			testHome + "/other/file":                  "x",
			"/etc/passwd":                             "root:x:0:0\n",
			"/etc/hosts":                              "127.0.0.1 localhost\n",
			"/usr/local/bin/guardrails":               "",
		},
		links: map[string]string{
			testRoot + "/link-out": testHome + "/other",
			testRoot + "/link-in":  "src",
		},
		dirs: map[string]bool{testRoot + "/build": true},
	}
}

const liveSettings = `{
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "/home/user/.guardrails/bin/guardrails", "args": ["hook", "--agent", "claude"], "timeout": 10}]}
    ]
  }
}
`

func testSettings() Settings {
	return Settings{
		Home:      testHome,
		StateHome: testHome + "/.guardrails",
		Binaries:  []string{testHome + "/.guardrails/bin/guardrails"},
		LiveFiles: []hook.LiveFile{
			{Path: testRoot + "/.claude/settings.json", Switches: claudeSwitches, Entries: true},
			{Path: testRoot + "/.claude/settings.local.json", Switches: claudeSwitches, Entries: true},
			{Path: testHome + "/.claude/settings.json", Switches: claudeSwitches, Entries: true},
		},
		Packs: optionalPacks(),
	}
}

var claudeSwitches = []string{"disableAllHooks", "allowManagedHooksOnly", "enabledPlugins.guardrails*"}

// judgeEvent runs every gate as the engine would and merges their verdicts.
func judgeEvent(tb testing.TB, s Settings, files gate.FS, e *hook.Event) hook.Verdict {
	tb.Helper()
	var v hook.Verdict
	var shared *gate.Pass
	for _, g := range Gates(s) {
		if ok, _ := g.Applies(e); !ok {
			continue
		}
		p := &gate.Pass{Event: e, Env: gate.Env{Home: s.Home, StateHome: s.StateHome, FS: files}}
		p.Share(shared)
		got, err := g.Run(context.Background(), p)
		if err != nil {
			tb.Fatalf("gate %s: %v", g.ID, err)
		}
		shared = p
		v = gate.Merge(v, got)
	}
	return v
}

func toolEvent(cwd, root, tool string, input map[string]any) *hook.Event {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	return &hook.Event{
		Name: hook.PreToolUse, Host: "claude", Cwd: cwd, Root: root,
		Tool: &hook.Tool{Name: tool, Kind: hook.KindOf(tool), Input: raw},
	}
}

func shellEvent(cwd, root, command string) *hook.Event {
	return toolEvent(cwd, root, "Bash", map[string]any{"command": command})
}

// sampleEvent reads a rule's sample: a command line, or Tool(path).
func sampleEvent(sample string) *hook.Event {
	for _, tool := range []string{"Read", "Write", "Edit"} {
		if p, ok := strings.CutPrefix(sample, tool+"("); ok {
			in := map[string]any{"file_path": strings.TrimSuffix(p, ")")}
			switch tool {
			case "Write":
				in["content"] = "x\n"
			case "Edit":
				in["old_string"], in["new_string"] = "x", "y"
			}
			return toolEvent(testRoot, testRoot, tool, in)
		}
	}
	return shellEvent(testRoot, testRoot, sample)
}

func judgeSample(tb testing.TB, sample string) hook.Verdict {
	tb.Helper()
	return judgeEvent(tb, testSettings(), world(), sampleEvent(sample))
}

func TestSamplesFireTheirRule(t *testing.T) {
	for _, r := range Rules() {
		for _, s := range r.Fire {
			v := judgeSample(t, s)
			if v.Decision.Rank() < hook.Ask.Rank() {
				t.Errorf("%s: %q passed", r.ID, s)
				continue
			}
			if !strings.Contains(v.Reason, "guardrails "+r.ID+":") {
				t.Errorf("%s: %q was judged by %s\n%s", r.ID, s, v.Rule, v.Reason)
			}
		}
	}
}

func TestSamplesThatMustPass(t *testing.T) {
	for _, r := range Rules() {
		for _, s := range r.Pass {
			if v := judgeSample(t, s); v.Decision != hook.Pass {
				t.Errorf("%s: %q → %s %s\n%s", r.ID, s, v.Decision, v.Rule, v.Reason)
			}
		}
	}
}

// commandsIn returns the commands in backquotes of a text.
func commandsIn(text string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(text, "`")
		if !ok {
			return out
		}
		cmd, after, ok := strings.Cut(rest, "`")
		if !ok {
			return out
		}
		out = append(out, cmd)
		text = after
	}
}

func TestAlternativesPassOurOwnCheck(t *testing.T) {
	for _, r := range Rules() {
		if r.Instead == "" {
			t.Errorf("%s has no alternative", r.ID)
		}
		texts := []string{r.Instead}
		for _, s := range r.Fire {
			v := judgeSample(t, s)
			for line := range strings.SplitSeq(v.Reason, "\n") {
				if alt, ok := strings.CutPrefix(line, "Instead: "); ok {
					texts = append(texts, alt)
				}
			}
		}
		for _, text := range texts {
			for _, cmd := range commandsIn(text) {
				if v := judgeSample(t, cmd); v.Decision != hook.Pass {
					t.Errorf("%s: alternative %q → %s %s", r.ID, cmd, v.Decision, v.Rule)
				}
			}
		}
	}
}

func TestRulesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] {
			t.Errorf("%s stands twice", r.ID)
		}
		seen[r.ID] = true
		if r.Verdict != hook.Deny && r.Verdict != hook.Ask {
			t.Errorf("%s: verdict %s", r.ID, r.Verdict)
		}
		if r.Doc == "" || r.Why == "" || strings.HasSuffix(r.Why, ".") || r.Pack() == r.ID {
			t.Errorf("%s: doc %q why %q", r.ID, r.Doc, r.Why)
		}
		if r.ID != "disarm/protected-path" && r.ID != "system/too-long" && (len(r.Fire) == 0 || len(r.Pass) == 0) {
			t.Errorf("%s lacks samples", r.ID)
		}
		if got, ok := Explain(r.ID); !ok || got.ID != r.ID {
			t.Errorf("Explain(%q) = %q, %t", r.ID, got.ID, ok)
		}
	}
	if _, ok := Explain("no/such-rule"); ok {
		t.Error("Explain found a rule that is not there")
	}
}

func BenchmarkGitStatus(b *testing.B) { benchCommand(b, "git status") }
func BenchmarkBuildLine(b *testing.B) {
	benchCommand(b, "cd sub && npm ci && npm run build 2>&1 | tail -20")
}
func BenchmarkRemoveModules(b *testing.B) { benchCommand(b, "rm -rf node_modules dist") }

func benchCommand(b *testing.B, command string) {
	s := testSettings()
	files := world()
	e := shellEvent(testRoot, testRoot, command)
	gates := Gates(s)
	b.ReportAllocs()
	for b.Loop() {
		var shared *gate.Pass
		for _, g := range gates {
			if ok, _ := g.Applies(e); !ok {
				continue
			}
			p := &gate.Pass{Event: e, Env: gate.Env{Home: s.Home, StateHome: s.StateHome, FS: files}}
			p.Share(shared)
			if _, err := g.Run(context.Background(), p); err != nil {
				b.Fatal(err)
			}
			shared = p
		}
	}
}

// optionalPacks are the packs that a configuration can switch on.
func optionalPacks() []string {
	return []string{packCloud, packDatabase, packContainers, packPublishing, packBranches, packInstructions}
}
