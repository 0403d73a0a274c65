package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// stop asks whether the turn may end, and returns the actions in short form.
func stop(tx *Tx, wants ...Want) string {
	tx.now++
	var out []string
	for _, o := range tx.Insist("", wants) {
		s := [...]string{"free", "full", "line", "handover", "letgo"}[o.Action]
		if o.Action.Blocks() {
			s += fmt.Sprint(o.Attempt)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// stops asks n times.
func stops(tx *Tx, n int, wants ...Want) string {
	var out []string
	for range n {
		out = append(out, stop(tx, wants...))
	}
	return strings.Join(out, ", ")
}

// do carries a change out, a moment later.
func do(tx *Tx, c Change) {
	tx.now++
	tx.Apply(c)
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}

var e2e = Want{ID: "e2e", Budget: 3}

func TestStopReleasesAfterThreeBlocks(t *testing.T) {
	tx := begun(0)
	want(t, "before anything", stop(tx, e2e), "free")
	do(tx, Open("e2e", "green", time.Time{}))
	want(t, "owed", stops(tx, 6, e2e), "full1, line2, line3, handover, free, free")
	if o, ok := tx.View().Obligation("e2e"); !ok || o.Owing() || !o.Released() || o.Blocks != 3 {
		t.Errorf("obligation %+v", o)
	}
}

func TestAnObligationMetOrSkippedIsFree(t *testing.T) {
	for name, settle := range map[string]Change{"met": Meet("e2e", time.Time{}), "skipped": Skip("e2e", "no UI"), "released": release("e2e", time.Time{})} {
		tx := begun(0)
		do(tx, Open("e2e", "", time.Time{}))
		do(tx, settle)
		want(t, name, stops(tx, 2, e2e), "free, free")
	}
	tx := begun(0)
	do(tx, Open("e2e", "", time.Time{}))
	do(tx, Skip("e2e", ""))
	want(t, "a skip without a reason", stop(tx, e2e), "full1")
}

func TestOnlyMeetingResetsTheCount(t *testing.T) {
	tx := begun(0)
	do(tx, Open("e2e", "green", time.Time{}))
	want(t, "first", stops(tx, 2, e2e), "full1, line2")
	do(tx, Open("e2e", "green", time.Time{}))
	want(t, "armed again", stop(tx, e2e), "line3")
	tx.NewTurn()
	want(t, "in a new turn", stop(tx, e2e), "handover")
	do(tx, Meet("e2e", time.Time{}))
	do(tx, Open("e2e", "green", time.Time{}))
	want(t, "met and armed again", stops(tx, 4, e2e), "full1, line2, line3, handover")
}

func TestAReleasedObligationReturnsOnlyByItsOwnReArming(t *testing.T) {
	tx := begun(0)
	do(tx, Open("e2e", "green", time.Time{}))
	stops(tx, 4, e2e)
	tx.NewTurn()
	do(tx, Open("other", "", time.Time{}))
	opens := e2e
	opens.Opens = true
	want(t, "a new turn, and a gate that finds it", stops(tx, 2, e2e, opens), "free free, free free")
	released := micro(5 * time.Microsecond)
	for name, at := range map[string]int64{"long before": micro(-time.Minute), "just before": released - 1} {
		tx.Apply(Open("e2e", "green", fromMicros(at)))
		want(t, "what happened "+name+" it, told late", stop(tx, e2e), "free")
	}
	do(tx, Open("e2e", "green", time.Time{}))
	if !tx.View().Owing() {
		t.Error("not owed after re-arming")
	}
	// Its three blocks are spent: it is told to the human once more, and the
	// model is not nagged.
	want(t, "armed again", stops(tx, 3, e2e), "handover, free, free")
}

func TestARenewedObligationHasItsWholeBudget(t *testing.T) {
	tx := begun(0)
	quality := Want{ID: "quality", Budget: 3, Opens: true, Finding: "lint"}
	want(t, "found at Stop", stops(tx, 5, quality), "full1, line2, line3, handover, free")
	do(tx, Renew("quality", time.Time{}))
	want(t, "renewed", stop(tx, quality), "full1")
	do(tx, Renew("quality", time.Time{}))
	want(t, "renewed though not released", stop(tx, quality), "line2")
}

func TestASkipSurvivesReArming(t *testing.T) {
	tx := begun(0)
	do(tx, Skip("e2e", "first reason"))
	do(tx, Open("e2e", "", time.Time{}))
	do(tx, Skip("e2e", "another"))
	do(tx, Meet("e2e", time.Time{}))
	do(tx, Open("e2e", "", time.Time{}))
	want(t, "skipped", stop(tx, e2e), "free")
	if o, _ := tx.View().Obligation("e2e"); o.Skipped != "first reason" {
		t.Errorf("reason %q", o.Skipped)
	}
}

func TestANewFindingIsToldInFull(t *testing.T) {
	tx := begun(0)
	tests := func(finding string) Want { return Want{ID: "quality", Opens: true, Finding: finding} }
	want(t, "first", stop(tx, tests("a fails")), "full1")
	want(t, "another", stop(tx, tests("b fails")), "full2")
	want(t, "the same", stop(tx, tests("b fails")), "line3")
	long := strings.Repeat("x", 3*maxText)
	tx = begun(0)
	want(t, "long ones", stop(tx, tests(long+"1"))+" "+stop(tx, tests(long+"2"))+" "+stop(tx, tests(long+"2")), "full1 full2 line3")
}

func TestAGateMayOpenWhatWasNotMetSinceItLooked(t *testing.T) {
	tx := begun(time.Minute)
	opens := Want{ID: "quality", Budget: 3, Opens: true, Looked: noon}
	do(tx, Meet("quality", noon.Add(time.Second)))
	want(t, "met since", stop(tx, opens), "free")
	opens.Looked = noon.Add(2 * time.Second)
	want(t, "met before", stop(tx, opens), "full1")
}

func TestABudgetMayBeOneAndIsNeverNone(t *testing.T) {
	tx := begun(0)
	once := Want{ID: "claim", Budget: 1, Opens: true}
	want(t, "once", stops(tx, 3, once), "full1, handover, free")
	none := Want{ID: "none", Opens: true}
	want(t, "none", stops(tx, 4, none), "full1, line2, line3, handover")
}

func TestOneTurnIsKeptGoingSixTimes(t *testing.T) {
	tx := begun(0)
	tx.NewTurn()
	var wants []Want
	for _, id := range []string{"a", "b", "c"} {
		wants = append(wants, Want{ID: id, Budget: 3})
		do(tx, Open(id, "", time.Time{}))
	}
	want(t, "a", stops(tx, 4, wants[0]), "full1, line2, line3, handover")
	want(t, "b and c together are one block each time", stops(tx, 3, wants[1], wants[2]), "full1 full1, line2 line2, line3 line3")
	do(tx, Open("d", "", time.Time{}))
	d := Want{ID: "d"}
	want(t, "b's release is due, d is let go", stops(tx, 2, wants[1], d), "handover letgo, free letgo")
	if o, _ := tx.View().Obligation("d"); !o.Owing() || o.Blocks != 0 {
		t.Errorf("let go: %+v", o)
	}
	tx.NewTurn()
	want(t, "the next turn", stop(tx, d), "full1")
}

func TestASubagentHasItsOwnCount(t *testing.T) {
	tx := begun(0)
	quality := []Want{{ID: "quality", Budget: 3, Opens: true}}
	for i := 1; i <= 3; i++ {
		for _, agent := range []string{"", "a1", "a2"} {
			if o := tx.Insist(agent, quality)[0]; o.Attempt != i {
				t.Errorf("%q: %+v, want attempt %d", agent, o, i)
			}
		}
	}
	if n := tx.View().Agent("a1").Turn().Blocks; n != 3 {
		t.Errorf("a1 was blocked %d times", n)
	}
	tx.NewTurn()
	if n := tx.View().Agent("a1").Turn().Blocks; n != 0 {
		t.Errorf("a1 was blocked %d times in a new turn", n)
	}
}

func TestAStopIsDeferredThreeTimesInARow(t *testing.T) {
	tx := begun(0)
	deferrals := func() string {
		var out []string
		for range 4 {
			out = append(out, fmt.Sprint(tx.Defer("")))
		}
		return strings.Join(out, " ")
	}
	want(t, "first", deferrals(), "true true true false")
	tx.NewTurn()
	want(t, "a new turn", deferrals(), "true true true false")
	do(tx, Open("e2e", "", time.Time{}))
	stop(tx, e2e)
	want(t, "after a block", deferrals(), "true true true false")
}

func TestAStopWithNothingOwedChangesNothing(t *testing.T) {
	tx := begun(0)
	do(tx, Open("met", "", time.Time{}))
	do(tx, Meet("met", time.Time{}))
	do(tx, Open("gone", "", time.Time{}))
	do(tx, release("gone", time.Time{}))
	tx.dirty = false
	want(t, "stop", stop(tx, e2e, Want{ID: "met"}, Want{ID: "gone", Opens: true}), "free free free")
	if tx.dirty {
		t.Error("the state changed")
	}
	if tx.Insist("unknown-agent", []Want{e2e}); tx.dirty || len(tx.s.agents) != 0 {
		t.Error("asking made a subagent")
	}
}

func TestMeetingWhatBlockedGivesTheTurnItsBlocksAgain(t *testing.T) {
	tx := begun(0)
	change := func(c Change) {
		tx.now++
		tx.Apply(c)
	}
	change(Open("a", "x", time.Time{}))
	for range TurnBlocks {
		tx.now++
		tx.Insist("", []Want{{ID: "a", Budget: TurnBlocks + 1}})
	}
	change(Meet("never-owed", time.Time{}))
	if n := tx.View().Turn().Blocks; n != TurnBlocks {
		t.Fatalf("%d blocks, want %d: meeting what nobody owed counts for nothing", n, TurnBlocks)
	}
	change(Meet("a", time.Time{}))
	change(Open("b", "x", time.Time{}))
	if out := tx.Insist("", []Want{{ID: "b", Budget: 3}}); out[0].Action != BlockFull {
		t.Errorf("%+v: the agent did what the turn was kept going for", out[0])
	}
}

func TestWithdrawingLeavesTheCount(t *testing.T) {
	tx := begun(0)
	change := func(c Change) {
		tx.now++
		tx.Apply(c)
	}
	change(Open("a", "x", time.Time{}))
	for range 2 {
		tx.now++
		tx.Insist("", []Want{{ID: "a", Budget: 3}})
	}
	change(Withdraw("a", time.Time{}))
	if o, _ := tx.View().Obligation("a"); o.Owing() || o.Blocks != 2 {
		t.Errorf("%+v", o)
	}
	change(Open("a", "x", time.Time{}))
	if o, _ := tx.View().Obligation("a"); !o.Owing() || o.Blocks != 2 {
		t.Errorf("opened again: %+v", o)
	}
}

// machine checks Insist against a plain retelling of its rules.
type machine struct {
	tx    *Tx
	owed  map[string]*told
	turns int // blocks in this turn
}

type told struct {
	open, skipped, released bool
	blocks                  int
	finding, shown          string
}

func (m *machine) of(id string) *told {
	if m.owed[id] == nil {
		m.owed[id] = &told{}
	}
	return m.owed[id]
}

func TestStopKeepsItsRules(t *testing.T) {
	ids := rapid.SampledFrom([]string{"a", "b", "c", "d"})
	findings := rapid.SampledFrom([]string{"x", "y"})
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{tx: begun(0), owed: make(map[string]*told)}
		change := func(c Change) {
			m.tx.now++
			m.tx.Apply(c)
		}
		t.Repeat(map[string]func(*rapid.T){
			"open": func(t *rapid.T) {
				id, finding := ids.Draw(t, "id"), findings.Draw(t, "finding")
				change(Open(id, finding, time.Time{}))
				o := m.of(id)
				o.open, o.released, o.finding = true, false, finding
			},
			"meet": func(t *rapid.T) {
				id := ids.Draw(t, "id")
				change(Meet(id, time.Time{}))
				o := m.of(id)
				if o.open && !o.skipped && !o.released && o.blocks > 0 {
					m.turns = 0
				}
				o.open, o.released, o.blocks, o.shown = false, false, 0, ""
			},
			"withdraw": func(t *rapid.T) {
				id := ids.Draw(t, "id")
				change(Withdraw(id, time.Time{}))
				o := m.of(id)
				o.open, o.released = false, false
			},
			"skip": func(t *rapid.T) {
				if rapid.IntRange(0, 5).Draw(t, "rarely") == 0 {
					id := ids.Draw(t, "id")
					change(Skip(id, "reason"))
					m.of(id).skipped = true
				}
			},
			"renew": func(t *rapid.T) {
				id := ids.Draw(t, "id")
				change(Renew(id, time.Time{}))
				if o := m.of(id); o.open && o.released {
					o.released, o.blocks, o.shown = false, 0, ""
				}
			},
			"turn": func(*rapid.T) {
				m.tx.now++
				m.tx.NewTurn()
				m.turns = 0
			},
			"stop": func(t *rapid.T) {
				m.tx.now++
				seen := make(map[string]bool)
				var wants []Want
				var expect []Outcome
				blocked := false
				for range rapid.IntRange(1, 4).Draw(t, "wants") {
					w := Want{ID: ids.Draw(t, "id"), Budget: rapid.IntRange(1, 4).Draw(t, "budget"), Opens: rapid.Bool().Draw(t, "opens"), Finding: findings.Draw(t, "finding")}
					if seen[w.ID] {
						continue
					}
					seen[w.ID] = true
					wants = append(wants, w)
					o := m.of(w.ID)
					out := Outcome{ID: w.ID, Budget: w.Budget}
					if w.Opens && !o.skipped && !o.released {
						o.open = true
					}
					switch {
					case !o.open || o.skipped || o.released:
					case o.blocks >= w.Budget:
						out.Action = HandOver
						o.released = true
					case m.turns >= TurnBlocks:
						out.Action = LetGo
					default:
						o.blocks++
						out.Action, out.Attempt = BlockLine, o.blocks
						if o.blocks == 1 || o.shown != w.Finding {
							out.Action, o.shown = BlockFull, w.Finding
						}
						blocked = true
					}
					expect = append(expect, out)
				}
				if blocked {
					m.turns++
				}
				if diff := cmp.Diff(expect, m.tx.Insist("", wants)); diff != "" {
					t.Fatalf("outcomes (-want +got):\n%s", diff)
				}
			},
			"": func(t *rapid.T) {
				// Every step goes through the file, as it does between hooks.
				s, err := decode(string(m.tx.s.encode()))
				if err != nil {
					t.Fatal(err)
				}
				m.tx = &Tx{s: s, now: m.tx.now}
				v := m.tx.View()
				for id, o := range m.owed {
					got, _ := v.Obligation(id)
					if got.Owing() != (o.open && !o.skipped && !o.released) || got.Blocks != o.blocks || got.Released() != o.released || (got.Skipped != "") != o.skipped {
						t.Fatalf("%s is %+v, want %+v", id, got, o)
					}
				}
				if v.Turn().Blocks != m.turns || m.turns > TurnBlocks {
					t.Fatalf("turn %+v, want %d blocks", v.Turn(), m.turns)
				}
			},
		})
	})
}

// release is the change that the budget's end makes.
func release(obligation string, at time.Time) Change {
	return Change{Op: ReleaseOwed, Name: obligation, At: at}
}
