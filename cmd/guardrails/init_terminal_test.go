//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// onTerminal runs guardrails in dir on a terminal whose human answers each text
// with keys, in order. It returns what stood on the terminal and on stdout.
func onTerminal(t *testing.T, dir, home string, script [][2]string, args ...string) (tty, stdout string) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	var out strings.Builder
	cmd := exec.CommandContext(t.Context(), "guardrails", args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "TERM=xterm", "NO_COLOR=1"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, &out, slave
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	var all, unread strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := master.Read(buf)
		if err != nil {
			break // the last holder of the terminal has ended
		}
		all.Write(buf[:n])
		unread.Write(buf[:n])
		for len(script) > 0 {
			_, rest, found := strings.Cut(unread.String(), script[0][0])
			if !found {
				break
			}
			unread.Reset()
			unread.WriteString(rest)
			if _, err := master.WriteString(script[0][1]); err != nil {
				t.Fatal(err)
			}
			script = script[1:]
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, all.String())
	}
	if len(script) > 0 {
		t.Fatalf("%q never came:\n%s", script[0][0], all.String())
	}
	return all.String(), out.String()
}

const (
	cursor = "\x1b[6n"
	here   = "\x1b[1;1R"
	down   = "\x1b[B"
)

// TestInitAsksOnATerminal walks through init without flags: all questions, the
// plan, the last question, the install.
func TestInitAsksOnATerminal(t *testing.T) {
	for name, script := range map[string][][2]string{
		"a terminal that says where its cursor is": {
			{cursor, here}, {"Which agents?", " \r"}, {"For whom?", down + "\r"}, {"for this project?", "\r"}, {"on the network", "\r"}, {"Do this?", "\r"},
		},
		"a silent terminal, in lines": {
			{"Which agents?", "1\n"}, {"For whom?", "2\n"}, {"for this project?", "1\n"}, {"on the network", "n\n"}, {"Do this?", "y\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			home, project := t.TempDir(), t.TempDir()
			tty, stdout := onTerminal(t, project, home, script, "init")
			if stdout != "" {
				t.Errorf("stdout: %q", stdout)
			}
			dry, real := strings.Index(tty, "claude: not done yet"), strings.Index(tty, "claude: installed")
			if dry < 0 || real < dry {
				t.Errorf("no plan before the install:\n%s", tty)
			}
			if _, err := os.Stat(filepath.Join(home, ".claude", "settings.json")); err != nil {
				t.Error(err)
			}
			for _, not := range []string{filepath.Join(project, ".claude"), filepath.Join(project, ".guardrails.yaml"), filepath.Join(home, ".guardrails", "config.yaml")} {
				if _, err := os.Lstat(not); err == nil {
					t.Errorf("%s was made", not)
				}
			}
		})
	}
}

func TestLookUpsAndStarterAreWrittenOnlyWhenChosen(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	onTerminal(t, project, home, [][2]string{
		{"Which agents?", "1\n"}, {"For whom?", "1\n"}, {"for this project?", "3\n"}, {"on the network", "y\n"}, {"Do this?", "y\n"},
	}, "init")
	yaml, err := os.ReadFile(filepath.Join(project, ".guardrails.yaml"))
	if err != nil || !strings.Contains(string(yaml), "\nmode: warn\n") {
		t.Errorf("%v\n%s", err, yaml)
	}
	own, err := os.ReadFile(filepath.Join(home, ".guardrails", "config.yaml"))
	if err != nil || !strings.Contains(string(own), "dependencies:\n  enabled: true\n") {
		t.Errorf("%v\n%s", err, own)
	}
	tty, _ := onTerminal(t, project, home, nil, "config", "validate")
	if strings.Contains(tty, "error") {
		t.Error(tty)
	}
}

func TestAnswerOfNoChangesNothing(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	tty, _ := onTerminal(t, project, home, [][2]string{{cursor, here}, {"Do this?", down + "\r"}}, "init", "--agent", "claude")
	if !strings.Contains(tty, "nothing was changed") {
		t.Error(tty)
	}
	for _, dir := range []string{home, project} {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("%s holds %v", dir, entries)
		}
	}
}
