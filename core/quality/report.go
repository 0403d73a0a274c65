package quality

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Outcome is what a run of the gate proved. The zero value is nothing.
type Outcome int

// Outcomes.
const (
	NotProven Outcome = iota // something was not finished, could not start or broke
	Passed
	Failed
)

func (o Outcome) String() string {
	switch o {
	case Passed:
		return "pass"
	case Failed:
		return "fail"
	default:
		return "not-proven"
	}
}

// Finding is one thing that is wrong.
type Finding struct {
	Package string `json:"package"` // folder, relative to the root
	Step    Step   `json:"step"`
	Tool    string `json:"tool"`
	File    string `json:"file,omitempty"` // relative to the root
	Line    int    `json:"line,omitempty"` // from 1; 0 = unknown
	Col     int    `json:"column,omitempty"`
	Rule    string `json:"rule,omitempty"` // the tool's own
	Test    string `json:"test,omitempty"` // name of a failing test
	Message string `json:"message"`
}

// String returns file:line: message, or the test's name and message.
func (f Finding) String() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(f.File)
		if f.Line > 0 {
			b.WriteString(":" + strconv.Itoa(f.Line))
		}
		b.WriteString(": ")
	}
	if f.Test != "" {
		b.WriteString(f.Test + ": ")
	}
	b.WriteString(f.Message)
	if f.Rule != "" {
		b.WriteString(" (" + f.Rule + ")")
	}
	if f.File == "" && f.Test == "" && f.Package != "" {
		return f.Package + ": " + b.String()
	}
	return b.String()
}

// StepResult is what became of one step in one package.
type StepResult struct {
	Package string  `json:"package"`
	Step    Step    `json:"step"`
	Tool    string  `json:"tool,omitempty"`
	Outcome string  `json:"outcome"` // pass, fail, skipped, not-proven
	Why     string  `json:"why,omitempty"`
	Tests   int     `json:"tests,omitempty"` // that passed
	Cached  bool    `json:"cached,omitempty"`
	Seconds float64 `json:"seconds"`
}

// PackageCoverage is the coverage of one package.
type PackageCoverage struct {
	Package string  `json:"package"`
	Covered int     `json:"covered"`
	Total   int     `json:"total"`
	Pct     float64 `json:"pct"`
	Before  float64 `json:"before"` // the baseline; below 0 = none
}

// PatchCoverage is the coverage of the changed lines.
type PatchCoverage struct {
	Covered   int     `json:"covered"`
	Coverable int     `json:"coverable"`
	Pct       float64 `json:"pct"`
}

// Report is one run of the gate.
type Report struct {
	Outcome  Outcome           `json:"-"`
	Word     string            `json:"outcome"` // of Outcome
	Why      string            `json:"why,omitempty"`
	Tree     string            `json:"tree,omitempty"` // digest of what was judged
	Packages []string          `json:"packages"`
	Steps    []StepResult      `json:"steps"`
	Findings []Finding         `json:"findings"`
	Known    []Finding         `json:"known,omitempty"` // there at the session's start, not made worse
	Flaky    []string          `json:"flaky,omitempty"` // tests that failed and then passed
	Missing  []Missing         `json:"missing,omitempty"`
	Broken   []Broken          `json:"broken,omitempty"`
	Coverage []PackageCoverage `json:"coverage,omitempty"`
	Patch    *PatchCoverage    `json:"patch"`
	Took     time.Duration     `json:"-"`
	TooLong  bool              `json:"-"` // it needs more time than it has: a run by hand has it
}

// Failing names the packages with findings.
func (r *Report) Failing() []string {
	var out []string
	for _, f := range r.Findings {
		if !slices.Contains(out, f.Package) {
			out = append(out, f.Package)
		}
	}
	return out
}

// Head says in one line what the run came to.
func (r *Report) Head() string {
	switch r.Outcome {
	case Passed:
		if len(r.Packages) == 0 {
			return "quality gate passed: no package to check"
		}
		return fmt.Sprintf("quality gate passed for %s", packages(r.Packages))
	case Failed:
		var parts []string
		for _, s := range [...]Step{Format, Lint, Build, Test, Coverage} {
			n := 0
			first := ""
			for _, f := range r.Findings {
				if f.Step != s {
					continue
				}
				if n++; n == 1 {
					if first = f.Test; first == "" {
						first = f.File
						if first != "" && f.Line > 0 {
							first += ":" + strconv.Itoa(f.Line)
						}
					}
				}
			}
			switch {
			case n == 1 && first != "":
				parts = append(parts, fmt.Sprintf("%s (%s)", s, first))
			case n > 1 && first != "":
				parts = append(parts, fmt.Sprintf("%s (%s and %d more)", s, first, n-1))
			case n > 0:
				parts = append(parts, string(s))
			}
		}
		return fmt.Sprintf("quality gate failed: %s", strings.Join(parts, ", "))
	default:
		return "quality gate not proven: " + r.Why
	}
}

// maxShown is how many findings of one step are listed.
const maxShown = 12

// Text is the shortest useful report, of at most about limit bytes: one line
// for what it came to, then the findings by step.
func (r *Report) Text(limit int) string {
	var b strings.Builder
	b.WriteString(r.Head())
	left := len(r.Findings)
	for _, s := range [...]Step{Build, Test, Lint, Coverage, Format} {
		shown := 0
		for _, f := range r.Findings {
			if f.Step != s {
				continue
			}
			line := "\n" + string(s) + ": " + trim(f.String(), 700)
			if shown == maxShown || b.Len()+len(line) > limit-40 {
				break
			}
			b.WriteString(line)
			shown++
			left--
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n… and %d more", left)
	}
	if r.Outcome == Failed && r.Why != "" {
		b.WriteString("\nnot proven besides: " + r.Why)
	}
	return b.String()
}

func trim(s string, n int) string {
	s = strings.TrimSpace(s)
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// packages is a list for people.
func packages(list []string) string {
	switch len(list) {
	case 0:
		return "no package"
	case 1:
		return list[0]
	case 2, 3:
		return strings.Join(list, ", ")
	default:
		return fmt.Sprintf("%s and %d more packages", strings.Join(list[:2], ", "), len(list)-2)
	}
}
