package policy

import (
	"path"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

var bypassRules = [...]Rule{
	{
		ID: "hook-bypass/no-verify", Verdict: hook.Deny,
		Doc:     "git --no-verify, and -n where it means the same.",
		Why:     "the repository's hooks are there to be run, and a failing one says what to fix",
		Instead: "fix what the hook reports, then `git commit -m x`",
		Fire: []string{
			"git commit --no-verify -m x", "git commit -nm x", "git commit -an -m x", "cd /tmp && git commit --no-verify -m x", "git push --no-verify",
			"git commit --no-veri -m x", "git merge --no-verify topic", "git config alias.ci 'commit --no-verify'", "git -c alias.c='commit -n' c -m x",
		},
		Pass: []string{
			`git commit -m "mention --no-verify in text"`, "git push -n", "git log -n 3", "git commit -m -n", "git cherry-pick -n HEAD~1", "git merge -n topic",
			"git commit -am x", "git add -n .", "git config alias.ci 'commit -v'",
		},
		check: noVerify,
	},
	{
		ID: "hook-bypass/hooks-path", Verdict: hook.Deny,
		Doc:     "Pointing git at another folder of hooks, or at none (core.hooksPath).",
		Why:     "the repository's hooks would silently not run",
		Instead: "leave core.hooksPath as it is and fix what the hook reports; `git config --get core.hooksPath` shows it",
		Fire: []string{
			"git -c core.hooksPath=/dev/null commit -m x", "git config core.hooksPath /dev/null", "git config --unset core.hooksPath",
			"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null git commit -m x",
			"printf '[core]\n\thooksPath = /dev/null\n' >> .git/config",
		},
		Pass:  []string{"git config --get core.hooksPath", "git config core.hooksPath .githooks", "git config core.editor vim"},
		check: hooksPath,
	},
	{
		ID: "hook-bypass/environment", Verdict: hook.Deny,
		Doc:     "Variables that tell a hook manager not to run: HUSKY=0, LEFTHOOK=0, SKIP=… and their kin.",
		Why:     "the repository's hooks would silently not run",
		Instead: "fix what the hook reports, then `git commit -m x`",
		Fire:    []string{"HUSKY=0 git push", "SKIP=ruff git commit -m x", "LEFTHOOK=0 git push", "export HUSKY=0; git commit -m x", "env HUSKY_SKIP_HOOKS=1 git commit -m x"},
		Pass:    []string{"HUSKY=1 git push", "HUSKY=0 npm ci", "SKIP=slow make test", "git commit -m 'HUSKY=0'"},
		check:   hookEnvironment,
	},
	{
		ID: "hook-bypass/remove-hooks", Verdict: hook.Deny,
		Doc:     "Deleting, moving or disabling the repository's hooks.",
		Why:     "they are there to be run, and nothing reports that they are gone",
		Instead: "fix what the hook reports; to read one, `cat .git/hooks/pre-commit`",
		Fire: []string{
			"rm .git/hooks/pre-commit", "rm -rf .git/hooks", "mv .git/hooks/pre-commit /tmp/x", "chmod -x .git/hooks/pre-push", "rm -rf .husky",
			"> .git/hooks/pre-commit", "pre-commit uninstall", "npx lefthook uninstall", "echo 'exit 0' > .git/hooks/pre-commit",
			"cp /dev/null .git/hooks/pre-commit", "ln -sf /bin/true .git/hooks/pre-commit", "printf '#!/bin/sh\n' | tee .husky/pre-commit",
		},
		Pass:  []string{"cat .git/hooks/pre-commit", "chmod +x .git/hooks/pre-commit", "cp hooks/pre-commit .git/hooks/pre-commit", "ls .git/hooks", "pre-commit run", "rm -rf .git/hooks/*.sample", "echo 'npm test' > .husky/pre-commit"},
		check: removeHooks,
	},
	{
		ID: "hook-bypass/git-files", Verdict: hook.Ask,
		Doc:     "Writing git's own files with anything but git: its configuration, an installed hook, what else lies below .git.",
		Why:     "they decide which hooks and programs git runs by itself",
		Instead: "let git write it, e.g. `git config user.name x`",
		Fire:    []string{"Write(.git/config)", "Edit(.git/hooks/pre-commit)", "Write(.git/HEAD)", "printf '[alias]\n' >> .git/config", "sed -i s/a/b/ .git/config", "echo x > .git/refs/heads/main", "git config include.path /tmp/x"},
		Pass:    []string{"git config user.name x", "cat .git/config", "Write(.git/info/exclude)", "Write(.git/hooks/commit-msg)", "echo build/ >> .git/info/exclude", "Read(.git/config)"},
		check:   gitFiles,
	},
}

// commitFlags know that -S and -u take a value only if it is attached.
var commitFlags = grammar{
	short: "mFCct",
	long: []string{
		"--message", "--file", "--reuse-message", "--reedit-message", "--fixup", "--squash", "--author", "--date", "--template", "--cleanup",
		"--trailer", "--pathspec-from-file",
	},
}

func noVerify(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	if key, value := aliasSet(g); key != "" {
		if v, ok := j.noVerifyIn(value); ok {
			return match{what: "makes " + oneLine(key) + " an alias that " + v}, true
		}
	}
	short := false
	switch g.sub {
	case "commit", "am":
		short = true
	case "push", "merge", "rebase", "pull", "cherry-pick", "revert":
	default:
		return match{}, false
	}
	if g.help {
		return match{}, false
	}
	flags := &commitFlags
	switch g.sub {
	case "push":
		flags = &pushFlags
	case "merge", "pull":
		flags = &grammar{short: "msXFS", long: []string{"--strategy", "--strategy-option", "--message", "--file", "--into-name"}}
	case "rebase":
		flags = &grammar{short: "sXxC", long: []string{"--onto", "--strategy", "--strategy-option", "--exec", "--empty"}}
	case "am":
		flags = &grammar{short: "Cp", long: []string{"--directory", "--exclude", "--include", "--patch-format", "--whitespace"}}
	}
	skip, spelled := false, ""
	args := make([]word, 0, len(g.args))
	for i := range g.args {
		w := g.args[i]
		// -S and -u swallow the rest of a bundle.
		if t := w.Text; short && len(t) > 1 && t[0] == '-' && t[1] != '-' {
			if k := strings.IndexAny(t, "Su"); k > 0 && !strings.ContainsAny(t[:k], "mFCct") {
				w.Text = t[:k+1]
			}
		}
		args = append(args, w)
	}
	for _, a := range flags.parse(args) {
		switch {
		case a.flag == "-n" && short, long(a.flag, "--no-verify", 7):
			skip, spelled = true, a.flag
		case long(a.flag, "--verify", 5):
			skip = false
		}
	}
	if !skip {
		return match{}, false
	}
	return match{what: "skips the hooks (" + spelled + ")"}, true
}

// aliasSet returns the alias that a git config sets, and its text.
func aliasSet(g *gitCmd) (key, value string) {
	if g.sub != "config" || g.help {
		return "", ""
	}
	ops := operands((&grammar{short: "f", long: []string{"--file", "--blob", "--type", "--default", "--comment", "--value"}}).parse(g.args))
	if len(ops) > 0 && ops[0].Text == "set" {
		ops = ops[1:]
	}
	if len(ops) < 2 || !strings.HasPrefix(strings.ToLower(ops[0].Text), "alias.") {
		return "", ""
	}
	return ops[0].Text, ops[1].Text
}

// noVerifyIn reports whether the text of an alias skips hooks.
func (j *judge) noVerifyIn(text string) (string, bool) {
	sh, isShell := strings.CutPrefix(strings.TrimSpace(text), "!")
	if !isShell {
		sh = "git " + text
	}
	l := shellcmd.Parse(sh, shellcmd.Options{Cwd: j.cwd, Home: j.home})
	for i := range l.Commands {
		in := &judge{place: j.place, ctx: j.ctx, set: j.set, ev: j.ev, line: l, cur: facts{index: i}}
		if m, hit := noVerify(in, &l.Commands[i]); hit {
			return m.what, true
		}
	}
	return "", false
}

func hooksPath(j *judge, c *shellcmd.Command) (match, bool) {
	if m, hit := j.writesHooksPath(c); hit {
		return m, true
	}
	g := j.git(c)
	if c.Program != "git" || g.help {
		return match{}, false
	}
	if v, ok := g.get("core.hookspath"); ok {
		return match{what: "runs with core.hooksPath=" + oneLine(strings.ReplaceAll(v, shellcmd.Unknown, "…"))}, true
	}
	if g.sub != "config" {
		return match{}, false
	}
	as := (&grammar{short: "f", long: []string{"--file", "--blob", "--type", "--default", "--comment", "--value"}}).parse(g.args)
	for i := range as {
		switch as[i].flag {
		case "--get", "--get-all", "--get-regexp", "-l", "--list", "--get-urlmatch":
			return match{}, false
		}
	}
	ops := operands(as)
	unset := has(as, "--unset", "--unset-all")
	if len(ops) > 0 {
		switch ops[0].Text {
		case "get", "list":
			return match{}, false
		case "unset":
			unset, ops = true, ops[1:]
		case "set":
			ops = ops[1:]
		case "remove-section":
			if len(ops) > 1 && strings.EqualFold(ops[1].Text, "core") {
				return match{what: "drops the whole core section of git's configuration"}, true
			}
		}
	}
	if has(as, "--remove-section") && len(ops) > 0 && strings.EqualFold(ops[0].Text, "core") {
		return match{what: "drops the whole core section of git's configuration"}, true
	}
	if len(ops) == 0 || !strings.EqualFold(ops[0].Text, "core.hooksPath") {
		return match{}, false
	}
	if unset {
		return match{what: "unsets core.hooksPath"}, true
	}
	if len(ops) < 2 {
		return match{}, false
	}
	to := ops[1]
	p, ok := j.abs(g.dir, to.Text)
	if ok && !unknown(to) && j.within(j.root, p) && j.mayHoldHooks(p) {
		return match{}, false
	}
	return match{what: "sets core.hooksPath to " + oneLine(showWord(to))}, true
}

// mayHoldHooks reports whether a folder of the project is one for hooks: one
// with files in it, or a new one that says so.
func (j *judge) mayHoldHooks(p string) bool {
	if j.fs == nil {
		return true
	}
	entries, err := j.fs.ReadDir(j.real(p))
	if err == nil {
		return len(entries) > 0
	}
	low := strings.ToLower(p)
	return strings.Contains(low, "hook") || strings.Contains(low, "husky")
}

func hookEnvironment(j *judge, c *shellcmd.Command) (match, bool) {
	if c.Program != "git" {
		return match{}, false
	}
	switch j.git(c).sub {
	case "commit", "push", "merge", "rebase", "am", "pull", "checkout", "switch", "cherry-pick", "revert":
	default:
		return match{}, false
	}
	for i := range c.Env {
		a := &c.Env[i]
		v := strings.ToLower(a.Value.Text)
		off := v == "0" || v == "false" || v == "no" || v == "off"
		on := v != "" && !off
		hit := false
		switch a.Name {
		case "HUSKY", "LEFTHOOK":
			hit = off
		case "HUSKY_SKIP_HOOKS", "PRE_COMMIT_ALLOW_NO_CONFIG", "OVERCOMMIT_DISABLE", "LEFTHOOK_EXCLUDE", "SKIP_SIMPLE_GIT_HOOKS", "SKIP_HOOKS",
			"GIT_SKIP_HOOKS", "NO_VERIFY", "SKIP_GIT_HOOKS", "OVERCOMMIT_SKIP":
			hit = on
		case "SKIP":
			hit = v != ""
		}
		if hit {
			return match{what: "switches hooks off with " + a.Name}, true
		}
	}
	return match{}, false
}

// hookFile reports whether p is the folder of the repository's hooks or one of
// them; samples do not count.
func (j *judge) hookFile(p string) bool {
	if strings.HasSuffix(p, ".sample") || j.root == "" || !j.below(j.root, p) {
		return false
	}
	rest := strings.ToLower(p[len(strings.TrimSuffix(j.root, "/"))+1:])
	for _, d := range [...]string{".git/hooks", ".husky", ".githooks"} {
		if rest == d || strings.HasPrefix(rest, d+"/") {
			return true
		}
	}
	return false
}

func removeHooks(j *judge, c *shellcmd.Command) (match, bool) {
	switch c.Program {
	case "pre-commit", "lefthook", "husky", "overcommit", "simple-git-hooks":
		if a := c.Args(); len(a) > 0 && (a[0].Text == "uninstall" || a[0].Text == "--uninstall") {
			return match{what: "uninstalls the hooks"}, true
		}
	}
	for _, w := range j.writesOf(c) {
		empties := w.from == nil && !w.appends && !w.inPlace && !w.mode && !w.remove && (len(c.Argv) == 0 || writesIdle(c)) ||
			w.from != nil && doesNothing(w.from.Text) || c.Program == "truncate"
		noExec := w.mode && c.Program == "chmod" && takesExec(c.Args())
		if !w.remove && !empties && !noExec {
			continue
		}
		for _, p := range j.paths(c, w.path) {
			base, pattern := splitGlob(p)
			if strings.HasSuffix(pattern, ".sample") {
				continue
			}
			if pattern != "" {
				p = base
			}
			if j.hookFile(p) || j.hookFile(j.realParent(p)) {
				return match{what: "takes away " + j.show(path.Clean(p))}, true
			}
		}
	}
	return match{}, false
}

// doesNothing reports whether p is a file that, as a hook, lets all pass.
func doesNothing(p string) bool {
	switch p {
	case "/dev/null", "/bin/true", "/usr/bin/true", "/bin/echo", "/usr/bin/echo":
		return true
	}
	return false
}

// writesIdle reports whether what c writes is a script that does nothing.
func writesIdle(c *shellcmd.Command) bool {
	switch {
	case c.Program == "tee":
		return c.Stdin.Known && idle([]byte(c.Stdin.Text))
	case c.Stdout.Known:
		return idle([]byte(c.Stdout.Text))
	}
	return false
}

// takesExec reports whether a chmod takes the right to execute away.
func takesExec(args []word) bool {
	for i := range args {
		switch t := args[i].Text; {
		case strings.HasPrefix(t, "-R"), t == "--recursive":
		case strings.Contains(t, "-") && strings.Contains(t, "x"):
			return true
		case len(t) >= 3 && isOctal(t):
			owner := t[len(t)-3]
			return (owner-'0')&1 == 0
		default:
			return false
		}
	}
	return false
}

func isOctal(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '7' {
			return false
		}
	}
	return s != ""
}
