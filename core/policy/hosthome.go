package policy

import (
	"path"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// movesHost returns the variable in a text that moves a host's configuration
// away, "" if there is none. Gemini CLI reads its own from .env files (0.50.0,
// measured); a shell profile reaches every host.
func movesHost(text string) string {
	for _, name := range [...]string{"GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "CLAUDE_CONFIG_DIR", "CODEX_HOME"} {
		if i := strings.Index(text, name); i >= 0 && strings.HasPrefix(strings.TrimLeft(text[i+len(name):], " "), "=") {
			return name
		}
	}
	return ""
}

// envFile reports whether hosts read variables for themselves from p.
func envFile(p string) bool { return strings.EqualFold(path.Base(p), ".env") }

// profile reports whether p is what a shell reads when it starts.
func profile(p string) bool {
	switch path.Base(p) {
	case ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", "config.fish", "config.nu", ".envrc", "environment", ".pam_environment":
		return true
	}
	return strings.HasSuffix(strings.ToLower(p), "profile.ps1")
}

// hostMoved is the part of the checks for settings that looks for variables
// which move a host's configuration.
func (j *judge) hostMoved(c *shellcmd.Command, file func(string) bool) (match, bool) {
	if c.Has(shellcmd.Remote) {
		return match{}, false
	}
	for _, w := range j.writesOf(c) {
		if w.remove || w.mode {
			continue
		}
		for _, p := range j.paths(c, w.path) {
			if !file(p) {
				continue
			}
			var text strings.Builder
			text.WriteString(c.Stdin.Text + "\n" + c.Stdout.Text)
			for i := range c.Argv {
				text.WriteString("\n" + c.Argv[i].Text)
			}
			if name := movesHost(text.String()); name != "" {
				return match{what: "writes " + name + " into " + j.show(p)}, true
			}
		}
	}
	return match{}, false
}

// hostMovedBy looks at what a file tool writes.
func (j *judge) hostMovedBy(t *hook.Tool, e *hook.FileEdit, raw, p string) {
	env := envFile(p)
	if !env && !profile(p) {
		return
	}
	name := movesHost(e.New)
	if name == "" || movesHost(e.Old) == name {
		return
	}
	if before, ok := j.readForEdit(p); ok && strings.Contains(string(before), name) && e.Op == hook.Create {
		return // it was there
	}
	r := &selfRules[ruleHostSettings]
	if !env {
		r = &selfRules[ruleAgentConfig]
	}
	j.add(r, match{what: "writes " + name + " into " + oneLine(j.show(p))}, callFor(t, raw), []string{t.Kind.String(), raw})
}
