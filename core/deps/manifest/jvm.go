package manifest

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

func (s *sheet) pom(text string) {
	root, whole := readXML(text)
	s.broken = !whole
	project := root.kid("project")
	props := make(map[string]string)
	if v := project.value("version"); v != "" {
		props["project.version"] = v
	}
	if v := project.kid("parent").value("version"); v != "" && !strings.Contains(v, "${") {
		props["project.parent.version"], props["parent.version"] = v, v
		if props["project.version"] == "" {
			props["project.version"] = v // it is inherited
		}
	}
	root.walk(nil, func(e *element, above []string) {
		if len(above) > 0 && above[len(above)-1] == "properties" {
			props[e.name] = strings.TrimSpace(e.text)
		}
	})
	libraries, plugins := mavenRepositories(root)
	root.walk(nil, func(e *element, above []string) {
		group := e.value("groupId")
		s.from(libraries)
		switch e.name {
		case "dependency":
		case "extension":
			s.from(plugins)
		case "plugin":
			s.from(plugins)
			if group == "" {
				group = "org.apache.maven.plugins"
			}
		case "parent":
			if len(above) > 1 || e.value("groupId") == "" {
				return
			}
		case "annotationProcessorPath", "path":
			if !slices.Contains(above, "annotationProcessorPaths") {
				return
			}
		default:
			return
		}
		artifact := e.value("artifactId")
		if artifact == "" {
			return // half written
		}
		name := artifact
		if group != "" {
			name = group + ":" + artifact
		}
		switch {
		case e.value("scope") == "system":
			s.add(name, coord.Package{}, coord.Path)
			return
		case strings.HasPrefix(group, "${project.") || strings.HasPrefix(group, "${pom."):
			s.add(name, coord.Package{}, coord.Workspace)
			return
		case strings.HasPrefix(e.value("version"), "${project.") && e.value("version") != "${project.parent.version}":
			s.add(name, coord.Package{}, coord.Workspace)
			return
		}
		p, why := spec.MavenValue(placeholder(group, props), placeholder(artifact, props), placeholder(e.value("version"), props))
		p.Dev = e.value("scope") == "test"
		s.add(name, p, why)
	})
}

// placeholder replaces ${name} by what the same file sets.
func placeholder(text string, props map[string]string) string {
	for range 5 {
		i := strings.Index(text, "${")
		if i < 0 {
			break
		}
		end := strings.IndexByte(text[i:], '}')
		if end < 0 {
			break
		}
		value, ok := props[text[i+2:i+end]]
		if !ok {
			break
		}
		text = text[:i] + value + text[i+end+1:]
	}
	return text
}

func (s *sheet) gradleCatalog(text string) {
	root, whole := readTOML(text)
	s.broken = !whole
	version := func(v *node) string {
		if v == nil {
			return ""
		}
		if v.kind == str {
			return v.text
		}
		if ref := v.string("ref"); ref != "" {
			if named := root.get("versions", ref); named != nil {
				v = named
				if v.kind == str {
					return v.text
				}
			}
		}
		for _, k := range [...]string{"strictly", "require", "prefer"} {
			if t := v.string(k); t != "" {
				return t
			}
		}
		return ""
	}
	for _, m := range root.each("libraries") {
		v := m.value
		if v.kind == str {
			p, why := spec.Maven(v.text)
			s.add(v.text, p, why)
			continue
		}
		group, artifact, _ := strings.Cut(v.string("module"), ":")
		if group == "" {
			group, artifact = v.string("group"), v.string("name")
		}
		p, why := spec.MavenValue(group, artifact, version(v.get("version")))
		s.add(m.key, p, why)
	}
	for _, m := range root.each("plugins") {
		v := m.value
		id, number := v.string("id"), version(v.get("version"))
		if v.kind == str {
			id, number, _ = strings.Cut(v.text, ":")
		}
		s.gradlePlugin(id, number)
	}
}

// gradlePlugin files the marker artifact by which Gradle finds a plugin.
func (s *sheet) gradlePlugin(id, version string) {
	p, why := spec.MavenValue(id, id+".gradle.plugin", version)
	s.add(id, p, why)
}

// gradle reads the dependencies, constraints and plugins of a build script in
// Groovy or Kotlin: calls with coordinates in a string or in named arguments.
func (s *sheet) gradle(text string) {
	toks, whole := gradleTokens(text)
	s.broken = !whole
	vars := make(map[string]string)
	for i := 0; i+2 < len(toks); i++ {
		if !toks[i].quoted && toks[i+1].is("=") && toks[i+2].quoted && !strings.Contains(toks[i+2].text, "$") {
			name := toks[i].text
			vars[name] = toks[i+2].text
			vars[name[strings.LastIndexByte(name, '.')+1:]] = toks[i+2].text // ext.name = …
		}
	}
	expand := func(t string) string { return gradleVars(t, vars) }

	libraries, plugins := gradleRepositories(toks)
	var blocks []string
	inside := func(name string) bool { return slices.Contains(blocks, name) }
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		switch {
		case t.is("{"):
			blocks = append(blocks, gradleBlock(toks, i))
			continue
		case t.is("}"):
			if len(blocks) > 0 {
				blocks = blocks[:len(blocks)-1]
			} else {
				s.broken = true
			}
			continue
		case t.quoted || !t.word():
			continue
		}
		if inside("repositories") {
			continue
		}
		s.from(libraries)
		if inside("plugins") || inside("buildscript") {
			s.from(plugins)
		}
		if inside("plugins") {
			i = s.gradlePlugins(toks, i, expand)
			continue
		}
		if t.text == "library" && inside("versionCatalogs") {
			i = s.gradleLibrary(toks, i, expand)
			continue
		}
		if !inside("dependencies") {
			continue
		}
		i = s.gradleCall(toks, i, expand)
	}
	if len(blocks) > 0 {
		s.broken = true
	}
}

// gradleCall reads one call of a configuration at toks[i] and returns the index
// of its last token.
func (s *sheet) gradleCall(toks []gradleToken, i int, expand func(string) string) int {
	isDev := strings.HasPrefix(strings.ToLower(toks[i].text), "test") || strings.HasPrefix(toks[i].text, "androidTest")
	args := i + 1
	for args < len(toks) && toks[args].is("(") {
		args++
	}
	if args >= len(toks) || toks[args].line != toks[i].line && args == i+1 {
		return i
	}
	a := toks[args]
	next := func(n int) gradleToken {
		if args+n < len(toks) {
			return toks[args+n]
		}
		return gradleToken{}
	}
	change := func(p *coord.Package) { p.Dev = isDev }
	switch {
	case a.quoted:
		// Strings of one call, apart by commas: 'g:a:1', 'g:b:1'; or Kotlin's
		// ("g", "a", "v").
		if !strings.Contains(a.text, ":") && next(1).is(",") && next(2).quoted {
			version := ""
			last := args + 2
			if next(3).is(",") && next(4).quoted {
				version, last = next(4).text, args+4
			}
			if strings.Contains(a.text, ".") {
				p, why := spec.MavenValue(expand(a.text), expand(next(2).text), expand(version))
				s.add(a.text+":"+next(2).text, p, why, change)
			}
			return last
		}
		for {
			if strings.Contains(toks[args].text, ":") {
				p, why := spec.Maven(expand(toks[args].text))
				s.add(toks[args].text, p, why, change)
			}
			if !next(1).is(",") || !next(2).quoted {
				return args
			}
			args += 2
		}
	case a.is("group") && (next(1).is(":") || next(1).is("=")):
		named := map[string]string{}
		j := args
		for ; j+2 < len(toks) && toks[j].word() && (toks[j+1].is(":") || toks[j+1].is("=")); j += 4 {
			if toks[j+2].quoted {
				named[toks[j].text] = toks[j+2].text
			}
			if j+3 >= len(toks) || !toks[j+3].is(",") {
				break
			}
		}
		if named["group"] != "" && named["name"] != "" {
			p, why := spec.MavenValue(expand(named["group"]), expand(named["name"]), expand(named["version"]))
			s.add(named["group"]+":"+named["name"], p, why, change)
		}
		return min(j+2, len(toks)-1)
	case a.text == "platform" || a.text == "enforcedPlatform" || a.text == "testFixtures" || a.text == "dependencies" || a.text == "create":
		if next(1).is("(") {
			return args - 1 // its own argument is read as a call
		}
	case a.text == "project" && next(1).is("("):
		for n := 2; n < 6; n++ {
			if next(n).quoted {
				s.add(next(n).text, coord.Package{}, coord.Workspace)
				return args + n
			}
		}
	case (a.text == "files" || a.text == "fileTree") && next(1).is("("):
		if next(2).quoted {
			s.add(next(2).text, coord.Package{}, coord.Path)
			return args + 2
		}
	case a.text == "kotlin" && next(1).is("(") && next(2).quoted:
		p, why := spec.MavenValue("org.jetbrains.kotlin", "kotlin-"+next(2).text, "")
		s.add(next(2).text, p, why, change)
		return args + 2
	case strings.HasPrefix(a.text, "libs."):
		s.add(a.text, coord.Package{}, coord.Catalog)
		return args
	}
	return i
}

// gradlePlugins reads id("x") version "v", kotlin("jvm") version "v" and
// alias(libs.plugins.x) at toks[i].
func (s *sheet) gradlePlugins(toks []gradleToken, i int, expand func(string) string) int {
	name := toks[i].text
	if name != "id" && name != "kotlin" && name != "alias" {
		return i
	}
	j := i + 1
	for j < len(toks) && toks[j].is("(") {
		j++
	}
	if j >= len(toks) {
		return i
	}
	if name == "alias" {
		if strings.Contains(toks[j].text, ".plugins.") {
			s.add(toks[j].text, coord.Package{}, coord.Catalog)
		}
		return j
	}
	if !toks[j].quoted {
		return i
	}
	id := toks[j].text
	if name == "kotlin" {
		id = "org.jetbrains.kotlin." + id
	}
	k := j + 1
	for k < len(toks) && (toks[k].is(")") || toks[k].is(".")) {
		k++
	}
	if k < len(toks) && toks[k].is("version") {
		for k++; k < len(toks) && toks[k].is("("); k++ {
		}
		if k < len(toks) && toks[k].line == toks[i].line {
			version := ""
			if toks[k].quoted {
				version = expand(toks[k].text)
			}
			s.gradlePlugin(id, version)
			return k
		}
	}
	return j
}

// gradleLibrary reads library("alias", "g:a:v") and library("alias", "g", "a").
func (s *sheet) gradleLibrary(toks []gradleToken, i int, expand func(string) string) int {
	var args []string
	j := i + 1
	for ; j < len(toks) && !toks[j].is(")") && len(args) < 4; j++ {
		if toks[j].quoted {
			args = append(args, expand(toks[j].text))
		}
	}
	switch {
	case len(args) == 2:
		p, why := spec.Maven(args[1])
		s.add(args[1], p, why)
	case len(args) == 3:
		version := ""
		for k := j; k < len(toks) && k < j+5; k++ {
			if toks[k].quoted {
				version = expand(toks[k].text)
				break
			}
		}
		p, why := spec.MavenValue(args[1], args[2], version)
		s.add(args[1]+":"+args[2], p, why)
	}
	return j
}

// gradleVars replaces $name and ${name} by what the same file sets.
func gradleVars(t string, vars map[string]string) string {
	if !strings.Contains(t, "$") {
		return t
	}
	var b strings.Builder
	for i := 0; i < len(t); i++ {
		if t[i] != '$' {
			b.WriteByte(t[i])
			continue
		}
		j, name := i+1, ""
		if j < len(t) && t[j] == '{' {
			end := strings.IndexByte(t[j:], '}')
			if end < 0 {
				b.WriteString(t[i:])
				break
			}
			name, j = t[j+1:j+end], j+end+1
		} else {
			for j < len(t) && (bareKey(t[j]) && t[j] != '-') {
				j++
			}
			name = t[i+1 : j]
		}
		if v, ok := vars[name]; ok {
			b.WriteString(v)
		} else {
			b.WriteString("${" + name + "}")
		}
		i = j - 1
	}
	return b.String()
}

type gradleToken struct {
	text   string
	quoted bool
	line   int
}

func (t gradleToken) is(s string) bool { return !t.quoted && t.text == s }
func (t gradleToken) word() bool {
	return !t.quoted && t.text != "" && (t.text[0] == '_' || bareKey(t.text[0]))
}

// gradleTokens splits a build script into words (with dots), strings and single
// signs, without comments.
func gradleTokens(text string) (out []gradleToken, whole bool) {
	line := 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r' || c == ';':
			i++
		case strings.HasPrefix(text[i:], "//"):
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return out, false
			}
			line += strings.Count(text[i:i+2+end], "\n")
			i += end + 4
		case c == '"' || c == '\'':
			q := text[i : i+1]
			if strings.HasPrefix(text[i:], q+q+q) {
				end := strings.Index(text[i+3:], q+q+q)
				if end < 0 {
					return out, false
				}
				out = append(out, gradleToken{text[i+3 : i+3+end], true, line})
				line += strings.Count(text[i:i+3+end], "\n")
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
			if j >= len(text) || text[j] == '\n' {
				return out, false
			}
			out = append(out, gradleToken{text[i+1 : j], true, line})
			i = j + 1
		case bareKey(c) && c != '-':
			j := i
			for j < len(text) && (bareKey(text[j]) && text[j] != '-' || text[j] == '.' && j+1 < len(text) && bareKey(text[j+1])) {
				j++
			}
			out = append(out, gradleToken{text[i:j], false, line})
			i = j
		default:
			out = append(out, gradleToken{text[i : i+1], false, line})
			i++
		}
	}
	return out, true
}
