package shellcmd

import (
	"slices"
	"strings"
	"testing"
)

// What a one-liner prints is the text of whoever it is given to.
func TestAProgramsPrintedTextIsReadByTheShellItGoesTo(t *testing.T) {
	for _, src := range []string{
		`python3 -c 'print("tool -x")' | sh`, `perl -e 'print "tool -x"' | sh`, `ruby -e 'puts "tool -x"' | bash`, `node -e 'console.log("tool -x")' | sh`,
		`node -p '"tool -x"' | sh`, `awk 'BEGIN{print "tool -x"}' | sh`, `php -r 'echo "tool -x";' | sh`, `bash -c "$(python3 -c 'print("tool -x")')"`,
		`(crontab -l; echo '* * * * * tool -x') | crontab -`, `ed -s <<< '!tool -x'`, `{ echo 1d; echo '!tool -x'; } | ed f`,
	} {
		l := Parse(src, Options{})
		if !slices.ContainsFunc(l.Commands, func(c Command) bool { return c.Program == "tool" && len(c.Argv) == 2 && c.Argv[1].Text == "-x" }) {
			t.Errorf("%s: no command tool -x in it", src)
		}
	}
	for _, src := range []string{`python3 -c 'print("tool -x")'`, `python3 -c 'print("tool -x")' | grep x`, `ed -s <<< 'a tool!'`, `python3 -c 'x = "tool -x"' | sh`} {
		if slices.ContainsFunc(Parse(src, Options{}).Commands, func(c Command) bool { return c.Program == "tool" }) {
			t.Errorf("%s: tool does not run", src)
		}
	}
}

func TestOnlyTheWholeOfWhatIsPrintedIsKnown(t *testing.T) {
	for src, known := range map[string]bool{
		`python3 -c 'print("a b")' | cat`:                      true,
		`python3 -c 'import sys; print("a b")' | cat`:          true,
		`python3 -c 'print("a", sys.argv)' | cat`:              false,
		`python3 -c 'print("a"); print("b")' | cat`:            false,
		`python3 -c 'if x: print("a")' | cat`:                  false,
		`python3 -c 'for f in y: print("a")' | cat`:            false,
		`python3 -c 'os.system("tool"); print("a b")' | cat -`: false,
	} {
		if c := Parse(src, Options{}).Commands[0]; c.Stdout.Known != known {
			t.Errorf("%s: known = %v, text %q", src, c.Stdout.Known, c.Stdout.Text)
		}
	}
}

// A new temporary folder lies below the one for such folders, whatever its name.
func TestATemporaryFolderMadeByAProgramIsOne(t *testing.T) {
	for src, want := range map[string]string{
		`python3 -c "import tempfile, shutil; d=tempfile.mkdtemp(); shutil.rmtree(d)"`:                                             "/tmp/tmp" + Unknown,
		`python3 -c "import tempfile, shutil; d=tempfile.mkdtemp(dir='/srv'); shutil.rmtree(d)"`:                                   "/srv/tmp" + Unknown,
		`node -e "const fs=require('fs'),os=require('os');const d=fs.mkdtempSync(os.tmpdir()+'/x');fs.rmSync(d,{recursive:true})"`: "/tmp/x" + Unknown,
		`ruby -e 'd=Dir.mktmpdir; FileUtils.rm_rf(d)'`:                                                                             "/tmp/tmp" + Unknown,
	} {
		c := Parse(src, Options{}).Commands[0]
		if len(c.Effects) != 1 || c.Effects[0].Kind != DeleteTree || c.Effects[0].Path.Text != want {
			t.Errorf("%s: %+v, want the delete of %q", src, c.Effects, want)
		}
	}
}

func TestADriveInAnUnquotedCmdLineKeepsItsBackslash(t *testing.T) {
	for src, want := range map[string]string{`cmd /c del /s /q C:\*`: `C:\*`, `cmd /c rmdir /s /q D:\data`: `D:\data`} {
		l := Parse(src, Options{})
		c := l.Commands[len(l.Commands)-1]
		if got := c.Argv[len(c.Argv)-1].Text; got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

func TestManyPrintsMeetNoLimit(t *testing.T) {
	src := "python3 - <<'E'\n" + strings.Repeat("print('"+strings.Repeat("y", 200)+"')\n", 2000) + "E"
	if Parse(src, Options{}).Truncated {
		t.Error("a long script of plain prints was cut")
	}
}
