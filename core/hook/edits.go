package hook

import "strings"

// EditOp says what happens to a file. The zero value changes its content.
type EditOp int

// Edit operations.
const (
	Modify EditOp = iota // part of it is replaced
	Create               // the whole content is given
	Delete
	Move // Path becomes NewPath, its content may change too
)

// FileEdit is one file that a tool call writes.
type FileEdit struct {
	Path    string // as written, not resolved
	NewPath string // Move only
	Op      EditOp
	Old     string // text that is replaced, if the call says it
	New     string // text that replaces it; the whole content on Create
	Added   string // the lines that the call brings in (New less what Old already had, for a patch its + lines)
	All     bool   // every occurrence of Old is replaced, not the only one
	Hunks   []Hunk // a patch's parts in order, Old and New then hold all of them; nil = Old and New are the only part
	Unclear bool   // the call says what it writes in more than one way: New and Added hold all of them
}

// Hunk is one part of a patch: Old, with its context lines, becomes New.
type Hunk struct{ Old, New string }

// Apply returns the file's content after the edit, as far as the call alone
// tells: ok is false when Old is not there, is there more than once or is not
// known, and when the edit is Unclear. The content after Delete is "".
func (e FileEdit) Apply(before string) (after string, ok bool) {
	switch {
	case e.Unclear:
		return "", false
	case e.Op == Create:
		return e.New, true
	case e.Op == Delete:
		return "", true
	}
	if e.Hunks == nil {
		if e.Op == Move && e.Old == "" && e.New == "" {
			return before, true
		}
		return replace(before, e.Old, e.New, e.All)
	}
	at := 0
	after = before
	for _, h := range e.Hunks {
		rest := after[at:]
		i := strings.Index(rest, h.Old)
		if i < 0 && strings.HasSuffix(rest+"\n", h.Old) { // the last line lacks its end
			rest += "\n"
			i = len(rest) - len(h.Old)
		}
		if h.Old == "" || i < 0 {
			return "", false
		}
		after = after[:at+i] + h.New + rest[i+len(h.Old):]
		at += i + len(h.New)
	}
	return after, true
}

// replace changes the only occurrence of old, or all of them. Hosts match a
// file with CRLF line ends as if it had LF.
func replace(before, old, repl string, all bool) (string, bool) {
	if old == "" {
		return "", false
	}
	n := strings.Count(before, old)
	if n == 0 && strings.Contains(before, "\r\n") && !strings.Contains(old, "\r") {
		old, repl = strings.ReplaceAll(old, "\n", "\r\n"), strings.ReplaceAll(repl, "\n", "\r\n")
		n = strings.Count(before, old)
	}
	if n == 0 || n > 1 && !all {
		return "", false
	}
	return strings.ReplaceAll(before, old, repl), true
}

// Edits returns every file that the call writes. It is the only way gates see
// writes: Write, Edit, NotebookEdit, apply_patch (also as a shell heredoc),
// multi-replace, unified diffs, and MCP tools that carry a path together with
// content.
//
// It leaves nothing out: of a path written as a file: address both readings are
// returned, and a call with two paths or two contents, of which its host reads
// one, gives an edit for each path, marked Unclear.
func (t *Tool) Edits() []FileEdit {
	if t == nil {
		return nil
	}
	var out []FileEdit
	switch t.Kind {
	case Write, Edit, MCP, Other:
		out = t.editsIn(t.Input, 0)
	case Shell:
		cmd, _ := t.Command()
		out = patchInShell(cmd)
	}
	for i := range out {
		e := out[i]
		path, newPath := fileURI(e.Path), fileURI(e.NewPath)
		if path == "" && newPath == "" {
			continue
		}
		if path != "" {
			e.Path = path
		}
		if newPath != "" {
			e.NewPath = newPath
		}
		out = append(out, e)
	}
	return out
}

// Normal keys of file tools, Claude Code's and Gemini's first, then
// Antigravity's, Muse's and those of public MCP servers.
var (
	oldKeys = [...]string{"oldstring", "targetcontent", "oldstr", "oldtext", "oldcontent", "oldsource", "find", "search"}
	newKeys = [...]string{"newstring", "replacementcontent", "newstr", "newtext", "newsource", "inserttext", "replace", "replacement", "repl"}
	// contentKeys hold a whole file. The first sureContent of them, as the first
	// sureOld of oldKeys, are not what a tool that only reads would be given.
	contentKeys = [...]string{"content", "codecontent", "contents", "filetext", "filecontent", "newcontent", "body", "text", "data"}
	chunkKeys   = [...]string{"edits", "replacementchunks", "replacements", "chunks", "changes", "files", "operations"}
	patchKeys   = [...]string{"patch", "input", "diff", "command", "patchtext"}
)

const (
	sureOld     = 6
	sureContent = 6
)

// editsIn reads one level of a call's input.
func (t *Tool) editsIn(raw []byte, depth int) []FileEdit {
	if s, ok := Text(raw); ok {
		if out := patchIn(s); out != nil {
			return out
		}
		raw = inner(raw)
	}
	o := objectOf(raw)
	if o.empty() {
		return nil
	}
	known := t.Kind == Write || t.Kind == Edit
	name := strings.ToLower(t.Name[strings.LastIndex(t.Name, "__")+1:])
	var out []FileEdit
	ways := 0
	add := func(edits []FileEdit) {
		if edits != nil {
			out = append(out, edits...)
			ways++
		}
	}
	if !known && depth < 2 {
		for v := range o.all(argumentKeys[:]...) {
			if v = inner(v); len(v) > 0 && v[0] == '{' {
				add(t.editsIn(v, depth+1))
			}
		}
	}
	for _, s := range o.texts(patchKeys[:]...) {
		add(patchIn(s))
	}
	paths := ownPaths(o)
	for array := range o.all(chunkKeys[:]...) {
		if s, ok := Text(array); ok { // Antigravity may send values as strings
			array = []byte(s)
		}
		add(chunkEdits(array, paths))
	}
	add(moveOrCopy(o, name))
	add(directEdits(o, paths, name, known, known && ways == 0))
	if ways > 1 {
		for i := range out {
			out[i].Unclear = true
		}
	}
	return out
}

// directEdits reads a call that says at its top level what it writes. Of a known
// file tool a path alone is an edit when nothing else is one.
func directEdits(o object, paths []string, name string, known, alone bool) []FileEdit {
	if len(paths) == 0 {
		return nil
	}
	var e FileEdit
	verb := o.text("command", "editmode", "action", "operation") // of editors with one tool for all
	written := e.fill(o, name, known)
	switch {
	case verb == "delete" && notebook(o):
		e = FileEdit{}
	case verb == "delete" || hasWord(name, "delete", "remove", "unlink"):
		e = FileEdit{Op: Delete}
	case written:
	case !alone || verb == "view" || verb == "read":
		return nil
	}
	out := make([]FileEdit, len(paths))
	for i, p := range paths {
		out[i] = e
		out[i].Path = p
		out[i].Unclear = e.Unclear || len(paths) > 1
	}
	return out
}

// fill reads what is written and reports whether anything is.
func (e *FileEdit) fill(o object, name string, known bool) bool {
	oldNames, contentNames := oldKeys[:], contentKeys[:]
	if !known && hasWord(name, readVerbs[:]...) && !hasWord(name, writeVerbs[:]...) {
		oldNames, contentNames = oldNames[:sureOld], contentNames[:sureContent]
	}
	olds, news := o.texts(oldNames...), o.texts(newKeys[:]...)
	var written distinct
	for v := range o.all(contentNames...) {
		s, isText := Text(v)
		if !isText {
			if s = string(v); s == "null" {
				continue
			}
		}
		written.add(s)
	}
	contents := written.list
	partial := hasWord(name, "append", "insert") || notebook(o) || flagged(o, "append")
	if mode := o.text("mode", "editmode", "insertmode"); mode == "append" || mode == "insert" {
		partial = true
	}
	hasOld, hasNew, hasContent := len(olds) > 0, len(news) > 0, len(contents) > 0
	e.Old = strings.Join(olds, "\n")
	switch {
	case e.Old != "" && hasNew, hasOld && hasNew && partial:
		e.New = strings.Join(news, "\n")
	case e.Old != "" && hasContent: // the new text of a replacement
		e.New = strings.Join(contents, "\n")
	case hasContent:
		e.New = strings.Join(contents, "\n")
		if !partial {
			e.Op = Create
		}
	case hasOld && hasNew:
		e.New, e.Op = strings.Join(news, "\n"), Create // what replaces nothing makes the file (Claude Code, Gemini CLI)
	case hasNew:
		e.New = strings.Join(news, "\n")
	default:
		return false
	}
	if len(olds) > 1 || len(news) > 1 || len(contents) > 1 || hasNew && hasContent {
		e.Unclear = true
		e.New = strings.Join(append(append([]string(nil), news...), contents...), "\n")
	}
	e.Added = addedLines(e.Old, e.New)
	e.All = flagged(o, "replaceall", "allowmultiple")
	return true
}

// readVerbs mark tools that take a text to work with and write nothing, unless
// one of writeVerbs stands beside them.
var (
	readVerbs  = [...]string{"read", "get", "list", "search", "find", "view", "grep", "query", "show", "fetch", "check", "validate", "lint", "analyze", "diff"}
	writeVerbs = [...]string{"write", "replace", "edit", "update", "create", "set", "put", "save", "insert", "append", "modify", "patch", "apply", "add"}
)

// hasWord reports whether one of the words of a tool's name, as its server's
// author parted them, is one of verbs.
func hasWord(name string, verbs ...string) bool {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ' ' || r == '/' }) {
		for _, v := range verbs {
			if word == v || strings.HasPrefix(word, v) && (word == v+"file" || word == v+"files") {
				return true
			}
		}
	}
	return false
}

func notebook(o object) bool { return o.text("notebookpath") != "" }

// flagged reports whether one of keys is true; Antigravity may send "true".
func flagged(o object, keys ...string) bool {
	for v := range o.all(keys...) {
		if s := string(v); s == "true" || s == `"true"` {
			return true
		}
	}
	return false
}

// ownPaths returns the files that o may be about: one, unless it is unclear.
func ownPaths(o object) []string {
	var out distinct
	for _, k := range fileKeys {
		for _, s := range o.texts(k) {
			if s = plainPath(s); k == uriKey {
				s = fileURI(s)
			}
			if s != "" {
				out.add(s)
			}
		}
	}
	return out.list
}

// chunkEdits reads the parts of a call that changes a file in several places,
// or several files.
func chunkEdits(array []byte, paths []string) []FileEdit {
	var out []FileEdit
	for v := range Elements(array) {
		c := objectOf(v)
		own := ownPaths(c)
		to := own
		if len(to) == 0 {
			to = paths
		}
		if move := moveOrCopy(c, ""); move != nil {
			out = append(out, move...)
			continue
		}
		var e FileEdit
		switch kind := c.text("op", "operation", "action", "type"); {
		case kind == "delete" || kind == "remove":
			e.Op = Delete
		case !e.fill(c, "", false):
			continue
		case e.Op == Create && len(own) == 0:
			e.Op = Modify // a part of one file is not its whole content
		}
		for _, p := range to {
			e.Path = p
			e.Unclear = e.Unclear || len(to) > 1
			out = append(out, e)
		}
	}
	return out
}

// moveOrCopy reads a call that names two files. Without a verb in the tool's
// name both must look like paths: mail and maps have a from and a to.
func moveOrCopy(o object, name string) []FileEdit {
	src, dst := plainPath(o.text(fromKeys[:]...)), plainPath(o.text(toKeys[:]...))
	if src == "" || dst == "" || src == dst {
		return nil
	}
	if !hasWord(name, "move", "rename", "copy", "mv", "cp") && !(looksLikePath(src) && looksLikePath(dst)) && o.text("oldpath") == "" {
		return nil
	}
	if hasWord(name, "copy", "cp") {
		return []FileEdit{{Path: dst}}
	}
	return []FileEdit{{Path: src, NewPath: dst, Op: Move}}
}

func looksLikePath(s string) bool {
	return strings.ContainsAny(s, `/\.`) && !strings.ContainsAny(s, "@ \n") && !strings.Contains(s, "://")
}

// addedLines returns the lines of repl that old does not have.
func addedLines(old, repl string) string {
	if old == "" {
		return repl
	}
	have := make(map[string]int)
	for l := range strings.SplitSeq(old, "\n") {
		have[l]++
	}
	var out []string
	for l := range strings.SplitSeq(repl, "\n") {
		if have[l] > 0 {
			have[l]--
			continue
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}
