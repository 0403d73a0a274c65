package testrun

import "strings"

// readNative reads what test programs print themselves: uvu's, and those of C and C++: GoogleTest ("[  PASSED  ] 2
// tests."), Catch2 ("All tests passed (3 assertions in 2 test cases)", "test
// cases: 2 | 1 passed | 1 failed"), doctest, which puts its name before the same,
// Criterion ("[====] Synthesis: Tested: 2 | Passing: 2 | Failing: 0 | Crashing: 0")
// and Check ("100%: Checks: 2, Failures: 0, Errors: 0").
func readNative(t *tally, lines []string) {
	for i, l := range lines {
		s := strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(l, "  Total: ") && i+2 < len(lines): // uvu: Total, Passed, Skipped
			_, total, ok := labelled(s)
			passed, n, okPass := labelled(lines[i+1])
			skipped, skip, okSkip := labelled(lines[i+2])
			if ok && okPass && okSkip && passed == "Passed" && skipped == "Skipped" {
				t.add(n, total-n, skip, false, s)
			}
		case strings.HasPrefix(s, "[  PASSED  ] "):
			if n, what, ok := counted(s[len("[  PASSED  ] "):]); ok && (what == "tests." || what == "test.") {
				t.add(n, 0, 0, false, s)
			}
		case strings.HasPrefix(s, "[  SKIPPED ] "):
			if n, what, ok := counted(s[len("[  SKIPPED ] "):]); ok && strings.HasSuffix(what, ", listed below:") {
				t.skip += n
			}
		case strings.HasPrefix(s, "[  FAILED  ] "):
			if n, what, ok := counted(s[len("[  FAILED  ] "):]); ok && strings.HasSuffix(what, ", listed below:") {
				t.fail += n
			}
			t.mark(redFail, s)
		case strings.HasPrefix(s, "All tests passed ("):
			_, cases, _ := strings.Cut(strings.TrimSuffix(s, ")"), " in ")
			if n, what, ok := counted(cases); ok && strings.HasPrefix(what, "test case") {
				t.add(n, 0, 0, true, s)
			}
		case s == "No tests ran" || s == "No test cases matched":
			t.none = true
		case strings.HasPrefix(s, "test cases:"), strings.HasPrefix(s, "[doctest] test cases:"):
			_, counts, _ := strings.Cut(s, ":")
			pass, fail, skip := listed(counts, "|")
			t.add(pass, fail, skip, true, s)
		case strings.HasPrefix(s, "[====] Synthesis: Tested: "):
			var pass, fail int
			for part := range strings.SplitSeq(s[len("[====] Synthesis: "):], "|") {
				switch what, n, _ := labelled(part); what {
				case "Passing":
					pass = n
				case "Failing", "Crashing":
					fail += n
				}
			}
			t.add(pass, fail, 0, true, s)
		case strings.Contains(s, "%: Checks: "):
			_, counts, _ := strings.Cut(s, "%: ")
			var n, bad int
			for part := range strings.SplitSeq(counts, ",") {
				switch what, k, _ := labelled(part); what {
				case "Checks":
					n = k
				case "Failures", "Errors":
					bad += k
				}
			}
			t.add(n-bad, bad, 0, true, s)
		}
	}
}

// listed reads "3 passed, 1 failed, 2 skipped", parted by sep.
func listed(counts, sep string) (pass, fail, skip int) {
	for part := range strings.SplitSeq(counts, sep) {
		switch n, what, _ := counted(part); what {
		case "passed":
			pass = n
		case "failed":
			fail = n
		case "skipped":
			skip = n
		}
	}
	return pass, fail, skip
}
