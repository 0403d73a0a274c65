package shellcmd

import (
	"slices"
	"strings"
)

// psKind is the kind of a PowerShell token.
type psKind uint8

const (
	psEnd   psKind = iota
	psWord         // bare word
	psStr          // quoted
	psVar          // $x, ${x}, $env:x, with .members after it
	psParen        // ( … ), $( … ), @( … )
	psBlock        // { … }
	psHash         // @{ … }
	psType         // [type] or [type]::Member
	psPipe
	psSep // ; newline && ||
	psAmp // & as call operator, or . alone
	psRedir
	psComma
	psAssign
	psOp // other punctuation
)

type psTok struct {
	kind     psKind
	text     string // decoded
	raw      string
	inner    [2]int // of psParen, psBlock: the text inside
	parts    []strPart
	pos, end int
	glued    bool // no blank before it
	cond     bool // && or ||
}

// psLexer splits PowerShell into tokens.
type psLexer struct {
	s   string
	i   int
	out []psTok
}

func psLex(s string, from, to int) []psTok {
	l := &psLexer{s: s[:to], i: from}
	for l.i < len(l.s) && len(l.out) < maxToks {
		l.next()
	}
	return l.out
}

func (l *psLexer) put(k psKind, start int, text string) *psTok {
	glued := len(l.out) > 0 && l.out[len(l.out)-1].end == start
	l.out = append(l.out, psTok{kind: k, text: text, raw: l.s[start:l.i], pos: start, end: l.i, glued: glued})
	return &l.out[len(l.out)-1]
}

func (l *psLexer) next() {
	s, start := l.s, l.i
	c := s[l.i]
	rest := s[l.i:]
	switch {
	case c == ' ' || c == '\t' || c == '\r':
		l.i++
	case c == '`' && (strings.HasPrefix(rest, "`\n") || strings.HasPrefix(rest, "`\r\n")):
		l.i += strings.IndexByte(rest, '\n') + 1
	case strings.HasPrefix(rest, "<#"):
		if j := strings.Index(rest, "#>"); j >= 0 {
			l.i += j + 2
		} else {
			l.i = len(s)
		}
	case c == '#':
		for l.i < len(s) && s[l.i] != '\n' {
			l.i++
		}
	case c == '\n' || c == ';':
		l.i++
		l.put(psSep, start, ";")
	case strings.HasPrefix(rest, "&&") || strings.HasPrefix(rest, "||"):
		l.i += 2
		l.put(psSep, start, rest[:2]).cond = true
	case c == '|':
		l.i++
		l.put(psPipe, start, "|")
	case c == '&':
		l.i++
		l.put(psAmp, start, "&")
	case c == ',':
		l.i++
		l.put(psComma, start, ",")
	case strings.HasPrefix(rest, "@'") || strings.HasPrefix(rest, "@\""):
		l.hereString(rest[1])
	case strings.HasPrefix(rest, "@(") || strings.HasPrefix(rest, "$("):
		l.i += 2
		l.group(psParen, start, '(', ')')
	case strings.HasPrefix(rest, "@{"):
		l.i += 2
		l.group(psHash, start, '{', '}')
	case c == '(':
		l.i++
		l.group(psParen, start, '(', ')')
	case c == '{':
		l.i++
		l.group(psBlock, start, '{', '}')
	case c == '\'':
		body, n := psSingle(rest)
		l.i += n
		l.put(psStr, start, body).parts = []strPart{{text: body}}
	case c == '"':
		parts, n := psDouble(rest)
		l.i += n
		l.put(psStr, start, "").parts = parts
	case c == '$' && len(rest) > 1 && (isNameStart(rest[1]) || rest[1] == '{' || rest[1] == '_' || rest[1] == '?'):
		l.i += psVarLen(rest)
		l.put(psVar, start, strings.Trim(s[start:l.i], "${}"))
	case c == '[' && l.startsOperand():
		if j := strings.IndexByte(rest, ']'); j > 0 && !strings.Contains(rest[:j], " ") {
			l.i += j + 1
			if strings.HasPrefix(s[l.i:], "::") {
				l.i += 2
				for l.i < len(s) && isWordByte(s[l.i]) {
					l.i++
				}
			}
			l.put(psType, start, s[start:l.i])
			return
		}
		l.i++
		l.put(psOp, start, "[")
	case strings.IndexByte(")}]", c) >= 0:
		l.i++
		l.put(psOp, start, string(c))
	case c == '=' && l.assigns():
		l.i++
		l.put(psAssign, start, "=")
	case strings.HasPrefix(rest, "+=") && l.assigns():
		l.i += 2
		l.put(psAssign, start, "+=")
	case c == '>' || c == '<' || (c == '*' || c >= '1' && c <= '6') && len(rest) > 1 && rest[1] == '>':
		l.i++
		for l.i < len(s) && (s[l.i] == '>' || s[l.i] == '&') {
			l.i++
		}
		if s[l.i-1] == '&' && l.i < len(s) && s[l.i] >= '0' && s[l.i] <= '9' {
			l.i++
		}
		l.put(psRedir, start, s[start:l.i])
	default:
		l.word()
	}
}

// startsOperand reports whether a value, not an index, may begin here.
func (l *psLexer) startsOperand() bool {
	if len(l.out) == 0 {
		return true
	}
	t := &l.out[len(l.out)-1]
	return t.kind != psVar && t.kind != psParen || t.end != l.i
}

// assigns reports whether = stands after a variable at a statement's start.
func (l *psLexer) assigns() bool {
	n := len(l.out)
	if n == 0 || l.out[n-1].kind != psVar {
		return false
	}
	return n == 1 || l.out[n-2].kind == psSep || l.out[n-2].kind == psType || l.out[n-2].kind == psBlock
}

func (l *psLexer) hereString(q byte) {
	start := l.i
	nl := strings.IndexByte(l.s[l.i:], '\n')
	if nl < 0 || strings.TrimSpace(l.s[l.i+2:l.i+nl]) != "" {
		l.i++
		l.put(psOp, start, "@")
		return
	}
	from := l.i + nl + 1
	end := strings.Index(l.s[from-1:], "\n"+string(q)+"@")
	body := ""
	if end < 0 {
		body = l.s[from:]
		l.i = len(l.s)
	} else {
		if end > 0 {
			body = l.s[from : from-1+end]
		}
		l.i = from - 1 + end + 3
	}
	t := l.put(psStr, start, body)
	if q == '\'' {
		t.parts = []strPart{{text: body}}
	} else {
		t.parts = psParts(body)
	}
}

// group reads up to the closing bracket, minding strings.
func (l *psLexer) group(k psKind, start int, a, z byte) {
	from := l.i
	depth := 1
	s := l.s
	for l.i < len(s) {
		switch c := s[l.i]; {
		case c == '`':
			l.i++
		case c == '\'':
			_, n := psSingle(s[l.i:])
			l.i += n - 1
		case c == '"':
			_, n := psDouble(s[l.i:])
			l.i += n - 1
		case c == a:
			depth++
		case c == z:
			depth--
		}
		if depth == 0 {
			break
		}
		l.i++
	}
	l.i = min(l.i, len(s))
	to := l.i
	if l.i < len(s) {
		l.i++
	}
	l.put(k, start, "").inner = [2]int{from, to}
}

func psSingle(s string) (string, int) {
	var sb strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] == '\'' {
			if i+1 < len(s) && s[i+1] == '\'' {
				sb.WriteByte('\'')
				i++
				continue
			}
			return sb.String(), i + 1
		}
		sb.WriteByte(s[i])
	}
	return sb.String(), len(s)
}

func psDouble(s string) ([]strPart, int) {
	depth := 0
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '`':
			i++
		case '(':
			if s[i-1] == '$' || depth > 0 {
				depth++
			}
		case ')':
			depth = max(0, depth-1)
		case '"':
			if depth > 0 {
				continue
			}
			if i+1 < len(s) && s[i+1] == '"' {
				i++
				continue
			}
			return psParts(s[1:i]), i + 1
		}
	}
	return psParts(s[min(1, len(s)):]), len(s)
}

// psParts cuts the inside of a double-quoted string.
func psParts(s string) []strPart {
	var out []strPart
	var sb strings.Builder
	flush := func() {
		if sb.Len() > 0 {
			out = append(out, strPart{text: sb.String()})
			sb.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '`' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				sb.WriteByte('\n')
			case 't':
				sb.WriteByte('\t')
			case 'r':
				sb.WriteByte('\r')
			case '0':
			default:
				sb.WriteByte(s[i])
			}
		case c == '"' && i+1 < len(s) && s[i+1] == '"':
			sb.WriteByte('"')
			i++
		case c == '$' && i+1 < len(s) && s[i+1] == '(':
			depth, j := 0, i+1
			for ; j < len(s); j++ {
				if s[j] == '(' {
					depth++
				} else if s[j] == ')' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			flush()
			out = append(out, strPart{text: s[i+2 : min(j, len(s))], expr: true})
			i = j
		case c == '$' && i+1 < len(s) && (isNameStart(s[i+1]) || s[i+1] == '{'):
			n := psNameLen(s[i:])
			flush()
			out = append(out, strPart{text: s[i : i+n], expr: true})
			i += n - 1
		default:
			sb.WriteByte(c)
		}
	}
	flush()
	return out
}

// psNameLen is the length of $name, $env:name or ${name}.
func psNameLen(s string) int {
	if len(s) > 1 && s[1] == '{' {
		if j := strings.IndexByte(s, '}'); j > 0 {
			return j + 1
		}
		return len(s)
	}
	i := 1
	for i < len(s) && (isWordByte(s[i]) || s[i] == ':' && i+1 < len(s) && isNameStart(s[i+1]) || s[i] == '?' && i == 1) {
		i++
	}
	return i
}

// psVarLen also takes .Members, not calls.
func psVarLen(s string) int {
	i := psNameLen(s)
	for i+1 < len(s) && s[i] == '.' && isNameStart(s[i+1]) {
		j := i + 1
		for j < len(s) && isWordByte(s[j]) {
			j++
		}
		if j < len(s) && s[j] == '(' {
			break
		}
		i = j
	}
	return i
}

// word reads a bare word.
func (l *psLexer) word() {
	start := l.i
	s := l.s
	var parts []strPart
	var sb strings.Builder
	plain := func() {
		if sb.Len() > 0 {
			parts = append(parts, strPart{text: sb.String()})
			sb.Reset()
		}
	}
	for l.i < len(s) {
		c := s[l.i]
		if strings.IndexByte(" \t\r\n;|&,(){}", c) >= 0 || c == '>' {
			break
		}
		switch {
		case c == '`' && l.i+1 < len(s):
			l.i++
			sb.WriteByte(s[l.i])
			l.i++
		case c == '\'' && l.i > start:
			t, n := psSingle(s[l.i:])
			sb.WriteString(t)
			l.i += n
		case c == '"' && l.i > start:
			p, n := psDouble(s[l.i:])
			plain()
			parts = append(parts, p...)
			l.i += n
		case c == '$' && l.i+1 < len(s) && (isNameStart(s[l.i+1]) || s[l.i+1] == '{'):
			n := psNameLen(s[l.i:])
			plain()
			parts = append(parts, strPart{text: s[l.i : l.i+n], expr: true})
			l.i += n
		case c == '$' && strings.HasPrefix(s[l.i:], "$("):
			depth, j := 0, l.i+1
			for ; j < len(s); j++ {
				if s[j] == '(' {
					depth++
				} else if s[j] == ')' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			plain()
			parts = append(parts, strPart{text: s[l.i+2 : min(j, len(s))], expr: true})
			l.i = min(j+1, len(s))
		default:
			sb.WriteByte(c)
			l.i++
		}
	}
	plain()
	if l.i == start {
		l.i++
		l.put(psOp, start, s[start:l.i])
		return
	}
	l.put(psWord, start, "").parts = parts
}

// runPowerShell reads code handed to powershell.
func (r *reader) runPowerShell(t *source, st *state, s *scope) {
	if r.deep >= MaxCodeDeep || !r.spend(len(t.body)) {
		r.line.Truncated = true
		r.opaque(t, 0, len(t.body), "code inside code, too deep to read")
		return
	}
	r.deep++
	r.powershell(t, st, s)
	r.deep--
}

// powershell reads t as PowerShell.
func (r *reader) powershell(t *source, st *state, s *scope) {
	s2 := *s
	s2.t = t
	s2.flags |= PowerShell
	p := &ps{r: r, t: t, st: st}
	p.script(0, len(t.body), &s2, nil)
}

const maxPSDeep = 40 // brackets and blocks inside each other

// ps reads PowerShell statements.
type ps struct {
	r     *reader
	t     *source
	st    *state
	depth int
}

// script reads the statements in t.body[a:b]. item is what $_ stands for.
func (p *ps) script(a, b int, s *scope, item *value) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxPSDeep {
		p.r.line.Truncated = true
		return
	}
	if item != nil {
		old := p.st.vars
		p.st.vars = &binding{name: "_", val: *item, next: old}
	}
	toks := psLex(p.t.body, a, b)
	for i := 0; i < len(toks); {
		j := i
		for j < len(toks) && toks[j].kind != psSep {
			j++
		}
		// a | at the end of a line goes on
		for j < len(toks) && j > i && toks[j-1].kind == psPipe && !toks[j].cond {
			for j++; j < len(toks) && toks[j].kind != psSep; j++ {
			}
		}
		s2 := *s
		if i > 0 && toks[i-1].cond {
			s2.flags |= Conditional
		}
		if p.r.steps++; p.r.steps > maxSteps {
			p.r.line.Truncated = true
			break
		}
		p.statement(toks[i:j], &s2)
		i = j + 1
	}
}

// statement reads keywords, assignments and pipelines.
func (p *ps) statement(toks []psTok, s *scope) {
	for len(toks) > 0 && (toks[0].kind == psSep || toks[0].kind == psOp) {
		toks = toks[1:]
	}
	if len(toks) == 0 {
		return
	}
	if toks[0].kind == psWord {
		switch w := strings.ToLower(toks[0].raw); w {
		case "if", "elseif", "else", "while", "do", "until", "for", "foreach", "switch", "try", "catch", "finally", "trap", "begin", "process", "end":
			if w == "foreach" && len(toks) > 1 && toks[1].kind != psParen {
				break // the alias of ForEach-Object
			}
			p.keyword(w, toks[1:], s)
			return
		case "function", "filter", "workflow":
			if len(toks) > 2 {
				s2 := *s
				s2.flags |= Conditional
				for _, t := range toks[2:] {
					if t.kind == psBlock {
						p.script(t.inner[0], t.inner[1], &s2, nil)
					}
				}
			}
			return
		case "param", "using", "class", "enum":
			return
		case "return", "throw", "exit":
			p.statement(toks[1:], s)
			return
		}
	}
	// [type]$x = …
	k := 0
	for k < len(toks) && toks[k].kind == psType {
		k++
	}
	if k+1 < len(toks) && toks[k].kind == psVar && toks[k+1].kind == psAssign {
		p.assign(&toks[k], toks[k+2:], toks[k+1].text == "+=", s)
		return
	}
	p.pipeline(toks, s)
}

// keyword reads the heads and bodies of a control statement.
func (p *ps) keyword(w string, toks []psTok, s *scope) {
	s2 := *s
	s2.flags |= Conditional
	if has("while do until for foreach", w) {
		s2.flags |= Looped
	}
	for i := range toks {
		t := &toks[i]
		switch t.kind {
		case psParen:
			if w == "foreach" { // foreach ($x in …)
				in := psLex(p.t.body, t.inner[0], t.inner[1])
				if len(in) > 2 && in[0].kind == psVar && strings.EqualFold(in[1].raw, "in") {
					v := p.eval(in[2:], s)
					p.st.set(strings.ToLower(in[0].text), p.each(v))
					continue
				}
			}
			p.script(t.inner[0], t.inner[1], s, nil)
		case psBlock:
			p.script(t.inner[0], t.inner[1], &s2, nil)
		}
	}
}

func (p *ps) each(list []value) value {
	if len(list) == 0 {
		return value{texts: []string{Unknown}, blank: true}
	}
	return valueOfList(list)
}

func (p *ps) assign(to *psTok, toks []psTok, app bool, s *scope) {
	name := strings.ToLower(to.text)
	list := p.eval(toks, s)
	v := value{isList: true, list: list}
	if len(list) == 1 {
		v = list[0]
	}
	if len(list) == 0 {
		v = unknownVar(name)
	}
	if n, ok := strings.CutPrefix(name, "env:"); ok {
		n = strings.ToUpper(n)
		p.st.set(n, v)
		p.st.export(n, v)
		// an assignment of the environment is a command of its own
		pos, end := p.t.span(to.pos, to.end)
		if idx := p.r.open(p.st, s, pos, end); idx >= 0 {
			c := &p.r.line.Commands[idx]
			c.Assigns = []Assign{{Name: n, Value: v.word(to.raw)}}
			c.Stdin, c.Stdout = s.in, s.out
		}
		return
	}
	if app {
		if old, ok := p.st.lookup(name); ok && !v.isList {
			v = p.r.concat(old.first(), v)
		}
	}
	p.st.set(name, v)
}

// eval is the value of an expression, as the elements of a list. A pipeline in
// it is read, and gives an unknown value.
func (p *ps) eval(toks []psTok, s *scope) []value {
	p.depth++
	defer func() { p.depth-- }()
	if len(toks) == 0 {
		return nil
	}
	if p.depth > maxPSDeep {
		p.r.line.Truncated = true
		return nil
	}
	switch toks[0].kind {
	case psWord:
		if !startsNumber(toks[0].raw) {
			break
		}
		fallthrough
	case psStr, psVar, psParen, psHash, psType, psBlock, psOp:
		if toks[0].kind == psBlock {
			in := toks[0].inner
			v := known(p.t.body[in[0]:in[1]])
			return []value{v}
		}
		for i := range toks {
			if toks[i].kind == psPipe {
				return p.piped(toks, s)
			}
		}
		return p.expression(toks, s)
	}
	return p.piped(toks, s)
}

func startsNumber(s string) bool { return s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '-') }

func (p *ps) piped(toks []psTok, s *scope) []value {
	s2 := *s
	s2.out = Stream{Kind: Capture}
	a := len(p.r.line.Commands)
	p.pipeline(toks, &s2)
	v := value{texts: []string{Unknown}, blank: true, subst: p.r.direct(a, &s2)}
	if text, ok := p.r.output(v.subst, Capture); ok {
		v.texts, v.static, v.blank = []string{strings.TrimRight(text, "\r\n")}, true, false
	}
	return []value{v}
}

// expression is 'a' + $b, (…), $x.y, [type]::call(…).
func (p *ps) expression(toks []psTok, s *scope) []value {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxPSDeep {
		p.r.line.Truncated = true
		return nil
	}
	var out []value
	cur := value{}
	have := false
	plus := false
	add := func(v value) {
		switch {
		case have && plus:
			cur = p.r.concat(cur, v)
			plus = false
		case have:
			cur = value{texts: []string{Unknown}, blank: true, vars: union(cur.vars, v.vars), subst: union(cur.subst, v.subst)}
		default:
			cur, have = v, true
		}
	}
	for i := 0; i < len(toks); i++ {
		t := &toks[i]
		switch t.kind {
		case psComma:
			if have {
				out = append(out, cur)
			}
			cur, have, plus = value{}, false, false
		case psOp, psWord, psAmp:
			switch {
			case t.raw == "+":
				plus = true
			case startsNumber(t.raw):
				add(known(t.raw))
			case strings.EqualFold(t.raw, "-f") && have:
				args := p.expression(toks[i+1:], s)
				f := cur.first()
				if f.static && len(f.texts) == 1 {
					v := known(f.texts[0])
					for n, a := range args {
						parts := strings.Split(v.texts[0], "{"+itoa(n)+"}")
						w := known(parts[0])
						for _, q := range parts[1:] {
							w = p.r.concat(p.r.concat(w, a.first()), known(q))
						}
						v = w
					}
					return append(out, v)
				}
				i = len(toks)
			case strings.HasPrefix(t.raw, "."):
				p.method(t, toks, &i, &cur, s)
			case strings.HasPrefix(t.raw, "-"):
				cur = value{texts: []string{Unknown}, blank: true}
			}
		case psStr:
			add(p.str(t, s))
		case psVar:
			v := p.variable(t.text, s)
			if v.isList {
				if !have {
					out = append(out, v.list...)
					continue
				}
				v = v.first()
			}
			add(v)
		case psParen:
			if t.glued && i > 0 && (toks[i-1].kind == psType || toks[i-1].kind == psWord) {
				args := p.expression(psLex(p.t.body, t.inner[0], t.inner[1]), s)
				add(p.netCall(args, &toks[i-1], s))
				continue
			}
			list := p.eval(psLex(p.t.body, t.inner[0], t.inner[1]), s)
			switch {
			case len(list) == 1:
				add(list[0])
			case !have:
				out = append(out, list...)
			}
		case psType:
			if i+1 < len(toks) && toks[i+1].kind == psParen && toks[i+1].glued {
				continue
			}
			if i+1 < len(toks) && !strings.Contains(t.text, "::") {
				continue // a cast
			}
			add(value{texts: []string{Unknown}})
		case psHash, psBlock:
			p.script(t.inner[0], t.inner[1], s, nil)
			add(value{texts: []string{Unknown}})
		default:
			if have {
				out = append(out, cur)
			}
			return out
		}
	}
	if have {
		out = append(out, cur)
	}
	return out
}

// method reads .Name(…) after a value.
func (p *ps) method(t *psTok, toks []psTok, i *int, cur *value, s *scope) {
	var args []value
	if *i+1 < len(toks) && toks[*i+1].kind == psParen && toks[*i+1].glued {
		in := toks[*i+1].inner
		args = p.expression(psLex(p.t.body, in[0], in[1]), s)
		*i++
	}
	name := strings.ToLower(strings.TrimPrefix(t.raw, "."))
	switch name {
	case "downloadstring", "downloadfile", "downloaddata", "openread", "getstringasync", "getasync", "uploadstring", "uploadfile":
		v := value{texts: []string{Unknown}}
		if len(args) > 0 {
			v = args[0]
		}
		idx := p.expressionCommand(t, "."+name, args, s)
		if idx >= 0 {
			p.r.addEffect(idx, Effect{Kind: Network, Path: p.r.wordAt(v, idx)})
			*cur = value{texts: []string{Unknown}, subst: []int{idx}}
			if name == "downloadfile" && len(args) > 1 {
				w := p.r.wordAt(args[1], idx)
				p.r.addEffect(idx, Effect{Kind: WriteFile, Path: w})
				p.r.putFile(&w, p.st.dir, "", false, false, idx)
			}
		}
		return
	case "delete":
		if idx := p.expressionCommand(t, ".delete", args, s); idx >= 0 {
			k := DeleteFile
			if len(args) > 0 {
				k = DeleteTree
			}
			p.r.addEffect(idx, Effect{Kind: k, Path: p.r.wordAt(*cur, idx)})
		}
		return
	case "tostring", "trim", "fullname", "path":
		return
	case "replace":
		if len(args) == 2 && cur.static && args[0].static && args[1].static && len(cur.texts) == 1 {
			a, b := args[0].texts[0], args[1].texts[0]
			if a != "" && len(cur.texts[0]) < 4096 {
				*cur = known(strings.ReplaceAll(cur.texts[0], a, b))
				return
			}
		}
	case "invoke", "invokescript", "invokereturnasis":
		if cur.static {
			idx := p.expressionCommand(t, "."+name, args, s)
			if idx >= 0 {
				w := p.r.wordAt(*cur, idx)
				p.run(idx, &w, FromArg, s)
			}
		}
		return
	}
	*cur = value{texts: []string{Unknown}, blank: true, vars: cur.vars, subst: cur.subst}
}

// wordAt is a value as a word of command idx.
func (r *reader) wordAt(v value, idx int) Word {
	cmd := &r.line.Commands[idx]
	w := v.first().safe().word("")
	w.Raw = w.Text
	w.Pos, w.End = cmd.Pos, cmd.End
	return w
}

// expressionCommand lists a .NET call as a command.
func (p *ps) expressionCommand(t *psTok, name string, args []value, s *scope) int {
	pos, end := p.t.span(t.pos, t.end)
	idx := p.r.open(p.st, s, pos, end)
	if idx < 0 {
		return -1
	}
	c := &p.r.line.Commands[idx]
	c.Program = strings.ToLower(name)
	c.Argv = []Word{{Raw: t.raw, Text: name, Static: true, Pos: pos, End: end}}
	for _, a := range args {
		w := a.first().safe().word("")
		w.Pos, w.End = pos, end
		c.Argv = append(c.Argv, w)
	}
	c.Stdin, c.Stdout = s.in, s.out
	return idx
}

// netCall is a static .NET method: [IO.File]::Delete('x').
func (p *ps) netCall(args []value, t *psTok, s *scope) value {
	l := strings.ToLower(t.text)
	l = strings.NewReplacer("[system.", "[", "[io.", "[").Replace(l)
	a0 := value{texts: []string{Unknown}}
	if len(args) > 0 {
		a0 = args[0]
	}
	cls, m, ok := strings.Cut(l, "]::")
	if !ok {
		return a0
	}
	cls = strings.TrimPrefix(cls, "[")
	kind := NoEffect
	switch cls {
	case "directory", "io.directory":
		switch m {
		case "delete":
			kind = DeleteTree // the second argument says so, but its $true may be gone by now
		case "move":
			kind = MoveFile
		}
	case "file", "io.file":
		switch {
		case m == "delete":
			kind = DeleteFile
		case strings.HasPrefix(m, "write"), strings.HasPrefix(m, "append"), m == "create", m == "openwrite":
			kind = WriteFile
		case strings.HasPrefix(m, "read"), strings.HasPrefix(m, "open"):
			kind = ReadFile
		case m == "move", m == "replace":
			kind = MoveFile
		case m == "copy":
			kind = CopyFile
		}
	case "environment":
		switch m {
		case "getfolderpath":
			return p.r.home(s, p.st)
		case "getenvironmentvariable":
			return p.variable("env:"+a0.first().safe().texts[0], s)
		case "getenvironmentvariables":
			kind = ReadEnv
		}
	case "path", "io.path":
		if m == "combine" && len(args) > 0 {
			v := args[0]
			for _, a := range args[1:] {
				v = p.r.concat(p.r.concat(v, known("/")), a)
			}
			return v
		}
	case "convert":
		if m == "frombase64string" {
			return decode64(cval{value: a0.first().safe()}).value
		}
	case "text.encoding", "encoding", "text.encoding]::utf8", "text.encoding]::unicode":
		return a0
	case "scriptblock":
		if m == "create" {
			return a0
		}
	case "diagnostics.process", "process":
		if m == "start" {
			idx := p.expressionCommand(t, t.text, args, s)
			if idx >= 0 {
				p.r.effectArgv(idx, args, p.st, s)
			}
			return value{texts: []string{Unknown}}
		}
	}
	if kind != NoEffect {
		if idx := p.expressionCommand(t, t.text, args, s); idx >= 0 {
			e := Effect{Kind: kind, Path: p.r.wordAt(a0, idx)}
			if len(args) > 1 && (kind == MoveFile || kind == CopyFile) {
				e.To = p.r.wordAt(args[1], idx)
			}
			p.r.addEffect(idx, e)
			return value{texts: []string{Unknown}, blank: true, subst: []int{idx}}
		}
	}
	return value{texts: []string{Unknown}, blank: true}
}

// variable is $name.
func (p *ps) variable(name string, s *scope) value {
	l := strings.ToLower(name)
	if v, ok := p.st.lookup(l); ok {
		return v
	}
	base, member, hasMember := strings.Cut(l, ".")
	if hasMember {
		if v, ok := p.st.lookup(base); ok {
			switch member {
			case "fullname", "path", "pspath", "name":
				return v
			}
			v = v.first()
			return value{texts: []string{Unknown}, blank: true, vars: v.vars, subst: v.subst}
		}
		l = base
	}
	var v value
	switch l {
	case "home", "env:userprofile", "env:home", "env:homepath":
		v = p.r.home(s, p.st)
	case "pwd", "psscriptroot":
		v = p.r.variable("PWD", p.st, s).first()
		if l == "psscriptroot" {
			v = unknownVar("PSScriptRoot")
			v.blank = false
		}
	case "true", "false":
		return known(l)
	case "null":
		return known("")
	case "env:systemdrive", "env:homedrive":
		v = known("C:")
	case "env:systemroot", "env:windir":
		v = known(`C:\Windows`)
	case "env:programfiles":
		v = known(`C:\Program Files`)
	case "env:username":
		v = p.r.variable("USER", p.st, s).first()
	case "_", "psitem":
		v = value{texts: []string{Unknown}, vars: []string{"_"}}
	case "args", "input", "matches", "error", "?", "lastexitcode", "profile", "pid", "host", "psversiontable":
		v = unknownVar(l)
	default:
		if n, ok := strings.CutPrefix(l, "env:"); ok {
			up := strings.ToUpper(n)
			if w, ok := p.st.lookup(up); ok {
				v = w.first()
			} else {
				v = p.r.variable(name[len(name)-len(n):], p.st, s).first()
			}
		} else {
			v = unknownVar(l)
		}
	}
	if hasMember && member != "path" && member != "fullname" && v.static {
		return value{texts: []string{Unknown}, blank: true, vars: []string{l}}
	}
	return v
}

// str is the value of a quoted or bare token.
func (p *ps) str(t *psTok, s *scope) value {
	v := known("")
	for _, part := range t.parts {
		switch {
		case !part.expr:
			w := known(part.text)
			if p.t.holes && strings.Contains(part.text, hole) {
				w = value{texts: []string{strings.ReplaceAll(part.text, hole, Unknown)}, blank: true, vars: p.t.vars, subst: p.t.subst}
			}
			v = p.r.concat(v, w)
		case strings.HasPrefix(part.text, "$"):
			v = p.r.concat(v, p.variable(strings.Trim(part.text, "${}"), s).first().safe())
		default:
			v = p.r.concat(v, p.sub(part.text, s))
		}
	}
	return v
}

// sub is $( … ) inside a string: its text is read in place.
func (p *ps) sub(code string, s *scope) value {
	if p.depth > 20 {
		return value{texts: []string{Unknown}, blank: true}
	}
	t := *p.t
	t.body = code
	if t.exact {
		t.exact = false
		t.pos, t.end = t.off, t.off+len(p.t.body)
	}
	q := &ps{r: p.r, t: &t, st: p.st, depth: p.depth + 1}
	s2 := *s
	s2.out = Stream{Kind: Capture}
	list := q.eval(psLex(code, 0, len(code)), &s2)
	if len(list) == 0 {
		return value{texts: []string{Unknown}, blank: true}
	}
	return list[0].first().safe()
}

// pipeline reads commands joined by |.
func (p *ps) pipeline(toks []psTok, s *scope) {
	var stages [][]psTok
	start := 0
	for i := range toks {
		if toks[i].kind == psPipe {
			stages = append(stages, toks[start:i])
			start = i + 1
		}
	}
	stages = append(stages, toks[start:])
	if len(toks) > 0 && toks[len(toks)-1].kind == psAmp && len(toks) > 1 {
		s.flags |= Background
		stages[len(stages)-1] = stages[len(stages)-1][:len(stages[len(stages)-1])-1]
	}
	if s.pipe == 0 {
		p.r.pipelines++
		s.pipe = p.r.pipelines
	}
	in := s.in
	var before []int
	var item *value
	for i, st := range stages {
		s2 := *s
		s2.stage = s.stage + i
		s2.in = in
		if i < len(stages)-1 {
			s2.out = Stream{Kind: Pipe}
		}
		a := len(p.r.line.Commands)
		vals := p.command(st, &s2, item, i > 0)
		here := p.r.direct(a, &s2)
		for _, j := range before {
			if o := &p.r.line.Commands[j].Stdout; o.Kind == Pipe {
				o.Peers = here
			}
		}
		before = here
		in = Stream{Kind: Pipe, Peers: here}
		in.Text, in.Known = p.r.output(here, Pipe)
		v := value{texts: []string{Unknown}, subst: here, vars: nil}
		if vals != nil { // 'a','b' | …
			v = valueOfList(vals)
			in.Known = v.static
			in.Text = strings.Join(v.texts, "\n")
		} else if len(here) == 0 && item != nil {
			v = *item
		} else if in.Known {
			v = readValue(in.Text, 0, 1)
			v.subst = here
		}
		item = &v
	}
}

// command reads one stage. It returns values when the stage is an expression.
func (p *ps) command(toks []psTok, s *scope, item *value, piped bool) []value {
	for len(toks) > 0 && toks[0].kind == psSep {
		toks = toks[1:]
	}
	if len(toks) == 0 {
		return nil
	}
	call := false
	if toks[0].kind == psAmp || toks[0].kind == psWord && toks[0].raw == "." && len(toks) > 1 {
		call = true
		toks = toks[1:]
		if len(toks) == 0 {
			return nil
		}
	}
	if !call {
		switch toks[0].kind {
		case psStr, psVar, psParen, psHash, psType, psOp:
			return p.expression(toks, s)
		case psWord:
			if startsNumber(toks[0].raw) {
				return p.expression(toks, s)
			}
		}
	}
	if toks[0].kind == psBlock { // & { … }, or a block that is a value
		p.script(toks[0].inner[0], toks[0].inner[1], s, item)
		return nil
	}
	pos, end := p.t.span(toks[0].pos, toks[len(toks)-1].end)
	idx := p.r.open(p.st, s, pos, end)
	if idx < 0 {
		return nil
	}
	words, redirs := p.words(toks, idx, s)
	if len(words) == 0 {
		return nil
	}
	name := programOf(&words[0])
	canon := cmdlet(name)
	if canon == "" && call && words[0].Static && strings.Contains(words[0].Text, "\n") {
		p.run(idx, &words[0], FromArg, s)
		return nil
	}
	if canon == "" { // a native program
		p.r.simple(idx, words, nil, redirs, p.st, s)
		return nil
	}
	first := words[0]
	first.Text = canon
	words = append([]Word{first}, psParams(canon, name, words[1:])...)
	cmd := &p.r.line.Commands[idx]
	cmd.Argv, cmd.Program = words, canon
	if piped {
		cmd.Flags |= StdinArgs
	}
	p.r.finish(idx, nil, redirs, p.st, s)
	p.receive(idx, canon, toks, s, item)
	p.r.wrote(idx)
	return nil
}

// words expands the words of a command.
func (p *ps) words(toks []psTok, idx int, s *scope) ([]Word, []Redirect) {
	var out []Word
	var redirs []Redirect
	inner := *s
	inner.parent, inner.via = idx, ViaSubst
	inner.in, inner.out = Stream{}, Stream{Kind: Capture, Peers: []int{idx}}
	inner.redirs, inner.pipe, inner.stage = nil, 0, 0
	inner.flags |= Subshell
	put := func(t *psTok, v value, quoted bool) {
		w := v.first().safe().word(t.raw)
		w.Quoted = quoted
		w.Pos, w.End = p.t.span(t.pos, t.end)
		w.Glob = hasGlob(w.Text)
		out = append(out, w)
	}
	for i := 0; i < len(toks) && len(out) < MaxWords; i++ {
		t := &toks[i]
		switch t.kind {
		case psComma:
		case psRedir:
			op := strings.TrimLeft(t.text, "*123456")
			rd := Redirect{Op: op, Fd: boolInt(op == "" || op[0] != '<')}
			if n := t.text[0]; n >= '2' && n <= '6' {
				rd.Fd = int(n - '0')
			}
			if strings.HasPrefix(op, ">&") {
				rd.Op = ">&"
				rd.Target = Word{Raw: op[2:], Text: op[2:], Static: true}
				redirs = append(redirs, rd)
				continue
			}
			if i+1 < len(toks) {
				i++
				n := len(out)
				more, _ := p.words(toks[i:i+1], idx, s)
				out = out[:n]
				if len(more) > 0 {
					rd.Target = more[0]
					if more[0].Text == "" && strings.EqualFold(more[0].Raw, "$null") {
						rd.Target.Text = "/dev/null"
					}
				}
			}
			redirs = append(redirs, rd)
		case psStr:
			put(t, p.str(t, &inner), true)
		case psWord:
			v := p.str(t, &inner)
			if strings.HasPrefix(t.raw, "~") && (len(t.raw) == 1 || t.raw[1] == '/' || t.raw[1] == '\\') {
				w := v.first()
				w.texts = []string{strings.TrimPrefix(w.texts[0], "~")}
				v = p.r.concat(p.r.home(s, p.st), w)
			}
			if t.glued && i > 0 && len(out) > 0 && (toks[i-1].kind == psVar || toks[i-1].kind == psParen || toks[i-1].kind == psStr) { // $HOME\x, (…).Path
				last := &out[len(out)-1]
				if strings.HasPrefix(t.raw, ".") && toks[i-1].kind == psParen {
					continue
				}
				w := p.r.concat(valueOf(last), v).word(last.Raw + t.raw)
				w.Pos, w.Quoted, w.Glob = last.Pos, last.Quoted, hasGlob(w.Text)
				_, w.End = p.t.span(t.pos, t.end)
				*last = w
				continue
			}
			put(t, v, false)
		case psVar:
			v := p.variable(t.text, &inner)
			if v.isList {
				for _, x := range v.list {
					put(t, x, false)
				}
				continue
			}
			put(t, v, false)
		case psParen:
			for _, v := range p.eval(psLex(p.t.body, t.inner[0], t.inner[1]), &inner) {
				put(t, v, true)
			}
		case psBlock:
			w := Word{Raw: t.raw, Text: p.t.body[t.inner[0]:t.inner[1]], Static: true, Quoted: true}
			w.Pos, w.End = p.t.span(t.pos, t.end)
			out = append(out, w)
		case psHash:
			p.script(t.inner[0], t.inner[1], &inner, nil)
			put(t, value{texts: []string{Unknown}}, true)
		case psType, psOp, psAmp, psAssign:
			w := Word{Raw: t.raw, Text: t.raw, Static: true}
			w.Pos, w.End = p.t.span(t.pos, t.end)
			if t.glued && len(out) > 0 && t.kind != psType {
				out[len(out)-1].Text += t.raw
				out[len(out)-1].Raw += t.raw
				continue
			}
			out = append(out, w)
		}
	}
	return out, redirs
}

// psParams gives parameters their full names in lower case: -r -fo becomes
// -recurse -force.
func psParams(canon, as string, words []Word) []Word {
	out := make([]Word, 0, len(words))
	for _, w := range words {
		t := w.Text
		if w.Quoted || len(t) < 2 || t[0] != '-' || !isNameStart(t[1]) {
			out = append(out, w)
			continue
		}
		name, val, has := strings.Cut(strings.ToLower(t[1:]), ":")
		if canon == "remove-item" && as != "remove-item" && (name == "rf" || name == "fr") {
			a := w
			a.Text = "-recurse"
			w.Text = "-force"
			out = append(out, a, w)
			continue
		}
		full := psParam(canon, name)
		w.Text = "-" + full
		switch {
		case has && (val == "$true" || val == "true" || val == "1" || val == ""):
			out = append(out, w)
		case has && (val == "$false" || val == "false" || val == "0"):
			w.Text += ":false"
			out = append(out, w)
		case has:
			v := w
			v.Text = t[strings.IndexByte(t, ':')+1:]
			out = append(out, w, v)
		default:
			out = append(out, w)
		}
	}
	return out
}

// psParam is the full name of an abbreviated parameter.
func psParam(canon, name string) string {
	switch name {
	case "ea":
		return "erroraction"
	case "wi":
		return "whatif"
	case "cf":
		return "confirm"
	case "lp", "pspath":
		return "literalpath"
	case "s":
		if canon == "get-childitem" || canon == "remove-item" {
			return "recurse"
		}
	}
	list := "recurse force path literalpath include exclude filter confirm whatif verbose erroraction credential stream"
	switch canon {
	case "get-content", "set-content", "add-content", "out-file", "clear-content":
		list += " value raw encoding totalcount tail readcount append nonewline noclobber inputobject filepath"
	case "copy-item", "move-item", "rename-item", "new-item", "set-item":
		list += " destination newname itemtype name value container target"
	case "invoke-webrequest", "invoke-restmethod":
		list += " uri outfile method body headers infile contenttype usebasicparsing useragent"
	case "invoke-expression":
		list += " command"
	case "invoke-command", "start-job":
		list += " scriptblock computername argumentlist filepath"
	case "start-process":
		list += " filepath argumentlist verb wait nonewwindow workingdirectory windowstyle passthru"
	case "foreach-object", "where-object":
		list += " process begin end membername parallel filterscript property value"
	case "set-location", "push-location":
		list += " stackname passthru"
	case "stop-process":
		list += " id name processname"
	}
	best := ""
	for list != "" {
		var w string
		w, list, _ = strings.Cut(list, " ")
		if w == name {
			return w
		}
		if strings.HasPrefix(w, name) && best == "" {
			best = w
		}
	}
	if best != "" {
		return best
	}
	return name
}

// receive does what a cmdlet does with code, files and the location.
func (p *ps) receive(idx int, canon string, toks []psTok, s *scope, item *value) {
	r := p.r
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	get := func(names string) *Word {
		for i := 1; i+1 < len(argv); i++ {
			if has(names, strings.TrimPrefix(argv[i].Text, "-")) && strings.HasPrefix(argv[i].Text, "-") && !argv[i].Quoted {
				return &argv[i+1]
			}
		}
		return nil
	}
	free := func() *Word {
		for i := 1; i < len(argv); i++ {
			if strings.HasPrefix(argv[i].Text, "-") && !argv[i].Quoted {
				if takesValue(argv[i].Text) {
					i++
				}
				continue
			}
			return &argv[i]
		}
		return nil
	}
	target := func(names string) *Word {
		if w := get(names); w != nil {
			return w
		}
		return free()
	}
	switch canon {
	case "set-location", "push-location":
		if w := target("path literalpath"); w != nil {
			if canon == "push-location" {
				p.st.stack = append(slices.Clip(p.st.stack), p.st.dir)
			}
			x := *w
			p.st.chdir(&x)
		}
	case "pop-location":
		r.changeDir("popd", argv, p.st)
	case "get-location":
		if cmd.Dir != "" {
			cmd.Stdout.Text, cmd.Stdout.Known = cmd.Dir, true
		}
	case "write-output", "write-host":
		if canon == "write-output" {
			cmd.Stdout.Text, cmd.Stdout.Known = echo(argv[1:])
		}
	case "invoke-expression":
		if w := target("command"); w != nil {
			x := *w
			p.run(idx, &x, FromArg, s)
		} else if cmd.Stdin.Kind == Pipe {
			in := cmd.Stdin
			x := Word{Text: in.Text, Static: in.Known, Subst: in.Peers, Pos: cmd.Pos, End: cmd.End}
			if x.Text == "" && !in.Known {
				x.Text = Unknown
			}
			p.run(idx, &x, FromStdin, s)
		}
	case "foreach-object", "where-object", "invoke-command", "start-job", "measure-command", "start-threadjob", "register-engineevent", "sort-object", "group-object", "select-object":
		for i := range toks {
			if t := &toks[i]; t.kind == psBlock {
				s2 := r.inside(idx, ViaCode, s)
				if canon == "foreach-object" {
					s2.flags |= Looped
				}
				if canon == "invoke-command" && get("computername hostname session vmname") != nil {
					s2.flags |= Remote
				}
				s2.flags |= Conditional
				s2.in = Stream{}
				p.script(t.inner[0], t.inner[1], s2, item)
			}
		}
		if canon == "where-object" || canon == "sort-object" || canon == "select-object" {
			c := &r.line.Commands[idx]
			c.Stdout.Text, c.Stdout.Known = c.Stdin.Text, false
		}
	case "start-process":
		w := target("filepath")
		if w == nil {
			return
		}
		words := []Word{*w}
		if a := get("argumentlist"); a != nil {
			for i := range argv {
				if &argv[i] == a {
					for _, x := range argv[i:] {
						if strings.HasPrefix(x.Text, "-") && !x.Quoted && takesValue(x.Text) {
							break
						}
						for _, y := range looseWords(&source{body: x.Text, pos: x.Pos, end: x.End}, 0, len(x.Text)) {
							y.Static = x.Static
							words = append(words, y)
						}
					}
				}
			}
		} else {
			for i := range argv {
				if &argv[i] == w {
					words = append(words, argv[i+1:]...)
				}
			}
		}
		r.childExec(idx, words, r.sub(idx, p.st), s, 0)
	case "set-content", "out-file", "tee-object", "add-content":
		if w := target("path literalpath filepath"); w != nil {
			body, ok := cmd.Stdin.Text, cmd.Stdin.Known
			if v := get("value"); v != nil {
				body, ok = v.Text, v.Static
			}
			x := *w
			r.putFile(&x, cmd.Dir, body, ok, canon == "add-content", idx)
		}
	case "get-content":
		if w := target("path literalpath"); w != nil {
			t, ok := r.contents(w, cmd.Dir)
			c := &r.line.Commands[idx]
			c.Stdout.Text, c.Stdout.Known = t, ok
		}
	case "invoke-webrequest", "invoke-restmethod", "start-bitstransfer":
		if w := get("outfile destination"); w != nil {
			x := *w
			r.putFile(&x, cmd.Dir, "", false, false, idx)
		}
	case "join-path":
		var parts []string
		static := true
		for _, w := range argv[1:] {
			if strings.HasPrefix(w.Text, "-") && !w.Quoted {
				continue
			}
			parts = append(parts, strings.TrimRight(w.Text, `/\`))
			static = static && w.Static
		}
		cmd.Stdout.Text, cmd.Stdout.Known = strings.Join(parts, "/"), static
	case "resolve-path", "convert-path":
		if w := target("path literalpath"); w != nil && w.Static && !w.Glob {
			if d := joinPath(cmd.Dir, w.Text); d != "" {
				cmd.Stdout.Text, cmd.Stdout.Known = d, true
			}
		}
	}
}

func takesValue(param string) bool {
	switch param {
	case "-recurse", "-force", "-confirm", "-whatif", "-verbose", "-raw", "-append", "-nonewline", "-noclobber", "-container", "-usebasicparsing", "-wait", "-nonewwindow", "-passthru", "-file", "-directory", "-hidden":
		return false
	}
	return !strings.Contains(param, ":")
}

// run reads a word as PowerShell that command idx runs.
func (p *ps) run(idx int, w *Word, from CodeFrom, s *scope) {
	for i, body := range w.Values() {
		if i >= maxRuns {
			break
		}
		code := Code{Lang: LangPowerShell, From: from, Text: body, Known: w.Static, Sources: w.Subst}
		if strings.Trim(body, Unknown) == "" && !w.Static {
			code.Text = ""
			p.r.addCode(idx, code)
			continue
		}
		p.r.addCode(idx, code)
		s2 := p.r.inside(idx, ViaCode, s)
		p.r.runPowerShell(codeText(body, w), p.st, s2)
	}
}

// cmdlet is the full lower-case name of a cmdlet or alias, "" for a program
// that is neither.
func cmdlet(name string) string {
	switch name {
	case "ri", "rm", "rmdir", "rd", "del", "erase":
		return "remove-item"
	case "gc", "cat", "type":
		return "get-content"
	case "sc":
		return "set-content"
	case "ac":
		return "add-content"
	case "clc":
		return "clear-content"
	case "ni", "md", "mkdir":
		return "new-item"
	case "mi", "mv", "move":
		return "move-item"
	case "ci", "cp", "copy", "cpi":
		return "copy-item"
	case "rni", "ren":
		return "rename-item"
	case "si":
		return "set-item"
	case "cli":
		return "clear-item"
	case "gci", "ls", "dir":
		return "get-childitem"
	case "gi":
		return "get-item"
	case "iex":
		return "invoke-expression"
	case "iwr", "curl", "wget":
		return "invoke-webrequest"
	case "irm":
		return "invoke-restmethod"
	case "icm":
		return "invoke-command"
	case "ii":
		return "invoke-item"
	case "sls":
		return "select-string"
	case "echo", "write":
		return "write-output"
	case "sl", "cd", "chdir", "set-location":
		return "set-location"
	case "pushd":
		return "push-location"
	case "popd":
		return "pop-location"
	case "gl", "pwd":
		return "get-location"
	case "%", "foreach":
		return "foreach-object"
	case "?", "where":
		return "where-object"
	case "select":
		return "select-object"
	case "sort":
		return "sort-object"
	case "measure":
		return "measure-object"
	case "group":
		return "group-object"
	case "tee":
		return "tee-object"
	case "ft":
		return "format-table"
	case "fl":
		return "format-list"
	case "saps", "start":
		return "start-process"
	case "spps", "kill":
		return "stop-process"
	case "gps", "ps":
		return "get-process"
	case "sasv":
		return "start-service"
	case "spsv":
		return "stop-service"
	case "sajb":
		return "start-job"
	case "sv", "set":
		return "set-variable"
	case "gv":
		return "get-variable"
	case "rv":
		return "remove-variable"
	case "sal":
		return "set-alias"
	case "nal":
		return "new-alias"
	case "h", "history":
		return "get-history"
	case "clear", "cls":
		return "clear-host"
	case "ipmo":
		return "import-module"
	case "sleep":
		return "start-sleep"
	case "rp":
		return "remove-itemproperty"
	case "sp":
		return "set-itemproperty"
	case "diff", "compare":
		return "compare-object"
	}
	// Verb-Noun
	if i := strings.IndexByte(name, '-'); i > 0 && psVerb(name[:i]) {
		return name
	}
	return ""
}

func psVerb(v string) bool {
	switch v {
	case "add", "clear", "close", "copy", "enter", "exit", "find", "format", "get", "hide", "join", "lock", "move", "new", "open", "optimize", "pop", "push", "redo", "remove", "rename", "reset", "resize", "search", "select", "set", "show", "skip", "split", "step", "switch", "undo", "unlock", "watch", "backup", "checkpoint", "compare", "compress", "convert", "convertfrom", "convertto", "dismount", "edit", "expand", "export", "group", "import", "initialize", "limit", "merge", "mount", "out", "publish", "restore", "save", "sync", "unpublish", "update", "debug", "measure", "ping", "repair", "resolve", "test", "trace", "connect", "disconnect", "read", "receive", "send", "write", "block", "grant", "protect", "revoke", "unblock", "unprotect", "disable", "enable", "install", "invoke", "register", "request", "restart", "resume", "start", "stop", "submit", "suspend", "uninstall", "unregister", "wait", "foreach", "where", "sort", "tee", "use":
		return true
	}
	return false
}

// fileCmdlet reports whether name is a cmdlet that handles files or code.
func fileCmdlet(name string) bool {
	switch name {
	case "remove-item", "set-content", "add-content", "clear-content", "get-content", "move-item", "copy-item", "rename-item", "new-item",
		"out-file", "invoke-expression", "invoke-webrequest", "invoke-restmethod", "remove-itemproperty", "clear-item", "set-item":
		return true
	}
	return false
}
