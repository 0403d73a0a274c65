package shellcmd

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// mode is the place of a word that becomes exactly one.
type mode uint8

const (
	asFields mode = iota // command words: braces, splitting
	asWord               // redirect target, case word
	asAssign             // value of an assignment: tildes after colons too
	asQuoted             // inside a heredoc
)

// builder grows words out of parts.
type builder struct {
	r     *reader
	st    *state
	s     *scope
	owner int
	mode  mode
	out   []Word

	cur     []byte
	alts    []string // all values so far when there are several; cur is then unused
	active  bool
	unknown bool
	glob    bool
	quoted  bool
	splits  bool
	blank   bool
	vars    []string
	subst   []int

	raw      string
	pos, end int
}

func (r *reader) raw(s *scope, a, b syntax.Pos) string {
	i, j := int(a.Offset()), int(b.Offset())
	if i < 0 || j > len(s.t.body) || i > j {
		return ""
	}
	return s.t.body[i:j]
}

// words expands command words.
func (r *reader) words(list []*syntax.Word, st *state, s *scope, owner int) []Word {
	out := make([]Word, 0, len(list))
	for _, w := range list {
		if len(out) >= MaxWords {
			r.line.Truncated = true
			break
		}
		if lit, ok := plainLit(w); ok && !s.t.holes {
			p, e := s.t.span(int(w.Pos().Offset()), int(w.End().Offset()))
			out = append(out, Word{Raw: lit, Text: lit, Static: true, Pos: p, End: e})
			continue
		}
		out = r.fields(out, w, st, s, owner)
	}
	return out
}

// plainLit is a word that expands to itself.
func plainLit(w *syntax.Word) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	l, ok := w.Parts[0].(*syntax.Lit)
	if !ok || strings.ContainsAny(l.Value, "\\~{*?[") {
		return "", false
	}
	return l.Value, true
}

func (r *reader) newBuilder(w *syntax.Word, st *state, s *scope, owner int, m mode) *builder {
	b := &builder{r: r, st: st, s: s, owner: owner, mode: m}
	b.raw = r.raw(s, w.Pos(), w.End())
	b.pos, b.end = s.t.span(int(w.Pos().Offset()), int(w.End().Offset()))
	return b
}

func (r *reader) fields(out []Word, w *syntax.Word, st *state, s *scope, owner int) []Word {
	b := r.newBuilder(w, st, s, owner, asFields)
	b.out = out
	if mayBrace(w) {
		cp := *w
		if syntax.SplitBraces(&cp) {
			n := 0
			for _, parts := range r.braces(cp.Parts, 0) {
				if n++; n > MaxWords || len(b.out) >= MaxWords {
					r.line.Truncated = true
					break
				}
				b.parts(glue(parts))
				b.flush()
			}
			return b.out
		}
	}
	b.parts(w.Parts)
	b.flush()
	return b.out
}

// glue lets a $name run on into letters that brace expansion put behind it,
// as bash does, which expands braces in the text: {$x,w}a is $xa wa.
func glue(parts []syntax.WordPart) []syntax.WordPart {
	for i := 0; i+1 < len(parts); i++ {
		pe, ok := parts[i].(*syntax.ParamExp)
		if !ok || !pe.Short || pe.Param == nil || !syntax.ValidName(pe.Param.Value) {
			continue
		}
		l, ok := parts[i+1].(*syntax.Lit)
		if !ok {
			continue
		}
		n := 0
		for n < len(l.Value) && isWordByte(l.Value[n]) {
			n++
		}
		if n == 0 {
			continue
		}
		name, rest := *pe, *l
		param := *pe.Param
		param.Value += l.Value[:n]
		name.Param = &param
		rest.Value = l.Value[n:]
		parts = append(append(slices.Clone(parts[:i]), &name, &rest), parts[i+2:]...)
		i--
	}
	return parts
}

func mayBrace(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.IndexByte(l.Value, '{') >= 0 {
			return true
		}
	}
	return false
}

// braces lists the words that brace expansion makes of parts.
func (r *reader) braces(parts []syntax.WordPart, depth int) [][]syntax.WordPart {
	out := [][]syntax.WordPart{nil}
	for _, p := range parts {
		be, ok := p.(*syntax.BraceExp)
		if !ok {
			for i := range out {
				out[i] = append(slices.Clip(out[i]), p)
			}
			continue
		}
		var tails [][]syntax.WordPart
		if be.Sequence {
			tails = sequence(be)
		} else if depth < 32 {
			for _, e := range be.Elems {
				tails = append(tails, r.braces(e.Parts, depth+1)...)
			}
		}
		if len(tails) == 0 {
			tails = [][]syntax.WordPart{nil}
		}
		var next [][]syntax.WordPart
		for _, h := range out {
			for _, t := range tails {
				if len(next) >= MaxWords || !r.spend(8*(len(h)+len(t))) {
					r.line.Truncated = true
					return next
				}
				next = append(next, append(slices.Clip(h), t...))
			}
		}
		out = next
	}
	return out
}

func sequence(be *syntax.BraceExp) [][]syntax.WordPart {
	if len(be.Elems) < 2 {
		return nil
	}
	from, to := be.Elems[0].Lit(), be.Elems[1].Lit()
	step := 1
	if len(be.Elems) > 2 {
		step, _ = strconv.Atoi(be.Elems[2].Lit())
		step = max(1, max(step, -step))
	}
	var out [][]syntax.WordPart
	add := func(s string) {
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: s}})
	}
	a, erra := strconv.Atoi(from)
	z, errz := strconv.Atoi(to)
	if erra == nil && errz == nil {
		width := 0
		if padded(from) || padded(to) {
			width = max(len(from), len(to))
		}
		for i, n := a, 0; n < 1024; n++ {
			s := strconv.Itoa(i)
			for len(s) < width {
				if strings.HasPrefix(s, "-") {
					s = "-0" + s[1:]
				} else {
					s = "0" + s
				}
			}
			add(s)
			if a <= z {
				if i > z-step {
					break
				}
				i += step
			} else {
				if i < z+step {
					break
				}
				i -= step
			}
		}
		return out
	}
	if len(from) != 1 || len(to) != 1 {
		return nil
	}
	x, y := int(from[0]), int(to[0])
	for i, n := x, 0; n < 256; n++ {
		add(string(rune(i)))
		if x <= y {
			if i += step; i > y {
				break
			}
		} else if i -= step; i < y {
			break
		}
	}
	return out
}

func padded(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) > 1 && s[0] == '0'
}

// one expands a word that stays one.
func (r *reader) one(w *syntax.Word, st *state, s *scope, owner int, m mode) Word {
	if lit, ok := plainLit(w); ok && !s.t.holes {
		p, e := s.t.span(int(w.Pos().Offset()), int(w.End().Offset()))
		return Word{Raw: lit, Text: lit, Static: true, Pos: p, End: e}
	}
	b := r.newBuilder(w, st, s, owner, m)
	b.parts(w.Parts)
	b.active = true
	b.flush()
	return b.out[0]
}

// plainWord is a word as written, with quotes taken off.
func (r *reader) plainWord(w *syntax.Word, s *scope) Word {
	raw := r.raw(s, w.Pos(), w.End())
	p, e := s.t.span(int(w.Pos().Offset()), int(w.End().Offset()))
	return Word{Raw: raw, Text: strings.Trim(raw, `'"\`), Static: true, Quoted: hasQuotes(w), Pos: p, End: e}
}

func (r *reader) heredoc(rd *syntax.Redirect, quoted bool, st *state, s *scope, owner int) Word {
	b := r.newBuilder(rd.Hdoc, st, s, owner, asQuoted)
	dash := rd.Op == syntax.DashHdoc
	if quoted {
		var sb strings.Builder
		for _, p := range rd.Hdoc.Parts {
			if l, ok := p.(*syntax.Lit); ok {
				sb.WriteString(l.Value)
			}
		}
		t := sb.String()
		if dash {
			t = stripTabs(t)
		}
		b.lit(t, true)
	} else {
		for i, p := range rd.Hdoc.Parts {
			if l, ok := p.(*syntax.Lit); ok {
				t := l.Value
				if dash {
					if i == 0 {
						t = "\n" + t
					}
					t = strings.TrimPrefix(stripTabs(t), "\n")
					if i > 0 && strings.HasPrefix(l.Value, "\n") {
						t = "\n" + t
					}
				}
				b.lit(unescapeQuoted(t, "$`\\\n"), true)
				continue
			}
			b.part(p, true)
		}
	}
	b.active = true
	b.flush()
	w := b.out[0]
	w.Quoted = quoted
	return w
}

// stripTabs takes leading tabs off every line.
func stripTabs(s string) string {
	var sb strings.Builder
	for i, line := range strings.SplitAfter(s, "\n") {
		if i > 0 || !strings.HasPrefix(s, "\n") {
			line = strings.TrimLeft(line, "\t")
		}
		sb.WriteString(line)
	}
	return sb.String()
}

// flush ends the current field.
func (b *builder) flush() {
	if !b.active {
		b.cur, b.alts = b.cur[:0], nil
		b.resetFlags()
		return
	}
	w := Word{
		Raw: b.raw, Static: !b.unknown, Glob: b.glob, Quoted: b.quoted, Splits: b.splits, Blank: b.blank,
		Vars: b.vars, Subst: b.subst, Pos: b.pos, End: b.end,
	}
	if b.alts != nil {
		w.Text = b.alts[0]
		if len(b.alts) > 1 {
			w.Or = b.alts[1:]
		}
	} else {
		w.Text = string(b.cur)
	}
	if len(b.out) < MaxWords || b.mode != asFields {
		b.out = append(b.out, w)
	} else {
		b.r.line.Truncated = true
	}
	b.cur, b.alts = b.cur[:0], nil
	b.active = false
	b.resetFlags()
}

func (b *builder) resetFlags() {
	b.unknown, b.glob, b.quoted, b.splits, b.blank = false, false, false, false, false
	b.vars, b.subst = nil, nil
}

func (b *builder) add(s string) {
	if s == "" {
		return
	}
	if !b.r.spend(len(s) * max(1, len(b.alts))) {
		b.unknown = true
		s = Unknown
	}
	if b.alts == nil {
		b.cur = append(b.cur, s...)
		return
	}
	for i := range b.alts {
		b.alts[i] += s
	}
}

// lit adds text that stands in the source, escapes already taken off.
func (b *builder) lit(s string, quoted bool) {
	if b.s.t.holes && strings.Contains(s, hole) {
		s = strings.ReplaceAll(s, hole, Unknown)
		b.unknown, b.blank = true, true
		b.vars = union(b.vars, b.s.t.vars)
		b.subst = union(b.subst, b.s.t.subst)
		if !quoted {
			b.splits = true
		}
	}
	b.add(s)
	if s != "" || quoted {
		b.active = true
	}
	b.quoted = b.quoted || quoted && b.mode != asQuoted
}

// value adds what a variable or substitution stands for.
func (b *builder) value(v value, quoted bool) {
	if v.isList {
		v = v.first()
	}
	b.vars = union(b.vars, v.vars)
	b.subst = union(b.subst, v.subst)
	if !v.static {
		b.unknown = true
		b.blank = b.blank || v.blank
	}
	b.glob = b.glob || v.glob
	if quoted {
		b.active = true
		b.quoted = b.quoted || b.mode != asQuoted
	}
	split := !quoted && b.mode == asFields
	if split && !v.static && (v.blank || len(v.vars)+len(v.subst) > 0) {
		b.splits = true
	}
	if len(v.texts) == 1 {
		t := v.texts[0]
		if split {
			b.glob = b.glob || hasGlob(t)
			if ifs, custom := b.ifs(); strings.ContainsAny(t, ifs) {
				b.split(t, ifs, custom, v)
				return
			}
		}
		if t != "" {
			b.active = true
			b.add(t)
		}
		return
	}
	if b.alts == nil {
		b.alts = []string{string(b.cur)}
	}
	var next []string
	for _, h := range b.alts {
		for _, t := range v.texts {
			if len(next) >= maxAlts || !b.r.spend(len(h)+len(t)) {
				b.unknown = true
				break
			}
			next = append(next, h+t)
			if split {
				b.glob = b.glob || hasGlob(t)
				b.splits = b.splits || strings.ContainsAny(t, " \t\n")
			}
		}
	}
	if len(next) > 0 {
		b.alts = next
	}
	b.active = true
}

func (b *builder) ifs() (string, bool) {
	if v, ok := b.st.lookup("IFS"); ok {
		if v := v.first(); v.static {
			return v.texts[0], true
		}
	}
	return " \t\n", false
}

// split adds an unquoted value that becomes several fields.
func (b *builder) split(t, ifs string, custom bool, v value) {
	again := func() {
		b.vars, b.subst = v.vars, v.subst
		if !v.static {
			b.unknown, b.splits, b.blank = true, true, v.blank
		}
		b.glob = v.glob
	}
	start := 0
	flush := func(i int) {
		part := t[start:i]
		b.glob = b.glob || hasGlob(part)
		if part != "" {
			b.active = true
			b.add(part)
		}
		start = i + 1
	}
	for i := range len(t) {
		if strings.IndexByte(ifs, t[i]) < 0 {
			continue
		}
		flush(i)
		if custom && t[i] != ' ' && t[i] != '\t' && t[i] != '\n' {
			b.active = true // a separator that is not blank makes an empty field
		}
		if b.active {
			b.flush()
		}
		again()
		if len(b.out) >= MaxWords {
			return
		}
	}
	flush(len(t))
}

// fieldList adds the elements of "$@" or "${a[@]}".
func (b *builder) fieldList(list []value, quoted bool) {
	for i, v := range list {
		if i > 0 {
			if b.mode == asFields {
				if b.active {
					b.flush()
				}
			} else {
				b.add(" ")
			}
		}
		b.value(v, quoted)
	}
}

func hasGlob(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '*', '?':
			return true
		case '[':
			if strings.IndexByte(s[i+1:], ']') > 0 {
				return true
			}
		}
	}
	return false
}

func (b *builder) parts(parts []syntax.WordPart) {
	for i, p := range parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.bare(l.Value, i == 0, i == len(parts)-1)
			continue
		}
		b.part(p, false)
	}
}

// bare adds unquoted literal text.
func (b *builder) bare(s string, first, last bool) {
	if b.mode == asFields && first {
		// name=~/x is expanded in arguments too
		if i := strings.IndexByte(s, '='); i > 0 && syntax.ValidName(s[:i]) && strings.IndexByte(s, '~') > 0 {
			b.bareRun(s[:i+1])
			b.colons(s[i+1:], last)
			return
		}
	}
	if b.mode == asAssign && strings.IndexByte(s, '~') >= 0 {
		if first {
			b.colons(s, last)
			return
		}
		if i := strings.Index(s, ":~"); i >= 0 {
			b.bareRun(s[:i+1])
			b.colons(s[i+1:], last)
			return
		}
	}
	if first && strings.HasPrefix(s, "~") {
		s = b.tilde(s, last, "/")
	}
	b.bareRun(s)
}

// colons expands a tilde at the start and after each colon.
func (b *builder) colons(s string, last bool) {
	for s != "" {
		i := strings.IndexByte(s, ':')
		part, end := s, last
		if i >= 0 {
			part, end = s[:i], true
		}
		if strings.HasPrefix(part, "~") {
			part = b.tilde(part, end, "/")
		}
		b.bareRun(part)
		if i < 0 {
			return
		}
		b.add(":")
		s = s[i+1:]
	}
	b.active = true
}

// tilde expands a leading ~ or ~name and returns what follows it.
func (b *builder) tilde(s string, last bool, stop string) string {
	end := strings.IndexAny(s, stop)
	if end < 0 {
		if !last {
			return s
		}
		end = len(s)
	}
	name := s[1:end]
	if strings.ContainsAny(name, "\\*?[") {
		return s
	}
	switch name {
	case "":
		b.quotedValue(b.r.home(b.s, b.st))
	case "+":
		b.quotedValue(b.r.variable("PWD", b.st, b.s))
	case "-":
		b.quotedValue(b.r.variable("OLDPWD", b.st, b.s))
	case "root":
		b.quotedValue(known("/root"))
	default:
		if h := b.r.home(b.s, b.st); h.static && strings.HasSuffix(h.texts[0], "/"+name) {
			b.quotedValue(h)
		} else {
			b.quotedValue(value{texts: []string{Unknown}, vars: []string{"~" + name}})
		}
	}
	return s[end:]
}

// quotedValue adds v without splitting, and not as quoted text.
func (b *builder) quotedValue(v value) {
	q := b.quoted
	b.value(v, true)
	b.quoted = q
}

// bareRun adds unquoted text without tilde, taking off escapes.
func (b *builder) bareRun(s string) {
	if strings.IndexByte(s, '\\') < 0 {
		if !b.glob && b.mode != asAssign {
			b.glob = hasGlob(s)
		}
		b.lit(s, false)
		return
	}
	var sb strings.Builder
	plain := make([]byte, 0, len(s)) // unescaped text only, to look for globs in
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == '\n' {
				continue
			}
			b.quoted = true
			b.active = true
			sb.WriteByte(s[i])
			plain = append(plain, 'x')
			continue
		}
		sb.WriteByte(s[i])
		plain = append(plain, s[i])
	}
	b.glob = b.glob || hasGlob(string(plain))
	b.lit(sb.String(), false)
}

func (b *builder) part(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			set := "$`\"\\\n"
			if b.mode == asQuoted {
				set = "$`\\\n"
			}
			b.lit(unescapeQuoted(p.Value, set), true)
		} else {
			b.bareRun(p.Value)
		}
	case *syntax.SglQuoted:
		v := p.Value
		if p.Dollar {
			v = ansiC(v)
		}
		b.lit(v, true)
	case *syntax.DblQuoted:
		if len(p.Parts) == 1 { // "$@" of nothing is nothing
			if pe, ok := p.Parts[0].(*syntax.ParamExp); ok && isAt(pe) {
				b.param(pe, true)
				return
			}
		}
		b.active, b.quoted = true, true
		for _, q := range p.Parts {
			b.part(q, true)
		}
	case *syntax.ParamExp:
		b.param(p, quoted)
	case *syntax.CmdSubst:
		b.value(b.r.cmdSubst(p, b.st, b.s, b.owner), quoted)
	case *syntax.ArithmExp:
		b.r.arith(p.X, b.st, b.s, b.owner)
		v := number()
		if w, ok := p.X.(*syntax.Word); ok {
			if l := w.Lit(); l != "" {
				if _, num := atoi(l); num {
					v = known(l)
				}
			}
		}
		b.value(v, true)
		if !quoted && b.mode != asQuoted {
			b.quoted = false
		}
	case *syntax.ProcSubst:
		list := b.r.procSubst(p, b.st, b.s, b.owner)
		b.value(value{texts: []string{Unknown}, subst: list}, true)
	case *syntax.ExtGlob:
		b.glob = true
		b.lit(p.Op.String()+p.Pattern.Value+")", false)
	case *syntax.BraceExp:
		b.unknown = true
		b.active = true
		b.add(Unknown)
	default:
		b.unknown, b.blank, b.active = true, true, true
		b.add(Unknown)
	}
}

// unescapeQuoted takes off the backslashes that double quotes give meaning to.
func unescapeQuoted(s, set string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var sb strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(set, s[i+1]) >= 0 {
			i++
			if s[i] != '\n' {
				sb.WriteByte(s[i])
			}
			continue
		}
		sb.WriteByte(s[i])
	}
	return sb.String()
}

// ansiC decodes the inside of $'…'. Text after a NUL is dropped, as bash does.
func ansiC(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'a':
			out = append(out, 7)
		case 'b':
			out = append(out, 8)
		case 'e', 'E':
			out = append(out, 27)
		case 'f':
			out = append(out, 12)
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'v':
			out = append(out, 11)
		case '\\', '\'', '"', '?':
			out = append(out, c)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, k := number8(s[i:], 3)
			i += k - 1
			if n&0xff == 0 {
				return string(out)
			}
			out = append(out, byte(n))
		case 'x':
			n, k := number16(s[i+1:], 2)
			if k == 0 {
				out = append(out, '\\', 'x')
				continue
			}
			i += k
			if n == 0 {
				return string(out)
			}
			out = append(out, byte(n))
		case 'u', 'U':
			w := 4
			if c == 'U' {
				w = 8
			}
			n, k := number16(s[i+1:], w)
			if k == 0 {
				out = append(out, '\\', c)
				continue
			}
			i += k
			if n == 0 {
				return string(out)
			}
			out = utf8.AppendRune(out, rune(n))
		case 'c':
			if i+1 < len(s) {
				i++
				out = append(out, s[i]&0x1f)
			}
		default:
			out = append(out, '\\', c)
		}
	}
	return string(out)
}

func number8(s string, most int) (n, used int) {
	for used < most && used < len(s) && s[used] >= '0' && s[used] <= '7' {
		n = n*8 + int(s[used]-'0')
		used++
	}
	return n, used
}

func number16(s string, most int) (n, used int) {
	for used < most && used < len(s) {
		d := hexDigit(s[used])
		if d < 0 {
			break
		}
		n = n*16 + d
		used++
	}
	return n, used
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// concat is a followed by b.
func (r *reader) concat(a, b value) value {
	a, b = a.first(), b.first()
	out := value{static: a.static && b.static, glob: a.glob || b.glob, blank: a.blank || b.blank}
	for _, x := range a.texts {
		for _, y := range b.texts {
			if len(out.texts) >= maxAlts || !r.spend(len(x)+len(y)) {
				out.static = false
				break
			}
			out.texts = append(out.texts, x+y)
		}
	}
	if len(out.texts) == 0 {
		out.texts = []string{Unknown}
	}
	out.vars, out.subst = union(a.vars, b.vars), union(a.subst, b.subst)
	return out
}

// procSubst runs <( ) or >( ) and returns its commands.
func (r *reader) procSubst(p *syntax.ProcSubst, st *state, s *scope, owner int) []int {
	s2 := *s
	s2.parent, s2.via = owner, ViaProc
	s2.flags |= Subshell
	s2.mask()
	s2.newShell()
	s2.redirs, s2.pipe, s2.stage, s2.extra = nil, 0, 0, nil
	s2.depth++
	peers := peersOf(owner)
	if p.Op == syntax.CmdOut {
		s2.in, s2.out = Stream{Kind: Capture, Peers: peers}, Stream{}
	} else {
		s2.in, s2.out = Stream{}, Stream{Kind: Capture, Peers: peers}
	}
	a := len(r.line.Commands)
	if s2.depth > MaxNesting {
		r.line.Truncated = true
		return nil
	}
	r.stmts(p.Stmts, st.fork(), &s2)
	return r.direct(a, &s2)
}

func peersOf(owner int) []int {
	if owner < 0 {
		return nil
	}
	return []int{owner}
}

// cmdSubst runs $( ) and returns what it prints.
func (r *reader) cmdSubst(c *syntax.CmdSubst, st *state, s *scope, owner int) value {
	s2 := *s
	s2.parent, s2.via = owner, ViaSubst
	s2.flags |= Subshell
	s2.mask()
	s2.newShell()
	s2.redirs, s2.pipe, s2.stage, s2.extra = nil, 0, 0, nil
	s2.in = Stream{}
	s2.out = Stream{Kind: Capture, Peers: peersOf(owner)}
	s2.depth++
	if s2.depth > MaxNesting {
		r.line.Truncated = true
		return value{texts: []string{Unknown}, blank: true}
	}
	a := len(r.line.Commands)
	r.stmts(c.Stmts, st.fork(), &s2)
	list := r.direct(a, &s2)
	if len(list) == 1 { // $(<file)
		cmd := &r.line.Commands[list[0]]
		if len(cmd.Argv) == 0 && cmd.Stdin.Kind == File {
			if f := r.file(&cmd.Stdin.File, cmd.Dir); f != nil && f.known {
				return value{texts: []string{strings.TrimRight(f.text, "\n")}, static: true, subst: list}
			}
			return value{texts: []string{Unknown}, blank: true, subst: list}
		}
	}
	text, ok := r.output(list, Capture)
	if ok {
		text = strings.ReplaceAll(text, Unknown, "") // bash drops NULs
	}
	text = strings.TrimRight(text, "\n")
	if ok {
		return value{texts: []string{text}, static: true, subst: list}
	}
	if text == "" || !strings.Contains(text, Unknown) {
		text = Unknown
	}
	return value{texts: []string{text}, blank: true, subst: list}
}
