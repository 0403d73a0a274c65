// Package notice tells the human what the configuration says about itself: a
// file that is broken, and settings that wait for trust.
//
// It decides nothing. It must not import the configuration loader: it is
// handed the texts.
package notice

import (
	"context"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// Settings are the texts to tell; an empty one is not told.
type Settings struct {
	// Problems of a configuration file: told at every session start, prompt and
	// turn end, and on tool events at most once a minute.
	Problems string
	// Held is what an untrusted project file wanted and did not get: told once
	// a session, at its start, the first prompt or the first edit, never at a
	// turn end.
	Held string
	// Off is what the human has switched off for a while: told at every session
	// start.
	Off string
}

// forAgent keeps the agent from repairing what is not its own.
const forAgent = "guardrails: this project's guardrails configuration has mistakes. Only the human can fix it: do not edit it, mention it if it matters."

const (
	factProblems = "notice:config"
	factHeld     = "notice:held"
	toolInterval = time.Minute
)

// New returns the gates that tell; none when there is nothing to tell.
func New(s Settings) []*gate.Gate {
	var out []*gate.Gate
	if text := s.Problems; text != "" {
		out = append(out, &gate.Gate{
			ID:  "config",
			Doc: "tells the human that a configuration file is broken",
			On:  []hook.EventName{hook.SessionStart, hook.UserPromptSubmit, hook.Stop, hook.SubagentStop},
			Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
				v := hook.Verdict{Notice: text}
				if p.Event.Name == hook.SessionStart {
					v.Decision, v.Context = hook.Advise, forAgent
				}
				return v, nil
			},
		}, &gate.Gate{
			ID:    "config-tools",
			Doc:   "tells the human on tool calls too, at most once a minute",
			On:    []hook.EventName{hook.PreToolUse, hook.PostToolUse, hook.PostToolUseFailure},
			State: true,
			Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
				now := p.Env.Now()
				if _, at := p.Session.Fact(factProblems); !at.IsZero() && now.Sub(at) < toolInterval {
					return hook.Verdict{}, gate.Skip("told less than a minute ago")
				}
				p.Record(session.Note(factProblems, "told", now))
				return hook.Verdict{Notice: text}, nil
			},
		})
	}
	if text := s.Held; text != "" {
		out = append(out, &gate.Gate{
			ID:    "held",
			Doc:   "tells the human once a session which settings wait for trust",
			On:    []hook.EventName{hook.SessionStart, hook.UserPromptSubmit, hook.PostToolUse},
			State: true,
			Wants: func(e *hook.Event) bool {
				return e.Name != hook.PostToolUse || (e.Tool != nil && len(e.Tool.Edits()) > 0)
			},
			Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
				if _, at := p.Session.Fact(factHeld); !at.IsZero() {
					return hook.Verdict{}, gate.Skip("told before in this session")
				}
				p.Record(session.Note(factHeld, "told", p.Env.Now()))
				return hook.Verdict{Notice: text}, nil
			},
		})
	}
	if s.Off != "" {
		out = append(out, atStart("off", "tells the human at a session's start what is switched off", s.Off))
	}
	return out
}

// atStart is a gate that tells text at every session start.
func atStart(id, doc, text string) *gate.Gate {
	return &gate.Gate{
		ID:  id,
		Doc: doc,
		On:  []hook.EventName{hook.SessionStart},
		Run: func(context.Context, *gate.Pass) (hook.Verdict, error) { return hook.Verdict{Notice: text}, nil },
	}
}
