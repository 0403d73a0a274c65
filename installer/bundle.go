package installer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/installer/jsonedit"
	"github.com/ec261362/guardrails/templates"
)

// Platform is a system that published bundles hold programs for: the folder of
// its two programs, as `make cross` names it (linux-amd64).
type Platform struct{ Name, Dir string }

// Platforms lists the systems in a folder of releases: each sub-folder OS-ARCH
// that holds both programs.
func Platforms(dist string) ([]Platform, error) {
	entries, err := os.ReadDir(dist)
	if err != nil {
		return nil, err
	}
	var out []Platform
	for _, e := range entries {
		goos, arch, ok := strings.Cut(e.Name(), "-")
		if !ok || !e.IsDir() || strings.Contains(arch, "-") || goos == "windows" {
			continue // a launcher is a shell script
		}
		dir := filepath.Join(dist, e.Name())
		if _, err := os.Stat(filepath.Join(dir, "guardrails")); err != nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "guardrails-full")); err != nil {
			return nil, fmt.Errorf("%s has guardrails and not guardrails-full", dir)
		}
		out = append(out, Platform{e.Name(), dir})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no folder such as linux-amd64 with both programs: run `make cross`", dist)
	}
	return out, nil
}

// Bundle writes what others install for one host into an empty or new folder: a
// marketplace of Claude Code, an extension of Gemini CLI. It holds the running
// programs, or those of the given platforms behind a launcher, and no path of
// this machine. It returns the files, sorted, relative to out.
func (i *Installer) Bundle(host, out string, platforms []Platform) ([]string, error) {
	texts, bin, err := i.bundleTexts(host)
	if err != nil {
		return nil, err
	}
	switch entries, err := os.ReadDir(out); {
	case err == nil && len(entries) > 0:
		return nil, refuse(out, "it is not empty: name a new folder, so that nothing else is published with the bundle")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, &Refusal{out, unwrapPath(err)}
	}
	var files []string
	put := func(name string, data []byte, perm fs.FileMode) error {
		to := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return &Refusal{to, unwrapPath(err)}
		}
		if err := fsx.WriteFile(to, data, perm); err != nil {
			return &Refusal{to, err}
		}
		files = append(files, name)
		return nil
	}
	programs := func(from, to string) error {
		for name, file := range map[string]string{binName(): filepath.Join(from, binName()), fullName(): filepath.Join(from, fullName())} {
			if from == "" {
				if file = i.env.Self; name == fullName() {
					file = i.env.Full
				}
			}
			data, err := fsx.ReadFile(file, maxProgram)
			if err != nil {
				return refuse(file, "the program cannot be read: %w", err)
			}
			if err := put(path.Join(to, name), data, 0o755); err != nil {
				return err
			}
		}
		return nil
	}
	if len(platforms) == 0 {
		if err := programs("", bin); err != nil {
			return nil, err
		}
	} else {
		for _, p := range platforms {
			if err := programs(p.Dir, path.Join(bin, p.Name)); err != nil {
				return nil, err
			}
		}
		if err := put(path.Join(bin, "guardrails"), []byte(launcher), 0o755); err != nil {
			return nil, err
		}
	}
	// What makes a host see the bundle comes last.
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	slices.Sort(names)
	slices.Reverse(names)
	for _, name := range names {
		if err := put(name, texts[name], 0o644); err != nil {
			return nil, err
		}
	}
	slices.Sort(files)
	return files, nil
}

// launcher starts the program of the machine that it finds itself on. A machine
// that the bundle has none for gets the neutral answer and a word on standard
// error.
const launcher = `#!/bin/sh
d=$(dirname "$0")
case $(uname -s) in Linux) o=linux;; Darwin) o=darwin;; *) o=unknown;; esac
case $(uname -m) in x86_64|amd64) a=amd64;; aarch64|arm64) a=arm64;; *) a=unknown;; esac
b=$d/$o-$a/guardrails
if [ -x "$b" ]; then exec "$b" "$@"; fi
echo "guardrails: this bundle has no program for $(uname -s) $(uname -m)" >&2
[ "$1" = hook ] && exit 0
exit 1
`

// bundleTexts are a bundle's text files by their path with slashes, and where
// its programs go.
func (i *Installer) bundleTexts(host string) (texts map[string][]byte, bin string, err error) {
	texts = map[string][]byte{}
	switch host {
	case "claude":
		elsewhere := *i
		elsewhere.env.StateHome = filepath.Join(i.env.Home, ".guardrails") // a moved one is this machine's
		files, err := claude{}.bundle(&elsewhere)
		if err != nil {
			return nil, "", err
		}
		for name, data := range files {
			texts[filepath.ToSlash(name)] = data
		}
		return texts, "plugins/guardrails/bin", nil
	case "gemini":
		doc := jsonedit.Missing(jsonedit.Strict)
		cmd := command{program: `b="${extensionPath}/bin/guardrails"` + guardTest + "exit 0" + guardExec + "hook --agent gemini"}
		for _, w := range wiringOf(gemini{}.adapter()) {
			if err := doc.Append(wanted{wiring: w, command: cmd, name: "guardrails", millis: true}.group(), "hooks", w.Event); err != nil {
				return nil, "", err
			}
		}
		manifest, err := fs.ReadFile(templates.Gemini(), "gemini-extension.json")
		if err != nil {
			return nil, "", err
		}
		texts["gemini-extension.json"], texts["hooks/hooks.json"] = manifest, doc.Bytes()
		return texts, "bin", nil
	case "muse":
		return nil, "", errors.New("there is no bundle for muse: it expands no variable in a bundle's command, so a bundle holds a path of one machine: run guardrails init --agent muse there")
	case "antigravity":
		return nil, "", errors.New("there is no bundle for antigravity: it has no bundles that hold programs: run guardrails init --agent antigravity on each machine")
	}
	return nil, "", fmt.Errorf("unknown agent %q: bundles are made for claude and gemini", host)
}
