package coverage

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"runtime"
	"slices"
	"strings"
)

// A span is a stretch of source on one line: columns in bytes from 1, the last
// not included.
type span struct{ from, to int }

// goTokens returns, for each line, what stands there beside blanks, comments,
// braces and parentheses.
func goTokens(text []byte) map[int][]span {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, func(token.Position, string) {}, 0)
	out := make(map[int][]span)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok == token.LBRACE || tok == token.RBRACE || tok == token.LPAREN || tok == token.RPAREN || tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		if lit == "" {
			lit = tok.String()
		}
		p := file.PositionFor(pos, false)
		line, col := p.Line, p.Column
		for {
			part, rest, more := strings.Cut(lit, "\n")
			if strings.Trim(part, "(){} \t\r") != "" {
				out[line] = append(out[line], span{col, col + len(part)})
			}
			if !more {
				break
			}
			lit, line, col = rest, line+1, 1
		}
	}
}

// goLines turns blocks into lines. A block covers a line only if something of
// the line stands inside its columns: the braces of a body and the head of its
// function do not count, the condition of an if belongs to the block around.
func goLines(blocks []Block, text []byte) []Line {
	tokens := goTokens(text)
	var lines []Line
	for _, b := range blocks {
		for n := b.StartLine; n <= b.EndLine; n++ {
			from, to := 0, maxLine
			if n == b.StartLine {
				from = b.StartCol
			}
			if n == b.EndLine {
				to = b.EndCol
			}
			if slices.ContainsFunc(tokens[n], func(s span) bool { return s.from < to && s.to > from }) {
				lines = append(lines, Line{n, b.Hit})
			}
		}
	}
	return mergeLines(lines)
}

// goCode marks the lines of function bodies where a statement stands.
func goCode(text []byte, out []bool) {
	tokens := goTokens(text)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if file == nil || err != nil {
		for n := range tokens {
			if n < len(out) {
				out[n] = true
			}
		}
		return
	}
	mark := func(from, to token.Pos) {
		a, b := fset.PositionFor(from, false), fset.PositionFor(to, false)
		for n := a.Line; n <= b.Line && n < len(out); n++ {
			lo, hi := 0, maxLine
			if n == a.Line {
				lo = a.Column
			}
			if n == b.Line {
				hi = b.Column
			}
			if slices.ContainsFunc(tokens[n], func(s span) bool { return s.from < hi && s.to > lo }) {
				out[n] = true
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for _, s := range list {
			switch s := s.(type) {
			case *ast.IfStmt:
				mark(s.Pos(), s.Body.Lbrace)
			case *ast.ForStmt:
				mark(s.Pos(), s.Body.Lbrace)
			case *ast.RangeStmt:
				mark(s.Pos(), s.Body.Lbrace)
			case *ast.SwitchStmt:
				mark(s.Pos(), s.Body.Lbrace)
			case *ast.TypeSwitchStmt:
				mark(s.Pos(), s.Body.Lbrace)
			case *ast.SelectStmt:
				mark(s.Pos(), s.Body.Lbrace)
			case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.EmptyStmt, *ast.LabeledStmt:
			default:
				mark(s.Pos(), s.End())
			}
		}
		return true
	})
}

// builtHere reports whether a Go file's name and build constraint let it be
// built for this machine, with no tags of its own.
func builtHere(base string, text func() []byte) bool {
	name := strings.TrimSuffix(strings.TrimSuffix(base, ".go"), "_test")
	parts := strings.Split(name, "_")
	if n := len(parts); n >= 2 {
		last := parts[n-1]
		switch {
		case knownArch(last):
			if last != runtime.GOARCH || n >= 3 && knownOS(parts[n-2]) && !osTag(parts[n-2]) {
				return false
			}
		case knownOS(last) && !osTag(last):
			return false
		}
	}
	src := text()
	for len(src) > 0 {
		line, rest, _ := bytes.Cut(src, []byte{'\n'})
		src = rest
		s := strings.TrimSpace(string(line))
		if strings.HasPrefix(s, "package ") {
			return true
		}
		if !constraint.IsGoBuild(s) {
			continue
		}
		expr, err := constraint.Parse(s)
		if err != nil {
			return true
		}
		return expr.Eval(func(tag string) bool {
			return tag == runtime.GOARCH || osTag(tag) || tag == "gc" || tag == "cgo" || strings.HasPrefix(tag, "go1.")
		})
	}
	return true
}

// osTag reports whether a build constraint's tag holds for this system.
func osTag(tag string) bool {
	os := runtime.GOOS
	return tag == os ||
		tag == "unix" && os != "windows" && os != "plan9" && os != "js" && os != "wasip1" ||
		tag == "linux" && os == "android" || tag == "darwin" && os == "ios" || tag == "solaris" && os == "illumos"
}

func knownOS(s string) bool {
	switch s {
	case "aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl", "netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "zos":
		return true
	}
	return false
}

func knownArch(s string) bool {
	switch s {
	case "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64", "s390x", "wasm":
		return true
	}
	return false
}

// goModule returns the module path that a go.mod declares, "" for none.
func goModule(text []byte) string {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		s, _, _ := strings.Cut(string(line), "//")
		f := strings.Fields(s)
		if len(f) >= 2 && f[0] == "module" {
			return path.Clean(strings.Trim(f[1], "\"`"))
		}
	}
	return ""
}
