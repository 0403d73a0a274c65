package policy

import (
	"path"
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
)

const leaks = fromSecret | fromEnv

// flow follows what a line reads from secret files, the environment and the
// network to where it goes: pipes, files written and read again in the same
// line, variables and descriptors.
type flow struct {
	j     *judge
	out   []taint          // what each command prints
	in    []taint          // what each command reads from its input
	files map[string]taint // by absolute path, of files that the line wrote
	fixed map[string]bool  // files whose whole content the line wrote harmlessly
	vars  map[string]taint // of variables set by read and its kin
	fds   map[string]end   // descriptors that exec opened, by number
	env   map[string][]string

	exfil  map[int]string // command that sends, and what
	remote map[int]string // command that runs, and what
	name   string         // the first secret seen
}

// end is what a descriptor is joined to.
type end struct {
	net    bool
	t      taint
	path   string
	runs   []int // shells that execute what is written there
	closed bool
}

// flows returns the flow of the current line. It is nil when nothing in the
// line could send or run anything.
func (j *judge) flows() *flow {
	if j.flow == nil {
		j.flow = &flow{j: j}
		if j.line != nil && j.mayFlow() {
			j.flow.run()
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
		"ftp", "lftp", "ncftpput", "tftp", "rclone", "mail", "mailx", "sendmail", "mutt", "s-nail", "msmtp", "swaks", "nslookup", "dig", "host", "drill",
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
	f.exfil, f.remote = map[int]string{}, map[int]string{}
	cur := f.j.cur
	// Twice: what a background reader or an outer word takes may stand later in
	// the line than the command that takes it. Overwrites count in the second
	// round only for what comes after them.
	for round := 0; round < 2; round++ {
		f.files, f.fixed, f.fds = map[string]taint{}, map[string]bool{}, map[string]end{}
		f.env = map[string][]string{}
		if round == 1 {
			f.exfil, f.remote = map[int]string{}, map[int]string{}
		}
		for i := 0; i < n; i++ {
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
	t := f.files[p]
	for q, qt := range f.files {
		if f.j.below(p, q) || f.j.below(q, p) {
			t |= qt
		}
	}
	return t
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
			if name := f.j.secretBelow(p); name != "" {
				f.note(name)
				t |= fromSecret
			}
		}
	}
	return t
}

// secretBelow finds a secret file in a folder, looking at a bounded number of
// entries; "" if there is none.
func (j *judge) secretBelow(p string) string {
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
			f.files[p] = t
			f.fixed[p] = t == 0
			if t == 0 {
				delete(f.files, p)
			}
			continue
		}
		f.files[p] |= t
		if t == 0 && f.files[p] == 0 {
			delete(f.files, p)
		}
	}
}

func (f *flow) drop(c *shellcmd.Command, w *word) {
	if c.Has(shellcmd.Conditional) {
		return
	}
	for _, p := range f.j.paths(c, w) {
		delete(f.files, p)
		for q := range f.files {
			if f.j.below(p, q) {
				delete(f.files, q)
			}
		}
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
	for k := range c.Redirects {
		r := &c.Redirects[k]
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
						f.files[p] |= f.out[i]
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
	f.runs(i, c, in, named)
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
	key := itoa(r.Fd)
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
				delete(f.files, e.path)
			}
		}
	}
	if c.Has(shellcmd.Conditional) {
		old := f.fds[key]
		e.net, e.t = e.net || old.net && !old.closed, e.t|old.t
	}
	f.fds[key] = e
}

func itoa(n int) string {
	if n < 10 && n >= 0 {
		return string(rune('0' + n))
	}
	if n < 0 {
		return ""
	}
	return itoa(n/10) + string(rune('0'+n%10))
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
		if tarFile(args, true) != nil {
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
		return f.fetched(c, in, words, named)
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

// fetched is the taint of what a network program prints.
func (f *flow) fetched(c *shellcmd.Command, in, words, named taint) taint {
	args := c.Args()
	switch c.Program {
	case "curl":
		as := curlFlags.parse(args)
		if helpFirst(as, "-h", "-V", "-M") {
			return 0
		}
		for i := range as {
			if (as[i].flag == "-o" || as[i].flag == "--output") && as[i].value != nil && as[i].value.Text != "-" && as[i].value.Text != "/dev/stdout" ||
				as[i].flag == "-O" || as[i].flag == "--remote-name" || as[i].flag == "--remote-name-all" {
				return 0
			}
		}
		return fromNetwork
	case "wget", "wget2":
		as := wgetFlags.parse(args)
		if helpFirst(as, "-h", "-V") {
			return 0
		}
		if w := valueOf(as, "-O", "--output-document"); w != nil && w.Text != "-" && w.Text != "/dev/stdout" {
			return 0
		}
		return fromNetwork
	case "ssh", "plink", "mosh", "sftp":
		for i := range args {
			t := args[i].Text
			if t == "-V" || t == "-h" || t == "--help" || t == "--version" || t == "-G" {
				return 0
			}
			if t != "" && t[0] != '-' {
				break
			}
		}
		return fromNetwork | in&fromDecoder
	case "openssl", "logger", "mail", "mailx", "sendmail", "aws", "gcloud", "az", "gsutil", "rsync", "scp", "rclone", "ping", "mutt", "host", "nslookup", "whois", "mc", "restic":
		return 0
	case "gh":
		if len(args) > 0 && (args[0].Text == "api" || args[0].Text == "gist" || args[0].Text == "browse") {
			return fromNetwork
		}
		return 0
	case "nc", "ncat", "netcat":
		for i := range args {
			if args[i].Text == "-h" || args[i].Text == "--help" || args[i].Text == "--version" {
				return 0
			}
		}
	case "http", "https", "xh", "xhs", "httpie":
		as := (&grammar{short: "oaAbhpPs", long: []string{"--output", "--auth", "--session", "--print", "--style"}}).parse(args)
		if has(as, "--help", "--version") {
			return 0
		}
	}
	_, _, _ = in, words, named
	return fromNetwork
}

// helpFirst reports whether a flag without a value asks for help.
func helpFirst(as []arg, more ...string) bool {
	for i := range as {
		if as[i].flag == "--help" || as[i].flag == "--version" || as[i].flag == "--manual" {
			return true
		}
		for _, m := range more {
			if as[i].flag == m {
				return true
			}
		}
	}
	return false
}

func (f *flow) sent(i int, t taint) {
	if _, ok := f.exfil[i]; ok {
		return
	}
	name := f.name
	if t&fromSecret == 0 {
		name = "the environment"
	}
	if name == "" {
		name = "a secret file"
	}
	f.exfil[i] = name
}

// sends finds commands that give a secret to the network.
func (f *flow) sends(i int, c *shellcmd.Command, in, words, named taint) {
	args := c.Args()
	any := in | words | named
	if (c.Program == "tar" || c.Program == "gtar") && f.tarRemote(c) {
		t := any
		for k := range args {
			if a := args[k].Text; a != "" && a[0] != '-' {
				t |= f.tree(c, &args[k])
			}
		}
		if t&leaks != 0 {
			f.sent(i, t)
		}
	}
	if !networkName(c.Program) {
		return
	}
	switch c.Program {
	case "curl":
		as := curlFlags.parse(args)
		if helpFirst(as, "-V", "-h", "-M") {
			return
		}
		t := in | words
		for k := range as {
			if as[k].value == nil {
				continue
			}
			switch as[k].flag {
			case "-T", "--upload-file":
				t |= f.file(c, as[k].value) | f.fifoOf(c, as[k].value)
			case "-d", "--data", "--data-binary", "--data-ascii", "--data-urlencode", "--json", "--url-query", "-H", "--header", "-b", "--cookie", "--data-raw":
				if v := atFile(as[k].value.Text); v != "" {
					t |= f.file(c, tail(as[k].value, v))
				}
				if as[k].flag == "-b" && strings.HasPrefix(as[k].value.Text, "@") || strings.HasPrefix(as[k].value.Text, "=@") {
					t |= named
				}
			case "-F", "--form":
				if v := formFile(as[k].value.Text); v != "" {
					t |= f.file(c, tail(as[k].value, v))
				}
			}
		}
		if t&leaks != 0 {
			f.sent(i, t)
		}
	case "wget", "wget2":
		as := wgetFlags.parse(args)
		t := in | words
		for _, fl := range [...]string{"--post-file", "--body-file"} {
			if w := valueOf(as, fl); w != nil {
				t |= f.file(c, w)
			}
		}
		if t&leaks != 0 {
			f.sent(i, t)
		}
	case "openssl":
		if len(args) > 0 && args[0].Text == "s_client" && any&leaks != 0 {
			f.sent(i, any)
		}
	case "scp", "rsync", "pscp", "rclone", "sftp", "mc", "s3cmd":
		ops := transferOperands(c)
		if c.Program == "rsync" || c.Program == "scp" || c.Program == "pscp" || c.Program == "rclone" {
			if len(ops) < 2 || !remoteSpec(ops[len(ops)-1].Text) && !unknown(ops[len(ops)-1]) {
				return
			}
			ops = ops[:len(ops)-1]
		}
		t := in | words
		for _, w := range ops {
			if !remoteSpec(w.Text) {
				t |= f.tree(c, w)
			}
		}
		if t&leaks != 0 {
			f.sent(i, t)
		}
	case "aws", "gsutil", "gcloud", "az", "gh", "restic":
		if !uploads(c) {
			return
		}
		t := in | words | named
		for k := range args {
			if a := args[k].Text; a != "" && a[0] != '-' && !remoteSpec(a) {
				t |= f.file(c, &args[k])
			}
		}
		if t&leaks != 0 {
			f.sent(i, t)
		}
	case "ssh", "plink", "mosh":
		// Its own key is no leak; what it is fed, or given as words, is.
		if (in|words)&leaks != 0 {
			f.sent(i, in|words)
		}
	case "socat":
		f.socat(i, c, in)
	case "certutil", "bitsadmin", "start-bitstransfer", "aria2c", "axel", "lynx", "w3m", "links", "fetch":
		if (in|words)&leaks != 0 {
			f.sent(i, in|words)
		}
	default:
		t := any
		if reportMail(c) {
			t &^= fromEnv
		}
		for k := range args {
			if v := atFile(args[k].Text); v != "" {
				t |= f.file(c, tail(&args[k], v))
			}
			// httpie: field=@file, field:=@file, field@file.
			if p := strings.IndexByte(args[k].Text, '@'); p > 0 && (c.Program == "http" || c.Program == "https" || c.Program == "xh" || c.Program == "httpie") {
				t |= f.file(c, tail(&args[k], args[k].Text[p+1:]))
			}
		}
		if t&leaks != 0 {
			f.sent(i, t)
		}
	}
}

// reportMail reports whether c mails its input under a subject, as cron jobs
// and CI do with an environment listing. It excuses the environment only,
// never a secret file.
func reportMail(c *shellcmd.Command) bool {
	switch c.Program {
	case "mail", "mailx", "s-nail":
		return has((&grammar{short: "srcbaA"}).parse(c.Args()), "-s", "--subject")
	}
	return false
}

// fifoOf is the taint that a named pipe carries.
func (f *flow) fifoOf(c *shellcmd.Command, w *word) taint {
	var t taint
	for _, p := range f.j.paths(c, w) {
		t |= f.files[p]
	}
	return t
}

// uploads reports whether a cloud program copies to the cloud.
func uploads(c *shellcmd.Command) bool {
	args := c.Args()
	t := func(i int) string {
		if i < len(args) {
			return args[i].Text
		}
		return ""
	}
	switch c.Program {
	case "aws":
		return t(0) == "s3" && (t(1) == "cp" || t(1) == "mv" || t(1) == "sync") || t(0) == "s3api" && t(1) == "put-object"
	case "gsutil":
		return t(0) == "cp" || t(0) == "mv" || t(0) == "rsync" || t(1) == "cp"
	case "gcloud":
		return t(0) == "storage" && (t(1) == "cp" || t(1) == "mv" || t(1) == "rsync") || t(0) == "compute" && t(1) == "scp"
	case "az":
		return t(0) == "storage" && (t(2) == "upload" || t(2) == "upload-batch")
	case "gh":
		return t(0) == "gist" && (t(1) == "create" || t(1) == "edit") || t(0) == "release" && (t(1) == "upload" || t(1) == "create") || t(0) == "api" || t(0) == "issue" || t(0) == "pr"
	case "restic":
		return t(0) == "backup"
	}
	return false
}

// atFile returns the file of curl's @file, name@file and =@file values.
func atFile(t string) string {
	if v, ok := strings.CutPrefix(t, "@"); ok {
		if v == "-" {
			return ""
		}
		return v
	}
	if v, ok := strings.CutPrefix(t, "=@"); ok {
		return v
	}
	if i := strings.IndexByte(t, '@'); i > 0 && isName(t[:i]) {
		return t[i+1:]
	}
	return ""
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return s != ""
}

// formFile returns the file of curl -F name=@file or name=<file.
func formFile(t string) string {
	_, v, ok := strings.Cut(t, "=")
	if !ok || len(v) < 2 || v[0] != '@' && v[0] != '<' {
		return ""
	}
	v, _, _ = strings.Cut(v[1:], ";")
	return strings.Trim(v, `"`)
}

func transferOperands(c *shellcmd.Command) []*word {
	switch c.Program {
	case "rsync":
		return operands(rsyncFlags.parse(c.Args()))
	case "scp", "pscp":
		return operands((&grammar{short: "cDFiJloPSX"}).parse(c.Args()))
	case "sftp":
		return operands((&grammar{short: "BbcDFiJloPRSsX"}).parse(c.Args()))
	}
	ops := operands((&grammar{long: []string{"--config", "--exclude", "--include", "--filter", "--transfers"}}).parse(c.Args()))
	if len(ops) > 0 {
		ops = ops[1:]
	}
	return ops
}

// tarRemote reports whether tar writes its archive to another machine, by -f
// host:path, TAPE, or TAR_OPTIONS.
func (f *flow) tarRemote(c *shellcmd.Command) bool {
	args := c.Args()
	if w := tarFile(args, true); w != nil {
		return remoteSpec(w.Text) && !has((&grammar{words: true}).parse(args), "--force-local")
	}
	for _, v := range f.envValues(c, "TAR_OPTIONS") {
		var ws []word
		for _, t := range strings.Fields(v) {
			ws = append(ws, word{Text: t})
		}
		all := append(ws, args...)
		if w := tarFile(all, true); w != nil && remoteSpec(w.Text) {
			return true
		}
	}
	for _, v := range f.envValues(c, "TAPE") {
		if remoteSpec(v) {
			return true
		}
	}
	return false
}

// envValues returns the values that a variable may have in c's environment.
func (f *flow) envValues(c *shellcmd.Command, name string) []string {
	for i := len(c.Assigns) - 1; i >= 0; i-- {
		if c.Assigns[i].Name == name {
			return c.Assigns[i].Value.Values()
		}
	}
	if vs, ok := f.env[name]; ok {
		return vs
	}
	if w, ok := c.Getenv(name); ok {
		return w.Values()
	}
	return nil
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
		t := in
		as := (&grammar{short: "adinNptuCcOs"}).parse(args)
		if c.Program != "read" {
			as = (&grammar{short: "dnOsuCc"}).parse(args)
		} else {
			as = (&grammar{short: "adinNptu"}).parse(args)
		}
		if w := valueOf(as, "-u"); w != nil {
			if e, ok := f.fd(w); ok {
				t |= e.t
			}
		}
		names := operands(as)
		if w := valueOf(as, "-a"); w != nil && c.Program == "read" {
			names = append(names, w)
		}
		if len(names) == 0 {
			if c.Program == "read" {
				f.vars["REPLY"] |= t
			} else {
				f.vars["MAPFILE"] |= t
			}
		}
		for _, w := range names {
			f.vars[w.Text] |= t
		}
	}
}

// runs finds commands that run what was fetched or decoded.
func (f *flow) runs(i int, c *shellcmd.Command, in, named taint) {
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
		case shellcmd.FromStdin:
			hit(f.of(code.Sources) | in)
		case shellcmd.FromFile:
			if !code.File.Static {
				hit(f.of(code.File.Subst) | f.word(&code.File))
			}
			if n, ok := fdPath(code.File.Text); ok {
				if e, ok := f.fds[n]; ok && !e.closed {
					hit(e.t)
				} else if unknown(&code.File) {
					if e, ok := f.fd(&code.File); ok {
						hit(e.t)
					}
				}
			}
			if code.File.Text == "/dev/stdin" {
				hit(in)
			}
			for _, p := range f.j.paths(c, &code.File) {
				hit(f.files[p])
			}
		}
	}
	if len(c.Code) == 0 && len(c.Args()) == 0 && shellPath(c.Program) {
		hit(in)
	}
	switch c.Program {
	case "iex", "invoke-expression":
		hit(in | f.argTaint(c))
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
	_ = named
}

func (f *flow) argTaint(c *shellcmd.Command) taint {
	var t taint
	for i := range c.Args() {
		t |= f.word(&c.Args()[i])
	}
	return t
}

// writes follows what c leaves in files.
func (f *flow) writes(c *shellcmd.Command, in, words, named, out taint) {
	args := c.Args()
	switch c.Program {
	case "curl":
		as := curlFlags.parse(args)
		if helpFirst(as, "-V", "-h", "-M") {
			break
		}
		remoteName := has(as, "-O", "--remote-name", "--remote-name-all")
		header := has(as, "-J", "--remote-header-name")
		dir := valueOf(as, "--output-dir")
		for i := range as {
			if (as[i].flag == "-o" || as[i].flag == "--output") && as[i].value != nil {
				f.put(c, as[i].value, fromNetwork, false)
			}
			if remoteName && !header && as[i].flag == "" {
				if n := urlBase(as[i].value.Text); n != "" {
					d := &word{Text: n, Static: true}
					if dir != nil {
						d = joinWord(dir, d)
					}
					f.put(c, d, fromNetwork, false)
				}
			}
		}
	case "wget", "wget2":
		as := wgetFlags.parse(args)
		if w := valueOf(as, "-O", "--output-document"); w != nil {
			f.put(c, w, fromNetwork, false)
		} else if !helpFirst(as, "-V", "-h") {
			for i := range as {
				if as[i].flag == "" {
					if n := urlBase(as[i].value.Text); n != "" {
						f.put(c, &word{Text: n, Static: true}, fromNetwork, false)
					}
				}
			}
		}
	case "tee":
		for _, w := range j0(f, c) {
			f.put(c, w.path, in, w.appends)
		}
	case "scp", "rsync", "pscp", "sftp", "aria2c", "axel":
		ops := transferOperands(c)
		if len(ops) > 1 && !remoteSpec(ops[len(ops)-1].Text) {
			dst := ops[len(ops)-1]
			for _, s := range ops[:len(ops)-1] {
				t := f.tree(c, s)
				if remoteSpec(s.Text) {
					t = fromNetwork
				}
				f.put(c, dst, t, true)
				f.put(c, joinWord(dst, s), t, true)
			}
		}
	case "cp", "gcp", "mv", "gmv", "ln", "link", "gln", "install", "ginstall", "copy-item", "move-item", "copy", "move", "ditto":
		if len(args) == 0 || has((&grammar{}).parse(args), "--attributes-only") {
			break
		}
		ws := j0(f, c)
		for i := range ws {
			w := &ws[i]
			switch {
			case w.from != nil:
				// Relative targets of symbolic links are read from the link's folder;
				// both readings count.
				t := f.tree(c, w.from)
				if t == 0 && !c.Has(shellcmd.Conditional) && (i == 0 || ws[i-1].from == nil) && !f.known(c, w.from) {
					f.putFixed(c, w.path)
				} else {
					f.put(c, w.path, t, t == 0)
				}
			}
		}
		for i := range ws {
			if ws[i].remove {
				f.drop(c, ws[i].path)
			}
		}
	case "rm", "grm", "unlink", "shred", "trash", "remove-item", "rimraf":
		for _, w := range j0(f, c) {
			if w.remove {
				f.drop(c, w.path)
			}
		}
	case "dd":
		if o := ddOut(args); o != "" {
			f.put(c, &word{Text: o, Static: true}, in|named, false)
		}
	case "tar", "gtar", "bsdtar":
		if w := tarFile(args, true); w != nil && !remoteSpec(w.Text) {
			t := in | named
			for i := range args {
				if a := args[i].Text; a != "" && a[0] != '-' && i > 0 && a != w.Text {
					t |= f.tree(c, &args[i])
				}
			}
			f.put(c, w, t, false)
		}
	case "zip", "7z", "7za", "rar":
		ops := operands((&grammar{short: "xiP"}).parse(args))
		if c.Program != "zip" && len(ops) > 0 {
			ops = ops[1:]
		}
		if len(ops) > 1 {
			t := named
			for _, w := range ops[1:] {
				t |= f.tree(c, w)
			}
			f.put(c, ops[0], t, true)
		}
	case "gzip", "bzip2", "xz", "zstd", "lz4", "pigz", "compress", "brotli":
		ext := map1(c.Program)
		as := (&grammar{short: "So", long: []string{"--suffix"}}).parse(args)
		if w := valueOf(as, "-S", "--suffix"); w != nil {
			ext = w.Text
			if !strings.HasPrefix(ext, ".") {
				ext = "." + ext
			}
		}
		for _, w := range operands(as) {
			d := *w
			d.Or = nil
			d.Text = w.Text + ext
			f.put(c, &d, f.file(c, w), false)
		}
	case "openssl":
		for i := 0; i+1 < len(args); i++ {
			if args[i].Text == "-out" {
				t := in | named
				if decodes(c) {
					t |= fromDecoder
				}
				f.put(c, &args[i+1], t, false)
			}
		}
	case "sort", "uniq", "gpg", "age", "xxd", "split", "csplit", "base64", "cpio":
		as := (&grammar{short: "o", long: []string{"--output"}}).parse(args)
		if w := valueOf(as, "-o", "--output"); w != nil {
			f.put(c, w, in|named, false)
		}
		if ops := operands((&grammar{short: "abCdlnt"}).parse(args)); c.Program == "split" && len(ops) > 1 {
			for _, suf := range [...]string{"aa", "ab", "00"} {
				d := *ops[1]
				d.Text += suf
				f.put(c, &d, in|named, false)
			}
		}
		if ops := operands((&grammar{short: "scgol"}).parse(args)); c.Program == "xxd" && len(ops) > 1 {
			t := f.file(c, ops[0])
			if decodes(c) {
				t |= fromDecoder
			}
			f.put(c, ops[1], t, false)
		}
	case "sed", "gsed", "perl":
		for _, w := range j0(f, c) {
			if w.inPlace {
				f.put(c, w.path, words, true)
			}
		}
	}
	// Redirects of its output.
	for k := range c.Redirects {
		r := &c.Redirects[k]
		if !r.Writes() || netPath(r.Target.Text) || r.Fd > 2 || r.Fd == 0 {
			continue
		}
		t := out
		if r.Fd == 2 {
			t = 0
		}
		f.put(c, &r.Target, t, strings.Contains(r.Op, ">>") || r.Fd == 2)
	}
	for k := range c.Effects {
		e := &c.Effects[k]
		switch e.Kind {
		case shellcmd.WriteFile:
			f.put(c, &e.Path, in|words|named, true)
		case shellcmd.CopyFile, shellcmd.MoveFile:
			f.put(c, &e.To, f.file(c, &e.Path), true)
		}
	}
}

// j0 is the writes of the command at hand.
func j0(f *flow, c *shellcmd.Command) []write { return f.j.writesOf(c) }

// known reports whether the source's content is unknown but may be the target's
// own.
func (f *flow) known(c *shellcmd.Command, w *word) bool { return unknown(w) }

// putFixed records that a file was replaced by something harmless.
func (f *flow) putFixed(c *shellcmd.Command, w *word) { f.put(c, w, 0, false) }

func map1(program string) string {
	switch program {
	case "gzip", "pigz":
		return ".gz"
	case "bzip2":
		return ".bz2"
	case "xz":
		return ".xz"
	case "zstd":
		return ".zst"
	case "lz4":
		return ".lz4"
	case "brotli":
		return ".br"
	}
	return ".Z"
}

// urlBase is the file name that a download of the URL gets.
func urlBase(u string) string {
	if i := strings.Index(u, "://"); i >= 0 {
		u = u[i+3:]
	}
	u, _, _ = strings.Cut(u, "?")
	if !strings.Contains(u, "/") || strings.Contains(u, shellcmd.Unknown) {
		return ""
	}
	b := path.Base(u)
	if b == "." || b == "/" {
		return ""
	}
	return b
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

// socat follows socat's two addresses.
func (f *flow) socat(i int, c *shellcmd.Command, in taint) {
	net := false
	t := in
	for _, a := range c.Args() {
		if strings.HasPrefix(a.Text, "-") && a.Text != "-" {
			continue
		}
		kind, rest := socatAddress(a.Text)
		switch kind {
		case "net":
			net = true
		case "open":
			file, opts, _ := strings.Cut(rest, ",")
			file = strings.Trim(file, `"'`)
			w := &word{Text: file, Static: true}
			cc := *c
			for _, o := range strings.Split(opts, ",") {
				if d, ok := strings.CutPrefix(o, "chdir="); ok {
					if p, ok := f.j.abs(c.Dir, d); ok {
						cc.Dir = p
					}
				}
			}
			t |= f.file(&cc, w)
		case "exec":
			l := shellcmd.Parse(rest, shellcmd.Options{Cwd: c.Dir, Home: f.j.home})
			inner := &judge{place: f.j.place, ctx: f.j.ctx, set: f.j.set, ev: f.j.ev, line: l}
			fl := &flow{j: inner}
			fl.run()
			for k := range fl.out {
				t |= fl.out[k] & leaks
				if fl.name != "" {
					f.note(fl.name)
				}
			}
			for k := range l.Commands {
				net = net || networkName(l.Commands[k].Program)
			}
		}
	}
	if net && t&leaks != 0 {
		f.sent(i, t)
	}
}

// socatAddress splits an address of socat into what it is for us and its rest.
func socatAddress(a string) (kind, rest string) {
	if a == "-" {
		return "stdio", ""
	}
	name, rest, ok := strings.Cut(a, ":")
	if !ok {
		return "open", a
	}
	switch up := strings.ToUpper(name); {
	case strings.HasPrefix(up, "TCP"), strings.HasPrefix(up, "UDP"), strings.HasPrefix(up, "OPENSSL"), strings.HasPrefix(up, "SSL"), strings.HasPrefix(up, "SCTP"),
		strings.HasPrefix(up, "DCCP"), strings.HasPrefix(up, "PROXY"), strings.HasPrefix(up, "SOCKS"), strings.HasPrefix(up, "WS"), strings.HasPrefix(up, "IP"), strings.HasPrefix(up, "VSOCK"):
		return "net", rest
	case up == "EXEC", up == "SYSTEM", up == "SHELL":
		rest, _, _ = cutOptions(rest)
		return "exec", rest
	case up == "OPEN", up == "GOPEN", up == "FILE", up == "CREATE", up == "PIPE", up == "FIFO":
		return "open", rest
	}
	return "other", rest
}

// cutOptions cuts the options behind a socat command line.
func cutOptions(s string) (cmd, opts string, ok bool) {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') {
		if i := strings.IndexByte(s[1:], s[0]); i >= 0 {
			return s[1 : i+1], s[i+2:], true
		}
	}
	for _, o := range [...]string{",pty", ",stderr", ",setsid", ",sigint", ",sane", ",fdin", ",fdout", ",chdir=", ",su=", ",ctty", ",nofork", ",raw", ",echo"} {
		if i := strings.Index(s, o); i >= 0 {
			s = s[:i]
		}
	}
	return s, "", false
}
