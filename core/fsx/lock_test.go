package fsx

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestLockMakesItsFileAndKeepsOthersOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	ctx := context.Background()
	unlock, err := Lock(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	waiting := make(chan error)
	go func() {
		_, err := Lock(cancelled, path)
		waiting <- err
	}()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), path) {
		t.Errorf("error = %v, want one that is cancelled and names the file", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = Lock(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestLockNeedsItsDirectory(t *testing.T) {
	if _, err := Lock(context.Background(), filepath.Join(t.TempDir(), "none", "l")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want ErrNotExist", err)
	}
}

// count adds one to the number in a file, times over, under the lock beside it.
func count(args []string) error {
	path, rounds := args[0], args[1]
	n, err := strconv.Atoi(rounds)
	if err != nil {
		return err
	}
	for range n {
		unlock, err := Lock(context.Background(), path+".lock")
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		was, err := strconv.Atoi(string(data))
		if err != nil {
			return err
		}
		if err := Replace(path, []byte(strconv.Itoa(was+1)), 0o600); err != nil {
			return err
		}
		// Every few rounds the holder throws the lock file away, as a clean-up
		// would.
		if was%7 == 0 {
			if err := os.Remove(path + ".lock"); err != nil {
				return err
			}
		}
		if err := unlock(); err != nil {
			return err
		}
	}
	return nil
}

func TestLockLosesNothingAmongSixtyProcesses(t *testing.T) {
	needsLinks(t) // an open file cannot be removed on Windows
	path := filepath.Join(t.TempDir(), "n")
	put(t, path, "0", 0o600)
	const processes, rounds = 60, 5
	var wg sync.WaitGroup
	for range processes {
		cmd := child(t, "count", path, strconv.Itoa(rounds))
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	if got := content(t, path); got != strconv.Itoa(processes*rounds) {
		t.Errorf("counted %s, want %d", got, processes*rounds)
	}
}
