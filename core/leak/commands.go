package leak

import (
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// piece is a part of the text that is scanned for a line: the words of one
// command, or what it reads from a heredoc or here-string.
type piece struct {
	end     int // where it ends in the text
	command int // -1 = the line as written
	input   bool
}

// line judges a command line by the decoded words of its commands and by the
// texts that it carries, not by its spelling.
func (j *judge) line(l *shellcmd.Line) error {
	var b strings.Builder
	var pieces []piece
	end := func(command int, input bool) {
		b.WriteByte('\n')
		pieces = append(pieces, piece{b.Len(), command, input})
	}
	for i := range l.Commands {
		c := &l.Commands[i]
		words(&b, c)
		end(i, false)
		for k := range c.Redirects {
			r := &c.Redirects[k]
			switch {
			case r.Body.Text != "":
				b.WriteString(r.Body.Text)
				end(i, true)
			case r.Op == "<<<":
				b.WriteString(r.Target.Text)
				end(i, true)
			}
		}
	}
	if len(l.Opaque) > 0 || l.Truncated || len(l.Commands) == 0 || j.ev.Tool.PowerShell() {
		b.WriteString(l.Source)
		end(-1, false)
	}
	text := b.String()
	found, err := j.scan(text, "", "the command line")
	at := 0
	for _, f := range found {
		for at < len(pieces)-1 && f.Start >= pieces[at].end {
			at++
		}
		p := pieces[at]
		if p.command < 0 {
			j.add(leak{decision: hook.Deny, kind: inCommand, name: "the line", argv: []string{"shell"}}, f)
			continue
		}
		c := &l.Commands[p.command]
		secret := text[f.Start:f.End]
		if !p.input && searches(c, secret) || runs(l, p.command, secret) {
			continue
		}
		argv := texts(c)
		sinks, all := j.sinks(l, c)
		for _, s := range sinks {
			j.sink(s, argv, f, secret)
		}
		if !all {
			name := c.Program
			if name == "" {
				name = "an assignment"
			}
			j.add(leak{decision: hook.Deny, kind: inCommand, name: name, argv: argv}, f)
		}
	}
	return err
}

// words writes a command as it was parsed, so that a name stands before its
// value as rules expect it.
func words(b *strings.Builder, c *shellcmd.Command) {
	for i := range c.Assigns {
		a := &c.Assigns[i]
		b.WriteString(a.Name)
		b.WriteByte('=')
		b.WriteString(a.Value.Text)
		b.WriteByte('\n')
	}
	option := false
	for i := range c.Argv {
		w := c.Argv[i].Text
		switch {
		case i == 0:
		case option && !strings.HasPrefix(w, "-"):
			b.WriteByte('=') // --token VALUE
		default:
			b.WriteByte(' ')
		}
		option = strings.HasPrefix(w, "--") && !strings.Contains(w, "=")
		quote := ""
		if strings.ContainsAny(w, " \t") && !strings.Contains(w, "\n") {
			if quote = `"`; strings.Contains(w, quote) {
				quote = "'"
			}
		}
		b.WriteString(quote)
		b.WriteString(w)
		b.WriteString(quote)
	}
}

func texts(c *shellcmd.Command) []string {
	var out []string
	for i := range c.Assigns {
		out = append(out, c.Assigns[i].Name+"="+c.Assigns[i].Value.Text)
	}
	for i := range c.Argv {
		out = append(out, c.Argv[i].Text)
	}
	return out
}

// runs reports whether the secret is in shell code that command n runs, whose
// own commands are judged.
func runs(l *shellcmd.Line, n int, secret string) bool {
	if len(l.Commands[n].Code) == 0 {
		return false
	}
	for i := n + 1; i < len(l.Commands); i++ {
		c := &l.Commands[i]
		if c.Parent != n || c.Via != shellcmd.ViaCode {
			continue
		}
		for _, w := range texts(c) {
			if strings.Contains(w, secret) {
				return true
			}
		}
		for k := range c.Redirects {
			if strings.Contains(c.Redirects[k].Body.Text, secret) || strings.Contains(c.Redirects[k].Target.Text, secret) {
				return true
			}
		}
	}
	return false
}

// searches reports whether a command only looks for the secret: it shows no more
// than its caller knows.
func searches(c *shellcmd.Command, secret string) bool {
	switch c.Program {
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "select-string", "findstr":
		return true
	case "git":
		for _, w := range c.Args() {
			switch {
			case w.Text == "grep":
				return true
			case strings.HasPrefix(w.Text, "-S") || strings.HasPrefix(w.Text, "-G"):
				return true
			case w.Text == "remote" || w.Text == "clone" || w.Text == "config":
				return false
			}
		}
	case "sed":
		for _, w := range c.Args() {
			if strings.Contains(w.Text, secret) && !takesOut(w.Text, secret) {
				return false
			}
		}
		return true
	}
	return false
}

// takesOut reports whether a sed script s/OLD/NEW/ has the secret in OLD only.
func takesOut(script, secret string) bool {
	if len(script) < 2 || script[0] != 's' {
		return false
	}
	parts := strings.Split(script[2:], script[1:2])
	return len(parts) >= 2 && strings.Contains(parts[0], secret) && !strings.Contains(strings.Join(parts[1:], ""), secret)
}

// sinks returns the files that the text of a command goes to; all is true when
// it goes nowhere else.
func (j *judge) sinks(l *shellcmd.Line, c *shellcmd.Command) (files []sink, all bool) {
	switch c.Program {
	case "echo", "printf", "cat", "tee", "print", "set-content", "add-content", "out-file", "write-output":
	case "sed":
		args := c.Args()
		if len(args) > 1 && strings.HasPrefix(args[0].Text, "-i") {
			return []sink{j.target(c, &args[len(args)-1])}, true
		}
		return nil, false
	default:
		return nil, false
	}
	for i := range c.Redirects {
		if r := &c.Redirects[i]; r.Writes() {
			files, all = append(files, j.target(c, &r.Target)), true
		}
	}
	if c.Program == "tee" {
		for i := range c.Args() {
			if w := &c.Argv[i+1]; !strings.HasPrefix(w.Text, "-") {
				files = append(files, j.target(c, w))
			}
		}
		return files, len(files) > 0 && c.Stdout.Kind != shellcmd.Pipe
	}
	if c.Stdout.Kind == shellcmd.Pipe && !all {
		all = len(c.Stdout.Peers) > 0
		for _, n := range c.Stdout.Peers {
			if n < 0 || n >= len(l.Commands) || l.Commands[n].Program != "tee" {
				return files, false
			}
			more, only := j.sinks(l, &l.Commands[n])
			files, all = append(files, more...), all && only
		}
	}
	return files, all
}

// sink is a file that a command writes.
type sink struct {
	path string // absolute, "" = not known
	name string // as written
}

func (j *judge) target(c *shellcmd.Command, w *shellcmd.Word) sink {
	s := sink{name: w.Text}
	if !w.Static || w.Glob || len(w.Or) > 0 || len(c.DirElse) > 0 {
		return s
	}
	dir := c.Dir
	if dir == "" && isAbs(w.Text) {
		dir = "/"
	}
	s.path, _ = j.abs(dir, w.Text)
	return s
}
