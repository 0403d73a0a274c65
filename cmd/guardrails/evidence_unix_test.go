//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestStateThatCannotBeReadNeverBlocks(t *testing.T) {
	home, root := optedIn(t)
	if err := os.Chmod(filepath.Dir(filepath.Dir(home)), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := tell(home, edit(root, "t1")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	state := filepath.Join(root, ".guardrails", "state.json")
	if err := os.Chmod(state, 0); err != nil {
		t.Fatal(err)
	}
	cmd := tell(home, fmt.Sprintf(`{"hook_event_name":"Stop","session_id":"s","cwd":%q,"stop_hook_active":false,"last_assistant_message":"x"}`, root))
	if os.Getuid() == 0 { // who reads everything must be somebody else
		const nobody = 65534
		bin, err := exec.LookPath("guardrails")
		if err != nil {
			t.Fatal(err)
		}
		for dir := filepath.Dir(bin); len(dir) > 4; dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		err = filepath.Walk(home, func(name string, _ os.FileInfo, err error) error {
			if err != nil || name == state {
				return err
			}
			return os.Chown(name, nobody, nobody)
		})
		if err != nil {
			t.Fatal(err)
		}
		for dir := home; len(dir) > 4; dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		cmd.Dir = root
	}
	out, err = cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), `"decision"`) {
		t.Errorf("blocked on a state that cannot be read: %s", out)
	}
	if !strings.Contains(string(out), "evidence/close failed") {
		t.Errorf("nobody is told: %s", out)
	}
}
