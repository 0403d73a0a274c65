// Package slots keeps watch slots: folders on disk, one for each pull request
// that somebody follows. A slot holds prs.json (which pull request, and whose
// session), followup.log, and result.md once it is finished.
//
// It imports core/fsx, core/handoff/pr and the standard library only.
package slots

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/handoff/pr"
)

// Names of a slot's files.
const (
	prsName    = "prs.json"
	resultName = "result.md"
	logName    = "followup.log"
	lockName   = ".lock"
)

// DefaultOwner is the member of prs.json that holds the session's id.
const DefaultOwner = "sessionId"

// maxFile is the most that is read of a slot's file, in bytes.
const maxFile = 1 << 20

// FS is what reading slots asks of the file system; gate.FS is one.
type FS interface {
	Lstat(name string) (fs.FileInfo, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	ReadFile(name string, max int64) ([]byte, error)
}

// Layout is where slots are, and how they name their owner.
type Layout struct {
	Dir   string
	Owner string // member of prs.json that holds the session's id; "" = sessionId
}

func (l Layout) owner() string { return cmp.Or(l.Owner, DefaultOwner) }

// Slot is one slot.
type Slot struct {
	Slug       string    `json:"slug"`
	Dir        string    `json:"dir"`
	URL        string    `json:"url"`               // of the first pull request; "" = prs.json names none
	URLs       []string  `json:"urls,omitempty"`    // all, if there are several
	Session    string    `json:"session,omitempty"` // owner; "" = not recorded
	Finished   bool      `json:"finished"`
	FinishedAt time.Time `json:"finishedAt,omitzero"`
}

// List returns the slots, sorted by slug. A folder that is missing has none; a
// slot that cannot be read has no URL. Links are not followed.
func List(fsys FS, l Layout) ([]Slot, error) {
	entries, err := fsys.ReadDir(l.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("watch slots: %w", err)
	}
	var out []Slot
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		s := Slot{Slug: e.Name(), Dir: filepath.Join(l.Dir, e.Name())}
		raw, err := fsys.ReadFile(filepath.Join(s.Dir, prsName), maxFile)
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := fsys.Lstat(filepath.Join(s.Dir, resultName)); err != nil {
				continue // no slot
			}
		}
		s.read(raw, l.owner())
		if info, err := fsys.Lstat(filepath.Join(s.Dir, resultName)); err == nil {
			s.Finished, s.FinishedAt = true, info.ModTime()
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Slot) int { return strings.Compare(a.Slug, b.Slug) })
	return out, nil
}

// read takes the addresses and the owner from prs.json: a list of pull requests
// or one, each an object or an address, or an object that holds such a list.
func (s *Slot) read(raw []byte, owner string) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return
	}
	var urls []string
	var see func(v any, depth int)
	see = func(v any, depth int) {
		switch v := v.(type) {
		case string:
			if _, ok := pr.ParseURL(v); ok && !slices.Contains(urls, v) {
				urls = append(urls, v)
			}
		case []any:
			for _, e := range v {
				see(e, depth)
			}
		case map[string]any:
			if id, ok := v[owner].(string); ok && s.Session == "" {
				s.Session = id
			}
			address := addressOf(v)
			for _, k := range [...]string{"url", "html_url", "prUrl", "pr"} {
				if u, ok := v[k].(string); ok {
					address = u
					break
				}
			}
			see(address, depth)
			if depth == 0 {
				for _, k := range [...]string{"prs", "pullRequests", "items"} {
					if list, ok := v[k].([]any); ok {
						see(list, 1)
					}
				}
			}
		}
	}
	see(v, 0)
	if len(urls) > 0 {
		s.URL = urls[0]
	}
	if len(urls) > 1 {
		s.URLs = urls
	}
}

// addressOf returns the address of a pull request that is named by its number and
// the repository on github.com, "" if it is not.
func addressOf(v map[string]any) string {
	repo, _ := v["repo"].(string)
	if owner, ok := v["owner"].(string); ok && repo != "" && !strings.Contains(repo, "/") {
		repo = owner + "/" + repo
	}
	if strings.Count(repo, "/") != 1 {
		return ""
	}
	for _, k := range [...]string{"number", "pr", "prNumber"} {
		if n, ok := v[k].(float64); ok && n >= 1 && n == float64(int64(n)) {
			return fmt.Sprintf("https://github.com/%s/pull/%d", repo, int64(n))
		}
	}
	return ""
}

// Tracks reports whether the slot is for a pull request.
func (s *Slot) Tracks(ref pr.Ref) bool {
	for _, u := range append([]string{s.URL}, s.URLs...) {
		if r, ok := pr.ParseURL(u); ok && r.Same(ref) {
			return true
		}
	}
	return false
}

// Tracked reports whether a slot, open or finished, is for the pull request.
func Tracked(list []Slot, ref pr.Ref) bool {
	return slices.ContainsFunc(list, func(s Slot) bool { return s.Tracks(ref) })
}

// Open returns the slots that are not finished: those that session owns, and
// those of others, or of nobody.
func Open(list []Slot, session string) (own, orphans []Slot) {
	for _, s := range list {
		switch {
		case s.Finished:
		case session != "" && s.Session == session:
			own = append(own, s)
		default:
			orphans = append(orphans, s)
		}
	}
	return own, orphans
}

// ErrNoSlot is wrapped by errors that say that there is no such slot.
var ErrNoSlot = errors.New("no such slot")

// lockWait is how long a change waits for another.
const lockWait = 5 * time.Second

func (l Layout) lock() (unlock func() error, err error) {
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("watch slots: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	if unlock, err = fsx.Lock(ctx, filepath.Join(l.Dir, lockName)); err != nil {
		return nil, fmt.Errorf("watch slots: %w", err)
	}
	return unlock, nil
}

// Seed makes a slot for a pull request and returns it, or the open one that is
// there. An owner that is not recorded yet is; a recorded one stays. slug may be
// "": it is then made from the pull request.
func Seed(l Layout, ref pr.Ref, slug, session string, now time.Time) (s Slot, made bool, err error) {
	url := ref.URL()
	if url == "" {
		return Slot{}, false, fmt.Errorf("watch slots: %q is no pull request's address", ref)
	}
	if slug != "" && !isSlug(slug) {
		return Slot{}, false, fmt.Errorf("watch slots: %q: a slot's name is letters, digits, '-', '_' and '.', and begins with a letter or digit", slug)
	}
	unlock, err := l.lock()
	if err != nil {
		return Slot{}, false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	list, err := List(fsx.OS{}, l)
	if err != nil {
		return Slot{}, false, err
	}
	for _, s := range list {
		if s.Finished || !s.Tracks(ref) {
			continue
		}
		if s.Session == "" && session != "" {
			if err := own(filepath.Join(s.Dir, prsName), l.owner(), session); err != nil {
				return Slot{}, false, err
			}
			s.Session = session
		}
		return s, false, nil
	}
	name := cmp.Or(slug, slugOf(ref))
	for n := 2; slices.ContainsFunc(list, func(s Slot) bool { return strings.EqualFold(s.Slug, name) }); n++ {
		if slug != "" {
			return Slot{}, false, fmt.Errorf("watch slots: %s is taken by another pull request: give another name", slug)
		}
		name = fmt.Sprintf("%s-%d", slugOf(ref), n)
	}
	entry := map[string]any{"url": url, "number": ref.Number, "repo": ref.Owner + "/" + ref.Repo, "createdAt": now.UTC().Format(time.RFC3339)}
	if session != "" {
		entry[l.owner()] = session
	}
	raw, err := json.MarshalIndent([]any{entry}, "", "  ")
	if err != nil {
		return Slot{}, false, err
	}
	dir := filepath.Join(l.Dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Slot{}, false, fmt.Errorf("watch slots: %w", err)
	}
	if err := fsx.WriteFile(filepath.Join(dir, prsName), append(raw, '\n'), 0o600); err != nil {
		return Slot{}, false, fmt.Errorf("watch slots: %w", err)
	}
	note(dir, now, "seeded for "+url)
	return Slot{Slug: name, Dir: dir, URL: url, Session: session}, true, nil
}

// own records the owner in the first object of prs.json, and keeps the rest.
func own(name, owner, session string) error {
	raw, err := fsx.ReadFile(name, maxFile)
	if err != nil {
		return fmt.Errorf("watch slots: %w", err)
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("watch slots: %s: %w", name, err)
	}
	first, ok := v.(map[string]any)
	if list, is := v.([]any); is && len(list) > 0 {
		first, ok = list[0].(map[string]any)
	}
	if !ok {
		return nil // addresses only: there is no place for an owner
	}
	first[owner] = session
	if raw, err = json.MarshalIndent(v, "", "  "); err != nil {
		return fmt.Errorf("watch slots: %w", err)
	}
	if err := fsx.WriteFile(name, append(raw, '\n'), 0o600); err != nil {
		return fmt.Errorf("watch slots: %w", err)
	}
	return nil
}

// Find returns the slots that a name means: a slug, or a pull request's address
// or short name (#7, owner/repo#7); open ones before finished ones.
func Find(list []Slot, name string) []Slot {
	var open, done []Slot
	ref, isRef := pr.Parse(name)
	if !isRef && strings.Trim(name, "0123456789") == "" {
		ref, isRef = pr.Parse("#" + name)
	}
	for _, s := range list {
		if s.Slug == name {
			return []Slot{s}
		}
		switch {
		case !isRef || !s.Tracks(ref):
		case s.Finished:
			done = append(done, s)
		default:
			open = append(open, s)
		}
	}
	return append(open, done...)
}

// Finish writes a slot's result. Of a slot that is finished already the first
// result stays.
func Finish(l Layout, slug, result string, now time.Time) (s Slot, err error) {
	unlock, err := l.lock()
	if err != nil {
		return Slot{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	list, err := List(fsx.OS{}, l)
	if err != nil {
		return Slot{}, err
	}
	i := slices.IndexFunc(list, func(s Slot) bool { return s.Slug == slug })
	if i < 0 {
		return Slot{}, fmt.Errorf("watch slots: %s: %w in %s", slug, ErrNoSlot, l.Dir)
	}
	s = list[i]
	if s.Finished {
		return s, nil
	}
	text := fmt.Sprintf("# %s\n\n%s\n\nFinished %s.\n", cmp.Or(s.URL, slug), cmp.Or(strings.TrimSpace(result), "finished"), now.UTC().Format(time.RFC3339))
	name := filepath.Join(s.Dir, resultName)
	if err := fsx.WriteFile(name, []byte(text), 0o600); err != nil {
		return Slot{}, fmt.Errorf("watch slots: %w", err)
	}
	note(s.Dir, now, "finished: "+strings.Join(strings.Fields(result), " "))
	s.Finished, s.FinishedAt = true, now
	return s, nil
}

// note adds a line to a slot's log; the log is for people, so that a failure is
// none.
func note(dir string, now time.Time, text string) {
	f, err := os.OpenFile(filepath.Join(dir, logName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteString(now.UTC().Format(time.RFC3339) + " " + text + "\n")
}

// GC removes slots finished longer than ttl ago, never an open one. A folder that
// names no pull request, or holds more than a few plain files, is somebody's
// work and stays. It goes on after an error and returns all. A change that runs
// meanwhile puts it off.
func GC(l Layout, now time.Time, ttl time.Duration) (removed int, err error) {
	list, err := List(fsx.OS{}, l)
	if err != nil {
		return 0, err
	}
	dead := func(s Slot) bool {
		return s.Finished && now.Sub(s.FinishedAt) > ttl && s.URL != "" && isPlain(s.Dir)
	}
	if !slices.ContainsFunc(list, dead) {
		return 0, nil
	}
	unlock, err := l.lock()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if list, err = List(fsx.OS{}, l); err != nil {
		return 0, err
	}
	var errs []error
	for _, s := range list {
		if !dead(s) {
			continue
		}
		if err := os.RemoveAll(s.Dir); err != nil {
			errs = append(errs, fmt.Errorf("watch slots: %w", err))
			continue
		}
		removed++
	}
	return removed, errors.Join(errs...)
}

// maxFiles is how many files a slot may hold for GC to take it for one.
const maxFiles = 32

// isPlain reports whether a folder holds a few files and nothing else.
func isPlain(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) <= maxFiles && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.Type().IsRegular() })
}

// isSlug reports whether s can name a slot's folder on every system.
func isSlug(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case i > 0 && (c == '-' || c == '_' || c == '.'):
		default:
			return false
		}
	}
	return s != "" && len(s) <= 100 && !strings.HasSuffix(s, ".")
}

func slugOf(ref pr.Ref) string {
	var b strings.Builder
	for _, r := range strings.ToLower(fmt.Sprintf("%s-%s-%d", ref.Owner, ref.Repo, ref.Number)) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || b.Len() > 0 && (r == '.' || r == '_') {
			b.WriteRune(r)
		} else if b.Len() > 0 {
			b.WriteByte('-')
		}
	}
	s := b.String()
	if len(s) > 90 {
		s = s[len(s)-90:]
	}
	return strings.TrimLeft(s, "-._")
}
