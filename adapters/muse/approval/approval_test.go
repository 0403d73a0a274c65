package approval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// W is the session's workspace root in every row.
const W = "/home/dev/shop"

func file(s string) File { return File{Data: []byte(s)} }

// prefix is a persisted argv-prefix rule.
func prefix(effect, root string, argv ...string) string {
	words, err := json.Marshal(argv)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"effect":%q,"durability":"local_persistent","reason":null,"rule":{"kind":"shell_command_argv_prefix","argv_prefix":%s,"workspace_root":%q}}`, effect, words, root)
}

// exactKind is ASSUMED: the literal of the whole-command kind is not published.
// The product knows none, so such a rule is an unknown one there.
var exactKind = ExactKind{Kind: "shell_command_exact_raw", Member: "command"}

func exact(effect, command string) string {
	return fmt.Sprintf(`{"effect":%q,"durability":"local_persistent","reason":null,"rule":{"kind":%q,%q:%q}}`, effect, exactKind.Kind, exactKind.Member, command)
}

func v2(rules ...string) File {
	return file(`{"schema_version":2,"rules":[` + strings.Join(rules, ",") + `]}`)
}

// The 23 rows of the native approval-policy oracle: the findings behind them
// were measured on Muse Code 1.4.14 under --approval-mode untrusted, the
// wording of the rows is ours. "basis" is the confidence of each row: A
// measured on 1.4.x, B on an older build, C one source or inferred.
func TestTheOracleRows(t *testing.T) {
	rows := []struct {
		n       int
		name    string
		policy  File
		command string
		exact   bool // the whole-command kind is known
		want    Outcome
		native  string
		basis   string
	}{
		{1, "no file", Absent(), "git status", false, NoRules, "prompt", "A"},
		{2, "no rules", v2(), "git status", false, NoRules, "prompt", "A"},
		{3, "truncated JSON", file(`{"schema_version":2,"rules":[`), "git status", false, StepAside, "policy rejected", "A"},
		{4, "empty file", file(""), "git status", false, StepAside, "rejected", "B"},
		{4, "null", file("null"), "git status", false, StepAside, "rejected", "B"},
		{4, "empty object", file("{}"), "git status", false, StepAside, "rejected", "B"},
		{5, "schema 1", file(`{"schema_version":1,"rules":[]}`), "git status", false, StepAside, "rejected or migrated", "B"},
		{6, "no schema", file(`{"rules":[]}`), "git status", false, StepAside, "rejected", "C"},
		{6, "schema 3", file(`{"schema_version":3,"rules":[]}`), "git status", false, StepAside, "rejected", "C"},
		{7, "unknown top-level key", file(`{"schema_version":2,"rules":[],"x":1}`), "git status", false, StepAside, "rejected", "A"},
		{8, "unknown key in a rule", v2(strings.Replace(prefix("allow", W, "ls"), `"reason"`, `"x":1,"reason"`, 1)), "git status", false, StepAside, "rejected", "C"},
		{8, "unknown key in rule.rule", v2(strings.Replace(prefix("allow", W, "ls"), `"kind"`, `"x":1,"kind"`, 1)), "git status", false, StepAside, "rejected", "C"},
		{9, "unknown kind", v2(`{"effect":"allow","durability":"local_persistent","reason":null,"rule":{"kind":"new","argv_prefix":["ls"]}}`), "git status", false, StepAside, "rejected", "C"},
		{9, "unknown effect", v2(prefix("ask", W, "ls")), "git status", false, StepAside, "rejected", "C"},
		{10, "a second document", file(`{"schema_version":2,"rules":[]} {}`), "git status", false, StepAside, "rejected", "B"},
		{11, "allow prefix here", v2(prefix("allow", W, "git", "status")), "git status", false, StepAside, "allowed by policy", "A"},
		{12, "the prefix of a longer call", v2(prefix("allow", W, "git", "status")), "git status --short", false, StepAside, "allowed", "C"},
		{13, "another command", v2(prefix("allow", W, "git", "status")), "git stash", false, Unaffected, "prompt", "C"},
		{14, "allow prefix elsewhere", v2(prefix("allow", "/other", "git", "status")), "git status", false, StepAside, "prompt", "A"},
		{15, "allow prefix at a parent", v2(prefix("allow", "/home/dev", "git", "status")), "git status", false, StepAside, "prompt", "A"},
		{15, "allow prefix at a child", v2(prefix("allow", W+"/sub", "git", "status")), "git status", false, StepAside, "prompt", "A"},
		{16, "whole command", v2(exact("allow", "git status")), "git status", true, StepAside, "allowed", "A"},
		{16, "whole command, kind unknown", v2(exact("allow", "git status")), "git status", false, StepAside, "allowed", "A"},
		{17, "another whole command", v2(exact("allow", "git status")), "git status --short", true, Unaffected, "prompt", "C"},
		{17, "another whole command, kind unknown", v2(exact("allow", "git status")), "git status --short", false, StepAside, "prompt", "C"},
		{18, "allow and deny", v2(prefix("allow", W, "git", "status"), prefix("deny", W, "git", "status")), "git status", false, StepAside, "denied", "A"},
		{19, "deny all, allow one", v2(prefix("deny", W, "git"), prefix("allow", W, "git", "status")), "git status", false, StepAside, "denied", "A"},
		{19, "allow one, deny all", v2(prefix("allow", W, "git", "status"), prefix("deny", W, "git")), "git status", false, StepAside, "denied", "A"},
		{20, "deny whole, allow prefix", v2(exact("deny", "git status"), prefix("allow", W, "git", "status")), "git status", true, StepAside, "denied", "C"},
		{21, "allow both stages", v2(prefix("allow", W, "git", "status"), prefix("allow", W, "git", "log")), "git status && git log", false, StepAside, "allowed per stage", "A"},
		{22, "allow the first stage", v2(prefix("allow", W, "git", "status")), "git status && touch x", false, StepAside, "prompt", "A"},
		{23, "deny one stage", v2(prefix("deny", W, "rm")), "git status && rm x", false, StepAside, "denied", "A"},
	}
	seen := map[int]bool{}
	for _, r := range rows {
		seen[r.n] = true
		t.Run(fmt.Sprintf("%02d %s", r.n, r.name), func(t *testing.T) {
			q := Question{Original: r.command, Rewritten: "rtk " + r.command, Policy: r.policy, Settings: Absent()}
			if r.exact {
				q.ExactRaw = []ExactKind{exactKind}
			}
			if got := Compare(q); got.Outcome != r.want || (got.Why == "") != got.MayRewrite() {
				t.Errorf("got %s (%s), want %s; natively %s (%s)", got.Outcome, got.Why, r.want, r.native, r.basis)
			}
		})
	}
	for n := range 23 {
		if !seen[n+1] {
			t.Errorf("row %d is missing", n+1)
		}
	}
}

// Not measured natively: all of them must step aside, or be plainly untouched.
func TestWhatIsNotMeasuredStepsAside(t *testing.T) {
	ls := v2(prefix("allow", W, "ls"))
	status := v2(prefix("allow", W, "git", "status"))
	ask := file(`{"schema_version":1,"permissions":{"schema_version":1,"default_profile":":ask-me"}}`)
	tests := []struct {
		name string
		q    Question
		want Outcome
	}{
		{"a carriage return without rules", Question{Original: "git status\r"}, StepAside},
		{"a carriage return inside", Question{Original: "git\rstatus"}, StepAside},
		{"a carriage return in the new command", Question{Original: "git status", Rewritten: "rtk git status\r"}, StepAside},
		{"a NUL", Question{Original: "git status\x00"}, StepAside},
		{"no command", Question{Original: "  "}, StepAside},
		{"the zero question", Question{}, StepAside},
		{"an unreadable policy", Question{Policy: File{Err: errors.New("permission denied")}}, StepAside},
		{"an unreadable settings file", Question{Settings: File{Err: errors.New("permission denied")}}, StepAside},
		{"any syntax without rules", Question{Original: "git status > $OUT # done"}, NoRules},
		{"a rule for another command", Question{Policy: ls}, Unaffected},
		{"a rule for the new command", Question{Policy: v2(prefix("deny", "/other", "rtk"))}, StepAside},
		{"a program by its path", Question{Original: "/usr/bin/git status", Policy: status}, StepAside},
		{"a rule with the program's path", Question{Policy: v2(prefix("allow", W, "/usr/bin/git", "status"))}, StepAside},
		{"a program in capitals", Question{Original: "GIT status", Policy: status}, StepAside},
		{"a second stage", Question{Original: "ls -l; git status", Policy: status}, StepAside},
		{"a piped stage", Question{Original: "cat x|git status", Policy: status}, StepAside},
		{"a stage after or", Question{Original: "false||git status", Policy: status}, StepAside},
		{"a trailing semicolon", Question{Original: "ps aux;", Policy: status}, Unaffected},
		{"several plain stages", Question{Original: "ps aux && git log | cat; date", Policy: status}, Unaffected},
		{"a prefix that is longer than the stage", Question{Original: "git", Policy: status}, Unaffected},
		{"a root on Windows", Question{Original: "ps", Policy: v2(prefix("allow", `C:\\w`, "git"))}, Unaffected},
		{"no root, named", Question{Policy: v2(strings.Replace(prefix("allow", W, "git"), `,"workspace_root":"`+W+`"`, "", 1))}, StepAside},
		{"no root, not named", Question{Original: "ps", Policy: v2(strings.Replace(prefix("allow", W, "git"), `,"workspace_root":"`+W+`"`, "", 1))}, Unaffected},
		{"a relative root", Question{Original: "ps", Policy: v2(prefix("allow", "w", "git"))}, StepAside},
		{"an empty prefix", Question{Original: "ps", Policy: v2(prefix("allow", W))}, StepAside},
		{"words in one", Question{Policy: v2(prefix("allow", W, " git  status"))}, StepAside},
		{"an empty word", Question{Original: "ps", Policy: v2(prefix("allow", W, ""))}, StepAside},
		{"another durability", Question{Original: "ps", Policy: v2(strings.Replace(prefix("allow", W, "git"), "local_persistent", "session", 1))}, StepAside},
		{"no reason", Question{Original: "ps", Policy: v2(strings.Replace(prefix("allow", W, "git"), `"reason":null,`, "", 1))}, StepAside},
		{"a reason in words", Question{Original: "ps", Policy: v2(strings.Replace(prefix("allow", W, "git"), `"reason":null`, `"reason":"often"`, 1))}, Unaffected},
		{"a reason of a wrong type", Question{Original: "ps", Policy: v2(strings.Replace(prefix("allow", W, "git"), `"reason":null`, `"reason":false`, 1))}, StepAside},
		{"a tool's rule", Question{Original: "ps", Policy: v2(`{"effect":"allow","durability":"local_persistent","reason":null,"rule":{"kind":"tool_action","tool_name":"write_file"}}`)}, StepAside},
		{"a rule without a kind", Question{Original: "ps", Policy: v2(`{"effect":"allow","durability":"local_persistent","reason":null,"rule":{}}`)}, StepAside},
		{"a rule that is a word", Question{Original: "ps", Policy: v2(`"git"`)}, StepAside},
		{"rules that are an object", Question{Policy: file(`{"schema_version":2,"rules":{}}`)}, StepAside},
		{"schema 2.0", Question{Policy: file(`{"schema_version":2.0,"rules":[]}`)}, StepAside},
		{"schema 2e0", Question{Policy: file(`{"schema_version":2e0,"rules":[]}`)}, StepAside},
		{"schema 02", Question{Policy: file(`{"schema_version":02,"rules":[]}`)}, StepAside},
		{"schema in quotes", Question{Policy: file(`{"schema_version":"2","rules":[]}`)}, StepAside},
		{"doubled rules", Question{Policy: file(`{"schema_version":2,"rules":[` + prefix("deny", W, "git") + `],"rules":[]}`)}, StepAside},
		{"Rules in capitals", Question{Policy: file(`{"schema_version":2,"Rules":[` + prefix("deny", W, "git") + `],"rules":[]}`)}, StepAside},
		{"only Rules in capitals", Question{Policy: file(`{"schema_version":2,"Rules":[]}`)}, StepAside},
		{"a doubled member in a rule", Question{Original: "ps", Policy: v2(strings.Replace(prefix("allow", W, "git"), `"argv_prefix"`, `"argv_prefix":["ps"],"argv_prefix"`, 1))}, StepAside},
		{"a name with a long s", Question{Policy: file(`{"schema_version":2,"rules":[],"ruleſ":[]}`)}, StepAside},
		{"a byte order mark", Question{Policy: file("\xef\xbb\xbf" + `{"schema_version":2,"rules":[]}`)}, StepAside},
		{"bytes that are not UTF-8", Question{Original: "ps", Policy: v2(strings.Replace(prefix("allow", W, "git"), "git", "git\xff", 1))}, StepAside},
		{"half of a surrogate pair", Question{Original: "ps", Policy: v2(strings.Replace(prefix("allow", W, "git"), "git", `\ud800`, 1))}, StepAside},
		{"a comment", Question{Policy: file("{\"schema_version\":2,\"rules\":[]} // mine")}, StepAside},
		{"a trailing comma", Question{Policy: file(`{"schema_version":2,"rules":[],}`)}, StepAside},
		{"an escaped spelling", Question{Policy: v2(strings.Replace(prefix("allow", W, "git"), `"git"`, `"\u0067it"`, 1))}, StepAside},
		{"white space around it", Question{Original: "ps", Policy: file("\r\n\t{ \"schema_version\" : 2 ,\n\"rules\" : [ ] }\n")}, NoRules},
		{"nested too deeply", Question{Policy: file(strings.Repeat("[", 100) + strings.Repeat("]", 100))}, StepAside},
		{"PowerShell with a rule", Question{Original: "ps", PowerShell: true, Policy: ls}, StepAside},
		{"PowerShell without rules", Question{PowerShell: true}, NoRules},
		{"the default mode", Question{Mode: "default"}, NoRules},
		{"on-request", Question{Mode: "on-request"}, StepAside},
		{"no settings for permissions", Question{Settings: file(`{"schema_version":1,"model":"m"}`)}, NoRules},
		{"an explicit :ask-me", Question{Settings: ask}, NoRules},
		{"permissions without a profile", Question{Settings: file(`{"schema_version":1,"permissions":{"schema_version":1,"profiles":{}}}`)}, NoRules},
		{":auto-review", Question{Settings: file(strings.Replace(string(ask.Data), "ask-me", "auto-review", 1))}, StepAside},
		{"a named profile", Question{Settings: file(`{"schema_version":1,"permissions":{"schema_version":1,"profiles":{"mine":{}}}}`)}, StepAside},
		{"an unknown permission member", Question{Settings: file(`{"schema_version":1,"permissions":{"schema_version":1,"x":1}}`)}, StepAside},
		{"permissions of no schema", Question{Settings: file(`{"schema_version":1,"permissions":{}}`)}, StepAside},
		{"permissions of schema 2", Question{Settings: file(`{"schema_version":1,"permissions":{"schema_version":2}}`)}, StepAside},
		{"permissions that are null", Question{Settings: file(`{"schema_version":1,"permissions":null}`)}, StepAside},
		{"an approval setting", Question{Settings: file(`{"schema_version":1,"approval_mode":"never"}`)}, StepAside},
		{"Permissions in capitals", Question{Settings: file(`{"schema_version":1,"Permissions":{"schema_version":1}}`)}, StepAside},
		{"malformed settings", Question{Settings: file(`{"schema_version":1`)}, StepAside},
		{"settings of no schema", Question{Settings: file(`{}`)}, StepAside},
		{"settings that are a list", Question{Settings: file(`[]`)}, StepAside},
	}
	for _, syntax := range []string{
		"git status $X", "git log `x`", "git 'status'", `git "status"`, `git stat\us`, "ls *.go", "ls a?", "ls [ab]", "echo {a,b}", "(git log)", "git log > x",
		"git log < x", "! git log", "ls ~", "git log # x", "A=1 git log", "if git log", "git log & ls", "git log &", "git log\nls", "git log && ", "&& ls", "a ;; b",
		"git log |& cat", "cat <<E", "git l\u00f6g", "git\u00a0log", "git log\v", "^a^b", "=git log",
		"timeout 5 git log", "time git log", "nice git log", "nohup git log", "stdbuf -o0 git log", "env A=1 git log", "sudo git log", "command git log", "exec git log",
		"builtin cd", "noglob ls", "nocorrect ls", "xargs git", "bash -c ls", "/bin/sh x", "zsh x", "doas ls", "setsid ls", "ionice ls", "eval ls", "source x", ". x",
		"find x", "parallel ls", "watch ls", "script x", "ls && /usr/bin/env git", "SUDO ls",
	} {
		tests = append(tests, struct {
			name string
			q    Question
			want Outcome
		}{"with a rule: " + syntax, Question{Original: syntax, Policy: v2(prefix("allow", W, "nothing"))}, StepAside})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := tt.q
			if q.Original == "" && tt.name != "the zero question" {
				q.Original = "git status"
			}
			if q.Rewritten == "" {
				q.Rewritten = "rtk " + q.Original
			}
			if q.Policy.Data == nil && q.Policy.Err == nil {
				q.Policy = Absent()
			}
			if q.Settings.Data == nil && q.Settings.Err == nil {
				q.Settings = Absent()
			}
			if got := Compare(q); got.Outcome != tt.want {
				t.Errorf("got %s (%s), want %s", got.Outcome, got.Why, tt.want)
			}
		})
	}
}

func TestWholeCommandsAreComparedInEverySpelling(t *testing.T) {
	tests := []struct {
		rule, command string
		want          Outcome
	}{
		{"git status", "git status", StepAside},
		{"git status", "  git status\t", StepAside},
		{"git  status ", "git status", StepAside},
		{"git\tstatus", "git   status", StepAside},
		{"git status && git log", "git status && git log", StepAside},
		{"git status&&git log", "git status && git log", StepAside},
		{"git status && git log", "git status&&git  log", StepAside},
		{"git log", "git status && git log", StepAside},
		{"rtk git status", "git status", StepAside}, // names the new one
		{"git status", "git status --short", Unaffected},
		{"git stat", "git status", Unaffected},
		{"git status | cat", "git status && cat", Unaffected},
		{`git log --format="%h"`, "git log", Unaffected},
	}
	for _, tt := range tests {
		q := Question{Original: tt.command, Rewritten: "rtk " + tt.command, Policy: v2(exact("allow", tt.rule)), Settings: Absent(), ExactRaw: []ExactKind{exactKind}}
		if got := Compare(q); got.Outcome != tt.want {
			t.Errorf("rule %q, command %q: got %s (%s), want %s", tt.rule, tt.command, got.Outcome, got.Why, tt.want)
		}
	}
	for _, bad := range []string{`{"kind":"shell_command_exact_raw"}`, `{"kind":"shell_command_exact_raw","command":" "}`, `{"kind":"shell_command_exact_raw","command":1}`, `{"kind":"shell_command_exact_raw","command":"ls","x":1}`} {
		policy := v2(`{"effect":"allow","durability":"local_persistent","reason":null,"rule":` + bad + `}`)
		if got := Compare(Question{Original: "ps", Rewritten: "rtk ps", Policy: policy, Settings: Absent(), ExactRaw: []ExactKind{exactKind}}); got.MayRewrite() {
			t.Errorf("%s: %s", bad, got.Outcome)
		}
	}
}

type osFS struct{}

func (osFS) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }
func (osFS) ReadFile(name string, max int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(b)) > max {
		err = errors.New("too large")
	}
	return b, err
}

func TestReadTakesRegularFilesOnly(t *testing.T) {
	put := func(t *testing.T, name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(t *testing.T, to, name string) {
		t.Helper()
		if err := os.Symlink(to, name); err != nil {
			t.Skip(err)
		}
	}
	const empty = `{"schema_version":2,"rules":[]}`
	tests := []struct {
		name  string
		setup func(t *testing.T, dir string)
		want  Outcome
	}{
		{"no folder", func(*testing.T, string) {}, NoRules},
		{"an empty folder", func(t *testing.T, dir string) { put(t, dir+"/x", "") }, NoRules},
		{"a file", func(t *testing.T, dir string) { put(t, dir+"/approval-policy.json", empty) }, NoRules},
		{"a linked file", func(t *testing.T, dir string) {
			put(t, dir+"/real.json", empty)
			link(t, "real.json", dir+"/approval-policy.json")
		}, StepAside},
		{"a dangling link", func(t *testing.T, dir string) {
			put(t, dir+"/x", "")
			link(t, "gone.json", dir+"/approval-policy.json")
		}, StepAside},
		{"a linked folder", func(t *testing.T, dir string) {
			put(t, dir+"-real/approval-policy.json", empty)
			link(t, dir+"-real", dir)
		}, StepAside},
		{"a file in the folder's place", func(t *testing.T, dir string) { put(t, dir, "") }, StepAside},
		{"a folder in the file's place", func(t *testing.T, dir string) { put(t, dir+"/approval-policy.json/x", "") }, StepAside},
		{"a linked settings file", func(t *testing.T, dir string) {
			put(t, dir+"/real.json", `{"schema_version":1}`)
			link(t, "real.json", dir+"/settings.json")
		}, StepAside},
		{"a huge file", func(t *testing.T, dir string) {
			put(t, dir+"/approval-policy.json", empty+strings.Repeat(" ", MaxFile))
		}, StepAside},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			dir, err := Dir(home, "")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
				t.Fatal(err)
			}
			tt.setup(t, dir)
			policy, settings := Read(osFS{}, dir)
			if got := Compare(Question{Original: "git status", Rewritten: "rtk git status", Policy: policy, Settings: settings}); got.Outcome != tt.want {
				t.Errorf("got %s (%s), want %s", got.Outcome, got.Why, tt.want)
			}
		})
	}
}

func TestDirIsBelowTheHomeOrUnknown(t *testing.T) {
	home := t.TempDir()
	for _, xdg := range []string{"", filepath.Join(home, ".config"), home + "/./.config/"} {
		if dir, err := Dir(home, xdg); err != nil || dir != filepath.Join(home, ".config", "muse") {
			t.Errorf("XDG_CONFIG_HOME=%q: %q, %v", xdg, dir, err)
		}
	}
	for _, xdg := range []string{"/elsewhere", "relative", home} {
		if _, err := Dir(home, xdg); err == nil {
			t.Errorf("XDG_CONFIG_HOME=%q: no error", xdg)
		}
	}
	for _, bad := range []string{"", "relative"} {
		if _, err := Dir(bad, ""); err == nil {
			t.Errorf("home %q: no error", bad)
		}
	}
}

// named reports, from a reading that is as lenient as a reader can be, whether
// any list of words anywhere in b is a prefix of a stage of cmd.
func named(b []byte, cmd string) bool {
	var found bool
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, item := range v {
				walk(item)
			}
		case []any:
			var words []string
			for _, item := range v {
				walk(item)
				if s, ok := item.(string); ok {
					words = append(words, s)
				}
			}
			if len(words) == len(v) && len(v) > 0 && strings.HasPrefix(cmd+" ", strings.Join(words, " ")+" ") {
				found = true
			}
		}
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	for {
		var v any
		if dec.Decode(&v) != nil {
			return found
		}
		walk(v)
	}
}

// A policy that Compare accepts is one that encoding/json reads the same way,
// and no list of words in it names the command.
func checkMutation(t interface {
	Helper()
	Errorf(string, ...any)
}, b []byte,
) {
	t.Helper()
	got := Compare(Question{Original: "git status", Rewritten: "rtk git status", Policy: File{Data: b}, Settings: Absent()})
	if !got.MayRewrite() {
		if got.Why == "" {
			t.Errorf("stepped aside without a reason: %q", b)
		}
		return
	}
	if !json.Valid(b) {
		t.Errorf("%s for what is not JSON: %q", got.Outcome, b)
	}
	if named(b, "git status") {
		t.Errorf("%s although a rule names the command: %q", got.Outcome, b)
	}
	type strict struct {
		SchemaVersion json.Number `json:"schema_version"`
		Rules         []struct {
			Effect, Durability string
			Reason             *string
			Rule               struct {
				Kind          string
				ArgvPrefix    []string `json:"argv_prefix"`
				WorkspaceRoot string   `json:"workspace_root"`
			}
		}
	}
	var s strict
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil || s.SchemaVersion != "2" || (len(s.Rules) == 0) != (got.Outcome == NoRules) {
		t.Errorf("%s: read otherwise as %+v (%v): %q", got.Outcome, s, err, b)
	}
}

// Structure changed at random, words left alone: a named command never becomes
// an unnamed one.
func TestNoChangeOfStructureHidesANamedCommand(t *testing.T) {
	whole := string(v2(prefix("deny", W, "git", "status"), prefix("allow", W, "ls")).Data)
	tokens := strings.SplitAfter(strings.NewReplacer("{", "{\x01", "}", "}\x01", ",", ",\x01", "[", "[\x01", "]", "]\x01", ":", ":\x01").Replace(whole), "\x01")
	for i := range tokens {
		tokens[i] = strings.TrimSuffix(tokens[i], "\x01")
	}
	rapid.Check(t, func(t *rapid.T) {
		out := append([]string(nil), tokens...)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			i := rapid.IntRange(0, len(out)-1).Draw(t, "at")
			if strings.Contains(out[i], "git") || strings.Contains(out[i], `"status"`) {
				continue
			}
			switch rapid.IntRange(0, 4).Draw(t, "how") {
			case 0:
				out[i] = ""
			case 1:
				out[i] += out[i]
			case 2:
				out[i] = strings.ToUpper(out[i])
			case 3:
				out[i] = rapid.SampledFrom([]string{"\xef\xbb\xbf", " ", "\x00", "\xff", "0", `"x":1,`, "{}", "[]", "null", "//", `\`}).Draw(t, "what") + out[i]
			case 4:
				k := rapid.IntRange(0, len(out)-1).Draw(t, "with")
				if !strings.Contains(out[k], "git") && !strings.Contains(out[k], `"status"`) {
					out[i], out[k] = out[k], out[i]
				}
			}
		}
		b := []byte(strings.Join(out, ""))
		got := Compare(Question{Original: "git status", Rewritten: "rtk git status", Policy: File{Data: b}, Settings: Absent()})
		if got.MayRewrite() && bytes.Contains(b, []byte(`["git","status"]`)) {
			t.Fatalf("%s: %s", got.Outcome, b)
		}
	})
}

func FuzzPolicy(f *testing.F) {
	f.Add(v2().Data)
	f.Add(v2(prefix("deny", W, "git", "status")).Data)
	f.Add(v2(prefix("allow", W, "ls"), prefix("allow", "/x", "git", "log")).Data)
	f.Add([]byte(`{"schema_version":2,"rules":[{"effect":"allow","durability":"local_persistent","reason":"\u00e9","rule":{"argv_prefix":["\u0067it"],"kind":"shell_command_argv_prefix"}}]}`))
	f.Fuzz(func(t *testing.T, b []byte) { checkMutation(t, b) })
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"permissions":{"schema_version":1,"default_profile":":ask-me","profiles":{}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := Compare(Question{Original: "git status", Rewritten: "rtk git status", Policy: Absent(), Settings: File{Data: b}})
		if !got.MayRewrite() {
			return
		}
		var s struct {
			Permissions *struct {
				DefaultProfile *string                    `json:"default_profile"`
				Profiles       map[string]json.RawMessage `json:"profiles"`
			} `json:"permissions"`
		}
		if err := json.Unmarshal(b, &s); err != nil {
			t.Fatalf("accepted %q: %v", b, err)
		}
		if p := s.Permissions; p != nil && (p.DefaultProfile != nil && *p.DefaultProfile != ":ask-me" || len(p.Profiles) > 0) {
			t.Fatalf("accepted %q", b)
		}
	})
}

// A line that splits without objection is words, blanks and operators only, and
// its words are those of a plain split.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"git status", "a && b|c ; d;", "a&b", "x=1 y", "sudo a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, cmd string) {
		stages, why := split(cmd)
		if why != "" {
			return
		}
		var words []string
		for _, s := range stages {
			if len(s.words) == 0 {
				t.Fatalf("%q: an empty stage", cmd)
			}
			words = append(words, s.words...)
		}
		rest := strings.NewReplacer("&&", " ", "||", " ", "|", " ", ";", " ").Replace(cmd)
		if strings.Join(words, " ") != strings.Join(strings.Fields(rest), " ") {
			t.Fatalf("%q: words %q", cmd, words)
		}
	})
}
