package installer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/installer/jsonedit"
)

// antigravity is Google Antigravity. Its hooks of all tools stand in one file of
// the user, each under a name; ours is guardrails. A workspace's own file loads
// or not, depending on version and sign-in, so none is written (1.1.22 to 1.2.9,
// documented).
type antigravity struct{}

// antigravityName is the named hook.
const antigravityName = "guardrails"

func (antigravity) name() string { return "antigravity" }

func (antigravity) adapter() hook.Adapter { return adapters.Lookup("antigravity") }

// antigravityFolders are the host's own folders below ~/.gemini.
func antigravityFolders() []string {
	return []string{"antigravity", "antigravity-cli", "antigravity-ide", "config"}
}

func (antigravity) found(i *Installer) string {
	for _, program := range []string{"agy", "antigravity"} {
		if p := i.lookPath(program); p != "" {
			return p
		}
	}
	for _, name := range antigravityFolders() {
		dir := filepath.Join(i.env.Home, ".gemini", name)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

func (antigravity) file(i *Installer) string {
	return filepath.Join(i.env.Home, ".gemini", "config", "hooks.json")
}

func (a antigravity) identity() identity {
	return identity{
		host: "antigravity", events: eventsOf(a.adapter()), script: readScript,
		absent: []string{a.absent("PreToolUse"), a.absent("")},
		bases: func(doc *jsonedit.Doc) (out [][]any) {
			for _, name := range doc.Root().Keys() {
				out = append(out, []any{name})
			}
			return out
		},
		flat: flatEvent,
	}
}

// flatEvent says that an event's list holds handlers, not groups (documented; in
// the wrong shape the whole file is dropped).
func flatEvent(event string) bool { return event != "PreToolUse" && event != "PostToolUse" }

// absent is the event's neutral answer for where the program is missing: no
// answer, and any exit code but 0, blocks (1.1.18 and later, documented).
func (antigravity) absent(event string) string {
	answer := "{}"
	if event == "PreToolUse" {
		answer = `{"decision":"allow"}`
	}
	return "{ printf '" + answer + "'; exit 0; }"
}

func (a antigravity) reconciler(i *Installer) reconciler {
	rec := reconciler{identity: a.identity(), base: []any{antigravityName}}
	for _, w := range wiringOf(a.adapter()) {
		cmd := guarded(i.Binary(), a.absent(w.Event), i.shellArgs("hook", "--agent", "antigravity", w.Event)...)
		rec.wanted = append(rec.wanted, wanted{wiring: w, command: cmd, flat: flatEvent(w.Event)})
	}
	return rec
}

func (a antigravity) speech() speech { return speech{a.adapter(), []string{"decision"}, "/bin/sh"} }

func (a antigravity) book(i *Installer) book {
	return book{
		host: "antigravity", title: "Antigravity", syntax: jsonedit.Strict, spoilt: "Antigravity drops this whole file without a word",
		perm: 0o600, dirPerm: 0o700, dot: ".gemini",
		defects: func(doc *jsonedit.Doc) (fatal, old []defect) { return a.defects(i, doc), nil },
		enable:  a.enable, tidy: a.tidy,
		identity: a.identity(), speech: a.speech(),
	}
}

// defects asks the adapter what makes the host drop the file.
func (a antigravity) defects(i *Installer, doc *jsonedit.Doc) []defect {
	if doc.BOM() {
		return []defect{{"1:1", "a byte order mark"}}
	}
	g, ok := a.adapter().(hook.Guarded)
	if !ok || doc.Root().Kind() == jsonedit.Invalid {
		return nil
	}
	for _, f := range g.LiveFiles(hook.Paths{Home: i.env.Home}) {
		if f.Path != a.file(i) || f.Loads == nil {
			continue
		}
		if why := f.Loads(doc.Bytes()); why != "" {
			line, col := doc.Root().Place()
			return []defect{{fmt.Sprintf("%d:%d", line, col), why}}
		}
	}
	return nil
}

// enable says in the named hook that it is on.
func (antigravity) enable(doc *jsonedit.Doc) ([]string, error) {
	if isTrue(doc.At(antigravityName, "enabled")) {
		return nil, nil
	}
	return []string{"enable " + antigravityName}, doc.Set("enabled", true, antigravityName)
}

// tidy takes the named hook out when it has no handler left.
func (antigravity) tidy(doc *jsonedit.Doc) error {
	keys := doc.At(antigravityName).Keys()
	if len(keys) == 1 && keys[0] == "enabled" {
		return doc.Remove(antigravityName, "enabled")
	}
	return nil
}

func (a antigravity) checks(i *Installer, r Request) error {
	if err := conflictOf(r, "Antigravity"); err != nil {
		return err
	}
	if err := unknownDir(r, "Antigravity"); err != nil {
		return err
	}
	if r.Route == Plugin && !r.AnyRoute {
		return refuse("", "whether Antigravity loads hooks of plugins is not known; leave out --via plugin")
	}
	if runtime.GOOS == "windows" {
		return &Refusal{"", errNotOnWindows}
	}
	return i.tellable()
}

func (a antigravity) planInstall(ctx context.Context, i *Installer, r Request) (*plan, error) {
	if err := a.checks(i, r); err != nil {
		return nil, err
	}
	q := r
	q.Scope, q.Route = User, Settings
	p, err := a.book(i).planInstall(ctx, i, q, a.reconciler(i), a.file(i), nil)
	if err != nil {
		return nil, err
	}
	p.after = append(p.after,
		Line{"note", "", "covers every project of this user: whether Antigravity reads a workspace's own hooks depends on its version and sign-in"},
		Line{"note", "", "the file is shared by all tools; agy -p /hooks --output-format json lists what Antigravity made of it"})
	if p.changes() {
		p.after = append(p.after, Line{"note", "", "restart running sessions"})
	}
	return p, nil
}

func (a antigravity) planUninstall(_ context.Context, i *Installer, r Request) (*plan, error) {
	if err := unknownDir(r, "Antigravity"); err != nil {
		return nil, err
	}
	p := &plan{done: Removed, settled: Absent, report: Report{Host: "antigravity", Scope: User, Route: Settings}}
	all, was, err := i.readReceipts()
	if err != nil {
		return nil, err
	}
	q := r
	q.Scope = User
	var looked []string
	rest, err := a.book(i).planOut(i, q, p, all, &looked, a.file(i), "guarded by "+i.Binary())
	if err != nil {
		return nil, err
	}
	if err := i.finishUninstall(r, p, all, rest, was, looked); err != nil {
		return nil, err
	}
	return p, nil
}

func (a antigravity) show(_ context.Context, i *Installer, r Request) (*Status, error) {
	s := i.status("antigravity")
	st := State{Host: "antigravity", Scope: User.String(), Route: Settings.String(), File: a.file(i), Enabled: true}
	rec := a.reconciler(i)
	doc := a.book(i).lookAt(i, rec, &st, filepath.Dir(a.file(i)))
	if doc != nil {
		for _, name := range doc.Root().Keys() {
			if string(doc.At(name, "enabled").Raw()) != "false" {
				continue
			}
			if slices.ContainsFunc(rec.scan(doc), func(e entry) bool { return e.kind == ours && e.base[0] == name }) {
				st.Enabled = false
				st.problem("%s: the named hook %s is switched off (enabled is false); init switches it on", st.File, name)
			}
		}
		if fatal := a.defects(i, doc); len(fatal) > 0 {
			st.Enabled = false
		}
	}
	for _, dir := range []string{".agents", ".agent", "_agents", "_agent"} {
		if r.Dir == "" {
			break
		}
		path := filepath.Join(r.Dir, dir, "hooks.json")
		local, err := a.book(i).read(path)
		if err != nil || local == nil {
			continue
		}
		if slices.ContainsFunc(rec.scan(local), func(e entry) bool { return e.kind == ours }) {
			s.Problems = append(s.Problems, path+" has entries of ours, too: where Antigravity reads it, each call is judged twice")
		}
	}
	s.States = append(s.States, st)
	return s, nil
}
