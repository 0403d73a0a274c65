package evidence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const here = "0123456789abcdef01234567"

func TestOneBrokenRuleMakesAllOfItInvalid(t *testing.T) {
	const record = `{"kind":"test","result":"pass","source":"x","detail":"31 passed","time":"2026-11-30T10:00:00Z","generation":0}`
	for _, c := range []struct {
		text string
		want string // part of the error, "" = valid
	}{
		{`{"schemaVersion":3,"phase":"idle","mutationGeneration":0,"verifiedGeneration":-1}`, ""},
		{`{"schemaVersion":3}`, ""},
		{`{"mutationGeneration":6,"verifiedGeneration":6}`, ""},
		{`{"schemaVersion":3,"workspaceId":""}`, ""},
		{`{"schemaVersion":3,"workspaceId":null,"currentSkill":null,"activeCard":null,"lastDecision":null,"evidence":null}`, ""},
		{`{"schemaVersion":3,"workspaceId":"` + here + `"}`, ""},
		{`{"schemaVersion":3,"evidence":[` + record + `]}`, ""},
		{`{}`, "schemaVersion is missing"},
		{``, "ends too early"},
		{`{`, "ends too early"},
		{`null`, "schemaVersion is missing"},
		{`[]`, "wrong type"},
		{`{"schemaVersion":3} {}`, "something follows"},
		{`{"schemaVersion":"3"}`, "schemaVersion has the wrong type"},
		{`{"schemaVersion":0}`, "schemaVersion is 0"},
		{`{"schemaVersion":4}`, "written by a newer one"},
		{`{"schemaVersion":3,"workspaceId":"ffffffffffffffffffffffff"}`, "copied from elsewhere"},
		{`{"schemaVersion":2,"workspaceId":"ffffffffffffffffffffffff"}`, "copied from elsewhere"},
		{`{"schemaVersion":3,"phase":"done"}`, "phase"},
		{`{"schemaVersion":3,"phase":""}`, "phase"},
		{`{"schemaVersion":3,"failureStreak":-1}`, "failureStreak"},
		{`{"schemaVersion":3,"failureStreak":1.5}`, "failureStreak has the wrong type"},
		{`{"schemaVersion":3,"substantial":"yes"}`, "substantial has the wrong type"},
		{`{"schemaVersion":3,"mutationGeneration":-1}`, "mutationGeneration is -1"},
		{`{"schemaVersion":3,"verifiedGeneration":-2}`, "below -1"},
		{`{"schemaVersion":3,"mutationGeneration":2,"verifiedGeneration":3}`, "beyond mutationGeneration 2"},
		{`{"schemaVersion":3,"currentSkill":" "}`, "currentSkill"},
		{`{"schemaVersion":3,"currentSkill":"two words"}`, "currentSkill"},
		{`{"schemaVersion":3,"activeCard":"  "}`, "activeCard"},
		{`{"schemaVersion":3,"lastDecision":{"taskShape":"a b"}}`, "lastDecision"},
		{`{"schemaVersion":3,"lastDecision":7}`, "lastDecision has the wrong type"},
		{`{"schemaVersion":3,"revision":-1}`, "revision"},
		{`{"schemaVersion":3,"updatedAt":"yesterday"}`, "updatedAt"},
		{`{"schemaVersion":3,"treeGeneration":1}`, "treeGeneration"},
		{`{"schemaVersion":3,"unclaimed":"maybe"}`, "unclaimed"},
		{`{"schemaVersion":3,"evidence":[` + strings.Replace(record, `"test"`, `"vibes"`, 1) + `]}`, "evidence[0]: kind"},
		{`{"schemaVersion":3,"evidence":[` + record + `,` + strings.Replace(record, `"pass"`, `"ok"`, 1) + `]}`, "evidence[1]: result"},
		{`{"schemaVersion":3,"evidence":[` + strings.Replace(record, `"x"`, `" "`, 1) + `]}`, "source is blank"},
		{`{"schemaVersion":3,"evidence":[` + strings.Replace(record, `31 passed`, ``, 1) + `]}`, "detail is blank"},
		{`{"schemaVersion":3,"evidence":[` + strings.Replace(record, `"generation":0`, `"generation":1`, 1) + `]}`, "generation 1 is not between"},
		{`{"schemaVersion":3,"evidence":[` + strings.Replace(record, `2026-11-30T10:00:00Z`, `noon`, 1) + `]}`, "time"},
	} {
		_, err := decode([]byte(c.text), here)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.text, err)
		case c.want != "" && (!errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

func TestOlderSchemasAreRead(t *testing.T) {
	const records = `"evidence":[{"kind":"test","result":"pass","source":"pytest","detail":"31 passed","timestamp":"2026-11-30T10:00:00+00:00"},
		{"kind":"handoff","result":"pass","source":"note","detail":"left to another","timestamp":"2026-11-30T11:00:00Z"}]`
	first, err := decode([]byte(`{"schemaVersion":1,"stateRevision":7,"phase":"executing","currentSkill":"fable-build","failureStreak":1,"substantial":true,"activeCard":"one",`+records+`,
		"lastDecision":{"selectedSkill":"fable-build","taskShape":"feature","other":1},"updatedAt":"2026-11-30T10:00:00.5Z","unknown":{}}`), here)
	if err != nil {
		t.Fatal(err)
	}
	if first.SchemaVersion != Schema || first.Revision != 7 || first.MutationGeneration != 0 || first.VerifiedGeneration != 0 || first.WorkspaceID != here || first.skill() != "fable-build" || first.card() != "one" {
		t.Errorf("%+v", first)
	}
	if len(first.Evidence) != 2 || first.Evidence[0].Time.IsZero() || first.Evidence[0].Generation != 0 {
		t.Errorf("%+v", first.Evidence)
	}
	red, err := decode([]byte(`{"schemaVersion":1,"phase":"executing",`+strings.Replace(records, `"pass"`, `"fail"`, 1)+`}`), here)
	if err != nil || red.VerifiedGeneration != -1 {
		t.Errorf("%+v, %v", red, err)
	}
	second, err := decode([]byte(`{"schemaVersion":2,"workspaceId":"`+here+`","phase":"verifying","mutationGeneration":4,"verifiedGeneration":3,
		"evidence":[{"kind":"test","result":"pass","source":"x","detail":"31 passed","timestamp":"2026-11-30T10:00:00Z","generation":3}]}`), here)
	if err != nil || second.MutationGeneration != 4 || second.VerifiedGeneration != 3 || second.Evidence[0].Generation != 3 {
		t.Errorf("%+v, %v", second, err)
	}
}

func TestWhatIsWrittenReadsBackTheSame(t *testing.T) {
	p := newProject(t)
	p.write("a.py")
	p.run("pytest", green)
	p.phase(Complete, "security")
	if _, err := p.store().AddCard(t.Context(), p.tree(), "one"); err != nil {
		t.Fatal(err)
	}
	want := p.state()
	data, err := encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode(data, want.WorkspaceID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHistoryIsBoundedAndNewest(t *testing.T) {
	p := newProject(t)
	_, err := p.store().Update(t.Context(), func(st *State) (bool, error) {
		for i := range maxEvidence + 50 {
			st.prove(Record{Kind: Review, Result: Pass, Source: "x", Detail: fmt.Sprintf("look number %d", i)}, p.clock)
		}
		for i := range maxRecent + 50 {
			st.once(call{key: fmt.Sprint(i)}, asMutation, p.clock, p.clock)
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	st := p.state()
	if n := len(st.Evidence); n != maxEvidence || st.Evidence[n-1].Detail != fmt.Sprintf("look number %d", maxEvidence+49) {
		t.Errorf("%d records, the newest %q", n, st.Evidence[n-1].Detail)
	}
	if n := len(st.Recent); n != maxRecent {
		t.Errorf("%d calls", n)
	}
}

func TestUpdateWritesOnlyWhatChanged(t *testing.T) {
	p := newProject(t)
	if _, err := p.store().Update(t.Context(), func(*State) (bool, error) { return false, nil }); err != nil {
		t.Fatal(err)
	}
	if p.store().Exists() {
		t.Error("written for nothing")
	}
	if _, err := p.store().Update(t.Context(), func(st *State) (bool, error) { st.VerifiedGeneration = 9; return true, nil }); !errors.Is(err, ErrInvalid) {
		t.Errorf("an invalid state was written: %v", err)
	}
	boom := errors.New("boom")
	if _, err := p.store().Update(t.Context(), func(st *State) (bool, error) { st.mutate(); return true, boom }); !errors.Is(err, boom) {
		t.Error(err)
	}
	p.generations(0, -1)
}

func TestLockIsWaitedForAsLongAsTimeLasts(t *testing.T) {
	p := newProject(t)
	unlock, err := p.store().lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.store().Update(ctx, func(*State) (bool, error) { return true, nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.store().Update(t.Context(), func(*State) (bool, error) { return true, nil }); err != nil {
		t.Error(err)
	}
}

func TestSpooledCallsCountOnceWithTheNextChange(t *testing.T) {
	p := newProject(t)
	p.write("a.py")
	a, b := newCall("claude", "s", "x", nil), newCall("claude", "s", "y", nil)
	for _, c := range []call{a, b, a} {
		if err := p.store().spool(c.spoolKey(p.clock)); err != nil {
			t.Fatal(err)
		}
	}
	p.file(filepath.Join(Dir, spoolName, "not-a-key"), "")
	p.generations(3, -1) // seen before they are taken in
	p.write("b.py")
	p.generations(4, -1)
	left, err := os.ReadDir(filepath.Join(p.root, Dir, spoolName))
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
	// A spool that was taken in, and whose removal was lost, counts nothing.
	if err := p.store().spool(a.spoolKey(p.clock)); err != nil {
		t.Fatal(err)
	}
	p.write("c.py")
	p.generations(5, -1)
}

func TestATemplateIsOfNoWorkspaceAndIsAdopted(t *testing.T) {
	p := newProject(t)
	p.put(`{"schemaVersion":3,"workspaceId":"","phase":"planned"}`)
	p.write("a.py")
	st := p.state()
	if st.WorkspaceID != Workspace(p.root) || st.Phase != Planned || st.MutationGeneration != 1 {
		t.Errorf("%+v", st)
	}
	p.put(`{"schemaVersion":3,"workspaceId":"` + st.WorkspaceID + `"}`)
	link := filepath.Join(p.home, "link")
	if err := os.Symlink(p.root, link); err != nil {
		t.Skip(err)
	}
	if _, err := (&Store{Root: link}).Load(); err != nil {
		t.Errorf("by another way to the same folder: %v", err)
	}
}

// The rules hold whatever happens in whatever order.
func TestInvariantsHoldInEveryOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := fresh(here)
		now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Second)
			before := *s
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0:
				s.mutate()
				if s.MutationGeneration != before.MutationGeneration+1 || !s.Substantial || s.Phase == Complete || s.stale() == nil {
					t.Fatalf("a change: %+v", s)
				}
			case 1:
				tree := rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "tree")
				at := rapid.IntRange(0, s.MutationGeneration).Draw(t, "at")
				s.observe(tree, at)
				if d := s.MutationGeneration - before.MutationGeneration; d < 0 || d > 1 || d == 1 && (tree == "" || tree == before.Tree || before.Tree == "") {
					t.Fatalf("a look of %q at %d: %+v from %+v", tree, at, s, before)
				}
			case 2:
				r := Record{
					Kind: rapid.SampledFrom(Kinds()).Draw(t, "kind"), Result: rapid.SampledFrom([]Outcome{Pass, Fail}).Draw(t, "result"),
					Source: "x", Detail: rapid.SampledFrom([]string{"ok", substantive}).Draw(t, "detail"),
				}
				at := rapid.IntRange(0, s.MutationGeneration).Draw(t, "at")
				s.take(r, sight{"", at, rapid.IntRange(0, at).Draw(t, "began")}, now)
				if s.MutationGeneration != before.MutationGeneration || s.VerifiedGeneration < before.VerifiedGeneration || len(s.Evidence) < len(before.Evidence) {
					t.Fatalf("a proof: %+v from %+v", s, before)
				}
			case 3:
				o := rapid.SampledFrom([]Outcome{Pass, Fail}).Draw(t, "outcome")
				if recovering := s.count(o); recovering != (o == Fail && s.FailureStreak >= 2 && before.Phase != Complete) || recovering && s.Phase != Recovering {
					t.Fatalf("%s: %+v", o, s)
				}
			case 4:
				s.declare(rapid.SampledFrom(Phases()).Draw(t, "phase"))
				if before.Substantial && !s.Substantial && (before.Phase != Complete || before.stale() != nil) {
					t.Fatalf("open work made small: %+v", before)
				}
			case 5:
				s.route(rapid.SampledFrom([]string{"", "security", "builder"}).Draw(t, "skill"), "")
			case 6:
				s.closeByProof()
				if s.Phase == Complete && before.Phase != Complete && s.stale() != nil {
					t.Fatalf("closed on stale proof: %+v", s)
				}
			}
			if err := s.check(); err != nil {
				t.Fatalf("%v: %+v", err, s)
			}
			if s.Substantial && s.Phase == Complete && len(findings(s, nil, &Ledger{})) == 0 {
				newest := false
				for _, r := range s.Evidence {
					newest = newest || r.Generation == s.MutationGeneration && r.Result == Pass && Substantive(r.Detail)
				}
				if !newest || s.VerifiedGeneration != s.MutationGeneration {
					t.Fatalf("closed without proof of this generation: %+v", s)
				}
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":3,"phase":"idle","mutationGeneration":1,"verifiedGeneration":0,"evidence":[{"kind":"test","result":"pass","source":"x","detail":"31 passed","time":"2026-11-30T10:00:00Z","generation":1}]}`))
	f.Add([]byte(`{"schemaVersion":1,"evidence":[{"kind":"test","result":"fail","source":"x","detail":"d","timestamp":"2026-11-30T10:00:00Z"}]}`))
	f.Add([]byte(`{"mutationGeneration":6,"verifiedGeneration":6,"recent":[{"k":"a","t":1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decode(data, here)
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("%v", err)
			}
			return
		}
		if err := s.check(); err != nil {
			t.Fatal(err)
		}
		out, err := encode(s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decode(out, here)
		if err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if a, b := fmt.Sprintf("%+v", *s), fmt.Sprintf("%+v", *again); a != b && !strings.Contains(a, "0x") {
			t.Fatalf("%s\n%s", a, b)
		}
	})
}
