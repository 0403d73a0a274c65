package scan_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// block returns the only fenced block of a language in a document.
func block(t *testing.T, doc, language string) string {
	t.Helper()
	_, rest, ok := strings.Cut(doc, "\n```"+language+"\n")
	text, _, closed := strings.Cut(rest, "\n```\n")
	if !ok || !closed {
		t.Fatalf("no block of %s", language)
	}
	return text + "\n"
}

func TestTheDocumentsHookRuns(t *testing.T) {
	data, err := os.ReadFile("../../docs/validators.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.ReplaceAll(string(data), "\r\n", "\n")
	source, err := os.ReadFile("testdata/hook/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if block(t, doc, "go") != strings.ReplaceAll(string(source), "\r\n", "\n") {
		t.Error("docs/validators.md does not hold testdata/hook/main.go")
	}
	var settings struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct{ Type, Command string }
		}
	}
	if err := json.Unmarshal([]byte(block(t, doc, "json")), &settings); err != nil {
		t.Fatal(err)
	}
	if h := settings.Hooks["PreToolUse"]; len(h) != 1 || len(h[0].Hooks) != 1 || h[0].Hooks[0].Type != "command" {
		t.Fatalf("settings: %+v", settings)
	}

	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	bin := filepath.Join(t.TempDir(), "scan-hook")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	if out, err := exec.CommandContext(t.Context(), goTool, "build", "-o", bin, "./testdata/hook").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct{ payload, want string }{
		{`{"tool_name":"Bash","tool_input":{"command":"ls"}}`, ""},
		{`{"tool_name":"Write","tool_input":{"file_path":"a","content":"pay\n4532 0151\u00201283 0366"}}`, "CREDIT_CARD"},
		{`{"tool_name":`, "could not be read"},
	} {
		cmd := exec.CommandContext(t.Context(), bin)
		cmd.Stdin = strings.NewReader(c.payload)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", c.payload, err)
		}
		if c.want == "" && len(out) > 0 || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "0151") {
			t.Errorf("%s: got %s, want %q", c.payload, out, c.want)
		}
	}
}
