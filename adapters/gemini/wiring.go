package gemini

import (
	"path/filepath"
	"runtime"

	"github.com/ec261362/guardrails/core/hook"
)

// Wiring returns the handlers to register, timeouts in seconds as everywhere in
// hook.Wiring; the host's own unit is the millisecond. None has a matcher: on
// tools, so that those we do not know yet are seen; on SessionStart and
// SessionEnd, because the host compares the whole word, and no list of them
// matches; on the others it is ignored (0.61.0, measured).
//
// PreCompress comes before every call of the model and AfterModel with every
// chunk: neither is registered. Block is never set: the host has no such member,
// and a command that cannot be run blocks by itself, which the registered
// command must prevent.
func (Adapter) Wiring() []hook.Wiring {
	return []hook.Wiring{
		{Event: "SessionStart", Timeout: 10},
		{Event: beforeAgent, Timeout: 3},
		{Event: beforeTool, Timeout: 10},
		{Event: afterTool, Timeout: 5},
		{Event: afterAgent, Timeout: 120},
		{Event: "SessionEnd", Timeout: 3},
	}
}

// ConfigVar names the variable that stands for the home folder when Gemini CLI
// looks for its .gemini (0.61.0, read).
func (Adapter) ConfigVar() string { return "GEMINI_CLI_HOME" }

// switches are the members of a settings file that disarm hooks: hooksConfig has
// enabled and disabled since 0.26.0, before that they were hooks.enabled and
// hooks.disabled, beside tools.enableHooks; an extension that no pattern of
// security.allowedExtensions matches does not load; admin is what an
// organisation sets (0.61.0: hooksConfig measured, the rest read).
func switches() []string {
	return []string{
		"hooksConfig.enabled",
		"hooksConfig.disabled",
		"hooks.enabled",
		"hooks.disabled",
		"tools.enableHooks",
		"security.allowedExtensions",
		"admin*",
	}
}

// LiveFiles names the files that Gemini CLI reads for a session started in
// p.Dir, and for one started at p.Root: it reads the settings of the folder that
// it is started in and of no parent (0.61.0, measured). p.ConfigHome stands for
// p.Home.
func (Adapter) LiveFiles(p hook.Paths) []hook.LiveFile {
	home := p.ConfigHome
	if home == "" {
		home = p.Home
	}
	var out []hook.LiveFile
	settings := func(dir string) {
		if dir == "" {
			return
		}
		path := filepath.Join(dir, ".gemini", "settings.json")
		for _, o := range out {
			if o.Path == path {
				return
			}
		}
		out = append(out, hook.LiveFile{Path: path, Switches: switches(), Entries: true, Loads: loads})
	}
	settings(home)
	settings(p.Dir)
	settings(p.Root)
	if home != "" {
		gemini := filepath.Join(home, ".gemini")
		extensions := filepath.Join(gemini, "extensions")
		out = append(out,
			hook.LiveFile{Path: filepath.Join(extensions, "guardrails"), Dir: true},
			hook.LiveFile{Path: filepath.Join(extensions, "extension-enablement.json"), Switches: []string{"guardrails*"}},
			// A folder that loses its trust loses the hooks of settings files.
			hook.LiveFile{Path: filepath.Join(gemini, "trustedFolders.json"), Switches: []string{"*"}},
		)
	}
	return append(out, hook.LiveFile{Path: systemDir(), Dir: true})
}

// systemDir is the folder of the organisation's settings, which stand above all
// others, and of its defaults, which stand below.
func systemDir() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/GeminiCli"
	case "windows":
		return `C:\ProgramData\gemini-cli`
	}
	return "/etc/gemini-cli"
}
