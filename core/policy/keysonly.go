package policy

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// maxEnvFile bounds what is read of an environment file.
const maxEnvFile = 256 << 10

// keysOnly reports whether all that is shown of secret files is the names of the
// variables in .env files: by the command itself (cut -d= -f1 .env), or by a later
// stage of its pipeline.
func (j *judge) keysOnly(c *shellcmd.Command, uses []use) bool {
	for i := range uses {
		if uses[i].kind != secretEnv || uses[i].w == nil || !j.assignments(c.Dir, uses[i].w) {
			return false
		}
	}
	if namesFilter(c) {
		return true
	}
	if c.Stdout.Kind != shellcmd.Pipe || j.line == nil {
		return false
	}
	found := false
	for _, i := range c.Stdout.Peers {
		if i < 0 || i >= len(j.line.Commands) || i == j.cur.index {
			continue
		}
		n := &j.line.Commands[i]
		switch {
		case len(n.Effects) > 0 || n.Stdout.Kind != shellcmd.Pipe && n.Stdout.Kind != shellcmd.Inherit && n.Stdout.Kind != shellcmd.Capture:
			return false
		case namesFilter(n):
			found = true
		case !slices.Contains([]string{"sort", "uniq", "head", "tail", "wc", "column", "nl", "grep", "cat"}, n.Program):
			return false
		}
	}
	return found
}

// assignments reports whether each line of a file that says something gives a
// variable its value: then a name is all that stands before its first "=". What
// goes on over several lines does not.
func (j *judge) assignments(dir string, w *word) bool {
	if j.fs == nil {
		return false
	}
	for _, v := range w.Values() {
		name, ok := j.abs(dir, v)
		if !ok || strings.Contains(v, shellcmd.Unknown) || w.Glob {
			return false
		}
		text, err := j.fs.ReadFile(name, maxEnvFile)
		if err != nil {
			return false
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if line != "" && line[0] != '#' && !assignment().MatchString(line) {
				return false
			}
		}
	}
	return true
}

var assignment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:export\s+)?[A-Za-z_][A-Za-z0-9_.]*\s*=`)
})

// cutsValues is a script of sed that leaves nothing of what follows "=".
var cutsValues = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^s([/|#,:])=\.\*\$?(?:/|\||#|,|:)[^&\\]*[/|#,:]g?$`)
})

// ownName is a pattern of grep -o that stops before "=".
var ownName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\^(?:\[\^=\]|\[A-Z[A-Za-z0-9_-]*\]|\\w)[*+]=?$`)
})

// namesFilter reports whether a filter passes on what stands before the first "=" of
// a line, and nothing else.
func namesFilter(c *shellcmd.Command) bool {
	var flags, words []string
	args := c.Args()
	for i := range args {
		if t := args[i].Text; len(t) > 1 && t[0] == '-' {
			flags = append(flags, t)
		} else {
			words = append(words, t)
		}
	}
	first := ""
	if len(words) > 0 {
		first = words[0]
	}
	is := func(allowed ...string) bool {
		return !slices.ContainsFunc(flags, func(f string) bool { return !slices.Contains(allowed, f) })
	}
	switch c.Program {
	case "cut", "gcut":
		var text strings.Builder
		text.WriteString(strings.Join(flags, " ") + " ")
		for i := range args {
			if t := args[i].Text; (t == "-d" || t == "-f") && i+1 < len(args) {
				text.WriteString(t + args[i+1].Text + " ")
			}
		}
		return strings.Contains(text.String(), "-d= ") && strings.Contains(text.String(), "-f1 ") && is("-d=", "-f1", "-d", "-f", "-s")
	case "sed", "gsed":
		return cutsValues().MatchString(first) && is("-E", "-r", "-u")
	case "awk", "gawk", "mawk", "nawk":
		if !slices.Contains(flags, "-F=") && !(slices.Contains(flags, "-F") && first == "=") {
			return false
		}
		if slices.Contains(flags, "-F") && len(words) > 1 {
			first = words[1]
		}
		return is("-F=", "-F") && (strings.ReplaceAll(first, " ", "") == "{print$1}" || strings.ReplaceAll(first, " ", "") == "NF{print$1}")
	case "grep", "ggrep":
		return is("-o", "-oE", "-Eo", "-oP", "-E") && strings.Contains(strings.Join(flags, ""), "o") && ownName().MatchString(first)
	}
	return false
}
