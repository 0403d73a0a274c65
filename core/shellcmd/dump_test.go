package shellcmd

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

func names(bits Flags) string {
	var out []string
	for i, n := range [...]string{"cond", "loop", "bg", "neg", "masked", "sub", "uncalled", "recursive", "remote", "loose", "ps", "batch", "stdinargs", "fatal"} {
		if bits&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return strings.Join(out, ",")
}

func of(i int, list ...string) string {
	if i < len(list) {
		return list[i]
	}
	return fmt.Sprint(i)
}

func show(s string) string {
	s = strings.ReplaceAll(s, Unknown, "¿")
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\") {
		return s
	}
	return fmt.Sprintf("%q", s)
}

func showWord(w *Word) string {
	var sb strings.Builder
	sb.WriteString(show(w.Text))
	for _, o := range w.Or {
		sb.WriteString("|" + show(o))
	}
	for _, x := range []struct {
		on bool
		c  string
	}{{!w.Static, "~dyn"}, {w.Glob, "~glob"}, {w.Splits, "~split"}, {w.Blank, "~blank"}} {
		if x.on {
			sb.WriteString(x.c)
		}
	}
	if len(w.Vars) > 0 {
		sb.WriteString("$" + strings.Join(w.Vars, "$"))
	}
	if len(w.Subst) > 0 {
		fmt.Fprintf(&sb, "<-%v", w.Subst)
	}
	return sb.String()
}

// dump shows a line as text, one command a row.
func dump(l *Line) string {
	var sb strings.Builder
	for i := range l.Commands {
		c := &l.Commands[i]
		fmt.Fprintf(&sb, "%2d", i)
		if c.Via != ViaNone {
			fmt.Fprintf(&sb, " %d/%s", c.Parent, of(int(c.Via), "", "subst", "proc", "code", "exec", "interp", "function", "alias"))
		}
		fmt.Fprintf(&sb, " [%s]", c.Program)
		for j := range c.Argv {
			sb.WriteString(" " + showWord(&c.Argv[j]))
		}
		for _, a := range c.Assigns {
			fmt.Fprintf(&sb, " %s:=%s", a.Name, showWord(&a.Value))
		}
		for _, rd := range c.Redirects {
			fmt.Fprintf(&sb, " {%d%s %s", rd.Fd, rd.Op, showWord(&rd.Target))
			if rd.Body.Text != "" {
				sb.WriteString(" " + show(rd.Body.Text))
			}
			sb.WriteString("}")
		}
		for _, w := range c.Wrappers {
			sb.WriteString(" behind:" + w.Name)
		}
		for _, k := range c.Code {
			fmt.Fprintf(&sb, " code(%s %s", of(int(k.Lang), "?", "sh", "powershell", "batch", "python", "node", "perl", "ruby", "php", "awk", "lua", "applescript", "sql", "other"), of(int(k.From), "?", "arg", "stdin", "file"))
			if !k.Known {
				sb.WriteString(" unknown")
			}
			if len(k.Sources) > 0 {
				fmt.Fprintf(&sb, " from%v", k.Sources)
			}
			sb.WriteString(")")
		}
		for _, e := range c.Effects {
			fmt.Fprintf(&sb, " does(%s %s", of(int(e.Kind), "?", "deltree", "delfile", "write", "read", "move", "copy", "shell", "net", "env"), showWord(&e.Path))
			if e.To.Text != "" {
				sb.WriteString(" to " + showWord(&e.To))
			}
			if len(e.Commands) > 0 {
				fmt.Fprintf(&sb, " %v", e.Commands)
			}
			sb.WriteString(")")
		}
		if c.Stdin.Kind != Inherit {
			fmt.Fprintf(&sb, " in(%s%v)", of(int(c.Stdin.Kind), "", "pipe", "file", "here", "capture", "closed"), c.Stdin.Peers)
		}
		if c.Stdout.Kind != Inherit {
			fmt.Fprintf(&sb, " out(%s%v)", of(int(c.Stdout.Kind), "", "pipe", "file", "here", "capture", "closed"), c.Stdout.Peers)
		}
		if f := names(c.Flags); f != "" {
			sb.WriteString(" " + f)
		}
		if c.Dir != "/w/p" {
			fmt.Fprintf(&sb, " dir=%s", show(c.Dir))
		}
		if len(c.DirElse) > 0 {
			fmt.Fprintf(&sb, " or%q", c.DirElse)
		}
		sb.WriteString("\n")
	}
	for _, o := range l.Opaque {
		fmt.Fprintf(&sb, "   opaque %d-%d %s\n", o.Pos, o.End, o.Why)
	}
	if l.Truncated {
		sb.WriteString("   truncated\n")
	}
	return sb.String()
}

// TestLinesReadAsRecorded compares the lines of testdata/*.golden with what
// they read as. A line to read follows ">>> ", its continuation "... ".
func TestLinesReadAsRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	if extra := os.Getenv("SHELLCMD_LINES"); extra != "" {
		files = []string{extra}
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			var src []string
			flush := func() {
				if src == nil {
					return
				}
				out.WriteString(dump(Parse(strings.Join(src, "\n"), Options{Cwd: "/w/p", Home: "/home/u", PowerShell: strings.Contains(f, "powershell")})))
				src = nil
			}
			for line := range strings.SplitSeq(strings.TrimRight(string(b), "\n"), "\n") {
				s, isLine := strings.CutPrefix(line, ">>> ")
				more, isMore := strings.CutPrefix(line, "...")
				switch {
				case isLine:
					flush()
					src = []string{s}
					out.WriteString(line + "\n")
				case isMore:
					src = append(src, strings.TrimPrefix(more, " "))
					out.WriteString(line + "\n")
				case strings.HasPrefix(line, "# "):
					flush()
					out.WriteString(line + "\n")
				}
			}
			flush()
			if *update {
				if err := os.WriteFile(f, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(b), out.String()); d != "" {
				t.Errorf("%s reads differently (-recorded +now); run with -update and look at the diff\n%s", f, d)
			}
		})
	}
}
