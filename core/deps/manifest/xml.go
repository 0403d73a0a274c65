package manifest

import "strings"

// xmlEvent is one start tag, end tag or text of an XML file.
type xmlEvent struct {
	open, close bool // an empty element is both
	name        string
	attrs       []xmlAttr
	text        string
}

type xmlAttr struct{ name, value string }

// attr is the value of an attribute, "" if it is missing.
func (e *xmlEvent) attr(name string) string {
	for _, a := range e.attrs {
		if strings.EqualFold(a.name, name) {
			return a.value
		}
	}
	return ""
}

// scanXML gives each event to see; whole is false if a tag does not end or the
// elements do not nest. It resolves the five entities and knows no others.
func scanXML(text string, see func(xmlEvent)) (whole bool) {
	var stack []string
	whole = true
	for text != "" {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			break
		}
		if t := strings.TrimSpace(text[:i]); t != "" {
			see(xmlEvent{text: xmlText(t)})
		}
		text = text[i:]
		end := ""
		switch {
		case strings.HasPrefix(text, "<!--"):
			end = "-->"
		case strings.HasPrefix(text, "<![CDATA["):
			end = "]]>"
		case strings.HasPrefix(text, "<?"):
			end = "?>"
		case strings.HasPrefix(text, "<!"):
			end = ">"
		}
		if end != "" {
			j := strings.Index(text, end)
			if j < 0 {
				return false
			}
			if end == "]]>" {
				see(xmlEvent{text: strings.TrimSpace(text[len("<![CDATA["):j])})
			}
			text = text[j+len(end):]
			continue
		}
		e, n := xmlTag(text)
		if n == 0 {
			return false
		}
		text = text[n:]
		if e.open {
			if len(stack) >= 1000 {
				return false
			}
			stack = append(stack, e.name)
		}
		if e.close {
			if len(stack) == 0 || stack[len(stack)-1] != e.name {
				whole = false
				continue
			}
			stack = stack[:len(stack)-1]
		}
		see(e)
	}
	return whole && len(stack) == 0
}

// xmlTag reads the tag that text begins with, and its length; 0 if it does not
// end.
func xmlTag(text string) (xmlEvent, int) {
	e := xmlEvent{open: true}
	i := 1
	if i < len(text) && text[i] == '/' {
		e.open, e.close = false, true
		i++
	}
	from := i
	for i < len(text) && !strings.ContainsRune(" \t\n\r/><", rune(text[i])) {
		i++
	}
	e.name = text[from:i]
	if j := strings.IndexByte(e.name, ':'); j >= 0 {
		e.name = e.name[j+1:]
	}
	for i < len(text) {
		switch c := text[i]; c {
		case '>':
			return e, i + 1
		case '<':
			return e, 0
		case '/':
			e.close = true
			i++
		case ' ', '\t', '\n', '\r':
			i++
		default:
			from = i
			for i < len(text) && strings.IndexByte("= \t\n\r/><", text[i]) < 0 {
				i++
			}
			name := text[from:i]
			if i == from {
				i++ // a lone =
				continue
			}
			for i < len(text) && strings.IndexByte(" \t\n\r", text[i]) >= 0 {
				i++
			}
			if i >= len(text) || text[i] != '=' {
				continue
			}
			for i++; i < len(text) && strings.IndexByte(" \t\n\r", text[i]) >= 0; i++ {
			}
			if i >= len(text) || text[i] != '"' && text[i] != '\'' {
				continue
			}
			end := strings.IndexByte(text[i+1:], text[i])
			if end < 0 {
				return e, 0
			}
			e.attrs = append(e.attrs, xmlAttr{name, xmlText(text[i+1 : i+1+end])})
			i += end + 2
		}
	}
	return e, 0
}

func xmlText(t string) string {
	if !strings.Contains(t, "&") {
		return t
	}
	for _, p := range [...][2]string{{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&apos;", "'"}, {"&amp;", "&"}} {
		t = strings.ReplaceAll(t, p[0], p[1])
	}
	return t
}

// element is an XML element as a tree.
type element struct {
	name  string
	attrs []xmlAttr
	text  string
	kids  []*element
}

// readXML reads text as far as its tags go. Elements that do not end are closed
// at the end of the text.
func readXML(text string) (root *element, whole bool) {
	root = &element{}
	stack := []*element{root}
	whole = scanXML(text, func(e xmlEvent) {
		top := stack[len(stack)-1]
		switch {
		case e.open:
			kid := &element{name: e.name, attrs: e.attrs}
			top.kids = append(top.kids, kid)
			if !e.close {
				stack = append(stack, kid)
			}
		case e.close:
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
		default:
			top.text += e.text
		}
	})
	return root, whole
}

// kid is the first child of that name, nil if there is none.
func (e *element) kid(name string) *element {
	if e == nil {
		return nil
	}
	for _, k := range e.kids {
		if k.name == name {
			return k
		}
	}
	return nil
}

// value is the text of the first child of that name.
func (e *element) value(name string) string {
	if k := e.kid(name); k != nil {
		return strings.TrimSpace(k.text)
	}
	return ""
}

func (e *element) attr(name string) string {
	v := xmlEvent{attrs: e.attrs}
	return v.attr(name)
}

// walk visits e and all below it, with the names of the elements above.
func (e *element) walk(above []string, see func(*element, []string)) {
	for _, k := range e.kids {
		see(k, above)
		k.walk(append(above, k.name), see)
	}
}
