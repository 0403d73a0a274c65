// Package notice tells the human what the configuration says about itself: a
// file that is broken, and settings that wait for trust.
//
// It decides nothing. It must not import the configuration loader: it is
// handed the texts.
package notice

import (
	"context"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// Settings are the texts to tell.
type Settings struct {
	// Problems of a configuration file: told at every session start, prompt and
	// turn end, and on tool events at most once a minute.
	Problems []string
	// Held is what an untrusted project file wanted and did not get: told once
	// a session, never at a turn end.
	Held []string
}

const (
	factProblems = "notice:config"
	factHeld     = "notice:held"
	toolInterval = time.Minute
)

// New returns the gates that tell; none when there is nothing to tell.
func New(s Settings) []*gate.Gate {
	var out []*gate.Gate
	if len(s.Problems) > 0 {
		text := "guardrails: the configuration is broken, so the built-in rules apply and the rest is paused. It is yours to fix:\n" +
			strings.Join(s.Problems, "\n")
		out = append(out, &gate.Gate{
			ID:  "config",
			Doc: "tells the human that a configuration file is broken",
			On:  []hook.EventName{hook.SessionStart, hook.UserPromptSubmit, hook.Stop, hook.SubagentStop},
			Run: func(context.Context, *gate.Pass) (hook.Verdict, error) { return hook.Verdict{Notice: text}, nil },
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
	if len(s.Held) > 0 {
		text := "guardrails: this project's " + strings.Join(s.Held, "; ") +
			" wait until you have read its .guardrails.yaml and run `guardrails trust`"
		out = append(out, &gate.Gate{
			ID:    "held",
			Doc:   "tells the human once a session which settings wait for trust",
			On:    []hook.EventName{hook.SessionStart, hook.UserPromptSubmit, hook.PostToolUse},
			State: true,
			Run: func(_ context.Context, p *gate.Pass) (hook.Verdict, error) {
				if _, at := p.Session.Fact(factHeld); !at.IsZero() {
					return hook.Verdict{}, gate.Skip("told before in this session")
				}
				p.Record(session.Note(factHeld, "told", p.Env.Now()))
				return hook.Verdict{Notice: text}, nil
			},
		})
	}
	return out
}
