//go:build !windows

package installer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMain lets this test binary be a child that installs: INSTALLER_TEST_ROOT
// names the machine, INSTALLER_TEST_DIE the change at which it kills itself.
func TestMain(m *testing.M) {
	if root := os.Getenv("INSTALLER_TEST_ROOT"); root != "" {
		os.Exit(child(root))
	}
	os.Exit(m.Run())
}

func child(root string) int {
	n, _ := strconv.Atoi(os.Getenv("INSTALLER_TEST_DIE"))
	die := func(string, string) error { return syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	env := map[string]string{"PATH": root + "/build/host:/usr/bin:/bin"}
	i := New(Env{
		Home: root + "/home", StateHome: root + "/home/.guardrails", Dir: root + "/project", Self: root + "/build/1.0.0/guardrails", Version: "1.0.0",
		Getenv: func(k string) string { return env[k] }, Now: time.Now, Managed: root + "/managed",
		Environ: []string{"HOME=" + root + "/home", "PATH=" + env["PATH"]},
		Disk:    &faultyDisk{Disk: OSDisk{}, n: n, at: die},
	})
	r := Request{Host: "claude", Dir: root + "/project", AnyRoute: true}
	if os.Getenv("INSTALLER_TEST_PLUGIN") != "" {
		r.Route = Plugin
	}
	if host := os.Getenv("INSTALLER_TEST_HOST"); host != "" {
		r.Host = host
	}
	do := i.Install
	if os.Getenv("INSTALLER_TEST_UNINSTALL") != "" {
		do = i.Uninstall
	}
	rep, err := do(context.Background(), r, false)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(rep.Outcome)
	return 0
}

func (m *machine) child(die int, uninstall bool) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	cmd := exec.CommandContext(m.t.Context(), self)
	cmd.Env = append(os.Environ(), "INSTALLER_TEST_ROOT="+m.root, "INSTALLER_TEST_DIE="+strconv.Itoa(die))
	if uninstall {
		cmd.Env = append(cmd.Env, "INSTALLER_TEST_UNINSTALL=1")
	}
	return cmd
}

func killed(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	ws, ok := exit.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled() && ws.Signal() == syscall.SIGKILL
}

// TestKilledAtAnyChangeTheFileIsWholeAndTheNextRunMends kills an install at each
// of its changes.
func TestKilledAtAnyChangeTheFileIsWholeAndTheNextRunMends(t *testing.T) {
	const original = "{\n  \"model\": \"opus\"\n}\n"
	ref := newMachine(t)
	ref.put(ref.settings(), original, 0o600)
	ref.install(ref.personal())
	kills := 0
	for n := 1; ; n++ {
		m := newMachine(t)
		m.put(m.settings(), original, 0o600)
		before := m.users()
		out, err := m.child(n, false).CombinedOutput()
		if err == nil {
			break
		}
		if !killed(err) {
			t.Fatalf("change %d: %v\n%s", n, err, out)
		}
		kills++
		installed := strings.ReplaceAll(ref.read(ref.settings()), ref.root, m.root)
		if got := m.read(m.settings()); got != original && got != installed {
			t.Errorf("change %d left a torn file:\n%s", n, got)
		}
		rep := m.install(m.personal())
		if rep.Outcome != Installed && rep.Outcome != Already {
			t.Errorf("change %d: %s", n, text(rep))
		}
		m.uninstall(m.personal())
		if diff := cmp.Diff(before, m.users()); diff != "" {
			t.Errorf("change %d, -before +after:\n%s", n, diff)
		}
	}
	if kills < 5 {
		t.Errorf("only %d changes", kills)
	}
}

// TestKilledAtAnyChangeUninstallLeavesNothing kills an install at each of its
// changes and then uninstalls.
func TestKilledAtAnyChangeUninstallLeavesNothing(t *testing.T) {
	for _, route := range []Route{Settings, Plugin} {
		t.Run(route.String(), func(t *testing.T) {
			kills := 0
			for n := 1; ; n++ {
				m, r := pluginMachine(t)
				r.Route = route
				if route == Settings {
					if err := os.RemoveAll(m.project + "/.claude"); err != nil {
						t.Fatal(err)
					}
				}
				before := m.users()
				cmd := m.child(n, false)
				if route == Plugin {
					cmd.Env = append(cmd.Env, "INSTALLER_TEST_PLUGIN=1")
				}
				out, err := cmd.CombinedOutput()
				if err == nil {
					break
				}
				if !killed(err) {
					t.Fatalf("change %d: %v\n%s", n, err, out)
				}
				kills++
				rep := m.uninstall(r)
				if diff := cmp.Diff(before, m.users()); diff != "" {
					t.Errorf("change %d, -before +after:\n%s\n%s", n, diff, text(rep))
				}
			}
			if kills < 5 {
				t.Errorf("only %d changes", kills)
			}
		})
	}
}

// TestKilledAtAnyChangeOfAnyHostBothWaysAreOpen kills an install of every other
// host at each of its changes; after that an install completes it and an
// uninstall leaves nothing.
func TestKilledAtAnyChangeOfAnyHostBothWaysAreOpen(t *testing.T) {
	for _, v := range []place{{host: "gemini"}, {host: "antigravity"}, {host: "muse"}} {
		t.Run(v.host, func(t *testing.T) {
			kills := 0
			for n := 1; ; n++ {
				m := newMachine(t)
				v.prepare(m)
				before := m.users()
				cmd := m.child(n, false)
				cmd.Env = append(cmd.Env, "INSTALLER_TEST_HOST="+v.host)
				out, err := cmd.CombinedOutput()
				if err == nil {
					break
				}
				if !killed(err) {
					t.Fatalf("change %d: %v\n%s", n, err, out)
				}
				kills++
				if n%2 == 0 {
					rep := m.install(v.request(m))
					if rep.Outcome == Failed {
						t.Errorf("change %d: %s", n, text(rep))
					}
				}
				rep := m.uninstall(v.request(m))
				if diff := cmp.Diff(before, m.users()); diff != "" {
					t.Errorf("change %d, -before +after:\n%s\n%s", n, diff, text(rep))
				}
			}
			if kills < 5 {
				t.Errorf("only %d changes", kills)
			}
		})
	}
}

func TestKilledWhileUninstallingTheNextRunMends(t *testing.T) {
	kills := 0
	for n := 1; ; n++ {
		m := newMachine(t)
		m.put(m.settings(), "{}\n", 0o600)
		before := m.users()
		m.install(m.personal())
		_, err := m.child(n, true).CombinedOutput()
		if err == nil {
			break
		}
		if !killed(err) {
			t.Fatalf("change %d: %v", n, err)
		}
		kills++
		m.uninstall(m.personal())
		if diff := cmp.Diff(before, m.users()); diff != "" {
			t.Errorf("change %d, -before +after:\n%s", n, diff)
		}
	}
	if kills < 3 {
		t.Errorf("only %d changes", kills)
	}
}

// TestInstallsAtOnceEndAsOne starts several processes on one machine.
func TestInstallsAtOnceEndAsOne(t *testing.T) {
	m := newMachine(t)
	m.put(m.settings(), `{"model": "opus"}`, 0o600)
	var cmds []*exec.Cmd
	var outs []*bytes.Buffer
	for range 4 {
		cmd, out := m.child(0, false), new(bytes.Buffer)
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	installed := 0
	for n, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, outs[n])
		}
		if strings.TrimSpace(outs[n].String()) == Installed.String() {
			installed++
		}
	}
	if installed != 1 {
		t.Errorf("%d of them installed", installed)
	}
	if n := strings.Count(m.read(m.settings()), "bin/guardrails"); n != len(claude{}.wiring()) {
		t.Errorf("%d entries:\n%s", n, m.read(m.settings()))
	}
	m.uninstall(m.personal())
	if m.read(m.settings()) != `{"model": "opus"}` {
		t.Error(m.read(m.settings()))
	}
}

func TestNoPermissionIsAClearError(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to become somebody else")
	}
	m := newMachine(t)
	m.put(m.settings(), "{}", 0o644)
	for _, p := range []string{m.root, m.home, m.root + "/build", m.root + "/build/1.0.0", m.project} {
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(m.home, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	for dir := m.root; dir != "/"; dir = dir[:strings.LastIndex(dir, "/")] {
		if dir == os.TempDir() || dir == "" {
			break
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copied := m.root + "/build/installer.test"
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	m.put(copied, string(data), 0o755)
	before := m.users()
	cmd := m.child(0, false)
	cmd.Path, cmd.Args, cmd.Dir = copied, []string{copied}, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "permission denied") || !strings.Contains(string(out), m.settings()) {
		t.Errorf("%v\n%s", err, out)
	}
	if diff := cmp.Diff(before, m.users()); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	if left := tree(t, m.home); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}
