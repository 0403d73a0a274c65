package session

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/fsx"
)

const roleVar = "SESSION_TEST_ROLE"

// TestMain also makes this test binary a hook that records.
func TestMain(m *testing.M) {
	var err error
	switch arg := func(i int) string { return append(os.Args, "", "", "")[i] }; os.Getenv(roleVar) {
	case "":
		os.Exit(m.Run())
	case "record":
		err = record(arg(1), arg(2))
	case "one path":
		_, err = (&Store{Dir: arg(1)}).Update(context.Background(), "claude", "s1", func(tx *Tx) error {
			tx.Apply(Add(Touched, arg(2)))
			return nil
		})
	default:
		err = systemRole(os.Getenv(roleVar), arg(1))
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	os.Exit(0)
}

// record adds paths of its own for ever, and says of each that it is kept.
func record(dir, name string) error {
	s := &Store{Dir: dir}
	for i := 0; ; i++ {
		path := fmt.Sprintf("%s/%d", name, i)
		if _, err := s.Update(context.Background(), "claude", "s1", func(tx *Tx) error {
			tx.Apply(Add(Touched, path), Count("edits", 1))
			return nil
		}); err != nil {
			return err
		}
		fmt.Println(path)
	}
}

func child(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), roleVar+"="+role, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// store returns a store whose clock stands at *now.
func store(t *testing.T, now *time.Time) *Store {
	t.Helper()
	return &Store{Dir: filepath.Join(t.TempDir(), "sessions"), Now: func() time.Time { return *now }}
}

func update(t *testing.T, s *Store, id string, changes ...Change) View {
	t.Helper()
	v, err := s.Update(context.Background(), "claude", id, func(tx *Tx) error {
		tx.Apply(changes...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func view(t *testing.T, s *Store, id string) View {
	t.Helper()
	v, err := s.View("claude", id)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// files lists what the store's directory holds, keys of known ids by their id.
func files(t *testing.T, s *Store, ids ...string) []string {
	t.Helper()
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, 0, len(entries))
	for _, e := range entries {
		name := e.Name()
		for _, id := range ids {
			name = strings.ReplaceAll(name, Key("claude", id), id)
		}
		out = append(out, name)
	}
	return out
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestUpdateMakesTheSessionThatViewReads(t *testing.T) {
	now := noon
	s := store(t, &now)
	if v := view(t, s, "s1"); !v.New() {
		t.Error("a session that was never seen is not new")
	}
	if _, err := os.Stat(s.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading made the directory: %v", err)
	}
	v := update(t, s, "s1", Add(Touched, "a.go"), Count("edits", 2), Add(Touched, "c.go").For("a1"))
	for _, v := range []View{v, view(t, s, "s1")} {
		if v.New() || !v.Has(Touched, "a.go") || v.Has(Touched, "c.go") || v.Counter("edits") != 2 || !v.Agent("a1").Has(Touched, "c.go") || !v.CreatedAt().Equal(noon) {
			t.Errorf("state %s", v.s.encode())
		}
	}
	if v := view(t, s, "s2"); !v.New() {
		t.Error("sessions are mixed up")
	}
	if v, err := s.View("gemini", "s1"); err != nil || !v.New() {
		t.Error("hosts are mixed up")
	}
	now = now.Add(time.Hour)
	update(t, s, "s1", Count("edits", 1))
	if v := view(t, s, "s1"); v.Counter("edits") != 3 || !v.CreatedAt().Equal(noon) || !v.UpdatedAt().Equal(now) {
		t.Errorf("state %s", v.s.encode())
	}
}

func TestFilesAreTheUsersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such modes here")
	}
	now := noon
	s := store(t, &now)
	update(t, s, "s1", Count("n", 1))
	base := filepath.Join(s.Dir, Key("claude", "s1"))
	for path, want := range map[string]fs.FileMode{s.Dir: 0o700, base + ".json": 0o600, base + ".lock": 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: mode %v, want %v", path, got, want)
		}
	}
}

func TestAKeyTellsNothingOfTheID(t *testing.T) {
	// The log holds its first 16 digits.
	if got := Key("claude", "s"); got != "43b14bc3f87267ea4bc2e0afd10a02e9" {
		t.Errorf("key %s", got)
	}
	if Key("claude", "s1") == Key("claude", "s2") || Key("a", "bc") == Key("ab", "c") {
		t.Error("keys are not apart")
	}
}

func TestWithoutASessionIDThereIsNoState(t *testing.T) {
	now := noon
	s := store(t, &now)
	nothing := func(*Tx) error { return nil }
	_, err1 := s.View("claude", "")
	_, err2 := s.Update(context.Background(), "claude", "", nothing)
	_, err3 := s.Preview("claude", "", nothing)
	err4 := s.Refresh("claude", "", 0)
	for _, err := range []error{err1, err2, err3, err4} {
		if !errors.Is(err, ErrNoSession) {
			t.Errorf("error = %v, want ErrNoSession", err)
		}
	}
}

func TestNoChangeWritesNothing(t *testing.T) {
	now := time.Now() // files have their real times
	s := store(t, &now)
	update(t, s, "s1")
	if got := files(t, s, "s1"); !cmp.Equal(got, []string{"s1.lock"}) {
		t.Errorf("files %q", got)
	}
	update(t, s, "s1", Add("s", "a"))
	path := filepath.Join(s.Dir, Key("claude", "s1")+".json")
	before, err := fsx.StampOf(path)
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	update(t, s, "s1", Add("s", "a"), Meet("never", time.Time{}).For(""), Remove("s", "b"), Change{})
	after, err := fsx.StampOf(path)
	if err != nil {
		t.Fatal(err)
	}
	if before.Same(after) {
		t.Error("meeting an obligation is a change, even if it is not open yet")
	}
	update(t, s, "s1", Add("s", "a"), Remove("s", "b"), Change{})
	again, err := fsx.StampOf(path)
	if err != nil {
		t.Fatal(err)
	}
	if !after.Same(again) {
		t.Error("written without a change")
	}
}

func TestAFailedUpdateChangesNothing(t *testing.T) {
	now := noon
	s := store(t, &now)
	update(t, s, "s1", Count("n", 1))
	boom := errors.New("boom")
	_, err := s.Update(context.Background(), "claude", "s1", func(tx *Tx) error {
		tx.Apply(Count("n", 1))
		return boom
	})
	if !errors.Is(err, boom) {
		t.Errorf("error = %v", err)
	}
	if n := view(t, s, "s1").Counter("n"); n != 1 {
		t.Errorf("n = %d", n)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_, _ = s.Update(context.Background(), "claude", "s1", func(*Tx) error { panic("boom") })
	}()
	if v := update(t, s, "s1", Count("n", 1)); v.Counter("n") != 2 {
		t.Errorf("n = %d", v.Counter("n"))
	}
}

func TestALockThatIsNotHadIsReported(t *testing.T) {
	now := noon
	s := store(t, &now)
	update(t, s, "s1", Count("n", 1))
	unlock, err := fsx.Lock(context.Background(), filepath.Join(s.Dir, Key("claude", "s1")+".lock"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	called := false
	_, err = s.Update(ctx, "claude", "s1", func(*Tx) error { called = true; return nil })
	if !errors.Is(err, ErrLocked) || !errors.Is(err, context.DeadlineExceeded) || called {
		t.Errorf("error = %v, called %v, want ErrLocked", err, called)
	}
	if n := view(t, s, "s1").Counter("n"); n != 1 {
		t.Errorf("reading waits for the lock: n = %d", n)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	update(t, s, "s1", Count("n", 1))
}

func TestADamagedStateIsSetAsideAndSaid(t *testing.T) {
	now := noon
	s := store(t, &now)
	update(t, s, "s1", Open("e2e", "", noon))
	path := filepath.Join(s.Dir, Key("claude", "s1")+".json")
	for i, damage := range []string{"", "{\"v\":1", strings.Repeat("\x00", 4096)} {
		now = now.Add(time.Second)
		write(t, path, damage)
		if v, err := s.View("claude", "s1"); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path) || !v.New() {
			t.Errorf("view: %v", err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != damage {
			t.Errorf("reading changed the file: %q, %v", got, err)
		}
		v, err := s.Preview("claude", "s1", func(tx *Tx) error { tx.Apply(Count("n", 1)); return nil })
		if !errors.Is(err, ErrCorrupt) || v.Counter("n") != 1 || !v.LostAt().Equal(now) {
			t.Errorf("preview: %v, lost %v", err, v.LostAt())
		}
		v, err = s.Update(context.Background(), "claude", "s1", func(tx *Tx) error {
			if tx.View().LostAt().IsZero() {
				t.Error("the update does not see the loss")
			}
			tx.Apply(Count("n", 1))
			return nil
		})
		if !errors.Is(err, ErrCorrupt) || v.Counter("n") != 1 {
			t.Errorf("update: %v, n %d, want ErrCorrupt and the change", err, v.Counter("n"))
		}
		v = view(t, s, "s1")
		if v.New() || v.Counter("n") != 1 || !v.LostAt().Equal(now) {
			t.Errorf("afterwards: %s", v.s.encode())
		}
		aside := filepath.Join(s.Dir, fmt.Sprintf("%s.corrupt-%d", Key("claude", "s1"), now.UnixMicro()))
		if got, err := os.ReadFile(aside); err != nil || string(got) != damage {
			t.Errorf("set aside: %q, %v", got, err)
		}
		if got := files(t, s); len(got) != 3+i {
			t.Errorf("files %q", got)
		}
	}
	// The loss is remembered even if the update fails or changes nothing.
	for _, fn := range []func(*Tx) error{func(*Tx) error { return errors.New("boom") }, func(*Tx) error { return nil }} {
		now = now.Add(time.Second)
		write(t, path, "x")
		if _, err := s.Update(context.Background(), "claude", "s1", fn); !errors.Is(err, ErrCorrupt) {
			t.Errorf("error = %v", err)
		}
		if v := view(t, s, "s1"); !v.LostAt().Equal(now) {
			t.Errorf("lost %v", v.LostAt())
		}
	}
}

func TestAStateOfTheFutureIsLeftAlone(t *testing.T) {
	now := noon
	s := store(t, &now)
	update(t, s, "s1", Count("n", 1))
	path := filepath.Join(s.Dir, Key("claude", "s1")+".json")
	const future = `{"v":99,"everything":"else"}`
	write(t, path, future)
	called := false
	fn := func(*Tx) error { called = true; return nil }
	_, err1 := s.View("claude", "s1")
	_, err2 := s.Update(context.Background(), "claude", "s1", fn)
	_, err3 := s.Preview("claude", "s1", fn)
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, ErrVersion) || errors.Is(err, ErrCorrupt) || called {
			t.Errorf("error = %v, called %v", err, called)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != future {
		t.Errorf("file %q, %v", got, err)
	}
	if got := files(t, s, "s1"); !cmp.Equal(got, []string{"s1.json", "s1.lock"}) {
		t.Errorf("files %q", got)
	}
}

func TestPreviewWritesNothing(t *testing.T) {
	now := noon
	s := store(t, &now)
	change := func(tx *Tx) error { tx.Apply(Count("n", 1)); return nil }
	if v, err := s.Preview("claude", "s1", change); err != nil || v.Counter("n") != 1 || v.New() {
		t.Errorf("n = %d, %v", v.Counter("n"), err)
	}
	if _, err := os.Stat(s.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory was made: %v", err)
	}
	update(t, s, "s1", Count("n", 1))
	if v, err := s.Preview("claude", "s1", change); err != nil || v.Counter("n") != 2 {
		t.Errorf("n = %d, %v", v.Counter("n"), err)
	}
	boom := errors.New("boom")
	if _, err := s.Preview("claude", "s1", func(*Tx) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("error = %v", err)
	}
	if v := view(t, s, "s1"); v.Counter("n") != 1 {
		t.Errorf("n = %d", v.Counter("n"))
	}
}

// TestSixtyProcessesLoseNothing is the promise of this package: what Update
// returned for is kept, whoever else writes, and whoever is killed while writing.
func TestSixtyProcessesLoseNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	const processes, killed = 60, 10
	var wg sync.WaitGroup
	for i := range processes - killed {
		cmd := child(t, "one path", dir, fmt.Sprintf("once/%d", i))
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	kept := make([][]string, killed)
	for i := range killed {
		cmd := child(t, "record", dir, fmt.Sprintf("killed/%d", i))
		wg.Go(func() {
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Error(err)
				return
			}
			sc := bufio.NewScanner(out)
			for n := rand.IntN(15) + 1; n > 0 && sc.Scan(); n-- {
				kept[i] = append(kept[i], sc.Text())
			}
			// It goes on recording until it dies, at whatever step it is.
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
			for sc.Scan() { // what it had said before
				kept[i] = append(kept[i], sc.Text())
			}
			cmd.Wait() // it was killed
		})
	}
	wg.Wait()
	s := &Store{Dir: dir}
	v := view(t, s, "s1")
	for i := range processes - killed {
		if path := fmt.Sprintf("once/%d", i); !v.Has(Touched, path) {
			t.Errorf("%s is lost", path)
		}
	}
	for i := range kept {
		if len(kept[i]) == 0 {
			t.Errorf("process %d recorded nothing", i)
		}
		for _, path := range kept[i] {
			if !v.Has(Touched, path) {
				t.Errorf("%s is lost", path)
			}
		}
	}
	// Set and counter went together: no update was half done.
	recorded := 0
	for _, path := range v.Touched() {
		if strings.HasPrefix(path, "killed/") {
			recorded++
		}
	}
	if n := v.Counter("edits"); int(n) != recorded {
		t.Errorf("%d edits, %d paths", n, recorded)
	}
	// The dead left no lock behind.
	update(t, s, "s1", Count("n", 1))
}

func TestSweepRemovesWhatIsIdle(t *testing.T) {
	now := noon
	s := store(t, &now)
	const idle = 14 * 24 * time.Hour
	if n, err := s.Sweep(now, idle); n != 0 || err != nil {
		t.Errorf("no directory: %d, %v", n, err)
	}
	if _, err := os.Stat(s.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory was made: %v", err)
	}
	age := func(name string, d time.Duration) {
		t.Helper()
		if err := os.Chtimes(filepath.Join(s.Dir, name), now, now.Add(-d)); err != nil {
			t.Fatal(err)
		}
	}
	key := func(id string) string { return Key("claude", id) }
	for id, d := range map[string]time.Duration{"old": idle + time.Minute, "young": idle - time.Minute, "held": 2 * idle} {
		update(t, s, id, Count("n", 1))
		age(key(id)+".json", d)
		age(key(id)+".lock", 2*idle)
	}
	for name, d := range map[string]time.Duration{
		key("gone") + ".lock":          2 * idle, // of a session that is not there
		key("coming") + ".lock":        0,
		key("young") + ".corrupt-123":  idle + time.Minute,
		key("young") + ".corrupt-456":  idle - time.Minute,
		key("young") + ".json.1.a.tmp": 2 * time.Hour, // its writer is dead
		key("young") + ".json.2.b.tmp": time.Minute,
		"somebody-elses":               99 * idle,
	} {
		write(t, filepath.Join(s.Dir, name), "")
		age(name, d)
	}
	unlock, err := fsx.Lock(context.Background(), filepath.Join(s.Dir, key("held")+".lock"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.Sweep(now, idle)
	if n != 1 || err != nil {
		t.Errorf("removed %d, %v, want 1", n, err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	left := func() string {
		t.Helper()
		out := files(t, s, "old", "young", "held", "gone", "coming")
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	want(t, "left", left(), "coming.lock held.json held.lock somebody-elses young.corrupt-456 young.json young.json.2.b.tmp young.lock")
	now = now.Add(time.Hour)
	age(key("young")+".json", 2*idle)
	if n, err := s.Sweep(now, idle); n != 2 || err != nil {
		t.Errorf("later: %d, %v", n, err)
	}
	want(t, "left", left(), "coming.lock somebody-elses")
	if v := view(t, s, "old"); !v.New() {
		t.Error("a removed session is not new")
	}
	update(t, s, "old", Count("n", 1))
}

func TestASessionInUseIsNotIdle(t *testing.T) {
	now := noon
	s := store(t, &now)
	const idle = 14 * 24 * time.Hour
	update(t, s, "s1", Add("s", "a"))
	path := filepath.Join(s.Dir, Key("claude", "s1")+".json")
	used := func(use func()) time.Duration {
		t.Helper()
		if err := os.Chtimes(path, now, now.Add(-2*idle)); err != nil {
			t.Fatal(err)
		}
		use()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return now.Sub(info.ModTime())
	}
	if d := used(func() { update(t, s, "s1", Add("s", "a")) }); d != 0 {
		t.Errorf("an update without a change: %v old", d)
	}
	if d := used(func() {
		if err := s.Refresh("claude", "s1", time.Hour); err != nil {
			t.Fatal(err)
		}
	}); d != 0 {
		t.Errorf("refreshed: %v old", d)
	}
	if d := used(func() { view(t, s, "s1") }); d != 2*idle {
		t.Errorf("a mere look: %v old", d)
	}
	if err := s.Refresh("claude", "s2", time.Hour); err != nil {
		t.Error(err)
	}
	if got := files(t, s, "s1"); !cmp.Equal(got, []string{"s1.json", "s1.lock"}) {
		t.Errorf("files %q", got)
	}
}

func TestASweepLosesNothingOfThoseAtWork(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed here")
	}
	// Of the sweeps some take everything that is not held for idle.
	dir := filepath.Join(t.TempDir(), "sessions")
	s := &Store{Dir: dir}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			idle := time.Hour
			if rand.IntN(3) == 0 {
				idle = 0
			}
			if _, err := s.Sweep(time.Now(), idle); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 300 {
		// Each update finds what the one just before it wrote, or a session
		// that was idle; never a state in which one of the two is missing.
		v := update(t, s, "s1", Count("a", 1), Count("b", 1))
		w := update(t, s, "s1", Count("a", 1), Count("b", 1))
		if v.Counter("a") != v.Counter("b") || (w.Counter("a") != v.Counter("a")+1 && w.Counter("a") != 1) {
			t.Fatalf("round %d: %d, then %d", i, v.Counter("a"), w.Counter("a"))
		}
	}
	close(stop)
	wg.Wait()
}

func TestListNamesTheSessionsUsedLast(t *testing.T) {
	now := noon
	s := store(t, &now)
	if got, err := s.List(0); got != nil || err != nil {
		t.Errorf("no directory: %v, %v", got, err)
	}
	for i, id := range []string{"a", "b", "c"} {
		update(t, s, id, Count("n", 1))
		if err := os.Chtimes(filepath.Join(s.Dir, Key("claude", id)+".json"), now, now.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	broken := filepath.Join(s.Dir, Key("claude", "broken")+".json")
	write(t, broken, "{")
	if err := os.Chtimes(broken, now, now.Add(90*time.Minute)); err != nil {
		t.Fatal(err)
	}
	got, err := s.List(3)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, i := range got {
		ids = append(ids, i.ID)
		if (i.ID == "") != errors.Is(i.Err, ErrCorrupt) || i.Host == "" != (i.ID == "") || (i.ID != "" && i.Key != Key(i.Host, i.ID)) {
			t.Errorf("%+v", i)
		}
	}
	if diff := cmp.Diff([]string{"c", "", "b"}, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	if all, err := s.List(0); len(all) != 4 || err != nil {
		t.Errorf("all: %d, %v", len(all), err)
	}
}

// busy fills a session with 10,000 events that touch 1,000 paths.
func busy(b *testing.B, s *Store) {
	b.Helper()
	if _, err := s.Update(context.Background(), "claude", "s1", func(tx *Tx) error {
		for i := range 10_000 {
			path := fmt.Sprintf("internal/service/package%d/file_%d.go", i%40, i%1000)
			tx.Once(fmt.Sprintf("PostToolUse/toolu_%d", i))
			tx.Apply(Add(Touched, path), Count("edits", 1), Note("last-edit", "edit", time.Time{}))
			if i%5 == 0 {
				tx.Apply(Add(Touched, path).For(fmt.Sprintf("agent-%d", i%7)))
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkStore(b *testing.B) {
	run := func(name string, fill bool, op func(s *Store, i int) error) {
		b.Run(name, func(b *testing.B) {
			s := &Store{Dir: filepath.Join(b.TempDir(), "sessions")}
			if fill {
				busy(b, s)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if i++; op(s, i) != nil {
					b.Fatal(op(s, i))
				}
			}
			if info, err := os.Stat(filepath.Join(s.Dir, Key("claude", "s1")+".json")); err == nil {
				b.ReportMetric(float64(info.Size()), "file-bytes")
			}
		})
	}
	look := func(s *Store, _ int) error {
		_, err := s.View("claude", "s1")
		return err
	}
	change := func(s *Store, _ int) error {
		_, err := s.Update(context.Background(), "claude", "s1", func(tx *Tx) error {
			tx.Apply(Add(Touched, "internal/a.go"), Count("edits", 1))
			return nil
		})
		return err
	}
	same := func(s *Store, _ int) error {
		_, err := s.Update(context.Background(), "claude", "s1", func(tx *Tx) error {
			tx.Apply(Add(Touched, "internal/service/package0/file_0.go"))
			return nil
		})
		return err
	}
	run("view/new", false, look)
	run("view/busy", true, look)
	run("update/small", false, change)
	run("update/busy", true, change)
	run("update/busy-unchanged", true, same)
}

func BenchmarkCodec(b *testing.B) {
	s := &Store{Dir: filepath.Join(b.TempDir(), "sessions")}
	busy(b, s)
	data, err := os.ReadFile(filepath.Join(s.Dir, Key("claude", "s1")+".json"))
	if err != nil {
		b.Fatal(err)
	}
	st, err := decode(string(data))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := decode(string(data)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			st.encode()
		}
	})
	b.Run("encoding-json", func(b *testing.B) { // what reflection would cost
		for b.Loop() {
			var v struct {
				Sets   map[string][]string
				Agents map[string]struct{ Sets map[string][]string }
			}
			if err := json.Unmarshal(data, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
