package evidence

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// changesNothing reports whether every command of a line is known only to look:
// the tree is then what it was. What cannot be read may change anything.
func changesNothing(l *shellcmd.Line) bool {
	if l == nil || l.Truncated || len(l.Opaque) > 0 || len(l.Commands) == 0 {
		return false
	}
	for i := range l.Commands {
		if !looks(&l.Commands[i]) {
			return false
		}
	}
	return true
}

func looks(c *shellcmd.Command) bool {
	for i := range c.Redirects {
		r := &c.Redirects[i]
		if r.Writes() && !harmlessTarget(r.Target) {
			return false
		}
	}
	if c.Has(shellcmd.Loose) || c.Dynamic || len(c.Code) > 0 && !readsCode(c) {
		return false
	}
	if c.Program == "" {
		return len(c.Argv) == 0
	}
	args := make([]string, 0, len(c.Argv))
	for _, w := range c.Args() {
		args = append(args, w.Text)
	}
	has := func(flags ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool {
			name, _, _ := strings.Cut(a, "=")
			return slices.Contains(flags, name)
		})
	}
	switch c.Program {
	case "ls", "dir", "pwd", "cd", "cat", "head", "tail", "less", "more", "wc", "grep", "egrep", "fgrep", "rg", "ag", "ack", "file", "stat",
		"du", "df", "echo", "printf", "true", "false", ":", "test", "[", "[[", "which", "whereis", "type", "command", "date", "whoami", "id",
		"uname", "hostname", "env", "printenv", "ps", "pgrep", "free", "uptime", "diff", "cmp", "comm", "cut", "tr", "rev", "nl", "column", "jq",
		"basename", "dirname", "realpath", "readlink", "sha256sum", "sha1sum", "md5sum", "cksum", "tree", "sleep", "exit", "return",
		"set", "export", "unset", "local", "declare", "shift", "wait", "jobs", "alias", "seq", "expr", "strings", "od", "xxd", "hexdump",
		"man", "tac", "fold", "paste", "join", "break", "continue", "read", "pushd", "popd", "umask", "ulimit", "trap", "let", "times", "hash", "help",
		"get-content", "get-childitem", "get-location", "select-string", "test-path", "get-item", "measure-object", "write-output", "write-host",
		"set-location", "get-command", "select-object", "where-object", "sort-object", "get-process":
		return c.Program != "xxd" || len(args) < 2
	case "sort":
		return !has("-o", "--output") && !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-o") })
	case "uniq":
		return len(args) < 2 || !slices.ContainsFunc(args[1:], func(a string) bool { return !strings.HasPrefix(a, "-") })
	case "find", "fd":
		return !has("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprintf", "-fls", "-fprint0", "-x", "--exec", "-X", "--exec-batch")
	case "git":
		return looksGit(args)
	case "gh":
		return len(args) > 1 && slices.Contains([]string{"view", "list", "status", "diff", "checks"}, args[1])
	case "go":
		return len(args) > 0 && slices.Contains([]string{"version", "env", "list", "doc", "help"}, args[0]) && !has("-w", "-u", "-mod")
	case "npm", "pnpm", "yarn", "pip", "pip3", "cargo":
		return len(args) > 0 && slices.Contains([]string{"ls", "list", "view", "outdated", "show", "why", "--version", "-v", "-V", "tree", "metadata"}, args[0])
	case "node", "python", "python3", "ruby", "java", "rustc", "make", "docker", "tsc", "gcc", "clang", "bash", "sh", "zsh":
		return len(args) == 1 && slices.Contains([]string{"--version", "-v", "-V", "-version"}, args[0])
	case "guardrails", "guardrails-full":
		return true // its own verbs change no product
	}
	return false
}

// readsCode reports whether a command's program text is of a reader that cannot
// write: a pattern, a filter.
func readsCode(c *shellcmd.Command) bool {
	switch c.Program {
	case "jq", "grep", "rg", "command", "test":
		return true
	default:
		return false
	}
}

func harmlessTarget(w shellcmd.Word) bool {
	switch w.Text {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "nul", "NUL", "$null":
		return true
	default:
		return w.Static && (strings.HasPrefix(w.Text, "/tmp/") || strings.HasPrefix(w.Text, "/var/tmp/")) && !strings.Contains(w.Text, "..")
	}
}

// looksGit reports whether a git command leaves the working tree as it is. The
// index and the history are not the tree.
func looksGit(args []string) bool {
	i := 0
	for i < len(args) && strings.HasPrefix(args[i], "-") {
		if args[i] == "-C" || args[i] == "-c" {
			i++
		}
		i++
	}
	if i >= len(args) {
		return true
	}
	rest := args[i+1:]
	switch args[i] {
	case "status", "log", "diff", "show", "blame", "grep", "rev-parse", "rev-list", "ls-files", "ls-tree", "ls-remote", "cat-file",
		"describe", "shortlog", "reflog", "fetch", "push", "add", "for-each-ref", "name-rev", "merge-base", "check-ignore", "count-objects",
		"fsck", "version", "help", "whatchanged", "var", "symbolic-ref", "show-ref", "diff-tree", "diff-index", "diff-files", "cherry":
		return !slices.ContainsFunc(rest, func(a string) bool { return strings.HasPrefix(a, "--output") })
	case "branch", "tag", "remote", "config", "notes":
		return true
	case "stash", "worktree", "bisect", "submodule":
		return len(rest) > 0 && (rest[0] == "list" || rest[0] == "show" || rest[0] == "status" || rest[0] == "log")
	default:
		return false
	}
}

// asksOnly reports whether exit code 1 of the line only says "no": its outcome
// comes from a command that looks for something, not from one that failed.
func asksOnly(l *shellcmd.Line) bool {
	if l == nil || len(l.Commands) == 0 || len(l.Opaque) > 0 {
		return false
	}
	asks := false
	for i := range l.Commands {
		c := &l.Commands[i]
		if c.Parent >= 0 {
			continue
		}
		switch c.Program {
		case "grep", "egrep", "fgrep", "rg", "ag", "ack", "diff", "cmp", "test", "[", "[[", "pgrep", "which", "type", "command", "expr", "fd":
			asks = true
		case "git":
			ok := false
			for _, w := range c.Args() {
				switch w.Text {
				case "grep", "diff", "check-ignore", "--exit-code", "--quiet", "ls-files", "merge-base", "show-ref":
					ok = true
				}
			}
			if !ok && !looks(c) {
				return false
			}
			asks = asks || ok
		default:
			if !looks(c) || c.Program == "false" || c.Program == "exit" {
				return false
			}
		}
	}
	return asks
}

// ownOnly reports whether a line runs nothing but this program: what it answers
// says nothing of the work.
func ownOnly(l *shellcmd.Line) bool {
	if l == nil || len(l.Commands) == 0 || len(l.Opaque) > 0 {
		return false
	}
	own := false
	for i := range l.Commands {
		switch l.Commands[i].Program {
		case "guardrails", "guardrails-full":
			own = true
		case "cd", "echo", "true", "printf":
		default:
			return false
		}
	}
	return own
}
