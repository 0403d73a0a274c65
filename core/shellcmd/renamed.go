package shellcmd

import (
	"encoding/json"
	"slices"
	"strings"
)

// renamed is a program that the line itself copied or linked to another name.
type renamed struct {
	path string // absolute, as far as it is known
	real string
}

const maxRenamed = 64

// renames notes that cp, ln and their kin put a program at another name.
func (r *reader) renames(idx int) {
	cmd := &r.line.Commands[idx]
	var from, to []Word
	switch cmd.Program {
	case "cp", "mv", "ln", "install", "link", "gcp", "gmv", "gln", "ginstall", "copy", "copy-item", "ditto", "mklink", "rsync":
		for _, w := range cmd.Argv[1:] {
			if !strings.HasPrefix(w.Text, "-") {
				from = append(from, w)
			}
		}
		if len(from) < 2 {
			return
		}
		to, from = from[len(from)-1:], from[:len(from)-1]
	case "cat", "dd":
		for _, w := range cmd.Argv[1:] {
			if v, ok := strings.CutPrefix(w.Text, "of="); ok && cmd.Program == "dd" {
				w.Text = v
				to = append(to, w)
				continue
			}
			w.Text = strings.TrimPrefix(w.Text, "if=")
			from = append(from, w)
		}
		for i := range cmd.Redirects {
			if rd := &cmd.Redirects[i]; rd.Writes() {
				to = append(to, rd.Target)
			} else if rd.Reads() {
				from = append(from, rd.Target)
			}
		}
	default:
		return
	}
	for i := range from {
		prog := r.installed(&from[i])
		if prog == "" {
			continue
		}
		for k := range to {
			p := joinPath(cmd.Dir, to[k].Text)
			if p == "" {
				p = to[k].Text
			}
			if programName(p) != programName(prog) && len(r.renamed) < maxRenamed {
				r.renamed = append(r.renamed, renamed{path: p, real: prog})
			}
		}
	}
}

// installed returns the program that a word names by a path where programs are
// kept, or by asking for it: $(which rm). "" if it does neither.
func (r *reader) installed(w *Word) string {
	if strings.Contains(w.Text, Unknown) {
		return ""
	}
	for _, i := range w.Subst {
		if i >= 0 && i < len(r.line.Commands) && len(w.Subst) == 1 {
			switch r.line.Commands[i].Program {
			case "which", "command", "type", "where", "whereis":
				return strings.TrimSpace(w.Text)
			}
		}
	}
	t := strings.ReplaceAll(w.Text, `\`, "/")
	i := strings.LastIndexByte(t, '/')
	if i < 0 || !isAbs(w.Text) {
		return ""
	}
	dir := strings.ToLower(t[:i])
	if strings.HasSuffix(dir, "/bin") || strings.HasSuffix(dir, "/sbin") || strings.HasSuffix(dir, "/system32") || strings.HasSuffix(dir, "/gnubin") {
		return w.Text
	}
	return ""
}

// realNames adds to a command's name the programs that the line put there.
func (r *reader) realNames(first *Word, dir string) {
	if strings.Contains(first.Text, Unknown) {
		return
	}
	p := first.Text
	if strings.ContainsAny(p, `/\`) {
		if q := joinPath(dir, p); q != "" {
			p = q
		}
	}
	for i := range r.renamed {
		n := &r.renamed[i]
		if n.path == p || !strings.ContainsAny(p, `/\`) && n.path[strings.LastIndexAny(n.path, `/\`)+1:] == p {
			first.Or = append(slices.Clip(first.Or), n.real)
		}
	}
}

// script is an entry of package.json that a command of the line sets.
type script struct {
	dir, name string
	text      Word
}

const maxScripts = 32

// packageScripts runs the scripts of a package.json that the line itself wrote,
// or the ones that it set in one.
func (r *reader) packageScripts(idx int, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	var ops []Word
	for i := 1; i < len(cmd.Argv); i++ {
		switch t := cmd.Argv[i].Text; {
		case has("--prefix -C --cwd --dir -w --workspace --filter -F", t):
			i++
		case !strings.HasPrefix(t, "-"):
			ops = append(ops, cmd.Argv[i])
		}
	}
	sub, rest := "install", ops // yarn alone
	if len(ops) > 0 {
		sub, rest = ops[0].Text, ops[1:]
	}
	put := func(name string, w Word, text string) {
		if len(r.scripts) < maxScripts {
			w.Text, w.Or = text, nil
			r.scripts = append(r.scripts, script{dir: cmd.Dir, name: name, text: w})
		}
	}
	switch {
	case sub == "pkg" && len(rest) > 1 && rest[0].Text == "set":
		for _, w := range rest[1:] {
			key, text, ok := strings.Cut(w.Text, "=")
			if name, is := strings.CutPrefix(key, "scripts."); ok && is {
				put(name, w, text)
			}
		}
		return
	case sub == "set-script" && len(rest) > 1:
		put(rest[0].Text, rest[1], rest[1].Text)
		return
	case sub == "run" || sub == "run-script" || sub == "rum" || sub == "urn":
		if len(rest) == 0 {
			return
		}
		sub = rest[0].Text
	case len(ops) == 0 && cmd.Program != "yarn":
		return
	}
	var names []string
	switch sub {
	case "t", "tst":
		names = []string{"pretest", "test", "posttest"}
	case "install", "i", "ci", "add", "in":
		names = []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"}
	case "publish", "pack":
		names = []string{"prepublishOnly", "prepack", "prepare", "postpack", "publish", "postpublish"}
	default:
		names = []string{"pre" + sub, sub, "post" + sub}
	}
	w := Word{Raw: "package.json", Text: "package.json", Static: true, Pos: cmd.Pos, End: cmd.End}
	var written struct {
		Scripts map[string]any `json:"scripts"`
	}
	var from []int
	if f := r.file(&w, cmd.Dir); f != nil {
		// An unknown part is a control character, which a string may only escape.
		if json.Unmarshal([]byte(strings.ReplaceAll(f.text, Unknown, `\u0000`)), &written) == nil {
			from = f.from
		}
	}
	for _, name := range names {
		text, ok := written.Scripts[name].(string)
		body := Word{Text: text, Static: !strings.Contains(text, Unknown), Subst: from, Pos: w.Pos, End: w.End}
		for i := range r.scripts {
			if x := &r.scripts[i]; x.name == name && x.dir == cmd.Dir {
				body, ok = x.text, true
			}
		}
		if !ok || strings.TrimSpace(body.Text) == "" {
			continue
		}
		r.addCode(idx, Code{Lang: LangShell, From: FromStdin, Text: body.Text, Known: body.Static, Sources: body.Subst})
		r.run(codeText(body.Text, &body), r.sub(idx, st), r.inside(idx, ViaCode, s))
		cmd = &r.line.Commands[idx]
	}
}
