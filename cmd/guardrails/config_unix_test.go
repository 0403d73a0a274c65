//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// protecting are the ways to write that a path is protected: as the small program
// reads it, and as only the full one does.
var protecting = map[string]string{
	"plain":               "version: 1\npolicy: {protect: [\"PATH/**\"]}\n",
	"a text on two lines": "version: 1\npolicy:\n  protect: [\"PATH/\\\n    **\"]\n",
	"a key with a mark":   "version: 1\npolicy:\n  ? protect\n  : [\"PATH/**\"]\n",
	"an escape by number": "version: 1\npolicy: {protect: [\"PATH/\\x2a*\"]}\n",
	"an end of its own":   "version: 1\npolicy: {protect: [\"PATH/**\"]}\n...\n",
}

func (h *halves) configure(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.project, ".guardrails.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (h *halves) write(t *testing.T, file string) []byte {
	t.Helper()
	return h.hook(t, "claude", "", fmt.Sprintf(`{"session_id":"s","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":%q,"content":"x"},"tool_use_id":"u"}`, h.project, filepath.Join(h.project, file)))
}

func plainHalves(t *testing.T, full string) halves {
	t.Helper()
	h := newHalves(t, full)
	if err := os.Remove(filepath.Join(h.home, ".guardrails", "config.yaml")); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestAConfigurationCountsHoweverItIsWritten(t *testing.T) {
	for name, text := range protecting {
		h := plainHalves(t, "real") // nothing is remembered of another
		h.configure(t, strings.ReplaceAll(text, "PATH", "deploy"))
		if out := h.write(t, "deploy/a"); !bytes.Contains(out, []byte(`"ask"`)) {
			t.Errorf("%s: %s", name, out)
		}
		if out := h.write(t, "src/a"); string(bytes.TrimSpace(out)) != "{}" {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// A change is in force at once, also one that leaves the file's size and time.
func TestAChangedConfigurationIsSeenAtOnce(t *testing.T) {
	h := plainHalves(t, "real")
	at := time.Now().Add(-time.Hour)
	for name, text := range protecting {
		for _, path := range []string{"deploy", "charts"} {
			h.configure(t, strings.ReplaceAll(text, "PATH", path))
			if err := os.Chtimes(filepath.Join(h.project, ".guardrails.yaml"), at, at); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{"deploy", "charts"} {
				if asks := bytes.Contains(h.write(t, file+"/a"), []byte(`"ask"`)); asks != (file == path) {
					t.Errorf("%s: %s protected, write to %s: asks = %v", name, path, file, asks)
				}
			}
		}
	}
}

// Without the full program what it was last seen to protect stays protected, and
// the human hears of it.
func TestAConfigurationThatNobodyReadsIsABrokenOne(t *testing.T) {
	h := plainHalves(t, "real")
	h.configure(t, strings.ReplaceAll(protecting["plain"], "PATH", "deploy"))
	h.write(t, "src/a")
	if err := os.Remove(h.small + "-full"); err != nil {
		t.Fatal(err)
	}
	h.configure(t, strings.ReplaceAll(protecting["a key with a mark"], "PATH", "charts"))
	if out := h.write(t, "deploy/a"); !bytes.Contains(out, []byte(`"ask"`)) {
		t.Errorf("%s", out)
	}
	out := h.hook(t, "claude", "", fmt.Sprintf(`{"session_id":"s2","cwd":%q,"hook_event_name":"SessionStart","source":"startup"}`, h.project))
	if !bytes.Contains(out, []byte("cannot be read: guardrails-full is not installed")) {
		t.Errorf("%s", out)
	}
}

// Nothing decoded is kept of a configuration, so first calls side by side have
// nothing to share or to spoil.
func TestAThousandRulesAreReadByCallsSideBySide(t *testing.T) {
	h := plainHalves(t, "real")
	var b strings.Builder
	b.WriteString("version: 1\npolicy:\n  protect: [\"deploy/**\"]\n  allow:\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "    - {rule: git/reset-hard, when: \"git reset --hard origin/bot-%d\", reason: \"bot branch\"}\n", i)
	}
	h.configure(t, b.String())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if out := h.write(t, "deploy/a"); !bytes.Contains(out, []byte(`"ask"`)) {
				t.Errorf("%s", out)
			}
		})
	}
	wg.Wait()
}
