package policy

import (
	"path"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

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
		for _, w := range f.j.writesOf(c) {
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
		ws := f.j.writesOf(c)
		for i := range ws {
			w := &ws[i]
			switch {
			case w.from != nil:
				// Relative targets of symbolic links are read from the link's folder;
				// both readings count.
				t := f.tree(c, w.from)
				clean := t == 0 && !unknown(w.from) && (i == 0 || ws[i-1].from == nil)
				f.put(c, w.path, t, t == 0 && !clean)
			}
		}
		for i := range ws {
			if ws[i].remove {
				f.drop(c, ws[i].path)
			}
		}
	case "rm", "grm", "unlink", "shred", "trash", "remove-item", "rimraf":
		for _, w := range f.j.writesOf(c) {
			if w.remove {
				f.drop(c, w.path)
			}
		}
	case "dd":
		if o := ddOut(args); o != "" {
			f.put(c, &word{Text: o, Static: true}, in|named, false)
		}
	case "tar", "gtar", "bsdtar":
		if w := tarFile(args); w != nil && !remoteSpec(w.Text) {
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
		ext := packedSuffix(c.Program)
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
		for _, w := range f.j.writesOf(c) {
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
		f.put(c, &r.Target, t, strings.Contains(r.Op, ">>") || r.Fd == 2 || r.Outer)
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

// packedSuffix is what a compressor appends to a file's name.
func packedSuffix(program string) string {
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
