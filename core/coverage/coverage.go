// Package coverage reads the coverage reports of other tools, finds the files
// that they speak of in a repository, and judges a change by them: how many of
// its lines were run, and whether a package has less coverage than it had.
//
// It decides from reports that exist; it runs no test. What it cannot judge is
// never a pass: a report that is older than the sources, a changed file that
// no report knows, a report that cannot be read.
//
// It imports core/vcs and core/fsx, nothing else of ours, and links
// encoding/xml: whatever the small hook process links must not import it, but
// take it as a function.
package coverage

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Format is the file format of a report.
type Format int

// Formats.
const (
	FormatUnknown   Format = iota
	GoCover                // go test -coverprofile
	LCOV                   // lcov, geninfo, c8, istanbul, coverage.py, cargo llvm-cov …
	Cobertura              // XML
	Clover                 // XML of OpenClover, PHPUnit, istanbul
	JaCoCo                 // XML
	CoveragePy             // JSON of coverage.py
	SimpleCov              // .resultset.json
	Istanbul               // coverage-final.json
	IstanbulSummary        // coverage-summary.json: totals only, no lines
)

// String returns the format's name.
func (f Format) String() string {
	switch f {
	case GoCover:
		return "go"
	case LCOV:
		return "lcov"
	case Cobertura:
		return "cobertura"
	case Clover:
		return "clover"
	case JaCoCo:
		return "jacoco"
	case CoveragePy:
		return "coverage.py"
	case SimpleCov:
		return "simplecov"
	case Istanbul:
		return "istanbul"
	case IstanbulSummary:
		return "istanbul-summary"
	case FormatUnknown:
	}
	return "unknown"
}

// Count is a number of lines, or of statements in a Go profile.
type Count struct{ Covered, Total int }

// Pct is the share that is covered, in percent with two decimals, 100 of
// nothing.
func (c Count) Pct() float64 {
	if c.Total == 0 {
		return 100
	}
	return math.Round(float64(c.Covered)*1e4/float64(c.Total)) / 100
}

// Below reports whether less than min percent are covered, of the unrounded
// share. Nothing is below nothing.
func (c Count) Below(min float64) bool { return float64(c.Covered)*100 < min*float64(c.Total) }

func (c Count) plus(d Count) Count { return Count{c.Covered + d.Covered, c.Total + d.Total} }

// Report is a coverage report as its tool wrote it.
type Report struct {
	Format  Format
	Name    string    // its file, for messages
	Made    time.Time // when it was made: a time inside it, else its file's
	Grain   time.Duration
	Sources []string // folders that the names in it may count from
	Files   []File

	dir  string // where it lies, absolute; "" = nowhere that says anything
	base string // what its names count from, absolute; "" = not said
}

// File is one file's part of a report.
type File struct {
	Name   string    // as the report has it
	Group  string    // the module that it is under, if the report has such a level
	Made   time.Time // of this part, if it has a time of its own
	Lines  []Line    // sorted, each line once
	Blocks []Block   // of a Go profile, instead of Lines; sorted, each once
	Not    []int     // lines that the report says cannot be covered, whatever others say
	Total  Count     // of a report without lines
}

// Line is a line that can be covered, counted from 1.
type Line struct {
	N   int
	Hit bool
}

// Block is a stretch of Go source: lines and columns (in bytes) from 1, the
// end column not included.
type Block struct {
	StartLine, StartCol, EndLine, EndCol int
	Stmts                                int
	Hit                                  bool
}

// count is what the file adds to its package.
func (f *File) count() Count {
	var c Count
	for _, b := range f.Blocks {
		c.Total += b.Stmts
		if b.Hit {
			c.Covered += b.Stmts
		}
	}
	for _, l := range f.Lines {
		c.Total++
		if l.Hit {
			c.Covered++
		}
	}
	return c.plus(f.Total)
}

// last is the greatest line number that the file's part speaks of.
func (f *File) last() int {
	last := 0
	for _, b := range f.Blocks {
		last = max(last, b.EndLine)
	}
	if n := len(f.Lines); n > 0 {
		last = max(last, f.Lines[n-1].N)
	}
	return last
}

// mergeLines sorts lines and joins those of the same number: hit if one is.
func mergeLines(lines []Line) []Line {
	if !slices.IsSortedFunc(lines, func(a, b Line) int { return cmp.Compare(a.N, b.N) }) {
		slices.SortFunc(lines, func(a, b Line) int { return cmp.Compare(a.N, b.N) })
	}
	out := lines[:0]
	for _, l := range lines {
		if n := len(out); n > 0 && out[n-1].N == l.N {
			out[n-1].Hit = out[n-1].Hit || l.Hit
			continue
		}
		out = append(out, l)
	}
	return out
}

// mergeBlocks does the same for blocks: with -coverpkg each is listed once for
// every test binary, mostly as not run.
func mergeBlocks(blocks []Block) []Block {
	order := func(a, b Block) int {
		return cmp.Or(cmp.Compare(a.StartLine, b.StartLine), cmp.Compare(a.StartCol, b.StartCol), cmp.Compare(a.EndLine, b.EndLine), cmp.Compare(a.EndCol, b.EndCol))
	}
	slices.SortFunc(blocks, order)
	out := blocks[:0]
	for _, b := range blocks {
		if n := len(out); n > 0 && order(out[n-1], b) == 0 {
			out[n-1].Hit = out[n-1].Hit || b.Hit
			out[n-1].Stmts = max(out[n-1].Stmts, b.Stmts)
			continue
		}
		out = append(out, b)
	}
	return out
}

// collector gathers the parts of files that a report may list more than once.
type collector struct {
	files []File
	index map[[2]string]int
}

func (c *collector) file(group, name string) *File {
	key := [2]string{group, name}
	if i, ok := c.index[key]; ok {
		return &c.files[i]
	}
	if c.index == nil {
		c.index = make(map[[2]string]int)
	}
	c.index[key] = len(c.files)
	c.files = append(c.files, File{Name: name, Group: group})
	return &c.files[len(c.files)-1]
}

func (c *collector) done() []File {
	for i := range c.files {
		f := &c.files[i]
		f.Lines, f.Blocks = mergeLines(f.Lines), mergeBlocks(f.Blocks)
	}
	return c.files
}
