package policy

import (
	"os"
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/shellcmd"
)

// ownArgs returns the arguments that c gives to our own binary, however it is
// reached. ok is false when c does not run it.
func (j *judge) ownArgs(c *shellcmd.Command) (args []word, ok bool) {
	if len(c.Argv) == 0 {
		return nil, false
	}
	switch c.Program {
	case "guardrails", "guardrails-full":
		return c.Args(), true
	case "go":
		return goRun(c.Args())
	}
	if strings.Contains(c.Argv[0].Text, "/") {
		if p, is := j.abs(c.Dir, c.Argv[0].Text); is {
			for _, q := range [...]string{p, j.real(p)} {
				if j.isBinary(q) {
					return c.Args(), true
				}
				if _, copied := j.seen(q, madeCopy); copied {
					return c.Args(), true
				}
			}
			if humanOnly(c.Args()) != "" && j.sameProgram(p) {
				return c.Args(), true
			}
		}
	}
	// $(command -v guardrails) as the program's name.
	if slices.ContainsFunc(c.Argv[0].Subst, j.findsBinary) {
		return c.Args(), true
	}
	return nil, false
}

// sameProgram reports whether p is a copy of our binary under another name. A
// program of exactly that size is taken for one.
func (j *judge) sameProgram(p string) bool {
	if j.fs == nil {
		return false
	}
	fi, err := j.fs.Stat(p)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() < 1<<16 {
		return false
	}
	for _, b := range j.set.Binaries {
		if own, err := j.fs.Stat(b); err == nil && (own.Size() == fi.Size() || os.SameFile(own, fi)) {
			return true
		}
	}
	return false
}

// findsBinary reports whether command i of the line prints where our binary
// is.
func (j *judge) findsBinary(i int) bool {
	if i < 0 || i >= len(j.line.Commands) {
		return false
	}
	c := &j.line.Commands[i]
	switch c.Program {
	case "which", "command", "type", "whereis", "realpath", "readlink", "where":
		for _, a := range c.Args() {
			if b := strings.ToLower(baseName(a.Text)); b == "guardrails" || b == "guardrails-full" {
				return true
			}
		}
	}
	return false
}

// goRun returns the arguments behind a go run of our main package.
func goRun(args []word) ([]word, bool) {
	i := 0
	for ; i < len(args) && args[i].Text != "run"; i++ {
		if args[i].Text == "-C" {
			i++
		}
	}
	for i++; i < len(args); i++ {
		t := args[i].Text
		if strings.HasPrefix(t, "-") {
			switch t {
			case "-C", "-tags", "-ldflags", "-gcflags", "-mod", "-modfile", "-exec", "-overlay", "-p", "-asmflags", "-buildmode", "-compiler", "-toolexec", "-pkgdir":
				i++
			}
			continue
		}
		p, _, _ := strings.Cut(strings.TrimRight(strings.ReplaceAll(t, `\`, "/"), "/"), "@")
		if strings.HasSuffix(p, "cmd/guardrails") || strings.HasSuffix(p, "/guardrails-full") || strings.HasSuffix(p, "cmd/guardrails/main.go") || strings.HasSuffix(p, "/guardrails-full/main.go") {
			return args[i+1:], true
		}
		return nil, false
	}
	return nil, false
}

var ownFlags = grammar{
	short: "n",
	long: []string{
		"--home", "--dir", "--agent", "--mode", "--config-dir", "--via", "--for", "--rule", "--gate", "--session", "--since", "--path", "--tool",
		"--content-file", "--prompt", "--payload", "--transcript", "--base", "--report", "--use", "--direction", "--cwd", "--root",
	},
}

// humanOnly says which verb of ours a call uses that only a human may use, ""
// if the agent may run it.
func humanOnly(args []word) string {
	as := ownFlags.parse(args)
	on := func(name string) bool {
		v := false
		for i := range as {
			if as[i].after {
				break
			}
			if as[i].flag != "--"+name {
				continue
			}
			v = as[i].value == nil || as[i].value.Text != "false" && as[i].value.Text != "0" && as[i].value.Text != "f" && as[i].value.Text != "F" && as[i].value.Text != "False" && as[i].value.Text != "FALSE"
		}
		return v
	}
	if on("help") || has(as, "-h") || on("dry-run") || on("show") || on("version") {
		return ""
	}
	ops := operands(as)
	if len(ops) == 0 {
		return ""
	}
	verb, sub := ops[0].Text, ""
	if len(ops) > 1 {
		sub = ops[1].Text
	}
	one := func(allowed ...string) string {
		if sub == "" {
			return ""
		}
		if slices.Contains(allowed, sub) {
			return ""
		}
		return verb + " " + strings.ReplaceAll(sub, shellcmd.Unknown, "…")
	}
	switch verb {
	case "check", "explain", "status", "log", "stats", "scan", "watch", "doctor", "review", "completion", "version", "help", "bundle", "__complete":
		return ""
	case "init":
		for _, f := range [...]string{"uninstall", "purge", "force"} {
			if on(f) {
				return "init --" + f
			}
		}
		return ""
	case "deps":
		if sub == "cache" {
			if len(ops) < 3 || ops[2].Text == "show" {
				return ""
			}
			return "deps cache " + strings.ReplaceAll(ops[2].Text, shellcmd.Unknown, "…")
		}
		return one("check")
	case "gate":
		return one("run", "coverage")
	case "evidence":
		return one("status", "add", "phase", "card", "resume", "lint")
	case "pack":
		return one("validate", "list", "show", "test")
	case "config":
		return one("show", "validate", "schema")
	case "lessons":
		return one("list")
	case "gc":
		if on("force") {
			return "gc --force"
		}
		return ""
	}
	return strings.ReplaceAll(verb, shellcmd.Unknown, "…")
}

// ownVerb is the check for the human's verbs of our own command line.
func ownVerb(j *judge, c *shellcmd.Command) (match, bool) {
	args, ok := j.ownArgs(c)
	if !ok {
		verb := j.handsOn(c)
		return match{what: "hands the human's verb " + oneLine(verb) + " to " + oneLine(c.Program)}, verb != ""
	}
	verb := humanOnly(args)
	if verb == "" && c.Has(shellcmd.StdinArgs) {
		verb = "a verb from its input"
	}
	if verb == "" {
		return match{}, false
	}
	m := match{what: "uses the human's verb " + oneLine(verb)}
	if verb == "hook" {
		m.instead = "try a payload without touching state: `guardrails check --payload -`"
	}
	return m, true
}

// handsOn says which of the human's verbs a program is given to run, word by
// word or as a text that it types: a terminal, a wrapper that we do not know.
func (j *judge) handsOn(c *shellcmd.Command) string {
	switch c.Program {
	case "", "echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "ack", "git", "gh", "glab", "man", "jq", "yq", "sed", "write-output", "write-host", "select-string", "logger", ":", "true":
		return "" // what prints, searches or notes them
	}
	args := c.Args()
	for i := range args {
		t := args[i].Text
		if len(t) > maxTyped || !strings.Contains(t, "guardrails") {
			continue
		}
		if j.namesOwn(c.Dir, t) {
			if verb := plainlyHuman(args[i+1:]); verb != "" {
				return verb
			}
		}
		if !types(c.Program) {
			continue
		}
		words := strings.Fields(strings.NewReplacer(`\n`, " ", `\r`, " ", ";", " ", "'", " ", `"`, " ", "&", " ").Replace(t))
		for k := range words {
			if !j.namesOwn(c.Dir, words[k]) {
				continue
			}
			rest := make([]word, 0, len(words))
			for _, w := range words[k+1:] {
				rest = append(rest, word{Text: w, Static: true})
			}
			if verb := plainlyHuman(rest); verb != "" {
				return verb
			}
		}
	}
	return ""
}

// maxTyped is how long a text is that is looked at for our command, in bytes.
const maxTyped = 4 << 10

// namesOwn reports whether a word is our command, by its name or its path.
func (j *judge) namesOwn(dir, text string) bool {
	switch baseName(text) {
	case "guardrails", "guardrails-full", "guardrails.exe":
		return true
	}
	if !strings.Contains(text, "/") {
		return false
	}
	p, ok := j.abs(dir, text)
	return ok && j.isBinary(p)
}

// plainlyHuman is humanOnly for words that may be anything: what is no verb of
// ours in full is none.
func plainlyHuman(args []word) string {
	verb := humanOnly(args)
	switch verb {
	case "off", "trust", "init --uninstall", "init --purge", "init --force", "gc --force", "deps cache clear",
		"config init", "config edit", "evidence init", "evidence migrate", "evidence pause", "lessons edit", "lessons drop":
		return verb
	case "allow", "skip":
		if len(operands(ownFlags.parse(args))) > 1 {
			return verb
		}
	}
	return ""
}

// types reports whether a program types, or has a terminal run, a text that it is
// given.
func types(program string) bool {
	switch program {
	case "kitty", "kitten", "wezterm", "zellij", "tmux", "screen", "xdotool", "ydotool", "wtype", "dotool", "cliclick", "xterm", "uxterm", "urxvt", "rxvt", "st", "foot", "alacritty", "konsole",
		"gnome-terminal", "kgx", "ptyxis", "xfce4-terminal", "mate-terminal", "terminator", "tilix", "ghostty", "rio", "wt", "dtach", "abduco", "ttyd", "mosh", "byobu", "zpty":
		return true
	}
	return false
}

// hostSwitch is the check for host programs started or told to run without
// our hooks.
func hostSwitch(j *judge, c *shellcmd.Command) (match, bool) {
	args := c.Args()
	t := func(i int) string {
		if i < len(args) {
			return strings.ToLower(args[i].Text)
		}
		return ""
	}
	ours := func(from int) bool {
		for i := from; i < len(args); i++ {
			if strings.Contains(strings.ToLower(args[i].Text), "guardrails") {
				return true
			}
		}
		return false
	}
	switch c.Program {
	case "claude":
		for i := range args {
			a := strings.ToLower(args[i].Text)
			name, val, has := strings.Cut(a, "=")
			switch name {
			case "--bare", "--safe-mode":
				return match{what: "starts the host without hooks (" + name + ")"}, true
			case "--settings":
				if !has {
					val = t(i + 1)
				}
				if !strings.HasPrefix(strings.TrimSpace(val), "{") {
					val = j.settingsFile(c, val)
				}
				if strings.Contains(val, "disableallhooks") && !strings.Contains(strings.ReplaceAll(val, " ", ""), `"disableallhooks":false`) || strings.Contains(val, "allowmanagedhooksonly") {
					return match{what: "starts the host with hooks switched off"}, true
				}
			case "--setting-sources":
				if !has {
					val = t(i + 1)
				}
				if !strings.Contains(val, "user") || !strings.Contains(val, "project") || !strings.Contains(val, "local") {
					return match{what: "starts the host without some of its settings (" + name + ")"}, true
				}
			}
		}
		if t(0) == "config" && (t(1) == "set" || t(1) == "add") {
			for i := 2; i < len(args); i++ {
				if k := t(i); k == "disableallhooks" || k == "allowmanagedhooksonly" || strings.HasPrefix(k, "hooks") {
					return match{what: "switches hooks in the host's configuration"}, true
				}
			}
		}
		if t(0) == "plugin" || t(0) == "plugins" {
			switch t(1) {
			case "disable", "uninstall", "remove", "rm":
				if ours(2) {
					return match{what: "switches the guardrails plugin off"}, true
				}
			case "marketplace":
				if (t(2) == "remove" || t(2) == "rm") && ours(3) {
					return match{what: "removes the guardrails marketplace"}, true
				}
			}
		}
	case "gemini":
		if t(0) == "hooks" && (t(1) == "disable" || t(1) == "disable-all" || t(1) == "remove") {
			return match{what: "switches hooks off"}, true
		}
		if (t(0) == "extensions" || t(0) == "extension") && (t(1) == "disable" || t(1) == "uninstall" || t(1) == "remove") && ours(2) {
			return match{what: "switches the guardrails extension off"}, true
		}
	case "codex":
		for i := range args {
			a := t(i)
			if a == "--disable" && t(i+1) == "hooks" || a == "--disable=hooks" || strings.Contains(strings.ReplaceAll(a, " ", ""), "features.hooks=false") || strings.Contains(strings.ReplaceAll(a, " ", ""), "hooks.state") {
				return match{what: "starts the host with hooks switched off"}, true
			}
		}
	case "muse", "agy", "antigravity":
		if (t(0) == "plugin" || t(0) == "plugins" || t(0) == "hooks") && (t(1) == "disable" || t(1) == "uninstall" || t(1) == "remove") && (t(0) == "hooks" || ours(2)) {
			return match{what: "switches our hooks off"}, true
		}
	case "npm", "pnpm", "yarn", "bun", "brew", "apt", "apt-get", "scoop", "winget", "pip", "pipx", "uv":
		for i := range args {
			switch args[i].Text {
			case "uninstall", "un", "remove", "rm", "purge", "unlink":
				for k := i + 1; k < len(args); k++ {
					if b := strings.ToLower(baseName(args[k].Text)); b == "guardrails" {
						return match{what: "uninstalls guardrails"}, true
					}
				}
			}
		}
	case "pkill", "killall":
		if ours(0) {
			return match{what: "kills guardrails"}, true
		}
	}
	switch c.Program {
	case "claude", "gemini", "codex":
		for i := range c.Env {
			switch n := c.Env[i].Name; n {
			case "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "CODEX_HOME", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "CLAUDE_CODE_SIMPLE":
				return match{what: "starts the host with another configuration (" + n + ")"}, true
			default:
				if steersHooks(n) {
					return match{what: "starts the host with " + n}, true
				}
			}
		}
	}
	return match{}, false
}

// settingsFile returns the text of a settings file in lower case; of one that
// the line itself may write, the line.
func (j *judge) settingsFile(c *shellcmd.Command, name string) string {
	if p, ok := j.abs(c.Dir, name); ok {
		if data, err := j.readSome(p); err == nil {
			return strings.ToLower(string(data))
		}
	}
	if src := strings.ToLower(j.line.Source); strings.Count(src, name) > 1 {
		return src
	}
	return ""
}

// hostConfig is the check for host programs that change their own
// configuration.
func hostConfig(_ *judge, c *shellcmd.Command) (match, bool) {
	args := c.Args()
	if len(args) < 2 {
		return match{}, false
	}
	a, b := strings.ToLower(args[0].Text), strings.ToLower(args[1].Text)
	switch c.Program {
	case "claude", "gemini", "codex", "muse", "agy":
	default:
		return match{}, false
	}
	switch a {
	case "mcp":
		switch b {
		case "add", "add-json", "add-from-claude-desktop", "remove", "reset-project-choices":
			return match{what: "changes which MCP servers the host starts"}, true
		}
	case "config":
		switch b {
		case "set", "add", "remove", "rm":
			return match{what: "changes the host's configuration"}, true
		}
	case "plugin", "plugins", "extensions", "extension":
		switch b {
		case "disable", "uninstall", "remove", "rm":
			return match{what: "switches a plugin off"}, true
		}
	}
	return match{}, false
}
