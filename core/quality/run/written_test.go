package run

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/quality"
)

func TestWhatCommandsWroteIsFoundByTimeAndByTheCommitsMadeHere(t *testing.T) {
	needs(t, "git")
	p := newProject(t, map[string]string{
		"a.go": "a", "b.go": "b", "c.go": "c", "gone.go": "g", "was.go": "w", "moved.go": "some text that stays the same\n", ".gitignore": "ignored\n",
	})
	past := time.Now().Add(-time.Hour)
	old := func(name string) {
		t.Helper()
		if err := os.Chtimes(filepath.Join(p.root, name), past, past); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a.go", "b.go", "c.go", "was.go", ".gitignore"} {
		old(name)
	}
	p.write("was.go", "somebody's own work") // before the session
	old("was.go")
	from := time.Now()
	p.write("a.go", "by a command")
	p.write("new/n.go", "by a command")
	p.write("ignored", "x")
	p.write("node_modules/m.js", "x")
	p.write("vendor/modules.txt", "x")
	p.write("vendor/v/v.go", "x")
	p.write("b.go", "by a command, and committed")
	p.git("add", "b.go")
	p.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "two")
	if err := os.Remove(filepath.Join(p.root, "gone.go")); err != nil {
		t.Fatal(err)
	}
	p.git("mv", "moved.go", "dir.go")
	old("dir.go") // a move keeps the time: only that it left is seen
	to := time.Now()
	p.write("c.go", "by the human, later")
	later := to.Add(time.Minute)
	if err := os.Chtimes(filepath.Join(p.root, "c.go"), later, later); err != nil {
		t.Fatal(err)
	}
	look := func(s quality.Span) []string {
		got := p.w.Written(context.Background(), p.conf, s)
		slices.Sort(got)
		return got
	}
	want := []string{"a.go", "b.go", "gone.go", "moved.go", "new/n.go"}
	if d := cmp.Diff(want, look(quality.Span{From: from, To: to})); d != "" {
		t.Error(d)
	}
	if got := look(quality.Span{From: from}); !slices.Contains(got, "c.go") {
		t.Errorf("an open span: %q", got)
	}
	if got := look(quality.Span{From: from, To: to, Dirty: []string{"gone.go"}}); slices.Contains(got, "gone.go") {
		t.Errorf("gone before the session: %q", got)
	}
}

func TestWhatAMergeOrACheckoutBroughtIsNotWritten(t *testing.T) {
	needs(t, "git")
	p := newProject(t, map[string]string{"a.go": "a"})
	main := p.git("rev-parse", "--abbrev-ref", "HEAD")
	p.git("checkout", "-q", "-b", "other")
	p.write("b.go", "theirs")
	p.git("add", "-A")
	p.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "theirs", "--date=2020-01-01T00:00:00Z")
	p.git("checkout", "-q", main)
	p.git("reflog", "expire", "--expire=now", "--all")
	from := time.Now()
	p.git("merge", "-q", "other")
	if got := p.w.Written(context.Background(), p.conf, quality.Span{From: from}); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestAProjectBehindALinkKnowsItsChanges(t *testing.T) {
	needs(t, "git")
	p := newProject(t, map[string]string{"sub/a.go": "a"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(p.root, link); err != nil {
		t.Skip(err)
	}
	conf := p.conf
	conf.Root = filepath.Join(link, "sub")
	p.write("sub/a.go", "b")
	p.write("x.go", "outside of the project")
	if got := p.w.Profile(context.Background(), conf).Dirty; !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("dirty %q", got)
	}
	if got := p.w.Written(context.Background(), conf, quality.Span{}); !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("written %q", got)
	}
}

func TestAProjectWithoutGitKnowsOfNoCommand(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "a"})
	if err := os.RemoveAll(filepath.Join(p.root, ".git")); err != nil {
		t.Fatal(err)
	}
	if got := p.w.Written(context.Background(), p.conf, quality.Span{}); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
