package testrun

import "strings"

// readScala reads sbt and mill ("[info] Passed: Total 3, Failed 0, Errors 0,
// Passed 3") and ScalaTest, which sbt sums up below its own lines ("Tests:
// succeeded 3, failed 0, canceled 0, ignored 0, pending 0").
func readScala(t *tally, lines []string) {
	var own, theirs tally
	for _, l := range lines {
		s := strings.TrimSpace(l)
		for _, level := range [...]string{"[info]", "[error]", "[warn]", "[success]"} {
			s = strings.TrimSpace(strings.TrimPrefix(s, level))
		}
		switch {
		case (strings.HasPrefix(s, "Passed: Total ") || strings.HasPrefix(s, "Failed: Total ") || strings.HasPrefix(s, "Error: Total ")) && strings.Contains(s, ", Failed "):
			_, counts, _ := strings.Cut(s, ": ")
			c := namedCounts(counts)
			own.add(c["Passed"], c["Failed"]+c["Errors"], c["Ignored"]+c["Skipped"]+c["Canceled"]+c["Pending"], true, s)
		case strings.HasPrefix(s, "Tests: succeeded "):
			c := namedCounts(strings.TrimPrefix(s, "Tests: "))
			theirs.add(c["succeeded"], c["failed"], c["canceled"]+c["ignored"]+c["pending"], true, s)
		case strings.HasPrefix(s, "*** ") && strings.Contains(s, " TEST") && strings.Contains(s, " FAILED ***"):
			t.mark(redFail, s)
		case strings.HasPrefix(s, "No tests were executed"), strings.HasPrefix(s, "No tests to run for "):
			t.none = true
		case strings.Contains(s, "Tests unsuccessful"), strings.HasSuffix(s, "Compilation failed"):
			t.mark(redSome, s)
		}
	}
	from := own // what sbt counts, ScalaTest counted before
	if !own.sum {
		from = theirs
	}
	if from.sum {
		t.add(from.pass, from.fail, from.skip, true, from.first)
	}
}

// namedCounts reads "Total 3, Failed 0".
func namedCounts(s string) map[string]int {
	out := map[string]int{}
	for part := range strings.SplitSeq(s, ",") {
		name, v, _ := strings.Cut(strings.TrimSpace(part), " ")
		if n, ok := whole(strings.TrimSpace(v)); ok {
			out[name] = n
		}
	}
	return out
}

// readClojure reads clojure.test, which says tests on one line and failures on the
// next, and kaocha, which says both on one.
func readClojure(t *tally, lines []string) {
	ran := -1
	for _, l := range lines {
		s := strings.TrimSuffix(strings.TrimSpace(l), ".")
		if rest, ok := strings.CutPrefix(s, "Ran "); ok && strings.Contains(rest, " assertions") {
			ran, _, _ = number(rest)
			continue
		}
		var tests, bad, skip int
		kaocha, failures := false, false
		for part := range strings.SplitSeq(s, ",") {
			n, what, ok := counted(part)
			switch {
			case !ok:
				failures = false
			case what == "failures" || what == "failure":
				bad, failures = bad+n, true
			case what == "errors" || what == "error":
				bad += n
			case what == "tests" || what == "test":
				tests = n
			case what == "assertions" || what == "assertion":
				kaocha = true
			case what == "pending":
				skip = n
			default: // "1 omissions", "1 skips": another runner's, which may not count them as left out
				ok = false
			}
			if !ok {
				kaocha, failures = false, false
				break
			}
		}
		switch {
		case failures && kaocha:
			t.add(tests-bad-skip, bad, skip, true, s)
			t.none = t.none || tests == 0
		case failures && ran >= 0:
			t.add(max(ran-bad, 0), bad, 0, false, s)
			t.none = t.none || ran == 0
			ran = -1
		}
	}
}

// readAutomake reads the summary of Automake's test driver ("# TOTAL: 2" and the
// lines below it).
func readAutomake(t *tally, lines []string) {
	total := -1
	c := map[string]int{}
	for _, l := range lines {
		s, ok := strings.CutPrefix(l, "# ")
		if !ok {
			continue
		}
		what, n, ok := labelled(s)
		if !ok {
			continue
		}
		switch what {
		case "TOTAL":
			total = max(total, 0) + n
		case "PASS", "SKIP", "XFAIL", "FAIL", "XPASS", "ERROR":
			if total >= 0 {
				c[what] += n
			}
		}
	}
	if total < 0 {
		return
	}
	t.add(c["PASS"]+c["XFAIL"], c["FAIL"]+c["XPASS"]+c["ERROR"], c["SKIP"], false, "# FAIL")
	t.none = t.none || total == 0
}

// readLanguages reads runners of one line each: cabal, testthat, Julia, Pester,
// Buck, web-test-runner, WebdriverIO, elm-test, gleam.
func readLanguages(t *tally, lines []string) {
	for i, l := range lines {
		s := strings.TrimSpace(l)
		switch {
		case strings.Contains(s, " test suites (") && strings.Contains(s, " test cases) "): // 1 of 1 test suites (3 of 3 test cases) passed.
			_, cases, _ := strings.Cut(s, " test suites (")
			pass, of, _ := number(cases)
			_, of, _ = strings.Cut(of, " of ")
			all, _, _ := number(of)
			t.add(pass, all-pass, 0, true, s)
		case strings.HasPrefix(s, "[ FAIL ") && strings.HasSuffix(s, " ]"): // testthat
			var n [3]int
			for part := range strings.SplitSeq(strings.Trim(s, "[ ]"), " | ") {
				what, v, _ := strings.Cut(part, " ")
				k, ok := whole(v)
				switch {
				case !ok:
				case what == "PASS":
					n[0] = k
				case what == "FAIL":
					n[1] = k
				case what == "SKIP":
					n[2] = k
				}
			}
			if i+1 < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i+1]), "[ FAIL ") {
				continue // it counts as it goes
			}
			t.add(n[0], n[1], n[2], true, s)
		case strings.HasPrefix(s, "Test Summary:") && strings.Contains(s, "|"): // Julia: a head, and a line below it
			if i+1 < len(lines) {
				juliaCounts(t, s, lines[i+1])
			}
		case strings.HasPrefix(s, "Tests Passed: "): // Pester
			var pass, fail, skip int
			for part := range strings.SplitSeq(s, ",") {
				part, _, _ = strings.Cut(strings.TrimSpace(part), " NotRun")
				switch what, n, _ := labelled(part); what {
				case "Tests Passed":
					pass = n
				case "Failed":
					fail = n
				case "Skipped", "Inconclusive":
					skip += n
				}
			}
			t.add(pass, fail, skip, true, s)
		case strings.HasPrefix(s, "Tests finished: Pass "): // Buck
			c := map[string]int{}
			for part := range strings.SplitSeq(strings.TrimPrefix(s, "Tests finished: "), ". ") {
				if j := strings.LastIndexByte(part, ' '); j > 0 {
					if n, ok := whole(part[j+1:]); ok {
						c[part[:j]] = n
					}
				}
			}
			if c["Build failure"] > 0 {
				t.mark(redError, s)
			}
			t.add(c["Pass"], c["Fail"]+c["Fatal"], c["Skip"], true, s)
		case strings.Contains(s, " test files | ") && strings.Contains(s, " passed"): // web-test-runner
			_, counts, _ := strings.Cut(s, " test files | ")
			pass, fail, skip := listed(counts, ",")
			t.add(pass, fail, skip, true, s)
		case strings.HasPrefix(s, "Spec Files:") && strings.Contains(s, " total"): // WebdriverIO counts files
			pass, fail, skip := listed(before(strings.TrimPrefix(s, "Spec Files:"), " total"), ",")
			t.add(pass, fail, skip, true, s)
		case s == "TEST RUN PASSED", s == "TEST RUN FAILED": // elm-test
			var n [2]int
			for _, below := range lines[i+1 : min(i+8, len(lines))] {
				switch what, k, _ := labelled(below); what {
				case "Passed":
					n[0] = k
				case "Failed":
					n[1] = k
				}
			}
			if s == "TEST RUN FAILED" {
				n[1] = max(n[1], 1)
			}
			t.add(n[0], n[1], 0, false, s)
		case strings.HasSuffix(s, ", no failures"): // gleam
			if n, what, ok := counted(strings.TrimSuffix(s, ", no failures")); ok && strings.HasPrefix(what, "test") || strings.HasPrefix(what, "passed") {
				t.add(n, 0, 0, true, s)
			}
		}
	}
}

// juliaCounts reads "Test Summary: | Pass  Fail  Total  Time" and the line below it.
func juliaCounts(t *tally, head, line string) {
	_, names, _ := strings.Cut(head, "|")
	_, values, ok := strings.Cut(line, "|")
	if !ok {
		return
	}
	var n [3]int
	v := strings.Fields(values)
	for i, name := range strings.Fields(names) {
		if i >= len(v) {
			break
		}
		k, ok := whole(v[i])
		switch {
		case !ok:
		case name == "Pass":
			n[0] = k
		case name == "Fail" || name == "Error":
			n[1] += k
		case name == "Broken":
			n[2] = k
		}
	}
	t.add(n[0], n[1], n[2], false, head)
}
