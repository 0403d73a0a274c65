package shellcmd

import "strings"

// batch reads t as cmd.exe would.
func (r *reader) batch(t *source, st *state, s *scope) {
	if r.deep >= MaxCodeDeep || !r.spend(len(t.body)) {
		r.line.Truncated = true
		r.opaque(t, 0, len(t.body), "code inside code, too deep to read")
		return
	}
	r.deep++
	defer func() { r.deep-- }()
	s2 := *s
	s2.t = t
	s2.flags |= Batch
	in := s2.in
	var prev []int
	piped := false
	for _, seg := range batchSplit(t.body) {
		if r.steps++; r.steps > maxSteps {
			r.line.Truncated = true
			return
		}
		s3 := s2
		switch {
		case piped:
			s3.in = Stream{Kind: Pipe, Peers: prev}
			s3.in.Text, s3.in.Known = r.output(prev, Pipe)
			s3.pipe, s3.stage = r.pipelines, r.line.Commands[prev[0]].Stage+1
		default:
			s3.in = in
			r.pipelines++
			s3.pipe, s3.stage = r.pipelines, 0
		}
		if seg.cond {
			s3.flags |= Conditional
		}
		if seg.pipes {
			s3.out = Stream{Kind: Pipe}
		}
		a := len(r.line.Commands)
		r.batchCommand(t, seg.pos, seg.end, st, &s3)
		now := r.direct(a, &s3)
		if piped {
			for _, j := range prev {
				r.line.Commands[j].Stdout.Peers = now
			}
		}
		piped = seg.pipes && len(now) > 0
		prev = now
	}
}

type batchSeg struct {
	pos, end    int
	cond, pipes bool
}

// batchSplit cuts at & && || | and line ends, minding quotes and ^.
func batchSplit(s string) []batchSeg {
	var out []batchSeg
	start, cond, quoted := 0, false, false
	cut := func(i int, pipes bool) {
		if strings.TrimSpace(s[start:i]) != "" && len(out) < MaxCommands {
			out = append(out, batchSeg{pos: start, end: i, cond: cond, pipes: pipes})
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '^' && !quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == '\n':
			cut(i, false)
			quoted, cond = false, false
			start = i + 1
		case quoted:
		case c == '&' && i > 0 && s[i-1] == '>':
		case c == '&' || c == '|':
			double := i+1 < len(s) && s[i+1] == c
			cut(i, c == '|' && !double)
			cond = double
			if double {
				i++
			}
			start = i + 1
		}
	}
	cut(len(s), false)
	return out
}

// batchWords splits a command at blanks, commas and equal signs.
func (r *reader) batchWords(t *source, a, b int, st *state, s *scope) []Word {
	body := t.body
	var out []Word
	for i := a; i < b && len(out) < MaxWords; {
		if strings.IndexByte(" \t\r\n,;()", body[i]) >= 0 {
			i++
			continue
		}
		start := i
		w := Word{Static: true}
		var sb strings.Builder
		quoted := false
		for i < b {
			c := body[i]
			if c == '"' {
				quoted = !quoted
				w.Quoted = true
				i++
				continue
			}
			if c == '^' && !quoted && i+1 < b {
				i++
				sb.WriteByte(body[i])
				i++
				continue
			}
			if !quoted && strings.IndexByte(" \t\r\n,;()", c) >= 0 {
				break
			}
			if c == '>' && !quoted && i > start && body[i-1] != '>' && !strings.HasSuffix(body[start:i], "2") && !strings.HasSuffix(body[start:i], "1") {
				break
			}
			if c == '%' || c == '!' {
				if j := strings.IndexByte(body[i+1:b], c); j > 0 && strings.IndexByte(body[i+1:i+1+j], ' ') < 0 {
					r.batchVar(&w, &sb, body[i+1:i+1+j], st, s)
					i += j + 2
					continue
				}
				if c == '%' && i+1 < b && body[i+1] == '%' {
					i++
				}
				if c == '%' && i+1 < b && (isNameStart(body[i+1]) || body[i+1] == '~') { // a for variable
					i += 2
					w.Static, w.Blank = false, true
					w.Vars = append(w.Vars, "%")
					sb.WriteString(Unknown)
					continue
				}
			}
			if c == '*' || c == '?' {
				w.Glob = true
			}
			sb.WriteByte(c)
			i++
		}
		w.Raw = body[start:i]
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

func (r *reader) batchVar(w *Word, sb *strings.Builder, name string, st *state, s *scope) {
	name, _, _ = strings.Cut(name, ":")
	v := value{}
	switch strings.ToUpper(name) {
	case "USERPROFILE", "HOME":
		v = r.home(s, st)
	case "CD":
		v = r.variable("PWD", st, s).first()
	case "SYSTEMDRIVE", "HOMEDRIVE":
		v = known("C:")
	case "SYSTEMROOT", "WINDIR":
		v = known(`C:\Windows`)
	case "PROGRAMFILES":
		v = known(`C:\Program Files`)
	default:
		v = r.variable(name, st, s).first()
	}
	if !v.static {
		w.Static = false
		w.Blank = w.Blank || v.blank
		w.Vars = union(w.Vars, v.vars)
	}
	sb.WriteString(v.texts[0])
}

func (r *reader) batchCommand(t *source, a, b int, st *state, s *scope) {
	words := r.batchWords(t, a, b, st, s)
	for len(words) > 0 { // what may stand before a command
		first := strings.ToLower(strings.TrimLeft(words[0].Text, "@"))
		words[0].Text = strings.TrimLeft(words[0].Text, "@")
		switch {
		case first == "call", first == "":
			words = words[1:]
			continue
		case first == "if":
			s.flags |= Conditional
			i := 1
			for i < len(words) && has("/i not", strings.ToLower(words[i].Text)) {
				i++
			}
			if i >= len(words) {
				return
			}
			switch strings.ToLower(words[i].Text) {
			case "exist", "errorlevel", "defined":
				i += 2
			default:
				if i++; i < len(words) && has("equ neq lss leq gtr geq ==", strings.ToLower(words[i].Text)) {
					i += 2
				}
			}
			words = words[min(i, len(words)):]
			continue
		case first == "else":
			words = words[1:]
			continue
		case first == "for":
			s.flags |= Conditional | Looped
			i := 1
			for i < len(words) && !strings.EqualFold(words[i].Text, "do") {
				i++
			}
			words = words[min(i+1, len(words)):]
			continue
		case first == "rem", strings.HasPrefix(first, "::"):
			return
		case first == "start":
			i := 1
			if i < len(words) && words[i].Quoted && len(words) > 2 {
				i++
			}
			for i < len(words) && strings.HasPrefix(words[i].Text, "/") {
				i++
			}
			if i < len(words) {
				words = words[i:]
				continue
			}
		}
		break
	}
	words, redirs := looseRedirects(words)
	if len(words) == 0 {
		return
	}
	if isShell(programName(words[0].Text)) { // which takes its line apart by itself, with ' too
		from := b - len(strings.TrimLeft(t.body[a:b], " \t@("))
		words, redirs = looseRedirects(r.looseExpand(looseWords(t, from, b), st, s))
		if len(words) == 0 {
			return
		}
	}
	// rd/s/q: switches may stick to a built-in's name
	if name := words[0].Text; !words[0].Quoted {
		if i := strings.IndexByte(name, '/'); i > 0 && batchBuiltin(strings.ToLower(name[:i])) {
			var list []Word
			w := words[0]
			w.Text = name[:i]
			list = append(list, w)
			for sw := range strings.SplitSeq(name[i+1:], "/") {
				w.Text = "/" + sw
				list = append(list, w)
			}
			words = append(list, words[1:]...)
		}
	}
	lower := strings.ToLower(words[0].Text)
	switch lower {
	case "rmdir":
		words[0].Text = "rd"
	case "erase":
		words[0].Text = "del"
	case "cd", "chdir":
		words[0].Text = "cd"
		words = dropSwitches(words)
	case "set":
		if len(words) > 1 {
			joinedText := words[1].Text
			if n, v, ok := strings.Cut(joinedText, "="); ok {
				val := valueOf(&words[1])
				val.texts = []string{v}
				st.set(n, val)
			}
		}
	}
	pos, end := t.span(a, b)
	idx := r.open(st, s, pos, end)
	if idx < 0 {
		return
	}
	if lower == "set" || lower == "echo" || lower == "type" || lower == "find" || lower == "sort" || lower == "test" { // not what these names mean to sh
		cmd := &r.line.Commands[idx]
		cmd.Argv, cmd.Program = words, lower
		r.finish(idx, nil, redirs, st, s)
		if lower == "echo" {
			cmd = &r.line.Commands[idx]
			cmd.Stdout.Text, cmd.Stdout.Known = echo(words[1:])
			r.wrote(idx)
		}
		return
	}
	r.simple(idx, words, nil, redirs, st, s)
}

func dropSwitches(words []Word) []Word {
	out := words[:1:1]
	for _, w := range words[1:] {
		if !strings.HasPrefix(w.Text, "/") || len(w.Text) > 2 {
			out = append(out, w)
		}
	}
	return out
}

func batchBuiltin(name string) bool {
	switch name {
	case "rd", "rmdir", "del", "erase", "copy", "move", "xcopy", "dir", "cd", "md", "mkdir", "format", "type", "robocopy", "start", "attrib":
		return true
	}
	return false
}
