package hook

import (
	"strconv"
	"strings"
)

const patchBegin = "*** Begin Patch"

// patchIn reads s if it is a patch of either format, else it returns nil.
func patchIn(s string) []FileEdit {
	if i := strings.Index(s, patchBegin); i >= 0 {
		return ParsePatch(s[i:])
	}
	if strings.Contains(s, "+++ ") && strings.Contains(s, "--- ") || strings.Contains(s, "diff --git ") {
		return ParseDiff(s)
	}
	return nil
}

// patchInShell finds an apply_patch body inside a command line, as Codex's
// shell form carries it: apply_patch <<'EOF' … EOF.
func patchInShell(cmd string) []FileEdit {
	if !strings.Contains(cmd, patchBegin) || !(strings.Contains(cmd, "apply_patch") || strings.Contains(cmd, "applypatch")) {
		return nil
	}
	cmd = cmd[strings.Index(cmd, patchBegin):]
	if after := cmd[len(patchBegin):]; strings.HasPrefix(after, `\n`) { // $'…' or printf
		cmd = strings.ReplaceAll(cmd, `\n`, "\n")
	}
	return ParsePatch(cmd)
}

// body collects the lines of one file's part of a patch.
type body struct {
	edit           FileEdit
	old, repl      []string // of the current hunk
	olds, news     []string // hunks that are done
	added          []string
	context, delta bool // the current hunk has lines; one of them changes something
	begun          bool // a hunk was seen
	half           bool // a --- line still waits for its +++ line
}

func (p *body) line(mark byte, text string) {
	p.context, p.begun = true, true
	switch mark {
	case '+':
		p.repl, p.added, p.delta = append(p.repl, text), append(p.added, text), true
	case '-':
		p.old, p.delta = append(p.old, text), true
	default:
		p.old, p.repl = append(p.old, text), append(p.repl, text)
	}
}

func (p *body) endHunk() {
	if p.context && p.delta {
		h := Hunk{Old: lines(p.old), New: lines(p.repl)}
		p.edit.Hunks = append(p.edit.Hunks, h)
		p.olds, p.news = append(p.olds, h.Old), append(p.news, h.New)
	}
	p.old, p.repl, p.context, p.delta = nil, nil, false, false
}

// lines joins whole lines, each with its end.
func lines(l []string) string {
	if len(l) == 0 {
		return ""
	}
	return strings.Join(l, "\n") + "\n"
}

// done returns the finished edit.
func (p *body) done() FileEdit {
	p.endHunk()
	e := p.edit
	e.Added = strings.Join(p.added, "\n")
	e.Old, e.New = strings.Join(p.olds, ""), strings.Join(p.news, "")
	if e.Op == Create || e.Op == Delete {
		e.Hunks = nil
	}
	return e
}

// ParsePatch reads the apply_patch format ("*** Begin Patch" …). Unknown lines
// are passed over; it never fails. As Codex does, it reads a file's header also
// when it is indented, unless an update's lines may still come before it.
func ParsePatch(patch string) []FileEdit {
	var out []FileEdit
	var cur *body
	flush := func() {
		if cur != nil {
			out = append(out, cur.done())
			cur = nil
		}
	}
	for line := range strings.SplitSeq(patch, "\n") {
		line = strings.TrimSuffix(line, "\r")
		header := line
		if cur == nil || cur.edit.Op == Create || cur.edit.Op == Delete || !cur.begun {
			header = strings.TrimSpace(line)
		}
		if op, path, ok := patchHeader(header); ok {
			flush()
			cur = &body{edit: FileEdit{Path: plainPath(path), Op: op}}
			continue
		}
		switch to, isMove := strings.CutPrefix(header, "*** Move to:"); {
		case strings.HasPrefix(header, "*** End Patch"):
			flush()
		case cur == nil:
		case isMove:
			if to = plainPath(strings.TrimSpace(to)); to != "" {
				cur.edit.NewPath, cur.edit.Op = to, Move
			}
		case strings.HasPrefix(line, "***"):
		case strings.HasPrefix(line, "@@"):
			cur.endHunk()
			cur.begun = true
		case line == "":
			cur.line(' ', "")
		case line[0] == '+' || line[0] == '-' || line[0] == ' ':
			cur.line(line[0], line[1:])
		default:
			cur.line(' ', line)
		}
	}
	flush()
	return out
}

func patchHeader(line string) (op EditOp, path string, ok bool) {
	rest, ok := strings.CutPrefix(line, "*** ")
	if !ok {
		return 0, "", false
	}
	for _, h := range [...]struct {
		word string
		op   EditOp
	}{{"Add File:", Create}, {"Update File:", Modify}, {"Delete File:", Delete}} {
		if path, ok := strings.CutPrefix(rest, h.word); ok {
			return h.op, strings.TrimSpace(path), true
		}
	}
	return 0, "", false
}

// ParseDiff reads a unified diff, with or without git's headers. Paths lose
// the a/ and b/ that git puts before them; unknown lines are passed over; it
// never fails.
func ParseDiff(diff string) []FileEdit {
	var out []FileEdit
	var cur *body
	oldLeft, newLeft := 0, 0 // lines that the current hunk still has
	flush := func() {
		if cur != nil && !cur.half && (cur.edit.Path != "" || cur.edit.NewPath != "") {
			e := cur.done()
			switch {
			case e.Path == "" || e.Op == Create:
				e.Path, e.NewPath, e.Op = first(e.NewPath, e.Path), "", Create
				e.Old, e.Hunks = "", nil
			case e.NewPath == "" || e.Op == Delete:
				e.NewPath, e.Op, e.Hunks = "", Delete, nil
			case e.NewPath != e.Path:
				e.Op = Move
			default:
				e.NewPath = ""
			}
			out = append(out, e)
		}
		cur, oldLeft, newLeft = nil, 0, 0
	}
	for line := range strings.SplitSeq(diff, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if cur != nil && (oldLeft > 0 || newLeft > 0) {
			mark, text := byte(' '), line
			if line != "" {
				mark, text = line[0], line[1:]
			}
			switch mark {
			case '+':
				newLeft--
			case '-':
				oldLeft--
			case '\\':
				continue
			default:
				oldLeft, newLeft = oldLeft-1, newLeft-1
			}
			cur.line(mark, text)
			continue
		}
		switch {
		case strings.HasPrefix(line, "diff --git "):
			flush()
			cur = &body{}
			cur.edit.Path, cur.edit.NewPath = gitPaths(line[len("diff --git "):])
		case strings.HasPrefix(line, "--- "):
			if cur == nil || cur.begun {
				flush()
				cur = &body{}
			}
			cur.edit.Path, cur.half = diffPath(line[4:], "a/"), true
		case strings.HasPrefix(line, "+++ ") && cur != nil:
			cur.edit.NewPath, cur.half = diffPath(line[4:], "b/"), false
		case cur == nil:
		case strings.HasPrefix(line, "@@ "):
			cur.endHunk()
			oldLeft, newLeft = hunkSize(line)
		case strings.HasPrefix(line, "new file mode"):
			cur.edit.Op = Create
		case strings.HasPrefix(line, "deleted file mode"):
			cur.edit.Op = Delete
		case strings.HasPrefix(line, "rename from "):
			cur.edit.Path = line[len("rename from "):]
		case strings.HasPrefix(line, "rename to "):
			cur.edit.NewPath = line[len("rename to "):]
		}
	}
	flush()
	return out
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// gitPaths splits "a/x b/y"; of a name with spaces the half is taken, since
// both sides are then the same.
func gitPaths(s string) (from, to string) {
	if n := len(s) / 2; len(s)%2 == 1 && s[n] == ' ' && strings.TrimPrefix(s[:n], "a/") == strings.TrimPrefix(s[n+1:], "b/") {
		return diffPath(s[:n], "a/"), diffPath(s[n+1:], "b/")
	}
	from, to, _ = strings.Cut(s, " b/")
	return diffPath(from, "a/"), to
}

// diffPath reads the name on a --- or +++ line, "" for none.
func diffPath(s, prefix string) string {
	if tab := strings.IndexByte(s, '\t'); tab >= 0 {
		s = s[:tab]
	}
	s = strings.TrimSpace(s)
	if len(s) > 1 && s[0] == '"' {
		if u, err := strconv.Unquote(s); err == nil {
			s = u
		}
	}
	if s == "/dev/null" {
		return ""
	}
	return strings.TrimPrefix(s, prefix)
}

// hunkSize reads "@@ -1,2 +3,4 @@": how many old and new lines follow.
func hunkSize(line string) (oldLines, newLines int) {
	f := strings.Fields(line)
	if len(f) < 3 {
		return 0, 0
	}
	size := func(r string) int {
		_, count, ok := strings.Cut(r, ",")
		if !ok {
			return 1
		}
		n, err := strconv.Atoi(count)
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	return size(f[1]), size(f[2])
}
