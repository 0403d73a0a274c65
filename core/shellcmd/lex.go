package shellcmd

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// tokKind is the kind of a token of a scripting language.
type tokKind uint8

const (
	tEnd    tokKind = iota
	tIdent          // name, with a leading sigil in perl and php
	tString         // quoted text
	tShell          // quoted text that runs: ` `, %x( ), qx{ }
	tWords          // %w( ), qw( )
	tPunct
	tLine // end of a line
	tOther
)

type tok struct {
	kind  tokKind
	text  string
	parts []strPart // of tString, tShell, tWords
	space bool      // blank before it
}

// strPart is literal text, or an expression interpolated into a string.
type strPart struct {
	text string
	expr bool
}

const maxToks = 100000

// lexer splits code into tokens. It knows strings and comments of each
// language, and as much else as it takes not to lose its way in them.
type lexer struct {
	lang Lang
	s    string
	i    int
	out  []tok
}

func lexCode(lang Lang, s string) []tok {
	l := &lexer{lang: lang, s: s}
	for l.i < len(l.s) && len(l.out) < maxToks {
		l.next()
	}
	return append(l.out, tok{kind: tEnd})
}

func (l *lexer) put(t tok) { l.out = append(l.out, t) }

func (l *lexer) last() *tok {
	if len(l.out) == 0 {
		return &tok{kind: tLine}
	}
	return &l.out[len(l.out)-1]
}

// operand reports whether an operand may begin here, so that / opens a regular
// expression and % or < a literal.
func (l *lexer) operand() bool {
	t := l.last()
	switch t.kind {
	case tLine, tEnd:
		return true
	case tPunct:
		return t.text != ")" && t.text != "]" && t.text != "}"
	case tIdent:
		switch t.text {
		case "return", "if", "unless", "and", "or", "not", "in", "print", "split", "grep", "when", "while", "puts", "case", "typeof", "await", "system", "exec":
			return true
		}
	}
	return false
}

func (l *lexer) has(set ...Lang) bool {
	return slices.Contains(set, l.lang)
}

func (l *lexer) next() {
	s, start := l.s, l.i
	for l.i < len(s) && (s[l.i] == ' ' || s[l.i] == '\t' || s[l.i] == '\r') {
		l.i++
	}
	space := l.i > start
	if l.i >= len(s) {
		return
	}
	c := s[l.i]
	rest := s[l.i:]
	switch {
	case c == '\n':
		l.i++
		l.put(tok{kind: tLine, text: "\n"})
		if l.has(LangRuby) && strings.HasPrefix(s[l.i:], "=begin") {
			l.skipTo("\n=end")
		}
		if l.has(LangPerl) && len(s) > l.i+1 && s[l.i] == '=' && isWordByte(s[l.i+1]) {
			l.skipTo("\n=cut")
		}
		return
	case c == '#' && l.has(LangPython, LangRuby, LangPerl, LangPHP, LangAwk, LangOther),
		strings.HasPrefix(rest, "#!") && l.i == 0,
		strings.HasPrefix(rest, "//") && l.has(LangNode, LangPHP) && !(l.lang == LangNode && l.i > 0 && s[l.i-1] == ':'):
		for l.i < len(s) && s[l.i] != '\n' {
			l.i++
		}
		return
	case strings.HasPrefix(rest, "/*") && l.has(LangNode, LangPHP, LangOther):
		l.skipTo("*/")
		return
	case strings.HasPrefix(rest, "--[[") && l.lang == LangLua:
		l.skipTo("]]")
		return
	case strings.HasPrefix(rest, "--") && l.has(LangLua, LangAppleScript):
		for l.i < len(s) && s[l.i] != '\n' {
			l.i++
		}
		return
	case c == '\\' && strings.HasPrefix(rest, "\\\n"):
		l.i += 2
		return
	case isNameStart(c) || (c == '$' || c == '@' || c == '%') && l.has(LangPerl, LangPHP, LangRuby) && len(rest) > 1 && isNameStart(rest[1]) && !(c == '%' && (l.lang != LangPerl || !l.operand())):
		l.name(space)
		return
	case c >= '0' && c <= '9':
		for l.i < len(s) && (isWordByte(s[l.i]) || s[l.i] == '.') {
			l.i++
		}
		l.put(tok{kind: tOther, text: s[start:l.i], space: space})
		return
	}
	if l.literal(c, rest, space) {
		return
	}
	for _, p := range [...]string{"===", "!==", "**=", "->", "=>", "::", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "?.", "??", "=~", "!~", "..", ">>", "<<", ".="} {
		if strings.HasPrefix(rest, p) {
			l.i += len(p)
			l.put(tok{kind: tPunct, text: p, space: space})
			return
		}
	}
	_, n := utf8.DecodeRuneInString(rest)
	l.i += n
	l.put(tok{kind: tPunct, text: rest[:n], space: space})
}

func (l *lexer) skipTo(end string) {
	if j := strings.Index(l.s[l.i:], end); j >= 0 {
		l.i += j + len(end)
	} else {
		l.i = len(l.s)
	}
}

func isNameStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

func (l *lexer) name(space bool) {
	s := l.s
	start := l.i
	if !isNameStart(s[l.i]) {
		l.i++
	}
	for l.i < len(s) && (isWordByte(s[l.i]) || s[l.i] >= 0x80 || s[l.i] == '$' && l.lang == LangNode) {
		l.i++
	}
	if l.lang == LangRuby && l.i < len(s) && (s[l.i] == '?' || s[l.i] == '!') && (l.i+1 >= len(s) || s[l.i+1] != '=') {
		l.i++
	}
	word := s[start:l.i]
	// perl's quote words, python's string prefixes
	if l.i < len(s) {
		switch l.lang {
		case LangPerl:
			if prev := l.last(); prev.text == "->" || prev.text == "{" && s[l.i] == '}' {
				break
			}
			switch word {
			case "q", "qq", "qw", "qx", "m", "qr", "s", "tr", "y":
				if l.perlQuote(word, space) {
					return
				}
			}
		case LangPython:
			if (s[l.i] == '\'' || s[l.i] == '"') && len(word) <= 2 && strings.Trim(strings.ToLower(word), "rbfu") == "" {
				w := strings.ToLower(word)
				l.pyString(strings.Contains(w, "r"), strings.Contains(w, "f"), space)
				return
			}
		}
	}
	l.put(tok{kind: tIdent, text: word, space: space})
}

func (l *lexer) pyString(raw, format, space bool) {
	s := l.s
	q := s[l.i : l.i+1]
	if strings.HasPrefix(s[l.i:], q+q+q) {
		q = q + q + q
	}
	l.i += len(q)
	start := l.i
	for l.i < len(s) && !strings.HasPrefix(s[l.i:], q) {
		if s[l.i] == '\\' {
			l.i++
		} else if s[l.i] == '\n' && len(q) == 1 {
			break
		}
		l.i++
	}
	l.i = min(l.i, len(s))
	body := s[start:l.i]
	if strings.HasPrefix(s[l.i:], q) {
		l.i += len(q)
	}
	open := ""
	if format {
		open = "{"
	}
	l.put(tok{kind: tString, text: body, parts: interpolate(body, open, raw), space: space})
}

// literal reads a string, regular expression or heredoc that begins with c.
func (l *lexer) literal(c byte, rest string, space bool) bool {
	switch l.lang {
	case LangPython:
		if c == '\'' || c == '"' {
			l.pyString(false, false, space)
			return true
		}
		return false
	case LangAwk:
		if c == '"' {
			l.quoted('"', tString, "", false, space)
			return true
		}
	case LangLua:
		if strings.HasPrefix(rest, "[[") {
			l.i += 2
			start := l.i
			l.skipTo("]]")
			body := strings.TrimSuffix(l.s[start:l.i], "]]")
			l.put(tok{kind: tString, text: body, parts: []strPart{{text: body}}, space: space})
			return true
		}
	}
	switch {
	case c == '"' && l.lang != LangAwk:
		open := ""
		switch l.lang {
		case LangRuby:
			open = "#{"
		case LangPerl, LangPHP:
			open = "$"
		}
		l.quoted('"', tString, open, false, space)
		return true
	case c == '\'' && l.lang != LangAwk && l.lang != LangAppleScript:
		if l.lang == LangOther && l.last().kind == tIdent && !space {
			return false // a transpose, a symbol
		}
		l.quoted('\'', tString, "", l.has(LangPerl, LangRuby, LangPHP), space)
		return true
	case c == '`':
		switch l.lang {
		case LangNode:
			l.quoted('`', tString, "${", false, space)
		case LangRuby:
			l.quoted('`', tShell, "#{", false, space)
		case LangPerl, LangPHP:
			l.quoted('`', tShell, "$", false, space)
		case LangOther:
			l.quoted('`', tShell, "$", false, space) // julia, elixir: a command or a quote
		default:
			return false
		}
		return true
	case c == '/' && l.has(LangNode, LangRuby, LangPerl, LangAwk) && l.operand():
		j, class := 1, false
		for ; j < len(rest) && rest[j] != '\n'; j++ {
			if rest[j] == '\\' {
				j++
			} else if rest[j] == '[' {
				class = true
			} else if rest[j] == ']' {
				class = false
			} else if rest[j] == '/' && !class {
				break
			}
		}
		if j < len(rest) && rest[j] == '/' {
			l.i += j + 1
			for l.i < len(l.s) && isNameStart(l.s[l.i]) {
				l.i++
			}
			l.put(tok{kind: tOther, text: "/", space: space})
			return true
		}
	case c == '%' && l.lang == LangRuby && len(rest) > 2 && l.operand():
		kind, open, k := tString, "#{", 1
		switch rest[1] {
		case 'w', 'W', 'i', 'I':
			kind, k = tWords, 2
		case 'q':
			open, k = "", 2
		case 'Q':
			k = 2
		case 'x':
			kind, k = tShell, 2
		case 'r':
			kind, k = tOther, 2
		}
		if k < len(rest) && strings.IndexByte("([{<|!/", rest[k]) >= 0 {
			l.i += k
			l.bracketed(kind, open, space)
			return true
		}
	case strings.HasPrefix(rest, "<<") && l.has(LangRuby, LangPerl, LangPHP):
		return l.heredoc(rest, space)
	}
	return false
}

// quoted reads to the closing quote.
func (l *lexer) quoted(q byte, kind tokKind, open string, raw, space bool) {
	s := l.s
	l.i++
	start := l.i
	for l.i < len(s) && s[l.i] != q {
		if s[l.i] == '\\' {
			l.i++
		} else if open == "${" && strings.HasPrefix(s[l.i:], "${") {
			l.i = min(len(s)-1, l.i+skipBraces(s[l.i:])-1)
		}
		l.i++
	}
	l.i = min(l.i, len(s))
	body := s[start:l.i]
	l.i = min(l.i+1, len(s))
	l.put(tok{kind: kind, text: body, parts: interpolate(body, open, raw), space: space})
}

// skipBraces is the length of ${ … } at the start of s.
func skipBraces(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// bracketed reads text between brackets, or between two of the same character.
func (l *lexer) bracketed(kind tokKind, open string, space bool) {
	s := l.s
	a := s[l.i]
	z := a
	switch a {
	case '(':
		z = ')'
	case '[':
		z = ']'
	case '{':
		z = '}'
	case '<':
		z = '>'
	}
	l.i++
	start, depth := l.i, 1
	for l.i < len(s) {
		switch {
		case s[l.i] == '\\':
			l.i++
		case s[l.i] == z:
			depth--
		case s[l.i] == a:
			depth++
		}
		if depth == 0 {
			break
		}
		l.i++
	}
	l.i = min(l.i, len(s))
	body := s[start:l.i]
	l.i = min(l.i+1, len(s))
	l.put(tok{kind: kind, text: body, parts: interpolate(body, open, false), space: space})
}

func (l *lexer) perlQuote(word string, space bool) bool {
	s := l.s
	j := l.i
	for j < len(s) && (s[j] == ' ' || s[j] == '\t') {
		j++
	}
	if j >= len(s) || isWordByte(s[j]) || strings.IndexByte(",;)=\n", s[j]) >= 0 || j > l.i && s[j] == '#' {
		return false
	}
	l.i = j
	switch word {
	case "q":
		l.bracketed(tString, "", space)
	case "qq":
		l.bracketed(tString, "$", space)
	case "qw":
		l.bracketed(tWords, "", space)
	case "qx":
		l.bracketed(tShell, "$", space)
	case "m", "qr":
		l.bracketed(tOther, "", space)
	default: // s, tr, y: two parts
		pair := strings.IndexByte("([{<", s[l.i]) >= 0
		l.bracketed(tOther, "", space)
		if pair {
			for l.i < len(s) && (s[l.i] == ' ' || s[l.i] == '\n') {
				l.i++
			}
			if l.i < len(s) {
				l.bracketed(tOther, "", false)
			}
		} else if l.i > 0 && l.i <= len(s) {
			l.i--
			if l.i < len(s) {
				l.bracketed(tOther, "", false)
			}
		}
		l.out = l.out[:len(l.out)-1]
	}
	return true
}

// heredoc reads <<~EOS, <<'EOF', <<<EOF; what stands after it on its line
// comes first.
func (l *lexer) heredoc(rest string, space bool) bool {
	j := 2
	for j < len(rest) && (rest[j] == '<' || rest[j] == '~' || rest[j] == '-') {
		j++
	}
	if l.lang == LangPHP {
		for j < len(rest) && rest[j] == ' ' {
			j++
		}
	}
	if j >= len(rest) {
		return false
	}
	open := "#{"
	if l.lang != LangRuby {
		open = "$"
	}
	end := ""
	if q := rest[j]; q == '\'' || q == '"' {
		k := strings.IndexByte(rest[j+1:], q)
		if k < 0 {
			return false
		}
		end = rest[j+1 : j+1+k]
		if q == '\'' {
			open = ""
		}
		j += k + 2
	} else {
		k := j
		for k < len(rest) && isWordByte(rest[k]) {
			k++
		}
		if k == j || rest[j] >= '0' && rest[j] <= '9' || !(rest[j] >= 'A' && rest[j] <= 'Z') {
			return false
		}
		end = rest[j:k]
		j = k
	}
	nl := strings.IndexByte(rest, '\n')
	if nl < 0 || end == "" {
		return false
	}
	body := rest[nl+1:]
	stop, after := len(body), len(body)
	for at := 0; at < len(body); {
		k := strings.IndexByte(body[at:], '\n')
		line := body[at:]
		if k >= 0 {
			line = body[at : at+k]
		}
		if t := strings.TrimRight(strings.TrimSpace(line), ";,)"); t == end {
			stop = at
			after = at + len(line)
			break
		}
		if k < 0 {
			break
		}
		at += k + 1
	}
	l.put(tok{kind: tString, text: body[:stop], parts: interpolate(body[:stop], open, open == ""), space: space})
	// the rest of the opening line, then what follows the body
	tail := &lexer{lang: l.lang, s: rest[j:nl]}
	for tail.i < len(tail.s) && len(tail.out) < maxToks {
		n := tail.i
		tail.next()
		if tail.i == n {
			tail.i++
		}
	}
	l.out = append(l.out, tail.out...)
	l.i += nl + 1 + after
	return true
}

// interpolate cuts a string's body into text and expressions and decodes its
// escapes.
func interpolate(s, open string, raw bool) []strPart {
	dec := func(t string) string {
		switch {
		case raw && open == "":
			return rawEscapes(t)
		case raw:
			return t
		}
		return codeEscapes(t)
	}
	if open == "" || !strings.Contains(s, open[:1]) && !strings.Contains(s, "@{") {
		return []strPart{{text: dec(s)}}
	}
	var out []strPart
	start := 0
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && !raw {
			i++
			continue
		}
		end, expr := 0, ""
		switch {
		case open == "$" && (s[i] == '$' || s[i] == '@') && i+1 < len(s) && (isNameStart(s[i+1]) || s[i+1] == '{'):
			if s[i+1] == '{' {
				end = i + 1 + skipBraces(s[i+1:])
			} else {
				end = i + 1
				for end < len(s) && isWordByte(s[end]) {
					end++
				}
				for end < len(s) && (s[end] == '{' || s[end] == '[') { // $h{x}
					if s[end] == '[' {
						k := strings.IndexByte(s[end:], ']')
						if k < 0 {
							break
						}
						end += k + 1
					} else {
						end += skipBraces(s[end:])
					}
				}
			}
			expr = s[i:end]
		case open == "$" && s[i] == '{' && i+1 < len(s) && s[i+1] == '$':
			end = i + skipBraces(s[i:])
			expr = strings.Trim(s[i:end], "{}")
		case open == "{" && s[i] == '{':
			if strings.HasPrefix(s[i:], "{{") {
				i++
				continue
			}
			end = i + skipBraces(s[i:])
			expr = strings.Trim(s[i:end], "{}")
		case len(open) == 2 && strings.HasPrefix(s[i:], open):
			end = i + skipBraces(s[i:])
			expr = strings.TrimSuffix(s[i+2:end], "}")
		default:
			continue
		}
		if i > start {
			out = append(out, strPart{text: dec(s[start:i])})
		}
		out = append(out, strPart{text: strings.TrimSpace(expr), expr: true})
		start = end
		i = end - 1
	}
	if start < len(s) {
		out = append(out, strPart{text: dec(s[start:])})
	}
	return out
}

func rawEscapes(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(s)
}

// codeEscapes decodes the escapes that most languages share.
func codeEscapes(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var sb strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			sb.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			sb.WriteByte('\n')
		case 't':
			sb.WriteByte('\t')
		case 'r':
			sb.WriteByte('\r')
		case '\n':
		case 'x':
			if n, k := number16(s[i+1:], 2); k > 0 {
				if n == 0 {
					// a NUL ends what the system takes
				} else if n < 128 {
					sb.WriteByte(byte(n))
				} else {
					sb.WriteRune(rune(n))
				}
				i += k
			} else {
				sb.WriteByte(c)
			}
		case 'u', 'U':
			if strings.HasPrefix(s[i+1:], "{") {
				n, k := number16(s[i+2:], 6)
				if k > 0 && i+2+k < len(s) && s[i+2+k] == '}' {
					if n != 0 {
						sb.WriteRune(rune(n))
					}
					i += k + 2
					break
				}
			}
			w := 4
			if c == 'U' {
				w = 8
			}
			if n, k := number16(s[i+1:], w); k > 0 {
				if n != 0 {
					sb.WriteRune(rune(n))
				}
				i += k
			} else {
				sb.WriteByte(c)
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, k := number8(s[i:], 3)
			if n != 0 {
				sb.WriteRune(rune(n))
			}
			i += k - 1
		default:
			sb.WriteByte(c)
		}
	}
	return sb.String()
}
