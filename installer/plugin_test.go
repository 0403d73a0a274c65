package installer

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// fakeClaude does to the settings file of the personal scope what the real one
// does (2.1.332, measured): it writes the file anew in its own layout and leaves
// empty lists behind.
const fakeClaude = `#!/bin/sh
file=.claude/settings.local.json
case "$*" in
--version) echo "2.1.197 (Claude Code)" ;;
"plugin marketplace add "*)
	mkdir -p .claude
	printf '{\n  "model": "opus",\n  "extraKnownMarketplaces": {\n    "guardrails": {\n      "source": {\n        "source": "directory",\n        "path": "%s"\n      }\n    }\n  }\n}\n' "$4" > $file ;;
"plugin install guardrails@guardrails --scope local")
	[ -e FAIL ] && { echo "cannot install" >&2; exit 1; }
	printf '{\n  "model": "opus",\n  "extraKnownMarketplaces": {\n    "guardrails": {\n      "source": {\n        "source": "directory",\n        "path": "%s"\n      }\n    }\n  },\n  "enabledPlugins": {\n    "guardrails@guardrails": true\n  }\n}\n' "$HOME/.guardrails/hosts/claude" > $file ;;
"plugin list --json")
	[ -e UNLISTED ] && { echo '[{"id": "x@builtin", "enabled": true}]'; exit 0; }
	echo '[{"id": "x@builtin", "enabled": true}, {"id": "guardrails@guardrails", "enabled": true, "scope": "local"}]' ;;
"plugin uninstall guardrails@guardrails --scope local"|"plugin marketplace remove guardrails")
	printf '{\n  "model": "opus",\n  "enabledPlugins": {},\n  "extraKnownMarketplaces": {}\n}\n' > $file ;;
*) echo "unknown: $*" >&2; exit 9 ;;
esac
`

func pluginMachine(t *testing.T) (*machine, Request) {
	t.Helper()
	m := newMachine(t)
	m.put(m.root+"/build/host/claude", fakeClaude, 0o755)
	m.env["PATH"] = m.root + "/build/host:" + m.env["PATH"]
	m.put(m.settings(), "{\n    \"model\":   \"opus\"\n}", 0o600)
	r := m.personal()
	r.Route = Plugin
	return m, r
}

func TestAClientThatReadsNoArgsIsNamed(t *testing.T) {
	for version, want := range map[string]Outcome{"2.1.120": Partial, "2.1.139": Installed, "2.1.332": Installed, "nightly": Installed} {
		m := newMachine(t)
		m.put(m.root+"/build/host/claude", strings.Replace(fakeClaude, "2.1.197", version, 1), 0o755)
		m.env["PATH"] = m.root + "/build/host:" + m.env["PATH"]
		rep := m.install(m.personal())
		m.wants(rep.Outcome, want, rep)
		if told := strings.Contains(text(rep), "without its arguments"); told != (want == Partial) {
			t.Errorf("%s:\n%s", version, text(rep))
		}
	}
}

func TestThePluginIsInstalledByTheHostAndGoesWithoutATrace(t *testing.T) {
	m, r := pluginMachine(t)
	before := m.users()
	m.disk = noDisk{t}
	dry, err := m.installer().Install(t.Context(), r, true)
	if err != nil {
		t.Fatal(err)
	}
	m.disk = nil
	rep := m.install(r)
	m.wants(rep.Outcome, Installed, rep)
	same := func(l Line) bool { return l.Action != "prove" && !strings.Contains(l.Text, "onFailure is inert") }
	if diff := cmp.Diff(dry.Lines, keepLines(rep.Lines, same)); diff != "" {
		t.Errorf("-dry +real:\n%s", diff)
	}
	if !strings.Contains(text(rep), "Claude Code 2.1.197 is older than 2.1.295") {
		t.Error(text(rep))
	}
	s, err := m.installer().Show(t.Context(), m.personal())
	if err != nil || s.Code() != 0 {
		t.Errorf("%v\n%s", err, s.Text())
	}
	rep = m.install(r)
	m.wants(rep.Outcome, Already, rep)
	rep = m.uninstall(r)
	m.wants(rep.Outcome, Removed, rep)
	if diff := cmp.Diff(before, m.users()); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	if _, err := os.Stat(m.state + "/hosts"); err == nil {
		t.Error("the bundle stayed")
	}
}

func keepLines(lines []Line, keep func(Line) bool) []Line {
	return slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return !keep(l) })
}

func TestAFailedPluginInstallTakesEverythingBack(t *testing.T) {
	for _, mark := range []string{"FAIL", "UNLISTED"} {
		t.Run(mark, func(t *testing.T) {
			m, r := pluginMachine(t)
			m.put(m.project+"/"+mark, "", 0o600)
			before := tree(t, m.root)
			rep, err := m.installer().Install(t.Context(), r, false)
			if err == nil || rep.Outcome != Failed {
				t.Fatalf("%v\n%s", err, text(rep))
			}
			if diff := cmp.Diff(before, tree(t, m.root)); diff != "" {
				t.Errorf("-before +after:\n%s\n%s", diff, text(rep))
			}
		})
	}
}

func TestWithoutTheHostTheCommandsArePrinted(t *testing.T) {
	m, r := pluginMachine(t)
	m.env["PATH"] = "/usr/bin:/bin"
	before := m.users()
	rep := m.install(r)
	m.wants(rep.Outcome, Partial, rep)
	for _, want := range []string{
		"claude plugin marketplace add " + m.state + "/hosts/claude --scope local",
		"claude plugin install guardrails@guardrails --scope local",
	} {
		if !strings.Contains(text(rep), want) {
			t.Errorf("no %q in\n%s", want, text(rep))
		}
	}
	rep = m.uninstall(r)
	m.wants(rep.Outcome, Removed, rep)
	if diff := cmp.Diff(before, m.users()); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
}

func TestThePluginGoesThoughTheHostIsGone(t *testing.T) {
	for _, lost := range []bool{false, true} {
		m, r := pluginMachine(t)
		m.install(r)
		m.env["PATH"] = "/usr/bin:/bin"
		want := "{\n    \"model\":   \"opus\"\n}"
		if lost {
			if err := os.Remove(m.state + "/installs.json"); err != nil {
				t.Fatal(err)
			}
			want = "{\n  \"model\": \"opus\"\n}\n" // as the host wrote it
		}
		rep := m.uninstall(r)
		m.wants(rep.Outcome, Removed, rep)
		if got := m.read(m.settings()); got != want {
			t.Errorf("receipt lost %t: %q", lost, got)
		}
		if _, err := os.Stat(m.state + "/hosts"); err == nil {
			t.Errorf("receipt lost %t: the bundle stayed", lost)
		}
	}
}

func TestAnEditedBundleFileStaysWithoutForce(t *testing.T) {
	m, r := pluginMachine(t)
	m.install(r)
	readme := m.state + "/hosts/claude/plugins/guardrails/README.md"
	m.put(readme, "mine", 0o644)
	rep := m.uninstall(r)
	if m.read(readme) != "mine" || !strings.Contains(text(rep), "it was edited since we wrote it") {
		t.Error(text(rep))
	}
	m.install(r)
	m.put(readme, "mine", 0o644)
	r.Force = true
	m.uninstall(r)
	if _, err := os.Stat(readme); err == nil {
		t.Error("--force left it")
	}
}

// TestTheBundleIsAsCommitted holds the bundle's bytes: a host may ask its user
// to approve them, so a change is a decision.
func TestTheBundleIsAsCommitted(t *testing.T) {
	i := New(Env{Home: "/home/u", StateHome: "/home/u/.guardrails", Version: "1.2.3"})
	files, err := claude{}.bundle(i)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		golden := filepath.Join("testdata", "claude-plugin", strings.ReplaceAll(name, ".claude-plugin", "dot-claude-plugin"))
		if *update {
			if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(golden, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if strings.HasSuffix(name, ".json") && !json.Valid(data) {
			t.Errorf("%s is not JSON", name)
		}
	}
	if len(files) != 5 {
		t.Errorf("%d files", len(files))
	}
}
