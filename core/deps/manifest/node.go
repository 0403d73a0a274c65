package manifest

import (
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

func (s *sheet) packageJSON(text string) {
	root, whole := readJSON(text)
	s.broken = !whole
	s.self = root.string("name")
	for _, section := range [...]string{"dependencies", "devDependencies", "peerDependencies", "optionalDependencies"} {
		var change []func(*coord.Package)
		switch section {
		case "devDependencies":
			change = append(change, dev)
		case "peerDependencies":
			for _, m := range root.each(section) {
				mark := func(p *coord.Package) { p.Peer = true }
				if root.isTrue("peerDependenciesMeta", m.key, "optional") {
					mark = aside("")
				}
				s.npmSection([]member{m}, mark)
			}
			continue
		}
		s.npmSection(root.each(section), change...)
	}
	s.npmOverrides(root.get("overrides"), "", 0)
	for _, m := range root.each("resolutions") {
		s.npmForced(lastName(m.key), m.value)
	}
	for _, m := range root.each("pnpm", "overrides") {
		s.npmForced(m.key[strings.LastIndexByte(m.key, '>')+1:], m.value)
	}
	for _, m := range root.each("pnpm", "packageExtensions") {
		extended := aside(beforeAt(m.key))
		s.npmSection(m.value.each("dependencies"), extended)
		s.npmSection(m.value.each("optionalDependencies"), extended)
	}
	s.npmCatalogs(root)
	s.npmCatalogs(root.get("workspaces"))
}

// npmCatalogs reads catalog and catalogs of Bun.
func (s *sheet) npmCatalogs(n *node) {
	s.npmSection(n.each("catalog"), aside(""))
	for _, c := range n.each("catalogs") {
		s.npmSection(c.value.members, aside(""))
	}
}

func (s *sheet) npmSection(members []member, change ...func(*coord.Package)) {
	for _, m := range members {
		if m.value.kind != str {
			continue
		}
		p, why := spec.NPMValue(m.key, m.value.text)
		s.add(m.key, p, why, change...)
	}
}

// npmForced reads a name, perhaps with the range that is replaced, and what is
// to be used instead.
func (s *sheet) npmForced(name string, value *node) {
	name = strings.TrimSpace(name)
	if name == "" {
		return
	}
	name = beforeAt(name)
	if value.kind != str || value.text == "-" || strings.HasPrefix(value.text, "$") {
		return // removed, or what the package itself declares
	}
	p, why := spec.NPMValue(name, value.text)
	s.add(name, p, why, aside(name))
}

// beforeAt is a name without the range behind it.
func beforeAt(name string) string {
	if len(name) > 1 {
		if i := strings.IndexByte(name[1:], '@'); i >= 0 {
			return name[:i+1]
		}
	}
	return name
}

// npmOverrides reads the overrides of npm, which nest; "." is the parent.
func (s *sheet) npmOverrides(n *node, parent string, deep int) {
	if n == nil || deep > maxNesting {
		return
	}
	for _, m := range n.members {
		name := m.key
		if name == "." {
			name = parent
		}
		if m.value.kind == object {
			s.npmOverrides(m.value, m.key, deep+1)
			continue
		}
		s.npmForced(name, m.value)
	}
}

// lastName is the last package of a path such as **/a/@b/c.
func lastName(key string) string {
	parts := strings.Split(key, "/")
	n := len(parts)
	if n > 1 && strings.HasPrefix(parts[n-2], "@") {
		return parts[n-2] + "/" + parts[n-1]
	}
	return parts[n-1]
}

func (s *sheet) pnpmWorkspace(text string) {
	root := readYAML(text)
	s.npmCatalogs(root)
	for _, m := range root.each("overrides") {
		s.npmForced(m.key[strings.LastIndexByte(m.key, '>')+1:], m.value)
	}
}

// denoJSON reads the imports that come from npm.
func (s *sheet) denoJSON(text string) {
	root, whole := readJSON(stripJSONC(text))
	s.broken = !whole
	for _, m := range root.each("imports") {
		if m.value.kind != str {
			continue
		}
		switch v := m.value.text; {
		case strings.HasPrefix(v, "npm:"):
			p, why := spec.NPM(v)
			s.add(v, p, why)
		case strings.HasPrefix(v, "jsr:"):
			s.add(v, coord.Package{}, coord.OtherRegistry)
		case strings.HasPrefix(v, "https:"), strings.HasPrefix(v, "http:"):
			s.add(v, coord.Package{}, coord.URL)
		}
	}
}

func (s *sheet) composer(text string) {
	root, whole := readJSON(text)
	s.broken = !whole
	s.self = coord.Canonical(coord.Packagist, root.string("name"))
	replaced := ""
	repositories := root.list("repositories")
	for _, m := range root.each("repositories") {
		if m.value.kind == scalar && m.value.text == "false" {
			replaced = coord.CustomRegistry
		}
		repositories = append(repositories, m.value)
	}
	for _, r := range repositories {
		if v := r.get("packagist.org"); v != nil && v.text == "false" {
			replaced = coord.CustomRegistry
		}
		if v := r.get("packagist"); v != nil && v.text == "false" {
			replaced = coord.CustomRegistry
		}
		if url := r.string("url"); url != "" && !spec.PublicRegistry(url) {
			s.source = url
		}
	}
	for _, section := range [...]string{"require", "require-dev"} {
		for _, m := range root.each(section) {
			if m.value.kind != str {
				continue
			}
			p, why := spec.ComposerValue(m.key, m.value.text)
			if why == "" && p.Name != "" {
				why = replaced
			}
			p.Dev = section == "require-dev"
			s.add(m.key, p, why)
		}
	}
}

func (s *sheet) dotnetTools(text string) {
	root, whole := readJSON(stripJSONC(text))
	s.broken = !whole
	for _, m := range root.each("tools") {
		p, why := spec.NuGet(m.key, m.value.string("version"))
		s.add(m.key, p, why)
	}
}
