package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	micros  = regexp.MustCompile(`\b1[6-9]\d{14}\b`)
	rfc3339 = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
)

// shifted moves the times in a text: microseconds since 1970, and RFC 3339.
func shifted(data []byte, by time.Duration) []byte {
	data = micros.ReplaceAllFunc(data, func(b []byte) []byte {
		n, err := strconv.ParseInt(string(b), 10, 64)
		if err != nil {
			return b
		}
		return strconv.AppendInt(nil, n+by.Microseconds(), 10)
	})
	return rfc3339.ReplaceAllFunc(data, func(b []byte) []byte {
		at, err := time.Parse(time.RFC3339Nano, string(b))
		if err != nil {
			return b
		}
		return at.Add(by).AppendFormat(nil, "2006-01-02T15:04:05Z")
	})
}

// A damage makes something else of a file.
type damage struct {
	name string
	do   func(name string, was []byte, rng *rand.Rand) error
}

func write(text func(was []byte, rng *rand.Rand) []byte) func(string, []byte, *rand.Rand) error {
	return func(name string, was []byte, rng *rand.Rand) error {
		return os.WriteFile(name, text(was, rng), 0o600)
	}
}

var damages = [...]damage{
	{"empty", write(func([]byte, *rand.Rand) []byte { return nil })},
	{"cut in the middle", write(func(was []byte, rng *rand.Rand) []byte { return was[:rng.IntN(len(was)+1)] })},
	{"zeros, as after a power cut", write(func(was []byte, _ *rand.Rand) []byte { return make([]byte, len(was)) })},
	{"a flipped bit", write(func(was []byte, rng *rand.Rand) []byte {
		b := bytes.Clone(was)
		if len(b) > 0 {
			b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		}
		return b
	})},
	{"noise", write(func(_ []byte, rng *rand.Rand) []byte {
		b := make([]byte, 4096)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	})},
	{"twice over", write(func(was []byte, _ *rand.Rand) []byte { return append(bytes.Clone(was), was...) })},
	{"null", write(func([]byte, *rand.Rand) []byte { return []byte("null") })},
	{"other types", write(func([]byte, *rand.Rand) []byte {
		return []byte(`{"v":1,"schemaVersion":3,"host":[],"id":{},"sets":"x","agents":[1],"seen":{"a":1},"turn":-1,"owed":true,"installs":7,"permits":"x"}`)
	})},
	{"of a newer program", write(func([]byte, *rand.Rand) []byte { return []byte(`{"v":99,"version":99,"schemaVersion":99}`) })},
	{"very deep", write(func([]byte, *rand.Rand) []byte { return bytes.Repeat([]byte("["), 200_000) })},
	{"very large", write(func([]byte, *rand.Rand) []byte { return bytes.Repeat([]byte(`{"v":1}`+"\n"), 6<<20) })},
	{"a folder in its place", func(name string, _ []byte, _ *rand.Rand) error { return os.MkdirAll(filepath.Join(name, "x"), 0o700) }},
	{"a link to nowhere in its place", func(name string, _ []byte, _ *rand.Rand) error { return os.Symlink(name+".gone", name) }},
	{"a link to itself in its place", func(name string, _ []byte, _ *rand.Rand) error { return os.Symlink(filepath.Base(name), name) }},
	{"a pipe in its place", func(name string, _ []byte, _ *rand.Rand) error { return pipe(name) }},
}

// damagedState damages each file of the state home in each way.
func damagedState(ctx context.Context, s *stage, r *result) error {
	r.how = fmt.Sprintf("%d kinds of damage to each kind of file in the state home, between two calls", len(damages))
	return s.damaged(ctx, r, "", func(h *home) ([]string, error) {
		// What no call of the battery makes.
		for name, text := range map[string]string{
			"trust.json": `{"version":1,"roots":{}}`, "permits.json": `{"version":1}`, "config.yaml": "version: 1\n",
			"installs.json": `{"version":1,"installs":[]}`, filepath.Join("cache", "deps", "ab", "abcdef.json"): `{"time":"2026-01-01T00:00:00Z","body":"{}"}`,
			"tidied": "", filepath.Join("sessions", ".swept"): "",
		} {
			name = h.state(name)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				return nil, err
			}
			if _, err := os.Lstat(name); errors.Is(err, os.ErrNotExist) {
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					return nil, err
				}
			}
		}
		return files(h.state()), nil
	})
}

// damagedLedger damages what a project keeps, where the end of a turn may be
// held up by what it finds, within its budget.
func damagedLedger(ctx context.Context, s *stage, r *result) error {
	r.how = fmt.Sprintf("%d kinds of damage to the project's ledger, evidence and configuration, between two calls", len(damages))
	return s.damaged(ctx, r, evidenceConfig, func(h *home) ([]string, error) {
		ledger := filepath.Join(h.project, ".guardrails", "LEDGER.md")
		if err := os.WriteFile(ledger, []byte("# Ledger\n\n- [ ] dates are read\n- [x] parser — evidence: 31 passed\n"), 0o600); err != nil {
			return nil, err
		}
		return append(files(filepath.Join(h.project, ".guardrails")), filepath.Join(h.project, ".guardrails.yaml")), nil
	})
}

// damaged does each damage to each file that targets names, in a home of its
// own, and plays on.
func (s *stage) damaged(ctx context.Context, r *result, config string, targets func(*home) ([]string, error)) error {
	rng := rand.New(rand.NewPCG(s.seed, 7))
	silent := map[string]int{}
	for i, d := range damages {
		for k := 0; ; k++ {
			h, err := s.newHome(fmt.Sprintf("home%d-%d", i, k), config)
			if err != nil {
				return err
			}
			const id = "damaged"
			h.battery(ctx, r, "before", id, config != "")
			names, err := targets(h)
			if err != nil {
				return err
			}
			if k == len(names) {
				break
			}
			name := names[k]
			was, err := os.ReadFile(name)
			if err == nil {
				err = os.Remove(name)
			}
			if err == nil {
				err = d.do(name, was, rng)
			}
			if errors.Is(err, errors.ErrUnsupported) {
				break
			}
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(h.dir, name)
			what := kind(rel) + ": " + d.name
			told := r.told
			edited := h.battery(ctx, r, what, id, config != "")
			edited = append(edited, h.battery(ctx, r, what, id, config != "")...)
			if l, err := h.logged(); err == nil {
				for _, n := range l.lapses {
					r.told += n
				}
			}
			if r.told == told {
				silent[kind(rel)]++
			}
			// What was acknowledged after the damage is kept, where it can be.
			if all, err := h.sessions(); err == nil && all[id].ID != "" {
				touched := has(all[id].Sets["touched"])
				for _, file := range edited {
					if touched[file] {
						r.kept++
					} else {
						r.problem("%s: %s was acknowledged after it, and is lost", what, file)
					}
				}
			} else if r.told == told {
				r.problem("%s: the session cannot be read (%v), and nobody is told", what, err)
			}
			if err := os.RemoveAll(h.dir); err != nil {
				return err
			}
		}
	}
	for what, n := range silent {
		r.note("%s: %d kinds of damage were told to nobody, and lost nothing", what, n)
	}
	return nil
}

// kind is a file's name without what differs between runs.
func kind(rel string) string {
	return digits.ReplaceAllString(filepath.ToSlash(rel), "…")
}

var digits = regexp.MustCompile(`[0-9a-f]{16,}|\d{4}-\d\d-\d\d`)

// damagedReceipts damages what init wrote down, and the host's own settings.
func damagedReceipts(ctx context.Context, s *stage, r *result) error {
	r.how = fmt.Sprintf("init, %d kinds of damage to its receipt, then doctor, init again and init --uninstall", len(damages))
	rng := rand.New(rand.NewPCG(s.seed, 9))
	const foreign = "{\n\n  \"model\": \"opus\",\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]}\n}\n"
	for i, d := range damages {
		h, err := s.newHome(fmt.Sprint("home", i), "")
		if err != nil {
			return err
		}
		settings := filepath.Join(h.project, ".claude", "settings.local.json")
		if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(settings, []byte(foreign), 0o600); err != nil {
			return err
		}
		verb := func(args ...string) answer {
			a := h.run(ctx, nil, 0, args...)
			r.calls++
			if a.err == nil || strings.HasPrefix(a.err.Error(), "exit status") {
				r.answered++
			}
			if a.err != nil && (strings.Contains(a.err.Error(), "panic") || strings.Contains(a.err.Error(), "goroutine ") || strings.Contains(a.err.Error(), "no answer")) {
				r.problem("%s: %s: %v", d.name, strings.Join(args, " "), a.err)
			}
			return a
		}
		if a := verb("init", "--agent", "claude", "--dir", h.project, "--yes"); a.err != nil && !strings.HasPrefix(a.err.Error(), "exit status 3") {
			return fmt.Errorf("init: %w: %s", a.err, a.out)
		}
		receipt := h.state("installs.json")
		was, err := os.ReadFile(receipt)
		if err == nil {
			err = os.Remove(receipt)
		}
		if err == nil {
			err = d.do(receipt, was, rng)
		}
		if errors.Is(err, errors.ErrUnsupported) {
			continue
		}
		if err != nil {
			return err
		}
		for _, args := range [][]string{
			{"doctor"},
			{"init", "--agent", "claude", "--dir", h.project, "--yes", "--show"},
			{"init", "--agent", "claude", "--dir", h.project, "--yes"},
			{"init", "--agent", "claude", "--dir", h.project, "--yes", "--uninstall"},
		} {
			a := verb(args...)
			text := string(a.out)
			if a.err != nil {
				text += a.err.Error()
			}
			if strings.Contains(text, "installs.json") {
				r.told++
			}
			now, err := os.ReadFile(settings)
			for _, mine := range []string{"{\n\n", `"model": "opus"`, "say done"} {
				if !strings.Contains(string(now), mine) {
					r.problem("%s: after %s the user's settings lack %q (%v)", d.name, strings.Join(args, " "), mine, err)
				} else {
					r.kept++
				}
			}
			if args[len(args)-1] == "--uninstall" && a.err == nil && string(now) != foreign {
				r.problem("%s: uninstall says it is done, and left %q", d.name, now)
			}
		}
	}
	return nil
}
