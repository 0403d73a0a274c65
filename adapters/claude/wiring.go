package claude

import (
	"path/filepath"
	"runtime"

	"github.com/ec261362/guardrails/core/hook"
)

// shells are the tools that run a command line, as a matcher. Monitor is one
// since 2.1.332; a Bash matcher does not see it.
const shells = "Bash|PowerShell|Monitor"

// Wiring returns the handlers to register in a settings file, timeouts in
// seconds. PreToolUse has no matcher, so that tools we do not know yet are seen.
// Block is set only where a call waits for our answer: the host ignores it on
// Stop and SubagentStop, and on a prompt a missing binary would end all work
// (2.1.332, measured).
func (Adapter) Wiring() []hook.Wiring {
	return []hook.Wiring{
		{Event: "SessionStart", Timeout: 10},
		{Event: "UserPromptSubmit", Timeout: 3},
		{Event: "UserPromptExpansion", Timeout: 3},
		{Event: "PreToolUse", Timeout: 10, Block: true},
		{Event: "PreSkillShellCommand", Matcher: shells, Timeout: 10, Block: true, SettingsOnly: true},
		{Event: "PostToolUse", Timeout: 5},
		{Event: "PostToolUseFailure", Timeout: 5},
		{Event: "Stop", Timeout: 120},
		{Event: "SubagentStop", Timeout: 120},
		{Event: "ConfigChange", Timeout: 5},
		{Event: "SessionEnd", Timeout: 3},
	}
}

// PluginWiring returns the handlers for a plugin's hooks.json: an event that
// 2.1.197 does not know would keep all of them from loading there.
func (a Adapter) PluginWiring() []hook.Wiring {
	all := a.Wiring()
	out := all[:0]
	for _, w := range all {
		if !w.SettingsOnly {
			out = append(out, w)
		}
	}
	return out
}

// switches are the members of a settings file that disarm hooks, or change what
// our handlers run in: disableAllHooks in any source turns all of them off but
// managed ones, allowManagedHooksOnly all that are not managed; a plugin that is
// disabled or whose marketplace moves is silently gone; CLAUDE_CODE_SIMPLE is
// --bare; a hook's environment is the env block's, so HOME moves our state,
// PATH what a bare name runs, and GOMAXPROCS how long we take.
func switches() []string {
	return []string{
		"disableAllHooks",
		"allowManagedHooksOnly",
		"enabledPlugins.guardrails*",
		"extraKnownMarketplaces.guardrails*",
		"env.GUARDRAILS_*",
		"env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP",
		"env.CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS",
		"env.CLAUDE_CODE_SIMPLE",
		"env.CLAUDE_CONFIG_DIR",
		"env.HOME",
		"env.PATH",
	}
}

// LiveFiles names the files that Claude Code reads for a session started in
// p.Dir, and for one started at p.Root: it reads the launch directory's .claude
// and no parent's (2.1.197 and 2.1.332, measured).
func (Adapter) LiveFiles(p hook.Paths) []hook.LiveFile {
	config := p.ConfigHome
	if config == "" && p.Home != "" {
		config = filepath.Join(p.Home, ".claude")
	}
	var out []hook.LiveFile
	add := func(f hook.LiveFile) {
		for _, o := range out {
			if o.Path == f.Path {
				return
			}
		}
		out = append(out, f)
	}
	if config != "" {
		add(hook.LiveFile{Path: filepath.Join(config, "settings.json"), Switches: switches(), Entries: true, Loads: loads})
	}
	for _, dir := range [...]string{p.Dir, p.Root} {
		if dir == "" {
			continue
		}
		for _, name := range [...]string{"settings.json", "settings.local.json"} {
			add(hook.LiveFile{Path: filepath.Join(dir, ".claude", name), Switches: switches(), Entries: true, Loads: loads})
		}
	}
	if config != "" {
		add(hook.LiveFile{Path: filepath.Join(config, "plugins", "installed_plugins.json"), Switches: []string{"plugins.guardrails*"}})
		add(hook.LiveFile{Path: filepath.Join(config, "plugins", "known_marketplaces.json"), Switches: []string{"guardrails*"}})
	}
	add(hook.LiveFile{Path: managedDir(), Dir: true})
	return out
}

// managedDir is the folder of the organisation's settings, which stand above
// all others.
func managedDir() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode"
	case "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}
