package fsx

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// Lock takes the exclusive lock that the file at path stands for, making the
// file (0600) if need be, and waits for it as long as ctx lasts. It holds among
// processes and among goroutines; the system frees it when its holder dies. The
// error wraps ctx.Err() if time ran out, and fs.ErrNotExist if the directory is
// missing. unlock may be called once.
//
// Whoever removes a lock file must hold its lock: waiters notice and start over
// on the new file.
func Lock(ctx context.Context, path string) (unlock func() error, err error) {
	l := flock.New(path, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDONLY|openNonblock))
	var timer *time.Timer
	// The pause starts near the time that one state update takes and stays
	// short: with sixty waiters, what counts is that a free lock is not idle.
	for pause := 200 * time.Microsecond; ; pause = min(pause*3/2, 4*time.Millisecond) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		got, err := l.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if got {
			if current(l, path) {
				return l.Unlock, nil
			}
			if err := l.Unlock(); err != nil {
				return nil, fmt.Errorf("lock %s: %w", path, err)
			}
			continue
		}
		wait := pause/2 + rand.N(pause)
		if timer == nil {
			timer = time.NewTimer(wait)
			defer timer.Stop()
		} else {
			timer.Reset(wait)
		}
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	}
}

// current reports whether path still names the file that l holds.
func current(l *flock.Flock, path string) bool {
	held, err := l.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(held, named)
}
