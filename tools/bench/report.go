package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// What a PreToolUse call may cost.
const (
	goalEmpty = 2.5        // empty Go programs, at most
	goalPeer  = 40         // times faster than a peer on Node, at least
	goalRSS   = 20_000_000 // bytes resident, at most
	goalFlat  = 1.5        // large to small, at most, of what has to be flat
)

// pair is a call in a small and in a large place.
type pair struct {
	what         string
	small, large *program
	flat         bool // has to be flat
}

func (s *suite) report(out io.Writer, runs int, before string) {
	base := s.list[0].median()
	fmt.Fprintf(out, "%d rounds, interleaved (in every fifth only what takes over %d ms), on %s/%s with %d CPUs, %s; load before %s, after %s\n\n",
		runs, slow.Milliseconds(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), before, load())
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "median\tp95\tratio\tpeak RSS\t \t")
	worst, most := 0.0, int64(0)
	var first *program // of our PreToolUse calls: what the peers are compared with
	for _, p := range s.list {
		ratio := float64(p.median()) / float64(base)
		if p.ours {
			most = max(most, p.rss)
		}
		if p.large {
			continue
		}
		if p.goal {
			worst = max(worst, ratio)
			if first == nil {
				first = p
			}
		}
		fmt.Fprintf(w, "%.2f ms\t%.2f ms\t%.2f\t%s\t\t%s\n", ms(p.median()), ms(quantile(p.took, 95)), ratio, size(p.rss), p.name)
	}
	_ = w.Flush()
	if len(s.pairs) > 0 {
		fmt.Fprintln(out)
		w = tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(w, "small\tlarge\tratio\tpeak RSS\t \t")
		for _, p := range s.pairs {
			fmt.Fprintf(w, "%.2f ms\t%.2f ms\t%.2f\t%s\t\t%s\n", ms(p.small.median()), ms(p.large.median()), p.ratio(), size(p.large.rss), p.what)
		}
		_ = w.Flush()
	}

	fmt.Fprintln(out, "\nratio: to the empty Go program; of a pair, large to small. Goals:")
	goal := func(met bool, format string, args ...any) {
		word := "met   "
		if !met {
			word = "missed"
		}
		fmt.Fprintf(out, "  %s  %s\n", word, fmt.Sprintf(format, args...))
	}
	goal(worst <= goalEmpty, "a PreToolUse call costs at most %.1f empty Go programs; worst here: %.2f", goalEmpty, worst)
	for _, p := range s.list {
		if p.peer && first != nil {
			times := float64(p.median()) / float64(first.median())
			goal(times >= goalPeer, "%s: %.0f times our median on the same payload, at least %d wanted", p.name, times, goalPeer)
		}
	}
	for _, p := range s.pairs {
		if p.flat {
			goal(p.ratio() <= goalFlat, "flat: %s: %.2f, at most %.1f wanted", p.what, p.ratio(), goalFlat)
		}
	}
	if most > 0 {
		goal(most <= goalRSS, "at most %s resident; most here: %s", size(goalRSS), size(most))
		fmt.Fprintln(out, "A peak includes this program's own size at the fork; below it, it only says \"no more than\".")
	}
	for _, text := range s.without {
		fmt.Fprintln(out, "not measured:", text)
	}
}

func (p pair) ratio() float64 { return float64(p.large.median()) / float64(p.small.median()) }

func size(bytes int64) string {
	if bytes <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// load is how busy the machine is, in its own words.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(text), " ")
	return one
}
