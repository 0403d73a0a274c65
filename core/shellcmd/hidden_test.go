package shellcmd

import (
	"slices"
	"testing"
)

// ranBy returns the plain argvs of a line that would run.
func ranBy(src string) []string {
	l := Parse(src, Options{Cwd: "/w", Home: "/h"})
	var out []string
	for i := range l.Commands {
		c := &l.Commands[i]
		if c.Has(Uncalled) {
			continue
		}
		text := ""
		for k := range c.Argv {
			if k > 0 {
				text += " "
			}
			text += c.Argv[k].Text
		}
		out = append(out, text)
	}
	return out
}

func TestTextThatProgramsRunIsRead(t *testing.T) {
	for _, src := range []string{
		"f() { f() { rm -rf /x; }; f; }; f",
		"f() { f() { f() { rm -rf /x; }; f; }; f; }; f",
		"sed 's/a/rm -rf \\/x/e' f",
		"sed -e p -e 's|a|rm -rf /x|ge' f",
		"sed -n '1e rm -rf /x' f",
		"sed -n '/a/e rm -rf /x' f",
		"sed --expression='s,a,rm -rf /x,e' f",
		"make -f - <<'E'\nall:\n\t@rm -rf /x\nE",
		"printf 'all:\\n\\trm -rf /x\\n' > m; make -f m",
		"crontab - <<'E'\nMAILTO=me\n# daily\n0 3 * * * rm -rf /x\nE",
		"echo '@daily rm -rf /x' | crontab -",
		"echo '*/5 * * * * rm -rf /x' > c; crontab c",
		"tclsh <<< 'exec rm -rf /x'",
		"echo 'file delete -force /x' | tclsh",
		"expect <<'E'\nspawn rm -rf /x\nE",
		"trap 'rm -rf /x' EXIT",
		"trap 'rm -rf $d' EXIT; d=/x",
		"(trap 'rm -rf $d' 0; d=/x); ls",
		"python3 -c \"import os; os.execv('/bin/rm',['ls','-rf','/x'])\"",
	} {
		if got := ranBy(src); !slices.ContainsFunc(got, func(s string) bool { return s == "rm -rf /x" || s == "/bin/rm -rf /x" }) {
			t.Errorf("%q: %q", src, got)
		}
	}
}

func TestMoreProgramsThatRunCommands(t *testing.T) {
	for _, src := range []string{
		"sudo -s <<< 'rm -rf /x'",
		"sudo -i <<'E'\nrm -rf /x\nE",
		"cgexec -g cpu:a rm -rf /x",
		"npx cross-env A=1 rm -rf /x",
		"nix run nixpkgs#bash -- -c 'rm -rf /x'",
		"guix shell coreutils -- rm -rf /x",
		"wsl -e bash -c 'rm -rf /x'",
		"ansible all -m shell -a 'rm -rf /x'",
		"salt '*' cmd.run 'rm -rf /x'",
		"pdsh -w h1,h2 rm -rf /x",
		"emacs --batch --eval '(shell-command \"rm -rf /x\")'",
		"emacs --batch --eval '(delete-directory \"/x\" t)'",
		"vim -c 'call system(\"rm -rf /x\")' -c q",
		"less '+!rm -rf /x' f",
	} {
		if got := ranBy(src); !slices.Contains(got, "rm -rf /x") {
			t.Errorf("%q: %q", src, got)
		}
	}
	for src, kind := range map[string]EffectKind{
		`Rscript -e 'unlink("/x", recursive=TRUE)'`: DeleteTree,
		`Rscript -e 'unlink("/x")'`:                 DeleteFile,
		`julia -e 'rm("/x", recursive=true)'`:       DeleteTree,
	} {
		l := Parse(src, Options{Cwd: "/w"})
		if e := l.Commands[0].Effects; len(e) != 1 || e[0].Kind != kind || e[0].Path.Text != "/x" {
			t.Errorf("%q: %+v", src, e)
		}
	}
}

func TestTextThatIsOnlyDataIsNotRun(t *testing.T) {
	for _, src := range []string{
		"f() { f() { rm -rf /x; }; }; f",
		"sed 's/a/rm -rf \\/x/' f",
		"sed 's/e/rm -rf \\/x/g; s/b/e/' f",
		"sed '/e rm -rf/d' f",
		"crontab -l",
		"make -f Makefile all",
		"trap - EXIT",
		"trap 'rm -rf /y' EXIT",
	} {
		if got := ranBy(src); slices.Contains(got, "rm -rf /x") {
			t.Errorf("%q: %q", src, got)
		}
	}
}

func TestATrapSeesWhatItsShellEndsWith(t *testing.T) {
	l := Parse(`trap 'rm -rf "$tmp"' EXIT; tmp=$(mktemp -d)`, Options{Cwd: "/w"})
	for i := range l.Commands {
		c := &l.Commands[i]
		if c.Program != "rm" {
			continue
		}
		w := c.Argv[2]
		if len(w.Subst) != 1 || l.Commands[w.Subst[0]].Program != "mktemp" {
			t.Errorf("target %+v does not come from mktemp", w)
		}
		return
	}
	t.Error("no rm")
}

func TestLinksMadeByOtherLanguagesAreSeen(t *testing.T) {
	for src, want := range map[string][2]string{
		`python3 -c "import os; os.symlink('/a','b')"`:                      {"/a", "b"},
		`python3 -c "from pathlib import Path; Path('b').symlink_to('/a')"`: {"/a", "b"},
		`node -e "require('fs').symlinkSync('/a','b')"`:                     {"/a", "b"},
		`perl -e 'symlink("/a","b")'`:                                       {"/a", "b"},
	} {
		l := Parse(src, Options{Cwd: "/w"})
		found := false
		for i := range l.Commands {
			for _, e := range l.Commands[i].Effects {
				found = found || e.Kind == LinkFile && e.Path.Text == want[0] && e.To.Text == want[1]
			}
		}
		if !found {
			t.Errorf("%q: no link of %q", src, want)
		}
	}
}

func TestInputIsReadThroughDescriptorsAndSubstitutions(t *testing.T) {
	for _, src := range []string{
		"exec 9<<<'rm -rf /x'; bash <&9",
		"exec 9<<'E'\nrm -rf /x\nE\nbash <&9",
		"bash < <(echo 'rm -rf /x')",
		"mapfile -t a < <(echo /x); rm -rf \"${a[0]}\"",
		"read -r d < <(printf /x); rm -rf \"$d\"",
		"xargs -a <(echo /x) rm -rf",
		"echo /x > l; xargs -a l rm -rf",
		"make -f <(printf 'all:\\n\\trm -rf /x\\n')",
		"D=/x make -f - <<'E'\nall:\n\trm -rf $(D)\nE",
		"BASH_ENV=<(echo 'rm -rf /x') bash -c :",
		"echo 'rm -rf /x' > e; BASH_ENV=e bash y",
	} {
		if got := ranBy(src); !slices.Contains(got, "rm -rf /x") {
			t.Errorf("%q: %q", src, got)
		}
	}
}

func TestCdMayGoWhereCdpathLeads(t *testing.T) {
	l := Parse("CDPATH=/ cd home && rm -rf user", Options{Cwd: "/w"})
	for i := range l.Commands {
		if c := &l.Commands[i]; c.Program == "rm" && c.Dir == "/w/home" && slices.Contains(c.DirElse, "/home") {
			return
		}
	}
	t.Error("rm is not seen in /home")
}
