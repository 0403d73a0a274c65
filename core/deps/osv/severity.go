package osv

import (
	"math"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/deps/coord"
)

// Severity is what an advisory weighs. The zero value is that nobody said.
type Severity int

// Severities, lightest first.
const (
	Unrated Severity = iota
	Low
	Moderate
	High
	Critical
)

// String returns the word of GitHub's advisories.
func (s Severity) String() string {
	switch s {
	case Low:
		return "low"
	case Moderate:
		return "moderate"
	case High:
		return "high"
	case Critical:
		return "critical"
	case Unrated:
	}
	return "unknown"
}

// ParseSeverity reads the words of the databases; others are Unrated.
func ParseSeverity(word string) Severity {
	switch strings.ToLower(word) {
	case "low":
		return Low
	case "moderate", "medium":
		return Moderate
	case "high", "important":
		return High
	case "critical":
		return Critical
	}
	return Unrated
}

// Weight is the record's severity for a package. What the database says of it
// in a word counts first, then a CVSS 3 vector; later schemes are Unrated.
func (r *Record) Weight(e coord.Ecosystem, name string) Severity {
	list := r.Of(e, name)
	for _, a := range list {
		if s := scored(a.Severity); s != Unrated {
			return s
		}
	}
	if s := ParseSeverity(r.Database.Severity); s != Unrated {
		return s
	}
	for _, a := range list {
		for _, word := range []string{a.Ecosystem.Severity, a.Database.Severity} {
			if s := ParseSeverity(word); s != Unrated {
				return s
			}
		}
	}
	return scored(r.Severity)
}

func scored(scores []Score) Severity {
	best := Unrated
	for _, s := range scores {
		if s.Type == "CVSS_V3" {
			best = max(best, rated(cvss3(s.Score)))
		}
	}
	return best
}

func rated(score float64) Severity {
	switch {
	case score >= 9:
		return Critical
	case score >= 7:
		return High
	case score >= 4:
		return Moderate
	case score > 0:
		return Low
	}
	return Unrated
}

// cvss3 is the base score of a CVSS 3.0 or 3.1 vector, 0 if it is none.
func cvss3(vector string) float64 {
	rest, ok := strings.CutPrefix(vector, "CVSS:3.")
	if !ok {
		return 0
	}
	metric := func(name string, values string, weights ...float64) (float64, bool) {
		for part := range strings.SplitSeq(rest, "/") {
			key, v, _ := strings.Cut(part, ":")
			if key == name && len(v) == 1 {
				if i := strings.Index(values, v); i >= 0 {
					return weights[i], true
				}
			}
		}
		return 0, false
	}
	changed, ok0 := metric("S", "UC", 0, 1)
	av, ok1 := metric("AV", "NALP", 0.85, 0.62, 0.55, 0.2)
	ac, ok2 := metric("AC", "LH", 0.77, 0.44)
	pr, ok3 := metric("PR", "NLH", 0.85, 0.62, 0.27)
	if changed > 0 {
		pr, ok3 = metric("PR", "NLH", 0.85, 0.68, 0.5)
	}
	ui, ok4 := metric("UI", "NR", 0.85, 0.62)
	c, ok5 := metric("C", "HLN", 0.56, 0.22, 0)
	i, ok6 := metric("I", "HLN", 0.56, 0.22, 0)
	a, ok7 := metric("A", "HLN", 0.56, 0.22, 0)
	if slices.Contains([]bool{ok0, ok1, ok2, ok3, ok4, ok5, ok6, ok7}, false) {
		return 0
	}
	iss := 1 - (1-c)*(1-i)*(1-a)
	impact := 6.42 * iss
	if changed > 0 {
		impact = 7.52*(iss-0.029) - 3.25*math.Pow(iss-0.02, 15)
	}
	if impact <= 0 {
		return 0
	}
	score := impact + 8.22*av*ac*pr*ui
	if changed > 0 {
		score *= 1.08
	}
	return roundUp(min(score, 10))
}

// roundUp goes up to the next tenth, as CVSS 3.1 defines it.
func roundUp(x float64) float64 {
	n := int(math.Round(x * 100000))
	if n%10000 == 0 {
		return float64(n) / 100000
	}
	return float64(n/10000+1) / 10
}

// Flaw is what several records say about one thing.
type Flaw struct {
	Records  []*Record
	Severity Severity
}

// ID is the name by which people know the flaw best.
func (f *Flaw) ID() string {
	for _, prefix := range []string{"GHSA-", "CVE-"} {
		for _, r := range f.Records {
			if strings.HasPrefix(r.ID, prefix) {
				return r.ID
			}
		}
	}
	return f.Records[0].ID
}

// Names are all ids and aliases, so that two sets of flaws can be compared.
func (f *Flaw) Names() []string {
	var out []string
	for _, r := range f.Records {
		for _, n := range append([]string{r.ID}, r.Aliases...) {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// Flaws joins records that are aliases of each other, so that one flaw is told
// once, with the highest severity that any of them gives.
func Flaws(records []*Record, e coord.Ecosystem, name string) []Flaw {
	var out []Flaw
	for _, r := range records {
		joined := -1
		names := append([]string{r.ID}, r.Aliases...)
		for i := 0; i < len(out); i++ {
			have := out[i].Names()
			if !slices.ContainsFunc(names, func(n string) bool { return slices.Contains(have, n) }) {
				continue
			}
			if joined < 0 {
				out[i].Records = append(out[i].Records, r)
				joined = i
				continue
			}
			out[joined].Records = append(out[joined].Records, out[i].Records...)
			out = slices.Delete(out, i, i+1)
			i--
		}
		if joined < 0 {
			out = append(out, Flaw{Records: []*Record{r}})
		}
	}
	for i := range out {
		for _, r := range out[i].Records {
			out[i].Severity = max(out[i].Severity, r.Weight(e, name))
		}
	}
	return out
}
