package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
)

// TrustFileName is the record of trust in the state home.
const TrustFileName = "trust.json"

const (
	maxTrustFile = 4 << 20
	// maxSums is how many contents of one project's file stay trusted: those of
	// its worktrees and of recent branches.
	maxSums = 16
)

// trustStore is the content of the record.
type trustStore struct {
	Version  int                     `json:"version"`
	Projects map[string][]TrustEntry `json:"projects"`
}

// TrustEntry is one content of a project's file that the human trusted.
type TrustEntry struct {
	SHA256 string    `json:"sha256"`
	Time   time.Time `json:"time"`
}

// Sum returns the digest that trust is keyed on beside the path.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// IsTrusted reports whether the human trusted a file with this sum for root or
// for the main checkout that root is a worktree of. On error nothing is trusted.
func IsTrusted(stateHome, root, sum string) (bool, error) {
	entries, err := TrustEntries(stateHome, root)
	for _, e := range entries {
		if e.SHA256 == sum {
			return true, nil
		}
	}
	return false, err
}

// TrustEntries returns what is trusted for root, newest first.
func TrustEntries(stateHome, root string) ([]TrustEntry, error) {
	s, err := readTrust(stateHome)
	if err != nil {
		return nil, err
	}
	if len(s.Projects) == 0 {
		return nil, nil // no need to ask where root lies
	}
	return s.Projects[MainCheckout(root)], nil
}

// Trust records that the human trusts a file with this sum for root and its
// worktrees. A record that cannot be read is an error and is not overwritten.
func Trust(stateHome, root, sum string, now time.Time) error {
	return updateTrust(stateHome, func(s *trustStore) bool {
		key := MainCheckout(root)
		entries := []TrustEntry{{SHA256: sum, Time: now.UTC().Truncate(time.Second)}}
		for _, e := range s.Projects[key] {
			if e.SHA256 != sum && len(entries) < maxSums {
				entries = append(entries, e)
			}
		}
		if s.Projects == nil {
			s.Projects = map[string][]TrustEntry{}
		}
		s.Projects[key] = entries
		return true
	})
}

// Revoke forgets all trust in root and its worktrees, and reports whether there
// was any.
func Revoke(stateHome, root string) (was bool, err error) {
	if _, err := os.Lstat(filepath.Join(stateHome, TrustFileName)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	err = updateTrust(stateHome, func(s *trustStore) bool {
		key := MainCheckout(root)
		_, was = s.Projects[key]
		delete(s.Projects, key)
		return was
	})
	return was && err == nil, err
}

func updateTrust(stateHome string, change func(*trustStore) bool) error {
	if err := os.MkdirAll(stateHome, 0o700); err != nil {
		return err
	}
	name := filepath.Join(stateHome, TrustFileName)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	unlock, err := fsx.Lock(ctx, name+".lock")
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }() // what was written stands
	s, err := readTrust(stateHome)
	if err != nil {
		return err
	}
	if !change(&s) {
		return nil
	}
	s.Version = 1
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return fsx.WriteFile(name, append(data, '\n'), 0o600)
}

// readTrust returns the record, an empty one if there is none.
func readTrust(stateHome string) (trustStore, error) {
	var s trustStore
	name := filepath.Join(stateHome, TrustFileName)
	data, err := fsx.ReadFile(name, maxTrustFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read the record of trust: %w", err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return trustStore{}, fmt.Errorf("%s is damaged, so no project is trusted: %w; move it away and trust your projects again", name, err)
	}
	if s.Version != 1 {
		return trustStore{}, fmt.Errorf("%s has version %d, this program knows 1: no project is trusted", name, s.Version)
	}
	if fi, err := os.Stat(name); err == nil && runtime.GOOS != "windows" && fi.Mode().Perm()&0o022 != 0 {
		return trustStore{}, fmt.Errorf("%s can be written by others (mode %v), so no project is trusted: check it, then chmod 600 it", name, fi.Mode().Perm())
	}
	return s, nil
}
