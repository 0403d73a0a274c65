// Package handoff compiles packs into gates: recorders that see a condition,
// advice, prerequisites that refuse a call, and obligations that a turn may not
// end without.
//
// What a situation looks like is known by the detectors below this package, what
// follows from it by the packs, how often it may block by the engine. It imports
// core/gate, core/hook, core/session, core/shellcmd, core/testrun and its own
// detectors; never a configuration loader or another gate.
package handoff

import (
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/ec261362/guardrails/core/gate"
	"github.com/ec261362/guardrails/core/handoff/pack"
	"github.com/ec261362/guardrails/core/hook"
)

// Prefix starts the rule, and so the obligation, of every row.
const Prefix = "handoff/"

// Names of what is kept of a session whatever the packs say.
const (
	FactTests  = "tests"   // grade of the last test run
	FactSkill  = "skill"   // the skill in play
	FactRun    = "e2eRun"  // an acceptance run happened
	SetPRs     = "prs"     // pull requests opened in this session
	SetSkipped = "skipped" // tokens of skip markers that were printed
)

// Settings say which packs are in force and what stands around them.
type Settings struct {
	Packs  []*pack.Pack // of two rows with one id the first pack's goes by the bare id
	Off    []string     // preferences that are off
	Home   string       // the user's home
	Binary string       // the installed program, for texts
	Mute   bool         // the host offers no tool to ask its user
	DryRun bool         // change nothing on disk

	// Transcript returns the end of a transcript; nil = there is none.
	Transcript func(name string) []byte
}

// New returns the gates of all packs, each pack's recorders first.
func New(s Settings) []*gate.Gate {
	var gates []*gate.Gate
	for i := range s.Packs {
		gates = append(gates, s.compile(i).gates()...)
	}
	return gates
}

// Row is what is known of one row of a pack.
type Row struct {
	Pack, ID string
	Rule     string // what explain, status and the log call it
	Kind     string // recorder, advice, prerequisite or obligation
	Doc      string
	Opens    []string // what leads to it, in words
	Meets    []string
	Marker   string // the literal command that skips it, "" = there is none
	Text     string // what it says

	Preferences []string // that must all be on for it to speak
}

// Rows lists the rows of all packs in the order of their gates.
func (s Settings) Rows() []Row {
	var out []Row
	for i := range s.Packs {
		out = append(out, s.compile(i).rows()...)
	}
	return out
}

// compiled is a pack with what its rows need.
type compiled struct {
	*Settings
	*pack.Pack
	taken []string // ids that an earlier pack has
	told  bool     // an earlier pack tells of our own watch slots

	read atomic.Pointer[readCommand]
}

func (s Settings) compile(i int) *compiled {
	c := &compiled{Settings: &s, Pack: s.Packs[i]}
	for _, p := range s.Packs[:i] {
		c.taken = append(c.taken, ids(p)...)
		c.told = c.told || p.Slots != ""
	}
	return c
}

func ids(p *pack.Pack) []string {
	var out []string
	for i := range p.Recorders {
		out = append(out, p.Recorders[i].ID)
	}
	for i := range p.Advice {
		out = append(out, p.Advice[i].ID)
	}
	for i := range p.Prerequisites {
		out = append(out, p.Prerequisites[i].ID)
	}
	for i := range p.Obligations {
		out = append(out, p.Obligations[i].ID)
	}
	return append(out, SkipsID, reconcileID)
}

// rule returns the name of a row's obligation, and of the row in texts.
func (c *compiled) rule(id string) string {
	if slices.Contains(c.taken, id) {
		return Prefix + c.Name + "/" + id
	}
	return Prefix + id
}

func (c *compiled) gateID(id string) string { return Prefix + c.Name + "/" + id }

// on reports whether all preferences are on.
func (c *compiled) on(preferences []string) bool {
	for _, p := range preferences {
		if slices.Contains(c.Off, p) {
			return false
		}
	}
	return true
}

// marker returns the command that skips a row.
func (c *compiled) marker(token string, each bool) string {
	if token == "" {
		return ""
	}
	if each {
		return `echo "` + c.SkipPrefix + token + `: <id> <reason>"`
	}
	return `echo "` + c.SkipPrefix + token + `: <reason>"`
}

// tools returns the names that keys stand for; a word that is no key is a name.
func (c *compiled) tools(keys ...string) []string {
	var out []string
	for _, k := range keys {
		i := slices.IndexFunc(c.Tools, func(p pack.Pair) bool { return p.Key == k })
		if i < 0 {
			out = append(out, k)
			continue
		}
		out = append(out, c.Tools[i].Values...)
	}
	return out
}

// place returns a folder of the pack's as an absolute path, "" if it cannot be
// told.
func (c *compiled) place(name, root string) string {
	if rest, ok := strings.CutPrefix(name, "~/.guardrails/"); ok && c.Binary != "" {
		return filepath.Join(filepath.Dir(filepath.Dir(c.Binary)), filepath.FromSlash(rest)) // the state home may be elsewhere
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if c.Home == "" {
			return ""
		}
		return filepath.Join(c.Home, filepath.FromSlash(rest))
	}
	if filepath.IsAbs(name) || name == "" || root == "" {
		return name
	}
	return filepath.Join(root, filepath.FromSlash(name))
}

// after are the events at which something has happened.
var after = []hook.EventName{hook.PostToolUse, hook.PostToolUseFailure}

// before are the events at which a call is about to run.
var before = []hook.EventName{hook.PreToolUse, hook.PreSkillShellCommand}
