package hook

import (
	"encoding/json"
	"strings"
)

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
}

// Edits returns every file that the call writes. It is the only way gates see
// writes: Write, Edit, NotebookEdit, apply_patch (also as a shell heredoc),
// multi-replace, and MCP tools that carry a path together with content.
func (t *Tool) Edits() []FileEdit {
	if t == nil {
		return nil
	}
	switch t.Kind {
	case Write, Edit:
		return t.fileEdits()
	case MCP, Other:
		return t.looseEdits()
	case Shell:
		cmd, _ := t.Command()
		return patchInShell(cmd)
	}
	return nil
}

func first(f map[string]json.RawMessage, keys ...string) (string, bool) {
	for _, k := range keys {
		if raw, ok := f[k]; ok {
			var s string
			if json.Unmarshal(raw, &s) == nil {
				return s, true
			}
		}
	}
	return "", false
}

func (t *Tool) fileEdits() []FileEdit {
	f := t.Fields()
	if f == nil {
		var patch string
		if json.Unmarshal(t.Input, &patch) == nil {
			return ParsePatch(patch)
		}
		return nil
	}
	if patch, ok := first(f, "patch", "input", "diff"); ok && strings.Contains(patch, patchBegin) {
		return ParsePatch(patch)
	}
	if patch, ok := t.Command(); ok && strings.Contains(patch, patchBegin) {
		return ParsePatch(patch)
	}
	path, _ := first(f, "file_path", "filePath", "notebook_path", "path", "TargetFile", "target_file", "AbsolutePath", "file", "filename", "uri")
	path = trimPath(path)
	if path == "" {
		return nil
	}
	if content, ok := first(f, "content", "CodeContent", "contents", "file_text", "text", "new_content"); ok && t.Kind == Write {
		return []FileEdit{{Path: path, Op: Create, New: content, Added: content}}
	}
	var out []FileEdit
	for _, k := range [...]string{"edits", "ReplacementChunks", "replacements", "chunks", "changes"} {
		var chunks []map[string]json.RawMessage
		if raw, ok := f[k]; ok && json.Unmarshal(raw, &chunks) == nil {
			for _, c := range chunks {
				p := path
				if own, ok := first(c, "file_path", "path", "TargetFile"); ok && own != "" {
					p = trimPath(own)
				}
				out = append(out, replacement(p, c))
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	e := replacement(path, f)
	if e.Old == "" && t.Kind == Write {
		e.Op = Create
	}
	if mode, ok := first(f, "edit_mode"); ok && mode == "delete" {
		e.New, e.Added = "", ""
	}
	return []FileEdit{e}
}

func replacement(path string, f map[string]json.RawMessage) FileEdit {
	old, _ := first(f, "old_string", "old_str", "TargetContent", "find", "search", "old_text", "oldText", "old_source")
	repl, _ := first(f, "new_string", "new_str", "ReplacementContent", "replace", "replacement", "new_text", "newText",
		"new_source", "insert_text", "content", "CodeContent", "contents", "file_text", "text")
	return FileEdit{Path: path, Op: Modify, Old: old, New: repl, Added: addedLines(old, repl)}
}

// looseEdits finds writes in tools that we do not know: a path together with
// content or a replacement.
func (t *Tool) looseEdits() []FileEdit {
	f := t.Fields()
	if f == nil {
		return nil
	}
	// A generic MCP caller nests the real arguments.
	for _, k := range [...]string{"arguments", "args", "Arguments", "input", "params"} {
		if raw, ok := f[k]; ok {
			nested := &Tool{Name: t.Name, Kind: t.Kind, Input: raw}
			var s string
			if json.Unmarshal(raw, &s) == nil {
				nested.Input = json.RawMessage(s)
			}
			if g := nested.Fields(); g != nil {
				if es := nested.looseEdits(); len(es) > 0 {
					return es
				}
			}
		}
	}
	if patch, ok := first(f, "patch", "input", "diff"); ok && strings.Contains(patch, patchBegin) {
		return ParsePatch(patch)
	}
	path, _ := first(f, pathKeys[:]...)
	path = trimPath(path)
	if path == "" {
		return nil
	}
	if dst, ok := first(f, "destination", "dest", "new_path", "to"); ok && dst != "" && dst != path {
		if src, ok := first(f, "source", "src", "old_path", "from"); ok && src != "" {
			return []FileEdit{{Path: trimPath(src), NewPath: trimPath(dst), Op: Move}}
		}
	}
	name := strings.ToLower(t.Name)
	if strings.Contains(name, "delete") || strings.Contains(name, "remove") || strings.Contains(name, "unlink") {
		return []FileEdit{{Path: path, Op: Delete}}
	}
	if _, ok := first(f, "content", "contents", "text", "data", "file_text", "new_content"); ok {
		if old, _ := first(f, "old_string", "old_str", "find", "search", "old_text", "oldText"); old == "" {
			content, _ := first(f, "content", "contents", "text", "data", "file_text", "new_content")
			return []FileEdit{{Path: path, Op: Create, New: content, Added: content}}
		}
	}
	if raw, ok := f["edits"]; ok {
		var chunks []map[string]json.RawMessage
		if json.Unmarshal(raw, &chunks) == nil {
			var out []FileEdit
			for _, c := range chunks {
				out = append(out, replacement(path, c))
			}
			return out
		}
	}
	if _, ok := first(f, "new_string", "new_str", "replace", "replacement", "new_text", "newText"); ok {
		return []FileEdit{replacement(path, f)}
	}
	return nil
}

// addedLines returns the lines of repl that old does not have.
func addedLines(old, repl string) string {
	if old == "" {
		return repl
	}
	have := make(map[string]int)
	for _, l := range strings.Split(old, "\n") {
		have[l]++
	}
	var out []string
	for _, l := range strings.Split(repl, "\n") {
		if have[l] > 0 {
			have[l]--
			continue
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

const patchBegin = "*** Begin Patch"

// patchInShell finds an apply_patch body inside a command line, as Codex's
// shell form carries it: apply_patch <<'EOF' … EOF.
func patchInShell(cmd string) []FileEdit {
	if !strings.Contains(cmd, patchBegin) || !(strings.Contains(cmd, "apply_patch") || strings.Contains(cmd, "applypatch")) {
		return nil
	}
	return ParsePatch(cmd[strings.Index(cmd, patchBegin):])
}

// ParsePatch reads the apply_patch format ("*** Begin Patch" …). Unknown lines
// are passed over; it never fails.
func ParsePatch(patch string) []FileEdit {
	var out []FileEdit
	var cur *FileEdit
	var old, repl, added []string
	flush := func() {
		if cur == nil {
			return
		}
		cur.Old, cur.New, cur.Added = strings.Join(old, "\n"), strings.Join(repl, "\n"), strings.Join(added, "\n")
		out = append(out, *cur)
		cur, old, repl, added = nil, nil, nil, nil
	}
	open := func(path string, op EditOp) {
		flush()
		cur = &FileEdit{Path: trimPath(strings.TrimSpace(path)), Op: op}
	}
	for _, line := range strings.Split(patch, "\n") {
		line = strings.TrimSuffix(line, "\r")
		switch {
		case strings.HasPrefix(line, "*** Add File: "):
			open(line[len("*** Add File: "):], Create)
		case strings.HasPrefix(line, "*** Update File: "):
			open(line[len("*** Update File: "):], Modify)
		case strings.HasPrefix(line, "*** Delete File: "):
			open(line[len("*** Delete File: "):], Delete)
		case strings.HasPrefix(line, "*** Move to: ") && cur != nil:
			cur.NewPath, cur.Op = trimPath(strings.TrimSpace(line[len("*** Move to: "):])), Move
		case strings.HasPrefix(line, "*** End Patch"):
			flush()
		case cur == nil || strings.HasPrefix(line, "@@") || strings.HasPrefix(line, "***"):
		case strings.HasPrefix(line, "+"):
			repl, added = append(repl, line[1:]), append(added, line[1:])
		case strings.HasPrefix(line, "-"):
			old = append(old, line[1:])
		default:
			old, repl = append(old, strings.TrimPrefix(line, " ")), append(repl, strings.TrimPrefix(line, " "))
		}
	}
	flush()
	return out
}
