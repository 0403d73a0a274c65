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
}

// Hunk is one part of a patch: Old, with its context lines, becomes New.
type Hunk struct{ Old, New string }

// Apply returns the file's content after the edit, as far as the call alone
// tells: ok is false when Old is not there, is there more than once, or is not
// known. The content after Delete is "".
func (e FileEdit) Apply(before string) (after string, ok bool) {
	switch e.Op {
	case Create:
		return e.New, true
	case Delete:
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
// content. Of a path written as a file: address both readings are returned.
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

// Keys of file tools, Claude Code's first, then Gemini's, Antigravity's, Muse's
// and those of public MCP servers.
var (
	oldKeys = [...]string{"old_string", "TargetContent", "old_str", "old_text", "oldText", "old_content", "old_source", "find", "search"}
	newKeys = [...]string{"new_string", "ReplacementContent", "replace", "new_str", "new_text", "newText", "new_content", "replacement", "new_source", "insert_text", "repl"}
	// contentKeys hold a whole file. The first sureContent of them, as the first
	// sureOld of oldKeys, are not what a tool that only reads would be given.
	contentKeys = [...]string{"content", "CodeContent", "contents", "file_text", "fileContent", "file_content", "new_content", "body", "text", "data"}
	chunkKeys   = [...]string{"edits", "ReplacementChunks", "replacements", "chunks", "changes", "files", "operations"}
	patchKeys   = [...]string{"patch", "input", "diff", "command", "patch_text", "patchText"}
)

const (
	sureOld     = 7
	sureContent = 7
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
	if !known && depth < 2 {
		// A generic MCP caller nests the real arguments.
		for _, k := range argumentKeys {
			if v := inner(o.raw(k)); len(v) > 0 && v[0] == '{' {
				if out := t.editsIn(v, depth+1); out != nil {
					return out
				}
			}
		}
	}
	for _, k := range patchKeys {
		if s, ok := Text(o.raw(k)); ok {
			if out := patchIn(s); out != nil {
				return out
			}
		}
	}
	name := strings.ToLower(t.Name[strings.LastIndex(t.Name, "__")+1:])
	path := ownPath(o)
	if out := chunkEdits(o, path); out != nil {
		return out
	}
	if out := moveOrCopy(o, name); out != nil {
		return out
	}
	if path == "" {
		return nil
	}
	e := FileEdit{Path: path}
	verb, _ := o.text("command", "edit_mode", "action", "operation") // of editors with one tool for all
	switch {
	case verb == "view" || verb == "read":
		return nil
	case verb == "delete" && notebook(o):
		return []FileEdit{e}
	case verb == "delete" || hasWord(name, "delete", "remove", "unlink"):
		e.Op = Delete
		return []FileEdit{e}
	}
	if e.fill(o, name, known) || known {
		return []FileEdit{e}
	}
	return nil
}

// fill reads what is written and reports whether anything is.
func (e *FileEdit) fill(o object, name string, known bool) bool {
	oldNames, contentNames := oldKeys[:], contentKeys[:]
	if !known && hasWord(name, readVerbs[:]...) && !hasWord(name, writeVerbs[:]...) {
		oldNames, contentNames = oldNames[:sureOld], contentNames[:sureContent]
	}
	old, hasOld := o.text(oldNames...)
	repl, hasNew := o.text(newKeys[:]...)
	content, key := "", ""
	for _, k := range contentNames {
		if v := o.raw(k); v != nil && string(v) != "null" {
			var isText bool
			if content, isText = Text(v); !isText {
				content = string(v)
			}
			key = k
			break
		}
	}
	partial := hasWord(name, "append", "insert") || notebook(o) || flagged(o, "append")
	if mode, _ := o.text("mode", "edit_mode", "insert_mode"); mode == "append" || mode == "insert" {
		partial = true
	}
	switch {
	case old != "" && (hasNew || key != ""): // a replacement; its new text may be under a content key
		if !hasNew {
			repl = content
		}
	case key != "" && !(key == "new_content" && hasOld):
		repl = content
		if !partial {
			e.Op = Create
		}
	case hasOld && hasNew && !partial:
		e.Op = Create // an edit that replaces nothing makes the file (Claude Code, Gemini CLI)
	case !hasNew:
		return false
	}
	e.Old, e.New, e.Added = old, repl, addedLines(old, repl)
	e.All = flagged(o, "replace_all", "allow_multiple", "AllowMultiple", "replaceAll")
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

func notebook(o object) bool { return o.raw("notebook_path") != nil }

// flagged reports whether one of keys is true; Antigravity may send "true".
func flagged(o object, keys ...string) bool {
	for _, k := range keys {
		if v := string(o.raw(k)); v == "true" || v == `"true"` {
			return true
		}
	}
	return false
}

// ownPath returns the one file that o is about.
func ownPath(o object) string {
	for _, k := range fileKeys {
		s, ok := Text(o.raw(k))
		switch {
		case !ok || s == "":
		case k != uriKey:
			return plainPath(s)
		case fileURI(s) != "":
			return fileURI(s)
		}
	}
	return ""
}

// chunkEdits reads the parts of a call that changes a file in several places,
// or several files.
func chunkEdits(o object, path string) []FileEdit {
	var out []FileEdit
	for _, k := range chunkKeys {
		array := o.raw(k)
		if s, ok := Text(array); ok { // Antigravity may send values as strings
			array = []byte(s)
		}
		for v := range Elements(array) {
			c := objectOf(v)
			e := FileEdit{Path: path}
			if own := ownPath(c); own != "" {
				e.Path = own
			}
			if e.Path == "" {
				continue
			}
			kind, _ := c.text("op", "operation", "action", "type")
			if move := moveOrCopy(c, ""); move != nil {
				out = append(out, move...)
			} else if kind == "delete" || kind == "remove" {
				e.Op = Delete
				out = append(out, e)
			} else if e.fill(c, "", false) {
				if e.Op == Create && ownPath(c) == "" {
					e.Op = Modify // a part of one file is not its whole content
				}
				out = append(out, e)
			}
		}
	}
	return out
}

// moveOrCopy reads a call that names two files. Without a verb in the tool's
// name both must look like paths: mail and maps have a from and a to.
func moveOrCopy(o object, name string) []FileEdit {
	src, _ := o.text("source", "src", "old_path", "source_path", "from", "oldPath")
	dst, _ := o.text("destination", "dest", "new_path", "destination_path", "to", "newPath")
	if src == "" || dst == "" || src == dst {
		return nil
	}
	if !hasWord(name, "move", "rename", "copy", "mv", "cp") && (strings.IndexAny(src, `/\`) < 0 || strings.IndexAny(dst, `/\`) < 0) &&
		o.raw("old_path") == nil {
		return nil
	}
	src, dst = plainPath(src), plainPath(dst)
	if hasWord(name, "copy", "cp") {
		return []FileEdit{{Path: dst}}
	}
	return []FileEdit{{Path: src, NewPath: dst, Op: Move}}
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
