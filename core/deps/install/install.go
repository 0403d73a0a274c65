// Package install reads the packages that a command line would fetch from a
// public registry. It owns the command grammars of package managers and their
// runners.
//
// It works on parsed commands only and reads no files of its own: requirements
// files and settings come through the function it is handed. It must not
// import a client, a cache or a gate.
package install

import (
	"github.com/ec261362/guardrails/core/deps/coord"
	"github.com/ec261362/guardrails/core/shellcmd"
)

// Options say what Parse may look at beside the line.
type Options struct {
	// ReadFile reads a file by its absolute path, or nil. Without it a
	// requirements file is unchecked and settings files are not known.
	ReadFile func(path string) ([]byte, error)

	// Getenv resolves a variable of the host's environment that the line itself
	// does not set, or nil: NPM_CONFIG_REGISTRY, PIP_INDEX_URL, GOPRIVATE …
	Getenv func(name string) (string, bool)
}

// Parse returns the packages that the commands of line would add or run, each
// once, in order, and what would be added but cannot be looked up. Installs from
// a lockfile, updates and removals name nothing.
func Parse(line *shellcmd.Line, o Options) ([]coord.Package, []coord.Unchecked) {
	return nil, nil
}

// Mentions reports whether text may hold an install command. It is a search for
// about thirty words, without a parse: false means that Parse finds nothing.
func Mentions(text string) bool { return false }
