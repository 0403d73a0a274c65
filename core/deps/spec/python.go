package spec

import (
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
)

// Python reads a requirement as pip and its kin take it (PEP 508), with the
// name@version of uv and Poetry beside it, or a path, a URL, a repository.
func Python(text string) (coord.Package, string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return coord.Package{}, ""
	}
	if why := pythonElsewhere(text); why != "" {
		return coord.Package{}, why
	}
	n := 0
	for n < len(text) && pythonName(text[n]) {
		n++
	}
	name, rest := text[:n], strings.TrimSpace(text[n:])
	if name == "" || !alnum(name[0]) {
		return coord.Package{}, coord.Unparsable
	}
	if strings.HasPrefix(rest, "[") {
		end := strings.IndexByte(rest, ']')
		if end < 0 {
			return coord.Package{}, coord.Unparsable
		}
		rest = strings.TrimSpace(rest[end+1:])
	}
	if at, ok := strings.CutPrefix(rest, "@"); ok {
		at = strings.TrimSpace(at)
		if why := pythonElsewhere(at); why != "" {
			return coord.Package{}, why
		}
		if at == "" {
			return coord.Package{}, coord.Unparsable
		}
		at, _, _ = strings.Cut(at, ";")
		return PythonValue(name, strings.TrimSpace(at))
	}
	rest, _, _ = strings.Cut(rest, ";")
	rest = strings.TrimSpace(rest)
	if in, ok := strings.CutPrefix(rest, "("); ok {
		if in, ok = strings.CutSuffix(in, ")"); !ok {
			return coord.Package{}, coord.Unparsable
		}
		rest = strings.TrimSpace(in)
	}
	if rest == "" {
		return pythonPackage(name, "", ""), ""
	}
	if strings.IndexByte("=<>~!^", rest[0]) < 0 {
		if '0' <= rest[0] && rest[0] <= '9' || rest[0] == '*' {
			return PythonValue(name, rest) // Poetry's "name 1.0"
		}
		return coord.Package{}, coord.Unparsable
	}
	if rest[0] == '^' || rest[0] == '~' && !strings.HasPrefix(rest, "~=") {
		return PythonValue(name, rest)
	}
	return pythonPackage(name, rest, strings.ReplaceAll(rest, " ", "")), ""
}

// PythonValue reads a name and a version in the words of Poetry, Pipenv and uv:
// a bare version is that very one, ^ and ~ are ranges, * is any.
func PythonValue(name, version string) (coord.Package, string) {
	if name == "" || !alnum(name[0]) || strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 || !pythonName(byte(r)) }) {
		return coord.Package{}, coord.Unparsable
	}
	version = strings.TrimSpace(version)
	switch {
	case version == "":
		return pythonPackage(name, "", ""), ""
	case version == "*":
		return pythonPackage(name, version, ""), ""
	case '0' <= version[0] && version[0] <= '9' || strings.IndexByte("=<>~!^", version[0]) >= 0:
		return pythonPackage(name, version, pep440(version)), ""
	}
	return pythonPackage(name, "", version), "" // a tag: latest
}

func pythonPackage(name, version, constraint string) coord.Package {
	p := coord.Package{Ecosystem: coord.PyPI, Name: coord.Canonical(coord.PyPI, name), Version: version, Constraint: constraint}
	if p.Name != name {
		p.Written = name
	}
	return p
}

func pythonName(c byte) bool { return alnum(c) || c == '-' || c == '_' || c == '.' }

func alnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// pythonElsewhere says where text leads if it is not a requirement.
func pythonElsewhere(text string) string {
	lower := strings.ToLower(text)
	scheme, _, ok := strings.Cut(lower, "://")
	switch {
	case strings.HasPrefix(lower, "file:"):
		return coord.Path
	case strings.HasPrefix(lower, "git@"):
		return coord.Git
	case ok && len(scheme) < 12 && !strings.ContainsAny(scheme, " @[;"):
		switch {
		case scheme == "git", scheme == "ssh", strings.HasPrefix(scheme, "git+"), strings.HasPrefix(scheme, "hg+"), strings.HasPrefix(scheme, "svn+"), strings.HasPrefix(scheme, "bzr+"):
			return coord.Git
		}
		path, _, _ := strings.Cut(lower, "#")
		if strings.HasSuffix(path, ".git") {
			return coord.Git
		}
		return coord.URL
	case localPath(text):
		return coord.Path
	}
	bare, _, _ := strings.Cut(lower, ";")
	bare = strings.TrimSpace(bare)
	if strings.ContainsAny(bare, " @<>=") {
		return ""
	}
	bare, _, _ = strings.Cut(bare, "[")
	for _, end := range []string{".whl", ".tar.gz", ".zip", ".tar.bz2", ".egg", ".tgz"} {
		if strings.HasSuffix(bare, end) {
			return coord.Path
		}
	}
	if strings.ContainsAny(bare, `/\`) {
		return coord.Path
	}
	return ""
}

// pep440 turns a constraint of Poetry into one of PEP 440.
func pep440(v string) string {
	parts := strings.Split(v, ",")
	for i, part := range parts {
		part = strings.TrimSpace(part)
		switch {
		case part == "" || part == "*":
		case strings.HasPrefix(part, "^"):
			part = poetryRange(strings.TrimSpace(part[1:]), true)
		case strings.HasPrefix(part, "~") && !strings.HasPrefix(part, "~="):
			part = poetryRange(strings.TrimSpace(part[1:]), false)
		case '0' <= part[0] && part[0] <= '9':
			part = "==" + part
		case strings.HasPrefix(part, "=") && !strings.HasPrefix(part, "=="):
			part = "=" + part
		}
		parts[i] = strings.ReplaceAll(part, " ", "")
	}
	return strings.Join(parts, ",")
}

// poetryRange is the range of ^v or ~v: up to the next version that changes the
// first number that is not zero, or the second number.
func poetryRange(v string, caret bool) string {
	nums := strings.Split(v, ".")
	up := 0
	if caret {
		for up < len(nums)-1 && strings.Trim(nums[up], "0") == "" {
			up++
		}
	} else if len(nums) > 1 {
		up = 1
	}
	n, err := strconv.Atoi(nums[up])
	if err != nil {
		return ">=" + v
	}
	top := append(append([]string(nil), nums[:up]...), strconv.Itoa(n+1))
	return ">=" + v + ",<" + strings.Join(top, ".")
}

// Conda reads a match spec: [channel::]name[=version[=build]] or with a
// comparison.
func Conda(text string) (coord.Package, string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return coord.Package{}, ""
	}
	if strings.Contains(text, "://") {
		return coord.Package{}, coord.URL
	}
	if localPath(text) || strings.HasSuffix(text, ".conda") || strings.HasSuffix(text, ".tar.bz2") {
		return coord.Package{}, coord.Path
	}
	if i := strings.LastIndex(text, "::"); i >= 0 {
		text = text[i+2:]
	}
	text, _, _ = strings.Cut(text, "[")
	n := 0
	for n < len(text) && pythonName(text[n]) {
		n++
	}
	name, version := text[:n], strings.TrimSpace(text[n:])
	if n == 0 {
		return coord.Package{}, coord.Unparsable
	}
	if v, ok := strings.CutPrefix(version, "="); ok && !strings.HasPrefix(v, "=") {
		version, _, _ = strings.Cut(v, "=")
	}
	return coord.Package{Ecosystem: coord.Conda, Name: strings.ToLower(name), Version: version, Constraint: version}, ""
}

// A RequirementsFile is what a requirements file of pip says.
type RequirementsFile struct {
	Lines []string // requirements, paths and URLs, without comments and flags
	Files []string // -r
	Index string   // --index-url: asked instead of the public one

	ExtraIndex string // --extra-index-url: asked beside it
	NoIndex    bool
}

// Requirements reads the lines of a requirements file.
func Requirements(text string) RequirementsFile {
	var q RequirementsFile
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if strings.HasPrefix(line, "#") {
			continue
		}
		if i := strings.Index(line, " #"); i >= 0 {
			line = strings.TrimSpace(line[:i])
		}
		if i := strings.Index(line, "\t#"); i >= 0 {
			line = strings.TrimSpace(line[:i])
		}
		if line == "" {
			continue
		}
		if line[0] != '-' {
			// Options of one requirement follow it.
			for _, opt := range []string{" --hash", " --config-setting", " --global-option", " --install-option", " --no-binary", " --only-binary"} {
				if i := strings.Index(line, opt); i >= 0 {
					line = line[:i]
				}
			}
			q.Lines = append(q.Lines, strings.TrimSpace(line))
			continue
		}
		name, value := line, ""
		if i := strings.IndexAny(line, " =\t"); i >= 0 {
			name, value = line[:i], strings.TrimSpace(line[i+1:])
		} else if len(line) > 2 && line[1] != '-' {
			name, value = line[:2], line[2:]
		}
		value = strings.Trim(value, `"'`)
		switch name {
		case "-r", "--requirement":
			q.Files = append(q.Files, value)
		case "-e", "--editable":
			q.Lines = append(q.Lines, value)
		case "-i", "--index-url", "--pypi-url":
			q.Index = value
		case "--extra-index-url":
			q.ExtraIndex = value
		case "--no-index":
			q.NoIndex = true
		}
	}
	return q
}
