// Package coord names packages of public registries: which ecosystem, which
// name, which version. It owns the spelling of ecosystems and the rules by
// which two spellings of a name are one package.
//
// It imports the standard library only and looks nothing up.
package coord

import "strings"

// Ecosystem is a family of packages with one public registry, in OSV's
// spelling. The zero value is none.
type Ecosystem string

// Ecosystems. OSV has no records for Conda and deps.dev none for Packagist.
const (
	None      Ecosystem = ""
	NPM       Ecosystem = "npm"
	PyPI      Ecosystem = "PyPI"
	Crates    Ecosystem = "crates.io"
	Go        Ecosystem = "Go"
	RubyGems  Ecosystem = "RubyGems"
	Packagist Ecosystem = "Packagist"
	NuGet     Ecosystem = "NuGet"
	Maven     Ecosystem = "Maven"
	Conda     Ecosystem = "conda"
)

// Package is one package that a command line or a manifest asks for.
type Package struct {
	Ecosystem Ecosystem `json:"ecosystem"`

	// Name is what the registry calls it: PyPI in its normalised form, Maven
	// group:artifact, Go the module path, the others as written.
	Name string `json:"name"`

	// Version is what was written, a version or a range with its operators. It
	// is "" when none was written, or a bare tag such as latest.
	Version string `json:"version,omitempty"`

	// Constraint is what has to be resolved, in the ecosystem's own words for
	// ranges: mostly Version, but "=1.2.3" for "cargo install x@1.2.3", which
	// pins where "cargo add x@1.2.3" does not, and a PEP 440 range for the
	// carets of Poetry. A tag, branch or commit is here too; see Tag.
	Constraint string `json:"-"`

	// Path, of Go, is the package path as written, when Name is only the likely
	// module of it: the module is its longest prefix that exists.
	Path string `json:"-"`

	// Written, of PyPI, is the name as written, when Name spells it differently.
	Written string `json:"-"`

	// Dir is the directory that it is installed into or declared in; "" =
	// unknown. Remote says that it is one of another machine or a container.
	Dir    string `json:"-"`
	Remote bool   `json:"-"`

	// Source is an additional registry or index that is asked beside the public
	// one, as written. A name that only the other one has is no hallucination.
	Source string `json:"-"`

	// Public says that the command itself names the public registry, whatever
	// settings files say. Bundled says that it goes into the Gemfile of Dir, whose
	// own sources count.
	Public, Bundled bool `json:"-"`

	// File is the requirements file or manifest in which it was read, "" for a
	// word of the command line itself.
	File string `json:"-"`

	// Dev says that it is for development only, Runs that the command also runs
	// it at once (npx, uvx, go run), Indirect that a go.mod marks it so.
	Dev, Runs, Indirect bool `json:"-"`

	// Maybe says that it is one of several values that a word may have, such as
	// the items of a loop. The word itself is unchecked.
	Maybe bool `json:"-"`

	// Uncertain says that the word may not be a package at all: it follows a
	// flag that is not known. That no such package exists is then no proof.
	Uncertain bool `json:"-"`

	// Advisory says that the place is not one that installs: a test fixture, a
	// Dockerfile, a workflow.
	Advisory bool `json:"-"`

	// Aside says that the place only tells what is to be taken in case that
	// something else brings the package in (an override, a constraint, a shared
	// table of versions), or that it is fetched apart from what is locked (the
	// requirements of a build). For is what it is there for, by its name in a
	// lockfile or a member's manifest; "" = nothing that is known.
	Aside bool   `json:"-"`
	For   string `json:"-"`

	// Peer says that who uses the project is to bring it along, which some tools
	// do themselves. Extra says that it belongs to a set that is left out unless
	// it is asked for.
	Peer, Extra bool `json:"-"`
}

// Unchecked is something that would be added and cannot be looked up.
type Unchecked struct {
	Spec string `json:"spec"` // as written
	Why  string `json:"why"`  // one of the constants below

	// Values says that all that it may be is known and among the packages, marked
	// Maybe.
	Values bool `json:"-"`
}

// Reasons why a spec is not looked up.
const (
	Path           = "path"
	Git            = "git"
	URL            = "url"
	Workspace      = "workspace"
	Catalog        = "catalog"
	CustomRegistry = "custom registry"
	OtherRegistry  = "other registry"
	Private        = "private"
	Variable       = "variable"
	Substitution   = "substitution"
	Xargs          = "xargs"
	RequirementsIn = "requirements file"
	Unparsable     = "unparsable"
	DynamicValue   = "dynamic"
)

// Canonical is the form of name in which two spellings of one package are
// equal. It is for comparing; a registry may want the name as written.
func Canonical(e Ecosystem, name string) string {
	switch e {
	case PyPI:
		return normalPyPI(name)
	case Crates:
		return strings.ReplaceAll(strings.ToLower(name), "_", "-")
	case NuGet, Packagist, Conda:
		return strings.ToLower(name)
	case None, NPM, Go, RubyGems, Maven:
	}
	return name
}

// normalPyPI is PEP 503: lower case, each run of - _ . one hyphen.
func normalPyPI(name string) string {
	plain := true
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' || c == '_' || c == '.' || c == '-' && i > 0 && name[i-1] == '-' {
			plain = false
			break
		}
	}
	if plain {
		return name
	}
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if r == '-' || r == '_' || r == '.' {
			gap = true
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	if gap {
		b.WriteByte('-')
	}
	return b.String()
}

// Exact is the one version that the package is pinned to, without operators, or
// "" when a registry has to be asked which version is meant. Go versions keep
// their v.
func (p *Package) Exact() string {
	v := strings.TrimSpace(p.Constraint)
	if v == "" {
		v = strings.TrimSpace(p.Version)
	}
	if p.Ecosystem == PyPI {
		v = strings.ReplaceAll(v, " ", "") // pip does not mind
	}
	if v == "" || strings.ContainsAny(v, ",|<>^~!* ${}") && !strings.HasPrefix(v, "= ") {
		return ""
	}
	switch p.Ecosystem {
	case NPM:
		v = strings.TrimSpace(strings.TrimLeft(v, "= "))
		v = strings.TrimPrefix(v, "v")
		if !full(v, 3) {
			return ""
		}
		return v
	case PyPI:
		w, ok := strings.CutPrefix(v, "==")
		if !ok {
			return ""
		}
		return number(strings.TrimPrefix(w, "="))
	case Crates:
		w, ok := strings.CutPrefix(v, "=")
		if w = strings.TrimSpace(w); !ok || !full(w, 3) {
			return ""
		}
		return w
	case Go:
		if w, ok := strings.CutPrefix(v, "v"); ok && full(w, 3) {
			return v
		}
		return ""
	case RubyGems:
		return number(strings.TrimLeft(v, "= "))
	case Packagist:
		v = strings.TrimPrefix(strings.TrimLeft(v, "= "), "v")
		if strings.Contains(v, "@") || strings.HasSuffix(v, "-dev") || strings.HasSuffix(v, ".x") {
			return ""
		}
		return number(v)
	case NuGet, Maven:
		if w, ok := strings.CutPrefix(v, "["); ok {
			if w, ok = strings.CutSuffix(w, "]"); ok {
				v = w
			}
		}
		if strings.ContainsAny(v, "[]()+") && p.Ecosystem == Maven || strings.ContainsAny(v, "[]()") {
			return ""
		}
		return number(v)
	case Conda:
		return number(strings.TrimLeft(v, "="))
	case None:
	}
	return ""
}

// Tag is the tag, branch or commit that stands in the place of a version, or "".
func (p *Package) Tag() string {
	if p.Version == "" {
		return p.Constraint
	}
	return ""
}

// number returns v if it begins with a digit.
func number(v string) string {
	v = strings.TrimSpace(v)
	if v == "" || v[0] < '0' || v[0] > '9' {
		return ""
	}
	return v
}

// full reports whether v has at least n numbers joined by dots, before any
// pre-release or build.
func full(v string, n int) bool {
	if i := strings.IndexAny(v, "-+"); i >= 0 {
		v = v[:i]
	}
	parts := strings.Split(v, ".")
	if len(parts) < n {
		return false
	}
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return true
}
