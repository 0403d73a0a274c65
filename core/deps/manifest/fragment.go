package manifest

import (
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

// Fragment returns what lines of a manifest declare when the rest of it is not
// known, or cannot be read: by what a dependency looks like in its format. All
// of it is marked Advisory, since the lines may stand anywhere.
func Fragment(name string, added []byte) ([]coord.Package, []coord.Unchecked) {
	f := formatOf(name)
	if f == unknown || len(added) == 0 {
		return nil, nil
	}
	s := read(f, added)
	s.broken = true
	s.more(fragments(f, clean(added)))
	return diff(name, f, nil, s)
}

// more adds what lines look like, of packages of which nothing is known yet.
func (s *sheet) more(list []entry) {
	if len(list) == 0 {
		return
	}
	have := make(map[string]bool)
	for i := range s.entries {
		e := &s.entries[i]
		have[e.text] = true
		have[coord.Canonical(e.Ecosystem, e.Name)] = true
	}
	for _, e := range list {
		if !have[e.text] && (e.Name == "" || !have[coord.Canonical(e.Ecosystem, e.Name)]) {
			s.entries = append(s.entries, e)
		}
	}
}

// fragments reads the lines of formats whose readers need the whole.
func fragments(f format, text string) []entry {
	if len(text) > maxSize {
		return nil
	}
	s := &sheet{}
	switch f {
	case packageJSON, composerJSON, denoJSON:
		s.pairs(f, text)
	case cargoTOML, pyproject, pipfile, pixiTOML:
		s.tomlLines(f, text)
	case msbuild, packagesConfig:
		for _, tag := range looseTags(text) {
			switch tag.name {
			case "PackageReference", "PackageVersion", "GlobalPackageReference", "package":
				id := tag.attr("Include") + tag.attr("id")
				p, why := spec.NuGet(id, tag.attr("Version"))
				s.add(id, p, why)
			}
		}
	case pomXML:
		s.coordinates(text)
	case gradle:
		s.notations(text)
	case goMod:
		for line := range strings.SplitSeq(text, "\n") {
			code, comment, _ := strings.Cut(line, "//")
			w := strings.Fields(code)
			if len(w) != 2 || !strings.Contains(w[0], ".") || !strings.HasPrefix(w[1], "v") {
				continue
			}
			p, why := spec.Go(w[0] + "@" + w[1])
			if p.Name != "" {
				p.Name, p.Indirect = w[0], strings.HasPrefix(strings.TrimSpace(comment), "indirect")
			}
			s.add(w[0], p, why)
		}
	default: // read line by line as it is
	}
	return s.entries
}

// pairs reads "name": "range" wherever it stands.
func (s *sheet) pairs(f format, text string) {
	section := "" // the object around, if its key is there too
	for i := 0; i < len(text); {
		key, next, ok := jsonString(text, i)
		if !ok {
			return
		}
		if strings.Contains(text[i:next-len(key)-1], "}") {
			section = ""
		}
		i = next
		rest := strings.TrimLeft(text[i:], " \t\n")
		if !strings.HasPrefix(rest, ":") {
			continue
		}
		rest = strings.TrimLeft(rest[1:], " \t\n")
		if strings.HasPrefix(rest, "{") {
			section = key
		}
		if !strings.HasPrefix(rest, `"`) {
			continue
		}
		value, next, ok := jsonString(text, len(text)-len(rest))
		if !ok {
			return
		}
		i = next
		switch {
		case f == denoJSON:
			if strings.HasPrefix(value, "npm:") {
				p, why := spec.NPM(value)
				s.add(value, p, why)
			}
		case !rangeLike(value) || otherSection(section):
		case f == composerJSON:
			p, why := spec.ComposerValue(key, value)
			s.add(key, p, why)
		case !setting(key):
			p, why := spec.NPMValue(key, value)
			s.add(key, p, why)
		}
	}
}

// jsonString is the next string at or behind i, and where it ends.
func jsonString(text string, i int) (value string, next int, ok bool) {
	from := strings.IndexByte(text[i:], '"')
	if from < 0 {
		return "", 0, false
	}
	from += i + 1
	for j := from; j < len(text) && text[j] != '\n'; j++ {
		switch text[j] {
		case '\\':
			j++
		case '"':
			return text[from:j], j + 1, true
		}
	}
	return "", from, from < len(text)
}

// rangeLike reports whether a value looks like a version or a range.
func rangeLike(v string) bool {
	if v == "" {
		return false
	}
	return strings.IndexByte("0123456789^~<>=*", v[0]) >= 0 || v == "latest" || strings.HasPrefix(v, "npm:") ||
		v[0] == 'v' && len(v) > 1 && '0' <= v[1] && v[1] <= '9'
}

// otherSection reports whether a section of a package.json or composer.json
// declares no dependencies.
func otherSection(key string) bool {
	switch key {
	case "engines", "scripts", "config", "volta", "conflict", "replace", "provide", "suggest", "extra", "exports", "bin", "browserslist", "publishConfig", "support":
		return true
	}
	return false
}

// setting reports whether a key of a package.json has a version that is none of
// a dependency.
func setting(key string) bool {
	switch key {
	case "version", "node", "npm", "yarn", "pnpm", "bun", "vscode", "":
		return true
	}
	return false
}

// tomlLines reads name = "range" and, in Python's own lists, the requirements.
func (s *sheet) tomlLines(f format, text string) {
	headed := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			headed = true // what follows was read with its section
		}
		if headed {
			continue
		}
		if f == pyproject && (strings.HasPrefix(line, `"`) || strings.HasPrefix(line, "'")) {
			p := &tomlReader{text: line}
			if text, ok := p.quoted(); ok {
				s.python(text, nil)
			}
			continue
		}
		p := &tomlReader{text: line, whole: true}
		table := &node{kind: object}
		if !p.pair(table, 0) || len(table.members) != 1 {
			continue
		}
		m := table.members[0]
		version := m.value.text
		if m.value.kind == object {
			version = m.value.string("version")
		}
		if !rangeLike(version) || m.key == "version" || m.key == "rust-version" || m.key == "edition" || m.key == "python" || m.key == "python_version" || m.key == "requires-python" {
			continue
		}
		if f == cargoTOML {
			s.cargoSection(table.members)
		} else {
			s.pythonTable(m.key, m.value, nil)
		}
	}
}

// looseTags are the start tags of a text, whole or not.
func looseTags(text string) []xmlEvent {
	var out []xmlEvent
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			return out
		}
		text = text[i:]
		e, n := xmlTag(text)
		if e.open && e.name != "" {
			out = append(out, e) // one that does not end still has its attributes
		}
		text = text[max(n, 1):]
	}
}

// coordinates reads a groupId with the artifactId and version behind it.
func (s *sheet) coordinates(text string) {
	value := func(text, name string) (v, rest string, at int) {
		i := strings.Index(text, "<"+name+">")
		if i < 0 {
			return "", text, -1
		}
		v, rest, _ = strings.Cut(text[i+len(name)+2:], "</")
		return strings.TrimSpace(v), rest, i
	}
	for {
		group, rest, at := value(text, "groupId")
		if at < 0 {
			return
		}
		text = rest
		near, _, _ := strings.Cut(rest, "<groupId>")
		artifact, after, at := value(near, "artifactId")
		if at < 0 {
			continue
		}
		version, _, _ := value(after, "version")
		if strings.Contains(version, "${") {
			version = ""
		}
		p, why := spec.MavenValue(group, artifact, version)
		s.add(group+":"+artifact, p, why)
	}
}

// notations reads strings of the form group:artifact:version.
func (s *sheet) notations(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "//") {
			continue
		}
		for _, quote := range [...]string{"'", `"`} {
			for i, part := range strings.Split(line, quote) {
				if i%2 == 1 && strings.Count(part, ":") >= 2 && strings.Contains(part, ".") && !strings.ContainsAny(part, " /") {
					p, why := spec.Maven(gradleVars(part, nil))
					s.add(part, p, why)
				}
			}
		}
	}
}

// addedLines are the lines of after that before does not have.
func addedLines(before, after string) string {
	have := make(map[string]int)
	for line := range strings.SplitSeq(before, "\n") {
		have[strings.TrimSpace(line)]++
	}
	var b strings.Builder
	for line := range strings.SplitSeq(after, "\n") {
		if t := strings.TrimSpace(line); have[t] > 0 {
			have[t]--
			continue
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
