// Command genrules writes the rule table and the keyword automaton of
// core/scan/secrets: gitleaks' public default rules, read from the module
// cache, together with those of own.toml.
//
// gitleaks is only read: it is downloaded as a module of a temporary module and
// so never appears in ours. This program imports nothing of ours.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	module  = "github.com/zricethezav/gitleaks/v8"
	release = "v8.30.1"
)

func main() {
	out := flag.String("out", "", "the Go file to write")
	own := flag.String("own", "", "our own rules")
	dir := flag.String("gitleaks", "", "a folder that holds gitleaks "+release+"; empty = fetch it as a module")
	flag.Parse()
	if err := generate(*dir, *own, *out); err != nil {
		fmt.Fprintln(os.Stderr, "genrules:", err)
		os.Exit(1)
	}
}

func generate(dir, own, out string) error {
	if out == "" || own == "" {
		return errors.New("usage: genrules -own own.toml -out rules_gen.go")
	}
	if dir == "" {
		var err error
		if dir, err = fetch(); err != nil {
			return fmt.Errorf("fetch %s@%s: %w", module, release, err)
		}
	}
	toml, err := os.ReadFile(filepath.Join(dir, "config", "gitleaks.toml"))
	if err != nil {
		return err
	}
	licence, err := os.ReadFile(filepath.Join(dir, "LICENSE"))
	if err != nil {
		return err
	}
	ours, err := os.ReadFile(own)
	if err != nil {
		return err
	}
	code, err := source(string(toml), string(ours), string(licence))
	if err != nil {
		return err
	}
	return os.WriteFile(out, code, 0o644)
}

// source returns the generated file.
func source(toml, ours, licence string) ([]byte, error) {
	theirs, err := readConfig(toml)
	if err != nil {
		return nil, fmt.Errorf("gitleaks.toml: %w", err)
	}
	added, err := readConfig(ours)
	if err != nil {
		return nil, fmt.Errorf("own.toml: %w", err)
	}
	t, err := build(theirs, added)
	if err != nil {
		return nil, err
	}
	return t.emit(licence)
}

// fetch returns the folder of the module in the module cache.
func fetch() (string, error) {
	tmp, err := os.MkdirTemp("", "genrules")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := os.WriteFile(filepath.Join(tmp, "go.mod"), []byte("module rules\n"), 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "mod", "download", "-json", module+"@"+release)
	cmd.Dir = tmp
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	var got struct{ Dir, Error string }
	if e := json.Unmarshal(text, &got); e != nil {
		return "", errors.Join(err, e)
	}
	if got.Error != "" || got.Dir == "" {
		return "", errors.New(strings.TrimSpace(got.Error + " (no folder)"))
	}
	return got.Dir, nil
}
