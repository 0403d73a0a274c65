package scan

import (
	"context"
	"strings"

	"github.com/ec261362/guardrails/core/scan/injection"
	"github.com/ec261362/guardrails/core/scan/pii"
	"github.com/ec261362/guardrails/core/scan/secrets"
)

// Names of the built-in validators.
const (
	NameSecrets         = "secrets"
	NamePII             = "pii"
	NamePromptInjection = "prompt-injection"
)

// Secrets finds credentials; see package secrets for what it knows.
func Secrets() Validator {
	return Validator{Name: NameSecrets, Direction: Both, Severity: High, Check: func(ctx context.Context, p Payload) ([]Match, error) {
		return pieces(p.Text, secrets.MaxText, func(text string) ([]Match, error) {
			found, err := secrets.Scan(ctx, text, secrets.Options{Path: p.Path})
			out := make([]Match, 0, len(found))
			for _, f := range found {
				out = append(out, Match{Kind: f.Rule, Severity: High, Start: f.Start, End: f.End, Line: f.Line, Sample: f.Sample, Fingerprint: f.Fingerprint})
			}
			return out, err
		})
	}}
}

// PIIOptions say what PII looks for.
type PIIOptions struct {
	IPv4 bool // IPv4 addresses too
}

// PII finds personal data; see package pii for the kinds.
func PII(o PIIOptions) Validator {
	return Validator{Name: NamePII, Direction: Both, Severity: High, Check: func(ctx context.Context, p Payload) ([]Match, error) {
		return pieces(p.Text, pii.MaxText, func(text string) ([]Match, error) {
			found, err := pii.Scan(ctx, text, pii.Options{IPv4: o.IPv4})
			out := make([]Match, 0, len(found))
			for _, f := range found {
				out = append(out, Match{Kind: f.Kind, Severity: severity(f.Unsure), Start: f.Start, End: f.End, Line: f.Line, Sample: f.Sample, Fingerprint: f.Fingerprint})
			}
			return out, err
		})
	}}
}

// PromptInjection finds instructions to the model. It is a tripwire: text that it
// lets pass may still be an attack.
func PromptInjection() Validator {
	return Validator{Name: NamePromptInjection, Direction: Both, Severity: High, Check: func(ctx context.Context, p Payload) ([]Match, error) {
		return pieces(p.Text, injection.MaxText, func(text string) ([]Match, error) {
			found, err := injection.Scan(ctx, text)
			out := make([]Match, 0, len(found))
			for _, f := range found {
				out = append(out, Match{Kind: f.Kind, Severity: severity(f.Low), Start: f.Start, End: f.End, Line: f.Line, Sample: f.Sample, Fingerprint: f.Fingerprint})
			}
			return out, err
		})
	}}
}

func severity(low bool) Severity {
	if low {
		return Low
	}
	return High
}

// overlap is how much of a piece is in the next one as well, so that nothing is
// cut in two.
const overlap = 64 << 10

// pieces has a text of any length scanned in pieces of at most size bytes.
func pieces(text string, size int, scan func(string) ([]Match, error)) ([]Match, error) {
	if len(text) <= size {
		return scan(text)
	}
	var all []Match
	line, end := 0, 0
	for from := 0; ; {
		piece := text[from:min(len(text), from+size)]
		found, err := scan(piece)
		for _, m := range found {
			if m.Start+from < end {
				continue // the piece before had it
			}
			m.Start, m.End, m.Line = m.Start+from, m.End+from, m.Line+line
			all = append(all, m)
		}
		if err != nil || from+size >= len(text) || len(all) > MaxMatches {
			return all, err
		}
		if n := len(all); n > 0 {
			end = all[n-1].End
		}
		next := from + size - overlap
		line += strings.Count(text[from:next], "\n")
		from = next
	}
}
