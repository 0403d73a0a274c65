package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// segment is a piece of text between the separators of a command list.
type segment struct {
	pos, end int
	piped    bool // a | stands before it
}

// looseSplit cuts text at ; newline & && || and |, minding quotes and
// heredocs. A quote that is never closed is a plain character.
func looseSplit(s string, most int) []segment {
	var out []segment
	start, piped := 0, false
	cut := func(i int) {
		if strings.TrimSpace(s[start:i]) != "" {
			out = append(out, segment{pos: start, end: i, piped: piped})
		}
		piped = false
	}
	var docs []string // delimiters of heredocs to come
	for i := 0; i < len(s) && len(out) < most; i++ {
		switch c := s[i]; c {
		case '\\':
			i++
		case '\'', '"', '`':
			if j := closing(s, i); j > 0 {
				i = j
			}
		case '#':
			if i == 0 || strings.IndexByte(" \t\n;", s[i-1]) >= 0 {
				j := strings.IndexByte(s[i:], '\n')
				if j < 0 {
					j = len(s) - i
				}
				cut(i)
				i += j - 1
				start = i + 1
			}
		case '<':
			if strings.HasPrefix(s[i:], "<<<") {
				i += 2
			} else if strings.HasPrefix(s[i:], "<<") {
				if d := delimiter(s[i+2:]); d != "" {
					docs = append(docs, d)
				}
				i++
			}
		case ';', '\n', '&', '|':
			if c == '&' && (i > 0 && (s[i-1] == '>' || s[i-1] == '<') || i+1 < len(s) && s[i+1] == '>') {
				continue // 2>&1, &>
			}
			if c == '|' && i > 0 && s[i-1] == '>' {
				continue // >|
			}
			if c == '\n' && len(docs) > 0 {
				i = skipDocs(s, i+1, docs) - 1
				docs = nil
				cut(min(i+1, len(s)))
				start = min(i+1, len(s))
				continue
			}
			cut(i)
			piped = c == '|' && !strings.HasPrefix(s[i:], "||")
			start = i + 1
		}
	}
	if start < len(s) && len(out) < most {
		cut(len(s))
	}
	return out
}

// closing is the index of the quote that closes the one at s[i], or -1.
func closing(s string, i int) int {
	q := s[i]
	for j := i + 1; j < len(s); j++ {
		switch {
		case s[j] == q:
			return j
		case s[j] == '\\' && q != '\'':
			j++
		}
	}
	return -1
}

// delimiter is the word after <<, without quotes.
func delimiter(s string) string {
	s = strings.TrimPrefix(s, "-")
	s = strings.TrimLeft(s, " \t")
	if s == "" {
		return ""
	}
	if s[0] == '\'' || s[0] == '"' {
		if j := strings.IndexByte(s[1:], s[0]); j >= 0 {
			return s[1 : 1+j]
		}
		return ""
	}
	j := 0
	for j < len(s) && (isWordByte(s[j]) || s[j] == '\\' || s[j] == '-' || s[j] == '.') {
		j++
	}
	return strings.ReplaceAll(s[:j], `\`, "")
}

// skipDocs is the index after the bodies of heredocs that start at i.
func skipDocs(s string, i int, docs []string) int {
	for _, d := range docs {
		for i < len(s) {
			j := strings.IndexByte(s[i:], '\n')
			line := s[i:]
			if j >= 0 {
				line = s[i : i+j]
				i += j + 1
			} else {
				i = len(s)
			}
			if strings.TrimLeft(strings.TrimRight(line, "\r"), "\t ") == d {
				break
			}
		}
	}
	return i
}

// looseWords splits s.body[a:b] into words: quotes and backslashes are taken
// off, a variable or substitution is unknown, redirects are dropped.
func looseWords(t *source, a, b int) []Word {
	s := t.body
	b = min(b, len(s))
	var out []Word
	for i := a; i < b && len(out) < MaxWords; {
		if strings.IndexByte(" \t\r\n", s[i]) >= 0 {
			i++
			continue
		}
		start := i
		w := Word{Static: true}
		var sb strings.Builder
	word:
		for i < b {
			switch c := s[i]; c {
			case ' ', '\t', '\r', '\n':
				break word
			case '\\':
				if i+1 < b {
					i++
					sb.WriteByte(s[i])
				} else {
					sb.WriteByte(c) // C:\ at the end
				}
				w.Quoted = true
			case '\'', '"':
				j := closing(s[:b], i)
				if j < 0 {
					if i > start && isWordByte(s[i-1]) { // don't
						sb.WriteByte(c)
					}
					w.Quoted = true
					break
				}
				in := s[i+1 : j]
				if c == '"' {
					in = unescapeQuoted(in, "$`\"\\\n")
					if strings.ContainsAny(in, "$`") {
						w.Static = false
					}
				}
				sb.WriteString(in)
				w.Quoted = true
				i = j
			case '$', '`':
				j := i + 1
				for j < b && (isWordByte(s[j]) || strings.IndexByte("{}:?", s[j]) >= 0) {
					j++
				}
				if j == i+1 && c == '$' {
					sb.WriteByte(c)
					break
				}
				w.Static, w.Splits, w.Blank = false, true, true
				w.Vars = append(w.Vars, strings.Trim(s[i+1:j], "{}:?"))
				sb.WriteString(Unknown)
				i = j - 1
			case '*', '?':
				w.Glob = true
				sb.WriteByte(c)
			default:
				sb.WriteByte(c)
			}
			i++
		}
		w.Raw = s[start:i]
		w.Text = sb.String()
		if t.holes && strings.Contains(w.Text, hole) {
			w.Text = strings.ReplaceAll(w.Text, hole, Unknown)
			w.Static, w.Blank = false, true
			w.Vars, w.Subst = t.vars, t.subst
		}
		w.Pos, w.End = t.span(start, i)
		out = append(out, w)
	}
	return out
}

// loose reads t from offset at on piece by piece: what is valid on its own as
// shell, the rest as words.
func (r *reader) loose(t *source, at int, st *state, s *scope) {
	s2 := *s
	s = &s2
	s.flags |= Loose
	body := t.body[at:]
	segs := looseSplit(body, MaxCommands)
	for i := 0; i < len(segs); {
		j := i + 1
		for j < len(segs) && segs[j].piped {
			j++
		}
		r.looseList(t, at, body, segs[i:j], st, s)
		i = j
		if len(r.line.Commands) >= MaxCommands || r.steps > maxSteps {
			r.line.Truncated = true
			return
		}
	}
}

// looseList reads one pipeline.
func (r *reader) looseList(t *source, at int, body string, segs []segment, st *state, s *scope) {
	r.steps++
	a, b := segs[0].pos, segs[len(segs)-1].end
	piece := body[a:b]
	piece, a = unkeyword(piece, a)
	if strings.TrimSpace(piece) == "" {
		return
	}
	if !tooDeep(piece) && r.spend(len(piece)) {
		if file, err := r.dialect(syntax.LangBash, piece); err == nil {
			t2 := *t
			t2.body = piece
			if t.exact {
				t2.off += at + a
			}
			s2 := *s
			s2.t = &t2
			r.stmts(file.Stmts, st, &s2)
			return
		}
	}
	if len(segs) > 1 {
		r.pipelines++
	}
	pipe := r.pipelines
	in := Stream{}
	for k, seg := range segs {
		s2 := *s
		s2.in = in
		if len(segs) > 1 {
			s2.pipe, s2.stage = pipe, k
		}
		if k < len(segs)-1 {
			s2.out = Stream{Kind: Pipe}
		}
		p, off := unkeyword(body[seg.pos:seg.end], seg.pos)
		words := r.looseExpand(looseWords(t, at+off, at+off+len(p)), st, &s2)
		words, redirs := looseRedirects(words)
		if len(words) == 0 && len(redirs) == 0 {
			continue
		}
		pos, end := t.span(at+seg.pos, at+seg.end)
		idx := r.open(st, &s2, pos, end)
		if idx < 0 {
			return
		}
		var assigns []Assign
		for len(words) > 0 {
			n, v, ok := strings.Cut(words[0].Text, "=")
			if !ok || !syntax.ValidName(n) {
				break
			}
			w := words[0]
			w.Text = v
			assigns = append(assigns, Assign{Name: n, Value: w})
			words = words[1:]
		}
		s2.t = t
		r.simple(idx, words, assigns, redirs, st, &s2)
		c := &r.line.Commands[idx]
		in = Stream{Kind: Pipe, Peers: []int{idx}, Text: c.Stdout.Text, Known: c.Stdout.Known}
		if k > 0 {
			for q := range r.line.Commands[:idx] {
				if o := &r.line.Commands[q]; o.Pipeline == pipe && o.Stage == k-1 && o.Stdout.Kind == Pipe {
					o.Stdout.Peers = []int{idx}
				}
			}
		}
	}
}

// unkeyword takes reserved words and brackets off the front of a piece.
func unkeyword(p string, at int) (string, int) {
	for range 16 {
		q := strings.TrimLeft(p, " \t\n\r({!)}")
		at += len(p) - len(q)
		p = q
		cut := false
		for _, k := range [...]string{"if", "then", "else", "elif", "do", "while", "until", "time", "fi", "done", "esac"} {
			if rest, ok := strings.CutPrefix(p, k); ok && (rest == "" || strings.IndexByte(" \t\n", rest[0]) >= 0) {
				p = rest
				at += len(k)
				cut = true
				break
			}
		}
		if !cut {
			return p, at
		}
	}
	return p, at
}

// looseExpand gives known variables and tildes their values.
func (r *reader) looseExpand(words []Word, st *state, s *scope) []Word {
	for i := range words {
		w := &words[i]
		if strings.HasPrefix(w.Raw, "~") && (w.Text == "~" || strings.HasPrefix(w.Text, "~/")) {
			h := r.home(s, st)
			w.Text = h.texts[0] + w.Text[1:]
			w.Static = w.Static && h.static
			w.Vars = union(w.Vars, h.vars)
		}
		if len(w.Vars) == 1 && strings.Count(w.Text, Unknown) == 1 {
			if v := r.variable(w.Vars[0], st, s).first(); v.static && len(v.texts) == 1 {
				w.Text = strings.Replace(w.Text, Unknown, v.texts[0], 1)
				w.Static, w.Splits, w.Blank, w.Vars = true, false, false, nil
			}
		}
		w.Text = strings.TrimRight(w.Text, ")}")
	}
	return words
}

// looseRedirects takes > file and < file out of words.
func looseRedirects(words []Word) ([]Word, []Redirect) {
	var out []Word
	var redirs []Redirect
	for i := 0; i < len(words); i++ {
		w := words[i]
		t := w.Raw
		fd := strings.TrimLeft(t, "0123456789&")
		if w.Quoted && !strings.HasPrefix(fd, ">") && !strings.HasPrefix(fd, "<") || !strings.HasPrefix(fd, ">") && !strings.HasPrefix(fd, "<") {
			out = append(out, w)
			continue
		}
		op := fd[:1]
		for _, o := range [...]string{">>", ">&", ">|", "<<<", "<<", "<&"} {
			if strings.HasPrefix(fd, o) {
				op = o
				break
			}
		}
		rd := Redirect{Op: op, Fd: boolInt(op[0] == '>')}
		if n, ok := atoi(t[:len(t)-len(fd)]); ok {
			rd.Fd = n
		}
		_, rest, _ := strings.Cut(w.Text, op)
		switch {
		case rest != "":
			w.Text = rest
			rd.Target = w
		case i+1 < len(words):
			i++
			rd.Target = words[i]
		}
		if op == "<<" {
			break // the body is not read
		}
		redirs = append(redirs, rd)
	}
	return out, redirs
}
