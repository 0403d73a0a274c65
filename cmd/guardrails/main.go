// Command guardrails judges every lifecycle call of a coding agent. It is the
// small program that hosts start; every verb but hook is guardrails-full's. See
// README.md.
package main

import (
	"os"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/full"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/hookcmd"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/version"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	switch {
	case len(args) > 0 && args[0] == "hook" && (len(args) < 2 || args[1] != "check"):
		return hookcmd.Main(args[1:], hookcmd.World{}, os.Stdin, os.Stdout, os.Stderr)
	case len(args) > 0 && args[0] == "version" && version.Print(args[1:], os.Stdout):
		return 0
	}
	return full.Run(args, os.Stderr)
}
