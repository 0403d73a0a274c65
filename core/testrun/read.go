package testrun

import "strings"

// A tally is what the text of a run says of its tests.
type tally struct {
	pass, fail, skip int

	// sum says that a summary was seen, whole that it speaks for its whole run
	// even where the exit code does not, and lone that it stands on one line, so
	// that a filter of lines cannot have taken its red half away.
	sum, whole, partial, lone, split bool

	ok    bool // green without a count
	none  bool // said that nothing ran
	red   hue
	first string // the first red line

	overruled bool // go said ok after each red line: a test printed them
	closed    bool // the last summary of pytest is green, whatever its tests printed above
	stopped   bool // left in mid-run by a signal
	filtered  bool // tests were left out by a filter
	snapshots bool // expectations were written
}

// hue is how red a text is.
type hue uint8

const (
	notRed  hue = iota
	redSome     // something failed, by the word of a tool that runs the runner
	redError
	redFail
)

// mark notes a red line.
func (t *tally) mark(h hue, line string) {
	if t.red == notRed || t.first == "" {
		t.first = strings.TrimSpace(line)
	}
	t.red = max(t.red, h)
}

// add notes a summary of a whole run.
func (t *tally) add(pass, fail, skip int, lone bool, line string) {
	t.pass += max(pass, 0)
	t.fail += fail
	t.skip += skip
	t.sum, t.whole = true, true
	if lone {
		t.lone = true
	} else {
		t.split = true
	}
	if fail > 0 {
		t.mark(redFail, line)
	}
}

// part notes half of a summary, whose other half would say whether each file of
// tests could be read: enough beside an exit code, nothing without one.
func (t *tally) part(pass, skip int) {
	if pass+skip == 0 {
		return
	}
	t.pass += pass
	t.skip += skip
	t.sum, t.partial, t.split = true, true, true
}

// readers are the forms of output that a run may have.
type readers uint64

const (
	readsGo readers = 1 << iota
	readsGotestsum
	readsGinkgo
	readsCargo
	readsPytest
	readsUnittest
	readsTAP // and node --test
	readsJest
	readsVitest
	readsMocha
	readsAva
	readsBun
	readsDeno
	readsPlaywright
	readsRSpec
	readsMinitest // and ExUnit, bats --pretty: "N tests, M failures"
	readsPHPUnit
	readsCTest
	readsSurefire
	readsGradle
	readsBazel
	readsScala
	readsClojure
	readsAutomake
	readsLanguages
	readsDotnet
	readsSwift
	readsCucumber
	readsSmall  // runners with one plain line
	readsNative // test programs of C and C++
	readsJSON
	readsXML

	readsAll = 1<<iota - 1
)

// readText reads lines in all the forms of want, and what tools that run
// runners say.
func readText(lines []string, want readers) tally {
	var t tally
	for _, r := range [...]struct {
		form readers
		read func(*tally, []string)
	}{
		{readsGo, readGo},
		{readsGotestsum, readGotestsum},
		{readsGinkgo, readGinkgo},
		{readsCargo, readCargo},
		{readsPytest, readPytest},
		{readsUnittest, readUnittest},
		{readsTAP, readTAP},
		{readsJest, readJest},
		{readsVitest, readVitest},
		{readsMocha, readMocha},
		{readsAva, readAva},
		{readsBun, readBun},
		{readsDeno, readDeno},
		{readsPlaywright, readPlaywright},
		{readsRSpec, readRSpec},
		{readsMinitest, readMinitest},
		{readsPHPUnit, readPHPUnit},
		{readsCTest, readCTest},
		{readsSurefire, readSurefire},
		{readsGradle, readGradle},
		{readsBazel, readBazel},
		{readsScala, readScala},
		{readsClojure, readClojure},
		{readsAutomake, readAutomake},
		{readsLanguages, readLanguages},
		{readsDotnet, readDotnet},
		{readsSwift, readSwift},
		{readsCucumber, readCucumber},
		{readsSmall, readSmall},
		{readsNative, readNative},
		{readsJSON, readJSON},
		{readsXML, readXML},
	} {
		if want&r.form != 0 {
			r.read(&t, lines)
		}
	}
	readTools(&t, lines)
	return t
}

// readTools reads what make, npm and the like say of the commands they ran.
func readTools(t *tally, lines []string) {
	for _, l := range lines {
		s := strings.TrimSpace(l)
		if s == "" {
			continue
		}
		tool, rest, _ := strings.Cut(s, ": ")
		if base, _, ok := strings.Cut(tool, "["); ok || isMake(tool) {
			if isMake(base) || isMake(tool) {
				switch {
				case strings.HasPrefix(rest, "*** No rule"), strings.HasPrefix(rest, "*** No targets"), strings.HasPrefix(rest, "*** missing"):
					t.mark(redError, s)
				case strings.HasPrefix(rest, "*** "), strings.HasPrefix(rest, "[") && strings.HasSuffix(rest, ")") && strings.Contains(rest, "] "):
					t.mark(redSome, s) // the last is an error that was ignored, in any language
				case strings.HasPrefix(rest, "Nothing to be done for "), strings.HasSuffix(rest, " is up to date."):
					t.none = true
				}
				continue
			}
		}
		switch s[0] {
		case 'n':
			switch {
			case strings.HasPrefix(s, "npm error Missing script"), strings.HasPrefix(s, "npm ERR! Missing script"), strings.HasPrefix(s, "npm ERR! missing script"):
				t.mark(redError, s)
			case strings.HasPrefix(s, "npm error "), strings.HasPrefix(s, "npm ERR! "):
				t.mark(redSome, s)
			case strings.HasPrefix(s, "ninja: build stopped"):
				t.mark(redSome, s)
			}
		case 'e':
			if strings.HasPrefix(s, "error Command failed with ") || strings.HasPrefix(s, "error: script ") && strings.Contains(s, " exited with code ") {
				t.mark(redSome, s)
			}
		case 'E':
			switch {
			case strings.HasPrefix(s, "ERR_PNPM_NO_SCRIPT"), strings.HasPrefix(s, "ERR_PNPM_RECURSIVE_RUN_NO_SCRIPT"):
				t.mark(redError, s)
			case strings.HasPrefix(s, "ERR_PNPM_"), strings.HasPrefix(s, "Error: ERR_PNPM_"):
				t.mark(redSome, s)
			}
		case 'r':
			if s == "rake aborted!" {
				t.mark(redSome, s)
			}
		case '[':
			if strings.HasPrefix(s, "[ELIFECYCLE]") || strings.HasPrefix(s, "[ERR_PNPM_") {
				t.mark(redSome, s)
			}
		default:
			if strings.Contains(s, "ELIFECYCLE") && strings.Contains(s, "ommand failed") {
				t.mark(redSome, s)
			}
		}
	}
}

func isMake(s string) bool {
	return s == "make" || s == "gmake" || s == "bmake" || s == "nmake" || s == "mingw32-make"
}
