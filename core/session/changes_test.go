package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// text is a state as its file shows it.
func text(tx *Tx) string { return string(tx.s.encode()) }

func TestChangesOnDifferentKeysCommute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Every change has a name of its own, but set changes may share a set
		// as long as their members differ.
		n := rapid.IntRange(2, 12).Draw(t, "n")
		changes := make([]Change, n)
		for i := range changes {
			c := drawChange(t, rapid.Just(fmt.Sprintf("n%d", i)))
			if c.Op == AddToSet || c.Op == RemoveFromSet {
				c.Name, c.Key = "shared", fmt.Sprintf("k%d", i)
			}
			changes[i] = c
		}
		prepare := func() *Tx {
			tx := begun(0)
			for i := range n / 2 {
				name := fmt.Sprintf("n%d", i)
				tx.Apply(Add("shared", fmt.Sprintf("k%d", i)), Count(name, 1), Note(name, "old", noon.Add(-10*time.Microsecond)), Open(name, "old", noon.Add(-10*time.Microsecond)))
			}
			return tx
		}
		a, b := prepare(), prepare()
		a.Apply(changes...)
		b.Apply(rapid.Permutation(changes).Draw(t, "order")...)
		if diff := cmp.Diff(text(a), text(b)); diff != "" {
			t.Fatalf("order matters:\n%s", diff)
		}
	})
}

func TestTimedChangesOnOneKeyCommute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Parallel hooks replay what happened in any order; the times of what
		// happened decide. Counts and releases are made under the lock only.
		times := rapid.Permutation([]int{1, 2, 3, 4, 5, 6, 7, 8}).Draw(t, "times")
		changes := make([]Change, rapid.IntRange(2, 8).Draw(t, "n"))
		for i := range changes {
			at := noon.Add(time.Duration(times[i]-20) * time.Microsecond)
			value := fmt.Sprint("at ", times[i])
			changes[i] = rapid.SampledFrom([]Change{Note("f", value, at), Open("o", value, at), Meet("o", at), Add("s", value)}).Draw(t, "change")
		}
		a, b := begun(0), begun(0)
		a.Apply(changes...)
		b.Apply(rapid.Permutation(changes).Draw(t, "order")...)
		if diff := cmp.Diff(settled(a), settled(b)); diff != "" {
			t.Fatalf("order matters:\n%s", diff)
		}
		newest := slices.MaxFunc(append([]Change{{At: noon.Add(-time.Hour)}}, changes...), func(a, b Change) int {
			at := func(c Change) int64 {
				if c.Op == OpenOwed || c.Op == MeetOwed {
					return c.At.UnixMicro()
				}
				return 0
			}
			return int(at(a) - at(b))
		})
		if got := a.View().Owing(); got != (newest.Op == OpenOwed) {
			t.Fatalf("owing %v after %+v", got, changes)
		}
	})
}

// settled is a state without what depends on the order: the finding of an
// obligation that is not open.
func settled(tx *Tx) string {
	for i := range tx.s.owed {
		if o := &tx.s.owed[i].val; !o.open {
			o.finding = ""
		}
	}
	return text(tx)
}

func TestChangesAreIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tx := &Tx{s: drawState(t), now: micro(time.Minute)}
		c := drawChange(t, rapid.SampledFrom([]string{"a", "b", "c"}))
		if c.Op == AddToCounter {
			return
		}
		if rapid.Bool().Draw(t, "now") {
			c.At = time.Time{}
		}
		tx.Apply(c)
		once := text(tx)
		tx.dirty = false
		tx.Apply(c)
		if diff := cmp.Diff(once, text(tx)); diff != "" {
			t.Fatalf("%+v twice:\n%s", c, diff)
		}
		if tx.dirty {
			t.Fatalf("%+v twice is a change", c)
		}
	})
}

func TestAChangeIsNoticedIfAndOnlyIfThereIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tx := &Tx{s: drawState(t), now: micro(time.Minute)}
		before := text(tx)
		tx.Apply(drawChange(t, rapid.SampledFrom([]string{"", "a", "b", "c"})))
		if changed := text(tx) != before; changed != tx.dirty {
			t.Fatalf("changed %v, noticed %v", changed, tx.dirty)
		}
	})
}

func TestAViewIsASnapshot(t *testing.T) {
	for name, change := range map[string]func(*Tx){
		"apply":    func(tx *Tx) { tx.Apply(Add("s", "0"), Remove("s", "a"), Count("n", 1), Meet("o", noon)) },
		"agent":    func(tx *Tx) { tx.Apply(Add("s", "d").For("x"), Add("s", "d").For("y")) },
		"once":     func(tx *Tx) { tx.Once("call") },
		"answered": func(tx *Tx) { tx.Answered("payload", Answer{}) },
		"put":      func(tx *Tx) { tx.Put(Mail{Kind: Notice, Text: "two"}) },
		"take":     func(tx *Tx) { tx.Take(func(Mail) bool { return true }) },
		"turn":     func(tx *Tx) { tx.NewTurn() },
		"defer":    func(tx *Tx) { tx.Defer("") },
		"insist":   func(tx *Tx) { tx.Insist("x", []Want{{ID: "q", Opens: true}}) },
	} {
		t.Run(name, func(t *testing.T) {
			tx := begun(0)
			tx.Apply(Add("s", "a"), Add("s", "c").For("x"), Count("n", 1), Open("o", "", noon))
			tx.Put(Mail{Kind: Notice, Text: "one"})
			v := tx.View()
			before := text(tx)
			change(tx)
			if got := string(v.s.encode()); got != before {
				t.Errorf("the view changed: %s, was %s", got, before)
			}
			if text(tx) == before {
				t.Error("nothing changed")
			}
		})
	}
	tx := begun(0)
	tx.Apply(Add("s", "a"))
	tx.View().Set("s")[0] = "mine"
	if !tx.View().Has("s", "a") {
		t.Error("a list that was handed out is shared")
	}
}

func TestViewTellsWhatIsKept(t *testing.T) {
	v := View{s: full(), c: &full().scope}
	for what, ok := range map[string]bool{
		"a member":             v.Has(Touched, "b.go"),
		"no member":            !v.Has(Touched, "c.go") && !v.Has("no set", "b.go"),
		"members":              cmp.Equal(v.Touched(), []string{"a \"quoted\" \\ name\n\x01", "b.go"}),
		"size":                 v.Len(Touched) == 2 && v.Len("none") == 0,
		"sets":                 cmp.Equal(v.Sets(), []string{"long", "stages", "touched"}),
		"full":                 v.Full("long") && !v.Full(Touched) && !v.Full("none"),
		"counters":             v.Counter("edits") == 2 && v.Counter("none") == 0 && cmp.Equal(v.Counters(), []string{"debt", "edits"}),
		"facts by prefix":      cmp.Equal(v.Facts("te"), []string{"tests"}) && v.Facts("x") == nil,
		"agents":               cmp.Equal(v.Agents(), []string{"agent-1"}),
		"an agent's members":   cmp.Equal(v.Agent("agent-1").Touched(), []string{"sub.go"}),
		"an agent's debt":      v.Agent("agent-1").Owing() && v.Agent("agent-1").Turn().Deferrals == 1,
		"no agent is itself":   v.Agent("").Has(Touched, "b.go"),
		"a dropped agent":      v.Agent("gone").Full(Touched) && v.Agent("gone").Len(Touched) == 0,
		"host and id":          v.Host() == "claude" && v.ID() == "s1",
		"times":                v.CreatedAt().Equal(noon) && v.UpdatedAt().Equal(noon) && v.LostAt().Equal(noon.Add(-time.Hour)) && !v.New(),
		"turn":                 v.Turn().N == 1 && v.Turn().Blocks == 1 && v.Turn().StartedAt.Equal(noon),
		"obligations":          len(v.Obligations()) == 4 && v.Obligations()[0].ID == "e2e" && v.Owing(),
		"mail":                 len(v.Mail()) == 2,
		"the zero view is new": View{}.New() && !View{}.Owing() && View{}.Agents() == nil && View{}.Mail() == nil && View{}.Host() == "" && View{}.ID() == "" && len(View{}.Agent("x").Touched()) == 0 && View{}.LostAt().IsZero() && View{}.CreatedAt().IsZero() && View{}.UpdatedAt().IsZero() && !View{}.Full("x"),
	} {
		if !ok {
			t.Errorf("%s: wrong", what)
		}
	}
	if value, at := v.Fact("tests"); value != "passed" || !at.Equal(noon.Add(-time.Second)) {
		t.Errorf("fact %q, %v", value, at)
	}
	if value, at := v.Fact("none"); value != "" || !at.IsZero() {
		t.Errorf("fact %q, %v", value, at)
	}
	o, ok := v.Obligation("watch")
	if !ok || !o.Released() || o.ReleasedInTurn != 1 || o.Finding != "https://example.com/pull/1" || o.OpenedAt.IsZero() || o.Owing() {
		t.Errorf("obligation %+v", o)
	}
	if o, ok := v.Obligation("none"); ok || o.Owing() || o.Released() {
		t.Errorf("obligation %+v", o)
	}
}

func TestANewerFactStands(t *testing.T) {
	tx := begun(0)
	at := func(us int) time.Time { return noon.Add(time.Duration(us-100) * time.Microsecond) }
	for _, tt := range []struct {
		value string
		at    int
		want  string
	}{{"b", 2, "b"}, {"a", 1, "b"}, {"c", 3, "c"}, {"", 4, ""}, {"c", 3, ""}, {"d", 5, "d"}, {"same time, later", 5, "same time, later"}} {
		tx.Apply(Note("f", tt.value, at(tt.at)))
		if got, _ := tx.View().Fact("f"); got != tt.want {
			t.Errorf("after %q at %d: %q, want %q", tt.value, tt.at, got, tt.want)
		}
	}
}

func TestAClockThatWasWrongDoesNotFreezeTheState(t *testing.T) {
	tx := begun(24 * time.Hour)
	tx.Apply(Note("f", "tomorrow", time.Time{}), Open("o", "", time.Time{}))
	tx.now = micro(0) // set right
	tx.Apply(Note("f", "today", time.Time{}), Meet("o", time.Time{}))
	if v, _ := tx.View().Fact("f"); v != "today" || tx.View().Owing() {
		t.Errorf("fact %q, owing %v", v, tx.View().Owing())
	}
	tx.Apply(Note("f", "in a year", noon.AddDate(1, 0, 0)))
	if _, at := tx.View().Fact("f"); !at.Equal(noon) {
		t.Errorf("a fact of the future: %v", at)
	}
}

func TestTextsAreKeptValidShortAndApart(t *testing.T) {
	tx := begun(0)
	tx.Apply(Add("s", "bad\xffpath"), Note("f", strings.Repeat("é", 1000), noon), Count(strings.Repeat("n", 1000)+"1", 1), Count(strings.Repeat("n", 1000)+"2", 2))
	v := tx.View()
	if !v.Has("s", "bad\xffpath") {
		t.Error("a path that is not UTF-8 is not found again")
	}
	if f, _ := v.Fact("f"); len(f) > maxText || !strings.HasPrefix(f, "éé") {
		t.Errorf("fact of %d bytes", len(f))
	}
	if v.Counter(strings.Repeat("n", 1000)+"1") != 1 || v.Counter(strings.Repeat("n", 1000)+"2") != 2 {
		t.Error("long names are mixed up")
	}
	if _, err := decode(text(tx)); err != nil {
		t.Error(err)
	}
}

func TestCountersStayWhatJSONCanHold(t *testing.T) {
	tx := begun(0)
	const most = 1<<53 - 1
	for range 3 {
		tx.Apply(Count("up", 1<<62), Count("down", -1<<62))
	}
	if up, down := tx.View().Counter("up"), tx.View().Counter("down"); up != most || down != -most {
		t.Errorf("up %d, down %d", up, down)
	}
	tx.Apply(Count("up", -most))
	if names := tx.View().Counters(); !slices.Equal(names, []string{"down"}) {
		t.Errorf("counters %q", names)
	}
}

func TestAClearedSetIsEmptyAndNotFull(t *testing.T) {
	tx := begun(0)
	tx.s.sets.put("s", set{members: []string{"a"}, full: true})
	tx.Apply(Remove("s", "a"))
	if v := tx.View(); v.Len("s") != 0 || !v.Full("s") {
		t.Error("removing its last member forgot that a set was full")
	}
	tx.Apply(Clear("s"))
	if v := tx.View(); v.Len("s") != 0 || v.Full("s") || len(v.Sets()) != 0 {
		t.Error("not cleared")
	}
}

func TestASessionOfAnyLengthStaysSmall(t *testing.T) {
	tx := begun(0)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 30_000 {
		tx.now++
		agent := ""
		if i%3 == 0 {
			agent = fmt.Sprintf("agent-%d", rng.IntN(500))
		}
		name := fmt.Sprintf("name-%d", rng.IntN(2000))
		tx.Apply(
			Add(Touched, fmt.Sprintf("internal/some/package/file_%d.go", i)).For(agent), Count(name, 1).For(agent),
			Note(name, "value", time.Time{}).For(agent), Open(name, "finding", time.Time{}).For(agent),
		)
		if rng.IntN(2) == 0 {
			tx.Apply(Meet(name, time.Time{}).For(agent))
		}
		if i%10 == 0 {
			tx.Once(fmt.Sprint(i))
			tx.Answered(fmt.Sprint(i), Answer{Decision: "block"})
			tx.Put(Mail{Kind: Context, Text: strings.Repeat("text ", rng.IntN(200)+1)})
		}
	}
	tx.seal()
	data := tx.s.encode()
	if len(data) > 6<<20 {
		t.Errorf("%d bytes", len(data))
	}
	if _, err := decode(string(data)); err != nil {
		t.Error(err)
	}
	v := tx.View()
	if v.Len(Touched) != maxMembers || !v.Full(Touched) {
		t.Errorf("touched %d, full %v", v.Len(Touched), v.Full(Touched))
	}
	if len(v.Agents()) != maxAgents || !v.Agent("never seen").Full(Touched) {
		t.Errorf("%d agents", len(v.Agents()))
	}
}

func TestRoomIsMadeByDroppingWhatIsSettledAndOld(t *testing.T) {
	tx := begun(0)
	for i := range maxNames {
		do(tx, Open(fmt.Sprint("o", i), "", time.Time{}))
		do(tx, Note(fmt.Sprint("f", i), "x", time.Time{}))
	}
	do(tx, Meet("o7", time.Time{}))
	do(tx, Open("new", "", time.Time{}))
	do(tx, Note("new", "x", time.Time{}))
	v := tx.View()
	if _, ok := v.Obligation("o7"); ok {
		t.Error("the settled obligation was kept")
	}
	if o, _ := v.Obligation("new"); !o.Owing() || len(v.Obligations()) != maxNames {
		t.Errorf("new %+v among %d", o, len(v.Obligations()))
	}
	if _, at := v.Fact("f0"); !at.IsZero() {
		t.Error("the oldest fact was kept")
	}
	if got, _ := v.Fact("new"); got != "x" || len(v.Facts("")) != maxNames {
		t.Error("the newest fact was dropped")
	}
	do(tx, Open("newer", "", time.Time{}))
	if _, ok := tx.View().Obligation("o0"); ok {
		t.Error("of those owed the oldest was kept")
	}
}

func TestACallCountsOnce(t *testing.T) {
	tx := begun(0)
	if !tx.Once("PostToolUse/toolu_1") || tx.Once("PostToolUse/toolu_1") || !tx.Once("PreToolUse/toolu_1") {
		t.Error("calls are mixed up")
	}
	for range 2 {
		if !tx.Once("") {
			t.Error("a call without a name is always new")
		}
	}
	for i := range 10 * maxSeen {
		if key := fmt.Sprint("call", i); !tx.Once(key) || tx.Once(key) {
			t.Fatalf("call %d", i)
		}
	}
	if len(tx.s.seen) != maxSeen {
		t.Errorf("%d remembered", len(tx.s.seen))
	}
	if tx.Once("call" + fmt.Sprint(10*maxSeen-maxSeen)) {
		t.Error("the oldest that is kept was forgotten")
	}
}

func TestADoubleIsACallThatBeganBeforeTheAnswer(t *testing.T) {
	tx := begun(time.Second)
	if _, dup := tx.OnceBefore("stop", noon); dup {
		t.Error("the first call is no double")
	}
	answer := Answer{Decision: "block", Rule: "quality", Outcomes: []Outcome{{ID: "quality", Action: BlockFull, Attempt: 1, Budget: 3}}}
	tx.Answered("stop", answer)
	for _, tt := range []struct {
		name   string
		digest string
		began  time.Duration
		want   bool
	}{
		{"before", "stop", 0, true},
		{"just before", "stop", time.Second - time.Microsecond, true},
		{"when it was written", "stop", time.Second, false},
		{"later, however soon", "stop", time.Second + time.Microsecond, false},
		{"another payload", "prompt", 0, false},
	} {
		prev, dup := tx.OnceBefore(tt.digest, noon.Add(tt.began))
		if dup != tt.want {
			t.Errorf("%s: double %v", tt.name, dup)
		}
		if dup {
			prev.key = ""
			want := answer
			want.Written = noon.Add(time.Second)
			if diff := cmp.Diff(want, prev, opts); diff != "" {
				t.Errorf("%s: answer (-want +got):\n%s", tt.name, diff)
			}
		}
	}
	// The same payload answered again: the newest answer counts.
	tx.now = micro(time.Minute)
	tx.Answered("stop", Answer{Decision: "pass"})
	if prev, dup := tx.OnceBefore("stop", noon.Add(30*time.Second)); !dup || prev.Decision != "pass" || len(tx.s.answers) != 1 {
		t.Errorf("answer %+v, %v", prev, dup)
	}
	for i := range 3 * maxAnswers {
		tx.Answered(fmt.Sprint(i), Answer{})
	}
	if _, dup := tx.OnceBefore("stop", noon); dup || len(tx.s.answers) != maxAnswers {
		t.Errorf("%d answers are kept", len(tx.s.answers))
	}
}

func TestMailWaitsForAnEventThatCanCarryIt(t *testing.T) {
	tx := begun(0)
	box := func() string {
		var out []string
		for _, m := range tx.View().Mail() {
			out = append(out, m.Text)
		}
		return strings.Join(out, " ")
	}
	for _, s := range []string{"a", "b", "a", "c"} {
		tx.Put(Mail{Kind: Context, Text: s})
	}
	tx.Put(Mail{Kind: Notice, Text: "a"})
	tx.Put(Mail{Kind: Context, Text: "a", Agent: "x"})
	tx.Put(Mail{Kind: Context})
	tx.Put(Mail{Text: "of no kind"})
	want(t, "the same waits once", box(), "a b c a a")
	taken := tx.Take(func(m Mail) bool { return m.Kind == Context && m.Agent == "" })
	if len(taken) != 3 || taken[0].Text != "a" || taken[2].Text != "c" || !taken[0].At.Equal(noon) {
		t.Errorf("taken %+v", taken)
	}
	want(t, "the rest waits on", box(), "a a")
	tx.dirty = false
	if got := tx.Take(func(Mail) bool { return false }); got != nil || tx.dirty {
		t.Errorf("taken %+v", got)
	}
	tx.Take(func(Mail) bool { return true })
	for i := range 9 {
		tx.Put(Mail{Kind: Notice, Text: fmt.Sprint(i)})
	}
	want(t, "five", box(), "4 5 6 7 8")
	tx.Put(Mail{Kind: Notice, Text: strings.Repeat("x", maxMailBytes-2)})
	want(t, "four KiB", box()[:3], "7 8")
	tx.Put(Mail{Kind: Notice, Text: strings.Repeat("é", maxMailBytes)})
	if got := box(); len(got) != maxMailBytes || strings.Trim(got, "é") != "" {
		t.Errorf("a long text: %d bytes", len(got))
	}
}
