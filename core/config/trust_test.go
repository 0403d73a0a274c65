package config

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/config/yamldoc"
)

var trustTime = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

func TestTrustIsKeyedOnMainCheckoutAndContent(t *testing.T) {
	base := layout(t, map[string]string{
		"p/.git/worktrees/w/commondir": "../..\n",
		"w/.git":                       "gitdir: ../p/.git/worktrees/w\n",
		"copy/.git":                    "gitdir: ../p/.git/worktrees/w\n",
		"other/.git/":                  "",
		"state/":                       "",
	})
	write(t, filepath.Join(base, "p/.git/worktrees/w/gitdir"), filepath.Join(base, "w", ".git")+"\n")
	state := filepath.Join(base, "state")
	a, b := Sum([]byte("a")), Sum([]byte("b"))
	if err := Trust(state, filepath.Join(base, "w"), a, trustTime); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		root, sum string
		want      bool
	}{
		{"p", a, true}, {"w", a, true}, {"p", b, false}, {"w", b, false}, {"other", a, false}, {"copy", a, false}, {"p", "", false},
	} {
		got, err := IsTrusted(state, filepath.Join(base, tt.root), tt.sum)
		if err != nil || got != tt.want {
			t.Errorf("%s: trusted %v, %v; want %v", tt.root, got, err, tt.want)
		}
	}
	// A branch in a worktree does not take the trust of the main checkout away.
	if err := Trust(state, filepath.Join(base, "p"), b, trustTime.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	entries, err := TrustEntries(state, filepath.Join(base, "w"))
	if diff := cmp.Diff([]TrustEntry{{b, trustTime.Add(time.Hour)}, {a, trustTime}}, entries); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if was, err := Revoke(state, filepath.Join(base, "w")); !was || err != nil {
		t.Errorf("revoke: %v, %v", was, err)
	}
	for _, sum := range []string{a, b} {
		if got, err := IsTrusted(state, filepath.Join(base, "p"), sum); got || err != nil {
			t.Errorf("still trusted: %v, %v", got, err)
		}
	}
	if was, err := Revoke(state, filepath.Join(base, "w")); was || err != nil {
		t.Errorf("second revoke: %v, %v", was, err)
	}
}

func TestNothingIsTrustedWithoutARecord(t *testing.T) {
	state := filepath.Join(t.TempDir(), "none")
	if got, err := IsTrusted(state, t.TempDir(), "x"); got || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if was, err := Revoke(state, t.TempDir()); was || err != nil {
		t.Errorf("%v, %v", was, err)
	}
	if _, err := os.Stat(state); !os.IsNotExist(err) {
		t.Errorf("looking made the state home: %v", err)
	}
}

func TestTrustFileIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such modes")
	}
	state, root := filepath.Join(t.TempDir(), "state"), t.TempDir()
	if err := Trust(state, root, "x", trustTime); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(state, TrustFileName)
	for path, want := range map[string]os.FileMode{name: 0o600, state: 0o700} {
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", path, fi.Mode(), err, want)
		}
	}
	if err := os.Chmod(name, 0o620); err != nil {
		t.Fatal(err)
	}
	got, err := IsTrusted(state, root, "x")
	if got || err == nil || !strings.Contains(err.Error(), "can be written by others") {
		t.Errorf("a record that others can write: %v, %v", got, err)
	}
}

func TestDamagedTrustFileTrustsNothingAndIsKept(t *testing.T) {
	for name, content := range map[string]string{
		"cut":         `{"version":1,"projects":{"/p":[{"sha2`,
		"empty":       "",
		"no JSON":     "hello",
		"wrong":       `{"version":1,"projects":[]}`,
		"newer":       `{"version":2,"projects":{}}`,
		"versionless": `{"projects":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			state, root := t.TempDir(), t.TempDir()
			file := filepath.Join(state, TrustFileName)
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := IsTrusted(state, root, "x"); got || err == nil || !strings.Contains(err.Error(), file) {
				t.Errorf("trusted %v, %v", got, err)
			}
			if err := Trust(state, root, "x", trustTime); err == nil || !strings.Contains(err.Error(), file) {
				t.Errorf("trust: %v", err)
			}
			if _, err := Revoke(state, root); err == nil {
				t.Error("revoked in a damaged record")
			}
			if data, err := os.ReadFile(file); err != nil || string(data) != content {
				t.Errorf("the file was changed: %q, %v", data, err)
			}
			// The merged configuration treats it as untrusted and says so.
			write(t, filepath.Join(root, FileName), "quality:\n")
			e := Load(LoadOptions{YAML: yamldoc.Read, Root: root, StateHome: state})
			if e.Trusted || e.Config.Quality.On || e.TrustErr == nil || len(e.Held) != 1 {
				t.Errorf("trusted %v, error %v, held %v", e.Trusted, e.TrustErr, e.Held)
			}
		})
	}
}

func TestOldContentsAreForgotten(t *testing.T) {
	state, root := t.TempDir(), t.TempDir()
	for i := range maxSums + 3 {
		if err := Trust(state, root, fmt.Sprint(i), trustTime.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	// Trusted again, the oldest one left is the newest.
	if err := Trust(state, root, "3", trustTime.Add(99*time.Hour)); err != nil {
		t.Fatal(err)
	}
	entries, err := TrustEntries(state, root)
	if err != nil || len(entries) != maxSums || entries[0].SHA256 != "3" || entries[maxSums-1].SHA256 != "4" {
		t.Errorf("%d entries, first %q, last %q, %v", len(entries), entries[0].SHA256, entries[len(entries)-1].SHA256, err)
	}
	if err := Trust(state, root, "10", trustTime.Add(100*time.Hour)); err != nil {
		t.Fatal(err)
	}
	entries, _ = TrustEntries(state, root)
	times := 0
	for _, e := range entries {
		if e.SHA256 == "10" {
			times++
		}
	}
	if times != 1 || entries[len(entries)-1].SHA256 != "4" {
		t.Errorf("the same content %d times, last %q", times, entries[len(entries)-1].SHA256)
	}
}

func TestParallelTrustLosesNothing(t *testing.T) {
	state, base := t.TempDir(), t.TempDir()
	var wg sync.WaitGroup
	for i := range 20 {
		root := filepath.Join(base, fmt.Sprint(i))
		mkdir(t, root)
		wg.Go(func() {
			if err := Trust(state, root, "x", trustTime); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	data, err := os.ReadFile(filepath.Join(state, TrustFileName))
	if err != nil {
		t.Fatal(err)
	}
	var s trustStore
	if err := json.Unmarshal(data, &s); err != nil || len(s.Projects) != 20 {
		t.Errorf("%d projects, %v", len(s.Projects), err)
	}
}

// What git itself writes is what we read.
func TestWorktreeMadeByGitInheritsTrust(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	base := layout(t, map[string]string{"p/.guardrails.yaml": "quality:\n", "home/": "", "state/": ""})
	p, w := filepath.Join(base, "p"), filepath.Join(base, "w")
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "x"}, {"worktree", "add", "-q", w},
	} {
		cmd := exec.Command(git, args...)
		cmd.Dir = p
		cmd.Env = append(os.Environ(), "HOME="+filepath.Join(base, "home"), "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if got, err := FindRoot(w, filepath.Join(base, "home")); got != w || err != nil {
		t.Errorf("root %q, %v", got, err)
	}
	if got := MainCheckout(w); got != p {
		t.Errorf("main checkout %q", got)
	}
	state := filepath.Join(base, "state")
	if err := Trust(state, p, Sum([]byte("quality:\n")), trustTime); err != nil {
		t.Fatal(err)
	}
	if e := Load(LoadOptions{YAML: yamldoc.Read, Root: w, StateHome: state}); !e.Trusted || !e.Config.Quality.On {
		t.Errorf("trusted %v, held %v", e.Trusted, e.Held)
	}
}
