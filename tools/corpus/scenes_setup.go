package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// arrange makes real what a step that is only a text says: a situation in a few
// words. ok is false if no program can.
func (w *world) arrange(ctx context.Context, text string) (ok bool, err error) {
	has := func(words ...string) bool {
		for _, word := range words {
			if !strings.Contains(text, word) {
				return false
			}
		}
		return true
	}
	switch {
	case text == "claim":
		return true, nil
	case strings.HasPrefix(text, "claim "):
		return true, w.claims(ctx, text)
	case has("fake gh"):
		return true, w.gh(text)
	case has("slot with session="):
		for _, m := range regexp.MustCompile(`session=(\w+)`).FindAllStringSubmatch(text, -1) {
			if err := w.slot(m[1], m[1], ""); err != nil {
				return true, err
			}
		}
		return true, nil
	case text == "slot":
		return true, w.slot("x", "s", "")
	case has("slot with result.md"):
		if err := w.slot("x", "s", "merged\n"); err != nil {
			return true, err
		}
		return true, w.age(filepath.Join(w.home, ".muggle-ai", "muggle-do", "sessions", "x", "result.md"), text)
	case has("own file", "days old"):
		if err := w.fact(ctx, "s"); err != nil {
			return true, err
		}
		return true, w.ageSessions(text)
	case has("TTL_DAYS="):
		m := regexp.MustCompile(`(\w+TTL_DAYS=\d+)`).FindString(text)
		w.env = append(w.env, m)
		if err := w.fact(ctx, "other"); err != nil {
			return true, err
		}
		return true, w.ageSessions(strings.ReplaceAll(text, m, ""))
	case strings.HasPrefix(text, "cwd="):
		dir := strings.TrimSuffix(strings.Fields(strings.ReplaceAll(text, ",", " "))[0][len("cwd="):], "/")
		dir = strings.NewReplacer("$HOME", w.home, "project/", w.project+"/").Replace(dir)
		w.cwd = dir
		return true, os.MkdirAll(dir, 0o755)
	case has("cp -r project"):
		if err := w.mutate(ctx); err != nil {
			return true, err
		}
		w.cwd = filepath.Join(w.home, "copy")
		return true, w.sh(ctx, "cp -r project copy", w.home)
	case has("newest record result fail"), has("evidence research pass"), has("evidence security"), has("lastDecision"), has("security routed"), has("all fresh"), text == "fail, pass":
		return true, w.evidence(ctx, text)
	case has("exact-raw "):
		_, raw, _ := strings.Cut(text, `"`)
		raw = strings.TrimSuffix(raw, `"`)
		if err := w.configure(ctx, "rewrite: [{match: \"git status\", to: \"rtk git status\"}]"); err != nil {
			return true, err
		}
		body, err := json.Marshal(map[string]any{"schema_version": 2, "rules": []any{map[string]any{
			"effect": "allow", "durability": "local_persistent", "reason": nil, "rule": map[string]any{"kind": "shell_command_exact_raw", "command": raw},
		}}})
		if err != nil {
			return true, err
		}
		return true, w.write(w.path("~/.config/muse/approval-policy.json"), string(body), 0o600)
	case has("fake muse on PATH"):
		return true, w.write(filepath.Join(w.home, "bin", "muse"), "#!/bin/sh\necho \"$@\" >> \"$HOME/muse.log\"\n", 0o755)
	case text == "find bundle", text == "cat hooks.json", text == "installed hooks.json":
		agent := "muse"
		if text == "installed hooks.json" {
			agent = "claude"
		}
		return true, w.sh(ctx, "guardrails init --agent "+agent+" --yes || [ $? = 3 ]", w.project)
	case has("go.mod", "golangci-lint"):
		w.quality = true
		return true, w.goProject(ctx, map[string]string{".golangci.yml": "version: \"2\"\n"})
	case has("edits bad"), has("edits good"):
		w.quality = true
		if err := w.goProject(ctx, nil); err != nil {
			return true, err
		}
		for _, m := range regexp.MustCompile(`(\w+) edits (bad|good)(?: (\w+\.go))?`).FindAllStringSubmatch(text, -1) {
			if err := w.edits(ctx, m[1], m[3], m[2] == "good"); err != nil {
				return true, err
			}
		}
		return true, nil
	case strings.HasSuffix(text, "unwritable"):
		w.quality = true
		return true, w.unwritable(ctx, strings.TrimSuffix(text, " unwritable"))
	}
	return false, nil
}

// sh runs a command line as a person does.
func (w *world) sh(ctx context.Context, line, dir string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	out, code, err := w.runIn(cmd, nil, dir)
	if err == nil && code != 0 {
		err = fmt.Errorf("%s: exit %d: %s", line, code, out)
	}
	return err
}

// configure writes the project's configuration, and trusts it as its human. A
// scene of quality speaks of a project that has it on.
func (w *world) configure(ctx context.Context, text string) error {
	if !strings.Contains(text, "version:") {
		text = "version: 1\n" + text
	}
	if w.quality && !strings.Contains(text, "quality:") {
		text += "\nquality: {}"
	}
	if err := w.write(filepath.Join(w.project, ".guardrails.yaml"), text+"\n", 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, w.bin, "trust", "--yes")
	_, _, err := w.run(cmd, nil) // a broken file cannot be trusted, and a scene may want one
	return err
}

// event plays one event that a situation stands for.
func (w *world) event(ctx context.Context, p map[string]any) error {
	w.extra++
	for k, v := range map[string]any{"session_id": "s", "cwd": w.project, "permission_mode": "default", "tool_use_id": "toolu_x" + strconv.Itoa(w.extra)} {
		if _, ok := p[k]; !ok {
			p[k] = v
		}
	}
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, _, err = w.run(exec.CommandContext(ctx, w.bin, "hook", "--agent", "claude"), body)
	return err
}

func (w *world) mutate(ctx context.Context) error {
	if err := w.write(filepath.Join(w.project, "a.py"), "x = "+strconv.Itoa(w.extra)+"\n", 0o644); err != nil {
		return err
	}
	return w.event(ctx, map[string]any{"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": map[string]any{"file_path": filepath.Join(w.project, "a.py"), "content": "x"}, "tool_response": map[string]any{}})
}

// fact has a session keep something.
func (w *world) fact(ctx context.Context, session string) error {
	return w.event(ctx, map[string]any{
		"hook_event_name": "PostToolUse", "session_id": session, "tool_name": "Bash", "tool_input": map[string]any{"command": "pytest"},
		"tool_response": map[string]any{"stdout": "===== 3 passed in 0.12s =====", "stderr": "", "interrupted": false},
	})
}

var days = regexp.MustCompile(`(\d+) days old`)

// age sets a file's time to what a text says.
func (w *world) age(path, text string) error {
	m := days.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("%q has no age", text)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return err
	}
	at := time.Now().AddDate(0, 0, -n)
	w.aged = append(w.aged, path)
	return os.Chtimes(path, at, at)
}

func (w *world) ageSessions(text string) error {
	files, err := filepath.Glob(filepath.Join(w.home, ".guardrails", "sessions", "*.json"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no session is kept: %w", err)
	}
	for _, f := range files {
		if err := w.age(f, text); err != nil {
			return err
		}
	}
	return nil
}

// slot makes a watch slot of the muggle pack.
func (w *world) slot(slug, session, result string) error {
	dir := filepath.Join(w.home, ".muggle-ai", "muggle-do", "sessions", slug)
	body := fmt.Sprintf(`[{"url":"https://github.com/o/r/pull/7","sessionId":%q}]`, session)
	if err := w.write(filepath.Join(dir, "prs.json"), body, 0o644); err != nil || result == "" {
		return err
	}
	return w.write(filepath.Join(dir, "result.md"), result, 0o644)
}

// gh plays GitHub's program: an open pull request of this branch, with or without
// a rendered section.
func (w *world) gh(text string) error {
	body, err := json.Marshal(map[string]any{"url": "https://github.com/o/r/pull/7", "number": 7, "state": "OPEN", "body": "b", "comments": []any{}})
	if strings.Contains(text, "comment with") {
		body, err = json.Marshal(map[string]any{"url": "https://github.com/o/r/pull/7", "number": 7, "state": "OPEN", "body": "b", "comments": []any{map[string]any{"body": "<!-- muggle-pr-section:v1 --> r"}}})
	}
	if err != nil {
		return err
	}
	return w.write(filepath.Join(w.home, "bin", "gh"), "#!/bin/sh\nprintf '%s' '"+string(body)+"'\n", 0o755)
}

// claims has the session fetch review threads that await an answer.
func (w *world) claims(ctx context.Context, text string) error {
	var nodes []any
	for _, n := range regexp.MustCompile(`\d+`).FindAllString(text, -1) {
		id, err := strconv.Atoi(n)
		if err != nil {
			return err
		}
		nodes = append(nodes, map[string]any{"id": "T" + n, "isResolved": false, "comments": map[string]any{"nodes": []any{map[string]any{"databaseId": id, "body": "please fix"}}}})
	}
	out, err := json.Marshal(map[string]any{"data": map[string]any{"repository": map[string]any{"pullRequest": map[string]any{"number": 7, "reviewThreads": map[string]any{"nodes": nodes}}}}})
	if err != nil {
		return err
	}
	return w.event(ctx, map[string]any{
		"hook_event_name": "PostToolUse", "tool_name": "Bash",
		"tool_input":    map[string]any{"command": `gh api graphql -F owner=o -F repo=r -F number=7 -f query='query($owner:String!){repository(owner:$owner,name:$repo){pullRequest(number:$number){reviewThreads(first:100){nodes{id isResolved comments(first:50){nodes{databaseId body}}}}}}}'`},
		"tool_response": map[string]any{"stdout": string(out), "stderr": "", "interrupted": false},
	})
}

// evidence brings the project's workflow state to what a text says.
func (w *world) evidence(ctx context.Context, text string) error {
	g := func(line string) error { return w.sh(ctx, "guardrails evidence "+line, w.project) }
	add := func(kind, result string) error {
		return g("add --kind " + kind + " --result " + result + " --source t --detail '31 things were seen'")
	}
	steps := []func() error{}
	do := func(f func() error) { steps = append(steps, f) }
	change := func() error { return w.mutate(ctx) }
	switch {
	case text == "fail, pass":
		do(func() error { return add("test", "fail") })
		do(func() error { return add("test", "pass") })
	case strings.Contains(text, "newest record result fail"):
		do(change)
		do(func() error { return add("test", "pass") })
		do(func() error { return add("test", "fail") })
	case strings.Contains(text, "research"):
		do(change)
		do(func() error { return add("research", "pass") })
	case strings.Contains(text, "lastDecision security"):
		do(func() error { return g("phase discovering --skill security") })
		do(func() error { return add("security", "pass") })
		do(func() error { return g("phase complete") })
	case strings.Contains(text, "lastDecision feature"):
		do(func() error { return g("phase executing --skill feature") })
		do(change)
		do(func() error { return add("security", "pass") })
	case strings.Contains(text, "security routed"):
		do(func() error { return g("phase discovering --skill security") })
	case strings.Contains(text, "evidence security"):
		do(func() error { return add("security", "pass") })
	case strings.Contains(text, "all fresh"):
		do(func() error { return g("phase executing") })
		do(change)
		do(func() error { return add("test", "pass") })
		_, phase, _ := strings.Cut(text, "phase ")
		do(func() error { return g("phase " + phase) })
	}
	for _, f := range steps {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// goProject makes a committed Go module of the project.
func (w *world) goProject(ctx context.Context, more map[string]string) error {
	files := map[string]string{
		"go.mod": "module acme.dev/app\n\ngo 1.21\n", "a.go": goFile("app", "1"), "a_test.go": goTest("app", "A", "1"), "b/b.go": goFile("b", "1"), "b/b_test.go": goTest("b", "A", "1"),
	}
	maps.Copy(files, more)
	for name, text := range files {
		if text == "" {
			continue
		}
		if err := w.write(filepath.Join(w.project, filepath.FromSlash(name)), text, 0o644); err != nil {
			return err
		}
	}
	return w.sh(ctx, "rm -rf .git && git init -q && git add -A && git -c user.name=t -c user.email=t@example.com commit -q -m one", w.project)
}

// edits has an agent, main for the session's own, change a file well or badly.
func (w *world) edits(ctx context.Context, agent, name string, good bool) error {
	if err := w.event(ctx, map[string]any{"hook_event_name": "SessionStart", "source": "startup"}); err != nil {
		return err
	}
	switch name {
	case "":
		name = "a.go"
	case "b.go":
		name = "b/b.go"
	}
	pkg := "app"
	if strings.HasPrefix(name, "b/") {
		pkg = "b"
	}
	text := goFile(pkg, "2")
	if good {
		text = strings.Replace(goFile(pkg, "1"), "is a number", "is one", 1)
	}
	path := filepath.Join(w.project, filepath.FromSlash(name))
	if err := w.write(path, text, 0o644); err != nil {
		return err
	}
	p := map[string]any{"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": map[string]any{"file_path": path, "old_string": "1", "new_string": "2"}, "tool_response": map[string]any{}}
	if agent != "main" {
		p["agent_id"], p["agent_type"] = agent, "implementer"
	}
	return w.event(ctx, p)
}

// unwritable puts a folder where a file would be written.
func (w *world) unwritable(ctx context.Context, what string) error {
	if err := w.goProject(ctx, nil); err != nil {
		return err
	}
	if err := w.event(ctx, map[string]any{"hook_event_name": "SessionStart", "source": "startup"}); err != nil {
		return err
	}
	name := what
	if strings.HasPrefix(what, "lessons") {
		name = "lessons.jsonl"
	}
	dirs, err := filepath.Glob(filepath.Join(w.home, ".guardrails", "cache", "*"))
	if err != nil {
		return err
	}
	if len(dirs) == 0 {
		return w.write(filepath.Join(w.home, ".guardrails", "cache"), "in the way", 0o600)
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(filepath.Join(dir, name, "x"), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// malicious has every package that is looked up be on record as malware, and writes
// the manifest that a step edits.
func (w *world) malicious(st step) (*market, error) {
	m, err := newMarket()
	if err != nil {
		return nil, err
	}
	plain := said{published: time.Now().AddDate(-5, 0, 0)}.answer(nil, nil)
	m.serve(func(rw http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v1/") {
			plain(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		var ask struct {
			Version string
			Package struct{ Name, Ecosystem string }
		}
		_ = json.NewDecoder(r.Body).Decode(&ask)
		_ = json.NewEncoder(rw).Encode(map[string]any{"vulns": []any{map[string]any{
			"id": "MAL-2026-1", "modified": "2026-01-01T00:00:00Z", "summary": "Malicious code",
			"affected": []any{map[string]any{"package": map[string]any{"name": ask.Package.Name, "ecosystem": ask.Package.Ecosystem}, "versions": []string{ask.Version}}},
		}}})
	})
	if err := w.write(filepath.Join(w.home, ".guardrails", "config.yaml"), "version: 1\n"+m.config(), 0o600); err != nil {
		return m, err
	}
	var edit struct {
		Path string `json:"file_path"`
		Old  string `json:"old_string"`
	}
	if json.Unmarshal(st.Input, &edit) == nil && edit.Path != "" {
		return m, w.write(filepath.Join(w.project, filepath.FromSlash(edit.Path)), edit.Old+"\n", 0o644)
	}
	return m, nil
}

// agents makes the two programs of a review loop: each counts its starts, and says
// what the scene has it say.
func (w *world) agents(coder, reviewer string) error {
	answer := func(text string) string {
		text = strings.TrimPrefix(text, "prints ")
		switch {
		case text == "", text == "clean":
			return "done"
		case strings.HasPrefix(text, "key"):
			return "the key is AKIA" + "Q3EGRZ7XKLMNB2PD"
		}
		return text
	}
	first, later := coder, coder
	if a, b, ok := strings.Cut(coder, ", then "); ok {
		first, later = a, b
	}
	verdict := `printf '{"verdict": "approve"}\n'`
	if reviewer != "" {
		body, err := json.Marshal(map[string]any{"verdict": "findings", "findings": []any{map[string]any{"text": strings.TrimPrefix(reviewer, "findings: ")}}})
		if err != nil {
			return err
		}
		verdict = "echo '" + string(body) + "'"
	}
	script := "#!/bin/sh\ncat > /dev/null\necho x >> \"$HOME/%s.log\"\n%s\n"
	say := fmt.Sprintf("if [ $(wc -l < \"$HOME/coder.log\") -le 1 ]; then echo '%s'; else echo '%s'; fi", answer(first), answer(later))
	if err := w.write(filepath.Join(w.home, "bin", "CODER"), fmt.Sprintf(script, "coder", say), 0o755); err != nil {
		return err
	}
	return w.write(filepath.Join(w.home, "bin", "REVIEWER"), fmt.Sprintf(script, "reviewer", verdict), 0o755)
}

// starts counts the lines of a log in the home.
func (w *world) starts(name string) int {
	text, err := os.ReadFile(filepath.Join(w.home, name+".log"))
	if err != nil {
		return 0
	}
	return strings.Count(string(text), "\n")
}
