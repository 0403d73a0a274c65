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
// hooks.<event>[group].hooks[index].
type entry struct {
	event        string
	group, index int
	alone        bool // every handler of its group is ours
	kind         kind
	program      string // what an entry of ours starts
	matcher      string
	node         jsonedit.Node
	place        string // line:column
}

func (e entry) path() []any      { return []any{"hooks", e.event, e.group, "hooks", e.index} }
func (e entry) groupPath() []any { return []any{"hooks", e.event, e.group} }

// identity knows the command forms of one host.
type identity struct {
	host   string
	shared string   // the frozen shell form for committed files
	plugin string   // the frozen program of the host's bundle
	events []string // names that an older form may carry
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
	if slices.Equal(strings.Fields(line), strings.Fields(id.shared)) {
		return ours, "guardrails"
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
	var out []entry
	hooks := doc.At("hooks")
	for _, event := range hooks.Keys() {
		groups := hooks.Get(event)
		if groups.Kind() != jsonedit.ArrayKind {
			continue
		}
		for g := range groups.Len() {
			handlers := groups.Index(g).Get("hooks")
			if handlers.Kind() != jsonedit.ArrayKind {
				continue
			}
			first, alone := len(out), true
			for h := range handlers.Len() {
				node := handlers.Index(h)
				k, program := id.classify(node)
				line, col := node.Place()
				alone = alone && k == ours
				out = append(out, entry{
					event: event, group: g, index: h, kind: k, program: program, node: node,
					matcher: groups.Index(g).Get("matcher").Text(),
					place:   strconv.Itoa(line) + ":" + strconv.Itoa(col),
				})
			}
			for n := first; n < len(out); n++ {
				out[n].alone = alone
			}
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
	block   bool // onFailure
}

func (w wanted) handler() jsonedit.Object {
	h := jsonedit.Object{{Key: "type", Value: "command"}, {Key: "command", Value: w.command.program}}
	if w.command.args != nil {
		h = append(h, jsonedit.Member{Key: "args", Value: array(w.command.args)})
	}
	h = append(h, jsonedit.Member{Key: "timeout", Value: w.wiring.Timeout})
	if w.block {
		h = append(h, jsonedit.Member{Key: "onFailure", Value: "block"})
	}
	return h
}

func (w wanted) group() jsonedit.Object {
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
	if n, err := strconv.ParseFloat(string(h.Get("timeout").Raw()), 64); err != nil || n < float64(w.wiring.Timeout) {
		set = append(set, jsonedit.Member{Key: "timeout", Value: w.wiring.Timeout})
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
			return "add " + w.wiring.Event, doc.Append(w.group(), "hooks", w.wiring.Event)
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
	if doc.At(append(e.groupPath(), "hooks")...).Len() == 1 {
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
