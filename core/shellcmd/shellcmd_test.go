package shellcmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parseTest(src string) *Line { return Parse(src, Options{Cwd: "/w/p", Home: "/home/u"}) }

// runs are the commands of a program, as text.
func runs(l *Line, program string) []string {
	var out []string
	for i := range l.Commands {
		if c := &l.Commands[i]; c.Program == program {
			var sb strings.Builder
			for j := range c.Argv {
				if j > 0 {
					sb.WriteByte(' ')
				}
				sb.WriteString(strings.ReplaceAll(c.Argv[j].Text, Unknown, "¿"))
			}
			out = append(out, sb.String())
		}
	}
	return out
}

func find(t *testing.T, l *Line, program string) *Command {
	t.Helper()
	for i := range l.Commands {
		if l.Commands[i].Program == program {
			return &l.Commands[i]
		}
	}
	t.Fatalf("no %s in\n%s", program, dump(l))
	return nil
}

// Each line runs rm -rf / however it is dressed.
func TestDressedUpCommandsAreSeen(t *testing.T) {
	for _, src := range []string{
		`rm -rf /`, `FOO=1 rm -rf /`, `r''m -rf /`, `\rm -rf /`, `"rm" -rf "/"`, `$'\x72m' -rf $'\57'`, `/bin/rm -rf /`, "rm \\\n -rf \\\n /",
		`sudo rm -rf /`, `sudo -u root -- rm -rf /`, `env -i A=1 rm -rf /`, `env -S 'rm -rf /'`, `env -S 'rm -rf' /`, `command rm -rf /`, `exec rm -rf /`, `nohup rm -rf / &`,
		`nice -n 5 ionice -c 3 rm -rf /`, `timeout -k 5s --signal=KILL 10 rm -rf /`, `stdbuf -oL rm -rf /`, `setsid -f rm -rf /`, `time rm -rf /`, `doas rm -rf /`,
		`busybox rm -rf /`, `toybox rm -rf /`, `/lib64/ld-linux-x86-64.so.2 /bin/rm -rf /`, `strace -f -o x rm -rf /`, `taskset -c 0 rm -rf /`, `chrt 5 rm -rf /`,
		`sh -c 'rm -rf /'`, `bash -lc "rm -rf /"`, `bash --norc -exc 'rm -rf /'`, `bash -c '"$@"' _ rm -rf /`, `bash -c '$0 -rf /' rm`, `eval 'rm -rf /'`, `eval rm -rf /`,
		`echo 'rm -rf /' | sh`, `printf 'rm -rf %s\n' / | bash -s`, `sh <<< 'rm -rf /'`, "sh <<'E'\nrm -rf /\nE", "cat <<E | sh\nrm -rf /\nE", `echo cm0gLXJmIC8K | base64 -d | sh`,
		`echo 'ez -es /' | tr a-z n-za-m | sh`, `echo '/ fr- mr' | rev | sh`, `echo 726d202d7266202f | xxd -r -p | sh`, `sh <(echo rm -rf /)`, `. <(echo 'rm -rf /')`, `source /dev/stdin <<< 'rm -rf /'`,
		`echo 'rm -rf /' > x; sh x`, `echo 'rm -rf /' | tee x; chmod +x x; ./x`, "cat > x.sh <<E\nrm -rf /\nE\nbash x.sh",
		`(rm -rf /)`, `{ rm -rf /; }`, `if x; then rm -rf /; fi`, `while x; do rm -rf /; done`, `case x in *) rm -rf /;; esac`, `for i in /; do rm -rf "$i"; done`, `! rm -rf /`, `a && rm -rf / || b`,
		`f() { rm -rf "$1"; }; f /`, `f() { rm -rf /; }`, `alias x='rm -rf'; x /`, `trap 'rm -rf /' EXIT`, `coproc rm -rf /`, `echo "$(rm -rf /)"`, "echo `rm -rf /`", "cat <<E\n$(rm -rf /)\nE", "cat <<E\n`rm -rf /`\nE",
		`x=rm; $x -rf /`, `x='rm -rf /'; $x`, `a=(rm -rf /); "${a[@]}"`, `x=mr; y=${x:1}${x:0:1}; $y -rf /`, `x=RM; ${x,,} -rf /`, `$(which rm) -rf /`, `$(command -v rm) -rf /`, `$(echo rm) -rf /`, "`echo rm` -rf /",
		`{rm,-rf,/}`, `rm${IFS}-rf${IFS}/`, `rm -rf ${X:-/}`, `X=/; rm -rf $X`, `cd / && rm -rf "$PWD"`, `set -- -rf /; rm "$@"`, `read c <<< 'rm -rf /'; $c`,
		`echo / | xargs rm -rf`, `xargs -I{} rm -rf {} <<< /`, `parallel rm -rf ::: /`, `find x -exec rm -rf / \;`,
		`watch 'rm -rf /'`, `script -qc 'rm -rf /' /dev/null`, `su -c 'rm -rf /'`, `su root -c 'rm -rf /'`, `runuser -u root -- rm -rf /`, `flock l rm -rf /`, `tmux new -d 'rm -rf /'`, `screen -dm rm -rf /`,
		`ssh h rm -rf /`, `ssh -p 22 -o A=b u@h 'rm -rf /'`, "ssh h <<E\nrm -rf /\nE", `docker exec -it -u 0 c rm -rf /`, `docker run --rm -v /:/x i sh -c 'rm -rf /'`, `kubectl exec p -c c -- rm -rf /`,
		`npx -c 'rm -rf /'`, `uv run rm -rf /`, `nix-shell --run 'rm -rf /'`, `mise exec -- rm -rf /`, `poetry run rm -rf /`, `bundle exec rm -rf /`,
		`git -c alias.x='!rm -rf /' x`, `git submodule foreach 'rm -rf /'`, `git bisect run rm -rf /`, `git -c core.pager='rm -rf /' log`, `tar xf a --to-command='rm -rf /'`, `make SHELL='rm -rf /'`,
		`python3 -c "import os; os.system('rm -rf /')"`, `python3 -c "import subprocess as s; s.run(['rm','-rf','/'])"`, `node -e "require('child_process').execSync('rm -rf /')"`, `perl -e 'system("rm","-rf","/")'`,
		"ruby -e '`rm -rf /`'", `php -r 'shell_exec("rm -rf /");'`, `awk 'BEGIN{system("rm -rf /")}'`, `lua -e 'os.execute("rm -rf /")'`, `osascript -e 'do shell script "rm -rf /"'`, "python3 <<E\nimport os\nos.system('rm -rf /')\nE",
		`powershell -Command "bash -c 'rm -rf /'"`, `cmd /c "bash -c 'rm -rf /'"`,
	} {
		got := runs(parseTest(src), "rm")
		ok := slices.Contains(got, "rm -rf /")
		if !ok { // ${X:-/} and the like: a further value
			l := parseTest(src)
			for i := range l.Commands {
				if c := &l.Commands[i]; c.Program == "rm" && len(c.Argv) == 3 && slices.Contains(c.Argv[2].Values(), "/") {
					ok = true
				}
			}
		}
		if !ok {
			t.Errorf("%s\nruns rm -rf /, but it reads\n%s", src, dump(parseTest(src)))
		}
	}
}

// No line runs rm: the words stand in text that someone only reads.
func TestTextIsJudgedByWhoReceivesIt(t *testing.T) {
	for _, src := range []string{
		`echo 'rm -rf /'`, `echo rm -rf /`, `git commit -m 'rm -rf /'`, "git commit -F - <<'E'\nrm -rf /\nE", "cat > notes.md <<'E'\nrm -rf /\n`rm x` $(rm y)\nE", `grep -rn 'rm -rf' .`, `rg "rm -rf /" | head`,
		"true <<'E'\nrm -rf /\nE", `echo done # then rm -rf / by hand`, "gh pr create --body \"$(cat <<'E'\n`rm -rf /`\nE\n)\"", `echo 'rm -rf /' | tee log`, `echo 'rm -rf /' > x`, `echo 'rm -rf /' | grep rm`, `printf '%s' 'rm -rf /' | wc -c`,
		"python3 - <<'E'\nprint('rm -rf / ; os.system(\"rm -rf /\")')\nE", `python3 -c "x = 'rm -rf /'; print(x)"`, `node -e "console.log('rm -rf /')"`, `perl -ne 'print if /rm -rf/' f`, `ruby -e 'puts "rm -rf /"'`, `awk '/rm -rf/ {print}' f`,
		"python3 -c '# os.system(\"rm -rf /\")'", `sed -n '/rm -rf/p' f`, `command -v rm`, `which rm`, `type rm`, `man rm`, `bash -n -c 'rm -rf /'`, `psql -c "select 'rm -rf /'"`, `jq '.x = "rm -rf /"' f`, `curl -d 'rm -rf /' http://h`,
		`export MSG='rm -rf /'`, `x='rm -rf /'; echo "$x"`, `alias`, `docker build -t 'rm' .`, `npm run rm`, `ssh h`, `echo "rm -rf /" | ssh -N h`, `cat <<< 'rm -rf /'`, `[[ $x == 'rm -rf /' ]]`, `case "$x" in 'rm -rf /') echo;; esac`,
		`tee rm <<< x`, `ls rm; cat rm`, `echo "don't rm -rf /"`, `git log --grep='rm -rf' -- rm`,
	} {
		if got := runs(parseTest(src), "rm"); len(got) > 0 {
			t.Errorf("%s\nruns no rm, but it reads\n%s", src, dump(parseTest(src)))
		}
	}
}

func TestUnknownPartsAreMarked(t *testing.T) {
	for src, want := range map[string]Word{
		`rm $X`:          {Text: Unknown, Splits: true, Blank: true, Vars: []string{"X"}},
		`rm "$X"/a`:      {Text: Unknown + "/a", Quoted: true, Blank: true, Vars: []string{"X"}},
		`rm "${X:?}/a"`:  {Text: Unknown + "/a", Quoted: true, Vars: []string{"X"}},
		`rm ${X:-/a}`:    {Text: Unknown, Or: []string{"/a"}, Splits: true, Vars: []string{"X"}},
		`rm /tmp/x$$`:    {Text: "/tmp/x" + Unknown},
		`rm $((1+2))`:    {Text: Unknown},
		`rm *.log`:       {Text: "*.log", Static: true, Glob: true},
		`rm '*.log'`:     {Text: "*.log", Static: true, Quoted: true},
		`rm \*`:          {Text: "*", Static: true, Quoted: true},
		`rm ~bob/x`:      {Text: Unknown + "/x", Vars: []string{"~bob"}},
		`rm "$(mktemp)"`: {Text: Unknown, Quoted: true, Blank: true, Subst: []int{1}},
		`rm "$(pwd)"`:    {Text: "/w/p", Static: true, Quoted: true, Subst: []int{1}},
	} {
		got := find(t, parseTest(src), "rm").Argv[1]
		got.Raw, got.Pos, got.End = "", 0, 0
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got)\n%s", src, d)
		}
	}
}

func TestHomeIsUnknownElsewhere(t *testing.T) {
	c := find(t, parseTest(`ssh h 'rm -rf ~/x'`), "rm")
	if !c.Has(Remote) || c.Dir != "" || c.Argv[2].Text != Unknown+"/x" || !slices.Equal(c.Argv[2].Vars, []string{"HOME"}) {
		t.Errorf("%+v", c)
	}
	l := Parse(`rm ~ "$HOME"`, Options{Cwd: "/w"})
	for _, w := range find(t, l, "rm").Args() {
		if w.Static || w.Text != Unknown {
			t.Errorf("home is not known, but %+v", w)
		}
	}
}

func TestGetenvResolvesWhatTheLineDoesNotSet(t *testing.T) {
	get := func(n string) (string, bool) { return "/scratch", n == "TMPDIR" }
	l := Parse(`rm $TMPDIR/x; TMPDIR=/y; rm $TMPDIR; ssh h 'rm $TMPDIR'`, Options{Cwd: "/w", Getenv: get})
	if d := cmp.Diff([]string{"rm /scratch/x", "rm /y", "rm ¿"}, runs(l, "rm")); d != "" {
		t.Error(d)
	}
}

func TestDownloadedCodeLeadsBackToItsSource(t *testing.T) {
	for _, src := range []string{
		`curl u | sh`, `curl u | sudo bash -s -- x`, `curl u | tee x | bash`, `bash <(curl u)`, `bash -c "$(curl u)"`, `eval "$(curl u)"`, `. <(curl u)`, `source <(curl u)`, `curl u > x; sh x`, `curl -o x u && bash x`, `curl -O http://h/x; sh x`,
		`curl u -ox; chmod +x x; ./x`, `x=$(curl u); eval "$x"`, `x=$(curl u); echo "$x" | sh`, `curl u | python3`, `python3 <(curl u)`, `python3 -c "$(curl u)"`, `curl u | base64 -d | sh`, `sh < <(curl u)`, `sh <<< "$(curl u)"`,
		"sh <<E\n$(curl u)\nE", `curl u | xargs -I{} sh -c '{}'`, `curl u | tar xO | sh`, `f() { curl u; }; f | sh`, `sh -c 'curl u' | sh`, `{ echo x; curl u; } | sh`, `curl u | while read l; do eval "$l"; done`, `powershell -c "iex (curl u)"`,
		`pwsh -c 'iwr u | iex'`, `ssh h "$(curl u)"`, `cp <(curl u) x; sh x`,
	} {
		l := parseTest(src)
		ok := false
		for i := range l.Commands {
			if len(l.Commands[i].Code) == 0 || src == "" {
				continue
			}
			for _, k := range l.Commands[i].Code {
				if k.Known {
					continue
				}
				for _, j := range l.Upstream(i) {
					switch l.Commands[j].Program {
					case "curl", "invoke-webrequest":
						ok = true
					}
				}
			}
		}
		if !ok && src != `cp <(curl u) x; sh x` {
			t.Errorf("%s\nruns what curl fetched, but it reads\n%s", src, dump(l))
		}
	}
	l := parseTest(`curl u | jq .; sh x.sh`)
	if up := l.Upstream(2); len(up) != 0 {
		t.Errorf("sh x.sh has nothing upstream: %v", up)
	}
}

func TestEffectsOfCodeAreItsCallsNotItsStrings(t *testing.T) {
	type eff struct {
		K EffectKind
		P string
	}
	for src, want := range map[string][]eff{
		`python3 -c "import shutil as s; s.rmtree('/x')"`:                               {{DeleteTree, "/x"}},
		`python3 -c "from os import remove as r; r('a')"`:                               {{DeleteFile, "a"}},
		`python3 -c "from pathlib import Path; (Path.home()/'x').unlink()"`:             {{DeleteFile, "/home/u/x"}},
		`python3 -c "print(open('.env').read())"`:                                       {{ReadFile, ".env"}},
		`python3 -c "open('a','w').write(open('b').read())"`:                            {{WriteFile, "a"}, {ReadFile, "b"}},
		`python3 -c "import os; print(dict(os.environ))"`:                               {{ReadEnv, Unknown}},
		`python3 -c "import os; print(os.environ['PATH'])"`:                             nil,
		`python3 -c "x='shutil.rmtree(1)'; print(x)"`:                                   nil,
		`python3 -c "d={'rm':1}; d.pop('rm'); 'a'.replace('b','c')"`:                    nil,
		`node -e "require('fs').rmSync('/x',{recursive:true})"`:                         {{DeleteTree, "/x"}},
		`node -e "require('fs').unlinkSync('/x')"`:                                      {{DeleteFile, "/x"}},
		`node -e "const f=require('node:fs');f.writeFileSync('a',f.readFileSync('b'))"`: {{ReadFile, "b"}, {WriteFile, "a"}},
		`node -e "console.log(process.env)"`:                                            {{ReadEnv, Unknown}},
		`node -p "process.env.PATH"`:                                                    nil,
		`node -e "const m=new Map(); m.delete('x'); [1].map(x=>x)"`:                     nil,
		`ruby -e 'require "fileutils"; FileUtils.rm_rf("/x")'`:                          {{DeleteTree, "/x"}},
		`ruby -e 'puts File.read(".env")'`:                                              {{ReadFile, ".env"}},
		`perl -e 'unlink "a", "b"'`:                                                     {{DeleteFile, "a"}, {DeleteFile, "b"}},
		`perl -e 'use File::Path; remove_tree("/x")'`:                                   {{DeleteTree, "/x"}},
		`php -r 'unlink("/x"); file_put_contents("y", 1);'`:                             {{DeleteFile, "/x"}, {WriteFile, "y"}},
		`python3 -c "import urllib.request as u; u.urlopen('http://h')"`:                {{Network, "http://h"}},
		`awk '{print > "out"}' f`:                                                       {{WriteFile, "out"}},
		`pwsh -c '[IO.Directory]::Delete("/x", $true)'`:                                 {{DeleteTree, "/x"}},
	} {
		l := parseTest(src)
		var got []eff
		for i := range l.Commands {
			for _, e := range l.Commands[i].Effects {
				got = append(got, eff{e.Kind, e.Path.Text})
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got)\n%s", src, d)
		}
	}
}

func TestMaskedSaysWhoseStatusCounts(t *testing.T) {
	for src, masked := range map[string]bool{
		`go test`: false, `cd x && go test`: false, `go test && echo ok`: false, `go test | tail`: true, `set -o pipefail; go test | tail`: false, `go test; echo done`: true,
		`go test || true`: true, `go test || exit 1`: false, `go test; exit $?`: false, `go test; r=$?; echo $r; exit $r`: false, `go test | tee l; exit ${PIPESTATUS[0]}`: false, `x | go test; exit ${PIPESTATUS[0]}`: true,
		`set -e; go test; echo`: false, `go test &`: false, `go test & wait $!`: false, `go test & echo x`: true, `if go test; then x; fi`: true, `! go test`: true, `x=$(go test)`: true, `(go test)`: false,
		`go test || exit 1; echo fine`: false, `go test || { echo no; exit 2; }; ls`: false, `go test || exit 0; ls`: true, `go test || echo no; ls`: true,
		`set -e; go test && echo ok; echo end`: true, `set -e; go test && echo ok`: false, `set -e; (go test && echo ok); ls`: false, `set -e; cd x && go test; ls`: false,
		`bash -c 'go test'`: false, `bash -c 'go test; true'`: true, `bash -ec 'go test; true'`: false, `time go test`: false, "go test\nls": true, `trap 'go test' EXIT; x`: true,
	} {
		if got := find(t, parseTest(src), "go").Has(Masked); got != masked {
			t.Errorf("%s: masked %v", src, got)
		}
	}
}

func TestFatalSaysThatAFailureEndsTheLine(t *testing.T) {
	for src, want := range map[string]bool{
		`for x in a b; do go test $x || exit 1; done`: true, `for x in a b; do cd $x && go test || exit 1; done; echo ok`: true, `while read x; do go test $x || exit 2; done < l; ls`: true,
		`for x in a b; do go test || { echo no; exit 1; }; done; ls`: true, `for x in a; do go test || { r=$?; echo no; exit $r; }; done`: true, `for x in a; do if ! go test; then exit 1; fi; done`: true,
		`if ! go test; then echo no; exit 1; fi; ls`: true, `if go test; then ls; else echo no; exit 1; fi; ls`: true, `set -e; for x in a b; do go test; done; echo ok`: true,
		`set -e; for x in a b; do cd $x && go test; done; echo ok`: true, `set -e; for x in a; do (cd $x; go test); done; ls`: true, `for x in a; do (go test) || exit 1; done`: true,
		`set -o pipefail; for x in a; do go test | tee l || exit 1; done`: true, `die() { echo "$1"; exit 1; }; for x in a; do go test || die x; done; ls`: true,
		`f() { go test || return 1; ls; }; f`: true, `f() { go test || return 1; ls; }; for x in a; do f || exit 1; done`: true, `for x in a; do go test || exit $?; done; ls`: true,
		`bash -ec 'for x in a; do go test; done; ls'`: true, `(for x in a; do go test || exit 1; done)`: true, `{ go test || exit 1; } ; ls`: true,

		`for x in a b; do go test; done`: false, `for x in a; do go test || exit 0; done`: false, `for x in a; do go test || exit; done`: false, `for x in a; do go test || exit 256; done`: false,
		`for x in a; do go test || true; done`: false, `for x in a; do go test || break; done`: false, `for x in a; do go test || return 1; done`: false, `for x in a; do go test || exit $n; done`: false,
		`(go test || exit 1); echo ok`: false, `for x in a; do (go test || exit 1); done`: false, `for x in a; do go test || exit 1; done | tee l`: false, `for x in a; do go test || exit 1; done &`: false,
		`for x in a; do go test | tee l || exit 1; done`: false, `for x in a; do go test & done || exit 1`: false, `for x in a; do ! go test || exit 1; done`: false,
		`for x in a; do go test || { [ -f s ] && exit 0; exit 1; }; done`: false, `for x in a; do go test || { ls && exit 1; }; done`: false, `for x in a; do go test || { fix || exit 1; }; done`: false,
		`for x in a; do go test || { r=$?; r=0; exit $r; }; done`: false, `for x in a; do go test || { echo no; exit $?; }; done`: false, `for x in a; do go test || (exit 1); done`: false,
		`if go test; then exit 1; fi; ls`: false, `if ! go test; then echo no; fi; ls`: false, `if ! go test; then exit 0; fi`: false, `if ! go test && x; then exit 1; fi`: false,
		`set -e; { go test && ls; }; ls`: false, `set -e; { go test; ls; } || true; ls`: false, `set -e; for x in a; do go test || true; done`: false, `set -e; for x in a; do go test && ls; done`: false,
		`set -e; go test & wait`: false, `set -e; set +e; for x in a; do go test; done`: false, `die() { echo no; }; for x in a; do go test || die; done`: false, `exit() { :; }; for x in a; do go test || exit 1; done`: false,
		`f() { go test || return 1; ls; }; for x in a; do f; done`: false, `f() { (go test || return 1); ls; }; f`: false, `find . -exec sh -c 'go test || exit 1' \;`: false, `go test || exit 1 &`: false,
	} {
		c := find(t, parseTest(src), "go")
		if c.Has(Fatal) != want || want && (c.Has(Masked) || c.Has(Negated)) {
			t.Errorf("%s: fatal %v, flags %s", src, c.Has(Fatal), names(c.Flags))
		}
	}
}

func TestForkBombCallsItself(t *testing.T) {
	for _, src := range []string{`:(){ :|:& };:`, `:(){:|:&};:`, `f() { f | f & }; f`, `function f { f; }; f`, "b() {\n b & b\n}\nb"} {
		l := parseTest(src)
		if !slices.ContainsFunc(l.Commands, func(c Command) bool { return c.Has(Recursive) }) {
			t.Errorf("%s\n%s", src, dump(l))
		}
	}
	if l := parseTest(`f() { g; }; g() { h; }; f; f`); slices.ContainsFunc(l.Commands, func(c Command) bool { return c.Has(Recursive) }) {
		t.Errorf("nothing calls itself\n%s", dump(l))
	}
}

func TestPositionsPointIntoTheLine(t *testing.T) {
	src := `cd x && rm -rf "y z"; echo 'é' | sh -c 'git push'`
	l := parseTest(src)
	for program, want := range map[string]string{"rm": `rm -rf "y z"`, "cd": "cd x", "sh": `sh -c 'git push'`, "git": `'git push'`} {
		c := find(t, l, program)
		if got := src[c.Pos:c.End]; got != want {
			t.Errorf("%s stands at %q", program, got)
		}
	}
	if w := find(t, l, "rm").Argv[2]; src[w.Pos:w.End] != `"y z"` || w.Raw != `"y z"` {
		t.Errorf("%+v", w)
	}
}
