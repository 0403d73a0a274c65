package testrun

import "strings"

// readTAP reads the Test Anything Protocol (bats, tape, mocha -R tap) and both
// reporters of node --test, whose counters count a file without tests, and one
// that left the process, as a passed test named by its path (Node 20, measured).
func readTAP(t *tally, lines []string) {
	var c struct{ pass, fail, cancelled, skip int }
	var seenPass, seenFail bool
	var plan, oks, skips, bad, badFiles, files, nested int
	plan = -1
	for _, l := range lines {
		s := strings.TrimLeft(l, " \t")
		top := len(s) == len(l)
		switch {
		case top && strings.HasPrefix(l, "1.."):
			if n, ok := whole(strings.TrimSpace(before(l[3:], "#"))); ok {
				plan = max(plan, 0) + n
			}
		case strings.HasPrefix(s, "ok ") || strings.HasPrefix(s, "not ok "):
			name, note := tapPoint(s)
			skipped := hasFold(note, "skip") || hasFold(note, "todo")
			failed := s[0] == 'n'
			switch {
			case failed && skipped:
				skips++
			case failed:
				if top {
					bad++
					if jsPath(name) || strings.HasPrefix(name, "setup_file failed") || strings.HasPrefix(name, "bats-gather-tests") {
						badFiles++
					}
				}
				t.mark(redFail, s)
			case skipped:
				skips++
			case !top:
				nested++
			default:
				oks++
				if jsPath(name) {
					files++
				}
			}
		case strings.HasPrefix(s, "✔ "), strings.HasPrefix(s, "✖ "), strings.HasPrefix(s, "﹣ "):
			mark, name, _ := strings.Cut(s, " ")
			if i := strings.LastIndex(name, " ("); i > 0 && seconds(before(name[i+2:], ")")) {
				note := name[i:]
				name = name[:i]
				switch {
				case mark == "✔" && strings.Contains(note, "# SKIP"), strings.Contains(note, "# TODO"), mark == "﹣":
					skips++
				case mark == "✖":
					bad++
					if jsPath(name) {
						badFiles++
					}
					t.mark(redFail, s)
				default:
					oks++
					if jsPath(name) {
						files++
					}
				}
			}
		case strings.HasPrefix(s, `<testcase name="`): // node's junit reporter
			oks++
			if jsPath(before(s[len(`<testcase name="`):], `"`)) {
				files++
			}
		case top && (strings.HasPrefix(l, "# ") || strings.HasPrefix(l, "ℹ ")), strings.HasPrefix(s, "<!-- "):
			_, rest, _ := strings.Cut(s, " ")
			rest = strings.TrimSuffix(rest, " -->")
			f := strings.Fields(rest)
			if strings.HasPrefix(rest, "bats warning: Executed ") {
				t.mark(redError, l)
			}
			if len(f) != 2 {
				continue
			}
			n, ok := whole(f[1])
			if !ok {
				continue
			}
			switch f[0] {
			case "pass":
				c.pass += n
				seenPass = true
			case "fail":
				c.fail += n
				seenFail = true
			case "cancelled":
				c.cancelled += n
			case "skipped", "todo", "skip":
				c.skip += n
			}
			if (f[0] == "fail" || f[0] == "cancelled") && n > 0 {
				t.mark(redFail, l)
			}
		case strings.HasPrefix(s, "Bail out!"):
			t.mark(redError, s)
		case top && strings.HasPrefix(l, "Could not find '"):
			t.mark(redError, l)
		}
	}
	switch {
	case seenPass && seenFail:
		pass := c.pass - files
		if pass <= 0 {
			pass = nested // Node 18 counts files, with their tests inside
		}
		switch {
		case c.fail+c.cancelled > 0:
			t.add(pass, c.fail+c.cancelled, c.skip, false, t.first)
		case c.pass == 0:
			t.add(0, 0, c.skip, false, "")
			t.none = true
		case oks+nested > 0:
			t.add(pass, 0, c.skip, false, "")
		}
	case plan == 0:
		t.none = true
	case plan > 0 && bad == 0 && oks+skips >= plan:
		pass := oks - files
		if files > 0 {
			pass += nested // vitest puts tests below their file
		}
		t.add(pass, 0, skips, false, "")
	}
	if bad > 0 && bad == badFiles && t.red == redFail {
		t.red = redError
	}
}

// tapPoint takes "ok 3 - name # SKIP why" apart.
func tapPoint(s string) (name, note string) {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "not "), "ok ")
	if _, rest, ok := number(s); ok {
		s = rest
	}
	s = strings.TrimPrefix(strings.TrimLeft(s, " "), "- ")
	if rest, ok := strings.CutPrefix(s, "# "); ok { // busted puts the note first
		return "", rest
	}
	name, note, _ = strings.Cut(s, " # ")
	return strings.TrimSpace(name), note
}

// jsPath reports whether a test is named by a file: its path, not a sentence.
func jsPath(name string) bool {
	return jsFile(name) && (!strings.Contains(name, " ") || strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':')
}

func before(s, sep string) string {
	s, _, _ = strings.Cut(s, sep)
	return s
}

func hasFold(s, word string) bool {
	return len(s) >= len(word) && strings.EqualFold(s[:len(word)], word)
}

// readJest reads "Test Suites: …" and "Tests: 1 failed, 2 passed, 3 total".
func readJest(t *tally, lines []string) {
	var pass, fail, skip, badSuites int
	var tests, suites, broken bool
	line := ""
	for _, l := range lines {
		s := strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(l, "Tests:") && jestCounts(l[6:], &pass, &fail, &skip):
			tests, line = true, l
		case strings.HasPrefix(l, "Test Suites:"):
			var p, k int
			if jestCounts(l[12:], &p, &badSuites, &k) {
				suites = true
				if badSuites > 0 {
					t.mark(redSome, l)
				}
			}
		case strings.HasPrefix(l, "FAIL ") && jsFile(before(strings.TrimSpace(l[5:]), " (")):
			t.mark(redSome, l)
		case strings.HasPrefix(s, "● Test suite failed to run"):
			broken = true
			t.mark(redSome, s)
		case strings.HasPrefix(l, "No tests found"), strings.HasPrefix(l, "Pattern: ") && strings.HasSuffix(l, " - 0 matches"):
			t.none = true
		case strings.HasPrefix(l, "Jest: ") && strings.Contains(l, "coverage threshold"):
			t.mark(redFail, l)
		case strings.HasPrefix(s, "› ") && strings.Contains(s, " snapshot") && (strings.Contains(s, " written") || strings.Contains(s, " updated")):
			t.snapshots = true
		}
	}
	switch {
	case tests && suites:
		t.add(pass, fail, skip, false, line)
	case fail > 0:
		t.mark(redFail, line)
	case tests:
		t.part(pass, skip)
	}
	if t.red == redSome && (badSuites > 0 || broken || strings.HasPrefix(t.first, "FAIL ")) && fail == 0 {
		if broken || tests {
			t.red = redError
		} else {
			t.red = redFail
		}
	}
}

func jestCounts(s string, pass, fail, skip *int) bool {
	total := false
	for part := range strings.SplitSeq(s, ",") {
		n, what, ok := counted(part)
		if !ok {
			return false
		}
		switch what {
		case "passed":
			*pass += n
		case "failed":
			*fail += n
		case "skipped", "todo", "pending":
			*skip += n
		default: // "3 total", and "0 of 3 total" when some did not run
			total = total || strings.HasSuffix(what, "total")
		}
	}
	return total
}

// readVitest reads "Test Files  1 passed (1)" and "Tests  2 passed (2)".
func readVitest(t *tally, lines []string) {
	var pass, fail, skip int
	var tests, files, badFiles bool
	line := ""
	for _, l := range lines {
		s := strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(s, "Test Files  "):
			var p, f, k int
			if vitestCounts(s[11:], &p, &f, &k) {
				files = true
				if f > 0 {
					badFiles = true
					t.mark(redSome, s)
				}
			}
		case strings.HasPrefix(s, "Tests  ") && strings.TrimSpace(s[6:]) == "no tests":
			tests = true
		case strings.HasPrefix(s, "Tests  ") && vitestCounts(s[6:], &pass, &fail, &skip):
			tests, line = true, s
		case strings.HasPrefix(s, "Errors  "), strings.HasPrefix(s, "Type Errors  "):
			if _, rest, _ := strings.Cut(s, "Errors"); strings.TrimSpace(rest) != "no errors" {
				t.mark(redFail, s)
			}
		case strings.HasPrefix(s, "No test files found"):
			t.none = true
		case strings.HasPrefix(s, "FAIL  "):
			t.mark(redSome, s)
		case strings.HasPrefix(s, "⎯") && strings.Contains(s, " Unhandled "), strings.HasPrefix(s, "ERROR: Coverage for "):
			t.mark(redFail, s)
		case strings.HasPrefix(s, "⎯") && strings.Contains(s, " Failed Suites "):
			t.mark(redSome, s)
		case strings.HasPrefix(s, "Snapshots  ") && (strings.Contains(s, " written") || strings.Contains(s, " updated")):
			t.snapshots = true
		}
	}
	switch {
	case tests && files:
		t.add(pass, fail, skip, false, line)
		if pass+fail+skip == 0 {
			t.none = true
		}
	case fail > 0:
		t.mark(redFail, line)
	case tests:
		t.part(pass, skip)
	}
	if t.red == redSome && (badFiles || strings.HasPrefix(t.first, "FAIL  ") || strings.HasPrefix(t.first, "⎯")) {
		if fail == 0 && tests {
			t.red = redError
		} else {
			t.red = redFail
		}
	}
}

func vitestCounts(s string, pass, fail, skip *int) bool {
	s = strings.TrimSpace(s)
	i := strings.LastIndex(s, " (")
	if i < 0 {
		return false
	}
	for part := range strings.SplitSeq(s[:i], "|") {
		n, what, ok := counted(part)
		if !ok {
			return false
		}
		switch what {
		case "passed":
			*pass += n
		case "failed":
			*fail += n
		case "skipped", "todo":
			*skip += n
		}
	}
	return true
}

// readMocha reads "2 passing (4ms)", "1 pending" and "1 failing".
func readMocha(t *tally, lines []string) {
	var pass, fail, skip int
	seen := false
	line := ""
	for _, l := range lines {
		n, what, ok := counted(l)
		if !ok || l[0] != ' ' {
			if strings.HasPrefix(l, "Error: No test files found") {
				t.none = true
			}
			continue
		}
		verb, time, _ := strings.Cut(what, " ")
		switch {
		case verb == "passing" && seconds(time):
			pass += n
			seen = true
		case what == "failing":
			fail += n
			line = l
			t.mark(redFail, l)
		case what == "pending":
			skip += n
		}
	}
	if seen {
		t.add(pass, fail, skip, false, line)
	}
}

// readAva reads "2 tests passed"; a red run does not print it.
func readAva(t *tally, lines []string) {
	var pass, fail, skip, errs int
	seen := false
	for _, l := range lines {
		s := strings.TrimSpace(l)
		if rest, ok := strings.CutPrefix(s, "✘ "); ok && (strings.HasPrefix(rest, "Couldn’t find any ") || strings.HasPrefix(rest, "Couldn't find any ") || strings.HasPrefix(rest, "No tests found in ")) {
			t.none = true
			continue
		}
		n, what, ok := counted(s)
		if !ok || len(l) == len(s) {
			continue
		}
		switch what {
		case "test passed", "tests passed":
			pass += n
			seen = true
		case "test failed", "tests failed":
			fail += n
			t.mark(redFail, s)
		case "test skipped", "tests skipped", "test todo", "tests todo", "known failure", "known failures":
			skip += n
			seen = true
		case "uncaught exception", "uncaught exceptions", "unhandled rejection", "unhandled rejections":
			errs += n
			t.mark(redError, s)
		}
	}
	if seen || fail > 0 {
		t.add(pass, fail, skip, true, "")
	}
}

// readBun reads " 2 pass", " 0 fail" and "Ran 2 tests across 1 file.".
func readBun(t *tally, lines []string) {
	var pass, fail, skip, errs int
	var seenPass, seenFail, ran bool
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, "Ran ") && strings.Contains(l, " across "):
			if _, what, ok := counted(l[4:]); ok && strings.HasPrefix(what, "test") {
				ran = true
			}
			continue
		case strings.HasPrefix(l, "(fail) "):
			t.mark(redFail, l)
			continue
		case strings.HasPrefix(l, "No tests found!"), strings.HasPrefix(l, "error: regex ") && strings.Contains(l, " matched 0 tests"):
			t.none = true
			continue
		case strings.HasPrefix(l, "# Unhandled error between tests"):
			t.mark(redError, l)
			continue
		}
		n, what, ok := counted(l)
		if !ok || l[0] != ' ' {
			continue
		}
		switch what {
		case "pass":
			pass += n
			seenPass = true
		case "fail":
			fail += n
			seenFail = true
		case "skip", "todo":
			skip += n
		case "error", "errors":
			errs += n
		}
	}
	if !seenPass || !seenFail {
		return
	}
	switch {
	case errs > 0 && fail <= errs:
		t.mark(redError, "errors between tests")
	case ran:
		t.add(pass, fail, skip, false, "")
	case fail > 0:
		t.mark(redFail, "fail")
	}
}

// readDeno reads "ok | 2 passed | 0 failed (10ms)".
func readDeno(t *tally, lines []string) {
	for _, l := range lines {
		verdict, rest, ok := strings.Cut(l, " | ")
		if ok && (verdict == "ok" || verdict == "FAILED") && strings.Contains(rest, " passed") {
			var pass, fail, skip int
			if i := strings.LastIndex(rest, " ("); i > 0 {
				rest = rest[:i]
			}
			for part := range strings.SplitSeq(rest, "|") {
				n, what, _ := counted(part)
				switch what = before(what, " ("); what {
				case "passed":
					pass = n
				case "failed":
					fail = n
				case "ignored":
					skip = n
				case "filtered out":
					t.filtered = t.filtered || n > 0
				}
			}
			if verdict == "FAILED" {
				fail = max(fail, 1)
			}
			t.add(pass, fail, skip, true, l)
			continue
		}
		switch {
		case strings.HasPrefix(l, "error: No test modules found"):
			t.none = true
		case strings.HasPrefix(l, "error: Test failed"):
			t.mark(redFail, l)
		case strings.HasPrefix(l, "error: Type checking failed"), strings.HasPrefix(l, "error: Module not found"), strings.HasPrefix(l, "error: Uncaught"),
			strings.HasPrefix(l, "error: The module's source code could not be parsed"):
			t.mark(redError, l)
		}
	}
}

// readPlaywright reads "Running 3 tests using 1 worker" and, at the end,
// "1 failed", "2 passed (3.1s)" in lines of their own.
func readPlaywright(t *tally, lines []string) {
	running, half, halfBad, bad := -1, 0, 0, ""
	var pass, fail, skip int
	for _, l := range lines {
		if rest, ok := strings.CutPrefix(l, "Running "); ok {
			if n, what, ok := counted(rest); ok && strings.HasPrefix(what, "test") && strings.Contains(what, " using ") {
				running = max(running, 0) + n
			}
			continue
		}
		if strings.HasPrefix(l, "Error: No tests found") {
			t.none = true
		}
		n, what, ok := counted(l)
		if !ok || l[0] != ' ' {
			continue
		}
		what, took, timed := strings.Cut(what, " (")
		if running < 0 { // its head is cut off
			switch {
			case what == "passed" && timed && seconds(took):
				half += n
			case what == "failed" && !timed:
				halfBad, bad = halfBad+n, l
			}
			continue
		}
		switch what {
		case "passed", "flaky":
			pass += n
		case "failed", "interrupted":
			fail += n
			t.mark(redFail, l)
		case "skipped", "did not run":
			skip += n
		}
	}
	if running >= 0 && pass+fail+skip >= running && running > 0 {
		t.add(pass, fail, skip, false, "")
	}
	switch {
	case running >= 0 || half == 0:
	case halfBad > 0:
		t.mark(redFail, bad)
	default:
		t.part(half, 0)
	}
}
