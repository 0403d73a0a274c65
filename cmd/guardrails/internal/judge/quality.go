package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/audit"
	"github.com/ec261362/guardrails/core/config"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/permit"
	"github.com/ec261362/guardrails/core/quality"
	"github.com/ec261362/guardrails/core/scan"
	"github.com/ec261362/guardrails/core/vcs"
)

// quality are the settings of the project's own gate.
func (m *Machine) quality(ev *hook.Event, eff *config.Effective, j *Judgement) quality.Settings {
	s := quality.Settings{Standards: eff.Config.Standards, DryRun: m.DryRun || j.Probe()}
	on, ends := eff.Config.Quality.On, ev.Name == hook.SessionEnd && eff.OptedIn
	if !on && !ends {
		return s
	}
	q := &eff.Config.Quality
	s.On, s.Warn = on, eff.Config.Mode == config.Warn
	s.Project = QualityProject(&eff.Config, ev.Root, m.StateHome)
	s.Subagents, s.Stop, s.Lessons = q.Subagents, q.StopTimeout, q.Lessons
	s.Record, s.Version = ends, m.Version
	s.Guardrails = quoted(filepath.Join(m.StateHome, "bin", "guardrails"))
	s.Worker = m.Quality
	s.Redact, s.Busy = redact, m.busy(ev)
	s.Off = func(gate, rule string) bool {
		offs, err := (&permit.Store{StateHome: m.StateHome, Now: m.Now}).Active()
		j.notes.lapse(err)
		return slices.ContainsFunc(offs, func(o permit.Off) bool { return o.Covers(gate, rule) })
	}
	s.Usage = m.usage
	return s
}

// QualityProject is a project as its quality gate sees it.
func QualityProject(c *config.Config, root, stateHome string) quality.Project {
	q := &c.Quality
	p := quality.Project{
		Root: root, Cache: RepoCache(stateHome, root), OnEdit: qualitySteps(q.OnEdit), OnStop: qualitySteps(q.OnStop),
		PatchMin: q.Coverage.PatchMin, Tolerance: q.Coverage.Tolerance,
	}
	for i := range q.Packages {
		k := &q.Packages[i]
		p.Packages = append(p.Packages, quality.Override{
			Path: k.Path, Toolchain: k.Toolchain, Skip: qualitySteps(k.Skip), Format: quality.Command(k.Format), Lint: quality.Command(k.Lint),
			Build: quality.Command(k.Build), Test: quality.Command(k.Test), Report: k.Report, PatchMin: k.PatchMin, Tolerance: k.Tolerance,
		})
	}
	return p
}

func qualitySteps(words []string) []quality.Step {
	out := make([]quality.Step, len(words))
	for i, w := range words {
		out[i] = quality.Step(w)
	}
	return out
}

// RepoCache is the folder of what is kept of the repository that root is in:
// the same for all its worktrees.
func RepoCache(stateHome, root string) string {
	if stateHome == "" || root == "" {
		return ""
	}
	id := ""
	if repo, err := vcs.Open(context.Background(), nil, root); err == nil {
		id = repo.ID()
	} else {
		sum := sha256.Sum256([]byte(config.MainCheckout(root)))
		id = hex.EncodeToString(sum[:8])
	}
	return filepath.Join(stateHome, "cache", id)
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%=\\", r))
	}) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// redact masks what must not be kept of a human's sentence. Of one that looks
// like an injection nothing is.
func redact(text string) (string, bool) {
	ctx := context.Background()
	if in, err := scan.Resolve([]string{"prompt-injection"}, scan.Input); err != nil || len((&scan.Runner{Validators: in, NoKillSwitch: true}).Run(ctx, scan.Payload{Text: text}, scan.Input).Failures) > 0 {
		return "", false
	}
	out, err := scan.Resolve([]string{"secrets", "pii"}, scan.Output)
	if err != nil {
		return "", false
	}
	type span struct{ start, end int }
	var spans []span
	for _, f := range (&scan.Runner{Validators: out, NoKillSwitch: true}).Run(ctx, scan.Payload{Text: text}, scan.Output).Failures {
		if f.Crashed {
			return "", false
		}
		for _, m := range f.Matches {
			spans = append(spans, span{m.Start, m.End})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return b.start - a.start })
	end := len(text)
	for _, s := range spans {
		if s.start < 0 || s.end > len(text) || s.start >= s.end {
			return "", false
		}
		text = text[:s.start] + "[redacted]" + text[min(s.end, end):]
		end = s.start
	}
	return text, true
}

// usage sums up what the log says of a session, as far as time goes.
func (m *Machine) usage(ctx context.Context, host, id string, since time.Time) quality.Usage {
	u := quality.Usage{Digest: audit.Digest(host, id), Gates: map[string]quality.Counts{}}
	if since.IsZero() {
		since = m.Now().Add(-time.Hour)
	}
	log := audit.Log{Dir: filepath.Join(m.StateHome, "log"), Now: m.Now}
	mark := `"session":"` + u.Digest + `"`
	var took []float64
	n := 0
	for line, err := range log.Read(since, 0) {
		if n++; err != nil || n%256 == 0 && ctx.Err() != nil {
			break
		}
		if u.Digest == "" || !strings.Contains(string(line), mark) {
			continue
		}
		l, err := audit.Parse(line)
		if err != nil || l.Session != u.Digest {
			continue
		}
		took = append(took, l.MS)
		if l.Gate != "" {
			if u.Gates[l.Gate] == nil {
				u.Gates[l.Gate] = quality.Counts{}
			}
			what := l.Decision
			if what == "pass" && l.Rule != "" {
				what = "release"
			}
			u.Gates[l.Gate][what]++
		}
	}
	slices.Sort(took)
	if u.Calls = len(took); u.Calls > 0 {
		u.P50, u.P95 = took[(u.Calls-1)/2], took[(u.Calls-1)*95/100]
	}
	return u
}
