package installer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/core/fsx"
	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/proc"
	"github.com/ec261362/guardrails/installer/jsonedit"
)

// claude is Claude Code. It reads settings.json of its configuration folder and
// settings.json and settings.local.json of the launch directory's .claude, no
// parent's (2.1.197 and 2.1.332, measured).
type claude struct{}

// claudeShared is the frozen form for committed files: no machine path, and
// silent where guardrails is not installed.
const claudeShared = `command -v guardrails >/dev/null 2>&1 || exit 0; exec guardrails hook --agent claude`

// claudePlugin is the frozen program of the bundle.
const claudePlugin = `${CLAUDE_PLUGIN_ROOT}/bin/guardrails`

// claudeBlocks is the first version that honours onFailure (release notes of
// 2.1.295; 2.1.197 ignores it, measured).
const claudeBlocks = "2.1.295"

func (claude) name() string { return "claude" }

func (claude) adapter() hook.Adapter { return adapters.Lookup("claude") }

func (claude) found(i *Installer) string {
	if p := i.lookPath("claude"); p != "" {
		return p
	}
	dir, err := claude{}.configDir(i, Request{})
	if err != nil {
		return ""
	}
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return dir
	}
	return ""
}

// configDir is the host's configuration folder.
func (claude) configDir(i *Installer, r Request) (string, error) {
	dir := r.ConfigDir
	if dir == "" {
		if dir = i.env.Getenv("CLAUDE_CONFIG_DIR"); dir == "" {
			return filepath.Join(i.env.Home, ".claude"), nil
		}
	}
	if !filepath.IsAbs(dir) {
		return "", refuse("", "CLAUDE_CONFIG_DIR is %q: it must be an absolute path", dir)
	}
	return filepath.Clean(dir), nil
}

// file is the settings file of a scope.
func (c claude) file(i *Installer, r Request) (string, error) {
	switch r.Scope {
	case Shared:
		return filepath.Join(r.Dir, ".claude", "settings.json"), nil
	case User:
		dir, err := c.configDir(i, r)
		return filepath.Join(dir, "settings.json"), err
	default:
		return filepath.Join(r.Dir, ".claude", "settings.local.json"), nil
	}
}

func (claude) managed(i *Installer) string {
	dir := i.env.Managed
	if dir == "" {
		switch runtime.GOOS {
		case "darwin":
			dir = "/Library/Application Support/ClaudeCode"
		case "windows":
			dir = `C:\Program Files\ClaudeCode`
		default:
			dir = "/etc/claude-code"
		}
	}
	return filepath.Join(dir, "managed-settings.json")
}

func (c claude) identity() identity {
	id := identity{host: "claude", shared: claudeShared, plugin: claudePlugin, script: readScript}
	for _, e := range c.adapter().Capabilities().Events {
		id.events = append(id.events, string(e))
	}
	for _, w := range c.wiring() {
		if !slices.Contains(id.events, w.Event) {
			id.events = append(id.events, w.Event)
		}
	}
	return id
}

func (c claude) wiring() []hook.Wiring {
	w, ok := c.adapter().(hook.Wirer)
	if !ok {
		return nil
	}
	return w.Wiring()
}

// readScript returns the start of a script, "" for anything else.
func readScript(path string) string {
	data, err := fsx.ReadFile(path, 64<<10)
	if err != nil || !strings.HasPrefix(string(data), "#!") && !strings.HasSuffix(path, ".sh") {
		return ""
	}
	return string(data)
}

// command is what a scope's entries run.
func (c claude) command(i *Installer, s Scope) command {
	if s == Shared {
		return command{program: claudeShared}
	}
	return command{slash(i.Binary()), append([]string{"hook", "--agent", "claude"}, i.moved()...)}
}

func (c claude) reconciler(ctx context.Context, i *Installer, r Request) reconciler {
	rec := reconciler{identity: c.identity()}
	cmd := c.command(i, r.Scope)
	for _, w := range c.wiring() {
		rec.wanted = append(rec.wanted, wanted{w, cmd, w.Block && r.Scope != Shared})
	}
	if !r.Force {
		known := map[string]bool{}
		rec.newer = func(program string) bool {
			if !filepath.IsAbs(program) || program == cmd.program {
				return false
			}
			is, ok := known[program]
			if !ok {
				is = newer(i.versionOf(ctx, program), i.env.Version)
				known[program] = is
			}
			return is
		}
	}
	return rec
}

// parse reads a settings file as the host does. Every refusal says what the host
// makes of the file today.
func (claude) parse(path string, data []byte) (*jsonedit.Doc, error) {
	if data == nil {
		return jsonedit.Missing(jsonedit.Strict), nil
	}
	doc, err := jsonedit.Parse(data, jsonedit.Strict)
	if e, ok := errors.AsType[*jsonedit.Error](err); ok {
		at := fmt.Sprintf("%s:%d:%d", path, e.Line, e.Col)
		if e.Reason == jsonedit.Duplicate {
			return nil, refuse(at, "%s; remove one of them", e.Msg)
		}
		return nil, refuse(at, "%s: Claude Code ignores this whole file today; mend it and run init again", e.Msg)
	}
	if err != nil {
		return nil, &Refusal{path, err}
	}
	return doc, nil
}

// defect is a handler because of which the host ignores the whole file.
type defect struct{ place, what string }

// defects lists the entries that make the host ignore the whole file: any of
// these under PreToolUse, PermissionRequest and PreSkillShellCommand (2.1.332
// and 2.1.197, measured); under other events 2.1.332 drops only the entry.
func (claude) defects(doc *jsonedit.Doc) (fatal, old []defect) {
	hooks := doc.At("hooks")
	for _, event := range hooks.Keys() {
		var bad []defect
		say := func(n jsonedit.Node, format string, args ...any) {
			line, col := n.Place()
			bad = append(bad, defect{fmt.Sprintf("%d:%d", line, col), event + ": " + fmt.Sprintf(format, args...)})
		}
		groups := hooks.Get(event)
		if groups.Kind() == jsonedit.String && event == "PreToolUse" {
			say(groups, "a string stands where a list belongs")
		}
		for g := range groups.Len() {
			group := groups.Index(g)
			if groups.Kind() != jsonedit.ArrayKind {
				break
			}
			if group.Kind() != jsonedit.ObjectKind {
				say(group, "%s stands where a group belongs", group.Kind())
				continue
			}
			if m := group.Get("matcher"); m.Kind() != jsonedit.Invalid && m.Kind() != jsonedit.String {
				say(m, "the matcher is %s", m.Kind())
			}
			handlers := group.Get("hooks")
			if handlers.Kind() != jsonedit.ArrayKind {
				say(group, "the group has no list \"hooks\"")
				continue
			}
			for h := range handlers.Len() {
				n := handlers.Index(h)
				switch n.Get("type").Text() {
				case "command":
					if n.Get("command").Kind() != jsonedit.String {
						say(n, "the handler has no command")
					}
					if a := n.Get("args"); a.Kind() != jsonedit.Invalid && a.Kind() != jsonedit.ArrayKind {
						say(a, "args is %s", a.Kind())
					}
				case "http", "prompt", "agent", "mcp_tool":
				default:
					say(n, "the handler has no known type")
				}
				if t := n.Get("timeout"); t.Kind() != jsonedit.Invalid {
					if f, ok := number(t); !ok || f <= 0 {
						say(t, "timeout %s is not a number above 0", t.Raw())
					}
				}
				if f := n.Get("onFailure"); f.Kind() != jsonedit.Invalid && f.Text() != "block" && f.Text() != "continue" {
					say(f, "onFailure %s is neither \"block\" nor \"continue\"", f.Raw())
				}
			}
		}
		switch event {
		case "PreToolUse", "PermissionRequest", "PreSkillShellCommand":
			fatal = append(fatal, bad...)
		default:
			old = append(old, bad...)
		}
	}
	return fatal, old
}

// checkPlace refuses places where a cloned repository or a special file could
// lead a write astray.
func (c claude) checkPlace(r Request, file string) error {
	target, err := fsx.Resolve(file)
	if err != nil {
		return &Refusal{file, err}
	}
	if r.Scope != User {
		root, err := fsx.Resolve(r.Dir)
		if err != nil {
			return &Refusal{r.Dir, err}
		}
		dot := filepath.Join(r.Dir, ".claude")
		if info, err := os.Lstat(dot); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return refuse(dot, "it is a symbolic link: a repository could lead us out of the project with it; make it a directory, or install with -g")
		}
		if !strings.HasPrefix(target, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator)) {
			return refuse(file, "it leads to %s, outside the project; remove the link, or install with -g", target)
		}
	}
	what, err := fsx.Special(target)
	if err != nil {
		return &Refusal{file, err}
	}
	switch what {
	case fsx.Absent:
		return nil
	case fsx.Regular:
		if info, err := os.Stat(target); err == nil && info.Mode().Perm()&0o222 == 0 {
			return refuse(file, "it is read-only; make it writable first (chmod u+w)")
		}
		return nil
	case fsx.HardLinked:
		return refuse(file, "it has several names (hard links), and replacing it would part them; copy it onto itself first")
	default:
		return refuse(file, "it is a %s; a settings file must be a regular file", what)
	}
}

func (c claude) planInstall(ctx context.Context, i *Installer, r Request) (*plan, error) {
	if r.Scope == Shared && i.moved() != nil {
		return nil, refuse("", "shared entries carry no machine path, so a moved --home cannot be named in them; leave out --shared or --home")
	}
	if r.Route == Plugin {
		return c.planPlugin(ctx, i, r)
	}
	if strings.Contains(i.Binary()+strings.Join(i.moved(), " "), "${") {
		return nil, refuse(i.env.StateHome, "Claude Code reads ${…} in a command as a placeholder; name another place with --home")
	}
	file, err := c.file(i, r)
	if err != nil {
		return nil, err
	}
	if err := c.checkPlace(r, file); err != nil {
		return nil, err
	}
	data, was, err := readFile(file)
	if err != nil {
		return nil, &Refusal{file, unwrapPath(err)}
	}
	doc, err := c.parse(file, data)
	if err != nil {
		return nil, err
	}
	fatal, old := c.defects(doc)
	if len(fatal) > 0 {
		return nil, refuse(file+":"+fatal[0].place, "%s: because of it Claude Code ignores this whole file today; mend it and run init again", fatal[0].what)
	}
	rec := c.reconciler(ctx, i, r)
	changes, err := rec.reconcile(doc)
	if err != nil {
		return nil, shapeRefusal(file, err)
	}
	all, receiptWas, err := i.readReceipts()
	if err != nil {
		return nil, err
	}

	p := &plan{done: Installed, settled: Already, report: Report{Host: "claude", Scope: r.Scope, Route: Settings}}
	p.report.add("note", file, "%s scope", r.Scope)
	for _, d := range old {
		p.report.add("warn", file+":"+d.place, "%s: Claude Code before 2.1.332 ignores the whole file because of it", d.what)
	}
	for _, e := range rec.scan(doc) {
		if e.kind == wrapped {
			p.report.add("note", file+":"+e.place, "%s: another command that runs guardrails; counted, left as it is", e.event)
		}
		if e.kind == ours && rec.newer != nil && rec.newer(e.program) {
			p.report.add("keep", file+":"+e.place, "%s: runs a newer build, %s; --force replaces it", e.event, e.program)
		}
	}

	project, err := c.planProject(p, r)
	if err != nil {
		return nil, err
	}
	p.steps = append(p.steps, project...)
	bin, kept, err := i.planBinary(ctx, r.Force)
	if err != nil {
		return nil, err
	}
	if kept != "" {
		p.report.add("keep", i.Binary(), "version %s is newer than this one, %s; --force replaces it", kept, i.env.Version)
	}
	p.steps = append(p.steps, bin...)

	rcpt := receipt{Host: "claude", Scope: r.Scope.String(), Route: Settings.String(), File: file, Existed: c.existed(file, data), ConfigDir: r.ConfigDir}
	if r.Scope != User {
		rcpt.Dir = r.Dir
	}
	have, known := all.find(rcpt)
	if known {
		rcpt.Existed, rcpt.Backup, rcpt.MadeDirs = have.Existed, have.Backup, have.MadeDirs
	}
	content := data
	var dirs []step // after the receipt, which names them
	if len(changes) > 0 {
		content = doc.Bytes()
		if data != nil {
			steps, backup, err := i.planBackup(file, data)
			if err != nil {
				return nil, err
			}
			p.steps = append(p.steps, steps...)
			if rcpt.Backup == "" {
				rcpt.Backup = backup
			}
		}
		missing, err := missingDirs(filepath.Dir(file))
		if err != nil {
			return nil, err
		}
		for _, d := range missing {
			if !slices.ContainsFunc(project, func(s step) bool { ds, ok := s.(*dirStep); return ok && ds.path == d }) {
				dirs = append(dirs, &dirStep{path: d, perm: 0o755})
				rcpt.MadeDirs = append(rcpt.MadeDirs, d)
			}
		}
	}
	rcpt.SHA256 = digest(content)
	s, err := i.planReceipt(all, receiptWas, rcpt)
	if err != nil {
		return nil, err
	}
	p.steps = append(append(p.steps, s...), dirs...)
	if len(changes) > 0 { // what activates goes last
		p.steps = append(p.steps, &fileStep{path: file, data: content, perm: 0o644, was: was, old: data, text: summary(changes)})
	}

	left, proveIt := c.reachable(i, r)
	p.partial = append(p.partial, left...)
	p.proofs = func(ctx context.Context, run *run) error { return c.proveFile(ctx, run, r, rec, file, proveIt) }
	c.closing(i, r, p, file)
	return p, nil
}

// existed reports whether a file was there before us: a file that holds nothing
// but our entries was not.
func (c claude) existed(file string, data []byte) bool {
	if data == nil {
		return false
	}
	doc, err := c.parse(file, data)
	if err != nil {
		return true
	}
	_, err = c.identity().removeOurs(doc)
	return err != nil || !doc.Gone()
}

// shapeRefusal names the file of an edit that does not fit its shape.
func shapeRefusal(file string, err error) error {
	if e, ok := errors.AsType[*jsonedit.Error](err); ok {
		return refuse(fmt.Sprintf("%s:%d:%d", file, e.Line, e.Col), "%s; mend it and run init again", e.Msg)
	}
	return &Refusal{file, err}
}

// planProject makes the project's directory and its configuration file.
func (claude) planProject(p *plan, r Request) ([]step, error) {
	if r.Dir == "" {
		return nil, nil
	}
	var out []step
	if r.Scope != User {
		missing, err := missingDirs(r.Dir)
		if err != nil {
			return nil, err
		}
		for _, d := range missing {
			out = append(out, &dirStep{path: d, perm: 0o755, tell: true})
		}
	}
	if r.Starter == "" {
		return out, nil
	}
	path := filepath.Join(r.Dir, ".guardrails.yaml")
	if _, err := os.Lstat(path); err == nil {
		p.partial = append(p.partial, path+" is there already and was left as it is: edit it, then run guardrails trust")
		return out, nil
	}
	out = append(out, &fileStep{path: path, data: []byte(r.Starter), perm: 0o644, text: "starter configuration"})
	if r.Trust != nil {
		out = append(out, &callStep{what: Line{"trust", path, ""}, call: func() error { return r.Trust(path) }})
	}
	return out, nil
}

// callStep does something that has no undo of its own.
type callStep struct {
	what Line
	call func() error
}

func (s *callStep) line() (Line, bool) { return s.what, true }
func (s *callStep) do(*run) error      { return s.call() }

// planReceipt writes the receipt if it says something new.
func (i *Installer) planReceipt(all receipts, was fsx.Stamp, rec receipt) ([]step, error) {
	rec.Guardrails = i.env.Version
	have, known := all.find(rec)
	if known {
		rec.At = have.At
		a, errA := json.Marshal(have)
		b, errB := json.Marshal(rec)
		if errA == nil && errB == nil && string(a) == string(b) {
			return nil, nil
		}
	}
	rec.At = i.env.Now().UTC().Truncate(time.Second)
	return i.writeReceipts(all, all.with(rec), was)
}

func (i *Installer) writeReceipts(before, after receipts, was fsx.Stamp) ([]step, error) {
	data, err := after.bytes()
	if err != nil {
		return nil, err
	}
	path := i.receiptPath()
	if len(after.Installs) == 0 {
		old, now, err := readFile(path)
		if err != nil || old == nil {
			return nil, err
		}
		return []step{&quietStep{&removeStep{path: path, was: now, old: old, perm: 0o600}}}, nil
	}
	var old []byte
	if !was.Same(fsx.Stamp{}) {
		if old, err = before.bytes(); err != nil {
			return nil, err
		}
	}
	return []step{&fileStep{path: path, data: data, perm: 0o600, was: was, old: old, text: "receipt", quiet: true}}, nil
}

// quietStep is a step that nobody needs to hear of.
type quietStep struct{ step }

func (s *quietStep) line() (Line, bool) {
	l, _ := s.step.line()
	return l, false
}

// reachable says what keeps the registered command from running in a person's
// sessions, and whether it can be proved as it is registered.
func (c claude) reachable(i *Installer, r Request) (left []string, direct bool) {
	if r.Scope != Shared {
		return nil, true
	}
	bin := filepath.Dir(i.Binary())
	line := fmt.Sprintf("export PATH=%s", singleQuote(bin)+`:"$PATH"`)
	switch p := i.willFind(); {
	case p == "":
		return []string{"the shared entry runs guardrails from PATH, and PATH has none; add to your shell profile: " + line}, false
	case p != i.Binary() && !sameProgram(p, i.Binary()) && !sameProgram(p, i.env.Self):
		return []string{fmt.Sprintf("the shared entry runs guardrails from PATH, and that is another build, %s; add to your shell profile: %s", p, line)}, false
	}
	return nil, true
}

// willFind is the guardrails that PATH leads to once ours is in place; "" if
// there is none.
func (i *Installer) willFind() string {
	for _, dir := range filepath.SplitList(i.env.Getenv("PATH")) {
		if filepath.Clean(dir) == filepath.Dir(i.Binary()) {
			return i.Binary()
		}
		if p, err := proc.LookPath("guardrails", dir); err == nil {
			return p
		}
	}
	return ""
}

// proveFile reads the file again and, when all that is wanted stands there, runs
// each registered command.
func (c claude) proveFile(ctx context.Context, run *run, r Request, rec reconciler, file string, direct bool) error {
	data, _, err := readFile(file)
	if err != nil {
		return fmt.Errorf("read it again: %s: %w", file, err)
	}
	doc, err := c.parse(file, data)
	if err != nil {
		return fmt.Errorf("read it again: %w", err)
	}
	found, extra := rec.match(doc)
	for _, f := range found {
		if f.entry == nil || !f.current {
			return fmt.Errorf("%s was written, and its handler for %s is not there", file, f.wanted.wiring.Event)
		}
	}
	if len(extra) > 0 {
		return fmt.Errorf("%s was written, and a surplus handler for %s is still there", file, extra[0].event)
	}
	dir := r.Dir
	if r.Scope == User {
		dir = ""
	}
	return c.proveEntries(ctx, run, found, dir, direct, filepath.Base(file))
}

// proveEntries runs each distinct command of the entries found.
func (c claude) proveEntries(ctx context.Context, run *run, found []finding, dir string, direct bool, where string) error {
	sampler, ok := c.adapter().(hook.Sampler)
	if !ok {
		return errNoSampler
	}
	var done []string
	for _, f := range found {
		cmd := entryCommand(f.entry.node)
		if !direct {
			cmd = command{run.i.Binary(), []string{"hook", "--agent", "claude"}}
		}
		if slices.Contains(done, cmd.String()) {
			continue
		}
		done = append(done, cmd.String())
		timeout := time.Duration(f.wanted.wiring.Timeout) * time.Second
		if err := run.i.prove(ctx, sampler, readClaude, cmd, dir, timeout); err != nil {
			return err
		}
	}
	text := "the registered command denied a recursive delete of a home and let git status pass"
	if !direct {
		text = "the installed program denied a recursive delete of a home and let git status pass; the entry in " + where + " does not reach it yet"
	}
	run.report.add("prove", "", "%s", text)
	return nil
}

// entryCommand is what a handler runs, as it stands in the file.
func entryCommand(h jsonedit.Node) command {
	c := command{program: h.Get("command").Text()}
	if args := h.Get("args"); args.Kind() == jsonedit.ArrayKind {
		c.args = []string{}
		for n := range args.Len() {
			c.args = append(c.args, args.Index(n).Text())
		}
	}
	return c
}

// readClaude reads an answer as Claude Code does: anything but one JSON object
// decides nothing there (2.1.332, measured).
func readClaude(stdout []byte) judged {
	var out struct {
		Specific struct {
			Decision string `json:"permissionDecision"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(stdout, &out) != nil {
		return unreadable
	}
	switch out.Specific.Decision {
	case "deny":
		return denies
	case "":
		return passes
	default:
		return unreadable
	}
}

// closing adds what a person should know at the end.
func (c claude) closing(i *Installer, r Request, p *plan, file string) {
	say := func(action, format string, args ...any) {
		p.after = append(p.after, Line{action, "", fmt.Sprintf(format, args...)})
	}
	p.partial = append(p.partial, c.switchedOff(i, r)...)
	for _, other := range c.others(i, r, file) {
		say("warn", "also installed in %s: Claude Code runs both; a call counts once", other)
	}
	switch r.Scope {
	case User:
		say("note", "covers every project of this user")
	default:
		if r.Dir == i.env.Home {
			say("note", "%s is your home, not a project: -g covers every project", r.Dir)
		}
		say("note", "covers sessions started in %s only: Claude Code reads the launch directory's .claude, no parent's; for starts in sub-folders install with -g", r.Dir)
	}
	say("note", "restart running sessions")
	p.complete = func(_ *Report, ctx context.Context) []string {
		v := c.version(ctx, i)
		if v != "" && newer(claudeBlocks, v) {
			p.after = append(p.after, Line{"note", "", fmt.Sprintf("Claude Code %s is older than %s: a program that is missing or dies lets the call run there (onFailure is inert)", v, claudeBlocks)})
		}
		return nil
	}
}

// version is the version of the Claude Code on PATH, "" if it cannot be told.
// The program runs in a temporary home.
func (c claude) version(ctx context.Context, i *Installer) string {
	p := i.lookPath("claude")
	if p == "" {
		return ""
	}
	home, err := os.MkdirTemp("", "guardrails-claude-")
	if err != nil {
		return ""
	}
	defer os.RemoveAll(home)
	ran, err := i.env.Run(ctx, proc.Cmd{Argv: []string{p, "--version"}, Dir: home, Env: i.cleared(home), Timeout: 20 * time.Second})
	if err != nil || ran.ExitCode != 0 {
		return ""
	}
	v, _, _ := strings.Cut(strings.TrimSpace(string(ran.Stdout)), " ")
	return v
}

// settingsFiles are the files that the host reads for r, the strongest first.
func (c claude) settingsFiles(i *Installer, r Request) []string {
	out := []string{c.managed(i)}
	for _, s := range []Scope{Personal, Shared, User} {
		if s != User && r.Dir == "" {
			continue
		}
		q := r
		q.Scope = s
		if f, err := c.file(i, q); err == nil && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// read reads a settings file for a look; nil if there is none or it cannot be
// read.
func (c claude) read(path string) (*jsonedit.Doc, error) {
	data, _, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, nil
	}
	return c.parse(path, data)
}

// switchedOff says what keeps the host from running any hook of ours.
func (c claude) switchedOff(i *Installer, r Request) []string {
	var out []string
	files := c.settingsFiles(i, r)
	for n, f := range files {
		doc, err := c.read(f)
		if err != nil || doc == nil {
			continue
		}
		if n == 0 && isTrue(doc.At("allowManagedHooksOnly")) {
			out = append(out, "allowManagedHooksOnly in "+f+": only the organisation's hooks run")
		}
		// The strongest file that names it decides.
		if v := doc.At("disableAllHooks"); v.Kind() != jsonedit.Invalid {
			if isTrue(v) {
				out = append(out, "disableAllHooks in "+f+": no hook of ours runs")
			}
			break
		}
	}
	return out
}

// others lists the other places where we are installed for the same sessions.
func (c claude) others(i *Installer, r Request, file string) []string {
	var out []string
	id := c.identity()
	for _, f := range c.settingsFiles(i, r)[1:] {
		doc, err := c.read(f)
		if err != nil || doc == nil {
			continue
		}
		if f != file && slices.ContainsFunc(id.scan(doc), func(e entry) bool { return e.kind == ours }) {
			out = append(out, f)
		}
		if isTrue(doc.At("enabledPlugins", pluginID)) && (r.Route != Plugin || f != file) {
			out = append(out, "the plugin "+pluginID+" ("+f+")")
		}
	}
	return out
}
