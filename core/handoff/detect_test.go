package handoff

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/handoff/pack"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// shellPass is a finished, or a coming, shell call in /p.
func shellPass(name hook.EventName, command string) *gate.Pass {
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	e := &hook.Event{Name: name, Cwd: "/p", Root: "/p", Tool: &hook.Tool{Name: "Bash", Kind: hook.Shell, Input: input}}
	if name.AfterTool() {
		e.Tool.Result = &hook.Result{Outcome: hook.Succeeded}
	}
	return &gate.Pass{Event: e, Env: gate.Env{Home: "/home/u", Now: time.Now, FS: fsx.OS{}}}
}

func TestCommandsAreKnownByTheirWords(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are POSIX ones")
	}
	c := &compiled{Settings: &Settings{}, Pack: &pack.Pack{}}
	for _, tt := range []struct {
		words, command string
		before, after  bool
	}{
		{"git push", "git push", true, true},
		{"git push", "git push origin main", true, true},
		{"git push", "git -C ../x -c a=b push --force", true, true},
		{"git push", "cd sub && git push", true, true},
		{"git push", "sudo -u me env A=b git push", true, true},
		{"git push", "bash -c 'git push'", true, true},
		{"git push", `"git" 'push'`, true, true},
		{"git push", "/usr/bin/git push", true, true},
		{"git push", "true || git push", true, false},
		{"git push", "git push || true", true, false},
		{"git push", "git push | tee log", true, false},
		{"git push", "git push &", true, false},
		{"git push", "! git push", true, false},
		{"git push", "git pull", false, false},
		{"git push", "git commit -m 'git push'", false, false},
		{"git push", "echo git push", false, false},
		{"git push", "git stash push", false, false},
		{"git push", "gitk push", false, false},
		{"make lint", "make -j 4 -C sub lint", true, true},
		{"make lint", "make lint test", true, true},
		{"make lint", "make test lint", false, false},
		{"npm run *", "npm --silent run anything", true, true},
		{"npm run *", "npm run", false, false},
	} {
		tr := &pack.Trigger{Command: []string{tt.words}}
		for _, name := range []hook.EventName{hook.PreToolUse, hook.PostToolUse} {
			p := shellPass(name, tt.command)
			want := tt.before
			if name == hook.PostToolUse {
				want = tt.after
			}
			if _, got := c.look(t.Context(), p, tr); got != want {
				t.Errorf("%s: %s by %q: %v, want %v", name, tt.command, tt.words, got, want)
			}
		}
	}
}

func TestEditsAreSeenHoweverTheyAreMade(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are POSIX ones")
	}
	c := &compiled{Settings: &Settings{}, Pack: &pack.Pack{}}
	tr := &pack.Trigger{Edited: []string{"src/**", "CHANGELOG.md"}}
	for command, want := range map[string]string{
		"echo x > src/a.go":                     "src/a.go",
		"cat >> CHANGELOG.md <<'E'\n- x\nE":     "CHANGELOG.md",
		"cd src && echo x > a.go":               "src/a.go",
		"sed -i s/a/b/ src/a.go":                "src/a.go",
		"sed s/a/b/ src/a.go":                   "",
		"printf x | tee -a src/a.go":            "src/a.go",
		"cp /tmp/a.go src/":                     "src/a.go",
		"cp src/a.go /tmp/":                     "",
		"mv src/a.go lib/a.go":                  "src/a.go",
		"rm src/a.go":                           "src/a.go",
		"cat src/a.go > /dev/null":              "",
		"echo x > lib/a.go":                     "",
		"echo 'x > src/a.go'":                   "",
		"python3 -c \"open('src/a.go','w')\"":   "src/a.go",
		"ssh host 'echo x > /p/src/a.go'":       "",
		"echo x > ../p/src/a.go":                "src/a.go",
		"f() { echo x > src/a.go; }":            "",
		"git commit -m 'change src/a.go' --all": "",
	} {
		s, ok := c.look(t.Context(), shellPass(hook.PostToolUse, command), tr)
		if got := strings.Join(s.keys, " "); got != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// Whatever a trigger sees, its cheap test lets through: under-matching there is
// a dead escape hatch.
func TestTheCheapTestNeverHidesAnEdit(t *testing.T) {
	for _, command := range []string{
		"echo x > src/a.go", "sed -i s/a/b/ src/a.go", "tee src/a.go", "cp a src/a.go", "mv a src/a.go", "rm src/a.go", "touch src/a.go",
		"python3 -c \"open('src/a.go','w')\"", "node -e \"require('fs').writeFileSync('src/a.go','x')\"", "perl -pi -e s/a/b/ src/a.go", "install a src/a.go",
	} {
		if !writes(command) {
			t.Errorf("%s passes by", command)
		}
	}
}

func TestPullRequestsAreOneWhateverNamesThem(t *testing.T) {
	set := []string{"https://github.com/o/r/pull/7", "o/s#8", "#9"}
	for key, want := range map[string]bool{
		"https://github.com/o/r/pull/7": true, "o/r#7": true, "#7": true, "https://github.com/o/x/pull/7": false,
		"o/s#8": true, "o/r#8": false, "#10": false, "o/r#9": true, "r9": false, thisBranch: false,
	} {
		if got := holds(set, key); got != want {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
	if !holds([]string{"*"}, "t1") || holds([]string{"t2"}, "t1") || holds(nil, "") {
		t.Error("the wildcard stands for all, another member for none")
	}
}

func TestSkillFoldersAreUnfolded(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"cache/m/muggle-a/1/skills", "cache/m/other/1/skills", "cache/n/muggle-b/2/skills"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	got := unfold(fsx.OS{}, filepath.Join(dir, "cache", "*", "muggle*", "*", "skills"))
	want := []string{filepath.Join(dir, "cache", "m", "muggle-a", "1", "skills"), filepath.Join(dir, "cache", "n", "muggle-b", "2", "skills")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := unfold(fsx.OS{}, filepath.Join(dir, "none", "*", "skills")); got != nil {
		t.Errorf("%q", got)
	}
}

func TestNothingIsRecordedTwice(t *testing.T) {
	c := Settings{Packs: []*pack.Pack{Shipped("delivery")}}.compile(0)
	p := shellPass(hook.PostToolUse, "true")
	var changes []session.Change
	p.Record = func(ch session.Change) { changes = append(changes, ch) }
	// Meeting what is owed member by member, and was never opened, writes nothing.
	c.effects(p, seen{trigger: &pack.Trigger{Meets: []string{"stages"}}, keys: []string{"a.md"}})
	if len(changes) != 0 {
		t.Errorf("%+v", changes)
	}
}

func TestRowsAreDescribed(t *testing.T) {
	s := Settings{Packs: []*pack.Pack{Shipped("delivery"), Shipped("muggle")}, Binary: "/h/.guardrails/bin/guardrails"}
	rules := map[string]bool{}
	for _, r := range s.Rows() {
		if rules[r.Rule] {
			t.Errorf("%s stands for two rows", r.Rule)
		}
		rules[r.Rule] = true
		if r.Doc == "" || len(r.Opens) == 0 {
			t.Errorf("%s says too little: %+v", r.Rule, r)
		}
		if r.Kind == "obligation" && len(r.Meets) == 0 {
			t.Errorf("%s cannot be met: %+v", r.Rule, r)
		}
		for _, rest := range []string{"{items}", "{skip}", "{bin}", "{why}"} {
			if strings.Contains(r.Text, rest) {
				t.Errorf("%s keeps %s", r.Rule, rest)
			}
		}
	}
	for _, id := range []string{"handoff/e2e", "handoff/muggle/e2e", "handoff/reconcile", "handoff/skips"} {
		if !rules[id] {
			t.Errorf("no row %s", id)
		}
	}
}

func TestEveryStopRowAndEveryDenialNamesItsWayOut(t *testing.T) {
	for _, name := range []string{"delivery", "muggle"} {
		s := Settings{Packs: []*pack.Pack{Shipped(name)}, Binary: "/h/.guardrails/bin/guardrails", Mute: true}
		for _, r := range s.Rows() {
			switch {
			case r.Kind != "obligation" && r.ID != "classify":
			case r.ID == "capability-claim": // said once: there is nothing to skip
			case r.Marker == "" || !strings.Contains(r.Text, r.Marker) || !strings.HasPrefix(r.Marker, `echo "`+s.Packs[0].SkipPrefix):
				t.Errorf("%s: %q in %q", r.Rule, r.Marker, r.Text)
			case !strings.Contains(r.Text, "/h/.guardrails/bin/guardrails explain "+r.Rule):
				t.Errorf("%s does not say how to learn more: %q", r.Rule, r.Text)
			}
		}
	}
}

func BenchmarkNew(b *testing.B) {
	s := Settings{Packs: []*pack.Pack{Shipped("delivery"), Shipped("muggle")}}
	e := shellPass(hook.PostToolUse, "ls -la").Event
	b.ReportAllocs()
	for b.Loop() {
		for _, g := range New(s) {
			g.Applies(e)
		}
	}
}

// Antigravity 1.1 nests an MCP call's arguments and sends no result: that is in
// its transcript.
func TestWhatAHostKeepsElsewhereIsFound(t *testing.T) {
	c := &compiled{Settings: &Settings{}, Pack: &pack.Pack{Tools: []pack.Pair{{Key: "execute", Values: []string{"execute-replay"}}}}}
	call := func(tool, args string) *gate.Pass {
		e := &hook.Event{Name: hook.PostToolUse, Cwd: "/p", Root: "/p", Tool: &hook.Tool{
			Name: "call_mcp_tool", Kind: hook.MCP, Result: &hook.Result{Outcome: hook.Succeeded},
			Input: json.RawMessage(`{"ServerName":"s","ToolName":"` + tool + `","Arguments":` + args + `}`),
		}}
		return &gate.Pass{Event: e, Env: gate.Env{Now: time.Now, FS: fsx.OS{}}}
	}
	emit := &pack.Trigger{Tool: []string{"skill-emit"}, Args: []pack.Pair{{Key: "skillName", Values: []string{"acceptance"}}}}
	if _, ok := c.look(t.Context(), call("skill-emit", `{"skillName":"acceptance"}`), emit); !ok {
		t.Error("the nested argument is not seen")
	}
	if _, ok := c.look(t.Context(), call("skill-emit", `{"skillName":"another"}`), emit); ok {
		t.Error("another argument is taken for it")
	}
	p := call("execute-replay", `{"testCaseId":"t1"}`)
	p.Env.Outcome = func(*hook.Event) *hook.Result {
		return &hook.Result{Outcome: hook.Succeeded, Text: "**Run ID:** r1\n**Status:** failed"}
	}
	if s, _ := c.look(t.Context(), p, &pack.Trigger{Sees: pack.SeesFailedRun}); strings.Join(s.keys, " ") != "r1" {
		t.Errorf("the run in the transcript: %q", s.keys)
	}
	c.Transcript = func(string) []byte {
		return []byte(`{"step_index":0,"type":"USER_INPUT","content":"<USER_REQUEST>\nimplement the export\n</USER_REQUEST>\n<NOTES>x</NOTES>"}` + "\n" +
			`{"step_index":1,"type":"PLANNER_RESPONSE","content":"ok"}` + "\n")
	}
	e := &hook.Event{Name: hook.UserPromptSubmit, Transcript: "/t"}
	if _, ok := c.look(t.Context(), &gate.Pass{Event: e}, &pack.Trigger{Sees: pack.SeesBuild}); !ok {
		t.Error("the prompt in the transcript is not seen")
	}
}

func TestAWatchsLogIsReadWhereTheHostKeepsIt(t *testing.T) {
	c := &compiled{Settings: &Settings{}, Pack: &pack.Pack{}}
	p := shellPass(hook.PostToolUse, "tail -5 followup.log") // Antigravity 1.1 sends no output
	p.Env.Outcome = func(*hook.Event) *hook.Result {
		return &hook.Result{Outcome: hook.Succeeded, Text: "TERMINAL pr=7: MERGED\n"}
	}
	if s, ok := c.look(t.Context(), p, &pack.Trigger{PR: []string{"merged"}}); !ok || strings.Join(s.keys, " ") != "#7" {
		t.Errorf("%v %q", ok, s.keys)
	}
}

func TestWhatTestsPrintIsNoPullRequest(t *testing.T) {
	c := &compiled{Settings: &Settings{}, Pack: &pack.Pack{}}
	for command, want := range map[string]bool{"go test -v ./...": false, "npm test": false, "make ship": true, "go test ./... && gh pr merge 7 -s": true} {
		p := shellPass(hook.PostToolUse, command)
		p.Event.Tool.Result = &hook.Result{Outcome: hook.Succeeded, Text: "✓ Squashed and merged pull request o/r#7 (x)\n"}
		if _, ok := c.look(t.Context(), p, &pack.Trigger{PR: []string{"merged"}}); ok != want {
			t.Errorf("%s: %v", command, ok)
		}
	}
}

func TestAStageThatACommandShowsWasRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are POSIX ones")
	}
	c := &compiled{Settings: &Settings{}, Pack: &pack.Pack{Skills: []string{".claude/skills"}}}
	for command, want := range map[string]string{
		"cat .claude/skills/do/stages/a.md":                 "do/stages/a.md",
		"cd .claude/skills/do && sed -n 1,200p stages/a.md": "do/stages/a.md",
		"cat .claude/skills/do/a.md .claude/skills/do/b.md": "do/a.md do/b.md",
		"head -50 /p/.claude/skills/do/a.md | cat -n":       "do/a.md",
		"ls .claude/skills/do/a.md":                         "",
		"grep -n x .claude/skills/do/a.md":                  "",
		"cat .claude/skills/do/a.md > /tmp/copy.md":         "",
		"cat docs/a.md":                   "",
		"echo cat .claude/skills/do/a.md": "",
	} {
		s, ok := c.look(t.Context(), shellPass(hook.PostToolUse, command), &pack.Trigger{Sees: pack.SeesStageRead})
		if got := strings.Join(s.keys, " "); got != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
