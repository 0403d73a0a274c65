package run

import (
	"encoding/xml"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ec261362/guardrails/core/quality"
)

// positions are the ways in which tools name a place: file:line:col: text,
// file(line,col): text, and Maven's file:[line,col] text.
var positions = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:\[ERROR\]\s+|ERROR:?\s+|error:?\s+|vet: |-->\s+|at\s+)?((?:[A-Za-z]:)?[^\s:()'"\[\]](?:[^:()'"\[\]]*[^\s:()'"\[\]])?\.[A-Za-z0-9]+)(?::\[?|\()(\d+)(?:[,:](\d+))?(?:\]|\))?:?\s*(.*)$`)
})

// read finds what a text says about places in the project.
func (w *Worker) read(pl *place, p *pkg, step quality.Step, tool, text string) []quality.Finding {
	var out []quality.Finding
	seen := map[string]bool{}
	for line := range strings.Lines(strip(text)) {
		m := positions().FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		file := locate(pl.root, pl.abs(p.dir), m[1])
		if file == "" {
			continue
		}
		f := quality.Finding{Package: p.dir, Step: step, Tool: tool, File: file, Message: strings.TrimSpace(m[4])}
		f.Line, _ = strconv.Atoi(m[2])
		f.Col, _ = strconv.Atoi(m[3])
		if f.Message == "" {
			f.Message = tool + " failed here"
		}
		if key := f.String(); !seen[key] && len(out) < 200 {
			seen[key] = true
			out = append(out, f)
		}
	}
	return out
}

// suite is a JUnit report, as pytest, node, surefire and Gradle write it.
type suite struct {
	Suites []suite    `xml:"testsuite"`
	Cases  []testcase `xml:"testcase"`
}

type testcase struct {
	Name    string    `xml:"name,attr"`
	Class   string    `xml:"classname,attr"`
	File    string    `xml:"file,attr"`
	Line    string    `xml:"line,attr"`
	Failure []failure `xml:"failure"`
	Error   []failure `xml:"error"`
	Skipped *struct{} `xml:"skipped"`
}

type failure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func (s *suite) all() []testcase {
	out := slices.Clone(s.Cases)
	for i := range s.Suites {
		out = append(out, s.Suites[i].all()...)
	}
	return out
}

// junit reads a report. ok is false if there is none that can be read.
func (w *Worker) junit(pl *place, p *pkg, tool, file string) (tests int, found []quality.Finding, ok bool) {
	data, err := os.ReadFile(file)
	if err != nil || len(data) > 64<<20 {
		return 0, nil, false
	}
	var s suite
	if xml.Unmarshal(data, &s) != nil {
		return 0, nil, false
	}
	for _, c := range s.all() {
		bad := append(slices.Clone(c.Failure), c.Error...)
		if len(bad) == 0 {
			if c.Skipped == nil {
				tests++
			}
			continue
		}
		name := c.Name
		if c.Class != "" && c.Class != "test" && !strings.HasPrefix(c.Name, c.Class) {
			name = c.Class + "." + c.Name
		}
		text := bad[0].Text
		f := quality.Finding{Package: p.dir, Step: quality.Test, Tool: tool, Test: name, Message: message(bad[0])}
		f.File, f.Line = w.blame(pl, p, c, text)
		found = append(found, f)
	}
	return tests, found, true
}

// message is the first line of a failure that says what is wrong.
func message(b failure) string {
	if b.Message == "collection failure" { // pytest: the reason is in the text
		last := ""
		for line := range strings.Lines(strip(b.Text)) {
			if rest, ok := strings.CutPrefix(line, "E "); ok && strings.TrimSpace(rest) != "" {
				last = strings.TrimSpace(rest)
			}
		}
		if last != "" {
			return clip(last)
		}
	}
	if want, got := labelled(b.Text, "Expected:"), labelled(b.Text, "Received:"); want != "" && got != "" { // jest: the first line names the matcher
		return clip("expected " + want + ", received " + got)
	}
	for line := range strings.Lines(strip(b.Message)) {
		if line = strings.TrimSpace(line); line != "" {
			return clip(line)
		}
	}
	for line := range strings.Lines(strip(b.Text)) {
		if line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "E ")); line != "" {
			return clip(line)
		}
	}
	if b.Type != "" {
		return b.Type
	}
	return "failed"
}

// labelled is what follows a label at the start of a line.
func labelled(text, label string) string {
	for line := range strings.Lines(strip(text)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), label); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// clip shortens what a tool says to what is worth reading.
func clip(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// blame finds the line of the project where a test failed: the last place that
// its text names, else where the test is.
func (w *Worker) blame(pl *place, p *pkg, c testcase, text string) (string, int) {
	file, line := "", 0
	for _, f := range w.read(pl, p, quality.Test, "", unframe(text)) {
		file, line = f.File, f.Line
		if c.File == "" || strings.HasSuffix(f.File, filepath.ToSlash(c.File)) {
			break
		}
	}
	if file == "" && c.File != "" {
		file = locate(pl.root, pl.abs(p.dir), c.File)
		if n, err := strconv.Atoi(c.Line); err == nil && file != "" {
			line = n
		}
	}
	return file, line
}

// frames are the ways in which stack traces name a place.
var frames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\(((?:file://)?[^()"]+\.[A-Za-z]+):|File "([^"]+)", line |at ((?:file://)?[^\s()"]+\.[A-Za-z]+):)(\d+)`)
})

// unescaped is the file that a stack trace names, as a path or as an address.
func unescaped(name string) string {
	rest, ok := strings.CutPrefix(name, "file://")
	if !ok {
		return name
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		return plain
	}
	return rest
}

// unframe puts the places of a stack trace on lines of their own.
func unframe(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strip(text)) {
		if m := frames().FindStringSubmatch(line); m != nil {
			b.WriteString(unescaped(m[1]+m[2]+m[3]) + ":" + m[4] + ": \n")
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}
