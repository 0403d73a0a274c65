package shellcmd

import (
	"encoding/base64"
	"slices"
	"strings"
)

// cval is a value in code of another language, as far as it is known.
type cval struct {
	value
	elems []cval
	isArr bool
	name  string // the dotted name it stands for: os.path.join
	recv  *cval  // what name is a method of, when that is not a name
	obj   string // text of an object literal or block
	kw    string // name of a keyword argument
	env   bool   // the whole environment
	http  bool   // a connection or client
	walk  bool   // the folders, their folders and their files below what is before /*
}

func unknownCode() cval { return cval{value: value{texts: []string{Unknown}, blank: true}} }

func knownCode(s string) cval { return cval{value: known(s)} }

// coder reads code of another language for its calls.
type coder struct {
	r     *reader
	idx   int
	st    *state
	s     *scope
	lang  Lang
	toks  []tok
	i     int
	nest  int // brackets open: line ends do not end a statement
	depth int
	steps int
	vars  map[string]cval
	names map[string]string // local name -> full name
	evals int
	last  cval // of the latest statement that is an expression
	stmts int  // statements read

	said    []byte // what calls to print show, of which saidAll says that it is known
	saidAll bool
}

const maxSaid = 1 << 16 // bytes of printed text kept

// effects reads c, the code of command idx, for what it visibly does.
func (r *reader) effects(idx int, c *Code, st *state, s *scope) {
	p := &coder{r: r, idx: idx, st: st, s: s, lang: c.Lang, vars: map[string]cval{}, names: map[string]string{}}
	p.read(c.Text)
	if prints(r.line.Commands[idx].Argv) {
		if p.last.env {
			p.effect(ReadEnv, p.last)
		}
		if p.last.static && len(p.last.texts) == 1 {
			p.say([]cval{p.last}, "\n")
		}
	}
	out := &r.line.Commands[idx].Stdout
	if len(p.said) > 0 && out.Text == "" && !out.Known && (out.Kind == Pipe || out.Kind == Capture) && r.spend(len(p.said)) {
		// Whole only if nothing but one call to print is there.
		out.Text, out.Known = string(p.said), p.saidAll && p.stmts == 1
	}
}

// say notes what a call to print shows.
func (p *coder) say(args []cval, end string) {
	if len(p.said) == 0 {
		p.saidAll = true
	}
	add := func(t string) {
		if len(p.said)+len(t) > maxSaid {
			p.saidAll = false
			return
		}
		p.said = append(p.said, t...)
	}
	for i, a := range plain(args) {
		if i > 0 {
			add(" ")
		}
		v := a.value.safe().first()
		p.saidAll = p.saidAll && v.static
		add(v.texts[0])
	}
	add(end)
}

// prints reports whether an interpreter prints the value of its code.
func prints(argv []Word) bool {
	for i := range argv {
		switch argv[i].Text {
		case "-p", "-pe", "--print":
			return true
		}
	}
	return false
}

func (p *coder) read(body string) {
	toks, i, nest := p.toks, p.i, p.nest
	p.toks, p.i, p.nest = lexCode(p.lang, body), 0, 0
	for p.peek().kind != tEnd && p.ok() {
		at := p.i
		p.statement()
		if p.i == at {
			p.i++
		}
	}
	p.toks, p.i, p.nest = toks, i, nest
}

func (p *coder) ok() bool {
	p.steps++
	if p.steps > 4*maxToks || p.depth > 200 {
		p.r.line.Truncated = true
		return false
	}
	return true
}

// peek returns the next token, the last one (tEnd) for good.
func (p *coder) peek() *tok {
	last := len(p.toks) - 1
	for p.nest > 0 && p.i < last && p.toks[p.i].kind == tLine {
		p.i++
	}
	p.i = min(p.i, last)
	return &p.toks[p.i]
}

func (p *coder) at(n int) *tok {
	if p.i+n < len(p.toks) {
		return &p.toks[p.i+n]
	}
	return &p.toks[len(p.toks)-1]
}

func (p *coder) is(s string) bool {
	t := p.peek()
	return (t.kind == tPunct || t.kind == tIdent) && t.text == s
}

func (p *coder) eat(s string) bool {
	if p.is(s) {
		p.i++
		return true
	}
	return false
}

func (p *coder) statement() {
	t := p.peek()
	switch {
	case t.kind == tLine, t.kind == tPunct && strings.Contains(";}):,]", t.text):
		p.i++
		return
	case t.kind == tPunct && t.text == "{":
		p.i++
		return
	}
	if t.kind == tIdent {
		switch t.text {
		case "import", "from":
			if p.importLine() {
				return
			}
		case "say":
			if p.lang == LangPerl && p.at(1).kind == tString {
				p.i++
				p.stmts++
				p.say([]cval{p.expr()}, "\n")
				return
			}
		case "const", "let", "var", "my", "our", "local", "global", "export", "return", "async", "yield", "else", "try", "finally", "begin", "ensure", "unless", "if", "elif", "elsif", "while", "do", "then", "with", "await", "use", "BEGIN", "END", "print", "tell", "to":
			if t.text == "print" && p.lang != LangAwk && p.lang != LangPerl {
				break
			}
			p.stmts++
			if t.text == "print" && p.lang == LangAwk {
				p.awkPrint()
				return
			}
			if t.text == "print" && p.lang == LangPerl && p.at(1).kind == tString {
				p.i++
				p.say([]cval{p.expr()}, "")
				return
			}
			if t.text == "print" && p.at(1).kind == tPunct {
				break
			}
			p.i++
			if p.is("{") && p.destructure() {
				return
			}
			return
		case "for", "foreach":
			p.stmts++
			if p.loop() {
				return
			}
		case "def", "function", "sub", "class", "fn", "func":
			p.i++
			if p.peek().kind == tIdent {
				p.i++
			}
			return
		case "do_shell_script":
		}
		if p.lang == LangAppleScript && t.text == "do" {
			p.i++
			return
		}
		// x = …
		if n := p.at(1); n.kind == tPunct && (n.text == "=" || n.text == ":=") && p.at(2).text != "=" {
			name := t.text
			p.i += 2
			v := p.expr()
			if v.name != "" && !v.static {
				p.names[name] = v.name
			}
			p.vars[name] = v
			return
		}
		if n := p.at(1); n.kind == tPunct && (n.text == "+=" || n.text == ".=") {
			name := t.text
			p.i += 2
			v := p.expr()
			old := p.vars[name]
			if old.texts == nil {
				old = unknownCode()
			}
			p.vars[name] = cval{value: p.r.concat(old.value, v.value)}
			return
		}
	}
	p.stmts++
	p.last = p.expr()
}

// importLine reads python's and JavaScript's import statements.
func (p *coder) importLine() bool {
	first := p.peek().text
	dotted := func() string {
		var sb strings.Builder
		for p.peek().kind == tIdent || p.is(".") {
			sb.WriteString(p.peek().text)
			p.i++
			if p.is("as") || p.is("import") {
				break
			}
		}
		return sb.String()
	}
	if p.lang == LangPython {
		p.i++
		from := ""
		if first == "from" {
			from = dotted()
			if !p.eat("import") {
				return true
			}
			p.eat("(")
		}
		for p.peek().kind == tIdent {
			name := dotted()
			as := name
			if p.eat("as") {
				as = p.peek().text
				p.i++
			}
			if from != "" {
				name = from + "." + name
			}
			if as != name {
				p.names[as] = name
			}
			if !p.eat(",") {
				break
			}
			if p.peek().kind == tLine {
				p.i++
			}
		}
		return true
	}
	if p.lang != LangNode || first != "import" || p.at(1).text == "(" || p.at(1).text == "." {
		return false
	}
	p.i++
	var names [][2]string // exported, local
	whole := ""
	for n := 0; n < 256 && p.peek().kind != tEnd && !p.is("from") && p.peek().kind != tString && !p.is(";"); n++ {
		t := p.peek()
		p.i++
		if t.kind != tIdent {
			continue
		}
		local := t.text
		if p.is("as") {
			p.i++
			local = p.peek().text
			p.i++
		}
		if t.text == "as" {
			local = p.peek().text
			p.i++
			whole = local
			continue
		}
		names = append(names, [2]string{t.text, local})
		if whole == "" && len(names) == 1 {
			whole = local
		}
	}
	p.eat("from")
	if t := p.peek(); t.kind == tString {
		mod := strings.TrimPrefix(t.text, "node:")
		p.i++
		for _, n := range names {
			p.names[n[1]] = mod + "." + n[0]
		}
		if whole != "" {
			p.names[whole] = mod
			for _, n := range names {
				if n[1] == whole && n[0] != n[1] {
					p.names[whole] = mod + "." + n[0]
				}
			}
		}
	}
	return true
}

// destructure reads { a, b: c } = value.
func (p *coder) destructure() bool {
	j := p.i + 1
	var names [][2]string
	for range 128 {
		if j+1 >= len(p.toks) || p.toks[j].kind == tEnd {
			return false
		}
		t := &p.toks[j]
		j++
		if t.text == "}" {
			break
		}
		if t.kind != tIdent {
			if t.text == "," || t.kind == tLine {
				continue
			}
			return false
		}
		local := t.text
		if p.toks[j].text == ":" && j+1 < len(p.toks) {
			local = p.toks[j+1].text
			j += 2
		}
		names = append(names, [2]string{t.text, local})
	}
	if j >= len(p.toks) || p.toks[j].text != "=" {
		return false
	}
	p.i = j + 1
	v := p.expr()
	for _, n := range names {
		if v.name != "" {
			p.names[n[1]] = v.name + "." + n[0]
		}
	}
	return true
}

// loop reads the head of for x in …, for (const x of …), foreach my $x (…).
func (p *coder) loop() bool {
	if p.lang == LangPHP {
		return p.foreach()
	}
	j := p.i + 1
	for n := 0; n < 4 && j < len(p.toks); n++ {
		t := &p.toks[j]
		if t.text == "(" || t.text == "const" || t.text == "let" || t.text == "var" || t.text == "my" {
			j++
			continue
		}
		break
	}
	if j+1 >= len(p.toks) || p.toks[j].kind != tIdent {
		// perl: for (list) { … $_ … }
		if p.lang == LangPerl && p.at(1).text == "(" {
			p.i++
			p.vars["$_"] = p.each(p.expr())
			return true
		}
		return false
	}
	name := p.toks[j].text
	if p.toks[j+1].text == "," && p.lang == LangPython {
		return p.loopOver(j)
	}
	switch n := &p.toks[j+1]; {
	case n.text == "in" || n.text == "of":
		p.i = j + 2
	case n.text == "(" && (p.lang == LangPerl):
		p.i = j + 1
	default:
		return false
	}
	p.vars[name] = p.each(p.expr())
	return true
}

// foreach is PHP's foreach (list as $k => $v).
func (p *coder) foreach() bool {
	if p.at(1).text != "(" {
		return false
	}
	p.i += 2
	v := p.each(p.expr())
	if !p.eat("as") || p.peek().kind != tIdent {
		return true
	}
	name := p.peek().text
	p.i++
	if p.eat("=>") && p.peek().kind == tIdent {
		name = p.peek().text
		p.i++
	}
	p.vars[name] = v
	return true
}

// loopOver is Python's for a, b in list, whose first name stands at token j.
func (p *coder) loopOver(j int) bool {
	names := []string{p.toks[j].text}
	for j++; j+1 < len(p.toks) && p.toks[j].text == "," && p.toks[j+1].kind == tIdent; j += 2 {
		names = append(names, p.toks[j+1].text)
	}
	if j >= len(p.toks) || p.toks[j].text != "in" {
		return false
	}
	p.i = j + 1
	v := p.expr()
	for i, name := range names {
		switch {
		case !v.walk:
			p.vars[name] = unknownCode()
		case i == 0:
			dir := v
			dir.walk = false
			dir.value = mapValue(v.value, func(s string) string { return s + "*" }) // at any depth
			p.vars[name] = dir
		case p.filters():
			p.vars[name] = unknownCode()
		default:
			one := knownCode("*")
			one.glob = true
			p.vars[name] = cval{isArr: true, elems: []cval{one}}
		}
	}
	return true
}

// filters reports whether what follows asks before it goes on: a loop then picks
// some of what it meets.
func (p *coder) filters() bool {
	for i := p.i; i < min(len(p.toks), p.i+500); i++ {
		if t := &p.toks[i]; t.kind == tIdent && (t.text == "if" || t.text == "continue" || t.text == "assert") {
			return true
		}
	}
	return false
}

// each is a value that takes every element of v in turn.
func (p *coder) each(v cval) cval {
	if !v.isArr {
		v.static = v.static && v.glob
		return v
	}
	list := make([]value, 0, len(v.elems))
	for _, e := range v.elems {
		if len(e.texts) > 0 {
			list = append(list, e.value)
		}
	}
	if len(list) == 0 {
		return unknownCode()
	}
	return cval{value: valueOfList(list)}
}

// expr reads one expression, making the effects of the calls in it.
func (p *coder) expr() cval {
	p.depth++
	defer func() { p.depth-- }()
	if !p.ok() {
		p.i = len(p.toks) - 1
		return unknownCode()
	}
	v := p.operand()
	for p.ok() {
		t := p.peek()
		switch t.kind {
		case tEnd, tLine:
			return v
		case tString, tShell, tWords, tIdent, tOther:
			if t.kind == tIdent {
				switch t.text {
				case "or":
					p.i++
					w := p.operand()
					v = cval{value: v.value.safe().or(w.value.safe())}
					continue
				case "if", "unless", "for", "in", "is", "and", "as", "of", "else", "do", "then", "end", "while", "with", "from", "where":
					if p.lang == LangAppleScript {
						p.i++
						continue
					}
					return v
				}
			}
			if (p.lang == LangPython || p.lang == LangAwk || p.lang == LangRuby) && t.kind == tString {
				w := p.operand() // strings beside each other
				v = cval{value: p.r.concat(v.value.safe(), w.value.safe())}
				continue
			}
			if p.lang == LangAwk {
				w := p.operand()
				v = cval{value: p.r.concat(v.value.safe(), w.value.safe())}
				continue
			}
			return v
		}
		switch t.text {
		case ",", ")", "]", "}", ";", ":", "{", "=>", "=":
			if t.text == "=" && p.lang != LangPython || t.text == "=>" && p.lang == LangNode {
				p.i++
				continue
			}
			return v
		case "+", ".", "..", "&", "<>":
			if t.text == "&" && p.lang != LangAppleScript {
				p.i++
				p.operand()
				v = unknownCode()
				continue
			}
			p.i++
			w := p.operand()
			switch {
			case v.isArr && w.isArr:
				v.elems = append(slices.Clip(v.elems), w.elems...)
			case v.isArr || w.isArr:
			default:
				v = cval{value: p.r.concat(v.value.safe(), w.value.safe())}
			}
		case "/":
			p.i++
			w := p.operand()
			if p.lang == LangPython && len(w.texts) > 0 {
				v = p.join([]cval{v, w})
			} else {
				v = unknownCode()
			}
		case "%":
			p.i++
			w := p.operand()
			if len(v.texts) > 0 {
				v = p.format(v, w)
			}
		case "||", "??":
			p.i++
			w := p.operand()
			if len(v.texts) > 0 && len(w.texts) > 0 {
				v = cval{value: v.value.or(w.value)}
			}
		case "|":
			p.i++
			if p.lang == LangAwk && p.is("getline") {
				p.shell(v)
				p.i++
				continue
			}
			p.operand()
		case "<":
			p.i++
			w := p.operand()
			if p.lang == LangAwk {
				p.effect(ReadFile, w)
			}
			v = unknownCode()
		default:
			p.i++
			p.operand()
			if t.text != "?" {
				v = unknownCode()
			}
		}
	}
	return v
}

func (v value) safe() value {
	if len(v.texts) == 0 {
		return value{texts: []string{Unknown}, blank: true}
	}
	return v
}

// format is 'a %s b' % x.
func (p *coder) format(v, w cval) cval {
	args := []cval{w}
	if w.isArr {
		args = w.elems
	}
	out := known("")
	parts := strings.Split(v.texts[0], "%s")
	for i, part := range parts {
		out = p.r.concat(out, known(part))
		if i < len(parts)-1 {
			if i < len(args) {
				out = p.r.concat(out, args[i].value.safe())
			} else {
				out = p.r.concat(out, unknownCode().value)
			}
		}
	}
	out.static = out.static && v.static && !strings.Contains(v.texts[0], "%d")
	return cval{value: out}
}

func (p *coder) join(list []cval) cval {
	out := value{}
	for _, v := range list {
		t := v.value.safe()
		switch {
		case out.texts == nil || t.static && len(t.texts) == 1 && isAbs(t.texts[0]):
			out = t
		default:
			if !strings.HasSuffix(out.texts[0], "/") {
				out = p.r.concat(out, known("/"))
			}
			out = p.r.concat(out, t)
		}
	}
	if out.texts == nil {
		return unknownCode()
	}
	return cval{value: out}
}

// operand reads a value and whatever is called on it.
func (p *coder) operand() cval {
	p.depth++
	defer func() { p.depth-- }()
	if !p.ok() {
		p.i = len(p.toks) - 1
		return unknownCode()
	}
	t := p.peek()
	switch t.kind {
	case tEnd, tLine:
		return unknownCode()
	case tString:
		p.i++
		return p.postfix(p.string(t))
	case tShell:
		p.i++
		p.shell(p.string(t))
		return p.postfix(unknownCode())
	case tWords:
		p.i++
		v := cval{isArr: true}
		for w := range strings.FieldsSeq(t.text) {
			v.elems = append(v.elems, knownCode(w))
		}
		return p.postfix(v)
	case tOther:
		p.i++
		return p.postfix(knownCode(t.text))
	case tIdent:
		switch t.text {
		case "new", "await", "not", "lambda", "return", "async", "typeof", "void", "delete", "yield", "raise", "throw", "defined", "my", "our", "local":
			p.i++
			if t.text == "lambda" { // its arguments end at the colon
				for !p.is(":") && p.peek().kind != tEnd && p.peek().kind != tLine && p.ok() {
					p.i++
				}
				p.eat(":")
			}
			return p.operand()
		}
		p.i++
		return p.postfix(cval{name: t.text})
	}
	switch t.text {
	case "(":
		p.i++
		list := p.list(")")
		v := cval{isArr: true, elems: list}
		if len(list) == 1 && p.lang != LangPerl {
			v = list[0]
			v.kw = ""
		}
		return p.postfix(v)
	case "[":
		p.i++
		list := p.list("]")
		return p.postfix(cval{isArr: true, elems: list})
	case "{":
		start := p.i
		p.block()
		var sb strings.Builder
		for _, x := range p.toks[start:min(p.i, start+64)] {
			sb.WriteString(x.text)
		}
		return cval{obj: sb.String(), value: unknownCode().value}
	case "!", "-", "~", "*", "&", "\\", "...", "..", "<", ">", "@", "$", "%", "+":
		p.i++
		if t.text == "$" && p.peek().kind == tString && p.lang == LangNode { // $`cmd`
			v := p.string(p.peek())
			p.i++
			p.shell(v)
			return unknownCode()
		}
		return p.operand()
	case ")", "]", "}", ",", ";":
		return unknownCode()
	}
	p.i++
	return unknownCode()
}

// block reads { … } as statements.
func (p *coder) block() {
	p.i++ // {
	nest := p.nest
	p.nest = 0
	for p.ok() {
		t := p.peek()
		if t.kind == tEnd {
			break
		}
		if t.text == "}" && t.kind == tPunct {
			p.i++
			break
		}
		at := p.i
		if t.text == "{" && t.kind == tPunct {
			p.depth++
			if p.depth > 200 {
				p.i = len(p.toks) - 1
			} else {
				p.block()
			}
			p.depth--
		} else {
			p.statement()
		}
		if p.i == at {
			p.i++
		}
	}
	p.nest = nest
}

// list reads expressions up to the closing bracket.
func (p *coder) list(end string) (out []cval) {
	p.nest++
	defer func() { p.nest-- }()
	for p.ok() {
		t := p.peek()
		switch {
		case t.kind == tEnd:
			return out
		case t.kind == tPunct && t.text == end:
			p.i++
			return out
		case t.kind == tPunct && (t.text == "," || t.text == ";" || t.text == ":" || t.text == "=>" || t.text == "]" || t.text == ")" || t.text == "}"):
			p.i++
			continue
		}
		at := p.i
		kw := ""
		if t.kind == tIdent {
			if n := p.at(1); n.kind == tPunct && (n.text == "=" && (p.lang == LangPython || p.lang == LangOther) || n.text == ":" && p.lang == LangRuby || n.text == "=>" && p.lang != LangNode) {
				kw = t.text
				p.i += 2
			} else if n.kind == tPunct && n.text == "=>" && p.lang == LangNode {
				p.i += 2 // x => …
			}
		}
		had := len(p.r.line.Commands[p.idx].Effects)
		v := p.expr()
		v.kw = kw
		if p.is("for") && p.lang == LangPython { // [f(x) for x in y]: read the head, then the body again
			body := at
			p.loop()
			after := p.i
			if p.evals < 64 {
				p.evals++
				p.i = body
				cmd := &p.r.line.Commands[p.idx]
				cmd.Effects = cmd.Effects[:had]
				v = p.expr()
				p.i = after
			}
		}
		if len(out) < 512 {
			out = append(out, v)
		}
		if p.i == at {
			p.i++
		}
	}
	return out
}

// string is the value of a string token.
func (p *coder) string(t *tok) cval {
	v := known("")
	for _, part := range t.parts {
		if !part.expr {
			v = p.r.concat(v, known(part.text))
			continue
		}
		v = p.r.concat(v, p.interpolated(part.text))
	}
	return cval{value: v}
}

// interpolated is the value of an expression inside a string.
func (p *coder) interpolated(e string) value {
	if i := strings.IndexAny(e, "!:"); i > 0 && p.lang == LangPython {
		e = e[:i]
	}
	if w, ok := p.vars[e]; ok && len(w.texts) > 0 {
		return w.value
	}
	if n := strings.Trim(e, "${}"); n != e {
		if w, ok := p.vars["$"+n]; ok && len(w.texts) > 0 {
			return w.value
		}
	}
	if p.evals < 64 && strings.ContainsAny(e, "(.[{'\"") && len(e) < 4096 {
		p.evals++
		toks, i, nest := p.toks, p.i, p.nest
		p.toks, p.i, p.nest = lexCode(p.lang, e), 0, 1
		v := p.expr()
		p.toks, p.i, p.nest = toks, i, nest
		return v.value.safe()
	}
	return unknownCode().value
}

// full is a dotted name with its first part looked up.
func (p *coder) full(name string) string {
	for range 8 {
		head, rest, _ := strings.Cut(name, ".")
		to, ok := p.names[head]
		if !ok || to == head || strings.HasPrefix(to, head+".") {
			return name
		}
		name = to
		if rest != "" {
			name += "." + rest
		}
	}
	return name
}

func (p *coder) postfix(v cval) cval {
	for p.ok() {
		t := p.peek()
		if t.kind == tPunct {
			switch t.text {
			case ".", "->", "::", "?.":
				n := p.at(1)
				if t.text == "." && (p.lang == LangPerl || p.lang == LangPHP) {
					return p.resolve(v)
				}
				if n.kind == tLine && p.at(2).kind == tPunct {
					n = p.at(1)
				}
				if n.kind != tIdent {
					if n.text == "(" && t.text == "." || t.text == "->" { // ruby's f.(x), perl's ->[0]
						p.i++
						continue
					}
					return p.resolve(v)
				}
				p.i += 2
				if v.name != "" && v.recv == nil && !p.isVar(v.name) {
					v = cval{name: v.name + "." + n.text}
				} else {
					w := p.resolve(v)
					v = cval{name: n.text, recv: &w}
				}
				continue
			case "(":
				if v.name == "" {
					if t.space {
						return v
					}
					p.i++
					p.list(")")
					v = unknownCode()
					continue
				}
				if t.space && (p.lang == LangRuby) {
					break
				}
				p.i++
				args := p.list(")")
				v = p.call(v, args)
				continue
			case "[":
				if t.space && v.name != "" && p.lang == LangRuby {
					break
				}
				p.i++
				args := p.list("]")
				v = p.index(v, args)
				continue
			case "{":
				if p.lang == LangPerl && v.name != "" && strings.HasPrefix(v.name, "$") && !t.space {
					p.i++
					k := p.peek()
					p.list("}")
					v = p.index(v, []cval{knownCode(k.text)})
					continue
				}
				if p.lang == LangRuby && (v.name != "" || v.recv != nil) {
					p.rubyBlock(v)
					p.block()
					v = unknownCode()
					continue
				}
			}
		}
		if t.kind == tIdent && t.text == "do" && p.lang == LangRuby {
			p.i++
			p.rubyArgs(v)
			return p.resolve(v)
		}
		if v.name != "" && p.bare(v, t) {
			args := p.bareArgs()
			v = p.call(v, args)
			continue
		}
		if t.kind == tString && p.lang == LangNode && v.name != "" && !t.space { // tag`text`
			p.i++
			s := p.string(t)
			switch last := lastName(p.full(v.name)); last {
			case "$", "raw":
				if last == "$" {
					p.shell(s)
				}
			}
			v = s
			continue
		}
		break
	}
	return p.resolve(v)
}

func (p *coder) isVar(name string) bool {
	v, ok := p.vars[name]
	return ok && (len(v.texts) > 0 && v.static || v.isArr || v.recv != nil || v.http)
}

// rubyBlock sets the block's variable from x.each { |v| … }.
func (p *coder) rubyBlock(v cval) {
	i := p.i
	p.i++
	p.rubyArgs(v)
	p.i = i
}

func (p *coder) rubyArgs(v cval) {
	if !p.is("|") {
		return
	}
	if n := p.at(1); n.kind == tIdent && v.recv != nil && has("each map select reject each_with_index", v.name) {
		p.vars[n.text] = p.each(*v.recv)
	}
}

// bare reports whether t starts the arguments of a call without brackets.
func (p *coder) bare(v cval, t *tok) bool {
	switch p.lang {
	case LangRuby, LangPerl, LangLua, LangPHP, LangAppleScript, LangOther:
	default:
		return false
	}
	last := lastName(v.name)
	switch t.kind {
	case tString, tWords, tShell:
		return t.space || p.lang == LangLua || p.lang == LangPerl
	case tIdent:
		return t.space && callsBare(last) && !has("if unless or and do end while rescue then eq ne", t.text)
	case tPunct:
		if t.text == "(" || t.text == "[" || t.text == "%" || t.text == "<" {
			return t.space && callsBare(last) && t.text != "<"
		}
	}
	return false
}

// callsBare lists the calls that are often written without brackets and whose
// argument may be no string.
func callsBare(name string) bool {
	switch name {
	case "system", "exec", "spawn", "unlink", "rmtree", "remove_tree", "rmdir", "rm_rf", "rm_r", "rm", "rm_f", "delete", "open", "require", "print", "puts", "p", "script", "rename", "popen", "remove_dir", "remove_entry_secure", "rename_file", "system2", "run", "eval", "do", "mv", "cp", "cp_r", "write", "read", "include", "require_once", "echo", "safe_unlink":
		return true
	}
	return false
}

func (p *coder) bareArgs() []cval {
	var out []cval
	for p.ok() {
		t := p.peek()
		if t.kind == tEnd || t.kind == tLine && p.nest == 0 {
			return out
		}
		kw := ""
		if n := p.at(1); t.kind == tIdent && n.kind == tPunct && (n.text == ":" || n.text == "=>") && p.at(2).text != ":" {
			kw = t.text
			p.i += 2
		}
		at := p.i
		v := p.expr()
		v.kw = kw
		out = append(out, v)
		if p.i == at {
			p.i++
		}
		if !p.eat(",") && !p.eat("=>") {
			return out
		}
		for p.peek().kind == tLine {
			p.i++
		}
	}
	return out
}

func lastName(s string) string {
	return s[strings.LastIndexByte(s, '.')+1:]
}

// resolve is the value of a name that is not called.
func (p *coder) resolve(v cval) cval {
	if v.name == "" || len(v.texts) > 0 || v.isArr {
		return v
	}
	if v.recv != nil {
		switch v.name {
		case "env":
			if v.recv.name == "process" {
				v.env = true
			}
		case "parent", "decode", "to_s", "posix", "toString":
			r := *v.recv
			if v.name == "parent" && len(r.texts) > 0 {
				r.value = mapValue(r.value, func(s string) string { return joinPath("/", s+"/..") })
			}
			return r
		case "unlink", "delete", "rmtree", "rmdir", "read", "write", "readlines", "rm_rf": // ruby calls without brackets
			if p.lang == LangRuby {
				return p.call(v, nil)
			}
		}
		if len(v.texts) == 0 {
			v.value = unknownCode().value
		}
		return v
	}
	if w, ok := p.vars[v.name]; ok {
		return w
	}
	if p.lang == LangPerl || p.lang == LangPHP {
		if w, ok := p.vars["$"+strings.TrimLeft(v.name, "$@%")]; ok {
			return w
		}
	}
	full := p.full(v.name)
	switch full {
	case "os.environ", "process.env", "ENV", "%ENV", "$_ENV", "$_SERVER", "Deno.env", "Bun.env":
		return cval{name: full, env: true, value: unknownCode().value}
	case "process.env.HOME", "process.env.USERPROFILE", "Bun.env.HOME":
		return cval{value: p.r.home(p.s, p.st)}
	case "process.env.PWD":
		return cval{value: p.cwd()}
	case "Dir.home":
		return cval{value: p.r.home(p.s, p.st)}
	case "Dir.pwd", "Dir.getwd":
		return cval{value: p.cwd()}
	case "ENV.to_h", "ENV.to_a", "ENV.to_hash", "ENV.inspect", "ENV.sort":
		return cval{name: full, env: true, value: unknownCode().value}
	case "Dir.tmpdir":
		return knownCode("/tmp")
	case "Dir.mktmpdir":
		v, _ := p.paths(full, nil)
		return v
	case "os.sep", "path.sep", "File::SEPARATOR":
		return knownCode("/")
	case "os.curdir":
		return knownCode(".")
	}
	if env, ok := strings.CutPrefix(full, "process.env."); ok {
		return cval{value: p.r.variable(env, p.st, p.s).first()}
	}
	v.name = full
	if len(v.texts) == 0 {
		v.value = unknownCode().value
	}
	return v
}

func (p *coder) cwd() value { return p.r.variable("PWD", p.st, p.s).first() }

// index is v[x].
func (p *coder) index(v cval, args []cval) cval {
	full := p.full(v.name)
	key := ""
	if len(args) > 0 && len(args[0].texts) > 0 {
		key = args[0].texts[0]
	}
	switch full {
	case "os.environ", "process.env", "ENV", "$ENV", "$_ENV", "$_SERVER":
		if key != "" && !strings.Contains(key, Unknown) {
			return cval{value: p.r.variable(key, p.st, p.s).first()}
		}
		return unknownCode()
	case "Dir":
		if len(args) > 0 {
			w := args[0]
			w.glob = true
			return w
		}
	}
	v = p.resolve(v)
	if v.isArr {
		if n, ok := atoi(key); ok && n < len(v.elems) {
			return v.elems[n]
		}
	}
	if v.name != "" && len(args) == 1 && args[0].static { // os['system']
		return cval{name: v.name + "." + key}
	}
	return unknownCode()
}

// word makes a word of a value, for an Effect.
func (p *coder) word(v cval) Word {
	cmd := &p.r.line.Commands[p.idx]
	w := v.value.safe().word("")
	w.Raw = w.Text
	w.Pos, w.End = cmd.Pos, cmd.End
	return w
}

// effect notes that v is deleted, read or written.
func (p *coder) effect(k EffectKind, v cval) {
	if v.isArr {
		for _, e := range v.elems {
			p.effect(k, e)
		}
		return
	}
	if (k == ReadFile || k == WriteFile) && len(v.texts) > 0 {
		if strings.Contains(v.texts[0], "://") && !strings.HasPrefix(v.texts[0], "file:") {
			k = Network
		}
	}
	p.r.addEffect(p.idx, Effect{Kind: k, Path: p.word(v)})
}

func (p *coder) pair(k EffectKind, args []cval) {
	if len(args) < 2 {
		return
	}
	p.r.addEffect(p.idx, Effect{Kind: k, Path: p.word(args[0]), To: p.word(args[1])})
}

// shell notes that v is run by a shell.
func (p *coder) shell(v cval) {
	if v.isArr {
		p.argv(v.elems)
		return
	}
	for i, t := range v.value.safe().texts {
		if i < maxRuns {
			w := v.value.safe()
			w.texts = []string{t}
			p.r.effectShell(p.idx, w, Stream{}, p.st, p.s)
		}
	}
}

func (p *coder) argv(list []cval) {
	var out []value
	for _, e := range list {
		if e.kw != "" || e.obj != "" {
			continue
		}
		if e.isArr {
			for _, x := range e.elems {
				out = append(out, x.value.safe())
			}
			continue
		}
		out = append(out, e.value.safe())
	}
	p.r.effectArgv(p.idx, out, p.st, p.s)
}

// awkPrint reads print … > file and print … | command.
func (p *coder) awkPrint() {
	p.i++
	said := known("")
	for p.ok() {
		t := p.peek()
		if t.kind == tEnd || t.kind == tLine || t.text == ";" || t.text == "}" {
			p.say([]cval{{value: said}}, "\n")
			return
		}
		p.i++
		switch {
		case t.kind == tString:
			said = p.r.concat(said, p.string(t).value)
		case t.kind == tIdent && len(p.vars[t.text].texts) > 0:
			said = p.r.concat(said, p.vars[t.text].value)
		case t.kind == tPunct && t.text != ">" && t.text != ">>" && t.text != "|":
			said = p.r.concat(said, known(strings.Trim(t.text, "(),")))
		default:
			said.static = false
		}
		if t.kind == tPunct && (t.text == ">" || t.text == ">>" || t.text == "|") {
			v := p.operand()
			for p.peek().kind == tString || p.peek().kind == tIdent {
				v = cval{value: p.r.concat(v.value.safe(), p.operand().value.safe())}
			}
			if t.text == "|" {
				said = p.r.concat(said, known("\n"))
				p.r.effectShell(p.idx, v.value.safe(), Stream{Kind: Here, Text: said.texts[0], Known: said.static}, p.st, p.s)
			} else {
				p.effect(WriteFile, v)
			}
			return
		}
		if t.kind == tIdent && p.is("(") {
			p.i--
			p.operand()
		}
	}
}

func decode64(v cval) cval {
	if len(v.texts) != 1 || !v.static {
		return unknownCode()
	}
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(v.texts[0]))
	if err != nil {
		if b, err = base64.URLEncoding.DecodeString(strings.TrimSpace(v.texts[0])); err != nil {
			return unknownCode()
		}
	}
	return knownCode(strings.ReplaceAll(string(b), Unknown, ""))
}
