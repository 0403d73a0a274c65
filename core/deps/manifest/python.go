package manifest

import (
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

// python files one requirement. elsewhere maps a canonical name to where its
// package really comes from; a key "" is for all of them.
func (s *sheet) python(text string, elsewhere map[string]string, change ...func(*coord.Package)) {
	p, why := spec.Python(text)
	s.pythonAdd(text, p, why, elsewhere, change...)
}

func (s *sheet) pythonAdd(text string, p coord.Package, why string, elsewhere map[string]string, change ...func(*coord.Package)) {
	if why == "" && p.Name != "" {
		if w, ok := elsewhere[p.Name]; ok {
			text, why = p.Name, w
		} else if w := elsewhere[""]; w != "" {
			why = w
		}
		if why != "" && s.self != "" && p.Name == s.self {
			return
		}
	}
	s.add(text, p, why, change...)
}

func (s *sheet) requirements(text string) {
	q := spec.Requirements(text)
	var elsewhere map[string]string
	if q.NoIndex || q.Index != "" && !spec.PublicRegistry(q.Index) {
		elsewhere = map[string]string{"": coord.CustomRegistry}
	}
	if q.ExtraIndex != "" && !spec.PublicRegistry(q.ExtraIndex) {
		s.source = q.ExtraIndex
	}
	for _, line := range q.Lines {
		s.python(line, elsewhere)
	}
	for _, file := range q.Files {
		s.add("-r "+file, coord.Package{}, coord.RequirementsIn)
	}
}

func (s *sheet) pyproject(text string) {
	root, whole := readTOML(text)
	s.broken = !whole
	s.self = coord.Canonical(coord.PyPI, root.string("project", "name"))
	if s.self == "" {
		s.self = coord.Canonical(coord.PyPI, root.string("tool", "poetry", "name"))
	}
	elsewhere := s.pythonSources(root)
	list := func(items []*node, change ...func(*coord.Package)) {
		for _, item := range items {
			if item.kind == str {
				s.python(item.text, elsewhere, change...)
			}
		}
	}
	groups := func(members []member, change ...func(*coord.Package)) {
		for _, m := range members {
			list(m.value.items, change...)
		}
	}
	list(root.list("build-system", "requires"), aside(""))
	list(root.list("project", "dependencies"))
	groups(root.each("project", "optional-dependencies"), extra)
	groups(root.each("dependency-groups"), dev)
	tool := root.get("tool")
	list(tool.list("uv", "dev-dependencies"), dev)
	list(tool.list("uv", "constraint-dependencies"), aside(""))
	list(tool.list("uv", "override-dependencies"), aside(""))
	list(tool.list("uv", "build-constraint-dependencies"), aside(""))
	groups(tool.each("pdm", "dev-dependencies"), dev)
	list(tool.list("rye", "dev-dependencies"), dev, aside(""))
	for _, env := range tool.each("hatch", "envs") {
		list(env.value.list("dependencies"), dev, aside(""))
		list(env.value.list("extra-dependencies"), dev, aside(""))
	}
	for _, target := range tool.each("hatch", "build", "targets") {
		list(target.value.list("dependencies"), aside(""))
		for _, hook := range target.value.each("hooks") {
			list(hook.value.list("dependencies"), aside(""))
		}
	}
	poetry := tool.get("poetry")
	s.poetry(poetry.each("dependencies"), elsewhere)
	s.poetry(poetry.each("dev-dependencies"), elsewhere, dev)
	s.poetry(poetry.each("requires-plugins"), elsewhere, aside(""))
	for _, g := range poetry.each("group") {
		s.poetry(g.value.each("dependencies"), elsewhere, dev)
	}
	s.pixiSections(tool.get("pixi"))
}

// pythonSources says which names do not come from the public index.
func (s *sheet) pythonSources(root *node) map[string]string {
	out := make(map[string]string)
	for _, m := range root.each("tool", "uv", "sources") {
		sources := m.value.items
		if m.value.kind == object {
			sources = []*node{m.value}
		}
		for _, v := range sources {
			why := ""
			switch {
			case v.isTrue("workspace"):
				why = coord.Workspace
			case v.get("path") != nil:
				why = coord.Path
			case v.get("git") != nil:
				why = coord.Git
			case v.get("url") != nil:
				why = coord.URL
			case v.get("index") != nil:
				why = coord.CustomRegistry
			}
			if why != "" {
				out[coord.Canonical(coord.PyPI, m.key)] = why
			}
		}
	}
	tool := root.get("tool")
	if url := tool.string("uv", "index-url"); url != "" && !spec.PublicRegistry(url) {
		out[""] = coord.CustomRegistry
	}
	for _, v := range tool.list("uv", "index") {
		switch url := v.string("url"); {
		case url == "" || spec.PublicRegistry(url) || v.isTrue("explicit"):
		case v.isTrue("default"):
			out[""] = coord.CustomRegistry
		default:
			s.source = url
		}
	}
	for _, v := range tool.list("poetry", "source") {
		switch url := v.string("url"); {
		case url == "" || spec.PublicRegistry(url) || v.string("priority") == "explicit":
		case v.isTrue("default") || v.string("priority") == "default" || v.string("priority") == "primary":
			out[""] = coord.CustomRegistry
		default:
			s.source = url
		}
	}
	for _, v := range tool.list("pdm", "source") {
		if url := v.string("url"); url != "" && !spec.PublicRegistry(url) {
			if v.string("name") == "pypi" {
				out[""] = coord.CustomRegistry
			} else {
				s.source = url
			}
		}
	}
	return out
}

// poetry reads a section of names and versions, or tables.
func (s *sheet) poetry(members []member, elsewhere map[string]string, change ...func(*coord.Package)) {
	for _, m := range members {
		if m.key == "python" {
			continue
		}
		s.pythonTable(m.key, m.value, elsewhere, change...)
	}
}

// pythonTable reads the value of a name: a version, a table, or an array of
// them for several platforms.
func (s *sheet) pythonTable(name string, v *node, elsewhere map[string]string, change ...func(*coord.Package)) {
	version := ""
	switch v.kind {
	case str:
		version = v.text
	case array:
		for _, item := range v.items {
			if item.kind != array {
				s.pythonTable(name, item, elsewhere, change...)
			}
		}
		return
	case object:
		version = v.string("version")
		why := ""
		switch {
		case v.get("path") != nil:
			why = coord.Path
		case v.get("git") != nil:
			why = coord.Git
		case v.get("url") != nil, v.get("file") != nil:
			why = coord.URL
			if f := v.string("file"); f != "" && !strings.Contains(f, "://") {
				why = coord.Path
			}
		case v.string("source") != "" && !strings.EqualFold(v.string("source"), "pypi"),
			v.string("index") != "" && !strings.EqualFold(v.string("index"), "pypi"):
			why = coord.CustomRegistry
		}
		if why != "" {
			s.add(name, coord.Package{}, why)
			return
		}
	case nothing, scalar:
		return
	}
	p, why := spec.PythonValue(name, version)
	s.pythonAdd(name, p, why, elsewhere, change...)
}

func (s *sheet) pipfile(text string) {
	root, whole := readTOML(text)
	s.broken = !whole
	elsewhere := make(map[string]string)
	for i, v := range root.list("source") {
		if url := v.string("url"); url != "" && !spec.PublicRegistry(url) {
			if i == 0 {
				elsewhere[""] = coord.CustomRegistry
			} else {
				s.source = url
			}
		}
	}
	public := ""
	for _, v := range root.list("source") {
		if spec.PublicRegistry(v.string("url")) {
			public = v.string("name")
		}
	}
	for _, m := range root.members {
		switch m.key {
		case "source", "requires", "scripts", "pipenv":
			continue
		}
		var change []func(*coord.Package)
		if m.key == "dev-packages" {
			change = append(change, dev)
		}
		for _, p := range m.value.members {
			if public != "" && p.value.string("index") == public {
				p.value = &node{kind: str, text: p.value.string("version")}
			}
			s.pythonTable(p.key, p.value, elsewhere, change...)
		}
	}
}

func (s *sheet) setupCfg(text string) {
	section, key := "", ""
	for line := range strings.SplitSeq(text, "\n") {
		t := strings.TrimSpace(line)
		if t == "" || t[0] == '#' || t[0] == ';' {
			continue
		}
		if t[0] == '[' && line[0] == '[' {
			section, key = strings.Trim(t, "[]"), ""
			continue
		}
		value := t
		if line[0] != ' ' && line[0] != '\t' {
			k, v, ok := strings.Cut(t, "=")
			if !ok {
				continue
			}
			key, value = strings.TrimSpace(k), strings.TrimSpace(v)
		}
		wanted := section == "options.extras_require"
		if section == "options" {
			switch key {
			case "install_requires", "setup_requires", "tests_require":
				wanted = true
			}
		}
		if !wanted || value == "" {
			continue
		}
		if i := strings.Index(value, " #"); i >= 0 {
			value = strings.TrimSpace(value[:i])
		}
		if strings.HasPrefix(value, "file:") {
			s.add(value, coord.Package{}, coord.RequirementsIn)
			continue
		}
		s.python(value, nil)
	}
}

// setupPy reads literal lists of setup(); what is computed is unchecked.
func (s *sheet) setupPy(text string) {
	toks := pyTokens(text)
	for i := 0; i+1 < len(toks); i++ {
		name := toks[i].text
		if toks[i].quoted || toks[i+1].quoted || toks[i+1].text != "=" {
			continue
		}
		switch name {
		case "install_requires", "setup_requires", "tests_require", "extras_require":
		default:
			continue
		}
		i += 2
		if i >= len(toks) {
			return
		}
		if open := toks[i]; open.quoted || open.text != "[" && open.text != "{" && open.text != "(" {
			if open.quoted {
				s.python(open.text, nil)
			} else if open.text != "None" {
				s.add(name, coord.Package{}, coord.DynamicValue)
			}
			continue
		}
		depth, dynamic := 0, false
		for ; i < len(toks); i++ {
			t := toks[i]
			if t.quoted {
				// A key of a dict is an extra's name.
				if i+1 < len(toks) && !toks[i+1].quoted && toks[i+1].text == ":" {
					continue
				}
				s.python(t.text, nil)
				continue
			}
			switch t.text {
			case "[", "{", "(":
				depth++
				continue
			case "]", "}", ")":
				depth--
			case ",", ":", "+", "*":
			default:
				dynamic = true
			}
			if depth == 0 {
				break
			}
		}
		if dynamic {
			s.add(name, coord.Package{}, coord.DynamicValue)
		}
	}
	s.pyScript(text)
}

type pyToken struct {
	text   string
	quoted bool
}

// pyTokens splits Python into words, strings and single signs, without comments.
func pyTokens(text string) []pyToken {
	var out []pyToken
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '"' || c == '\'':
			q := text[i : i+1]
			if strings.HasPrefix(text[i:], q+q+q) {
				end := strings.Index(text[i+3:], q+q+q)
				if end < 0 {
					return out
				}
				out = append(out, pyToken{text[i+3 : i+3+end], true})
				i += end + 6
				continue
			}
			j := i + 1
			for j < len(text) && text[j] != c && text[j] != '\n' {
				if text[j] == '\\' {
					j++
				}
				j++
			}
			j = min(j, len(text))
			out = append(out, pyToken{text[i+1 : j], true})
			i = j + 1
		case c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
			j := i
			for j < len(text) && (bareKey(text[j]) && text[j] != '-' || text[j] == '.') {
				j++
			}
			word := text[i:j]
			i = j
			if i < len(text) && (text[i] == '"' || text[i] == '\'') && len(word) <= 2 && strings.Trim(strings.ToLower(word), "rbuf") == "" {
				continue // the prefix of a string
			}
			out = append(out, pyToken{word, false})
		case c == ' ' || c == '\t' || c == '\n' || c == '\\':
			i++
		default:
			out = append(out, pyToken{text[i : i+1], false})
			i++
		}
	}
	return out
}

const scriptMark = "# /// script"

func hasScript(text string) bool { return strings.Contains(text, scriptMark) }

// pyScript reads the script block of PEP 723: TOML in comments.
func (s *sheet) pyScript(text string) {
	var toml strings.Builder
	in := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case !in && line == scriptMark:
			in = true
		case !in:
		case line == "# ///":
			root, whole := readTOML(toml.String())
			s.broken = s.broken || !whole
			elsewhere := s.pythonSources(root)
			for _, item := range root.list("dependencies") {
				if item.kind == str {
					s.python(item.text, elsewhere)
				}
			}
			return
		case line == "#":
			toml.WriteByte('\n')
		case strings.HasPrefix(line, "# "):
			toml.WriteString(line[2:] + "\n")
		default:
			return // a block that does not end is none
		}
	}
}

func (s *sheet) condaEnv(text string) {
	root := readYAML(text)
	for _, item := range root.list("dependencies") {
		if item.kind == str {
			p, why := spec.Conda(item.text)
			s.add(item.text, p, why)
			continue
		}
		for _, sub := range item.list("pip") {
			if sub.kind != str {
				continue
			}
			q := spec.Requirements(sub.text)
			for _, line := range q.Lines {
				s.python(line, nil)
			}
			for _, file := range q.Files {
				s.add("-r "+file, coord.Package{}, coord.RequirementsIn)
			}
		}
	}
}

func (s *sheet) pixi(text string) {
	root, whole := readTOML(text)
	s.broken = !whole
	s.pixiSections(root)
}

func (s *sheet) pixiSections(n *node) {
	if n == nil {
		return
	}
	conda := func(n *node) {
		for _, section := range [...]string{"dependencies", "host-dependencies", "build-dependencies"} {
			for _, m := range n.each(section) {
				version := m.value.text
				if m.value.kind == object {
					version = m.value.string("version")
				}
				if version == "*" {
					version = ""
				}
				p, why := spec.Conda(m.key)
				p.Version, p.Constraint = version, version
				s.add(m.key, p, why)
			}
		}
		s.poetry(n.each("pypi-dependencies"), nil)
	}
	conda(n)
	for _, f := range n.each("feature") {
		conda(f.value)
	}
	for _, t := range n.each("target") {
		conda(t.value)
	}
}
