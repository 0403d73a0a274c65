package leak

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ec261362/guardrails/core/fsx"
)

// TestIgnoredAsGitSays compares with git itself.
func TestIgnoredAsGitSays(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	root := t.TempDir()
	git := func(args ...string) error {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+filepath.Join(root, "home"))
		return cmd.Run()
	}
	write := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := git("init", "-q"); err != nil {
		t.Skip(err)
	}
	write(".gitignore", "# comment\n.env\n*.pem\n!public.pem\n/top\nbuild/\nlogs/*\n!logs/keep\ndeep/**/x\n\\#odd\nspace\\ \ntrail   \n{a,b}\n[ab].key\nkept/\n!kept/.env\nnot/here/*.key\n\r\ncrlf\r\n")
	write(".git/info/exclude", "excluded\n!top\n")
	write("sub/.gitignore", "!.env\nlocal.*\n/only\n")
	write("tracked.pem", "x")
	write("a-rather-long/path/to/tracked.pem", "x")
	for _, name := range []string{"tracked.pem", "a-rather-long/path/to/tracked.pem"} {
		if err := git("add", "-f", name); err != nil {
			t.Fatal(err)
		}
	}
	d := &disk{fs: fsx.OS{}, home: filepath.Join(root, "home")}
	ignored := 0
	for _, name := range []string{
		".env", "a/.env", "a/b/.env", "sub/.env", "sub/a/.env", "sub/local.json", "a/local.json", "sub/only", "sub/a/only", "x.pem", "public.pem",
		"a/public.pem", "top", "a/top", "build/x", "build", "a/build/x", "logs/x", "logs/keep", "logs/keep2", "deep/x", "deep/a/x", "deep/a/b/x",
		"#odd", "space ", "space", "trail", "{a,b}", "a", "a.key", "c.key", "kept/.env", "not/here/x.key", "not/here/y/x.key", "excluded", "b/excluded",
		"crlf", "tracked.pem", "other/tracked.pem", "a-rather-long/path/to/tracked.pem", "main.go",
	} {
		want := git("check-ignore", "-q", name) == nil
		got, sure := d.ignored(filepath.ToSlash(filepath.Join(root, filepath.FromSlash(name))))
		if got != want || !sure {
			t.Errorf("%q: ignored %v (sure %v), git says %v", name, got, sure, want)
		}
		if want {
			ignored++
		}
	}
	if ignored < 10 {
		t.Errorf("git ignores only %d: the table tests nothing", ignored)
	}
}
