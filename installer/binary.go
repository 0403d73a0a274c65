package installer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/mod/semver"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/proc"
)

// maxProgram is the largest program that we copy, in bytes.
const maxProgram = 256 << 20

// planBinary returns the steps that put the running programs where every entry
// looks for them, and whether an installed newer build stays there instead.
func (i *Installer) planBinary(ctx context.Context, force bool) (steps []step, kept string, err error) {
	if old, idle, err := installed(i.Binary()); err != nil {
		return nil, "", err
	} else if old != nil && !idle && !force && !sameProgram(i.Binary(), i.env.Self) && (i.env.Full == "" || executable(i.FullBinary())) {
		// A newer one without its other half is no reason to leave it so.
		if have := i.versionOf(ctx, i.Binary()); newer(have, i.env.Version) {
			return nil, have, nil
		}
	}
	// The full program first: the small one never stands there without it.
	if i.env.Full != "" {
		if steps, err = i.planProgram(steps, i.env.Full, i.FullBinary(), "its full program, version "+i.env.Version); err != nil {
			return nil, "", err
		}
	}
	steps, err = i.planProgram(steps, i.env.Self, i.Binary(), "this program, version "+i.env.Version)
	return steps, "", err
}

// planProgram adds the steps that make to a copy of from.
func (i *Installer) planProgram(steps []step, from, to, text string) ([]step, error) {
	data, err := fsx.ReadFile(from, maxProgram)
	if err != nil {
		return nil, refuse(from, "the running program cannot be read: %w", err)
	}
	old, idle, err := installed(to)
	if err != nil {
		return nil, err
	}
	if old != nil && digest(old) == digest(data) && !idle {
		return steps, nil
	}
	if len(steps) == 0 {
		if steps, err = i.planDirs(filepath.Dir(to), 0o755); err != nil {
			return nil, err
		}
		for _, s := range steps {
			if d, ok := s.(*dirStep); ok && d.path == i.env.StateHome {
				d.perm = 0o700
			}
		}
	}
	left, err := leftovers(to)
	if err != nil {
		return nil, err
	}
	steps = append(steps, left...)
	return append(steps, &execStep{path: to, data: data, old: old, text: text}), nil
}

// installed reads the program at path; nil if there is none. idle says that it
// cannot be started.
func installed(path string) (data []byte, idle bool, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, &Refusal{path, err}
	}
	if info.Mode()&fs.ModeSymlink != 0 { // it is replaced; where it leads is not ours
		info, err = os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, &Refusal{path, err}
		}
	}
	if !info.Mode().IsRegular() {
		return nil, false, refuse(path, "the installed program belongs there, and it is not a regular file; move it away")
	}
	data, err = fsx.ReadFile(path, maxProgram)
	if err != nil {
		return nil, false, &Refusal{path, err}
	}
	return data, !executable(path), nil
}

// executable reports whether the file at path can be started.
func executable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0
}

// versionOf asks a guardrails binary for its version; "" if it does not say.
func (i *Installer) versionOf(ctx context.Context, path string) string {
	if !executable(path) {
		return ""
	}
	ran, err := i.env.Run(ctx, proc.Cmd{Argv: []string{path, "version", "--json"}, Env: i.cleared(i.env.Home), Timeout: 10 * time.Second})
	if err != nil || ran.ExitCode != 0 {
		return ""
	}
	var v struct {
		Version string `json:"version"`
	}
	if json.Unmarshal(ran.Stdout, &v) != nil {
		return ""
	}
	return v.Version
}

// newer reports whether version a is certainly newer than b. A development
// build has no place in the order.
func newer(a, b string) bool {
	a, b = canonical(a), canonical(b)
	return a != "" && b != "" && semver.Compare(a, b) > 0
}

func canonical(v string) string {
	if v != "" && v[0] != 'v' {
		v = "v" + v
	}
	if !semver.IsValid(v) {
		return ""
	}
	return v
}

// cleared is the environment that a host may leave to a hook at worst.
func (i *Installer) cleared(home string) []string {
	env := []string{"HOME=" + home}
	names := []string{"PATH", "SHELL", "TMPDIR", "USER"}
	if runtime.GOOS == "windows" {
		env = append(env, "USERPROFILE="+home)
		names = append(names, "SYSTEMROOT", "TEMP", "TMP", "PATHEXT", "COMSPEC")
	}
	for _, name := range names {
		if v := i.env.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// lookPath finds a program on PATH; "" if there is none.
func (i *Installer) lookPath(name string) string {
	p, err := proc.LookPath(name, i.env.Getenv("PATH"))
	if err != nil {
		return ""
	}
	return p
}

// leftovers removes what a run that was killed left beside the program. The
// lock on the state home keeps out any other run that could still need it.
func leftovers(path string) ([]step, error) {
	names, err := filepath.Glob(path + ".*" + fsx.TempSuffix)
	if err != nil {
		return nil, nil //nolint:nilerr // a path that is no pattern has none
	}
	var steps []step
	for _, name := range names {
		was, err := fsx.StampOf(name)
		if err != nil {
			return nil, &Refusal{name, err}
		}
		steps = append(steps, &removeStep{path: name, was: was, perm: 0o755, text: "left by a run that was killed"})
	}
	return steps, nil
}

// sameProgram reports whether two paths hold the same build.
func sameProgram(a, b string) bool {
	x, err := fsx.ReadFile(a, maxProgram)
	if err != nil {
		return false
	}
	y, err := fsx.ReadFile(b, maxProgram)
	return err == nil && digest(x) == digest(y)
}

func otherInstalls(n int) string {
	if n == 1 {
		return "another install"
	}
	return fmt.Sprintf("%d other installs", n)
}

// planBinaryRemoval removes the installed program when no other install needs
// it. known says that the receipt can tell; needed names a file that still runs
// it by an entry that is not ours to remove, which would fail from then on.
func (i *Installer) planBinaryRemoval(rest receipts, known, purge bool, needed string) ([]step, string, error) {
	path := i.Binary()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	switch {
	case needed != "":
		return nil, "stays: an entry in " + needed + " that is not ours to remove still runs it", nil
	case len(rest.Installs) > 0:
		return nil, "in use by " + otherInstalls(len(rest.Installs)), nil
	case !known && !purge:
		return nil, "stays: without the receipt we cannot tell whether others use it; --purge removes it", nil
	}
	var steps []step
	for _, path := range []string{i.Binary(), i.FullBinary()} {
		data, _, err := installed(path)
		if err != nil {
			return nil, "", err
		}
		if data == nil {
			continue
		}
		was, err := fsx.StampOf(path)
		if err != nil {
			return nil, "", err
		}
		left, err := leftovers(path)
		if err != nil {
			return nil, "", err
		}
		steps = append(append(steps, left...), &removeStep{path: path, was: was, old: data, perm: 0o755, text: "installed program"})
	}
	return append(steps, planRmdirs([]string{filepath.Dir(path)}, steps, true)...), "", nil
}
