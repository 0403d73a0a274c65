// Command guardrails-full is every verb of guardrails, and judges the hook calls
// that need programs or the network. See README.md.
package main

import (
	"os"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args, os.Stdin, os.Stdout, os.Stderr)) }
