package fsx

import (
	"context"
	"fmt"
	"os"

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
	for {
		if err := acquire(ctx, l); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if current(l, path) {
			return l.Unlock, nil
		}
		if err := l.Unlock(); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
	}
}

// acquire takes l. If it is held, it queues in the system, which wakes one waiter
// for each release: sixty that looked again and again took the processors from the
// one that held the lock, and some of them were passed over until their time ran out.
func acquire(ctx context.Context, l *flock.Flock) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if got, err := l.TryLock(); got || err != nil {
		return err
	}
	had, gone := make(chan error), make(chan struct{})
	go func() {
		err := l.Lock()
		select {
		case had <- err:
		case <-gone: // nobody waits any more
			if err == nil {
				_ = l.Unlock()
			}
		}
	}()
	select {
	case err := <-had:
		return err
	case <-ctx.Done():
		close(gone)
		return ctx.Err()
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
