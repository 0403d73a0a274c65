package policy

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ec261362/guardrails/core/hook"
)

// files judges what a file tool reads out or overwrites.
func (j *judge) files() {
	t := j.ev.Tool
	if t == nil || j.ev.Name != hook.PreToolUse {
		return
	}
	switch t.Kind {
	case hook.Read:
		j.readsOut(t, t.Paths())
	case hook.Fetch:
		for _, u := range t.Strings() {
			if p, ok := strings.CutPrefix(u, "file://"); ok {
				j.readsOut(t, []string{p})
			}
		}
	case hook.Search:
		j.searches(t)
	case hook.Write, hook.Edit:
		j.secretWrites(t, t.Paths())
		j.vitalWrites(t)
	case hook.Shell:
		j.secretPatch(t)
	case hook.MCP, hook.Other:
		switch {
		case len(t.Edits()) > 0 || writesByName(t.Name):
			j.secretWrites(t, t.Paths())
			j.vitalWrites(t)
		case namesOnly(t.Name):
		default:
			j.readsOut(t, append(t.Paths(), pathLike(t)...))
		}
	}
}

func (j *judge) readsOut(t *hook.Tool, paths []string) {
	for _, p := range paths {
		if s, _ := j.secretAt(j.cwd, p); s != notSecret {
			j.add(&secretsRules[ruleSecretRead], match{what: "shows " + oneLine(p)}, callFor(t, p), []string{t.Kind.String(), p})
			return
		}
	}
}

// searches judges a search tool: one that shows lines of a secret file shows
// the file.
func (j *judge) searches(t *hook.Tool) {
	if low := strings.ToLower(t.Name); strings.Contains(low, "glob") || strings.Contains(low, "list") || low == "ls" || strings.Contains(low, "find") {
		return
	}
	f := t.Fields()
	mode, _ := hook.Text(f["output_mode"])
	if strings.EqualFold(t.Name, "grep") && mode != "content" {
		return // names or counts only (Claude Code 2.1.332: the default lists files)
	}
	for _, p := range t.Paths() {
		if s, _ := j.secretAt(j.cwd, p); s != notSecret {
			j.add(&secretsRules[ruleSecretRead], match{what: "shows lines of " + oneLine(p)}, callFor(t, p), []string{t.Kind.String(), p})
			return
		}
	}
	for _, k := range [...]string{"glob", "include", "Includes", "include_pattern"} {
		g, ok := hook.Text(f[k])
		if !ok {
			continue
		}
		for one := range strings.SplitSeq(strings.Trim(g, "{}"), ",") {
			if s := secretGlob(strings.TrimSpace(one)); s != notSecret && s != secretMaybe {
				j.add(&secretsRules[ruleSecretRead], match{what: "shows lines of " + oneLine(one)}, callFor(t, one), []string{t.Kind.String(), one})
				return
			}
		}
	}
}

// secretWrites asks before a secret file is written by a tool, unless git
// ignores it: that is where a secret belongs.
func (j *judge) secretWrites(t *hook.Tool, paths []string) {
	for _, raw := range paths {
		p, ok := j.abs(j.cwd, raw)
		if !ok {
			continue
		}
		s := secretPath(p)
		if s == notSecret {
			if r := j.real(p); r != p {
				s = secretPath(r)
			}
		}
		if s == notSecret || s == secretMaybe && j.writesNoSecret(t, p, raw) || s != secretKey && j.ignored(p) {
			continue
		}
		j.add(&secretsRules[ruleSecretWrite], match{what: "writes " + oneLine(j.show(p))}, callFor(t, raw), []string{t.Kind.String(), raw})
	}
}

// writesNoSecret reports whether the visible content of a write to a file that
// may hold a secret holds none.
func (j *judge) writesNoSecret(t *hook.Tool, p, raw string) bool {
	seen := false
	for _, e := range t.Edits() {
		if e.Path != raw && e.NewPath != raw {
			continue
		}
		if e.New == "" && e.Op != hook.Delete {
			return false
		}
		seen = true
		if ext := path.Ext(strings.ToLower(p)); ext == ".pem" || ext == ".key" {
			if !showsNoSecret(p, []byte(e.New)) {
				return false
			}
			continue
		}
		if slices.ContainsFunc(strings.Split(e.New, "\n"), literalCredential) {
			return false
		}
	}
	return seen
}

// secretPatch judges an apply_patch typed into a shell.
func (j *judge) secretPatch(t *hook.Tool) {
	if cmd, _ := t.Command(); !strings.Contains(cmd, "*** Begin Patch") {
		return
	}
	var paths []string
	for _, e := range t.Edits() {
		paths = append(paths, e.Path)
		if e.NewPath != "" {
			paths = append(paths, e.NewPath)
		}
	}
	j.secretWrites(t, paths)
}

// namesOnly reports whether a tool that we do not know says by its name that
// it shows no content.
func namesOnly(name string) bool {
	n := strings.ToLower(name)
	for _, w := range [...]string{"list", "stat", "info", "exists", "glob", "find", "tree", "metadata", "mkdir"} {
		if strings.Contains(n, w) {
			return !strings.Contains(n, "read") && !strings.Contains(n, "content")
		}
	}
	return false
}

// pathLike returns the short strings of a call's input that may be paths under
// keys that we do not know; text that people read is left out.
func pathLike(t *hook.Tool) []string {
	var v any
	if len(t.Input) > 1<<20 || json.Unmarshal(t.Input, &v) != nil {
		return nil
	}
	var out []string
	keep := func(s string) {
		if s != "" && len(s) < 512 && len(out) < 64 && !strings.ContainsAny(s, " \t\n*") {
			out = append(out, s)
		}
	}
	nested(v, 0, func(m map[string]any) {
		for _, k := range sortedKeys(m) {
			switch strings.ToLower(k) {
			case "title", "body", "message", "text", "query", "description", "prompt", "content", "comment", "summary", "subject", "name", "label", "labels", "tags":
				continue
			}
			switch e := m[k].(type) {
			case string:
				keep(e)
			case []any:
				for _, x := range e {
					if s, ok := x.(string); ok {
						keep(s)
					}
				}
			}
		}
	})
	return out
}

// ignored reports whether git ignores p, by the .gitignore files between the
// project root and p and by .git/info/exclude. Only what is plain there counts:
// an odd pattern never makes a file ignored.
func (j *judge) ignored(p string) bool {
	if j.fs == nil || !j.below(j.root, p) {
		return false
	}
	state := false
	read := func(file, base string) {
		data, err := j.fs.ReadFile(file, 1<<18)
		if err != nil {
			return
		}
		for line := range strings.SplitSeq(string(data), "\n") {
			line = strings.TrimRight(strings.TrimSuffix(line, "\r"), " ")
			if line == "" || line[0] == '#' {
				continue
			}
			not := strings.HasPrefix(line, "!")
			if ignores(strings.TrimPrefix(line, "!"), p[len(strings.TrimSuffix(base, "/"))+1:]) {
				state = !not
			}
		}
	}
	read(tidy(j.root+"/.git/info/exclude"), j.root)
	dirs := []string{}
	for d := path.Dir(p); j.within(j.root, d); d = path.Dir(d) {
		dirs = append(dirs, d)
		if len(dirs) > 64 || d == path.Dir(d) {
			break
		}
	}
	for _, dir := range slices.Backward(dirs) {
		read(tidy(dir+"/.gitignore"), dir)
	}
	return state
}

// ignores reports whether one .gitignore pattern matches rel or a folder that
// holds it.
func ignores(pattern, rel string) bool {
	dirOnly := strings.HasSuffix(pattern, "/")
	pattern = strings.TrimSuffix(pattern, "/")
	anchored := strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	if pattern == "" {
		return false
	}
	if !anchored {
		pattern = "**/" + pattern
	}
	for cur, first := rel, true; cur != "." && cur != ""; cur, first = path.Dir(cur), false {
		if first && dirOnly {
			continue
		}
		if ok, err := doublestar.Match(pattern, cur); err == nil && ok {
			return true
		}
	}
	return false
}
