package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

const testVersion = "1.2.3"

// script is what stands for a program in these tests: it tells how it was run.
const script = "#!/bin/sh\nread -r line\necho \"$(basename \"$0\") $* <$line>\"\nexit 7\n"

// filled returns a folder with the archives of a release whose programs are
// scripts, and what fill made of it.
func filled(t *testing.T) (dist string, files []string) {
	t.Helper()
	dist, extra := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"LICENSE": "MIT\n", "NOTICE": "notice\n", "README.md": "# guardrails\n", "THIRD-PARTY-LICENSES.txt": "others\n",
		"man/guardrails.1": ".TH\n", "man/guardrails-check.1": ".TH\n", "completions/guardrails.bash": "complete\n", "completions/guardrails.ps1": "Register\n",
	} {
		put(t, filepath.Join(extra, filepath.FromSlash(name)), text)
	}
	for _, p := range platforms {
		for _, name := range p.programs() {
			put(t, filepath.Join(dist, p.os+"-"+p.arch, name), script+"# "+p.os+" "+p.arch+"\n")
		}
	}
	if _, err := pack(testVersion, dist, extra, time.Unix(1700000000, 0).UTC()); err != nil {
		t.Fatal(err)
	}
	files, err := fill(testVersion, dist)
	if err != nil {
		t.Fatal(err)
	}
	return dist, files
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSameInputGivesTheSameArchives(t *testing.T) {
	a, _ := filled(t)
	b, _ := filled(t)
	for _, p := range platforms {
		name := p.archive(testVersion)
		one := read(t, filepath.Join(a, name))
		if !bytes.Equal(one, read(t, filepath.Join(b, name))) {
			t.Errorf("%s differs", name)
		}
		files, err := unpack(name, one)
		if err != nil {
			t.Fatal(err)
		}
		want := append([]string{
			"LICENSE", "NOTICE", "README.md", "THIRD-PARTY-LICENSES.txt", "completions/guardrails.bash",
			"completions/guardrails.ps1", "man/guardrails-check.1", "man/guardrails.1",
		}, p.programs()...)
		slices.Sort(want)
		if d := cmp.Diff(want, slices.Sorted(maps.Keys(files))); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
		for name, e := range files {
			if e.exec != slices.Contains(p.programs(), name) {
				t.Errorf("%s: %s can be run: %v", p.archive(testVersion), name, e.exec)
			}
		}
	}
}

// TestFilledTemplates compares every text that is filled. Digests are replaced by
// the archive's name: a newer Go may compress better.
func TestFilledTemplates(t *testing.T) {
	dist, files := filled(t)
	listed, err := parseSums(read(t, filepath.Join(dist, sums)))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, name := range files {
		text := string(read(t, filepath.Join(dist, filepath.FromSlash(name))))
		switch base := filepath.Base(name); {
		case strings.HasPrefix(text, script):
			text = "(program)\n"
		case base == "LICENSE" || base == "NOTICE" || base == "THIRD-PARTY-LICENSES.txt":
			text = "(copied)\n"
		}
		for archive, sum := range listed {
			text = strings.ReplaceAll(text, sum, "(SHA-256 of "+archive+")")
		}
		if strings.Contains(text, "[[") || strings.Contains(text, "<no value>") {
			t.Errorf("%s is not filled", name)
		}
		fmt.Fprintf(&got, "-- %s --\n%s", name, text)
	}
	golden := filepath.Join("testdata", "filled.txt")
	if *update {
		put(t, golden, got.String())
	}
	if d := cmp.Diff(strings.ReplaceAll(string(read(t, golden)), "\r\n", "\n"), got.String()); d != "" {
		t.Errorf("go test ./tools/release -update (-want +got)\n%s", d)
	}
}

func TestFillRefusesWhatTheSumsDoNotCover(t *testing.T) {
	first := platforms[0].archive(testVersion)
	tests := []struct {
		name string
		harm func(t *testing.T, dist string)
		want string
	}{
		{"an archive that is another", func(t *testing.T, dist string) {
			put(t, filepath.Join(dist, first), "other")
		}, first + " is not the file that SHA256SUMS lists"},
		{"an archive without a sum", func(t *testing.T, dist string) {
			text := string(read(t, filepath.Join(dist, sums)))
			_, rest, _ := strings.Cut(text, "\n")
			put(t, filepath.Join(dist, sums), rest)
		}, "SHA256SUMS has no line for " + first},
		{"no archive", func(t *testing.T, dist string) {
			if err := os.Remove(filepath.Join(dist, first)); err != nil {
				t.Fatal(err)
			}
		}, first},
		{"an archive without a program", func(t *testing.T, dist string) {
			data, err := writeTar([]entry{{"LICENSE", nil, false}, {"NOTICE", nil, false}, {"THIRD-PARTY-LICENSES.txt", nil, false}, {"guardrails", nil, true}}, time.Unix(0, 0))
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(dist, first), string(data))
			_, rest, _ := strings.Cut(string(read(t, filepath.Join(dist, sums))), "\n")
			put(t, filepath.Join(dist, sums), fmt.Sprintf("%x  %s\n%s", sha256.Sum256(data), first, rest))
		}, first + ": has no guardrails-full"},
		{"sums that are none", func(t *testing.T, dist string) {
			put(t, filepath.Join(dist, sums), "abc  file\n")
		}, "line 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dist, _ := filled(t)
			tt.harm(t, dist)
			if _, err := fill(testVersion, dist); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestVersionsAreThoseOfNpm(t *testing.T) {
	for v, good := range map[string]bool{
		"1.2.3": true, "0.0.0-snapshot.g0123abc": true, "1.0.0-rc.1": true, "1.0.0-0a": true,
		"": false, "v1.2.3": false, "1.2": false, "01.2.3": false, "1.2.3-": false, "1.2.3-01": false, "1.2.3/..": false, "1.2.3\n": false,
	} {
		if err := checkVersion(v); (err == nil) != good {
			t.Errorf("%q: %v", v, err)
		}
	}
}

// TestGoreleaserPacksTheSame: the formula and the packages fit whoever packed.
func TestGoreleaserPacksTheSame(t *testing.T) {
	text := string(read(t, filepath.Join("..", "..", ".goreleaser.yaml")))
	has := func(part string) {
		t.Helper()
		if !strings.Contains(text, part) {
			t.Errorf(".goreleaser.yaml does not say %q", part)
		}
	}
	for _, e := range extras {
		folder := e.folder
		if folder == "" {
			folder = "."
		}
		has("{ src: bin/release/" + e.pattern + ", dst: " + folder + ", strip_parent: true")
	}
	if n := strings.Count(text, "src: "); n != len(extras) {
		t.Errorf("it packs %d kinds of files, we pack %d", n, len(extras))
	}
	has(`name_template: "guardrails_{{ .Version }}_{{ .Os }}_{{ .Arch }}"`)
	has("name_template: " + sums)
	has("goos: [linux, darwin, windows]")
	has("goarch: [amd64, arm64]")
	has("-X github.com/ec261362/guardrails/cmd/guardrails/internal/version.value={{ .Version }}")
}

// here is the platform that runs the tests.
func here(t *testing.T) platform {
	t.Helper()
	for _, p := range platforms {
		if p.os == runtime.GOOS && p.arch == runtime.GOARCH {
			return p
		}
	}
	t.Skipf("no release for %s/%s", runtime.GOOS, runtime.GOARCH)
	return platform{}
}

func TestThePackageRunsThePlatformsProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program of this test is a shell script")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not here; make release-check runs this with it")
	}
	dist, _ := filled(t)
	bin := installPackages(t, dist, here(t), testVersion)
	cmd := exec.Command(bin, "check", "--", "a b")
	cmd.Stdin = strings.NewReader("one line\n")
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != 7 {
		t.Errorf("ended with %d (%v), want the program's own 7", got, err)
	}
	if got, want := string(out), "guardrails check -- a b <one line>\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := os.RemoveAll(filepath.Join(filepath.Dir(bin), "..", "@ec261362", "guardrails-"+here(t).npmOS+"-"+here(t).npmCPU)); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(bin, "version")
	out, err = cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "install again without --omit=optional") {
		t.Errorf("without the platform's package: %v\n%s", err, out)
	}
}

// installPackages packs the launcher and the platform's package and installs
// both, offline and without scripts. It returns the command that npm made.
func installPackages(t *testing.T, dist string, p platform, version string) string {
	t.Helper()
	to := t.TempDir()
	npm := func(args ...string) {
		t.Helper()
		cmd := exec.Command("npm", append(args, "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")...)
		cmd.Dir = to
		cmd.Env = append(os.Environ(), "HOME="+to, "npm_config_cache="+filepath.Join(to, "cache"), "npm_config_userconfig="+filepath.Join(to, "npmrc"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("npm %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	put(t, filepath.Join(to, "package.json"), "{\"name\":\"x\",\"version\":\"1.0.0\",\"private\":true}\n")
	npm("pack", filepath.Join(dist, "npm", "guardrails"), filepath.Join(dist, "npm", "guardrails-"+p.npmOS+"-"+p.npmCPU))
	npm("install", "./ec261362-guardrails-"+p.npmOS+"-"+p.npmCPU+"-"+version+".tgz", "./ec261362-guardrails-"+version+".tgz")
	name := "guardrails"
	if p.os == "windows" {
		name += ".cmd"
	}
	return filepath.Join(to, "node_modules", ".bin", name)
}

func FuzzSums(f *testing.F) {
	f.Add([]byte(strings.Repeat("ab", 32) + "  guardrails_1.2.3_linux_amd64.tar.gz\n"))
	f.Add([]byte(strings.Repeat("AB", 32) + " *x\r\n"))
	f.Add([]byte("\n"))
	f.Add([]byte(strings.Repeat("ab", 32) + "  ../x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		listed, err := parseSums(text)
		if err != nil {
			return
		}
		for name, sum := range listed {
			if len(sum) != 64 || sum != strings.ToLower(sum) || name != filepath.Base(name) {
				t.Errorf("%q %q", sum, name)
			}
		}
	})
}
