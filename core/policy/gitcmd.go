package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// gitCmd is a git command line taken apart.
type gitCmd struct {
	sub    string // subcommand, "" if none
	args   []word // behind it
	dir    string // where it works: -C applied; "" = unknown
	gitDir string // --git-dir or GIT_DIR, as written
	config []gitConfig
	help   bool   // prints help or version only
	alias  string // text of the alias that sub was, for messages
	shell  string // the alias is a shell command: its text
}

type gitConfig struct{ key, value string }

// parseGit takes c apart. sub is "" when c is not git or names no subcommand.
func parseGit(c *shellcmd.Command) gitCmd {
	g := gitCmd{dir: c.Dir}
	if c.Program != "git" {
		return g
	}
	args := c.Args()
	i := 0
	val := func() *word {
		if i+1 < len(args) {
			i++
			return &args[i]
		}
		return nil
	}
	for ; i < len(args); i++ {
		t := args[i].Text
		if t == "" || t[0] != '-' {
			break
		}
		name, v, has := strings.Cut(t, "=")
		switch {
		case t == "-C":
			if w := val(); w != nil {
				g.chdir(w.Text)
			}
		case strings.HasPrefix(t, "-C") && len(t) > 2:
			g.chdir(t[2:])
		case t == "-c":
			if w := val(); w != nil {
				g.addConfig(w.Text)
			}
		case strings.HasPrefix(t, "-c") && len(t) > 2 && !strings.HasPrefix(t, "--"):
			g.addConfig(t[2:])
		case name == "--git-dir":
			if !has {
				if w := val(); w != nil {
					v = w.Text
				}
			}
			g.gitDir = v
		case name == "--config-env":
			if !has {
				if w := val(); w != nil {
					v = w.Text
				}
			}
			k, _, _ := strings.Cut(v, "=")
			g.config = append(g.config, gitConfig{strings.ToLower(k), shellcmd.Unknown})
		case name == "--work-tree", name == "--namespace", name == "--super-prefix", name == "--attr-source":
			if !has {
				val()
			}
		case t == "--help", t == "-h", t == "--version", t == "-v", t == "--html-path", t == "--man-path", t == "--info-path", t == "--exec-path":
			g.help = true
		}
	}
	if i < len(args) {
		g.sub, g.args = args[i].Text, args[i+1:]
	}
	if g.gitDir == "" {
		if w, ok := c.Getenv("GIT_DIR"); ok {
			g.gitDir = w.Text
		}
	}
	g.envConfig(c)
	if g.sub == "help" {
		g.help = true
	}
	for k := range g.args {
		t := g.args[k].Text
		if t == "--" {
			break
		}
		if t == "--help" && k == 0 || t == "-h" && len(g.args) == 1 {
			g.help = true
		}
	}
	return g
}

func (g *gitCmd) chdir(to string) {
	switch {
	case strings.Contains(to, shellcmd.Unknown):
		g.dir = ""
	case isAbs(to):
		g.dir = tidy(to)
	case strings.HasPrefix(to, "~"):
		g.dir = ""
	case g.dir != "":
		g.dir = tidy(g.dir + "/" + to)
	}
}

func (g *gitCmd) addConfig(kv string) {
	k, v, has := strings.Cut(kv, "=")
	if !has {
		v = "true"
	}
	g.config = append(g.config, gitConfig{strings.ToLower(k), v})
}

// envConfig reads GIT_CONFIG_COUNT and its keys, and GIT_CONFIG_PARAMETERS.
func (g *gitCmd) envConfig(c *shellcmd.Command) {
	for i := range c.Env {
		a := &c.Env[i]
		switch {
		case strings.HasPrefix(a.Name, "GIT_CONFIG_KEY_"):
			v := shellcmd.Unknown
			if w, ok := c.Getenv("GIT_CONFIG_VALUE_" + a.Name[len("GIT_CONFIG_KEY_"):]); ok {
				v = w.Text
			}
			g.config = append(g.config, gitConfig{strings.ToLower(a.Value.Text), v})
		case a.Name == "GIT_CONFIG_PARAMETERS":
			for kv := range strings.FieldsSeq(strings.ReplaceAll(a.Value.Text, "'", "")) {
				g.addConfig(kv)
			}
		}
	}
}

// get returns the last value given for a configuration key on the command
// line or in its environment.
func (g *gitCmd) get(key string) (string, bool) {
	for _, v := range slices.Backward(g.config) {
		if v.key == key {
			return v.value, true
		}
	}
	return "", false
}

// git returns the current command taken apart, aliases resolved.
func (j *judge) git(c *shellcmd.Command) *gitCmd {
	if j.cur.gitDone {
		return &j.cur.git
	}
	j.cur.gitDone = true
	g := parseGit(c)
	j.unalias(&g)
	j.cur.git = g
	return &j.cur.git
}

// unalias replaces an alias by what it stands for.
func (j *judge) unalias(g *gitCmd) {
	for n := 0; n < 5 && g.sub != "" && !gitBuiltin(g.sub); n++ {
		text, ok := g.get("alias." + strings.ToLower(g.sub))
		if !ok {
			text, ok = j.configuredAlias(g)
		}
		if !ok || strings.Contains(text, shellcmd.Unknown) {
			break
		}
		g.alias = text
		if sh, isShell := strings.CutPrefix(strings.TrimSpace(text), "!"); isShell {
			g.shell = sh
			for i := range g.args {
				g.shell += " " + quote(g.args[i].Text)
			}
			g.sub = ""
			break
		}
		l := shellcmd.Parse("git "+text, shellcmd.Options{Cwd: j.cwd, Home: j.home})
		if len(l.Commands) == 0 {
			break
		}
		inner := parseGit(&l.Commands[0])
		g.sub = inner.sub
		g.args = append(append([]word(nil), inner.args...), g.args...)
		g.config = append(g.config, inner.config...)
	}
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// gitBuiltin reports whether an alias of that name would be ignored, or is one
// of the commands that nobody aliases.
func gitBuiltin(sub string) bool {
	switch sub {
	case "add", "am", "apply", "archive", "bisect", "blame", "branch", "bundle", "cat-file", "check-ignore", "check-ref-format", "checkout",
		"checkout-index", "cherry", "cherry-pick", "clean", "clone", "commit", "commit-tree", "config", "count-objects", "credential",
		"describe", "diff", "diff-files", "diff-index", "diff-tree", "difftool", "fast-export", "fast-import", "fetch", "filter-branch",
		"for-each-ref", "format-patch", "fsck", "gc", "grep", "hash-object", "help", "init", "log", "ls-files", "ls-remote", "ls-tree",
		"maintenance", "merge", "merge-base", "merge-tree", "mergetool", "mv", "name-rev", "notes", "pack-refs", "prune", "pull", "push",
		"range-diff", "read-tree", "rebase", "reflog", "remote", "repack", "replace", "rerere", "reset", "restore", "rev-list", "rev-parse",
		"revert", "rm", "send-email", "shortlog", "show", "show-branch", "show-ref", "sparse-checkout", "stash", "status", "submodule",
		"switch", "symbolic-ref", "tag", "update-index", "update-ref", "var", "verify-commit", "verify-tag", "version", "whatchanged",
		"worktree", "write-tree":
		return true
	}
	return false
}

// configuredAlias looks an alias up in the repository's and the user's git
// configuration.
func (j *judge) configuredAlias(g *gitCmd) (string, bool) {
	if j.fs == nil {
		return "", false
	}
	files := make([]string, 0, 3)
	if dir := j.gitDirOf(g); dir != "" {
		files = append(files, dir+"/config")
	}
	if j.home != "" {
		files = append(files, j.home+"/.gitconfig", j.home+"/.config/git/config")
	}
	for _, f := range files {
		if data, err := j.fs.ReadFile(f, 1<<18); err == nil {
			if v, ok := aliasIn(string(data), g.sub); ok {
				return v, true
			}
		}
	}
	return "", false
}

// aliasIn finds one alias in the text of a git configuration file.
func aliasIn(text, name string) (string, bool) {
	in := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			in = strings.HasPrefix(strings.ToLower(line), "[alias]")
			continue
		}
		if !in {
			continue
		}
		k, v, ok := strings.Cut(line, "=")
		if ok && strings.EqualFold(strings.TrimSpace(k), name) {
			v = strings.TrimSpace(v)
			if len(v) > 1 && v[0] == '"' && v[len(v)-1] == '"' {
				v = strings.ReplaceAll(strings.ReplaceAll(v[1:len(v)-1], `\"`, `"`), `\\`, `\`)
			}
			return v, true
		}
	}
	return "", false
}

// gitDirOf returns the git folder that g works on, "" if it is not found.
func (j *judge) gitDirOf(g *gitCmd) string {
	if j.fs == nil {
		return ""
	}
	if g.gitDir != "" {
		if p, ok := j.abs(g.dir, g.gitDir); ok {
			return p
		}
		return ""
	}
	for d := g.dir; d != ""; {
		if dir, there := j.gitEntry(d); there {
			return dir
		}
		up := path.Dir(d)
		if up == d {
			return ""
		}
		d = up
	}
	return ""
}

// gitEntry returns the git folder of a work tree's top: its .git, or what the
// .git file of a worktree or submodule names, "" if that cannot be read. there is
// false when d is no such top.
func (j *judge) gitEntry(d string) (dir string, there bool) {
	if j.fs == nil {
		return "", false
	}
	dot := tidy(d + "/.git")
	fi, err := j.fs.Stat(dot)
	switch {
	case err != nil:
		return "", false
	case fi.IsDir():
		return dot, true
	}
	data, err := j.fs.ReadFile(dot, 1<<12)
	if err != nil {
		return "", true
	}
	if to, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir:"); ok {
		if p, ok := j.abs(d, strings.TrimSpace(to)); ok {
			return p, true
		}
	}
	return "", true
}

// protectedBranch reports whether others build on a branch of that name, by
// the usual names and those of the configuration.
func (j *judge) protectedBranch(name string) bool {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "refs/heads/"), "heads/")
	if name == "" {
		return false
	}
	if protectedName(name) {
		return true
	}
	for _, p := range j.set.Branches {
		if ok, err := doublestar.Match(p, name); err == nil && ok {
			return true
		}
	}
	return false
}

// protectedName reports whether a branch of that name is usually one that
// others build on.
func protectedName(name string) bool {
	switch strings.ToLower(name) {
	case "main", "master", "trunk", "production", "prod", "release", "stable", "mainline", "live":
		return true
	}
	low := strings.ToLower(name)
	return strings.HasPrefix(low, "release/") || strings.HasPrefix(low, "release-") || strings.HasPrefix(low, "releases/")
}
