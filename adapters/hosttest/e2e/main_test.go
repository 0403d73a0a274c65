//go:build e2e

// Package e2e proves on the real host programs what the product promises:
// pinned versions of Claude Code and Gemini CLI, headless, in a temporary home,
// against a scripted model on loopback. Must-deny commands name sentinels inside that
// home. Run it with `make e2e`.
package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// versions are the releases of Claude Code that every test of it runs on: the
// current one and the floor.
var versions = []string{current, floor}

const (
	current = "2.1.332"
	floor   = "2.1.197"
	gemini  = "0.61.0" // Gemini CLI
)

// A release is one version of a host program. Its exact pin is in testdata, its
// program in the ignored folder .e2e, both under host-version.
type release struct {
	host, version string
	program       string // below node_modules, a pattern
}

func releases() []release {
	exe, script := "", ""
	if runtime.GOOS == "windows" {
		exe, script = ".exe", ".cmd"
	}
	var out []release
	for _, v := range versions {
		out = append(out, release{"claude", v, filepath.Join("@anthropic-ai", "claude-code-*", "claude"+exe)})
	}
	return append(out, release{"gemini", gemini, filepath.Join(".bin", "gemini"+script)})
}

// only leaves out the releases that a single test does not need: each is a
// download of a few hundred megabytes.
var only = flag.String("hosts", "", "comma-separated `names` such as claude-"+current+"; empty means all")

var (
	built string            // our binary
	hosts map[string]string // version -> host program
)

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		return 1, err
	}
	hosts = map[string]string{}
	for _, r := range releases() {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), r.host+"-"+r.version) {
			continue
		}
		if hosts[r.version], err = r.pinned(root); err != nil {
			return 1, err
		}
	}
	dir, err := os.MkdirTemp("", "guardrails-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	built = filepath.Join(dir, "guardrails")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", dir+string(filepath.Separator), "./cmd/guardrails", "./cmd/guardrails/guardrails-full")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build ./cmd/guardrails: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// pinned returns the program of a release. It installs it first if it does not
// answer with its version; a refused install is an error, never a skip.
func (r release) pinned(root string) (string, error) {
	name := r.host + "-" + r.version
	prefix := filepath.Join(root, ".e2e", name)
	if bin, err := r.find(prefix); err == nil {
		return bin, nil
	}
	pin, err := os.ReadFile(filepath.Join("testdata", name, "package.json"))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(prefix, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(prefix, "package.json"), pin, 0o644); err != nil {
		return "", err
	}
	fmt.Fprintf(os.Stderr, "e2e: installing %s %s into %s\n", r.host, r.version, prefix)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	// No scripts: what the hosts need of other packages comes built.
	npm := exec.CommandContext(ctx, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--no-update-notifier")
	npm.Dir = prefix
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("install %s: npm install in %s: %w\n%s", name, prefix, err, out)
	}
	bin, err := r.find(prefix)
	if err != nil {
		return "", fmt.Errorf("install %s: npm install went well, but: %w", name, err)
	}
	return bin, nil
}

// find finds the installed program and makes sure of its version.
func (r release) find(prefix string) (string, error) {
	found, err := filepath.Glob(filepath.Join(prefix, "node_modules", r.program))
	if err != nil {
		return "", err
	}
	problems := []error{fmt.Errorf("no program of this platform in %s", prefix)}
	for _, bin := range found { // a second one is of another C library
		err := answers(bin, r.version)
		if err == nil {
			return bin, nil
		}
		problems = append(problems, err)
	}
	return "", errors.Join(problems...)
}

// answers makes sure that a program is the version it should be.
func answers(bin, version string) error {
	home, err := os.MkdirTemp("", "guardrails-e2e-version-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "--version")
	cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", bin, err)
	}
	if said := strings.Fields(string(out)); len(said) == 0 || said[0] != version {
		return fmt.Errorf("%s --version says %q, want %s", bin, bytes.TrimSpace(out), version)
	}
	return nil
}
