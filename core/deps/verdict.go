package deps

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
)

// maxTold is how many findings a verdict tells in full.
const maxTold = 5

// code names a finding for a human's permission: this package, this fact, this
// project.
func (s *Settings) code(f *Finding, root string) string {
	if s.Code == nil {
		return ""
	}
	return s.Code(f.Kind.Rule(), []string{ID, string(f.Package.Ecosystem), f.Package.Name, f.Package.Version, f.Fact}, root)
}

// verdict merges what was found, less what a human permitted.
func (s *Settings) verdict(r *Report, p *gate.Pass) hook.Verdict {
	root := p.Event.Root
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		if f.quiet {
			return true
		}
		return f.Verdict.Rank() >= hook.Ask.Rank() && s.Permitted != nil && s.Permitted(ID, f.Kind.Rule(), s.code(&f, root))
	})
	v := hook.Verdict{Notice: s.notice(r, root)}
	worst := r.Worst()
	if worst == hook.Pass {
		return v
	}
	v.Decision, v.Gate = worst, ID
	var told, also []string
	var stopped []*Finding
	var whys []Kind // told already
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.Verdict != worst:
			also = append(also, f.Detail)
			continue
		case v.Rule == "":
			v.Rule = f.Kind.Rule()
		}
		stopped = append(stopped, f)
		text := "guardrails " + f.Kind.Rule() + ": " + oneLine(f.Detail) + "." + instead(f)
		if worst != hook.Advise && !slices.Contains(whys, f.Kind) {
			whys = append(whys, f.Kind)
			text += " Why: " + kinds[f.Kind].why + "."
			if len(f.Instead) == 0 {
				text += " What to take: " + kinds[f.Kind].instead + "."
			}
		}
		told = append(told, text)
	}
	more := len(told) - maxTold
	if more > 0 {
		told = append(told[:maxTold], fmt.Sprintf("and %d more", more))
	}
	text := strings.Join(told, "\n")
	if len(also) > 0 {
		text += "\nAlso: " + oneLine(strings.Join(also[:min(len(also), maxTold)], "; ")) + "."
	}
	if worst == hook.Advise {
		v.Context = hook.Clip(text, gate.MaxReason)
		return v
	}
	how := "\nNothing was installed or written."
	if worst == hook.Deny {
		how += " A retry of the same is judged the same: change the name or the version. If it is really wanted, tell your human: they can "
	} else {
		how += " This needs a human's yes; a retry of the same only asks again. Where nobody can be asked, your human can "
	}
	how = hook.Clip(how+s.human(stopped, root)+".", gate.MaxReason/2)
	v.Reason = hook.Clip(text, gate.MaxReason-len(how)) + how // who is stopped learns how to go on
	return v
}

// instead says what passes.
func instead(f *Finding) string {
	if len(f.Instead) == 0 {
		return ""
	}
	names := make([]string, len(f.Instead))
	for i, n := range f.Instead {
		names[i] = "`" + oneLine(n) + "`"
	}
	switch f.Kind {
	case Vulnerable, NoSuchVersion, Cooldown, Yanked:
		return " Instead: " + strings.Join(names, " or ") + "."
	case NoKind, Malicious, TakenDown, NoSuchPackage, Unconfirmed, TooNew, NearName, Licence, Deprecated:
	}
	return " Did you mean " + strings.Join(names, " or ") + "?"
}

// human says what a human may do to let it through.
func (s *Settings) human(stopped []*Finding, root string) string {
	var names []string
	for _, f := range stopped[:min(len(stopped), maxTold)] {
		if n := "`" + oneLine(ecosystemWord(f.Package.Ecosystem)+":"+f.Package.Name) + "`"; !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	how := "add " + strings.Join(names, ", ") + " to dependencies.exempt in ~/.guardrails/config.yaml"
	if s.Permit != nil && s.Code != nil {
		var codes []string
		for _, f := range stopped[:min(len(stopped), maxTold)] {
			if c := s.code(f, root); !slices.Contains(codes, c) {
				codes = append(codes, c)
			}
		}
		var ways []string
		for _, c := range codes {
			ways = append(ways, s.Permit(c))
		}
		how = strings.Join(ways, " and ") + ", or " + how
	}
	return how
}

// ecosystemWord is how dependencies.exempt calls an ecosystem.
func ecosystemWord(e coord.Ecosystem) string { return strings.ToLower(string(e)) }

const (
	keepTold = 365 * 24 * time.Hour
	keepSaid = 24 * time.Hour
)

// notice tells the human what was not checked, and once that the network is
// used at all.
func (s *Settings) notice(r *Report, root string) string {
	var lines []string
	if r.Asked && !s.Told && s.once("told|look-ups", keepTold) {
		lines = append(lines, "guardrails looks up packages that are about to be added at deps.dev and OSV, once a day each: they see names and versions, nothing else. "+
			"`dependencies: {enabled: false}` in ~/.guardrails/config.yaml switches it off.")
	}
	var failed []string
	for _, u := range r.NotAsked {
		failed = append(failed, oneLine(u.Package.Name)+" ("+oneLine(u.Why)+")")
	}
	var left []string
	for _, u := range r.Unchecked {
		if u.Values {
			continue
		}
		switch u.Why {
		case coord.CustomRegistry, coord.OtherRegistry, coord.Private, coord.Variable, coord.Substitution, coord.Unparsable:
			if s.Online && s.once("said|"+root+"|"+u.Why+"|"+u.Spec, keepSaid) {
				left = append(left, oneLine(u.Spec)+" ("+u.Why+")")
			}
		}
	}
	if all := append(failed, left...); len(all) > 0 {
		const most = 8
		if n := len(all) - most; n > 0 {
			all = append(all[:most], fmt.Sprintf("and %d more", n))
		}
		lines = append(lines, "guardrails deps: not checked: "+strings.Join(all, ", "))
	}
	return strings.Join(lines, "\n")
}

// once reports whether a thing has not been said before, within a time.
func (s *Settings) once(key string, ttl time.Duration) bool {
	if s.Cache == nil {
		return true
	}
	if _, ok := s.Cache.Get(key); ok {
		return false
	}
	_ = s.Cache.Put(key, []byte("true"), ttl)
	return true
}

// oneLine makes text of others fit to be told: on one line, without marks of
// its own.
func oneLine(s string) string {
	return hook.Clip(strings.Map(func(r rune) rune {
		switch {
		case r == '`':
			return '\''
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case r < ' ' || r == 0x7f || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069:
			return -1
		}
		return r
	}, strings.TrimSpace(s)), 600)
}
