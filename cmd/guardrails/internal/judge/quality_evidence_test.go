package judge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/evidence"
	"github.com/ec261362/guardrails/core/quality"
)

func TestARunOfTheQualityGateAsEvidence(t *testing.T) {
	step := func(s quality.Step, outcome string, tests int) quality.StepResult {
		return quality.StepResult{Step: s, Outcome: outcome, Tests: tests}
	}
	for _, c := range []struct {
		name    string
		outcome quality.Outcome
		steps   []quality.StepResult
		want    evidence.OwnRun
	}{
		{
			"green", quality.Passed,
			[]quality.StepResult{step(quality.Lint, "pass", 0), step(quality.Test, "pass", 3), step(quality.Test, "pass", 4)},
			evidence.OwnRun{Wrote: true, Kind: evidence.Test, Result: evidence.Pass, Source: "quality gate", Detail: "7 tests passed in 2 packages"},
		},
		{"green without a test", quality.Passed, []quality.StepResult{step(quality.Lint, "pass", 0), step(quality.Test, "pass", 0)}, evidence.OwnRun{Wrote: true, Source: "quality gate"}},
		{"tests pass, lint does not", quality.Failed, []quality.StepResult{step(quality.Lint, "fail", 0), step(quality.Test, "pass", 3)}, evidence.OwnRun{Wrote: true, Source: "quality gate"}},
		{
			"red", quality.Failed,
			[]quality.StepResult{step(quality.Test, "pass", 3), step(quality.Test, "fail", 0)},
			evidence.OwnRun{Wrote: true, Kind: evidence.Test, Result: evidence.Fail, Source: "quality gate", Detail: "tests failed at the end of the turn"},
		},
		{"not proven", quality.NotProven, []quality.StepResult{step(quality.Test, "not-proven", 0)}, evidence.OwnRun{Wrote: true, Source: "quality gate"}},
	} {
		if diff := cmp.Diff(c.want, ownRun(&quality.Report{Outcome: c.outcome, Steps: c.steps})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
