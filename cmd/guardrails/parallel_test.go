package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ec261362/guardrails/core/audit"
)

// Sixty hook processes write one session's state at once, and ten of them are
// killed at a random moment. Whatever was answered must be in the state and in
// the log.
func TestParallelHooksLoseNothingThatWasAnswered(t *testing.T) {
	home := t.TempDir()
	const calls, victims = 60, 10
	answered := make([]bool, calls)
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			cmd := exec.Command("guardrails", "hook", "--agent", "claude")
			cmd.Env = []string{"HOME=" + home, "USERPROFILE=" + home}
			cmd.Stdin = strings.NewReader(fmt.Sprintf(
				`{"hook_event_name":"PostToolUse","session_id":"many","cwd":%q,"tool_name":"Edit","tool_use_id":"t%d","tool_input":{"file_path":%q,"old_string":"a","new_string":"b"},"tool_response":{}}`,
				home, i, filepath.Join(home, "p", fmt.Sprintf("file%d.go", i))))
			var out strings.Builder
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			if i < victims {
				timer := time.AfterFunc(time.Duration(rand.IntN(60_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
				defer timer.Stop()
			}
			err := cmd.Wait()
			if i >= victims && err != nil {
				t.Errorf("call %d: %v", i, err)
			}
			answered[i] = out.String() == "{}\n"
		})
	}
	wg.Wait()

	out, err := runGuardrails(home, "status", "--session", "many", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var status struct{ Touched []string }
	if err := json.Unmarshal(out, &status); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	kept := make(map[string]bool)
	for _, path := range status.Touched {
		kept[filepath.Base(path)] = true
	}
	acknowledged := 0
	for i, ok := range answered {
		if !ok {
			if i >= victims {
				t.Errorf("call %d was not answered", i)
			}
			continue
		}
		acknowledged++
		if !kept[fmt.Sprintf("file%d.go", i)] {
			t.Errorf("call %d was answered, its path is lost", i)
		}
	}

	log := audit.Log{Dir: filepath.Join(home, ".guardrails", "log")}
	lines := 0
	for raw, err := range log.Read(time.Time{}, 0) {
		if err != nil {
			t.Fatal(err)
		}
		line, err := audit.Parse(raw)
		if err != nil {
			t.Errorf("%v: %s", err, raw)
		}
		if line.Event == "PostToolUse" {
			lines++
		}
		if line.Lapse != "" {
			t.Errorf("lapse: %s", line.Lapse)
		}
	}
	// A victim may have been killed between its line and its answer.
	if lines < acknowledged || lines > calls {
		t.Errorf("%d log lines for %d answered calls", lines, acknowledged)
	}
}

func runGuardrails(home string, args ...string) ([]byte, error) {
	cmd := exec.Command("guardrails", args...)
	cmd.Env = []string{"HOME=" + home, "USERPROFILE=" + home}
	return cmd.Output()
}
