package report

import (
	"strings"
	"unicode"
)

// HasSentinel reports whether the renderer's mark is in a text, whatever its
// version.
func HasSentinel(body, sentinel string) bool {
	return sentinel != "" && strings.Contains(body, sentinel)
}

// ReadsLikeE2E reports whether a text reads like a report of acceptance tests:
// a results heading, a pass/fail tally, a slash tally or two status marks; and
// a name of the product, e2e or acceptance. products are further names, in
// lower case.
func ReadsLikeE2E(body string, products ...string) bool {
	low := strings.ToLower(body)
	return names(low, products) && (heading(low) || tally(low) || slash(low) || marks(body) > 1)
}

// names reports whether a text names the product or its kind of test, as a word
// that is no part of a path.
func names(low string, products []string) bool {
	for word := range strings.FieldsFuncSeq(low, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("()[]{}<>\"'`,;:!?|*#_", r)
	}) {
		word = strings.Trim(word, ".-–—…")
		switch word {
		case "e2e", "end-to-end", "acceptance", "e2e-tests", "e2e-test", "e2e/acceptance", "acceptance/e2e", "e2es":
			return true
		}
		for _, p := range products {
			if p != "" && (word == p || strings.HasPrefix(word, p+".") || strings.HasPrefix(word, p+"-") && !strings.Contains(word, "/")) {
				return true
			}
		}
	}
	if strings.Contains(low, "end to end") {
		return true
	}
	for _, p := range products {
		if strings.Contains(p, " ") && strings.Contains(low, p) {
			return true
		}
	}
	return false
}

// heading reports whether a line is a heading over results of tests.
func heading(low string) bool {
	for line := range strings.Lines(low) {
		line = strings.TrimSpace(line)
		bare := strings.TrimLeftFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		marked := len(bare) < len(line)
		subject, rest := false, bare
		// The subject within the first words, then results.
		for _, w := range [...]string{"e2e", "end-to-end", "end to end", "acceptance", "browser test", "test"} {
			if i := strings.Index(bare, w); i >= 0 && i < 32 {
				subject = true
				rest = bare[i:]
				break
			}
		}
		if !subject {
			continue
		}
		for _, w := range [...]string{"results", "result", "report", "summary"} {
			i := strings.Index(rest, w)
			if i < 0 || i > 40 {
				continue
			}
			after := strings.TrimSpace(strings.Trim(rest[i+len(w):], "*_# \t\r\n"))
			if marked || after == "" || after[0] == ':' || strings.HasPrefix(after, "-") || strings.HasPrefix(after, "(") || strings.HasPrefix(after, "—") {
				return true
			}
		}
	}
	return false
}

// tally reports whether a text counts passes and failures: 2 passed / 1 failed,
// passed: 2, failed: 1; or lists verdicts of several cases.
func tally(low string) bool {
	pass, fail := counted(low, "pass"), counted(low, "fail")
	return pass && fail || verdicts(low) > 1
}

// counted reports whether a number stands before or after a form of word, with
// nothing but a few characters between.
func counted(low, word string) bool {
	for at := 0; ; {
		i := strings.Index(low[at:], word)
		if i < 0 {
			return false
		}
		i += at
		at = i + len(word)
		end := at
		for end < len(low) && 'a' <= low[end] && low[end] <= 'z' {
			end++
		}
		switch low[i:end] {
		case "pass", "passed", "passes", "passing", "fail", "failed", "fails", "failing", "failures", "failure":
		default:
			continue
		}
		before := strings.TrimRight(low[:i], " \t*_~")
		before = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(before, "tests"), "test"), "cases"), " ")
		if before != "" && isDigit(before[len(before)-1]) {
			return true
		}
		after := strings.TrimLeft(low[end:], " \t*_~|:=(–-")
		if after != "" && isDigit(after[0]) {
			return true
		}
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// verdicts counts the lines that end with, or hold as a cell, a verdict.
func verdicts(low string) int {
	n := 0
	for line := range strings.Lines(low) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "*") && (line == "" || !isDigit(line[0])) {
			continue
		}
		cells := strings.FieldsFunc(line, func(r rune) bool { return r == '|' || r == ':' || r == '–' || r == '—' })
		for i, cell := range cells {
			if i == 0 && len(cells) == 1 {
				break // no subject
			}
			switch strings.Trim(cell, " *_`.()✅❌⚠️\t") {
			case "pass", "passed", "fail", "failed":
				n++
			default:
				continue
			}
			break
		}
	}
	return n
}

// slash reports whether a text holds a slash tally: 2/3 passed, passed 2/3,
// 3/3 tests; or 2 of 3 passed.
func slash(low string) bool {
	for i := range len(low) {
		if low[i] != '/' || i == 0 || i+1 == len(low) || !isDigit(low[i-1]) || !isDigit(low[i+1]) {
			continue
		}
		if tallied(low, i, 1) {
			return true
		}
	}
	for at := 0; ; {
		i := strings.Index(low[at:], " of ")
		if i < 0 {
			return false
		}
		i += at
		at = i + 4
		if i > 0 && isDigit(low[i-1]) && at < len(low) && isDigit(low[at]) && tallied(low, i, 4) {
			return true
		}
	}
}

// tallied reports whether the two numbers around a separator of size n at i are
// a count of tests: no more than whole, not a part of a date or path, and with a
// word of tests close by.
func tallied(low string, i, n int) bool {
	from, to := i, i+n
	for from > 0 && isDigit(low[from-1]) {
		from--
	}
	for to < len(low) && isDigit(low[to]) {
		to++
	}
	if i-from > 4 || to-i-n > 4 || from > 0 && strings.IndexByte("/.-_#", low[from-1]) >= 0 || to < len(low) && strings.IndexByte("/-_", low[to]) >= 0 {
		return false
	}
	after := low[to:min(len(low), to+24)]
	before := low[max(0, from-24):from]
	for _, w := range [...]string{"pass", "fail", "green", "test", "case", "scenario", "check", "succeed", "success", "ok"} {
		if strings.Contains(after, w) || strings.Contains(before, w) {
			return true
		}
	}
	return false
}

// marks counts status marks.
func marks(body string) int {
	n := 0
	for _, m := range [...]string{"✅", "❌", "⚠", "✔", "✖", "❎", "🟢", "🔴", "🟡", "☑", ":white_check_mark:", ":x:", ":warning:", ":heavy_check_mark:"} {
		n += strings.Count(body, m)
	}
	return n
}
