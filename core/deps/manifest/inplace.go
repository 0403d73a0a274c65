package manifest

import (
	"path"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// An Insertion is text that a command puts somewhere into a manifest.
type Insertion struct {
	Path string // absolute if the command's folder is known
	Text string
}

// Inserted returns what the commands of a line put into manifests by editing
// them in place: the new side of sed's and perl's substitutions, lines that sed
// adds, assignments of jq and yq, the added lines of a patch. It does not say
// where in the file that goes, or whether it goes there at all.
func Inserted(line *shellcmd.Line) []Insertion {
	var out []Insertion
	for i := range line.Commands {
		c := &line.Commands[i]
		if c.Has(shellcmd.Uncalled) || c.Has(shellcmd.Remote) {
			continue
		}
		add := func(name, text string) {
			if !readable(name) || strings.TrimSpace(text) == "" {
				return
			}
			name = strings.ReplaceAll(name, `\`, "/")
			if !path.IsAbs(name) && c.Dir != "" {
				name = path.Join(c.Dir, name)
			}
			out = append(out, Insertion{name, text})
		}
		switch c.Program {
		case "sed", "gsed", "perl":
			text, files := streamEdit(c)
			for _, f := range files {
				add(f, text)
			}
		case "jq", "yq", "gojq", "jaq":
			text, files, inPlace := queryEdit(c)
			for _, f := range files {
				if inPlace || written(line, path.Base(f)) {
					add(f, text)
				}
			}
		case "git", "patch":
			if c.Stdin.Known && (c.Program == "patch" || len(c.Args()) > 0 && (c.Args()[0].Text == "apply" || c.Args()[0].Text == "am")) {
				for name, text := range patched(c.Stdin.Text) {
					add(name, text)
				}
			}
		}
	}
	return out
}

// readable reports whether what a shell writes into a file is looked at.
func readable(name string) bool {
	switch formatOf(name) {
	case unknown, dockerfile, workflow:
		return false
	}
	return true
}

// written reports whether a command of the line moves, copies or redirects
// something to a file of that name.
func written(line *shellcmd.Line, base string) bool {
	for i := range line.Commands {
		c := &line.Commands[i]
		for j := range c.Redirects {
			if r := &c.Redirects[j]; r.Writes() && path.Base(r.Target.Text) == base {
				return true
			}
		}
		args := c.Args()
		switch c.Program {
		case "mv", "cp", "install", "tee", "sponge":
			if n := len(args); n > 0 && path.Base(args[n-1].Text) == base {
				return true
			}
		}
	}
	return false
}

// streamEdit is what a sed or perl that edits files in place puts into them.
func streamEdit(c *shellcmd.Command) (text string, files []string) {
	inPlace, scripted := false, false
	var scripts, words []string
	args := c.Args()
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		switch {
		case a == "-e" || a == "--expression" || a == "-E" && c.Program == "perl":
			if i++; i < len(args) {
				scripts = append(scripts, args[i].Text)
			}
			scripted = true
		case strings.HasPrefix(a, "--expression="):
			scripts, scripted = append(scripts, a[len("--expression="):]), true
		case strings.HasPrefix(a, "--in-place"):
			inPlace = true
		case strings.HasPrefix(a, "--"):
		case len(a) > 1 && a[0] == '-':
			flags := a[1:]
			if j := strings.IndexByte(flags, 'i'); j >= 0 {
				inPlace = true
				if c.Program != "perl" {
					flags = flags[:j] // the rest is the suffix of the copy
				}
			}
			if strings.HasSuffix(flags, "e") && i+1 < len(args) {
				i++
				scripts, scripted = append(scripts, args[i].Text), true
			}
		case a == "": // BSD's sed -i ''
		default:
			words = append(words, a)
		}
	}
	if !inPlace {
		return "", nil
	}
	if !scripted && len(words) > 0 {
		scripts, words = words[:1], words[1:]
	}
	var b strings.Builder
	for _, s := range scripts {
		b.WriteString(replacements(s))
		if c.Program != "perl" {
			b.WriteString(addedBySed(s))
		}
	}
	return b.String(), words
}

// replacements are the new sides of the substitutions in a script, a line each.
func replacements(script string) string {
	var b strings.Builder
	for i := 0; i+3 < len(script); i++ {
		d := script[i+1]
		if script[i] != 's' || d == ' ' || d == '\n' || d == '\\' || alnum(d) || i > 0 && alnum(script[i-1]) && !digit(script[i-1]) {
			continue
		}
		closing := d
		if j := strings.IndexByte("{[(<", d); j >= 0 {
			closing = "}])>"[j]
		}
		old := until(script, i+2, closing)
		if old < 0 {
			continue
		}
		from := old + 1
		if closing != d {
			if from >= len(script) || script[from] != d {
				continue
			}
			from++
		}
		end := until(script, from, closing)
		if end < 0 {
			continue
		}
		b.WriteString(unescape(script[from:end], d))
		b.WriteByte('\n')
		i = end
	}
	return b.String()
}

func alnum(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || digit(c) || c == '_' }
func digit(c byte) bool { return '0' <= c && c <= '9' }

// until is where the next end stands that no backslash takes the meaning of,
// -1 if there is none.
func until(s string, from int, end byte) int {
	for i := from; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case end:
			return i
		}
	}
	return -1
}

// unescape is the text that a replacement puts in, without what it matched.
func unescape(s string, delimiter byte) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '&' && delimiter != '&', s[i] == '$' && i+1 < len(s) && digit(s[i+1]):
			b.WriteByte('\n') // what stood there
			if s[i] == '$' {
				i++
			}
		case s[i] != '\\' || i+1 == len(s):
			b.WriteByte(s[i])
		default:
			i++
			switch c := s[i]; {
			case c == 'n' || digit(c):
				b.WriteByte('\n')
			case c == 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

// addedBySed are the lines that the commands a, i and c of a script add.
func addedBySed(script string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.ReplaceAll(script, "\\\n", "\\n"), "\n") {
		rest := strings.TrimLeft(line, " \t")
		for rest != "" { // the address
			switch c := rest[0]; {
			case c == '/':
				end := until(rest, 1, '/')
				if end < 0 {
					return b.String()
				}
				rest = strings.TrimLeft(rest[end+1:], "I ")
			case digit(c), c == '$', c == ',', c == '~', c == '+', c == ' ':
				rest = rest[1:]
			default:
				goto command
			}
		}
	command:
		if rest == "" || strings.IndexByte("aic", rest[0]) < 0 {
			continue
		}
		text := strings.TrimLeft(rest[1:], " \t")
		text = strings.TrimPrefix(text, `\`)
		text = strings.TrimPrefix(text, "n") // of the line break after a\
		if !strings.HasPrefix(rest[1:], `\n`) {
			text = strings.TrimPrefix(strings.TrimLeft(rest[1:], " \t"), `\`)
		}
		b.WriteString(unescape(text, 0))
		b.WriteByte('\n')
	}
	return b.String()
}

// queryEdit is what the filter of jq or yq adds to the dependencies of the files
// that it reads, as lines of a package.json.
func queryEdit(c *shellcmd.Command) (text string, files []string, inPlace bool) {
	filter, have := "", false
	args := c.Args()
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		switch {
		case a == "--arg" || a == "--argjson" || a == "--slurpfile" || a == "--rawfile":
			i += 2
		case a == "--indent" || a == "-p" || a == "-o" || a == "--input-format" || a == "--output-format":
			i++
		case a == "-i" || a == "--inplace" || a == "--in-place":
			inPlace = true
		case len(a) > 1 && a[0] == '-':
		case !have && a != "eval" && a != "e":
			filter, have = a, true
		case have:
			files = append(files, a)
		}
	}
	var b strings.Builder
	for _, section := range [...]string{"dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "overrides", "resolutions"} {
		for rest := filter; ; {
			var ok bool
			if _, rest, ok = strings.Cut(rest, "."+section); !ok {
				break
			}
			if at := strings.TrimLeft(rest, " "); at != "" {
				b.WriteString(assigned(at))
			}
		}
	}
	return b.String(), files, inPlace
}

// assigned reads what follows a section's name in a filter: ["x"] = "1",
// .x = "1", += {"x": "1"}.
func assigned(s string) string {
	name := ""
	switch {
	case strings.HasPrefix(s, `["`):
		name, s, _ = strings.Cut(s[2:], `"`)
		s = strings.TrimPrefix(s, "]")
	case strings.HasPrefix(s, `."`):
		name, s, _ = strings.Cut(s[2:], `"`)
	case s[0] == '.' && len(s) > 1 && alnum(s[1]):
		i := 1
		for i < len(s) && alnum(s[i]) {
			i++
		}
		name, s = s[1:i], s[i:]
	}
	s = strings.TrimLeft(s, " ")
	if name != "" {
		value, ok := strings.CutPrefix(strings.TrimPrefix(s, "|"), "=")
		if !ok || strings.HasPrefix(value, "=") {
			return ""
		}
		version := "*"
		if v, ok := strings.CutPrefix(strings.TrimLeft(value, " "), `"`); ok {
			version, _, _ = strings.Cut(v, `"`)
		}
		return `"` + name + `": "` + version + "\",\n"
	}
	_, object, ok := strings.Cut(s, "{")
	if !ok || strings.ContainsAny(s[:len(s)-len(object)-1], "|)") {
		return ""
	}
	object, _, ok = strings.Cut(object, "}")
	if !ok {
		return ""
	}
	return strings.ReplaceAll(object, ",", ",\n") + "\n"
}

// patched are the lines that a unified diff adds, by file.
func patched(diff string) map[string]string {
	out := map[string]string{}
	name, inHunk := "", false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- ") && !inHunk:
			name, inHunk = "", false
		case strings.HasPrefix(line, "+++ ") && name == "":
			name, _, _ = strings.Cut(strings.TrimSpace(line[4:]), "\t")
			name = strings.TrimPrefix(name, "b/")
		case strings.HasPrefix(line, "@@ "):
			inHunk = true
		case inHunk && strings.HasPrefix(line, "--- "):
			name, inHunk = "", false
		case inHunk && line[0] == '+' && name != "":
			out[name] += line[1:]
		}
	}
	return out
}
