// Package config owns .guardrails.yaml: where the project root is, what the file
// may say, the layers built-in < the human's < the project's, and which of it
// counts before the human has trusted the project. Whoever needs a setting is
// handed a decoded one.
//
// Files are read by core/config/tree, and where that does not do by a reader that
// the caller hands in. It must not import a YAML library, a gate, the engine, an
// adapter or the installer.
package config

import (
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/ec261362/guardrails/core/handoff/pack"
)

// Config is a whole configuration. The zero value is not the default: see
// Defaults. The On field of a section is what decides whether it is in force;
// its other fields are always filled in.
type Config struct {
	Version      int
	Mode         Mode
	Policy       Policy
	Rewrite      []Rewrite
	Validators   Validators
	Handoffs     Handoffs
	Evidence     Evidence
	Quality      Quality
	Dependencies Dependencies
	Standards    []string // texts, or files below the root
}

// Mode says whether quality blocks or only reports. Policy is unaffected.
type Mode int

// Modes.
const (
	ModeUnset Mode = iota
	Enforce
	Warn // quality reports to the human instead of blocking
)

// String returns the word used in the file.
func (m Mode) String() string {
	switch m {
	case Enforce:
		return "enforce"
	case Warn:
		return "warn"
	default:
		return ""
	}
}

// Policy holds the settings of the guards that are on everywhere. Its lists are
// unions over the layers.
type Policy struct {
	Packs    []string // core is always among them
	Protect  []string // doublestar patterns, relative to the root unless absolute or ~/
	Branches []string // doublestar patterns of branches that others build on, beside the usual names
	Allow    []Allow
}

// Allow is a call that a rule does not judge. All three are always set.
type Allow struct {
	Rule   string // rule id, e.g. git/reset-hard
	When   string // the command's words; * stands for one word, a trailing ** for the rest
	Reason string
}

// Rewrite replaces the leading words of a plain command.
type Rewrite struct {
	Match string // leading words of a stage
	To    string // what they become
}

// Validators holds the settings of the content validators.
type Validators struct {
	On                bool // some layer has the section, enabled
	Enabled           bool
	Input             []string      // names, never empty
	Output            []string      // names, never empty
	Timeout           time.Duration // of one validator, > 0
	AggregateTimeout  time.Duration // of all together; <= 0 = none
	KillSwitch        bool          // the first high failure ends the run
	OutputNonBlocking bool          // output failures are recorded and do not stop
	Redact            bool          // mask tool output where a host can replace it
	Allow             []ValidatorAllow
	Custom            []CustomValidator // nil unless trusted: they run code
	Broken            string            // why what a file wants of them is not known: what they would judge is to be refused
}

// ValidatorAllow is a finding that does not count. Validator and Reason are
// always set, and at least one of Kind, Path and Fingerprint.
type ValidatorAllow struct {
	Validator   string
	Kind        string // kind of the finding, e.g. a rule id of secrets
	Path        string // doublestar pattern of the file it is in
	Fingerprint string // as printed with the finding
	Reason      string
}

// CustomValidator is a command that gets JSON on stdin.
type CustomValidator struct {
	Name      string
	Command   Command
	Direction string // input, output or both
	Severity  string // low or high
}

// Command is what to run: Argv as it stands, or Shell through the shell. One of
// them is set, or none for no command.
type Command struct {
	Argv  []string
	Shell string
}

// IsZero reports whether there is no command.
func (c Command) IsZero() bool { return len(c.Argv) == 0 && c.Shell == "" }

// Handoffs names the packs in force.
type Handoffs struct {
	On          bool // some layer has the section
	Packs       []string
	Custom      []pack.Pack // what users define; of two with one name the human's
	Preferences Preferences
}

// Preferences switch advice and blocks of handoffs; recorders go on.
type Preferences struct {
	AutoWatchPR              bool
	AutoE2ETest              bool
	PostPRVisualWalkthrough  bool
	AutoRouteBuild           bool
	AutoRouteBuildToMuggleDo bool // read by the muggle pack beside AutoRouteBuild
	AutoCleanup              bool
}

// Evidence holds the settings of durable workflow state. Only a project's own
// file switches it on.
type Evidence struct {
	On            bool // the project has the section, enabled
	Enabled       bool
	SpawnMinChars int // characters from which on a delegation is substantial
}

// Quality holds the settings of the project's own gate. Only a trusted project
// file switches it on, since it runs the repository's code.
type Quality struct {
	On          bool // the trusted project file has the section
	OnEdit      []string
	OnStop      []string
	Subagents   []string // agent types whose end is gated
	StopTimeout time.Duration
	Coverage    Coverage
	Packages    []Package
	Lessons     bool
}

// Coverage holds thresholds in percent and points.
type Coverage struct {
	PatchMin  float64 // covered share of the changed lines, 0 to 100
	Tolerance float64 // points a package may lose
}

// Package overrides what was detected for one package.
type Package struct {
	Path      string // folder below the root, slashes; or a doublestar pattern
	Toolchain string // go, python, javascript, rust, java or generic; "" = detected
	Skip      []string
	Format    Command
	Lint      Command
	Build     Command
	Test      Command
	Report    string   // coverage report, relative to the root
	PatchMin  *float64 // nil = as for the project
	Tolerance *float64 // nil = as for the project
}

// Dependencies holds the settings of the dependency check.
type Dependencies struct {
	// On says whether to look packages up over the network: in projects that
	// opted in, and everywhere if the human's file has the section, unless
	// Enabled is false. The offline checks are on everywhere.
	On            bool
	Enabled       bool
	MinAgeDays    int
	CooldownHours int
	DenySeverity  string   // critical, high, moderate or low
	Licences      []string // SPDX identifiers that pass; empty = any
	Exempt        []string // ecosystem:name, name, or a pattern of either
	Endpoints     Endpoints
}

// Endpoints are base addresses that replace the built-in ones; "" = built in.
type Endpoints struct {
	DepsDev, OSV, NPM, PyPI, Go, Cargo, RubyGems, Packagist, NuGet, Maven string
}

// Defaults returns the built-in layer: every section off but policy.
func Defaults() Config {
	return Config{
		Version: 1,
		Mode:    Enforce,
		Policy:  Policy{Packs: []string{"core"}},
		Validators: Validators{
			Input:            []string{"prompt-injection"},
			Output:           []string{"secrets", "pii"},
			Timeout:          2 * time.Second,
			AggregateTimeout: 200 * time.Millisecond,
			KillSwitch:       true,
		},
		Handoffs: Handoffs{
			Packs: []string{"delivery"},
			Preferences: Preferences{
				AutoWatchPR: true, AutoE2ETest: true, PostPRVisualWalkthrough: true,
				AutoRouteBuild: true, AutoRouteBuildToMuggleDo: true,
			},
		},
		Evidence: Evidence{Enabled: true, SpawnMinChars: 1500},
		Quality: Quality{
			OnEdit:      []string{"format", "lint"},
			OnStop:      []string{"format", "lint", "build", "test", "coverage"},
			Subagents:   []string{"test-writer", "implementer"},
			StopTimeout: 120 * time.Second,
			Coverage:    Coverage{PatchMin: 80, Tolerance: 0.5},
			Lessons:     true,
		},
		Dependencies: Dependencies{
			Enabled: true, MinAgeDays: 30, CooldownHours: 24, DenySeverity: "critical",
		},
	}
}

// Covers reports whether the entry is about a finding: of its validator, and of its
// kind, path and fingerprint where it names one. Path has slashes and counts from
// the project's root; "" = no file.
func (a *ValidatorAllow) Covers(validator, kind, path, fingerprint string) bool {
	if a.Validator != validator || a.Kind != "" && a.Kind != kind || a.Fingerprint != "" && a.Fingerprint != fingerprint {
		return false
	}
	return a.Path == "" || path != "" && doublestar.MatchUnvalidated(a.Path, path)
}
