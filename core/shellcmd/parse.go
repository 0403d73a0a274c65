package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	maxSteps    = 20000 // statements walked, functions and code counted each time
	maxBrackets = 1000  // open brackets that the parser is handed
	maxOpeners  = 4000  // compound keywords that the parser is handed
	maxAlts     = 16    // values of one word
	maxRuns     = 8     // values of one word that are read as code
)

// failed is why a line is opaque after a panic.
const failed = "the reader failed on it"

// hole stands for an unknown part inside text that is read as code. It is a
// noncharacter, so that it is plain text to every reader.
const hole = "\uFDD0"

// reader is the work of one Parse.
type reader struct {
	line      *Line
	o         Options
	budget    int // bytes of expansion left
	steps     int // statements walked
	pipelines int
	deep      int // code inside code
	files     []written
	renamed   []renamed
	scripts   []script
	defs      []*function
	traps     []trapped
	parser    *syntax.Parser
	fds       int  // descriptors named {x}>
	bare      bool // a panic is not caught: for tests

	// the tree of commands, youngest first
	last    []int // by command: its latest child
	prev    []int // by command: the sibling before it
	lastTop int
}

// written is a file that the line itself wrote and whose text is known.
type written struct {
	path  string
	text  string
	known bool
	from  []int // commands that wrote it
}

// source is something read as shell: the line, or text found inside it.
type source struct {
	body     string
	exact    bool // body is Line.Source[off:]; otherwise pos and end are what carried it
	off      int
	pos, end int
	holes    bool // the hole rune in it is an unknown part
	vars     []string
	subst    []int
}

func (t *source) span(a, b int) (int, int) {
	if t.exact {
		n := len(t.body) // what is not closed may end behind it
		return t.off + min(a, n), t.off + min(b, n)
	}
	return t.pos, t.end
}

// scope is the place of a statement: what it hangs on and what it inherits.
type scope struct {
	t      *source
	parent int
	via    Via
	flags  Flags
	in     Stream
	out    Stream
	redirs []Redirect
	pipe   int // 0 = a pipeline of its own
	stage  int
	depth  int
	calls  *frame
	first  bool   // exit ${PIPESTATUS[0]} follows: a pipe's first stage decides
	extra  []Word // arguments for the last command of an alias

	lenient bool // set -e does not end the line when the left of && fails

	// What exit and return hand their status on to: the flags with which the
	// running shell and the running function were entered.
	shell, ret Flags
	inFn       bool
	held       bool // set -e made the flags fatal, which for the left of && holds only at the end of a shell
}

// frame is a function or alias that is being run.
type frame struct {
	fn    *function
	alias string
	up    *frame
}

func parse(src string, o Options) *Line {
	r := newReader(src, o)
	r.read(src)
	return r.line
}

func newReader(src string, o Options) *reader {
	return &reader{line: &Line{Source: src}, o: o, budget: MaxExpand}
}

func (r *reader) read(src string) {
	l, o := r.line, r.o
	if len(src) > MaxSource {
		src = src[:MaxSource]
		l.Truncated = true
	}
	t := &source{body: src, exact: true, end: len(src)}
	if strings.Contains(src, Unknown) { // shells drop NULs
		t.body, t.exact = strings.ReplaceAll(src, Unknown, ""), false
	}
	s := &scope{t: t, parent: -1}
	st := &state{dir: o.Cwd, argsKnown: true}
	r.guarded(s, func() {
		if o.PowerShell {
			r.powershell(t, st, s)
		} else {
			r.script(t, st, s)
		}
		r.uncalled()
	})
}

// guarded runs f and turns a panic into an opaque line, read word by word.
func (r *reader) guarded(s *scope, f func()) {
	if r.bare {
		f()
		return
	}
	defer func() {
		if e := recover(); e != nil {
			r.opaque(s.t, 0, len(s.t.body), failed)
			r.line.Truncated = true
			for _, seg := range looseSplit(s.t.body, 256) {
				w := looseWords(s.t, seg.pos, seg.end)
				if len(w) == 0 || len(r.line.Commands) >= MaxCommands {
					continue
				}
				c := Command{Argv: w, Program: programName(w[0].Text), Parent: -1, Flags: Loose, Pos: w[0].Pos, End: w[len(w)-1].End}
				r.line.Commands = append(r.line.Commands, c)
			}
		}
	}()
	f()
}

func (r *reader) opaque(t *source, a, b int, why string) {
	a, b = t.span(a, b)
	r.line.Opaque = append(r.line.Opaque, Span{Pos: a, End: b, Why: why})
}

// script reads t as POSIX shell, in the dialect that fits.
func (r *reader) script(t *source, st *state, s *scope) {
	n := len(r.traps)
	r.statements(t, st, s)
	r.runTraps(n, st)
}

func (r *reader) statements(t *source, st *state, s *scope) {
	if strings.TrimSpace(t.body) == "" {
		return
	}
	if tooDeep(t.body) {
		r.line.Truncated = true
		r.opaque(t, 0, len(t.body), "nested too deeply")
		r.loose(t, 0, st, s)
		return
	}
	body := t.body
	file, err := r.dialect(syntax.LangBash, body)
	if err != nil {
		for _, l := range [...]syntax.LangVariant{syntax.LangZsh, syntax.LangMirBSDKorn, syntax.LangPOSIX} {
			if f, e := r.dialect(l, body); e == nil {
				file, err = f, nil
				break
			}
		}
	}
	if err != nil {
		if fixed := repair(body); fixed != body {
			if f, e := r.dialect(syntax.LangBash, fixed); e == nil {
				t2 := *t
				t2.body = fixed
				t2.pos, t2.end = t.span(0, len(body))
				t2.exact = false
				s2 := *s
				s2.t = &t2
				r.stmts(f.Stmts, st, &s2)
				return
			}
		}
	}
	if err == nil {
		r.stmts(file.Stmts, st, s)
		return
	}
	// What stands before the error is read as it is, the rest loosely.
	at := 0
	if file, at = r.prefix(body); file != nil {
		r.stmts(file.Stmts, st, s)
	}
	r.opaque(t, at, len(body), "not valid shell: "+short(err))
	r.loose(t, at, st, s)
}

// repair writes out what some shells let go: a brace without blank, as zsh
// reads f(){x}, and a heredoc that ends in the bracket after its delimiter.
func repair(body string) string {
	s := strings.ReplaceAll(body, "(){", "(){ ")
	if strings.Contains(s, "(){ ") {
		s = strings.ReplaceAll(s, "&}", "& }")
	}
	for i, n := 0, 0; n < 16; n++ {
		j := strings.Index(s[i:], "<<")
		if j < 0 {
			break
		}
		i += j + 2
		if d := delimiter(s[i:]); d != "" {
			s = s[:i] + strings.Replace(s[i:], "\n"+d+")", "\n"+d+"\n)", 1)
		}
	}
	return s
}

func short(err error) string {
	s := err.Error()
	if len(s) > 120 {
		s = s[:120]
	}
	return s
}

func (r *reader) dialect(l syntax.LangVariant, body string) (*syntax.File, error) {
	if r.parser == nil {
		r.parser = syntax.NewParser(syntax.Variant(l))
	} else {
		syntax.Variant(l)(r.parser)
	}
	return r.parser.Parse(strings.NewReader(body), "")
}

// prefix parses the statements before the first line that is not valid, and
// says where the rest begins.
func (r *reader) prefix(body string) (*syntax.File, int) {
	f := &syntax.File{}
	syntax.Variant(syntax.LangBash)(r.parser)
	at, failed := 0, false
	for stmt, err := range r.parser.StmtsSeq(strings.NewReader(body)) {
		if failed = failed || err != nil; failed {
			continue // not break: the iterator goes on after an error in a heredoc (v3.14.1)
		}
		f.Stmts = append(f.Stmts, stmt)
		at = stmtEnd(stmt)
	}
	for at < len(body) && strings.IndexByte(" \t\n;&", body[at]) >= 0 {
		at++
	}
	return f, min(at, len(body))
}

// stmtEnd is the offset after a statement and its heredocs.
func stmtEnd(stmt *syntax.Stmt) int {
	end := int(stmt.End().Offset())
	syntax.Walk(stmt, func(n syntax.Node) bool {
		if rd, ok := n.(*syntax.Redirect); ok && rd.Hdoc != nil {
			end = max(end, int(rd.Hdoc.End().Offset()))
		}
		return true
	})
	return end
}

// tooDeep reports whether the parser, which recurses, should not be given s.
// It counts without regard to quotes, so its limits are far above real code.
func tooDeep(s string) bool {
	depth, run, open := 0, 0, 0
	for i := range len(s) {
		switch c := s[i]; c {
		case '(', '{', '[':
			if depth++; depth > maxBrackets {
				return true
			}
		case ')', '}', ']':
			depth = max(0, depth-1)
		case '!', '-', '~', '+', '`', '"', '$', '?', ':', '|', '&':
			// operators that nest to the right, and quotes
			if run++; run > 20*maxOpeners {
				return true
			}
		case 'i', 'w', 'u', 'f', 'c', 's', 't':
			if i > 0 && isWordByte(s[i-1]) {
				continue
			}
			switch word := wordAt(s, i); word {
			case "if", "while", "until", "for", "case", "select", "time", "coproc", "function":
				if open++; open > maxOpeners {
					return true
				}
			case "fi":
				open = max(0, open-1)
			}
		case 'd', 'e':
			if i > 0 && isWordByte(s[i-1]) {
				continue
			}
			if w := wordAt(s, i); w == "done" || w == "esac" {
				open = max(0, open-1)
			}
		}
	}
	return false
}

func wordAt(s string, i int) string {
	j := i
	for j < len(s) && j-i < 10 && isWordByte(s[j]) {
		j++
	}
	return s[i:j]
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// spend takes n bytes of expansion and reports whether there were that many.
func (r *reader) spend(n int) bool {
	if r.budget -= n; r.budget < 0 {
		r.line.Truncated = true
		return false
	}
	return true
}

// uncalled reads the functions that were defined and never called.
func (r *reader) uncalled() {
	for i := range len(r.defs) {
		f := r.defs[i]
		if f.called {
			continue
		}
		f.called = true
		s2 := f.scope
		s2.parent, s2.via = -1, ViaNone
		s2.flags |= Conditional | Masked
		if f.name != "command_not_found_handle" { // which bash calls by itself
			s2.flags |= Uncalled
		}
		s2.calls = &frame{fn: f, up: s2.calls}
		s2.shell, s2.ret, s2.inFn = s2.flags, s2.flags, true
		st := f.st
		st.args, st.argsKnown = nil, false
		r.stmt(f.body, &st, &s2)
	}
}

func (l *Line) upstream(i int) []int {
	if i < 0 || i >= len(l.Commands) {
		return nil
	}
	// what stands below a command writes to the command's own output
	n := len(l.Commands)
	below, next := make([]int, n), make([]int, n)
	for j := n - 1; j > 0; j-- {
		if p := l.Commands[j].Parent; p >= 0 && l.Commands[j].Via != ViaSubst {
			next[j], below[p] = below[p], j // 0 ends a list: command 0 has no parent
		}
	}
	seen := make([]bool, n)
	seen[i] = true
	var out []int
	queue := []int{i}
	add := func(list []int) {
		for _, j := range list {
			if j >= 0 && j < n && !seen[j] {
				seen[j] = true
				out = append(out, j)
				queue = append(queue, j)
			}
		}
	}
	for len(queue) > 0 {
		k := queue[0]
		queue = queue[1:]
		c := &l.Commands[k]
		add(c.Stdin.Peers)
		for _, w := range c.Argv {
			add(w.Subst)
		}
		for j := range c.Redirects {
			rd := &c.Redirects[j]
			add(rd.Body.Subst)
			if !rd.Writes() {
				add(rd.Target.Subst)
			}
		}
		for _, code := range c.Code {
			add(code.Sources)
			add(code.File.Subst)
		}
		if k != i {
			for j := below[k]; j > 0; j = next[j] {
				add([]int{j})
			}
		}
	}
	return out
}
