package cli

import (
	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/hookcmd"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/version"
	"github.com/ec261362/guardrails/cmd/guardrails/internal/world"
	"github.com/ec261362/guardrails/core/config/yamldoc"
	"github.com/ec261362/guardrails/core/proc"
)

// newHookCmd is how the hook lane shows in help and is reached behind a global
// flag. An installed entry never gets here: it is dispatched before the command
// tree is built.
func newHookCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:                "hook --agent HOST [EVENT]",
		Short:              "The entry that init registers with a host",
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if a.stateFlag != "" {
				args = append(args, "--home", a.state)
			}
			hookcmd.Main(args, hookWorld(a.environ()), a.stdin, a.stdout, a.stderr)
			return nil
		},
	}
}

// hookWorld is what gates may do in the full program.
func hookWorld(environ []string) hookcmd.World {
	return hookcmd.World{
		Proc: world.Programs(environ), HTTP: world.Network(version.String()), Quality: world.Quality(environ),
		YAML: yamldoc.Read, Settle: proc.Settle,
	}
}
