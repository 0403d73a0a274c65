package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/handoff/pr"
)

// Ledger keeps, for each pull request, which comments sessions claimed and
// which are answered. Its methods are safe for processes and goroutines in
// parallel: a change is made on what is there under a lock, and none is lost.
type Ledger struct {
	Dir string // made when needed
	Now func() time.Time
}

// Owed is a comment that a session claimed and nobody answered.
type Owed struct {
	PR      pr.Ref
	Thread  string
	Comment string
}

const (
	ledgerVersion = 1
	ledgerSuffix  = ".json"
	lockSuffix    = ".lock"
	maxLedger     = 8 << 20 // bytes
)

// page is one pull request's file.
type page struct {
	Version    int                `json:"version"`
	PR         string             `json:"pr,omitempty"`
	Generation int64              `json:"generation"` // counts the changes
	Threads    map[string]*thread `json:"threads"`
}

// thread is what is kept of one.
type thread struct {
	Generation int64     `json:"generation"`
	Comments   []string  `json:"comments"`          // people's, in the order seen
	Covered    []string  `json:"covered,omitempty"` // of them: answered or left with a reason
	ClaimedBy  string    `json:"claimedBy,omitempty"`
	UpdatedAt  time.Time `json:"updatedAt"`
}

func (t *thread) open() []string {
	var out []string
	for _, c := range t.Comments {
		if !slices.Contains(t.Covered, c) {
			out = append(out, c)
		}
	}
	return out
}

// cover marks comments as covered and reports whether that is new.
func (t *thread) cover(ids ...string) bool {
	changed := false
	for _, id := range ids {
		if !slices.Contains(t.Covered, id) {
			t.Covered = append(t.Covered, id)
			changed = true
		}
	}
	return changed
}

// Claim records that session works on threads of their pull requests: it owes
// what waits in them, and what whoever claimed them before owed is its own now.
func (l Ledger) Claim(ctx context.Context, session string, threads []Thread) error {
	files := map[string][]Thread{}
	for _, th := range threads {
		name := fileOf(th.PR)
		files[name] = append(files[name], th)
	}
	var errs []error
	for _, name := range sorted(files) {
		errs = append(errs, l.update(ctx, name, func(p *page) {
			for _, th := range files[name] {
				p.named(th.PR)
				t := p.Threads[th.ID]
				if t == nil {
					t = &thread{}
				}
				changed := false
				for _, c := range slices.Concat(th.Answered, th.Comments) {
					if !slices.Contains(t.Comments, c) {
						t.Comments = append(t.Comments, c)
						changed = true
					}
				}
				changed = t.cover(th.Answered...) || changed
				if len(th.Comments) > 0 && t.ClaimedBy != session {
					t.ClaimedBy = session
					changed = true
				}
				if changed {
					p.touch(th.ID, t, l.now())
				}
			}
		}))
	}
	return errors.Join(errs...)
}

// Cover records that comments are answered: all that the ledger knows of a
// reply's thread. A reply whose pull request or thread is not said is looked for
// in all.
func (l Ledger) Cover(ctx context.Context, replies []Reply) error {
	var errs []error
	for _, r := range replies {
		for _, name := range l.pages(r.PR, r.Thread, r.Comment) {
			errs = append(errs, l.update(ctx, name, func(p *page) {
				for id, t := range p.Threads {
					if (id == r.Thread || id == r.Comment || r.Comment != "" && slices.Contains(t.Comments, r.Comment)) && t.cover(t.Comments...) {
						p.touch(id, t, l.now())
					}
				}
			}))
		}
	}
	return errors.Join(errs...)
}

// Skip records that session leaves a comment that it claimed unanswered. known
// is false when it claimed none of that id.
func (l Ledger) Skip(ctx context.Context, session, comment, reason string) (known bool, err error) {
	if strings.TrimSpace(reason) == "" {
		return false, fmt.Errorf("review ledger: comment %s: a skip needs a reason", comment)
	}
	var errs []error
	for _, name := range l.pages(pr.Ref{}, "", comment) {
		errs = append(errs, l.update(ctx, name, func(p *page) {
			for id, t := range p.Threads {
				if t.ClaimedBy != session || !slices.Contains(t.Comments, comment) {
					continue
				}
				if known = true; t.cover(comment) {
					p.touch(id, t, l.now())
				}
			}
		}))
	}
	return known, errors.Join(errs...)
}

// Owed returns what session claimed last and nobody answered, of the given pull
// requests; none given = of all. A ledger that cannot be read owes nothing.
func (l Ledger) Owed(session string, prs ...pr.Ref) []Owed {
	if session == "" {
		return nil
	}
	var out []Owed
	for _, name := range l.names() {
		p, err := l.load(name)
		if err != nil {
			continue
		}
		ref, _ := pr.Parse(p.PR)
		if len(prs) > 0 && !slices.ContainsFunc(prs, ref.Same) {
			continue
		}
		for _, id := range sorted(p.Threads) {
			t := p.Threads[id]
			if t.ClaimedBy != session {
				continue
			}
			for _, c := range t.open() {
				out = append(out, Owed{ref, id, c})
			}
		}
	}
	return out
}

// GC removes pages that were not changed for longer than ttl. A file that is no
// page of ours stays.
func (l Ledger) GC(now time.Time, ttl time.Duration) (removed int, err error) {
	var errs []error
	for _, name := range l.names() {
		path := filepath.Join(l.Dir, name)
		info, err := os.Lstat(path)
		if err != nil || now.Sub(info.ModTime()) <= ttl {
			continue
		}
		if p, err := l.load(name); err != nil || p.Version != ledgerVersion {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		unlock, err := fsx.Lock(ctx, path+lockSuffix)
		cancel()
		if err != nil {
			continue // in use
		}
		if info, err := os.Lstat(path); err == nil && now.Sub(info.ModTime()) > ttl {
			if err := os.Remove(path); err != nil {
				errs = append(errs, fmt.Errorf("review ledger: %w", err))
			} else {
				removed++
			}
			_ = os.Remove(path + lockSuffix) // its holder may
		}
		if err := unlock(); err != nil {
			errs = append(errs, fmt.Errorf("review ledger: %w", err))
		}
	}
	return removed, errors.Join(errs...)
}

func (l Ledger) now() time.Time {
	if l.Now == nil {
		return time.Now()
	}
	return l.Now()
}

// names lists the pages' file names, sorted.
func (l Ledger) names() []string {
	entries, err := os.ReadDir(l.Dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ledgerSuffix) && e.Type().IsRegular() {
			out = append(out, e.Name())
		}
	}
	return out
}

// pages lists the pages that know the thread or comment: that of ref, or, if it
// is not known there, any.
func (l Ledger) pages(ref pr.Ref, threadID, comment string) []string {
	knows := func(name string) bool {
		p, err := l.load(name)
		if err != nil {
			return false
		}
		for id, t := range p.Threads {
			if threadID != "" && id == threadID || comment != "" && (id == comment || slices.Contains(t.Comments, comment)) {
				return true
			}
		}
		return false
	}
	if name := fileOf(ref); ref.Number != 0 && ref.Owner != "" && knows(name) {
		return []string{name}
	}
	return slices.DeleteFunc(l.names(), func(name string) bool { return !knows(name) })
}

// fileOf names a pull request's page. The host is no part of it: a command's
// path does not say it.
func fileOf(ref pr.Ref) string {
	if ref.Number == 0 {
		return "unknown" + ledgerSuffix
	}
	full := strings.ToLower(fmt.Sprintf("%s/%s/%d", ref.Owner, ref.Repo, ref.Number))
	if ref.GitLab {
		full = "gitlab/" + full
	}
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_' {
			return r
		}
		return '-'
	}, full)
	if len(plain) > 100 {
		plain = plain[len(plain)-100:]
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(full))
	return fmt.Sprintf("%s-%08x%s", strings.TrimLeft(plain, "-."), h.Sum32(), ledgerSuffix)
}

func (l Ledger) load(name string) (*page, error) {
	p := &page{}
	raw, err := fsx.ReadFile(filepath.Join(l.Dir, name), maxLedger)
	if err == nil {
		err = json.Unmarshal(raw, p)
	}
	if err == nil && p.Version > ledgerVersion {
		err = fmt.Errorf("version %d is newer than this program", p.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("review ledger: %s: %w", name, err)
	}
	for id, t := range p.Threads {
		if t == nil {
			delete(p.Threads, id)
		}
	}
	return p, nil
}

// lockWait is how long a change waits for others: a lost one is an obligation
// that nobody sees.
const lockWait = 10 * time.Second

// update changes a page under its lock. A page that cannot be read is begun
// anew, beside what it was; nothing changed is nothing written.
func (l Ledger) update(ctx context.Context, name string, change func(*page)) (err error) {
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return fmt.Errorf("review ledger: %w", err)
	}
	path := filepath.Join(l.Dir, name)
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	unlock, err := fsx.Lock(wait, path+lockSuffix)
	if err != nil {
		return fmt.Errorf("review ledger: %w", err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	p, err := l.load(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p = &page{}
	case err != nil && strings.Contains(err.Error(), "newer than this program"):
		return err
	case err != nil:
		raw, err := fsx.ReadFile(path, maxLedger)
		if err == nil {
			err = fsx.Replace(path+".damaged", raw, 0o600)
		}
		if err != nil {
			return fmt.Errorf("review ledger: %w", err)
		}
		p = &page{}
	}
	if p.Threads == nil {
		p.Threads = map[string]*thread{}
	}
	p.Version = ledgerVersion
	before := p.Generation
	change(p)
	if p.Generation == before {
		return nil
	}
	raw, err := json.MarshalIndent(p, "", " ")
	if err == nil {
		// Not WriteFile: every fetch would wait for the disk, and what a power loss
		// tears is begun anew by the next one.
		err = fsx.Replace(path, append(raw, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("review ledger: %w", err)
	}
	return nil
}

// named keeps the fullest name of the pull request.
func (p *page) named(ref pr.Ref) {
	name := ref.URL()
	if name == "" && p.PR == "" {
		name = ref.String()
	}
	if name != "" {
		p.PR = name
	}
}

func (p *page) touch(id string, t *thread, now time.Time) {
	p.Generation++
	t.Generation++
	t.UpdatedAt = now.UTC().Truncate(time.Second)
	p.Threads[id] = t
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
