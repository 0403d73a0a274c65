// Package touch records which files a session, and inside it each subagent,
// has written: the ground that turn-end gates stand on.
//
// It writes session state and has no opinion. It must not import other gates.
package touch

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// Set is the name of the session's set of touched paths: relative to the
// project root with forward slashes, absolute when outside it.
const Set = "touched"

// New returns the recorder.
func New() *gate.Gate {
	return &gate.Gate{
		ID:    "touched",
		Doc:   "records which files were written, for the session and for each subagent",
		On:    []hook.EventName{hook.PostToolUse},
		Tools: hook.Tools(hook.Write, hook.Edit, hook.MCP, hook.Shell, hook.Other),
		State: true,
		Wants: func(e *hook.Event) bool {
			if e.Tool.Kind == hook.Shell {
				cmd, ok := e.Tool.Command()
				return ok && strings.Contains(cmd, "*** Begin Patch")
			}
			return e.Tool.Kind == hook.Write || e.Tool.Kind == hook.Edit || len(e.Tool.Edits()) > 0
		},
		Run: run,
	}
}

func run(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
	edits := p.Event.Tool.Edits()
	if len(edits) == 0 {
		return hook.Verdict{}, gate.Skip("the call names no file")
	}
	for _, e := range edits {
		for _, name := range [...]string{e.Path, e.NewPath} {
			if name == "" {
				continue
			}
			c := session.Add(Set, Path(name, p.Event.Cwd, p.Event.Root))
			p.Record(c)
			if p.Event.AgentID != "" {
				p.Record(c.For(p.Event.AgentID))
			}
		}
	}
	return hook.Verdict{}, nil
}

// Path returns name as it is kept in the set.
func Path(name, cwd, root string) string {
	if !filepath.IsAbs(name) && cwd != "" {
		name = filepath.Join(cwd, name)
	}
	name = filepath.Clean(name)
	if root != "" {
		if rel, err := filepath.Rel(root, name); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(name)
}
