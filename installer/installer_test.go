package installer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/proc"
)

// fakeProgram answers as the real one does, in each host's way: it denies every
// rm -rf and tells its version.
const fakeProgram = `#!/bin/sh
case "$1" in
version) echo '{"version":"VERSION"}' ;;
hook)
	payload=$(cat)
	bad=
	case "$payload" in *"rm -rf"*) bad=1 ;; esac
	case "$3$bad" in
	gemini1|antigravity1) echo '{"decision":"deny","reason":"no"}' ;;
	antigravity) [ "$4" = PreToolUse ] && echo '{"decision":"allow"}' || echo '{}' ;;
	muse) ;;
	*1) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}' ;;
	*) echo '{}' ;;
	esac ;;
esac
`

// machine is a person's machine in a temporary directory.
type machine struct {
	t       *testing.T
	root    string
	home    string
	project string
	env     map[string]string
	version string
	self    string
	disk    Disk
	state   string
	managed string
	run     func(context.Context, proc.Cmd) (proc.Result, error)
	full    string // the full program, "" = self is all there is
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake program is a shell script")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, root: root, home: root + "/home", project: root + "/project", env: map[string]string{"PATH": "/usr/bin:/bin"}}
	m.state = m.home + "/.guardrails"
	for _, d := range []string{m.home, m.project} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m.program("1.0.0", fakeProgram)
	return m
}

// program makes text the running program.
func (m *machine) program(version, text string) {
	m.t.Helper()
	m.version = version
	m.self = m.root + "/build/" + version + "/guardrails"
	m.put(m.self, strings.ReplaceAll(text, "VERSION", version), 0o755)
}

func (m *machine) installer() *Installer {
	return New(Env{
		Home: m.home, StateHome: m.state, Dir: m.project, Self: m.self, Full: m.full, Version: m.version,
		Getenv:  func(k string) string { return m.env[k] },
		Environ: []string{"HOME=" + m.home, "PATH=" + m.env["PATH"]},
		Now:     func() time.Time { return time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC) },
		Disk:    m.disk, Run: m.run, Managed: m.root + "/managed" + m.managed,
	})
}

func (m *machine) personal() Request { return Request{Host: "claude", Dir: m.project} }

func (m *machine) settings() string { return m.project + "/.claude/settings.local.json" }

func (m *machine) put(path, text string, perm fs.FileMode) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), perm); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Chmod(path, perm); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) read(path string) string {
	m.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(data)
}

func (m *machine) install(r Request) *Report {
	m.t.Helper()
	rep, err := m.installer().Install(m.t.Context(), r, false)
	if err != nil {
		m.t.Fatalf("install: %v\n%s", err, text(rep))
	}
	return rep
}

func (m *machine) uninstall(r Request) *Report {
	m.t.Helper()
	r.AnyRoute = true
	rep, err := m.installer().Uninstall(m.t.Context(), r, false)
	if err != nil {
		m.t.Fatalf("uninstall: %v\n%s", err, text(rep))
	}
	return rep
}

func text(r *Report) string {
	if r == nil {
		return ""
	}
	var b strings.Builder
	for _, l := range r.Lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String() + r.Outcome.String() + "\n"
}

func (m *machine) wants(got, want Outcome, r *Report) {
	m.t.Helper()
	if got != want {
		m.t.Fatalf("outcome %s, want %s\n%s", got, want, text(r))
	}
}

// tree is every path below root with its kind, mode and content.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		s := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			s += fmt.Sprintf(" %q", data)
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			s += " -> " + to
		}
		out[rel] = s
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// user is the tree without what is ours.
func (m *machine) users() map[string]string {
	out := tree(m.t, m.root)
	rel, _ := filepath.Rel(m.root, m.state)
	for k := range out {
		if k == rel || strings.HasPrefix(k, rel+"/") || strings.HasPrefix(k, "build") {
			delete(out, k)
		}
	}
	return out
}

func TestInstallThenUninstallRestoresEveryFile(t *testing.T) {
	files, err := filepath.Glob("jsonedit/testdata/settings/*.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for n, name := range files {
		for _, scope := range []Scope{Personal, Shared, User} {
			if scope != Personal && n%6 != 0 {
				continue // the file is the same to them
			}
			for _, lost := range []bool{false, true} {
				if lost && scope != Personal {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/receipt lost %t", filepath.Base(name), scope, lost), func(t *testing.T) {
					m := newMachine(t)
					m.run = pretend
					m.env["PATH"] += ":" + m.state + "/bin"
					src, err := os.ReadFile(name)
					if err != nil {
						t.Fatal(err)
					}
					r := m.personal()
					r.Scope = scope
					file, err := claude{}.file(m.installer(), r)
					if err != nil {
						t.Fatal(err)
					}
					m.put(file, string(src), 0o640)
					before := m.users()

					rep := m.install(r)
					m.wants(rep.Outcome, Installed, rep)
					installed := m.read(file)
					receipt := m.read(m.state + "/installs.json")
					rep = m.install(r)
					m.wants(rep.Outcome, Already, rep)
					if m.read(file) != installed || m.read(m.state+"/installs.json") != receipt {
						t.Error("the second install changed something")
					}
					if lost {
						if err := os.Remove(m.state + "/installs.json"); err != nil {
							t.Fatal(err)
						}
					}
					rep = m.uninstall(r)
					m.wants(rep.Outcome, Removed, rep)
					if diff := cmp.Diff(before, m.users()); diff != "" {
						t.Errorf("-before +after:\n%s", diff)
					}
					rep = m.uninstall(r)
					m.wants(rep.Outcome, Absent, rep)
				})
			}
		}
	}
}

func TestAMissingFileIsMadeAndGoesWithItsDirectory(t *testing.T) {
	m := newMachine(t)
	before := m.users()
	rep := m.install(m.personal())
	m.wants(rep.Outcome, Installed, rep)
	info, err := os.Stat(m.settings())
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	rep = m.uninstall(m.personal())
	m.wants(rep.Outcome, Removed, rep)
	if diff := cmp.Diff(before, m.users()); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	if _, err := os.Stat(m.state + "/bin"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the program stayed though nothing uses it")
	}
}

func TestARelostReceiptStillRemembersAMissingFile(t *testing.T) {
	m := newMachine(t)
	m.install(m.personal())
	if err := os.Remove(m.state + "/installs.json"); err != nil {
		t.Fatal(err)
	}
	rep := m.install(m.personal())
	m.wants(rep.Outcome, Already, rep)
	m.uninstall(m.personal())
	if _, err := os.Stat(m.settings()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestADryRunSaysWhatTheRunDoesAndTouchesNothing(t *testing.T) {
	m := newMachine(t)
	m.put(m.settings(), `{"model": "opus"}`, 0o644)
	m.disk = noDisk{t}
	before := tree(t, m.root)
	dry, err := m.installer().Install(t.Context(), m.personal(), true)
	if err != nil {
		t.Fatal(err)
	}
	m.wants(dry.Outcome, Planned, dry)
	if diff := cmp.Diff(before, tree(t, m.root)); diff != "" {
		t.Errorf("install --dry-run changed:\n%s", diff)
	}
	m.disk = nil
	real := m.install(m.personal())
	if diff := cmp.Diff(dry.Lines, without(real.Lines, "prove")); diff != "" {
		t.Errorf("-dry +real:\n%s", diff)
	}

	m.disk = noDisk{t}
	before = tree(t, m.root)
	r := m.personal()
	r.AnyRoute = true
	dry, err = m.installer().Uninstall(t.Context(), r, true)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, m.root)); diff != "" {
		t.Errorf("uninstall --dry-run changed:\n%s", diff)
	}
	m.disk = nil
	real = m.uninstall(m.personal())
	if diff := cmp.Diff(dry.Lines, real.Lines); diff != "" {
		t.Errorf("-dry +real:\n%s", diff)
	}
}

func without(lines []Line, action string) []Line {
	return slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return l.Action == action })
}

// noDisk fails the test that writes.
type noDisk struct{ t *testing.T }

func (d noDisk) Mkdir(p string, _ fs.FileMode) error {
	d.t.Errorf("mkdir %s", p)
	return fs.ErrPermission
}

func (d noDisk) Write(p string, _ []byte, _ fs.FileMode, _ fsx.Stamp) error {
	d.t.Errorf("write %s", p)
	return fs.ErrPermission
}

func (d noDisk) Executable(p string, _ []byte) error {
	d.t.Errorf("write %s", p)
	return fs.ErrPermission
}

func (d noDisk) Remove(p string) error { d.t.Errorf("remove %s", p); return fs.ErrPermission }

func TestWhatCannotBeEditedIsRefusedUntouched(t *testing.T) {
	tests := []struct {
		name, says string
		prepare    func(*machine)
	}{
		{"malformed", "settings.local.json:2:1: ", func(m *machine) { m.put(m.settings(), "{\n", 0o644) }},
		{"comment", "comment: Claude Code ignores this whole file today", func(m *machine) { m.put(m.settings(), "{} // x\n", 0o644) }},
		{"trailing comma", "trailing comma: Claude Code ignores", func(m *machine) { m.put(m.settings(), "{\"a\": 1,}", 0o644) }},
		{"duplicate key", `the key "a" stands twice`, func(m *machine) { m.put(m.settings(), `{"a": 1, "a": 2}`, 0o644) }},
		{"hooks is an array", "hooks is an array, not an object", func(m *machine) { m.put(m.settings(), `{"hooks": []}`, 0o644) }},
		{"event is an object", "hooks.Stop is an object, not an array", func(m *machine) { m.put(m.settings(), `{"hooks": {"Stop": {}}}`, 0o644) }},
		{"root is an array", "is an array, not an object", func(m *machine) { m.put(m.settings(), `[]`, 0o644) }},
		{"timeout 0", "timeout 0 is not a number above 0: because of it Claude Code ignores this whole file", func(m *machine) {
			m.put(m.settings(), `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "timeout": 0}]}]}}`, 0o644)
		}},
		{"read-only", "read-only", func(m *machine) { m.put(m.settings(), `{}`, 0o444) }},
		{"hard link", "hard links", func(m *machine) {
			m.put(m.root+"/other", `{}`, 0o644)
			m.put(m.settings(), "", 0o644)
			_ = os.Remove(m.settings())
			_ = os.Link(m.root+"/other", m.settings())
		}},
		{"directory in place", "it is a directory", func(m *machine) { _ = os.MkdirAll(m.settings(), 0o755) }},
		{"named pipe", "it is a named pipe", func(m *machine) {
			_ = os.Mkdir(m.project+"/.claude", 0o755)
			mkfifo(m.t, m.settings())
		}},
		{"link out of the project", "outside the project", func(m *machine) {
			m.put(m.root+"/elsewhere.json", "{}", 0o644)
			_ = os.Mkdir(m.project+"/.claude", 0o755)
			_ = os.Symlink(m.root+"/elsewhere.json", m.settings())
		}},
		{"dangling link into nowhere", "dangling link", func(m *machine) {
			_ = os.Mkdir(m.project+"/.claude", 0o755)
			_ = os.Symlink("no/such/dir/file.json", m.settings())
		}},
		{"link cycle", "cycle", func(m *machine) {
			_ = os.Mkdir(m.project+"/.claude", 0o755)
			_ = os.Symlink("settings.local.json", m.settings())
		}},
		{".claude is a link", "it is a symbolic link", func(m *machine) {
			_ = os.Mkdir(m.root+"/evil", 0o755)
			_ = os.Symlink(m.root+"/evil", m.project+"/.claude")
		}},
		{".claude is a file", "not a directory", func(m *machine) { m.put(m.project+"/.claude", "", 0o644) }},
		{"damaged receipt", "installs.json: the receipt of earlier installs is damaged", func(m *machine) { m.put(m.state+"/installs.json", "{", 0o600) }},
		{"foreign receipt", "installs.json: the receipt of earlier installs is damaged", func(m *machine) { m.put(m.state+"/installs.json", `{"name": "x"}`, 0o600) }},
		{"receipt of a later format", "format 9", func(m *machine) { m.put(m.state+"/installs.json", `{"version": 9, "installs": []}`, 0o600) }},
		{"sudo", "without sudo", func(m *machine) {
			if os.Geteuid() != 0 {
				m.t.Skip("needs root")
			}
			m.env["SUDO_UID"] = "1000"
			if err := os.Chown(m.home, 1000, 1000); err != nil {
				m.t.Fatal(err)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t)
			tt.prepare(m)
			before := tree(t, m.root)
			_, err := m.installer().Install(t.Context(), m.personal(), false)
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

func TestUnsupportedCombinationsAreRefused(t *testing.T) {
	m := newMachine(t)
	for _, r := range []Request{
		{Host: "nobody", Dir: m.project},
		{Host: "claude", Dir: m.project, Scope: Shared, Route: Plugin},
	} {
		if _, err := m.installer().Install(t.Context(), r, false); err == nil {
			t.Errorf("%+v: no error", r)
		}
	}
	m.state = m.root + "/moved"
	if _, err := m.installer().Install(t.Context(), Request{Host: "claude", Dir: m.project, Scope: Shared}, false); err == nil || !strings.Contains(err.Error(), "--home") {
		t.Errorf("got %v", err)
	}
	m.env["CLAUDE_CONFIG_DIR"] = "relative"
	if _, err := m.installer().Install(t.Context(), Request{Host: "claude", Scope: User}, false); err == nil || !strings.Contains(err.Error(), "CLAUDE_CONFIG_DIR") {
		t.Errorf("got %v", err)
	}
}

func TestLinksOfTheirOwnersAreWrittenThrough(t *testing.T) {
	t.Run("user scope, into a dotfiles repository", func(t *testing.T) {
		m := newMachine(t)
		m.put(m.root+"/dotfiles/claude.json", `{"model": "opus"}`, 0o600)
		if err := os.Mkdir(m.home+"/.claude", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("../../dotfiles/claude.json", m.home+"/.claude/settings.json"); err != nil {
			t.Fatal(err)
		}
		before := m.users()
		m.install(Request{Host: "claude", Scope: User})
		if !strings.Contains(m.read(m.root+"/dotfiles/claude.json"), "guardrails") {
			t.Error("the target was not written")
		}
		m.uninstall(Request{Host: "claude", Scope: User})
		if diff := cmp.Diff(before, m.users()); diff != "" {
			t.Errorf("-before +after:\n%s", diff)
		}
	})
	t.Run("dangling into a directory that is there", func(t *testing.T) {
		m := newMachine(t)
		if err := os.MkdirAll(m.home+"/.claude", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("real.json", m.home+"/.claude/settings.json"); err != nil {
			t.Fatal(err)
		}
		before := m.users()
		m.install(Request{Host: "claude", Scope: User})
		m.uninstall(Request{Host: "claude", Scope: User})
		if diff := cmp.Diff(before, m.users()); diff != "" {
			t.Errorf("-before +after:\n%s", diff)
		}
	})
	t.Run("inside the project", func(t *testing.T) {
		m := newMachine(t)
		m.put(m.project+"/.claude/mine.json", `{}`, 0o600)
		if err := os.Symlink("mine.json", m.settings()); err != nil {
			t.Fatal(err)
		}
		before := m.users()
		m.install(m.personal())
		m.uninstall(m.personal())
		if diff := cmp.Diff(before, m.users()); diff != "" {
			t.Errorf("-before +after:\n%s", diff)
		}
	})
}

// faultyDisk fails, dies or meddles at the n-th change.
type faultyDisk struct {
	Disk
	n  int
	at func(op, path string) error
}

func (d *faultyDisk) hit(op, path string) error {
	d.n--
	if d.n == 0 {
		return d.at(op, path)
	}
	return nil
}

func (d *faultyDisk) Mkdir(p string, perm fs.FileMode) error {
	if err := d.hit("mkdir", p); err != nil {
		return err
	}
	return d.Disk.Mkdir(p, perm)
}

func (d *faultyDisk) Write(p string, data []byte, perm fs.FileMode, was fsx.Stamp) error {
	if err := d.hit("write", p); err != nil {
		return err
	}
	return d.Disk.Write(p, data, perm, was)
}

func (d *faultyDisk) Executable(p string, data []byte) error {
	if err := d.hit("install", p); err != nil {
		return err
	}
	return d.Disk.Executable(p, data)
}

func (d *faultyDisk) Remove(p string) error {
	if err := d.hit("remove", p); err != nil {
		return err
	}
	return d.Disk.Remove(p)
}

func TestAFailureAtAnyChangeTakesEverythingBack(t *testing.T) {
	var steps int
	for n := 1; ; n++ {
		m := newMachine(t)
		m.put(m.settings(), "{\"model\": \"opus\"}", 0o600)
		before := m.users()
		full := errors.New("no space left on device")
		d := &faultyDisk{Disk: OSDisk{}, n: n, at: func(string, string) error { return full }}
		m.disk = d
		rep, err := m.installer().Install(t.Context(), m.personal(), false)
		if err == nil {
			steps = n - 1
			break
		}
		if !errors.Is(err, full) && !strings.Contains(err.Error(), full.Error()) {
			t.Fatalf("step %d: %v", n, err)
		}
		if rep != nil && rep.Outcome != Failed {
			t.Errorf("step %d: outcome %s", n, rep.Outcome)
		}
		if diff := cmp.Diff(before, m.users()); diff != "" {
			t.Errorf("step %d, -before +after:\n%s\n%s", n, diff, text(rep))
		}
		if left := tree(t, m.home); len(left) != 1 {
			t.Errorf("step %d left a state home: %v", n, left)
		}
	}
	if steps < 5 {
		t.Errorf("only %d changes were seen", steps)
	}
}

func TestAFailedProofTakesEverythingBack(t *testing.T) {
	for name, program := range map[string]string{
		"lets everything pass": "#!/bin/sh\ncat >/dev/null; echo '{}'\n",
		"denies everything":    "#!/bin/sh\ncat >/dev/null; echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}'\n",
		"says nothing":         "#!/bin/sh\ncat >/dev/null\n",
		"chatters":             "#!/bin/sh\ncat >/dev/null; echo hello; echo '{}'\n",
		"fails":                "#!/bin/sh\nexit 3\n",
		"cannot start":         "#!/no/such/interpreter\n",
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.program("1.0.0", program)
			m.put(m.settings(), "{}", 0o600)
			before := tree(t, m.root)
			rep, err := m.installer().Install(t.Context(), m.personal(), false)
			if err == nil || rep.Outcome != Failed || !strings.Contains(text(rep), "undo") {
				t.Errorf("%v\n%s", err, text(rep))
			}
			if diff := cmp.Diff(before, tree(t, m.root)); diff != "" {
				t.Errorf("-before +after:\n%s", diff)
			}
		})
	}
}

func TestAProofRunsInAClearedEnvironment(t *testing.T) {
	m := newMachine(t)
	m.env["SECRET"], m.env["SHELL"], m.env["CLAUDE_CODE_SIMPLE"] = "x", "/bin/sh", "1"
	i := m.installer()
	var seen []proc.Cmd
	run := i.env.Run
	i.env.Run = func(ctx context.Context, c proc.Cmd) (proc.Result, error) {
		seen = append(seen, c)
		return run(ctx, c)
	}
	if _, err := i.Install(t.Context(), m.personal(), false); err != nil {
		t.Fatal(err)
	}
	probes := 0
	for _, c := range seen {
		if len(c.Stdin) == 0 {
			continue
		}
		probes++
		for _, kv := range c.Env {
			k, v, _ := strings.Cut(kv, "=")
			if !slices.Contains([]string{"HOME", "PATH", "SHELL", "TMPDIR", "USER"}, k) {
				t.Errorf("the environment has %s", kv)
			}
			if k == "HOME" && v == m.home {
				t.Error("the proof ran in the real home")
			}
		}
		var payload struct {
			Session string `json:"session_id"`
		}
		if err := json.Unmarshal(c.Stdin, &payload); err != nil || !strings.HasPrefix(payload.Session, ProbeSession) {
			t.Errorf("payload %s: %v", c.Stdin, err)
		}
		if diff := cmp.Diff([]string{m.state + "/bin/guardrails", "hook", "--agent", "claude"}, c.Argv); diff != "" {
			t.Error(diff)
		}
	}
	if probes != 2 {
		t.Errorf("%d probes", probes)
	}
}

func TestAnEditWhileWeWorkIsNotLost(t *testing.T) {
	for _, times := range []int{1, 2} {
		t.Run(fmt.Sprint(times), func(t *testing.T) {
			m := newMachine(t)
			m.put(m.settings(), "{}", 0o600)
			edits := 0
			m.disk = &editingDisk{OSDisk{}, func(path string) {
				if path == m.settings() && edits < times {
					edits++
					m.put(path, fmt.Sprintf("{\"edit\": %d}", edits), 0o600)
				}
			}}
			rep, err := m.installer().Install(t.Context(), m.personal(), false)
			switch times {
			case 1:
				if err != nil || rep.Outcome != Installed || !strings.Contains(m.read(m.settings()), `"edit": 1,`) {
					t.Errorf("%v\n%s\n%s", err, text(rep), m.read(m.settings()))
				}
			case 2:
				if !errors.Is(err, fsx.ErrChanged) || m.read(m.settings()) != "{\"edit\": 2}" {
					t.Errorf("%v\n%s", err, m.read(m.settings()))
				}
			}
		})
	}
}

type editingDisk struct {
	Disk
	before func(string)
}

func (d *editingDisk) Write(p string, data []byte, perm fs.FileMode, was fsx.Stamp) error {
	d.before(p)
	return d.Disk.Write(p, data, perm, was)
}

func TestOthersEntriesStay(t *testing.T) {
	m := newMachine(t)
	m.install(m.personal())
	// Somebody adds a handler to our group and a note to our handler.
	withForeign := strings.Replace(m.read(m.settings()), `"PreToolUse": [
      {
        "hooks": [
          {`, `"PreToolUse": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "their-tool"
          },
          {
            "statusMessage": "judging",`, 1)
	m.put(m.settings(), withForeign, 0o644)
	rep := m.install(m.personal())
	m.wants(rep.Outcome, Already, rep)
	if m.read(m.settings()) != withForeign {
		t.Error("a handler with a key of somebody's was rewritten")
	}
	rep = m.uninstall(m.personal())
	m.wants(rep.Outcome, Removed, rep)
	want := `{
  "hooks": {
    "PreToolUse": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "their-tool"
          }
        ]
      }
    ]
  }
}
`
	if diff := cmp.Diff(want, m.read(m.settings())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestUninstallNeedsNeitherProgramNorReceipt(t *testing.T) {
	m := newMachine(t)
	m.put(m.settings(), `{"model": "opus"}`, 0o600)
	before := m.users()
	m.install(m.personal())
	for _, p := range []string{m.state + "/bin", m.state + "/installs.json"} {
		if err := os.RemoveAll(p); err != nil {
			t.Fatal(err)
		}
	}
	rep := m.uninstall(m.personal())
	m.wants(rep.Outcome, Removed, rep)
	if diff := cmp.Diff(before, m.users()); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
}

// An entry of another form that runs our program would fail from then on; where
// the host blocks what cannot answer, every call of it would be refused.
func TestUninstallKeepsTheProgramThatAForeignEntryRuns(t *testing.T) {
	m := newMachine(t)
	m.install(m.personal())
	bin := m.state + "/bin/guardrails"
	foreign := `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh -c '` + bin + ` hook --agent claude'"}]}]}}`
	m.put(m.settings(), foreign, 0o600)
	m.install(m.personal())
	rep := m.uninstall(m.personal())
	m.wants(rep.Outcome, Removed, rep)
	if _, err := os.Stat(bin); err != nil {
		t.Errorf("the program is gone: %v", err)
	}
	if !strings.Contains(text(rep), "that is not ours to remove still runs it") {
		t.Errorf("it does not say why in\n%s", text(rep))
	}
	if got := m.read(m.settings()); got != foreign {
		t.Errorf("the file became %s", got)
	}
}

func TestWhatAKilledRunLeftBesideTheProgramIsRemoved(t *testing.T) {
	m := newMachine(t)
	m.install(m.personal())
	left := m.state + "/bin/guardrails.123.tmp"
	m.put(left, "half", 0o700)
	m.put(m.state+"/bin/guardrails", "older", 0o755)
	m.install(m.personal())
	if _, err := os.Stat(left); err == nil {
		t.Error("init left it")
	}
	m.put(left, "half", 0o700)
	m.uninstall(m.personal())
	if _, err := os.Stat(m.state + "/bin"); err == nil {
		t.Error("uninstall left it")
	}
}

func TestUninstallSaysWhereItLooked(t *testing.T) {
	m := newMachine(t)
	m.install(Request{Host: "claude", Scope: User})
	rep := m.uninstall(m.personal())
	m.wants(rep.Outcome, Absent, rep)
	for _, want := range []string{m.settings(), m.state + "/hosts/claude", m.home + "/.claude/settings.json: has entries of ours; name its scope"} {
		if !strings.Contains(text(rep), want) {
			t.Errorf("no %q in\n%s", want, text(rep))
		}
	}
}

func TestUninstallOfAMalformedFileSaysWhatToDeleteByHand(t *testing.T) {
	m := newMachine(t)
	m.install(m.personal())
	broken := m.read(m.settings()) + "}"
	m.put(m.settings(), broken, 0o644)
	_, err := m.installer().Uninstall(t.Context(), Request{Host: "claude", Dir: m.project, AnyRoute: true}, false)
	if err == nil || !strings.Contains(err.Error(), "delete by hand every handler whose command is "+m.state+"/bin/guardrails hook --agent claude") {
		t.Errorf("got %v", err)
	}
	if m.read(m.settings()) != broken {
		t.Error("the file changed")
	}
}

func TestTheProgramStaysWhileAnotherInstallUsesIt(t *testing.T) {
	m := newMachine(t)
	m.install(m.personal())
	m.install(Request{Host: "claude", Scope: User})
	rep := m.uninstall(m.personal())
	if !executable(m.state+"/bin/guardrails") || !strings.Contains(text(rep), "in use by another install") {
		t.Errorf("%s", text(rep))
	}
	m.uninstall(Request{Host: "claude", Scope: User})
	if executable(m.state + "/bin/guardrails") {
		t.Error("the program stayed")
	}
}

func TestOlderFormsAreBroughtUpToDateInPlace(t *testing.T) {
	for name, handler := range map[string]string{
		"hook HOST":                   `{"type": "command", "command": "/old/bin/guardrails", "args": ["hook", "claude"], "timeout": 10}`,
		"hook EVENT in a shell line":  `{"type": "command", "command": "'/old place/guardrails' hook PreToolUse"}`,
		"another path":                `{"type": "command", "command": "/old/bin/guardrails", "args": ["hook", "--agent", "claude"], "timeout": 10, "onFailure": "block"}`,
		"a moved home":                `{"type": "command", "command": "/old/bin/guardrails", "args": ["hook", "--agent", "claude", "--home", "/x y"], "timeout": 10}`,
		"the bare name":               `{"type": "command", "command": "guardrails hook --agent claude"}`,
		"the shared form":             `{"type": "command", "command": "command -v guardrails >/dev/null 2>&1 || exit 0; exec guardrails hook --agent claude"}`,
		"asynchronous, so powerless":  `{"type": "command", "command": "/old/bin/guardrails", "args": ["hook", "--agent", "claude"], "async": true}`,
		"with an event":               `{"type": "command", "command": "/old/bin/guardrails hook --agent claude PreToolUse"}`,
		"twice":                       `{"type": "command", "command": "/old/bin/guardrails hook claude"}, {"type": "command", "command": "/old/bin/guardrails hook claude"}`,
		"beside one that is not ours": `{"type": "command", "command": "x"}, {"type": "command", "command": "/old/bin/guardrails hook claude"}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.put(m.settings(), `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [`+handler+`]}], "Notification": [{"hooks": [{"type": "command", "command": "/old/bin/guardrails hook claude"}]}]}}`, 0o600)
			rep := m.install(m.personal())
			m.wants(rep.Outcome, Installed, rep)
			got := m.read(m.settings())
			if strings.Contains(got, "/old") || strings.Contains(got, "Notification") || strings.Contains(got, `"async"`) {
				t.Error(got)
			}
			doc, err := claude{}.parse("", []byte(got))
			if err != nil {
				t.Fatal(err)
			}
			if n := doc.At("hooks", "PreToolUse").Len(); n != 1 {
				t.Errorf("%d groups:\n%s", n, got)
			}
			rep = m.install(m.personal())
			m.wants(rep.Outcome, Already, rep)
		})
	}
}

func TestANarrowMatcherIsWidened(t *testing.T) {
	for name, tt := range map[string]struct {
		handlers string
		groups   int
	}{
		"ours alone":       {`{"type": "command", "command": "/old/bin/guardrails hook claude"}`, 1},
		"beside another's": {`{"type": "command", "command": "x"}, {"type": "command", "command": "/old/bin/guardrails hook claude"}`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.put(m.settings(), `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [`+tt.handlers+`]}]}}`, 0o600)
			m.install(m.personal())
			doc, err := claude{}.parse("", []byte(m.read(m.settings())))
			if err != nil {
				t.Fatal(err)
			}
			groups := doc.At("hooks", "PreToolUse")
			if groups.Len() != tt.groups {
				t.Fatalf("%d groups:\n%s", groups.Len(), m.read(m.settings()))
			}
			if tt.groups == 2 && groups.Index(0).Get("matcher").Text() != "Bash" {
				t.Error("another's matcher was widened")
			}
		})
	}
}

func TestWrappedEntriesCountAndStay(t *testing.T) {
	m := newMachine(t)
	m.put(m.home+"/bin/hook.sh", "#!/bin/sh\nexport X=1\nexec guardrails hook claude\n", 0o755)
	src := `{"hooks": {
  "PreToolUse": [{"hooks": [{"type": "command", "command": "` + m.home + `/bin/hook.sh"}]}],
  "Stop": [{"hooks": [{"type": "command", "command": "sh -c 'PATH=/x guardrails hook claude'"}]}],
  "SessionEnd": [{"hooks": [{"type": "command", "command": "echo guardrails"}]}]
}}`
	m.put(m.settings(), src, 0o600)
	m.run = pretend
	rep := m.install(m.personal())
	got := m.read(m.settings())
	if n := strings.Count(got, m.state); n != len(claude{}.wiring())-2 {
		t.Errorf("%d entries of ours:\n%s", n, got)
	}
	if !strings.Contains(text(rep), "another command that runs guardrails; counted") {
		t.Error(text(rep))
	}
	m.uninstall(m.personal())
	if m.read(m.settings()) != src {
		t.Errorf("left\n%s", m.read(m.settings()))
	}
}

// pretend answers every hook call as it should be answered.
func pretend(_ context.Context, c proc.Cmd) (proc.Result, error) {
	if strings.Contains(string(c.Stdin), "rm -rf") {
		return proc.Result{Stdout: []byte(`{"hookSpecificOutput":{"permissionDecision":"deny"}}`)}, nil
	}
	return proc.Result{Stdout: []byte("{}")}, nil
}

func TestForeignEntriesAreNotOurs(t *testing.T) {
	id := claude{}.identity()
	for _, line := range []string{
		"guardrails validate", "my-guardrails hook claude", "/opt/guardrails-ai/bin/guardrails run", "guardrails hook gemini",
		"./guardrails hook claude", "/usr/bin/guardrailsd hook claude", "/x/guardrails hook claude extra",
		"/x/guardrails hook --agent claude NoSuchEvent", "/x/guardrails hook claude; rm x", "/x/guardrails hook", "",
	} {
		doc, err := claude{}.parse("", []byte(`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "`+line+`"}]}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		if e := id.scan(doc); len(e) != 1 || e[0].kind == ours {
			t.Errorf("%q: %+v", line, e)
		}
	}
	doc, err := claude{}.parse("", []byte(`{"hooks": {"Stop": [{"hooks": [{"type": "http", "command": "/x/guardrails hook claude"}]}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if e := id.scan(doc); e[0].kind != foreign {
		t.Errorf("%+v", e)
	}
}

func TestANewerBuildIsNotReplacedWithoutForce(t *testing.T) {
	m := newMachine(t)
	m.program("2.0.0", fakeProgram)
	m.install(m.personal())
	newerBytes := m.read(m.state + "/bin/guardrails")
	m.program("1.5.0", fakeProgram)
	rep := m.install(m.personal())
	if m.read(m.state+"/bin/guardrails") != newerBytes || !strings.Contains(text(rep), "version 2.0.0 is newer than this one, 1.5.0") {
		t.Error(text(rep))
	}
	r := m.personal()
	r.Force = true
	m.install(r)
	if m.read(m.state+"/bin/guardrails") == newerBytes {
		t.Error("--force did not replace it")
	}
	m.program("1.6.0", fakeProgram)
	rep = m.install(m.personal())
	m.wants(rep.Outcome, Installed, rep)
	if !strings.Contains(m.read(m.state+"/bin/guardrails"), "1.6.0") {
		t.Error("an older build stayed")
	}
}

func TestHalfOfANewerBuildIsReplaced(t *testing.T) {
	m := newMachine(t)
	m.full = m.root + "/opt/full"
	m.put(m.full, "full 2.0.0", 0o755)
	m.program("2.0.0", fakeProgram)
	m.install(m.personal())
	if err := os.Remove(m.state + "/bin/guardrails-full"); err != nil {
		t.Fatal(err)
	}
	m.program("1.5.0", fakeProgram)
	m.put(m.full, "full 1.5.0", 0o755)
	m.install(m.personal())
	if !strings.Contains(m.read(m.state+"/bin/guardrails"), "1.5.0") || m.read(m.state+"/bin/guardrails-full") != "full 1.5.0" {
		t.Error("what cannot work stayed")
	}
}

func TestAnEntryOfANewerBuildStaysWithoutForce(t *testing.T) {
	m := newMachine(t)
	other := m.root + "/opt/guardrails"
	m.put(other, strings.ReplaceAll(fakeProgram, "VERSION", "9.0.0"), 0o755)
	m.put(m.settings(), `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "`+other+`", "args": ["hook", "claude"], "timeout": 10}]}]}}`, 0o600)
	rep := m.install(m.personal())
	if !strings.Contains(m.read(m.settings()), other) || !strings.Contains(text(rep), "runs a newer build") {
		t.Errorf("%s\n%s", text(rep), m.read(m.settings()))
	}
	r := m.personal()
	r.Force = true
	m.install(r)
	if strings.Contains(m.read(m.settings()), other) {
		t.Error("--force left it")
	}
}

func TestTheRunningProgramMayBeTheInstalledOne(t *testing.T) {
	m := newMachine(t)
	m.install(m.personal())
	m.self = m.state + "/bin/guardrails"
	rep := m.install(m.personal())
	m.wants(rep.Outcome, Already, rep)
	if err := os.Chmod(m.self, 0o644); err != nil {
		t.Fatal(err)
	}
	rep = m.install(m.personal())
	if !executable(m.self) {
		t.Error(text(rep))
	}
}

func TestALinkInTheProgramsPlaceIsReplacedNotFollowed(t *testing.T) {
	m := newMachine(t)
	m.put(m.root+"/brew/guardrails", "theirs", 0o755)
	if err := os.MkdirAll(m.state+"/bin", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(m.root+"/brew/guardrails", m.state+"/bin/guardrails"); err != nil {
		t.Fatal(err)
	}
	m.install(m.personal())
	if m.read(m.root+"/brew/guardrails") != "theirs" {
		t.Error("the link's target was written")
	}
}

func TestTwoScopesAreWarnedOf(t *testing.T) {
	m := newMachine(t)
	m.install(Request{Host: "claude", Scope: User})
	rep := m.install(m.personal())
	if !strings.Contains(text(rep), "also installed in "+m.home+"/.claude/settings.json") {
		t.Error(text(rep))
	}
}

func TestASharedEntryNeedsTheNameOnPath(t *testing.T) {
	m := newMachine(t)
	r := m.personal()
	r.Scope = Shared
	rep := m.install(r)
	m.wants(rep.Outcome, Partial, rep)
	if !strings.Contains(text(rep), "export PATH='"+m.state+"/bin':\"$PATH\"") {
		t.Error(text(rep))
	}
	file := m.project + "/.claude/settings.json"
	got := m.read(file)
	if strings.Contains(got, m.root) || strings.Contains(got, "onFailure") || !strings.Contains(got, `"command": "command -v guardrails >/dev/null 2>&1 || exit 0; exec guardrails hook --agent claude"`) {
		t.Error(got)
	}
	m.env["PATH"] += ":" + m.state + "/bin"
	rep = m.install(r)
	m.wants(rep.Outcome, Already, rep)

	m.env["PATH"] = m.root + "/other:" + m.env["PATH"]
	m.put(m.root+"/other/guardrails", fakeProgram, 0o755)
	rep = m.install(r)
	m.wants(rep.Outcome, Partial, rep)
	if !strings.Contains(text(rep), "another build") {
		t.Error(text(rep))
	}
}

func TestAMovedStateHomeIsNamedInTheEntry(t *testing.T) {
	m := newMachine(t)
	m.state = m.root + "/it's moved"
	rep := m.install(m.personal())
	m.wants(rep.Outcome, Installed, rep)
	if !strings.Contains(m.read(m.settings()), `"--home",`) {
		t.Error(m.read(m.settings()))
	}
	m.uninstall(m.personal())
	if _, err := os.Stat(m.settings()); err == nil {
		t.Error("not removed")
	}
}

func TestConfigDirsOfTheHostAreHonoured(t *testing.T) {
	m := newMachine(t)
	m.env["CLAUDE_CONFIG_DIR"] = m.root + "/work config"
	m.install(Request{Host: "claude", Scope: User})
	m.read(m.root + "/work config/settings.json")
	m.install(Request{Host: "claude", Scope: User, ConfigDir: m.root + "/flag"})
	m.read(m.root + "/flag/settings.json")
	m.uninstall(Request{Host: "claude", Scope: User, ConfigDir: m.root + "/flag"})
	if _, err := os.Stat(m.root + "/flag"); err == nil {
		t.Error("the folder that we made stayed")
	}
}

func TestBackupsKeepTheOldestAndTheNewest(t *testing.T) {
	m := newMachine(t)
	original := `{"original": true}`
	m.put(m.settings(), original, 0o600)
	for n := range 6 {
		m.install(m.personal())
		m.uninstall(m.personal())
		m.put(m.settings(), fmt.Sprintf(`{"edit": %d}`, n), 0o600)
	}
	names, err := m.installer().backups(m.settings())
	if err != nil || len(names) != keepBackups {
		t.Fatalf("%v %v", names, err)
	}
	if m.read(names[0]) != original {
		t.Error("the oldest backup is not the original")
	}
	for _, n := range names {
		info, err := os.Stat(n)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info, err)
		}
	}
}

func TestTimeoutsAreSeconds(t *testing.T) {
	for _, w := range (claude{}).wiring() {
		if w.Timeout < 1 || w.Timeout > 600 {
			t.Errorf("%s: %d", w.Event, w.Timeout)
		}
	}
}

func TestShowTellsEachFactByItself(t *testing.T) {
	m := newMachine(t)
	show := func() *Status {
		t.Helper()
		before := tree(t, m.root)
		s, err := m.installer().Show(t.Context(), m.personal())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, tree(t, m.root)); diff != "" {
			t.Errorf("--show changed:\n%s", diff)
		}
		return s
	}
	place := func(s *Status) State {
		t.Helper()
		for _, st := range s.States {
			if st.File == m.settings() && st.Route == "settings" {
				return st
			}
		}
		t.Fatal("no such place")
		return State{}
	}
	if s := show(); s.Code() != 2 || !strings.Contains(s.Text(), m.settings()) {
		t.Errorf("%d\n%s", s.Code(), s.Text())
	}
	m.install(m.personal())
	if s := show(); s.Code() != 0 || !place(s).Current || place(s).Registered != place(s).Wanted {
		t.Errorf("%d\n%s", s.Code(), s.Text())
	}

	m.put(m.home+"/.claude/settings.json", `{"disableAllHooks": true}`, 0o600)
	if s := show(); s.Code() != 3 || place(s).Enabled || !place(s).Current {
		t.Errorf("%d\n%s", s.Code(), s.Text())
	}
	m.put(m.project+"/.claude/settings.json", `{"disableAllHooks": false}`, 0o600)
	if s := show(); s.Code() != 0 {
		t.Errorf("a stronger file switches hooks on again: %d\n%s", s.Code(), s.Text())
	}
	m.put(m.root+"/managed/managed-settings.json", `{"allowManagedHooksOnly": true}`, 0o600)
	if s := show(); s.Code() != 3 || place(s).Enabled {
		t.Errorf("%d\n%s", s.Code(), s.Text())
	}
	_ = os.RemoveAll(m.root + "/managed")

	m.program("1.1.0", fakeProgram)
	if s := show(); s.Code() != 3 || place(s).Current || !place(s).Runnable {
		t.Errorf("%d\n%s", s.Code(), s.Text())
	}
	if err := os.Remove(m.state + "/bin/guardrails"); err != nil {
		t.Fatal(err)
	}
	if s := show(); s.Code() != 3 || place(s).Runnable {
		t.Errorf("%d\n%s", s.Code(), s.Text())
	}
	m.put(m.settings(), strings.Replace(m.read(m.settings()), `"Stop"`, `"Stopped"`, 1), 0o600)
	if s := show(); s.Code() != 3 || !slices.Equal(place(s).Missing, []string{"Stop"}) {
		t.Errorf("%d\n%s", s.Code(), s.Text())
	}
	m.put(m.settings(), "{ broken", 0o600)
	if s := show(); len(place(s).Problems) != 1 || !strings.Contains(s.Text(), "ignores this whole file") {
		t.Errorf("%d\n%s", s.Code(), s.Text())
	}
}

func TestASwitchedOffHostIsPartial(t *testing.T) {
	m := newMachine(t)
	m.put(m.project+"/.claude/settings.json", `{"disableAllHooks": true}`, 0o600)
	rep := m.install(m.personal())
	m.wants(rep.Outcome, Partial, rep)
	if !strings.Contains(text(rep), "disableAllHooks in ") {
		t.Error(text(rep))
	}
}

func TestTheProjectIsMadeIfItIsMissing(t *testing.T) {
	m := newMachine(t)
	r := m.personal()
	r.Dir = m.root + "/new/p"
	rep := m.install(r)
	m.wants(rep.Outcome, Installed, rep)
	m.read(r.Dir + "/.claude/settings.local.json")
	m.uninstall(r)
	if got := tree(t, r.Dir); len(got) != 1 {
		t.Errorf("left %v", got)
	}
}

func TestTheStarterIsWrittenOnceAndTrusted(t *testing.T) {
	m := newMachine(t)
	r := m.personal()
	var trusted []string
	r.Starter, r.Trust = "version: 1\n", func(p string) error { trusted = append(trusted, p); return nil }
	m.install(r)
	path := m.project + "/.guardrails.yaml"
	if m.read(path) != "version: 1\n" || !slices.Equal(trusted, []string{path}) {
		t.Errorf("%q %v", m.read(path), trusted)
	}
	m.put(path, "mine", 0o644)
	rep := m.install(r)
	m.wants(rep.Outcome, Partial, rep)
	if m.read(path) != "mine" {
		t.Error("a configuration was overwritten")
	}
}

func TestPurgeTakesOnlyWhatIsOurs(t *testing.T) {
	m := newMachine(t)
	m.install(m.personal())
	m.install(Request{Host: "claude", Scope: User})
	m.put(m.state+"/log/2026-11-30.jsonl", "{}\n", 0o600)
	m.put(m.state+"/notes.txt", "theirs", 0o600)
	m.put(m.state+"/config.yaml", "version: 1\n", 0o600)
	r := m.personal()
	r.AnyRoute, r.Purge = true, true
	if _, err := m.installer().Uninstall(t.Context(), r, false); err == nil || !strings.Contains(err.Error(), "from another install:") {
		t.Fatalf("got %v", err)
	}
	m.uninstall(Request{Host: "claude", Scope: User})
	rep := m.uninstall(r)
	m.wants(rep.Outcome, Removed, rep)
	var left []string
	for name := range tree(t, m.state) {
		left = append(left, name)
	}
	slices.Sort(left)
	if diff := cmp.Diff([]string{".", "config.yaml", "install.lock", "notes.txt"}, left); diff != "" {
		t.Error(diff)
	}
}

func TestPurgeOfAFolderThatNothingCallsOursIsRefused(t *testing.T) {
	m := newMachine(t)
	m.state = m.project
	m.put(m.project+"/bin/theirs", "x", 0o755)
	before := tree(t, m.root)
	_, err := m.installer().Uninstall(t.Context(), Request{Host: "claude", Dir: m.project, AnyRoute: true, Purge: true, Force: true}, false)
	if err == nil || !strings.Contains(err.Error(), "nothing says that this folder is ours") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, tree(t, m.root)); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
}

func TestAPathThatTheHostWouldExpandIsRefused(t *testing.T) {
	m := newMachine(t)
	m.state = m.root + "/${HOME}"
	if _, err := m.installer().Install(t.Context(), m.personal(), false); err == nil || !strings.Contains(err.Error(), "placeholder") {
		t.Errorf("got %v", err)
	}
}

func TestAHugeFileIsEditedOnce(t *testing.T) {
	m := newMachine(t)
	big := "{\n  \"a\": \"" + strings.Repeat("x", 256<<10) + "\"\n}\n"
	m.put(m.settings(), big, 0o600)
	m.install(m.personal())
	m.uninstall(m.personal())
	if m.read(m.settings()) != big {
		t.Error("not restored")
	}
	m.put(m.settings(), "{\"a\": \""+strings.Repeat("x", 17<<20)+"\"}", 0o600)
	if _, err := m.installer().Install(t.Context(), m.personal(), false); err == nil {
		t.Error("a file beyond the limit was edited")
	}
}

func TestPurgeLeavesNoStateHome(t *testing.T) {
	m := newMachine(t)
	before := tree(t, m.root)
	m.install(m.personal())
	r := m.personal()
	r.AnyRoute, r.Purge = true, true
	if _, err := m.installer().Uninstall(t.Context(), r, false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, m.root)); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
}

// drawSettings writes a settings file as people, hosts and other tools do.
func drawSettings(t *rapid.T) string {
	nl := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "newline")
	indent := rapid.SampledFrom([]string{"  ", "    ", "\t", ""}).Draw(t, "indent")
	colon := rapid.SampledFrom([]string{": ", ":", " : "}).Draw(t, "colon")
	compact := rapid.IntRange(0, 4).Draw(t, "compact") == 0
	list := func(depth int, ends string, items []string) string {
		if compact || len(items) == 0 {
			return ends[:1] + strings.Join(items, ",") + ends[1:]
		}
		in := nl + strings.Repeat(indent, depth+1)
		return ends[:1] + in + strings.Join(items, ","+in) + nl + strings.Repeat(indent, depth) + ends[1:]
	}
	entry := func(depth int) string {
		command := rapid.SampledFrom([]string{`say done`, `npx prettier --write \"$FILE\"`, `/usr/bin/env python3 ~/.claude/h\u00f6ok.py`, `guardrails-notify`, `echo '}],{'`}).Draw(t, "command")
		fields := []string{`"type"` + colon + `"command"`, `"command"` + colon + `"` + command + `"`}
		if rapid.Bool().Draw(t, "timeout") {
			fields = append(fields, `"timeout"`+colon+rapid.SampledFrom([]string{"5", "1.50", "6e1"}).Draw(t, "seconds"))
		}
		return list(depth, "{}", fields)
	}
	group := func(depth int) string {
		var entries, fields []string
		for range rapid.IntRange(0, 2).Draw(t, "entries") {
			entries = append(entries, entry(depth+2))
		}
		if rapid.Bool().Draw(t, "matcher") {
			fields = append(fields, `"matcher"`+colon+rapid.SampledFrom([]string{`"Bash"`, `""`, `"*"`, `"Edit|Write"`}).Draw(t, "pattern"))
		}
		return list(depth, "{}", append(fields, `"hooks"`+colon+list(depth+1, "[]", entries)))
	}
	hooks := func() string {
		var events []string
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"PreToolUse", "Stop", "SessionStart", "PostToolUse", "SomethingNew", `Pre\u0043ompact`}), 0, 4, rapid.ID).Draw(t, "events") {
			var groups []string
			for range rapid.IntRange(0, 2).Draw(t, "groups") {
				groups = append(groups, group(3))
			}
			events = append(events, `"`+name+`"`+colon+list(2, "[]", groups))
		}
		return list(1, "{}", events)
	}
	var keys []string
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"model", "permissions", "hooks", "env", "statusLine", "é"}), 0, 6, rapid.ID).Draw(t, "keys") {
		value := ""
		switch key {
		case "hooks":
			value = hooks()
		case "permissions":
			value = list(1, "{}", []string{`"allow"` + colon + list(2, "[]", []string{`"Bash(git status:*)"`, `"Read(//etc/**)"`})})
		default:
			value = rapid.SampledFrom([]string{`"opus"`, `9007199254740993`, `1.0`, `null`, `"\ud83d\ude00 a,]}"`, `{}`, `[ ]`, `true`}).Draw(t, "value")
		}
		keys = append(keys, `"`+key+`"`+colon+value)
	}
	end := rapid.SampledFrom([]string{nl, "", nl + nl, " "}).Draw(t, "end")
	return list(0, "{}", keys) + end
}

func TestInstallThenUninstallRestoresAnySettings(t *testing.T) {
	m := newMachine(t)
	m.run = pretend
	rapid.Check(t, func(rt *rapid.T) {
		src := drawSettings(rt)
		m.put(m.settings(), src, 0o640)
		rep, err := m.installer().Install(t.Context(), m.personal(), false)
		if err != nil || rep.Outcome != Installed {
			rt.Fatalf("install: %v\n%s\n%s", err, text(rep), src)
		}
		installed := m.read(m.settings())
		var got struct {
			Hooks map[string][]json.RawMessage
		}
		if err := json.Unmarshal([]byte(installed), &got); err != nil || !strings.Contains(installed, m.state) || len(got.Hooks["PreToolUse"]) == 0 {
			rt.Fatalf("installed %v\n%s", err, installed)
		}
		if rep, err = m.installer().Install(t.Context(), m.personal(), false); err != nil || rep.Outcome != Already {
			rt.Fatalf("again: %v\n%s", err, text(rep))
		}
		if rapid.Bool().Draw(rt, "receipt lost") {
			if err := os.Remove(m.state + "/installs.json"); err != nil {
				rt.Fatal(err)
			}
		}
		r := m.personal()
		r.AnyRoute = true
		if rep, err = m.installer().Uninstall(t.Context(), r, false); err != nil || rep.Outcome != Removed {
			rt.Fatalf("uninstall: %v\n%s", err, text(rep))
		}
		if after := m.read(m.settings()); after != src {
			rt.Fatalf("before    %q\ninstalled %q\nafter     %q", src, installed, after)
		}
	})
}
