package installer

import (
	"context"
	"fmt"
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

// claudeArgs is the first version that reads a handler's args (release notes of
// the host; 2.1.197 measured).
const claudeArgs = "2.1.139"

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
	return command{program: slash(i.Binary()), args: append([]string{"hook", "--agent", "claude"}, i.moved()...)}
}

func (c claude) reconciler(ctx context.Context, i *Installer, r Request) reconciler {
	rec := reconciler{identity: c.identity()}
	cmd := c.command(i, r.Scope)
	for _, w := range c.wiring() {
		rec.wanted = append(rec.wanted, wanted{wiring: w, command: cmd, block: w.Block && r.Scope != Shared})
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
	if p.changes() {
		say("note", "restart running sessions")
	}
	p.complete = func(_ *Report, ctx context.Context) []string {
		v := c.version(ctx, i)
		switch {
		case v != "" && newer(claudeArgs, v) && r.Scope != Shared:
			return []string{fmt.Sprintf("Claude Code %s is older than %s and starts a hook's program without its arguments, so that nothing is judged there: claude update", v, claudeArgs)}
		case v != "" && newer(claudeBlocks, v):
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

// book is what a settings file is to Claude Code.
func (c claude) book() book {
	return book{
		host: "claude", title: "Claude Code", spoilt: "Claude Code ignores this whole file today",
		perm: 0o644, dirPerm: 0o755, dot: ".claude",
		defects: c.defects, oldSays: "Claude Code before 2.1.332 ignores the whole file because of it",
		identity: c.identity(), speech: c.speech(),
	}
}

func (c claude) speech() speech {
	return speech{c.adapter(), []string{"hookSpecificOutput", "permissionDecision"}, ""}
}

func (c claude) parse(path string, data []byte) (*jsonedit.Doc, error) {
	return c.book().parse(path, data)
}

func (c claude) read(path string) (*jsonedit.Doc, error) { return c.book().read(path) }

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
	left, direct := c.reachable(i, r)
	var instead *command
	if !direct {
		instead = &command{program: i.Binary(), args: []string{"hook", "--agent", "claude"}}
	}
	p, err := c.book().planInstall(ctx, i, r, c.reconciler(ctx, i, r), file, instead)
	if err != nil {
		return nil, err
	}
	p.partial = append(p.partial, left...)
	c.closing(i, r, p, file)
	return p, nil
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
