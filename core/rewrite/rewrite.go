// Package rewrite replaces the leading words of plain commands, as the
// configuration says: `git status` becomes `rtk git status`. It is a
// convenience, never a protection: what is dangerous is refused, not changed.
//
// It acts only on a line of which every byte is understood, and changes no byte
// but the matched words. It must not import other gates.
package rewrite

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/tidwall/sjson"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Rule replaces the words Match at the start of a stage by the text To.
type Rule struct {
	Match string
	To    string
}

// Settings are the rules, in order: of each stage the first that matches acts.
type Settings struct {
	Rules []Rule

	// Allowed reports whether original may run as rewritten, and if not, why.
	// nil = it may.
	Allowed func(original, rewritten string) (ok bool, why string)
}

// ID is the gate's name.
const ID = "rewrite"

// New returns the gate, nil if there is no rule.
func New(s Settings) *gate.Gate {
	if len(s.Rules) == 0 {
		return nil
	}
	return &gate.Gate{
		ID:       ID,
		Doc:      "plain commands whose leading words the configuration replaces",
		On:       []hook.EventName{hook.PreToolUse},
		Tools:    hook.Tools(hook.Shell),
		Strength: gate.Enforce,
		Run:      func(_ context.Context, p *gate.Pass) (hook.Verdict, error) { return s.run(p) },
	}
}

func (s *Settings) run(p *gate.Pass) (hook.Verdict, error) {
	original, key := commandMember(p.Event.Tool)
	switch {
	case key == "":
		return hook.Verdict{}, gate.Skip("the call has no command, or several")
	case p.Event.Tool.PowerShell():
		return hook.Verdict{}, gate.Skip("PowerShell's commands are left as they are")
	}
	rewritten, why := Line(original, s.Rules)
	switch {
	case why != "":
		return hook.Verdict{}, gate.Skip(why)
	case rewritten == original:
		return hook.Verdict{}, nil
	}
	if s.Allowed != nil {
		if ok, why := s.Allowed(original, rewritten); !ok {
			return hook.Verdict{}, gate.Skip("steps aside: " + why)
		}
	}
	input, err := withMember(p.Event.Tool.Input, key, rewritten)
	if err != nil {
		return hook.Verdict{}, err
	}
	return hook.Verdict{Decision: hook.Rewrite, Gate: ID, Rule: ID, Reason: "runs as `" + rewritten + "`", Input: input}, nil
}

// commandMember returns the command and the member that holds it, "" if none or
// more than one could be what runs.
func commandMember(t *hook.Tool) (command, key string) {
	for k, v := range hook.Members(t.Input) {
		switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(string(k))) {
		case "command", "cmd", "commandline", "script":
		default:
			continue
		}
		text, ok := hook.Text(v)
		if !ok || key != "" {
			return "", ""
		}
		command, key = text, string(k)
	}
	if read, ok := t.Command(); !ok || read != command {
		return "", "" // something else would run, too
	}
	return command, key
}

// withMember returns a valid JSON object with one member's text replaced. Every
// other byte stays. The key holds letters, "-" and "_" only, so it is a plain
// sjson path.
func withMember(object []byte, key, text string) (json.RawMessage, error) {
	value, err := encode(text)
	if err != nil {
		return nil, err
	}
	return sjson.SetRawBytes(object, key, value)
}

// encode writes a JSON string without the escapes that HTML needs.
func encode(s string) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(s)
	return []byte(strings.TrimSuffix(b.String(), "\n")), err
}

// Line returns src with the leading words of its stages replaced, or why it is
// left alone. It returns src when no rule matches.
//
// A line is plain when it is words, known before anything runs, and the
// operators && || ; and | between them, and nothing else: no expansion, glob,
// redirect, assignment, group, keyword, background, comment, second line,
// wrapper such as sudo, or code for another shell. One stage that is not plain
// leaves the whole line alone. So does a carriage return anywhere.
func Line(src string, rules []Rule) (line, why string) {
	if strings.ContainsAny(src, "\r\n\x00") {
		return "", "the command has a carriage return, a NUL or a second line"
	}
	stages := plain(src)
	if stages == nil {
		return "", "the command is not plain"
	}
	var b strings.Builder
	done := 0
	for _, words := range stages {
		for i := range rules {
			end, to := rules[i].apply(words)
			if end < 0 {
				continue
			}
			b.WriteString(src[done:words[0].Pos])
			b.WriteString(to)
			done = end
			break
		}
	}
	b.WriteString(src[done:])
	return b.String(), ""
}

// apply returns where the rule's words end in a stage and what stands for them,
// or -1. A stage that starts with the new words already is left alone, as are
// rules whose sides are not plain words.
func (r *Rule) apply(words []shellcmd.Word) (end int, to string) {
	match, target := single(r.Match), single(r.To)
	if match == nil || target == nil || starts(words, target) || !starts(words, match) {
		return -1, ""
	}
	return words[len(match)-1].End, strings.TrimSpace(r.To)
}

// single returns the words of a rule's side, nil if it is not words alone: each
// must mean itself to every shell.
func single(text string) []string {
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == ' ', strings.IndexByte("-_./:,@+%=", c) >= 0:
		default:
			return nil
		}
	}
	words := strings.Fields(text)
	if len(words) == 0 || strings.Contains(words[0], "=") {
		return nil
	}
	return words
}

// starts reports whether words begin with prefix, each as it is written: a
// quoted word is somebody's way to say something else (\ls, 'git').
func starts(words []shellcmd.Word, prefix []string) bool {
	if len(words) < len(prefix) {
		return false
	}
	for i := range prefix {
		if words[i].Raw != prefix[i] {
			return false
		}
	}
	return true
}

// plain returns the words of each stage of a plain line, nil if it is not one.
func plain(src string) [][]shellcmd.Word {
	l := shellcmd.Parse(src, shellcmd.Options{})
	if l.Truncated || len(l.Opaque) > 0 || len(l.Commands) == 0 {
		return nil
	}
	stages := make([][]shellcmd.Word, 0, len(l.Commands))
	at := 0 // how far src is accounted for
	for i := range l.Commands {
		c := &l.Commands[i]
		const usual = shellcmd.Conditional | shellcmd.Masked | shellcmd.Subshell
		if c.Parent >= 0 || c.Via != shellcmd.ViaNone || c.Dynamic || c.Program == "" || len(c.Wrappers) > 0 || len(c.Assigns) > 0 ||
			len(c.Redirects) > 0 || c.Flags&^usual != 0 || len(c.Argv) == 0 || c.Argv[0].Pos < at || c.Argv[0].End > len(src) {
			return nil
		}
		if !operator(src[at:c.Argv[0].Pos], i == 0) {
			return nil
		}
		at = c.Argv[0].Pos
		for k := range c.Argv {
			w := &c.Argv[k]
			if !w.Static || w.Glob || w.Splits || len(w.Or) > 0 || len(w.Vars) > 0 || len(w.Subst) > 0 ||
				w.Pos < at || w.End < w.Pos || w.End > len(src) || src[w.Pos:w.End] != w.Raw || strings.Trim(src[at:w.Pos], " \t") != "" {
				return nil
			}
			// ~ and {a,b} are static, too, where the home is known or the list short.
			if !quotedOnly(w) {
				return nil
			}
			at = w.End
		}
		stages = append(stages, c.Argv)
	}
	if rest := strings.Trim(src[at:], " \t"); rest != "" && rest != ";" {
		return nil
	}
	return stages
}

// operator reports whether what stands between two stages joins them plainly.
func operator(between string, first bool) bool {
	switch strings.Trim(between, " \t") {
	case "":
		return first
	case "&&", "||", ";", "|":
		return !first
	}
	return false
}

// quotedOnly reports whether a word's value is its spelling less quotes and
// backslashes.
func quotedOnly(w *shellcmd.Word) bool {
	if w.Raw == w.Text {
		return !strings.ContainsAny(w.Raw, "~{}")
	}
	return w.Quoted && strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(w.Raw) == strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(w.Text)
}
