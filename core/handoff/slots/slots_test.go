package slots

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/handoff/pr"
)

var day = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func ref(t *testing.T, url string) pr.Ref {
	t.Helper()
	r, ok := pr.ParseURL(url)
	if !ok {
		t.Fatal(url)
	}
	return r
}

func put(t *testing.T, dir, slug, prs string, finished time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, slug), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, slug, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if prs != "" {
		write("prs.json", prs)
	}
	if !finished.IsZero() {
		write("result.md", "done")
		if err := os.Chtimes(filepath.Join(dir, slug, "result.md"), finished, finished); err != nil {
			t.Fatal(err)
		}
	}
}

func list(t *testing.T, l Layout) []Slot {
	t.Helper()
	s, err := List(fsx.OS{}, l)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const seven = "https://github.com/o/r/pull/7"

func TestListReadsEveryShape(t *testing.T) {
	dir := t.TempDir()
	eight := "https://github.com/o/r/pull/8"
	put(t, dir, "a", `[{"url":"`+seven+`","sessionId":"s"}]`, time.Time{})
	put(t, dir, "b", `{"url":"`+seven+`","sessionId":"s"}`, day)
	put(t, dir, "c", `{"sessionId":"s","prs":[{"url":"`+seven+`"},{"url":"`+eight+`"}]}`, time.Time{})
	put(t, dir, "d", `["`+seven+`"]`, time.Time{})
	put(t, dir, "e", `{{{`, time.Time{})
	put(t, dir, "f", "", time.Time{}) // no slot
	put(t, dir, ".g", `["`+seven+`"]`, time.Time{})
	put(t, dir, "h", `[{"number":7,"repo":"o/r","sessionId":"s"}]`, time.Time{})
	put(t, dir, "i", `[{"pr":8,"owner":"o","repo":"r"}]`, time.Time{})
	put(t, dir, "j", `[{"number":7,"repo":"r"}]`, time.Time{}) // of which owner?
	put(t, dir, "k", `[{"number":7,"repo":"o/r","url":"https://git.acme.dev/o/r/pull/7"}]`, time.Time{})
	want := []Slot{
		{Slug: "a", URL: seven, Session: "s"},
		{Slug: "b", URL: seven, Session: "s", Finished: true, FinishedAt: day},
		{Slug: "c", URL: seven, URLs: []string{seven, eight}, Session: "s"},
		{Slug: "d", URL: seven},
		{Slug: "e"},
		{Slug: "h", URL: seven, Session: "s"},
		{Slug: "i", URL: eight},
		{Slug: "j"},
		{Slug: "k", URL: "https://git.acme.dev/o/r/pull/7"},
	}
	for i := range want {
		want[i].Dir = filepath.Join(dir, want[i].Slug)
	}
	got := list(t, Layout{Dir: dir})
	for i := range got {
		got[i].FinishedAt = got[i].FinishedAt.UTC()
		if !got[i].Finished {
			got[i].FinishedAt = time.Time{}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !Tracked(got, ref(t, eight)) || Tracked(got, ref(t, "https://github.com/o/other/pull/7")) {
		t.Error("tracked wrongly")
	}
	own, orphans := Open(got, "s")
	if len(own) != 3 || len(orphans) != 5 {
		t.Errorf("own %v, orphans %v", own, orphans)
	}
	if own, _ := Open(got, ""); own != nil {
		t.Error("nobody owns what has no owner")
	}
}

func TestAMissingFolderHasNoSlots(t *testing.T) {
	if got := list(t, Layout{Dir: filepath.Join(t.TempDir(), "no")}); got != nil {
		t.Error(got)
	}
}

func TestTheOwnersFieldHasAName(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a", `[{"url":"`+seven+`","ownerSession":"s"}]`, time.Time{})
	if own, _ := Open(list(t, Layout{Dir: dir, Owner: "ownerSession"}), "s"); len(own) != 1 {
		t.Error("not read")
	}
}

func TestSeedIsIdempotentAndFinishEndsIt(t *testing.T) {
	l := Layout{Dir: filepath.Join(t.TempDir(), "slots")}
	first, made, err := Seed(l, ref(t, seven), "", "", day)
	if err != nil || !made || first.Slug != "o-r-7" {
		t.Fatalf("%+v %v %v", first, made, err)
	}
	again, made, err := Seed(l, ref(t, seven+"/files"), "", "s", day)
	if err != nil || made || again.Slug != first.Slug || again.Session != "s" {
		t.Fatalf("%+v %v %v", again, made, err)
	}
	if _, _, err := Seed(l, ref(t, seven), "", "other", day); err != nil {
		t.Fatal(err)
	}
	if got := list(t, l); len(got) != 1 || got[0].Session != "s" || got[0].Finished {
		t.Fatalf("%+v", got)
	}
	done, err := Finish(l, "o-r-7", "merged", day)
	if err != nil || !done.Finished {
		t.Fatalf("%+v %v", done, err)
	}
	if _, err := Finish(l, "o-r-7", "closed", day); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(l.Dir, "o-r-7", "result.md"))
	if err != nil || !strings.Contains(string(text), "merged") {
		t.Errorf("%s %v", text, err)
	}
	// A pull request that was reopened gets a slot of its own.
	next, made, err := Seed(l, ref(t, seven), "", "s", day)
	if err != nil || !made || next.Slug != "o-r-7-2" {
		t.Errorf("%+v %v %v", next, made, err)
	}
	if got := Find(list(t, l), "#7"); len(got) != 2 || got[0].Slug != "o-r-7-2" {
		t.Errorf("%+v", got)
	}
	if got := Find(list(t, l), "7"); len(got) != 2 {
		t.Errorf("%+v", got)
	}
	if got := Find(list(t, l), "o-r-7"); len(got) != 1 || !got[0].Finished {
		t.Errorf("%+v", got)
	}
}

func TestSeedKeepsWhatOthersWrote(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "x", `[{"url":"`+seven+`","big":12345678901234567890,"more":{"a":[1]}}]`, time.Time{})
	if _, _, err := Seed(Layout{Dir: dir}, ref(t, seven), "", "s", day); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "x", "prs.json"))
	if err != nil || !json.Valid(raw) || !strings.Contains(string(raw), "12345678901234567890") || !strings.Contains(string(raw), `"more"`) {
		t.Errorf("%s %v", raw, err)
	}
}

func TestSeedRefusesNamesThatLeaveTheFolder(t *testing.T) {
	l := Layout{Dir: t.TempDir()}
	for _, slug := range []string{"../x", "a/b", ".x", "a b", "x.", strings.Repeat("a", 101)} {
		if _, _, err := Seed(l, ref(t, seven), slug, "", day); err == nil {
			t.Errorf("%q was taken", slug)
		}
	}
	if _, _, err := Seed(l, pr.Ref{Number: 7}, "", "", day); err == nil {
		t.Error("a slot without an address")
	}
	if _, err := Finish(l, "no", "", day); !errors.Is(err, ErrNoSlot) {
		t.Error(err)
	}
}

func TestGCSparesOpenSlots(t *testing.T) {
	dir := t.TempDir()
	old := day.Add(-31 * 24 * time.Hour)
	put(t, dir, "old", `["`+seven+`"]`, old)
	put(t, dir, "young", `["`+seven+`"]`, day.Add(-29*24*time.Hour))
	put(t, dir, "open", `["`+seven+`"]`, time.Time{})
	put(t, dir, "foreign", "", time.Time{})
	put(t, dir, "nameless", "", old)
	put(t, dir, "work", `["`+seven+`"]`, old)
	if err := os.Mkdir(filepath.Join(dir, "work", "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"open", "foreign"} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "old"), filepath.Join(dir, "link")); err != nil {
		t.Log(err)
	}
	n, err := GC(Layout{Dir: dir}, day, 30*24*time.Hour)
	if n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	for name, want := range map[string]bool{"old": false, "young": true, "open": true, "foreign": true, "nameless": true, "work": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSeedsInParallelMakeOneSlot(t *testing.T) {
	l := Layout{Dir: filepath.Join(t.TempDir(), "slots")}
	r := ref(t, seven)
	errs := make(chan error, 20)
	for range cap(errs) {
		go func() {
			_, _, err := Seed(l, r, "", "s", day)
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := list(t, l); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`[{"url":"https://github.com/o/r/pull/7","sessionId":"s"}]`))
	f.Add([]byte(`{"prs":[[[{"url":1}]]]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var s Slot
		s.read(raw, DefaultOwner)
		if s.URL != "" {
			if _, ok := pr.ParseURL(s.URL); !ok {
				t.Errorf("%q", s.URL)
			}
		}
	})
}
