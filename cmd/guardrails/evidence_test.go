package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// optedIn is a home with a project that asks for evidence.
func optedIn(t *testing.T) (home, root string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(home, "work", "p")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, ".guardrails.yaml"), []byte("version: 1\nevidence: {enabled: true}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return home, root
}

// tell has a hook process judge one payload of Claude Code.
func tell(home, payload string) *exec.Cmd {
	cmd := exec.Command("guardrails", "hook", "--agent", "claude")
	cmd.Env = []string{"HOME=" + home, "USERPROFILE=" + home}
	cmd.Stdin = strings.NewReader(payload)
	return cmd
}

func edit(root, id string) string {
	return fmt.Sprintf(`{"hook_event_name":"PostToolUse","session_id":"s","cwd":%q,"tool_name":"Edit","tool_use_id":%q,"tool_input":{"file_path":"a.go","old_string":"a","new_string":"b"},"tool_response":{}}`, root, id)
}

type evidenceState struct {
	Phase              string
	MutationGeneration int
	Valid              bool
}

func evidenceOf(t *testing.T, home, root string) evidenceState {
	t.Helper()
	cmd := exec.Command("guardrails", "evidence", "status", "--json")
	cmd.Env, cmd.Dir = []string{"HOME=" + home, "USERPROFILE=" + home}, root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var s evidenceState
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// Sixty hook processes, of two installs each, count sixty edits.
func TestParallelEditsAreCountedExactly(t *testing.T) {
	home, root := optedIn(t)
	const calls = 60
	var wg sync.WaitGroup
	for i := range calls {
		for range 1 + i%2 { // every other call is registered twice
			wg.Go(func() {
				if out, err := tell(home, edit(root, fmt.Sprintf("t%d", i))).CombinedOutput(); err != nil || string(out) != "{}\n" {
					t.Errorf("call %d: %v: %s", i, err, out)
				}
			})
		}
	}
	wg.Wait()
	if s := evidenceOf(t, home, root); s.MutationGeneration != calls || !s.Valid {
		t.Errorf("generation %d after %d edits, valid %t", s.MutationGeneration, calls, s.Valid)
	}
}

// Processes that are killed lose nothing that was answered, and leave a state
// that is whole.
func TestKilledEditsLoseNothingThatWasAnswered(t *testing.T) {
	home, root := optedIn(t)
	const calls, victims = 60, 20
	answered := make([]bool, calls)
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			cmd := tell(home, edit(root, fmt.Sprintf("t%d", i)))
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
			_ = cmd.Wait() // a victim's says that it was killed
			answered[i] = out.String() == "{}\n"
		})
	}
	wg.Wait()
	count := 0
	for i, ok := range answered {
		if ok {
			count++
		} else if i >= victims {
			t.Errorf("call %d was not answered", i)
		}
	}
	s := evidenceOf(t, home, root)
	if !s.Valid || s.MutationGeneration < count || s.MutationGeneration > calls {
		t.Errorf("generation %d, valid %t, with %d of %d calls answered", s.MutationGeneration, s.Valid, count, calls)
	}
	// Told again, each call of the survivors is known.
	for i := victims; i < calls; i++ {
		wg.Go(func() { _ = tell(home, edit(root, fmt.Sprintf("t%d", i))).Run() })
	}
	wg.Wait()
	if again := evidenceOf(t, home, root); again != s {
		t.Errorf("told again: %+v, was %+v", again, s)
	}
}

// Whatever a session throws at it, what is kept holds no prompt, source, output,
// credential or path of this machine.
func TestStateKeepsFactsOnly(t *testing.T) {
	home, root := optedIn(t)
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	marks := []string{"PROMPTMARK", "SOURCEMARK", "OUTPUTMARK", "COMMANDMARK", "ERRORMARK", secret, root, home, "/outside/of"}
	event := func(text string, args ...any) {
		t.Helper()
		if out, err := tell(home, fmt.Sprintf(text, args...)).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
	event(`{"hook_event_name":"SessionStart","session_id":"s","cwd":%q,"source":"startup"}`, root)
	event(`{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":%q,"prompt":"PROMPTMARK %s"}`, root, secret)
	event(`{"hook_event_name":"PreToolUse","session_id":"s","cwd":%q,"tool_name":"Agent","tool_use_id":"t0","tool_input":{"prompt":"PROMPTMARK %s"}}`, root, strings.Repeat("x", 2000))
	event(`{"hook_event_name":"PostToolUse","session_id":"s","cwd":%q,"tool_name":"Write","tool_use_id":"t1","tool_input":{"file_path":%q,"content":"SOURCEMARK %s"},"tool_response":{}}`, root, filepath.Join(root, "SOURCEMARK.go"), secret)
	event(`{"hook_event_name":"PostToolUse","session_id":"s","cwd":%q,"tool_name":"Bash","tool_use_id":"t2","tool_input":{"command":"COMMANDMARK=%s pytest /outside/of/x"},"tool_response":{"stdout":"OUTPUTMARK %s\n===== 3 passed in 0.12s =====","stderr":""}}`, root, secret, secret)
	event(`{"hook_event_name":"PostToolUseFailure","session_id":"s","cwd":%q,"tool_name":"Bash","tool_use_id":"t3","tool_input":{"command":"COMMANDMARK"},"error":"Exit code 2\nERRORMARK %s"}`, root, secret)
	event(`{"hook_event_name":"PostToolUseFailure","session_id":"s","cwd":%q,"tool_name":"Bash","tool_use_id":"t4","tool_input":{"command":"COMMANDMARK"},"error":"Exit code 2\nERRORMARK"}`, root)
	event(`{"hook_event_name":"Stop","session_id":"s","cwd":%q,"stop_hook_active":false,"last_assistant_message":"PROMPTMARK done"}`, root)
	event(`{"hook_event_name":"SessionEnd","session_id":"s","cwd":%q,"reason":"exit"}`, root)
	verb := func(args ...string) error {
		cmd := exec.Command("guardrails", append([]string{"evidence"}, args...)...)
		cmd.Env, cmd.Dir = []string{"HOME=" + home, "USERPROFILE=" + home}, root
		return cmd.Run()
	}
	if err := verb("add", "--kind", "observation", "--result", "pass", "--source", "cat "+root+"/sub/a.go", "--detail", "2 lines\nof (/outside/of/here/report.txt) and file://"+home+"/x/y.txt in ~/z/w.txt"); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{
		{"add", "--kind", "test", "--result", "pass", "--source", "login", "--detail", "worked with " + secret},
		{"card", "add", "use " + secret},
		{"pause", "--yes", secret},
	} {
		if verb(args...) == nil {
			t.Errorf("%v was taken", args[:2])
		}
	}
	if err := verb("card", "add", "look at "+root+"/a.go and "+home+"/b.go"); err != nil {
		t.Error(err)
	}
	read := 0
	for _, dir := range []string{filepath.Join(root, ".guardrails"), filepath.Join(home, ".guardrails", "log")} {
		err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			read++
			for _, m := range marks {
				if bytes.Contains(data, []byte(m)) {
					t.Errorf("%s holds %s:\n%s", filepath.Base(name), m, data)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 3 {
		t.Errorf("looked at %d files only", read)
	}
	data, err := os.ReadFile(filepath.Join(root, ".guardrails", "state.json"))
	if err != nil || !bytes.Contains(data, []byte("report.txt")) || !bytes.Contains(data, []byte("cat sub/a.go")) {
		t.Errorf("the record lost what it may keep (%v):\n%s", err, data)
	}
}

// A state that cannot be read, or a lock that cannot be had, never blocks, and is
// said in the log; an edit that met the lock is counted later.
func TestWhatCannotBeReadOrLockedFailsOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of files")
	}
	home, root := optedIn(t)
	hook := func(payload string) string {
		t.Helper()
		out, err := tell(home, payload).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	stop := fmt.Sprintf(`{"hook_event_name":"Stop","session_id":"s","cwd":%q,"stop_hook_active":false,"last_assistant_message":"x"}`, root)
	hook(edit(root, "t1"))
	if out := hook(stop); !strings.Contains(out, `"decision":"block"`) {
		t.Fatalf("not blocked: %s", out)
	}

	// Somebody else holds the lock.
	state := filepath.Join(root, ".guardrails", "state.json")
	holder := exec.Command("flock", filepath.Join(root, ".guardrails", "state.lock"), "sh", "-c", "echo held; exec cat")
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	held, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Skipf("no flock: %v", err)
	}
	if _, err := held.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	out := hook(edit(root, "t2"))
	if strings.Contains(out, `"decision"`) {
		t.Errorf("an edit that met the lock: %s", out)
	}
	hook(edit(root, "t2")) // the same call, told again
	if after, err := os.ReadFile(state); err != nil || !bytes.Equal(after, before) {
		t.Errorf("written without the lock (%v)", err)
	}
	log, err := runGuardrails(home, "log", "--json")
	if err != nil || !bytes.Contains(log, []byte("evidence/mutation")) || !bytes.Contains(log, []byte("lapse")) {
		t.Errorf("the log says nothing of it (%v): %s", err, log)
	}
	if s := evidenceOf(t, home, root); s.MutationGeneration != 2 {
		t.Errorf("generation %d while it waits, want 2", s.MutationGeneration)
	}
	_ = in.Close()
	if err := holder.Wait(); err != nil {
		t.Fatal(err)
	}
	hook(edit(root, "t3"))
	if s := evidenceOf(t, home, root); s.MutationGeneration != 3 {
		t.Errorf("generation %d, want 3", s.MutationGeneration)
	}
	if entries, err := os.ReadDir(filepath.Join(root, ".guardrails", "state.pending")); err != nil || len(entries) > 0 {
		t.Errorf("still waiting: %v (%v)", entries, err)
	}
}
