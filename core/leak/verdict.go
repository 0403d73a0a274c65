package leak

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/scan/secrets"
)

// sink judges a secret that goes to a file.
func (j *judge) sink(s sink, argv []string, f secrets.Finding, secret string) {
	d := hook.Deny
	if s.path != "" {
		if d = j.decide(s.path); d == hook.Pass || strings.Contains(j.content(s.path), secret) {
			return
		}
	}
	j.add(leak{decision: d, kind: inFile, name: j.show(s.path, s.name), argv: argv}, f)
}

// maxShown is how many leaks a verdict tells.
const maxShown = 3

// verdict merges what was found, less what a human permitted.
func (j *judge) verdict() hook.Verdict {
	if j.set.Permitted != nil {
		j.found = slices.DeleteFunc(j.found, func(l leak) bool { return j.set.Permitted("secrets", l.rule, j.code(&l)) })
	}
	if len(j.found) == 0 {
		if len(j.cut) > 0 {
			return hook.Verdict{Notice: fmt.Sprintf("guardrails secrets: of %s only the first %d MB were looked at", strings.Join(j.cut, ", "), secrets.MaxText>>20)}
		}
		return hook.Verdict{}
	}
	v := hook.Verdict{Gate: "secrets"}
	for i := range j.found {
		if d := j.found[i].decision; d.Rank() > v.Decision.Rank() {
			v.Decision = d
		}
	}
	var b strings.Builder
	n := 0
	for i := range j.found {
		l := &j.found[i]
		if l.decision != v.Decision {
			continue
		}
		if n++; n > maxShown {
			continue
		}
		if v.Rule == "" {
			v.Rule = l.rule
		} else {
			b.WriteByte('\n')
		}
		j.tell(&b, l)
	}
	if n > maxShown {
		fmt.Fprintf(&b, "\nand %d more", n-maxShown)
	}
	b.WriteString("\nInstead: read it from the environment, or keep it in a secret file that git ignores, such as .env, and name only the variable here;" +
		" a test takes a value that is visibly fake, such as one letter repeated.\nA retry, or the same thing spelled differently, is judged the same.")
	v.Reason = hook.Clip(b.String()+j.human(&j.found[slices.IndexFunc(j.found, func(l leak) bool { return l.rule == v.Rule && l.decision == v.Decision })]), gate.MaxReason)
	return v
}

// tell says what one leak is, never the secret.
func (j *judge) tell(b *strings.Builder, l *leak) {
	name := "`" + oneLine(l.name) + "`"
	switch l.kind {
	case inFile:
		name += " would hold"
	case inCommand:
		name = "the command " + name + " holds"
	default:
		name = "the call of " + name + " holds"
	}
	fmt.Fprintf(b, "guardrails %s: %s a secret of the kind %s", l.rule, name, strings.TrimPrefix(l.rule, Pack+"/"))
	if l.line > 0 {
		fmt.Fprintf(b, " on line %d", l.line)
	}
	fmt.Fprintf(b, ", %s", oneLine(l.what))
	if l.more > 0 {
		fmt.Fprintf(b, " and %d more", l.more)
	}
	switch {
	case l.doubtful:
		b.WriteString("; a word in it says that it is made up, and the rest of it does not look so.")
	case l.kind == inFile && l.decision == hook.Ask:
		b.WriteString("; it is not sure that git keeps this file out of the history.")
	case l.kind == inFile:
		b.WriteString("; what git tracks stays in the history and is shared with it.")
	case l.kind == inCommand:
		b.WriteString("; other programs see a command line, and it stays in logs and in the transcript.")
	default:
		b.WriteString("; what another tool is handed leaves this session.")
	}
}

// human says how a human may let it through.
func (j *judge) human(l *leak) string {
	how := "add a policy.allow entry for " + l.rule + " to ~/.guardrails/config.yaml"
	if j.set.Permit != nil && j.set.Code != nil {
		how = j.set.Permit(j.code(l)) + ", or " + how
	}
	return " If it is really wanted, tell your human: they can " + how + "."
}

// code names the call for a human's permission: the same secrets under the same
// rule in the same place.
func (j *judge) code(l *leak) string {
	if j.set.Code == nil {
		return ""
	}
	return j.set.Code(l.rule, slices.Concat(l.argv, l.prints), j.ev.Root)
}

func oneLine(s string) string {
	return hook.Clip(strings.Map(func(r rune) rune {
		switch {
		case r == '`':
			return '\''
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case r < ' ' || r == 0x7f:
			return -1
		}
		return r
	}, s), 240)
}
