package coverage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shape writes a report down: a line for each file, "+" for a hit line.
func shape(r *Report) []string {
	var out []string
	for _, f := range r.Files {
		s := f.Name
		if f.Group != "" {
			s = f.Group + "!" + s
		}
		for _, l := range f.Lines {
			s += fmt.Sprintf(" %d%s", l.N, sign(l.Hit))
		}
		for _, b := range f.Blocks {
			s += fmt.Sprintf(" %d.%d-%d.%d*%d%s", b.StartLine, b.StartCol, b.EndLine, b.EndCol, b.Stmts, sign(b.Hit))
		}
		if f.Total.Total > 0 {
			s += fmt.Sprintf(" =%d/%d", f.Total.Covered, f.Total.Total)
		}
		out = append(out, s)
	}
	return out
}

func sign(hit bool) string {
	if hit {
		return "+"
	}
	return "-"
}

type reading struct {
	name   string
	text   string
	format Format
	want   []string
	made   time.Time
}

func readings() []reading {
	at := time.Unix(1700000000, 0)
	return []reading{
		{"go", "mode: set\nm/a.go:3.10,5.2 2 1\nm/a.go:7.1,7.9 1 0\nm/b.go:1.1,2.2 1 3\n", GoCover, []string{"m/a.go 3.10-5.2*2+ 7.1-7.9*1-", "m/b.go 1.1-2.2*1+"}, time.Time{}},
		{"go: each block once, hit if any test ran it", "mode: atomic\nm/a.go:3.10,5.2 2 7\nm/a.go:3.10,5.2 2 0\nmode: atomic\nm/a.go:3.10,5.2 2 0\n", GoCover, []string{"m/a.go 3.10-5.2*2+"}, time.Time{}},
		{"go: a colon in the name", "mode: count\nC:/m/a.go:3.10,5.2 2 18446744073709551615\n", GoCover, []string{"C:/m/a.go 3.10-5.2*2+"}, time.Time{}},
		{"go: nothing measured", "mode: set\n", GoCover, nil, time.Time{}},
		{"go: carriage returns", "mode: set\r\nm/a.go:1.1,2.2 1 1\r\n", GoCover, []string{"m/a.go 1.1-2.2*1+"}, time.Time{}},
		{"lcov", "TN:\nSF:src/a.js\nFN:1,f\nFNDA:1,f\nDA:5,0\nDA:2,1,abc==\nBRDA:2,0,0,-\nLF:2\nLH:1\nend_of_record\n", LCOV, []string{"src/a.js 2+ 5-"}, time.Time{}},
		{"lcov: a file under several tests", "TN:one\nSF:a.c\nDA:1,0\nDA:2,0\nend_of_record\nTN:two\nSF:a.c\nDA:1,4\nDA:3,-1\nend_of_record\n", LCOV, []string{"a.c 1+ 2- 3-"}, time.Time{}},
		{"lcov: huge and fractional counts", "# made by hand\nSF:a.c\nDA:1,99999999999999999999999\nDA:2,0.5\nDA:3,1e400\nend_of_record\n", LCOV, []string{"a.c 1+ 2+ 3+"}, time.Time{}},
		{"lcov: a file without lines", "SF:a.py\nend_of_record\n", LCOV, []string{"a.py"}, time.Time{}},
		{"cobertura", `<?xml version="1.0"?><!DOCTYPE coverage SYSTEM "x.dtd"><coverage line-rate="0.5" timestamp="1700000000"><sources><source>/p/src</source><source/></sources>
			<packages><package><classes><class filename="a.py"><methods><method><lines><line number="1" hits="9"/></lines></method></methods>
			<lines><line number="2" hits="1" branch="true" condition-coverage="50% (1/2)"/><line number="3" hits="0"/></lines></class>
			<class filename="a.py"><lines><line number="3" hits="2"/><line number="16707566" hits="1"/></lines></class>
			<class filename="m.py"><methods><method><lines><line number="4" hits="1"/></lines></method></methods></class>
			<class filename="empty.py"><methods/><lines/></class></classes></package></packages></coverage>`, Cobertura, []string{"a.py 2+ 3+", "m.py 4+", "empty.py"}, at},
		{"cobertura: by its elements alone", `<coverage><packages><package><classes><class filename="a"><lines><line number="1" hits="0"/></lines></class></classes></package></packages></coverage>`, Cobertura, []string{"a 1-"}, time.Time{}},
		{
			"clover", `<coverage generated="1700000000000" clover="3.2.0"><project timestamp="1"><package name="p"><file name="a.js" path="/p/a.js"><metrics/><line num="1" count="2" type="stmt"/>
			<line num="2" count="0" type="cond"/><line num="3" count="5" type="method"/></file></package><file name="/p/b.php"><class name="B"/><line num="7" type="stmt" count="0"/></file></project></coverage>`,
			Clover,
			[]string{"/p/a.js 1+ 2-", "/p/b.php 7-"},
			at,
		},
		{"clover: a condition with a count for each way", `<coverage clover="4"><project><file name="a"><line num="1" type="cond" truecount="0" falsecount="3"/><line num="2" type="cond" truecount="0" falsecount="0"/></file></project></coverage>`, Clover, []string{"a 1+ 2-"}, time.Time{}},
		{"jacoco", `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="x"><sessioninfo id="a" start="1" dump="1600000000000"/><sessioninfo id="b" start="1" dump="1700000000000"/>
			<group name="core"><package name="com/x"><class name="com/x/A" sourcefilename="A.java"><method name="f" line="3"><counter type="LINE" missed="1" covered="0"/></method></class>
			<sourcefile name="A.java"><line nr="3" mi="2" ci="0" mb="0" cb="0"/><line nr="4" mi="1" ci="1" mb="1" cb="1"/><line nr="5" mi="0" ci="0"/></sourcefile></package></group>
			<package name=""><sourcefile name="Main.kt"><line nr="1" mi="0" ci="3"/></sourcefile></package></report>`, JaCoCo, []string{"core!com/x/A.java 3- 4+", "Main.kt 1+"}, at},
		{
			"coverage.py", `{"meta":{"version":"7","timestamp":"2023-11-14T22:13:20.250000"},"files":{"b.py":{"executed_lines":[0],"missing_lines":[],"excluded_lines":[]},"a.py":{"executed_lines":[1,2,9],"missing_lines":[4,3],"excluded_lines":[9,10]}},"totals":{}}`,
			CoveragePy,
			[]string{"a.py 1+ 2+ 3- 4-", "b.py"},
			time.Date(2023, 11, 14, 22, 13, 20, 250e6, time.Local),
		},
		{
			"simplecov", `{"RSpec":{"coverage":{"/p/a.rb":{"lines":[null,1,0,"ignored",null]}},"timestamp":1700000000},"Minitest":{"coverage":{"/p/a.rb":{"lines":[null,0,2,null,null]},"/p/old.rb":[1,null]},"timestamp":1600000000}}`,
			SimpleCov,
			[]string{"/p/a.rb 2+ 3+", "/p/old.rb 1+"},
			at,
		},
		{"simplecov's formatter", `{"meta":{"simplecov_version":"0.22","timestamp":"2023"},"coverage":{"/p/a.rb":{"lines":[1,null,0],"branches":[]}},"groups":{}}`, SimpleCov, []string{"/p/a.rb 1+ 3-"}, time.Time{}},
		{"istanbul summary", `{"total":{"lines":{"total":9,"covered":5,"skipped":0,"pct":55.55}},"/p/a.js":{"lines":{"total":9,"covered":5,"pct":55.55}},"/p/b.js":{"lines":{"total":0,"covered":0,"pct":"Unknown"}}}`, IstanbulSummary, []string{"/p/a.js =5/9", "/p/b.js"}, time.Time{}},
		{"istanbul", `{"/p/a.js":{"path":"/p/a.js","statementMap":{"0":{"start":{"line":1,"column":0},"end":{"line":2,"column":3}},"1":{"start":{"line":1},"end":{"line":1}},"2":{"start":{"line":3},"end":{"line":3}}},"s":{"0":0,"1":4,"2":0},"fnMap":{},"f":{},"b":{}}}`, Istanbul, []string{"/p/a.js 1+ 3-"}, time.Time{}},
	}
}

func TestEachFormatIsRead(t *testing.T) {
	for _, tc := range readings() {
		t.Run(tc.name, func(t *testing.T) {
			for _, bom := range []string{"", "\ufeff", "\n \n"} {
				r, err := Parse([]byte(bom + tc.text))
				if err != nil {
					t.Fatal(err)
				}
				if r.Format != tc.format || !r.Made.Equal(tc.made) {
					t.Errorf("format %s, made %s; want %s, %s", r.Format, r.Made, tc.format, tc.made)
				}
				if diff := cmp.Diff(tc.want, shape(r)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestEachRunOfSimplecovHasItsTime(t *testing.T) {
	for _, tc := range readings() {
		if tc.name != "simplecov" {
			continue
		}
		r, err := Parse([]byte(tc.text))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Files {
			if f.Made.Unix() != 1600000000 {
				t.Errorf("%s: made %s, want the oldest run that has it", f.Name, f.Made)
			}
		}
	}
}

func TestWhatIsCutOffIsAnError(t *testing.T) {
	for _, tc := range readings() {
		t.Run(tc.name, func(t *testing.T) {
			text := strings.TrimRight(tc.text, "\n")
			whole, err := Parse([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			for n := 1; n < len(text); n++ {
				r, err := Parse([]byte(text[:n]))
				if err != nil {
					continue
				}
				// A text format may be cut between two records, and no one can tell.
				if tc.format != GoCover && tc.format != LCOV || len(r.Files) > len(whole.Files) {
					t.Fatalf("cut to %q it reads as %q", text[:n], shape(r))
				}
				if last := text[strings.LastIndexByte(text[:n], '\n')+1 : n]; len(r.Files) == 0 || strings.HasPrefix(last, "TN:") {
					continue // it speaks of nothing, and what speaks of nothing lets nothing pass
				}
				if c := text[n-1]; c != '\n' && !strings.HasSuffix(text[:n], "end_of_record") && !strings.HasPrefix(text, "#") {
					t.Fatalf("cut inside a line, to %q, it reads as %q", text[:n], shape(r))
				}
			}
		})
	}
}

func TestWhatIsNoReportIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "blank": " \n", "prose": "All tests passed\n", "html": "<html><body>404</body></html>", "text": "ok  m 0.1s coverage: 50% of statements\n",
		"other XML": "<testsuites><testsuite/></testsuites>", "a report of something else": "<report><issue/></report>", "a bare root": "<coverage/>", "two roots": `<coverage clover="1"><project/></coverage><coverage/>`,
		"cobertura without packages": `<coverage line-rate="1"><sources/></coverage>`, "clover without project": `<coverage clover="1"></coverage>`,
		"a class without file": `<coverage line-rate="1"><packages><class><lines/></class></packages></coverage>`,
		"a count of letters":   `<coverage line-rate="1"><packages><class filename="a"><lines><line number="1" hits="x"/></lines></class></packages></coverage>`,
		"no count":             `<coverage line-rate="1"><packages><class filename="a"><lines><line number="1"/></lines></class></packages></coverage>`,
		"a negative line":      `<coverage line-rate="1"><packages><class filename="a"><lines><line number="-1" hits="1"/></lines></class></packages></coverage>`,
		"an entity":            `<!DOCTYPE coverage [<!ENTITY a "b">]><coverage line-rate="1"><packages>&a;</packages></coverage>`,
		"deep":                 strings.Repeat("<coverage line-rate='1'>", 200) + strings.Repeat("</coverage>", 200),
		"unknown encoding":     `<?xml version="1.0" encoding="UTF-16"?><coverage line-rate="1"><packages/></coverage>`,
		"go mode":              "mode: sometimes\n", "go block": "mode: set\nm/a.go:3.10 2 1\n", "go end before start": "mode: set\nm/a.go:5.10,3.2 2 1\n", "go line": "mode: set\nm/a.go:0.10,3.2 2 1\n",
		"go negative": "mode: set\nm/a.go:1.1,2.2 -1 1\n", "go huge line": "mode: set\nm/a.go:1.1,999999999999.2 1 1\n", "go NaN": "mode: set\nm/a.go:1.1,2.2 1 NaN\n",
		"lcov without name": "SF:\nend_of_record\n", "lcov line": "SF:a\nDA:x,1\nend_of_record\n", "lcov count": "SF:a\nDA:1\nend_of_record\n", "lcov open": "SF:a\nDA:1,1\n",
		"lcov two open": "SF:a\nSF:b\nend_of_record\n", "lcov without file": "TN:\nDA:1,1\nend_of_record\n", "lcov then a page": "TN:\n<html>\n", "lcov end alone": "TN:\nend_of_record\n",
		"json": "{", "empty json": "{}", "list": "[]", "other json": `{"name":"x","version":"1"}`, "python without files": `{"meta":{},"files":{"a.py":null}}`,
		"python line": `{"meta":{},"files":{"a.py":{"executed_lines":[-3]}}}`, "python text": `{"meta":{},"files":{"a.py":{"executed_lines":["1"]}}}`,
		"ruby word": `{"R":{"coverage":{"a.rb":{"lines":["x"]}}}}`, "ruby object": `{"R":{"coverage":{"a.rb":{"lines":[{}]}}}}`, "ruby nothing": `{"R":{"coverage":{"a.rb":{}}}}`,
		"summary without sense": `{"total":{"lines":{}},"a.js":{"lines":{"total":1,"covered":2}}}`, "summary without lines": `{"total":{"lines":{}},"a.js":{}}`,
		"istanbul without count": `{"a.js":{"statementMap":{"0":{"start":{"line":1}}},"s":{}}}`,
	} {
		if r, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s is read as %s: %q", name, r.Format, shape(r))
		}
	}
}

func TestFilesThatCannotBeReportsAreNamed(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.xml")
	if err := os.WriteFile(page, []byte("<html/>"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "none"), dir, page} {
		_, err := ReadFile(name, "")
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if name == page && !errors.Is(err, ErrFormat) {
			t.Errorf("a page: %v", err)
		}
	}
}

func TestLatin1IsRead(t *testing.T) {
	text := "<?xml version='1.0' encoding='ISO-8859-1'?><coverage line-rate='1'><packages><class filename='gr\xf6\xdfe.py'><lines><line number='1' hits='1'/></lines></class></packages></coverage>"
	r, err := Parse([]byte(text))
	if err != nil || !cmp.Equal(shape(r), []string{"größe.py 1+"}) {
		t.Errorf("%v, %v", err, r)
	}
}

// checkSound fails if a report that was read breaks what the rest relies on.
func checkSound(t *testing.T, text []byte) {
	r, err := Parse(text)
	if err != nil {
		return
	}
	if r.Format == FormatUnknown {
		t.Fatal("read without a format")
	}
	for _, f := range r.Files {
		last := -1
		for _, l := range f.Lines {
			if l.N <= last || l.N > maxLine {
				t.Fatalf("%s: line %d after %d", f.Name, l.N, last)
			}
			last = l.N
		}
		for _, b := range f.Blocks {
			if b.StartLine < 1 || b.EndLine < b.StartLine || b.Stmts < 0 {
				t.Fatalf("%s: block %+v", f.Name, b)
			}
		}
		if c := f.count(); c.Covered < 0 || c.Total < c.Covered {
			t.Fatalf("%s: %+v", f.Name, c)
		}
	}
}

func fuzz(f *testing.F, formats ...Format) {
	for _, tc := range readings() {
		for _, want := range formats {
			if tc.format == want {
				f.Add([]byte(tc.text))
			}
		}
	}
	f.Fuzz(checkSound)
}

func FuzzGo(f *testing.F)   { fuzz(f, GoCover) }
func FuzzLCOV(f *testing.F) { fuzz(f, LCOV) }
func FuzzXML(f *testing.F)  { fuzz(f, Cobertura, Clover, JaCoCo) }
func FuzzJSON(f *testing.F) { fuzz(f, CoveragePy, SimpleCov, IstanbulSummary, Istanbul) }
