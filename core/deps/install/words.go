package install

import (
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// arg is one argument, or the value of a flag.
type arg struct {
	text      string   // its value, or as written when that is not known
	why       string   // why the value is not known
	partial   string   // of an unknown value: what is known, with Unknown in it
	maybe     []string // of an unknown value: all that it may be, if that is known
	uncertain bool     // follows a flag that is not known: perhaps its value
}

func word(text string) arg { return arg{text: text} }

// args are the words as far as they are known before the line runs.
func (r *reader) args(words []shellcmd.Word) []arg {
	out := make([]arg, 0, len(words))
	for i := range words {
		w := &words[i]
		a := arg{text: w.Text}
		switch {
		case w.Static && len(w.Or) == 0:
		case home(w):
			a.text = w.Raw
		case !w.Static && w.Raw == "" && r.c.Has(shellcmd.StdinArgs):
			a = arg{text: "stdin", why: coord.Xargs, partial: w.Text}
		default:
			a = arg{text: unquote(w.Raw), why: coord.Variable, partial: w.Text}
			if len(w.Subst) > 0 && strings.ContainsAny(w.Raw, "`(") {
				a.why = coord.Substitution
			}
			if a.text == "" {
				a.text = strings.ReplaceAll(w.Text, shellcmd.Unknown, "?")
			}
			if len(w.Or) > 0 {
				a.partial = ""
				if w.Static {
					a.maybe = append([]string{w.Text}, w.Or...)
				}
			}
		}
		out = append(out, a)
	}
	return out
}

// home reports whether a word is a path below a home that is not known.
func home(w *shellcmd.Word) bool {
	return (w.Raw == "~" || strings.HasPrefix(w.Raw, "~/")) && !strings.ContainsAny(w.Raw, "$`*?[{")
}

// unquote takes the quotes off a word as written.
func unquote(raw string) string {
	if len(raw) > 1 && (raw[0] == '"' || raw[0] == '\'') && raw[len(raw)-1] == raw[0] {
		return raw[1 : len(raw)-1]
	}
	return raw
}

// known is the argument's value, or its spelling and why there is no value.
func (a *arg) known() (text, why string) { return a.text, a.why }

// name is the package name in front of a version that is not known: lodash of
// lodash@$V.
func (a *arg) name() (string, bool) {
	i := strings.Index(a.partial, shellcmd.Unknown)
	if i <= 1 {
		return "", false
	}
	head := a.partial[:i]
	for _, end := range []string{"==", ">=", "<=", "~=", "@^", "@~", "@", ":"} {
		if name, ok := strings.CutSuffix(head, end); ok && name != "" && !strings.Contains(name, "://") && !strings.Contains(name[1:], "@") {
			return name, true
		}
	}
	return "", false
}

// A grammar says which flags of a tool take a value, and which are known to
// take none. Both are lists of flags as written, between blanks.
type grammar struct {
	values string
	plain  string
	single bool // -flag is a long flag: go, dotnet, PowerShell
	fold   bool // letter case does not matter
}

// A flag is one flag met, with its value if it takes one.
type flag struct {
	name  string
	value *arg // nil = none
}

// first walks to the first positional argument and returns its index, len(args)
// if there is none. each sees the flags before it.
func (g *grammar) first(args []arg, each func(flag)) int {
	words, rest := g.walk(args, 1, each)
	if len(words) == 0 {
		return len(args)
	}
	return len(args) - len(rest) - 1
}

// all walks over all arguments and returns the positional ones.
func (g *grammar) all(args []arg, each func(flag)) []arg {
	words, _ := g.walk(args, -1, each)
	return words
}

// walk returns up to n positional arguments (all if n < 0) and what follows the
// last of them.
func (g *grammar) walk(args []arg, n int, each func(flag)) (words, rest []arg) {
	doubt := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		t := a.text
		if a.why != "" {
			// An unknown word in the place of a flag's value was taken with the
			// flag; one with a known head may be a flag with an unknown value.
			if head, _, ok := strings.Cut(a.partial, shellcmd.Unknown); !ok || !strings.HasPrefix(head, "-") {
				words = append(words, a)
				if n >= 0 && len(words) == n {
					return words, args[i+1:]
				}
				continue
			}
		}
		if t == "--" {
			for j := i + 1; j < len(args); j++ {
				words = append(words, args[j])
				if n >= 0 && len(words) == n {
					return words, args[j+1:]
				}
			}
			return words, nil
		}
		if len(t) < 2 || t[0] != '-' {
			a.uncertain = doubt
			doubt = false
			words = append(words, a)
			if n >= 0 && len(words) == n {
				return words, args[i+1:]
			}
			continue
		}
		doubt = false
		name, value, eq := strings.Cut(t, "=")
		if g.fold {
			name = strings.ToLower(name)
		}
		switch {
		case eq && (strings.HasPrefix(t, "--") || g.single || has(g.values, name)):
			v := a
			v.text = value
			each(flag{name, &v})
		case has(g.values, name), strings.HasSuffix(name, ":registry"):
			if i+1 < len(args) {
				i++
				each(flag{name, &args[i]})
			}
		case strings.HasPrefix(t, "--") || g.single:
			each(flag{name: name})
			doubt = !has(g.plain, name) && !strings.HasPrefix(name, "--no-")
		default:
			i = g.short(args, i, each)
		}
	}
	return words, nil
}

// short reads one word of one-letter flags; the last may have its value in the
// same or the next word. It returns the index of the last word it took.
func (g *grammar) short(args []arg, i int, each func(flag)) int {
	t := args[i].text
	for j := 1; j < len(t); j++ {
		name := "-" + t[j:j+1]
		if !has(g.values, name) {
			each(flag{name: name})
			continue
		}
		if j+1 < len(t) {
			v := args[i]
			v.text = strings.TrimPrefix(t[j+1:], "=")
			each(flag{name, &v})
			return i
		}
		if i+1 < len(args) {
			each(flag{name, &args[i+1]})
			return i + 1
		}
	}
	return i
}

// has reports whether a list between blanks holds s.
func has(list, s string) bool {
	for list != "" {
		var w string
		w, list, _ = strings.Cut(list, " ")
		if w == s {
			return true
		}
	}
	return false
}

// verb splits args at the tool's verb: the first positional argument.
func (g *grammar) verb(args []arg, each func(flag)) (string, []arg) {
	i := g.first(args, each)
	if i >= len(args) || args[i].why != "" {
		return "", nil
	}
	return args[i].text, args[i+1:]
}

func nothing(flag) {}
