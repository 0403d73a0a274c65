package shellcmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// shims are the only programs that the lines of the differential test name
// beside wrappers: each writes its argv to a file and does nothing else.
var shims = []string{"alpha", "beta", "gamma"}

type oracle struct {
	bash, bin, home, cwd, record string
}

func newOracle(t *testing.T) *oracle {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	dir := t.TempDir()
	o := &oracle{bash: bash, bin: filepath.Join(dir, "bin"), home: filepath.Join(dir, "home"), cwd: filepath.Join(dir, "cwd"), record: filepath.Join(dir, "record")}
	for _, d := range []string{o.bin, o.home, o.cwd} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range shims {
		// a file for each process: stages of a pipe run side by side
		script := "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\" > \"$SHIM_RECORD/$$\"\n"
		if err := os.WriteFile(filepath.Join(o.bin, n), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []string{"bash", "sh", "env", "nice", "timeout", "xargs", "cat", "nohup", "stdbuf"} {
		if p, err := exec.LookPath(n); err == nil {
			if err := os.Symlink(p, filepath.Join(o.bin, n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return o
}

// run gives line to bash and returns the argv of every shim that ran.
func (o *oracle) run(line string) ([][]string, error) {
	os.RemoveAll(o.record)
	if err := os.Mkdir(o.record, 0o755); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.bash, "--norc", "--noprofile", "-c", line)
	cmd.Dir = o.cwd
	cmd.Env = []string{"PATH=" + o.bin, "HOME=" + o.home, "SHIM_RECORD=" + o.record}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	list, err := os.ReadDir(o.record)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for _, e := range list {
		b, err := os.ReadFile(filepath.Join(o.record, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"))
	}
	return out, nil
}

// seen is the argv of every shim that Parse finds; exact is false when one of
// them is not wholly known.
func (o *oracle) seen(line string) (out [][]string, exact bool) {
	exact = true
	l := Parse(line, Options{Cwd: o.cwd, Home: o.home})
	for i := range l.Commands {
		c := &l.Commands[i]
		if c.Dynamic {
			exact = false
		}
		if !slices.Contains(shims, c.Program) || c.Has(Uncalled) {
			continue
		}
		argv := []string{c.Program}
		for _, w := range c.Args() {
			argv = append(argv, w.Text)
			if !w.Static || len(w.Or) > 0 {
				exact = false
			}
		}
		out = append(out, argv)
	}
	return out, exact && len(l.Opaque) == 0
}

func byText(a, b []string) int {
	return strings.Compare(strings.Join(a, "\x00"), strings.Join(b, "\x00"))
}

// part draws a piece of a word.
func part(t *rapid.T, depth int) string {
	k := rapid.IntRange(0, 17).Draw(t, "part")
	lit := func() string {
		return rapid.SampledFrom([]string{"a", "bc", "-x", "1", "p/q", "=", ".", ",", "@", "%", "+", "é", "-", ":", "_", "^"}).Draw(t, "lit")
	}
	switch k {
	default:
		return lit()
	case 4:
		return "'" + rapid.SampledFrom([]string{"", "a b", "$x", `\`, "`", "*", "#", "{a,b}", "~", `"`, "\t"}).Draw(t, "single") + "'"
	case 5:
		return `"` + rapid.SampledFrom([]string{"", "a b", "$x", "${x}z", `\"`, `\\`, `\$x`, `\a`, "'", "*", "{a,b}", "~", "$y$x", "${u:-d e}", "${x%b}", "${x#a}", "${x/a/Q}", "${x:1}", "${#x}", "${x^^}"}).Draw(t, "double") + `"`
	case 6:
		return "$'" + rapid.SampledFrom([]string{"a", `\n`, `\t`, `\x41`, `\101`, `é`, `\'`, `\\`, `a\0b`, `\cA`, `\e`, `\z`}).Draw(t, "ansi") + "'"
	case 7:
		return rapid.SampledFrom([]string{`\ `, `\$`, `\*`, `\\`, `\'`, `\"`, `\a`, `\{`, `\~`, "\\\n"}).Draw(t, "escape")
	case 8:
		return rapid.SampledFrom([]string{"{a,b}", "{1..3}", "{c..a}", "{x,{y,z}}", "{,q}", "{a}", "{a,b", "{01..03}", "{1..7..3}", "{'a b',c}", "{$x,w}", "{}"}).Draw(t, "brace")
	case 9:
		return rapid.SampledFrom([]string{"$x", "${y}", "$z", "$u", "${u:-d}", "${u-e}", "${x:+alt}", "${u:+alt}", "${x%%b*}", "${x##*a}", "${y// /_}", "${y/ /-}", "${x:0:1}", "${x: -1}", "${#y}", "${x^}", "${y,,}", "${a[0]}", "${a[1]}", "${#a[@]}"}).Draw(t, "var")
	case 10:
		return rapid.SampledFrom([]string{`"$@"`, `"${a[@]}"`, `"${a[*]}"`, "${a[@]}", `"${a[@]:1}"`, "$*"}).Draw(t, "list")
	case 11:
		if depth > 1 {
			return lit()
		}
		return "$(echo " + word(t, depth+1) + ")"
	case 12:
		return `"$(printf '%s-' ` + word(t, depth+1) + `)"`
	}
}

// word draws a word that is not empty text.
func word(t *rapid.T, depth int) string {
	if depth == 0 && rapid.IntRange(0, 11).Draw(t, "tilde") == 0 {
		return rapid.SampledFrom([]string{"~", "~/x", "~/'y z'", "a~", "v=~/x", "~+", "v=a:~/b"}).Draw(t, "home")
	}
	n := rapid.IntRange(1, 3).Draw(t, "parts")
	var sb strings.Builder
	for range n {
		sb.WriteString(part(t, depth))
	}
	return sb.String()
}

func simpleLine(t *rapid.T) string {
	var sb strings.Builder
	sb.WriteString(rapid.SampledFrom([]string{"alpha", "beta", "gamma", `al"ph"a`, `\beta`, "g'amm'a", "$'\\x61lpha'", `"$cmd"`, "${cmd}"}).Draw(t, "cmd"))
	for range rapid.IntRange(0, 3).Draw(t, "args") {
		sb.WriteString(" " + word(t, 0))
	}
	return sb.String()
}

func quoteFor(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func genLine(t *rapid.T) string {
	var sb strings.Builder
	// x y z a are set, u is not
	sb.WriteString("x=ab y='c  D' z='' cmd=beta; a=(m 'n o'); export x y z cmd\n")
	for i := range rapid.IntRange(1, 4).Draw(t, "stmts") {
		if i > 0 {
			sb.WriteString(rapid.SampledFrom([]string{"; ", "\n", " && ", " | "}).Draw(t, "sep"))
		}
		s := simpleLine(t)
		switch rapid.IntRange(0, 16).Draw(t, "shape") {
		case 0:
			s = "( " + s + " )"
		case 1:
			s = "{ " + s + "; }"
		case 2:
			s = "if true; then " + s + "; fi"
		case 3:
			s = "bash -c " + quoteFor(s) + " n p1 'p 2'"
		case 4:
			s = "eval " + quoteFor(s)
		case 5:
			s = "env -u NOPE E=1 " + s
		case 6:
			s = "nice -n 1 timeout -k 5 10 " + s
		case 7:
			s = fmt.Sprintf("{ f%d() { %s; }; f%d q 'r s'; }", i, s, i)
		case 8:
			s = "echo " + quoteFor(s) + " | bash"
		case 9:
			s = "bash <<'EOS'\n" + s + "\nEOS\n:"
		case 10:
			s = "bash <<< " + quoteFor(s)
		case 11:
			s = "echo 'k l' 'm' | xargs alpha w"
		case 12:
			s = "echo 'k l' | xargs -I{} beta 'x{}y' {}"
		case 13:
			s = "cat <<EOS | bash\nalpha \"$x\" $(echo k)\nEOS\n:"
		case 14:
			s = "set -- s1 's 2'; " + s
		}
		sb.WriteString(s)
	}
	return sb.String()
}

func TestArgvIsWhatBashPasses(t *testing.T) {
	o := newOracle(t)
	total, exactly := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		line := genLine(rt)
		want, err := o.run(line)
		if err != nil {
			rt.Skip() // bash itself refuses it
		}
		got, exact := o.seen(line)
		total++
		if !exact {
			return
		}
		exactly++
		slices.SortFunc(want, byText)
		slices.SortFunc(got, byText)
		if d := cmp.Diff(want, got); d != "" {
			rt.Fatalf("%s\n(-bash +parse)\n%s\n%s", line, d, dump(Parse(line, Options{Cwd: o.cwd, Home: o.home})))
		}
	})
	t.Logf("%d lines, %d wholly known", total, exactly)
	if total > 50 && exactly*10 < total*7 {
		t.Errorf("only %d of %d lines are wholly known: the comparison means little", exactly, total)
	}
}
