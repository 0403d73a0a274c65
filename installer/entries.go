package installer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/installer/jsonedit"
)

// A command is what a handler runs: a program with arguments, or, without
// arguments, a line for the shell.
type command struct {
	program string
	args    []string // nil = shell form
	shell   string   // that runs a shell form; "" = the system's
}

func (c command) String() string {
	if c.args == nil {
		return c.program
	}
	return c.program + " " + strings.Join(c.args, " ")
}

// A kind says whose a handler is. The zero value is another's.
type kind int

const (
	foreign kind = iota
	ours         // one of the frozen forms, or an older one
	wrapped      // runs guardrails in some other way: counted, never edited
)

// An entry is one handler in a file of the shape
// <base>.<event>[group].hooks[index], or, where a host knows no groups for an
// event, <base>.<event>[group].
type entry struct {
	base         []any
	event        string
	group, index int
	flat         bool // there is no group
	alone        bool // every handler of its group is ours
	kind         kind
	program      string // what an entry of ours starts
	matcher      string
	node         jsonedit.Node
	place        string // line:column
}

func (e entry) path() []any {
	if e.flat {
		return e.groupPath()
	}
	return append(e.groupPath(), "hooks", e.index)
}

func (e entry) groupPath() []any { return append(slices.Clone(e.base), e.event, e.group) }

// identity knows the command forms of one host.
type identity struct {
	host   string
	shared string   // the frozen shell form for committed files
	plugin string   // the frozen program of the host's bundle
	events []string // names that an older form may carry
	absent []string // what a guarded line does where the program is missing
	// bases are the paths below which a document holds events; nil = hooks.
	bases func(*jsonedit.Doc) [][]any
	// flat says that an event's list holds handlers, not groups; nil = none does.
	flat func(event string) bool
	// script returns the text of a script that a command line starts, "" if it
	// is none.
	script func(string) string
}

// classify says whose a handler is and what it starts.
func (id identity) classify(h jsonedit.Node) (kind, string) {
	if h.Get("type").Text() != "command" {
		return foreign, ""
	}
	line := h.Get("command").Text()
	if h.Get("args").Kind() == jsonedit.ArrayKind {
		ws := []string{line}
		for n := range h.Get("args").Len() {
			ws = append(ws, h.Get("args").Index(n).Text())
		}
		if id.form(ws) {
			return ours, ws[0]
		}
		if mentions(strings.Join(ws, " ")) {
			return wrapped, ""
		}
		return foreign, ""
	}
	if id.shared != "" && slices.Equal(strings.Fields(line), strings.Fields(id.shared)) {
		return ours, "guardrails"
	}
	if ws := id.unguard(line); ws != nil && id.form(ws) {
		return ours, ws[0]
	}
	ws, plain := words(line)
	if plain && id.form(ws) {
		return ours, ws[0]
	}
	if mentions(line) {
		return wrapped, ""
	}
	if plain && id.script != nil {
		for _, w := range ws[:min(2, len(ws))] { // the script, or its interpreter and then the script
			if filepath.IsAbs(w) && mentions(id.script(w)) {
				return wrapped, ""
			}
		}
	}
	return foreign, ""
}

// form reports whether a command's words are a form that was ever released:
//
//	BIN hook --agent HOST [EVENT] [--home DIR]
//	BIN hook HOST
//	BIN hook EVENT
//
// with BIN an absolute path to a file named guardrails, that name alone, or the
// bundle's.
func (id identity) form(ws []string) bool {
	if len(ws) < 3 || ws[1] != "hook" || !isProgram(ws[0]) && ws[0] != id.plugin {
		return false
	}
	rest := ws[2:]
	if n := len(rest); n >= 2 && rest[n-2] == "--home" {
		rest = rest[:n-2]
	}
	if len(rest) >= 2 && rest[0] == "--agent" {
		return rest[1] == id.host && (len(rest) == 2 || len(rest) == 3 && slices.Contains(id.events, rest[2]))
	}
	return len(rest) == 1 && (rest[0] == id.host || slices.Contains(id.events, rest[0]))
}

func isProgram(word string) bool {
	slashed := strings.ReplaceAll(word, `\`, "/")
	name := slashed[strings.LastIndexByte(slashed, '/')+1:]
	if name != "guardrails" && !strings.EqualFold(name, "guardrails.exe") {
		return false
	}
	return name == word || filepath.IsAbs(word) || len(word) > 2 && word[1] == ':'
}

// unguard returns the words of the frozen line that steps aside where the
// program is missing:
//
//	b='BIN'; [ -x "$b" ] || ABSENT; exec "$b" hook …
//
// and nil for any other.
func (id identity) unguard(line string) []string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "b='")
	if !ok {
		return nil
	}
	bin, rest, ok := strings.Cut(rest, "'")
	if !ok {
		return nil
	}
	for _, absent := range id.absent {
		tail, ok := strings.CutPrefix(rest, guardTest+absent+guardExec)
		if !ok {
			continue
		}
		if ws, plain := words(tail); plain {
			return append([]string{bin}, ws...)
		}
	}
	return nil
}

// The constant parts of a guarded line.
const (
	guardTest = `; [ -x "$b" ] || `
	guardExec = `; exec "$b" `
)

// guarded is the frozen line of unguard.
func guarded(bin, absent string, args ...string) command {
	return command{program: "b=" + singleQuote(bin) + guardTest + absent + guardExec + strings.Join(args, " ")}
}

// mentions reports whether a text starts guardrails as a hook, however wrapped.
func mentions(text string) bool {
	for rest := text; ; {
		n := strings.Index(rest, "guardrails")
		if n < 0 {
			return false
		}
		rest = rest[n+len("guardrails"):]
		after := strings.TrimLeft(strings.TrimPrefix(rest, ".exe"), "\"'")
		if f := strings.Fields(after); len(f) > 0 && f[0] == "hook" && after[0] <= ' ' {
			return true
		}
	}
}

// scan lists the handlers of a document in order. Parts of another shape are
// passed over.
func (id identity) scan(doc *jsonedit.Doc) []entry {
	bases := [][]any{{"hooks"}}
	if id.bases != nil {
		bases = id.bases(doc)
	}
	var out []entry
	for _, base := range bases {
		events := doc.At(base...)
		for _, event := range events.Keys() {
			out = append(out, id.scanEvent(base, event, events.Get(event))...)
		}
	}
	return out
}

func (id identity) scanEvent(base []any, event string, groups jsonedit.Node) (out []entry) {
	if groups.Kind() != jsonedit.ArrayKind {
		return nil
	}
	flat := id.flat != nil && id.flat(event)
	for g := range groups.Len() {
		handlers := groups.Index(g).Get("hooks")
		count := handlers.Len()
		switch {
		case flat:
			count = 1
		case handlers.Kind() != jsonedit.ArrayKind:
			continue
		}
		first, alone := len(out), true
		for h := range count {
			node := groups.Index(g)
			if !flat {
				node = handlers.Index(h)
			}
			k, program := id.classify(node)
			line, col := node.Place()
			alone = alone && k == ours
			e := entry{
				base: base, event: event, group: g, index: h, flat: flat, kind: k, program: program, node: node,
				place: strconv.Itoa(line) + ":" + strconv.Itoa(col),
			}
			if !flat {
				e.matcher = groups.Index(g).Get("matcher").Text()
			}
			out = append(out, e)
		}
		for n := first; n < len(out); n++ {
			out[n].alone = alone
		}
	}
	return out
}

// covers reports whether a group's matcher lets through every call that want
// does.
func covers(have, want string) bool {
	if have == "" || have == "*" || have == ".*" || have == want {
		return true
	}
	if want == "" {
		return false
	}
	names := strings.Split(have, "|")
	for w := range strings.SplitSeq(want, "|") {
		if !slices.Contains(names, w) {
			return false
		}
	}
	return !strings.ContainsAny(have, `.*+?()[]{}^$\`)
}

// A wanted is one handler that should stand in a file.
type wanted struct {
	wiring  hook.Wiring
	command command
	block   bool   // onFailure
	name    string // "" = the host's handlers have none
	millis  bool   // the host counts milliseconds, not seconds
	flat    bool   // the host wants no group
}

// timeout is the wiring's timeout in the host's unit.
func (w wanted) timeout() int {
	if w.millis {
		return w.wiring.Timeout * 1000
	}
	return w.wiring.Timeout
}

func (w wanted) handler() jsonedit.Object {
	h := jsonedit.Object{{Key: "type", Value: "command"}}
	if w.name != "" {
		h = append(h, jsonedit.Member{Key: "name", Value: w.name})
	}
	h = append(h, jsonedit.Member{Key: "command", Value: w.command.program})
	if w.command.args != nil {
		h = append(h, jsonedit.Member{Key: "args", Value: array(w.command.args)})
	}
	h = append(h, jsonedit.Member{Key: "timeout", Value: w.timeout()})
	if w.block {
		h = append(h, jsonedit.Member{Key: "onFailure", Value: "block"})
	}
	return h
}

// group is what stands in the event's list.
func (w wanted) group() jsonedit.Object {
	if w.flat {
		return w.handler()
	}
	var g jsonedit.Object
	if w.wiring.Matcher != "" {
		g = append(g, jsonedit.Member{Key: "matcher", Value: w.wiring.Matcher})
	}
	return append(g, jsonedit.Member{Key: "hooks", Value: jsonedit.Array{w.handler()}})
}

func array(ws []string) jsonedit.Array {
	out := make(jsonedit.Array, len(ws))
	for i, w := range ws {
		out[i] = w
	}
	return out
}

// disarming are keys that keep a handler of ours from deciding; nobody needs
// them there.
var disarming = [...]string{"async", "asyncRewake", "if"}

// differs lists the keys in which a handler of ours is not as wanted. A longer
// timeout is somebody's choice and stays; so do keys that we do not know.
func (w wanted) differs(h jsonedit.Node) (set jsonedit.Object, drop []string) {
	if h.Get("command").Text() != w.command.program {
		set = append(set, jsonedit.Member{Key: "command", Value: w.command.program})
	}
	if args := h.Get("args"); w.command.args == nil {
		if args.Kind() != jsonedit.Invalid {
			drop = append(drop, "args")
		}
	} else if !sameWords(args, w.command.args) {
		set = append(set, jsonedit.Member{Key: "args", Value: array(w.command.args)})
	}
	if n, err := strconv.ParseFloat(string(h.Get("timeout").Raw()), 64); err != nil || n < float64(w.timeout()) {
		set = append(set, jsonedit.Member{Key: "timeout", Value: w.timeout()})
	}
	on := h.Get("onFailure")
	switch {
	case w.block && on.Text() != "block":
		set = append(set, jsonedit.Member{Key: "onFailure", Value: "block"})
	case !w.block && on.Kind() != jsonedit.Invalid:
		drop = append(drop, "onFailure")
	}
	for _, key := range disarming {
		if h.Get(key).Kind() != jsonedit.Invalid {
			drop = append(drop, key)
		}
	}
	return set, drop
}

func sameWords(n jsonedit.Node, ws []string) bool {
	if n.Kind() != jsonedit.ArrayKind || n.Len() != len(ws) {
		return false
	}
	for i, w := range ws {
		if n.Index(i).Text() != w {
			return false
		}
	}
	return true
}

// reconciler brings a document's handlers of ours to what is wanted.
type reconciler struct {
	identity
	base   []any // where new events go; nil = hooks
	wanted []wanted
	// newer says that an entry's program is a newer build than this one, which
	// then stays; nil = none is.
	newer func(program string) bool
}

// A finding is the state of one wanted handler.
type finding struct {
	wanted  wanted
	entry   *entry // nil = missing
	current bool   // nothing to change
}

// match assigns the handlers of ours to what is wanted. extra are those of ours
// that nothing wants.
func (r reconciler) match(doc *jsonedit.Doc) (found []finding, extra []entry) {
	entries := r.scan(doc)
	taken := make([]bool, len(entries))
	found = make([]finding, len(r.wanted))
	for pass := range 4 {
		for n, w := range r.wanted {
			found[n].wanted = w
			if found[n].entry != nil {
				continue
			}
			for m := range entries {
				e := &entries[m]
				if taken[m] || e.kind == foreign || e.event != w.wiring.Event {
					continue
				}
				fits := covers(e.matcher, w.wiring.Matcher)
				set, drop := w.differs(e.node)
				current := fits && (len(set)+len(drop) == 0 || r.newer != nil && r.newer(e.program))
				switch pass { // the best first
				case 0:
					fits = e.kind == ours && current
				case 1:
					fits = e.kind == ours && fits
				case 2:
					fits = e.kind == ours
				case 3: // a wrapped one may answer for several
					fits = e.kind == wrapped && fits
					current = true
				}
				if fits {
					taken[m] = e.kind == ours
					found[n].entry, found[n].current = e, current
					break
				}
			}
		}
	}
	for m, e := range entries {
		if e.kind == ours && !taken[m] {
			extra = append(extra, e)
		}
	}
	return found, extra
}

// step makes one change that brings the document nearer to what is wanted and
// says what it did; "" means that nothing is left to do.
func (r reconciler) step(doc *jsonedit.Doc) (string, error) {
	found, extra := r.match(doc)
	if n := len(extra); n > 0 {
		return "drop " + extra[n-1].event, remove(doc, extra[n-1])
	}
	for _, f := range found {
		w := f.wanted
		switch e := f.entry; {
		case e == nil:
			base := r.base
			if base == nil {
				base = []any{"hooks"}
			}
			return "add " + w.wiring.Event, doc.Append(w.group(), append(slices.Clone(base), w.wiring.Event)...)
		case f.current:
		case !covers(e.matcher, w.wiring.Matcher) && !e.alone:
			// The group's matcher is another's too: ours gets a group of its own.
			return "move " + w.wiring.Event, remove(doc, *e)
		case !covers(e.matcher, w.wiring.Matcher):
			if w.wiring.Matcher == "" {
				return "widen " + w.wiring.Event, doc.Remove(append(e.groupPath(), "matcher")...)
			}
			return "widen " + w.wiring.Event, doc.Set("matcher", w.wiring.Matcher, e.groupPath()...)
		default:
			set, drop := w.differs(e.node)
			for _, m := range set {
				if err := doc.Set(m.Key, m.Value, e.path()...); err != nil {
					return "", err
				}
			}
			for _, key := range drop {
				if err := doc.Remove(append(e.path(), key)...); err != nil {
					return "", err
				}
			}
			return "update " + w.wiring.Event, nil
		}
	}
	return "", nil
}

// maxSteps bounds reconciling: every step settles a handler.
const maxSteps = 1000

// reconcile makes all changes and lists them.
func (r reconciler) reconcile(doc *jsonedit.Doc) (changes []string, err error) {
	for range maxSteps {
		what, err := r.step(doc)
		if err != nil {
			return nil, err
		}
		if what == "" {
			return changes, nil
		}
		changes = append(changes, what)
	}
	return nil, fmt.Errorf("the file still differs after %d changes; this is a bug", maxSteps)
}

// remove takes an entry out, with its group if nothing else is in it.
func remove(doc *jsonedit.Doc, e entry) error {
	if e.flat || doc.At(append(e.groupPath(), "hooks")...).Len() == 1 {
		return doc.Remove(e.groupPath()...)
	}
	return doc.Remove(e.path()...)
}

// removeOurs takes out every entry of ours and returns how many there were.
func (id identity) removeOurs(doc *jsonedit.Doc) (int, error) {
	for n := range maxSteps {
		entries := slices.DeleteFunc(id.scan(doc), func(e entry) bool { return e.kind != ours })
		if len(entries) == 0 {
			return n, nil
		}
		if err := remove(doc, entries[len(entries)-1]); err != nil {
			return n, err
		}
	}
	return maxSteps, fmt.Errorf("more than %d entries of ours", maxSteps)
}

// summary shortens a list of changes: "add Stop, PreToolUse; update SessionEnd".
func summary(changes []string) string {
	var verbs []string
	byVerb := map[string][]string{}
	for _, c := range changes {
		verb, event, _ := strings.Cut(c, " ")
		if byVerb[verb] == nil {
			verbs = append(verbs, verb)
		}
		if !slices.Contains(byVerb[verb], event) {
			byVerb[verb] = append(byVerb[verb], event)
		}
	}
	parts := make([]string, len(verbs))
	for n, v := range verbs {
		parts[n] = v + " " + strings.Join(byVerb[v], ", ")
	}
	return strings.Join(parts, "; ")
}

// isTrue reports whether a node is the literal true.
func isTrue(n jsonedit.Node) bool { return bytes.Equal(n.Raw(), []byte("true")) }

// number returns a JSON number's value.
func number(n jsonedit.Node) (f float64, ok bool) {
	ok = n.Kind() == jsonedit.Number && json.Unmarshal(n.Raw(), &f) == nil
	return f, ok
}
