package approval

import (
	"fmt"
	"strings"
)

// stage is one plain command of a line, with the operator that ends it.
type stage struct {
	words []string
	op    string // && || ; | or "" at the end
}

// notPlain are the characters that make a shell do more than run words: Muse
// splits argv as a shell would, and where we cannot be sure of that split a
// rule might name what we do not see.
const notPlain = "$\\`*?[]{}()<>!~#\"'^"

// split returns the stages of a plain line, or what is not plain about it.
func split(cmd string) (stages []stage, why string) {
	var words []string
	start := -1
	word := func(end int) {
		if start >= 0 {
			words, start = append(words, cmd[start:end]), -1
		}
	}
	for i := 0; i < len(cmd); i++ {
		c := cmd[i]
		switch {
		case c == ' ' || c == '\t':
			word(i)
			continue
		case c < ' ' || c >= 0x7f:
			return nil, fmt.Sprintf("holds %q", cmd[i:i+1])
		case strings.IndexByte(notPlain, c) >= 0:
			return nil, fmt.Sprintf("holds %q", string(c))
		case c != '&' && c != '|' && c != ';':
			if start < 0 {
				start = i
			}
			continue
		}
		op := string(c)
		if i+1 < len(cmd) && cmd[i+1] == c && c != ';' {
			op += op
		}
		if op == "&" {
			return nil, `holds a lone "&"`
		}
		word(i)
		i += len(op) - 1
		if len(words) == 0 {
			return nil, fmt.Sprintf("has no command before %q", op)
		}
		stages, words = append(stages, stage{words, op}), nil
	}
	word(len(cmd))
	switch {
	case len(words) > 0:
		stages = append(stages, stage{words: words})
	case len(stages) == 0:
		return nil, "is empty"
	case stages[len(stages)-1].op != ";":
		return nil, "ends in an operator"
	}
	for i := range stages {
		if why := notSimple(stages[i].words[0]); why != "" {
			return nil, why
		}
	}
	return stages, ""
}

// notSimple says why a stage that starts with word may run something else than
// its words say.
func notSimple(word string) string {
	if strings.IndexByte(word, '=') >= 0 {
		return fmt.Sprintf("starts a stage with the assignment %q", word)
	}
	switch word {
	case "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "select", "function",
		"time", "coproc", "repeat", "foreach", "end", "always":
		return fmt.Sprintf("holds the keyword %q", word)
	}
	switch strings.ToLower(base(word)) {
	case "timeout", "time", "nice", "nohup", "stdbuf", "env", "sudo", "command", "exec", "builtin", "noglob", "nocorrect", "xargs",
		"sh", "bash", "zsh", "dash", "ksh", "mksh", "fish", "csh", "tcsh", "ash", "busybox", "pwsh", "powershell", "cmd",
		"doas", "setsid", "ionice", "eval", "source", ".", "find", "parallel", "watch", "script", "chroot", "unbuffer", "su", "runuser":
		return fmt.Sprintf("starts a stage with %q, which runs another command", word)
	}
	return ""
}
