package testrun

import "strings"

// readPytest reads pytest's last line, "2 failed, 3 passed in 0.12s", with or
// without its frame of "=".
func readPytest(t *tally, lines []string) {
	collection, broken := false, false
	dots, end, bad := 0, false, false
	for _, l := range lines {
		if n, last, ok := pytestProgress(l); ok {
			dots += n
			end = end || last
			bad = bad || n < 0
			continue
		}
		s := strings.Trim(l, "= ")
		if i := strings.LastIndex(s, " in "); i > 0 && pytestTime(s[i+4:]) {
			if ok, green := pytestCounts(t, s[:i], l); ok {
				t.closed = green
				continue
			}
		}
		if strings.HasPrefix(l, "!!") {
			note := strings.Trim(l, "! ")
			switch {
			case strings.Contains(note, "KeyboardInterrupt"):
				t.stopped = true
			case strings.Contains(note, "during collection"):
				collection = true
				t.mark(redError, l)
			case strings.Contains(note, "xdist.dsession.Interrupted") && !strings.Contains(note, "failures"), strings.Contains(note, "outcomes.Exit"):
				t.stopped = true
			}
			continue
		}
		f := strings.Fields(l)
		if len(f) < 2 {
			continue
		}
		switch {
		case f[0] == "FAILED" && strings.Contains(f[1], "::"), strings.Contains(f[0], "::") && f[1] == "FAILED":
			t.mark(redFail, l)
		case strings.Contains(f[0], "::") && f[1] == "ERROR", f[0] == "ERROR" && strings.Contains(f[1], "::"):
			t.mark(redFail, l)
		case f[0] == "ERROR" && (strings.HasSuffix(f[1], ".py") || f[1] == "collecting"), strings.Contains(l, " ERROR collecting "):
			collection = true
			t.mark(redError, l)
		case strings.HasPrefix(l, "ERROR: "), strings.HasPrefix(l, "INTERNALERROR>"), strings.HasPrefix(l, "ImportError while loading conftest"),
			strings.Contains(l, ": No module named pytest"):
			if strings.Contains(l, "overage failure") || strings.Contains(l, "fail-under") {
				t.mark(redFail, l)
			} else {
				broken = true
				t.mark(redError, l)
			}
		case strings.HasPrefix(l, "FAIL Required test coverage of "):
			t.mark(redFail, l)
		case f[0] == "collected" && f[1] == "0" && len(f) == 3:
			t.none = true
		}
	}
	if end && dots > 0 && !t.sum && !bad { // -qq prints no more than its progress
		t.pass = dots
		t.sum, t.partial = true, true
	}
	if end && dots == 0 && !t.sum && !bad {
		t.none, t.partial = true, true
	}
	if (collection || broken) && t.fail == 0 && t.pass == 0 && t.red != notRed {
		t.red = redError
	}
}

// pytestProgress counts the passed tests of a line of progress, "test_a.py ..s
// [100%]"; -1 if one failed.
func pytestProgress(l string) (passed int, last, ok bool) {
	head, percent, ok := strings.Cut(l, "[")
	if !ok || !strings.HasSuffix(percent, "%]") {
		return 0, false, false
	}
	f := strings.Fields(head)
	if len(f) == 2 && strings.HasSuffix(f[0], ".py") {
		f = f[1:]
	}
	if len(f) != 1 || strings.Trim(f[0], ".sxXFEpPR") != "" {
		return 0, false, false
	}
	if strings.ContainsAny(f[0], "FE") {
		return -1, percent == "100%]", true
	}
	return strings.Count(f[0], "."), percent == "100%]", true
}

func pytestTime(s string) bool {
	s, _, _ = strings.Cut(s, " (")
	return seconds(s) && strings.Contains(s, ".")
}

// pytestCounts reads the part before the time; ok is false when it is none, green
// says that tests passed and none failed.
func pytestCounts(t *tally, s, line string) (ok, green bool) {
	var pass, fail, errs, skip int
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		if part == "no tests ran" || part == "no tests collected" || strings.HasPrefix(part, "no tests collected (") {
			t.none = true
			continue
		}
		n, what, ok := counted(part)
		switch {
		case ok:
		case strings.Contains(part, " tests collected"): // 1/3 tests collected (2 deselected)
			t.none = true
			continue
		default:
			return false, false
		}
		switch what {
		case "passed":
			pass += n
		case "failed":
			fail += n
		case "error", "errors":
			errs += n
		case "skipped", "xfailed", "xpassed":
			skip += n
		case "deselected":
			t.filtered = t.filtered || n > 0
		case "warning", "warnings", "rerun", "subtests passed":
		case "test collected", "tests collected":
			t.none = true
		case "subtests failed":
			fail += n
		default:
			if !strings.HasPrefix(what, "tests collected") && !strings.HasPrefix(what, "test collected") {
				return false, false
			}
			t.none = true
		}
	}
	if errs > 0 {
		if pass+fail == 0 {
			t.mark(redError, line)
		} else {
			t.mark(redFail, line)
		}
	}
	t.add(pass, fail, skip, true, line)
	return true, pass > 0 && fail+errs == 0
}

// readUnittest reads "Ran 3 tests in 0.1s" and the verdict below it, as
// unittest, Django, nose2 and trial print them.
func readUnittest(t *tally, lines []string) {
	imports := false
	for i, l := range lines {
		switch {
		case strings.Contains(l, "unittest.loader._FailedTest"), strings.HasPrefix(l, "ImportError: Failed to import test module"):
			imports = true
		case (strings.HasPrefix(l, "FAIL: ") || strings.HasPrefix(l, "ERROR: ")) && strings.HasSuffix(l, ")") && strings.Contains(l, " ("):
			t.mark(redFail, l)
		}
		rest, ok := strings.CutPrefix(l, "Ran ")
		if !ok {
			continue
		}
		n, what, ok := counted(rest)
		if !ok || !strings.HasPrefix(what, "test in ") && !strings.HasPrefix(what, "tests in ") && what != "test." && what != "tests." { // the last two are shUnit2's
			continue
		}
		for _, v := range lines[i+1 : min(i+4, len(lines))] {
			if v == "" {
				continue
			}
			unittestVerdict(t, n, v)
			break
		}
	}
	if imports && t.red != notRed {
		t.red = redError
	}
}

func unittestVerdict(t *tally, ran int, v string) {
	verdict, detail, _ := strings.Cut(v, " (")
	var skip, fail int
	for part := range strings.SplitSeq(strings.TrimSuffix(detail, ")"), ",") {
		what, num, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, ok := whole(num)
		if !ok {
			continue
		}
		switch what {
		case "skipped", "skips", "expected failures", "expectedFailures", "todos":
			skip += n
		case "failures", "errors", "unexpected successes", "unexpectedSuccesses":
			fail += n
		}
	}
	switch verdict {
	case "OK", "PASSED":
		t.add(ran-skip, 0, skip, false, v)
		t.none = t.none || ran == 0
	case "NO TESTS RAN":
		t.none = true
		t.add(0, 0, skip, false, v)
	case "FAILED":
		t.add(ran-skip-fail, max(fail, 1), skip, false, v)
	}
}
