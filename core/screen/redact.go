package screen

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/scan"
)

// masked returns the result with what was found replaced by its samples, if
// that is all that is to be done about it: what was found is a value, secret or
// personal, not an order, and the whole result is at hand.
func (s *Settings) masked(ctx context.Context, r *scan.Runner, e *hook.Event, o scan.Outcome) (hook.Verdict, bool) {
	if e.Tool.Result.Raw == nil {
		return hook.Verdict{}, false
	}
	for _, f := range o.Failures {
		if f.Crashed || f.Validator != scan.NameSecrets && f.Validator != scan.NamePII {
			return hook.Verdict{}, false
		}
	}
	v, ok := decoded(e.Tool.Result.Raw)
	if !ok {
		return hook.Verdict{}, false
	}
	m := masking{ctx: ctx, runner: scan.Runner{Validators: r.Validators, Timeout: r.Timeout, NoKillSwitch: true, Allow: r.Allow}}
	v = m.value(v)
	if m.failed || m.count == 0 {
		return hook.Verdict{}, false
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return hook.Verdict{}, false
	}
	// What was found in the text as a whole must be gone from it, also where it
	// was a name, a number, or spread over several strings.
	var left []string
	each(v, func(text string) { left = append(left, text) })
	text := strings.Join(left, "\n")
	if o := m.runner.Run(ctx, scan.Payload{Text: text}, scan.Output); !o.Pass {
		return hook.Verdict{}, false
	}
	what, they := "1 value", "it is not needed to go on; do not try to read it another way"
	if m.count != 1 {
		what, they = fmt.Sprintf("%d values", m.count), "they are not needed to go on; do not try to read them another way"
	}
	return hook.Verdict{
		Decision: hook.Advise,
		Rule:     "validators/redacted",
		Result:   json.RawMessage(strings.TrimSpace(b.String())),
		Context:  fmt.Sprintf("guardrails masked %s in this result (%s): %s.", what, strings.Join(m.kinds, ", "), they),
	}, true
}

// masking replaces findings in the strings of a decoded JSON value.
type masking struct {
	ctx    context.Context
	runner scan.Runner
	count  int
	kinds  []string
	failed bool
}

func (m *masking) value(v any) any {
	switch v := v.(type) {
	case string:
		return m.text(v)
	case []any:
		for i := range v {
			v[i] = m.value(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = m.value(v[k])
		}
	}
	return v
}

func (m *masking) text(text string) string {
	o := m.runner.Run(m.ctx, scan.Payload{Text: text}, scan.Output)
	var found []scan.Match
	for _, f := range o.Failures {
		if f.Crashed || len(f.Matches) == scan.MaxMatches {
			m.failed = true // there may be more
		}
		found = append(found, f.Matches...)
	}
	slices.SortFunc(found, func(a, b scan.Match) int { return a.Start - b.Start })
	var b strings.Builder
	at := 0
	for _, f := range found {
		if f.Start < at {
			continue
		}
		b.WriteString(text[at:f.Start])
		fmt.Fprintf(&b, "[masked %s]", f.Kind)
		at = f.End
		m.count++
		if !slices.Contains(m.kinds, f.Kind) {
			m.kinds = append(m.kinds, f.Kind)
		}
	}
	b.WriteString(text[at:])
	return b.String()
}
