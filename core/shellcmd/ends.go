package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// mask notes that something hides the status of what runs in s.
func (s *scope) mask() { s.flags = s.flags&^Fatal | Masked }

// fatal notes that what runs in s ends, when it fails, what was entered with
// the flags to. Nothing that follows in there hides it.
func (s *scope) fatal(to Flags) {
	s.flags = s.flags&^(Masked|Fatal) | to&Masked
	if to&(Masked|Background|Negated) == 0 && (to&Looped == 0 || to&Fatal != 0) {
		s.flags |= Fatal
	}
}

// newShell notes that s runs in a shell of its own, which is all that an exit
// ends.
func (s *scope) newShell() {
	s.shell, s.ret = s.flags, s.flags
	s.lenient, s.held = false, false
}

// tested runs f where the shell asks for a status, and set -e is not in force.
func tested(st *state, f func()) {
	on := st.errexit
	st.errexit = false
	f()
	st.errexit = st.errexit || on
}

// fails reports whether a statement ends nothing, and never with 0.
func fails(s *syntax.Stmt) bool {
	name, _ := bareCall(s)
	return name == "false"
}

// bareCall is simpleCall of a statement that stands for itself.
func bareCall(s *syntax.Stmt) (name, arg string) {
	if s.Negated || s.Background || s.Coprocess || s.Disown {
		return "", ""
	}
	return simpleCall(s)
}

// decides returns the statement whose failure ends the shell or function by an
// if: if ! x; then …; exit 1; fi, or if x; then …; else …; exit 1; fi; and the
// flags with which that was entered. nil if there is none.
func (r *reader) decides(c *syntax.IfClause, st *state, s *scope) (Flags, *syntax.Stmt) {
	if len(c.Cond) != 1 {
		return 0, nil
	}
	x := *c.Cond[0]
	body := c.Then
	if !x.Negated {
		if c.Else == nil || len(c.Else.Cond) > 0 {
			return 0, nil
		}
		body = c.Else.Then
	}
	x.Negated = false
	to, ok := r.endsList(body, st, s, 0)
	if !ok {
		return 0, nil
	}
	return to, &x
}

// ends reports whether y, the right side of ||, surely ends the running shell
// or function with a status that is not 0, and returns the flags with which
// that was entered.
func (r *reader) ends(y *syntax.Stmt, st *state, s *scope) (Flags, bool) {
	if name, arg := bareCall(y); name == "exit" && arg == "$?" && st.function(name) == nil {
		return s.shell, true // of the left side, which failed
	}
	return r.endsStmt(y, st, s, 0)
}

const maxEnds = 8 // blocks and functions inside each other

func (r *reader) endsStmt(y *syntax.Stmt, st *state, s *scope, deep int) (Flags, bool) {
	if y.Negated || y.Background || y.Coprocess || y.Disown || deep > maxEnds {
		return 0, false
	}
	switch c := y.Cmd.(type) {
	case *syntax.CallExpr:
		name, arg := simpleCall(y)
		f := st.function(name)
		switch {
		case len(c.Assigns) > 0 || name == "":
		case f != nil: // die() { echo "$1"; exit 1; }
			in := *s
			in.inFn = false // its return does not end what calls it
			return r.endsStmt(f.body, st, &in, deep+1)
		case len(c.Args) != 2 || !failure(arg):
		case name == "exit":
			return s.shell, true
		case name == "return" && s.inFn:
			return s.ret, true
		}
	case *syntax.Block:
		return r.endsList(c.Stmts, st, s, deep+1)
	}
	return 0, false
}

// endsList is endsStmt of several statements, the last of which ends.
func (r *reader) endsList(list []*syntax.Stmt, st *state, s *scope, deep int) (Flags, bool) {
	if len(list) == 0 {
		return 0, false
	}
	n := len(list) - 1
	for _, before := range list[:n] {
		if !r.goesOn(before, st) {
			return 0, false
		}
	}
	if name, arg := bareCall(list[n]); name == "exit" && st.function(name) == nil && keeps(list[:n], arg) {
		return s.shell, true
	}
	return r.endsStmt(list[n], st, s, deep)
}

// keeps reports whether the statements begin with x=$?, arg is $x, and nothing
// between sets x.
func keeps(list []*syntax.Stmt, arg string) bool {
	name, ok := strings.CutPrefix(arg, "$")
	if !ok || len(list) == 0 {
		return false
	}
	for i, s := range list {
		set := false
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				set = set || n.Name != nil && n.Name.Value == name
			case *syntax.ArithmCmd, *syntax.LetClause:
				set = true
			case *syntax.CallExpr:
				if len(n.Args) > 0 {
					switch n.Args[0].Lit() {
					case "read", "printf", "unset", "mapfile", "readarray", "getopts", "wait":
						set = true
					}
				}
			}
			return true
		})
		if i == 0 {
			c, ok := s.Cmd.(*syntax.CallExpr)
			if !ok || len(c.Args) > 0 || len(c.Assigns) != 1 || !set || c.Assigns[0].Value == nil || rawWord(c.Assigns[0].Value) != "$?" {
				return false
			}
			continue
		}
		if set {
			return false
		}
	}
	return true
}

// failure reports whether the argument of exit is a number that is not 0 for
// whoever asks.
func failure(arg string) bool {
	n, ok := atoi(arg)
	return ok && n%256 != 0
}

// goesOn reports whether whatever follows a statement is surely reached.
func (r *reader) goesOn(s *syntax.Stmt, st *state) bool {
	ok := true
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				return true
			}
			name := n.Args[0].Lit()
			switch name {
			case "", "exit", "return", "break", "continue", "exec", "eval", "source", ".", "trap", "set", "builtin", "command", "alias", "kill":
				ok = false
			}
			ok = ok && st.function(name) == nil
		case *syntax.FuncDecl, *syntax.WhileClause:
			ok = false
		}
		return ok
	})
	return ok
}
