package installer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/proc"
	"github.com/ec261362/guardrails/installer/jsonedit"
)

// A place is one way to install into a host other than Claude Code.
type place struct {
	host  string
	scope Scope
	route Route
	named bool // the route was asked for
}

func (v place) String() string {
	if !v.named {
		return fmt.Sprintf("%s %s", v.host, v.scope)
	}
	return fmt.Sprintf("%s %s via %s", v.host, v.scope, v.route)
}

func (v place) request(m *machine) Request {
	r := Request{Host: v.host, Scope: v.scope, Route: v.route, AnyRoute: !v.named}
	if v.scope != User {
		r.Dir = m.project
	}
	return r
}

// file is where the entries go.
func (v place) file(m *machine) string {
	switch {
	case v.host == "antigravity":
		return m.home + "/.gemini/config/hooks.json"
	case v.host == "muse" && v.scope == User:
		return m.state + "/hosts/muse/hooks/hooks.json"
	case v.host == "muse":
		return m.project + "/.guardrails/muse-plugin/hooks/hooks.json"
	case !v.named:
		return m.home + "/.gemini/extensions/guardrails/hooks/hooks.json"
	case v.scope == User:
		return m.home + "/.gemini/settings.json"
	default:
		return m.project + "/.gemini/settings.json"
	}
}

// done is how an install ends: Muse's leaves two commands to its user.
func (v place) done(first bool) Outcome {
	switch {
	case v.host == "muse":
		return Partial
	case first:
		return Installed
	}
	return Already
}

// prepare puts what is others' into the way.
func (v place) prepare(m *machine) {
	if v.host == "antigravity" {
		m.put(v.file(m), `{"theirs": {"Stop": [{"type": "command", "command": "x"}]}}`, 0o600)
	}
}

func places() []place {
	return []place{
		{host: "gemini"},
		{host: "gemini", scope: User},
		{host: "gemini", route: Settings, named: true},
		{host: "gemini", scope: User, route: Settings, named: true},
		{host: "antigravity"},
		{host: "antigravity", scope: User},
		{host: "muse"},
		{host: "muse", scope: User},
	}
}

// golden compares a text, its machine's paths aside, with a committed file.
func (m *machine) golden(name, got string) {
	m.t.Helper()
	got = strings.ReplaceAll(got, m.root, "/ROOT")
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			m.t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(m.read(path), got); diff != "" {
		m.t.Errorf("%s (-want +got); a change is a migration for every user, and for Muse's a new approval:\n%s", name, diff)
	}
}

func TestTheBytesWrittenIntoAnEmptyPlaceAreFrozen(t *testing.T) {
	for _, v := range places() {
		t.Run(v.String(), func(t *testing.T) {
			m := newMachine(t)
			rep := m.install(v.request(m))
			m.wants(rep.Outcome, v.done(true), rep)
			name := v.host
			if v.named {
				name += "-settings"
			}
			m.golden(name+".json", m.read(v.file(m)))
			switch {
			case v.host == "muse":
				m.golden("muse-plugin.json", m.read(filepath.Join(filepath.Dir(v.file(m)), "..", ".claude-plugin", "plugin.json")))
			case v.host == "gemini" && !v.named:
				m.golden("gemini-extension.json", m.read(filepath.Join(filepath.Dir(v.file(m)), "..", "gemini-extension.json")))
			}
		})
	}
}

func TestTheCommandLinesAreFrozen(t *testing.T) {
	m := newMachine(t)
	bin := m.state + "/bin/guardrails"
	for _, tt := range []struct {
		v     place
		event string
		want  string
	}{
		{place{host: "gemini"}, "BeforeTool", `b='` + bin + `'; [ -x "$b" ] || exit 0; exec "$b" hook --agent gemini`},
		{place{host: "gemini", named: true}, "AfterAgent", `b='` + bin + `'; [ -x "$b" ] || exit 0; exec "$b" hook --agent gemini`},
		{place{host: "antigravity"}, "PreToolUse", `b='` + bin + `'; [ -x "$b" ] || { printf '{"decision":"allow"}'; exit 0; }; exec "$b" hook --agent antigravity PreToolUse`},
		{place{host: "antigravity"}, "Stop", `b='` + bin + `'; [ -x "$b" ] || { printf '{}'; exit 0; }; exec "$b" hook --agent antigravity Stop`},
		{place{host: "muse"}, "PreToolUse", `'` + bin + `' hook --agent muse`},
	} {
		m.install(tt.v.request(m))
		doc, err := jsonedit.Parse([]byte(m.read(tt.v.file(m))), jsonedit.Strict)
		if err != nil {
			t.Fatal(err)
		}
		base := "hooks"
		if tt.v.host == "antigravity" {
			base = "guardrails"
		}
		n := doc.At(base, tt.event, 0)
		if h := n.Get("hooks").Index(0); h.Kind() != jsonedit.Invalid {
			n = h
		}
		if got := n.Get("command").Text(); got != tt.want {
			t.Errorf("%s %s:\n got %s\nwant %s", tt.v, tt.event, got, tt.want)
		}
	}
	m.state = m.root + "/moved home"
	m.install(Request{Host: "muse", Dir: m.project, AnyRoute: true})
	if got := m.read(m.project + "/.guardrails/muse-plugin/hooks/hooks.json"); !strings.Contains(got, `"'`+m.state+`/bin/guardrails' hook --agent muse --home '`+m.state+`'"`) {
		t.Error(got)
	}
}

// TestTimeoutsAreInTheirHostsUnit would fail if seconds stood where
// milliseconds belong, or the other way round.
func TestTimeoutsAreInTheirHostsUnit(t *testing.T) {
	for _, v := range places() {
		m := newMachine(t)
		m.install(v.request(m))
		low, high := 1.0, 600.0
		if v.host == "gemini" {
			low, high = 1000, 600_000
		}
		doc, err := jsonedit.Parse([]byte(m.read(v.file(m))), jsonedit.Strict)
		if err != nil {
			t.Fatal(err)
		}
		id := map[string]identity{"gemini": gemini{}.identity(), "antigravity": antigravity{}.identity(), "muse": muse{}.identity()}[v.host]
		entries := id.scan(doc)
		if len(entries) != len(wiringOf(adapters.Lookup(v.host))) {
			t.Errorf("%s: %d entries", v, len(entries))
		}
		for _, e := range entries {
			n, ok := number(e.node.Get("timeout"))
			if !ok || n < low || n > high || n != float64(int(n)) {
				t.Errorf("%s %s: timeout %s", v, e.event, e.node.Get("timeout").Raw())
			}
			if e.kind != ours {
				t.Errorf("%s %s is not recognised as ours", v, e.event)
			}
		}
	}
}

// TestMuseHandlersHaveNoKeyThatMuseDrops: an unknown key costs the handler
// there, in silence.
func TestMuseHandlersHaveNoKeyThatMuseDrops(t *testing.T) {
	m := newMachine(t)
	f, err := muse{}.folder(m.installer(), Request{Dir: m.project})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonedit.Parse(f.files[0].data, jsonedit.Strict)
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range doc.At("hooks").Keys() {
		groups := doc.At("hooks", event)
		if groups.Len() != 1 || !slices.Equal(groups.Index(0).Keys(), []string{"hooks"}) {
			t.Errorf("%s: %s", event, groups.Raw())
		}
		if keys := groups.Index(0).Get("hooks").Index(0).Keys(); !slices.Equal(keys, []string{"type", "command", "timeout"}) {
			t.Errorf("%s: %v", event, keys)
		}
	}
	if len(f.files) != 2 {
		t.Errorf("%d files", len(f.files))
	}
}

func TestEveryHostTwiceThenGone(t *testing.T) {
	for _, v := range places() {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/receipt lost %t", v, lost), func(t *testing.T) {
				m := newMachine(t)
				v.prepare(m)
				before := m.users()
				m.disk = noDisk{t}
				dry, err := m.installer().Install(t.Context(), v.request(m), true)
				if err != nil {
					t.Fatal(err)
				}
				m.disk = nil
				rep := m.install(v.request(m))
				m.wants(rep.Outcome, v.done(true), rep)
				if diff := cmp.Diff(dry.Lines, without(rep.Lines, "prove")); diff != "" {
					t.Errorf("-dry +real:\n%s", diff)
				}
				installed := tree(t, m.root)
				rep = m.install(v.request(m))
				m.wants(rep.Outcome, v.done(false), rep)
				if diff := cmp.Diff(installed, tree(t, m.root)); diff != "" {
					t.Errorf("the second install changed:\n%s", diff)
				}
				if lost {
					if err := os.Remove(m.state + "/installs.json"); err != nil {
						t.Fatal(err)
					}
				}
				rep = m.uninstall(v.request(m))
				m.wants(rep.Outcome, Removed, rep)
				after := m.users()
				if lost { // directories that we made are not known to be ours
					for k := range after {
						if _, was := before[k]; !was && strings.HasPrefix(after[k], "d") {
							delete(after, k)
						}
					}
				}
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("-before +after:\n%s", diff)
				}
				rep = m.uninstall(v.request(m))
				m.wants(rep.Outcome, Absent, rep)
				if !strings.Contains(text(rep), "look") {
					t.Errorf("it does not say where it looked:\n%s", text(rep))
				}
			})
		}
	}
}

// TestSharedFilesKeepEveryByte runs the settings files of the editor's corpus
// through the two hosts whose entries stand in others' files.
func TestSharedFilesKeepEveryByte(t *testing.T) {
	files, err := filepath.Glob("jsonedit/testdata/settings/*.json*")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	tried := map[string]int{}
	for _, name := range files {
		if strings.HasSuffix(name, ".golden") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []place{{host: "gemini", scope: User, named: true}, {host: "antigravity"}} {
			t.Run(v.host+"/"+filepath.Base(name), func(t *testing.T) {
				m := newMachine(t)
				m.run = pretendFor(v.host)
				m.put(v.file(m), string(src), 0o640)
				before := m.users()
				rep, err := m.installer().Install(t.Context(), v.request(m), false)
				if _, refused := errors.AsType[*Refusal](err); refused {
					if diff := cmp.Diff(before, m.users()); diff != "" {
						t.Errorf("refused, and changed:\n%s", diff)
					}
					return
				}
				if err != nil {
					t.Fatalf("%v\n%s", err, text(rep))
				}
				tried[v.host]++
				installed := m.read(v.file(m))
				rep = m.install(v.request(m))
				m.wants(rep.Outcome, Already, rep)
				if m.read(v.file(m)) != installed {
					t.Error("the second install changed the file")
				}
				m.uninstall(v.request(m))
				if diff := cmp.Diff(before, m.users()); diff != "" {
					t.Errorf("-before +after:\n%s", diff)
				}
			})
		}
	}
	if tried["gemini"] < 25 || tried["antigravity"] < 3 {
		t.Errorf("too few files were edited: %v", tried)
	}
}

// pretendFor answers every hook call of a host as it should be answered.
func pretendFor(host string) func(context.Context, proc.Cmd) (proc.Result, error) {
	return func(_ context.Context, c proc.Cmd) (proc.Result, error) {
		bad := strings.Contains(string(c.Stdin), "rm -rf")
		line := strings.Join(c.Argv, " ")
		switch {
		case bad && (host == "gemini" || host == "antigravity"):
			return proc.Result{Stdout: []byte(`{"decision":"deny","reason":"no"}`)}, nil
		case host == "antigravity" && strings.HasSuffix(line, " PreToolUse"):
			return proc.Result{Stdout: []byte(`{"decision":"allow"}`)}, nil
		default:
			return proc.Result{Stdout: []byte("{}")}, nil
		}
	}
}

func TestWhatAHostCannotCarryIsRefusedUntouched(t *testing.T) {
	gem, ant, mus := place{host: "gemini", scope: User, named: true}, place{host: "antigravity"}, place{host: "muse"}
	ext := place{host: "gemini"}
	tests := []struct {
		name, says string
		v          place
		prepare    func(*machine, *Request)
	}{
		{"gemini, syntax error", "settings.json:1:", gem, func(m *machine, _ *Request) { m.put(gem.file(m), `{"a": `, 0o600) }},
		{"gemini, trailing comma", "trailing comma: Gemini CLI does not start", gem, func(m *machine, _ *Request) { m.put(gem.file(m), `{"a": 1,}`, 0o600) }},
		{"gemini, byte order mark", "byte order mark: because of it Gemini CLI does not start", gem, func(m *machine, _ *Request) { m.put(gem.file(m), "\ufeff{}", 0o600) }},
		{"gemini, hooks is an array", "hooks is an array, not an object", gem, func(m *machine, _ *Request) { m.put(gem.file(m), `{"hooks": []}`, 0o600) }},
		{"gemini, read-only", "read-only", gem, func(m *machine, _ *Request) { m.put(gem.file(m), `{}`, 0o444) }},
		{"gemini, shared", "leave out --shared", ext, func(_ *machine, r *Request) { r.Scope = Shared }},
		{"gemini, .gemini is a link", "symbolic link", place{host: "gemini", named: true}, func(m *machine, _ *Request) {
			_ = os.Mkdir(m.root+"/evil", 0o755)
			_ = os.Symlink(m.root+"/evil", m.project+"/.gemini")
		}},
		{"gemini, a variable b", "variable named b", gem, func(m *machine, _ *Request) { m.env["b"] = "x" }},
		{"gemini, another's extension", "is not ours", ext, func(m *machine, _ *Request) {
			m.put(m.home+"/.gemini/extensions/guardrails/gemini-extension.json", `{"name": "guardrails", "version": "9.0.0"}`, 0o644)
		}},
		{"gemini, installed by gemini", "gemini extensions uninstall guardrails", ext, func(m *machine, _ *Request) {
			m.put(m.home+"/.gemini/extensions/guardrails/.gemini-extension-install.json", `{}`, 0o644)
		}},
		{"gemini, the extension is a link", "symbolic link", ext, func(m *machine, _ *Request) {
			_ = os.MkdirAll(m.home+"/.gemini/extensions", 0o755)
			_ = os.Symlink(m.root, m.home+"/.gemini/extensions/guardrails")
		}},
		{"gemini, a relative home", "absolute path", ext, func(m *machine, _ *Request) { m.env["GEMINI_CLI_HOME"] = "x" }},
		{"antigravity, comment", "comment: Antigravity drops this whole file", ant, func(m *machine, _ *Request) { m.put(ant.file(m), "{} // x", 0o600) }},
		{"antigravity, another's wrong type", "drops this whole file", ant, func(m *machine, _ *Request) { m.put(ant.file(m), `{"hooks": []}`, 0o600) }},
		{"antigravity, our name taken by a list", "drops this whole file", ant, func(m *machine, _ *Request) { m.put(ant.file(m), `{"guardrails": []}`, 0o600) }},
		{"antigravity, hard link", "hard links", ant, func(m *machine, _ *Request) {
			m.put(m.root+"/other", `{}`, 0o644)
			m.put(ant.file(m), "", 0o644)
			_ = os.Remove(ant.file(m))
			_ = os.Link(m.root+"/other", ant.file(m))
		}},
		{"antigravity, plugin", "leave out --via plugin", ant, func(_ *machine, r *Request) { r.Route, r.AnyRoute = Plugin, false }},
		{"antigravity, another folder", "leave out --config-dir", ant, func(m *machine, r *Request) { r.ConfigDir = m.root + "/x" }},
		{"muse, settings", "leave out --via settings", mus, func(_ *machine, r *Request) { r.Route, r.AnyRoute = Settings, false }},
		{"muse, shared", "leave out --shared", mus, func(_ *machine, r *Request) { r.Scope = Shared }},
		{"muse, .guardrails is a link", "symbolic link", mus, func(m *machine, _ *Request) {
			_ = os.Mkdir(m.root+"/evil", 0o755)
			_ = os.Symlink(m.root+"/evil", m.project+"/.guardrails")
		}},
		{"muse, a file of the bundle is a link", "symbolic link", mus, func(m *machine, _ *Request) {
			_ = os.MkdirAll(m.project+"/.guardrails/muse-plugin/hooks", 0o755)
			_ = os.Symlink(m.root+"/evil", m.project+"/.guardrails/muse-plugin/hooks/hooks.json")
		}},
		{"muse, more in the bundle", "does not belong into the bundle", mus, func(m *machine, _ *Request) {
			m.put(m.project+"/.guardrails/muse-plugin/README.md", "x", 0o644)
		}},
		{"muse, relative XDG", "XDG_CONFIG_HOME", mus, func(m *machine, _ *Request) { m.env["XDG_CONFIG_HOME"] = "x" }},
		{"muse, the home as project", "install with -g", mus, func(m *machine, r *Request) { r.Dir = m.home }},
	}
	for _, v := range []place{ext, gem, ant, mus} {
		for _, c := range []string{`'`, `"`, `\`, `$x`, "\n", "`"} {
			tests = append(tests, struct {
				name, says string
				v          place
				prepare    func(*machine, *Request)
			}{fmt.Sprintf("%s, %q in the path", v.host, c), "name another place with --home", v, func(m *machine, _ *Request) { m.state = m.home + "/a" + c }})
		}
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t)
			r := tt.v.request(m)
			tt.prepare(m, &r)
			before := tree(t, m.root)
			_, err := m.installer().Install(t.Context(), r, false)
			var refusal *Refusal
			if !errors.As(err, &refusal) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(before, tree(t, m.root)); diff != "" {
				t.Errorf("changed:\n%s", diff)
			}
		})
	}
}

func TestAPathWithASpaceIsFine(t *testing.T) {
	for _, v := range places() {
		m := newMachine(t)
		m.state = m.root + "/state home"
		rep := m.install(v.request(m))
		m.wants(rep.Outcome, v.done(true), rep)
		m.uninstall(v.request(m))
	}
}

func TestAFailureAtAnyChangeOfAnyHostTakesEverythingBack(t *testing.T) {
	for _, v := range places() {
		t.Run(v.String(), func(t *testing.T) {
			steps := 0
			for n := 1; ; n++ {
				m := newMachine(t)
				v.prepare(m)
				before := m.users()
				full := errors.New("no space left on device")
				m.disk = &faultyDisk{Disk: OSDisk{}, n: n, at: func(string, string) error { return full }}
				rep, err := m.installer().Install(t.Context(), v.request(m), false)
				if err == nil {
					steps = n - 1
					break
				}
				if !strings.Contains(err.Error(), full.Error()) || rep != nil && rep.Outcome != Failed {
					t.Fatalf("step %d: %v", n, err)
				}
				if diff := cmp.Diff(before, m.users()); diff != "" {
					t.Errorf("step %d, -before +after:\n%s\n%s", n, diff, text(rep))
				}
				if _, err := os.Stat(m.state); err == nil {
					t.Errorf("step %d left a state home", n)
				}
			}
			if steps < 5 {
				t.Errorf("only %d changes were seen", steps)
			}
		})
	}
}

func TestAProgramThatDoesNotAnswerAsItsHostWantsIsNotInstalled(t *testing.T) {
	for name, tt := range map[string]struct {
		v      place
		answer string
	}{
		"gemini, Claude's deny":             {place{host: "gemini"}, `echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'`},
		"gemini, nothing":                   {place{host: "gemini"}, `:`},
		"antigravity, an empty object":      {place{host: "antigravity"}, `echo '{}'`},
		"antigravity, always allow":         {place{host: "antigravity"}, `echo '{"decision":"allow"}'`},
		"muse, Gemini's deny":               {place{host: "muse"}, `echo '{"decision":"deny"}'`},
		"muse, nothing":                     {place{host: "muse"}, `:`},
		"muse, chatter":                     {place{host: "muse"}, `echo hello`},
		"gemini, a program that ends badly": {place{host: "gemini"}, `exit 2`},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.program("1.0.0", "#!/bin/sh\ncat >/dev/null\n"+tt.answer+"\n")
			tt.v.prepare(m)
			before := tree(t, m.root)
			rep, err := m.installer().Install(t.Context(), tt.v.request(m), false)
			if err == nil || rep.Outcome != Failed {
				t.Errorf("%v\n%s", err, text(rep))
			}
			if diff := cmp.Diff(before, tree(t, m.root)); diff != "" {
				t.Errorf("-before +after:\n%s", diff)
			}
		})
	}
}

// TestWithoutTheProgramTheHostsWorkGoesOn runs the registered lines as their
// hosts do, with the program gone.
func TestWithoutTheProgramTheHostsWorkGoesOn(t *testing.T) {
	for _, v := range []place{{host: "gemini"}, {host: "antigravity"}} {
		m := newMachine(t)
		m.install(v.request(m))
		if err := os.Remove(m.state + "/bin/guardrails"); err != nil {
			t.Fatal(err)
		}
		s, err := m.installer().Show(t.Context(), v.request(m))
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range s.States {
			for _, c := range st.commands {
				ad := adapters.Lookup(v.host)
				payload := ad.(hook.Sampler).Payload(hook.Sample{Cwd: m.project, Command: "git status"})
				ev, err := ad.Decode(c.wiring.Event, payload)
				if err != nil {
					t.Fatal(err)
				}
				ran, err := proc.Run(t.Context(), proc.Cmd{Argv: c.command.argv(), Dir: m.project, Env: []string{"PATH=/usr/bin:/bin"}, Stdin: payload})
				if err != nil || ran.ExitCode != 0 || len(ran.Stderr) > 0 {
					t.Errorf("%s: %v, code %d, %s", c.command, err, ran.ExitCode, ran.Stderr)
				}
				want := strings.TrimSpace(string(ad.Encode(ev, hook.Verdict{}).Stdout))
				if got := strings.TrimSpace(string(ran.Stdout)); got != want && !(v.host == "gemini" && got == "") {
					t.Errorf("%s: %q, the neutral answer is %q", c.command, got, want)
				}
			}
		}
	}
}

func TestOlderFormsOfOtherHostsAreUpgradedInPlace(t *testing.T) {
	for name, tt := range map[string]struct {
		v   place
		src string
	}{
		"gemini, hook HOST":        {place{host: "gemini", scope: User, named: true}, `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "/old/guardrails hook gemini"}]}]}}`},
		"gemini, seconds":          {place{host: "gemini", scope: User, named: true}, `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "b='/old/bin/guardrails'; [ -x \"$b\" ] || exit 0; exec \"$b\" hook --agent gemini", "timeout": 10}]}]}}`},
		"gemini, hook EVENT":       {place{host: "gemini", scope: User, named: true}, `{"hooks": {"BeforeTool": [{"matcher": "shell", "hooks": [{"type": "command", "command": "/old/guardrails hook BeforeTool"}]}]}}`},
		"antigravity, another key": {place{host: "antigravity"}, `{"gr": {"Stop": [{"type": "command", "command": "/old/guardrails hook antigravity"}]}}`},
		"antigravity, plain":       {place{host: "antigravity"}, `{"guardrails": {"enabled": false, "PreToolUse": [{"matcher": "run_command", "hooks": [{"type": "command", "command": "/old/guardrails hook --agent antigravity PreToolUse"}]}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.put(tt.v.file(m), tt.src, 0o600)
			rep := m.install(tt.v.request(m))
			m.wants(rep.Outcome, Installed, rep)
			got := m.read(tt.v.file(m))
			if strings.Contains(got, "/old") || strings.Contains(got, `"enabled": false`) {
				t.Error(got)
			}
			if n := strings.Count(got, m.state); n != len(wiringOf(adapters.Lookup(tt.v.host))) {
				t.Errorf("%d entries:\n%s", n, got)
			}
			rep = m.install(tt.v.request(m))
			m.wants(rep.Outcome, Already, rep)
		})
	}
}

func TestOthersKeysInOurNamedHookStay(t *testing.T) {
	v := place{host: "antigravity"}
	m := newMachine(t)
	m.install(v.request(m))
	src := strings.Replace(m.read(v.file(m)), `"Stop": [`, `"Stop": [
      {
        "type": "command",
        "command": "theirs"
      },`, 1)
	m.put(v.file(m), src, 0o600)
	rep := m.install(v.request(m))
	m.wants(rep.Outcome, Already, rep)
	m.uninstall(v.request(m))
	if got := m.read(v.file(m)); !strings.Contains(got, `"command": "theirs"`) || strings.Contains(got, m.state) {
		t.Error(got)
	}
}

func TestAnEditedFileOfABundleIsKeptInABackupAndByUninstall(t *testing.T) {
	for _, v := range []place{{host: "gemini"}, {host: "muse"}} {
		t.Run(v.host, func(t *testing.T) {
			m := newMachine(t)
			m.install(v.request(m))
			edited := strings.Replace(m.read(v.file(m)), `"timeout"`, `"async": true, "timeout"`, 1)
			m.put(v.file(m), edited, 0o644)
			rep := m.uninstall(v.request(m))
			if m.read(v.file(m)) != edited || !strings.Contains(text(rep), "it was edited since we wrote it") {
				t.Error(text(rep))
			}
			rep = m.install(v.request(m))
			m.wants(rep.Outcome, v.done(true), rep)
			names, err := m.installer().backups(v.file(m))
			if err != nil || len(names) != 1 || m.read(names[0]) != edited {
				t.Errorf("%v %v", names, err)
			}
			r := v.request(m)
			r.Force = true
			m.put(v.file(m), edited, 0o644)
			m.uninstall(r)
			if _, err := os.Stat(v.file(m)); err == nil {
				t.Error("--force left it")
			}
		})
	}
}

// museFiles is what Muse keeps of a plugin that its user installed and approved.
func (m *machine) museFiles(source, enabled, capabilities string) {
	m.put(m.home+"/.local/share/muse/plugins/installed.json", `{"schema_version": 1, "plugins": [{"id": "guardrails", "version": "1.0.0", "enabled": `+enabled+`, "source": {"kind": "local", "path": "`+source+`"}}]}`, 0o600)
	m.put(m.home+"/.config/muse/settings.json", `{"schema_version": 1, "runtime_capabilities": {`+capabilities+`}}`, 0o600)
}

// museCopy puts a copy of the bundle where Muse would.
func (m *machine) museCopy(root string) {
	for _, name := range []string{"hooks/hooks.json", ".claude-plugin/plugin.json"} {
		m.put(m.home+"/.local/share/muse/plugins/cache/local/guardrails/abc/package/"+name, m.read(root+"/"+name), 0o600)
	}
}

const approval = `"plugin:guardrails:hook:hook-0123456789abcdef": {"enabled": true, "trusted_definition_hash": "sha256:00"}`

func TestMuseUnderAMovedConfigurationIsUnqualified(t *testing.T) {
	for _, install := range []bool{false, true} {
		m := newMachine(t)
		m.env["XDG_CONFIG_HOME"] = m.root + "/elsewhere"
		r := place{host: "muse"}.request(m)
		if install {
			m.install(r)
		}
		s, err := m.installer().Show(t.Context(), r)
		if err != nil || strings.Count(s.Text(), "unqualified") != 1 {
			t.Errorf("installed %v: %v\n%s", install, err, s.Text())
		}
	}
}

func TestMusesRecordIsReadAndSaysWhatIsNext(t *testing.T) {
	for name, tt := range map[string]struct {
		prepare  func(m *machine, root string)
		approved string
		enabled  bool
		next     []string
		outcome  Outcome
	}{
		"not installed": {
			func(*machine, string) {}, "not installed in Muse", false,
			[]string{"muse plugins install ROOT --scope project", "muse plugins approve guardrails"},
			Partial,
		},
		"installed, review needed": {
			func(m *machine, root string) { m.museFiles(root, "true", "") }, "review needed", true,
			[]string{"muse plugins approve guardrails"},
			Partial,
		},
		"approved": {func(m *machine, root string) { m.museFiles(root, "true", approval); m.museCopy(root) }, "yes: hooks on Muse's record: 1; read, not verified", true, nil, Already},
		"switched off by the user": {func(m *machine, root string) {
			m.museFiles(root, "true", strings.Replace(approval, "true", "false", 1))
		}, "switched off by the user", true, []string{"muse plugins approve guardrails"}, Partial},
		"disabled": {
			func(m *machine, root string) { m.museFiles(root, "false", approval) }, "disabled in Muse", false,
			[]string{"muse plugins enable guardrails"},
			Partial,
		},
		"modified": {func(m *machine, root string) {
			m.museFiles(root, "true", approval)
			m.museCopy(root)
			m.put(m.home+"/.local/share/muse/plugins/cache/local/guardrails/abc/package/hooks/hooks.json", "{}", 0o600)
		}, "modified since Muse took its copy", true, []string{"muse plugins update guardrails", "muse plugins approve guardrails"}, Partial},
		"from elsewhere": {
			func(m *machine, _ string) { m.museFiles("/elsewhere", "true", approval) }, "Muse has guardrails from /elsewhere", false,
			[]string{"muse plugins remove guardrails", "muse plugins install ROOT --scope project", "muse plugins approve guardrails"},
			Partial,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			v := place{host: "muse"}
			root := m.project + "/.guardrails/muse-plugin"
			m.install(v.request(m))
			tt.prepare(m, root)
			before := tree(t, m.root)
			s, err := m.installer().Show(t.Context(), v.request(m))
			if err != nil {
				t.Fatal(err)
			}
			st := s.States[0]
			if !strings.Contains(st.Approved, tt.approved) || st.Enabled != tt.enabled {
				t.Errorf("enabled %t, approved %q", st.Enabled, st.Approved)
			}
			if want := 3; (s.Code() == want) == (tt.next == nil) {
				t.Errorf("code %d\n%s", s.Code(), s.Text())
			}
			rep := m.install(v.request(m))
			m.wants(rep.Outcome, tt.outcome, rep)
			var printed []string
			for _, l := range rep.Lines {
				if l.Action == "print" {
					printed = append(printed, strings.ReplaceAll(l.Text, root, "ROOT"))
				}
			}
			if diff := cmp.Diff(tt.next, printed); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(before, tree(t, m.root)); diff != "" {
				t.Errorf("changed:\n%s", diff)
			}
		})
	}
}

// TestMuseIsNeverStartedAndNothingOfItsIsWritten has a muse on PATH that leaves
// a mark.
func TestMuseIsNeverStartedAndNothingOfItsIsWritten(t *testing.T) {
	m := newMachine(t)
	m.put(m.root+"/build/host/muse", "#!/bin/sh\ntouch "+m.root+"/started\n", 0o755)
	m.env["PATH"] = m.root + "/build/host:" + m.env["PATH"]
	m.museFiles("/elsewhere", "true", approval)
	theirs := tree(t, m.home)
	for _, scope := range []Scope{Personal, User} {
		r := place{host: "muse", scope: scope}.request(m)
		m.install(r)
		if _, err := m.installer().Doctor(t.Context(), []string{"muse"}, r); err != nil {
			t.Fatal(err)
		}
		rep := m.uninstall(r)
		if !strings.Contains(text(rep), "muse plugins remove guardrails") {
			t.Error(text(rep))
		}
	}
	if _, err := os.Stat(m.root + "/started"); err == nil {
		t.Error("muse was started")
	}
	for k, v := range tree(t, m.home) {
		if strings.HasPrefix(k, ".guardrails") {
			continue
		}
		if theirs[k] != v {
			t.Errorf("%s changed", k)
		}
	}
}

func TestWhereMuseStillHasThePluginUninstallIsPartial(t *testing.T) {
	m := newMachine(t)
	r := place{host: "muse"}.request(m)
	m.install(r)
	m.museFiles(m.project+"/.guardrails/muse-plugin", "true", approval)
	rep := m.uninstall(r)
	m.wants(rep.Outcome, Partial, rep)
	if _, err := os.Stat(m.project + "/.guardrails"); err == nil {
		t.Error("the bundle stayed")
	}
}

func TestHostsAreFoundByProgramOrFolder(t *testing.T) {
	for name, tt := range map[string]struct {
		prepare func(*machine)
		want    []string
	}{
		"nothing":                  {func(*machine) {}, nil},
		"agy":                      {func(m *machine) { m.put(m.root+"/build/host/agy", "#!/bin/sh\n", 0o755) }, []string{"antigravity"}},
		"gemini":                   {func(m *machine) { m.put(m.root+"/build/host/gemini", "#!/bin/sh\n", 0o755) }, []string{"gemini"}},
		"Antigravity's own folder": {func(m *machine) { m.put(m.home+"/.gemini/config/hooks.json", "{}", 0o644) }, []string{"antigravity"}},
		"Gemini's own folder":      {func(m *machine) { m.put(m.home+"/.gemini/settings.json", "{}", 0o644) }, []string{"gemini"}},
		"Muse's data":              {func(m *machine) { m.put(m.home+"/.local/share/muse/x", "", 0o644) }, []string{"muse"}},
		"all": {func(m *machine) {
			m.put(m.home+"/.gemini/settings.json", "{}", 0o644)
			m.put(m.home+"/.gemini/antigravity-cli/x", "", 0o644)
			m.put(m.home+"/.config/muse/settings.json", "{}", 0o644)
			m.put(m.home+"/.claude/settings.json", "{}", 0o644)
		}, []string{"claude", "gemini", "antigravity", "muse"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.env["PATH"] = m.root + "/build/host:" + m.env["PATH"]
			tt.prepare(m)
			got, why := m.installer().Found()
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s%v", diff, why)
			}
		})
	}
}

func TestSwitchesOfOlderGeminiClientsAreNoted(t *testing.T) {
	for settings, says := range map[string]string{
		`{"tools": {"enableHooks": false}}`: "tools.enableHooks is false",
		`{"hooks": {"enabled": false}}`:     "hooks.enabled is false",
		`{"tools": {"enableHooks": true}}`:  "",
	} {
		m := newMachine(t)
		m.put(m.home+"/.gemini/settings.json", settings, 0o600)
		m.install(place{host: "gemini"}.request(m))
		s, err := m.installer().Show(t.Context(), Request{Host: "gemini", Dir: m.project})
		if err != nil || s.Code() != 0 {
			t.Errorf("%s: %v\n%s", settings, err, s.Text())
		}
		if says != "" && !strings.Contains(s.Text(), says) || says == "" && strings.Contains(s.Text(), "before 0.26.0") {
			t.Errorf("%s:\n%s", settings, s.Text())
		}
	}
}

func TestGeminisSwitchesAreSeen(t *testing.T) {
	for name, tt := range map[string]struct {
		v       place
		prepare func(*machine)
		says    string // "" = all good
	}{
		"hooks off for the user": {place{host: "gemini"}, func(m *machine) {
			m.put(m.home+"/.gemini/settings.json", `{"hooksConfig": {"enabled": false}}`, 0o600)
		}, "hooksConfig.enabled is false"},
		"ours disabled in the folder": {place{host: "gemini"}, func(m *machine) {
			m.put(m.project+"/.gemini/settings.json", `{"hooksConfig": {"disabled": ["guardrails"]}}`, 0o600)
		}, "names ours"},
		"another's disabled": {place{host: "gemini"}, func(m *machine) {
			m.put(m.project+"/.gemini/settings.json", `{"hooksConfig": {"disabled": ["theirs"]}}`, 0o600)
		}, ""},
		"hooks off by the organisation": {place{host: "gemini"}, func(m *machine) {
			m.put(m.root+"/managed/settings.json", `{"hooksConfig": {"enabled": false}}`, 0o600)
		}, "hooksConfig.enabled is false"},
		"only extensions of named sources": {place{host: "gemini"}, func(m *machine) {
			m.put(m.home+"/.gemini/settings.json", `{"security": {"allowedExtensions": ["^https://example\\.com/"]}}`, 0o600)
		}, "ours has none: it is not loaded"},
		"only extensions of named sources, but ours is in the settings": {place{host: "gemini", scope: User, named: true}, func(m *machine) {
			m.put(m.project+"/.gemini/settings.json", `{"security": {"allowedExtensions": ["x"]}}`, 0o600)
		}, ""},
		"extension off everywhere": {place{host: "gemini"}, func(m *machine) {
			m.put(m.home+"/.gemini/extensions/extension-enablement.json", `{"guardrails": {"overrides": ["!/*"]}}`, 0o600)
		}, "the extension is disabled"},
		"extension off, and on again here": {place{host: "gemini"}, func(m *machine) {
			m.put(m.home+"/.gemini/extensions/extension-enablement.json", `{"guardrails": {"overrides": ["!/*", "`+m.project+`/*"]}}`, 0o600)
		}, ""},
		"extension off beside here": {place{host: "gemini"}, func(m *machine) {
			m.put(m.home+"/.gemini/extensions/extension-enablement.json", `{"guardrails": {"overrides": ["!`+m.project+`s/*"]}}`, 0o600)
		}, ""},
		"folder not trusted, settings": {place{host: "gemini", named: true}, func(m *machine) {
			m.put(m.home+"/.gemini/trustedFolders.json", `{"`+m.root+`": "TRUST_FOLDER", "`+m.project+`": "DO_NOT_TRUST"}`, 0o600)
		}, "does not trust"},
		"folder not trusted, extension": {place{host: "gemini"}, func(m *machine) {
			m.put(m.home+"/.gemini/trustedFolders.json", `{"`+m.project+`": "DO_NOT_TRUST"}`, 0o600)
		}, ""},
		"a settings file that ends the program": {place{host: "gemini"}, func(m *machine) {
			m.put(m.home+"/.gemini/settings.json", `{,}`, 0o600)
		}, "Gemini CLI does not start"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.install(tt.v.request(m))
			tt.prepare(m)
			s, err := m.installer().Show(t.Context(), Request{Host: "gemini", Dir: m.project, AnyRoute: true})
			if err != nil {
				t.Fatal(err)
			}
			want := 3
			if tt.says == "" {
				want = 0
			}
			if s.Code() != want || !strings.Contains(s.Text(), tt.says) {
				t.Errorf("code %d\n%s", s.Code(), s.Text())
			}
		})
	}
}
