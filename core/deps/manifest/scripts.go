package manifest

import (
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/install"
	"github.com/ec261362/guardrails/core/shellcmd"
)

func mentionsInstall(text string) bool { return install.Mentions(text) }

// commands files what a shell text installs.
func (s *sheet) commands(text string) {
	if !install.Mentions(text) {
		return
	}
	packages, unchecked := install.Parse(shellcmd.Parse(text, shellcmd.Options{}), install.Options{})
	for _, p := range packages {
		if !p.Maybe {
			s.add(p.Name, p, "")
		}
	}
	for _, u := range unchecked {
		s.add(u.Spec, coord.Package{}, u.Why)
	}
}

// dockerfile reads the RUN instructions, in shell form, exec form and with a
// heredoc.
func (s *sheet) dockerfile(text string) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		word, rest, _ := strings.Cut(line, " ")
		if strings.EqualFold(word, "ONBUILD") {
			word, rest, _ = strings.Cut(strings.TrimSpace(rest), " ")
		}
		if !strings.EqualFold(word, "RUN") {
			continue
		}
		// Lines that end in a backslash go on; comment lines between them do not
		// count.
		var command strings.Builder
		command.WriteString(rest)
		for strings.HasSuffix(strings.TrimRight(command.String(), " \t"), `\`) && i+1 < len(lines) {
			i++
			next := strings.TrimSpace(lines[i])
			if strings.HasPrefix(next, "#") || next == "" {
				continue
			}
			head := strings.TrimSuffix(strings.TrimRight(command.String(), " \t"), `\`)
			command.Reset()
			command.WriteString(head + " " + next)
		}
		run := strings.TrimSpace(command.String())
		for strings.HasPrefix(run, "--") {
			_, run, _ = strings.Cut(run, " ")
			run = strings.TrimSpace(run)
		}
		if mark, ok := strings.CutPrefix(run, "<<"); ok {
			mark = strings.Trim(strings.TrimPrefix(strings.TrimSpace(mark), "-"), `"'`)
			var body []string
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != mark; i++ {
				body = append(body, lines[i])
			}
			run = strings.Join(body, "\n")
		} else if strings.HasPrefix(run, "[") {
			if n, whole := readJSON(run); whole {
				var words []string
				for _, item := range n.items {
					words = append(words, quoteWord(item.text))
				}
				run = strings.Join(words, " ")
			}
		}
		s.commands(run)
	}
}

// quoteWord writes a word for a shell.
func quoteWord(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" }

// workflow reads the run steps of a GitHub workflow or action and the scripts of
// a GitLab pipeline.
func (s *sheet) workflow(text string) {
	s.steps(readYAML(text), 0)
}

func (s *sheet) steps(n *node, deep int) {
	if n == nil || deep > maxNesting {
		return
	}
	for _, m := range n.members {
		switch m.key {
		case "run", "script", "before_script", "after_script":
			if m.value.kind == str {
				s.commands(m.value.text)
			}
			for _, item := range m.value.items {
				if item.kind == str {
					s.commands(item.text)
				}
			}
		}
		s.steps(m.value, deep+1)
	}
	for _, item := range n.items {
		s.steps(item, deep+1)
	}
}
