package install_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/install"
	"github.com/ec261362/guardrails/core/deps/manifest"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// TestCorpus prints how the readers do on case files. It runs only when
// GUARDRAILS_CASES names a folder with dependencies.jsonl and
// install_argv.jsonl.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("GUARDRAILS_CASES")
	if dir == "" {
		t.Skip("GUARDRAILS_CASES is not set")
	}
	for _, name := range []string{"dependencies", "install_argv"} {
		f, err := os.Open(filepath.Join(dir, name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		good, all := 0, 0
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var c struct {
				ID, Note  string
				Input     json.RawMessage
				Packages  []coord.Package
				Expected  []struct{ Name, Version string }
				Unchecked []coord.Unchecked
			}
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			var in struct{ Command, Path, Before, After string }
			if json.Unmarshal(c.Input, &in.Command) != nil {
				if err := json.Unmarshal(c.Input, &in); err != nil {
					t.Fatal(err)
				}
			}
			var packages []coord.Package
			var unchecked []coord.Unchecked
			if in.Path != "" {
				if manifest.Known(in.Path) {
					packages, unchecked = manifest.Diff(in.Path, []byte(in.Before), []byte(in.After))
				}
			} else {
				line := shellcmd.Parse(in.Command, shellcmd.Options{Cwd: "/w", Home: "/h"})
				packages, unchecked = install.Parse(line, install.Options{})
				if len(packages)+len(unchecked) > 0 && !install.Mentions(in.Command) {
					t.Errorf("%s: Mentions is false: %s", c.ID, in.Command)
				}
			}
			var want []string
			for _, p := range c.Packages {
				want = append(want, key(p.Ecosystem, p.Name, p.Version))
			}
			for _, e := range c.Expected {
				if strings.ContainsAny(e.Name, ":") || strings.HasPrefix(e.Name, ".") {
					c.Unchecked = append(c.Unchecked, coord.Unchecked{Spec: e.Name})
					continue
				}
				want = append(want, key(coord.NPM, e.Name, e.Version))
			}
			var got []string
			for _, p := range packages {
				if p.Maybe {
					continue
				}
				got = append(got, key(p.Ecosystem, p.Name, p.Version))
			}
			for _, u := range c.Unchecked {
				want = append(want, "? "+u.Spec+" "+u.Why)
			}
			for _, u := range unchecked {
				if name == "install_argv" {
					u.Why = ""
				}
				got = append(got, "? "+u.Spec+" "+u.Why)
			}
			slices.Sort(want)
			slices.Sort(got)
			want, got = slices.Compact(want), slices.Compact(got)
			all++
			if slices.Equal(want, got) {
				good++
			} else {
				fmt.Printf("MISS %s %s\n     want %q\n     got  %q  # %s\n", c.ID, c.Input, want, got, c.Note)
			}
		}
		_ = f.Close()
		fmt.Printf("%s %d/%d\n", name, good, all)
	}
}

func key(e coord.Ecosystem, name, version string) string {
	if version == "latest" || version == "beta" {
		version = ""
	}
	return strings.TrimSuffix(string(e)+" "+name+" "+version, " ")
}
