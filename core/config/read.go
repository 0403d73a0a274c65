package config

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ec261362/guardrails/core/config/tree"
	"github.com/ec261362/guardrails/core/handoff/pack"
)

// MaxSize is the size from which on a file is not read, in bytes.
const MaxSize = 128 << 10

const (
	maxProblems = 500  // of one file; a file with that many is not being edited by hand
	maxItems    = 1000 // of one list
)

// File is one configuration file as read, without what lies below it.
type File struct {
	Name string
	// Config holds what the file says over the defaults of the keys it leaves
	// out. The On fields say which sections it has.
	Config Config

	set []mark
}

// mark is a key that the file sets.
type mark struct {
	sec  *field // the top-level key it belongs to
	f    *field
	path string
	line int
	col  int
	// partial says that only what tightens of it was taken over.
	partial bool
}

// Parse reads one file strictly and reports all that is wrong with it, sorted by
// place. name is only used in messages. The File is nil if there are problems.
// An empty file is valid, and so is an empty section: it has its defaults. whole
// reads what tree.Plain does not.
func Parse(name string, data []byte, whole tree.Reader) (*File, Problems) {
	f, problems, _ := parse(name, data, whole)
	if len(problems) > 0 {
		return nil, problems
	}
	return f, nil
}

// parse is Parse, but also returns what could be read of a file with problems. beyond
// says that the file needs a reader and whole is none.
func parse(name string, data []byte, whole tree.Reader) (f *File, problems Problems, beyond bool) {
	d := decoder{file: &File{Name: name, Config: Defaults()}, whole: whole}
	d.document(data, d.top)
	d.problems.sort()
	if len(d.problems) > maxProblems {
		d.problems = append(d.problems[:maxProblems], Problem{File: name, Msg: "and more"})
	}
	return d.file, d.problems, d.beyond
}

type decoder struct {
	file     *File
	whole    tree.Reader
	beyond   bool
	problems Problems
	sec      *field              // top-level key being read
	custom   map[string][]string // names that custom lists define, by section
	late     []lateWord
	refs     []reference // of the pack that is being read
	places   [24]place   // of what is being read, by depth: more than the table has
	seen     []*field    // of the mappings that are being read
}

// lateWord is a word to be judged once the names of its section's custom list
// are known.
type lateWord struct {
	sec  string
	f    *field
	path string
	node *tree.Node
}

func (d *decoder) report(line, col int, msg string) {
	if len(d.problems) > maxProblems {
		return
	}
	d.problems = append(d.problems, Problem{File: d.file.Name, Line: line, Col: col, Msg: msg})
}

func (d *decoder) at(n *tree.Node, path *place, msg string) {
	if path != nil {
		msg = path.String() + ": " + msg
	}
	d.report(n.Line, n.Column, msg)
}

// document hands the one document of data to read.
func (d *decoder) document(data []byte, read func(*tree.Node)) {
	if !d.readable(data) {
		return
	}
	n, plain := tree.Plain(data)
	if !plain {
		if d.whole == nil {
			d.beyond = true
			d.report(0, 0, "is YAML of a kind that this program does not read")
			return
		}
		var err error
		if n, err = d.whole(data); err != nil {
			d.syntax(data, err)
		}
	}
	if n != nil {
		read(n)
	}
}

// readable rules out what no YAML reader should be shown.
func (d *decoder) readable(data []byte) bool {
	if len(data) > MaxSize {
		d.report(0, 0, fmt.Sprintf("larger than %d KiB", MaxSize>>10))
		return false
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		d.report(1, 1, "UTF-16: save the file as UTF-8")
		return false
	}
	ok := true
	line, col := 1, 1
	rest := bytes.TrimPrefix(data, []byte("\ufeff"))
	for {
		// Nearly all of nearly every file.
		plain := 0
		for plain < len(rest) && rest[plain] >= ' ' && rest[plain] < 0x7f {
			plain++
		}
		col += plain
		if rest = rest[plain:]; len(rest) == 0 {
			break
		}
		r, n := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && n == 1:
			d.report(line, col, fmt.Sprintf("byte 0x%02x is not UTF-8: save the file as UTF-8", rest[0]))
			return false
		case r == '\n' || r == '\r' && !bytes.HasPrefix(rest, []byte("\r\n")):
			line, col = line+1, 0
		case r < ' ' && r != '\t' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff:
			d.report(line, col, fmt.Sprintf("control character %U", r))
			ok = false
		}
		col++
		rest = rest[n:]
	}
	return ok
}

// syntax reports what the YAML reader says, which never gets past the first
// error.
func (d *decoder) syntax(data []byte, err error) {
	var e *tree.Error
	switch {
	case !errors.As(err, &e):
		d.report(0, 0, "not valid YAML: "+err.Error())
		return
	case e.Unread:
		d.report(0, 0, "cannot be read: "+e.Message)
		return
	case e.Second:
		d.report(e.Line, e.Column, "a second document begins here: one file holds one document")
		return
	}
	line, col := e.Line, e.Column
	if line > 0 {
		if text, ok := lineOf(data, line); ok {
			indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
			if i := strings.IndexByte(indent, '\t'); i >= 0 {
				d.report(line, i+1, "a tab cannot indent: use spaces")
				return
			}
		}
	}
	msg := "not valid YAML: " + e.Message
	switch e.Message {
	case "mapping values are not allowed in this context":
		msg = `not valid YAML: a ": " where none can be; indent as the line above, or put the text in quotes`
	case "found character that cannot start any token":
		msg = "not valid YAML: a text that begins with this character needs quotes"
	case "did not find expected key", "did not find expected '-' indicator", "did not find expected <document start>":
		msg = "not valid YAML: this does not fit the lines above; check indentation, quotes and commas"
	case "did not find expected node content":
		msg = "not valid YAML: a value is missing, or a [ or { is not closed"
	case "found unexpected end of stream":
		msg = "not valid YAML: a quote is not closed"
	case "found unknown escape character":
		msg = "not valid YAML: " + escapeHint
	case "found incompatible YAML document":
		msg = "not valid YAML: a %YAML line of another version; leave the line out"
	case "did not find expected ',' or ']'", "did not find expected ',' or '}'":
		msg += "; within [ ] and { } a text with one of these, or a comma, needs quotes"
	case "could not find expected ':'":
		// It is missed at the line after the one that lacks it.
		if text, ok := lineOf(data, e.ContextLine); ok {
			line, col = e.ContextLine, len(text)-len(strings.TrimLeft(text, " "))+1
			msg = `not valid YAML: a key without a ":" behind it, or a text that goes on and is not indented`
		}
	default:
		if strings.HasPrefix(e.Message, "unknown anchor ") || e.Context == "while scanning an alias" {
			msg = "not valid YAML: a text that begins with * needs quotes"
		}
	}
	if from := e.ContextLine; from > 0 && from != line && e.Context != "" {
		msg += fmt.Sprintf(" (%s that begins on line %d)", e.Context, from)
	}
	d.report(line, col, msg)
}

const escapeHint = `within double quotes a \ begins an escape: write \\ for one, or use single quotes`

func lineOf(data []byte, line int) (string, bool) {
	for s := range strings.Lines(string(data)) {
		if line--; line == 0 {
			return s, true
		}
	}
	return "", false
}

func (d *decoder) top(n *tree.Node) {
	if d.foreign(n, nil) || isNull(n) {
		return
	}
	if n.Kind != tree.Mapping {
		d.at(n, nil, "want keys such as policy: or quality:, found "+found(n))
		return
	}
	d.mapping(n, table[:], &d.file.Config, nil, true)
	for _, l := range d.late {
		if defined := d.custom[l.sec]; !has(defined, l.node.Value) {
			d.badWord(&place{key: l.path}, l.node, append(slices.Clip(l.f.words), defined...))
		}
	}
}

// foreign reports what YAML offers and we do not read, and whether that leaves
// nothing to look at.
func (d *decoder) foreign(n *tree.Node, path *place) bool {
	switch {
	case n.Kind == tree.Alias:
		d.at(n, path, "aliases (*"+clip(n.Value)+") are not read here: write the value out")
		return true
	case n.Anchor != "":
		d.at(n, path, "anchors (&"+clip(n.Anchor)+") are not read here: write the value out where it is needed")
	case n.Tagged:
		d.at(n, path, "tags ("+clip(n.Tag)+") are not read here: a text that begins with ! needs quotes")
		return n.Kind == tree.Scalar
	}
	return false
}

func isNull(n *tree.Node) bool { return n.Kind == tree.Scalar && n.Tag == tree.Null }

// mapping reads the keys of n into p. It returns those that
// were there, which its caller takes off d.seen.
func (d *decoder) mapping(n *tree.Node, fields []field, p any, path *place, marks bool) []*field {
	before := len(d.seen)
	var first [16]*tree.Node
	keys := first[:0]
	for i := 0; i+1 < len(n.Content) && len(d.problems) <= maxProblems; i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		if !d.key(key, path, keys) {
			continue
		}
		keys = append(keys, key)
		f := fieldOf(fields, key.Value)
		if f == nil {
			d.unknownKey(key, fields, path.String())
			continue
		}
		d.seen = append(d.seen, f)
		if path == nil && marks {
			d.sec = f
		}
		sub := d.under(path, place{key: f.key})
		if d.foreign(val, sub) {
			continue
		}
		if f.kind == kindSection {
			d.section(val, f, p, sub, key)
			continue
		}
		if isNull(val) {
			continue // as if it were commented out
		}
		if d.value(val, f, f.at(p), sub) && marks {
			d.file.set = append(d.file.set, mark{sec: d.sec, f: f, path: sub.String(), line: key.Line, col: key.Column})
		}
	}
	return d.seen[before:]
}

// key checks one key of a mapping and that it is not among those before it.
func (d *decoder) key(key *tree.Node, path *place, before []*tree.Node) bool {
	switch {
	case key.Kind == tree.Scalar && key.Tag == tree.Merge:
		d.at(key, path, "merge keys (<<) are not read here: write the values out")
		return false
	case d.foreign(key, path):
		return false
	case key.Kind != tree.Scalar:
		d.at(key, path, "a key must be a word, found "+found(key))
		return false
	}
	for _, k := range before {
		if k.Value == key.Value {
			d.report(key.Line, key.Column, fmt.Sprintf("duplicate key %q (first on line %d)", join(path.String(), clip(key.Value)), k.Line))
			return false
		}
	}
	return true
}

func (d *decoder) section(n *tree.Node, f *field, p any, path *place, key *tree.Node) {
	if !isNull(n) && n.Kind != tree.Mapping {
		d.at(n, path, "want keys such as "+f.fields[0].key+":, found "+found(n))
		return
	}
	f.stand(cfg(p))
	d.file.set = append(d.file.set, mark{sec: d.sec, f: f, path: path.String(), line: key.Line, col: key.Column})
	if n.Kind == tree.Mapping {
		before := len(d.seen)
		d.mapping(n, f.fields, p, path, true)
		d.seen = d.seen[:before]
	}
}

// value reads n into to, a pointer, and reports whether all of it was good.
func (d *decoder) value(n *tree.Node, f *field, to any, path *place) bool {
	before := len(d.problems)
	switch f.kind {
	case kindBool:
		if n.Kind == tree.Scalar && n.Tag == tree.Bool {
			*to.(*bool) = strings.EqualFold(n.Value, "true")
		} else {
			d.want(n, path, "true or false", boolHint(n))
		}
	case kindInt:
		d.number(n, f, path, func(v float64) { *to.(*int) = int(v) })
	case kindNumber:
		d.number(n, f, path, func(v float64) {
			switch to := to.(type) {
			case *float64:
				*to = v
			case **float64:
				*to = &v
			}
		})
	case kindText:
		if d.text(n, f, path) {
			*to.(*string) = n.Value
		}
	case kindWord:
		if !d.word(n, f, path) {
			break
		}
		switch to := to.(type) {
		case *string:
			*to = n.Value
		case *Mode:
			*to = Enforce
			if n.Value == "warn" {
				*to = Warn
			}
		}
	case kindDuration:
		d.duration(n, f, to.(*time.Duration), path)
	case kindCommand:
		d.command(n, to.(*Command), path)
	case kindTexts, kindWords:
		d.list(n, f, to.(*[]string), path)
	case kindItems:
		d.items(n, f, to, path)
	case kindDict:
		d.dict(n, f, to, path)
	case kindPairs:
		d.pairs(n, to.(*[]pack.Pair), path)
	}
	return len(d.problems) == before
}

func (d *decoder) want(n *tree.Node, path *place, what, hint string) {
	d.at(n, path, "want "+what+", found "+found(n)+hint)
}

// boolHint helps those who quote, or write yes and no.
func boolHint(n *tree.Node) string {
	if n.Kind != tree.Scalar {
		return ""
	}
	switch strings.ToLower(n.Value) {
	case "true", "yes", "on", "y", "1":
		return " (write true, without quotes)"
	case "false", "no", "off", "n", "0":
		return " (write false, without quotes)"
	}
	return ""
}

func (d *decoder) number(n *tree.Node, f *field, path *place, set func(float64)) {
	what := "a number"
	if f.kind == kindInt {
		what = "a whole number"
	}
	v, err := strconv.ParseFloat(n.Value, 64)
	good := n.Kind == tree.Scalar && err == nil && plainNumber(n.Value) &&
		(n.Tag == tree.Int || n.Tag == tree.Float && f.kind == kindNumber)
	switch {
	case !good:
		hint := ""
		switch {
		case n.Kind != tree.Scalar:
		case n.Tag == tree.Str && err == nil && plainNumber(n.Value):
			hint = " (write it without quotes)"
		case (n.Tag == tree.Int || n.Tag == tree.Float) && !plainNumber(n.Value):
			hint = " (write it in decimal digits)"
		}
		d.want(n, path, what, hint)
	case f.min == f.max && v != f.max:
		d.want(n, path, trim(f.max), "")
	case v < f.min || v > f.max:
		d.want(n, path, what+" from "+trim(f.min)+" to "+trim(f.max), "")
	default:
		set(v)
	}
}

// plainNumber rules out hexadecimal, octal, underscores, infinity and the like.
func plainNumber(s string) bool {
	digits := strings.TrimLeft(s, "+-")
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return false // octal to some
	}
	return digits != "" && strings.Trim(s, "+-.0123456789eE") == ""
}

func trim(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func (d *decoder) text(n *tree.Node, f *field, path *place) bool {
	switch {
	case n.Kind != tree.Scalar || n.Tag == tree.Null:
		d.want(n, path, "a text", "")
		return false
	case n.Tag != tree.Str:
		d.want(n, path, "a text", " (put it in quotes)")
		return false
	case strings.TrimSpace(n.Value) == "":
		d.at(n, path, "must not be empty")
		return false
	case d.unprintable(n, path):
		return false
	}
	if f.check != nil {
		if why := f.check(n.Value); why != "" {
			if !f.secret {
				why = quote(n.Value) + ": " + why
			}
			d.at(n, path, why)
			return false
		}
	}
	if f.refers != "" {
		d.refs = append(d.refs, reference{f.refers, path.String(), n})
	}
	return true
}

// unprintable reports a control character, which only an escape can have made: a
// "\b" that was meant for an expression, a "C:\a".
func (d *decoder) unprintable(n *tree.Node, path *place) bool {
	for _, r := range n.Value {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 {
			d.at(n, path, fmt.Sprintf("holds the control character %U: %s", r, escapeHint))
			return true
		}
	}
	return false
}

func (d *decoder) word(n *tree.Node, f *field, path *place) bool {
	if n.Kind != tree.Scalar || n.Tag == tree.Null {
		d.want(n, path, "one of "+strings.Join(f.words, ", "), "")
		return false
	}
	if n.Tag == tree.Str && has(f.words, n.Value) {
		return true
	}
	if f.late && n.Tag == tree.Str {
		d.late = append(d.late, lateWord{d.sec.key, f, path.String(), n})
		return true
	}
	d.badWord(path, n, f.words)
	return false
}

func (d *decoder) badWord(path *place, n *tree.Node, words []string) {
	hint := ""
	if w := Nearest(n.Value, words); w != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", w)
	}
	what := "one of " + strings.Join(words, ", ")
	if len(words) == 1 {
		what = words[0]
	}
	d.want(n, path, what, hint)
}

func (d *decoder) duration(n *tree.Node, f *field, to *time.Duration, path *place) {
	const what = "a duration such as 90s or 200ms"
	if n.Kind != tree.Scalar || n.Tag == tree.Null {
		d.want(n, path, what, "")
		return
	}
	v, err := time.ParseDuration(n.Value)
	switch {
	case err != nil && (n.Tag == tree.Int || n.Tag == tree.Float):
		d.want(n, path, what, " without a unit")
	case err != nil || n.Tag == tree.Bool:
		d.want(n, path, what, "")
	case float64(v) < f.min || float64(v) > f.max:
		d.at(n, path, fmt.Sprintf("want a duration from %s to %s, found %s", short(f.min), short(f.max), n.Value))
	default:
		*to = v
	}
}

// short prints a duration without its zero parts.
func short(ns float64) string {
	s := time.Duration(math.Round(ns)).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func (d *decoder) command(n *tree.Node, to *Command, path *place) {
	const what = `a command: a text for the shell, or a list of words`
	switch {
	case n.Kind == tree.Sequence && len(n.Content) == 0:
		d.at(n, path, "must not be empty")
	case n.Kind == tree.Sequence && d.tooMany(n, len(n.Content), path):
	case n.Kind == tree.Sequence:
		words := make([]string, 0, len(n.Content))
		for i, c := range n.Content {
			sub := d.under(path, place{index: i + 1})
			switch {
			case d.foreign(c, sub):
			case c.Kind != tree.Scalar || c.Tag == tree.Null:
				d.want(c, sub, "a word", "")
			case i == 0 && strings.TrimSpace(c.Value) == "":
				d.at(c, sub, "must not be empty")
			case d.unprintable(c, sub):
			default:
				// A word of a command is a text however it looks: 10, true.
				words = append(words, c.Value)
			}
		}
		to.Argv = words
	case n.Kind == tree.Scalar && n.Tag == tree.Str && strings.TrimSpace(n.Value) == "":
		d.at(n, path, "must not be empty")
	case n.Kind == tree.Scalar && n.Tag == tree.Str && d.unprintable(n, path):
	case n.Kind == tree.Scalar && n.Tag == tree.Str:
		to.Shell = n.Value
	default:
		d.want(n, path, what, "")
	}
}

func (d *decoder) list(n *tree.Node, f *field, to *[]string, path *place) {
	if n.Kind != tree.Sequence {
		d.wantList(n, path)
		return
	}
	if d.tooMany(n, len(n.Content), path) {
		return
	}
	list := make([]string, 0, len(n.Content))
	for i, c := range n.Content {
		sub := d.under(path, place{index: i + 1})
		if d.foreign(c, sub) {
			continue
		}
		good := false
		if f.kind == kindWords {
			good = d.word(c, f, sub)
		} else {
			good = d.text(c, f, sub)
		}
		if good && !has(list, c.Value) {
			list = append(list, c.Value)
		}
	}
	if f.late && len(list) == 0 && d.sec.key == "validators" {
		list = builtinValidators
	}
	*to = list
}

func (d *decoder) wantList(n *tree.Node, path *place) {
	hint := ""
	if n.Kind == tree.Scalar && n.Tag != tree.Null {
		hint = " (write [" + n.Value + "])"
	}
	d.want(n, path, "a list", hint)
}

func (d *decoder) tooMany(n *tree.Node, count int, path *place) bool {
	if count <= maxItems {
		return false
	}
	d.at(n, path, fmt.Sprintf("more than %d entries", maxItems))
	return true
}

func (d *decoder) items(n *tree.Node, f *field, to any, path *place) {
	if n.Kind != tree.Sequence {
		d.want(n, path, "a list", "")
		return
	}
	if d.tooMany(n, len(n.Content), path) {
		return
	}
	for i, c := range n.Content {
		d.item(c, f, f.grow(to, ""), d.under(path, place{index: i + 1}))
	}
}

func (d *decoder) dict(n *tree.Node, f *field, to any, path *place) {
	if n.Kind != tree.Mapping {
		d.want(n, path, "keys with a mapping each", "")
		return
	}
	if d.tooMany(n, len(n.Content)/2, path) {
		return
	}
	var keys []*tree.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		if !d.key(key, path, keys) {
			continue
		}
		keys = append(keys, key)
		if f.check != nil {
			if why := f.check(key.Value); why != "" {
				d.at(key, path, quote(key.Value)+": "+why)
				continue
			}
		}
		p := f.grow(to, key.Value)
		if !isNull(val) {
			d.item(val, f, p, d.under(path, place{key: key.Value, free: true}))
		}
	}
}

func (d *decoder) item(n *tree.Node, f *field, p any, path *place) {
	if d.foreign(n, path) {
		return
	}
	if n.Kind != tree.Mapping {
		d.want(n, path, "keys such as "+f.fields[0].key+":", "")
		return
	}
	before, mark := len(d.problems), len(d.seen)
	seen := d.mapping(n, f.fields, p, path, false)
	for i := range f.fields {
		if g := &f.fields[i]; g.required && !hasValue(n, g, seen) {
			d.at(n, path, fmt.Sprintf("needs %q", g.key))
		}
	}
	if len(f.anyOf) > 0 && !slices.ContainsFunc(f.fields, func(g field) bool {
		return has(f.anyOf, g.key) && hasValue(n, fieldOf(f.fields, g.key), seen)
	}) {
		d.at(n, path, "needs one of "+strings.Join(f.anyOf, ", "))
	}
	if len(f.oneOf) > 0 {
		d.one(n, f, seen, path)
	}
	d.seen = d.seen[:mark]
	switch p := p.(type) {
	case *CustomValidator:
		if len(d.problems) == before {
			d.define(n, path, "validators", "validator", p.Name)
		}
	case *pack.Pack:
		d.packed(n, p, path, len(d.problems) == before)
		if d.sec == nil {
			return // a pack in a file of its own
		}
		if why := checkPackName(p.Name); why != "" && len(d.problems) == before {
			d.at(n, path, quote(p.Name)+": "+why)
		}
		// Its name stands also when it has problems of its own.
		d.define(n, path, "handoffs", "pack", p.Name)
	}
}

// one judges that exactly one of f.oneOf is there.
func (d *decoder) one(n *tree.Node, f *field, seen []*field, path *place) {
	var there []string
	for _, key := range f.oneOf {
		if hasValue(n, fieldOf(f.fields, key), seen) {
			there = append(there, key)
		}
	}
	switch {
	case len(there) == 0:
		d.at(n, path, "needs one of "+strings.Join(f.oneOf, ", "))
	case len(there) > 1:
		d.at(n, path, "has "+strings.Join(there, " and ")+": one of them is enough; write an entry for each")
	}
}

// define keeps a name that the words of its section may use.
func (d *decoder) define(n *tree.Node, path *place, sec, what, name string) {
	if has(d.custom[sec], name) {
		d.at(n, path, fmt.Sprintf("a second %s named %q", what, name))
	}
	if d.custom == nil {
		d.custom = map[string][]string{}
	}
	d.custom[sec] = append(d.custom[sec], name)
}

// hasValue reports whether the mapping n has f's key with something behind it.
func hasValue(n *tree.Node, f *field, seen []*field) bool {
	for _, s := range seen {
		if s != f {
			continue
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == f.key {
				return !isNull(n.Content[i+1])
			}
		}
	}
	return false
}

func fieldOf(fields []field, key string) *field {
	for i := range fields {
		if fields[i].key == key {
			return &fields[i]
		}
	}
	return nil
}

func (d *decoder) unknownKey(key *tree.Node, fields []field, path string) {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].key
	}
	msg := fmt.Sprintf("unknown key %q", clip(key.Value))
	if path != "" {
		msg += " in " + path
	}
	if w := Nearest(key.Value, names); w != "" {
		msg += fmt.Sprintf(" (did you mean %q?)", w)
	} else if w := elsewhere(key.Value, table[:], ""); w != "" {
		msg += fmt.Sprintf(" (did you mean %q?)", w)
	} else {
		msg += "; known are " + strings.Join(names, ", ")
	}
	d.report(key.Line, key.Column, msg)
}

// elsewhere returns the full path of a key that stands in another section.
func elsewhere(key string, fields []field, path string) string {
	for i := range fields {
		f := &fields[i]
		full := join(path, f.key)
		if strings.EqualFold(f.key, key) {
			return full
		}
		if f.kind == kindSection {
			if w := elsewhere(key, f.fields, full); w != "" {
				return w
			}
		}
	}
	return ""
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// place is where a value stands. It becomes a text only when there is something to
// say of it.
type place struct {
	up    *place
	depth int
	key   string
	free  bool // key is the file's own word
	index int  // from 1; 0 = key
}

// under returns a place below path. It stands until the next at its depth is made.
func (d *decoder) under(path *place, p place) *place {
	if p.up = path; path != nil {
		p.depth = path.depth + 1
	}
	slot := &d.places[p.depth]
	*slot = p
	return slot
}

// String returns the place as in policy.allow[0].rule; nil is the whole file.
func (p *place) String() string {
	if p == nil {
		return ""
	}
	return string(p.append(nil))
}

// append copies every text, so that no place needs to outlive its call.
func (p *place) append(b []byte) []byte {
	if p.up != nil {
		b = p.up.append(b)
	}
	switch {
	case p.index > 0:
		b = strconv.AppendInt(append(b, '['), int64(p.index-1), 10)
		return append(b, ']')
	case p.free:
		b = append(append(b, '['), clip(p.key)...)
		return append(b, ']')
	}
	if len(b) > 0 {
		b = append(b, '.')
	}
	return append(b, p.key...)
}

// found names a value as the person who wrote it sees it.
func found(n *tree.Node) string {
	switch n.Kind {
	case tree.Mapping:
		return "a mapping"
	case tree.Sequence:
		return "a list"
	default:
	}
	switch n.Tag {
	case tree.Null:
		return "nothing"
	case tree.Int, tree.Float:
		return "the number " + clip(n.Value)
	case tree.Bool:
		return clip(n.Value)
	case tree.Timestamp:
		return "the date " + clip(n.Value)
	}
	return "the text " + quote(n.Value)
}

func quote(s string) string { return strconv.Quote(clip(s)) }

// clip keeps messages short, whatever the file holds.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
