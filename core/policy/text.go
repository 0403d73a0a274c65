package policy

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// verdict merges what was found: the highest decision, with the reasons of
// that rank.
func (j *judge) verdict(gateID string) hook.Verdict {
	if j.set.Permitted != nil {
		j.found = slices.DeleteFunc(j.found, func(f finding) bool {
			return f.rule.Pack() != packSelf && j.set.Permitted(gateID, f.rule.ID, Code(f.rule.ID, f.argv, j.root))
		})
	}
	if len(j.found) == 0 {
		return hook.Verdict{}
	}
	top := hook.Pass
	for i := range j.found {
		if d := j.found[i].rule.Verdict; d.Rank() > top.Rank() {
			top = d
		}
	}
	v := hook.Verdict{Decision: top, Gate: gateID}
	var b strings.Builder
	var shown []*finding
	for i := range j.found {
		f := &j.found[i]
		if f.rule.Verdict != top {
			continue
		}
		if len(shown) == 3 {
			break
		}
		if v.Rule == "" {
			v.Rule = f.rule.ID
		}
		shown = append(shown, f)
		f.explain(&b)
	}
	closing := j.closing(top, shown)
	v.Reason = hook.Clip(strings.TrimSuffix(b.String(), "\n"), gate.MaxReason-len(closing)-1) + "\n" + closing
	return v
}

// explain writes the rule, what matched, why, and what to do instead.
func (f *finding) explain(b *strings.Builder) {
	b.WriteString("guardrails ")
	b.WriteString(f.rule.ID)
	b.WriteString(": `")
	b.WriteString(f.call)
	b.WriteString("` ")
	if f.what != "" {
		b.WriteString(f.what)
		b.WriteString("; ")
	} else {
		b.WriteString("– ")
	}
	b.WriteString(f.rule.Why)
	b.WriteString(".\n")
	instead := f.instead
	if instead == "" {
		instead = f.rule.Instead
	}
	if instead != "" {
		b.WriteString("Instead: ")
		b.WriteString(instead)
		b.WriteString(".\n")
	}
}

// closing says whether a retry helps and how a human may permit it.
func (j *judge) closing(top hook.Decision, fs []*finding) string {
	how := "run it in a terminal"
	rules, codes := "", ""
	for _, f := range fs {
		if f.rule.Pack() == packSelf {
			rules, codes = "", ""
			break
		}
		if rules != "" {
			rules += " and "
			codes += " and "
		}
		rules += f.rule.ID
		if j.set.Permit != nil {
			codes += j.set.Permit(Code(f.rule.ID, f.argv, j.root))
		}
	}
	switch {
	case codes != "" && j.set.Permit != nil:
		how = codes
	case rules != "":
		how += ", or allow " + rules + " under policy.allow in ~/.guardrails/config.yaml"
	}
	if top == hook.Ask {
		return "This needs a human's yes; a retry only asks again. Where nobody can be asked, your human can " + how + "."
	}
	return "A retry, or the same thing spelled differently, is judged the same. If it is really wanted, tell your human: they can " + how + "."
}

const maxCall = 240

// callOf shows a command as it was parsed, on one line, without what looks
// like a secret.
func callOf(c *shellcmd.Command) string {
	var b strings.Builder
	for i := range c.Assigns {
		a := &c.Assigns[i]
		b.WriteString(a.Name)
		b.WriteString("=")
		b.WriteString(mask(showWord(&a.Value)))
		b.WriteByte(' ')
	}
	for i := range c.Argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(mask(showWord(&c.Argv[i])))
		if b.Len() > 4*maxCall {
			break
		}
	}
	for i := range c.Redirects {
		r := &c.Redirects[i]
		if (r.Writes() || r.Reads()) && !r.Outer {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(r.Op)
			b.WriteByte(' ')
			b.WriteString(mask(showWord(&r.Target)))
		}
	}
	return oneLine(b.String())
}

// pipeOf shows the whole pipe that command i ends or stands in.
func pipeOf(l *shellcmd.Line, i int) string {
	c := &l.Commands[i]
	var parts []string
	for k := range l.Commands {
		d := &l.Commands[k]
		if d.Pipeline == c.Pipeline && d.Parent == c.Parent && d.Stage <= c.Stage && len(parts) < 8 {
			parts = append(parts, callOf(d))
		}
	}
	if len(parts) < 2 {
		return callOf(c)
	}
	return oneLine(strings.Join(parts, " | "))
}

// showWord is a word for a message: its value, or how it was written when that
// is not known.
func showWord(w *shellcmd.Word) string {
	s := w.Text
	if strings.Contains(s, shellcmd.Unknown) {
		if s = w.Raw; s == "" {
			s = "…"
		}
		return s
	}
	if s == "" {
		return `""`
	}
	if strings.ContainsAny(s, " \t\n'") && !strings.Contains(s, "'") {
		return "'" + s + "'"
	}
	return s
}

func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '`':
			return '\''
		case r == '\n', r == '\r', r == '\t':
			return ' '
		case r < ' ', r == 0x7f:
			return -1
		}
		return r
	}, s)
	return hook.Clip(s, maxCall)
}

// mask hides runs of characters that look like a key or token.
func mask(s string) string {
	run, digits, letters := 0, 0, 0
	hit := false
	token := func(c byte) bool {
		return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '-' || c == '+' || c == '='
	}
	for i := 0; i <= len(s) && !hit; i++ {
		if i < len(s) && token(s[i]) {
			run++
			if s[i] >= '0' && s[i] <= '9' {
				digits++
			} else if s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' {
				letters++
			}
			continue
		}
		hit = run >= 24 && digits > 2 && letters > 2
		run, digits, letters = 0, 0, 0
	}
	if !hit {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		k := i
		digits, letters = 0, 0
		for k < len(s) && token(s[k]) {
			if s[k] >= '0' && s[k] <= '9' {
				digits++
			} else if s[k]|0x20 >= 'a' && s[k]|0x20 <= 'z' {
				letters++
			}
			k++
		}
		switch {
		case k-i >= 24 && digits > 2 && letters > 2:
			b.WriteString(s[i : i+4])
			b.WriteString("…")
		case k > i:
			b.WriteString(s[i:k])
		default:
			b.WriteByte(s[i])
			k++
		}
		i = k
	}
	return b.String()
}
