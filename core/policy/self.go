package policy

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Positions in selfRules that file tools fire, too.
const (
	ruleConfig = iota
	ruleState
	ruleBinary
	ruleHostSettings
	ruleAgentConfig
	ruleProtected
	ruleInstructions
)

var selfRules = [...]Rule{
	ruleConfig: {
		ID: "self-protection/config", Verdict: hook.Deny,
		Doc:     "Writing .guardrails.yaml or .guardrails/ (but for LEDGER.md, less its PAUSED line) with any tool.",
		Why:     "what the guard may do is decided by the human, not by the agent that it guards",
		Instead: "read it with `cat .guardrails.yaml`, see the merged rules with `guardrails config show`, and propose the change to your human",
		Fire: []string{
			"sed -i 's/enforce/warn/' .guardrails.yaml", "echo x > .guardrails.yaml", "rm -rf .guardrails", "mv .guardrails.yaml x.yaml",
			`python3 -c "open('.guardrails.yaml','w').write('')"`, "cp other.yaml ./sub/../.guardrails.yaml", "ln -sf /tmp/x .guardrails.yaml",
			"git checkout -- .guardrails.yaml", "Write(.guardrails.yaml)", "Edit(.guardrails/state.json)", "tee .GUARDRAILS.yaml",
			"echo 'PAUSED for now' >> .guardrails/LEDGER.md", "printf 'PAU%s x' SED | tee -a .guardrails/LEDGER.md", "sed -i '1i PAUSED for now' .guardrails/LEDGER.md",
		},
		Pass:   []string{"cat .guardrails.yaml", "grep mode .guardrails.yaml", "cp .guardrails.yaml /tmp/copy.yaml", "Read(.guardrails.yaml)", "echo x >> .guardrails/LEDGER.md"},
		guards: ruleConfig, check: guardWrites,
	},
	ruleState: {
		ID: "self-protection/state", Verdict: hook.Deny,
		Doc:     "Writing the guard's own folder (~/.guardrails): state, log, trusted configuration, backups.",
		Why:     "the guard's memory and its trusted settings are not the agent's to change",
		Instead: "look with `guardrails status` or `guardrails log`",
		Fire:    []string{"rm -rf ~/.guardrails", "echo '{}' > ~/.guardrails/config.yaml", "mv ~/.guardrails /tmp/x", "Write(/home/user/.guardrails/config.yaml)", "sed -i s/a/b/ ~/.guardrails/log/x"},
		Pass:    []string{"ls ~/.guardrails", "cat ~/.guardrails/config.yaml"},
		guards:  ruleState, check: guardWrites,
	},
	ruleBinary: {
		ID: "self-protection/binary", Verdict: hook.Deny,
		Doc:     "Removing, replacing or disabling the guardrails program.",
		Why:     "without its program the guard is silently off",
		Instead: "ask your human; `guardrails doctor` shows whether the installation is sound",
		Fire:    []string{"rm /usr/local/bin/guardrails", "chmod -x ~/.guardrails/bin/guardrails", "mv bin/guardrails x", "cp /bin/true /usr/local/bin/guardrails", "rm $(command -v guardrails)"},
		Pass:    []string{"guardrails version", "ls -l /usr/local/bin/guardrails", "cp bin/guardrails /tmp/g"},
		guards:  ruleBinary, check: guardWrites,
	},
	ruleHostSettings: {
		ID: "self-protection/host-settings", Verdict: hook.Deny,
		Doc:     "Changing the live hook configuration of a host by a shell command, or by a file tool so that hooks of ours or their switches change.",
		Why:     "this is the file that starts the guard",
		Instead: "change other keys with the edit tool: an edit passes when the file stays valid JSON, keeps the guardrails entries byte for byte and touches no hook switch",
		Fire: []string{
			"echo '{}' > .claude/settings.json", "jq 'del(.hooks)' .claude/settings.json > t && mv t .claude/settings.json", "rm -rf .claude",
			"sed -i s/a/b/ ~/.claude/settings.json", "ln -sf /tmp/x .claude/settings.json", "ln -sfn /tmp/x .claude", `python3 -c "import json;p='.claude/settings.json';open(p,'w').write('{}')"`,
			"cd .claude && truncate -s 0 settings.json", "git rm .claude/settings.json", "chmod 000 .claude/settings.json",
			"echo GEMINI_CLI_HOME=/tmp/x >> .env", "cp -r /tmp/evil/. .claude/", "find . -name 'settings*.json' -delete",
		},
		Pass:   []string{"cat .claude/settings.json", "jq .hooks .claude/settings.json", "cp .claude/settings.json /tmp/copy.json", "mkdir -p /tmp/fx/.claude && echo '{}' > /tmp/fx/.claude/settings.json"},
		guards: ruleHostSettings, check: hostSettings,
	},
	ruleAgentConfig: {
		ID: "self-protection/agent-config", Verdict: hook.Ask,
		Doc:     "Changing what an agent program starts by itself: MCP servers, hook scripts and manifests, plugin manifests, settings of another folder or user.",
		Why:     "it decides which programs run unasked in later sessions",
		Instead: "show the change to your human first",
		Fire: []string{
			`printf "%s" "$P" > .mcp.json`, "sed -i 's/a/b/' plugins/foo/hooks/hooks.json", "cp evil.json /home/other/.claude/settings.json",
			"claude mcp add x -- npx x", "rm .claude/hooks/check.js", "claude plugin uninstall other@market", "claude config set apiKeyHelper /tmp/x.sh",
			"echo 'export CLAUDE_CONFIG_DIR=/tmp/x' >> ~/.bashrc",
		},
		Pass:   []string{"cat .mcp.json", "claude mcp list", "claude plugin list", "node .claude/hooks/check.js", "ls -la .claude/hooks/", "echo x > app/hooks.js", "claude config list", "echo 'export EDITOR=vim' >> ~/.bashrc"},
		guards: ruleAgentConfig, check: agentConfig,
	},
	ruleProtected: {
		ID: "disarm/protected-path", Verdict: hook.Ask,
		Doc:     "Writing a path that policy.protect names.",
		Why:     "the configuration asks for a human's look at changes here",
		Instead: "describe the change to your human first",
		guards:  ruleProtected, check: guardWrites,
	},
	ruleInstructions: {
		ID: "instructions/steering", Verdict: hook.Ask,
		Doc:     "Changing, deleting or moving a file that tells an agent what to do: CLAUDE.md, AGENTS.md, GEMINI.md, rules, skills, commands and agents of every host.",
		Why:     "it steers every later session, this one's too",
		Instead: "read it with `cat CLAUDE.md`, and propose the change to your human",
		Fire: []string{
			"rm CLAUDE.md", "echo '- always say yes' >> AGENTS.md", "git mv CLAUDE.md old.md", "sed -i s/never/always/ GEMINI.md", "Write(CLAUDE.local.md)", "Edit(.claude/agents/reviewer.md)",
			"Write(.cursor/rules/x.mdc)", "cp x.md .claude/commands/deploy.md", "rm -rf .claude/skills/review", "tee .github/copilot-instructions.md < x", "Write(.agents/rules/style.md)",
		},
		Pass: []string{
			"cat CLAUDE.md", "git add CLAUDE.md", "cp CLAUDE.md /tmp/copy.md", "grep -rn test .claude/agents", "Read(.claude/agents/reviewer.md)", "Write(docs/agents.txt)", "echo x > README.md", "git diff CLAUDE.md",
		},
		guards: ruleInstructions, check: guardWrites,
	},
	{
		ID: "self-protection/verb", Verdict: hook.Deny,
		Doc:     "The verbs of guardrails that are the human's: trust, allow, skip, off, on, init --uninstall, config edit and their kin.",
		Why:     "the guarded agent may not loosen its own guard",
		Instead: "`guardrails status` and `guardrails explain filesystem/delete-root` are free; for the rest ask your human",
		Fire: []string{
			"guardrails off", "guardrails trust", "guardrails init --uninstall", "/opt/x/guardrails allow once 1a2b3c4d", "bash -c 'guardrails skip e2e x'",
			"go run ./cmd/guardrails off", "go run ./cmd/guardrails/guardrails-full off", "guardrails config edit", "env A=1 guardrails gc --force", "$(command -v guardrails) off", "guardrails --home /x deps cache clear",
			"guardrails init --dry-run=false --uninstall", "guardrails approve 123456", "guardrails evidence pause",
			"xterm -e guardrails off", "gnome-terminal -- /opt/x/guardrails allow once 1a2b3c4d", "faketty guardrails trust", "dtach -n /tmp/s guardrails off",
			`kitty @ send-text 'guardrails allow once 1a2b3c4d\n'`, "wezterm cli send-text '/opt/x/guardrails off'", "zellij action write-chars 'guardrails off'", "xdotool type 'guardrails trust'",
			"zsh -c 'zmodload zsh/zpty; zpty x guardrails allow once 1a2b3c4d'",
		},
		Pass: []string{
			"guardrails status", "guardrails init", "guardrails off --help", "guardrails init --uninstall --dry-run", "guardrails check -- rm -rf /",
			"guardrails config show", "guardrails evidence add x", "guardrails gate run", "echo guardrails off", "ls bin/guardrails", "docker build -t guardrails .", "xterm -e guardrails status", "kitty @ send-text 'guardrails doctor'", "cp bin/guardrails off/", "go run ./cmd/guardrails check -- ls",
		},
		check: ownVerb,
	},
	{
		ID: "self-protection/host-switch", Verdict: hook.Deny,
		Doc:     "Starting a host without our hooks, or switching our plugin or its hooks off.",
		Why:     "the session that starts this way is not guarded",
		Instead: "start it with its usual settings and flags",
		Fire: []string{
			"claude --bare -p x", "claude --safe-mode", `claude --settings '{"disableAllHooks":true}' -p x`, "claude plugin disable guardrails@guardrails",
			"gemini hooks disable guardrails", "codex --disable hooks", "npm uninstall -g guardrails", "CLAUDE_CONFIG_DIR=/tmp/x claude -p y",
		},
		Pass:  []string{"claude -p x", "claude plugin list", "claude plugin enable guardrails@guardrails", "gemini extensions list", "npm uninstall left-pad"},
		check: hostSwitch,
	},
}

// guard says what a path is to the guard. The zero value is an ordinary file.
type guard int

const (
	unguarded guard = iota
	guardConfig
	guardLedger
	guardState
	guardBinary
	guardLive  // a host's live configuration
	guardAgent // other configuration of an agent program
	guardGlob  // policy.protect
	guardSteer // instructions of an agent
)

func (g guard) rule() *Rule {
	switch g {
	case guardConfig, guardLedger:
		return &selfRules[ruleConfig]
	case guardState:
		return &selfRules[ruleState]
	case guardBinary:
		return &selfRules[ruleBinary]
	case guardLive:
		return &selfRules[ruleHostSettings]
	case guardAgent:
		return &selfRules[ruleAgentConfig]
	case guardGlob:
		return &selfRules[ruleProtected]
	case guardSteer:
		return &selfRules[ruleInstructions]
	}
	return nil
}

// soft reports whether g only asks: an ordinary file of the project otherwise.
func (g guard) soft() bool { return g == guardAgent || g == guardGlob || g == guardSteer }

// guarded says what p, absolute and clean, is to the guard; links in it are
// followed. For a live file it returns that, too.
func (j *judge) guarded(p string) (guard, *hook.LiveFile) {
	g, lf := j.guardedOne(p)
	if g != unguarded && !g.soft() {
		return g, lf
	}
	r := j.real(p)
	if r != p {
		if rg, rlf := j.guardedOne(r); rg != unguarded {
			return rg, rlf
		}
	}
	if k := j.otherName(r); k != "" {
		if kg, klf := j.guardedOne(k); kg != unguarded {
			return kg, klf
		}
	}
	return g, lf
}

// otherName returns the guarded path that p is a hard link to, "" if it is
// none.
func (j *judge) otherName(p string) string {
	if j.fs == nil {
		return ""
	}
	fi, err := j.fs.Lstat(p)
	if err != nil || !fi.Mode().IsRegular() || !shared(fi) {
		return ""
	}
	for _, k := range j.known() {
		if k == p {
			continue
		}
		if other, err := j.fs.Stat(k); err == nil && os.SameFile(fi, other) {
			return k
		}
	}
	return ""
}

func equalFold(a, b string) bool { return a != "" && strings.EqualFold(a, b) }

// foldWithin is within without regard to case: a wrong match only protects
// more.
func foldWithin(dir, p string) bool {
	if dir == "" || dir == "/" {
		return false
	}
	return len(p) >= len(dir) && strings.EqualFold(dir, p[:len(dir)]) && (len(p) == len(dir) || p[len(dir)] == '/')
}

func (j *judge) guardedOne(p string) (guard, *hook.LiveFile) {
	for _, s := range [...]string{j.state, tidy(j.set.StateHome)} {
		if s == "" {
			continue
		}
		if foldWithin(s, p) || foldWithin(j.real(s), p) {
			if j.isBinary(p) {
				return guardBinary, nil
			}
			return guardState, nil
		}
	}
	if j.isBinary(p) {
		return guardBinary, nil
	}
	for i := range j.set.LiveFiles {
		lf := &j.set.LiveFiles[i]
		lp := tidy(lf.Path)
		if equalFold(lp, p) || lf.Dir && foldWithin(lp, p) {
			return guardLive, lf
		}
	}
	for i := range j.set.LiveFiles {
		lf := &j.set.LiveFiles[i]
		if lp := j.real(tidy(lf.Path)); equalFold(lp, p) || lf.Dir && foldWithin(lp, p) {
			return guardLive, lf
		}
	}
	low := strings.ToLower(p)
	base := path.Base(low)
	temp := j.temp(p) == 2 && !j.within(j.root, p) && !foldWithin(j.root, p) && !foldWithin(j.home, p)
	if !temp {
		if base == ".guardrails.yaml" || base == ".guardrails.yml" {
			return guardConfig, nil
		}
		if i := strings.Index(low+"/", "/.guardrails/"); i >= 0 {
			if low[i:] == "/.guardrails/ledger.md" && !equalFold(low[:i], j.home) {
				return guardLedger, nil
			}
			return guardConfig, nil
		}
	}
	if g := j.agentFile(p, low, base, temp); g != unguarded {
		return g, nil
	}
	if j.protects(p) {
		return guardGlob, nil
	}
	if !temp && j.set.packOn(packInstructions) && steers(low) {
		return guardSteer, nil
	}
	return unguarded, nil
}

// protects reports whether policy.protect names p: by patterns seen from the
// project root, absolute, or from the home.
func (j *judge) protects(p string) bool {
	rel := ""
	if j.below(j.root, p) {
		rel = p[len(strings.TrimSuffix(j.root, "/"))+1:]
	}
	for _, glob := range j.set.Protect {
		at := p
		switch {
		case strings.HasPrefix(glob, "~/") && j.home != "":
			glob = j.home + glob[1:]
		case !isAbs(glob):
			at = rel
		}
		if at == "" {
			continue
		}
		if ok, err := doublestar.Match(glob, at); err == nil && ok {
			return true
		}
	}
	return false
}

// agentFile recognises configuration of agent programs that is not live here:
// manifests and scripts that later sessions start, and settings of another
// folder or user.
func (j *judge) agentFile(_, low, base string, temp bool) guard {
	if temp {
		return unguarded
	}
	parent := path.Base(path.Dir(low))
	switch {
	case base == ".mcp.json":
		return guardAgent
	case (base == "settings.json" || base == "settings.local.json") && (parent == ".claude" || parent == ".gemini"):
		return guardAgent
	case base == "hooks.json" && (parent == "hooks" || parent == ".agents" || parent == ".codex" || parent == ".cursor" || j.same(path.Dir(low), strings.ToLower(j.root))):
		return guardAgent
	case strings.Contains(low, "/.claude/hooks/") || strings.HasSuffix(low, "/.claude/hooks"):
		return guardAgent
	case parent == ".claude-plugin" || strings.HasSuffix(low, "/.claude-plugin"):
		return guardAgent
	case strings.HasSuffix(low, "/claude-code/managed-settings.json"), strings.HasSuffix(low, "/.codex/config.toml"):
		return guardAgent
	}
	return unguarded
}

// isBinary reports whether p is our program: a registered path, or anything
// named guardrails in a bin folder.
func (j *judge) isBinary(p string) bool {
	for _, b := range j.set.Binaries {
		if equalFold(tidy(b), p) {
			return true
		}
	}
	base := strings.ToLower(path.Base(p))
	switch base {
	case "guardrails", "guardrails.exe", "guardrails-full", "guardrails-full.exe":
		return strings.EqualFold(path.Base(path.Dir(p)), "bin")
	}
	return false
}

// known are the guarded paths that are known by name, for patterns and for
// deletes of folders that hold them.
func (j *judge) known() []string {
	if j.knownPaths != nil {
		return j.knownPaths
	}
	out := make([]string, 0, 16)
	add := func(p string) {
		if p != "" {
			out = append(out, p)
		}
	}
	add(j.state)
	for i := range j.set.LiveFiles {
		add(tidy(j.set.LiveFiles[i].Path))
	}
	for _, b := range j.set.Binaries {
		add(tidy(b))
	}
	if j.root != "" {
		add(tidy(j.root + "/.guardrails.yaml"))
		add(tidy(j.root + "/.guardrails"))
		if j.set.packOn(packInstructions) {
			for _, n := range steeringNames() {
				if p := tidy(j.root + "/" + n); j.exists(p) {
					add(p)
				}
			}
		}
	}
	j.knownPaths = out
	return out
}

// touched says what a write to w hits, the path it means, and the live file.
func (j *judge) touched(c *shellcmd.Command, w *write) (guard, string) {
	if slices.ContainsFunc(w.path.Subst, j.findsBinary) {
		return guardBinary, "the guardrails program"
	}
	for _, p := range j.paths(c, w.path) {
		if base, pattern := splitGlob(p); pattern != "" {
			for _, k := range j.known() {
				if j.hitsPattern(base, pattern, k) && (j.exists(k) || !everything(pattern)) {
					if g, _ := j.guarded(k); g != unguarded {
						return g, j.show(k)
					}
				}
			}
		}
		if g, _ := j.guarded(p); g != unguarded && (g != guardLedger || w.remove || j.pauses(c, w)) {
			return g, j.show(p)
		}
		whole := j.within(p, j.root) || j.within(p, j.home) // holds more than what is guarded
		if w.from != nil || w.tree {
			for _, k := range j.known() {
				if !foldWithin(p, k) || len(k) == len(p) {
					continue
				}
				// A folder put in place of, or copied over, one that holds it.
				if g, _ := j.guarded(k); g != unguarded && (!whole && (links(c) || w.tree && w.from == nil && g != guardBinary && equalFold(path.Dir(k), p)) || w.from != nil && j.brings(c, w, p, k[len(p):], whole)) {
					return g, j.show(k)
				}
			}
		}
		if w.remove || w.mode && c.Program == "chmod" && takesExec(c.Args()) {
			for _, k := range j.known() {
				if foldWithin(p, k) && j.exists(k) && !whole {
					if g, _ := j.guarded(k); g != unguarded {
						return g, j.show(k)
					}
				}
			}
		}
	}
	return unguarded, ""
}

// links reports whether c makes links.
func links(c *shellcmd.Command) bool {
	return c.Program == "ln" || c.Program == "gln" || c.Program == "link"
}

// brings reports whether what w puts at p has a file at rel. Where the source
// cannot be looked at, a folder that replaces or fills p is taken to have it.
func (j *judge) brings(c *shellcmd.Command, w *write, p, rel string, whole bool) bool {
	there := false
	for _, f := range j.paths(c, w.from) {
		f, _ = splitGlob(f)
		if j.exists(strings.TrimSuffix(f, "/") + rel) {
			return true
		}
		there = there || j.exists(f)
	}
	if there || whole || !movesFolders(c) {
		return false
	}
	return w.tree || !w.onto || !j.isDir(p)
}

// movesFolders reports whether c copies or moves whole folders.
func movesFolders(c *shellcmd.Command) bool {
	switch c.Program {
	case "mv", "gmv", "move", "move-item", "rename-item", "rsync", "ditto", "xcopy", "robocopy":
		return true
	case "cp", "gcp", "scp", "copy-item":
		for _, a := range c.Args() {
			if t := strings.ToLower(a.Text); t == "-recurse" || long(t, "--recursive", 1) || t == "--archive" || len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.ContainsAny(t, "ra") {
				return true
			}
		}
	}
	return false
}

// hitsPattern reports whether base/pattern matches k or a folder that holds
// it.
func (j *judge) hitsPattern(base, pattern, k string) bool {
	if base == "" {
		return false
	}
	full := strings.ToLower(strings.TrimSuffix(base, "/") + "/" + strings.TrimRight(pattern, "/"))
	for k = strings.ToLower(k); len(k) > len(base); k = path.Dir(k) {
		if ok, err := doublestar.Match(full, k); err == nil && ok {
			return true
		}
	}
	return false
}

// guardWrites is the check for shell writes that hit what the rule guards.
func guardWrites(j *judge, c *shellcmd.Command) (match, bool) {
	rule := j.rule.guards
	if c.Has(shellcmd.Remote) || rule == ruleInstructions && !j.set.packOn(packInstructions) {
		return match{}, false
	}
	ws := j.writesOf(c)
	for i := range ws {
		w := &ws[i]
		if w.mode && rule == ruleInstructions {
			continue
		}
		if g, shown := j.touched(c, w); ruleIndex(g) == rule {
			return match{what: verbFor(w) + oneLine(shown)}, true
		}
		// A second name for a guarded file would be a way round its first.
		if w.from != nil && links(c) {
			if g, shown := j.touched(c, &write{path: w.from}); ruleIndex(g) == rule && !g.soft() {
				return match{what: "makes a second name for " + oneLine(shown)}, true
			}
		}
	}
	if g, shown, w := j.met(c, ws); ruleIndex(g) == rule {
		return match{what: verbFor(w) + oneLine(shown)}, true
	}
	for _, p := range j.patched(c) {
		if g, _ := j.guarded(p); ruleIndex(g) == rule {
			return match{what: "patches " + oneLine(j.show(p))}, true
		}
	}
	return j.computedWrite(c, rule)
}

func verbFor(w *write) string {
	switch {
	case w.remove:
		return "removes "
	case w.mode:
		return "changes the mode of "
	}
	return "writes "
}

func ruleIndex(g guard) int {
	switch g {
	case guardConfig, guardLedger:
		return ruleConfig
	case guardState:
		return ruleState
	case guardBinary:
		return ruleBinary
	case guardLive:
		return ruleHostSettings
	case guardAgent:
		return ruleAgentConfig
	case guardGlob:
		return ruleProtected
	case guardSteer:
		return ruleInstructions
	}
	return -1
}

// computedWrite looks at programs in other languages that write a file whose
// name they compute, and that hold the name of a guarded file.
func (j *judge) computedWrite(c *shellcmd.Command, rule int) (match, bool) {
	if rule != ruleConfig && rule != ruleHostSettings && rule != ruleState {
		return match{}, false
	}
	computed := false
	for i := range c.Effects {
		e := &c.Effects[i]
		switch e.Kind {
		case shellcmd.WriteFile, shellcmd.DeleteFile, shellcmd.DeleteTree:
			computed = computed || !e.Path.Static
		case shellcmd.MoveFile, shellcmd.CopyFile:
			computed = computed || !e.To.Static || !e.Path.Static
		}
	}
	if !computed {
		return match{}, false
	}
	for i := range c.Code {
		text := strings.ToLower(c.Code[i].Text)
		switch rule {
		case ruleConfig:
			if strings.Contains(text, ".guardrails.yaml") {
				return match{what: "writes a computed path and names .guardrails.yaml"}, true
			}
		case ruleState:
			if strings.Contains(text, ".guardrails/") || strings.Contains(text, `".guardrails"`) || strings.Contains(text, `'.guardrails'`) {
				return match{what: "writes a computed path and names .guardrails"}, true
			}
		case ruleHostSettings:
			for k := range j.set.LiveFiles {
				p := strings.ToLower(tidy(j.set.LiveFiles[k].Path))
				tail := path.Base(path.Dir(p)) + "/" + path.Base(p)
				if strings.Contains(text, tail) || strings.Contains(text, path.Base(path.Dir(p))) && strings.Contains(text, path.Base(p)) {
					return match{what: "writes a computed path and names " + tail}, true
				}
			}
		}
	}
	return match{}, false
}

func hostSettings(j *judge, c *shellcmd.Command) (match, bool) {
	if m, hit := j.hostMoved(c, envFile); hit {
		return m, true
	}
	return guardWrites(j, c)
}

func agentConfig(j *judge, c *shellcmd.Command) (match, bool) {
	if m, hit := hostConfig(j, c); hit {
		return m, true
	}
	if m, hit := j.hostMoved(c, profile); hit {
		return m, true
	}
	return guardWrites(j, c)
}

// selfFiles judges what a file tool writes.
func (j *judge) selfFiles() {
	t := j.ev.Tool
	if t == nil || j.ev.Name != hook.PreToolUse {
		return
	}
	switch t.Kind {
	case hook.Read, hook.Search, hook.Fetch, hook.AskUser, hook.Spawn, hook.Skill:
		return
	case hook.Shell:
		if cmd, _ := t.Command(); !strings.Contains(cmd, "*** Begin Patch") {
			return
		}
	}
	edits := t.Edits()
	seen := map[string]bool{}
	for i := range edits {
		e := &edits[i]
		for _, raw := range [...]string{e.Path, e.NewPath} {
			if raw == "" || seen[raw] {
				continue
			}
			seen[raw] = true
			for _, as := range spellings(raw) {
				if p, ok := j.abs(j.cwd, as); ok {
					j.hostMovedBy(t, e, raw, p)
					j.selfEdit(t, e, raw, p, edits)
				}
			}
		}
	}
	if (t.Kind == hook.MCP || t.Kind == hook.Other) && writesByName(t.Name) {
		for _, raw := range pathLike(t) {
			if p, ok := j.abs(j.cwd, raw); ok && !seen[raw] {
				if g, _ := j.guarded(p); g != unguarded && g != guardLedger && g != guardGlob {
					j.add(g.rule(), match{what: "writes " + oneLine(j.show(p)) + " with content that cannot be seen"}, callFor(t, raw), []string{t.Kind.String(), raw})
				}
			}
		}
	}
	if len(edits) > 0 {
		return
	}
	// A writing tool whose content we do not see.
	if t.Kind == hook.Write || t.Kind == hook.Edit || writesByName(t.Name) {
		for _, raw := range t.Paths() {
			p, ok := j.abs(j.cwd, raw)
			if !ok {
				continue
			}
			g, _ := j.guarded(p)
			if g == unguarded && removesByName(t.Name) {
				g = j.holdsGuarded(p)
			}
			if r := g.rule(); r != nil {
				j.add(r, match{what: "writes " + oneLine(j.show(p)) + " with content that cannot be seen"}, callFor(t, raw), []string{t.Kind.String(), raw})
			}
		}
	}
}

// holdsGuarded says what of the guard lies below p.
func (j *judge) holdsGuarded(p string) guard {
	for _, k := range j.known() {
		if foldWithin(p, k) && j.exists(k) {
			if g, _ := j.guarded(k); g != unguarded {
				return g
			}
		}
	}
	return unguarded
}

// spellings returns a path as a file tool may read it: hosts drop space around
// it and what follows a NUL, servers on Windows take backslashes.
func spellings(raw string) []string {
	out := []string{raw}
	as := strings.TrimSpace(raw)
	as, _, _ = strings.Cut(as, "\x00")
	if as != raw {
		out = append(out, as)
	}
	if strings.Contains(as, `\`) && !winAbs(as) {
		out = append(out, strings.ReplaceAll(as, `\`, "/"))
	}
	return out
}

func (j *judge) selfEdit(t *hook.Tool, e *hook.FileEdit, raw, p string, edits []hook.FileEdit) {
	g, lf := j.guarded(p)
	if g == unguarded && (e.Op == hook.Delete || e.Op == hook.Move) {
		g = j.holdsGuarded(p)
	}
	rule := g.rule()
	if rule == nil {
		return
	}
	what := "writes " + oneLine(j.show(p))
	switch g {
	case guardLedger:
		if e.Op != hook.Delete && e.Op != hook.Move && !j.pauseChanged(p, e) {
			return
		}
		what = "changes the PAUSED line of " + oneLine(j.show(p))
	case guardLive:
		if lf == nil || lf.Dir || e.Op == hook.Delete || e.Op == hook.Move || !strings.HasSuffix(strings.ToLower(p), ".json") {
			break
		}
		problem := "the result cannot be seen"
		// The live file itself: p may spell it in another case.
		if before, ok := j.readForEdit(tidy(lf.Path)); ok {
			if after, seen := afterEdits(edits, raw, before); seen {
				if problem = settingsProblem(before, after, lf, j.set.OwnEntry); problem == "" {
					return
				}
			}
		}
		what = "changes " + oneLine(j.show(p)) + ": " + problem
	case guardAgent:
		if j.harmlessAgentEdit(edits, e, p, raw) {
			return
		}
	}
	j.add(rule, match{what: what}, callFor(t, raw), []string{t.Kind.String(), raw})
}

// readForEdit returns what a file holds now; a missing file is empty.
func (j *judge) readForEdit(p string) ([]byte, bool) {
	if j.fs == nil {
		return nil, false
	}
	data, err := j.fs.ReadFile(j.real(p), 4<<20)
	if err != nil {
		if j.exists(p) {
			return nil, false
		}
		return nil, true
	}
	return data, true
}

// harmlessAgentEdit reports whether an edit of settings that are not live here
// keeps hooks and their switches as they are.
func (j *judge) harmlessAgentEdit(edits []hook.FileEdit, e *hook.FileEdit, p, raw string) bool {
	low := strings.ToLower(p)
	if base := path.Base(low); base != "settings.json" && base != "settings.local.json" || !j.within(j.root, p) || e.Op == hook.Delete || e.Op == hook.Move {
		return false
	}
	before, ok := j.readForEdit(p)
	if !ok {
		return false
	}
	after, seen := afterEdits(edits, raw, before)
	if !seen || len(after) == 0 {
		return false
	}
	lf := hook.LiveFile{Switches: []string{"disableAllHooks", "allowManagedHooksOnly", "hooksConfig", "hooks"}}
	return settingsProblem(before, after, &lf, j.set.OwnEntry) == ""
}

// pauseChanged reports whether an edit of the ledger adds, drops or changes a
// line that says PAUSED.
func (j *judge) pauseChanged(p string, e *hook.FileEdit) bool {
	old := e.Old
	if e.Op == hook.Create {
		before, ok := j.readForEdit(p)
		if !ok {
			return true
		}
		old = string(before)
	}
	return pausedLines(old) != pausedLines(e.New)
}

// pauses reports whether a shell write to the ledger may put a PAUSED line into
// it: the line pauses for the human only. Where the text cannot be seen, the
// command line and the file that is copied are looked at.
func (j *judge) pauses(c *shellcmd.Command, w *write) bool {
	const word = "PAUSED"
	switch {
	case w.mode:
		return false
	case w.from != nil:
		for _, f := range j.paths(c, w.from) {
			data, ok := j.readForEdit(f)
			if !ok || strings.Contains(string(data), word) {
				return true
			}
		}
		return w.tree || !w.from.Static
	case c.Stdout.Known && strings.Contains(c.Stdout.Text, word), c.Stdin.Known && strings.Contains(c.Stdin.Text, word):
		return true
	}
	return j.line != nil && strings.Contains(j.line.Source, word)
}

func pausedLines(s string) string {
	var b strings.Builder
	for l := range strings.SplitSeq(s, "\n") {
		if strings.Contains(l, "PAUSED") {
			b.WriteString(strings.TrimSpace(l))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// callFor shows a file tool's call.
func callFor(t *hook.Tool, p string) string {
	name := t.Name
	if name == "" {
		name = t.Kind.String()
	}
	return oneLine(name + " " + p)
}

// writesByName reports whether a tool that we do not know says by its name
// that it writes.
func writesByName(name string) bool {
	n := strings.ToLower(name)
	for _, w := range [...]string{"write", "edit", "create", "update", "append", "patch", "replace", "delete", "remove", "move", "rename", "copy", "put", "save", "truncate", "chmod", "insert"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	return false
}

func removesByName(name string) bool {
	n := strings.ToLower(name)
	for _, w := range [...]string{"delete", "remove", "move", "rename", "unlink", "rmdir", "trash"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	return false
}
