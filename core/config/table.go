package config

import (
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// The table below is the one description of the file: the strict reader, the
// merge, the rule of what an untrusted project may say, the JSON Schema and
// `config show` all walk it.

// kind is the shape of a value.
type kind uint8

// Kinds.
const (
	kindNone kind = iota
	kindSection
	kindBool
	kindInt
	kindNumber
	kindText
	kindWord // one of words
	kindDuration
	kindCommand // a text for the shell, or a list of words
	kindTexts   // list of kindText
	kindWords   // list of kindWord
	kindItems   // list of mappings
	kindDict    // mapping with free keys to mappings
	kindPairs   // mapping with free keys to texts or lists of texts
)

// field is one key.
type field struct {
	key  string
	kind kind
	doc  string

	// at returns where the value lives in the struct that the mapping is read
	// into: *Config at the top and in its sections, the item's own type below.
	at     func(p any) any
	fields []field // keys of the mapping, or of each item
	words  []string
	// late marks words that are completed by names that the same file defines:
	// those of validators.custom, or of handoffs.custom.
	late     bool
	required bool
	min, max float64
	check    func(s string) string // what is wrong with a text or a key, "" = nothing
	secret   bool                  // a wrong value is not repeated
	anyOf    []string              // keys of an item of which one must be there
	oneOf    []string              // keys of an item of which exactly one must be there
	refers   string                // what of the same pack a text names
	grow     func(list any, key string) any
	union    bool // lists of all layers together

	// stand says that the section is in the file.
	stand func(c *Config)

	// code marks what makes us run code that the project brings. It is held
	// whole until the project is trusted.
	code string
	// looser says why the value that a project wants is looser than what the
	// lower layers have, "" if it is not. The zero func means it never is.
	looser func(low, want *Config) string
	// tighten applies the part of a looser list that adds strictness.
	tighten func(to, low, want *Config)
}

func cfg(p any) *Config { return p.(*Config) }

// custom returns the list of what a user defines, under a key of its own.
func custom(f field, key, doc string) field {
	f.key, f.doc = key, doc
	return f
}

// table lists the top-level keys in the order they are documented.
var table = [...]field{
	{
		key: "version", kind: kindInt, min: 1, max: 1,
		doc: "Version of this format.",
		at:  func(p any) any { return &cfg(p).Version },
	},
	{
		key: "mode", kind: kindWord, words: []string{"enforce", "warn"},
		doc: "enforce: quality blocks. warn: quality reports to the human instead. Policy is unaffected.",
		at:  func(p any) any { return &cfg(p).Mode },
		looser: func(low, want *Config) string {
			return when(low.Mode == Enforce && want.Mode == Warn, "it would stop quality from blocking")
		},
	},
	{
		key: "policy", kind: kindSection,
		doc:   "The guards that are on everywhere. Lists of all layers count together.",
		stand: func(*Config) {},
		fields: []field{
			{
				key: "packs", kind: kindWords, union: true,
				words: []string{"core", "cloud", "database", "containers", "publishing", "branches", "instructions"},
				doc:   "Packs of rules. core is always on.",
				at:    func(p any) any { return &cfg(p).Policy.Packs },
			},
			{
				key: "protect", kind: kindTexts, union: true, check: checkGlob,
				doc: "Paths the agent may not change without asking: patterns with **, relative to the project root, or absolute, or from ~/.",
				at:  func(p any) any { return &cfg(p).Policy.Protect },
			},
			{
				key: "branches", kind: kindTexts, union: true, check: checkGlob,
				doc: "Branches that others build on, beside main, master, trunk, production, release and their kin: names or patterns.",
				at:  func(p any) any { return &cfg(p).Policy.Branches },
			},
			{
				key: "allow", kind: kindItems, union: true,
				doc:  "Commands that a rule does not judge.",
				at:   func(p any) any { return &cfg(p).Policy.Allow },
				grow: func(l any, _ string) any { return grown(l.(*[]Allow)) },
				fields: []field{
					{
						key: "rule", kind: kindText, required: true, check: checkRule,
						doc: "Rule that is allowed, as in the refusal, for example git/reset-hard.",
						at:  func(p any) any { return &p.(*Allow).Rule },
					},
					{
						key: "when", kind: kindText, required: true, check: checkWhen,
						doc: "The command's words; * stands for one word, a trailing ** for the rest.",
						at:  func(p any) any { return &p.(*Allow).When },
					},
					{
						key: "reason", kind: kindText, required: true,
						doc: "Why it is allowed.",
						at:  func(p any) any { return &p.(*Allow).Reason },
					},
				},
				looser: func(_, want *Config) string {
					return when(len(want.Policy.Allow) > 0, "it would allow what a rule refuses")
				},
			},
		},
	},
	{
		key: "rewrite", kind: kindItems,
		doc:  "Replaces the leading words of plain commands.",
		at:   func(p any) any { return &cfg(p).Rewrite },
		grow: func(l any, _ string) any { return grown(l.(*[]Rewrite)) },
		fields: []field{
			{
				key: "match", kind: kindText, required: true, check: checkLine,
				doc: "Leading words of a command.",
				at:  func(p any) any { return &p.(*Rewrite).Match },
			},
			{
				key: "to", kind: kindText, required: true, check: checkLine,
				doc: "What they become; the rest stays as it is.",
				at:  func(p any) any { return &p.(*Rewrite).To },
			},
		},
		looser: func(low, want *Config) string {
			return when(len(want.Rewrite)+len(low.Rewrite) > 0, "it would change the commands that run")
		},
	},
	{
		key: "validators", kind: kindSection,
		doc:   "Validators of content: what goes in (prompts, writes, commands) and what comes out.",
		stand: func(c *Config) { c.Validators.On = true },
		fields: []field{
			{
				key: "enabled", kind: kindBool,
				doc: "Run them as hooks.",
				at:  func(p any) any { return &cfg(p).Validators.Enabled },
				looser: func(low, want *Config) string {
					return when(low.Validators.On && !want.Validators.Enabled, "it would switch validators off")
				},
			},
			{
				key: "input", kind: kindWords, words: builtinValidators, late: true,
				doc: "Validators of what goes in; an empty list means all built-in ones.",
				at:  func(p any) any { return &cfg(p).Validators.Input },
				looser: func(low, want *Config) string {
					return when(low.Validators.On && lacks(want.Validators.Input, low.Validators.Input), "it would switch validators off")
				},
				tighten: func(to, low, want *Config) {
					to.Validators.Input = union(low.Validators.Input, want.Validators.Input)
				},
			},
			{
				key: "output", kind: kindWords, words: builtinValidators, late: true,
				doc: "Validators of what comes out; an empty list means all built-in ones.",
				at:  func(p any) any { return &cfg(p).Validators.Output },
				looser: func(low, want *Config) string {
					return when(low.Validators.On && lacks(want.Validators.Output, low.Validators.Output), "it would switch validators off")
				},
				tighten: func(to, low, want *Config) {
					to.Validators.Output = union(low.Validators.Output, want.Validators.Output)
				},
			},
			{
				key: "timeout", kind: kindDuration, min: float64(time.Millisecond), max: float64(10 * time.Minute),
				doc: "Time one validator may take; one that takes longer counts as failed.",
				at:  func(p any) any { return &cfg(p).Validators.Timeout },
				looser: func(low, want *Config) string {
					return when(low.Validators.On && want.Validators.Timeout > low.Validators.Timeout, "it would raise a limit")
				},
			},
			{
				key: "aggregateTimeout", kind: kindDuration, min: -float64(10 * time.Minute), max: float64(10 * time.Minute),
				doc: "Time all validators of one call may take together; 0 or less is no limit.",
				at:  func(p any) any { return &cfg(p).Validators.AggregateTimeout },
				looser: func(low, want *Config) string {
					l, w := low.Validators.AggregateTimeout, want.Validators.AggregateTimeout
					return when(low.Validators.On && l > 0 && (w <= 0 || w > l), "it would raise a limit")
				},
			},
			{
				key: "killSwitch", kind: kindBool,
				doc: "The first high failure ends the run.",
				at:  func(p any) any { return &cfg(p).Validators.KillSwitch },
				looser: func(low, want *Config) string {
					return when(low.Validators.On && low.Validators.KillSwitch && !want.Validators.KillSwitch, "it would switch the kill switch off")
				},
			},
			{
				key: "outputNonBlocking", kind: kindBool,
				doc: "Failures of output validators are recorded and do not stop.",
				at:  func(p any) any { return &cfg(p).Validators.OutputNonBlocking },
				looser: func(low, want *Config) string {
					return when(low.Validators.On && !low.Validators.OutputNonBlocking && want.Validators.OutputNonBlocking, "it would stop validators from blocking")
				},
			},
			{
				key: "redact", kind: kindBool,
				doc: "Mask findings in tool output where the host can replace it.",
				at:  func(p any) any { return &cfg(p).Validators.Redact },
				looser: func(low, want *Config) string {
					return when(low.Validators.On && low.Validators.Redact && !want.Validators.Redact, "it would stop masking")
				},
			},
			{
				key: "allow", kind: kindItems,
				doc:   "Findings that do not count. Each needs a kind, a path or a fingerprint.",
				at:    func(p any) any { return &cfg(p).Validators.Allow },
				grow:  func(l any, _ string) any { return grown(l.(*[]ValidatorAllow)) },
				anyOf: []string{"kind", "path", "fingerprint"},
				fields: []field{
					{
						key: "validator", kind: kindWord, required: true, words: builtinValidators, late: true,
						doc: "Validator whose finding it is.",
						at:  func(p any) any { return &p.(*ValidatorAllow).Validator },
					},
					{
						key: "kind", kind: kindText,
						doc: "Kind of the finding, as in the refusal.",
						at:  func(p any) any { return &p.(*ValidatorAllow).Kind },
					},
					{
						key: "path", kind: kindText, check: checkGlob,
						doc: "Pattern of the files it may be in.",
						at:  func(p any) any { return &p.(*ValidatorAllow).Path },
					},
					{
						key: "fingerprint", kind: kindText,
						doc: "Fingerprint of the finding, as in the refusal.",
						at:  func(p any) any { return &p.(*ValidatorAllow).Fingerprint },
					},
					{
						key: "reason", kind: kindText, required: true,
						doc: "Why it does not count.",
						at:  func(p any) any { return &p.(*ValidatorAllow).Reason },
					},
				},
				looser: func(_, want *Config) string {
					return when(len(want.Validators.Allow) > 0, "it would allow what a validator refuses")
				},
			},
			{
				key: "custom", kind: kindItems, code: "it runs commands",
				doc: "Validators of your own: commands that get the content as JSON on stdin.",
				at:  func(p any) any { return &cfg(p).Validators.Custom },
				grow: func(l any, _ string) any {
					return grown(l.(*[]CustomValidator), CustomValidator{Direction: "both", Severity: "high"})
				},
				fields: []field{
					{
						key: "name", kind: kindText, required: true, check: checkName,
						doc: "Name to use in input and output.",
						at:  func(p any) any { return &p.(*CustomValidator).Name },
					},
					{
						key: "command", kind: kindCommand, required: true,
						doc: "What to run: a list of words as it stands, or a text for the shell.",
						at:  func(p any) any { return &p.(*CustomValidator).Command },
					},
					{
						key: "direction", kind: kindWord, words: []string{"input", "output", "both"},
						doc: "Direction it serves (both).",
						at:  func(p any) any { return &p.(*CustomValidator).Direction },
					},
					{
						key: "severity", kind: kindWord, words: []string{"low", "high"},
						doc: "Severity of its failures (high).",
						at:  func(p any) any { return &p.(*CustomValidator).Severity },
					},
				},
			},
		},
	},
	{
		key: "handoffs", kind: kindSection,
		doc:   "Obligations that a change brings with it: acceptance run, report, watching the PR.",
		stand: func(c *Config) { c.Handoffs.On = true },
		fields: []field{
			{
				key: "packs", kind: kindWords, words: shippedPacks, late: true,
				doc: "Packs of handoffs in force; of two that speak of the same, the first goes first.",
				at:  func(p any) any { return &cfg(p).Handoffs.Packs },
				looser: func(low, want *Config) string {
					return when(low.Handoffs.On && lacks(want.Handoffs.Packs, low.Handoffs.Packs), "it would switch a pack off")
				},
				tighten: func(to, low, want *Config) {
					to.Handoffs.Packs = union(low.Handoffs.Packs, want.Handoffs.Packs)
				},
			},
			custom(packField, "custom", "Packs of your own. They are data: nothing in them is run."),
			{
				key: "preferences", kind: kindSection,
				doc:   "Off means no advice and no block; records are kept all the same.",
				stand: func(*Config) {},
				fields: []field{
					{
						key: "autoWatchPR", kind: kindBool,
						doc: "Follow a PR that was opened.",
						at:  func(p any) any { return &cfg(p).Handoffs.Preferences.AutoWatchPR },
						looser: func(low, want *Config) string {
							return when(low.Handoffs.On && low.Handoffs.Preferences.AutoWatchPR && !want.Handoffs.Preferences.AutoWatchPR, "it would switch a handoff off")
						},
					},
					{
						key: "autoE2ETest", kind: kindBool,
						doc: "Run the acceptance tests after green unit tests.",
						at:  func(p any) any { return &cfg(p).Handoffs.Preferences.AutoE2ETest },
						looser: func(low, want *Config) string {
							return when(low.Handoffs.On && low.Handoffs.Preferences.AutoE2ETest && !want.Handoffs.Preferences.AutoE2ETest, "it would switch a handoff off")
						},
					},
					{
						key: "postPRVisualWalkthrough", kind: kindBool,
						doc: "Post a walkthrough to the PR after an acceptance run.",
						at:  func(p any) any { return &cfg(p).Handoffs.Preferences.PostPRVisualWalkthrough },
						looser: func(low, want *Config) string {
							return when(low.Handoffs.On && low.Handoffs.Preferences.PostPRVisualWalkthrough && !want.Handoffs.Preferences.PostPRVisualWalkthrough, "it would switch a handoff off")
						},
					},
					{
						key: "autoRouteBuild", kind: kindBool,
						doc: "Route build requests through the configured workflow.",
						at:  func(p any) any { return &cfg(p).Handoffs.Preferences.AutoRouteBuild },
						looser: func(low, want *Config) string {
							return when(low.Handoffs.On && low.Handoffs.Preferences.AutoRouteBuild && !want.Handoffs.Preferences.AutoRouteBuild, "it would switch a handoff off")
						},
					},
					{
						key: "autoRouteBuildToMuggleDo", kind: kindBool,
						doc: "The same, as the muggle pack names it.",
						at:  func(p any) any { return &cfg(p).Handoffs.Preferences.AutoRouteBuildToMuggleDo },
						looser: func(low, want *Config) string {
							return when(low.Handoffs.On && low.Handoffs.Preferences.AutoRouteBuildToMuggleDo && !want.Handoffs.Preferences.AutoRouteBuildToMuggleDo, "it would switch a handoff off")
						},
					},
					{
						key: "autoCleanup", kind: kindBool,
						doc: "Clean up after a merged or closed PR.",
						at:  func(p any) any { return &cfg(p).Handoffs.Preferences.AutoCleanup },
					},
				},
			},
		},
	},
	{
		key: "evidence", kind: kindSection,
		doc:   "Done means proven on this very tree. Only a project's own file switches it on.",
		stand: func(c *Config) { c.Evidence.On = true },
		fields: []field{
			{
				key: "enabled", kind: kindBool,
				doc: "Keep workflow state and insist on fresh proof.",
				at:  func(p any) any { return &cfg(p).Evidence.Enabled },
				looser: func(low, want *Config) string {
					return when(low.Evidence.On && !want.Evidence.Enabled, "it would switch evidence off")
				},
			},
			{
				key: "spawnMinChars", kind: kindInt, min: 1, max: 1_000_000,
				doc: "Characters from which on a delegation needs an open card.",
				at:  func(p any) any { return &cfg(p).Evidence.SpawnMinChars },
				looser: func(low, want *Config) string {
					return when(want.Evidence.SpawnMinChars > low.Evidence.SpawnMinChars, "it would raise a limit")
				},
			},
		},
	},
	{
		key: "quality", kind: kindSection, code: "it runs the repository's code",
		doc:   "The project's own gate: format and lint on edit, everything at the end of a turn.",
		stand: func(c *Config) { c.Quality.On = true },
		fields: []field{
			{
				key: "onEdit", kind: kindWords, words: []string{"format", "lint"},
				doc: "Steps after each edit.",
				at:  func(p any) any { return &cfg(p).Quality.OnEdit },
			},
			{
				key: "onStop", kind: kindWords, words: qualitySteps,
				doc: "Steps before a turn may end.",
				at:  func(p any) any { return &cfg(p).Quality.OnStop },
			},
			{
				key: "subagents", kind: kindTexts,
				doc: "Types of subagents whose end is gated too.",
				at:  func(p any) any { return &cfg(p).Quality.Subagents },
			},
			{
				key: "stopTimeout", kind: kindDuration, min: float64(15 * time.Second), max: float64(10 * time.Minute),
				doc: "Time the host gives the gate at the end of a turn.",
				at:  func(p any) any { return &cfg(p).Quality.StopTimeout },
			},
			{
				key: "coverage", kind: kindSection,
				doc:   "Coverage of what changed.",
				stand: func(*Config) {},
				fields: []field{
					{
						key: "patchMin", kind: kindNumber, max: 100,
						doc: "Percent of the changed lines that tests must cover.",
						at:  func(p any) any { return &cfg(p).Quality.Coverage.PatchMin },
					},
					{
						key: "tolerance", kind: kindNumber, max: 100,
						doc: "Points that a package's coverage may fall.",
						at:  func(p any) any { return &cfg(p).Quality.Coverage.Tolerance },
					},
				},
			},
			{
				key: "packages", kind: kindDict, check: checkFolder,
				doc:  "What differs from the detected tools, by package folder or pattern.",
				at:   func(p any) any { return &cfg(p).Quality.Packages },
				grow: func(l any, key string) any { return grown(l.(*[]Package), Package{Path: key}) },
				fields: []field{
					{
						key: "toolchain", kind: kindWord, words: []string{"go", "python", "javascript", "rust", "java", "generic"},
						doc: "Toolchain, if the detected one is wrong.",
						at:  func(p any) any { return &p.(*Package).Toolchain },
					},
					{
						key: "skip", kind: kindWords, words: qualitySteps,
						doc: "Steps left out here.",
						at:  func(p any) any { return &p.(*Package).Skip },
					},
					{
						key: "format", kind: kindCommand, doc: "Command that formats; run in the package.",
						at: func(p any) any { return &p.(*Package).Format },
					},
					{
						key: "lint", kind: kindCommand, doc: "Command that lints.",
						at: func(p any) any { return &p.(*Package).Lint },
					},
					{
						key: "build", kind: kindCommand, doc: "Command that builds or checks types.",
						at: func(p any) any { return &p.(*Package).Build },
					},
					{
						key: "test", kind: kindCommand, doc: "Command that runs the tests.",
						at: func(p any) any { return &p.(*Package).Test },
					},
					{
						key: "report", kind: kindText, check: checkFolder,
						doc: "Coverage report that the tests write, relative to the project root.",
						at:  func(p any) any { return &p.(*Package).Report },
					},
					{
						key: "patchMin", kind: kindNumber, max: 100, doc: "As in coverage, for this package.",
						at: func(p any) any { return &p.(*Package).PatchMin },
					},
					{
						key: "tolerance", kind: kindNumber, max: 100, doc: "As in coverage, for this package.",
						at: func(p any) any { return &p.(*Package).Tolerance },
					},
				},
			},
			{
				key: "lessons", kind: kindBool,
				doc: "Remember prompts that correct the agent.",
				at:  func(p any) any { return &cfg(p).Quality.Lessons },
			},
		},
	},
	{
		key: "dependencies", kind: kindSection,
		doc:   "Look-ups of packages before they are installed or declared.",
		stand: func(c *Config) { c.Dependencies.On = true },
		fields: []field{
			{
				key: "enabled", kind: kindBool,
				doc: "Look packages up over the network. The offline checks are on everywhere.",
				at:  func(p any) any { return &cfg(p).Dependencies.Enabled },
				looser: func(low, want *Config) string {
					return when(low.Dependencies.On && !want.Dependencies.Enabled, "it would switch look-ups off")
				},
			},
			{
				key: "minAgeDays", kind: kindInt, max: 3650,
				doc: "Ask for packages whose first release is younger.",
				at:  func(p any) any { return &cfg(p).Dependencies.MinAgeDays },
				looser: func(low, want *Config) string {
					return when(want.Dependencies.MinAgeDays < low.Dependencies.MinAgeDays, "it would lower a limit")
				},
			},
			{
				key: "cooldownHours", kind: kindInt, max: 87600,
				doc: "Say so when a version is younger; above 24, ask.",
				at:  func(p any) any { return &cfg(p).Dependencies.CooldownHours },
				looser: func(low, want *Config) string {
					return when(want.Dependencies.CooldownHours < low.Dependencies.CooldownHours, "it would lower a limit")
				},
			},
			{
				key: "denySeverity", kind: kindWord, words: severities,
				doc: "Refuse versions with a known vulnerability from this severity on, if a fixed one exists.",
				at:  func(p any) any { return &cfg(p).Dependencies.DenySeverity },
				looser: func(low, want *Config) string {
					return when(severityRank(want.Dependencies.DenySeverity) < severityRank(low.Dependencies.DenySeverity), "it would refuse less")
				},
			},
			{
				key: "licences", kind: kindTexts,
				doc: "SPDX identifiers that pass without asking; an empty list means any.",
				at:  func(p any) any { return &cfg(p).Dependencies.Licences },
				looser: func(low, want *Config) string {
					l, w := low.Dependencies.Licences, want.Dependencies.Licences
					return when(len(l) > 0 && (len(w) == 0 || lacks(l, w)), "it would accept more licences")
				},
			},
			{
				key: "exempt", kind: kindTexts, check: checkToken,
				doc: "Packages that are not checked: name, ecosystem:name, or a pattern of either.",
				at:  func(p any) any { return &cfg(p).Dependencies.Exempt },
				looser: func(low, want *Config) string {
					return when(lacks(low.Dependencies.Exempt, want.Dependencies.Exempt), "it would exempt packages")
				},
			},
			{
				key: "endpoints", kind: kindSection,
				doc:   "Base addresses in place of the public services.",
				stand: func(*Config) {},
				fields: []field{
					{
						key: "depsdev", kind: kindText, check: checkURL, secret: true,
						doc:    "Base address of deps.dev.",
						at:     func(p any) any { return &cfg(p).Dependencies.Endpoints.DepsDev },
						looser: func(_, _ *Config) string { return asksElsewhere },
					},
					{
						key: "osv", kind: kindText, check: checkURL, secret: true,
						doc:    "Base address of OSV.",
						at:     func(p any) any { return &cfg(p).Dependencies.Endpoints.OSV },
						looser: func(_, _ *Config) string { return asksElsewhere },
					},
					{
						key: "npm", kind: kindText, check: checkURL, secret: true,
						doc:    "Base address of the npm registry.",
						at:     func(p any) any { return &cfg(p).Dependencies.Endpoints.NPM },
						looser: func(_, _ *Config) string { return asksElsewhere },
					},
					{
						key: "pypi", kind: kindText, check: checkURL, secret: true,
						doc:    "Base address of the Python package index.",
						at:     func(p any) any { return &cfg(p).Dependencies.Endpoints.PyPI },
						looser: func(_, _ *Config) string { return asksElsewhere },
					},
					{
						key: "go", kind: kindText, check: checkURL, secret: true,
						doc:    "Base address of the Go module proxy.",
						at:     func(p any) any { return &cfg(p).Dependencies.Endpoints.Go },
						looser: func(_, _ *Config) string { return asksElsewhere },
					},
					{
						key: "cargo", kind: kindText, check: checkURL, secret: true,
						doc:    "Base address of the Rust crate registry.",
						at:     func(p any) any { return &cfg(p).Dependencies.Endpoints.Cargo },
						looser: func(_, _ *Config) string { return asksElsewhere },
					},
					{
						key: "rubygems", kind: kindText, check: checkURL, secret: true,
						doc:    "Base address of the Ruby gem registry.",
						at:     func(p any) any { return &cfg(p).Dependencies.Endpoints.RubyGems },
						looser: func(_, _ *Config) string { return asksElsewhere },
					},
					{
						key: "packagist", kind: kindText, check: checkURL, secret: true,
						doc:    "Base address of the PHP package registry.",
						at:     func(p any) any { return &cfg(p).Dependencies.Endpoints.Packagist },
						looser: func(_, _ *Config) string { return asksElsewhere },
					},
					{
						key: "nuget", kind: kindText, check: checkURL, secret: true,
						doc:    "Base address of the .NET package registry.",
						at:     func(p any) any { return &cfg(p).Dependencies.Endpoints.NuGet },
						looser: func(_, _ *Config) string { return asksElsewhere },
					},
					{
						key: "maven", kind: kindText, check: checkURL, secret: true,
						doc:    "Base address of the Maven repository.",
						at:     func(p any) any { return &cfg(p).Dependencies.Endpoints.Maven },
						looser: func(_, _ *Config) string { return asksElsewhere },
					},
				},
			},
		},
	},
	{
		key: "standards", kind: kindTexts, check: checkStandard,
		doc: "What the agent is told at the start: texts, or files of the project.",
		at:  func(p any) any { return &cfg(p).Standards },
	},
}

var (
	builtinValidators = []string{"secrets", "pii", "prompt-injection"}
	qualitySteps      = []string{"format", "lint", "build", "test", "coverage"}
	severities        = []string{"low", "moderate", "high", "critical"}
)

const asksElsewhere = "it would ask another server"

// severityRank grows with what is refused: low refuses most.
func severityRank(word string) int {
	for i, s := range severities {
		if s == word {
			return len(severities) - i
		}
	}
	return 0
}

func when(cond bool, why string) string {
	if cond {
		return why
	}
	return ""
}

// grown appends one item, the zero one unless given, and returns a pointer to it
// that is good until the next call.
func grown[T any](list *[]T, item ...T) *T {
	var v T
	if len(item) > 0 {
		v = item[0]
	}
	*list = append(*list, v)
	return &(*list)[len(*list)-1]
}

// lacks reports whether some word of all is not in list.
func lacks(list, all []string) bool {
	for _, w := range all {
		if !has(list, w) {
			return true
		}
	}
	return false
}

func has(list []string, word string) bool {
	return slices.Contains(list, word)
}

// union returns a followed by what of b is not in it. Neither is changed.
func union(a, b []string) []string {
	out := slices.Clip(a)
	for _, w := range b {
		if !has(out, w) {
			out = append(out, w)
		}
	}
	return out
}

func checkGlob(s string) string {
	switch {
	case strings.ContainsAny(s, "\r\n\x00"):
		return "must be one line"
	case strings.HasPrefix(s, "!"):
		return "a pattern cannot be negated"
	case !doublestar.ValidatePattern(s):
		return "not a valid pattern (** * ? [class] {a,b})"
	case escapes(s):
		return "leads out of the project"
	}
	return ""
}

// checkFolder is for what lies below the project root.
func checkFolder(s string) string {
	if isAbs(s) || strings.HasPrefix(s, "~") {
		return "must be relative to the project root"
	}
	return checkGlob(s)
}

// checkStandard passes texts; what looks like a file must lie in the project.
func checkStandard(s string) string {
	if strings.ContainsAny(s, " \t\r\n") {
		return ""
	}
	return when(escapes(s) || isAbs(s) || strings.HasPrefix(s, "~/"), "a file outside the project is not read")
}

// escapes reports whether a relative path climbs above where it starts.
func escapes(s string) bool {
	depth := 0
	for part := range strings.FieldsFuncSeq(s, isSlash) {
		switch part {
		case ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

// isAbs is for every system at once: the file travels between them.
func isAbs(s string) bool {
	if s == "" {
		return false
	}
	return isSlash(rune(s[0])) || len(s) > 1 && s[1] == ':' && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
}

func checkRule(s string) string {
	pack, name, ok := strings.Cut(s, "/")
	if !ok || !isName(pack) || !isName(name) {
		return "not a rule id such as git/reset-hard"
	}
	return ""
}

func checkName(s string) string {
	if !isName(s) {
		return "not a name: lower-case letters, digits and - only"
	}
	return when(has(builtinValidators, s), "the name of a built-in validator")
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && (c != '-' || i == 0) {
			return false
		}
	}
	return s != ""
}

func checkWhen(s string) string {
	if why := checkLine(s); why != "" {
		return why
	}
	words := strings.Fields(s)
	if strings.HasPrefix(words[0], "*") {
		return "must begin with the name of a command"
	}
	if strings.ContainsAny(s, "\"'\\") {
		return ""
	}
	if slices.Contains(words[:len(words)-1], "**") {
		return "** stands for the rest: it must be the last word"
	}
	return ""
}

func checkLine(s string) string {
	return when(strings.ContainsAny(s, "\r\n"), "must be one line")
}

func checkToken(s string) string {
	return when(strings.ContainsAny(s, " \t\r\n"), "must not hold spaces")
}

// checkURL accepts http and https addresses without a query or credentials.
func checkURL(s string) string {
	rest, ok := strings.CutPrefix(s, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(s, "http://")
	}
	host, _, _ := strings.Cut(rest, "/")
	switch {
	case !ok || host == "" || strings.ContainsAny(s, " \t\r\n\"<>\\"):
		return "not an address such as https://packages.example.org"
	case strings.Contains(host, "@"):
		return "must not hold a user name or password"
	case strings.ContainsAny(rest, "?#"):
		return "must not hold a query"
	}
	return ""
}
