package permit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newStore(t *testing.T) (*Store, *clock) {
	c := &clock{time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	return &Store{StateHome: filepath.Join(t.TempDir(), "state"), Now: c.now}, c
}

const code = "1a2b3c4d"

func use(t *testing.T, s *Store, c Call) bool {
	t.Helper()
	ok, err := s.Use(context.Background(), code, c, false)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func grantCode(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.Grant(context.Background(), code); err != nil {
		t.Fatal(err)
	}
}

func TestAGrantIsUsedOnce(t *testing.T) {
	s, _ := newStore(t)
	if use(t, s, Call{Key: "a"}) {
		t.Error("used without a grant")
	}
	grantCode(t, s)
	if !use(t, s, Call{Key: "a"}) {
		t.Error("the granted call was refused")
	}
	if use(t, s, Call{Key: "b"}) {
		t.Error("a second call used the grant")
	}
}

func TestTheSameCallSeenTwiceIsOneUse(t *testing.T) {
	s, _ := newStore(t)
	grantCode(t, s)
	for process := range 2 {
		if !use(t, s, Call{Key: "a"}) {
			t.Errorf("process %d of one call was refused", process)
		}
	}
}

func TestACallWithoutAnIDIsTheSameOnlyIfItBeganBeforeTheUse(t *testing.T) {
	s, c := newStore(t)
	grantCode(t, s)
	start := c.t
	if !use(t, s, Call{Key: "digest", ByTime: true, Started: start.Add(-time.Millisecond)}) {
		t.Fatal("refused")
	}
	if !use(t, s, Call{Key: "digest", ByTime: true, Started: start.Add(-time.Microsecond)}) {
		t.Error("the double registration was refused")
	}
	if use(t, s, Call{Key: "digest", ByTime: true, Started: start.Add(time.Millisecond)}) {
		t.Error("a later call used the grant again")
	}
}

func TestAGrantRunsOut(t *testing.T) {
	s, c := newStore(t)
	grantCode(t, s)
	c.t = c.t.Add(OnceLasts)
	if use(t, s, Call{Key: "a"}) {
		t.Error("used after its time")
	}
}

func TestAClockThatWasSetBackLengthensNoGrant(t *testing.T) {
	s, c := newStore(t)
	grantCode(t, s)
	c.t = c.t.Add(-24 * time.Hour)
	if use(t, s, Call{Key: "a"}) {
		t.Error("a grant of another day was used")
	}
}

func TestPeekingUsesNothingUp(t *testing.T) {
	s, _ := newStore(t)
	grantCode(t, s)
	for range 3 {
		if ok, err := s.Use(context.Background(), code, Call{Key: "check"}, true); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	if !use(t, s, Call{Key: "a"}) {
		t.Error("peeking used the grant")
	}
}

func TestOneOfManyParallelCallsUsesTheGrant(t *testing.T) {
	s, _ := newStore(t)
	grantCode(t, s)
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for i := range 20 {
		wg.Go(func() {
			ok, err := s.Use(context.Background(), code, Call{Key: strings.Repeat("x", i+1)}, false)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if ok {
				n++
			}
		})
	}
	wg.Wait()
	if n != 1 {
		t.Errorf("%d calls used the grant", n)
	}
}

func TestACodeIsEightHexDigits(t *testing.T) {
	s, _ := newStore(t)
	for _, bad := range []string{"", "1234567", "123456789", "1234567g", "../../x1"} {
		if _, err := s.Grant(context.Background(), bad); !errors.Is(err, ErrCode) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestOffEndsByItself(t *testing.T) {
	s, c := newStore(t)
	ctx := context.Background()
	if _, err := s.SwitchOff(ctx, Off{Rule: "git/reset-hard"}, time.Hour); err != nil {
		t.Fatal(err)
	}
	offs, err := s.Active()
	if err != nil || len(offs) != 1 || !offs[0].Covers("shell", "git/reset-hard") || offs[0].Covers("shell", "git/clean") {
		t.Fatalf("%v, %v", offs, err)
	}
	c.t = c.t.Add(time.Hour)
	if offs, _ := s.Active(); len(offs) != 0 {
		t.Errorf("still off: %v", offs)
	}
	c.t = c.t.Add(-3 * time.Hour)
	if offs, _ := s.Active(); len(offs) != 0 {
		t.Errorf("a clock set back lengthens it: %v", offs)
	}
}

func TestOffLastsAtMostEightHours(t *testing.T) {
	s, _ := newStore(t)
	for _, d := range []time.Duration{0, -time.Minute, MaxOff + time.Second} {
		if _, err := s.SwitchOff(context.Background(), Off{}, d); err == nil {
			t.Errorf("%s was accepted", d)
		}
	}
}

func TestSwitchOnEndsEverything(t *testing.T) {
	s, _ := newStore(t)
	ctx := context.Background()
	grantCode(t, s)
	if _, err := s.SwitchOff(ctx, Off{}, time.Hour); err != nil {
		t.Fatal(err)
	}
	ended, err := s.SwitchOn(ctx)
	if err != nil || len(ended) != 1 {
		t.Fatalf("%v, %v", ended, err)
	}
	if offs, _ := s.Active(); len(offs) != 0 || use(t, s, Call{Key: "a"}) {
		t.Error("something is still permitted")
	}
}

func TestADamagedFilePermitsNothingAndIsLeftAlone(t *testing.T) {
	s, _ := newStore(t)
	grantCode(t, s)
	for _, content := range []string{"{{{", `{"v":99,"once":{"1a2b3c4d":{"until":"2099-01-01T00:00:00Z"}}}`} {
		if err := os.WriteFile(s.path(), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if ok, err := s.Use(context.Background(), code, Call{Key: "a"}, false); ok || err == nil {
			t.Errorf("%q permits: %v, %v", content, ok, err)
		}
		if _, err := s.Grant(context.Background(), code); err == nil {
			t.Errorf("%q was overwritten", content)
		}
		if got, _ := os.ReadFile(s.path()); string(got) != content {
			t.Errorf("%q became %q", content, got)
		}
	}
}
