package coverage

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxDepth bounds the nesting of an XML report.
const maxDepth = 64

// An xmlReader follows the elements of one format. stack has the names of the
// elements around, the root first.
type xmlReader interface {
	start(stack []string, e xml.StartElement) error
	text(stack []string, s string)
	end(stack []string, name string) error
	report() *Report
}

// parseXML finds out which of the formats it is by the root element, and by
// the first element inside where that is not enough.
func parseXML(data []byte) (*Report, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = charset
	var stack []string
	var r xmlReader
	var root xml.StartElement
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("XML: %w", err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			name := t.Name.Local
			if len(stack) >= maxDepth {
				return nil, errors.New("XML: nested too deeply")
			}
			if len(stack) == 0 && r != nil {
				return nil, errors.New("XML: more than one root element")
			}
			if r == nil {
				if len(stack) == 0 {
					root = t.Copy()
					r = byRoot(root)
				} else if r = byChild(root.Name.Local, name); r != nil {
					if err := r.start(nil, root); err != nil {
						return nil, err
					}
				}
				if r == nil && (len(stack) > 0 || name != "coverage") {
					return nil, fmt.Errorf("XML with <%s>: %w", clip(root.Name.Local), ErrFormat)
				}
			}
			if r != nil {
				if err := r.start(stack, t); err != nil {
					line, _ := d.InputPos()
					return nil, fmt.Errorf("line %d: %w", line, err)
				}
			}
			stack = append(stack, name)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
			if r != nil {
				if err := r.end(stack, t.Name.Local); err != nil {
					line, _ := d.InputPos()
					return nil, fmt.Errorf("line %d: %w", line, err)
				}
			}
		case xml.CharData:
			if r != nil {
				r.text(stack, string(t))
			}
		}
	}
	if r == nil {
		return nil, fmt.Errorf("XML without content: %w", ErrFormat)
	}
	return r.report(), nil
}

func byRoot(e xml.StartElement) xmlReader {
	switch e.Name.Local {
	case "report":
		return &jacoco{}
	case "coverage":
		switch {
		case attr(e, "clover") != "" || attr(e, "generated") != "":
			return &clover{}
		case attr(e, "line-rate") != "" || attr(e, "lines-valid") != "" || attr(e, "branch-rate") != "":
			return &cobertura{}
		}
	}
	return nil
}

func byChild(root, child string) xmlReader {
	if root != "coverage" {
		return nil
	}
	switch child {
	case "project", "testproject":
		return &clover{}
	case "sources", "packages":
		return &cobertura{}
	}
	return nil
}

// charset lets through what is ASCII in its lower half: names beyond it come
// out wrong and match no file.
func charset(label string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "utf-8", "utf8", "us-ascii", "ascii", "":
		return in, nil
	case "iso-8859-1", "latin1", "windows-1252", "iso-8859-15":
		return &latin1{in: in}, nil
	}
	return nil, fmt.Errorf("encoding %q is not known", clip(label))
}

// latin1 turns single bytes into UTF-8.
type latin1 struct {
	in   io.Reader
	rest []byte
}

func (l *latin1) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		buf := make([]byte, max(len(p)/2, 1))
		n, err := l.in.Read(buf)
		for _, b := range buf[:n] {
			l.rest = append(l.rest, string(rune(b))...)
		}
		if n == 0 {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

func inside(stack []string, name string) bool {
	return len(stack) > 0 && stack[len(stack)-1] == name
}

// xmlLine reads a line number and a count.
func xmlLine(n, count string) (Line, error) {
	no, err := lineNo(n)
	if err != nil {
		return Line{}, err
	}
	hit, err := hits(count)
	return Line{no, hit}, err
}

// cobertura: coverage > sources > source, coverage > packages > package >
// classes > class(filename) > lines > line(number, hits). A class repeats some
// of its lines, and more, under methods: only if it has no lines of its own do
// those count.
type cobertura struct {
	r       Report
	c       collector
	file    string
	known   bool // an element of the format was seen
	own     bool // the class has lines of its own
	methods []Line
	lines   []Line
	source  strings.Builder
}

func (x *cobertura) start(stack []string, e xml.StartElement) error {
	switch e.Name.Local {
	case "coverage":
		if len(stack) == 0 {
			x.r.Made, x.r.Grain = unixTime(attr(e, "timestamp"))
		}
	case "packages":
		x.known = true
	case "source":
		x.source.Reset()
	case "class":
		x.file = attr(e, "filename")
		if x.file == "" {
			return errors.New("cobertura: a class without filename")
		}
		x.own, x.methods, x.lines = false, nil, nil
	case "lines":
		if inside(stack, "class") {
			x.own = true
		}
	case "line":
		if x.file == "" || !inside(stack, "lines") {
			return nil
		}
		l, err := xmlLine(attr(e, "number"), attr(e, "hits"))
		if err != nil {
			return fmt.Errorf("cobertura: %s: %w", clip(x.file), err)
		}
		if l.N == 0 || l.N >= 0xf00000 { // .NET's mark for "no line" is 0xfeefee
			return nil
		}
		if len(stack) > 1 && stack[len(stack)-2] == "method" {
			x.methods = append(x.methods, l)
		} else {
			x.lines = append(x.lines, l)
		}
	}
	return nil
}

func (x *cobertura) text(stack []string, s string) {
	if inside(stack, "source") && x.source.Len() < 1<<12 {
		x.source.WriteString(s)
	}
}

func (x *cobertura) end(_ []string, name string) error {
	switch name {
	case "source":
		if s := strings.TrimSpace(x.source.String()); s != "" && len(x.r.Sources) < 1000 {
			x.r.Sources = append(x.r.Sources, s)
		}
	case "class":
		f := x.c.file("", x.file)
		if x.own {
			f.Lines = append(f.Lines, x.lines...)
		} else {
			f.Lines = append(f.Lines, x.methods...)
		}
		x.file = ""
	case "coverage":
		if !x.known {
			return errors.New("cobertura: it has no <packages>")
		}
	}
	return nil
}

func (x *cobertura) report() *Report {
	x.r.Format, x.r.Files = Cobertura, x.c.done()
	return &x.r
}

// clover: coverage(generated) > project > (package >) file(name, path) >
// line(num, count, type). PHPUnit's files have the path in name. A line of type
// method is the signature of one, which no other format counts.
type clover struct {
	r     Report
	c     collector
	file  string
	known bool
}

func (x *clover) start(stack []string, e xml.StartElement) error {
	switch e.Name.Local {
	case "coverage":
		if len(stack) == 0 {
			x.r.Made, x.r.Grain = unixTime(attr(e, "generated"))
		}
	case "project":
		x.known = true
		if x.r.Made.IsZero() {
			x.r.Made, x.r.Grain = unixTime(attr(e, "timestamp"))
		}
	case "file":
		x.file = attr(e, "path")
		if x.file == "" {
			x.file = attr(e, "name")
		}
		if x.file == "" {
			return errors.New("clover: a file without name")
		}
		x.c.file("", x.file)
	case "line":
		if x.file == "" || !inside(stack, "file") {
			return nil
		}
		// A condition of OpenClover has a count for each way it went.
		count := attr(e, "count")
		if count == "" {
			count = attr(e, "truecount")
		}
		if count == "0" && attr(e, "type") == "cond" && attr(e, "count") == "" {
			count = attr(e, "falsecount")
		}
		l, err := xmlLine(attr(e, "num"), count)
		if err != nil {
			return fmt.Errorf("clover: %s: %w", clip(x.file), err)
		}
		if l.N > 0 && attr(e, "type") != "method" {
			f := x.c.file("", x.file)
			f.Lines = append(f.Lines, l)
		}
	}
	return nil
}

func (x *clover) text([]string, string) {}

func (x *clover) end(_ []string, name string) error {
	switch name {
	case "file":
		x.file = ""
	case "coverage":
		if !x.known {
			return errors.New("clover: it has no <project>")
		}
	}
	return nil
}

func (x *clover) report() *Report {
	x.r.Format, x.r.Files = Clover, x.c.done()
	return &x.r
}

// jacoco: report > sessioninfo(dump), report > (group >) package(name) >
// sourcefile(name) > line(nr, mi, ci). A line counts if it has instructions,
// missed or covered. A sourcefile's name has no folder but its package's.
type jacoco struct {
	r      Report
	c      collector
	groups []string
	pkg    string
	file   string
	known  bool
}

func (x *jacoco) start(stack []string, e xml.StartElement) error {
	switch e.Name.Local {
	case "sessioninfo":
		x.known = true
		if t, grain := unixTime(attr(e, "dump")); t.After(x.r.Made) {
			x.r.Made, x.r.Grain = t, grain
		}
	case "group":
		x.known = true
		x.groups = append(x.groups, attr(e, "name"))
	case "package":
		x.known = true
		x.pkg = attr(e, "name")
	case "counter":
		x.known = true
	case "sourcefile":
		name := attr(e, "name")
		if name == "" {
			return errors.New("jacoco: a sourcefile without name")
		}
		x.file = strings.TrimPrefix(strings.Trim(x.pkg, "/")+"/"+name, "/")
		x.c.file(x.group(), x.file)
	case "line":
		if x.file == "" || !inside(stack, "sourcefile") {
			return nil
		}
		l, err := xmlLine(attr(e, "nr"), attr(e, "ci"))
		if err != nil {
			return fmt.Errorf("jacoco: %s: %w", clip(x.file), err)
		}
		missed, err := hits(attr(e, "mi"))
		if err != nil {
			return fmt.Errorf("jacoco: %s: %w", clip(x.file), err)
		}
		if l.N > 0 && (l.Hit || missed) {
			f := x.c.file(x.group(), x.file)
			f.Lines = append(f.Lines, l)
		}
	}
	return nil
}

func (x *jacoco) group() string { return strings.Join(x.groups, "/") }

func (x *jacoco) text([]string, string) {}

func (x *jacoco) end(stack []string, name string) error {
	switch name {
	case "group":
		if n := len(x.groups); n > 0 {
			x.groups = x.groups[:n-1]
		}
	case "package":
		x.pkg = ""
	case "sourcefile":
		x.file = ""
	case "report":
		if len(stack) == 0 && !x.known {
			return fmt.Errorf("XML with <report>: %w", ErrFormat)
		}
	}
	return nil
}

func (x *jacoco) report() *Report {
	x.r.Format, x.r.Files = JaCoCo, x.c.done()
	return &x.r
}
