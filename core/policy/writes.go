package policy

import (
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// write is one file that a command changes.
type write struct {
	path    *word
	from    *word // what is copied, moved or linked there, if that is how
	appends bool  // what is there stays
	remove  bool  // it is deleted or moved away
	mode    bool  // only its mode, owner or time changes
	inPlace bool  // an editor such as sed -i changes it
	tree    bool  // any file below it may be written: an archive, a patch, the content of a folder
	onto    bool  // from goes onto path, unless a folder is there already
}

// writesOf returns what the current command writes.
func (j *judge) writesOf(c *shellcmd.Command) []write {
	if !j.cur.wrote {
		j.cur.wrote = true
		j.cur.writes = writesOf(c)
	}
	return j.cur.writes
}

var (
	cpFlags       = grammar{short: "tS", long: []string{"--target-directory", "--suffix", "--backup-suffix"}}
	installFlags  = grammar{short: "tSgmo", long: []string{"--target-directory", "--suffix", "--group", "--mode", "--owner"}}
	teeFlags      = grammar{}
	sedFlags      = grammar{short: "efl", long: []string{"--expression", "--file", "--line-length"}}
	truncateFlags = grammar{short: "sr", long: []string{"--size", "--reference"}}
	sortFlags     = grammar{short: "koStT", long: []string{"--key", "--output", "--buffer-size", "--field-separator", "--temporary-directory", "--files0-from", "--parallel", "--batch-size", "--compress-program"}}
	curlFlags     = grammar{
		short: "oTdFHXAbceKuUxDEmwYyzrhCtPQ",
		long: []string{
			"--output", "--upload-file", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json", "--form",
			"--form-string", "--header", "--request", "--user-agent", "--cookie", "--cookie-jar", "--referer", "--config", "--user",
			"--proxy", "--proxy-user", "--proxy-header", "--dump-header", "--cert", "--key", "--cacert", "--capath", "--max-time", "--write-out",
			"--range", "--resolve", "--connect-to", "--connect-timeout", "--retry", "--retry-delay", "--retry-max-time", "--output-dir", "--url",
			"--interface", "--limit-rate", "--trace", "--trace-ascii", "--stderr", "--netrc-file", "--unix-socket", "--oauth2-bearer", "--noproxy",
			"--max-redirs", "--cert-type", "--key-type", "--pass", "--ciphers", "--tls-max", "--url-query", "--variable", "--etag-save",
			"--etag-compare", "--dns-servers", "--doh-url", "--socks5", "--socks5-hostname", "--aws-sigv4", "--quote", "--mail-from",
			"--mail-rcpt", "--time-cond", "--hostpubmd5", "--hostpubsha256", "--pubkey", "--crlfile", "--engine", "--expect100-timeout",
			"--keepalive-time", "--local-port", "--max-filesize", "--parallel-max", "--pinnedpubkey", "--preproxy", "--proto", "--proto-default",
			"--service-name", "--telnet-option", "--upload-flags", "--rate", "--request-target",
		},
	}
	wgetFlags = grammar{
		short: "OPoaitTwQUeABRDIlXY",
		long: []string{
			"--output-document", "--directory-prefix", "--output-file", "--append-output", "--input-file", "--tries", "--timeout", "--wait",
			"--user-agent", "--header", "--post-data", "--post-file", "--body-data", "--body-file", "--method", "--user", "--password",
			"--execute", "--referer", "--load-cookies", "--save-cookies", "--ca-certificate", "--certificate", "--private-key", "--config",
			"--limit-rate", "--max-redirect", "--accept", "--reject", "--domains", "--level", "--base",
		},
	}
)

// joinWord is dir/base(name) as a word.
func joinWord(dir *word, name *word) *word {
	w := *dir
	w.Or = nil
	w.Text = strings.TrimRight(dir.Text, "/") + "/" + baseName(strings.TrimRight(name.Text, "/"))
	return &w
}

func writesOf(c *shellcmd.Command) []write {
	var out []write
	for i := range c.Redirects {
		r := &c.Redirects[i]
		if r.Writes() && !(r.Outer && r.Fd > 2) {
			out = append(out, write{path: &r.Target, appends: strings.Contains(r.Op, ">>")})
		}
	}
	for i := range c.Effects {
		e := &c.Effects[i]
		switch e.Kind {
		case shellcmd.WriteFile:
			out = append(out, write{path: &e.Path})
		case shellcmd.DeleteFile, shellcmd.DeleteTree:
			out = append(out, write{path: &e.Path, remove: true})
		case shellcmd.MoveFile:
			out = append(out, write{path: &e.To, from: &e.Path}, write{path: &e.Path, remove: true})
		case shellcmd.CopyFile, shellcmd.LinkFile:
			out = append(out, write{path: &e.To, from: &e.Path})
		}
	}
	args := c.Args()
	if len(args) == 0 {
		return out
	}
	each := func(ws []*word, w write) {
		for _, p := range ws {
			w.path = p
			out = append(out, w)
		}
	}
	switch strings.ToLower(c.Program) {
	case "tee", "sponge", "tee-object":
		as := teeFlags.parse(args)
		app := false
		for i := range as {
			app = app || as[i].flag == "-a" || long(as[i].flag, "--append", 2)
		}
		each(operands(as), write{appends: app})
	case "cp", "gcp", "mv", "gmv", "ln", "gln", "link", "install", "ginstall", "rename-item", "copy-item", "move-item", "copy", "move", "xcopy", "ditto", "rsync", "scp":
		out = append(out, transfers(c)...)
	case "dd":
		for i := range args {
			if v, ok := strings.CutPrefix(args[i].Text, "of="); ok {
				out = append(out, write{path: tail(&args[i], v)})
			}
		}
	case "truncate":
		each(operands(truncateFlags.parse(args)), write{})
	case "sed", "gsed":
		in := false
		as := sedFlags.parse(args)
		for i := range as {
			f := as[i].flag
			in = in || f == "-i" || f == "-I" || long(f, "--in-place", 2)
		}
		ops := operands(as)
		if in {
			script := valueOf(as, "-e", "-f", "--expression", "--file") == nil
			for n, w := range ops {
				if n > 0 || !script {
					out = append(out, write{path: w, inPlace: true})
				}
			}
		}
		for i := range args {
			out = append(out, sedWrites(&args[i])...)
		}
	case "perl", "ruby", "awk", "gawk":
		if inPlaceFlag(c.Program, args) {
			for i := range args {
				if t := args[i].Text; !strings.HasPrefix(t, "-") && !strings.ContainsAny(t, " ;{") {
					out = append(out, write{path: &args[i], inPlace: true})
				}
			}
		}
	case "ed", "ex", "vi", "vim", "nvim", "emacs", "nano", "pico", "micro", "jed", "joe":
		for i := range args {
			if t := args[i].Text; t != "" && t[0] != '-' && t[0] != '+' {
				out = append(out, write{path: &args[i], inPlace: true})
			}
		}
	case "sort", "shuf", "uniq":
		as := sortFlags.parse(args)
		if w := valueOf(as, "-o", "--output"); w != nil {
			out = append(out, write{path: w})
		}
	case "curl":
		as := curlFlags.parse(args)
		for i := range as {
			switch as[i].flag {
			case "-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii", "--stderr", "--etag-save":
				if as[i].value != nil {
					out = append(out, write{path: inDir(valueOf(as, "--output-dir"), as[i].value)})
				}
			}
		}
		if has(as, "-O", "--remote-name", "--remote-name-all") {
			out = append(out, downloads(as, valueOf(as, "--output-dir"))...)
		}
	case "wget", "wget2":
		as := wgetFlags.parse(args)
		if w := valueOf(as, "-O", "--output-document", "-o", "--output-file"); w != nil {
			out = append(out, write{path: w})
		} else {
			out = append(out, downloads(as, valueOf(as, "-P", "--directory-prefix"))...)
		}
	case "touch", "gtouch":
		each(operands((&grammar{short: "drt", long: []string{"--date", "--reference", "--time"}}).parse(args)), write{appends: true, mode: true})
	case "chmod", "chown", "chgrp", "chattr", "setfattr", "setfacl", "xattr", "chflags", "icacls", "attrib", "takeown":
		ops := operands(modeFlags.parse(args))
		flag := modeFlag(c)
		for n, w := range ops {
			if n > 0 || strings.Contains(w.Text, "/") || c.Program == "setfacl" || flag {
				out = append(out, write{path: w, mode: true})
			}
		}
	case "rm", "grm", "unlink", "rmdir", "shred", "srm", "rimraf", "remove-item", "rd", "del", "erase", "trash", "trash-put", "ri":
		for _, w := range operands(rmFlags.parse(args)) {
			out = append(out, write{path: w, remove: true})
		}
	case "git":
		out = append(out, gitWrites(c)...)
	case "patch":
		as := patchFlags.parse(args)
		ops := operands(as)
		if len(ops) > 0 {
			out = append(out, write{path: ops[0], inPlace: true})
		}
		if w := valueOf(as, "-o", "--output"); w != nil {
			out = append(out, write{path: w})
		}
	case "set-content", "add-content", "out-file", "clear-content", "new-item", "export-csv", "set-item":
		for i := range args {
			if t := args[i].Text; t != "" && t[0] != '-' {
				out = append(out, write{path: &args[i], appends: c.Program == "add-content"})
				if c.Program != "clear-content" {
					break
				}
			}
			if strings.EqualFold(args[i].Text, "-value") {
				break
			}
		}
	case "jq", "yq":
		if has((&grammar{}).parse(args), "-i", "--inplace", "--in-place") {
			ops := operands((&grammar{}).parse(args))
			if len(ops) > 0 {
				out = append(out, write{path: ops[len(ops)-1], inPlace: true})
			}
		}
	case "openssl":
		for i := 0; i+1 < len(args); i++ {
			if t := args[i].Text; t == "-out" || t == "-keyout" {
				out = append(out, write{path: &args[i+1]})
			}
		}
	case "tar", "bsdtar", "gtar":
		if w := tarFile(args); w != nil {
			out = append(out, write{path: w})
		}
		out = append(out, unpacked(c)...)
		each(packedAway(c), write{remove: true})
	case "unzip", "7z", "7za", "7zz", "7zr", "cpio", "expand-archive", "unrar":
		out = append(out, unpacked(c)...)
		each(packedAway(c), write{remove: true})
	case "strip", "upx", "patchelf", "objcopy", "codesign", "install_name_tool", "chrpath", "prelink", "sstrip", "llvm-strip":
		for i := range args {
			if t := args[i].Text; t != "" && t[0] != '-' {
				out = append(out, write{path: &args[i], inPlace: true})
			}
		}
	case "rename", "prename", "perl-rename", "mmv":
		for i := range args {
			if i > 0 {
				out = append(out, write{path: &args[i], remove: true})
			}
		}
	case "dasel", "crudini", "augtool", "toml", "sqlite3", "ex-sed":
		for i := range args {
			if t := args[i].Text; t != "" && t[0] != '-' {
				out = append(out, write{path: &args[i], inPlace: true, appends: true})
			}
		}
	case "split", "csplit":
		if ops := operands((&grammar{short: "abClnt", long: []string{"--bytes", "--lines", "--number", "--suffix-length"}}).parse(args)); len(ops) > 1 {
			out = append(out, write{path: ops[len(ops)-1]})
		}
	case "zip":
		if ops := operands((&grammar{}).parse(args)); len(ops) > 0 {
			out = append(out, write{path: ops[0], appends: true})
		}
		each(packedAway(c), write{remove: true})
	case "ssh-keygen":
		if w := valueOf((&grammar{short: "fCNtbmPaIsV"}).parse(args), "-f"); w != nil && !has((&grammar{short: "fCNtbmPaIsV"}).parse(args), "-y", "-l", "-e", "-F", "-B") {
			out = append(out, write{path: w})
		}
	default:
		out = append(out, outputFlags(c)...)
	}
	return out
}

// outputFlags returns the files that a program which we do not know names as
// its output: go build -o x, prettier --output=x.
func outputFlags(c *shellcmd.Command) []write {
	switch c.Program {
	case "echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "ls", "ps", "ssh", "find", "set", "test", "[", "mount", "useradd", "bash", "sh", "zsh", "read":
		return nil // -o means something else
	}
	var out []write
	args := c.Args()
	for i := range args {
		switch t := args[i].Text; {
		case t == "-o" || t == "--output" || t == "--out" || t == "--output-file" || t == "--outfile" || t == "-out":
			if i+1 < len(args) {
				out = append(out, write{path: &args[i+1]})
			}
		case strings.HasPrefix(t, "--output=") || strings.HasPrefix(t, "--out=") || strings.HasPrefix(t, "--outfile=") || strings.HasPrefix(t, "--output-file="):
			out = append(out, write{path: tail(&args[i], t[strings.IndexByte(t, '=')+1:])})
		}
	}
	return out
}

// inDir is w seen from dir, w itself without one.
func inDir(dir, w *word) *word {
	if dir == nil || isAbs(w.Text) || strings.HasPrefix(w.Text, "~") {
		return w
	}
	d := *dir
	d.Or = nil
	d.Text = strings.TrimRight(d.Text, "/") + "/" + w.Text
	return &d
}

// downloads are the files that a downloader names by its URLs.
func downloads(as []arg, dir *word) []write {
	var out []write
	for i := range as {
		if as[i].flag != "" {
			continue
		}
		n := urlBase(as[i].value.Text)
		switch {
		case n != "" && !has(as, "-J", "--remote-header-name", "--content-disposition"):
			out = append(out, write{path: inDir(dir, &word{Text: n, Raw: n, Static: true})})
		case dir != nil: // the server names it
			out = append(out, write{path: dir, tree: true})
		}
	}
	return out
}

var (
	patchFlags  = grammar{short: "dDiopBFgrVzY", long: []string{"--input", "--output", "--directory", "--strip", "--prefix", "--suffix", "--reject-file"}}
	unzipFlags  = grammar{short: "dxPI"}
	unpackFlags = grammar{short: "CTXbgIKLNVHfD", long: []string{"--file", "--directory", "--exclude", "--files-from", "--exclude-from", "--transform", "--strip-components", "--owner", "--group"}}
)

// unpacked returns what an archiver writes when it extracts: the members it is
// told, or anything below its folder.
func unpacked(c *shellcmd.Command) []write {
	args := c.Args()
	var dir *word
	var members []*word
	switch c.Program {
	case "unzip":
		as := unzipFlags.parse(args)
		if has(as, "-l", "-t", "-p", "-Z", "-v") {
			return nil
		}
		dir = valueOf(as, "-d")
		if ops := operands(as); len(ops) > 1 {
			members = ops[1:]
		} else if len(ops) == 0 {
			return nil
		}
	case "tar", "gtar", "bsdtar":
		extract := false
		for i := range args {
			t := args[i].Text
			extract = extract || t == "--extract" || t == "--get" || (i == 0 || strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--")) && strings.Contains(t, "x") && !strings.ContainsAny(t, "./")
			if t == "-O" || t == "--to-stdout" {
				return nil
			}
		}
		if !extract {
			return nil
		}
		as := unpackFlags.parse(args)
		dir = valueOf(as, "-C", "--directory")
		old := len(args) > 0 && !strings.HasPrefix(args[0].Text, "-")
		for n, w := range operands(as) {
			if old && (n == 0 || n == 1 && strings.Contains(args[0].Text, "f")) {
				continue
			}
			members = append(members, w)
		}
	case "7z", "7za", "7zz", "7zr", "unrar":
		if len(args) == 0 || args[0].Text != "x" && args[0].Text != "e" {
			return nil
		}
		for i := range args {
			if v, ok := strings.CutPrefix(args[i].Text, "-o"); ok {
				dir = tail(&args[i], v)
			}
		}
	case "cpio":
		as := unpackFlags.parse(args)
		if !has(as, "-i", "--extract") {
			return nil
		}
		dir = valueOf(as, "-D", "--directory")
	case "expand-archive":
		for i := range args {
			if strings.EqualFold(args[i].Text, "-destinationpath") && i+1 < len(args) {
				dir = &args[i+1]
			}
		}
	}
	if dir == nil {
		dir = &word{Text: ".", Raw: ".", Static: true}
	}
	if len(members) == 0 {
		return []write{{path: dir, tree: true}}
	}
	var out []write
	for _, m := range members {
		out = append(out, write{path: inDir(dir, m), tree: true})
	}
	return out
}

// sedWrites finds the files that a sed script's w command or s///w flag names.
func sedWrites(w *word) []write {
	t := w.Text
	for _, lead := range [...]string{"w ", "W "} {
		for _, sep := range [...]string{"/", "/g", "/p", "|", "#", ""} {
			if i := strings.LastIndex(t, sep+lead); i >= 0 && (sep != "" || i == 0 || strings.ContainsAny(t[i-1:i], ";}$0123456789")) {
				if name := strings.TrimSpace(t[i+len(sep+lead):]); name != "" && !strings.ContainsAny(name, " ;") {
					return []write{{path: &word{Text: name, Raw: name, Static: true}}}
				}
			}
		}
	}
	return nil
}

func inPlaceFlag(program string, args []word) bool {
	for i := range args {
		t := args[i].Text
		switch program {
		case "awk", "gawk":
			if t == "inplace" || t == "-iinplace" {
				return true
			}
		default:
			// -i, -pi, -i.bak, -pie; not -e's text.
			if len(t) > 1 && t[0] == '-' && t[1] != '-' {
				for k := 1; k < len(t); k++ {
					if t[k] == 'i' {
						return true
					}
					if strings.IndexByte("eEIMmrxCF0", t[k]) >= 0 {
						break
					}
				}
			}
		}
	}
	return false
}

// transfers returns the writes of cp, mv, ln, install, rsync and scp: to the
// last operand or into the named folder.
func transfers(c *shellcmd.Command) []write {
	args := c.Args()
	g := &cpFlags
	name := strings.ToLower(c.Program)
	switch name {
	case "install", "ginstall":
		g = &installFlags
	case "rsync":
		g = &rsyncFlags
	case "scp":
		g = &grammar{short: "cDFiJloPSX"}
	}
	var ops []*word
	var dst *word
	if strings.HasSuffix(name, "-item") || name == "copy" || name == "move" || name == "xcopy" {
		for i := range args {
			t := args[i].Text
			if t == "" || t[0] == '-' && len(t) > 1 || t[0] == '/' && len(t) <= 3 && isLetters(t[1:]) {
				continue
			}
			ops = append(ops, &args[i])
		}
	} else {
		as := g.parse(args)
		if helpOnly(as) {
			return nil
		}
		for i := range as {
			if as[i].value != nil && (as[i].flag == "-t" && g != &rsyncFlags || long(as[i].flag, "--target-directory", 2)) {
				dst = as[i].value
			}
		}
		ops = operands(as)
	}
	into := dst != nil
	plain := g == &cpFlags && has(g.parse(args), "-T", "--no-target-directory")
	if dst == nil {
		if len(ops) < 2 {
			if len(ops) == 1 && (name == "ln" || name == "gln") {
				d := &word{Text: "./" + baseName(ops[0].Text), Static: ops[0].Static}
				return []write{{path: d, from: ops[0]}}
			}
			return nil
		}
		dst, ops = ops[len(ops)-1], ops[:len(ops)-1]
	}
	var out []write
	for _, s := range ops {
		if !into {
			out = append(out, write{path: dst, from: s, onto: true})
		}
		switch {
		case name == "rsync" && strings.HasSuffix(s.Text, "/"), strings.HasSuffix(s.Text, "/."), s.Text == ".", strings.HasSuffix(s.Text, "/*"):
			out = append(out, write{path: dst, from: s, tree: true})
		case plain:
			out = append(out, write{path: dst, from: s, tree: true})
			continue
		}
		out = append(out, write{path: joinWord(dst, s), from: s})
		if strings.HasSuffix(name, "mv") || name == "move" || name == "move-item" || name == "rename-item" {
			out = append(out, write{path: s, remove: true})
		}
	}
	return out
}

// tarFile returns the archive that tar writes, nil if it writes none or to its
// output.
func tarFile(args []word) *word {
	mode := byte(0)
	var file *word
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case strings.HasPrefix(t, "--"):
			name, _, has := strings.Cut(t, "=")
			switch {
			case name == "--create" || name == "--append" || name == "--update":
				mode = 'c'
			case name == "--extract" || name == "--get" || name == "--list":
				mode = 'x'
			case name == "--file" && has:
				file = tail(&args[i], t[len("--file="):])
			case name == "--file" && i+1 < len(args):
				i++
				file = &args[i]
			}
		case i == 0 || len(t) > 1 && t[0] == '-':
			old := i == 0 && (len(t) == 0 || t[0] != '-')
			letters := strings.TrimPrefix(t, "-")
			for k := 0; k < len(letters); k++ {
				switch letters[k] {
				case 'c', 'r', 'u':
					mode = 'c'
				case 'x', 't':
					mode = 'x'
				case 'f':
					if !old && k+1 < len(letters) {
						file = tail(&args[i], letters[k+1:])
						k = len(letters)
					} else if i+1 < len(args) {
						i++
						file = &args[i]
						k = len(letters)
					}
				case 'C', 'T', 'X', 'b', 'g', 'I', 'K', 'L', 'N', 'V', 'H':
					if !old {
						if k+1 >= len(letters) && i+1 < len(args) {
							i++
						}
						k = len(letters)
					}
				}
			}
		}
	}
	if file == nil || mode != 'c' || file.Text == "-" {
		return nil
	}
	return file
}

// gitWrites returns the working files that a git command names and changes.
func gitWrites(c *shellcmd.Command) []write {
	g := parseGit(c)
	out := gitWritesIn(&g)
	if g.dir != "" && g.dir != c.Dir {
		for i := range out {
			out[i].path = inDir(&word{Text: g.dir, Static: true}, out[i].path)
		}
	}
	return out
}

func gitWritesIn(g *gitCmd) []write {
	var out []write
	switch g.sub {
	case "rm", "checkout", "restore", "mv", "update-index":
		if as := restoreFlags.parse(g.args); g.sub == "restore" && toggles(as, "-S", "staged", 2) && !toggles(as, "-W", "worktree", 1) {
			break // only the index
		}
		dry := false
		for i := range g.args {
			t := g.args[i].Text
			dry = dry || t == "-n" && g.sub != "checkout" || t == "--dry-run" || t == "--cached" && g.sub == "rm"
		}
		if dry || g.sub == "update-index" {
			return nil
		}
		for i := range g.args {
			if t := g.args[i].Text; t != "" && t[0] != '-' {
				out = append(out, write{path: &g.args[i], remove: g.sub == "rm" || g.sub == "mv", tree: g.sub == "checkout" || g.sub == "restore"})
			}
		}
	case "clean":
		as := cleanFlags.parse(g.args)
		if toggles(as, "-f", "force", 1) && !has(as, "-n", "--dry-run") {
			for _, w := range operands(as) {
				out = append(out, write{path: w, remove: true})
			}
		}
	case "stash":
		for i := range g.args {
			if t := g.args[i].Text; i > 0 && t != "" && t[0] != '-' && (g.args[0].Text == "push" || g.args[0].Text == "-p") {
				out = append(out, write{path: &g.args[i], inPlace: true})
			}
		}
	case "config":
		if w := valueOf((&grammar{short: "f", long: []string{"--file"}}).parse(g.args), "-f", "--file"); w != nil {
			out = append(out, write{path: w, inPlace: true})
		}
	case "diff", "format-patch", "log", "show":
		for i := range g.args {
			if v, ok := strings.CutPrefix(g.args[i].Text, "--output="); ok {
				out = append(out, write{path: tail(&g.args[i], v)})
			}
		}
	}
	return out
}
