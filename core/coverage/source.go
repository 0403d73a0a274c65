package coverage

import (
	"bytes"
	"path"
	"runtime"
	"slices"
	"strings"
)

// A language groups the files that one tool measures.
type language int

const (
	langNone language = iota // no source code, or of no language that we know
	langGo
	langPython
	langJS // and TypeScript
	langRuby
	langJVM
	langC // C, C++, Objective-C
	langDotNet
	langPHP
	langRust
	langSwift
	langElixir
	langDart
)

func languageOf(name string) language {
	switch strings.ToLower(path.Ext(name)) {
	case ".go":
		return langGo
	case ".py", ".pyw":
		return langPython
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte":
		return langJS
	case ".rb", ".rake":
		return langRuby
	case ".java", ".kt", ".scala", ".groovy":
		return langJVM
	case ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".m", ".mm", ".ipp", ".inl":
		return langC
	case ".cs", ".fs", ".vb":
		return langDotNet
	case ".php":
		return langPHP
	case ".rs":
		return langRust
	case ".swift":
		return langSwift
	case ".ex", ".exs":
		return langElixir
	case ".dart":
		return langDart
	}
	return langNone
}

// leftOut tells why a source file does not count for patch coverage, "" if it
// does: tests, what tools generated or others wrote, and files of a language's
// own that nothing runs.
func leftOut(name string, text func() []byte) string {
	lang := languageOf(name)
	dirs := strings.Split(path.Dir(name), "/")
	base := path.Base(name)
	stem := base[:len(base)-len(path.Ext(base))]
	switch {
	case isTest(lang, dirs, stem, base):
		return "test"
	case slices.ContainsFunc(dirs, func(d string) bool {
		return d == "vendor" || d == "node_modules" || d == "third_party" || d == "site-packages"
	}):
		return "vendored"
	case lang == langJS && strings.HasSuffix(stem, ".min"):
		return "vendored"
	case lang == langJS && ofReport(dirs, base):
		return "a coverage report's own"
	case lang == langJS && (strings.HasPrefix(base, ".") || strings.HasSuffix(stem, ".config") || strings.HasSuffix(stem, ".d") || strings.HasSuffix(stem, ".conf")):
		return "configuration or declarations"
	case lang == langGo && !builtHere(base, text):
		return "not built on " + runtime.GOOS + "/" + runtime.GOARCH
	case generated(text()):
		return "generated"
	}
	return ""
}

// ofReport reports whether a script belongs to the pages that istanbul and
// coverage.py make.
func ofReport(dirs []string, base string) bool {
	if slices.Contains(dirs, "lcov-report") || slices.Contains(dirs, "htmlcov") {
		return true
	}
	switch base {
	case "prettify.js", "sorter.js", "block-navigation.js":
		return slices.Contains(dirs, "coverage")
	}
	return false
}

func isTest(lang language, dirs []string, stem, base string) bool {
	in := func(names ...string) bool {
		return slices.ContainsFunc(dirs, func(d string) bool { return slices.Contains(names, d) })
	}
	ends := func(ends ...string) bool {
		return slices.ContainsFunc(ends, func(e string) bool { return strings.HasSuffix(stem, e) && stem != e })
	}
	begins := func(begins ...string) bool {
		return slices.ContainsFunc(begins, func(b string) bool { return strings.HasPrefix(stem, b) && stem != b })
	}
	switch lang {
	case langGo:
		return ends("_test") || in("testdata")
	case langPython:
		return in("test", "tests", "testing") || begins("test_") || ends("_test") || base == "conftest.py"
	case langJS:
		return in("test", "tests", "__tests__", "__mocks__", "spec", "specs", "e2e", "cypress") || ends(".test", ".spec", ".e2e", ".cy", "-test", "_test")
	case langRuby:
		return in("spec", "test", "features") || ends("_spec", "_test")
	case langJVM:
		if in("test", "tests") || ends("Test", "Tests", "IT", "Spec") {
			return true
		}
		for i, d := range dirs[1:] {
			if dirs[i] == "src" && strings.HasSuffix(d, "Test") {
				return true
			}
		}
		return false
	case langC, langRust:
		return in("test", "tests", "unittest", "unittests", "benches") || ends("_test", "_tests", "_unittest", "-test") || begins("test_")
	case langDotNet:
		return in("test", "tests", "Tests") || ends("Test", "Tests") ||
			slices.ContainsFunc(dirs, func(d string) bool { return strings.HasSuffix(d, ".Tests") || strings.HasSuffix(d, ".Test") })
	case langPHP, langSwift:
		return in("test", "tests", "Tests") || ends("Test", "Tests")
	case langElixir, langDart:
		return in("test") || ends("_test")
	}
	return in("test", "tests")
}

// generated looks for the marks that tools leave at the top: Go's own, and
// @generated.
func generated(text []byte) bool {
	for range 40 {
		line, rest, more := bytes.Cut(text, []byte{'\n'})
		line = bytes.TrimSpace(line)
		if comment := bytes.TrimLeft(line, "/#*-;<! \t"); len(comment) < len(line) {
			if bytes.HasPrefix(comment, []byte("Code generated ")) && bytes.Contains(comment, []byte("DO NOT EDIT")) {
				return true
			}
			if bytes.HasPrefix(comment, []byte("@generated")) {
				return true
			}
		}
		if !more {
			return false
		}
		text = rest
	}
	return false
}

// codeLines estimates which lines of a source file could be covered, where no
// report says it. Lines count from 1: out[0] is not used.
func codeLines(name string, text []byte) []bool {
	out := make([]bool, bytes.Count(text, []byte{'\n'})+2)
	switch languageOf(name) {
	case langGo:
		goCode(text, out)
	case langPython:
		pythonCode(text, out)
	case langRuby, langElixir:
		rubyCode(text, out)
	case langNone:
	default:
		braceCode(languageOf(name), text, out)
	}
	return out
}

// pythonCode marks the first line of each statement.
func pythonCode(text []byte, out []bool) {
	depth := 0      // of brackets
	quote := ""     // of the triple-quoted string that is open
	joined := false // the line before ended in a backslash
	for n := 1; len(text) > 0; n++ {
		raw, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		line := strings.TrimSpace(string(raw))
		starts := depth == 0 && quote == "" && !joined && line != "" && line[0] != '#'
		doc := starts && (strings.HasPrefix(line, `"""`) || strings.HasPrefix(line, `'''`))
		word := strings.TrimRight(strings.SplitN(line+" ", " ", 2)[0], ":")
		if starts && !doc && word != "else" && word != "finally" {
			out[n] = true
		}
		for i := 0; i < len(line); i++ {
			if quote != "" {
				if strings.HasPrefix(line[i:], quote) && (i == 0 || line[i-1] != '\\') {
					i += len(quote) - 1
					quote = ""
				}
				continue
			}
			switch c := line[i]; c {
			case '#':
				i = len(line)
			case '"', '\'':
				if t := strings.Repeat(string(c), 3); strings.HasPrefix(line[i:], t) {
					quote = t
					i += 2
					continue
				}
				for i++; i < len(line) && line[i] != c; i++ {
					if line[i] == '\\' {
						i++
					}
				}
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth = max(depth-1, 0)
			}
		}
		joined = quote == "" && strings.HasSuffix(line, `\`)
	}
}

// rubyCode marks lines that are neither empty, comments nor only words that
// structure.
func rubyCode(text []byte, out []bool) {
	inDoc := false
	for n := 1; len(text) > 0; n++ {
		raw, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		line := strings.TrimSpace(string(raw))
		switch {
		case strings.HasPrefix(line, "=begin"):
			inDoc = true
		case strings.HasPrefix(line, "=end"):
			inDoc = false
		case inDoc, line == "", line[0] == '#', strings.Trim(line, "{}[](),; ") == "":
		case line == "end", line == "else", line == "begin", line == "ensure", line == "private", line == "do":
		default:
			out[n] = true
		}
	}
}

// braceCode marks lines with code in languages with braces. What stands in the
// body of a type, interface or namespace is a declaration; what stands outside
// of all bodies runs only in JavaScript and PHP.
func braceCode(lang language, text []byte, out []bool) {
	const (
		code = iota
		decl
	)
	var blocks []int
	topRuns := lang == langJS || lang == langPHP
	runs := func() bool {
		if len(blocks) == 0 {
			return topRuns
		}
		return blocks[len(blocks)-1] == code
	}
	var stmt strings.Builder // since the last ; { or }
	end := byte(0)           // of the string or comment that is open: quote, or '*'
	alias := false           // in JavaScript, what is only for the type checker is open
	var last []byte          // the line before, without blanks
	for n := 1; len(text) > 0; n++ {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		trimmed := bytes.TrimSpace(line)
		if end == 0 && lang == langC && bytes.HasPrefix(trimmed, []byte("#")) {
			continue
		}
		seen := false // something that runs stands on this line
		fresh := strings.TrimSpace(stmt.String()) == ""
		if lang == langJS && end == 0 {
			if !fresh && (alias && !continuesType(last, trimmed) || bytes.HasPrefix(trimmed, []byte("export ")) || bytes.HasPrefix(trimmed, []byte("import "))) {
				stmt.Reset() // the end of a statement without a semicolon
				fresh = true
			}
			alias = alias && !fresh || fresh && startsType(trimmed)
			last = trimmed
		}
		for i := 0; i < len(line); i++ {
			c := line[i]
			next := byte(0)
			if i+1 < len(line) {
				next = line[i+1]
			}
			switch {
			case end == '*':
				if c == '*' && next == '/' {
					end = 0
					i++
				}
				continue
			case end != 0:
				if c == '\\' {
					i++
				} else if c == end {
					end = 0
				}
				continue
			case c == '/' && next == '/', c == '#' && lang == langPHP && next != '[':
				i = len(line)
				continue
			case c == '/' && next == '*':
				end = '*'
				i++
				continue
			case c == '\'' && lang == langRust && !(next == '\\' || i+2 < len(line) && line[i+2] == '\''):
				stmt.WriteByte(' ') // a lifetime
				continue
			case c == '"' || c == '\'' || c == '`' && lang == langJS:
				end = c
				stmt.WriteString("s")
				seen = seen || runs()
				continue
			case c == '{':
				head := stmt.String()
				if declares(lang, head) {
					blocks = append(blocks, decl)
					seen = false
				} else if !bodyOfFunction(lang, head) && len(blocks) > 0 && blocks[len(blocks)-1] == decl && lang != langJS {
					blocks = append(blocks, decl)
				} else {
					if bodyOfFunction(lang, head) {
						seen = false // the line that opens a function is no statement
					}
					blocks = append(blocks, code)
				}
				stmt.Reset()
			case c == '}':
				if len(blocks) > 0 {
					blocks = blocks[:len(blocks)-1]
				}
				stmt.Reset()
			case c == ';':
				stmt.Reset()
			case c == '(' || c == ')' || c == ',' || c == '[' || c == ']':
				stmt.WriteByte(c)
			case c != ' ' && c != '\t' && c != '\r':
				stmt.WriteByte(c)
				seen = seen || runs()
			default:
				stmt.WriteByte(' ')
			}
		}
		if end != 0 && end != '*' && end != '`' {
			end = 0 // strings end with the line
		}
		stmt.WriteByte(' ')
		if seen && !alias && !noCode(lang, trimmed, fresh) {
			out[n] = true
		}
	}
}

// startsType reports whether a line of TypeScript begins a statement that is
// gone when the program runs.
func startsType(line []byte) bool {
	s := strings.TrimPrefix(string(line), "export ")
	word, rest, _ := strings.Cut(s, " ")
	switch word {
	case "type":
		// type T = …, and not a variable of that name: type = 1.
		return rest != "" && (rest[0] == '_' || rest[0] == '$' || 'a' <= rest[0]|0x20 && rest[0]|0x20 <= 'z')
	case "declare":
		return rest != "" && 'a' <= rest[0] && rest[0] <= 'z'
	}
	return false
}

// continuesType reports whether a line goes on with the type that the line
// before has not ended.
func continuesType(before, line []byte) bool {
	if len(line) == 0 || bytes.HasPrefix(line, []byte("//")) || bytes.HasPrefix(line, []byte("/*")) {
		return true
	}
	if len(before) == 0 || bytes.HasPrefix(before, []byte("//")) || bytes.HasSuffix(before, []byte("*/")) {
		return strings.IndexByte("|&?:)]>,=", line[0]) >= 0
	}
	return strings.IndexByte("|&?:)]>,=", line[0]) >= 0 || strings.IndexByte("=|&?:(<,[", before[len(before)-1]) >= 0 || bytes.HasSuffix(before, []byte("=>"))
}

// declares reports whether the text before a brace opens the body of a type or
// a namespace.
func declares(lang language, head string) bool {
	for _, w := range strings.FieldsFunc(head, func(r rune) bool { return r == ' ' || r == '(' || r == '<' || r == ':' }) {
		switch w {
		case "class", "interface", "struct", "union", "namespace", "trait", "impl", "mod", "object", "record", "protocol", "extension":
			return true
		case "enum":
			return lang != langJS
		case "type":
			return lang == langJS && !strings.Contains(head, "=>")
		case "import", "export":
			// Names that a module takes and gives.
			if lang == langJS && (w == "import" || strings.TrimSpace(head) == "export" || strings.HasPrefix(strings.TrimSpace(head), "export type")) {
				return true
			}
		case "use", "extern":
			return lang == langRust || lang == langC && !strings.Contains(head, ")")
		}
	}
	return false
}

// bodyOfFunction reports whether the text before a brace is the head of a
// function rather than of a loop or a condition.
func bodyOfFunction(lang language, head string) bool {
	f := strings.Fields(head)
	if len(f) == 0 || !strings.Contains(head, ")") {
		return false
	}
	first, _, _ := strings.Cut(f[0], "(")
	switch first {
	case "if", "for", "while", "switch", "else", "catch", "do", "return", "match", "foreach", "with", "synchronized", "using", "lock":
		return false
	}
	return !strings.Contains(head, "=") || lang == langRust || lang == langC
}

// noCode reports whether a line only imports, declares or structures.
func noCode(lang language, line []byte, fresh bool) bool {
	s := string(line)
	switch strings.Trim(s, "{}()[];, \t") {
	case "", "else", "do", "try", "finally", "default:", "<?php", "?>", "break", "export default":
		return strings.Trim(s, "{}()[];, \t") != "break"
	}
	if lang == langJS && strings.HasPrefix(s, "}") && strings.HasPrefix(strings.TrimSpace(s[1:]), "from ") {
		return true // the end of a list of imports
	}
	if !fresh {
		return false
	}
	first := strings.Fields(s)[0]
	switch first {
	case "import", "package", "using", "use", "namespace", "interface", "declare", "@":
		return true
	case "type":
		return lang == langJS
	case "export":
		rest := strings.TrimSpace(strings.TrimPrefix(s, "export"))
		return strings.HasPrefix(rest, "type ") || strings.HasPrefix(rest, "interface ") || strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "* ") || strings.HasPrefix(rest, "declare ")
	}
	return false
}
