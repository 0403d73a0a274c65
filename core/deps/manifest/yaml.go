package manifest

import "strings"

// readYAML reads the plain part of YAML that manifests use: block maps and
// lists by indentation, lists and maps in brackets, quoted and plain scalars,
// block scalars. Anchors and tags are left as text.
func readYAML(text string) *node {
	p := &yamlReader{lines: yamlLines(text)}
	root := &node{kind: object}
	p.block(root, 0, 0)
	return root
}

type yamlLine struct {
	indent int
	text   string // without indentation; a comment line or blank one is ""
	raw    string
}

func yamlLines(text string) []yamlLine {
	var out []yamlLine
	for raw := range strings.SplitSeq(text, "\n") {
		t := strings.TrimLeft(raw, " ")
		l := yamlLine{indent: len(raw) - len(t), text: strings.TrimRight(t, " \t\r"), raw: raw}
		if strings.HasPrefix(l.text, "#") || l.text == "---" {
			l.text = ""
		}
		out = append(out, l)
	}
	return out
}

type yamlReader struct {
	lines []yamlLine
	at    int
}

// next is the index of the next line with content, len(lines) at the end.
func (p *yamlReader) next() int {
	for p.at < len(p.lines) && p.lines[p.at].text == "" {
		p.at++
	}
	return p.at
}

// block reads lines of at least indent into n.
func (p *yamlReader) block(n *node, indent, deep int) {
	for deep < maxNesting {
		i := p.next()
		if i >= len(p.lines) || p.lines[i].indent < indent {
			return
		}
		line := p.lines[i]
		if line.text == "-" || strings.HasPrefix(line.text, "- ") {
			n.kind = array
			rest := strings.TrimLeft(line.text[1:], " ")
			item := &node{}
			inner := line.indent + len(line.text) - len(rest)
			if rest == "" {
				p.at++
				if j := p.next(); j < len(p.lines) && p.lines[j].indent > line.indent {
					p.block(item, p.lines[j].indent, deep+1)
				}
			} else if _, _, ok := yamlPair(rest); ok && rest[0] != '{' && rest[0] != '[' {
				// A map begins on the line of the hyphen.
				p.lines[i].indent, p.lines[i].text = inner, rest
				p.block(item, inner, deep+1)
			} else {
				p.at++
				*item = *p.scalar(rest, line.indent)
			}
			n.items = append(n.items, item)
			continue
		}
		key, value, ok := yamlPair(line.text)
		p.at++
		if !ok {
			continue
		}
		if n.kind != array {
			n.kind = object
		}
		child := &node{}
		if value == "" {
			j := p.next()
			if j < len(p.lines) && (p.lines[j].indent > line.indent || p.lines[j].indent == line.indent && strings.HasPrefix(p.lines[j].text, "-")) {
				if strings.HasPrefix(p.lines[j].text, "-") && p.lines[j].indent == line.indent {
					p.list(child, line.indent, deep+1)
				} else {
					p.block(child, p.lines[j].indent, deep+1)
				}
			}
		} else {
			child = p.scalar(value, line.indent)
		}
		n.members = append(n.members, member{key, child})
	}
	// Too deep: nothing below is read.
	for i := p.next(); i < len(p.lines) && p.lines[i].indent >= indent; i = p.next() {
		p.at++
	}
}

// list reads the items of a list that stands as deep as its key.
func (p *yamlReader) list(n *node, indent, deep int) {
	for {
		i := p.next()
		if i >= len(p.lines) || p.lines[i].indent != indent || !strings.HasPrefix(p.lines[i].text, "-") {
			return
		}
		end := i + 1
		for end < len(p.lines) && (p.lines[end].text == "" || p.lines[end].indent > indent) {
			end++
		}
		sub := &yamlReader{lines: p.lines[i:end]}
		part := &node{}
		sub.block(part, indent, deep+1)
		n.kind = array
		n.items = append(n.items, part.items...)
		p.at = end
	}
}

// scalar reads a value that begins on the line before p.at.
func (p *yamlReader) scalar(value string, indent int) *node {
	if value[0] == '|' || value[0] == '>' {
		sep := "\n"
		if value[0] == '>' {
			sep = " "
		}
		var lines []string
		for p.at < len(p.lines) {
			l := p.lines[p.at]
			if strings.TrimSpace(l.raw) != "" && l.indent <= indent {
				break
			}
			lines = append(lines, strings.TrimSpace(l.raw))
			p.at++
		}
		return &node{kind: str, text: strings.Join(lines, sep)}
	}
	if value[0] == '[' || value[0] == '{' {
		var depth brackets
		from := p.at
		for more := depth.open(value); more && p.at < len(p.lines); p.at++ {
			more = depth.open(p.lines[p.at].text)
		}
		var b strings.Builder
		b.WriteString(value)
		for _, l := range p.lines[from:p.at] {
			b.WriteString("\n" + l.text)
		}
		f := &yamlFlow{text: b.String()}
		return f.value(0)
	}
	return &node{kind: str, text: yamlText(value)}
}

// brackets counts those that are open.
type brackets struct {
	depth int
	quote byte
}

// open reports whether any is open behind a further line.
func (b *brackets) open(line string) bool {
	for i := range len(line) {
		switch c := line[i]; {
		case b.quote != 0:
			if c == b.quote {
				b.quote = 0
			}
		case c == '"' || c == '\'':
			b.quote = c
		case c == '[' || c == '{':
			b.depth++
		case c == ']' || c == '}':
			b.depth--
		}
	}
	return b.depth > 0
}

// yamlFlow reads a list or map in brackets.
type yamlFlow struct {
	text string
	pos  int
}

func (f *yamlFlow) blank() {
	for f.pos < len(f.text) && strings.IndexByte(" \t\n,", f.text[f.pos]) >= 0 {
		f.pos++
	}
}

// word reads up to one of the ends; quotes hide them.
func (f *yamlFlow) word(ends string) string {
	from := f.pos
	if f.pos < len(f.text) && (f.text[f.pos] == '"' || f.text[f.pos] == '\'') {
		if end := strings.IndexByte(f.text[f.pos+1:], f.text[f.pos]); end >= 0 {
			f.pos += end + 2
			return yamlText(f.text[from:f.pos])
		}
	}
	for f.pos < len(f.text) && strings.IndexByte(ends, f.text[f.pos]) < 0 {
		f.pos++
	}
	return yamlText(f.text[from:f.pos])
}

func (f *yamlFlow) value(deep int) *node {
	f.blank()
	if f.pos >= len(f.text) || deep > maxNesting {
		f.pos = len(f.text)
		return &node{}
	}
	n := &node{}
	switch f.text[f.pos] {
	case '[':
		n.kind = array
		for f.pos++; ; {
			if f.blank(); f.pos >= len(f.text) || f.text[f.pos] == ']' {
				break
			}
			at := f.pos
			n.items = append(n.items, f.value(deep+1))
			if f.pos == at {
				f.pos++ // a bracket of the other kind
			}
		}
		f.pos++
	case '{':
		n.kind = object
		for f.pos++; ; {
			if f.blank(); f.pos >= len(f.text) || f.text[f.pos] == '}' {
				break
			}
			at := f.pos
			key := f.word(":,}\n")
			child := &node{}
			if f.pos < len(f.text) && f.text[f.pos] == ':' {
				f.pos++
				child = f.value(deep + 1)
			}
			n.members = append(n.members, member{key, child})
			if f.pos == at {
				f.pos++
			}
		}
		f.pos++
	default:
		n.kind, n.text = str, f.word(",]}\n")
	}
	return n
}

// yamlPair splits key: value.
func yamlPair(line string) (key, value string, ok bool) {
	if line == "" {
		return "", "", false
	}
	if q := line[0]; q == '"' || q == '\'' {
		end := strings.IndexByte(line[1:], q)
		if end < 0 {
			return "", "", false
		}
		key, line = line[1:end+1], strings.TrimLeft(line[end+2:], " ")
		if !strings.HasPrefix(line, ":") {
			return "", "", false
		}
		return key, yamlValue(line[1:]), true
	}
	for i := range len(line) {
		if line[i] == ':' && (i+1 == len(line) || line[i+1] == ' ') {
			return strings.TrimSpace(line[:i]), yamlValue(line[i+1:]), true
		}
		if line[i] == '#' && i > 0 && line[i-1] == ' ' {
			break
		}
	}
	return "", "", false
}

// yamlValue is a value without the comment behind it.
func yamlValue(v string) string {
	v = strings.TrimSpace(v)
	if strings.HasPrefix(v, "#") {
		return ""
	}
	return v
}

// yamlText is the text of a scalar on one line.
func yamlText(v string) string {
	v = strings.TrimSpace(v)
	if v == "" {
		return ""
	}
	if q := v[0]; q == '"' || q == '\'' {
		if end := strings.LastIndexByte(v[1:], q); end >= 0 {
			body := v[1 : end+1]
			if q == '\'' {
				return strings.ReplaceAll(body, "''", "'")
			}
			return unescapeTOML(body)
		}
	}
	if i := strings.Index(v, " #"); i >= 0 {
		v = strings.TrimSpace(v[:i])
	}
	return v
}
