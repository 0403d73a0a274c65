package policy

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

type word = shellcmd.Word

// arg is one element of an argument list: a flag with its value, if it takes
// one, or an operand.
type arg struct {
	flag  string // "-x" or "--long", "" for an operand
	value *word  // the operand, or the flag's value
	after bool   // behind a --
}

// grammar says which flags of a program take a value.
type grammar struct {
	short string   // letters: -o FILE, -oFILE
	long  []string // with two dashes; a unique beginning is enough: --target-directory
	stop  bool     // the first operand ends the flags
	words bool     // one dash also begins a long flag (find, openssl, java): no bundles
}

// parse reads args by g. A bundle such as -rf yields one arg a letter.
func (g *grammar) parse(args []word) []arg {
	out := make([]arg, 0, len(args)+4)
	for i := 0; i < len(args); i++ {
		w := &args[i]
		t := w.Text
		switch {
		case t == "--":
			for i++; i < len(args); i++ {
				out = append(out, arg{value: &args[i], after: true})
			}
			return out
		case strings.HasPrefix(t, "--") && len(t) > 2:
			name, val, has := strings.Cut(t, "=")
			a := arg{flag: name}
			switch {
			case has:
				a.value = tail(w, val)
			case g.takes(name) && i+1 < len(args):
				i++
				a.value = &args[i]
			}
			out = append(out, a)
		case len(t) > 1 && t[0] == '-' && !g.words:
			for k := 1; k < len(t); k++ {
				a := arg{flag: "-" + t[k:k+1]}
				if strings.IndexByte(g.short, t[k]) >= 0 {
					switch {
					case k+1 < len(t):
						a.value = tail(w, t[k+1:])
					case i+1 < len(args):
						i++
						a.value = &args[i]
					}
					out = append(out, a)
					break
				}
				out = append(out, a)
			}
		case len(t) > 1 && t[0] == '-':
			a := arg{flag: t}
			for _, l := range g.long {
				if l == t && i+1 < len(args) {
					i++
					a.value = &args[i]
					break
				}
			}
			out = append(out, a)
		default:
			out = append(out, arg{value: w})
			if g.stop {
				for i++; i < len(args); i++ {
					out = append(out, arg{value: &args[i], after: true})
				}
				return out
			}
		}
	}
	return out
}

// takes reports whether the long flag, possibly shortened, takes a value.
func (g *grammar) takes(name string) bool {
	if slices.Contains(g.long, name) {
		return true
	}
	if len(name) < 5 {
		return false
	}
	for _, l := range g.long {
		if strings.HasPrefix(l, name) {
			return true
		}
	}
	return false
}

// tail is the part of w that holds a flag's value.
func tail(w *word, text string) *word {
	t := *w
	t.Text = text
	t.Or = nil
	if len(w.Or) > 0 {
		for _, o := range w.Or {
			if i := len(w.Text) - len(text); i >= 0 && i <= len(o) && strings.HasPrefix(o, w.Text[:i]) {
				t.Or = append(t.Or, o[i:])
			}
		}
	}
	return &t
}

// long reports whether flag is name or an abbreviation of it that has at least
// that many characters after the dashes.
func long(flag, name string, least int) bool {
	return strings.HasPrefix(flag, "--") && len(flag) >= 2+least && strings.HasPrefix(name, flag)
}

// operands returns the words of as that are not flags.
func operands(as []arg) []*word {
	var out []*word
	for i := range as {
		if as[i].flag == "" {
			out = append(out, as[i].value)
		}
	}
	return out
}

// has reports whether any of the flags is in as.
func has(as []arg, flags ...string) bool {
	for i := range as {
		if as[i].flag == "" {
			continue
		}
		if slices.Contains(flags, as[i].flag) {
			return true
		}
	}
	return false
}

// valueOf returns the last value given to any of the flags.
func valueOf(as []arg, flags ...string) *word {
	for _, a := range slices.Backward(as) {
		for _, f := range flags {
			if a.flag == f && a.value != nil {
				return a.value
			}
		}
	}
	return nil
}

// helpOnly reports whether a flag makes the program print its help or version.
func helpOnly(as []arg) bool {
	for i := range as {
		if as[i].flag == "--help" || as[i].flag == "--version" {
			return as[i].value == nil
		}
	}
	return false
}

// texts returns the values of words, unknown parts included.
func texts(ws []word) []string {
	out := make([]string, len(ws))
	for i := range ws {
		out[i] = ws[i].Text
	}
	return out
}

// unknown reports whether the word's value is not known.
func unknown(w *word) bool { return strings.Contains(w.Text, shellcmd.Unknown) }
