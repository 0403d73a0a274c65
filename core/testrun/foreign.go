package testrun

import (
	"path"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// foreign names a command of the line that may print what an older run printed:
// cat old.log && pytest. A summary in such a text may be that of any run. A file
// that can be read, and holds none, is harmless; so is one that this line wrote.
func (j *judgement) foreign(want readers) string {
	l := j.call.Line
	for i := range l.Commands {
		d := &l.Commands[i]
		if d.Has(shellcmd.Uncalled) || d.Stdout.Kind == shellcmd.File || d.Stdout.Kind == shellcmd.Closed || j.feeds(i) {
			continue
		}
		for _, name := range shown(d) {
			if sourceFile(name) || writtenBefore(l, i, name) || j.harmless(d, name, want) {
				continue
			}
			return d.Program + " " + strings.ReplaceAll(name, shellcmd.Unknown, "…")
		}
	}
	return ""
}

// feeds reports whether command i's output is piped into a run.
func (j *judgement) feeds(i int) bool {
	a := &j.call.Line.Commands[i]
	if a.Stdout.Kind != shellcmd.Pipe {
		return false
	}
	for k := range j.runs {
		if at := j.runs[k].at; at < len(j.call.Line.Commands) {
			if b := &j.call.Line.Commands[at]; b.Pipeline == a.Pipeline && b.Stage > a.Stage {
				return true
			}
		}
	}
	return false
}

// shown are the files whose text a command prints as it stands there.
func shown(d *shellcmd.Command) []string {
	if len(d.Argv) < 2 {
		return nil
	}
	a := wordsOf(d)[1:]
	switch d.Program {
	case "cat", "bat", "batcat", "less", "more", "tac", "nl", "get-content", "zcat", "gzcat", "strings":
		return a.operands("-l", "--language", "-r", "--line-range")
	case "tail", "head", "gtail", "ghead":
		return a.operands("-n", "-c", "--lines", "--bytes")
	case "sed", "gsed", "awk", "gawk", "cut", "jq":
		if files := a.operands("-F", "-d", "-f", "-v", "-e"); len(files) > 0 {
			if d.Program == "cut" || a.has("-e", "-f") {
				return files
			}
			return files[1:] // the first is its program
		}
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "findstr", "select-string":
		if shortFlag(a, 'r') || shortFlag(a, 'R') || shortFlag(a, 'l') || shortFlag(a, 'c') || shortFlag(a, 'q') || a.has("--recursive", "--count", "--quiet") {
			return nil // names of files stand before the lines, or no line
		}
		files := a.operands("-A", "-B", "-C", "-m", "-e", "-f", "--include", "--exclude", "-g", "--glob", "-t", "--type")
		if !a.has("-e", "-f", "--regexp") && len(files) > 0 {
			files = files[1:]
		}
		if len(files) > 1 && !shortFlag(a, 'h') {
			return nil
		}
		return files
	}
	return nil
}

// sourceFile reports whether a file by its name holds a program or settings.
func sourceFile(name string) bool {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	switch base {
	case ".", "..", "-", "/", "Makefile", "makefile", "GNUmakefile", "Dockerfile", "Gemfile", "Rakefile", "Procfile", "justfile", "package.json", "composer.json", "deno.json", "jsconfig.json", "CMakeLists.txt", "requirements.txt", "null":
		return true
	}
	if strings.HasSuffix(name, "/") || strings.HasPrefix(base, "tsconfig") {
		return true
	}
	switch strings.ToLower(strings.TrimPrefix(path.Ext(base), ".")) {
	case "go", "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "css", "scss", "rs", "rb", "erb", "java", "kt", "kts", "scala", "clj", "groovy", "gradle", "c", "h", "cc", "cpp", "cxx", "hpp", "m", "mm",
		"cs", "fs", "php", "swift", "ex", "exs", "erl", "hs", "ml", "lua", "pl", "pm", "r", "jl", "dart", "zig", "nim", "sh", "bash", "zsh", "ps1", "bats", "sql", "proto", "graphql", "tf", "mod", "sum", "lock", "toml", "yaml", "yml", "ini", "cfg", "conf", "env", "properties", "feature", "cmake", "mk", "patch", "diff":
		return true
	}
	return false
}

// writtenBefore reports whether a command before i makes file name anew: it then
// holds what this line printed. What is added to a file stands below older text.
func writtenBefore(l *shellcmd.Line, i int, name string) bool {
	for k := range i {
		c := &l.Commands[k]
		for r := range c.Redirects {
			if d := &c.Redirects[r]; d.Writes() && d.Target.Text == name && !strings.Contains(d.Op, ">>") {
				return true
			}
		}
		words := wordsOf(c)
		if len(words) == 0 || c.Program == "tee" && (shortFlag(words[1:], 'a') || words.has("--append")) {
			continue
		}
		if _, reads := readerOf(c); reads {
			continue
		}
		for _, w := range words[1:] { // tee out.log, --outputFile=out.json
			if w == name || strings.HasSuffix(w, "="+name) || strings.HasSuffix(w, ":"+name) {
				return true
			}
		}
	}
	return false
}

// readerOf reports whether a command only shows files.
func readerOf(c *shellcmd.Command) (files []string, ok bool) {
	files = shown(c)
	return files, len(files) > 0
}

// harmless reports whether a file can be read and holds no word of a test run.
func (j *judgement) harmless(d *shellcmd.Command, name string, want readers) bool {
	if j.call.ReadFile == nil || strings.Contains(name, shellcmd.Unknown) || strings.ContainsAny(name, "*?[") {
		return false
	}
	if !path.IsAbs(name) {
		dir := d.Dir
		if dir == "" {
			dir = j.call.Dir
		}
		if dir == "" {
			return false
		}
		name = path.Join(dir, name)
	}
	b, err := j.call.ReadFile(name, maxFile)
	if err != nil {
		return false
	}
	t := readText(clean(string(b)), want)
	return !t.sum && !t.ok && !t.none && t.red == notRed
}
