package quality

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
)

// Runs sums up the records of a repository's sessions.
type Runs struct {
	Sessions int               `json:"sessions"`
	Minutes  float64           `json:"minutes"`
	Turns    int               `json:"turns"`
	Blocks   int               `json:"blocks"`
	Releases int               `json:"releases"`
	Skips    int               `json:"skips"`
	Touched  int               `json:"touched"`
	Gates    map[string]Counts `json:"gates"`
	P50      float64           `json:"p50"` // the median of the sessions' own, milliseconds
	P95      float64           `json:"p95"`
}

// ReadRuns reads the records of sessions that ended at or after since. Lines
// that are no record are passed over.
func ReadRuns(cache string, since time.Time) (Runs, error) {
	out := Runs{Gates: map[string]Counts{}}
	data, err := fsx.ReadFile(RunsFile(cache), 2*maxRuns)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("records of sessions: %w", err)
	}
	var p50, p95 []float64
	for line := range bytes.Lines(data) {
		var r Record
		if json.Unmarshal(line, &r) != nil || r.At.IsZero() || r.At.Before(since) {
			continue
		}
		out.Sessions++
		out.Minutes += r.Seconds / 60
		out.Turns += r.Turns
		out.Blocks += r.Blocks
		out.Releases += len(r.Released)
		out.Skips += len(r.Skipped)
		out.Touched += r.Touched
		for id, counts := range r.Gates {
			if out.Gates[id] == nil {
				out.Gates[id] = Counts{}
			}
			for decision, n := range counts {
				out.Gates[id][decision] += n
			}
		}
		if r.Calls > 0 {
			p50, p95 = append(p50, r.P50), append(p95, r.P95)
		}
	}
	out.P50, out.P95 = median(p50), median(p95)
	return out, nil
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[(len(list)-1)/2]
}
