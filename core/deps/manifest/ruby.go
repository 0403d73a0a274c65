package manifest

import (
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/spec"
)

// gemfile reads the gem lines of a Gemfile, and the blocks around them.
func (s *sheet) gemfile(text string) {
	var blocks []string // why the gems of each open block are not looked up; "dev"
	elsewhere := ""     // a source of the whole file
	for _, line := range rubyLines(text) {
		call, opens := rubyBlock(line)
		head, rest := rubyHead(call)
		args := rubyArgs(rest)
		switch head {
		case "end", "}":
			if len(blocks) > 0 {
				blocks = blocks[:len(blocks)-1]
			}
		case "source":
			custom := len(args) > 0 && strings.Contains(args[0].text, "://") && !spec.PublicRegistry(args[0].text)
			switch {
			case opens && custom:
				blocks = append(blocks, coord.CustomRegistry)
			case opens:
				blocks = append(blocks, "")
			case custom:
				elsewhere = coord.CustomRegistry
			case len(args) > 0 && spec.PublicRegistry(args[0].text):
				elsewhere = ""
			}
		case "git", "github":
			if opens {
				blocks = append(blocks, coord.Git)
			}
		case "path":
			if opens {
				blocks = append(blocks, coord.Path)
			}
		case "group":
			if opens {
				blocks = append(blocks, "dev")
			}
		case "gem":
			why := elsewhere
			var change []func(*coord.Package)
			for _, b := range blocks {
				switch b {
				case "":
				case "dev":
					change = append(change, dev)
				case "if":
					change = append(change, aside(""))
				default:
					why = b
				}
			}
			if rubyConditional(rest) {
				change = append(change, aside(""))
			}
			s.gem(args, why, change...)
		default:
			switch {
			case head == "if", head == "unless", head == "case":
				blocks = append(blocks, "if")
			case opens, head == "begin", head == "def":
				blocks = append(blocks, "")
			}
		}
	}
}

// rubyBlock is the call of a statement that opens a block, with do or a brace,
// and whether it does.
func rubyBlock(line string) (call string, opens bool) {
	rest := line
	if strings.HasSuffix(rest, "|") { // its parameters
		if i := strings.LastIndexByte(rest[:len(rest)-1], '|'); i > 0 {
			rest = strings.TrimRight(rest[:i], " ")
		}
	}
	if call, ok := strings.CutSuffix(rest, " do"); ok {
		return strings.TrimSpace(call), true
	}
	if call, ok := strings.CutSuffix(rest, "{"); ok && opensBlock(call) {
		return strings.TrimSpace(call), true
	}
	return line, false
}

// rubyConditional reports whether a statement ends in a condition.
func rubyConditional(text string) bool {
	for _, part := range splitOutside(text, ' ') {
		if part == "if" || part == "unless" {
			return true
		}
	}
	return false
}

func (s *sheet) gem(args []rubyArg, why string, change ...func(*coord.Package)) {
	if len(args) == 0 {
		return
	}
	if !args[0].quoted || strings.Contains(args[0].text, "#{") {
		s.add(args[0].text, coord.Package{}, coord.Variable)
		return
	}
	name := args[0].text
	var versions []string
	for _, a := range args[1:] {
		switch a.key {
		case "":
			if a.quoted {
				versions = append(versions, a.text)
			}
		case "git", "github", "gist", "bitbucket":
			why = coord.Git
		case "path":
			why = coord.Path
		case "source":
			why = coord.CustomRegistry
			if spec.PublicRegistry(a.text) {
				why = ""
			}
		}
	}
	if why != "" {
		s.add(name, coord.Package{}, why)
		return
	}
	p, why := spec.GemValue(name, strings.Join(versions, ", "))
	s.add(name, p, why, change...)
}

// gemspec reads the dependencies that a specification adds.
func (s *sheet) gemspec(text string) {
	for _, line := range rubyLines(text) {
		for _, call := range [...]string{".add_dependency", ".add_runtime_dependency", ".add_development_dependency"} {
			_, rest, ok := strings.Cut(line, call)
			if !ok || rest == "" || rest[0] != ' ' && rest[0] != '(' {
				continue
			}
			var change []func(*coord.Package)
			if call == ".add_development_dependency" {
				change = append(change, dev)
			}
			s.gem(rubyArgs(rest), "", change...)
		}
	}
}

// rubyLines are the lines without comments, those that end in a comma joined
// with the next, several statements of one line apart.
func rubyLines(text string) []string {
	var out []string
	pending := ""
	for line := range strings.SplitSeq(text, "\n") {
		if line == "__END__" {
			break
		}
		line = strings.TrimSpace(rubyComment(line))
		if line == "" {
			continue
		}
		pending = strings.TrimSpace(pending + " " + line)
		if strings.HasSuffix(line, ",") || strings.HasSuffix(line, "(") || strings.HasSuffix(line, `\`) {
			pending = strings.TrimSuffix(pending, `\`)
			continue
		}
		out = append(out, rubyStatements(pending)...)
		pending = ""
	}
	if pending != "" {
		out = append(out, rubyStatements(pending)...)
	}
	return out
}

// rubyComment is line without the comment at its end.
func rubyComment(line string) string {
	var q byte
	for i := range len(line) {
		c := line[i]
		switch {
		case q != 0:
			if c == q && line[i-1] != '\\' {
				q = 0
			}
		case c == '"' || c == '\'':
			q = c
		case c == '#':
			return line[:i]
		}
	}
	return line
}

// rubyStatements splits at semicolons outside strings, behind a brace that opens
// a block and around the one that closes it.
func rubyStatements(line string) []string {
	if !strings.ContainsAny(line, ";{}") {
		return []string{line}
	}
	var out []string
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	var q byte
	var open []bool // of each brace: it opens a block
	from := 0
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case q != 0:
			if c == q && line[i-1] != '\\' {
				q = 0
			}
		case c == '"' || c == '\'':
			q = c
		case c == ';':
			add(line[from:i])
			from = i + 1
		case c == '{':
			block := opensBlock(line[:i])
			if open = append(open, block); block {
				end := i + 1
				if rest := strings.TrimLeft(line[end:], " "); strings.HasPrefix(rest, "|") {
					if k := strings.IndexByte(rest[1:], '|'); k >= 0 {
						end = len(line) - len(rest) + k + 2
					}
				}
				add(line[from:end])
				from, i = end, end-1
			}
		case c == '}' && len(open) > 0:
			if open[len(open)-1] {
				add(line[from:i])
				add("}")
				from = i + 1
			}
			open = open[:len(open)-1]
		}
	}
	add(line[from:])
	return out
}

// opensBlock reports whether a brace behind before opens a block and no hash.
func opensBlock(before string) bool {
	before = strings.TrimRight(before, " ")
	if before == "" || strings.HasSuffix(before, "#") || len(before) > 1 && before[len(before)-2] == '%' {
		return false
	}
	return strings.IndexByte(",(=>:[{|&", before[len(before)-1]) < 0
}

// rubyHead is the first word of a statement and the rest.
func rubyHead(line string) (head, rest string) {
	i := strings.IndexAny(line, " (")
	if i < 0 {
		return line, ""
	}
	return line[:i], line[i:]
}

// rubyArg is one argument of a call: a string, or something else as written.
type rubyArg struct {
	key    string // of key: value or :key => value
	text   string
	quoted bool
}

// rubyArgs reads the arguments of a call, with or without parentheses, up to a
// trailing condition.
func rubyArgs(text string) []rubyArg {
	text = strings.TrimSpace(text)
	if in, ok := strings.CutPrefix(text, "("); ok {
		if i := strings.LastIndexByte(in, ')'); i >= 0 {
			in = in[:i]
		}
		text = in
	}
	var out []rubyArg
	for _, part := range splitOutside(text, ',') {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if in, ok := strings.CutPrefix(part, "{"); ok && strings.HasSuffix(in, "}") && len(part) < len(text) {
			out = append(out, rubyArgs(in[:len(in)-1])...)
			continue
		}
		var a rubyArg
		if rest, ok := strings.CutPrefix(part, ":"); ok && strings.Contains(rest, "=>") {
			k, v, _ := strings.Cut(rest, "=>")
			a.key, part = strings.Trim(strings.TrimSpace(k), `"'`), strings.TrimSpace(v)
		} else if i := strings.IndexByte(part, ':'); i > 0 && i+1 < len(part) && part[i+1] != ':' && strings.Trim(part[:i], "abcdefghijklmnopqrstuvwxyz_") == "" {
			a.key, part = part[:i], strings.TrimSpace(part[i+1:])
		}
		if in, ok := strings.CutPrefix(part, "["); ok && a.key == "" {
			in, _, _ = strings.Cut(in, "]")
			for item := range strings.SplitSeq(in, ",") {
				if t, ok := rubyString(strings.TrimSpace(item)); ok {
					out = append(out, rubyArg{text: t, quoted: true})
				}
			}
			continue
		}
		if t, ok := rubyString(part); ok {
			a.text, a.quoted = t, true
		} else {
			a.text = part
		}
		out = append(out, a)
	}
	return out
}

// rubyString is the string that text begins with, in quotes or as %q<text>.
// What follows it may be a method or a condition.
func rubyString(text string) (string, bool) {
	if len(text) > 3 && text[0] == '%' {
		if text[1] == 'q' || text[1] == 'Q' {
			text = text[2:]
		} else {
			text = text[1:]
		}
		closer := text[:1]
		if i := strings.IndexByte("<([{", text[0]); i >= 0 {
			closer = ">)]}"[i : i+1]
		}
		end := strings.Index(text[1:], closer)
		if end < 0 || strings.IndexByte("<([{|!/'\"", text[0]) < 0 {
			return "", false
		}
		return text[1 : end+1], true
	}
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return "", false
	}
	end := strings.IndexByte(text[1:], text[0])
	if end < 0 {
		return "", false
	}
	return text[1 : end+1], true
}

// splitOutside splits at sep where it is in no string and no bracket.
func splitOutside(text string, sep byte) []string {
	var out []string
	var q byte
	depth, from := 0, 0
	for i := range len(text) {
		c := text[i]
		switch {
		case q != 0:
			if c == q && text[i-1] != '\\' {
				q = 0
			}
		case c == '"' || c == '\'':
			q = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == sep && depth <= 0:
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	return append(out, text[from:])
}
