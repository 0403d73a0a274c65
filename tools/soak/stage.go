package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// stage is where a scene plays.
type stage struct {
	options

	bin, dir string
}

// home is a user's home with a project in it, and who runs the hooks there.
type home struct {
	*stage

	dir     string   // HOME
	project string   // where the calls come from
	before  []string // run the binary through this
	user    uint32   // 0 = as we are
}

const evidenceConfig = "version: 1\nevidence: {enabled: true}\n"

// newHome makes a home; config "" makes a project without one.
func (s *stage) newHome(name, config string) (*home, error) {
	h := &home{stage: s, dir: filepath.Join(s.dir, name)}
	h.project = filepath.Join(h.dir, "project")
	if err := os.MkdirAll(filepath.Join(h.project, ".git"), 0o755); err != nil {
		return nil, err
	}
	if config == "" {
		return h, nil
	}
	return h, os.WriteFile(filepath.Join(h.project, ".guardrails.yaml"), []byte(config), 0o600)
}

// state is a path below the state home.
func (h *home) state(parts ...string) string {
	return filepath.Join(append([]string{h.dir, ".guardrails"}, parts...)...)
}

// answer is what a host gets to see of a call.
type answer struct {
	out    []byte
	err    error // of the process: anything but exit 0
	killed bool
	took   time.Duration

	v verdict
}

// good reports whether the host took it for an answer.
func (a *answer) good() bool { return a.err == nil && a.v.err == nil }

// verdict is what an answer to Claude Code says.
type verdict struct {
	stopped string // deny, ask or block, with its reason
	notice  string
	err     error // it is no answer
}

func read(out []byte) (v verdict) {
	var o struct {
		Decision      string
		Reason        string
		SystemMessage string
		Specific      struct {
			PermissionDecision       string
			PermissionDecisionReason string
		} `json:"hookSpecificOutput"`
	}
	if v.err = json.Unmarshal(out, &o); v.err != nil {
		v.err = fmt.Errorf("%q is no answer: %w", out, v.err)
		return v
	}
	v.notice = o.SystemMessage
	switch p := o.Specific.PermissionDecision; {
	case p == "deny" || p == "ask":
		v.stopped = p + ": " + o.Specific.PermissionDecisionReason
	case p != "":
		v.err = fmt.Errorf("%q allows", out)
	case o.Decision == "block":
		v.stopped = "block: " + o.Reason
	case o.Decision != "":
		v.err = fmt.Errorf("%q decides %q", out, o.Decision)
	}
	return v
}

// patience is how long a host would wait for any of our answers.
const patience = 10 * time.Second

// run has the binary answer stdin. With kill > 0 it is killed after that.
func (h *home) run(ctx context.Context, stdin []byte, kill time.Duration, args ...string) answer {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	argv := append(append([]string{}, h.before...), append([]string{h.bin}, args...)...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = h.project
	cmd.Env = []string{"HOME=" + h.dir, "USERPROFILE=" + h.dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	as(cmd, h.user)
	// The payload is in the pipe before the process is: a copying goroutine of ours
	// comes too late where sixty processes want two processors.
	r, w, err := os.Pipe()
	if err != nil {
		return answer{err: err}
	}
	defer r.Close()
	_, err = w.Write(stdin) // a pipe holds 64 KB, a payload here has 1
	if cerr := w.Close(); err != nil || cerr != nil {
		return answer{err: errors.Join(err, cerr)}
	}
	cmd.Stdin = r
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = patience // a process between fork and exec holds the pipes of all
	began := time.Now()
	a := answer{}
	if a.err = cmd.Start(); a.err != nil {
		return a
	}
	var timer *time.Timer
	if kill > 0 {
		timer = time.AfterFunc(kill, func() { _ = cmd.Process.Kill() })
	}
	a.err = cmd.Wait()
	if kill > 0 {
		a.killed = !timer.Stop() && a.err != nil
	}
	a.took = time.Since(began)
	a.out = out.Bytes()
	if a.err != nil && ctx.Err() != nil {
		a.err = fmt.Errorf("no answer after %v: %w", patience, a.err)
	}
	if a.err != nil && errs.Len() > 0 {
		a.err = fmt.Errorf("%w: %s", a.err, errs.Bytes())
	}
	return a
}

// hook is one call of Claude Code.
func (h *home) hook(ctx context.Context, payload map[string]any, kill time.Duration) answer {
	stdin, err := json.Marshal(payload)
	if err != nil {
		return answer{err: err}
	}
	a := h.run(ctx, stdin, kill, "hook", "--agent", "claude")
	if a.v = read(a.out); a.v.err == nil && a.took > patience*4/5 {
		a.v.err = fmt.Errorf("answered after %v", a.took)
	}
	return a
}

// call is a payload of the event in the project.
func (h *home) call(event, session string, more map[string]any) map[string]any {
	p := map[string]any{
		"session_id": session, "transcript_path": filepath.Join(h.dir, "t.jsonl"), "cwd": h.project,
		"permission_mode": "default", "hook_event_name": event,
	}
	maps.Copy(p, more)
	return p
}

func (h *home) bash(event, session, id, command string) map[string]any {
	p := h.call(event, session, map[string]any{"tool_name": "Bash", "tool_use_id": id, "tool_input": map[string]any{"command": command}})
	if event == "PostToolUse" {
		p["tool_response"] = map[string]any{"stdout": "ok  \texample.com/shop\t0.01s\n", "stderr": "", "interrupted": false, "isImage": false}
	}
	return p
}

func (h *home) edit(session, id, file, agent string) map[string]any {
	p := h.call("PostToolUse", session, map[string]any{
		"tool_name": "Edit", "tool_use_id": id,
		"tool_input":    map[string]any{"file_path": filepath.Join(h.project, file), "old_string": "a", "new_string": "b"},
		"tool_response": map[string]any{"filePath": filepath.Join(h.project, file), "userModified": false},
	})
	if agent != "" {
		p["agent_id"], p["agent_type"] = agent, "writer"
	}
	return p
}

// dangerous is what must be refused whatever happened to us. It is judged, never
// run.
const dangerous = "rm -rf ~"

// battery is one call of each kind. Nothing but the dangerous one may be
// stopped; with blocks, the end of a turn may be too, as often as its budget and
// no more. It returns the files that were acknowledged as edited.
func (h *home) battery(ctx context.Context, r *result, what, session string, blocks bool) (edited []string) {
	one := func(name string, payload map[string]any) *answer {
		a := h.hook(ctx, payload, 0)
		r.calls++
		switch {
		case a.err != nil:
			r.problem("%s: %s: %v", what, name, a.err)
		case a.v.err != nil:
			r.problem("%s: %s: %v", what, name, a.v.err)
		default:
			r.answered++
		}
		if a.v.notice != "" {
			r.told++
		}
		return &a
	}
	free := func(name string, payload map[string]any) *answer {
		a := one(name, payload)
		if a.v.stopped != "" {
			r.problem("%s: %s was stopped: %s", what, name, firstLine(a.v.stopped))
		}
		return a
	}
	id := fmt.Sprintf("%s-%d", session, r.calls)
	free("SessionStart", h.call("SessionStart", session, map[string]any{"source": "startup"}))
	free("UserPromptSubmit", h.call("UserPromptSubmit", session, map[string]any{"prompt": "go on"}))
	free("a harmless command", h.bash("PreToolUse", session, id+"a", "git status"))
	if a := one("a dangerous command", h.bash("PreToolUse", session, id+"b", dangerous)); a.good() && !strings.HasPrefix(a.v.stopped, "deny") {
		r.problem("%s: a dangerous command was answered %q", what, a.out)
	}
	file := "src/" + id + ".go"
	if a := free("an edit", h.edit(session, id+"c", file, "")); a.good() {
		edited = append(edited, file)
	}
	free("a command that ran", h.bash("PostToolUse", session, id+"d", "go test ./..."))
	if !blocks {
		free("Stop", h.call("Stop", session, map[string]any{"stop_hook_active": false}))
		return edited
	}
	// A turn that owes something is held up, but not for ever.
	const tries = 8
	for i := range tries {
		a := one("Stop", h.call("Stop", session, map[string]any{"stop_hook_active": i > 0}))
		if a.v.stopped == "" {
			return edited
		}
		r.told++
	}
	r.problem("%s: Stop was blocked %d times in a row", what, tries)
	return edited
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
