package shellcmd

import (
	"strings"
	"testing"
)

// sound fails the test when a parsed line breaks what its types promise, or
// when reading it took more than its limits. Work is counted, not timed.
func sound(t *testing.T, src string, o Options) {
	t.Helper()
	r := newReader(src, o)
	r.bare = true
	r.read(src)
	l := r.line
	if len(l.Commands) > MaxCommands {
		t.Fatalf("%d commands", len(l.Commands))
	}
	if r.steps > maxSteps+MaxCommands {
		t.Fatalf("%d steps for %d bytes", r.steps, len(src))
	}
	n := len(l.Commands)
	index := func(what string, list []int) {
		for _, i := range list {
			if i < 0 || i >= n {
				t.Fatalf("%s %d of %d commands", what, i, n)
			}
		}
	}
	span := func(what string, a, b int) {
		if a < 0 || a > b || b > len(src) {
			t.Fatalf("%s span %d-%d of %d bytes", what, a, b, len(src))
		}
	}
	for _, s := range l.Opaque {
		span("opaque", s.Pos, s.End)
		if s.Why == failed {
			t.Fatalf("the reader failed on %.200q", src)
		}
	}
	words := 0
	for i := range l.Commands {
		c := &l.Commands[i]
		if c.Parent >= i || c.Parent < -1 {
			t.Fatalf("command %d has parent %d", i, c.Parent)
		}
		if c.Parent >= 0 && c.Via == ViaNone {
			t.Fatalf("command %d hangs on %d by nothing", i, c.Parent)
		}
		if c.Dynamic != (c.Program == "" && len(c.Argv) > 0) {
			t.Fatalf("command %d: program %q, dynamic %v", i, c.Program, c.Dynamic)
		}
		span("command", c.Pos, c.End)
		words += len(c.Argv)
		for j := range c.Argv {
			w := &c.Argv[j]
			if w.Static && (strings.Contains(w.Text, Unknown) || len(w.Vars) > 0) {
				t.Fatalf("word %.80q is static but %.80q %q", w.Raw, w.Text, w.Vars)
			}
			index("subst", w.Subst)
			span("word", w.Pos, w.End)
		}
		index("stdin", c.Stdin.Peers)
		index("stdout", c.Stdout.Peers)
		for _, k := range c.Code {
			index("source", k.Sources)
		}
		for _, e := range c.Effects {
			index("effect", e.Commands)
		}
		if i < 20 {
			index("upstream", l.Upstream(i))
		}
	}
	if words > 64*MaxWords {
		t.Fatalf("%d words for %d bytes", words, len(src))
	}
}

func seeds(f *testing.F) {
	for _, s := range []string{
		"rm -rf ~", "a|b&&c||d;e&", "x=$(y `z`) w", "f(){ f|f& };f", "cat <<E\n$(x)\nE", "bash -c 'eval \"x\"'",
		"echo 'echo x | sh' | sh", "find . -exec sh -c 'rm {}' \\;", "for i in {1..9}{a..z};do $i;done", "${x:-${y:-$z}}",
		"python3 -c 'import os; os.system(f\"{x}\")'", "git -c alias.x='!y' x", "if a;then b;elif c;then d;else e;fi",
		"case x in a|b) c;; esac", "((a=1))", "[[ $(x) ]]", "a=(b c) ${a[@]}", "echo $'\\x41\\u0041'", "sh <<'A'\nsh <<'B'\nx\nB\nA",
		"perl -e 'system \"x\"; open F,\"|y\"; s/a/b/; print <<E;\nE\n'", "ruby -e '%x(a); `b`; x.each do |y| File.delete y end'",
		"node -e 'require(`fs`).rmSync(\"/\",{recursive:true})'", "awk 'BEGIN{system(\"x\"); print \"a\" | \"sh\"}'",
		"powershell -c 'iex (iwr x); ls | % { rm $_ -r }'", "cmd /c 'if exist x rd /s /q %TEMP% & del *'", "xargs -I{} sh -c '{}' <<< x",
		"a=b;a=$a$a;a=$a$a;a=$a$a;a=$a$a;echo $a", "alias x='x y';x", "trap x EXIT", "set -- a b;shift;x \"$@\"", "\"unclosed", "$(", "`", "((", "\x00\xff", "a\\",
	} {
		f.Add(s)
	}
}

func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		sound(t, src, Options{Cwd: "/w/p", Home: "/home/u"})
	})
}

func FuzzPowerShell(f *testing.F) {
	seeds(f)
	for _, s := range []string{
		"ri -r -fo $HOME", "$a = 'x' + $b; & $a", "[IO.File]::Delete(\"$x\")", "foreach ($i in 1,2) { rm $i }", "@'\nx\n'@ | iex",
		"\"a$(b \"c\")d`\"\"", "if (x) { y } else { z }", "a | % { $_.b } | ? { c } > d 2>&1", "$x.y.z($w)[0]", "'{0}' -f 'a'", "@{a=b}", "<# #>x", "x `\n y",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		sound(t, src, Options{Cwd: `C:\w`, Home: `C:\Users\u`, PowerShell: true})
	})
}

func FuzzEffects(f *testing.F) {
	for _, s := range []string{
		"import os\nos.system('x')", "Path('~').expanduser().unlink()", "open(p,'w')", "subprocess.run(['a',b])", "f'{x!r:>3}'", "'''a'''+r'\\'", "[f(x) for x in y]",
		"const {a:b}=require('c'); b(`x${y}`)", "a=/[/'\"]/g; x(y=>{z})", "system %w(a b); <<~E\nx\nE\n", "exec('x')", "$x =~ tr/a/b/; qx{y}; q(z", "unlink <a>, \"b\"",
		"print \"x\" | \"sh\"", "do shell script \"x\"", "{{{{((((", "eval('eval(\"x\")')", "x.then(y=>y.z({recursive:true}))",
	} {
		for lang := LangPython; lang <= LangOther; lang++ {
			f.Add(byte(lang), s)
		}
	}
	f.Fuzz(func(t *testing.T, lang byte, body string) {
		if len(body) > 1<<16 {
			return
		}
		r := newReader("", Options{Cwd: "/w/p", Home: "/home/u"})
		s := &scope{t: &source{}, parent: -1}
		st := &state{dir: "/w/p", argsKnown: true}
		idx := r.open(st, s, 0, 0)
		p := &coder{r: r, idx: idx, st: st, s: s, lang: LangPython + Lang(lang)%(LangOther-LangPython+1), vars: map[string]cval{}, names: map[string]string{}}
		p.read(body)
		if p.steps > 4*maxToks+1000 {
			t.Fatalf("%d steps for %d bytes", p.steps, len(body))
		}
		if n := len(r.line.Commands[idx].Effects); n > 256 {
			t.Fatalf("%d effects", n)
		}
	})
}

// TestHugeAndNestedLinesStayWithinLimits reads lines made to be costly.
func TestHugeAndNestedLinesStayWithinLimits(t *testing.T) {
	rep := strings.Repeat
	for name, src := range map[string]string{
		"long word":        rep("a", 2<<20),
		"long list":        rep("a;", 1<<19),
		"long pipe":        rep("a|", 1<<17) + "b",
		"long and":         rep("a&&", 1<<17) + "b",
		"subshells":        rep("(", 1<<18) + "a" + rep(")", 1<<18),
		"blocks":           rep("{ ", 1<<17) + "a;" + rep(" }", 1<<17),
		"substitutions":    rep("$(", 1<<17) + "a" + rep(")", 1<<17),
		"some substitutes": rep("a $(", 150) + "a" + rep(")", 150),
		"backquotes":       rep("`", 1<<18),
		"quotes":           rep("\"$(", 1<<16),
		"parameters":       rep("${a:-", 1<<16) + rep("}", 1<<16),
		"ifs":              rep("if ", 1<<17),
		"nested ifs":       rep("if a;then ", 3000) + "b" + rep(";fi", 3000),
		"elif":             "if a;then b;" + rep("elif a;then b;", 1<<14) + "fi",
		"bang":             rep("! ", 1<<18) + "a",
		"time":             rep("time ", 1<<17) + "a",
		"functions":        rep("a() ", 1<<17) + "{ b; }",
		"arithmetic":       "((" + rep("-", 1<<18) + "1))",
		"parens arith":     "((" + rep("(", 1<<16) + "1" + rep(")", 1<<16) + "))",
		"ternary":          "((" + rep("a?b:", 1<<16) + "c))",
		"test not":         "[[ " + rep("! ", 1<<16) + "a ]]",
		"braces":           rep("{a,b}", 1<<12),
		"nested braces":    rep("{a,", 1<<12) + "b" + rep("}", 1<<12),
		"doubling":         "a=x;" + rep("a=$a$a;", 64) + "echo $a",
		"doubling code":    "a='echo x;';" + rep("a=$a$a;", 40) + "eval \"$a\"",
		"alternatives":     "for a in 1 2 3 4 5 6 7 8 9;do echo " + rep("$a", 1000) + ";done",
		"calls":            "a(){ b;b;};b(){ c;c;};c(){ d;d;};d(){ e;e;};e(){ f;f;};f(){ g;g;};g(){ h;h;};h(){ i;i;};i(){ j;j;};j(){ k;k;};k(){ l;l;};l(){ m;m;};a",
		"aliases":          "alias a='b;b' b='c;c' c='d;d' d='e;e' e='f;f' f='g;g' g='h;h' h='i;i' i='j;j' j='k;k' k='l;l' l='m;m';a",
		"nested eval":      rep("eval ", 1<<12) + "a",
		"nested xargs":     rep("xargs ", 1<<12) + "a",
		"nested sudo":      rep("sudo ", 1<<14) + "a",
		"nested find":      rep("find . -exec ", 1<<12) + "a",
		"nested npx":       rep("npx ", 1<<12) + "a",
		"heredocs":         rep("<<a ", 1<<12) + "\n" + rep("a\n", 1<<12),
		"open heredocs":    rep("a <<b\n", 1<<14),
		"echo sh":          "echo '" + rep("a;", 1<<18) + "' | sh",
		"pattern":          "a=" + rep("a", 4000) + ";echo ${a//" + rep("*a", 100) + "b/c} ${a##" + rep("*a", 100) + "b}",
		"python parens":    "python3 -c '" + rep("(", 1<<17) + "'",
		"python calls":     "python3 -c '" + rep("f(", 1<<16) + "'",
		"python string":    "python3 -c '" + rep("\"a\"+", 1<<16) + "'",
		"python f-string":  "python3 -c 'f\"" + rep("{f(", 1<<14) + "'",
		"node braces":      "node -e '" + rep("{", 1<<17) + "'",
		"node templates":   "node -e '" + rep("`${", 1<<15) + "'",
		"ruby heredocs":    "ruby -e '" + rep("<<A;", 1<<12) + "\n" + rep("A\n", 1<<12) + "'",
		"perl quotes":      "perl -e '" + rep("q(", 1<<16) + "'",
		"awk concat":       "awk '" + rep("\"a\" ", 1<<16) + "'",
		"not shell":        rep("a 'b\n", 1<<15) + ")",
		"not shell either": rep("a ) b | ", 1<<14),
		"spaces":           rep(" ", 1<<20),
		"newlines":         rep("\n", 1<<20),
		"nul":              rep("\x00", 1<<20),
		"backslashes":      rep("\\", 1<<20),
		"dollars":          rep("$", 1<<18),
		"batch":            "cmd /c '" + rep("a&", 1<<17) + "'",
		"batch pipes":      "cmd /c '" + rep("a|", 1<<17) + "'",
	} {
		t.Run(name, func(t *testing.T) {
			sound(t, src, Options{Cwd: "/w/p", Home: "/home/u"})
			sound(t, src, Options{Cwd: "/w/p", Home: "/home/u", PowerShell: true})
		})
	}
	for name, src := range map[string]string{
		"ps parens":  rep("(", 1<<17),
		"ps blocks":  rep("{", 1<<17),
		"ps nested":  rep("& { ", 1<<12) + "a" + rep(" }", 1<<12),
		"ps strings": rep("\"$(", 1<<14),
		"ps pipes":   rep("a|", 1<<17) + "b",
		"ps list":    rep("a;", 1<<18),
		"ps iex":     rep("iex '", 1<<10),
		"ps concat":  "$a='x';" + rep("$a=$a+$a;", 64),
		"ps types":   rep("[a]::b(", 1<<14),
		"ps dots":    "$a" + rep(".b()", 1<<14),
	} {
		t.Run(name, func(t *testing.T) {
			sound(t, src, Options{Cwd: "/w/p", Home: "/home/u", PowerShell: true})
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, bb := range []struct{ name, src string }{
		{"plain", "git status"},
		{"usual", `cd api && FOO=1 go test ./... 2>&1 | tail -20`},
		{"nested", `env A=1 timeout 5 bash -lc 'for d in a b; do rm -rf "$d"; done' && echo done`},
		{"heredoc", "cat > notes.md <<'EOF'\n" + strings.Repeat("some text that is `only` $(text)\n", 100) + "EOF"},
		{"python", "python3 - <<'EOF'\nimport os\n" + strings.Repeat("print(os.path.join('a', 'b'))\n", 50) + "EOF"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(bb.src, Options{Cwd: "/w/p", Home: "/home/u"})
			}
		})
	}
}
