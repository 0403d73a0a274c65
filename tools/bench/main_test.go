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

func TestReportSaysWhichGoalsAreMet(t *testing.T) {
	took := func(ms ...int) (out []time.Duration) {
		for _, n := range ms {
			out = append(out, time.Duration(n)*time.Millisecond)
		}
		return out
	}
	slow := &program{name: "slow", goal: true, ours: true, rss: 30 << 20, took: took(3)}
	s := suite{
		list: []*program{
			{name: "empty", took: took(1)},
			{name: "fast", goal: true, ours: true, rss: 10 << 20, took: took(2)},
			slow,
			{name: "slower, but no tool call", ours: true, took: took(9)},
			{name: "near", peer: true, took: took(60)},
			{name: "far", peer: true, took: took(200)},
		},
		pairs:   []pair{{"as it was", slow, slow, true}, {"not asked", slow, slow, false}},
		without: []string{"python: not here"},
	}
	var out strings.Builder
	s.report(&out, 1, "0.1")
	for _, want := range []string{
		"missed  a PreToolUse call costs at most 2.5 empty Go programs; worst here: 3.00",
		"missed  near: 30 times", "met     far: 100 times",
		"met     flat: as it was: 1.00", "missed  at most 20.0 MB resident; most here: 31.5 MB",
		"not measured: python: not here",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "flat: not asked") {
		t.Error("a pair without a goal has one")
	}
}

func seq(n int) []time.Duration {
	ds := make([]time.Duration, n)
	for i := range ds {
		ds[i] = time.Duration(i + 1)
	}
	return ds
}
