package shellcmd

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf16"

	"mvdan.cc/sh/v3/syntax"
)

// receive does what the program itself does with its arguments and input, as
// far as that runs more commands, changes the shell's state, or prints text
// that is known.
func (r *reader) receive(idx int, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	name := cmd.Program
	if name == "" {
		if namesShell(&argv[0]) {
			r.shell(idx, st, s)
		}
		return
	}
	own := onlyShellWrappers(cmd.Wrappers) // the shell itself runs it
	switch name {
	case "cd", "pushd", "popd", "chdir", "dirs":
		if own {
			for _, a := range cmd.Assigns {
				if a.Name == "CDPATH" {
					st.set(a.Name, valueOf(&a.Value))
				}
			}
			r.changeDir(name, argv, st)
		}
		cmd.Stdout.Known = name == "cd"
	case "export", "readonly", "declare", "typeset", "local": // reached behind command or builtin
		if own {
			for _, w := range argv[1:] {
				if n, v, ok := strings.Cut(w.Text, "="); ok && syntax.ValidName(n) {
					val := valueOf(&w)
					val.texts = []string{v}
					st.set(n, val)
					if name == "export" {
						st.export(n, val)
					}
				}
			}
		}
		cmd.Stdout.Known = len(argv) > 1
	case "unset":
		for _, w := range argv[1:] {
			if syntax.ValidName(w.Text) {
				st.vars = &binding{name: w.Text, val: known(""), next: st.vars}
				st.exports = slices.DeleteFunc(slices.Clone(st.exports), func(a Assign) bool { return a.Name == w.Text })
			}
		}
	case "set":
		r.set(argv, st)
	case "shift":
		n := 1
		if len(argv) > 1 {
			n, _ = atoi(argv[1].Text)
		}
		st.args = st.args[min(n, len(st.args)):]
	case "read", "mapfile", "readarray", "getopts":
		r.readInto(idx, st)
	case "alias":
		for i := 1; i < len(argv); i++ {
			if n, v, ok := strings.Cut(argv[i].Text, "="); ok && n != "" {
				w := argv[i]
				w.Text, w.Or = v, nil
				st.aliases = &alias{name: n, text: w, next: st.aliases}
			}
		}
		cmd.Stdout.Known = len(argv) > 1
	case "hash": // hash -p /bin/rm ls
		cmd.Stdout.Known = true
		for i := 1; i+2 < len(argv); i++ {
			if argv[i].Text == "-p" {
				st.hashed = &alias{name: argv[i+2].Text, text: argv[i+1], next: st.hashed}
			}
		}
	case "enable":
		if len(argv) > 2 && argv[1].Text == "-n" {
			for _, w := range argv[2:] {
				st.off = append(slices.Clip(st.off), w.Text)
			}
		}
	case "unalias":
		for _, w := range argv[1:] {
			if a := st.alias(w.Text); a != nil || w.Text == "-a" {
				st.aliases = nil
			}
		}
	case "exec": // with redirects alone: they stay
		if own && len(argv) == 1 {
			for _, rd := range cmd.Redirects {
				if rd.Outer {
					continue
				}
				rd.Outer = true
				fds := st.fds
				st.fds = slices.DeleteFunc(slices.Clone(fds), func(o Redirect) bool {
					return o.Fd == rd.Fd && (o.Writes() || o.Reads()) || rd.Op == ">&" && strings.TrimSuffix(rd.Target.Text, "-") != rd.Target.Text && itoa(o.Fd) == strings.TrimSuffix(rd.Target.Text, "-")
				})
				if rd.Target.Text == "-" {
					continue
				}
				if o := opened(fds, rd.Target.Text); o != nil && (rd.Op == ">&" || rd.Op == "<&") {
					fd := rd.Fd
					rd = *o
					rd.Fd = fd
				}
				if len(st.fds) < 64 {
					st.fds = append(slices.Clip(st.fds), rd)
				}
			}
		}
	case "eval":
		r.eval(idx, st, s)
	case "trap":
		r.trap(idx, st, s)
	case ".", "source":
		r.source(idx, st, s)
	case "echo", "printf", "cat", "tee", "base64", "gbase64", "xxd", "rev", "pwd", "true", ":", "false", "test", "[", "mkdir", "touch", "sleep",
		"wait", "chmod", "ln", "which", "type", "basename", "dirname", "realpath", "readlink", "command", "tr", "sort", "uniq", "head", "tail", "seq", "yes", "sponge", "openssl":
		r.print(idx, st)
	case "curl", "wget", "aria2c", "fetch", "cp", "mv", "install", "dd":
		r.fetched(idx)
	case "xargs", "gxargs":
		r.xargs(idx, st, s)
	case "parallel", "sem":
		r.parallel(idx, st, s)
	case "find", "gfind", "bfind", "bfs":
		r.find(idx, st, s)
	case "fd", "fdfind":
		r.fd(idx, st, s)
	case "ssh", "autossh", "mosh", "dbclient", "slogin", "rsh", "sshpass":
		r.ssh(idx, st, s)
	case "su", "runuser":
		r.su(idx, st, s)
	case "watch", "script", "flock", "nix-shell", "nix", "hyperfine", "concurrently", "expect", "at", "batch", "chpst-sh", "screen",
		"nodemon", "watchexec", "wsl", "crontab", "vagrant", "gcloud", "start-stop-daemon", "perf", "gdb", "lldb", "bwrap", "fly", "flyctl", "zellij", "entr", "ed", "red":
		r.odd(idx, st, s)
	case "nc", "ncat", "netcat", "socat":
		r.netExec(idx, st, s)
	case "tmux":
		r.tmux(idx, st, s)
	case "git":
		r.git(idx, st, s)
	case "tar", "gtar", "bsdtar", "rsync", "zip", "make", "gmake", "sed", "gsed", "man", "vim", "vi", "nvim", "ex", "rg", "less", "more", "most":
		r.hooked(idx, st, s)
	case "sudo", "doas", "sudo-rs": // a shell of its own, for want of a command
		for _, w := range argv[1:] {
			if t := w.Text; t == "-s" || t == "-i" || t == "--shell" || t == "--login" {
				r.stdinCode(idx, LangShell, r.sub(idx, st), s)
				break
			}
		}
	case "ansible", "ansible-console":
		r.remoteFlag(idx, argv, "-a", "--args", st, s)
	case "salt", "salt-ssh":
		if i := slices.IndexFunc(argv, func(w Word) bool { return strings.HasPrefix(w.Text, "cmd.") }); i > 0 && i+1 < len(argv) {
			r.remoteLine(idx, argv[i+1:], st, s)
		}
	case "pdsh", "pssh", "parallel-ssh", "clush", "dsh", "pscp-run", "mussh":
		i, _ := opts(argv, 1, "wxghHluptoeTfX", "hosts host user timeout par outdir errdir askpass", func(string, *Word) bool { return true })
		r.remoteLine(idx, argv[min(i, len(argv)):], st, s)
	case "cmd":
		r.cmdExe(idx, st, s)
	case "powershell", "pwsh", "powershell_ise", "pwsh-preview":
		r.pwsh(idx, st, s)
	case "kill", "exit", "return", "logout":
		cmd.Stdout.Known = true
	default:
		switch name {
		case "npm", "pnpm", "yarn", "bun", "cnpm", "yarnpkg", "ni", "nr":
			r.packageScripts(idx, st, s)
		}
		switch {
		case isShell(name):
			r.shell(idx, st, s)
		case r.interp(idx, st, s):
		default:
			if g, ok := runner(name); ok {
				r.runner(idx, g, st, s)
				return
			}
			r.script1(idx, st, s)
		}
	}
}

// onlyShellWrappers reports whether the wrappers leave a command in the shell
// itself, so that cd behind them counts.
func onlyShellWrappers(list []Wrapper) bool {
	for i := range list {
		switch list[i].Name {
		case "command", "builtin", "time", "noglob", "nocorrect", "exec":
		default:
			return false
		}
	}
	return true
}

func isShell(name string) bool {
	switch strings.TrimPrefix(name, "-") {
	case "sh", "bash", "dash", "zsh", "ksh", "ksh93", "mksh", "pdksh", "ash", "rbash", "rzsh", "fish", "csh", "tcsh", "yash", "oksh", "hush", "git-bash", "bash5", "osh", "elvish", "xonsh", "nu", "posh":
		return true
	}
	return false
}

// namesShell reports whether a program is the value of a variable that is called
// after a shell: $SHELL, ${CONFIG_SHELL}, $BASH.
func namesShell(w *Word) bool {
	return w.Text == Unknown && len(w.Vars) == 1 && (strings.HasSuffix(w.Vars[0], "SHELL") || strings.HasSuffix(w.Vars[0], "SH"))
}

func (r *reader) changeDir(name string, argv []Word, st *state) {
	switch name {
	case "dirs":
		return
	case "popd":
		if n := len(st.stack); n > 0 {
			w := known(st.stack[n-1]).word("")
			st.stack = st.stack[:n-1]
			if w.Text == "" {
				st.old, st.dir = st.dir, ""
				return
			}
			st.chdir(&w)
		} else {
			st.old, st.dir = st.dir, ""
		}
		return
	}
	i := 1
	for i < len(argv) {
		t := argv[i].Text
		if t == "--" {
			i++
			break
		}
		if len(t) < 2 || t[0] != '-' || isFdWord(t) && name != "cd" {
			break
		}
		i++
	}
	if name == "pushd" {
		st.stack = append(slices.Clip(st.stack), st.dir)
		if i >= len(argv) || strings.HasPrefix(argv[i].Text, "+") {
			st.dir = ""
			return
		}
	}
	if i >= len(argv) {
		v, ok := st.lookup("HOME")
		if !ok {
			v = known(r.o.Home)
			v.static = r.o.Home != ""
		}
		w := v.word("")
		st.chdir(&w)
		return
	}
	if argv[i].Text == "-" && argv[i].Static {
		w := known(st.old).word("-")
		w.Static = st.old != ""
		st.chdir(&w)
		return
	}
	w := argv[i]
	if v, ok := st.lookup("CDPATH"); ok && v.first().static && w.Static && !isAbs(w.Text) && !strings.HasPrefix(w.Text, ".") {
		for dir := range strings.SplitSeq(v.first().texts[0], ":") {
			if isAbs(dir) && len(w.Or) < maxAlts {
				w.Or = append(slices.Clip(w.Or), dir+"/"+w.Text)
			}
		}
	}
	st.chdir(&w)
}

// set follows set -e, set -o pipefail and set -- args.
func (r *reader) set(argv []Word, st *state) {
	for i := 1; i < len(argv); i++ {
		t := argv[i].Text
		switch {
		case t == "--" || t == "-":
			st.args, st.argsKnown = nil, true
			for _, w := range argv[i+1:] {
				st.args = append(st.args, valueOf(&w))
				if w.Splits {
					st.argsKnown = false
				}
			}
			return
		case len(t) > 1 && (t[0] == '-' || t[0] == '+'):
			on := t[0] == '-'
			if strings.Contains(t, "e") {
				st.errexit = on
			}
			if strings.Contains(t, "a") {
				st.allexport = on
			}
			if strings.HasSuffix(t, "o") && i+1 < len(argv) {
				i++
				switch argv[i].Text {
				case "pipefail":
					st.pipefail = on
				case "errexit":
					st.errexit = on
				case "allexport":
					st.allexport = on
				}
			}
		default:
			st.args, st.argsKnown = nil, true
			for _, w := range argv[i:] {
				st.args = append(st.args, valueOf(&w))
			}
			return
		}
	}
}

// readInto gives the variables of read and mapfile what stands in its input.
func (r *reader) readInto(idx int, st *state) {
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	var names []string
	short := "adinNptu"
	if cmd.Program != "read" {
		short = "dnOuCc"
	}
	i, _ := opts(argv, 1, short, "", func(name string, val *Word) bool {
		if name == "-a" && val != nil {
			names = append(names, val.Text)
		}
		return true
	})
	for ; i < len(argv); i++ {
		names = append(names, argv[i].Text)
	}
	if len(names) == 0 {
		names = []string{"REPLY"}
		if cmd.Program != "read" {
			names = []string{"MAPFILE"}
		}
	}
	if cmd.Program == "getopts" {
		names = []string{"OPTARG"}
		if len(argv) > 2 {
			names = append(names, argv[2].Text)
		}
	}
	for k, n := range names {
		v := unknownVar(n)
		v.subst = cmd.Stdin.Peers
		if len(cmd.Stdin.Peers) > 0 {
			v.vars = nil
		}
		if cmd.Stdin.Known && cmd.Program != "getopts" {
			v = readValue(cmd.Stdin.Text, k, len(names))
			v.subst = cmd.Stdin.Peers
			if cmd.Program != "read" {
				v = value{isList: true}
				for line := range strings.SplitSeq(strings.TrimSuffix(cmd.Stdin.Text, "\n"), "\n") {
					if len(v.list) < 256 {
						v.list = append(v.list, known(line))
					}
				}
			}
		}
		setVar(st, n, v)
	}
}

// readValue is what field k of n may be, over all lines of a known text.
func readValue(text string, k, n int) value {
	v := value{static: true}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i >= maxAlts {
			v.static = false
			break
		}
		f := strings.TrimSpace(line)
		if n > 1 {
			parts := strings.Fields(line)
			switch {
			case k >= len(parts):
				f = ""
			case k == n-1:
				f = strings.Join(parts[k:], " ")
			default:
				f = parts[k]
			}
		}
		if !slices.Contains(v.texts, f) {
			v.texts = append(v.texts, f)
		}
	}
	if len(v.texts) == 0 {
		v.texts = []string{""}
	}
	return v
}

// joined is the words as one text, for programs that paste them together.
func joined(words []Word) (bodies []string, w Word) {
	if len(words) == 0 {
		return []string{""}, Word{Static: true}
	}
	w = words[0]
	w.Or = nil
	bodies = words[0].Values()
	for i := 1; i < len(words); i++ {
		x := &words[i]
		w.Raw += " " + x.Raw
		w.End = max(w.End, x.End)
		w.Static = w.Static && x.Static
		w.Vars, w.Subst = union(w.Vars, x.Vars), union(w.Subst, x.Subst)
		vals := x.Values()
		var next []string
		for _, a := range bodies {
			for _, b := range vals {
				if len(next) < maxRuns {
					next = append(next, a+" "+b)
				}
			}
		}
		bodies = next
	}
	w.Text = bodies[0]
	return bodies, w
}

func (r *reader) eval(idx int, st *state, s *scope) {
	argv := r.line.Commands[idx].Argv[1:]
	if len(argv) > 0 && argv[0].Text == "--" {
		argv = argv[1:]
	}
	if len(argv) == 0 {
		return
	}
	if !r.joinable(argv) {
		return
	}
	bodies, w := joined(argv)
	r.shellCode(idx, FromArg, bodies, &w, w.Static, st, s)
}

// joinable spends for pasting words together.
func (r *reader) joinable(words []Word) bool {
	n := 0
	for i := range words {
		n += len(words[i].Text)
	}
	return r.spend(4 * n)
}

func (r *reader) trap(idx int, st *state, s *scope) {
	argv := r.line.Commands[idx].Argv
	i := 1
	if i < len(argv) && argv[i].Text == "--" {
		i++
	}
	if i+1 >= len(argv) || argv[i].Text == "-" || argv[i].Text == "" || strings.HasPrefix(argv[i].Text, "-") {
		return
	}
	w := argv[i]
	r.line.Commands[idx].Flags |= Conditional
	for _, sig := range argv[i+1:] {
		switch strings.TrimPrefix(strings.ToUpper(sig.Text), "SIG") {
		case "DEBUG", "ERR", "RETURN":
			r.shellCode(idx, FromArg, w.Values(), &w, w.Static, st.fork(), s)
			return
		}
	}
	r.traps = append(r.traps, trapped{idx: idx, code: w, st: st, s: s})
}

// trapped is code that runs when its shell ends, with what its variables are
// then.
type trapped struct {
	idx  int
	code Word
	st   *state // of a subshell: its own
	s    *scope
}

// runTraps reads the code of the traps that were set since there were n, by a
// shell that ends in the state st.
func (r *reader) runTraps(n int, st *state) {
	for range 4 { // a trap may set another
		if n >= len(r.traps) {
			return
		}
		list := slices.Clone(r.traps[n:])
		r.traps = r.traps[:n]
		for _, t := range list {
			end := st
			if t.s.flags&Subshell != 0 {
				end = t.st
			}
			w := t.code
			r.shellCode(t.idx, FromArg, w.Values(), &w, w.Static, end.fork(), t.s)
		}
	}
}

func (r *reader) source(idx int, st *state, s *scope) {
	argv := r.line.Commands[idx].Argv
	i := 1
	if i < len(argv) && argv[i].Text == "--" {
		i++
	}
	if i >= len(argv) {
		return
	}
	r.runFile(idx, LangShell, argv[i], argv[i+1:], st, s)
}

// runFile reads a script that idx runs, if the line itself holds its text.
func (r *reader) runFile(idx int, lang Lang, w Word, args []Word, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	t := w.Text
	if t == "/dev/stdin" || t == "/dev/fd/0" || t == "/proc/self/fd/0" || t == "-" {
		r.stdinCode(idx, lang, st, s)
		return
	}
	code := Code{Lang: lang, From: FromFile, File: w}
	var body string
	if len(w.Subst) > 0 {
		if strings.Trim(t, Unknown) == "" { // <( … )
			code.Sources = w.Subst
			body, code.Known = r.output(w.Subst, Capture)
		}
	}
	if f := r.file(&w, cmd.Dir); f != nil {
		body, code.Known = f.text, f.known
		code.Sources = union(code.Sources, f.from)
	}
	code.Text = body
	if strings.Trim(body, Unknown+" \n\t") == "" {
		code.Text = ""
		r.addCode(idx, code)
		return
	}
	if lang == LangShell {
		r.addCode(idx, code)
		s2 := r.inside(idx, ViaCode, s)
		if len(args) > 0 {
			st.args, st.argsKnown = nil, true
			for i := range args {
				st.args = append(st.args, valueOf(&args[i]))
			}
		}
		cw := w
		cw.Subst = nil
		r.run(codeText(body, &cw), st, s2)
		cmd = &r.line.Commands[idx]
		cmd.Stdout.Text, cmd.Stdout.Known = r.childOutput(idx)
		return
	}
	r.foreign(idx, code, st, s)
}

// stdinCode reads the input of idx as code.
func (r *reader) stdinCode(idx int, lang Lang, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	in := cmd.Stdin
	if in.Kind == Inherit || in.Kind == Closed {
		return
	}
	w := Word{Text: in.Text, Static: in.Known, Subst: in.Peers, Pos: cmd.Pos, End: cmd.End}
	if lang == LangShell {
		r.shellCode(idx, FromStdin, []string{in.Text}, &w, in.Known, st, s)
		if in.Kind == File {
			c := &r.line.Commands[idx]
			c.Code[len(c.Code)-1].File = in.File
		}
		return
	}
	code := Code{Lang: lang, From: FromStdin, Text: in.Text, Known: in.Known, Sources: in.Peers}
	if in.Kind == File {
		code.File = in.File
	}
	r.foreign(idx, code, st, s)
}

// shell is sh, bash and their like.
func (r *reader) shell(idx int, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	i := 1
	isCode, stdin, noexec, errexit, pipefail := false, false, false, false, false
flags:
	for i < len(argv) {
		t := argv[i].Text
		switch {
		case t == "--" || t == "-":
			i++
			break flags
		case strings.HasPrefix(t, "--"):
			switch t {
			case "--version", "--help", "--dump-strings", "--dump-po-strings":
				return
			case "--rcfile", "--init-file":
				i++
			case "--command", "--commands": // fish, nu
				isCode = true
			case "--no-execute", "--noexec":
				noexec = true
			default:
				if v, ok := strings.CutPrefix(t, "--command="); ok {
					w := argv[i]
					w.Text, w.Or = v, nil
					r.shellCode(idx, FromArg, []string{v}, &w, w.Static, r.sub(idx, st), s)
					return
				}
			}
			i++
		case len(t) > 1 && (t[0] == '-' || t[0] == '+'):
			i++
			for j := 1; j < len(t); j++ {
				switch t[j] {
				case 'c', 'C':
					if t[0] == '-' && (t[j] == 'c' || cmd.Program == "fish" && t[j] == 'C') {
						isCode = true
					}
				case 's':
					stdin = true
				case 'n':
					noexec = t[0] == '-'
				case 'e':
					errexit = t[0] == '-'
				case 'o', 'O':
					if i < len(argv) {
						switch argv[i].Text {
						case "pipefail":
							pipefail = true
						case "errexit":
							errexit = true
						case "noexec":
							noexec = true
						}
						i++
					}
				}
			}
		default:
			break flags
		}
	}
	if noexec {
		return
	}
	sub := r.sub(idx, st)
	sub.errexit, sub.pipefail = errexit, pipefail
	setArgs := func(from int) {
		for _, w := range argv[min(from, len(argv)):] {
			sub.args = append(sub.args, valueOf(&w))
			if w.Splits {
				sub.argsKnown = false
			}
		}
	}
	if w, ok := cmd.Getenv("BASH_ENV"); ok && (isCode || i < len(argv)) && (len(w.Subst) > 0 || r.file(&w, cmd.Dir) != nil) {
		r.runFile(idx, LangShell, w, nil, r.sub(idx, st), s)
		cmd = &r.line.Commands[idx]
	}
	switch {
	case isCode && i < len(argv):
		w := argv[i]
		setArgs(i + 2)
		if i+1 < len(argv) && argv[i+1].Static {
			sub.zero = argv[i+1].Text
		}
		if cmd.Flags&StdinArgs != 0 && w.Raw == "" && len(argv) > i+1 && r.joinable(argv[i:]) {
			// xargs sh -c: the first item is the program, all of them are what
			// the writer has in mind
			bodies, all := joined(argv[i:])
			r.shellCode(idx, FromArg, bodies, &all, all.Static, sub, s)
			return
		}
		r.shellCode(idx, FromArg, w.Values(), &w, w.Static, sub, s)
	case isCode:
	case i < len(argv) && !stdin:
		setArgs(i + 1)
		r.runFile(idx, LangShell, argv[i], nil, sub, s)
	default:
		setArgs(i)
		r.stdinCode(idx, LangShell, sub, s)
	}
}

// onPath is the file that the line wrote into a folder of programs under that
// name, "" if there is none.
func (r *reader) onPath(name string) string {
	for _, f := range slices.Backward(r.files) {
		dir, ok := strings.CutSuffix(f.path, "/"+name)
		if ok && (strings.HasSuffix(dir, "/bin") || strings.HasSuffix(dir, "/sbin")) {
			return f.path
		}
	}
	return ""
}

// script1 reads a program that the line itself wrote before: ./x.sh.
func (r *reader) script1(idx int, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	w := cmd.Argv[0]
	if len(r.files) == 0 {
		return
	}
	if !strings.ContainsAny(w.Text, `/\`) { // found where the line put it
		p := r.onPath(w.Text)
		if p == "" {
			return
		}
		w.Text, w.Or = p, nil
	}
	f := r.file(&w, cmd.Dir)
	if f == nil {
		return
	}
	lang := LangShell
	if line, _, _ := strings.Cut(f.text, "\n"); strings.HasPrefix(line, "#!") {
		fields := strings.FieldsSeq(line[2:])
		for x := range fields {
			n := programName(x)
			if n == "env" || strings.HasPrefix(x, "-") {
				continue
			}
			if l := langOf(n); l != LangNone {
				lang = l
			}
			break
		}
	}
	r.runFile(idx, lang, w, cmd.Argv[1:], r.sub(idx, st), s)
}

// items splits what xargs reads. ok is false when it is not all known.
func xargsItems(in Stream, delim string, custom, lines bool) (list []string, ok bool) {
	if !in.Known {
		return nil, false
	}
	t := in.Text
	if custom {
		t = strings.TrimSuffix(t, "\n")
		if delim == "" {
			delim = "\x00"
		}
		return strings.Split(strings.TrimSuffix(t, delim), delim), true
	}
	if lines {
		for l := range strings.SplitSeq(strings.TrimSuffix(t, "\n"), "\n") {
			if l = strings.TrimLeft(l, " \t"); l != "" {
				list = append(list, strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(l))
			}
		}
		return list, true
	}
	for _, w := range looseWords(&source{body: t}, 0, len(t)) {
		list = append(list, w.Text)
	}
	return list, true
}

func (r *reader) xargs(idx int, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	delim, custom, place, fromFile := "", false, "", false
	one, notEmpty := false, false
	var list Word
	i, _ := opts(argv, 1, "adEIJLnPRsS", "arg-file delimiter max-args max-procs max-chars process-slot-var", func(name string, val *Word) bool {
		switch name {
		case "-0", "--null":
			delim, custom = "", true
		case "-d", "--delimiter":
			if val != nil {
				delim, custom = ansiC(val.Text), true
			}
		case "-I", "-J", "--replace":
			if place = "{}"; val != nil {
				place = val.Text
			}
			one = name != "-J"
		case "-i":
			place, one = "{}", true
		case "-a", "--arg-file":
			fromFile = true
			if val != nil {
				list = *val
			}
		case "-r", "--no-run-if-empty":
			notEmpty = true
		}
		return true
	})
	words := slices.Clone(argv[min(i, len(argv)):])
	in := cmd.Stdin
	if fromFile {
		in = Stream{}
		if f := r.file(&list, cmd.Dir); f != nil {
			in = Stream{Kind: File, Text: f.text, Known: f.known, Peers: f.from}
		} else if len(list.Subst) > 0 && strings.Trim(list.Text, Unknown) == "" {
			in.Kind, in.Peers = File, list.Subst
			in.Text, in.Known = r.output(list.Subst, Capture)
			cmd = &r.line.Commands[idx]
		}
	}
	if len(words) == 0 {
		words = []Word{{Raw: "echo", Text: "echo", Static: true, Pos: cmd.Pos, End: cmd.End}}
	}
	items, ok := xargsItems(in, delim, custom, one)
	if ok && len(items) == 0 && notEmpty {
		return
	}
	if len(items) > 256 {
		items, ok = items[:256], false
	}
	v := value{texts: []string{Unknown}, blank: true, subst: in.Peers}
	if len(in.Peers) == 0 {
		v.vars = []string{"@"}
	}
	flags := StdinArgs | Looped
	switch {
	case place != "" && place != Unknown:
		if ok {
			list := make([]value, len(items))
			for i := range items {
				list[i] = known(items[i])
			}
			v = value{texts: []string{""}, static: true}
			if len(list) > 0 {
				v = valueOfList(list)
			}
			v.subst = in.Peers
		}
		for i := range words {
			words[i] = r.placed(words[i], place, v)
		}
	case ok:
		for _, it := range items {
			words = append(words, Word{Text: it, Static: true, Subst: in.Peers, Pos: cmd.Pos, End: cmd.End})
		}
	default:
		w := v.word("")
		w.Splits = true
		w.Pos, w.End = cmd.Pos, cmd.End
		words = append(words, w)
	}
	s2 := r.inside(idx, ViaExec, s)
	s2.in = Stream{Kind: Closed}
	s2.flags |= flags
	if r.deep < 2*MaxCodeDeep {
		r.deep++
		r.child(words, r.sub(idx, st), s2)
		r.deep--
	}
	cmd = &r.line.Commands[idx]
	cmd.Stdout.Text, cmd.Stdout.Known = "", false
}

// placed puts v where the placeholder stands in w.
func (r *reader) placed(w Word, place string, v value) Word {
	if !strings.Contains(w.Text, place) {
		return w
	}
	parts := strings.Split(w.Text, place)
	if len(parts) > 64 {
		parts = parts[:64]
		r.line.Truncated = true
	}
	out := known(parts[0])
	if len(v.texts) > 1 { // the same item stands in every place
		out.texts = nil
		for _, t := range v.texts {
			if r.spend(len(w.Text) + len(t)) {
				out.texts = append(out.texts, strings.Join(parts, t))
			}
		}
		out.static = v.static
		out.vars, out.subst, out.blank = v.vars, v.subst, v.blank
	} else {
		for _, p := range parts[1:] {
			out = r.concat(r.concat(out, v), known(p))
		}
	}
	if len(out.texts) == 0 {
		out.texts = []string{Unknown}
	}
	x := out.word(w.Raw)
	x.Pos, x.End, x.Quoted = w.Pos, w.End, w.Quoted
	x.Static = x.Static && w.Static
	x.Vars, x.Subst = union(w.Vars, x.Vars), union(w.Subst, x.Subst)
	return x
}

func (r *reader) parallel(idx int, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	i, _ := opts(argv, 1, "aCDdEIjJLlnNPsSU", "arg-file arg-sep colsep delay jobs joblog max-args max-procs replace results retries sshlogin tmpdir timeout wd workdir tagstring delimiter load memfree", func(string, *Word) bool { return true })
	words := argv[min(i, len(argv)):]
	v := value{texts: []string{Unknown}, blank: true, subst: cmd.Stdin.Peers}
	var items []value
	n := len(words)
	for j := range words {
		if t := words[j].Text; t == ":::" || t == ":::+" || t == "::::" {
			n = j
			if t != "::::" {
				for k := j + 1; k < len(words); k++ {
					if !strings.HasPrefix(words[k].Text, ":::") {
						items = append(items, valueOf(&words[k]))
					}
				}
			}
			break
		}
	}
	if items == nil && n == len(words) {
		if list, ok := xargsItems(cmd.Stdin, "\n", true, false); ok {
			for _, it := range list {
				items = append(items, known(it))
			}
		}
	}
	if len(items) > 0 {
		sub := v.subst
		v = valueOfList(items)
		v.subst = union(v.subst, sub)
	}
	words = slices.Clone(words[:n])
	r.line.Commands[idx].Flags |= Looped
	if len(words) == 0 { // the input lines are the commands
		w := v.word("")
		w.Pos, w.End = cmd.Pos, cmd.End
		r.shellCode(idx, FromStdin, w.Values(), &w, v.static && len(items) > 0, r.sub(idx, st), s)
		return
	}
	placed := false
	for j := range words {
		for _, p := range [...]string{"{}", "{.}", "{/}", "{//}", "{1}"} {
			if strings.Contains(words[j].Text, p) {
				words[j] = r.placed(words[j], p, v)
				placed = true
			}
		}
	}
	if !placed {
		w := v.word("")
		w.Pos, w.End = cmd.Pos, cmd.End
		words = append(words, w)
	}
	r.line.Commands[idx].Flags |= StdinArgs
	if !strings.ContainsAny(words[0].Text, " \t") && !slices.ContainsFunc(words, func(w Word) bool { return strings.ContainsAny(w.Text, ";|&<>`$") }) {
		// what the words mean as they stand, which is what the writer wants
		r.childExec(idx, words, r.sub(idx, st), s, 0)
		r.line.Commands[idx].Flags &^= StdinArgs
		return
	}
	// parallel pastes its words together and gives them to a shell
	if !r.joinable(words) {
		return
	}
	bodies, w := joined(words)
	r.shellCode(idx, FromArg, bodies, &w, w.Static, r.sub(idx, st), s)
	r.line.Commands[idx].Flags &^= StdinArgs
}

func (r *reader) find(idx int, st *state, s *scope) {
	argv := r.line.Commands[idx].Argv
	for i := 1; i < len(argv); i++ {
		switch argv[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir":
		default:
			continue
		}
		j := i + 1
		for j < len(argv) && argv[j].Text != ";" && !(argv[j].Text == "+" && argv[j-1].Text == "{}") {
			j++
		}
		if j > i+1 {
			words := slices.Clone(argv[i+1 : j])
			v := value{texts: []string{Unknown}, subst: []int{idx}}
			for k := range words {
				words[k] = r.placed(words[k], "{}", v)
			}
			sub := r.sub(idx, st)
			if argv[i].Text == "-execdir" || argv[i].Text == "-okdir" {
				sub.dir = ""
			}
			s2 := r.inside(idx, ViaExec, s)
			s2.flags = s2.flags&^Fatal | Looped | Conditional
			if r.deep < 2*MaxCodeDeep {
				r.deep++
				r.child(words, sub, s2)
				r.deep--
			}
			argv = r.line.Commands[idx].Argv
		}
		i = j
	}
}

func (r *reader) fd(idx int, st *state, s *scope) {
	argv := r.line.Commands[idx].Argv
	for i := 1; i < len(argv); i++ {
		switch argv[i].Text {
		case "-x", "--exec", "-X", "--exec-batch":
		default:
			continue
		}
		j := i + 1
		for j < len(argv) && argv[j].Text != ";" {
			j++
		}
		if j == i+1 {
			return
		}
		words := slices.Clone(argv[i+1 : j])
		v := value{texts: []string{Unknown}, subst: []int{idx}}
		placed := false
		for k := range words {
			for _, p := range [...]string{"{}", "{/}", "{//}", "{.}", "{/.}"} {
				if strings.Contains(words[k].Text, p) {
					words[k] = r.placed(words[k], p, v)
					placed = true
				}
			}
		}
		if !placed {
			words = append(words, v.word("{}"))
		}
		r.childExec(idx, words, r.sub(idx, st), s, Looped|Conditional)
		argv = r.line.Commands[idx].Argv
		i = j
	}
}

func (r *reader) ssh(idx int, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	if cmd.Program == "sshpass" {
		i, _ := opts(argv, 1, "pfdP", "", func(string, *Word) bool { return true })
		r.childExec(idx, argv[min(i, len(argv)):], r.sub(idx, st), s, 0)
		return
	}
	stop := false
	each := func(name string, val *Word) bool {
		switch name {
		case "-N", "-V", "-G", "-Q", "-O":
			stop = true
		case "-o":
			if val != nil {
				k, v, ok := strings.Cut(val.Text, "=")
				if !ok {
					k, v, _ = strings.Cut(val.Text, " ")
				}
				switch strings.ToLower(k) {
				case "proxycommand", "localcommand", "knownhostscommand":
					w := *val
					w.Text, w.Or = v, nil
					if v != "none" {
						r.shellCode(idx, FromArg, []string{v}, &w, w.Static, r.sub(idx, st), s)
					}
				}
			}
		}
		return true
	}
	i, _ := opts(argv, 1, "bBcDEeFIiJLlmOopPQRSWw", "ssh server port predict family", each)
	i++ // the host
	i, _ = opts(argv, min(i, len(argv)), "bBcDEeFIiJLlmOopPQRSWw", "", each)
	if stop && i >= len(argv) {
		return
	}
	r.line.Commands[idx].Flags |= Remote
	sub := r.sub(idx, st)
	defer func() { r.line.Commands[idx].Flags &^= Remote }()
	if i >= len(argv) {
		r.stdinCode(idx, LangShell, sub, s)
		return
	}
	if !r.joinable(argv[i:]) {
		return
	}
	bodies, w := joined(argv[i:])
	r.shellCode(idx, FromArg, bodies, &w, w.Static, sub, s)
}

func (r *reader) su(idx int, st *state, s *scope) {
	argv := r.line.Commands[idx].Argv
	var code *Word
	user := false
	i := 1
	for i < len(argv) {
		j, _ := opts(argv, i, "cgGsTuwC", "command group supp-group shell user whitelist-environment session-command", func(name string, val *Word) bool {
			switch name {
			case "-c", "--command", "-C", "--session-command":
				code = val
			case "-u", "--user":
				user = true
			}
			return true
		})
		if user && code == nil {
			r.childExec(idx, argv[min(j, len(argv)):], r.sub(idx, st), s, 0)
			return
		}
		if j == i {
			j++
		}
		i = j
	}
	if code != nil {
		w := *code
		r.shellCode(idx, FromArg, w.Values(), &w, w.Static, r.sub(idx, st), s)
		return
	}
	r.stdinCode(idx, LangShell, r.sub(idx, st), s)
}

// runner lists the command behind npx, docker exec, uv run ….
func (r *reader) runner(idx int, g grammar, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	words := argv
	name := cmd.Program
	switch name {
	case "docker", "podman", "nerdctl":
		// docker [options] compose|container [options] exec …
		i, _ := opts(words, 1, "Hcl", "context config host log-level", func(string, *Word) bool { return true })
		if i < len(words) && has("compose container", words[i].Text) {
			words = words[i:]
			if words[0].Text == "compose" {
				g, _ = runner("docker-compose")
			}
		}
	case "lxc-attach", "machinectl":
		if name == "machinectl" {
			return
		}
	}
	var code, entry *Word
	flags := g.flags
	start, ok := g.command(words, func(opt string, val *Word) bool {
		if val == nil {
			return true
		}
		switch opt {
		case "-c", "--call":
			if name == "npx" || name == "npm" || name == "pnpm" {
				code = val
			}
		case "--entrypoint":
			entry = val
		}
		return true
	})
	if code != nil {
		w := *code
		r.shellCode(idx, FromArg, w.Values(), &w, w.Static, r.sub(idx, st), s)
		return
	}
	if !ok && (entry == nil || start < len(words)) {
		return
	}
	list := words[min(start, len(words)):]
	if entry != nil {
		list = append([]Word{*entry}, list...)
	}
	if name == "npx" || name == "bunx" || name == "pnpx" || name == "uvx" || name == "pnpm" || name == "npm" || name == "yarn" || name == "pipx" || name == "bun" {
		list = slices.Clone(list)
		list[0].Text = bareVersion(list[0].Text)
	}
	sub := r.sub(idx, st)
	if flags&Remote != 0 {
		sub.dir, sub.dirElse, sub.old = "", nil, ""
		sub.vars, sub.exports, sub.funcs = nil, nil, nil
	}
	if name == "devbox" || name == "heroku" || name == "adb" { // a shell reads its words, joined
		if !r.joinable(list) {
			return
		}
		bodies, w := joined(list)
		if flags&Remote != 0 {
			r.line.Commands[idx].Flags |= Remote
			defer func() { r.line.Commands[idx].Flags &^= Remote }()
		}
		r.shellCode(idx, FromArg, bodies, &w, w.Static, sub, s)
		return
	}
	r.childExec(idx, list, sub, s, flags)
}

// bareVersion takes a version off a package's name: rimraf@5 -> rimraf.
func bareVersion(t string) string {
	if i := strings.LastIndexByte(t, '@'); i > 0 {
		return t[:i]
	}
	return t
}

// odd are programs whose way to name a command is all their own.
func (r *reader) odd(idx int, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	sub := func() *state { return r.sub(idx, st) }
	code := func(w *Word) {
		if w != nil {
			x := *w
			r.shellCode(idx, FromArg, x.Values(), &x, x.Static, sub(), s)
		}
	}
	paste := func(words []Word) {
		if len(words) > 0 && r.joinable(words) {
			bodies, w := joined(words)
			r.shellCode(idx, FromArg, bodies, &w, w.Static, sub(), s)
		}
	}
	exec := func(words []Word) { r.childExec(idx, words, sub(), s, 0) }
	rest := func(i int) []Word { return argv[min(i, len(argv)):] }
	none := func(string, *Word) bool { return true }
	// flagged runs the values of the named options as code.
	flagged := func(short, long string, names string) int {
		var found []*Word
		i, _ := opts(argv, 1, short, long, func(name string, val *Word) bool {
			if has(names, name) && val != nil {
				found = append(found, val)
			}
			return true
		})
		for _, w := range found {
			code(w)
		}
		return i
	}
	switch cmd.Program {
	case "watch":
		exact := false
		i, _ := opts(argv, 1, "nqs", "interval equexit shotsdir", func(name string, _ *Word) bool {
			exact = exact || name == "-x" || name == "--exec"
			return true
		})
		r.line.Commands[idx].Flags |= Looped
		if exact {
			exec(rest(i))
		} else {
			paste(rest(i))
		}
	case "script":
		n := len(cmd.Code)
		i := flagged("cIOBTmoE", "command log-in log-out log-io log-timing echo output-limit logging-format", "-c --command")
		if len(r.line.Commands[idx].Code) > n {
			return
		}
		i, _ = opts(argv, i, "c", "command", none)
		// BSD: script file command …
		if i+1 < len(argv) {
			if t := argv[i+1].Text; t == "-c" || t == "--command" {
				if i+2 < len(argv) {
					code(&argv[i+2])
				}
				return
			}
			exec(rest(i + 1))
		} else {
			r.stdinCode(idx, LangShell, sub(), s)
		}
	case "flock":
		i := 1
		i, _ = opts(argv, i, "wE", "timeout wait conflict-exit-code", none)
		i++ // the lock
		if i < len(argv) && (argv[i].Text == "-c" || argv[i].Text == "--command") {
			if i+1 < len(argv) {
				code(&argv[i+1])
			}
			return
		}
		if i < len(argv) && argv[i].Text == "--" {
			i++
		}
		exec(rest(i))
	case "nix-shell":
		flagged("pAIE", "run command packages attr arg argstr", "--run --command")
	case "nix":
		for i := 1; i < len(argv); i++ {
			switch t := argv[i].Text; {
			case t == "-c" || t == "--command":
				exec(rest(i + 1))
				return
			case t == "--" && len(argv) > 2 && argv[1].Text == "run": // nix run nixpkgs#bash -- …
				w := argv[2]
				if _, name, ok := strings.Cut(w.Text, "#"); ok {
					w.Text, w.Or = name, nil
					exec(append([]Word{w}, rest(i+1)...))
				}
				return
			}
		}
	case "hyperfine":
		n := flagged("wmMrspcLDSnuPi", "warmup min-runs max-runs runs setup prepare cleanup conclude parameter-list parameter-scan shell export-json export-markdown export-csv style command-name", "-p --prepare -s --setup -c --cleanup --conclude")
		for _, w := range rest(n) {
			x := w
			code(&x)
		}
	case "concurrently":
		n, _ := opts(argv, 1, "nckmslp", "names prefix-colors max-processes success kill-others-on prefix", none)
		for _, w := range rest(n) {
			x := w
			code(&x)
		}
	case "expect":
		n := len(cmd.Code)
		i := flagged("c", "", "-c")
		if len(r.line.Commands[idx].Code) > n {
			return
		}
		if i < len(argv) && argv[i].Text != "-" {
			r.runFile(idx, LangOther, argv[i], nil, sub(), s)
		} else {
			r.stdinCode(idx, LangOther, st, s)
		}
	case "crontab":
		i, _ := opts(argv, 1, "ucn", "", none)
		in := cmd.Stdin
		if i < len(argv) && argv[i].Text != "-" {
			f := r.file(&argv[i], cmd.Dir)
			if f == nil {
				return
			}
			in = Stream{Kind: File, Text: f.text, Known: f.known, Peers: f.from}
		}
		if body := cronLines(in.Text); body != "" {
			w := Word{Text: body, Static: in.Known, Subst: in.Peers, Pos: cmd.Pos, End: cmd.End}
			r.shellCode(idx, FromStdin, []string{body}, &w, in.Known, sub(), s)
		}
	case "at", "batch":
		if i, _ := opts(argv, 1, "fqt", "", none); i <= len(argv) && !slices.ContainsFunc(argv, func(w Word) bool { return w.Text == "-l" || w.Text == "-f" }) {
			r.stdinCode(idx, LangShell, sub(), s)
		}
	case "screen":
		i, _ := opts(argv, 1, "ceSpshtTrRxX", "", none)
		if x := argv[len(argv)-1]; slices.ContainsFunc(argv, func(w Word) bool { return w.Text == "stuff" }) {
			code(&x)
			return
		}
		exec(rest(i))
	case "nodemon", "watchexec":
		n := len(cmd.Code)
		i := flagged("xweidfsE", "exec watch ext ignore delay filter shell signal", "-x --exec")
		if len(r.line.Commands[idx].Code) == n && cmd.Program == "watchexec" {
			paste(rest(i))
		}
	case "ed", "red": // lines of an editor's script: !command
		if in := cmd.Stdin; strings.Contains(in.Text, "!") {
			for line := range strings.SplitSeq(in.Text, "\n") {
				line = strings.TrimLeft(strings.TrimSpace(line), ":")
				for _, p := range [...]string{"r !", "r!", "w !", "%!", "!"} {
					if sh, ok := strings.CutPrefix(line, p); ok {
						w := Word{Text: sh, Static: !strings.Contains(sh, Unknown), Subst: in.Peers, Pos: cmd.Pos, End: cmd.End}
						code(&w)
						break
					}
				}
			}
		}
	case "wsl":
		exact := false
		i, _ := opts(argv, 1, "du", "distribution user cd shell-type", func(name string, _ *Word) bool {
			exact = exact || name == "-e" || name == "--exec"
			return !exact
		})
		if exact {
			exec(rest(i + 1))
			return
		}
		paste(rest(i))
	case "vagrant":
		if len(argv) > 1 && argv[1].Text == "ssh" {
			r.remoteFlag(idx, argv[2:], "-c", "--command", st, s)
		}
	case "gcloud":
		r.remoteFlag(idx, argv, "--command", "--command", st, s)
	case "fly", "flyctl":
		r.remoteFlag(idx, argv, "-C", "--command", st, s)
	case "start-stop-daemon":
		flagged("npuxargdkP", "exec startas pidfile name user group chdir", "-x --exec -a --startas")
	case "perf":
		if len(argv) > 2 && has("record stat trace", argv[1].Text) {
			i, _ := opts(argv, 2, "eopFCGtrcgIj", "event output freq", none)
			exec(rest(i))
		}
	case "gdb", "lldb":
		for i, w := range argv {
			switch {
			case w.Text == "--args" || w.Text == "--":
				exec(rest(i + 1))
				return
			case (w.Text == "-ex" || w.Text == "-o") && i+1 < len(argv):
				x := argv[i+1]
				for _, p := range [...]string{"!", "shell ", "platform shell "} {
					if t, ok := strings.CutPrefix(x.Text, p); ok {
						x.Text, x.Or = t, nil
						code(&x)
						break
					}
				}
			}
		}
	case "bwrap":
		i := 1
		for i < len(argv) && strings.HasPrefix(argv[i].Text, "--") {
			switch argv[i].Text {
			case "--":
				exec(rest(i + 1))
				return
			case "--bind", "--ro-bind", "--dev-bind", "--bind-try", "--ro-bind-try", "--dev-bind-try", "--symlink", "--setenv", "--file", "--bind-data", "--ro-bind-data", "--chmod":
				i += 3
			case "--proc", "--dev", "--tmpfs", "--dir", "--mqueue", "--unsetenv", "--chdir", "--hostname", "--uid", "--gid", "--userns", "--pidns", "--seccomp", "--lock-file", "--remount-ro", "--args", "--sync-fd", "--info-fd", "--cap-add", "--cap-drop", "--argv0", "--perms", "--size", "--exec-label", "--file-label":
				i += 2
			default:
				i++
			}
		}
		exec(rest(i))
	case "entr":
		i, _ := opts(argv, 1, "", "", func(name string, _ *Word) bool { return true })
		if slices.ContainsFunc(argv[:i], func(w Word) bool { return strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "s") }) {
			if i < len(argv) {
				code(&argv[i])
			}
			return
		}
		words := slices.Clone(rest(i))
		for k := range words {
			words[k] = r.placed(words[k], "/_", value{texts: []string{Unknown}, subst: cmd.Stdin.Peers})
		}
		r.childExec(idx, words, sub(), s, Looped)
	}
}

// cronLines are the commands of a crontab, one a line.
func cronLines(t string) string {
	var sb strings.Builder
	for line := range strings.SplitSeq(t, "\n") {
		line = strings.TrimSpace(strings.TrimLeft(line, Unknown))
		n := 5
		switch {
		case line == "" || line[0] == '#':
			continue
		case line[0] == '@':
			n = 1
		case (line[0] < '0' || line[0] > '9') && line[0] != '*':
			continue // a variable
		}
		for ; n > 0 && line != ""; n-- {
			i := strings.IndexAny(line, " \t")
			if i < 0 {
				i = len(line)
			}
			line = strings.TrimLeft(line[i:], " \t")
		}
		if line != "" {
			sb.WriteString(line)
			sb.WriteByte('\n')
		}
	}
	return sb.String()
}

// remoteLine runs words, joined as a shell line, on other machines.
func (r *reader) remoteLine(idx int, words []Word, st *state, s *scope) {
	if len(words) == 0 || !r.joinable(words) {
		return
	}
	bodies, w := joined(words)
	r.line.Commands[idx].Flags |= Remote
	r.shellCode(idx, FromArg, bodies, &w, w.Static, r.sub(idx, st), s)
	r.line.Commands[idx].Flags &^= Remote
}

// remoteFlag runs the value of an option on another machine.
func (r *reader) remoteFlag(idx int, words []Word, short, long string, st *state, s *scope) {
	for i := range words {
		w := words[i]
		switch t := w.Text; {
		case (t == short || t == long) && i+1 < len(words):
			w = words[i+1]
		case strings.HasPrefix(t, long+"="):
			w.Text, w.Or = t[len(long)+1:], nil
		default:
			continue
		}
		r.line.Commands[idx].Flags |= Remote
		r.shellCode(idx, FromArg, w.Values(), &w, w.Static, r.sub(idx, st), s)
		r.line.Commands[idx].Flags &^= Remote
		return
	}
}

func (r *reader) tmux(idx int, st *state, s *scope) {
	argv := r.line.Commands[idx].Argv
	i, _ := opts(argv, 1, "cfLST", "", func(string, *Word) bool { return true })
	if i >= len(argv) {
		return
	}
	short := ""
	switch argv[i].Text {
	case "new", "new-session", "neww", "new-window", "splitw", "split-window", "respawn-pane", "respawn-window", "respawnp", "respawnw", "popup", "display-popup":
		short = "ceFfnstxylpTShwbE"
	case "run-shell", "run", "if-shell":
		short = "btdc"
	case "send-keys", "send":
		short = "tN"
	case "pipe-pane":
		short = "t"
	default:
		return
	}
	send := strings.HasPrefix(argv[i].Text, "send")
	if i, _ = opts(argv, i+1, short, "", func(string, *Word) bool { return true }); i >= len(argv) {
		return
	}
	words := argv[i:]
	if send {
		n := 0
		for n < len(words) && !has("Enter C-m KPEnter", words[n].Text) {
			n++
		}
		words = words[:n]
	}
	if len(words) > 0 && r.joinable(words) {
		bodies, w := joined(words)
		r.shellCode(idx, FromArg, bodies, &w, w.Static, r.sub(idx, st), s)
	}
}

// git reads the commands that git's own options and subcommands run.
func (r *reader) git(idx int, st *state, s *scope) {
	argv := r.line.Commands[idx].Argv
	code := func(w Word, body string) {
		w.Text, w.Or = body, nil
		r.shellCode(idx, FromArg, []string{body}, &w, w.Static, r.sub(idx, st), s)
	}
	aliases := map[string]Word(nil)
	i, _ := opts(argv, 1, "cC", "git-dir work-tree namespace super-prefix config-env exec-path", func(name string, val *Word) bool {
		if name != "-c" || val == nil {
			return true
		}
		key, v, ok := strings.Cut(val.Text, "=")
		if !ok {
			return true
		}
		key = strings.ToLower(key)
		if a, ok := strings.CutPrefix(key, "alias."); ok {
			if aliases == nil {
				aliases = map[string]Word{}
			}
			w := *val
			w.Text, w.Or = v, nil
			aliases[a] = w
			return true
		}
		if runsAsCode(key) && v != "" && v != "cat" && v != "true" && v != "false" {
			code(*val, v)
		}
		return true
	})
	argv = r.line.Commands[idx].Argv
	if i >= len(argv) {
		return
	}
	sub, rest := argv[i], argv[i+1:]
	if w, ok := aliases[strings.ToLower(sub.Text)]; ok {
		if body, bang := strings.CutPrefix(w.Text, "!"); bang {
			args := make([]string, 0, len(rest))
			for _, x := range rest {
				args = append(args, x.Raw)
			}
			code(w, strings.TrimSpace(body+" "+strings.Join(args, " ")))
		} else {
			words := append([]Word{argv[0]}, looseWords(&source{body: w.Text, pos: w.Pos, end: w.End}, 0, len(w.Text))...)
			r.childExec(idx, append(words, rest...), st.fork(), s, 0)
		}
		return
	}
	switch sub.Text {
	case "submodule":
		for j := range rest {
			if rest[j].Text == "foreach" {
				k := j + 1
				for k < len(rest) && has("--recursive -q --quiet", rest[k].Text) {
					k++
				}
				if k < len(rest) && r.joinable(rest[k:]) {
					bodies, w := joined(rest[k:])
					c := r.sub(idx, st)
					c.dir = ""
					r.shellCode(idx, FromArg, bodies, &w, w.Static, c, s)
				}
				return
			}
		}
	case "rebase":
		for j := range rest {
			switch t := rest[j].Text; {
			case (t == "-x" || t == "--exec") && j+1 < len(rest):
				code(rest[j+1], rest[j+1].Text)
			case strings.HasPrefix(t, "--exec="):
				code(rest[j], t[len("--exec="):])
			}
		}
	case "bisect":
		if len(rest) > 1 && rest[0].Text == "run" {
			r.childExec(idx, rest[1:], r.sub(idx, st), s, Looped)
		}
	case "filter-branch":
		for j := 0; j+1 < len(rest); j++ {
			if strings.HasPrefix(rest[j].Text, "--") && strings.HasSuffix(rest[j].Text, "-filter") {
				code(rest[j+1], rest[j+1].Text)
			}
		}
	case "config":
		var words []Word
		for _, w := range rest {
			if !strings.HasPrefix(w.Text, "-") && w.Text != "set" {
				words = append(words, w)
			}
		}
		if len(words) == 2 {
			key := strings.ToLower(words[0].Text)
			body, bang := strings.CutPrefix(words[1].Text, "!")
			if strings.HasPrefix(key, "alias.") && bang {
				r.line.Commands[idx].Flags |= Conditional
				code(words[1], body)
			}
		}
	case "difftool", "mergetool":
		for j := range rest {
			switch t := rest[j].Text; {
			case (t == "-x" || t == "--extcmd") && j+1 < len(rest):
				code(rest[j+1], rest[j+1].Text)
			case strings.HasPrefix(t, "--extcmd="):
				code(rest[j], t[len("--extcmd="):])
			}
		}
	}
}

// runsAsCode reports whether git hands the value of a setting to a shell.
func runsAsCode(key string) bool {
	switch key {
	case "core.editor", "core.pager", "core.sshcommand", "core.askpass", "sequence.editor", "diff.external", "core.gitproxy", "gpg.program", "core.alternaterefscommand", "uploadpack.packobjectshook", "core.fsmonitor":
		return true
	}
	return strings.HasPrefix(key, "pager.") || strings.HasPrefix(key, "filter.") && (strings.HasSuffix(key, ".clean") || strings.HasSuffix(key, ".smudge") || strings.HasSuffix(key, ".process")) ||
		strings.HasPrefix(key, "diff.") && strings.HasSuffix(key, ".textconv") || strings.HasPrefix(key, "merge.") && strings.HasSuffix(key, ".driver") ||
		strings.HasPrefix(key, "difftool.") && strings.HasSuffix(key, ".cmd") || strings.HasPrefix(key, "mergetool.") && strings.HasSuffix(key, ".cmd") || strings.HasPrefix(key, "credential.") && strings.HasSuffix(key, "helper")
}

// hooked are programs that run a command named by one of their options.
func (r *reader) hooked(idx int, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	code := func(w Word, body string) {
		w.Text, w.Or = body, nil
		r.shellCode(idx, FromArg, []string{body}, &w, w.Static, r.sub(idx, st), s)
	}
	if cmd.Program == "make" || cmd.Program == "gmake" {
		own := slices.ContainsFunc(argv, func(w Word) bool {
			return strings.HasPrefix(w.Text, "-f") || strings.HasPrefix(w.Text, "-C") || w.Text == "--file" || w.Text == "--makefile" || w.Text == "-n"
		})
		for _, name := range [...]string{"GNUmakefile", "makefile", "Makefile"} { // one that the line itself wrote
			w := Word{Raw: name, Text: name, Static: true, Pos: cmd.Pos, End: cmd.End}
			if !own && r.file(&w, cmd.Dir) != nil {
				r.makefile(idx, w, st, s)
				break
			}
		}
		cmd = &r.line.Commands[idx]
	}
	for i := 1; i < len(argv); i++ {
		t := argv[i].Text
		next := func() (Word, bool) {
			if i+1 < len(argv) {
				return argv[i+1], true
			}
			return Word{}, false
		}
		switch cmd.Program {
		case "tar", "gtar", "bsdtar":
			for _, p := range [...]string{"--checkpoint-action=exec=", "--to-command=", "--use-compress-program=", "--info-script=", "--new-volume-script=", "--rsh-command="} {
				if v, ok := strings.CutPrefix(t, p); ok {
					code(argv[i], v)
				}
			}
			if t == "-I" || t == "--use-compress-program" || t == "--to-command" {
				if w, ok := next(); ok {
					code(w, w.Text)
				}
			}
		case "rsync":
			if v, ok := strings.CutPrefix(t, "--rsh="); ok {
				code(argv[i], v)
			} else if t == "-e" || t == "--rsh" {
				if w, ok := next(); ok && w.Text != "ssh" {
					code(w, w.Text)
				}
			}
		case "zip":
			if t == "-TT" || t == "--unzip-command" {
				if w, ok := next(); ok {
					code(w, w.Text)
				}
			}
		case "make", "gmake":
			if v, ok := strings.CutPrefix(t, "SHELL="); ok {
				code(argv[i], v)
			}
			if v, ok := strings.CutPrefix(t, "--eval="); ok {
				r.addCode(idx, Code{Lang: LangOther, From: FromArg, Text: v, Known: argv[i].Static})
			}
			if t == "-f" || t == "--file" || t == "--makefile" {
				if w, ok := next(); ok {
					r.makefile(idx, w, st, s)
				}
			} else if v, ok := strings.CutPrefix(t, "-f"); ok {
				w := argv[i]
				w.Text, w.Or = v, nil
				r.makefile(idx, w, st, s)
			}
		case "sed", "gsed":
			r.sedScript(idx, i, code)
		case "less", "more", "most":
			if b, ok := strings.CutPrefix(t, "+!"); ok {
				code(argv[i], b)
			}
		case "man":
			if t == "-P" || t == "--pager" {
				if w, ok := next(); ok {
					code(w, w.Text)
				}
			}
		case "rg":
			if v, ok := strings.CutPrefix(t, "--pre="); ok {
				code(argv[i], v)
			} else if t == "--pre" {
				if w, ok := next(); ok {
					code(w, w.Text)
				}
			}
		case "vim", "vi", "nvim", "ex":
			w := argv[i]
			v, ok := strings.CutPrefix(t, "+")
			if !ok && (t == "-c" || t == "--cmd") {
				w, ok = next()
				v = w.Text
			}
			if ok {
				v = strings.TrimLeft(v, ":")
				if b, bang := strings.CutPrefix(v, "!"); bang {
					code(w, b)
				} else if strings.Contains(v, "system") || strings.Contains(v, "delete(") {
					r.foreign(idx, Code{Lang: LangOther, From: FromArg, Text: strings.TrimPrefix(v, "call "), Known: w.Static}, st, s)
				}
			}
		}
		argv = r.line.Commands[idx].Argv
	}
}

// sedScript runs what a sed script runs: 1e cmd, s/a/cmd/e.
func (r *reader) sedScript(idx, i int, code func(Word, string)) {
	argv := r.line.Commands[idx].Argv
	w := argv[i]
	named := i > 1 && (argv[i-1].Text == "-e" || argv[i-1].Text == "--expression")
	if !named && i != firstOperand(argv) {
		if t, ok := strings.CutPrefix(w.Text, "--expression="); ok {
			w.Text = t
		} else {
			return
		}
	}
	for _, cmd := range sedRuns(w.Text) {
		code(w, cmd)
	}
}

// sedRuns returns the shell texts in a sed script: the arguments of e
// commands, and the replacements of s commands with the flag e.
func sedRuns(t string) (out []string) {
	if !strings.Contains(t, "e") {
		return nil
	}
	for t != "" {
		t = strings.TrimLeft(t, " \t\n;{}!0123456789,$~+")
		if t == "" {
			return out
		}
		switch c := t[0]; c {
		case '/', '\\': // an address
			d := byte('/')
			if c == '\\' {
				if t = t[1:]; t == "" {
					return out
				}
				d = t[0]
			}
			_, t = sedPart(t[1:], d)
			t = strings.TrimLeft(t, "IM")
		case 'e':
			line, rest, _ := strings.Cut(t[1:], "\n")
			if line = strings.TrimSpace(line); line != "" && t[1] == ' ' {
				out = append(out, line)
			}
			t = rest
		case 's', 'y':
			if len(t) < 2 {
				return out
			}
			var with string
			d := t[1]
			_, t = sedPart(t[2:], d)
			with, t = sedPart(t, d)
			n := 0
			for n < len(t) && t[n] != ';' && t[n] != '\n' && t[n] != '}' && t[n] != 'w' {
				n++
			}
			if c == 's' && strings.Contains(t[:n], "e") {
				out = append(out, with)
			}
			if n < len(t) && t[n] == 'w' {
				_, t, _ = strings.Cut(t, "\n")
				continue
			}
			t = t[n:]
		case 'a', 'i', 'c', 'r', 'R', 'w', 'W', '#', ':', 'b', 't', 'T':
			_, t, _ = strings.Cut(t, "\n")
		default:
			t = t[1:]
		}
	}
	return out
}

// sedPart cuts t at the first unescaped d.
func sedPart(t string, d byte) (part, rest string) {
	for i := 0; i < len(t); i++ {
		switch t[i] {
		case '\\':
			i++
		case d:
			return strings.ReplaceAll(t[:i], "\\"+string(rune(d)), string(rune(d))), t[i+1:]
		}
	}
	return t, ""
}

func firstOperand(argv []Word) int {
	for i := 1; i < len(argv); i++ {
		if !strings.HasPrefix(argv[i].Text, "-") {
			return i
		}
		if (argv[i].Text == "-e" || argv[i].Text == "--expression") && i+1 < len(argv) {
			return i + 1
		}
	}
	return 0
}

// makefile reads the recipes of a makefile that comes by standard input, or
// that the line itself wrote.
func (r *reader) makefile(idx int, w Word, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	in := cmd.Stdin
	switch f := r.file(&w, cmd.Dir); {
	case w.Text == "-" || w.Text == "/dev/stdin":
		if in.Kind == Inherit || in.Kind == Closed {
			return
		}
	case f != nil:
		in = Stream{Kind: File, Text: f.text, Known: f.known, Peers: f.from}
	case len(w.Subst) > 0 && strings.Trim(w.Text, Unknown) == "": // <( … )
		in = Stream{Kind: File, Peers: w.Subst}
		in.Text, in.Known = r.output(w.Subst, Capture)
		cmd = &r.line.Commands[idx]
	default:
		return
	}
	r.addCode(idx, Code{Lang: LangOther, From: FromStdin, Text: in.Text, Known: in.Known, Sources: in.Peers})
	var sb strings.Builder
	for line := range strings.SplitSeq(in.Text, "\n") {
		if rec, ok := strings.CutPrefix(line, "\t"); ok {
			sb.WriteString(makeVars(strings.TrimLeft(rec, "@-+")))
			sb.WriteByte('\n')
		} else if _, rec, ok := strings.Cut(line, ";"); ok && strings.Contains(line, ":") {
			sb.WriteString(makeVars(strings.TrimLeft(rec, "@-+ ")))
			sb.WriteByte('\n')
		}
	}
	if sb.Len() == 0 {
		return
	}
	w = Word{Text: sb.String(), Static: in.Known, Subst: in.Peers, Pos: cmd.Pos, End: cmd.End}
	s2 := r.inside(idx, ViaCode, s)
	r.run(codeText(w.Text, &w), r.sub(idx, st), s2)
}

// makeVars turns make's $(NAME) and $$ into the shell's ${NAME} and $.
func makeVars(s string) string {
	var sb strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '$' || i+1 >= len(s) {
			sb.WriteByte(s[i])
			continue
		}
		if s[i+1] == '$' {
			sb.WriteByte('$')
			i++
			continue
		}
		if s[i+1] == '(' {
			if name, _, ok := strings.Cut(s[i+2:], ")"); ok && syntax.ValidName(name) {
				sb.WriteString("${" + name + "}")
				i += len(name) + 2
				continue
			}
		}
		sb.WriteByte('$')
	}
	return sb.String()
}

// cmdExe is cmd /c.
func (r *reader) cmdExe(idx int, st *state, s *scope) {
	argv := r.line.Commands[idx].Argv
	for i := 1; i < len(argv); i++ {
		t := argv[i].Text
		for strings.HasPrefix(t, "//") { // how MSYS writes it
			t = t[1:]
		}
		if len(t) < 2 || t[0] != '/' && t[0] != '-' {
			return
		}
		switch t[1] | 0x20 {
		case 'c', 'k', 'r':
		default:
			continue
		}
		words := slices.Clone(argv[i+1:])
		for j := range words { // a POSIX shell ate the backslashes of C:\x
			if raw := words[j].Raw; !strings.ContainsAny(raw, `"'`) && (len(raw) > 2 && raw[1] == ':' && raw[2] == '\\' || strings.HasPrefix(raw, "HK") && strings.Contains(raw, `\`)) && words[j].Static {
				words[j].Text, words[j].Or = strings.ReplaceAll(raw, `\\`, `\`), nil
				words[j].Quoted = false
			}
		}
		if len(t) > 2 { // /crd
			w := argv[i]
			w.Text = t[2:]
			words = append([]Word{w}, words...)
		}
		if len(words) == 0 || !r.joinable(words) {
			return
		}
		bodies, w := joined(words)
		if len(words) > 1 { // quotes that the shell took off kept words together
			var sb strings.Builder
			for j := range words {
				if j > 0 {
					sb.WriteByte(' ')
				}
				if words[j].Quoted && strings.ContainsAny(words[j].Text, " \t&|") {
					sb.WriteString(`"` + words[j].Text + `"`)
				} else {
					sb.WriteString(words[j].Text)
				}
			}
			bodies = []string{sb.String()}
		}
		for _, b := range bodies {
			r.addCode(idx, Code{Lang: LangBatch, From: FromArg, Text: b, Known: w.Static, Sources: w.Subst})
			s2 := r.inside(idx, ViaCode, s)
			s2.flags |= Batch
			r.batch(codeText(b, &w), r.sub(idx, st), s2)
		}
		return
	}
	r.stdinBatch(idx, st, s)
}

func (r *reader) stdinBatch(idx int, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	in := cmd.Stdin
	if in.Kind == Inherit || in.Kind == Closed {
		return
	}
	r.addCode(idx, Code{Lang: LangBatch, From: FromStdin, Text: in.Text, Known: in.Known, Sources: in.Peers})
	if in.Text == "" {
		return
	}
	w := Word{Text: in.Text, Static: in.Known, Subst: in.Peers, Pos: cmd.Pos, End: cmd.End}
	s2 := r.inside(idx, ViaCode, s)
	s2.flags |= Batch
	r.batch(codeText(in.Text, &w), r.sub(idx, st), s2)
}

// pwsh is powershell and pwsh.
func (r *reader) pwsh(idx int, st *state, s *scope) {
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	read := func(words []Word, from CodeFrom) {
		if len(words) == 0 || !r.joinable(words) {
			return
		}
		bodies, w := joined(words)
		for _, b := range bodies {
			if slices.Contains(w.Vars, "env") { // "$env:X" in a shell that took $env for its own
				b = strings.ReplaceAll(b, Unknown+":", "$env:")
			}
			r.addCode(idx, Code{Lang: LangPowerShell, From: from, Text: b, Known: w.Static, Sources: w.Subst})
			s2 := r.inside(idx, ViaCode, s)
			s2.flags |= PowerShell
			r.runPowerShell(codeText(b, &w), r.sub(idx, st), s2)
		}
	}
	stdin := func() {
		in := r.line.Commands[idx].Stdin
		if in.Kind == Inherit || in.Kind == Closed {
			return
		}
		c := &r.line.Commands[idx]
		w := Word{Text: in.Text, Static: in.Known, Subst: in.Peers, Pos: c.Pos, End: c.End}
		if strings.Trim(in.Text, Unknown) == "" {
			r.addCode(idx, Code{Lang: LangPowerShell, From: FromStdin, Sources: in.Peers})
			return
		}
		read([]Word{w}, FromStdin)
	}
	for i := 1; i < len(argv); i++ {
		t := argv[i].Text
		if len(t) < 2 || t[0] != '-' && t[0] != '/' || t == "--" {
			if cmd.Program == "powershell" || !strings.HasSuffix(strings.ToLower(t), ".ps1") && strings.ContainsAny(t, " ;|-") {
				read(argv[i:], FromArg)
			} else {
				r.addCode(idx, Code{Lang: LangPowerShell, From: FromFile, File: argv[i], Sources: argv[i].Subst})
			}
			return
		}
		p := strings.ToLower(strings.TrimLeft(t, "-/"))
		is := func(full string, least int) bool {
			return len(p) >= least && strings.HasPrefix(full, p)
		}
		switch {
		case is("command", 1) || p == "commandwithargs" || p == "cwa":
			if i+1 < len(argv) && argv[i+1].Text == "-" {
				stdin()
				return
			}
			read(argv[i+1:], FromArg)
			return
		case is("encodedcommand", 1) || p == "ec" || p == "enc":
			if i+1 < len(argv) {
				w := argv[i+1]
				if body, ok := utf16Base64(w.Text); ok && w.Static {
					w.Text, w.Or = body, nil
					read([]Word{w}, FromArg)
				} else {
					r.addCode(idx, Code{Lang: LangPowerShell, From: FromArg, Sources: w.Subst})
				}
			}
			return
		case is("file", 1):
			if i+1 < len(argv) {
				if argv[i+1].Text == "-" {
					stdin()
				} else {
					r.addCode(idx, Code{Lang: LangPowerShell, From: FromFile, File: argv[i+1], Sources: argv[i+1].Subst})
				}
			}
			return
		case is("executionpolicy", 2) || p == "ep", is("windowstyle", 1), is("outputformat", 1), p == "of", is("inputformat", 2), p == "if", is("version", 1), is("workingdirectory", 2), p == "wd", is("psconsolefile", 1), is("configurationname", 3), is("settingsfile", 3), is("custompipename", 3):
			i++
		case p == "help", p == "?", p == "h":
			return
		}
	}
	stdin()
}

// utf16Base64 decodes what -EncodedCommand takes.
func utf16Base64(s string) (string, bool) {
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(s))
	if err != nil {
		if b, err = base64.RawStdEncoding.DecodeString(strings.TrimSpace(s)); err != nil {
			return "", false
		}
	}
	u := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		u = append(u, uint16(b[i])|uint16(b[i+1])<<8)
	}
	return string(utf16.Decode(u)), len(u) > 0
}

// netExec lists the program that nc -e or socat EXEC: joins to a connection.
func (r *reader) netExec(idx int, st *state, s *scope) {
	argv := r.line.Commands[idx].Argv
	run := func(w Word, body string, shell bool) {
		w.Text, w.Or = body, nil
		s2 := r.inside(idx, ViaExec, s)
		s2.in = Stream{Kind: Pipe, Peers: []int{idx}}
		if shell {
			r.addCode(idx, Code{Lang: LangShell, From: FromArg, Text: body, Known: w.Static})
			s2.via = ViaCode
			r.run(codeText(body, &w), r.sub(idx, st), s2)
			return
		}
		words := looseWords(&source{body: body, pos: w.Pos, end: w.End}, 0, len(body))
		if len(words) > 0 && r.deep < 2*MaxCodeDeep {
			r.deep++
			r.child(words, r.sub(idx, st), s2)
			r.deep--
		}
	}
	for i := 1; i < len(argv); i++ {
		w := argv[i]
		t := w.Text
		if r.line.Commands[idx].Program == "socat" {
			kind, rest, ok := strings.Cut(t, ":")
			switch strings.ToUpper(kind) {
			case "EXEC", "SYSTEM", "SHELL":
				if ok {
					rest, _, _ = strings.Cut(rest, ",")
					run(w, rest, !strings.EqualFold(kind, "exec"))
				}
			}
			continue
		}
		name, val, eq := strings.Cut(t, "=")
		switch name {
		case "-e", "-c", "--exec", "--sh-exec", "-le", "-lc":
			if !eq && i+1 < len(argv) {
				i++
				w, val = argv[i], argv[i].Text
			}
			if val != "" {
				run(w, val, name == "--sh-exec" || strings.HasSuffix(name, "c") && name != "--exec")
			}
		}
	}
}
