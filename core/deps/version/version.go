// Package version orders the versions of each ecosystem and finds those that a
// constraint lets in.
//
// It is pure: texts in, texts out. It must not import any package of this
// module.
package version

import (
	"cmp"
	"slices"
	"strings"
)

// Scheme says how versions are written and compared. The zero value compares
// like SemVer and knows no ranges.
type Scheme int

// Schemes.
const (
	Unknown  Scheme = iota
	NPM             // SemVer, ranges of npm
	Cargo           // SemVer, a bare version is ^
	Go              // SemVer with v; a constraint is one version
	Python          // PEP 440
	Gem             // dotted segments, letters are pre-releases
	Composer        // SemVer with looser words
	NuGet           // SemVer with four parts; the lowest version that fits is taken
	Maven           // qualifiers; the lowest version that fits is taken
)

// Of returns the scheme of an ecosystem in OSV's spelling.
func Of(ecosystem string) Scheme {
	switch ecosystem {
	case "npm":
		return NPM
	case "PyPI":
		return Python
	case "crates.io":
		return Cargo
	case "Go":
		return Go
	case "RubyGems":
		return Gem
	case "Packagist":
		return Composer
	case "NuGet":
		return NuGet
	case "Maven":
		return Maven
	}
	return Unknown
}

// parsed is a version in comparable form.
type parsed struct {
	epoch   string
	release []string // digits without leading zeros
	pre     []string // what follows: identifiers of SemVer, or words and numbers
	ok      bool     // it begins with a number
}

// digits is the length of the run of digits that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

func number(s string) string {
	if s = strings.TrimLeft(s, "0"); s == "" {
		return "0"
	}
	return s
}

func (s Scheme) parse(v string) parsed {
	v = strings.ToLower(strings.TrimSpace(v))
	v = strings.TrimPrefix(strings.TrimPrefix(v, "="), "v")
	if i := strings.IndexByte(v, '+'); i >= 0 { // build metadata, or a local version
		v = v[:i]
	}
	var p parsed
	if n := digits(v); n > 0 && n < len(v) && v[n] == '!' {
		p.epoch, v = number(v[:n]), v[n+1:]
	}
	for {
		n := digits(v)
		if n == 0 {
			break
		}
		p.ok = true
		p.release = append(p.release, number(v[:n]))
		v = v[n:]
		if len(v) < 2 || v[0] != '.' || v[1] < '0' || v[1] > '9' {
			break
		}
		v = v[1:]
	}
	for len(p.release) > 1 && p.release[len(p.release)-1] == "0" {
		p.release = p.release[:len(p.release)-1]
	}
	switch {
	case !s.semver():
		p.pre = words(v)
	case strings.TrimPrefix(v, "-") != "":
		p.pre = strings.Split(strings.TrimPrefix(v, "-"), ".")
	}
	return p
}

// semver reports whether pre-releases are written and ordered as SemVer does.
func (s Scheme) semver() bool {
	switch s {
	case Python, Gem, Composer, Maven:
		return false
	case Unknown, NPM, Cargo, Go, NuGet:
	}
	return true
}

// words splits a suffix into words and numbers.
func words(s string) []string {
	var out []string
	for s != "" {
		n := digits(s)
		if n == 0 {
			for n < len(s) && 'a' <= s[n] && s[n] <= 'z' {
				n++
			}
		}
		if n == 0 {
			s = s[1:] // a separator
			continue
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// compareNumbers compares digits of any length.
func compareNumbers(a, b string) int {
	a, b = number(a), number(b)
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

func isNumber(s string) bool { return s != "" && digits(s) == len(s) }

// Compare orders two versions: below 0 if a is older.
func (s Scheme) Compare(a, b string) int {
	p, q := s.parse(a), s.parse(b)
	if c := compareNumbers(p.epoch, q.epoch); c != 0 {
		return c
	}
	for i := range max(len(p.release), len(q.release)) {
		if c := compareNumbers(at(p.release, i), at(q.release, i)); c != 0 {
			return c
		}
	}
	if s.semver() {
		return comparePre(p.pre, q.pre)
	}
	return compareWords(p.pre, q.pre)
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// comparePre is the order of SemVer: a release is newer than its pre-releases,
// numbers are older than words.
func comparePre(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(len(b), len(a))
	}
	for i := range min(len(a), len(b)) {
		x, y := isNumber(a[i]), isNumber(b[i])
		c := 0
		switch {
		case x && y:
			c = compareNumbers(a[i], b[i])
		case x:
			c = -1
		case y:
			c = 1
		default:
			c = strings.Compare(a[i], b[i])
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// rank orders the words that stand behind a release; 0 is the release itself.
func rank(word string) int {
	switch word {
	case "dev":
		return -6
	case "a", "alpha", "snapshot":
		return -5
	case "b", "beta":
		return -4
	case "m", "milestone":
		return -3
	case "c", "rc", "cr", "pre", "preview":
		return -2
	case "", "final", "ga", "release", "stable":
		return 0
	case "post", "p", "pl", "patch", "sp", "rev", "r", "jre", "android":
		return 1
	}
	return -1 // a word that nobody agrees on is taken for a pre-release
}

func compareWords(a, b []string) int {
	for i := range max(len(a), len(b)) {
		x, y := at(a, i), at(b, i)
		nx, ny := isNumber(x), isNumber(y)
		c := 0
		switch {
		case nx && ny:
			c = compareNumbers(x, y)
		case nx:
			c = cmp.Compare(0, rank(y))
			if c == 0 {
				c = 1
			}
		case ny:
			c = cmp.Compare(rank(x), 0)
			if c == 0 {
				c = -1
			}
		default:
			if c = cmp.Compare(rank(x), rank(y)); c == 0 && rank(x) == -1 {
				c = strings.Compare(x, y)
			}
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// Pre reports whether v is a pre-release.
func (s Scheme) Pre(v string) bool {
	p := s.parse(v)
	if !p.ok {
		return true // dev-main and the like
	}
	if s.semver() {
		return len(p.pre) > 0
	}
	for _, w := range p.pre {
		if !isNumber(w) && rank(w) < 0 {
			return true
		}
	}
	return false
}

// Major is the first number of v that is not 0 with what stands before it: the
// part that a compatible update keeps.
func (s Scheme) Major(v string) string {
	p := s.parse(v)
	for i, n := range p.release {
		if n != "0" {
			return strings.Join(p.release[:i+1], ".")
		}
	}
	return "0"
}

// Newest returns the newest stable version of a list, or, if none is stable, "".
func (s Scheme) Newest(versions []string) string {
	best := ""
	for _, v := range versions {
		if !s.Pre(v) && (best == "" || s.Compare(v, best) > 0) {
			best = v
		}
	}
	return best
}

// Find returns the member of versions that is the same version as v, spelled as
// there; "" if there is none.
func (s Scheme) Find(versions []string, v string) string {
	if slices.Contains(versions, v) {
		return v
	}
	if !s.parse(v).ok {
		return ""
	}
	for _, have := range versions {
		if s.Compare(have, v) == 0 {
			return have
		}
	}
	return ""
}
