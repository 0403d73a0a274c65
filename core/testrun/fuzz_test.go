package testrun

import (
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// FuzzJudge holds for every command and text: a grade is never Passed without
// an exit code of 0 that is told, a runner and a count.
func FuzzJudge(f *testing.F) {
	for _, command := range []string{"pytest -q", "go test ./... | tail", "npm test", "make -i check", "x=$(npx jest); echo $x", "cargo test & wait $!", "set -e; ctest && ls; rspec", "bash -c 'mocha; true'"} {
		for _, text := range []string{pytestGreen, nodeGreen, jestGreen, mvnGreen, "ok  \tp\t0.1s\n", "1..2\nok 1 a\nnot ok 2 b\n", "\x1b[32m 2 passing\x1b[0m (3ms)\r\n", "test result: ok. 1 passed; 0 failed;\nmake: *** [x] Error 1"} {
			f.Add(command, text, 0, uint8(0))
			f.Add(command, text, 1, uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, command, text string, exit int, bits uint8) {
		res := &hook.Result{Outcome: hook.Outcome(bits % 3), ExitCode: exit, HasExit: bits&4 == 0, Text: text, Interrupted: bits&8 != 0, Background: bits&16 != 0}
		line := shellcmd.Parse(command, shellcmd.Options{Cwd: "/w"})
		r := Judge(Call{Line: line, Result: res, Dir: "/w"})
		if r.Grade < None || r.Grade > Passed || strings.Contains(r.Why, "\n") {
			t.Fatalf("%+v", r)
		}
		zero := res.HasExit && exit == 0 || !res.HasExit && res.Outcome == hook.Succeeded
		if (r.Grade == Passed || r.Grade == PassedUncounted) && (!zero || res.Outcome == hook.Unknown || res.Interrupted || res.Background || r.Runner == "") {
			t.Fatalf("%s on %+v", r.Grade, res)
		}
		if r.Grade == Passed && r.Passed == 0 || r.Grade == Weak && r.Passed == 0 {
			t.Fatalf("%s without a count", r.Grade)
		}
		Names(line)
		Work(line)
	})
}

// FuzzReaders reads any text in every form: counts are never negative, and what
// a terminal would not show is never seen.
func FuzzReaders(f *testing.F) {
	for _, text := range []string{pytestGreen, nodeGreen, jestGreen, viGreen, mvnGreen, "DONE 4 tests, 1 skipped in 0.1s", "OK (3 tests, 4 assertions)", "100% tests passed, 0 tests failed out of 2", `{"Action":"pass","Test":"T"}`, `<testsuites tests="2" failures="0" skipped="0">`, "\x1b]0;x\x07\x1b(B1..1\b\b", "+1: All tests passed!", "Executed 1 test, with 0 failures"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := clean(text)
		for _, l := range lines {
			if strings.ContainsAny(l, "\x1b\n\r\b\x00") {
				t.Fatalf("%q is left in %q", text, l)
			}
		}
		stripPrefixes(lines)
		for form := readers(1); form < readsAll; form <<= 1 {
			got := readText(lines, form)
			if got.pass < 0 || got.fail < 0 || got.skip < 0 {
				t.Fatalf("form %b: %+v", form, got)
			}
			if got.fail > 0 && got.red == notRed {
				t.Fatalf("form %b: failures and not red: %+v", form, got)
			}
		}
	})
}

// FuzzMakefile and package.json: any bytes are read without a panic and within
// bounds.
func FuzzScripts(f *testing.F) {
	f.Add("all: a b ; echo $(X)\n\t-@go test $${HOME} $(Y)\nX := ${X}\n.IGNORE:\n", "all")
	f.Add(`{"scripts":{"test":"jest","pretest":1}}`, "test")
	f.Fuzz(func(t *testing.T, text, target string) {
		lines, _ := makeRecipes(text, []string{target})
		makeRecipes(text, nil)
		for _, l := range lines {
			if strings.Contains(l, "\n") {
				t.Fatalf("%q is more than one line", l)
			}
		}
		packageScript([]byte(text), target)
	})
}
