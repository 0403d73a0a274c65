package coverage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestOnlyMoreUncoveredCodeIsALoss(t *testing.T) {
	for _, tc := range []struct {
		what     string
		was, now Count
		lost     bool
	}{
		{"the same", Count{90, 100}, Count{90, 100}, false},
		{"better", Count{90, 100}, Count{95, 100}, false},
		{"uncovered code is new", Count{90, 100}, Count{90, 110}, true},
		{"covered code lost its test", Count{90, 100}, Count{80, 100}, true},
		{"covered code is gone", Count{90, 100}, Count{10, 20}, false},
		{"uncovered code is gone", Count{90, 100}, Count{90, 95}, false},
		{"within the tolerance", Count{900, 1000}, Count{900, 1005}, false},
		{"just past it", Count{900, 1000}, Count{900, 1006}, true},
		{"more code, as well covered", Count{90, 100}, Count{180, 200}, false},
		{"nothing was", Count{}, Count{0, 100}, false},
		{"nothing is", Count{90, 100}, Count{}, false},
	} {
		got := Losses(map[string]Count{"p": tc.was, "gone": {1, 1}}, map[string]Count{"p": tc.now, "new": {0, 9}}, DefaultTolerance)
		if len(got) > 0 != tc.lost {
			t.Errorf("%s: %v", tc.what, got)
		}
	}
}

func newRatchet(tb testing.TB) *Ratchet {
	tb.Helper()
	return &Ratchet{File: filepath.Join(tb.TempDir(), "cache", "id", "coverage.json")}
}

func pass(tb testing.TB, r *Ratchet, commit string, now map[string]Count, holds func(string) bool) {
	tb.Helper()
	if err := r.Raise(context.Background(), Key{"go", "linux"}, commit, now, holds); err != nil {
		tb.Fatal(err)
	}
}

func marks(tb testing.TB, r *Ratchet, key Key, holds func(string) bool) map[string]Count {
	tb.Helper()
	got, err := r.Baseline(key, holds)
	if err != nil {
		tb.Fatal(err)
	}
	return got
}

func TestPassesRaiseTheBaseline(t *testing.T) {
	r, key := newRatchet(t), Key{"go", "linux"}
	if got := marks(t, r, key, nil); len(got) != 0 {
		t.Errorf("before the first pass: %v", got)
	}
	pass(t, r, "1", map[string]Count{"a": {50, 100}, "b": {9, 10}, "empty": {}}, nil)
	pass(t, r, "2", map[string]Count{"a": {60, 100}}, nil)
	if diff := cmp.Diff(map[string]Count{"a": {60, 100}, "b": {9, 10}}, marks(t, r, key, nil)); diff != "" {
		t.Error(diff)
	}
	for _, other := range []Key{{"python", "linux"}, {"go", "darwin"}} {
		if got := marks(t, r, other, nil); len(got) != 0 {
			t.Errorf("%s: %v", other, got)
		}
	}
	info, err := os.Stat(r.File)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	before, _ := os.Stat(r.File)
	pass(t, r, "2", map[string]Count{"a": {60, 100}}, nil)
	if after, _ := os.Stat(r.File); !os.SameFile(before, after) {
		t.Error("the same pass again wrote the file")
	}
}

func TestSmallLossesDoNotAddUp(t *testing.T) {
	r, key := newRatchet(t), Key{"go", "linux"}
	pass(t, r, "0", map[string]Count{"a": {900, 1000}}, nil)
	now := Count{900, 1000}
	for i := 1; i < 100; i++ {
		now.Total++ // a line that no test runs
		was := marks(t, r, key, nil)
		if len(Losses(was, map[string]Count{"a": now}, DefaultTolerance)) > 0 {
			if now.Total > 1006 {
				t.Errorf("noticed only at %v", now)
			}
			return
		}
		pass(t, r, fmt.Sprint(i), map[string]Count{"a": now}, nil)
	}
	t.Error("never noticed")
}

func TestDeletedCodeStartsFromWhereItIs(t *testing.T) {
	r, key := newRatchet(t), Key{"go", "linux"}
	pass(t, r, "1", map[string]Count{"a": {90, 100}}, nil)
	pass(t, r, "2", map[string]Count{"a": {10, 20}}, nil)
	if got := Losses(marks(t, r, key, nil), map[string]Count{"a": {14, 25}}, DefaultTolerance); len(got) != 0 {
		t.Errorf("better than after the deletion: %v", got)
	}
	if got := Losses(marks(t, r, key, nil), map[string]Count{"a": {10, 25}}, DefaultTolerance); len(got) != 1 {
		t.Error("worse than after the deletion passes")
	}
}

func TestPassesOnOtherBranchesDoNotBind(t *testing.T) {
	r, key := newRatchet(t), Key{"go", "linux"}
	pass(t, r, "main", map[string]Count{"a": {50, 100}}, nil)
	pass(t, r, "feature", map[string]Count{"a": {99, 100}}, nil)
	onMain := func(commit string) bool { return commit == "main" }
	if diff := cmp.Diff(map[string]Count{"a": {50, 100}}, marks(t, r, key, onMain)); diff != "" {
		t.Error(diff)
	}
	if got := marks(t, r, key, func(string) bool { return false }); len(got) != 0 {
		t.Errorf("on an unrelated branch: %v", got)
	}
	pass(t, r, "main", map[string]Count{"a": {60, 100}}, onMain)
	if got := marks(t, r, key, func(c string) bool { return c == "feature" })["a"]; got != (Count{99, 100}) {
		t.Errorf("the branch's own mark became %v", got)
	}
}

func TestDamagedBaselineIsSaidAndReplaced(t *testing.T) {
	for _, text := range []string{"", "{", "[]", `{"version":9}`, "\x00"} {
		r := newRatchet(t)
		if err := os.MkdirAll(filepath.Dir(r.File), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.File, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := r.Baseline(Key{"go", "linux"}, nil); err == nil || !strings.Contains(err.Error(), r.File) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		pass(t, r, "1", map[string]Count{"a": {1, 2}}, nil)
		if got := marks(t, r, Key{"go", "linux"}, nil); got["a"] != (Count{1, 2}) {
			t.Errorf("%q: %v", text, got)
		}
	}
	r := newRatchet(t)
	if err := os.MkdirAll(filepath.Dir(r.File), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.File, []byte(`{"version":1,"marks":{"go/linux":{"a":[{"covered":-1,"total":5},{"covered":9,"total":5}],"b":[{"covered":1,"total":5}]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := marks(t, r, Key{"go", "linux"}, nil); !cmp.Equal(got, map[string]Count{"b": {1, 5}}) {
		t.Errorf("marks without sense: %v", got)
	}
}

func TestParallelPassesLoseNothing(t *testing.T) {
	r := newRatchet(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { pass(t, r, "c", map[string]Count{fmt.Sprint("p", i): {1, 1}}, nil) })
	}
	wg.Wait()
	if got := marks(t, r, Key{"go", "linux"}, nil); len(got) != 20 {
		t.Errorf("%d of 20 packages", len(got))
	}
}

func TestFileStaysSmall(t *testing.T) {
	r := newRatchet(t)
	for i := range 3 * marksKept {
		pass(t, r, fmt.Sprint(i), map[string]Count{"a": {i, 1000}}, nil)
	}
	f, err := r.read()
	if err != nil || len(f.Marks["go/linux"]["a"]) != marksKept {
		t.Errorf("%d marks, %v", len(f.Marks["go/linux"]["a"]), err)
	}
}

// Whatever passes, the baseline of a package is never a loss against itself,
// and what is no less covered than it is none.
func TestBaselineIsConsistent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "coverage.json")
	rapid.Check(t, func(t *rapid.T) {
		_ = os.Remove(file)
		r, key := &Ratchet{File: file}, Key{"go", "linux"}
		for i := range rapid.IntRange(1, 8).Draw(t, "passes") {
			total := rapid.IntRange(1, 1000).Draw(t, "total")
			now := map[string]Count{"a": {rapid.IntRange(0, total).Draw(t, "covered"), total}}
			was, err := r.Baseline(key, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(Losses(was, now, DefaultTolerance)) > 0 {
				if now["a"].uncovered() <= was["a"].uncovered() || now["a"].exact() >= was["a"].exact() {
					t.Fatalf("from %v to %v is a loss", was, now)
				}
				continue
			}
			if err := r.Raise(context.Background(), key, fmt.Sprint(i), now, nil); err != nil {
				t.Fatal(err)
			}
			next, err := r.Baseline(key, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(Losses(next, now, DefaultTolerance)) > 0 {
				t.Fatalf("what passed, %v, is a loss against its own baseline %v", now, next)
			}
			if old, ok := was["a"]; ok && next["a"].exact() < old.exact() && next["a"].uncovered() > old.uncovered() {
				t.Fatalf("the baseline sank from %v to %v", was, next)
			}
		}
	})
}
