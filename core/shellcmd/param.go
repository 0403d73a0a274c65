package shellcmd

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// home is the home directory of who runs s.
func (r *reader) home(s *scope, st *state) value {
	if v, ok := st.lookup("HOME"); ok {
		return v.first()
	}
	if r.o.Home == "" || s.flags&Remote != 0 {
		return value{texts: []string{Unknown}, vars: []string{"HOME"}}
	}
	return known(r.o.Home)
}

// variable is the value of a named variable or special parameter.
func (r *reader) variable(name string, st *state, s *scope) value {
	switch name {
	case "HOME":
		return r.home(s, st)
	case "?", "$", "!", "#", "-", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "EPOCHSECONDS", "EPOCHREALTIME", "BASHPID", "PPID", "UID", "EUID", "SHLVL":
		if name == "#" && st.argsKnown {
			return known(itoa(len(st.args)))
		}
		return number()
	case "0":
		if st.zero != "" {
			return known(st.zero)
		}
		return known("bash")
	case "@", "*":
		return st.allArgs()
	case "_":
		return unknownVar(name)
	}
	if n, ok := atoi(name); ok {
		if n <= len(st.args) && n > 0 {
			return st.args[n-1]
		}
		if st.argsKnown {
			return known("")
		}
		return unknownVar(name)
	}
	if v, ok := st.lookup(name); ok {
		return v
	}
	switch name {
	case "PWD":
		if st.dir == "" {
			return value{texts: []string{Unknown}, vars: []string{"PWD"}}
		}
		v := known(st.dir)
		for _, d := range st.dirElse {
			if d == "" {
				v.static = false
				d = Unknown
			}
			v.texts = append(v.texts, d)
		}
		return v
	case "OLDPWD":
		if st.old != "" {
			return known(st.old)
		}
	case "IFS":
		return known(" \t\n")
	case "USER", "LOGNAME":
		if h := r.o.Home; h != "" && s.flags&Remote == 0 {
			return known(h[strings.LastIndexAny(h, `/\`)+1:])
		}
	}
	if r.o.Getenv != nil && s.flags&Remote == 0 {
		if v, ok := r.o.Getenv(name); ok {
			return known(v)
		}
	}
	return unknownVar(name)
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func (st *state) allArgs() value {
	if !st.argsKnown && len(st.args) == 0 {
		return unknownVar("@")
	}
	return value{isList: true, list: st.args}
}

// isAt reports whether p stands for a list of fields: $@, ${a[@]}.
func isAt(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Length || p.Excl {
		return false
	}
	if p.Param.Value == "@" {
		return true
	}
	w, ok := p.Index.(*syntax.Word)
	return ok && w.Lit() == "@"
}

func (b *builder) param(p *syntax.ParamExp, quoted bool) {
	v := b.paramValue(p, quoted)
	if !v.isList {
		if !quoted && b.mode != asFields {
			b.quotedValue(v)
			return
		}
		b.value(v, quoted)
		return
	}
	star := p.Param != nil && p.Param.Value == "*"
	if w, ok := p.Index.(*syntax.Word); ok && w.Lit() == "*" {
		star = true
	}
	if star && quoted {
		sep := " "
		if ifs, custom := b.ifs(); custom {
			sep = ifs[:min(1, len(ifs))]
		}
		for i, x := range v.list {
			if i > 0 {
				b.add(sep)
			}
			b.value(x, true)
		}
		b.active, b.quoted = true, true
		return
	}
	b.fieldList(v.list, quoted)
}

// paramValue is what ${…} stands for; a list only for $@, $* and ${a[@]}.
func (b *builder) paramValue(p *syntax.ParamExp, quoted bool) value {
	r := b.r
	if p.NestedParam != nil || p.Param == nil {
		if p.NestedParam != nil {
			inner := &builder{r: r, st: b.st, s: b.s, owner: b.owner, mode: asWord}
			inner.part(p.NestedParam, true)
			inner.active = true
			inner.flush()
			if p.Flags == nil && p.Exp == nil && p.Repl == nil && p.Slice == nil && len(p.Modifiers) == 0 {
				return valueOf(&inner.out[0])
			}
			v := unknownVar("")
			v.vars = inner.out[0].Vars
			v.subst = inner.out[0].Subst
			return v
		}
		return unknownVar("")
	}
	name := p.Param.Value
	if p.Names != 0 {
		return unknownVar(name + "*")
	}
	v := r.variable(name, b.st, b.s)
	if p.Index != nil {
		r.arith(p.Index, b.st, b.s, b.owner)
		w, ok := p.Index.(*syntax.Word)
		idx := ""
		if ok {
			idx = w.Lit()
		}
		n, num := atoi(idx)
		switch {
		case idx == "@" || idx == "*":
			if !v.isList && v.static && !slices.Contains(v.vars, name) {
				v = value{isList: true, list: []value{v}}
			}
		case num && v.isList && n < len(v.list):
			v = v.list[n]
		case num && n == 0 && !v.isList:
		case v.isList:
			v = valueOfList(v.list)
			v.static = false
			if len(v.texts) == 0 {
				v.texts = []string{Unknown}
			}
			v.blank = true
		}
	} else if v.isList && name != "@" && name != "*" {
		v = v.first()
	}
	switch {
	case p.Excl: // ${!x}
		v = v.first()
		if v.static && len(v.texts) == 1 && syntax.ValidName(v.texts[0]) {
			v = r.variable(v.texts[0], b.st, b.s)
		} else {
			v = unknownVar("!" + name)
		}
	case p.Length:
		if v.isList {
			return known(itoa(len(v.list)))
		}
		if v.static && len(v.texts) == 1 {
			return known(itoa(len(v.texts[0])))
		}
		return number()
	case p.Width, p.IsSet:
		return number()
	}
	if p.Flags != nil || len(p.Modifiers) > 0 {
		out := unknownVar(name)
		out.vars = union(v.first().vars, []string{name})
		return out
	}
	if p.Slice != nil {
		return b.slice(p, v, name)
	}
	if p.Repl != nil {
		return b.replace(p.Repl, v, name)
	}
	if p.Exp != nil {
		return b.expansion(p.Exp, v, name, quoted)
	}
	return v
}

// operand expands the word of an operator.
func (b *builder) operand(w *syntax.Word, quoted bool) value {
	if w == nil {
		return known("")
	}
	in := &builder{r: b.r, st: b.st, s: b.s, owner: b.owner, mode: asWord}
	if quoted {
		for _, p := range w.Parts {
			in.part(p, true)
		}
	} else {
		in.parts(w.Parts)
	}
	in.active = true
	in.flush()
	return valueOf(&in.out[0])
}

func (b *builder) expansion(e *syntax.Expansion, v value, name string, quoted bool) value {
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if v.isList {
			if len(v.list) > 0 {
				return v
			}
			v = known("")
		}
		def := b.operand(e.Word, quoted)
		out := v
		switch {
		case v.static && v.texts[0] != "":
		case v.static && (e.Op == syntax.DefaultUnsetOrNull || e.Op == syntax.AssignUnsetOrNull || !b.isSet(name)):
			out = def
		case v.static:
		default:
			out = v.or(def)
			out.static = false
			out.blank = v.blank && (e.Op == syntax.DefaultUnset || e.Op == syntax.AssignUnset) || def.blank || def.static && def.texts[0] == ""
		}
		if e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull {
			if syntax.ValidName(name) {
				b.st.set(name, out)
			}
		}
		return out
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		alt := b.operand(e.Word, quoted)
		if v.isList {
			if len(v.list) == 0 {
				return known("")
			}
			return alt
		}
		if v.static {
			if v.texts[0] == "" && len(v.texts) == 1 && (e.Op == syntax.AlternateUnsetOrNull || !b.isSet(name)) {
				return known("")
			}
			return alt
		}
		out := alt.or(known(""))
		out.static = false
		out.vars = union(out.vars, v.vars)
		return out
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		b.operand(e.Word, true)
		if v.isList {
			return v
		}
		if e.Op == syntax.ErrorUnsetOrNull {
			v.blank = false
		}
		return v
	}
	pat := b.operand(e.Word, false)
	apply := func(f func(string) string) value {
		if !v.isList {
			return mapValue(v, f)
		}
		out := value{isList: true}
		for _, x := range v.list {
			out.list = append(out.list, mapValue(x, f))
		}
		return out
	}
	if !pat.static || len(pat.texts) != 1 {
		out := unknownVar(name)
		out.vars = union(v.first().vars, []string{name})
		out.subst = union(v.first().subst, pat.subst)
		return out
	}
	p := pat.texts[0]
	switch e.Op {
	case syntax.RemSmallSuffix:
		return apply(func(s string) string { return trimSuffix(s, p, false) })
	case syntax.RemLargeSuffix:
		return apply(func(s string) string { return trimSuffix(s, p, true) })
	case syntax.RemSmallPrefix:
		return apply(func(s string) string { return trimPrefix(s, p, false) })
	case syntax.RemLargePrefix:
		return apply(func(s string) string { return trimPrefix(s, p, true) })
	case syntax.UpperAll:
		return apply(strings.ToUpper)
	case syntax.LowerAll:
		return apply(strings.ToLower)
	case syntax.UpperFirst:
		return apply(func(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] })
	case syntax.LowerFirst:
		return apply(func(s string) string { return strings.ToLower(s[:min(1, len(s))]) + s[min(1, len(s)):] })
	case syntax.OtherParamOps:
		switch p {
		case "U":
			return apply(strings.ToUpper)
		case "L":
			return apply(strings.ToLower)
		case "E":
			return apply(ansiC)
		case "P", "Q", "u":
			return v
		}
	}
	out := unknownVar(name)
	out.vars = union(v.first().vars, []string{name})
	return out
}

// isSet reports whether the line or the environment is known to set name.
func (b *builder) isSet(name string) bool {
	if _, ok := b.st.lookup(name); ok {
		return true
	}
	n, ok := atoi(name)
	return ok && n <= len(b.st.args)
}

// mapValue changes every possible text. A text with an unknown part stays as
// it is: the change may or may not touch it.
func mapValue(v value, f func(string) string) value {
	v = v.first()
	out := v
	out.texts = make([]string, len(v.texts))
	for i, t := range v.texts {
		if strings.Contains(t, Unknown) {
			out.texts[i] = t
			continue
		}
		out.texts[i] = f(t)
	}
	return out
}

func (b *builder) slice(p *syntax.ParamExp, v value, name string) value {
	b.r.arith(p.Slice.Offset, b.st, b.s, b.owner)
	b.r.arith(p.Slice.Length, b.st, b.s, b.owner)
	off, ok := constant(p.Slice.Offset)
	n, okn := 1<<30, true
	if p.Slice.Length != nil {
		n, okn = constant(p.Slice.Length)
	}
	if !ok || !okn {
		out := unknownVar(name)
		out.vars = union(v.first().vars, []string{name})
		return out
	}
	if v.isList {
		list := v.list
		if name == "@" || name == "*" {
			off-- // $0 is element 0
			if off < 0 {
				off, n = 0, n-1
			}
		}
		if off < 0 {
			off = max(0, len(list)+off)
		}
		off = min(off, len(list))
		end := len(list)
		if n < end-off {
			end = max(off, off+n)
		}
		return value{isList: true, list: list[off:end]}
	}
	return mapValue(v, func(s string) string {
		rs := []rune(s)
		o := off
		if o < 0 {
			if o += len(rs); o < 0 {
				return ""
			}
		}
		o = min(o, len(rs))
		end := len(rs)
		if n < 0 {
			end = max(o, end+n)
		} else if n < end-o {
			end = o + n
		}
		return string(rs[o:end])
	})
}

// constant is a plain, maybe negative number.
func constant(x syntax.ArithmExpr) (int, bool) {
	switch x := x.(type) {
	case nil:
		return 0, true
	case *syntax.Word:
		return atoi(x.Lit())
	case *syntax.UnaryArithm:
		if x.Op == syntax.Minus && !x.Post {
			n, ok := constant(x.X)
			return -n, ok
		}
	case *syntax.ParenArithm:
		return constant(x.X)
	}
	return 0, false
}

func (b *builder) replace(re *syntax.Replace, v value, name string) value {
	from, to := b.operand(re.Orig, false), b.operand(re.With, false)
	if !from.static || len(from.texts) != 1 || !to.static || len(to.texts) != 1 {
		out := unknownVar(name)
		out.vars = union(v.first().vars, []string{name})
		out.subst = union(union(v.first().subst, from.subst), to.subst)
		return out
	}
	pat, with := from.texts[0], to.texts[0]
	f := func(s string) string {
		if pat == "" {
			return s
		}
		p, anchor := pat, byte(0)
		if !re.All && (p[0] == '#' || p[0] == '%') {
			anchor, p = p[0], p[1:]
		}
		var sb strings.Builder
		for i := 0; i <= len(s); {
			end := -1
			if anchor != '#' || i == 0 {
				if anchor == '%' {
					if match(p, s[i:]) {
						end = len(s)
					}
				} else {
					end = longest(p, s, i)
				}
			}
			if end < 0 || end == i && p != "" {
				if i < len(s) {
					sb.WriteByte(s[i])
				}
				i++
				continue
			}
			sb.WriteString(with)
			if end == i {
				sb.WriteString(s[i:])
				return sb.String()
			}
			i = end
			if !re.All {
				sb.WriteString(s[i:])
				return sb.String()
			}
		}
		return sb.String()
	}
	if len(pat) > 256 {
		return unknownVar(name)
	}
	bounded := func(s string) string {
		if len(s) > 2048 {
			return Unknown
		}
		return f(s)
	}
	if v.isList {
		out := value{isList: true}
		for _, x := range v.list {
			out.list = append(out.list, mapValue(x, bounded))
		}
		return out
	}
	out := mapValue(v, bounded)
	for _, t := range out.texts {
		if strings.Contains(t, Unknown) {
			out.static = false
		}
	}
	return out
}

// longest is the end of the longest match of p in s from i on, or -1.
func longest(p, s string, i int) int {
	if !hasGlob(p) && !strings.Contains(p, `\`) {
		if strings.HasPrefix(s[i:], p) {
			return i + len(p)
		}
		return -1
	}
	for j := len(s); j >= i; j-- {
		if match(p, s[i:j]) {
			return j
		}
	}
	return -1
}

const maxTrim = 4096 // longer texts are left whole

func trimSuffix(s, p string, greedy bool) string {
	if len(s) > maxTrim || len(p) > 256 {
		return s
	}
	if greedy {
		for i := 0; i <= len(s); i++ {
			if match(p, s[i:]) {
				return s[:i]
			}
		}
		return s
	}
	for i := len(s); i >= 0; i-- {
		if match(p, s[i:]) {
			return s[:i]
		}
	}
	return s
}

func trimPrefix(s, p string, greedy bool) string {
	if len(s) > maxTrim || len(p) > 256 {
		return s
	}
	if greedy {
		for i := len(s); i >= 0; i-- {
			if match(p, s[:i]) {
				return s[i:]
			}
		}
		return s
	}
	for i := 0; i <= len(s); i++ {
		if match(p, s[:i]) {
			return s[i:]
		}
	}
	return s
}

// match reports whether all of s matches the shell pattern p. It knows *, ?,
// [ ] and backslash, and takes time in proportion to len(p)*len(s).
func match(p, s string) bool {
	px, sx := 0, 0
	star, mark := -1, 0
	for sx < len(s) {
		if px < len(p) {
			switch p[px] {
			case '*':
				star, mark = px, sx
				px++
				continue
			case '?':
				px++
				sx++
				continue
			case '[':
				if ok, n := class(p[px:], s[sx]); n > 0 {
					if ok {
						px += n
						sx++
						continue
					}
					break
				}
				fallthrough
			default:
				q, n := p[px], 1
				if q == '\\' && px+1 < len(p) {
					q, n = p[px+1], 2
				}
				if q == s[sx] {
					px += n
					sx++
					continue
				}
			}
		}
		if star < 0 {
			return false
		}
		mark++
		px, sx = star+1, mark
	}
	for px < len(p) && p[px] == '*' {
		px++
	}
	return px == len(p)
}

// class matches c against the bracket expression at the start of p and returns
// its length, or 0 when it is not one.
func class(p string, c byte) (ok bool, n int) {
	i := 1
	neg := i < len(p) && (p[i] == '!' || p[i] == '^')
	if neg {
		i++
	}
	for first := true; i < len(p); first = false {
		if p[i] == ']' && !first {
			return ok != neg, i + 1
		}
		if p[i] == '[' && i+1 < len(p) && p[i+1] == ':' {
			if j := strings.Index(p[i:], ":]"); j > 0 {
				ok = ok || named(p[i+2:i+j], c)
				i += j + 2
				continue
			}
		}
		lo := p[i]
		if lo == '\\' && i+1 < len(p) {
			i++
			lo = p[i]
		}
		hi := lo
		if i+2 < len(p) && p[i+1] == '-' && p[i+2] != ']' {
			hi = p[i+2]
			i += 2
		}
		ok = ok || lo <= c && c <= hi
		i++
	}
	return false, 0
}

func named(name string, c byte) bool {
	switch name {
	case "alpha":
		return c|0x20 >= 'a' && c|0x20 <= 'z'
	case "digit":
		return c >= '0' && c <= '9'
	case "alnum":
		return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
	case "space", "blank":
		return c == ' ' || c == '\t' || c == '\n' || c == '\r'
	case "upper":
		return c >= 'A' && c <= 'Z'
	case "lower":
		return c >= 'a' && c <= 'z'
	case "punct":
		return c > ' ' && c < 127 && !isWordByte(c) || c == '_'
	}
	return false
}
