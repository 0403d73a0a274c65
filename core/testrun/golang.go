package testrun

import (
	"strings"

	"github.com/ec261362/guardrails/core/hook"
)

// readGo reads go test: plain, -v and -json.
func readGo(t *tally, lines []string) {
	var built, failed, noFiles, ran, green int
	left := false // a test left the process
	pending := 0  // red lines since the last verdict on a package
	kept := 0     // … that no "ok" of their package overrules
	hollow := 0   // suites of ginkgo in which no spec passed: one Go test each
	for _, l := range lines {
		if l == "" {
			continue
		}
		if l[0] == '{' && strings.Contains(l, `"Action":`) {
			goEvent(t, l, &ran, &built, &failed)
			if strings.Contains(l, "SUCCESS!") && strings.Contains(l, " Passed") {
				out, _ := hook.Text(hook.Member([]byte(l), "Output"))
				for _, said := range clean(out) {
					if strings.HasPrefix(said, "SUCCESS! -- 0 Passed | ") {
						hollow++
					}
				}
			}
			continue
		}
		s := strings.TrimLeft(l, " ")
		top := len(s) == len(l)
		switch {
		case strings.HasPrefix(s, "=== RUN"):
			ran++
		case strings.HasPrefix(s, "--- ") && !strings.HasSuffix(s, "s)"): // the words of a test
		case strings.HasPrefix(s, "--- PASS: "):
			ran++
			if top {
				t.pass++
				t.sum, t.partial = true, true
			}
		case strings.HasPrefix(s, "--- SKIP: "):
			ran++
			if top {
				t.skip++
				t.sum, t.partial = true, true
			}
		case strings.HasPrefix(s, "--- FAIL: "):
			if top {
				t.fail++
			}
			failed++
			pending++
			t.mark(redFail, s)
		case !top:
		case strings.HasPrefix(l, "SUCCESS! -- 0 Passed | "):
			hollow++
		case l == "FAIL":
			pending++
			t.mark(redSome, l)
		case strings.HasPrefix(l, "panic: "):
			left = left || strings.Contains(l, "unexpected call to os.Exit(0) during test")
			failed++
			pending++
			t.mark(redFail, l)
		case strings.HasPrefix(l, "testing: warning: no tests to run"), strings.HasPrefix(l, "no packages to test"):
			t.none = true
		case strings.HasPrefix(l, "go: ") && (strings.Contains(l, "cannot find main module") || strings.Contains(l, "no such tool")),
			strings.HasPrefix(l, "no required module provides package"), strings.HasPrefix(l, "no Go files in "):
			t.mark(redError, l)
		default:
			f := strings.Fields(l)
			switch {
			case len(f) >= 3 && f[0] == "ok" && (f[2] == "(cached)" || seconds(f[2])):
				pending = 0
				if strings.Contains(l, "[no tests to run]") {
					noFiles++
				} else {
					green++
				}
			case len(f) >= 3 && f[0] == "?" && strings.Contains(l, "[no test files]"):
				noFiles++
			case len(f) >= 4 && f[1] == "coverage:" && f[2] == "0.0%" && l[0] == '\t': // a package without tests, with -cover
				noFiles++
			case len(f) >= 2 && f[0] == "FAIL" && strings.Contains(l, "[build failed]"), len(f) >= 2 && f[0] == "FAIL" && strings.Contains(l, "[setup failed]"):
				built++
				kept++
				t.mark(redError, l)
			case len(f) == 3 && f[0] == "FAIL" && seconds(f[2]):
				kept++
				t.mark(redSome, l)
			}
		}
	}
	if hollow = min(hollow, t.pass); hollow > 0 {
		t.pass, t.skip = t.pass-hollow, t.skip+hollow
	}
	t.overruled = t.red != notRed && pending+kept == 0 && built == 0
	switch {
	case left && t.fail <= 1:
		t.red = redError
	case t.red == redSome && built == 0 && strings.HasPrefix(t.first, "FAIL"):
		t.red = redFail
	}
	switch {
	case green > 0 && ran == 0:
		t.ok = true
	case noFiles > 0 && green == 0:
		t.none, t.partial = true, true // other packages may stand in what is cut off
	}
}

// goEvent reads one line of go test -json.
func goEvent(t *tally, l string, ran, built, failed *int) {
	raw := []byte(l)
	action, _ := hook.Text(hook.Member(raw, "Action"))
	test, _ := hook.Text(hook.Member(raw, "Test"))
	top := test != "" && !strings.Contains(test, "/")
	switch action {
	case "start", "run":
		*ran++
	case "pass":
		*ran++
		if top {
			t.pass++
		}
		t.sum, t.partial = true, true
	case "skip":
		*ran++
		if top {
			t.skip++
		}
		t.sum, t.partial = true, true
	case "fail":
		*ran++
		if top {
			t.fail++
		}
		if test == "" && hook.Member(raw, "FailedBuild") != nil {
			*built++
			t.mark(redError, l)
			return
		}
		if test == "" && t.red == redError {
			return
		}
		*failed++
		t.mark(redFail, "fail "+test)
	case "build-fail":
		*built++
		t.mark(redError, "build-fail")
	}
}

// readGotestsum reads DONE 4 tests, 1 skipped, 2 failures, 1 error in 0.1s.
func readGotestsum(t *tally, lines []string) {
	for _, l := range lines {
		rest, ok := strings.CutPrefix(l, "DONE ")
		if !ok {
			continue
		}
		if i := strings.LastIndex(rest, " in "); i >= 0 && seconds(rest[i+4:]) {
			rest = rest[:i]
		}
		var tests, skipped, failures, errs int
		seen := false
		for part := range strings.SplitSeq(rest, ",") {
			n, what, ok := counted(part)
			if !ok {
				continue
			}
			switch what {
			case "tests", "test":
				tests, seen = n, true
			case "skipped":
				skipped = n
			case "failure", "failures":
				failures = n
			case "error", "errors":
				errs = n
			}
		}
		if !seen {
			continue
		}
		if errs > 0 && failures <= errs {
			t.mark(redError, l)
			t.add(tests-skipped-failures, 0, skipped, true, l)
			t.red = redError
		} else {
			t.add(tests-skipped-failures, failures, skipped, true, l)
		}
		t.ok = false
	}
}

// readGinkgo reads SUCCESS! -- 3 Passed | 0 Failed | 0 Pending | 0 Skipped.
func readGinkgo(t *tally, lines []string) {
	for _, l := range lines {
		if strings.HasPrefix(l, "[") && strings.Contains(l, " specs ") && strings.Contains(l, " SUCCESS! ") { // succinct: [id] Suite - 2/2 specs •• SUCCESS! 1ms PASS
			_, marks, _ := strings.Cut(l, " specs ")
			t.add(strings.Count(marks, "•"), 0, strings.Count(before(marks, " SUCCESS! "), "S"), true, l)
			continue
		}
		verdict, rest, ok := strings.Cut(l, "! -- ")
		if !ok || verdict != "SUCCESS" && verdict != "FAIL" {
			continue
		}
		var pass, fail, skip int
		for part := range strings.SplitSeq(rest, "|") {
			switch n, what, _ := counted(part); what {
			case "Passed":
				pass = n
			case "Failed":
				fail = n
			case "Pending", "Skipped":
				skip += n
			}
		}
		if verdict == "FAIL" {
			fail = max(fail, 1)
		}
		t.add(pass, fail, skip, true, l)
	}
}

// readCargo reads cargo test, one block for each binary, and cargo nextest.
func readCargo(t *tally, lines []string) {
	running, results := 0, 0
	for _, l := range lines {
		s := strings.TrimSpace(l)
		if rest, ok := strings.CutPrefix(l, "test result: "); ok {
			verdict, counts, _ := strings.Cut(rest, ". ")
			results++
			t.sum, t.partial = true, true
			for part := range strings.SplitSeq(counts, ";") {
				switch n, what, _ := counted(part); what {
				case "passed":
					t.pass += n
				case "failed":
					if t.fail += n; n > 0 {
						t.mark(redFail, l)
					}
				case "ignored":
					t.skip += n
				case "filtered out":
					t.filtered = t.filtered || n > 0
				}
			}
			if verdict != "ok" {
				t.mark(redFail, l)
			}
			continue
		}
		switch {
		case strings.HasPrefix(l, "running ") && (strings.HasSuffix(l, " tests") || strings.HasSuffix(l, " test")):
			running++
		case strings.HasPrefix(l, "test ") && strings.HasSuffix(l, " ... FAILED"):
			t.mark(redFail, l)
		case strings.HasPrefix(l, "error: test failed"), strings.HasPrefix(l, "error: doctest failed"), strings.HasPrefix(l, "error: ") && strings.HasSuffix(l, " target failed:"):
			t.mark(redSome, l)
		case strings.HasPrefix(l, "error[E"), strings.HasPrefix(l, "error: could not "), strings.HasPrefix(l, "error: no test target named"),
			strings.HasPrefix(l, "error: package ID"), strings.HasPrefix(l, "error: failed to "):
			t.mark(redError, l)
		case strings.HasPrefix(l, "error: no tests to run"):
			t.none = true
		case strings.HasPrefix(s, "Summary [") && strings.Contains(s, " run: "):
			_, counts, _ := strings.Cut(s, " run: ")
			var pass, fail, skip int
			for part := range strings.SplitSeq(counts, ",") {
				n, what, _ := counted(part)
				what, _, _ = strings.Cut(what, " (")
				switch what {
				case "passed":
					pass = n
				case "failed", "timed out", "exec failed":
					fail += n
				case "skipped":
					skip = n
				}
			}
			t.add(pass, fail, skip, true, l)
			t.filtered = t.filtered || skip > 0
		}
	}
	if t.red == redSome && strings.HasPrefix(t.first, "error: ") {
		t.red = redFail
	}
	if running > results && results > 0 && t.red == notRed {
		t.stopped = true // a binary ended without its verdict
	}
}
