// Package muse translates Muse Code: its hook payloads, its answers, what it
// can carry, what to register with it and which files switch it off.
//
// Muse is a closed program and publishes no hook schema; nothing here was
// measured by us. Facts come from public records of others and carry a
// confidence: A measured on 1.4.x, B measured on an older build (0.1 to 1.3)
// without a contradiction, C one source or inferred, D assumed.
//
// It may import the standard library, core/hook and adapters/muse/approval,
// nothing else of ours.
package muse

import (
	"path/filepath"

	"github.com/ec261362/guardrails/adapters/muse/approval"
	"github.com/ec261362/guardrails/core/hook"
)

// Name is the host's name on our command line.
const Name = "muse"

// Adapter is the adapter of Muse Code. The zero value is ready.
type Adapter struct{}

var (
	_ hook.Adapter  = Adapter{}
	_ hook.Wirer    = Adapter{}
	_ hook.Guarded  = Adapter{}
	_ hook.Headless = Adapter{}
	_ hook.Sampler  = Adapter{}
	_ hook.Approver = Adapter{}
)

// Name returns "muse".
func (Adapter) Name() string { return Name }

// Over 16,384 bytes of output the process tree is killed, the output is thrown
// away and the call runs (B), so everything that we print stays below half of
// that, and texts are cut by what they take once encoded.
const (
	maxOutput  = 8 << 10
	maxReason  = 2000 // characters
	maxStop    = 6000 // characters
	maxContext = 5000 // bytes
	maxNotice  = 1500 // bytes
	maxText    = 7000 // bytes of any one text, encoded
)

// events are the host's events that have a canonical name, which is the host's
// own: 11 documented ones, and the three undocumented ones of those that a
// gate could want (B). PreLLMCall and PostLLMCall carry the whole conversation
// and are left alone.
var events = [...]hook.EventName{
	hook.SessionStart, hook.UserPromptSubmit, hook.PreToolUse, hook.PermissionRequest, hook.PostToolUse, hook.PostToolUseFailure,
	hook.PreCompact, hook.PostCompact, hook.SubagentStart, hook.SubagentStop, hook.Stop, hook.StopFailure, hook.SessionEnd,
	hook.Notification,
}

// Capabilities says what Muse can do.
//
//   - Ask is nowhere shown to exist, and silence could run the call under a
//     persisted allow, so an ask becomes a denial (A for "allow is not
//     honoured", C for ask).
//   - A bare updatedInput rewrites (A).
//   - Stop is not fired with the Meta provider on 1.2, nor on cancel (B): what
//     it did not get to say, the next prompt says as context, and a push or a
//     pull request is refused until then.
//   - Additional context is known on SessionStart and UserPromptSubmit only
//     (B). A systemMessage is accepted and shown to nobody (B), so a notice
//     goes the same way, as a request to pass it on.
//   - How a command ended is read from its result as far as that says it (D).
func (Adapter) Capabilities() hook.Capabilities {
	return hook.Capabilities{
		Rewrite:      true,
		Subagents:    false, // SubagentStop fires, but calls inside are not marked (C)
		ToolUseID:    true,
		ClosedOutput: true,
		Outcome:      hook.OutcomeText,
		Events:       append([]hook.EventName(nil), events[:]...),
		Stop:         []hook.EventName{hook.Stop, hook.UserPromptSubmit, hook.PreToolUse},
		Context:      map[hook.EventName]int{hook.SessionStart: maxContext, hook.UserPromptSubmit: maxContext},
		Notice:       map[hook.EventName]int{hook.SessionStart: maxNotice, hook.UserPromptSubmit: maxNotice},
		Decides: map[hook.EventName]hook.Decision{
			hook.PreToolUse:        hook.Deny,  // A
			hook.PermissionRequest: hook.Deny,  // B
			hook.PostToolUse:       hook.Block, // D
			hook.Stop:              hook.Block, // B, under `hook test`
			hook.SubagentStop:      hook.Block, // C
		},
	}
}

// HeadlessCommand returns the command that answers one prompt without a
// terminal (A).
func (Adapter) HeadlessCommand(prompt string) []string { return []string{"muse", "exec", prompt} }

// Wiring returns the handlers of the bundle: one group without a matcher for
// each event, because the matcher aliases of the file tools are not published
// (C); timeouts are whole seconds, and one that is absent is no limit (B).
func (Adapter) Wiring() []hook.Wiring {
	return []hook.Wiring{
		{Event: "SessionStart", Timeout: 10},
		{Event: "UserPromptSubmit", Timeout: 10},
		{Event: "PreToolUse", Timeout: 10},
		{Event: "PostToolUse", Timeout: 10},
		{Event: "Stop", Timeout: 120},
		{Event: "SubagentStop", Timeout: 120},
		{Event: "SessionEnd", Timeout: 10},
	}
}

// ConfigVar names the variable that moves Muse's configuration folder: the host
// itself follows it, its hooks do not see it (A).
func (Adapter) ConfigVar() string { return "XDG_CONFIG_HOME" }

// LiveFiles names the files that decide whether our hooks run: the settings
// with the state of each capability, the folder's trust, the plugins' list, and
// Muse's own copy of our bundle, of which no byte may change (B).
func (Adapter) LiveFiles(p hook.Paths) []hook.LiveFile {
	var out []hook.LiveFile
	add := func(dir string) {
		out = append(out,
			hook.LiveFile{
				Path:     filepath.Join(dir, "muse", "settings.json"),
				Switches: []string{"runtime_capabilities.plugin:guardrails*", "managed_hooks_path", "managed_hooks_env_vars", "schema_version"},
				Entries:  true,
			},
			// Only Muse's own screen writes it (B); a malformed one ends the session.
			hook.LiveFile{Path: filepath.Join(dir, "muse", "trust.json"), Switches: []string{"*"}},
		)
	}
	config := ""
	if p.Home != "" {
		config = filepath.Join(p.Home, ".config")
		add(config)
	}
	if filepath.IsAbs(p.ConfigHome) && filepath.Clean(p.ConfigHome) != config {
		add(p.ConfigHome)
	}
	if p.Home != "" {
		plugins := filepath.Join(p.Home, ".local", "share", "muse", "plugins")
		out = append(out,
			hook.LiveFile{Path: filepath.Join(plugins, "installed.json"), Switches: []string{"*"}},
			hook.LiveFile{Path: filepath.Join(plugins, "cache", "local", "guardrails"), Dir: true},
		)
	}
	for i, dir := range [...]string{p.Dir, p.Root} {
		if dir != "" && (i == 0 || dir != p.Dir) {
			out = append(out, hook.LiveFile{Path: filepath.Join(dir, ".muse", "hooks.json"), Entries: true})
		}
	}
	return out
}

// MayRewrite asks the user's persisted approvals, read-only (A: a rewrite is
// judged by them only after our hook has run). The hook reads below the home,
// as the host clears XDG variables; where another XDG_CONFIG_HOME is visible,
// nothing is known.
func (Adapter) MayRewrite(e *hook.Event, files hook.ReadFS, p hook.Paths, original, rewritten string) (ok bool, why string) {
	dir, err := approval.Dir(p.Home, p.ConfigHome)
	if err != nil {
		return false, err.Error()
	}
	q := approval.Question{Original: original, Rewritten: rewritten, PowerShell: e.Tool.PowerShell(), Mode: e.Mode}
	q.Policy, q.Settings = approval.Read(files, dir)
	a := approval.Compare(q)
	return a.MayRewrite(), a.Why
}
