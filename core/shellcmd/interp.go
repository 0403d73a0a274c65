package shellcmd

import (
	"slices"
	"strings"
)

// langOf is the language that a program of that plain name reads.
func langOf(name string) Lang {
	n := strings.TrimRight(name, "0123456789.")
	switch n {
	case "python", "pypy", "ipython", "bpython", "python3-", "micropython":
		return LangPython
	case "py", "pythonw":
		return LangPython
	case "node", "nodejs", "bun", "deno", "tsx", "ts-node", "qjs", "mongosh", "mongo", "zx", "swc-node":
		return LangNode
	case "perl", "cperl":
		return LangPerl
	case "ruby", "jruby", "irb", "rails", "truffleruby":
		return LangRuby
	case "php", "php-cgi", "hhvm", "phpdbg":
		return LangPHP
	case "awk", "gawk", "mawk", "nawk", "goawk", "busybox-awk":
		return LangAwk
	case "lua", "luajit", "texlua":
		return LangLua
	case "osascript":
		return LangAppleScript
	case "psql", "mysql", "mariadb", "sqlite", "duckdb", "sqlcmd", "clickhouse-client", "clickhouse", "cqlsh", "sqlplus", "snowsql", "cockroach", "usql", "mycli", "pgcli", "litecli", "isql", "tsql", "bq", "spanner-cli", "surreal", "trino", "presto", "hive", "beeline", "spark-sql", "db":
		return LangSQL
	case "rscript", "r", "julia", "groovy", "scala", "elixir", "erl", "ghc", "clojure", "clj", "bb", "tclsh", "wish", "swift", "raku", "guile", "racket", "sbcl", "emacs", "octave", "gnuplot", "janet", "crystal", "kotlin", "jshell":
		return LangOther
	case "pwsh", "powershell":
		return LangPowerShell
	}
	if isShell(name) {
		return LangShell
	}
	return LangNone
}

// interp finds the program text that an interpreter is given, and reads it.
// It reports whether the command is one.
func (r *reader) interp(idx int, st *state, s *scope) bool {
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	lang := langOf(cmd.Program)
	if lang == LangNone || lang == LangShell || lang == LangPowerShell {
		return false
	}
	var codes []Word
	var file *Word
	stop := false // options that run nothing, or end the interpreter's own
	module := false
	take := func(w *Word) {
		if w != nil {
			codes = append(codes, *w)
		}
	}
	i := 1
	switch lang {
	case LangPython:
		i, _ = opts(argv, i, "cmWXQ", "check-hash-based-pycs", func(name string, val *Word) bool {
			switch name {
			case "-c":
				take(val)
				stop = true
				return false
			case "-m":
				module = true
				return false
			case "-h", "-V", "--version", "--help":
				stop = true
				return false
			}
			return true
		})
	case LangNode:
		if cmd.Program == "deno" || cmd.Program == "bun" {
			if len(argv) > 1 && argv[1].Text == "eval" {
				i = 2
				for i < len(argv) && strings.HasPrefix(argv[i].Text, "-") {
					i++
				}
				if i < len(argv) {
					take(&argv[i])
				}
				stop = true
				break
			}
			if len(argv) < 2 || has("x add install i remove test build create init update upgrade task cache fmt lint info publish exec", argv[1].Text) {
				return false
			}
			if argv[1].Text == "run" {
				i = 2
			}
		}
		i, _ = opts(argv, i, "eprC", "eval print require import loader experimental-loader conditions input-type env-file max-old-space-size file host port username password authenticationDatabase", func(name string, val *Word) bool {
			switch name {
			case "-e", "--eval", "-p", "--print":
				if val != nil && (name == "-p" || name == "-e") && val.Text == "e" && val.Raw == "-pe" {
					return true // -pe: the text is the next word
				}
				take(val)
			case "-c", "--check", "-v", "--version", "-h", "--help":
				stop = true
			}
			return true
		})
		if len(codes) == 0 {
			for k := 1; k+1 < len(argv); k++ {
				if argv[k].Text == "-pe" || argv[k].Text == "-ep" {
					take(&argv[k+1])
				}
			}
		}
		if has("mongosh mongo", cmd.Program) && len(codes) == 0 {
			i = len(argv)
		}
	case LangPerl:
		i = r.perlFlags(argv, take, &stop)
	case LangRuby:
		i, _ = opts(argv, i, "eIrCEFKTWx", "encoding external-encoding internal-encoding", func(name string, val *Word) bool {
			switch name {
			case "-e":
				take(val)
			case "-c", "-v", "--version", "--help":
				stop = name != "-v"
			}
			return true
		})
		if cmd.Program == "rails" {
			if i+1 < len(argv) && has("runner r", argv[i].Text) {
				take(&argv[i+1])
			}
			stop = true
		}
	case LangPHP:
		i, _ = opts(argv, i, "rBRFEfdcztS", "run define file process-code process-file process-begin process-end", func(name string, val *Word) bool {
			switch name {
			case "-r", "--run", "-B", "-R", "-E", "--process-begin", "--process-code", "--process-end":
				take(val)
			case "-f", "-F", "--file", "--process-file":
				file = val
			case "-l", "-v", "-i", "-m", "--version", "-S":
				stop = true
			}
			return true
		})
	case LangAwk:
		i, _ = opts(argv, i, "FvfeEilmo", "field-separator assign file source exec include load", func(name string, val *Word) bool {
			switch name {
			case "-e", "--source":
				take(val)
			case "-f", "--file", "-E", "--exec":
				file = val
			case "--version", "--help", "-V", "-h":
				stop = true
			}
			return true
		})
		if len(codes) == 0 && file == nil && !stop && i < len(argv) {
			take(&argv[i])
		}
		stop = true
	case LangLua:
		i, _ = opts(argv, i, "elj", "", func(name string, val *Word) bool {
			if name == "-e" {
				take(val)
			}
			return true
		})
	case LangAppleScript:
		js := false
		i, _ = opts(argv, i, "els", "", func(name string, val *Word) bool {
			switch name {
			case "-e":
				take(val)
			case "-l":
				js = val != nil && strings.EqualFold(val.Text, "javascript")
			}
			return true
		})
		if js {
			lang = LangNode
		}
		for len(codes) > 1 { // the lines of one script
			a, b := &codes[0], &codes[1]
			a.Text, a.Or, a.Static, a.Subst = a.Text+"\n"+b.Text, nil, a.Static && b.Static, union(a.Subst, b.Subst)
			codes = append(codes[:1], codes[2:]...)
		}
	case LangSQL:
		if !r.sqlFlags(cmd.Program, argv, take, &file, &i) {
			return true
		}
	default: // LangOther
		long := "eval expr command execute batch"
		if cmd.Program == "emacs" {
			long = "eval execute load script file funcall"
		}
		i, _ = opts(argv, i, "eEcM", long, func(name string, val *Word) bool {
			switch name {
			case "-e", "-E", "--eval", "--expr", "--execute":
				take(val)
			case "--version", "--help":
				stop = true
			}
			return true
		})
	}
	for k := range codes {
		w := codes[k]
		for n, body := range w.Values() {
			if n < maxRuns {
				r.foreign(idx, Code{Lang: lang, From: FromArg, Text: body, Known: w.Static, Sources: w.Subst}, st, s)
			}
		}
	}
	switch {
	case i < len(argv) && strings.HasPrefix(argv[i].Text, "npm:"): // deno run npm:rimraf
		words := slices.Clone(argv[i:])
		words[0].Text = bareVersion(strings.TrimPrefix(words[0].Text, "npm:"))
		r.childExec(idx, words, r.sub(idx, st), s, 0)
	case file != nil:
		r.runFile(idx, lang, *file, nil, r.sub(idx, st), s)
	case len(codes) > 0 || stop || module:
	case i < len(argv) && argv[i].Text != "-":
		r.runFile(idx, lang, argv[i], nil, r.sub(idx, st), s)
	default:
		r.stdinCode(idx, lang, st, s)
	}
	return true
}

func (r *reader) perlFlags(argv []Word, take func(*Word), stop *bool) int {
	i := 1
	for i < len(argv) {
		t := argv[i].Text
		if len(t) < 2 || t[0] != '-' {
			break
		}
		if t == "--" {
			return i + 1
		}
		i++
	cluster:
		for j := 1; j < len(t); j++ {
			switch t[j] {
			case 'e', 'E':
				if j+1 < len(t) {
					w := argv[i-1]
					w.Text, w.Or = t[j+1:], nil
					take(&w)
				} else if i < len(argv) {
					take(&argv[i])
					i++
				}
				break cluster
			case 'M', 'm', 'I', 'F', 'x', 'D', 'V', 'C', 'i':
				if t[j] == 'I' && j+1 == len(t) {
					i++
				}
				break cluster
			case 'c', 'v':
				*stop = true
			}
		}
	}
	return i
}

// sqlFlags finds SQL text. It reports whether files and input should be looked
// at too.
func (r *reader) sqlFlags(name string, argv []Word, take func(*Word), file **Word, i *int) bool {
	n := 0
	count := func(w *Word) { n++; take(w) }
	switch {
	case strings.HasPrefix(name, "sqlite") || name == "litecli" || name == "duckdb":
		pos := 0
		for k := 1; k < len(argv); k++ {
			t := argv[k].Text
			switch {
			case has("-cmd -init -separator -nullvalue -newline -maxsize -mmap -vfs -lookaside -pagecache", t):
				if t == "-cmd" && k+1 < len(argv) {
					count(&argv[k+1])
				}
				k++
			case name == "duckdb" && has("-c -s", t) && k+1 < len(argv):
				count(&argv[k+1])
				k++
			case strings.HasPrefix(t, "-"):
				if t == "-version" || t == "-help" {
					return false
				}
			default:
				if pos++; pos > 1 {
					count(&argv[k])
				}
			}
		}
	case name == "cockroach" || name == "bq":
		for k := 2; k < len(argv); k++ {
			if (argv[k].Text == "-e" || argv[k].Text == "--execute") && k+1 < len(argv) {
				count(&argv[k+1])
			}
		}
		if name == "bq" && len(argv) > 2 && argv[1].Text == "query" {
			count(&argv[len(argv)-1])
			return true
		}
	default:
		short, long, code := "hpUdvPLFRTofWcCt", "command dbname file host port username set variable output log-file field-separator pset", "-c --command"
		switch name {
		case "mysql", "mariadb", "mycli":
			short, long, code = "ehuPDSroTC", "execute host user port database socket defaults-file protocol ssl-mode default-character-set init-command", "-e --execute --init-command"
		case "sqlcmd", "tsql":
			short, long, code = "QqSUPdioEhsvtlwCN", "query", "-Q -q --query"
		case "clickhouse-client", "clickhouse", "snowsql", "usql", "trino", "presto":
			short, long, code = "qchud", "query host user password database port command execute", "-q --query -c --command --execute"
		case "cqlsh", "hive", "beeline", "spark-sql":
			short, long, code = "efupkn", "execute file username password keyspace", "-e --execute"
		}
		quit := false
		opts2 := func(k int) int {
			end, _ := opts(argv, k, short, long, func(opt string, val *Word) bool {
				switch {
				case val != nil && has(code, opt):
					count(val)
				case val != nil && (opt == "-f" || opt == "--file" || opt == "-i" && name == "sqlcmd"):
					*file = val
				case opt == "-l" && name == "psql", opt == "--list", opt == "--version", opt == "--help":
					quit = true
				}
				return true
			})
			return end
		}
		// operands (database, user) may stand between options
		for k := 1; k < len(argv); {
			e := opts2(k)
			if e <= k {
				e = k + 1
			}
			k = e
		}
		if quit {
			return false
		}
	}
	*i = len(argv)
	return true
}

// foreign reads code of another language for what it visibly does.
func (r *reader) foreign(idx int, c Code, st *state, s *scope) {
	if strings.Trim(c.Text, Unknown) == "" && !c.Known {
		c.Text = ""
	}
	if len(c.Sources) == 0 {
		c.Sources = nil
	}
	r.addCode(idx, c)
	if c.Text == "" || !r.spend(len(c.Text)) {
		return
	}
	switch c.Lang {
	case LangPowerShell:
		cmd := &r.line.Commands[idx]
		w := Word{Text: c.Text, Static: c.Known, Subst: c.Sources, Pos: cmd.Pos, End: cmd.End}
		s2 := r.inside(idx, ViaCode, s)
		s2.flags |= PowerShell
		r.runPowerShell(codeText(c.Text, &w), r.sub(idx, st), s2)
		return
	case LangSQL:
		r.sqlEscapes(idx, c.Text, st, s)
		return
	case LangOther:
		switch r.line.Commands[idx].Program {
		case "tclsh", "wish", "expect":
			r.tcl(idx, c.Text, st, s)
			return
		case "elixir":
			c.Text = strings.ReplaceAll(c.Text, "!(", "(")
		case "emacs":
			r.lisp(idx, c.Text, st, s)
			return
		}
	}
	if c.Lang == LangAppleScript {
		r.finder(idx, c.Text, st, s)
	}
	r.effects(idx, &c, st, s)
}

// finder runs what an AppleScript tells the Finder to delete, which it moves to
// the trash, and what it tells System Events to, which deletes.
func (r *reader) finder(idx int, body string, st *state, s *scope) {
	low := strings.ToLower(body)
	events := strings.Contains(low, `"system events"`)
	if !events && !strings.Contains(low, `"finder"`) || !strings.Contains(low, "delete") && !strings.Contains(low, "empty") {
		return
	}
	for line := range strings.FieldsFuncSeq(body, func(c rune) bool { return c == '\n' || c == '\r' }) {
		low := strings.ToLower(line)
		if strings.Contains(low, "empty trash") || strings.Contains(low, "empty the trash") {
			r.effectShell(idx, known("rm -rf ~/.Trash/*"), Stream{}, st, s)
		}
		what, ok := afterWord(low, line, "delete")
		if !ok {
			continue
		}
		path := finderPath(what)
		switch {
		case path == "":
		case events:
			r.effectShell(idx, known("rm -rf -- "+path), Stream{}, st, s)
		default:
			r.effectShell(idx, known("trash -- "+path), Stream{}, st, s)
		}
	}
}

// afterWord is what follows a word in line, of which low is the lower case.
func afterWord(low, line, word string) (after string, ok bool) {
	if len(low) != len(line) {
		line = low
	}
	for at := 0; ; {
		i := strings.Index(low[at:], word)
		if i < 0 {
			return "", false
		}
		i += at
		at = i + len(word)
		if (i == 0 || !isWordByte(low[i-1])) && (at == len(low) || !isWordByte(low[at])) {
			return line[at:], true
		}
	}
}

// finderPath is the path that the Finder's name for something stands for, as a
// shell word: folder "a" of folder "b" of home. "" if that cannot be told.
func finderPath(what string) string {
	low := strings.ToLower(what)
	if name, ok := afterWord(low, what, "posix file"); ok {
		if name, ok := firstQuoted(name); ok {
			return shellWord(name)
		}
		return ""
	}
	base := ""
	for _, p := range [...][2]string{
		{"desktop", "~/Desktop"},
		{"startup disk", "/"},
		{"home", "~"},
		{"documents folder", "~/Documents"},
		{"home folder", "~"},
		{"path to desktop", "~/Desktop"},
		{"path to documents folder", "~/Documents"},
		{"path to home folder", "~"},
	} {
		if after, ok := afterWord(low, low, p[0]); ok && strings.Count(after, `"`)%2 == 0 {
			base = p[1]
		}
	}
	var names []string
	for rest := what; ; {
		name, ok := firstQuoted(rest)
		if !ok {
			break
		}
		_, rest, _ = strings.Cut(rest, `"`)
		_, rest, _ = strings.Cut(rest, `"`)
		names = append([]string{name}, names...)
	}
	all := strings.Contains(low, "every item") || strings.Contains(low, "every file") || strings.Contains(low, "every folder") || strings.Contains(low, "items of") || strings.Contains(low, "entire contents")
	if len(names) > 0 && strings.Contains(names[0], ":") { // Macintosh HD:Users:me
		_, rest, _ := strings.Cut(names[0], ":")
		base, names[0] = "/", strings.ReplaceAll(strings.Trim(rest, ":"), ":", "/")
	}
	if base == "" {
		return ""
	}
	for _, n := range names {
		if n != "" {
			base = strings.TrimSuffix(base, "/") + "/" + n
		}
	}
	if rest, ok := strings.CutPrefix(base, "~/"); ok {
		base = "~/" + shellWord(rest)
	} else if base != "~" {
		base = shellWord(base)
	}
	if all {
		base = strings.TrimSuffix(base, "/") + "/*"
	}
	return base
}

func firstQuoted(s string) (string, bool) {
	_, rest, ok := strings.Cut(s, `"`)
	if !ok {
		return "", false
	}
	name, _, ok := strings.Cut(rest, `"`)
	return name, ok
}

// shellWord quotes s for a shell where it has to be.
func shellWord(s string) string {
	for i := range len(s) {
		if !isWordByte(s[i]) && !strings.ContainsRune("/.-+,", rune(s[i])) {
			return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
	}
	return s
}

// sqlEscapes runs the lines of a SQL script that a client hands to a shell.
func (r *reader) sqlEscapes(idx int, body string, st *state, s *scope) {
	if !strings.Contains(body, `\!`) && !strings.Contains(body, ".s") && !strings.Contains(body, "system") {
		return
	}
	for line := range strings.SplitSeq(body, "\n") {
		line = strings.TrimSpace(line)
		for _, p := range [...]string{`\! `, ".shell ", ".system ", "system "} {
			if rest, ok := strings.CutPrefix(line, p); ok {
				r.effectShell(idx, known(rest), Stream{}, st, s)
				break
			}
		}
	}
}

// tcl runs what a Tcl script hands to programs: exec, spawn, file delete. The
// words of such a line read much as a shell's.
func (r *reader) tcl(idx int, body string, st *state, s *scope) {
	for line := range strings.FieldsFuncSeq(body, func(c rune) bool { return strings.ContainsRune("\n;[]{}", c) }) {
		line = strings.TrimSpace(line)
		for _, p := range [...][2]string{{"exec ", ""}, {"spawn ", ""}, {"system ", ""}, {"file delete -force ", "rm -rf "}, {"file delete ", "rm "}} {
			if rest, ok := strings.CutPrefix(line, p[0]); ok {
				r.effectShell(idx, known(p[1]+strings.TrimPrefix(rest, "-noecho ")), Stream{}, st, s)
				break
			}
		}
	}
}

// lisp runs what an Emacs Lisp text hands to a shell, and what it deletes.
func (r *reader) lisp(idx int, body string, st *state, s *scope) {
	for _, p := range [...][2]string{{"shell-command", ""}, {"shell-command-to-string", ""}, {"call-process-shell-command", ""}, {"async-shell-command", ""}, {"delete-directory", "rm -rf "}, {"delete-file", "rm "}} {
		for rest := body; ; {
			_, after, ok := strings.Cut(rest, "("+p[0]+" ")
			if !ok {
				break
			}
			rest = after
			if _, text, ok := strings.Cut(rest, `"`); ok {
				text, _, _ = strings.Cut(text, `"`)
				r.effectShell(idx, known(p[1]+text), Stream{}, st, s)
			}
		}
	}
}

// effectShell is a shell text that idx's own code runs.
func (r *reader) effectShell(idx int, v value, in Stream, st *state, s *scope) {
	a := len(r.line.Commands)
	w := v.first().word("")
	cmd := &r.line.Commands[idx]
	w.Pos, w.End = cmd.Pos, cmd.End
	if strings.Trim(w.Text, Unknown+" ") != "" {
		s2 := r.inside(idx, ViaInterp, s)
		s2.in = in
		s2.flags &^= PowerShell | Batch
		r.run(codeText(w.Text, &w), r.sub(idx, st), s2)
	}
	r.effectRun(idx, a, w)
}

// effectArgv is an argv that idx's own code runs.
func (r *reader) effectArgv(idx int, list []value, st *state, s *scope) {
	a := len(r.line.Commands)
	cmd := &r.line.Commands[idx]
	words := make([]Word, 0, len(list))
	for _, v := range list {
		w := v.first().word("")
		w.Raw = w.Text
		w.Pos, w.End = cmd.Pos, cmd.End
		words = append(words, w)
	}
	if len(words) > 0 && r.deep < 2*MaxCodeDeep {
		s2 := r.inside(idx, ViaInterp, s)
		s2.in = Stream{}
		r.deep++
		r.child(words, r.sub(idx, st), s2)
		r.deep--
	}
	var w Word
	if len(words) > 0 {
		w = words[0]
	}
	r.effectRun(idx, a, w)
}

func (r *reader) effectRun(idx, a int, w Word) {
	var list []int
	for i := r.youngest(idx); i >= a && i >= 0; i = r.prev[i] {
		list = append(list, i)
	}
	slices.Reverse(list)
	r.addEffect(idx, Effect{Kind: RunShell, Path: w, Commands: list})
}

func (r *reader) addEffect(idx int, e Effect) {
	cmd := &r.line.Commands[idx]
	if len(cmd.Effects) >= 256 {
		r.line.Truncated = true
		return
	}
	cmd.Effects = append(slices.Clip(cmd.Effects), e)
}
