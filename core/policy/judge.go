package policy

import (
	"bytes"
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// facts are what the rules of several packs ask about one command; each is
// found out once.
type facts struct {
	index    int
	removed  bool
	removals []removal
	gitDone  bool
	git      gitCmd
	wrote    bool
	writes   []write
	used     bool
	uses     []use
}

// removalsOf returns what the current command deletes.
func (j *judge) removalsOf(c *shellcmd.Command) []removal {
	if !j.cur.removed {
		j.cur.removed = true
		j.cur.removals = j.removals(c)
	}
	return j.cur.removals
}

// commands judges every command of every line that the call carries, by the
// rule tables that want names.
func (j *judge) commands(p *gate.Pass, want func(table int) bool) {
	if t := j.ev.Tool; t == nil || !carriesCommands(j.ev) {
		return
	}
	if l := p.Commands(); l != nil {
		j.judgeLine(l, want)
	}
	for _, src := range moreLines(j.ev.Tool) {
		j.judgeLine(shellcmd.Parse(src, shellcmd.Options{Cwd: j.cwd, Home: j.home}), want)
	}
}

// carriesCommands reports whether strings of the call may be command lines.
func carriesCommands(e *hook.Event) bool {
	switch e.Tool.Kind {
	case hook.Shell, hook.MCP, hook.Other:
		return true
	}
	return e.Name == hook.PreSkillShellCommand
}

func (j *judge) judgeLine(l *shellcmd.Line, want func(table int) bool) {
	j.line, j.flow, j.words = l, nil, nil
	if j.depth == 0 {
		j.made, j.heads = nil, heads{}
	}
	j.now = 1 << 30
	j.makings(l)
	all := tables()
	for i := range l.Commands {
		c := &l.Commands[i]
		if i&63 == 63 && j.ctx.Err() != nil {
			return
		}
		j.cur, j.now = facts{index: i}, i
		uncalled := c.Has(shellcmd.Uncalled)
		for t := range all {
			if len(all[t]) == 0 || !want(t) || !j.set.packOn(all[t][0].Pack()) {
				continue
			}
			for k := range all[t] {
				r := &all[t][k]
				if r.check == nil || uncalled && !r.uncalled {
					continue
				}
				j.rule = r
				if m, hit := r.check(j, c); hit {
					call := callOf(c)
					if p := r.Pack(); p == packExfiltration || p == packRemote {
						call = pipeOf(l, i)
					}
					j.add(r, m, call, texts(c.Argv))
				}
			}
		}
		if c.Program == "git" && !uncalled {
			if sh := j.git(c).shell; sh != "" && j.depth < 4 {
				j.inner(shellcmd.Parse(sh, shellcmd.Options{Cwd: c.Dir, Home: j.home}), want)
			}
		}
		if j.depth < 4 && !uncalled {
			if len(c.Code) > 0 && !c.Code[0].Known || shellPath(c.Program) {
				if f := j.flows(); len(f.code[i]) > 0 {
					for _, s := range f.code[i] {
						j.inner(shellcmd.Parse(s, shellcmd.Options{Cwd: c.Dir, Home: j.home}), want)
					}
				}
			}
			for _, s := range hiddenLines(c) {
				j.inner(shellcmd.Parse(s, shellcmd.Options{Cwd: c.Dir, Home: j.home}), want)
			}
		}
	}
	j.cur = facts{}
}

// inner judges a line found inside another one.
func (j *judge) inner(l *shellcmd.Line, want func(table int) bool) {
	line, fl, ws, cur, was, now := j.line, j.flow, j.words, j.cur, j.made, j.now
	j.countHeads()
	hs := j.heads
	hs.trees = slices.Clone(hs.trees)
	j.made = nil
	for _, m := range was {
		if m.by < now {
			m.by = -1
			j.made = append(j.made, m)
		}
	}
	j.depth++
	j.judgeLine(l, want)
	j.depth--
	j.line, j.flow, j.words, j.cur, j.made, j.now = line, fl, ws, cur, was, now
	j.heads = hs
}

// moreLines returns further strings of the input that may be command lines: an
// argv beside a program, commands nested in the arguments of a tool that we do
// not know, and every string of a shell call without a readable command.
func moreLines(t *hook.Tool) []string {
	cmd, ok := t.Command()
	if t.Kind == hook.Shell && ok && !bytes.Contains(t.Input, []byte(`"arg`)) {
		return nil
	}
	var v any
	if len(t.Input) == 0 || len(t.Input) > shellcmd.MaxSource*4 || json.Unmarshal(t.Input, &v) != nil {
		return nil
	}
	var out []string
	if t.Kind == hook.Shell && !ok {
		return bounded(t.Strings())
	}
	if top, isMap := v.(map[string]any); isMap && ok {
		for _, k := range [...]string{"args", "arguments", "argv"} {
			if list, isList := top[k].([]any); isList {
				out = append(out, cmd+" "+join(list))
			}
		}
	}
	if t.Kind == hook.MCP || t.Kind == hook.Other {
		nested(v, 0, func(obj map[string]any) {
			for _, k := range [...]string{"command", "cmd", "commandLine", "command_line", "CommandLine", "script", "shell_command", "bash"} {
				switch s := obj[k].(type) {
				case string:
					if s != cmd {
						out = append(out, s)
					}
					if list, isList := obj["args"].([]any); isList {
						out = append(out, s+" "+join(list))
					}
				case []any:
					out = append(out, join(s))
				}
			}
			for _, k := range [...]string{"code", "python", "python_code", "javascript", "source_code", "snippet"} {
				if code, isText := obj[k].(string); isText && code != "" {
					q := "'" + strings.ReplaceAll(code, "'", `'\''`) + "'"
					out = append(out, "python3 -c "+q, "node -e "+q)
				}
			}
			if list, isList := obj["commands"].([]any); isList {
				for _, e := range list {
					if s, isText := e.(string); isText {
						out = append(out, s)
					}
				}
			}
		})
	}
	return bounded(out)
}

const maxLines = 64

func bounded(s []string) []string {
	if len(s) > maxLines {
		s = s[:maxLines]
	}
	return s
}

// join writes an argv as words that a shell reads back.
func join(list []any) string {
	var b strings.Builder
	for i, e := range list {
		s, ok := e.(string)
		if !ok {
			continue
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("'" + strings.ReplaceAll(s, "'", `'\''`) + "'")
	}
	return b.String()
}

// nested visits every object of a decoded JSON value, outermost first.
func nested(v any, depth int, visit func(map[string]any)) {
	if depth > 6 {
		return
	}
	switch t := v.(type) {
	case []any:
		for _, e := range t {
			nested(e, depth+1, visit)
		}
	case map[string]any:
		visit(t)
		for _, k := range sortedKeys(t) {
			switch e := t[k].(type) {
			case string:
				// Generic callers pass the arguments as a JSON text.
				if strings.HasPrefix(e, "{") {
					var inner any
					if json.Unmarshal([]byte(e), &inner) == nil {
						nested(inner, depth+1, visit)
					}
				}
			default:
				nested(e, depth+1, visit)
			}
		}
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
