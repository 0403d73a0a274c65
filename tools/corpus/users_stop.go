package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// slow plays services that never answer.
func slow(ctx context.Context) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-ctx.Done():
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
	}
}

// stop plays the end of a turn.
func (s *stage) stop(ctx context.Context) (string, error) {
	switch {
	case s.r.has("sequence"):
		return s.sequence(ctx)
	case s.r.has("last_assistant_message"):
		return s.claim(ctx)
	case s.r.has("state_file"):
		return s.corrupt(ctx)
	case strings.Contains(s.r.text("cwd"), "submodule"):
		return s.submodule(ctx)
	}
	if s.r.Kind == "capability" {
		return s.unseen(ctx)
	}
	return s.quality(ctx)
}

// unseen plays the end of a turn on a host that tells no results: proof is asked
// for, a bounded number of times.
func (s *stage) unseen(ctx context.Context) (string, error) {
	if err := s.configure(ctx, "evidence: {enabled: true}\n"); err != nil {
		return "", err
	}
	if _, err := s.hook(ctx, map[string]any{"hook_event_name": "PreToolUse", "tool_name": "write_to_file", "tool_input": map[string]any{"TargetFile": filepath.Join(s.project, "a.go"), "CodeContent": "x"}}); err != nil {
		return "", err
	}
	if _, err := s.hook(ctx, map[string]any{"hook_event_name": "PostToolUse", "tool_name": "write_to_file", "tool_input": map[string]any{"TargetFile": filepath.Join(s.project, "a.go"), "CodeContent": "x"}}); err != nil {
		return "", err
	}
	o, err := s.hook(ctx, s.ended(nil))
	if wrong, err := s.one(o, err); wrong != "" || err != nil {
		return wrong, err
	}
	for range 5 {
		if o, err = s.hook(ctx, s.ended(nil)); err != nil || o.decision == "pass" {
			return "", err
		}
	}
	return "it never lets go", nil
}

func (s *stage) ended(extra map[string]any) map[string]any {
	p := map[string]any{"hook_event_name": s.r.Event, "stop_hook_active": false, "last_assistant_message": "Done."}
	for _, key := range []string{"stop_hook_active", "background_tasks", "agent_id", "agent_type"} {
		if v, ok := s.r.Input[key]; ok {
			p[key] = v
		}
	}
	maps.Copy(p, extra)
	return p
}

// edit writes a file and tells of it.
func (s *stage) edit(ctx context.Context, name, text string, extra map[string]any) error {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.project, filepath.FromSlash(name))
	}
	if err := s.write(path, text, 0o644); err != nil {
		return err
	}
	p := map[string]any{"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": map[string]any{"file_path": path, "old_string": "1", "new_string": "2"}, "tool_response": map[string]any{}}
	maps.Copy(p, extra)
	_, err := s.hook(ctx, p)
	return err
}

// sequence plays what happened before the end of a turn where proof is asked for.
func (s *stage) sequence(ctx context.Context) (string, error) {
	config := "evidence: {enabled: true}\n"
	raw, err := json.Marshal(s.r.Input["sequence"])
	if err != nil {
		return "", err
	}
	var steps []string
	if err := json.Unmarshal(raw, &steps); err != nil {
		return "", err
	}
	formats := strings.Contains(string(raw), "formatter")
	if formats {
		config += "quality: {onEdit: [format], onStop: []}\n"
	}
	if err := s.configure(ctx, config); err != nil {
		return "", err
	}
	if _, err := s.hook(ctx, map[string]any{"hook_event_name": "SessionStart", "source": "startup"}); err != nil {
		return "", err
	}
	shell := func(command, out string) error {
		_, err := s.hook(ctx, map[string]any{
			"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": command},
			"tool_response": map[string]any{"stdout": out, "stderr": "", "interrupted": false, "isImage": false},
		})
		return err
	}
	value := 1
	for _, step := range steps {
		var err error
		switch verb, rest, _ := strings.Cut(step, " "); {
		case verb == "Edit":
			name, how, _ := strings.Cut(rest, " (")
			value++
			text := goFile("app", fmt.Sprint(value))
			if formats { // what our own formatter does of it comes with the edit
				text = strings.Replace(text, "int {", "int    {", 1)
			}
			extra := map[string]any{}
			if strings.Contains(how, "Failure") {
				extra = map[string]any{"hook_event_name": "PostToolUseFailure", "error": "String to replace not found", "tool_response": nil}
			}
			err = s.edit(ctx, name, text, extra)
		case strings.HasPrefix(step, "go test"):
			command := strings.TrimSuffix(step, " ok")
			if command == "go test" {
				command = "go test ./..."
			}
			err = shell(command, "ok  \tacme.dev/app\t0.2s\n")
		case strings.HasPrefix(step, "git commit"):
			if err = s.git(ctx, s.project, "add", "-A", "", "commit", "-q", "-m", "x"); err == nil {
				err = shell(step, "[main 1] x\n 1 file changed\n")
			}
		case strings.HasPrefix(step, "no test"), strings.Contains(step, "formatter"):
		default:
			return notPlayed + "the step is not known: " + step, nil
		}
		if err != nil {
			return "", err
		}
	}
	o, err := s.hook(ctx, s.ended(nil))
	return s.one(o, err)
}

// claim plays a closing message.
func (s *stage) claim(ctx context.Context) (string, error) {
	if err := s.configure(ctx, "handoffs: {packs: [delivery]}\n"); err != nil {
		return "", err
	}
	line := `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Reading the code."}]}}` + "\n"
	if err := os.WriteFile(filepath.Join(s.home, "transcript.jsonl"), []byte(line), 0o600); err != nil {
		return "", err
	}
	o, err := s.hook(ctx, s.ended(map[string]any{"last_assistant_message": s.r.text("last_assistant_message")}))
	return s.one(o, err)
}

// corrupt plays a turn's end over a state file that something else wrote.
func (s *stage) corrupt(ctx context.Context) (string, error) {
	if err := s.configure(ctx, "quality: {onEdit: [], onStop: [test]}\n"); err != nil {
		return "", err
	}
	if err := s.edit(ctx, "a.go", goFile("app", "2"), nil); err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(s.home, ".guardrails", "sessions", "*.json"))
	if err != nil || len(files) != 1 {
		return fmt.Sprintf("session files: %v", files), err
	}
	if err := os.WriteFile(files[0], []byte(s.r.text("state_file")), 0o600); err != nil {
		return "", err
	}
	o, err := s.hook(ctx, s.ended(nil))
	return s.one(o, err)
}

// submodule plays a turn's end in a submodule: what was touched is of the project
// around it.
func (s *stage) submodule(ctx context.Context) (string, error) {
	lib := filepath.Join(s.home, "lib")
	if err := s.write(filepath.Join(lib, "x.go"), "package x\n", 0o644); err != nil {
		return "", err
	}
	if err := s.git(ctx, lib, "init", "-q", "--", ".", "", "add", "-A", "", "commit", "-q", "-m", "x"); err != nil {
		return "", err
	}
	if err := s.git(ctx, s.project, "submodule", "--quiet", "add", lib, "ext/sub", "", "commit", "-q", "-m", "sub"); err != nil {
		return "", err
	}
	if err := s.configure(ctx, "evidence: {enabled: true}\nquality: {onEdit: [], onStop: [test]}\n"); err != nil {
		return "", err
	}
	dir := filepath.Join(s.project, "ext", "sub")
	o, err := s.hook(ctx, s.ended(map[string]any{"cwd": dir}))
	if wrong, err := s.one(o, err); wrong != "" || err != nil {
		return wrong, err
	}
	if err := s.edit(ctx, filepath.Join(dir, "x.go"), "package x\n\nvar A = 1\n", map[string]any{"cwd": dir}); err != nil {
		return "", err
	}
	st, err := s.status(ctx, s.project)
	if err != nil || strings.Join(st.Touched, ",") != "ext/sub/x.go" {
		return fmt.Sprintf("touched: %v", st.Touched), err
	}
	return "", nil
}

// quality plays a turn's end under the project's own tests.
func (s *stage) quality(ctx context.Context) (string, error) {
	var in struct {
		Gate           string
		GateCommand    string `json:"gate_command"`
		Touched        []string
		Tests, State   string
		Failing        string
		Baseline       []string `json:"baseline_failing"`
		FirstRun       string   `json:"first_run"`
		Cwd            string
		Background     []map[string]any `json:"background_tasks"`
		SubagentAgent  string           `json:"agent_id"`
		touchedIsKnown bool
	}
	raw, err := json.Marshal(s.r.Input)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return "", err
	}
	_, in.touchedIsKnown = s.r.Input["touched"]
	config := "quality: {onEdit: [], onStop: [test]}\n"
	red := strings.Contains(in.Gate+in.Tests+in.State, "fail") || strings.Contains(in.Gate+in.Tests+in.State, "red")
	switch {
	case in.GateCommand != "":
		command := in.GateCommand
		if strings.Contains(command, "exits 1") {
			command = "exit 1"
		}
		config = fmt.Sprintf("quality: {onEdit: [], onStop: [test], packages: {\".\": {toolchain: generic, test: %q}}}\n", command)
	case in.Failing != "":
		dir, _, _ := strings.Cut(in.Failing, " ")
		for name, text := range map[string]string{
			"package.json":        "{\"name\":\"root\",\"private\":true,\"workspaces\":[\"packages/*\"]}\n",
			dir + "/package.json": "{\"name\":\"z\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"exit 1\"}}\n",
			filepath.Dir(in.Touched[0]) + "/package.json": "{\"name\":\"a\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"exit 0\"}}\n",
			in.Touched[0]: "export const x = 1\n",
		} {
			if err := s.write(filepath.Join(s.project, filepath.FromSlash(name)), text, 0o644); err != nil {
				return "", err
			}
		}
		if err := s.git(ctx, s.project, "add", "-A", "", "commit", "-q", "-m", "two"); err != nil {
			return "", err
		}
	case len(in.Baseline) > 0:
		name := strings.TrimPrefix(in.Baseline[0], "Test")
		if err := s.write(filepath.Join(s.project, "old_test.go"), goTest("app", name, "7"), 0o644); err != nil {
			return "", err
		}
		if err := s.git(ctx, s.project, "add", "-A", "", "commit", "-q", "-m", "two"); err != nil {
			return "", err
		}
	case in.FirstRun != "":
		mark := filepath.Join(s.home, "ran")
		test := "package app\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestX(t *testing.T) {\n\tif _, err := os.Stat(" + fmt.Sprintf("%q", mark) +
			"); err != nil {\n\t\t_ = os.WriteFile(" + fmt.Sprintf("%q", mark) + ", nil, 0o600)\n\t\tt.Fatal(\"first\")\n\t}\n}\n"
		if err := s.write(filepath.Join(s.project, "x_test.go"), test, 0o644); err != nil {
			return "", err
		}
	}
	where := map[string]any{}
	if s.r.Event == "SubagentStop" {
		config = "quality: {onEdit: [], onStop: [test, coverage], subagents: [implementer]}\n"
		where = map[string]any{"agent_id": in.SubagentAgent, "agent_type": "implementer"}
	}
	if err := s.configure(ctx, config); err != nil {
		return "", err
	}
	dir := s.project
	if strings.Contains(in.Cwd, "worktrees") {
		dir = s.place(in.Cwd)
		if err := s.git(ctx, s.project, "add", "-A", "", "commit", "-q", "-m", "config", "", "worktree", "add", "-q", dir, "-b", "a"); err != nil {
			return "", err
		}
		where["cwd"] = dir
	}
	if _, err := s.hook(ctx, map[string]any{"hook_event_name": "SessionStart", "source": "startup", "cwd": dir}); err != nil {
		return "", err
	}
	touched := in.Touched
	if !in.touchedIsKnown && s.r.Kind != "output-shape" {
		touched = []string{"a.go"}
	}
	for _, name := range touched {
		text := goFile("app", "1") + "\n// B is A.\nfunc B() int { return A() }\n"
		switch {
		case red:
			text = goFile("app", "2")
		case strings.HasSuffix(name, ".md"):
			text = "# b\n"
		case strings.HasSuffix(name, ".ts"):
			text = "export const x = 2\n"
		case !strings.HasPrefix(name, "a."):
			text = strings.ReplaceAll(strings.ReplaceAll(text, "A()", "C()"), "// A", "// C")
		}
		if err := s.edit(ctx, filepath.Join(dir, filepath.FromSlash(name)), text, where); err != nil {
			return "", err
		}
	}
	for i, verdict := range s.r.verdicts() {
		o, err := s.hook(ctx, s.ended(where))
		if err != nil {
			return "", err
		}
		if wrong := s.meets(o, verdict); wrong != "" {
			return fmt.Sprintf("at turn's end %d: %s", i+1, wrong), nil
		}
	}
	if s.r.Kind == "output-shape" && strings.TrimSpace(string(s.last)) != "{}" {
		return string(s.last), nil
	}
	if len(in.Background) > 0 { // deferred is not let go
		o, err := s.hook(ctx, s.ended(map[string]any{"background_tasks": []any{}}))
		if err != nil || o.decision != "block" {
			return "the turn's end without background work: " + o.String(), err
		}
	}
	return "", nil
}
