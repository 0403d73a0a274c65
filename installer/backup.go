package installer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// keepBackups is how many backups of a file are kept: the oldest, which is from
// before us, and the newest ones.
const keepBackups = 3

// backupDir is where a file's backups are, never beside the file.
func (i *Installer) backupDir(path string) string {
	return filepath.Join(i.env.StateHome, "backups", digest([]byte(path))[:16])
}

// backups lists a file's backups, the oldest first.
func (i *Installer) backups(path string) ([]string, error) {
	entries, err := os.ReadDir(i.backupDir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("backups of %s: %w", path, err)
	}
	var out []string
	for _, e := range entries { // sorted by name
		if !e.IsDir() && !strings.HasSuffix(e.Name(), ".tmp") {
			out = append(out, filepath.Join(i.backupDir(path), e.Name()))
		}
	}
	return out, nil
}

// planBackup returns the steps that keep data, the content of path, and the
// backup's name. A backup of the same bytes that is there already is used.
func (i *Installer) planBackup(path string, data []byte) (steps []step, backup string, err error) {
	have, err := i.backups(path)
	if err != nil {
		return nil, "", err
	}
	next := 1
	for _, name := range have {
		if old, err := os.ReadFile(name); err == nil && digest(old) == digest(data) {
			return nil, name, nil
		}
		var n int
		if _, err := fmt.Sscanf(filepath.Base(name), "%d-", &n); err == nil {
			next = max(next, n+1)
		}
	}
	backup = filepath.Join(i.backupDir(path), fmt.Sprintf("%06d-%s-%s", next, i.env.Now().UTC().Format("20060102T150405Z"), filepath.Base(path)))
	dirs, err := i.planDirs(i.backupDir(path), 0o700)
	if err != nil {
		return nil, "", err
	}
	steps = append(steps, dirs...)
	steps = append(steps, &fileStep{path: backup, data: data, perm: 0o600, text: "backup of " + path, quiet: true})
	if drop := len(have) + 1 - keepBackups; drop > 0 {
		steps = append(steps, &pruneStep{have[1 : 1+drop]})
	}
	return steps, backup, nil
}

// pruneStep removes old backups once everything else has gone well.
type pruneStep struct{ paths []string }

func (s *pruneStep) line() (Line, bool) { return Line{}, false }

func (s *pruneStep) do(r *run) error {
	r.onSuccess(func() {
		for _, p := range s.paths {
			if err := r.disk.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
				r.report.add("warn", p, "an old backup could not be removed: %v", err)
			}
		}
	})
	return nil
}
