package shellcmd

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// open reserves the next command and returns its index, or -1 when there are
// too many.
func (r *reader) open(st *state, s *scope, pos, end int) int {
	l := r.line
	if len(l.Commands) >= MaxCommands {
		l.Truncated = true
		return -1
	}
	pipe, stage := s.pipe, s.stage
	if pipe == 0 {
		r.pipelines++
		pipe, stage = r.pipelines, 0
	}
	l.Commands = append(l.Commands, Command{
		Dir: st.dir, DirElse: st.dirElse,
		Pipeline: pipe, Stage: stage, Parent: s.parent, Via: s.via, Flags: s.flags,
		Pos: pos, End: end,
	})
	i := len(l.Commands) - 1
	r.prev = append(r.prev, r.youngest(s.parent))
	r.last = append(r.last, -1)
	if s.parent < 0 {
		r.lastTop = i
	} else {
		r.last[s.parent] = i
	}
	return i
}

// youngest is the latest command directly below parent, or -1.
func (r *reader) youngest(parent int) int {
	switch {
	case parent >= 0:
		return r.last[parent]
	case len(r.last) == 0:
		return -1
	}
	return r.lastTop
}

// direct are the commands from index a on that stand directly in s.
func (r *reader) direct(a int, s *scope) []int {
	var out []int
	for i := r.youngest(s.parent); i >= a && i >= 0; i = r.prev[i] {
		if r.line.Commands[i].Via == s.via {
			out = append(out, i)
		}
	}
	slices.Reverse(out)
	return out
}

func (r *reader) stmts(list []*syntax.Stmt, st *state, s *scope) {
	for i, stmt := range list {
		if r.steps > maxSteps || len(r.line.Commands) >= MaxCommands {
			r.line.Truncated = true
			return
		}
		last := i == len(list)-1
		counts := last || exitsWith(list[i+1:])
		masked := !counts && !(st.errexit && !stmt.Background)
		if masked && stmt.Background {
			masked = !waitsFor(list[i+1:])
		}
		first := !last && firstDecides(list[i+1])
		lenient := st.errexit && isAnd(stmt) && (!counts || s.held)
		fatal := st.errexit && !stmt.Background && !isAnd(stmt)
		if masked || first || lenient || fatal || len(s.extra) > 0 && !last {
			s2 := *s
			s2.first = first
			s2.lenient = lenient
			if masked {
				s2.mask()
			}
			if fatal {
				s2.fatal(s2.shell)
				s2.held = true
			}
			if i < len(list)-1 {
				s2.extra = nil
			}
			r.stmt(stmt, st, &s2)
			continue
		}
		r.stmt(stmt, st, s)
	}
}

func isAnd(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.BinaryCmd)
	return ok && c.Op == syntax.AndStmt
}

// exitsWith reports whether what follows a statement hands on its status:
// exit $?, or x=$? … exit $x.
func exitsWith(rest []*syntax.Stmt) bool {
	if name, arg := simpleCall(rest[0]); name == "exit" || name == "return" {
		return arg == "$?" || strings.HasPrefix(arg, "${PIPESTATUS[")
	}
	c, ok := rest[0].Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) != 0 || len(c.Assigns) != 1 || c.Assigns[0].Value == nil {
		return false
	}
	a := c.Assigns[0]
	if v := rawWord(a.Value); v != "$?" && !strings.HasPrefix(v, "${PIPESTATUS[") {
		return false
	}
	name, arg := simpleCall(rest[len(rest)-1])
	return (name == "exit" || name == "return") && (arg == "$"+a.Name.Value || arg == "${"+a.Name.Value+"}")
}

// firstDecides reports whether s is exit ${PIPESTATUS[0]}.
func firstDecides(s *syntax.Stmt) bool {
	name, arg := simpleCall(s)
	return (name == "exit" || name == "return") && arg == "${PIPESTATUS[0]}"
}

func waitsFor(rest []*syntax.Stmt) bool {
	name, arg := simpleCall(rest[0])
	return name == "wait" && arg == "$!"
}

// simpleCall is a statement's program and first argument as plainly written.
func simpleCall(s *syntax.Stmt) (name, arg string) {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return "", ""
	}
	name = c.Args[0].Lit()
	if len(c.Args) > 1 {
		arg = strings.Trim(rawWord(c.Args[1]), `"`)
	}
	return name, arg
}

// rawWord is a word as it could have been written, for the few shapes that
// exitsWith asks for.
func rawWord(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			b.WriteString(rawWord(&syntax.Word{Parts: p.Parts}))
		case *syntax.ParamExp:
			if p.Param == nil {
				return ""
			}
			if i, ok := p.Index.(*syntax.Word); ok {
				b.WriteString("${" + p.Param.Value + "[" + i.Lit() + "]}")
			} else {
				b.WriteString("$" + p.Param.Value)
			}
		default:
			return ""
		}
	}
	return b.String()
}

// leaves reports whether a statement ends its shell or loop, so that nothing
// after it runs.
func leaves(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		switch name, _ := simpleCall(s); name {
		case "exit", "return", "break", "continue", "exec":
			return true
		}
	case *syntax.Block:
		if n := len(c.Stmts); n > 0 {
			return leaves(c.Stmts[n-1])
		}
	case *syntax.BinaryCmd:
		if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
			return leaves(c.Y)
		}
	}
	return false
}

func (r *reader) stmt(stmt *syntax.Stmt, st *state, s *scope) {
	r.steps++
	if r.steps > maxSteps || s.depth > MaxNesting || len(r.line.Commands) >= MaxCommands {
		if !r.line.Truncated {
			r.opaque(s.t, int(stmt.Pos().Offset()), int(stmt.End().Offset()), "too deep or too long to read")
		}
		r.line.Truncated = true
		return
	}
	s2 := *s
	s = &s2
	s.depth++
	if stmt.Negated {
		s.flags |= Negated
		s.mask()
	}
	if stmt.Background || stmt.Coprocess || stmt.Disown {
		s.flags = s.flags&^Fatal | Background
		if stmt.Background {
			s.flags |= Subshell
			st = st.fork()
			s.newShell()
		}
	}
	switch c := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(c, stmt, st, s)
		return
	case *syntax.DeclClause:
		r.decl(c, stmt, st, s)
		return
	case *syntax.FuncDecl:
		// Redirects of a definition are made at each call.
		r.funcDecl(c, stmt, st, s)
		return
	case nil: // a redirect alone
		r.call(&syntax.CallExpr{}, stmt, st, s)
		return
	}
	r.outer(stmt.Redirs, st, s)
	switch c := stmt.Cmd.(type) {
	case *syntax.Block:
		r.stmts(c.Stmts, st, s)
	case *syntax.Subshell:
		s.flags |= Subshell
		s.newShell()
		r.stmts(c.Stmts, st.fork(), s)
	case *syntax.BinaryCmd:
		r.binary(c, st, s)
	case *syntax.IfClause:
		r.ifClause(c, st, s)
	case *syntax.WhileClause:
		s.flags |= Looped
		cond := *s
		cond.mask()
		base := st.vars
		tested(st, func() { r.stmts(c.Cond, st, &cond) })
		s.flags |= Conditional
		s.mask()
		body := st.fork()
		r.stmts(c.Do, body, s)
		*st = *join(base, st, body)
	case *syntax.ForClause:
		r.forClause(c, st, s)
	case *syntax.CaseClause:
		r.caseClause(c, st, s)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.stmt(c.Stmt, st, s)
		}
	case *syntax.CoprocClause:
		s.flags = s.flags&^Fatal | Background | Subshell
		s.newShell()
		if c.Stmt != nil {
			r.stmt(c.Stmt, st.fork(), s)
		}
	case *syntax.TestClause:
		r.testClause(c, st, s)
	case *syntax.ArithmCmd:
		r.arithmCmd("((", c, st, s)
	case *syntax.LetClause:
		r.arithmCmd("let", c, st, s)
	case *syntax.TestDecl:
		if c.Body != nil {
			r.stmt(c.Body, st, s)
		}
	default:
		r.opaque(s.t, int(stmt.Pos().Offset()), int(stmt.End().Offset()), "an unknown kind of statement")
	}
}

// outer applies the redirects of a block to everything inside it.
func (r *reader) outer(list []*syntax.Redirect, st *state, s *scope) {
	if len(list) == 0 {
		return
	}
	own := r.redirects(list, st, s, -1)
	for i := range own {
		own[i].Outer = true
	}
	s.in, s.out = streams(own, s.in, s.out)
	s.redirs = append(own, s.redirs...)
}

func (r *reader) binary(c *syntax.BinaryCmd, st *state, s *scope) {
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		r.pipeline(c, st, s)
	case syntax.AndStmt:
		base := st.vars
		before := *st
		left := *s
		left.extra = nil
		if s.lenient {
			left.mask()
		}
		a := len(r.line.Commands)
		tested(st, func() { r.stmt(c.X, st, &left) })
		asks := r.isTest(a)
		s.lenient = false
		s.flags |= Conditional
		if st.errexit {
			s.fatal(s.shell)
		}
		if leaves(c.Y) {
			r.stmt(c.Y, st.fork(), s)
			return
		}
		mid := st.vars
		r.stmt(c.Y, st, s)
		if asks && st.vars != mid {
			// [ -d x ] && X=y: it may not have been set
			dir, dirElse, old := st.dir, st.dirElse, st.old
			*st = *join(base, st, &before)
			st.dir, st.dirElse, st.old = dir, dirElse, old
		}
	case syntax.OrStmt:
		base := st.vars
		left := *s
		left.extra = nil
		lv := leaves(c.Y)
		switch to, ends := r.ends(c.Y, st, s); {
		case ends:
			left.fatal(to)
			s.fatal(to)
		case !fails(c.Y):
			left.mask()
		}
		left.lenient = false
		tested(st, func() { r.stmt(c.X, st, &left) })
		s.flags |= Conditional
		other := st.fork()
		r.stmt(c.Y, other, s)
		if !lv {
			*st = *join(base, st, other)
		}
	}
}

// isTest reports whether the commands from index a on only ask something.
func (r *reader) isTest(a int) bool {
	if a >= len(r.line.Commands) {
		return true
	}
	for i := a; i < len(r.line.Commands); i++ {
		switch r.line.Commands[i].Program {
		case "[", "[[", "test", "((", "command", "which", "grep", "type", "false":
		default:
			return false
		}
	}
	return true
}

func (r *reader) pipeline(c *syntax.BinaryCmd, st *state, s *scope) {
	var stages []*syntax.Stmt
	for x := c; ; {
		// a | b | c may lean to either side
		stages = append([]*syntax.Stmt{x.Y}, stages...)
		b, ok := x.X.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.Pipe && b.Op != syntax.PipeAll || len(x.X.Redirs) > 0 || x.X.Negated {
			stages = append([]*syntax.Stmt{x.X}, stages...)
			break
		}
		x = b
	}
	for len(stages) < MaxNesting {
		last := stages[len(stages)-1]
		b, ok := last.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.Pipe && b.Op != syntax.PipeAll || len(last.Redirs) > 0 || last.Negated {
			break
		}
		stages = append(stages[:len(stages)-1], b.X, b.Y)
	}
	if s.pipe == 0 {
		r.pipelines++
		s.pipe = r.pipelines
	}
	pipe, stage0 := s.pipe, s.stage
	in := s.in
	first := s.first
	s.first = false
	var before []int
	for i, stmt := range stages {
		s2 := *s
		s2.pipe, s2.stage = pipe, stage0+i
		s2.flags |= Subshell
		s2.in = in
		if i < len(stages)-1 {
			s2.extra = nil
			s2.out = Stream{Kind: Pipe}
			if !st.pipefail && !(first && i == 0) {
				s2.mask()
			}
		} else if first {
			s2.mask()
		}
		s2.newShell()
		a := len(r.line.Commands)
		r.stmt(stmt, st.fork(), &s2)
		here := r.direct(a, &s2)
		for _, j := range before {
			if o := &r.line.Commands[j].Stdout; o.Kind == Pipe {
				o.Peers = here
			}
		}
		before = here
		in = Stream{Kind: Pipe, Peers: here}
		in.Text, in.Known = r.output(here, Pipe)
	}
}

func (r *reader) ifClause(c *syntax.IfClause, st *state, s *scope) {
	// An elif chain is walked in a loop: it may be long.
	base := st.vars
	flags := s.flags
	var merged *state
	take := func(b *state, body []*syntax.Stmt) {
		if n := len(body); n > 0 {
			if leaves(body[n-1]) {
				return
			}
		}
		if merged == nil {
			merged = b
		} else {
			merged = join(base, merged, b)
		}
	}
	for ; c != nil; c = c.Else {
		s2 := *s
		if len(c.Cond) == 0 { // else
			s2.flags = flags | Conditional
			b := st.fork()
			r.stmts(c.Then, b, &s2)
			take(b, c.Then)
			if merged != nil {
				*st = *merged
			}
			return
		}
		cond := c.Cond
		if to, x := r.decides(c, st, s); x != nil {
			s2.fatal(to)
			cond = []*syntax.Stmt{x}
		} else {
			s2.mask()
		}
		tested(st, func() { r.stmts(cond, st, &s2) })
		s2.flags = flags | Conditional
		b := st.fork()
		r.stmts(c.Then, b, &s2)
		take(b, c.Then)
		flags |= Conditional
	}
	if merged != nil {
		*st = *join(base, merged, st)
	}
}

func (r *reader) forClause(c *syntax.ForClause, st *state, s *scope) {
	base := st.vars
	head := *s
	head.via = ViaSubst
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		var v value
		if l.InPos.IsValid() {
			words := r.words(l.Items, st, &head, s.parent)
			v = valueOfWords(words)
		} else {
			v = st.allArgs()
			if !v.isList || len(v.list) == 0 {
				v = unknownVar("@")
			} else {
				v = valueOfList(v.list)
			}
		}
		if l.Name != nil {
			st.set(l.Name.Value, v)
		}
	case *syntax.CStyleLoop:
		for _, x := range [...]syntax.ArithmExpr{l.Init, l.Cond, l.Post} {
			r.arith(x, st, &head, s.parent)
		}
	}
	s.flags |= Looped | Conditional
	s.mask()
	body := st.fork()
	r.stmts(c.Do, body, s)
	*st = *join(base, st, body)
}

// valueOfWords is the value of a variable that takes each word in turn.
func valueOfWords(words []Word) value {
	if len(words) == 0 {
		return known("")
	}
	list := make([]value, len(words))
	for i := range words {
		list[i] = valueOf(&words[i])
	}
	return valueOfList(list)
}

func valueOfList(list []value) value {
	v := value{static: true}
	for _, w := range list {
		w = w.first()
		for _, t := range w.texts {
			if len(v.texts) >= maxAlts {
				v.static = false
				break
			}
			if !slices.Contains(v.texts, t) {
				v.texts = append(v.texts, t)
			}
		}
		v.static = v.static && w.static
		v.glob = v.glob || w.glob
		v.blank = v.blank || w.blank
		v.vars = union(v.vars, w.vars)
		v.subst = union(v.subst, w.subst)
	}
	return v
}

func (r *reader) caseClause(c *syntax.CaseClause, st *state, s *scope) {
	base := st.vars
	head := *s
	head.via = ViaSubst
	if c.Word != nil {
		r.one(c.Word, st, &head, s.parent, asWord)
	}
	merged := st
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			r.one(p, st, &head, s.parent, asWord)
		}
		s2 := *s
		s2.flags |= Conditional
		b := st.fork()
		r.stmts(item.Stmts, b, &s2)
		if n := len(item.Stmts); n > 0 {
			if leaves(item.Stmts[n-1]) {
				continue
			}
		}
		merged = join(base, merged, b)
	}
	*st = *merged
}

func (r *reader) testClause(c *syntax.TestClause, st *state, s *scope) {
	pos, end := s.t.span(int(c.Pos().Offset()), int(c.End().Offset()))
	idx := r.open(st, s, pos, end)
	if idx < 0 {
		return
	}
	argv := []Word{{Raw: "[[", Text: "[[", Static: true, Pos: pos, End: pos + 2}}
	syntax.Walk(c.X, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok {
			argv = append(argv, r.one(w, st, s, idx, asWord))
			return false
		}
		return true
	})
	cmd := &r.line.Commands[idx]
	cmd.Argv, cmd.Program = argv, "[["
	cmd.Redirects = s.redirs
	cmd.Stdin, cmd.Stdout = s.in, s.out
	cmd.Stdout.Known = true
}

func (r *reader) arithmCmd(name string, n syntax.Command, st *state, s *scope) {
	pos, end := s.t.span(int(n.Pos().Offset()), int(n.End().Offset()))
	idx := r.open(st, s, pos, end)
	if idx < 0 {
		return
	}
	switch n := n.(type) {
	case *syntax.ArithmCmd:
		r.arith(n.X, st, s, idx)
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			r.arith(x, st, s, idx)
		}
	}
	cmd := &r.line.Commands[idx]
	cmd.Argv = []Word{{Raw: name, Text: name, Static: true, Pos: pos, End: pos + len(name)}}
	cmd.Program = name
	cmd.Redirects = s.redirs
	cmd.Stdin, cmd.Stdout = s.in, s.out
	cmd.Stdout.Known = true
}

// arith runs the substitutions in an arithmetic expression.
func (r *reader) arith(x syntax.ArithmExpr, st *state, s *scope, owner int) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			r.cmdSubst(n, st, s, owner)
			return false
		case *syntax.ProcSubst:
			return false
		case *syntax.BinaryArithm:
			switch n.Op {
			case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn:
				if w, ok := n.X.(*syntax.Word); ok && syntax.ValidName(w.Lit()) {
					st.set(w.Lit(), number())
				}
			}
		case *syntax.UnaryArithm:
			if n.Op == syntax.Inc || n.Op == syntax.Dec {
				if w, ok := n.X.(*syntax.Word); ok && syntax.ValidName(w.Lit()) {
					st.set(w.Lit(), number())
				}
			}
		}
		return true
	})
}

func (r *reader) funcDecl(c *syntax.FuncDecl, stmt *syntax.Stmt, st *state, s *scope) {
	body := c.Body
	if body == nil {
		return
	}
	if len(stmt.Redirs) > 0 {
		body = &syntax.Stmt{Cmd: &syntax.Block{Stmts: []*syntax.Stmt{body}}, Position: body.Position, Redirs: stmt.Redirs}
	}
	names := c.Names
	if c.Name != nil {
		names = []*syntax.Lit{c.Name}
	}
	if len(names) == 0 { // zsh's () { … }: runs at once
		r.stmt(body, st, s)
		return
	}
	for _, n := range names {
		f := &function{name: n.Value, body: body, scope: *s, next: st.funcs}
		f.scope.in, f.scope.out, f.scope.pipe, f.scope.extra = Stream{}, Stream{}, 0, nil
		f.scope.flags &^= Negated
		st.funcs = f
		f.st = *st.fork()
		r.defs = append(r.defs, f)
	}
}

func (r *reader) call(c *syntax.CallExpr, stmt *syntax.Stmt, st *state, s *scope) {
	pos, end := int(stmt.Pos().Offset()), int(stmt.End().Offset())
	if len(c.Args)+len(c.Assigns) > 0 && c.Pos().IsValid() {
		pos = min(pos, int(c.Pos().Offset()))
	}
	pos, end = s.t.span(pos, end)
	idx := r.open(st, s, pos, end)
	if idx < 0 {
		return
	}
	words := r.words(c.Args, st, s, idx)
	if len(s.extra) > 0 {
		words = append(words, s.extra...)
	}
	assigns := r.assigns(c.Assigns, st, s, idx, len(c.Args) == 0)
	redirs := r.redirects(stmt.Redirs, st, s, idx)
	r.simple(idx, words, assigns, redirs, st, s)
}

// decl is export, declare and their like: a command whose arguments are
// assignments.
func (r *reader) decl(c *syntax.DeclClause, stmt *syntax.Stmt, st *state, s *scope) {
	pos, end := s.t.span(int(stmt.Pos().Offset()), int(stmt.End().Offset()))
	idx := r.open(st, s, pos, end)
	if idx < 0 {
		return
	}
	name := c.Variant.Value
	export := name == "export"
	unset, ref := false, name == "nameref"
	argv := []Word{r.litWord(c.Variant, s)}
	for _, a := range c.Args {
		if a.Name == nil {
			if a.Value == nil {
				continue
			}
			words := r.words([]*syntax.Word{a.Value}, st, s, idx)
			for i := range words {
				w := &words[i]
				switch {
				case strings.HasPrefix(w.Text, "-"):
					export = export || name != "export" && strings.Contains(w.Text, "x")
					unset = unset || name == "export" && strings.Contains(w.Text, "n")
					ref = ref || name != "export" && name != "readonly" && strings.Contains(w.Text, "n")
				default:
					if n, val, ok := strings.Cut(w.Text, "="); ok && syntax.ValidName(n) {
						v := valueOf(w)
						v.texts = []string{val}
						st.set(n, v)
						if export {
							st.export(n, v)
						}
					}
				}
			}
			argv = append(argv, words...)
			continue
		}
		if s.calls != nil && s.calls.fn != nil && name != "export" && name != "readonly" {
			st.locals = append(st.locals, a.Name.Value)
		}
		if a.Value != nil && mayBrace(a.Value) && !a.Append && a.Index == nil {
			// x={a,b} is x=a x=b here: the last one stays
			if words := r.words([]*syntax.Word{a.Value}, st, s, idx); len(words) > 1 {
				x := words[len(words)-1]
				st.set(a.Name.Value, valueOf(&x))
				if export {
					st.export(a.Name.Value, valueOf(&x))
				}
				x.Text = a.Name.Value + "=" + x.Text
				argv = append(argv, x)
				continue
			}
		}
		p, e := s.t.span(int(a.Pos().Offset()), int(a.End().Offset()))
		w := Word{Raw: r.raw(s, a.Pos(), a.End()), Text: a.Name.Value, Static: true, Pos: p, End: e}
		if a.Naked {
			if v, ok := st.lookup(a.Name.Value); ok && export && !unset {
				st.export(a.Name.Value, v)
			} else if export && !unset {
				st.export(a.Name.Value, unknownVar(a.Name.Value))
			}
		} else if got := r.assigns([]*syntax.Assign{a}, st, s, idx, true); len(got) > 0 {
			val := got[0].Value
			w.Text += "=" + val.Text
			for _, o := range val.Or {
				w.Or = append(w.Or, a.Name.Value+"="+o)
			}
			w.Static, w.Quoted, w.Vars, w.Subst, w.Blank = val.Static, val.Quoted, val.Vars, val.Subst, val.Blank
			v, _ := st.lookup(a.Name.Value)
			if ref && val.Static && len(val.Or) == 0 && syntax.ValidName(val.Text) {
				v = r.variable(val.Text, st, s) // as it is now
				st.set(a.Name.Value, v)
			}
			if export {
				st.export(a.Name.Value, v)
			}
		}
		argv = append(argv, w)
	}
	redirs := r.redirects(stmt.Redirs, st, s, idx)
	cmd := &r.line.Commands[idx]
	cmd.Argv, cmd.Program = argv, name
	r.finish(idx, nil, redirs, st, s)
	r.line.Commands[idx].Stdout.Known = len(argv) > 1 && !strings.HasPrefix(argv[1].Text, "-p")
}

func (r *reader) litWord(l *syntax.Lit, s *scope) Word {
	p, e := s.t.span(int(l.Pos().Offset()), int(l.End().Offset()))
	return Word{Raw: l.Value, Text: l.Value, Static: true, Pos: p, End: e}
}

// assigns expands assignments; with set they change the shell's own variables.
func (r *reader) assigns(list []*syntax.Assign, st *state, s *scope, owner int, set bool) []Assign {
	if len(list) == 0 {
		return nil
	}
	out := make([]Assign, 0, len(list))
	for _, a := range list {
		if a.Name == nil {
			continue
		}
		name := a.Name.Value
		if a.Index != nil {
			r.arith(a.Index, st, s, owner)
		}
		var v value
		var w Word
		switch {
		case a.Array != nil:
			for _, e := range a.Array.Elems {
				if e.Index != nil {
					r.arith(e.Index, st, s, owner)
				}
				if e.Value == nil {
					continue
				}
				for _, x := range r.words([]*syntax.Word{e.Value}, st, s, owner) {
					v.list = append(v.list, valueOf(&x))
				}
			}
			v.isList = true
			w = v.word(name)
			p, e := s.t.span(int(a.Array.Pos().Offset()), int(a.Array.End().Offset()))
			w.Raw, w.Pos, w.End = r.raw(s, a.Array.Pos(), a.Array.End()), p, e
		case a.Value != nil:
			w = r.one(a.Value, st, s, owner, asAssign)
			v = valueOf(&w)
			v.glob = false // no pathname expansion in an assignment
			w.Glob = false
		default:
			v = known("")
			w = Word{Static: true}
		}
		out = append(out, Assign{Name: name, Value: w, Append: a.Append})
		if !set {
			continue
		}
		if a.Index != nil { // one element: the array is no longer known
			i, ok := a.Index.(*syntax.Word)
			old, had := st.lookup(name)
			n, num := 0, false
			if ok {
				n, num = atoi(i.Lit())
			}
			switch {
			case num && had && old.isList && n < len(old.list):
				v2 := value{isList: true, list: slices.Clone(old.list)}
				v2.list[n] = v
				v = v2
			case num && (had && old.isList && n == len(old.list) || !had && n == 0):
				v = value{isList: true, list: append(slices.Clone(old.list), v)}
			default:
				v = value{isList: true, list: append(slices.Clone(old.list), v, unknownVar(name))}
			}
		} else if a.Append {
			old, had := st.lookup(name)
			switch {
			case !had:
				old = r.variable(name, st, s)
			}
			switch {
			case v.isList && old.isList:
				v.list = append(slices.Clone(old.list), v.list...)
			case v.isList:
				v.list = append([]value{old}, v.list...)
			default:
				v = r.concat(old.first(), v)
			}
		}
		st.set(name, v)
	}
	return out
}

func atoi(s string) (int, bool) {
	if s == "" || len(s) > 6 {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

func (r *reader) redirects(list []*syntax.Redirect, st *state, s *scope, owner int) []Redirect {
	if len(list) == 0 {
		return nil
	}
	head := *s
	if owner < 0 {
		head.via = ViaSubst
		owner = s.parent
	}
	out := make([]Redirect, 0, len(list))
	for _, rd := range list {
		x := Redirect{Op: rd.Op.String()}
		switch rd.Op {
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		default:
			x.Fd = 1
		}
		if rd.N != nil {
			if n, ok := atoi(rd.N.Value); ok {
				x.Fd = n
			} else {
				// {name}>: some descriptor from 10 on
				r.fds++
				x.Fd = 9 + r.fds
				if n := strings.Trim(rd.N.Value, "{}"); syntax.ValidName(n) && rd.Op != syntax.DplIn && rd.Op != syntax.DplOut || r.fds == 1 {
					setVar(st, n, known(itoa(x.Fd)))
				}
			}
		}
		switch rd.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			x.Quoted = hasQuotes(rd.Word)
			if rd.Word != nil {
				x.Target = r.plainWord(rd.Word, s)
			}
			if rd.Hdoc != nil {
				x.Body = r.heredoc(rd, x.Quoted, st, &head, owner)
			} else {
				x.Body = Word{Static: true}
			}
		default:
			if rd.Word != nil {
				x.Target = r.one(rd.Word, st, &head, owner, asWord)
			}
		}
		out = append(out, x)
	}
	return out
}

func hasQuotes(w *syntax.Word) bool {
	if w == nil {
		return false
	}
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		case *syntax.Lit:
			if strings.Contains(p.Value, `\`) {
				return true
			}
		}
	}
	return false
}

// streams applies redirects to where input comes from and output goes.
func streams(list []Redirect, in, out Stream) (Stream, Stream) {
	for i := range list {
		rd := &list[i]
		switch {
		case rd.Fd == 0 && (rd.Op == "<" || rd.Op == "<>" || strings.HasPrefix(rd.Op, "<<")):
			in = inputStream(rd)
		case rd.Fd == 0 && rd.Op == "<&" && rd.Target.Text == "-":
			in = Stream{Kind: Closed, Known: true}
		case rd.Fd == 1 && rd.Op == ">&" && rd.Target.Text == "-":
			out = Stream{Kind: Closed}
		case rd.Fd == 1 && rd.Op == ">&" && isFdWord(rd.Target.Text):
			// 1>&2: still to where the line's own output goes
			if rd.Target.Text == "2" {
				out = Stream{Kind: Inherit}
			} else if o := opened(list, rd.Target.Text); o != nil && o.Writes() {
				out = fileStream(o)
			}
		case rd.Fd == 0 && rd.Op == "<&":
			if o := opened(list, rd.Target.Text); o != nil && !o.Writes() {
				in = inputStream(o)
			}
		case rd.Fd == 1 && rd.Writes():
			out = fileStream(rd)
		}
	}
	return in, out
}

// opened is the redirect that opened a descriptor from 3 on, or nil.
func opened(list []Redirect, fd string) *Redirect {
	n, ok := atoi(strings.TrimSuffix(fd, "-"))
	if !ok || n < 3 {
		return nil
	}
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Fd == n && (list[i].Writes() || list[i].Reads() || strings.HasPrefix(list[i].Op, "<<")) {
			return &list[i]
		}
	}
	return nil
}

// inputStream is what a redirect gives to read.
func inputStream(rd *Redirect) Stream {
	switch rd.Op {
	case "<<", "<<-":
		return Stream{Kind: Here, Known: rd.Body.Static && len(rd.Body.Or) == 0, Text: rd.Body.Text, Peers: rd.Body.Subst}
	case "<<<":
		return Stream{Kind: Here, Known: rd.Target.Static && len(rd.Target.Or) == 0, Text: rd.Target.Text + "\n", Peers: rd.Target.Subst}
	}
	return fileStream(rd)
}

func fileStream(rd *Redirect) Stream {
	if rd.Target.Static && (rd.Target.Text == "/dev/null" || rd.Target.Text == "NUL") {
		return Stream{Kind: Closed, Known: rd.Op == "<"}
	}
	return Stream{Kind: File, File: rd.Target, Peers: rd.Target.Subst}
}
