package config

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// layout makes folders (names ending in /) and files (name → content) below a
// fresh folder and returns it, with symbolic links resolved.
func layout(t *testing.T, entries map[string]string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range entries {
		path := filepath.Join(base, filepath.FromSlash(name))
		if name[len(name)-1] == '/' {
			mkdir(t, path)
			continue
		}
		mkdir(t, filepath.Dir(path))
		write(t, path, content)
	}
	return base
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func TestRootIsTheNearestMarkedAncestor(t *testing.T) {
	tests := []struct {
		name    string
		entries map[string]string
		cwd     string
		want    string // relative to the base; "-" = none
	}{
		{"git folder", map[string]string{"home/p/.git/": "", "home/p/a/b/": ""}, "home/p/a/b", "home/p"},
		{"cwd itself", map[string]string{"home/p/.git/": ""}, "home/p", "home/p"},
		{"configuration file", map[string]string{"home/p/.guardrails.yaml": "", "home/p/a/": ""}, "home/p/a", "home/p"},
		{"configuration file below the repository", map[string]string{"home/p/.git/": "", "home/p/a/.guardrails.yaml": "", "home/p/a/b/": ""}, "home/p/a/b", "home/p/a"},
		{"repository below the configuration file", map[string]string{"home/p/.guardrails.yaml": "", "home/p/a/.git/": ""}, "home/p/a", "home/p/a"},
		{"a folder named as the file is no mark", map[string]string{"home/p/.git/": "", "home/p/a/.guardrails.yaml/": ""}, "home/p/a", "home/p"},
		{"a .guardrails folder is no mark", map[string]string{"home/p/.git/": "", "home/p/a/.guardrails/": ""}, "home/p/a", "home/p"},
		{"linked worktree", map[string]string{"home/p/.git/worktrees/w/": "", "home/w/.git": "gitdir: ../p/.git/worktrees/w\n", "home/w/a/": ""}, "home/w/a", "home/w"},
		{"linked worktree whose repository is gone", map[string]string{"home/w/.git": "gitdir: /nowhere/p/.git/worktrees/w\n"}, "home/w", "home/w"},
		{"linked worktree below its main checkout", map[string]string{"home/p/.git/worktrees/w/": "", "home/p/.wt/w/.git": "gitdir: ../../.git/worktrees/w\n"}, "home/p/.wt/w", "home/p/.wt/w"},
		{"worktree of a submodule", map[string]string{"home/p/.git/": "", "home/p/w/.git": "gitdir: ../.git/modules/sub/worktrees/w\n"}, "home/p/w", "home/p/w"},
		{"submodule is passed over", map[string]string{"home/p/.git/modules/sub/": "", "home/p/sub/.git": "gitdir: ../.git/modules/sub\n", "home/p/sub/a/": ""}, "home/p/sub/a", "home/p"},
		{"submodule below a folder named worktrees is passed over", map[string]string{"home/p/.git/modules/worktrees/sub/": "", "home/p/worktrees/sub/.git": "gitdir: ../../.git/modules/worktrees/sub\n"}, "home/p/worktrees/sub", "home/p"},
		{"submodule of a linked worktree is passed over", map[string]string{"home/w/.git": "gitdir: /x/.git/worktrees/w\n", "home/w/sub/.git": "gitdir: /x/.git/worktrees/w/modules/sub\n"}, "home/w/sub", "home/w"},
		{"submodule with its own file", map[string]string{"home/p/.git/": "", "home/p/sub/.git": "gitdir: ../.git/modules/sub\n", "home/p/sub/.guardrails.yaml": ""}, "home/p/sub", "home/p/sub"},
		{"rubbish .git file is passed over", map[string]string{"home/p/.git/": "", "home/p/a/.git": "worktrees/x\n"}, "home/p/a", "home/p"},
		{"empty .git file is passed over", map[string]string{"home/p/.git/": "", "home/p/a/.git": ""}, "home/p/a", "home/p"},
		{"no mark: cwd", map[string]string{"home/p/a/": ""}, "home/p/a", "home/p/a"},
		{"no mark outside home: cwd", map[string]string{"home/": "", "srv/a/": ""}, "srv/a", "srv/a"},
		{"home is never a root", map[string]string{"home/.git/": "", "home/.guardrails.yaml": "", "home/a/": ""}, "home/a", "home/a"},
		{"cwd is home", map[string]string{"home/.git/": ""}, "home", "-"},
		{"cwd is above home", map[string]string{".git/": "", "home/": ""}, ".", "-"},
		{"above home is never a root", map[string]string{".git/": "", "home/a/": ""}, "home/a", "home/a"},
		{"above home, seen from beside it", map[string]string{".git/": "", "home/": "", "srv/": ""}, "srv", "srv"},
		{"a name that home begins with is not above it", map[string]string{"ho/.git/": "", "ho/a/": "", "home/": ""}, "ho/a", "ho"},
		{"vanished cwd", map[string]string{"home/p/.git/": ""}, "home/p/gone/deep", "home/p"},
		{"vanished cwd without a mark", map[string]string{"home/p/": ""}, "home/p/gone", "home/p/gone"},
		{"trailing slash and dots", map[string]string{"home/p/.git/": "", "home/p/a/": ""}, "home/p/a/../a/.", "home/p"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base := layout(t, tt.entries)
			got, err := FindRoot(base+string(filepath.Separator)+filepath.FromSlash(tt.cwd), filepath.Join(base, "home"))
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if tt.want != "-" {
				want = filepath.Join(base, filepath.FromSlash(tt.want))
			}
			if got != want {
				t.Errorf("FindRoot = %q, want %q", got, want)
			}
		})
	}
}

func TestRootThroughLinks(t *testing.T) {
	base := layout(t, map[string]string{
		"home/p/.git/": "", "home/p/sub/": "", "home/other/.git/": "", "home/other/x/": "", "users/": "",
	})
	home := filepath.Join(base, "home")
	link(t, filepath.Join(home, "p", "sub"), filepath.Join(home, "other", "jump"))
	link(t, filepath.Join(home, "p"), filepath.Join(base, "short"))
	link(t, home, filepath.Join(base, "users", "me"))
	link(t, filepath.Join(base, "nowhere.yaml"), filepath.Join(home, "other", "x", FileName))
	mkdir(t, filepath.Join(home, ".git"))

	tests := []struct{ name, cwd, home, want string }{
		{"where it really lies, not where the link is", "home/other/jump", "home", "home/p"},
		{"the caller's spelling is kept", "short/sub", "home", "short"},
		{"a link to home is home", "users/me", "home", ""},
		{"home given as a link", "home", "users/me", ""},
		{"below home given as a link", "home/p/sub", "users/me", "home/p"},
		{"a dangling link is a mark too", "home/other/x", "home", "home/other/x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FindRoot(filepath.Join(base, filepath.FromSlash(tt.cwd)), filepath.Join(base, filepath.FromSlash(tt.home)))
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if tt.want != "" {
				want = filepath.Join(base, filepath.FromSlash(tt.want))
			}
			if got != want {
				t.Errorf("FindRoot = %q, want %q", got, want)
			}
		})
	}
}

func TestRootWithoutHome(t *testing.T) {
	base := layout(t, map[string]string{"p/.git/": "", "p/a/": ""})
	for _, home := range []string{"", "relative", filepath.Join(base, "gone", "home")} {
		got, err := FindRoot(filepath.Join(base, "p", "a"), home)
		if err != nil || got != filepath.Join(base, "p") {
			t.Errorf("home %q: FindRoot = %q, %v", home, got, err)
		}
	}
}

func TestVolumeRootIsNeverARoot(t *testing.T) {
	top := string(filepath.Separator)
	if runtime.GOOS == "windows" {
		top = `C:\`
	}
	if got, err := FindRoot(top, ""); got != "" || err != nil {
		t.Errorf("FindRoot(%q) = %q, %v", top, got, err)
	}
}

func TestRelativeCwdIsAnError(t *testing.T) {
	for _, cwd := range []string{"", ".", "a/b"} {
		if got, err := FindRoot(cwd, "/home/u"); err == nil || got != "" {
			t.Errorf("FindRoot(%q) = %q, %v; want an error", cwd, got, err)
		}
	}
}

func TestMainCheckout(t *testing.T) {
	base := layout(t, map[string]string{
		"p/.git/worktrees/w/commondir":   "../..\n",
		"w/.git":                         "gitdir: ../p/.git/worktrees/w\n",
		"bare.git/worktrees/b/commondir": "../..\n",
		"b/.git":                         "gitdir: ../bare.git/worktrees/b\n",
		"forged/.git":                    "gitdir: ../p/.git/worktrees/w\n",
		"rel/.git":                       "gitdir: ../p/.git/worktrees/rel\n",
		"p/.git/worktrees/rel/commondir": "../..\n",
		"p/.git/worktrees/rel/gitdir":    "../../../../rel/.git\n",
		"nocommon/.git":                  "gitdir: ../p/.git/worktrees/n\n",
		"p/sub/.git":                     "gitdir: ../.git/modules/sub\n",
		"plain/":                         "",
	})
	write(t, filepath.Join(base, "p/.git/worktrees/w/gitdir"), filepath.Join(base, "w", ".git")+"\n")
	write(t, filepath.Join(base, "bare.git/worktrees/b/gitdir"), filepath.Join(base, "b", ".git")+"\n")
	mkdir(t, filepath.Join(base, "p/.git/worktrees/n"))
	write(t, filepath.Join(base, "p/.git/worktrees/n/gitdir"), filepath.Join(base, "nocommon", ".git")+"\n")
	link(t, filepath.Join(base, "p"), filepath.Join(base, "short"))

	tests := []struct{ name, root, want string }{
		{"main checkout", "p", "p"},
		{"through a link", "short", "p"},
		{"linked worktree", "w", "p"},
		{"linked worktree with relative paths", "rel", "p"},
		{"worktree of a bare repository", "b", "bare.git"},
		{"a .git file that the repository does not name back", "forged", "forged"},
		{"no commondir", "nocommon", "nocommon"},
		{"submodule with its own file", "p/sub", "p/sub"},
		{"no repository", "plain", "plain"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := MainCheckout(filepath.Join(base, filepath.FromSlash(tt.root)))
			if want := filepath.Join(base, filepath.FromSlash(tt.want)); got != want {
				t.Errorf("MainCheckout = %q, want %q", got, want)
			}
		})
	}
}

func BenchmarkFindRoot(b *testing.B) {
	base := b.TempDir()
	cwd := filepath.Join(base, "home", "p", "a", "b", "c")
	if err := os.MkdirAll(cwd, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(base, "home", "p", ".git"), 0o755); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FindRoot(cwd, filepath.Join(base, "home")); err != nil {
			b.Fatal(err)
		}
	}
}
