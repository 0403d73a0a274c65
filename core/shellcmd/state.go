package shellcmd

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// value is what a variable, parameter or substitution may stand for.
type value struct {
	texts  []string // at least one, unless list
	static bool
	glob   bool // comes from pathname expansion
	blank  bool // may be empty
	vars   []string
	subst  []int
	list   []value // elements of an array, or of $@
	isList bool
}

func known(s string) value { return value{texts: []string{s}, static: true} }

// unknownVar is the value of a variable that nothing is known of.
func unknownVar(name string) value {
	return value{texts: []string{Unknown}, blank: true, vars: []string{name}}
}

// number is an unknown but harmless value.
func number() value { return value{texts: []string{Unknown}} }

func (v value) first() value {
	if !v.isList {
		return v
	}
	if len(v.list) == 0 {
		return known("")
	}
	return v.list[0]
}

// or joins the possible values of two branches.
func (v value) or(w value) value {
	v, w = v.first(), w.first()
	if v.static && w.static && slices.Equal(v.texts, w.texts) {
		return v
	}
	out := value{static: v.static && w.static, glob: v.glob || w.glob, blank: v.blank || w.blank}
	out.texts = append(out.texts, v.texts...)
	for _, t := range w.texts {
		if len(out.texts) < maxAlts && !slices.Contains(out.texts, t) {
			out.texts = append(out.texts, t)
		}
	}
	out.vars = union(v.vars, w.vars)
	out.subst = union(v.subst, w.subst)
	return out
}

func union[T comparable](a, b []T) []T {
	if len(b) == 0 {
		return a
	}
	out := slices.Clip(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

func valueOf(w *Word) value {
	v := value{static: w.Static, glob: w.Glob, blank: w.Blank, vars: w.Vars, subst: w.Subst}
	v.texts = append(append(v.texts, w.Text), w.Or...)
	return v
}

// binding is one assignment; the newest is first.
type binding struct {
	name string
	val  value
	next *binding
}

type function struct {
	name   string
	body   *syntax.Stmt
	scope  scope
	st     state
	called bool
	next   *function
}

type alias struct {
	name string
	text Word
	next *alias
}

// state is what a running shell would hold. A copy is a subshell's.
type state struct {
	vars      *binding
	exports   []Assign
	dir       string
	dirElse   []string
	old       string
	stack     []string
	funcs     *function
	aliases   *alias
	args      []value // $1 …
	argsKnown bool
	zero      string // $0, if not bash
	errexit   bool
	pipefail  bool
	allexport bool
	locals    []string   // names that the running function made its own
	fds       []Redirect // descriptors opened by exec
	hashed    *alias     // programs given to a name by hash -p
	off       []string   // builtins switched off by enable -n
}

func (st *state) fork() *state {
	c := *st
	c.exports = slices.Clip(c.exports)
	c.dirElse = slices.Clip(c.dirElse)
	c.stack = slices.Clip(c.stack)
	c.fds = slices.Clip(c.fds)
	return &c
}

func (st *state) lookup(name string) (value, bool) {
	for b := st.vars; b != nil; b = b.next {
		if b.name == name {
			return b.val, true
		}
	}
	return value{}, false
}

func (st *state) set(name string, v value) {
	st.vars = &binding{name: name, val: v, next: st.vars}
	if st.allexport || st.exported(name) {
		st.export(name, v)
	}
}

func (st *state) exported(name string) bool {
	for i := range st.exports {
		if st.exports[i].Name == name {
			return true
		}
	}
	return false
}

func (st *state) export(name string, v value) {
	st.exports = append(slices.Clip(st.exports), Assign{Name: name, Value: v.word(name)})
}

// word turns a value into a word that was written as raw.
func (v value) word(raw string) Word {
	v = v.first()
	w := Word{Raw: raw, Text: v.texts[0], Static: v.static, Glob: v.glob, Blank: v.blank, Vars: v.vars, Subst: v.subst}
	if len(v.texts) > 1 {
		w.Or = slices.Clone(v.texts[1:])
	}
	return w
}

func (st *state) function(name string) *function {
	for f := st.funcs; f != nil; f = f.next {
		if f.name == name {
			return f
		}
	}
	return nil
}

func (st *state) alias(name string) *alias {
	for a := st.aliases; a != nil; a = a.next {
		if a.name == name {
			return a
		}
	}
	return nil
}

// join is the state after a branch that may or may not have been taken: a and
// b both grew out of st.
func join(base *binding, a, b *state) *state {
	out := *a
	out.exports = a.exports
	if len(b.exports) > len(a.exports) {
		out.exports = b.exports
	}
	var names []string
	for _, x := range [...]*binding{a.vars, b.vars} {
		for n := 0; x != nil && x != base && n < 256; x, n = x.next, n+1 {
			if !slices.Contains(names, x.name) {
				names = append(names, x.name)
			}
		}
	}
	out.vars = base
	for _, n := range names {
		va, oka := a.lookup(n)
		vb, okb := b.lookup(n)
		switch {
		case oka && okb && va.isList && vb.isList:
		case oka && okb:
			va = va.or(vb)
		case okb:
			va = unknownVar(n).or(vb)
			if len(va.texts) > 1 { // the value that was set comes first
				va.texts[0], va.texts[1] = va.texts[1], va.texts[0]
			}
		case oka:
			va = va.or(unknownVar(n))
		}
		out.vars = &binding{name: n, val: va, next: out.vars}
	}
	if a.dir != b.dir {
		out.dirElse = addDir(out.dirElse, b.dir)
	}
	for _, d := range b.dirElse {
		if d != out.dir {
			out.dirElse = addDir(out.dirElse, d)
		}
	}
	if b.funcs != a.funcs && b.funcs != nil {
		out.funcs = b.funcs
	}
	out.errexit = a.errexit && b.errexit
	out.pipefail = a.pipefail && b.pipefail
	return &out
}

func addDir(list []string, d string) []string {
	if len(list) >= maxAlts || slices.Contains(list, d) {
		return list
	}
	return append(slices.Clip(list), d)
}

// isAbs reports whether p is absolute, as a POSIX or a Windows path.
func isAbs(p string) bool {
	if p == "" {
		return false
	}
	if p[0] == '/' || strings.HasPrefix(p, `\\`) {
		return true
	}
	return len(p) >= 3 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') && isWordByte(p[0])
}

// joinPath is p seen from dir, cleaned; "" when that cannot be known.
func joinPath(dir, p string) string {
	if strings.Contains(p, Unknown) {
		return ""
	}
	if !isAbs(p) {
		if dir == "" {
			return ""
		}
		if strings.Contains(dir, `\`) && !strings.HasPrefix(dir, "/") {
			p = strings.ReplaceAll(p, `\`, "/")
		}
		p = dir + "/" + p
	}
	if p[0] != '/' {
		p = strings.ReplaceAll(p, `\`, "/")
		if len(p) > 2 && p[1] == ':' {
			return p[:2] + path.Clean("/"+p[2:])
		}
	}
	return path.Clean(p)
}

// chdir goes to w and remembers where it was.
func (st *state) chdir(w *Word) {
	old := st.dir
	base := st.dir
	st.dirElse = nil
	if !w.Static || w.Glob {
		st.dir = ""
		for _, v := range w.Or { // a known default of an unknown variable
			if d := joinPath(base, v); d != "" {
				st.dirElse = addDir(st.dirElse, d)
			}
		}
	} else {
		st.dir = joinPath(base, w.Text)
		for _, v := range w.Or {
			st.dirElse = addDir(st.dirElse, joinPath(base, v))
		}
	}
	st.old = old
}
