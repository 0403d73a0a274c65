package vcs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ec261362/guardrails/core/gate"
)

func TestFoldersWithOddNamesAreRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("such names cannot be there")
	}
	s := newSite(t)
	for _, name := range []string{"a b", "a:b;c", `q"uo\te`, "new\nline", "-rf", "ünï"} {
		dir := filepath.Join(filepath.Dir(s.dir), name)
		if err := os.Rename(s.dir, dir); err != nil {
			t.Fatal(err)
		}
		s.dir = dir
		s.write("f", "1\n")
		base := s.commit("one")
		s.write("f", "1\n"+name+"\n")
		got := must[map[string][]Range](t)(s.open().ChangedLines(context.Background(), base, nil))
		if len(got["f"]) != 1 || got["f"][0].First != 2 {
			t.Errorf("%q: %v", name, got)
		}
		s.digest()
	}
}

func TestTheEmptyTreeIsTheBeginning(t *testing.T) {
	s := newSite(t)
	s.write("a", "1\n")
	s.commit("one")
	got, err := s.open().Since(context.Background(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904")
	if got != "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestOtherObjectFormatIsRead(t *testing.T) {
	s := newSite(t)
	s.remove(".git")
	s.git("init", "-q", "-b", "main", "--object-format=sha256", ".")
	s.write("a", "1\n")
	if got := must[map[string][]Range](t)(s.open().ChangedLines(context.Background(), "", nil)); !cmp.Equal(got, map[string][]Range{"a": {{1, 1}}}) {
		t.Errorf("new: %v", got)
	}
	base := s.commit("one")
	s.write("a", "1\n2\n")
	if got := must[map[string][]Range](t)(s.open().ChangedLines(context.Background(), base, nil)); !cmp.Equal(got, map[string][]Range{"a": {{2, 2}}}) {
		t.Errorf("changed: %v", got)
	}
}

func TestObjectsOfAnotherRepositoryAreFound(t *testing.T) {
	s := newSite(t)
	s.write("a", "1\n")
	s.commit("one")
	clone := filepath.Join(t.TempDir(), "c")
	s.git("clone", "-q", "--shared", s.dir, clone)
	s.dir = clone
	s.write("a", "1\n2\n")
	if got := must[map[string][]Range](t)(s.open().ChangedLines(context.Background(), "HEAD", nil)); !cmp.Equal(got, map[string][]Range{"a": {{2, 2}}}) {
		t.Errorf("%v", got)
	}
}

func TestRenamePairedOtherwiseIsComparedWithItsOwnOldFile(t *testing.T) {
	s := newSite(t)
	text := "1\n2\n3\n4\n5\n6\n"
	s.write("old", text)
	s.write("other", text+"7\n")
	base := s.commit("one")
	s.remove("old")
	s.remove("other")
	s.write("new", text+"7\n")
	ctx := context.Background()
	snap := must[*Snapshot](t)(s.open().Snapshot(ctx))
	defer snap.Close()
	// As if among more files git had paired new with old.
	blob := s.git("rev-parse", "HEAD:old")
	changes := must[[]Change](t)(snap.Changed(ctx, base))
	for _, c := range changes {
		if c.Path != "new" {
			continue
		}
		out := map[string][]Range{}
		c.OldPath, c.old = "old", blob
		if err := snap.patch(ctx, base, []Change{c}, out); err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(out, map[string][]Range{"new": {{7, 7}}}) {
			t.Errorf("%v", out)
		}
		return
	}
	t.Errorf("no rename: %v", paths(changes))
}

func TestManyPathsAreAskedInParts(t *testing.T) {
	s := newSite(t)
	base := s.commit("one")
	want := map[string][]Range{}
	for i := range 300 {
		name := strings.Repeat("long/", 20) + strings.Repeat("x", i%40) + string(rune('a'+i/40)) + ".txt"
		s.write(name, "1\n2\n")
		want[name] = []Range{{1, 2}}
	}
	if diff := cmp.Diff(want, must[map[string][]Range](t)(s.open().ChangedLines(context.Background(), base, nil))); diff != "" {
		t.Error(diff)
	}
}

func TestFilesAreThoseThatAreThere(t *testing.T) {
	s := newSite(t)
	s.write("a", "")
	s.write("gone", "")
	s.write(".gitignore", "out\n")
	s.commit("one")
	s.remove("gone")
	s.write("d/new file", "")
	s.write("out", "")
	s.write("kept", "")
	s.git("add", "-N", "kept")
	s.git("init", "-q", "inner")
	got := must[[]string](t)(s.open().Files(context.Background()))
	if diff := cmp.Diff([]string{".gitignore", "a", "d/new file", "kept"}, got); diff != "" {
		t.Error(diff)
	}
}

// answers is a git that always says the same.
type answers struct {
	exit gate.Exit
	err  error
}

func (a answers) Run(context.Context, gate.Command) (gate.Exit, error) { return a.exit, a.err }
func (a answers) LookPath(string) (string, error)                      { return "", fs.ErrNotExist }

func TestGitThatFailsIsAnErrorThatSaysSo(t *testing.T) {
	s := newSite(t)
	ctx := context.Background()
	for _, tc := range []struct {
		what string
		git  answers
		want string
		is   error
	}{
		{"not there", answers{err: fs.ErrNotExist}, "file does not exist", fs.ErrNotExist},
		{"too slow", answers{exit: gate.Exit{TimedOut: true, Code: -1}}, "not finished", context.DeadlineExceeded},
		{"killed", answers{exit: gate.Exit{Signal: "killed", Code: -1}}, "killed by killed", nil},
		{"failing", answers{exit: gate.Exit{Code: 129, Stderr: []byte("fatal: \xff " + strings.Repeat("x", 999))}}, "exit code 129: fatal: ? x", nil},
		{"without sense", answers{exit: gate.Exit{Stdout: []byte("? \x00nonsense\x00:1 2")}}, "", nil},
	} {
		r, err := Open(ctx, tc.git, s.dir)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.TreeDigest(ctx)
		if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 600) {
			t.Errorf("%s: digest: %v", tc.what, err)
		}
		if tc.is != nil && !errors.Is(err, tc.is) {
			t.Errorf("%s: %v is not %v", tc.what, err, tc.is)
		}
		if _, err := r.ChangedLines(ctx, "HEAD", nil); err == nil {
			t.Errorf("%s: there are changed lines", tc.what)
		}
		if _, err := r.Ignored(ctx, []string{"a"}); err == nil && tc.want != "" {
			t.Errorf("%s: there are ignored files", tc.what)
		}
	}
	if _, err := Open(ctx, nil, s.dir); err == nil {
		t.Error("it opens without programs")
	}
}

func TestOutputThatIsNoPatchIsAnError(t *testing.T) {
	for _, text := range []string{
		"diff --git a/x b/x\n+++ b/x\n@@ -1 +1 @@\n-a\n", "diff --git a/x b/x\n@@ bad\n", "diff --git a/x b/x\n@@ -1,x +1 @@\n", "diff --git a/x b/x\n@@ -1 +99999999999 @@\n",
		"diff --git a/x b/x\n+++ \"b/x\n", "diff --git a/x b/x\nrename from \"\\9\"\n", "diff --git a/x b/x\nrename to \"x\\\"\n", "diff --git a/x b/x\nrename to \"\\\"\n",
	} {
		if got, err := parsePatch([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
	for _, text := range []string{"x\x00", ":100644 100644 a b\x00x\x00", ":100644 100644 a b R100\x00x\x00", ":100644 100644 a b M"} {
		if got, err := parseRaw([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
	for in, want := range map[string]string{`a b`: "a b", `"\303\244\t\"\\"`: "ä\t\"\\", `""`: ""} {
		if got, err := unquote(in); got != want || err != nil {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
}

func TestUnreadableFilesDoNotStopIt(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("whoever runs this may read everything")
	}
	s := newSite(t)
	s.write("a", "1\n")
	s.write("secret", "1\n")
	base := s.commit("one")
	for _, name := range []string{"secret", "new"} {
		s.write(name, "22\n")
		if err := os.Chmod(filepath.Join(s.dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	s.digest()
	if got := paths(must[[]Change](t)(s.open().Changed(context.Background(), base))); !cmp.Equal(got, []string{"added new", "modified secret"}) {
		t.Errorf("%q", got)
	}
}
