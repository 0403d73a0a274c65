package marker

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/shellcmd"
)

const (
	tokenA = "ACME_E2E_SKIP"
	tokenB = "ACME_REPLY_SKIP"
)

var tokens = []string{tokenA, tokenB}

func find(src, printed string, ps bool) (marks, refused []Mark) {
	return Find(shellcmd.Parse(src, shellcmd.Options{Cwd: "/w", Home: "/h", PowerShell: ps}), tokens, printed, false)
}

func TestMarkersInCommandPositionCount(t *testing.T) {
	for _, tt := range []struct {
		name, src, printed string
		ps                 bool
		want               string // reason; "" = none
	}{
		{name: "double quotes", src: `echo "ACME_E2E_SKIP: no browser here"`, want: "no browser here"},
		{name: "single quotes", src: `echo 'ACME_E2E_SKIP: no browser here'`, want: "no browser here"},
		{name: "no quotes", src: `echo ACME_E2E_SKIP: no browser here`, want: "no browser here"},
		{name: "escapes", src: `echo ACME_E2E_SKIP:\ no\ browser\ here`, want: "no browser here"},
		{name: "dollar quotes", src: `echo $'ACME_E2E_SKIP: no browser here'`, want: "no browser here"},
		{name: "only the reason quoted", src: `echo ACME_E2E_SKIP: "no browser here"`, want: "no browser here"},
		{name: "token in pieces", src: `echo "ACME_""E2E_SKIP: x y"`, want: "x y"},
		{name: "no blank", src: `echo "ACME_E2E_SKIP:x"`, want: "x"},
		{name: "echo -e", src: `echo -e "ACME_E2E_SKIP: x\n"`, want: "x"},
		{name: "echo -n", src: `echo -n "ACME_E2E_SKIP: x"`, want: "x"},
		{name: "by path", src: `/bin/echo "ACME_E2E_SKIP: x"`, want: "x"},
		{name: "builtin echo", src: `builtin echo "ACME_E2E_SKIP: x"`, want: "x"},
		{name: "printf", src: `printf 'ACME_E2E_SKIP: x y\n'`, want: "x y"},
		{name: "printf with a format", src: `printf '%s\n' "ACME_E2E_SKIP: x y"`, want: "x y"},
		{name: "printf in two", src: `printf '%s: %s\n' ACME_E2E_SKIP "x y"`, want: "x y"},
		{name: "after cd", src: `cd /repo && echo "ACME_E2E_SKIP: x"`, want: "x"},
		{name: "after cd, printed", src: `cd /repo && echo "ACME_E2E_SKIP: x"`, printed: "ACME_E2E_SKIP: x\n", want: "x"},
		{name: "after a command that ended well", src: `git status && echo "ACME_E2E_SKIP: x"`, printed: "clean\n", want: "x"},
		{name: "second of a list", src: "true; echo 'ACME_E2E_SKIP: x'", want: "x"},
		{name: "second line", src: "ls\necho 'ACME_E2E_SKIP: x'", want: "x"},
		{name: "in braces", src: `{ echo "ACME_E2E_SKIP: x"; }`, want: "x"},
		{name: "in sh -c", src: `bash -c 'echo "ACME_E2E_SKIP: x"'`, want: "x"},
		{name: "to stderr", src: `echo "ACME_E2E_SKIP: x" >&2`, want: "x"},
		{name: "to nowhere", src: `echo "ACME_E2E_SKIP: x" >/dev/null`, want: "x"},
		{name: "through tee", src: `echo "ACME_E2E_SKIP: x" | tee -a notes.log`, want: "x"},
		{name: "a known variable", src: `why="no browser"; echo "ACME_E2E_SKIP: $why"`, want: "no browser"},
		{name: "an unknown variable in it", src: `echo "ACME_E2E_SKIP: run $ID is a rerun"`, want: "run … is a rerun"},
		{name: "cmd", src: `cmd /c echo ACME_E2E_SKIP: x y`, want: "x y"},
		{name: "Write-Output", src: `Write-Output "ACME_E2E_SKIP: x y"`, ps: true, want: "x y"},
		{name: "Write-Host", src: `Write-Host 'ACME_E2E_SKIP: x y' -ForegroundColor Yellow`, ps: true, want: "x y"},
		{name: "PowerShell's echo", src: `echo "ACME_E2E_SKIP: x y"`, ps: true, want: "x y"},
		{name: "PowerShell without quotes", src: `Write-Host ACME_E2E_SKIP: x y`, ps: true, want: "x y"},
		{name: "PowerShell from a POSIX shell", src: `pwsh -Command "Write-Output 'ACME_E2E_SKIP: x y'"`, want: "x y"},

		{name: "not the other branch", src: `make e2e || echo "ACME_E2E_SKIP: x"`, printed: "3 scenarios passed"},
		{name: "not behind one that failed", src: `make e2e && echo "ACME_E2E_SKIP: x"; true`, printed: "3 failed"},
		{name: "grep", src: `grep -rn "ACME_E2E_SKIP: x" docs/`},
		{name: "grep for the command", src: `grep -rn 'echo "ACME_E2E_SKIP: x"' docs/`},
		{name: "commit message", src: `git commit -m 'echo "ACME_E2E_SKIP: x"'`},
		{name: "commit message from echo", src: `git commit -m "$(echo 'ACME_E2E_SKIP: x')"`},
		{name: "commit message from a pipe", src: `echo "ACME_E2E_SKIP: x" | git commit -F -`},
		{name: "comment body", src: `echo "ACME_E2E_SKIP: x" | gh pr comment 7 -F -`},
		{name: "file edit", src: `echo "ACME_E2E_SKIP: x" >> AGENTS.md`},
		{name: "file from a heredoc", src: "cat > x.md <<'E'\necho \"ACME_E2E_SKIP: x\"\nE"},
		{name: "shell comment", src: `ls # echo "ACME_E2E_SKIP: x"`},
		{name: "a variable is no output", src: `X="ACME_E2E_SKIP: x"`},
		{name: "a function that nobody calls", src: `f() { echo "ACME_E2E_SKIP: x"; }`},
		{name: "in the middle of a sentence", src: `echo "use ACME_E2E_SKIP: x"`},
		{name: "how to", src: `echo 'run echo "ACME_E2E_SKIP: x"'`},
		{name: "a longer token", src: `echo "ACME_E2E_SKIPPED: x"`},
		{name: "sed", src: `sed -i 's/a/ACME_E2E_SKIP: x/' f`},
		{name: "python", src: `python3 -c 'print("ACME_E2E_SKIP: x")'`},
		{name: "another machine", src: `ssh host 'echo "ACME_E2E_SKIP: x"'`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			marks, refused := find(tt.src, tt.printed, tt.ps)
			var want []Mark
			if tt.want != "" {
				want = []Mark{{tokenA, tt.want}}
			}
			if diff := cmp.Diff(want, marks); diff != "" {
				t.Error(diff)
			}
			if len(refused) > 0 {
				t.Errorf("refused %v", refused)
			}
			if tt.want != "" && !Mentions(tt.src, tokens) {
				t.Error("the cheap test misses it")
			}
		})
	}
}

func TestAMarkerNeedsAReason(t *testing.T) {
	for _, src := range []string{
		`echo "ACME_E2E_SKIP:"`, `echo "ACME_E2E_SKIP"`, `echo ACME_E2E_SKIP:`, `echo "ACME_E2E_SKIP:   "`, `echo "ACME_E2E_SKIP: <reason>"`,
		`echo "ACME_E2E_SKIP: reason"`, `echo "ACME_E2E_SKIP: ..."`, `echo "ACME_E2E_SKIP: $WHY"`, `echo "ACME_REPLY_SKIP: <comment-id> <reason>"`,
		`echo "ACME_REPLY_SKIP: 11 <reason>"`,
	} {
		marks, refused := find(src, "", false)
		if len(marks) != 0 || len(refused) != 1 {
			t.Errorf("%s: marks %v, refused %v", src, marks, refused)
		}
	}
}

func TestOneLinePrintsSeveral(t *testing.T) {
	marks, _ := find(`echo "ACME_E2E_SKIP: a"; printf 'ACME_REPLY_SKIP: 11 b\nACME_REPLY_SKIP: 13 c\n'`, "", false)
	want := []Mark{{tokenA, "a"}, {tokenB, "11 b"}, {tokenB, "13 c"}}
	if diff := cmp.Diff(want, marks); diff != "" {
		t.Error(diff)
	}
}

func TestAMarkerOfAFailedCallCountsOnlyIfItWasPrinted(t *testing.T) {
	l := shellcmd.Parse(`echo "ACME_E2E_SKIP: x"; make lint`, shellcmd.Options{})
	for printed, want := range map[string]int{"": 0, "Exit code 1\nlint: 3 problems": 0, "Exit code 1\nACME_E2E_SKIP: x\nlint: 3 problems": 1} {
		if marks, _ := Find(l, tokens, printed, true); len(marks) != want {
			t.Errorf("%q: %v", printed, marks)
		}
	}
}

func TestForSplitsIdFromReason(t *testing.T) {
	for _, tt := range []struct{ in, id, reason string }{
		{"11 owner will answer", "11", "owner will answer"},
		{"r9: flaky network", "r9", "flaky network"},
		{"r9 - flaky", "r9", "flaky"},
		{"flaky", "", "flaky"},
		{"11 -", "", "11 -"},
	} {
		if id, reason := (Mark{tokenB, tt.in}).For(); id != tt.id || reason != tt.reason {
			t.Errorf("%q: %q, %q", tt.in, id, reason)
		}
	}
}

func TestOrdinaryLinesAreNotMentions(t *testing.T) {
	for _, src := range []string{"ls", "git status", `echo "$HOME"`, "echo skip"} {
		if Mentions(src, tokens) {
			t.Errorf("%s", src)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add(`echo "ACME_E2E_SKIP: x"`, "")
	f.Add("f() { echo ACME_E2E_SKIP: x; }; f", "x")
	f.Fuzz(func(t *testing.T, src, printed string) {
		for _, ps := range []bool{false, true} {
			marks, refused := find(src, printed, ps)
			for _, m := range append(marks, refused...) {
				if m.Token != tokenA && m.Token != tokenB {
					t.Errorf("token %q", m.Token)
				}
				if strings.ContainsAny(m.Reason, "\n\x00") {
					t.Errorf("reason %q", m.Reason)
				}
				m.For()
			}
			for _, m := range marks {
				if strings.TrimSpace(m.Reason) == "" {
					t.Error("a marker without a reason")
				}
			}
		}
	})
}
