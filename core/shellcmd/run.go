package shellcmd

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// simple reads a command whose words are expanded: it takes wrappers off,
// names the program, and reads whatever the program itself would run.
func (r *reader) simple(idx int, words []Word, assigns []Assign, redirs []Redirect, st *state, s *scope) {
	if len(words) == 0 {
		cmd := &r.line.Commands[idx]
		cmd.Assigns = assigns
		r.finish(idx, assigns, redirs, st, s)
		cmd = &r.line.Commands[idx]
		cmd.Stdout.Known = true
		r.wrote(idx)
		return
	}
	if a := r.aliasOf(&words[0], st, s); a != nil {
		r.runAlias(idx, a, words, assigns, redirs, st, s)
		return
	}
	p := peeled{words: words, assigns: assigns, dir: st.dir}
	r.peel(&p)
	cmd := &r.line.Commands[idx]
	cmd.Wrappers = p.wrappers
	cmd.Flags |= p.flags
	if p.chdir {
		cmd.Dir, cmd.DirElse = p.dir, nil
	}
	words, assigns = p.words, p.assigns
	cmd.Argv = words
	cmd.Assigns = assigns
	if len(r.renamed) > 0 {
		words = append([]Word(nil), words...)
		r.realNames(&words[0], cmd.Dir)
		cmd.Argv = words
	}
	first := &words[0]
	cmd.Program = programOf(first)
	cmd.Dynamic = cmd.Program == ""
	if sub, ok := strings.CutPrefix(cmd.Program, "git-"); ok && sub != "" && sub != "bash" && sub != "cmd" && sub != "gui" {
		// the dashed form of a git command
		git, rest := *first, *first
		git.Text, rest.Text = "git", sub
		git.Or, rest.Or = nil, nil
		words = append([]Word{git, rest}, words[1:]...)
		cmd.Argv, cmd.Program = words, "git"
	}
	if fileCmdlet(cmd.Program) && !cmd.Dynamic && cmd.Flags&PowerShell == 0 {
		// a cmdlet handed to the wrong shell still shows what is wanted
		words = append([]Word{words[0]}, psParams(cmd.Program, cmd.Program, words[1:])...)
		cmd.Argv = words
	}
	r.finish(idx, assigns, redirs, st, s)
	if p.cleared {
		r.line.Commands[idx].Env = assigns
	}

	// a name with several possible values runs each of them
	if len(first.Or) > 0 && s.via != ViaFunction {
		r.alternatives(idx, words, assigns, redirs, st, s)
	}
	if f := st.function(first.Text); f != nil && first.Static && onlyBuiltinWrappers(p.wrappers) {
		r.callFunction(idx, f, st, s)
		return
	}
	r.receive(idx, st, s)
	r.wrote(idx)
	r.renames(idx)
}

func onlyBuiltinWrappers(list []Wrapper) bool {
	for i := range list {
		switch list[i].Name {
		case "time", "noglob", "nocorrect":
		default:
			return false
		}
	}
	return true
}

// alternatives adds a command for each further value of the program's name.
func (r *reader) alternatives(idx int, words []Word, assigns []Assign, redirs []Redirect, st *state, s *scope) {
	first := words[0]
	for i, name := range first.Or {
		if i >= maxRuns || strings.Contains(name, Unknown) || name == "" || programName(name) == r.line.Commands[idx].Program {
			continue
		}
		j := r.open(st, s, first.Pos, words[len(words)-1].End)
		if j < 0 {
			return
		}
		w := first
		w.Text, w.Or, w.Static, w.Vars = name, nil, true, nil
		c := &r.line.Commands[j]
		c.Pipeline, c.Stage = r.line.Commands[idx].Pipeline, r.line.Commands[idx].Stage
		c.Flags |= Conditional
		r.simple(j, append([]Word{w}, words[1:]...), assigns, redirs, st.fork(), s)
	}
}

// finish fills in what every command has.
func (r *reader) finish(idx int, assigns []Assign, redirs []Redirect, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	cmd.Env = st.exports
	if len(assigns) > 0 {
		cmd.Env = append(slices.Clip(st.exports), assigns...)
	}
	cmd.Redirects = redirs
	if len(s.redirs) > 0 {
		cmd.Redirects = append(slices.Clip(redirs), s.redirs...)
	}
	if len(st.fds) == 0 {
		cmd.Stdin, cmd.Stdout = streams(redirs, s.in, s.out)
	} else {
		all := append(slices.Clip(st.fds), redirs...)
		for _, rd := range st.fds {
			if cmd.Program != "exec" && (rd.Fd <= 2 || uses(cmd, redirs, rd.Fd)) {
				cmd.Redirects = append(slices.Clip(cmd.Redirects), rd)
			}
		}
		cmd.Stdin, cmd.Stdout = streams(all, s.in, s.out)
		if s.in.Kind != Inherit || s.out.Kind != Inherit { // a pipe comes after exec
			in, out := streams(redirs, s.in, s.out)
			if s.in.Kind != Inherit {
				cmd.Stdin = in
			}
			if s.out.Kind != Inherit && out.Kind == s.out.Kind && opened(all, lastDup(redirs)) == nil {
				cmd.Stdout = out
			}
		}
	}
	cmd.Stdout.Known, cmd.Stdout.Text = false, ""
	if cmd.Stdin.Kind == File {
		if f := r.file(&cmd.Stdin.File, cmd.Dir); f != nil {
			cmd.Stdin.Text, cmd.Stdin.Known = f.text, f.known
			cmd.Stdin.Peers = union(cmd.Stdin.Peers, f.from)
		} else if w := &cmd.Stdin.File; len(w.Subst) > 0 && strings.Trim(w.Text, Unknown) == "" { // < <( … )
			text, known := r.output(w.Subst, Capture)
			cmd = &r.line.Commands[idx]
			cmd.Stdin.Text, cmd.Stdin.Known = text, known
		}
	}
}

// uses reports whether a command names a descriptor: >&3, <&3, /dev/fd/3.
func uses(cmd *Command, redirs []Redirect, fd int) bool {
	n := itoa(fd)
	for i := range redirs {
		if t := redirs[i].Target.Text; strings.TrimSuffix(t, "-") == n || strings.HasSuffix(t, "/fd/"+n) {
			return true
		}
	}
	for i := range cmd.Argv {
		if strings.Contains(cmd.Argv[i].Text, "/fd/"+n) {
			return true
		}
	}
	return false
}

// lastDup is the descriptor that output is last sent to, as in >&3.
func lastDup(list []Redirect) string {
	for _, l := range slices.Backward(list) {
		if l.Fd == 1 && l.Op == ">&" {
			return l.Target.Text
		}
	}
	return ""
}

// programOf is the plain name of the program that w names, "" when unknown.
func programOf(w *Word) string {
	t := w.Text
	if i := strings.LastIndexAny(t, `/\`); i >= 0 && strings.Contains(t[:i+1], Unknown) {
		t = t[i+1:]
	}
	if strings.Contains(t, Unknown) {
		return ""
	}
	return programName(t)
}

// programName is a program's name without directory, extension and case.
func programName(t string) string {
	if i := strings.LastIndexAny(t, `/\`); i >= 0 {
		t = t[i+1:]
	}
	for i := 0; i < len(t); i++ {
		if t[i] >= 'A' && t[i] <= 'Z' {
			t = strings.ToLower(t)
			break
		}
	}
	if n := len(t) - 4; n > 0 && t[n] == '.' {
		switch t[n:] {
		case ".exe", ".cmd", ".bat", ".com":
			t = t[:n]
		}
	}
	return t
}

func (r *reader) aliasOf(w *Word, st *state, s *scope) *alias {
	if st.aliases == nil && st.hashed == nil || !w.Static {
		return nil
	}
	var a *alias
	if !w.Quoted {
		a = st.alias(w.Text)
	}
	if a == nil && (!printsItself(w.Text) || slices.Contains(st.off, w.Text)) {
		for a = st.hashed; a != nil && a.name != w.Text; {
			a = a.next
		}
	}
	if a == nil {
		return nil
	}
	n := 0
	for f := s.calls; f != nil; f = f.up {
		if n++; f.alias == a.name || n > 16 {
			return nil
		}
	}
	return a
}

// printsItself reports whether name is a builtin that a remembered path does
// not replace.
func printsItself(name string) bool {
	switch name {
	case "echo", "printf", "test", "[", "true", "false", "cd", "pwd", "kill", "read", "eval", "exec", "export", "set", "unset", "type", "command", "builtin", "wait", "trap", ":", ".", "source", "alias", "hash", "let", "local", "declare", "shift", "times", "ulimit", "umask":
		return true
	}
	return false
}

// runAlias lists the command as written and, below it, what the alias makes of
// it: whether an alias is in force depends on the shell's mood.
func (r *reader) runAlias(idx int, a *alias, words []Word, assigns []Assign, redirs []Redirect, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	cmd.Argv, cmd.Program, cmd.Assigns = words, programOf(&words[0]), assigns
	r.finish(idx, assigns, redirs, st, s)
	s2 := r.inside(idx, ViaAlias, s)
	s2.calls = &frame{alias: a.name, up: s.calls}
	s2.extra = words[1:]
	for _, v := range a.text.Values() {
		if !strings.Contains(v, Unknown) {
			r.run(&source{body: v, pos: words[0].Pos, end: words[0].End}, st, s2)
		}
	}
	cmd = &r.line.Commands[idx]
	cmd.Stdout.Text, cmd.Stdout.Known = r.childOutput(idx)
}

// inside is the scope of something that command idx runs.
func (r *reader) inside(idx int, via Via, s *scope) *scope {
	cmd := &r.line.Commands[idx]
	s2 := *s
	s2.parent, s2.via = idx, via
	s2.flags = cmd.Flags
	s2.lenient = false
	switch via {
	case ViaFunction:
		s2.ret, s2.inFn = s2.flags, true
	case ViaAlias:
	default:
		s2.shell, s2.inFn, s2.held = s2.flags, false, false
	}
	s2.in, s2.out = cmd.Stdin, cmd.Stdout
	s2.redirs = nil
	s2.pipe, s2.stage = 0, 0
	s2.extra = nil
	s2.depth = s.depth + 1
	return &s2
}

// childOutput is what the commands below idx print, where that is known.
func (r *reader) childOutput(idx int) (string, bool) {
	var list []int
	for i := r.youngest(idx); i >= 0; i = r.prev[i] {
		if c := &r.line.Commands[i]; c.Via != ViaSubst && c.Via != ViaProc {
			list = append(list, i)
		}
	}
	slices.Reverse(list)
	if len(list) == 0 {
		return "", false
	}
	return r.output(list, r.line.Commands[idx].Stdout.Kind)
}

// output is what the given commands print to a stream of that kind. The text
// of an unknown part is Unknown.
func (r *reader) output(list []int, kind StreamKind) (string, bool) {
	if len(list) == 1 {
		c := &r.line.Commands[list[0]]
		if c.Stdout.Kind == kind && c.Flags&(Background|Looped) == 0 {
			return c.Stdout.Text, c.Stdout.Known
		}
	}
	var sb strings.Builder
	all := true
	for _, i := range list {
		c := &r.line.Commands[i]
		if c.Stdout.Kind != kind {
			continue
		}
		if !c.Stdout.Known {
			all = false
			if c.Stdout.Text == "" {
				sb.WriteString(Unknown)
			}
		}
		if !r.spend(len(c.Stdout.Text)) {
			return "", false
		}
		sb.WriteString(c.Stdout.Text)
		if c.Flags&Looped != 0 {
			all = false
		}
	}
	if !all && strings.Trim(sb.String(), Unknown) == "" {
		return "", false
	}
	return sb.String(), all
}

// same reports whether f and g are one definition: a function may redefine
// itself in its body and then call the other one.
func (f *function) same(g *function) bool {
	return f.name == g.name && f.scope.t == g.scope.t && f.body.Position == g.body.Position
}

func (r *reader) callFunction(idx int, f *function, st *state, s *scope) {
	f.called = true
	n := 0
	for c := s.calls; c != nil; c = c.up {
		n++
		if c.fn != nil && c.fn.same(f) || n > 24 {
			r.line.Commands[idx].Flags |= Recursive
			return
		}
	}
	cmd := &r.line.Commands[idx]
	s2 := r.inside(idx, ViaFunction, s)
	s2.t = f.scope.t
	s2.calls = &frame{fn: f, up: s.calls}
	args, argsKnown, locals, before := st.args, st.argsKnown, st.locals, st.vars
	st.args, st.locals = nil, nil
	st.argsKnown = true
	for i := range cmd.Argv[1:] {
		w := &cmd.Argv[1+i]
		st.args = append(st.args, valueOf(w))
		if w.Splits {
			st.argsKnown = false
		}
	}
	vars := st.vars
	for _, a := range cmd.Assigns {
		st.set(a.Name, valueOf(&a.Value))
	}
	if len(cmd.Assigns) == 0 {
		vars = nil
	}
	r.stmt(f.body, st, s2)
	if vars != nil {
		for _, a := range r.line.Commands[idx].Assigns {
			for b := vars; b != nil; b = b.next {
				if b.name == a.Name {
					st.set(a.Name, b.val)
					break
				}
			}
		}
	}
	for _, name := range st.locals {
		old, ok := (&state{vars: before}).lookup(name)
		if !ok {
			old = unknownVar(name)
		}
		st.vars = &binding{name: name, val: old, next: st.vars}
	}
	st.args, st.argsKnown, st.locals = args, argsKnown, locals
	cmd = &r.line.Commands[idx]
	cmd.Stdout.Text, cmd.Stdout.Known = r.childOutput(idx)
}

// run reads t as shell code in a scope of its own.
func (r *reader) run(t *source, st *state, s *scope) {
	if r.deep >= MaxCodeDeep || s.depth > MaxNesting || r.steps > maxSteps || !r.spend(len(t.body)) {
		r.line.Truncated = true
		r.opaque(t, 0, len(t.body), "code inside code, too deep to read")
		return
	}
	r.steps++
	r.deep++
	s2 := *s
	s2.t = t
	s2.depth++
	r.script(t, st, &s2)
	r.deep--
}

// codeText makes a source out of the words that carry code.
func codeText(body string, w *Word) *source {
	t := &source{body: body, pos: w.Pos, end: w.End}
	if strings.Contains(body, Unknown) {
		t.body = strings.ReplaceAll(body, Unknown, hole)
		t.holes = true
		t.vars, t.subst = w.Vars, w.Subst
	}
	return t
}

// shellCode notes that idx runs body as shell, and reads it.
func (r *reader) shellCode(idx int, from CodeFrom, bodies []string, w *Word, static bool, st *state, s *scope) {
	for i, body := range bodies {
		if i >= maxRuns {
			r.line.Truncated = true
			break
		}
		if static && from != FromArg {
			body = strings.ReplaceAll(body, Unknown, "")
		}
		code := Code{Lang: LangShell, From: from, Text: body, Known: static && !strings.Contains(body, Unknown), Sources: w.Subst}
		if from == FromFile {
			code.File = *w
		}
		if strings.Trim(body, Unknown+" \t\n") == "" && !code.Known {
			code.Text = ""
			r.addCode(idx, code)
			continue
		}
		r.addCode(idx, code)
		s2 := r.inside(idx, ViaCode, s)
		s2.flags &^= PowerShell | Batch
		if from == FromStdin {
			s2.in = Stream{Kind: Here}
		}
		r.run(codeText(body, w), st, s2)
	}
	cmd := &r.line.Commands[idx]
	cmd.Stdout.Text, cmd.Stdout.Known = r.childOutput(idx)
}

func (r *reader) addCode(idx int, c Code) {
	cmd := &r.line.Commands[idx]
	cmd.Code = append(cmd.Code, c)
}

// childExec lists an argv that command idx runs.
func (r *reader) childExec(idx int, words []Word, st *state, s *scope, flags Flags) {
	if len(words) == 0 || r.deep >= 2*MaxCodeDeep {
		return
	}
	r.deep++
	defer func() { r.deep-- }()
	s2 := r.inside(idx, ViaExec, s)
	s2.flags |= flags
	if flags&Looped != 0 {
		s2.flags &^= Fatal
	}
	r.child(words, st, s2)
}

func (r *reader) child(words []Word, st *state, s *scope) {
	pos, end := words[0].Pos, words[0].End
	for i := range words {
		if words[i].End > end {
			end = words[i].End
		}
	}
	j := r.open(st, s, pos, end)
	if j < 0 {
		return
	}
	r.simple(j, words, nil, nil, st.fork(), s)
}

// sub is the shell state of a child process: only what was exported, and the
// command's own assignments.
func (r *reader) sub(idx int, st *state) *state {
	cmd := &r.line.Commands[idx]
	c := st.fork()
	c.dir, c.dirElse = cmd.Dir, cmd.DirElse
	if cmd.Flags&Remote != 0 {
		c.dir, c.dirElse, c.old = "", nil, ""
	}
	c.funcs, c.aliases = st.funcs, nil
	c.args, c.argsKnown = nil, true
	c.errexit, c.pipefail = false, false
	if !st.allexport {
		c.vars = nil
		for i := range cmd.Env {
			a := &cmd.Env[i]
			c.vars = &binding{name: a.Name, val: valueOf(&a.Value), next: c.vars}
		}
	}
	if cmd.Flags&Remote != 0 {
		c.vars, c.exports, c.funcs = nil, nil, nil
	}
	return c
}

// file is what is known of a file that the line wrote before.
func (r *reader) file(w *Word, dir string) *written {
	if len(r.files) == 0 || !w.Static {
		return nil
	}
	p := joinPath(dir, w.Text)
	if p == "" {
		return nil
	}
	for i := len(r.files) - 1; i >= 0; i-- {
		if r.files[i].path == p {
			return &r.files[i]
		}
	}
	return nil
}

// wrote remembers the text that a command puts into files.
func (r *reader) wrote(idx int) {
	cmd := &r.line.Commands[idx]
	for i := range cmd.Redirects {
		rd := &cmd.Redirects[i]
		if !rd.Writes() || rd.Fd != 1 || !rd.Target.Static || rd.Target.Text == "/dev/null" {
			continue
		}
		r.putFile(&rd.Target, cmd.Dir, cmd.Stdout.Text, cmd.Stdout.Known, strings.HasPrefix(rd.Op, ">>") || rd.Outer, idx)
	}
}

func (r *reader) putFile(w *Word, dir, body string, known, app bool, idx int) {
	p := joinPath(dir, w.Text)
	if p == "" || strings.HasPrefix(p, "/dev/") || !r.spend(len(body)) || len(r.files) >= 256 {
		return
	}
	f := written{path: p, text: body, known: known, from: []int{idx}}
	if app {
		if old := r.file(w, dir); old != nil {
			f.text, f.known = old.text+body, old.known && known
			f.from = append(slices.Clip(old.from), idx)
		} else {
			f.known = f.known && false
		}
	}
	r.files = append(r.files, f)
}

// setVar assigns from a builtin such as read.
func setVar(st *state, name string, v value) {
	if syntax.ValidName(name) {
		st.set(name, v)
	}
}
