// Package popular knows the names of much used packages and which other names
// are close enough to one of them to be a slip or a trap. It owns the embedded
// lists and the rule of nearness.
//
// The lists are plain text in the binary, most used first, and are scanned where
// they lie: there is nothing to unpack, and a process that asks nothing pays
// nothing. tools/genpopular writes those of npm and PyPI; that of Go was written
// by hand, well-known modules without their major versions. The package must not import anything
// of ours but coord.
package popular

import (
	_ "embed" // the lists
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
)

//go:embed npm.txt
var npm string

//go:embed pypi.txt
var pypi string

//go:embed go.txt
var golang string

// list is the names of an ecosystem, one a line, most used first; "" if there
// is no list.
func list(e coord.Ecosystem) string {
	switch e {
	case coord.NPM:
		return npm
	case coord.PyPI:
		return pypi
	case coord.Go:
		return golang
	case coord.None, coord.Crates, coord.RubyGems, coord.Packagist, coord.NuGet, coord.Maven, coord.Conda:
	}
	return ""
}

// Popular reports whether name is on the list of its ecosystem. Ecosystems
// without a list have no popular names.
func Popular(e coord.Ecosystem, name string) bool {
	return onList(list(e), canonical(e, name))
}

// canonical is the name as the lists have it: of a Go module without its major
// version.
func canonical(e coord.Ecosystem, name string) string {
	name = coord.Canonical(e, name)
	if e == coord.Go {
		if i := strings.LastIndex(name, "/v"); i > 0 && strings.Trim(name[i+2:], "0123456789") == "" {
			name = name[:i]
		}
	}
	return name
}

func onList(names, name string) bool {
	if name == "" || strings.Contains(name, "\n") {
		return false
	}
	line := name + "\n"
	return strings.HasPrefix(names, line) || strings.Contains(names, "\n"+line)
}

// most is how many names Near and Suggest return at most.
const most = 3

// Near returns the popular names that name is close to, most used first, at
// most three; none if name is itself popular or its ecosystem has no list.
//
// That a name is near another is a signal and no proof: of real packages off
// the lists about one in two hundred is.
func Near(e coord.Ecosystem, name string) []string {
	names := list(e)
	name = canonical(e, name)
	if names == "" || name == "" || len(name) > 214 || onList(names, name) {
		return nil
	}
	return near(names, e, name, "")
}

// near looks through names, leaving out except.
func near(names string, e coord.Ecosystem, name, except string) []string {
	if e == coord.Go {
		return nearModule(names, name, except)
	}
	q := newQuery(e, name)
	var out []string
	for rank, rest := 0, names; rest != ""; rank++ {
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		line := rest[:end]
		rest = rest[min(end+1, len(rest)):]
		if line == "" || line == except {
			continue
		}
		kind := q.compare(line, rank)
		if kind == none || q.exempt(names, line, kind) {
			continue
		}
		if out = append(out, line); len(out) == most {
			break
		}
	}
	return out
}

// Suggest returns popular names that somebody may have meant by a name that
// does not exist, nearest first, at most three. It reaches further than Near,
// since the name is known to be wrong.
func Suggest(e coord.Ecosystem, name string) []string {
	names := list(e)
	if name = canonical(e, name); e != coord.Go {
		name = strings.ToLower(name)
	}
	if names == "" || len(name) < 3 || len(name) > 214 {
		return nil
	}
	out := Near(e, name)
	// A name that lost its scope, or has it with a hyphen: icons-material.
	for line := range strings.SplitSeq(names, "\n") {
		if len(out) >= most || e != coord.NPM || len(name) < 6 || strings.HasPrefix(name, "@") {
			break
		}
		scope, rest, ok := strings.Cut(line, "/")
		if ok && (rest == name || scope[1:]+"-"+rest == name) && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	limit := 1
	if e == coord.Go && len(name) > 24 { // most of it is the host
		limit = 2
	} else if e != coord.Go && len(name) >= 8 {
		limit = 2
	}
	for distance := 1; distance <= limit && len(out) < most; distance++ {
		for line := range strings.SplitSeq(names, "\n") {
			if line == "" || line == name || slices.Contains(out, line) || !within(name, line, distance) {
				continue
			}
			if out = append(out, line); len(out) == most {
				break
			}
		}
	}
	return out
}
