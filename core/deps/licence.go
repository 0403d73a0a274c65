package deps

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/deps/depsdev"
	"github.com/ec261362/guardrails/core/hook"
)

// licence judges the licences of a version, if the configuration lists those
// that pass.
func (s *subject) licence(v depsdev.Version) {
	if len(s.set.Licences) == 0 {
		return
	}
	if len(v.Licences) == 0 {
		s.add(Licence, hook.Ask, s.named()+" "+v.Number+" has no licence that deps.dev knows; dependencies.licences lists "+strings.Join(s.set.Licences, ", "))
		return
	}
	for _, l := range v.Licences { // all of them apply
		if !licensed(l, s.set.Licences) {
			s.add(Licence, hook.Ask, s.named()+" "+v.Number+" is under "+oneLine(l)+"; dependencies.licences lists "+strings.Join(s.set.Licences, ", "))
			return
		}
	}
}

// licensed reports whether an SPDX expression can be met with the licences of
// the list. One that cannot be read is not.
func licensed(expression string, list []string) bool {
	words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(expression))
	p := &spdx{words: words, list: list}
	ok := p.or()
	return ok && len(p.words) == 0 && !p.bad
}

// spdx reads an expression: OR binds weaker than AND, WITH strongest.
type spdx struct {
	words []string
	list  []string
	deep  int
	bad   bool
}

func (p *spdx) next(word string) bool {
	if len(p.words) > 0 && strings.EqualFold(p.words[0], word) {
		p.words = p.words[1:]
		return true
	}
	return false
}

func (p *spdx) or() bool {
	ok := p.and()
	for p.next("OR") {
		ok = p.and() || ok
	}
	return ok
}

func (p *spdx) and() bool {
	ok := p.one()
	for p.next("AND") {
		ok = p.one() && ok
	}
	return ok
}

func (p *spdx) one() bool {
	if p.deep++; p.deep > 100 || len(p.words) == 0 {
		p.bad = true
		return false
	}
	defer func() { p.deep-- }()
	if p.next("(") {
		ok := p.or()
		p.bad = !p.next(")") || p.bad
		return ok
	}
	id := p.words[0]
	p.words = p.words[1:]
	names := []string{id, strings.TrimSuffix(id, "+")} // "or later" includes this one
	if p.next("WITH") && len(p.words) > 0 {
		names = append(names, id+" WITH "+p.words[0])
		p.words = p.words[1:]
	}
	return slices.ContainsFunc(p.list, func(have string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(have, n) })
	})
}
