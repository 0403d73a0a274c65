package review_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/ec261362/guardrails/core/review"
	"github.com/ec261362/guardrails/core/scan"
)

func Example() {
	validators, err := scan.Resolve([]string{"secrets", "pii"}, scan.Output)
	if err != nil {
		fmt.Println(err)
		return
	}
	loop := review.Loop{
		Coder: func(context.Context, string) (string, error) {
			return "Done. I charged 4532 0151 1283 0366 to try it.", nil
		},
		Reviewer: func(context.Context, string) (string, error) {
			return `{"verdict": "approve"}`, nil
		},
		Gates: review.Gates{Enabled: true, Output: &scan.Runner{Validators: validators}},
	}
	res, err := loop.Run(context.Background(), "Add a payment form.")
	var stopped *review.GuardrailError
	fmt.Println(errors.As(err, &stopped), err)
	fmt.Println(res.State.Status, res.State.Coded, res.State.Reviewed)
	// Output:
	// true the output was stopped by validators before the reviewer saw it; pii: CREDIT_CARD in line 1: 45***6
	// failed 1 0
}
