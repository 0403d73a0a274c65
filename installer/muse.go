package installer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/installer/jsonedit"
	"github.com/ec261362/guardrails/templates"
)

// muse is Meta's Muse Code. We write a bundle of two files; its user installs
// and approves it. Muse is never started, and nothing below its own folders is
// ever written.
type muse struct{}

func (muse) name() string { return "muse" }

func (muse) adapter() hook.Adapter { return adapters.Lookup("muse") }

func (m muse) found(i *Installer) string {
	if p := i.lookPath("muse"); p != "" {
		return p
	}
	home, err := m.home(i)
	if err != nil {
		return ""
	}
	for _, dir := range []string{home.config, home.data} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

// identity has no older forms yet: the bundle is replaced as a whole.
func (m muse) identity() identity {
	return identity{host: "muse", events: eventsOf(m.adapter()), script: readScript}
}

// reconciler wants the frozen command, a plain one: the login shell that runs it
// may be any (1.4.14, measured).
func (m muse) reconciler(i *Installer) reconciler {
	rec := reconciler{identity: m.identity()}
	line := strings.Join(append([]string{singleQuote(slash(i.Binary()))}, i.shellArgs("hook", "--agent", "muse")...), " ")
	for _, w := range wiringOf(m.adapter()) {
		rec.wanted = append(rec.wanted, wanted{wiring: w, command: command{program: line}})
	}
	return rec
}

func (m muse) speech(i *Installer) speech {
	s := speech{m.adapter(), []string{"hookSpecificOutput", "permissionDecision"}, i.env.Getenv("SHELL")}
	if !filepath.IsAbs(s.shell) || !executable(s.shell) {
		s.shell = ""
	}
	return s
}

// root is where the bundle of a scope is.
func (muse) root(i *Installer, r Request) string {
	if r.Scope == User {
		return filepath.Join(i.env.StateHome, "hosts", "muse")
	}
	return filepath.Join(r.Dir, ".guardrails", "muse-plugin")
}

// museScope is Muse's word for a scope.
func museScope(s Scope) string {
	if s == User {
		return "user"
	}
	return "project"
}

// folder is the bundle. Its bytes depend on nothing but the program's path: Muse's
// users approve them, and a change asks each of them again.
func (m muse) folder(i *Installer, r Request) (folder, error) {
	doc := jsonedit.Missing(jsonedit.Strict)
	for _, w := range m.reconciler(i).wanted {
		if err := doc.Append(w.group(), "hooks", w.wiring.Event); err != nil {
			return folder{}, err
		}
	}
	name := filepath.Join(".claude-plugin", "plugin.json")
	manifest, err := fs.ReadFile(templates.Muse(), filepath.ToSlash(name))
	if err != nil {
		return folder{}, err
	}
	return folder{
		root:    m.root(i, r),
		files:   []bundled{{filepath.Join("hooks", "hooks.json"), doc.Bytes()}, {name, manifest}},
		dirPerm: 0o755,
	}, nil
}

func (m muse) receipt(r Request, f folder) receipt {
	rec := receipt{Host: "muse", Scope: r.Scope.String(), Route: Plugin.String(), File: f.root}
	if r.Scope != User {
		rec.Dir = r.Dir
	}
	return rec
}

func (m muse) checks(i *Installer, r Request) error {
	if err := conflictOf(r, "Muse"); err != nil {
		return err
	}
	if err := unknownDir(r, "Muse"); err != nil {
		return err
	}
	if r.Route == Settings && !r.AnyRoute {
		return refuse("", "Muse rewrites its settings file and drops what it does not know; leave out --via settings")
	}
	if runtime.GOOS == "windows" {
		return &Refusal{"", errNotOnWindows}
	}
	if r.Scope != User && filepath.Join(r.Dir, ".guardrails") == i.env.StateHome {
		return refuse(r.Dir, "it is the folder of your state home, not a project; install with -g")
	}
	return i.tellable()
}

// above are the project's directories over the bundle, which a cloned
// repository could have made links.
func (m muse) above(r Request) []string {
	if r.Scope == User {
		return nil
	}
	return []string{filepath.Join(r.Dir, ".guardrails")}
}

func (m muse) planInstall(ctx context.Context, i *Installer, r Request) (*plan, error) {
	if err := m.checks(i, r); err != nil {
		return nil, err
	}
	home, err := m.home(i)
	if err != nil {
		return nil, err
	}
	f, err := m.folder(i, r)
	if err != nil {
		return nil, err
	}
	if err := f.check(m.above(r)...); err != nil {
		return nil, err
	}
	if extra := f.extra(); len(extra) > 0 {
		return nil, refuse(extra[0], "it does not belong into the bundle, and Muse's approval covers every byte there; move it away")
	}
	p := &plan{done: Installed, settled: Already, report: Report{Host: "muse", Scope: r.Scope, Route: Plugin}}
	p.report.add("note", f.root, "%s scope, as a bundle", r.Scope)
	if err := i.planFolder(ctx, r, p, f, m.receipt(r, f)); err != nil {
		return nil, err
	}
	p.proofs = func(ctx context.Context, run *run) error {
		st := State{Host: "muse", File: f.root}
		i.lookFolder(&st, f, f.files[0], m.reconciler(i), m.speech(i))
		return i.proveFolder(ctx, run, f, &st)
	}
	rec := home.record()
	m.closing(p, r, f, home, rec)
	return p, nil
}

// closing says what is the human's to do, from what Muse has on record now.
func (m muse) closing(p *plan, r Request, f folder, home museHome, rec museRecord) {
	p.partial = append(p.partial, rec.next(f, museScope(r.Scope))...)
	say := func(format string, args ...any) {
		p.after = append(p.after, Line{"note", "", fmt.Sprintf(format, args...)})
	}
	if len(p.partial) > 0 {
		say("if Muse says that plugins are not available in this build, put MUSE_EXPERIMENTAL_PLUGINS=1 before these commands")
		say("approving is yours to do: nobody else can tell Muse that you trust the bundle")
	}
	if r.Scope != User {
		say("project scope needs a workspace that Muse trusts, and is listed in every directory; the hook judges by the project it is called in")
		say("the bundle names a path of this machine: add /.guardrails/muse-plugin/ to .git/info/exclude")
	}
	if home.moved != "" {
		say("%s: Muse's hooks do not see that variable, and nobody has tried it: unqualified", home.moved)
	}
	say("restart running sessions: they do not gain the hook")
}

func (m muse) planUninstall(_ context.Context, i *Installer, r Request) (*plan, error) {
	if err := unknownDir(r, "Muse"); err != nil {
		return nil, err
	}
	p := &plan{done: Removed, settled: Absent, report: Report{Host: "muse", Scope: r.Scope, Route: Plugin}}
	all, was, err := i.readReceipts()
	if err != nil {
		return nil, err
	}
	f, err := m.folder(i, r)
	if err != nil {
		return nil, err
	}
	home, err := m.home(i)
	if err != nil {
		return nil, err
	}
	var looked []string
	rest, err := i.planFolderOut(r, p, all, &looked, f, m.receipt(r, f))
	if err != nil {
		return nil, err
	}
	if r.Scope == User {
		p.steps = append(p.steps, planRmdirs([]string{filepath.Dir(f.root)}, p.steps, true)...)
	}
	const remove = "muse plugins remove guardrails"
	switch rec := home.record(); {
	case rec.installed && (rec.source == "" || rec.source == f.root):
		p.partial = append(p.partial, remove)
		p.after = append(p.after, Line{"note", "", "Muse keeps and runs its own copy of the bundle until then"})
	case p.changes():
		p.after = append(p.after,
			Line{"print", "", remove},
			Line{"note", "", "where Muse has installed the bundle, it keeps and runs its own copy until then"})
	}
	if err := i.finishUninstall(r, p, all, rest, was, looked); err != nil {
		return nil, err
	}
	return p, nil
}

func (m muse) show(_ context.Context, i *Installer, r Request) (*Status, error) {
	s := i.status("muse")
	home, err := m.home(i)
	if err != nil {
		return nil, err
	}
	rec := home.record()
	s.Problems = append(s.Problems, rec.problems...)
	known := false
	for _, scope := range []Scope{Personal, User} {
		q := r
		q.Scope = scope
		if scope == Personal && (r.Dir == "" || filepath.Join(r.Dir, ".guardrails") == i.env.StateHome) {
			continue
		}
		f, err := m.folder(i, q)
		if err != nil {
			return nil, err
		}
		st := State{Host: "muse", Scope: scope.String(), Route: Plugin.String(), File: f.root}
		i.lookFolder(&st, f, f.files[0], m.reconciler(i), m.speech(i))
		known = known || rec.source == f.root
		if st.installed() || st.Broken || rec.installed && rec.source == f.root {
			rec.fill(&st, f, museScope(scope))
			for _, path := range f.extra() {
				st.problem("%s does not belong into the bundle: Muse's approval covers every byte there", path)
			}
			if scope == Personal {
				switch home.trust(r.Dir) {
				case "untrusted":
					st.Enabled = false
					st.problem("Muse does not trust the workspace %s, and runs no plugin of project scope there", r.Dir)
				case "":
					st.note("Muse has not been told whether it trusts %s; project scope needs that", r.Dir)
				}
			}
			if home.moved != "" {
				st.note("%s: unqualified, Muse's hooks do not see that variable", home.moved)
			}
		}
		s.States = append(s.States, st)
	}
	if home.moved != "" && !s.Installed() {
		s.Notes = append(s.Notes, home.moved+": unqualified, Muse's hooks do not see that variable")
	}
	if rec.installed && !known {
		if rec.source == "" {
			s.Notes = append(s.Notes, "Muse has a plugin guardrails; where it came from is not on record")
		} else if _, err := os.Stat(rec.source); errors.Is(err, fs.ErrNotExist) {
			s.Problems = append(s.Problems, fmt.Sprintf("Muse has the plugin guardrails from %s, which is gone: muse plugins remove guardrails, then init", rec.source))
		}
	}
	return s, nil
}
