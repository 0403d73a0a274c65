//go:build unix

package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/ec261362/guardrails/core/config"
)

// atTerminal returns an app whose human types the given lines, and what the
// human saw once the verb is done.
func atTerminal(t *testing.T, typed string, env ...string) (a *app, seen func() string) {
	t.Helper()
	human, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a = &app{
		stdin: tty, stderr: tty, stdout: io.Discard,
		getenv: func(string) string { return "" }, environ: func() []string { return env }, now: func() time.Time { return time.Unix(1, 0) },
		dir: filepath.Join(base, "p"), home: filepath.Join(base, "home"), state: filepath.Join(base, "state"),
	}
	if err := os.MkdirAll(filepath.Join(a.dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(human, typed); err != nil {
		t.Fatal(err)
	}
	out := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, human) // ends with the terminal
		out <- b.String()
	}()
	seen = func() string {
		tty.Close()
		s := <-out
		human.Close()
		return strings.ReplaceAll(s, "\r\n", "\n")
	}
	return a, seen
}

func TestTrustAsksAtATerminal(t *testing.T) {
	const file = "quality:\n  packages: {web: {test: \"make \\u202e test\"}}\n"
	tests := []struct {
		name, typed string
		env         []string
		trusted     bool
		wantErr     string
	}{
		{"yes", "y\n", nil, true, ""},
		{"yes in full", "YES\n", nil, true, ""},
		{"no", "n\n", nil, false, "not trusted: nothing was changed"},
		{"nothing but return", "\n", nil, false, "not trusted: nothing was changed"},
		{"something else", "sure\n", nil, false, "not trusted: nothing was changed"},
		{"end of input", "\x04", nil, false, "no answer: EOF"},
		{"a host's terminal", "y\n", []string{"GEMINI_CLI=1"}, false, "trust is for a human: GEMINI_CLI is set, so an agent's program started this; run it in a terminal of your own"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, seen := atTerminal(t, tt.typed, tt.env...)
			if err := os.WriteFile(filepath.Join(a.dir, config.FileName), []byte(file), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := newTrustCmd(a)
			cmd.SetArgs([]string{})
			cmd.SilenceUsage, cmd.SilenceErrors = true, true
			err := cmd.Execute()
			text := seen()
			if got := errText(err); got != tt.wantErr {
				t.Errorf("error %q, want %q", got, tt.wantErr)
			}
			trusted, err := config.IsTrusted(a.state, a.dir, config.Sum([]byte(file)))
			if err != nil || trusted != tt.trusted {
				t.Errorf("trusted %v, %v; want %v", trusted, err, tt.trusted)
			}
			if len(tt.env) > 0 {
				return
			}
			if !strings.Contains(text, "Trust this file as it is now? [y/N]") {
				t.Errorf("not asked:\n%s", text)
			}
			// What it would run is shown, and cannot turn the text around.
			if !strings.Contains(text, `web: test: sh -c "make \u202e test"`) || strings.Contains(text, "\u202e") {
				t.Errorf("the command is not shown as it is:\n%q", text)
			}
		})
	}
}

func TestVerbsThatNeedATerminalPassOnOne(t *testing.T) {
	a, seen := atTerminal(t, "")
	if err := a.requireTerminal("off"); err != nil {
		t.Error(err)
	}
	if err := a.requireHuman("trust", false); err != nil {
		t.Error(err)
	}
	seen()
	a.stdin = strings.NewReader("y\n")
	if err := a.requireTerminal("off"); err == nil {
		t.Error("standard input is no terminal, and off passed")
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestEditAsksWhatToDoWithAnInvalidFile(t *testing.T) {
	// The editor writes an invalid file first, then a valid one.
	const editor = `edit() { if [ -e "$1.once" ]; then echo 'evidence:' >"$1"; else : >"$1.once"; echo 'evidnce:' >"$1"; fi; }; edit`
	tests := []struct{ name, typed, want, wantErr string }{
		{"again", "e\n", "evidence:\n", ""},
		{"drop", "d\n", "quality:\n", "dropped: "},
		{"no answer", "\x04", "quality:\n", "no answer: EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, seen := atTerminal(t, tt.typed, "PATH="+os.Getenv("PATH"))
			a.getenv = func(name string) string { return map[string]string{"VISUAL": " ", "EDITOR": editor}[name] }
			file := filepath.Join(a.dir, config.FileName)
			if err := os.WriteFile(file, []byte("quality:\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			err := a.edit(a.dir, file)
			text := seen()
			if got := errText(err); !strings.HasPrefix(got, tt.wantErr) || (got == "") != (tt.wantErr == "") {
				t.Errorf("error %q, want %q", got, tt.wantErr)
			}
			if data, _ := os.ReadFile(file); string(data) != tt.want {
				t.Errorf("the file holds %q, want %q", data, tt.want)
			}
			if !strings.Contains(text, `:1:1: unknown key "evidnce" (did you mean "evidence"?)`) || !strings.Contains(text, "Edit again (e)") {
				t.Errorf("not asked:\n%s", text)
			}
			if left, _ := filepath.Glob(filepath.Join(a.state, "edit-*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}
