package vcs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/proc"
)

// programs runs real programs, with variables of a surrounding git in the way.
type programs struct{ env []string }

func (p programs) Run(ctx context.Context, c gate.Command) (gate.Exit, error) {
	r, err := proc.Run(ctx, proc.Cmd{Argv: c.Argv, Dir: c.Dir, Env: slices.Concat(p.env, c.Env), Stdin: c.Stdin, MaxOutput: c.MaxOutput, Timeout: c.Timeout})
	return gate.Exit{Code: r.ExitCode, Signal: r.Signal, TimedOut: r.TimedOut, Stdout: r.Stdout, Stderr: r.Stderr, Truncated: r.Truncated, Took: r.Took}, err
}

func (p programs) LookPath(name string) (string, error) {
	return proc.LookPath(name, os.Getenv("PATH"))
}

// A site is a repository that a test works in.
type site struct {
	t    *testing.T
	dir  string
	home string
}

func env(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "TMPDIR=" + os.Getenv("TMPDIR"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}
}

func newSite(t *testing.T) *site {
	t.Helper()
	if _, err := proc.LookPath("git", os.Getenv("PATH")); err != nil {
		t.Skip("git is not installed")
	}
	s := &site{t: t, dir: filepath.Join(t.TempDir(), "repo"), home: t.TempDir()}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.git("init", "-q", "-b", "main", ".")
	return s
}

func (s *site) git(args ...string) string {
	s.t.Helper()
	return s.gitIn(s.dir, args...)
}

func (s *site) gitIn(dir string, args ...string) string {
	s.t.Helper()
	r, err := proc.Run(context.Background(), proc.Cmd{Argv: append([]string{"git", "-c", "protocol.file.allow=always"}, args...), Dir: dir, Env: env(s.home)})
	if err != nil || r.ExitCode != 0 {
		s.t.Fatalf("git %q: %v, exit code %d\n%s%s", args, err, r.ExitCode, r.Stdout, r.Stderr)
	}
	return strings.TrimSpace(string(r.Stdout))
}

func (s *site) write(name, text string) {
	s.t.Helper()
	full := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) remove(name string) {
	s.t.Helper()
	if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) commit(msg string) string {
	s.t.Helper()
	s.git("add", "-A")
	s.git("commit", "-q", "--allow-empty", "-m", msg)
	return s.git("rev-parse", "HEAD")
}

func (s *site) open() *Repo {
	s.t.Helper()
	r, err := Open(context.Background(), programs{env(s.home)}, s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *site) digest(exclude ...string) string {
	s.t.Helper()
	d, err := s.open().TreeDigest(context.Background(), exclude...)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestOutsideAWorkingTreeIsNoRepo(t *testing.T) {
	s := newSite(t)
	bare := t.TempDir()
	s.gitIn(bare, "init", "-q", "--bare", ".")
	for _, dir := range []string{t.TempDir(), bare, filepath.Join(bare, "refs")} {
		if r, err := Open(context.Background(), programs{}, dir); !errors.Is(err, ErrNoRepo) {
			t.Errorf("%s: %v, %v", dir, r, err)
		}
	}
}

func TestFolderBelowOpensTheSameTree(t *testing.T) {
	s := newSite(t)
	s.write("a/b/c.txt", "x\n")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(s.dir, "a"), link); err != nil {
		t.Skip(err)
	}
	for _, dir := range []string{s.dir, filepath.Join(s.dir, "a/b"), filepath.Join(s.dir, ".git"), link} {
		r := must[*Repo](t)(Open(context.Background(), programs{env(s.home)}, dir))
		if rel, ok := r.Rel(filepath.Join(s.dir, "a/b/c.txt")); rel != "a/b/c.txt" || !ok {
			t.Errorf("%s: root %s, file %q %v", dir, r.Root(), rel, ok)
		}
	}
}

func TestWorktreeSharesTheIDAndACloneDoesNot(t *testing.T) {
	s := newSite(t)
	s.write("a", "x\n")
	s.commit("one")
	tree, clone := filepath.Join(t.TempDir(), "wt"), filepath.Join(t.TempDir(), "clone")
	s.git("worktree", "add", "-q", tree)
	s.git("clone", "-q", s.dir, clone)
	ctx, p := context.Background(), programs{env(s.home)}
	main := s.open()
	linked, other := must[*Repo](t)(Open(ctx, p, tree)), must[*Repo](t)(Open(ctx, p, clone))
	if main.ID() != linked.ID() || main.ID() == other.ID() || len(main.ID()) != 16 {
		t.Errorf("main %s, linked %s, clone %s", main.ID(), linked.ID(), other.ID())
	}
	if must[string](t)(linked.Head(ctx)) != must[string](t)(main.Head(ctx)) {
		t.Error("heads differ")
	}
	if err := os.WriteFile(filepath.Join(tree, "new"), []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := paths(must[[]Change](t)(linked.Changed(ctx, "HEAD"))); !cmp.Equal(got, []string{"added new"}) {
		t.Errorf("linked: %q", got)
	}
	if got := must[[]Change](t)(main.Changed(ctx, "HEAD")); len(got) != 0 {
		t.Errorf("main: %v", got)
	}
}

func paths(changes []Change) (out []string) {
	for _, c := range changes {
		line := c.Status.String() + " " + c.Path
		if c.OldPath != "" {
			line += " from " + c.OldPath
		}
		out = append(out, line)
	}
	return out
}

func TestAncestry(t *testing.T) {
	s := newSite(t)
	ctx := context.Background()
	r := s.open()
	if _, err := r.Head(ctx); !errors.Is(err, ErrNoCommit) {
		t.Errorf("head of a new repository: %v", err)
	}
	one := s.commit("one")
	s.git("checkout", "-q", "-b", "side")
	side := s.commit("side")
	s.git("checkout", "-q", "main")
	two := s.commit("two")
	s.git("checkout", "-q", "--orphan", "apart")
	apart := s.commit("apart")
	s.git("checkout", "-q", "main")
	for _, tc := range []struct {
		a, b     string
		ancestor bool
		base     string
	}{{one, two, true, one}, {two, one, false, one}, {side, two, false, one}, {two, two, true, two}, {apart, two, false, ""}} {
		if got := must[bool](t)(r.IsAncestor(ctx, tc.a, tc.b)); got != tc.ancestor {
			t.Errorf("%s ancestor of %s: %v", tc.a, tc.b, got)
		}
		if got := must[string](t)(r.MergeBase(ctx, tc.a, tc.b)); got != tc.base {
			t.Errorf("merge base of %s and %s: %q, want %q", tc.a, tc.b, got, tc.base)
		}
	}
	for base, want := range map[string]string{"": "", one: one, side: one, apart: apart, "HEAD": two} {
		if got := must[string](t)(r.Since(ctx, base)); got != want {
			t.Errorf("since %q: %q, want %q", base, got, want)
		}
	}
	for _, rev := range []string{"none", "--all", "-x", "a\nb", "HEAD:x"} {
		if _, err := r.Commit(ctx, rev); !errors.Is(err, ErrNoCommit) {
			t.Errorf("%q: %v", rev, err)
		}
	}
}

func TestDigestFollowsContentOnly(t *testing.T) {
	s := newSite(t)
	s.write("a.txt", "a\n")
	s.write("dir/b.txt", "b\n")
	s.write(".gitignore", "*.log\n")
	last := s.digest()
	same := func(what string) {
		t.Helper()
		if got := s.digest(); got != last {
			t.Errorf("%s changed the digest", what)
		}
	}
	other := func(what string) {
		t.Helper()
		got := s.digest()
		if got == last {
			t.Errorf("%s did not change the digest", what)
		}
		last = got
	}
	s.git("add", "a.txt")
	same("staging one of the files")
	s.git("add", "-A")
	same("staging all")
	s.git("commit", "-q", "-m", "one")
	same("a commit")
	s.write("x.log", "noise")
	same("an ignored file")
	s.write("a.txt", "A\n")
	other("an edit")
	s.git("add", "a.txt")
	same("staging the edit")
	s.write("a.txt", "B\n")
	other("an edit over a staged one")
	s.write("new file", "n\n")
	other("a new file")
	s.git("add", "-N", "new file")
	same("the intent to add it")
	if err := os.Chmod(filepath.Join(s.dir, "dir/b.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	other("an executable bit")
	s.remove("dir/b.txt")
	other("a deletion")
	s.git("rm", "-q", "--cached", "dir/b.txt")
	same("staging the deletion")
	s.git("commit", "-q", "-am", "two")
	same("a commit of it")
	s.git("rm", "-q", "--cached", "a.txt")
	same("untracking a file that stays")
	s.remove("a.txt")
	s.write("a.txt/inner", "now a folder\n")
	other("a file that became a folder")
	s.git("add", "-A")
	same("staging that")
	s.git("commit", "-q", "-m", "three")
	s.remove("a.txt")
	s.write("a.txt", "and back\n")
	other("a folder that became a file")
	if err := os.Symlink("a.txt", filepath.Join(s.dir, "ln")); err == nil {
		other("a link")
		s.git("add", "ln")
		same("staging the link")
	}
	s.git("branch", "elsewhere")
	same("a branch")
}

func TestDigestLeavesOutWhatItIsTold(t *testing.T) {
	s := newSite(t)
	s.write("src/a.go", "a\n")
	s.write("docs/x.md", "x\n")
	s.commit("one")
	exclude := []string{"docs", ".guardrails/LEDGER.md", "**/*.tmp"}
	before, plain := s.digest(exclude...), s.digest()
	s.write("docs/x.md", "y\n")
	s.write("docs/deep/new.md", "z\n")
	s.write(".guardrails/LEDGER.md", "card\n")
	s.write("src/x.tmp", "t\n")
	s.write("docs/large", strings.Repeat("x", maxBlob+1))
	if s.digest(exclude...) != before {
		t.Error("an excluded file counts")
	}
	if s.digest() == plain {
		t.Error("without patterns nothing is left out")
	}
	s.write("src/a.go", "b\n")
	if s.digest(exclude...) == before {
		t.Error("a file beside the excluded ones does not count")
	}
	if _, err := s.open().TreeDigest(context.Background(), "/"); err == nil {
		t.Error("the root was left out")
	}
}

func TestLargeAndUnreadableFilesCount(t *testing.T) {
	s := newSite(t)
	s.commit("one")
	before := s.digest()
	s.write("data.bin", strings.Repeat("x", maxBlob+1))
	large := s.digest()
	if large == before {
		t.Error("a large file does not count")
	}
	s.write("data.bin", strings.Repeat("x", maxBlob+2))
	if s.digest() == large {
		t.Error("its growth does not count")
	}
	got := must[map[string][]Range](t)(s.open().ChangedLines(context.Background(), "HEAD", nil))
	if !cmp.Equal(got, map[string][]Range{"data.bin": {{1, 1}}}) {
		t.Errorf("its lines: %v", got)
	}
}

func TestReadingWritesNothingIntoTheRepository(t *testing.T) {
	s := newSite(t)
	s.write("a.txt", "a\n")
	s.write("sub/b.txt", "b\n")
	s.commit("one")
	s.write("a.txt", "b\n")
	s.write("new", "n\n")
	s.git("config", "core.splitIndex", "true")
	s.git("update-index", "--split-index")
	list := func() (out []string) {
		err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			text := ""
			if !d.IsDir() {
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				text = string(data)
			}
			when := info.ModTime().String()
			if strings.HasPrefix(d.Name(), "sharedindex.") || strings.Contains(path, "/objects/") && !d.IsDir() {
				when = "" // git makes what it uses younger, lest it expire
			}
			out = append(out, path+" "+when+" "+text)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	t.Setenv("TMPDIR", t.TempDir())
	before := list()
	ctx, r := context.Background(), s.open()
	must[string](t)(r.TreeDigest(ctx, "sub"))
	must[[]Change](t)(r.Changed(ctx, "HEAD"))
	must[map[string][]Range](t)(r.ChangedLines(ctx, "HEAD", nil))
	must[map[string]bool](t)(r.Ignored(ctx, []string{"a.txt"}))
	must[string](t)(r.Since(ctx, "HEAD"))
	if diff := cmp.Diff(before, list()); diff != "" {
		t.Errorf("the repository changed:\n%s", diff)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestConfigurationRunsNothing(t *testing.T) {
	s := newSite(t)
	mark := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil.sh")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\ntouch '"+mark+"'\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.write("a.txt", "a\n")
	s.write("b.dat", "b\n")
	s.write(".gitattributes", "* filter=evil diff=evil\n")
	base := s.commit("one")
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "pager.diff", "diff.external", "diff.evil.command", "diff.evil.textconv",
		"filter.evil.clean", "filter.evil.smudge", "filter.a=b.clean", "core.sshCommand", "core.alternateRefsCommand",
	} {
		s.git("config", key, evil)
	}
	s.git("config", "filter.evil.required", "true")
	for _, hook := range []string{"post-index-change", "reference-transaction", "fsmonitor-watchman"} {
		full := filepath.Join(s.dir, ".git/hooks", hook)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		data := must[[]byte](t)(os.ReadFile(evil))
		if err := os.WriteFile(full, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.write("a.txt", "b\n")
	s.write("new", "n\n")
	s.remove("b.dat")
	s.write("c.dat", "b\n")
	ctx, r := context.Background(), s.open()
	must[string](t)(r.TreeDigest(ctx))
	lines := must[map[string][]Range](t)(r.ChangedLines(ctx, base, nil))
	if want := (map[string][]Range{"a.txt": {{1, 1}}, "new": {{1, 1}}}); !cmp.Equal(lines, want) {
		t.Errorf("lines %v, want %v", lines, want)
	}
	must[map[string]bool](t)(r.Ignored(ctx, []string{"a.txt"}))
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program that the configuration names was run")
	}
}

func TestVariablesOfASurroundingGitDoNotReachOurs(t *testing.T) {
	s, other := newSite(t), newSite(t)
	s.write("a.txt", "a\n")
	s.commit("one")
	s.write("a.txt", "b\n")
	other.write("z", "z\n")
	other.commit("other")
	dir := filepath.Join(other.dir, ".git")
	p := programs{append(env(s.home), "GIT_DIR="+dir, "GIT_WORK_TREE="+other.dir, "GIT_INDEX_FILE="+filepath.Join(dir, "index"),
		"GIT_OBJECT_DIRECTORY="+filepath.Join(dir, "objects"), "GIT_COMMON_DIR="+dir, "GIT_EXTERNAL_DIFF=false", "GIT_PREFIX=z/", "GIT_ICASE_PATHSPECS=1",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.bare", "GIT_CONFIG_VALUE_0=true", "GIT_DIFF_OPTS=-u5", "GIT_NAMESPACE=n")}
	r := must[*Repo](t)(Open(context.Background(), p, s.dir))
	if got := paths(must[[]Change](t)(r.Changed(context.Background(), "HEAD"))); !cmp.Equal(got, []string{"modified a.txt"}) {
		t.Errorf("%q", got)
	}
	if got := must[map[string][]Range](t)(r.ChangedLines(context.Background(), "HEAD", []string{"a.txt"})); !cmp.Equal(got, map[string][]Range{"a.txt": {{1, 1}}}) {
		t.Errorf("%v", got)
	}
}

func TestChangesOfEachKind(t *testing.T) {
	s := newSite(t)
	text := strings.Repeat("a line of it\n", 3) + "one\ntwo\nthree\nfour\nfive\nsix\n"
	names := []string{"plain.txt", "with space.txt", "größe.txt", "tab\tname.txt", "new\nline.txt", `quote"back\slash.txt`, "-dash", ":(top)magic", "[a]*.txt"}
	for i, n := range names {
		s.write(n, text+strings.Repeat("=", i)+"\n")
	}
	s.write("gone.txt", "gone\nfor ever\n")
	s.write("moved.txt", "m1\nm2\nm3\nm4\nm5\nm6\nm7\nm8\n")
	s.write("untracked-move.txt", "u1\nu2\nu3\nu4\nu5\nu6\nu7\nu8\n")
	s.write("mode.sh", "echo\n")
	s.write("attr.txt", "a\nb\n")
	s.write("shrunk.txt", "a\nb\nc\n")
	base := s.commit("one")
	for i, n := range names {
		s.write(n, "zero\n"+text+strings.Repeat("=", i)+"\nlast")
	}
	s.remove("gone.txt")
	s.git("mv", "moved.txt", "to here.txt")
	s.write("to here.txt", "m1\nm2\nm3\nM4\nm5\nm6\nm7\nm8\n")
	s.git("commit", "-q", "-am", "two")
	s.remove("untracked-move.txt")
	s.write("dir/by hand.txt", "u1\nu2\nu3\nu4\nu5\nu6\nu7\nu8\nu9\n")
	s.write("fresh/file", "1\n2\n3")
	s.write("empty", "")
	s.write(".gitattributes", "*.txt -diff\n")
	s.write("attr.txt", "a\nB\n")
	s.write("shrunk.txt", "a\nc\n")
	if err := os.Chmod(filepath.Join(s.dir, "mode.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, r := context.Background(), s.open()
	want := []string{
		"added .gitattributes", "added empty", "added fresh/file", "deleted gone.txt", "modified attr.txt", "modified mode.sh", "modified shrunk.txt",
		"renamed dir/by hand.txt from untracked-move.txt", "renamed to here.txt from moved.txt",
	}
	lines := map[string][]Range{
		".gitattributes": {{1, 1}}, "fresh/file": {{1, 3}}, "attr.txt": {{2, 2}}, "dir/by hand.txt": {{9, 9}}, "to here.txt": {{4, 4}},
	}
	for _, n := range names {
		want = append(want, "modified "+n)
		lines[n] = []Range{{1, 1}, {12, 12}}
	}
	got := paths(must[[]Change](t)(r.Changed(ctx, base)))
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes:\n%s", diff)
	}
	if diff := cmp.Diff(lines, must[map[string][]Range](t)(r.ChangedLines(ctx, base, nil))); diff != "" {
		t.Errorf("lines:\n%s", diff)
	}
	some := must[map[string][]Range](t)(r.ChangedLines(ctx, base, []string{"to here.txt", filepath.Join(s.dir, "new\nline.txt"), "mode.sh", "none"}))
	if diff := cmp.Diff(map[string][]Range{"to here.txt": {{4, 4}}, "new\nline.txt": {{1, 1}, {12, 12}}}, some); diff != "" {
		t.Errorf("lines of some:\n%s", diff)
	}
}

func TestNewRepositoryIsAllNew(t *testing.T) {
	s := newSite(t)
	ctx, r := context.Background(), s.open()
	empty := s.digest()
	if got := must[[]Change](t)(r.Changed(ctx, "")); len(got) != 0 {
		t.Errorf("empty: %v", got)
	}
	s.write("a", "1\n2\n")
	if s.digest() == empty {
		t.Error("a first file does not count")
	}
	if got := must[map[string][]Range](t)(r.ChangedLines(ctx, "", nil)); !cmp.Equal(got, map[string][]Range{"a": {{1, 2}}}) {
		t.Errorf("lines: %v", got)
	}
	if _, err := r.Changed(ctx, "HEAD"); !errors.Is(err, ErrNoCommit) {
		t.Errorf("against HEAD: %v", err)
	}
}

func TestConflictInProgressIsRead(t *testing.T) {
	s := newSite(t)
	s.write("a", "base\n")
	base := s.commit("base")
	s.git("checkout", "-q", "-b", "side")
	s.write("a", "side\n")
	s.commit("side")
	s.git("checkout", "-q", "main")
	s.write("a", "main\n")
	s.commit("main")
	_, err := proc.Run(context.Background(), proc.Cmd{Argv: []string{"git", "merge", "-q", "side"}, Dir: s.dir, Env: env(s.home)})
	if err != nil {
		t.Fatal(err)
	}
	s.digest()
	got := must[map[string][]Range](t)(s.open().ChangedLines(context.Background(), base, nil))
	if !cmp.Equal(got, map[string][]Range{"a": {{1, 5}}}) {
		t.Errorf("%v", got)
	}
	s.remove("a")
	if got := paths(must[[]Change](t)(s.open().Changed(context.Background(), base))); !cmp.Equal(got, []string{"deleted a"}) {
		t.Errorf("%q", got)
	}
}

func TestSubmoduleCountsByItsHead(t *testing.T) {
	s, lib := newSite(t), newSite(t)
	lib.write("lib.txt", "1\n")
	lib.commit("lib")
	s.git("submodule", "--quiet", "add", lib.dir, "lib")
	base := s.commit("with lib")
	before := s.digest()
	inner := filepath.Join(s.dir, "lib")
	if err := os.WriteFile(filepath.Join(inner, "lib.txt"), []byte("2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if s.digest() != before {
		t.Error("an edit in it counts")
	}
	s.gitIn(inner, "commit", "-q", "-am", "two")
	moved := s.digest()
	if moved == before {
		t.Error("its new head does not count")
	}
	s.git("add", "lib")
	if s.digest() != moved {
		t.Error("staging its head counts")
	}
	ctx := context.Background()
	if got := paths(must[[]Change](t)(s.open().Changed(ctx, base))); !cmp.Equal(got, []string{"modified lib"}) {
		t.Errorf("%q", got)
	}
	if got := must[map[string][]Range](t)(s.open().ChangedLines(ctx, base, nil)); len(got) != 0 {
		t.Errorf("it has lines: %v", got)
	}
	sub := must[*Repo](t)(Open(ctx, programs{env(s.home)}, inner))
	if sub.ID() == s.open().ID() || sub.Root() != inner {
		t.Errorf("inside it: root %s, id %s", sub.Root(), sub.ID())
	}
	if got := paths(must[[]Change](t)(sub.Changed(ctx, "HEAD~1"))); !cmp.Equal(got, []string{"modified lib.txt"}) {
		t.Errorf("inside it: %q", got)
	}
}

func TestRepositoryInsideThatIsNoSubmodule(t *testing.T) {
	s := newSite(t)
	base := s.commit("one")
	before := s.digest()
	s.git("init", "-q", "inner")
	s.write("inner/file", "x\n")
	if s.digest() == before {
		t.Error("it does not count at all")
	}
	if got := must[map[string][]Range](t)(s.open().ChangedLines(context.Background(), base, nil)); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestIgnoredFollowsTheRepositorysRules(t *testing.T) {
	s := newSite(t)
	s.write(".gitignore", "*.log\nbuild/\n")
	s.write("kept.log", "")
	s.git("add", "-f", "kept.log")
	s.write("real/x", "")
	asked := []string{"a.log", "kept.log", "build/x", "src/a.go", filepath.Join(s.dir, "b.log"), filepath.Join(t.TempDir(), "c.log"), "../up.log", "new\nline.log", ":(top)m.log", "-d.log", "."}
	want := map[string]bool{"a.log": true, "build/x": true, filepath.Join(s.dir, "b.log"): true, "new\nline.log": true, ":(top)m.log": true, "-d.log": true}
	if err := os.Symlink("real", filepath.Join(s.dir, "ln")); err == nil {
		asked = append(asked, "ln/x.log")
	}
	got := must[map[string]bool](t)(s.open().Ignored(context.Background(), asked))
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestAssumedUnchangedFilesCount(t *testing.T) {
	s := newSite(t)
	s.write("a b", "1\n")
	base := s.commit("one")
	before := s.digest()
	s.git("update-index", "--assume-unchanged", "a b")
	if s.digest() != before {
		t.Error("the mark alone counts")
	}
	s.write("a b", "2\n")
	if s.digest() == before {
		t.Error("the file's change does not count")
	}
	if got := must[map[string][]Range](t)(s.open().ChangedLines(context.Background(), base, nil)); !cmp.Equal(got, map[string][]Range{"a b": {{1, 1}}}) {
		t.Errorf("%v", got)
	}
	if got := s.git("ls-files", "-v"); got != "h a b" {
		t.Errorf("the user's index lost the mark: %q", got)
	}
}

func TestManyUntrackedFilesAreEachNew(t *testing.T) {
	s := newSite(t)
	base := s.commit("one")
	for i := range maxUntracked + 1 {
		s.write(filepath.Join("many", string(rune('a'+i%26)), strings.Repeat("x", i/26+1)), "1\n2")
	}
	got := must[map[string][]Range](t)(s.open().ChangedLines(context.Background(), base, nil))
	if len(got) != maxUntracked+1 || !cmp.Equal(got["many/a/x"], []Range{{1, 2}}) {
		t.Errorf("%d files, %v", len(got), got["many/a/x"])
	}
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@ f\n-a\n-b\n+c\n\\ No newline at end of file\n"))
	f.Add([]byte("diff --git \"a/\\303\\244\" b/x\nrename from \"\\303\\244\"\nrename to x\n@@ -0,0 +1,2 @@\n+++ b/y\n+diff --git\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		files, err := parsePatch(text)
		if err != nil {
			return
		}
		for _, p := range files {
			for _, r := range p.ranges {
				if r.First < 0 || r.Last < r.First {
					t.Fatalf("range %v", r)
				}
			}
		}
	})
}

func FuzzRaw(f *testing.F) {
	f.Add([]byte(":100644 100644 a b M\x00x\x00:100644 000000 a b R100\x00x\x00y\x00"))
	f.Fuzz(func(t *testing.T, text []byte) { _, _ = parseRaw(text) })
}
