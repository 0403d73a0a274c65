//go:build unix

package fsx

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
)

func TestLockDoesNotWaitForTheOtherEndOfAFifo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	unlock, err := Lock(context.Background(), path)
	if err != nil {
		return // refused is as good
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}
