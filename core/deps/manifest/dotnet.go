package manifest

import (
	"strings"

	"github.com/ec261362/guardrails/core/deps/spec"
)

// msbuild reads project and property files, and packages.config.
func (s *sheet) msbuild(text string) {
	root, whole := readXML(text)
	s.broken = !whole
	props := make(map[string]string)
	root.walk(nil, func(e *element, above []string) {
		if len(above) > 0 && above[len(above)-1] == "PropertyGroup" {
			props[strings.ToLower(e.name)] = strings.TrimSpace(e.text)
		}
	})
	root.walk(nil, func(e *element, _ []string) {
		id, version := e.attr("Include"), e.attr("VersionOverride")
		if version == "" {
			version = e.attr("Version")
		}
		switch e.name {
		case "PackageReference", "PackageVersion", "GlobalPackageReference", "PackageDownload", "DotNetCliToolReference":
		case "package":
			id, version = e.attr("id"), e.attr("version")
		default:
			return
		}
		if version == "" {
			if version = e.value("VersionOverride"); version == "" {
				version = e.value("Version")
			}
		}
		version = property(version, props)
		for part := range strings.SplitSeq(property(id, props), ";") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			p, why := spec.NuGet(part, version)
			p.Dev = strings.EqualFold(e.attr("PrivateAssets"), "all") || e.attr("developmentDependency") == "true"
			s.add(part, p, why)
		}
	})
}

// property replaces $(Name) by what the same file sets.
func property(text string, props map[string]string) string {
	for range 5 {
		i := strings.Index(text, "$(")
		if i < 0 {
			break
		}
		end := strings.IndexByte(text[i:], ')')
		if end < 0 {
			break
		}
		value, ok := props[strings.ToLower(text[i+2:i+end])]
		if !ok || strings.Contains(value, "$(") {
			break
		}
		text = text[:i] + value + text[i+end+1:]
	}
	return text
}
