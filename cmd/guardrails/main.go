// Command guardrails judges every lifecycle call of a coding agent. See
// README.md.
package main

import (
	"os"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/cli"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/hookcmd"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/world"
)

func main() { os.Exit(run()) }

// run dispatches the hook lane before the command tree is built.
func run() int {
	if len(os.Args) > 1 && os.Args[1] == "hook" && (len(os.Args) < 3 || os.Args[2] != "check") {
		return hookcmd.Main(os.Args[2:], hookcmd.World{Proc: world.Programs(os.Environ())}, os.Stdin, os.Stdout, os.Stderr)
	}
	return cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}
