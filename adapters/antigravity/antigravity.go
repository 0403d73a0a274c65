// Package antigravity translates Google Antigravity (the CLI agy, the app and
// the IDE): its hook payloads, its answers, what it can carry, what to register
// with it and which files switch it off.
//
// agy is a closed program behind a sign-in; nothing here was measured by us.
// Facts come from public records of others and carry a mark: LIVE with a
// version is a record of the real program, DOC the vendor's page, BIN strings
// of the binary, 3P an assertion without a method.
//
// It may import the standard library and core/hook, nothing else of ours.
package antigravity

import (
	"path/filepath"

	"github.com/ec261362/guardrails/core/hook"
)

// Name is the host's name on our command line.
const Name = "antigravity"

// Adapter is the adapter of Antigravity. The zero value is ready.
type Adapter struct{}

var (
	_ hook.Adapter       = Adapter{}
	_ hook.Wirer         = Adapter{}
	_ hook.Guarded       = Adapter{}
	_ hook.Headless      = Adapter{}
	_ hook.Sampler       = Adapter{}
	_ hook.OutcomeReader = Adapter{}
)

// Name returns "antigravity".
func (Adapter) Name() string { return Name }

// No limit of the host on a text is known; these are ours, in characters.
const (
	maxReason  = 2000
	maxStop    = 6000
	maxContext = 9000
	maxNotice  = 2000
)

// Capabilities says what Antigravity can do.
//
//   - Ask is left unused: under always-proceed an ask runs the call without
//     asking anybody (LIVE 1.1.27), so an ask becomes a denial.
//   - overwrite replaces members of a call's input (LIVE 1.1.18).
//   - PostToolUse takes nothing back (LIVE 1.1.18); context waits for the next
//     PreInvocation, which comes before every call of the model (LIVE 1.1.18).
//     No event speaks to the human, so a notice goes the same way, as a request
//     to pass it on.
//   - There is no id of a call and no mark of a subagent (LIVE 1.1.18), and a
//     denial does not stop invoke_subagent (antigravity-cli issue 640).
//   - A hook runs in the folder of hooks.json (LIVE 1.1.18).
//   - SessionStart is not documented and not registered; the first PreInvocation
//     of a conversation stands in for it.
//   - The eleventh continue of a turn is ignored (LIVE 1.1.18).
func (Adapter) Capabilities() hook.Capabilities {
	return hook.Capabilities{
		Rewrite:      true,
		ClosedOutput: true, // older builds throw an answer with an unknown member away (3P): a denial of the call
		ForeignDir:   true,
		NoStart:      true,
		Outcome:      hook.OutcomeTranscript,
		Events:       []hook.EventName{hook.SessionStart, hook.UserPromptSubmit, hook.PreModelCall, hook.PreToolUse, hook.PostToolUse, hook.Stop, hook.StopFailure},
		Stop:         []hook.EventName{hook.Stop},
		StopCap:      10,
		Context:      map[hook.EventName]int{hook.UserPromptSubmit: maxContext, hook.PreModelCall: maxContext},
		Notice:       map[hook.EventName]int{hook.UserPromptSubmit: maxNotice, hook.PreModelCall: maxNotice},
		Decides: map[hook.EventName]hook.Decision{
			hook.PreToolUse: hook.Deny,
			hook.Stop:       hook.Block,
		},
	}
}

// HeadlessCommand returns the command that answers one prompt without a
// terminal (LIVE 1.1.18).
func (Adapter) HeadlessCommand(prompt string) []string { return []string{"agy", "-p", prompt} }

// Wiring returns the handlers to register, timeouts in whole seconds (LIVE
// 1.1.25). SessionStart is not among them: it is not documented, and what it
// could say the first PreInvocation says.
func (Adapter) Wiring() []hook.Wiring {
	return []hook.Wiring{
		{Event: "PreToolUse", Matcher: "*", Timeout: 10},
		{Event: "PostToolUse", Matcher: "*", Timeout: 10},
		{Event: "PreInvocation", Timeout: 10},
		{Event: "Stop", Timeout: 120},
	}
}

// ConfigVar returns "": no variable moves the configuration.
func (Adapter) ConfigVar() string { return "" }

// LiveFiles names the files that agy may read hooks from: the user's, shared
// with all other tools of the user (LIVE 1.1.7 to 1.2.9), the IDE's own (3P),
// and a trusted workspace's (LIVE 1.1.22 and 1.2.0).
func (Adapter) LiveFiles(p hook.Paths) []hook.LiveFile {
	var out []hook.LiveFile
	add := func(parts ...string) {
		f := hook.LiveFile{Path: filepath.Join(parts...), Switches: []string{"guardrails.enabled"}, Entries: true, Loads: Loads}
		for _, o := range out {
			if o.Path == f.Path {
				return
			}
		}
		out = append(out, f)
	}
	if p.Home != "" {
		add(p.Home, ".gemini", "config", "hooks.json")
		add(p.Home, ".gemini", "antigravity-ide", "hooks.json")
	}
	for _, dir := range [...]string{p.Dir, p.Root} {
		if dir == "" {
			continue
		}
		for _, name := range [...]string{".agents", ".agent", "_agents", "_agent"} {
			add(dir, name, "hooks.json")
		}
	}
	return out
}
