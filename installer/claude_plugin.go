package installer

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/proc"
	"github.com/ec261362/guardrails/installer/jsonedit"
	"github.com/ec261362/guardrails/templates"
)

// The names under which Claude Code knows the bundle.
const (
	marketplace = "guardrails"
	pluginID    = "guardrails@" + marketplace
)

// bundleDir is the marketplace. Claude Code runs the plugin from there, not from
// its cache (2.1.197 and 2.1.332, measured), so it must stay where it is.
func (claude) bundleDir(i *Installer) string {
	return filepath.Join(i.env.StateHome, "hosts", "claude")
}

func (c claude) bundleProgram(i *Installer) string {
	return filepath.Join(c.bundleDir(i), "plugins", "guardrails", "bin", binName())
}

// pluginScope is the host's word for a scope.
func pluginScope(s Scope) string {
	if s == User {
		return "user"
	}
	return "local"
}

// bundle returns the text files of the marketplace by relative path.
func (c claude) bundle(i *Installer) (map[string][]byte, error) {
	version := canonical(i.env.Version)
	if version == "" {
		version = "v0.0.0-devel"
	}
	fill := strings.NewReplacer("{{version}}", strings.TrimPrefix(version, "v"))
	out := map[string][]byte{}
	files := templates.Claude()
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		out[filepath.FromSlash(path)] = []byte(fill.Replace(string(data)))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the bundle's templates: %w", err)
	}
	hooks, err := c.bundleHooks(i)
	if err != nil {
		return nil, err
	}
	out[filepath.Join("plugins", "guardrails", "hooks", "hooks.json")] = hooks
	return out, nil
}

// bundleHooks is the plugin's hooks.json. It names only events that 2.1.197
// knows: there an unknown one keeps every hook of the plugin from loading
// (measured).
func (c claude) bundleHooks(i *Installer) ([]byte, error) {
	doc := jsonedit.Missing(jsonedit.Strict)
	for _, w := range c.wiring() {
		if w.SettingsOnly {
			continue
		}
		if err := doc.Append(c.pluginWanted(i, w).group(), "hooks", w.Event); err != nil {
			return nil, err
		}
	}
	return doc.Bytes(), nil
}

func (claude) pluginWanted(i *Installer, w hook.Wiring) wanted {
	return wanted{wiring: w, command: command{program: claudePlugin, args: append([]string{"hook", "--agent", "claude"}, i.moved()...)}, block: w.Block}
}

func (c claude) planPlugin(ctx context.Context, i *Installer, r Request) (*plan, error) {
	if r.Scope == Shared {
		return nil, refuse("", "--shared --via plugin would commit a machine path: Claude Code writes the marketplace's absolute path; use --shared alone")
	}
	file, err := c.file(i, r) // where the host notes the plugin
	if err != nil {
		return nil, err
	}
	if err := c.book().checkPlace(r, file); err != nil {
		return nil, err
	}
	data, _, err := readFile(file)
	if err != nil {
		return nil, &Refusal{file, unwrapPath(err)}
	}
	doc, err := c.parse(file, data)
	if err != nil {
		return nil, err
	}
	all, receiptWas, err := i.readReceipts()
	if err != nil {
		return nil, err
	}
	p := &plan{done: Installed, settled: Already, report: Report{Host: "claude", Scope: r.Scope, Route: Plugin}}
	p.report.add("note", file, "%s scope, as the plugin %s", r.Scope, pluginID)

	project, err := planProject(p, r)
	if err != nil {
		return nil, err
	}
	p.steps = append(p.steps, project...)
	rcpt := receipt{Host: "claude", Scope: r.Scope.String(), Route: Plugin.String(), File: file, Existed: data != nil, ConfigDir: r.ConfigDir}
	if r.Scope != User {
		rcpt.Dir = r.Dir
	}
	have, known := all.find(rcpt)
	if known {
		rcpt.Existed, rcpt.Backup, rcpt.MadeDirs = have.Existed, have.Backup, have.MadeDirs
	}
	on := isTrue(doc.At("enabledPlugins", pluginID)) && c.marketplaceAt(doc) == c.bundleDir(i)
	if !known && !on {
		if data != nil {
			steps, backup, err := i.planBackup(file, data)
			if err != nil {
				return nil, err
			}
			p.steps, rcpt.Backup = append(p.steps, steps...), backup
		}
		missing, err := missingDirs(filepath.Dir(file)) // the host makes these
		if err != nil {
			return nil, err
		}
		for _, d := range missing {
			if filepath.Base(d) == ".claude" {
				rcpt.MadeDirs = append(rcpt.MadeDirs, d)
			}
		}
	}
	bundle, files, err := c.planBundle(ctx, i, r, p)
	if err != nil {
		return nil, err
	}
	p.steps = append(p.steps, bundle...)
	rcpt.Files = files
	bin, kept, err := i.planBinary(ctx, r.Force)
	if err != nil {
		return nil, err
	}
	if kept != "" {
		p.report.add("keep", i.Binary(), "version %s is newer than this one, %s; --force replaces it", kept, i.env.Version)
	}
	p.steps = append(p.steps, bin...)
	s, err := i.planReceipt(all, receiptWas, rcpt)
	if err != nil {
		return nil, err
	}
	p.steps = append(p.steps, s...)

	program := i.lookPath("claude")
	add := []string{"plugin", "marketplace", "add", c.bundleDir(i), "--scope", pluginScope(r.Scope)}
	install := []string{"plugin", "install", pluginID, "--scope", pluginScope(r.Scope)}
	switch {
	case on:
	case program == "":
		where := ""
		if r.Scope != User {
			where = "in " + r.Dir + ": "
		}
		p.partial = append(p.partial,
			"there is no claude on PATH; run yourself, "+where+typed(add),
			where+typed(install))
	default:
		p.steps = append(p.steps,
			&restoreStep{file: file, old: data},
			c.hostStep(i, r, program, add, []string{"plugin", "marketplace", "remove", marketplace}),
			c.hostStep(i, r, program, install, []string{"plugin", "uninstall", pluginID, "--scope", pluginScope(r.Scope)}))
	}
	p.proofs = func(ctx context.Context, run *run) error {
		return c.provePlugin(ctx, run, r, program)
	}
	c.closing(i, r, p, file)
	return p, nil
}

// restoreStep does nothing but promise, should the run fail, that the host's
// settings file ends as it was.
type restoreStep struct {
	file string
	old  []byte
}

func (s *restoreStep) line() (Line, bool) { return Line{}, false }

func (s *restoreStep) do(r *run) error {
	r.onUndo("restored "+s.file, "restore "+s.file+" from its backup", func() error {
		now, was, err := readFile(s.file)
		switch {
		case err != nil:
			return err
		case now == nil && s.old == nil, now != nil && digest(now) == digest(s.old) && s.old != nil:
			return nil
		case s.old != nil:
			return r.disk.Write(s.file, s.old, 0o644, was)
		case hollow(now):
			return r.disk.Remove(s.file)
		default:
			return fmt.Errorf("%w: it holds more than ours", fsx.ErrChanged)
		}
	})
	return nil
}

// typed writes a claude command as a person would type it.
func typed(args []string) string {
	var b strings.Builder
	b.WriteString("claude")
	for _, a := range args {
		if strings.ContainsAny(a, " '\"$\\`") {
			a = singleQuote(a)
		}
		b.WriteString(" " + a)
	}
	return b.String()
}

// hostCmd runs the host's own program, in its person's environment and in the
// project, for it takes the scope's file from where it stands.
func (c claude) hostCmd(i *Installer, r Request, program string, args ...string) proc.Cmd {
	env := slices.Clone(i.env.Environ)
	if r.ConfigDir != "" {
		env = append(env, "CLAUDE_CONFIG_DIR="+r.ConfigDir)
	}
	dir := r.Dir
	if r.Scope == User || dir == "" {
		dir = i.env.Home
	}
	return proc.Cmd{Argv: append([]string{program}, args...), Dir: dir, Env: env, Timeout: 2 * time.Minute}
}

// hostStep runs the host's program, and back if need be.
func (c claude) hostStep(i *Installer, r Request, program string, args, back []string) *runStep {
	undo := c.hostCmd(i, r, program, back...)
	return &runStep{cmd: c.hostCmd(i, r, program, args...), text: typed(args), undo: &undo, undone: typed(back)}
}

// planBundle writes the marketplace's files that differ.
func (c claude) planBundle(ctx context.Context, i *Installer, r Request, p *plan) (steps []step, files []owned, err error) {
	texts, err := c.bundle(i)
	if err != nil {
		return nil, nil, err
	}
	root := c.bundleDir(i)
	made := map[string]bool{}
	dirs := func(dir string) error {
		missing, err := missingDirs(dir)
		for _, d := range missing {
			if !made[d] {
				made[d] = true
				perm := fs.FileMode(0o755)
				if d == i.env.StateHome {
					perm = 0o700
				}
				steps = append(steps, &dirStep{path: d, perm: perm})
			}
		}
		return err
	}
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		path := filepath.Join(root, name)
		files = append(files, owned{path, digest(texts[name])})
		old, was, err := readFile(path)
		if err != nil {
			return nil, nil, &Refusal{path, unwrapPath(err)}
		}
		if old != nil && digest(old) == digest(texts[name]) {
			continue
		}
		if err := dirs(filepath.Dir(path)); err != nil {
			return nil, nil, err
		}
		steps = append(steps, &fileStep{path: path, data: texts[name], perm: 0o644, was: was, old: old})
	}
	self, err := fsx.ReadFile(i.env.Self, maxProgram)
	if err != nil {
		return nil, nil, refuse(i.env.Self, "the running program cannot be read: %w", err)
	}
	program := c.bundleProgram(i)
	old, idle, err := installed(program)
	if err != nil {
		return nil, nil, err
	}
	if old != nil && !idle && digest(old) != digest(self) && !r.Force {
		if have := i.versionOf(ctx, program); newer(have, i.env.Version) {
			p.report.add("keep", program, "version %s is newer than this one, %s; --force replaces it", have, i.env.Version)
			return steps, append(files, owned{program, digest(old)}), nil
		}
	}
	files = append(files, owned{program, digest(self)})
	if old == nil || idle || digest(old) != digest(self) {
		if err := dirs(filepath.Dir(program)); err != nil {
			return nil, nil, err
		}
		steps = append(steps, &execStep{path: program, data: self, old: old, text: "this program, version " + i.env.Version})
	}
	return steps, files, nil
}

// marketplaceAt is where a settings file says that our marketplace is.
func (claude) marketplaceAt(doc *jsonedit.Doc) string {
	return doc.At("extraKnownMarketplaces", marketplace, "source", "path").Text()
}

// provePlugin asks the host what it loads and runs the bundle's command.
func (c claude) provePlugin(ctx context.Context, run *run, r Request, program string) error {
	if program != "" {
		if err := c.listed(ctx, run.i, r, program); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(filepath.Join(c.bundleDir(run.i), "plugins", "guardrails", "hooks", "hooks.json"))
	if err != nil {
		return fmt.Errorf("read it again: %w", err)
	}
	doc, err := jsonedit.Parse(data, jsonedit.Strict)
	if err != nil {
		return fmt.Errorf("the bundle's hooks.json: %w", err)
	}
	rec := reconciler{identity: c.identity()}
	for _, w := range c.wiring() {
		if !w.SettingsOnly {
			rec.wanted = append(rec.wanted, c.pluginWanted(run.i, w))
		}
	}
	found, _ := rec.match(doc)
	for _, f := range found {
		if f.entry == nil || !f.current {
			return fmt.Errorf("the bundle's hooks.json has no handler for %s", f.wanted.wiring.Event)
		}
	}
	speech := c.speech()
	cmd := speech.command(found[0].entry.node)
	cmd.program = strings.ReplaceAll(cmd.program, "${CLAUDE_PLUGIN_ROOT}", filepath.Join(c.bundleDir(run.i), "plugins", "guardrails"))
	if err := run.i.prove(ctx, speech, cmd, found[0].wanted.wiring, ""); err != nil {
		return err
	}
	run.report.add("prove", "", "the plugin's command denied a recursive delete of a home and let git status pass")
	return nil
}

// listed asks the host whether it has the plugin, enabled.
func (c claude) listed(ctx context.Context, i *Installer, r Request, program string) error {
	ran, err := i.env.Run(ctx, c.hostCmd(i, r, program, "plugin", "list", "--json"))
	if err != nil {
		return fmt.Errorf("claude plugin list: %w", err)
	}
	if ran.ExitCode != 0 {
		return fmt.Errorf("claude plugin list: exit code %d: %s", ran.ExitCode, clip(ran))
	}
	var list []struct {
		ID      string   `json:"id"`
		Enabled bool     `json:"enabled"`
		Errors  []string `json:"errors"`
	}
	if err := json.Unmarshal(ran.Stdout, &list); err != nil {
		return fmt.Errorf("claude plugin list --json: %w: %s", err, clip(ran))
	}
	for _, e := range list {
		if e.ID == pluginID && e.Enabled && len(e.Errors) == 0 {
			return nil
		}
	}
	return fmt.Errorf("claude plugin list does not name %s as enabled: %s", pluginID, clip(ran))
}

// planPluginOut takes the plugin out of the scope.
func (c claude) planPluginOut(ctx context.Context, i *Installer, r Request, p *plan, rest receipts, looked *[]string) (receipts, error) {
	_ = ctx
	if r.Scope == Shared {
		return rest, nil
	}
	file, err := c.file(i, r)
	if err != nil {
		return rest, err
	}
	if !slices.Contains(*looked, file) {
		*looked = append(*looked, file)
	}
	*looked = append(*looked, c.bundleDir(i))
	like := receipt{Host: "claude", Route: Plugin.String(), File: file}
	rec, known := rest.find(like)
	data, _, err := readFile(file)
	if err != nil {
		return rest, &Refusal{file, unwrapPath(err)}
	}
	noted := false
	if data != nil {
		doc, err := c.parse(file, data)
		if err != nil {
			if !known && !r.AnyRoute {
				return rest, err
			}
			if strings.Contains(string(data), pluginID) {
				return rest, err
			}
		} else {
			noted = doc.At("enabledPlugins", pluginID).Kind() != jsonedit.Invalid || doc.At("extraKnownMarketplaces", marketplace).Kind() != jsonedit.Invalid
		}
	}
	after := rest.without(like)
	others := slices.ContainsFunc(after.Installs, func(o receipt) bool { return o.Host == "claude" && o.Route == Plugin.String() })
	program := i.lookPath("claude")
	if noted || known {
		var was []byte
		if rec.Backup != "" {
			if was, err = os.ReadFile(rec.Backup); err != nil {
				was = nil
			}
		}
		if data != nil {
			steps, _, err := i.planBackup(file, data)
			if err != nil {
				return rest, err
			}
			p.steps = append(p.steps, steps...)
		}
		if program != "" {
			un := []string{"plugin", "uninstall", pluginID, "--scope", pluginScope(r.Scope)}
			p.steps = append(p.steps, &runStep{cmd: c.hostCmd(i, r, program, un...), text: typed(un), check: gone})
			if !others {
				rm := []string{"plugin", "marketplace", "remove", marketplace}
				p.steps = append(p.steps, &runStep{cmd: c.hostCmd(i, r, program, rm...), text: typed(rm), check: gone})
			}
		} else {
			p.after = append(p.after, Line{"note", "", "there is no claude on PATH: its own lists of plugins keep a line for guardrails, which does nothing"})
		}
		p.steps = append(p.steps, &tidyStep{c: c, file: file, existed: !known || rec.Existed, backup: was})
		p.steps = append(p.steps, planRmdirs(rec.MadeDirs, p.steps, true)...)
	}
	if others {
		p.after = append(p.after, Line{"keep", c.bundleDir(i), "another install uses the bundle"})
		return after, nil
	}
	steps, err := c.planBundleRemoval(i, r, p, rec)
	if err != nil {
		return rest, err
	}
	p.steps = append(p.steps, steps...)
	return after, nil
}

// gone accepts that there was nothing to remove.
func gone(ran proc.Result) error {
	said := string(ran.Stdout) + string(ran.Stderr)
	if ran.ExitCode == 0 || strings.Contains(said, "not found") || strings.Contains(said, "not installed") || strings.Contains(said, "No plugin") {
		return nil
	}
	return fmt.Errorf("exit code %d: %s", ran.ExitCode, clip(ran))
}

// tidyStep takes out of the settings file what the host left of us, or what it
// could not take out itself, and gives the file its old bytes back when nothing
// else has changed.
type tidyStep struct {
	c       claude
	file    string
	existed bool
	backup  []byte
}

func (s *tidyStep) line() (Line, bool) {
	return Line{"update", s.file, "without the plugin"}, true
}

func (s *tidyStep) do(r *run) error {
	data, was, err := readFile(s.file)
	if err != nil {
		return err
	}
	if data == nil {
		return nil
	}
	doc, err := s.c.parse(s.file, data)
	if err != nil {
		return err
	}
	for _, path := range [][]any{{"enabledPlugins", pluginID}, {"extraKnownMarketplaces", marketplace}} {
		if err := doc.Remove(path...); err != nil {
			return err
		}
	}
	now := doc.Bytes()
	switch {
	case s.backup != nil && alike(now, s.backup):
		now = s.backup
	case !s.existed && hollow(now):
		f := &removeStep{path: s.file, was: was, old: data, perm: 0o644}
		return f.do(r)
	case doc.Gone():
		now = []byte("{}\n")
	}
	if digest(now) == digest(data) {
		return nil
	}
	f := &fileStep{path: s.file, data: now, perm: 0o644, was: was, old: data}
	return f.do(r)
}

// hollow reports whether a settings file says nothing: it is empty, or has only
// empty members of the plugin keys.
func hollow(data []byte) bool {
	return alike(data, []byte("{}"))
}

// alike reports whether two settings files say the same, empty plugin lists
// aside.
func alike(a, b []byte) bool {
	x, okA := meaning(a)
	y, okB := meaning(b)
	return okA && okB && x == y
}

func meaning(data []byte) (string, bool) {
	if len(strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff"))) == 0 {
		data = []byte("{}")
	}
	dec := json.NewDecoder(strings.NewReader(strings.TrimPrefix(string(data), "\ufeff")))
	dec.UseNumber()
	var v map[string]any
	if dec.Decode(&v) != nil {
		return "", false
	}
	for _, key := range []string{"enabledPlugins", "extraKnownMarketplaces"} {
		if m, ok := v[key].(map[string]any); ok && len(m) == 0 {
			delete(v, key)
		}
	}
	out, err := json.Marshal(v)
	return string(out), err == nil
}

// planBundleRemoval removes the bundle's files; those that somebody edited stay.
func (c claude) planBundleRemoval(i *Installer, r Request, p *plan, rec receipt) ([]step, error) {
	root := c.bundleDir(i)
	files := rec.Files
	if len(files) == 0 { // the receipt is lost: what this build would write is ours
		texts, err := c.bundle(i)
		if err != nil {
			return nil, err
		}
		for name, data := range texts {
			files = append(files, owned{filepath.Join(root, name), digest(data)})
		}
		if data, _, err := installed(c.bundleProgram(i)); err == nil && data != nil {
			files = append(files, owned{c.bundleProgram(i), digest(data)})
		}
		slices.SortFunc(files, func(a, b owned) int { return strings.Compare(a.Path, b.Path) })
	}
	steps, err := i.planFilesOut(p, root, files, r.Force)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	return append(steps, planRmdirs([]string{filepath.Dir(root)}, steps, true)...), nil
}

// addUnregistered adds the plugins that init prepared for this place and Claude Code
// does not know: nothing of ours is there, and why is said of the host. What cannot
// be read Doctor names.
func (c claude) addUnregistered(i *Installer, r Request, s *Status) {
	all, _, err := i.readReceipts()
	if err != nil {
		return
	}
	for _, rec := range all.Installs {
		if rec.Host != "claude" || rec.Route != Plugin.String() || rec.Dir != "" && rec.Dir != r.Dir {
			continue
		}
		if !slices.ContainsFunc(s.States, func(st State) bool { return st.File == rec.File && st.Route == rec.Route }) {
			s.States = append(s.States, State{Host: rec.Host, Scope: rec.Scope, Route: rec.Route, File: rec.File, Wanted: c.pluginEvents()})
			s.Problems = append(s.Problems, c.sayUnregistered(i, rec))
		}
	}
}

// pluginEvents is how many handlers the plugin registers.
func (c claude) pluginEvents() int {
	n := 0
	for _, w := range c.wiring() {
		if !w.SettingsOnly {
			n++
		}
	}
	return n
}

// sayUnregistered says how Claude Code hears of a plugin: it alone makes the entry.
func (c claude) sayUnregistered(i *Installer, rec receipt) string {
	scope, where, again := User, "", "guardrails init --agent claude --via plugin -g"
	if rec.Dir != "" {
		scope, where, again = Personal, "in "+rec.Dir+" ", "guardrails init --agent claude --via plugin"
	}
	return fmt.Sprintf("the plugin was prepared on %s, and %s does not name it: nothing is guarded by it; run %s%s && %s, or %s again once claude is on PATH; init with --uninstall forgets it",
		rec.At.Format("2006-01-02"), rec.File, where,
		typed([]string{"plugin", "marketplace", "add", c.bundleDir(i), "--scope", pluginScope(scope)}),
		typed([]string{"plugin", "install", pluginID, "--scope", pluginScope(scope)}), again)
}

// lookPlugin is the state of the plugin in a scope; ok is false if the scope's
// file does not name it.
func (c claude) lookPlugin(i *Installer, r Request, file string, doc *jsonedit.Doc) (State, bool) {
	enabled := doc.At("enabledPlugins", pluginID)
	if enabled.Kind() == jsonedit.Invalid {
		return State{}, false
	}
	st := State{Host: "claude", Scope: r.Scope.String(), Route: Plugin.String(), File: file, Enabled: isTrue(enabled), Broken: true, speech: c.speech()}
	if !st.Enabled {
		st.problem("the plugin is disabled: claude plugin enable %s", pluginID)
	}
	rec := reconciler{identity: c.identity()}
	for _, w := range c.wiring() {
		if !w.SettingsOnly {
			rec.wanted = append(rec.wanted, c.pluginWanted(i, w))
		}
	}
	st.Wanted = len(rec.wanted)
	root := c.bundleDir(i)
	if at := doc.At("extraKnownMarketplaces", marketplace); at.Kind() != jsonedit.Invalid {
		if path := at.Get("source").Get("path").Text(); path != "" && path != root {
			st.problem("%s: the marketplace %s is %s, not %s; run init --via plugin again", file, marketplace, path, root)
		}
	}
	path := filepath.Join(root, "plugins", "guardrails", "hooks", "hooks.json")
	bundle, err := c.read(path)
	if err != nil || bundle == nil {
		st.problem("the plugin's folder was moved or damaged: %s is missing or unreadable, and Claude Code skips the plugin without a word; run init --via plugin again", path)
		return st, true
	}
	found, extra := rec.match(bundle)
	st.Current = len(extra) == 0
	for _, f := range found {
		if f.entry == nil {
			st.Missing = append(st.Missing, f.wanted.wiring.Event)
			continue
		}
		st.Registered++
		if !f.current {
			st.Current = false
			st.problem("%s:%s: %s: %s", path, f.entry.place, f.wanted.wiring.Event, f.wanted.says(f.entry.node))
		}
		cmd := st.speech.command(f.entry.node)
		cmd.program = strings.ReplaceAll(cmd.program, "${CLAUDE_PLUGIN_ROOT}", filepath.Join(root, "plugins", "guardrails"))
		st.command(registered{cmd, f.wanted.wiring, sessionDir(r)})
	}
	if len(st.Missing) > 0 {
		st.problem("%s: no handler for %s; run init --via plugin again", path, strings.Join(st.Missing, ", "))
	}
	st.Runnable = true
	i.lookProgram(filepath.ToSlash(c.bundleProgram(i)), &st)
	return st, true
}
