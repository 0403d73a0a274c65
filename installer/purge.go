package installer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// stateNames are the names in the state home that are ours; --purge removes
// these and nothing else. config.yaml is the human's and not among them.
func stateNames() []string {
	return []string{
		"backups", "bin", "hinted", "hosts", "installs.json", "ledger", "log", "permits.json", "permits.json.lock", "protect", "sessions", "slots",
		"tidied", "trust.json", "trust.json.lock",
	}
}

// planPurge removes what is ours in the state home. known says that the receipt
// was there: a folder that was only named with --home may be anybody's.
func (i *Installer) planPurge(p *plan, rest receipts, known, force bool) error {
	home := i.env.StateHome
	if !known && i.moved() != nil {
		return refuse(home, "--purge: there is no receipt, so nothing says that this folder is ours; delete it by hand")
	}
	if len(rest.Installs) > 0 && !force {
		var files []string
		for _, r := range rest.Installs {
			files = append(files, r.File)
		}
		return refuse(home, "--purge would take the state from %s: %s; uninstall them first, or add --force", otherInstalls(len(files)), strings.Join(files, ", "))
	}
	ours, others, err := i.stateEntries()
	if err != nil {
		return err
	}
	if len(others) > 0 {
		p.after = append(p.after, Line{"keep", home, "what else is in it: " + strings.Join(others, ", ")})
	}
	if len(ours) > 0 || p.changes() {
		p.steps = append(p.steps, &purgeStep{i})
	}
	return nil
}

// stateEntries lists what the state home holds: our names, and others.
func (i *Installer) stateEntries() (ours, others []string, err error) {
	home := i.env.StateHome
	entries, err := os.ReadDir(home)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, &Refusal{home, unwrapPath(err)}
	}
	for _, e := range entries {
		switch {
		case slices.Contains(stateNames(), e.Name()):
			ours = append(ours, filepath.Join(home, e.Name()))
		case e.Name() != "install.lock":
			others = append(others, e.Name())
		}
	}
	return ours, others, nil
}

// purgeStep removes our trees once everything else has gone well. It has no
// undo.
type purgeStep struct{ i *Installer }

func (s *purgeStep) line() (Line, bool) {
	return Line{"remove", s.i.env.StateHome, "state, log and backups"}, true
}

func (s *purgeStep) do(r *run) error {
	r.onSuccess(func() {
		ours, _, err := s.i.stateEntries() // again: this run wrote backups too
		if err != nil {
			r.report.add("warn", s.i.env.StateHome, "could not be read: %v", err)
		}
		for _, path := range ours {
			if err := os.RemoveAll(path); err != nil { // a link is removed, not followed
				r.report.add("warn", path, "could not be removed: %v", unwrapPath(err))
			}
		}
	})
	return nil
}
