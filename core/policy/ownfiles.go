package policy

import (
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// vitalWrites judges what a file tool writes of git's own files and of the
// operating system's.
func (j *judge) vitalWrites(t *hook.Tool) {
	edits := t.Edits()
	seen := map[string]bool{}
	one := func(raw string, e *hook.FileEdit) {
		for _, as := range spellings(raw) {
			p, ok := j.abs(j.cwd, as)
			if !ok || seen[p] {
				continue
			}
			seen[p] = true
			j.vitalWrite(t, e, edits, raw, p)
			if r := j.real(p); r != p {
				j.vitalWrite(t, e, edits, raw, r)
			}
		}
	}
	for i := range edits {
		one(edits[i].Path, &edits[i])
		if edits[i].NewPath != "" {
			one(edits[i].NewPath, &edits[i])
		}
	}
	if len(edits) == 0 {
		for _, raw := range t.Paths() {
			one(raw, nil)
		}
	}
}

func (j *judge) vitalWrite(t *hook.Tool, e *hook.FileEdit, edits []hook.FileEdit, raw, p string) {
	say := func(r *Rule, what string) {
		j.add(r, match{what: what + oneLine(j.show(p))}, callFor(t, raw), []string{t.Kind.String(), raw})
	}
	gone := e != nil && (e.Op == hook.Delete || e.Op == hook.Move && e.Path == raw)
	before, known := j.readForEdit(p)
	var after []byte
	if known = known && e != nil && !gone; known {
		after, known = afterEdits(edits, raw, before)
	}
	switch {
	case j.hookFile(p):
		switch {
		case gone, known && len(before) > 0 && idle(after):
			say(ruleOf("hook-bypass/remove-hooks"), "takes away ")
		case j.below(j.root+"/.git", p) && j.exists(p):
			say(ruleOf("hook-bypass/git-files"), "changes ")
		}
	case j.gitConfigFile(p):
		if known && hooksPathLines(string(before)) != hooksPathLines(string(after)) {
			say(ruleOf("hook-bypass/hooks-path"), "changes core.hooksPath in ")
			return
		}
		say(ruleOf("hook-bypass/git-files"), "writes ")
	case j.root != "" && j.below(j.root+"/.git", p):
		rel := p[len(j.root+"/.git/"):]
		if !strings.HasPrefix(rel, "info/") && !strings.HasPrefix(rel, "hooks/") && !strings.HasSuffix(rel, "_EDITMSG") && !strings.HasSuffix(rel, "_MSG") {
			say(ruleOf("hook-bypass/git-files"), "writes ")
		}
	case isDevice(p):
		say(ruleOf("filesystem/device"), "overwrites ")
	case vital(p):
		say(ruleOf("filesystem/overwrite-system"), "overwrites ")
	case systemTree(p) && strings.Count(p, "/") > 1 && j.classify(p, true) == outside, loginFile(p):
		say(ruleOf("filesystem/write-system"), "writes ")
	}
}

// gitConfigFile reports whether p is a configuration that git reads here.
func (j *judge) gitConfigFile(p string) bool {
	switch {
	case p == "/etc/gitconfig", j.home != "" && (j.same(p, j.home+"/.gitconfig") || j.same(p, j.home+"/.config/git/config")):
		return true
	case j.root == "":
		return false
	}
	return j.same(p, j.root+"/.git/config") || j.same(p, j.root+"/.git/config.worktree")
}

// hooksPathLines are the lines of a git configuration that say where hooks are.
func hooksPathLines(s string) string {
	var b strings.Builder
	for l := range strings.SplitSeq(s, "\n") {
		if strings.Contains(strings.ToLower(l), "hookspath") {
			b.WriteString(strings.TrimSpace(l))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// idle reports whether a hook does nothing but succeed.
func idle(script []byte) bool {
	for l := range strings.SplitSeq(string(script), "\n") {
		switch l = strings.TrimSpace(l); {
		case l == "", l[0] == '#', l == "exit 0", l == "exit", l == "true", l == ":", l == "set -e", l == "set -eu":
		default:
			return false
		}
	}
	return true
}

// loginFile reports whether p decides who may log in as its user.
func loginFile(p string) bool {
	return strings.HasSuffix(p, "/.ssh/authorized_keys") || strings.HasSuffix(p, "/.ssh/authorized_keys2")
}

// gitFiles is the check for shell writes to git's own configuration.
func gitFiles(j *judge, c *shellcmd.Command) (match, bool) {
	if c.Has(shellcmd.Remote) {
		return match{}, false
	}
	if c.Program == "git" {
		g := j.git(c)
		if g.sub != "config" || g.help {
			return match{}, false
		}
		ops := operands((&grammar{short: "f", long: []string{"--file", "--blob", "--type", "--default", "--comment", "--value"}}).parse(g.args))
		if len(ops) > 0 && ops[0].Text == "set" {
			ops = ops[1:]
		}
		if len(ops) > 1 && strings.HasPrefix(strings.ToLower(ops[0].Text), "include") {
			return match{what: "makes git read " + oneLine(showWord(ops[1]))}, true
		}
		return match{}, false
	}
	for _, w := range j.writesOf(c) {
		if w.remove || w.mode {
			continue
		}
		for _, p := range j.paths(c, w.path) {
			if j.gitConfigFile(j.real(p)) && j.below(j.root, p) || !w.tree && j.root != "" && j.below(j.root+"/.git", p) && gitPart(p) != noDanger {
				return match{what: "writes " + j.show(p)}, true
			}
		}
	}
	return match{}, false
}

// writesHooksPath reports whether a command that writes git's configuration
// says something of hooks in it.
func (j *judge) writesHooksPath(c *shellcmd.Command) (match, bool) {
	if c.Program == "git" || c.Has(shellcmd.Remote) {
		return match{}, false
	}
	for _, w := range j.writesOf(c) {
		if w.remove || w.mode {
			continue
		}
		for _, p := range j.paths(c, w.path) {
			if !j.gitConfigFile(j.real(p)) {
				continue
			}
			var text strings.Builder
			text.WriteString(c.Stdin.Text + c.Stdout.Text)
			for i := range c.Argv {
				text.WriteString(" " + c.Argv[i].Text)
			}
			if strings.Contains(strings.ToLower(text.String()), "hookspath") {
				return match{what: "writes core.hooksPath into " + j.show(p)}, true
			}
		}
	}
	return match{}, false
}

// writeSystem is the check for shell writes to the files that say who may log
// in.
func writeSystem(j *judge, c *shellcmd.Command) (match, bool) {
	if c.Has(shellcmd.Remote) {
		return match{}, false
	}
	for _, w := range j.writesOf(c) {
		if w.remove || w.mode {
			continue
		}
		for _, p := range j.paths(c, w.path) {
			if loginFile(p) || emptiesFile(c, &w) && j.classify(p, true) == outside && systemTree(p) && strings.HasPrefix(p, "/etc/") && j.exists(p) {
				return match{what: "writes " + j.show(p)}, true
			}
		}
	}
	return match{}, false
}

// emptiesFile reports whether a write leaves nothing of what the file held and
// puts nothing there.
func emptiesFile(c *shellcmd.Command, w *write) bool {
	if w.appends || w.inPlace {
		return false
	}
	return len(c.Argv) == 0 || c.Program == "truncate" || c.Program == ":" || c.Program == "true" || w.from != nil && w.from.Text == "/dev/null"
}

// grantsAccess reports whether a line more in the file lets somebody in.
func grantsAccess(p string) bool {
	switch p {
	case "/etc/passwd", "/etc/shadow", "/etc/group", "/etc/sudoers", "/etc/ld.so.preload", "/etc/master.passwd":
		return true
	}
	return strings.HasPrefix(p, "/etc/sudoers.d/") || strings.HasPrefix(p, "/etc/pam.d/")
}
