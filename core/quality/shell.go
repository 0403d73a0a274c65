package quality

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// maxTargets is how many files of one shell call are recorded as written.
const maxTargets = 100

// shellWrites says which files below the project a shell call plainly writes,
// and whether it may have written others: it ran something that is not known
// to leave the work as it is.
func shellWrites(p *gate.Pass) (targets []string, others bool) {
	line := p.Commands()
	if line == nil || p.Event.Root == "" {
		return nil, false
	}
	others = line.Truncated || len(line.Opaque) > 0
	add := func(dir string, w *shellcmd.Word) {
		switch {
		case w.Glob || !w.Static:
			others = others || !outside(w)
			return
		}
		for _, name := range w.Values() {
			rel, ok := below(p, dir, name)
			if ok && !slices.Contains(targets, rel) && len(targets) < maxTargets {
				targets = append(targets, rel)
			}
		}
	}
	for i := range line.Commands {
		c := &line.Commands[i]
		if c.Has(shellcmd.Uncalled) || c.Has(shellcmd.Remote) {
			continue
		}
		for j := range c.Redirects {
			if r := &c.Redirects[j]; r.Writes() {
				add(c.Dir, &r.Target)
			}
		}
		for j := range c.Effects {
			switch f := &c.Effects[j]; f.Kind {
			case shellcmd.WriteFile, shellcmd.DeleteFile:
				add(c.Dir, &f.Path)
			case shellcmd.MoveFile:
				add(c.Dir, &f.Path)
				add(c.Dir, &f.To)
			case shellcmd.CopyFile, shellcmd.LinkFile:
				add(c.Dir, &f.To)
			}
		}
		if len(c.Argv) == 0 {
			continue
		}
		if c.Dynamic {
			others = true
			continue
		}
		names, known := writtenBy(p, c)
		for k := range names {
			add(c.Dir, &names[k])
		}
		others = others || !known
	}
	return targets, others
}

// outside reports whether a word that is not known surely lies in a folder for
// what is temporary, or is none of the project's files.
func outside(w *shellcmd.Word) bool {
	return strings.HasPrefix(w.Text, "/tmp/") || strings.HasPrefix(w.Text, "/dev/") || strings.HasPrefix(w.Text, "/proc/")
}

// below returns a name as it is kept: relative to the root, with slashes.
func below(p *gate.Pass, dir, name string) (string, bool) {
	name = hook.LocalPath(name)
	if name == "" || strings.Contains(name, shellcmd.Unknown) {
		return "", false
	}
	if !filepath.IsAbs(name) {
		if dir == "" {
			return "", false
		}
		name = filepath.Join(dir, filepath.FromSlash(name))
	}
	return within(p.Event.Root, name)
}

// writtenBy returns the files that a well-known program writes. known is false
// if it may write what its words do not say.
func writtenBy(p *gate.Pass, c *shellcmd.Command) (files []shellcmd.Word, known bool) {
	var plain []shellcmd.Word
	inPlace, script, only := false, false, false
	args := c.Args()
	for i := range args {
		w := &args[i]
		switch t := w.Text; {
		case only || !strings.HasPrefix(t, "-") || t == "-":
			plain = append(plain, *w)
		case t == "--":
			only = true
		case strings.HasPrefix(t, "--in-place"), strings.HasPrefix(t, "--inplace"):
			inPlace = true
		case strings.HasPrefix(t, "--expression"), strings.HasPrefix(t, "--file"):
			script = true
		case !strings.HasPrefix(t, "--"):
			inPlace = inPlace || strings.ContainsRune(t, 'i')
			script = script || strings.HasSuffix(t, "e") || strings.HasSuffix(t, "f")
		}
	}
	switch c.Program {
	case "tee", "touch", "rm", "unlink", "truncate", "sponge", "set-content", "add-content", "out-file", "new-item", "remove-item", "clear-content":
		return plain, true
	case "cp", "mv", "install", "ln", "copy-item", "move-item", "rename-item":
		return moved(p, c, plain), !hasFlag(args, "t", "--target-directory")
	case "sed", "gsed", "yq", "jq":
		if !inPlace {
			return nil, true
		}
		if c.Program == "sed" || c.Program == "gsed" {
			if !script && len(plain) > 0 {
				plain = plain[1:]
			} else if script { // the text that follows -e is a word of its own
				plain = existing(p, c, plain)
			}
			return plain, true
		}
		return plain[min(1, len(plain)):], true
	case "perl", "ruby":
		if inPlace {
			return existing(p, c, plain), true
		}
		return nil, false
	case "dd":
		for _, w := range args {
			if rest, ok := strings.CutPrefix(w.Text, "of="); ok {
				w.Text, w.Or = rest, nil
				files = append(files, w)
			}
		}
		return files, true
	case "git":
		return gitWrites(args, plain)
	}
	return nil, leaves(c.Program, args, plain)
}

// existing keeps the words that name a file that is there.
func existing(p *gate.Pass, c *shellcmd.Command, words []shellcmd.Word) []shellcmd.Word {
	if p.Env.FS == nil {
		return nil
	}
	return slices.DeleteFunc(words, func(w shellcmd.Word) bool {
		name := w.Text
		if !filepath.IsAbs(name) {
			name = filepath.Join(c.Dir, filepath.FromSlash(name))
		}
		st, err := p.Env.FS.Stat(name)
		return c.Dir == "" || err != nil || st.IsDir()
	})
}

// moved are the targets of a copy or a move, and what a move took away.
func moved(p *gate.Pass, c *shellcmd.Command, plain []shellcmd.Word) []shellcmd.Word {
	if len(plain) < 2 {
		return nil
	}
	to := plain[len(plain)-1]
	folder := strings.HasSuffix(to.Text, "/") || len(plain) > 2
	if !folder && p.Env.FS != nil && c.Dir != "" {
		name := to.Text
		if !filepath.IsAbs(name) {
			name = filepath.Join(c.Dir, filepath.FromSlash(name))
		}
		// By now it is moved: a folder that was there holds the file.
		if st, err := p.Env.FS.Stat(filepath.Join(name, path.Base(filepath.ToSlash(plain[0].Text)))); err == nil && !st.IsDir() {
			folder = true
		}
	}
	var out []shellcmd.Word
	for _, from := range plain[:len(plain)-1] {
		if c.Program == "mv" || c.Program == "move-item" || c.Program == "rename-item" {
			out = append(out, from)
		}
		if folder {
			w := to
			w.Text, w.Or = strings.TrimRight(to.Text, "/")+"/"+path.Base(filepath.ToSlash(from.Text)), nil
			w.Static, w.Glob = to.Static && from.Static, to.Glob || from.Glob
			out = append(out, w)
		}
	}
	if !folder {
		out = append(out, to)
	}
	return out
}

func hasFlag(args []shellcmd.Word, short, long string) bool {
	return slices.ContainsFunc(args, func(w shellcmd.Word) bool {
		return strings.HasPrefix(w.Text, long) || len(w.Text) > 1 && w.Text[0] == '-' && w.Text[1] != '-' && strings.Contains(w.Text, short)
	})
}

// gitWrites are the files that a git command writes by name. What brings the
// work to another commit writes what others wrote: it is known, and names none.
func gitWrites(args, plain []shellcmd.Word) (files []shellcmd.Word, known bool) {
	words := args
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
		n := 1
		if t := words[0].Text; t == "-C" || t == "-c" || t == "--git-dir" || t == "--work-tree" || t == "--namespace" {
			n = 2
		}
		words = words[min(n, len(words)):]
	}
	if len(words) == 0 {
		return nil, true
	}
	sub, rest := words[0].Text, words[1:]
	var after []shellcmd.Word // what follows --
	if i := slices.IndexFunc(rest, func(w shellcmd.Word) bool { return w.Text == "--" }); i >= 0 {
		after = rest[i+1:]
	}
	switch sub {
	case "rm", "mv":
		return plain[min(1, len(plain)):], true
	case "checkout":
		return after, true
	case "restore":
		if after != nil {
			return after, true
		}
		return plain[min(1, len(plain)):], true
	case "apply", "am", "stash", "cherry-pick", "revert", "bisect", "filter-branch", "submodule", "subtree", "clean", "mergetool", "difftool", "lfs":
		return nil, false
	case "merge", "pull", "rebase": // a conflict is the agent's to solve, and what it then writes is seen
		return nil, true
	}
	return nil, slices.Contains(gitVerbs[:], sub)
}

// gitVerbs write no file of the work, or bring it to what a commit holds.
var gitVerbs = [...]string{
	"add", "annotate", "archive", "blame", "branch", "bundle", "cat-file", "check-ignore", "clone", "commit", "config", "count-objects", "describe",
	"diff", "diff-tree", "fetch", "for-each-ref", "format-patch", "fsck", "gc", "grep", "help", "init", "log", "ls-files", "ls-remote", "ls-tree",
	"maintenance", "merge-base", "name-rev", "notes", "prune", "push", "range-diff", "reflog", "remote", "reset", "rev-list", "rev-parse", "shortlog",
	"show", "show-ref", "status", "switch", "symbolic-ref", "tag", "version", "whatchanged", "worktree", "write-tree", "hash-object",
}

// leaves reports whether a program is known to leave the project's files as
// they are: it reads, or it builds and tests.
func leaves(program string, args, plain []shellcmd.Word) bool {
	first, second := "", ""
	if len(plain) > 0 {
		first = plain[0].Text
	}
	if len(plain) > 1 {
		second = plain[1].Text
	}
	switch program {
	case "go":
		switch first {
		case "build", "vet", "test", "list", "env", "doc", "version", "tool", "clean", "help":
			return true
		}
		return false
	case "cargo":
		switch first {
		case "build", "check", "test", "bench", "tree", "metadata", "search", "version", "nextest", "doc":
			return true
		case "clippy":
			return !hasFlag(args, "\x00", "--fix")
		}
		return false
	case "npm", "pnpm", "yarn", "bun":
		switch first {
		case "test", "t", "ls", "list", "view", "outdated", "audit", "why", "config", "version", "whoami", "ping", "help", "ci":
			return !hasFlag(args, "u", "--update")
		case "run", "run-script", "exec":
			return second == "test" || second == "lint" || second == "typecheck" || second == "build"
		}
		return false
	case "python", "python3", "py":
		return hasFlag(args, "m", "-m") && (first == "pytest" || first == "unittest" || first == "mypy" || first == "pip" || first == "http.server" || first == "json.tool") ||
			hasFlag(args, "V", "--version") && len(plain) == 0
	case "find":
		return !slices.ContainsFunc(args, func(w shellcmd.Word) bool {
			return w.Text == "-delete" || strings.HasPrefix(w.Text, "-fprint") || w.Text == "-fls"
		})
	case "sort":
		return !hasFlag(args, "o", "--output")
	case "eslint", "ruff", "rubocop", "golangci-lint", "stylelint":
		return !hasFlag(args, "\x00", "--fix") && first != "format" && first != "fmt" && !hasFlag(args, "a", "--auto")
	case "gofmt", "goimports", "prettier", "rustfmt", "black", "isort", "biome", "shfmt":
		return program != "rustfmt" && program != "black" && program != "isort" && !hasFlag(args, "w", "--write") && !hasFlag(args, "\x00", "--apply") || hasFlag(args, "\x00", "--check")
	case "jest", "vitest", "mocha", "ava", "pytest", "tox", "nox", "phpunit", "rspec", "ctest", "mypy", "pyright", "tsc", "flake8", "shellcheck":
		return !hasFlag(args, "u", "--update")
	case "mvn", "gradle", "mvnw", "gradlew":
		return first == "test" || first == "compile" || first == "verify" || first == "package" || first == "build" || first == "check" || first == "test-compile"
	case "docker", "podman":
		switch first {
		case "ps", "images", "logs", "inspect", "version", "info", "pull", "build", "stop", "rm", "rmi", "kill":
			return true
		}
		return false
	case "make", "just", "task":
		return first == "test" || first == "lint" || first == "check" || first == "build" || first == "vet"
	case "guardrails", "gh", "glab":
		return true
	}
	_, ok := slices.BinarySearch(readers[:], program)
	return ok
}

// readers print, wait or look.
var readers = [...]string{
	":", "[", "[[", "ack", "ag", "alias", "apt-cache", "awk", "base64", "basename", "bat", "break", "cal", "cat", "cd", "cksum", "clear", "cmp", "column",
	"comm", "command", "continue", "cut", "date", "declare", "df", "diff", "dig", "dirname", "dirs", "du", "echo", "egrep", "env", "exit", "export", "expr",
	"false", "fd", "fgrep", "file", "free", "get-childitem", "get-content", "getent", "git-lfs", "grep", "hash", "head", "hexdump", "history", "host",
	"hostname", "id", "jobs", "kill", "less", "let", "local", "locale", "ls", "lsof", "man", "md5sum", "mkdir", "more", "nl", "nproc", "od", "pgrep", "ping",
	"pkill", "popd", "printenv", "printf", "ps", "pushd", "pwd", "read", "readlink", "readonly", "realpath", "return", "rev", "rg", "seq", "set", "sha1sum",
	"sha256sum", "shift", "shopt", "sleep", "ss", "stat", "strings", "tac", "tail", "test", "time", "tokei", "top", "tr", "trap", "tree", "true", "tty", "type",
	"ulimit", "umask", "uname", "uniq", "unset", "uptime", "wait", "watch", "wc", "whereis", "which", "who", "whoami", "xxd", "yes",
}
