package installer

import (
	"context"
)

func (c claude) planUninstall(ctx context.Context, i *Installer, r Request) (*plan, error) {
	p := &plan{done: Removed, settled: Absent, report: Report{Host: "claude", Scope: r.Scope, Route: r.Route}}
	all, was, err := i.readReceipts()
	if err != nil {
		return nil, err
	}
	rest := all
	var looked []string
	if r.AnyRoute || r.Route == Settings {
		file, err := c.file(i, r)
		if err != nil {
			return nil, err
		}
		if rest, err = c.book().planOut(i, r, p, rest, &looked, file, c.command(i, r.Scope).String()); err != nil {
			return nil, err
		}
	}
	if r.AnyRoute || r.Route == Plugin {
		if rest, err = c.planPluginOut(ctx, i, r, p, rest, &looked); err != nil {
			return nil, err
		}
	}
	if !p.changes() && len(rest.Installs) == len(all.Installs) {
		for _, path := range looked {
			p.report.add("look", path, "nothing of ours")
		}
		for _, other := range c.others(i, r, "") {
			p.report.add("note", other, "has entries of ours; name its scope to remove them")
		}
	}
	forget := len(rest.Installs) != len(all.Installs)
	if forget {
		steps, err := i.writeReceipts(all, rest, was)
		if err != nil {
			return nil, err
		}
		p.steps = append(p.steps, steps...)
	}
	if p.changes() || forget {
		steps, why, err := i.planBinaryRemoval(rest, len(all.Installs) > 0, r.Purge)
		if err != nil {
			return nil, err
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
		if err := i.planPurge(p, rest, len(all.Installs) > 0, r.Force); err != nil {
			return nil, err
		}
	case p.changes():
		p.after = append(p.after, Line{"keep", i.env.StateHome, "state, log and backups; --purge removes them"})
	}
	return p, nil
}

func chain(a, b func(context.Context, *run) error) func(context.Context, *run) error {
	if a == nil {
		return b
	}
	return func(ctx context.Context, r *run) error {
		if err := a(ctx, r); err != nil {
			return err
		}
		return b(ctx, r)
	}
}
