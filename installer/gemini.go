package installer

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/installer/jsonedit"
	"github.com/ec261362/guardrails/templates"
)

// gemini is Gemini CLI. Its hooks are taken from settings files and from
// extensions; only those of an extension run whatever the host trusts (0.61.0,
// measured), so that is the default, for every scope: a copied folder loads
// without the host's own install command, but there is no extension of one
// project.
type gemini struct{}

func (gemini) name() string { return "gemini" }

func (gemini) adapter() hook.Adapter { return adapters.Lookup("gemini") }

func (g gemini) found(i *Installer) string {
	if p := i.lookPath("gemini"); p != "" {
		return p
	}
	dir, err := g.configDir(i, Request{})
	if err != nil {
		return ""
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries { // Antigravity lives in the same folder
		if !slices.Contains(antigravityFolders(), e.Name()) {
			return dir
		}
	}
	return ""
}

// configDir is the host's .gemini.
func (gemini) configDir(i *Installer, r Request) (string, error) {
	dir := r.ConfigDir
	if dir == "" {
		home := i.env.Getenv("GEMINI_CLI_HOME")
		if home == "" {
			home = i.env.Home
		}
		dir = filepath.Join(home, ".gemini")
	}
	if !filepath.IsAbs(dir) {
		return "", refuse("", "GEMINI_CLI_HOME leads to %q: it must be an absolute path", dir)
	}
	return filepath.Clean(dir), nil
}

// settings is the settings file of a scope.
func (g gemini) settings(i *Installer, r Request) (string, error) {
	if r.Scope == Personal {
		return filepath.Join(r.Dir, ".gemini", "settings.json"), nil
	}
	dir, err := g.configDir(i, r)
	return filepath.Join(dir, "settings.json"), err
}

func (g gemini) identity() identity {
	id := identity{host: "gemini", absent: []string{"exit 0"}, script: readScript}
	id.events = eventsOf(g.adapter())
	return id
}

// eventsOf lists the event names that a command line may carry.
func eventsOf(ad hook.Adapter) []string {
	var out []string
	for _, e := range ad.Capabilities().Events {
		out = append(out, string(e))
	}
	for _, w := range wiringOf(ad) {
		if !slices.Contains(out, w.Event) {
			out = append(out, w.Event)
		}
	}
	return out
}

func wiringOf(ad hook.Adapter) []hook.Wiring {
	w, ok := ad.(hook.Wirer)
	if !ok {
		return nil
	}
	return w.Wiring()
}

// reconciler wants one handler for each event, with the frozen command: silent
// where the program is missing, because a missing one blocks there, and at the
// end of a turn for ever (0.61.0, measured).
func (g gemini) reconciler(i *Installer) reconciler {
	rec := reconciler{identity: g.identity()}
	cmd := guarded(i.Binary(), "exit 0", i.shellArgs("hook", "--agent", "gemini")...)
	for _, w := range wiringOf(g.adapter()) {
		rec.wanted = append(rec.wanted, wanted{wiring: w, command: cmd, name: "guardrails", millis: true})
	}
	return rec
}

func (g gemini) speech() speech { return speech{g.adapter(), []string{"decision"}, "bash"} }

func (g gemini) book(s Scope) book {
	b := book{
		host: "gemini", title: "Gemini CLI", syntax: jsonedit.Comments, spoilt: "Gemini CLI does not start",
		perm: 0o600, dirPerm: 0o700, dot: ".gemini",
		defects: g.defects, identity: g.identity(), speech: g.speech(),
	}
	if s == Personal {
		b.perm, b.dirPerm = 0o644, 0o755
	}
	return b
}

// defects: a byte order mark ends the program with code 52, as does a syntax
// error (0.61.0, measured); whatever has a wrong type only costs itself.
func (gemini) defects(doc *jsonedit.Doc) (fatal, old []defect) {
	if doc.BOM() {
		fatal = append(fatal, defect{"1:1", "a byte order mark"})
	}
	return fatal, nil
}

// folder is the extension. Without its manifest the host passes it over, so
// that is written last.
func (g gemini) folder(i *Installer, r Request) (folder, error) {
	dir, err := g.configDir(i, r)
	if err != nil {
		return folder{}, err
	}
	doc := jsonedit.Missing(jsonedit.Strict)
	for _, w := range g.reconciler(i).wanted {
		if err := doc.Append(w.group(), "hooks", w.wiring.Event); err != nil {
			return folder{}, err
		}
	}
	manifest, err := fs.ReadFile(templates.Gemini(), "gemini-extension.json")
	if err != nil {
		return folder{}, err
	}
	return folder{
		root:    filepath.Join(dir, "extensions", "guardrails"),
		files:   []bundled{{filepath.Join("hooks", "hooks.json"), doc.Bytes()}, {"gemini-extension.json", manifest}},
		dirPerm: 0o700,
	}, nil
}

func (g gemini) receipt(r Request, route Route, file string) receipt {
	rec := receipt{Host: "gemini", Scope: User.String(), Route: route.String(), File: file, ConfigDir: r.ConfigDir}
	if route == Settings && r.Scope == Personal {
		rec.Scope, rec.Dir = Personal.String(), r.Dir
	}
	return rec
}

func (g gemini) planInstall(ctx context.Context, i *Installer, r Request) (*plan, error) {
	if err := conflictOf(r, "Gemini CLI"); err != nil {
		return nil, err
	}
	if runtime.GOOS == "windows" {
		return nil, &Refusal{"", errNotOnWindows}
	}
	if err := i.tellable(); err != nil {
		return nil, err
	}
	if r.Route == Settings && !r.AnyRoute {
		return g.planSettings(ctx, i, r)
	}
	f, err := g.folder(i, r)
	if err != nil {
		return nil, err
	}
	if err := g.foreign(i, f); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	p := &plan{done: Installed, settled: Already, report: Report{Host: "gemini", Scope: User, Route: Plugin}}
	p.report.add("note", f.root, "an extension, for every project of this user: Gemini CLI has none for one project, and runs no other hooks where it does not trust the folder")
	if err := i.planFolder(ctx, r.onlyStarter(), p, f, g.receipt(r, Plugin, f.root)); err != nil {
		return nil, err
	}
	p.proofs = func(ctx context.Context, run *run) error {
		st := g.extension(i, r, f)
		return i.proveFolder(ctx, run, f, &st)
	}
	g.closing(i, r, p, f.root)
	return p, nil
}

// onlyStarter is r where nothing but a configuration file goes into the project.
func (r Request) onlyStarter() Request {
	if r.Starter == "" {
		r.Scope = User
	}
	return r
}

// foreign refuses an extension of the same name that is not ours.
func (g gemini) foreign(i *Installer, f folder) error {
	if info, err := os.Lstat(f.root); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return refuse(f.root, "it is a symbolic link; remove it (gemini extensions uninstall guardrails)")
	}
	linked := filepath.Join(f.root, ".gemini-extension-install.json")
	if _, err := os.Lstat(linked); err == nil {
		return refuse(f.root, "an extension named guardrails was installed there by gemini itself; run gemini extensions uninstall guardrails first")
	}
	manifest, _, err := readFile(filepath.Join(f.root, "gemini-extension.json"))
	if err != nil {
		return &Refusal{f.root, unwrapPath(err)}
	}
	if manifest == nil || digest(manifest) == digest(f.files[len(f.files)-1].data) {
		return nil // nothing there, or ours
	}
	all, _, err := i.readReceipts()
	if err != nil {
		return err
	}
	if _, known := all.find(g.receipt(Request{}, Plugin, f.root)); known {
		return nil
	}
	hooks, _, err := readFile(filepath.Join(f.root, "hooks", "hooks.json"))
	if err != nil {
		return &Refusal{f.root, unwrapPath(err)}
	}
	if doc, err := jsonedit.Parse(hooks, jsonedit.Strict); err == nil {
		if slices.ContainsFunc(g.identity().scan(doc), func(e entry) bool { return e.kind == ours }) {
			return nil
		}
	}
	return refuse(f.root, "an extension of that name is there and is not ours; move it away")
}

func (g gemini) planSettings(ctx context.Context, i *Installer, r Request) (*plan, error) {
	file, err := g.settings(i, r)
	if err != nil {
		return nil, err
	}
	if i.env.Getenv("b") != "" {
		return nil, refuse("", "the environment has a variable named b, which Gemini CLI would put into the command in its settings; unset it, or install as an extension")
	}
	p, err := g.book(r.Scope).planInstall(ctx, i, r, g.reconciler(i), file, nil)
	if err != nil {
		return nil, err
	}
	if r.Scope == Personal {
		p.after = append(p.after,
			Line{"note", "", fmt.Sprintf("covers sessions started in %s only, and only while Gemini CLI trusts that folder", r.Dir)},
			Line{"note", "", "the file names a path of this machine: keep it out of commits (.git/info/exclude)"})
	} else {
		p.after = append(p.after, Line{"note", "", "covers every project that Gemini CLI trusts"})
	}
	g.closing(i, r, p, file)
	return p, nil
}

func (g gemini) closing(i *Installer, r Request, p *plan, file string) {
	p.partial = append(p.partial, g.switchedOff(i, r, true)...)
	s, err := g.show(context.Background(), i, r)
	if err == nil {
		for _, st := range s.States {
			if st.installed() && st.File != file {
				p.after = append(p.after, Line{"warn", "", fmt.Sprintf("also installed in %s: Gemini CLI runs a command once, however often it is named for an event", st.File)})
			}
		}
	}
	if p.changes() {
		p.after = append(p.after, Line{"note", "", "restart running sessions"})
	}
}

func (g gemini) planUninstall(_ context.Context, i *Installer, r Request) (*plan, error) {
	p := &plan{done: Removed, settled: Absent, report: Report{Host: "gemini", Scope: r.Scope, Route: r.Route}}
	all, was, err := i.readReceipts()
	if err != nil {
		return nil, err
	}
	rest := all
	var looked []string
	if r.AnyRoute || r.Route == Plugin {
		f, err := g.folder(i, r)
		if err != nil {
			return nil, err
		}
		if err := g.foreign(i, f); err == nil {
			if rest, err = i.planFolderOut(r, p, rest, &looked, f, g.receipt(r, Plugin, f.root)); err != nil {
				return nil, err
			}
		} else {
			p.report.add("keep", f.root, "%v", err)
		}
	}
	if (r.AnyRoute || r.Route == Settings) && r.Scope != Shared {
		file, err := g.settings(i, r)
		if err != nil {
			return nil, err
		}
		by := g.reconciler(i).wanted[0].command.String()
		if rest, err = g.book(r.Scope).planOut(i, r, p, rest, &looked, file, by); err != nil {
			return nil, err
		}
	}
	if err := i.finishUninstall(r, p, all, rest, was, looked); err != nil {
		return nil, err
	}
	return p, nil
}

// settingsFiles are the files that the host reads for r: the organisation's
// defaults and settings, the user's, the folder's.
func (g gemini) settingsFiles(i *Installer, r Request) []string {
	dir := i.env.Managed
	if dir == "" {
		switch runtime.GOOS {
		case "darwin":
			dir = "/Library/Application Support/GeminiCli"
		case "windows":
			dir = `C:\ProgramData\gemini-cli`
		default:
			dir = "/etc/gemini-cli"
		}
	}
	system := i.env.Getenv("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
	if system == "" {
		system = filepath.Join(dir, "settings.json")
	}
	out := []string{filepath.Join(dir, "system-defaults.json"), system}
	for _, s := range []Scope{User, Personal} {
		if s == Personal && r.Dir == "" {
			continue
		}
		q := r
		q.Scope = s
		if f, err := g.settings(i, q); err == nil && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// switchedOff says what keeps the host from running our hooks: hooksConfig of
// any file, and, for the extension, that it was disabled or that only those of
// named sources load (0.61.0, measured).
func (g gemini) switchedOff(i *Installer, r Request, extension bool) []string {
	var out []string
	for _, f := range g.settingsFiles(i, r) {
		doc, err := g.book(User).read(f)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		if doc == nil {
			continue
		}
		if string(doc.At("hooksConfig", "enabled").Raw()) == "false" {
			out = append(out, "hooksConfig.enabled is false in "+f+": no hook runs")
		}
		if extension && doc.At("security", "allowedExtensions").Len() > 0 {
			out = append(out, "security.allowedExtensions in "+f+" names the sources of extensions, and ours has none: it is not loaded; install with --via settings")
		}
		disabled := doc.At("hooksConfig", "disabled")
		for n := range disabled.Len() {
			if text := disabled.Index(n).Text(); text == "guardrails" || mentions(text) {
				out = append(out, "hooksConfig.disabled in "+f+" names ours: gemini's /hooks enable guardrails")
			}
		}
	}
	if extension {
		if dir, err := g.configDir(i, r); err == nil && g.extensionOff(dir, r.Dir) {
			out = append(out, "the extension is disabled for this folder: gemini extensions enable guardrails")
		}
	}
	return out
}

// oldSwitches names what kept hooks off before hooksConfig came (0.26.0): newer
// clients do not ask for it.
func (g gemini) oldSwitches(i *Installer, r Request) []string {
	var out []string
	for _, f := range g.settingsFiles(i, r) {
		doc, err := g.book(User).read(f)
		if err != nil || doc == nil {
			continue
		}
		for _, path := range [][]string{{"tools", "enableHooks"}, {"hooks", "enabled"}} {
			if string(doc.At(path[0], path[1]).Raw()) == "false" {
				out = append(out, fmt.Sprintf("%s is false in %s: Gemini CLI before 0.26.0 runs no hook then; set it to true, or update", strings.Join(path, "."), f))
			}
		}
	}
	return out
}

// extensionOff reads the rules by which the host switches an extension off for
// folders: the last that matches counts; "!" switches off, a trailing "*"
// includes what is below (0.61.0, measured).
func (gemini) extensionOff(configDir, dir string) bool {
	data, err := fsx.ReadFile(filepath.Join(configDir, "extensions", "extension-enablement.json"), maxConfig)
	if err != nil {
		return false
	}
	doc, err := jsonedit.Parse(data, jsonedit.JSONC)
	if err != nil {
		return false
	}
	if dir == "" {
		dir = string(filepath.Separator)
	}
	bounded := func(p string) string { return "/" + strings.Trim(filepath.ToSlash(p), "/") + "/" }
	off := false
	rules := doc.At("guardrails", "overrides")
	for n := range rules.Len() {
		rule := rules.Index(n).Text()
		rule, deny := strings.CutPrefix(rule, "!")
		rule, below := strings.CutSuffix(rule, "*")
		base, at := bounded(rule), bounded(dir)
		if base == "//" {
			base = "/"
		}
		if at == base || below && strings.HasPrefix(at, base) {
			off = deny
		}
	}
	return off
}

// trusted says what the host thinks of a folder: "trusted", "not trusted", or ""
// where it has not asked yet.
func (g gemini) trusted(i *Installer, r Request) string {
	dir, err := g.configDir(i, r)
	if err != nil {
		return ""
	}
	if doc, err := g.book(User).read(filepath.Join(dir, "settings.json")); err == nil && doc != nil && string(doc.At("security", "folderTrust", "enabled").Raw()) == "false" {
		return "trusted"
	}
	data, err := fsx.ReadFile(filepath.Join(dir, "trustedFolders.json"), maxConfig)
	if err != nil {
		return ""
	}
	doc, err := jsonedit.Parse(data, jsonedit.JSONC)
	if err != nil {
		return ""
	}
	best, word := "", ""
	for _, path := range doc.Root().Keys() {
		level := doc.At(path).Text()
		if level == "TRUST_PARENT" {
			path = filepath.Dir(path)
		}
		if (r.Dir == path || strings.HasPrefix(r.Dir, strings.TrimSuffix(path, "/")+"/")) && len(path) >= len(best) {
			best, word = path, "trusted"
			if level == "DO_NOT_TRUST" {
				word = "not trusted"
			}
		}
	}
	return word
}

func (g gemini) show(_ context.Context, i *Installer, r Request) (*Status, error) {
	s := i.status("gemini")
	f, err := g.folder(i, r)
	if err != nil {
		return nil, err
	}
	s.States = append(s.States, g.extension(i, r, f))
	off := g.switchedOff(i, r, false)
	for _, scope := range []Scope{Personal, User} {
		q := r
		q.Scope = scope
		if scope == Personal && r.Dir == "" {
			continue
		}
		file, err := g.settings(i, q)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(s.States, func(st State) bool { return st.File == file }) {
			continue
		}
		st := State{Host: "gemini", Scope: scope.String(), Route: Settings.String(), File: file, Enabled: len(off) == 0}
		g.book(scope).lookAt(i, g.reconciler(i), &st, sessionDir(q))
		if st.installed() {
			st.Problems = append(st.Problems, off...)
			switch g.trusted(i, r) {
			case "not trusted":
				st.Enabled = false
				st.problem("Gemini CLI does not trust %s, and runs no hook from a settings file there; the extension would run", r.Dir)
			case "":
				st.note("Gemini CLI has not been asked whether it trusts %s; only an extension's hooks run until then", r.Dir)
			}
		}
		s.States = append(s.States, st)
	}
	s.Notes = append(s.Notes, g.oldSwitches(i, r)...)
	if places := s.places(); len(places) > 1 {
		s.Notes = append(s.Notes, fmt.Sprintf("installed in %d places, which is one too many but harmless: Gemini CLI runs a command once for an event, however often it is named: %s", len(places), strings.Join(places, ", ")))
	}
	return s, nil
}

// extension is the state of the extension's folder.
func (g gemini) extension(i *Installer, r Request, f folder) State {
	st := State{Host: "gemini", Scope: User.String(), Route: Plugin.String(), File: f.root}
	off := g.switchedOff(i, r, true)
	st.Enabled = len(off) == 0
	i.lookFolder(&st, f, f.files[0], g.reconciler(i), g.speech())
	if st.installed() || st.Broken {
		st.Problems = append(st.Problems, off...)
	}
	return st
}

// lookFolder fills in the state of a folder whose file hooks has our entries.
func (i *Installer) lookFolder(st *State, f folder, hooks bundled, rec reconciler, s speech) {
	st.Wanted, st.speech = len(rec.wanted), s
	missing, edited := f.differs()
	if len(missing) == len(f.files) {
		return
	}
	for _, path := range missing {
		st.problem("%s is missing; init puts it back", path)
	}
	for _, path := range edited {
		st.problem("%s is not as this build writes it; init mends it", path)
	}
	data, _, err := readFile(f.path(hooks))
	if err != nil || data == nil {
		st.Broken = true
		return
	}
	doc, err := jsonedit.Parse(data, jsonedit.Strict)
	if err != nil {
		st.Broken = true
		st.problem("%s: %v", f.path(hooks), err)
		return
	}
	b := book{title: "", identity: rec.identity, speech: s}
	b.look(i, rec, doc, st, "")
	st.Current = st.Current && len(missing)+len(edited) == 0
	st.Broken = st.Registered == 0
}

func (g gemini) rehearse(_ *Installer, _ Request, st *State) (r Rehearsal, err error) {
	if st.Route == Plugin.String() {
		r.Files = map[string][]byte{}
		err := filepath.WalkDir(st.File, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fsx.ReadFile(path, maxConfig)
			rel, rerr := filepath.Rel(st.File, path)
			if err != nil || rerr != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			r.Files[filepath.Join(".gemini", "extensions", "guardrails", rel)] = data
			return nil
		})
		return r, err
	}
	doc, err := g.book(User).read(st.File)
	if err != nil || doc == nil {
		return r, fmt.Errorf("%s: it cannot be read any more: %w", st.File, err)
	}
	settings := map[string]any{}
	if off := doc.At("hooksConfig"); off.Kind() != jsonedit.Invalid {
		settings["hooksConfig"] = json.RawMessage(off.Raw())
	}
	if r.Hooks, err = g.identity().ownHooks(doc); err != nil {
		return r, err
	}
	settings["hooks"] = r.Hooks
	data, err := json.Marshal(settings)
	r.Files = map[string][]byte{filepath.Join(".gemini", "settings.json"): data}
	return r, err
}
