//go:build unix

package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

const nobody = 65534

// systemRole is what further children of the tests do.
func systemRole(role, dir string) error {
	s := &Store{Dir: dir}
	change := func(tx *Tx) error {
		tx.Apply(Add(Touched, strings.Repeat("x", 3000)), Add(Touched, strings.Repeat("y", 3000)))
		return nil
	}
	switch role {
	case "as nobody":
		if err := errors.Join(syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			return err
		}
		_, err := s.View("claude", "s1")
		fmt.Println("view:", err)
		_, err = s.Update(context.Background(), "claude", "s1", change)
		return fmt.Errorf("update: %w", err)
	case "with a full disk":
		limit := syscall.Rlimit{Cur: 4096, Max: 4096}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		_, err := s.Update(context.Background(), "claude", "s1", change)
		return err
	}
	return fmt.Errorf("no role %s", role)
}

func TestAStateThatCannotBeReadIsNotAnEmptyOne(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to become nobody")
	}
	now := noon
	s := store(t, &now)
	update(t, s, "s1", Count("n", 1))
	out, err := child(t, "as nobody", s.Dir).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err == nil || len(lines) != 2 {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range lines {
		if !strings.Contains(line, "permission denied") || !strings.Contains(line, s.Dir) {
			t.Errorf("%s: want a permission error that names the place", line)
		}
	}
}

func TestAFullDiskKeepsTheOldState(t *testing.T) {
	now := noon
	s := store(t, &now)
	update(t, s, "s1", Count("n", 1))
	out, err := child(t, "with a full disk", s.Dir).CombinedOutput()
	if err == nil || !strings.Contains(string(out), syscall.EFBIG.Error()) {
		t.Errorf("%v: %s", err, out)
	}
	if v := view(t, s, "s1"); v.Counter("n") != 1 || v.Len(Touched) != 0 {
		t.Errorf("state %s", v.s.encode())
	}
	if got := files(t, s, "s1"); len(got) != 2 {
		t.Errorf("files %q", got)
	}
}
