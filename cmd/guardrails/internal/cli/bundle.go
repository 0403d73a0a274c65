package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ec261362/guardrails/adapters"
	"github.com/ec261362/guardrails/installer"
)

func newBundleCmd(a *app) *cobra.Command {
	var agent, out, programs string
	cmd := &cobra.Command{
		Use:   "bundle --agent HOST --out DIR",
		Short: "Write a plugin marketplace or an extension that others can install",
		Long: `bundle writes a folder to publish: for claude a marketplace with the plugin in it, for
gemini an extension. It holds the programs of this machine, or with --programs those
of each platform in a folder that ` + "`make cross`" + ` filled, behind a launcher, and no path of
this machine. To install on this machine, use init.`,
		Example: `  guardrails bundle --agent claude --out ./marketplace
  claude plugin marketplace add ./marketplace && claude plugin install guardrails@guardrails

  guardrails bundle --agent gemini --out ./extension --programs dist
  gemini extensions install ./extension`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if agent == "" || out == "" {
				return errors.New("--agent and --out are needed: see guardrails bundle --help")
			}
			if adapters.Lookup(agent) == nil {
				return unknownAgent(agent, []string{"claude", "gemini"})
			}
			out = a.abs(out)
			in, err := a.installer()
			if err != nil {
				return err
			}
			var platforms []installer.Platform
			if programs != "" {
				programs = a.abs(programs)
				if platforms, err = installer.Platforms(programs); errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("--programs: there is no folder %s: `make cross` fills dist of a checkout", programs)
				} else if err != nil {
					return err
				}
			}
			files, err := in.Bundle(agent, out, platforms)
			if err != nil {
				return err
			}
			for _, f := range files {
				a.sayf("  %s", filepath.Join(out, filepath.FromSlash(f)))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&agent, "agent", "", "`HOST`: claude or gemini")
	f.StringVar(&out, "out", "", "a new or empty `DIR`")
	f.StringVar(&programs, "programs", "", "the `DIR` that make cross filled: one folder per platform")
	return cmd
}
