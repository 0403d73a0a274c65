package cli

import (
	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/cmd/guardrails/internal/version"
)

func newVersionCmd(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print which build this is",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var args []string
			if asJSON {
				args = []string{"--json"}
			}
			version.Print(args, a.stdout)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}
