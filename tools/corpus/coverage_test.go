package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCoverageAnswersAreComparedInEveryPart(t *testing.T) {
	var truth coverageTruth
	if err := json.Unmarshal([]byte(`{"case":"x","reports":[{"format":"lcov","per_package":{"a":{"covered":1,"total":2,"pct":50}},"patch":{"covered":1,"coverable":2,"pct":50}}],
		"expected":{"verdict":"patch","patch":{"covered":1,"coverable":2,"pct":50}}}`), &truth); err != nil {
		t.Fatal(err)
	}
	right := `{"outcome":"fail","verdict":"patch","patch":{"covered":1,"coverable":2,"pct":50},"packages":{"a":{"covered":1,"total":2,"pct":50}},"unresolved":[]}`
	for from, to := range map[string]string{
		"": "", `"fail"`: `"pass"`, `"verdict":"patch"`: `"verdict":"unresolved"`, `"coverable":2`: `"coverable":3`, `"total":2`: `"total":3`, `{"a":`: `{"b":`,
		`"unresolved":[]`: `"unresolved":["x"]`, `"pct":50},"pack`: `"pct":49},"pack`,
	} {
		var got coverageAnswer
		if err := json.Unmarshal([]byte(strings.Replace(right, from, to, 1)), &got); err != nil {
			t.Fatal(err)
		}
		if err := truth.compare(truth.Reports[0], &got); (err == nil) != (from == "") {
			t.Errorf("%s for %s: %v", to, from, err)
		}
	}
}
