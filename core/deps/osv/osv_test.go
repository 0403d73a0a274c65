package osv

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/gate"
)

func answer(body string) gate.Response {
	return gate.Response{Status: 200, Header: map[string]string{"Content-Type": "application/json"}, Body: []byte(body)}
}

func record(t *testing.T, text string) *Record {
	t.Helper()
	r, err := DecodeRecord(answer(text))
	if err != nil {
		t.Fatal(err)
	}
	return &r
}

const (
	twoBranches = `{"id":"GHSA-aaaa-bbbb-cccc","aliases":["CVE-2030-1"],"database_specific":{"severity":"CRITICAL"},"affected":[{"package":{"name":"zz","ecosystem":"npm"},
		"ranges":[{"type":"GIT","events":[{"introduced":"0"}]},{"type":"SEMVER","events":[{"fixed":"1.2.6"},{"introduced":"0"}]},{"type":"SEMVER","events":[{"introduced":"2.0.0"},{"fixed":"2.0.1"}]}]}]}`
	lastOnly = `{"id":"GHSA-dddd-eeee-ffff","severity":[{"type":"CVSS_V4","score":"CVSS:4.0/AV:N"}],"affected":[{"package":{"name":"zz","ecosystem":"npm"},
		"ranges":[{"type":"SEMVER","events":[{"introduced":"1.0.0"},{"last_affected":"1.2.3"}]}]}]}`
	allVersions = `{"id":"MAL-2030-1","affected":[{"package":{"name":"zz","ecosystem":"npm"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}]}]}`
	stale       = `{"id":"MAL-2030-2","affected":[{"package":{"name":"zz","ecosystem":"npm"},"versions":["2.2.2"],"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}]}]}`
	listed      = `{"id":"MAL-2030-3","affected":[{"package":{"name":"zz","ecosystem":"npm"},"versions":["2.2.2"]}]}`
	python      = `{"id":"PYSEC-2030-1","aliases":["CVE-2030-9","GHSA-zzzz-zzzz-zzzz"],"affected":[{"package":{"name":"zz-top","ecosystem":"PyPI"},"versions":["1.0"],"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":"1.1"}]}]}]}`
	pythonHub   = `{"id":"GHSA-zzzz-zzzz-zzzz","aliases":["CVE-2030-9"],"severity":[{"type":"CVSS_V3","score":"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N"}],"affected":[{"package":{"name":"zz-top","ecosystem":"PyPI"},"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":"1.1"}]}]}]}`
	rust        = `{"id":"RUSTSEC-2030-1","affected":[{"package":{"name":"zz","ecosystem":"crates.io"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0.0.0-0"}]}],"database_specific":{"informational":"unmaintained","cvss":null}}]}`
	golang      = `{"id":"GO-2030-1","affected":[{"package":{"name":"example.com/zz","ecosystem":"Go"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"},{"fixed":"1.3.0"}]}],"ecosystem_specific":{"imports":[{"path":"example.com/zz","symbols":["F"]}]}}]}`
)

func TestARecordCoversTheVersionsOfItsRangesAndLists(t *testing.T) {
	for _, tc := range []struct {
		name, text  string
		eco         coord.Ecosystem
		pkg, v      string
		want        Reach
		fixed       string
		wantUnfixed bool
	}{
		{"below the first fix", twoBranches, coord.NPM, "zz", "1.2.0", Ranged, "1.2.6", false},
		{"at the first fix", twoBranches, coord.NPM, "zz", "1.2.6", Outside, "", false},
		{"second branch", twoBranches, coord.NPM, "zz", "2.0.0", Ranged, "2.0.1", false},
		{"between the branches", twoBranches, coord.NPM, "zz", "1.9.0", Outside, "", false},
		{"another package", twoBranches, coord.NPM, "yy", "1.2.0", Outside, "", false},
		{"another ecosystem", twoBranches, coord.PyPI, "zz", "1.2.0", Outside, "", false},
		{"last affected is affected", lastOnly, coord.NPM, "zz", "1.2.3", Ranged, "", true},
		{"after the last affected", lastOnly, coord.NPM, "zz", "1.2.4", Outside, "", false},
		{"every version", allVersions, coord.NPM, "zz", "7.0.0", Every, "", true},
		{"every version, none asked", allVersions, coord.NPM, "zz", "", Every, "", true},
		{"a list and a stale range", stale, coord.NPM, "zz", "1.0.0", Stale, "", true},
		{"named beside a stale range", stale, coord.NPM, "zz", "2.2.2", Listed, "", true},
		{"named", listed, coord.NPM, "zz", "2.2.2", Listed, "", false},
		{"not named", listed, coord.NPM, "zz", "2.2.3", Outside, "", false},
		{"another spelling", python, coord.PyPI, "ZZ_top", "1.0.0", Listed, "1.1", false},
		{"go with v", golang, coord.Go, "example.com/zz", "v1.2.0", Ranged, "1.3.0", false},
		{"go fixed", golang, coord.Go, "example.com/zz", "v1.3.0", Outside, "", false},
	} {
		r := record(t, tc.text)
		if got := r.Reaches(tc.eco, tc.pkg, tc.v); got != tc.want {
			t.Errorf("%s: reaches %d, want %d", tc.name, got, tc.want)
		}
		if got := r.Fixed(tc.eco, tc.pkg, tc.v); got != tc.fixed {
			t.Errorf("%s: fixed in %q, want %q", tc.name, got, tc.fixed)
		}
	}
}

func TestOneFlawIsToldOnceWithItsHighestSeverity(t *testing.T) {
	flaws := Flaws([]*Record{record(t, python), record(t, twoBranches), record(t, pythonHub)}, coord.PyPI, "zz-top")
	if len(flaws) != 2 || flaws[0].ID() != "GHSA-zzzz-zzzz-zzzz" || flaws[0].Severity != High {
		t.Errorf("flaws: %+v", flaws)
	}
}

func TestRecordsThatSayLittleAreKnown(t *testing.T) {
	if got := record(t, rust).Informational(coord.Crates, "zz"); got != "unmaintained" {
		t.Errorf("informational %q", got)
	}
	if !record(t, golang).Symbols(coord.Go, "example.com/zz") || record(t, twoBranches).Symbols(coord.NPM, "zz") {
		t.Error("symbols")
	}
}

// The expected scores are those of the examples in FIRST's CVSS 3.1 documents.
func TestBaseScores(t *testing.T) {
	for vector, want := range map[string]float64{
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H": 9.8,
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H": 10,
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N": 6.1,
		"CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:N/I:L/A:N": 4.3,
		"CVSS:3.0/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H": 7.8,
		"CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N": 3.1,
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N": 0,
		"CVSS:3.1/AV:N": 0,
		"CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N": 0,
	} {
		if got := cvss3(vector); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %v, want %v", vector, got, want)
		}
	}
}

func TestAnAnswerOfAnotherShapeIsAnError(t *testing.T) {
	for name, r := range map[string]gate.Response{
		"cut":              answer(`{"vulns":[{"id":"X"`),
		"a list":           answer(`[]`),
		"something else":   answer(`{"message":"sorry"}`),
		"null":             answer(`null`),
		"vulns as object":  answer(`{"vulns":{"a":1}}`),
		"a nameless one":   answer(`{"vulns":[{}]}`),
		"empty":            answer(``),
		"a web page":       {Status: 200, Header: map[string]string{"Content-Type": "text/html"}, Body: []byte("<html>")},
		"too many":         {Status: 429},
		"broken":           {Status: 500, Body: []byte(`{}`)},
		"no such question": {Status: 400, Body: []byte(`{"code":3}`)},
	} {
		if a, err := DecodeQuery(r); err == nil {
			t.Errorf("%s: no error, but %+v", name, a)
		} else if !errors.Is(err, ErrShape) && !errors.Is(err, ErrStatus) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnAnswerWithOnlyATokenIsUnfinished(t *testing.T) {
	a, err := DecodeQuery(answer(`{"next_page_token":"x"}`))
	if err != nil || a.Next != "x" {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = DecodeQuery(answer(`{}`)); err != nil || a.Next != "" || len(a.Records) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestABatchKeepsTheOrderOfItsQueries(t *testing.T) {
	got, err := DecodeBatch(answer(`{"results":[{},{"vulns":[{"id":"A"},{"id":"B"}],"next_page_token":"n"},{}]}`), 3)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Hits{{}, {IDs: []string{"A", "B"}, Next: "n"}, {}}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := DecodeBatch(answer(`{"results":[{}]}`), 2); !errors.Is(err, ErrShape) {
		t.Errorf("a short answer: %v", err)
	}
}

func TestAQueryNamesPackageAndVersionAsOSVSpellsThem(t *testing.T) {
	r := QueryRequest("https://osv.example/", Query{coord.Go, "example.com/zz", "v1.2.0+incompatible", ""})
	if r.Method != "POST" || //nolint:usestdlibvars // no net/http here
		r.URL != "https://osv.example/v1/query" || string(r.Body) != `{"version":"1.2.0","package":{"name":"example.com/zz","ecosystem":"Go"}}` {
		t.Errorf("%s %s %s", r.Method, r.URL, r.Body)
	}
	if r := RecordRequest("https://osv.example", "GHSA-1/2"); r.URL != "https://osv.example/v1/vulns/GHSA-1%2F2" {
		t.Error(r.URL)
	}
}

func FuzzAnswers(f *testing.F) {
	for _, s := range []string{twoBranches, lastOnly, allVersions, stale, python, rust, golang, `{"vulns":[` + twoBranches + `]}`, `{"results":[{}]}`, `{"database_specific":3}`} {
		f.Add(s, "1.2.3")
	}
	f.Fuzz(func(t *testing.T, text, v string) {
		r := answer(text)
		_, _ = DecodeBatch(r, 1)
		a, _ := DecodeQuery(r)
		if rec, err := DecodeRecord(r); err == nil {
			a.Records = append(a.Records, rec)
		}
		for i := range a.Records {
			rec := &a.Records[i]
			for _, x := range rec.Affected {
				e, name := coord.Ecosystem(x.Package.Ecosystem), x.Package.Name
				rec.Reaches(e, name, v)
				rec.Fixed(e, name, v)
				rec.Weight(e, name)
			}
			// What is kept in the cache reads back the same.
			b, err := json.Marshal(rec)
			if err != nil {
				t.Fatal(err)
			}
			var again Record
			if err := json.Unmarshal(b, &again); err != nil {
				t.Fatalf("%v in %s", err, b)
			}
		}
	})
}
