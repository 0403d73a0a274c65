package installer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/fsx"
)

// A folder is a bundle of ours: a directory in which every file is ours alone.
type folder struct {
	root    string
	files   []bundled // in the order of writing: what makes the host see it is last
	dirPerm fs.FileMode
}

// bundled is a file of a folder.
type bundled struct {
	name string // relative to the root
	data []byte
}

func (f folder) path(b bundled) string { return filepath.Join(f.root, b.name) }

// owned lists the files as a receipt does.
func (f folder) owned() []owned {
	var out []owned
	for _, b := range f.files {
		out = append(out, owned{f.path(b), digest(b.data)})
	}
	return out
}

// dirs lists the directories of the folder, a parent before its children.
func (f folder) dirs() []string {
	out := []string{f.root}
	for _, b := range f.files {
		for d := filepath.Dir(f.path(b)); len(d) > len(f.root); d = filepath.Dir(d) {
			if !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	slices.Sort(out)
	return out
}

// check refuses a folder in which a link or a special file would lead a write
// astray. above are directories over it that must be no links either.
func (f folder) check(above ...string) error {
	for _, d := range slices.Concat(above, f.dirs()) {
		info, err := os.Lstat(d)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return &Refusal{d, unwrapPath(err)}
		case info.Mode()&fs.ModeSymlink != 0:
			return refuse(d, "it is a symbolic link, and files of ours do not go where one leads; make it a directory")
		case !info.IsDir():
			return refuse(d, "it is not a directory, so nothing can be put below it; move it away")
		}
	}
	for _, b := range f.files {
		path := f.path(b)
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return refuse(path, "it is a symbolic link; remove it")
		}
		if err := checkFile(path, path); err != nil {
			return err
		}
	}
	return nil
}

// plan writes the files that differ. One that somebody edited since we wrote it
// is kept in a backup first.
func (f folder) plan(i *Installer, have receipt) (dirs []string, backups, files []step, err error) {
	for _, b := range f.files {
		path := f.path(b)
		old, was, err := readFile(path)
		if err != nil {
			return nil, nil, nil, &Refusal{path, unwrapPath(err)}
		}
		if old != nil && digest(old) == digest(b.data) {
			continue
		}
		if old != nil && !slices.Contains(have.Files, owned{path, digest(old)}) {
			steps, _, err := i.planBackup(path, old)
			if err != nil {
				return nil, nil, nil, err
			}
			backups = append(backups, steps...)
		}
		missing, err := missingDirs(filepath.Dir(path))
		if err != nil {
			return nil, nil, nil, err
		}
		for _, d := range missing {
			if !slices.Contains(dirs, d) {
				dirs = append(dirs, d)
			}
		}
		files = append(files, &fileStep{path: path, data: b.data, perm: 0o644, was: was, old: old})
	}
	return dirs, backups, files, nil
}

// extra lists what is in the folder and not of it.
func (f folder) extra() []string {
	var out []string
	_ = filepath.WalkDir(f.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is told by who reads it
		}
		if slices.Contains(f.dirs(), path) {
			return nil
		}
		if !slices.ContainsFunc(f.files, func(b bundled) bool { return f.path(b) == path }) {
			out = append(out, path)
			if d.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	return out
}

// differs lists the files that are not there or not as they should be.
func (f folder) differs() (missing, edited []string) {
	for _, b := range f.files {
		data, err := fsx.ReadFile(f.path(b), maxConfig)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, f.path(b))
		case err != nil || digest(data) != digest(b.data):
			edited = append(edited, f.path(b))
		}
	}
	return missing, edited
}

// planFolder installs a folder for a receipt, with the project, the program and
// what the host's folder needs around it.
func (i *Installer) planFolder(ctx context.Context, r Request, p *plan, f folder, rcpt receipt) error {
	all, receiptWas, err := i.readReceipts()
	if err != nil {
		return err
	}
	have, known := all.find(rcpt)
	if known {
		rcpt.Existed, rcpt.MadeDirs = have.Existed, have.MadeDirs
	}
	made, backups, files, err := f.plan(i, have)
	if err != nil {
		return err
	}
	project, err := planProject(p, r)
	if err != nil {
		return err
	}
	bin, kept, err := i.planBinary(ctx, r.Force)
	if err != nil {
		return err
	}
	if kept != "" {
		p.report.add("keep", i.Binary(), "version %s is newer than this one, %s; --force replaces it", kept, i.env.Version)
	}
	p.steps = slices.Concat(p.steps, project, bin, backups)
	var dirs []step
	inState := i.env.StateHome + string(filepath.Separator)
	for _, d := range made {
		if slices.ContainsFunc(project, func(s step) bool { ds, ok := s.(*dirStep); return ok && ds.path == d }) {
			continue
		}
		perm := f.dirPerm
		if d == i.env.StateHome {
			perm = 0o700
		}
		dirs = append(dirs, &dirStep{path: d, perm: perm})
		if d != i.env.StateHome && !strings.HasPrefix(d, inState) {
			rcpt.MadeDirs = append(rcpt.MadeDirs, d)
		}
	}
	rcpt.Files = f.owned()
	receipt, err := i.planReceipt(all, receiptWas, rcpt)
	if err != nil {
		return err
	}
	p.steps = slices.Concat(p.steps, receipt, dirs, files)
	return nil
}

// planFilesOut removes files that are ours, the first one first, and the
// directories below root that are empty then; a file that was edited since we
// wrote it stays, unless force.
func (i *Installer) planFilesOut(p *plan, root string, files []owned, force bool) ([]step, error) {
	var steps []step
	dirs := map[string]bool{}
	for _, f := range files {
		if !strings.HasPrefix(f.Path, root+string(filepath.Separator)) {
			return nil, refuse(i.receiptPath(), "it names %s as a file of the bundle, which is not below %s", f.Path, root)
		}
		for d := filepath.Dir(f.Path); len(d) >= len(root); d = filepath.Dir(d) {
			dirs[d] = true
		}
		data, err := fsx.ReadFile(f.Path, maxProgram)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, &Refusal{f.Path, unwrapPath(err)}
		}
		if digest(data) != f.SHA256 && !force {
			p.report.add("keep", f.Path, "it was edited since we wrote it; --force removes it")
			continue
		}
		was, err := fsx.StampOf(f.Path)
		if err != nil {
			return nil, &Refusal{f.Path, unwrapPath(err)}
		}
		perm := fs.FileMode(0o644)
		if executable(f.Path) {
			perm = 0o755
		}
		steps = append(steps, &removeStep{path: f.Path, was: was, old: data, perm: perm})
	}
	if len(steps) == 0 {
		return nil, nil
	}
	var empty []string
	for d := range dirs {
		empty = append(empty, d)
	}
	slices.Sort(empty) // a parent before its children; they go in reverse
	return append(steps, planRmdirs(empty, steps, true)...), nil
}

// planFolderOut takes a folder out and forgets its receipt.
func (i *Installer) planFolderOut(r Request, p *plan, rest receipts, looked *[]string, f folder, like receipt) (receipts, error) {
	*looked = append(*looked, f.root)
	rec, known := rest.find(like)
	files := rec.Files
	if !known { // what this build would write is ours
		files = f.owned()
	}
	slices.Reverse(files) // what makes the host see it goes first
	steps, err := i.planFilesOut(p, f.root, files, r.Force)
	if err != nil {
		return rest, err
	}
	if len(steps) > 0 {
		if err := f.check(); err != nil {
			return rest, err
		}
	}
	p.steps = append(p.steps, steps...)
	p.steps = append(p.steps, planRmdirs(rec.MadeDirs, p.steps, true)...)
	return rest.without(like), nil
}

// finishUninstall does what every uninstall ends with: the receipts, the
// program, the state.
func (i *Installer) finishUninstall(r Request, p *plan, all, rest receipts, was fsx.Stamp, looked []string) error {
	if !p.changes() && len(rest.Installs) == len(all.Installs) {
		for _, path := range looked {
			p.report.add("look", path, "nothing of ours")
		}
	}
	forget := len(rest.Installs) != len(all.Installs)
	if forget {
		steps, err := i.writeReceipts(all, rest, was)
		if err != nil {
			return err
		}
		p.steps = append(p.steps, steps...)
	}
	if p.changes() || forget {
		steps, why, err := i.planBinaryRemoval(rest, len(all.Installs) > 0, r.Purge, p.needed)
		if err != nil {
			return err
		}
		if why != "" {
			p.after = append(p.after, Line{"keep", i.Binary(), why})
		}
		p.steps = append(p.steps, steps...)
	}
	if p.changes() {
		p.after = append(p.after, Line{"note", "", "restart running sessions"})
	}
	switch {
	case r.Purge:
		return i.planPurge(p, rest, len(all.Installs) > 0, r.Force)
	case p.changes():
		p.after = append(p.after, Line{"keep", i.env.StateHome, "state, log and backups; --purge removes them"})
	}
	return nil
}

// tellable refuses a program path that cannot stand in a shell line of which
// we do not know the shell.
func (i *Installer) tellable() error {
	for _, path := range append([]string{i.Binary()}, i.moved()...) {
		if strings.ContainsAny(path, "'\"\\$\n\r`!") {
			return refuse(path, "a path with a quote, backslash, dollar sign, backquote, exclamation mark or line break cannot be told to every shell; name another place with --home")
		}
	}
	return nil
}

// shellArgs are a frozen line's words after the program, where a moved home is
// quoted.
func (i *Installer) shellArgs(words ...string) []string {
	if m := i.moved(); m != nil {
		words = append(words, m[0], singleQuote(m[1]))
	}
	return words
}

var errNotOnWindows = errors.New("the command that this agent would need on Windows is not known to work, so nothing is installed there")

// conflictOf tells the flags that a host with one place for everybody's entries
// cannot honour.
func conflictOf(r Request, title string) error {
	if r.Scope == Shared {
		return refuse("", "%s's entries name a path of this machine, so they cannot be shared; leave out --shared", title)
	}
	return nil
}

// unknownDir refuses a configuration folder of a host that is not known to have
// another one.
func unknownDir(r Request, title string) error {
	if r.ConfigDir != "" {
		return refuse("", "%s has one configuration folder that we know of; leave out --config-dir", title)
	}
	return nil
}

// proveFolder reads a folder again and runs what it registers.
func (i *Installer) proveFolder(ctx context.Context, run *run, f folder, st *State) error {
	missing, edited := f.differs()
	if bad := append(missing, edited...); len(bad) > 0 {
		return fmt.Errorf("%s was written and does not hold what was written: %w", bad[0], fsx.ErrChanged)
	}
	for _, c := range st.commands {
		if err := i.prove(ctx, st.speech, c.command, c.wiring, c.dir); err != nil {
			return err
		}
	}
	run.report.add("prove", "", "the registered command denied a recursive delete of a home and let git status pass")
	return nil
}
