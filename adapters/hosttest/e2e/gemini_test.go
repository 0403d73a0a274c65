//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ec261362/guardrails/adapters/hosttest"
	"github.com/ec261362/guardrails/core/hook"
)

// newGeminiWorld is a machine with Gemini CLI on it, and with settings that a
// run there needs.
func newGeminiWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, gemini)
	w.agent = "gemini"
	writeFile(t, w.geminiUser(), hosttest.GeminiSettings)
	return w
}

// geminiUser is the person's own settings file.
func (w *world) geminiUser() string { return filepath.Join(w.home, ".gemini", "settings.json") }

// geminiHooks is the file of our extension that registers us.
func (w *world) geminiHooks() string {
	return filepath.Join(w.home, ".gemini", "extensions", "guardrails", "hooks", "hooks.json")
}

// stand puts another program in the place of our installed one.
func (w *world) stand(bin string) {
	w.t.Helper()
	if err := os.Remove(w.installed()); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Link(bin, w.installed()); err != nil {
		w.t.Fatal(err)
	}
}

// double builds a program of testdata that stands in our place.
func double(t *testing.T, name string) string {
	t.Helper()
	bin := filepath.Join(filepath.Dir(built), name)
	build := exec.Command("go", "build", "-o", bin, "./testdata/"+name)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	return bin
}

// playGemini runs one session of Gemini CLI in the project, with nothing but our
// answer before a call.
func (w *world) playGemini(p play) session {
	w.t.Helper()
	server := serve(w.t, hosttest.Script{
		Conversations: append(slices.Clone(p.others), hosttest.Conversation{Name: mainPart, Turns: p.turns}),
	})
	if p.prompt == "" {
		p.prompt = "Please go on as planned."
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	r, err := hosttest.Run(ctx, hosttest.Gemini{
		Bin: hosts[w.version], Dir: w.project, Home: w.home, BaseURL: server.URL(), Env: w.env,
		Args: append([]string{"--approval-mode", "yolo"}, p.args...), Prompt: p.prompt, Stream: true,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	s := session{Result: r, w: w, server: server}
	if init := r.Find("init", ""); len(init) > 0 {
		s.id = init[0].Session
	}
	for _, out := range server.Of(hosttest.Outbound) {
		w.t.Errorf("the session wanted to reach %s", out.Path)
	}
	if r.ExitCode != 0 {
		w.t.Fatalf("the session ended with %d\nstdout: %s\nstderr: %s", r.ExitCode, r.Stdout, r.Stderr)
	}
	return s
}

// undisturbed fails the test if the host has anything to say of a hook.
func (s session) undisturbed(t *testing.T) {
	t.Helper()
	for _, word := range []string{"hook", "Hook", "blocked"} {
		if strings.Contains(string(s.Stderr), word) {
			t.Errorf("the host speaks of hooks:\n%s", s.Stderr)
			return
		}
	}
}

// events counts the lines of our log by event, from the given one on.
func (w *world) events(from int) map[string]int {
	w.t.Helper()
	got := map[string]int{}
	for _, l := range w.log()[from:] {
		got[l.Event]++
		if l.Host != w.agent || l.Lapse != "" {
			w.t.Errorf("line %+v", l)
		}
	}
	return got
}

func shell(command string) hosttest.Call {
	return hosttest.Call{Tool: "run_shell_command", Input: obj{"command": command, "description": "a step"}}
}

func writeFileCall(path, content string) hosttest.Call {
	return hosttest.Call{Tool: "write_file", Input: obj{"file_path": path, "content": content}}
}

func TestE2EGeminiOneSession(t *testing.T) {
	t.Parallel()
	w := newGeminiWorld(t)
	w.init()
	plain, first, second := w.sentinel("plain"), w.sentinel("first"), w.sentinel("second")
	s := w.playGemini(play{turns: []hosttest.Turn{
		hosttest.Use(shell("rm -rf " + plain)),
		hosttest.Use(shell("git status")),
		hosttest.Use(shell("rm -rf "+first), shell("echo beside"), shell("cd "+w.home+" && rm -rf precious/second")),
		hosttest.Use(writeFileCall("src/new.txt", "text\n")),
		hosttest.Use(shell("false")),
		hosttest.Say("All done."),
	}})
	r := s.results(t, mainPart, 7)
	w.sub("a denied delete never ran and the model saw why", func(_ *testing.T, w *world) {
		w.denied(r[0])
		w.stands(plain)
	})
	w.sub("git status ran", func(t *testing.T, w *world) {
		w.ran(r[1])
		if !strings.Contains(r[1].Text, "On branch") {
			t.Errorf("it said %q", r[1].Text)
		}
	})
	w.sub("calls of one message are judged each", func(_ *testing.T, w *world) {
		w.denied(r[2])
		w.ran(r[3])
		w.denied(r[4])
		w.stands(first)
		w.stands(second)
	})
	w.sub("a write ran and the session names its path", func(t *testing.T, w *world) {
		w.ran(r[5])
		if got := w.touched(s.id); !slices.Equal(got, []string{"src/new.txt"}) {
			t.Errorf("touched: %q", got)
		}
	})
	w.sub("a command that fails is only that", func(t *testing.T, w *world) {
		w.ran(r[6]) // the host tells of the code in the text
		if !strings.Contains(r[6].Text, "Exit Code: 1") || strings.Contains(r[6].Text, "hook") {
			t.Errorf("the model was told %q", r[6].Text)
		}
	})
	w.sub("the turn ends when the model does", func(t *testing.T, _ *world) {
		if got := len(s.server.Turns(mainPart)); got != 6 {
			t.Errorf("the model was asked %d times, want 6", got)
		}
	})
	w.sub("the log has one line for every call of a hook", func(t *testing.T, w *world) {
		want := map[string]int{"SessionStart": 1, "BeforeAgent": 1, "BeforeTool": 7, "AfterTool": 4, "AfterAgent": 1, "SessionEnd": 1}
		if got := w.events(0); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// TestE2EGeminiUninstallLeavesEverythingAsItWas goes init, session, uninstall, in
// each place that init can write to.
func TestE2EGeminiUninstallLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	w := newGeminiWorld(t)
	const mine = "{ // mine\n\t\"ui\": {\"hideTips\" : true}\n}\n"
	w.write(".gemini/settings.json", mine)
	for _, tc := range []struct {
		name, file string
		flags      []string
	}{
		{"extension", w.geminiHooks(), nil},
		{"the project's settings", w.path(".gemini/settings.json"), []string{"--via", "settings"}},
		{"the person's settings", w.geminiUser(), []string{"--via", "settings", "-g"}},
	} {
		w.sub(tc.name, func(t *testing.T, w *world) {
			before, was := w.read(tc.file)
			dir := w.sentinel("round")
			turns := []hosttest.Turn{hosttest.Use(shell("rm -rf " + dir)), hosttest.Use(shell("git status")), hosttest.Say("Done.")}

			w.init(tc.flags...)
			once, _ := w.read(tc.file)
			w.init(tc.flags...)
			if twice, _ := w.read(tc.file); once == before || twice != once {
				t.Errorf("init wrote\n%s\nand then\n%s", once, twice)
			}
			from := len(w.log())
			r := w.playGemini(play{turns: turns}).results(t, mainPart, 2)
			w.denied(r[0])
			w.ran(r[1])
			w.stands(dir)
			if got := w.events(from)["BeforeTool"]; got != 2 {
				t.Errorf("we were asked %d times about 2 calls", got)
			}

			w.init(append(tc.flags, "--uninstall")...)
			if after, is := w.read(tc.file); after != before || is != was {
				t.Errorf("%s is there: %v, and holds\n%s\nwant\n%s", tc.file, is, after, before)
			}
			from = len(w.log())
			s := w.playGemini(play{turns: turns})
			w.ran(s.results(t, mainPart, 2)[0])
			if _, there := w.read(filepath.Join(dir, "file")); there {
				t.Error("the delete did not run though nothing refused it: this test proves nothing")
			}
			if got := w.events(from); len(got) != 0 {
				t.Errorf("we were asked after uninstall: %v", got)
			}
			s.undisturbed(t)
		})
	}
}

// TestE2EGeminiTrustDoesNotDecide starts in folders that the host trusts, or not
// at all but for this one run: hooks of settings files would not all run there.
func TestE2EGeminiTrustDoesNotDecide(t *testing.T) {
	t.Parallel()
	w := newGeminiWorld(t)
	w.init()
	for _, tc := range []struct {
		name string
		env  string
		args []string
	}{
		{"trusted by the environment", "GEMINI_CLI_TRUST_WORKSPACE=true", nil},
		{"not trusted, and skipped", "GEMINI_CLI_TRUST_WORKSPACE=", []string{"--skip-trust"}},
	} {
		w.sub(tc.name, func(t *testing.T, w *world) {
			w.env = []string{tc.env}
			dir := w.sentinel("trust")
			s := w.playGemini(play{turns: []hosttest.Turn{hosttest.Use(shell("rm -rf " + dir)), hosttest.Use(shell("echo passes")), hosttest.Say("Done.")}, args: tc.args})
			r := s.results(t, mainPart, 2)
			w.denied(r[0])
			w.ran(r[1])
			w.stands(dir)
		})
	}
}

// TestE2EGeminiSubagentsAreJudged has a subagent try what its parent may not.
func TestE2EGeminiSubagentsAreJudged(t *testing.T) {
	t.Parallel()
	w := newGeminiWorld(t)
	w.init()
	dir := w.sentinel("sub")
	s := w.playGemini(play{
		turns: []hosttest.Turn{
			hosttest.Use(hosttest.Call{Tool: "invoke_agent", Input: obj{"agent_name": "generalist", "prompt": "PART-helper: clean up."}}),
			hosttest.Say("Done."),
		},
		others: []hosttest.Conversation{{Name: "helper", When: "PART-helper", Turns: []hosttest.Turn{
			hosttest.Use(shell("rm -rf " + dir)),
			hosttest.Use(writeFileCall("sub.txt", "text\n")),
			hosttest.Use(hosttest.Call{Tool: "complete_task", Input: obj{"result": obj{"response": "done"}, "response": "done"}}),
		}}},
	})
	r := s.results(t, "helper", 2)
	w.denied(r[0])
	w.ran(r[1])
	w.stands(dir)
	if got := w.touched(s.id); !slices.Equal(got, []string{"sub.txt"}) {
		t.Errorf("touched: %q", got)
	}
}

// TestE2EGeminiAMissingBinaryStandsInNobodysWay takes our binary away behind the
// host's back. A shell's "not found" would be a denial there, and after a turn a
// retry without end.
func TestE2EGeminiAMissingBinaryStandsInNobodysWay(t *testing.T) {
	t.Parallel()
	w := newGeminiWorld(t)
	w.init()
	for _, tc := range []struct {
		name string
		harm func() error
	}{
		{"not executable", func() error { return os.Chmod(w.installed(), 0o644) }},
		{"gone", func() error { return os.Remove(w.installed()) }},
	} {
		w.sub(tc.name, func(t *testing.T, w *world) {
			if err := tc.harm(); err != nil {
				t.Fatal(err)
			}
			dir := w.sentinel("unguarded")
			s := w.playGemini(play{turns: []hosttest.Turn{hosttest.Use(shell("rm -rf " + dir)), hosttest.Say("Done.")}})
			w.ran(s.results(t, mainPart, 1)[0])
			if _, there := w.read(filepath.Join(dir, "file")); there {
				t.Error("the delete did not run though nobody refused it: the other tests prove nothing")
			}
			if got := len(s.server.Turns(mainPart)); got != 2 {
				t.Errorf("the model was asked %d times, want 2", got)
			}
			s.undisturbed(t)
		})
	}
}

// TestE2EGeminiWhatSwitchesUsOffIsRefused has the model go for our extension and
// for the settings that switch hooks off.
func TestE2EGeminiWhatSwitchesUsOffIsRefused(t *testing.T) {
	t.Parallel()
	w := newGeminiWorld(t)
	w.init()
	hooks := w.geminiHooks()
	before, _ := w.read(hooks)
	victim := w.sentinel("after")
	s := w.playGemini(play{turns: []hosttest.Turn{
		hosttest.Use(writeFileCall(".gemini/settings.json", `{"hooksConfig":{"enabled":false}}`)),
		hosttest.Use(shell("echo '{}' > " + hooks)),
		hosttest.Use(shell("rm -rf " + filepath.Dir(filepath.Dir(hooks)))),
		hosttest.Use(shell("gemini extensions disable guardrails")),
		hosttest.Use(writeFileCall(".gemini/settings.json", `{"ui":{"hideTips":true}}`)),
		hosttest.Use(shell("rm -rf " + victim)),
		hosttest.Say("Done."),
	}})
	r := s.results(t, mainPart, 6)
	for _, i := range []int{0, 1, 2, 3, 5} {
		w.denied(r[i])
	}
	w.ran(r[4])
	w.stands(victim)
	if after, _ := w.read(hooks); after != before {
		t.Errorf("the extension's hooks are now\n%s", after)
	}
}

// TestE2EGeminiAResumedSessionGoesOn takes up a session where it ended.
func TestE2EGeminiAResumedSessionGoesOn(t *testing.T) {
	t.Parallel()
	w := newGeminiWorld(t)
	w.init()
	turns := []hosttest.Turn{hosttest.Use(writeFileCall("a.txt", "a\n")), hosttest.Say("So far.")}
	first := w.playGemini(play{turns: turns})
	turns = append(turns, hosttest.Use(writeFileCall("b.txt", "b\n")), hosttest.Say("Done."))
	second := w.playGemini(play{turns: turns, args: []string{"--resume", first.id}})
	if second.id != first.id {
		t.Errorf("session %s became %s", first.id, second.id)
	}
	if got := w.touched(first.id); !slices.Equal(got, []string{"a.txt", "b.txt"}) {
		t.Errorf("touched: %q", got)
	}
}

// TestE2EGeminiRetriesEndByOurBudget puts a hook in our place that insists at
// every end of a turn. Nothing in the host ends that: its own flag is false
// again after each retry that uses a tool.
func TestE2EGeminiRetriesEndByOurBudget(t *testing.T) {
	t.Parallel()
	w := newGeminiWorld(t)
	w.init()
	w.stand(double(t, "insist"))
	turns := []hosttest.Turn{hosttest.Say("Done.")}
	for i := range 20 { // the same call over and over would be taken for a loop
		turns = append(turns, hosttest.Use(shell(fmt.Sprint("echo ", i))), hosttest.Say(fmt.Sprint("Done ", i, ".")))
	}
	for _, tc := range []struct {
		name, env string
		blocks    int
		told      string // to the human, in the end
	}{
		{"the same finding", "NEW=", 3, "released to you after 3 blocks"},
		{"a new one each time", "NEW=1", 6, ""},
	} {
		w.sub(tc.name, func(t *testing.T, w *world) {
			w.env = []string{tc.env}
			s := w.playGemini(play{turns: turns})
			if got := len(s.server.Turns(mainPart)); got != 1+2*tc.blocks {
				t.Errorf("the model was asked %d times, want %d", got, 1+2*tc.blocks)
			}
			if !strings.Contains(string(s.Stderr), tc.told) {
				t.Errorf("the human was told\n%s", s.Stderr)
			}
			asked := s.server.Turns(mainPart)
			if told := asked[len(asked)-1].Payload.Text(); strings.Count(told, "[guardrails] The turn is not over:\n") != tc.blocks {
				t.Errorf("the model was told\n%s", told)
			}
		})
	}
}

// TestE2EGeminiActsOnEveryAnswer has the host act on each kind of answer that we
// can give.
func TestE2EGeminiActsOnEveryAnswer(t *testing.T) {
	t.Parallel()
	w := newGeminiWorld(t)
	w.init()
	w.stand(double(t, "say"))
	type says map[hook.EventName]hook.Verdict
	for _, tc := range []struct {
		name   string
		says   says
		result string // of the one call; "" = it was never made
		isErr  bool
		others []string // what else the model was told
		stderr string
	}{
		{name: "nothing", says: says{}, result: "said\n"},
		{name: "a denial", says: says{hook.PreToolUse: {Decision: hook.Deny, Reason: "WHY"}}, result: "WHY", isErr: true},
		{name: "a question is a denial", says: says{hook.PreToolUse: {Decision: hook.Ask, Reason: "WHY"}}, result: "WHY", isErr: true},
		{
			name:   "a rewrite",
			says:   says{hook.PreToolUse: {Decision: hook.Rewrite, Input: json.RawMessage(`{"command":"echo rewritten; pwd","dir_path":"sub"}`)}},
			result: "rewritten\n" + filepath.Join(w.project, "sub"),
		},
		{
			name: "context after a tool", says: says{hook.PostToolUse: {Decision: hook.Advise, Context: "MORE"}},
			result: "<hook_context>MORE</hook_context>",
		},
		{
			name: "a block after a tool", says: says{hook.PostToolUse: {Decision: hook.Block, Reason: "LOOK"}},
			result: "LOOK\n\nThe call itself ran. Its result:\n<untrusted_context>\nOutput: said\n", isErr: true,
		},
		{
			name: "another result", says: says{hook.PostToolUse: {Result: json.RawMessage(`{"llmContent":"s**d"}`)}},
			result: "The call itself ran. Its result:\ns**d", isErr: true,
		},
		{
			name: "contexts of a start and a prompt", says: says{hook.SessionStart: {Context: "AT START"}, hook.UserPromptSubmit: {Context: "AT PROMPT"}},
			result: "said\n", others: []string{"AT START", "AT PROMPT"},
		},
		{
			name: "notices", says: says{
				hook.SessionStart: {Notice: "N1"}, hook.UserPromptSubmit: {Notice: "N2"}, hook.PreToolUse: {Notice: "N3"}, hook.PostToolUse: {Notice: "N4"},
				hook.Stop: {Notice: "N5"}, hook.SessionEnd: {Notice: "N6"},
			},
			result: "said\n", stderr: "N1 N2 N3 N4 N5 N6",
		},
		{name: "a refused prompt", says: says{hook.UserPromptSubmit: {Decision: hook.Block, Reason: "NOT THIS", Notice: "N"}}},
	} {
		w.sub(tc.name, func(t *testing.T, w *world) {
			w.write("sub/x", "")
			raw, err := json.Marshal(tc.says)
			if err != nil {
				t.Fatal(err)
			}
			w.env = []string{"SAY=" + string(raw)}
			s := w.playGemini(play{turns: []hosttest.Turn{hosttest.Use(shell("echo sa''id")), hosttest.Say("Done.")}})
			if tc.result == "" {
				if got := len(s.server.Turns(mainPart)); got != 0 {
					t.Errorf("the model was asked %d times", got)
				}
				return
			}
			r := s.results(t, mainPart, 1)[0]
			if r.IsError != tc.isErr || !strings.Contains(r.Text, tc.result) {
				t.Errorf("the model was told %v %q, want %v %q", r.IsError, r.Text, tc.isErr, tc.result)
			}
			if tc.name == "another result" && strings.Contains(r.Text, "said") {
				t.Errorf("the old result is still there: %q", r.Text)
			}
			for _, want := range tc.others {
				if !strings.Contains(s.server.Saw(mainPart), want) {
					t.Errorf("the model was not told %q", want)
				}
			}
			for want := range strings.FieldsSeq(tc.stderr) {
				if !strings.Contains(string(s.Stderr), want) {
					t.Errorf("the human was not told %q:\n%s", want, s.Stderr)
				}
			}
		})
	}
}
