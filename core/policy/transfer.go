package policy

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// fetched is the taint of what a network program prints, given its input's.
func fetched(c *shellcmd.Command, in taint) taint {
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
		if as := connectFlags.parse(args); len(operands(as)) == 0 && !has(as, "-l", "--listen", "-p") {
			return 0 // neither a host nor a port to listen on
		}
	case "http", "https", "xh", "xhs", "httpie":
		as := (&grammar{short: "oaAbhpPs", long: []string{"--output", "--auth", "--session", "--print", "--style"}}).parse(args)
		if has(as, "--help", "--version") {
			return 0
		}
	}
	return fromNetwork
}

// helpFirst reports whether a flag without a value asks for help.
func helpFirst(as []arg, more ...string) bool {
	for i := range as {
		if as[i].flag == "--help" || as[i].flag == "--version" || as[i].flag == "--manual" {
			return true
		}
		if slices.Contains(more, as[i].flag) {
			return true
		}
	}
	return false
}

func (f *flow) sent(i int, t taint) {
	if t&(fromSecret|fromEnv) == 0 {
		f.folder[i] = f.below
		return
	}
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
	all := in | words | named
	if (c.Program == "tar" || c.Program == "gtar") && f.tarRemote(c) {
		t := all
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
		if len(args) > 0 && args[0].Text == "s_client" && all&leaks != 0 {
			f.sent(i, all)
		}
	case "scp", "rsync", "pscp", "rclone", "sftp", "mc", "s3cmd":
		ops := transferOperands(c)
		if c.Program == "sftp" {
			if t := f.putScript(c, in); t&leaks != 0 {
				f.sent(i, t)
				return
			}
		}
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
		if !uploads(c) || comesDown(args) {
			return
		}
		t := in | words | named
		for k := range args {
			if a := args[k].Text; a != "" && a[0] != '-' && !remoteSpec(a) {
				if c.Program == "gh" {
					t |= f.file(c, &args[k])
				} else {
					t |= f.tree(c, &args[k])
				}
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
	case "ftp", "lftp", "smbclient", "tftp", "ncftp", "ncftpput", "yafc":
		t := f.putScript(c, all)
		for k := range args {
			if a := args[k].Text; a != "" && a[0] != '-' && c.Program == "ncftpput" {
				t |= f.file(c, &args[k])
			}
		}
		if t&leaks != 0 {
			f.sent(i, t)
		}
	default:
		t := all
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

// putScript is the taint of the files that the commands of a transfer program
// send: put, mput, reput.
func (f *flow) putScript(c *shellcmd.Command, in taint) taint {
	var text strings.Builder
	text.WriteString(c.Stdin.Text)
	args := c.Args()
	for i := range args {
		switch t := args[i].Text; {
		case (t == "-e" || t == "-c" || t == "--command") && i+1 < len(args):
			text.WriteString("\n" + args[i+1].Text)
		case (t == "-b" || t == "-f") && i+1 < len(args):
			for _, p := range f.j.paths(c, &args[i+1]) {
				if data, err := f.j.readSome(p); err == nil {
					text.WriteString("\n" + string(data))
				}
			}
		}
	}
	t := in
	for line := range strings.FieldsFuncSeq(text.String(), func(r rune) bool { return r == '\n' || r == ';' || r == '&' }) {
		ws := strings.Fields(line)
		if len(ws) < 2 {
			continue
		}
		switch strings.ToLower(strings.TrimPrefix(ws[0], "-")) {
		case "put", "mput", "reput", "mirror", "send", "append":
			for _, w := range ws[1:] {
				if w[0] != '-' {
					t |= f.tree(c, &word{Text: strings.Trim(w, `"'`), Raw: w, Static: true})
				}
			}
		}
	}
	return t
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

// comesDown reports whether what a cloud program copies is in the cloud.
func comesDown(args []word) bool {
	for i := range args {
		switch args[i].Text {
		case "cp", "mv", "sync", "rsync", "scp":
			for _, w := range args[i+1:] {
				if !strings.HasPrefix(w.Text, "-") {
					return remoteSpec(w.Text)
				}
			}
		}
	}
	return false
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
	for i := range len(s) {
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
	if w := tarFile(args); w != nil {
		return remoteSpec(w.Text) && !has((&grammar{words: true}).parse(args), "--force-local")
	}
	for _, v := range f.envValues(c, "TAR_OPTIONS") {
		var ws []word
		for t := range strings.FieldsSeq(v) {
			ws = append(ws, word{Text: t})
		}
		all := append(ws, args...)
		if w := tarFile(all); w != nil && remoteSpec(w.Text) {
			return true
		}
	}
	return slices.ContainsFunc(f.envValues(c, "TAPE"), remoteSpec)
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
			for o := range strings.SplitSeq(opts, ",") {
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
