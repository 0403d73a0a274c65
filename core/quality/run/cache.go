package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/quality"
)

// formatOfCache changes when what is kept no longer means the same.
const formatOfCache = "1"

// kept is a step's result as it is stored.
type kept struct {
	Status   string            `json:"status"`
	Tool     string            `json:"tool"`
	Why      string            `json:"why,omitempty"`
	Findings []quality.Finding `json:"findings,omitempty"`
	Tests    int               `json:"tests,omitempty"`
	Report   *report           `json:"report,omitempty"`
	Seconds  float64           `json:"seconds"`
}

const (
	maxKept    = 600      // files of results
	maxReport  = 16 << 20 // of coverage in a kept result
	maxResults = 64 << 20
)

// store keeps results below a folder; one without a folder keeps nothing.
type store struct{ dir string }

func (s store) file(key string) string { return filepath.Join(s.dir, "results", key+".json") }

// key names what was run on what.
func key(tree string, p *pkg, k *task) string {
	sum := sha256.New()
	for _, part := range [...]string{formatOfCache, tree, runtime.GOOS, p.chain, p.dir, string(k.step), k.ident, strings.Join(files(k, p), "\x01")} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))[:40]
}

// files are the touched files that a step is only about.
func files(k *task, p *pkg) []string {
	if k.step == quality.Format || k.step == quality.Lint && p.chain != golang {
		return p.files
	}
	return nil
}

func (s store) get(key string) (*result, bool) {
	if s.dir == "" {
		return nil, false
	}
	data, err := fsx.ReadFile(s.file(key), maxResults)
	if err != nil {
		return nil, false
	}
	var v kept
	if json.Unmarshal(data, &v) != nil {
		return nil, false
	}
	r := &result{status: statusOf(v.Status), tool: v.Tool, why: v.Why, findings: v.Findings, tests: v.Tests, report: v.Report, cached: true}
	return r, r.status != unproven
}

func (s store) put(key string, r *result) {
	if s.dir == "" || r.status == unproven || r.missing || r.broken {
		return
	}
	v := kept{Status: r.status.String(), Tool: r.tool, Why: r.why, Findings: r.findings, Tests: r.tests, Report: r.report, Seconds: r.took.Seconds()}
	if v.Report != nil && len(v.Report.Data) > maxReport {
		return
	}
	data, err := json.Marshal(v)
	if err != nil {
		return
	}
	if os.MkdirAll(filepath.Join(s.dir, "results"), 0o700) == nil {
		_ = fsx.Replace(s.file(key), data, 0o600) // a result that is not kept is found again
	}
}

// prune drops the oldest results.
func (s store) prune() {
	if s.dir == "" {
		return
	}
	list, err := os.ReadDir(filepath.Join(s.dir, "results"))
	if err != nil || len(list) <= maxKept {
		return
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int {
		x, err1 := a.Info()
		y, err2 := b.Info()
		if err1 != nil || err2 != nil {
			return 0
		}
		return x.ModTime().Compare(y.ModTime())
	})
	for _, e := range list[:len(list)-maxKept/2] {
		_ = os.Remove(filepath.Join(s.dir, "results", e.Name()))
	}
}

// timings are the seconds that each step of each package took last.
type timings map[string]float64

func (s store) timings() timings {
	t := timings{}
	if s.dir == "" {
		return t
	}
	if data, err := fsx.ReadFile(filepath.Join(s.dir, "timings.json"), 4<<20); err == nil {
		_ = json.Unmarshal(data, &t) // none is as good as one that cannot be read
	}
	return t
}

func (s store) keepTimings(t timings) {
	if s.dir == "" {
		return
	}
	for len(t) > 5000 {
		for k := range t {
			delete(t, k)
			break
		}
	}
	if data, err := json.Marshal(t); err == nil && os.MkdirAll(s.dir, 0o700) == nil {
		_ = fsx.Replace(filepath.Join(s.dir, "timings.json"), data, 0o600)
	}
}

func timingKey(k *task, p *pkg) string {
	sum := sha256.Sum256([]byte(k.ident))
	return string(k.step) + " " + p.dir + " " + hex.EncodeToString(sum[:3])
}

// junk is what tools leave in a tree that has no say in what they find.
var junk = []string{".guardrails", "**/__pycache__", "**/*.pyc", "**/.pytest_cache", "**/.mypy_cache", "**/.ruff_cache", "**/.coverage", "**/.nyc_output", ".coverage", "__pycache__"}

// digest names what the project holds now; "" if that cannot be told.
func (w *Worker) digest(ctx context.Context, root string, exclude ...string) string {
	repo, err := w.repo(ctx, root)
	if err != nil {
		return plainDigest(ctx, root)
	}
	d, err := repo.TreeDigest(ctx, append(slices.Clone(junk), exclude...)...)
	if err != nil {
		return ""
	}
	return d
}

// digest names what the project holds now, with the other repositories in it that
// packages lie in: to ours they are one commit each.
func (g *gating) digest(ctx context.Context, exclude ...string) string {
	d := g.w.digest(ctx, g.p.Root, exclude...)
	for _, rel := range g.nested() {
		sub := g.w.digest(ctx, g.t.abs(rel))
		if d == "" || sub == "" {
			return ""
		}
		sum := sha256.Sum256([]byte(d + " " + rel + " " + sub))
		d = hex.EncodeToString(sum[:])
	}
	return d
}

// maxPlain bounds a digest without git.
const maxPlain = 20_000

// plainDigest is a digest of a project that is in no repository: contents, and
// of large files size and time.
func plainDigest(ctx context.Context, root string) string {
	sum := sha256.New()
	n := 0
	err := walk(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return fmt.Errorf("digest of %s: %w", name, fs.ErrInvalid)
		}
		if d.IsDir() {
			if base := d.Name(); name != root && (passed(base) || base == "target" || base == "vendor" || base == ".coverage") {
				return fs.SkipDir
			}
			return nil
		}
		if n++; n > maxPlain {
			return fs.ErrInvalid
		}
		return addFile(sum, root, name, d)
	})
	if err != nil {
		return ""
	}
	return "plain-" + hex.EncodeToString(sum.Sum(nil))[:32]
}

func addFile(sum hash.Hash, root, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, name)
	if err != nil {
		return err
	}
	fmt.Fprintf(sum, "%d:%s:%v:%d\n", len(rel), rel, info.Mode(), info.Size())
	if !info.Mode().IsRegular() {
		return nil
	}
	if info.Size() > 4<<20 {
		fmt.Fprintf(sum, "%d\n", info.ModTime().UnixNano())
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(sum, f)
	return err
}

// lock is one gate per worktree.
func (w *Worker) lock(ctx context.Context, cache, root string) (func(), error) {
	if cache == "" {
		return func() {}, nil
	}
	if os.MkdirAll(cache, 0o700) != nil {
		return func() {}, nil //nolint:nilerr // where nothing can be kept, nothing is shared
	}
	sum := sha256.Sum256([]byte(root))
	unlock, err := fsx.Lock(ctx, filepath.Join(cache, "gate-"+hex.EncodeToString(sum[:4])+".lock"))
	switch {
	case err != nil && ctx.Err() == nil:
		return func() {}, nil // a full disk
	case err != nil:
		return nil, fmt.Errorf("another run of the gate is at work here: %w", err)
	}
	return func() { _ = unlock() }, nil
}

func seconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond)) / float64(time.Second)
}
