package testrun

import "strings"

// readRSpec reads "3 examples, 1 failure, 1 pending"; jasmine calls them specs.
func readRSpec(t *tally, lines []string) {
	for _, l := range lines {
		s := strings.TrimSpace(l)
		n, what, ok := counted(s)
		if !ok {
			switch {
			case strings.HasPrefix(s, "No examples found"), strings.HasPrefix(s, "Incomplete: No specs found"):
				t.none = true
			case strings.HasPrefix(s, "An error occurred while loading "):
				t.mark(redError, s)
			}
			continue
		}
		unit, rest, ok := strings.Cut(what, ", ")
		switch unit {
		case "example", "examples", "spec", "specs":
		default:
			continue
		}
		var fail, skip, outside int
		verdict := false
		for part := range strings.SplitSeq(rest, ",") {
			k, word, _ := counted(part)
			switch {
			case word == "failure" || word == "failures":
				fail += k
				verdict = true
			case strings.HasPrefix(word, "pending"):
				skip += k
			case strings.HasPrefix(word, "error") && strings.Contains(word, "outside of examples"):
				outside += k
			case word == "errors" || word == "error":
				fail += k
			}
		}
		if !ok || !verdict {
			continue
		}
		if outside > 0 {
			t.mark(redError, s)
		}
		t.add(n-fail-skip, fail, skip, true, s)
		if n == 0 {
			t.none = true
		}
	}
}

// readMinitest reads lines that count tests and failures: minitest and
// test-unit ("2 runs, 2 assertions, 0 failures, 0 errors, 0 skips"), ExUnit and
// bats --pretty ("2 tests, 0 failures, 1 skipped").
func readMinitest(t *tally, lines []string) {
	for _, l := range lines {
		if len(l) == 0 || l[0] < '0' || l[0] > '9' {
			continue
		}
		var tests, fail, skip int
		var units, failures bool
		for part := range strings.SplitSeq(l, ",") {
			n, what, ok := counted(part)
			if !ok {
				units = false
				break
			}
			switch what {
			case "runs", "run", "tests", "test", "doctests", "doctest", "properties", "property":
				tests += n
				units = true
			case "failures", "failure":
				fail += n
				failures = true
			case "errors", "error", "invalid":
				fail += n
			case "skips", "skip", "skipped", "pendings", "omissions", "excluded":
				skip += n
			}
		}
		if units && failures {
			t.add(tests-fail-skip, fail, skip, true, l)
			if tests == 0 {
				t.none = true
			}
		}
	}
}

// readPHPUnit reads PHPUnit and Pest.
func readPHPUnit(t *tally, lines []string) {
	warned, verdict := false, false
	for _, l := range lines {
		s := strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(l, "OK, but "):
			verdict = true
		case strings.HasPrefix(l, "OK (") && strings.Contains(l, " test"):
			if n, what, ok := counted(strings.TrimSuffix(l[4:], ")")); ok && strings.HasPrefix(what, "test") {
				t.add(n, 0, 0, true, l)
			}
		case strings.HasPrefix(l, "No tests executed!"), strings.HasPrefix(l, `No tests found in class "`):
			t.none = true
		case l == "FAILURES!", l == "ERRORS!":
			verdict = true
			t.mark(redFail, l)
		case l == "WARNINGS!":
			warned, verdict = true, true
		case strings.HasPrefix(s, "PHP Fatal error: "), strings.HasPrefix(s, "Fatal error: "), strings.HasPrefix(s, "PHP Parse error: "), strings.HasPrefix(s, "Parse error: "):
			t.mark(redError, s)
		case strings.HasPrefix(l, "Tests: ") && strings.Contains(l, "Assertions: "):
			phpunitCounts(t, l, warned, verdict)
		case strings.HasPrefix(s, "Tests:") && strings.HasSuffix(s, " assertions)"), strings.HasPrefix(s, "Tests:") && strings.HasSuffix(s, " assertion)"): // Pest
			rest := s[len("Tests:"):]
			var pass, fail, skip int
			for part := range strings.SplitSeq(rest[:strings.LastIndex(rest, "(")], ",") {
				switch n, what, _ := counted(part); what {
				case "passed", "deprecated", "warnings", "risky", "notices":
					pass += n
				case "failed", "errors":
					fail += n
				case "skipped", "todos", "todo", "incomplete":
					skip += n
				}
			}
			t.add(pass, fail, skip, true, s)
		}
	}
}

// phpunitCounts reads the line below a verdict; without one it may be half of a
// run that found no tests.
func phpunitCounts(t *tally, l string, warned, verdict bool) {
	var tests, fail, skip int
	for part := range strings.SplitSeq(strings.TrimSuffix(l, "."), ",") {
		what, n, ok := labelled(part)
		if !ok {
			continue
		}
		switch what {
		case "Tests":
			tests = n
		case "Failures", "Errors":
			fail += n
		case "Skipped", "Incomplete":
			skip += n
		case "Warnings":
			if warned { // PHPUnit 9 counts a class without tests as a test that warns
				skip += n
			}
		}
	}
	if verdict || fail > 0 {
		t.add(tests-fail-skip, fail, skip, false, l)
	}
}

// readCTest reads "100% tests passed, 0 tests failed out of 2" less the tests
// that were skipped, which count as passed.
func readCTest(t *tally, lines []string) {
	var out, failed, skipped, listed, notRun, other int
	seen := false
	line := ""
	for _, l := range lines {
		s := strings.TrimSpace(l)
		switch {
		case strings.Contains(l, "***Skipped"), strings.Contains(l, "***Not Run (Disabled)"):
			skipped++
		case strings.HasSuffix(s, " (Skipped)"), strings.HasSuffix(s, " (Disabled)"):
			if n, rest, ok := number(s); ok && n > 0 && strings.HasPrefix(rest, " - ") {
				listed++
			}
		case strings.HasPrefix(s, "No tests were found!!!"), strings.HasPrefix(s, "No test configuration file found!"):
			t.none = true
		case strings.HasPrefix(s, "Errors while running CTest"):
			t.mark(redSome, s)
		case strings.HasPrefix(s, "Failed to change working directory to "):
			t.mark(redError, s)
		case strings.Contains(s, "% tests passed, ") && strings.Contains(s, " failed out of "):
			_, rest, _ := strings.Cut(s, "% tests passed, ")
			n, what, ok := counted(rest)
			_, total, _ := strings.Cut(what, " out of ")
			if m, rest, okTotal := number(total); ok && okTotal && rest == "" {
				out, failed, seen, line = out+m, failed+n, true, s
			}
		default:
			n, rest, ok := number(s)
			if !ok || n == 0 {
				continue
			}
			switch {
			case strings.HasPrefix(rest, " - ") && strings.HasSuffix(rest, " (Not Run)"):
				notRun++
				t.mark(redError, s)
			case strings.HasPrefix(rest, " - ") && strings.HasSuffix(rest, ")") &&
				(strings.HasSuffix(rest, " (Failed)") || strings.HasSuffix(rest, " (Timeout)") || strings.HasSuffix(rest, " (SEGFAULT)") || strings.HasSuffix(rest, " aborted)") || strings.HasSuffix(rest, " (ILLEGAL)")):
				other++
				t.mark(redFail, s)
			}
		}
	}
	skipped = max(skipped, listed)
	if seen {
		switch {
		case failed > 0 && notRun > 0 && other == 0:
			t.mark(redError, line)
		default:
			t.add(out-failed-skipped, failed, skipped, false, line)
		}
		if out == 0 {
			t.none = true
		}
	}
	if notRun == 0 && t.red == redSome && strings.HasPrefix(t.first, "Errors while running CTest") {
		t.red = redFail
	}
}

// readSurefire reads Maven: "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0",
// once for each module; lines with a time are of one class.
func readSurefire(t *tally, lines []string) {
	var classes tally
	results := false
	build, compile, nothing := false, false, false
	for _, l := range lines {
		s := l
		for _, level := range [...]string{"[INFO]", "[WARNING]", "[ERROR]"} {
			s = strings.TrimPrefix(s, level)
		}
		s = strings.TrimSpace(s)
		switch {
		case strings.HasPrefix(s, "Tests run: "):
			var run, fail, skip int
			class := strings.Contains(s, "Time elapsed:")
			for part := range strings.SplitSeq(s, ",") {
				what, n, ok := labelled(part)
				if !ok {
					continue
				}
				switch what {
				case "Tests run":
					run = n
				case "Failures", "Errors":
					fail += n
				case "Skipped":
					skip = n
				}
			}
			if class {
				classes.add(run-fail-skip, fail, skip, false, s)
				continue
			}
			results = true
			t.add(run-fail-skip, fail, skip, true, s)
		case strings.Contains(s, "No tests were executed!"), strings.Contains(s, "No tests matching pattern "):
			nothing = true
		case s == "No tests to run.", s == "Tests are skipped.":
			t.none = true
		case strings.HasPrefix(s, "BUILD FAILURE"):
			build = true
			t.mark(redSome, s)
		case strings.HasPrefix(s, "COMPILATION ERROR"):
			compile = true
			t.mark(redError, s)
		case strings.HasPrefix(s, "There are test failures"), strings.Contains(s, "There are test failures."), strings.HasPrefix(s, "There was a timeout"):
			t.mark(redFail, s)
		case strings.HasPrefix(s, "[Help 1] http") && strings.HasSuffix(s, "MojoFailureException"), strings.HasPrefix(s, "-> [Help 1]"):
			t.mark(redSome, s)
		}
	}
	if classes.red == redFail && !results { // -q shows the red classes only
		t.mark(redFail, classes.first)
	}
	switch {
	case nothing && !compile && t.fail == 0 && t.pass == 0 && t.red <= redSome: // its filter fits no test
		t.red, t.none = notRed, true
	case build && !compile && t.red == redSome && t.fail == 0 && !results:
		t.red = redError // it broke before its tests
	}
}

// readGradle reads Gradle, whose green runs show tests only if they are
// configured to: else the task and the build's end are all there is. UP-TO-DATE
// and FROM-CACHE say that the tests passed on these very inputs.
func readGradle(t *tally, lines []string) {
	var pass, fail, skip int
	task, idle := false, false
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, "> Task ") && gradleTests(l[len("> Task "):]):
			task = true
		case strings.HasPrefix(l, "> Task ") && (strings.HasSuffix(l, "est SKIPPED") || strings.HasSuffix(l, "ests SKIPPED")):
			idle = true
		case strings.HasPrefix(l, "There were failing tests."):
			t.mark(redFail, l)
		case strings.HasPrefix(l, "BUILD SUCCESSFUL"):
			t.ok = t.ok || task
			t.none = t.none || idle && !task
		case strings.Contains(l, " > ") && strings.HasSuffix(l, " PASSED"):
			pass++
		case strings.Contains(l, " > ") && strings.HasSuffix(l, " FAILED") && !strings.HasPrefix(l, "> Task "):
			fail++
			t.mark(redFail, l)
		case strings.Contains(l, " > ") && strings.HasSuffix(l, " SKIPPED") && !strings.HasPrefix(l, "> Task "):
			skip++
		case strings.HasPrefix(l, "> Task ") && strings.HasSuffix(l, "est FAILED"):
			t.mark(redFail, l)
		case strings.HasPrefix(l, "> Task ") && strings.HasSuffix(l, " FAILED"):
			t.mark(redError, l)
		case strings.HasPrefix(l, "> Task ") && strings.HasSuffix(l, "est NO-SOURCE"):
			t.none = true
		case strings.HasPrefix(l, "BUILD FAILED"):
			t.mark(redSome, l)
		default:
			n, what, ok := counted(l)
			if ok && strings.HasPrefix(what, "tests completed, ") || ok && strings.HasPrefix(what, "test completed, ") {
				_, rest, _ := strings.Cut(what, ", ")
				bad := 0
				for part := range strings.SplitSeq(rest, ",") {
					if k, word, _ := counted(part); word == "failed" {
						bad = k
					}
				}
				if bad > 0 {
					t.mark(redFail, l)
				}
				_ = n
			}
			junitConsole(t, l)
		}
	}
	if pass+fail+skip > 0 {
		t.pass += pass
		t.fail += fail
		t.skip += skip
		t.sum, t.partial = true, true
	}
}

// gradleTests reports whether a line "> Task :app:test UP-TO-DATE" is of a task
// that ran tests, or that had no need to.
func gradleTests(task string) bool {
	name, state, _ := strings.Cut(task, " ")
	switch state {
	case "", "UP-TO-DATE", "FROM-CACHE":
	default:
		return false
	}
	name = name[strings.LastIndexByte(name, ':')+1:]
	return name == "test" || name == "allTests" || strings.HasSuffix(name, "Test") || // integrationTest, jvmTest
		strings.HasPrefix(name, "test") && strings.HasSuffix(name, "UnitTest")
}

// readBazel reads the end of bazel test, which counts targets: "Executed 1 out of
// 3 tests: 2 tests pass and 1 fails locally."
func readBazel(t *tally, lines []string) {
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, "Executed ") && strings.Contains(l, " out of "):
			_, counts, ok := strings.Cut(strings.TrimSuffix(l, "."), ": ")
			if !ok {
				continue
			}
			var pass, fail, skip int
			for part := range strings.SplitSeq(strings.ReplaceAll(counts, " and ", ", "), ",") {
				n, what, ok := counted(part)
				switch {
				case !ok:
				case strings.HasSuffix(what, " pass"), strings.HasSuffix(what, " passes"):
					pass += n
				case strings.HasPrefix(what, "fail") && strings.HasSuffix(what, "to build"):
					t.mark(redError, l)
				case strings.HasPrefix(what, "fail"):
					fail += n
				case strings.Contains(what, "skipped"):
					skip += n
				}
			}
			t.add(pass, fail, skip, true, l)
		case strings.HasPrefix(l, "INFO: Build completed, ") && (strings.Contains(l, " test FAILED") || strings.Contains(l, " tests FAILED")):
			t.mark(redSome, l)
		case strings.HasPrefix(l, "//") && (strings.Contains(l, " FAILED in ") || strings.Contains(l, " TIMEOUT in ") || strings.HasSuffix(l, " NO STATUS") || strings.Contains(l, " FAILED TO BUILD")):
			t.mark(redSome, l)
		case strings.HasPrefix(l, "ERROR: No test targets were found"):
			t.none = true
		case strings.HasPrefix(l, "ERROR: Build did NOT complete successfully"):
			t.mark(redError, l)
		}
	}
}

// junitConsole reads the summary box of JUnit's console launcher.
func junitConsole(t *tally, l string) {
	if len(l) < 2 || l[0] != '[' || l[len(l)-1] != ']' {
		return
	}
	switch n, what, _ := counted(strings.Trim(l, "[] ")); what {
	case "tests successful":
		t.add(n, 0, 0, false, l)
	case "tests failed":
		t.add(0, n, 0, false, l)
	}
}

// readDotnet reads dotnet test: "Passed!  - Failed: 0, Passed: 2, Skipped: 0,
// Total: 2, …", "Test summary: total: 2, failed: 0, …", and its older form.
func readDotnet(t *tally, lines []string) {
	old := -1
	for _, l := range lines {
		s := strings.TrimSpace(l)
		counts, ok := "", false
		switch {
		case strings.Contains(s, "!  - ") && strings.Contains(s, "Total:"):
			_, counts, ok = strings.Cut(s, "!  - ")
			if strings.HasPrefix(s, "Failed!") {
				t.mark(redFail, s)
			}
		case strings.HasPrefix(s, "Test summary: total: "):
			counts, ok = s[len("Test summary: "):], true
		case strings.HasPrefix(s, "Test Run Failed."):
			t.mark(redFail, s)
		case strings.HasPrefix(s, "No test is available in "):
			t.none = true
		case strings.HasPrefix(s, "Total tests: "):
			_, old, _ = labelled(s)
		case old >= 0 && strings.HasPrefix(s, "Passed: "):
			_, n, _ := labelled(s)
			t.add(n, 0, 0, false, s)
		case strings.Contains(s, ": error CS"), strings.Contains(s, ": error FS"), strings.Contains(s, ": error MSB"), strings.HasPrefix(s, "Build FAILED."):
			t.mark(redError, s)
		}
		if !ok {
			continue
		}
		var pass, fail, skip int
		for part := range strings.SplitSeq(counts, ",") {
			what, n, ok := labelled(part)
			if !ok {
				continue
			}
			switch strings.ToLower(what) {
			case "passed", "succeeded":
				pass = n
			case "failed":
				fail = n
			case "skipped":
				skip = n
			}
		}
		t.add(pass, fail, skip, true, s)
	}
}

// readSwift reads XCTest ("Executed 3 tests, with 1 test skipped and 0 failures
// (0 unexpected) in …") and Swift Testing ("Test run with 3 tests passed").
func readSwift(t *tally, lines []string) {
	var last struct {
		n, fail, skip int
		line          string
		ok            bool
	}
	for _, l := range lines {
		s := strings.TrimSpace(l)
		if rest, ok := strings.CutPrefix(s, "Executed "); ok && strings.Contains(rest, " failure") {
			n, what, _ := counted(rest)
			fail, skip := 0, 0
			_, what, _ = strings.Cut(what, "with ")
			for part := range strings.SplitSeq(what, " and ") {
				k, word, _ := counted(part)
				switch {
				case strings.HasPrefix(word, "failure"):
					fail = k
				case strings.Contains(word, "skipped"):
					skip = k
				}
			}
			if fail > 0 {
				t.mark(redFail, s)
			}
			last.n, last.fail, last.skip, last.line, last.ok = n, fail, skip, s, true // suites first, all of them last
			continue
		}
		if _, rest, ok := strings.Cut(s, "Test run with "); ok {
			n, what, _ := counted(rest)
			switch {
			case strings.Contains(what, " passed after "):
				t.add(n, 0, 0, true, s)
			case strings.Contains(what, " failed after "):
				t.add(0, 1, 0, true, s)
			}
		}
		if strings.Contains(s, ": error: ") && strings.Contains(s, ".swift:") || strings.HasPrefix(s, "** TEST FAILED **") {
			t.mark(redSome, s)
		}
	}
	if last.ok {
		t.add(last.n-last.fail-last.skip, last.fail, last.skip, false, last.line)
	}
}

// readCucumber reads "3 scenarios (1 failed, 2 passed)" and behave's "2
// scenarios passed, 1 failed, 0 skipped".
func readCucumber(t *tally, lines []string) {
	for _, l := range lines {
		n, what, ok := counted(l)
		if !ok || !strings.HasPrefix(what, "scenario") {
			continue
		}
		var pass, fail, skip int
		if _, in, ok := strings.Cut(what, " ("); ok {
			for part := range strings.SplitSeq(strings.TrimSuffix(in, ")"), ",") {
				switch k, word, _ := counted(part); word {
				case "passed":
					pass += k
				case "failed", "undefined", "ambiguous":
					fail += k
				case "skipped", "pending":
					skip += k
				}
			}
		} else if strings.HasPrefix(what, "scenario passed,") || strings.HasPrefix(what, "scenarios passed,") {
			pass = n
			_, rest, _ := strings.Cut(what, ",")
			for part := range strings.SplitSeq(rest, ",") {
				switch k, word, _ := counted(part); word {
				case "failed", "error", "undefined":
					fail += k
				case "skipped", "untested":
					skip += k
				}
			}
		} else {
			continue
		}
		t.add(pass, fail, skip, true, l)
	}
}

// readSmall reads runners with one plain line.
func readSmall(t *tally, lines []string) {
	mesonOK, mesonSeen := 0, false
	files := false
	for _, l := range lines {
		s := strings.TrimSpace(l)
		switch {
		case s == "":
		case strings.HasSuffix(s, ": All tests passed!"), strings.HasSuffix(s, ": Some tests failed."): // dart, flutter: 00:01 +3 -1: …
			var pass, fail, skip int
			for f := range strings.FieldsSeq(strings.TrimSuffix(before(s, ": "), ":")) {
				n, ok := whole(strings.TrimRight(f[1:], ":"))
				switch {
				case !ok:
				case f[0] == '+':
					pass = n
				case f[0] == '-':
					fail = n
				case f[0] == '~':
					skip = n
				}
			}
			if strings.HasSuffix(s, "failed.") {
				fail = max(fail, 1)
			}
			t.add(pass, fail, skip, true, s)
		case s == "No tests ran.", strings.HasSuffix(s, ": No tests ran."), strings.HasPrefix(s, "No tests match"):
			t.none = true
		case strings.HasPrefix(s, "All ") && strings.HasSuffix(s, " tests passed."): // zig
			if n, _, ok := counted(s[4:]); ok {
				t.add(n, 0, 0, true, s)
			}
		case strings.Contains(s, " successes / ") && strings.Contains(s, " failures / "), strings.Contains(s, " success / ") && strings.Contains(s, " failure"): // busted
			var pass, fail, skip int
			for part := range strings.SplitSeq(before(s, " : "), "/") {
				n, what, _ := counted(part)
				switch {
				case strings.HasPrefix(what, "success"):
					pass = n
				case strings.HasPrefix(what, "failure"), strings.HasPrefix(what, "error"):
					fail += n
				case what == "pending":
					skip = n
				}
			}
			t.add(pass, fail, skip, true, s)
		case strings.HasPrefix(l, "Ok: ") && !mesonSeen: // meson
			_, mesonOK, mesonSeen = labelled(l)
		case mesonSeen && (strings.HasPrefix(l, "Fail: ") || strings.HasPrefix(l, "Timeout: ") || strings.HasPrefix(l, "Unexpected Pass: ")):
			if _, n, ok := labelled(l); ok {
				t.add(0, n, 0, false, l)
			}
		case strings.HasPrefix(l, "Files=") && strings.Contains(l, ", Tests="): // prove: counts skipped tests too
			files = true
		case strings.HasPrefix(l, "Result: "):
			switch l[len("Result: "):] {
			case "PASS":
				t.ok = t.ok || files
			case "FAIL":
				t.mark(redFail, l)
			case "NOTESTS":
				t.none = true
			}
		case strings.HasPrefix(s, "Ran ") && strings.HasSuffix(s, " total tests)"): // forge
			if _, counts, ok := strings.Cut(s, ": "); ok {
				var pass, fail, skip int
				for part := range strings.SplitSeq(before(counts, " ("), ",") {
					n, what, _ := counted(part)
					switch {
					case strings.HasSuffix(what, "passed"):
						pass = n
					case what == "failed":
						fail = n
					case what == "skipped":
						skip = n
					}
				}
				t.add(pass, fail, skip, true, s)
			}
		case strings.HasPrefix(s, "TOTAL: ") && strings.HasSuffix(s, " SUCCESS"): // karma
			if n, _, ok := counted(s[7:]); ok {
				t.add(n, 0, 0, false, s)
			}
		}
	}
	if mesonSeen && mesonOK > 0 {
		t.add(mesonOK, 0, 0, false, "")
	}
}

// readJSON reads the reports that jest, vitest, mocha and rspec print.
func readJSON(t *tally, lines []string) {
	for i, l := range lines {
		if strings.Contains(l, `"numTotalTests":`) {
			pass, _ := member(l, "numPassedTests")
			fail, _ := member(l, "numFailedTests")
			suites, _ := member(l, "numFailedTestSuites")
			skip, _ := member(l, "numPendingTests")
			todo, _ := member(l, "numTodoTests")
			t.add(pass, fail, skip+todo, true, "numFailedTests")
			if suites > 0 && fail == 0 {
				t.mark(redError, "numFailedTestSuites")
			}
			if pass+fail+skip+todo == 0 {
				t.none = true
			}
		}
		if n, ok := member(l, "example_count"); ok {
			fail, _ := member(l, "failure_count")
			skip, _ := member(l, "pending_count")
			if outside, _ := member(l, "errors_outside_of_examples_count"); outside > 0 {
				t.mark(redError, "errors outside of examples")
			}
			t.add(n-fail-skip, fail, skip, true, "failure_count")
			if n == 0 {
				t.none = true
			}
		}
		if strings.HasPrefix(l, `["end",{"suites":`) { // mocha -R json-stream
			pass, _ := member(l, "passes")
			fail, _ := member(l, "failures")
			skip, _ := member(l, "pending")
			t.add(pass, fail, skip, true, `"failures"`)
		}
		if strings.HasPrefix(strings.TrimSpace(l), `"stats": {`) || strings.Contains(l, `{"stats":{`) {
			var all strings.Builder
			for _, m := range lines[i:min(i+12, len(lines))] {
				all.WriteString(m)
				if strings.Contains(m, "}") {
					break
				}
			}
			pass, ok := member(all.String(), "passes")
			fail, okFail := member(all.String(), "failures")
			skip, _ := member(all.String(), "pending")
			if ok && okFail {
				t.add(pass, fail, skip, false, `"failures"`)
			}
		}
	}
}

// member finds "key": 12 in a line of JSON.
func member(l, key string) (int, bool) {
	for rest := l; ; {
		i := strings.Index(rest, `"`+key+`"`)
		if i < 0 {
			return 0, false
		}
		quoted := i > 0 && rest[i-1] == '\\'
		rest = rest[i+len(key)+2:]
		after, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), ":")
		if !ok || quoted {
			continue
		}
		if n, _, ok := number(strings.TrimLeft(after, " ")); ok {
			return n, true
		}
	}
}

// readXML reads JUnit reports: the counts of <testsuites>, else of each
// <testsuite>.
func readXML(t *tally, lines []string) {
	outer := false
	for _, l := range lines {
		s := strings.TrimSpace(l)
		if strings.HasPrefix(s, "<testsuite") && !strings.Contains(s, `"`) {
			s = strings.ReplaceAll(s, "'", `"`) // busted quotes so
		}
		all := strings.HasPrefix(s, "<testsuites ") && strings.Contains(s, ` tests="`)
		if !all && (outer || !strings.HasPrefix(s, "<testsuite ")) {
			continue
		}
		outer = outer || all
		tests, ok := attribute(s, "tests")
		if !ok {
			continue
		}
		fail, _ := attribute(s, "failures")
		errs, _ := attribute(s, "errors")
		skip, known := attribute(s, "skipped")
		if !known {
			skip, known = attribute(s, "skip")
		}
		if all && !known {
			outer = false // the suites inside say what was skipped
			continue
		}
		t.add(tests-fail-errs-skip, fail+errs, skip, true, s)
	}
}

func attribute(s, name string) (int, bool) {
	_, rest, ok := strings.Cut(s, " "+name+`="`)
	if !ok {
		return 0, false
	}
	n, rest, ok := number(rest)
	return n, ok && strings.HasPrefix(rest, `"`)
}
