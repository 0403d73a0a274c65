package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// A table is what is generated.
type table struct {
	rules     []tableRule
	always    tableAllow
	exprs     []string    // 0 = none
	common    []string    // the one long list of stop words, sorted
	held      []tableRule // of gitleaks, for which a function of ours stands in
	keywords  []string
	byKeyword [][]int // rules
	automaton *automaton
}

type tableRule struct {
	rawRule
	place
	leads          []lead
	expr, pathExpr int
	allows         []tableAllow
}

type tableAllow struct {
	and         bool
	target      string
	expr, paths int
	stop        []string
	common      bool // stop is the long list
}

// left out: rules that a scanner of text cannot apply.
var leftOut = map[string]string{
	"pkcs12-file": "judges a file's name only",
}

// classes of rules that their pattern does not tell.
var classOf = map[string]string{
	"curl-auth-header":       "context",
	"curl-auth-user":         "context",
	"facebook-access-token":  "context",
	"generic-api-key":        "generic",
	"hashicorp-tf-password":  "generic",
	"kubernetes-secret-yaml": "generic",
	"nuget-config-password":  "generic",
}

// narrowEnd is what gitleaks wants after a value. A value that its own form
// tells may as well stand before a bracket, a comma or an escaped quote.
const (
	narrowEnd = `(?:[\x60'"\s;]|\\[nr]|$)`
	wideEnd   = `(?:[\x60'"\s;,&|<>)}\]\\]|$)`
)

// near is how far from its keyword a value may be that need not hold it.
const near = 1 << 10

// prefix is how gitleaks begins a rule that looks for a word near a value. It
// only moves the start of the match, not the value, and costs most of the time.
var prefix = regexp.MustCompile(`^(?:\(\?i\))?(?:\[\\w\.-\]\{0,50\}\?)+(\(\?i:)?(?:\[\\w\.-\]\{0,50\}\?)?`)

func build(theirs, ours *config) (*table, error) {
	t := &table{exprs: []string{""}}
	always, err := t.allow(theirs.allow)
	if err != nil {
		return nil, err
	}
	t.always = always
	replaced := map[string]bool{}
	for _, r := range ours.rules {
		for i := range theirs.rules {
			if r.instead != nil && theirs.rules[i].id == r.id {
				theirs.rules[i].keywords = r.instead
			}
		}
	}
	for _, r := range ours.rules {
		if r.hand != "" || r.replace {
			replaced[r.id] = true
		}
	}
	if err := t.add(theirs.rules, false, replaced); err != nil {
		return nil, err
	}
	if err := t.add(ours.rules, true, nil); err != nil {
		return nil, err
	}
	for i, r := range t.rules {
		for _, k := range r.keywords {
			k = strings.ToLower(k)
			n := slices.Index(t.keywords, k)
			if n < 0 {
				n = len(t.keywords)
				t.keywords = append(t.keywords, k)
				t.byKeyword = append(t.byKeyword, nil)
			}
			if !slices.Contains(t.byKeyword[n], i) {
				t.byKeyword[n] = append(t.byKeyword[n], i)
			}
		}
	}
	t.automaton = newAutomaton(t.keywords)
	return t, nil
}

func (t *table) add(rules []rawRule, own bool, replaced map[string]bool) error {
	for _, raw := range rules {
		if leftOut[raw.id] != "" {
			continue
		}
		r := tableRule{rawRule: raw}
		if r.instead != nil {
			continue
		}
		if own && r.regex == "" && r.hand == "" {
			if err := t.extend(r); err != nil {
				return err
			}
			continue
		}
		if r.id == "" || len(r.keywords) == 0 {
			return fmt.Errorf("rule %q has no keyword: it would be run on every text", r.id)
		}
		if r.class == "" {
			r.class = "shape"
			if c := classOf[r.id]; c != "" {
				r.class = c
			} else if prefix.MatchString(r.regex) {
				r.class = "context"
			}
		}
		for i, k := range r.keywords {
			r.keywords[i] = strings.ToLower(k)
		}
		for _, a := range raw.allow {
			ta, err := t.allow(a)
			if err != nil {
				return fmt.Errorf("rule %s: %w", r.id, err)
			}
			r.allows = append(r.allows, ta)
		}
		if replaced[r.id] {
			// Our own function judges in its place, with its allowlists.
			t.held = append(t.held, r)
			continue
		}
		if own {
			r.allows = append(t.allowsOf(r.id), r.allows...)
		}
		if r.hand != "" {
			t.rules = append(t.rules, r)
			continue
		}
		expr := r.regex
		if m := prefix.FindStringSubmatch(expr); m != nil {
			if m[1] == "" {
				expr = "(?i)" + expr[len(m[0]):]
			} else {
				expr = "(?i:" + expr[len(m[0]):]
			}
		}
		if r.class == "shape" && r.id != "vault-service-token" { // s.… is also a field in code
			expr = strings.Replace(expr, narrowEnd, wideEnd, 1)
		}
		re, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			return fmt.Errorf("rule %s: %w", r.id, err)
		}
		if re.MaxCap() < r.group {
			return fmt.Errorf("rule %s has no group %d", r.id, r.group)
		}
		p, ok := locate(re, r.keywords)
		if short := shorter(r.keywords); !ok && short != nil {
			if p, ok = locate(re, short); ok {
				r.keywords = short
			}
		}
		if !ok {
			p = place{near, near} // gitleaks: a keyword anywhere in the file
		}
		if p.before >= infinite {
			p.before = near
		}
		r.place = p
		if ok && p.before == 0 {
			leads := leadsOf(re)
			all := len(leads) > 0
			for _, l := range leads {
				all = all && slices.ContainsFunc(r.keywords, func(k string) bool { return strings.HasPrefix(strings.ToLower(l.text), k) })
			}
			if all {
				r.leads = leads
			}
		}
		r.expr = t.index(expr)
		if r.path != "" {
			if _, err := syntax.Parse(r.path, syntax.Perl); err != nil {
				return fmt.Errorf("rule %s: path: %w", r.id, err)
			}
			r.pathExpr = t.index(r.path)
		}
		t.rules = append(t.rules, r)
	}
	return nil
}

// shorter returns the keywords less their last byte.
func shorter(keywords []string) []string {
	var out []string
	for _, k := range keywords {
		if len(k) < 5 {
			return nil
		}
		out = append(out, k[:len(k)-1])
	}
	return out
}

// allowsOf returns the allowlists of gitleaks' rule of that id.
func (t *table) allowsOf(id string) []tableAllow {
	for _, list := range [...][]tableRule{t.held, t.rules} {
		for i := range list {
			if list[i].id == id {
				return slices.Clone(list[i].allows)
			}
		}
	}
	return nil
}

// extend adds allowlists to the rules of one id.
func (t *table) extend(r tableRule) error {
	found := false
	for i := range t.rules {
		if t.rules[i].id != r.id {
			continue
		}
		found = true
		for _, a := range r.rawRule.allow {
			ta, err := t.allow(a)
			if err != nil {
				return err
			}
			t.rules[i].allows = append(t.rules[i].allows, ta)
		}
	}
	if !found {
		return fmt.Errorf("rule %s is not there to be extended", r.id)
	}
	return nil
}

func (t *table) index(expr string) int {
	if n := slices.Index(t.exprs, expr); n >= 0 {
		return n
	}
	t.exprs = append(t.exprs, expr)
	return len(t.exprs) - 1
}

func (t *table) allow(a allowlist) (tableAllow, error) {
	ta := tableAllow{and: a.and, target: a.target}
	if ta.target == "" {
		ta.target = "secret"
	}
	for _, list := range []struct {
		exprs []string
		to    *int
	}{{a.regexes, &ta.expr}, {a.paths, &ta.paths}} {
		if len(list.exprs) == 0 {
			continue
		}
		one := list.exprs[0]
		if len(list.exprs) > 1 {
			one = "(?:" + strings.Join(list.exprs, ")|(?:") + ")"
		}
		if _, err := syntax.Parse(one, syntax.Perl); err != nil {
			return ta, fmt.Errorf("allowlist: %w", err)
		}
		*list.to = t.index(one)
	}
	for _, w := range a.stopwords {
		ta.stop = append(ta.stop, strings.ToLower(w))
	}
	slices.Sort(ta.stop)
	ta.stop = slices.Compact(ta.stop)
	if len(ta.stop) > 50 {
		if t.common != nil {
			return ta, errors.New("a second long list of stop words")
		}
		for _, w := range ta.stop {
			if len(w) < 2 {
				return ta, fmt.Errorf("stop word %q is too short", w)
			}
		}
		t.common, ta.common = ta.stop, true
	}
	return ta, nil
}

// emit writes the Go file.
func (t *table) emit(licence string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by tools/genrules; DO NOT EDIT.\n\n")
	fmt.Fprintf(&b, "// The rules, their allowlists and their stop words are those of gitleaks %s\n// (%s), less the ones that judge a file's name only, with\n// those of own.toml. gitleaks is under this licence:\n//\n", release, "github.com/gitleaks/gitleaks")
	for line := range strings.SplitSeq(strings.TrimSpace(licence), "\n") {
		fmt.Fprintf(&b, "%s\n", strings.TrimRight("//\t"+line, "\t "))
	}
	fmt.Fprintf(&b, "\npackage secrets\n\n")

	fmt.Fprintf(&b, "// rules in the order in which they are tried. The compiler lays them out: they\n// cost nothing before main.\nvar rules = [...]rule{\n")
	for i := range t.rules {
		t.rules[i].emit(&b)
	}
	fmt.Fprintf(&b, "}\n\n// always is the allowlist of every rule.\nvar always = %s\n\n", t.always.literal())

	fmt.Fprintf(&b, "// exprs are the regular expressions, by the numbers that rules use.\nvar exprs = [...]string{\n")
	for _, e := range t.exprs {
		fmt.Fprintf(&b, "\t%s,\n", quote(e))
	}
	fmt.Fprintf(&b, "}\n\n// commonWords are in no random value but by chance.\nvar commonWords = [...]string{\n")
	for chunk := range slices.Chunk(t.common, 12) {
		b.WriteByte('\t')
		for _, w := range chunk {
			fmt.Fprintf(&b, "%q, ", w)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "}\n\n")

	a := t.automaton
	numbers(&b, "classOf", "uint8", "the class of a byte, letters without case; 0 = in no keyword", wide(a.class[:]))
	fmt.Fprintf(&b, "const classes = %d\n\n", a.classes)
	var rows []uint16
	for _, r := range a.rows {
		rows = append(rows, r...)
	}
	numbers(&b, "rows", "uint16", "the next state, by class, of each state that has a row", rows)
	fmt.Fprintf(&b, "const fullRows = %d\n\n", len(a.rows))
	numbers(&b, "base", "uint16", "where a state's edges lie in check and next", a.base)
	numbers(&b, "fail", "uint16", "the state of the longest suffix", a.fail)
	numbers(&b, "check", "uint16", "whose edge it is", a.check)
	numbers(&b, "next", "uint16", "where it leads", a.next)

	var first, hits []uint16
	first = append(first, 0)
	for _, ids := range a.out {
		for _, id := range ids {
			hits = append(hits, uint16(id))
		}
		first = append(first, uint16(len(hits)))
	}
	numbers(&b, "hitFrom", "uint16", "hits of state s are hits[hitFrom[s]:hitFrom[s+1]]", first)
	numbers(&b, "hits", "uint16", "keywords that end in a state", hits)
	fmt.Fprintf(&b, "// keywords in lower case.\nvar keywords = [...]string{\n")
	for chunk := range slices.Chunk(t.keywords, 12) {
		b.WriteByte('\t')
		for _, k := range chunk {
			fmt.Fprintf(&b, "%q, ", k)
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n\n")
	var from, ruleOf []uint16
	from = append(from, 0)
	for i := range t.keywords {
		for _, r := range t.byKeyword[i] {
			ruleOf = append(ruleOf, uint16(r))
		}
		from = append(from, uint16(len(ruleOf)))
	}
	numbers(&b, "ruleFrom", "uint16", "rules of keyword k are ruleOf[ruleFrom[k]:ruleFrom[k+1]]", from)
	numbers(&b, "ruleOf", "uint16", "rules that want a keyword", ruleOf)
	return format.Source(b.Bytes())
}

func (r *tableRule) emit(b *bytes.Buffer) {
	fmt.Fprintf(b, "{id: %q, class: class%s", r.id, strings.ToUpper(r.class[:1])+r.class[1:])
	if r.hand != "" {
		fmt.Fprintf(b, ", by: by%s", strings.ToUpper(r.hand[:1])+r.hand[1:])
	} else {
		fmt.Fprintf(b, ", expr: %d", r.expr)
		for _, n := range [...]struct {
			name string
			n    int
		}{{"before", r.before}, {"after", r.after}} {
			if n.n >= infinite {
				n.n = -1
			}
			if n.n != 0 {
				fmt.Fprintf(b, ", %s: %d", n.name, n.n)
			}
		}
	}
	if r.pathExpr != 0 {
		fmt.Fprintf(b, ", path: %d", r.pathExpr)
	}
	if r.entropy != 0 {
		fmt.Fprintf(b, ", entropy: %s", strconv.FormatFloat(r.entropy, 'g', -1, 64))
	}
	if r.group != 0 {
		fmt.Fprintf(b, ", group: %d", r.group)
	}
	if r.digit {
		fmt.Fprint(b, ", digit: true")
	}
	if len(r.leads) > 0 {
		b.WriteString(", leads: []lead{")
		for _, l := range r.leads {
			fmt.Fprintf(b, "{text: %q", l.text)
			if l.word {
				b.WriteString(", word: true")
			}
			if l.run > 0 {
				fmt.Fprintf(b, ", run: %d, set: [2]uint64{%#x, %#x}", l.run, l.set[0], l.set[1])
			}
			b.WriteString("}, ")
		}
		b.WriteString("}")
	}
	if len(r.allows) > 0 {
		b.WriteString(", allow: []allow{")
		for i := range r.allows {
			b.WriteString(strings.TrimPrefix(r.allows[i].literal(), "allow") + ", ")
		}
		b.WriteString("}")
	}
	b.WriteString("},\n")
}

func (a *tableAllow) literal() string {
	var f []string
	if a.and {
		f = append(f, "and: true")
	}
	if a.expr != 0 {
		f = append(f, "in: "+map[string]string{"secret": "inSecret", "match": "inMatch", "line": "inLine"}[a.target], "expr: "+strconv.Itoa(a.expr))
	}
	if a.paths != 0 {
		f = append(f, "paths: "+strconv.Itoa(a.paths))
	}
	switch {
	case a.common:
		f = append(f, "common: true")
	case len(a.stop) > 0:
		f = append(f, fmt.Sprintf("words: %#v", a.stop))
	}
	return "allow{" + strings.Join(f, ", ") + "}"
}

func wide(list []uint8) []uint16 {
	out := make([]uint16, len(list))
	for i, n := range list {
		out[i] = uint16(n)
	}
	return out
}

func numbers(b *bytes.Buffer, name, kind, doc string, list []uint16) {
	fmt.Fprintf(b, "// %s: %s.\nvar %s = [...]%s{\n", name, doc, name, kind)
	for chunk := range slices.Chunk(list, 32) {
		b.WriteByte('\t')
		for _, n := range chunk {
			fmt.Fprintf(b, "%d, ", n)
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n\n")
}

func quote(s string) string {
	if strings.ContainsRune(s, '`') {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}
