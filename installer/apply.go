package installer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ec261362/guardrails/core/fsx"
)

// Install brings a host's configuration to what r asks for and proves that it
// works, or leaves everything as it was. With dry it only says what it would
// do: nothing is written, locked, started or asked.
//
// A *Refusal says that nothing was begun. After any other error the report
// tells what was taken back.
func (i *Installer) Install(ctx context.Context, r Request, dry bool) (*Report, error) {
	t, err := lookup(r.Host)
	if err != nil {
		return nil, err
	}
	return i.execute(ctx, r, dry, func() (*plan, error) { return t.planInstall(ctx, i, r) })
}

// Uninstall takes our entries out of a host's configuration. It works without
// the receipt, the binary and the host.
func (i *Installer) Uninstall(ctx context.Context, r Request, dry bool) (*Report, error) {
	t, err := lookup(r.Host)
	if err != nil {
		return nil, err
	}
	return i.execute(ctx, r, dry, func() (*plan, error) { return t.planUninstall(ctx, i, r) })
}

func (i *Installer) execute(ctx context.Context, r Request, dry bool, newPlan func() (*plan, error)) (*Report, error) {
	if err := i.checkUser(r); err != nil {
		return nil, err
	}
	p, err := newPlan() // what is wrong now is said before anything is touched
	if err != nil {
		return nil, err
	}
	if dry {
		return p.dry(), nil
	}
	if len(p.steps) == 0 && p.proofs == nil {
		return i.carryOut(ctx, p)
	}
	release, err := i.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	for attempt := 0; ; attempt++ {
		if p, err = newPlan(); err != nil { // again, now that nobody else of ours writes
			return nil, err
		}
		report, err := i.carryOut(ctx, p)
		if attempt == 0 && errors.Is(err, fsx.ErrChanged) {
			continue // somebody edited the file meanwhile: once more, on the new bytes
		}
		return report, err
	}
}

// carryOut does the steps of a plan, proves the result, and on any failure takes
// all of it back.
func (i *Installer) carryOut(ctx context.Context, p *plan) (report *Report, err error) {
	rep := p.report
	rep.Lines = append([]Line(nil), p.report.Lines...)
	r := &run{ctx: ctx, i: i, disk: i.disk, report: &rep}
	defer func() {
		if err != nil {
			rep.Outcome = Failed
			r.rollback()
		}
	}()
	for _, s := range p.steps {
		if err := ctx.Err(); err != nil {
			return &rep, fmt.Errorf("stopped: %w", err)
		}
		if err := s.do(r); err != nil {
			return &rep, err
		}
		if l, tell := s.line(); tell {
			rep.Lines = append(rep.Lines, l)
		}
	}
	if p.proofs != nil {
		if err := p.proofs(ctx, r); err != nil {
			return &rep, err
		}
	}
	r.undos = nil
	for _, do := range r.late {
		do()
	}
	left := p.partial
	if p.complete != nil {
		left = append(left, p.complete(&rep, ctx)...)
	}
	for _, l := range left {
		rep.add("print", "", "%s", l)
	}
	rep.Lines = append(rep.Lines, p.after...)
	switch {
	case len(left) > 0:
		rep.Outcome = Partial
	case p.changes():
		rep.Outcome = p.done
	default:
		rep.Outcome = p.settled
	}
	return &rep, nil
}

// enter makes the state home and takes the lock under which all runs write. It
// leaves no trace if the run leaves none.
func (i *Installer) enter(ctx context.Context) (release func(), err error) {
	missing, err := missingDirs(i.env.StateHome)
	if err != nil {
		return nil, err
	}
	for _, d := range missing {
		if err := i.disk.Mkdir(d, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("make the state home %s: %w", d, unwrapPath(err))
		}
	}
	path := filepath.Join(i.env.StateHome, "install.lock")
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	unlock, err := fsx.Lock(wait, path)
	if err != nil {
		return nil, fmt.Errorf("another init is running, or the state home cannot be locked: %w", err)
	}
	return func() {
		// With the lock file alone in it, nothing was installed: take it along.
		if entries, err := os.ReadDir(i.env.StateHome); err == nil && len(entries) == 1 && entries[0].Name() == filepath.Base(path) {
			_ = i.disk.Remove(path)
		}
		_ = unlock()
		if len(missing) == 0 {
			_ = removeDirIfEmpty(i.disk, i.env.StateHome)
		}
		for _, d := range slices.Backward(missing) {
			_ = removeDirIfEmpty(i.disk, d)
		}
	}, nil
}

// checkUser refuses root's rights borrowed for a person's files: what root
// writes there the person's own hook cannot use.
func (i *Installer) checkUser(Request) error {
	if os.Geteuid() == 0 && i.env.Getenv("SUDO_UID") != "" && ownerOf(i.env.Home) > 0 {
		return refuse("", "run this without sudo: the files would belong to root, and %s does not", i.env.Home)
	}
	return nil
}
