package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Rule is one thing that policy refuses or asks about.
type Rule struct {
	ID      string // "pack/name"
	Verdict hook.Decision
	Doc     string // what it is about, one sentence
	Why     string // the reason given in a denial, one sentence without a stop
	Instead string // an allowed alternative: a command in `backquotes`, which passes our own check, or advice

	// Fire must be refused and Pass must not, in a project at /home/user/project
	// on branch topic. A sample is a command line, or Tool(path) for a file tool:
	// Read(.env), Write(.guardrails.yaml).
	Fire, Pass []string

	check    func(*judge, *shellcmd.Command) (match, bool) // nil for rules on file tools only
	danger   danger                                        // what the check for deletes looks for
	guards   int                                           // what the check for writes looks for
	uncalled bool                                          // also judged in functions that are defined and not called
}

// Pack returns the part of the ID before the slash.
func (r *Rule) Pack() string {
	pack, _, _ := strings.Cut(r.ID, "/")
	return pack
}

// match is what a rule saw.
type match struct {
	what    string // what would happen, e.g. "deletes /etc"; "" = the rule's Doc says it all
	instead string // overrides the rule's alternative
}

// The packs that are always on, in the order in which they are judged, and
// those that a configuration switches on by name.
const (
	packFilesystem   = "filesystem"
	packGit          = "git"
	packBypass       = "hook-bypass"
	packSelf         = "self-protection"
	packSecrets      = "secrets-files"
	packExfiltration = "exfiltration"
	packRemote       = "remote-code"
	packSystem       = "system"
	packCloud        = "cloud"
	packDatabase     = "database"
	packContainers   = "containers"
	packPublishing   = "publishing"
	packBranches     = "branches"
	packInstructions = "instructions"
	packDisarm       = "disarm"
)

// optional reports whether a pack is off unless a configuration names it.
func optional(pack string) bool {
	switch pack {
	case packCloud, packDatabase, packContainers, packPublishing, packBranches, packInstructions:
		return true
	}
	return false
}

// tables returns the rule tables in order. The tables are laid out by the
// linker: this allocates only the slice of slices.
func tables() [13][]Rule {
	return [13][]Rule{
		selfRules[:], filesystemRules[:], gitRules[:], bypassRules[:], secretsRules[:], exfiltrationRules[:],
		remoteRules[:], systemRules[:], cloudRules[:], databaseRules[:], containerRules[:], publishingRules[:],
		branchRules[:],
	}
}

// Rules returns every rule in the order in which it is judged.
func Rules() []Rule {
	var out []Rule
	for _, t := range tables() {
		out = append(out, t...)
	}
	return out
}

// Explain returns the rule of that id.
func Explain(id string) (Rule, bool) {
	for _, t := range tables() {
		for i := range t {
			if t[i].ID == id {
				return t[i], true
			}
		}
	}
	return Rule{}, false
}

// ruleOf is the rule of an id that is known to exist.
func ruleOf(id string) *Rule {
	for _, t := range tables() {
		for i := range t {
			if t[i].ID == id {
				return &t[i]
			}
		}
	}
	return nil
}

// Code names one call under one rule in one project, for a human's permission:
// 8 hexadecimal digits of (rule, parsed argv, root). The same call spelled
// differently has the same code.
func Code(rule string, argv []string, root string) string {
	h := sha256.New()
	h.Write([]byte(rule))
	h.Write([]byte{0})
	h.Write([]byte(root))
	for _, a := range argv {
		h.Write([]byte{0})
		h.Write([]byte(a))
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}
