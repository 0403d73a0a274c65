package quality

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/session"
)

// Record is one session, as its end found it.
type Record struct {
	At       time.Time         `json:"at"`
	Session  string            `json:"session"` // digest
	Host     string            `json:"host"`
	Agent    string            `json:"hostVersion,omitempty"`
	Version  string            `json:"version"`
	Reason   string            `json:"reason,omitempty"`
	Seconds  float64           `json:"seconds"`
	Turns    int               `json:"turns"`
	Gates    map[string]Counts `json:"gates"` // what each gate decided, by decision
	Blocks   int               `json:"blocks"`
	Released []string          `json:"released,omitempty"` // once for each release
	Skipped  map[string]string `json:"skipped,omitempty"`  // obligation to reason
	Touched  int               `json:"touched"`
	Agents   int               `json:"agents"`
	Before   map[string]string `json:"coverageBefore,omitempty"`
	After    map[string]string `json:"coverageAfter,omitempty"`
	Calls    int               `json:"calls"`
	P50      float64           `json:"p50"` // milliseconds of a hook call
	P95      float64           `json:"p95"`
}

// Counts is how often each decision was made.
type Counts map[string]int

// Usage is what the log says of a session.
type Usage struct {
	Digest   string
	Calls    int
	P50, P95 float64 // milliseconds
	Gates    map[string]Counts
}

const (
	maxRuns    = 5 << 20
	usageLimit = 400 * time.Millisecond
)

// RunsFile is where the records of a repository's sessions are kept.
func RunsFile(cache string) string { return filepath.Join(cache, "runs.jsonl") }

func (s *Settings) recordGate() *gate.Gate {
	return &gate.Gate{
		ID:    "record",
		Doc:   "keeps one line about each session at its end",
		On:    []hook.EventName{hook.SessionEnd},
		State: true,
		Run: func(ctx context.Context, p *gate.Pass) (hook.Verdict, error) {
			if s.DryRun {
				return hook.Verdict{}, gate.Skip("a dry run keeps nothing")
			}
			return hook.Verdict{}, AppendRecord(s.Project.Cache, s.record(ctx, p))
		},
	}
}

func (s *Settings) record(ctx context.Context, p *gate.Pass) Record {
	now, view := p.Env.Now(), p.Session
	r := Record{
		At: now.UTC().Truncate(time.Millisecond), Host: p.Event.Host, Agent: p.Event.HostVersion, Version: s.Version,
		Reason: reason(p.Event.Source), Turns: view.Turn().N, Touched: view.Len(session.Touched), Agents: len(view.Agents()),
	}
	if made := view.CreatedAt(); !made.IsZero() {
		r.Seconds = now.Sub(made).Round(time.Millisecond).Seconds()
	}
	for _, o := range view.Obligations() {
		r.Blocks += o.Blocks
		if o.Skipped != "" {
			if r.Skipped == nil {
				r.Skipped = map[string]string{}
			}
			r.Skipped[o.ID] = trim(o.Skipped, 120)
		}
	}
	// An obligation that was met since has forgotten its release.
	for _, name := range view.Counters() {
		if id, ok := strings.CutPrefix(name, releasedPre); ok {
			for range min(view.Counter(name), 20) {
				r.Released = append(r.Released, id)
			}
		}
	}
	for name, c := range snapshot(view) {
		if r.Before == nil {
			r.Before = map[string]string{}
		}
		r.Before[name] = percent(c.Pct())
	}
	for _, name := range view.Facts(coverNow) {
		if r.After == nil {
			r.After = map[string]string{}
		}
		r.After[strings.TrimPrefix(name, coverNow)], _ = view.Fact(name)
	}
	if s.Usage != nil {
		ctx, cancel := context.WithTimeout(ctx, usageLimit)
		defer cancel()
		u := s.Usage(ctx, p.Event.Host, p.Event.SessionID, view.CreatedAt())
		r.Session, r.Calls, r.P50, r.P95, r.Gates = u.Digest, u.Calls, u.P50, u.P95, u.Gates
		if n := u.Gates["quality"]["block"]; n > r.Blocks {
			r.Blocks = n // an obligation that was met has forgotten its blocks
		}
	}
	if r.Gates == nil {
		r.Gates = map[string]Counts{}
	}
	return r
}

// coverNow starts the facts of a package's coverage as it passed last.
const coverNow = "covered:"

// releasedPre starts the counters by which the engine counts releases.
const releasedPre = "released:"

// reason keeps one word of what a host says.
func reason(source string) string {
	if strings.ContainsAny(source, " \t\r\n") || len(source) > 40 {
		return ""
	}
	return source
}

// AppendRecord adds one line with one write. A file of 5 MB is put aside as
// runs.1.jsonl first.
func AppendRecord(cache string, r Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	name := RunsFile(cache)
	if st, err := os.Stat(name); err == nil && st.Size() > maxRuns {
		_ = os.Rename(name, filepath.Join(cache, "runs.1.jsonl")) //nolint:forbidigo // put aside, not replaced; else it grows on
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(cache, 0o700); err == nil {
			f, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}
