package muse

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/adapters/adaptertest"
	"github.com/ec261362/guardrails/adapters/hosttest"
	"github.com/ec261362/guardrails/core/hook"
)

const recorded = "../../testdata/hosts/muse"

var update = flag.Bool("update", false, "rewrite the golden files")

func TestConformance(t *testing.T) {
	adaptertest.Run(t, Adapter{}, adaptertest.Options{
		Payloads: os.DirFS(recorded),
		Host:     hostReads,
		Neutral:  func(hook.Event) string { return "" },
	})
}

// hostReads is the played host, and stricter: what it only ignores is an error,
// but for the message that carries a permission denial's reason to the log.
func hostReads(e hook.Event, stdout []byte) (hook.Decision, error) {
	if len(stdout) > maxOutput {
		return 0, fmt.Errorf("%d bytes, want at most %d", len(stdout), maxOutput)
	}
	got := hosttest.ReadMuse(string(e.Name), hosttest.Reply{Stdout: stdout})
	if got.Failed != "" {
		return 0, errors.New(got.Failed)
	}
	for _, k := range got.Ignored {
		if k != "systemMessage" || e.Name != hook.PermissionRequest {
			return 0, fmt.Errorf("%s changes nothing", k)
		}
	}
	switch {
	case got.Blocked && e.Name.BeforeTool():
		return hook.Deny, nil
	case got.Blocked:
		return hook.Block, nil
	case got.Input != nil:
		return hook.Rewrite, nil
	case len(got.Context) > 0:
		return hook.Advise, nil
	}
	return hook.Pass, nil
}

func TestPayloadsAndAnswersAreAsPinned(t *testing.T) {
	adaptertest.Golden(t, Adapter{}, recorded, nil, *update)
}

// No member that only Claude Code knows reaches Muse: it would fail the hook,
// and the call would run.
func TestNoMemberOfClaudeReachesMuse(t *testing.T) {
	known := map[string]bool{
		"decision": true, "reason": true, "systemMessage": true, "hookSpecificOutput": true, "hookEventName": true, "permissionDecision": true,
		"permissionDecisionReason": true, "updatedInput": true, "additionalContext": true, "behavior": true,
	}
	var walk func(raw json.RawMessage)
	walk = func(raw json.RawMessage) {
		var m map[string]json.RawMessage
		if json.Unmarshal(raw, &m) != nil {
			return
		}
		for k, v := range m {
			if !known[k] {
				t.Errorf("%s in %s", k, raw)
			}
			if k != "updatedInput" {
				walk(v)
			}
		}
	}
	for _, name := range adaptertest.Events {
		for d := hook.Pass; d <= hook.Block; d++ {
			out := Adapter{}.Encode(hook.Event{Name: name, Tool: &hook.Tool{}}, hook.Verdict{
				Decision: d, Reason: "r", Context: "c", Notice: "n", Input: json.RawMessage(`{"a":1}`), Result: json.RawMessage(`"x"`),
			}).Stdout
			walk(out)
			if strings.Contains(string(out), "allow") {
				t.Errorf("%s on %s allows: %s", d, name, out)
			}
		}
	}
}

func TestADenialAlwaysHasAReason(t *testing.T) {
	for _, v := range []hook.Verdict{
		{Decision: hook.Deny},
		{Decision: hook.Deny, Reason: " \n\t"},
		{Decision: hook.Block, Rule: "pack/rule"},
		{Decision: hook.Ask, Gate: "shell"},
		{Decision: hook.Deny, Reason: strings.Repeat("\x01", 5000)},
		{Decision: hook.Deny, Reason: strings.Repeat("\xff", 5000)},
		{Decision: hook.Deny, Reason: strings.Repeat(`"`, 5000)},
	} {
		for _, e := range []hook.EventName{hook.PreToolUse, hook.PostToolUse, hook.Stop, hook.SubagentStop} {
			out := Adapter{}.Encode(hook.Event{Name: e}, v).Stdout
			if got := hosttest.ReadMuse(string(e), hosttest.Reply{Stdout: out}); !got.Blocked || got.Reason == "" || len(out) > maxOutput {
				t.Errorf("%+v on %s: %d bytes, %+v", v, e, len(out), got)
			}
		}
	}
}

func TestAnAskIsADenialThatNamesAWayOut(t *testing.T) {
	ask := func(reason string) string {
		out := Adapter{}.Encode(hook.Event{Name: hook.PreToolUse}, hook.Verdict{Decision: hook.Ask, Reason: reason}).Stdout
		got := hosttest.ReadMuse("PreToolUse", hosttest.Reply{Stdout: out})
		if !got.Blocked {
			t.Errorf("%q: %+v", reason, got)
		}
		return got.Reason
	}
	const known = "git/x: drops work.\nWhere nobody can be asked, your human can run `guardrails allow once 1a2b3c4d` in a terminal."
	if got := ask(known); got != known {
		t.Errorf("got %q", got)
	}
	for _, reason := range []string{"git/x: drops work.", "", strings.Repeat("long ", 2000)} {
		if got := ask(reason); !strings.HasSuffix(got, "they can run it in a terminal.") || utf8.RuneCountInString(got) > maxReason {
			t.Errorf("%.40q: %d bytes, %q", reason, len(got), got[max(0, len(got)-200):])
		}
	}
}

func TestARewriteIsBareAndKeepsEveryByteOfItsInput(t *testing.T) {
	e := hook.Event{Name: hook.PreToolUse, Tool: &hook.Tool{}}
	input := `{"command":"rtk git status","n":12345678901234567890.10,"deep":{"é":["<&>",null]}}`
	out := string(Adapter{}.Encode(e, hook.Verdict{Decision: hook.Rewrite, Input: json.RawMessage(input), Reason: "r"}).Stdout)
	if want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":` + input + "}}\n"; out != want {
		t.Errorf("got  %swant %s", out, want)
	}
	long := `{"command":"` + strings.Repeat("x", maxOutput) + `"}`
	if out := (Adapter{}).Encode(e, hook.Verdict{Decision: hook.Rewrite, Input: json.RawMessage(long)}).Stdout; out != nil {
		t.Errorf("an input over the cap is sent: %d bytes", len(out))
	}
}

func TestWindowsPathsLoseTheirPrefix(t *testing.T) {
	for in, want := range map[string]string{
		`\\?\C:\shop`: `C:\shop`, `\\?\UNC\srv\x`: `\\srv\x`, `\\?\x`: `\\?\x`, `/p`: `/p`, "": "",
	} {
		b, _ := json.Marshal(in)
		e, err := Adapter{}.Decode("", []byte(`{"hook_event_name":"Stop","cwd":`+string(b)+`}`))
		if err != nil || e.Cwd != want {
			t.Errorf("%q: %q, %v", in, e.Cwd, err)
		}
	}
}

func TestResultsAreReadAsFarAsTheySay(t *testing.T) {
	seven := 7
	zero := 0
	tests := []struct {
		tool, response string
		outcome        hook.Outcome
		exit           *int
		text           string
	}{
		{"bash", `{"stdout":"a","stderr":"b","exit_code":0}`, hook.Succeeded, &zero, "a\nb"},
		{"bash", `{"output":"a","exitCode":7}`, hook.Failed, &seven, "a"},
		{"bash", `"Exit code 7\nboom"`, hook.Failed, &seven, "Exit code 7\nboom"},
		{"bash", `"boom\nProcess done\nexit status: 7\n"`, hook.Failed, &seven, "boom\nProcess done\nexit status: 7\n"},
		{"bash", `"the exit code 7 is odd"`, hook.Unknown, nil, "the exit code 7 is odd"},
		{"bash", `{"stdout":"exit code x"}`, hook.Unknown, nil, "exit code x"},
		{"bash", `{"exit_code":0,"timed_out":true}`, hook.Failed, &zero, ""},
		{"bash", `{"exit_code":0,"background":true}`, hook.Unknown, nil, ""},
		{"bash", `{"exit_code":"7"}`, hook.Unknown, nil, ""},
		{"bash", `null`, hook.Unknown, nil, ""},
		{"bash", ``, hook.Unknown, nil, ""},
		{"write_file", `{"ok":true}`, hook.Succeeded, nil, ""},
		{"write_file", `{"ok":false,"message":"no"}`, hook.Failed, nil, "no"},
		{"edit_file", `{"error":"not found"}`, hook.Failed, nil, "not found"},
		{"edit_file", `{"error":null}`, hook.Succeeded, nil, ""},
		{"mcp__a__b", `{"is_error":true,"content":[{"type":"text","text":"x"},"y"]}`, hook.Failed, nil, "x\ny"},
	}
	for _, tt := range tests {
		payload := `{"hook_event_name":"PostToolUse","tool_name":"` + tt.tool + `","tool_input":{}`
		if tt.response != "" {
			payload += `,"tool_response":` + tt.response
		}
		e, err := Adapter{}.Decode("", []byte(payload+"}"))
		if err != nil {
			t.Errorf("%s: %v", tt.response, err)
			continue
		}
		r := e.Tool.Result
		var exit *int
		if r.HasExit {
			exit = &r.ExitCode
		}
		if r.Outcome != tt.outcome || !cmp.Equal(exit, tt.exit) || r.Text != tt.text {
			t.Errorf("%s %s: %+v", tt.tool, tt.response, r)
		}
	}
}

// Every handler that we register is one that Muse loads, for an event that we
// decode.
func TestWiringIsWhatMuseLoads(t *testing.T) {
	groups := map[string]any{}
	for _, w := range (Adapter{}).Wiring() {
		if w.Block || w.Matcher != "" || eventOf(w.Event) == hook.UnknownEvent {
			t.Errorf("%+v", w)
		}
		groups[w.Event] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": "'/g' hook --agent muse", "timeout": w.Timeout}}}}
	}
	file, err := json.Marshal(map[string]any{"hooks": groups})
	if err != nil {
		t.Fatal(err)
	}
	loaded, dropped := hosttest.LoadMuseHooks(file)
	if len(loaded) != len((Adapter{}).Wiring()) || len(dropped) > 0 {
		t.Errorf("loaded %d, dropped %q", len(loaded), dropped)
	}
}

func TestLiveFilesFollowHomeProjectAndTheVariable(t *testing.T) {
	got := map[string]bool{}
	for _, f := range (Adapter{}).LiveFiles(hook.Paths{Home: "/h", Dir: "/p/sub", Root: "/p", ConfigHome: "/x"}) {
		got[filepath.ToSlash(f.Path)] = true
	}
	for _, want := range []string{
		"/h/.config/muse/settings.json", "/x/muse/settings.json", "/h/.config/muse/trust.json", "/h/.local/share/muse/plugins/installed.json",
		"/h/.local/share/muse/plugins/cache/local/guardrails", "/p/.muse/hooks.json", "/p/sub/.muse/hooks.json",
	} {
		if !got[want] {
			t.Errorf("%s is missing in %v", want, got)
		}
	}
}

type files map[string]string

func (f files) Lstat(name string) (fs.FileInfo, error) {
	name = filepath.ToSlash(name)
	if text, ok := f[name]; ok {
		return info{size: int64(len(text))}, nil
	}
	for k := range f {
		if strings.HasPrefix(k, name+"/") {
			return info{dir: true}, nil
		}
	}
	return nil, fs.ErrNotExist
}

func (f files) ReadFile(name string, _ int64) ([]byte, error) {
	text, ok := f[filepath.ToSlash(name)]
	if !ok {
		return nil, io.ErrUnexpectedEOF
	}
	return []byte(text), nil
}

type info struct {
	fs.FileInfo
	dir  bool
	size int64
}

func (i info) IsDir() bool { return i.dir }
func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir
	}
	return 0
}

func TestMayRewriteAsksThePersistedRules(t *testing.T) {
	home := t.TempDir()
	policy := filepath.ToSlash(home) + "/.config/muse/approval-policy.json"
	const rule = `{"schema_version":2,"rules":[{"effect":"allow","durability":"local_persistent","reason":null,"rule":{"kind":"shell_command_argv_prefix","argv_prefix":["git","status"],"workspace_root":"/w"}}]}`
	tests := []struct {
		name  string
		e     hook.Event
		files files
		paths hook.Paths
		want  bool
	}{
		{"no files", hook.Event{}, nil, hook.Paths{Home: home}, true},
		{"a rule that names it", hook.Event{}, files{policy: rule}, hook.Paths{Home: home}, false},
		{"a rule that does not", hook.Event{}, files{policy: strings.ReplaceAll(rule, "git", "svn")}, hook.Paths{Home: home}, true},
		{"PowerShell with a rule", hook.Event{Tool: &hook.Tool{Name: "powershell"}}, files{policy: strings.ReplaceAll(rule, "git", "svn")}, hook.Paths{Home: home}, false},
		{"another mode", hook.Event{Mode: "on-request"}, nil, hook.Paths{Home: home}, false},
		{"no home", hook.Event{}, nil, hook.Paths{}, false},
		{"another XDG_CONFIG_HOME", hook.Event{}, nil, hook.Paths{Home: home, ConfigHome: "/x"}, false},
		{"the same XDG_CONFIG_HOME", hook.Event{}, nil, hook.Paths{Home: home, ConfigHome: filepath.Join(home, ".config")}, true},
	}
	for _, tt := range tests {
		ok, why := Adapter{}.MayRewrite(&tt.e, tt.files, tt.paths, "git status", "rtk git status")
		if ok != tt.want || ok == (why != "") {
			t.Errorf("%s: %v, %q", tt.name, ok, why)
		}
	}
}

func FuzzDecode(f *testing.F) {
	all, err := filepath.Glob(recorded + "/*/*.json")
	if err != nil || len(all) == 0 {
		f.Fatal("no payloads", err)
	}
	for _, name := range all {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Adapter{}.Decode("", b)
		if e.Host != Name {
			t.Fatalf("host %q", e.Host)
		}
		if err == nil && !json.Valid(e.Raw) {
			t.Fatalf("no error for %q", b)
		}
		for d := hook.Pass; d <= hook.Block; d++ {
			out := Adapter{}.Encode(e, hook.Verdict{Decision: d, Reason: string(b), Context: string(b), Notice: string(b), Input: b}).Stdout
			if _, err := hostReads(e, out); err != nil {
				t.Fatalf("%s on %s: %v\n%s", d, e.Name, err, out)
			}
		}
	})
}
