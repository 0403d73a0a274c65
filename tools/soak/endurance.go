package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// paths is how many files are edited in all: a session keeps 5,000.
const paths = 4000

// endurance has many workers call the hooks of one session at once, and kills
// some of them at a random moment.
func endurance(ctx context.Context, s *stage, r *result) error {
	h, err := s.newHome("home", evidenceConfig)
	if err != nil {
		return err
	}
	plain, err := s.newHome("home/plain", "") // a second project of the same session
	if err != nil {
		return err
	}
	plain.dir = h.dir
	const id = "endurance"

	var mu sync.Mutex
	edits, acked, edited := 0, 0, map[string]bool{}
	byAgent := map[string]map[string]bool{}
	logs := 0
	var took []time.Duration
	work := func(w int) {
		rng := rand.New(rand.NewPCG(s.seed, uint64(w)))
		for i := range s.events {
			if ctx.Err() != nil {
				return
			}
			n := w*s.events + i
			use := fmt.Sprintf("toolu_%d", n)
			var payload map[string]any
			file, agent, twice, deny := "", "", false, false
			at := h
			switch i % 10 {
			case 0, 1, 2, 3, 4:
				file = fmt.Sprintf("src/file%d.go", n%paths)
				if i%2 == 0 {
					agent = fmt.Sprint("agent", w%20)
				}
				payload = h.edit(id, use, file, agent)
				twice = i%20 == 1 // a hook registered twice
			case 5:
				payload = h.bash("PreToolUse", id, use, "go test ./... && git status --short")
			case 6:
				payload, deny = h.bash("PreToolUse", id, use, dangerous), true
			case 7:
				at, payload = plain, plain.bash("PostToolUse", id, use, "go test ./...")
			case 8:
				payload = h.call("UserPromptSubmit", id, map[string]any{"prompt": fmt.Sprintf("step %d of worker %d", i, w)})
			case 9:
				at, payload = plain, plain.call("Stop", id, map[string]any{"stop_hook_active": false})
			}
			kill := time.Duration(0)
			if rng.IntN(100) < s.kill {
				kill = time.Duration(1 + rng.IntN(40_000_000))
			}
			var answers []answer
			if twice {
				answers = make([]answer, 2)
				var both sync.WaitGroup
				for k := range answers {
					both.Go(func() { answers[k] = at.hook(ctx, payload, kill) })
				}
				both.Wait()
			} else {
				answers = []answer{at.hook(ctx, payload, kill)}
			}
			mu.Lock()
			if file != "" {
				edits++
			}
			good := false
			for k := range answers {
				a := &answers[k]
				r.calls++
				switch {
				case a.killed:
					r.killed++
					continue
				case !a.good():
					if ctx.Err() == nil {
						r.problem("call %d: %v %v", n, a.err, a.v.err)
					}
					continue
				case deny != (a.v.stopped != ""):
					r.problem("call %d of kind %d: stopped %q", n, i%10, firstLine(a.v.stopped))
				}
				good = true
				r.answered++
				logs++
				took = append(took, a.took)
			}
			if good && file != "" {
				acked++
				edited[file] = true
				if agent != "" {
					if byAgent[agent] == nil {
						byAgent[agent] = map[string]bool{}
					}
					byAgent[agent][file] = true
				}
			}
			mu.Unlock()
		}
	}
	began := time.Now()
	var wg sync.WaitGroup
	for w := range s.workers {
		wg.Go(func() { work(w) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.how = fmt.Sprintf("%d processes at once on one session, %d %% of them killed within 40 ms, one edit in ten reported twice", s.workers, s.kill)
	slices.Sort(took)
	r.note("%.0f calls a second; answered in %d ms (median), %d ms (99 %%) under that load", float64(r.calls)/time.Since(began).Seconds(),
		took[len(took)/2].Milliseconds(), took[len(took)*99/100].Milliseconds())

	// The files, read by ourselves.
	all, err := h.sessions()
	if err != nil {
		r.problem("%v", err)
		return nil
	}
	one, ok := all[id]
	if !ok {
		r.problem("there is no session file")
		return nil
	}
	touched := has(one.Sets["touched"])
	for file := range edited {
		if touched[file] {
			r.kept++
		} else {
			r.problem("%s was acknowledged as edited, and the session does not have it", file)
		}
	}
	for agent, files := range byAgent {
		in := has(one.Agents[agent].Sets["touched"])
		for file := range files {
			if in[file] {
				r.kept++
			} else {
				r.problem("%s was acknowledged as edited by %s, who does not have it", file, agent)
			}
		}
	}
	counted, waiting, err := h.generation()
	switch {
	case err != nil:
		r.problem("evidence: %v", err)
	case counted+waiting < acked:
		r.problem("evidence counted %d changes (%d wait), %d were acknowledged", counted, waiting, acked)
	case counted+waiting > edits:
		r.problem("evidence counted %d changes (%d wait), only %d were made", counted, waiting, edits)
	default:
		r.kept += acked
		r.note("evidence counted %d changes (%d of them waiting) of %d made, %d acknowledged", counted+waiting, waiting, edits, acked)
	}
	l, err := h.logged()
	if err != nil {
		return err
	}
	switch {
	case l.bad > 0:
		r.problem("%d lines of the log are none", l.bad)
	case l.lines < logs || l.lines > r.calls:
		r.problem("%d lines in the log for %d calls, %d answered", l.lines, r.calls, logs)
	default:
		r.kept += logs
		r.note("%d lines in the log for %d answers", l.lines, logs)
	}
	for text, n := range l.lapses {
		r.told += n
		r.note("%d lapses: %s", n, text)
	}
	left := 0
	for _, name := range files(h.state("sessions")) {
		if !slices.Contains([]string{".json"}, name[len(name)-5:]) {
			left++
		}
	}
	r.note("%d files of killed writers are left for the sweep", left)
	return nil
}
