package deps

import (
	"slices"

	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/deps/osv"
	"github.com/ec261362/guardrails/core/hook"
)

// Kind is what was found out about a package. The zero value is nothing.
type Kind int

// Kinds of finding.
const (
	NoKind Kind = iota
	Malicious
	TakenDown
	NoSuchPackage
	Unconfirmed
	NoSuchVersion
	Vulnerable
	TooNew
	NearName
	Licence
	Cooldown
	Deprecated
	Yanked
)

var kinds = [...]struct{ name, doc, why, instead string }{
	NoKind: {},
	Malicious: {
		"malicious", "Adding a version of a package that OSV lists as malware",
		"it runs its code on this machine as soon as it is installed", "another package, or a version that no record names",
	},
	TakenDown: {
		"taken-down", "Adding a package that its registry took down or holds in quarantine",
		"what a registry takes down is mostly malware, and it keeps the name so that nobody can use it again", "the package that was meant, by its real name",
	},
	NoSuchPackage: {
		"no-such-package", "Adding a package that neither deps.dev nor the registry that the user's tool is set up for has",
		"a name that somebody made up can be registered by anyone at any time", "the real name, after looking it up in the project's own documentation",
	},
	Unconfirmed: {
		"unconfirmed", "Adding a package of which it cannot be said that it exists",
		"a name that no index knows is new, private, or made up", "a name that is known, after looking it up, or a human's word that this one is meant",
	},
	NoSuchVersion: {
		"no-such-version", "Adding a version that a package does not have",
		"an install of it fails, or takes something else", "a version that exists",
	},
	Vulnerable: {
		"vulnerable", "Adding a version with known vulnerabilities",
		"they are public, and so are the ways to use them", "the version that fixes them",
	},
	TooNew: {
		"new", "Adding a package whose first release is only days old",
		"most malware is found within its first weeks", "an older package, or a human's look at this one",
	},
	NearName: {
		"near-name", "Adding a package whose name is a slip away from that of a popular one",
		"such names are registered to be installed by mistake", "the popular package, if that was meant",
	},
	Licence: {
		"licence", "Adding a package under a licence that the configuration does not list",
		"dependencies.licences says which ones this project accepts", "a package under one of them",
	},
	Cooldown: {
		"cooldown", "Adding a version that was published only hours ago",
		"a hijacked release is mostly found within a day", "the version before",
	},
	Deprecated: {
		"deprecated", "Adding a package that its author has given up",
		"nobody mends it any more", "what its author names instead",
	},
	Yanked: {
		"yanked", "Adding a version that its author took back",
		"it is broken or unsafe by its author's word", "another version",
	},
}

// String returns the word used in --json output and in rule ids.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kinds) {
		return ""
	}
	return kinds[k].name
}

// Pack is the part before the slash of this gate's rules: deps/malicious.
const Pack = "deps"

// Rule is the kind's rule id.
func (k Kind) Rule() string { return Pack + "/" + k.String() }

// Rule describes one rule of the gate.
type Rule struct{ ID, Verdict, Doc, Why, Instead string }

// Rules lists the gate's rules.
func Rules() []Rule {
	var out []Rule
	for k := Malicious; int(k) < len(kinds); k++ {
		worst := hook.Ask
		switch k {
		case Malicious, TakenDown, NoSuchPackage, Vulnerable:
			worst = hook.Deny
		case Deprecated, Yanked, Cooldown:
			worst = hook.Advise
		case NoKind, Unconfirmed, NoSuchVersion, TooNew, NearName, Licence:
		}
		d := kinds[k]
		out = append(out, Rule{k.Rule(), worst.String(), d.doc, d.why, d.instead})
	}
	return out
}

// Finding is one thing found out about one package.
type Finding struct {
	Package coord.Package
	Kind    Kind
	Verdict hook.Decision // Advise, Ask or Deny
	Detail  string        // one sentence without a stop, for people and model
	Instead []string      // names, with a version as the tool wants it written, that pass our own check
	Fact    string        // what the verdict rests on, for a human's permission: advisory ids, a version
	quiet   bool          // only told to who asks
}

// Report is what was found out about a call.
type Report struct {
	Packages  []coord.Package
	Unchecked []coord.Unchecked
	Findings  []Finding
	NotAsked  []Unasked // packages whose look-up failed
	Asked     bool      // a service was asked over the network
}

// Unasked is a package that could not be looked up, and why.
type Unasked struct {
	Package coord.Package
	Why     string
}

// Worst is the strongest verdict among the findings.
func (r *Report) Worst() hook.Decision {
	worst := hook.Pass
	for i := range r.Findings {
		if d := r.Findings[i].Verdict; d.Rank() > worst.Rank() {
			worst = d
		}
	}
	return worst
}

// sorted puts the strongest first, packages in their order.
func sorted(list []Finding) []Finding {
	slices.SortStableFunc(list, func(a, b Finding) int { return b.Verdict.Rank() - a.Verdict.Rank() })
	return list
}

// denies says what a severity means: refused from the configured one on, if
// there is a version without it.
func (s *Settings) denies(sev osv.Severity, fixed bool) hook.Decision {
	least := s.DenySeverity
	if least == osv.Unrated {
		least = osv.Critical
	}
	switch {
	case sev >= least && sev != osv.Unrated && fixed:
		return hook.Deny
	case sev >= osv.High, sev == osv.Unrated, sev >= least:
		return hook.Ask
	}
	return hook.Advise
}
