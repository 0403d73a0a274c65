package testrun

import (
	"path"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Limits of what is read to see what a script or target runs.
const (
	maxFile  = 256 << 10
	maxDepth = 4  // scripts that run scripts
	maxSteps = 64 // recipes and scripts read for one call
)

// A source reads what the files of a project say about scripts and targets.
type source struct {
	read  func(name string, max int64) ([]byte, error)
	dir   string
	steps int
}

// inside returns the command lines that r runs by a file of the project, in
// order; known is false when that cannot be told.
func (s *source) inside(r *run, dir string) (lines []string, known bool) {
	if s.read == nil || s.steps >= maxSteps {
		return nil, false
	}
	if dir == "" {
		dir = s.dir
	}
	switch {
	case path.IsAbs(r.dir):
		dir = r.dir
	case strings.Contains(r.dir, shellcmd.Unknown):
		return nil, false
	case r.dir != "" && dir != "":
		dir = path.Join(dir, r.dir)
	}
	if dir == "" {
		return nil, false
	}
	s.steps++
	switch r.tool {
	case npmTool:
		b, err := s.read(path.Join(dir, "package.json"), maxFile)
		if err != nil || len(r.targets) == 0 {
			return nil, false
		}
		return packageScript(b, r.targets[0])
	case makeTool:
		for _, name := range [...]string{"GNUmakefile", "makefile", "Makefile"} {
			if b, err := s.read(path.Join(dir, name), maxFile); err == nil {
				return makeRecipes(string(b), r.targets)
			}
		}
	}
	return nil, false
}

// packageScript returns a script of package.json with those before and after it.
func packageScript(b []byte, name string) ([]string, bool) {
	root, err := hook.FirstValue(b)
	if err != nil {
		return nil, false
	}
	scripts := hook.Member(root, "scripts")
	text, ok := hook.Text(hook.Member(scripts, name))
	if !ok || text == "" {
		return nil, false
	}
	var out []string
	if pre, _ := hook.Text(hook.Member(scripts, "pre"+name)); pre != "" {
		out = append(out, pre)
	}
	out = append(out, text)
	if post, _ := hook.Text(hook.Member(scripts, "post"+name)); post != "" {
		out = append(out, post)
	}
	return out, true
}

// makeRecipes returns the recipe lines of targets and of what they depend on. A
// line whose failure make ignores ends in "|| true".
func makeRecipes(text string, targets []string) ([]string, bool) {
	m := readMakefile(text)
	if len(targets) == 0 {
		if m.first == "" {
			return nil, false
		}
		targets = []string{m.first}
	}
	var out []string
	done := make(map[string]bool)
	found := false
	var walk func(target string, depth int)
	walk = func(target string, depth int) {
		if depth > 16 || done[target] || len(out) > maxSteps {
			return
		}
		done[target] = true
		for i := range m.rules {
			r := &m.rules[i]
			if r.target != target {
				continue
			}
			found = found || depth == 0
			for _, d := range r.deps {
				walk(d, depth+1)
			}
			out = append(out, r.recipe...)
		}
	}
	for _, t := range targets {
		walk(t, 0)
	}
	return out, found
}

type makefile struct {
	vars  map[string]string
	rules []makeRule
	first string
}

type makeRule struct {
	target string
	deps   []string
	recipe []string
}

// readMakefile reads explicit rules and plain variables; functions, includes
// and pattern rules are passed over.
func readMakefile(text string) *makefile {
	m := &makefile{vars: map[string]string{"MAKE": "make"}}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\\\n", " ")
	var open []int // rules whose recipe this is
	ignore := false
	for l := range strings.SplitSeq(text, "\n") {
		if rest, ok := strings.CutPrefix(l, "\t"); ok {
			for _, i := range open {
				m.rules[i].recipe = append(m.rules[i].recipe, m.recipeLine(rest))
			}
			continue
		}
		if i := strings.IndexByte(l, '#'); i >= 0 {
			l = l[:i]
		}
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		open = nil
		if name, value, ok := assignment(l); ok {
			if len(m.vars) < 256 && len(value) < 4096 {
				m.vars[name] = value
			}
			continue
		}
		names, rest, ok := strings.Cut(l, ":")
		if !ok {
			continue
		}
		rest = strings.TrimPrefix(rest, ":")
		rest, recipe, inline := strings.Cut(rest, ";")
		if strings.TrimSpace(names) == ".IGNORE" {
			ignore = true
		}
		if strings.HasPrefix(names, ".") && !strings.Contains(names, "/") {
			continue
		}
		for name := range strings.FieldsSeq(m.expand(names, 0)) {
			if m.first == "" && !strings.Contains(name, "%") {
				m.first = name
			}
			r := makeRule{target: name, deps: strings.Fields(m.expand(strings.ReplaceAll(rest, "|", " "), 0))}
			if inline {
				r.recipe = append(r.recipe, m.recipeLine(recipe))
			}
			m.rules = append(m.rules, r)
			open = append(open, len(m.rules)-1)
			if len(m.rules) > 4096 {
				return m
			}
		}
	}
	if ignore {
		for i := range m.rules {
			for j, l := range m.rules[i].recipe {
				m.rules[i].recipe[j] = l + " || true"
			}
		}
	}
	return m
}

// assignment reads NAME = value in any of make's forms.
func assignment(l string) (name, value string, ok bool) {
	l = strings.TrimPrefix(strings.TrimPrefix(l, "export "), "override ")
	i := strings.IndexByte(l, '=')
	if i <= 0 {
		return "", "", false
	}
	name = strings.TrimRight(strings.TrimRight(l[:i], ":?+!"), " \t")
	if name == "" || strings.ContainsAny(name, " \t:$") {
		return "", "", false
	}
	return name, strings.TrimSpace(l[i+1:]), true
}

// recipeLine is a line as the shell gets it.
func (m *makefile) recipeLine(l string) string {
	l = strings.TrimLeft(l, " \t")
	ignored := false
	for l != "" && (l[0] == '@' || l[0] == '-' || l[0] == '+') {
		ignored = ignored || l[0] == '-'
		l = strings.TrimLeft(l[1:], " \t")
	}
	l = m.expand(l, 0)
	if ignored {
		l += " || true"
	}
	return l
}

// expand replaces $(NAME), ${NAME} and $$; what is no plain variable becomes
// nothing.
func (m *makefile) expand(s string, depth int) string {
	if strings.IndexByte(s, '$') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s) && b.Len() < 16<<10; i++ {
		if s[i] != '$' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case '$':
			b.WriteByte('$')
		case '(', '{':
			closing := byte(')')
			if s[i] == '{' {
				closing = '}'
			}
			end := strings.IndexByte(s[i:], closing)
			if end < 0 {
				return b.String()
			}
			if v := m.vars[s[i+1:i+end]]; v != "" && depth < 8 {
				b.WriteString(m.expand(v, depth+1))
			}
			i += end
		}
	}
	return b.String()
}
