package judge

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ec261362/guardrails/core/evidence"
	"github.com/ec261362/guardrails/core/quality"
)

// observed is a quality gate's worker that remembers what it ran in this
// judgement: its runs may be evidence, and what they wrote is no change of the
// work.
type observed struct {
	quality.Worker
	mu   sync.Mutex
	runs []evidence.OwnRun
}

func (o *observed) Gate(ctx context.Context, p quality.Project, r quality.Request) *quality.Report {
	report := o.Worker.Gate(ctx, p, r)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.runs = append(o.runs, ownRun(report))
	return report
}

func (o *observed) own() []evidence.OwnRun {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.runs)
}

// ownRun is what a run of the quality gate proves: that tests passed, if some ran
// and the gate as a whole passed; that they failed, if one did.
func ownRun(r *quality.Report) evidence.OwnRun {
	out := evidence.OwnRun{Wrote: true}
	if r == nil {
		return out
	}
	tests, in := 0, 0
	for _, s := range r.Steps {
		switch {
		case s.Step != quality.Test:
		case s.Outcome == "fail":
			out.Kind, out.Result = evidence.Test, evidence.Fail
		case s.Outcome == "pass" && s.Tests > 0:
			tests += s.Tests
			in++
		}
	}
	out.Source = "quality gate"
	switch {
	case out.Result == evidence.Fail:
		out.Detail = "tests failed at the end of the turn"
	case r.Outcome == quality.Passed && tests > 0:
		out.Kind, out.Result = evidence.Test, evidence.Pass
		out.Detail = count(tests, "test") + " passed in " + count(in, "package")
	}
	return out
}

// count says how many: 1 test, 2 tests.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
