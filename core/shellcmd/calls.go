package shellcmd

import (
	"slices"
	"strings"
)

// arg is positional argument n, unknown when there is none.
func arg(args []cval, n int) cval {
	for _, a := range args {
		if a.kw != "" {
			continue
		}
		if n == 0 {
			return a
		}
		n--
	}
	return unknownCode()
}

func kwarg(args []cval, name string) (cval, bool) {
	for _, a := range args {
		if a.kw == name {
			return a, true
		}
	}
	return cval{}, false
}

// plain are the arguments without keywords, options and functions.
func plain(args []cval) []cval {
	var out []cval
	for _, a := range args {
		if a.kw == "" && a.obj == "" {
			out = append(out, a)
		}
	}
	return out
}

func text(v cval) string {
	if len(v.texts) == 0 {
		return ""
	}
	return v.texts[0]
}

// writes reports whether a file mode opens for writing.
func writes(mode string) bool { return strings.ContainsAny(mode, "wax+>") }

// call is what a call with these arguments does and returns.
func (p *coder) call(f cval, args []cval) cval {
	name := f.name
	if f.recv == nil {
		name = p.full(name)
	}
	name = strings.TrimPrefix(strings.TrimLeft(name, "$@\\"), "node:")
	last := lastName(name)
	base := strings.TrimSuffix(strings.TrimSuffix(name, last), ".")
	a0 := arg(args, 0)
	out := unknownCode()

	// a method of a value
	if f.recv != nil {
		if v, ok := p.method(f, args); ok {
			return v
		}
	}
	if v, ok := p.paths(name, args); ok {
		return v
	}
	for i := range args {
		if args[i].env {
			switch last {
			case "print", "log", "puts", "p", "pp", "print_r", "var_dump", "write", "dump", "stdout", "post", "put", "urlopen", "say", "warn", "error", "send", "info", "echo", "exit":
				p.effect(ReadEnv, args[i])
			}
			switch last {
			case "dict", "str", "stringify", "dumps", "pformat", "list", "sorted", "inspect", "json_encode", "repr", "entries", "keys", "values", "fromEntries", "format", "pprint", "assign":
				out.env = true
				if last == "pprint" {
					p.effect(ReadEnv, args[i])
				}
			}
		}
	}
	if f.recv == nil {
		switch name {
		case "print", "puts", "console.log", "console.info", "echo", "println", "STDOUT.puts":
			end := "\n"
			if name == "echo" || name == "print" && p.lang != LangPython && p.lang != LangLua {
				end = ""
			}
			p.say(args, end)
		case "process.stdout.write", "sys.stdout.write", "printf", "STDOUT.write", "io.write":
			p.say(args, "")
		}
	}
	switch last {
	// shells and processes
	case "system", "execSync", "getoutput", "getstatusoutput", "shell_exec", "passthru", "execaCommand", "execaCommandSync", "execute", "exec_command", "create_subprocess_shell":
		if last == "execute" && !(p.lang == LangLua || base == "shell") {
			break // a database cursor's
		}
		if list := plain(args); len(list) > 1 && (p.lang == LangPerl || p.lang == LangRuby) {
			p.argv(list)
		} else {
			p.shell(a0)
		}
		return out
	case "popen", "popen2", "popen2e", "popen3", "capture2", "capture2e", "capture3", "pipeline":
		if list := plain(args); len(list) > 1 && !writesMode(list[1]) {
			p.argv(list)
		} else {
			p.shell(a0)
		}
		return out
	case "run", "call", "check_call", "check_output", "Popen", "create_subprocess_exec":
		if base == "subprocess" || base == "" && p.names[f.name] != "" || last == "Popen" || last == "check_call" || last == "check_output" || last == "create_subprocess_exec" ||
			base == "Deno" || base == "sp" || p.lang == LangOther && last == "run" {
			v := a0
			if k, ok := kwarg(args, "args"); ok {
				v = k
			}
			if last == "create_subprocess_exec" {
				p.argv(plain(args))
				return out
			}
			p.shell(v)
			return out
		}
	case "exec", "eval", "Function", "instance_eval", "class_eval", "runInThisContext", "runInNewContext", "compile", "assert", "load", "loadstring", "dostring", "create_function", "module_eval":
		if last == "exec" && (p.lang == LangPerl || p.lang == LangRuby || p.lang == LangPHP) || last == "exec" && (base == "child_process" || base == "cp" || base == "shell" || base == "shelljs" || strings.HasSuffix(base, "child_process")) ||
			last == "exec" && p.lang == LangNode && f.recv == nil && base == "" {
			if list := plain(args); len(list) > 1 && (p.lang == LangPerl || p.lang == LangRuby) {
				p.argv(list)
			} else {
				p.shell(a0)
			}
			return out
		}
		if f.recv != nil || base != "" && last != "eval" && base != "vm" && base != "builtins" {
			break
		}
		if a0.static && len(a0.texts) == 1 && p.evals < 8 && len(a0.texts[0]) < 1<<16 {
			p.evals += 8
			p.depth += 10
			p.read(a0.texts[0])
			p.depth -= 10
		}
		return out
	case "execFile", "execFileSync", "spawn", "spawnSync", "execa", "execaSync", "fork", "system2", "pcntl_exec", "proc_open", "Command":
		list := plain(args)
		switch {
		case last == "fork" && len(list) == 0:
			return out
		case last == "Command" && p.lang != LangNode:
			break
		case last == "Command": // new Deno.Command('rm', {args: […]})
			p.shell(a0)
			return out
		case len(list) == 1 && list[0].isArr, len(list) > 1:
			p.argv(list)
			return out
		case len(list) == 1 && (p.lang != LangPython || base == "pty"):
			p.shell(list[0])
			return out
		}
	case "execv", "execve", "execvp", "execvpe", "posix_spawn", "posix_spawnp", "spawnv", "spawnve", "spawnvp", "spawnvpe":
		list := plain(args)
		if strings.HasPrefix(last, "spawnv") && len(list) > 0 {
			list = list[1:]
		}
		if len(list) > 1 && list[1].isArr { // the file runs, whatever the first word says
			words := append([]cval{list[0]}, list[1].elems[min(1, len(list[1].elems)):]...)
			p.argv(words)
		} else {
			p.argv(list)
		}
		return out
	case "execl", "execle", "execlp", "execlpe", "spawnl", "spawnlp":
		list := plain(args)
		if strings.HasPrefix(last, "spawn") && len(list) > 0 {
			list = list[1:]
		}
		if len(list) > 1 {
			p.argv(append([]cval{list[0]}, list[min(2, len(list)):]...))
		}
		return out
	case "script":
		if p.lang == LangAppleScript { // do shell script "…"
			p.shell(a0)
			return out
		}
	case "cmd":
		if p.lang == LangOther {
			p.argv(plain(args))
			return out
		}

	// one call for each
	case "array_map", "map", "array_walk":
		do, over := a0, arg(args, 1)
		if last == "array_walk" {
			do, over = over, do
		}
		switch {
		case f.recv != nil || base != "" || len(plain(args)) < 2:
		case p.lang == LangPHP && do.static:
			return p.call(cval{name: text(do)}, []cval{p.each(over)})
		case p.lang == LangPython && last == "map" && do.name != "":
			return p.call(do, []cval{p.each(over)})
		}

	// deletes
	case "rmtree", "remove_tree", "rm_rf", "rm_r", "remove_dir", "remove_entry", "remove_entry_secure", "removeSync", "emptyDirSync", "emptyDir", "rimraf", "rimrafSync", "rmrf", "deleteSync", "deleteDirectory", "native":
		if last == "native" && !strings.Contains(base, "rimraf") {
			break
		}
		if (last == "rmtree" || last == "remove_tree") && p.lang == LangPerl {
			for _, v := range plain(args) {
				p.effect(DeleteTree, v)
			}
			return out
		}
		p.effect(DeleteTree, a0)
		return out
	case "sync":
		if strings.Contains(base, "rimraf") || base == "del" {
			p.effect(DeleteTree, a0)
			return out
		}
	case "rmSync", "rm", "rmdirSync", "rmdir", "removeFile":
		k := DeleteFile
		for _, a := range args {
			if a.kw == "recursive" && p.lang == LangOther {
				k = DeleteTree
			}
			if strings.Contains(a.obj, "recursive:true") || strings.Contains(a.obj, "recursive:!0") || strings.Contains(a.obj, "recursive:1") {
				k = DeleteTree
			}
		}
		if p.lang == LangNode && last == "rm" && (base == "shell" || base == "shelljs") {
			k = DeleteTree
			if list := plain(args); len(list) > 1 {
				p.effect(k, list[1])
				return out
			}
		}
		if p.lang == LangNode || base != "" || p.lang == LangPHP || p.lang == LangPerl || k == DeleteTree {
			for i, v := range plain(args) {
				if i > 0 && p.lang != LangPerl && p.lang != LangRuby {
					break
				}
				p.effect(k, v)
			}
			return out
		}
	case "remove", "removeAll":
		switch {
		case base == "os" || strings.HasPrefix(base, "os."):
			p.effect(DeleteFile, a0)
			return out
		case base == "Deno" || base == "fs" || strings.Contains(base, "fs-extra") || base == "fse" || base == "fs.promises" || base == "FileUtils" || base == "file":
			k := DeleteFile
			if base != "FileUtils" && (base != "Deno" || hasOption(args, "recursive:true")) {
				k = DeleteTree
			}
			p.effect(k, a0)
			return out
		}
	case "unlink", "unlinkSync", "removedirs", "delete", "rm_f", "safe_unlink", "unlinkat", "send2trash", "trash", "trashItem":
		ok := f.recv == nil
		if p.lang == LangOther { // R: unlink(x, recursive=TRUE); Vim: delete(x, "rf")
			k := DeleteFile
			for _, a := range args {
				if a.kw == "recursive" || text(a) == "rf" {
					k = DeleteTree
				}
			}
			p.effect(k, a0)
			return out
		}
		if last == "delete" {
			ok = base == "File" || base == "Dir" || base == "FileUtils" || base == "FileSystem" || base == "IO" || base == "Pathname"
		}
		if ok {
			for i, v := range plain(args) {
				if i > 0 && p.lang != LangPerl && p.lang != LangRuby {
					break
				}
				p.effect(DeleteFile, v)
			}
			return out
		}

	// files
	case "open", "fopen", "openSync":
		if f.recv != nil {
			break
		}
		return p.open(base, args)
	case "write_text", "write_bytes":
		p.effect(WriteFile, a0)
		return out
	case "writeFileSync", "writeFile", "appendFileSync", "appendFile", "createWriteStream", "truncateSync", "truncate", "file_put_contents", "writeTextFile", "writeTextFileSync", "outputFile", "outputFileSync", "outputJsonSync", "writeJsonSync", "writeJson", "chmodSync", "chownSync", "binwrite", "utimesSync", "writelines":
		if last == "truncate" && base != "os" && base != "fs" && base != "File" && base != "" {
			break
		}
		if base != "" || f.recv == nil {
			p.effect(WriteFile, a0)
			return out
		}
	case "write", "touch", "chmod", "mknod":
		if base == "File" || base == "IO" || base == "Bun" || base == "FileUtils" || base == "os" && last == "chmod" || (p.lang == LangPHP || p.lang == LangPerl) && base == "" && last != "write" {
			i := 0
			if last == "chmod" && (p.lang == LangRuby || p.lang == LangPerl) {
				i = 1
			}
			p.effect(WriteFile, arg(args, i))
			return out
		}
	case "readFileSync", "readFile", "createReadStream", "file_get_contents", "readfile", "readTextFile", "readTextFileSync", "readJsonSync", "readJson", "readlines", "foreach", "binread", "slurp", "read_file", "read_csv", "dotenv_values", "lines", "highlight_file", "show_source", "loadtxt", "fromfile", "getlines", "read_text", "parse_ini_file":
		if f.recv == nil || len(args) > 0 {
			if last == "lines" && base != "io" || last == "foreach" && base != "File" && base != "IO" {
				break
			}
			p.effect(ReadFile, a0)
			return out
		}
	case "read", "file":
		if base == "File" || base == "IO" || base == "Bun" || last == "file" && p.lang == LangPHP {
			p.effect(ReadFile, a0)
			return out
		}
	case "rename", "renameSync", "replace", "renames", "move", "moveSync", "mv":
		if f.recv == nil && (base != "" || p.lang == LangPerl || p.lang == LangPHP || p.lang == LangNode) {
			p.pair(MoveFile, plain(args))
			return out
		}
	case "symlink", "symlinkSync", "link", "linkSync", "ln_s", "ln_sf", "ln", "make_symlink":
		if f.recv == nil && (base != "" || p.lang == LangPerl || p.lang == LangPHP) {
			p.pair(LinkFile, plain(args))
			return out
		}
	case "copyFileSync", "copyFile", "cpSync", "cp", "copy", "copy2", "copyfile", "copytree", "cp_r", "copy_file", "copySync":
		if f.recv == nil && (base != "" || p.lang == LangPerl || p.lang == LangPHP) {
			p.pair(CopyFile, plain(args))
			return out
		}

	// network
	case "urlopen", "urlretrieve", "fetch", "create_connection", "fsockopen", "curl_init", "curl_exec", "stream_socket_client", "HTTPSConnection", "HTTPConnection", "SMTP", "SMTP_SSL", "FTP", "getstore", "sendmail", "WebSocket", "createConnection", "mail", "get_response", "post_form":
		p.envObject(args)
		p.effect(Network, a0)
		return out
	case "get", "post", "put", "patch", "head", "request", "connect", "start", "sendto":
		switch base {
		case "requests", "httpx", "axios", "http", "https", "got", "superagent", "Net.HTTP", "HTTParty", "RestClient", "Faraday", "HTTP", "net", "tls", "http2", "ky", "needle", "LWP.Simple", "URI", "urllib3", "aiohttp", "$http":
			p.envObject(args)
			for _, a := range args {
				if a.env {
					p.effect(ReadEnv, a)
				}
			}
			p.effect(Network, a0)
			return out
		case "socket":
			p.effect(Network, a0)
			return out
		case "":
			if p.lang == LangPerl && f.recv == nil && (last == "get" || last == "head") {
				p.effect(Network, a0)
				return out
			}
		}
		if f.recv != nil && f.recv.http {
			p.effect(Network, a0)
			return out
		}
	case "new":
		switch base {
		case "TCPSocket", "UDPSocket", "Net.HTTP", "IO.Socket.INET", "LWP.UserAgent", "HTTP.Tiny", "OpenSSL.SSL.SSLSocket":
			out.http = true
			out.value = unknownCode().value
			if base == "TCPSocket" || base == "IO.Socket.INET" || base == "Net.HTTP" {
				p.effect(Network, a0)
			}
			return out
		case "Pathname", "File":
			if base == "File" {
				return p.open("File", args)
			}
			return a0
		}
	case "Session", "Client", "socket", "PoolManager", "axios", "got":
		if last == "axios" || last == "got" {
			p.effect(Network, a0)
			return out
		}
		out.http = true
		return out
	case "require", "__import__", "import_module":
		if a0.static {
			return cval{name: strings.TrimPrefix(text(a0), "node:")}
		}
	case "import":
		if a0.static && p.lang == LangNode {
			return cval{name: strings.TrimPrefix(text(a0), "node:")}
		}
	case "getattr":
		if v := arg(args, 1); v.static && a0.name != "" {
			return cval{name: a0.name + "." + text(v)}
		}
	case "all":
		if base == "Promise" {
			return a0
		}
	}
	return out
}

// envObject notes the whole environment inside an object literal.
func (p *coder) envObject(args []cval) {
	for _, a := range args {
		if _, after, ok := strings.Cut(a.obj, "process.env"); ok && (after == "" || after[0] != '.' && after[0] != '[') {
			p.effect(ReadEnv, unknownCode())
			return
		}
	}
}

func hasOption(args []cval, want string) bool {
	for _, a := range args {
		if strings.Contains(a.obj, want) {
			return true
		}
	}
	return false
}

// writesMode reports whether v is a file mode and no argument.
func writesMode(v cval) bool {
	t := text(v)
	return len(t) > 0 && len(t) <= 3 && strings.Trim(t, "rwab+t") == ""
}

// open is open(path, mode) in its many forms.
func (p *coder) open(base string, args []cval) cval {
	list := plain(args)
	if len(list) == 0 {
		return unknownCode()
	}
	path, mode := list[0], ""
	if len(list) > 1 {
		mode = text(list[1])
	}
	if k, ok := kwarg(args, "mode"); ok {
		mode = text(k)
	}
	if p.lang == LangPerl && len(list) > 1 { // open(F, '<', path), open(F, '>path')
		mode = strings.TrimSpace(text(list[1]))
		switch {
		case len(list) > 2 && (mode == "-|" || mode == "|-"):
			p.argvOrShell(list[2:])
			return unknownCode()
		case len(list) > 2:
			path = list[2]
		case strings.HasSuffix(mode, "|"):
			v := list[1]
			v.value = mapValue(v.value.safe(), func(s string) string { return strings.TrimSuffix(strings.TrimSpace(s), "|") })
			p.shell(v)
			return unknownCode()
		case strings.HasPrefix(mode, "|"):
			v := list[1]
			v.value = mapValue(v.value.safe(), func(s string) string { return strings.TrimPrefix(strings.TrimSpace(s), "|") })
			p.shell(v)
			return unknownCode()
		default:
			path = list[1]
			path.value = mapValue(path.value.safe(), func(s string) string { return strings.TrimLeft(s, "<>+ ") })
		}
	}
	if p.lang == LangRuby && strings.HasPrefix(text(path), "|") && base != "File" {
		v := path
		v.value = mapValue(v.value.safe(), func(s string) string { return strings.TrimPrefix(s, "|") })
		p.shell(v)
		return unknownCode()
	}
	if base == "URI" || base == "webbrowser" {
		p.effect(Network, path)
		return unknownCode()
	}
	k := ReadFile
	if writes(mode) || base == "os" && strings.Contains(mode, "O_") {
		k = WriteFile
	}
	if base == "os" && len(list) > 1 && strings.Contains(list[1].name, "O_") && !strings.HasSuffix(list[1].name, "O_RDONLY") {
		k = WriteFile
	}
	p.effect(k, path)
	return unknownCode()
}

func (p *coder) argvOrShell(list []cval) {
	if len(list) == 1 {
		p.shell(list[0])
	} else {
		p.argv(list)
	}
}

// method is a call on a value: Path('x').unlink().
func (p *coder) method(f cval, args []cval) (cval, bool) {
	recv := *f.recv
	hasPath := len(recv.texts) > 0 && !(recv.name != "" && !recv.static)
	switch f.name {
	case "expanduser":
		return p.expandHome(recv), true
	case "resolve", "absolute", "decode", "encode", "toString", "strip", "trim", "to_s", "as_posix", "expand_path", "realpath", "cleanpath", "chomp", "freeze", "trimEnd", "rstrip", "to_path":
		return recv, true
	case "joinpath", "join":
		if f.name == "join" && len(args) == 1 && args[0].isArr { // ' '.join([…])
			return p.joinWith(recv, args[0].elems), true
		}
		if f.name == "join" && recv.isArr {
			return p.joinWith(arg(args, 0), recv.elems), true
		}
		return p.join(append([]cval{recv}, plain(args)...)), true
	case "concat":
		v := recv
		for _, a := range args {
			v = cval{value: p.r.concat(v.value.safe(), a.value.safe())}
		}
		return v, true
	case "format":
		return p.braced(recv, args), true
	case "split":
		if recv.static && len(recv.texts) == 1 {
			out := cval{isArr: true}
			list := strings.Fields(recv.texts[0])
			if sep := arg(args, 0); sep.static && text(sep) != "" {
				list = strings.Split(recv.texts[0], text(sep))
			}
			for _, w := range list {
				if len(out.elems) < 512 {
					out.elems = append(out.elems, knownCode(w))
				}
			}
			return out, true
		}
	case "reverse":
		if recv.isArr {
			out := recv
			out.elems = nil
			for _, v := range slices.Backward(recv.elems) {
				out.elems = append(out.elems, v)
			}
			return out, true
		}
	case "glob", "rglob":
		if hasPath {
			v := p.join([]cval{recv, arg(args, 0)})
			v.glob = true
			return v, true
		}
	case "iterdir", "children":
		if hasPath {
			v := p.join([]cval{recv, knownCode("*")})
			v.glob = true
			return v, true
		}
	case "rmtree":
		if hasPath && len(args) == 0 {
			p.effect(DeleteTree, recv)
			return unknownCode(), true
		}
	case "unlink", "rmdir", "delete":
		if hasPath && !recv.http {
			p.effect(DeleteFile, recv)
			return unknownCode(), true
		}
	case "write_text", "write_bytes", "touch", "truncate", "chmod", "write", "binwrite":
		if hasPath && (recv.static || recv.vars != nil) {
			p.effect(WriteFile, recv)
			return unknownCode(), true
		}
		return unknownCode(), true
	case "read_text", "read_bytes", "read", "readlines", "binread", "text":
		if hasPath && (recv.static || recv.vars != nil) {
			p.effect(ReadFile, recv)
		}
		return unknownCode(), true
	case "open":
		if hasPath {
			k := ReadFile
			if writes(text(arg(args, 0))) {
				k = WriteFile
			}
			p.effect(k, recv)
			return unknownCode(), true
		}
	case "symlink_to", "hardlink_to", "make_symlink":
		if hasPath && len(args) > 0 {
			p.pair(LinkFile, []cval{args[0], recv})
		}
		return unknownCode(), true
	case "rename", "replace", "move":
		if hasPath && len(args) == 1 && p.lang != LangNode {
			p.pair(MoveFile, []cval{recv, args[0]})
			return arg(args, 0), true
		}
		return unknownCode(), true
	case "execute":
		if recv.static && p.lang == LangOther { // groovy's "cmd".execute()
			p.shell(recv)
			return unknownCode(), true
		}
	case "then", "catch", "finally":
		return unknownCode(), true
	case "items", "to_h", "to_a", "copy", "to_json", "inspect":
		if recv.env {
			return recv, true
		}
	case "forEach", "map", "each":
		return unknownCode(), true
	}
	return cval{}, false
}

// braced is 'rm {}'.format(x).
func (p *coder) braced(v cval, args []cval) cval {
	t := text(v)
	out := known("")
	n := 0
	for i := 0; i < len(t); {
		j := strings.IndexByte(t[i:], '{')
		if j < 0 {
			out = p.r.concat(out, known(t[i:]))
			break
		}
		out = p.r.concat(out, known(t[i:i+j]))
		k := strings.IndexByte(t[i+j:], '}')
		if k < 0 {
			break
		}
		key := t[i+j+1 : i+j+k]
		w := unknownCode()
		if m, ok := atoi(key); ok {
			w = arg(args, m)
		} else if key == "" {
			w = arg(args, n)
			n++
		} else if x, ok := kwarg(args, key); ok {
			w = x
		}
		out = p.r.concat(out, w.value.safe())
		i += j + k + 1
	}
	out.static = out.static && v.static
	return cval{value: out}
}

func (p *coder) joinWith(sep cval, list []cval) cval {
	out := known("")
	for i, e := range list {
		if i > 0 {
			out = p.r.concat(out, sep.value.safe())
		}
		out = p.r.concat(out, e.value.safe())
	}
	return cval{value: out}
}

func (p *coder) expandHome(v cval) cval {
	h := p.r.home(p.s, p.st)
	t := text(v)
	if t != "~" && !strings.HasPrefix(t, "~/") {
		return v
	}
	rest := v.value
	rest.texts = []string{t[1:]}
	return cval{value: p.r.concat(h, rest)}
}

// paths are the calls that only make or change a value.
func (p *coder) paths(name string, args []cval) (cval, bool) {
	a0 := arg(args, 0)
	switch name {
	case "os.path.expanduser", "expanduser", "path.expanduser", "File.expand_path", "untildify":
		return p.expandHome(a0), true
	case "os.path.join", "path.join", "path.resolve", "path.posix.join", "File.join", "posixpath.join", "join", "filepath.Join", "resolve", "std.path.join":
		if name == "join" && p.lang == LangPerl { // join ' ', list
			list := plain(args)
			if len(list) > 1 {
				rest := list[1:]
				if len(rest) == 1 && rest[0].isArr {
					rest = rest[0].elems
				}
				return p.joinWith(list[0], rest), true
			}
			return unknownCode(), true
		}
		if name == "join" && p.names["join"] == "" && p.lang == LangPython {
			return unknownCode(), true
		}
		return p.join(plain(args)), true
	case "Path", "pathlib.Path", "PurePath", "pathlib.PurePath", "PosixPath", "pathlib.PosixPath", "Pathname", "Pathname.new":
		if len(args) == 0 {
			return knownCode("."), true
		}
		return p.join(plain(args)), true
	case "Path.home", "pathlib.Path.home", "os.homedir", "homedir", "Dir.home", "Etc.getpwuid.dir":
		return cval{value: p.r.home(p.s, p.st)}, true
	case "Path.cwd", "pathlib.Path.cwd", "os.getcwd", "process.cwd", "Dir.pwd", "Dir.getwd", "getcwd", "Deno.cwd", "cwd":
		return cval{value: p.cwd()}, true
	case "os.path.abspath", "os.path.realpath", "os.path.normpath", "str", "String", "os.fspath", "bytes", "repr", "abspath", "realpath", "normpath", "Array", "tuple", "list", "path.normalize", "fs.realpathSync", "File.realpath", "escapeshellarg", "escapeshellcmd", "Shellwords.escape", "shlex.quote", "shellescape", "b", "fileURLToPath":
		if a0.env {
			a0.name = "" // no longer what has methods of its own
		}
		return a0, true
	case "os.environ.get", "os.getenv", "getenv", "ENV.fetch", "Deno.env.get", "environ.get":
		if a0.static && text(a0) != "" {
			v := p.r.variable(text(a0), p.st, p.s).first()
			if d := arg(args, 1); !v.static && len(d.texts) > 0 && d.static {
				v = v.or(d.value)
			}
			return cval{value: v}, true
		}
		if name == "getenv" || name == "os.getenv" {
			return cval{env: true, value: unknownCode().value}, true
		}
	case "tempfile.mkdtemp", "mkdtemp", "fs.mkdtempSync", "mkdtempSync", "fs.mkdtemp", "fsp.mkdtemp", "fs.promises.mkdtemp", "Dir.mktmpdir", "tempdir", "File.Temp.tempdir", "tempfile.TemporaryDirectory", "Deno.makeTempDirSync", "Deno.makeTempDir", "tempfile.mktemp":
		// A new folder: below the temporary one unless an argument says where.
		at := knownCode("/tmp/tmp")
		switch {
		case p.lang == LangNode && strings.HasPrefix(lastName(name), "mkdtemp"):
			at = a0
		case hasOption(args, "dir"):
			return unknownCode(), true
		default:
			if d, ok := kwarg(args, "dir"); ok {
				at = p.join([]cval{d, knownCode("tmp")})
			}
		}
		v := p.r.concat(at.value.safe(), unknownCode().value)
		v.blank = false
		return cval{value: v}, true
	case "tempfile.gettempdir", "gettempdir", "os.tmpdir", "tmpdir", "Dir.tmpdir", "sys_get_temp_dir", "File.Spec.tmpdir":
		return knownCode("/tmp"), true
	case "Deno.env.toObject", "ENV.to_h", "ENV.to_a", "ENV.inspect", "ENV.to_hash", "ENV.sort", "os.environ.items", "os.environ.copy", "environ.items":
		return cval{env: true, value: unknownCode().value}, true
	case "os.path.dirname", "path.dirname", "File.dirname", "dirname":
		if a0.static {
			return cval{value: mapValue(a0.value, func(s string) string {
				i := strings.LastIndexByte(s, '/')
				switch {
				case i < 0:
					return "."
				case i == 0:
					return "/"
				}
				return s[:i]
			})}, true
		}
	case "base64.b64decode", "b64decode", "atob", "Base64.decode64", "base64_decode", "decode_base64", "MIME.Base64.decode_base64", "base64.decodebytes", "base64.urlsafe_b64decode", "Base64.strict_decode64":
		return decode64(a0), true
	case "Buffer.from":
		if text(arg(args, 1)) == "base64" {
			return decode64(a0), true
		}
		return a0, true
	case "glob.glob", "glob.iglob", "Dir.glob", "glob", "globSync", "glob.sync", "iglob", "fg.sync":
		v := a0
		v.glob = true
		return v, true
	case "os.listdir", "os.scandir", "fs.readdirSync", "readdirSync", "scandir", "Dir.entries", "Dir.children", "os.walk", "RecursiveDirectoryIterator", "FilesystemIterator", "DirectoryIterator":
		v := p.join([]cval{a0, knownCode("*")})
		v.glob = true
		v.walk = name == "os.walk"
		return v, true
	case "sorted", "reversed", "set", "iter", "array_filter", "array_values", "array_unique", "array_reverse", "iterator_to_array", "RecursiveIteratorIterator":
		return a0, true
	case "shlex.split", "Shellwords.split", "shellwords":
		if a0.static {
			out := cval{isArr: true}
			t := text(a0)
			for i, w := range looseWordsOf(t) {
				if i < 512 {
					out.elems = append(out.elems, knownCode(w))
				}
			}
			return out, true
		}
	case "chr", "String.fromCharCode":
		var sb strings.Builder
		for _, a := range plain(args) {
			n, ok := atoi(text(a))
			if !ok || n > 0x10ffff {
				return unknownCode(), true
			}
			sb.WriteRune(rune(n))
		}
		return knownCode(sb.String()), true
	case "sprintf", "format", "util.format", "string.format":
		if list := plain(args); len(list) > 0 && len(list[0].texts) > 0 && p.lang != LangPython {
			return p.format(list[0], cval{isArr: true, elems: list[1:]}), true
		}
	}
	return cval{}, false
}

func looseWordsOf(s string) []string {
	var out []string
	for _, w := range looseWords(&source{body: s}, 0, len(s)) {
		out = append(out, w.Text)
	}
	return out
}
