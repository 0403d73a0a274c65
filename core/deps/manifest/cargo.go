package manifest

import (
	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

func (s *sheet) cargo(text string) {
	root, whole := readTOML(text)
	s.broken = !whole
	s.self = coord.Canonical(coord.Crates, root.string("package", "name"))
	s.cargoSections(root)
	for _, target := range root.each("target") {
		s.cargoSections(target.value)
	}
	for _, m := range root.each("workspace", "dependencies") {
		s.cargoSection([]member{m}, aside(m.key))
	}
}

// CargoMembers are the patterns of the folders that a Cargo workspace consists of.
func CargoMembers(content []byte) []string {
	root, _ := readTOML(clean(content))
	var out []string
	for _, item := range root.list("workspace", "members") {
		if item.kind == str {
			out = append(out, item.text)
		}
	}
	return out
}

func (s *sheet) cargoSections(n *node) {
	for _, name := range [...]string{"dependencies", "build-dependencies", "build_dependencies"} {
		s.cargoSection(n.each(name))
	}
	s.cargoSection(n.each("dev-dependencies"), dev)
	s.cargoSection(n.each("dev_dependencies"), dev)
}

func (s *sheet) cargoSection(members []member, change ...func(*coord.Package)) {
	for _, m := range members {
		name, version, why := m.key, "", ""
		switch v := m.value; v.kind {
		case str:
			version = v.text
		case object:
			version = v.string("version")
			if other := v.string("package"); other != "" {
				name = other
			}
			switch {
			case v.isTrue("workspace"):
				why = coord.Workspace
			case v.get("path") != nil:
				why = coord.Path
			case v.get("git") != nil:
				why = coord.Git
			case v.string("registry") != "" && v.string("registry") != "crates-io",
				v.string("registry-index") != "" && !spec.PublicRegistry(v.string("registry-index")):
				why = coord.CustomRegistry
			}
		case nothing, array, scalar:
			continue
		}
		if why != "" {
			s.add(m.key, coord.Package{}, why)
			continue
		}
		p, why := spec.CargoValue(name, version, false)
		s.add(m.key, p, why, change...)
	}
}
