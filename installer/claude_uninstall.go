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
		for _, other := range c.others(i, r, "") {
			p.after = append(p.after, Line{"note", other, "has entries of ours; name its scope to remove them"})
		}
	}
	if err := i.finishUninstall(r, p, all, rest, was, looked); err != nil {
		return nil, err
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
