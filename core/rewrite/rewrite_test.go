package rewrite

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
)

var rules = []Rule{
	{"git status", "rtk git status"},
	{"git", "rtk git"},
	{"npm", "npm --silent"},
	{"$X", "never"},
	{"a && b", "never"},
	{"ls", "rm && ls"},
	{"proxy", "proxy proxy"},
	{"cat", "A=1 cat"},
	{"'cat'", "never"},
}

func TestPlainStagesAreSplicedAndNothingElseMoves(t *testing.T) {
	tests := []struct{ src, want string }{
		{"git status", "rtk git status"},
		{"  git   status  --short ", "  rtk git status  --short "},
		{"git\tstatus", "rtk git status"},
		{"git stash", "rtk git stash"},
		{"git status && git status", "rtk git status && rtk git status"},
		{"git status&&git log|cat ;git diff;", "rtk git status&&rtk git log|cat ;rtk git diff;"},
		{"cd web || git status", "cd web || rtk git status"},
		{`git commit -m "a  'b' && c"`, `rtk git commit -m "a  'b' && c"`},
		{`git log --format='%h %s' -n 3`, `rtk git log --format='%h %s' -n 3`},
		{`git add a\ b`, `rtk git add a\ b`},
		{"npm test", "npm --silent test"},
		{"npm --silent test", "npm --silent test"},
		{"proxy proxy ls", "proxy proxy ls"},
		{"echo git status", "echo git status"},
		{"gitk", "gitk"},
		{"svn status", "svn status"},
		{"python x.py && git status", "python x.py && rtk git status"},
		{"ls", "ls"},
		{"cat x", "cat x"},
		{"'git' status", "'git' status"},
		{`\git status`, `\git status`},
		{`"git" status`, `"git" status`},
		{"git commit -m 'é ü'", "rtk git commit -m 'é ü'"},
	}
	for _, tt := range tests {
		got, why := Line(tt.src, rules)
		if why != "" || got != tt.want {
			t.Errorf("%q: %q (%s), want %q", tt.src, got, why, tt.want)
		}
	}
}

func TestALineThatIsNotPlainIsLeftAlone(t *testing.T) {
	for _, src := range []string{
		"", " ", "git status\r", "git\rstatus", "git status\nls", "git status\x00", "git status > out", "git status 2>&1", "git status < x", "git status <<< x",
		"cat <<E\nx\nE", "git status &", "git log & git status", "git status |& cat", "(git status)", "{ git status; }", "! git status", "if true; then git status; fi",
		"for i in a; do git status; done", "git status $X", "git status ${X:-y}", "git log `date`", "git log $(date)", "git log <(date)", "A=1 git status", "X=1; git status",
		"git add *.go", "git add ?", "git add [ab]", "git add {a,b}", "git add ~/x", "git status # note", "sudo git status", "rtk git status", "env git status", "timeout 5 git status",
		"time git status", "command git status", "xargs git status", "sh -c 'git status'", "bash -c ls && git status", "eval git status", "find . -exec git status {} +",
		"ssh host git status", "git status; ;", "git status &&", "&& git status", "git status ;; ls", "f() { ls; }; git status", "git status 'unclosed", "$X status",
		"alias git=x; git status", "trap 'ls' EXIT; git status", "git log $'a'", "git log $\"a\"", "nohup git status", "echo a | sh", "git status; echo $?",
		`git log "$X"`, "git status \\\n --short", "exec git status", "git log !$; ls $HOME", "coproc git status", "[[ a ]] && git status", "((1)) && git status",
	} {
		if got, why := Line(src, rules); why == "" {
			t.Errorf("%q becomes %q", src, got)
		}
	}
}

func pass(tool hook.Tool) *gate.Pass {
	return &gate.Pass{Event: &hook.Event{Name: hook.PreToolUse, Tool: &tool}}
}

func shell(input string) hook.Tool {
	return hook.Tool{Name: "bash", Kind: hook.Shell, Input: json.RawMessage(input)}
}

func TestTheWholeInputIsKept(t *testing.T) {
	g := New(Settings{Rules: rules})
	tests := []struct{ input, want string }{
		{`{"command":"git status","description":"d","workdir":"w"}`, `{"command":"rtk git status","description":"d","workdir":"w"}`},
		{`{ "n": 12345678901234567890.10, "command": "git status", "deep": {"a":[1.50, null]} }`, `{ "n": 12345678901234567890.10, "command": "rtk git status", "deep": {"a":[1.50, null]} }`},
		{`{"CommandLine":"git status","Cwd":"/w","WaitMsBeforeAsync":2000}`, `{"CommandLine":"rtk git status","Cwd":"/w","WaitMsBeforeAsync":2000}`},
		{`{"command":"git commit -m \"<a> & b\" && ls"}`, `{"command":"rtk git commit -m \"<a> & b\" && ls"}`},
		{`{"com\u006dand":"git status","é":1}`, `{"com\u006dand":"rtk git status","é":1}`},
	}
	for _, tt := range tests {
		v, err := g.Run(context.Background(), pass(shell(tt.input)))
		if err != nil || v.Decision != hook.Rewrite || string(v.Input) != tt.want {
			t.Errorf("%s: %s %s, %v", tt.input, v.Decision, v.Input, err)
		}
		if !json.Valid(v.Input) {
			t.Errorf("%s is not JSON", v.Input)
		}
	}
}

func TestACallThatIsNotOneCommandIsSkipped(t *testing.T) {
	g := New(Settings{Rules: rules})
	for name, tool := range map[string]hook.Tool{
		"no command":      shell(`{}`),
		"an argv":         shell(`{"command":["git","status"]}`),
		"two commands":    shell(`{"command":"git status","cmd":"ls"}`),
		"a doubled one":   shell(`{"command":"ls","command":"git status"}`),
		"typed input too": shell(`{"command":"git status","input":"y"}`),
		"a text":          shell(`"git status"`),
		"PowerShell":      {Name: "powershell", Kind: hook.Shell, Input: json.RawMessage(`{"command":"git status"}`)},
		"not plain":       shell(`{"command":"git status > x"}`),
	} {
		v, err := g.Run(context.Background(), pass(tool))
		if !errors.Is(err, gate.ErrSkip) || v.Decision != hook.Pass {
			t.Errorf("%s: %s %s, %v", name, v.Decision, v.Input, err)
		}
	}
	v, err := g.Run(context.Background(), pass(shell(`{"command":"svn status"}`)))
	if err != nil || !v.Silent() {
		t.Errorf("no rule matches: %+v, %v", v, err)
	}
}

func TestTheHostsApprovalsAreAskedBothForms(t *testing.T) {
	var asked []string
	answer := false
	g := New(Settings{Rules: rules, Allowed: func(original, rewritten string) (bool, string) {
		asked = append(asked, original+" -> "+rewritten)
		return answer, "a rule names it"
	}})
	v, err := g.Run(context.Background(), pass(shell(`{"command":"git status"}`)))
	if !errors.Is(err, gate.ErrSkip) || !strings.Contains(err.Error(), "a rule names it") || v.Input != nil {
		t.Errorf("%+v, %v", v, err)
	}
	answer = true
	if v, err = g.Run(context.Background(), pass(shell(`{"command":"git status"}`))); err != nil || v.Decision != hook.Rewrite {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err = g.Run(context.Background(), pass(shell(`{"command":"svn up"}`))); err != nil {
		t.Error(err)
	}
	if len(asked) != 2 || asked[0] != "git status -> rtk git status" {
		t.Errorf("asked %q", asked)
	}
}

func TestNoRuleNoGate(t *testing.T) {
	if New(Settings{}) != nil {
		t.Error("a gate without rules")
	}
	g := New(Settings{Rules: rules})
	for _, e := range []*hook.Event{
		{Name: hook.PreToolUse, Tool: &hook.Tool{Kind: hook.MCP}},
		{Name: hook.PostToolUse, Tool: &hook.Tool{Kind: hook.Shell}},
		{Name: hook.PreToolUse},
	} {
		if ok, _ := g.Applies(e); ok {
			t.Errorf("applies to %+v", e)
		}
	}
}

// Whatever stands around the matched words keeps its bytes: undoing each
// replacement gives the line back.
func TestARewriteIsUndoneByItsInverse(t *testing.T) {
	word := rapid.SampledFrom([]string{"git", "status", "log", "'a b'", `"x"`, "-n", "--f=1", "cd", "é", "rtk", `a\ b`, "$X", ">", "(", "*", "~", "&", "#"})
	blank := rapid.SampledFrom([]string{" ", "  ", "\t"})
	op := rapid.SampledFrom([]string{"&&", "||", ";", "|"})
	only := []Rule{{"git status", "QQ git status"}}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 3).Draw(t, "stages") {
			for range rapid.IntRange(1, 4).Draw(t, "words") {
				b.WriteString(word.Draw(t, "word") + blank.Draw(t, "blank"))
			}
			b.WriteString(op.Draw(t, "op") + blank.Draw(t, "blank"))
		}
		src := strings.TrimRight(b.String(), "&|; \t")
		got, why := Line(src, only)
		if why != "" {
			return
		}
		back := strings.ReplaceAll(got, "QQ git status", "git status")
		if strings.Join(strings.Fields(back), " ") != strings.Join(strings.Fields(src), " ") {
			t.Fatalf("%q became %q", src, got)
		}
		if strings.ContainsAny(src, "$>(*~#") {
			t.Fatalf("%q is taken for plain", src)
		}
	})
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"git status", "a && git status|b", "git 'x", "sudo git status", "git {a,b}", "git ~"} {
		f.Add(s)
	}
	only := []Rule{{"git status", "QQ git status"}}
	f.Fuzz(func(t *testing.T, src string) {
		got, why := Line(src, only)
		if why != "" || got == src {
			return
		}
		if !strings.Contains(src, "git") || strings.ContainsAny(src, "\r\n\x00`$<>(){}") && !strings.ContainsAny(src, `"'\`) {
			t.Errorf("%q became %q", src, got)
		}
		if again, why := Line(got, only); why != "" || again != got {
			t.Errorf("%q became %q and then %q (%s)", src, got, again, why)
		}
	})
}
