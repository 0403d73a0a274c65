package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The tests in this file look at a release that `make dist` or goreleaser made:
// go test ./tools/release -run '^TestRelease' -dist DIR -version V.
var (
	distFlag    = flag.String("dist", "", "folder of a release to try")
	versionFlag = flag.String("version", "", "its version")
)

// A trial is the release of this platform, unpacked, and a home to try it in.
type trial struct {
	t    *testing.T
	home string
}

func release(t *testing.T) (dist, version string) {
	t.Helper()
	if *distFlag == "" {
		t.Skip("no release to try: make release-check")
	}
	return *distFlag, *versionFlag
}

// run runs a program in the trial's home and returns its output and exit code.
func (tr trial) run(stdin string, name string, args ...string) (stdout, stderr string, code int) {
	tr.t.Helper()
	cmd := exec.Command(name, args...)
	var o, e bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = tr.home, strings.NewReader(stdin), &o, &e
	cmd.Env = []string{"HOME=" + tr.home, "USERPROFILE=" + tr.home, "PATH=" + os.Getenv("PATH"), "NO_COLOR=1", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		tr.t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// works tries a guardrails command as its user would.
func (tr trial) works(bin, version string) {
	tr.t.Helper()
	out, _, code := tr.run("", bin, "version")
	if want := "guardrails " + version + " "; code != 0 || !strings.HasPrefix(out, want) {
		tr.t.Errorf("version says %q and ends with %d, want %q", out, code, want)
	}
	out, _, _ = tr.run("", bin, "version", "--json")
	var said struct{ Version, OS, Arch, Go string }
	if err := json.Unmarshal([]byte(out), &said); err != nil || said.Version != version || said.OS == "" || said.Arch == "" || said.Go == "" {
		tr.t.Errorf("version --json says %s (%v)", out, err)
	}
	// The sentinel stands in the trial's home.
	call := func(command string) string {
		raw, err := json.Marshal(map[string]any{
			"hook_event_name": "PreToolUse", "session_id": "trial", "cwd": tr.home, "tool_name": "Bash", "tool_input": map[string]string{"command": command},
		})
		if err != nil {
			tr.t.Fatal(err)
		}
		out, _, code := tr.run(string(raw), bin, "hook", "--agent", "claude")
		if code != 0 {
			tr.t.Errorf("hook ends with %d", code)
		}
		return out
	}
	if out := call("rm -rf " + tr.home); !strings.Contains(out, `"permissionDecision":"deny"`) {
		tr.t.Errorf("hook says %q to a recursive delete of the home", out)
	}
	if out := strings.TrimSpace(call("git status")); out != "{}" {
		tr.t.Errorf("hook says %q to git status", out)
	}
}

func TestReleaseRunsFromItsArchive(t *testing.T) {
	dist, version := release(t)
	p := here(t)
	archives, _, err := readArchives(version, dist)
	if err != nil {
		t.Fatal(err)
	}
	for i, other := range platforms {
		for _, name := range other.programs() {
			if e := archives[i][name]; len(e.data) < 1<<20 || other.os != "windows" && !e.exec {
				t.Errorf("%s: %s has %d bytes, can be run: %v", other.archive(version), name, len(e.data), e.exec)
			}
		}
		for _, name := range []string{
			"LICENSE", "NOTICE", "README.md", "THIRD-PARTY-LICENSES.txt", "man/guardrails.1", "man/guardrails-init.1",
			"completions/guardrails.bash", "completions/guardrails.zsh", "completions/guardrails.fish", "completions/guardrails.ps1",
		} {
			if len(archives[i][name].data) < 100 {
				t.Errorf("%s: %s has %d bytes", other.archive(version), name, len(archives[i][name].data))
			}
		}
	}
	dir := t.TempDir()
	for i := range platforms {
		if platforms[i] != p {
			continue
		}
		for _, name := range p.programs() {
			if err := os.WriteFile(filepath.Join(dir, name), archives[i][name].data, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	tr := trial{t, t.TempDir()}
	tr.works(filepath.Join(dir, p.programs()[0]), version)
	tr.inits(filepath.Join(dir, p.programs()[0]), version)
}

// inits installs with bin, and again, and tries what was installed.
func (tr trial) inits(bin, version string) {
	tr.t.Helper()
	project := filepath.Join(tr.home, "project")
	settings := filepath.Join(project, ".claude", "settings.local.json")
	const before = "{ \"permissions\": {} }\n"
	for dir, text := range map[string]string{settings: before, filepath.Join(project, ".git", "HEAD"): "ref: refs/heads/main\n"} {
		put(tr.t, dir, text)
	}
	init := []string{"init", "--agent", "claude", "--dir", project, "--yes"}
	if _, stderr, code := tr.run("", bin, init...); code != 0 {
		tr.t.Fatalf("init ends with %d\n%s", code, stderr)
	}
	once := read(tr.t, settings)
	if _, stderr, code := tr.run("", bin, init...); code != 0 || !bytes.Equal(once, read(tr.t, settings)) {
		tr.t.Errorf("a second init ends with %d or changes the settings\n%s", code, stderr)
	}
	installed := filepath.Join(tr.home, ".guardrails", "bin", filepath.Base(bin))
	if filepath.Ext(bin) == "" && here(tr.t).os == "windows" {
		installed += ".exe"
	}
	tr.works(installed, version)
	if _, stderr, code := tr.run("", installed, append(init, "--uninstall")...); code != 0 {
		tr.t.Errorf("uninstall ends with %d\n%s", code, stderr)
	}
	if after := string(read(tr.t, settings)); after != before {
		tr.t.Errorf("the settings are now %q", after)
	}
}

func TestReleaseInstallsFromItsPackages(t *testing.T) {
	dist, version := release(t)
	p := here(t)
	bin := installPackages(t, dist, p, version)
	tr := trial{t, t.TempDir()}
	tr.works(bin, version)
	if p.os != "windows" { // the command is a .cmd there
		tr.inits(bin, version)
	}
}

func TestReleaseFormulaNamesItsArchives(t *testing.T) {
	dist, version := release(t)
	_, v, err := readArchives(version, dist)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dist, "homebrew", "guardrails.rb")
	text := string(read(t, path))
	for _, p := range v.Platforms {
		if want := !strings.HasPrefix(p.OS, "win"); strings.Contains(text, "/v"+version+"/"+p.Archive) != want || strings.Contains(text, p.SHA256) != want {
			t.Errorf("%s: want %v in\n%s", p.Archive, want, text)
		}
	}
	ruby, err := exec.LookPath("ruby")
	if err != nil {
		t.Log("ruby is not here: the formula was not parsed")
		return
	}
	if out, err := exec.Command(ruby, "-c", path).CombinedOutput(); err != nil {
		t.Errorf("ruby -c: %v\n%s", err, out)
	}
}
