package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// grow makes each place small and large, and adds a pair for each call that is
// measured in both.
func (s *suite) grow(ctx context.Context, o options) error {
	if err := s.sessions(ctx, o.events); err != nil {
		return err
	}
	if err := s.transcripts(ctx); err != nil {
		return err
	}
	if err := s.configurations(ctx); err != nil {
		return err
	}
	return s.repositories(ctx, o.files)
}

func (s *suite) pair(what string, flat bool, small, large *program) {
	small.large, large.large, small.goal, large.goal = true, true, false, false
	small.name, large.name = what+", small", what+", large"
	s.pairs = append(s.pairs, pair{what, s.add(small), s.add(large), flat})
}

// touched is how many files a long session edits.
const touched = 1000

// sessions compares a session of ten events with one of very many, each of them
// a call of the binary.
func (s *suite) sessions(ctx context.Context, events int) error {
	small, err := s.project(ctx, "short-session", sessionConfig)
	if err != nil {
		return err
	}
	large, err := s.project(ctx, "long-session", sessionConfig)
	if err != nil {
		return err
	}
	if err := s.play(ctx, small, 10); err != nil {
		return err
	}
	if err := s.play(ctx, large, events); err != nil {
		return err
	}
	for _, i := range []int{preBash, postEdit, stop} {
		what := fmt.Sprintf("%s, after 10 and after %d events", eventList[i].name, events)
		s.pair(what, true, small.hook(s.bin, eventList[i]), large.hook(s.bin, eventList[i]))
	}
	return nil
}

// play has a session live through n calls: half of them edits, the others
// commands, before and after.
func (s *suite) play(ctx context.Context, p project, n int) error {
	next := make(chan int)
	failed := make(chan error, 1)
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			for i := range next {
				q := p.hook(s.bin, [...]event{played[0], played[1], played[0], played[2]}[i%4])
				q.stdin = []byte(strings.NewReplacer("FILE", fmt.Sprintf("src/part%d/file%d.txt", i/2%touched%37, i/2%touched), "CALL", fmt.Sprint("played", i)).Replace(string(q.stdin)))
				if _, _, err := q.run(ctx); err != nil {
					select {
					case failed <- err:
					default:
					}
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return ctx.Err()
	}
}

// transcripts compares a host that has us read the outcome of a command from
// the end of its transcript.
func (s *suite) transcripts(ctx context.Context) error {
	const largeFile = 1 << 30
	line := `{"step_index":%d,"type":"RUN_COMMAND","content":"ok  \texample.com/shop\t0.1s"}` + "\n"
	var text strings.Builder
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, line, i)
	}
	var programs []*program
	for _, hole := range []int64{0, largeFile} {
		p, err := s.project(ctx, fmt.Sprintf("transcript-%d", hole), sessionConfig)
		if err != nil {
			return err
		}
		// The front is a hole in the file, or written out where there are none.
		f, err := os.Create(filepath.Join(p.dir, "..", "t.jsonl"))
		if err != nil {
			return err
		}
		_, err = f.WriteAt([]byte("\n"+text.String()), hole)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			s.miss("a transcript of 1 GB", err)
			return nil
		}
		q := p.hook(s.bin, transcribed)
		q.argv = []string{s.bin, "hook", "--agent", "antigravity", "PostToolUse"}
		programs = append(programs, q)
	}
	s.pair("PostToolUse of Antigravity, go test, transcript of 1 MB and of 1 GB", true, programs[0], programs[1])
	return nil
}

// configurations compares one rule with a thousand.
func (s *suite) configurations(ctx context.Context) error {
	var programs []*program
	for _, n := range []int{1, 1000} {
		var b strings.Builder
		b.WriteString("version: 1\npolicy:\n  allow:\n")
		for i := range (n + 1) / 2 {
			fmt.Fprintf(&b, "    - {rule: git/reset-hard, when: \"git reset --hard origin/bot-%d\", reason: \"bot branch\"}\n", i)
		}
		b.WriteString("rewrite:\n")
		for i := range (n + 1) / 2 {
			fmt.Fprintf(&b, "  - {match: \"tool%d status\", to: \"quiet tool%d status\"}\n", i, i)
		}
		p, err := s.project(ctx, fmt.Sprintf("config-%d", n), b.String())
		if err != nil {
			return err
		}
		programs = append(programs, p.hook(s.bin, eventList[preBash]))
	}
	s.pair("PreToolUse Bash, configuration of 2 and of 1000 rules", false, programs[0], programs[1])
	return nil
}

// repositories compares a project of a hundred files, one of them edited, with
// a very large one.
func (s *suite) repositories(ctx context.Context, files int) error {
	git, err := exec.LookPath("git")
	if err != nil {
		s.miss("repositories", err)
		return nil
	}
	var places []project
	for _, size := range []struct {
		name           string
		files, touched int
	}{{"small-repository", 100, 1}, {"large-repository", files, touched}} {
		p, err := s.project(ctx, size.name, fullConfig)
		if err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Join(p.dir, ".git")); err != nil {
			return err
		}
		for i := range size.files {
			name := filepath.Join(p.dir, "src", fmt.Sprint("part", i%touched%37, "-", i/1000), fmt.Sprintf("file%d.txt", i))
			if i < 37 || i%1000 < 37 {
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					return err
				}
			}
			if err := os.WriteFile(name, []byte("one\n"), 0o644); err != nil {
				s.miss("repositories", err)
				return nil
			}
		}
		for _, args := range [][]string{
			{"init", "-q"},
			{"add", "-A"},
			{"-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "gc.auto=0", "commit", "-q", "-m", "start"},
		} {
			cmd := exec.CommandContext(ctx, git, args...)
			cmd.Dir, cmd.Env = p.dir, p.env
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("git %s: %w: %s", args[0], err, out)
			}
		}
		for i := range size.touched {
			name := filepath.Join(p.dir, "src", fmt.Sprint("part", i%touched%37, "-", i/1000), fmt.Sprintf("file%d.txt", i))
			if err := os.WriteFile(name, []byte("two\n"), 0o644); err != nil {
				return err
			}
		}
		places = append(places, p)
	}
	small, large := places[0], places[1]
	// The edits of the long session are of a kind with these.
	if err := s.play(ctx, small, 2); err != nil {
		return err
	}
	if err := s.play(ctx, large, 2*touched); err != nil {
		return err
	}
	what := fmt.Sprintf("all configured, repository of 100 files with 1 touched and of %d with %d", files, touched)
	s.pair("PreToolUse Bash, "+what, true, small.hook(s.bin, eventList[preBash]), large.hook(s.bin, eventList[preBash]))
	s.pair("PostToolUse Edit, "+what, false, small.hook(s.bin, eventList[postEdit]), large.hook(s.bin, eventList[postEdit]))
	s.pair("Stop, "+what, false, small.hook(s.bin, eventList[stop]), large.hook(s.bin, eventList[stop]))
	return nil
}
