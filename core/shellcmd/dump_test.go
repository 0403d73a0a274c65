package shellcmd

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// dump shows a line as text, one command a row, for failures and for reading.
func dump(l *Line) string {
	var sb strings.Builder
	show := func(s string) string { return fmt.Sprintf("%q", strings.ReplaceAll(s, Unknown, "¿")) }
	for i := range l.Commands {
		c := &l.Commands[i]
		fmt.Fprintf(&sb, "%2d", i)
		if c.Parent >= 0 || c.Via != 0 {
			fmt.Fprintf(&sb, " ^%d.%d", c.Parent, c.Via)
		}
		fmt.Fprintf(&sb, " [%s]", c.Program)
		for _, w := range c.Argv {
			sb.WriteString(" " + show(w.Text))
			for _, o := range w.Or {
				sb.WriteString("|" + show(o))
			}
			m := ""
			for _, x := range []struct {
				on bool
				c  string
			}{{!w.Static, "d"}, {w.Glob, "g"}, {w.Splits, "s"}, {w.Blank, "b"}} {
				if x.on {
					m += x.c
				}
			}
			if m != "" {
				sb.WriteString(":" + m)
			}
			if len(w.Vars) > 0 {
				fmt.Fprintf(&sb, "%v", w.Vars)
			}
			if len(w.Subst) > 0 {
				fmt.Fprintf(&sb, "<-%v", w.Subst)
			}
		}
		for _, a := range c.Assigns {
			fmt.Fprintf(&sb, " %s:=%s", a.Name, show(a.Value.Text))
		}
		for _, rd := range c.Redirects {
			fmt.Fprintf(&sb, " {%d%s%s", rd.Fd, rd.Op, show(rd.Target.Text))
			if rd.Body.Text != "" {
				sb.WriteString(" " + show(rd.Body.Text))
			}
			sb.WriteString("}")
		}
		for _, w := range c.Wrappers {
			fmt.Fprintf(&sb, " w:%s", w.Name)
		}
		for _, k := range c.Code {
			fmt.Fprintf(&sb, " code(%d,%d,%v,%s,src%v,%q)", k.Lang, k.From, k.Known, show(k.Text), k.Sources, k.File.Text)
		}
		for _, e := range c.Effects {
			fmt.Fprintf(&sb, " eff(%d %s %v)", e.Kind, show(e.Path.Text), e.Commands)
		}
		if c.Stdin.Kind != 0 {
			fmt.Fprintf(&sb, " in(%d %v)", c.Stdin.Kind, c.Stdin.Peers)
		}
		if c.Stdout.Kind != 0 {
			fmt.Fprintf(&sb, " out(%d %v)", c.Stdout.Kind, c.Stdout.Peers)
		}
		fmt.Fprintf(&sb, " f%b dir=%s", c.Flags, c.Dir)
		if len(c.DirElse) > 0 {
			fmt.Fprintf(&sb, "%q", c.DirElse)
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

// TestDump shows the lines of the file named by DUMP, each plain or as a JSON
// string; "PS> " in front means PowerShell.
func TestDump(t *testing.T) {
	name := os.Getenv("DUMP")
	if name == "" {
		t.Skip("DUMP names no file")
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var s string
		if json.Unmarshal(sc.Bytes(), &s) != nil {
			s = sc.Text()
		}
		ps := strings.HasPrefix(s, "PS> ")
		s = strings.TrimPrefix(s, "PS> ")
		fmt.Printf("### %.400q\n%s", s, dump(Parse(s, Options{Cwd: "/w/p", Home: "/home/u", PowerShell: ps})))
	}
}
