package installer

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// doctor runs and fails the test if anything was written.
func (m *machine) doctor(hosts ...string) (*Diagnosis, string) {
	m.t.Helper()
	if len(hosts) == 0 {
		hosts = Hosts()
	}
	disk := m.disk
	m.disk = noDisk{m.t}
	before := tree(m.t, m.root)
	d, err := m.installer().Doctor(m.t.Context(), hosts, Request{Dir: m.project, AnyRoute: true})
	if err != nil {
		m.t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(m.t, m.root)); diff != "" {
		m.t.Errorf("doctor changed:\n%s", diff)
	}
	m.disk = disk
	var b strings.Builder
	for _, s := range d.Hosts {
		b.WriteString(s.Text())
	}
	b.WriteString(strings.Join(d.Problems, "\n") + strings.Join(d.Notes, "\n"))
	return d, b.String()
}

func TestDoctorFindsNothingWrongWithAGoodInstall(t *testing.T) {
	m := newMachine(t)
	if d, said := m.doctor(); d.Code() != 2 {
		t.Errorf("nothing installed: code %d\n%s", d.Code(), said)
	}
	m.install(m.personal())
	for _, v := range []place{{host: "gemini"}, {host: "antigravity"}, {host: "muse"}} {
		m.install(v.request(m))
	}
	root := m.project + "/.guardrails/muse-plugin"
	m.museFiles(root, "true", approval)
	m.museCopy(root)
	d, said := m.doctor()
	if d.Code() != 0 || strings.Count(said, "works       yes") != 4 {
		t.Errorf("code %d\n%s", d.Code(), said)
	}
}

// TestDoctorNamesWhatIsBroken breaks an install in every way that people met.
func TestDoctorNamesWhatIsBroken(t *testing.T) {
	ant := place{host: "antigravity"}
	for name, tt := range map[string]struct {
		install func(*machine)
		broke   func(*machine)
		says    string
	}{
		"the program is gone": {nil, func(m *machine) { _ = os.Remove(m.state + "/bin/guardrails") }, "bin/guardrails is missing"},
		"the program cannot be executed": {
			nil, func(m *machine) { _ = os.Chmod(m.state+"/bin/guardrails", 0o644) },
			"is not executable (mode 0644)",
		},
		"an entry was edited": {nil, func(m *machine) {
			m.put(m.settings(), strings.Replace(m.read(m.settings()), m.state+"/bin/guardrails", "/bin/true", 4), 0o644)
		}, "no handler of ours for SessionStart, UserPromptSubmit, UserPromptExpansion, PreToolUse"},
		"every entry was taken out": {nil, func(m *machine) { m.put(m.settings(), "{}", 0o644) }, "no entry of ours is there any more"},
		"a timeout is missing": {nil, func(m *machine) {
			m.put(m.settings(), strings.Replace(m.read(m.settings()), ",\n            \"timeout\": 10", "", 1), 0o644)
		}, "SessionStart: timeout is missing"},
		"hooks are switched off": {
			nil, func(m *machine) { m.put(m.home+"/.claude/settings.json", `{"disableAllHooks": true}`, 0o600) },
			"disableAllHooks in ",
		},
		"another guardrails is first on PATH": {nil, func(m *machine) {
			m.put(m.root+"/other/guardrails", "#!/bin/sh\necho theirs\n", 0o755)
			m.env["PATH"] = m.root + "/other:" + m.env["PATH"]
		}, "/other/guardrails, the first guardrails on PATH, is another program"},
		"two scopes": {nil, func(m *machine) { m.install(Request{Host: "claude", Scope: User}) }, "installed in 2 places: Claude Code runs each"},
		"Muse says modified": {func(m *machine) { m.install(place{host: "muse"}.request(m)) }, func(m *machine) {
			root := m.project + "/.guardrails/muse-plugin"
			m.museFiles(root, "true", approval)
			m.museCopy(root)
			m.put(m.home+"/.local/share/muse/plugins/cache/local/guardrails/abc/package/hooks/hooks.json", "{}", 0o600)
		}, "modified since Muse took its copy"},
		"a wrong type in Antigravity's file": {func(m *machine) { m.install(ant.request(m)) }, func(m *machine) {
			m.put(ant.file(m), strings.Replace(m.read(ant.file(m)), "{", `{"hooks": [],`, 1), 0o600)
		}, "Antigravity drops this whole file without a word"},
		"the plugin's folder was moved": {func(m *machine) {
			m.put(m.root+"/build/host/claude", fakeClaude, 0o755)
			m.env["PATH"] = m.root + "/build/host:" + m.env["PATH"]
			m.put(m.settings(), `{"model": "opus"}`, 0o600)
			r := m.personal()
			r.Route = Plugin
			m.install(r)
		}, func(m *machine) { _ = os.Rename(m.state+"/hosts/claude", m.state+"/hosts/moved") }, "the plugin's folder was moved or damaged"},
		"the extension's folder was moved": {func(m *machine) { m.install(place{host: "gemini"}.request(m)) }, func(m *machine) {
			_ = os.Rename(m.home+"/.gemini/extensions/guardrails", m.home+"/.gemini/elsewhere")
		}, "no entry of ours is there any more"},
		"half of the extension is gone": {func(m *machine) { m.install(place{host: "gemini"}.request(m)) }, func(m *machine) {
			_ = os.Remove(m.home + "/.gemini/extensions/guardrails/gemini-extension.json")
		}, "gemini-extension.json is missing"},
		"Antigravity's named hook is off": {func(m *machine) { m.install(ant.request(m)) }, func(m *machine) {
			m.put(ant.file(m), strings.Replace(m.read(ant.file(m)), `"enabled": true`, `"enabled": false`, 1), 0o600)
		}, "the named hook guardrails is switched off"},
		"the file became unreadable to the host": {nil, func(m *machine) { m.put(m.settings(), m.read(m.settings())+"}", 0o644) }, "ignores this whole file"},
		"the program answers wrongly": {nil, func(m *machine) {
			m.put(m.state+"/bin/guardrails", "#!/bin/sh\ncat >/dev/null; echo '{}'\n", 0o755)
		}, "lets a recursive delete of a home pass"},
		"the program dies":       {nil, func(m *machine) { m.put(m.state+"/bin/guardrails", "#!/bin/sh\nexit 2\n", 0o755) }, "ends with code 2"},
		"the receipt is damaged": {nil, func(m *machine) { m.put(m.state+"/installs.json", "{", 0o600) }, "installs.json: the receipt of earlier installs is damaged"},
		"an install of another project is gone": {func(m *machine) {
			m.install(m.personal())
			r := m.personal()
			r.Dir = m.root + "/other-project"
			m.install(r)
		}, func(m *machine) { m.put(m.root+"/other-project/.claude/settings.local.json", "{}", 0o644) }, "/other-project/.claude/settings.local.json (personal, settings) on "},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			if tt.install == nil {
				tt.install = func(m *machine) { m.install(m.personal()) }
			}
			tt.install(m)
			tt.broke(m)
			d, said := m.doctor()
			if d.Code() != 3 || !strings.Contains(said, tt.says) {
				t.Errorf("code %d, want 3 and %q:\n%s", d.Code(), tt.says, said)
			}
		})
	}
}

func TestDoctorNotesWhatIsNoFault(t *testing.T) {
	m := newMachine(t)
	m.install(m.personal())
	r := m.personal()
	r.Dir = m.root + "/deleted-project"
	m.install(r)
	if err := os.RemoveAll(r.Dir); err != nil {
		t.Fatal(err)
	}
	m.put(m.root+"/brew/guardrails", "\x7fELF "+modulePath, 0o755)
	m.env["PATH"] = m.root + "/brew:" + m.env["PATH"]
	d, said := m.doctor()
	for _, want := range []string{"/deleted-project, which is gone", "/brew/guardrails, the first guardrails on PATH, is another build"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if d.Code() != 0 {
		t.Errorf("code %d\n%s", d.Code(), said)
	}
}

func TestAnUnreadableLogIsNamedOnce(t *testing.T) {
	m := newMachine(t)
	m.install(m.personal())
	i := m.installer()
	i.env.LastFired = func(string) (time.Time, error) { return time.Time{}, os.ErrPermission }
	d, err := i.Doctor(t.Context(), Hosts(), Request{Dir: m.project, AnyRoute: true})
	if err != nil {
		t.Fatal(err)
	}
	if d.Code() != 3 || !strings.Contains(d.Hosts[0].Text(), "the log cannot be read") {
		t.Errorf("code %d\n%s", d.Code(), d.Hosts[0].Text())
	}
}

// TestDoctorRunsTheStringThatIsRegistered sees what was started.
func TestDoctorRunsTheStringThatIsRegistered(t *testing.T) {
	for _, v := range places() {
		m := newMachine(t)
		m.env["SHELL"] = "/bin/sh"
		m.install(v.request(m))
		marked := m.state + "/bin/guardrails"
		if err := os.Rename(marked, marked+".real"); err != nil {
			t.Fatal(err)
		}
		log := m.root + "/started"
		m.put(marked, "#!/bin/sh\necho \"$@\" >> "+log+"\nexec "+marked+".real \"$@\"\n", 0o755)
		if _, err := m.installer().Doctor(t.Context(), []string{v.host}, Request{Dir: m.project, AnyRoute: true}); err != nil {
			t.Fatal(err)
		}
		if got := m.read(log); !strings.HasPrefix(got, "hook --agent "+v.host) {
			t.Errorf("%s: %s", v, got)
		}
	}
}

func TestHintsNameAnInstallThatIsGone(t *testing.T) {
	m := newMachine(t)
	m.install(m.personal())
	m.install(place{host: "antigravity"}.request(m))
	if got := m.installer().Hints(t.Context()); got != nil {
		t.Errorf("all is well, but %q", got)
	}
	m.put(m.settings(), "{}", 0o644)
	m.install(place{host: "muse"}.request(m))
	before := tree(t, m.root)
	got := strings.Join(m.installer().Hints(t.Context()), "\n")
	for _, want := range []string{"claude, installed in " + m.settings(), "no entry of ours is there any more", "muse, installed in ", "not installed in Muse"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "antigravity") {
		t.Error(got)
	}
	if diff := cmp.Diff(before, tree(t, m.root)); diff != "" {
		t.Errorf("changed:\n%s", diff)
	}
}

func TestGeminiTwiceIsNoFault(t *testing.T) {
	m := newMachine(t)
	m.install(place{host: "gemini"}.request(m))
	m.install(place{host: "gemini", scope: User, route: Settings, named: true}.request(m))
	d, said := m.doctor("gemini")
	if d.Code() != 0 || !strings.Contains(said, "installed in 2 places, which is one too many but harmless") {
		t.Errorf("code %d\n%s", d.Code(), said)
	}
}
