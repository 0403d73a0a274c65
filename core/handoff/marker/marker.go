// Package marker finds skip markers: commands that print TOKEN: reason, by
// which an agent says why it leaves an obligation undone.
//
// It imports core/shellcmd and the standard library only.
package marker

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// Mark is a marker that a command line prints.
type Mark struct {
	Token  string
	Reason string // one line, blanks trimmed; a part known only at run time is …
}

// Mentions reports whether a command line may hold a marker: a cheap test that
// errs to yes, whatever the quoting.
func Mentions(command string, tokens []string) bool {
	for _, token := range tokens {
		if token != "" && strings.Contains(command, token) {
			return true
		}
	}
	if !strings.ContainsAny(command, "\"'\\`^$") {
		return false
	}
	bare := strings.Map(func(r rune) rune {
		switch r {
		case '"', '\'', '\\', '`', '^', '\n', '\r':
			return -1
		}
		return r
	}, command)
	for _, token := range tokens {
		if token != "" && strings.Contains(bare, token) {
			return true
		}
	}
	// A token put together from a variable: P=MUGGLE; echo "${P}_E2E_SKIP: …".
	return strings.Contains(command, "$") && strings.Contains(bare, "SKIP")
}

// Find returns the markers that a line prints through echo, printf,
// Write-Output or Write-Host as commands of their own: not in a substitution,
// not into a file or another program, not in a function that is not called.
// printed is what the call printed, "" if that is unknown: of a marker that may
// not have run its token is in it. Of a call that visibly failed nothing is
// known but that.
//
// refused are markers without a reason: an empty one, or a placeholder such as
// <reason>.
func Find(l *shellcmd.Line, tokens []string, printed string, failed bool) (marks, refused []Mark) {
	if l == nil {
		return nil, nil
	}
	for i := range l.Commands {
		c := &l.Commands[i]
		if !prints(c) || !shown(l, i) {
			continue
		}
		for _, text := range texts(c) {
			for line := range strings.Lines(text) {
				m, ok := read(line, tokens)
				if !ok || failed && !strings.Contains(printed, m.Token) || !failed && skipped(l, i, m.Token, printed) {
					continue
				}
				if list := &marks; usable(m.Reason) {
					*list = appendNew(*list, m)
				} else {
					refused = appendNew(refused, m)
				}
			}
		}
	}
	return marks, refused
}

func appendNew(list []Mark, m Mark) []Mark {
	if slices.Contains(list, m) {
		return list
	}
	return append(list, m)
}

// For splits the reason of a marker that names what it is for: its first word
// is the id, the rest the reason. A colon or dash after the id is no part of
// either. id is "" when there is only one word.
func (m Mark) For() (id, reason string) {
	id, reason, ok := strings.Cut(m.Reason, " ")
	reason = strings.TrimSpace(strings.TrimLeft(reason, " :-–—"))
	id = strings.TrimRight(id, ":,")
	if !ok || id == "" || reason == "" {
		return "", m.Reason
	}
	return id, reason
}

// prints reports whether c is a command whose arguments are what it shows.
func prints(c *shellcmd.Command) bool {
	switch c.Program {
	case "echo", "printf", "write-output", "write-host", "write-information":
	default:
		return false
	}
	const never = shellcmd.Uncalled | shellcmd.StdinArgs | shellcmd.Remote | shellcmd.Loose
	return c.Flags&never == 0
}

// shown reports whether what command i prints reaches whoever reads the call's
// output: it is no part of another command's words, and nothing takes it but
// programs that pass it on.
func shown(l *shellcmd.Line, i int) bool {
	for range len(l.Commands) {
		c := &l.Commands[i]
		switch c.Via {
		case shellcmd.ViaNone, shellcmd.ViaCode, shellcmd.ViaFunction, shellcmd.ViaAlias, shellcmd.ViaExec:
		case shellcmd.ViaSubst, shellcmd.ViaProc, shellcmd.ViaInterp:
			return false
		}
		if !passes(l, c, 8) {
			return false
		}
		if c.Parent < 0 {
			return true
		}
		i = c.Parent
	}
	return false
}

// passes reports whether c's standard output goes on to the call's own.
func passes(l *shellcmd.Line, c *shellcmd.Command, depth int) bool {
	if depth == 0 {
		return false
	}
	switch c.Stdout.Kind {
	case shellcmd.Inherit:
		return true
	case shellcmd.Closed:
		return true // said all the same: the command line shows it
	case shellcmd.File:
		return device(c.Stdout.File.Text)
	case shellcmd.Pipe:
		for _, p := range c.Stdout.Peers {
			if p < 0 || p >= len(l.Commands) {
				return false
			}
			peer := &l.Commands[p]
			switch peer.Program {
			case "cat", "tee", "head", "tail", "out-host", "out-string", "out-default", "sed", "fold", "sort", "uniq":
				if !passes(l, peer, depth-1) {
					return false
				}
			default:
				return false
			}
		}
		return len(c.Stdout.Peers) > 0
	case shellcmd.Here, shellcmd.Capture:
	}
	return false
}

func device(path string) bool {
	switch path {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/proc/self/fd/1", "/proc/self/fd/2", "&1", "&2", "1", "2", "nul", "NUL", "$null":
		return true
	}
	return false
}

// texts returns what c prints, as far as is known.
func texts(c *shellcmd.Command) []string {
	if c.Program == "printf" || c.Program == "echo" {
		if c.Stdout.Text != "" {
			return []string{c.Stdout.Text}
		}
	}
	args := c.Args()
	if c.Program == "printf" {
		if len(args) == 0 {
			return nil
		}
		var out []string
		for _, w := range args { // the format, or what it is filled with
			out = append(out, w.Values()...)
		}
		return out
	}
	var words []string
	for i := range args {
		w := &args[i]
		if flag := strings.ToLower(w.Text); !w.Quoted && strings.HasPrefix(flag, "-") && len(words) == 0 {
			switch flag {
			case "-n", "-e", "-E", "-ne", "-en", "-nonewline", "-object", "-inputobject", "-messagedata", "-noenumerate":
				continue
			}
		}
		if w.Quoted || !strings.HasPrefix(w.Text, "-") || strings.Contains(w.Text, " ") {
			words = append(words, w.Text)
			continue
		}
		switch strings.ToLower(w.Text) {
		case "-foregroundcolor", "-backgroundcolor", "-separator", "-tags", "-informationaction":
			return []string{strings.Join(words, " ")} // PowerShell: what follows is no text
		}
		words = append(words, w.Text)
	}
	return []string{strings.Join(words, " ")}
}

// read reads TOKEN: reason at the beginning of a line.
func read(line string, tokens []string) (Mark, bool) {
	line = strings.TrimLeft(line, " \t\r\n\"'")
	for _, token := range tokens {
		rest, ok := strings.CutPrefix(line, token)
		if !ok || token == "" {
			continue
		}
		rest = strings.TrimLeft(rest, " \t")
		after, ok := strings.CutPrefix(rest, ":")
		if !ok {
			if after, ok = strings.CutPrefix(rest, "="); !ok && strings.TrimRight(rest, "\"'\r\n\t ") != "" {
				continue // a longer word, or a sentence on it
			}
		}
		reason := strings.Join(strings.Fields(strings.ReplaceAll(after, shellcmd.Unknown, "…")), " ")
		reason = strings.TrimSpace(strings.Trim(reason, "\"'"))
		return Mark{token, reason}, true
	}
	return Mark{}, false
}

// usable reports whether a reason says something: it has a letter or digit
// that is known, and is not the placeholder of a message of ours.
func usable(reason string) bool {
	if strings.HasPrefix(reason, "<") && strings.HasSuffix(reason, ">") || strings.HasSuffix(reason, "<reason>") {
		return false
	}
	switch strings.ToLower(strings.Trim(reason, "[]{}().…")) {
	case "reason", "your reason", "why":
		return false
	}
	for field := range strings.FieldsSeq(reason) {
		if strings.HasPrefix(field, "<") && strings.HasSuffix(field, ">") {
			continue
		}
		if strings.ContainsFunc(field, func(r rune) bool {
			return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f && r != '…'
		}) {
			return true
		}
	}
	return false
}

// skipped reports whether a marker of a call that ended well may not have run,
// and did not.
func skipped(l *shellcmd.Line, i int, token, printed string) bool {
	c := &l.Commands[i]
	if !c.Has(shellcmd.Conditional) || strings.TrimSpace(printed) == "" || c.Stdout.Kind != shellcmd.Inherit {
		return false
	}
	if and(l, i) {
		return false
	}
	return !strings.Contains(printed, token)
}

// and reports whether command i is b of a && b, and decides how the line ends:
// the line ended well, so b ran.
func and(l *shellcmd.Line, i int) bool {
	c := &l.Commands[i]
	if i == 0 || c.Has(shellcmd.Looped) || c.Has(shellcmd.Masked) {
		return false
	}
	prev := &l.Commands[i-1]
	return prev.Parent == c.Parent && prev.End <= c.Pos && c.Pos <= len(l.Source) && strings.TrimSpace(l.Source[prev.End:c.Pos]) == "&&"
}
