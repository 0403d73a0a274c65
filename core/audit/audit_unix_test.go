//go:build unix

package audit

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestAFifoInADaysPlaceIsAnErrorAndNoWait(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	if err := syscall.Mkfifo(filepath.Join(dir, "2026-11-30.jsonl"), 0o600); err != nil {
		t.Skip(err)
	}
	l := Log{Dir: dir, Now: func() time.Time { return now }}
	if err := l.Append(Entry{Decision: "pass"}); err == nil {
		t.Fatal("no error")
	}
}
