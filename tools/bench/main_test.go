package main

import (
	"strings"
	"testing"
	"time"
)

func TestQuantileIsTheNearestRank(t *testing.T) {
	tests := []struct {
		name string
		in   []time.Duration
		p    int
		want time.Duration
	}{
		{"one value", []time.Duration{7}, 50, 7},
		{"median of an odd count", []time.Duration{9, 1, 5}, 50, 5},
		{"median of an even count is the lower", []time.Duration{4, 1, 3, 2}, 50, 2},
		{"95 of twenty", seq(20), 95, 19},
		{"95 of a hundred", seq(100), 95, 95},
		{"100", seq(10), 100, 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := quantile(tt.in, tt.p); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestReportNamesTheWorstToolCall(t *testing.T) {
	var out strings.Builder
	report(&out, []*program{
		{name: "empty", took: []time.Duration{time.Millisecond}},
		{name: "fast", goal: true, took: []time.Duration{2 * time.Millisecond}},
		{name: "slow", goal: true, took: []time.Duration{3 * time.Millisecond}},
		{name: "slower, but no tool call", took: []time.Duration{9 * time.Millisecond}},
	}, 1)
	if !strings.Contains(out.String(), "worst here: 3.00 (missed)") {
		t.Error(out.String())
	}
}

func seq(n int) []time.Duration {
	ds := make([]time.Duration, n)
	for i := range ds {
		ds[i] = time.Duration(i + 1)
	}
	return ds
}
