package review

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ec261362/guardrails/core/handoff/pr"
)

var (
	now   = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	seven = pr.Ref{Owner: "o", Repo: "r", Number: 7}
)

func ledger(dir string) Ledger { return Ledger{Dir: dir, Now: func() time.Time { return now }} }

func ids(list []Owed) []string {
	var out []string
	for _, o := range list {
		out = append(out, o.Comment)
	}
	return out
}

// skip is Ledger.Skip, with what it is to say of the comment.
func skip(l Ledger, session, comment, reason string, known bool) error {
	got, err := l.Skip(context.Background(), session, comment, reason)
	if err == nil && got != known {
		err = fmt.Errorf("comment %s of session %s: known %v", comment, session, got)
	}
	return err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsClaimedIsOwedUntilAnswered(t *testing.T) {
	ctx := context.Background()
	l := ledger(filepath.Join(t.TempDir(), "ledger"))
	must(t, l.Claim(ctx, "a", []Thread{{ID: "T1", PR: seven, Comments: []string{"11", "12"}}, {ID: "T2", PR: seven, Comments: []string{"21"}, Answered: []string{"20"}}}))
	if diff := cmp.Diff([]string{"11", "12", "21"}, ids(l.Owed("a"))); diff != "" {
		t.Fatal(diff)
	}
	if got := l.Owed("b"); got != nil {
		t.Errorf("another session owes %v", got)
	}
	if got := l.Owed("a", pr.Ref{Number: 8}); got != nil {
		t.Errorf("of another pull request: %v", got)
	}
	must(t, l.Cover(ctx, []Reply{{PR: seven, Comment: "11", Created: "99"}}))
	must(t, skip(l, "a", "21", "the owner answers", true))
	if got := l.Owed("a"); got != nil {
		t.Errorf("%v", got)
	}
	// Asked again in the same thread.
	must(t, l.Claim(ctx, "a", []Thread{{ID: "T1", PR: seven, Comments: []string{"14"}, Answered: []string{"11", "12"}}}))
	if diff := cmp.Diff([]Owed{{seven, "T1", "14"}}, l.Owed("a")); diff != "" {
		t.Error(diff)
	}
}

func TestSkipDefersOneCommentOfTheSessionsOwn(t *testing.T) {
	ctx := context.Background()
	l := ledger(t.TempDir())
	must(t, l.Claim(ctx, "a", []Thread{{ID: "T1", PR: seven, Comments: []string{"11", "13"}}}))
	must(t, skip(l, "b", "13", "not mine", false))
	must(t, skip(l, "a", "11", "later", true))
	must(t, skip(l, "a", "77", "not there", false))
	if diff := cmp.Diff([]string{"13"}, ids(l.Owed("a"))); diff != "" {
		t.Error(diff)
	}
	if _, err := l.Skip(ctx, "a", "13", " "); err == nil {
		t.Error("a skip without a reason")
	}
}

func TestWhoClaimsLastOwes(t *testing.T) {
	ctx := context.Background()
	l := ledger(t.TempDir())
	th := []Thread{{ID: "T1", PR: seven, Comments: []string{"11"}}}
	must(t, l.Claim(ctx, "a", th))
	must(t, l.Claim(ctx, "b", th))
	if l.Owed("a") != nil || len(l.Owed("b")) != 1 {
		t.Errorf("a owes %v, b owes %v", l.Owed("a"), l.Owed("b"))
	}
}

func TestRepliesFindTheirThread(t *testing.T) {
	ctx := context.Background()
	for _, r := range []Reply{
		{Thread: "T1", Created: "9"},
		{Comment: "11", Created: "9"},
		{PR: pr.Ref{Host: "github.com", Owner: "O", Repo: "R", Number: 7}, Comment: "11", Created: "9"},
		{PR: pr.Ref{Number: 7}, Comment: "11", Created: "9"},
	} {
		l := ledger(t.TempDir())
		must(t, l.Claim(ctx, "a", []Thread{{ID: "T1", PR: seven, Comments: []string{"11"}}}))
		must(t, l.Claim(ctx, "a", []Thread{{ID: "T1", PR: pr.Ref{Owner: "o", Repo: "r", Number: 8}, Comments: []string{"31"}}}))
		must(t, l.Cover(ctx, []Reply{r}))
		if got := ids(l.Owed("a", seven)); got != nil {
			t.Errorf("%+v: %v", r, got)
		}
	}
}

func TestNothingChangedIsNothingWritten(t *testing.T) {
	ctx := context.Background()
	l := ledger(t.TempDir())
	th := []Thread{{ID: "T1", PR: seven, Comments: []string{"11"}}}
	must(t, l.Claim(ctx, "a", th))
	name := filepath.Join(l.Dir, fileOf(seven))
	old := now.Add(-time.Hour)
	must(t, os.Chtimes(name, old, old))
	must(t, l.Claim(ctx, "a", th))
	must(t, l.Cover(ctx, []Reply{{Comment: "none", Created: "9"}}))
	info, err := os.Stat(name)
	must(t, err)
	if !info.ModTime().Equal(old) {
		t.Error("written anew")
	}
}

func TestADamagedPageOwesNothingAndIsBegunAnew(t *testing.T) {
	ctx := context.Background()
	l := ledger(t.TempDir())
	name := filepath.Join(l.Dir, fileOf(seven))
	must(t, os.WriteFile(name, []byte("{{{"), 0o600))
	if got := l.Owed("a"); got != nil {
		t.Error(got)
	}
	must(t, l.Claim(ctx, "a", []Thread{{ID: "T1", PR: seven, Comments: []string{"11"}}}))
	if got := ids(l.Owed("a")); len(got) != 1 {
		t.Error(got)
	}
	if _, err := os.Stat(name + ".damaged"); err != nil {
		t.Error(err)
	}
	must(t, os.WriteFile(name, []byte(`{"version":99}`), 0o600))
	if l.Claim(ctx, "a", []Thread{{ID: "T1", PR: seven, Comments: []string{"11"}}}) == nil {
		t.Error("a newer version's page was changed")
	}
}

func TestTheLedgerHoldsNoTexts(t *testing.T) {
	l := ledger(t.TempDir())
	must(t, l.Claim(context.Background(), "a", Threads(parse(graphql), gh(`{"id":"T1","isResolved":false,"comments":{"nodes":[{"databaseId":11,"body":"secret words"}]}}`), mark)))
	must(t, skip(l, "a", "11", "secret reason", true))
	raw, err := os.ReadFile(filepath.Join(l.Dir, fileOf(seven)))
	must(t, err)
	if strings.Contains(string(raw), "secret") {
		t.Errorf("%s", raw)
	}
}

func TestGCDropsIdlePages(t *testing.T) {
	ctx := context.Background()
	l := ledger(t.TempDir())
	eight := pr.Ref{Owner: "o", Repo: "r", Number: 8}
	must(t, l.Claim(ctx, "a", []Thread{{ID: "T1", PR: seven, Comments: []string{"11"}}, {ID: "T2", PR: eight, Comments: []string{"21"}}}))
	old := now.Add(-31 * 24 * time.Hour)
	must(t, os.Chtimes(filepath.Join(l.Dir, fileOf(seven)), old, old))
	must(t, os.Chtimes(filepath.Join(l.Dir, fileOf(eight)), now, now))
	other := filepath.Join(l.Dir, "other.json")
	must(t, os.WriteFile(other, []byte(`{"notes":[]}`), 0o600))
	must(t, os.Chtimes(other, old, old))
	n, err := l.GC(now, 30*24*time.Hour)
	if n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if diff := cmp.Diff([]string{"21"}, ids(l.Owed("a"))); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

const childEnv = "REVIEW_LEDGER_TEST_CHILD"

func TestMain(m *testing.M) {
	if args := os.Getenv(childEnv); args != "" {
		dir, id, _ := strings.Cut(args, "|")
		l := Ledger{Dir: dir}
		ctx := context.Background()
		err := l.Claim(ctx, "s"+id, []Thread{{ID: "own-" + id, PR: seven, Comments: []string{"c" + id, "d" + id}}})
		if err == nil {
			err = l.Cover(ctx, []Reply{{PR: seven, Comment: "shared-" + id, Created: "9"}})
		}
		if err == nil {
			_, err = l.Skip(ctx, "s"+id, "d"+id, "child")
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestSixtyProcessesLoseNothing(t *testing.T) {
	const n = 60
	l := Ledger{Dir: filepath.Join(t.TempDir(), "ledger")}
	var shared []Thread
	for i := range n {
		shared = append(shared, Thread{ID: fmt.Sprintf("shared-thread-%d", i), PR: seven, Comments: []string{fmt.Sprintf("shared-%d", i)}})
	}
	must(t, l.Claim(context.Background(), "first", shared))
	errs := make(chan error, n)
	for i := range n {
		go func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d", childEnv, l.Dir, i))
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			errs <- err
		}()
	}
	for range n {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := l.Owed("first"); len(got) != 0 {
		t.Errorf("%d answers were lost", len(got))
	}
	for i := range n {
		if got := ids(l.Owed(fmt.Sprintf("s%d", i))); !slices.Equal(got, []string{fmt.Sprintf("c%d", i)}) {
			t.Errorf("session %d owes %v", i, got)
		}
	}
	p, err := l.load(fileOf(seven))
	must(t, err)
	if p.Generation != n+3*n {
		t.Errorf("generation %d after %d changes", p.Generation, n+3*n)
	}
}

// The ledger against a model of who owes what.
func TestLedgerFollowsItsModel(t *testing.T) {
	dir := t.TempDir()
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		ctx := context.Background()
		l := ledger(filepath.Join(dir, fmt.Sprint(run)))
		claimedBy := map[string]string{}
		comments := map[string][]string{}
		covered := map[string]bool{}
		threadOf := func(i int) string { return fmt.Sprintf("T%d", i) }
		t.Repeat(map[string]func(*rapid.T){
			"claim": func(t *rapid.T) {
				th := threadOf(rapid.IntRange(0, 2).Draw(t, "thread"))
				who := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "who")
				c := fmt.Sprintf("%s-%d", th, rapid.IntRange(0, 3).Draw(t, "comment"))
				if err := l.Claim(ctx, who, []Thread{{ID: th, PR: seven, Comments: []string{c}}}); err != nil {
					t.Fatal(err)
				}
				claimedBy[th] = who
				if !slices.Contains(comments[th], c) {
					comments[th] = append(comments[th], c)
				}
			},
			"reply": func(t *rapid.T) {
				th := threadOf(rapid.IntRange(0, 2).Draw(t, "thread"))
				if err := l.Cover(ctx, []Reply{{PR: seven, Thread: th, Created: "9"}}); err != nil {
					t.Fatal(err)
				}
				for _, c := range comments[th] {
					covered[c] = true
				}
			},
			"skip": func(t *rapid.T) {
				th := threadOf(rapid.IntRange(0, 2).Draw(t, "thread"))
				who := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "who")
				c := fmt.Sprintf("%s-%d", th, rapid.IntRange(0, 3).Draw(t, "comment"))
				if _, err := l.Skip(ctx, who, c, "because"); err != nil {
					t.Fatal(err)
				}
				if claimedBy[th] == who && slices.Contains(comments[th], c) {
					covered[c] = true
				}
			},
			"": func(t *rapid.T) {
				for _, who := range []string{"a", "b"} {
					var want []string
					for th, by := range claimedBy {
						for _, c := range comments[th] {
							if by == who && !covered[c] {
								want = append(want, c)
							}
						}
					}
					got := ids(l.Owed(who))
					slices.Sort(want)
					slices.Sort(got)
					if !slices.Equal(want, got) {
						t.Fatalf("%s owes %v, the ledger says %v", who, want, got)
					}
				}
			},
		})
	})
}

func FuzzPage(f *testing.F) {
	f.Add([]byte(`{"version":1,"generation":2,"threads":{"T":{"comments":["1"],"claimedBy":"a"},"U":null}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l := ledger(t.TempDir())
		must(t, os.WriteFile(filepath.Join(l.Dir, fileOf(seven)), raw, 0o600))
		for _, o := range l.Owed("a") {
			if o.Comment == "" && !strings.Contains(string(raw), `""`) {
				t.Errorf("%+v", o)
			}
		}
	})
}
