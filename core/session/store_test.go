package session

import (
	"context"
	"testing"
)

func TestUpdateMakesTheSessionThatViewReads(t *testing.T) {
	s := &Store{Dir: t.TempDir() + "/sessions"}
	if v, err := s.View("claude", "s1"); err != nil || !v.New() {
		t.Fatalf("before: new %v, %v", v.New(), err)
	}
	v, err := s.Update(context.Background(), "claude", "s1", func(tx *Tx) error {
		tx.Apply(Add(Touched, "a.go"), Add(Touched, "b.go"), Count("edits", 2), Add(Touched, "c.go").For("a1"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.View("claude", "s1")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []View{v, w} {
		if v.New() || !v.Has(Touched, "a.go") || v.Has(Touched, "c.go") || v.Counter("edits") != 2 || !v.Agent("a1").Has(Touched, "c.go") {
			t.Errorf("state %+v", v.s)
		}
	}
}
