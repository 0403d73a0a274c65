package shellcmd

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// print works out what a command writes to its output, where its arguments
// and input say so, and the files that it writes on the way.
func (r *reader) print(idx int, st *state) {
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	say := func(text string, known bool) {
		if !r.spend(len(text)) {
			text, known = "", false
		}
		cmd.Stdout.Text, cmd.Stdout.Known = text, known
	}
	in := cmd.Stdin
	inputless := len(argv) == 1 || len(argv) == 2 && argv[1].Text == "-"
	switch cmd.Program {
	case "true", ":", "false", "test", "[", "mkdir", "touch", "sleep", "wait", "chmod", "ln":
		say("", true)
	case "pwd":
		if cmd.Dir != "" && len(cmd.DirElse) == 0 {
			say(cmd.Dir+"\n", true)
		}
	case "echo":
		say(echo(argv[1:]))
	case "printf":
		args := argv[1:]
		if len(args) > 1 && args[0].Text == "-v" {
			if len(args) > 2 {
				t, ok := printf(args[2:])
				v := value{texts: []string{t}, static: ok}
				for i := range args[2:] {
					v.vars = union(v.vars, args[2+i].Vars)
					v.subst = union(v.subst, args[2+i].Subst)
				}
				setVar(st, args[1].Text, v)
			}
			say("", true)
			return
		}
		if len(args) > 0 && args[0].Text == "--" {
			args = args[1:]
		}
		say(printf(args))
	case "cat":
		var sb strings.Builder
		all, any := true, false
		for i := 1; i < len(argv) || i == 1; i++ {
			switch {
			case i >= len(argv), argv[i].Text == "-", argv[i].Text == "/dev/stdin":
				sb.WriteString(in.Text)
				all = all && in.Known
				any = true
			case strings.HasPrefix(argv[i].Text, "-"):
				if len(argv) == 2 {
					sb.WriteString(in.Text)
					all = all && in.Known
					any = true
				}
			default:
				any = true
				t, ok := r.contents(&argv[i], cmd.Dir)
				all = all && ok
				if !ok && t == "" {
					t = Unknown
				}
				sb.WriteString(t)
			}
		}
		if t := sb.String(); any && (all || strings.Trim(t, Unknown) != "") {
			say(t, all)
		}
	case "tee", "sponge":
		app := false
		for _, w := range argv[1:] {
			if strings.HasPrefix(w.Text, "-") {
				app = app || strings.Contains(w.Text, "a")
				continue
			}
			r.putFile(&w, cmd.Dir, in.Text, in.Known, app, idx)
		}
		if cmd.Program == "tee" || inputless {
			say(in.Text, in.Known)
		}
	case "base64", "gbase64", "openssl":
		decode := false
		var file *Word
		for i := 1; i < len(argv); i++ {
			w := &argv[i]
			switch {
			case w.Text == "--decode" || strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && strings.ContainsAny(w.Text, "dD") && cmd.Program != "openssl" || w.Text == "-d":
				decode = true
			case w.Text == "-in" && i+1 < len(argv):
				i++
				file = &argv[i]
			case strings.HasPrefix(w.Text, "-"), cmd.Program == "openssl" && has("base64 enc", w.Text):
			default:
				file = w
			}
		}
		if cmd.Program == "openssl" && !slices.ContainsFunc(argv, func(w Word) bool { return strings.HasSuffix(w.Text, "base64") || w.Text == "-a" }) {
			return
		}
		t, ok := in.Text, in.Known
		if file != nil && file.Text != "-" {
			t, ok = r.contents(file, cmd.Dir)
		}
		if !ok {
			return
		}
		if !decode {
			say(base64.StdEncoding.EncodeToString([]byte(t))+"\n", true)
			return
		}
		t = strings.Map(func(c rune) rune {
			if c == '\n' || c == '\r' || c == ' ' || c == '\t' {
				return -1
			}
			return c
		}, t)
		b, err := base64.StdEncoding.DecodeString(t)
		if err != nil {
			b, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(t, "="))
		}
		if err == nil {
			say(string(b), true)
		}
	case "xxd":
		var flags strings.Builder
		for _, w := range argv[1:] {
			flags.WriteString(w.Text)
		}
		if strings.Contains(flags.String(), "r") && strings.Contains(flags.String(), "p") && in.Known {
			t := strings.Map(func(c rune) rune {
				if hexDigit(byte(c)) < 0 || c > 127 {
					return -1
				}
				return c
			}, in.Text)
			if b, err := hex.DecodeString(t[:len(t)&^1]); err == nil {
				say(string(b), true)
			}
		}
	case "rev":
		if in.Known && len(argv) == 1 {
			lines := strings.Split(in.Text, "\n")
			for i, l := range lines {
				b := []rune(l)
				slices.Reverse(b)
				lines[i] = string(b)
			}
			say(strings.Join(lines, "\n"), true)
		}
	case "tr":
		if in.Known {
			say(tr(argv[1:], in.Text))
		}
	case "sort", "uniq":
		if len(argv) == 1 {
			say(in.Text, in.Known)
		}
	case "head", "tail":
		if in.Known && strings.Count(in.Text, "\n") <= 1 && len(argv) <= 3 && !slices.ContainsFunc(argv, func(w Word) bool { return strings.HasPrefix(w.Text, "-c") }) {
			say(in.Text, true)
		}
	case "which", "command", "type":
		var sb strings.Builder
		n := 0
		for _, w := range argv[1:] {
			if !strings.HasPrefix(w.Text, "-") {
				sb.WriteString(w.Text + "\n")
				n++
				if !w.Static || len(w.Or) > 0 {
					return
				}
			}
		}
		if n > 0 && (cmd.Program != "type" || len(argv) > 1 && strings.HasPrefix(argv[1].Text, "-")) {
			say(sb.String(), true)
		}
	case "basename", "dirname":
		if len(argv) < 2 || !argv[1].Static || len(argv[1].Or) > 0 || strings.HasPrefix(argv[1].Text, "-") || argv[1].Text == "" {
			return
		}
		t := argv[1].Text
		if u := strings.TrimRight(t, "/"); u != "" {
			t = u
		} else {
			t = "/"
		}
		i := strings.LastIndexByte(t, '/')
		switch {
		case cmd.Program == "basename":
			if t != "/" {
				t = t[i+1:]
			}
			if len(argv) > 2 && t != argv[2].Text {
				t = strings.TrimSuffix(t, argv[2].Text)
			}
		case i < 0:
			t = "."
		case i == 0:
			t = "/"
		default:
			t = strings.TrimRight(t[:i], "/")
			if t == "" {
				t = "/"
			}
		}
		say(t+"\n", true)
	case "realpath", "readlink":
		full := cmd.Program == "realpath"
		for _, w := range argv[1:] {
			switch {
			case strings.HasPrefix(w.Text, "-"):
				full = full || strings.ContainsAny(w.Text, "fem")
			case full && w.Static && len(w.Or) == 0:
				if p := joinPath(cmd.Dir, w.Text); p != "" {
					say(p+"\n", true)
				}
			}
		}
	}
}

// contents is the text of a file that the line wrote before.
func (r *reader) contents(w *Word, dir string) (string, bool) {
	if f := r.file(w, dir); f != nil {
		return f.text, f.known
	}
	if len(w.Subst) > 0 && w.Text == Unknown { // <( … )
		return r.output(w.Subst, Capture)
	}
	return "", false
}

func echo(args []Word) (string, bool) {
	nl, esc := true, false
	for len(args) > 0 {
		t := args[0].Text
		if len(t) < 2 || t[0] != '-' || strings.Trim(t[1:], "neE") != "" {
			break
		}
		if strings.Contains(t, "n") {
			nl = false
		}
		if strings.Contains(t, "e") {
			esc = true
		}
		if strings.Contains(t, "E") {
			esc = false
		}
		args = args[1:]
	}
	var sb strings.Builder
	known := true
	for i := range args {
		if i > 0 {
			sb.WriteByte(' ')
		}
		t := args[i].Text
		if esc {
			t = echoEscapes(t)
		}
		sb.WriteString(t)
		known = known && args[i].Static && len(args[i].Or) == 0 && !args[i].Glob
	}
	if nl {
		sb.WriteByte('\n')
	}
	return sb.String(), known
}

// echoEscapes decodes what echo -e, printf and %b know; an octal may have a
// leading 0.
func echoEscapes(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	if i := strings.Index(s, `\c`); i >= 0 && !strings.HasSuffix(s[:i], `\`) {
		s = s[:i]
	}
	var sb strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			sb.WriteByte(s[i])
			continue
		}
		if c := s[i+1]; c >= '0' && c <= '7' {
			n := 3
			if c == '0' {
				n = 4
			}
			v, k := number8(s[i+1:], n)
			sb.WriteByte(byte(v))
			i += k
			continue
		}
		j := i + 2
		if c := s[i+1]; c == 'x' || c == 'u' || c == 'U' {
			most := 2
			switch c {
			case 'u':
				most = 4
			case 'U':
				most = 8
			}
			_, k := number16(s[j:], most)
			j += k
		}
		sb.WriteString(ansiC(s[i:j]))
		i = j - 1
	}
	return sb.String()
}

// printf formats its words. Conversions of numbers keep the argument's text.
func printf(args []Word) (string, bool) {
	if len(args) == 0 {
		return "", false
	}
	known := true
	for i := range args {
		known = known && args[i].Static && len(args[i].Or) == 0
	}
	format := args[0].Text
	args = args[1:]
	var sb strings.Builder
	for range 1024 {
		used := 0
		for i := 0; i < len(format); i++ {
			switch c := format[i]; {
			case c == '\\' && i+1 < len(format):
				j := i + 1
				for j < len(format) && j-i < 10 && format[j] != '%' && (j == i+1 || format[j] != '\\') {
					j++
				}
				seg := escapeAt(format[i:j])
				sb.WriteString(echoEscapes(seg))
				i += len(seg) - 1
			case c == '%' && i+1 < len(format):
				j := i + 1
				for j < len(format) && strings.IndexByte("-+ #0123456789.'", format[j]) >= 0 {
					j++
				}
				if j >= len(format) {
					sb.WriteString(format[i:])
					i = j
					continue
				}
				plain := j == i+1
				verb := format[j]
				i = j
				if verb == '%' {
					sb.WriteByte('%')
					continue
				}
				arg := ""
				if used < len(args) {
					arg = args[used].Text
				}
				used++
				switch verb {
				case 's', 'd', 'i', 'u', 'q':
				case 'b':
					arg = echoEscapes(arg)
				case 'c':
					arg = arg[:min(1, len(arg))]
				default:
					known = false
				}
				if !plain {
					known = known && (verb == 's' || verb == 'd')
				}
				sb.WriteString(arg)
			default:
				sb.WriteByte(c)
			}
		}
		if used == 0 || used >= len(args) {
			break
		}
		args = args[used:]
	}
	return sb.String(), known
}

// escapeAt is the one escape at the start of s.
func escapeAt(s string) string {
	if len(s) < 2 {
		return s
	}
	switch c := s[1]; {
	case c >= '0' && c <= '7':
		n := 3
		if c == '0' {
			n = 4
		}
		_, k := number8(s[1:], n)
		return s[:1+k]
	case c == 'x' || c == 'u' || c == 'U':
		most := 2
		switch c {
		case 'u':
			most = 4
		case 'U':
			most = 8
		}
		_, k := number16(s[2:], most)
		return s[:2+k]
	}
	return s[:2]
}

// tr maps or deletes single bytes.
func tr(args []Word, text string) (string, bool) {
	del := false
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") && len(args[0].Text) > 1 {
		if args[0].Text != "-d" && args[0].Text != "--delete" {
			return "", false
		}
		del = true
		args = args[1:]
	}
	for i := range args {
		if !args[i].Static {
			return "", false
		}
	}
	switch {
	case del && len(args) == 1:
		set := trSet(args[0].Text)
		return strings.Map(func(c rune) rune {
			if c < 128 && slices.Contains(set, byte(c)) {
				return -1
			}
			return c
		}, text), true
	case !del && len(args) == 2:
		from, to := trSet(args[0].Text), trSet(args[1].Text)
		if len(to) == 0 {
			return "", false
		}
		out := []byte(text)
		for i, c := range out {
			if j := slices.Index(from, c); j >= 0 {
				out[i] = to[min(j, len(to)-1)]
			}
		}
		return string(out), true
	}
	return "", false
}

func trSet(s string) []byte {
	s = ansiC(s)
	switch s {
	case "[:upper:]":
		s = "A-Z"
	case "[:lower:]":
		s = "a-z"
	case "[:space:]":
		s = " \t\n\r"
	case "[:digit:]":
		s = "0-9"
	}
	if len(s) > 2 && s[0] == '[' && s[len(s)-1] == ']' && strings.Contains(s, "-") {
		s = s[1 : len(s)-1]
	}
	var out []byte
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i+1] == '-' && s[i+2] >= s[i] {
			for c := int(s[i]); c <= int(s[i+2]); c++ {
				out = append(out, byte(c))
			}
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return out
}

// fetched remembers the files that a download or copy makes, so that running
// one leads back to its source.
func (r *reader) fetched(idx int) {
	cmd := &r.line.Commands[idx]
	argv := cmd.Argv
	put := func(w Word, text string, known bool) { r.putFile(&w, cmd.Dir, text, known, false, idx) }
	switch cmd.Program {
	case "curl", "wget", "aria2c", "fetch":
		named, base := false, cmd.Program == "wget"
		var urls []Word
		for i := 1; i < len(argv); i++ {
			t := argv[i].Text
			var val *Word
			switch {
			case (t == "-o" || t == "--output" || t == "--output-document" || t == "--out") && i+1 < len(argv),
				t == "-O" && cmd.Program == "wget" && i+1 < len(argv):
				i++
				val = &argv[i]
			case strings.HasPrefix(t, "--output=") || strings.HasPrefix(t, "--output-document="):
				w := argv[i]
				_, w.Text, _ = strings.Cut(t, "=")
				val = &w
			case !strings.HasPrefix(t, "--") && len(t) > 1 && t[0] == '-':
				if j := strings.IndexByte(t, 'o'); j > 0 && cmd.Program == "curl" || strings.HasPrefix(t, "-O") && len(t) > 2 && cmd.Program == "wget" {
					if j < 0 || cmd.Program == "wget" {
						j = 1
					}
					w := argv[i]
					if w.Text = t[j+1:]; w.Text == "" && i+1 < len(argv) {
						i++
						w = argv[i]
					}
					val = &w
				}
				base = base || cmd.Program == "curl" && strings.Contains(t, "O")
			case t == "--remote-name":
				base = true
			case !strings.HasPrefix(t, "-"):
				urls = append(urls, argv[i])
			}
			if val != nil {
				named = true
				put(*val, "", false)
			}
		}
		if base && !named {
			for _, u := range urls {
				t, _, _ := strings.Cut(u.Text, "?")
				if j := strings.LastIndexByte(t, '/'); j >= 0 && j+1 < len(t) {
					u.Text = t[j+1:]
					put(u, "", false)
				}
			}
		}
	case "cp", "mv", "install", "ln":
		var ops []Word
		for _, w := range argv[1:] {
			if !strings.HasPrefix(w.Text, "-") {
				ops = append(ops, w)
			}
		}
		if len(ops) == 2 {
			if f := r.file(&ops[0], cmd.Dir); f != nil {
				from := f.from
				put(ops[1], f.text, f.known)
				if n := len(r.files); n > 0 {
					r.files[n-1].from = union(from, []int{idx})
				}
			}
		}
		cmd.Stdout.Known = true
	case "dd":
		for _, w := range argv[1:] {
			if v, ok := strings.CutPrefix(w.Text, "of="); ok {
				w.Text = v
				put(w, cmd.Stdin.Text, cmd.Stdin.Known)
			}
		}
	}
}
