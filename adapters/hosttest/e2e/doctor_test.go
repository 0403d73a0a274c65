//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A diagnosis is what doctor --json says, as far as these tests want it.
type diagnosis struct {
	code int
	text string
	Live []struct {
		Host, File, Route, Version, Why string
		Enforced, Skipped               bool
	}
}

// doctor runs doctor --live on the world's host.
func (w *world) doctor() diagnosis {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, built, "doctor", "--live", "--json", "--agent", w.agent, "--dir", w.project)
	cmd.Dir, cmd.Env = w.project, w.host(w.quiet).Environ()
	out, err := cmd.Output()
	d := diagnosis{text: string(out)}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		d.code, d.text = exit.ExitCode(), d.text+string(exit.Stderr)
	case err != nil:
		w.t.Fatal(err)
	}
	if err := json.Unmarshal(out, &d); err != nil {
		w.t.Fatalf("%v: %s", err, d.text)
	}
	return d
}

// live fails the test unless every run of the host ended as told.
func (w *world) live(d diagnosis, runs int, enforced bool) {
	w.t.Helper()
	if len(d.Live) != runs {
		w.t.Fatalf("%d runs, want %d: %s", len(d.Live), runs, d.text)
	}
	for _, l := range d.Live {
		if l.Skipped || l.Enforced != enforced || l.Version != w.version {
			w.t.Errorf("%+v: %s", l, d.text)
		}
	}
	if (d.code == 0) != enforced {
		w.t.Errorf("exit code %d: %s", d.code, d.text)
	}
}

// TestE2EDoctorLive rehearses the registered entries on the real hosts, of every
// route, and says so where a switch of the host keeps them from running.
func TestE2EDoctorLive(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.init()
		before := tree(t, w.home)
		w.live(w.doctor(), 1, true)
		if after := tree(t, w.home); after != before {
			t.Errorf("doctor changed the home:\n%s\nwas\n%s", after, before)
		}
		was, _ := w.read(w.local())
		writeFile(t, w.local(), strings.Replace(was, "{", `{"disableAllHooks": true,`, 1))
		w.live(w.doctor(), 1, false)
		writeFile(t, w.local(), was)
		w.guardrails("init", "--agent", "claude", "--dir", w.project, "--uninstall", "--yes")

		w.init("--via", "plugin")
		w.live(w.doctor(), 1, true)
	})
	t.Run("gemini", func(t *testing.T) {
		t.Parallel()
		w := newGeminiWorld(t)
		w.init()
		w.live(w.doctor(), 1, true)
		w.guardrails("init", "--agent", "gemini", "--dir", w.project, "--uninstall", "--yes")
		w.init("-g", "--via", "settings")
		w.live(w.doctor(), 1, true)
		was, _ := w.read(w.geminiUser())
		writeFile(t, w.geminiUser(), strings.Replace(was, "{", `{"hooksConfig": {"enabled": false},`, 1))
		w.live(w.doctor(), 1, false)
		writeFile(t, w.geminiUser(), was)
	})
}

// tree lists what is below a home, with modes and sizes; temporary files aside.
func tree(t *testing.T, root string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == filepath.Join(root, "tmp") {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		size := info.Size()
		if d.IsDir() {
			size = 0
		}
		fmt.Fprintln(&out, path, info.Mode(), size)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}
