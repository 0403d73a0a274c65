// Package spec reads one dependency as it is written on a command line or in a
// manifest: name, version, or why it is nothing that a public registry has. It
// owns the grammars of such texts.
//
// Each reader returns a package, or a reason out of coord's list, or neither
// when the text adds nothing (a platform, a removal, the language itself). It
// must not import anything but coord.
package spec

import (
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
)

// NPM reads a word of npm install and its kin: name, name@range,
// alias@npm:name@range, or a path, a URL, a repository.
func NPM(text string) (coord.Package, string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return coord.Package{}, ""
	}
	if strings.HasPrefix(text, "@") || !protocol(text) {
		if i := strings.IndexByte(text[1:], '@'); i >= 0 {
			name, value := text[:i+1], text[i+2:]
			if validNPM(name) {
				return NPMValue(name, value)
			}
		}
	}
	if why := npmElsewhere(text); why != "" {
		return coord.Package{}, why
	}
	if rest, ok := strings.CutPrefix(text, "npm:"); ok {
		return NPM(strings.TrimPrefix(rest, "/"))
	}
	if !validNPM(text) {
		return coord.Package{}, coord.Unparsable
	}
	return coord.Package{Ecosystem: coord.NPM, Name: text}, ""
}

// protocol reports whether text begins with a scheme.
func protocol(text string) bool {
	for i := range len(text) {
		c := text[i]
		switch {
		case c == ':':
			return i > 1
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '+', i > 0 && '0' <= c && c <= '9', c == '-' && i > 0:
		default:
			return false
		}
	}
	return false
}

// NPMValue reads a member of a package.json section: the name, and what stands
// as its version.
func NPMValue(name, value string) (coord.Package, string) {
	value = strings.TrimSpace(value)
	if rest, ok := strings.CutPrefix(value, "npm:"); ok {
		if rest != "" && (strings.ContainsAny(rest[:1], "^~<>=*") || '0' <= rest[0] && rest[0] <= '9') {
			value = rest // Yarn's npm:^1 of the same name
		} else {
			return NPM(rest)
		}
	}
	if rest, ok := strings.CutPrefix(value, "patch:"); ok {
		rest, _, _ = strings.Cut(rest, "#")
		rest = strings.ReplaceAll(rest, "%3A", ":")
		return NPM(rest)
	}
	if why := npmElsewhere(value); why != "" {
		return coord.Package{}, why
	}
	if !validNPM(name) {
		return coord.Package{}, coord.Unparsable
	}
	p := coord.Package{Ecosystem: coord.NPM, Name: name, Constraint: value}
	if npmRange(value) {
		p.Version = value
	}
	return p, ""
}

// npmElsewhere says where text leads if it is not a name or a range.
func npmElsewhere(text string) string {
	lower := strings.ToLower(text)
	switch scheme, _, _ := strings.Cut(lower, ":"); {
	case !strings.Contains(lower, ":"):
	case scheme == "workspace":
		return coord.Workspace
	case scheme == "catalog":
		return coord.Catalog
	case scheme == "file", scheme == "link", scheme == "portal", scheme == "exec":
		return coord.Path
	case scheme == "jsr":
		return coord.OtherRegistry
	case scheme == "github", scheme == "gitlab", scheme == "bitbucket", scheme == "gist", scheme == "git", scheme == "ssh", strings.HasPrefix(scheme, "git+"), strings.HasPrefix(scheme, "git@"):
		return coord.Git
	case scheme == "http", scheme == "https":
		path, _, _ := strings.Cut(lower, "#")
		path = strings.TrimSuffix(path, "/")
		if strings.HasSuffix(path, ".git") {
			return coord.Git
		}
		if host, rest, _ := strings.Cut(path[len(scheme)+1:], "/"); host == "" {
			rest = strings.TrimPrefix(rest, "/")
			host, rest, _ = strings.Cut(rest, "/")
			if hosted(host, rest) {
				return coord.Git
			}
		}
		return coord.URL
	}
	if localPath(text) {
		return coord.Path
	}
	if !strings.ContainsAny(text, " <>|") && (strings.HasSuffix(lower, ".tgz") || strings.HasSuffix(lower, ".tar.gz") || strings.HasSuffix(lower, ".tar")) {
		return coord.Path
	}
	if text != "" && text[0] != '@' && strings.Contains(text, "/") && !strings.ContainsAny(text, " |") {
		return coord.Git // owner/repository
	}
	return ""
}

// hosted reports whether npm takes the path of a host for a repository.
func hosted(host, path string) bool {
	switch host {
	case "github.com", "gitlab.com", "bitbucket.org":
		return strings.Count(path, "/") == 1
	case "gist.github.com":
		return path != "" && strings.Count(path, "/") <= 1
	}
	return false
}

// localPath reports whether text can only be a path.
func localPath(text string) bool {
	switch {
	case text == ".", text == "..", text == "~":
		return true
	case strings.HasPrefix(text, "./"), strings.HasPrefix(text, "../"), strings.HasPrefix(text, "/"), strings.HasPrefix(text, "~/"),
		strings.HasPrefix(text, `.\`), strings.HasPrefix(text, `..\`), strings.HasPrefix(text, `\`), strings.HasPrefix(text, ".["):
		return true
	case len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/'):
		return true
	}
	return false
}

// validNPM reports whether name can be a package of the npm registry, an old
// mixed-case one included.
func validNPM(name string) bool {
	if scope, rest, ok := strings.Cut(name, "/"); ok {
		if len(scope) < 2 || scope[0] != '@' || rest == "" {
			return false
		}
		return npmWord(scope[1:]) && npmWord(rest)
	}
	return name != "" && name[0] != '@' && npmWord(name)
}

func npmWord(s string) bool {
	if s == "" || s[0] == '.' || len(s) > 214 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c >= 0x80:
		case strings.IndexByte("-_.!~*'()", c) >= 0:
		default:
			return false
		}
	}
	return true
}

// npmRange reports whether v is a version or a range and not a tag.
func npmRange(v string) bool {
	if v == "" {
		return false
	}
	switch c := v[0]; {
	case '0' <= c && c <= '9', strings.IndexByte("^~<>=*", c) >= 0:
		return true
	case v == "x", v == "X", strings.HasPrefix(v, "x."), strings.HasPrefix(v, "X."):
		return true
	case (c == 'v' || c == 'V') && len(v) > 1 && '0' <= v[1] && v[1] <= '9':
		return true
	}
	return strings.Contains(v, "||")
}

// NPMCreate reads X of "npm create X", which runs the package create-X. kept
// says that the tool leaves a name alone that begins with create- already.
func NPMCreate(text string, kept bool) (coord.Package, string) {
	text = strings.TrimSpace(text)
	if text == "" || text[0] == '-' {
		return coord.Package{}, ""
	}
	if text[0] != '@' {
		if why := npmElsewhere(text); why != "" {
			return coord.Package{}, why
		}
		if kept && strings.HasPrefix(text, "create-") {
			return NPM(text)
		}
		return NPM("create-" + text)
	}
	scope, rest, slash := strings.Cut(text, "/")
	if !slash {
		name, version, at := strings.Cut(scope[1:], "@")
		text = "@" + name + "/create"
		if at {
			text += "@" + version
		}
		return NPM(text)
	}
	if kept && (strings.HasPrefix(rest, "create-") || rest == "create") {
		return NPM(text)
	}
	return NPM(scope + "/create-" + rest)
}

// Cargo reads name or name@requirement. pins says that a bare version means
// that very one, as in cargo install.
func Cargo(text string, pins bool) (coord.Package, string) {
	name, version, _ := strings.Cut(strings.TrimSpace(text), "@")
	return CargoValue(name, version, pins)
}

// CargoValue reads a crate and its requirement.
func CargoValue(name, version string, pins bool) (coord.Package, string) {
	if localPath(name) || strings.ContainsAny(name, `/\`) {
		if strings.Contains(name, "://") {
			return coord.Package{}, coord.URL
		}
		return coord.Package{}, coord.Path
	}
	if !identifier(name) {
		return coord.Package{}, coord.Unparsable
	}
	version = strings.TrimSpace(version)
	p := coord.Package{Ecosystem: coord.Crates, Name: name, Version: version, Constraint: version}
	if pins && version != "" && '0' <= version[0] && version[0] <= '9' {
		p.Constraint = "=" + version
	}
	if version == "latest" {
		p.Version = ""
	}
	return p, ""
}

// identifier reports whether s is letters, digits, hyphens, underscores and
// dots, and begins with a letter or digit.
func identifier(s string) bool {
	if s == "" {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case i > 0 && (c == '-' || c == '_' || c == '.'):
		default:
			return false
		}
	}
	return true
}

// Gem reads name or name:version.
func Gem(text string) (coord.Package, string) {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, ".gem") || localPath(text) {
		return coord.Package{}, coord.Path
	}
	if strings.Contains(text, "://") {
		return coord.Package{}, coord.URL
	}
	name, version, _ := strings.Cut(text, ":")
	return GemValue(name, version)
}

// GemValue reads a gem and its requirement.
func GemValue(name, version string) (coord.Package, string) {
	if !identifier(strings.TrimLeft(name, "_")) {
		return coord.Package{}, coord.Unparsable
	}
	version = strings.TrimSpace(version)
	return coord.Package{Ecosystem: coord.RubyGems, Name: name, Version: version, Constraint: version}, ""
}

// ComposerValue reads a package of Composer and its constraint. Platform
// packages (php, ext-*) add nothing.
func ComposerValue(name, version string) (coord.Package, string) {
	vendor, rest, ok := strings.Cut(name, "/")
	if !ok {
		return coord.Package{}, ""
	}
	if localPath(name) {
		return coord.Package{}, coord.Path
	}
	if !identifier(vendor) || !identifier(rest) {
		return coord.Package{}, coord.Unparsable
	}
	version = strings.TrimSpace(version)
	return coord.Package{Ecosystem: coord.Packagist, Name: name, Version: version, Constraint: version}, ""
}

// NuGet reads an id and its version.
func NuGet(id, version string) (coord.Package, string) {
	id, version = strings.TrimSpace(id), strings.TrimSpace(version)
	if localPath(id) || strings.HasSuffix(strings.ToLower(id), ".nupkg") || strings.ContainsAny(id, `/\`) {
		return coord.Package{}, coord.Path
	}
	if strings.Contains(id, "$(") {
		return coord.Package{}, coord.Variable
	}
	if !identifier(strings.TrimLeft(id, "_")) {
		return coord.Package{}, coord.Unparsable
	}
	p := coord.Package{Ecosystem: coord.NuGet, Name: id, Version: version, Constraint: version}
	if strings.Contains(version, "$(") {
		p.Version, p.Constraint = "", ""
	}
	return p, ""
}

// Maven reads group:artifact[:version[:classifier]][@extension].
func Maven(text string) (coord.Package, string) {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "@")
	parts := strings.Split(text, ":")
	if len(parts) < 2 {
		return coord.Package{}, coord.Unparsable
	}
	version := ""
	if len(parts) > 2 {
		version = parts[2]
	}
	return MavenValue(parts[0], parts[1], version)
}

// MavenValue reads the three coordinates. A Gradle version may end in !!.
func MavenValue(group, artifact, version string) (coord.Package, string) {
	group, artifact = strings.TrimSpace(group), strings.TrimSpace(artifact)
	version = strings.TrimSuffix(strings.TrimSpace(version), "!!")
	if strings.ContainsAny(group+artifact, "${}") {
		return coord.Package{}, coord.Variable
	}
	if !identifier(group) || !identifier(strings.TrimLeft(artifact, "_")) {
		return coord.Package{}, coord.Unparsable
	}
	p := coord.Package{Ecosystem: coord.Maven, Name: group + ":" + artifact, Version: version, Constraint: version}
	if strings.ContainsAny(version, "${}") {
		p.Version, p.Constraint = "", ""
	}
	switch strings.ToLower(version) {
	case "latest", "release", "latest.release", "latest.integration":
		p.Version = ""
	}
	return p, ""
}
