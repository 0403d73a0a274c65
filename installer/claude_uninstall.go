package installer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/installer/jsonedit"
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
		if rest, err = c.planEntriesOut(i, r, p, rest, &looked); err != nil {
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

// planEntriesOut takes the entries out of the scope's settings file.
func (c claude) planEntriesOut(i *Installer, r Request, p *plan, rest receipts, looked *[]string) (receipts, error) {
	file, err := c.file(i, r)
	if err != nil {
		return rest, err
	}
	*looked = append(*looked, file)
	like := receipt{Host: "claude", Route: Settings.String(), File: file}
	rec, known := rest.find(like)
	data, was, err := readFile(file)
	if err != nil {
		return rest, &Refusal{file, unwrapPath(err)}
	}
	if data == nil { // perhaps a run died before it wrote the file
		p.steps = append(p.steps, planRmdirs(rec.MadeDirs, nil, false)...)
		return rest.without(like), nil
	}
	doc, err := jsonedit.Parse(data, jsonedit.Strict)
	if err != nil {
		e, ok := errors.AsType[*jsonedit.Error](err)
		if ok && !mentions(string(data)) && !strings.Contains(string(data), `"--agent"`) {
			p.report.add("warn", fmt.Sprintf("%s:%d:%d", file, e.Line, e.Col), "%s: Claude Code ignores this whole file; it holds nothing of ours that we can see", e.Msg)
			return rest, nil
		}
		if ok {
			return rest, refuse(fmt.Sprintf("%s:%d:%d", file, e.Line, e.Col), "%s: nothing was removed; mend the file and run this again, or delete by hand every handler whose command is %s", e.Msg, c.command(i, r.Scope))
		}
		return rest, &Refusal{file, err}
	}
	id := c.identity()
	n, err := id.removeOurs(doc)
	if err != nil {
		return rest, shapeRefusal(file, err)
	}
	for _, e := range id.scan(doc) {
		if e.kind == wrapped {
			p.report.add("note", file+":"+e.place, "%s: another command that runs guardrails; left as it is", e.event)
		}
	}
	if n == 0 {
		return rest.without(like), nil
	}
	if err := c.checkPlace(r, file); err != nil {
		return rest, err
	}
	steps, _, err := i.planBackup(file, data)
	if err != nil {
		return rest, err
	}
	p.steps = append(p.steps, steps...)
	text := fmt.Sprintf("%d handlers of ours", n)
	content := doc.Bytes()
	switch {
	case doc.Gone() && known && rec.Existed: // it was there; an empty object says as little
		p.steps = append(p.steps, &fileStep{path: file, data: []byte("{}\n"), perm: 0o644, was: was, old: data, text: "without " + text})
	case doc.Gone():
		target, err := fsx.Resolve(file) // a link that led to nothing leads to nothing again
		if err != nil {
			return rest, &Refusal{file, err}
		}
		p.steps = append(p.steps, &removeStep{path: target, was: was, old: data, perm: 0o644, text: text + ", and nothing else was in it"})
	default:
		p.steps = append(p.steps, &fileStep{path: file, data: content, perm: 0o644, was: was, old: data, text: "without " + text})
	}
	p.steps = append(p.steps, planRmdirs(rec.MadeDirs, p.steps, false)...)
	p.proofs = chain(p.proofs, func(context.Context, *run) error {
		again, _, err := readFile(file)
		if err != nil {
			return fmt.Errorf("read it again: %s: %w", file, err)
		}
		if digest(again) != digest(content) && !doc.Gone() {
			return fmt.Errorf("%s was written and does not hold what was written: %w", file, fsx.ErrChanged)
		}
		return nil
	})
	return rest.without(like), nil
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
