package policy

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// taint says what a text or file may hold. The zero value is nothing special.
type taint uint8

const (
	fromSecret  taint = 1 << iota // content of a secret file
	fromEnv                       // a dump of the environment
	fromNetwork                   // fetched from another machine
	fromDecoder                   // decoded from base64, hex and the like
	fromFolder                    // a project's folder that holds a secret file which nothing names
)

const leaks = fromSecret | fromEnv | fromFolder

// flow follows what a line reads from secret files, the environment and the
// network to where it goes: pipes, files written and read again in the same
// line, variables and descriptors.
type flow struct {
	j     *judge
	out   []taint            // what each command prints
	in    []taint            // what each command reads from its input
	files map[string]taint   // by absolute path, of files that the line wrote
	under map[string]*[5]int // by folder: how many files below it have each taint
	fixed map[string]bool    // files whose whole content the line wrote harmlessly
	vars  map[string]taint   // of variables set by read and its kin
	fds   map[string]end     // descriptors that exec opened, by number
	env   map[string][]string
	texts map[string]string // of variables read from text in the line
	code  map[int][]string  // commands that run such text

	exfil  map[int]string // command that sends, and what
	remote map[int]string // command that runs, and what
	folder map[int]string // command that sends a folder, and a secret file below it
	name   string         // the first secret seen
	below  string         // the first secret file seen below a folder
}

// end is what a descriptor is joined to.
type end struct {
	net    bool
	t      taint
	path   string
	runs   []int  // shells that execute what is written there
	text   string // what can be read from it, if that is in the line
	closed bool
}

// flows returns the flow of the current line. It is nil when nothing in the
// line could send or run anything.
func (j *judge) flows() *flow {
	if j.flow == nil {
		j.flow = &flow{j: j}
		if j.line != nil && j.mayFlow() {
			now := j.now
			j.now = 1 << 30
			j.flow.run()
			j.now = now
		}
	}
	return j.flow
}

// mayFlow is the cheap test: some command is a network program, or runs
// program text that is not plainly in the line.
func (j *judge) mayFlow() bool {
	for i := range j.line.Commands {
		c := &j.line.Commands[i]
		if networkName(c.Program) || c.Program == "tar" || c.Program == "gtar" {
			return true
		}
		for k := range c.Code {
			if len(c.Code[k].Sources) > 0 || c.Code[k].From == shellcmd.FromFile || !c.Code[k].Known {
				return true
			}
		}
		for k := range c.Redirects {
			if netPath(c.Redirects[k].Target.Text) {
				return true
			}
		}
		for k := range c.Effects {
			if c.Effects[k].Kind == shellcmd.Network {
				return true
			}
		}
	}
	return false
}

// netPath reports whether bash opens a connection for a redirect to p.
func netPath(p string) bool {
	return strings.HasPrefix(p, "/dev/tcp/") || strings.HasPrefix(p, "/dev/udp/")
}

// networkName reports whether a program talks to other machines.
func networkName(name string) bool {
	switch name {
	case "curl", "wget", "wget2", "http", "https", "xh", "xhs", "httpie", "nc", "ncat", "netcat", "socat", "telnet", "ssh", "scp", "sftp", "rsync",
		"ftp", "lftp", "ncftp", "ncftpput", "smbclient", "yafc", "tftp", "rclone", "mail", "mailx", "sendmail", "mutt", "s-nail", "msmtp", "swaks", "nslookup", "dig", "host", "drill",
		"fetch", "aria2c", "axel", "lynx", "w3m", "links", "elinks", "websocat", "curlie", "openssl", "croc", "wormhole", "transfer", "ping", "whois",
		"finger", "gh", "aws", "gsutil", "gcloud", "az", "s3cmd", "mc", "iwr", "irm", "invoke-webrequest", "invoke-restmethod",
		"start-bitstransfer", "bitsadmin", "certutil", "plink", "pscp", "kdig", "doggo", "snmptrap", "logger", "restic", "httpx", "mosh":
		return true
	}
	return false
}

func (f *flow) run() {
	n := len(f.j.line.Commands)
	f.out = make([]taint, n)
	f.in = make([]taint, n)
	f.files, f.fixed = map[string]taint{}, map[string]bool{}
	f.vars, f.fds, f.env = map[string]taint{}, map[string]end{}, map[string][]string{}
	f.exfil, f.remote, f.folder = map[int]string{}, map[int]string{}, map[int]string{}
	f.texts, f.code = map[string]string{}, map[int][]string{}
	cur := f.j.cur
	// Twice: what a background reader or an outer word takes may stand later in
	// the line than the command that takes it. Overwrites count in the second
	// round only for what comes after them.
	for round := range 2 {
		f.files, f.fixed, f.fds = map[string]taint{}, map[string]bool{}, map[string]end{}
		f.under = map[string]*[5]int{}
		f.env = map[string][]string{}
		if round == 1 {
			f.exfil, f.remote, f.folder = map[int]string{}, map[int]string{}, map[int]string{}
		}
		for i := range n {
			c := &f.j.line.Commands[i]
			if c.Has(shellcmd.Uncalled) {
				continue
			}
			f.j.cur = facts{index: i}
			f.step(i, c)
		}
	}
	f.fifos()
	f.j.cur = cur
}

// of is the taint of the outputs of commands.
func (f *flow) of(list []int) taint {
	var t taint
	for _, i := range list {
		if i >= 0 && i < len(f.out) {
			t |= f.out[i]
		}
	}
	return t
}

// word is the taint of a word's own text: substitutions and variables in it.
func (f *flow) word(w *word) taint {
	t := f.of(w.Subst)
	for _, v := range w.Vars {
		t |= f.vars[v]
	}
	return t
}

// file is the taint of the file or folder that a word names.
func (f *flow) file(c *shellcmd.Command, w *word) taint {
	var t taint
	for _, p := range f.j.paths(c, w) {
		t |= f.at(p)
	}
	if s, p := f.j.secretKind(c, w); s != notSecret && !f.cleared(c, w) {
		f.note(p)
		t |= fromSecret
	}
	return t
}

func (f *flow) cleared(c *shellcmd.Command, w *word) bool {
	for _, p := range f.j.paths(c, w) {
		if !f.fixed[p] {
			return false
		}
	}
	return len(f.j.paths(c, w)) > 0
}

func (f *flow) note(p string) {
	if f.name == "" {
		f.name = p
	}
}

// at is the taint of an absolute path: of itself, of what lies below it, and
// of the folder it came with.
func (f *flow) at(p string) taint {
	var t taint
	if keepsSecrets(p) {
		f.below = p
		t = fromFolder
	}
	if len(f.files) == 0 {
		return t
	}
	t |= f.files[p]
	if n := f.under[p]; n != nil {
		for b := range n {
			if n[b] > 0 {
				t |= 1 << b
			}
		}
	}
	for up := path.Dir(p); len(up) > 1; up = path.Dir(up) {
		t |= f.files[up]
		if up == path.Dir(up) {
			break
		}
	}
	return t
}

// hold sets the taint of one file and keeps the counts of the folders above.
func (f *flow) hold(p string, t taint) {
	old := f.files[p]
	if old == t {
		return
	}
	if t == 0 {
		delete(f.files, p)
	} else {
		f.files[p] = t
	}
	for up, depth := path.Dir(p), 0; len(up) > 1 && depth < 64; up, depth = path.Dir(up), depth+1 {
		n := f.under[up]
		if n == nil {
			n = new([5]int)
			f.under[up] = n
		}
		for b := range n {
			if old&(1<<b) != 0 {
				n[b]--
			}
			if t&(1<<b) != 0 {
				n[b]++
			}
		}
		if up == path.Dir(up) {
			break
		}
	}
}

// release drops a file, and all files below it if it is a folder.
func (f *flow) release(p string) {
	f.hold(p, 0)
	if n := f.under[p]; n == nil || *n == [5]int{} {
		return
	}
	for q := range f.files {
		if f.j.below(p, q) {
			f.hold(q, 0)
		}
	}
}

// tree is the taint of a folder taken whole, what is really in it included.
func (f *flow) tree(c *shellcmd.Command, w *word) taint {
	t := f.file(c, w)
	if secretFolder(w.Text) {
		f.note(w.Text)
		t |= fromSecret
	}
	if t&fromSecret == 0 && !unknown(w) {
		for _, p := range f.j.paths(c, w) {
			if name := f.j.secretBelow(p, nil); name != "" {
				if out := f.j.exclusions(c); len(out) > 0 {
					if name = f.j.secretBelow(p, out); name == "" {
						continue
					}
				}
				if f.deploys(c, p) {
					f.below = name
					t |= fromFolder
					continue
				}
				f.note(name)
				t |= fromSecret
			}
		}
	}
	return t
}

// keepsSecrets reports whether a file is none that anybody calls secret, and yet
// usually holds some: what Terraform knows of its resources, what was typed.
func keepsSecrets(p string) bool {
	base := strings.ToLower(baseName(p))
	switch base {
	case ".bash_history", ".zsh_history", ".sh_history", ".ash_history", ".history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history", ".mongo_history",
		".rediscli_history", ".sqlite_history", "fish_history", ".irb_history", ".pry_history", "consolehost_history.txt":
		return true
	}
	return strings.HasSuffix(base, ".tfstate") || strings.HasSuffix(base, ".tfstate.backup")
}

// deploys reports whether a folder is taken for what the project keeps in it and
// not for the secret file below it: the whole project, or a part of it where the
// only secret files are .env and its kin.
func (f *flow) deploys(c *shellcmd.Command, p string) bool {
	j := f.j
	if j.same(p, j.root) {
		return true
	}
	out := append(j.exclusions(c), ".env", ".env.*", "*.env", ".envrc", ".dev.vars", ".flaskenv")
	return j.within(j.root, p) && j.secretBelow(p, out) == ""
}

// secretBelow finds a secret file in a folder, looking at a bounded number of
// entries, but for what the patterns leave out; "" if there is none.
func (j *judge) secretBelow(p string, out []string) string {
	if j.fs == nil || !j.isDir(p) {
		return ""
	}
	left := 600
	var walk func(dir string, depth int) string
	walk = func(dir string, depth int) string {
		entries, err := j.fs.ReadDir(dir)
		if err != nil {
			return ""
		}
		for _, e := range entries {
			if left--; left < 0 {
				return ""
			}
			name := dir + "/" + e.Name()
			if len(out) > 0 && excluded(out, strings.TrimPrefix(name[min(len(p), len(name)):], "/")) {
				continue
			}
			if e.IsDir() {
				if n := e.Name(); depth < 5 && n != "node_modules" && n != ".git" && n != "vendor" {
					if s := walk(name, depth+1); s != "" {
						return s
					}
				}
				continue
			}
			if s, _ := j.secretAt(dir, e.Name()); s != notSecret {
				return name
			}
		}
		return ""
	}
	return walk(p, 0)
}

// put records what a file holds after a command. Only a plain overwrite that
// surely happens takes an old taint away.
func (f *flow) put(c *shellcmd.Command, w *word, t taint, appends bool) {
	for _, p := range f.j.paths(c, w) {
		if secretPath(p) == secretEnv || secretPath(p) == secretKey || secretPath(p) == secretCloud {
			f.note(p)
			t |= fromSecret
		}
		sure := !c.Has(shellcmd.Conditional) && !appends
		if sure {
			f.hold(p, t)
			f.fixed[p] = t == 0
			continue
		}
		f.hold(p, f.files[p]|t)
	}
}

func (f *flow) drop(c *shellcmd.Command, w *word) {
	if c.Has(shellcmd.Conditional) {
		return
	}
	for _, p := range f.j.paths(c, w) {
		f.release(p)
	}
}

// fd returns what descriptor word d of a redirect is joined to.
func (f *flow) fd(w *word) (end, bool) {
	t := strings.TrimSuffix(w.Text, "-")
	if e, ok := f.fds[t]; ok {
		return e, !e.closed
	}
	if unknown(w) && len(w.Vars) > 0 {
		// A descriptor that {name}> allocated, or one of several: any that is
		// still open.
		var all end
		ok := false
		for k, e := range f.fds {
			if e.closed || len(k) < 2 && !strings.Contains(w.Vars[0], "COPROC") && !several(w) {
				continue
			}
			all.net, all.t, all.runs, ok = all.net || e.net, all.t|e.t, append(all.runs, e.runs...), true
			if e.text != "" {
				all.text = e.text
			}
		}
		if strings.Contains(w.Vars[0], "COPROC") {
			for i := range f.j.line.Commands {
				c := &f.j.line.Commands[i]
				if c.Has(shellcmd.Background) && networkName(c.Program) {
					all.net, ok = true, true
				}
			}
		}
		return all, ok
	}
	return end{}, false
}

func several(w *word) bool { return len(w.Or) > 0 }

// fdPath returns the descriptor that a path such as /dev/fd/3 names.
func fdPath(p string) (string, bool) {
	for _, pre := range [...]string{"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/", "/proc/$$/fd/"} {
		if n, ok := strings.CutPrefix(p, pre); ok && n != "" {
			return n, true
		}
	}
	return "", false
}

// step follows one command.
func (f *flow) step(i int, c *shellcmd.Command) {
	j := f.j
	// Input.
	in := f.of(c.Stdin.Peers)
	toNet := false // its output goes to the network by redirect
	inFromNet := false
	var scoped []string // descriptors that are open for this command alone
	defer func() {
		for _, k := range scoped {
			delete(f.fds, k)
		}
	}()
	for k := range c.Redirects {
		r := &c.Redirects[k]
		if r.Outer && (r.Fd > 2 || c.Program == "exec") || r.Fd > 2 && c.Program != "exec" {
			// Of a block, of an exec before (known already), or its own.
			key := strconv.Itoa(r.Fd)
			if _, known := f.fds[key]; !known && c.Program != "exec" && len(c.Argv) > 0 {
				f.open(c, r)
				scoped = append(scoped, key)
			}
			if r.Outer || len(c.Argv) > 0 && c.Program != ":" {
				continue
			}
		}
		switch {
		case r.Op == "<" || r.Op == "<>":
			if netPath(r.Target.Text) {
				in |= fromNetwork
				inFromNet = true
			}
			if n, ok := fdPath(r.Target.Text); ok {
				if e, ok := f.fds[n]; ok && !e.closed {
					in |= e.t
				}
			}
			in |= f.file(c, &r.Target) | f.word(&r.Target)
			if c.Program == "exec" && len(c.Args()) == 0 {
				f.open(c, r)
			}
		case r.Op == "<&":
			if e, ok := f.fd(&r.Target); ok {
				in |= e.t
			}
			if c.Program == "exec" && len(c.Args()) == 0 {
				f.open(c, r)
			}
		case r.Op == "<<<" || r.Op == "<<" || r.Op == "<<-":
			in |= f.word(&r.Target) | f.word(&r.Body)
			if c.Program == "exec" && len(c.Args()) == 0 {
				f.open(c, r)
			}
		case r.Op == ">&" && (!r.Writes() || unknown(&r.Target) && len(r.Target.Vars) > 0):
			if c.Program == "exec" && len(c.Args()) == 0 {
				f.open(c, r)
				continue
			}
			if e, ok := f.fd(&r.Target); ok {
				if e.net {
					toNet = true
				}
				for _, n := range e.runs {
					if networkName(c.Program) || f.out[i]&(fromNetwork|fromDecoder) != 0 {
						f.remote[n] = "runs what was fetched from the network"
					}
				}
				if e.path != "" {
					defer func(p string) {
						f.hold(p, f.files[p]|f.out[i])
					}(e.path)
				}
			}
		case r.Writes():
			if netPath(r.Target.Text) {
				toNet = true
			}
			if n, ok := fdPath(r.Target.Text); ok {
				if e, ok := f.fds[n]; ok && e.net && !e.closed {
					toNet = true
				}
			}
			if len(c.Argv) == 0 || c.Program == "exec" && len(c.Args()) == 0 || c.Program == ":" {
				f.open(c, r)
			}
		}
	}
	f.in[i] = in

	// Arguments.
	var words, named taint
	args := c.Args()
	for k := range args {
		words |= f.word(&args[k])
	}
	switch j.handles(c) {
	case neutral:
	default:
		for _, u := range j.usesOf(c) {
			if !u.in && !f.cleared(c, u.w) {
				f.note(u.path)
				named |= fromSecret
			}
		}
	}
	skip := patternArgs(c)
	for k := range args {
		if k < 64 && skip&(1<<uint(k)) != 0 {
			continue
		}
		t := args[k].Text
		if t == "" || t == "-" {
			continue
		}
		if n, ok := fdPath(t); ok {
			if e, ok := f.fds[n]; ok && !e.closed {
				named |= e.t
				if e.net {
					toNet = true
				}
			} else if unknown(&args[k]) {
				if e, ok := f.fd(&args[k]); ok {
					named |= e.t
				}
			}
		}
		for _, p := range j.paths(c, &args[k]) {
			named |= f.at(p)
		}
		if v := attached(t); v != "" {
			a := tail(&args[k], v)
			for _, p := range j.paths(c, a) {
				named |= f.at(p)
			}
		}
	}
	for k := range c.Effects {
		e := &c.Effects[k]
		switch e.Kind {
		case shellcmd.ReadFile:
			named |= f.file(c, &e.Path)
		case shellcmd.ReadEnv:
			named |= fromEnv
		case shellcmd.Network:
			if (named|in|words)&leaks != 0 {
				f.sent(i, named|in|words)
			}
			named |= fromNetwork
		}
	}

	// What it prints.
	out := f.printed(c, in, words, named)

	// What it sends.
	f.sends(i, c, in, words, named)
	if toNet && out&leaks != 0 {
		f.sent(i, out)
	}

	// What it runs.
	f.runs(i, c, in)
	if inFromNet && len(c.Code) > 0 {
		f.remote[i] = "runs what it reads from the network"
	}

	// What it writes.
	f.writes(c, in, words, named, out)
	f.assigns(c, in)
	f.out[i] = out
}

// open records a descriptor or file that exec, or a bare redirect, opens.
func (f *flow) open(c *shellcmd.Command, r *shellcmd.Redirect) {
	key := strconv.Itoa(r.Fd)
	t := r.Target.Text
	if strings.HasSuffix(t, "-") && (r.Op == ">&" || r.Op == "<&") {
		if t == "-" {
			if e := f.fds[key]; e.t != 0 || e.net || e.path != "" {
				f.fds[key] = end{closed: true}
			}
			if unknown(&r.Target) || r.Fd >= 10 {
				for k, e := range f.fds {
					if len(k) > 1 {
						e.closed = true
						f.fds[k] = e
					}
				}
			}
			return
		}
		// Moved: the new one is what the old one was.
		if e, ok := f.fd(&r.Target); ok {
			if !unknown(&r.Target) {
				f.fds[strings.TrimSuffix(t, "-")] = end{closed: true}
			}
			f.fds[key] = e
		}
		return
	}
	e := end{net: netPath(t)}
	switch r.Op {
	case ">&", "<&":
		if old, ok := f.fd(&r.Target); ok {
			e = old
		}
	case "<", "<>":
		e.t = f.file(c, &r.Target) | f.word(&r.Target)
		if netPath(t) {
			e.t |= fromNetwork
		}
	case "<<<", "<<", "<<-":
		e.t = f.word(&r.Target) | f.word(&r.Body)
		if e.text = r.Body.Text; r.Op == "<<<" {
			e.text = r.Target.Text
		}
	default:
		for _, n := range r.Target.Subst {
			// exec 3> >(curl …): what goes there is sent, or run.
			if n >= 0 && n < len(f.j.line.Commands) {
				p := &f.j.line.Commands[n]
				e.net = e.net || networkName(p.Program)
				if len(p.Code) > 0 {
					e.runs = append(e.runs, n)
				}
			}
		}
		if ps := f.j.paths(c, &r.Target); len(ps) > 0 && !e.net {
			e.path = ps[0]
			if !strings.Contains(r.Op, ">>") && !c.Has(shellcmd.Conditional) {
				f.hold(e.path, 0)
			}
		}
	}
	if c.Has(shellcmd.Conditional) {
		old := f.fds[key]
		e.net, e.t = e.net || old.net && !old.closed, e.t|old.t
	}
	f.fds[key] = e
}

// printed is the taint of what c prints.
func (f *flow) printed(c *shellcmd.Command, in, words, named taint) taint {
	args := c.Args()
	switch c.Program {
	case "", ":", "true", "false", "test", "[", "[[", "wc", "sha256sum", "sha1sum", "sha512sum", "md5sum", "shasum", "cksum", "b2sum", "stat", "ls", "chmod", "rm",
		"mv", "cp", "ln", "link", "touch", "mkdir", "rmdir", "cd", "export", "unset", "exec", "read", "mapfile", "readarray", "install", "file", "which", "sleep", "ssh-add", "ssh-keygen":
		return 0
	case "echo", "printf", "print":
		t := words
		for i := range args {
			for _, v := range args[i].Vars {
				if secretName(v) {
					f.note("$" + v)
					t |= fromSecret
				}
			}
		}
		return t
	case "env", "printenv", "set", "declare", "typeset", "get-childitem":
		if dumpsEnvironment(c) {
			f.note("the environment")
			return fromEnv
		}
		return 0
	case "base64", "base32", "basenc", "xxd", "openssl", "uudecode":
		t := in | words | named
		if decodes(c) {
			t |= fromDecoder
		}
		if c.Program == "openssl" && len(args) > 0 && args[0].Text == "s_client" {
			t |= fromNetwork
		}
		if hasOut(c) {
			return 0
		}
		return t
	case "tar", "gtar", "bsdtar":
		if tarFile(args) != nil {
			return 0
		}
		t := in | named
		for i := range args {
			if a := args[i].Text; a != "" && a[0] != '-' && i > 0 {
				t |= f.tree(c, &args[i])
			}
		}
		return t
	case "zip", "7z":
		t := in | named
		if len(args) > 0 && args[0].Text == "-" || len(args) > 1 && args[1].Text == "-" {
			return t
		}
		return 0
	case "gzip", "bzip2", "xz", "zstd", "lz4", "pigz", "compress":
		if has((&grammar{short: "S", long: []string{"--suffix"}}).parse(args), "-c", "--stdout", "--to-stdout") || len(operands((&grammar{short: "S"}).parse(args))) == 0 {
			return in | named
		}
		return 0
	}
	if networkName(c.Program) {
		return fetched(c, in)
	}
	switch f.j.handles(c) {
	case neutral:
		if c.Program == "git" || c.Program == "find" || c.Program == "docker" {
			return in & fromNetwork
		}
		return in | words
	case destroys:
		if c.Program == "tee" {
			return in
		}
		return 0
	}
	return in | words | named
}

// decodes reports whether a codec is told to decode.
func decodes(c *shellcmd.Command) bool {
	args := c.Args()
	switch c.Program {
	case "base64", "base32", "basenc":
		for i := range args {
			t := args[i].Text
			if long(t, "--decode", 1) || len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.ContainsAny(t, "dD") {
				return true
			}
		}
	case "xxd":
		for i := range args {
			t := args[i].Text
			if len(t) > 1 && t[0] == '-' && strings.HasPrefix(strings.TrimLeft(t, "-"), "r") {
				return true
			}
		}
	case "openssl":
		if len(args) > 0 && (args[0].Text == "enc" || args[0].Text == "base64" || args[0].Text == "smime" || args[0].Text == "cms" || strings.HasPrefix(args[0].Text, "aes") || args[0].Text == "pkeyutl" || args[0].Text == "rsautl") {
			for i := range args {
				if t := args[i].Text; t == "-d" || t == "-decrypt" {
					return true
				}
			}
		}
	case "uudecode":
		return true
	}
	return false
}

func hasOut(c *shellcmd.Command) bool {
	args := c.Args()
	for i := range args {
		if args[i].Text == "-out" && i+1 < len(args) && args[i+1].Text != "-" && args[i+1].Text != "/dev/stdout" {
			return true
		}
	}
	return false
}

// assigns follows assignments, and the variables that read and its kin fill.
func (f *flow) assigns(c *shellcmd.Command, in taint) {
	set := func(name string, vals []string) {
		if name != "TAR_OPTIONS" && name != "TAPE" {
			return
		}
		if c.Has(shellcmd.Conditional) {
			f.env[name] = append(f.env[name], vals...)
		} else {
			f.env[name] = append([]string(nil), vals...)
		}
	}
	if len(c.Argv) == 0 {
		for i := range c.Assigns {
			set(c.Assigns[i].Name, c.Assigns[i].Value.Values())
		}
		return
	}
	args := c.Args()
	switch c.Program {
	case "export", "declare", "typeset", "readonly", "local":
		for i := range args {
			if name, v, ok := strings.Cut(args[i].Text, "="); ok {
				vals := []string{v}
				for _, o := range args[i].Or {
					if _, ov, ok := strings.Cut(o, "="); ok {
						vals = append(vals, ov)
					}
				}
				set(name, vals)
			}
		}
	case "unset":
		functions := false
		for i := range args {
			if args[i].Text == "-f" {
				functions = true
			}
		}
		if functions || c.Has(shellcmd.Conditional) {
			return
		}
		for i := range args {
			delete(f.env, args[i].Text)
			delete(f.vars, args[i].Text)
		}
	case "read", "mapfile", "readarray":
		t, text := in, c.Stdin.Text
		g := &grammar{short: "dnOsuCc"}
		if c.Program == "read" {
			g = &grammar{short: "adinNptu"}
		}
		as := g.parse(args)
		if w := valueOf(as, "-u"); w != nil {
			if e, ok := f.fd(w); ok {
				t |= e.t
				text = e.text
			}
		}
		names := operands(as)
		if w := valueOf(as, "-a"); w != nil && c.Program == "read" {
			names = append(names, w)
		}
		if len(names) == 0 {
			if c.Program == "read" {
				names = []*word{{Text: "REPLY"}}
			} else {
				names = []*word{{Text: "MAPFILE"}}
			}
		}
		for _, w := range names {
			f.vars[w.Text] |= t
			if text != "" {
				f.texts[w.Text] = text
			}
		}
	}
}

// runsText records that command i runs a text that stands elsewhere in the
// line.
func (f *flow) runsText(i int, text string) {
	if text == "" || len(f.code[i]) > 8 {
		return
	}
	if slices.Contains(f.code[i], text) {
		return
	}
	f.code[i] = append(f.code[i], text)
}

// fetchedFile reports whether an interpreter fetches the program that it is given:
// deno run https://… A registry's address is a package's name, as npx has them.
func fetchedFile(p string) bool {
	_, rest, ok := strings.Cut(p, "://")
	if !ok || !strings.HasPrefix(strings.ToLower(p), "http") {
		return false
	}
	host, _, _ := strings.Cut(rest, "/")
	switch strings.ToLower(host) {
	case "deno.land", "jsr.io", "esm.sh", "npm.jsr.io":
		return false
	}
	return !strings.HasPrefix(host, "localhost") && !strings.HasPrefix(host, "127.0.0.1")
}

// runs finds commands that run what was fetched or decoded.
func (f *flow) runs(i int, c *shellcmd.Command, in taint) {
	hit := func(t taint) {
		if _, ok := f.remote[i]; ok {
			return
		}
		switch {
		case t&fromNetwork != 0:
			f.remote[i] = "runs what was fetched from the network"
		case t&fromDecoder != 0:
			f.remote[i] = "runs what was decoded a moment ago"
		}
	}
	for k := range c.Code {
		code := &c.Code[k]
		if code.Lang == shellcmd.LangAwk || code.Lang == shellcmd.LangSQL {
			continue
		}
		switch code.From {
		case shellcmd.FromArg:
			t := f.of(code.Sources)
			args := c.Args()
			for a := range args {
				if code.Known {
					break
				}
				t |= f.word(&args[a]) & (fromNetwork | fromDecoder)
			}
			hit(t)
			for a := range args {
				for _, v := range args[a].Vars {
					f.runsText(i, f.texts[v])
				}
			}
		case shellcmd.FromStdin:
			hit(f.of(code.Sources) | in)
		case shellcmd.FromFile:
			if !code.File.Static {
				hit(f.of(code.File.Subst) | f.word(&code.File))
			}
			if n, ok := fdPath(code.File.Text); ok {
				if e, ok := f.fds[n]; ok && !e.closed {
					hit(e.t)
					f.runsText(i, e.text)
				} else if unknown(&code.File) {
					if e, ok := f.fd(&code.File); ok {
						hit(e.t)
						f.runsText(i, e.text)
					}
				}
			}
			if code.File.Text == "/dev/stdin" {
				hit(in)
			}
			if fetchedFile(code.File.Text) {
				hit(fromNetwork)
			}
			for _, p := range f.j.paths(c, &code.File) {
				hit(f.files[p])
			}
		}
	}
	if len(c.Code) == 0 && len(c.Args()) == 0 && shellPath(c.Program) {
		hit(in)
		for k := range c.Redirects {
			if r := &c.Redirects[k]; r.Op == "<&" {
				if e, ok := f.fd(&r.Target); ok {
					f.runsText(i, e.text)
				}
			}
		}
	}
	switch c.Program {
	case "iex", "invoke-expression":
		hit(in | f.argTaint(c))
		for _, a := range c.Args() {
			low := strings.ToLower(a.Raw + a.Text)
			if strings.Contains(low, "downloadstring(") || strings.Contains(low, "net.webclient") {
				hit(fromNetwork)
			}
		}
	case "source", ".":
		if a := c.Args(); len(a) > 0 && len(c.Code) == 0 {
			hit(f.word(&a[0]))
			for _, p := range f.j.paths(c, &a[0]) {
				hit(f.files[p])
			}
		}
	}
	if len(c.Argv) > 0 {
		if strings.Contains(c.Argv[0].Text, "/") {
			for _, p := range f.j.paths(c, &c.Argv[0]) {
				hit(f.files[p])
			}
		}
		if c.Dynamic {
			// $(curl …) as a command.
			hit(f.word(&c.Argv[0]) & (fromNetwork | fromDecoder))
		}
	}
}

func (f *flow) argTaint(c *shellcmd.Command) taint {
	var t taint
	for i := range c.Args() {
		t |= f.word(&c.Args()[i])
	}
	return t
}

// fifos joins readers of named pipes that stand before their writers.
func (f *flow) fifos() {
	for i := range f.j.line.Commands {
		c := &f.j.line.Commands[i]
		if !networkName(c.Program) || c.Has(shellcmd.Uncalled) {
			continue
		}
		if _, done := f.exfil[i]; done || !c.Has(shellcmd.Background) {
			continue
		}
		args := c.Args()
		var t taint
		for k := range args {
			v := args[k].Text
			if a := attached(v); a != "" {
				v = a
			}
			if v == "" || v[0] == '-' {
				continue
			}
			if p, ok := f.j.abs(c.Dir, v); ok {
				t |= f.files[p]
			}
		}
		for k := range c.Redirects {
			if c.Redirects[k].Reads() {
				for _, p := range f.j.paths(c, &c.Redirects[k].Target) {
					t |= f.files[p]
				}
			}
		}
		if t&leaks != 0 {
			f.sent(i, t)
		}
	}
}
