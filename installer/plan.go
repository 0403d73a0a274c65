package installer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/proc"
)

// A plan is what a request comes to on this machine now. Making one changes
// nothing.
type plan struct {
	report   Report // notes first; the steps' lines follow when they are done
	steps    []step
	partial  []string                                // what is left to the human
	after    []Line                                  // said when all is done
	proofs   func(context.Context, *run) error       // nil = nothing to prove
	complete func(*Report, context.Context) []string // last looks; returns what is left to the human
	settled  Outcome                                 // the outcome when there is nothing to do
	done     Outcome                                 // the outcome when everything was done
	needed   string                                  // a file that still runs our program after all was done
}

// changes reports whether the plan does anything that a person should know of.
func (p *plan) changes() bool {
	for _, s := range p.steps {
		if _, tell := s.line(); tell {
			return true
		}
	}
	return false
}

// dry is the report of a run that does nothing.
func (p *plan) dry() *Report {
	r := p.report
	r.Outcome = Planned
	for _, s := range p.steps {
		if l, tell := s.line(); tell {
			r.Lines = append(r.Lines, l)
		}
	}
	if !p.changes() && p.settled != Failed {
		r.add("keep", "", "nothing to do: %s", p.settled)
	}
	for _, left := range p.partial {
		r.add("print", "", "%s", left)
	}
	r.Lines = append(r.Lines, p.after...)
	return &r
}

// A step is one change. line says what it does, and whether people care; do
// does it and registers how to undo it.
type step interface {
	line() (l Line, tell bool)
	do(*run) error
}

// run carries out one plan.
type run struct {
	ctx    context.Context
	i      *Installer
	disk   Disk
	report *Report
	undos  []undo
	late   []func()
}

// undo takes one change back.
type undo struct {
	what string
	do   func() error
	hand string // what a human does if do fails
}

func (r *run) onUndo(what, hand string, do func() error) {
	r.undos = append(r.undos, undo{what, do, hand})
}

func (r *run) onSuccess(do func()) { r.late = append(r.late, do) }

// rollback takes back what was done, last first, and reports each.
func (r *run) rollback() {
	for _, u := range slices.Backward(r.undos) {
		if err := u.do(); err != nil {
			r.report.add("warn", "", "could not undo: %s: %v; by hand: %s", u.what, err, u.hand)
			continue
		}
		r.report.add("undo", "", "%s", u.what)
	}
	r.undos = nil
}

// dirStep makes one directory.
type dirStep struct {
	path string
	perm fs.FileMode
	tell bool
}

func (s *dirStep) line() (Line, bool) { return Line{"create", s.path, "directory"}, s.tell }

func (s *dirStep) do(r *run) error {
	err := r.disk.Mkdir(s.path, s.perm)
	if errors.Is(err, fs.ErrExist) {
		if info, serr := os.Stat(s.path); serr == nil && info.IsDir() {
			return nil // somebody else was faster
		}
	}
	if err != nil {
		return fmt.Errorf("make the directory %s: %w", s.path, unwrapPath(err))
	}
	r.onUndo("removed the directory "+s.path, "rmdir "+s.path, func() error { return removeDirIfEmpty(r.disk, s.path) })
	return nil
}

// removeDirIfEmpty removes a directory and is content if others use it.
func removeDirIfEmpty(d Disk, path string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) || len(entries) > 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if err := d.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (i *Installer) planDirs(dir string, perm fs.FileMode) ([]step, error) {
	missing, err := missingDirs(dir)
	if err != nil {
		return nil, err
	}
	var out []step
	for _, d := range missing {
		out = append(out, &dirStep{path: d, perm: perm})
	}
	return out, nil
}

// fileStep writes a whole file that was in the state was.
type fileStep struct {
	path  string
	data  []byte
	perm  fs.FileMode
	was   fsx.Stamp
	old   []byte // content before, nil = no file
	text  string
	quiet bool // nobody needs to hear of it
}

func (s *fileStep) line() (Line, bool) {
	if s.old == nil {
		return Line{"create", s.path, s.text}, !s.quiet
	}
	return Line{"update", s.path, s.text}, !s.quiet
}

func (s *fileStep) do(r *run) error {
	if err := r.disk.Write(s.path, s.data, s.perm, s.was); err != nil {
		return err
	}
	what, hand := "restored "+s.path, "restore "+s.path+" from its backup"
	if s.old == nil {
		what, hand = "removed "+s.path, "rm "+s.path
	}
	r.onUndo(what, hand, func() error {
		now, stamp, err := readFile(s.path)
		if err != nil {
			return err
		}
		if digest(now) != digest(s.data) || now == nil {
			return fmt.Errorf("%w since we wrote it", fsx.ErrChanged)
		}
		if s.old == nil {
			return r.disk.Remove(s.path)
		}
		return r.disk.Write(s.path, s.old, s.perm, stamp)
	})
	return nil
}

// removeStep removes a file that was in the state was.
type removeStep struct {
	path string
	was  fsx.Stamp
	old  []byte // nil = not to be brought back
	perm fs.FileMode
	text string
}

func (s *removeStep) line() (Line, bool) { return Line{"remove", s.path, s.text}, true }

func (s *removeStep) do(r *run) error {
	now, err := fsx.StampOf(s.path)
	if err != nil {
		return err
	}
	if !now.Same(s.was) {
		return fmt.Errorf("remove %s: %w", s.path, fsx.ErrChanged)
	}
	if err := r.disk.Remove(s.path); err != nil {
		return fmt.Errorf("remove %s: %w", s.path, unwrapPath(err))
	}
	if s.old == nil { // nobody's loss
		return nil
	}
	r.onUndo("restored "+s.path, "restore "+s.path+" from its backup", func() error {
		if s.perm&0o111 != 0 {
			return r.disk.Executable(s.path, s.old)
		}
		return r.disk.Write(s.path, s.old, s.perm, fsx.Stamp{})
	})
	return nil
}

// rmdirStep removes a directory of ours if it is empty in the end. tell says
// that it will be, as far as a plan can see.
type rmdirStep struct {
	path string
	tell bool
}

func (s *rmdirStep) line() (Line, bool) { return Line{"remove", s.path, "directory"}, s.tell }

func (s *rmdirStep) do(r *run) error {
	r.onSuccess(func() {
		if err := removeDirIfEmpty(r.disk, s.path); err != nil {
			r.report.add("warn", s.path, "the directory could not be removed: %v", unwrapPath(err))
		}
	})
	return nil
}

// planRmdirs removes directories, given outermost first, that will be empty once
// the removals in steps are done. quiet ones are not reported.
func planRmdirs(paths []string, steps []step, quiet bool) []step {
	gone := map[string]bool{}
	for _, s := range steps {
		if r, ok := s.(*removeStep); ok {
			gone[r.path] = true
		}
	}
	var out []step
	for _, p := range slices.Backward(paths) {
		entries, err := os.ReadDir(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		empty := err == nil
		for _, e := range entries {
			empty = empty && gone[filepath.Join(p, e.Name())]
		}
		gone[p] = empty
		out = append(out, &rmdirStep{p, empty && !quiet})
	}
	return out
}

// execStep puts a program of ours into place.
type execStep struct {
	path string
	data []byte
	old  []byte // nil = none
	text string
}

func (s *execStep) line() (Line, bool) {
	if s.old == nil {
		return Line{"create", s.path, s.text}, true
	}
	return Line{"update", s.path, s.text}, true
}

func (s *execStep) do(r *run) error {
	if err := r.disk.Executable(s.path, s.data); err != nil {
		return err
	}
	what := "restored " + s.path
	if s.old == nil {
		what = "removed " + s.path
	}
	r.onUndo(what, "rm "+s.path, func() error {
		if s.old == nil {
			return r.disk.Remove(s.path)
		}
		return r.disk.Executable(s.path, s.old)
	})
	return nil
}

// runStep starts a program of the host.
type runStep struct {
	cmd    proc.Cmd
	text   string // the command as a person would type it
	undo   *proc.Cmd
	undone string
	check  func(proc.Result) error
}

func (s *runStep) line() (Line, bool) { return Line{"run", "", s.text}, true }

func (s *runStep) do(r *run) error {
	if s.undo != nil { // also after a failure: half of it may have been done
		undoCmd := *s.undo
		r.onUndo("ran "+s.undone, s.undone, func() error {
			ran, err := r.i.env.Run(context.WithoutCancel(r.ctx), undoCmd)
			if err == nil && ran.ExitCode != 0 {
				err = fmt.Errorf("exit code %d: %s", ran.ExitCode, clip(ran))
			}
			return err
		})
	}
	ran, err := r.i.env.Run(r.ctx, s.cmd)
	if err != nil {
		return fmt.Errorf("%s: %w", s.text, err)
	}
	if s.check != nil {
		return s.check(ran)
	}
	if ran.ExitCode != 0 {
		return fmt.Errorf("%s: exit code %d: %s", s.text, ran.ExitCode, clip(ran))
	}
	return nil
}

// clip shortens what a program said to one error message.
func clip(r proc.Result) string {
	text := string(r.Stderr)
	if text == "" {
		text = string(r.Stdout)
	}
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	if text == "" {
		return "it said nothing"
	}
	return text
}

// unwrapPath drops the path and the operation that an error repeats.
func unwrapPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// lockWait is how long a run waits for another one.
const lockWait = 30 * time.Second
